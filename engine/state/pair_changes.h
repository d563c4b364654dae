// SPDX-License-Identifier: Apache-2.0
// Parameters of pairs of materials that actions change while a world runs.
//
// What a world was built from are the values before the first change; what is in force goes with
// the numbers of the actions into checkpoints. All changes of one parameter of one surface keep the
// same numbers, whichever of them came last.
#ifndef CAIRN_ENGINE_STATE_PAIR_CHANGES_H
#define CAIRN_ENGINE_STATE_PAIR_CHANGES_H

#include "engine/state/actions.h"
#include <cairn/cairn.h>

/// The pair's own surface, or 0 of the default pair, where its law takes all the values, and none
/// is one that springs of closed contacts depend on.
cairn_status eng_pair_changes_check(cairn_world *world, const cairn_material_id materials[2],
                                    const cairn_pair_change *values, int count, int *surface,
                                    cairn_error *error) CAIRN_CHECK_RESULT;

/// What there is of a change that is added while others of its parameter have come.
void eng_pair_change_begin(const cairn_world *world, eng_action *action, int index);

/// Gives the parameter its value, between steps.
cairn_status eng_pair_change_apply(cairn_world *world, const eng_action *action, int index,
                                   cairn_error *error) CAIRN_CHECK_RESULT;

/// The program has set a parameter.
void eng_pair_changes_note(cairn_world *world, int surface, const char *parameter, double value);

/// Refuses another law for a surface, or for the default pair, whose parameters actions change.
cairn_status eng_pair_changes_check_law(const cairn_world *world, int surface,
                                        cairn_error *error) CAIRN_CHECK_RESULT;

/// Value of a parameter before the first change; false where there was none.
bool eng_pair_changes_before(const cairn_world *world, int surface, const char *parameter,
                             double *value);

/// Parameters as they are with these numbers of all actions, which the actions do not have yet.
/// @return CAIRN_ERROR_ARGUMENT for a value that is none of its parameter; CAIRN_ERROR_MEMORY
cairn_status eng_pair_changes_restore(cairn_world *world, const double *numbers) CAIRN_CHECK_RESULT;

#endif
