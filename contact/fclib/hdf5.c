// SPDX-License-Identifier: Apache-2.0
// HDF5 access for problem files: silence, and reads that trust nothing in the file.
#include "contact/fclib/hdf5.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    NAME_SIZE = 128,
    FILTERS_MAX = 8,
    TEXT_MAX = 1 << 20,
    ZEROS_MAX = 1 << 20,
    IMAGE_INCREMENT = 1 << 16,
    // deflate shrinks a run of equal bytes by at most 1032
    INFLATION_MAX = 1100
};

con_hdf5_silence con_hdf5_silence_begin(void)
{
    con_hdf5_silence silence = {0};
    // its clean-up at exit complains about what damaged files leave behind in it
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &silence.function, &silence.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

void con_hdf5_silence_end(con_hdf5_silence silence)
{
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, silence.function, silence.data);
}

int con_hdf5_descriptor(hid_t file)
{
    void *handle = NULL;
    return H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle != NULL ? *(int *)handle
                                                                                : -1;
}

int con_hdf5_make_room(hid_t file, int64_t *reserved, int64_t more)
{
    hsize_t size = 0;
    int descriptor = con_hdf5_descriptor(file);
    if (descriptor < 0)
        return 0;
    if (H5Fget_filesize(file, &size) < 0)
        return EIO;
    if ((int64_t)size + more <= *reserved)
        return 0;
    int failed = posix_fallocate(descriptor, (off_t)size, (off_t)more);
    if (failed == 0)
        *reserved = (int64_t)size + more;
    // what else it may say is that the file system cannot reserve room
    return failed == ENOSPC || failed == EFBIG || failed == EDQUOT || failed == EIO ? failed : 0;
}

cairn_status con_hdf5_refuse(const con_hdf5_reader *reader, hid_t group, const char *name,
                             const char *reason, ...)
{
    char where[NAME_SIZE] = "";
    if (group >= 0 && H5Iget_name(group, where, sizeof where) < 0)
        where[0] = '\0';
    char text[CAIRN_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, reason);
    vsnprintf(text, sizeof text, reason, arguments);
    va_end(arguments);
    const char *slash = where[0] == '\0' || where[strlen(where) - 1] == '/' ? "" : "/";
    return base_fail(reader->error, CAIRN_ERROR_FORMAT, "%s: %s%s%s: %s", reader->path, where,
                     slash, name, text);
}

static cairn_status out_of_memory(const con_hdf5_reader *reader)
{
    return base_fail(reader->error, CAIRN_ERROR_MEMORY, "%s: out of memory", reader->path);
}

// the file's bytes; a file that changes its length meanwhile is read as far as it goes
static cairn_status load_file(con_hdf5_reader *reader, void **bytes)
{
    struct stat information = {0};
    const char *reason = NULL;
    FILE *file = base_file_read(reader->path, &reason);
    if (file == NULL)
        return base_fail(reader->error, CAIRN_ERROR_FILE, "%s: %s", reader->path, reason);
    cairn_status status = CAIRN_OK;
    if (fstat(fileno(file), &information) != 0)
        status = base_fail(reader->error, CAIRN_ERROR_FILE, "%s: cannot be read", reader->path);
    else if ((*bytes = base_arena_allocate(reader->arena, "file", (size_t)information.st_size,
                                           1)) == NULL)
        status = out_of_memory(reader);
    else
        reader->file_size = fread(*bytes, 1, (size_t)information.st_size, file);
    if (status == CAIRN_OK && ferror(file) != 0)
        status = base_fail(reader->error, CAIRN_ERROR_FILE, "%s: cannot be read", reader->path);
    fclose(file);
    return status;
}

// a group's description that says its contents lie nowhere: HDF5 1.10 reads from there and crashes.
// Numbers in data cannot look the same: eight bytes of ones are no index and no finite number
static bool has_lost_group(const unsigned char *bytes, size_t size)
{
    enum { HEAD = 8, ADDRESS = 8 };
    static const unsigned char head[4] = {0x11, 0, 0x10, 0}, zeros[3] = {0};
    static const unsigned char nowhere[ADDRESS] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    const unsigned char *at = bytes, *end = bytes + size;
    while (at < end && (at = memmem(at, (size_t)(end - at), head, sizeof head)) != NULL &&
           (size_t)(end - at) >= HEAD + 2 * ADDRESS) {
        bool message = memcmp(at + 5, zeros, sizeof zeros) == 0;
        if (message && (memcmp(at + HEAD, nowhere, ADDRESS) == 0 ||
                        memcmp(at + HEAD + ADDRESS, nowhere, ADDRESS) == 0))
            return true;
        at++;
    }
    return false;
}

