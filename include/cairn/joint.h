// SPDX-License-Identifier: Apache-2.0
// cairn: joints between bodies.
#ifndef CAIRN_JOINT_H
#define CAIRN_JOINT_H

#include <cairn/plugin.h>
#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds and what they leave free, theory.md section 9. The axis is the third of the joint's axes.
#define CAIRN_JOINT_LIST(X)                                                                        \
    X(BALL, ball, "a common point")                                                                \
    X(HINGE, hinge, "a common point and axis")                                                     \
    X(SLIDER, slider, "B slides along the axis of A without turning")                              \
    X(CYLINDRICAL, cylindrical, "B slides along the axis of A and turns about it")                 \
    X(UNIVERSAL, universal, "a common point, and an axis of A square to one of B")                 \
    X(FIXED, fixed, "nothing moves")                                                               \
    X(ROD, rod, "two points stay at their distance")

typedef enum cairn_joint_kind {
#define CAIRN_JOINT_ENUM(constant, name, help) CAIRN_JOINT_##constant,
    CAIRN_JOINT_LIST(CAIRN_JOINT_ENUM)
#undef CAIRN_JOINT_ENUM
        CAIRN_JOINT_KIND_COUNT
} cairn_joint_kind;

/// "ball", "hinge", ...
CAIRN_API const char *cairn_joint_kind_name(cairn_joint_kind kind);

/// What a motor is after.
typedef enum cairn_motor_law {
    CAIRN_MOTOR_VELOCITY, // the coordinate's speed: motor_velocity
    CAIRN_MOTOR_POSITION  // the coordinate itself: motor_position, as an implicit spring and damper
                          // that is stable at any stiffness
} cairn_motor_law;

/// The speed (rad/s or m/s) or position (rad or m) that a motor is after as a function of time
/// alone: the same time gives the same value, in whatever order times are asked for. A failure
/// stops the step with its message.
typedef cairn_status cairn_motor_function(void *context, double time, double *value,
                                          cairn_error *error);

/// The numbers of a joint's coordinate, one row each: member of cairn_joint_def, key of joint{} (of
/// its part `motor` or `spring` where there is a dot), unit, default, lowest and highest value,
/// whether they stay what they are after creation, help. From it come the members, the keys of
/// scenes and of Python, range checks, and what checkpoints keep and compare.
#define CAIRN_JOINT_SETTINGS(X)                                                                    \
    X(motor_velocity, "motor.velocity", "rad/s or m/s", 0.0, -DBL_MAX, DBL_MAX, false,             \
      "the speed to reach; with a position: the speed at which the damper is slack")               \
    X(motor_position, "motor.position", "rad or m", 0.0, -DBL_MAX, DBL_MAX, false,                 \
      "the position to reach, of the law `position` alone, as are the next two")                   \
    X(motor_stiffness, "motor.stiffness", "N m/rad or N/m", 0.0, 0.0, DBL_MAX, false,              \
      "of the motor's spring towards the position")                                                \
    X(motor_damping, "motor.damping", "N m s/rad or N s/m", 0.0, 0.0, DBL_MAX, false,              \
      "of the motor's damper; it and the stiffness are not both 0")                                \
    X(motor_limit, "motor.limit", "N m or N", INFINITY, 0.0, INFINITY, false,                      \
      "the most that the motor gives")                                                             \
    X(force, "force", "N m or N", 0.0, -DBL_MAX, DBL_MAX, false, "along the coordinate, constant") \
    X(stiffness, "spring.stiffness", "N m/rad or N/m", 0.0, 0.0, DBL_MAX, true, "of the spring")   \
    X(damping, "spring.damping", "N m s/rad or N s/m", 0.0, 0.0, DBL_MAX, true,                    \
      "of the damper beside the spring")                                                           \
    X(rest, "spring.rest", "rad or m", 0.0, -DBL_MAX, DBL_MAX, true,                               \
      "coordinate at which the spring is slack")                                                   \
    X(friction, "friction", "N m or N", 0.0, 0.0, DBL_MAX, true, "dry, of the coordinate")

/// A constraint between two bodies, or a body and the world, as they lie when it is made. The
/// coordinate is the angle of a hinge (rad, turns counted) or the way of a slider or cylindrical
/// joint (m), of B relative to A along the axis, `start` (0 where left out) at creation. Ball and
/// universal joints have a swing (rad, 0 to pi): the angle between the axis of A and where B has
/// carried it, of universal joints between the shafts, which are square to both axes. A swing takes
/// the upper end of a range (a cone) and a spring that is slack at 0; motor, force, damping and
/// friction are refused. Fixed joints and rods take none of these.
typedef struct cairn_joint_def {
    cairn_joint_kind kind;
    cairn_body_id a;    // null: the world
    cairn_body_id b;    // one of the two must be dynamic
    double anchor[3];   // m, world axes; of a rod the end on A
    double anchor_b[3]; // m, rods only: the end on B
    double axis[3];     // of A, any length; default z; of a ball joint the middle of its cone
    double axis_b[3];   // universal joints only: axis of B, square to the first
    bool collide;       // bodies of a joint may touch; default false
    double range[2];    // rad or m; default -INFINITY, INFINITY
    double start;       // rad or m, the coordinate as the bodies lie; hinges, sliders, cylindrical
    bool motor;         // drives the coordinate
    cairn_motor_law motor_law;
#define CAIRN_JOINT_MEMBER(member, ...) double member;
    CAIRN_JOINT_SETTINGS(CAIRN_JOINT_MEMBER)
#undef CAIRN_JOINT_MEMBER
    const char *name; // copied; NULL for none
    uint32_t cookie;
} cairn_joint_def;

