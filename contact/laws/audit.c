// SPDX-License-Identifier: Apache-2.0
// Energy audit of one contact of an impulse law: the work of its couples.
#include "contact/laws/audit.h"

con_turning_work con_impulse_turning(const con_impulse_output *output,
                                     const con_contact_motion *motion)
{
    con_turning_work t = {0};
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
