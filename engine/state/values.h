// SPDX-License-Identifier: Apache-2.0
// Between the public value type and the settings tables.
#ifndef CAIRN_ENGINE_STATE_VALUES_H
#define CAIRN_ENGINE_STATE_VALUES_H

#include "base/settings.h"
#include "contact/laws/law.h"
#include "engine/state/world_model.h"
#include <cairn/cairn.h>

base_value eng_value_to_base(cairn_value value);
cairn_value eng_value_from_base(base_value value);

/// The value of a setting by its name, as the public getters give it.
/// @return CAIRN_ERROR_NOT_FOUND, with 0, where the table has no such setting
cairn_status eng_value_read(const base_settings_table *table, const void *settings,
                            const char *name, cairn_value *value) CAIRN_CHECK_RESULT;

/// A row of a table as the public header shows it.
cairn_setting_info eng_setting_info(const base_setting *row);

/// Gives a surface a law with its default parameters.
void eng_surface_init(eng_surface *surface, const con_law *law);

/// CAIRN_ERROR_NOT_FOUND with a suggestion for a mistyped name.
cairn_status eng_fail_plugin(cairn_plugin plugin, const char *name, cairn_error *error);

/// Of cairn_world_def: the rows of CAIRN_WORLD_SETTINGS.
extern const base_settings_table eng_world_settings;

/// Refuses the first value that is not in its range, and NaN.
cairn_status eng_world_settings_check(const cairn_world_def *def,
                                      cairn_error *error) CAIRN_CHECK_RESULT;

#endif
