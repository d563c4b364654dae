// SPDX-License-Identifier: Apache-2.0
// Differences of the tables of two runs.
#include "cli/compare/compare.h"

#include <math.h>
#include <string.h>

double compare_relative(const compare_line *line)
{
    if (line->difference == 0.0)
        return 0.0;
    return line->scale > 0.0 ? line->difference / line->scale : INFINITY;
}

void compare_lines_release(compare_lines *lines)
{
    base_release(&lines->allocator, lines->items);
    lines->items = NULL;
    lines->count = lines->capacity = 0;
}

/// Line of a name, added where it is new; NULL when out of memory.
static compare_line *line_of(compare_lines *lines, int first, const char *name)
{
    for (int i = first; i < lines->count; i++)
        if (strncmp(lines->items[i].name, name, COMPARE_TEXT - 1) == 0)
            return &lines->items[i];
    if (base_array_reserve(&lines->allocator, &lines->items, &lines->capacity, lines->count + 1) !=
        CAIRN_OK)
        return NULL;
    compare_line *line = &lines->items[lines->count++];
    *line = (compare_line){.where = NAN};
    snprintf(line->name, sizeof line->name, "%.*s", COMPARE_TEXT - 1, name);
    return line;
}

// a NaN on one side alone is an infinite difference
static double difference_of(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? 0.0 : INFINITY;
    return fabs(a - b);
}

static void note(compare_line *line, double a, double b, double where)
{
    double difference = difference_of(a, b);
    line->scale = fmax(line->scale, fmax(fabs(a), fabs(b)));
    if (difference > line->difference || isnan(line->where)) {
        line->difference = fmax(difference, line->difference);
        line->where = where;
    }
}

// ---------------------------------------------------------------- series

enum { TIME_COLUMN = 1, FIRST_COLUMN = 2 };

/// "top position x [m]" -> "top position [m]"
static void strip_axis(const char *name, char out[COMPARE_TEXT])
{
    char *last = NULL;
    snprintf(out, COMPARE_TEXT, "%.*s", COMPARE_TEXT - 1, name);
    for (char *at = out; at[0] != '\0' && at[1] != '\0'; at++) {
        bool axis = at[0] == ' ' && (at[1] == 'x' || at[1] == 'y' || at[1] == 'z') &&
                    (at[2] == ' ' || at[2] == '\0');
        // the name before it may have such a word, too
        last = axis ? at : last;
    }
    if (last != NULL)
        memmove(last, last + 2, strlen(last + 2) + 1);
}

/// Value of a table at a time, straight between its rows; *row goes forward. False outside.
static bool value_at(const cli_table *table, int column, double time, int *row, double *value)
{
    double tiny = 1e-9 * fmax(fabs(time), 1e-3);
    while (*row < table->rows && cli_table_value(table, *row, TIME_COLUMN) < time - tiny)
        ++*row;
    if (*row == table->rows)
        return false;
    double after = cli_table_value(table, *row, TIME_COLUMN);
    if (after <= time + tiny) {
        *value = cli_table_value(table, *row, column);
        return true;
    }
    if (*row == 0)
        return false;
    double before = cli_table_value(table, *row - 1, TIME_COLUMN);
    double share = (time - before) / (after - before);
    *value = (1.0 - share) * cli_table_value(table, *row - 1, column) +
             share * cli_table_value(table, *row, column);
    return true;
}

static bool same_times(const cli_table *a, const cli_table *b)
{
    if (a->rows != b->rows)
        return false;
    for (int r = 0; r < a->rows; r++) {
        double x = cli_table_value(a, r, TIME_COLUMN), y = cli_table_value(b, r, TIME_COLUMN);
        if (!(fabs(x - y) <= 1e-9 * fmax(fabs(x), 1e-3)))
            return false;
    }
    return true;
}

