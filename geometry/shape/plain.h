// SPDX-License-Identifier: Apache-2.0
// Plain shapes: kinds that at most three sizes make, each a row of functions of those sizes.
#ifndef CAIRN_GEOMETRY_SHAPE_PLAIN_H
#define CAIRN_GEOMETRY_SHAPE_PLAIN_H

#include "geometry/shape/shape.h"
#include "geometry/shape/surface.h"

/// One kind, geometry/shape/NAME.c. `sizes` are those of cairn_shape_size in their order, checked.
typedef struct geo_plain {
    /// m, of the ball about the origin that holds it; INFINITY where none does
    double (*reach)(const double *sizes);
    /// m, of its thinnest part; INFINITY where it has none
    double (*thickness)(const double *sizes);
    /// of density 1; zeros where it has no mass
    geo_mass (*mass)(const double *sizes);
    /// farthest point along a direction of any length; NULL: not convex and bounded
    vec3 (*support)(const double *sizes, vec3 direction);
    /// of the placed shape; NULL: those of its support points
    geo_bounds (*bounds)(const double *sizes, const mat3 *rotation, vec3 position);
    /// polygons that show it; NULL: a net of support points
    void (*surface)(const double *sizes, geo_surface *surface);
} geo_plain;

#define GEO_PLAIN_DECLARE(constant, name, ...) extern const geo_plain geo_plain_##name;
CAIRN_PLAIN_SHAPES(GEO_PLAIN_DECLARE)
#undef GEO_PLAIN_DECLARE

/// By kind.
extern const geo_plain *const geo_plain_kinds[GEO_POLYHEDRON];

/// Sum of cairn_shape_size by kind.
extern const int geo_plain_masks[GEO_POLYHEDRON];

static inline geo_mass geo_mass_centred(double volume, vec3 moments)
{
    return (geo_mass){.volume = volume, .centre = {0}, .inertia = mat3_diagonal(moments)};
}

static inline geo_bounds geo_bounds_about(vec3 centre, vec3 extent)
{
    return (geo_bounds){vec3_sub(centre, extent), vec3_add(centre, extent)};
}

/// Unit vector along a direction of any length; `fallback` for zero.
static inline vec3 geo_direction_unit(vec3 direction, vec3 fallback)
{
    vec3 size = vec3_abs(direction);
    double largest = fmax(size.x, fmax(size.y, size.z));
    if (!(largest > 0.0))
        return fallback;
    // first to the size of one, so that squares neither overflow nor vanish; by division, because
    // the inverse of a denormal length is infinite
    vec3 scaled = {direction.x / largest, direction.y / largest, direction.z / largest};
    return vec3_normalize_or(scaled, fallback);
}

#endif
