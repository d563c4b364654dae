// SPDX-License-Identifier: Apache-2.0
// Calls bodies_from_csv, table_from_csv and table: bodies, and functions of time, from tables of
// text.
#include "base/settings.h"
#include "base/text.h"
#include "scenes/load/loader.h"

#include "base/assert.h"

#include <errno.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    scn_colour colour;
} reader;

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
        // a name may hold a '#' that follows no blank
        for (char *c = line; *c != '\0'; c++)
            if (*c == '#' && (c == line || c[-1] == ' ' || c[-1] == '\t'))
                *c = '\0';
        line = trim(line);
        if (line[0] != '\0')
            return line;
    }
    return NULL;
}

static int split(reader *csv, char *line)
{
    int count = 0;
    for (char *rest = line; rest != NULL; count++) {
        if (count == COLUMNS_MAX)
            scn_raise(csv->L, "%s line %d: more than %d columns", csv->file, csv->line,
                      COLUMNS_MAX);
        if (!base_text_field(&rest, &csv->cells[count]))
            scn_raise(csv->L, "%s line %d: a quoted value does not end", csv->file, csv->line);
        csv->cells[count] = trim(csv->cells[count]);
    }
    // no table that is asked for has a single column
    if (count == 1 && strpbrk(csv->cells[0], ";\t") != NULL)
        scn_raise(csv->L, "%s line %d: values are separated by %s; write commas between them",
                  csv->file, csv->line, strchr(csv->cells[0], ';') != NULL ? "semicolons" : "tabs");
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
    double x = base_text_number(text, &end);
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
    if (material[0] != '\0')
        def.material = scn_check_material(L, material);
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
    scn_paint_body(&csv->fields, scn_body_add(&csv->fields, &def), &csv->colour);
}

static void read_common(reader *csv)
{
    static const char *const kinds[] = {"dynamic", "fixed", "moving", NULL};
    lua_State *L = csv->L;
    csv->common = cairn_default_body_def();
    csv->common.kind = (cairn_body_kind)scn_fields_choice(&csv->fields, "kind", 0, kinds);
    csv->colour = scn_read_colour(&csv->fields);
    const char *material = scn_fields_text(&csv->fields, "material", NULL);
    if (material != NULL)
        csv->common.material = scn_check_material(L, material);
    csv->common.density =
        scn_fields_number(&csv->fields, "density", 0.0, scn_range_positive("kg/m3"));
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
    if (csv->common.kind == CAIRN_DYNAMIC && kind == CAIRN_HALFSPACE)
        scn_raise(L, "bodies_from_csv: a plane has no mass: kind must be \"fixed\" or \"moving\"");
}

int scn_call_bodies_from_csv(lua_State *L)
{
    static const char *const names[] = {"file", "shape",  "material", "density",
                                        "kind", "colour", NULL};
    reader csv = {.L = L, .fields = scn_fields_begin(L, "bodies_from_csv")};
    scn_fields_check(&csv.fields, names, 0);
    scn_fields_require(&csv.fields, "file");
    csv.file = scn_fields_text(&csv.fields, "file", NULL);
    read_common(&csv);
    char *rest = scn_push_text(L, csv.file, FILE_SIZE_MAX, NULL);
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

// ---------------------------------------------------------------- functions of time

/// What a function of table_from_csv knows; a userdata.
typedef struct table {
    int count, capacity;
    double (*point)[2]; // [count] time in s, ascending, and value; a userdata of its own
} table;

/// The function itself: piecewise linear, its first and last values beyond the ends.
static int look_up(lua_State *L)
{
    const table *t = lua_touserdata(L, lua_upvalueindex(1));
    double time = luaL_checknumber(L, 1);
    int low = 0, high = t->count - 1;
    if (!(time > t->point[low][0]) || !(time < t->point[high][0])) {
        lua_pushnumber(L, time > t->point[low][0] ? t->point[high][1] : t->point[low][1]);
        return 1;
    }
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(t->point[middle][0] <= time ? &low : &high) = middle;
    }
    const double *a = t->point[low], *b = t->point[high];
    lua_pushnumber(L, a[1] + (b[1] - a[1]) * ((time - a[0]) / (b[0] - a[0])));
    return 1;
}

