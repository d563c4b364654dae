// SPDX-License-Identifier: Apache-2.0
// What the program changes between steps, as the sphere executor takes it. Contacts whose law has
// no kernel any more, or none that takes clumps, leave it: the general passes go on with the
// history.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct eng_spheres eng_spheres;

/// Nothing of pair k of a block waits for the next step any more.
static void clear_lags(eng_spheres_block *block, eng_spheres_resist *resist, int k)
{
    block->lag_normal[k] = 0.0F;
    for (int i = 0; i < 3; i++)
        block->lag_tangent[i][k] = 0.0F;
    if (resist == NULL)
        return;
    for (int i = 0; i < 3; i++)
        resist->lag_rolling[i][k] = 0.0F;
    resist->lag_twisting[k] = 0.0F;
}

void eng_spheres_settle(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    cairn_energy owed = {0};
    if (spheres->table.settled || spheres->store.block_count == 0)
        return;
    eng_spheres_add_energy(world, &owed);
    world->state.audit.energy.damping += owed.damping;
    world->state.audit.energy.friction += owed.friction;
    spheres->table.settled = true;
    for (int i = 0; i < spheres->store.block_count; i++) {
        eng_spheres_block *block = &spheres->pass.blocks[i];
        for (int k = 0; k < ENG_SPHERES_WIDTH; k++)
            clear_lags(block, eng_spheres_resist_of(spheres, block), k);
    }
}

static void settle_pair(eng_spheres *spheres, int pair_slot, eng_booked *booked)
{
    eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    int k = pair_slot % ENG_SPHERES_WIDTH;
    if (!(block->touch >> k & 1))
        return;
    eng_spheres_loss owed = eng_spheres_loss_of(spheres, block, k);
    base_exact_add(&booked->damping, owed.damping);
    base_exact_add(&booked->friction, owed.friction);
    clear_lags(block, eng_spheres_resist_of(spheres, block), k);
}

/// Sums of what this process books, and the chunks whose pairs it has.
static eng_booked *own_chunks(eng_spheres *spheres, int *first, int *end)
{
    *first = 0;
    *end = spheres->list.chunk_count;
    if (eng_spheres_is_shared(spheres))
        return eng_spheres_share_own(spheres, first, end);
    spheres->world->state.audit.has_booked = true;
    return &spheres->world->state.audit.booked;
}

static void settle_ghosts(eng_spheres *spheres, int first, int end, eng_booked *booked)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    const eng_spheres_ghost *ghosts = spheres->walls.ghosts.block;
    for (int i = first; i < end; i++)
        if (walls[ghosts[i].wall].changes && ghosts[i].pair_slot >= 0)
            settle_pair(spheres, ghosts[i].pair_slot, booked);
}

void eng_spheres_settle_walls(eng_spheres *spheres)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    const eng_spheres_group *groups = spheres->walls.groups.block;
    int first, end;
    eng_booked *booked = own_chunks(spheres, &first, &end);
    for (int c = first; c < end; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        settle_ghosts(spheres, chunk->first_ghost, chunk->end_ghost, booked);
        for (int g = chunk->first_group; g < chunk->end_group; g++)
            if (walls[groups[g].wall].changes)
                settle_ghosts(spheres, groups[g].first_ghost, groups[g].end_ghost, booked);
    }
}

void eng_spheres_settle_slot(eng_spheres *spheres, int slot)
{
    const eng_spheres_pass *pass = &spheres->pass;
    int first, end;
    eng_booked *booked = own_chunks(spheres, &first, &end);
    for (int i = pass->near_start[slot]; i < pass->near_start[slot + 1]; i++) {
        int pair_slot = eng_spheres_pair_slot_of(spheres, slot, pass->near[i]);
        if (pair_slot >= 0)
            settle_pair(spheres, pair_slot, booked);
    }
    for (int i = pass->far_start[slot]; i < pass->far_start[slot + 1]; i++)
        settle_pair(spheres, pass->far[i] / 8, booked);
}

double eng_spheres_settle_removed(cairn_world *world)
{
    if (world->state.spheres == NULL)
        return 0.0;
    double stored = eng_spheres_removed_energy(world);
    eng_spheres_settle(world->state.spheres);
    return stored;
}

cairn_status eng_spheres_keep_moved(eng_spheres *spheres, int slot)
{
    const base_allocator *allocator = &spheres->world->model.allocator;
    int known = spheres->table.moved_of_capacity;
    cairn_status status =
        base_array_reserve(allocator, &spheres->table.moved_of, &spheres->table.moved_of_capacity,
                           spheres->table.slots);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &spheres->table.moved,
                                    &spheres->table.moved_capacity, spheres->table.moved_count + 1);
    if (spheres->table.moved_of_capacity > known)
        memset(spheres->table.moved_of + known, 0,
               (size_t)(spheres->table.moved_of_capacity - known) *
                   sizeof *spheres->table.moved_of);
    if (status != CAIRN_OK || spheres->table.moved_of[slot] != 0)
        return status;
    eng_spheres_moved *moved = &spheres->table.moved[spheres->table.moved_count++];
    moved->slot = slot;
    memcpy(moved->X, spheres->pass.X[slot], sizeof moved->X);
    memcpy(moved->V, spheres->pass.V[slot], sizeof moved->V);
    spheres->table.moved_of[slot] = spheres->table.moved_count;
    return CAIRN_OK;
}

void eng_spheres_forget_moved(eng_spheres *spheres)
{
    for (int i = 0; i < spheres->table.moved_count; i++)
        spheres->table.moved_of[spheres->table.moved[i].slot] = 0;
    spheres->table.moved_count = 0;
    spheres->table.settled = false;
}

