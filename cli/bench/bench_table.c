// SPDX-License-Identifier: Apache-2.0
// Results of solvers on problems, and their CSV.
#include "cli/bench/bench.h"

#include "cli/text/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void bench_table_init(bench_table *table)
{
    *table = (bench_table){.allocator = base_allocator_default()};
}

void bench_table_release(bench_table *table)
{
    for (int i = 0; i < table->file_count; i++)
        base_release(&table->allocator, table->files[i]);
    for (int i = 0; i < table->solver_count; i++)
        base_release(&table->allocator, table->solvers[i].name);
    base_names_release(&table->file_names, &table->allocator);
    base_release(&table->allocator, table->files);
    base_release(&table->allocator, table->solvers);
    base_release(&table->allocator, table->results);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

int bench_table_file(bench_table *table, const char *path)
{
    int known = base_names_find(&table->file_names, last_part(path));
    if (known >= 0)
        return known;
    char *name = base_copy_text(&table->allocator, last_part(path));
    if (name == NULL ||
        base_array_reserve(&table->allocator, &table->files, &table->file_capacity,
                           table->file_count + 1) != CAIRN_OK ||
        base_names_add(&table->file_names, &table->allocator, name, table->file_count) !=
            CAIRN_OK) {
        base_release(&table->allocator, name);
        return -1;
    }
    table->files[table->file_count] = name;
    return table->file_count++;
}

int bench_table_solver(bench_table *table, const char *name, bool external)
{
    for (int i = 0; i < table->solver_count; i++)
        if (table->solvers[i].external == external && strcmp(table->solvers[i].name, name) == 0)
            return i;
    char *copy = base_copy_text(&table->allocator, name);
    if (copy == NULL ||
        base_array_reserve(&table->allocator, &table->solvers, &table->solver_capacity,
                           table->solver_count + 1) != CAIRN_OK) {
        base_release(&table->allocator, copy);
        return -1;
    }
    table->solvers[table->solver_count] = (bench_solver){copy, external};
    return table->solver_count++;
}

cairn_status bench_table_add(bench_table *table, const bench_result *result)
{
    cairn_status status = base_array_reserve(&table->allocator, &table->results,
                                             &table->result_capacity, table->result_count + 1);
    if (status == CAIRN_OK)
        table->results[table->result_count++] = *result;
    return status;
}

// ---------------------------------------------------------------- writing

void bench_csv_head(FILE *out)
{
    fputs("file,solver,success,time_s,iterations,error,wall_s,info,status,limit_s,"
          "error_scaled,error_q,error_siconos\n",
          out);
}

void bench_csv_row(const bench_table *table, const bench_result *result, FILE *out)
{
    cli_csv_put(table->files[result->file], out);
    fputc(',', out);
    cli_csv_put(table->solvers[result->solver].name, out);
    fprintf(out, ",%d,%.9g,%" PRId64 ",%.9g,%.9g,%d,%s,%g,%.9g,%.9g,%.9g\n",
            result->success ? 1 : 0, result->seconds, result->iterations, result->error,
            result->wall, result->info, result->status, result->limit, result->error_scaled,
            result->error_q, result->error_siconos);
}

// ---------------------------------------------------------------- reading

typedef enum column {
    COLUMN_FILE,
    COLUMN_SOLVER,
    COLUMN_SUCCESS,
    COLUMN_TIME,
    COLUMN_ITERATIONS,
    COLUMN_ERROR,
    COLUMN_STATUS,
    COLUMN_COUNT
} column;

static const char *const column_names[COLUMN_COUNT] = {"file",       "solver", "success", "time_s",
                                                       "iterations", "error",  "status"};

typedef struct reader {
    bench_table *table;
    cli_csv csv;
    int place[COLUMN_COUNT]; // field of a column; -1 where absent
    cairn_error *error;
} reader;

static cairn_status fail_line(const reader *in, const char *what)
{
    return cli_csv_fail(&in->csv, what, in->error);
}

static cairn_status read_head(reader *in)
{
    bool done = false;
    BASE_TRY(cli_csv_next(&in->csv, &done, in->error));
    if (done)
        return fail_line(in, "the file is empty");
    for (int c = 0; c < COLUMN_COUNT; c++) {
        in->place[c] = -1;
        for (int f = 0; f < in->csv.field_count; f++)
            if (strcmp(in->csv.field[f], column_names[c]) == 0)
                in->place[c] = f;
        if (in->place[c] < 0 && c <= COLUMN_TIME)
            return base_fail(in->error, CAIRN_ERROR_FORMAT, "%s:%ld: there is no column \"%s\"",
                             in->csv.path, in->csv.line, column_names[c]);
    }
    return CAIRN_OK;
}

/// Number of a column; `missing` where the column is absent or the field empty.
static bool take_number(const reader *in, column which, double missing, double *out)
{
    *out = missing;
    if (in->place[which] < 0 || in->place[which] >= in->csv.field_count ||
        in->csv.field[in->place[which]][0] == '\0')
        return true;
    char *end = NULL;
    const char *text = in->csv.field[in->place[which]];
    *out = strtod(text, &end);
    return end != text && *end == '\0';
}

static cairn_status take_row(const reader *in, bench_result *result)
{
    double success = 0.0, iterations = 0.0;
    for (int c = 0; c <= COLUMN_TIME; c++)
        if (in->place[c] >= in->csv.field_count)
            return fail_line(in, "columns are missing");
    if (!take_number(in, COLUMN_SUCCESS, NAN, &success) || (success != 0.0 && success != 1.0))
        return fail_line(in, "success is not 0 or 1");
    if (!take_number(in, COLUMN_TIME, NAN, &result->seconds))
        return fail_line(in, "time_s is not a number");
    result->success = success == 1.0;
    if (result->success && !(result->seconds >= 0.0 && isfinite(result->seconds)))
        return fail_line(in, "time_s of a success is not a time");
    if (!take_number(in, COLUMN_ITERATIONS, 0.0, &iterations) ||
        !take_number(in, COLUMN_ERROR, NAN, &result->error))
        return fail_line(in, "iterations or error is not a number");
    result->iterations = fabs(iterations) < 1e15 ? (int64_t)iterations : 0;
    result->wall = result->limit = NAN;
    snprintf(result->status, sizeof result->status, "%.23s",
             in->place[COLUMN_STATUS] >= 0 && in->place[COLUMN_STATUS] < in->csv.field_count
                 ? in->csv.field[in->place[COLUMN_STATUS]]
                 : "");
    return CAIRN_OK;
}

static cairn_status add_row(reader *in)
{
    bench_result result = {0};
    BASE_TRY(take_row(in, &result));
    result.file =
        base_names_find(&in->table->file_names, last_part(in->csv.field[in->place[COLUMN_FILE]]));
    if (result.file < 0)
        return CAIRN_OK;
    const char *name = in->csv.field[in->place[COLUMN_SOLVER]];
    if (name[0] == '\0')
        return fail_line(in, "the solver has no name");
    result.solver = bench_table_solver(in->table, name, true);
    if (result.solver < 0 || bench_table_add(in->table, &result) != CAIRN_OK)
        return base_fail(in->error, CAIRN_ERROR_MEMORY, "%s",
                         cairn_status_text(CAIRN_ERROR_MEMORY));
    return CAIRN_OK;
}

cairn_status bench_csv_read(bench_table *table, const char *path, cairn_error *error)
{
    reader in = {.table = table, .error = error};
    cairn_status status = cli_csv_open(&in.csv, path, error);
    if (status == CAIRN_OK)
        status = read_head(&in);
    bool done = false;
    while (status == CAIRN_OK && !done) {
        status = cli_csv_next(&in.csv, &done, error);
        if (status == CAIRN_OK && !done)
            status = add_row(&in);
    }
    cli_csv_close(&in.csv);
    return status;
}
