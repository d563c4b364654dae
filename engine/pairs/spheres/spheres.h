// SPDX-License-Identifier: Apache-2.0
// The sphere executor: spheres in particle slots, their pairs with each other and with walls under
// laws that have a kernel, in one fused vectorised pass.
//
// Every sphere of its own whose material has such a law lives in a slot (position at the midpoint
// of the coming step, velocity, orientation) at all times, whatever else the world holds; all other
// bodies live in the general columns. A step goes: plan, joints' bodies loaded, walls and list for
// the midpoint (prepare), general passes over what is theirs, fused pass (step), solver, slots that
// the general passes act on written anew (finish). Results do not depend on the number of threads
// or on the processor; functions that take a const world write nothing.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_SPHERES_H
#define CAIRN_ENGINE_PAIRS_SPHERES_SPHERES_H

#include "base/memory.h"
#include "base/vec.h"
#include "contact/laws/batch.h"
#include "contact/laws/law.h"
#include "engine/state/body_columns.h"
#include "engine/state/world_state.h"
#include "geometry/broad/broad_phase.h"
#include "geometry/mesh/bounds.h"
#include <cairn/cairn.h>

typedef struct eng_spheres eng_spheres;

void eng_spheres_destroy(eng_spheres *spheres);

// ---------------------------------------------------------------- the step

/// When bodies, laws, joints, connectors or motions have changed: gives spheres their slots and
/// says which bodies the general passes deal with.
cairn_status eng_spheres_plan(cairn_world *world) CAIRN_CHECK_RESULT;

/// Spheres with slots that joints, connectors and motions act on: their state to the general
/// columns, and back after these were changed there.
void eng_spheres_load_tied(cairn_world *world);
void eng_spheres_store_tied(cairn_world *world);

/// Walls and lists for the coming midpoint; spheres near bodies of the general passes are loaded.
cairn_status eng_spheres_prepare(cairn_world *world) CAIRN_CHECK_RESULT;

/// Before the fused pass: finds the spheres with slots that the general passes act on, after which
/// eng_spheres_are_acted_on tells whether there are any.
cairn_status eng_spheres_hold(cairn_world *world) CAIRN_CHECK_RESULT;
bool eng_spheres_are_acted_on(const cairn_world *world);

/// Forces between spheres and walls, and motion of all slots. Free velocities of those that the
/// general passes act on get all explicit forces.
cairn_status eng_spheres_step(cairn_world *world) CAIRN_CHECK_RESULT;

/// Slots that the general passes act on take the end of the step from the general columns; energies
/// and report.
/// @return CAIRN_ERROR_NONFINITE where a velocity is not finite
cairn_status eng_spheres_finish(cairn_world *world) CAIRN_CHECK_RESULT;

/// Whether the contacts of two bodies are the executor's.
bool eng_spheres_owns_pair(const cairn_world *world, int body_a, int body_b);

/// What a contact of the general passes brings along from the executor, whose it was until the plan
/// of this step.
typedef struct eng_spheres_released {
    geo_pair colliders; // in the order of the general passes
    uint64_t key;
    double history[CON_HISTORY_MAX]; // as the law names it
    vec3 force;                      // N on B in the last step, world
} eng_spheres_released;

/// That of a contact; NULL for one that was not the executor's.
const eng_spheres_released *eng_spheres_released_of(const cairn_world *world, geo_pair colliders,
                                                    uint64_t key);

// ---------------------------------------------------------------- read-outs

/// Stress of the periodic cell in the step just done, compression positive: forces of the step's
/// midpoint, velocities of its end. The cell must be watched.
/// @return false where anything else than the executor's pairs of spheres bears load
bool eng_spheres_cell_stress(const cairn_world *world, double stress[6]);

/// What may be outside of the executor.
typedef enum eng_outside {
    ENG_OUTSIDE_SPHERES,
    ENG_OUTSIDE_CLUMPS,
    ENG_OUTSIDE_SHAPES
} eng_outside;

/// Why many bodies of a sort under explicit laws are not in the executor, a sentence for the user.
/// @return false where that is not so
bool eng_spheres_advise(const cairn_world *world, eng_outside which, char *text, size_t size);

/// Why the executor's slots are not shared among processes, as a clause; NULL where they can be.
const char *eng_spheres_unshared(const cairn_world *world);

/// Number of slots in use, with those of members of clumps; whether there are such.
int eng_spheres_slot_count(const cairn_world *world);
bool eng_spheres_holds_clumps(const cairn_world *world);

