// SPDX-License-Identifier: Apache-2.0
// Joints eliminated from a problem: what solvers read of one that has them.
#ifndef CAIRN_CONTACT_REDUCED_H
#define CAIRN_CONTACT_REDUCED_H

#include "contact/joint_factors.h"
#include "contact/residual.h"

/// The contacts of a problem whose joints have been eliminated, theory.md (4.15)-(4.16):
///     U = W R + q,   W = H (M^-1 - M^-1 G^T S^+ G M^-1) H^T,   q = H v_p + w
/// with v_p the velocities nearest to v_free that satisfy the joints. Contacts of one cluster of
/// joints all act on each other. A direction in which the joints leave less than 1e-12 of what the
/// free bodies would yield counts as unyielding: its row and column of W are zero.
typedef struct con_reduction {
    con_problem problem;        // W form: q, friction, W_diagonal, W
    const con_problem *jointed; // borrowed
    con_joint_factors *factors;
    double (*v)[6]; // [body_count] scratch
} con_reduction;

/// @param problem  body form with joints, borrowed as long as the reduction is used
/// @param arena    owns the reduction
/// @return CAIRN_ERROR_ARGUMENT without bodies; CAIRN_ERROR_NONFINITE;
///         CAIRN_ERROR_MEMORY, also where W would have more than 2^31 blocks
/// Tests: tests/unit/contact/test_joints.c, test_jointed_solvers.c
cairn_status con_reduce_joints(const con_problem *problem, base_arena *arena,
                               con_reduction *reduction) CAIRN_CHECK_RESULT;

/// U of impulses R through the bodies and joints, W not asked.
/// @param R  [n][3]
/// @param U  [n][3] out
/// @param l  [rows] out; may be NULL
/// @return error of the joints as con_joint_factors_solve
double con_reduction_velocity(con_reduction *reduction, const double (*R)[3], double (*U)[3],
                              double *l);

/// con_residual_compute of the jointed problem.
cairn_status con_reduction_residual(con_reduction *reduction, const double (*R)[3], double (*U)[3],
                                    double *l, con_residual *residual) CAIRN_CHECK_RESULT;

#endif
