// SPDX-License-Identifier: Apache-2.0
// Writer of .vtp, .vtm and .pvd files.
#include "engine/files/vtp.h"

#include "base/assert.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const struct {
    const char *name;
    size_t size;
} types[] = {
    [ENG_VTP_FLOAT32] = {"Float32", 4},
    [ENG_VTP_FLOAT64] = {"Float64", 8},
    [ENG_VTP_INT32] = {"Int32", 4},
    [ENG_VTP_INT64] = {"Int64", 8},
};

// arrays are deflated in blocks; speed goes before size
enum { BLOCK_SIZE = 1 << 18, DEFLATE_LEVEL = 1, ARRAYS_MAX = 64 };

/// The arrays are deflated into memory first, for the header says where each of them begins.
typedef struct writer {
    FILE *file;
    FILE *data;                   // in memory
    uint64_t offsets[ARRAYS_MAX]; // of the arrays in `data`
    int count, declared;          // arrays in `data`; those that the header has named
    bool failed;                  // memory ran out
} writer;

/// Number, size and deflated sizes of the blocks, then the blocks.
static void append(writer *w, const void *data, eng_vtp_type type, int components, size_t count)
{
    size_t size = count * (size_t)components * types[type].size;
    size_t blocks = (size + BLOCK_SIZE - 1) / BLOCK_SIZE;
    uLong room = compressBound(BLOCK_SIZE);
    Bytef *deflated = malloc(blocks > 0 ? blocks * room : 1);
    uint64_t *head = malloc((3 + blocks) * sizeof *head);
    BASE_ASSERT(w->count < ARRAYS_MAX);
    w->offsets[w->count++] = (uint64_t)ftello(w->data);
    bool good = deflated != NULL && head != NULL;
    for (size_t i = 0; good && i < blocks; i++) {
        uLong used = room, part = (uLong)(i + 1 < blocks ? BLOCK_SIZE : size - i * BLOCK_SIZE);
        good = compress2(deflated + i * room, &used, (const Bytef *)data + i * BLOCK_SIZE, part,
                         DEFLATE_LEVEL) == Z_OK;
        head[3 + i] = used;
    }
    if (good) {
        head[0] = blocks;
        head[1] = BLOCK_SIZE;
        head[2] = size % BLOCK_SIZE; // of the last block; 0: it is a whole one
        good = fwrite(head, sizeof *head, 3 + blocks, w->data) == 3 + blocks;
    }
    for (size_t i = 0; good && i < blocks; i++)
        good = fwrite(deflated + i * room, 1, head[3 + i], w->data) == head[3 + i];
    w->failed = w->failed || !good;
    free(deflated);
    free(head);
}

static void declare(writer *w, const char *name, eng_vtp_type type, int components)
{
    fprintf(w->file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%" PRIu64 "\"/>\n",
            types[type].name, name, components, w->offsets[w->declared++]);
}

/// The same arrays in the same order as in append_all.
static void declare_all(writer *w, const eng_vtp *data)
{
    const char *cells = data->polygon_count > 0 ? "Polys" : "Verts";
    eng_vtp_type type = data->polygon_count > 0 ? ENG_VTP_INT64 : ENG_VTP_INT32;
    fputs("<Points>\n", w->file);
    declare(w, "points", ENG_VTP_FLOAT32, 3);
    fputs("</Points>\n<PointData>\n", w->file);
    for (int i = 0; i < data->point_array_count; i++)
        declare(w, data->point_arrays[i].name, data->point_arrays[i].type,
                data->point_arrays[i].components);
    fputs("</PointData>\n<CellData>\n", w->file);
    for (int i = 0; i < data->cell_array_count; i++)
        declare(w, data->cell_arrays[i].name, data->cell_arrays[i].type,
                data->cell_arrays[i].components);
    fprintf(w->file, "</CellData>\n<%s>\n", cells);
    declare(w, "connectivity", type, 1);
    declare(w, "offsets", type, 1);
    fprintf(w->file, "</%s>\n", cells);
}

