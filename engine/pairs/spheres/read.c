// SPDX-License-Identifier: Apache-2.0
// What is read of the sphere executor: bodies, contacts, energies, forces on bodies. Nothing here
// writes: any number of threads may read a world at rest.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/ids.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/elementary.h"
#include "base/hash.h"
#include "engine/state/rotation.h"
#include "geometry/narrow/narrow.h"

#include <string.h>

/// Where a slot was when the last step ended, whatever the user did to it since.
static const double *seen_X(const eng_spheres *spheres, int slot)
{
    bool moved = spheres->table.moved_count > 0 && spheres->table.moved_of[slot] > 0;
    return moved ? spheres->table.moved[spheres->table.moved_of[slot] - 1].X
                 : spheres->pass.X[slot];
}

static const double *seen_V(const eng_spheres *spheres, int slot)
{
    bool moved = spheres->table.moved_count > 0 && spheres->table.moved_of[slot] > 0;
    return moved ? spheres->table.moved[spheres->table.moved_of[slot] - 1].V
                 : spheres->pass.V[slot];
}

static vec3 slot_velocity(const eng_spheres *spheres, int slot)
{
    if (eng_spheres_is_member(spheres, slot))
        return eng_spheres_member_velocity(spheres, slot);
    return vec3_add(vec3_from(seen_V(spheres, slot)), eng_spheres_wrap_drift(spheres, slot));
}

static vec3 slot_omega(const eng_spheres *spheres, int slot)
{
    if (eng_spheres_is_member(spheres, slot))
        return eng_spheres_member_omega(spheres, slot);
    const double *V = seen_V(spheres, slot);
    return vec3_make(V[6], V[7], seen_X(spheres, slot)[3]);
}

/// Centre of a slot in the step just done: slots hold the midpoint of the next step.
static vec3 slot_centre(const eng_spheres *spheres, int slot)
{
    if (eng_spheres_is_member(spheres, slot))
        return eng_spheres_member_centre(spheres, slot);
    double back = 0.5 * (spheres->pass.step + spheres->table.last_step);
    vec3 coming = vec3_add(vec3_from(seen_X(spheres, slot)), eng_spheres_wrap_shift(spheres, slot));
    return vec3_add_scaled(coming, -back, slot_velocity(spheres, slot));
}

/// Velocity of a slot's material point at `arm` from its centre.
static vec3 slot_point_velocity(const eng_spheres *spheres, int slot, vec3 arm)
{
    return vec3_add(slot_velocity(spheres, slot), vec3_cross(slot_omega(spheres, slot), arm));
}

/// Whether a slot is a ghost of a wall that is no half-space.
static bool is_shape_ghost(const eng_spheres *spheres, int slot)
{
    return slot - spheres->table.slots - 2 >= spheres->walls.plane_ghosts;
}

static const eng_spheres_ghost *ghost_of(const eng_spheres *spheres, int slot)
{
    return (const eng_spheres_ghost *)spheres->walls.ghosts.block +
           (slot - spheres->table.slots - 2);
}

static void meet_shape(const eng_spheres *spheres, int slot, eng_spheres_contact *c)
{
    int index = slot - spheres->table.slots - 2 - spheres->walls.plane_ghosts;
    const eng_spheres_wall_contact *wall_contact =
        &((const eng_spheres_touch *)spheres->walls.touches.block)[index].before;
    c->normal = wall_contact->normal;
    c->gap = wall_contact->gap;
    c->key = wall_contact->key;
    c->order = wall_contact->order;
}

/// Body B, normal, gap and point of a contact with a wall.
static void meet_wall(const eng_spheres *spheres, int slot, vec3 centre, double radius,
                      eng_spheres_contact *c)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block,
                           *wall = &walls[ghost_of(spheres, slot)->wall];
    double distance = vec3_dot(wall->before.normal, vec3_sub(centre, wall->before.point));
    c->wall = true;
    c->body[1] = wall->body;
    c->collider[1] = wall->collider;
    c->normal = vec3_negate(wall->before.normal);
    c->gap = distance - radius;
    c->key = (uint64_t)geo_code_vertex(0) << 32 | geo_code_face(0);
    if (is_shape_ghost(spheres, slot))
        meet_shape(spheres, slot, c);
    c->point = vec3_add_scaled(centre, radius + 0.5 * c->gap, c->normal);
}

