// SPDX-License-Identifier: Apache-2.0
// Which value of a world is not finite, and whose it is, for messages.
#ifndef CAIRN_ENGINE_MEASURES_FINITE_H
#define CAIRN_ENGINE_MEASURES_FINITE_H

#include <cairn/cairn.h>

typedef struct eng_label {
    char text[96];
} eng_label;

/// 'body 3 ("name")'.
eng_label eng_body_label(const cairn_world *world, int body);

/// '"name"', or 'body 3' where it has none: for sentences to the user.
eng_label eng_body_title(const cairn_world *world, cairn_body_id body);

/// Looks at every number that the world keeps: bodies, contacts, connectors, joints, energies.
/// @param all  bodies with particle slots too, which the sphere executor watches in its steps
/// @return CAIRN_ERROR_NONFINITE with the first of them in the message; CAIRN_OK where all are
///         finite
cairn_status eng_finite_check(const cairn_world *world, bool all,
                              cairn_error *error) CAIRN_CHECK_RESULT;

/// Why a pass of the step met a value that is not finite: the first one of the state, or else the
/// joint that is farthest from where it should be. @return CAIRN_ERROR_NONFINITE
cairn_status eng_finite_explain(const cairn_world *world, const char *pass, cairn_error *error);

/// Refuses the first body that is larger than half of the periodic cell.
cairn_status eng_cell_check_bodies(const cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// The implicit contact that is not finite, or else the fastest one, which is where overflows
/// begin.
int eng_finite_worst_contact(const cairn_world *world);

#endif
