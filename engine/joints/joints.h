// SPDX-License-Identifier: Apache-2.0
// Joints inside the engine: their data, their rows g(q) = 0 and G, and their part of the step.
#ifndef CAIRN_ENGINE_JOINTS_JOINTS_H
#define CAIRN_ENGINE_JOINTS_JOINTS_H

#include "base/vec.h"
#include "contact/problem/domains.h"
#include "contact/problem/joints.h"
#include "contact/problem/problem.h"
#include "contact/solvers/control.h"
#include "engine/state/rotation.h"
#include "engine/state/world_scratch.h"
#include <cairn/cairn.h>

enum { ENG_JOINT_ROWS_MAX = 6 };

/// Impulse of a coordinate against its speed u, theory.md (9.7), (9.8): the sum of what dry
/// friction, a motor, the two ends of a range, and a spring with its damper give.
typedef enum eng_graph_kind {
    ENG_GRAPH_FRICTION,
    ENG_GRAPH_MOTOR,
    ENG_GRAPH_LOW,
    ENG_GRAPH_HIGH,
    ENG_GRAPH_SPRING,
    ENG_GRAPH_PARTS
} eng_graph_kind;

/// What a motor asks before each step; a NULL function: what is set holds.
typedef struct eng_motor {
    cairn_motor_function *function;
    void *context; // borrowed
} eng_motor;

typedef struct eng_joint {
    // set at creation
    cairn_joint_kind kind;
    char *name;      // owned; NULL for none
    int body[2];     // A and B; -1: the world
    vec3 point[2];   // anchors in principal body axes; world axes for the world
    mat3 axes[2];    // columns: the joint's axes x, y, z in the same; z is the free one
    double length;   // m, of a rod
    bool apart;      // its bodies do not touch
    double range[2]; // rad or m
    cairn_motor_law motor_law;
    cairn_motor_function *motor_function; // NULL: what is set holds
    void *motor_context;                  // borrowed
    // set between steps, or by the function before each
    bool motor;
    // some of these are set at creation for good, as their rows say
#define ENG_JOINT_MEMBER(member, ...) double member;
    CAIRN_JOINT_SETTINGS(ENG_JOINT_MEMBER)
#undef ENG_JOINT_MEMBER
} eng_joint;

/// What a joint keeps between steps.
typedef struct eng_joint_state {
    double coordinate;            // rad, turns counted, or m
    double effort;                // N s or N m s along it in the last step: motor, friction, range
    vec3 impulse, moment;         // N s and N m s in it on B, world axes, about the anchor of B
    double part[ENG_GRAPH_PARTS]; // N s or N m s, what the graph's parts gave: guess of the next
} eng_joint_state;

/// Impulse of one row at size 1 on B: force d at a point and couple e, world axes; A gets the
/// opposite at the same point, so that momentum is kept whatever the configuration, theory.md
/// (9.4).
typedef struct eng_wrench {
    vec3 d, e;
} eng_wrench;

/// Velocity at a point and angular velocity, m/s and rad/s, world axes.
typedef struct eng_twist {
    vec3 velocity, omega;
} eng_twist;

/// The rows of a joint in one configuration, theory.md (9.1)-(9.5).
typedef struct eng_joint_rows {
    int count;                              // of g
    double g[ENG_JOINT_ROWS_MAX];           // m, or 1 for rows that forbid turning
    eng_wrench row[ENG_JOINT_ROWS_MAX + 1]; // [count], then that of the coordinate
    vec3 point;                             // m, where d acts
    bool has_coordinate;
    double coordinate; // rad in (-pi, pi] or, of a swing, [0, pi]; or m
} eng_joint_rows;

/// Anchors and axes of both sides in world axes: all that rows know of a configuration.
typedef struct eng_joint_frame {
    vec3 p[2], a[3], b[3];
} eng_joint_frame;

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

eng_joint_frame eng_joint_frame_of(const eng_joint *joint, const pose q[2]);

/// The rows of a configuration.
void eng_joint_frame_rows(const eng_joint *joint, const eng_joint_frame *frame,
                          eng_joint_rows *rows);