/// The same with a sphere; returns the centre of B as A meets it.
static vec3 meet_sphere(const eng_spheres *spheres, int slot, vec3 centre, double radius,
                        eng_spheres_contact *c)
{
    const eng_cell *cell = &spheres->world->state.cell;
    slot = eng_spheres_source_of(&spheres->pass, slot);
    vec3 other = slot_centre(spheres, slot);
    if (cell->any) {
        c->shift = eng_cell_shift(cell, vec3_sub(centre, other));
        c->drift = mat3_apply(&spheres->cell.before.gradient, c->shift);
        other = vec3_add(other, c->shift);
    }
    vec3 apart = vec3_sub(other, centre);
    double distance = vec3_norm(apart);
    c->body[1] = eng_spheres_slot_body(spheres, slot);
    c->collider[1] = eng_spheres_slot_collider(spheres, slot);
    c->key = (uint64_t)geo_code_vertex(0) << 32 | geo_code_vertex(0);
    c->normal = vec3_scale(1.0 / distance, apart);
    c->gap = distance - radius - spheres->pass.constants[slot][3];
    c->point = vec3_add_scaled(centre, radius + 0.5 * c->gap, c->normal);
    return other;
}

/// Bodies, normal, gap and point of a pair, its centres as A meets them.
static void meet(const eng_spheres *spheres, const eng_spheres_block *block, int k,
                 eng_spheres_contact *c, vec3 centre[2])
{
    int a = eng_spheres_slot_a(block, k), b = eng_spheres_slot_b(block, k);
    double radius = spheres->pass.constants[a][3];
    c->body[0] = eng_spheres_slot_body(spheres, a);
    c->collider[0] = eng_spheres_slot_collider(spheres, a);
    centre[0] = slot_centre(spheres, a);
    if (eng_spheres_source_of(&spheres->pass, b) < spheres->table.slots) {
        centre[1] = meet_sphere(spheres, b, centre[0], radius, c);
        return;
    }
    meet_wall(spheres, b, centre[0], radius, c);
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    centre[1] = walls[ghost_of(spheres, b)->wall].before.centre;
}

/// Of the material point of B at a contact, as A meets it.
static vec3 velocity_of_b(const eng_spheres *spheres, int slot, const eng_spheres_contact *c,
                          vec3 arm)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    slot = eng_spheres_source_of(&spheres->pass, slot);
    if (slot < spheres->table.slots)
        return vec3_add(slot_point_velocity(spheres, slot, arm), c->drift);
    const eng_spheres_wall *wall = &walls[ghost_of(spheres, slot)->wall];
    return vec3_add(wall->velocity, vec3_cross(wall->omega, arm));
}

static vec3 spring_of(const eng_spheres_block *block, int k)
{
    return vec3_make(block->spring[0][k], block->spring[1][k], block->spring[2][k]);
}

static vec3 lag_of(const eng_spheres_block *block, int k)
{
    const float(*lag)[ENG_SPHERES_WIDTH] = (const float(*)[ENG_SPHERES_WIDTH])block->lag_tangent;
    return vec3_make((double)lag[0][k], (double)lag[1][k], (double)lag[2][k]);
}

/// Moments of the springs and of what the dashpots or sliders add, on B.
typedef struct moments {
    vec3 rolling, lag_rolling;     // N m
    double twisting, lag_twisting; // N m, along the normal
} moments;

static moments moments_of(const eng_spheres_resist *resist, int k)
{
    if (resist == NULL)
        return (moments){0};
    const double(*spring)[ENG_SPHERES_WIDTH] = (const double(*)[ENG_SPHERES_WIDTH])resist->rolling;
    const float(*lag)[ENG_SPHERES_WIDTH] = (const float(*)[ENG_SPHERES_WIDTH])resist->lag_rolling;
    return (moments){
        .rolling = vec3_make(spring[0][k], spring[1][k], spring[2][k]),
        .lag_rolling = vec3_make((double)lag[0][k], (double)lag[1][k], (double)lag[2][k]),
        .twisting = resist->twisting[k],
        .lag_twisting = (double)resist->lag_twisting[k],
    };
}

static vec3 couple_of(const eng_spheres_resist *resist, int k, vec3 normal)
{
    moments m = moments_of(resist, k);
    return vec3_add_scaled(vec3_add(m.rolling, m.lag_rolling), m.twisting + m.lag_twisting, normal);
}

static vec3 omega_of_b(const eng_spheres *spheres, int slot)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    slot = eng_spheres_source_of(&spheres->pass, slot);
    return slot < spheres->table.slots ? slot_omega(spheres, slot)
                                       : walls[ghost_of(spheres, slot)->wall].omega;
}

