// SPDX-License-Identifier: Apache-2.0
// HDF5 access for problem files: silence, and reads that trust nothing in the file.
#ifndef CAIRN_CONTACT_FCLIB_HDF5_H
#define CAIRN_CONTACT_FCLIB_HDF5_H

#include "base/memory.h"

#include <stdbool.h>
#ifndef CAIRN_NO_HDF5
#include <hdf5.h>
#else
// a build without HDF5 (contact/fclib/missing.c) never has one of these
typedef int64_t hid_t;
typedef void *H5E_auto2_t;
#endif

/// The printing of HDF5's error stack, as it was before our call.
typedef struct con_hdf5_silence {
    H5E_auto2_t function;
    void *data;
} con_hdf5_silence;

con_hdf5_silence con_hdf5_silence_begin(void);
void con_hdf5_silence_end(con_hdf5_silence silence);

/// The descriptor that HDF5 writes a file with; -1 where it does not tell.
int con_hdf5_descriptor(hid_t file);

/// Takes room for so many bytes behind the end of a file from the disk before HDF5 changes
/// anything: where a disk were found to be full in the middle, HDF5 would leave a file that it
/// cannot close. The file may be longer than HDF5 takes it for until it is cut.
/// @param reserved  bytes that the file has on the disk for certain, of earlier calls; 0 at first
/// @return 0, or the number of the system's error
int con_hdf5_make_room(hid_t file, int64_t *reserved, int64_t more);

/// A file opened for reading, with what a message needs.
typedef struct con_hdf5_reader {
    hid_t file;
    const char *path;   // borrowed
    uint64_t file_size; // bytes; no dataset may claim more than such a file can hold
    base_arena *arena;  // where arrays go
    cairn_error *error; // may be NULL
} con_hdf5_reader;

/// Reads the file into memory and opens that copy.
/// @return CAIRN_ERROR_FILE when there is no such regular file, CAIRN_ERROR_FORMAT when it is not
///         HDF5. Nothing is left open on failure.
cairn_status con_hdf5_open(con_hdf5_reader *reader, const char *path, base_arena *arena,
                           cairn_error *error) CAIRN_CHECK_RESULT;
void con_hdf5_close(con_hdf5_reader *reader);

/// True where `parent` has a link of that name (dangling or not).
bool con_hdf5_has(hid_t parent, const char *name);

/// CAIRN_ERROR_FORMAT where `parent` has no link of that name, or one that leads elsewhere (another
/// name, another file).
cairn_status con_hdf5_check_link(const con_hdf5_reader *reader, hid_t parent,
                                 const char *name) CAIRN_CHECK_RESULT;

/// Opens a group behind a hard link; the caller closes it with H5Gclose.
cairn_status con_hdf5_open_group(const con_hdf5_reader *reader, hid_t parent, const char *name,
                                 hid_t *group) CAIRN_CHECK_RESULT;

/// Reads a dataset of integers (any width, any shape) as int; values outside int are refused.
/// @param count  out; *values [*count] in arena memory
cairn_status con_hdf5_read_integers(const con_hdf5_reader *reader, hid_t group, const char *name,
                                    int **values, int *count) CAIRN_CHECK_RESULT;

/// Reads one integer: a dataset with one element.
cairn_status con_hdf5_read_integer(const con_hdf5_reader *reader, hid_t group, const char *name,
                                   int *value) CAIRN_CHECK_RESULT;

/// Reads a dataset of numbers as doubles.
/// @param finite  out: all values are finite; NULL refuses values that are not
cairn_status con_hdf5_read_reals(const con_hdf5_reader *reader, hid_t group, const char *name,
                                 double **values, int *count, bool *finite) CAIRN_CHECK_RESULT;

/// Reads a text of fixed length; NULL where it is absent, of variable length or no text.
cairn_status con_hdf5_read_text(const con_hdf5_reader *reader, hid_t group, const char *name,
                                const char **text) CAIRN_CHECK_RESULT;

/// An attribute of one positive integer; *value stays as it is where there is none.
void con_hdf5_read_attribute(hid_t group, const char *name, int *value);

/// CAIRN_ERROR_FORMAT with "path: group/name: reason".
cairn_status con_hdf5_refuse(const con_hdf5_reader *reader, hid_t group, const char *name,
                             const char *reason, ...) CAIRN_PRINTF(4, 5);

#endif
