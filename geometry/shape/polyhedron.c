// SPDX-License-Identifier: Apache-2.0
// Maker of convex polyhedra from points.
#include "geometry/shape/hull.h"
#include "geometry/shape/rounded.h"
#include "geometry/shape/shape_internal.h"

#include "base/assert.h"

#include <string.h>

static cairn_status find_faces(const base_allocator *allocator, base_arena *scratch,
                               const geo_hull_points *points, geo_hull_faces *faces,
                               cairn_error *error)
{
    // smaller tolerances for hulls so smooth that joining their facets would not stay convex
    static const double tolerances[] = {GEO_HULL_TOLERANCE, 2e-8, 0.0};
    geo_hull_triangles triangles = {0};
    cairn_status status = geo_hull_triangulate(allocator, scratch, points, &triangles, error);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < BASE_COUNT(tolerances); i++) {
        bool valid = false;
        status = geo_hull_merge(scratch, points, &triangles, tolerances[i], faces, &valid);
        if (status != CAIRN_OK)
            return base_fail(error, status, "out of memory for the faces of a polyhedron");
        if (valid)
            return CAIRN_OK;
    }
    return base_fail(error, CAIRN_ERROR_NUMERICAL,
                     "the convex hull of %d points has no consistent faces", points->count);
}

// keeps the points that faces use, in their order, and counts faces' corners in new indices
static bool fill_vertices(geo_shape *shape, base_arena *scratch, const vec3 *given,
                          const geo_hull_points *points, const geo_hull_faces *faces)
{
    geo_polyhedron *p = &shape->polyhedron;
    int corners = faces->start[faces->count];
    int *renamed = base_arena_array(scratch, int, "hull renamed", points->count);
    if (renamed == NULL)
        return false;
    memset(renamed, 0, (size_t)points->count * sizeof *renamed);
    for (int i = 0; i < corners; i++)
        renamed[faces->vertices[i]] = 1;
    for (int i = 0; i < points->count; i++)
        p->vertex_count += renamed[i];
    p->vertices =
        base_allocate(geo_shape_allocator(shape), (size_t)p->vertex_count, sizeof *p->vertices);
    p->face_start =
        base_allocate(geo_shape_allocator(shape), (size_t)faces->count + 1, sizeof(int));
    p->face_vertices = base_allocate(geo_shape_allocator(shape), (size_t)corners, sizeof(int));
    if (p->vertices == NULL || p->face_start == NULL || p->face_vertices == NULL)
        return false;
    for (int i = 0, next = 0; i < points->count; i++)
        if (renamed[i]) {
            p->vertices[next] = given[points->origin[i]];
            renamed[i] = next++;
        }
    p->face_count = faces->count;
    memcpy(p->face_start, faces->start, ((size_t)faces->count + 1) * sizeof(int));
    for (int i = 0; i < corners; i++)
        p->face_vertices[i] = renamed[faces->vertices[i]];
    return true;
}

// normals by the area vector of each polygon; offsets so that no corner lies outside
static bool fill_planes(geo_shape *shape, vec3 centre)
{
    geo_polyhedron *p = &shape->polyhedron;
    size_t count = (size_t)p->face_count;
    p->face_normals = base_allocate(geo_shape_allocator(shape), count, sizeof *p->face_normals);
    p->face_offsets = base_allocate(geo_shape_allocator(shape), count, sizeof *p->face_offsets);
    if (p->face_normals == NULL || p->face_offsets == NULL)
        return false;
    for (int f = 0; f < p->face_count; f++) {
        const int *corner = p->face_vertices + p->face_start[f];
        int corners = p->face_start[f + 1] - p->face_start[f];
        vec3 a = p->vertices[corner[0]], sum = {0.0, 0.0, 0.0};
        for (int k = 1; k + 1 < corners; k++)
            sum = vec3_add(sum, vec3_cross(vec3_sub(p->vertices[corner[k]], a),
                                           vec3_sub(p->vertices[corner[k + 1]], a)));
        vec3 normal = vec3_normalize_or(sum, vec3_sub(a, centre));
        double offset = vec3_dot(normal, a);
        for (int k = 1; k < corners; k++)
            offset = fmax(offset, vec3_dot(normal, p->vertices[corner[k]]));
        p->face_normals[f] = normal;
        p->face_offsets[f] = offset;
    }
    return true;
}

