// SPDX-License-Identifier: Apache-2.0
// Rows of bodies: what lies in them, what several of them share, their growth and release.
#include "engine/state/rows.h"
#include "engine/state/blocks.h"
#include "engine/state/world.h"

#include <string.h>

static bool is_ball(const eng_solid *solid)
{
    const pose *f = &solid->frame;
    const vec3 *i = &solid->inertia, *p = &f->position;
    return i->x == i->y && i->y == i->z && p->x == 0.0 && p->y == 0.0 && p->z == 0.0 &&
           f->orientation.w == 1.0;
}

/// A body that is not alike about all axes gets a solid: the youngest one where it can.
static cairn_status keep_solid(eng_world_model *model, const eng_solid *solid, eng_body *body)
{
    body->moment = solid->inertia.x;
    if (is_ball(solid))
        return CAIRN_OK;
    int last = model->bodies.solid_last;
    bool again =
        last > 0 && memcmp(&model->bodies.solids[last - 1], solid, offsetof(eng_solid, uses)) == 0;
    if (!again && model->bodies.solid_free > 0) {
        last = model->bodies.solid_free;
        model->bodies.solid_free = model->bodies.solids[last - 1].next;
    } else if (!again) {
        BASE_TRY(base_array_reserve(&model->allocator, &model->bodies.solids,
                                    &model->bodies.solid_capacity, model->bodies.solid_count + 1));
        last = ++model->bodies.solid_count;
    }
    if (!again)
        model->bodies.solids[last - 1] = *solid;
    model->bodies.solids[last - 1].uses++;
    model->bodies.solid_last = body->solid = last;
    return CAIRN_OK;
}

static void drop_solid(eng_world_model *model, int solid)
{
    if (solid == 0 || --model->bodies.solids[solid - 1].uses > 0)
        return;
    model->bodies.solids[solid - 1].next = model->bodies.solid_free;
    model->bodies.solid_free = solid;
    if (model->bodies.solid_last == solid)
        model->bodies.solid_last = 0;
}

eng_extra *eng_extra_make(eng_world_model *model, int body)
{
    int *extra = &model->bodies.rows[body].extra;
    if (*extra > 0)
        return &model->bodies.extras[*extra - 1];
    if (model->bodies.extra_free > 0) {
        *extra = model->bodies.extra_free;
        model->bodies.extra_free = model->bodies.extras[*extra - 1].next;
    } else {
        if (base_array_reserve(&model->allocator, &model->bodies.extras,
                               &model->bodies.extra_capacity,
                               model->bodies.extra_count + 1) != CAIRN_OK)
            return NULL;
        *extra = ++model->bodies.extra_count;
    }
    model->bodies.extras[*extra - 1] = (eng_extra){0};
    return &model->bodies.extras[*extra - 1];
}

void eng_extra_drop(eng_world_model *model, int body)
{
    int extra = model->bodies.rows[body].extra;
    model->bodies.rows[body].extra = 0;
    if (extra == 0)
        return;
    eng_extra *dropped = &model->bodies.extras[extra - 1];
    if (dropped->name != NULL)
        base_names_remove(&model->bodies.names, dropped->name);
    base_release(&model->allocator, dropped->name);
    model->bodies.motion_count -= dropped->motion.function != NULL;
    *dropped = (eng_extra){.next = model->bodies.extra_free};
    model->bodies.extra_free = extra;
}

void eng_blocks_init(cairn_world *world, int index)
{
    eng_mass_inverse_of(world, index, world->state.bodies.mass_inverse[index]);
    memset(world->state.bodies.correction[index], 0, sizeof world->state.bodies.correction[index]);
    world->state.bodies.q_mid[index] = world->state.bodies.q[index];
    memcpy(world->state.bodies.v_free[index], world->state.bodies.v[index],
           sizeof world->state.bodies.v[index]);
    memcpy(world->state.bodies.v_end[index], world->state.bodies.v[index],
           sizeof world->state.bodies.v[index]);
}

void eng_blocks_release(cairn_world *world)
{
    eng_body_columns_release(&world->model.allocator, &world->state.bodies, ENG_BODY_STEP);
    world->state.bodies.step_rows = 0;
}