/// Of a closed pair, N on B: the spring's normal part and what acts along the surface.
static vec3 force_along(const eng_spheres_block *block, int k, vec3 normal, double spring)
{
    vec3 along = vec3_add(spring_of(block, k), lag_of(block, k));
    return vec3_add_scaled(along, spring + (double)block->lag_normal[k], normal);
}

/// Force on B, N; what the law says of the closed pair goes to the contact.
static vec3 force_of(const eng_spheres *spheres, const eng_spheres_block *block, int k,
                     eng_spheres_contact *c)
{
    con_batch_state closed = eng_spheres_state_of_pair(
        spheres, eng_spheres_terms_of(spheres, block), block, k, fmax(-c->gap, 0.0));
    c->stiffness = closed.stiffness;
    c->spring = closed.spring;
    c->elastic = closed.elastic;
    c->lost = closed.lost;
    return force_along(block, k, c->normal, c->spring);
}

/// The contact without what the law says of it.
static eng_spheres_contact meeting_of(const eng_spheres *spheres, const eng_spheres_block *block,
                                      int k)
{
    int a = eng_spheres_slot_a(block, k), b = eng_spheres_slot_b(block, k);
    eng_spheres_contact c = {0};
    vec3 centre[2];
    meet(spheres, block, k, &c, centre);
    vec3 velocity_b = velocity_of_b(spheres, b, &c, vec3_sub(c.point, centre[1]));
    vec3 arm = vec3_sub(c.point, centre[0]);
    c.velocity = vec3_sub(velocity_b, slot_point_velocity(spheres, a, arm));
    c.omega = vec3_sub(omega_of_b(spheres, b), slot_omega(spheres, a));
    return c;
}

eng_spheres_contact eng_spheres_contact_of(const eng_spheres *spheres,
                                           const eng_spheres_block *block, int k)
{
    eng_spheres_contact c = meeting_of(spheres, block, k);
    c.couple = couple_of(eng_spheres_resist_of(spheres, block), k, c.normal);
    c.force = force_of(spheres, block, k, &c);
    return c;
}

/// The contact without velocities.
static eng_spheres_contact push_of(const eng_spheres *spheres, const eng_spheres_block *block,
                                   int k)
{
    eng_spheres_contact c = {0};
    vec3 centre[2];
    meet(spheres, block, k, &c, centre);
    c.couple = couple_of(eng_spheres_resist_of(spheres, block), k, c.normal);
    c.force = force_of(spheres, block, k, &c);
    return c;
}

static double stored_in(double moment_squared, double own, double sliding, double radius)
{
    double stiffness = radius * radius * (own > 0.0 ? own : sliding);
    return stiffness > 0.0 ? 0.5 * moment_squared / stiffness : 0.0;
}

/// J in the springs against rolling and twisting, at the midpoint.
static double stored_turning(const eng_spheres *spheres, const eng_spheres_block *block, int k,
                             const eng_spheres_contact *c)
{
    const eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    const con_rolling *own = &eng_spheres_terms_of(spheres, block)->rolling;
    if (resist == NULL)
        return 0.0;
    moments m = moments_of(resist, k);
    double radius = resist->radius[k];
    return stored_in(vec3_norm_squared(m.rolling), own->rolling_stiffness, c->stiffness, radius) +
           stored_in(m.twisting * m.twisting, own->twisting_stiffness, c->stiffness, radius);
}

/// Adds what rolling and twisting owe.
static void add_turning(const eng_spheres *spheres, const eng_spheres_block *block, int k,
                        const eng_spheres_contact *c, eng_spheres_pending *p)
{
    const eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    if (resist == NULL)
        return;
    double half = 0.5 * spheres->table.last_step, about = vec3_dot(c->normal, c->omega);
    moments m = moments_of(resist, k);
    double along = half * (vec3_dot(m.rolling, c->omega) + m.twisting * about);
    double stored = stored_turning(spheres, block, k, c);
    p->elastic += stored - along;
    p->releasable += stored - along;
}

/// What a contact dissipated in the second half of the last step, J.
static eng_spheres_loss loss_of(const eng_spheres *spheres, const eng_spheres_block *block, int k,
                                const eng_spheres_contact *c)
{
    const eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    double half = 0.5 * spheres->table.last_step;
    double along = half * vec3_dot(lag_of(block, k), c->velocity);
    double normal = half * (double)block->lag_normal[k] * vec3_dot(c->normal, c->velocity);
    bool slips = block->slip >> k & 1;
    eng_spheres_loss loss = {.damping = -normal - (slips ? 0.0 : along),
                             .friction = slips ? -along : 0.0};
    if (resist == NULL)
        return loss;
    moments m = moments_of(resist, k);
    double rolling = half * vec3_dot(m.lag_rolling, c->omega);
    double twisting = half * m.lag_twisting * vec3_dot(c->normal, c->omega);
    bool rolls = resist->roll_slip >> k & 1, twists = resist->twist_slip >> k & 1;
    loss.friction -= (rolls ? rolling : 0.0) + (twists ? twisting : 0.0);
    loss.damping -= (rolls ? 0.0 : rolling) + (twists ? 0.0 : twisting);
    return loss;
}

