// SPDX-License-Identifier: Apache-2.0
// Progress of a run on standard error: a bar with the time left on a terminal, a plain line every
// few seconds elsewhere.
#ifndef CAIRN_CLI_TEXT_PROGRESS_H
#define CAIRN_CLI_TEXT_PROGRESS_H

#include <cairn/cairn.h>

typedef struct cli_progress {
    bool quiet, terminal, drawn;
    double started, last; // s
} cli_progress;

cli_progress cli_progress_begin(bool quiet);

/// @param done  share of the run, 0 to 1
void cli_progress_show(cli_progress *progress, double done, const cairn_world *world);

/// The same with words of the caller's own.
void cli_progress_tell(cli_progress *progress, double done, const char *text);

/// Clears the bar, so that other text may follow.
void cli_progress_clear(cli_progress *progress);

#endif
