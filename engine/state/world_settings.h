// SPDX-License-Identifier: Apache-2.0
// Table of the settings of a world, made of the rows of CAIRN_WORLD_SETTINGS.
#ifndef CAIRN_ENGINE_STATE_WORLD_SETTINGS_H
#define CAIRN_ENGINE_STATE_WORLD_SETTINGS_H

#include "base/settings.h"

#include <cairn/world.h>

/// Of cairn_world_def.
extern const base_settings_table eng_world_settings;

/// Refuses the first value that is not in its range, and NaN.
cairn_status eng_world_settings_check(const cairn_world_def *def,
                                      cairn_error *error) CAIRN_CHECK_RESULT;

#endif