/// Place of a named column in the header just split.
static int find_column(const reader *csv, const char *name)
{
    for (int i = 0; i < csv->column_count; i++)
        if (strcmp(csv->cells[i], name) == 0)
            return i;
    scn_raise(csv->L, "%s: column %.60s is missing", csv->file, name);
}

static double number_at(const reader *csv, int place, const char *name)
{
    char *end = NULL;
    double x = base_text_number(csv->cells[place], &end);
    if (end == csv->cells[place] || *end != '\0' || !isfinite(x))
        scn_raise(csv->L, "%s line %d: %.60s is not a number (\"%.40s\")", csv->file, csv->line,
                  name, csv->cells[place]);
    return x;
}

/// Room for one more point; the points live as a user value of the table on the stack.
static void reserve_point(lua_State *L, int at, table *t)
{
    if (t->count < t->capacity)
        return;
    int capacity = t->capacity > 0 ? 2 * t->capacity : 64;
    double(*points)[2] = lua_newuserdatauv(L, (size_t)capacity * sizeof *points, 0);
    if (t->count > 0)
        memcpy(points, t->point, (size_t)t->count * sizeof *points);
    lua_setiuservalue(L, at, 1);
    t->point = points;
    t->capacity = capacity;
}

static void add_point(const reader *csv, int at, table *t, double time, double value)
{
    if (t->count > 0 && !(time > t->point[t->count - 1][0]))
        scn_raise(csv->L, "%s line %d: time %g s does not come after %g s", csv->file, csv->line,
                  time, t->point[t->count - 1][0]);
    reserve_point(csv->L, at, t);
    t->point[t->count][0] = time;
    t->point[t->count++][1] = value;
}

/// Units that a column may be given in, and what one of them is in SI units.
static const struct {
    const char *name;
    double factor;
} units[] = {
    {"", 1.0},           {"1", 1.0},
    {"-", 1.0},          {"%", 0.01},
    {"s", 1.0},          {"ms", 1e-3},
    {"us", 1e-6},        {"min", 60.0},
    {"h", 3600.0},       {"m", 1.0},
    {"km", 1e3},         {"cm", 1e-2},
    {"mm", 1e-3},        {"um", 1e-6},
    {"m/s", 1.0},        {"cm/s", 1e-2},
    {"mm/s", 1e-3},      {"km/h", 1 / 3.6},
    {"m/s2", 1.0},       {"m/s^2", 1.0},
    {"cm/s2", 1e-2},     {"cm/s^2", 1e-2},
    {"gal", 1e-2},       {"Gal", 1e-2},
    {"g", 9.80665},      {"N", 1.0},
    {"kN", 1e3},         {"MN", 1e6},
    {"mN", 1e-3},        {"N m", 1.0},
    {"Nm", 1.0},         {"kN m", 1e3},
    {"kNm", 1e3},        {"Pa", 1.0},
    {"kPa", 1e3},        {"MPa", 1e6},
    {"bar", 1e5},        {"kg", 1.0},
    {"t", 1e3},          {"kg/s", 1.0},
    {"kg/h", 1 / 3.6e3}, {"t/h", 1 / 3.6},
    {"rad", 1.0},        {"deg", M_PI / 180},
    {"rad/s", 1.0},      {"deg/s", M_PI / 180},
    {"rpm", M_PI / 30},  {"Hz", 1.0},
};

/// Factor of a unit in brackets behind a column's name, which is cut off; 1 without one.
static double take_unit(const reader *csv, char *title)
{
    char *bracket = strpbrk(title, "[(");
    if (bracket == NULL)
        return 1.0;
    // the first unit, of numbers, is no word
    const char *names[BASE_COUNT(units) - 1];
    char word[40];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(bracket + 1, "])"), bracket + 1);
    *bracket = '\0';
    trim(title);
    for (int i = 0; i < BASE_COUNT(units); i++) {
        if (i > 0)
            names[i - 1] = units[i].name;
        if (strcmp(units[i].name, word) == 0)
            return units[i].factor;
    }
    scn_raise(csv->L, "%s: unknown unit \"%.40s\" of column %.60s%s", csv->file, word, title,
              base_choices_for(word, names, BASE_COUNT(units) - 1).text);
}

