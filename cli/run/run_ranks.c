// SPDX-License-Identifier: Apache-2.0
// A run of several processes: who speaks and writes, and how they stay together. Every process has
// the same world and makes the same steps; the first one alone has files and a terminal. What only
// one of them knows (a full disk, a signal) all learn after each step.
#include "base/timer.h"
#include "cli/process/interrupt.h"
#include "cli/process/launcher.h"
#include "cli/process/status.h"
#include "cli/run/run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// What this process prints reaches nobody, but for what ends all.
static bool fall_silent(run_state *run)
{
    fflush(NULL);
    run->error_output = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool good =
        nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
    if (nowhere >= 0)
        close(nowhere);
    return good;
}

/// For tests, CAIRN_RANKS_DELAY: the longest time in microseconds that each message is held up.
static int delay_messages(base_ranks *ranks)
{
    const char *text = getenv("CAIRN_RANKS_DELAY");
    if (text == NULL)
        return CLI_EXIT_DONE;
    char *end = NULL;
    unsigned long most = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || most > 1000000) {
        if (base_ranks_number(ranks) == 0)
            cli_complain("CAIRN_RANKS_DELAY is '%.80s': give whole microseconds, 0 to 1000000",
                         text);
        return CLI_EXIT_USAGE;
    }
    base_ranks_delay(ranks, 1, (unsigned)most);
    return CLI_EXIT_DONE;
}

int run_ranks_join(run_state *run)
{
    cairn_error error = {0};
    base_allocator allocator = base_allocator_default();
    int count = cli_launched_processes();
    run->writes = true;
    if (count == 1)
        return CLI_EXIT_DONE;
    if (base_ranks_missing() != NULL) {
        if (cli_launched_number() == 0)
            cli_complain(
                "%d processes were started together: %s; without it a scene runs in one, with "
                "--threads for more cores, and cairn sweep shares many runs",
                count, base_ranks_missing());
        return CLI_EXIT_ABSENT;
    }
    run->ranks = base_ranks_create(&allocator, &error);
    if (run->ranks == NULL) {
        cli_complain("%s", error.message);
        return CLI_EXIT_FAILED;
    }
    if (base_ranks_count(run->ranks) != count) {
        // another launcher than that of the MPI in this build
        if (cli_launched_number() == 0)
            cli_complain(
                "%d processes were started together, but do not find each other: start them "
                "by the mpirun of Open MPI",
                count);
        return CLI_EXIT_ABSENT;
    }
    // all load the scene: what that takes for a while is not to stay taken in each of them
    base_release_at_once();
    run->writes = base_ranks_number(run->ranks) == 0;
    base_ranks_patience(run->ranks, run->settings->rank_timeout);
    int result = delay_messages(run->ranks);
    return run_ranks_worst(run, run->writes || fall_silent(run) ? result : CLI_EXIT_FAILED);
}

_Noreturn void run_ranks_abort(const run_state *run, const cairn_error *error)
{
    if (run->error_output >= 0)
        (void)dup2(run->error_output, STDERR_FILENO);
    // the world knows that a message failed, and not why
    bool known = run->message_error.status != CAIRN_OK;
    cli_complain("%s; the last checkpoint is whole",
                 known ? run->message_error.message : error->message);
    fflush(NULL);
    base_ranks_abort(run->ranks, CLI_EXIT_FAILED);
}

int run_ranks_worst(const run_state *run, int result)
{
    cairn_error error = {0};
    int64_t worst = result;
    if (run->ranks == NULL)
        return result;
    if (base_ranks_highest(run->ranks, &worst, 1, &error) != CAIRN_OK)
        run_ranks_abort(run, &error);
    if (result == CLI_EXIT_DONE && worst != CLI_EXIT_DONE)
        cli_complain("another process of the run could not go on (exit status %d)", (int)worst);
    return (int)worst;
}

