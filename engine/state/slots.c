// SPDX-License-Identifier: Apache-2.0
// Slots behind ids: generations, live and free ones.
#include "engine/state/slots.h"

#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

/// The page of an index, made where there is none; the room for it is there.
static cairn_status make_page(eng_slots *slots, const base_allocator *allocator, int index)
{
    eng_slots_page **page = &slots->pages[index / ENG_SLOTS_PAGE];
    if (*page != NULL)
        return CAIRN_OK;
    *page = base_allocate(allocator, 1, sizeof **page);
    if (*page == NULL)
        return CAIRN_ERROR_MEMORY;
    slots->paged = true;
    for (int i = 0; i < ENG_SLOTS_PAGE; i++) {
        (*page)->generation[i] = 1;
        (*page)->place[i] = (*page)->live[i] = index / ENG_SLOTS_PAGE * ENG_SLOTS_PAGE + i;
    }
    return CAIRN_OK;
}

cairn_status eng_slots_reserve(eng_slots *slots, const base_allocator *allocator, int needed)
{
    int known = slots->page_count, pages = (needed + ENG_SLOTS_PAGE - 1) / ENG_SLOTS_PAGE;
    cairn_status status = base_array_reserve(allocator, &slots->pages, &slots->page_count, pages);
    for (int i = known; i < slots->page_count; i++)
        slots->pages[i] = NULL;
    // new slots go to places that are not their numbers once others are gone
    for (int slot = slots->count; slot < needed && slots->paged && status == CAIRN_OK; slot++)
        status = make_page(slots, allocator, slot);
    int last = slots->live_count + (needed > slots->count ? needed - slots->count : 1);
    for (int place = slots->live_count; place < last && slots->paged && status == CAIRN_OK; place++)
        status = make_page(slots, allocator, place);
    return status;
}

cairn_status eng_slots_prepare(eng_slots *slots, const base_allocator *allocator, int slot)
{
    const int touched[3] = {slot, eng_slots_place(slots, slot),
                            eng_slots_at(slots, slots->live_count - 1)};
    for (int i = 0; i < 3; i++)
        BASE_TRY(make_page(slots, allocator, touched[i]));
    return CAIRN_OK;
}

cairn_status eng_slots_prepare_all(eng_slots *slots, const base_allocator *allocator, int count)
{
    BASE_TRY(eng_slots_reserve(slots, allocator, count));
    for (int i = 0; i < count; i += ENG_SLOTS_PAGE)
        BASE_TRY(make_page(slots, allocator, i));
    return CAIRN_OK;
}

void eng_slots_release(eng_slots *slots, const base_allocator *allocator)
{
    for (int i = 0; i < slots->page_count; i++)
        base_release(allocator, slots->pages[i]);
    base_release(allocator, slots->pages);
    *slots = (eng_slots){0};
}

static void set_place(eng_slots *slots, int slot, int place)
{
    eng_slots_page *page = eng_slots_page_of(slots, slot);
    BASE_ASSERT(page != NULL || place == slot);
    if (page != NULL)
        page->place[slot % ENG_SLOTS_PAGE] = place;
}

static void set_live(eng_slots *slots, int place, int slot)
{
    eng_slots_page *page = eng_slots_page_of(slots, place);
    BASE_ASSERT(page != NULL || place == slot);
    if (page != NULL)
        page->live[place % ENG_SLOTS_PAGE] = slot;
}

static void set_generation(eng_slots *slots, int slot, uint32_t generation)
{
    eng_slots_page *page = eng_slots_page_of(slots, slot);
    BASE_ASSERT(page != NULL || generation == 1);
    if (page != NULL)
        page->generation[slot % ENG_SLOTS_PAGE] = generation;
}

int eng_slots_next(const eng_slots *slots)
{
    return slots->free > 0 ? slots->free - 1 : slots->count;
}

