// SPDX-License-Identifier: Apache-2.0
// Call bodies_from_csv: many bodies from a table of text, one a line.
#include "scenes/load/loader.h"

#include "base/assert.h"
#include "base/file.h"

#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { COLUMNS_MAX = 32, FILE_SIZE_MAX = 1 << 30 };

typedef enum column {
    COLUMN_NAME,
    COLUMN_MATERIAL,
    COLUMN_RADIUS,
    COLUMN_MASS,
    COLUMN_DENSITY,
    COLUMN_X,
    COLUMN_Y,
    COLUMN_Z,
    COLUMN_QW,
    COLUMN_QX,
    COLUMN_QY,
    COLUMN_QZ,
    COLUMN_VX,
    COLUMN_VY,
    COLUMN_VZ,
    COLUMN_WX,
    COLUMN_WY,
    COLUMN_WZ,
    COLUMN_COUNT
} column;

static const char *const column_names[] = {"name", "material", "radius", "mass", "density", "x",
                                           "y",    "z",        "qw",     "qx",   "qy",      "qz",
                                           "vx",   "vy",       "vz",     "wx",   "wy",      "wz"};

typedef struct reader {
    lua_State *L;
    const char *file; // as the scene gives it
    int line;
    int place_of[COLUMN_COUNT]; // in a row; -1: no such column
    int column_count;
    char *cells[COLUMNS_MAX]; // of the row being read
    scn_fields fields;
    cairn_body_def common; // what every body starts from
    const char *material;  // of the call, or NULL
} reader;

/// The whole file with a zero at its end, on the Lua stack.
static char *push_text(lua_State *L, const char *file)
{
    const char *path = scn_push_data_path(L, file);
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        scn_raise(L, "file \"%.200s\" is not a file", file);
    if (info.st_size > FILE_SIZE_MAX)
        scn_raise(L, "file \"%.200s\" is larger than %d MB", file, FILE_SIZE_MAX >> 20);
    char *text = lua_newuserdatauv(L, (size_t)info.st_size + 1, 0);
    const char *reason = NULL;
    FILE *stream = base_file_read(path, &reason);
    if (stream == NULL)
        scn_raise(L, "file \"%.200s\": %s", file, reason);
    size_t size = fread(text, 1, (size_t)info.st_size, stream);
    fclose(stream);
    text[size] = '\0';
    return text;
}

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    char *end = text + strlen(text);
    while (end > text && strchr(" \t\r", end[-1]) != NULL)
        *--end = '\0';
    return text;
}

/// Next line that is neither empty nor a comment; NULL at the end. Advances `*rest`.
static char *next_line(reader *csv, char **rest)
{
    while (*rest != NULL) {
        char *line = *rest;
        char *end = strchr(line, '\n');
        *rest = end != NULL ? end + 1 : NULL;
        if (end != NULL)
            *end = '\0';
        csv->line++;
        line = trim(line);
        if (line[0] != '\0' && line[0] != '#')
            return line;
    }
    return NULL;
}

static int split(reader *csv, char *line)
{
    int count = 0;
    for (char *cell = line; cell != NULL; count++) {
        char *comma = strchr(cell, ',');
        if (comma != NULL)
            *comma = '\0';
        if (count == COLUMNS_MAX)
            scn_raise(csv->L, "%s line %d: more than %d columns", csv->file, csv->line,
                      COLUMNS_MAX);
        csv->cells[count] = trim(cell);
        cell = comma != NULL ? comma + 1 : NULL;
    }
    return count;
}

static void read_header(reader *csv, char **rest)
{
    char *line = next_line(csv, rest);
    if (line == NULL)
        scn_raise(csv->L, "%s is empty: the first line names the columns", csv->file);
    csv->column_count = split(csv, line);
    for (int i = 0; i < COLUMN_COUNT; i++)
        csv->place_of[i] = -1;
    for (int i = 0; i < csv->column_count; i++) {
        int found = 0;
        while (found < COLUMN_COUNT && strcmp(csv->cells[i], column_names[found]) != 0)
            found++;
        if (found == COLUMN_COUNT)
            scn_raise_unknown(csv->L, "column", csv->cells[i], column_names, COLUMN_COUNT);
        if (csv->place_of[found] >= 0)
            scn_raise(csv->L, "%s: column %s comes twice", csv->file, column_names[found]);
        csv->place_of[found] = i;
    }
    for (int i = COLUMN_X; i <= COLUMN_Z; i++)
        if (csv->place_of[i] < 0)
            scn_raise(csv->L, "%s: column %s is missing", csv->file, column_names[i]);
}

static const char *cell_text(const reader *csv, column which)
{
    return csv->place_of[which] >= 0 ? csv->cells[csv->place_of[which]] : "";
}

