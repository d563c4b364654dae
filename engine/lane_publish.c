// SPDX-License-Identifier: Apache-2.0
// From the spheres lane to the world: bodies, contacts, energies, forces on bodies.
#include "engine/lane.h"
#include "engine/lane_data.h"

#include "engine/rotation.h"
#include "geometry/narrow.h"

#include <stdlib.h>
#include <string.h>

static vec3 row_velocity(const eng_lane *lane, int row)
{
    return vec3_from(lane->pass.V[row]);
}

static vec3 row_spin(const eng_lane *lane, int row)
{
    const double *V = lane->pass.V[row];
    return vec3_make(V[6], V[7], lane->pass.X[row][3]);
}

/// Centre of a row in the step just done: rows hold the midpoint of the next step.
static vec3 row_centre(const eng_lane *lane, int row)
{
    return vec3_add_scaled(vec3_from(lane->pass.X[row]), -lane->pass.step, row_velocity(lane, row));
}

/// Velocity of a row's material point at `arm` from its centre.
static vec3 row_point_velocity(const eng_lane *lane, int row, vec3 arm)
{
    return vec3_add(row_velocity(lane, row), vec3_cross(row_spin(lane, row), arm));
}

static const eng_lane_ghost *ghost_of(const eng_lane *lane, int row)
{
    return (const eng_lane_ghost *)lane->ghosts.block + (row - lane->rows - 2);
}

/// Body B, normal, gap and velocity of B at the contact point, for a half-space.
static vec3 meet_wall(const eng_lane *lane, int row, vec3 centre, double radius,
                      eng_lane_contact *c)
{
    const eng_lane_wall *walls = lane->walls.block, *wall = &walls[ghost_of(lane, row)->wall];
    double distance = vec3_dot(wall->before.normal, vec3_sub(centre, wall->before.point));
    c->wall = true;
    c->body[1] = wall->body;
    c->normal = vec3_negate(wall->before.normal);
    c->gap = distance - radius;
    c->point = vec3_add_scaled(centre, radius + 0.5 * c->gap, c->normal);
    vec3 arm = vec3_sub(c->point, wall->before.centre);
    return vec3_add(wall->velocity, vec3_cross(wall->spin, arm));
}

static vec3 meet_sphere(const eng_lane *lane, int row, vec3 centre, double radius,
                        eng_lane_contact *c)
{
    vec3 other = row_centre(lane, row), apart = vec3_sub(other, centre);
    double distance = vec3_norm(apart);
    c->body[1] = eng_lane_ids(lane)[row];
    c->normal = vec3_scale(1.0 / distance, apart);
    c->gap = distance - radius - lane->pass.constants[row][3];
    c->point = vec3_add_scaled(centre, radius + 0.5 * c->gap, c->normal);
    return row_point_velocity(lane, row, vec3_sub(c->point, other));
}

static const eng_lane_terms *terms_of(const eng_lane *lane, const eng_lane_contact *c)
{
    const cairn_world *world = lane->world;
    const eng_lane_terms *all = lane->terms.block;
    return &all[eng_surface_of(world, c->body[0], c->body[1]) - world->surfaces];
}

static vec3 spring_of(const eng_lane_block *block, int k)
{
    return vec3_make(block->spring[0][k], block->spring[1][k], block->spring[2][k]);
}

static vec3 lag_of(const eng_lane_block *block, int k)
{
    const float(*lag)[ENG_LANE_WIDTH] = (const float(*)[ENG_LANE_WIDTH])block->lag_tangent;
    return vec3_make((double)lag[0][k], (double)lag[1][k], (double)lag[2][k]);
}

eng_lane_contact eng_lane_contact_of(const eng_lane *lane, const eng_lane_block *block, int k)
{
    int a = eng_lane_row_a(block, k), b = eng_lane_row_b(block, k);
    double radius = lane->pass.constants[a][3];
    eng_lane_contact c = {
        .body = {eng_lane_ids(lane)[a], 0}
    };
    vec3 centre = row_centre(lane, a);
    vec3 velocity_b = b >= lane->rows ? meet_wall(lane, b, centre, radius, &c)
                                      : meet_sphere(lane, b, centre, radius, &c);
    vec3 arm = vec3_sub(c.point, centre);
    c.velocity = vec3_sub(velocity_b, row_point_velocity(lane, a, arm));
    const eng_lane_terms *terms = terms_of(lane, &c);
    bool hertz = terms->law == ENG_LANE_HERTZ;
    double depth = fmax(-c.gap, 0.0);
    const eng_lane_hertz *more = eng_lane_hertz_of(lane, block);
    double area = hertz ? more->root_radius[k] * sqrt(depth) : 1.0;
    c.stiffness = hertz ? more->slope[k] : terms->tangential;
    c.spring = terms->normal * area * depth;
    c.elastic = (hertz ? 0.4 : 0.5) * c.spring * depth;
    vec3 along = vec3_add(spring_of(block, k), lag_of(block, k));
    c.force = vec3_add_scaled(along, c.spring + (double)block->lag_normal[k], c.normal);
    return c;
}

