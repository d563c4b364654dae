// SPDX-License-Identifier: Apache-2.0
// Inside of a world: who owns what, and which block of the step writes it.
#ifndef CAIRN_ENGINE_STATE_WORLD_H
#define CAIRN_ENGINE_STATE_WORLD_H

#include "base/log.h"
#include "base/names.h"
#include "base/pairs.h"
#include "base/parallel.h"
#include "base/sums/exact_sum.h"
#include "contact/laws/law.h"
#include "contact/problem/domains.h"
#include "contact/solvers/solver.h"
#include "engine/state/actions.h"
#include "engine/state/body_columns.h"
#include "engine/state/cell.h"
#include "engine/state/contacts.h"
#include "engine/state/plan.h"
#include "engine/state/slots.h"
#include "geometry/broad/broad_phase.h"
#include "geometry/narrow/collide.h"
#include <cairn/cairn.h>

#include <stdatomic.h>

struct eng_pass;

/// Function of time that a moving body follows; function NULL for none.
typedef struct eng_motion {
    cairn_motion_function *function;
    void *context;
} eng_motion;

/// A program's force field and contact filter.
typedef struct eng_field {
    char *name; // owned
    uint32_t version;
    cairn_field_function *function;
    void *context;
} eng_field;

typedef struct eng_filter {
    char *name; // owned; NULL for none
    uint32_t version;
    cairn_filter_function *function;
    void *context;
} eng_filter;

enum { ENG_COLLIDER_ROOM_MAX = (1 << 22) - 1 };

/// What every body has. Read inertia, frame, name and the rest through the functions below: few
/// bodies have more of it than this.
typedef struct eng_body {
    cairn_body_kind kind : 7;
    unsigned arrived : 1;        // made since the last step, in a world that has been stepped
    unsigned removed : 1;        // since the last step; the rest is there until the next one
    unsigned flows : 1;          // in this step: it turns as free bodies do, theory.md (1.14)
    unsigned collider_room : 22; // colliders that the row keeps, used or not
    int shape;                   // index into shapes; -1: the body was removed, and its row is free
    int material;                // index into materials
    int first_collider;          // its colliders are contiguous
    int solid;     // index + 1 into solids; 0: one moment about all axes, frames coincide
    int extra;     // index + 1 into extras; 0: none of it
    double mass;   // kg; INFINITY where not dynamic
    double moment; // kg m2, where there is no solid
} eng_body;

/// Mass properties of bodies that are not alike about all axes; neighbours share one.
typedef struct eng_solid {
    vec3 inertia; // kg m2, principal
    pose frame;   // placement of the shape's frame in the body's principal frame
    double reach; // m, farthest point of the shape from the centre; INFINITY for a half-space
    int uses;     // bodies that have it
    int next;     // where it is free: index + 1 of the next free one
} eng_solid;

/// What few bodies have.
typedef struct eng_extra {
    char *name; // owned; NULL for none
    eng_motion motion;
    int first_connector; // index + 1 of the first connector on this body; 0: none
    int joints;          // number of joints on it
    int next;            // where the extra is free: index + 1 of the next free one
} eng_extra;

/// A convex part, half-space or mesh that takes part in contact detection.
typedef struct eng_collider {
    const geo_shape *shape; // NULL: of no body now, and overlaps nothing
    int body;
    int place; // index + 1 into places: where it is in the body's principal frame; 0: that frame
} eng_collider;

/// Bounds of a collider as they were found last: it lies within them and the way it has gone since.
typedef struct eng_held_bounds {
    const geo_shape *shape; // NULL: not known
    geo_bounds bounds;      // m, without margin
    double way;             // m, `collider_way` then
} eng_held_bounds;

/// Ids of a compound's members, as the user gave them.
typedef struct eng_members {
    int shape;
    cairn_shape_id *ids; // owned
} eng_members;

enum { ENG_SPHERE_POOL_BLOCK = 64 }; // spheres of one block of the pool

