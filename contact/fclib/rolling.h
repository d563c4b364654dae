// SPDX-License-Identifier: Apache-2.0
// Rolling problems between the file's five or six rows a contact and the solvers' two blocks of
// three.
#ifndef CAIRN_CONTACT_FCLIB_ROLLING_H
#define CAIRN_CONTACT_FCLIB_ROLLING_H

#include "contact/fclib/fclib.h"

/// The same problem in rows of 3: block 2 c is the force of contact c, block 2 c + 1 its moment,
/// whose first row, the spinning moment, is zero where the content has five rows. Sizes, matrices,
/// vectors, guesses and solution are those of 2 nc contacts; `friction` has mu and mu_r in turn.
/// @param spinning  out [2 nc]: -1 of a force, mu_s of a moment (con_problem.spinning)
/// @param out       arrays of its own in arena memory, or those of content
cairn_status con_fclib_expand(const con_fclib_problem *content, base_arena *arena,
                              con_fclib_problem *out, const double **spinning) CAIRN_CHECK_RESULT;

/// The way back: content in rows of 3 of a problem whose blocks `spinning` tells apart, to five
/// rows a contact, six where any resists spinning; contacts that do not resist rolling get empty
/// rows and mu_r = mu_s = 0.
cairn_status con_fclib_compress(const con_fclib_problem *content, const double *spinning,
                                base_arena *arena, con_fclib_problem *out,
                                cairn_error *error) CAIRN_CHECK_RESULT;

/// Five or six rows a contact of vectors in blocks of 3.
/// @param dimension  rows a contact
/// @param block      [blocks][3]
/// @param rows       [dimension contacts] out
void con_fclib_gather_rows(int dimension, const double *spinning, int blocks,
                           const double (*block)[3], double *rows);

#endif
