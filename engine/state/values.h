// SPDX-License-Identifier: Apache-2.0
// Between the public value type and the settings tables.
#ifndef CAIRN_ENGINE_STATE_VALUES_H
#define CAIRN_ENGINE_STATE_VALUES_H

#include "engine/state/world.h"

base_value eng_value_to_base(cairn_value value);
cairn_value eng_value_from_base(base_value value);

/// Gives a surface a law with its default parameters.
void eng_surface_init(eng_surface *surface, const con_law *law);

/// CAIRN_ERROR_NOT_FOUND with a suggestion for a mistyped name.
cairn_status eng_fail_plugin(cairn_plugin plugin, const char *name, cairn_error *error);

#endif