cairn_status compare_series(const cli_table *a, const cli_table *b, bool together,
                            compare_lines *lines, bool *same)
{
    int first = lines->count, matched = 0;
    if (a->columns <= TIME_COLUMN || b->columns <= TIME_COLUMN) {
        *same = *same && a->columns == b->columns;
        return CAIRN_OK;
    }
    for (int c = FIRST_COLUMN; c < a->columns; c++) {
        char name[COMPARE_TEXT];
        int other = cli_table_column(b, a->names[c]);
        if (other < FIRST_COLUMN)
            continue;
        matched++;
        strip_axis(a->names[c], name);
        compare_line *line = line_of(lines, first, name);
        if (line == NULL)
            return CAIRN_ERROR_MEMORY;

        // compare column
        int row = 0;
        for (int r = 0; r < a->rows; r++) {
            double time = cli_table_value(a, r, TIME_COLUMN), value;
            if (value_at(b, other, time, &row, &value))
                note(line, cli_table_value(a, r, c), value, time);
        }
    }
    *same = *same && same_times(a, b) && a->columns == b->columns &&
            matched == a->columns - FIRST_COLUMN;
    double scale = 0.0;
    for (int i = first; i < lines->count && together; i++)
        scale = fmax(scale, lines->items[i].scale);
    for (int i = first; i < lines->count && together; i++)
        lines->items[i].scale = scale;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- bodies

typedef struct body_columns {
    int position, orientation, velocity, omega; // first of each
} body_columns;

static bool find_body_columns(const cli_table *table, body_columns *out)
{
    *out = (body_columns){
        .position = cli_table_column(table, "position x [m]"),
        .orientation = cli_table_column(table, "orientation w"),
        .velocity = cli_table_column(table, "velocity x [m/s]"),
        .omega = cli_table_column(table, "angular velocity x [rad/s]"),
    };
    return out->position >= 0 && out->position + 3 <= table->columns && out->orientation >= 0 &&
           out->orientation + 4 <= table->columns && out->velocity >= 0 &&
           out->velocity + 3 <= table->columns && out->omega >= 0 &&
           out->omega + 3 <= table->columns;
}

// |a - b| and the larger length
static void note_vectors(compare_line *line, const double *a, const double *b, double where)
{
    double difference = 0.0, size_a = 0.0, size_b = 0.0;
    for (int k = 0; k < 3; k++) {
        double one = difference_of(a[k], b[k]);
        difference += one * one;
        size_a += a[k] * a[k];
        size_b += b[k] * b[k];
    }
    difference = sqrt(difference);
    line->scale = fmax(line->scale, sqrt(fmax(size_a, size_b)));
    if (difference > line->difference || isnan(line->where)) {
        line->difference = difference;
        line->where = where;
    }
}

// angle between two orientations, rad
static void note_angle(compare_line *line, const double *a, const double *b, double where)
{
    double minus = 0.0, plus = 0.0;
    for (int k = 0; k < 4; k++) {
        minus += (a[k] - b[k]) * (a[k] - b[k]);
        plus += (a[k] + b[k]) * (a[k] + b[k]);
    }
    double angle = 4.0 * asin(fmin(1.0, 0.5 * sqrt(fmin(minus, plus))));
    note(line, isnan(angle) ? INFINITY : angle, 0.0, where);
    line->scale = 3.14159265358979323846;
}

/// Extent of the bodies of a table that may move, m. @param mass  out: theirs, kg; 0: not told
static double measure_bodies(const cli_table *table, const body_columns *columns, double *mass)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double extent = 0.0;
    int at = cli_table_column(table, "mass [kg]");
    *mass = 0.0;
    for (int r = 0; r < table->rows; r++) {
        const double *row = table->values + (size_t)r * (size_t)table->columns;
        if (at >= 0 && !isfinite(row[at]))
            continue;
        *mass += at >= 0 ? row[at] : 0.0;
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], row[columns->position + k]);
            high[k] = fmax(high[k], row[columns->position + k]);
        }
    }
    for (int k = 0; k < 3; k++)
        extent = hypot(extent, fmax(high[k] - low[k], 0.0));
    return extent;
}

/// Scales that do not depend on where the origin is, nor on how exactly bodies are at rest.
static void set_scales(compare_line *line, double extent, double mass, double energy)
{
    double size = line[0].scale;
    // one body alone, or two in one place
    if (extent > 0.0 && isfinite(extent))
        line[0].scale = size = fmax(extent, line[0].difference);
    double speed = mass > 0.0 ? sqrt(2.0 * energy / mass) : 0.0;
    line[2].scale = fmax(line[2].scale, speed);
    if (size > 0.0)
        line[3].scale = fmax(line[3].scale, speed / size);
}

cairn_status compare_bodies(const cli_table *a, const cli_table *b, double energy,
                            compare_lines *lines, bool *same)
{
    static const char *const names[] = {"body position [m]", "body orientation [rad]",
                                        "body velocity [m/s]", "body angular velocity [rad/s]"};
    body_columns in, other;
    if (!find_body_columns(a, &in) || !find_body_columns(b, &other)) {
        *same = false;
        return CAIRN_OK;
    }
    int first = lines->count, rows = a->rows < b->rows ? a->rows : b->rows;
    for (int k = 0; k < 4; k++)
        if (line_of(lines, first, names[k]) == NULL)
            return CAIRN_ERROR_MEMORY;
    compare_line *line = lines->items + first;
    for (int r = 0; r < rows; r++) {
        const double *x = a->values + (size_t)r * (size_t)a->columns;
        const double *y = b->values + (size_t)r * (size_t)b->columns;
        note_vectors(&line[0], x + in.position, y + other.position, r);
        note_angle(&line[1], x + in.orientation, y + other.orientation, r);
        note_vectors(&line[2], x + in.velocity, y + other.velocity, r);
        note_vectors(&line[3], x + in.omega, y + other.omega, r);
    }
    double mass, mass_of_b;
    double extent = measure_bodies(a, &in, &mass);
    set_scales(line, fmax(extent, measure_bodies(b, &other, &mass_of_b)), mass, energy);
    *same = *same && a->rows == b->rows;
    return CAIRN_OK;
}
