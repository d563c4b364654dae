// SPDX-License-Identifier: Apache-2.0
// From the spheres lane to the world: bodies, contacts, energies, forces on bodies.
#include "engine/pairs/spheres/lane.h"
#include "engine/pairs/spheres/lane_data.h"

#include "engine/passes/rotation.h"
#include "geometry/narrow/narrow.h"

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

/// Whether a row is a ghost of a wall that is no half-space.
static bool is_shape_ghost(const eng_lane *lane, int row)
{
    return row - lane->rows - 2 >= lane->plane_ghosts;
}

static const eng_lane_ghost *ghost_of(const eng_lane *lane, int row)
{
    return (const eng_lane_ghost *)lane->ghosts.block + (row - lane->rows - 2);
}

static void meet_shape(const eng_lane *lane, int row, eng_lane_contact *c)
{
    int index = row - lane->rows - 2 - lane->plane_ghosts;
    const eng_lane_spot *spot = &((const eng_lane_touch *)lane->touches.block)[index].before;
    c->normal = spot->normal;
    c->gap = spot->gap;
    c->key = spot->key;
    c->order = spot->order;
}

/// Body B, normal, gap and velocity of B at the contact point, for a wall.
static vec3 meet_wall(const eng_lane *lane, int row, vec3 centre, double radius,
                      eng_lane_contact *c)
{
    const eng_lane_wall *walls = lane->walls.block, *wall = &walls[ghost_of(lane, row)->wall];
    double distance = vec3_dot(wall->before.normal, vec3_sub(centre, wall->before.point));
    c->wall = true;
    c->body[1] = wall->body;
    c->collider[1] = wall->collider;
    c->normal = vec3_negate(wall->before.normal);
    c->gap = distance - radius;
    c->key = (uint64_t)geo_code_vertex(0) << 32 | geo_code_face(0);
    if (is_shape_ghost(lane, row))
        meet_shape(lane, row, c);
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
    c->collider[1] = lane->world->bodies[c->body[1]].first_collider;
    c->key = (uint64_t)geo_code_vertex(0) << 32 | geo_code_vertex(0);
    c->normal = vec3_scale(1.0 / distance, apart);
    c->gap = distance - radius - lane->pass.constants[row][3];
    c->point = vec3_add_scaled(centre, radius + 0.5 * c->gap, c->normal);
    return row_point_velocity(lane, row, vec3_sub(c->point, other));
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

/// Moments of the springs and of what the dashpots or sliders add, on B.
typedef struct moments {
    vec3 rolling, lag_rolling;     // N m
    double twisting, lag_twisting; // N m, along the normal
} moments;

static moments moments_of(const eng_lane_resist *resist, int k)
{
    if (resist == NULL)
        return (moments){0};
    const double(*spring)[ENG_LANE_WIDTH] = (const double(*)[ENG_LANE_WIDTH])resist->rolling;
    const float(*lag)[ENG_LANE_WIDTH] = (const float(*)[ENG_LANE_WIDTH])resist->lag_rolling;
    return (moments){
        .rolling = vec3_make(spring[0][k], spring[1][k], spring[2][k]),
        .lag_rolling = vec3_make((double)lag[0][k], (double)lag[1][k], (double)lag[2][k]),
        .twisting = resist->twisting[k],
        .lag_twisting = (double)resist->lag_twisting[k],
    };
}

static vec3 couple_of(const eng_lane_resist *resist, int k, vec3 normal)
{
    moments m = moments_of(resist, k);
    return vec3_add_scaled(vec3_add(m.rolling, m.lag_rolling), m.twisting + m.lag_twisting, normal);
}

static vec3 spin_of_b(const eng_lane *lane, int row)
{
    const eng_lane_wall *walls = lane->walls.block;
    return row < lane->rows ? row_spin(lane, row) : walls[ghost_of(lane, row)->wall].spin;
}

eng_lane_contact eng_lane_contact_of(const eng_lane *lane, const eng_lane_block *block, int k)
{
    int a = eng_lane_row_a(block, k), b = eng_lane_row_b(block, k);
    double radius = lane->pass.constants[a][3];
    eng_lane_contact c = {
        .body = {eng_lane_ids(lane)[a], 0},
    };
    c.collider[0] = lane->world->bodies[c.body[0]].first_collider;
    vec3 centre = row_centre(lane, a);
    vec3 velocity_b = b >= lane->rows ? meet_wall(lane, b, centre, radius, &c)
                                      : meet_sphere(lane, b, centre, radius, &c);
    vec3 arm = vec3_sub(c.point, centre);
    c.velocity = vec3_sub(velocity_b, row_point_velocity(lane, a, arm));
    c.spin = vec3_sub(spin_of_b(lane, b), row_spin(lane, a));
    c.couple = couple_of(eng_lane_resist_of(lane, block), k, c.normal);
    con_batch_state closed = eng_lane_state_of_pair(
        lane, eng_lane_terms_of(lane, c.body[0], c.body[1]), block, k, fmax(-c.gap, 0.0));
    c.stiffness = closed.stiffness;
    c.spring = closed.spring;
    c.elastic = closed.elastic;
    c.lost = closed.lost;
    vec3 along = vec3_add(spring_of(block, k), lag_of(block, k));
    c.force = vec3_add_scaled(along, c.spring + (double)block->lag_normal[k], c.normal);
    return c;
}

static double stored_in(double moment_squared, double own, double sliding, double radius)
{
    double stiffness = radius * radius * (own > 0.0 ? own : sliding);
    return stiffness > 0.0 ? 0.5 * moment_squared / stiffness : 0.0;
}

/// J in the springs against rolling and twisting, at the midpoint.
static double stored_turning(const eng_lane *lane, const eng_lane_block *block, int k,
                             const eng_lane_contact *c)
{
    const eng_lane_resist *resist = eng_lane_resist_of(lane, block);
    const con_rolling *own = &eng_lane_terms_of(lane, c->body[0], c->body[1])->rolling;
    if (resist == NULL)
        return 0.0;
    moments m = moments_of(resist, k);
    double radius = resist->radius[k];
    return stored_in(vec3_norm_squared(m.rolling), own->rolling_stiffness, c->stiffness, radius) +
           stored_in(m.twisting * m.twisting, own->twisting_stiffness, c->stiffness, radius);
}

/// Adds what rolling and twisting owe.
static void add_turning(const eng_lane *lane, const eng_lane_block *block, int k,
                        const eng_lane_contact *c, eng_lane_pending *p)
{
    const eng_lane_resist *resist = eng_lane_resist_of(lane, block);
    if (resist == NULL)
        return;
    double half = 0.5 * lane->pass.step, about = vec3_dot(c->normal, c->spin);
    moments m = moments_of(resist, k);
    double along = half * (vec3_dot(m.rolling, c->spin) + m.twisting * about);
    double rolling = half * vec3_dot(m.lag_rolling, c->spin);
    double twisting = half * m.lag_twisting * about;
    bool rolls = resist->roll_slip >> k & 1, twists = resist->twist_slip >> k & 1;
    double stored = stored_turning(lane, block, k, c);
    p->elastic += stored - along;
    p->loose += stored - along;
    p->friction -= (rolls ? rolling : 0.0) + (twists ? twisting : 0.0);
    p->damping -= (rolls ? 0.0 : rolling) + (twists ? 0.0 : twisting);
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
    eng_lane_pending pending = {
        .elastic = c->elastic + stored - half * c->spring * normal - along,
        .loose = stored - along,
        .damping = -half * (double)block->lag_normal[k] * normal - (slips ? 0.0 : loss),
        .friction = slips ? -loss : 0.0,
    };
    add_turning(lane, block, k, c, &pending);
    return pending;
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
    if (eng_lane_is_wall(world, body))
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
    int first, second; // colliders
    int order;         // among the contacts of these
    int slot;
} touching;

static int compare_numbers(int a, int b)
{
    return (a > b) - (a < b);
}

static int compare_touching(const void *a, const void *b)
{
    const touching *x = a, *y = b;
    if (x->first != y->first)
        return compare_numbers(x->first, y->first);
    if (x->second != y->second)
        return compare_numbers(x->second, y->second);
    return compare_numbers(x->order, y->order);
}

int eng_lane_body_of(const eng_lane *lane, int row)
{
    if (row < lane->rows)
        return eng_lane_ids(lane)[row];
    return ((const eng_lane_wall *)lane->walls.block)[ghost_of(lane, row)->wall].body;
}

/// Touching pairs in the order of colliders; NULL when out of memory. To be released.
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
        eng_lane_contact c = eng_lane_contact_of(lane, block, k);
        bool flip = c.collider[0] > c.collider[1];
        list[made++] = (touching){c.collider[flip], c.collider[!flip], c.order, slot};
    }
    qsort(list, (size_t)made, sizeof *list, compare_touching);
    *count = made;
    return list;
}

