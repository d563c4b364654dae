// SPDX-License-Identifier: Apache-2.0
// What lies near a place: finds out whether a new grain would overlap anything there.
#ifndef CAIRN_ENGINE_GRAINS_NEAR_H
#define CAIRN_ENGINE_GRAINS_NEAR_H

#include "engine/space/space.h"
#include "geometry/narrow/collide.h"

typedef struct eng_near_item {
    vec3 centre;  // m
    vec3 shift;   // m, of this image against the body
    double reach; // m, of the ball that holds it; INFINITY for a half-space
    int body;
    bool sphere; // is that ball
} eng_near_item;

/// Cells over the bounds of a region; small items are listed in the cells that they touch, the
/// others in a list of their own.
typedef struct eng_near {
    const cairn_world *world;
    geo_bounds bounds;
    eng_window window; // the bounds, for images in a periodic cell
    double inverse;    // 1/m, of the edge of a cell
    int dim[3];
    int *head;            // [dim[0] dim[1] dim[2]] index + 1 of the cell's first entry; 0: none
    int (*entries)[2];    // [entry_count] item, and index + 1 of the cell's next entry
    eng_near_item *items; // [item_count]
    int *wide;            // [wide_count] items that are in no cell
    int entry_count, entry_capacity, item_count, item_capacity, wide_count, wide_capacity;
    geo_manifold manifold; // scratch
} eng_near;

/// Finds the bodies that reach into the bounds, and their images in a periodic cell.
/// @param size  m, of the grains that are to be placed
cairn_status eng_near_begin(eng_near *near, const cairn_world *world, geo_bounds bounds,
                            double size) CAIRN_CHECK_RESULT;
void eng_near_finish(eng_near *near);

/// A body that has just been made there.
cairn_status eng_near_add(eng_near *near, int body) CAIRN_CHECK_RESULT;

/// Whether a shape at a place touches nothing.
/// @param clearance  m, that it keeps to everything
cairn_status eng_near_is_free(eng_near *near, const geo_shape *shape, const pose *place,
                              double clearance, bool *is_free) CAIRN_CHECK_RESULT;

#endif