eng_spheres_loss eng_spheres_loss_of(const eng_spheres *spheres, const eng_spheres_block *block,
                                     int k)
{
    eng_spheres_contact c = meeting_of(spheres, block, k);
    return loss_of(spheres, block, k, &c);
}

eng_spheres_pending eng_spheres_pending_of(const eng_spheres *spheres,
                                           const eng_spheres_block *block, int k,
                                           const eng_spheres_contact *c)
{
    double half = 0.5 * spheres->table.last_step, normal = vec3_dot(c->normal, c->velocity);
    vec3 spring = spring_of(block, k);
    double along = half * vec3_dot(spring, c->velocity);
    double stored = c->stiffness > 0.0 ? 0.5 * vec3_norm_squared(spring) / c->stiffness : 0.0;
    eng_spheres_pending pending = {
        .elastic = c->elastic + stored - half * c->spring * normal - along,
        .releasable = stored - along,
        .loss = loss_of(spheres, block, k, c),
    };
    add_turning(spheres, block, k, c, &pending);
    return pending;
}

// ---------------------------------------------------------------- places

pose eng_spheres_middle_of(const cairn_world *world, int body)
{
    const eng_spheres *spheres = world->state.spheres;
    int slot = eng_spheres_slot_of(spheres, body);
    if (slot == ENG_SPHERES_NO_SLOT)
        return eng_spheres_clump_middle(spheres, body);
    vec3 omega = quat_rotate_inverse(eng_spheres_slot_middle(spheres, slot).orientation,
                                     eng_spheres_slot_omega(spheres, slot));
    double back = -0.5 * (spheres->pass.step + spheres->table.last_step);
    return (pose){slot_centre(spheres, slot),
                  eng_rotation_advance(eng_spheres_slot_middle(spheres, slot).orientation,
                                       vec3_scale(back, omega))};
}

vec3 eng_spheres_centre_of(const cairn_world *world, int body)
{
    const eng_spheres *spheres = world->state.spheres;
    int slot = eng_spheres_slot_of(spheres, body);
    return slot != ENG_SPHERES_NO_SLOT ? slot_centre(spheres, slot)
                                       : eng_spheres_clump_middle(spheres, body).position;
}

bool eng_spheres_grain_of(const cairn_world *world, int slot, eng_spheres_grain *grain)
{
    const eng_spheres *spheres = world->state.spheres;
    if (eng_spheres_is_member(spheres, slot))
        return false;
    *grain = (eng_spheres_grain){
        eng_spheres_ids(spheres)[slot], slot_centre(spheres, slot),
        vec3_add(vec3_from(spheres->pass.V[slot]), eng_spheres_wrap_drift(spheres, slot))};
    return true;
}

// ---------------------------------------------------------------- contacts

/// Slot of the i-th contact of the last step, in the order of chunks, blocks and lanes.
static int nth_pair_slot(const eng_spheres *spheres, int i)
{
    int low = 0, high = spheres->list.chunk_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (spheres->pass.chunks[middle].first_contact <= i)
            low = middle;
        else
            high = middle - 1;
    }
    const eng_spheres_chunk *chunk = &spheres->pass.chunks[low];
    int left = i - chunk->first_contact, block = chunk->first_block;
    for (;; block++) {
        int here = __builtin_popcount(spheres->pass.blocks[block].touch);
        if (left < here)
            break;
        left -= here;
    }
    unsigned bits = spheres->pass.blocks[block].touch;
    for (; left > 0; left--)
        bits &= bits - 1;
    return block * ENG_SPHERES_WIDTH + __builtin_ctz(bits);
}

int eng_spheres_contact_count(const cairn_world *world)
{
    const eng_spheres *spheres = world->state.spheres;
    return spheres != NULL && spheres->store.block_count > 0 ? spheres->store.contact_count : 0;
}

int eng_spheres_block_count(const cairn_world *world)
{
    return eng_spheres_contact_count(world) > 0 ? world->state.spheres->store.block_count : 0;
}

