// SPDX-License-Identifier: Apache-2.0
// What a solver is told, what it reports, and the measure that it compares with the tolerance.
#ifndef CAIRN_CONTACT_SOLVERS_CONTROL_H
#define CAIRN_CONTACT_SOLVERS_CONTROL_H

#include "base/parallel.h"
#include "contact/local/local.h"
#include "contact/problem/residual.h"

/// Why a solver stopped. Limits are not errors.
typedef enum con_stop {
    CON_STOP_SOLVED, // its own measure met the tolerance; the caller certifies
    CON_STOP_ITERATION_LIMIT,
    CON_STOP_TIME_LIMIT,
    CON_STOP_INTERRUPTED, // con_control.stop said so
    CON_STOP_STAGNATED,
    CON_STOP_RUNAWAY,    // impulses grew past CON_GROWTH_MAX: probably there is no solution
    CON_STOP_INFEASIBLE, // shown to have no solution, by a caller who asks con_existence_check
    CON_STOP_FAILED      // breakdown (singular matrix, NaN); R is the best point found
} con_stop;

/// con_residual.growth above which impulses count as running away. Piles of thousands of layers
/// come to 1e5.
#define CON_GROWTH_MAX 1e10

/// What every solver is told.
typedef struct con_control {
    double tolerance;     // on con_residual.error
    bool both_measures;   // demand con_residual.error_q too, and with it error_siconos
    double scaled_weight; // weight of con_residual.error_scaled in what must meet the tolerance;
                          // 0: not asked for
    bool step_of_run;     // the next step tries anew: a long search is not worth its time
    bool divisible;       // and a shorter step is tried in place of this one: still less so
    int max_iterations;   // sweeps, Newton steps...; <= 0: the solver's own default
    double time_limit;    // s of wall clock; <= 0: none
    double cpu_limit;     // s of CPU time, of all threads of the process; <= 0: none
    bool (*stop)(void *context); // asked at every iteration and inside factorisations; NULL: go on
    void *stop_context;
    double cpu_end;         // clock of CPU time at which to stop: set by con_solve from cpu_limit
    double cpu_begin;       // s, wall clock before which it cannot be used up: set like cpu_end
    base_workers *workers;  // may be NULL
    const con_local *local; // one-contact solver for those that need one; NULL: the default
    const void *local_settings; // NULL: its defaults
    double *history;            // [history_capacity] residual history; may be NULL
    int history_capacity;
    double *l; // [rows of the joints] N s, out: impulses of the joints; may be NULL
} con_control;

typedef struct con_report {
    con_stop stop;
    int iterations;
    con_residual residual; // recomputed by con_solve, not the solver's word
    double seconds;        // the solve alone
    int history_count; // entries written to control->history: error after an iteration (or block)
} con_report;

/// Starts the limit on CPU time, of a solve that begins now.
void con_control_begin(con_control *control);

/// The caller wants an end: `stop` says so, or the CPU time is used up.
bool con_control_is_late(const con_control *control);

/// The largest of the errors that a caller demands; what solvers compare with the tolerance.
double con_control_error(const con_control *control, const con_residual *residual);

const char *con_stop_name(con_stop stop); // solved, iteration_limit, ... as in `solve --json`

#endif