/// Whether a body has a slot; whether it has one or is a clump that the executor moves.
bool eng_spheres_holds(const cairn_world *world, int body);
bool eng_spheres_steps(const cairn_world *world, int body);

/// Of a body with a slot: its state at t_n, its pose at the midpoint of the last step, which clumps
/// that the executor moves have too, position and velocity v (general columns' form) at t_n.
eng_state eng_spheres_state_of(const cairn_world *world, int body);
void eng_spheres_prefetch(const cairn_world *world, int body); // that state

pose eng_spheres_middle_of(const cairn_world *world, int body);
vec3 eng_spheres_motion_of(const cairn_world *world, int body, double v[6]);
/// That position alone.
vec3 eng_spheres_place_of(const cairn_world *world, int body);
/// Centre of mass at that midpoint, which costs less than the pose.
vec3 eng_spheres_centre_of(const cairn_world *world, int body);

/// Velocities of the slots in place, for cairn_world_array; count 0 where there are none.
cairn_array_segment eng_spheres_show_velocity(const cairn_world *world);

/// Whether the pairs of spheres can be read: of several processes those that were given them.
bool eng_spheres_has_pairs(const cairn_world *world);

/// Contacts of the last step, read straight from the blocks of pairs.
int eng_spheres_contact_count(const cairn_world *world);
void eng_spheres_contact_view(const cairn_world *world, int i, cairn_contact_view *view);

/// Whether a body is a wall of the executor.
bool eng_spheres_has_wall(const cairn_world *world, int body);

/// A contact of the last step between a sphere and such a wall.
typedef struct eng_wall_contact {
    int sphere;  // body
    double gap;  // m
    vec3 normal; // towards the wall
    vec3 force;  // N on the wall
} eng_wall_contact;

/// The next one of a wall, false behind the last; *at begins with 0.
bool eng_spheres_next_of_wall(const cairn_world *world, int body, int *at, eng_wall_contact *found);

/// A body with a slot, at the midpoint of the last step, and its velocity after it.
typedef struct eng_spheres_grain {
    int body;
    vec3 centre, velocity; // m, m/s
} eng_spheres_grain;

/// That of a slot, for sums over all bodies: in the order of slots neighbours come together.
/// @return false where the slot is not a body, but a part of one
bool eng_spheres_grain_of(const cairn_world *world, int slot, eng_spheres_grain *grain);

enum { ENG_SPHERES_BLOCK = 8 }; // contacts of a block

/// What a contact of the last step did to its bodies, for sums over all contacts: much less work
/// than a view.
typedef struct eng_spheres_force {
    int body[2];
    vec3 centre[2]; // m, of the bodies at the midpoint; in a periodic cell that of B as A meets it
    vec3 point;     // m, next to A
    vec3 force;     // N on B
    bool between;   // the point is known to lie on the line from one centre to the other
} eng_spheres_force;

/// Blocks hold the contacts in their order; those of the lanes of a block that `lanes` has as bits.
/// @return how many there are
int eng_spheres_block_count(const cairn_world *world);
int eng_spheres_block_forces(const cairn_world *world, int block, unsigned lanes,
                             eng_spheres_force forces[ENG_SPHERES_BLOCK]);

/// Contacts of a block whose points lie between the centres of two spheres, each a body of its own:
/// what eng_spheres_force has, lane by lane.
typedef struct eng_spheres_lines {
    _Alignas(64) double centre[3][ENG_SPHERES_BLOCK]; // m, of A
    double normal[3][ENG_SPHERES_BLOCK];              // from A to B
    double length[ENG_SPHERES_BLOCK];                 // m, from centre to centre
    double overlap[ENG_SPHERES_BLOCK];                // m
    double tangent[3][ENG_SPHERES_BLOCK];             // N on B, along the surface
    double force[ENG_SPHERES_BLOCK];                  // N on B, along the normal
    int body[2][ENG_SPHERES_BLOCK];
} eng_spheres_lines;

/// @return the lanes that are such contacts, as bits; the others hold numbers without meaning
unsigned eng_spheres_block_lines(const cairn_world *world, int block, eng_spheres_lines *lines);

/// What the law keeps of a contact between steps, as con_law names it.
void eng_spheres_contact_history(const cairn_world *world, int i, double history[CON_HISTORY_MAX]);

