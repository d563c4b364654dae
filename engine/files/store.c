// SPDX-License-Identifier: Apache-2.0
// Sealed HDF5 files of named arrays.
#include "engine/files/store.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    IMAGE_INCREMENT = 1 << 16,
    MARK_SIZE = 8,
    CHUNK_BYTES = 1 << 20,      // of a compressed array
    COMPRESSED_LEAST = 1 << 16, // bytes of an array: below, compression gains nothing
    DEFLATE_LEVEL = 1,
    // deflate shrinks a run of equal bytes by at most 1032
    INFLATION_MAX = 1100
};

static const char seal_mark[MARK_SIZE] = {'C', 'A', 'I', 'R', 'N', 'S', 'U', 'M'};

/// What follows the image.
typedef struct seal {
    char mark[MARK_SIZE];
    uint64_t size, hash; // of the image
} seal;

static const size_t sizes[ENG_STORE_TYPE_COUNT] = {
    [ENG_STORE_REAL] = sizeof(double),
    [ENG_STORE_INTEGER] = sizeof(int),
    [ENG_STORE_LONG] = sizeof(int64_t),
    [ENG_STORE_WORD] = sizeof(uint64_t),
    [ENG_STORE_BYTE] = 1,
};

// the names of HDF5's types are calls, so that they cannot stand in a constant table
static hid_t native_type(eng_store_type type)
{
    const hid_t types[ENG_STORE_TYPE_COUNT] = {
        [ENG_STORE_REAL] = H5T_NATIVE_DOUBLE, [ENG_STORE_INTEGER] = H5T_NATIVE_INT,
        [ENG_STORE_LONG] = H5T_NATIVE_INT64,  [ENG_STORE_WORD] = H5T_NATIVE_UINT64,
        [ENG_STORE_BYTE] = H5T_NATIVE_UINT8,
    };
    return types[type];
}

size_t eng_store_element_size(eng_store_type type)
{
    return sizes[type];
}

static void close_with(hid_t id, herr_t (*close_id)(hid_t))
{
    if (id >= 0)
        close_id(id);
}

// ---------------------------------------------------------------- writing

/// Bytes of an array's data.
static size_t bytes_of(const eng_store_array *array)
{
    return (size_t)array->count * (size_t)array->width * sizes[array->type];
}

/// Rows of at most CHUNK_BYTES together, but one at least: what is compressed and filled at a time.
static hsize_t rows_of_part(const eng_store_array *array)
{
    size_t row = (size_t)array->width * sizes[array->type];
    hsize_t rows = row < CHUNK_BYTES ? CHUNK_BYTES / row : 1;
    return rows < (hsize_t)array->count ? rows : (hsize_t)array->count;
}

/// Rows from `first` of an array: its own, or made in the buffer.
static const void *part_of(const eng_store_array *array, int64_t first, int64_t count, void *buffer)
{
    if (array->fill == NULL)
        return (const unsigned char *)array->data +
               (size_t)first * (size_t)array->width * sizes[array->type];
    array->fill(array->source, first, count, buffer);
    return buffer;
}

static size_t count_zeros(const unsigned char *bytes, size_t words)
{
    size_t zeros = 0;
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, bytes + i * sizeof word, sizeof word);
        zeros += word == 0;
    }
    return zeros;
}

/// Whether at least a third of an array's words are zero. History of contacts that do not touch and
/// forces that do not act are; coordinates are not, and would cost time without shrinking.
static bool is_sparse(const eng_store_array *array, void *buffer)
{
    size_t size = bytes_of(array), zeros = 0, words = 0;
    if (size < COMPRESSED_LEAST)
        return false;
    int64_t rows = (int64_t)rows_of_part(array);
    for (int64_t first = 0; first < array->count; first += rows) {
        int64_t count = first + rows < array->count ? rows : array->count - first;
        size_t part = (size_t)count * (size_t)array->width * sizes[array->type] / sizeof(uint64_t);
        zeros += count_zeros(part_of(array, first, count, buffer), part);
        words += part;
    }
    return zeros >= words / 3;
}

/// Parts of rows, shuffled and deflated.
static bool set_compressed(hid_t properties, const eng_store_array *array)
{
    hsize_t extent[2] = {rows_of_part(array), (hsize_t)array->width};
    return H5Pset_chunk(properties, array->width > 1 ? 2 : 1, extent) >= 0 &&
           H5Pset_shuffle(properties) >= 0 && H5Pset_deflate(properties, DEFLATE_LEVEL) >= 0;
}

