// SPDX-License-Identifier: Apache-2.0
// cairn: grains that come and go: sizes, mixtures, regions, emitters and outlets.
#ifndef CAIRN_GRAINS_H
#define CAIRN_GRAINS_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- sizes

/// A size is the diameter (m) of the sphere with the volume of the grain.
typedef enum cairn_size_kind {
    CAIRN_SIZE_CONSTANT,  // first
    CAIRN_SIZE_UNIFORM,   // from minimum to maximum
    CAIRN_SIZE_NORMAL,    // first: mean, second: standard deviation
    CAIRN_SIZE_LOGNORMAL, // first: median, second: standard deviation of ln(size)
    CAIRN_SIZE_WEIBULL,   // first: scale (63.2 % are smaller), second: shape
    CAIRN_SIZE_TABLE      // points: a sieve curve
} cairn_size_kind;

typedef struct cairn_size_def {
    cairn_size_kind kind;
    double first, second;
    double minimum, maximum;   // m; sizes beyond do not occur; 0: the quantiles 0.001 and 0.999 of
                               // the distribution
    const double (*points)[2]; // [point_count] size (m) and share that is not larger, both
                               // ascending, the shares from 0 to 1; between them straight lines
    int point_count;           // of a table, else 0
    bool by_mass;              // shares are of the mass, not of the number
} cairn_size_def;

/// A distribution that is ready to be drawn from.
typedef struct cairn_sizes cairn_sizes;

