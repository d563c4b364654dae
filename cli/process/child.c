// SPDX-License-Identifier: Apache-2.0
// Processes for work that may crash or hang.
#include "cli/process/child.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void be_child(cli_child_work *work, void *context, int line)
{
    struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    // a parent that was killed shall leave nothing behind, nor its folder locked
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    work(context, line);
    _exit(0);
}

cairn_status cli_child_start(cli_child *child, cli_child_work *work, void *context,
                             cairn_error *error)
{
    int ends[2];
    *child = (cli_child){0, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return base_fail(error, CAIRN_ERROR_FILE,
                         "no connection to a process of its own could be made: %s",
                         strerror(errno));
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        be_child(work, context, ends[1]);
    }
    int reason = errno;
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return base_fail(error, CAIRN_ERROR_MEMORY, "a process of its own could not be started: %s",
                         strerror(reason));
    }
    *child = (cli_child){pid, ends[0]};
    return CAIRN_OK;
}

int cli_child_end(cli_child *child)
{
    int state = 0;
    if (child->pid == 0)
        return state;
    kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &state, 0) < 0 && errno == EINTR)
        continue;
    close(child->line);
    *child = (cli_child){0, -1};
    return state;
}

bool cli_child_broke(int state)
{
    if (!WIFSIGNALED(state))
        return true;
    int number = WTERMSIG(state);
    return number != SIGINT && number != SIGTERM && number != SIGKILL && number != SIGHUP &&
           number != SIGQUIT;
}

bool cli_child_send(int line, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t sent = send(line, at, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

bool cli_child_receive(int line, void *bytes, size_t size)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t got = recv(line, at, size, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/// Bytes of memory that this process has taken, used or not.
static uint64_t memory_taken(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL)
        return 0;
    int read = fscanf(file, "%lu", &pages);
    fclose(file);
    return read == 1 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void cli_child_limit_memory(uint64_t bytes)
{
    uint64_t most = bytes + memory_taken();
    struct rlimit limit = {most, most};
    if (bytes > 0)
        setrlimit(RLIMIT_AS, &limit);
}

void cli_child_limit_cpu(double seconds)
{
    double whole = floor(seconds);
    struct itimerval timer = {.it_value = {(time_t)whole, (suseconds_t)(1e6 * (seconds - whole))}};
    setitimer(ITIMER_PROF, &timer, NULL);
}
