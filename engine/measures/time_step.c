// SPDX-License-Identifier: Apache-2.0
// A time step that changes.
#include "engine/measures/time_step.h"
#include "engine/state/world.h"

#include "engine/joints/joints.h"
#include "engine/pairs/spheres/spheres.h"

#include <math.h>

/// Impulses of the last step become those of a longer or shorter one under the same forces.
static void keep_forces(cairn_world *world, double ratio)
{
    for (int i = 0; i < world->contacts.set.count; i++) {
        for (int k = 0; k < 3; k++)
            world->contacts.set.R[i][k] *= ratio;
        for (int k = 0; k < 6; k++)
            world->contacts.set.couple[i][k] *= ratio;
    }
    for (int i = 0; i < world->model.joints.count; i++) {
        eng_joint_state *state = &world->state.joints.rows[i];
        state->impulse = vec3_scale(ratio, state->impulse);
        state->moment = vec3_scale(ratio, state->moment);
        state->effort *= ratio;
    }
    for (int i = 0; i < world->model.connectors.count; i++) {
        eng_connector_state *state = &world->state.connectors.rows[i];
        state->R = vec3_scale(ratio, state->R);
        for (int side = 0; side < 2; side++)
            state->couple[side] = vec3_scale(ratio, state->couple[side]);
    }
}

void eng_step_set(cairn_world *world, double time_step)
{
    if (time_step == world->state.clock.step)
        return;
    eng_spheres_time_step_changed(world, time_step);
    keep_forces(world, time_step / world->state.clock.step);
    world->state.clock.step = time_step;
}

cairn_status cairn_world_set_time_step(cairn_world *world, double time_step, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    if (!(time_step > 0.0 && isfinite(time_step)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "time step = %g s must be above 0 and finite",
                         time_step);
    if (world->state.pieces.done > 0)
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "time step: a step was interrupted between two of its pieces, and the next "
            "call of cairn_world_step ends it; until then it cannot change");
    eng_step_set(world, time_step);
    world->model.def.time_step = time_step;
    world->state.clock.time_start =
        world->state.clock.time - (double)world->state.clock.step_count * time_step;
    return CAIRN_OK;
}
