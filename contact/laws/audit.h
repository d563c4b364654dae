// SPDX-License-Identifier: Apache-2.0
// Energy audit of one contact of an impulse law.
#ifndef CAIRN_CONTACT_LAWS_AUDIT_H
#define CAIRN_CONTACT_LAWS_AUDIT_H

#include "contact/laws/law.h"

/// Velocities of a contact over one step, in the midpoint configuration.
typedef struct con_contact_motion {
    double V[3];       // m/s, H v_n
    double U[3];       // m/s, H v_{n+1}
    vec3 omega[2];     // rad/s, of A and B at t_n, world
    vec3 omega_end[2]; // rad/s at t_{n+1}
} con_contact_motion;

/// What a contact did in one step. The change of kinetic energy is exactly -work.
typedef struct con_contact_energy {
    double work;       // J, taken from the bodies: - R.(V + U)/2 and the same of the couples
    double elastic;    // J stored at the end of the step (not a change)
    double start;      // J stored at the start of the step, for contacts that a world starts with
    double releasable; // J of it along the surface, lost if the contact opens in the next step
    double friction;   // J dissipated
    double damping;    // J dissipated
    double plastic;    // J dissipated
} con_contact_energy;

/// Work of the couples over the halves of a step, before and after the middle.
typedef struct con_turning_work {
    double all[2];      // J
    double damping[2];  // J of it by dashpots
    double friction[2]; // J of it by friction without a spring
} con_turning_work;

con_turning_work con_impulse_turning(const con_impulse_output *output,
                                     const con_contact_motion *motion);

static inline double con_audit_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Work on the bodies of an impulse over the step: by the mean of the two velocities.
static inline double con_audit_work(const double R[3], const con_contact_motion *motion)
{
    return 0.5 * (con_audit_dot(R, motion->V) + con_audit_dot(R, motion->U));
}

static inline bool con_audit_is_zero(vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/// Splits the work of one step, docs/laws.md section 8:
///     elastic(t_{n+1}) = output.elastic - (R_elastic . U + couples)/2
/// The second term carries the midpoint's energy to the end of the step, so that the sum of all
/// terms is the trapezoidal rule for the work between two midpoints: the residual
///     work - (change of elastic + friction + damping + plastic)
/// vanishes with h^2, and is zero for linear springs while the contact lasts.
static inline con_contact_energy con_impulse_book(const con_impulse_output *output,
                                                  const con_contact_motion *motion)
{
    con_turning_work couples = {0};
    // a slider at its limit of zero has parts without a whole
    if (!con_audit_is_zero(output->couple[0]) || !con_audit_is_zero(output->couple[1]) ||
        !con_audit_is_zero(output->couple_damping) || !con_audit_is_zero(output->couple_friction))
        couples = con_impulse_turning(output, motion);
    // the second half of the step: what the springs do before they are looked at again
    double spring[3], springs_turn[2];
    for (int k = 0; k < 3; k++)
        spring[k] = 0.5 * (output->R[k] - output->R_damping[k] - output->R_friction[k]);
    for (int part = 0; part < 2; part++)
        springs_turn[part] = couples.all[part] - couples.damping[part] - couples.friction[part];
    double along = spring[1] * motion->U[1] + spring[2] * motion->U[2] + springs_turn[1];
    return (con_contact_energy){
        .work = -con_audit_work(output->R, motion) - couples.all[0] - couples.all[1],
        .start =
            output->elastic + output->plastic + con_audit_dot(spring, motion->V) + springs_turn[0],
        .elastic = output->elastic - spring[0] * motion->U[0] - along,
        .releasable = output->releasable > 0.0 ? output->releasable - along : 0.0,
        .friction = output->friction - con_audit_work(output->R_friction, motion) -
                    couples.friction[0] - couples.friction[1],
        .damping =
            -con_audit_work(output->R_damping, motion) - couples.damping[0] - couples.damping[1],
        .plastic = output->plastic,
    };
}

#endif
