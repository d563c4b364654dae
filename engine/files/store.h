// SPDX-License-Identifier: Apache-2.0
// Named arrays in one HDF5 file that appears whole or not at all and is sealed by a checksum.
//
// The file is one of HDF5 with 24 bytes behind it that HDF5 does not look at: "CAIRNSUM", the
// length of HDF5's part and its hash, little-endian. A file that was cut short or changed is
// refused before HDF5 sees it.
#ifndef CAIRN_ENGINE_FILES_STORE_H
#define CAIRN_ENGINE_FILES_STORE_H

#include "contact/fclib/hdf5.h"

typedef enum eng_store_type {
    ENG_STORE_REAL,    // double
    ENG_STORE_INTEGER, // int
    ENG_STORE_LONG,    // int64_t
    ENG_STORE_WORD,    // uint64_t
    ENG_STORE_BYTE,    // unsigned char
    ENG_STORE_TYPE_COUNT
} eng_store_type;

/// Writes elements [first, first + count) of an array to `out`; false where it cannot: then nothing
/// is saved.
typedef bool (*eng_store_fill)(const void *source, int64_t first, int64_t count, void *out);

/// One array [count][width]; data borrowed.
typedef struct eng_store_array {
    const char *name;
    eng_store_type type;
    int width;
    int64_t count;
    void *data; // NULL where count is 0 or `fill` is given
    eng_store_fill
        fill;           // of writing: makes the data part by part, so that no copy is kept; or NULL
    const void *source; // for it
} eng_store_array;

/// Bytes of one element.
static inline size_t eng_store_element_size(eng_store_type type)
{
    static const unsigned char sizes[ENG_STORE_TYPE_COUNT] = {
        [ENG_STORE_REAL] = sizeof(double),
        [ENG_STORE_INTEGER] = sizeof(int),
        [ENG_STORE_LONG] = sizeof(int64_t),
        [ENG_STORE_WORD] = sizeof(uint64_t),
        [ENG_STORE_BYTE] = 1,
    };
    return sizes[type];
}

/// Writes the arrays: temporary name, synced, renamed, folder synced. A file of that name stays
/// what it was until the new one is complete. Large arrays with many zeros are compressed.
cairn_status eng_store_write(const char *path, const eng_store_array *arrays, int count,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether the last bytes of a file are a seal.
bool eng_store_found(const char *path);

/// Opens a file after checking its seal. Close it with con_hdf5_close.
/// @return CAIRN_ERROR_FILE (not there), CAIRN_ERROR_FORMAT (with the reason), CAIRN_ERROR_MEMORY
cairn_status eng_store_open(con_hdf5_reader *reader, const char *path, base_arena *arena,
                            cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether the file has an array of the type and size that `array` says, and bytes enough for it:
/// asked before memory is taken for what a file claims to hold. `array->data` is not looked at.
cairn_status eng_store_check(const con_hdf5_reader *reader,
                             const eng_store_array *array) CAIRN_CHECK_RESULT;

/// Reads an array into `array->data`; type and size must be those that the array says.
cairn_status eng_store_read(const con_hdf5_reader *reader,
                            const eng_store_array *array) CAIRN_CHECK_RESULT;

#endif
