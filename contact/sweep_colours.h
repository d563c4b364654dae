// SPDX-License-Identifier: Apache-2.0
// Colours of the contacts of a problem in body form: which may be swept at the same time.
#ifndef CAIRN_CONTACT_SWEEP_COLOURS_H
#define CAIRN_CONTACT_SWEEP_COLOURS_H

#include "contact/sweep.h"

/// Colours the groups (runs of contacts with the same two bodies) one after the other, each with
/// the first colour that neither of its mobile bodies has.
/// @param place  [contact_count] out: place of a contact in the order of use
cairn_status con_sweep_colours_create(const con_problem *problem, base_arena *arena,
                                      con_sweep_colours *colours, int *place) CAIRN_CHECK_RESULT;

#endif
