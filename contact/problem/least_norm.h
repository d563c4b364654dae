// SPDX-License-Identifier: Apache-2.0
// Of the reactions that give the same velocities, the least.
#ifndef CAIRN_CONTACT_PROBLEM_LEAST_NORM_H
#define CAIRN_CONTACT_PROBLEM_LEAST_NORM_H

#include "contact/problem/problem.h"

/// Where a mechanism grips, reactions are not unique: contacts on both sides of what it holds may
/// be stressed against one another without moving anything. Moves the reactions of sticking
/// contacts in islands with joints towards the least that give the same velocities, within the
/// cones, theory.md (9.14)-(9.15). Other contacts keep theirs, and so do all where the residual
/// would grow above the tolerance.
/// @param problem    with joints, in body form
/// @param tolerance  that the residual was asked to meet
/// @param R, U       [n][3] a solution, in and out
/// @param l          [rows of the joints] N s, in and out
/// @param arena      scratch; rewound before return
/// @return CAIRN_ERROR_MEMORY; CAIRN_ERROR_NONFINITE
/// Tests: tests/physics/test_grip.c
cairn_status con_least_norm(const con_problem *problem, double tolerance, double (*R)[3],
                            double (*U)[3], double *l, base_arena *arena) CAIRN_CHECK_RESULT;

/// Where such contacts slip, their friction goes with their normal reactions, and other shares mean
/// other velocities: what slips between two pads may turn or not. Makes the guess from which a
/// solver finds the motion of an even grip, theory.md (9.16): normals of slipping contacts move as
/// sticking contacts do, with friction in proportion.
/// @param R, U   [n][3] a solution
/// @param guess  [n][3] out, where `moved`
/// @param moved  out: the guess differs from R in more than a thousandth of the friction
/// @return CAIRN_ERROR_MEMORY; CAIRN_ERROR_NONFINITE
/// Tests: tests/physics/test_grip.c
cairn_status con_least_norm_guess(const con_problem *problem, double tolerance,
                                  const double (*R)[3], const double (*U)[3], double (*guess)[3],
                                  bool *moved, base_arena *arena) CAIRN_CHECK_RESULT;

#endif
