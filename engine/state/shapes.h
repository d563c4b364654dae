// SPDX-License-Identifier: Apache-2.0
// Shapes of a world: how their slots are filled and given up.
#ifndef CAIRN_ENGINE_STATE_SHAPES_H
#define CAIRN_ENGINE_STATE_SHAPES_H

#include "engine/state/world_model.h"
#include "geometry/shape/shape.h"
#include <cairn/cairn.h>

/// Slots up to this many, the new ones without a shape, and room for their ids.
cairn_status eng_shapes_reserve(eng_world_model *model, int slots) CAIRN_CHECK_RESULT;

/// A plain shape in a free slot, whose id is still to be given.
/// @param sizes  [geo_plain_size_count] m
cairn_status eng_shape_make_plain(cairn_world *world, int slot, geo_kind kind,
                                  const double *sizes) CAIRN_CHECK_RESULT;

/// A shape that lies in a block of its own, in a free slot, whose id is still to be given. On
/// failure it stays the caller's.
/// @param members  [members of a compound] ids, copied
cairn_status eng_shape_adopt(cairn_world *world, int slot, geo_shape *shape,
                             const cairn_shape_id *members) CAIRN_CHECK_RESULT;

/// [members] of a compound, as they were given.
const cairn_shape_id *eng_shape_members(const cairn_world *world, int slot);

/// Gives up a shape that no body has.
void eng_shape_drop(cairn_world *world, int index);

#endif
