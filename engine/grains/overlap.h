// SPDX-License-Identifier: Apache-2.0
// Volume that shapes and regions have in common.
#ifndef CAIRN_ENGINE_GRAINS_OVERLAP_H
#define CAIRN_ENGINE_GRAINS_OVERLAP_H

#include "engine/grains/region.h"
#include "engine/space/space.h"

/// Volume of a placed shape within a region, m3: exact, to round-off, of balls in regions of all
/// kinds (to 1e-9 of the ball in a cylinder) and of boxes and polyhedra without rounding in boxes,
/// hulls and balls; of everything else to 3e-3 of the shape's volume, where a part
/// of it is outside, by chords along z. Members of a compound that overlap count once there.
/// Tests: tests/unit/engine/actions/test_overlap.c
double eng_region_part(const cairn_world *world, const cairn_region *region, const geo_shape *shape,
                       const pose *place);

/// The same of a body with all its images in a periodic cell, at the end of a step.
/// @param window  of the region's bounds, with the lattice of now
double eng_region_part_of_body(const cairn_world *world, const cairn_region *region,
                               const eng_window *window, int body);

/// cairn_world_measure without what needs memory, unless there is some: contacts of each body are
/// then counted in `contacts` [bodies], zeros at first.
cairn_status eng_measure(const cairn_world *world, const cairn_region *region, int *contacts,
                         cairn_measure *measure, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
