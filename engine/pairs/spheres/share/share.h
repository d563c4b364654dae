// SPDX-License-Identifier: Apache-2.0
// The sphere executor's work shared by several processes.
//
// All processes have all slots, in the same order. Chunks
// belong to processes, one after the other in the order of cells. A process lists the pairs of its
// own chunks, and of those of others whose pairs act on its slots, under the numbers that blocks
// have in one process: what belongs to other chunks is address space without memory, until
// somebody reads them all. It computes the pairs of
// its own chunks, and of those of others whose pairs act on its slots; it moves its own slots, and
// clumps with a member among them, for which it gets the forces on the other members. Then it sends
// the slots that pairs of others need; of the rest all get bounds and counts, and energies when
// somebody reads them. Sums of forces have the order of one process, and other sums no round-off,
// so that the bits do not depend on their number. Before a list is made all get the places of all
// slots, velocities and orientations go to those who have the slots then, and history to those who
// have its pairs; before anything is read, all get all.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_SHARE_H
#define CAIRN_ENGINE_PAIRS_SPHERES_SHARE_H

#include "engine/pairs/spheres/data.h"
#include "engine/state/world.h"

#include <cairn/ranks.h>

/// What a process has with its chunks, one behind the other.
typedef enum eng_spheres_rows_kind {
    ENG_SPHERES_CHUNK_ROWS,
    ENG_SPHERES_BLOCK_ROWS,
    ENG_SPHERES_SEGMENT_ROWS,
    ENG_SPHERES_GHOST_ROWS,
    ENG_SPHERES_GROUP_ROWS,
} eng_spheres_rows_kind;

/// Rows of an array.
typedef struct eng_spheres_rows {
    int first, end;
} eng_spheres_rows;

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

/// What all chunks of a step come to.
typedef struct eng_spheres_step_sums {
    double left;            // m, least that is left of a margin
    double depth, relative; // deepest overlap, m and in radii
    int64_t contacts, active;
    // of any chunk: a group has fewer ghosts than contacts; no memory; a number is not finite
    int32_t overflow, out_of_memory, odd;
    int32_t hasty; // index + 1 of the first body that goes farther than its radius; 0: none
} eng_spheres_step_sums;

/// Energies of slots and pairs at the end of a step, J, each a sum without round-off.
typedef struct eng_spheres_totals {
    base_exact_sum kinetic, fall; // twice the kinetic energy; less the potential one
    base_exact_sum elastic, damping, friction;
} eng_spheres_totals;

