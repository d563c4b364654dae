// SPDX-License-Identifier: Apache-2.0
// Layout of trajectory.h5, and how its readers open it.
#include "engine/files/trajectory.h"

#include "base/file.h"

enum { READ_ATTEMPTS = 20 };

const eng_trajectory_set eng_trajectory_sets[ENG_TRAJECTORY_COUNT] = {
    [ENG_TRAJECTORY_STEP] = {"step", "", 0, true},
    [ENG_TRAJECTORY_CONTACTS] = {"contacts", "", 0, true},
    [ENG_TRAJECTORY_POSITION] = {"position", "m", 3, false},
    [ENG_TRAJECTORY_ORIENTATION] = {"orientation_wxyz", "", 4, false},
    [ENG_TRAJECTORY_VELOCITY] = {"velocity", "m/s", 3, false},
    [ENG_TRAJECTORY_SPIN] = {"angular_velocity", "rad/s", 3, false},
    [ENG_TRAJECTORY_TIME] = {"time", "s", 0, false},
};

hid_t eng_trajectory_type(eng_trajectory_index set)
{
    return eng_trajectory_sets[set].whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
}

int eng_trajectory_shape(eng_trajectory_index set, int bodies, int64_t frames,
                         hsize_t shape[ENG_TRAJECTORY_RANK])
{
    shape[0] = (hsize_t)frames;
    shape[1] = (hsize_t)bodies;
    shape[2] = (hsize_t)eng_trajectory_sets[set].width;
    return eng_trajectory_sets[set].width > 0 ? 3 : 1;
}

hid_t eng_trajectory_open_file(const char *path)
{
    // HDF5 would wait for the other end of a pipe
    FILE *regular = base_file_read(path, NULL);
    if (regular == NULL)
        return H5I_INVALID_HID;
    fclose(regular);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_metadata_read_attempts(access, READ_ATTEMPTS) >= 0)
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    if (access >= 0)
        H5Pclose(access);
    return file;
}
