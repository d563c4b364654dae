// SPDX-License-Identifier: Apache-2.0
// Distance (GJK) and penetration (EPA) of two convex cores, radii left out.
#ifndef CAIRN_GEOMETRY_NARROW_GJK_H
#define CAIRN_GEOMETRY_NARROW_GJK_H

#include "geometry/narrow/core.h"

typedef enum geo_gjk_state {
    GEO_GJK_BEYOND,    // farther apart than the limit; only `normal` is set, a separating axis
    GEO_GJK_SEPARATED, // distance, normal and points are those of the closest points
    GEO_GJK_OVERLAP    // the cores touch or overlap (to round-off); only a simplex is set
} geo_gjk_state;

/// Corner of a simplex in the difference A - B.
typedef struct geo_gjk_vertex {
    vec3 w, a, b; // w = a - b
    int ia, ib;   // vertices of the cores, -1 on a cylinder
} geo_gjk_vertex;

typedef struct geo_gjk_result {
    geo_gjk_state state;
    double distance; // m
    vec3 normal;     // unit, from A to B
    vec3 point_a, point_b;
    int count; // of the simplex that holds the closest points, or 4 corners around the origin, or 0
    geo_gjk_vertex simplex[4];
} geo_gjk_result;

/// Distance of two cores by the Gilbert-Johnson-Keerthi algorithm (1988), with the closest point of
/// a simplex found by its Voronoi regions. Ends to round-off on polytopes; on cylinders when upper
/// and lower bound agree to 1e-13 of the coordinates, or after a fixed number of steps.
/// @param limit  m; the search stops as soon as the distance is known to be larger
void geo_gjk(const geo_core *a, const geo_core *b, double limit, geo_gjk_result *result);

typedef struct geo_epa_result {
    double depth;          // m, > 0 overlapping; smallest translation that separates the cores
    vec3 normal;           // unit, from A to B
    vec3 point_a, point_b; // deepest points of A and B along the normal
    int ia, ib;            // their vertices, -1 on a cylinder
} geo_epa_result;

/// Penetration by the expanding polytope algorithm (van den Bergen 2001), started from a simplex of
/// support points that need not hold the origin: also right for touching cores (depth near 0, of
/// either sign). The difference A - B must have volume; false if it has none to round-off. Exact on
/// flat and vertex contacts; on curved ones the search ends after a fixed number of points with a
/// direction that geo_closest_find refines.
bool geo_epa(const geo_core *a, const geo_core *b, geo_epa_result *result);

#endif
