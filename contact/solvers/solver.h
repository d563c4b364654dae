// SPDX-License-Identifier: Apache-2.0
// Global solvers: a file for each, or for some that are one method; a line each in
// contact/literature/list.c, and in contact/strategy/list.c for those that a step takes.
#ifndef CAIRN_CONTACT_SOLVERS_SOLVER_H
#define CAIRN_CONTACT_SOLVERS_SOLVER_H

#include "base/settings.h"
#include "contact/problem/problem.h"
#include "contact/problem/reduced.h"
#include "contact/solvers/control.h"

enum {
    CON_NEEDS_DELASSUS = 1, // wants problem->W; con_solve assembles it
    CON_NEEDS_BODIES = 2,   // works in body form only
    CON_TAKES_ROLLING = 4,  // takes contacts that resist rolling
    CON_TAKES_RATES = 16,   // takes rates in body form; others get problems with rates in W form
    CON_SHARES = 8,         // several processes may share the problem (problem/team.h)
    CON_KEEPS_BRIEF = 32    // bounds its search by itself where con_control.brief asks for it
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

/// All global solvers of the program, the default first: those of the list that it links.
const con_solver *const *con_solver_list(int *count);
const con_solver *con_solver_find(const char *name);

enum { CON_SOLVER_SETTINGS_MAX = 512 }; // bytes; every settings struct fits

/// Runs a solver and recomputes the residual of what it returns: a stop of SOLVED whose error is
/// above the tolerance becomes STAGNATED, and a limit hit at an error within the tolerance SOLVED.
/// A problem with joints goes to the solver with the joints eliminated, and may have no contacts.
/// Non-finite input is refused with CAIRN_ERROR_NONFINITE, and a problem with contacts that resist
/// rolling with CAIRN_ERROR_UNSUPPORTED where the solver does not take them.
/// @param settings  struct of solver->table; NULL: defaults
/// @param R         [n][3] in: guess, out: solution
/// @param U         [n][3] out: velocities of R
cairn_status con_solve(const con_solver *solver, const void *settings, const con_problem *problem,
                       const con_control *control, double (*R)[3], double (*U)[3],
                       con_report *report, base_arena *arena) CAIRN_CHECK_RESULT;

/// con_solve for a problem whose joints the caller has eliminated, for several solves that differ
/// by right sides alone (con_reduction_update).
/// @param reduction  of the problem to solve; its scratch is used
cairn_status con_solve_reduced(const con_solver *solver, const void *settings,
                               con_reduction *reduction, const con_control *control, double (*R)[3],
                               double (*U)[3], con_report *report,
                               base_arena *arena) CAIRN_CHECK_RESULT;

#endif
