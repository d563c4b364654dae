// SPDX-License-Identifier: Apache-2.0
// Loading a scene for a subcommand: watched, with its messages and parameters printed.
#ifndef CAIRN_CLI_PROCESS_LOAD_H
#define CAIRN_CLI_PROCESS_LOAD_H

#include "scenes/scene.h"

#include <stdio.h>

/// Finds and loads the scene a user names; complains on failure.
/// @return exit status; on 0 *scene is set and the caller's
int cli_load_scene(const char *word, const scn_options *options, scn_scene **scene);

/// One line a parameter: name, default, range, help. Nothing where there is none.
void cli_print_parameters(const scn_scene *scene, FILE *out);

/// A value in words: 0.3, true, text.
void cli_print_value(cairn_value value, FILE *out);

#endif