/// @return CAIRN_ERROR_ARGUMENT with the value that is wrong and its range; CAIRN_ERROR_MEMORY
/// Tests: tests/unit/engine/test_grains.c
CAIRN_API cairn_status cairn_sizes_create(const cairn_size_def *def, cairn_sizes **sizes,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_sizes_destroy(cairn_sizes *sizes);

/// The size that a share (0 to 1) of the grains, by number, does not exceed: with random shares,
/// random sizes. A distribution by mass is turned into the one by number that has it.
CAIRN_API double cairn_sizes_quantile(const cairn_sizes *sizes, double share);

/// Mean volume of a grain, m3.
CAIRN_API double cairn_sizes_mean_volume(const cairn_sizes *sizes);

// ---------------------------------------------------------------- grains and regions

/// One component of a mixture.
typedef struct cairn_grain_def {
    cairn_shape_id shape;       // scaled to the size; null: spheres
    cairn_size_def size;        // constant 0: the shape as it is
    cairn_material_id material; // null: the first one
    double density;             // kg/m3; 0: the material's
    double share;               // of the mixture; shares need not add up to 1
} cairn_grain_def;

typedef enum cairn_region_kind {
    CAIRN_REGION_BOX,      // from a to b, a < b
    CAIRN_REGION_CYLINDER, // about the segment from a to b, of a radius
    CAIRN_REGION_SPHERE,   // about a, of a radius
    CAIRN_REGION_HULL,     // a convex polyhedron, placed at a without a turn
    CAIRN_REGION_MESH      // the inside of a closed mesh, placed so
} cairn_region_kind;

typedef struct cairn_region {
    cairn_region_kind kind;
    double a[3], b[3]; // m
    double radius;     // m
    cairn_shape_id shape;
} cairn_region;

// ---------------------------------------------------------------- emitters and outlets

typedef struct cairn_emitter_def {
    const char *name; // copied; NULL: "emitter"
    cairn_region region;
    const cairn_grain_def *grains; // [grain_count], copied
    int grain_count;
    bool shares_by_mass; // of the components; else by number
    double rate;         // grains a second; 0: see mass_rate
    double mass_rate;    // kg/s; both 0: all of `count` or `mass` at once
    int64_t count;       // grains in all; 0: no limit
    double mass;         // kg in all; 0: no limit
    double from, until;  // s; default 0 and INFINITY
    double every;        // s between insertions; default 0.01
    double velocity[3];  // m/s
    double spread;       // m/s, each component of the velocity differs by up to this
    bool turned;         // with random orientations; default true
    int attempts;        // places that are tried for a grain in one insertion; default 200
    uint64_t seed;
    uint32_t cookie;
} cairn_emitter_def;

CAIRN_API cairn_emitter_def cairn_default_emitter_def(void);

/// An emitter inserts grains before steps, whole inside its region and overlapping nothing. A grain
/// for which no place is found waits for the next insertion, and so do those behind it: sizes stay
/// as they were asked for, and the rate is made up for as soon as there is room. What waits is said
/// in the log, once, and by cairn_emitter_get.
///
/// Grains other than hulls and compounds have a size each; those come in sixteen sizes, the middles
/// of sixteenths of the distribution, made here. An insertion looks once at every body, to find
/// those in the region, and then costs as much as the grains it inserts.
/// @return CAIRN_ERROR_ARGUMENT, also for a region that is too small for the largest grain;
///         CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD, CAIRN_ERROR_MEMORY
/// Tests: tests/unit/engine/test_grains.c
CAIRN_API cairn_status cairn_emitter_create(cairn_world *world, const cairn_emitter_def *def,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

typedef struct cairn_emitter_view {
    const char *name;
    int64_t count;       // grains inserted
    double mass;         // kg inserted
    int64_t waiting;     // grains that were due at the last insertion and found no place
    double waiting_mass; // kg of them; by rate of grains estimated by the mean grain
    int64_t late;        // insertions that left grains waiting
    cairn_region region;
} cairn_emitter_view;

CAIRN_API int cairn_emitter_count(const cairn_world *world);
/// @return CAIRN_ERROR_NOT_FOUND for an index that is not in 0 .. count-1
CAIRN_API cairn_status cairn_emitter_get(const cairn_world *world, int index,
                                         cairn_emitter_view *view) CAIRN_CHECK_RESULT;

typedef struct cairn_outlet_def {
    const char *name; // copied; NULL: "outlet"
    cairn_region region;
    bool outside; // removes what is outside of the region instead
    double every; // s between looks; default 0.01
    double from;  // s; default 0
    uint32_t cookie;
} cairn_outlet_def;

CAIRN_API cairn_outlet_def cairn_default_outlet_def(void);

/// An outlet removes dynamic bodies whose centre of mass is in its region, before steps, and counts
/// them.
/// @return as cairn_emitter_create
CAIRN_API cairn_status cairn_outlet_create(cairn_world *world, const cairn_outlet_def *def,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

typedef struct cairn_outlet_view {
    const char *name;
    int64_t count; // bodies removed
    double mass;   // kg removed
    cairn_region region;
    bool outside; // of the region
} cairn_outlet_view;

CAIRN_API int cairn_outlet_count(const cairn_world *world);
CAIRN_API cairn_status cairn_outlet_get(const cairn_world *world, int index,
                                        cairn_outlet_view *view) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- events

typedef enum cairn_change {
    CAIRN_CHANGE_REMOVE,   // cairn_body_remove
    CAIRN_CHANGE_FREEZE,   // cairn_body_freeze
    CAIRN_CHANGE_RELEASE,  // cairn_body_release
    CAIRN_CHANGE_VELOCITY, // cairn_body_set_velocity, of bodies without a motion
    CAIRN_CHANGE_STOP,     // none: the run is to end, cairn_world_get_stop
    CAIRN_CHANGE_PAIR      // none: parameters of a pair of materials, as cairn_pair_set_value
} cairn_change;

/// A parameter of a pair's law, and the value that it gets.
typedef struct cairn_pair_change {
    const char *parameter;
    double value;
} cairn_pair_change;

/// Asked between steps; must read nothing but the world and the time (s).
/// @param holds  out
typedef cairn_status cairn_condition_function(void *context, const cairn_world *world, double time,
                                              bool *holds, cairn_error *error);

typedef struct cairn_event_def {
    const char *name; // copied, for messages; NULL: "event"
    cairn_change change;
    const cairn_body_id *bodies; // [body_count], copied; those that are gone by then are left out
    int body_count;
    const cairn_region *region; // copied; instead of bodies: all whose centre of mass is in it
                                // then, and which can be changed so
    double from;                // s; default 0
    cairn_condition_function *condition;     // NULL: the event is at `from`
    void *context;                           // borrowed
    double every;                            // s between questions from `from` on; default 0.01
    double velocity[3], angular_velocity[3]; // m/s, rad/s, of CAIRN_CHANGE_VELOCITY
    cairn_material_id materials[2];          // of CAIRN_CHANGE_PAIR; both null: the default pair
    const cairn_pair_change *values;         // [value_count] of CAIRN_CHANGE_PAIR, copied
    int value_count;
    uint32_t cookie;
} cairn_event_def;

CAIRN_API cairn_event_def cairn_default_event_def(void);

/// Changes bodies once, before a step: the first that begins at `from` or later, or before which
/// the condition holds. One that stops has no bodies, and is asked after steps. A body that cannot
/// be changed so then ends the step with its message. One of a pair has no bodies, and is made when
/// the pair has its law, which it keeps from then on; its parameters are numbers of which contacts'
/// stiffness does not depend (friction, restitution, rolling, cohesion ...).
/// @return CAIRN_ERROR_ARGUMENT with the value that is wrong; CAIRN_ERROR_NOT_FOUND for a parameter
///         that the pair's law has not; CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD,
///         CAIRN_ERROR_MEMORY
/// Tests: tests/unit/engine/actions/test_freeze.c, tests/cli/results/test_events.py,
///        tests/python/test_states.py
CAIRN_API cairn_status cairn_event_create(cairn_world *world, const cairn_event_def *def,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// Name of an event that stops, and has come; NULL: none. The world can go on all the same.
CAIRN_API const char *cairn_world_get_stop(const cairn_world *world);

/// An event that removes a body at a time (s).
/// @return CAIRN_ERROR_ARGUMENT for a time that is not finite; CAIRN_ERROR_STALE_ID,
///         CAIRN_ERROR_WORLD, CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_body_remove_at(cairn_world *world, cairn_body_id body, double time,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- packings

typedef enum cairn_packing_method {
    CAIRN_PACKING_LATTICE,   // cubic, from the lowest layer up
    CAIRN_PACKING_RANDOM,    // one after the other at random places that are free
    CAIRN_PACKING_GROWTH,    // spheres at random places that push each other apart
    CAIRN_PACKING_DEPOSITION // spheres that fall along gravity one after the other, and roll until
                             // they are held
} cairn_packing_method;

typedef struct cairn_packing_def {
    const char *name; // in messages; NULL: "packing"
    cairn_region region;
    const cairn_grain_def *grains; // [grain_count]
    int grain_count;
    bool shares_by_mass; // of the components; else by number
    cairn_packing_method method;
    int64_t count;       // grains; 0: as many as the porosity asks for, or as there is room for
    double porosity;     // of the region; 0: not asked for. Growth alone reaches it within 0.002 or
                         // fails; with `count` too all sizes grow by one factor
    double coordination; // growth: mean number of contacts of a grain, walls of the region
                         // included, within 0.002 or half a contact in all; sizes grow by one
                         // factor. 0: not asked for
    double gap;          // m, left between grains, and half of it at the boundary: of lattice,
                         // random and deposition
    bool turned;         // with random orientations; default true
    int attempts;        // random, deposition: places that are tried for a grain; default 1000
    double time_limit;   // s of wall clock, after which it fails with the figure that was reached;
                         // default infinite
    uint64_t seed;
    uint32_t cookie;
} cairn_packing_def;

typedef struct cairn_packing_view {
    int64_t count;
    double porosity;     // of the region
    double coordination; // of growth to a coordination, else 0
    double factor;       // of sizes
    double overlap;      // the deepest one, part of the smaller grain's size
} cairn_packing_view;

CAIRN_API cairn_packing_def cairn_default_packing_def(void);

/// Makes grains at rest inside a region, all at once. Lattices and random places keep away from
/// bodies that are there; growth and deposition look at the region's boundary alone, and are of
/// spheres. Grains do not overlap, but by what a coordination presses them together.
/// @param view  out, what was made; NULL: not asked for
/// @return as cairn_emitter_create; CAIRN_ERROR_ARGUMENT with the figure that was reached where a
///         count, porosity or coordination cannot be had. On failure no grain is there.
/// Tests: tests/unit/engine/test_packing.c
CAIRN_API cairn_status cairn_packing_create(cairn_world *world, const cairn_packing_def *def,
                                            cairn_packing_view *view,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- averages

/// Averages over a region after the last step. Bodies count where their centre of mass is inside,
/// dynamic ones alone; contacts with a force where their point is. Porosity is of the parts of
/// bodies that are inside: exact for balls, and for boxes and polyhedra without rounding in boxes,
/// hulls and balls; a part of another shape is known to 3e-3 of the shape. What two bodies
/// both fill counts twice. Tensors are symmetric: xx, yy, zz, xy, xz, yz.
typedef struct cairn_measure {
    int bodies, contacts;
    double mass;         // kg
    double velocity[3];  // m/s, of the mass
    double stress[6];    // Pa, pressure positive: of contacts, (1/V) sum f l with l from centre to
                         // centre (to the point, where the other one is no dynamic body), and
                         // kinetic, (1/V) sum m v' v'
    double fabric[6];    // mean of n n over the contacts
    double coordination; // contacts of a body
    double porosity;     // 1 - volume of the bodies within the region / volume of the region
    double temperature;  // m2/s2, granular: mean of v' v' / 3 over the mass
    double flow[3]; // kg/s through planes normal to x, y and z, mean over those in the region's
                    // bounds: sum m v / extent
    int rattlers;   // bodies with at most one contact
    double bearing_coordination; // contacts of a body that is no rattler
} cairn_measure;

/// Mean of the sums of contact forces and weight on the dynamic bodies over the mean force of the
/// contacts, in the last step: small where forces balance. Joints, loads and fields do not count. 1
/// without contacts, under gravity.
/// @return CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_world_get_unbalanced(const cairn_world *world, double *ratio,
                                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// Contacts of the last step that their law holds together: bonds that are whole, and bridges.
CAIRN_API int cairn_world_get_bond_count(const cairn_world *world);

/// Whether a pair of materials or a connector has a law whose bonds break (parallel_bond,
/// spring_dashpot).
CAIRN_API bool cairn_world_has_bonds(const cairn_world *world);

/// The load that broke a bond.
typedef enum cairn_break_cause {
    CAIRN_BREAK_TENSION, // normal force
    CAIRN_BREAK_SHEAR,   // force along the surface
    CAIRN_BREAK_BENDING, // moment along the surface
    CAIRN_BREAK_TWISTING // moment about the normal
} cairn_break_cause;

/// "tension", "shear", "bending", "twisting".
CAIRN_API const char *cairn_break_cause_name(cairn_break_cause cause);

/// A bond that broke.
typedef struct cairn_break {
    double time;        // s, end of the step
    cairn_body_id a, b; // one may be gone by now
    double point[3];    // m
    cairn_break_cause cause;
    cairn_connector_id connector; // null: the bond was one of a contact
} cairn_break;

/// Bonds that have broken since the world was built, in the order in which they did; they go with
/// snapshots and checkpoints.
/// Tests: tests/physics/test_bonds.c, tests/cli/results/test_breaks.py
CAIRN_API int cairn_world_get_break_count(const cairn_world *world);
/// @return CAIRN_ERROR_NOT_FOUND, with zeros, for a number that there is not
CAIRN_API cairn_status cairn_world_get_break(const cairn_world *world, int index,
                                             cairn_break *view) CAIRN_CHECK_RESULT;

/// @param region  NULL: the periodic cell; velocities are then those against its strain
/// @return CAIRN_ERROR_ARGUMENT, CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD
/// Tests: tests/cli/test_measures.py, tests/cli/driven/test_servo.py
CAIRN_API cairn_status cairn_world_measure(const cairn_world *world, const cairn_region *region,
                                           cairn_measure *measure,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- averages over time

enum { CAIRN_AVERAGE_COLUMNS_MAX = 64 };

/// Reads what is to be averaged, after a step that is done; must read nothing but the world.
/// @param values  out [columns]
typedef cairn_status cairn_reading_function(void *context, const cairn_world *world, double *values,
                                            cairn_error *error);

typedef struct cairn_average_def {
    const char *name; // copied, for messages; NULL: "average"
    cairn_reading_function *read;
    void *context; // borrowed
    int columns;   // numbers that are read, 1 to CAIRN_AVERAGE_COLUMNS_MAX
    double window; // s, greater than 0
    int every;     // steps between readings; default 1
    double from;   // s, where the first window begins; default 0
    uint32_t cookie;
} cairn_average_def;

typedef struct cairn_average_view {
    const char *name;
    int columns;
    const double *mean; // [columns] over the last window that is over; until the first one is, over
                        // what was read so far; NULL: nothing was read yet. The world's
    int64_t readings;   // that the mean is of
    int64_t windows;    // that are over
    int64_t step;       // after which the last one was over; -1: none was
} cairn_average_view;

CAIRN_API cairn_average_def cairn_default_average_def(void);

/// Windows follow each other without a gap: number n is from `from` + n `window` to the step next
/// to its end. The mean is that of the readings, taken after each step whose number is a multiple
/// of `every`; a window in which there is none is read at its end. Sums are part of checkpoints.
/// @return CAIRN_ERROR_ARGUMENT with the value that is wrong, CAIRN_ERROR_MEMORY
/// Tests: tests/unit/engine/actions/test_average.c, tests/cli/results/test_averages.py
CAIRN_API cairn_status cairn_average_create(cairn_world *world, const cairn_average_def *def,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

CAIRN_API int cairn_average_count(const cairn_world *world);
/// In order of creation.
/// @return CAIRN_ERROR_NOT_FOUND for an index that is not in 0 .. count-1
CAIRN_API cairn_status cairn_average_get(const cairn_world *world, int index,
                                         cairn_average_view *view) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- coarse-grained fields

/// The product along x, y and z of one function, whose integral is 1.
typedef enum cairn_kernel {
    CAIRN_KERNEL_LUCY, // 105/(16 pi c^3) (1 + 3 r/c) (1 - r/c)^3 up to r = c, the width, as it is
                       // seen along each axis: its integrals over planes
    CAIRN_KERNEL_GAUSSIAN // exp(-x^2/(2 w^2)) / (w sqrt(2 pi)), w the width, up to 7 w
} cairn_kernel;

/// Equal cells of a box.
typedef struct cairn_grid {
    double low[3], high[3]; // m
    int cells[3];
    cairn_kernel kernel;
    double width; // m
} cairn_grid;

/// Fields of a grid, x running fastest: means over the cells. Arrays of the caller, NULL where a
/// field is not wanted. Cells that hold all grains and a width around them sum to what there is, to
/// round-off and whatever their size: mass, momentum, forces of the boundary, forces of contacts
/// times their branches, and kinetic energy, which is half the volume times the trace of the
/// kinetic stress and momentum squared over density. Momentum balances, whatever the width, with W
/// the mean of the kernel over a cell:
///   sum over grains of (contact force) W(r - r_i) = - div contact_stress + boundary_force
typedef struct cairn_coarse_fields {
    double *density;       // [cells] kg/m3
    double (*momentum)[3]; // [cells] kg/(m2 s)
    double (
        *contact_stress)[9]; // [cells] Pa, pressure positive: [3 a + b] is minus the force along
                             // a times the branch along b, from centre to point of contact
    double (*kinetic_stress)[9]; // [cells] Pa: m v' v', v' against the cell's mean velocity
    double (*boundary_force)[3]; // [cells] N/m3, on dynamic bodies by all others
    double *temperature;         // [cells] m2/s2: trace of the kinetic stress / (3 density)
} cairn_coarse_fields;

/// Fields of the dynamic bodies after the last step: contacts and places of its middle, velocities
/// of its end. In a periodic cell with their images, wherever the grid lies. Costs as much as the
/// cells within a width of grains and contacts, on all threads of the world; the same bits for any
/// number of them.
/// @return CAIRN_ERROR_ARGUMENT with the value that is wrong, CAIRN_ERROR_MEMORY
/// Sources: Goldhirsch, Granular Matter 12 (2010); Weinhart et al., Granular Matter 14 (2012).
/// Tests: tests/unit/engine/test_coarse.c
CAIRN_API cairn_status cairn_world_coarse_grain(const cairn_world *world, const cairn_grid *grid,
                                                const cairn_coarse_fields *fields,
                                                cairn_error *error) CAIRN_CHECK_RESULT;

/// Averages over windows of time of the sums of which fields are made, as cairn_average_create has
/// them: mean velocities and what differs from them are then of the window. Of the definition
/// `read`, `context` and `columns` are not looked at.
/// @return CAIRN_ERROR_ARGUMENT with the value that is wrong, CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_fields_average_create(cairn_world *world, const cairn_grid *grid,
                                                   const cairn_average_def *def,
                                                   cairn_error *error) CAIRN_CHECK_RESULT;

/// Writes all of these fields with the time, as an image for ParaView, or where the path ends with
/// ".h5" as HDF5: data sets [nz][ny][nx] of density and temperature, with [3] behind of momentum
/// and boundary force and with [3][3] of the stresses, `time`, `origin` (the corner `low`),
/// `spacing`.
/// @return CAIRN_ERROR_FILE beside those of cairn_world_coarse_grain
CAIRN_API cairn_status cairn_fields_write(const cairn_world *world, const cairn_grid *grid,
                                          const char *path, cairn_error *error) CAIRN_CHECK_RESULT;

/// The same of the last window of an average of fields; its number is as in cairn_average_get.
/// @return CAIRN_ERROR_NOT_FOUND where it is none, or nothing was read yet
CAIRN_API cairn_status cairn_fields_average_write(const cairn_world *world, int average,
                                                  const char *path,
                                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether emitters, outlets or removals may change which bodies there are.
CAIRN_API bool cairn_world_population_varies(const cairn_world *world);

#ifdef __cplusplus
}
#endif

#endif
