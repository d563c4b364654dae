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

/// Splits the work of one step, docs/laws.md section 8:
///     elastic(t_{n+1}) = output.elastic - (R_elastic . U + couples)/2
/// The second term carries the midpoint's energy to the end of the step, so that the sum of all
/// terms is the trapezoidal rule for the work between two midpoints: the residual
///     work - (change of elastic + friction + damping + plastic)
/// vanishes with h^2, and is zero for linear springs while the contact lasts.
con_contact_energy con_impulse_book(const con_impulse_output *output,
                                    const con_contact_motion *motion);

#endif