/// The body of a row gets its name.
static cairn_status keep_name(cairn_world *world, const char *name, int row)
{
    char *copy = base_copy_text(&world->model.allocator, name);
    eng_extra *extra = copy != NULL ? eng_extra_make(&world->model, row) : NULL;
    cairn_status status = extra != NULL ? base_names_add(&world->model.bodies.names,
                                                         &world->model.allocator, copy, row)
                                        : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        extra->name = copy;
    else
        base_release(&world->model.allocator, copy);
    return status;
}

void eng_body_clear(cairn_world *world, int row)
{
    eng_body *body = &world->model.bodies.rows[row];
    drop_solid(&world->model, body->solid);
    eng_extra_drop(&world->model, row);
    world->model.shapes.rows[body->shape]->uses--;
    // its material stays: nothing is looked up by that of a removed body
    *body = (eng_body){.kind = CAIRN_FIXED,
                       .shape = -1,
                       .material = body->material,
                       .first_collider = body->first_collider,
                       .collider_room = body->collider_room,
                       .mass = INFINITY,
                       .moment = INFINITY};
    eng_body_row_clear(&world->state.bodies, ENG_BODY_STATE, row);
    eng_body_row_clear(&world->state.bodies, ENG_BODY_GIVEN, row);
    if (row < world->state.bodies.step_rows)
        eng_blocks_init(world, row);
}

cairn_status eng_body_make(cairn_world *world, int row, const eng_body *made,
                           const eng_solid *solid, const char *name)
{
    eng_body body = *made;
    cairn_status status = keep_solid(&world->model, solid, &body);
    if (status != CAIRN_OK)
        return status;
    world->model.bodies.rows[row] = body;
    world->model.shapes.rows[body.shape]->uses++;
    if (name != NULL)
        status = keep_name(world, name, row);
    if (status != CAIRN_OK)
        eng_body_clear(world, row);
    return status;
}

cairn_status eng_body_change(cairn_world *world, int row, cairn_body_kind kind, double mass,
                             vec3 inertia)
{
    eng_body changed = world->model.bodies.rows[row];
    const eng_solid solid = {
        .inertia = inertia, .frame = eng_frame_of(world, row), .reach = eng_reach_of(world, row)};
    int before = changed.solid;
    changed.kind = kind;
    changed.mass = mass;
    changed.solid = 0;
    BASE_TRY(keep_solid(&world->model, &solid, &changed));
    drop_solid(&world->model, before);
    world->model.bodies.rows[row] = changed;
    return CAIRN_OK;
}

/// A row without a body.
static void init_row(cairn_world *world, int row)
{
    world->model.bodies.rows[row] = (eng_body){.kind = CAIRN_FIXED,
                                               .shape = -1,
                                               .first_collider = world->contacts.colliders.count,
                                               .mass = INFINITY,
                                               .moment = INFINITY};
    eng_body_row_clear(&world->state.bodies, ENG_BODY_STATE, row);
    eng_body_row_clear(&world->state.bodies, ENG_BODY_GIVEN, row);
}

cairn_status eng_bodies_reserve(cairn_world *world, int rows)
{
    const base_allocator *allocator = &world->model.allocator;
    cairn_status status = base_array_reserve(allocator, &world->model.bodies.rows,
                                             &world->model.bodies.capacity, rows);
    if (status == CAIRN_OK)
        status = eng_slots_reserve(&world->model.ids.body, allocator, rows);
    if (status == CAIRN_OK)
        // all rows there is room for: columns that were given back come again once
        status = eng_body_columns_reserve(&world->model.allocator, &world->state.bodies,
                                          ENG_BODY_STATE, world->model.bodies.capacity);
    if (status == CAIRN_OK)
        status = eng_body_columns_reserve(&world->model.allocator, &world->state.bodies,
                                          ENG_BODY_GIVEN, world->model.bodies.capacity);
    for (; status == CAIRN_OK && world->model.bodies.count < rows; world->model.bodies.count++)
        init_row(world, world->model.bodies.count);
    return status;
}

void eng_population_changes(cairn_world *world)
{
    world->model.population_changed = world->model.population_changed || world->state.audit.started;
}
