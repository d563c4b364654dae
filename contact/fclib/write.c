// SPDX-License-Identifier: Apache-2.0
// Problem files written: HDF5 built in memory, then one file that appears whole or not at all.
#include "contact/fclib/fclib.h"

#include "base/file.h"
#include "contact/fclib/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    COMPRESSED_FROM = 16384, // bytes; smaller arrays are stored as they are
    CHUNK_ELEMENTS = 65536,
    DEFLATE_LEVEL = 1,
    IMAGE_INCREMENT = 1 << 16,
    TEMPORARY_NAMES = 1000
};

// what is being written; after a failure every call does nothing
typedef struct writer {
    hid_t file;
    bool compress;
    bool failed;
} writer;

static hid_t writer_group(writer *to, hid_t parent, const char *name)
{
    if (to->failed)
        return H5I_INVALID_HID;
    hid_t group = H5Gcreate2(parent, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0)
        to->failed = true;
    return group;
}

static void writer_group_close(writer *to, hid_t group)
{
    if (group >= 0 && H5Gclose(group) < 0)
        to->failed = true;
}

// creation properties: no time stamps, long arrays shuffled and deflated
static hid_t dataset_properties(const writer *to, size_t count, size_t element_size)
{
    hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    if (properties < 0)
        return properties;
    herr_t status = H5Pset_obj_track_times(properties, false);
    if (to->compress && count * element_size >= COMPRESSED_FROM) {
        hsize_t chunk = count < CHUNK_ELEMENTS ? count : CHUNK_ELEMENTS;
        if (status >= 0)
            status = H5Pset_chunk(properties, 1, &chunk);
        if (status >= 0)
            status = H5Pset_shuffle(properties);
        if (status >= 0)
            status = H5Pset_deflate(properties, DEFLATE_LEVEL);
    }
    if (status >= 0)
        return properties;
    H5Pclose(properties);
    return H5I_INVALID_HID;
}

static bool dataset_create(hid_t group, const char *name, hid_t type, hid_t space, hid_t properties,
                           const void *data)
{
    hid_t dataset = H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (dataset < 0)
        return false;
    bool written = H5Sget_simple_extent_npoints(space) == 0 ||
                   H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    return H5Dclose(dataset) >= 0 && written;
}

static void write_array(writer *to, hid_t group, const char *name, hid_t type, size_t element_size,
                        size_t count, const void *data)
{
    if (to->failed)
        return;
    hsize_t length = count;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t properties = dataset_properties(to, count, element_size);
    to->failed =
        space < 0 || properties < 0 || !dataset_create(group, name, type, space, properties, data);
    if (properties >= 0)
        H5Pclose(properties);
    if (space >= 0)
        H5Sclose(space);
}

static void write_reals(writer *to, hid_t group, const char *name, size_t count, const double *data)
{
    if (data != NULL)
        write_array(to, group, name, H5T_NATIVE_DOUBLE, sizeof *data, count, data);
}

static void write_integers(writer *to, hid_t group, const char *name, size_t count, const int *data)
{
    write_array(to, group, name, H5T_NATIVE_INT, sizeof *data, count, data);
}

static void write_integer(writer *to, hid_t group, const char *name, int value)
{
    write_integers(to, group, name, 1, &value);
}

static void write_text(writer *to, hid_t group, const char *name, const char *text)
{
    if (to->failed)
        return;
    if (text == NULL)
        text = "";
    hid_t type = H5Tcopy(H5T_C_S1);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t properties = dataset_properties(to, 1, 1);
    to->failed = type < 0 || space < 0 || properties < 0 ||
                 H5Tset_size(type, strlen(text) + 1) < 0 ||
                 !dataset_create(group, name, type, space, properties, text);
    if (properties >= 0)
        H5Pclose(properties);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
}

static void write_matrix(writer *to, hid_t parent, const char *name, const con_sparse *a)
{
    if (a->start == NULL)
        return;
    int count = con_sparse_count(a);
    hid_t group = writer_group(to, parent, name);
    write_integer(to, group, "nzmax", count);
    write_integer(to, group, "m", a->rows);
    write_integer(to, group, "n", a->columns);
    write_integer(to, group, "nz", -1);
    write_integers(to, group, "p", (size_t)a->columns + 1, a->start);
    write_integers(to, group, "i", (size_t)count, a->index);
    write_reals(to, group, "x", (size_t)count, a->value);
    writer_group_close(to, group);
}

static void write_info(writer *to, hid_t parent, const con_fclib_info *info)
{
    if (info->title == NULL && info->description == NULL && info->math_info == NULL)
        return;
    hid_t group = writer_group(to, parent, "info");
    write_text(to, group, "title", info->title);
    write_text(to, group, "description", info->description);
    write_text(to, group, "math_info", info->math_info);
    writer_group_close(to, group);
}

static void write_local(writer *to, const con_fclib_problem *content)
{
    size_t rows = (size_t)content->dimension * (size_t)content->contact_count;
    hid_t group = writer_group(to, to->file,
                               content->rolling != NULL ? "fclib_local_rolling" : "fclib_local");
    write_integer(to, group, "spacedim", content->dimension);
    write_matrix(to, group, "W", &content->W);
    write_matrix(to, group, "V", &content->V);
    write_matrix(to, group, "S", &content->S);
    write_matrix(to, group, "R", &content->R);
    hid_t vectors = writer_group(to, group, "vectors");
    write_reals(to, vectors, "q", rows, content->q);
    write_reals(to, vectors, "s", (size_t)content->equality_count, content->s);
    write_reals(to, vectors, "mu", (size_t)content->contact_count, content->friction);
    write_reals(to, vectors, "mu_r", (size_t)content->contact_count, content->rolling);
    write_reals(to, vectors, "mu_s", (size_t)content->contact_count, content->spinning);
    writer_group_close(to, vectors);
    write_info(to, group, &content->info);
    writer_group_close(to, group);
}

