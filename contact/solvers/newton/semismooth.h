// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton method on one island, for any equation F_i(u_i, r_i) = 0 per contact.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_SEMISMOOTH_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_SEMISMOOTH_H

#include "base/settings.h"
#include "contact/solvers/newton/newton.h"

/// Value and an element of the generalised derivative of one contact's equation, in units where r
/// and u are alike (R_i = r_i / sqrt(w_i), U_i = sqrt(w_i) u_i).
typedef struct con_equation {
    double F[3];
    double A[3][3]; // dF/dr
    double B[3][3]; // dF/du
} con_equation;

/// @param rho  step lengths: normal, tangential
typedef void con_equation_map(double mu, const double rho[2], const double u[3], const double r[3],
                              con_equation *out);

/// solvers.md (S.14)-(S.17)
con_equation_map con_equation_alart_curnier;
con_equation_map con_equation_jean_moreau;
con_equation_map con_equation_natural_map;
con_equation_map con_equation_fischer_burmeister;

typedef enum con_line_search {
    CON_LINE_SEARCH_NONE,
    CON_LINE_SEARCH_ARMIJO,
    CON_LINE_SEARCH_GOLDSTEIN_PRICE
} con_line_search;

typedef enum con_rho_rule {
    CON_RHO_SPLIT,   // 1 / W_NN, 1 / largest eigenvalue of W_TT
    CON_RHO_SPECTRAL // 1 / |W_ii| for both
} con_rho_rule;

typedef struct con_semismooth_settings {
    int line_search;       // con_line_search
    int rho_rule;          // con_rho_rule
    double regularisation; // of the Newton matrix at |F| = |q|; shrinks with |F|
    int sweeps;            // Gauss-Seidel sweeps before
} con_semismooth_settings;

/// Work of a method on one island, in arena memory: made once, used for many runs.
typedef struct con_semismooth {
    con_newton *newton;
    con_equation_map *map;
    con_semismooth_settings settings;
    double (*rho)[2];        // [n]
    double (*r)[3], (*u)[3]; // the point, u = W r + q, in the units of the island
    double alpha;            // proximal weight; 0: none
    double (*centre)[3];     // [n] of the proximal term
    con_equation *equation;  // [n] at the point
    double merit;            // |F|^2 / 2
    double damping;          // added to dF/dr in the last step
    // scratch
    double (*dr)[3], (*du)[3], (*rhs)[3], (*known)[3], (*W_known)[3];
    double (*A)[3][3], (*B)[3][3], (*inverse)[3][3];
} con_semismooth;

/// @param problem  whose diagonal blocks give the step lengths
cairn_status con_semismooth_create(con_newton *newton, const con_problem *problem,
                                   con_equation_map *map, const con_semismooth_settings *settings,
                                   base_arena *arena, con_semismooth *method) CAIRN_CHECK_RESULT;

/// Newton steps from method->r until |F| is at most `tolerance` relative to max(|q|, |r|, |u|), or
/// the island is solved in the sense of its goal (when alpha = 0).
/// @param steps  in: most steps; out: steps made
/// @return CAIRN_OK also where it stalls; CAIRN_ERROR_MEMORY
cairn_status con_semismooth_run(con_semismooth *method, double tolerance,
                                int *steps) CAIRN_CHECK_RESULT;

/// |F| / max(|q|, |r|, |u|) at the point.
double con_semismooth_error(const con_semismooth *method);

#endif
