// SPDX-License-Identifier: Apache-2.0
// Motions that functions of the scene prescribe: the program's state outlives the load for them.
#ifndef CAIRN_SCENES_LOAD_MOTION_H
#define CAIRN_SCENES_LOAD_MOTION_H

#include "scenes/load/sandbox.h"
#include "scenes/scene.h"

/// The functions of one motion{}, or of the motor of a joint, which has a position alone:
/// references into the registry, LUA_NOREF where not given.
struct scn_motion {
    lua_State *L;
    char *body; // owned, for messages; of a motor the joint
    int position, orientation, angle, velocity, angular_velocity;
    double axis[3]; // of the angle
};

/// Asks the functions for a time; a cairn_motion_function whose context is the scn_motion.
/// Runs under the sandbox's limits of memory and instructions, anew for every call.
cairn_status scn_motion_evaluate(void *context, double time, cairn_motion *motion,
                                 cairn_error *error);

/// The same for a motor: a cairn_motor_function whose context is the scn_motion.
cairn_status scn_motor_evaluate(void *context, double time, double *value, cairn_error *error);

#endif
