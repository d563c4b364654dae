// SPDX-License-Identifier: Apache-2.0
// The model: what a world is made of. A program makes and changes it between steps; in a step only
// actions and functions of time do.
#ifndef CAIRN_ENGINE_STATE_WORLD_MODEL_H
#define CAIRN_ENGINE_STATE_WORLD_MODEL_H

#include "base/log.h"
#include "base/names.h"
#include "base/pairs.h"
#include "base/parallel.h"
#include "contact/laws/law.h"
#include "contact/solvers/solver.h"
#include "engine/state/slots.h"
#include "geometry/shape/shape.h"
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

/// What every body has. Read inertia, frame, name and the rest through the functions of
/// engine/state/rows.h: few bodies have more of it than this.
typedef struct eng_body {
    cairn_body_kind kind : 7;
    unsigned arrived : 1;        // made since the last step, in a world that has been stepped
    unsigned removed : 1;        // since the last step; the rest is there until the next one
    unsigned flows : 1;          // in this step: it turns as free bodies do, theory.md (1.14)
    unsigned collider_room : 22; // colliders that the row keeps, used or not
    int shape;                   // a row of shapes; -1: the body was removed, and its row is free
    int material;                // a row of materials
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

/// Ids: of bodies, shapes and materials the slot is the row of what it names, of joints and
/// connectors its place among the live ones.
typedef struct eng_world_ids {
    eng_slots body, shape, material, joint, connector;
    uint32_t tag; // in the ids of this world
} eng_world_ids;

/// Materials, and surfaces of the pairs that need one; 0 is the default pair.
typedef struct eng_world_materials {
    eng_material *rows; // [count]
    int count, capacity;
    base_names names;
    eng_surface *surfaces; // [surface_count]
    int surface_count, surface_capacity;
    base_pairs own_surfaces; // of pairs of materials
    eng_elasticity *classes; // [class_count] moduli of materials that bodies have
    int class_count, class_capacity;
    int *followers; // [class_count (class_count + 1) / 2] surface of each pair of classes
    int follower_capacity;
} eng_world_materials;

typedef struct eng_world_shapes {
    geo_shape **rows; // [count] owned; spheres lie in the pool; NULL where one was removed
    int count, capacity;
    void **sphere_pool; // [sphere_pool_count][ENG_SPHERE_POOL_BLOCK] shapes
    int sphere_count, sphere_pool_count, sphere_pool_capacity;
    geo_shape *ball_free; // those of removed shapes, a chain
    eng_members *members; // [member_count] of compounds, in their order
    int member_count, member_capacity;
} eng_world_shapes;

/// What bodies are; what steps carry over of them is in the state.
typedef struct eng_world_bodies {
    eng_body *rows; // [count] those of removed bodies have no shape
    int count, capacity;
    base_names names;
    eng_solid *solids;
    int solid_count, solid_capacity;
    int solid_last, solid_free; // index + 1 of the youngest and of the first free one; 0: none
    eng_extra *extras;
    int extra_count, extra_capacity;
    int extra_free; // index + 1; 0: none
    int *arrivals;  // [arrival_count] bodies that are `arrived`
    int arrival_count, arrival_capacity;
    int motion_count;   // bodies with a prescribed motion
    uint64_t *excluded; // [excluded_count] ascending; pairs of bodies that do not collide
    int excluded_count, excluded_capacity;
    bool filtered; // groups or a filter keep bodies from touching
} eng_world_bodies;

typedef struct eng_world_joints {
    struct eng_joint *rows; // [count]
    int count, capacity;
    base_names names;
    bool changed; // joints were made or bodies set since the last step: bring them together
} eng_world_joints;

typedef struct eng_world_connectors {
    eng_connector *rows; // [count]
    int count, capacity;
    base_names names;
} eng_world_connectors;

/// Of a program's own.
typedef struct eng_world_program {
    struct eng_own_law **laws; // [law_count] owned
    int law_count, law_capacity;
    eng_field *fields; // [field_count]
    int field_count, field_capacity;
    eng_filter filter;
} eng_world_program;

typedef struct eng_world_model {
    // set at creation
    cairn_world_def def;
    base_allocator allocator;
    base_gate *gate; // of the allocator; NULL where none is needed
    base_logger logger;
    base_workers *workers; // NULL for one thread
    eng_choice_solver solver;
    eng_choice_local local;
    bool general_only; // no sphere gets a particle slot; for tests
    /// told before and after each pass (passes.h); for tests, else NULL
    void (*watch)(cairn_world *world, const struct eng_pass *pass, bool done);
    atomic_int interrupt; // cairn_world_interrupt was called; the next look at it ends a step

    eng_world_ids ids;
    // times that it took another state: objects made before may have others in their slots since
    uint32_t went_back;
    bool population_changed; // something was made or removed after the first step
    eng_built built;         // what the world was before that

    eng_world_materials materials;
    eng_world_shapes shapes;
    eng_world_bodies bodies;
    eng_world_joints joints;
    eng_world_connectors connectors;
    eng_world_program program;
} eng_world_model;

#endif
