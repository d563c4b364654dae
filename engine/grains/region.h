// SPDX-License-Identifier: Apache-2.0
// Regions of space: what is inside, how deep, random places in them, and what keeps grains inside.
#ifndef CAIRN_ENGINE_GRAINS_REGION_H
#define CAIRN_ENGINE_GRAINS_REGION_H

#include "base/rng.h"
#include "base/vec.h"
#include "geometry/mesh/bounds.h"
#include <cairn/grains.h>

/// @return CAIRN_ERROR_ARGUMENT with what is wrong, CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD
cairn_status eng_region_check(const cairn_world *world, const cairn_region *region,
                              cairn_error *error) CAIRN_CHECK_RESULT;

geo_bounds eng_region_bounds(const cairn_world *world, const cairn_region *region);

/// Distance (m) from a point inside to the boundary; negative outside, where it is no distance.
double eng_region_depth(const cairn_world *world, const cairn_region *region, vec3 point);

/// Whether a point, or an image of it in a periodic cell, is inside at the end of a step.
bool eng_region_holds(const cairn_world *world, const cairn_region *region, vec3 point);

/// Directions in which a box is as long as the periodic cell, whose faces are then no boundary.
void eng_region_wraps(const cairn_world *world, const cairn_region *region, bool wraps[3]);

/// m3
double eng_region_volume(const cairn_world *world, const cairn_region *region);

enum { ENG_REGION_PARTS_MAX = 16 };

/// What the boundary does to a ball inside that reaches through it.
typedef struct eng_region_push {
    vec3 way;       // m, sum of the overlaps along the normals inwards
    double deepest; // m, largest overlap
    int walls;      // parts of the boundary that are touched
    struct {
        vec3 inwards;
        double overlap;           // m
    } part[ENG_REGION_PARTS_MAX]; // the first of them
} eng_region_push;

eng_region_push eng_region_push_in(const cairn_world *world, const cairn_region *region, vec3 point,
                                   double radius);

/// Largest radius of a sphere inside, m, in directions in which the region wraps a quarter of the
/// cell, for no body may be larger than half of it; an upper bound of it for a hull or mesh.
double eng_region_room(const cairn_world *world, const cairn_region *region);

/// A random place at least `depth` inside, but for faces through which it wraps, each as likely as
/// any other.
/// @return false where a hull or mesh has none that a thousand draws find
bool eng_region_draw(const cairn_world *world, const cairn_region *region, double depth,
                     base_rng *rng, vec3 *place);

/// Of the numbers that define it.
uint64_t eng_region_hash(const cairn_region *region, uint64_t hash);

#endif
