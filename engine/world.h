// SPDX-License-Identifier: Apache-2.0
// Inside of a world: who owns what, and which block of the step writes it.
#ifndef CAIRN_ENGINE_WORLD_H
#define CAIRN_ENGINE_WORLD_H

#include "base/log.h"
#include "base/names.h"
#include "base/parallel.h"
#include "contact/domains.h"
#include "contact/law.h"
#include "contact/solver.h"
#include "engine/cairn.h"
#include "geometry/broad_phase.h"
#include "geometry/collide.h"

/// Function of time that a moving body follows; function NULL for none.
typedef struct eng_motion {
    cairn_motion_function *function;
    void *context;
} eng_motion;

/// What is known of a body at creation, and the forces on it.
typedef struct eng_body {
    cairn_body_kind kind;
    int shape;          // index into shapes
    int material;       // index into materials
    char *name;         // owned; NULL for none
    double mass;        // kg; INFINITY where not dynamic
    vec3 inertia;       // kg m2, principal
    pose shape_frame;   // placement of the shape's frame in the body's principal frame
    double reach;       // m, farthest point of the shape from the centre; INFINITY for a half-space
    int first_collider; // its colliders are contiguous
    int collider_count;
    int first_connector; // index + 1 of the first connector on this body; 0: none
    vec3 force;          // N, applied by the user
    vec3 torque;         // N m, world axes
    eng_motion motion;
} eng_body;

/// A convex part, half-space or mesh that takes part in contact detection.
typedef struct eng_collider {
    const geo_shape *shape;
    int body;
    pose local; // placement in the body's principal frame
} eng_collider;

/// Law of a pair of materials with its parameters.
typedef struct eng_surface {
    const con_law *law;
    bool own_elasticity; // moduli were given to the pair: not those of its materials
    bool derived;        // follows the default pair, up to the moduli of its materials
    _Alignas(16) unsigned char parameters[CON_LAW_SETTINGS_MAX];
} eng_surface;

/// Moduli of a material; young = 0: none were given.
typedef struct eng_elasticity {
    double young; // Pa
    double poisson;
} eng_elasticity;

/// A pair of colliders as the narrow phase keeps it while the broad phase lists it.
typedef struct eng_pair {
    geo_pair colliders;
    geo_pair_cache cache;
    int first; // its contacts in the set of the last step
    int count;
} eng_pair;

/// Contacts of one step, structure of arrays; those of cone laws come first.
typedef struct eng_contacts {
    int count;      // all
    int cone_count; // the first ones, which form the implicit problem
    int capacity;
    // written by the contact set block
    int *pair;            // [count] into pairs
    int (*body)[2];       // [count] A, B
    int *surface;         // [count] into surfaces
    uint64_t *key;        // [count]
    double *gap;          // [count] m, midpoint configuration
    mat3 *frame;          // [count] rows n, t1, t2, world
    vec3 *point;          // [count] m
    unsigned char *fresh; // [count] 1 in the first step of a contact
    // written by assembly
    double (*V)[3]; // [count] m/s, H v_n
    // kept between steps
    double (*R)[3];                     // [count] N s
    double (*history)[CON_HISTORY_MAX]; // [count]
    double *loose;                      // [count] J, lost if an explicit contact opens; by audit
    // written by the solver and by explicit laws
    double (*U)[3]; // [count] m/s, H v_{n+1}, without the shift
} eng_contacts;

/// A contact between two named bodies, whatever their shapes: marker spheres fixed in them.
typedef struct eng_connector {
    char *name; // owned; NULL for none
    eng_surface surface;
    int body[2];      // A, B
    int next[2];      // index + 1 of the next connector on that body; 0: none
    vec3 marker[2];   // m, centres of the spheres in the bodies' principal frames
    double radius[2]; // m; negative for a hollow sphere
    bool contacts;    // the bodies make ordinary contacts besides
} eng_connector;

/// What a connector keeps between steps; doubles alone, so that it is saved as one array.
typedef struct eng_connector_state {
    double closed;                   // 1: the last step saw it closed or bonded
    double gap;                      // m, midpoint configuration
    mat3 frame;                      // rows n, t1, t2, world
    vec3 point;                      // m
    vec3 V, U;                       // m/s, contact frame
    vec3 R;                          // N s on B, contact frame
    vec3 couple[2];                  // N m s on A and B, world
    double history[CON_HISTORY_MAX]; // as the law names them
    double loose;                    // J, lost if it opens; by audit
} eng_connector_state;

enum { ENG_CONNECTOR_STATE_WIDTH = (int)(sizeof(eng_connector_state) / sizeof(double)) };

/// Solver or one-contact solver with its settings.
typedef struct eng_choice_solver {
    const con_solver *plugin;
    _Alignas(16) unsigned char settings[CON_SOLVER_SETTINGS_MAX];
} eng_choice_solver;

