// SPDX-License-Identifier: Apache-2.0
// Taking back a step whose solve was interrupted.
#include "engine/passes/undo.h"

#include "engine/pairs/domains.h"
#include "engine/pairs/sharing.h"
#include "engine/state/kinematics.h"
#include "engine/state/rotation.h"

#include <string.h>

/// What the blocks before a solve change, in the arena.
typedef struct eng_undo {
    cairn_energy energy;
    double energy_start;
    con_domains domains;
    bool pairs_kept;
    eng_connector_state *connectors; // [connector_count]
    double (*velocity)[6];           // [moved_count] of bodies that follow functions
    int *moved, moved_count;
} eng_undo;

cairn_status eng_step_keep(cairn_world *world)
{
    eng_undo *undo = base_arena_array(world->arena, eng_undo, "undo", 1);
    size_t connectors = (size_t)world->connector_count;
    size_t moved = (size_t)world->motion_count;
    world->undo = undo;
    if (undo == NULL)
        return CAIRN_ERROR_MEMORY;
    *undo = (eng_undo){
        .energy = world->energy,
        .energy_start = world->energy_start,
        .domains = world->domains,
        .connectors = base_arena_array(world->arena, eng_connector_state, "undo", connectors),
        .velocity = base_arena_allocate(world->arena, "undo", moved, sizeof *undo->velocity),
        .moved = base_arena_array(world->arena, int, "undo", moved),
    };
    if (undo->connectors == NULL || undo->velocity == NULL || undo->moved == NULL)
        return CAIRN_ERROR_MEMORY;
    if (connectors > 0)
        memcpy(undo->connectors, world->connector_state, connectors * sizeof *undo->connectors);
    for (int k = 0; moved > 0 && k < world->active_count; k++) {
        int body = world->active[k];
        if (eng_extra_of(world, body).motion.function == NULL)
            continue;
        memcpy(undo->velocity[undo->moved_count], world->v[body], sizeof *undo->velocity);
        undo->moved[undo->moved_count++] = body;
    }
    return CAIRN_OK;
}

void eng_step_keep_pairs(cairn_world *world)
{
    // an unsolved assembly of joints takes back a step in which there are explicit laws alone
    world->undo->pairs_kept = world->plan.cone_pairs > 0 || world->joint_count > 0;
    if (world->undo->pairs_kept && world->pair_count > 0)
        memcpy(world->pairs_before, world->pairs, (size_t)world->pair_count * sizeof *world->pairs);
}

/// The list of pairs may be a new one, in which contacts that are apart by now have no pair.
static void name_pairs(cairn_world *world)
{
    const eng_contacts *c = &world->contacts;
    for (int i = 0; i < c->count; i++)
        c->pair[i] = -1;
    for (int i = 0; i < world->pair_count; i++)
        for (int k = 0; k < world->pairs[i].count; k++)
            c->pair[world->pairs[i].first + k] = i;
}

void eng_step_undo(cairn_world *world)
{
    const eng_undo *undo = world->undo;
    world->energy = undo->energy;
    world->energy_start = undo->energy_start;
    world->domains = undo->domains;
    if (world->connector_count > 0)
        memcpy(world->connector_state, undo->connectors,
               (size_t)world->connector_count * sizeof *undo->connectors);
    for (int k = 0; k < undo->moved_count; k++)
        memcpy(world->v[undo->moved[k]], undo->velocity[k], sizeof *undo->velocity);
    for (int k = 0; k < world->general_count && world->turnings != NULL; k++)
        eng_body_take_back(world, world->active[k], &world->turnings[k]);
    if (undo->pairs_kept) {
        eng_pair *kept = world->pairs_before;
        world->pairs_before = world->pairs;
        world->pairs = kept;
    }
    eng_contacts last = world->contacts_before;
    world->contacts_before = world->contacts;
    world->contacts = last;
    name_pairs(world);
    eng_domains_undo(world);
    eng_sharing_undo(world);
    eng_step_forget(world);
}

void eng_step_forget(cairn_world *world)
{
    base_arena_reset(world->arena);
    world->undo = NULL;
    world->applied = NULL;
    world->aims = NULL;
    world->bounce = NULL;
    world->turnings = NULL;
    world->problem = (con_problem){0};
    world->solved = NULL;
    world->rolling = NULL;
    world->driven = NULL;
    world->free_relative = NULL;
    world->shift = NULL;
    world->guess = NULL;
    world->residual_count = 0;
    world->solution_U = NULL;
    world->explicit_outputs = NULL;
    world->spins = NULL;
    world->joint_step = NULL;
    world->spin_axis = NULL;
    world->connector_outputs = NULL;
    world->report = (cairn_step_report){.contacts = world->contacts.count, .stop = "none"};
}
