// SPDX-License-Identifier: Apache-2.0
// Walls of the sphere executor: their motion, and half-spaces: each sphere near one gets a ghost,
// the wall's point next to it.
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/state/rotation.h"

static eng_spheres_wall *walls_of(const struct eng_spheres *spheres)
{
    return spheres->walls.rows.block;
}

void eng_spheres_wall_place(const struct eng_spheres *spheres, eng_spheres_wall *wall, pose q,
                            const double v[6])
{
    const cairn_world *world = spheres->world;
    double half = 0.5 * spheres->pass.step;
    pose frame = eng_frame_of(world, wall->body);
    vec3 omega = vec3_from(v + 3);
    q.position = vec3_add_scaled(q.position, half, vec3_from(v));
    q.orientation = eng_rotation_advance(q.orientation, vec3_scale(half, omega));
    pose shape = pose_compose(&q, &frame);
    wall->now = (eng_spheres_plane){
        .normal = quat_rotate(shape.orientation, vec3_make(0.0, 0.0, 1.0)),
        .point = shape.position,
        .centre = q.position,
    };
    wall->placed = pose_compose(&q, &wall->local);
    wall->velocity = vec3_from(v);
    wall->omega = quat_rotate(q.orientation, omega);
}

void eng_spheres_walls_advance(struct eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    for (int i = 0; i < spheres->walls.count && spheres->walls.has_moving; i++) {
        eng_spheres_wall *wall = &walls_of(spheres)[i];
        if (!wall->moves)
            continue;
        pose q = world->state.bodies.q[wall->body];
        double v[6];
        eng_body_end(world, wall->body, NULL, world->state.bodies.v_free[wall->body], &q, v);
        wall->before = wall->now;
        wall->placed_before = wall->placed;
        wall->velocity_before = wall->velocity;
        wall->omega_before = wall->omega;
        eng_spheres_wall_place(spheres, wall, q, v);
    }
}

/// At least this far is a wall from the box of the centres that the list was made for, m.
static double way_to_box(const struct eng_spheres *spheres, const eng_spheres_wall *wall)
{
    vec3 low = spheres->list.box.low, high = spheres->list.box.high;
    if (wall->shape == NULL) {
        vec3 n = wall->now.normal;
        vec3 nearest = {n.x > 0.0 ? low.x : high.x, n.y > 0.0 ? low.y : high.y,
                        n.z > 0.0 ? low.z : high.z};
        return vec3_dot(n, vec3_sub(nearest, wall->now.point));
    }
    vec3 centre = wall->now.centre;
    vec3 in_box = vec3_max(low, vec3_min(high, centre));
    return vec3_distance(centre, in_box) - eng_reach_of(spheres->world, wall->body);
}

// A wall that no sphere can meet before the list is made anew, however both move, does not hasten
// that: it is left out until it comes so near that its way and the spheres' count from there.
double eng_spheres_walls_fastest(const struct eng_spheres *spheres)
{
    double fastest = 0.0;
    for (int i = 0; i < spheres->walls.count; i++) {
        const eng_spheres_wall *wall = &walls_of(spheres)[i];
        double omega = vec3_norm(wall->omega);
        double reach = omega > 0.0 ? spheres->list.extent + vec3_norm(wall->now.centre) : 0.0;
        reach = fmin(reach, eng_reach_of(spheres->world, wall->body));
        double speed = vec3_norm(wall->velocity) + omega * reach;
        double near =
            spheres->table.largest + 2.0 * spheres->list.widest + 2.0 * spheres->pass.step * speed;
        if (spheres->list.has_box && way_to_box(spheres, wall) > near)
            continue;
        fastest = fmax(fastest, speed);
    }
    return fastest;
}

/// N m on the wall in the step just computed, beside the moment of the force.
static vec3 couple_on(const struct eng_spheres *spheres, const eng_spheres_block *block, int k)
{
    if (spheres->pass.couple == NULL)
        return vec3_make(0.0, 0.0, 0.0);
    return vec3_from(spheres->pass.couple[block->force_row + k]);
}

double eng_spheres_ghost_work(const struct eng_spheres *spheres, const eng_spheres_ghost *ghost,
                              int slot)
{
    const eng_spheres_wall *wall = &walls_of(spheres)[ghost->wall];
    const eng_spheres_block *block = &spheres->pass.blocks[ghost->pair_slot / ENG_SPHERES_WIDTH];
    int k = ghost->pair_slot % ENG_SPHERES_WIDTH;
    if (!(block->touch >> k & 1))
        return 0.0;
    const double *force = spheres->pass.force[block->force_row + k];
    vec3 turning = vec3_add_scaled(couple_on(spheres, block, k), force[6], vec3_from(force + 3));
    // the mean: a motion may have another velocity in the second half of the step
    vec3 faster = vec3_scale(0.5, vec3_sub(wall->velocity, wall->velocity_before));
    vec3 turned = vec3_scale(0.5, vec3_sub(wall->omega, wall->omega_before));
    vec3 arm = vec3_sub(vec3_from(spheres->pass.X[slot]), wall->before.centre);
    double moment = vec3_dot(turning, vec3_add(wall->omega_before, turned));
    vec3 velocity =
        vec3_add(vec3_from(spheres->pass.V[slot]), vec3_add(faster, vec3_cross(turned, arm)));
    const int *n = eng_spheres_wrap_of(spheres, ghost->slot);
    if (n != NULL)
        velocity = vec3_add(velocity,
                            mat3_apply(&spheres->cell.before.drift, vec3_make(n[0], n[1], n[2])));
    return -spheres->pass.step * (vec3_dot(vec3_from(force), velocity) + moment);
}

