// SPDX-License-Identifier: Apache-2.0
// Impacts by Poisson's law or one after the other, and cohesion of the cone law, theory.md
// (3.4)-(3.6).
#ifndef CAIRN_ENGINE_PASSES_IMPACT_H
#define CAIRN_ENGINE_PASSES_IMPACT_H

#include "engine/state/world.h"

/// Poisson's law gives no sliding velocity back.
/// @return CAIRN_ERROR_UNSUPPORTED where a pair asks for that under it
cairn_status eng_impacts_check(const cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// Impulses that the cone contacts are given before the problem of the step: those of impacts under
/// `impact = poisson` or `sequential`, and of cohesion. They change v_free; world->given holds
/// them, or NULL where there are none. After explicit laws, before the assembly.
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_block_impacts(cairn_world *world) CAIRN_CHECK_RESULT;

/// The solution stays as it is for files of the problem; the contacts' reactions become all that
/// acted on the bodies. After the velocities of the end, before the audit.
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_impacts_add(cairn_world *world) CAIRN_CHECK_RESULT;

/// Whether Newton's restitution is in the normal velocities of the problem of the step.
bool eng_impacts_bounce(const cairn_world *world);

/// Takes it out of them, theory.md 3.1.
void eng_impacts_deaden(cairn_world *world);

/// Share of the tangential velocity that an impact of this closed cone contact turns back under
/// Newton's law; 0 for contacts that do not collide.
/// @param V  [3] m/s, before the step, contact frame
double eng_tangential_bounce(const cairn_world *world, const con_cone_terms *terms,
                             const double V[3]);

#endif
