// SPDX-License-Identifier: Apache-2.0
// What rays meet, and what two placed shapes have in common.
#ifndef CAIRN_GEOMETRY_NARROW_RAY_H
#define CAIRN_GEOMETRY_NARROW_RAY_H

#include "geometry/shape/shape.h"

/// Where a ray enters a shape.
typedef struct geo_ray_hit {
    double distance; // m, from the ray's origin
    vec3 normal;     // unit, of the surface, against the ray
} geo_ray_hit;

/// Meets a placed shape with a ray in world axes. A ray that starts inside a solid enters it at 0,
/// with the normal against the ray; triangles of a mesh are met from both sides, of a solid one
/// from outside, and none of them is missed along a common edge. Not for compounds.
/// @return false, and *hit as it was, where they do not meet
/// Tests: tests/unit/geometry/test_ray.c
bool geo_ray_cast(const geo_shape *shape, const pose *placement, const geo_ray *ray,
                  geo_ray_hit *hit);

/// Whether two placed shapes touch or overlap, to round-off; of a mesh, its triangles, and what is
/// inside where it is solid. `a` is convex, `b` no compound.
/// Tests: tests/unit/geometry/test_ray.c
bool geo_overlap(const geo_shape *a, const pose *placement_a, const geo_shape *b,
                 const pose *placement_b);

#endif