/// Law of a pair of materials with its parameters.
typedef struct eng_surface {
    const con_law *law;
    bool own_elasticity; // moduli were given to the pair: not those of its materials
    bool given;          // a law or parameter was given to the pair
    int from;            // surface that its pairs had before it was made
    int pair[2];         // its materials where it is a pair's own, lower first
    int next[2];         // own surface of each of them that was there before; 0: none
    _Alignas(16) unsigned char parameters[CON_LAW_SETTINGS_MAX];
} eng_surface;

/// Moduli of a material; young = 0: none were given.
typedef struct eng_elasticity {
    double young; // Pa
    double poisson;
} eng_elasticity;

typedef struct eng_material {
    char *name; // owned
    eng_elasticity elasticity;
    int elasticity_class; // of its moduli, where a body has it; else -1
    int first_surface;    // of its pairs' own, the youngest; 0: none
    double density;       // kg/m3
    bool on_demand;       // made for a body that names none: the first one that is created takes it
    bool weighed;         // a mass was made from its density
} eng_material;

/// A pair of colliders as the narrow phase keeps it while the broad phase lists it.
typedef struct eng_pair {
    geo_pair colliders;
    vec3 axis;      // what the narrow phase remembers: collide.h
    int feature[2]; // the same
    /// m; a lower bound of their distance is what is left of it after the ways of the two colliders
    double clear;
    int first; // its contacts in the set of the last step
    int count;
} eng_pair;

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
    double releasable;               // J, lost if it opens; by audit
    double elastic;                  // J, stored at the end of the step; by audit
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

/// Fingerprints of what there was when a world made its first step, fingerprint.h.
typedef struct eng_built {
    bool known;
    uint64_t shapes, bodies, joints, connectors;
} eng_built;

/// A step that is made in pieces (passes/pieces.h).
typedef struct eng_pieces {
    int done;      // of the step, counted in the smallest pieces; 0 between whole steps
    int ramp;      // size of the piece that follows, after pieces cut for what bodies meet; else 0
    bool cut;      // the piece in hand was
    int size;      // of the piece in hand, in the same
    bool gave_up;  // one of the smallest ended above the tolerance: what follows is not halved
    int least;     // size that it must have: bodies have bounced already off what they meet until
                   // its middle
    bool divide;   // the piece in hand was taken back and is to be halved
    bool too_long; // it should be, for what bodies meet within it
    bool thrown;   // bodies got other velocities since the last step: what they meet in the first
                   // half of this one is not known
    double owed;   // s, from the end of the piece to the last bounce that it has made already;
                   // -1: it made none
    int lost;      // index + 1 of a body that the smallest pieces were too long for; 0: none
    con_stop stop; // of the last solve
    cairn_step_report report; // of the pieces so far
} eng_pieces;

/// What chunks of slots book in each step, J: added without round-off, so that no sum depends on
/// who has which chunk, nor on when somebody asks.
typedef struct eng_booked {
    base_exact_sum damping, friction, plastic, drivers;
} eng_booked;

enum { ENG_BOOKED_SUMS = (int)(sizeof(eng_booked) / sizeof(base_exact_sum)) };

