// SPDX-License-Identifier: Apache-2.0
// The frames of a run by bodies: where each of them is over time, all in memory.
#ifndef CAIRN_CLI_EXPORT_EXPORT_TRACKS_H
#define CAIRN_CLI_EXPORT_EXPORT_TRACKS_H

#include "cli/export/export.h"

/// A body over the frames. Before it comes it is where it appears, afterwards where it was last.
typedef struct export_path {
    float (*position)[3]; // [frame_count] m; NULL: fixed
    float (*turn)[4];     // [frame_count] x y z w, each on the shorter way from the one before
    float (*size)[3];     // [frame_count] 1 where it is there, else 0
    pose first;           // where it is first
    bool seen, moves, turns, comes; // comes: it is not in all frames
    int last;                       // frame that it was in last
} export_path;

typedef struct export_paths {
    const export_job *job;
    export_path *of; // [body_count]
    float *times;    // [frame_count] s, from the first frame on
    vec3 middle;     // m, of the box around all places of what moves
    double extent;   // m, its diagonal, or more
} export_paths;

/// @param bytes_most  more than that is refused
/// @param paths       out; release it whatever is returned
/// @return CAIRN_ERROR_ARGUMENT for more than bytes_most; CAIRN_ERROR_MEMORY; as export_read
cairn_status export_paths_read(export_paths *paths, const export_job *job, double bytes_most,
                               cairn_error *error) CAIRN_CHECK_RESULT;
void export_paths_release(export_paths *paths);

#endif
