// SPDX-License-Identifier: Apache-2.0
// Pool of pthreads that take chunks off a shared counter; the gate of an allocator.
#include "base/parallel.h"

#include "base/assert.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

// A thread that waits looks for a while before it sleeps, as waking takes some tens of
// microseconds. Where cores are short looking is in vain: the while then gets shorter, but for a
// try now and then.
enum { LOOKS_MOST = 2000, LOOKS_LEAST = 4, TRY_AGAIN = 32, LINE = 64 };

/// How long a thread looks before it sleeps; changes no result.
typedef struct waiter {
    int looks;
    unsigned waits; // so far
} waiter;

// The queue: 24 bits of the loop's number, 20 of chunks taken from the front, 20 from the back.
enum { TAKEN_BITS = 20, TAKEN_MOST = (1 << TAKEN_BITS) - 1 };

#define TAKEN_MASK ((UINT64_C(1) << 2 * TAKEN_BITS) - 1)
#define CLOSED TAKEN_MASK // no chunks to be had

typedef struct worker_seat {
    base_workers *pool;
    pthread_t thread;
    int index;
} worker_seat;

struct base_workers {
    base_allocator allocator;
    int count;
    pid_t process;      // that has the threads: a child of fork() has the caller alone
    worker_seat *seats; // [count]; seat 0 is the caller and has no thread
    waiter caller;      // how it waits

    pthread_mutex_t mutex; // of sleeping and waking alone
    pthread_cond_t start;
    pthread_cond_t finished;
    atomic_int sleepers; // threads at `start`
    atomic_int waiting;  // 1: the caller is at `finished`
    atomic_int quit;

    char apart[LINE]; // what follows is written for every chunk
    // A chunk is taken by raising the queue from the value at which the loop was read: that fails
    // once the loop has changed.
    _Atomic uint64_t queue;
    atomic_int done; // chunks that have been run
    char apart_too[LINE];

    // the loop being run; written while the queue is closed
    _Atomic(base_chunk_function *) function;
    _Atomic(void *) context;
    atomic_int loop_count;
    atomic_int chunk_size;
    atomic_int chunk_count;
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/// Chunks that a queue leaves of so many.
static int chunks_left(uint64_t queue, int chunk_count)
{
    int front = (int)(queue >> TAKEN_BITS & TAKEN_MOST), back = (int)(queue & TAKEN_MOST);
    return (queue & TAKEN_MASK) == CLOSED ? 0 : chunk_count - front - back;
}

/// Takes a chunk of the loop that the queue names; -1 for none. What it reads of the loop is that
/// of the queue, or the exchange fails. The caller takes from the front and others from the back:
/// of loops that follow each other they get the same parts, which they have in their caches.
static int take_chunk(base_workers *pool, int worker, base_chunk_function **function,
                      void **context, int *loop_count, int *chunk_size)
{
    uint64_t queue = atomic_load_explicit(&pool->queue, memory_order_acquire);
    for (;;) {
        int count = atomic_load_explicit(&pool->chunk_count, memory_order_acquire);
        if (chunks_left(queue, count) <= 0)
            return -1;
        bool front = worker == 0;
        *function = atomic_load_explicit(&pool->function, memory_order_acquire);
        *context = atomic_load_explicit(&pool->context, memory_order_acquire);
        *loop_count = atomic_load_explicit(&pool->loop_count, memory_order_acquire);
        *chunk_size = atomic_load_explicit(&pool->chunk_size, memory_order_acquire);
        uint64_t taken = queue + (front ? UINT64_C(1) << TAKEN_BITS : 1);
        if (atomic_compare_exchange_weak_explicit(&pool->queue, &queue, taken, memory_order_acq_rel,
                                                  memory_order_acquire))
            return front ? (int)(queue >> TAKEN_BITS & TAKEN_MOST)
                         : count - 1 - (int)(queue & TAKEN_MOST);
    }
}

/// Runs chunks until there are none; wakes a waiting caller.
static void run_chunks(base_workers *pool, int worker)
{
    base_chunk_function *function;
    void *context;
    int loop_count, chunk_size, chunk, run = 0;
    while ((chunk = take_chunk(pool, worker, &function, &context, &loop_count, &chunk_size)) >= 0) {
        int begin = chunk * chunk_size;
        int end = loop_count - begin < chunk_size ? loop_count : begin + chunk_size;
        function(context, begin, end, chunk, worker);
        run++;
    }
    if (run == 0)
        return;
    atomic_fetch_add(&pool->done, run);
    if (worker == 0 || !atomic_load(&pool->waiting))
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->finished);
    pthread_mutex_unlock(&pool->mutex);
}

static bool has_chunks(base_workers *pool)
{
    uint64_t queue = atomic_load(&pool->queue);
    return chunks_left(queue, atomic_load(&pool->chunk_count)) > 0;
}

