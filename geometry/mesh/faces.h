// SPDX-License-Identifier: Apache-2.0
// Faces of a triangulated surface: flat parts of neighbouring triangles, whose common sides are no
// edges of it.
#ifndef CAIRN_GEOMETRY_MESH_FACES_H
#define CAIRN_GEOMETRY_MESH_FACES_H

#include "base/memory.h"
#include "base/vec.h"

typedef struct geo_triangles {
    int vertex_count, count;
    const vec3 *vertices;      // [vertex_count]
    const int (*triangles)[3]; // [count]
    const int (*adjacent)[3];  // [count] across the side (k, k + 1); -1 for none
} geo_triangles;

/// @param faces  [count] out: lowest triangle of the face that each one belongs to
/// @param inner  [vertex_count] out: 1 where all sides around a vertex lie within one face
/// @return CAIRN_ERROR_MEMORY where there is none for a scratch list of all triangles
cairn_status geo_faces_find(const geo_triangles *surface, const base_allocator *allocator,
                            int *faces, unsigned char *inner) CAIRN_CHECK_RESULT;

#endif
