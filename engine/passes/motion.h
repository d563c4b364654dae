// SPDX-License-Identifier: Apache-2.0
// Prescribed motions in the step.
#ifndef CAIRN_ENGINE_PASSES_MOTION_H
#define CAIRN_ENGINE_PASSES_MOTION_H

#include <cairn/cairn.h>

/// First half of the step: v becomes its mean velocity and q_mid where it ends. Before block 1.
cairn_status eng_motions_begin(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// Second half: v_free becomes its mean velocity. After block 2.
cairn_status eng_motions_middle(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
