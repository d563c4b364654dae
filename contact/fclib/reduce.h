// SPDX-License-Identifier: Apache-2.0
// Elimination of velocities and multipliers from a file's problem: W and q are what is left.
#ifndef CAIRN_CONTACT_FCLIB_REDUCE_H
#define CAIRN_CONTACT_FCLIB_REDUCE_H

#include "contact/fclib/fclib.h"

/// Local form: W' = W - V R^-1 S, q' = q - V R^-1 s. Global form, with K = [M G; G^T 0]:
/// W' = [H; 0]^T K^-1 [H; 0], q' = w + [H; 0]^T K^-1 [f; -b].
/// @param W, q  out, arena memory; q [dimension nc]. Borrowed from the content where there is
///              nothing to eliminate.
/// @return CAIRN_ERROR_NUMERICAL when R or K is singular
cairn_status con_fclib_reduce(const con_fclib_problem *content, base_arena *arena, con_sparse *W,
                              const double **q, cairn_error *error) CAIRN_CHECK_RESULT;

/// Number of bodies of the body form; 0 where there is none.
/// @param arena  scratch; rewound before return
cairn_status con_fclib_count_bodies(const con_fclib_problem *content, base_arena *arena,
                                    int *count) CAIRN_CHECK_RESULT;

#endif
