// SPDX-License-Identifier: Apache-2.0
// Collision groups of bodies, and the filter of a program.
#ifndef CAIRN_ENGINE_STATE_FILTER_H
#define CAIRN_ENGINE_STATE_FILTER_H

#include <cairn/cairn.h>

/// Collision groups of all bodies, the default at first; lists of near pairs are made anew.
cairn_status eng_collisions_reserve(cairn_world *world) CAIRN_CHECK_RESULT;

/// Whether groups, masks or the filter keep two bodies from touching.
bool eng_pair_is_filtered(const cairn_world *world, int body_a, int body_b);

#endif
