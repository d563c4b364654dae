// SPDX-License-Identifier: Apache-2.0
// Vertices of a triangulated surface.
#ifndef CAIRN_GEOMETRY_MESH_VERTICES_H
#define CAIRN_GEOMETRY_MESH_VERTICES_H

#include "base/memory.h"
#include "base/vec.h"

/// Whether three corners span more than round-off does.
bool geo_has_area(vec3 a, vec3 b, vec3 c);

/// Drops vertices that no triangle names; the others keep their order, and triangles their corners.
/// @return CAIRN_ERROR_MEMORY, and nothing is changed
cairn_status geo_vertices_keep_used(const base_allocator *allocator, vec3 *vertices,
                                    int *vertex_count, int (*triangles)[3],
                                    int triangle_count) CAIRN_CHECK_RESULT;

#endif
