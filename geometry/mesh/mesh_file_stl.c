// SPDX-License-Identifier: Apache-2.0
// STL, as text and binary; equal corners become one vertex.
#include "geometry/mesh/mesh_file_internal.h"

#include "base/hash.h"

#include <limits.h>
#include <string.h>

enum { HEADER_SIZE = 84, RECORD_SIZE = 50 };

/// Open-addressing table from coordinates to vertices.
typedef struct vertex_table {
    int *slots;   // [capacity] vertex + 1; 0 is free
    int capacity; // power of two, at least twice the number of vertices
} vertex_table;

static uint64_t hash_point(vec3 point)
{
    return base_hash_bytes(BASE_HASH_START, &point, sizeof point);
}

static void insert_slot(const vertex_table *table, vec3 point, int vertex)
{
    unsigned mask = (unsigned)table->capacity - 1;
    unsigned at = (unsigned)hash_point(point) & mask;
    while (table->slots[at] != 0)
        at = (at + 1) & mask;
    table->slots[at] = vertex + 1;
}

static cairn_status grow_table(geo_mesh_reader *reader, vertex_table *table)
{
    const geo_mesh_data *data = reader->data;
    if (table->capacity > 2 * (long)data->vertex_count)
        return CAIRN_OK;
    vertex_table grown = {.capacity = table->capacity > 0 ? 2 * table->capacity : 64};
    if (table->capacity <= INT_MAX / 2)
        grown.slots = base_allocate(reader->allocator, (size_t)grown.capacity, sizeof(int));
    if (grown.slots == NULL)
        return base_fail(reader->error, CAIRN_ERROR_MEMORY, "%s: out of memory for its vertices",
                         reader->name);
    for (int i = 0; i < data->vertex_count; i++)
        insert_slot(&grown, data->vertices[i], i);
    base_release(reader->allocator, table->slots);
    *table = grown;
    return CAIRN_OK;
}

static cairn_status find_vertex(geo_mesh_reader *reader, vertex_table *table, vec3 point,
                                int *vertex)
{
    // -0 is 0: adding zero gives both the same bits
    point = vec3_add(point, (vec3){0.0, 0.0, 0.0});
    BASE_TRY(grow_table(reader, table));
    unsigned mask = (unsigned)table->capacity - 1;
    for (unsigned at = (unsigned)hash_point(point) & mask; table->slots[at] != 0;
         at = (at + 1) & mask) {
        *vertex = table->slots[at] - 1;
        if (memcmp(&reader->data->vertices[*vertex], &point, sizeof point) == 0)
            return CAIRN_OK;
    }
    *vertex = reader->data->vertex_count;
    cairn_status status = geo_reader_add_vertex(reader, point);
    if (status == CAIRN_OK)
        insert_slot(table, point, *vertex);
    return status;
}

