// SPDX-License-Identifier: Apache-2.0
// Layout of trajectory.h5, shared by its writer and its reader.
#ifndef CAIRN_ENGINE_FILES_TRAJECTORY_H
#define CAIRN_ENGINE_FILES_TRAJECTORY_H

#include "contact/fclib/hdf5.h"

/// Arrays in the order in which a frame is written; the last one counts the complete frames.
typedef enum eng_trajectory_index {
    ENG_TRAJECTORY_STEP,
    ENG_TRAJECTORY_CONTACTS,
    ENG_TRAJECTORY_POSITION,
    ENG_TRAJECTORY_ORIENTATION,
    ENG_TRAJECTORY_VELOCITY,
    ENG_TRAJECTORY_SPIN,
    ENG_TRAJECTORY_TIME,
    ENG_TRAJECTORY_COUNT
} eng_trajectory_index;

typedef struct eng_trajectory_set {
    const char *name, *unit;
    int width;  // numbers a body; 0: one number a frame
    bool whole; // int64, not double
} eng_trajectory_set;

extern const eng_trajectory_set eng_trajectory_sets[ENG_TRAJECTORY_COUNT];

/// CHUNK: frames in one chunk of an array with one number a frame, which is not compressed; the
/// others have chunks of one frame.
enum { ENG_TRAJECTORY_RANK = 3, ENG_TRAJECTORY_CHUNK = 1024 };

/// Type in memory.
hid_t eng_trajectory_type(eng_trajectory_index set);

/// Shape of so many frames of an array; returns its rank.
int eng_trajectory_shape(eng_trajectory_index set, int bodies, int64_t frames,
                         hsize_t shape[ENG_TRAJECTORY_RANK]);

/// Opens a file as one of many readers, which works while it is written and when its writer was
/// killed, too. Parts whose checksums are wrong are read again for about a millisecond: HDF5 by
/// itself waits twice as long each time, for ages in a damaged file. Negative on failure.
hid_t eng_trajectory_open_file(const char *path);

#endif
