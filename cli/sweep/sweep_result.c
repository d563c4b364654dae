// SPDX-License-Identifier: Apache-2.0
// What a row of a sweep came to, and the table that merges all rows.
#include "cli/sweep/sweep.h"

#include "cli/process/files.h"
#include "cli/text/csv.h"
#include "cli/text/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TABLE_ARENA = 1 << 16 };

// ---------------------------------------------------------------- one row

/// What of summary.json is left out: the same in every row, or no single value.
static bool is_left_out(const cli_json_node *member)
{
    static const char *const left_out[] = {"scene",   "title",      "version", "status",
                                           "message", "parameters", NULL};
    for (int i = 0; left_out[i] != NULL; i++)
        if (strcmp(member->key, left_out[i]) == 0)
            return true;
    return member->kind == CLI_JSON_LIST || member->kind == CLI_JSON_OBJECT;
}

/// Times differ from run to run; they come last, so that the rest can be compared.
static bool is_time(const cli_json_node *member)
{
    return strncmp(member->key, "seconds", 7) == 0;
}

static void put_number(double value, FILE *out)
{
    char text[SWEEP_NUMBER_SIZE];
    sweep_print_number(text, value);
    fputs(text, out);
}

static void put_member(const cli_json_node *member, FILE *out)
{
    fputc(',', out);
    if (member->kind == CLI_JSON_NUMBER)
        put_number(member->number, out);
    else if (member->kind == CLI_JSON_BOOLEAN)
        fputs(member->boolean ? "true" : "false", out);
    else if (member->kind == CLI_JSON_TEXT)
        cli_csv_put(member->text, out);
}

/// Names or values of the summary, either its times or all else.
static void put_summary(const cli_json_node *root, bool times, bool names, FILE *out)
{
    for (const cli_json_node *at = root != NULL ? root->first : NULL; at != NULL; at = at->next) {
        if (is_left_out(at) || is_time(at) != times)
            continue;
        if (names)
            fprintf(out, ",%s", at->key);
        else
            put_member(at, out);
    }
}

/// The last value of a sensor's column, or its mean from a time on; NAN where there is none.
static double sensor_value(const cli_table *table, int column, double average_from)
{
    int time = cli_table_column(table, "time [s]"), count = 0;
    if (table->rows == 0)
        return NAN;
    if (isinf(average_from) || time < 0)
        return cli_table_value(table, table->rows - 1, column);
    double sum = 0.0;
    for (int row = 0; row < table->rows; row++)
        if (cli_table_value(table, row, time) >= average_from) {
            sum += cli_table_value(table, row, column);
            count++;
        }
    return count > 0 ? sum / count : NAN;
}

/// The same of a measure, whose column has a value in some rows alone.
static double measure_value(const cli_table *table, int column, double average_from)
{
    int time = cli_table_column(table, "time [s]"), count = 0;
    double sum = 0.0, last = NAN;
    for (int row = 0; row < table->rows; row++) {
        double value = cli_table_value(table, row, column);
        if (!isfinite(value))
            continue;
        last = value;
        bool late = time >= 0 && cli_table_value(table, row, time) >= average_from;
        sum += late ? value : 0.0;
        count += late;
    }
    return isinf(average_from) || time < 0 ? last : count > 0 ? sum / count : NAN;
}

static void put_sensors(const cli_table *table, bool measures, double average_from, bool names,
                        FILE *out)
{
    for (int c = 0; c < table->columns; c++) {
        if (strcmp(table->names[c], "step") == 0 || strcmp(table->names[c], "time [s]") == 0)
            continue;
        fputc(',', out);
        double value = names      ? 0.0
                       : measures ? measure_value(table, c, average_from)
                                  : sensor_value(table, c, average_from);
        if (names)
            cli_csv_put(table->names[c], out);
        else if (isfinite(value))
            put_number(value, out);
    }
}

