// SPDX-License-Identifier: Apache-2.0
// Frames as whole numbers in few bytes, for the page (web/source/frames.js reads them).
//
// A frame is: number of bodies (u32); 1 where a bit for each body that is known follows, 0 where
// all are there (u8); nine columns of numbers; contacts. A column is an order of prediction (u8),
// the bytes of a number (u8), and the numbers' lowest bytes, then their second ones and so on.
// Numbers are differences from what the last two frames foretell, with the sign in the lowest bit.
// The columns are position x y z; kept part of the orientation, first to third; velocity x y z.
// Between position and orientation stand the bodies' parts that are left out of the orientation (0:
// w .. 3: z), as a column without prediction. The first frame of a block foretells nothing.
#ifndef CAIRN_CLI_EXPORT_EXPORT_STREAM_H
#define CAIRN_CLI_EXPORT_EXPORT_STREAM_H

#include "cli/export/export.h"

enum { EXPORT_COLUMNS = 9 };

/// How numbers become whole.
typedef struct export_scale {
    double origin[3]; // m, position 0
    double length;    // m, of a unit of position
    int turn;         // units of an orientation's part of 1
    int velocity_most, force_most;
    double velocity, force; // m/s and N of their largest units: u stands for (u / most)^2 of it
} export_scale;

/// What is remembered of a body.
typedef struct export_track {
    int32_t last[EXPORT_COLUMNS], before[EXPORT_COLUMNS];
    int left_out;  // part of the orientation
    int run;       // frames before this one that it was in without a gap, at most 2
    int64_t frame; // that it was in last
} export_track;

typedef struct export_stream {
    const export_model *model;
    export_scale scale;
    int most_contacts;
    export_track *tracks; // [model->body_count]
    int *row_of;          // [model->body_count] scratch
    int64_t frame, begun; // counted; first one of the block
    int32_t *numbers;     // scratch
    size_t room;
    export_bytes bytes; // of the block
    export_report report;
} export_stream;

/// @param stream  out; finish it whatever is returned
cairn_status export_stream_begin(export_stream *stream, const export_model *model,
                                 const export_scale *scale, int most_contacts) CAIRN_CHECK_RESULT;
void export_stream_finish(export_stream *stream);

/// Appends a frame to the block.
cairn_status export_stream_put(export_stream *stream,
                               const cairn_replay_frame *frame) CAIRN_CHECK_RESULT;

/// The block is over: a new one begins, which can be read without it.
void export_stream_cut(export_stream *stream);

#endif
