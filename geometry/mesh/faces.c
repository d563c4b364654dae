// SPDX-License-Identifier: Apache-2.0
// Flat parts of a triangulated surface, grown from triangle to triangle.
#include "geometry/mesh/faces.h"

#include <string.h>

// of the angle between two triangles of a face: what coordinates of single precision leave open
static const double flat_sine = 1e-5;

static vec3 area_vector(const geo_triangles *s, int triangle)
{
    const int *v = s->triangles[triangle];
    vec3 a = s->vertices[v[0]];
    return vec3_cross(vec3_sub(s->vertices[v[1]], a), vec3_sub(s->vertices[v[2]], a));
}

// the corner of a triangle that is not on the side across which `other` lies
static vec3 far_corner(const geo_triangles *s, int triangle, int other)
{
    int k = 0;
    while (k < 2 && s->adjacent[triangle][k] != other)
        k++;
    return s->vertices[s->triangles[triangle][(k + 2) % 3]];
}

// does the triangle across side k of another one go on in the plane across `normal`, on the other
// side of their common one?
static bool goes_on(const geo_triangles *s, int triangle, int k, vec3 normal)
{
    int other = s->adjacent[triangle][k];
    vec3 own = area_vector(s, other);
    double limit = flat_sine * flat_sine * vec3_norm_squared(normal) * vec3_norm_squared(own);
    if (vec3_norm_squared(vec3_cross(normal, own)) > limit)
        return false;
    const int *v = s->triangles[triangle];
    vec3 a = s->vertices[v[k]];
    vec3 across = vec3_cross(normal, vec3_sub(s->vertices[v[(k + 1) % 3]], a));
    double here = vec3_dot(across, vec3_sub(s->vertices[v[(k + 2) % 3]], a));
    double there = vec3_dot(across, vec3_sub(far_corner(s, other, triangle), a));
    return here * there < 0.0;
}

// gives the triangles around the first one to its face
static void grow_face(const geo_triangles *s, int first, int *faces, int *queue)
{
    vec3 normal = area_vector(s, first);
    int count = 1;
    queue[0] = first;
    faces[first] = first;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            int other = s->adjacent[queue[i]][k];
            if (other < 0 || faces[other] >= 0 || !goes_on(s, queue[i], k, normal))
                continue;
            faces[other] = first;
            queue[count++] = other;
        }
}

static void find_inner_vertices(const geo_triangles *s, const int *faces, unsigned char *inner)
{
    memset(inner, 1, (size_t)s->vertex_count);
    for (int t = 0; t < s->count; t++)
        for (int k = 0; k < 3; k++) {
            int other = s->adjacent[t][k];
            if (other >= 0 && faces[other] == faces[t])
                continue;
            inner[s->triangles[t][k]] = 0;
            inner[s->triangles[t][(k + 1) % 3]] = 0;
        }
}

cairn_status geo_faces_find(const geo_triangles *surface, const base_allocator *allocator,
                            int *faces, unsigned char *inner)
{
    int *queue = base_allocate(allocator, (size_t)surface->count, sizeof *queue);
    if (queue == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int t = 0; t < surface->count; t++)
        faces[t] = -1;
    for (int t = 0; t < surface->count; t++)
        if (faces[t] < 0)
            grow_face(surface, t, faces, queue);
    find_inner_vertices(surface, faces, inner);
    base_release(allocator, queue);
    return CAIRN_OK;
}
