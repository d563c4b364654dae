// SPDX-License-Identifier: Apache-2.0
// Fuzz target: CSV files as tables of a run, as plans and rows of sweeps, and as results of
// solvers.
#include "cli/bench/bench.h"
#include "cli/compare/compare.h"
#include "cli/sweep/sweep.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/stat.h>

void fuzz_write_seeds(const char *folder)
{
    (void)folder;
}

static void demand_message(cairn_status status, const cairn_error *error)
{
    fuzz_demand(status == CAIRN_OK || error->message[0] != '\0', "a failure without a message");
}

/// A table next to itself, in the three ways in which tables are compared.
static void compare(const char *path)
{
    cairn_error error = {0};
    cli_table table = {0};
    cairn_status status = cli_table_read(&table, path, &error);
    demand_message(status, &error);
    for (int how = 0; how < 3 && status == CAIRN_OK; how++) {
        compare_lines lines = {.allocator = base_allocator_default()};
        bool same = true;
        status = how < 2 ? compare_series(&table, &table, how == 0, &lines, &same)
                         : compare_bodies(&table, &table, 1.0, &lines, &same);
        compare_lines_release(&lines);
    }
    cli_table_release(&table);
}

/// A plan that is put into a folder is the plan of that folder.
static void plan(const char *path, const char *folder)
{
    char settled[64];
    cairn_error error = {0};
    sweep_plan first = {0};
    cairn_status status = sweep_plan_read(&first, path, &error);
    demand_message(status, &error);
    snprintf(settled, sizeof settled, "%s/plan.csv", folder);
    if (status == CAIRN_OK) {
        sweep_subject subject = {.command = "scene", .files = 1};
        bool changed;
        fuzz_demand(sweep_plan_settle(&first, folder, &subject, &changed, &error) == CAIRN_OK &&
                        sweep_plan_settle(&first, folder, &subject, &changed, &error) == CAIRN_OK,
                    "a plan is not that of its own folder");
        subject.files = 2;
        fuzz_demand(sweep_plan_settle(&first, folder, &subject, &changed, &error) != CAIRN_OK,
                    "files may change");
        subject.retry = true;
        fuzz_demand(sweep_plan_settle(&first, folder, &subject, &changed, &error) == CAIRN_OK &&
                        changed,
                    "files may not change");
        unlink(settled);
    }
    sweep_plan_release(&first);
}

/// What a row came to, of a sweep of one row.
static void result(const uint8_t *data, size_t size, const char *folder)
{
    char rows[64], row[64], path[80], table[64];
    const char *name = "a", *value = "1";
    sweep_plan one = {.columns = 1, .rows = 1, .names = &name, .value = &value};
    sweep_counts counts;
    cairn_error error = {0};
    snprintf(rows, sizeof rows, "%s/rows", folder);
    snprintf(row, sizeof row, "%s/rows/0001", folder);
    snprintf(path, sizeof path, "%s/row.csv", row);
    snprintf(table, sizeof table, "%s/table.csv", folder);
    fuzz_demand(mkdir(rows, 0700) == 0 && mkdir(row, 0700) == 0, "no folder of a row");
    FILE *file = fopen(path, "wb");
    fuzz_demand(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0, "row");
    demand_message(sweep_table_write(&one, folder, &counts, &error), &error);
    unlink(table);
    unlink(path);
    rmdir(row);
    rmdir(rows);
}

static void results_of_solvers(const char *path)
{
    bench_table table;
    cairn_error error = {0};
    bench_table_init(&table);
    fuzz_demand(bench_table_file(&table, "x/a.hdf5") >= 0, "no file");
    demand_message(bench_csv_read(&table, path, &error), &error);
    bench_table_release(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[48];
    snprintf(folder, sizeof folder, "%s/cairn-fuzz-XXXXXX", fuzz_place());
    fuzz_demand(mkdtemp(folder) != NULL, "no folder");
    fuzz_file file = fuzz_file_make(data, size);
    compare(file.path);
    plan(file.path, folder);
    result(data, size, folder);
    results_of_solvers(file.path);
    close(file.descriptor);
    fuzz_demand(rmdir(folder) == 0, "something is left in the folder");
    return 0;
}
