// SPDX-License-Identifier: Apache-2.0
// Rotation schemes of a rigid body over one step, theory.md section 1.
#ifndef CAIRN_ENGINE_PASSES_ROTATION_H
#define CAIRN_ENGINE_PASSES_ROTATION_H

#include "base/vec.h"
#include <cairn/cairn.h>

/// Angular momentum of t_n in the principal axes of the midpoint, kg m2/s, theory.md (1.3).
/// @param J      kg m2, principal moments
/// @param omega  rad/s, principal axes, at t_n
/// @param turn   exp(h/2 omega), which takes the axes of t_n to those of the midpoint
vec3 eng_rotation_momentum(vec3 J, vec3 omega, quat turn);

/// Angular velocity without contacts at the end of the step, theory.md (1.3).
/// @param momentum  of t_n in midpoint axes
/// @param torque    N m, principal axes at the midpoint
vec3 eng_rotation_free(vec3 J, vec3 omega, vec3 momentum, vec3 torque, double h);

/// Angular velocity at the end of the step, theory.md (1.7)-(1.9): RIG_POS keeps the one that the
/// contacts were solved for, RIG_NEG and RIG_IMP take it from the exact angular momentum.
/// @param momentum  of t_n in midpoint axes
/// @param omega_end that the contacts were solved for: free velocity plus contact impulses
/// @param impulse   N m s, torque h plus moments of the contact impulses, midpoint principal axes
vec3 eng_rotation_end(cairn_rotation scheme, vec3 J, vec3 momentum, vec3 omega_end, vec3 impulse,
                      double h);

/// orientation times exp(rotation), rotation in body axes.
quat eng_rotation_advance(quat orientation, vec3 rotation);

#endif