void eng_spheres_ghost_back(struct eng_spheres *spheres, eng_spheres_ghost *ghost, double gap,
                            vec3 normal, double X[4])
{
    double radius = spheres->pass.constants[ghost->slot][3], way = gap + radius;
    double *sum = &spheres->pass.blocks[ghost->pair_slot / ENG_SPHERES_WIDTH]
                       .radius_sum[ghost->pair_slot % ENG_SPHERES_WIDTH];
    ghost->deep = way < ENG_SPHERES_DEEP * radius;
    double away = ghost->deep ? 0.5 * radius : way;
    *sum = ghost->deep ? away - gap : radius;
    vec3_store(X, vec3_add_scaled(vec3_from(spheres->pass.X[ghost->slot]), away, normal));
}

/// The ghost's place: the foot of the sphere's centre on the plane, or farther back.
static inline vec3 place_on_plane(struct eng_spheres *spheres, eng_spheres_ghost *ghost,
                                  const eng_spheres_plane *plane, double *X)
{
    vec3 centre = vec3_from(spheres->pass.X[ghost->slot]);
    double distance = vec3_dot(plane->normal, vec3_sub(centre, plane->point));
    vec3 foot = vec3_add_scaled(centre, -distance, plane->normal);
    vec3_store(X, foot);
    double radius = spheres->pass.constants[ghost->slot][3];
    if (__builtin_expect(distance < ENG_SPHERES_DEEP * radius || ghost->deep, 0))
        eng_spheres_ghost_back(spheres, ghost, distance - radius, vec3_negate(plane->normal), X);
    return foot;
}

void eng_spheres_ghosts_move(struct eng_spheres *spheres, int first, int end,
                             eng_spheres_placing placing, double *drivers)
{
    eng_spheres_ghost *ghosts = spheres->walls.ghosts.block;
    const eng_spheres_wall *walls = walls_of(spheres);
    double work = 0.0, (*X)[4] = spheres->pass.X + spheres->table.slots + 2;
    // in a step, a wall that never moves has neither work nor another velocity
    bool usual = placing == ENG_SPHERES_PLACE_OTHERS && !spheres->cell.strains;
    for (int i = first; i < end; i++) {
        eng_spheres_ghost *ghost = &ghosts[i];
        const eng_spheres_wall *wall = &walls[ghost->wall];
        if (usual && !wall->moves) {
            (void)place_on_plane(spheres, ghost, &wall->now, X[i]);
            continue;
        }
        int slot = spheres->table.slots + 2 + i;
        if (wall->moves && ghost->pair_slot >= 0 && drivers != NULL)
            work += eng_spheres_ghost_work(spheres, ghost, slot);
        if (placing != ENG_SPHERES_PLACE_ALL &&
            wall->follows != (placing == ENG_SPHERES_PLACE_FOLLOWERS))
            continue;
        vec3 foot = place_on_plane(spheres, ghost, &wall->now, X[i]);
        if (!wall->moves && drivers != NULL && !spheres->cell.strains)
            continue;
        vec3 arm = vec3_sub(vec3_add(foot, eng_spheres_wrap_shift(spheres, ghost->slot)),
                            wall->now.centre);
        vec3 velocity = vec3_add(wall->velocity, vec3_cross(wall->omega, arm));
        velocity = vec3_sub(velocity, eng_spheres_wrap_drift(spheres, ghost->slot));
        double *V = spheres->pass.V[slot];
        vec3_store(V, velocity);
        V[3] = V[4] = V[5] = 0.0;
        V[6] = wall->omega.x;
        V[7] = wall->omega.y;
        X[i][3] = wall->omega.z;
    }
    if (drivers != NULL)
        *drivers = work;
}

void eng_spheres_ghosts_place(struct eng_spheres *spheres, eng_spheres_placing placing)
{
    for (int c = 0; c < spheres->list.chunk_count; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        if (eng_spheres_has_chunk(spheres, c))
            eng_spheres_ghosts_move(spheres, chunk->first_ghost, chunk->end_ghost, placing, NULL);
    }
}
