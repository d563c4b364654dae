// SPDX-License-Identifier: Apache-2.0
// What the readers of mesh files share: a cursor over text, and growing lists of points and
// triangles.
#ifndef CAIRN_GEOMETRY_MESH_MESH_FILE_INTERNAL_H
#define CAIRN_GEOMETRY_MESH_MESH_FILE_INTERNAL_H

#include "geometry/mesh/mesh_file.h"

#include <locale.h>
#include <stdbool.h>

/// State of one reading.
typedef struct geo_mesh_reader {
    const base_allocator *allocator;
    const char *name; // of the file, for messages
    const char *at;   // next byte
    const char *end;
    int line;       // of `at`, from 1
    int face_line;  // of the face being read; of a binary STL its number, from 1
    double scale;   // factor on coordinates
    locale_t plain; // numbers with a decimal point, whatever the program's language
    geo_mesh_data *data;
    int vertex_capacity;
    int triangle_capacity;
    int *corners; // of a face with many
    int corner_capacity;
    cairn_error *error;
} geo_mesh_reader;

/// A word of the text, not terminated.
typedef struct geo_token {
    const char *text;
    int length;
} geo_token;

/// Next word of the current line; false at its end. A backslash before a line's end joins lines.
bool geo_reader_word(geo_mesh_reader *reader, geo_token *word);

/// Moves behind the end of the current line; false when there was no further line.
bool geo_reader_next_line(geo_mesh_reader *reader);

/// True if the word is `text`; letters may differ in case when `text` is in lower case.
bool geo_token_is(geo_token word, const char *text);

/// Failure with "name:line: message".
cairn_status geo_reader_fail(const geo_mesh_reader *reader, const char *format, ...)
    CAIRN_PRINTF(2, 3);

/// Next word as a finite number times the scale. The message names the missing or wrong word.
cairn_status geo_reader_coordinate(geo_mesh_reader *reader, double *value) CAIRN_CHECK_RESULT;

cairn_status geo_reader_add_vertex(geo_mesh_reader *reader, vec3 point) CAIRN_CHECK_RESULT;

/// Adds a triangle, or counts it as left out where it has no area: geo_mesh_weld closes the surface
/// without it.
cairn_status geo_reader_add_triangle(geo_mesh_reader *reader, int a, int b,
                                     int c) CAIRN_CHECK_RESULT;

/// Cuts a face with corners [count] (count >= 3, in reader->corners) into triangles that have an
/// area: fans where all those of a fan do and it is convex, else ears. Fails for one that crosses
/// itself.
cairn_status geo_reader_add_face(geo_mesh_reader *reader, int count) CAIRN_CHECK_RESULT;

/// Counts triangles without area.
void geo_reader_leave_out(geo_mesh_reader *reader, int count);

cairn_status geo_read_obj(geo_mesh_reader *reader) CAIRN_CHECK_RESULT;
cairn_status geo_read_stl(geo_mesh_reader *reader) CAIRN_CHECK_RESULT;

#endif
