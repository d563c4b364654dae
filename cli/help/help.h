// SPDX-License-Identifier: Apache-2.0
// What `cairn help` prints for other programs: the manual page and the completions of shells.
#ifndef CAIRN_CLI_HELP_HELP_H
#define CAIRN_CLI_HELP_HELP_H

#include "cli/commands.h"

/// The manual page, roff, on standard output.
void help_print_manual(const cli_commands *commands);

/// A completion script on standard output.
void help_print_bash(const cli_commands *commands);
void help_print_zsh(const cli_commands *commands);
void help_print_fish(const cli_commands *commands);

#endif
