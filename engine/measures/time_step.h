// SPDX-License-Identifier: Apache-2.0
// A time step that changes between two steps, or between two pieces of one.
#ifndef CAIRN_ENGINE_MEASURES_TIME_STEP_H
#define CAIRN_ENGINE_MEASURES_TIME_STEP_H

#include <cairn/cairn.h>

/// The next steps, or pieces of one, are as long as `time_step` (s, > 0). Contacts, joints and
/// connectors keep their forces: the impulses of the last step change in proportion.
void eng_step_set(cairn_world *world, double time_step);

#endif
