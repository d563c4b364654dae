// SPDX-License-Identifier: Apache-2.0
// Removal of bodies between steps, with all that hangs on them.
//
// A removed body keeps its row and what is in it until the next step begins, so that contacts of
// the last step can still be read, by ids that are refused. From then on the row is free: it looks
// like a fixed body without a shape to the passes of the step, and serves the next body that is
// made.
#include "engine/passes/removal.h"
#include "engine/bodies/body_state.h"
#include "engine/joints/joints.h"
#include "engine/pairs/connectors.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/space/space.h"
#include "engine/state/exclusions.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/shapes.h"
#include "engine/state/world.h"

#include "base/assert.h"

#include <string.h>

static void drop_joints_of(cairn_world *world, int body)
{
    for (int i = world->model.joints.count; i-- > 0 && eng_extra_of(world, body).joints > 0;) {
        const int *of = world->model.joints.rows[i].body;
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
    if (!world->state.audit.started || world->model.bodies.rows[body].kind != CAIRN_DYNAMIC)
        return;
    eng_state state = eng_state_of(world, body);
    double kinetic = eng_body_kinetic_energy(world, body, state.v);
    double potential = eng_body_potential_energy(world, body, &state.q);
    world->state.audit.energy.kinetic -= kinetic;
    world->state.audit.energy.potential -= potential;
    world->state.audit.energy.population -= kinetic + potential;
}

static void forget_arrival(eng_world_model *model, int body)
{
    for (int i = 0; model->bodies.rows[body].arrived && i < model->bodies.arrival_count; i++)
        if (model->bodies.arrivals[i] == body) {
            model->bodies.arrivals[i] = model->bodies.arrivals[--model->bodies.arrival_count];
            return;
        }
}

/// Room to drop a body with all that hangs on it.
static cairn_status prepare_drop(cairn_world *world, int body)
{
    const eng_extra extra = eng_extra_of(world, body);
    const base_allocator *allocator = &world->model.allocator;
    BASE_TRY(eng_slots_prepare(&world->model.ids.body, allocator, body));
    if (extra.joints > 0)
        BASE_TRY(eng_slots_prepare_all(&world->model.ids.joint, allocator,
                                       world->model.ids.joint.count));
    if (extra.first_connector != 0)
        BASE_TRY(eng_slots_prepare_all(&world->model.ids.connector, allocator,
                                       world->model.ids.connector.count));
    return CAIRN_OK;
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
    forget_arrival(&world->model, body);
    eng_extra_drop(&world->model, body);
    world->model.bodies.rows[body].removed = 1;
    world->model.bodies.rows[body].arrived = 0;
    eng_slots_drop(&world->model.ids.body, body);
    eng_population_changes(world);
    world->contacts.pairs.topology_changed = world->scratch.general.due = true;
    return CAIRN_OK;
}

void eng_removals_settle(cairn_world *world)
{
    // bodies that were frozen ask for a new plan
    bool frozen = world->state.bodies.frozen != NULL && world->scratch.general.due;
    if (world->model.ids.body.waiting_count == 0 && !frozen)
        return;
    eng_contacts *c = &world->contacts.set;
    for (int i = c->cone_count; i < c->count; i++)
        if (eng_pair_is_past(world, c->body[i][0], c->body[i][1])) {
            world->state.audit.energy.population -= c->elastic[i];
            c->elastic[i] = c->releasable[i] = 0.0;
        }
    world->state.audit.energy.population -= eng_spheres_settle_removed(world);
    int row = -1;
    while ((row = eng_slots_next_waiting(&world->model.ids.body, row)) >= 0) {
        int shape = world->model.bodies.rows[row].shape;
        eng_colliders_drop(world, row);
        eng_body_clear(world, row);
        // out of memory it stays, of no use
        if (world->model.shapes.rows[shape]->with_body != 0 &&
            world->model.shapes.rows[shape]->uses == 0 &&
            eng_slots_prepare(&world->model.ids.shape, &world->model.allocator, shape) == CAIRN_OK)
            eng_shape_drop(world, shape);
    }
    eng_slots_recycle(&world->model.ids.body);
}

void eng_arrivals_settle(eng_world_model *model)
{
    for (int i = 0; i < model->bodies.arrival_count; i++)
        model->bodies.rows[model->bodies.arrivals[i]].arrived = false;
    model->bodies.arrival_count = 0;
}
