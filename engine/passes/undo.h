// SPDX-License-Identifier: Apache-2.0
// What a step that is interrupted in its solve takes back, so that the world stays at the last
// whole step.
//
// A solve is the only part of a step that may take long, and what has been written before it is
// little: energies, velocities of bodies with prescribed motions, connectors, what pairs remember,
// and the contact set, whose last one is kept for matching in any case. All of it is kept in the
// arena or in spare arrays. The sphere executor moves its bodies in one pass; a solve that does not
// depend on it therefore comes first, and one that does is not interrupted.
#ifndef CAIRN_ENGINE_PASSES_UNDO_H
#define CAIRN_ENGINE_PASSES_UNDO_H

#include <cairn/cairn.h>

/// Begins a step that can be taken back. Scratch from the arena.
cairn_status eng_step_keep(cairn_world *world) CAIRN_CHECK_RESULT;

/// After the broad phase: keeps what pairs remember, where cone laws may call for a solve.
void eng_step_keep_pairs(cairn_world *world);

/// After the contact set and before anything else was moved: back to the last whole step. The
/// problem and the report of the last step are gone.
void eng_step_undo(cairn_world *world);

/// The problem, the report and other results in the arena are gone.
void eng_step_forget(cairn_world *world);

#endif
