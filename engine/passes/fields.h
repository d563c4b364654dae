// SPDX-License-Identifier: Apache-2.0
// Force fields of a program in the step.
#ifndef CAIRN_ENGINE_PASSES_FIELDS_H
#define CAIRN_ENGINE_PASSES_FIELDS_H

#include <cairn/cairn.h>

/// Begins a step: asks the force fields, and adds what they say to the loads of this step.
/// @return CAIRN_ERROR_NONFINITE, CAIRN_ERROR_MEMORY, or what a field says
cairn_status eng_fields_apply(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
