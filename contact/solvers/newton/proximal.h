// SPDX-License-Identifier: Apache-2.0
// Proximal augmented-Lagrangian Newton method on one island.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_PROXIMAL_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_PROXIMAL_H

#include "contact/solvers/newton/newton.h"

/// Which projection makes the reaction of a velocity; both have the same fixed points.
typedef enum con_proximal_form {
    CON_PROXIMAL_ALART_CURNIER, // R_N = (z_N)+, R_T on the disc of radius mu R_N, z = r_k - rho u
    CON_PROXIMAL_DE_SAXCE       // R = P_K(r_k - rho (u + mu |u_T| n))
} con_proximal_form;

typedef struct con_proximal_settings {
    int form;            // con_proximal_form
    double weight;       // c of rho_a = c / (tr W_aa / 3) at the start
    int max_solves;      // linear solves in all
    int max_inner;       // Newton steps for one proximal point
    double inner_factor; // inner tolerance / error
} con_proximal_settings;

/// From r on: r_{k+1} solves u = W r + q, r = projection of r_k - rho u, by a semismooth Newton
/// method; c grows when that is easy and falls when it fails. The best point is in newton->best.
/// @param r  [n][3] start; not changed
cairn_status con_proximal_run(con_newton *newton, const con_proximal_settings *settings,
                              const double (*r)[3]) CAIRN_CHECK_RESULT;

#endif
