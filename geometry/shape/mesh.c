// SPDX-License-Identifier: Apache-2.0
// Maker of triangulated surfaces: checks, adjacency, hierarchy, and mass where closed.
#include "geometry/mesh/bvh.h"
#include "geometry/mesh/faces.h"
#include "geometry/shape/shape_internal.h"

#include <limits.h>
#include <string.h>

static cairn_status check_counts(int vertex_count, int triangle_count, cairn_error *error)
{
    if (vertex_count >= 3 && triangle_count >= 1 && triangle_count <= INT_MAX / 3)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "a mesh of %d vertices and %d triangles needs at least 3 vertices and 1 to %d "
                     "triangles",
                     vertex_count, triangle_count, INT_MAX / 3);
}

static cairn_status check_triangle(const vec3 *vertices, int vertex_count, const int triangle[3],
                                   int number, cairn_error *error)
{
    for (int k = 0; k < 3; k++)
        if (triangle[k] < 0 || triangle[k] >= vertex_count)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "triangle %d of a mesh names vertex %d: it must be in 0 to %d", number,
                             triangle[k], vertex_count - 1);
    vec3 a = vertices[triangle[0]];
    vec3 ab = vec3_sub(vertices[triangle[1]], a), ac = vec3_sub(vertices[triangle[2]], a);
    vec3 bc = vec3_sub(ac, ab);
    double longest = fmax(vec3_norm(ab), fmax(vec3_norm(ac), vec3_norm(bc)));
    // negated, so that an overflow fails too
    if (!(vec3_norm(vec3_cross(ab, ac)) > 1e-12 * longest * longest))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "triangle %d of a mesh (vertices %d %d %d) is degenerate: it has no area",
                         number, triangle[0], triangle[1], triangle[2]);
    return CAIRN_OK;
}

// fills `adjacent`; tells whether each edge has two triangles that run through it in opposite
// directions
static cairn_status fill_adjacency(geo_shape *shape, bool *closed)
{
    geo_mesh *mesh = &shape->mesh;
    int count = 0;
    geo_edge_use *uses =
        base_allocate(geo_shape_allocator(shape), 3 * (size_t)mesh->triangle_count, sizeof *uses);
    if (uses == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            mesh->adjacent[t][k] = -1;
            uses[count++] =
                geo_edge_use_make(mesh->triangles[t][k], mesh->triangles[t][(k + 1) % 3], t, k);
        }
    geo_edge_uses_sort(uses, count);
    *closed = true;
    for (int i = 0, run = 0; i < count; i += run) {
        run = geo_edge_uses_run(uses, count, i);
        const geo_edge_use *a = &uses[i], *b = &uses[i + run - 1];
        *closed = *closed && run == 2 && a->forward != b->forward;
        // an edge of three or more triangles is a border of each
        if (run != 2)
            continue;
        mesh->adjacent[a->owner][a->slot] = b->owner;
        mesh->adjacent[b->owner][b->slot] = a->owner;
    }
    base_release(geo_shape_allocator(shape), uses);
    return CAIRN_OK;
}

static cairn_status fill_faces(geo_shape *shape)
{
    geo_mesh *mesh = &shape->mesh;
    geo_triangles surface = {mesh->vertex_count, mesh->triangle_count, mesh->vertices,
                             (const int(*)[3])mesh->triangles, (const int(*)[3])mesh->adjacent};
    return geo_faces_find(&surface, geo_shape_allocator(shape), mesh->faces, mesh->inner_vertices);
}

static geo_moments surface_moments(const geo_mesh *mesh)
{
    geo_moments moments = geo_moments_start(mesh->vertices, mesh->vertex_count);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *corner = mesh->triangles[t];
        geo_moments_add_triangle(&moments, mesh->vertices[corner[0]], mesh->vertices[corner[1]],
                                 mesh->vertices[corner[2]]);
    }
    return moments;
}

static void fill_closed_mass(geo_shape *shape)
{
    geo_moments moments = surface_moments(&shape->mesh);
    if (moments.volume < 0.0) {
        // the other sense of every triangle, with the same first corner
        for (int t = 0; t < shape->mesh.triangle_count; t++) {
            int *corner = shape->mesh.triangles[t], *adjacent = shape->mesh.adjacent[t];
            int swap = corner[1];
            corner[1] = corner[2];
            corner[2] = swap;
            // sides (0,1) (1,2) (2,0) turn into (0,2) (2,1) (1,0)
            swap = adjacent[0];
            adjacent[0] = adjacent[2];
            adjacent[2] = swap;
        }

        moments = surface_moments(&shape->mesh);
    }
    // two coincident sheets are closed but hold nothing
    double size = 2.0 * shape->bounding_radius;
    if (moments.volume > 1e-15 * size * size * size)
        shape->mesh.mass = geo_mass_from_moments(&moments);
}