/// Takes the first slot off a list.
static int pop(const eng_slots *slots, int *list, int *count)
{
    int slot = *list - 1;
    *list = -1 - eng_slots_place(slots, slot);
    (*count)--;
    return slot;
}

static void push(eng_slots *slots, int slot, int *list, int *count)
{
    set_place(slots, slot, -1 - *list);
    *list = slot + 1;
    (*count)++;
}

int eng_slots_take(eng_slots *slots)
{
    bool again = slots->free > 0;
    int slot = again ? pop(slots, &slots->free, &slots->free_count) : slots->count++;
    int place = slots->live_count++;
    if (!again)
        set_generation(slots, slot, 1);
    set_place(slots, slot, place);
    set_live(slots, place, slot);
    return slot;
}

void eng_slots_drop(eng_slots *slots, int slot)
{
    int place = eng_slots_place(slots, slot), last = eng_slots_at(slots, slots->live_count - 1);
    slots->live_count--;
    set_live(slots, place, last);
    set_place(slots, last, place);
    push(slots, slot, &slots->waiting, &slots->waiting_count);
}

int eng_slots_next_waiting(const eng_slots *slots, int slot)
{
    return slot < 0 ? slots->waiting - 1 : -2 - eng_slots_place(slots, slot);
}

void eng_slots_recycle(eng_slots *slots)
{
    while (slots->waiting > 0) {
        int slot = pop(slots, &slots->waiting, &slots->waiting_count);
        set_place(slots, slot, -1);
        uint32_t generation = eng_slots_generation(slots, slot);
        // one that has used up its generations serves no more: an old id would come back
        if (generation < UINT32_MAX) {
            set_generation(slots, slot, generation + 1);
            push(slots, slot, &slots->free, &slots->free_count);
        }
    }
}

void eng_slots_move(eng_slots *slots, int slot, int place)
{
    int now = eng_slots_place(slots, slot), other = eng_slots_at(slots, place);
    set_live(slots, now, other);
    set_live(slots, place, slot);
    set_place(slots, other, now);
    set_place(slots, slot, place);
}

uint64_t eng_slots_hash(const eng_slots *slots)
{
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < slots->live_count; i++) {
        int slot = eng_slots_at(slots, i);
        uint32_t id[2] = {(uint32_t)slot, eng_slots_generation(slots, slot)};
        hash = base_hash_bytes(hash, id, sizeof id);
    }
    return hash;
}

static void walk(const eng_slots *slots, int first, int *list)
{
    for (int i = 0; first > 0; i++) {
        list[i] = first - 1;
        first = -1 - eng_slots_place(slots, first - 1);
    }
}

void eng_slots_take_record(const eng_slots *slots, eng_slots_record *record)
{
    for (int i = 0; i < slots->count; i++)
        record->generation[i] = eng_slots_generation(slots, i);
    for (int i = 0; i < slots->live_count; i++)
        record->live[i] = eng_slots_at(slots, i);
    walk(slots, slots->free, record->free);
    walk(slots, slots->waiting, record->waiting);
}

cairn_status eng_slots_restore(eng_slots *slots, const base_allocator *allocator,
                               const eng_slots_record *record)
{
    BASE_TRY(eng_slots_prepare_all(slots, allocator, record->count));
    slots->count = record->count;
    slots->live_count = record->live_count;
    slots->free = slots->free_count = slots->waiting = slots->waiting_count = 0;
    for (int i = 0; i < record->count; i++) {
        set_generation(slots, i, record->generation[i]);
        set_place(slots, i, -1);
    }
    for (int i = 0; i < record->live_count; i++) {
        set_live(slots, i, record->live[i]);
        set_place(slots, record->live[i], i);
    }
    for (int i = record->free_count; i-- > 0;)
        push(slots, record->free[i], &slots->free, &slots->free_count);
    for (int i = record->waiting_count; i-- > 0;)
        push(slots, record->waiting[i], &slots->waiting, &slots->waiting_count);
    return CAIRN_OK;
}
