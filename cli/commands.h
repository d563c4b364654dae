// SPDX-License-Identifier: Apache-2.0
// The subcommands, one file each (cmd_*.c), the list of them, and how one is found and run.
#ifndef CAIRN_CLI_COMMANDS_H
#define CAIRN_CLI_COMMANDS_H

#include "cli/text/options.h"

extern const cli_command cli_cmd_run;
extern const cli_command cli_cmd_solve;
extern const cli_command cli_cmd_bench;
extern const cli_command cli_cmd_check;
extern const cli_command cli_cmd_compare;
extern const cli_command cli_cmd_view;
extern const cli_command cli_cmd_render;
extern const cli_command cli_cmd_info;
extern const cli_command cli_cmd_law;
extern const cli_command cli_cmd_list;
extern const cli_command cli_cmd_sweep;
extern const cli_command cli_cmd_doctor;
extern const cli_command cli_cmd_help;

/// The list of all of them.
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
