// SPDX-License-Identifier: Apache-2.0
// Removal of bodies between steps, with all that hangs on them.
//
// A removed body keeps its row and what is in it until the next step begins, so that contacts of
// the last step can still be read, by ids that are refused. From then on the row is free: it looks
// like a fixed body without a shape to the passes of the step, and serves the next body that is
// made.
#include "engine/joints/joints.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"

#include "base/assert.h"

#include <string.h>

static void drop_joints_of(cairn_world *world, int body)
{
    for (int i = world->joint_count; i-- > 0 && eng_extra_of(world, body).joints > 0;) {
        const int *of = world->joints[i].body;
        if (of[0] == body || of[1] == body)
            eng_joint_drop(world, i);
    }
}

static void drop_connectors_of(cairn_world *world, int body)
{
    for (int at; (at = eng_extra_of(world, body).first_connector) != 0;)
        eng_connector_drop(world, at - 1);
}

/// What the body takes along, where the audit has begun.
static void book_departure(cairn_world *world, int body)
{
    if (!world->energy_started || world->bodies[body].kind != CAIRN_DYNAMIC)
        return;
    eng_state state = eng_state_of(world, body);
    double kinetic = eng_body_kinetic_energy(world, body, state.v);
    double potential = eng_body_potential_energy(world, body, &state.q);
    world->energy.kinetic -= kinetic;
    world->energy.potential -= potential;
    world->energy.population -= kinetic + potential;
}

static void forget_arrival(cairn_world *world, int body)
{
    for (int i = 0; world->bodies[body].arrived && i < world->arrival_count; i++)
        if (world->arrivals[i] == body) {
            world->arrivals[i] = world->arrivals[--world->arrival_count];
            return;
        }
}

/// Room to drop a body with all that hangs on it.
static cairn_status prepare_drop(cairn_world *world, int body)
{
    const eng_extra extra = eng_extra_of(world, body);
    const base_allocator *allocator = &world->allocator;
    cairn_status status = eng_slots_prepare(&world->body_slots, allocator, body);
    if (status == CAIRN_OK && extra.joints > 0)
        status = eng_slots_prepare_all(&world->joint_slots, allocator, world->joint_slots.count);
    if (status == CAIRN_OK && extra.first_connector != 0)
        status =
            eng_slots_prepare_all(&world->connector_slots, allocator, world->connector_slots.count);
    return status;
}

cairn_status cairn_body_remove(cairn_world *world, cairn_body_id id, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    int body = (int)id.index;
    if (prepare_drop(world, body) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to remove a body");
    drop_joints_of(world, body);
    drop_connectors_of(world, body);
    book_departure(world, body);
    forget_arrival(world, body);
    eng_extra_drop(world, body);
    world->bodies[body].removed = 1;
    world->bodies[body].arrived = 0;
    eng_slots_drop(&world->body_slots, body);
    eng_population_changes(world);
    world->topology_changed = world->plan_due = true;
    return CAIRN_OK;
}

void eng_removals_settle(cairn_world *world)
{
    // bodies that were frozen ask for a new plan
    bool frozen = world->frozen != NULL && world->plan_due;
    if (world->body_slots.waiting_count == 0 && !frozen)
        return;
    eng_contacts *c = &world->contacts;
    for (int i = c->cone_count; i < c->count; i++)
        if (eng_pair_is_past(world, c->body[i][0], c->body[i][1])) {
            world->energy.population -= c->elastic[i];
            c->elastic[i] = c->releasable[i] = 0.0;
        }
    world->energy.population -= eng_spheres_settle_removed(world);
    int row = -1;
    while ((row = eng_slots_next_waiting(&world->body_slots, row)) >= 0) {
        int shape = world->bodies[row].shape;
        eng_colliders_drop(world, row);
        eng_body_clear(world, row);
        // out of memory it stays, of no use
        if (world->shapes[shape]->with_body != 0 && world->shapes[shape]->uses == 0 &&
            eng_slots_prepare(&world->shape_slots, &world->allocator, shape) == CAIRN_OK)
            eng_shape_drop(world, shape);
    }
    eng_slots_recycle(&world->body_slots);
}

void eng_arrivals_settle(cairn_world *world)
{
    for (int i = 0; i < world->arrival_count; i++)
        world->bodies[world->arrivals[i]].arrived = false;
    world->arrival_count = 0;
}
