// SPDX-License-Identifier: Apache-2.0
// What a process inherits: descriptors and signals made such as the rest of the program expects.
#ifndef CAIRN_CLI_PROCESS_DESCRIPTORS_H
#define CAIRN_CLI_PROCESS_DESCRIPTORS_H

#include <stdbool.h>

/// Fills the standard descriptors that are closed, so that no file of a run becomes one of them and
/// gets messages written into it. Reading and writing there fails as it would on a closed one.
/// Call it before anything is opened. @return false where that cannot be done
bool cli_descriptors_fill(void);

/// A limit on the size of files is an error of the file instead of a signal.
void cli_signals_ignore_limits(void);

#endif
