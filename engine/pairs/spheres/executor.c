// SPDX-License-Identifier: Apache-2.0
// The step of the sphere executor: walls and lists for the coming midpoint, the fused pass over all
// rows, and what follows from it.
#include "engine/pairs/spheres/lane.h"
#include "engine/pairs/spheres/lane_data.h"

#include "base/elementary.h"

#include <string.h>

typedef struct eng_lane eng_lane;

static bool is_plane(const cairn_world *world, int body)
{
    return world->shapes[world->bodies[body].shape]->kind == GEO_HALFSPACE;
}

/// Slot of the pair of a sphere's row and another body, -1 for none.
static int find_slot(const eng_lane *lane, int row, int body)
{
    const eng_lane_pass *p = &lane->pass;
    const int *starts[2] = {p->near_start, p->far_start}, *lists[2] = {p->near, p->far};
    for (int list = 0; list < 2; list++)
        for (int at = starts[list][row]; at < starts[list][row + 1]; at++) {
            int entry = lists[list][at];
            int slot = list == 0 ? eng_lane_slot_of(lane, row, entry) : entry / 8;
            if (slot < 0)
                continue;
            const eng_lane_block *block = &p->blocks[slot / ENG_LANE_WIDTH];
            int k = slot % ENG_LANE_WIDTH;
            int other = entry & 1 ? eng_lane_row_a(block, k) : eng_lane_row_b(block, k);
            if (eng_lane_body_of(lane, other) == body)
                return slot;
        }
    return -1;
}

/// Slot of a contact of the world; -1 for none.
static int slot_of_contact(const eng_lane *lane, int contact)
{
    const cairn_world *world = lane->world;
    const eng_contacts *c = &world->contacts;
    const int *row_of = lane->row_of.block;
    const geo_pair *pair = &world->pairs[c->pair[contact]].colliders;
    int a = c->body[contact][0], b = c->body[contact][1];
    if (!eng_lane_owns_pair(world, a, b))
        return -1;
    if (eng_lane_holds(world, a) && eng_lane_holds(world, b))
        return find_slot(lane, row_of[a], b);
    bool first = eng_lane_is_wall(world, a);
    int sphere = first ? b : a, wall = first ? a : b;
    uint64_t key = c->key[contact];
    if (is_plane(world, wall))
        return find_slot(lane, row_of[sphere], wall);
    return eng_lane_shapes_find(lane, row_of[sphere], first ? pair->first : pair->second,
                                first ? key >> 32 | key << 32 : key);
}

/// History of contacts of the general passes that are the executor's from now on.
static void adopt_contacts(eng_lane *lane)
{
    cairn_world *world = lane->world;
    eng_contacts *c = &world->contacts;
    for (int i = c->cone_count; i < c->count; i++) {
        if (!eng_lane_owns_pair(world, c->body[i][0], c->body[i][1]))
            continue;
        int slot = slot_of_contact(lane, i);
        // one that has ended lets go of what it held
        world->energy.friction += slot < 0 ? c->loose[i] : 0.0;
        c->loose[i] = 0.0;
        if (slot < 0)
            continue;
        eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
        int k = slot % ENG_LANE_WIDTH, other = eng_lane_row_b(block, k);
        bool on_b = eng_lane_body_of(lane, other) == c->body[i][1];
        eng_lane_history_read(lane, eng_lane_terms_of(lane, block)->batch, block, k,
                              on_b ? 1.0 : -1.0, c->history[i]);
    }
}

/// What the general passes leave when nothing is left for them.
static void drop_general(cairn_world *world)
{
    const base_allocator *allocator = &world->allocator;
    eng_contacts_release(allocator, &world->contacts);
    eng_contacts_release(allocator, &world->contacts_before);
    base_release(allocator, world->pairs);
    base_release(allocator, world->pairs_before);
    world->contacts = world->contacts_before = (eng_contacts){0};
    world->pairs = world->pairs_before = NULL;
    world->pair_count = world->pair_capacity = 0;
    world->energy.elastic = 0.0;
}

/// Most that the distance of a sphere from a wall has changed between its last two places, m.
static double plane_jump(const eng_lane *lane, const eng_lane_wall *wall)
{
    const eng_lane_plane *from = &wall->before, *to = &wall->now;
    double turned = vec3_norm(vec3_sub(to->normal, from->normal));
    return vec3_norm(vec3_sub(to->point, from->point)) +
           turned * (lane->extent + vec3_norm(from->point));
}