/// What to read of a table of text, and how its values count.
typedef struct table_request {
    const char *time, *value; // names of columns; time NULL: the first one
    bool units;               // names may have a unit in brackets
    double scale;
} table_request;

/// Leaves the function of the time on the stack.
static void push_table(reader *csv, const table_request *request)
{
    lua_State *L = csv->L;
    char *rest = scn_push_text(L, csv->file, FILE_SIZE_MAX, NULL), *line = next_line(csv, &rest);
    double factors[COLUMNS_MAX];
    if (line == NULL)
        scn_raise(L, "%s is empty: the first line names the columns", csv->file);
    csv->column_count = split(csv, line);
    for (int i = 0; i < csv->column_count; i++)
        factors[i] = request->units ? take_unit(csv, csv->cells[i]) : 1.0;
    int time_at = request->time != NULL ? find_column(csv, request->time) : 0;
    int value_at = find_column(csv, request->value);
    char time[64];
    snprintf(time, sizeof time, "%s", csv->cells[time_at]);
    table *t = lua_newuserdatauv(L, sizeof *t, 1);
    int at = lua_gettop(L);
    *t = (table){0};
    for (line = next_line(csv, &rest); line != NULL; line = next_line(csv, &rest)) {
        int cells = split(csv, line);
        if (cells != csv->column_count)
            scn_raise(L, "%s line %d: %d values for %d columns", csv->file, csv->line, cells,
                      csv->column_count);
        add_point(csv, at, t, factors[time_at] * number_at(csv, time_at, time),
                  request->scale * factors[value_at] * number_at(csv, value_at, request->value));
    }
    if (t->count == 0)
        scn_raise(L, "%s has no line of numbers", csv->file);
    lua_pushvalue(L, at);
    lua_pushcclosure(L, look_up, 1);
}

int scn_call_table_from_csv(lua_State *L)
{
    static const char *const names[] = {"file", "time", "value", NULL};
    reader csv = {.L = L, .fields = scn_fields_begin(L, "table_from_csv")};
    scn_fields_check(&csv.fields, names, 0);
    for (int i = 0; i < 3; i++)
        scn_fields_require(&csv.fields, names[i]);
    csv.file = scn_fields_text(&csv.fields, "file", NULL);
    const table_request request = {.time = scn_fields_text(&csv.fields, "time", NULL),
                                   .value = scn_fields_text(&csv.fields, "value", NULL),
                                   .scale = 1.0};
    push_table(&csv, &request);
    return 1;
}

/// The library of tables is the first argument of a call of itself.
int scn_call_table(lua_State *L)
{
    static const char *const names[] = {"time", "scale", NULL};
    lua_remove(L, 1);
    if (scn_sandbox_of(L)->owner == NULL)
        scn_raise(L, "table(...) may be called only while the scene is loaded");
    int count = lua_gettop(L);
    if (count < 2 || count > 3 || lua_type(L, 1) != LUA_TSTRING || lua_type(L, 2) != LUA_TSTRING ||
        (count == 3 && !lua_istable(L, 3)))
        scn_raise(L, "table wants table(\"file.csv\", \"column\", { time = , scale = })");
    reader csv = {.L = L, .file = lua_tostring(L, 1)};
    table_request request = {.value = lua_tostring(L, 2), .units = true, .scale = 1.0};
    if (count == 3) {
        scn_fields fields = scn_fields_at(L, 3, "table");
        scn_fields_check(&fields, names, 0);
        request.time = scn_fields_text(&fields, "time", NULL);
        request.scale = scn_fields_number(&fields, "scale", 1.0, scn_range_any(""));
    }
    push_table(&csv, &request);
    return 1;
}