/// What the log is told the first time that it happens, as bits.
typedef enum eng_told {
    ENG_TOLD_HASTY = 1,    // a body too fast for laws that act from an overlap on
    ENG_TOLD_LOST = 2,     // one whose meetings the smallest pieces of a step could not follow
    ENG_TOLD_UNSETTLED = 4 // joints beside contacts that did not settle
} eng_told;

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
    uint32_t tag; // in the ids of this world
    // times that it took another state: objects made before may have others in their slots since
    uint32_t went_back;

    // ids: of bodies, shapes and materials the slot is the index of what it names, of joints and
    // connectors its place among the live ones
    eng_slots body_slots, shape_slots, material_slots, joint_slots, connector_slots;
    bool population_changed; // something was made or removed after the first step
    eng_built built;         // what the world was before that

    // materials, and surfaces of the pairs that need one; 0 is the default pair
    eng_material *materials; // [material_count]
    int material_count, material_capacity;
    base_names material_names;
    eng_surface *surfaces; // [surface_count]
    int surface_count, surface_capacity;
    base_pairs own_surfaces; // of pairs of materials
    eng_elasticity *classes; // [class_count] moduli of materials that bodies have
    int class_count, class_capacity;
    int *followers; // [class_count (class_count + 1) / 2] surface of each pair of classes
    int follower_capacity;

    geo_shape **shapes; // [shape_count] owned; spheres lie in the pool; NULL where one was removed
    int shape_count, shape_capacity;
    void **sphere_pool; // [sphere_pool_count][ENG_SPHERE_POOL_BLOCK] shapes
    int sphere_count, sphere_pool_count, sphere_pool_capacity;
    geo_shape *ball_free; // those of removed shapes, a chain
    eng_members *members; // [member_count] of compounds, in their order
    int member_count, member_capacity;

    // bodies: cold data, then state
    eng_body *bodies; // [body_count] rows; those of removed bodies have no shape
    int body_count, body_capacity;
    eng_solid *solids;
    int solid_count, solid_capacity;
    int solid_last, solid_free; // index + 1 of the youngest and of the first free one; 0: none
    eng_extra *extras;
    int extra_count, extra_capacity;
    int extra_free; // index + 1; 0: none
    int *arrivals;  // [arrival_count] bodies that are `arrived`
    int arrival_count, arrival_capacity;
    bool filtered; // groups or a filter keep bodies from touching

    // of a program's own
    struct eng_own_law **own_laws; // [own_law_count] owned
    int own_law_count, own_law_capacity;
    eng_field *fields; // [field_count]
    int field_count, field_capacity;
    eng_filter filter;
    eng_load *applied; // [body_count] loads and fields in this step, in the arena; NULL: no field
    int motion_count;  // bodies with a prescribed motion
    base_names body_names;
    eng_cell cell;
    eng_image *images; // [image_count] proxies of the broad phase in a periodic cell
    int image_count, image_capacity;
    int collider_count; // of all bodies

    struct eng_joint *joints; // [joint_count]
    int joint_count, joint_capacity;
    base_names joint_names;
    uint64_t *excluded; // [excluded_count] ascending; pairs of bodies that do not collide
    int excluded_count, excluded_capacity;
    bool joints_changed; // joints were made or bodies set since the last step: bring them together
    struct eng_joint_step *joint_step; // of this step, in the arena; NULL without joints
    const signed char *spin_axis;      // [body_count] of eng_body_spin_axis; as joint_step
    // connectors: cold data, then state
    eng_connector *connectors;            // [connector_count]
    eng_connector_state *connector_state; // [connector_count]
    double (*breaks)[11];                 // [break_count] bonds that broke, breaks.h
    int break_count, break_capacity;
    int connector_count, connector_capacity, connector_state_capacity;
    base_names connector_names;

    // what changes the world between steps by rules of its own
    eng_action **actions; // [action_count]
    int action_count, action_capacity;
    int64_t actions_begun; // steps before which they have acted: a step that is undone and made
                           // again finds their work done

    // columns of the rows of bodies, body_columns.h: q, v, loads, users, collisions, mass_inverse,
    // q_mid, v_free, v_end, correction
    ENG_BODY_COLUMN_MEMBERS;
    int body_rooms[ENG_BODY_COLUMN_COUNT]; // rows that each of them has room for

    // plan: what the general passes deal with, made again when bodies, laws, joints, connectors or
    // motions have changed
    bool plan_due;
    bool general_only; // no sphere gets a particle slot; for tests
    /// told before and after each pass (passes.h); for tests, else NULL
    void (*watch)(cairn_world *world, const struct eng_pass *pass, bool done);
    bool general_work;                 // the general passes have anything to do
    int reach;                         // bodies from here on never take part in general passes
    int *active;                       // [active_count] bodies that do in this step: those without
    int active_count, active_capacity; // a slot, ascending, then spheres with one
    int general_count;                 // bodies without a slot
    int *listed;                       // [listed_count] colliders in the broad phase, ascending
    int listed_count, listed_capacity;

    // rows of the columns of a step; there are none before the first one and where no pass has work
    int blocks_count;
    bool corrected; // the last step moved bodies out of penetration

    // broad and narrow phase; colliders are there for the first `collider_bodies` bodies
    eng_collider *colliders; // [collider_count]
    int collider_bodies, collider_made, collider_capacity;
    pose *places;
    int place_count, place_capacity;
    int *place_free; // [place_free_count] index + 1 of places that no collider has
    int place_free_count, place_free_capacity;
    geo_broad_phase *broad;
    geo_proxy *proxies;      // [collider_count]
    pose *collider_pose;     // [collider_count] midpoint
    double *collider_margin; // [collider_count] m, contacts are looked for within it
    double *collider_reach;  // [collider_count] m, and beyond that where they act across gaps
    double *collider_way;    // [collider_count] m, no less than its farthest point has gone, of
                             // the implicit law beside what most bodies go together
    eng_held_bounds *collider_bounds; // [collider_count]
    int proxy_capacity;
    eng_pair *pairs;        // [pair_count]
    eng_pair *pairs_before; // spare of the same capacity
    int pair_count, pair_capacity;
    /// [leading_count] of the first pairs, and a spare; NULL where no two polyhedra are near
    geo_leading *leading, *leading_before;
    int leading_count, leading_capacity;
    eng_plan plan;           // of these pairs
    geo_manifold *manifolds; // [manifold_count] one for each chunk of places of the plan, and
                             // behind them one for each worker: scratch
    int manifold_count, manifold_capacity;
    int *raw_count; // [pair_count] contacts of each place of the plan in its chunk's manifold
    int raw_capacity;
    eng_taken taken;
    struct eng_aim *aims; // [reach] of this step, in the arena; NULL: no pair asks for them
    double *bounce; // [pair_count] s after the middle of the step, when the two bounce across a
                    // gap; INFINITY for most; in the arena, as aims
    bool topology_changed; // bodies were added or placed since the last step

    // domains of the bodies: cut by the first contacts of a new plan and kept with it; the one
    // before, for a step that is taken back
    eng_cut cut, cut_before;
    bool cut_due;     // the plan is another one than the cut was made for
    bool cut_renewed; // in this step

    eng_contacts contacts;        // of the last step
    con_domains domains;          // of its cone contacts
    eng_contacts contacts_before; // of the step before, for matching

    struct eng_spheres *spheres; // sphere executor; NULL until it is used
    struct eng_sharing *sharing; // of implicit contacts among processes; NULL: one process
    /// [body_count] 1 for bodies whose state other processes alone have, pairs/borders.h; NULL:
    /// none
    const unsigned char *elsewhere;

    atomic_int interrupt;  // cairn_world_interrupt was called; the next look at it ends a step
    struct eng_undo *undo; // of this step, in the arena; NULL where no general passes have work

    // results
    con_problem problem;        // of the last step; arrays in the arena; contact_count 0 for none
    const int *solver_row;      // [body] its row in the problem where it takes part, in the arena;
                                // NULL where bodies are rows. Row k is that of active[k] either way
    double (*solver_v_free)[6]; // [problem.body_count] v_free by rows, as its writer
    double (*solver_v)[6];      // [problem.body_count] v_end by rows
    const con_problem *solved;  // the same, or with rows of joints after its contacts; NULL: none
    double (*solved_R)[3];      // [solved->contact_count] its guess and solution
    struct eng_driven *driven;  // of this step, in the arena; NULL: no side of the cell is driven
                                // under the rigid law
    struct eng_rolling *rolling; // of this step, in the arena; NULL: no contact resists rolling
    double closing_fastest,
        closing_left;           // m/s, at which contacts close freely, and after the solve
    bool contacts_driven;       // a body with a prescribed motion takes part in the last problem
    double (*free_relative)[3]; // [contacts.cone_count] q of the problem, as its writer
    const double (*shift)[3]; // [contacts.cone_count] m/s, what restitution, gap and drift add to q
    double *rebound;    // [contacts.cone_count] m/s, U_N that the impacts before the problem left;
                        // NULL: none
    double (*given)[3]; // [contacts.cone_count] N s, of impacts and cohesion, before the problem;
                        // in the arena; NULL: none
    double (*guess)[3]; // [solved->contact_count] warm start of the last solve
    double (*solution_U)[3]; // [solved->contact_count] m/s, shift included
    con_impulse_output
        *explicit_outputs;        // [contacts.count - cone_count] of this step, in the arena
    struct eng_turning *turnings; // [general_count] of dynamic bodies, as `active`; in the arena
    double (*moved_energies)[2];  // [active_count] J, as eng_body_energies; NULL: ask again
    vec3 *spins; // [reach] rad/s, of active bodies by v, world axes at the midpoint; in the arena
    con_impulse_output *connector_outputs; // [connector_count] of this step, in the arena
    double *residuals;                     // [residual_count] of the last solve, in the arena
    int residual_count;
    cairn_step_report report;
    eng_pieces pieces;
    double horizon;      // s, from the middle of the step or piece at hand to that of the next one
    cairn_energy energy; // without `booked`
    eng_booked booked;   // by the sphere executor
    bool has_booked;     // it has; else all sums are 0
    double energy_start; // J, kinetic + potential at the first step
    int hasty;           // index + 1 of the first body in a slot that was too fast in this step
    unsigned told;       // eng_told: what the log is told once
    int64_t unsolved_count; // steps whose solve ended above the tolerance
    int logged_slots;       // in particle slots when the log was told last
    bool advised;           // the log was told why spheres are not in the executor
    int advise_at;          // number of bodies from which on that is looked at again
    double energy_before;   // J, residual less dissipation at the start of this step
    bool energy_started;
    int64_t step_count;
    double time_start; // s, of step 0
    double time;
};

