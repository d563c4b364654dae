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

/// Work of the couples over the halves of a step: all of them, by dashpots, and by friction without
/// a spring.
typedef struct turning {
    double all[2], damping[2], friction[2]; // J, before and after the middle
} turning;

static turning turning_of(const con_impulse_output *output, const con_contact_motion *motion)
{
    turning t = {0};
    const vec3 *omega[2] = {motion->omega, motion->omega_end};
    for (int part = 0; part < 2; part++) {
        vec3 relative = vec3_sub(omega[part][1], omega[part][0]);
        for (int side = 0; side < 2; side++)
            t.all[part] += 0.5 * vec3_dot(output->couple[side], omega[part][side]);
        t.damping[part] = 0.5 * vec3_dot(output->couple_damping, relative);
        t.friction[part] = 0.5 * vec3_dot(output->couple_friction, relative);
    }
    return t;
}

static bool is_zero(vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

con_contact_energy con_impulse_book(const con_impulse_output *output,
                                    const con_contact_motion *motion)
{
    turning couples = {0};
    // a slider at its limit of zero has parts without a whole
    if (!is_zero(output->couple[0]) || !is_zero(output->couple[1]) ||
        !is_zero(output->couple_damping) || !is_zero(output->couple_friction))
        couples = turning_of(output, motion);
    // the second half of the step: what the springs do before they are looked at again
    double spring[3], springs_turn[2];
    for (int k = 0; k < 3; k++)
        spring[k] = 0.5 * (output->R[k] - output->R_damping[k] - output->R_friction[k]);
    for (int part = 0; part < 2; part++)
        springs_turn[part] = couples.all[part] - couples.damping[part] - couples.friction[part];
    double along = spring[1] * motion->U[1] + spring[2] * motion->U[2] + springs_turn[1];
    return (con_contact_energy){
        .work = -mean_work(output->R, motion) - couples.all[0] - couples.all[1],
        .start = output->elastic + output->plastic + dot(spring, motion->V) + springs_turn[0],
        .elastic = output->elastic - spring[0] * motion->U[0] - along,
        .releasable = output->releasable > 0.0 ? output->releasable - along : 0.0,
        .friction = output->friction - mean_work(output->R_friction, motion) - couples.friction[0] -
                    couples.friction[1],
        .damping = -mean_work(output->R_damping, motion) - couples.damping[0] - couples.damping[1],
        .plastic = output->plastic,
    };
}