static bool same_pair(const touching *a, const touching *b)
{
    return a->first == b->first && a->second == b->second;
}

/// One contact as the ordinary blocks would hold it, of the pair with that number.
static void write_contact(const eng_lane *lane, eng_contacts *to, int index, int number,
                          const touching *pair)
{
    const cairn_world *world = lane->world;
    const eng_lane_block *block = &lane->pass.blocks[pair->slot / ENG_LANE_WIDTH];
    int k = pair->slot % ENG_LANE_WIDTH;
    eng_lane_contact c = eng_lane_contact_of(lane, block, k);
    bool flip = pair->first != c.collider[0];
    double sign = flip ? -1.0 : 1.0;
    vec3 normal = vec3_scale(sign, c.normal), t1, t2;
    vec3_tangents(normal, &t1, &t2);
    mat3 frame = mat3_from_rows(normal, t1, t2);
    to->pair[index] = number;
    to->body[index][0] = c.body[flip];
    to->body[index][1] = c.body[!flip];
    to->surface[index] = (int)(eng_surface_of(world, c.body[0], c.body[1]) - world->surfaces);
    to->key[index] = flip ? c.key >> 32 | c.key << 32 : c.key;
    to->gap[index] = c.gap;
    to->frame[index] = frame;
    to->point[index] = c.point;
    to->fresh[index] = 0;
    vec3_store(to->R[index], mat3_apply(&frame, vec3_scale(sign * lane->pass.step, c.force)));
    vec3_store(to->U[index], mat3_apply(&frame, vec3_scale(sign, c.velocity)));
    memcpy(to->V[index], to->U[index], sizeof to->V[index]);
    memset(to->history[index], 0, sizeof to->history[index]);
    vec3_store(to->couple[index], vec3_scale(sign * lane->pass.step, c.couple));
    vec3_store(to->couple[index] + 3, vec3_scale(-sign * lane->pass.step, c.couple));
    eng_lane_history_write(lane, lane->pass.terms[to->surface[index]].batch, block, k, sign,
                           to->history[index]);
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
    for (int i = 0, number = 0; i < count; i++) {
        number += i > 0 && !same_pair(&list[i], &list[i - 1]);
        write_contact(lane, &world->contacts, i, number, &list[i]);
    }
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

/// Spin of a body at the begin of the world's first step, which the lane has not written over yet.
static vec3 spin_before(const cairn_world *world, int body)
{
    return quat_rotate(world->q[body].orientation, vec3_from(world->v[body] + 3));
}

/// Velocity of its material point at that time.
static vec3 velocity_before(const cairn_world *world, int body, vec3 arm)
{
    return vec3_add(vec3_from(world->v[body]), vec3_cross(spin_before(world, body), arm));
}

/// N m, springs against rolling and twisting.
static vec3 spring_couple(const eng_lane *lane, const eng_lane_block *block, int k, vec3 normal)
{
    moments m = moments_of(eng_lane_resist_of(lane, block), k);
    return vec3_add_scaled(m.rolling, m.twisting, normal);
}

/// Energy at the begin of the world's first step, 0 for a pair that was apart,
/// contact/laws/audit.h.
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
    stored += stored_turning(lane, block, k, &c);
    vec3 spin = vec3_sub(spin_before(world, c.body[1]), spin_before(world, c.body[0]));
    double turning = vec3_dot(spring_couple(lane, block, k, c.normal), spin);
    return c.elastic + c.lost + stored +
           half * (c.spring * normal + vec3_dot(spring, velocity) + turning);
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
    *torque = vec3_add_scaled(*torque, on_b ? 1.0 : -1.0, c.couple);
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
        *torque = vec3_add(*torque, vec3_add(vec3_cross(arm, c.force), c.couple));
    }
}