static bool is_done(base_workers *pool)
{
    return atomic_load(&pool->done) ==
           atomic_load_explicit(&pool->chunk_count, memory_order_relaxed);
}

/// Looks for a while; true when the condition came to hold.
static bool look_for(base_workers *pool, bool (*holds)(base_workers *), waiter *self)
{
    bool in_full = self->waits++ % TRY_AGAIN == 0;
    int looks = in_full ? LOOKS_MOST : self->looks;
    for (int i = 0; i < looks; i++) {
        if (holds(pool)) {
            self->looks = looks < LOOKS_MOST / 2 ? 2 * looks : LOOKS_MOST;
            return true;
        }
        pause_briefly();
    }
    if (!in_full && self->looks > LOOKS_LEAST)
        self->looks /= 2;
    return false;
}

static bool has_work(base_workers *pool)
{
    return has_chunks(pool) || atomic_load(&pool->quit);
}

static void *worker_main(void *argument)
{
    worker_seat *seat = argument;
    base_workers *pool = seat->pool;
    waiter self = {.looks = LOOKS_MOST};
    while (!atomic_load(&pool->quit)) {
        run_chunks(pool, seat->index);
        if (!look_for(pool, has_work, &self)) {
            pthread_mutex_lock(&pool->mutex);
            atomic_fetch_add(&pool->sleepers, 1);
            while (!has_work(pool))
                pthread_cond_wait(&pool->start, &pool->mutex);
            atomic_fetch_sub(&pool->sleepers, 1);
            pthread_mutex_unlock(&pool->mutex);
        }
    }
    return NULL;
}

static void wake_sleepers(base_workers *pool)
{
    if (atomic_load(&pool->sleepers) == 0)
        return;
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->mutex);
}

static void stop_threads(base_workers *pool, int started)
{
    atomic_store(&pool->quit, 1);
    wake_sleepers(pool);
    for (int i = 1; i < started; i++)
        pthread_join(pool->seats[i].thread, NULL);
}

static bool has_threads(const base_workers *pool)
{
    return pool->count > 1 && pool->process == getpid();
}

static void release_pool(base_workers *pool)
{
    // where others are waiting that this process does not have, these calls would wait for them
    if (pool->process == getpid()) {
        pthread_cond_destroy(&pool->start);
        pthread_cond_destroy(&pool->finished);
        pthread_mutex_destroy(&pool->mutex);
    }
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
    pool->process = getpid();
    pool->caller.looks = LOOKS_MOST;
    atomic_init(&pool->queue, CLOSED);
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
    if (has_threads(workers))
        stop_threads(workers, workers->count);
    release_pool(workers);
}

int base_workers_count(const base_workers *workers)
{
    return workers != NULL ? workers->count : 1;
}

void base_parallel_for(base_workers *workers, int count, int chunk_size,
                       base_chunk_function *function, void *context)
{
    BASE_ASSERT(chunk_size >= 1);
    if (count <= 0)
        return;
    if (workers == NULL || count <= chunk_size ||
        base_chunk_count(count, chunk_size) >= TAKEN_MOST || !has_threads(workers)) {
        // run serial
        for (int begin = 0, chunk = 0; begin < count; begin += chunk_size, chunk++) {
            int end = count - begin < chunk_size ? count : begin + chunk_size;
            function(context, begin, end, chunk, 0);
            if (end == count)
                break;
        }
        return;
    }

    // writes the loop while no chunk of it can be taken, then opens it
    uint64_t queue = atomic_load_explicit(&workers->queue, memory_order_relaxed);
    uint64_t next = ((queue >> 2 * TAKEN_BITS) + 1) << 2 * TAKEN_BITS;
    atomic_store(&workers->queue, next | CLOSED);
    atomic_store_explicit(&workers->function, function, memory_order_release);
    atomic_store_explicit(&workers->context, context, memory_order_release);
    atomic_store_explicit(&workers->loop_count, count, memory_order_release);
    atomic_store_explicit(&workers->chunk_size, chunk_size, memory_order_release);
    atomic_store_explicit(&workers->chunk_count, base_chunk_count(count, chunk_size),
                          memory_order_release);
    atomic_store_explicit(&workers->done, 0, memory_order_release);
    atomic_store(&workers->queue, next);
    wake_sleepers(workers);

    run_chunks(workers, 0);
    if (!look_for(workers, is_done, &workers->caller)) {
        pthread_mutex_lock(&workers->mutex);
        atomic_store(&workers->waiting, 1);
        while (!is_done(workers))
            pthread_cond_wait(&workers->finished, &workers->mutex);
        atomic_store(&workers->waiting, 0);
        pthread_mutex_unlock(&workers->mutex);
    }
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
