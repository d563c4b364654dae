// SPDX-License-Identifier: Apache-2.0
// The list of subcommands, and how one runs.
#include "cli/commands.h"
#include "cli/process/status.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

static const cli_command *const commands[] = {
    &cli_cmd_run,   &cli_cmd_view,    &cli_cmd_render, &cli_cmd_solve, &cli_cmd_bench,
    &cli_cmd_check, &cli_cmd_compare, &cli_cmd_law,    &cli_cmd_info,  &cli_cmd_list,
    &cli_cmd_sweep, &cli_cmd_doctor,  &cli_cmd_help,
};

const cli_command *const *cli_commands(int *count)
{
    *count = BASE_COUNT(commands);
    return commands;
}

const cli_command *cli_command_find(const char *name)
{
    for (int i = 0; i < BASE_COUNT(commands); i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

void cli_commands_help(FILE *out)
{
    fputs("usage: cairn COMMAND [arguments]\n\n"
          "Rigid bodies in contact: runs scene files and writes what happened.\n\ncommands:\n",
          out);
    for (int i = 0; i < BASE_COUNT(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\ncairn COMMAND --help tells more of each; cairn --version prints the version.\n", out);
}

int cli_command_run(const cli_command *command, int argc, char **argv)
{
    cairn_error error = {0};
    void *settings = malloc(command->settings_size);
    if (settings == NULL) {
        cli_complain("out of memory");
        return CLI_EXIT_FAILED;
    }
    int result = CLI_EXIT_DONE;
    if (cli_options_parse(command, argc, argv, settings, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        result = CLI_EXIT_USAGE;
    } else if (((const cli_common *)settings)->help) {
        cli_options_help(command, stdout);
        if (command->help != NULL)
            result = command->help(settings);
    } else {
        result = command->run(settings);
    }
    free(settings);
    return result;
}