/// Wrenches of the discrete gradient, theory.md (9.6a): their work over a step is l (g(to) -
/// g(from)) exactly. `g` and `coordinate` are not those of a configuration.
void eng_joint_mean_rows(const eng_joint *joint, const eng_joint_frame *from,
                         const eng_joint_frame *to, eng_joint_rows *rows);

/// Whether nothing that a joint holds of the body of a side turns when it spins about its principal
/// axis. @param tolerance  m, by which anchors may be off the axis
bool eng_joint_lets_spin(const eng_joint *joint, int side, int axis, double tolerance);

/// Blocks of A and B of a row of G for the velocity coordinates of bodies at q.
void eng_joint_row_blocks(const eng_wrench *row, vec3 point, const pose q[2], double G[2][6]);

/// The angle nearest to `before` that differs from `angle` by whole turns.
double eng_joint_unwind(double angle, double before);

/// One part of a graph: any impulse up to the limit where u + compliance l = kink, against u - kink
/// elsewhere; of an end any impulse towards the inside where u = kink, and none elsewhere.
typedef struct eng_graph_part {
    bool exists;       // may take part in this step
    bool present;      // takes part; ends that are out of reach do not
    double kink;       // rad/s or m/s
    double limit;      // N s or N m s; infinite for ends and springs
    double compliance; // rad/s or m/s per N m s or N s; of motors with a position, and springs
    double bound;      // N s or N m s, limit as the problem has it
    double l;          // N s or N m s, on B: of the last step, then of this one
    double slip;       // rad/s or m/s, how far it is from the kink
} eng_graph_part;

typedef struct eng_graph {
    eng_graph_part part[ENG_GRAPH_PARTS];
    bool driven;  // a motor without limit gives the speed: a bilateral row, and no other part
    double speed; // rad/s or m/s, of a driven coordinate
} eng_graph;

/// @param coordinate  at the midpoint
/// @param speed       rad/s or m/s, at the start of the step
/// @param yield       1/kg or 1/(kg m2), of the free bodies; read where there is a spring or damper
void eng_graph_build(const eng_joint *joint, const eng_joint_state *state, double coordinate,
                     double speed, double yield, double h, eng_graph *graph);

/// Leaves out the ends that a coordinate of the speed given is far from.
void eng_graph_reach(eng_graph *graph, double speed);

/// Brings in ends that were left out and are passed at a speed; true when there is one.
bool eng_graph_activate(eng_graph *graph, double speed);

/// Sum of the parts but for a spring without a row, N s or N m s.
double eng_graph_impulse(const eng_graph *graph);

/// Parts of the impulse l of a driven coordinate: friction, and motor or end.
void eng_graph_share(const eng_joint *joint, double h, double l, eng_graph *graph);

/// Whether friction or a motor keeps the coordinate at a speed.
/// @param before  rad/s or m/s, its speed at the start of the step
/// @param speed   out
bool eng_graph_holds(const eng_graph *graph, double before, double *speed);

/// Rows of some joints, ready for con_joints: bilateral rows, then that of the coordinate where it
/// is driven. Memory in the arena.
typedef struct eng_joint_system {
    int joint_count;
    const int *joint; // [joint_count] into the world's joints
    int body_count;
    const int *body;                 // [body_count] into the world's bodies; NULL: the same numbers
    const double (*mass_inverse)[6]; // [body_count]
    const mat3
        *basis; // [body_count] L of (9.6d), in whose coordinates rows and masses are; NULL: none
    con_joints rows; // body numbers of this system
    double *b;       // [row count] m/s or rad/s; rows.b
} eng_joint_system;

/// Chooses bodies and reserves rows. @param compact  number the bodies anew
cairn_status eng_joint_system_init(const cairn_world *world, const int *joints, int count,
                                   bool compact, eng_joint_system *system) CAIRN_CHECK_RESULT;

/// What a row of velocities is in the coordinates of the basis.
void eng_joint_system_enter(const eng_joint_system *system, int body, double row[6]);

/// Writes G from the rows of the joints at q.
/// @param rows  [world's joints]
/// @param held  [world's joints] the coordinate's row takes part
void eng_joint_system_fill(const cairn_world *world, eng_joint_system *system,
                           const eng_joint_rows *rows, const pose *q, const unsigned char *held);

