// SPDX-License-Identifier: Apache-2.0
// The only folder that knows MPI: processes that were started together ("ranks") and their
// messages.
//
// Every call but `create` and the two that only tell a number is made by all ranks, in the same
// order. Results arrive in the order of the ranks, whichever message comes first.
#ifndef CAIRN_BASE_RANKS_RANKS_H
#define CAIRN_BASE_RANKS_RANKS_H

#include "base/memory.h"

typedef struct base_ranks base_ranks;

/// NULL where the build has MPI; otherwise a sentence that says what it lacks. The calls below then
/// fail, and `create` returns NULL.
const char *base_ranks_missing(void);

/// Joins the processes that one launcher started; a process that none started is alone. Once in the
/// life of a process. The allocator must outlive the ranks.
/// @return NULL on failure, with the reason in `error`
base_ranks *base_ranks_create(const base_allocator *allocator, cairn_error *error);

/// Waits for the other ranks, then leaves them; NULL is allowed.
void base_ranks_destroy(base_ranks *ranks);

/// Ends all processes at once, where this one cannot go on and the others wait for it.
_Noreturn void base_ranks_abort(base_ranks *ranks, int exit_status);

/// Number of processes, at least 1.
int base_ranks_count(const base_ranks *ranks);

/// Which of them this is, from 0.
int base_ranks_number(const base_ranks *ranks);

/// Replaces each of `count` values by the highest that any rank has at this place: a vote, on which
/// all ranks then agree.
cairn_status base_ranks_highest(base_ranks *ranks, int64_t *values, int count,
                                cairn_error *error) CAIRN_CHECK_RESULT;

/// What rank 0 has of all ranks; `bytes` holds the parts one behind the other, rank r's from
/// `begins[r]` to `begins[r + 1]`. Zero it before the first use; the arrays are used again.
typedef struct base_gathered {
    unsigned char *bytes;
    int *begins;
    int byte_capacity;
    int begin_capacity;
} base_gathered;

/// Brings `size` bytes of each rank to rank 0; the sizes may differ. Elsewhere `gathered` stays as
/// it is. Together they may be INT_MAX bytes; more, or no memory on rank 0, fails on all ranks.
cairn_status base_ranks_gather(base_ranks *ranks, const void *bytes, size_t size,
                               base_gathered *gathered, cairn_error *error) CAIRN_CHECK_RESULT;
void base_gathered_release(base_ranks *ranks, base_gathered *gathered);

/// What goes to one other rank and what comes from it. Both sides know both sizes beforehand; a
/// size of 0 sends nothing.
typedef struct base_neighbour {
    int number;
    const void *sent;
    size_t sent_size;
    void *received;
    size_t received_size;
} base_neighbour;

/// Exchanges one message with each neighbour; every rank is at most once among them. Memory is
/// taken only where there are more neighbours than ever before.
cairn_status base_ranks_exchange(base_ranks *ranks, const base_neighbour *neighbours, int count,
                                 cairn_error *error) CAIRN_CHECK_RESULT;

/// How long a process waits for the others in one message, s; 0: for ever. What waits longer fails.
/// A while in which the process itself did not run counts for little.
void base_ranks_patience(base_ranks *ranks, double seconds);

/// Time that this process has spent in its messages so far: waiting for the others, most of it.
typedef struct base_ranks_time {
    double wall, cpu; // s
    int64_t calls;
} base_ranks_time;
base_ranks_time base_ranks_waited(const base_ranks *ranks);

/// For tests: waits up to `most` microseconds, drawn from `seed` and the rank, before each message,
/// so that messages overtake one another. 0 ends it.
void base_ranks_delay(base_ranks *ranks, uint64_t seed, unsigned most);

#endif