CAIRN_API cairn_joint_def cairn_default_joint_def(cairn_joint_kind kind);

/// The rows of CAIRN_JOINT_SETTINGS for programs that read settings by name, 0 <= index < count;
/// `name` is the key.
CAIRN_API int cairn_joint_def_setting_count(void);
CAIRN_API cairn_setting_info cairn_joint_def_get_setting(int index);

/// @return CAIRN_ERROR_NOT_FOUND for an unknown key, CAIRN_ERROR_ARGUMENT for a value out of range
///         or of a wrong type; the definition is as before then
CAIRN_API cairn_status cairn_joint_def_set_value(cairn_joint_def *def, const char *key,
                                                 cairn_value value,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_joint_create(cairn_world *world, const cairn_joint_def *def,
                                          cairn_joint_id *joint,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: removes a joint. Its bodies may touch again where it kept them from it.
/// @return CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD
CAIRN_API cairn_status cairn_joint_remove(cairn_world *world, cairn_joint_id joint,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// Joints that there are: 0 .. count-1, in order of creation, but the last one takes the place of
/// one that is removed.
CAIRN_API int cairn_joint_count(const cairn_world *world);
CAIRN_API cairn_joint_id cairn_joint_at(const cairn_world *world, int index);
CAIRN_API cairn_joint_id cairn_joint_find(const cairn_world *world, const char *name);

typedef struct cairn_joint_view {
    cairn_joint_kind kind;
    const char *name;   // "" for none
    cairn_body_id a, b; // a null: the world
    double anchor[3];   // m, on B
    double axis[3];     // of A, world axes
    double coordinate;  // rad or m; 0 for fixed joints; the length of a rod
    double range[2];    // rad or m, of the coordinate; -INFINITY, INFINITY: none
    double speed;       // rad/s or m/s
    double force[3];    // N on B, world axes, mean of the last step
    double torque[3];   // N m on B about the anchor
    double effort;      // N m or N along the coordinate: motor, friction and range
    double error;       // m or rad, largest violation now
} cairn_joint_view;

CAIRN_API cairn_status cairn_joint_get(const cairn_world *world, cairn_joint_id joint,
                                       cairn_joint_view *view) CAIRN_CHECK_RESULT;

/// The motor of a joint as it is set; `velocity` and `position` are what its function of time asked
/// for last, where it has one.
typedef struct cairn_motor_view {
    bool on;
    cairn_motor_law law;
    double velocity;           // rad/s or m/s
    double position;           // rad or m, of the law `position`
    double stiffness, damping; // N m/rad or N/m, N m s/rad or N s/m, of the law `position`
    double limit;              // N m or N; INFINITY: none
    double force;              // N m or N, the constant force along the coordinate
    double effort;             // N m or N in the last step: motor, friction and range together
    bool has_function;
} cairn_motor_view;

/// @return CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD
CAIRN_API cairn_status cairn_joint_get_motor(const cairn_world *world, cairn_joint_id joint,
                                             cairn_motor_view *view) CAIRN_CHECK_RESULT;

/// Between steps: switches a motor on with a new velocity and limit, or off. Its law stays.
CAIRN_API cairn_status cairn_joint_set_motor(cairn_world *world, cairn_joint_id joint, bool on,
                                             double velocity, double limit,
                                             cairn_error *error) CAIRN_CHECK_RESULT;
/// Between steps: the position that a motor of the law `position` is after.
CAIRN_API cairn_status cairn_joint_set_motor_position(cairn_world *world, cairn_joint_id joint,
                                                      double position,
                                                      cairn_error *error) CAIRN_CHECK_RESULT;
/// Between steps: the gains of a motor of the law `position`, N m/rad or N/m and N m s/rad or
/// N s/m, not both 0.
CAIRN_API cairn_status cairn_joint_set_motor_gains(cairn_world *world, cairn_joint_id joint,
                                                   double stiffness, double damping,
                                                   cairn_error *error) CAIRN_CHECK_RESULT;
/// A motor's velocity or position (by its law) as a function of time; a position brings its mean
/// speed along. The function is asked before every step for which
/// the motor is on.
/// @param function  NULL: what is set holds again
/// @param context   borrowed
CAIRN_API cairn_status cairn_joint_set_motor_function(cairn_world *world, cairn_joint_id joint,
                                                      cairn_motor_function *function, void *context,
                                                      cairn_error *error) CAIRN_CHECK_RESULT;
/// Between steps: constant force (N) or torque (N m) along the coordinate, booked as work of
/// drivers.
CAIRN_API cairn_status cairn_joint_set_force(cairn_world *world, cairn_joint_id joint, double force,
                                             cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