/// Whether slots are what the last step saw, each a body of its own, and no copies of bodies meet.
static bool is_plain(const eng_spheres *spheres)
{
    return spheres->clumps.count == 0 && spheres->table.moved_count == 0 &&
           !spheres->world->state.cell.any;
}

static eng_spheres_force any_force(const eng_spheres *spheres, const eng_spheres_block *block,
                                   int k)
{
    const int slots[2] = {eng_spheres_slot_a(block, k),
                          eng_spheres_source_of(&spheres->pass, eng_spheres_slot_b(block, k))};
    eng_spheres_contact c = {0};
    vec3 centre[2];
    meet(spheres, block, k, &c, centre);
    for (int side = 0; side < 2; side++)
        if (slots[side] < spheres->table.slots && eng_spheres_is_member(spheres, slots[side])) {
            vec3 clump = eng_spheres_clump_middle(spheres, c.body[side]).position;
            centre[side] = side == 0 ? clump : vec3_add(clump, c.shift);
        }
    return (eng_spheres_force){.body = {c.body[0], c.body[1]},
                               .centre = {centre[0], centre[1]},
                               .point = c.point,
                               .force = force_of(spheres, block, k, &c)};
}

/// Asks for what the lines of a block read of its slots B.
static void fetch_slots(const eng_spheres_pass *pass, const eng_spheres_block *block)
{
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
        int b = eng_spheres_slot_b(block, k);
        __builtin_prefetch(pass->X[b]);
        __builtin_prefetch(pass->V[b]);
        __builtin_prefetch(pass->constants[b]);
    }
}

int eng_spheres_block_forces(const cairn_world *world, int block, unsigned lanes,
                             eng_spheres_force forces[ENG_SPHERES_BLOCK])
{
    const eng_spheres *spheres = world->state.spheres;
    const eng_spheres_block *pairs = &spheres->pass.blocks[block];
    int count = 0;
    for (unsigned bits = pairs->touch & lanes; bits != 0; bits &= bits - 1)
        forces[count++] = any_force(spheres, pairs, __builtin_ctz(bits));
    return count;
}

unsigned eng_spheres_block_lines(const cairn_world *world, int block, eng_spheres_lines *lines)
{
    const eng_spheres *spheres = world->state.spheres;
    const eng_spheres_pass *pass = &spheres->pass;
    const eng_spheres_block *pairs = &pass->blocks[block];
    if (!is_plain(spheres) || pairs->touch == 0)
        return 0;
    if (block + 2 < spheres->store.block_count)
        fetch_slots(pass, pairs + 2);
    spheres->kernel->draw(pass, pairs, 0.5 * (pass->step + spheres->table.last_step), lines);
    const eng_spheres_terms *terms = eng_spheres_terms_of(spheres, pairs);
    unsigned found = 0;
    for (unsigned bits = pairs->touch; bits != 0; bits &= bits - 1) {
        int k = __builtin_ctz(bits);
        int a = eng_spheres_slot_a(pairs, k), b = eng_spheres_slot_b(pairs, k);
        double overlap = lines->overlap[k], half = 0.5 * overlap;
        if (b >= spheres->table.slots || half > pass->constants[a][3] ||
            half > pass->constants[b][3])
            continue;
        con_batch_state closed =
            eng_spheres_state_of_pair(spheres, terms, pairs, k, overlap > 0.0 ? overlap : 0.0);
        lines->force[k] = closed.spring + (double)pairs->lag_normal[k];
        lines->body[0][k] = eng_spheres_ids(spheres)[a];
        lines->body[1][k] = eng_spheres_ids(spheres)[b];
        found |= 1u << k;
    }
    return found;
}

/// Whether a contact is seen from its second body: the body with the lower collider is A.
static bool is_flipped(const eng_spheres_contact *c)
{
    return c->collider[0] > c->collider[1];
}