/// Names in the first line, values in the second.
static void put_row(const sweep_plan *plan, int row, double average_from,
                    const sweep_result *result, const cli_json_node *summary,
                    const cli_table *sensors, const cli_table *measures, FILE *out)
{
    for (int names = 1; names >= 0; names--) {
        if (names)
            fputs("row,status,message", out);
        else {
            fprintf(out, "%d,%s,", row + 1, result->status);
            cli_csv_put(result->message, out);
        }
        for (int c = 0; c < plan->columns; c++) {
            fputc(',', out);
            cli_csv_put(names ? plan->names[c] : sweep_value(plan, row, c), out);
        }
        put_summary(summary, false, names, out);
        put_sensors(sensors, false, average_from, names, out);
        put_sensors(measures, true, average_from, names, out);
        put_summary(summary, true, names, out);
        fputc('\n', out);
    }
}

cairn_status sweep_result_write(const sweep_plan *plan, const char *folder, int row,
                                double average_from, const sweep_result *result, cairn_error *error)
{
    char inner[PATH_MAX], path[PATH_MAX];
    cli_json_tree summary = {0};
    cli_table sensors = {0}, measures = {0};
    cli_file file;
    cairn_status status = sweep_row_folder(inner, folder, row, error);
    if (status == CAIRN_OK)
        status = cli_path_join(path, inner, "summary.json", error);
    // a run that failed early has neither
    if (status == CAIRN_OK && access(path, F_OK) == 0)
        status = cli_json_read(path, &summary, error);
    if (status == CAIRN_OK)
        status = cli_path_join(path, inner, "sensors.csv", error);
    if (status == CAIRN_OK && access(path, F_OK) == 0)
        status = cli_table_read(&sensors, path, error);
    if (status == CAIRN_OK)
        status = cli_path_join(path, inner, "measures.csv", error);
    if (status == CAIRN_OK && access(path, F_OK) == 0)
        status = cli_table_read(&measures, path, error);
    if (status == CAIRN_OK)
        status = cli_path_join(path, inner, "row.csv", error);
    if (status == CAIRN_OK)
        status = cli_file_open(&file, path, error);
    if (status == CAIRN_OK) {
        put_row(plan, row, average_from, result, summary.root, &sensors, &measures, file.stream);
        status = cli_file_commit(&file, error);
    }
    cli_table_release(&sensors);
    cli_table_release(&measures);
    cli_json_release(&summary);
    return status;
}

// ---------------------------------------------------------------- all rows

/// A row's values by the columns of the table.
typedef struct merged_row {
    const char **value; // [columns], NULL for none
    int columns;
} merged_row;

typedef struct merged {
    base_arena *arena;
    base_allocator allocator;
    const char **names; // [count]
    int count, capacity;
    merged_row *rows; // [row_count]
    int row_count, row_capacity;
} merged;

static char *keep_text(base_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *kept = base_arena_allocate(arena, "text", size, 1);
    return kept != NULL ? memcpy(kept, text, size) : NULL;
}

/// The table's column of that name, added where there is none; -1 when out of memory. Rows mostly
/// have the same columns in the same order, so the search starts where the last one ended.
static int column_of(merged *all, const char *name, int near)
{
    for (int k = 0; k < all->count; k++) {
        int at = (near + k) % all->count;
        if (strcmp(all->names[at], name) == 0)
            return at;
    }
    if (base_array_reserve(&all->allocator, &all->names, &all->capacity, all->count + 1) !=
        CAIRN_OK)
        return -1;
    all->names[all->count] = keep_text(all->arena, name);
    return all->names[all->count] != NULL ? all->count++ : -1;
}

/// Copies of the fields of a line.
static const char **keep_fields(base_arena *arena, const cli_csv *csv)
{
    const char **fields =
        base_arena_allocate(arena, "fields", (size_t)csv->field_count, sizeof *fields);
    for (int i = 0; fields != NULL && i < csv->field_count; i++) {
        fields[i] = keep_text(arena, csv->field[i]);
        if (fields[i] == NULL)
            return NULL;
    }
    return fields;
}

static cairn_status fail_memory(cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
}

