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

/// Runs all tasks, level after level, the tasks of a level at once; backward in the reverse order
/// of levels. One task [0, count) without domains.
void con_domains_run(const con_domains *domains, int count, bool backward,
                     con_task_function *function, void *context);

/// Loops over [0, count) whose parts are independent and whose sums are partial: in chunks whose
/// size the count alone tells, run at once where there are domains.
/// @return how many chunks there were, CON_CHUNKS_MAX at most
enum { CON_CHUNKS_MAX = 64 };
int con_domains_chunks(const con_domains *domains, int count, base_chunk_function *function,
                       void *context);

#endif
