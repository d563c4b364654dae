// SPDX-License-Identifier: Apache-2.0
// The cairn command: picks the subcommand, parses its options, runs it.
#include "cli/commands.h"
#include "cli/process/descriptors.h"
#include "cli/process/files.h"
#include "cli/process/launcher.h"
#include "cli/process/status.h"

#include "base/assert.h"
#include "base/ranks/ranks.h"
#include "base/settings.h"
#include "base/vectors.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int fail_command(const char *name)
{
    const char *names[16];
    int count = cli_all_commands.count;
    for (int i = 0; i < count; i++)
        names[i] = cli_all_commands.items[i]->name;
    const char *near = base_suggest(name, names, count);
    if (near != NULL)
        cli_complain("unknown command \"%.80s\" (did you mean \"%s\"?)", name, near);
    else
        cli_complain("unknown command \"%.80s\" (cairn --help lists them)", name);
    return CLI_EXIT_USAGE;
}

/// Variables of the environment that the program reads hold what it can read.
static bool is_environment_sound(void)
{
    const char *vectors = getenv("CAIRN_VECTORS");
    if (vectors == NULL || *vectors == '\0' || base_vectors_length(vectors) > 0)
        return true;
    cli_complain("CAIRN_VECTORS \"%.80s\" is not one of avx512, avx2, scalar", vectors);
    return false;
}

/// The program without what comes before and after every command. @return exit status
static int run_words(int argc, char **argv)
{
    if (argc < 2) {
        cli_commands_help(&cli_all_commands, stderr);
        return CLI_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        cli_commands_help(&cli_all_commands, stdout);
        return CLI_EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("cairn %s\n", cairn_version());
        return CLI_EXIT_DONE;
    }
    const cli_command *command = cli_command_find(&cli_all_commands, name);
    if (command == NULL)
        return cli_command_end(name, argc - 2, argv + 2, fail_command(name));
    if (!is_environment_sound())
        return cli_command_end(name, argc - 2, argv + 2, CLI_EXIT_USAGE);
    return cli_command_run(&cli_all_commands, command, argc - 2, argv + 2);
}

/// Under a launcher of parallel programs the command becomes the one beside it that has MPI, where
/// there is one.
static void become_ranks(char **argv)
{
    char program[PATH_MAX], other[PATH_MAX + 8];
    if (cli_launched_processes() == 1 || base_ranks_missing() == NULL ||
        cli_program_path(program, NULL) != CAIRN_OK)
        return;
    snprintf(other, sizeof other, "%s-mpi", program);
    if (access(other, X_OK) == 0)
        execv(other, argv);
}

int main(int argc, char **argv)
{
    // before anything else is opened or printed
    if (!cli_descriptors_fill())
        return CLI_EXIT_FAILED;
    become_ranks(argv);
    cli_signals_ignore_limits();
    int result = run_words(argc, argv);
    // what was printed must have arrived, what a command flushed itself too
    bool lost = fflush(stdout) != 0 || ferror(stdout) != 0;
    if (lost && result == CLI_EXIT_DONE) {
        cli_complain("standard output could not be written");
        result = CLI_EXIT_FAILED;
    }
    // OpenBLAS ends by waiting for its threads, which ask for ever for memory that a limit denies
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        _exit(result);
    return result;
}
