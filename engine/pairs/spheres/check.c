// SPDX-License-Identifier: Apache-2.0
// Whether slots, pairs and walls of the sphere executor fit together, for validation.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"

typedef struct eng_spheres eng_spheres;

static bool in_range(int value, int count)
{
    return value >= 0 && value < count;
}

static const char *slot_fault(const eng_spheres *spheres)
{
    int held = 0;
    for (int slot = 0; slot < spheres->table.slots; slot++) {
        int id = eng_spheres_ids(spheres)[slot];
        if (id < 0 && !in_range(~id, spheres->clumps.member_room))
            return "a particle slot is of a member of a clump that is not there";
        int body = eng_spheres_id_body(spheres, id);
        if (!in_range(body, spheres->table.known_bodies) ||
            !in_range(body, spheres->world->model.bodies.count))
            return "a particle slot is of a body that is not there";
        if (eng_spheres_id_slot(spheres, id) != slot)
            return "a particle slot is of a body that has another one";
    }
    for (int body = 0; body < spheres->table.known_bodies; body++)
        held += eng_spheres_slot_of(spheres, body) != ENG_SPHERES_NO_SLOT;
    for (int i = 0; i < spheres->clumps.member_room; i++)
        held += eng_spheres_members(spheres)[i].slot != ENG_SPHERES_NO_SLOT;
    return held == spheres->table.slots ? NULL : "a body has a particle slot that is not there";
}

static const char *wall_fault(const eng_spheres *spheres)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    const eng_spheres_ghost *ghosts = spheres->walls.ghosts.block;
    for (int i = 0; i < spheres->walls.count; i++)
        if (!in_range(walls[i].body, spheres->world->model.bodies.count))
            return "a wall is of a body that is not there";
    for (int i = 0; i < spheres->walls.ghost_count; i++)
        if (!in_range(ghosts[i].slot, spheres->table.slots) ||
            !in_range(ghosts[i].wall, spheres->walls.count) ||
            !in_range(ghosts[i].pair_slot + 1, spheres->store.block_count * ENG_SPHERES_WIDTH + 1))
            return "a contact with a wall is of a sphere, wall or pair that is not there";
    return NULL;
}

static const char *pair_fault(const eng_spheres *spheres)
{
    int touching = 0,
        ends = spheres->table.slots + 2 + spheres->walls.ghost_count + spheres->cell.image_count;
    for (int i = 0; i < spheres->store.block_count * ENG_SPHERES_WIDTH; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[i / ENG_SPHERES_WIDTH];
        int k = i % ENG_SPHERES_WIDTH;
        int a = eng_spheres_slot_a(block, k), b = eng_spheres_slot_b(block, k);
        bool touches = (block->touch >> k & 1) != 0, filler = a == spheres->table.slots;
        if (!in_range(a, spheres->table.slots + 1) || !in_range(b, ends) ||
            !in_range(block->terms, spheres->store.terms_count))
            return "a pair of spheres names what is not there";
        if (filler && touches)
            return "a place that fills up a block of pairs touches";
        if (!filler && eng_spheres_body_of(spheres, a) == eng_spheres_body_of(spheres, b))
            return "a pair of spheres is of one body";
        touching += touches;
    }
    if (spheres->store.block_count > 0 && touching != spheres->store.contact_count)
        return "the pairs of spheres that touch are not as many as the contacts";
    return NULL;
}

static const char *list_fault(const eng_spheres *spheres)
{
    const eng_spheres_pass *pass = &spheres->pass;
    int pairs = 8 * ENG_SPHERES_WIDTH * spheres->store.block_count;
    for (int slot = 0; slot < spheres->table.slots && spheres->store.block_count > 0; slot++) {
        if (pass->near_start[slot] > pass->near_start[slot + 1] ||
            pass->far_start[slot] > pass->far_start[slot + 1])
            return "the lists of pairs of spheres are not in order";
        for (int at = pass->far_start[slot]; at < pass->far_start[slot + 1]; at++)
            if (!in_range(pass->far[at], pairs))
                return "the far list of a sphere names a pair that is not there";
    }
    return NULL;
}

const char *eng_spheres_fault(const cairn_world *world)
{
    const eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL)
        return NULL;
    const char *fault = slot_fault(spheres);
    if (fault == NULL)
        fault = wall_fault(spheres);
    if (fault == NULL)
        fault = pair_fault(spheres);
    return fault == NULL ? list_fault(spheres) : fault;
}