/// Adds force (N) and torque about the centre (N m) of these contacts on a body in the last step.
void eng_spheres_add_force(const cairn_world *world, int body, vec3 *force, vec3 *torque);

/// Adds kinetic and potential energies of the bodies in slots, J.
void eng_spheres_add_mechanical(const cairn_world *world, double *kinetic, double *potential);

/// Adds what is stored in contacts and what the last step still owes the audit.
void eng_spheres_add_energy(const cairn_world *world, cairn_energy *energy);

/// Before the rows of bodies that were removed since the last step are cleared: books what contacts
/// owe, which the places of clumps tell.
/// @return J, stored in the contacts of these bodies
double eng_spheres_settle_removed(cairn_world *world);

/// What does not fit together in slots, pairs and walls; NULL where all does.
const char *eng_spheres_fault(const cairn_world *world);

/// Contacts and their history go into the state hash.
uint64_t eng_spheres_hash(const cairn_world *world, uint64_t hash);

// ---------------------------------------------------------------- changes between steps

/// A body with a slot gets another state.
cairn_status eng_spheres_state_set(cairn_world *world, int body,
                                   const eng_state *state) CAIRN_CHECK_RESULT;

/// Before a body of the general columns is placed or gets another velocity.
void eng_spheres_general_changed(cairn_world *world, int body);

/// A force on a body has changed.
void eng_spheres_loads_changed(eng_world_state *state);

/// Before the world's step takes another length, s.
void eng_spheres_time_step_changed(cairn_world *world, double step);

/// Chooses the kernels by name ("scalar", "avx2", "avx512"); false where they cannot run.
bool eng_spheres_choose_kernel(cairn_world *world, const char *name);

/// Least number of chunks of 128 spheres that a thread takes, for tests; false when out of memory.
bool eng_spheres_choose_ranges(cairn_world *world, int least_chunks);

typedef enum eng_spheres_record_count {
    ENG_SPHERES_RECORD_SLOTS,
    ENG_SPHERES_RECORD_PAIR_SLOTS,
    ENG_SPHERES_RECORD_CHUNKS,
    ENG_SPHERES_RECORD_WALLS,
    ENG_SPHERES_RECORD_CHANGED, // what the user changed since the step
    ENG_SPHERES_RECORD_MOMENTS, // slots with rolling and twisting: all or none
    ENG_SPHERES_RECORD_COLUMNS, // of history: all slots times the number of a pair
    ENG_SPHERES_RECORD_GROUPS,  // of spheres and walls that are no half-spaces
    ENG_SPHERES_RECORD_GHOSTS,  // of all groups
    ENG_SPHERES_RECORD_CRITICAL,
    ENG_SPHERES_RECORD_EXPOSED,
    ENG_SPHERES_RECORD_MOVED,
    ENG_SPHERES_RECORD_WRAPS, // slots in a periodic cell: all or none
    ENG_SPHERES_RECORD_TERMS, // of surfaces, where laws may have changed since the plan was made
    ENG_SPHERES_RECORD_COUNTS
} eng_spheres_record_count;

typedef enum eng_spheres_record_real {
    ENG_SPHERES_RECORD_SLACK,
    ENG_SPHERES_RECORD_WALL_PATH,
    ENG_SPHERES_RECORD_WALL_MARGIN,
    ENG_SPHERES_RECORD_LAST_STEP,
    ENG_SPHERES_RECORD_CELL_MARGIN,
    ENG_SPHERES_RECORD_CELL_PATH,
    ENG_SPHERES_RECORD_AT_FRAMES, // of the slots, of the last step; lattice of the list
    ENG_SPHERES_RECORD_REALS = ENG_SPHERES_RECORD_AT_FRAMES + 7 * 9
} eng_spheres_record_real;

enum {
    ENG_SPHERES_RECORD_SLOT_WIDTH = 20,
    ENG_SPHERES_RECORD_PAIR_SLOT_WIDTH = 7,
    ENG_SPHERES_RECORD_MOMENT_WIDTH = 8,
    ENG_SPHERES_RECORD_WALL_WIDTH = 54,
    ENG_SPHERES_RECORD_WALL_CONTACT_WIDTH = 8,
    ENG_SPHERES_RECORD_GROUP_WIDTH = 9,
    ENG_SPHERES_RECORD_MOVED_WIDTH = 12,
    ENG_SPHERES_RECORD_TERMS_WIDTH = 7 + CON_BATCH_TERMS / 8
};

