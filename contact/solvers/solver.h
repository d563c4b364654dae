// SPDX-License-Identifier: Apache-2.0
// Global solvers: one file each (solver_*.c), one line each in the table of solver.c.
#ifndef CAIRN_CONTACT_SOLVERS_SOLVER_H
#define CAIRN_CONTACT_SOLVERS_SOLVER_H

#include "base/parallel.h"
#include "base/settings.h"
#include "contact/local/local.h"
#include "contact/problem/problem.h"
#include "contact/problem/residual.h"

/// Why a solver stopped. Limits are not errors.
typedef enum con_stop {
    CON_STOP_SOLVED, // its own measure met the tolerance; the caller certifies
    CON_STOP_ITERATION_LIMIT,
    CON_STOP_TIME_LIMIT,
    CON_STOP_STAGNATED,
    CON_STOP_RUNAWAY,    // impulses grew past CON_GROWTH_MAX: probably there is no solution
    CON_STOP_INFEASIBLE, // shown to have no solution, con_existence_check
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
    int max_iterations;   // sweeps, Newton steps...; <= 0: the solver's own default
    double time_limit;    // s of wall clock; <= 0: none
    bool explain; // where no solution was found ask con_existence_check whether there is one
    base_workers *workers;      // may be NULL
    const con_local *local;     // one-contact solver for those that need one; NULL: the default
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

enum {
    CON_NEEDS_DELASSUS = 1, // wants problem->W; con_solve assembles it
    CON_NEEDS_BODIES = 2    // works in body form only
};

typedef struct con_solver {
    const char *name;
    const char *help;
    unsigned needs;
    base_settings_table table;
    /// Improves R. Allocates from the arena alone; keeps no static state.
    /// @param R       [n][3] in: guess, out: best point found
    /// @param report  stop, iterations, history_count are the solver's to fill
    cairn_status (*solve)(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena);
} con_solver;

/// All global solvers, the default first.
const con_solver *const *con_solver_list(int *count);
const con_solver *con_solver_find(const char *name);

enum { CON_SOLVER_SETTINGS_MAX = 512 }; // bytes; every settings struct fits

/// The largest of the errors that a caller demands; what solvers compare with the tolerance.
double con_control_error(const con_control *control, const con_residual *residual);

const char *con_stop_name(con_stop stop); // solved, iteration_limit, ... as in `solve --json`

/// Runs a solver and recomputes the residual of what it returns: a stop of SOLVED whose error is
/// above the tolerance becomes STAGNATED, and a limit hit at an error within the tolerance SOLVED.
/// A problem with joints goes to the solver with the joints eliminated, and may have no contacts.
/// Non-finite input is refused with CAIRN_ERROR_NONFINITE.
/// @param settings  struct of solver->table; NULL: defaults
/// @param R         [n][3] in: guess, out: solution
/// @param U         [n][3] out: velocities of R
cairn_status con_solve(const con_solver *solver, const void *settings, const con_problem *problem,
                       const con_control *control, double (*R)[3], double (*U)[3],
                       con_report *report, base_arena *arena) CAIRN_CHECK_RESULT;

#endif
