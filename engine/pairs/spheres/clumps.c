// SPDX-License-Identifier: Apache-2.0
// Clumps in the sphere executor: their members, places of these, and the forces on them.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/share.h"

#include "engine/state/rotation.h"

#include <string.h>

enum { CLUMP_CHUNK = 64 };

/// A clump at the midpoint of the coming step.
struct eng_spheres_clump_motion {
    mat3 turn;             // from principal axes to the world's
    vec3 centre, velocity; // m, m/s
    vec3 omega;            // rad/s, world
};

typedef struct eng_spheres_clump_motion clump_motion;

// ---------------------------------------------------------------- which there are

bool eng_spheres_may_be_clump(const cairn_world *world, int body)
{
    return !world->cell.any && eng_spheres_is_of_spheres(world, body);
}

bool eng_spheres_is_of_spheres(const cairn_world *world, int body)
{
    const eng_body *b = &world->bodies[body];
    if (b->shape < 0 || b->kind != CAIRN_DYNAMIC || world->shapes[b->shape]->kind != GEO_COMPOUND)
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
    for (int k = 0; k < eng_collider_count_of(world, body); k++) {
        eng_part part = eng_part_of(world, body, k);
        members[k] = (eng_spheres_member){
            .offset = {part.place.position.x, part.place.position.y, part.place.position.z,
                       part.shape->sphere.radius},
            .slot = ENG_SPHERES_NO_SLOT,
            .clump = spheres->clump_count,
            .body = body,
        };
    }
    double inverse[6];
    vec3 inertia = eng_inertia_of(world, body);
    eng_mass_inverse_of(world, body, inverse);
    eng_spheres_clumps(spheres)[spheres->clump_count++] = (eng_spheres_clump){
        .body = body,
        .first = world->bodies[body].first_collider,
        .count = eng_collider_count_of(world, body),
        .constants = {inertia.x, inertia.y, inertia.z, inverse[3], inverse[4], inverse[5],
                      inverse[0]},
    };
}

static bool is_tied(const cairn_world *world, int body)
{
    eng_extra extra = eng_extra_of(world, body);
    return extra.joints > 0 || extra.first_connector != 0;
}

cairn_status eng_spheres_clumps_find(struct eng_spheres *spheres,
                                     bool (*wanted)(const struct eng_spheres *spheres, int body))
{
    const cairn_world *world = spheres->world;
    size_t count = 0, room = 0;
    for (int i = 0; i < world->body_count; i++)
        count += eng_spheres_may_be_clump(world, i) && wanted(spheres, i);
    spheres->clump_count = spheres->member_room = 0;
    spheres->unjointed_count = spheres->moved_clumps = 0;
    if (count > 0)
        room = (size_t)world->collider_count;
    cairn_status status =
        eng_spheres_reserve(spheres, &spheres->clumps, count * sizeof(eng_spheres_clump));
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
    for (int tied = 0; tied < 2; tied++) {
        for (int i = 0; i < world->body_count; i++)
            if (is_tied(world, i) == tied && eng_spheres_may_be_clump(world, i) &&
                wanted(spheres, i))
                add_clump(spheres, i);
        if (tied == 0)
            spheres->unjointed_count = spheres->clump_count;
    }
    return CAIRN_OK;
}

bool eng_spheres_moves(const struct eng_spheres *spheres, int body)
{
    if (spheres->moved_clumps == 0 || !eng_spheres_is_clump(spheres, body))
        return false;
    int first = spheres->world->bodies[body].first_collider;
    return eng_spheres_members(spheres)[first].clump < spheres->moved_clumps;
}

/// Whether a body is dynamic and no clump, without a slot.
static bool is_other(const struct eng_spheres *spheres, int body)
{
    const eng_body *b = &spheres->world->bodies[body];
    return b->kind == CAIRN_DYNAMIC && b->shape >= 0 && !eng_spheres_is_clump(spheres, body) &&
           eng_spheres_slot_of(spheres, body) == ENG_SPHERES_NO_SLOT;
}

