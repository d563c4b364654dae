// SPDX-License-Identifier: Apache-2.0
// What was removed or made between steps, before and after a step.
#ifndef CAIRN_ENGINE_PASSES_REMOVAL_H
#define CAIRN_ENGINE_PASSES_REMOVAL_H

#include "engine/state/world_model.h"
#include <cairn/cairn.h>

/// Begins a step: contacts of removed bodies let go of what they stored, and rows of removed bodies
/// are free.
void eng_removals_settle(cairn_world *world);

/// Ends a step: no body is `arrived` any more.
void eng_arrivals_settle(eng_world_model *model);

#endif
