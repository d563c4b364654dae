// SPDX-License-Identifier: Apache-2.0
// The step of the sphere executor: walls and lists for the coming midpoint, the fused pass over all
// slots, and what follows from it.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/elementary.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;

static bool is_plane(const cairn_world *world, int body)
{
    int shape = world->model.bodies.rows[body].shape;
    return shape >= 0 && world->model.shapes.rows[shape]->kind == GEO_HALFSPACE;
}

/// Slot of the pair of a slot and another id, -1 for none.
static int find_slot(const eng_spheres *spheres, int slot, int id)
{
    const eng_spheres_pass *p = &spheres->pass;
    const int *starts[2] = {p->near_start, p->far_start}, *lists[2] = {p->near, p->far};
    for (int list = 0; list < 2; list++)
        for (int at = starts[list][slot]; at < starts[list][slot + 1]; at++) {
            int entry = lists[list][at];
            int pair_slot = list == 0 ? eng_spheres_pair_slot_of(spheres, slot, entry) : entry / 8;
            if (pair_slot < 0)
                continue;
            const eng_spheres_block *block = &p->blocks[pair_slot / ENG_SPHERES_WIDTH];
            int k = pair_slot % ENG_SPHERES_WIDTH;
            int other = entry & 1 ? eng_spheres_slot_a(block, k) : eng_spheres_slot_b(block, k);
            if (eng_spheres_id_of(spheres, other) == id &&
                eng_spheres_is_nearest(spheres, eng_spheres_slot_a(block, k),
                                       eng_spheres_slot_b(block, k)))
                return pair_slot;
        }
    return -1;
}

/// Id of the slot of a body's collider.
static int id_of_collider(const eng_spheres *spheres, int body, int collider)
{
    return eng_spheres_is_clump(spheres, body) ? ~collider : body;
}

/// Slot of a contact of the world; -1 for none.
static int pair_slot_of_contact(const eng_spheres *spheres, int contact)
{
    const cairn_world *world = spheres->world;
    const eng_contacts *c = &world->contacts.set;
    const geo_pair *pair = &world->contacts.pairs.rows[c->pair[contact]].colliders;
    int a = c->body[contact][0], b = c->body[contact][1];
    if (!eng_spheres_owns_pair(world, a, b))
        return -1;
    bool walls[2] = {eng_spheres_is_wall(world, a), eng_spheres_is_wall(world, b)};
    int ids[2] = {id_of_collider(spheres, a, pair->first),
                  id_of_collider(spheres, b, pair->second)};
    if (!walls[0] && !walls[1])
        return find_slot(spheres, eng_spheres_id_slot(spheres, ids[0]), ids[1]);
    bool first = walls[0];
    int slot = eng_spheres_id_slot(spheres, ids[first]), wall = first ? a : b;
    uint64_t key = c->key[contact];
    if (is_plane(world, wall))
        return find_slot(spheres, slot, wall);
    return eng_spheres_shapes_find(spheres, slot, first ? pair->first : pair->second,
                                   first ? key >> 32 | key << 32 : key);
}

/// History of contacts of the general passes that are the executor's from now on.
static void adopt_contacts(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    eng_contacts *c = &world->contacts.set;
    for (int i = c->cone_count; i < c->count; i++) {
        if (!eng_spheres_owns_pair(world, c->body[i][0], c->body[i][1]))
            continue;
        int pair_slot = pair_slot_of_contact(spheres, i);
        // one that has ended lets go of what it held
        world->state.audit.energy.friction += pair_slot < 0 ? c->releasable[i] : 0.0;
        c->releasable[i] = 0.0;
        if (pair_slot < 0)
            continue;
        eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
        int k = pair_slot % ENG_SPHERES_WIDTH, other = eng_spheres_slot_b(block, k);
        bool on_b = eng_spheres_body_of(spheres, other) == c->body[i][1];
        eng_spheres_history_read(spheres, eng_spheres_terms_of(spheres, block)->batch, block, k,
                                 on_b ? 1.0 : -1.0, c->history[i]);
    }
}

