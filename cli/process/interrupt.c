// SPDX-License-Identifier: Apache-2.0
// Signal handlers. A handler has nowhere else to write than a flag of the file.
#include "cli/process/interrupt.h"

#include "cli/process/status.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t stop_asked, checkpoint_asked;

static cairn_world *volatile stepping;

static void ask_stop(int number)
{
    (void)number;
    stop_asked = 1;
    cairn_world_interrupt(stepping);
}

static void ask_checkpoint(int number)
{
    (void)number;
    checkpoint_asked = 1;
}

/// Nothing is written yet while a scene loads.
static void leave_load(int number)
{
    static const char text[] = "cairn: error: interrupted while the scene was loaded\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(CLI_EXIT_INTERRUPTED);
}

static void end_load(int number)
{
    static const char text[] = "cairn: error: loading the scene took too long (endless loop?); "
                               "--scene-time-limit sets the limit\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(CLI_EXIT_INPUT);
}

static void handle(int number, void (*handler)(int))
{
    // what was told to ignore interrupts, as in the background of a script, goes on ignoring them
    struct sigaction before;
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_IGN)
        return;
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void watch_checkpoints(void)
{
    struct sigaction action = {.sa_handler = ask_checkpoint, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
}

void cli_interrupt_watch(void)
{
    handle(SIGINT, ask_stop);
    handle(SIGTERM, ask_stop);
    handle(SIGHUP, ask_stop);
    watch_checkpoints();
}

void cli_interrupt_watch_world(cairn_world *world)
{
    stepping = world;
    if (stop_asked)
        cairn_world_interrupt(world);
}

bool cli_interrupt_checkpoint_asked(void)
{
    bool asked = checkpoint_asked != 0;
    checkpoint_asked = 0;
    return asked;
}

bool cli_interrupt_asked(void)
{
    return stop_asked != 0;
}

static void set_timer(double seconds)
{
    double whole = floor(seconds);
    struct itimerval timer = {.it_value = {(time_t)whole, (suseconds_t)(1e6 * (seconds - whole))}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void cli_interrupt_guard_load(double seconds)
{
    handle(SIGINT, leave_load);
    handle(SIGTERM, leave_load);
    handle(SIGHUP, leave_load);
    // one that comes early asks for the checkpoint of the first step
    watch_checkpoints();
    handle(SIGALRM, end_load);
    // the sandbox's own limit comes first: its message names the line
    set_timer(seconds + 0.5);
}

void cli_interrupt_guard_cancel(void)
{
    set_timer(0.0);
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
    handle(SIGHUP, SIG_DFL);
}
