// SPDX-License-Identifier: Apache-2.0
// Impacts by Poisson's law, one after the other and by energy, and cohesion of the cone law,
// theory.md (3.4)-(3.8).
#ifndef CAIRN_ENGINE_PASSES_IMPACT_H
#define CAIRN_ENGINE_PASSES_IMPACT_H

#include "contact/laws/law.h"
#include <cairn/cairn.h>

/// Poisson's law and that by energy give no sliding velocity back.
/// @return CAIRN_ERROR_UNSUPPORTED where a pair asks for that under it
cairn_status eng_impacts_check(const cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// Impulses that the cone contacts are given before the problem of the step: those of impacts under
/// any `impact` but `newton`, and of cohesion. They change v_free; world->scratch.solve.given holds
/// them, or NULL where there are none. After explicit laws, before the assembly.
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_block_impacts(cairn_world *world) CAIRN_CHECK_RESULT;

/// The solution stays as it is for files of the problem; the contacts' reactions become all that
/// acted on the bodies. After the velocities of the end, before the audit.
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_impacts_add(cairn_world *world) CAIRN_CHECK_RESULT;

/// Velocity with which a body meets others, in the frames of the middle of the step: that of its
/// begin, and of bodies that are no balls the turning that keeps their angular momentum. With that
/// of the begin an impact would keep its energy to first order in the step only.
/// @param u  [6] out: m/s, rad/s in body axes
void eng_impact_velocity(const cairn_world *world, int body, double u[6]);

/// Whether restitution is in the normal velocities of the problem of the step.
bool eng_impacts_bounce(const cairn_world *world);

/// Takes it out of them, theory.md 3.1.
void eng_impacts_deaden(cairn_world *world);

/// Where the impacts of the step's solution make energy it is solved again with less restitution,
/// theory.md 3.1.
/// @param solve  the solve of a step, from its last solution
/// @return CAIRN_ERROR_MEMORY, or what the solve returns
cairn_status eng_impacts_cap(cairn_world *world,
                             cairn_status (*solve)(cairn_world *world, bool trial,
                                                   cairn_error *error),
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// What restitution adds to q_N of a cone contact, m/s: e V_N under Newton's law, else the velocity
/// with which the impacts before the problem left it, which no force of the step takes back.
double eng_normal_bounce(const cairn_world *world, const con_cone_terms *terms, int contact);

/// Share of the tangential velocity that an impact of this closed cone contact turns back under
/// Newton's law; 0 for contacts that do not collide.
/// @param V  [3] m/s, before the step, contact frame
double eng_tangential_bounce(const cairn_world *world, const con_cone_terms *terms,
                             const double V[3]);

#endif
