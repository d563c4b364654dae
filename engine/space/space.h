// SPDX-License-Identifier: Apache-2.0
// Where bodies are: open space or a periodic cell.
#ifndef CAIRN_ENGINE_SPACE_SPACE_H
#define CAIRN_ENGINE_SPACE_SPACE_H

#include "engine/state/world.h"

/// Brings the lattice vectors to the middle of the step.
void eng_cell_begin(cairn_world *world);
/// Those at the middle of a step that begins with `now`; those at the end of the step at hand.
mat3 eng_cell_middle(const eng_cell *cell, const mat3 *now, double step);
mat3 eng_cell_next(const eng_cell *cell);
/// And to its end.
void eng_cell_end(cairn_world *world);

/// The image of a point that lies in the cell as it is now.
vec3 eng_cell_wrap(const cairn_world *world, vec3 point);

/// Brings the broad phase's list up to date, through the faces of the cell; a pair is there once,
/// in the order of colliders.
/// @param listed  [world->listed_count] bounds as the colliders have them
cairn_status eng_space_update(cairn_world *world, const geo_proxy *listed, double skin,
                              bool *rebuilt) CAIRN_CHECK_RESULT;
/// The list: places among the listed colliders, sorted.
/// @return NULL when out of memory
const geo_pair *eng_space_pairs(cairn_world *world, int *count);

#endif