/// The plan of the pairs is to be made anew, and with it the domains.
static inline void eng_plan_drop(cairn_world *world)
{
    world->plan.current = false;
    world->cut_due = true;
}

/// Whether this process does not know the state of a body: other processes move it.
static inline bool eng_is_elsewhere(const cairn_world *world, int body)
{
    return world->elsewhere != NULL && world->elsewhere[body] != 0;
}

/// Principal moments, kg m2.
static inline vec3 eng_inertia_of(const cairn_world *world, int body)
{
    const eng_body *b = &world->bodies[body];
    return b->solid > 0 ? world->solids[b->solid - 1].inertia
                        : vec3_make(b->moment, b->moment, b->moment);
}

/// Placement of the shape's frame in the body's principal frame.
static inline pose eng_frame_of(const cairn_world *world, int body)
{
    int solid = world->bodies[body].solid;
    return solid > 0 ? world->solids[solid - 1].frame : pose_identity();
}

/// Inverse of mass and inertia, zeros where not dynamic.
static inline void eng_mass_inverse_of(const cairn_world *world, int body, double inverse[6])
{
    double of_mass = 1.0 / world->bodies[body].mass;
    vec3 inertia = eng_inertia_of(world, body);
    for (int k = 0; k < 3; k++) {
        inverse[k] = of_mass;
        inverse[k + 3] = 1.0 / vec3_get(inertia, k);
    }
}

