// SPDX-License-Identifier: Apache-2.0
// Solvers on problems: results, their CSV, the performance profile. Shared by cmd_bench.c and
// bench_*.c.
#ifndef CAIRN_CLI_BENCH_BENCH_H
#define CAIRN_CLI_BENCH_BENCH_H

#include "base/memory.h"
#include "base/names.h"
#include <cairn/cairn.h>

#include <stdio.h>

enum { BENCH_STATUS_SIZE = 24 };

/// One solver on one problem.
typedef struct bench_result {
    int file, solver; // indices in the table
    bool success;     // the recomputed residual met the tolerance
    double seconds;   // CPU time of the solve alone; NaN where it did not come to an end
    int64_t iterations;
    double error;                   // recomputed; NaN where there is none
    double wall;                    // s
    int info;                       // 0; exit status, or minus the signal, of a child that died
    char status[BENCH_STATUS_SIZE]; // "solved", "time_limit", "timeout", "signal11", ...
    double limit;                   // s
    double error_scaled, error_q, error_siconos; // the other measures; NaN where there are none
} bench_result;

typedef struct bench_solver {
    char *name;
    bool external; // from --external
} bench_solver;

/// All results. Files are known by the last part of their path, so that results of other programs
/// find theirs. The last result of the same solver on the same file counts.
typedef struct bench_table {
    base_allocator allocator;
    char **files;
    int file_count, file_capacity;
    base_names file_names;
    bench_solver *solvers;
    int solver_count, solver_capacity;
    bench_result *results;
    int result_count, result_capacity;
} bench_table;

void bench_table_init(bench_table *table);
void bench_table_release(bench_table *table);

/// Index of a file or solver, added where it is new; -1 when out of memory.
int bench_table_file(bench_table *table, const char *path);
int bench_table_solver(bench_table *table, const char *name, bool external);
cairn_status bench_table_add(bench_table *table, const bench_result *result) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- CSV

void bench_csv_head(FILE *out);
void bench_csv_row(const bench_table *table, const bench_result *result, FILE *out);

/// Adds the rows of a CSV file whose head names at least file, solver, success and time_s, in any
/// order; of files that the table does not know, none.
/// @return CAIRN_ERROR_FILE; CAIRN_ERROR_FORMAT with the line and what is wrong
cairn_status bench_csv_read(bench_table *table, const char *path,
                            cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- profile

/// One solver's curve: share of all problems solved within tau times the fastest solver's time.
typedef struct bench_curve {
    int solver;
    int tried, solved, fastest; // problems
    double median_ratio;        // over those solved; NaN for none
    double worst_ratio;
    double area;   // under the curve over log tau from 1 to tau_max, divided by its width: 0 to 1
    double *ratio; // [solved] ascending
} bench_curve;

/// Dolan & More (2002). Problems that no solver solved count too, and a solver that was not run on
/// a problem has not solved it. Where the table has external solvers, only problems that both sides
/// were run on count.
typedef struct bench_profile {
    int problems, unsolved; // unsolved: by all
    int left_out;           // problems that one side was not run on
    double tau_max;         // a power of ten, 1000 to 10^6
    int curve_count;
    bench_curve *curves; // [curve_count] by area, largest first
    double *ratios;      // memory of all curves
} bench_profile;

cairn_status bench_profile_create(bench_table *table, bench_profile *profile) CAIRN_CHECK_RESULT;
void bench_profile_release(const bench_table *table, bench_profile *profile);

/// Share of the problems that a curve has at tau.
double bench_profile_value(const bench_profile *profile, const bench_curve *curve, double tau);

/// One own solver against the best external result of each problem.
typedef struct bench_duel {
    int both;       // problems that both sides solved
    int faster;     // of those
    int alone;      // solved by the own solver alone
    int other;      // solved by an external solver alone
    double median;  // time of the best external solver / own time; NaN for none
    double worst;   // the least of them
    int worst_file; // its file
} bench_duel;

cairn_status bench_duel_compute(const bench_table *table, int solver,
                                bench_duel *duel) CAIRN_CHECK_RESULT;

void bench_svg_write(const bench_table *table, const bench_profile *profile, double tolerance,
                     FILE *out);

// ---------------------------------------------------------------- runs

typedef struct bench_plan {
    const char *const *paths; // [path_count]
    int path_count;
    const char *const *solvers; // [solver_count] "solver" or "solver/local"
    int solver_count;
    double tolerance, time_limit; // s
    bool both_measures;
    int64_t memory_limit; // MB of a child; 0: none
    int jobs;             // children at a time
    bool quiet;
} bench_plan;

/// Every solver on every problem, each in a child process with limits on time and memory. Results
/// go to the table and, as they come, to csv (may be NULL).
/// @return CAIRN_INTERRUPTED after a signal; children are gone then
cairn_status bench_run(const bench_plan *plan, bench_table *table, FILE *csv,
                       cairn_error *error) CAIRN_CHECK_RESULT;

#endif