/// 0, 1, 2, ... and 1, 2, 3, ...: connectivity and ends of points that are their own cells.
static void append_counting(writer *w, size_t count)
{
    int32_t *numbers = malloc((count + 1) * sizeof *numbers);
    w->failed = w->failed || numbers == NULL;
    if (numbers == NULL)
        return;
    for (size_t i = 0; i <= count; i++)
        numbers[i] = (int32_t)i;
    append(w, numbers, ENG_VTP_INT32, 1, count);
    append(w, numbers + 1, ENG_VTP_INT32, 1, count);
    free(numbers);
}

static void append_all(writer *w, const eng_vtp *data)
{
    size_t polygons = data->polygon_count;
    append(w, data->points, ENG_VTP_FLOAT32, 3, data->point_count);
    for (int i = 0; i < data->point_array_count; i++) {
        const eng_vtp_array *a = &data->point_arrays[i];
        append(w, a->data, a->type, a->components, data->point_count);
    }
    for (int i = 0; i < data->cell_array_count; i++) {
        const eng_vtp_array *a = &data->cell_arrays[i];
        append(w, a->data, a->type, a->components, polygons);
    }
    if (polygons > 0) {
        append(w, data->connectivity, ENG_VTP_INT64, 1, (size_t)data->polygon_ends[polygons - 1]);
        append(w, data->polygon_ends, ENG_VTP_INT64, 1, polygons);
    } else {
        append_counting(w, data->point_count);
    }
}

static void write_head(writer *w, const eng_vtp *data)
{
    fprintf(w->file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
            "compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n<FieldData>\n"
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
}

static cairn_status fail_file(const char *what, const char *path, cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_FILE, "%s: %s: %s", path, what, strerror(errno));
}

/// A file under a temporary name until it is whole.
typedef struct whole_file {
    FILE *stream;
    const char *path; // borrowed
    char temporary[4096];
} whole_file;

