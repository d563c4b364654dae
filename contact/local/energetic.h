// SPDX-License-Identifier: Apache-2.0
// The impact of one contact with the energetic coefficient of restitution.
#ifndef CAIRN_CONTACT_LOCAL_ENERGETIC_H
#define CAIRN_CONTACT_LOCAL_ENERGETIC_H

#include "base/vec.h"

/// Impulse of a contact whose bodies collide, by Routh's process: the normal impulse p grows from
/// 0,
///   du/dp = W (1, f),   f = - mu u_T/|u_T| while it slides; what keeps u_T = 0, as far as mu
///   allows, once it does not,
/// and ends where the normal force has given back e^2 of the work that it took until u_N = 0
/// (Stronge), theory.md (3.8). It never ends with more kinetic energy than it began with.
/// @param W   kg^-1, symmetric, positive definite
/// @param mu  friction, >= 0
/// @param e   0 to 1
/// @param u   m/s, before, u_N < 0
/// @param R   N s, out; must not alias u
/// Sources: W.J. Stronge, Proc. R. Soc. Lond. A 431 (1990); J.A. Batlle, J. Appl. Mech. 63 (1996).
/// Tests: tests/physics/test_impact_energy.c
void con_impact_energetic(const mat3 *W, double mu, double e, const double u[3], double R[3]);

#endif
