// SPDX-License-Identifier: Apache-2.0
// State of bodies, wherever it is held: in the general columns or in a particle slot.
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"

#include <string.h>

eng_state eng_state_of(const cairn_world *world, int body)
{
    if (eng_spheres_holds(world, body))
        return eng_spheres_state_of(world, body);
    eng_state state = {.q = world->q[body]};
    memcpy(state.v, world->v[body], sizeof state.v);
    return state;
}

vec3 eng_place_of(const cairn_world *world, int body)
{
    return eng_spheres_holds(world, body) ? eng_spheres_place_of(world, body)
                                          : world->q[body].position;
}

pose eng_middle_of(const cairn_world *world, int body)
{
    if (eng_spheres_steps(world, body))
        return eng_spheres_middle_of(world, body);
    return body < world->blocks_count ? world->q_mid[body] : world->q[body];
}

vec3 eng_image_centre(const cairn_world *world, int body, vec3 point)
{
    vec3 centre = eng_middle_of(world, body).position;
    if (!world->cell.any || !isfinite(eng_reach_of(world, body)))
        return centre;
    return vec3_add(centre, eng_cell_shift(&world->cell, vec3_sub(point, centre)));
}

cairn_status eng_state_set(cairn_world *world, int body, const eng_state *state)
{
    if (eng_spheres_holds(world, body))
        return eng_spheres_state_set(world, body, state);
    eng_spheres_general_changed(world, body);
    world->q[body] = state->q;
    memcpy(world->v[body], state->v, sizeof state->v);
    if (body < world->blocks_count)
        world->q_mid[body] = state->q;
    return CAIRN_OK;
}

void eng_body_value(const cairn_world *world, int column, int body, void *value)
{
    size_t size = eng_column_row_size(eng_body_column(column));
    if (column == ENG_BODY_q || column == ENG_BODY_v) {
        eng_state state = eng_state_of(world, body);
        memcpy(value, column == ENG_BODY_q ? (void *)&state.q : state.v, size);
    } else if (column == ENG_BODY_q_mid) {
        pose middle = eng_middle_of(world, body);
        memcpy(value, &middle, size);
    } else if (body < world->body_rooms[column]) {
        memcpy(value, (const char *)world->body_data[column] + (size_t)body * size, size);
    } else {
        eng_body_rest(column, value);
    }
}

/// Spheres with a slot are immobile to the general passes until they take part.
static void clear_blocks(cairn_world *world, int index)
{
    eng_body_row_clear(world, ENG_BODY_STATE, index);
    eng_body_row_clear(world, ENG_BODY_STEP, index);
}

cairn_status eng_blocks_reserve(cairn_world *world)
{
    int known = world->blocks_count, needed = world->reach;
    cairn_status status = eng_colliders_reserve(world);
    if (status == CAIRN_OK)
        status = eng_body_columns_reserve(world, ENG_BODY_STEP, needed);
    if (status != CAIRN_OK)
        return status;
    world->blocks_count = needed;
    for (int i = known; i < needed; i++)
        if (eng_spheres_holds(world, i))
            clear_blocks(world, i);
        else
            eng_blocks_init(world, i);
    return CAIRN_OK;
}