/// Poses of A and B.
void eng_joint_poses(const eng_joint *joint, const pose *q, pose out[2]);

/// How the body of a side moves at a point, for the body velocities v; the world is at rest.
eng_twist eng_joint_side_twist(const eng_joint *joint, int side, vec3 point, const pose *q,
                               const double (*v)[6]);

/// How B moves against A there.
eng_twist eng_joint_twist(const eng_joint *joint, vec3 point, const pose *q, const double (*v)[6]);

/// Speed of a row.
static inline double eng_joint_speed(const eng_wrench *row, const eng_twist *twist)
{
    return vec3_dot(row->d, twist->velocity) + vec3_dot(row->e, twist->omega);
}

/// v += M^-1 (impulse of one row of size l) at poses q.
void eng_joint_push(const cairn_world *world, const eng_joint *joint, const eng_wrench *row,
                    vec3 point, const pose *q, double l, double (*v)[6]);

/// A problem whose last contacts are parts of the graphs of joints, theory.md (9.8b)-(9.8d): an end
/// of a range is a contact without friction along the coordinate; what has a limit is the first
/// tangent of a contact of friction 1 whose normal yields by itself alone, under a reaction equal
/// to the limit. In the arena; the arrays of contacts are copies.
typedef struct eng_graph_rows {
    con_problem problem;            // borrows from this struct
    const con_problem *contacts;    // as they are without joints; borrowed
    const eng_joint_system *system; // joints and bodies; borrowed
    int contact_count, row_count, capacity;
    double scale; // N s, impulses that the contacts have at hand
    double root;  // sqrt(J), of v_free^T M v_free or of what motors do from rest
    int *part;    // [contact_count + row_count] eng_graph_kind of rows
    int *joint;   // [likewise] place in the system
    int (*body)[2];
    double (*H)[2][3][6];
    double (*w)[3], (*q)[3], (*compliance)[3];
    double *friction;
    mat3 *W_diagonal;
    double (*R)[3], (*U)[3]; // guess and solution
    con_domains domains;
} eng_graph_rows;

/// Room for all parts that exist.
/// @param contacts  without rows; may have none
/// @param R         [contacts] their guess
cairn_status eng_graph_rows_create(cairn_world *world, const con_problem *contacts,
                                   const double (*R)[3], const eng_joint_system *system,
                                   eng_graph_rows *rows) CAIRN_CHECK_RESULT;

/// Contacts of bodies with joints in the coordinates of the system's basis.
void eng_graph_rows_enter(const cairn_world *world, eng_graph_rows *rows);

/// Rows of the parts that are present, with their impulses as guess.
/// @param v_free  [bodies of the system]
void eng_graph_rows_fill(cairn_world *world, eng_graph_rows *rows, const double (*v_free)[6]);

/// Right sides for which a solution v has the speeds that it has at the end of the step.
/// @param speed  [joints of the system] rad/s or m/s of the coordinates at the end that v leads to
void eng_graph_rows_aim(const cairn_world *world, eng_graph_rows *rows, const double (*v_free)[6],
                        const double (*v)[6], const double *speed);

/// Largest change that this would make, rad/s or m/s.
double eng_graph_rows_offset(const cairn_world *world, const eng_graph_rows *rows,
                             const double (*v)[6], const double *speed);

/// Impulses and slips of the parts by the solution; true when a limit that was cut is reached.
/// @param U  [contacts and rows]
bool eng_graph_rows_take(cairn_world *world, const eng_graph_rows *rows, const double (*U)[3]);