eng_lane_pending eng_lane_pending_of(const eng_lane *lane, const eng_lane_block *block, int k,
                                     const eng_lane_contact *c)
{
    double half = 0.5 * lane->pass.step, normal = vec3_dot(c->normal, c->velocity);
    vec3 spring = spring_of(block, k), lag = lag_of(block, k);
    double along = half * vec3_dot(spring, c->velocity);
    double loss = half * vec3_dot(lag, c->velocity);
    bool slips = block->slip >> k & 1;
    double stored = c->stiffness > 0.0 ? 0.5 * vec3_norm_squared(spring) / c->stiffness : 0.0;
    return (eng_lane_pending){
        .elastic = c->elastic + stored - half * c->spring * normal - along,
        .loose = stored - along,
        .damping = -half * (double)block->lag_normal[k] * normal - (slips ? 0.0 : loss),
        .friction = slips ? -loss : 0.0,
    };
}

/// Orientation at the midpoint of the coming step.
static quat row_middle(const eng_lane *lane, int row)
{
    const double(*turn)[8] = (const double(*)[8])lane->pass.turn[row / ENG_LANE_WIDTH];
    int k = row % ENG_LANE_WIDTH;
    return (quat){turn[0][k], turn[1][k], turn[2][k], turn[3][k]};
}

static vec3 row_position(const eng_lane *lane, int row)
{
    return vec3_add_scaled(vec3_from(lane->pass.X[row]), -0.5 * lane->pass.step,
                           row_velocity(lane, row));
}

/// Spin in the body's own axes.
static vec3 row_own_spin(const eng_lane *lane, int row)
{
    return quat_rotate_inverse(row_middle(lane, row), row_spin(lane, row));
}

static eng_state row_state(const eng_lane *lane, int row)
{
    eng_state state;
    vec3 spin = row_own_spin(lane, row), half = vec3_scale(-0.5 * lane->pass.step, spin);
    state.q.position = row_position(lane, row);
    state.q.orientation = eng_rotation_advance(row_middle(lane, row), half);
    vec3_store(state.v, row_velocity(lane, row));
    vec3_store(state.v + 3, spin);
    return state;
}

bool eng_lane_holds_state(const cairn_world *world)
{
    return eng_lane_is_active(world) && !world->lane->current;
}

eng_state eng_lane_state_of(const cairn_world *world, int body)
{
    const eng_lane *lane = world->lane;
    if (world->shapes[world->bodies[body].shape]->kind == GEO_HALFSPACE)
        return eng_lane_wall_of(lane, body)->state;
    return row_state(lane, ((const int *)lane->row_of.block)[body]);
}

cairn_status eng_lane_publish(const cairn_world *constant)
{
    eng_lane *lane = constant->lane;
    if (lane == NULL || !lane->active)
        return CAIRN_OK;
    lane->published = true;
    if (lane->current)
        return CAIRN_OK;
    cairn_world *world = lane->world;
    cairn_status status = eng_state_reserve(world, world->body_count);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < world->body_count; i++) {
        eng_state state = eng_lane_state_of(world, i);
        world->q[i] = state.q;
        memcpy(world->v[i], state.v, sizeof state.v);
    }
    lane->current = true;
    return CAIRN_OK;
}

double eng_lane_kinetic_energy(const cairn_world *world)
{
    const eng_lane *lane = world->lane;
    const int *row_of = lane->row_of.block;
    double sum = 0.0;
    for (int i = 0; i < world->body_count; i++) {
        double v[6];
        if (world->bodies[i].kind != CAIRN_DYNAMIC)
            continue;
        vec3_store(v, row_velocity(lane, row_of[i]));
        vec3_store(v + 3, row_own_spin(lane, row_of[i]));
        sum += eng_body_kinetic_energy(world, i, v);
    }
    return sum;
}

