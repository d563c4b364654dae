// SPDX-License-Identifier: Apache-2.0
// Joints of a stopped world are set to a position: what hangs on them goes along.
#ifndef CAIRN_VIEWER_SIMULATION_JOINTS_H
#define CAIRN_VIEWER_SIMULATION_JOINTS_H

#include "viewer/draw/model.h"

/// Between steps: turns or moves all bodies that hang on one side of a joint (B's, or A's where B's
/// is held) as one, so that its coordinate is what is asked for and no other joint opens.
/// Velocities relative to the other side turn along.
/// @param joint  of the model, whose first joints are the world's
/// @param value  rad or m; of a hinge up to whole turns
/// @param moved  [model->body_count] out: which bodies were moved
/// @return CAIRN_ERROR_UNSUPPORTED where both sides are held, by the ground or by a loop of joints
cairn_status view_joint_set(cairn_world *world, const view_model *model, int joint, double value,
                            bool *moved, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
