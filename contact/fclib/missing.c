// SPDX-License-Identifier: Apache-2.0
// Problem files of a build without HDF5: there are none, and it says so.
#include "contact/fclib/fclib.h"
#include "contact/fclib/hdf5.h"

con_hdf5_silence con_hdf5_silence_begin(void)
{
    return (con_hdf5_silence){0};
}

void con_hdf5_silence_end(con_hdf5_silence silence)
{
    (void)silence;
}

void con_hdf5_close(con_hdf5_reader *reader)
{
    (void)reader;
}

cairn_status con_fclib_read(const char *path, const base_allocator *allocator,
                            con_fclib_problem **problem, cairn_error *error)
{
    (void)allocator;
    *problem = NULL;
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s: this build has no HDF5", path);
}

cairn_status con_fclib_save(const char *path, const con_fclib_problem *content, base_arena *arena,
                            cairn_error *error)
{
    (void)content, (void)arena;
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s: this build has no HDF5", path);
}