typedef struct eng_spheres_share {
    cairn_ranks ranks;
    bool active;        // the list at hand is shared
    int64_t planned;    // number of the list that was looked at last
    int64_t dropped;    // number of the list of which others' parts were let go
    bool whole;         // all processes have the state of all slots
    bool read;          // this one has it, for who reads it before the next step
    int given;          // process that was given states alone since the last step; -1: none
    bool given_all;     // with `given`: pairs and forces too
    bool asks;          // this one reads, and the others send what it asks for
    cairn_status asked; // how that went
    eng_spheres_rows brought[2]; // [eng_spheres_part] rows of others that are here for it
    bool parted;                 // it has pairs of some chunks alone, or is about to list these
    bool bare;     // constants and listed places of chunks that are not `seen` are gone
    bool sides;    // with `parted`: which pairs act on a slot is known of all slots
    bool kept_own; // the state before the list, and what is kept of it, is that of own chunks
    bool *held;    // [chunks] with `parted`: own ones, and those whose pairs act on own slots
    bool *seen;    // [chunks] with `bare`: also those whose slots own pairs meet
    int held_capacity, seen_capacity;
    int64_t *cost; // [cost_count] of the chunks of the last list
    int cost_count, cost_capacity;
    int first_range, end_range;
    int *first_chunk;           // [ranks + 1] of each process
    int *old_slot;              // [ranks + 1] of making a list: first slot of each before it
    eng_spheres_borders places; // slots that pairs of others need
    eng_spheres_borders parts;  // members of clumps that have others elsewhere
    eng_spheres_borders speeds; // chunks that pairs of others meet
    eng_booked booked;          // by this process since the sums of all were made
    eng_spheres_totals totals;  // of all, in this step
    int64_t totals_step;
    int *images; // of slots that come from others
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

/// Whether the list at hand, or the one that is made, has pairs of some chunks alone.
static inline bool eng_spheres_is_parted(const struct eng_spheres *spheres)
{
    return spheres->share != NULL && spheres->share->parted;
}

/// Whether the pairs of a chunk are listed here.
static inline bool eng_spheres_has_chunk(const struct eng_spheres *spheres, int chunk)
{
    return !eng_spheres_is_parted(spheres) || spheres->share->held[chunk];
}

/// The first range of a process.
static inline int eng_spheres_share_range(const struct eng_spheres *spheres, int rank)
{
    return (int)((int64_t)rank * spheres->list.ranges / spheres->share->ranks.count);
}

eng_spheres_rows eng_spheres_share_rows(const struct eng_spheres *spheres, int rank, int kind);

/// Process of a slot.
int eng_spheres_share_rank(const struct eng_spheres *spheres, int slot);

/// Rows [first, end) of an array go back to the system, as far as they fill pages.
void eng_spheres_share_give_back(void *array, size_t stride, int first, int end);

/// Slots of a process, in units of `each`.
eng_spheres_rows eng_spheres_share_slots(const struct eng_spheres *spheres, int rank, int each);

/// Every process sends its rows of an array to all others. @param kind  given to `rows_of`
cairn_status eng_spheres_share_array(struct eng_spheres *spheres, void *array, size_t stride,
                                     eng_spheres_rows (*rows_of)(const struct eng_spheres *spheres,
                                                                 int rank, int kind),
                                     int kind, cairn_error *error) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- making a list

/// What a list is about to be made from: in parts it is the places of all slots, else all there is.
cairn_status eng_spheres_share_relist(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Whether only what this process does may be done for the next list: it is made in parts.
bool eng_spheres_share_wants_parts(const struct eng_spheres *spheres);

/// All processes get the places of all slots.
cairn_status eng_spheres_share_places(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// What a slot does beside being somewhere.
typedef struct eng_spheres_motion {
    double V[8], turn[4];
} eng_spheres_motion;

eng_spheres_motion eng_spheres_motion_take(const struct eng_spheres *spheres, int slot);
void eng_spheres_motion_put(struct eng_spheres *spheres, int slot,
                            const eng_spheres_motion *motion);

/// Slots whose velocities are known here before the list.
eng_spheres_rows eng_spheres_share_known(const struct eng_spheres *spheres);

/// The numbers that stand in the place of margins go from those who know them to all.
cairn_status eng_spheres_share_margins(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Before chunks are counted anew: notes who has which slots, and lets constants go where all were
/// here.
void eng_spheres_share_owners(struct eng_spheres *spheres);

/// Of slots that are about to be sorted velocities and orientations go to those who get them, into
/// the places that they have then; what others have is gone from here.
/// @param order  [slots] where the slot of each new place is now
cairn_status eng_spheres_share_motions(struct eng_spheres *spheres,
                                       const int *order) CAIRN_CHECK_RESULT;

/// Of a new list: velocities of the slots of others that pairs here meet.
cairn_status eng_spheres_share_velocities(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Constants of the chunks that are `seen`, anew.
void eng_spheres_share_near(struct eng_spheres *spheres);

/// Blocks whose history is kept here for the next list.
void eng_spheres_share_kept(const struct eng_spheres *spheres, int *first, int *end);

/// Chunks of the sorted slots go to the processes, by what they cost in the list before; room for
/// `held`. Nothing where the list is not made in parts.
cairn_status eng_spheres_share_deal(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Room for `held` and `seen`.
cairn_status eng_spheres_share_reserve(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Kept contacts go to those who have their pairs now, behind those that are there.
cairn_status eng_spheres_share_history(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// How many blocks, segments and ghosts the chunks of others have.
cairn_status eng_spheres_share_listed(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Which candidates pairs of others took.
cairn_status eng_spheres_share_images(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// Velocities and orientations of slots that others have go back to the system.
void eng_spheres_share_drop_motions(struct eng_spheres *spheres);

/// Memory of what others have and this process does not need, once all have it, goes back to the
/// system: pairs of chunks that are not held, the state of slots that no pair here meets, and what
/// lists are made with.
void eng_spheres_share_drop(struct eng_spheres *spheres);

/// Constants of all slots are there again.
void eng_spheres_share_constants(struct eng_spheres *spheres);

/// Forces of pairs are not read again before they are written: their memory goes back.
void eng_spheres_share_drop_forces(struct eng_spheres *spheres);

/// Ranges with about as many chunks each whose pairs are listed here.
void eng_spheres_ranges_split_held(struct eng_spheres *spheres);

/// What a chunk costs in a step, as far as its pairs tell.
int64_t eng_spheres_chunk_cost(const eng_spheres_chunk *chunk);

/// Ghosts of half-spaces of the chunks whose pairs are listed here go to their places.
void eng_spheres_ghosts_place(struct eng_spheres *spheres, eng_spheres_placing placing);

/// Packed history of one contact as bytes, to send it, or from them.
size_t eng_spheres_kept_size(const struct eng_spheres *spheres);
void eng_spheres_kept_copy(const struct eng_spheres *spheres, int index, unsigned char *bytes,
                           bool packs);

/// Slot that owns the pair of a kept contact.
int eng_spheres_kept_owner(const struct eng_spheres *spheres, int index);

/// Room for so many kept contacts; those that are there stay.
cairn_status eng_spheres_kept_reserve(struct eng_spheres *spheres, int count) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- steps

/// Ranges of chunks that threads of all processes take together, for one thread each.
static inline int eng_spheres_share_count(const struct eng_spheres *spheres)
{
    return spheres->share != NULL ? spheres->share->ranks.count : 1;
}

/// For a list that is new: who has which slots, and who needs them; or nothing is shared.
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

/// After the pass: slots and speeds of chunks go where they are needed.
/// @param sums  of this process; then of all
cairn_status eng_spheres_share_exchange(struct eng_spheres *spheres,
                                        eng_spheres_step_sums *sums) CAIRN_CHECK_RESULT;

/// The chunks [first, end) of this process, and what it books of them.
eng_booked *eng_spheres_share_own(const struct eng_spheres *spheres, int *first, int *end);

/// For a list that is new: which chunks tell others how fast they are.
cairn_status eng_spheres_share_speeds(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// One value of all processes, which go together by twos, fours and so on. `merge` does not depend
/// on the order.
/// @param spare  room for another one
/// @param sent   out: bytes are added
cairn_status eng_spheres_share_merge(struct eng_spheres *spheres, void *value, void *spare,
                                     size_t size, void (*merge)(void *into, const void *from),
                                     int64_t *sent) CAIRN_CHECK_RESULT;

/// One sum of all processes.
cairn_status eng_spheres_share_sum(struct eng_spheres *spheres,
                                   base_exact_sum *sum) CAIRN_CHECK_RESULT;

/// Merges two eng_spheres_step_sums, for eng_spheres_share_merge; `from` may lie anywhere.
void eng_spheres_step_sums_merge(void *into, const void *from);

/// For a list that comes from elsewhere: nothing is shared any more.
void eng_spheres_share_forget(struct eng_spheres *spheres);

/// After gathering: which pairs act on each slot is known of all, for who reads forces.
cairn_status eng_spheres_share_sides(struct eng_spheres *spheres) CAIRN_CHECK_RESULT;

/// All processes know what all have booked, and the totals of all where these are asked for.
/// @param totals  of this process; then of all. NULL: none
cairn_status eng_spheres_share_booked(struct eng_spheres *spheres,
                                      eng_spheres_totals *totals) CAIRN_CHECK_RESULT;

/// The energies of all slots and pairs, where the step at hand has them and this process has not
/// all slots; else NULL.
static inline const eng_spheres_totals *eng_spheres_share_totals(const struct eng_spheres *spheres)
{
    const eng_spheres_share *share = spheres->share;
    bool merged = share != NULL && share->active && !share->whole &&
                  share->totals_step == spheres->world->state.clock.step_count;
    return merged ? &share->totals : NULL;
}

/// All processes get the state of all slots, or one process for who reads it before the next step.
/// Clumps go to all.
/// @param reader  a process; -1: all
/// @param all     with what pairs remember, and all that contacts and forces are read from
cairn_status eng_spheres_share_gather(struct eng_spheres *spheres, int reader, bool all,
                                      cairn_error *error) CAIRN_CHECK_RESULT;

/// What a reader may ask for part by part.
typedef enum eng_spheres_part {
    ENG_SPHERES_PART_PAIRS, // blocks, with what their pairs remember
    ENG_SPHERES_PART_LIST,  // slots: where they were when the list was made, and margins
    ENG_SPHERES_PARTS
} eng_spheres_part;

/// By all processes: one gets the states of all slots and works, and the others send what it asks
/// for meanwhile.
/// @param work  called by the reader alone; asks through eng_spheres_share_bring
cairn_status eng_spheres_share_read(struct eng_spheres *spheres, int reader,
                                    cairn_read_function work, void *context) CAIRN_CHECK_RESULT;

/// Within it: rows [first, end) of a part are here until others are asked for. Elsewhere all that
/// can be read is here.
/// @return false where a message failed
bool eng_spheres_share_bring(const struct eng_spheres *spheres, eng_spheres_part what, int first,
                             int end);

// ---------------------------------------------------------------- energies, energy.c

/// Adds the energies of the slots [first, end). Slots are added by 128, of which chunks have whole
/// numbers, so that the sums are the same whoever has which chunks.
void eng_spheres_slots_total(const struct eng_spheres *spheres, int first, int end,
                             eng_spheres_totals *totals);

/// Adds the energy that was stored before the world's first step in pairs of chunks [first, end)
/// that overlapped then, or before one into which bodies were released in pairs with these, J;
/// after that step.
void eng_spheres_start_total(const struct eng_spheres *spheres, int first, int end,
                             base_exact_sum *total);

/// Adds what the contacts of chunks [first, end) owe.
void eng_spheres_pairs_total(const struct eng_spheres *spheres, int first, int end,
                             eng_spheres_totals *totals);

#endif