/// What the general passes leave when nothing is left for them.
static void drop_general(cairn_world *world)
{
    const base_allocator *allocator = &world->model.allocator;
    eng_contacts_release(allocator, &world->contacts.set);
    eng_contacts_release(allocator, &world->contacts.before);
    base_release(allocator, world->contacts.pairs.rows);
    base_release(allocator, world->contacts.pairs.before);
    base_release(allocator, world->contacts.pairs.leading);
    base_release(allocator, world->contacts.pairs.leading_before);
    world->contacts.set = world->contacts.before = (eng_contacts){0};
    world->contacts.pairs.rows = world->contacts.pairs.before = NULL;
    world->contacts.pairs.count = world->contacts.pairs.capacity = 0;
    eng_plan *plan = &world->contacts.plan;
    for (int k = 0; k < plan->paired_count; k++)
        plan->pairs_of[plan->paired[k]] = (eng_body_pairs){0};
    plan->paired_count = plan->cone_pairs = plan->batch_count = plan->cone_batches = 0;
    plan->current = false;
    world->contacts.pairs.leading = world->contacts.pairs.leading_before = NULL;
    world->contacts.pairs.leading_count = world->contacts.pairs.leading_capacity = 0;
    world->state.audit.energy.elastic = 0.0;
}

/// Most that the distance of a sphere from a wall has changed between its last two places, m.
static double plane_jump(const eng_spheres *spheres, const eng_spheres_wall *wall)
{
    const eng_spheres_plane *from = &wall->before, *to = &wall->now;
    double turned = vec3_norm(vec3_sub(to->normal, from->normal));
    return vec3_norm(vec3_sub(to->point, from->point)) +
           turned * (spheres->list.extent + vec3_norm(from->point));
}

/// Most that a point of a wall has moved between its last two places, m.
static double shape_jump(const eng_spheres_wall *wall)
{
    const pose *from = &wall->placed_before, *to = &wall->placed;
    quat p = from->orientation, q = to->orientation;
    double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0 ? -1.0 : 1.0;
    // twice the chord of the half angle is no less than the chord of the angle
    double chord = base_hypot(base_hypot(q.w - sign * p.w, q.x - sign * p.x),
                              base_hypot(q.y - sign * p.y, q.z - sign * p.z));
    double reach = wall->shape->bounding_radius;
    return vec3_norm(vec3_sub(to->position, from->position)) + 2.0 * chord * reach;
}

/// Most that a sphere and a wall have come closer by the wall's new place, m.
static double wall_jump(const eng_spheres *spheres, int index)
{
    const eng_spheres_wall *wall = (const eng_spheres_wall *)spheres->walls.rows.block + index;
    return index < spheres->walls.plane_count ? plane_jump(spheres, wall) : shape_jump(wall);
}

/// Whether any of the walls that follow functions of time has another velocity than in the last
/// step.
static bool find_changes(eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    eng_spheres_wall *walls = spheres->walls.rows.block;
    bool any = false;
    for (int i = 0; i < spheres->walls.count; i++) {
        const double *v = world->state.bodies.v[walls[i].body];
        vec3 omega =
            quat_rotate(world->state.bodies.q[walls[i].body].orientation, vec3_from(v + 3));
        walls[i].changes =
            walls[i].follows && (vec3_distance(vec3_from(v), walls[i].velocity) > 0.0 ||
                                 vec3_distance(omega, walls[i].omega) > 0.0);
        any |= walls[i].changes;
    }
    return any;
}

