// SPDX-License-Identifier: Apache-2.0
// This program in a process of its own: its start, its output, what it said last.
#include "cli/process/program.h"

#include "base/file.h"
#include "cli/process/files.h"
#include "cli/process/status.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// In the child: the run takes this process over.
static _Noreturn void become(const char *const *word, const char *folder, pid_t parent)
{
    char output[PATH_MAX];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(CLI_EXIT_FAILED);
    signal(SIGINT, SIG_IGN); // a Ctrl-C of the terminal comes through the parent, as SIGTERM
    signal(SIGTERM, SIG_DFL);
    if (cli_path_join(output, folder, "output.txt", NULL) == CAIRN_OK) {
        // what lies there may be a link to something else
        unlink(output);
        int file = open(output, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
        if (file >= 0) {
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
        }
    }
    execv(word[0], (char *const *)word);
    cli_complain("%s: %s", word[0], strerror(errno));
    fflush(stderr);
    _exit(CLI_EXIT_FAILED);
}

cairn_status cli_program_start(const char *const *word, const char *folder, const char *what,
                               pid_t *process, cairn_error *error)
{
    fflush(NULL);
    pid_t parent = getpid();
    *process = fork();
    if (*process == 0)
        become(word, folder, parent);
    return *process > 0
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_MEMORY, "a process for %s could not be started: %s",
                           what, strerror(errno));
}

void cli_program_message(const char *folder, int state, char message[CLI_PROGRAM_MESSAGE_SIZE])
{
    static const char mark[] = "cairn: error: ";
    char path[PATH_MAX], line[2048];
    if (WIFSIGNALED(state))
        snprintf(message, CLI_PROGRAM_MESSAGE_SIZE, "ended by signal %d (%s)", WTERMSIG(state),
                 strsignal(WTERMSIG(state)));
    else
        snprintf(message, CLI_PROGRAM_MESSAGE_SIZE, "ended with status %d", WEXITSTATUS(state));
    FILE *file = cli_path_join(path, folder, "output.txt", NULL) == CAIRN_OK
                     ? base_file_read(path, NULL)
                     : NULL;
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, mark, sizeof mark - 1) == 0) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(message, CLI_PROGRAM_MESSAGE_SIZE, "%.*s", CLI_PROGRAM_MESSAGE_SIZE - 1,
                     line + sizeof mark - 1);
        }
    fclose(file);
}
