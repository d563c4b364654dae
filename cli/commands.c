// SPDX-License-Identifier: Apache-2.0
// The list of subcommands.
#include "cli/commands.h"

#include "base/assert.h"

static const cli_command *const commands[] = {
    &cli_cmd_run,   &cli_cmd_view,    &cli_cmd_render, &cli_cmd_solve, &cli_cmd_bench,
    &cli_cmd_check, &cli_cmd_compare, &cli_cmd_law,    &cli_cmd_info,  &cli_cmd_list,
    &cli_cmd_sweep, &cli_cmd_doctor,  &cli_cmd_help,
};

const cli_commands cli_all_commands = {commands, BASE_COUNT(commands)};
