// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of a first-order solver: tests, best point, history, limits.
#ifndef CAIRN_CONTACT_LITERATURE_SEARCH_H
#define CAIRN_CONTACT_LITERATURE_SEARCH_H

#include "contact/problem/operator.h"
#include "contact/solvers/solver.h"

/// One solve. Iterations (the solver's unit of work: about one product with W) are counted in
/// report->iterations by con_search_count.
typedef struct con_search {
    con_operator op;
    const con_problem *problem;
    const con_control *control;
    con_report *report;
    base_arena *arena;
    double (*R)[3];                      // the caller's
    double (*point_R)[3], (*point_U)[3]; // scratch, in the problem's units
    double (*best)[3];                   // in the problem's units
    double best_error; // in the sense of con_control_error; INFINITY before the first test
    double deadline;   // clock; INFINITY for none
    int limit;         // of iterations
} con_search;

/// Builds the operator and brings the guess, projected on the cones, into its units.
/// @param default_limit  of iterations, where the control has none
/// @param r              [n][3] out
cairn_status con_search_begin(con_search *search, const con_problem *problem,
                              const con_control *control, int default_limit, double (*R)[3],
                              con_report *report, base_arena *arena,
                              double (**r)[3]) CAIRN_CHECK_RESULT;

/// Error of a point in the sense of con_control_error; keeps the best point, notes the history.
/// @param r, u  [n][3] in the operator's units, u = W r + q
/// @return NaN for a point that is not finite
double con_search_test(con_search *search, const double (*r)[3], const double (*u)[3]);

bool con_search_solved(const con_search *search);

/// Counts one iteration. @return false when it may not be made: limit or deadline reached
bool con_search_count(con_search *search);

/// Out of iterations or time.
bool con_search_late(const con_search *search);

/// Best point into R, and why the solver stopped.
/// @param failed  the last point was not finite
void con_search_finish(con_search *search, bool failed);

#endif
