// SPDX-License-Identifier: Apache-2.0
// Steps on the way from points to a convex polyhedron; used by polyhedron.c alone.
#ifndef CAIRN_GEOMETRY_SHAPE_HULL_H
#define CAIRN_GEOMETRY_SHAPE_HULL_H

#include "base/memory.h"
#include "base/vec.h"

/// Points moved and scaled into a box of size one, points closer than the weld distance taken as
/// one (the one given first), in the order given.
typedef struct geo_hull_points {
    int count;
    vec3 *scaled; // [count]
    int *origin;  // [count] index of the point as given
    vec3 centre;  // m, of the box of the points
    double size;  // m, longest side of that box
} geo_hull_points;

/// Distance, relative to the size, below which points are one and facets are coplanar. Coordinates
/// that went through single precision (STL) are off by up to 6e-8.
#define GEO_HULL_TOLERANCE 2e-7

/// Checks and prepares points; fewer than four, flat or not finite ones are errors.
cairn_status geo_hull_points_prepare(base_arena *scratch, const vec3 *points, int count,
                                     geo_hull_points *out, cairn_error *error) CAIRN_CHECK_RESULT;

/// Triangulated convex hull.
typedef struct geo_hull_triangles {
    int count;
    int (*corners)[3]; // [count] counter-clockwise seen from outside
} geo_hull_triangles;

/// Hull by Qhull. Its input is moved by about 1e-9 at random (with a fixed seed), so that the
/// result is a closed surface of triangles for any input; flat spots come out as facets that are
/// coplanar to that accuracy.
cairn_status geo_hull_triangulate(const base_allocator *allocator, base_arena *scratch,
                                  const geo_hull_points *points, geo_hull_triangles *out,
                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// Polygons made of coplanar triangles.
typedef struct geo_hull_faces {
    int count;
    int *start;    // [count + 1] into vertices
    int *vertices; // [start[count]] counter-clockwise, each face from its lowest index on; faces in
                   // ascending order of their vertices
} geo_hull_faces;

/// Joins neighbouring triangles whose corners lie within `tolerance` of one plane and drops corners
/// that then have fewer than three faces.
/// @param valid  out, false when the polygons do not make a convex closed surface (the tolerance
///               was too large for this hull)
cairn_status geo_hull_merge(base_arena *scratch, const geo_hull_points *points,
                            const geo_hull_triangles *triangles, double tolerance,
                            geo_hull_faces *out, bool *valid) CAIRN_CHECK_RESULT;

#endif
