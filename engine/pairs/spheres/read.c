// SPDX-License-Identifier: Apache-2.0
// What is read of the sphere executor: bodies, contacts, energies, forces on bodies. Nothing here
// writes: any number of threads may read a world at rest.
#include "engine/pairs/spheres/lane.h"
#include "engine/pairs/spheres/lane_data.h"

#include "base/elementary.h"
#include "base/hash.h"
#include "engine/passes/rotation.h"
#include "geometry/narrow/narrow.h"

#include <string.h>

/// Where a row was when the last step ended, whatever the user did to it since.
static const double *seen_X(const eng_lane *lane, int row)
{
    bool moved = lane->moved_count > 0 && lane->moved_of[row] > 0;
    return moved ? lane->moved[lane->moved_of[row] - 1].X : lane->pass.X[row];
}

static const double *seen_V(const eng_lane *lane, int row)
{
    bool moved = lane->moved_count > 0 && lane->moved_of[row] > 0;
    return moved ? lane->moved[lane->moved_of[row] - 1].V : lane->pass.V[row];
}

static vec3 row_velocity(const eng_lane *lane, int row)
{
    return vec3_from(seen_V(lane, row));
}

static vec3 row_spin(const eng_lane *lane, int row)
{
    const double *V = seen_V(lane, row);
    return vec3_make(V[6], V[7], seen_X(lane, row)[3]);
}

/// Centre of a row in the step just done: rows hold the midpoint of the next step.
static vec3 row_centre(const eng_lane *lane, int row)
{
    double back = 0.5 * (lane->pass.step + lane->last_step);
    return vec3_add_scaled(vec3_from(seen_X(lane, row)), -back, row_velocity(lane, row));
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
    con_batch_state closed =
        eng_lane_state_of_pair(lane, eng_lane_terms_of(lane, block), block, k, fmax(-c.gap, 0.0));
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
    const con_rolling *own = &eng_lane_terms_of(lane, block)->rolling;
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
    double half = 0.5 * lane->last_step, about = vec3_dot(c->normal, c->spin);
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
    double half = 0.5 * lane->last_step, normal = vec3_dot(c->normal, c->velocity);
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

// ---------------------------------------------------------------- state

/// Orientation at the midpoint of the coming step.
static quat row_turn(const eng_lane *lane, int row)
{
    const double(*turn)[8] = (const double(*)[8])lane->pass.turn[row / ENG_LANE_WIDTH];
    int k = row % ENG_LANE_WIDTH;
    return (quat){turn[0][k], turn[1][k], turn[2][k], turn[3][k]};
}

pose eng_lane_row_middle(const eng_lane *lane, int row)
{
    return (pose){vec3_from(lane->pass.X[row]), row_turn(lane, row)};
}

vec3 eng_lane_row_spin(const eng_lane *lane, int row)
{
    const double *V = lane->pass.V[row];
    return vec3_make(V[6], V[7], lane->pass.X[row][3]);
}

int eng_lane_rows(const cairn_world *world)
{
    return world->lane != NULL ? world->lane->rows : 0;
}

bool eng_lane_holds(const cairn_world *world, int body)
{
    return world->lane != NULL && eng_lane_row_of(world->lane, body) != ENG_LANE_NO_ROW;
}

/// Velocity in the general columns' form; position at t_n.
static vec3 row_motion(const eng_lane *lane, int row, double v[6])
{
    vec3 velocity = vec3_from(lane->pass.V[row]);
    vec3_store(v, velocity);
    vec3_store(v + 3, quat_rotate_inverse(row_turn(lane, row), eng_lane_row_spin(lane, row)));
    return vec3_add_scaled(vec3_from(lane->pass.X[row]), -0.5 * lane->pass.step, velocity);
}

vec3 eng_lane_motion_of(const cairn_world *world, int body, double v[6])
{
    return row_motion(world->lane, eng_lane_row_of(world->lane, body), v);
}

eng_state eng_lane_state_of(const cairn_world *world, int body)
{
    const eng_lane *lane = world->lane;
    int row = eng_lane_row_of(lane, body);
    eng_state state;
    state.q.position = row_motion(lane, row, state.v);
    vec3 half = vec3_scale(-0.5 * lane->pass.step, vec3_from(state.v + 3));
    state.q.orientation = eng_rotation_advance(row_turn(lane, row), half);
    return state;
}

pose eng_lane_middle_of(const cairn_world *world, int body)
{
    const eng_lane *lane = world->lane;
    int row = eng_lane_row_of(lane, body);
    vec3 spin = quat_rotate_inverse(row_turn(lane, row), eng_lane_row_spin(lane, row));
    double back = -0.5 * (lane->pass.step + lane->last_step);
    return (pose){row_centre(lane, row),
                  eng_rotation_advance(row_turn(lane, row), vec3_scale(back, spin))};
}

// ---------------------------------------------------------------- contacts

int eng_lane_body_of(const eng_lane *lane, int row)
{
    if (row < lane->rows)
        return eng_lane_ids(lane)[row];
    return ((const eng_lane_wall *)lane->walls.block)[ghost_of(lane, row)->wall].body;
}

/// Slot of the i-th contact of the last step, in the order of chunks, blocks and lanes.
static int nth_slot(const eng_lane *lane, int i)
{
    int low = 0, high = lane->chunk_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (lane->pass.chunks[middle].first_contact <= i)
            low = middle;
        else
            high = middle - 1;
    }
    const eng_lane_chunk *chunk = &lane->pass.chunks[low];
    int left = i - chunk->first_contact, block = chunk->first_block;
    for (;; block++) {
        int here = __builtin_popcount(lane->pass.blocks[block].touch);
        if (left < here)
            break;
        left -= here;
    }
    unsigned bits = lane->pass.blocks[block].touch;
    for (; left > 0; left--)
        bits &= bits - 1;
    return block * ENG_LANE_WIDTH + __builtin_ctz(bits);
}

