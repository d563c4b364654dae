// SPDX-License-Identifier: Apache-2.0
// Exit statuses of the command, and messages to the user.
#ifndef CAIRN_CLI_PROCESS_STATUS_H
#define CAIRN_CLI_PROCESS_STATUS_H

#include <cairn/cairn.h>

enum {
    CLI_EXIT_DONE = 0,
    CLI_EXIT_FAILED = 1,    // the run failed
    CLI_EXIT_USAGE = 2,     // wrong command line
    CLI_EXIT_INPUT = 3,     // wrong scene or input file
    CLI_EXIT_ABSENT = 4,    // a feature that is not built in
    CLI_EXIT_DIFFERENT = 5, // a comparison or a tolerance not met
    CLI_EXIT_INTERRUPTED = 130
};

/// A text of others as a terminal may see it, cut at about a thousand letters; for printf.
typedef struct cli_shown {
    char text[1024];
} cli_shown;

cli_shown cli_show(const char *text);

/// "cairn: error: ..." on standard error, in one line without controls.
void cli_complain(const char *format, ...) CAIRN_PRINTF(1, 2);
/// What was complained of last; "" for nothing.
const char *cli_last_complaint(void);

/// "cairn: ..." on standard error: worth knowing, nothing wrong.
void cli_note(const char *format, ...) CAIRN_PRINTF(1, 2);

/// "cairn: warning: ..." on standard error.
void cli_warn(const char *format, ...) CAIRN_PRINTF(1, 2);

/// Exit status of a call that loads a scene or reads a file.
int cli_exit_of_load(cairn_status status);

/// Log function of worlds and scenes: standard error; `context` is unused.
void cli_log(void *context, cairn_log_level level, const char *text);

#endif