/// Farthest point of the shape from the centre, m; INFINITY for a half-space.
static inline double eng_reach_of(const cairn_world *world, int body)
{
    const eng_body *b = &world->bodies[body];
    if (b->shape < 0)
        return 0.0;
    return b->solid > 0 ? world->solids[b->solid - 1].reach
                        : world->shapes[b->shape]->bounding_radius;
}

static inline int eng_collider_count_of(const cairn_world *world, int body)
{
    int shape = world->bodies[body].shape;
    if (shape < 0)
        return 0;
    const geo_shape *is = world->shapes[shape];
    return is->kind == GEO_COMPOUND ? is->compound.member_count : 1;
}

/// Whether a row has a body; others are fixed, without shape, name and mass.
static inline bool eng_body_is_live(const cairn_world *world, int body)
{
    return world->bodies[body].shape >= 0 && world->bodies[body].removed == 0;
}

/// One of a body's colliders, whether those are made or not.
typedef struct eng_part {
    const geo_shape *shape;
    pose place; // in the body's principal frame
} eng_part;

static inline eng_part eng_part_of(const cairn_world *world, int body, int index)
{
    const geo_shape *shape = world->shapes[world->bodies[body].shape];
    pose frame = eng_frame_of(world, body);
    if (shape->kind != GEO_COMPOUND)
        return (eng_part){shape, frame};
    return (eng_part){shape->compound.members[index],
                      pose_compose(&frame, &shape->compound.placements[index])};
}