/// Writes an array that is filled part by part.
static bool write_parts(hid_t set, hid_t type, const eng_store_array *array, void *buffer)
{
    int dimensions = array->width > 1 ? 2 : 1;
    int64_t rows = (int64_t)rows_of_part(array);
    hid_t all = H5Dget_space(set);
    bool good = all >= 0;
    for (int64_t at = 0; at < array->count && good; at += rows) {
        hsize_t first[2] = {(hsize_t)at, 0}, extent[2] = {(hsize_t)rows, (hsize_t)array->width};
        if (at + rows > array->count)
            extent[0] = (hsize_t)(array->count - at);
        hid_t part = H5Screate_simple(dimensions, extent, NULL);
        good = part >= 0 &&
               H5Sselect_hyperslab(all, H5S_SELECT_SET, first, NULL, extent, NULL) >= 0 &&
               H5Dwrite(set, type, part, all, H5P_DEFAULT,
                        part_of(array, at, (int64_t)extent[0], buffer)) >= 0;
        close_with(part, H5Sclose);
    }
    close_with(all, H5Sclose);
    return good;
}

/// Creation properties: groups on the way are made, no time stamps, sparse arrays compressed.
/// @param buffer  room for a part
static bool put_array(hid_t file, const eng_store_array *array, void *buffer)
{
    hsize_t extent[2] = {(hsize_t)array->count, (hsize_t)array->width};
    hid_t space = H5Screate_simple(array->width > 1 ? 2 : 1, extent, NULL);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID, type = native_type(array->type);
    bool good = space >= 0 && links >= 0 && properties >= 0 &&
                H5Pset_create_intermediate_group(links, 1) >= 0 &&
                H5Pset_obj_track_times(properties, false) >= 0 &&
                (!is_sparse(array, buffer) || set_compressed(properties, array));
    if (good)
        set = H5Dcreate2(file, array->name, type, space, links, properties, H5P_DEFAULT);
    good = good && set >= 0;
    if (good && array->count > 0)
        good = array->fill != NULL
                   ? write_parts(set, type, array, buffer)
                   : H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) >= 0;
    close_with(set, H5Dclose);
    close_with(properties, H5Pclose);
    close_with(links, H5Pclose);
    close_with(space, H5Sclose);
    return good;
}

/// The file as it is to be, in memory.
typedef struct sealed_image {
    void *bytes; // [end.size], of the C library's heap; owned
    seal end;
} sealed_image;

// HDF5 lets its memory be managed from outside. What it releases at the end of closing the file is
// the whole image: it is kept here instead of being copied out, which for a large world would
// double the memory that a checkpoint takes.

static void *image_allocate(size_t size, H5FD_file_image_op_t operation, void *context)
{
    (void)operation, (void)context;
    return malloc(size);
}

static void *image_copy(void *to, const void *from, size_t size, H5FD_file_image_op_t operation,
                        void *context)
{
    (void)operation, (void)context;
    return memcpy(to, from, size);
}

static void *image_resize(void *bytes, size_t size, H5FD_file_image_op_t operation, void *context)
{
    (void)operation, (void)context;
    return realloc(bytes, size);
}

static herr_t image_release(void *bytes, H5FD_file_image_op_t operation, void *context)
{
    sealed_image *image = context;
    if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE && image->bytes == NULL)
        image->bytes = bytes;
    else
        free(bytes);
    return 0;
}

static void *share_context(void *context)
{
    return context;
}

static herr_t leave_context(void *context)
{
    (void)context;
    return 0;
}

static hid_t create_image(sealed_image *image)
{
    H5FD_file_image_callbacks_t callbacks = {
        .image_malloc = image_allocate,
        .image_memcpy = image_copy,
        .image_realloc = image_resize,
        .image_free = image_release,
        .udata_copy = share_context,
        .udata_free = leave_context,
        .udata = image,
    };
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_fapl_core(access, IMAGE_INCREMENT, false) >= 0 &&
        H5Pset_file_image_callbacks(access, &callbacks) >= 0)
        file = H5Fcreate("store", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    close_with(access, H5Pclose);
    return file;
}

