// SPDX-License-Identifier: Apache-2.0
// Motions that functions of the scene prescribe: the program's state outlives the load for them.
#ifndef CAIRN_SCENES_LOAD_MOTION_H
#define CAIRN_SCENES_LOAD_MOTION_H

#include "scenes/load/fields.h"
#include "scenes/load/sandbox.h"
#include "scenes/scene.h"

/// Three numbers that may each be one, or a function of the time; or all of them one function that
/// returns them. References into the registry; LUA_NOREF where there is none.
typedef struct scn_vector_source {
    bool given;
    int whole, part[3];
    double number[3]; // of parts without a function
} scn_vector_source;

/// The functions of one motion{}, load{} or gravity{}, of the motor of a joint, of a servo or of a
/// condition: references into the registry, LUA_NOREF where not given.
struct scn_motion {
    lua_State *L;
    char *body;       // owned, for messages; of a motor the joint, of a condition what it decides
    scn_scene *scene; // of a condition and of a servo
    int value;        // of a motor, a servo or a condition
    int orientation, angle; // of motion{}
    double axis[3];         // of the angle
    /// Of motion{}: position, velocity and angular velocity; of load{}: force and torque; of
    /// gravity{}: gravity, and the acceleration of the frame.
    scn_vector_source first, second, third;
};

/// A motion that the scene owns, without functions yet; raises when out of memory.
/// @param body  copied, for messages
scn_motion *scn_motion_add(lua_State *L, const char *body);

/// Reads field `key` of a call, or its first three places where `key` is NULL.
/// @return false where nothing is given
bool scn_vector_source_read(const scn_fields *fields, const char *key, const char *unit,
                            scn_vector_source *source);

/// Whether no part of it is a function.
bool scn_vector_source_is_constant(const scn_vector_source *source);

/// Asks the functions for a time; a cairn_motion_function whose context is the scn_motion.
/// Runs under the sandbox's limits of memory and instructions, anew for every call.
cairn_status scn_motion_evaluate(void *context, double time, cairn_motion *motion,
                                 cairn_error *error);

/// The same for a motor: a cairn_motor_function whose context is the scn_motion.
cairn_status scn_motor_evaluate(void *context, double time, double *value, cairn_error *error);

/// The same for a load and for gravity: a cairn_load_function and a cairn_gravity_function.
cairn_status scn_load_evaluate(void *context, double time, double force[3], double torque[3],
                               cairn_error *error);
cairn_status scn_gravity_evaluate(void *context, double time, double gravity[3],
                                  cairn_error *error);

/// Pushes sensor(name), which gives what a sensor of the scene reads.
void scn_push_sensors(lua_State *L, scn_scene *scene);

/// Runs a function of the program's state, with a light userdata, under the sandbox's limits.
/// @param what  and the body's name stand before the program's message
cairn_status scn_motion_call(const scn_motion *motion, lua_CFunction function, void *argument,
                             const char *what, double time, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
