// SPDX-License-Identifier: Apache-2.0
// Walls of the spheres lane: their motion, and half-spaces: each sphere near one gets a ghost, the
// wall's point next to it.
#include "engine/pairs/spheres/lane_data.h"

#include "engine/passes/rotation.h"

#include <stdlib.h>
#include <string.h>

static eng_lane_wall *walls_of(const struct eng_lane *lane)
{
    return lane->walls.block;
}

void eng_lane_walls_read(struct eng_lane *lane)
{
    const cairn_world *world = lane->world;
    for (int i = 0; i < lane->wall_count; i++) {
        eng_lane_wall *wall = &walls_of(lane)[i];
        wall->state.q = world->q[wall->body];
        memcpy(wall->state.v, world->v[wall->body], sizeof wall->state.v);
    }
}

static int compare_walls(const void *body, const void *wall)
{
    return *(const int *)body - ((const eng_lane_wall *)wall)->body;
}

const eng_lane_wall *eng_lane_wall_of(const struct eng_lane *lane, int body)
{
    // half-spaces are in the order of bodies, and so are the others behind them
    const cairn_world *world = lane->world;
    bool plane = world->shapes[world->bodies[body].shape]->kind == GEO_HALFSPACE;
    int first = plane ? 0 : lane->plane_count, end = plane ? lane->plane_count : lane->wall_count;
    return bsearch(&body, walls_of(lane) + first, (size_t)(end - first), sizeof(eng_lane_wall),
                   compare_walls);
}

void eng_lane_wall_set(struct eng_lane *lane, int body, const eng_state *state)
{
    for (int i = 0; i < lane->wall_count; i++)
        if (walls_of(lane)[i].body == body)
            walls_of(lane)[i].state = *state;
}

void eng_lane_walls_place(struct eng_lane *lane)
{
    const cairn_world *world = lane->world;
    double half = 0.5 * world->def.time_step;
    for (int i = 0; i < lane->wall_count; i++) {
        eng_lane_wall *wall = &walls_of(lane)[i];
        const eng_body *body = &world->bodies[wall->body];
        pose q = wall->state.q, frame = eng_frame_of(world, wall->body);
        vec3 velocity = vec3_from(wall->state.v);
        vec3 omega = vec3_from(wall->state.v + 3);
        q.position = vec3_add_scaled(q.position, half, velocity);
        q.orientation = eng_rotation_advance(q.orientation, vec3_scale(half, omega));
        pose shape = pose_compose(&q, &frame);
        wall->before = wall->now;
        wall->now = (eng_lane_plane){
            .normal = quat_rotate(shape.orientation, vec3_make(0.0, 0.0, 1.0)),
            .point = shape.position,
            .centre = q.position,
        };
        wall->placed_before = wall->placed;
        wall->placed = pose_compose(&q, &wall->local);
        wall->velocity = velocity;
        wall->spin = quat_rotate(q.orientation, omega);
        wall->moves = body->kind == CAIRN_MOVING;
        lane->has_moving_walls |= wall->moves;
    }
}

void eng_lane_walls_advance(struct eng_lane *lane)
{
    const cairn_world *world = lane->world;
    double h = world->def.time_step;
    if (!lane->has_moving_walls)
        return;
    for (int i = 0; i < lane->wall_count; i++) {
        eng_lane_wall *wall = &walls_of(lane)[i];
        if (world->bodies[wall->body].kind != CAIRN_MOVING)
            continue;
        pose *q = &wall->state.q;
        vec3 omega = vec3_from(wall->state.v + 3);
        q->position = vec3_add_scaled(q->position, h, vec3_from(wall->state.v));
        q->orientation = eng_rotation_advance(q->orientation, vec3_scale(h, omega));
    }
    eng_lane_walls_place(lane);
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
    double moment = vec3_dot(turning, wall->spin);
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
