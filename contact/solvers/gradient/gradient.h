// SPDX-License-Identifier: Apache-2.0
// Accelerated gradient steps on an island whose shift follows the slip: no factorisation.
#ifndef CAIRN_CONTACT_SOLVERS_GRADIENT_GRADIENT_H
#define CAIRN_CONTACT_SOLVERS_GRADIENT_GRADIENT_H

#include "contact/solvers/newton/newton.h"

typedef struct con_gradient_settings {
    int max_steps;
    double share;   // of its way to mu |u_T| that the shift goes every five steps, at first
    double slowest; // share below which no other is tried
    int patience;   // steps in which the error must fall by half; after them the share is halved
} con_gradient_settings;

/// Nesterov's method for min 1/2 r'Wr + (q + s e_N)'r over the cones, solvers.md (S.6b), where s
/// follows mu |u_T| while the steps go on; ends where a slower and slower s does not help either.
/// The best point is kept in the island, whose steps are counted. Islands with contacts that resist
/// rolling are left as they are.
/// @param r  [n][3] start
/// @return CAIRN_ERROR_MEMORY
cairn_status con_gradient_run(con_newton *newton, const con_gradient_settings *settings,
                              const double (*r)[3]) CAIRN_CHECK_RESULT;

#endif
