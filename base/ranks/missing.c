// SPDX-License-Identifier: Apache-2.0
// Ranks of a build without MPI: there are none, and it says so.
#include "base/ranks/ranks.h"

#include <stdlib.h>

static const char reason[] = "this build has no MPI (the package cairn-mpi brings "
                             "it, or scripts/setup.sh --with-ranks)";

const char *base_ranks_missing(void)
{
    return reason;
}

base_ranks *base_ranks_create(const base_allocator *allocator, cairn_error *error)
{
    (void)allocator;
    base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s", reason);
    return NULL;
}

void base_ranks_destroy(base_ranks *ranks)
{
    (void)ranks;
}

_Noreturn void base_ranks_abort(base_ranks *ranks, int exit_status)
{
    (void)ranks;
    exit(exit_status);
}

int base_ranks_count(const base_ranks *ranks)
{
    (void)ranks;
    return 1;
}

int base_ranks_number(const base_ranks *ranks)
{
    (void)ranks;
    return 0;
}

cairn_status base_ranks_highest(base_ranks *ranks, int64_t *values, int count, cairn_error *error)
{
    (void)ranks, (void)values, (void)count;
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s", reason);
}

cairn_status base_ranks_gather(base_ranks *ranks, const void *bytes, size_t size,
                               base_gathered *gathered, cairn_error *error)
{
    (void)ranks, (void)bytes, (void)size, (void)gathered;
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s", reason);
}

void base_gathered_release(base_ranks *ranks, base_gathered *gathered)
{
    (void)ranks;
    *gathered = (base_gathered){0};
}

cairn_status base_ranks_exchange(base_ranks *ranks, const base_neighbour *neighbours, int count,
                                 cairn_error *error)
{
    (void)ranks, (void)neighbours, (void)count;
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s", reason);
}

void base_ranks_patience(base_ranks *ranks, double seconds)
{
    (void)ranks, (void)seconds;
}

base_ranks_time base_ranks_waited(const base_ranks *ranks)
{
    (void)ranks;
    return (base_ranks_time){0};
}

void base_ranks_delay(base_ranks *ranks, uint64_t seed, unsigned most)
{
    (void)ranks, (void)seed, (void)most;
}