// HDF5 works on a copy in memory: a damaged file can keep no descriptor or lock
static hid_t open_image(void *bytes, size_t size)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    if (access >= 0 && size > 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_fapl_core(access, IMAGE_INCREMENT, false) >= 0 &&
        H5Pset_file_image(access, bytes, size) >= 0)
        file = H5Fopen("problem", H5F_ACC_RDONLY, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}

cairn_status con_hdf5_open(con_hdf5_reader *reader, const char *path, base_arena *arena,
                           cairn_error *error)
{
    *reader =
        (con_hdf5_reader){.file = H5I_INVALID_HID, .path = path, .arena = arena, .error = error};
    base_arena_mark mark = base_arena_get_mark(arena);
    void *bytes = NULL;
    cairn_status status = load_file(reader, &bytes);
    if (status == CAIRN_OK) {
        if (!has_lost_group(bytes, reader->file_size))
            reader->file = open_image(bytes, reader->file_size);
        if (reader->file < 0)
            status = base_fail(error, CAIRN_ERROR_FORMAT,
                               "%s: not an HDF5 file, or a damaged or truncated one", path);
    }
    base_arena_rewind(arena, mark);
    return status;
}

void con_hdf5_close(con_hdf5_reader *reader)
{
    if (reader->file >= 0)
        H5Fclose(reader->file);
    reader->file = H5I_INVALID_HID;
}

bool con_hdf5_has(hid_t parent, const char *name)
{
    return H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

cairn_status con_hdf5_check_link(const con_hdf5_reader *reader, hid_t parent, const char *name)
{
    if (!con_hdf5_has(parent, name))
        return con_hdf5_refuse(reader, parent, name, "missing");
    H5L_info_t information;
    if (H5Lget_info(parent, name, &information, H5P_DEFAULT) < 0)
        return con_hdf5_refuse(reader, parent, name, "damaged link");
    if (information.type != H5L_TYPE_HARD)
        return con_hdf5_refuse(reader, parent, name, "a link to another place, which is refused");
    return CAIRN_OK;
}

cairn_status con_hdf5_open_group(const con_hdf5_reader *reader, hid_t parent, const char *name,
                                 hid_t *group)
{
    *group = H5I_INVALID_HID;
    BASE_TRY(con_hdf5_check_link(reader, parent, name));
    *group = H5Gopen2(parent, name, H5P_DEFAULT);
    return *group >= 0 ? CAIRN_OK : con_hdf5_refuse(reader, parent, name, "not a readable group");
}

// a dataset while it is read
typedef struct dataset {
    hid_t id;
    hid_t type;
    hid_t space;
    hid_t properties;
} dataset;

static void dataset_close(dataset *set)
{
    if (set->properties >= 0)
        H5Pclose(set->properties);
    if (set->space >= 0)
        H5Sclose(set->space);
    if (set->type >= 0)
        H5Tclose(set->type);
    if (set->id >= 0)
        H5Dclose(set->id);
}

static cairn_status dataset_open(const con_hdf5_reader *reader, hid_t group, const char *name,
                                 dataset *set)
{
    *set = (dataset){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID};
    BASE_TRY(con_hdf5_check_link(reader, group, name));
    set->id = H5Dopen2(group, name, H5P_DEFAULT);
    if (set->id < 0)
        return con_hdf5_refuse(reader, group, name, "not a readable dataset");
    set->type = H5Dget_type(set->id);
    set->space = H5Dget_space(set->id);
    set->properties = H5Dget_create_plist(set->id);
    if (set->type >= 0 && set->space >= 0 && set->properties >= 0)
        return CAIRN_OK;
    dataset_close(set);
    return con_hdf5_refuse(reader, group, name, "damaged dataset");
}

// plain storage in this file, with filters that every HDF5 has
static const char *layout_fault(const dataset *set, bool *filtered)
{
    H5D_layout_t layout = H5Pget_layout(set->properties);
    if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
        return "storage layout is not supported";
    if (H5Pget_external_count(set->properties) != 0)
        return "data in another file, which is refused";
    int filters = H5Pget_nfilters(set->properties);
    if (filters < 0 || filters > FILTERS_MAX)
        return "damaged filters";
    *filtered = filters > 0;
    for (int k = 0; k < filters; k++) {
        unsigned flags = 0;
        size_t values = 0;
        H5Z_filter_t filter =
            H5Pget_filter2(set->properties, (unsigned)k, &flags, &values, NULL, 0, NULL, NULL);
        if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
            filter != H5Z_FILTER_FLETCHER32)
            return "compression filter is not supported";
    }
    return NULL;
}