void eng_spheres_contact_view(const cairn_world *world, int i, cairn_contact_view *view)
{
    const eng_spheres *spheres = world->state.spheres;
    int pair_slot = nth_pair_slot(spheres, i);
    const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    eng_spheres_contact c = eng_spheres_contact_of(spheres, block, pair_slot % ENG_SPHERES_WIDTH);
    bool flip = is_flipped(&c);
    double sign = flip ? -1.0 : 1.0;
    vec3 normal = vec3_scale(sign, c.normal), force = vec3_scale(sign, c.force), t1, t2;
    vec3_tangents(normal, &t1, &t2);
    mat3 frame = mat3_from_rows(normal, t1, t2);
    vec3 R = mat3_apply(&frame, force), U = mat3_apply(&frame, vec3_scale(sign, c.velocity));
    bool pulls = base_hypot(R.y, R.z) > 0.0;
    *view = (cairn_contact_view){
        .a = eng_body_id(world, c.body[flip]),
        .b = eng_body_id(world, c.body[!flip]),
        .gap = c.gap,
        .status = R.x <= 0.0 && !pulls                   ? CAIRN_CONTACT_OPEN
                  : pulls && base_hypot(U.y, U.z) > 1e-6 ? CAIRN_CONTACT_SLIDING
                                                         : CAIRN_CONTACT_STICKING,
        .key = flip ? c.key >> 32 | c.key << 32 : c.key,
    };
    // next to the first body
    vec3_store(view->point, flip ? vec3_sub(c.point, c.shift) : c.point);
    vec3_store(view->normal, normal);
    vec3_store(view->force, force);
    vec3_store(view->impulse, vec3_scale(world->state.clock.step, force));
    vec3_store(view->velocity, U);
}

/// The pair of a ghost that touches a wall's body; -1 for others.
static int touching_pair_of(const eng_spheres *spheres, int body, int index)
{
    const eng_spheres_ghost *ghost = (const eng_spheres_ghost *)spheres->walls.ghosts.block + index;
    bool is_of_wall =
        ((const eng_spheres_wall *)spheres->walls.rows.block)[ghost->wall].body == body;
    if (!is_of_wall || ghost->pair_slot < 0)
        return -1;
    const eng_spheres_block *block = &spheres->pass.blocks[ghost->pair_slot / ENG_SPHERES_WIDTH];
    bool touches = block->touch >> ghost->pair_slot % ENG_SPHERES_WIDTH & 1;
    return touches ? ghost->pair_slot : -1;
}

/// Normal and gap alone of a contact with a wall, as meet_wall() finds them.
static vec3 normal_of_wall(const eng_spheres *spheres, const eng_spheres_block *block, int k, int a,
                           double *gap)
{
    int b = eng_spheres_slot_b(block, k),
        index = b - spheres->table.slots - 2 - spheres->walls.plane_ghosts;
    if (index >= 0) {
        // shapes were told where they touch
        const eng_spheres_touch *touch =
            (const eng_spheres_touch *)spheres->walls.touches.block + index;
        *gap = touch->before.gap;
        return touch->before.normal;
    }
    const eng_spheres_plane *plane =
        &((const eng_spheres_wall *)spheres->walls.rows.block)[ghost_of(spheres, b)->wall].before;
    *gap = vec3_dot(plane->normal, vec3_sub(slot_centre(spheres, a), plane->point)) -
           spheres->pass.constants[a][3];
    return vec3_negate(plane->normal);
}

bool eng_spheres_has_wall(const cairn_world *world, int body)
{
    const eng_spheres *spheres = world->state.spheres;
    bool found = false;
    for (int i = 0; spheres != NULL && i < spheres->walls.count && !found; i++)
        found = ((const eng_spheres_wall *)spheres->walls.rows.block)[i].body == body;
    return found;
}

bool eng_spheres_next_of_wall(const cairn_world *world, int body, int *at, eng_wall_contact *found)
{
    const eng_spheres *spheres = world->state.spheres;
    while (spheres->store.block_count > 0 && *at < spheres->walls.ghost_count) {
        int pair_slot = touching_pair_of(spheres, body, (*at)++), k = pair_slot % ENG_SPHERES_WIDTH;
        if (pair_slot < 0)
            continue;
        const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
        int a = eng_spheres_slot_a(block, k);
        found->sphere = eng_spheres_slot_body(spheres, a);
        found->normal = normal_of_wall(spheres, block, k, a, &found->gap);
        con_batch_state closed = eng_spheres_state_of_pair(
            spheres, eng_spheres_terms_of(spheres, block), block, k, fmax(-found->gap, 0.0));
        found->force = force_along(block, k, found->normal, closed.spring);
        return true;
    }
    return false;
}

void eng_spheres_contact_history(const cairn_world *world, int i, double history[CON_HISTORY_MAX])
{
    const eng_spheres *spheres = world->state.spheres;
    int pair_slot = nth_pair_slot(spheres, i), k = pair_slot % ENG_SPHERES_WIDTH;
    const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    eng_spheres_contact c = eng_spheres_contact_of(spheres, block, k);
    double sign = is_flipped(&c) ? -1.0 : 1.0;
    memset(history, 0, CON_HISTORY_MAX * sizeof *history);
    eng_spheres_history_write(spheres, eng_spheres_terms_of(spheres, block)->batch, block, k, sign,
                              history);
}

enum { HASHED_BLOCKS = 1 << 10 }; // that are brought together

