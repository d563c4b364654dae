// SPDX-License-Identifier: Apache-2.0
// Rows of bodies: what lies in them, what several of them share, their growth and release.
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
static cairn_status keep_solid(cairn_world *world, const eng_solid *solid, eng_body *body)
{
    body->moment = solid->inertia.x;
    if (is_ball(solid))
        return CAIRN_OK;
    int last = world->solid_last;
    bool again =
        last > 0 && memcmp(&world->solids[last - 1], solid, offsetof(eng_solid, uses)) == 0;
    if (!again && world->solid_free > 0) {
        last = world->solid_free;
        world->solid_free = world->solids[last - 1].next;
    } else if (!again) {
        cairn_status status = base_array_reserve(&world->allocator, &world->solids,
                                                 &world->solid_capacity, world->solid_count + 1);
        if (status != CAIRN_OK)
            return status;
        last = ++world->solid_count;
    }
    if (!again)
        world->solids[last - 1] = *solid;
    world->solids[last - 1].uses++;
    world->solid_last = body->solid = last;
    return CAIRN_OK;
}

static void drop_solid(cairn_world *world, int solid)
{
    if (solid == 0 || --world->solids[solid - 1].uses > 0)
        return;
    world->solids[solid - 1].next = world->solid_free;
    world->solid_free = solid;
    if (world->solid_last == solid)
        world->solid_last = 0;
}

eng_extra *eng_extra_make(cairn_world *world, int body)
{
    int *extra = &world->bodies[body].extra;
    if (*extra > 0)
        return &world->extras[*extra - 1];
    if (world->extra_free > 0) {
        *extra = world->extra_free;
        world->extra_free = world->extras[*extra - 1].next;
    } else {
        if (base_array_reserve(&world->allocator, &world->extras, &world->extra_capacity,
                               world->extra_count + 1) != CAIRN_OK)
            return NULL;
        *extra = ++world->extra_count;
    }
    world->extras[*extra - 1] = (eng_extra){0};
    return &world->extras[*extra - 1];
}

void eng_extra_drop(cairn_world *world, int body)
{
    int extra = world->bodies[body].extra;
    world->bodies[body].extra = 0;
    if (extra == 0)
        return;
    eng_extra *dropped = &world->extras[extra - 1];
    if (dropped->name != NULL)
        base_names_remove(&world->body_names, dropped->name);
    base_release(&world->allocator, dropped->name);
    world->motion_count -= dropped->motion.function != NULL;
    *dropped = (eng_extra){.next = world->extra_free};
    world->extra_free = extra;
}

void eng_blocks_init(cairn_world *world, int index)
{
    eng_mass_inverse_of(world, index, world->mass_inverse[index]);
    memset(world->correction[index], 0, sizeof world->correction[index]);
    world->q_mid[index] = world->q[index];
    memcpy(world->v_free[index], world->v[index], sizeof world->v[index]);
    memcpy(world->v_end[index], world->v[index], sizeof world->v[index]);
}

void eng_blocks_release(cairn_world *world)
{
    eng_body_columns_release(world, ENG_BODY_STEP);
    world->blocks_count = 0;
}

/// The body of a row gets its name.
static cairn_status keep_name(cairn_world *world, const char *name, int row)
{
    char *copy = base_copy_text(&world->allocator, name);
    eng_extra *extra = copy != NULL ? eng_extra_make(world, row) : NULL;
    cairn_status status = extra != NULL
                              ? base_names_add(&world->body_names, &world->allocator, copy, row)
                              : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        extra->name = copy;
    else
        base_release(&world->allocator, copy);
    return status;
}

void eng_body_clear(cairn_world *world, int row)
{
    eng_body *body = &world->bodies[row];
    drop_solid(world, body->solid);
    eng_extra_drop(world, row);
    world->shapes[body->shape]->uses--;
    // its material stays: nothing is looked up by that of a removed body
    *body = (eng_body){.kind = CAIRN_FIXED,
                       .shape = -1,
                       .material = body->material,
                       .first_collider = body->first_collider,
                       .collider_room = body->collider_room,
                       .mass = INFINITY,
                       .moment = INFINITY};
    eng_body_row_clear(world, ENG_BODY_STATE, row);
    eng_body_row_clear(world, ENG_BODY_GIVEN, row);
    if (row < world->blocks_count)
        eng_blocks_init(world, row);
}

cairn_status eng_body_make(cairn_world *world, int row, const eng_body *made,
                           const eng_solid *solid, const char *name)
{
    eng_body body = *made;
    cairn_status status = keep_solid(world, solid, &body);
    if (status != CAIRN_OK)
        return status;
    world->bodies[row] = body;
    world->shapes[body.shape]->uses++;
    if (name != NULL)
        status = keep_name(world, name, row);
    if (status != CAIRN_OK)
        eng_body_clear(world, row);
    return status;
}

cairn_status eng_body_change(cairn_world *world, int row, cairn_body_kind kind, double mass,
                             vec3 inertia)
{
    eng_body changed = world->bodies[row];
    const eng_solid solid = {
        .inertia = inertia, .frame = eng_frame_of(world, row), .reach = eng_reach_of(world, row)};
    int before = changed.solid;
    changed.kind = kind;
    changed.mass = mass;
    changed.solid = 0;
    cairn_status status = keep_solid(world, &solid, &changed);
    if (status != CAIRN_OK)
        return status;
    drop_solid(world, before);
    world->bodies[row] = changed;
    return CAIRN_OK;
}

/// A row without a body.
static void init_row(cairn_world *world, int row)
{
    world->bodies[row] = (eng_body){.kind = CAIRN_FIXED,
                                    .shape = -1,
                                    .first_collider = world->collider_count,
                                    .mass = INFINITY,
                                    .moment = INFINITY};
    eng_body_row_clear(world, ENG_BODY_STATE, row);
    eng_body_row_clear(world, ENG_BODY_GIVEN, row);
}

cairn_status eng_bodies_reserve(cairn_world *world, int rows)
{
    const base_allocator *allocator = &world->allocator;
    cairn_status status =
        base_array_reserve(allocator, &world->bodies, &world->body_capacity, rows);
    if (status == CAIRN_OK)
        status = eng_slots_reserve(&world->body_slots, allocator, rows);
    if (status == CAIRN_OK)
        // all rows there is room for: columns that were given back come again once
        status = eng_body_columns_reserve(world, ENG_BODY_STATE, world->body_capacity);
    if (status == CAIRN_OK)
        status = eng_body_columns_reserve(world, ENG_BODY_GIVEN, world->body_capacity);
    for (; status == CAIRN_OK && world->body_count < rows; world->body_count++)
        init_row(world, world->body_count);
    return status;
}

void eng_population_changes(cairn_world *world)
{
    world->population_changed = world->population_changed || world->energy_started;
}
