// SPDX-License-Identifier: Apache-2.0
// Readers of OBJ and STL files (text and binary STL): points and triangles.
#ifndef CAIRN_GEOMETRY_MESH_MESH_FILE_H
#define CAIRN_GEOMETRY_MESH_MESH_FILE_H

#include "base/memory.h"
#include "base/vec.h"

typedef struct geo_mesh_data {
    /// [vertex_count], duplicates of STL merged (bit-equal coordinates); those that no triangle has
    /// are left out unless there are no triangles
    vec3 *vertices;
    int vertex_count;
    int (*triangles)[3]; // [triangle_count], faces with more corners cut into triangles
    int triangle_count;
    int left_out;       // triangles without area, which are not among them
    int first_left_out; // line of the first of these; of a binary STL its number, from 1
    bool binary;
} geo_mesh_data;

/// Reads a file by its ending (.obj, .stl, upper or lower case). Errors name file and line (or byte
/// offset in a binary STL); hostile files (huge counts, indices out of range, NaN) give errors too.
/// Faces may name only vertices that stand before them. Faces with more than three corners may be
/// concave, and are errors where they cross themselves. An OBJ file without faces is accepted: its
/// points can make a hull.
/// @param scale  factor on all coordinates, > 0
/// @param data   out, released with geo_mesh_data_release
cairn_status geo_mesh_file_read(const base_allocator *allocator, const char *path, double scale,
                                geo_mesh_data *data, cairn_error *error) CAIRN_CHECK_RESULT;

/// The same from memory; `name` is used in messages and its ending picks the format.
cairn_status geo_mesh_file_parse(const base_allocator *allocator, const char *name,
                                 const char *bytes, size_t size, double scale, geo_mesh_data *data,
                                 cairn_error *error) CAIRN_CHECK_RESULT;

void geo_mesh_data_release(const base_allocator *allocator, geo_mesh_data *data);

#endif