static inline const eng_load *eng_load_of(const cairn_world *world, int body)
{
    static const eng_load none = {0};
    return world->loads != NULL ? &world->loads[body] : &none;
}

/// What acts on a body in this step: its load and what force fields add.
static inline const eng_load *eng_applied_of(const cairn_world *world, int body)
{
    return world->applied != NULL ? &world->applied[body] : eng_load_of(world, body);
}

static inline cairn_collision eng_collision_default(void)
{
    return (cairn_collision){1, UINT32_MAX};
}

/// Collision groups of all bodies, the default at first; lists of near pairs are made anew.
cairn_status eng_collisions_reserve(cairn_world *world) CAIRN_CHECK_RESULT;

/// Whether groups, masks or the filter keep two bodies from touching.
bool eng_pair_is_filtered(const cairn_world *world, int body_a, int body_b);

/// What few bodies have; zeros where this one has none of it.
static inline eng_extra eng_extra_of(const cairn_world *world, int body)
{
    int extra = world->bodies[body].extra;
    return extra > 0 ? world->extras[extra - 1] : (eng_extra){0};
}

/// The same to be written to, made where there is none; NULL when out of memory.
eng_extra *eng_extra_make(cairn_world *world, int body);

/// Name, motion and other things that few bodies have go.
void eng_extra_drop(cairn_world *world, int body);

/// Takes from a row what it shares with others; its colliders were dropped before.
void eng_body_clear(cairn_world *world, int body);

/// Rows up to this many, the new ones without a body, and room for their ids.
cairn_status eng_bodies_reserve(cairn_world *world, int rows) CAIRN_CHECK_RESULT;

/// A body in a free row, with the shape, material, kind, mass and colliders that `made` names; the
/// rest of it follows from the solid. Its id and state are still to be given.
cairn_status eng_body_make(cairn_world *world, int row, const eng_body *made,
                           const eng_solid *solid, const char *name) CAIRN_CHECK_RESULT;

/// The body of a row gets another kind, mass and principal moments.
cairn_status eng_body_change(cairn_world *world, int row, cairn_body_kind kind, double mass,
                             vec3 inertia) CAIRN_CHECK_RESULT;

/// Colliders of a row that has got a body, where those of the world are made.
cairn_status eng_colliders_renew(cairn_world *world, int body) CAIRN_CHECK_RESULT;

/// Colliders of a row that loses its body.
void eng_colliders_drop(cairn_world *world, int body);

/// Ids of a joint or connector are given up, with all that belongs to it. Their energy leaves the
/// audit. @param index  into the world's array
void eng_joint_drop(cairn_world *world, int index);
void eng_connector_drop(cairn_world *world, int index);

/// Of the springs of one joint, J.
double eng_joint_elastic(const cairn_world *world, int index);

/// Something is made or removed: after the first step this changes what a checkpoint has to hold.
void eng_population_changes(cairn_world *world);

/// Slots up to this many, the new ones without a shape, and room for their ids.
cairn_status eng_shapes_reserve(cairn_world *world, int slots) CAIRN_CHECK_RESULT;

/// A plain shape in a free slot, whose id is still to be given.
/// @param sizes  [geo_plain_size_count] m
cairn_status eng_shape_make_plain(cairn_world *world, int slot, geo_kind kind,
                                  const double *sizes) CAIRN_CHECK_RESULT;

