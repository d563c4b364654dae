// SPDX-License-Identifier: Apache-2.0
// Energy audit of one contact of an impulse law.
#include "contact/laws/audit.h"

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Work on the bodies of an impulse over the step: by the mean of the two velocities.
static double mean_work(const double R[3], const con_contact_motion *motion)
{
    return 0.5 * (dot(R, motion->V) + dot(R, motion->U));
}

con_contact_energy con_impulse_book(const con_impulse_output *output,
                                    const con_contact_motion *motion)
{
    vec3 relative = vec3_sub(motion->omega[1], motion->omega[0]);
    vec3 relative_end = vec3_sub(motion->omega_end[1], motion->omega_end[0]);
    double couples = 0.0, couples_end = 0.0;
    for (int side = 0; side < 2; side++) {
        couples += 0.5 * vec3_dot(output->couple[side], motion->omega[side]);
        couples_end += 0.5 * vec3_dot(output->couple[side], motion->omega_end[side]);
    }
    double damping_end = 0.5 * vec3_dot(output->couple_damping, relative_end);
    double damping_start = 0.5 * vec3_dot(output->couple_damping, relative);
    double friction_end = 0.5 * vec3_dot(output->couple_friction, relative_end);
    double friction_start = 0.5 * vec3_dot(output->couple_friction, relative);
    // the second half of the step: what the springs do before they are looked at again
    double spring[3], turning = couples_end - damping_end - friction_end;
    for (int k = 0; k < 3; k++)
        spring[k] = 0.5 * (output->R[k] - output->R_damping[k] - output->R_friction[k]);
    double turning_start = couples - damping_start - friction_start;
    double along = spring[1] * motion->U[1] + spring[2] * motion->U[2] + turning;
    return (con_contact_energy){
        .work = -mean_work(output->R, motion) - couples - couples_end,
        .start = output->elastic + output->plastic + dot(spring, motion->V) + turning_start,
        .elastic = output->elastic - spring[0] * motion->U[0] - along,
        .releasable = output->releasable > 0.0 ? output->releasable - along : 0.0,
        .friction = output->friction - mean_work(output->R_friction, motion) - friction_start -
                    friction_end,
        .damping = -mean_work(output->R_damping, motion) - damping_start - damping_end,
        .plastic = output->plastic,
    };
}