/// Most that a point of a wall has moved between its last two places, m.
static double shape_jump(const eng_lane_wall *wall)
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
static double wall_jump(const eng_lane *lane, int index)
{
    const eng_lane_wall *wall = (const eng_lane_wall *)lane->walls.block + index;
    return index < lane->plane_count ? plane_jump(lane, wall) : shape_jump(wall);
}

/// Walls go to the midpoint of the coming step where it is not what the last step foresaw: those
/// that follow functions of time, and all after a change by the user.
static cairn_status follow_walls(eng_lane *lane)
{
    eng_lane_wall *walls = lane->walls.block;
    bool all = lane->walls_changed || lane->walls_renumbered;
    double jump = 0.0;
    for (int i = 0; i < lane->wall_count; i++) {
        if (!all && !walls[i].follows)
            continue;
        eng_lane_plane before = walls[i].before;
        pose placed_before = walls[i].placed_before;
        walls[i].before = walls[i].now;
        walls[i].placed_before = walls[i].placed;
        eng_lane_wall_place(lane, &walls[i], lane->world->q[walls[i].body],
                            lane->world->v[walls[i].body]);
        jump = lane->walls_renumbered ? 0.0 : fmax(jump, wall_jump(lane, i));
        bool keeps = walls[i].moves && !lane->walls_renumbered;
        walls[i].before = keeps ? before : walls[i].now;
        walls[i].placed_before = keeps ? placed_before : walls[i].placed;
    }
    lane->walls_changed = lane->walls_renumbered = false;
    if (lane->slack < 0.0)
        return CAIRN_OK; // a new list places all ghosts
    for (int i = 0; i < lane->chunk_count; i++)
        lane->pass.chunks[i].path += jump;
    lane->wall_path += jump;
    lane->slack = fmin(lane->slack, lane->wall_margin - lane->wall_path);
    if (lane->slack < 0.0)
        return CAIRN_OK;
    eng_lane_ghosts_move(lane, 0, lane->plane_ghosts, NULL);
    cairn_status status = eng_lane_shapes_renew(lane);
    eng_lane_shapes_place(lane);
    return status;
}

static bool has_followers(const eng_lane *lane)
{
    const eng_lane_wall *walls = lane->walls.block;
    for (int i = 0; i < lane->wall_count && lane->world->motion_count > 0; i++)
        if (walls[i].follows)
            return true;
    return false;
}

/// A new list when it is due; *listed tells.
static cairn_status renew_list(eng_lane *lane, bool *listed)
{
    bool reload = lane->loads_changed;
    *listed = lane->slack < 0.0 || lane->crowded;
    if (*listed) {
        eng_lane_margins_choose(lane);
        cairn_status status = eng_lane_list_make(lane);
        if (status != CAIRN_OK)
            return status;
        reload = reload || lane->has_load;
    }
    if (*listed && lane->adopted)
        adopt_contacts(lane);
    if (*listed)
        lane->adopted = false;
    lane->loads_changed = false;
    return reload ? eng_lane_loads_read(lane) : CAIRN_OK;
}

