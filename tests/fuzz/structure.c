// SPDX-License-Identifier: Apache-2.0
// Changes of HDF5 files as such, for libFuzzer and for the driver of our own.
#include "tests/fuzz/structure.h"

#include "base/rng.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS_MAX = 200, PATH_SIZE = 160, VALUES_MAX = 4096, BYTES_MAX = 1 << 20 };

typedef struct structure {
    base_rng rng;
    hid_t file;
    int count;
    char path[PATHS_MAX][PATH_SIZE]; // [count] of all links
} structure;

static size_t below(structure *s, size_t bound)
{
    return bound == 0 ? 0 : (size_t)(base_rng_unit(&s->rng) * (double)bound);
}

static herr_t note_path(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group;
    (void)info;
    structure *s = context;
    if (strlen(name) < PATH_SIZE)
        strcpy(s->path[s->count++], name);
    return s->count == PATHS_MAX;
}

static const char *any_path(structure *s)
{
    return s->path[below(s, (size_t)s->count)];
}

static double any_real(structure *s)
{
    static const double reals[] = {
        0.0,   -0.0,   1.0,    -1.0,   0.5,  NAN,          INFINITY,           -INFINITY,
        1e308, -1e308, 5e-324, 1e-300, 1e15, 2147483648.0, 9007199254740993.0, 1e-9};
    return reals[below(s, sizeof reals / sizeof reals[0])];
}

static int64_t any_whole(structure *s)
{
    static const int64_t wholes[] = {0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     7,
                                     -1,
                                     -2,
                                     INT_MAX,
                                     INT_MIN,
                                     INT64_MAX,
                                     INT64_MIN,
                                     (int64_t)INT_MAX + 1,
                                     255,
                                     1000,
                                     65536};
    return wholes[below(s, sizeof wholes / sizeof wholes[0])];
}

// ---------------------------------------------------------------- types and shapes

/// A type to be closed by the caller.
static hid_t any_type(structure *s)
{
    const hid_t plain[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT,    H5T_NATIVE_INT64, H5T_NATIVE_FLOAT,
                           H5T_NATIVE_SCHAR,  H5T_NATIVE_UINT64, H5T_IEEE_F64BE,   H5T_STD_I32BE,
                           H5T_STD_U16LE,     H5T_STD_B8LE,      H5T_STD_REF_OBJ};
    const hsize_t three = 3;
    hid_t type = H5Tcopy(H5T_C_S1);
    switch (below(s, 8)) {
    case 0:
        H5Tset_size(type, 1 + below(s, 40));
        return type;
    case 1:
        H5Tset_size(type, H5T_VARIABLE);
        return type;
    case 2:
        H5Tclose(type);
        type = H5Tcreate(H5T_COMPOUND, 16);
        H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
        H5Tinsert(type, "i", 8, H5T_NATIVE_INT);
        return type;
    case 3:
        H5Tclose(type);
        return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three);
    case 4:
        H5Tclose(type);
        return H5Tvlen_create(H5T_NATIVE_DOUBLE);
    default:
        H5Tclose(type);
        return H5Tcopy(plain[below(s, sizeof plain / sizeof plain[0])]);
    }
}

/// A shape like another one, or none like it.
/// @param like  a data space, or negative
/// @param limited  out: whether it can be laid out without chunks
static hid_t any_space(structure *s, hid_t like, bool *limited)
{
    hsize_t shape[H5S_MAX_RANK] = {1}, limits[H5S_MAX_RANK];
    int rank = like >= 0 ? H5Sget_simple_extent_dims(like, shape, NULL) : 1;
    *limited = true;
    if (below(s, 10) == 0)
        return H5Screate(below(s, 2) == 0 ? H5S_SCALAR : H5S_NULL);
    if (rank <= 0 || below(s, 4) == 0) {
        rank = 1 + (int)below(s, 4);
        for (int i = 0; i < rank; i++)
            shape[i] = below(s, 5);
    }
    size_t which = below(s, (size_t)rank);
    switch (below(s, 5)) {
    case 0:
        shape[which] += 1;
        break;
    case 1:
        shape[which] -= shape[which] > 0;
        break;
    case 2:
        shape[which] = 0;
        break;
    case 3:
        shape[which] = (hsize_t)1 << (8 * below(s, 8)); // far more than the file holds
        break;
    default:
        break;
    }
    double values = 1.0;
    for (int i = 0; i < rank; i++) {
        values *= (double)shape[i];
        limits[i] = below(s, 3) == 0 ? H5S_UNLIMITED : shape[i];
        *limited = *limited && limits[i] == shape[i];
    }
    *limited = *limited && values <= VALUES_MAX;
    return H5Screate_simple(rank, shape, limits);
}

