// SPDX-License-Identifier: Apache-2.0
// Allocator (a field of its owner, never a global), growing arrays, and the scratch arena of a
// step.
#ifndef CAIRN_BASE_MEMORY_H
#define CAIRN_BASE_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/// Where memory comes from. `reallocate(context, NULL, n)` allocates, `reallocate(context, p, 0)`
/// frees and returns NULL; NULL for n > 0 means out of memory. Results are aligned
/// for any type (max_align_t).
typedef struct base_allocator {
    void *(*reallocate)(void *context, void *block, size_t size);
    void *context;
} base_allocator;

/// The C library's allocator.
base_allocator base_allocator_default(void);

/// Counts live blocks and calls; fails every call from the k-th on when `fail_at` is k > 0.
typedef struct base_counting_allocator {
    long live;
    long calls;
    long fail_at;
} base_counting_allocator;

base_allocator base_allocator_counting(base_counting_allocator *counter);

/// Zeroed memory for `count` elements; NULL when out of memory or when the size overflows.
void *base_allocate(const base_allocator *allocator, size_t count, size_t element_size);
void base_release(const base_allocator *allocator, void *block);

/// Tells the system that a large block is used all over, so that it may hold it in large pages;
/// only whole ones within the block. Changes nothing else.
void base_advise_large(void *block, size_t size);

/// Gives the pages that lie wholly within a block back to the system; the addresses stay, what is
/// there is lost. Written to again they are there again. May do nothing.
void base_give_back(void *block, size_t size);

/// From here on large blocks that are released go back to the system at once, where the C library
/// would keep up to 64 MB of them for later ones. For programs: it holds for the whole process.
void base_release_at_once(void);

/// Bytes of memory that the process has at the moment; 0 where the system does not tell.
size_t base_resident_bytes(void);

/// Text copy; NULL when out of memory.
char *base_copy_text(const base_allocator *allocator, const char *text);

/// Grows `*array` to hold `needed` elements (at least 1.5 times as before); contents stay.
/// On failure the array is left as it was.
cairn_status base_array_reserve_bytes(const base_allocator *allocator, void **array, int *capacity,
                                      int needed, size_t element_size) CAIRN_CHECK_RESULT;

/// Typed form: `base_array_reserve(allocator, &items, &capacity, needed)`.
#define base_array_reserve(allocator, array, capacity, needed)                                     \
    base_array_reserve_bytes(allocator, (void **)(array), capacity, needed, sizeof **(array))

/// Scratch memory of one step: blocks live until the arena is reset or rewound to a mark. Grows by
/// whole chunks, so that earlier blocks never move; after a reset one chunk holds the high-water
/// mark, and steps of the same size make no heap call.
typedef struct base_arena base_arena;

base_arena *base_arena_create(const base_allocator *allocator, size_t initial_size);
void base_arena_destroy(base_arena *arena);
void base_arena_reset(base_arena *arena);

/// 64-byte aligned, uninitialised; NULL when out of memory. `name` is for reports only.
void *base_arena_allocate(base_arena *arena, const char *name, size_t count, size_t element_size);

typedef struct base_arena_mark {
    void *chunk;
    size_t used;
} base_arena_mark;

base_arena_mark base_arena_get_mark(const base_arena *arena);
void base_arena_rewind(base_arena *arena, base_arena_mark mark);

/// Largest number of bytes in use at once since creation.
size_t base_arena_high_water(const base_arena *arena);

#define base_arena_array(arena, type, name, count)                                                 \
    ((type *)base_arena_allocate(arena, name, (size_t)(count), sizeof(type)))

#endif