/// Builds the file in memory. Release `image->bytes` in any case.
static bool build_image(const eng_store_array *arrays, int count, sealed_image *image)
{
    *image = (sealed_image){0};
    hid_t file = create_image(image);
    if (file < 0)
        return false;
    size_t part = 0;
    for (int i = 0; i < count; i++) {
        size_t row = (size_t)arrays[i].width * sizes[arrays[i].type];
        size_t bytes = (size_t)rows_of_part(&arrays[i]) * row;
        part = bytes > part ? bytes : part;
    }
    void *buffer = malloc(part + 1);
    bool good = buffer != NULL;
    for (int i = 0; i < count && good; i++)
        good = put_array(file, &arrays[i], buffer);
    free(buffer);
    good = good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    ssize_t size = good ? H5Fget_file_image(file, NULL, 0) : -1;
    // closing makes the head of the file complete
    if (H5Fclose(file) < 0 || size <= 0 || image->bytes == NULL)
        return false;
    image->end.size = (uint64_t)size;
    image->end.hash = base_hash_bytes(BASE_HASH_START, image->bytes, (size_t)size);
    memcpy(image->end.mark, seal_mark, MARK_SIZE);
    return true;
}

/// A rename is on the disk once the folder is.
static void sync_folder(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        snprintf(folder, sizeof folder, ".");
    else
        slash[slash == folder] = '\0';
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    // file systems that cannot sync folders say so; the file itself is safe
    (void)fsync(descriptor);
    close(descriptor);
}

static cairn_status commit(const char *path, const sealed_image *image, cairn_error *error)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= PATH_MAX)
        return base_fail(error, CAIRN_ERROR_FILE, "path is too long: %.100s...", path);
    const char *fault = NULL;
    FILE *file = base_file_create_new(temporary, &fault);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", temporary, fault);
    bool good = base_write_all(fileno(file), image->bytes, (size_t)image->end.size) &&
                base_write_all(fileno(file), &image->end, sizeof image->end) &&
                fsync(fileno(file)) == 0;
    int reason = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(temporary, path) == 0) {
        sync_folder(path);
        return CAIRN_OK;
    }
    reason = good ? errno : reason;
    unlink(temporary);
    return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, strerror(reason));
}

cairn_status eng_store_write(const char *path, const eng_store_array *arrays, int count,
                             cairn_error *error)
{
    con_hdf5_silence silence = con_hdf5_silence_begin();
    sealed_image image;
    cairn_status status =
        build_image(arrays, count, &image)
            ? commit(path, &image, error)
            : base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory for the file's image", path);
    free(image.bytes);
    con_hdf5_silence_end(silence);
    return status;
}

// ---------------------------------------------------------------- reading

bool eng_store_found(const char *path)
{
    FILE *file = base_file_read(path, NULL);
    if (file == NULL)
        return false;
    seal end = {0};
    bool found = fseeko(file, -(off_t)sizeof end, SEEK_END) == 0 &&
                 fread(&end, sizeof end, 1, file) == 1 &&
                 memcmp(end.mark, seal_mark, MARK_SIZE) == 0;
    fclose(file);
    return found;
}

static cairn_status check_seal(const char *path, const unsigned char *bytes, size_t size,
                               cairn_error *error)
{
    seal end = {0};
    if (size > sizeof end)
        memcpy(&end, bytes + size - sizeof end, sizeof end);
    if (memcmp(end.mark, seal_mark, MARK_SIZE) != 0 || end.size != size - sizeof end)
        return base_fail(error, CAIRN_ERROR_FORMAT,
                         "%s: not a checkpoint, or one that is cut short", path);
    if (base_hash_bytes(BASE_HASH_START, bytes, (size_t)end.size) != end.hash)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: damaged: the checksum does not match",
                         path);
    return CAIRN_OK;
}

