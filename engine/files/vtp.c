// SPDX-License-Identifier: Apache-2.0
// Writer of .vtp, .vtm and .pvd files.
#include "engine/files/vtp.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/text.h"

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
enum { BLOCK_SIZE = 1 << 18, DEFLATE_LEVEL = 1, ARRAYS_MAX = 64, TABLE_HEAD = 3 };

/// One of a file's arrays.
typedef struct entry {
    eng_vtp_array array;
    size_t count;    // elements
    uint64_t offset; // in the appended data, once it is written
} entry;

/// The header says where each array begins, and a table before its blocks how long they are: both
/// are written twice, the second time in place.
typedef struct writer {
    FILE *file;
    entry entries[ARRAYS_MAX]; // in their order in the file
    int count, declared;       // entries; those that the header has named
    off_t start;               // of the appended data in the file
    z_stream stream;
    unsigned char *part;     // a block, with the rest of its first and last elements
    unsigned char *deflated; // [room] a block
    uint64_t *table;         // number, size, size of the last and deflated sizes of blocks
    uLong room;
} writer;

size_t eng_vtp_element_size(const eng_vtp_array *array)
{
    return (size_t)array->components * types[array->type].size;
}

static size_t size_of(const entry *e)
{
    return e->count * eng_vtp_element_size(&e->array);
}

static size_t blocks_of(const entry *e)
{
    return (size_of(e) + BLOCK_SIZE - 1) / BLOCK_SIZE;
}

// ---------------------------------------------------------------- the list of arrays

static void list_array(writer *w, const eng_vtp_array *array, size_t count)
{
    BASE_ASSERT(w->count < ARRAYS_MAX);
    w->entries[w->count++] = (entry){.array = *array, .count = count};
}

static void list_values(writer *w, const char *name, eng_vtp_type type, int components,
                        eng_vtp_values values, size_t count)
{
    list_array(w, &(eng_vtp_array){name, type, components, values}, count);
}

/// Numbers from that of the source on.
static void fill_counting(const void *source, size_t first, size_t count, void *out)
{
    int32_t *numbers = out, from = *(const int32_t *)source + (int32_t)first;
    for (size_t i = 0; i < count; i++)
        numbers[i] = from + (int32_t)i;
}

/// The same arrays in the same order as in declare_all.
static void list_all(writer *w, const eng_vtp *data)
{
    static const int32_t from[] = {0, 1};
    size_t points = data->point_count, polygons = data->polygon_count;
    list_values(w, "points", ENG_VTP_FLOAT32, 3, data->points, points);
    for (int i = 0; i < data->point_array_count; i++)
        list_array(w, &data->point_arrays[i], points);
    for (int i = 0; i < data->cell_array_count; i++)
        list_array(w, &data->cell_arrays[i], polygons);
    if (polygons > 0) {
        list_values(w, "connectivity", ENG_VTP_INT64, 1, data->corners, data->corner_count);
        list_values(w, "offsets", ENG_VTP_INT64, 1, data->ends, polygons);
        return;
    }
    // points that are their own cells
    eng_vtp_values counting = {.fill = fill_counting, .source = &from[0]};
    list_values(w, "connectivity", ENG_VTP_INT32, 1, counting, points);
    counting.source = &from[1];
    list_values(w, "offsets", ENG_VTP_INT32, 1, counting, points);
}

// ---------------------------------------------------------------- the header

/// An offset has room for any number, so that the header keeps its length.
static void declare(writer *w)
{
    enum { OFFSET_WIDTH = sizeof "offset=\"18446744073709551615\"" };
    const entry *e = &w->entries[w->declared++];
    char offset[OFFSET_WIDTH];
    snprintf(offset, sizeof offset, "offset=\"%" PRIu64 "\"", e->offset);
    fprintf(w->file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "%-*s/>\n",
            types[e->array.type].name, e->array.name, e->array.components, OFFSET_WIDTH - 1,
            offset);
}

