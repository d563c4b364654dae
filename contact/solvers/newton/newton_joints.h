// SPDX-License-Identifier: Apache-2.0
// Joints of one island in Newton's method: rows on the graph of its bodies.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_NEWTON_JOINTS_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_NEWTON_JOINTS_H

#include "contact/linear/block_order.h"
#include "contact/problem/problem.h"

struct con_reduction;

/// solvers.md (S.23). Rows N = G M^-1/2 of unit size, in y = M^1/2 v. Newton's systems are those of
///     K d + N^T l = g,   N d = c,
/// solved by the factors of K + e^-1 N^T N and steps of the proximal method for l, so that rows may
/// depend on one another.
typedef struct con_newton_joints {
    struct con_reduction *reduction;
    int body_count;
    int *body_at; // [body_count] bodies of the problem
    int cluster_count;
    int *cluster; // of the problem's factors
    int joint_count;
    int *start;        // [joint_count + 1] into rows
    int (*body)[2];    // [joint_count] bodies of the island; -1 where immobile
    int (*slot)[2][2]; // [joint_count] entries of the Newton matrix; -1 for none
    double (*N)[2][6]; // [rows]; zero where immobile
    double *l, *c;     // [rows] multipliers and violations of a solve
    double (*root)[6]; // [body_count] square roots of M^-1
} con_newton_joints;

/// Joints of the clusters that the bodies touch. Bodies of clusters that no contact touches are
/// appended.
/// @param body_at     [*body_count] bodies of the island so far
/// @param body_count  in and out
/// @param body_place  number of a body in the island, -1 for others; in and out
/// @param joints      out; NULL where none of the bodies has joints
cairn_status con_newton_joints_create(const con_problem *problem, const int *body_at,
                                      int *body_count, int *body_place, base_arena *arena,
                                      con_newton_joints **joints) CAIRN_CHECK_RESULT;

/// Pairs of bodies that joints connect, for the pattern; `pairs` may be NULL. Returns their number.
size_t con_newton_joints_pairs(const con_newton_joints *joints, int (*pairs)[2]);

/// Entries of the pattern.
void con_newton_joints_find(con_newton_joints *joints, const con_block_pattern *pattern);

/// y = P y
void con_newton_joints_project(con_newton_joints *joints, double (*y)[6]);

/// Adds e^-1 N^T N to the blocks of a Newton matrix.
void con_newton_joints_assemble(const con_newton_joints *joints, double *values);

/// l = 0
void con_newton_joints_begin(con_newton_joints *joints);

/// For one refinement of a solve: right side d += - N^T l + e^-1 N^T c with c = - N v.
void con_newton_joints_load(con_newton_joints *joints, const double *v, double *d);

/// After it: l += e^-1 (N d - c)
void con_newton_joints_update(con_newton_joints *joints, const double *d);

#endif