cairn_status eng_spheres_state_set(cairn_world *world, int body, const eng_state *state)
{
    eng_spheres *spheres = world->state.spheres;
    int slot = eng_spheres_slot_of(spheres, body);
    eng_spheres_settle(spheres);
    BASE_TRY(eng_spheres_keep_moved(spheres, slot));
    eng_spheres_slot_write(spheres, slot, state);
    spheres->list.slack = -1.0;
    return CAIRN_OK;
}

void eng_spheres_general_changed(cairn_world *world, int body)
{
    eng_spheres *spheres = world->state.spheres;
    bool wall = eng_spheres_is_wall(world, body);
    if (spheres == NULL || spheres->table.slots == 0 ||
        !(wall || eng_spheres_is_clump(spheres, body)))
        return;
    eng_spheres_settle(spheres);
    *(wall ? &spheres->walls.changed : &spheres->clumps.members_due) = true;
}

void eng_spheres_loads_changed(eng_world_state *state)
{
    if (state->spheres != NULL)
        state->spheres->table.loads_changed = true;
}

void eng_spheres_time_step_changed(cairn_world *world, double step)
{
    eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL || spheres->table.slots == 0)
        return;
    eng_spheres_settle(spheres);
    eng_spheres_unwrap(spheres);
    spheres->clumps.members_due = spheres->clumps.count > 0;
    for (int slot = 0; slot < spheres->table.slots; slot++) {
        if (eng_spheres_is_member(spheres, slot))
            continue;
        eng_state state = eng_spheres_state_of(world, eng_spheres_ids(spheres)[slot]);
        double before = spheres->pass.step;
        spheres->pass.step = step;
        eng_spheres_slot_write(spheres, slot, &state);
        spheres->pass.step = before;
    }
    spheres->pass.step = step;
    for (int slot = 0; slot < spheres->table.slots && spheres->clumps.members_due; slot++)
        eng_spheres_read_constants(spheres, slot);
    spheres->list.slack = -1.0;
    spheres->walls.changed = true;
}

// ---------------------------------------------------------------- contacts that leave

/// Whether any law that had a kernel when the plan was made has none now.
static bool lost_kernel(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    for (int i = 0; i < world->model.materials.surface_count; i++)
        if (eng_spheres_planned_terms(spheres, i)->batch != NULL &&
            !eng_spheres_has_kernel(&world->model.materials.surfaces[i]))
            return true;
    return false;
}

/// Whether clumps have slots that they will not have by the laws of now.
static bool loses_clumps(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    for (int i = 0; i < world->model.materials.surface_count && spheres->clumps.count > 0; i++)
        if (!eng_spheres_law_takes_clumps(&world->model.materials.surfaces[i]))
            return true;
    return false;
}

static cairn_status release(eng_spheres *spheres, const eng_spheres_block *block, int k)
{
    const cairn_world *world = spheres->world;
    eng_spheres_contact c = eng_spheres_contact_of(spheres, block, k);
    if (!eng_body_is_live(world, c.body[0]) || !eng_body_is_live(world, c.body[1]))
        return CAIRN_OK;
    BASE_TRY(base_array_reserve(&world->model.allocator, &spheres->meeting.released,
                                &spheres->meeting.released_capacity,
                                spheres->meeting.released_count + 1));
    bool flip = c.collider[0] > c.collider[1];
    eng_spheres_released *released = &spheres->meeting.released[spheres->meeting.released_count++];
    *released = (eng_spheres_released){
        .colliders = {c.collider[flip], c.collider[!flip]},
        .key = flip ? c.key >> 32 | c.key << 32 : c.key,
        .force = flip ? vec3_negate(c.force) : c.force,
    };
    eng_spheres_history_write(spheres, eng_spheres_terms_of(spheres, block)->batch, block, k,
                              flip ? -1.0 : 1.0, released->history);
    return CAIRN_OK;
}

static int compare(const void *a, const void *b)
{
    const eng_spheres_released *x = a, *y = b;
    if (x->colliders.first != y->colliders.first)
        return x->colliders.first < y->colliders.first ? -1 : 1;
    if (x->colliders.second != y->colliders.second)
        return x->colliders.second < y->colliders.second ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

cairn_status eng_spheres_release_contacts(eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    cairn_status status = CAIRN_OK;
    // what an earlier plan of this step has released stays
    if (spheres->meeting.released_step != world->state.clock.step_count)
        spheres->meeting.released_count = 0;
    spheres->meeting.released_step = world->state.clock.step_count;
    if (spheres->store.block_count == 0 || !(lost_kernel(spheres) || loses_clumps(spheres)))
        return CAIRN_OK;
    for (int i = 0; i < spheres->store.block_count; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[i];
        for (unsigned bits = block->touch; bits != 0 && status == CAIRN_OK; bits &= bits - 1)
            status = release(spheres, block, __builtin_ctz(bits));
    }
    if (spheres->meeting.released_count > 0)
        qsort(spheres->meeting.released, (size_t)spheres->meeting.released_count,
              sizeof *spheres->meeting.released, compare);
    return status;
}

const eng_spheres_released *eng_spheres_released_of(const cairn_world *world, geo_pair colliders,
                                                    uint64_t key)
{
    const eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL || spheres->meeting.released_count == 0 ||
        spheres->meeting.released_step != world->state.clock.step_count)
        return NULL;
    const eng_spheres_released wanted = {.colliders = colliders, .key = key};
    return bsearch(&wanted, spheres->meeting.released, (size_t)spheres->meeting.released_count,
                   sizeof *spheres->meeting.released, compare);
}
