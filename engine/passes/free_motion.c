// SPDX-License-Identifier: Apache-2.0
// Bodies of the general passes to the midpoint, and their velocities without contacts.
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/rotation.h"
#include "engine/state/world.h"

#include <string.h>

static void midpoint_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    double half = 0.5 * world->state.clock.step;
    vec3 omega;
    for (int k = begin; k < end; k++) {
        int i = world->scratch.general.active[k];
        eng_turning *turning = &world->scratch.turnings[k];
        turning->known =
            world->model.bodies.rows[i].kind == CAIRN_DYNAMIC && !eng_is_elsewhere(world, i);
        if (turning->known)
            eng_body_begin(world, i, turning);
        else if (world->model.bodies.rows[i].kind == CAIRN_FIXED)
            world->state.bodies.q_mid[i] = world->state.bodies.q[i];
        else if (world->model.bodies.rows[i].kind == CAIRN_MOVING)
            world->state.bodies.q_mid[i] = eng_body_middle(world, i, half, &omega);
    }
}

cairn_status eng_block_midpoint(cairn_world *world)
{
    world->scratch.turnings = base_arena_array(world->scratch.arena, eng_turning, "turnings",
                                               world->scratch.general.count);
    if (world->scratch.turnings == NULL)
        return CAIRN_ERROR_MEMORY;
    base_parallel_for(world->model.workers, world->scratch.general.count, ENG_BODY_CHUNK,
                      midpoint_chunk, world);
    return CAIRN_OK;
}

static void free_velocity_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    for (int k = begin; k < end; k++) {
        int i = world->scratch.general.active[k];
        if (eng_is_elsewhere(world, i))
            continue;
        // dynamic bodies of the general passes got theirs on the way to the midpoint
        if (world->model.bodies.rows[i].kind == CAIRN_DYNAMIC && k >= world->scratch.general.count)
            eng_body_free(world, i, world->state.bodies.v_free[i]);
        else if (world->model.bodies.rows[i].kind != CAIRN_DYNAMIC)
            memcpy(world->state.bodies.v_free[i], world->state.bodies.v[i],
                   sizeof world->state.bodies.v[i]);
    }
}

void eng_block_free_velocity(cairn_world *world)
{
    base_parallel_for(world->model.workers, world->scratch.general.active_count, ENG_BODY_CHUNK,
                      free_velocity_chunk, world);
}
