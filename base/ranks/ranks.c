// SPDX-License-Identifier: Apache-2.0
// Ranks on MPI: votes, gathering and messages to neighbours.
#include "base/ranks/ranks.h"

#include "base/rng.h"
#include "base/timer.h"

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct base_ranks {
    base_allocator allocator;
    MPI_Comm group; // of its own, so that messages of libraries do not mix with ours
    int count;
    int number;
    MPI_Request *requests;
    MPI_Status *statuses;
    int request_capacity;
    int status_capacity;
    base_rng delays;
    unsigned most_delay;
    base_ranks_time waited;
    double patience; // s; 0: for ever
};

static cairn_status check_call(int code, const char *action, cairn_error *error)
{
    if (code == MPI_SUCCESS)
        return CAIRN_OK;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    (void)MPI_Error_string(code, text, &length);
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s between processes failed: %s", action,
                     text);
}

/// Asks MPI who is there; its errors come back to the caller instead of ending the process.
static cairn_status join_group(base_ranks *ranks, cairn_error *error)
{
    int provided = 0;
    int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (code == MPI_SUCCESS && provided < MPI_THREAD_FUNNELED)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "this MPI does not allow a process to have threads");
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &ranks->group);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(ranks->group, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(ranks->group, &ranks->count);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(ranks->group, &ranks->number);
    return check_call(code, "joining", error);
}

const char *base_ranks_missing(void)
{
    return NULL;
}

base_ranks *base_ranks_create(const base_allocator *allocator, cairn_error *error)
{
    int is_used = 0;
    (void)MPI_Initialized(&is_used);
    if (is_used) {
        base_fail(error, CAIRN_ERROR_ARGUMENT, "a process joins its ranks only once");
        return NULL;
    }
    base_ranks *ranks = base_allocate(allocator, 1, sizeof *ranks);
    if (ranks == NULL) {
        base_fail(error, CAIRN_ERROR_MEMORY, "no memory for the ranks");
        return NULL;
    }
    ranks->allocator = *allocator;
    if (join_group(ranks, error) != CAIRN_OK) {
        base_release(allocator, ranks);
        return NULL;
    }
    return ranks;
}

int base_ranks_count(const base_ranks *ranks)
{
    return ranks->count;
}

int base_ranks_number(const base_ranks *ranks)
{
    return ranks->number;
}

static void wait_at_random(base_ranks *ranks)
{
    if (ranks->most_delay > 0)
        (void)usleep((unsigned)(base_rng_unit(&ranks->delays) * (ranks->most_delay + 1.0)));
}

void base_ranks_delay(base_ranks *ranks, uint64_t seed, unsigned most)
{
    ranks->delays = base_rng_make(seed + (uint64_t)ranks->number);
    ranks->most_delay = most;
}

base_ranks_time base_ranks_waited(const base_ranks *ranks)
{
    return ranks->waited;
}

void base_ranks_patience(base_ranks *ranks, double seconds)
{
    ranks->patience = seconds;
}

/// How long requests have been waited for, by looks at the clock: a process that was stopped for a
/// while does not blame the others for it.
typedef struct watch {
    double last, waited; // s
} watch;

static bool is_over(const base_ranks *ranks, watch *w)
{
    const double longest_look = 1.0;
    double now = base_timer_seconds(), gone = now - w->last;
    w->waited += gone < longest_look ? gone : longest_look;
    w->last = now;
    return ranks->patience > 0.0 && w->waited > ranks->patience;
}

/// Waits until all requests are done.
/// @param missing  out: the first that was not; -1
static int finish_requests(base_ranks *ranks, int count, MPI_Request *requests,
                           MPI_Status *statuses, int *missing)
{
    enum { LOOKS = 1000 };
    watch w = {base_timer_seconds(), 0.0};
    int done = 0, code = MPI_SUCCESS;
    *missing = -1;
    for (int looks = 1; code == MPI_SUCCESS && !done; looks++) {
        code = MPI_Testall(count, requests, &done, statuses);
        if (done || looks % LOOKS != 0 || !is_over(ranks, &w))
            continue;
        for (int i = 0; i < count && *missing < 0; i++) {
            int one = 0;
            code = MPI_Request_get_status(requests[i], &one, MPI_STATUS_IGNORE);
            *missing = code == MPI_SUCCESS && !one ? i : -1;
        }
        return code;
    }
    return code;
}

/// @param who  the process that is waited for; -1: any other
static cairn_status fail_waiting(const base_ranks *ranks, int who, cairn_error *error)
{
    char name[40] = "another process";
    if (who >= 0)
        snprintf(name, sizeof name, "process %d", who);
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "%s has not answered process %d for %g s",
                     name, ranks->number, ranks->patience);
}