void eng_spheres_clumps_share(struct eng_spheres *spheres)
{
    // contacts with such bodies, and what acts on clumps, are found by the general passes
    for (int i = 0; i < spheres->world->body_count && spheres->unjointed_count > 0; i++)
        if (is_other(spheres, i))
            spheres->unjointed_count = 0;
}

bool eng_spheres_clumps_are_unjointed(const struct eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    return spheres->unjointed_count > 0 && world->def.rotation == CAIRN_RIG_IMP &&
           world->loads == NULL && world->field_count == 0;
}

// ---------------------------------------------------------------- motion

static void move_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const struct eng_spheres *spheres = argument;
    const eng_spheres_clump_pass pass = {
        .pass = &spheres->pass,
        .clumps = eng_spheres_is_shared(spheres) ? spheres->share->clumps.block
                                                 : eng_spheres_clumps(spheres),
        .members = eng_spheres_members(spheres),
        .q = spheres->world->q,
        .v = spheres->world->v,
        .ways = spheres->ways.block,
    };
    spheres->kernel->clumps(&pass, begin, end);
}

void eng_spheres_clumps_move(struct eng_spheres *spheres)
{
    int count =
        eng_spheres_is_shared(spheres) ? spheres->share->clump_count : spheres->moved_clumps;
    base_parallel_for(spheres->world->workers, count, CLUMP_CHUNK, move_chunk, spheres);
}

// ---------------------------------------------------------------- places

typedef struct follow_context {
    struct eng_spheres *spheres;
    int first; // clump
} follow_context;

static void follow_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const follow_context *context = argument;
    const struct eng_spheres *spheres = context->spheres;
    const cairn_world *world = spheres->world;
    clump_motion *motions = spheres->motions.block;
    double half = 0.5 * spheres->pass.step;
    for (int c = context->first + begin; c < context->first + end; c++) {
        int body = eng_spheres_clumps(spheres)[c].body;
        const double *v = world->v[body];
        vec3 omega;
        pose middle = eng_body_middle(world, body, half, &omega);
        motions[c] = (clump_motion){
            .turn = quat_to_mat3(middle.orientation),
            .centre = middle.position,
            .velocity = vec3_from(v),
            .omega = quat_rotate(middle.orientation, omega),
        };
    }
}

static void follow(struct eng_spheres *spheres, int first)
{
    follow_context context = {spheres, first};
    base_parallel_for(spheres->world->workers, spheres->clump_count - first, CLUMP_CHUNK,
                      follow_chunk, &context);
}

void eng_spheres_clumps_follow(struct eng_spheres *spheres)
{
    follow(spheres, spheres->moved_clumps);
}

static void place_member(struct eng_spheres *spheres, int slot)
{
    const eng_spheres_member *member =
        &eng_spheres_members(spheres)[~eng_spheres_ids(spheres)[slot]];
    const clump_motion *clump = (const clump_motion *)spheres->motions.block + member->clump;
    double *X = spheres->pass.X[slot], *V = spheres->pass.V[slot];
    double radius = spheres->pass.constants[slot][3];
    vec3 arm = mat3_apply(&clump->turn, vec3_from(member->offset)), before = vec3_from(X);
    vec3 place = vec3_add(clump->centre, arm), omega = clump->omega;
    vec3_store(X, place);
    X[3] = omega.z;
    vec3_store(V, vec3_add(clump->velocity, vec3_cross(omega, arm)));
    vec3_store(V + 3, vec3_scale(radius, omega));
    V[6] = omega.x;
    V[7] = omega.y;
    ((double *)spheres->ways.block)[slot] = vec3_norm_squared(vec3_sub(place, before));
}