/// Joints that are solved together, and what their solution is looked at with. In the arena.
typedef struct eng_joint_set {
    eng_joint_system system;
    eng_graph_rows graphs; // of the set, where there are any contacts or parts
    bool has_graphs;
    int member_count;
    const int *member;    // [member_count] bodies of the world
    const int *number;    // [member_count] their numbers in the system; -1: not dynamic
    double *residual, *l; // [rows of the system, all coordinates driven] m/s or rad/s; N s
    double *speed;        // [joints] rad/s or m/s of the coordinates at the end
    pose *end;            // [world's bodies] those of the set
    double size, length;  // m: largest violation at the end, largest coordinate
    double turn;          // rad, largest of a body in a step at the speed of the end
    double (*exact)[6];   // [bodies] m/s or rad/s: what the impulses l give, theory.md (9.6)
    double (*v_free)[6];  // [bodies] of the linear problem, theory.md (9.6c)
    double (*guess)[6];   // [bodies] m/s or rad/s
    double (*base)[6];    // [bodies] m/s or rad/s: without the impulses of joints
    double (*lack)[6];    // [bodies] (9.6c), in the basis
    double (*mass_inverse)[6], (*entered)[6]; // [bodies] in the basis
    mat3 *basis;                              // [bodies] L of (9.6d); else the identity
    bool linear;                              // the linear problem has rows
    bool frozen;   // wrenches stay those of the motion before, without stiffness
    double left;   // m or rad, what was missing at the last look of the shared joints
    int stuck;     // looks in a row at which it had not become less
    double lost;   // m or rad, what was missing then where wrenches did not settle
    int unsettled; // body that lacked most
    bool unsolved; // the last solve ended unsettled
} eng_joint_set;

/// What the step knows of its joints; in the arena.
typedef struct eng_joint_step {
    double (*start)[ENG_JOINT_ROWS_MAX]; // [joint_count] G(q_n) v_n, m/s or rad/s
    eng_joint_frame *from, *to;          // [joint_count] at t_n, and at the end last looked at
    eng_joint_rows *mid;                 // [joint_count] at q_mid, the coordinate with its turns
    eng_joint_rows *mean; // [joint_count] of the discrete gradient from `from` to `to`
    pose *arm;            // [body_count] where moments of `mean` are taken, at q_mid
    vec3 *pushed;         // [body_count] N s, by the rows `mean`
    vec3 *gained;         // [body_count] m/s, of gravity and loads; 0 where implicit contacts act
    int body_count;
    int *body;                   // [body_count] dynamic bodies of joints
    double *lag;                 // [body_count] rad, of turns at the end last looked at
    const eng_turning **turning; // [body_count] of the begin of the step; NULL: none
    double *speed;               // [joint_count] of the coordinate, by v_n at the midpoint
    double *given;               // [joint_count] N s of constant force, and springs without a row
    eng_graph *graph;            // [joint_count]
    unsigned char *held;         // [joint_count] the coordinate is driven
    double (*l)[ENG_JOINT_ROWS_MAX + 1]; // [joint_count] N s; the coordinate's in place `count`
    int *alone;                          // [alone_count] joints out of reach of implicit contacts
    int *shared;                         // [shared_count] the others
    int alone_count, shared_count;
    con_stop alone_stop;         // how the solve of those alone ended, where it is unsolved
    double alone_error;          // its residual, above the tolerance of the world; else 0
    const int *root;             // [body_count] first body of the joints' island
    unsigned char *near_contact; // [joint_count] 1 for the shared ones
    eng_joint_set together;      // of the shared joints
} eng_joint_step;

/// @param compact   number the bodies anew
/// @param contacts  problem that the parts of graphs join; contact_count 0 for none
/// @param R         [contacts] guess
cairn_status eng_joint_set_init(cairn_world *world, const int *joints, int count, bool compact,
                                const con_problem *contacts, const double (*R)[3],
                                eng_joint_set *set) CAIRN_CHECK_RESULT;

/// Impulses of the last step, and velocities at its end, as guess of this one's.
void eng_joint_set_guess(const cairn_world *world, eng_joint_set *set);

/// Ends, violations and speeds that the velocities v of the system's bodies lead to, theory.md
/// (9.6), and the wrenches that follow for the impulses l.
void eng_joint_set_look(const cairn_world *world, eng_joint_set *set, const double (*v)[6]);

/// After it: rows of the linear problem, and the basis in which the stiffness that the impulses l
/// make is part of the masses.
void eng_joint_set_linearise(const cairn_world *world, eng_joint_set *set);

/// set->exact: v_base + M^-1 (impulses of the wrenches as last looked at).
void eng_joint_set_push(const cairn_world *world, eng_joint_set *set, const double (*v_base)[6]);