static cairn_status begin_whole(whole_file *file, const char *path, cairn_error *error)
{
    file->path = path;
    if (snprintf(file->temporary, sizeof file->temporary, "%s.part", path) >=
        (int)sizeof file->temporary)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: the path is too long", path);
    const char *reason = NULL;
    file->stream = base_file_create_new(file->temporary, &reason);
    if (file->stream == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", file->temporary, reason);
    return CAIRN_OK;
}

/// Gives the file its name, or removes it.
static cairn_status end_whole(whole_file *file, cairn_error *error)
{
    int failed = ferror(file->stream);
    if (fclose(file->stream) == 0 && !failed && rename(file->temporary, file->path) == 0)
        return CAIRN_OK;
    cairn_status status = fail_file("cannot be written", file->path, error);
    remove(file->temporary);
    return status;
}

cairn_status eng_whole_write(const char *path, const void *bytes, size_t size, cairn_error *error)
{
    whole_file file;
    cairn_status status = begin_whole(&file, path, error);
    if (status != CAIRN_OK)
        return status;
    fwrite(bytes, 1, size, file.stream);
    return end_whole(&file, error);
}

cairn_status eng_vtp_write(const char *path, const eng_vtp *data, cairn_error *error)
{
    char *bytes = NULL;
    size_t size = 0;
    whole_file file;
    writer w = {.data = open_memstream(&bytes, &size)};
    if (w.data == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    append_all(&w, data);
    bool good = fclose(w.data) == 0 && !w.failed;
    cairn_status status = good ? begin_whole(&file, path, error)
                               : base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    if (status == CAIRN_OK) {
        w.file = file.stream;
        write_head(&w, data);
        fwrite(bytes, 1, size, file.stream);
        fputs("\n</AppendedData>\n</VTKFile>\n", file.stream);
        status = end_whole(&file, error);
    }
    free(bytes);
    return status;
}

cairn_status eng_vti_write(const char *path, const eng_vti *data, cairn_error *error)
{
    whole_file file;
    cairn_status status = begin_whole(&file, path, error);
    if (status != CAIRN_OK)
        return status;
    const int *n = data->cells;
    const double *o = data->origin, *d = data->spacing;
    size_t offset = 0, count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    fprintf(file.stream,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<ImageData WholeExtent=\"0 %d 0 "
            "%d 0 %d\" Origin=\"%.17g %.17g %.17g\" Spacing=\"%.17g %.17g %.17g\">\n<FieldData>"
            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray></FieldData>\n<Piece Extent=\"0 %d 0 %d 0 %d\">\n"
            "<CellData>\n",
            n[0], n[1], n[2], o[0], o[1], o[2], d[0], d[1], d[2], data->time, n[0], n[1], n[2]);
    for (int i = 0; i < data->array_count; i++) {
        const eng_vtp_array *a = &data->arrays[i];
        fprintf(file.stream,
                "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%d\" "
                "format=\"appended\" offset=\"%zu\"/>\n",
                a->name, a->components, offset);
        offset += sizeof(uint64_t) + count * (size_t)a->components * sizeof(double);
    }
    fputs("</CellData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_", file.stream);
    for (int i = 0; i < data->array_count; i++) {
        uint64_t size = count * (uint64_t)data->arrays[i].components * sizeof(double);
        fwrite(&size, sizeof size, 1, file.stream);
        fwrite(data->arrays[i].data, 1, size, file.stream);
    }
    fputs("\n</AppendedData>\n</VTKFile>\n", file.stream);
    return end_whole(&file, error);
}

cairn_status eng_vtm_write(const char *path, const char *stem, int count, cairn_error *error)
{
    whole_file file;
    cairn_status status = begin_whole(&file, path, error);
    if (status != CAIRN_OK)
        return status;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\" "
          "byte_order=\"LittleEndian\">\n<vtkMultiBlockDataSet>\n",
          file.stream);
    for (int i = 0; i < count; i++)
        fprintf(file.stream, "<DataSet index=\"%d\" name=\"%d\" file=\"%s_%06d.vtp\"/>\n", i, i,
                stem, i);
    fputs("</vtkMultiBlockDataSet>\n</VTKFile>\n", file.stream);
    return end_whole(&file, error);
}

static const char pvd_end[] = "</Collection>\n</VTKFile>\n";

cairn_status eng_pvd_begin(const char *path, cairn_error *error)
{
    whole_file file;
    cairn_status status = begin_whole(&file, path, error);
    if (status != CAIRN_OK)
        return status;
    fprintf(file.stream,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
            "byte_order=\"LittleEndian\">\n<Collection>\n%s",
            pvd_end);
    return end_whole(&file, error);
}

/// One write replaces the end by the new entry and the end again; where there is no room for it the
/// end comes back.
static bool append_entry(int index, const char *text, size_t size)
{
    const size_t end = sizeof pvd_end - 1;
    off_t at = lseek(index, -(off_t)end, SEEK_END);
    if (at < 0)
        return false;
    if (base_write_all(index, text, size))
        return true;
    int reason = errno;
    if (lseek(index, at, SEEK_SET) == at && base_write_all(index, pvd_end, end))
        (void)!ftruncate(index, at + (off_t)end);
    errno = reason;
    return false;
}

cairn_status eng_pvd_add(const char *path, double time, const char *file, cairn_error *error)
{
    char text[1024];
    int size =
        snprintf(text, sizeof text, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s\"/>\n%s",
                 time, file, pvd_end);
    if (size >= (int)sizeof text)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: the name is too long", file);
    int index = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (index < 0)
        return fail_file("cannot be continued", path, error);
    bool good = append_entry(index, text, (size_t)size);
    cairn_status status = good ? CAIRN_OK : fail_file("cannot be continued", path, error);
    if (close(index) != 0 && good)
        return fail_file("cannot be continued", path, error);
    return status;
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
    const char *reason = NULL;
    FILE *index = base_file_change(path, &reason);
    if (index == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be continued: %s", path, reason);
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