/// The same for one request of all ranks.
static cairn_status finish_together(base_ranks *ranks, int code, MPI_Request *request,
                                    const char *action, cairn_error *error)
{
    int missing = -1;
    MPI_Status ignored;
    if (code == MPI_SUCCESS)
        code = finish_requests(ranks, 1, request, &ignored, &missing);
    return missing >= 0 ? fail_waiting(ranks, -1, error) : check_call(code, action, error);
}

/// Before the processes part: one that does not come ends the others.
static void wait_for_all(base_ranks *ranks)
{
    MPI_Request request;
    MPI_Status ignored;
    int missing = -1;
    if (MPI_Ibarrier(ranks->group, &request) == MPI_SUCCESS)
        (void)finish_requests(ranks, 1, &request, &ignored, &missing);
    if (missing >= 0)
        base_ranks_abort(ranks, 1);
}

void base_ranks_destroy(base_ranks *ranks)
{
    if (ranks == NULL)
        return;
    base_allocator allocator = ranks->allocator;
    wait_for_all(ranks);
    (void)MPI_Comm_free(&ranks->group);
    (void)MPI_Finalize();
    base_release(&allocator, ranks->requests);
    base_release(&allocator, ranks->statuses);
    base_release(&allocator, ranks);
}

_Noreturn void base_ranks_abort(base_ranks *ranks, int exit_status)
{
    (void)MPI_Abort(ranks->group, exit_status);
    abort();
}

static base_ranks_time begin_to_wait(void)
{
    return (base_ranks_time){base_timer_seconds(), base_timer_cpu_seconds(), 0};
}

static void end_to_wait(base_ranks *ranks, base_ranks_time begun)
{
    ranks->waited.wall += base_timer_seconds() - begun.wall;
    ranks->waited.cpu += base_timer_cpu_seconds() - begun.cpu;
    ranks->waited.calls++;
}

cairn_status base_ranks_highest(base_ranks *ranks, int64_t *values, int count, cairn_error *error)
{
    base_ranks_time begun = begin_to_wait();
    wait_at_random(ranks);
    MPI_Request request;
    int code =
        MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, ranks->group, &request);
    cairn_status status = finish_together(ranks, code, &request, "a vote", error);
    end_to_wait(ranks, begun);
    return status;
}

/// Says where the bytes of each rank begin, and makes place for all.
static cairn_status reserve_gathered(base_ranks *ranks, const int64_t *sizes,
                                     base_gathered *gathered)
{
    int64_t end = 0;
    for (int i = 0; i < ranks->count; i++) {
        gathered->begins[i] = (int)end;
        if (sizes[i] > INT_MAX - end)
            return CAIRN_ERROR_ARGUMENT;
        end += sizes[i];
    }
    gathered->begins[ranks->count] = (int)end;
    return base_array_reserve(&ranks->allocator, &gathered->bytes, &gathered->byte_capacity,
                              (int)end);
}

/// Rank 0 learns the sizes and makes place; all ranks learn whether there is place.
static cairn_status agree_on_sizes(base_ranks *ranks, int64_t size, int *sizes,
                                   base_gathered *gathered, cairn_error *error)
{
    int64_t *wide = NULL;
    int64_t state = CAIRN_OK;
    if (ranks->number == 0) {
        wide = base_allocate(&ranks->allocator, (size_t)ranks->count, sizeof *wide);
        state = wide == NULL || sizes == NULL
                    ? CAIRN_ERROR_MEMORY
                    : base_array_reserve(&ranks->allocator, &gathered->begins,
                                         &gathered->begin_capacity, ranks->count + 1);
    }
    cairn_status status = base_ranks_highest(ranks, &state, 1, error);
    if (status == CAIRN_OK && state == CAIRN_OK) {
        MPI_Request request;
        int code =
            MPI_Igather(&size, 1, MPI_INT64_T, wide, 1, MPI_INT64_T, 0, ranks->group, &request);
        status = finish_together(ranks, code, &request, "gathering of sizes", error);
        if (status == CAIRN_OK && ranks->number == 0)
            state = reserve_gathered(ranks, wide, gathered);
        for (int i = 0; status == CAIRN_OK && state == CAIRN_OK && wide != NULL && i < ranks->count;
             i++)
            sizes[i] = (int)wide[i];
        if (status == CAIRN_OK)
            status = base_ranks_highest(ranks, &state, 1, error);
    }
    base_release(&ranks->allocator, wide);
    if (status != CAIRN_OK || state == CAIRN_OK)
        return status;
    return base_fail(error, (cairn_status)state,
                     state == CAIRN_ERROR_MEMORY ? "rank 0 has no memory for what it gathers"
                                                 : "the ranks gather more than %d bytes at once",
                     INT_MAX);
}

