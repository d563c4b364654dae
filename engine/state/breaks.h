// SPDX-License-Identifier: Apache-2.0
// Bonds that have broken: where, when and how, in the order in which they did.
#ifndef CAIRN_ENGINE_STATE_BREAKS_H
#define CAIRN_ENGINE_STATE_BREAKS_H

#include <cairn/cairn.h>

/// Numbers of a bond that broke, as they lie in checkpoints.
typedef enum eng_break_number {
    ENG_BREAK_TIME,                         // s, end of the step
    ENG_BREAK_BODIES,                       // index and generation of A and of B
    ENG_BREAK_POINT = ENG_BREAK_BODIES + 4, // m
    ENG_BREAK_CAUSE = ENG_BREAK_POINT + 3,  // cairn_break_cause
    ENG_BREAK_CONNECTOR,                    // index and generation; 0 0: of a contact
    ENG_BREAK_NUMBERS = ENG_BREAK_CONNECTOR + 2
} eng_break_number;

/// Whether a law of the world has bonds that break.
bool eng_breaks_may_come(const cairn_world *world);

/// Notes the bonds that broke in this step, in the order of contacts and of connectors.
cairn_status eng_breaks_note(cairn_world *world) CAIRN_CHECK_RESULT;

/// Whether rows that were read are such.
bool eng_breaks_are_sound(const double (*rows)[ENG_BREAK_NUMBERS], int count);

/// Room for so many.
cairn_status eng_breaks_reserve(cairn_world *world, int count) CAIRN_CHECK_RESULT;

#endif
