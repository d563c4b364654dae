// SPDX-License-Identifier: Apache-2.0
// The sphere executor's work shared by several processes.
//
// All processes have all slots, and the same lists of pairs, from the same bits. Ranges of chunks
// belong to processes, one after the other in the order of cells. A process computes the pairs of
// its own chunks, and of those of others whose pairs act on its slots; it moves its own slots, and
// clumps with a member among them, for which it gets the forces on the other members. Then it sends
// the slots that pairs of others need, and what its chunks add up to. Sums have the order
// of one process, so that the bits do not depend on their number. Before a list is made, and before
// anything is read, all get all.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_SHARE_H
#define CAIRN_ENGINE_PAIRS_SPHERES_SHARE_H

#include "engine/pairs/spheres/data.h"

#include <cairn/ranks.h>

/// Slots that go to another process in a step, or come from it.
typedef struct eng_spheres_border {
    int first, count; // into the list of slots
} eng_spheres_border;

/// Those of all processes.
typedef struct eng_spheres_borders {
    eng_spheres_border *sent, *received; // [ranks]
    int *slots;
    int slot_count, slot_capacity;
} eng_spheres_borders;

/// What a step leaves of a chunk for the sums of all.
typedef struct eng_spheres_chunk_sums {
    double check_distance, left, damping, friction, plastic, drivers, strain, fastest[3], speed;
    double depth, relative, finite;
    int contacts, active, overflow, out_of_memory;
} eng_spheres_chunk_sums;

typedef struct eng_spheres_share {
    cairn_ranks ranks;
    bool active;     // the list at hand is shared
    int64_t planned; // number of the list that was looked at last
    bool whole;      // this process has the state of all slots
    int first_range, end_range;
    int *first_chunk;           // [ranks + 1] of each process
    eng_spheres_borders places; // slots that pairs of others need
    eng_spheres_borders parts;  // members of clumps that have others elsewhere
    int *images;                // of slots that come from others
    int image_count, image_capacity;
    eng_spheres_buffer clumps; // eng_spheres_clump: copies of those that have members here
    int clump_count;
    int *first_clump; // [ranks + 1] of gathering: of each process
    uint64_t *found;  // of making the borders
    int found_count, found_capacity;
    unsigned char *bytes; // of messages
    int byte_capacity;
    cairn_message *messages; // [ranks]
    cairn_traffic traffic;
} eng_spheres_share;

void eng_spheres_share_release(struct eng_spheres *spheres);

/// Ranges of chunks that threads of all processes take together, for one thread each.
static inline int eng_spheres_share_count(const struct eng_spheres *spheres)
{
    return spheres->share != NULL ? spheres->share->ranks.count : 1;
}

/// For a list that is new: who has which slots, and who needs them; or nothing is shared. The
/// world's first step is made by all, as its audit begins with it.
cairn_status eng_spheres_share_plan(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Whether the step at hand is shared.
static inline bool eng_spheres_is_shared(const struct eng_spheres *spheres)
{
    return spheres->share != NULL && spheres->share->active;
}

/// Whether this process moves the slots of a range.
static inline bool eng_spheres_owns_range(const struct eng_spheres *spheres, int range)
{
    return !eng_spheres_is_shared(spheres) ||
           (range >= spheres->share->first_range && range < spheres->share->end_range);
}

/// Between forces and motion: sums of the forces on members go to all who move their clumps.
cairn_status eng_spheres_share_forces(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// After the pass: slots and sums of chunks go where they are needed.
cairn_status eng_spheres_share_exchange(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// All processes get the state of all slots.
cairn_status eng_spheres_share_gather(struct eng_spheres *spheres,
                                      cairn_error *error) CAIRN_CHECK_RESULT;

#endif
