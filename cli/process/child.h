// SPDX-License-Identifier: Apache-2.0
// A process of its own for work that may crash or hang; it answers through a line to its parent.
#ifndef CAIRN_CLI_PROCESS_CHILD_H
#define CAIRN_CLI_PROCESS_CHILD_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct cli_child {
    pid_t pid; // 0: none
    int line;  // the parent's end
} cli_child;

/// What a child does; `line` is its end. It ends when this returns, without its parent's buffers
/// and handlers.
typedef void cli_child_work(void *context, int line);

/// Starts a child. Its memory is a copy of the parent's; threads other than the caller's are not in
/// it, so that the work must not ask them for anything.
cairn_status cli_child_start(cli_child *child, cli_child_work *work, void *context,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Kills what still runs, waits for it and closes the line. @return its state, as of waitpid
int cli_child_end(cli_child *child);

/// True for a state that the child's own doing can have brought about: a crash or one of the limits
/// below, and not a signal from outside.
bool cli_child_broke(int state);

/// All of it, or false: the other end is gone.
bool cli_child_send(int line, const void *bytes, size_t size) CAIRN_CHECK_RESULT;
bool cli_child_receive(int line, void *bytes, size_t size) CAIRN_CHECK_RESULT;

/// For the child: memory beyond what it has now; 0 is no limit.
void cli_child_limit_memory(uint64_t bytes);

/// For the child: it dies by SIGPROF after so many seconds of CPU time from now on.
void cli_child_limit_cpu(double seconds);

#endif
