// SPDX-License-Identifier: Apache-2.0
// Joints inside the engine: their data, their rows g(q) = 0 and G, and their part of the step.
#ifndef CAIRN_ENGINE_JOINTS_JOINTS_H
#define CAIRN_ENGINE_JOINTS_JOINTS_H

#include "contact/problem/joints.h"
#include "engine/state/world.h"

enum { ENG_JOINT_ROWS_MAX = 6 };

typedef struct eng_joint {
    // set at creation
    cairn_joint_kind kind;
    char *name;      // owned; NULL for none
    int body[2];     // A and B; -1: the world
    vec3 point[2];   // anchors in principal body axes; world axes for the world
    mat3 axes[2];    // columns: the joint's axes x, y, z in the same; z is the free one
    vec3 inertia[2]; // kg m^2, principal moments; 0 for bodies that nothing turns
    double length;   // m, of a rod
    bool apart;      // its bodies do not touch
    double range[2]; // rad or m
    double stiffness, damping, rest, friction;
    // set between steps
    bool motor;
    double motor_velocity, motor_limit, force;
    // kept between steps
    double coordinate; // rad, turns counted, or m
    // results of the last step
    vec3 impulse, moment; // N s and N m s on B, world axes, moment about the anchor of B
    double effort;        // N s or N m s along the coordinate: motor, friction, range
} eng_joint;

/// Impulse of one row at size 1 on B: force d at a point and couple e, world axes; A gets the
/// opposite at the same point, so that momentum is kept whatever the configuration, theory.md
/// (9.4).
typedef struct eng_wrench {
    vec3 d, e;
} eng_wrench;

/// The rows of a joint in one configuration, theory.md (9.1)-(9.5).
typedef struct eng_joint_rows {
    int count;                              // of g
    double g[ENG_JOINT_ROWS_MAX];           // m, or 1 for rows that forbid turning
    eng_wrench row[ENG_JOINT_ROWS_MAX + 1]; // [count], then that of the coordinate
    vec3 point;                             // m, where d acts
    bool has_coordinate;
    double coordinate; // rad in (-pi, pi] or, of a swing, [0, pi]; or m
} eng_joint_rows;

/// Number of rows of a kind.
int eng_joint_row_count(cairn_joint_kind kind);

/// What the coordinate of a kind is, theory.md (9.5)-(9.5a): a way or turn, which motors and
/// friction may act on; a swing, which has limits and a spring alone; a turn, whose whole turns are
/// counted.
bool eng_joint_has_drive(cairn_joint_kind kind);
bool eng_joint_has_swing(cairn_joint_kind kind);
bool eng_joint_has_turns(cairn_joint_kind kind);

/// @param q  poses of A and B; the identity for the world
void eng_joint_evaluate(const eng_joint *joint, const pose q[2], eng_joint_rows *rows);

/// Blocks of A and B of a row of G for the velocity coordinates of bodies at q.
void eng_joint_row_blocks(const eng_wrench *row, vec3 point, const pose q[2], double G[2][6]);

/// The angle nearest to `before` that differs from `angle` by whole turns.
double eng_joint_unwind(double angle, double before);

/// Impulse of a coordinate against its speed u: a falling staircase made of dry friction, a motor
/// of limited force and a range, theory.md (9.8). State 2 k is the level between kinks k - 1 and k,
/// state 2 k + 1 the kink k, where the impulse may lie anywhere between the two levels.
enum { ENG_STAIRS_MAX = 4 };

typedef struct eng_stairs {
    int count;                        // of kinks
    double kink[ENG_STAIRS_MAX];      // rad/s or m/s, ascending
    double level[ENG_STAIRS_MAX + 1]; // N s or N m s, descending; may be infinite
} eng_stairs;

/// @param coordinate  at the midpoint
void eng_stairs_build(const eng_joint *joint, double coordinate, double h, eng_stairs *stairs);

/// State in which a coordinate of speed u starts to look for its own.
int eng_stairs_guess(const eng_stairs *stairs, double u);

/// The neighbour to go to when the state does not hold for impulse l and speed u; the state itself
/// where it holds.
/// @param slack  rad/s or m/s by which u may lie on the wrong side
int eng_stairs_next(const eng_stairs *stairs, int state, double l, double u, double slack);

/// Parts of an impulse l: friction, motor, range.
typedef struct eng_effort {
    double friction, motor, range;
} eng_effort;

/// Their sum is l.
eng_effort eng_stairs_split(const eng_joint *joint, double h, const eng_stairs *stairs, int state,
                            double l);