int eng_lane_contact_count(const cairn_world *world)
{
    const eng_lane *lane = world->lane;
    return lane != NULL && lane->block_count > 0 ? lane->contact_count : 0;
}

/// Whether a contact is seen from its second body: the body with the lower collider is A.
static bool is_flipped(const eng_lane_contact *c)
{
    return c->collider[0] > c->collider[1];
}

void eng_lane_contact_view(const cairn_world *world, int i, cairn_contact_view *view)
{
    const eng_lane *lane = world->lane;
    int slot = nth_slot(lane, i);
    const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
    eng_lane_contact c = eng_lane_contact_of(lane, block, slot % ENG_LANE_WIDTH);
    bool flip = is_flipped(&c);
    double sign = flip ? -1.0 : 1.0;
    vec3 normal = vec3_scale(sign, c.normal), force = vec3_scale(sign, c.force), t1, t2;
    vec3_tangents(normal, &t1, &t2);
    mat3 frame = mat3_from_rows(normal, t1, t2);
    vec3 R = mat3_apply(&frame, force), U = mat3_apply(&frame, vec3_scale(sign, c.velocity));
    bool pulls = base_hypot(R.y, R.z) > 0.0;
    *view = (cairn_contact_view){
        .a = cairn_body_at(world, c.body[flip]),
        .b = cairn_body_at(world, c.body[!flip]),
        .gap = c.gap,
        .status = R.x <= 0.0 && !pulls                   ? CAIRN_CONTACT_OPEN
                  : pulls && base_hypot(U.y, U.z) > 1e-6 ? CAIRN_CONTACT_SLIDING
                                                         : CAIRN_CONTACT_STICKING,
        .key = flip ? c.key >> 32 | c.key << 32 : c.key,
    };
    vec3_store(view->point, c.point);
    vec3_store(view->normal, normal);
    vec3_store(view->force, force);
    vec3_store(view->impulse, vec3_scale(world->def.time_step, force));
    vec3_store(view->velocity, U);
}

void eng_lane_contact_history(const cairn_world *world, int i, double history[CON_HISTORY_MAX])
{
    const eng_lane *lane = world->lane;
    int slot = nth_slot(lane, i), k = slot % ENG_LANE_WIDTH;
    const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
    eng_lane_contact c = eng_lane_contact_of(lane, block, k);
    double sign = is_flipped(&c) ? -1.0 : 1.0;
    memset(history, 0, CON_HISTORY_MAX * sizeof *history);
    eng_lane_history_write(lane, eng_lane_terms_of(lane, block)->batch, block, k, sign, history);
}

