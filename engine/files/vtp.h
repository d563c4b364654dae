// SPDX-License-Identifier: Apache-2.0
// XML files for ParaView, data appended raw: PolyData deflated by zlib, and images, these as HDF5
// too.
#ifndef CAIRN_ENGINE_FILES_VTP_H
#define CAIRN_ENGINE_FILES_VTP_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef enum eng_vtp_type {
    ENG_VTP_FLOAT32,
    ENG_VTP_FLOAT64,
    ENG_VTP_INT32,
    ENG_VTP_INT64
} eng_vtp_type;

/// Writes elements [first, first + count) of an array to `out`.
typedef void (*eng_vtp_fill)(const void *source, size_t first, size_t count, void *out);

/// The elements of an array: in memory, or made part by part while they are written, so that no
/// copy is kept.
typedef struct eng_vtp_values {
    const void *data; // borrowed; NULL where `fill` is given
    eng_vtp_fill fill;
    const void *source; // for it
} eng_vtp_values;

/// One named array over points or cells; an element is a point's or a cell's components.
typedef struct eng_vtp_array {
    const char *name;
    eng_vtp_type type;
    int components;
    eng_vtp_values values;
} eng_vtp_array;

/// Bytes of one element.
size_t eng_vtp_element_size(const eng_vtp_array *array);

/// Points with polygons, or points alone (each its own vertex cell when there is no polygon).
typedef struct eng_vtp {
    double time; // s
    size_t point_count;
    eng_vtp_values points; // float [point_count][3]
    const eng_vtp_array *point_arrays;
    int point_array_count;
    size_t polygon_count, corner_count;
    eng_vtp_values ends;    // int64_t [polygon_count] end of each polygon in corners
    eng_vtp_values corners; // int64_t [corner_count] points
    const eng_vtp_array *cell_arrays;
    int cell_array_count;
} eng_vtp;

/// Writes the file whole (temporary name, renamed), in memory for one block of an array at a time.
/// All memory is taken before the file is made.
/// @return CAIRN_ERROR_MEMORY, CAIRN_ERROR_FILE; nothing of the file is left then
cairn_status eng_vtp_write(const char *path, const eng_vtp *data,
                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Values at the middles of the cells of a box, x fastest; arrays of doubles in memory.
typedef struct eng_vti {
    double time; // s
    double origin[3], spacing[3];
    int cells[3];
    const eng_vtp_array *arrays;
    int array_count;
} eng_vti;

/// The same for an image, without compression.
cairn_status eng_vti_write(const char *path, const eng_vti *data,
                           cairn_error *error) CAIRN_CHECK_RESULT;

/// The same as HDF5: a data set [nz][ny][nx] an array, with its components behind, and `time`,
/// `origin` (the corner of the first cell) and `spacing`.
cairn_status eng_image_write_hdf5(const char *path, const eng_vti *data,
                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// Writes bytes as a file, whole or not at all.
cairn_status eng_whole_write(const char *path, const void *bytes, size_t size,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// What a block of an index stands for.
typedef struct eng_vtm_source {
    int slot; // -1: of none
    uint32_t generation;
} eng_vtm_source;

/// Writes an index of the `count` files STEM_000000.vtp, ..., beside it as blocks of one data set.
cairn_status eng_vtm_write(const char *path, const char *stem, const eng_vtm_source *sources,
                           int count, cairn_error *error) CAIRN_CHECK_RESULT;

/// What the first blocks of an index stand for. @return how many of them it tells, 0 where there is
/// no index
int eng_vtm_read(const char *path, eng_vtm_source *sources, int count);

/// Starts a .pvd index, or adds a file to it in place: its end is overwritten, so that the cost of
/// a frame does not grow with the frames there are.
cairn_status eng_pvd_begin(const char *path, cairn_error *error) CAIRN_CHECK_RESULT;
cairn_status eng_pvd_add(const char *path, double time, const char *file,
                         cairn_error *error) CAIRN_CHECK_RESULT;

/// Cuts an index down to its first `entries` files, whatever follows them.
/// @return CAIRN_ERROR_FORMAT when there are fewer
cairn_status eng_pvd_cut(const char *path, int entries, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
