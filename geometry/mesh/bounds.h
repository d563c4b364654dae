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

/// Whether all of b is within a.
static inline bool geo_bounds_contain(const geo_bounds *a, const geo_bounds *b)
{
    return a->low.x <= b->low.x && a->low.y <= b->low.y && a->low.z <= b->low.z &&
           a->high.x >= b->high.x && a->high.y >= b->high.y && a->high.z >= b->high.z;
}

static inline geo_bounds geo_bounds_inflate(geo_bounds a, double margin)
{
    vec3 m = {margin, margin, margin};
    return (geo_bounds){vec3_sub(a.low, m), vec3_add(a.high, m)};
}

/// How far a coordinate lies outside of a range, m; 0 inside.
static inline double geo_bounds_way_outside(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0.0;
}

/// Squared distance of a point to a box, m^2; 0 inside.
static inline double geo_bounds_squared_distance(const geo_bounds *b, vec3 p)
{
    double x = geo_bounds_way_outside(b->low.x, b->high.x, p.x);
    double y = geo_bounds_way_outside(b->low.y, b->high.y, p.y);
    double z = geo_bounds_way_outside(b->low.z, b->high.z, p.z);
    return x * x + y * y + z * z;
}

/// A ray from a point, as far as its length.
typedef struct geo_ray {
    vec3 origin;
    vec3 direction; // unit
    double length;  // m, may be infinite
} geo_ray;

/// Whether a ray meets a box before `length`. A ray along a face counts as meeting it.
static inline bool geo_bounds_meet_ray(const geo_bounds *b, const geo_ray *ray)
{
    double enter = 0.0, leave = ray->length;
    for (int axis = 0; axis < 3; axis++) {
        double o = vec3_get(ray->origin, axis), d = vec3_get(ray->direction, axis);
        double low = vec3_get(b->low, axis) - o, high = vec3_get(b->high, axis) - o;
        if (d == 0.0) {
            if (low > 0.0 || high < 0.0)
                return false;
            continue;
        }
        double first = (d > 0.0 ? low : high) / d, last = (d > 0.0 ? high : low) / d;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    // divisions round: what touches within that is not lost
    return enter <= leave + 1e-14 * (enter + leave > 0.0 && isfinite(leave) ? enter + leave : 0.0);
}

#endif
