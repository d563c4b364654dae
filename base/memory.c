// SPDX-License-Identifier: Apache-2.0
// Allocators, growing arrays, and the scratch arena.
#include "base/memory.h"

#include "base/assert.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#else
enum { MADV_HUGEPAGE, MADV_DONTNEED }; // told to nobody
#endif

enum { ARENA_ALIGNMENT = 64 };

static void *default_reallocate(void *context, void *block, size_t size)
{
    (void)context;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

base_allocator base_allocator_default(void)
{
    return (base_allocator){default_reallocate, NULL};
}

static void *counting_reallocate(void *context, void *block, size_t size)
{
    base_counting_allocator *counter = context;
    if (size == 0) {
        counter->live -= block != NULL;
        free(block);
        return NULL;
    }
    counter->calls++;
    if (counter->fail_at > 0 && counter->calls >= counter->fail_at)
        return NULL;
    void *result = realloc(block, size);
    if (result != NULL && block == NULL)
        counter->live++;
    return result;
}

base_allocator base_allocator_counting(base_counting_allocator *counter)
{
    return (base_allocator){counting_reallocate, counter};
}

void *base_allocate(const base_allocator *allocator, size_t count, size_t element_size)
{
    size_t size;
    if (__builtin_mul_overflow(count, element_size, &size))
        return NULL;
    // an empty array still gets a block, so that NULL always means failure
    if (size == 0)
        size = 1;
    void *block = allocator->reallocate(allocator->context, NULL, size);
    if (block != NULL)
        memset(block, 0, size);
    return block;
}

void base_release(const base_allocator *allocator, void *block)
{
    if (block != NULL)
        allocator->reallocate(allocator->context, block, 0);
}

/// Tells the system something of the pages that lie wholly within a block; it may do nothing.
static void advise(void *block, size_t size, uintptr_t page, int advice)
{
#if defined(__linux__)
    uintptr_t begin = ((uintptr_t)block + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)block + size) / page * page;
    if (end > begin)
        (void)madvise((char *)block + (begin - (uintptr_t)block), end - begin, advice);
#else
    (void)block, (void)size, (void)page, (void)advice;
#endif
}

void base_advise_large(void *block, size_t size)
{
    advise(block, size, (uintptr_t)1 << 21, MADV_HUGEPAGE);
}

void base_give_back(void *block, size_t size)
{
#if !defined(NDEBUG)
    // nobody may count on what was there, nor on zeros, whatever pages there are
    if (block != NULL)
        memset(block, 0xff, size);
#endif
    // no system has larger pages but where it was told to
    advise(block, size, (uintptr_t)1 << 16, MADV_DONTNEED);
}

void base_release_at_once(void)
{
#if defined(__GLIBC__)
    // once told, glibc no longer raises the two by what is released
    (void)mallopt(M_MMAP_THRESHOLD, 1 << 18);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 20);
#endif
}

size_t base_resident_bytes(void)
{
#if defined(__linux__)
    size_t all, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%zu %zu", &all, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
#else
    return 0;
#endif
}

