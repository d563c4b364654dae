// SPDX-License-Identifier: Apache-2.0
// Joins the coplanar triangles of a hull into polygons.
#include "geometry/shape/hull.h"
#include "geometry/shape/shape_internal.h"

#include <stdlib.h>
#include <string.h>

/// Border between two faces, run through with its face on the left.
typedef struct side {
    int face;
    int from, to;
} side;

typedef struct ranked {
    double area;
    int triangle;
} ranked;

typedef struct merger {
    const vec3 *points;
    int point_count;
    const geo_hull_triangles *triangles;
    double tolerance;
    int (*across)[3]; // [triangle_count] neighbour at side k, k+1
    int *face;        // [triangle_count] face that the triangle belongs to; -1 for none yet
    int face_count;
    ranked *order; // [triangle_count] largest first
    int *stack;    // [triangle_count]
    side *sides;   // [side_count] sorted by (face, from)
    int side_count;
    int *faces_at; // [point_count] number of faces around a point
    geo_edge_use *uses;
    int *loop; // one face while it is turned and sorted
} merger;

static bool allocate_merger(merger *m, base_arena *scratch)
{
    size_t n = (size_t)m->triangles->count;
    m->across = base_arena_allocate(scratch, "hull neighbours", n, sizeof *m->across);
    m->face = base_arena_allocate(scratch, "hull face", n, sizeof *m->face);
    m->order = base_arena_allocate(scratch, "hull order", n, sizeof *m->order);
    m->stack = base_arena_allocate(scratch, "hull stack", n, sizeof *m->stack);
    m->sides = base_arena_allocate(scratch, "hull sides", 3 * n, sizeof *m->sides);
    m->uses = base_arena_allocate(scratch, "hull edges", 3 * n, sizeof *m->uses);
    m->loop = base_arena_allocate(scratch, "hull loop", 3 * n, sizeof *m->loop);
    m->faces_at = base_arena_array(scratch, int, "hull faces at", m->point_count);
    return m->across != NULL && m->face != NULL && m->order != NULL && m->stack != NULL &&
           m->sides != NULL && m->uses != NULL && m->loop != NULL && m->faces_at != NULL;
}

// neighbours across sides; false unless each edge has exactly two triangles that run through it
// in opposite directions
static bool link_triangles(merger *m)
{
    int count = 0;
    for (int t = 0; t < m->triangles->count; t++)
        for (int k = 0; k < 3; k++) {
            const int *corner = m->triangles->corners[t];
            m->uses[count++] = geo_edge_use_make(corner[k], corner[(k + 1) % 3], t, k);
        }
    geo_edge_uses_sort(m->uses, count);
    for (int i = 0; i < count; i += 2) {
        if (geo_edge_uses_run(m->uses, count, i) != 2)
            return false;
        const geo_edge_use *a = &m->uses[i], *b = &m->uses[i + 1];
        if (a->forward == b->forward)
            return false;
        m->across[a->owner][a->slot] = b->owner;
        m->across[b->owner][b->slot] = a->owner;
    }
    return true;
}

static vec3 triangle_area_vector(const merger *m, int t)
{
    const int *corner = m->triangles->corners[t];
    vec3 a = m->points[corner[0]];
    return vec3_cross(vec3_sub(m->points[corner[1]], a), vec3_sub(m->points[corner[2]], a));
}

static int compare_ranked(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->area != b->area)
        return a->area > b->area ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

static bool lies_in_plane(const merger *m, int t, vec3 normal, vec3 on_plane)
{
    for (int k = 0; k < 3; k++) {
        vec3 p = m->points[m->triangles->corners[t][k]];
        if (fabs(vec3_dot(normal, vec3_sub(p, on_plane))) > m->tolerance)
            return false;
    }
    return true;
}