// a chunk is read whole, so it must be no larger than a file of this size can fill
static bool chunk_fits(const dataset *set, uint64_t limit, uint64_t element_size)
{
    if (H5Pget_layout(set->properties) != H5D_CHUNKED)
        return true;
    hsize_t sizes[H5S_MAX_RANK];
    int rank = H5Pget_chunk(set->properties, H5S_MAX_RANK, sizes);
    if (rank < 1 || rank > H5S_MAX_RANK)
        return false;
    uint64_t bytes = element_size;
    for (int k = 0; k < rank; k++)
        if (__builtin_mul_overflow(bytes, sizes[k], &bytes) || bytes > limit)
            return false;
    return true;
}

// number of elements, after checking that the file can hold them
static cairn_status dataset_count(const con_hdf5_reader *reader, hid_t group, const char *name,
                                  const dataset *set, int *count)
{
    bool filtered = false;
    const char *fault = layout_fault(set, &filtered);
    if (fault != NULL)
        return con_hdf5_refuse(reader, group, name, "%s", fault);
    hssize_t points = H5Sget_simple_extent_npoints(set->space);
    uint64_t element_size = H5Tget_size(set->type);
    uint64_t stored = H5Dget_storage_size(set->id);
    if (points < 0 || element_size == 0)
        return con_hdf5_refuse(reader, group, name, "damaged dataset");
    uint64_t limit = stored <= reader->file_size ? stored : reader->file_size;
    if (filtered)
        limit *= INFLATION_MAX;
    // data never written reads as zeros and takes no room; what is kept beside the dataset's
    // description is always written, and HDF5 reads it without a look at its length
    if (stored == 0 && H5Pget_layout(set->properties) != H5D_COMPACT)
        limit = ZEROS_MAX + reader->file_size;
    if ((uint64_t)points > limit / element_size || points > INT_MAX / 16)
        return con_hdf5_refuse(reader, group, name,
                               "%lld elements do not fit in a file of %llu bytes",
                               (long long)points, (unsigned long long)reader->file_size);
    if (points > 0 && !chunk_fits(set, reader->file_size * INFLATION_MAX, element_size))
        return con_hdf5_refuse(reader, group, name, "chunks are larger than the file can hold");
    *count = (int)points;
    return CAIRN_OK;
}