/// What a pair_slot's later steps depend on.
static uint64_t hash_pair_slot(const eng_spheres *spheres, int pair_slot, uint64_t hash)
{
    const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    int k = pair_slot % ENG_SPHERES_WIDTH;
    int ids[2] = {eng_spheres_id_of(spheres, eng_spheres_slot_a(block, k)),
                  eng_spheres_id_of(spheres, eng_spheres_slot_b(block, k))};
    double history[CON_HISTORY_MAX] = {0.0};
    eng_spheres_history_write(spheres, eng_spheres_terms_of(spheres, block)->batch, block, k, 1.0,
                              history);
    hash = base_hash_bytes(hash, ids, sizeof ids);
    return base_hash_bytes(hash, history, sizeof history);
}

uint64_t eng_spheres_hash(const cairn_world *world, uint64_t hash)
{
    const eng_spheres *spheres = world->state.spheres;
    for (int i = 0; spheres != NULL && i < spheres->store.block_count; i++) {
        // several processes have them; what fails here fails what asks for the hash
        if (i % HASHED_BLOCKS == 0 &&
            !eng_spheres_share_bring(spheres, ENG_SPHERES_PART_PAIRS, i,
                                     i + HASHED_BLOCKS < spheres->store.block_count
                                         ? i + HASHED_BLOCKS
                                         : spheres->store.block_count))
            break;
        for (unsigned touch = spheres->pass.blocks[i].touch; touch != 0; touch &= touch - 1)
            hash = hash_pair_slot(spheres, i * ENG_SPHERES_WIDTH + __builtin_ctz(touch), hash);
    }
    return hash;
}

// ---------------------------------------------------------------- energies

/// Angular velocity of a slot or ghost before the world's first step.
static vec3 first_omega(const eng_spheres *spheres, int slot)
{
    slot = eng_spheres_source_of(&spheres->pass, slot);
    if (slot >= spheres->table.slots)
        return omega_of_b(spheres, slot);
    const double *V = spheres->table.first_V[slot];
    return vec3_make(V[6], V[7], V[8]);
}

/// Velocity of its material point at that time.
static vec3 first_velocity(const eng_spheres *spheres, int slot, vec3 arm)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    slot = eng_spheres_source_of(&spheres->pass, slot);
    vec3 velocity = slot < spheres->table.slots ? vec3_from(spheres->table.first_V[slot])
                                                : walls[ghost_of(spheres, slot)->wall].velocity;
    return vec3_add(velocity, vec3_cross(first_omega(spheres, slot), arm));
}

/// N m, springs against rolling and twisting.
static vec3 spring_couple(const eng_spheres *spheres, const eng_spheres_block *block, int k,
                          vec3 normal)
{
    moments m = moments_of(eng_spheres_resist_of(spheres, block), k);
    return vec3_add_scaled(m.rolling, m.twisting, normal);
}

/// Whether a pair has begun with the step: all of the first one, later those that could not move.
static bool has_begun(const cairn_world *world, const eng_spheres_contact *c)
{
    const eng_body *a = &world->model.bodies.rows[c->body[0]],
                   *b = &world->model.bodies.rows[c->body[1]];
    return world->state.clock.step_count == 0 ||
           ((a->arrived || a->kind != CAIRN_DYNAMIC) && (b->arrived || b->kind != CAIRN_DYNAMIC));
}

/// Energy at the begin of the step, 0 for a pair that was apart or had begun before,
/// contact/laws/audit.h.
static double start_of(const eng_spheres *spheres, const eng_spheres_block *block, int k)
{
    eng_spheres_contact c = eng_spheres_contact_of(spheres, block, k);
    int a = eng_spheres_slot_a(block, k), b = eng_spheres_slot_b(block, k);
    if (!has_begun(spheres->world, &c))
        return 0.0;
    vec3 centre_a = slot_centre(spheres, a);
    vec3 centre_b =
        c.wall ? ((const eng_spheres_wall *)spheres->walls.rows.block)[ghost_of(spheres, b)->wall]
                     .before.centre
               : vec3_add(slot_centre(spheres, eng_spheres_source_of(&spheres->pass, b)), c.shift);
    vec3 velocity = vec3_sub(first_velocity(spheres, b, vec3_sub(c.point, centre_b)),
                             first_velocity(spheres, a, vec3_sub(c.point, centre_a)));
    velocity = vec3_add(velocity, c.drift);
    double half = 0.5 * spheres->pass.step, normal = vec3_dot(c.normal, velocity);
    if (c.gap - half * normal > 0.0)
        return 0.0;
    vec3 spring = spring_of(block, k);
    double stored = c.stiffness > 0.0 ? 0.5 * vec3_norm_squared(spring) / c.stiffness : 0.0;
    stored += stored_turning(spheres, block, k, &c);
    vec3 omega = vec3_sub(first_omega(spheres, b), first_omega(spheres, a));
    double turning = vec3_dot(spring_couple(spheres, block, k, c.normal), omega);
    return c.elastic + c.lost + stored +
           half * (c.spring * normal + vec3_dot(spring, velocity) + turning);
}

