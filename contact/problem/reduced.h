// SPDX-License-Identifier: Apache-2.0
// Joints eliminated from a problem: what solvers read of one that has them.
#ifndef CAIRN_CONTACT_PROBLEM_REDUCED_H
#define CAIRN_CONTACT_PROBLEM_REDUCED_H

#include "contact/problem/joint_factors.h"
#include "contact/problem/residual.h"

/// The contacts of a problem whose joints have been eliminated, theory.md (4.15)-(4.16):
///     U = W R + q,   W = H (M^-1 - M^-1 G^T S^+ G M^-1) H^T,   q = H v_p + w
/// with v_p the velocities nearest to v_free that satisfy the joints. Contacts of one cluster of
/// joints all act on each other. A direction in which the joints leave less than 1e-12 of what the
/// free bodies would yield counts as unyielding: its row and column of W are zero.
///
/// solvers.md (S.22). What solvers get is a problem in body form whose q and W_diagonal are the
/// reduced ones. W falls apart: clusters have their contacts' couplings as blocks, and bodies
/// without joints remain bodies,
///     W = C + H_0 M^-1 H_0^T,
/// for solvers that go from contact to contact; Newton matrices have the joints as rows of bodies.
typedef struct con_reduction {
    con_problem problem;        // body form; its `reduction` is this struct, which must not move
    const con_problem *jointed; // borrowed
    con_joint_factors *factors;
    int (*unjointed)[2];       // [n] bodies of contacts, -1 for those with joints
    int (*together)[2];        // [n] the same, one body for each cluster
    const con_block_matrix *C; // [n] rows; a zero diagonal block alone where no cluster is touched
    double (*v)[6];            // [body_count] scratch
    double (*q)[3];            // [n] of `problem`, as its writer
} con_reduction;

/// @param problem  body form with joints, borrowed as long as the reduction is used
/// @param arena    owns the reduction
/// @return CAIRN_ERROR_ARGUMENT without bodies; CAIRN_ERROR_UNSUPPORTED with rates;
///         CAIRN_ERROR_NONFINITE;
///         CAIRN_ERROR_MEMORY, also where W would have more than 2^31 blocks
/// Tests: tests/unit/contact/test_joints.c, test_jointed_solvers.c
cairn_status con_reduce_joints(const con_problem *problem, base_arena *arena,
                               con_reduction *reduction) CAIRN_CHECK_RESULT;

/// Follows right sides that have changed since in the arrays of the jointed problem: b, v_free and
/// w. Rows, bodies, contacts and compliances must be what they were: the factors stay.
/// @return CAIRN_ERROR_NONFINITE
cairn_status con_reduction_update(con_reduction *reduction) CAIRN_CHECK_RESULT;

/// The same in W form: all of W, for those that need it.
/// @param out  borrows from reduction and arena
cairn_status con_reduction_delassus(con_reduction *reduction, base_arena *arena,
                                    con_problem *out) CAIRN_CHECK_RESULT;

/// Does a contact touch a body with joints?
static inline bool con_reduction_touches(const con_reduction *reduction, int contact)
{
    const int *unjointed = reduction->unjointed[contact], *body = reduction->jointed->body[contact];
    return unjointed[0] != body[0] || unjointed[1] != body[1];
}

/// Bodies of contacts as solvers that take contact after contact see them.
static inline const int (*con_unjointed_bodies(const con_problem *problem))[2]
{
    return problem->reduction != NULL ? (const int(*)[2])problem->reduction->unjointed
                                      : problem->body;
}

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
