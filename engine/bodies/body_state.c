// SPDX-License-Identifier: Apache-2.0
// State of bodies, wherever it is held: in the general columns or in a particle slot.
#include "engine/pairs/spheres/spheres.h"

#include <string.h>

eng_state eng_state_of(const cairn_world *world, int body)
{
    if (eng_spheres_holds(world, body))
        return eng_spheres_state_of(world, body);
    eng_state state = {.q = world->q[body]};
    memcpy(state.v, world->v[body], sizeof state.v);
    return state;
}

pose eng_middle_of(const cairn_world *world, int body)
{
    if (eng_spheres_holds(world, body))
        return eng_spheres_middle_of(world, body);
    return body < world->blocks_count ? world->q_mid[body] : world->q[body];
}

cairn_status eng_state_set(cairn_world *world, int body, const eng_state *state)
{
    if (eng_spheres_holds(world, body))
        return eng_spheres_state_set(world, body, state);
    world->q[body] = state->q;
    memcpy(world->v[body], state->v, sizeof state->v);
    if (body < world->blocks_count)
        world->q_mid[body] = state->q;
    eng_spheres_wall_changed(world, body);
    return CAIRN_OK;
}

/// Spheres with a slot are immobile to the general passes until they take part.
static void clear_blocks(cairn_world *world, int index)
{
    memset(world->mass_inverse[index], 0, sizeof world->mass_inverse[index]);
    memset(world->correction[index], 0, sizeof world->correction[index]);
    memset(world->v_free[index], 0, sizeof world->v_free[index]);
    memset(world->v_end[index], 0, sizeof world->v_end[index]);
    memset(world->v[index], 0, sizeof world->v[index]);
    world->q_mid[index] = world->q[index] = pose_identity();
}

cairn_status eng_blocks_reserve(cairn_world *world)
{
    int known = world->blocks_count, needed = world->reach;
    int capacities[5];
    for (int i = 0; i < 5; i++)
        capacities[i] = world->blocks_capacity;
    const base_allocator *allocator = &world->allocator;
    cairn_status status = eng_colliders_reserve(world);
    if (status == CAIRN_OK && needed > world->blocks_capacity) {
        status = base_array_reserve(allocator, &world->q_mid, &capacities[0], needed);
        if (status == CAIRN_OK)
            status = base_array_reserve(allocator, &world->v_free, &capacities[1], needed);
        if (status == CAIRN_OK)
            status = base_array_reserve(allocator, &world->v_end, &capacities[2], needed);
        if (status == CAIRN_OK)
            status = base_array_reserve(allocator, &world->correction, &capacities[3], needed);
        if (status == CAIRN_OK)
            status = base_array_reserve(allocator, &world->mass_inverse, &capacities[4], needed);
    }
    if (status != CAIRN_OK)
        return status;
    world->blocks_capacity = capacities[0];
    world->blocks_count = needed;
    for (int i = known; i < needed; i++)
        if (eng_spheres_holds(world, i))
            clear_blocks(world, i);
        else
            eng_blocks_init(world, i);
    return CAIRN_OK;
}