static double cell_number(const reader *csv, column which, double fallback, bool positive)
{
    const char *text = cell_text(csv, which);
    if (text[0] == '\0')
        return fallback;
    char *end = NULL;
    double x = strtod(text, &end);
    if (*end != '\0' || !isfinite(x))
        scn_raise(csv->L, "%s line %d: %s is not a number (\"%.40s\")", csv->file, csv->line,
                  column_names[which], text);
    if (positive && x <= 0.0)
        scn_raise(csv->L, "%s line %d: %s = %g must be greater than 0", csv->file, csv->line,
                  column_names[which], x);
    return x;
}

static void read_orientation(const reader *csv, double out[4])
{
    double norm = 0.0;
    for (int i = 0; i < 4; i++) {
        out[i] = cell_number(csv, (column)(COLUMN_QW + i), out[i], false);
        norm += out[i] * out[i];
    }
    norm = sqrt(norm);
    if (!(norm > 1e-100) || !isfinite(norm))
        scn_raise(csv->L, "%s line %d: the orientation is zero", csv->file, csv->line);
    for (int i = 0; i < 4; i++)
        out[i] /= norm;
}

static void read_row(const reader *csv)
{
    lua_State *L = csv->L;
    cairn_body_def def = csv->common;
    const char *material = cell_text(csv, COLUMN_MATERIAL), *name = cell_text(csv, COLUMN_NAME);
    if (material[0] != '\0') {
        def.material = scn_check_material(L, material);
        def.density = scn_material_density(L, material, def.density);
    }
    for (int i = 0; i < 3; i++) {
        def.position[i] = cell_number(csv, (column)(COLUMN_X + i), 0.0, false);
        def.velocity[i] = cell_number(csv, (column)(COLUMN_VX + i), 0.0, false);
        def.angular_velocity[i] = cell_number(csv, (column)(COLUMN_WX + i), 0.0, false);
    }
    read_orientation(csv, def.orientation);
    def.mass = cell_number(csv, COLUMN_MASS, def.mass, true);
    def.density = cell_number(csv, COLUMN_DENSITY, def.density, true);
    if (csv->place_of[COLUMN_RADIUS] >= 0)
        def.shape = scn_shape_sphere(L, cell_number(csv, COLUMN_RADIUS, 0.0, true));
    def.name = name[0] != '\0' ? name : NULL;
    scn_body_add(&csv->fields, &def);
}

static void read_common(reader *csv)
{
    static const char *const kinds[] = {"dynamic", "fixed", "moving", NULL};
    lua_State *L = csv->L;
    csv->common = cairn_default_body_def();
    csv->common.kind = (cairn_body_kind)scn_fields_choice(&csv->fields, "kind", 0, kinds);
    csv->material = scn_fields_text(&csv->fields, "material", NULL);
    if (csv->material != NULL) {
        csv->common.material = scn_check_material(L, csv->material);
        csv->common.density = scn_material_density(L, csv->material, csv->common.density);
    }
    csv->common.density = scn_fields_number(&csv->fields, "density", csv->common.density,
                                            scn_range_positive("kg/m3"));
}

static void check_shapes(reader *csv)
{
    lua_State *L = csv->L;
    bool has_radius = csv->place_of[COLUMN_RADIUS] >= 0;
    if (has_radius == scn_fields_has(&csv->fields, "shape"))
        scn_raise(L, "bodies_from_csv: give shape = , or a column \"radius\" for spheres");
    if (has_radius)
        return;
    lua_getfield(L, 1, "shape");
    csv->common.shape = scn_check_shape(L, -1, "shape");
    cairn_shape_kind kind = scn_shape_kind_of(L, -1);
    if (csv->common.kind == CAIRN_DYNAMIC && (kind == CAIRN_HALFSPACE || kind == CAIRN_MESH))
        scn_raise(L, "bodies_from_csv: a %s has no mass: kind must be \"fixed\" or \"moving\"",
                  kind == CAIRN_MESH ? "mesh" : "plane");
}

int scn_call_bodies_from_csv(lua_State *L)
{
    static const char *const names[] = {"file", "shape", "material", "density", "kind", NULL};
    reader csv = {.L = L, .fields = scn_fields_begin(L, "bodies_from_csv")};
    scn_fields_check(&csv.fields, names, 0);
    scn_fields_require(&csv.fields, "file");
    csv.file = scn_fields_text(&csv.fields, "file", NULL);
    read_common(&csv);
    char *rest = push_text(L, csv.file);
    read_header(&csv, &rest);
    check_shapes(&csv);
    int count = 0;
    for (char *line = next_line(&csv, &rest); line != NULL; line = next_line(&csv, &rest)) {
        int cells = split(&csv, line);
        if (cells != csv.column_count)
            scn_raise(L, "%s line %d: %d values for %d columns", csv.file, csv.line, cells,
                      csv.column_count);
        read_row(&csv);
        count++;
    }
    lua_pushinteger(L, count);
    return 1;
}