double eng_lane_potential_energy(const cairn_world *world)
{
    const eng_lane *lane = world->lane;
    const int *row_of = lane->row_of.block;
    vec3 g = vec3_from(world->def.gravity);
    double sum = 0.0;
    for (int i = 0; i < world->body_count; i++)
        if (world->bodies[i].kind == CAIRN_DYNAMIC)
            sum -= world->bodies[i].mass * vec3_dot(g, row_position(lane, row_of[i]));
    return sum;
}

/// A touching pair, for sorting.
typedef struct touching {
    int first, second; // bodies, which have one collider each
    int slot;
} touching;

static int compare_touching(const void *a, const void *b)
{
    const touching *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->second < y->second ? -1 : x->second > y->second;
}

int eng_lane_body_of(const eng_lane *lane, int row)
{
    if (row < lane->rows)
        return eng_lane_ids(lane)[row];
    return ((const eng_lane_wall *)lane->walls.block)[ghost_of(lane, row)->wall].body;
}

/// Touching pairs in the order of bodies; NULL when out of memory. To be released.
static touching *collect(const eng_lane *lane, int *count)
{
    const cairn_world *world = lane->world;
    int made = 0;
    for (int i = 0; i < lane->block_count; i++)
        made += __builtin_popcount(lane->pass.blocks[i].touch);
    touching *list = base_allocate(&world->allocator, (size_t)made + 1, sizeof *list);
    if (list == NULL)
        return NULL;
    made = 0;
    for (int slot = 0; slot < lane->block_count * ENG_LANE_WIDTH; slot++) {
        const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
        int k = slot % ENG_LANE_WIDTH;
        if (!(block->touch >> k & 1))
            continue;
        int a = eng_lane_body_of(lane, eng_lane_row_a(block, k));
        int b = eng_lane_body_of(lane, eng_lane_row_b(block, k));
        list[made++] = (touching){a < b ? a : b, a < b ? b : a, slot};
    }
    qsort(list, (size_t)made, sizeof *list, compare_touching);
    *count = made;
    return list;
}

/// One contact as the ordinary blocks would hold it.
static void write_contact(const eng_lane *lane, eng_contacts *to, int index, const touching *pair)
{
    const cairn_world *world = lane->world;
    const eng_lane_block *block = &lane->pass.blocks[pair->slot / ENG_LANE_WIDTH];
    int k = pair->slot % ENG_LANE_WIDTH;
    eng_lane_contact c = eng_lane_contact_of(lane, block, k);
    bool flip = pair->first != c.body[0];
    double sign = flip ? -1.0 : 1.0;
    uint32_t code[2] = {geo_code_vertex(0), c.wall ? geo_code_face(0) : geo_code_vertex(0)};
    vec3 normal = vec3_scale(sign, c.normal), t1, t2;
    vec3_tangents(normal, &t1, &t2);
    mat3 frame = mat3_from_rows(normal, t1, t2);
    to->pair[index] = index;
    to->body[index][0] = c.body[flip];
    to->body[index][1] = c.body[!flip];
    to->surface[index] = (int)(eng_surface_of(world, c.body[0], c.body[1]) - world->surfaces);
    to->key[index] = (uint64_t)code[flip] << 32 | code[!flip];
    to->gap[index] = c.gap;
    to->frame[index] = frame;
    to->point[index] = c.point;
    to->fresh[index] = 0;
    vec3_store(to->R[index], mat3_apply(&frame, vec3_scale(sign * lane->pass.step, c.force)));
    vec3_store(to->U[index], mat3_apply(&frame, vec3_scale(sign, c.velocity)));
    memcpy(to->V[index], to->U[index], sizeof to->V[index]);
    memset(to->history[index], 0, sizeof to->history[index]);
    for (int axis = 0; axis < 3; axis++)
        to->history[index][axis] = sign * block->spring[axis][k];
    if (terms_of(lane, &c)->law == ENG_LANE_HERTZ)
        to->history[index][ENG_LANE_SLOPE] = eng_lane_hertz_of(lane, block)->slope[k];
    to->loose[index] = eng_lane_pending_of(lane, block, k, &c).loose;
}

static cairn_status write_contacts(eng_lane *lane)
{
    cairn_world *world = lane->world;
    int count = 0;
    lane->contacts_published = true;
    if (lane->contacts_current)
        return CAIRN_OK;
    world->contacts.count = world->contacts.cone_count = 0;
    touching *list = collect(lane, &count);
    if (list == NULL ||
        eng_contacts_reserve(&world->allocator, &world->contacts, count) != CAIRN_OK) {
        base_release(&world->allocator, list);
        return CAIRN_ERROR_MEMORY;
    }
    for (int i = 0; i < count; i++)
        write_contact(lane, &world->contacts, i, &list[i]);
    world->contacts.count = count;
    base_release(&world->allocator, list);
    lane->contacts_current = true;
    return CAIRN_OK;
}