cairn_status base_ranks_gather(base_ranks *ranks, const void *bytes, size_t size,
                               base_gathered *gathered, cairn_error *error)
{
    int *sizes = ranks->number != 0
                     ? NULL
                     : base_allocate(&ranks->allocator, (size_t)ranks->count, sizeof *sizes);
    wait_at_random(ranks);
    int64_t bounded = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    cairn_status status = agree_on_sizes(ranks, bounded, sizes, gathered, error);
    if (status == CAIRN_OK) {
        MPI_Request request;
        int code = MPI_Igatherv(bytes, (int)size, MPI_BYTE, gathered->bytes, sizes,
                                gathered->begins, MPI_BYTE, 0, ranks->group, &request);
        status = finish_together(ranks, code, &request, "gathering", error);
    }
    base_release(&ranks->allocator, sizes);
    return status;
}

void base_gathered_release(base_ranks *ranks, base_gathered *gathered)
{
    base_release(&ranks->allocator, gathered->bytes);
    base_release(&ranks->allocator, gathered->begins);
    *gathered = (base_gathered){0};
}

static cairn_status check_neighbours(const base_ranks *ranks, const base_neighbour *neighbours,
                                     int count, cairn_error *error)
{
    for (int i = 0; i < count; i++) {
        const base_neighbour *one = &neighbours[i];
        if (one->number < 0 || one->number >= ranks->count || one->number == ranks->number)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "rank %d exchanges with rank %d: another one of 0 to %d is needed",
                             ranks->number, one->number, ranks->count - 1);
        if (one->sent_size > INT_MAX || one->received_size > INT_MAX)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "ranks %d and %d exchange a message of more than %d bytes",
                             ranks->number, one->number, INT_MAX);
    }
    return CAIRN_OK;
}

/// A message of another size than both sides agreed on is an error, shorter ones too.
static cairn_status check_received(base_ranks *ranks, const base_neighbour *neighbours,
                                   int received, cairn_error *error)
{
    int next = 0;
    for (int i = 0; next < received; i++) {
        if (neighbours[i].received_size == 0)
            continue;
        int size = 0;
        (void)MPI_Get_count(&ranks->statuses[next++], MPI_BYTE, &size);
        if ((size_t)size != neighbours[i].received_size)
            return base_fail(error, CAIRN_ERROR_INCONSISTENT,
                             "rank %d sent %d bytes to rank %d, which expects %zu",
                             neighbours[i].number, size, ranks->number,
                             neighbours[i].received_size);
    }
    return CAIRN_OK;
}

/// The neighbour of a request: those of receiving come first.
static int whom(const base_neighbour *neighbours, int count, int received, int request)
{
    for (int i = 0, at = 0; i < count; i++)
        if (neighbours[i].received_size > 0 && at++ == request)
            return neighbours[i].number;
    for (int i = 0, at = received; i < count; i++)
        if (neighbours[i].sent_size > 0 && at++ == request)
            return neighbours[i].number;
    return -1;
}

cairn_status base_ranks_exchange(base_ranks *ranks, const base_neighbour *neighbours, int count,
                                 cairn_error *error)
{
    BASE_TRY(check_neighbours(ranks, neighbours, count, error));
    if (base_array_reserve(&ranks->allocator, &ranks->requests, &ranks->request_capacity,
                           2 * count) != CAIRN_OK ||
        base_array_reserve(&ranks->allocator, &ranks->statuses, &ranks->status_capacity,
                           2 * count) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "no memory for messages to %d ranks", count);
    int posted = 0;
    int code = MPI_SUCCESS;
    base_ranks_time begun = begin_to_wait();
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        if (neighbours[i].received_size > 0)
            code = MPI_Irecv(neighbours[i].received, (int)neighbours[i].received_size, MPI_BYTE,
                             neighbours[i].number, 0, ranks->group, &ranks->requests[posted++]);
    int received = posted;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
        if (neighbours[i].sent_size == 0)
            continue;
        wait_at_random(ranks);
        code = MPI_Isend(neighbours[i].sent, (int)neighbours[i].sent_size, MPI_BYTE,
                         neighbours[i].number, 0, ranks->group, &ranks->requests[posted++]);
    }
    int missing = -1;
    if (code == MPI_SUCCESS)
        code = finish_requests(ranks, posted, ranks->requests, ranks->statuses, &missing);
    end_to_wait(ranks, begun);
    if (missing >= 0)
        return fail_waiting(ranks, whom(neighbours, count, received, missing), error);
    if (code == MPI_ERR_IN_STATUS)
        for (int i = 0; i < posted && code == MPI_ERR_IN_STATUS; i++)
            code =
                ranks->statuses[i].MPI_ERROR != MPI_SUCCESS ? ranks->statuses[i].MPI_ERROR : code;
    cairn_status status = check_call(code, "an exchange", error);
    return status == CAIRN_OK ? check_received(ranks, neighbours, received, error) : status;
}
