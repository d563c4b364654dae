// SPDX-License-Identifier: Apache-2.0
// cairn: rigid bodies in contact. The public interface.
//
// Units are SI. Vectors are {x, y, z} in world axes, quaternions {w, x, y, z}. The world owns
// everything; pointers it gives are read-only and valid until the world is next changed or stepped.
// Ids are small values; a zeroed id is null, and an id of something removed is refused.
// Definitions come from the cairn_default_*() functions, never from a blank struct.
#ifndef CAIRN_H
#define CAIRN_H

#include <cairn/joint.h>
#include <cairn/law.h>
#include <cairn/trajectory.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_shape_id {
    uint32_t index, generation;
} cairn_shape_id;

typedef struct cairn_material_id {
    uint32_t index, generation;
} cairn_material_id;

CAIRN_API const char *cairn_version(void);

// ---------------------------------------------------------------- world

typedef enum cairn_rotation {
    CAIRN_RIG_IMP, // implicit: exact momentum, no energy drift (default)
    CAIRN_RIG_NEG, // exact momentum
    CAIRN_RIG_POS  // explicit second half, better phase, momentum drifts
} cairn_rotation;

typedef struct cairn_allocator {
    void *(*reallocate)(void *context, void *block, size_t size); // size 0 frees
    void *context;
} cairn_allocator;

typedef enum cairn_log_level { CAIRN_INFO, CAIRN_WARNING, CAIRN_ERROR } cairn_log_level;

typedef struct cairn_world_def {
    double gravity[3];       // m/s2; default (0, 0, -9.81)
    double time_step;        // s; default 1/200
    cairn_rotation rotation; // default RIG_IMP
    double tolerance;        // residual that a step must reach, theory.md (4.18); default 1e-6
    double scaled_weight; // weight of theory.md (4.13) in that residual: (4.13) judges velocities,
                          // so that light bodies are held beside heavy ones; default 0.01
    int max_iterations;   // of the solver in a step; 0: the solver's default
    double time_limit;    // s of wall clock for one solve; 0: none
    bool margin;          // take contacts up before they close, gap/h in the unilateral
                          // condition; default true
    bool correction;      // remove penetration after the velocity solve without adding velocity;
                          // default true
    double correction_slop;    // m, penetration left alone; default 0: 1e-5 of the smaller body's
                               // smallest size
    int threads;               // >= 1; results do not depend on it; default 1
    cairn_allocator allocator; // NULL function: the C library's; called by one thread at a time
    void (*log)(void *context, cairn_log_level level, const char *text); // NULL: silent
    void *log_context;
    uint32_t cookie;
} cairn_world_def;

CAIRN_API cairn_world_def cairn_default_world_def(void);

