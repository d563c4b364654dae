// SPDX-License-Identifier: Apache-2.0
// Clumps in the sphere executor: their members, places of these, and the forces on them.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/state/rotation.h"

#include <stdlib.h>
#include <string.h>

enum { CLUMP_CHUNK = 64, GROUP_CHUNK = 8 };

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
    return !world->state.cell.any && eng_spheres_is_of_spheres(world, body);
}

bool eng_spheres_is_of_spheres(const cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    if (b->shape < 0 || b->kind != CAIRN_DYNAMIC ||
        world->model.shapes.rows[b->shape]->kind != GEO_COMPOUND)
        return false;
    const geo_compound *compound = &world->model.shapes.rows[b->shape]->compound;
    for (int k = 0; k < compound->member_count; k++)
        if (compound->members[k]->kind != GEO_SPHERE)
            return false;
    return true;
}

bool eng_spheres_is_clump(const struct eng_spheres *spheres, int body)
{
    int first = spheres->world->model.bodies.rows[body].first_collider;
    return spheres->clumps.count > 0 && spheres->world->model.bodies.rows[body].shape >= 0 &&
           first < spheres->clumps.member_room && eng_spheres_members(spheres)[first].body == body;
}

static void add_clump(struct eng_spheres *spheres, int body)
{
    const cairn_world *world = spheres->world;
    eng_spheres_member *members =
        eng_spheres_members(spheres) + world->model.bodies.rows[body].first_collider;
    for (int k = 0; k < eng_collider_count_of(world, body); k++) {
        eng_part part = eng_part_of(world, body, k);
        members[k] = (eng_spheres_member){
            .offset = {part.place.position.x, part.place.position.y, part.place.position.z,
                       part.shape->sphere.radius},
            .slot = ENG_SPHERES_NO_SLOT,
            .clump = spheres->clumps.count,
            .body = body,
        };
    }
    eng_spheres_clumps(spheres)[spheres->clumps.count++] = (eng_spheres_clump){
        .body = body,
        .first = world->model.bodies.rows[body].first_collider,
        .count = eng_collider_count_of(world, body),
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
    for (int i = 0; i < world->model.bodies.count; i++)
        count += eng_spheres_may_be_clump(world, i) && wanted(spheres, i);
    spheres->clumps.count = spheres->clumps.member_room = 0;
    spheres->clumps.unjointed_count = spheres->clumps.moved = 0;
    spheres->clumps.due = true;
    if (count > 0)
        room = (size_t)world->contacts.colliders.count;
    cairn_status status =
        eng_spheres_reserve(spheres, &spheres->clumps.rows, count * sizeof(eng_spheres_clump));
    if (status == CAIRN_OK)
        status =
            eng_spheres_reserve(spheres, &spheres->clumps.motions, count * sizeof(clump_motion));
    if (status == CAIRN_OK)
        status = eng_spheres_reserve(spheres, &spheres->clumps.members,
                                     room * sizeof(eng_spheres_member));
    if (status != CAIRN_OK || count == 0)
        return status;
    spheres->clumps.member_room = (int)room;
    for (int i = 0; i < spheres->clumps.member_room; i++)
        eng_spheres_members(spheres)[i] =
            (eng_spheres_member){.slot = ENG_SPHERES_NO_SLOT, .clump = -1, .body = -1};
    for (int tied = 0; tied < 2; tied++) {
        for (int i = 0; i < world->model.bodies.count; i++)
            if (is_tied(world, i) == tied && eng_spheres_may_be_clump(world, i) &&
                wanted(spheres, i))
                add_clump(spheres, i);
        if (tied == 0)
            spheres->clumps.unjointed_count = spheres->clumps.count;
    }
    return CAIRN_OK;
}

bool eng_spheres_moves(const struct eng_spheres *spheres, int body)
{
    if (spheres->clumps.moved == 0 || !eng_spheres_is_clump(spheres, body))
        return false;
    int first = spheres->world->model.bodies.rows[body].first_collider;
    return eng_spheres_members(spheres)[first].clump < spheres->clumps.moved;
}

/// Whether a body is dynamic and no clump, without a slot.
static bool is_other(const struct eng_spheres *spheres, int body)
{
    const eng_body *b = &spheres->world->model.bodies.rows[body];
    return b->kind == CAIRN_DYNAMIC && b->shape >= 0 && !eng_spheres_is_clump(spheres, body) &&
           eng_spheres_slot_of(spheres, body) == ENG_SPHERES_NO_SLOT;
}

void eng_spheres_clumps_share(struct eng_spheres *spheres)
{
    // contacts with such bodies, and what acts on clumps, are found by the general passes
    for (int i = 0; i < spheres->world->model.bodies.count && spheres->clumps.unjointed_count > 0;
         i++)
        if (is_other(spheres, i))
            spheres->clumps.unjointed_count = 0;
}

bool eng_spheres_clumps_are_unjointed(const struct eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    return spheres->clumps.unjointed_count > 0 && world->model.def.rotation == CAIRN_RIG_IMP &&
           world->state.bodies.loads == NULL && world->model.program.field_count == 0;
}

// ---------------------------------------------------------------- motion

/// A clump in the order in which groups take them: by the number of members, and by places.
typedef struct place_in_order {
    int count, slot, clump;
} place_in_order;

static int compare_places(const void *a, const void *b)
{
    const place_in_order *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static void fill_lane(const struct eng_spheres *spheres, const eng_spheres_clump *clump, int lane,
                      eng_spheres_clump_group *group, eng_spheres_member_row *rows)
{
    double inverse[6];
    vec3 inertia = eng_inertia_of(spheres->world, clump->body);
    eng_mass_inverse_of(spheres->world, clump->body, inverse);
    group->body[lane] = clump->body;
    group->mass_inverse[lane] = inverse[0];
    for (int i = 0; i < 3; i++) {
        group->inertia[i][lane] = vec3_get(inertia, i);
        group->inertia_inverse[i][lane] = inverse[3 + i];
    }
    for (int k = 0; k < group->row_count; k++) {
        const eng_spheres_member none = {.slot = -1};
        const eng_spheres_member *member =
            k < clump->count ? eng_spheres_members(spheres) + clump->first + k : &none;
        for (int i = 0; i < 4; i++)
            rows[k].offset[i][lane] = member->offset[i];
        rows[k].row8[lane] = 8 * member->slot;
    }
}

/// Groups of so many clumps, in their order.
static void fill_groups(struct eng_spheres *spheres, const eng_spheres_clump *clumps,
                        const place_in_order *order, int count)
{
    eng_spheres_clump_group *groups = spheres->clumps.groups.block;
    int first_row = 0;
    spheres->clumps.group_count = 0;
    for (int first = 0; first < count; first += ENG_SPHERES_WIDTH) {
        int last = (first + ENG_SPHERES_WIDTH < count ? first + ENG_SPHERES_WIDTH : count) - 1;
        eng_spheres_clump_group *group = &groups[spheres->clumps.group_count++];
        group->count = last + 1 - first;
        group->first_row = first_row;
        group->row_count = order[last].count;
        group->even = order[first].count == order[last].count;
        for (int lane = 0; lane < ENG_SPHERES_WIDTH; lane++) {
            int place = first + lane < last ? first + lane : last;
            fill_lane(spheres, &clumps[order[place].clump], lane, group,
                      (eng_spheres_member_row *)spheres->clumps.member_rows.block + first_row);
        }
        first_row += group->row_count;
    }
}

static cairn_status make_groups(struct eng_spheres *spheres)
{
    bool shared = eng_spheres_is_shared(spheres);
    const eng_spheres_clump *clumps =
        shared ? spheres->share->clumps.block : eng_spheres_clumps(spheres);
    int count = shared ? spheres->share->clump_count : spheres->clumps.moved;
    size_t rows = 0, groups = ((size_t)count + ENG_SPHERES_WIDTH - 1) / ENG_SPHERES_WIDTH;
    const base_allocator *allocator = &spheres->world->model.allocator;
    place_in_order *order = base_allocate(allocator, (size_t)count + 1, sizeof *order);
    if (order == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int c = 0; c < count; c++)
        order[c] = (place_in_order){clumps[c].count,
                                    eng_spheres_members(spheres)[clumps[c].first].slot, c};
    qsort(order, (size_t)count, sizeof *order, compare_places);
    for (int last = count - 1; last >= 0; last = (last / ENG_SPHERES_WIDTH) * ENG_SPHERES_WIDTH - 1)
        rows += (size_t)order[last].count;
    cairn_status status = eng_spheres_reserve(spheres, &spheres->clumps.groups,
                                              groups * sizeof(eng_spheres_clump_group));
    if (status == CAIRN_OK)
        status = eng_spheres_reserve(spheres, &spheres->clumps.member_rows,
                                     rows * sizeof(eng_spheres_member_row));
    if (status == CAIRN_OK)
        fill_groups(spheres, clumps, order, count);
    spheres->clumps.due = status != CAIRN_OK;
    base_release(allocator, order);
    return status;
}

static void move_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const struct eng_spheres *spheres = argument;
    const eng_spheres_clump_pass pass = {
        .pass = &spheres->pass,
        .groups = spheres->clumps.groups.block,
        .rows = spheres->clumps.member_rows.block,
        .q = spheres->world->state.bodies.q,
        .v = spheres->world->state.bodies.v,
        .ways = spheres->clumps.ways.block,
    };
    spheres->kernel->clumps(&pass, begin, end);
}

cairn_status eng_spheres_clumps_move(struct eng_spheres *spheres)
{
    cairn_status status = spheres->clumps.due ? make_groups(spheres) : CAIRN_OK;
    if (status == CAIRN_OK)
        base_parallel_for(spheres->world->model.workers, spheres->clumps.group_count, GROUP_CHUNK,
                          move_chunk, spheres);
    return status;
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
    clump_motion *motions = spheres->clumps.motions.block;
    double half = 0.5 * spheres->pass.step;
    for (int c = context->first + begin; c < context->first + end; c++) {
        int body = eng_spheres_clumps(spheres)[c].body;
        const double *v = world->state.bodies.v[body];
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
    base_parallel_for(spheres->world->model.workers, spheres->clumps.count - first, CLUMP_CHUNK,
                      follow_chunk, &context);
}

void eng_spheres_clumps_follow(struct eng_spheres *spheres)
{
    follow(spheres, spheres->clumps.moved);
}

static void place_member(struct eng_spheres *spheres, int slot)
{
    const eng_spheres_member *member =
        &eng_spheres_members(spheres)[~eng_spheres_ids(spheres)[slot]];
    const clump_motion *clump = (const clump_motion *)spheres->clumps.motions.block + member->clump;
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
    ((double *)spheres->clumps.ways.block)[slot] = vec3_norm_squared(vec3_sub(place, before));
}

/// The same where the kernel has placed all slots of the chunk: eight maxima at a time.
static double longest_way(const double *ways, eng_spheres_chunk *chunk)
{
    double most[ENG_SPHERES_WIDTH] = {0.0}, finite[ENG_SPHERES_WIDTH] = {0.0};
    int slot = chunk->first_slot;
    for (; slot + ENG_SPHERES_WIDTH <= chunk->end_slot; slot += ENG_SPHERES_WIDTH)
        for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
            most[k] = ways[slot + k] > most[k] ? ways[slot + k] : most[k];
            finite[k] += 0.0 * ways[slot + k];
        }
    for (; slot < chunk->end_slot; slot++) {
        most[0] = ways[slot] > most[0] ? ways[slot] : most[0];
        finite[0] += 0.0 * ways[slot];
    }
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
        most[0] = most[k] > most[0] ? most[k] : most[0];
        chunk->finite += finite[k];
    }
    return sqrt(most[0]);
}