/// The first message of a process that failed, with its number.
static cairn_status tell_failure(const run_state *run, cairn_status worst, cairn_status own,
                                 cairn_error *error)
{
    base_gathered all = {0};
    char text[CAIRN_MESSAGE_SIZE];
    snprintf(text, sizeof text, "%s", own != CAIRN_OK ? error->message : "");
    BASE_TRY(base_ranks_gather(run->ranks, text, sizeof text, &all, error));
    int failed = 0;
    while (run->writes && failed + 1 < base_ranks_count(run->ranks) &&
           all.bytes[all.begins[failed]] == '\0')
        failed++;
    if (run->writes && failed > 0)
        base_fail(error, worst, "process %d: %.500s", failed,
                  (char *)all.bytes + all.begins[failed]);
    else if (own == CAIRN_OK)
        base_fail(error, worst, "another process failed");
    base_gathered_release(run->ranks, &all);
    return worst;
}

cairn_status run_ranks_agree(run_state *run, cairn_status status, cairn_error *error)
{
    cairn_error broken = {0};
    bool failed = status != CAIRN_OK && status != CAIRN_INTERRUPTED;
    bool stop = status == CAIRN_INTERRUPTED || cli_interrupt_asked();
    bool first = cairn_world_get_step_count(run->scene->world) == run->checkpoint_step;
    bool save = run->writes ? run_checkpoint_is_due(run) : cli_interrupt_checkpoint_asked();
    int64_t votes[] = {failed ? (int64_t)status : 0, stop, save && !first, run->read_agreed};
    cairn_status vote = base_ranks_highest(run->ranks, votes, 4, &broken);
    if (vote != CAIRN_OK)
        run_ranks_abort(run, &broken);
    run->save_agreed = votes[2] != 0;
    run->read_agreed = (run_read)votes[3];
    if (votes[0] != 0)
        return tell_failure(run, (cairn_status)votes[0], failed ? status : CAIRN_OK, error);
    return votes[1] != 0 ? base_fail(error, CAIRN_INTERRUPTED, "interrupted") : CAIRN_OK;
}

/// Messages of the world, by those of the processes.
static cairn_status exchange(void *context, const cairn_message *messages, int count,
                             cairn_error *error)
{
    run_state *run = context;
    for (int i = 0; i < count; i++)
        run->neighbours[i] = (base_neighbour){.number = messages[i].rank,
                                              .sent = messages[i].sent,
                                              .sent_size = messages[i].sent_size,
                                              .received = messages[i].received,
                                              .received_size = messages[i].received_size};
    cairn_status status =
        base_ranks_exchange(run->ranks, run->neighbours, count, &run->message_error);
    if (status != CAIRN_OK && error != NULL)
        *error = run->message_error;
    return status;
}

cairn_status run_ranks_share(run_state *run, cairn_error *error)
{
    if (run->ranks == NULL || base_ranks_count(run->ranks) == 1)
        return CAIRN_OK;
    const base_allocator *allocator = &run->scene->allocator;
    int count = base_ranks_count(run->ranks);
    run->neighbours = base_allocate(allocator, (size_t)count, sizeof *run->neighbours);
    if (run->neighbours == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    cairn_ranks ranks = {.count = count,
                         .number = base_ranks_number(run->ranks),
                         .context = run,
                         .exchange = exchange};
    return cairn_world_share(run->scene->world, &ranks, error);
}

/// What each process did in the time of stepping.
typedef struct spent {
    double busy, idle;    // s of processor time at work, s of the clock in messages
    int64_t calls, bytes; // of messages
    double resident;      // bytes of memory between steps
} spent;

/// Processor time at work of all processes, and how much of the clock they wait.
static void tell_times(const run_state *run, const base_gathered *all)
{
    char text[400] = "";
    size_t used = 0;
    double idle = 0.0;
    int count = base_ranks_count(run->ranks);
    for (int rank = 0; rank < count; rank++) {
        const spent *one = (const spent *)(const void *)(all->bytes + all->begins[rank]);
        idle += one->idle / count;
        if (used + 40 < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, " %.3g", one->busy);
    }
    const spent *first = (const spent *)(const void *)all->bytes;
    cli_note("processor time at work:%s s; in messages %.3g s of the clock, %.3g of them a step",
             text, idle, (double)first->calls / (double)run->totals.steps);
}

/// Memory of all processes.
static void tell_memory(const run_state *run, const base_gathered *all)
{
    char text[400] = "";
    size_t used = 0;
    int count = base_ranks_count(run->ranks);
    for (int rank = 0; rank < count; rank++) {
        const spent *one = (const spent *)(const void *)(all->bytes + all->begins[rank]);
        if (used + 40 < sizeof text)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, " %.4g", 1e-6 * one->resident);
    }
    cli_note("memory between steps:%s MB", text);
}