typedef struct eng_choice_local {
    const con_local *plugin;
    _Alignas(16) unsigned char settings[CON_LOCAL_SETTINGS_MAX];
} eng_choice_local;

/// Whether steps can go through the spheres lane.
typedef enum eng_lane_fit { ENG_LANE_UNKNOWN, ENG_LANE_FIT, ENG_LANE_UNFIT } eng_lane_fit;

struct cairn_world {
    // set at creation
    cairn_world_def def;
    base_allocator allocator;
    base_gate *gate; // of the allocator; NULL where none is needed
    base_logger logger;
    base_workers *workers; // NULL for one thread
    base_arena *arena;     // scratch of a step; holds the problem of the last step until the next
    eng_choice_solver solver;
    eng_choice_local local;

    // materials: names, moduli, and the surface of each ordered pair
    char **materials; // [material_count] owned
    int material_count, material_capacity;
    eng_elasticity *elasticity; // [material_count]
    int elasticity_capacity;
    bool elastic;    // some material has moduli
    int *surface_of; // [material_count * material_count] into surfaces; 0 is the default pair
    eng_surface *surfaces;
    int surface_count, surface_capacity;

    geo_shape **shapes;             // [shape_count] owned
    cairn_shape_id **shape_members; // [shape_count] ids of a compound's members; NULL otherwise
    int shape_count, shape_capacity, shape_members_capacity;

    // bodies: cold data, then state
    eng_body *bodies; // [body_count]
    int body_count, body_capacity;
    int motion_count; // bodies with a prescribed motion
    base_names body_names;
    eng_collider *colliders;
    int collider_count, collider_capacity;

    struct eng_joint *joints; // [joint_count]
    int joint_count, joint_capacity;
    base_names joint_names;
    uint64_t *apart; // [apart_count] ascending; pairs of bodies that do not collide
    int apart_count, apart_capacity;
    bool joints_changed; // joints were made or bodies set since the last step: bring them together
    struct eng_joint_step *joint_step; // of this step, in the arena; NULL without joints
    // connectors: cold data, then state
    eng_connector *connectors;            // [connector_count]
    eng_connector_state *connector_state; // [connector_count]
    int connector_count, connector_capacity, connector_state_capacity;
    base_names connector_names;

    int state_capacity;
    pose *q;                   // [body_count] centre and principal axes, at t_n
    double (*v)[6];            // [body_count] linear (world), angular (principal body axes)
    double (*mass_inverse)[6]; // [body_count] zeros where not dynamic

    // of the blocks of a step; there are none before the first one and while the lane is active
    int blocks_count, blocks_capacity;
    pose *q_mid;             // [blocks_count] midpoint configuration
    double (*v_free)[6];     // [blocks_count]
    double (*v_end)[6];      // [blocks_count] velocity the contacts were solved for
    double (*correction)[6]; // [blocks_count] m, rad (body axes): moved by the correction of the
                             // last step

    // broad and narrow phase
    geo_broad_phase *broad;
    geo_proxy *proxies;      // [collider_count]
    pose *collider_pose;     // [collider_count] midpoint
    double *collider_margin; // [collider_count] m, contacts are looked for within it
    int proxy_capacity;
    eng_pair *pairs;        // [pair_count]
    eng_pair *pairs_before; // spare of the same capacity
    int pair_count, pair_capacity;
    geo_manifold *manifolds; // [manifold_count] one for each chunk of pairs
    int manifold_count, manifold_capacity;
    int *raw_count; // [pair_count] contacts of each pair in its chunk's manifold
    int raw_capacity;
    bool topology_changed; // bodies were added or placed since the last step

    eng_contacts contacts;        // of the last step
    con_domains domains;          // of its cone contacts
    eng_contacts contacts_before; // of the step before, for matching

    struct eng_lane *lane; // spheres under explicit laws; NULL until it is used
    eng_lane_fit lane_fit;

    // results
    con_problem problem;        // of the last step; arrays in the arena; contact_count 0 for none
    double (*free_relative)[3]; // [contacts.count] q of the problem, as its writer
    const double *shift;        // [contacts.count] m/s, what restitution and gap add to q_N
    double (*guess)[3];         // [problem.contact_count] warm start of the last solve
    double (*solution_U)[3];    // [problem.contact_count] m/s, shift included
    con_impulse_output
        *explicit_outputs; // [contacts.count - cone_count] of this step, in the arena
    con_impulse_output *connector_outputs; // [connector_count] of this step, in the arena
    double *residuals;                     // [residual_count] of the last solve, in the arena
    int residual_count;
    cairn_step_report report;
    cairn_energy energy;
    double energy_start; // J, kinetic + potential at the first step
    bool energy_started;
    int64_t step_count;
    double time_start; // s, of step 0
    double time;
};