static void declare_all(writer *w, const eng_vtp *data)
{
    const char *cells = data->polygon_count > 0 ? "Polys" : "Verts";
    w->declared = 0;
    fputs("<Points>\n", w->file);
    declare(w);
    fputs("</Points>\n<PointData>\n", w->file);
    for (int i = 0; i < data->point_array_count; i++)
        declare(w);
    fputs("</PointData>\n<CellData>\n", w->file);
    for (int i = 0; i < data->cell_array_count; i++)
        declare(w);
    fprintf(w->file, "</CellData>\n<%s>\n", cells);
    declare(w);
    declare(w);
    fprintf(w->file, "</%s>\n", cells);
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

// ---------------------------------------------------------------- the appended data

/// Bytes [at, at + size) of an array: where they are, or made in the writer's part.
static const unsigned char *bytes_of(const writer *w, const entry *e, size_t at, size_t size)
{
    const eng_vtp_values *values = &e->array.values;
    if (values->fill == NULL)
        return (const unsigned char *)values->data + at;
    size_t each = eng_vtp_element_size(&e->array), first = at / each;
    values->fill(values->source, first, (at + size + each - 1) / each - first, w->part);
    return w->part + (at - first * each);
}

/// Deflates a block into the file. @param deflated  out, bytes that it takes there
static bool write_block(writer *w, const unsigned char *bytes, size_t size, uint64_t *deflated)
{
    w->stream.next_in = (z_const Bytef *)bytes;
    w->stream.avail_in = (uInt)size;
    w->stream.next_out = w->deflated;
    w->stream.avail_out = (uInt)w->room;
    if (deflateReset(&w->stream) != Z_OK || deflate(&w->stream, Z_FINISH) != Z_STREAM_END)
        return false;
    *deflated = w->room - w->stream.avail_out;
    return fwrite(w->deflated, 1, *deflated, w->file) == *deflated;
}

static bool write_table(const writer *w, size_t blocks)
{
    return fwrite(w->table, sizeof *w->table, TABLE_HEAD + blocks, w->file) == TABLE_HEAD + blocks;
}

/// A table without its sizes, the blocks, and the table again.
static bool write_array(writer *w, entry *e)
{
    size_t size = size_of(e), blocks = blocks_of(e);
    off_t table = ftello(w->file);
    memset(w->table, 0, (TABLE_HEAD + blocks) * sizeof *w->table);
    w->table[0] = blocks;
    w->table[1] = BLOCK_SIZE;
    w->table[2] = size % BLOCK_SIZE; // of the last block; 0: it is a whole one
    e->offset = (uint64_t)(table - w->start);
    bool good = write_table(w, blocks);
    for (size_t i = 0; good && i < blocks; i++) {
        size_t at = i * BLOCK_SIZE, part = i + 1 < blocks ? BLOCK_SIZE : size - at;
        good = write_block(w, bytes_of(w, e, at, part), part, &w->table[TABLE_HEAD + i]);
    }
    off_t end = ftello(w->file);
    return good && fseeko(w->file, table, SEEK_SET) == 0 && write_table(w, blocks) &&
           fseeko(w->file, end, SEEK_SET) == 0;
}

static bool write_all(writer *w, const eng_vtp *data)
{
    write_head(w, data);
    w->start = ftello(w->file);
    for (int i = 0; i < w->count; i++)
        if (!write_array(w, &w->entries[i]))
            return false;
    fputs("\n</AppendedData>\n</VTKFile>\n", w->file);
    if (fseeko(w->file, 0, SEEK_SET) != 0)
        return false;
    write_head(w, data);
    BASE_ASSERT(ferror(w->file) || ftello(w->file) == w->start);
    return true;
}

static bool take_memory(writer *w)
{
    size_t element = 0, blocks = 0;
    for (int i = 0; i < w->count; i++) {
        size_t each = eng_vtp_element_size(&w->entries[i].array);
        element = each > element ? each : element;
        blocks = blocks_of(&w->entries[i]) > blocks ? blocks_of(&w->entries[i]) : blocks;
    }
    w->room = compressBound(BLOCK_SIZE);
    w->part = malloc(BLOCK_SIZE + 2 * element);
    w->deflated = malloc(w->room);
    w->table = malloc((TABLE_HEAD + blocks) * sizeof *w->table);
    return deflateInit(&w->stream, DEFLATE_LEVEL) == Z_OK && w->part != NULL &&
           w->deflated != NULL && w->table != NULL;
}

static void release_memory(writer *w)
{
    // of one that was never begun it says so, and does nothing
    (void)deflateEnd(&w->stream);
    free(w->part);
    free(w->deflated);
    free(w->table);
}

// ---------------------------------------------------------------- whole files

static cairn_status fail_file(const char *what, const char *path, cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_FILE, "%s: %s: %s", path, what, strerror(errno));
}