/// Walls go to the midpoint of the coming step where it is not what the last step foresaw: those
/// that follow functions of time, and all after a change by the user.
static cairn_status follow_walls(eng_spheres *spheres)
{
    eng_spheres_wall *walls = spheres->walls.rows.block;
    bool all = spheres->walls.changed || spheres->walls.renumbered;
    double jump = 0.0;
    for (int i = 0; i < spheres->walls.count; i++) {
        if (!all && !walls[i].follows)
            continue;
        eng_spheres_plane before = walls[i].before;
        pose placed_before = walls[i].placed_before;
        walls[i].before = walls[i].now;
        walls[i].placed_before = walls[i].placed;
        eng_spheres_wall_place(spheres, &walls[i], spheres->world->state.bodies.q[walls[i].body],
                               spheres->world->state.bodies.v[walls[i].body]);
        jump = spheres->walls.renumbered ? 0.0 : fmax(jump, wall_jump(spheres, i));
        bool keeps = walls[i].moves && !spheres->walls.renumbered;
        walls[i].before = keeps ? before : walls[i].now;
        walls[i].placed_before = keeps ? placed_before : walls[i].placed;
    }
    spheres->walls.changed = spheres->walls.renumbered = false;
    if (spheres->list.slack < 0.0)
        return CAIRN_OK; // a new list places all ghosts
    for (int i = 0; i < spheres->list.chunk_count; i++)
        spheres->pass.chunks[i].path += jump;
    spheres->walls.path += jump;
    spheres->list.slack = fmin(spheres->list.slack, spheres->walls.margin - spheres->walls.path);
    if (spheres->list.slack < 0.0)
        return CAIRN_OK;
    eng_spheres_placing placing = all ? ENG_SPHERES_PLACE_ALL : ENG_SPHERES_PLACE_FOLLOWERS;
    eng_spheres_ghosts_place(spheres, placing);
    cairn_status status = eng_spheres_shapes_renew(spheres, placing);
    // contacts that were looked at anew are placed
    if (all)
        eng_spheres_shapes_place(spheres);
    return status;
}

static bool has_followers(const eng_spheres *spheres)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    for (int i = 0; i < spheres->walls.count && spheres->world->model.bodies.motion_count > 0; i++)
        if (walls[i].follows)
            return true;
    return false;
}

/// A new list when it is due; *listed tells.
static cairn_status renew_list(eng_spheres *spheres, bool *listed)
{
    bool reload = spheres->table.loads_changed;
    *listed = spheres->list.slack < 0.0 || spheres->list.overflow;
    if (*listed) {
        cairn_status status = eng_spheres_share_relist(spheres);
        if (status == CAIRN_OK)
            status = eng_spheres_margins_choose(spheres);
        if (status == CAIRN_OK)
            status = eng_spheres_list_make(spheres);
        if (status != CAIRN_OK)
            return status;
        reload = reload || spheres->table.has_load;
    }
    if (*listed && spheres->meeting.adopted)
        adopt_contacts(spheres);
    if (*listed)
        spheres->meeting.adopted = false;
    spheres->table.loads_changed = false;
    cairn_status status = reload ? eng_spheres_loads_read(spheres) : CAIRN_OK;
    return status == CAIRN_OK ? eng_spheres_share_plan(spheres) : status;
}

static void keep_slot(const eng_spheres *spheres, int slot)
{
    double *first = spheres->table.first_V[slot];
    memcpy(first, spheres->pass.V[slot], sizeof *spheres->pass.V);
    vec3_store(first,
               vec3_add(vec3_from(spheres->pass.V[slot]), eng_spheres_wrap_drift(spheres, slot)));
    first[8] = spheres->pass.X[slot][3];
}

/// Velocities before the world's first step, or before one into which bodies are released: the
/// audit looks at them after it.
static cairn_status keep_first(eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    if (world->state.clock.step_count > 0 &&
        (world->state.bodies.frozen == NULL || world->model.bodies.arrival_count == 0))
        return CAIRN_OK;
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->table.first,
                                 (size_t)spheres->table.slots * sizeof *spheres->table.first_V));
    spheres->table.first_V = spheres->table.first.block;
    const eng_spheres_share *share = spheres->share;
    bool shared = eng_spheres_is_shared(spheres);
    eng_spheres_rows own = shared ? eng_spheres_share_slots(spheres, share->ranks.number, 1)
                                  : (eng_spheres_rows){0, spheres->table.slots};
    for (int slot = own.first; slot < own.end; slot++)
        keep_slot(spheres, slot);
    // those of others that own pairs meet
    for (int rank = 0; shared && rank < share->ranks.count; rank++)
        for (int i = 0; i < share->places.received[rank].count; i++)
            keep_slot(spheres, share->places.slots[share->places.received[rank].first + i]);
    return CAIRN_OK;
}

