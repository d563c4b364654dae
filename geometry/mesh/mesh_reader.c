// SPDX-License-Identifier: Apache-2.0
// Cursor over the text of a mesh file, and the growing lists of points and triangles.
#include "geometry/mesh/mesh_file_internal.h"
#include "geometry/mesh/vertices.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_line_end(const geo_mesh_reader *reader, const char *at)
{
    return at == reader->end || *at == '\n';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0';
}

// length of a backslash with the line end behind it; 0 for anything else
static int continuation(const geo_mesh_reader *reader)
{
    const char *at = reader->at;
    if (at == reader->end || *at != '\\')
        return 0;
    int length = 1;
    if (at + length < reader->end && at[length] == '\r')
        length++;
    return at + length < reader->end && at[length] == '\n' ? length + 1 : 0;
}

static void skip_blanks(geo_mesh_reader *reader)
{
    for (;;) {
        int joined = continuation(reader);
        if (joined > 0) {
            reader->at += joined;
            reader->line++;
        } else if (!is_line_end(reader, reader->at) && is_blank(*reader->at)) {
            reader->at++;
        } else {
            return;
        }
    }
}

bool geo_reader_word(geo_mesh_reader *reader, geo_token *word)
{
    skip_blanks(reader);
    const char *start = reader->at;
    while (!is_line_end(reader, reader->at) && !is_blank(*reader->at) && continuation(reader) == 0)
        reader->at++;
    size_t length = (size_t)(reader->at - start);
    *word = (geo_token){start, length < INT_MAX ? (int)length : INT_MAX};
    return length > 0;
}

bool geo_reader_next_line(geo_mesh_reader *reader)
{
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    if (end == NULL) {
        reader->at = reader->end;
        return false;
    }
    reader->at = end + 1;
    reader->line++;
    return true;
}

bool geo_token_is(geo_token word, const char *text)
{
    return strlen(text) == (size_t)word.length &&
           strncasecmp(word.text, text, (size_t)word.length) == 0;
}

cairn_status geo_reader_fail(const geo_mesh_reader *reader, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return base_fail(reader->error, CAIRN_ERROR_FORMAT, "%s:%d: %s", reader->name, reader->line,
                     text);
}

// the word as far as a message wants it
static int shown(geo_token word)
{
    return word.length < 40 ? word.length : 40;
}

static bool parse_number(const geo_mesh_reader *reader, geo_token word, double *value)
{
    char text[128];
    if (word.length >= (int)sizeof text)
        return false;
    memcpy(text, word.text, (size_t)word.length);
    text[word.length] = '\0';
    char *end;
    *value = strtod_l(text, &end, reader->plain);
    return *end == '\0' && end != text;
}

cairn_status geo_reader_coordinate(geo_mesh_reader *reader, double *value)
{
    geo_token word;
    if (!geo_reader_word(reader, &word))
        return geo_reader_fail(reader, "a coordinate is missing");
    if (!parse_number(reader, word, value))
        return geo_reader_fail(reader, "\"%.*s\" is not a number", shown(word), word.text);
    *value *= reader->scale;
    if (!isfinite(*value))
        return geo_reader_fail(reader, "coordinate %.*s (times %g) must be finite", shown(word),
                               word.text, reader->scale);
    return CAIRN_OK;
}

static cairn_status fail_size(const geo_mesh_reader *reader, const char *what)
{
    return base_fail(reader->error, CAIRN_ERROR_MEMORY, "%s: out of memory for its %s",
                     reader->name, what);
}

cairn_status geo_reader_add_vertex(geo_mesh_reader *reader, vec3 point)
{
    geo_mesh_data *data = reader->data;
    if (data->vertex_count == INT_MAX ||
        base_array_reserve(reader->allocator, &data->vertices, &reader->vertex_capacity,
                           data->vertex_count + 1) != CAIRN_OK)
        return fail_size(reader, "vertices");
    data->vertices[data->vertex_count++] = point;
    return CAIRN_OK;
}

void geo_reader_leave_out(geo_mesh_reader *reader, int count)
{
    if (reader->data->left_out == 0)
        reader->data->first_left_out = reader->face_line;
    reader->data->left_out += count;
}

cairn_status geo_reader_add_triangle(geo_mesh_reader *reader, int a, int b, int c)
{
    geo_mesh_data *data = reader->data;
    if (!geo_has_area(data->vertices[a], data->vertices[b], data->vertices[c])) {
        geo_reader_leave_out(reader, 1);
        return CAIRN_OK;
    }
    if (data->triangle_count == INT_MAX ||
        base_array_reserve(reader->allocator, &data->triangles, &reader->triangle_capacity,
                           data->triangle_count + 1) != CAIRN_OK)
        return fail_size(reader, "triangles");
    int *corner = data->triangles[data->triangle_count++];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return CAIRN_OK;
}