/// Sorted sides of the faces; NULL when out of memory.
static geo_edge_use *sides_of(const geo_polyhedron *p, base_arena *scratch)
{
    int count = p->face_start[p->face_count];
    geo_edge_use *uses = base_arena_array(scratch, geo_edge_use, "hull edges", count);
    if (uses == NULL)
        return NULL;
    for (int f = 0, next = 0; f < p->face_count; f++) {
        int start = p->face_start[f], corners = p->face_start[f + 1] - start;
        for (int k = 0; k < corners; k++)
            uses[next++] = geo_edge_use_make(p->face_vertices[start + k],
                                             p->face_vertices[start + (k + 1) % corners], f, k);
    }
    geo_edge_uses_sort(uses, count);
    return uses;
}

static void add_once(int *list, int *count, int item)
{
    for (int i = 0; i < *count; i++)
        if (list[i] == item)
            return;
    list[(*count)++] = item;
}

/// Faces around each vertex, in the order in which the edges there name them.
/// @param count  [vertex_count] zeros
static void fill_vertex_faces(geo_polyhedron *p, int *count)
{
    for (int e = 0; e < p->edge_count; e++)
        for (int end = 0; end < 2; end++) {
            int vertex = p->edge_vertices[e][end];
            int *faces = p->vertex_faces + p->neighbor_start[vertex];
            add_once(faces, &count[vertex], p->edge_faces[e][0]);
            add_once(faces, &count[vertex], p->edge_faces[e][1]);
        }
}

static bool fill_edges(geo_shape *shape, base_arena *scratch)
{
    geo_polyhedron *p = &shape->polyhedron;
    const base_allocator *allocator = geo_shape_allocator(shape);
    int count = p->face_start[p->face_count];
    geo_edge_use *uses = sides_of(p, scratch);
    size_t edges = (size_t)count / 2;
    p->edge_vertices = base_allocate(allocator, edges, sizeof *p->edge_vertices);
    p->edge_faces = base_allocate(allocator, edges, sizeof *p->edge_faces);
    p->neighbor_start = base_allocate(allocator, (size_t)p->vertex_count + 1, sizeof(int));
    p->neighbors = base_allocate(allocator, (size_t)count, sizeof(int));
    p->face_edges = base_allocate(allocator, (size_t)count, sizeof(int));
    p->vertex_faces = base_allocate(allocator, (size_t)count, sizeof(int));
    int *around = base_arena_array(scratch, int, "hull faces", p->vertex_count);
    if (around == NULL || p->face_edges == NULL || p->vertex_faces == NULL || uses == NULL ||
        p->edge_vertices == NULL || p->edge_faces == NULL || p->neighbor_start == NULL ||
        p->neighbors == NULL)
        return false;
    for (int i = 0; i < count; i += 2) {
        int forward = uses[i].forward ? i : i + 1, e = p->edge_count++;
        p->edge_vertices[e][0] = uses[i].low;
        p->edge_vertices[e][1] = uses[i].high;
        p->edge_faces[e][0] = uses[forward].owner;
        p->edge_faces[e][1] = uses[forward == i ? i + 1 : i].owner;
        for (int k = i; k < i + 2; k++)
            p->face_edges[p->face_start[uses[k].owner] + uses[k].slot] = e;
    }

    // fill neighbors
    for (int e = 0; e < p->edge_count; e++)
        for (int k = 0; k < 2; k++)
            p->neighbor_start[p->edge_vertices[e][k] + 1]++;
    for (int v = 0; v < p->vertex_count; v++)
        p->neighbor_start[v + 1] += p->neighbor_start[v];
    // edges come sorted by (low, high): filling highs' lists first, then lows', keeps each sorted
    for (int k = 1; k >= 0; k--)
        for (int e = 0; e < p->edge_count; e++)
            p->neighbors[p->neighbor_start[p->edge_vertices[e][k]]++] = p->edge_vertices[e][1 - k];
    for (int v = p->vertex_count; v > 0; v--)
        p->neighbor_start[v] = p->neighbor_start[v - 1];
    p->neighbor_start[0] = 0;
    memset(around, 0, (size_t)p->vertex_count * sizeof *around);
    fill_vertex_faces(p, around);
    return true;
}

