// SPDX-License-Identifier: Apache-2.0
// The only file that knows threads: a fixed pool and a loop over fixed chunks.
#ifndef CAIRN_BASE_PARALLEL_H
#define CAIRN_BASE_PARALLEL_H

#include "base/memory.h"

typedef struct base_workers base_workers;

enum { BASE_WORKERS_MAX = 256 };

/// Pool of `count` workers, the calling thread among them (count >= 1). NULL when threads or memory
/// are short.
base_workers *base_workers_create(const base_allocator *allocator, int count);
void base_workers_destroy(base_workers *workers);
int base_workers_count(const base_workers *workers);

/// Lets one thread at a time into an allocator that is not made for several.
typedef struct base_gate base_gate;

/// Takes its own memory from `inner` too. NULL when out of memory.
base_gate *base_gate_create(const base_allocator *inner);
void base_gate_destroy(base_gate *gate);

/// The guarded allocator; valid until the gate is destroyed.
base_allocator base_gate_allocator(base_gate *gate);

/// One chunk [begin, end) of a loop; `chunk` numbers it, so that partial results can be stored per
/// chunk and added in chunk order; `worker` numbers the thread that happens to run it, for scratch
/// memory only.
typedef void base_chunk_function(void *context, int begin, int end, int chunk, int worker);

/// Runs the chunks of [0, count), `chunk_size` indices each (the last may be shorter). Chunks
/// depend on count and chunk_size, never on the workers: results are the same for any number of
/// them as long as chunks do not write to each other's data. `workers` may be NULL: one thread.
void base_parallel_for(base_workers *workers, int count, int chunk_size,
                       base_chunk_function *function, void *context);

/// Number of chunks that `base_parallel_for` makes.
static inline int base_chunk_count(int count, int chunk_size)
{
    return (count + chunk_size - 1) / chunk_size;
}

#endif