void eng_lane_body_force(const cairn_world *world, int body, vec3 *force, vec3 *torque)
{
    const eng_lane *lane = world->lane;
    *force = *torque = vec3_make(0.0, 0.0, 0.0);
    if (lane->block_count == 0)
        return;
    if (eng_lane_is_wall(world, body)) {
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
    touching *list = collect(constant->lane, &count);
    if (list == NULL)
        return CAIRN_ERROR_MEMORY;
    world->pair_count = 0;
    for (int i = 0; i < count; i++) {
        geo_pair colliders = {.first = list[i].first, .second = list[i].second};
        if (i == 0 || !same_pair(&list[i], &list[i - 1]))
            world->pairs[world->pair_count++] = (eng_pair){.colliders = colliders, .first = i};
        world->pairs[world->pair_count - 1].count++;
    }
    base_release(allocator, list);
    return CAIRN_OK;
}

/// Where the contacts' points were taken.
static void publish_midpoints(const eng_lane *lane)
{
    for (int row = 0; row < lane->rows; row++)
        lane->world->q_mid[eng_lane_ids(lane)[row]].position = row_centre(lane, row);
    for (int w = 0; w < lane->wall_count; w++) {
        const eng_lane_wall *wall = (const eng_lane_wall *)lane->walls.block + w;
        lane->world->q_mid[wall->body].position = wall->before.centre;
    }
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
