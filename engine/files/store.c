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
    MARK_SIZE = 8,
    CHUNK_BYTES = 1 << 20,      // of a compressed array
    COMPRESSED_LEAST = 1 << 16, // bytes of an array: below, compression gains nothing
    DEFLATE_LEVEL = 1,
    // deflate shrinks a run of equal bytes by at most 1032
    INFLATION_MAX = 1100
};

static const char seal_mark[MARK_SIZE] = {'C', 'A', 'I', 'R', 'N', 'S', 'U', 'M'};

/// What follows what HDF5 wrote.
typedef struct seal {
    char mark[MARK_SIZE];
    uint64_t size, hash; // of what HDF5 wrote
} seal;

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

static void close_with(hid_t id, herr_t (*close_id)(hid_t))
{
    if (id >= 0)
        close_id(id);
}

// ---------------------------------------------------------------- writing

/// Bytes of an array's data.
static size_t bytes_of(const eng_store_array *array)
{
    return (size_t)array->count * (size_t)array->width * eng_store_element_size(array->type);
}

/// Rows of at most CHUNK_BYTES together, but one at least: what is compressed and filled at a time.
static hsize_t rows_of_part(const eng_store_array *array)
{
    size_t row = (size_t)array->width * eng_store_element_size(array->type);
    hsize_t rows = row < CHUNK_BYTES ? CHUNK_BYTES / row : 1;
    return rows < (hsize_t)array->count ? rows : (hsize_t)array->count;
}

/// Rows from `first` of an array: its own, or made in the buffer; NULL where they cannot be made.
static const void *part_of(const eng_store_array *array, int64_t first, int64_t count, void *buffer)
{
    if (array->fill == NULL)
        return (const unsigned char *)array->data +
               (size_t)first * (size_t)array->width * eng_store_element_size(array->type);
    return array->fill(array->source, first, count, buffer) ? buffer : NULL;
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
        size_t part = (size_t)count * (size_t)array->width * eng_store_element_size(array->type) /
                      sizeof(uint64_t);
        const void *bytes = part_of(array, first, count, buffer);
        // it fails again when it is written
        if (bytes == NULL)
            return false;
        zeros += count_zeros(bytes, part);
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

/// A file that is being written under a temporary name.
typedef struct unsealed_file {
    char path[PATH_MAX];
    hid_t file;
    int64_t reserved; // bytes that the disk has given it
    int reason;       // number of the system's error; 0: none
    bool no_memory;
} unsealed_file;

/// Room for what HDF5 writes next: so many bytes, with its own tables of an array.
static bool make_room(unsealed_file *to, size_t bytes)
{
    enum { TABLES = 4096 };
    to->reason = con_hdf5_make_room(to->file, &to->reserved, (int64_t)bytes + TABLES);
    return to->reason == 0;
}

/// Rows [at, at + rows) of an array that is filled or compressed part by part.
static bool write_part(unsealed_file *to, hid_t set, hid_t all, const eng_store_array *array,
                       int64_t at, int64_t rows, void *buffer)
{
    int dimensions = array->width > 1 ? 2 : 1;
    hsize_t first[2] = {(hsize_t)at, 0}, extent[2] = {(hsize_t)rows, (hsize_t)array->width};
    hid_t part = H5Screate_simple(dimensions, extent, NULL);
    const void *bytes = part_of(array, at, rows, buffer);
    bool good =
        part >= 0 && bytes != NULL &&
        make_room(to, (size_t)rows * (size_t)array->width * eng_store_element_size(array->type)) &&
        H5Sselect_hyperslab(all, H5S_SELECT_SET, first, NULL, extent, NULL) >= 0 &&
        H5Dwrite(set, native_type(array->type), part, all, H5P_DEFAULT, bytes) >= 0;
    close_with(part, H5Sclose);
    return good;
}

static bool write_parts(unsealed_file *to, hid_t set, const eng_store_array *array, void *buffer)
{
    int64_t rows = (int64_t)rows_of_part(array);
    hid_t all = H5Dget_space(set);
    bool good = all >= 0;
    for (int64_t at = 0; at < array->count && good; at += rows)
        good = write_part(to, set, all, array, at,
                          at + rows < array->count ? rows : array->count - at, buffer);
    close_with(all, H5Sclose);
    return good;
}

/// Creation properties: groups on the way are made, no time stamps, sparse arrays compressed. Parts
/// are written at once, so that the file's size tells what room there was.
/// @param buffer  room for a part
static bool put_array(unsealed_file *to, const eng_store_array *array, void *buffer)
{
    hsize_t extent[2] = {(hsize_t)array->count, (hsize_t)array->width};
    hid_t space = H5Screate_simple(array->width > 1 ? 2 : 1, extent, NULL);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS), set = H5I_INVALID_HID;
    bool sparse = is_sparse(array, buffer);
    bool good = space >= 0 && links >= 0 && properties >= 0 && access >= 0 &&
                H5Pset_create_intermediate_group(links, 1) >= 0 &&
                H5Pset_obj_track_times(properties, false) >= 0 &&
                H5Pset_chunk_cache(access, 0, 0, 1.0) >= 0 &&
                (!sparse || set_compressed(properties, array)) &&
                make_room(to, sparse ? 0 : bytes_of(array));
    if (good)
        set = H5Dcreate2(to->file, array->name, native_type(array->type), space, links, properties,
                         access);
    good = good && set >= 0 && (array->count == 0 || write_parts(to, set, array, buffer));
    close_with(set, H5Dclose);
    close_with(access, H5Pclose);
    close_with(properties, H5Pclose);
    close_with(links, H5Pclose);
    close_with(space, H5Sclose);
    return good;
}