/// Step of a run after which it says that nothing is shared: clumps are from the second one on; and
/// after which it says that what is read costs more than what is shared.
enum { LOOK_AT = 3, LOOK_AGAIN_AT = 20 };

static void tell_unshared(const run_state *run)
{
    const cairn_world *world = run->scene->world;
    const char *reason = cairn_world_get_unshared(world);
    cli_note(
        "No work is shared, because %s. Each of the %d processes makes every step: one process "
        "gives the same result as fast",
        reason != NULL ? reason : "there is too little of it", base_ranks_count(run->ranks));
}

void run_ranks_look(const run_state *run)
{
    int64_t step = run->totals.steps;
    if (run->ranks == NULL || !run->writes || run->settings->quiet ||
        (step != LOOK_AT && step != LOOK_AGAIN_AT))
        return;
    cairn_traffic traffic = cairn_world_get_traffic(run->scene->world);
    if (traffic.steps == 0 && step == LOOK_AT)
        tell_unshared(run);
    else if (traffic.steps > 0 && step == LOOK_AGAIN_AT && 2 * traffic.whole_steps > step)
        cli_note("The state of all bodies goes from process to process after %lld of %lld steps, "
                 "because something is read then: readings of a window are rarer with a larger "
                 "every in its call, rows of sensors with --energy-every, questions of stop{} and "
                 "change{} with a larger every",
                 (long long)traffic.whole_steps, (long long)step);
}

void run_ranks_tell(const run_state *run)
{
    if (run->ranks == NULL || run->settings->quiet || run->totals.steps == 0)
        return;
    cairn_error ignored;
    base_gathered all = {0};
    base_ranks_time waited = base_ranks_waited(run->ranks);
    cairn_traffic traffic = cairn_world_get_traffic(run->scene->world);
    double busy = base_timer_cpu_seconds() - run->cpu_start - (waited.cpu - run->waited.cpu);
    const spent own = {busy, waited.wall - run->waited.wall, waited.calls - run->waited.calls,
                       traffic.step_bytes, (double)run->resident};
    if (base_ranks_gather(run->ranks, &own, sizeof own, &all, &ignored) != CAIRN_OK || !run->writes)
        return;
    int64_t steps = run->totals.steps;
    if (traffic.steps == 0 && steps < LOOK_AT)
        tell_unshared(run);
    else if (traffic.steps > 0)
        cli_note("%d processes: %lld of %lld steps shared; the first one sent %.4g kB a step, "
                 "%.4g of them the state of bodies that others need, and %.3g MB for lists and "
                 "whole states; %lld of its slots came from others",
                 base_ranks_count(run->ranks), (long long)traffic.steps, (long long)steps,
                 1e-3 * (double)traffic.step_bytes / (double)traffic.steps,
                 1e-3 * (double)traffic.halo_bytes / (double)traffic.steps,
                 1e-6 * (double)traffic.gathered_bytes, (long long)traffic.halo_slots);
    tell_times(run, &all);
    if (run->resident > 0)
        tell_memory(run, &all);
    base_gathered_release(run->ranks, &all);
}

void run_ranks_leave(run_state *run)
{
    base_ranks_destroy(run->ranks);
    run->ranks = NULL;
}