void eng_lane_publish_contacts(const cairn_world *world)
{
    if (eng_lane_is_active(world) && write_contacts(world->lane) != CAIRN_OK)
        world->lane->out_of_memory = true;
}

/// What all contacts owe, in the order of blocks.
static eng_lane_pending sum_pending(const eng_lane *lane)
{
    eng_lane_pending sum = {0};
    for (int slot = 0; slot < lane->block_count * ENG_LANE_WIDTH; slot++) {
        const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
        int k = slot % ENG_LANE_WIDTH;
        if (!(block->touch >> k & 1))
            continue;
        eng_lane_contact c = eng_lane_contact_of(lane, block, k);
        eng_lane_pending part = eng_lane_pending_of(lane, block, k, &c);
        sum.elastic += part.elastic;
        sum.damping += part.damping;
        sum.friction += part.friction;
    }
    return sum;
}

/// Velocity of a body's material point at the begin of the world's first step, which the lane has
/// not written over yet.
static vec3 velocity_before(const cairn_world *world, int body, vec3 arm)
{
    const double *v = world->v[body];
    vec3 spin = quat_rotate(world->q[body].orientation, vec3_from(v + 3));
    return vec3_add(vec3_from(v), vec3_cross(spin, arm));
}

/// Energy at the begin of the world's first step, 0 for a pair that was apart, contact/audit.h.
static double start_of(const eng_lane *lane, const eng_lane_block *block, int k)
{
    const cairn_world *world = lane->world;
    eng_lane_contact c = eng_lane_contact_of(lane, block, k);
    int a = eng_lane_row_a(block, k), b = eng_lane_row_b(block, k);
    vec3 centre_a = row_centre(lane, a);
    vec3 centre_b =
        c.wall ? ((const eng_lane_wall *)lane->walls.block)[ghost_of(lane, b)->wall].before.centre
               : row_centre(lane, b);
    vec3 velocity = vec3_sub(velocity_before(world, c.body[1], vec3_sub(c.point, centre_b)),
                             velocity_before(world, c.body[0], vec3_sub(c.point, centre_a)));
    double half = 0.5 * lane->pass.step, normal = vec3_dot(c.normal, velocity);
    if (c.gap - half * normal > 0.0)
        return 0.0;
    vec3 spring = spring_of(block, k);
    double stored = c.stiffness > 0.0 ? 0.5 * vec3_norm_squared(spring) / c.stiffness : 0.0;
    return c.elastic + stored + half * (c.spring * normal + vec3_dot(spring, velocity));
}

double eng_lane_start_energy(const eng_lane *lane)
{
    double sum = 0.0;
    for (int slot = 0; slot < lane->block_count * ENG_LANE_WIDTH; slot++) {
        const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
        if (block->touch >> slot % ENG_LANE_WIDTH & 1)
            sum += start_of(lane, block, slot % ENG_LANE_WIDTH);
    }
    return sum;
}

void eng_lane_energy(const cairn_world *world, cairn_energy *e)
{
    eng_lane_pending pending = sum_pending(world->lane);
    e->elastic = pending.elastic;
    e->damping += pending.damping;
    e->friction += pending.friction;
    e->kinetic = eng_kinetic_energy(world);
    e->potential = eng_potential_energy(world);
    double given = world->energy_start + e->drivers + e->correction;
    double lost = e->impact + e->friction + e->damping + e->plastic;
    e->residual = e->kinetic + e->potential + e->elastic + lost - given;
}

/// Adds the force of a slot on one of its sides, a sphere.
static void add_side(const eng_lane *lane, int slot, bool on_b, vec3 centre, vec3 *force,
                     vec3 *torque)
{
    const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
    int k = slot % ENG_LANE_WIDTH;
    if (!(block->touch >> k & 1))
        return;
    eng_lane_contact c = eng_lane_contact_of(lane, block, k);
    vec3 given = vec3_scale(on_b ? 1.0 : -1.0, c.force);
    *force = vec3_add(*force, given);
    *torque = vec3_add(*torque, vec3_cross(vec3_sub(c.point, centre), given));
}

