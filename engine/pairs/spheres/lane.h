// SPDX-License-Identifier: Apache-2.0
// The spheres lane: steps of worlds of spheres under explicit laws, in one fused vectorised pass.
//
// It takes over when every dynamic body is a sphere, no other body follows a function of time, the
// laws of all pairs have a kernel (con_law.batch), and there are neither joints nor
// connectors. The physics is that of the ordinary blocks to round-off: forces, velocities, energy
// audit; results do not depend on the number of threads or on the processor. While it is active the
// state lives in the lane, and the world gives its own arrays back: whoever reads a body calls
// eng_state_of, whoever reads q, v or the contacts of the world eng_lane_publish... first, whoever
// changes the world eng_lane_state_set or eng_lane_leave. The bits depend on when pair lists are
// made: leaving and entering makes a new one.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_LANE_H
#define CAIRN_ENGINE_PAIRS_SPHERES_LANE_H

#include "engine/state/world.h"

typedef struct eng_lane eng_lane;

/// Whether the world's next step can go through the lane.
bool eng_lane_covers(const cairn_world *world);

/// One step. Enters the lane first where it is not active.
cairn_status eng_lane_step(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

void eng_lane_destroy(eng_lane *lane);

/// Writes q and v of the world. They, and contacts and pairs, are given back when two lists have
/// been made since. The world stays as it was for its user.
cairn_status eng_lane_publish(const cairn_world *world) CAIRN_CHECK_RESULT;

/// Writes the contacts. On lack of memory there are none, and the next step says so.
void eng_lane_publish_contacts(const cairn_world *world);

/// Writes q, v, contacts and the world's pairs, as the ordinary blocks or a checkpoint need them.
cairn_status eng_lane_publish_pairs(const cairn_world *world) CAIRN_CHECK_RESULT;

/// Whether q and v are in the lane alone.
bool eng_lane_holds_state(const cairn_world *world);

/// State of a body that the lane holds.
eng_state eng_lane_state_of(const cairn_world *world, int body);

/// The user gives a body of the active lane another state: the next step reads it.
cairn_status eng_lane_state_set(cairn_world *world, int body,
                                const eng_state *state) CAIRN_CHECK_RESULT;

/// After q and v of the world were restored: half-spaces go on from them.
void eng_lane_walls_restored(cairn_world *world);

/// Of all bodies, from what the lane holds.
double eng_lane_kinetic_energy(const cairn_world *world);
double eng_lane_potential_energy(const cairn_world *world);

/// A force on a body has changed.
void eng_lane_loads_changed(cairn_world *world);

/// Anything else changes after this call: the ordinary blocks could go on from here. Without memory
/// for that the lane stays.
cairn_status eng_lane_leave(cairn_world *world) CAIRN_CHECK_RESULT;

/// Whether the lane holds the state.
bool eng_lane_is_active(const cairn_world *world);

/// Energies of now: kinetic, potential, elastic and what is pending of the last step.
void eng_lane_energy(const cairn_world *world, cairn_energy *energy);

/// Contact force and torque on a body in the last step, as in cairn_body_get_contact_force.
void eng_lane_body_force(const cairn_world *world, int body, vec3 *force, vec3 *torque);

/// Chooses the kernels by name ("scalar", "avx2", "avx512"); false where they cannot run.
bool eng_lane_choose_kernel(cairn_world *world, const char *name);

/// Least number of chunks of 128 spheres that a thread takes, for tests; false when out of memory.
bool eng_lane_choose_ranges(cairn_world *world, int least_chunks);

typedef enum eng_lane_record_count {
    ENG_LANE_RECORD_ROWS, // 0: the lane does not hold the state
    ENG_LANE_RECORD_SLOTS,
    ENG_LANE_RECORD_CHUNKS,
    ENG_LANE_RECORD_WALLS,
    ENG_LANE_RECORD_CHANGED, // what the user changed since the step
    ENG_LANE_RECORD_MOMENTS, // slots with rolling and twisting: all or none
    ENG_LANE_RECORD_COLUMNS, // of history: all slots times the number of a pair
    ENG_LANE_RECORD_GROUPS,  // of spheres and walls that are no half-spaces
    ENG_LANE_RECORD_GHOSTS,  // of all groups
    ENG_LANE_RECORD_COUNTS
} eng_lane_record_count;

typedef enum eng_lane_record_real {
    ENG_LANE_RECORD_SLACK,
    ENG_LANE_RECORD_WALL_PATH,
    ENG_LANE_RECORD_WALL_MARGIN,
    ENG_LANE_RECORD_REALS
} eng_lane_record_real;

enum {
    ENG_LANE_RECORD_ROW_WIDTH = 20,
    ENG_LANE_RECORD_SLOT_WIDTH = 7,
    ENG_LANE_RECORD_MOMENT_WIDTH = 8,
    ENG_LANE_RECORD_WALL_WIDTH = 54,
    ENG_LANE_RECORD_SPOT_WIDTH = 8,
    ENG_LANE_RECORD_GROUP_WIDTH = 9
};

/// What a checkpoint keeps of the lane beside the world's own state. Taking it changes nothing.
typedef struct eng_lane_record {
    int64_t counts[ENG_LANE_RECORD_COUNTS];
    double reals[ENG_LANE_RECORD_REALS];
    int *body;                                            // [rows]
    double (*rows)[ENG_LANE_RECORD_ROW_WIDTH];            // [rows]
    double (*slots)[ENG_LANE_RECORD_SLOT_WIDTH];          // [slots]
    unsigned char *acts;                                  // [slots]
    double (*moments)[ENG_LANE_RECORD_MOMENT_WIDTH];      // [moments] of the slots
    double *columns;                                      // [columns] slot by slot
    double (*ways)[2];                                    // [chunks] left of the margins; path
    int (*groups)[2];                                     // [groups] ghosts, what is known
    double (*group_numbers)[ENG_LANE_RECORD_GROUP_WIDTH]; // [groups] wake, and what is known
    uint64_t *group_keys;                                 // [groups]
    double (*spots)[ENG_LANE_RECORD_SPOT_WIDTH]; // [ghosts] normals and gaps, now and before
    uint64_t (*spot_keys)[2];                    // [ghosts] now and before
    int (*spot_orders)[2];                       // [ghosts]
    double (*walls)[ENG_LANE_RECORD_WALL_WIDTH]; // [walls]
} eng_lane_record;

/// Counts and reals of the world's lane.
void eng_lane_record_head(const cairn_world *world, eng_lane_record *record);

/// Arrays for the counts, in the arena; false when out of memory.
bool eng_lane_record_allocate(eng_lane_record *record, base_arena *arena);

/// Fills the arrays.
void eng_lane_record_take(const cairn_world *world, eng_lane_record *record);

/// The lane goes on as the one that was recorded, to the bit. Call it before the world's own state
/// is restored; nothing of that is touched.
/// @return CAIRN_ERROR_FORMAT where the record is not of this world, CAIRN_ERROR_MEMORY
cairn_status eng_lane_record_restore(cairn_world *world,
                                     const eng_lane_record *record) CAIRN_CHECK_RESULT;

#endif
