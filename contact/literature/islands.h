// SPDX-License-Identifier: Apache-2.0
// Frame of a Newton solver: sweeps, then every island that they leave unsolved by one method.
#ifndef CAIRN_CONTACT_LITERATURE_ISLANDS_H
#define CAIRN_CONTACT_LITERATURE_ISLANDS_H

#include "contact/solvers/newton/newton.h"

/// Improves one island from model->best. Its arrays go into the model's arena, then it calls
/// con_newton_begin; the frame rewinds the arena afterwards.
/// @param settings  the solver's
typedef cairn_status con_island_method(const void *settings, const con_problem *problem,
                                       con_newton *model);

/// A whole solve. The goal of an island does not count on the size of what other islands bear,
/// which is not known before they are solved.
/// @param sweeps  of Gauss-Seidel before
cairn_status con_islands_solve(con_island_method *method, const void *settings, int sweeps,
                               const con_problem *problem, const con_control *control,
                               double (*R)[3], con_report *report,
                               base_arena *arena) CAIRN_CHECK_RESULT;

#endif
