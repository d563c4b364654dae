// SPDX-License-Identifier: Apache-2.0
// Boxes with faces normal to the axes, around shapes and triangles.
#ifndef CAIRN_GEOMETRY_MESH_BOUNDS_H
#define CAIRN_GEOMETRY_MESH_BOUNDS_H

#include "base/vec.h"

/// Axis-aligned bounds.
typedef struct geo_bounds {
    vec3 low, high;
} geo_bounds;

static inline geo_bounds geo_bounds_merge(geo_bounds a, geo_bounds b)
{
    return (geo_bounds){vec3_min(a.low, b.low), vec3_max(a.high, b.high)};
}

static inline bool geo_bounds_overlap(geo_bounds a, geo_bounds b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y &&
           b.low.y <= a.high.y && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

static inline geo_bounds geo_bounds_inflate(geo_bounds a, double margin)
{
    vec3 m = {margin, margin, margin};
    return (geo_bounds){vec3_sub(a.low, m), vec3_add(a.high, m)};
}

#endif