char *base_copy_text(const base_allocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = base_allocate(allocator, size, 1);
    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

cairn_status base_array_reserve_bytes(const base_allocator *allocator, void **array, int *capacity,
                                      int needed, size_t element_size)
{
    if (needed <= *capacity)
        return CAIRN_OK;
    int grown = *capacity > INT_MAX / 3 * 2 ? INT_MAX : *capacity + *capacity / 2;
    int target = needed > grown ? needed : grown;
    if (target < 8)
        target = 8;
    size_t size;
    if (__builtin_mul_overflow((size_t)target, element_size, &size))
        return CAIRN_ERROR_MEMORY;
    void *block = allocator->reallocate(allocator->context, *array, size);
    if (block == NULL)
        return CAIRN_ERROR_MEMORY;
    *array = block;
    *capacity = target;
    return CAIRN_OK;
}

typedef struct arena_chunk {
    struct arena_chunk *previous;
    size_t size; // bytes that can be handed out
    size_t used;
    char *memory;  // aligned start
    size_t before; // bytes used in all earlier chunks
} arena_chunk;

struct base_arena {
    base_allocator allocator;
    arena_chunk *current;
    size_t high_water;
};

static arena_chunk *chunk_create(const base_allocator *allocator, arena_chunk *previous,
                                 size_t size)
{
    size_t header = sizeof(arena_chunk) + ARENA_ALIGNMENT;
    if (size > SIZE_MAX - header)
        return NULL;
    arena_chunk *chunk = allocator->reallocate(allocator->context, NULL, header + size);
    if (chunk == NULL)
        return NULL;
    uintptr_t start = (uintptr_t)(chunk + 1);
    start = (start + ARENA_ALIGNMENT - 1) & ~(uintptr_t)(ARENA_ALIGNMENT - 1);
    chunk->previous = previous;
    chunk->size = size;
    chunk->used = 0;
    chunk->memory = (char *)start;
    chunk->before = previous != NULL ? previous->before + previous->used : 0;
    return chunk;
}

base_arena *base_arena_create(const base_allocator *allocator, size_t initial_size)
{
    base_arena *arena = base_allocate(allocator, 1, sizeof *arena);
    if (arena == NULL)
        return NULL;
    arena->allocator = *allocator;
    arena->current = chunk_create(allocator, NULL, initial_size);
    if (arena->current == NULL) {
        base_release(allocator, arena);
        return NULL;
    }
    return arena;
}

static void release_chunks_until(base_arena *arena, const arena_chunk *last)
{
    while (arena->current != last) {
        arena_chunk *previous = arena->current->previous;
        base_release(&arena->allocator, arena->current);
        arena->current = previous;
    }
}

void base_arena_destroy(base_arena *arena)
{
    if (arena == NULL)
        return;
    release_chunks_until(arena, NULL);
    base_allocator allocator = arena->allocator;
    base_release(&allocator, arena);
}

void base_arena_reset(base_arena *arena)
{
    if (arena->current->previous != NULL) {
        // several chunks: try to replace them by one that holds all that was ever needed
        size_t wanted = arena->high_water + arena->high_water / 4;
        arena_chunk *whole = chunk_create(&arena->allocator, NULL, wanted);
        if (whole != NULL) {
            release_chunks_until(arena, NULL);
            arena->current = whole;
        } else {
            while (arena->current->previous != NULL)
                release_chunks_until(arena, arena->current->previous);
        }
    }
    arena->current->used = 0;
}

void *base_arena_allocate(base_arena *arena, const char *name, size_t count, size_t element_size)
{
    (void)name;
    size_t size;
    if (__builtin_mul_overflow(count, element_size, &size) || size > SIZE_MAX - ARENA_ALIGNMENT)
        return NULL;
    size = (size + ARENA_ALIGNMENT - 1) & ~(size_t)(ARENA_ALIGNMENT - 1);
    arena_chunk *chunk = arena->current;
    if (size > chunk->size - chunk->used) {
        size_t wanted = chunk->size * 2 > size ? chunk->size * 2 : size;
        chunk = chunk_create(&arena->allocator, chunk, wanted);
        if (chunk == NULL)
            return NULL;
        arena->current = chunk;
    }
    void *block = chunk->memory + chunk->used;
    chunk->used += size;
    if (chunk->before + chunk->used > arena->high_water)
        arena->high_water = chunk->before + chunk->used;
    return block;
}

base_arena_mark base_arena_get_mark(const base_arena *arena)
{
    return (base_arena_mark){arena->current, arena->current->used};
}

void base_arena_rewind(base_arena *arena, base_arena_mark mark)
{
    // chunks opened since the mark stay until the reset would merge them: free them here
    release_chunks_until(arena, mark.chunk);
    BASE_ASSERT(mark.used <= arena->current->used);
    arena->current->used = mark.used;
}

size_t base_arena_high_water(const base_arena *arena)
{
    return arena->high_water;
}
