// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: vertices and faces; all other statements are passed over.
#include "geometry/mesh/mesh_file_internal.h"

#include "base/text.h"

#include <limits.h>

static cairn_status read_vertex(geo_mesh_reader *reader)
{
    double value[3];
    for (int k = 0; k < 3; k++)
        BASE_TRY(geo_reader_coordinate(reader, &value[k]));
    return geo_reader_add_vertex(reader, vec3_from(value));
}

// the vertex number of "7", "7/1", "7/1/3" or "7//3"; 0 when there is none
static int64_t vertex_number(geo_token word)
{
    int at = 0, sign = 1;
    int64_t value = 0;
    if (at < word.length && (word.text[at] == '-' || word.text[at] == '+'))
        sign = word.text[at++] == '-' ? -1 : 1;
    for (; at < word.length && word.text[at] >= '0' && word.text[at] <= '9'; at++) {
        value = 10 * value + (word.text[at] - '0');
        if (value > INT_MAX)
            return sign * ((int64_t)INT_MAX + 1);
    }
    return at == word.length || word.text[at] == '/' ? sign * value : 0;
}

static cairn_status corner_index(const geo_mesh_reader *reader, geo_token word, int *index)
{
    int64_t number = vertex_number(word);
    int count = reader->data->vertex_count;
    int shown = word.length < 40 ? word.length : 40;
    if (number == 0)
        return geo_reader_fail(reader, "\"%.*s\" is not a vertex number", shown, word.text);
    // from 1 on, or backwards from the last vertex so far
    int64_t at = number > 0 ? number - 1 : count + number;
    if (at < 0 || at >= count)
        return geo_reader_fail(reader, "vertex %.*s is not among the %d vertices before it", shown,
                               word.text, count);
    *index = (int)at;
    return CAIRN_OK;
}

static cairn_status read_face(geo_mesh_reader *reader)
{
    int count = 0;
    geo_token word;
    reader->face_line = reader->line;
    while (geo_reader_word(reader, &word)) {
        if (base_array_reserve(reader->allocator, &reader->corners, &reader->corner_capacity,
                               count + 1) != CAIRN_OK)
            return base_fail(reader->error, CAIRN_ERROR_MEMORY, "%s: out of memory for a face",
                             reader->name);
        BASE_TRY(corner_index(reader, word, &reader->corners[count++]));
    }
    if (count < 3)
        return geo_reader_fail(reader, "a face of %d corners needs at least 3", count);
    return geo_reader_add_face(reader, count);
}

cairn_status geo_read_obj(geo_mesh_reader *reader)
{
    reader->at += base_text_mark(reader->at, (size_t)(reader->end - reader->at));
    do {
        geo_token word;
        cairn_status status = CAIRN_OK;
        if (!geo_reader_word(reader, &word))
            continue;
        if (geo_token_is(word, "v"))
            status = read_vertex(reader);
        else if (geo_token_is(word, "f"))
            status = read_face(reader);
        if (status != CAIRN_OK)
            return status;
    } while (geo_reader_next_line(reader));
    return CAIRN_OK;
}
