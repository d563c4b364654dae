// SPDX-License-Identifier: Apache-2.0
// State of bodies, wherever it is held: in the general columns or in a particle slot.
#include "engine/bodies/body_state.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <string.h>

eng_state eng_state_of(const cairn_world *world, int body)
{
    if (eng_spheres_holds(world, body))
        return eng_spheres_state_of(world, body);
    eng_state state = {.q = world->state.bodies.q[body]};
    memcpy(state.v, world->state.bodies.v[body], sizeof state.v);
    return state;
}

void eng_state_prefetch(const cairn_world *world, int body)
{
    // general columns lie in the order of the bodies
    if (eng_spheres_holds(world, body))
        eng_spheres_prefetch(world, body);
}

vec3 eng_place_of(const cairn_world *world, int body)
{
    return eng_spheres_holds(world, body) ? eng_spheres_place_of(world, body)
                                          : world->state.bodies.q[body].position;
}

void eng_velocity_of(const cairn_world *world, int body, double v[6])
{
    if (eng_spheres_holds(world, body))
        (void)eng_spheres_motion_of(world, body, v);
    else
        memcpy(v, world->state.bodies.v[body], 6 * sizeof *v);
}

pose eng_shape_pose_of(const cairn_world *world, int body)
{
    pose q = eng_state_of(world, body).q, frame = eng_frame_of(world, body);
    return pose_compose(&q, &frame);
}

vec3 eng_shape_place_of(const cairn_world *world, int body)
{
    if (world->model.bodies.rows[body].solid > 0)
        return eng_shape_pose_of(world, body).position;
    // a shape in its body's frame: the turn need not be known; the sum has no -0, as that of a pose
    return vec3_add(eng_place_of(world, body), vec3_make(0.0, 0.0, 0.0));
}

vec3 eng_omega_of(const cairn_world *world, int body)
{
    eng_state state = eng_state_of(world, body);
    return quat_rotate(state.q.orientation, vec3_from(state.v + 3));
}

pose eng_middle_of(const cairn_world *world, int body)
{
    if (eng_spheres_steps(world, body))
        return eng_spheres_middle_of(world, body);
    return body < world->state.bodies.step_rows ? world->state.bodies.q_mid[body]
                                                : world->state.bodies.q[body];
}

vec3 eng_image_centre(const cairn_world *world, int body, vec3 point)
{
    vec3 centre = eng_middle_of(world, body).position;
    if (!world->state.cell.any || !isfinite(eng_reach_of(world, body)))
        return centre;
    return vec3_add(centre, eng_cell_shift(&world->state.cell, vec3_sub(point, centre)));
}

cairn_status eng_state_set(cairn_world *world, int body, const eng_state *state)
{
    if (eng_spheres_holds(world, body))
        return eng_spheres_state_set(world, body, state);
    eng_spheres_general_changed(world, body);
    world->state.pieces.thrown =
        world->state.pieces.thrown || eng_body_is_thrown(world, body, state);
    world->state.bodies.q[body] = state->q;
    memcpy(world->state.bodies.v[body], state->v, sizeof state->v);
    if (body < world->state.bodies.step_rows)
        world->state.bodies.q_mid[body] = state->q;
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
    } else if (column == ENG_BODY_held && eng_spheres_holds(world, body)) {
        // rows of bodies with a slot are anything
        eng_body_rest(column, value);
    } else if (body < world->state.bodies.rooms[column]) {
        memcpy(value, (const char *)world->state.bodies.data[column] + (size_t)body * size, size);
    } else {
        eng_body_rest(column, value);
    }
}

/// Spheres with a slot are immobile to the general passes until they take part.
static void clear_blocks(eng_world_state *state, int index)
{
    eng_body_row_clear(&state->bodies, ENG_BODY_STATE, index);
    eng_body_row_clear(&state->bodies, ENG_BODY_STEP, index);
}

cairn_status eng_blocks_reserve(cairn_world *world)
{
    int known = world->state.bodies.step_rows, needed = world->scratch.general.reach;
    BASE_TRY(eng_colliders_reserve(world));
    BASE_TRY(eng_body_columns_reserve(&world->model.allocator, &world->state.bodies, ENG_BODY_STEP,
                                      needed));
    world->state.bodies.step_rows = needed;
    for (int i = known; i < needed; i++)
        if (eng_spheres_holds(world, i))
            clear_blocks(&world->state, i);
        else
            eng_blocks_init(world, i);
    return CAIRN_OK;
}
