// SPDX-License-Identifier: Apache-2.0
// The list of subcommands.
#include "cli/commands.h"

#include "base/assert.h"

static const cli_command *const commands[] = {
#define COMMAND(name) &cli_cmd_##name,
    CLI_COMMANDS(COMMAND)
#undef COMMAND
};

const cli_commands cli_all_commands = {commands, BASE_COUNT(commands)};
