// SPDX-License-Identifier: Apache-2.0
// A collection of contact problems from many runs: rows, problems, the index. Shared by
// cli/collect.
//
// A collection's folder holds `plan.csv` (one line a run), `rows/NNNN/` (the run's own files, a
// `claim` while somebody runs it, `row.csv` with a line for each problem once it is done),
// `problems/` and `index.csv`, which lists all problems but near copies. Plans, claims and the lock
// are those of sweeps, so that several processes may work on one folder.
#ifndef CAIRN_CLI_COLLECT_COLLECT_H
#define CAIRN_CLI_COLLECT_COLLECT_H

#include "cli/sweep/sweep.h"
#include "cli/text/progress.h"

#include <stdio.h>

/// Filled by the option table of cmd_collect.c.
typedef struct collect_settings {
    cli_common common;
    const char *out; // NULL: out/collection
    int64_t most;    // problems of a run
    const char *form;
    double tolerance, cpu_limit; // of the solve that tells how hard a problem is
    double likeness;             // below it two problems are near copies
    double claim_timeout;        // s
    bool retry, json, quiet;
} collect_settings;

enum {
    COLLECT_POINTS = 9, // of each of the two curves of a signature
    COLLECT_SIGNATURE = 2 * COLLECT_POINTS,
    COLLECT_NAME_SIZE = 160,
    COLLECT_TEXT_SIZE = 512,
    COLLECT_MESSAGE_SIZE = 256
};

/// What is known of one problem.
typedef struct collect_problem {
    char name[COLLECT_NAME_SIZE];       // of its file
    char scene[COLLECT_NAME_SIZE];      // name of the scene's file, without folder and .lua
    char parameters[COLLECT_TEXT_SIZE]; // "name=value name=value"
    int step;
    int dimension, contacts, dofs, equalities;
    double friction_minimum, friction_maximum;
    double hyperstaticity; // contact rows a degree of freedom; NaN in local form
    char existence[16];    // verdict of the check, "untested" where it took too long
    char solve[24];        // why the solver stopped
    int iterations;        // of it
    double error;          // recomputed
    double microseconds;   // CPU time of it a contact
    char difficulty[16];   // collect_difficulty
    double signature[COLLECT_SIGNATURE];
} collect_problem;

/// "easy" for at most 100 iterations of `auto` (sweeps alone), "medium" up to 200, "hard" beyond,
/// "open" where it did not solve the problem.
const char *collect_difficulty(bool solved, int iterations);

/// Reads the problem of a run, checks and solves it in a process of its own with limits on time and
/// memory, and writes it to `to` with where it comes from and how hard it is in its texts.
/// @param problem  in: scene, parameters, step; out: the rest
/// @return CAIRN_ERROR_FORMAT with the reason for a problem that cannot be read or written;
///         CAIRN_INTERRUPTED
cairn_status collect_problem_take(const collect_settings *settings, const char *from,
                                  const char *to, collect_problem *problem,
                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// Names and values of a problem in row.csv and, without the signature, in index.csv.
void collect_problem_put_names(bool signature, FILE *out);
void collect_problem_put(const collect_problem *problem, bool signature, FILE *out);

/// A collection being made.
typedef struct collection {
    const collect_settings *settings;
    sweep_plan plan;
    char folder[PATH_MAX], program[PATH_MAX];
    char plan_folder[PATH_MAX]; // scenes beside the plan are found there
    bool *tried;                // [rows] run by this process
    int done, failed;           // rows
    int problems, copies;
    cli_progress progress;
} collection;

/// Runs a claimed row and takes its problems; its row.csv says what it came to.
/// @return CAIRN_INTERRUPTED after a signal: the claim is given back
cairn_status collect_row_run(collection *c, int row, cairn_error *error) CAIRN_CHECK_RESULT;

/// Value of a column of the plan in a row; NULL where there is no such column or nothing in it.
const char *collect_value(const collection *c, int row, const char *name);

/// Looks through the problems of all rows that are done, in the order of the plan: of near copies
/// the first stays, the files of the others are removed. Writes index.csv.
cairn_status collect_index_write(collection *c, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
