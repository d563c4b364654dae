// SPDX-License-Identifier: Apache-2.0
// Vertices of a triangulated surface: which are used, and which span a triangle.
#include "geometry/mesh/vertices.h"

bool geo_has_area(vec3 a, vec3 b, vec3 c)
{
    vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a), bc = vec3_sub(c, b);
    double longest = fmax(vec3_norm(ab), fmax(vec3_norm(ac), vec3_norm(bc)));
    // an overflow is none either
    return vec3_norm(vec3_cross(ab, ac)) > 1e-12 * longest * longest;
}

cairn_status geo_vertices_keep_used(const base_allocator *allocator, vec3 *vertices,
                                    int *vertex_count, int (*triangles)[3], int triangle_count)
{
    int *place = base_allocate(allocator, (size_t)*vertex_count, sizeof *place);
    int count = 0;
    if (place == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < *vertex_count; i++)
        place[i] = -1;
    for (int t = 0; t < triangle_count; t++)
        for (int k = 0; k < 3; k++)
            place[triangles[t][k]] = 0;
    for (int i = 0; i < *vertex_count; i++) {
        if (place[i] < 0)
            continue;
        vertices[count] = vertices[i];
        place[i] = count++;
    }
    for (int t = 0; t < triangle_count; t++)
        for (int k = 0; k < 3; k++)
            triangles[t][k] = place[triangles[t][k]];
    *vertex_count = count;
    base_release(allocator, place);
    return CAIRN_OK;
}