/// A shape that lies in a block of its own, in a free slot, whose id is still to be given. On
/// failure it stays the caller's.
/// @param members  [members of a compound] ids, copied
cairn_status eng_shape_adopt(cairn_world *world, int slot, geo_shape *shape,
                             const cairn_shape_id *members) CAIRN_CHECK_RESULT;

/// [members] of a compound, as they were given.
const cairn_shape_id *eng_shape_members(const cairn_world *world, int slot);

/// Gives up a shape that no body has.
void eng_shape_drop(cairn_world *world, int index);

/// Keeps what the world was built of, unless it is kept already.
void eng_built_note(cairn_world *world);

/// Begins a step: contacts of removed bodies let go of what they stored, and rows of removed bodies
/// are free.
void eng_removals_settle(cairn_world *world);

/// Ends a step: no body is `arrived` any more.
void eng_arrivals_settle(cairn_world *world);

/// State of a body at t_n.
typedef struct eng_state {
    pose q;
    double v[6];
} eng_state;

/// One row of a column of bodies, wherever it is held.
/// @param value  out, as the table says
void eng_body_value(const cairn_world *world, int column, int body, void *value);

/// Wherever it is held. Reading writes nothing: any number of threads may read a world at rest.
eng_state eng_state_of(const cairn_world *world, int body);
/// Fetches what that state is read from, which may lie anywhere: for looks at all bodies, some
/// before the body's turn.
void eng_state_prefetch(const cairn_world *world, int body);
/// The position and the velocity v of that state alone, for looks at all bodies.
vec3 eng_place_of(const cairn_world *world, int body);
void eng_velocity_of(const cairn_world *world, int body, double v[6]);
/// Where the body's shape is in that state, its own frame having the axes of inertia; the position
/// of it alone; and the angular velocity, rad/s, world.
pose eng_shape_pose_of(const cairn_world *world, int body);
vec3 eng_shape_place_of(const cairn_world *world, int body);
vec3 eng_omega_of(const cairn_world *world, int body);

/// Between steps: a body gets another state.
cairn_status eng_state_set(cairn_world *world, int body, const eng_state *state) CAIRN_CHECK_RESULT;

/// Pose of a body in the midpoint configuration of the last step; that of now where there was none.
pose eng_middle_of(const cairn_world *world, int body);

/// Two bodies, of which the first may be the world (-1), do not collide from now on; or do again.
cairn_status eng_exclusion_add(cairn_world *world, const int body[2]) CAIRN_CHECK_RESULT;
void eng_exclusion_remove(cairn_world *world, const int body[2]);

/// Whether a joint keeps two bodies from touching.
bool eng_pair_is_excluded(const cairn_world *world, int body_a, int body_b);

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

/// Whether what touched in the last step does so no more, whatever moves: a body was removed, or
/// neither can move now.
static inline bool eng_pair_is_past(const cairn_world *world, int body_a, int body_b)
{
    return !eng_body_is_live(world, body_a) || !eng_body_is_live(world, body_b) ||
           (world->bodies[body_a].kind != CAIRN_DYNAMIC &&
            world->bodies[body_b].kind != CAIRN_DYNAMIC);
}

/// Pairs that make no contacts whatever moves: one body, kept apart by groups or a filter, or held
/// by a joint or connector.
static inline bool eng_pair_is_apart(const cairn_world *world, int body_a, int body_b)
{
    return body_a == body_b || (world->filtered && eng_pair_is_filtered(world, body_a, body_b)) ||
           (world->excluded_count > 0 && eng_pair_is_excluded(world, body_a, body_b)) ||
           (world->connector_count > 0 && eng_connector_replaces(world, body_a, body_b));
}

/// Pairs that make no contacts: those, and where neither body can move.
static inline bool eng_pair_is_idle(const cairn_world *world, int body_a, int body_b)
{
    return eng_pair_is_past(world, body_a, body_b) || eng_pair_is_apart(world, body_a, body_b);
}

/// Surface of a pair of bodies.
const eng_surface *eng_surface_of(const cairn_world *world, int body_a, int body_b);

#endif