/// After it, what v lacks of that: (M + K)^-1 M (exact - v), in the basis.
/// @return m or rad, how far it takes bodies by the end of the step
double eng_joint_set_lack(const cairn_world *world, const eng_joint_set *set, const double (*v)[6],
                          double (*out)[6]);

/// After a look: right sides by which violations and what impulses lack vanish to first order.
/// @param v  [bodies] what was looked at
void eng_joint_set_aim(const cairn_world *world, eng_joint_set *set, const double (*v_base)[6],
                       const double (*v)[6]);

/// set->base, and the impulses l in velocities that have those of the contacts.
/// @param v  [bodies] in the basis; out: out of it
void eng_joint_set_finish(const cairn_world *world, eng_joint_set *set, double (*v)[6]);

/// Velocities of the set's bodies out of the coordinates of the basis; may be the same.
void eng_joint_set_leave(const eng_joint_set *set, const double (*v)[6], double (*out)[6]);

/// After eng_joint_set_look: ends of ranges that are passed take part; true when there is one.
bool eng_joint_set_activate(eng_world_scratch *scratch, eng_joint_set *set);

/// Impulses of the bilateral rows, and those of coordinates, to the step.
void eng_joint_set_keep(eng_world_scratch *scratch, const eng_joint_set *set);

/// Solves for the joints alone, into v_free.
cairn_status eng_joints_alone(cairn_world *world) CAIRN_CHECK_RESULT;

/// Brings bodies and velocities onto the constraints after joints were made or bodies set.
cairn_status eng_joints_gather(cairn_world *world) CAIRN_CHECK_RESULT;

/// Largest turn of a body that joints hold in the time given, by its velocity now, rad.
/// @param body  out: which; -1: none turns
double eng_joints_turn(const cairn_world *world, double time, int *body);

/// Takes the rows' speeds at the start of the step; before block 1.
cairn_status eng_block_joint_start(cairn_world *world) CAIRN_CHECK_RESULT;

/// What motors with a function are after in this step, theory.md (9.8a). Before
/// eng_block_joint_forces.
cairn_status eng_joints_ask_motors(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// Constant forces go to v_free, and what else acts along coordinates is built; after block 2.
void eng_block_joint_forces(cairn_world *world);

/// Joints out of reach of implicit contacts are solved for, into v_free; the others join the
/// problem, and world->scratch.solve.solved is what is to be solved. After block 7.
cairn_status eng_block_joints(cairn_world *world) CAIRN_CHECK_RESULT;

/// Judges the shared joints at the end that the velocities v lead to, and sets their right sides
/// and graphs anew.
/// @param changed       out: the problem is to be solved again
/// @param rows_changed  out: by other rows too, not by right sides alone
cairn_status eng_joints_update(cairn_world *world, const double (*v)[6], bool *changed,
                               bool *rows_changed) CAIRN_CHECK_RESULT;

/// Of the solutions with the same velocities the one of least norm, theory.md (9.14): what a
/// mechanism grips is borne evenly.
cairn_status eng_joints_spread(cairn_world *world) CAIRN_CHECK_RESULT;

/// Contacts that world->scratch.solve.solved may get, rows of joints included.
int eng_joints_capacity(const cairn_world *world);

/// What the shared joints give to velocities that have the impulses of the contacts, and all of
/// them out of the coordinates that the solve had.
void eng_joints_apply(const cairn_world *world, double (*v)[6]);

/// Rows of a moment of contacts of a body, by its row in the problem, in those coordinates.
void eng_joints_enter(const cairn_world *world, int body, double H[3][6]);

/// Books the work of joints and keeps their reactions; before bodies move to the end.
void eng_energy_joints(cairn_world *world);

/// End positions and velocities onto the constraints, theory.md (9.10)-(9.11); turns are counted.
/// After the correction.
cairn_status eng_joints_finish(cairn_world *world) CAIRN_CHECK_RESULT;

/// J, stored in the springs of joints.
double eng_joints_elastic(const cairn_world *world);

/// Gives up the id of a joint, with all that belongs to it. Its energy leaves the audit.
/// @param index  into the world's array
void eng_joint_drop(cairn_world *world, int index);

/// Of the springs of one joint, J.
double eng_joint_elastic(const cairn_world *world, int index);

#endif