/// The values of a row go to the columns that its names say.
static cairn_status add_row(merged *all, const char **names, int count, const cli_csv *csv,
                            cairn_error *error)
{
    const char **fields = keep_fields(all->arena, csv);
    int *column = base_arena_allocate(all->arena, "columns", (size_t)count, sizeof *column);
    if (fields == NULL || column == NULL)
        return fail_memory(error);
    for (int i = 0; i < count; i++) {
        column[i] = column_of(all, names[i], i > 0 ? column[i - 1] + 1 : 0);
        if (column[i] < 0)
            return fail_memory(error);
    }
    merged_row row = {.columns = all->count};
    row.value = base_arena_allocate(all->arena, "row", (size_t)all->count, sizeof *row.value);
    if (row.value == NULL || base_array_reserve(&all->allocator, &all->rows, &all->row_capacity,
                                                all->row_count + 1) != CAIRN_OK)
        return fail_memory(error);
    memset(row.value, 0, (size_t)all->count * sizeof *row.value);
    for (int i = 0; i < count; i++)
        row.value[column[i]] = fields[i];
    all->rows[all->row_count++] = row;
    return CAIRN_OK;
}

/// Reads FOLDER/rows/NNNN/row.csv where there is one.
static cairn_status read_result(merged *all, const char *folder, int row, sweep_counts *counts,
                                cairn_error *error)
{
    char inner[PATH_MAX], path[PATH_MAX];
    cairn_status status = sweep_row_folder(inner, folder, row, error);
    if (status == CAIRN_OK)
        status = cli_path_join(path, inner, "row.csv", error);
    if (status != CAIRN_OK || access(path, F_OK) != 0)
        return status;
    cli_csv csv = {0};
    bool done = false;
    const char **names = NULL;
    int count = 0;
    status = cli_csv_open(&csv, path, error);
    if (status == CAIRN_OK)
        status = cli_csv_next(&csv, &done, error);
    if (status == CAIRN_OK && !done) {
        names = keep_fields(all->arena, &csv);
        count = csv.field_count;
        status = names != NULL ? cli_csv_next(&csv, &done, error) : fail_memory(error);
    }
    if (status == CAIRN_OK && (done || csv.field_count != count || count < 2))
        status = cli_csv_fail(&csv, "not the result of a row", error);
    if (status == CAIRN_OK) {
        bool failed = strcmp(csv.field[1], "failed") == 0;
        counts->done += !failed;
        counts->failed += failed;
        status = add_row(all, names, count, &csv, error);
    }
    cli_csv_close(&csv);
    return status;
}

static void put_table(const merged *all, FILE *out)
{
    for (int c = 0; c < all->count; c++) {
        fputs(c > 0 ? "," : "", out);
        cli_csv_put(all->names[c], out);
    }
    fputc('\n', out);
    for (int row = 0; row < all->row_count; row++) {
        for (int c = 0; c < all->count; c++) {
            const char *text = c < all->rows[row].columns ? all->rows[row].value[c] : NULL;
            fputs(c > 0 ? "," : "", out);
            if (text != NULL)
                cli_csv_put(text, out);
        }
        fputc('\n', out);
    }
}

cairn_status sweep_table_write(const sweep_plan *plan, const char *folder, sweep_counts *counts,
                               cairn_error *error)
{
    char path[PATH_MAX];
    cli_file file;
    merged all = {.allocator = base_allocator_default()};
    *counts = (sweep_counts){0};
    all.arena = base_arena_create(&all.allocator, TABLE_ARENA);
    cairn_status status = all.arena != NULL ? CAIRN_OK : fail_memory(error);
    for (int row = 0; row < plan->rows && status == CAIRN_OK; row++)
        status = read_result(&all, folder, row, counts, error);
    if (status == CAIRN_OK)
        status = cli_path_join(path, folder, "table.csv", error);
    if (status == CAIRN_OK)
        status = cli_file_open(&file, path, error);
    if (status == CAIRN_OK) {
        put_table(&all, file.stream);
        status = cli_file_commit(&file, error);
    }
    base_release(&all.allocator, all.names);
    base_release(&all.allocator, all.rows);
    base_arena_destroy(all.arena);
    return status;
}
