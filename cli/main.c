// SPDX-License-Identifier: Apache-2.0
// The cairn command: picks the subcommand, parses its options, runs it.
#include "cli/commands.h"
#include "cli/status.h"

#include "base/assert.h"
#include "base/settings.h"

#include <string.h>

static int fail_command(const char *name)
{
    const char *names[16];
    int count = 0;
    const cli_command *const *commands = cli_commands(&count);
    for (int i = 0; i < count; i++)
        names[i] = commands[i]->name;
    const char *near = base_suggest(name, names, count);
    if (near != NULL)
        cli_complain("unknown command \"%.80s\" (did you mean \"%s\"?)", name, near);
    else
        cli_complain("unknown command \"%.80s\" (cairn --help lists them)", name);
    return CLI_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        cli_commands_help(stderr);
        return CLI_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        cli_commands_help(stdout);
        return CLI_EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("cairn %s\n", cairn_version());
        return CLI_EXIT_DONE;
    }
    const cli_command *command = cli_command_find(name);
    if (command == NULL)
        return fail_command(name);
    int result = cli_command_run(command, argc - 2, argv + 2);
    // what was printed must have arrived
    if (fflush(stdout) != 0 && result == CLI_EXIT_DONE) {
        cli_complain("standard output could not be written");
        result = CLI_EXIT_FAILED;
    }
    return result;
}