static bool create_file(unsealed_file *to)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    // what an earlier run left; a link in its place is removed, not followed
    unlink(to->path);
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0) {
        errno = 0;
        to->file = H5Fcreate(to->path, H5F_ACC_EXCL, H5P_DEFAULT, access);
        to->reason = to->file < 0 ? errno : 0;
    }
    close_with(access, H5Pclose);
    return to->file >= 0;
}

/// Writes HDF5's part of the file. @param size  out, bytes
static bool write_arrays(unsealed_file *to, const eng_store_array *arrays, int count, int64_t *size)
{
    if (!create_file(to))
        return false;
    size_t part = 0;
    for (int i = 0; i < count; i++) {
        size_t row = (size_t)arrays[i].width * eng_store_element_size(arrays[i].type);
        size_t bytes = (size_t)rows_of_part(&arrays[i]) * row;
        part = bytes > part ? bytes : part;
    }
    void *buffer = malloc(part + 1);
    to->no_memory = buffer == NULL;
    bool good = buffer != NULL;
    for (int i = 0; i < count && good; i++)
        good = put_array(to, &arrays[i], buffer);
    free(buffer);
    hsize_t end = 0;
    good = good && make_room(to, 0) && H5Fflush(to->file, H5F_SCOPE_GLOBAL) >= 0 &&
           H5Fget_filesize(to->file, &end) >= 0;
    *size = (int64_t)end;
    return H5Fclose(to->file) >= 0 && good;
}

/// Hash of the first bytes of a file; false with errno where they cannot be read.
static bool hash_file(FILE *file, uint64_t size, uint64_t *hash)
{
    enum { PART = 1 << 16 };
    unsigned char bytes[PART];
    *hash = BASE_HASH_START;
    rewind(file);
    while (size > PART) {
        if (fread(bytes, 1, PART, file) != PART)
            return false;
        *hash = base_hash_words(*hash, bytes, PART / 8);
        size -= PART;
    }
    if (fread(bytes, 1, (size_t)size, file) != size)
        return false;
    *hash = base_hash_bytes(*hash, bytes, (size_t)size);
    return true;
}

/// Puts the seal behind HDF5's part, whose room on the disk may be longer.
static bool seal_file(const char *path, int64_t size)
{
    seal end = {.size = (uint64_t)size};
    memcpy(end.mark, seal_mark, MARK_SIZE);
    FILE *file = base_file_change(path, NULL);
    if (file == NULL)
        return false;
    bool good = hash_file(file, end.size, &end.hash) && ftruncate(fileno(file), (off_t)size) == 0 &&
                lseek(fileno(file), (off_t)size, SEEK_SET) == (off_t)size &&
                base_write_all(fileno(file), &end, sizeof end) && fsync(fileno(file)) == 0;
    int reason = errno;
    if (fclose(file) != 0 && good)
        return false;
    errno = reason;
    return good;
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

cairn_status eng_store_write(const char *path, const eng_store_array *arrays, int count,
                             cairn_error *error)
{
    unsealed_file to = {.file = H5I_INVALID_HID};
    int64_t size = 0;
    if (snprintf(to.path, sizeof to.path, "%s.part", path) >= PATH_MAX)
        return base_fail(error, CAIRN_ERROR_FILE, "path is too long: %.100s...", path);
    const char *reason = base_file_in_the_way(path);
    if (reason != NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    bool good = write_arrays(&to, arrays, count, &size);
    con_hdf5_silence_end(silence);
    if (good && (!seal_file(to.path, size) || rename(to.path, path) != 0)) {
        good = false;
        to.reason = errno;
    }
    if (good) {
        sync_folder(path);
        return CAIRN_OK;
    }
    unlink(to.path);
    if (to.no_memory)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path,
                     to.reason != 0 ? strerror(to.reason) : "the file could not be written");
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

static cairn_status check_seal(FILE *file, const char *path, cairn_error *error)
{
    struct stat information;
    seal end = {0};
    uint64_t hash = 0, size = 0;
    if (fstat(fileno(file), &information) != 0)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be read", path);
    if (information.st_size > (off_t)sizeof end)
        size = (uint64_t)information.st_size - sizeof end;
    if (size > 0 &&
        (fseeko(file, (off_t)size, SEEK_SET) != 0 || fread(&end, sizeof end, 1, file) != 1))
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be read", path);
    if (memcmp(end.mark, seal_mark, MARK_SIZE) != 0 || end.size != size)
        return base_fail(error, CAIRN_ERROR_FORMAT,
                         "%s: not a checkpoint, or one that is cut short", path);
    if (!hash_file(file, size, &hash))
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be read", path);
    if (hash != end.hash)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: damaged: the checksum does not match",
                         path);
    return CAIRN_OK;
}

cairn_status eng_store_open(con_hdf5_reader *reader, const char *path, base_arena *arena,
                            cairn_error *error)
{
    *reader = (con_hdf5_reader){.file = H5I_INVALID_HID, .path = path};
    const char *reason = NULL;
    FILE *file = base_file_read(path, &reason);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    cairn_status status = check_seal(file, path, error);
    fclose(file);
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
    BASE_TRY(con_hdf5_check_link(reader, reader->file, array->name));
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
    BASE_TRY(open_set(reader, array, &set));
    bool good = array->count == 0 || H5Dread(set, native_type(array->type), H5S_ALL, H5S_ALL,
                                             H5P_DEFAULT, array->data) >= 0;
    H5Dclose(set);
    return good ? CAIRN_OK
                : con_hdf5_refuse(reader, reader->file, array->name, "data cannot be read");
}