CAIRN_API cairn_status cairn_world_create(const cairn_world_def *def, cairn_world **world,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_world_destroy(cairn_world *world);

/// The definition in force.
CAIRN_API const cairn_world_def *cairn_world_get_def(const cairn_world *world);

/// Chooses the solver of the implicit law, or the one-contact solver it uses, by name; its settings
/// return to their defaults.
CAIRN_API cairn_status cairn_world_set_solver(cairn_world *world, const char *name,
                                              cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_world_set_local(cairn_world *world, const char *name,
                                             cairn_error *error) CAIRN_CHECK_RESULT;
/// Sets one setting of the current solver or one-contact solver.
CAIRN_API cairn_status cairn_world_set_solver_value(cairn_world *world, const char *setting,
                                                    cairn_value value,
                                                    cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_world_set_local_value(cairn_world *world, const char *setting,
                                                   cairn_value value,
                                                   cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API const char *cairn_world_solver(const cairn_world *world);
CAIRN_API const char *cairn_world_local(const cairn_world *world);
/// Value of a setting of the current solver or one-contact solver, by its index in the table.
CAIRN_API cairn_value cairn_world_solver_value(const cairn_world *world, int setting);
CAIRN_API cairn_value cairn_world_local_value(const cairn_world *world, int setting);

/// Changes between steps.
CAIRN_API cairn_status cairn_world_set_gravity(cairn_world *world, const double gravity[3],
                                               cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_world_set_tolerance(cairn_world *world, double tolerance,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- materials and pairs

/// A named surface. Unnamed pairs of materials use the world's default pair.
CAIRN_API cairn_status cairn_material_create(cairn_world *world, const char *name,
                                             cairn_material_id *material,
                                             cairn_error *error) CAIRN_CHECK_RESULT;
/// Null id when there is none of that name.
CAIRN_API cairn_material_id cairn_material_find(const cairn_world *world, const char *name);
CAIRN_API int cairn_material_count(const cairn_world *world);
CAIRN_API const char *cairn_material_name(const cairn_world *world, cairn_material_id material);

/// One property of a material: "young_modulus" (Pa) or "poisson_ratio" (default 0.3). Laws with
/// such parameters take them from the two materials of a pair, docs/laws.md section 7.5, unless the
/// pair gives one of them itself.
CAIRN_API cairn_status cairn_material_set_value(cairn_world *world, cairn_material_id material,
                                                const char *property, double value,
                                                cairn_error *error) CAIRN_CHECK_RESULT;
/// Value of a property; 0 where it was not given.
CAIRN_API double cairn_material_value(const cairn_world *world, cairn_material_id material,
                                      const char *property);

/// Law of a pair of materials (null ids: of the default pair); its parameters return to defaults.
/// A pair that was never set follows the default pair.
CAIRN_API cairn_status cairn_pair_set_law(cairn_world *world, cairn_material_id a,
                                          cairn_material_id b, const char *law,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
/// One parameter of the pair's law, e.g. "friction", "restitution".
CAIRN_API cairn_status cairn_pair_set_value(cairn_world *world, cairn_material_id a,
                                            cairn_material_id b, const char *parameter,
                                            cairn_value value,
                                            cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API const char *cairn_pair_law(const cairn_world *world, cairn_material_id a,
                                     cairn_material_id b);
CAIRN_API cairn_value cairn_pair_value(const cairn_world *world, cairn_material_id a,
                                       cairn_material_id b, int setting);

// ---------------------------------------------------------------- shapes

typedef enum cairn_shape_kind {
    CAIRN_SPHERE,     // radius
    CAIRN_HALFSPACE,  // z <= 0 in its own frame
    CAIRN_BOX,        // half_size
    CAIRN_CAPSULE,    // radius, half_length of the segment along z
    CAIRN_CYLINDER,   // radius, half_length along z
    CAIRN_POLYHEDRON, // convex hull of points
    CAIRN_MESH,       // vertices (points) and triangles; fixed or moving bodies only
    CAIRN_COMPOUND    // members at placements
} cairn_shape_kind;

typedef struct cairn_shape_def {
    cairn_shape_kind kind;
    double radius;
    double half_length;
    double half_size[3];
    const double (*points)[3]; // [point_count], copied
    int point_count;
    const int (*triangles)[3]; // [triangle_count], copied
    int triangle_count;
    const cairn_shape_id *members;          // [member_count], copied
    const double (*member_positions)[3];    // [member_count]
    const double (*member_orientations)[4]; // [member_count]
    int member_count;
    const char *file; // OBJ or STL for a polyhedron (its hull) or mesh, instead of points
    double scale;     // of the file's coordinates; default 1
    uint32_t cookie;
} cairn_shape_def;

CAIRN_API cairn_shape_def cairn_default_shape_def(cairn_shape_kind kind);

/// Shapes are immutable and may be shared by any number of bodies.
CAIRN_API cairn_status cairn_shape_create(cairn_world *world, const cairn_shape_def *def,
                                          cairn_shape_id *shape,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API int cairn_shape_count(const cairn_world *world);
CAIRN_API const char *cairn_shape_kind_name(cairn_shape_kind kind);

typedef struct cairn_placement {
    double position[3];
    double orientation[4]; // w x y z
} cairn_placement;

/// What a viewer or writer needs of a shape, in the shape's frame.
typedef struct cairn_shape_view {
    cairn_shape_kind kind;
    double radius, half_length, half_size[3];
    int vertex_count;
    const double (*vertices)[3]; // polyhedron, mesh
    int face_count;
    const int *face_start;    // [face_count + 1] into face_vertices; NULL: triangles
    const int *face_vertices; // counter-clockwise from outside
    int member_count;         // compound
    const cairn_shape_id *members;
    const cairn_placement *member_placements; // [member_count] in the compound's frame
    double volume, smallest_size;
} cairn_shape_view;

CAIRN_API cairn_status cairn_shape_get(const cairn_world *world, cairn_shape_id shape,
                                       cairn_shape_view *view) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- bodies

typedef enum cairn_body_kind {
    CAIRN_DYNAMIC, // moved by forces
    CAIRN_FIXED,   // never moves
    CAIRN_MOVING   // follows its prescribed velocity whatever the forces
} cairn_body_kind;

typedef struct cairn_body_def {
    cairn_body_kind kind;
    cairn_shape_id shape;
    cairn_material_id material; // null: the first material, made on demand
    double position[3];         // m, of the shape's frame
    double orientation[4];      // of the shape's frame
    double velocity[3];         // m/s, of the centre of mass
    double angular_velocity[3]; // rad/s, world axes
    double density;             // kg/m3; used where mass is 0; default 1000
    double mass;                // kg; 0: from density and volume
    double inertia[3];          // kg m2, about the principal axes; zeros: from the shape
    const char *name;           // copied; NULL for none
    uint32_t cookie;
} cairn_body_def;

CAIRN_API cairn_body_def cairn_default_body_def(void);
CAIRN_API cairn_status cairn_body_create(cairn_world *world, const cairn_body_def *def,
                                         cairn_body_id *body,
                                         cairn_error *error) CAIRN_CHECK_RESULT;

/// Bodies in order of creation: 0 .. count-1.
CAIRN_API int cairn_body_count(const cairn_world *world);
CAIRN_API cairn_body_id cairn_body_at(const cairn_world *world, int index);
CAIRN_API cairn_body_id cairn_body_find(const cairn_world *world, const char *name);

typedef struct cairn_body_view {
    cairn_body_kind kind;
    cairn_shape_id shape;
    cairn_material_id material;
    const char *name;           // "" for none
    double position[3];         // of the shape's frame
    double orientation[4];      // of the shape's frame
    double centre[3];           // m, centre of mass
    double velocity[3];         // of the centre of mass
    double angular_velocity[3]; // world axes
    double mass;                // INFINITY where not dynamic
    double inertia[3];          // principal
    double kinetic_energy;      // J
} cairn_body_view;

CAIRN_API cairn_status cairn_body_get(const cairn_world *world, cairn_body_id body,
                                      cairn_body_view *view) CAIRN_CHECK_RESULT;

/// Between steps: place a body, or set its velocity (for a moving body: the prescribed one).
CAIRN_API cairn_status cairn_body_set_pose(cairn_world *world, cairn_body_id body,
                                           const double position[3], const double orientation[4],
                                           cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_body_set_velocity(cairn_world *world, cairn_body_id body,
                                               const double velocity[3],
                                               const double angular_velocity[3],
                                               cairn_error *error) CAIRN_CHECK_RESULT;
/// Force (N) and torque (N m, world axes) on a body in the next steps, until changed; booked as
/// work of drivers.
CAIRN_API cairn_status cairn_body_set_force(cairn_world *world, cairn_body_id body,
                                            const double force[3], const double torque[3],
                                            cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- connectors

typedef struct cairn_connector_id {
    uint32_t index, generation;
} cairn_connector_id;

/// A contact between two given bodies of any shape: a marker sphere is fixed in each, and an
/// impulse law acts between the two spheres, docs/laws.md section 6.1.
typedef struct cairn_connector_def {
    const char *name; // copied, unique; NULL for none
    const char *law;  // default "exudyn_sphere"
    cairn_body_id bodies[2];
    double radii[2];        // m; one of them negative: a hollow sphere with the other inside
    double positions[2][3]; // m, of the markers in the frames of the bodies' shapes; default 0
    bool contacts; // true: the bodies make ordinary contacts besides; default false: the connector
                   // stands for all contacts between the two
    uint32_t cookie;
} cairn_connector_def;

CAIRN_API cairn_connector_def cairn_default_connector_def(void);

/// @return CAIRN_ERROR_NOT_FOUND for a law that there is not, CAIRN_ERROR_STALE_ID for a body,
///         CAIRN_ERROR_ARGUMENT for other mistakes
CAIRN_API cairn_status cairn_connector_create(cairn_world *world, const cairn_connector_def *def,
                                              cairn_connector_id *connector,
                                              cairn_error *error) CAIRN_CHECK_RESULT;
/// Between steps: one parameter of its law, e.g. "active_connector".
CAIRN_API cairn_status cairn_connector_set_value(cairn_world *world, cairn_connector_id connector,
                                                 const char *parameter, cairn_value value,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;
/// Value of a parameter by its index in the law's table.
CAIRN_API cairn_value cairn_connector_value(const cairn_world *world, cairn_connector_id connector,
                                            int setting);
/// Between steps: one of the law's history (of exudyn_sphere: the data coordinates); all are 0 at
/// first.
CAIRN_API cairn_status cairn_connector_set_history(cairn_world *world, cairn_connector_id connector,
                                                   const char *name, double value,
                                                   cairn_error *error) CAIRN_CHECK_RESULT;

/// Connectors in order of creation: 0 .. count-1.
CAIRN_API int cairn_connector_count(const cairn_world *world);
CAIRN_API cairn_connector_id cairn_connector_at(const cairn_world *world, int index);
CAIRN_API cairn_connector_id cairn_connector_find(const cairn_world *world, const char *name);

/// Forces, torques and history are of the last step (means over it; history as of its middle), the
/// rest is of now. Everything has its physical sign.
typedef struct cairn_connector_view {
    const char *name; // "" for none
    const char *law;
    cairn_body_id bodies[2];
    double radii[2];                       // m
    double positions[2][3];                // m, markers
    double gap;                            // m
    double director[3];                    // unit normal from A to B
    double displacement[3];                // m, marker of B less marker of A
    double point[3];                       // m, halfway between the surfaces
    double velocity[3];                    // m/s, of B against A at the point
    bool closed;                           // in the last step
    double force[2][3];                    // N on A and on B
    double torque[2][3];                   // N m on A and B, about the markers
    double history[CAIRN_LAW_HISTORY_MAX]; // named by cairn_law_history_name
} cairn_connector_view;

CAIRN_API cairn_status cairn_connector_get(const cairn_world *world, cairn_connector_id connector,
                                           cairn_connector_view *view) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- stepping

/// Advances by one time step. A step whose solve stops early is done with the best point found and
/// says so in the report; non-finite state stops with the body's identity.
CAIRN_API cairn_status cairn_world_step(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// The contact that limits the time step.
typedef struct cairn_step_limit {
    double step;      // s; INFINITY where no law has a limit
    double stiffness; // N/m, of the contact
    double damping;   // N s/m
    double mass;      // kg, of the lighter body
    cairn_body_id a, b;
    const char *law; // "" where there is none
} cairn_step_limit;

/// Estimates the stable step of the stiffest contact that the bodies of the world may make, of
/// those with an explicit law: h = m / (c + sqrt(c^2 + k m)) with the mass m of the lighter body,
/// which is the limit of leap-frog for a row of such bodies, sqrt(m / k) without damping. k is the
/// larger of the normal stiffness and 7/2 of the tangential one (a sphere turns too), both at an
/// overlap of 1 % of the smaller body's half size. docs/laws.md section 9.
/// Cone laws have no limit. Tests: tests/unit/engine/test_stable_step.c
CAIRN_API cairn_step_limit cairn_world_stable_step(const cairn_world *world);

/// Changes the time step, between steps. Contacts, joints and connectors keep the forces of the
/// last step: its impulses, from which the next solve starts, change in proportion. A checkpoint is
/// restored with the step that was in force when it was saved.
/// @return CAIRN_ERROR_ARGUMENT for a step that is not positive
CAIRN_API cairn_status cairn_world_set_time_step(cairn_world *world, double time_step,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

CAIRN_API double cairn_world_time(const cairn_world *world);
CAIRN_API int64_t cairn_world_step_count(const cairn_world *world);

/// Phases of a step, in order, as timed.
#define CAIRN_PHASE_LIST(X)                                                                        \
    X(midpoint)                                                                                    \
    X(broad_phase)                                                                                 \
    X(narrow_phase)                                                                                \
    X(contact_set)                                                                                 \
    X(assembly)                                                                                    \
    X(explicit_laws)                                                                               \
    X(solver)                                                                                      \
    X(certificate)                                                                                 \
    X(finish)

typedef enum cairn_phase {
#define CAIRN_PHASE_ENUM(name) CAIRN_PHASE_##name,
    CAIRN_PHASE_LIST(CAIRN_PHASE_ENUM)
#undef CAIRN_PHASE_ENUM
        CAIRN_PHASE_COUNT
} cairn_phase;

CAIRN_API const char *cairn_phase_name(cairn_phase phase);

/// What the last step did.
typedef struct cairn_step_report {
    int contacts;     // in the problem (implicit) or touched by laws
    int active;       // with a nonzero reaction
    const char *stop; // "solved", "iteration_limit", ... ; "none" where there was nothing to solve
    int iterations;
    double error;                // residual of the step, recomputed by the engine, theory.md (4.18)
    double error_scaled;         // the same in velocity units, theory.md (4.13)
    double error_joints;         // m or rad, largest violation of a joint at the end of the step
    double penetration;          // m, deepest overlap at the end of the step; >= 0
    double penetration_relative; // the largest overlap / smaller body's smallest size
    double seconds[CAIRN_PHASE_COUNT];
} cairn_step_report;

CAIRN_API const cairn_step_report *cairn_world_report(const cairn_world *world);

/// Residual after each iteration (or block of them) of the last solve, as its solver measured it:
/// the first 2048. @param count  out; 0 where nothing was solved
CAIRN_API const double *cairn_world_residuals(const cairn_world *world, int *count);

/// Whether the problem of the last step has no solution because of bodies whose motion is
/// prescribed: what they squeeze has no velocity that does not overlap with one of them. Reactions,
/// and the work of the drivers, mean nothing then, even where a solver finds them good in relative
/// terms. The test is a convex program that can cost more than a step: for steps that may be
/// jammed.
/// @param bodies  [capacity] out: bodies of the contacts that no velocity satisfies, in order of
///                creation
/// @param count   out: their number, which may exceed `capacity`; 0: there may be a solution
/// @return CAIRN_ERROR_MEMORY; CAIRN_ERROR_UNSUPPORTED, CAIRN_ERROR_NONFINITE (as in
///         cairn_problem_check)
/// Tests: tests/unit/engine/test_jam.c
CAIRN_API cairn_status cairn_world_find_jam(cairn_world *world, cairn_body_id *bodies, int capacity,
                                            int *count, cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether the last step gives reason to look for a jam: prescribed bodies have contacts in it, and
/// it ended unsolved or leaves a contact closing by a hundredth of how the fastest one would have.
CAIRN_API bool cairn_world_may_be_jammed(const cairn_world *world);

typedef enum cairn_contact_status {
    CAIRN_CONTACT_OPEN,
    CAIRN_CONTACT_STICKING,
    CAIRN_CONTACT_SLIDING
} cairn_contact_status;

/// One contact of the last step.
typedef struct cairn_contact_view {
    cairn_body_id a, b;
    double point[3], normal[3]; // midpoint configuration, normal from A to B
    double gap;                 // m
    double impulse[3];          // N s on B, world axes
    double force[3];            // N, impulse / step
    double velocity[3];         // m/s, U in contact axes (N, T1, T2)
    cairn_contact_status status;
    uint64_t key;
} cairn_contact_view;

CAIRN_API int cairn_contact_count(const cairn_world *world);
CAIRN_API void cairn_contact_get(const cairn_world *world, int index, cairn_contact_view *view);

/// Sum of the forces (N) and torques about the centre of mass (N m) of contacts and connectors on a
/// body in the last step, world axes.
CAIRN_API cairn_status cairn_body_contact_force(const cairn_world *world, cairn_body_id body,
                                                double force[3],
                                                double torque[3]) CAIRN_CHECK_RESULT;

/// Pairs that overlap now by more than 1e-3 of the smaller body's smallest size; made for the check
/// of a scene before its first step.
typedef struct cairn_overlap {
    cairn_body_id a, b;
    double depth;    // m
    double relative; // depth / smaller body's smallest size
} cairn_overlap;

/// @param overlaps  [capacity] out, deepest first; @return number found, which may exceed capacity
CAIRN_API cairn_status cairn_world_find_overlaps(cairn_world *world, cairn_overlap *overlaps,
                                                 int capacity, int *found,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- energy and momentum

/// Accumulated since creation; kinetic + potential + elastic = initial + drivers + correction
/// + joints - dissipated, up to `residual`.
typedef struct cairn_energy {
    double kinetic;    // J
    double potential;  // J, of gravity, zero at the origin
    double elastic;    // J
    double drivers;    // J, work of moving bodies and applied forces
    double correction; // J, potential energy given by the position correction
    double impact;     // J dissipated by normal impact
    double friction;   // J dissipated by friction
    double damping;    // J dissipated by dashpots
    double plastic;    // J dissipated by plasticity and adhesion
    double joints;     // J, work of the constraints of joints, which should do none
    double residual;   // J, what does not add up
} cairn_energy;

CAIRN_API cairn_energy cairn_world_energy(const cairn_world *world);

/// Of all dynamic bodies: linear (kg m/s) and angular (kg m2/s, about the origin).
CAIRN_API void cairn_world_momentum(const cairn_world *world, double linear[3], double angular[3]);

/// Covers positions, velocities, contacts and history, bit by bit.
CAIRN_API uint64_t cairn_world_hash(const cairn_world *world);

// ---------------------------------------------------------------- checkpoints

enum { CAIRN_NOTE_SIZE = 4096 };

/// What a checkpoint file says of itself.
typedef struct cairn_checkpoint {
    int64_t step_count;
    double time, time_step; // s
    int bodies, contacts;
    uint64_t state_hash; // cairn_world_hash of the saved world
    cairn_energy energy;
    char version[32]; // of the program that saved
    char note[CAIRN_NOTE_SIZE];
} cairn_checkpoint;

/// Saves all that later steps depend on: state, loads, contacts with their history, pair list with
/// what pairs remember, energy audit, time. The file appears under its name when it is complete and
/// on the disk; one that was there stays until then. The world is not changed in any way.
/// @param note  text of less than CAIRN_NOTE_SIZE bytes for the caller's own use; NULL for none
/// @return CAIRN_ERROR_FILE, CAIRN_ERROR_MEMORY, CAIRN_ERROR_ARGUMENT
CAIRN_API cairn_status cairn_world_save(const cairn_world *world, const char *path,
                                        const char *note, cairn_error *error) CAIRN_CHECK_RESULT;

/// Brings a world to a saved state: every later step gives the same bits as it would have given in
/// the world that was saved, for any number of threads. The world must have been built in the same
/// way, with the same settings, gravity and tolerance as at the time of saving included; it may
/// have been stepped. The report and the problem of the last step are not kept.
/// @return CAIRN_ERROR_FILE; CAIRN_ERROR_FORMAT (no checkpoint, or a damaged one);
///         CAIRN_ERROR_ARGUMENT (of another world; the message says what differs);
///         CAIRN_ERROR_MEMORY. The world's state is unchanged after these, unless the file was made
///         up and only the hash of the restored state gave it away.
/// Tests: tests/regress/test_checkpoint.c
CAIRN_API cairn_status cairn_world_restore(cairn_world *world, const char *path,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether a file ends as a checkpoint does; its content may still be damaged.
CAIRN_API bool cairn_checkpoint_found(const char *path);

/// Reads what a checkpoint says of itself, without a world.
CAIRN_API cairn_status cairn_checkpoint_read(const char *path, cairn_checkpoint *checkpoint,
                                             cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- files

typedef enum cairn_fclib_form { CAIRN_FCLIB_LOCAL, CAIRN_FCLIB_GLOBAL } cairn_fclib_form;

/// Writes the problem of the last step with guess and solution. CAIRN_ERROR_ARGUMENT when the step
/// had no implicit contact.
CAIRN_API cairn_status cairn_world_write_fclib(const cairn_world *world, const char *path,
                                               cairn_fclib_form form, const char *title,
                                               const char *description,
                                               cairn_error *error) CAIRN_CHECK_RESULT;

/// ParaView series in a folder: bodies, contacts, and .pvd indices rewritten at each frame.
typedef struct cairn_paraview cairn_paraview;

CAIRN_API cairn_status cairn_paraview_open(const char *folder, cairn_paraview **writer,
                                           cairn_error *error) CAIRN_CHECK_RESULT;
/// Where a series stands, to go on with it after a restart.
typedef struct cairn_paraview_state {
    int frames;    // written
    double extent; // m, half width at which half-spaces are drawn; 0 before the first frame
} cairn_paraview_state;

CAIRN_API cairn_paraview_state cairn_paraview_get_state(const cairn_paraview *writer);

/// Goes on with the series in a folder behind its first `state.frames` frames; later ones are
/// removed. CAIRN_ERROR_FORMAT when an index has fewer.
CAIRN_API cairn_status cairn_paraview_resume(const char *folder, cairn_paraview_state state,
                                             cairn_paraview **writer,
                                             cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_paraview_frame(cairn_paraview *writer, const cairn_world *world,
                                            cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_paraview_close(cairn_paraview *writer);

// ---------------------------------------------------------------- problems from files

/// A frictional contact problem read from an FCLIB file, and the impulses last found for it. Calls
/// on problems must not overlap in time unless the HDF5 library was built thread-safe.
typedef struct cairn_problem cairn_problem;

/// Reads a file of any form and storage and brings it to the form that solvers want. Nothing in the
/// file is trusted, but the HDF5 library may crash on what it cannot make sense of: a program that
/// must not go down with a damaged file reads it in a process of its own first, as the command
/// does.
/// @return CAIRN_ERROR_FILE (no such file); CAIRN_ERROR_FORMAT with the reason;
/// CAIRN_ERROR_NUMERICAL
///         when equality constraints cannot be eliminated; CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_problem_read(const char *path, cairn_problem **problem,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_problem_destroy(cairn_problem *problem);

typedef enum cairn_problem_kind {
    CAIRN_PROBLEM_LOCAL, // W and q
    CAIRN_PROBLEM_GLOBAL // M, H, f, w; both may have equality constraints
} cairn_problem_kind;

/// "local" or "global".
CAIRN_API const char *cairn_problem_kind_name(cairn_problem_kind kind);

CAIRN_API cairn_problem_kind cairn_problem_get_kind(const cairn_problem *problem);
CAIRN_API int cairn_problem_contacts(const cairn_problem *problem);
/// Rows of M in global form; rows of W in local form, which does not know the bodies.
CAIRN_API int cairn_problem_dofs(const cairn_problem *problem);
/// Rows of the equality constraints; 0 without joints.
CAIRN_API int cairn_problem_equalities(const cairn_problem *problem);

/// What a problem file holds.
typedef struct cairn_problem_view {
    cairn_problem_kind kind;
    const char *title, *description, *math_info; // "" where absent; borrowed from the problem
    int dimension;                               // rows a contact: 2 or 3
    int contacts;
    int dofs;       // as cairn_problem_dofs
    int equalities; // rows of the equality constraints
    int bodies;     // blocks of M that move on their own; 0 where not known
    int W_entries, M_entries, H_entries;
    double density;        // of W or H: stored entries / (rows columns)
    double symmetry_error; // max |A - A^T| / max |A| of W or M
    double friction_minimum, friction_maximum;
    double q_norm;         // m/s, |q|; NaN where not known
    double hyperstaticity; // contact rows / dofs; NaN in local form
    int rank;              // of W or H, singular values above 1e-10 of the largest; -1: too large
    int rank_full;         // smaller side of W or H
    double conditioning;   // largest / smallest singular value within the rank; NaN: not known
    int guesses;
    bool has_solution;
    double solution_error; // residual of the stored solution; NaN without one
    int dropped_vectors;   // guesses and solutions left out because they are not finite
} cairn_problem_view;

/// The rank takes a dense factorisation: up to a few seconds at 1500 rows, and left out above.
CAIRN_API cairn_status cairn_problem_info(const cairn_problem *problem, cairn_problem_view *view,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// One name=value for a solver's or one-contact solver's table.
typedef struct cairn_setting {
    const char *name;
    const char *text; // "0.5", "true", "shuffled"
} cairn_setting;

typedef struct cairn_solve_def {
    const char *solver;                   // NULL: the default
    const char *local;                    // one-contact solver; NULL: the default
    const cairn_setting *solver_settings; // [solver_setting_count]
    int solver_setting_count;
    const cairn_setting *local_settings; // [local_setting_count]
    int local_setting_count;
    double tolerance;    // residual to reach, theory.md (4.18); default 1e-8
    bool both_measures;  // demand it of (4.11), and with it (4.12), too; default false
    bool scaled_measure; // demand it of (4.13) too; default false
    bool guess;         // start from the file's first guess where it has one; default false: from 0
    int max_iterations; // 0: the solver's default
    double time_limit;  // s of wall clock; 0: none
    int threads;        // default 1
    uint32_t cookie;
} cairn_solve_def;

CAIRN_API cairn_solve_def cairn_default_solve_def(void);

/// What a solve came to. A limit that was hit is no failure of the call.
typedef struct cairn_solve_report {
    const char *solver; // name of the one that ran
    const char *stop;   // "solved", "iteration_limit", "time_limit", "stagnated", "failed"
    int iterations;
    double error;         // recomputed, theory.md (4.18): free of units
    double error_scaled;  // theory.md (4.13), in velocities
    double error_q;       // theory.md (4.11), with the problem's units of mass and time
    double error_siconos; // theory.md (4.12), the number that Siconos prints
    double error_joints; // of the equality constraints, theory.md (4.17); 0 where W alone is solved
    double growth;       // |R| / |q| in the units of (4.18): large where impulses run away
    double seconds;      // wall clock of the solve alone
    double cpu_seconds;  // CPU time of the same, all threads
} cairn_solve_report;

/// Solves, and keeps the best point found for cairn_problem_write_solution.
/// @return CAIRN_ERROR_NOT_FOUND or CAIRN_ERROR_ARGUMENT for names and values;
///         CAIRN_ERROR_UNSUPPORTED when the solver cannot take this kind of problem
CAIRN_API cairn_status cairn_problem_solve(cairn_problem *problem, const cairn_solve_def *def,
                                           cairn_solve_report *report,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Writes the problem as it was read, with the impulses last found as its solution.
/// @return CAIRN_ERROR_ARGUMENT before the first solve
CAIRN_API cairn_status cairn_problem_write_solution(const cairn_problem *problem, const char *path,
                                                    cairn_error *error) CAIRN_CHECK_RESULT;

typedef enum cairn_existence_verdict {
    CAIRN_EXISTENCE_SHOWN,      // a solution exists
    CAIRN_EXISTENCE_BORDERLINE, // undecided: the margin is zero within what can be computed
    CAIRN_EXISTENCE_NOT_SHOWN,  // the criterion fails: there may be a solution all the same
    CAIRN_EXISTENCE_NONE        // there is no solution
} cairn_existence_verdict;

/// "exists", "borderline", "not_shown", "none".
CAIRN_API const char *cairn_existence_name(cairn_existence_verdict verdict);

/// Numbers behind a verdict, recomputed with the problem's own operators.
typedef struct cairn_existence {
    cairn_existence_verdict verdict;
    bool zero_solves;    // R = 0 is a solution
    double scale;        // m/s, largest |q_i|: unit of the margins
    double margin;       // largest min(U_N - mu |U_T|) over the contacts that was found; at most 1;
                         // above 0: a solution exists
    double margin_bound; // no velocity has more; the dual's value
    double certificate_product;  // q.d < 0 of a direction d in the cones with sum d_N = 1 that no
                                 // velocity feels; NaN without one
    double certificate_residual; // |W^T d| of it, relative
    int rank;                    // of W in local form up to 500 contacts; -1 otherwise
    int iterations;
} cairn_existence;

/// Tests existence of a solution by the criterion of the largest margin: max a with
/// H^T v + w - a e_N in K*, a <= 1. Where it fails without friction too, there is no solution.
/// @param direction  [contacts][3] out: the certificate d, or zeros; may be NULL
/// @return CAIRN_ERROR_UNSUPPORTED for a local form whose factors would take more than 2 GB
/// Source: Acary & Cadoux 2013. Tests: tests/unit/contact/test_existence.c
CAIRN_API cairn_status cairn_problem_check(const cairn_problem *problem, cairn_existence *existence,
                                           double (*direction)[3],
                                           cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
