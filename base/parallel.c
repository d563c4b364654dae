// SPDX-License-Identifier: Apache-2.0
// Pool of pthreads that take chunks off a shared counter; the gate of an allocator.
#include "base/parallel.h"

#include "base/assert.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct worker_seat {
    base_workers *pool;
    pthread_t thread;
    int index;
} worker_seat;

struct base_workers {
    base_allocator allocator;
    int count;
    worker_seat *seats; // [count]; seat 0 is the caller and has no thread

    pthread_mutex_t mutex;
    pthread_cond_t start;
    pthread_cond_t finished;
    unsigned long round; // grows by one for each loop
    int busy;            // threads that have not finished the current round
    int quit;

    // the loop being run; written by the caller before `round` grows
    base_chunk_function *function;
    void *context;
    int loop_count;
    int chunk_size;
    int chunk_count;
    atomic_int next_chunk;
};

static void run_chunks(base_workers *pool, int worker)
{
    for (;;) {
        int chunk = atomic_fetch_add_explicit(&pool->next_chunk, 1, memory_order_relaxed);
        if (chunk >= pool->chunk_count)
            return;
        int begin = chunk * pool->chunk_size;
        int end = pool->loop_count - begin < pool->chunk_size ? pool->loop_count
                                                              : begin + pool->chunk_size;
        pool->function(pool->context, begin, end, chunk, worker);
    }
}

static void *worker_main(void *argument)
{
    worker_seat *seat = argument;
    base_workers *pool = seat->pool;
    unsigned long seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->round == seen && !pool->quit)
            pthread_cond_wait(&pool->start, &pool->mutex);
        if (pool->quit)
            break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->mutex);
        run_chunks(pool, seat->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->finished);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static void stop_threads(base_workers *pool, int started)
{
    pthread_mutex_lock(&pool->mutex);
    pool->quit = 1;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < started; i++)
        pthread_join(pool->seats[i].thread, NULL);
}

static void release_pool(base_workers *pool)
{
    pthread_cond_destroy(&pool->start);
    pthread_cond_destroy(&pool->finished);
    pthread_mutex_destroy(&pool->mutex);
    base_allocator allocator = pool->allocator;
    base_release(&allocator, pool->seats);
    base_release(&allocator, pool);
}

base_workers *base_workers_create(const base_allocator *allocator, int count)
{
    BASE_ASSERT(count >= 1 && count <= BASE_WORKERS_MAX);
    base_workers *pool = base_allocate(allocator, 1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->allocator = *allocator;
    pool->seats = base_allocate(allocator, (size_t)count, sizeof *pool->seats);
    if (pool->seats == NULL) {
        base_release(allocator, pool);
        return NULL;
    }
    pool->count = count;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->finished, NULL);
    for (int i = 1; i < count; i++) {
        pool->seats[i] = (worker_seat){.pool = pool, .index = i};
        if (pthread_create(&pool->seats[i].thread, NULL, worker_main, &pool->seats[i]) != 0) {
            stop_threads(pool, i);
            release_pool(pool);
            return NULL;
        }
    }
    return pool;
}

void base_workers_destroy(base_workers *workers)
{
    if (workers == NULL)
        return;
    stop_threads(workers, workers->count);
    release_pool(workers);
}

int base_workers_count(const base_workers *workers)
{
    return workers != NULL ? workers->count : 1;
}

static void run_serial(int count, int chunk_size, base_chunk_function *function, void *context)
{
    for (int begin = 0, chunk = 0; begin < count; begin += chunk_size, chunk++) {
        int end = count - begin < chunk_size ? count : begin + chunk_size;
        function(context, begin, end, chunk, 0);
        if (end == count)
            break;
    }
}

void base_parallel_for(base_workers *workers, int count, int chunk_size,
                       base_chunk_function *function, void *context)
{
    BASE_ASSERT(chunk_size >= 1);
    if (count <= 0)
        return;
    if (workers == NULL || workers->count == 1 || count <= chunk_size) {
        run_serial(count, chunk_size, function, context);
        return;
    }
    pthread_mutex_lock(&workers->mutex);
    workers->function = function;
    workers->context = context;
    workers->loop_count = count;
    workers->chunk_size = chunk_size;
    workers->chunk_count = base_chunk_count(count, chunk_size);
    atomic_store_explicit(&workers->next_chunk, 0, memory_order_relaxed);
    workers->busy = workers->count - 1;
    workers->round++;
    pthread_cond_broadcast(&workers->start);
    pthread_mutex_unlock(&workers->mutex);

    run_chunks(workers, 0);

    pthread_mutex_lock(&workers->mutex);
    while (workers->busy > 0)
        pthread_cond_wait(&workers->finished, &workers->mutex);
    pthread_mutex_unlock(&workers->mutex);
}

// ---------------------------------------------------------------- gate

struct base_gate {
    base_allocator inner;
    pthread_mutex_t mutex;
};

static void *gated_reallocate(void *context, void *block, size_t size)
{
    base_gate *gate = context;
    pthread_mutex_lock(&gate->mutex);
    void *result = gate->inner.reallocate(gate->inner.context, block, size);
    pthread_mutex_unlock(&gate->mutex);
    return result;
}

base_gate *base_gate_create(const base_allocator *inner)
{
    base_gate *gate = base_allocate(inner, 1, sizeof *gate);
    if (gate == NULL)
        return NULL;
    gate->inner = *inner;
    pthread_mutex_init(&gate->mutex, NULL);
    return gate;
}

void base_gate_destroy(base_gate *gate)
{
    if (gate == NULL)
        return;
    base_allocator inner = gate->inner;
    pthread_mutex_destroy(&gate->mutex);
    base_release(&inner, gate);
}

base_allocator base_gate_allocator(base_gate *gate)
{
    return (base_allocator){gated_reallocate, gate};
}
