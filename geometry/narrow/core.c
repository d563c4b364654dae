// SPDX-License-Identifier: Apache-2.0
// Convex cores: views of shapes, support points, features.
#include "geometry/narrow/core.h"

#include "base/assert.h"
#include "base/elementary.h"

// box vertex i has coordinate signs by bits 0 (x), 1 (y), 2 (z); faces are -x +x -y +y -z +z; edge
// 4 d + s runs along axis d at the signs s of the two other axes
static const int box_face_start[7] = {0, 4, 8, 12, 16, 20, 24};
static const int box_face_vertices[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                          2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static const int box_edge_vertices[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                             {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const int box_edge_faces[12][2] = {{2, 4}, {3, 4}, {2, 5}, {3, 5}, {0, 4}, {1, 4},
                                          {0, 5}, {1, 5}, {0, 2}, {1, 2}, {0, 3}, {1, 3}};
static const vec3 box_normals[6] = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0},  {0.0, -1.0, 0.0},
                                    {0.0, 1.0, 0.0},  {0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}};

static const int box_face_edges[24] = {8,  6, 10, 4, 5, 11, 7, 9, 0, 9, 2, 8,
                                       10, 3, 11, 1, 4, 1,  5, 0, 2, 7, 3, 6};
static const int box_vertex_start[9] = {0, 3, 6, 9, 12, 15, 18, 21, 24};
static const int box_vertex_faces[24] = {2, 4, 0, 2, 4, 1, 3, 4, 0, 3, 4, 1,
                                         2, 5, 0, 2, 5, 1, 3, 5, 0, 3, 5, 1};

// the two sides of a triangle, and a segment's only edge
static const int triangle_face_start[3] = {0, 3, 6};
static const int triangle_face_vertices[6] = {0, 1, 2, 2, 1, 0};
static const int triangle_edge_vertices[3][2] = {{0, 1}, {1, 2}, {2, 0}};
static const int triangle_edge_faces[3][2] = {{0, 1}, {0, 1}, {0, 1}};
static const int triangle_face_edges[6] = {0, 1, 2, 1, 0, 2};
static const int triangle_vertex_start[4] = {0, 2, 4, 6};
static const int triangle_vertex_faces[6] = {0, 1, 0, 1, 0, 1};

static void init_box(geo_core *core, vec3 half)
{
    core->kind = GEO_CORE_BOX;
    core->half = half;
    for (int i = 0; i < 8; i++)
        core->own_vertices[i] =
            (vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    for (int f = 0; f < 6; f++)
        core->own_offsets[f] = vec3_get(half, f / 2);
    core->vertex_count = 8;
    core->face_count = 6;
    core->edge_count = 12;
    core->vertices = core->own_vertices;
    core->face_normals = box_normals;
    core->face_offsets = core->own_offsets;
    core->face_start = box_face_start;
    core->face_vertices = box_face_vertices;
    core->edge_vertices = box_edge_vertices;
    core->edge_faces = box_edge_faces;
    core->face_edges = box_face_edges;
    core->vertex_start = box_vertex_start;
    core->vertex_faces = box_vertex_faces;
}

static void init_polyhedron(geo_core *core, const geo_polyhedron *poly)
{
    core->kind = GEO_CORE_HULL;
    core->vertex_count = poly->vertex_count;
    core->face_count = poly->face_count;
    core->edge_count = poly->edge_count;
    core->vertices = poly->vertices;
    core->face_normals = poly->face_normals;
    core->face_offsets = poly->face_offsets;
    core->face_start = poly->face_start;
    core->face_vertices = poly->face_vertices;
    core->edge_vertices = (const int(*)[2])poly->edge_vertices;
    core->edge_faces = (const int(*)[2])poly->edge_faces;
    core->neighbor_start = poly->neighbor_start;
    core->neighbors = poly->neighbors;
    core->face_edges = poly->face_edges;
    core->vertex_start = poly->neighbor_start;
    core->vertex_faces = poly->vertex_faces;
}

// a point (one vertex) or a segment along z
static void init_segment(geo_core *core, double half_length, double radius)
{
    core->kind = half_length > 0.0 ? GEO_CORE_SEGMENT : GEO_CORE_POINT;
    core->radius = radius;
    core->half = (vec3){0.0, 0.0, half_length};
    core->own_vertices[0] = (vec3){0.0, 0.0, -half_length};
    core->own_vertices[1] = (vec3){0.0, 0.0, half_length};
    core->vertices = core->own_vertices;
    core->vertex_count = half_length > 0.0 ? 2 : 1;
    core->edge_count = half_length > 0.0 ? 1 : 0;
    core->edge_vertices = box_edge_vertices; // its first edge joins vertices 0 and 1
}

static void clear_features(geo_core *core, const geo_placed *placed)
{
    core->rotation = placed->rotation;
    core->centre = placed->centre;
    core->radius = 0.0;
    core->shape = NULL;
    core->half = (vec3){0.0, 0.0, 0.0};
    core->vertex_count = core->face_count = core->edge_count = 0;
    core->neighbor_start = core->neighbors = NULL;
    core->vertex_codes = core->edge_codes = core->face_codes = NULL;
    core->inner_edges = NULL;
}

void geo_core_init_curved(geo_core *core, const geo_placed *placed)
{
    clear_features(core, placed);
    core->kind = GEO_CORE_CURVED;
    core->shape = placed->shape;
}

void geo_core_init(geo_core *core, const geo_placed *placed)
{
    const geo_shape *shape = placed->shape;
    BASE_ASSERT(geo_kind_is_convex(shape->kind));
    clear_features(core, placed);
    if (shape->kind == GEO_BOX) {
        init_box(core, geo_box_core(&shape->box));
        core->radius = shape->box.rounding;
    } else if (shape->kind == GEO_POLYHEDRON) {
        init_polyhedron(core, &shape->polyhedron);
        core->radius = shape->polyhedron.rounding;
    } else if (shape->kind == GEO_CAPSULE) {
        init_segment(core, shape->capsule.half_length, shape->capsule.radius);
    } else if (shape->kind == GEO_SPHERE) {
        init_segment(core, 0.0, shape->sphere.radius);
    } else if (shape->kind == GEO_CYLINDER) {
        core->kind = GEO_CORE_CYLINDER;
        core->half =
            (vec3){shape->cylinder.radius, shape->cylinder.radius, shape->cylinder.half_length};
    } else {
        geo_core_init_curved(core, placed);
    }
}

void geo_core_init_triangle(geo_core *core, const geo_placed *mesh, const vec3 corners[3])
{
    clear_features(core, mesh);
    core->kind = GEO_CORE_HULL;
    vec3 normal = vec3_cross(vec3_sub(corners[1], corners[0]), vec3_sub(corners[2], corners[0]));
    normal = vec3_normalize_or(normal, (vec3){0.0, 0.0, 1.0});
    for (int i = 0; i < 3; i++)
        core->own_vertices[i] = corners[i];
    core->own_normals[0] = normal;
    core->own_normals[1] = vec3_negate(normal);
    core->own_offsets[0] = vec3_dot(normal, corners[0]);
    core->own_offsets[1] = -core->own_offsets[0];
    core->vertex_count = core->edge_count = 3;
    core->face_count = 2;
    core->vertices = core->own_vertices;
    core->face_normals = core->own_normals;
    core->face_offsets = core->own_offsets;
    core->face_start = triangle_face_start;
    core->face_vertices = triangle_face_vertices;
    core->edge_vertices = triangle_edge_vertices;
    core->edge_faces = triangle_edge_faces;
    core->face_edges = triangle_face_edges;
    core->vertex_start = triangle_vertex_start;
    core->vertex_faces = triangle_vertex_faces;
}

static int support_scan(const geo_core *core, vec3 d)
{
    int best = 0;
    double highest = vec3_dot(core->vertices[0], d);
    for (int i = 1; i < core->vertex_count; i++) {
        double h = vec3_dot(core->vertices[i], d);
        if (h > highest) {
            highest = h;
            best = i;
        }
    }
    return best;
}

// climbs from vertex to higher neighbour; convexity makes the local top the global one
static int support_climb(const geo_core *core, vec3 d)
{
    int at = 0, next = 0;
    double highest = vec3_dot(core->vertices[0], d);
    do {
        at = next;
        for (int k = core->neighbor_start[at]; k < core->neighbor_start[at + 1]; k++) {
            double h = vec3_dot(core->vertices[core->neighbors[k]], d);
            if (h > highest) {
                highest = h;
                next = core->neighbors[k];
            }
        }
    } while (next != at);
    return at;
}

static vec3 support_cylinder(const geo_core *core, vec3 d)
{
    double slope = base_hypot(d.x, d.y);
    double z = d.z < 0.0 ? -core->half.z : core->half.z;
    if (slope <= 0.0)
        return (vec3){0.0, 0.0, z};
    double s = core->half.x / slope;
    return (vec3){s * d.x, s * d.y, z};
}

/// Vertex of a polytope farthest along a direction of its own frame.
static int support_vertex(const geo_core *core, vec3 d)
{
    enum { CLIMB_FROM = 48 };
    if (core->kind == GEO_CORE_BOX)
        return (d.x > 0.0) | (d.y > 0.0) << 1 | (d.z > 0.0) << 2;
    if (core->kind == GEO_CORE_SEGMENT)
        return d.z > 0.0;
    return core->vertex_count >= CLIMB_FROM && core->neighbor_start ? support_climb(core, d)
                                                                    : support_scan(core, d);
}

vec3 geo_core_support_local(const geo_core *core, vec3 direction)
{
    return core->vertices[support_vertex(core, direction)];
}

vec3 geo_core_support(const geo_core *core, vec3 direction, int *vertex)
{
    vec3 d = mat3_apply_transposed(&core->rotation, direction);
    if (core->kind == GEO_CORE_CYLINDER) {
        *vertex = -1;
        return geo_core_apply(core, support_cylinder(core, d));
    }
    if (core->kind == GEO_CORE_CURVED) {
        *vertex = -1;
        return geo_core_apply(core, geo_shape_support(core->shape, d));
    }
    *vertex = support_vertex(core, d);
    return geo_core_vertex(core, *vertex);
}

int geo_core_edge(const geo_core *core, int v0, int v1)
{
    for (int e = 0; e < core->edge_count; e++) {
        const int *v = core->edge_vertices[e];
        if ((v[0] == v0 && v[1] == v1) || (v[0] == v1 && v[1] == v0))
            return e;
    }
    return -1;
}

/// Face around a vertex that lies nearest to a direction of the core's own frame.
static inline int face_around(const geo_core *core, int vertex, vec3 d, double *cosine)
{
    const int *faces = core->vertex_faces, end = core->vertex_start[vertex + 1];
    int best = -1;
    double most = -INFINITY;
    for (int k = core->vertex_start[vertex]; k < end; k++) {
        double c = vec3_dot(core->face_normals[faces[k]], d);
        if (c > most) {
            most = c;
            best = faces[k];
        }
    }
    *cosine = most;
    return best;
}

int geo_core_face_at(const geo_core *core, int vertex, vec3 direction, double *cosine)
{
    *cosine = -INFINITY;
    if (core->face_count == 0)
        return -1;
    return face_around(core, vertex, mat3_apply_transposed(&core->rotation, direction), cosine);
}

int geo_core_face_towards(const geo_core *core, vec3 direction)
{
    double cosine;
    vec3 d = mat3_apply_transposed(&core->rotation, direction);
    return core->face_count == 0 ? -1 : face_around(core, support_vertex(core, d), d, &cosine);
}

uint32_t geo_core_vertex_code(const geo_core *core, int vertex)
{
    return core->vertex_codes ? core->vertex_codes[vertex] : geo_code_vertex(vertex);
}

uint32_t geo_core_edge_code(const geo_core *core, int v0, int v1)
{
    int edge = geo_core_edge(core, v0, v1);
    if (edge < 0)
        return geo_code_edge(core->edge_count + v0);
    return geo_core_code_of_edge(core, edge);
}

uint32_t geo_core_code_of_edge(const geo_core *core, int edge)
{
    return core->edge_codes ? core->edge_codes[edge] : geo_code_edge(edge);
}

uint32_t geo_core_face_code(const geo_core *core, int face)
{
    return core->face_codes ? core->face_codes[face] : geo_code_face(face);
}
