// SPDX-License-Identifier: Apache-2.0
// What is read of the bodies in the sphere executor: places, velocities and turns.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/rotation.h"
#include "engine/state/world.h"

/// Orientation at the midpoint of the coming step.
static quat slot_turn(const eng_spheres *spheres, int slot)
{
    const double(*turn)[8] = (const double(*)[8])spheres->pass.turn[slot / ENG_SPHERES_WIDTH];
    int k = slot % ENG_SPHERES_WIDTH;
    return (quat){turn[0][k], turn[1][k], turn[2][k], turn[3][k]};
}

pose eng_spheres_slot_middle(const eng_spheres *spheres, int slot)
{
    vec3 place = vec3_add(vec3_from(spheres->pass.X[slot]), eng_spheres_wrap_shift(spheres, slot));
    return (pose){place, slot_turn(spheres, slot)};
}

vec3 eng_spheres_slot_omega(const eng_spheres *spheres, int slot)
{
    const double *V = spheres->pass.V[slot];
    return vec3_make(V[6], V[7], spheres->pass.X[slot][3]);
}

bool eng_spheres_holds_clumps(const cairn_world *world)
{
    return world->state.spheres != NULL && world->state.spheres->clumps.count > 0;
}

int eng_spheres_slot_count(const cairn_world *world)
{
    return world->state.spheres != NULL ? world->state.spheres->table.slots : 0;
}

cairn_array_segment eng_spheres_show_velocity(const cairn_world *world)
{
    const eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL || spheres->table.slots == 0)
        return (cairn_array_segment){0};
    return (cairn_array_segment){spheres->pass.V, sizeof *spheres->pass.V, spheres->table.slots,
                                 eng_spheres_ids(spheres)};
}

bool eng_spheres_holds(const cairn_world *world, int body)
{
    return world->state.spheres != NULL &&
           eng_spheres_slot_of(world->state.spheres, body) != ENG_SPHERES_NO_SLOT;
}

bool eng_spheres_steps(const cairn_world *world, int body)
{
    return eng_spheres_holds(world, body) ||
           (world->state.spheres != NULL && eng_spheres_moves(world->state.spheres, body));
}

/// Velocity in the general columns' form; position at t_n.
static vec3 slot_motion(const eng_spheres *spheres, int slot, double v[6])
{
    vec3 velocity =
        vec3_add(vec3_from(spheres->pass.V[slot]), eng_spheres_wrap_drift(spheres, slot));
    vec3_store(v, velocity);
    vec3_store(v + 3, quat_rotate_inverse(slot_turn(spheres, slot),
                                          eng_spheres_slot_omega(spheres, slot)));
    return vec3_add_scaled(eng_spheres_slot_middle(spheres, slot).position,
                           -0.5 * spheres->pass.step, velocity);
}

vec3 eng_spheres_motion_of(const cairn_world *world, int body, double v[6])
{
    return slot_motion(world->state.spheres, eng_spheres_slot_of(world->state.spheres, body), v);
}

vec3 eng_spheres_place_of(const cairn_world *world, int body)
{
    const eng_spheres *spheres = world->state.spheres;
    int slot = eng_spheres_slot_of(spheres, body);
    vec3 velocity =
        vec3_add(vec3_from(spheres->pass.V[slot]), eng_spheres_wrap_drift(spheres, slot));
    vec3 middle = vec3_add(vec3_from(spheres->pass.X[slot]), eng_spheres_wrap_shift(spheres, slot));
    return vec3_add_scaled(middle, -0.5 * spheres->pass.step, velocity);
}

eng_state eng_spheres_state_of(const cairn_world *world, int body)
{
    const eng_spheres *spheres = world->state.spheres;
    int slot = eng_spheres_slot_of(spheres, body);
    eng_state state;
    state.q.position = slot_motion(spheres, slot, state.v);
    vec3 half = vec3_scale(-0.5 * spheres->pass.step, vec3_from(state.v + 3));
    state.q.orientation = eng_rotation_advance(slot_turn(spheres, slot), half);
    return state;
}

void eng_spheres_prefetch(const cairn_world *world, int body)
{
    const eng_spheres *spheres = world->state.spheres;
    int slot = eng_spheres_slot_of(spheres, body);
    const double(*turn)[8] = (const double(*)[8])spheres->pass.turn[slot / ENG_SPHERES_WIDTH];
    __builtin_prefetch(spheres->pass.X[slot]);
    __builtin_prefetch(spheres->pass.V[slot]);
    for (int k = 0; k < 4; k++)
        __builtin_prefetch(&turn[k][slot % ENG_SPHERES_WIDTH]);
}
