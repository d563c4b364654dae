// SPDX-License-Identifier: Apache-2.0
// Slots behind the ids of one kind of object: generations, live ones in order, free ones.
//
// An id is a slot and its generation. A slot that is given up serves again with the next
// generation, so that old ids never name a new object. No call costs more than a few memory
// accesses, however many slots there are, but for the first removal, which makes the arrays: until
// then slot i is the i-th live one and of generation 1, and nothing is stored.
#ifndef CAIRN_ENGINE_STATE_SLOTS_H
#define CAIRN_ENGINE_STATE_SLOTS_H

#include "base/memory.h"

#include <stdbool.h>

/// Zero-initialised it is empty.
typedef struct eng_slots {
    int count;      // slots there are, live or not
    int live_count; // objects there are
    int free_count, waiting_count;
    int free, waiting;    // first slot of each list, + 1; 0: none
    int capacity;         // of the arrays, which are NULL before the first removal
    uint32_t *generation; // [count] of the id that the slot has, or will have next
    int *place;           // [count] its index in `live`; of others -1 - (the next of its list + 1)
    int *live;            // [live_count] slots in order of creation, but the last one takes the
                          // place of one that is removed
} eng_slots;

/// Room for slots up to this many, after which eng_slots_take cannot fail.
cairn_status eng_slots_reserve(eng_slots *slots, const base_allocator *allocator,
                               int needed) CAIRN_CHECK_RESULT;

/// Makes the arrays, after which eng_slots_drop may be called.
cairn_status eng_slots_prepare(eng_slots *slots,
                               const base_allocator *allocator) CAIRN_CHECK_RESULT;
void eng_slots_release(eng_slots *slots, const base_allocator *allocator);

/// The slot that eng_slots_take will give.
int eng_slots_next(const eng_slots *slots);

/// A slot for a new object, at the end of the live ones.
int eng_slots_take(eng_slots *slots);

/// Removes a live slot, which waits with its generation for eng_slots_recycle.
void eng_slots_drop(eng_slots *slots, int slot);

/// Slots that were dropped are free from now on, with their next generation.
void eng_slots_recycle(eng_slots *slots);

/// Place of a slot among the live ones; negative for one that is not live.
static inline int eng_slots_place(const eng_slots *slots, int slot)
{
    return slots->place != NULL ? slots->place[slot] : slot;
}

static inline uint32_t eng_slots_generation(const eng_slots *slots, int slot)
{
    return slots->generation != NULL ? slots->generation[slot] : 1;
}

static inline bool eng_slots_is_live(const eng_slots *slots, int slot)
{
    return slot >= 0 && slot < slots->count && eng_slots_place(slots, slot) >= 0;
}

/// Slot of a live object by its place in the order; -1 where there is none.
static inline int eng_slots_at(const eng_slots *slots, int place)
{
    if (place < 0 || place >= slots->live_count)
        return -1;
    return slots->live != NULL ? slots->live[place] : place;
}

/// Puts a live slot at another place of the order; what was there takes its own.
void eng_slots_move(eng_slots *slots, int slot, int place);

/// Hash of the ids of the live ones in their order.
uint64_t eng_slots_hash(const eng_slots *slots);

/// All of a table, for checkpoints.
typedef struct eng_slots_record {
    int count, live_count, free_count, waiting_count;
    uint32_t *generation;       // [count]
    int *live, *free, *waiting; // slots in the order of their lists
} eng_slots_record;

/// Fills the arrays, which are large enough.
void eng_slots_take_record(const eng_slots *slots, eng_slots_record *record);

/// Replaces the table; record and table are sound.
cairn_status eng_slots_restore(eng_slots *slots, const base_allocator *allocator,
                               const eng_slots_record *record) CAIRN_CHECK_RESULT;

#endif
