// SPDX-License-Identifier: Apache-2.0
// Slots behind the ids of one kind of object: generations, live ones in order, free ones.
//
// An id is a slot and its generation. A slot that is given up serves again with the next
// generation, so that old ids never name a new object. No call costs more than a few memory
// accesses, however many slots there are. What is stored lies in pages, which are made as removals
// touch them: in the others slot i is the i-th live one and of generation 1.
#ifndef CAIRN_ENGINE_STATE_SLOTS_H
#define CAIRN_ENGINE_STATE_SLOTS_H

#include "base/memory.h"

#include <stdbool.h>

enum { ENG_SLOTS_PAGE = 64 };

typedef struct eng_slots_page {
    uint32_t generation[ENG_SLOTS_PAGE]; // of the id that a slot has, or will have next
    int place[ENG_SLOTS_PAGE]; // of a slot among the live ones; of others -1 - (the next of its
                               // list
                               // + 1)
    int live[ENG_SLOTS_PAGE]; // slots in order of creation, but the last one takes the place of one
                              // that is removed
} eng_slots_page;

/// Zero-initialised it is empty.
typedef struct eng_slots {
    int count;      // slots there are, live or not
    int live_count; // objects there are
    int free_count, waiting_count;
    int free, waiting;      // first slot of each list, + 1; 0: none
    int page_count;         // there is room for
    eng_slots_page **pages; // [page_count] owned; NULL: as above
    bool paged;             // there are any
} eng_slots;

/// Room for slots up to this many, after which eng_slots_take gives them.
cairn_status eng_slots_reserve(eng_slots *slots, const base_allocator *allocator,
                               int needed) CAIRN_CHECK_RESULT;

/// After it eng_slots_drop may be called for a live slot.
cairn_status eng_slots_prepare(eng_slots *slots, const base_allocator *allocator,
                               int slot) CAIRN_CHECK_RESULT;

/// After it any of so many slots may be dropped and moved.
cairn_status eng_slots_prepare_all(eng_slots *slots, const base_allocator *allocator,
                                   int count) CAIRN_CHECK_RESULT;
void eng_slots_release(eng_slots *slots, const base_allocator *allocator);

/// The slot that eng_slots_take will give.
int eng_slots_next(const eng_slots *slots);

/// A slot for a new object, at the end of the live ones.
int eng_slots_take(eng_slots *slots);

/// Removes a live slot, which waits with its generation for eng_slots_recycle.
void eng_slots_drop(eng_slots *slots, int slot);

/// The slots that wait, one after the other: the first after -1, and -1 after the last.
int eng_slots_next_waiting(const eng_slots *slots, int slot);

/// Slots that were dropped are free from now on, with their next generation.
void eng_slots_recycle(eng_slots *slots);

/// Page of an index; NULL where it is as it was made.
static inline eng_slots_page *eng_slots_page_of(const eng_slots *slots, int index)
{
    return slots->paged ? slots->pages[index / ENG_SLOTS_PAGE] : NULL;
}

/// Place of a slot among the live ones; negative for one that is not live.
static inline int eng_slots_place(const eng_slots *slots, int slot)
{
    const eng_slots_page *page = eng_slots_page_of(slots, slot);
    return page != NULL ? page->place[slot % ENG_SLOTS_PAGE] : slot;
}

static inline uint32_t eng_slots_generation(const eng_slots *slots, int slot)
{
    const eng_slots_page *page = eng_slots_page_of(slots, slot);
    return page != NULL ? page->generation[slot % ENG_SLOTS_PAGE] : 1;
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
    const eng_slots_page *page = eng_slots_page_of(slots, place);
    return page != NULL ? page->live[place % ENG_SLOTS_PAGE] : place;
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
