// SPDX-License-Identifier: Apache-2.0
// What the program changes between steps, as the sphere executor takes it.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/spheres.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;

void eng_spheres_settle(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    cairn_energy owed = {0};
    if (spheres->settled || spheres->block_count == 0)
        return;
    eng_spheres_add_energy(world, &owed);
    world->energy.damping += owed.damping;
    world->energy.friction += owed.friction;
    spheres->settled = true;
    for (int i = 0; i < spheres->block_count; i++) {
        eng_spheres_block *block = &spheres->pass.blocks[i];
        memset(block->lag_normal, 0, sizeof block->lag_normal);
        memset(block->lag_tangent, 0, sizeof block->lag_tangent);
        eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
        if (resist != NULL) {
            memset(resist->lag_rolling, 0, sizeof resist->lag_rolling);
            memset(resist->lag_twisting, 0, sizeof resist->lag_twisting);
        }
    }
}

cairn_status eng_spheres_keep_moved(eng_spheres *spheres, int slot)
{
    const base_allocator *allocator = &spheres->world->allocator;
    int known = spheres->moved_of_capacity;
    cairn_status status = base_array_reserve(allocator, &spheres->moved_of,
                                             &spheres->moved_of_capacity, spheres->slots);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &spheres->moved, &spheres->moved_capacity,
                                    spheres->moved_count + 1);
    if (spheres->moved_of_capacity > known)
        memset(spheres->moved_of + known, 0,
               (size_t)(spheres->moved_of_capacity - known) * sizeof *spheres->moved_of);
    if (status != CAIRN_OK || spheres->moved_of[slot] != 0)
        return status;
    eng_spheres_moved *moved = &spheres->moved[spheres->moved_count++];
    moved->slot = slot;
    memcpy(moved->X, spheres->pass.X[slot], sizeof moved->X);
    memcpy(moved->V, spheres->pass.V[slot], sizeof moved->V);
    spheres->moved_of[slot] = spheres->moved_count;
    return CAIRN_OK;
}

void eng_spheres_forget_moved(eng_spheres *spheres)
{
    for (int i = 0; i < spheres->moved_count; i++)
        spheres->moved_of[spheres->moved[i].slot] = 0;
    spheres->moved_count = 0;
    spheres->settled = false;
}

cairn_status eng_spheres_state_set(cairn_world *world, int body, const eng_state *state)
{
    eng_spheres *spheres = world->spheres;
    int slot = eng_spheres_slot_of(spheres, body);
    eng_spheres_settle(spheres);
    cairn_status status = eng_spheres_keep_moved(spheres, slot);
    if (status != CAIRN_OK)
        return status;
    eng_spheres_slot_write(spheres, slot, state);
    spheres->slack = -1.0;
    return CAIRN_OK;
}

void eng_spheres_general_changed(cairn_world *world, int body)
{
    eng_spheres *spheres = world->spheres;
    bool wall = eng_spheres_is_wall(world, body);
    if (spheres == NULL || spheres->slots == 0 || !(wall || eng_spheres_is_clump(spheres, body)))
        return;
    eng_spheres_settle(spheres);
    *(wall ? &spheres->walls_changed : &spheres->members_due) = true;
}

void eng_spheres_loads_changed(cairn_world *world)
{
    if (world->spheres != NULL)
        world->spheres->loads_changed = true;
}

void eng_spheres_time_step_changed(cairn_world *world, double step)
{
    eng_spheres *spheres = world->spheres;
    if (spheres == NULL || spheres->slots == 0)
        return;
    eng_spheres_settle(spheres);
    eng_spheres_unwrap(spheres);
    spheres->members_due = spheres->clump_count > 0;
    for (int slot = 0; slot < spheres->slots; slot++) {
        if (eng_spheres_is_member(spheres, slot))
            continue;
        eng_state state = eng_spheres_state_of(world, eng_spheres_ids(spheres)[slot]);
        double before = spheres->pass.step;
        spheres->pass.step = step;
        eng_spheres_slot_write(spheres, slot, &state);
        spheres->pass.step = before;
    }
    spheres->pass.step = step;
    for (int slot = 0; slot < spheres->slots && spheres->members_due; slot++)
        eng_spheres_read_constants(spheres, slot);
    spheres->slack = -1.0;
    spheres->walls_changed = true;
}