/// Velocities before the world's first step, which its audit looks at after it.
static cairn_status keep_first(eng_lane *lane)
{
    if (lane->world->step_count > 0)
        return CAIRN_OK;
    const base_allocator *allocator = &lane->world->allocator;
    base_release(allocator, lane->first_V);
    lane->first_V = base_allocate(allocator, (size_t)lane->rows + 1, sizeof *lane->first_V);
    for (int row = 0; row < lane->rows && lane->first_V != NULL; row++) {
        memcpy(lane->first_V[row], lane->pass.V[row], sizeof *lane->pass.V);
        lane->first_V[row][8] = lane->pass.X[row][3];
    }
    return lane->first_V != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void eng_lane_forget_moved(eng_lane *lane)
{
    for (int i = 0; i < lane->moved_count; i++)
        lane->moved_of[lane->moved[i].row] = 0;
    lane->moved_count = 0;
    lane->settled = false;
}

static cairn_status prepare_rows(eng_lane *lane, bool *listed)
{
    cairn_world *world = lane->world;
    cairn_status status = CAIRN_OK;
    if (lane->out_of_memory)
        return CAIRN_ERROR_MEMORY;
    eng_lane_forget_moved(lane);
    if (lane->walls_changed || lane->walls_renumbered || has_followers(lane))
        status = follow_walls(lane);
    eng_lane_place_driven(world);
    if (status == CAIRN_OK)
        status = renew_list(lane, listed);
    return status == CAIRN_OK ? keep_first(lane) : status;
}

cairn_status eng_lane_prepare(cairn_world *world)
{
    eng_lane *lane = world->lane;
    bool listed = false;
    cairn_status status = lane->rows > 0 ? prepare_rows(lane, &listed) : CAIRN_OK;
    if (status == CAIRN_OK && world->general_work)
        status = eng_lane_expose(world, listed);
    if (status == CAIRN_OK && !world->general_work && world->contacts.capacity > 0)
        drop_general(world);
    return status;
}

/// Half of the work of the loads over a step, by the velocities of now, J.
static double load_work(const eng_lane *lane)
{
    double work = 0.0;
    for (int row = 0; row < lane->rows && lane->has_load; row++) {
        const double *load = lane->pass.load[row], *V = lane->pass.V[row];
        for (int k = 0; k < 3; k++)
            work += load[k] * V[k];
        work += load[3] * V[6] + load[4] * V[7] + load[5] * lane->pass.X[row][3];
    }
    return 0.5 * lane->pass.step * work;
}

/// Work of spheres that follow a prescribed velocity, J.
static double driven_work(const eng_lane *lane)
{
    const cairn_world *world = lane->world;
    double work = 0.0;
    for (int row = 0; row < lane->rows && lane->has_moving_spheres; row++) {
        int body = eng_lane_ids(lane)[row];
        if (world->bodies[body].kind != CAIRN_MOVING)
            continue;
        vec3 force = {0.0, 0.0, 0.0}, torque = force, spin = vec3_from(lane->pass.V[row] + 6);
        spin.z = lane->pass.X[row][3];
        eng_lane_add_force(world, body, &force, &torque);
        work -= vec3_dot(force, vec3_from(lane->pass.V[row])) + vec3_dot(torque, spin);
    }
    return lane->pass.step * work;
}

/// Ways of the bodies that the pairs of each chunk meet, and the least that is left of a margin.
static void follow_ways(eng_lane *lane)
{
    double walls = lane->wall_speed, step = 1.000001 * lane->pass.step;
    eng_lane_chunk *chunks = lane->pass.chunks;
    lane->wall_path += walls * lane->pass.step;
    lane->slack = lane->wall_margin - lane->wall_path;
    for (int i = 0; i < lane->chunk_count; i++) {
        double most = walls;
        for (int k = i; k <= chunks[i].last_chunk; k++)
            most = chunks[k].speed > most ? chunks[k].speed : most;
        chunks[i].path += most * step;
        lane->slack = chunks[i].left < lane->slack ? chunks[i].left : lane->slack;
    }
}

/// Energies, report and ways from the chunks, in their order.
static bool collect(eng_lane *lane)
{
    cairn_world *world = lane->world;
    cairn_step_report *report = &world->report;
    double finite = 0.0;
    lane->contact_count = 0;
    for (int i = 0; i < lane->chunk_count; i++) {
        eng_lane_chunk *c = &lane->pass.chunks[i];
        world->energy.damping += c->damping;
        world->energy.friction += c->friction;
        world->energy.plastic += c->plastic;
        world->energy.drivers += c->drivers;
        c->first_contact = lane->contact_count;
        lane->contact_count += c->contacts;
        report->active += c->active;
        report->penetration = fmax(report->penetration, c->depth);
        report->penetration_relative = fmax(report->penetration_relative, c->relative);
        finite += c->finite;
        lane->crowded |= c->crowded;
    }
    report->contacts += lane->contact_count;
    follow_ways(lane);
    return finite == 0.0;
}

/// Whether contacts with walls are missing for lack of memory, which the next step says again.
static bool is_starved(eng_lane *lane)
{
    for (int i = 0; i < lane->chunk_count; i++)
        lane->out_of_memory |= lane->pass.chunks[i].starved;
    return lane->out_of_memory;
}

cairn_status eng_lane_step(cairn_world *world)
{
    eng_lane *lane = world->lane;
    if (lane->rows == 0)
        return CAIRN_OK;
    cairn_status status = world->general_work ? eng_lane_hold(world) : CAIRN_OK;
    if (status != CAIRN_OK)
        return status;
    for (int k = 0; k < 3; k++)
        lane->pass.gravity[k] = lane->pass.step * world->def.gravity[k];
    lane->pass.first_step = world->step_count == 0;
    world->energy.drivers += load_work(lane);
    eng_lane_walls_advance(lane);
    lane->wall_speed = eng_lane_walls_fastest(lane);
    eng_lane_ranges_step(lane);
    lane->last_step = lane->pass.step;
    world->energy.drivers += driven_work(lane);
    if (world->general_work)
        eng_lane_release_free(world);
    return CAIRN_OK;
}

cairn_status eng_lane_finish(cairn_world *world)
{
    eng_lane *lane = world->lane;
    if (lane->rows == 0)
        return CAIRN_OK;
    if (world->general_work && lane->acted_count > 0) {
        cairn_status status = eng_lane_store_acted(world);
        if (status != CAIRN_OK)
            return status;
        eng_lane_ranges_finish(lane);
    }
    bool finite = collect(lane);
    if (world->step_count == 0) {
        world->energy_start += eng_lane_start_energy(lane);
        base_release(&world->allocator, lane->first_V);
        lane->first_V = NULL;
    }
    world->energy.drivers += load_work(lane);
    if (is_starved(lane))
        return CAIRN_ERROR_MEMORY;
    return finite ? CAIRN_OK : CAIRN_ERROR_NONFINITE;
}

// ---------------------------------------------------------------- between steps

void eng_lane_settle(eng_lane *lane)
{
    cairn_world *world = lane->world;
    cairn_energy owed = {0};
    if (lane->settled || lane->block_count == 0)
        return;
    eng_lane_add_energy(world, &owed);
    world->energy.damping += owed.damping;
    world->energy.friction += owed.friction;
    lane->settled = true;
    for (int i = 0; i < lane->block_count; i++) {
        eng_lane_block *block = &lane->pass.blocks[i];
        memset(block->lag_normal, 0, sizeof block->lag_normal);
        memset(block->lag_tangent, 0, sizeof block->lag_tangent);
        eng_lane_resist *resist = eng_lane_resist_of(lane, block);
        if (resist != NULL) {
            memset(resist->lag_rolling, 0, sizeof resist->lag_rolling);
            memset(resist->lag_twisting, 0, sizeof resist->lag_twisting);
        }
    }
}

cairn_status eng_lane_keep_moved(eng_lane *lane, int row)
{
    const base_allocator *allocator = &lane->world->allocator;
    int known = lane->moved_of_capacity;
    cairn_status status =
        base_array_reserve(allocator, &lane->moved_of, &lane->moved_of_capacity, lane->rows);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &lane->moved, &lane->moved_capacity,
                                    lane->moved_count + 1);
    if (lane->moved_of_capacity > known)
        memset(lane->moved_of + known, 0,
               (size_t)(lane->moved_of_capacity - known) * sizeof *lane->moved_of);
    if (status != CAIRN_OK || lane->moved_of[row] != 0)
        return status;
    eng_lane_moved *moved = &lane->moved[lane->moved_count++];
    moved->row = row;
    memcpy(moved->X, lane->pass.X[row], sizeof moved->X);
    memcpy(moved->V, lane->pass.V[row], sizeof moved->V);
    lane->moved_of[row] = lane->moved_count;
    return CAIRN_OK;
}