static void fill_sizes(geo_shape *shape)
{
    const geo_polyhedron *p = &shape->polyhedron;
    for (int v = 0; v < p->vertex_count; v++)
        shape->bounding_radius = fmax(shape->bounding_radius, vec3_norm(p->vertices[v]));
    shape->smallest_size = INFINITY;
    for (int f = 0; f < p->face_count; f++) {
        vec3 deepest = geo_shape_support(shape, vec3_negate(p->face_normals[f]));
        double width = p->face_offsets[f] - vec3_dot(p->face_normals[f], deepest);
        shape->smallest_size = fmin(shape->smallest_size, width);
    }
}

/// All that follows from vertices and faces. @param centre  m, a point inside
static cairn_status fill_from_faces(geo_shape *shape, base_arena *scratch, vec3 centre,
                                    cairn_error *error)
{
    if (!fill_planes(shape, centre) || !fill_edges(shape, scratch))
        return geo_fail_memory(error);
    const geo_polyhedron *p = &shape->polyhedron;
    geo_moments moments = geo_moments_start(p->vertices, p->vertex_count);
    for (int f = 0; f < p->face_count; f++)
        for (int k = p->face_start[f] + 1; k + 1 < p->face_start[f + 1]; k++)
            geo_moments_add_triangle(&moments, p->vertices[p->face_vertices[p->face_start[f]]],
                                     p->vertices[p->face_vertices[k]],
                                     p->vertices[p->face_vertices[k + 1]]);
    shape->polyhedron.mass = geo_mass_from_moments(&moments);
    fill_sizes(shape);
    return CAIRN_OK;
}

static cairn_status fill_shape(geo_shape *shape, base_arena *scratch, const vec3 *given, int count,
                               cairn_error *error)
{
    geo_hull_points points = {0};
    geo_hull_faces faces = {0};
    BASE_TRY(geo_hull_points_prepare(scratch, given, count, &points, error));
    BASE_TRY(find_faces(geo_shape_allocator(shape), scratch, &points, &faces, error));
    if (!fill_vertices(shape, scratch, given, &points, &faces))
        return geo_fail_memory(error);
    return fill_from_faces(shape, scratch, points.centre, error);
}

cairn_status geo_polyhedron_create(const base_allocator *allocator, const vec3 *points, int count,
                                   geo_shape **shape, cairn_error *error)
{
    *shape = NULL;
    geo_shape *made = geo_shape_allocate(allocator, GEO_POLYHEDRON);
    base_arena *scratch = base_arena_create(allocator, 1 << 16);
    cairn_status status = CAIRN_OK;
    if (made == NULL || scratch == NULL)
        status = geo_fail_memory(error);
    else
        status = fill_shape(made, scratch, points, count, error);
    base_arena_destroy(scratch);
    if (status != CAIRN_OK) {
        geo_shape_destroy(made);
        return status;
    }
    return geo_shape_finish(made, shape, error);
}

