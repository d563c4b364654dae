// SPDX-License-Identifier: Apache-2.0
// Many runs of one scene: the plan, who runs which row, what a row came to. Shared by cli/sweep.
//
// A sweep's folder holds `plan.csv` (one line of parameter values a row), `rows/NNNN/` (the run's
// own files, a `claim` while somebody runs it, `row.csv` once it is done) and `table.csv`, which
// merges all rows that are done. Several processes, on several machines, may work on one folder.
#ifndef CAIRN_CLI_SWEEP_SWEEP_H
#define CAIRN_CLI_SWEEP_SWEEP_H

#include "cli/text/options.h"

#include <limits.h>
#include <sys/types.h>

/// Filled by the option table of cmd_sweep.c.
typedef struct sweep_settings {
    cli_common common;
    cli_assignments vary, parameters, solver_settings, local_settings;
    int64_t latin; // samples of a Latin hypercube; 0: a grid
    int64_t seed;  // of the hypercube
    int64_t jobs;
    const char *shard;    // "i/n"; NULL: all rows
    const char *out;      // NULL: out/<scene>_sweep
    double average_from;  // s; INFINITY: the last row of the sensors
    double claim_timeout; // s without a sign of life after which a row is taken over
    // handed on to every run as they are; NULL: the scene's
    const char *law, *solver, *local, *tolerance, *step, *until, *threads, *scene_seed;
    const char *paraview_every;
    bool retry; // rows that failed are run again
    bool json, quiet;
} sweep_settings;

/// Values of all rows, as texts; row-major.
typedef struct sweep_plan {
    base_arena *arena;
    int columns, rows;
    const char **names; // [columns]
    const char **value; // [rows * columns]
} sweep_plan;

static inline const char *sweep_value(const sweep_plan *plan, int row, int column)
{
    return plan->value[(size_t)row * (size_t)plan->columns + (size_t)column];
}

enum { SWEEP_NUMBER_SIZE = 32 };

/// The shortest digits, six at least, that give a number back.
void sweep_print_number(char text[SWEEP_NUMBER_SIZE], double value);

/// Rows from a table with parameter names in its first line.
/// @return CAIRN_ERROR_FILE or CAIRN_ERROR_FORMAT with "file:line: what is wrong"
cairn_status sweep_plan_read(sweep_plan *plan, const char *path,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Rows from ranges and lists, "a:b:n", "a:b:n:log" or "a,b,c": every combination, the last name
/// fastest; or `latin` samples of a Latin hypercube over "a:b", "a:b:log" and lists.
/// @param whole  tells of a parameter that it takes whole numbers alone; samples are rounded then
cairn_status sweep_plan_vary(sweep_plan *plan, const cli_assignments *vary, int64_t latin,
                             int64_t seed, bool (*whole)(const void *context, const char *name),
                             const void *context, cairn_error *error) CAIRN_CHECK_RESULT;
void sweep_plan_release(sweep_plan *plan);

/// What a sweep is of, beside its plan.
typedef struct sweep_subject {
    const char *command; // the scene and the options handed on, one line
    uint64_t files;      // hash of the scene and of the files that it reads
    bool retry;          // rows that failed may be run again with other files
} sweep_subject;

/// Writes FOLDER/plan.csv where there is none; refuses a folder whose plan, command or files are
/// others. @param changed  out: the files are others, and may be
cairn_status sweep_plan_settle(const sweep_plan *plan, const char *folder,
                               const sweep_subject *subject, bool *changed,
                               cairn_error *error) CAIRN_CHECK_RESULT;

/// FOLDER/rows/NNNN.
cairn_status sweep_row_folder(char out[PATH_MAX], const char *folder, int row,
                              cairn_error *error) CAIRN_CHECK_RESULT;

typedef enum sweep_claim {
    SWEEP_CLAIM_TAKEN,  // by this process, from now on
    SWEEP_CLAIM_OTHERS, // somebody who lives runs it
    SWEEP_CLAIM_DONE    // it has a result
} sweep_claim;

/// Waits for the folder's lock, which one process at a time has: FOLDER/lock, for looking at claims
/// and for writing what all share. The system lets go of it when a process ends.
/// @param lock  out: for sweep_unlock; -1 on failure
cairn_status sweep_lock(const char *folder, int *lock, cairn_error *error) CAIRN_CHECK_RESULT;
void sweep_unlock(int lock);

/// Claims a row for this process. The caller has the folder's lock;
/// a claim whose owner is gone (its process on this machine, or no sign of life for `timeout`
/// seconds) is taken over.
/// @param retry  a row whose result is a failure counts as not done
cairn_status sweep_claim_take(const char *folder, int row, double timeout, bool retry,
                              sweep_claim *claim, cairn_error *error) CAIRN_CHECK_RESULT;

/// A sign of life. @return false where the claim is no longer this process's
bool sweep_claim_renew(const char *folder, int row);
void sweep_claim_leave(const char *folder, int row);

/// What a row came to: names and values of the table's columns.
typedef struct sweep_result {
    const char *status;  // "done", "failed"
    const char *message; // "" for none
} sweep_result;

/// Writes FOLDER/rows/NNNN/row.csv from the run's files.
/// @param message  of a run that failed
cairn_status sweep_result_write(const sweep_plan *plan, const char *folder, int row,
                                double average_from, const sweep_result *result,
                                cairn_error *error) CAIRN_CHECK_RESULT;

/// Numbers of rows that are done and that failed.
typedef struct sweep_counts {
    int done, failed;
} sweep_counts;

/// Merges the rows that are done into FOLDER/table.csv, in the order of the plan.
cairn_status sweep_table_write(const sweep_plan *plan, const char *folder, sweep_counts *counts,
                               cairn_error *error) CAIRN_CHECK_RESULT;

#endif