void eng_spheres_start_total(const eng_spheres *spheres, int first, int end, base_exact_sum *total)
{
    for (int c = first; c < end; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        double sum = 0.0;
        for (int i = chunk->first_block; i < chunk->end_block; i++) {
            const eng_spheres_block *block = &spheres->pass.blocks[i];
            for (unsigned lanes = block->touch; lanes != 0; lanes &= lanes - 1)
                sum += start_of(spheres, block, __builtin_ctz(lanes));
        }
        base_exact_add(total, sum);
    }
}

/// Adds the force of a pair_slot on one of its sides, a sphere.
static void add_side(const eng_spheres *spheres, int pair_slot, bool on_b, vec3 centre, vec3 *force,
                     vec3 *torque)
{
    const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    int k = pair_slot % ENG_SPHERES_WIDTH;
    if (!(block->touch >> k & 1))
        return;
    eng_spheres_contact c = push_of(spheres, block, k);
    vec3 given = vec3_scale(on_b ? 1.0 : -1.0, c.force);
    centre = on_b ? vec3_add(centre, c.shift) : centre;
    *force = vec3_add(*force, given);
    if (torque == NULL)
        return;
    *torque = vec3_add(*torque, vec3_cross(vec3_sub(c.point, centre), given));
    *torque = vec3_add_scaled(*torque, on_b ? 1.0 : -1.0, c.couple);
}

static void wall_force(const eng_spheres *spheres, int body, vec3 *force, vec3 *torque)
{
    eng_wall_contact found;
    for (int at = 0; torque == NULL && eng_spheres_next_of_wall(spheres->world, body, &at, &found);)
        *force = vec3_add(*force, found.force);
    for (int i = 0; i < spheres->walls.ghost_count && torque != NULL; i++) {
        int pair_slot = touching_pair_of(spheres, body, i);
        if (pair_slot < 0)
            continue;
        const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
        int k = pair_slot % ENG_SPHERES_WIDTH;
        const eng_spheres_wall *wall =
            (const eng_spheres_wall *)spheres->walls.rows.block +
            ((const eng_spheres_ghost *)spheres->walls.ghosts.block)[i].wall;
        eng_spheres_contact c = push_of(spheres, block, k);
        *force = vec3_add(*force, c.force);
        vec3 arm = vec3_sub(c.point, wall->before.centre);
        *torque = vec3_add(*torque, vec3_add(vec3_cross(arm, c.force), c.couple));
    }
}

/// Adds what the pairs of a slot do to its body, whose centre is given.
static void slot_force(const eng_spheres *spheres, int slot, vec3 centre, vec3 *force, vec3 *torque)
{
    const eng_spheres_pass *pass = &spheres->pass;
    for (int i = pass->near_start[slot]; i < pass->near_start[slot + 1]; i++) {
        int pair_slot = eng_spheres_pair_slot_of(spheres, slot, pass->near[i]);
        if (pair_slot >= 0)
            add_side(spheres, pair_slot, pass->near[i] & 1, centre, force, torque);
    }
    for (int i = pass->far_start[slot]; i < pass->far_start[slot + 1]; i++)
        add_side(spheres, pass->far[i] / 8, pass->far[i] & 1, centre, force, torque);
}

void eng_spheres_add_force(const cairn_world *world, int body, vec3 *force, vec3 *torque)
{
    const eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL || spheres->store.block_count == 0)
        return;
    int slot = eng_spheres_slot_of(spheres, body),
        first = world->model.bodies.rows[body].first_collider;
    if (slot != ENG_SPHERES_NO_SLOT) {
        slot_force(spheres, slot, slot_centre(spheres, slot), force, torque);
        return;
    }
    if (!eng_spheres_is_clump(spheres, body)) {
        wall_force(spheres, body, force, torque);
        return;
    }
    vec3 centre = eng_spheres_clump_middle(spheres, body).position;
    for (int k = 0; k < eng_collider_count_of(world, body); k++)
        slot_force(spheres, eng_spheres_members(spheres)[first + k].slot, centre, force, torque);
}