/// What a slot's later steps depend on.
static uint64_t hash_slot(const eng_lane *lane, int slot, uint64_t hash)
{
    const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
    int k = slot % ENG_LANE_WIDTH;
    int bodies[2] = {eng_lane_body_of(lane, eng_lane_row_a(block, k)),
                     eng_lane_body_of(lane, eng_lane_row_b(block, k))};
    double history[CON_HISTORY_MAX] = {0.0};
    eng_lane_history_write(lane, eng_lane_terms_of(lane, block)->batch, block, k, 1.0, history);
    hash = base_hash_bytes(hash, bodies, sizeof bodies);
    return base_hash_bytes(hash, history, sizeof history);
}

uint64_t eng_lane_hash(const cairn_world *world, uint64_t hash)
{
    const eng_lane *lane = world->lane;
    for (int slot = 0; lane != NULL && slot < lane->block_count * ENG_LANE_WIDTH; slot++)
        if (lane->pass.blocks[slot / ENG_LANE_WIDTH].touch >> slot % ENG_LANE_WIDTH & 1)
            hash = hash_slot(lane, slot, hash);
    return hash;
}

// ---------------------------------------------------------------- energies

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

/// Angular velocity of a row or ghost before the world's first step.
static vec3 first_spin(const eng_lane *lane, int row)
{
    if (row >= lane->rows)
        return spin_of_b(lane, row);
    const double *V = lane->first_V[row];
    return vec3_make(V[6], V[7], V[8]);
}

/// Velocity of its material point at that time.
static vec3 first_velocity(const eng_lane *lane, int row, vec3 arm)
{
    const eng_lane_wall *walls = lane->walls.block;
    vec3 velocity = row < lane->rows ? vec3_from(lane->first_V[row])
                                     : walls[ghost_of(lane, row)->wall].velocity;
    return vec3_add(velocity, vec3_cross(first_spin(lane, row), arm));
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
    eng_lane_contact c = eng_lane_contact_of(lane, block, k);
    int a = eng_lane_row_a(block, k), b = eng_lane_row_b(block, k);
    vec3 centre_a = row_centre(lane, a);
    vec3 centre_b =
        c.wall ? ((const eng_lane_wall *)lane->walls.block)[ghost_of(lane, b)->wall].before.centre
               : row_centre(lane, b);
    vec3 velocity = vec3_sub(first_velocity(lane, b, vec3_sub(c.point, centre_b)),
                             first_velocity(lane, a, vec3_sub(c.point, centre_a)));
    double half = 0.5 * lane->pass.step, normal = vec3_dot(c.normal, velocity);
    if (c.gap - half * normal > 0.0)
        return 0.0;
    vec3 spring = spring_of(block, k);
    double stored = c.stiffness > 0.0 ? 0.5 * vec3_norm_squared(spring) / c.stiffness : 0.0;
    stored += stored_turning(lane, block, k, &c);
    vec3 spin = vec3_sub(first_spin(lane, b), first_spin(lane, a));
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

void eng_lane_add_energy(const cairn_world *world, cairn_energy *e)
{
    eng_lane_pending pending = sum_pending(world->lane);
    e->elastic += pending.elastic;
    e->damping += pending.damping;
    e->friction += pending.friction;
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

void eng_lane_add_force(const cairn_world *world, int body, vec3 *force, vec3 *torque)
{
    const eng_lane *lane = world->lane;
    if (lane == NULL || lane->block_count == 0)
        return;
    int row = eng_lane_row_of(lane, body);
    if (row == ENG_LANE_NO_ROW) {
        wall_force(lane, body, force, torque);
        return;
    }
    const eng_lane_pass *pass = &lane->pass;
    vec3 centre = row_centre(lane, row);
    for (int i = pass->near_start[row]; i < pass->near_start[row + 1]; i++) {
        int slot = eng_lane_slot_of(lane, row, pass->near[i]);
        if (slot >= 0)
            add_side(lane, slot, pass->near[i] & 1, centre, force, torque);
    }
    for (int i = pass->far_start[row]; i < pass->far_start[row + 1]; i++)
        add_side(lane, pass->far[i] / 8, pass->far[i] & 1, centre, force, torque);
}
