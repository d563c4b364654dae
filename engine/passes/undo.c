// SPDX-License-Identifier: Apache-2.0
// Taking back a step whose solve was interrupted.
#include "engine/passes/undo.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

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
    eng_connector_state *connectors; // [connectors]
    double (*velocity)[6];           // [moved_count] of bodies that follow functions
    int *moved, moved_count;
} eng_undo;

cairn_status eng_step_keep(cairn_world *world)
{
    eng_undo *undo = base_arena_array(world->scratch.arena, eng_undo, "undo", 1);
    size_t connectors = (size_t)world->model.connectors.count;
    size_t moved = (size_t)world->model.bodies.motion_count;
    world->scratch.undo = undo;
    if (undo == NULL)
        return CAIRN_ERROR_MEMORY;
    *undo = (eng_undo){
        .energy = world->state.audit.energy,
        .energy_start = world->state.audit.start,
        .domains = world->contacts.domains,
        .connectors =
            base_arena_array(world->scratch.arena, eng_connector_state, "undo", connectors),
        .velocity =
            base_arena_allocate(world->scratch.arena, "undo", moved, sizeof *undo->velocity),
        .moved = base_arena_array(world->scratch.arena, int, "undo", moved),
    };
    if (undo->connectors == NULL || undo->velocity == NULL || undo->moved == NULL)
        return CAIRN_ERROR_MEMORY;
    if (connectors > 0)
        memcpy(undo->connectors, world->state.connectors.rows,
               connectors * sizeof *undo->connectors);
    for (int k = 0; moved > 0 && k < world->scratch.general.active_count; k++) {
        int body = world->scratch.general.active[k];
        if (eng_extra_of(world, body).motion.function == NULL)
            continue;
        memcpy(undo->velocity[undo->moved_count], world->state.bodies.v[body],
               sizeof *undo->velocity);
        undo->moved[undo->moved_count++] = body;
    }
    return CAIRN_OK;
}

void eng_step_keep_pairs(cairn_world *world)
{
    // an unsolved assembly of joints takes back a step in which there are explicit laws alone
    world->scratch.undo->pairs_kept =
        world->contacts.plan.cone_pairs > 0 || world->model.joints.count > 0;
    if (world->scratch.undo->pairs_kept && world->contacts.pairs.count > 0)
        memcpy(world->contacts.pairs.before, world->contacts.pairs.rows,
               (size_t)world->contacts.pairs.count * sizeof *world->contacts.pairs.rows);
}

/// The list of pairs may be a new one, in which contacts that are apart by now have no pair.
static void name_pairs(eng_world_contacts *contacts)
{
    const eng_contacts *c = &contacts->set;
    for (int i = 0; i < c->count; i++)
        c->pair[i] = -1;
    for (int i = 0; i < contacts->pairs.count; i++)
        for (int k = 0; k < contacts->pairs.rows[i].count; k++)
            c->pair[contacts->pairs.rows[i].first + k] = i;
}

void eng_step_undo(cairn_world *world)
{
    const eng_undo *undo = world->scratch.undo;
    world->state.audit.energy = undo->energy;
    world->state.audit.start = undo->energy_start;
    world->contacts.domains = undo->domains;
    if (world->model.connectors.count > 0)
        memcpy(world->state.connectors.rows, undo->connectors,
               (size_t)world->model.connectors.count * sizeof *undo->connectors);
    for (int k = 0; k < undo->moved_count; k++)
        memcpy(world->state.bodies.v[undo->moved[k]], undo->velocity[k], sizeof *undo->velocity);
    for (int k = 0; k < world->scratch.general.count && world->scratch.turnings != NULL; k++)
        eng_body_take_back(world, world->scratch.general.active[k], &world->scratch.turnings[k]);
    if (undo->pairs_kept) {
        eng_pair *kept = world->contacts.pairs.before;
        world->contacts.pairs.before = world->contacts.pairs.rows;
        world->contacts.pairs.rows = kept;
    }
    eng_contacts last = world->contacts.before;
    world->contacts.before = world->contacts.set;
    world->contacts.set = last;
    name_pairs(&world->contacts);
    eng_domains_undo(&world->contacts);
    eng_sharing_undo(world);
    eng_step_forget(world);
}

void eng_step_forget(cairn_world *world)
{
    base_arena_reset(world->scratch.arena);
    world->scratch.undo = NULL;
    world->scratch.applied = NULL;
    world->scratch.aims = NULL;
    world->scratch.bounce = NULL;
    world->scratch.turnings = NULL;
    world->scratch.solve.problem = (con_problem){0};
    world->scratch.solve.solved = NULL;
    world->scratch.solve.rolling = NULL;
    world->scratch.solve.driven = NULL;
    world->scratch.solve.free_relative = NULL;
    world->scratch.solve.shift = NULL;
    world->scratch.solve.guess = NULL;
    world->report.residual_count = 0;
    world->scratch.solve.solution_U = NULL;
    world->scratch.explicit_outputs = NULL;
    world->scratch.spins = NULL;
    world->scratch.joint_step = NULL;
    world->scratch.spin_axis = NULL;
    world->scratch.connector_outputs = NULL;
    world->report.step = (cairn_step_report){.contacts = world->contacts.set.count, .stop = "none"};
}
