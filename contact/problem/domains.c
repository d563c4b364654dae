// SPDX-License-Identifier: Apache-2.0
// Runs tasks and chunks of a problem on the threads that share it.
#include "contact/problem/domains.h"

enum { CHUNK_LEAST = 2048 };

int con_domains_task(int levels, int domain_a, int domain_b)
{
    int level = 0, task = 0;
    for (int apart = domain_a ^ domain_b; apart != 0; apart >>= 1)
        task += (1 << levels) >> level++;
    return task + (domain_a >> level);
}

typedef struct level_context {
    const con_domains *domains;
    int first; // task of the level
    con_task_function *function;
    void *context;
} level_context;

static void run_task(void *argument, int begin, int end, int chunk, int worker)
{
    (void)end, (void)chunk, (void)worker;
    const level_context *level = argument;
    int task = level->first + begin;
    const int *start = level->domains->start;
    level->function(level->context, start[task], start[task + 1], task);
}

void con_domains_run(const con_domains *domains, int count, bool backward,
                     con_task_function *function, void *context)
{
    if (domains == NULL) {
        function(context, 0, count, 0);
        return;
    }
    for (int k = 0; k <= domains->levels; k++) {
        int depth = backward ? k : domains->levels - k; // of the level: 2^depth tasks
        int tasks = 1 << depth;
        level_context level = {domains, con_domains_tasks(domains) - (2 * tasks - 1), function,
                               context};
        base_parallel_for(domains->workers, tasks, 1, run_task, &level);
    }
}

/// Size of the at most CON_CHUNKS_MAX chunks.
static int chunk_size(int count)
{
    int size = base_chunk_count(count, CON_CHUNKS_MAX);
    return size > CHUNK_LEAST ? size : CHUNK_LEAST;
}

int con_domains_chunks(const con_domains *domains, int count, base_chunk_function *function,
                       void *context)
{
    base_workers *workers = domains != NULL ? domains->workers : NULL;
    int size = chunk_size(count);
    base_parallel_for(workers, count, size, function, context);
    return base_chunk_count(count, size);
}