static bool build_hierarchy(geo_shape *shape)
{
    geo_mesh *mesh = &shape->mesh;
    geo_bounds *bounds =
        base_allocate(geo_shape_allocator(shape), (size_t)mesh->triangle_count, sizeof *bounds);
    if (bounds == NULL)
        return false;
    for (int t = 0; t < mesh->triangle_count; t++) {
        vec3 a = mesh->vertices[mesh->triangles[t][0]];
        bounds[t] = (geo_bounds){a, a};
        for (int k = 1; k < 3; k++) {
            vec3 p = mesh->vertices[mesh->triangles[t][k]];
            bounds[t] = geo_bounds_merge(bounds[t], (geo_bounds){p, p});
        }
    }
    mesh->bvh = geo_bvh_create(geo_shape_allocator(shape), bounds, mesh->triangle_count);
    base_release(geo_shape_allocator(shape), bounds);
    return mesh->bvh != NULL;
}

static bool copy_arrays(geo_shape *shape, const vec3 *vertices, int vertex_count,
                        const int (*triangles)[3], int triangle_count)
{
    geo_mesh *mesh = &shape->mesh;
    const base_allocator *allocator = geo_shape_allocator(shape);
    mesh->vertices = base_allocate(allocator, (size_t)vertex_count, sizeof *mesh->vertices);
    mesh->triangles = base_allocate(allocator, (size_t)triangle_count, sizeof *mesh->triangles);
    mesh->adjacent = base_allocate(allocator, (size_t)triangle_count, sizeof *mesh->adjacent);
    mesh->faces = base_allocate(allocator, (size_t)triangle_count, sizeof *mesh->faces);
    mesh->inner_vertices = base_allocate(allocator, (size_t)vertex_count, 1);
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->adjacent == NULL ||
        mesh->faces == NULL || mesh->inner_vertices == NULL)
        return false;
    memcpy(mesh->vertices, vertices, (size_t)vertex_count * sizeof *vertices);
    memcpy(mesh->triangles, triangles, (size_t)triangle_count * sizeof *triangles);
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    return true;
}

cairn_status geo_mesh_create(const base_allocator *allocator, const vec3 *vertices,
                             int vertex_count, const int (*triangles)[3], int triangle_count,
                             geo_shape **shape, cairn_error *error)
{
    *shape = NULL;

    // check mesh
    cairn_status status = check_counts(vertex_count, triangle_count, error);
    for (int i = 0; i < vertex_count && status == CAIRN_OK; i++)
        if (!vec3_is_finite(vertices[i]))
            status = base_fail(error, CAIRN_ERROR_ARGUMENT,
                               "vertex %d of a mesh (%g, %g, %g) must be finite", i, vertices[i].x,
                               vertices[i].y, vertices[i].z);
    for (int t = 0; t < triangle_count && status == CAIRN_OK; t++)
        status = check_triangle(vertices, vertex_count, triangles[t], t, error);
    if (status != CAIRN_OK)
        return status;
    bool closed = false;
    geo_shape *made = geo_shape_allocate(allocator, GEO_MESH);
    if (made == NULL || !copy_arrays(made, vertices, vertex_count, triangles, triangle_count) ||
        fill_adjacency(made, &closed) != CAIRN_OK || fill_faces(made) != CAIRN_OK ||
        !build_hierarchy(made)) {
        geo_shape_destroy(made);
        return geo_fail_memory(error);
    }
    made->smallest_size = INFINITY;
    for (int i = 0; i < vertex_count; i++)
        made->bounding_radius = fmax(made->bounding_radius, vec3_norm(vertices[i]));
    if (closed)
        fill_closed_mass(made);
    return geo_shape_finish(made, shape, error);
}

/// How far a point of a triangle's plane lies within it, m; negative outside.
static double way_inside(const geo_mesh *mesh, int triangle, vec3 point)
{
    const int *corner = mesh->triangles[triangle];
    vec3 a = mesh->vertices[corner[0]];
    vec3 normal =
        vec3_cross(vec3_sub(mesh->vertices[corner[1]], a), vec3_sub(mesh->vertices[corner[2]], a));
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        vec3 v = mesh->vertices[corner[k]];
        vec3 edge = vec3_sub(mesh->vertices[corner[(k + 1) % 3]], v);
        vec3 inward = vec3_cross(normal, edge);
        least = fmin(least, vec3_dot(inward, vec3_sub(point, v)) / vec3_norm(inward));
    }
    return least;
}

typedef struct search {
    const geo_mesh *mesh;
    int face, triangle;
    vec3 point;
    double inside; // m
} search;

static bool try_triangle(void *context, int index)
{
    search *s = context;
    if (s->mesh->faces[index] != s->face)
        return true;
    double inside = way_inside(s->mesh, index, s->point);
    if (inside > s->inside) {
        s->inside = inside;
        s->triangle = index;
    }
    return true;
}

int geo_mesh_triangle_at(const geo_mesh *mesh, int face, vec3 point, double reach, double *inside)
{
    search s = {.mesh = mesh, .face = face, .triangle = -1, .point = point};
    geo_bvh_query_ball(mesh->bvh, point, reach, try_triangle, &s);
    *inside = s.inside;
    return s.triangle;
}
