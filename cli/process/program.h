// SPDX-License-Identifier: Apache-2.0
// This program, run again in a process of its own: rows of sweeps and of collections.
#ifndef CAIRN_CLI_PROCESS_PROGRAM_H
#define CAIRN_CLI_PROCESS_PROGRAM_H

#include "base/status.h"

#include <limits.h>
#include <sys/types.h>

enum { CLI_PROGRAM_MESSAGE_SIZE = 400 };

/// Starts it with these words. It ends with this process, and a Ctrl-C of the terminal reaches it
/// as the SIGTERM that this process sends.
/// @param word    the path first, NULL last
/// @param folder  its output and messages go to FOLDER/output.txt
/// @param what    it runs, for messages
cairn_status cli_program_start(const char *const *word, const char *folder, const char *what,
                               pid_t *process, cairn_error *error) CAIRN_CHECK_RESULT;

/// What a run that failed said last, or how it ended.
/// @param state  as of waitpid
void cli_program_message(const char *folder, int state, char message[CLI_PROGRAM_MESSAGE_SIZE]);

#endif
