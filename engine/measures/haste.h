// SPDX-License-Identifier: Apache-2.0
// Bodies that go so far in a step that explicit laws may not see what they pass through.
#ifndef CAIRN_ENGINE_MEASURES_HASTE_H
#define CAIRN_ENGINE_MEASURES_HASTE_H

#include <cairn/cairn.h>

/// At the end of a step: the first body that laws which act from an overlap on act upon, and that
/// goes farther than half of its smallest size in the step, is told to the log, once, and to the
/// report of this step.
void eng_haste_look(cairn_world *world);

/// The dynamic body of the general passes that goes farthest in a step, by its own size.
int eng_haste_fastest(const cairn_world *world);

#endif
