// SPDX-License-Identifier: Apache-2.0
// What a checkpoint keeps of the bodies, shapes, joints and connectors that there are, for worlds
// where some were made or removed after the first step.
#ifndef CAIRN_ENGINE_FILES_POPULATION_H
#define CAIRN_ENGINE_FILES_POPULATION_H

#include "engine/files/parts.h"

/// Kinds of slots that a record keeps.
typedef enum eng_population_kind {
    ENG_POPULATION_BODIES,
    ENG_POPULATION_SHAPES,
    ENG_POPULATION_JOINTS,
    ENG_POPULATION_CONNECTORS,
    ENG_POPULATION_KINDS
} eng_population_kind;

/// Numbers of one kind: slots, live, free, waiting; then bytes of the names, and numbers of parts.
enum {
    ENG_POPULATION_NAMES = 4 * ENG_POPULATION_KINDS,
    ENG_POPULATION_PART_INTEGERS,
    ENG_POPULATION_PART_REALS,
    ENG_POPULATION_COUNTS,
    ENG_POPULATION_INTEGERS = 7, // of a body: kind, shape, material, first collider, room, whether
                                 // it has arrived, and whether it follows a function of time
    ENG_POPULATION_REALS = 12,   // of a body: mass, moments, frame, reach
    ENG_POPULATION_SIZES = 6     // of a shape: kind + 1 or 0, up to four sizes, and whether it
                                 // goes with its last body
};

/// Functions of the program's that act on the bodies and joints of a record; of snapshots in memory
/// alone, as a file cannot have them.
typedef struct eng_population_functions {
    eng_motion *motions; // [bodies]
    eng_motor *motors;   // [joints]
} eng_population_functions;

/// All counts are 0 where nothing was made or removed after the first step.
typedef struct eng_population {
    int64_t counts[ENG_POPULATION_COUNTS];
    eng_slots_record slots[ENG_POPULATION_KINDS];
    int (*integers)[ENG_POPULATION_INTEGERS]; // [bodies]
    double (*reals)[ENG_POPULATION_REALS];    // [bodies]
    double (*shapes)[ENG_POPULATION_SIZES];   // [shapes]
    char *names;     // [names] of bodies, of joints, of connectors with their laws, each ended by 0
    eng_parts parts; // shapes that are not plain, joints, connectors, pairs that do not touch
    eng_population_functions *functions; // NULL: of a file
} eng_population;

/// Whether a record holds anything.
bool eng_population_is_recorded(const eng_population *record);

/// Counts of the world's record.
void eng_population_head(const cairn_world *world, eng_population *record);

/// Sizes of the arrays that the counts tell.
void eng_population_size(eng_population *record);

/// Arrays for the counts, in the arena; false when out of memory.
bool eng_population_allocate(eng_population *record, base_arena *arena);

/// Fills the arrays.
void eng_population_take(const cairn_world *world, eng_population *record);

/// The functions of a world in the arena; false when out of memory.
bool eng_population_take_functions(const cairn_world *world, eng_population *record,
                                   base_arena *arena);

/// [slots + 1] 1 for live ones, in the arena; NULL when out of memory.
unsigned char *eng_population_live(const eng_slots_record *slots, base_arena *arena);

/// What is wrong with a record that was read; NULL for nothing. Checks all that the others rely on.
/// @param arena  for scratch
const char *eng_population_fault(const cairn_world *world, const eng_population *record,
                                 int64_t colliders, base_arena *arena);

/// Makes the world's objects those of the record: removes the others, and makes what is not there.
/// What has a function of the program's and is not there cannot be made.
/// @param reason  out: why a record cannot be taken over, with CAIRN_ERROR_UNSUPPORTED
/// @return CAIRN_ERROR_UNSUPPORTED and CAIRN_ERROR_FORMAT (a shape that is none) before anything
/// was
///         changed; CAIRN_ERROR_MEMORY
cairn_status eng_population_restore(cairn_world *world, const eng_population *record, int colliders,
                                    const char **reason) CAIRN_CHECK_RESULT;

#endif