cairn_status geo_polyhedron_round(geo_shape *shape, double rounding, cairn_error *error)
{
    if (!(rounding >= 0.0 && isfinite(rounding)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "rounding = %g must be at least 0 and finite (m)", rounding);
    if (rounding == 0.0)
        return CAIRN_OK;
    shape->polyhedron.rounding = rounding;
    shape->polyhedron.mass = geo_mass_of_rounded(&shape->polyhedron, rounding);
    shape->bounding_radius += rounding;
    shape->smallest_size += 2.0 * rounding;
    return geo_shape_check_mass(shape, error);
}

/// Whether faces have three corners at least, name vertices alone, and each side is that of two
/// faces, once in each direction.
static bool do_faces_close(const geo_polyhedron *p, const geo_edge_use *uses)
{
    int corners = p->face_start[p->face_count];
    for (int i = 0; i < corners; i += 2)
        if (i + 1 == corners || uses[i].low == uses[i].high || uses[i].low != uses[i + 1].low ||
            uses[i].high != uses[i + 1].high || uses[i].forward == uses[i + 1].forward ||
            (i > 0 && uses[i].low == uses[i - 1].low && uses[i].high == uses[i - 1].high))
            return false;
    return true;
}

static bool are_faces_sound(const vec3 *vertices, int vertex_count, const int *face_start,
                            int face_count, const int *face_vertices)
{
    bool sound = vertex_count > 3 && face_count > 3 && face_start[0] == 0;
    for (int v = 0; v < vertex_count && sound; v++)
        sound = vec3_is_finite(vertices[v]);
    for (int f = 0; f < face_count && sound; f++)
        sound = face_start[f + 1] >= face_start[f] + 3;
    for (int i = 0; sound && i < face_start[face_count]; i++)
        sound = face_vertices[i] >= 0 && face_vertices[i] < vertex_count;
    return sound;
}

static cairn_status fill_given(geo_shape *shape, base_arena *scratch, const vec3 *vertices,
                               const int *face_start, const int *face_vertices, cairn_error *error)
{
    geo_polyhedron *p = &shape->polyhedron;
    const base_allocator *allocator = geo_shape_allocator(shape);
    size_t corners = (size_t)face_start[p->face_count];
    p->vertices = base_allocate(allocator, (size_t)p->vertex_count, sizeof *p->vertices);
    p->face_start = base_allocate(allocator, (size_t)p->face_count + 1, sizeof(int));
    p->face_vertices = base_allocate(allocator, corners, sizeof(int));
    if (p->vertices == NULL || p->face_start == NULL || p->face_vertices == NULL)
        return geo_fail_memory(error);
    memcpy(p->vertices, vertices, (size_t)p->vertex_count * sizeof *vertices);
    memcpy(p->face_start, face_start, ((size_t)p->face_count + 1) * sizeof(int));
    memcpy(p->face_vertices, face_vertices, corners * sizeof(int));
    const geo_edge_use *uses = sides_of(p, scratch);
    if (uses == NULL)
        return geo_fail_memory(error);
    if (!do_faces_close(p, uses))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the faces of a polyhedron do not close");
    vec3 low = vertices[0], high = vertices[0];
    for (int v = 1; v < p->vertex_count; v++) {
        low = vec3_min(low, vertices[v]);
        high = vec3_max(high, vertices[v]);
    }
    return fill_from_faces(shape, scratch, vec3_scale(0.5, vec3_add(low, high)), error);
}

cairn_status geo_polyhedron_create_faces(const base_allocator *allocator, const vec3 *vertices,
                                         int vertex_count, const int *face_start, int face_count,
                                         const int *face_vertices, geo_shape **shape,
                                         cairn_error *error)
{
    *shape = NULL;
    if (!are_faces_sound(vertices, vertex_count, face_start, face_count, face_vertices))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the faces of a polyhedron are not sound");
    geo_shape *made = geo_shape_allocate(allocator, GEO_POLYHEDRON);
    base_arena *scratch = base_arena_create(allocator, 1 << 16);
    cairn_status status = CAIRN_OK;
    if (made == NULL || scratch == NULL) {
        status = geo_fail_memory(error);
    } else {
        made->polyhedron.vertex_count = vertex_count;
        made->polyhedron.face_count = face_count;
        status = fill_given(made, scratch, vertices, face_start, face_vertices, error);
    }
    base_arena_destroy(scratch);
    if (status != CAIRN_OK) {
        geo_shape_destroy(made);
        return status;
    }
    return geo_shape_finish(made, shape, error);
}
