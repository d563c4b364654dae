// SPDX-License-Identifier: Apache-2.0
// The residual that judges every solution, and the measures made of it.
#ifndef CAIRN_CONTACT_PROBLEM_RESIDUAL_H
#define CAIRN_CONTACT_PROBLEM_RESIDUAL_H

#include "contact/cones/rolling_cone.h"
#include "contact/problem/problem.h"

#include <stdbool.h>

typedef struct con_residual {
    double error;         // theory.md (4.18), free of units: what tolerances are about
    double error_scaled;  // theory.md (4.13), all contacts judged by their velocities
    double error_q;       // natural map with rho = 1 over |q|, (4.11): comparison of 2018
    double error_siconos; // the same over max(|q|, |R|, |U|), (4.12): Siconos's number
    double error_joints;  // |G v - b| over the size of what it is the difference of, (4.17)
    double growth;        // |R| / |q| in the units of (4.18): large where impulses run away
    int worst_contact;    // contact with the largest part of `error`; -1 for none
} con_residual;

/// Squared norms over contacts that the errors are made of. With w_i = trace(W_ii) / 3,
///     e_i = sqrt(w_i) (R_i - P_K(R_i - u_i / w_i)),   u_i = U_i + mu_i |U_T,i| n
/// is the natural map in units where a contact's W_ii is of size one.
typedef struct con_residual_sums {
    double energy;   // |e_i|^2, J
    double velocity; // w_i |e_i|^2, m2/s2
    double rigid;    // natural maps of rigid contacts, m2/s2: those whose bodies cannot yield
    double impulse;  // w_i |R_i|^2, J
    double natural;  // natural map with rho = 1, R, U: left at zero unless asked for
    double R, U;
} con_residual_sums;

/// Sizes that errors are divided by: squared norms of q over all contacts.
typedef struct con_residual_scale {
    double energy;   // |q_i|^2 / w_i over contacts that are not rigid, J
    double velocity; // |q_i|^2, m2/s2
    double rigid;    // kg^-1: a contact with w_i up to this, 1e-14 of the largest, is rigid
} con_residual_scale;

/// One contact.
/// @param w    trace(W_ii) / 3
/// @param raw  with the sums of (4.11) and (4.12)
con_residual_sums con_residual_sums_of(const con_residual_scale *scale, double w, const double R[3],
                                       const double U[3], double mu, bool raw);

/// Block i of a problem: of a contact that resists rolling the force counts for both blocks, in
/// units where the cone is that of (4.21), and the moment for nothing.
con_residual_sums con_residual_sums_at(const con_problem *problem, const con_residual_scale *scale,
                                       const double (*R)[3], const double (*U)[3], int i, bool raw);

/// A contact that resists rolling.
/// @param w     trace(W_ii) / 3 of force and moment
/// @param cone  in the units of R
con_residual_sums con_residual_sums_of_group(const con_residual_scale *scale, const double w[2],
                                             const double (*R)[3], const double (*U)[3],
                                             const con_rolling_cone *cone, bool raw);

void con_residual_sums_add(con_residual_sums *sums, const con_residual_sums *more);

con_residual_scale con_residual_scale_of(const con_problem *problem);

/// Errors from sums, without the joints and the worst contact:
///   error = max(|e|, eps |R|) / |q|, in the units of the sums: U = W R + q is known to the
///   round-off eps of R only, so that impulses that cancel each other prove nothing
con_residual con_residual_from(const con_residual_sums *sums, const con_residual_scale *scale);

/// The larger of two errors; NaN if one of them is (fmax would drop it).
static inline double con_larger_error(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

/// Residual of the Signorini-Coulomb problem in all measures, theory.md (4.10)-(4.13), (4.18).
/// With joints W and q are the reduced ones, (4.15)-(4.16), and U is that of the jointed bodies.
/// @param problem   borrowed
/// @param R         [n][3] N s, contact frame; read only
/// @param U         [n][3] m/s, out; must not alias R
/// @param residual  out, dimensionless; zeros for no contacts
/// @param arena     scratch; rewound before return
/// @return CAIRN_OK; CAIRN_ERROR_NONFINITE (errors = NaN) when an input is not finite;
///         CAIRN_ERROR_MEMORY
/// Source: De Saxce & Feng 1998. Tests: tests/unit/contact/test_residual.c
cairn_status con_residual_compute(const con_problem *problem, const double (*R)[3], double (*U)[3],
                                  con_residual *residual, base_arena *arena) CAIRN_CHECK_RESULT;

/// The same for velocities that the caller has, and a problem without joints.
/// @param U  [n][3] W R + q
/// @return CAIRN_OK or CAIRN_ERROR_NONFINITE
cairn_status con_residual_of(const con_problem *problem, const double (*R)[3], const double (*U)[3],
                             con_residual *residual) CAIRN_CHECK_RESULT;

#endif
