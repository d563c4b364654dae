// SPDX-License-Identifier: Apache-2.0
// Nonsmooth interior-point method on one island.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_INTERIOR_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_INTERIOR_H

#include "contact/solvers/newton/newton.h"

typedef struct con_interior_settings {
    int max_iterations; // factorisations
    double start_scale; // r_N of the start, in units of the island
    int max_restarts;   // with ten times the scale, when the start is slow
    int max_escapes;    // from folds of the central path
    uint64_t seed; // 0: all contacts start alike; else r_N and u_N are scattered by it, each by
                   // a factor exp(x) with x normal of variance 1
} con_interior_settings;

/// Size of the normal reactions of r (root mean square, scaled), within the range of good starts.
double con_interior_start_scale(const con_newton *newton, const double (*r)[3]);

/// Primal-dual method on (u, r) for
///     u = W r + q + mu |u_T| n,   (u_N, mu u_T) o (mu r_N, r_T) = tau e,   tau -> 0,
/// with Nesterov-Todd scaling, Mehrotra's predictor and corrector, and pseudo-transient
/// continuation in s = mu |u_T| where the central path turns back. The best point is in
/// newton->best. Source: Acary, Armand, Nguyen & Shpakovych 2024 for the problem and step rules.
cairn_status con_interior_run(con_newton *newton,
                              const con_interior_settings *settings) CAIRN_CHECK_RESULT;

#endif
