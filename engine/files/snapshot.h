// SPDX-License-Identifier: Apache-2.0
// All that a world's later steps and read-outs depend on, as one list of arrays: what a checkpoint
// has in a file, and a snapshot in memory.
//
// The pair list goes with the fat bounds it was made for and what each pair remembers, so that the
// world goes on with the same list and makes a new one in the same step as the one that was saved,
// and with the domains that bodies have as long as it is the same.
// So does the sphere executor, whose list is made again from the positions it was made from.
#ifndef CAIRN_ENGINE_FILES_SNAPSHOT_H
#define CAIRN_ENGINE_FILES_SNAPSHOT_H

#include "base/sums/exact_sum.h"
#include "engine/files/population.h"
#include "engine/files/store.h"
#include "engine/joints/joints.h"
#include "engine/measures/fingerprint.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/breaks.h"
#include "engine/state/cell.h"
#include "engine/state/contacts.h"
#include "engine/state/world_state.h"

enum {
    ENG_CHECKPOINT_FORMAT = 27,
    ENG_FIELDS_MAX = 96,
    ENG_VERSION_SIZE = 32,
    ENG_SNAPSHOT_ARENA = 1 << 16
};

/// Numbers whose meaning is their place in the file.
typedef enum eng_count {
    ENG_COUNT_STEP,
    ENG_COUNT_BODIES,
    ENG_COUNT_COLLIDERS,
    ENG_COUNT_CONTACTS,
    ENG_COUNT_CONES,
    ENG_COUNT_PAIRS,
    ENG_COUNT_LISTED, // proxies of the broad phase's list; -1: no list
    ENG_COUNT_LISTED_PAIRS,
    ENG_COUNT_ENERGY_STARTED,
    ENG_COUNT_TOPOLOGY_CHANGED,
    ENG_COUNT_JOINTS,
    ENG_COUNT_JOINTS_CHANGED,
    ENG_COUNT_NOTE, // bytes
    ENG_COUNT_CONNECTORS,
    ENG_COUNT_ACTION_NUMBERS,
    ENG_COUNT_IMAGES, // of the broad phase's list in a periodic cell; 0 in open space
    // of a step that was interrupted between two of its pieces
    ENG_COUNT_PIECES_DONE,
    ENG_COUNT_PIECES_RAMP, // twice that, and one more where the piece in hand is cut
    ENG_COUNT_PIECES_GAVE_UP,
    ENG_COUNT_PIECES,
    ENG_COUNT_PIECES_ITERATIONS,
    ENG_COUNT_PIECES_STOP, // con_stop + 1; 0: nothing was to be solved
    ENG_COUNT_CUT,         // levels of the domains of bodies + 1; 0: they are to be cut
    ENG_COUNT_CUT_BODIES,  // those with a domain
    ENG_COUNT_BREAKS,
    ENG_COUNTS
} eng_count;

enum { ENG_ENERGIES = (int)(sizeof(cairn_energy) / sizeof(double)) };

typedef enum eng_real {
    ENG_REAL_AT_TIME,
    ENG_REAL_AT_TIME_START,
    ENG_REAL_AT_TIME_STEP,
    ENG_REAL_AT_ENERGY_START,
    ENG_REAL_AT_ENERGY,
    ENG_REAL_AT_ENERGY_READ =
        ENG_REAL_AT_ENERGY + ENG_ENERGIES, // as cairn_world_get_energy gives it
    // lattice vectors now and in the last midpoint, rate
    ENG_REAL_AT_CELL = ENG_REAL_AT_ENERGY_READ + ENG_ENERGIES,
    // error, error_scaled, error_siconos and energy_rise of the pieces of a step so far
    ENG_REAL_AT_PIECES = ENG_REAL_AT_CELL + 36,
    ENG_REALS = ENG_REAL_AT_PIECES + 4
} eng_real;

enum { ENG_PAIR_NUMBERS = 6 };

/// Of a joint: coordinate, effort, drive (motor on, velocity, limit, force), impulse and moment,
/// position and gains of the motor, parts of the graph.
enum { ENG_JOINT_NUMBERS = 15 + ENG_GRAPH_PARTS };

/// A column of bodies that is saved.
typedef struct eng_body_source {
    const cairn_world *world;
    int column;
} eng_body_source;

/// A world's state as it lies in the file. While saving the arrays are the world's own or copies,
/// while restoring all are copies, so that a file found wrong half-way changes nothing.
typedef struct eng_snapshot {
    int64_t format, counts[ENG_COUNTS];
    uint64_t fingerprint[ENG_FINGERPRINT_COUNT], hash;
    double reals[ENG_REALS];
    int64_t booked[ENG_BOOKED_SUMS][BASE_EXACT_DIGITS]; // digits of base_exact_sum, carried
    char version[ENG_VERSION_SIZE];
    char *note;
    ENG_BODY_COLUMN_MEMBERS; // [bodies] those that are saved
    eng_body_source sources[ENG_BODY_COLUMN_COUNT];
    double (*joints)[ENG_JOINT_NUMBERS]; // [joints]
    eng_contacts contacts;
    eng_connector_state *connectors;     // [connectors]
    double *actions;                     // [action numbers]
    double (*breaks)[ENG_BREAK_NUMBERS]; // [breaks]
    // [pairs] first, second, features, first contact, number of contacts
    int (*pairs)[ENG_PAIR_NUMBERS];
    vec3 *pair_axes;
    // the broad phase's list
    geo_bounds *listed;    // [listed]
    int (*listed_kind)[2]; // [listed] group, mobile
    geo_pair *listed_pairs;
    eng_image *images; // [images]
    int *domains;      // [cut bodies] of each
    eng_spheres_record spheres;
    const cairn_world *world;  // of saving: large arrays are made from it part by part; or NULL
    eng_population population; // empty where it is as the world was built
} eng_snapshot;

typedef struct eng_field_list {
    eng_store_array fields[ENG_FIELDS_MAX];
    int count;
} eng_field_list;

/// Arrays that every checkpoint has in the same size; then those whose sizes the counts tell.
eng_field_list eng_snapshot_head(eng_snapshot *s);
eng_field_list eng_snapshot_body(eng_snapshot *s);

/// The numbers of a world. @param population  which objects there are is kept in any case
void eng_snapshot_take_head(const cairn_world *world, bool population, eng_snapshot *s);

/// Its arrays, which are borrowed from the world where they can be; nothing writes through them.
/// False when out of memory.
bool eng_snapshot_take(const cairn_world *world, eng_snapshot *s, base_arena *arena);

/// Arrays of its own for the counts; false when out of memory. The columns of contacts are still to
/// be reserved.
bool eng_snapshot_allocate(eng_snapshot *s, base_arena *arena);

/// "PATH: reason", CAIRN_ERROR_FORMAT.
cairn_status eng_snapshot_refuse(const con_hdf5_reader *origin, const char *reason);

/// Whether the world is one that can go on from the snapshot. @param origin  who is named and told
cairn_status eng_snapshot_check(const con_hdf5_reader *origin, const cairn_world *world,
                                const eng_snapshot *s) CAIRN_CHECK_RESULT;

/// Brings the world to a snapshot that is sound.
cairn_status eng_snapshot_commit(const con_hdf5_reader *origin, cairn_world *world,
                                 eng_snapshot *s) CAIRN_CHECK_RESULT;

#endif