static uint32_t little_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_single(const char *bytes)
{
    uint32_t bits = little_endian(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static cairn_status read_record(geo_mesh_reader *reader, vertex_table *table, const char *record,
                                size_t offset)
{
    int corner[3];
    for (int k = 0; k < 3; k++) {
        // the normal comes first and is not used
        size_t at = 12 + 12 * (size_t)k;
        double value[3];
        for (int axis = 0; axis < 3; axis++) {
            value[axis] = reader->scale * read_single(record + at + 4 * (size_t)axis);
            if (!isfinite(value[axis]))
                return base_fail(reader->error, CAIRN_ERROR_FORMAT,
                                 "%s: byte %zu: coordinate %g must be finite", reader->name,
                                 offset + at + 4 * (size_t)axis, value[axis]);
        }
        BASE_TRY(find_vertex(reader, table, vec3_from(value), &corner[k]));
    }
    return geo_reader_add_triangle(reader, corner[0], corner[1], corner[2]);
}

static cairn_status read_binary(geo_mesh_reader *reader, vertex_table *table)
{
    const char *bytes = reader->at;
    size_t size = (size_t)(reader->end - bytes);
    if (size < HEADER_SIZE)
        return base_fail(reader->error, CAIRN_ERROR_FORMAT,
                         "%s: byte %zu: the file ends within the header of %d bytes (and is not a "
                         "text STL, which begins with \"solid\")",
                         reader->name, size, HEADER_SIZE);
    uint32_t count = little_endian(bytes + 80);
    uint64_t needed = HEADER_SIZE + (uint64_t)RECORD_SIZE * count;
    if (needed != size)
        return base_fail(reader->error, CAIRN_ERROR_FORMAT,
                         "%s: byte 80: %u triangles need %llu bytes, the file has %zu",
                         reader->name, count, (unsigned long long)needed, size);
    cairn_status status = CAIRN_OK;
    for (uint32_t t = 0; t < count && status == CAIRN_OK; t++) {
        size_t offset = HEADER_SIZE + (size_t)RECORD_SIZE * t;
        reader->face_line = t < INT_MAX ? (int)t + 1 : INT_MAX;
        status = read_record(reader, table, bytes + offset, offset);
    }
    return status;
}

// the next word on this or a later line; false at the end of the file
static bool next_word(geo_mesh_reader *reader, geo_token *word)
{
    while (!geo_reader_word(reader, word))
        if (!geo_reader_next_line(reader))
            return false;
    return true;
}

static cairn_status expect_word(geo_mesh_reader *reader, const char *text)
{
    geo_token word;
    if (!next_word(reader, &word))
        return geo_reader_fail(reader, "the file ends where \"%s\" should stand", text);
    if (!geo_token_is(word, text))
        return geo_reader_fail(reader, "\"%.*s\" stands where \"%s\" should",
                               word.length < 40 ? word.length : 40, word.text, text);
    return CAIRN_OK;
}

static cairn_status read_text_vertex(geo_mesh_reader *reader, vertex_table *table, int *vertex)
{
    double value[3];
    cairn_status status = expect_word(reader, "vertex");
    for (int k = 0; k < 3 && status == CAIRN_OK; k++)
        status = geo_reader_coordinate(reader, &value[k]);
    return status == CAIRN_OK ? find_vertex(reader, table, vec3_from(value), vertex) : status;
}

// a facet whose first word has been read
static cairn_status read_text_facet(geo_mesh_reader *reader, vertex_table *table)
{
    // the numbers of the normal are not looked at: it follows from the corners
    int corner[3];
    reader->face_line = reader->line;
    cairn_status status = expect_word(reader, "normal");
    for (int k = 0; k < 3 && status == CAIRN_OK; k++) {
        geo_token word;
        status = geo_reader_word(reader, &word)
                     ? CAIRN_OK
                     : geo_reader_fail(reader, "a coordinate is missing");
    }
    if (status == CAIRN_OK)
        status = expect_word(reader, "outer");
    if (status == CAIRN_OK)
        status = expect_word(reader, "loop");
    for (int k = 0; k < 3 && status == CAIRN_OK; k++)
        status = read_text_vertex(reader, table, &corner[k]);
    if (status == CAIRN_OK)
        status = expect_word(reader, "endloop");
    if (status == CAIRN_OK)
        status = expect_word(reader, "endfacet");
    return status == CAIRN_OK ? geo_reader_add_triangle(reader, corner[0], corner[1], corner[2])
                              : status;
}

static cairn_status read_text(geo_mesh_reader *reader, vertex_table *table)
{
    geo_token word;
    bool open = false;
    while (next_word(reader, &word)) {
        cairn_status status = CAIRN_OK;
        if (geo_token_is(word, open ? "endsolid" : "solid")) {
            open = !open;
            geo_reader_next_line(reader);
        } else if (open && geo_token_is(word, "facet")) {
            status = read_text_facet(reader, table);
        } else {
            status = geo_reader_fail(reader, "\"%.*s\" stands where \"%s\" should",
                                     word.length < 40 ? word.length : 40, word.text,
                                     open ? "facet\" or \"endsolid" : "solid");
        }
        if (status != CAIRN_OK)
            return status;
    }
    return open ? geo_reader_fail(reader, "the file ends where \"endsolid\" should stand")
                : CAIRN_OK;
}

// many binary files begin with "solid" too: the size decides first
static bool is_text(const geo_mesh_reader *reader)
{
    size_t size = (size_t)(reader->end - reader->at);
    if (size >= HEADER_SIZE &&
        HEADER_SIZE + (uint64_t)RECORD_SIZE * little_endian(reader->at + 80) == size)
        return false;
    geo_mesh_reader start = *reader;
    geo_token word;
    return next_word(&start, &word) && geo_token_is(word, "solid");
}

cairn_status geo_read_stl(geo_mesh_reader *reader)
{
    vertex_table table = {0};
    reader->data->binary = !is_text(reader);
    cairn_status status =
        reader->data->binary ? read_binary(reader, &table) : read_text(reader, &table);
    base_release(reader->allocator, table.slots);
    return status;
}
