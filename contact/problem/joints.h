// SPDX-License-Identifier: Apache-2.0
// Joints: factors of G M^-1 G^T, and velocities brought to G v = b.
#ifndef CAIRN_CONTACT_PROBLEM_JOINTS_H
#define CAIRN_CONTACT_PROBLEM_JOINTS_H

#include "contact/problem/problem.h"

/// Factors of S = G M^-1 G^T, rows scaled to a unit diagonal, with a small multiple of the identity
/// added, in a fill-reducing order: chains and trees cost what their length is. Solves are refined,
/// so that neither the added term nor rows that depend on one another show in v.
/// Holds scratch: one call at a time.
typedef struct con_joint_factors con_joint_factors;

/// @param joints        borrowed as long as the factors are used (but see con_joint_factors_solve)
/// @param mass_inverse  [body_count] diagonal of M^-1 >= 0, borrowed likewise
/// @param arena         owns the factors; borrowed for the arrays
/// @return CAIRN_ERROR_NONFINITE when an input is not finite; CAIRN_ERROR_MEMORY
/// Tests: tests/unit/contact/test_joints.c
cairn_status con_joints_factor(const con_joints *joints, int body_count,
                               const double (*mass_inverse)[6], base_arena *arena,
                               con_joint_factors **factors) CAIRN_CHECK_RESULT;

/// v = v_free + M^-1 G^T l with G v = b: the v nearest to v_free in the norm of M. Where rows that
/// depend on one another contradict each other, b is met as well as can be (least squares).
/// @param b       [rows] NULL: those of the joints. Other right sides with the same factors cost
///                a solve each.
/// @param v_free  [body_count][6]; may be v
/// @param v       [body_count][6] out; bodies without joints are copied
/// @param l       [rows] N s (N m s for rotations) out; may be NULL
/// @return |G v - b| of scaled rows over the size of its terms, theory.md (4.17); NaN when an input
///         is not finite
double con_joint_factors_solve(con_joint_factors *factors, const double *b,
                               const double (*v_free)[6], double (*v)[6], double *l);

/// The same for those who look at G v - b by themselves.
/// @param refined  else one turn, which leaves a small part of it
/// @param b        [rows] not NULL
void con_joint_factors_apply(con_joint_factors *factors, bool refined, const double *b,
                             const double (*v_free)[6], double (*v)[6], double *l);

/// Both at once, for one right side: a step or a correction of positions without contacts.
/// @param error  out, as above; may be NULL
/// @param arena  scratch; rewound before return
cairn_status con_joints_solve(const con_joints *joints, int body_count,
                              const double (*mass_inverse)[6], const double (*v_free)[6],
                              double (*v)[6], double *l, double *error,
                              base_arena *arena) CAIRN_CHECK_RESULT;

/// v = v_free + M^-1 (H^T R + G^T l) of a problem, with l found so that G v = b: what follows from
/// the impulses of the contacts. Without joints con_apply_impulses.
/// @param l      [rows] out; may be NULL
/// @param arena  scratch; rewound before return
cairn_status con_joints_apply(const con_problem *problem, const double (*R)[3], double (*v)[6],
                              double *l, double *error, base_arena *arena) CAIRN_CHECK_RESULT;

#endif
