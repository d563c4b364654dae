// SPDX-License-Identifier: Apache-2.0
// Hash table of pairs of indices, linear probing, at most half full.
#include "base/pairs.h"

#include "base/hash.h"

/// Entry of a pair, or the free one where it would go.
static base_pair_entry *entry_of(const base_pairs *pairs, int low, int high)
{
    uint64_t hash = base_hash_mix((uint64_t)(unsigned)low << 32 | (unsigned)high);
    int mask = pairs->capacity - 1, slot = (int)(hash & (uint64_t)mask);
    base_pair_entry *entry = &pairs->entries[slot];
    while (entry->value >= 0 && (entry->low != low || entry->high != high)) {
        slot = (slot + 1) & mask;
        entry = &pairs->entries[slot];
    }
    return entry;
}

int base_pairs_find(const base_pairs *pairs, int a, int b)
{
    if (pairs->count == 0)
        return -1;
    return entry_of(pairs, a < b ? a : b, a < b ? b : a)->value;
}

static cairn_status grow(base_pairs *pairs, const base_allocator *allocator)
{
    base_pairs grown = {.count = pairs->count,
                        .capacity = pairs->capacity > 0 ? 2 * pairs->capacity : 16};
    grown.entries = base_allocate(allocator, (size_t)grown.capacity, sizeof *grown.entries);
    if (grown.entries == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < grown.capacity; i++)
        grown.entries[i].value = -1;
    for (int i = 0; i < pairs->capacity; i++) {
        const base_pair_entry *from = &pairs->entries[i];
        if (from->value >= 0)
            *entry_of(&grown, from->low, from->high) = *from;
    }
    base_release(allocator, pairs->entries);
    *pairs = grown;
    return CAIRN_OK;
}

cairn_status base_pairs_add(base_pairs *pairs, const base_allocator *allocator, int a, int b,
                            int value)
{
    if (2 * (pairs->count + 1) > pairs->capacity)
        BASE_TRY(grow(pairs, allocator));
    int low = a < b ? a : b, high = a < b ? b : a;
    *entry_of(pairs, low, high) = (base_pair_entry){low, high, value};
    pairs->count++;
    return CAIRN_OK;
}

void base_pairs_release(base_pairs *pairs, const base_allocator *allocator)
{
    base_release(allocator, pairs->entries);
    *pairs = (base_pairs){0};
}