/// A file under a temporary name until it is whole.
typedef struct whole_file {
    FILE *stream;
    bool failed;      // something else than a write, which the stream remembers itself
    const char *path; // borrowed
    char temporary[4096];
} whole_file;

static cairn_status begin_whole(whole_file *file, const char *path, cairn_error *error)
{
    file->path = path;
    file->failed = false;
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
    bool failed = file->failed || ferror(file->stream);
    int reason = errno;
    if (fclose(file->stream) == 0) {
        if (!failed && rename(file->temporary, file->path) == 0)
            return CAIRN_OK;
        errno = failed ? reason : errno;
    }
    cairn_status status = fail_file("cannot be written", file->path, error);
    remove(file->temporary);
    return status;
}

cairn_status eng_whole_write(const char *path, const void *bytes, size_t size, cairn_error *error)
{
    whole_file file;
    BASE_TRY(begin_whole(&file, path, error));
    fwrite(bytes, 1, size, file.stream);
    return end_whole(&file, error);
}

cairn_status eng_vtp_write(const char *path, const eng_vtp *data, cairn_error *error)
{
    whole_file file;
    writer w = {.count = 0};
    list_all(&w, data);
    cairn_status status = take_memory(&w)
                              ? begin_whole(&file, path, error)
                              : base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    if (status == CAIRN_OK) {
        w.file = file.stream;
        file.failed = !write_all(&w, data);
        status = end_whole(&file, error);
    }
    release_memory(&w);
    return status;
}

cairn_status eng_vti_write(const char *path, const eng_vti *data, cairn_error *error)
{
    whole_file file;
    BASE_TRY(begin_whole(&file, path, error));
    const int *n = data->cells;
    const double *o = data->origin, *d = data->spacing;
    size_t offset = 0, count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    locale_t before = base_plain_begin();
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
        fwrite(data->arrays[i].values.data, 1, size, file.stream);
    }
    base_plain_end(before);
    fputs("\n</AppendedData>\n</VTKFile>\n", file.stream);
    return end_whole(&file, error);
}

cairn_status eng_vtm_write(const char *path, const char *stem, const eng_vtm_source *sources,
                           int count, cairn_error *error)
{
    whole_file file;
    BASE_TRY(begin_whole(&file, path, error));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"vtkMultiBlockDataSet\" version=\"1.0\" "
          "byte_order=\"LittleEndian\">\n<vtkMultiBlockDataSet>\n",
          file.stream);
    for (int i = 0; i < count; i++)
        fprintf(file.stream,
                "<DataSet index=\"%d\" name=\"%d\" file=\"%s_%06d.vtp\" slot=\"%d\" "
                "generation=\"%u\"/>\n",
                i, i, stem, i, sources[i].slot, sources[i].generation);
    fputs("</vtkMultiBlockDataSet>\n</VTKFile>\n", file.stream);
    return end_whole(&file, error);
}

int eng_vtm_read(const char *path, eng_vtm_source *sources, int count)
{
    char line[512];
    int read = 0;
    const char *reason;
    FILE *file = base_file_read(path, &reason);
    while (file != NULL && read < count && fgets(line, sizeof line, file) != NULL) {
        const char *slot = strstr(line, " slot=\"");
        int index;
        if (sscanf(line, "<DataSet index=\"%d\"", &index) != 1)
            continue;
        if (index != read || slot == NULL ||
            sscanf(slot, " slot=\"%d\" generation=\"%u\"", &sources[read].slot,
                   &sources[read].generation) != 2)
            break;
        read++;
    }
    if (file != NULL)
        fclose(file);
    return read;
}

static const char pvd_end[] = "</Collection>\n</VTKFile>\n";

cairn_status eng_pvd_begin(const char *path, cairn_error *error)
{
    whole_file file;
    BASE_TRY(begin_whole(&file, path, error));
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