static void write_global(writer *to, const con_fclib_problem *content)
{
    size_t rows = (size_t)content->dimension * (size_t)content->contact_count;
    hid_t group = writer_group(to, to->file,
                               content->rolling != NULL ? "fclib_global_rolling" : "fclib_global");
    write_integer(to, group, "spacedim", content->dimension);
    write_matrix(to, group, "M", &content->M);
    write_matrix(to, group, "H", &content->H);
    write_matrix(to, group, "G", &content->G);
    hid_t vectors = writer_group(to, group, "vectors");
    write_reals(to, vectors, "f", (size_t)content->velocity_count, content->f);
    write_reals(to, vectors, "w", rows, content->w);
    write_reals(to, vectors, "b", (size_t)content->equality_count, content->b);
    write_reals(to, vectors, "mu", (size_t)content->contact_count, content->friction);
    write_reals(to, vectors, "mu_r", (size_t)content->contact_count, content->rolling);
    write_reals(to, vectors, "mu_s", (size_t)content->contact_count, content->spinning);
    writer_group_close(to, vectors);
    write_info(to, group, &content->info);
    writer_group_close(to, group);
}

static void write_vectors(writer *to, hid_t parent, const char *name,
                          const con_fclib_problem *content, const con_fclib_vectors *vectors)
{
    size_t rows = (size_t)content->dimension * (size_t)content->contact_count;
    hid_t group = writer_group(to, parent, name);
    write_reals(to, group, "v", (size_t)content->velocity_count, vectors->v);
    write_reals(to, group, "u", rows, vectors->u);
    write_reals(to, group, "r", rows, vectors->r);
    write_reals(to, group, "l", (size_t)content->equality_count, vectors->l);
    writer_group_close(to, group);
}

static void write_guesses(writer *to, const con_fclib_problem *content)
{
    if (content->guess_count == 0)
        return;
    hid_t group = writer_group(to, to->file, "guesses");
    write_integer(to, group, "number_of_guesses", content->guess_count);
    for (int k = 0; k < content->guess_count; k++) {
        char name[16];
        snprintf(name, sizeof name, "%d", k + 1);
        write_vectors(to, group, name, content, &content->guesses[k]);
    }
    writer_group_close(to, group);
}

// an HDF5 file that lives in memory only
static hid_t create_in_memory(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0)
        return access;
    hid_t file = H5I_INVALID_HID;
    if (H5Pset_fapl_core(access, IMAGE_INCREMENT, false) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0)
        file = H5Fcreate("cairn problem", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

static cairn_status copy_image(hid_t file, base_arena *arena, void **image, size_t *size)
{
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0)
        return CAIRN_ERROR_FILE;
    ssize_t length = H5Fget_file_image(file, NULL, 0);
    if (length <= 0)
        return CAIRN_ERROR_FILE;
    *size = (size_t)length;
    *image = base_arena_allocate(arena, "problem file", *size, 1);
    if (*image == NULL)
        return CAIRN_ERROR_MEMORY;
    return H5Fget_file_image(file, *image, *size) == length ? CAIRN_OK : CAIRN_ERROR_FILE;
}

// the bytes of the file, in arena memory
static cairn_status build_image(const con_fclib_problem *content, base_arena *arena, void **image,
                                size_t *size)
{
    writer to = {.file = create_in_memory(), .compress = H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0};
    if (to.file < 0)
        return CAIRN_ERROR_FILE;
    if (content->form == CON_FCLIB_LOCAL)
        write_local(&to, content);
    else
        write_global(&to, content);
    write_guesses(&to, content);
    if (content->has_solution)
        write_vectors(&to, to.file, "solution", content, &content->solution);
    cairn_status status = to.failed ? CAIRN_ERROR_FILE : copy_image(to.file, arena, image, size);
    if (H5Fclose(to.file) < 0 && status == CAIRN_OK)
        status = CAIRN_ERROR_FILE;
    return status;
}

// a new file beside `path`; its name goes to `name`
static int open_temporary(const char *path, char *name, size_t size)
{
    for (int k = 0; k < TEMPORARY_NAMES; k++) {
        if (snprintf(name, size, "%s.%ld-%d.part", path, (long)getpid(), k) >= (int)size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

static cairn_status replace_file(const char *path, const void *bytes, size_t size,
                                 cairn_error *error)
{
    char name[PATH_MAX];
    const char *fault = base_file_in_the_way(path);
    if (fault != NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, fault);
    int descriptor = open_temporary(path, name, sizeof name);
    if (descriptor < 0)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot create: %s", path, strerror(errno));
    bool written = base_write_all(descriptor, bytes, size);
    int reason = errno;
    if (close(descriptor) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && rename(name, path) == 0)
        return CAIRN_OK;
    if (written)
        reason = errno;
    unlink(name);
    return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot write: %s", path, strerror(reason));
}

cairn_status con_fclib_save(const char *path, const con_fclib_problem *content, base_arena *arena,
                            cairn_error *error)
{
    base_arena_mark mark = base_arena_get_mark(arena);
    con_hdf5_silence silence = con_hdf5_silence_begin();
    void *image = NULL;
    size_t size = 0;
    cairn_status status = build_image(content, arena, &image, &size);
    con_hdf5_silence_end(silence);
    if (status == CAIRN_OK)
        status = replace_file(path, image, size, error);
    else
        base_fail(error, status, "%s: HDF5 could not build the file: %s", path,
                  cairn_status_text(status));
    base_arena_rewind(arena, mark);
    return status;
}
