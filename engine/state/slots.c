// SPDX-License-Identifier: Apache-2.0
// Slots behind ids: generations, live and free ones.
#include "engine/state/slots.h"

#include "base/assert.h"
#include "base/hash.h"

#include <string.h>

static cairn_status reserve_arrays(eng_slots *slots, const base_allocator *allocator, int needed)
{
    int capacities[3] = {slots->capacity, slots->capacity, slots->capacity};
    cairn_status status = base_array_reserve(allocator, &slots->generation, &capacities[0], needed);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &slots->place, &capacities[1], needed);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &slots->live, &capacities[2], needed);
    if (status == CAIRN_OK)
        slots->capacity = capacities[0];
    return status;
}

cairn_status eng_slots_reserve(eng_slots *slots, const base_allocator *allocator, int needed)
{
    if (slots->capacity == 0 || needed <= slots->capacity)
        return CAIRN_OK;
    return reserve_arrays(slots, allocator, needed);
}

cairn_status eng_slots_prepare(eng_slots *slots, const base_allocator *allocator)
{
    if (slots->capacity > 0)
        return CAIRN_OK;
    eng_slots made = *slots;
    cairn_status status = reserve_arrays(&made, allocator, slots->count + 1);
    if (status != CAIRN_OK) {
        // all or none: an array alone would be taken for the table
        eng_slots_release(&made, allocator);
        return status;
    }
    for (int i = 0; i < made.count; i++) {
        made.generation[i] = 1;
        made.place[i] = made.live[i] = i;
    }
    *slots = made;
    return CAIRN_OK;
}

void eng_slots_release(eng_slots *slots, const base_allocator *allocator)
{
    base_release(allocator, slots->generation);
    base_release(allocator, slots->place);
    base_release(allocator, slots->live);
    *slots = (eng_slots){0};
}

int eng_slots_next(const eng_slots *slots)
{
    return slots->free > 0 ? slots->free - 1 : slots->count;
}

/// Takes the first slot off a list.
static int pop(const eng_slots *slots, int *list, int *count)
{
    int slot = *list - 1;
    *list = -1 - slots->place[slot];
    (*count)--;
    return slot;
}

static void push(eng_slots *slots, int slot, int *list, int *count)
{
    slots->place[slot] = -1 - *list;
    *list = slot + 1;
    (*count)++;
}

int eng_slots_take(eng_slots *slots)
{
    bool again = slots->free > 0;
    int slot = again ? pop(slots, &slots->free, &slots->free_count) : slots->count++;
    int place = slots->live_count++;
    if (slots->capacity == 0)
        return slot;
    BASE_ASSERT(slot < slots->capacity);
    if (!again)
        slots->generation[slot] = 1;
    slots->place[slot] = place;
    slots->live[place] = slot;
    return slot;
}

void eng_slots_drop(eng_slots *slots, int slot)
{
    int place = slots->place[slot], last = slots->live[--slots->live_count];
    slots->live[place] = last;
    slots->place[last] = place;
    push(slots, slot, &slots->waiting, &slots->waiting_count);
}

void eng_slots_recycle(eng_slots *slots)
{
    while (slots->waiting > 0) {
        int slot = pop(slots, &slots->waiting, &slots->waiting_count);
        slots->place[slot] = -1;
        // one that has used up its generations serves no more: an old id would come back
        if (slots->generation[slot] < UINT32_MAX) {
            slots->generation[slot]++;
            push(slots, slot, &slots->free, &slots->free_count);
        }
    }
}

void eng_slots_move(eng_slots *slots, int slot, int place)
{
    int now = slots->place[slot], other = slots->live[place];
    slots->live[now] = other;
    slots->live[place] = slot;
    slots->place[other] = now;
    slots->place[slot] = place;
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
        first = -1 - slots->place[first - 1];
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
    cairn_status status = eng_slots_prepare(slots, allocator);
    if (status == CAIRN_OK)
        status = eng_slots_reserve(slots, allocator, record->count);
    if (status != CAIRN_OK)
        return status;
    slots->count = record->count;
    slots->live_count = record->live_count;
    slots->free = slots->free_count = slots->waiting = slots->waiting_count = 0;
    for (int i = 0; i < record->count; i++) {
        slots->generation[i] = record->generation[i];
        slots->place[i] = -1;
    }
    for (int i = 0; i < record->live_count; i++) {
        slots->live[i] = record->live[i];
        slots->place[record->live[i]] = i;
    }
    for (int i = record->free_count; i-- > 0;)
        push(slots, record->free[i], &slots->free, &slots->free_count);
    for (int i = record->waiting_count; i-- > 0;)
        push(slots, record->waiting[i], &slots->waiting, &slots->waiting_count);
    return CAIRN_OK;
}