static void wall_force(const eng_lane *lane, int body, vec3 *force, vec3 *torque)
{
    for (int i = 0; i < lane->ghost_count; i++) {
        const eng_lane_ghost *ghost = (const eng_lane_ghost *)lane->ghosts.block + i;
        const eng_lane_wall *wall = (const eng_lane_wall *)lane->walls.block + ghost->wall;
        const eng_lane_block *block = &lane->pass.blocks[ghost->slot / ENG_LANE_WIDTH];
        int k = ghost->slot % ENG_LANE_WIDTH;
        if (wall->body != body || !(block->touch >> k & 1))
            continue;
        eng_lane_contact c = eng_lane_contact_of(lane, block, k);
        *force = vec3_add(*force, c.force);
        vec3 arm = vec3_sub(c.point, wall->before.centre);
        *torque = vec3_add(*torque, vec3_cross(arm, c.force));
    }
}

void eng_lane_body_force(const cairn_world *world, int body, vec3 *force, vec3 *torque)
{
    const eng_lane *lane = world->lane;
    *force = *torque = vec3_make(0.0, 0.0, 0.0);
    if (lane->block_count == 0)
        return;
    if (world->shapes[world->bodies[body].shape]->kind == GEO_HALFSPACE) {
        wall_force(lane, body, force, torque);
        return;
    }
    const eng_lane_pass *pass = &lane->pass;
    int row = ((const int *)lane->row_of.block)[body];
    vec3 centre = row_centre(lane, row);
    for (int i = pass->near_start[row]; i < pass->near_start[row + 1]; i++) {
        int slot = eng_lane_slot_of(lane, row, pass->near[i]);
        if (slot >= 0)
            add_side(lane, slot, pass->near[i] & 1, centre, force, torque);
    }
    for (int i = pass->far_start[row]; i < pass->far_start[row + 1]; i++)
        add_side(lane, pass->far[i] / 8, pass->far[i] & 1, centre, force, torque);
}

cairn_status eng_lane_publish_pairs(const cairn_world *constant)
{
    if (!eng_lane_is_active(constant))
        return CAIRN_OK;
    eng_lane *lane = constant->lane;
    if (lane->out_of_memory || write_contacts(lane) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    cairn_world *world = lane->world;
    int count = world->contacts.count, capacity = world->pair_capacity;
    const base_allocator *allocator = &world->allocator;
    if (eng_lane_publish(constant) != CAIRN_OK ||
        base_array_reserve(allocator, &world->pairs_before, &capacity, count) != CAIRN_OK ||
        base_array_reserve(allocator, &world->pairs, &world->pair_capacity, count) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        const int *body = world->contacts.body[i];
        geo_pair colliders = {.first = world->bodies[body[0]].first_collider,
                              .second = world->bodies[body[1]].first_collider};
        world->pairs[i] = (eng_pair){.colliders = colliders, .first = i, .count = 1};
    }
    world->pair_count = count;
    return CAIRN_OK;
}

/// Where the contacts' points were taken.
static void publish_midpoints(const eng_lane *lane)
{
    for (int row = 0; row < lane->rows; row++)
        lane->world->q_mid[eng_lane_ids(lane)[row]].position = row_centre(lane, row);
}

cairn_status eng_lane_leave(cairn_world *world)
{
    eng_lane *lane = world->lane;
    if (lane == NULL || !lane->active) {
        world->lane_fit = ENG_LANE_UNKNOWN;
        return CAIRN_OK;
    }
    if (eng_lane_publish_pairs(world) != CAIRN_OK || eng_blocks_reserve(world) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    publish_midpoints(lane);
    world->lane_fit = ENG_LANE_UNKNOWN;
    eng_lane_energy(world, &world->energy);
    world->contacts_before.count = world->contacts_before.cone_count = 0;
    world->topology_changed = true;
    lane->active = false;
    return CAIRN_OK;
}

static void release_contacts(eng_lane *lane)
{
    cairn_world *world = lane->world;
    eng_contacts_release(&world->allocator, &world->contacts);
    eng_contacts_release(&world->allocator, &world->contacts_before);
    base_release(&world->allocator, world->pairs);
    base_release(&world->allocator, world->pairs_before);
    world->contacts = world->contacts_before = (eng_contacts){0};
    world->pairs = world->pairs_before = NULL;
    world->pair_count = world->pair_capacity = 0;
    lane->contacts_current = false;
}

void eng_lane_release_published(eng_lane *lane)
{
    // the audit of the first step looks at the state it began with
    if (!lane->published && lane->world->step_count > 0) {
        eng_state_release(lane->world);
        lane->current = false;
    }
    if (!lane->contacts_published)
        release_contacts(lane);
    lane->published = lane->contacts_published = false;
}
