// SPDX-License-Identifier: Apache-2.0
// cairn help: help, the manual page and the shell completion, all from the tables of options.
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/help/help.h"
#include "cli/process/status.h"

#include <string.h>

typedef struct help_settings {
    cli_common common;
    bool man;
    const char *completion;
} help_settings;

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

static const cli_option options[] = {
    {.name = "man",
     .type = CLI_FLAG,
     .offset = offsetof(help_settings, man),
     .help = "print the manual page (roff)"},
    {.name = "completion",
     .type = CLI_CHOICE,
     .offset = offsetof(help_settings, completion),
     .argument = "bash|zsh|fish",
     .help = "print the completion of a shell",
     .words = shells},
};

static void print_completion(const char *shell, const cli_commands *commands)
{
    if (strcmp(shell, "zsh") == 0)
        help_print_zsh(commands);
    else if (strcmp(shell, "fish") == 0)
        help_print_fish(commands);
    else
        help_print_bash(commands);
}

static int run_help(const void *memory)
{
    const help_settings *settings = memory;
    const cli_commands *commands = settings->common.commands;
    if (settings->man || settings->completion != NULL) {
        if (settings->man)
            help_print_manual(commands);
        else
            print_completion(settings->completion, commands);
        return CLI_EXIT_DONE;
    }
    if (settings->common.argument_count == 0) {
        cli_commands_help(commands, stdout);
        return CLI_EXIT_DONE;
    }
    const cli_command *command = cli_command_find(commands, settings->common.arguments[0]);
    if (command == NULL) {
        cli_complain("unknown command \"%.80s\" (cairn help lists them)",
                     settings->common.arguments[0]);
        return CLI_EXIT_USAGE;
    }
    char word[] = "--help", *words[] = {word};
    return cli_command_run(commands, command, 1, words);
}

const cli_command cli_cmd_help = {
    .name = "help",
    .summary = "help of a command, the manual page, shell completion",
    .operands = "[COMMAND]",
    .description = "Prints the help of a command, the manual page, or the completion of a shell.",
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(help_settings),
    .run = run_help,
};
