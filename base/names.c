// SPDX-License-Identifier: Apache-2.0
// Hash table of names, linear probing, at most two thirds full.
#include "base/names.h"

#include "base/hash.h"

#include <string.h>

/// Slot of a name, or the free slot where it would go.
static int slot_of(const base_names *names, const char *name)
{
    uint64_t hash = base_hash_bytes(BASE_HASH_START, name, strlen(name));
    int mask = names->capacity - 1, slot = (int)(hash & (uint64_t)mask);
    while (names->keys[slot] != NULL && strcmp(names->keys[slot], name) != 0)
        slot = (slot + 1) & mask;
    return slot;
}

int base_names_find(const base_names *names, const char *name)
{
    if (names->count == 0)
        return -1;
    int slot = slot_of(names, name);
    return names->keys[slot] != NULL ? names->values[slot] : -1;
}

static cairn_status grow(base_names *names, const base_allocator *allocator)
{
    base_names grown = {.count = names->count,
                        .capacity = names->capacity > 0 ? 2 * names->capacity : 16};
    size_t capacity = (size_t)grown.capacity;
    grown.keys = base_allocate(allocator, capacity, sizeof *grown.keys);
    grown.values = base_allocate(allocator, capacity, sizeof *grown.values);
    if (grown.keys == NULL || grown.values == NULL) {
        base_names_release(&grown, allocator);
        return CAIRN_ERROR_MEMORY;
    }
    for (int i = 0; i < names->capacity; i++)
        if (names->keys[i] != NULL) {
            int slot = slot_of(&grown, names->keys[i]);
            grown.keys[slot] = names->keys[i];
            grown.values[slot] = names->values[i];
        }
    base_names_release(names, allocator);
    *names = grown;
    return CAIRN_OK;
}

cairn_status base_names_add(base_names *names, const base_allocator *allocator, const char *name,
                            int value)
{
    if (3 * (names->count + 1) > 2 * names->capacity)
        BASE_TRY(grow(names, allocator));
    int slot = slot_of(names, name);
    names->keys[slot] = name;
    names->values[slot] = value;
    names->count++;
    return CAIRN_OK;
}

void base_names_remove(base_names *names, const char *name)
{
    int mask = names->capacity - 1, hole = slot_of(names, name);
    names->keys[hole] = NULL;
    names->count--;
    // names that were pushed past the hole move up, so that a search does not end at it
    for (int slot = (hole + 1) & mask; names->keys[slot] != NULL; slot = (slot + 1) & mask) {
        const char *key = names->keys[slot];
        names->keys[slot] = NULL;
        int better = slot_of(names, key);
        names->keys[better] = key;
        names->values[better] = names->values[slot];
    }
}

void base_names_change(base_names *names, const char *name, int value)
{
    names->values[slot_of(names, name)] = value;
}

void base_names_release(base_names *names, const base_allocator *allocator)
{
    base_release(allocator, names->keys);
    base_release(allocator, names->values);
    *names = (base_names){0};
}