/// Pose of a body in the midpoint configuration of the last step; that of now where there was none.
static inline const pose *eng_middle_of(const cairn_world *world, int body)
{
    return body < world->blocks_count ? &world->q_mid[body] : &world->q[body];
}

/// Arrays of the blocks for all bodies; what is new starts from q and v.
cairn_status eng_blocks_reserve(cairn_world *world) CAIRN_CHECK_RESULT;

/// Gives these arrays back, and the placed colliders.
void eng_blocks_release(cairn_world *world);

/// Blocks of the step, in order; each reads what earlier ones wrote.
void eng_block_midpoint(cairn_world *world);
void eng_block_free_velocity(cairn_world *world);
cairn_status eng_block_broad_phase(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_narrow_phase(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_contact_set(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_connectors(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_assembly(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_explicit_laws(cairn_world *world) CAIRN_CHECK_RESULT;
cairn_status eng_block_solver(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;
cairn_status eng_block_end(cairn_world *world) CAIRN_CHECK_RESULT;

/// Poses, margins and bounds of the colliders for body poses q.
cairn_status eng_colliders_place(cairn_world *world, const pose *q) CAIRN_CHECK_RESULT;

/// Loops over bodies run in chunks of this many.
enum { ENG_BODY_CHUNK = 1024 };

/// The narrow phase runs over chunks of this many pairs, each with a manifold of its own.
enum { ENG_PAIR_CHUNK = 64 };

/// Manifold that holds the raw contacts of a pair.
static inline int eng_manifold_chunk(int pair)
{
    return pair / ENG_PAIR_CHUNK;
}

/// Whether a joint keeps two bodies from touching.
bool eng_pair_is_apart(const cairn_world *world, int body_a, int body_b);

/// Whether a connector stands for the contacts of two bodies.
bool eng_connector_replaces(const cairn_world *world, int body_a, int body_b);

/// Velocities of a connector over the step, for the audit; after v_end.
void eng_connectors_book(cairn_world *world);

/// Adds force (N) and torque about the centre of mass (N m) of the connectors on a body.
void eng_connectors_add_force(const cairn_world *world, int body, vec3 *force, vec3 *torque);

/// What the estimate of a stable step needs of a connector; false where it puts no limit on it.
/// @param mass  [2] kg, of A and B as felt along the line of the centres
bool eng_connector_stiffness(const cairn_world *world, int connector, con_stiffness *stiffness,
                             double mass[2]);

/// Pairs that make no contacts: neither body can move, one body, or held by a joint or
/// connector.
static inline bool eng_pair_is_idle(const cairn_world *world, int body_a, int body_b)
{
    return body_a == body_b ||
           (world->bodies[body_a].kind != CAIRN_DYNAMIC &&
            world->bodies[body_b].kind != CAIRN_DYNAMIC) ||
           (world->apart_count > 0 && eng_pair_is_apart(world, body_a, body_b)) ||
           (world->bodies[body_a].first_connector != 0 &&
            eng_connector_replaces(world, body_a, body_b));
}

cairn_status eng_contacts_reserve(const base_allocator *allocator, eng_contacts *contacts,
                                  int needed) CAIRN_CHECK_RESULT;
void eng_contacts_release(const base_allocator *allocator, eng_contacts *contacts);

/// Surface of a pair of bodies.
const eng_surface *eng_surface_of(const cairn_world *world, int body_a, int body_b);

/// Position correction, theory.md (7.1): moves bodies at the end of the step out of penetration.
/// @param q  [body_count] end positions, corrected in place
cairn_status eng_correct_positions(cairn_world *world, pose *q) CAIRN_CHECK_RESULT;

/// Where a body is at the end of the step, and its velocity there, for the velocity v_end that the
/// impulses of the midpoint give it, theory.md (1.5)-(1.9).
void eng_body_end(const cairn_world *world, int body, const double v_end[6], pose *q, double v[6]);

/// Kinetic energy for body velocities, and potential energy of gravity for poses.
double eng_body_kinetic_energy(const eng_body *body, const double v[6]);
double eng_kinetic_energy(const cairn_world *world, const double (*v)[6]);
double eng_potential_energy(const cairn_world *world, const pose *q);

/// Opens the audit with the energy of the start.
void eng_energy_start(cairn_world *world);

/// Books the work of contacts, drivers and applied forces; called between solve and end positions.
void eng_energy_contacts(cairn_world *world);

/// Takes the new totals of the step that just ended.
void eng_energy_book(cairn_world *world);

/// Contacts and penetration of the step go to the report.
void eng_report_contacts(cairn_world *world);

/// Velocity of a body's material point at `point`, world, for body velocities v.
vec3 eng_point_velocity(const double v[6], const pose *q, vec3 point);

#endif