cairn_status eng_lane_state_set(cairn_world *world, int body, const eng_state *state)
{
    eng_lane *lane = world->lane;
    int row = eng_lane_row_of(lane, body);
    eng_lane_settle(lane);
    cairn_status status = eng_lane_keep_moved(lane, row);
    if (status != CAIRN_OK)
        return status;
    eng_lane_row_write(lane, row, state);
    lane->slack = -1.0;
    return CAIRN_OK;
}

void eng_lane_wall_changed(cairn_world *world, int body)
{
    eng_lane *lane = world->lane;
    if (lane == NULL || lane->rows == 0 || !eng_lane_is_wall(world, body))
        return;
    eng_lane_settle(lane);
    lane->walls_changed = true;
}

void eng_lane_loads_changed(cairn_world *world)
{
    if (world->lane != NULL)
        world->lane->loads_changed = true;
}

void eng_lane_time_step_changed(cairn_world *world, double step)
{
    eng_lane *lane = world->lane;
    if (lane == NULL || lane->rows == 0)
        return;
    eng_lane_settle(lane);
    for (int row = 0; row < lane->rows; row++) {
        eng_state state = eng_lane_state_of(world, eng_lane_ids(lane)[row]);
        double before = lane->pass.step;
        lane->pass.step = step;
        eng_lane_row_write(lane, row, &state);
        lane->pass.step = before;
    }
    lane->pass.step = step;
    lane->slack = -1.0;
    lane->walls_changed = true;
}
