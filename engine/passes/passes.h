// SPDX-License-Identifier: Apache-2.0
// The step as a table of passes: what each reads and writes, and when it runs.
#ifndef CAIRN_ENGINE_PASSES_PASSES_H
#define CAIRN_ENGINE_PASSES_PASSES_H

#include <cairn/cairn.h>

/// Parts of a world that a step changes; what is in none of them (shapes, laws, materials,
/// settings) no pass writes.
typedef enum eng_part_of_world {
    ENG_BODIES = 1,      // q and v of the general columns
    ENG_MIDPOINT = 2,    // columns of a step: midpoint, free and end velocities, correction
    ENG_PARTICLES = 4,   // particle slots, with walls, lists and pairs of the sphere executor
    ENG_SPACE = 8,       // places and bounds of colliders, list of pairs, plan, raw contacts
    ENG_CONTACTS = 16,   // columns of contacts
    ENG_CONNECTORS = 32, // what connectors keep
    ENG_JOINTS = 64,     // what joints keep, and their rows of the step
    ENG_PROBLEM = 128,   // the implicit problem and its solution
    ENG_ENERGY = 256     // the audit
} eng_part_of_world;

/// When a pass runs.
typedef enum eng_pass_when {
    ENG_ALWAYS,
    ENG_GENERAL,     // where bodies, joints or connectors of the general passes have work
    ENG_SOLVE_FIRST, // general, and no body of the solve has a particle slot: the solve can be
                     // interrupted, for nothing has moved
    ENG_SOLVE_LAST   // general, and the solve needs the forces of the executor
} eng_pass_when;

/// One pass. It has one of the two functions: `run` tells why it failed, of `block` the step does.
typedef struct eng_pass {
    const char *name;
    int phase; // cairn_phase that its time is booked under; -1: it books it itself
    eng_pass_when when;
    unsigned reads, writes; // sums of eng_part_of_world, beside the report; a pass that writes a
                            // part may read it, too
    cairn_status (*block)(cairn_world *world);
    cairn_status (*run)(cairn_world *world, cairn_error *error);
} eng_pass;

/// The passes of a step in their order.
extern const eng_pass eng_passes[];
extern const int eng_pass_count;

/// Whether a pass has anything to do in this step.
bool eng_pass_applies(const eng_pass *pass, const cairn_world *world);

#endif
