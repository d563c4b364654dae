// SPDX-License-Identifier: Apache-2.0
// How a subcommand is found and run.
#include "cli/commands.h"
#include "cli/process/status.h"

#include <stdlib.h>
#include <string.h>

const cli_command *cli_command_find(const cli_commands *commands, const char *name)
{
    for (int i = 0; i < commands->count; i++)
        if (strcmp(commands->items[i]->name, name) == 0)
            return commands->items[i];
    return NULL;
}

void cli_commands_help(const cli_commands *commands, FILE *out)
{
    fputs("usage: cairn COMMAND [arguments]\n\n"
          "Rigid bodies in contact: runs scene files and writes what happened.\n\ncommands:\n",
          out);
    for (int i = 0; i < commands->count; i++)
        fprintf(out, "  %-10s %s\n", commands->items[i]->name, commands->items[i]->summary);
    fputs("\ncairn COMMAND --help tells more of each; cairn --version prints the version.\n", out);
}

int cli_command_run(const cli_commands *commands, const cli_command *command, int argc, char **argv)
{
    cairn_error error = {0};
    void *settings = malloc(command->settings_size);
    if (settings == NULL) {
        cli_complain("out of memory");
        return CLI_EXIT_FAILED;
    }
    if (cli_options_parse(command, argc, argv, settings, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        free(settings);
        return CLI_EXIT_USAGE;
    }
    cli_common *common = settings;
    common->commands = commands;
    int result = CLI_EXIT_DONE;
    if (common->help) {
        cli_options_help(command, stdout);
        if (command->help != NULL)
            result = command->help(settings);
    } else {
        result = command->run(settings);
    }
    free(settings);
    return result;
}
