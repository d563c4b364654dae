// SPDX-License-Identifier: Apache-2.0
// The one residual that judges every solution.
#ifndef CAIRN_CONTACT_PROBLEM_RESIDUAL_H
#define CAIRN_CONTACT_PROBLEM_RESIDUAL_H

#include "contact/problem/problem.h"

typedef struct con_residual {
    double error;        // theory.md (4.12), Siconos's normalisation: what tolerances are about
    double error_q;      // the same natural map divided by |q| (comparison of 2018)
    double error_scaled; // natural map in velocity units, independent of units, theory.md (4.13)
    double error_joints; // |G v - b| over the size of what it is the difference of, (4.17)
    double natural_map;  // |R - P_K(R - u)|, unscaled
    int worst_contact;   // contact with the largest natural map; -1 for none
} con_residual;

/// The larger of two errors; NaN if one of them is (fmax would drop it).
static inline double con_larger_error(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

/// |w (R - P_K(R - u / w))|^2 of one contact, theory.md (4.13), m2/s2.
/// @param w  trace(W_ii) / 3
double con_scaled_map(double w, const double R[3], const double U[3], double mu);

/// Residual of the Signorini-Coulomb problem: natural map of the De Saxce form, theory.md (4.12).
///   u_i = U_i + mu_i |U_T,i| n,   U = q + W R,   error = |R - P_K(R - u)| / max(|q|, |R|, |U|)
///   error_scaled = |w_i (R_i - P_K(R_i - u_i / w_i))| / |q|,   w_i = trace(W_ii) / 3
/// (not divided where the maximum is below DBL_EPSILON).
/// With joints W and q are the reduced ones, (4.15)-(4.16), and U is that of the jointed bodies.
/// @param problem   borrowed
/// @param R         [n][3] N s, contact frame; read only
/// @param U         [n][3] m/s, out; must not alias R
/// @param residual  out, dimensionless; zeros for no contacts
/// @param arena     scratch; rewound before return
/// @return CAIRN_OK; CAIRN_ERROR_NONFINITE (errors = NaN) when an input is not finite;
///         CAIRN_ERROR_MEMORY
/// Source: De Saxce & Feng 1998; Siconos's normalisation. Tests: tests/unit/contact/test_residual.c
cairn_status con_residual_compute(const con_problem *problem, const double (*R)[3], double (*U)[3],
                                  con_residual *residual, base_arena *arena) CAIRN_CHECK_RESULT;

/// The same for velocities that the caller has, and a problem without joints.
/// @param U  [n][3] W R + q
/// @return CAIRN_OK or CAIRN_ERROR_NONFINITE
cairn_status con_residual_of(const con_problem *problem, const double (*R)[3], const double (*U)[3],
                             con_residual *residual) CAIRN_CHECK_RESULT;

#endif
