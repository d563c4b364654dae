// SPDX-License-Identifier: Apache-2.0
// Bodies of the general passes to the midpoint, and their velocities without contacts.
#include "engine/state/rotation.h"
#include "engine/state/world.h"

#include <string.h>

static void midpoint_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    double half = 0.5 * world->def.time_step;
    for (int k = begin; k < end; k++) {
        int i = world->active[k];
        if (eng_is_elsewhere(world, i))
            continue;
        if (world->bodies[i].kind == CAIRN_FIXED) {
            world->q_mid[i] = world->q[i];
            continue;
        }
        vec3 omega;
        world->q_mid[i] = eng_body_middle(world, i, half, &omega);
        // what follows sees the velocity of the middle of the step, theory.md (1.10)
        if (world->def.rotation == CAIRN_RIG_EXACT)
            vec3_store(world->v[i] + 3, omega);
    }
}

void eng_block_midpoint(cairn_world *world)
{
    base_parallel_for(world->workers, world->general_count, ENG_BODY_CHUNK, midpoint_chunk, world);
}

static void free_velocity_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    for (int k = begin; k < end; k++) {
        int i = world->active[k];
        if (eng_is_elsewhere(world, i))
            continue;
        if (world->bodies[i].kind == CAIRN_DYNAMIC)
            eng_body_free(world, i, world->v_free[i]);
        else
            memcpy(world->v_free[i], world->v[i], sizeof world->v[i]);
    }
}

void eng_block_free_velocity(cairn_world *world)
{
    base_parallel_for(world->workers, world->active_count, ENG_BODY_CHUNK, free_velocity_chunk,
                      world);
}
