// SPDX-License-Identifier: Apache-2.0
// Walls of the spheres lane: their motion, and half-spaces: each sphere near one gets a ghost, the
// wall's point next to it.
#include "engine/pairs/spheres/lane_data.h"

#include "engine/passes/rotation.h"

static eng_lane_wall *walls_of(const struct eng_lane *lane)
{
    return lane->walls.block;
}

void eng_lane_wall_place(const struct eng_lane *lane, eng_lane_wall *wall, pose q,
                         const double v[6])
{
    const cairn_world *world = lane->world;
    double half = 0.5 * lane->pass.step;
    pose frame = eng_frame_of(world, wall->body);
    vec3 omega = vec3_from(v + 3);
    q.position = vec3_add_scaled(q.position, half, vec3_from(v));
    q.orientation = eng_rotation_advance(q.orientation, vec3_scale(half, omega));
    pose shape = pose_compose(&q, &frame);
    wall->now = (eng_lane_plane){
        .normal = quat_rotate(shape.orientation, vec3_make(0.0, 0.0, 1.0)),
        .point = shape.position,
        .centre = q.position,
    };
    wall->placed = pose_compose(&q, &wall->local);
    wall->velocity = vec3_from(v);
    wall->spin = quat_rotate(q.orientation, omega);
}

void eng_lane_walls_advance(struct eng_lane *lane)
{
    const cairn_world *world = lane->world;
    for (int i = 0; i < lane->wall_count && lane->has_moving_walls; i++) {
        eng_lane_wall *wall = &walls_of(lane)[i];
        if (!wall->moves)
            continue;
        pose q = world->q[wall->body];
        double v[6];
        eng_body_end(world, wall->body, world->v_free[wall->body], &q, v);
        wall->before = wall->now;
        wall->placed_before = wall->placed;
        wall->spin_before = wall->spin;
        eng_lane_wall_place(lane, wall, q, v);
    }
}

double eng_lane_walls_fastest(const struct eng_lane *lane)
{
    double fastest = 0.0;
    for (int i = 0; i < lane->wall_count; i++) {
        const eng_lane_wall *wall = &walls_of(lane)[i];
        double spin = vec3_norm(wall->spin);
        double reach = spin > 0.0 ? lane->extent + vec3_norm(wall->now.centre) : 0.0;
        reach = fmin(reach, eng_reach_of(lane->world, wall->body));
        fastest = fmax(fastest, vec3_norm(wall->velocity) + spin * reach);
    }
    return fastest;
}

/// N m on the wall in the step just computed, beside the moment of the force.
static vec3 couple_on(const struct eng_lane *lane, const eng_lane_block *block, int k)
{
    if (lane->pass.couple == NULL)
        return vec3_make(0.0, 0.0, 0.0);
    return vec3_from(lane->pass.couple[block->force_row + k]);
}

double eng_lane_ghost_work(const struct eng_lane *lane, const eng_lane_ghost *ghost, int row)
{
    const eng_lane_wall *wall = &walls_of(lane)[ghost->wall];
    const eng_lane_block *block = &lane->pass.blocks[ghost->slot / ENG_LANE_WIDTH];
    int k = ghost->slot % ENG_LANE_WIDTH;
    if (!(block->touch >> k & 1))
        return 0.0;
    const double *force = lane->pass.force[block->force_row + k];
    vec3 turning = vec3_add_scaled(couple_on(lane, block, k), force[6], vec3_from(force + 3));
    double moment = vec3_dot(turning, wall->spin_before);
    vec3 velocity = vec3_from(lane->pass.V[row]);
    return -lane->pass.step * (vec3_dot(vec3_from(force), velocity) + moment);
}

void eng_lane_ghost_back(struct eng_lane *lane, eng_lane_ghost *ghost, double gap, vec3 normal,
                         double X[4])
{
    double radius = lane->pass.constants[ghost->row][3], way = gap + radius;
    double *sum =
        &lane->pass.blocks[ghost->slot / ENG_LANE_WIDTH].radius_sum[ghost->slot % ENG_LANE_WIDTH];
    ghost->deep = way < ENG_LANE_DEEP * radius;
    double away = ghost->deep ? 0.5 * radius : way;
    *sum = ghost->deep ? away - gap : radius;
    vec3_store(X, vec3_add_scaled(vec3_from(lane->pass.X[ghost->row]), away, normal));
}

double eng_lane_chunk_work(const struct eng_lane *lane, const eng_lane_chunk *chunk)
{
    const eng_lane_ghost *ghosts = lane->ghosts.block;
    double work = 0.0;
    for (int i = chunk->first_ghost; i < chunk->end_ghost; i++)
        if (walls_of(lane)[ghosts[i].wall].moves && ghosts[i].slot >= 0)
            work += eng_lane_ghost_work(lane, &ghosts[i], lane->rows + 2 + i);
    return work + eng_lane_shapes_work(lane, chunk);
}

void eng_lane_ghosts_move(struct eng_lane *lane, int first, int end, double *drivers)
{
    eng_lane_ghost *ghosts = lane->ghosts.block;
    double work = 0.0;
    for (int i = first; i < end; i++) {
        eng_lane_ghost *ghost = &ghosts[i];
        const eng_lane_wall *wall = &walls_of(lane)[ghost->wall];
        int row = lane->rows + 2 + i;
        if (wall->moves && ghost->slot >= 0 && drivers != NULL)
            work += eng_lane_ghost_work(lane, ghost, row);
        vec3 centre = vec3_from(lane->pass.X[ghost->row]);
        double distance = vec3_dot(wall->now.normal, vec3_sub(centre, wall->now.point));
        vec3 foot = vec3_add_scaled(centre, -distance, wall->now.normal);
        double *X = lane->pass.X[row], *V = lane->pass.V[row];
        vec3_store(X, foot);
        double radius = lane->pass.constants[ghost->row][3];
        if (__builtin_expect(distance < ENG_LANE_DEEP * radius || ghost->deep, 0))
            eng_lane_ghost_back(lane, ghost, distance - radius, vec3_negate(wall->now.normal), X);
        if (!wall->moves && drivers != NULL)
            continue;
        vec3 arm = vec3_sub(foot, wall->now.centre);
        vec3 velocity = vec3_add(wall->velocity, vec3_cross(wall->spin, arm));
        vec3_store(V, velocity);
        V[3] = V[4] = V[5] = 0.0;
        V[6] = wall->spin.x;
        V[7] = wall->spin.y;
        X[3] = wall->spin.z;
    }
    if (drivers != NULL)
        *drivers = work;
}
