// SPDX-License-Identifier: Apache-2.0
// Clumps in the sphere executor: their members, places of these, and the forces on them.
#include "engine/pairs/spheres/clumps.h"

#include "engine/state/rotation.h"

#include <string.h>

enum { CLUMP_CHUNK = 64 };

/// A clump at the midpoint of the coming step.
struct eng_spheres_clump_motion {
    mat3 turn;             // from principal axes to the world's
    vec3 centre, velocity; // m, m/s
    vec3 spin;             // rad/s, world
};

typedef struct eng_spheres_clump_motion clump_motion;

// ---------------------------------------------------------------- which there are

bool eng_spheres_may_be_clump(const cairn_world *world, int body)
{
    const eng_body *b = &world->bodies[body];
    if (b->shape < 0 || b->kind != CAIRN_DYNAMIC || world->cell.any ||
        world->shapes[b->shape]->kind != GEO_COMPOUND)
        return false;
    const geo_compound *compound = &world->shapes[b->shape]->compound;
    for (int k = 0; k < compound->member_count; k++)
        if (compound->members[k]->kind != GEO_SPHERE)
            return false;
    return true;
}

bool eng_spheres_is_clump(const struct eng_spheres *spheres, int body)
{
    int first = spheres->world->bodies[body].first_collider;
    return spheres->clump_count > 0 && spheres->world->bodies[body].shape >= 0 &&
           first < spheres->member_room && eng_spheres_members(spheres)[first].body == body;
}

static void add_clump(struct eng_spheres *spheres, int body)
{
    const cairn_world *world = spheres->world;
    eng_spheres_member *members = eng_spheres_members(spheres) + world->bodies[body].first_collider;
    for (int k = 0; k < eng_collider_count_of(world, body); k++)
        members[k] = (eng_spheres_member){
            .offset = eng_part_of(world, body, k).place.position,
            .slot = ENG_SPHERES_NO_SLOT,
            .clump = spheres->clump_count,
            .body = body,
        };
    ((int *)spheres->clumps.block)[spheres->clump_count++] = body;
}

cairn_status eng_spheres_clumps_find(struct eng_spheres *spheres,
                                     bool (*wanted)(const struct eng_spheres *spheres, int body))
{
    const cairn_world *world = spheres->world;
    size_t count = 0, room = 0;
    for (int i = 0; i < world->body_count; i++)
        count += eng_spheres_may_be_clump(world, i) && wanted(spheres, i);
    spheres->clump_count = spheres->member_room = 0;
    if (count > 0)
        room = (size_t)world->collider_count;
    cairn_status status = eng_spheres_reserve(spheres, &spheres->clumps, count * sizeof(int));
    if (status == CAIRN_OK)
        status = eng_spheres_reserve(spheres, &spheres->motions, count * sizeof(clump_motion));
    if (status == CAIRN_OK)
        status = eng_spheres_reserve(spheres, &spheres->members, room * sizeof(eng_spheres_member));
    if (status != CAIRN_OK || count == 0)
        return status;
    spheres->member_room = (int)room;
    for (int i = 0; i < spheres->member_room; i++)
        eng_spheres_members(spheres)[i] =
            (eng_spheres_member){.slot = ENG_SPHERES_NO_SLOT, .clump = -1, .body = -1};
    for (int i = 0; i < world->body_count; i++)
        if (eng_spheres_may_be_clump(world, i) && wanted(spheres, i))
            add_clump(spheres, i);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- places

static void follow_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const struct eng_spheres *spheres = argument;
    const cairn_world *world = spheres->world;
    clump_motion *motions = spheres->motions.block;
    double half = 0.5 * spheres->pass.step;
    for (int c = begin; c < end; c++) {
        int body = ((const int *)spheres->clumps.block)[c];
        const double *v = world->v[body];
        const pose *q = &world->q[body];
        vec3 omega = vec3_from(v + 3);
        quat turn = eng_rotation_advance(q->orientation, vec3_scale(half, omega));
        motions[c] = (clump_motion){
            .turn = quat_to_mat3(turn),
            .centre = vec3_add_scaled(q->position, half, vec3_from(v)),
            .velocity = vec3_from(v),
            .spin = quat_rotate(turn, omega),
        };
    }
}

