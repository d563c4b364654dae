// SPDX-License-Identifier: Apache-2.0
// Frames of a run in place of those of a world.
#ifndef CAIRN_VIEWER_SIMULATION_REPLAY_H
#define CAIRN_VIEWER_SIMULATION_REPLAY_H

#include "viewer/draw/frame.h"

/// Reads a frame of a run whose bodies are the model's; memory is used again.
/// @return as cairn_replay_read; CAIRN_ERROR_FORMAT where the run has other bodies
cairn_status view_replay_take(view_frame *frame, const view_model *model, cairn_replay *replay,
                              int64_t index, cairn_error *error) CAIRN_CHECK_RESULT;

/// The state at a time between the first and the last frame: bodies move and turn evenly from one
/// frame to the next.
/// @return CAIRN_ERROR_ARGUMENT outside
cairn_status view_replay_take_at(view_frame *frame, const view_model *model, cairn_replay *replay,
                                 double time, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
