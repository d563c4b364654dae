// SPDX-License-Identifier: Apache-2.0
// cairn: servos, which bring the contact force on a wall to what a function of time says.
#ifndef CAIRN_SERVO_H
#define CAIRN_SERVO_H

#include <cairn/joint.h>
#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_servo_def {
    const char *name;             // copied; NULL: "servo"
    bool cell;                    // drives a side of the periodic cell instead of a wall
    int side, across;             // of the cell's rate, dv_side/dx_across: 0, 1, 2 along x, y, z
    bool rate;                    // of a cell: the target is its rate (1/s), not a stress
    cairn_body_id body;           // the wall
    const cairn_body_id *others;  // of moving walls that go with it as one: their contact forces
    int other_count;              // are summed; copied
    double axis[3];               // into what the wall pushes, world axes; of any length
    double force;                 // N along the axis; of a cell Pa, compression positive
    cairn_motor_function *target; // the same, asked for the middle of every step; NULL: `force`
    void *context;                // of the function; borrowed
    double scale;                 // of the target, such as m2 where it is a stress; default 1
    double gain;                  // of a moving body, 0 .. 1; default 0.5
    double speed; // m/s, largest of a moving body, and until it touches something; of a cell 1/s
    double reach; // m that the wall may go without a contact; of a cell its strain; default 1
    double from, until; // s, when it acts; before and after the rate of a cell is left alone and a
                        // wall stands, or is free of the load; default 0 and INFINITY
    uint32_t cookie;
} cairn_servo_def;

CAIRN_API cairn_servo_def cairn_default_servo_def(void);

/// A servo acts before every step, by the kind of its body:
///
/// - CAIRN_MOVING: the wall goes along its axis at v = gain (target - force) / z, at most at
///   `speed`. z is the sum of k h + 2 sqrt(k m) over its contacts, with the stiffness k that their
///   laws give along the axis and the mass m of the body that is touched, so that the gain has no
///   unit. The servo prescribes the motion of the body.
/// - CAIRN_DYNAMIC: the target is the applied force, an unknown motion with the body's own inertia
///   and no gain. A slider joint to the world guides the wall. Rigid contacts need this kind.
///
/// - The cell: it strains along its side at the rate L = gain (stress - target) / z, at most at
///   `speed`, z the mean over the volume of (k h + 2 sqrt(k m)) (n l)^2 over the contacts, n l the
///   part along the side of normal and branch. The stress is that of contacts and of the motion
///   against the strain (cairn_world_measure). Laws must have a stiffness. With `rate` the target
///   is the component of the velocity gradient itself.
///
/// A step fails with CAIRN_ERROR_ARGUMENT where the wall has gone `reach` without a contact, or
/// where a moving wall bears on a contact whose law has no stiffness. The work is that of drivers.
/// @return CAIRN_ERROR_ARGUMENT for a fixed body, and for numbers out of range;
///         CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD, CAIRN_ERROR_MEMORY
/// Tests: tests/cli/driven/test_servo.py
CAIRN_API cairn_status cairn_servo_create(cairn_world *world, const cairn_servo_def *def,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

typedef struct cairn_servo_view {
    const char *name;
    double target; // N of the last step that began; of a cell Pa, or 1/s; at first 0 for a function
    double force;  // N of the contacts in the step before it, against the axis; of a cell Pa
    double velocity; // m/s along the axis, of a moving body; of a cell the rate, 1/s
    bool follows;    // the target is a function of time
    bool rate;       // of a cell: the target is its rate, 1/s
    bool cell;       // what it drives, as in its definition
    int side, across;
    cairn_body_id body;
    double axis[3]; // unit
} cairn_servo_view;

CAIRN_API int cairn_servo_count(const cairn_world *world);
/// @return CAIRN_ERROR_NOT_FOUND for an index that is not in 0 .. count-1
CAIRN_API cairn_status cairn_servo_get(const cairn_world *world, int index,
                                       cairn_servo_view *view) CAIRN_CHECK_RESULT;

/// From the next step on the target is this number, N along the axis, of a cell Pa or 1/s, whatever
/// force or function the definition has. Checkpoints keep it.
/// @return CAIRN_ERROR_NOT_FOUND for an index that is not in 0 .. count-1, CAIRN_ERROR_ARGUMENT for
///         a number that is not finite
/// Tests: tests/cli/driven/test_servo.py, tests/python
CAIRN_API cairn_status cairn_servo_set_target(cairn_world *world, int index, double target,
                                              cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