static cairn_status read_raw(const con_hdf5_reader *reader, hid_t group, const char *name,
                             const dataset *set, hid_t type, void *values, int count)
{
    if (count > 0 && H5Dread(set->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return con_hdf5_refuse(reader, group, name, "data cannot be read");
    return CAIRN_OK;
}

// reads 64-bit integers into scratch memory, then narrows them
static cairn_status narrow_integers(const con_hdf5_reader *reader, hid_t group, const char *name,
                                    const dataset *set, int *values, int count)
{
    base_arena_mark mark = base_arena_get_mark(reader->arena);
    int64_t *wide = base_arena_array(reader->arena, int64_t, "hdf5 integers", count);
    if (wide == NULL)
        return out_of_memory(reader);
    cairn_status status = read_raw(reader, group, name, set, H5T_NATIVE_INT64, wide, count);
    for (int k = 0; k < count && status == CAIRN_OK; k++) {
        if (wide[k] < INT_MIN || wide[k] > INT_MAX)
            status = con_hdf5_refuse(reader, group, name, "entry %d is %lld, outside 32 bits", k,
                                     (long long)wide[k]);
        else
            values[k] = (int)wide[k];
    }
    base_arena_rewind(reader->arena, mark);
    return status;
}

static cairn_status read_integers_of(const con_hdf5_reader *reader, hid_t group, const char *name,
                                     const dataset *set, int **values, int *count)
{
    if (H5Tget_class(set->type) != H5T_INTEGER || H5Tget_size(set->type) > sizeof(int64_t))
        return con_hdf5_refuse(reader, group, name, "must hold integers");
    BASE_TRY(dataset_count(reader, group, name, set, count));
    *values = base_arena_array(reader->arena, int, name, *count);
    if (*values == NULL)
        return out_of_memory(reader);
    return narrow_integers(reader, group, name, set, *values, *count);
}

cairn_status con_hdf5_read_integers(const con_hdf5_reader *reader, hid_t group, const char *name,
                                    int **values, int *count)
{
    dataset set;
    BASE_TRY(dataset_open(reader, group, name, &set));
    cairn_status status = read_integers_of(reader, group, name, &set, values, count);
    dataset_close(&set);
    return status;
}

cairn_status con_hdf5_read_integer(const con_hdf5_reader *reader, hid_t group, const char *name,
                                   int *value)
{
    int *values = NULL;
    int count = 0;
    BASE_TRY(con_hdf5_read_integers(reader, group, name, &values, &count));
    if (count != 1)
        return con_hdf5_refuse(reader, group, name, "must hold one number, not %d", count);
    *value = values[0];
    return CAIRN_OK;
}

static cairn_status check_finite(const con_hdf5_reader *reader, hid_t group, const char *name,
                                 const double *values, int count, bool *finite)
{
    if (finite != NULL)
        *finite = true;
    for (int k = 0; k < count; k++) {
        if (isfinite(values[k]))
            continue;
        if (finite == NULL)
            return con_hdf5_refuse(reader, group, name, "entry %d is not finite", k);
        *finite = false;
        break;
    }
    return CAIRN_OK;
}

static cairn_status read_reals_of(const con_hdf5_reader *reader, hid_t group, const char *name,
                                  const dataset *set, double **values, int *count)
{
    H5T_class_t class = H5Tget_class(set->type);
    size_t size = H5Tget_size(set->type);
    if (!(class == H5T_FLOAT && size <= 16) && !(class == H5T_INTEGER && size <= 8))
        return con_hdf5_refuse(reader, group, name, "must hold real numbers");
    BASE_TRY(dataset_count(reader, group, name, set, count));
    *values = base_arena_array(reader->arena, double, name, *count);
    if (*values == NULL)
        return out_of_memory(reader);
    return read_raw(reader, group, name, set, H5T_NATIVE_DOUBLE, *values, *count);
}

cairn_status con_hdf5_read_reals(const con_hdf5_reader *reader, hid_t group, const char *name,
                                 double **values, int *count, bool *finite)
{
    dataset set;
    BASE_TRY(dataset_open(reader, group, name, &set));
    cairn_status status = read_reals_of(reader, group, name, &set, values, count);
    dataset_close(&set);
    if (status != CAIRN_OK)
        return status;
    return check_finite(reader, group, name, *values, *count, finite);
}

static cairn_status read_text_of(const con_hdf5_reader *reader, hid_t group, const char *name,
                                 const dataset *set, const char **text)
{
    size_t size = H5Tget_size(set->type);
    if (H5Tget_class(set->type) != H5T_STRING || H5Tis_variable_str(set->type) != 0 || size == 0 ||
        size > TEXT_MAX)
        return CAIRN_OK;
    int count = 0;
    cairn_status status = dataset_count(reader, group, name, set, &count);
    if (status != CAIRN_OK || count != 1)
        return status;
    char *copy = base_arena_array(reader->arena, char, name, size + 1);
    if (copy == NULL)
        return out_of_memory(reader);
    status = read_raw(reader, group, name, set, set->type, copy, 1);
    copy[size] = '\0';
    *text = copy;
    return status;
}

cairn_status con_hdf5_read_text(const con_hdf5_reader *reader, hid_t group, const char *name,
                                const char **text)
{
    *text = NULL;
    if (!con_hdf5_has(group, name))
        return CAIRN_OK;
    dataset set;
    BASE_TRY(dataset_open(reader, group, name, &set));
    cairn_status status = read_text_of(reader, group, name, &set, text);
    dataset_close(&set);
    return status;
}

void con_hdf5_read_attribute(hid_t group, const char *name, int *value)
{
    if (H5Aexists(group, name) <= 0)
        return;
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    hid_t space = attribute >= 0 ? H5Aget_space(attribute) : H5I_INVALID_HID;
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    int64_t read = 0;
    if (space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
        H5Tget_class(type) == H5T_INTEGER && H5Tget_size(type) <= sizeof read &&
        H5Aread(attribute, H5T_NATIVE_INT64, &read) >= 0 && read > 0 && read <= INT_MAX)
        *value = (int)read;
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    if (attribute >= 0)
        H5Aclose(attribute);
}