/// Rows of some joints, ready for con_joints: bilateral rows, then that of the coordinate where it
/// is held. Memory in the arena.
typedef struct eng_joint_system {
    int joint_count;
    const int *joint; // [joint_count] into the world's joints
    int body_count;
    const int *body;           // [body_count] into the world's bodies; NULL: the same numbers
    double (*mass_inverse)[6]; // [body_count]
    con_joints rows;           // body numbers of this system
    double *b;                 // [row count] m/s or rad/s; rows.b
} eng_joint_system;

/// Chooses bodies and reserves rows. @param compact  number the bodies anew
cairn_status eng_joint_system_init(const cairn_world *world, const int *joints, int count,
                                   bool compact, eng_joint_system *system) CAIRN_CHECK_RESULT;

/// Writes G from the rows of the joints at q.
/// @param rows  [world's joints]
/// @param held  [world's joints] the coordinate's row takes part; NULL: none does
void eng_joint_system_fill(const cairn_world *world, eng_joint_system *system,
                           const eng_joint_rows *rows, const pose *q, const unsigned char *held);

/// Poses of A and B.
void eng_joint_poses(const eng_joint *joint, const pose *q, pose out[2]);

/// Speed of a row for body velocities v, all bodies included.
double eng_joint_speed(const eng_joint *joint, const eng_wrench *row, vec3 point, const pose *q,
                       const double (*v)[6]);

/// The same for the body of one side alone.
double eng_joint_side_speed(const eng_joint *joint, int side, const eng_wrench *row, vec3 point,
                            const pose *q, const double (*v)[6]);

/// v += M^-1 (impulse of one row of size l) at poses q.
void eng_joint_push(const cairn_world *world, const eng_joint *joint, const eng_wrench *row,
                    vec3 point, const pose *q, double l, double (*v)[6]);

/// What the step knows of its joints; in the arena.
typedef struct eng_joint_step {
    double (*start)[ENG_JOINT_ROWS_MAX]; // [joint_count] G(q_n) v_n, m/s or rad/s
    eng_joint_rows *mid;                 // [joint_count] at q_mid, the coordinate with its turns
    double *speed;                       // [joint_count] of the coordinate, by v_n at the midpoint
    double *given;                       // [joint_count] N s of constant force and spring
    double *damper;                      // [joint_count] N s
    eng_stairs *stairs;                  // [joint_count]
    int *state;                          // [joint_count] of the stairs
    unsigned char *held;                 // [joint_count] the state is a kink
    double (*l)[ENG_JOINT_ROWS_MAX + 1]; // [joint_count] N s; the coordinate's in place `count`
    int *alone;                          // [alone_count] joints out of reach of implicit contacts
    int *shared;                         // [shared_count] the others
    int alone_count, shared_count;
    unsigned char *near_contact; // [joint_count] 1 for the shared ones
    eng_joint_system system;     // of the shared joints
    double *shared_l, *residual; // [rows of the system, all coordinates held]
    double (*v_base)[6]; // [body_count] v_free without constant impulses of shared coordinates
} eng_joint_step;

/// Brings bodies and velocities onto the constraints after joints were made or bodies set.
cairn_status eng_joints_gather(cairn_world *world) CAIRN_CHECK_RESULT;

/// Takes the rows' speeds at the start of the step; before block 1.
cairn_status eng_block_joint_start(cairn_world *world) CAIRN_CHECK_RESULT;

/// Constant forces, springs and dampers go to v_free; after block 2.
void eng_block_joint_forces(cairn_world *world);

/// Joints out of reach of implicit contacts are solved for, into v_free; the others join the
/// problem. After block 7.
cairn_status eng_block_joints(cairn_world *world) CAIRN_CHECK_RESULT;

/// Judges the shared joints at the end that the velocities v lead to, and sets their right sides
/// and states anew.
/// @param changed  out: the problem is to be solved again
cairn_status eng_joints_update(cairn_world *world, const double (*v)[6],
                               bool *changed) CAIRN_CHECK_RESULT;

/// v += M^-1 G^T l of the shared joints.
void eng_joints_apply(const cairn_world *world, double (*v)[6]);

/// Books the work of joints and keeps their reactions; before bodies move to the end.
void eng_energy_joints(cairn_world *world);

/// End positions and velocities onto the constraints, theory.md (9.10)-(9.11); turns are counted.
/// After the correction.
cairn_status eng_joints_finish(cairn_world *world) CAIRN_CHECK_RESULT;

/// J, stored in the springs of joints.
double eng_joints_elastic(const cairn_world *world);

#endif
