// SPDX-License-Identifier: Apache-2.0
// Names in the engine's tables of laws, solvers and one-contact solvers.
#ifndef CAIRN_SCENES_PLUGINS_H
#define CAIRN_SCENES_PLUGINS_H

#include <cairn/cairn.h>

/// Refuses a name that is not in the table, with a suggestion.
/// @return CAIRN_OK or CAIRN_ERROR_NOT_FOUND
cairn_status scn_check_plugin(cairn_plugin plugin, const char *name,
                              cairn_error *error) CAIRN_CHECK_RESULT;

/// Index of a row or of one of its settings; -1: none of that name.
int scn_find_plugin(cairn_plugin plugin, const char *name);
int scn_find_setting(cairn_plugin plugin, int index, const char *name);

#endif
