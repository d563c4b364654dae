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
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IMAGE_INCREMENT = 1 << 16, MARK_SIZE = 8 };

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

/// Creation properties: groups on the way are made, no time stamps.
static bool put_array(hid_t file, const eng_store_array *array)
{
    hsize_t extent[2] = {(hsize_t)array->count, (hsize_t)array->width};
    hid_t space = H5Screate_simple(array->width > 1 ? 2 : 1, extent, NULL);
    hid_t links = H5Pcreate(H5P_LINK_CREATE), properties = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID, type = native_type(array->type);
    bool good = space >= 0 && links >= 0 && properties >= 0 &&
                H5Pset_create_intermediate_group(links, 1) >= 0 &&
                H5Pset_obj_track_times(properties, false) >= 0;
    if (good)
        set = H5Dcreate2(file, array->name, type, space, links, properties, H5P_DEFAULT);
    good =
        good && set >= 0 &&
        (array->count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) >= 0);
    close_with(set, H5Dclose);
    close_with(properties, H5Pclose);
    close_with(links, H5Pclose);
    close_with(space, H5Sclose);
    return good;
}

static hid_t create_image(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_fapl_core(access, IMAGE_INCREMENT, false) >= 0)
        file = H5Fcreate("store", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    close_with(access, H5Pclose);
    return file;
}

/// The whole file in memory, image and seal; NULL on failure.
static unsigned char *build_bytes(const eng_store_array *arrays, int count, base_arena *arena,
                                  size_t *size)
{
    hid_t file = create_image();
    bool good = file >= 0;
    for (int i = 0; i < count && good; i++)
        good = put_array(file, &arrays[i]);
    good = good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
    ssize_t image = good ? H5Fget_file_image(file, NULL, 0) : -1;
    unsigned char *bytes = NULL;
    if (image > 0)
        bytes = base_arena_allocate(arena, "image", (size_t)image + sizeof(seal), 1);
    if (bytes != NULL && H5Fget_file_image(file, bytes, (size_t)image) != image)
        bytes = NULL;
    close_with(file, H5Fclose);
    if (bytes == NULL)
        return NULL;
    seal end = {.size = (uint64_t)image};
    memcpy(end.mark, seal_mark, MARK_SIZE);
    end.hash = base_hash_bytes(BASE_HASH_START, bytes, (size_t)image);
    memcpy(bytes + image, &end, sizeof end);
    *size = (size_t)image + sizeof end;
    return bytes;
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

static cairn_status commit(const char *path, const unsigned char *bytes, size_t size,
                           cairn_error *error)
{
    char temporary[PATH_MAX];
    if (snprintf(temporary, sizeof temporary, "%s.part", path) >= PATH_MAX)
        return base_fail(error, CAIRN_ERROR_FILE, "path is too long: %.100s...", path);
    const char *fault = NULL;
    FILE *file = base_file_create_new(temporary, &fault);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", temporary, fault);
    bool good = base_write_all(fileno(file), bytes, size) && fsync(fileno(file)) == 0;
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
                             base_arena *arena, cairn_error *error)
{
    con_hdf5_silence silence = con_hdf5_silence_begin();
    base_arena_mark mark = base_arena_get_mark(arena);
    size_t size = 0;
    unsigned char *bytes = build_bytes(arrays, count, arena, &size);
    con_hdf5_silence_end(silence);
    cairn_status status = bytes != NULL ? commit(path, bytes, size, error)
                                        : base_fail(error, CAIRN_ERROR_MEMORY,
                                                    "%s: out of memory for the file's image", path);
    base_arena_rewind(arena, mark);
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

/// NULL, or why a dataset cannot be what the array says.
static const char *fault_of(hid_t set, const eng_store_array *array)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set), properties = H5Dget_create_plist(set);
    uint64_t elements = (uint64_t)array->count * (uint64_t)array->width;
    const char *fault = NULL;
    if (type < 0 || space < 0 || properties < 0 || H5Tequal(type, native_type(array->type)) <= 0)
        fault = "not of the expected type";
    else if (H5Pget_layout(properties) != H5D_CONTIGUOUS || H5Pget_external_count(properties) != 0)
        fault = "not stored as expected";
    else if (H5Sget_simple_extent_npoints(space) != (hssize_t)elements ||
             (elements > 0 && H5Dget_storage_size(set) != elements * sizes[array->type]))
        fault = "not of the expected size";
    close_with(properties, H5Pclose);
    close_with(space, H5Sclose);
    close_with(type, H5Tclose);
    return fault;
}

cairn_status eng_store_read(const con_hdf5_reader *reader, const eng_store_array *array)
{
    hid_t set = H5Dopen2(reader->file, array->name, H5P_DEFAULT);
    if (set < 0)
        return con_hdf5_refuse(reader, reader->file, array->name, "missing");
    const char *fault = fault_of(set, array);
    if (fault == NULL && array->count > 0 &&
        H5Dread(set, native_type(array->type), H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) < 0)
        fault = "data cannot be read";
    H5Dclose(set);
    return fault == NULL ? CAIRN_OK
                         : con_hdf5_refuse(reader, reader->file, array->name, "%s", fault);
}