/// Bits of a pair.
enum {
    ENG_SPHERES_RECORD_TOUCHES = 1,
    ENG_SPHERES_RECORD_SLIPS = 2,
    ENG_SPHERES_RECORD_ROLLS = 4,
    ENG_SPHERES_RECORD_TWISTS = 8
};

/// Places of a slot's numbers, behind X: V, orientation, position when the list was made, margin.
enum {
    ENG_SPHERES_RECORD_ROW_V = 4,
    ENG_SPHERES_RECORD_ROW_TURN = 12,
    ENG_SPHERES_RECORD_ROW_REFERENCE = 16,
    ENG_SPHERES_RECORD_ROW_MARGIN = 19
};

/// What a checkpoint keeps of the executor beside the general columns. Taking it changes nothing.
typedef struct eng_spheres_record {
    int64_t counts[ENG_SPHERES_RECORD_COUNTS];
    double reals[ENG_SPHERES_RECORD_REALS];
    int *body;                                                // [slots]
    double (*slots)[ENG_SPHERES_RECORD_SLOT_WIDTH];           // [slots]
    double (*pair_slots)[ENG_SPHERES_RECORD_PAIR_SLOT_WIDTH]; // [slots]
    unsigned char *acts;                                      // [slots]
    int (*wraps)[3];                                          // [wraps] lattice vectors to bodies
    double (*moments)[ENG_SPHERES_RECORD_MOMENT_WIDTH];       // [moments] of the slots
    double *columns;                                          // [columns] slot by slot
    double (*travelled)[2];                                   // [chunks] left of the margins; path
    int (*groups)[2];                                         // [groups] ghosts, what is known
    double (*group_numbers)[ENG_SPHERES_RECORD_GROUP_WIDTH]; // [groups] check_distance, and what is
                                                             // known
    uint64_t *group_keys;                                    // [groups]
    double (*wall_contacts)[ENG_SPHERES_RECORD_WALL_CONTACT_WIDTH]; // [ghosts] normals and gaps,
                                                                    // now and before
    uint64_t (*wall_contact_keys)[2];                               // [ghosts] now and before
    int (*wall_contact_orders)[2];                                  // [ghosts]
    double (*walls)[ENG_SPHERES_RECORD_WALL_WIDTH];                 // [walls]
    geo_bounds *critical;                            // [critical] where spheres near them are known
    int *exposed;                                    // [exposed] bodies
    int *moved_slots;                                // [moved] slots that the user moved since
    double (*moved)[ENG_SPHERES_RECORD_MOVED_WIDTH]; // [moved] where they were
    double (*terms)[ENG_SPHERES_RECORD_TERMS_WIDTH]; // [terms] law, rolling, and what it prepared
} eng_spheres_record;

/// Counts and reals of the world's executor.
void eng_spheres_record_head(const cairn_world *world, eng_spheres_record *record);

/// Arrays for the counts, in the arena; false when out of memory. Those of slots, pairs, moments
/// and columns are large: reading needs them too, and writing makes them part by part, below.
bool eng_spheres_record_allocate(eng_spheres_record *record, base_arena *arena);
bool eng_spheres_record_allocate_large(eng_spheres_record *record, base_arena *arena);

/// Elements [first, first + count) of the large arrays of a world's record.
/// @param world  const cairn_world
/// @return false where another process that has them could not be asked
bool eng_spheres_fill_bodies(const void *world, int64_t first, int64_t count, void *out);
bool eng_spheres_fill_slots(const void *world, int64_t first, int64_t count, void *out);
bool eng_spheres_fill_pairs(const void *world, int64_t first, int64_t count, void *out);
bool eng_spheres_fill_acts(const void *world, int64_t first, int64_t count, void *out);
bool eng_spheres_fill_moments(const void *world, int64_t first, int64_t count, void *out);
bool eng_spheres_fill_columns(const void *world, int64_t first, int64_t count, void *out);
bool eng_spheres_fill_wraps(const void *world, int64_t first, int64_t count, void *out);

/// Fills the other arrays.
void eng_spheres_record_take(const cairn_world *world, eng_spheres_record *record);

/// The plan is made again, and the executor goes on as the one that was recorded, to the bit. Call
/// it before the general columns are restored; nothing of them is read.
/// @return CAIRN_ERROR_FORMAT where the record is not of this world, CAIRN_ERROR_MEMORY
cairn_status eng_spheres_record_restore(cairn_world *world,
                                        const eng_spheres_record *record) CAIRN_CHECK_RESULT;

#endif
