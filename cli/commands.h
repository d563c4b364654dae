// SPDX-License-Identifier: Apache-2.0
// The subcommands, one file each (cmd_*.c), the list of them, and how one is found and run.
#ifndef CAIRN_CLI_COMMANDS_H
#define CAIRN_CLI_COMMANDS_H

#include "cli/text/options.h"

// clang-format off
/// All subcommands, in the order of the help.
#define CLI_COMMANDS(X) \
    X(run) \
    X(view) \
    X(render) \
    X(solve) \
    X(bench) \
    X(check) \
    X(compare) \
    X(law) \
    X(info) \
    X(export) \
    X(paraview) \
    X(list) \
    X(sweep) \
    X(collect) \
    X(doctor) \
    X(help)
// clang-format on

#define CLI_COMMAND_DECLARE(name) extern const cli_command cli_cmd_##name;
CLI_COMMANDS(CLI_COMMAND_DECLARE)
#undef CLI_COMMAND_DECLARE

extern const cli_commands cli_all_commands;

/// NULL when there is none of that name.
const cli_command *cli_command_find(const cli_commands *commands, const char *name);

/// Parses the words behind a subcommand's name and runs it, or prints its help.
/// @return exit status
int cli_command_run(const cli_commands *commands, const cli_command *command, int argc,
                    char **argv);

/// Usage of the program with the list of subcommands.
void cli_commands_help(const cli_commands *commands, FILE *out);

#endif