static cairn_status prepare_slots(eng_spheres *spheres, bool *listed)
{
    cairn_world *world = spheres->world;
    cairn_status status = CAIRN_OK;
    if (spheres->list.out_of_memory)
        return CAIRN_ERROR_MEMORY;
    bool owes = !spheres->table.settled && spheres->store.block_count > 0;
    eng_spheres_forget_moved(spheres);
    if (owes && has_followers(spheres) && find_changes(spheres))
        eng_spheres_settle_walls(spheres);
    if (spheres->clumps.members_due)
        eng_spheres_members_renew(spheres);
    if (eng_spheres_frame_follow(spheres)) {
        eng_spheres_images_move(spheres, 0, spheres->cell.image_count);
        eng_spheres_ghosts_place(spheres, ENG_SPHERES_PLACE_ALL);
    }
    if (spheres->walls.changed || spheres->walls.renumbered || has_followers(spheres))
        status = follow_walls(spheres);
    eng_spheres_place_driven(world, owes);
    if (status == CAIRN_OK)
        status = renew_list(spheres, listed);
    return status == CAIRN_OK ? keep_first(spheres) : status;
}

cairn_status eng_spheres_prepare(cairn_world *world)
{
    eng_spheres *spheres = world->state.spheres;
    bool listed = false;
    cairn_status status = spheres->table.slots > 0 ? prepare_slots(spheres, &listed) : CAIRN_OK;
    if (status == CAIRN_OK && world->scratch.general.work)
        status = eng_spheres_expose(world, listed);
    // pairs may be there that have never had a contact
    bool left = world->contacts.set.capacity > 0 || world->contacts.pairs.capacity > 0;
    if (status == CAIRN_OK && !world->scratch.general.work && left)
        drop_general(world);
    return status;
}

/// Half of the work of the loads over a step, by the velocities of now, J.
static double load_work(const eng_spheres *spheres)
{
    double work = 0.0;
    for (int slot = 0; slot < spheres->table.slots && spheres->table.has_load; slot++) {
        const double *load = spheres->pass.load[slot], *V = spheres->pass.V[slot];
        for (int k = 0; k < 3; k++)
            work += load[k] * V[k];
        work += vec3_dot(vec3_from(load), eng_spheres_wrap_drift(spheres, slot));
        work += load[3] * V[6] + load[4] * V[7] + load[5] * spheres->pass.X[slot][3];
    }
    return 0.5 * spheres->pass.step * work;
}

/// Work of spheres that follow a prescribed velocity, J.
static double driven_work(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    double work = 0.0;
    for (int slot = 0; slot < spheres->table.slots && spheres->table.has_moving_spheres; slot++) {
        int body = eng_spheres_slot_body(spheres, slot);
        if (world->model.bodies.rows[body].kind != CAIRN_MOVING)
            continue;
        vec3 force = {0.0, 0.0, 0.0}, torque = force, omega = vec3_from(spheres->pass.V[slot] + 6);
        omega.z = spheres->pass.X[slot][3];
        eng_spheres_add_force(world, body, &force, &torque);
        vec3 velocity =
            vec3_add(vec3_from(spheres->pass.V[slot]), eng_spheres_wrap_drift(spheres, slot));
        if (eng_extra_of(world, body).motion.function != NULL) {
            // the mean: it may have another velocity in the second half of the step
            const double *v = world->state.bodies.v[body], *next = world->state.bodies.v_free[body];
            vec3 faster = vec3_sub(vec3_from(next), vec3_from(v));
            vec3 turned = vec3_sub(vec3_from(next + 3), vec3_from(v + 3));
            velocity = vec3_add_scaled(velocity, 0.5, faster);
            omega = vec3_add_scaled(
                omega, 0.5, quat_rotate(world->state.bodies.q_mid[body].orientation, turned));
        }
        work -= vec3_dot(force, velocity) + vec3_dot(torque, omega);
    }
    return spheres->pass.step * work;
}

