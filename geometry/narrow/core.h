// SPDX-License-Identifier: Apache-2.0
// Convex cores: what GJK, separating axes and clipping see of a placed convex shape or triangle.
#ifndef CAIRN_GEOMETRY_NARROW_CORE_H
#define CAIRN_GEOMETRY_NARROW_CORE_H

#include "geometry/narrow/narrow.h"

typedef enum geo_core_kind {
    GEO_CORE_POINT,
    GEO_CORE_SEGMENT,
    GEO_CORE_BOX,
    GEO_CORE_HULL, // polyhedron or triangle
    GEO_CORE_CYLINDER,
    GEO_CORE_CURVED // any other convex shape, known by its support function alone
} geo_core_kind;

/// A convex set; the shape is everything within `radius` of it (sphere: point, capsule: segment,
/// rounded box or polyhedron: what is swept).
/// In the core's own frame it is a polytope with the listed features, or curved (no features).
/// A triangle is a polytope with two faces. Holds pointers into itself: a copy
/// borrows from the original.
typedef struct geo_core {
    geo_core_kind kind;
    mat3 rotation; // core frame to working frame
    vec3 centre;
    double radius;
    const geo_shape *shape; // curved: its support function
    vec3 half; // box: half edges; segment: (0, 0, half length); cylinder: (radius, radius, half)
    int vertex_count, face_count, edge_count;
    const vec3 *vertices;          // [vertex_count] core frame
    const vec3 *face_normals;      // [face_count]
    const double *face_offsets;    // [face_count]
    const int *face_start;         // [face_count + 1]
    const int *face_vertices;      // counter-clockwise
    const int (*edge_vertices)[2]; // [edge_count]
    const int (*edge_faces)[2];    // [edge_count]
    const int *neighbor_start;     // [vertex_count + 1], NULL where not worth while
    const int *neighbors;
    // where there are faces
    const int *face_edges;   // [face_start[face_count]] from each corner of a face to the next
    const int *vertex_start; // [vertex_count + 1] into vertex_faces
    const int *vertex_faces; // faces around each vertex
    /// codes of a triangle's features in the mesh, NULL otherwise
    const uint32_t *vertex_codes, *edge_codes, *face_codes;
    const bool *inner_edges; // of a triangle: those within a face of the mesh; NULL otherwise
    vec3 own_vertices[8];
    vec3 own_normals[2];
    double own_offsets[6];
} geo_core;

/// Core of a placed convex shape.
void geo_core_init(geo_core *core, const geo_placed *placed);

/// The same, known by its support function alone whatever its kind.
void geo_core_init_curved(geo_core *core, const geo_placed *placed);

/// Core of a mesh triangle with corners in the mesh's frame. Edge k runs from corner k to k + 1.
void geo_core_init_triangle(geo_core *core, const geo_placed *mesh, const vec3 corners[3]);

/// Point of the core farthest along a working-frame direction (any length, not zero), and its
/// vertex, or -1 on a curved one.
vec3 geo_core_support(const geo_core *core, vec3 direction, int *vertex);

/// The same of a polytope in its own frame.
vec3 geo_core_support_local(const geo_core *core, vec3 direction);

static inline vec3 geo_core_apply(const geo_core *core, vec3 local)
{
    return vec3_add(core->centre, mat3_apply(&core->rotation, local));
}

static inline vec3 geo_core_vertex(const geo_core *core, int vertex)
{
    return geo_core_apply(core, core->vertices[vertex]);
}

/// Edge that joins two vertices, or -1.
int geo_core_edge(const geo_core *core, int v0, int v1);

/// Face around a vertex whose normal lies nearest to a working-frame unit direction, and the cosine
/// between them; -1 if the core has no faces.
int geo_core_face_at(const geo_core *core, int vertex, vec3 direction, double *cosine);

/// The same around the vertex of a polytope that lies farthest along the direction.
int geo_core_face_towards(const geo_core *core, vec3 direction);

/// Codes of features, as keys use them.
uint32_t geo_core_vertex_code(const geo_core *core, int vertex);
uint32_t geo_core_edge_code(const geo_core *core, int v0, int v1);
uint32_t geo_core_code_of_edge(const geo_core *core, int edge);
uint32_t geo_core_face_code(const geo_core *core, int face);

static inline bool geo_core_is_polytope(const geo_core *core)
{
    return core->kind != GEO_CORE_CYLINDER && core->kind != GEO_CORE_CURVED;
}

#endif