double eng_spheres_members_place(struct eng_spheres *spheres, eng_spheres_chunk *chunk)
{
    const double *ways = spheres->clumps.ways.block;
    const eng_spheres_member *members = eng_spheres_members(spheres);
    if (chunk->members == chunk->end_slot - chunk->first_slot &&
        spheres->clumps.moved == spheres->clumps.count)
        return longest_way(ways, chunk);
    double most = 0.0, finite = 0.0;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++) {
        int id = eng_spheres_ids(spheres)[slot];
        if (id >= 0)
            continue;
        if (members[~id].clump >= spheres->clumps.moved)
            place_member(spheres, slot);
        most = ways[slot] > most ? ways[slot] : most;
        finite += 0.0 * ways[slot];
    }
    chunk->finite += finite;
    return sqrt(most);
}

void eng_spheres_members_renew(struct eng_spheres *spheres)
{
    spheres->clumps.members_due = false;
    follow(spheres, 0);
    for (int slot = 0; slot < spheres->table.slots && spheres->clumps.count > 0; slot++)
        if (eng_spheres_ids(spheres)[slot] < 0)
            place_member(spheres, slot);
    spheres->list.slack = -1.0;
}

// ---------------------------------------------------------------- forces

static void push_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const struct eng_spheres *spheres = argument;
    cairn_world *world = spheres->world;
    double step = spheres->pass.step;
    for (int c = begin + spheres->clumps.moved; c < end + spheres->clumps.moved; c++) {
        int body = eng_spheres_clumps(spheres)[c].body;
        const eng_spheres_member *members =
            eng_spheres_members(spheres) + world->model.bodies.rows[body].first_collider;
        mat3 turn = quat_to_mat3(world->state.bodies.q_mid[body].orientation);
        vec3 force = {0.0, 0.0, 0.0}, torque = force;
        for (int k = 0; k < eng_collider_count_of(world, body); k++) {
            const double *sum = spheres->pass.sums[members[k].slot];
            vec3 arm = mat3_apply(&turn, vec3_from(members[k].offset)), own = vec3_from(sum);
            force = vec3_add(force, own);
            torque = vec3_add(torque, vec3_add(vec3_from(sum + 3), vec3_cross(arm, own)));
        }
        eng_body_push(&world->state, body, vec3_scale(step, force), vec3_scale(step, torque));
    }
}

void eng_spheres_clumps_push(struct eng_spheres *spheres)
{
    base_parallel_for(spheres->world->model.workers, spheres->clumps.count - spheres->clumps.moved,
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
        return body < world->state.bodies.step_rows ? world->state.bodies.q_mid[body]
                                                    : world->state.bodies.q[body];
    const pose *q = &world->state.bodies.q[body];
    const double *v = world->state.bodies.v[body];
    double back = -0.5 * spheres->table.last_step;
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
                       vec3_from(spheres->world->state.bodies.v[body] + 3));
}

vec3 eng_spheres_member_velocity(const struct eng_spheres *spheres, int slot)
{
    const eng_spheres_member *member = member_of(spheres, slot);
    pose middle = eng_spheres_clump_middle(spheres, member->body);
    return eng_point_velocity(spheres->world->state.bodies.v[member->body], &middle,
                              pose_apply(&middle, vec3_from(member->offset)));
}
