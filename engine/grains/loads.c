// SPDX-License-Identifier: Apache-2.0
// Forces, torques and gravity that are functions of time: asked for the middle of every step.
#include "engine/measures/energy.h"
#include "engine/measures/finite.h"
#include "engine/state/actions.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include "base/hash.h"

#include <string.h>

typedef struct driven_load {
    cairn_body_id body;
    cairn_load_function *function;
    void *context;
} driven_load;

typedef struct driven_gravity {
    cairn_gravity_function *function;
    void *context;
} driven_gravity;

static double middle_of_step(const cairn_world *world)
{
    return world->state.clock.time + 0.5 * world->state.clock.step;
}

static cairn_status load_begin(cairn_world *world, eng_action *action, cairn_error *error)
{
    const driven_load *load = action->data;
    if (load->function == NULL || eng_body_check(world, load->body) != CAIRN_OK)
        return CAIRN_OK; // ended, or the body was removed
    double force[3] = {0.0}, torque[3] = {0.0};
    BASE_TRY(load->function(load->context, middle_of_step(world), force, torque, error));
    if (!vec3_is_finite(vec3_from(force)) || !vec3_is_finite(vec3_from(torque)))
        return base_fail(error, CAIRN_ERROR_NONFINITE, "the load on %s is not finite at t = %g s",
                         eng_body_label(world, (int)load->body.index).text, middle_of_step(world));
    return cairn_body_set_force(world, load->body, force, torque, error);
}

static const eng_action_kind load_kind = {.begin = load_begin};

cairn_status cairn_body_set_load(cairn_world *world, cairn_body_id body,
                                 cairn_load_function *function, void *context, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, body);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    int index = 0;
    for (eng_action *is; (is = eng_action_next(world, &load_kind, &index)) != NULL;) {
        driven_load *load = is->data;
        if (memcmp(&load->body, &body, sizeof body) != 0)
            continue;
        *load = (driven_load){body, function, context};
        return CAIRN_OK;
    }
    if (function == NULL)
        return CAIRN_OK;
    driven_load *load = base_allocate(&world->model.allocator, 1, sizeof *load);
    if (load == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the load on a body");
    *load = (driven_load){body, function, context};
    uint64_t print = base_hash_bytes(BASE_HASH_START, &body.index, sizeof body.index);
    return eng_action_add(world, &load_kind, load, 0, print) != NULL
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the load on a body");
}

/// The potential energy has another zero then: the difference is work of drivers.
static cairn_status set_gravity(cairn_world *world, const double gravity[3], cairn_error *error)
{
    if (!vec3_is_finite(vec3_from(gravity)))
        return base_fail(error, CAIRN_ERROR_NONFINITE, "gravity is not finite at t = %g s",
                         middle_of_step(world));
    double kinetic, before, after;
    eng_energy_mechanical(world, &kinetic, &before);
    memcpy(world->model.def.gravity, gravity, sizeof world->model.def.gravity);
    eng_energy_mechanical(world, &kinetic, &after);
    world->state.audit.energy.potential = after;
    if (world->state.audit.started)
        world->state.audit.energy.drivers += after - before;
    return CAIRN_OK;
}

static cairn_status gravity_begin(cairn_world *world, eng_action *action, cairn_error *error)
{
    const driven_gravity *driven = action->data;
    double gravity[3] = {0.0};
    cairn_status status = driven->function(driven->context, middle_of_step(world), gravity, error);
    if (status == CAIRN_OK && memcmp(gravity, world->model.def.gravity, sizeof gravity) != 0)
        status = set_gravity(world, gravity, error);
    // its numbers are what is in force
    memcpy(action->numbers, world->model.def.gravity, sizeof gravity);
    return status;
}

static void gravity_restored(cairn_world *world, eng_action *action)
{
    memcpy(world->model.def.gravity, action->numbers, sizeof world->model.def.gravity);
}

enum { GRAVITY_NUMBERS = 3 };

static const eng_action_kind gravity_kind = {
    .begin = gravity_begin, .restored = gravity_restored, .drives_gravity = true};

cairn_status cairn_world_set_gravity_function(cairn_world *world, cairn_gravity_function *function,
                                              void *context, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    if (function == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a function of gravity must be given");
    int index = 0;
    eng_action *is = eng_action_next(world, &gravity_kind, &index);
    if (is != NULL) {
        *(driven_gravity *)is->data = (driven_gravity){function, context};
        return CAIRN_OK;
    }
    driven_gravity *driven = base_allocate(&world->model.allocator, 1, sizeof *driven);
    if (driven == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for gravity");
    *driven = (driven_gravity){function, context};
    is = eng_action_add(world, &gravity_kind, driven, GRAVITY_NUMBERS, BASE_HASH_START);
    if (is == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for gravity");
    memcpy(is->numbers, world->model.def.gravity, sizeof world->model.def.gravity);
    return CAIRN_OK;
}
