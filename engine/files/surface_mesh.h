// SPDX-License-Identifier: Apache-2.0
// Polygons that show a shape: exact for polytopes, a fine enough net for round ones.
#ifndef CAIRN_ENGINE_FILES_SURFACE_MESH_H
#define CAIRN_ENGINE_FILES_SURFACE_MESH_H

#include "base/memory.h"
#include "geometry/shape/shape.h"

typedef struct eng_surface_mesh {
    vec3 *vertices; // [vertex_count] shape frame
    int vertex_count, vertex_capacity;
    int *ends; // [polygon_count] end of each polygon in corners
    int polygon_count, polygon_capacity;
    int *corners; // counter-clockwise from outside
    int corner_count, corner_capacity;
} eng_surface_mesh;

/// Appends the surface of a shape placed by `placement`. A half-space is shown as a square of half
/// width `extent`.
cairn_status eng_surface_mesh_add(eng_surface_mesh *mesh, const base_allocator *allocator,
                                  const geo_shape *shape, const pose *placement,
                                  double extent) CAIRN_CHECK_RESULT;

void eng_surface_mesh_release(eng_surface_mesh *mesh, const base_allocator *allocator);

#endif