static void grow_face(merger *m, int seed)
{
    vec3 normal = vec3_normalize_or(triangle_area_vector(m, seed), (vec3){0.0, 0.0, 0.0});
    vec3 on_plane = m->points[m->triangles->corners[seed][0]];
    int face = m->face_count++, depth = 0;
    m->face[seed] = face;
    m->stack[depth++] = seed;
    while (depth > 0) {
        int t = m->stack[--depth];
        for (int k = 0; k < 3; k++) {
            int next = m->across[t][k];
            if (m->face[next] >= 0 || !lies_in_plane(m, next, normal, on_plane))
                continue;
            m->face[next] = face;
            m->stack[depth++] = next;
        }
    }
}

static int compare_sides(const void *left, const void *right)
{
    const side *a = left, *b = right;
    if (a->face != b->face)
        return a->face < b->face ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

static void collect_sides(merger *m)
{
    memset(m->faces_at, 0, (size_t)m->point_count * sizeof *m->faces_at);
    m->side_count = 0;
    for (int t = 0; t < m->triangles->count; t++)
        for (int k = 0; k < 3; k++) {
            const int *corner = m->triangles->corners[t];
            if (m->face[m->across[t][k]] == m->face[t])
                continue;
            m->sides[m->side_count++] = (side){m->face[t], corner[k], corner[(k + 1) % 3]};
            m->faces_at[corner[k]]++;
        }
    qsort(m->sides, (size_t)m->side_count, sizeof *m->sides, compare_sides);
}

// length of the closed loop that the sides [first, end) of one face make; 0 if they make none or
// more than one
static int walk_loop(merger *m, int first, int end)
{
    int count = 0, at = first;
    do {
        if (count == end - first)
            return 0;
        m->loop[count++] = m->sides[at].from;
        side key = {m->sides[at].face, m->sides[at].to, 0};
        const side *found =
            bsearch(&key, m->sides + first, (size_t)(end - first), sizeof *m->sides, compare_sides);
        if (found == NULL)
            return 0;
        at = (int)(found - m->sides);
    } while (at != first);
    return count == end - first ? count : 0;
}

// corners that only two faces share lie inside an edge
static int drop_edge_points(merger *m, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (m->faces_at[m->loop[i]] >= 3)
            m->loop[kept++] = m->loop[i];
    return kept;
}

// each corner must lie right of (outside) the line through its neighbours, up to the tolerance
static bool loop_is_convex(const merger *m, int count)
{
    vec3 sum = {0.0, 0.0, 0.0};
    vec3 a = m->points[m->loop[0]];
    for (int i = 1; i + 1 < count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(m->points[m->loop[i]], a),
                                       vec3_sub(m->points[m->loop[i + 1]], a)));
    vec3 normal = vec3_normalize_or(sum, (vec3){0.0, 0.0, 0.0});
    if (vec3_norm_squared(normal) == 0.0)
        return false;
    for (int i = 0; i < count; i++) {
        vec3 before = m->points[m->loop[(i + count - 1) % count]];
        vec3 here = m->points[m->loop[i]];
        vec3 after = m->points[m->loop[(i + 1) % count]];
        vec3 line = vec3_sub(after, before);
        double turn = vec3_dot(normal, vec3_cross(vec3_sub(here, before), line));
        if (turn < -GEO_HULL_TOLERANCE * vec3_norm(line))
            return false;
    }
    return true;
}

static bool trace_faces(merger *m, geo_hull_faces *out)
{
    out->count = 0;
    out->start[0] = 0;
    for (int first = 0; first < m->side_count;) {
        int end = first + 1;
        while (end < m->side_count && m->sides[end].face == m->sides[first].face)
            end++;
        int count = drop_edge_points(m, walk_loop(m, first, end));
        if (count < 3 || !loop_is_convex(m, count))
            return false;

        // append loop
        int lowest = 0;
        for (int i = 1; i < count; i++)
            if (m->loop[i] < m->loop[lowest])
                lowest = i;
        int start = out->start[out->count];
        for (int i = 0; i < count; i++)
            out->vertices[start + i] = m->loop[(lowest + i) % count];
        out->start[++out->count] = start + count;

        first = end;
    }
    return out->count >= 4;
}

