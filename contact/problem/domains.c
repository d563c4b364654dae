// SPDX-License-Identifier: Apache-2.0
// Runs tasks and chunks of a problem on the threads and processes that share it.
#include "contact/problem/team.h"

#include <string.h>

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
    if (con_team_holds(level->domains, task))
        level->function(level->context, start[task], start[task + 1], task);
}

void con_domains_run(const con_domains *domains, int count, bool backward,
                     con_task_function *function, void *context, con_rows rows)
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
        if (domains->team != NULL && rows.data != NULL && depth < domains->levels)
            con_team_share_level(domains->team, domains->levels - depth, rows);
        base_parallel_for(domains->workers, tasks, 1, run_task, &level);
    }
}

/// Pieces [begin, end) of a loop and the task that each is of.
typedef struct piece {
    int begin, end, task;
} piece;

/// Size of the at most `most` chunks of a loop.
static int chunk_size(int count, int most)
{
    int size = base_chunk_count(count, most);
    return size > CHUNK_LEAST ? size : CHUNK_LEAST;
}

static int cut(int begin, int end, int size, int task, piece *pieces)
{
    int made = 0;
    for (int at = begin; at < end; at += size)
        pieces[made++] = (piece){at, end - at < size ? end : at + size, task};
    return made;
}

/// Chunks of a loop; of one over all contacts within tasks.
static int list_pieces(const con_domains *domains, int count, piece pieces[CON_CHUNKS_MAX])
{
    int tasks = con_domains_tasks(domains), made = 0;
    if (domains == NULL || tasks == 1 || domains->start[tasks] != count)
        return cut(0, count, chunk_size(count, CON_CHUNKS_MAX), -1, pieces);
    int size = chunk_size(count, CON_CHUNKS_MAX - tasks);
    for (int task = 0; task < tasks; task++)
        made += cut(domains->start[task], domains->start[task + 1], size, task, pieces + made);
    return made;
}

typedef struct piece_context {
    const con_domains *domains;
    const piece *pieces;
    base_chunk_function *function;
    void *context;
} piece_context;

static void run_piece(void *argument, int begin, int end, int chunk, int worker)
{
    (void)end, (void)chunk;
    const piece_context *context = argument;
    const piece *p = &context->pieces[begin];
    if (p->task < 0 || con_team_holds(context->domains, p->task))
        context->function(context->context, p->begin, p->end, begin, worker);
}

static int run_pieces(const con_domains *domains, int count, base_chunk_function *function,
                      void *context, piece pieces[CON_CHUNKS_MAX])
{
    base_workers *workers = domains != NULL ? domains->workers : NULL;
    int made = list_pieces(domains, count, pieces);
    piece_context all = {domains, pieces, function, context};
    base_parallel_for(workers, made, 1, run_piece, &all);
    return made;
}

int con_domains_chunks(const con_domains *domains, int count, base_chunk_function *function,
                       void *context)
{
    piece pieces[CON_CHUNKS_MAX];
    return run_pieces(domains, count, function, context, pieces);
}

void con_domains_rows(const con_domains *domains, int count, base_chunk_function *function,
                      void *context)
{
    base_workers *workers = domains != NULL ? domains->workers : NULL;
    base_parallel_for(workers, count, chunk_size(count, CON_CHUNKS_MAX), function, context);
}

static void *part_at(con_rows parts, int index)
{
    return (unsigned char *)parts.data + (size_t)index * parts.size;
}

/// The parts of chunks become those of tasks; returns how many there are.
/// @param task  [count] out, of each
static int add_chunks(const con_domains *domains, const piece *pieces, int count, con_rows parts,
                      con_add_function *add, int *task)
{
    int tasks = 0;
    for (int k = 0; k < count; k++) {
        bool all = domains == NULL || pieces[k].task < 0;
        bool held = all || con_team_holds(domains, pieces[k].task);
        bool begins = k == 0 || pieces[k].task != pieces[k - 1].task;
        if (begins)
            task[tasks++] = pieces[k].task;
        if (!held)
            memset(part_at(parts, tasks - 1), 0, parts.size);
        else if (begins)
            memmove(part_at(parts, tasks - 1), part_at(parts, k), parts.size);
        else
            add(part_at(parts, tasks - 1), part_at(parts, k));
    }
    return tasks;
}

void con_domains_sum(const con_domains *domains, int count, base_chunk_function *function,
                     void *context, con_rows parts, con_add_function *add)
{
    piece pieces[CON_CHUNKS_MAX];
    int task[CON_CHUNKS_MAX];
    int made = run_pieces(domains, count, function, context, pieces);
    int tasks = add_chunks(domains, pieces, made, parts, add, task);
    if (domains != NULL && domains->team != NULL && tasks > 0 && task[0] >= 0)
        con_team_share_parts(domains->team, task, tasks, parts);
    for (int k = 1; k < tasks; k++)
        add(parts.data, part_at(parts, k));
}

con_span con_domains_held(const con_domains *domains, int count, int task)
{
    if (domains == NULL || domains->team == NULL)
        return (con_span){0, task == 0 ? count : 0};
    if (!con_team_holds(domains, task))
        return (con_span){0, 0};
    return (con_span){domains->start[task], domains->start[task + 1]};
}

void con_domains_tasks_sum(const con_domains *domains, con_rows parts)
{
    int task[CON_DOMAIN_TASKS_MAX], tasks = con_domains_tasks(domains);
    if (domains == NULL || domains->team == NULL)
        return;
    for (int k = 0; k < tasks; k++)
        task[k] = k;
    con_team_share_parts(domains->team, task, tasks, parts);
}

typedef struct part_context {
    base_chunk_function *function;
    void *context;
    int offset;
} part_context;

static void run_part(void *argument, int begin, int end, int chunk, int worker)
{
    const part_context *part = argument;
    part->function(part->context, part->offset + begin, part->offset + end, chunk, worker);
}

void con_domains_each(const con_domains *domains, base_workers *workers, int count, int chunk_size,
                      base_chunk_function *function, void *context)
{
    int tasks = con_domains_tasks(domains);
    if (domains == NULL || domains->team == NULL || tasks == 1) {
        base_parallel_for(workers, count, chunk_size, function, context);
        return;
    }
    for (int task = 0, next; task < tasks; task = next) {
        bool holds = con_team_holds(domains, task);
        for (next = task + 1; next < tasks && con_team_holds(domains, next) == holds; next++)
            ;
        part_context part = {function, context, domains->start[task]};
        if (holds)
            base_parallel_for(workers, domains->start[next] - domains->start[task], chunk_size,
                              run_part, &part);
    }
}
