// SPDX-License-Identifier: Apache-2.0
// Interior point on one island for a frozen slip: the convex cone program of solvers.md (S.6).
#ifndef CAIRN_CONTACT_LITERATURE_CONVEX_INTERIOR_H
#define CAIRN_CONTACT_LITERATURE_CONVEX_INTERIOR_H

#include "contact/cones/soc.h"
#include "contact/solvers/newton/newton.h"

/// Primal-dual method for u = W r + q + s e_N, K* contains u orthogonal to r in K, with
/// Nesterov-Todd scaling and Mehrotra's predictor and corrector. Made once for an island, in arena
/// memory; used for many s. All in the units of the island.
typedef struct con_convex_interior {
    con_newton *newton;
    double *mu;              // [n] not below 1e-7
    double *s;               // [n] frozen slip, >= 0; the caller's to write
    double (*r)[3], (*u)[3]; // out: reaction and velocity, u with s
    double error;            // out: natural map of the program, relative
    int max_steps;
    // scratch
    con_soc_scaling *scaling;
    double (*A)[3][3], (*B)[3][3];
    double (*p)[3], (*z)[3], (*rhs)[3], (*dy)[3], (*W_dr)[3];
} con_convex_interior;

cairn_status con_convex_interior_create(con_newton *newton, base_arena *arena,
                                        con_convex_interior *method) CAIRN_CHECK_RESULT;

/// Solves the program from a cold start until its error is at most `tolerance`. Every iterate is
/// offered to the island as a solution of the law; con_newton_solved ends the run.
cairn_status con_convex_interior_run(con_convex_interior *method,
                                     double tolerance) CAIRN_CHECK_RESULT;

/// Change of mu |u_T| with s at the last iterate: out = F'(s) ds, by its factors.
/// @param ds, out  [n]
void con_convex_interior_derivative(con_convex_interior *method, const double *ds, double *out);

#endif
