// SPDX-License-Identifier: Apache-2.0
// Which contacts of a problem several threads may take at once: domains and what lies between them.
#ifndef CAIRN_CONTACT_PROBLEM_DOMAINS_H
#define CAIRN_CONTACT_PROBLEM_DOMAINS_H

#include "base/parallel.h"

#include <stdbool.h>

enum {
    CON_DOMAIN_LEVELS_MAX = 3,
    CON_DOMAIN_TASKS_MAX = 2 << CON_DOMAIN_LEVELS_MAX // of a problem, rounded up
};

/// The mobile bodies of a problem cut in halves `levels` times, into 2^levels domains, theory.md
/// (6.6). Contacts are sorted into tasks: those inside each domain, those between the two domains
/// of a pair, those between pairs, ... and last those across the first cut. Tasks of one level have
/// no body in common. Contacts of bodies with joints are all in the last task. What is done in the
/// order of the tasks has the same result for any number of threads, and where it goes contact
/// after contact, the same as in the order of the contacts.
typedef struct con_domains {
    int levels;
    int start[CON_DOMAIN_TASKS_MAX]; // into the contacts, of each task; one more: their number
    base_workers *workers;           // who shares the work; NULL: one thread
    struct con_team *team;           // the processes that share it, team.h; NULL: one process
} con_domains;

/// Number of tasks; one where there are no domains.
static inline int con_domains_tasks(const con_domains *domains)
{
    return domains != NULL ? (2 << domains->levels) - 1 : 1;
}

/// Cuts that a task lies behind: `levels` for the domains, 0 for the last task.
static inline int con_domains_depth(const con_domains *domains, int task)
{
    int depth = 0;
    for (int after = con_domains_tasks(domains) - task; after > 1; after >>= 1)
        depth++;
    return depth;
}

/// Task of a contact between bodies of two domains (numbers from 0; one domain for a contact with
/// something immobile).
int con_domains_task(int levels, int domain_a, int domain_b);

/// The contacts [begin, end) of one task.
typedef void con_task_function(void *context, int begin, int end, int task);

/// Rows of the bodies of a problem, which tasks change; zero: tasks change nothing that other tasks
/// read.
typedef struct con_rows {
    void *data;
    size_t size; // bytes of a row
} con_rows;

/// Runs all tasks, level after level, the tasks of a level at once; backward in the reverse order
/// of levels. One task [0, count) without domains. Of several processes each runs the tasks that it
/// holds, and gets the rows that these need of others.
void con_domains_run(const con_domains *domains, int count, bool backward,
                     con_task_function *function, void *context, con_rows rows);

/// Loops over contacts [0, count) whose parts are independent and whose sums are partial: in chunks
/// that count and tasks alone tell, run at once where there are domains. Chunks of all contacts of
/// the domains lie within tasks; of several processes each runs those that it holds.
/// @return how many chunks there were, CON_CHUNKS_MAX at most
enum { CON_CHUNKS_MAX = 64 };
int con_domains_chunks(const con_domains *domains, int count, base_chunk_function *function,
                       void *context);

/// Loops over something else than the contacts, [0, count): a function that writes the rows of
/// bodies alone.
void con_domains_rows(const con_domains *domains, int count, base_chunk_function *function,
                      void *context);

/// Adds a part to a sum, both rows of con_domains_sum.
typedef void con_add_function(void *sum, const void *part);

/// The same as con_domains_chunks with partial results, whose sum all processes then have: chunks
/// are added in their order to the sums of their tasks, and these in theirs.
/// @param parts  [CON_CHUNKS_MAX] rows, the chunks' results, which `function` writes; out: in the
///               first one the sum, and what it was where there is no contact. Parts of other
///               processes are zeros where messages failed: team.h
void con_domains_sum(const con_domains *domains, int count, base_chunk_function *function,
                     void *context, con_rows parts, con_add_function *add);

/// Contacts of a task that this process holds; none of one that it does not. One process has all
/// of [0, count) as its first task.
typedef struct con_span {
    int begin, end;
} con_span;
con_span con_domains_held(const con_domains *domains, int count, int task);

/// Results of tasks, which all processes then have of all.
/// @param parts  a row for each task
void con_domains_tasks_sum(const con_domains *domains, con_rows parts);

/// Loops over those of all contacts that this process holds, in chunks of about `chunk_size`.
void con_domains_each(const con_domains *domains, base_workers *workers, int count, int chunk_size,
                      base_chunk_function *function, void *context);

#endif
