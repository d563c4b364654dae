// SPDX-License-Identifier: Apache-2.0
// Reads mesh files: picks the reader by the ending.
#include "geometry/mesh/mesh_file_internal.h"
#include "geometry/mesh/vertices.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void geo_mesh_data_release(const base_allocator *allocator, geo_mesh_data *data)
{
    base_release(allocator, data->vertices);
    base_release(allocator, data->triangles);
    *data = (geo_mesh_data){0};
}

typedef cairn_status read_function(geo_mesh_reader *reader);

static read_function *reader_for(const char *name)
{
    const char *ending = strrchr(name, '.');
    if (ending != NULL && strcasecmp(ending, ".obj") == 0)
        return geo_read_obj;
    if (ending != NULL && strcasecmp(ending, ".stl") == 0)
        return geo_read_stl;
    return NULL;
}

static cairn_status check_request(const char *name, double scale, cairn_error *error)
{
    if (reader_for(name) == NULL)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: a mesh file must end in .obj or .stl",
                         name);
    if (!isfinite(scale) || scale <= 0.0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s: scale = %g must be positive and finite",
                         name, scale);
    return CAIRN_OK;
}

cairn_status geo_mesh_file_parse(const base_allocator *allocator, const char *name,
                                 const char *bytes, size_t size, double scale, geo_mesh_data *data,
                                 cairn_error *error)
{
    *data = (geo_mesh_data){0};
    BASE_TRY(check_request(name, scale, error));
    geo_mesh_reader reader = {
        .allocator = allocator,
        .name = name,
        .at = size > 0 ? bytes : "",
        .line = 1,
        .scale = scale,
        .plain = newlocale(LC_ALL_MASK, "C", (locale_t)0),
        .data = data,
        .error = error,
    };
    reader.end = reader.at + size;
    if (reader.plain == (locale_t)0)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory for its numbers", name);
    cairn_status status = reader_for(name)(&reader);
    freelocale(reader.plain);
    base_release(allocator, reader.corners);
    if (status == CAIRN_OK && data->triangle_count > 0 &&
        geo_vertices_keep_used(allocator, data->vertices, &data->vertex_count, data->triangles,
                               data->triangle_count) != CAIRN_OK)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory for its vertices", name);
    if (status == CAIRN_OK && data->vertex_count == 0)
        status = base_fail(error, CAIRN_ERROR_FORMAT, "%s: the file holds no vertices", name);
    if (status != CAIRN_OK)
        geo_mesh_data_release(allocator, data);
    return status;
}

/// Bytes of a file.
typedef struct file_bytes {
    char *bytes;
    size_t size;
    size_t capacity;
} file_bytes;

static bool grow_bytes(const base_allocator *allocator, file_bytes *file)
{
    if (file->size < file->capacity)
        return true;
    if (file->capacity > SIZE_MAX / 2)
        return false;
    size_t capacity = file->capacity > 0 ? 2 * file->capacity : (size_t)1 << 16;
    char *grown = allocator->reallocate(allocator->context, file->bytes, capacity);
    if (grown == NULL)
        return false;
    file->bytes = grown;
    file->capacity = capacity;
    return true;
}

static cairn_status read_bytes(const base_allocator *allocator, FILE *stream, const char *path,
                               file_bytes *file, cairn_error *error)
{
    size_t got;
    do {
        if (!grow_bytes(allocator, file))
            return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory after %zu bytes", path,
                             file->size);
        got = fread(file->bytes + file->size, 1, file->capacity - file->size, stream);
        file->size += got;
    } while (got > 0);
    if (ferror(stream))
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, strerror(errno));
    return CAIRN_OK;
}

cairn_status geo_mesh_file_read(const base_allocator *allocator, const char *path, double scale,
                                geo_mesh_data *data, cairn_error *error)
{
    *data = (geo_mesh_data){0};
    // before a file of gigabytes is read for nothing
    BASE_TRY(check_request(path, scale, error));
    const char *reason = NULL;
    FILE *stream = base_file_read(path, &reason);
    if (stream == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    file_bytes file = {0};
    cairn_status status = read_bytes(allocator, stream, path, &file, error);
    fclose(stream);
    if (status == CAIRN_OK)
        status = geo_mesh_file_parse(allocator, path, file.bytes, file.size, scale, data, error);
    base_release(allocator, file.bytes);
    return status;
}