/// Work of the strain of the cell on bodies with prescribed velocity in other copies of it, J.
static double prescribed_strain(const eng_spheres *spheres)
{
    double work = 0.0;
    for (int slot = 0;
         slot < spheres->table.slots && spheres->cell.strains && spheres->table.has_still_spheres;
         slot++) {
        const int *n = eng_spheres_wrap_of(spheres, slot);
        if ((n[0] | n[1] | n[2]) == 0 || spheres->pass.constants[slot][0] != 0.0)
            continue;
        vec3 force = {0.0, 0.0, 0.0}, torque = force;
        eng_spheres_add_force(spheres->world, eng_spheres_ids(spheres)[slot], &force, &torque);
        vec3 drift = mat3_apply(&spheres->cell.before.drift, vec3_make(n[0], n[1], n[2]));
        work += vec3_dot(force, drift);
    }
    return spheres->pass.step * work;
}

/// Ways of the bodies that the pairs of each chunk meet, and the least that is left of a margin.
/// @param left  m, of the slots
static void follow_travelled(eng_spheres *spheres, double left)
{
    double walls = spheres->walls.speed, step = 1.000001 * spheres->pass.step;
    eng_spheres_chunk *chunks = spheres->pass.chunks;
    spheres->walls.path += walls * spheres->pass.step;
    spheres->list.slack = spheres->walls.margin - spheres->walls.path;
    spheres->list.slack = left < spheres->list.slack ? left : spheres->list.slack;
    spheres->cell.path += spheres->cell.way;
    if (spheres->cell.strains)
        spheres->list.slack = fmin(spheres->list.slack, spheres->cell.margin - spheres->cell.path);
    for (int i = 0; i < spheres->list.chunk_count; i++) {
        double most = walls;
        if (!eng_spheres_has_chunk(spheres, i))
            continue;
        for (int k = i; k <= chunks[i].last_chunk; k++)
            most = chunks[k].speed > most ? chunks[k].speed : most;
        for (int k = chunks[i].first_distant; k <= chunks[i].last_distant; k++)
            most = chunks[k].speed > most ? chunks[k].speed : most;
        chunks[i].path += most * step + 0.500001 * spheres->cell.way;
    }
}

/// Index + 1 of the first body of a chunk that goes farther than its radius in a step, or what was
/// found before; 0 for none.
static int32_t find_hasty(const eng_spheres *spheres, const eng_spheres_chunk *chunk, int32_t found)
{
    double step = spheres->pass.step;
    if (!(step * chunk->speed > spheres->table.smallest))
        return found;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++) {
        int body = eng_spheres_ids(spheres)[slot];
        double way = step * vec3_norm(vec3_from(spheres->pass.V[slot]));
        if (way > spheres->pass.constants[slot][3] && (found == 0 || body + 1 < found))
            found = body + 1;
    }
    return found;
}

/// What the chunks of this process have done: energies are booked, the rest is added up.
static eng_spheres_step_sums add_chunks(eng_spheres *spheres)
{
    eng_spheres_step_sums sums = {.left = INFINITY};
    eng_booked *booked = &spheres->world->state.audit.booked;
    int first = 0, end = spheres->list.chunk_count;
    spheres->world->state.audit.has_booked = true;
    if (eng_spheres_is_shared(spheres))
        booked = eng_spheres_share_own(spheres, &first, &end);
    for (int i = first; i < end; i++) {
        eng_spheres_chunk *c = &spheres->pass.chunks[i];
        double strain = spheres->cell.strains ? c->strain : 0.0;
        base_exact_add(&booked->damping, c->damping);
        base_exact_add(&booked->friction, c->friction);
        base_exact_add(&booked->plastic, c->plastic);
        base_exact_add(&booked->drivers, c->drivers);
        base_exact_add(&booked->drivers, strain);
        c->first_contact = (int)sums.contacts;
        sums.contacts += c->contacts;
        sums.active += c->active;
        sums.left = c->left < sums.left ? c->left : sums.left;
        sums.depth = c->depth > sums.depth ? c->depth : sums.depth;
        sums.relative = c->relative > sums.relative ? c->relative : sums.relative;
        if ((spheres->world->report.told & ENG_TOLD_HASTY) == 0)
            sums.hasty = find_hasty(spheres, c, sums.hasty);
        sums.overflow |= c->overflow;
        sums.out_of_memory |= c->out_of_memory;
        sums.odd |=
            !isfinite(c->finite + c->damping + c->friction + c->plastic + c->drivers + strain);
    }
    return sums;
}

