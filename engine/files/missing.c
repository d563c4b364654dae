// SPDX-License-Identifier: Apache-2.0
// Files of a run in a build without HDF5: there are none, and it says so.
#include "engine/files/store.h"
#include "engine/files/vtp.h"

#include <cairn/trajectory.h>

static cairn_status refuse(const char *path, cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s: this build has no HDF5", path);
}

cairn_status eng_store_write(const char *path, const eng_store_array *arrays, int count,
                             cairn_error *error)
{
    (void)arrays, (void)count;
    return refuse(path, error);
}

bool eng_store_found(const char *path)
{
    (void)path;
    return false;
}

cairn_status eng_store_open(con_hdf5_reader *reader, const char *path, base_arena *arena,
                            cairn_error *error)
{
    *reader = (con_hdf5_reader){.path = path, .arena = arena, .error = error};
    return refuse(path, error);
}

cairn_status eng_store_check(const con_hdf5_reader *reader, const eng_store_array *array)
{
    (void)array;
    return refuse(reader->path, reader->error);
}

cairn_status eng_store_read(const con_hdf5_reader *reader, const eng_store_array *array)
{
    (void)array;
    return refuse(reader->path, reader->error);
}

cairn_status eng_image_write_hdf5(const char *path, const eng_vti *data, cairn_error *error)
{
    (void)data;
    return refuse(path, error);
}

const cairn_replay_info *cairn_replay_get_info(const cairn_replay *replay)
{
    (void)replay;
    return NULL;
}

cairn_status cairn_replay_get_body(const cairn_replay *replay, int number, cairn_replay_body *body)
{
    (void)replay, (void)number, (void)body;
    return CAIRN_ERROR_NOT_FOUND;
}
