// SPDX-License-Identifier: Apache-2.0
// Which bodies may touch: collision groups and masks, and the filter of a program.
#include "engine/state/filter.h"
#include "engine/state/body_columns.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include "base/assert.h"

#define FILTER_COOKIE UINT32_C(0x0ca12011)

cairn_filter_def cairn_default_filter_def(void)
{
    return (cairn_filter_def){.name = "", .version = 1, .cookie = FILTER_COOKIE};
}

bool eng_pair_is_filtered(const cairn_world *world, int body_a, int body_b)
{
    if (world->state.bodies.collisions != NULL) {
        cairn_collision a = world->state.bodies.collisions[body_a],
                        b = world->state.bodies.collisions[body_b];
        if ((a.groups & b.mask) == 0 || (b.groups & a.mask) == 0)
            return true;
    }
    const eng_filter *filter = &world->model.program.filter;
    return filter->function != NULL &&
           !filter->function(filter->context, eng_body_id(world, body_a < body_b ? body_a : body_b),
                             eng_body_id(world, body_a < body_b ? body_b : body_a));
}

/// Lists of near pairs are made anew.
static void lists_changed(cairn_world *world)
{
    world->model.bodies.filtered =
        world->state.bodies.collisions != NULL || world->model.program.filter.function != NULL;
    world->contacts.pairs.topology_changed = world->scratch.general.due = true;
}

cairn_status eng_collisions_reserve(cairn_world *world)
{
    if (world->state.bodies.collisions != NULL)
        return CAIRN_OK;
    if (eng_body_column_make(&world->model.allocator, &world->state.bodies, ENG_BODY_collisions,
                             world->model.bodies.count) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    lists_changed(world);
    return CAIRN_OK;
}

cairn_status cairn_body_set_collision(cairn_world *world, cairn_body_id id,
                                      cairn_collision collision, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    cairn_collision initial = eng_collision_default();
    if (world->state.bodies.collisions == NULL && collision.groups == initial.groups &&
        collision.mask == initial.mask)
        return CAIRN_OK;
    if (eng_collisions_reserve(world) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for collision groups");
    world->state.bodies.collisions[id.index] = collision;
    lists_changed(world);
    return CAIRN_OK;
}

cairn_status cairn_body_get_collision(const cairn_world *world, cairn_body_id id,
                                      cairn_collision *collision)
{
    if (world == NULL || collision == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (collision == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *collision = eng_collision_default();
    cairn_status status = eng_body_check(world, id);
    if (status == CAIRN_OK && world->state.bodies.collisions != NULL)
        *collision = world->state.bodies.collisions[id.index];
    return status;
}

cairn_status cairn_world_set_contact_filter(cairn_world *world, const cairn_filter_def *def,
                                            cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    eng_filter made = {0};
    if (def != NULL && def->cookie != FILTER_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the filter definition does not come from cairn_default_filter_def()");
    if (def != NULL && (def->name == NULL || def->function == NULL))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a filter needs a name and a function");
    if (def != NULL)
        made = (eng_filter){base_copy_text(&world->model.allocator, def->name), def->version,
                            def->function, def->context};
    if (def != NULL && made.name == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a filter");
    base_release(&world->model.allocator, world->model.program.filter.name);
    world->model.program.filter = made;
    lists_changed(world);
    return CAIRN_OK;
}
