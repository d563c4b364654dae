// SPDX-License-Identifier: Apache-2.0
// What touches in a contact of explicit laws: a point, a line or a face, and how large it is.
#ifndef CAIRN_ENGINE_PASSES_TOUCH_H
#define CAIRN_ENGINE_PASSES_TOUCH_H

#include "contact/laws/law.h"
#include <cairn/cairn.h>

/// Fills touch_radius and touch_width of a contact's input, docs/laws.md 7.9.
/// @param corner  m, radius of edges and corners, above 0
void eng_touch_fill(const cairn_world *world, int contact, double corner, con_impulse_input *input);

/// How the two shapes of a contact roll on each other, docs/laws.md section 3.
/// @param flat  m, R* along a direction in which neither is curved, above 0
con_roll eng_touch_roll(const cairn_world *world, int contact, double flat);

#endif
