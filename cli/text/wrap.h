// SPDX-License-Identifier: Apache-2.0
// Text for terminals: as wide as they are, coloured where they show colours.
#ifndef CAIRN_CLI_TEXT_WRAP_H
#define CAIRN_CLI_TEXT_WRAP_H

#include <stdbool.h>
#include <stdio.h>

/// Columns of a terminal; 0 where the stream is none, and lines are as long as they are.
int cli_columns(FILE *out);

/// Whether a stream shows colours: a terminal that is not dumb, and NO_COLOR is not set.
bool cli_is_coloured(FILE *out);

/// Words from column `indent` on, where the stream is now, in lines that fit; ends the line.
/// @param columns  as cli_columns; 0: one line
void cli_put_wrapped(FILE *out, int columns, int indent, const char *text);

/// A line as printf makes it, without its end. On a terminal it is broken where that ends, and goes
/// on below its second column, which two spaces part from the first.
__attribute__((format(printf, 2, 3))) void cli_print_line(FILE *out, const char *format, ...);

#endif