// a closed surface without holes: every edge twice, in both directions, and Euler's formula
static bool is_closed_surface(merger *m, const geo_hull_faces *faces)
{
    int count = 0;
    for (int f = 0; f < faces->count; f++) {
        int start = faces->start[f], corners = faces->start[f + 1] - start;
        for (int k = 0; k < corners; k++)
            m->uses[count++] = geo_edge_use_make(faces->vertices[start + k],
                                                 faces->vertices[start + (k + 1) % corners], f, k);
    }
    geo_edge_uses_sort(m->uses, count);
    for (int i = 0; i < count; i += 2)
        if (geo_edge_uses_run(m->uses, count, i) != 2 ||
            m->uses[i].forward == m->uses[i + 1].forward)
            return false;
    int vertices = 0;
    for (int i = 0; i < m->point_count; i++)
        vertices += m->faces_at[i] >= 3;
    return vertices - count / 2 + faces->count == 2;
}

/// A face as it is sorted.
typedef struct face_key {
    const int *vertices;
    int count;
} face_key;

static int compare_faces(const void *left, const void *right)
{
    const face_key *a = left, *b = right;
    // two faces of a convex surface never share their first three vertices in order
    for (int i = 0; i < 3; i++)
        if (a->vertices[i] != b->vertices[i])
            return a->vertices[i] < b->vertices[i] ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

static cairn_status sort_faces(base_arena *scratch, geo_hull_faces *faces)
{
    int total = faces->start[faces->count];
    face_key *keys = base_arena_array(scratch, face_key, "hull face keys", faces->count);
    int *copy = base_arena_array(scratch, int, "hull face copy", total);
    if (keys == NULL || copy == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(copy, faces->vertices, (size_t)total * sizeof *copy);
    for (int f = 0; f < faces->count; f++)
        keys[f] = (face_key){copy + faces->start[f], faces->start[f + 1] - faces->start[f]};
    qsort(keys, (size_t)faces->count, sizeof *keys, compare_faces);
    for (int f = 0, at = 0; f < faces->count; f++) {
        memcpy(faces->vertices + at, keys[f].vertices, (size_t)keys[f].count * sizeof *copy);
        at += keys[f].count;
        faces->start[f + 1] = at;
    }
    return CAIRN_OK;
}

cairn_status geo_hull_merge(base_arena *scratch, const geo_hull_points *points,
                            const geo_hull_triangles *triangles, double tolerance,
                            geo_hull_faces *out, bool *valid)
{
    merger m = {.points = points->scaled,
                .point_count = points->count,
                .triangles = triangles,
                .tolerance = tolerance};
    *valid = false;
    out->start = base_arena_array(scratch, int, "hull face start", triangles->count + 1);
    out->vertices = base_arena_array(scratch, int, "hull face vertices", 3 * triangles->count);
    if (out->start == NULL || out->vertices == NULL || !allocate_merger(&m, scratch))
        return CAIRN_ERROR_MEMORY;
    if (!link_triangles(&m))
        return CAIRN_OK;

    // largest triangles first: their planes are the best known
    int count = m.triangles->count;
    for (int t = 0; t < count; t++) {
        m.face[t] = -1;
        m.order[t] = (ranked){vec3_norm(triangle_area_vector(&m, t)), t};
    }
    qsort(m.order, (size_t)count, sizeof *m.order, compare_ranked);
    for (int i = 0; i < count; i++)
        if (m.face[m.order[i].triangle] < 0)
            grow_face(&m, m.order[i].triangle);

    collect_sides(&m);
    *valid = trace_faces(&m, out) && is_closed_surface(&m, out);
    return *valid ? sort_faces(scratch, out) : CAIRN_OK;
}