/// How a data set of a shape is kept: filters and chunks need no bytes of the file until they are
/// written.
static hid_t any_layout(structure *s, hid_t space, bool limited)
{
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    int rank = H5Sget_simple_extent_ndims(space);
    hsize_t chunk[H5S_MAX_RANK];
    if (rank > 0 && (!limited || below(s, 3) == 0)) {
        for (int i = 0; i < rank; i++)
            chunk[i] = 1 + below(s, 4);
        H5Pset_chunk(layout, rank, chunk);
        if (below(s, 3) == 0)
            H5Pset_shuffle(layout);
        if (below(s, 2) == 0)
            H5Pset_deflate(layout, 1);
        if (below(s, 4) == 0)
            H5Pset_fletcher32(layout);
    } else if (below(s, 4) == 0) {
        H5Pset_layout(layout, H5D_COMPACT);
    }
    if (below(s, 4) == 0) {
        double value = any_real(s);
        H5Pset_fill_value(layout, H5T_NATIVE_DOUBLE, &value);
    }
    return layout;
}

// ---------------------------------------------------------------- one change each

static void change_links(structure *s)
{
    const char *name = any_path(s), *other = any_path(s);
    switch (below(s, 7)) {
    case 0:
        H5Ldelete(s->file, name, H5P_DEFAULT);
        break;
    case 1:
        H5Lmove(s->file, name, s->file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 2: // each under the name of the other
        H5Lmove(s->file, name, s->file, "elsewhere", H5P_DEFAULT, H5P_DEFAULT);
        H5Lmove(s->file, other, s->file, name, H5P_DEFAULT, H5P_DEFAULT);
        H5Lmove(s->file, "elsewhere", s->file, other, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 3:
        H5Ldelete(s->file, name, H5P_DEFAULT);
        H5Lcreate_hard(s->file, other, s->file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 4:
        H5Ldelete(s->file, name, H5P_DEFAULT);
        H5Lcreate_soft(below(s, 2) == 0 ? name : other, s->file, name, H5P_DEFAULT, H5P_DEFAULT);
        break;
    case 5:
        H5Ldelete(s->file, name, H5P_DEFAULT);
        H5Lcreate_external(below(s, 2) == 0 ? "/dev/zero" : "x.h5", other, s->file, name,
                           H5P_DEFAULT, H5P_DEFAULT);
        break;
    default: // a circle of groups
        H5Lcreate_hard(s->file, "/", s->file, "again", H5P_DEFAULT, H5P_DEFAULT);
        break;
    }
}

/// Another kind of object under a name.
static void change_kind(structure *s)
{
    const char *name = any_path(s);
    H5Ldelete(s->file, name, H5P_DEFAULT);
    if (below(s, 2) == 0) {
        hid_t group = H5Gcreate2(s->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(group);
    } else {
        hid_t type = any_type(s);
        H5Tcommit2(s->file, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Tclose(type);
    }
}

/// A data set of another type, shape or layout under its name, with its numbers where they fit.
static void change_set(structure *s)
{
    const char *name = any_path(s);
    static double values[VALUES_MAX];
    bool limited = true;
    memset(values, 0, sizeof values);
    hid_t set = H5Dopen2(s->file, name, H5P_DEFAULT);
    hid_t like = set >= 0 ? H5Dget_space(set) : H5I_INVALID_HID;
    hid_t type = set >= 0 && below(s, 2) == 0 ? H5Dget_type(set) : any_type(s);
    hid_t space = any_space(s, like, &limited), layout = any_layout(s, space, limited);
    if (set >= 0 && H5Sget_simple_extent_npoints(like) <= VALUES_MAX)
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (set >= 0) {
        H5Sclose(like);
        H5Dclose(set);
    }
    H5Ldelete(s->file, name, H5P_DEFAULT);
    set = H5Dcreate2(s->file, name, type, space, H5P_DEFAULT, layout, H5P_DEFAULT);
    if (set >= 0) {
        if (limited && H5Sget_simple_extent_npoints(space) <= VALUES_MAX)
            H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        H5Dclose(set);
    }
    H5Pclose(layout);
    H5Sclose(space);
    H5Tclose(type);
}

/// Some numbers of a set, which keeps its type and shape: the file stays one that can be read.
static void change_numbers(structure *s)
{
    static union {
        double real[VALUES_MAX];
        int64_t whole[VALUES_MAX];
    } values;
    hid_t set = H5Dopen2(s->file, any_path(s), H5P_DEFAULT);
    if (set < 0)
        return;
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    bool whole = H5Tget_class(type) == H5T_INTEGER;
    hid_t memory = whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
    if (count > 0 && count <= VALUES_MAX &&
        H5Dread(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &values) >= 0) {
        for (size_t left = 1 + below(s, 3); left > 0; left--) {
            size_t at = below(s, (size_t)count), from = below(s, (size_t)count);
            size_t how = below(s, 3);
            if (whole)
                values.whole[at] = how == 0   ? any_whole(s)
                                   : how == 1 ? values.whole[from]
                                              : (int64_t)((uint64_t)values.whole[at] +
                                                          (below(s, 2) == 0 ? 1 : UINT64_MAX));
            else
                values.real[at] = how == 0   ? any_real(s)
                                  : how == 1 ? values.real[from]
                                             : -values.real[at];
        }
        H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, &values);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
}

/// A set that may grow gets another length, without numbers.
static void change_extent(structure *s)
{
    hid_t set = H5Dopen2(s->file, any_path(s), H5P_DEFAULT);
    if (set < 0)
        return;
    hsize_t shape[H5S_MAX_RANK];
    hid_t space = H5Dget_space(set);
    int rank = H5Sget_simple_extent_dims(space, shape, NULL);
    if (rank > 0) {
        shape[below(s, (size_t)rank)] = below(s, 6);
        H5Dset_extent(set, shape);
    }
    H5Sclose(space);
    H5Dclose(set);
}

static void change_attribute(structure *s)
{
    char name[64];
    hid_t object = H5Oopen(s->file, below(s, 2) == 0 ? "/" : any_path(s), H5P_DEFAULT);
    if (object < 0)
        return;
    H5O_info_t info;
    size_t count =
        H5Oget_info2(object, &info, H5O_INFO_NUM_ATTRS) >= 0 ? (size_t)info.num_attrs : 0;
    if (count > 0 && H5Aget_name_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, below(s, count),
                                        name, sizeof name, H5P_DEFAULT) > 0) {
        bool limited;
        int64_t whole[64] = {any_whole(s)};
        hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
        hid_t type = below(s, 2) == 0 ? H5Aget_type(attribute) : any_type(s);
        hid_t like = H5Aget_space(attribute);
        hid_t space = below(s, 2) == 0 ? H5Scopy(like) : any_space(s, like, &limited);
        H5Aclose(attribute);
        H5Adelete(object, name);
        if (below(s, 4) > 0 && H5Sget_simple_extent_npoints(space) <= 8) {
            attribute = H5Acreate2(object, below(s, 8) > 0 ? name : "other", type, space,
                                   H5P_DEFAULT, H5P_DEFAULT);
            H5Awrite(attribute, H5T_NATIVE_INT64, whole);
            H5Aclose(attribute);
        }
        H5Sclose(space);
        H5Sclose(like);
        H5Tclose(type);
    }
    H5Oclose(object);
}

static void change_one(structure *s)
{
    s->count = 0;
    if (H5Lvisit(s->file, H5_INDEX_NAME, H5_ITER_INC, note_path, s) < 0 || s->count == 0)
        return;
    switch (below(s, 12)) {
    case 0:
    case 1:
        change_links(s);
        break;
    case 2:
        change_kind(s);
        break;
    case 3:
    case 4:
        change_set(s);
        break;
    case 5:
        change_extent(s);
        break;
    case 6:
    case 7:
        change_attribute(s);
        break;
    default:
        change_numbers(s);
        break;
    }
}

size_t fuzz_change_structure(uint8_t *data, size_t size, size_t most, uint64_t seed)
{
    static structure s;
    size_t result = 0;
    s.rng = base_rng_make(seed);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    // in memory alone, and closed with whatever is left open in it
    H5Pset_fapl_core(access, 4096, false);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    if (size > 0 && size < BYTES_MAX && H5Pset_file_image(access, data, size) >= 0 &&
        (s.file = H5Fopen("cairn-fuzz-image", H5F_ACC_RDWR, access)) >= 0) {
        for (size_t left = 1 + below(&s, 4); left > 0; left--)
            change_one(&s);
        H5Fflush(s.file, H5F_SCOPE_GLOBAL);
        ssize_t length = H5Fget_file_image(s.file, NULL, 0);
        if (length > 0 && (size_t)length <= most && H5Fget_file_image(s.file, data, most) == length)
            result = (size_t)length;
        H5Fclose(s.file);
    }
    H5Pclose(access);
    return result;
}

// ---------------------------------------------------------------- libFuzzer

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

/// What files end in whose bytes were changed: HDF5 reads over it, and may crash or hang on the
/// rest.
static const char damaged_mark[] = "BYTES!!";

/// Mostly whole files, sometimes bytes, and then bytes ever after.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
    const size_t length = sizeof damaged_mark;
    bool damaged = size >= length && memcmp(data + size - length, damaged_mark, length) == 0;
    size_t changed = damaged || seed % 8 == 0 ? 0 : fuzz_change_structure(data, size, most, seed);
    if (changed > 0)
        return changed;
    size -= damaged ? length : 0;
    if (size + length > most)
        return LLVMFuzzerMutate(data, size, most);
    size = LLVMFuzzerMutate(data, size, most - length);
    memcpy(data + size, damaged_mark, length);
    return size + length;
}