double eng_spheres_members_place(struct eng_spheres *spheres, eng_spheres_chunk *chunk)
{
    const double *ways = spheres->ways.block;
    const eng_spheres_member *members = eng_spheres_members(spheres);
    double most = 0.0, finite = 0.0;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++) {
        int id = eng_spheres_ids(spheres)[slot];
        if (id >= 0)
            continue;
        if (members[~id].clump >= spheres->moved_clumps)
            place_member(spheres, slot);
        most = ways[slot] > most ? ways[slot] : most;
        finite += 0.0 * ways[slot];
    }
    chunk->finite += finite;
    return sqrt(most);
}

void eng_spheres_members_renew(struct eng_spheres *spheres)
{
    spheres->members_due = false;
    follow(spheres, 0);
    for (int slot = 0; slot < spheres->slots && spheres->clump_count > 0; slot++)
        if (eng_spheres_ids(spheres)[slot] < 0)
            place_member(spheres, slot);
    spheres->slack = -1.0;
}

// ---------------------------------------------------------------- forces

static void push_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const struct eng_spheres *spheres = argument;
    cairn_world *world = spheres->world;
    double step = spheres->pass.step;
    for (int c = begin + spheres->moved_clumps; c < end + spheres->moved_clumps; c++) {
        int body = eng_spheres_clumps(spheres)[c].body;
        const eng_spheres_member *members =
            eng_spheres_members(spheres) + world->bodies[body].first_collider;
        mat3 turn = quat_to_mat3(world->q_mid[body].orientation);
        vec3 force = {0.0, 0.0, 0.0}, torque = force;
        for (int k = 0; k < eng_collider_count_of(world, body); k++) {
            const double *sum = spheres->pass.sums[members[k].slot];
            vec3 arm = mat3_apply(&turn, vec3_from(members[k].offset)), own = vec3_from(sum);
            force = vec3_add(force, own);
            torque = vec3_add(torque, vec3_add(vec3_from(sum + 3), vec3_cross(arm, own)));
        }
        eng_body_push(world, body, vec3_scale(step, force), vec3_scale(step, torque));
    }
}

void eng_spheres_clumps_push(struct eng_spheres *spheres)
{
    base_parallel_for(spheres->world->workers, spheres->clump_count - spheres->moved_clumps,
                      CLUMP_CHUNK, push_chunk, spheres);
}

// ---------------------------------------------------------------- read-outs

static const eng_spheres_member *member_of(const struct eng_spheres *spheres, int slot)
{
    return &eng_spheres_members(spheres)[~eng_spheres_ids(spheres)[slot]];
}

/// The general passes keep it; else it is where the end of the step came from.
pose eng_spheres_clump_middle(const struct eng_spheres *spheres, int body)
{
    const cairn_world *world = spheres->world;
    if (!eng_spheres_moves(spheres, body))
        return body < world->blocks_count ? world->q_mid[body] : world->q[body];
    const pose *q = &world->q[body];
    const double *v = world->v[body];
    double back = -0.5 * spheres->last_step;
    return (pose){vec3_add_scaled(q->position, back, vec3_from(v)),
                  eng_rotation_advance(q->orientation, vec3_scale(back, vec3_from(v + 3)))};
}

vec3 eng_spheres_member_centre(const struct eng_spheres *spheres, int slot)
{
    const eng_spheres_member *member = member_of(spheres, slot);
    pose middle = eng_spheres_clump_middle(spheres, member->body);
    return pose_apply(&middle, vec3_from(member->offset));
}

vec3 eng_spheres_member_omega(const struct eng_spheres *spheres, int slot)
{
    int body = member_of(spheres, slot)->body;
    return quat_rotate(eng_spheres_clump_middle(spheres, body).orientation,
                       vec3_from(spheres->world->v[body] + 3));
}

vec3 eng_spheres_member_velocity(const struct eng_spheres *spheres, int slot)
{
    const eng_spheres_member *member = member_of(spheres, slot);
    pose middle = eng_spheres_clump_middle(spheres, member->body);
    return eng_point_velocity(spheres->world->v[member->body], &middle,
                              pose_apply(&middle, vec3_from(member->offset)));
}
