// SPDX-License-Identifier: Apache-2.0
// Values at the cells of a box as an HDF5 file.
#include "contact/fclib/hdf5.h"
#include "engine/files/vtp.h"

#include <stdlib.h>

enum { RANK_MAX = 5, IMAGE_INCREMENT = 1 << 20 };

/// A data set of doubles.
static bool put(hid_t file, const char *name, int rank, const hsize_t *sizes, const double *values)
{
    hid_t space = rank > 0 ? H5Screate_simple(rank, sizes, NULL) : H5Screate(H5S_SCALAR);
    hid_t set =
        H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good =
        set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0)
        H5Dclose(set);
    if (space >= 0)
        H5Sclose(space);
    return good;
}

static bool put_all(hid_t file, const eng_vti *data)
{
    const hsize_t three = 3;
    bool good = put(file, "time", 0, NULL, &data->time) &&
                put(file, "origin", 1, &three, data->origin) &&
                put(file, "spacing", 1, &three, data->spacing);
    for (int i = 0; i < data->array_count && good; i++) {
        const eng_vtp_array *a = &data->arrays[i];
        const int *n = data->cells;
        // a vector has three components, a tensor three by three
        const hsize_t sizes[RANK_MAX] = {(hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0], 3, 3};
        int rank = a->components == 9 ? 5 : a->components == 3 ? 4 : 3;
        good = put(file, a->name, rank, sizes, a->values.data);
    }
    return good && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

/// The file's bytes, the caller's to free; NULL when out of memory.
static void *make_image(const eng_vti *data, size_t *size)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_fapl_core(access, IMAGE_INCREMENT, false) >= 0)
        file = H5Fcreate("fields", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    bool good = file >= 0 && put_all(file, data);
    ssize_t length = good ? H5Fget_file_image(file, NULL, 0) : -1;
    void *bytes = length > 0 ? malloc((size_t)length) : NULL;
    if (bytes != NULL && H5Fget_file_image(file, bytes, (size_t)length) != length) {
        free(bytes);
        bytes = NULL;
    }
    if (file >= 0)
        H5Fclose(file);
    if (access >= 0)
        H5Pclose(access);
    *size = bytes != NULL ? (size_t)length : 0;
    return bytes;
}

cairn_status eng_image_write_hdf5(const char *path, const eng_vti *data, cairn_error *error)
{
    con_hdf5_silence silence = con_hdf5_silence_begin();
    size_t size;
    void *bytes = make_image(data, &size);
    con_hdf5_silence_end(silence);
    cairn_status status = bytes != NULL
                              ? eng_whole_write(path, bytes, size, error)
                              : base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    free(bytes);
    return status;
}
