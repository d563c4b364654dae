// SPDX-License-Identifier: Apache-2.0
// How a subcommand is found and run.
#include "cli/commands.h"
#include "cli/process/status.h"
#include "cli/text/json.h"
#include "cli/text/wrap.h"

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
        cli_print_line(out, "  %-9s  %s", commands->items[i]->name, commands->items[i]->summary);
    fputs("\ncairn COMMAND --help tells more of each; cairn --version prints the version.\n", out);
}

int cli_command_end(const char *name, int argc, char **argv, int result)
{
    bool asked = false;
    for (int i = 0; i < argc; i++)
        asked = asked || strcmp(argv[i], "--json") == 0;
    if (result == CLI_EXIT_DONE || !asked || cli_json_printed() > 0)
        return result;
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "failure");
    cli_json_text(&json, "command", name);
    cli_json_integer(&json, "exit_status", result);
    cli_json_text(&json, "message", cli_last_complaint());
    cli_json_object_end(&json);
    cli_json_finish(&json);
    return result;
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
        return cli_command_end(command->name, argc, argv, CLI_EXIT_USAGE);
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
    return cli_command_end(command->name, argc, argv, result);
}
