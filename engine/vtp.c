// SPDX-License-Identifier: Apache-2.0
// Writer of .vtp and .pvd files.
#include "engine/vtp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [ENG_VTP_FLOAT32] = {"Float32", 4},
    [ENG_VTP_FLOAT64] = {"Float64", 8},
    [ENG_VTP_INT32] = {"Int32",   4},
    [ENG_VTP_INT64] = {"Int64",   8},
};

/// Header and appended data are written in two passes over the same arrays.
typedef struct writer {
    FILE *file;
    uint64_t offset; // of the next array in the appended data
} writer;

static void declare(writer *w, const char *name, eng_vtp_type type, int components, size_t count)
{
    fprintf(w->file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%llu\"/>\n",
            types[type].name, name, components, (unsigned long long)w->offset);
    w->offset += sizeof(uint64_t) + count * (size_t)components * types[type].size;
}

static void append(writer *w, const void *data, eng_vtp_type type, int components, size_t count)
{
    uint64_t size = count * (size_t)components * types[type].size;
    fwrite(&size, sizeof size, 1, w->file);
    if (size > 0)
        fwrite(data, 1, size, w->file);
}

static size_t connectivity_size(const eng_vtp *data)
{
    return data->polygon_count > 0 ? (size_t)data->polygon_ends[data->polygon_count - 1] : 0;
}

static void declare_all(writer *w, const eng_vtp *data)
{
    size_t cells = data->polygon_count;
    fputs("<Points>\n", w->file);
    declare(w, "points", ENG_VTP_FLOAT32, 3, data->point_count);
    fputs("</Points>\n<PointData>\n", w->file);
    for (int i = 0; i < data->point_array_count; i++) {
        const eng_vtp_array *a = &data->point_arrays[i];
        declare(w, a->name, a->type, a->components, data->point_count);
    }
    fputs("</PointData>\n<CellData>\n", w->file);
    for (int i = 0; i < data->cell_array_count; i++)
        declare(w, data->cell_arrays[i].name, data->cell_arrays[i].type,
                data->cell_arrays[i].components, cells);
    fprintf(w->file, "</CellData>\n<%s>\n", cells > 0 ? "Polys" : "Verts");
    declare(w, "connectivity", ENG_VTP_INT64, 1,
            cells > 0 ? connectivity_size(data) : data->point_count);
    declare(w, "offsets", ENG_VTP_INT64, 1, cells > 0 ? cells : data->point_count);
    fprintf(w->file, "</%s>\n", cells > 0 ? "Polys" : "Verts");
}

/// 0, 1, 2, ... or 1, 2, 3, ...: connectivity and offsets of points that are their own cells.
static void append_counting(writer *w, int64_t first, size_t count)
{
    uint64_t size = count * sizeof(int64_t);
    fwrite(&size, sizeof size, 1, w->file);
    for (size_t i = 0; i < count; i++) {
        int64_t value = first + (int64_t)i;
        fwrite(&value, sizeof value, 1, w->file);
    }
}

static void append_all(writer *w, const eng_vtp *data)
{
    append(w, data->points, ENG_VTP_FLOAT32, 3, data->point_count);
    for (int i = 0; i < data->point_array_count; i++) {
        const eng_vtp_array *a = &data->point_arrays[i];
        append(w, a->data, a->type, a->components, data->point_count);
    }
    for (int i = 0; i < data->cell_array_count; i++) {
        const eng_vtp_array *a = &data->cell_arrays[i];
        append(w, a->data, a->type, a->components, data->polygon_count);
    }
    if (data->polygon_count > 0) {
        append(w, data->connectivity, ENG_VTP_INT64, 1, connectivity_size(data));
        append(w, data->polygon_ends, ENG_VTP_INT64, 1, data->polygon_count);
    } else {
        append_counting(w, 0, data->point_count);
        append_counting(w, 1, data->point_count);
    }
}

static void write_document(writer *w, const eng_vtp *data)
{
    fprintf(w->file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n<FieldData>\n"
            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray>\n</FieldData>\n",
            data->time);
    fprintf(w->file,
            "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
            data->point_count, data->polygon_count > 0 ? 0 : data->point_count,
            data->polygon_count);
    declare_all(w, data);
    fputs("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", w->file);
    append_all(w, data);
    fputs("\n</AppendedData>\n</VTKFile>\n", w->file);
}

static cairn_status fail_file(const char *what, const char *path, cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_FILE, "%s: %s: %s", path, what, strerror(errno));
}

cairn_status eng_vtp_write(const char *path, const eng_vtp *data, cairn_error *error)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= (int)sizeof temporary)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: the path is too long", path);
    writer w = {.file = fopen(temporary, "wb")};
    if (w.file == NULL)
        return fail_file("cannot be written", temporary, error);
    write_document(&w, data);
    int failed = ferror(w.file);
    if (fclose(w.file) != 0 || failed || rename(temporary, path) != 0) {
        cairn_status status = fail_file("cannot be written", path, error);
        remove(temporary);
        return status;
    }
    return CAIRN_OK;
}

static const char pvd_end[] = "</Collection>\n</VTKFile>\n";

cairn_status eng_pvd_begin(const char *path, cairn_error *error)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return fail_file("cannot be written", path, error);
    fprintf(file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
            "byte_order=\"LittleEndian\">\n<Collection>\n%s",
            pvd_end);
    return fclose(file) == 0 ? CAIRN_OK : fail_file("cannot be written", path, error);
}

cairn_status eng_pvd_add(const char *path, double time, const char *file, cairn_error *error)
{
    FILE *index = fopen(path, "r+b");
    if (index == NULL)
        return fail_file("cannot be continued", path, error);
    // one write replaces the end by the new entry and the end again
    int failed = fseek(index, -(long)(sizeof pvd_end - 1), SEEK_END) != 0;
    fprintf(index, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s\"/>\n%s", time, file, pvd_end);
    failed |= ferror(index);
    if (fclose(index) != 0 || failed)
        return fail_file("cannot be continued", path, error);
    return CAIRN_OK;
}

enum { PVD_HEAD_LINES = 3 };

/// Length of the head and the first entries, -1 when there are fewer.
static long kept_length(FILE *index, int entries)
{
    for (int lines = 0, c = 0; lines < PVD_HEAD_LINES + entries; lines += c == '\n')
        if ((c = fgetc(index)) == EOF)
            return -1;
    return ftell(index);
}

cairn_status eng_pvd_cut(const char *path, int entries, cairn_error *error)
{
    FILE *index = fopen(path, "r+b");
    if (index == NULL)
        return fail_file("cannot be continued", path, error);
    long length = kept_length(index, entries);
    if (length < 0) {
        fclose(index);
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: has less than %d frames", path, entries);
    }
    int failed = fseek(index, length, SEEK_SET) != 0 || fputs(pvd_end, index) == EOF ||
                 fflush(index) != 0 ||
                 ftruncate(fileno(index), length + (long)sizeof pvd_end - 1) != 0;
    if (fclose(index) != 0 || failed)
        return fail_file("cannot be continued", path, error);
    return CAIRN_OK;
}
