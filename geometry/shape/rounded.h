// SPDX-License-Identifier: Apache-2.0
// Rounded polyhedra: a polyhedron, the core, swept by a ball.
#ifndef CAIRN_GEOMETRY_SHAPE_ROUNDED_H
#define CAIRN_GEOMETRY_SHAPE_ROUNDED_H

#include "geometry/shape/plain.h"

/// Volume integrals of a polyhedron swept by a ball, exact: the core, slabs on its faces, wedges of
/// cylinders along its edges, sectors of balls at its vertices. The volume is Steiner's.
/// @param rounding  m, >= 0
geo_mass geo_mass_of_rounded(const geo_polyhedron *core, double rounding);

/// Farthest point along a direction, by that of the core.
static inline vec3 geo_rounded_support(vec3 corner, double rounding, vec3 direction)
{
    if (!(rounding > 0.0))
        return corner;
    return vec3_add_scaled(corner, rounding, geo_direction_unit(direction, vec3_make(0, 0, 1)));
}

/// Triangles of a rounded surface with the normals at their corners.
typedef struct geo_rounded_surface {
    int point_count, triangle_count;
    vec3 *points;        // [point_count] m, shape frame
    vec3 *normals;       // [point_count] unit, outward
    int (*triangles)[3]; // [triangle_count] counter-clockwise seen from outside
} geo_rounded_surface;

/// The surface of a box or polyhedron with a rounding above 0; no edge turns by more than an eighth
/// of a right angle at an arc.
/// @return CAIRN_OK or CAIRN_ERROR_MEMORY, with which the surface is empty
/// Tests: tests/unit/geometry/test_rounded.c
cairn_status geo_rounded_surface_make(const base_allocator *allocator, const geo_shape *shape,
                                      geo_rounded_surface *surface) CAIRN_CHECK_RESULT;

void geo_rounded_surface_release(const base_allocator *allocator, geo_rounded_surface *surface);

#endif
