// SPDX-License-Identifier: Apache-2.0
// Rotation schemes of a rigid body over one step, theory.md section 1.
#ifndef CAIRN_ENGINE_STATE_ROTATION_H
#define CAIRN_ENGINE_STATE_ROTATION_H

#include "base/vec.h"
#include <cairn/cairn.h>

/// Angular velocity in the middle of the step of a body that nothing acts on.
/// @param J      kg m2, principal moments
/// @param omega  rad/s, principal axes, at t_n
vec3 eng_rotation_middle(vec3 J, vec3 omega, double h);

/// Angular velocity without contacts at the end of the step, theory.md (1.3).
/// @param J      kg m2, principal moments
/// @param omega  rad/s, principal axes, at t_n
/// @param torque N m, principal axes at the midpoint
vec3 eng_rotation_free(vec3 J, vec3 omega, vec3 torque, double h);

/// What the begin of a step says of the rotation in it.
typedef struct eng_turning {
    bool known;    // whether the rest is
    quat half;     // exp(h/2 omega), from t_n to the midpoint
    vec3 momentum; // kg m2/s, that of t_n, principal axes at the midpoint
    vec3 omega;    // rad/s, without contacts at the end of the step
    vec3 before;   // rad/s, that of t_n of a body that flows
} eng_turning;

/// eng_rotation_free with all that it comes by.
/// @param turning  with `half`; out: the rest
void eng_rotation_begin(vec3 J, vec3 omega, vec3 torque, double h, eng_turning *turning);

/// The same of RIG_EXACT, theory.md (1.10).
/// @param omega  rad/s, principal axes, in the middle of the step
vec3 eng_rotation_kick(vec3 J, vec3 omega, vec3 torque, double h);

/// Angular velocity at the end of the step, theory.md (1.7)-(1.9): RIG_POS keeps the one that the
/// contacts were solved for, RIG_NEG and RIG_IMP take it from the exact angular momentum.
/// @param omega     at t_n
/// @param omega_end that the contacts were solved for: free velocity plus contact impulses
/// @param impulse   N m s, torque h plus moments of the contact impulses, midpoint principal axes
vec3 eng_rotation_end(cairn_rotation scheme, vec3 J, vec3 omega, vec3 omega_end, vec3 impulse,
                      double h);

/// The same for the momentum of t_n at the midpoint.
/// @param turn  out, exp(h/2 w): from the midpoint to t_{n+1} by the velocity of the scheme
vec3 eng_rotation_finish(cairn_rotation scheme, vec3 J, vec3 momentum, vec3 omega_end, vec3 impulse,
                         double h, quat *turn);

/// Moves a body that nothing acts on, by the equations themselves and not by a scheme: to
/// round-off, unless it turns hundreds of times, theory.md (1.10)-(1.11).
/// @param J            kg m2, principal moments
/// @param orientation  in and out, principal axes to world
/// @param omega        rad/s, in and out, principal axes
void eng_rotation_flow(vec3 J, quat *orientation, vec3 *omega, double time);

/// The scheme of bodies that joints hold, theory.md (1.12): half of its turn, and all of it.
/// @param momentum  kg m2/s, of the end of the step, principal axes at t_n
/// @param guess     rad/s, of the velocity at the end
/// @param end       rad/s, out, principal axes at t_{n+1}
/// @return the turn from t_n to t_{n+1}
quat eng_rotation_mean_half(vec3 omega, double h);
quat eng_rotation_mean(vec3 J, vec3 omega, vec3 momentum, vec3 guess, double h, vec3 *end);

/// How far a turn by the mean velocity lags behind a spin, rad: h w - 2 atan(h w / 2), theory.md
/// (1.13), and a turn about a principal axis.
double eng_rotation_lag(double rate, double h);
quat eng_rotation_about(int axis, double angle);

/// exp(h/2 omega).
quat eng_rotation_half(vec3 omega, double h);

/// orientation times a turn in body axes.
static inline quat eng_rotation_turn(quat orientation, quat turn)
{
    return quat_normalize(quat_multiply(orientation, turn));
}

/// orientation times exp(rotation), rotation in body axes.
quat eng_rotation_advance(quat orientation, vec3 rotation);

#endif
