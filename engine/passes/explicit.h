// SPDX-License-Identifier: Apache-2.0
// Explicit batches in the step: contacts of impulse laws, theory.md section 8 and docs/laws.md.
#ifndef CAIRN_ENGINE_PASSES_EXPLICIT_H
#define CAIRN_ENGINE_PASSES_EXPLICIT_H

#include <cairn/cairn.h>

/// Impulses of all explicit contacts, into v_free. All contacts see the same v_n and v_free.
cairn_status eng_block_explicit_laws(cairn_world *world) CAIRN_CHECK_RESULT;

/// Velocities at the end of the step of explicit contacts, and what they stored and dissipated;
/// after v_end.
cairn_status eng_explicit_book(cairn_world *world) CAIRN_CHECK_RESULT;

#endif
