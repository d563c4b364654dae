// SPDX-License-Identifier: Apache-2.0
// Polygons that show a plain shape: exact for polytopes, a fine enough net for round ones.
#ifndef CAIRN_GEOMETRY_SHAPE_SURFACE_H
#define CAIRN_GEOMETRY_SHAPE_SURFACE_H

#include "base/vec.h"

enum {
    GEO_SURFACE_AROUND = 16, // corners of a ring about the z axis
    GEO_SURFACE_RINGS = 10,  // the most
    GEO_SURFACE_VERTICES = GEO_SURFACE_AROUND * GEO_SURFACE_RINGS,
    GEO_SURFACE_POLYGONS = GEO_SURFACE_AROUND * (GEO_SURFACE_RINGS - 1) + 2,
    GEO_SURFACE_CORNERS = 4 * GEO_SURFACE_AROUND * (GEO_SURFACE_RINGS - 1) + 2 * GEO_SURFACE_AROUND
};

typedef struct geo_surface {
    vec3 vertices[GEO_SURFACE_VERTICES]; // m, shape frame
    int vertex_count;
    int ends[GEO_SURFACE_POLYGONS]; // end of each polygon in corners
    int polygon_count;
    int corners[GEO_SURFACE_CORNERS]; // counter-clockwise from outside
    int corner_count;
} geo_surface;

/// Appends a vertex; or a polygon of vertices by their numbers.
void geo_surface_add_vertex(geo_surface *surface, vec3 vertex);
void geo_surface_add_polygon(geo_surface *surface, const int *corners, int count);

/// The surface of revolution about z whose profile has these points (radius, height), bottom to
/// top; both ends are closed by a polygon.
/// @param profile  [rings][2] m, at most GEO_SURFACE_RINGS, radii above 0
void geo_surface_revolve(geo_surface *surface, const double (*profile)[2], int rings);

/// That of a capsule; of a sphere where half_length is 0.
void geo_surface_round(geo_surface *surface, double radius, double half_length);

/// A net of the points of a convex shape that lie farthest along directions all around.
void geo_surface_net(geo_surface *surface, vec3 (*support)(const double *sizes, vec3 direction),
                     const double *sizes);

#endif
