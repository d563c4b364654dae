// SPDX-License-Identifier: Apache-2.0
// cairn: motions of bodies prescribed as functions of time.
#ifndef CAIRN_MOTION_H
#define CAIRN_MOTION_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where a body with a prescribed motion is at a time; fields that `given` does not name are not
/// read.
enum {
    CAIRN_MOTION_POSITION = 1,        // m, of the shape's frame
    CAIRN_MOTION_ORIENTATION = 2,     // quaternion of the shape's frame
    CAIRN_MOTION_VELOCITY = 4,        // m/s, of the centre of mass
    CAIRN_MOTION_ANGULAR_VELOCITY = 8 // rad/s, world axes
};

typedef struct cairn_motion {
    unsigned given; // sum of CAIRN_MOTION_*; the same at every time
    double position[3], orientation[4];
    double velocity[3], angular_velocity[3];
} cairn_motion;

/// A function of time alone: the same time gives the same motion, in whatever order times are
/// asked for. A failure stops the step with its message.
typedef cairn_status cairn_motion_function(void *context, double time, cairn_motion *motion,
                                           cairn_error *error);

/// Prescribes the motion of a moving body, theory.md (9.12)-(9.13): a position or orientation is
/// met at the end of every step, a velocity is integrated by the midpoint rule. Positions win over
/// velocities. The work that the motion does is booked as that of drivers.
/// @param function  NULL ends the prescription; the body keeps the velocity it has
/// @return CAIRN_ERROR_ARGUMENT for a body that is not CAIRN_MOVING
CAIRN_API cairn_status cairn_body_set_motion(cairn_world *world, cairn_body_id body,
                                             cairn_motion_function *function, void *context,
                                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Force (N) and torque (N m, world axes) as functions of time alone, asked for the middle of every
/// step.
typedef cairn_status cairn_load_function(void *context, double time, double force[3],
                                         double torque[3], cairn_error *error);

/// A load on a body that follows a function, in place of cairn_body_set_force before every step.
/// The work that it does is booked as that of drivers. It ends when the body is removed.
/// @param function  NULL ends it; the body keeps the load that it has
/// @return CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD, CAIRN_ERROR_MEMORY
/// Tests: tests/cli/driven/test_loads.py
CAIRN_API cairn_status cairn_body_set_load(cairn_world *world, cairn_body_id body,
                                           cairn_load_function *function, void *context,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Gravity (m/s2) as a function of time alone, asked for the middle of every step: also that of a
/// frame that is accelerated, gravity less the acceleration of the frame.
typedef cairn_status cairn_gravity_function(void *context, double time, double gravity[3],
                                            cairn_error *error);

/// Gravity follows a function from the next step on. What potential energy changes by it is booked
/// as work of drivers.
/// @return CAIRN_ERROR_ARGUMENT without a function, CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_world_set_gravity_function(cairn_world *world,
                                                        cairn_gravity_function *function,
                                                        void *context,
                                                        cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
