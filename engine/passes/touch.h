// SPDX-License-Identifier: Apache-2.0
// What touches in a contact of explicit laws: a point, a line or a face, and how large it is.
#ifndef CAIRN_ENGINE_PASSES_TOUCH_H
#define CAIRN_ENGINE_PASSES_TOUCH_H

#include "engine/state/world.h"

/// Fills touch_radius and touch_width of a contact's input, docs/laws.md 7.9.
/// @param corner  m, radius of edges and corners, above 0
void eng_touch_fill(const cairn_world *world, int contact, double corner, con_impulse_input *input);

#endif