static cairn_status check_bytes(FILE *file, const char *path, base_arena *arena, cairn_error *error)
{
    struct stat information;
    if (fstat(fileno(file), &information) != 0)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be read", path);
    size_t size = (size_t)information.st_size;
    unsigned char *bytes = base_arena_allocate(arena, "file", size, 1);
    if (bytes == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    if (fread(bytes, 1, size, file) != size)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be read", path);
    return check_seal(path, bytes, size, error);
}

cairn_status eng_store_open(con_hdf5_reader *reader, const char *path, base_arena *arena,
                            cairn_error *error)
{
    *reader = (con_hdf5_reader){.file = H5I_INVALID_HID, .path = path};
    const char *reason = NULL;
    FILE *file = base_file_read(path, &reason);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    base_arena_mark mark = base_arena_get_mark(arena);
    cairn_status status = check_bytes(file, path, arena, error);
    fclose(file);
    base_arena_rewind(arena, mark);
    return status == CAIRN_OK ? con_hdf5_open(reader, path, arena, error) : status;
}

/// Whether a dataset's properties are those that eng_store_write gives: contiguous, or chunks that
/// are shuffled and deflated.
static bool is_laid_out_as_written(hid_t properties)
{
    if (H5Pget_external_count(properties) != 0)
        return false;
    if (H5Pget_layout(properties) == H5D_CONTIGUOUS)
        return true;
    hsize_t chunk[2] = {0, 1};
    int rank = H5Pget_layout(properties) == H5D_CHUNKED ? H5Pget_chunk(properties, 2, chunk) : 0;
    if (rank < 1 || rank > 2 || chunk[0] > CHUNK_BYTES || chunk[1] > CHUNK_BYTES ||
        chunk[0] * chunk[1] > CHUNK_BYTES)
        return false;
    unsigned flags, config;
    size_t values = 0;
    return H5Pget_nfilters(properties) == 2 &&
           H5Pget_filter2(properties, 0, &flags, &values, NULL, 0, NULL, &config) ==
               H5Z_FILTER_SHUFFLE &&
           H5Pget_filter2(properties, 1, &flags, (values = 0, &values), NULL, 0, NULL, &config) ==
               H5Z_FILTER_DEFLATE;
}

/// Whether the bytes that a dataset takes in the file can hold `size` bytes of data.
static bool has_storage_for(hid_t set, hid_t properties, uint64_t size)
{
    uint64_t stored = H5Dget_storage_size(set);
    return H5Pget_layout(properties) == H5D_CONTIGUOUS ? stored == size
                                                       : stored >= size / INFLATION_MAX;
}

/// NULL, or why a dataset cannot be what the array says.
static const char *fault_of(hid_t set, const eng_store_array *array)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set), properties = H5Dget_create_plist(set);
    uint64_t elements = (uint64_t)array->count * (uint64_t)array->width;
    const char *fault = NULL;
    if (type < 0 || space < 0 || properties < 0 || H5Tequal(type, native_type(array->type)) <= 0)
        fault = "not of the expected type";
    else if (!is_laid_out_as_written(properties))
        fault = "not stored as expected";
    else if (H5Sget_simple_extent_npoints(space) != (hssize_t)elements ||
             (elements > 0 && !has_storage_for(set, properties, bytes_of(array))))
        fault = "not of the expected size";
    close_with(properties, H5Pclose);
    close_with(space, H5Sclose);
    close_with(type, H5Tclose);
    return fault;
}

/// Opens the dataset of an array that has the array's type and size.
static cairn_status open_set(const con_hdf5_reader *reader, const eng_store_array *array,
                             hid_t *set)
{
    cairn_status status = con_hdf5_check_link(reader, reader->file, array->name);
    if (status != CAIRN_OK)
        return status;
    *set = H5Dopen2(reader->file, array->name, H5P_DEFAULT);
    if (*set < 0)
        return con_hdf5_refuse(reader, reader->file, array->name, "not a readable dataset");
    const char *fault = fault_of(*set, array);
    if (fault == NULL)
        return CAIRN_OK;
    H5Dclose(*set);
    return con_hdf5_refuse(reader, reader->file, array->name, "%s", fault);
}

cairn_status eng_store_check(const con_hdf5_reader *reader, const eng_store_array *array)
{
    hid_t set = H5I_INVALID_HID;
    cairn_status status = open_set(reader, array, &set);
    if (status == CAIRN_OK)
        H5Dclose(set);
    return status;
}

cairn_status eng_store_read(const con_hdf5_reader *reader, const eng_store_array *array)
{
    hid_t set = H5I_INVALID_HID;
    cairn_status status = open_set(reader, array, &set);
    if (status != CAIRN_OK)
        return status;
    bool good = array->count == 0 || H5Dread(set, native_type(array->type), H5S_ALL, H5S_ALL,
                                             H5P_DEFAULT, array->data) >= 0;
    H5Dclose(set);
    return good ? CAIRN_OK
                : con_hdf5_refuse(reader, reader->file, array->name, "data cannot be read");
}