/// Report and travelled from what all chunks come to. Returns whether all numbers are finite.
static bool collect(eng_spheres *spheres, const eng_spheres_step_sums *sums)
{
    cairn_world *world = spheres->world;
    cairn_step_report *report = &world->report.step;
    spheres->store.contact_count = (int)sums->contacts;
    spheres->list.overflow |= sums->overflow != 0;
    // contacts with walls are missing, which the next step says again
    spheres->list.out_of_memory |= sums->out_of_memory != 0;
    report->contacts += spheres->store.contact_count;
    report->active += (int)sums->active;
    report->penetration = fmax(report->penetration, sums->depth);
    report->penetration_relative = fmax(report->penetration_relative, sums->relative);
    world->report.hasty = sums->hasty;
    follow_travelled(spheres, sums->left);
    const cairn_energy *e = &world->state.audit.energy;
    return sums->odd == 0 &&
           isfinite(e->damping + e->friction + e->plastic + e->drivers + e->population);
}

cairn_status eng_spheres_step(cairn_world *world)
{
    eng_spheres *spheres = world->state.spheres;
    if (spheres->table.slots == 0)
        return CAIRN_OK;
    for (int k = 0; k < 3; k++)
        spheres->pass.gravity[k] = spheres->pass.step * world->model.def.gravity[k];
    spheres->pass.first_step = world->state.clock.step_count == 0;
    world->state.audit.energy.drivers += load_work(spheres);
    eng_spheres_frame_advance(spheres);
    eng_spheres_walls_advance(spheres);
    spheres->walls.speed = eng_spheres_walls_fastest(spheres);
    eng_spheres_ranges_step(spheres);
    bool parted = eng_spheres_is_shared(spheres) && spheres->clumps.count > 0;
    BASE_TRY(parted ? eng_spheres_share_forces(spheres) : CAIRN_OK);
    eng_spheres_clumps_push(spheres);
    BASE_TRY(eng_spheres_clumps_move(spheres));
    spheres->table.last_step = spheres->pass.step;
    world->state.audit.energy.drivers += driven_work(spheres) + prescribed_strain(spheres);
    if (world->scratch.general.work)
        eng_spheres_release_free(world);
    return CAIRN_OK;
}

/// After a step that some bodies began: the energy that was there before it.
static cairn_status book_start(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    base_exact_sum total = {0};
    int first = 0, end = spheres->list.chunk_count;
    bool shared = eng_spheres_is_shared(spheres);
    if (shared)
        (void)eng_spheres_share_own(spheres, &first, &end);
    eng_spheres_start_total(spheres, first, end, &total);
    cairn_status status = shared ? eng_spheres_share_sum(spheres, &total) : CAIRN_OK;
    double energy = base_exact_value(&total);
    if (world->state.clock.step_count == 0)
        world->state.audit.start += energy;
    else
        world->state.audit.energy.population += energy;
    base_release(&world->model.allocator, spheres->table.first.memory);
    spheres->table.first = (eng_spheres_buffer){0};
    spheres->table.first_V = NULL;
    return status;
}

cairn_status eng_spheres_finish(cairn_world *world)
{
    eng_spheres *spheres = world->state.spheres;
    if (spheres->table.slots == 0)
        return CAIRN_OK;
    cairn_status status = CAIRN_OK;
    bool acted = eng_spheres_are_acted_on(world);
    if (acted || spheres->clumps.count > 0)
        BASE_TRY(acted ? eng_spheres_store_acted(world) : CAIRN_OK);
    eng_spheres_clumps_follow(spheres);
    eng_spheres_ranges_finish(spheres);
    eng_spheres_step_sums sums = add_chunks(spheres);
    BASE_TRY(eng_spheres_is_shared(spheres) ? eng_spheres_share_exchange(spheres, &sums)
                                            : CAIRN_OK);
    bool finite = collect(spheres, &sums);
    if (spheres->table.first_V != NULL)
        status = book_start(spheres);
    if (status != CAIRN_OK)
        return status;
    world->state.audit.energy.drivers += load_work(spheres);
    if (spheres->list.out_of_memory)
        return CAIRN_ERROR_MEMORY;
    return finite ? CAIRN_OK : CAIRN_ERROR_NONFINITE;
}