void eng_spheres_clumps_follow(struct eng_spheres *spheres)
{
    base_parallel_for(spheres->world->workers, spheres->clump_count, CLUMP_CHUNK, follow_chunk,
                      spheres);
}

/// @return the square of its way, m2
static double place_member(struct eng_spheres *spheres, int slot)
{
    const eng_spheres_member *member =
        &eng_spheres_members(spheres)[~eng_spheres_ids(spheres)[slot]];
    const clump_motion *clump = (const clump_motion *)spheres->motions.block + member->clump;
    double *X = spheres->pass.X[slot], *V = spheres->pass.V[slot];
    double radius = spheres->pass.constants[slot][3];
    vec3 arm = mat3_apply(&clump->turn, member->offset), before = vec3_from(X);
    vec3 place = vec3_add(clump->centre, arm), spin = clump->spin;
    vec3_store(X, place);
    X[3] = spin.z;
    vec3_store(V, vec3_add(clump->velocity, vec3_cross(spin, arm)));
    vec3_store(V + 3, vec3_scale(radius, spin));
    V[6] = spin.x;
    V[7] = spin.y;
    return vec3_norm_squared(vec3_sub(place, before));
}

double eng_spheres_members_place(struct eng_spheres *spheres, const eng_spheres_chunk *chunk)
{
    double most = 0.0;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++)
        if (eng_spheres_ids(spheres)[slot] < 0)
            most = fmax(most, place_member(spheres, slot));
    return sqrt(most);
}

void eng_spheres_members_renew(struct eng_spheres *spheres)
{
    spheres->members_due = false;
    eng_spheres_clumps_follow(spheres);
    for (int slot = 0; slot < spheres->slots && spheres->clump_count > 0; slot++)
        if (eng_spheres_ids(spheres)[slot] < 0)
            (void)place_member(spheres, slot);
    spheres->slack = -1.0;
}

// ---------------------------------------------------------------- forces

static void push_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const struct eng_spheres *spheres = argument;
    cairn_world *world = spheres->world;
    double step = spheres->pass.step;
    for (int c = begin; c < end; c++) {
        int body = ((const int *)spheres->clumps.block)[c];
        const eng_spheres_member *members =
            eng_spheres_members(spheres) + world->bodies[body].first_collider;
        mat3 turn = quat_to_mat3(world->q_mid[body].orientation);
        vec3 force = {0.0, 0.0, 0.0}, torque = force;
        for (int k = 0; k < eng_collider_count_of(world, body); k++) {
            const double *sum = spheres->pass.sums[members[k].slot];
            vec3 arm = mat3_apply(&turn, members[k].offset), own = vec3_from(sum);
            force = vec3_add(force, own);
            torque = vec3_add(torque, vec3_add(vec3_from(sum + 3), vec3_cross(arm, own)));
        }
        eng_body_push(world, body, vec3_scale(step, force), vec3_scale(step, torque));
    }
}

void eng_spheres_clumps_push(struct eng_spheres *spheres)
{
    base_parallel_for(spheres->world->workers, spheres->clump_count, CLUMP_CHUNK, push_chunk,
                      spheres);
}

// ---------------------------------------------------------------- read-outs

static const eng_spheres_member *member_of(const struct eng_spheres *spheres, int slot)
{
    return &eng_spheres_members(spheres)[~eng_spheres_ids(spheres)[slot]];
}

static pose middle_of(const cairn_world *world, int body)
{
    return body < world->blocks_count ? world->q_mid[body] : world->q[body];
}

vec3 eng_spheres_member_centre(const struct eng_spheres *spheres, int slot)
{
    const eng_spheres_member *member = member_of(spheres, slot);
    pose middle = middle_of(spheres->world, member->body);
    return pose_apply(&middle, member->offset);
}

vec3 eng_spheres_member_spin(const struct eng_spheres *spheres, int slot)
{
    int body = member_of(spheres, slot)->body;
    return quat_rotate(middle_of(spheres->world, body).orientation,
                       vec3_from(spheres->world->v[body] + 3));
}

vec3 eng_spheres_member_velocity(const struct eng_spheres *spheres, int slot)
{
    const eng_spheres_member *member = member_of(spheres, slot);
    pose middle = middle_of(spheres->world, member->body);
    return eng_point_velocity(spheres->world->v[member->body], &middle,
                              pose_apply(&middle, member->offset));
}
