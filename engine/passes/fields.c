// SPDX-License-Identifier: Apache-2.0
// Force fields of a program: asked once a step, added to the loads of the bodies.
#include "engine/passes/fields.h"
#include "engine/bodies/body_state.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/ids.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <inttypes.h>
#include <string.h>

#define FIELD_COOKIE UINT32_C(0x0ca12012)

cairn_field_def cairn_default_field_def(void)
{
    return (cairn_field_def){.version = 1, .cookie = FIELD_COOKIE};
}

static int find_field(const cairn_world *world, const char *name)
{
    for (int i = 0; i < world->model.program.field_count; i++)
        if (strcmp(world->model.program.fields[i].name, name) == 0)
            return i;
    return -1;
}

cairn_status cairn_world_add_force_field(cairn_world *world, const cairn_field_def *def,
                                         cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    if (def->cookie != FIELD_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the field definition does not come from cairn_default_field_def()");
    if (def->name == NULL || def->name[0] == '\0' || def->function == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a force field needs a name and a function");
    if (find_field(world, def->name) >= 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is a force field \"%s\" already",
                         def->name);
    cairn_status status = base_array_reserve(&world->model.allocator, &world->model.program.fields,
                                             &world->model.program.field_capacity,
                                             world->model.program.field_count + 1);
    char *name = status == CAIRN_OK ? base_copy_text(&world->model.allocator, def->name) : NULL;
    if (name == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for force field \"%s\"",
                         def->name);
    world->model.program.fields[world->model.program.field_count++] =
        (eng_field){name, def->version, def->function, def->context};
    return CAIRN_OK;
}

cairn_status cairn_world_remove_force_field(cairn_world *world, const char *name,
                                            cairn_error *error)
{
    if (world == NULL || name == NULL)
        return base_fail_null(error, __func__);
    int index = find_field(world, name);
    if (index < 0)
        return base_fail(error, CAIRN_ERROR_NOT_FOUND, "there is no force field \"%s\"", name);
    base_release(&world->model.allocator, world->model.program.fields[index].name);
    world->model.program.field_count--;
    memmove(world->model.program.fields + index, world->model.program.fields + index + 1,
            (size_t)(world->model.program.field_count - index) *
                sizeof *world->model.program.fields);
    eng_spheres_loads_changed(&world->state);
    return CAIRN_OK;
}

static void fill_body(const cairn_world *world, int row, cairn_field_body *body)
{
    eng_state state = eng_state_of(world, row);
    pose frame = eng_frame_of(world, row), shape = pose_compose(&state.q, &frame);
    vec3 velocity = vec3_from(state.v);
    *body = (cairn_field_body){
        .id = eng_body_id(world, row),
        .orientation = {shape.orientation.w, shape.orientation.x, shape.orientation.y,
                        shape.orientation.z},
        .mass = world->model.bodies.rows[row].mass,
        .user = world->state.bodies.users != NULL ? world->state.bodies.users[row] : 0,
    };
    vec3_store(body->centre,
               vec3_add_scaled(state.q.position, 0.5 * world->state.clock.step, velocity));
    vec3_store(body->velocity, velocity);
    vec3_store(body->angular_velocity, quat_rotate(state.q.orientation, vec3_from(state.v + 3)));
}

/// The forces of one field, which are finite, join the loads.
static cairn_status add_forces(cairn_world *world, const eng_field *field,
                               const cairn_field_batch *batch, cairn_error *error)
{
    for (int i = 0; i < batch->count; i++) {
        vec3 force = vec3_from(batch->forces[i].force), torque = vec3_from(batch->forces[i].torque);
        uint32_t row = batch->bodies[i].id.index;
        if (!vec3_is_finite(force) || !vec3_is_finite(torque))
            return base_fail(error, CAIRN_ERROR_NONFINITE,
                             "step %" PRId64 ", t = %g s: force field \"%s\" gives the body of "
                             "index %" PRIu32 " a force that is not finite",
                             world->state.clock.step_count + 1, world->state.clock.time,
                             field->name, row);
        world->scratch.applied[row].force = vec3_add(world->scratch.applied[row].force, force);
        world->scratch.applied[row].torque = vec3_add(world->scratch.applied[row].torque, torque);
    }
    return CAIRN_OK;
}

cairn_status eng_fields_apply(cairn_world *world, cairn_error *error)
{
    world->scratch.applied = NULL;
    if (world->model.program.field_count == 0)
        return CAIRN_OK;
    base_arena *arena = world->scratch.arena;
    int most = world->model.ids.body.live_count;
    cairn_field_body *bodies = base_arena_array(arena, cairn_field_body, "fields", most);
    cairn_field_force *forces = base_arena_array(arena, cairn_field_force, "fields", most);
    world->scratch.applied = base_arena_array(arena, eng_load, "fields", world->model.bodies.count);
    if (bodies == NULL || forces == NULL || world->scratch.applied == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for force fields");
    for (int i = 0; i < world->model.bodies.count; i++)
        world->scratch.applied[i] = *eng_load_of(world, i);
    cairn_field_batch batch = {.size = sizeof batch,
                               .time = world->state.clock.time,
                               .step = world->state.clock.step,
                               .bodies = bodies,
                               .body_size = sizeof *bodies,
                               .forces = forces,
                               .force_size = sizeof *forces};
    for (int place = 0; place < most; place++) {
        int row = eng_slots_at(&world->model.ids.body, place);
        if (world->model.bodies.rows[row].kind == CAIRN_DYNAMIC)
            fill_body(world, row, &bodies[batch.count++]);
    }
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < world->model.program.field_count && status == CAIRN_OK; k++) {
        const eng_field *field = &world->model.program.fields[k];
        memset(forces, 0, (size_t)batch.count * sizeof *forces);
        status = field->function(field->context, &batch, error);
        if (status == CAIRN_OK)
            status = add_forces(world, field, &batch, error);
    }
    eng_spheres_loads_changed(&world->state);
    return status;
}
