// SPDX-License-Identifier: Apache-2.0
// The spheres lane: when it applies, entering it, its step.
#include "engine/pairs/spheres/lane.h"
#include "engine/pairs/spheres/lane_data.h"

#include "base/elementary.h"
#include "base/timer.h"
#include "base/vectors.h"
#include "engine/passes/rotation.h"
#include "engine/state/surfaces.h"

#include <inttypes.h>
#include <string.h>

static bool is_plain_sphere(const cairn_world *world, const eng_body *body)
{
    return world->shapes[body->shape]->kind == GEO_SPHERE && body->solid == 0;
}

static bool is_body_covered(const cairn_world *world, const eng_body *body)
{
    return eng_lane_is_wall(world, (int)(body - world->bodies)) || is_plain_sphere(world, body);
}

enum {
    MATERIALS_PAIRED = 256,     // most whose pairs are looked at one by one
    SURFACES_MOST = UINT16_MAX, // a pair on the list has 16 bits for its surface
};

static bool have_kernels(const cairn_world *world)
{
    bool all = world->surface_count <= SURFACES_MOST;
    for (int i = 0; i < world->surface_count && all; i++)
        all = eng_lane_has_kernel(&world->surfaces[i]);
    return all;
}

/// Surfaces of all pairs of bodies that can move against each other; of many materials all surfaces
/// there are.
static bool are_surfaces_covered(const cairn_world *world)
{
    bool used[MATERIALS_PAIRED] = {false}, mobile[MATERIALS_PAIRED] = {false};
    int n = world->material_count;
    if (n > MATERIALS_PAIRED)
        return have_kernels(world);
    for (int i = 0; i < world->body_count; i++) {
        const eng_body *body = &world->bodies[i];
        used[body->material] = true;
        mobile[body->material] |= body->kind == CAIRN_DYNAMIC;
    }
    eng_surface scratch;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (mobile[a] && used[b] &&
                !eng_lane_has_kernel(eng_surface_between(world, a, b, &scratch)))
                return false;
    return true;
}

/// Checks bodies, then the surface of every pair of materials.
static bool fits(const cairn_world *world)
{
    bool any = false;
    if (world->connector_count > 0 || world->motion_count > 0)
        return false;
    for (int i = 0; i < world->body_count; i++) {
        if (!is_body_covered(world, &world->bodies[i]))
            return false;
        any = any || world->bodies[i].kind == CAIRN_DYNAMIC;
    }
    return any && world->joint_count == 0 && are_surfaces_covered(world);
}

bool eng_lane_covers(const cairn_world *world)
{
    return world->lane_fit == ENG_LANE_UNKNOWN ? fits(world) : world->lane_fit == ENG_LANE_FIT;
}

bool eng_lane_is_active(const cairn_world *world)
{
    return world->lane != NULL && world->lane->active;
}

cairn_status eng_lane_reserve(eng_lane *lane, eng_lane_buffer *buffer, size_t bytes)
{
    const size_t alignment = 64;
    if (bytes <= buffer->capacity)
        return CAIRN_OK;
    const base_allocator *allocator = &lane->world->allocator;
    size_t size = bytes + bytes / 8, old = buffer->capacity;
    size_t offset = (size_t)((char *)buffer->block - (char *)buffer->memory);
    void *made = allocator->reallocate(allocator->context, buffer->memory, size + alignment);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    uintptr_t address = ((uintptr_t)made + alignment - 1) / alignment * alignment;
    char *block = (char *)made + (address - (uintptr_t)made);
    memmove(block, (char *)made + offset, old);
    *buffer = (eng_lane_buffer){made, block, size};
    base_advise_large(block, bytes);
    return CAIRN_OK;
}

void eng_lane_destroy(eng_lane *lane)
{
    if (lane == NULL)
        return;
    base_allocator allocator = lane->world->allocator;
    eng_lane_buffer *all[] = {
        &lane->X,          &lane->V,           &lane->constants,   &lane->turn,
        &lane->reference,  &lane->id,          &lane->row_of,      &lane->blocks,
        &lane->columns,    &lane->force,       &lane->near_start,  &lane->near_list,
        &lane->far_start,  &lane->far_list,    &lane->segments,    &lane->chunks,
        &lane->load,       &lane->terms,       &lane->far_touched, &lane->walls,
        &lane->ghosts,     &lane->lasting,     &lane->scratch,     &lane->cell_start,
        &lane->kept_start, &lane->kept_aside,  &lane->counts,      &lane->resist,
        &lane->couple,     &lane->kept_resist, &lane->groups,      &lane->touches,
        &lane->kept_spots, &lane->near_walls,  &lane->kept_columns};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        base_release(&allocator, all[i]->memory);
    for (int i = 0; i < lane->manifold_count; i++)
        geo_manifold_finish(&lane->manifolds[i]);
    base_release(&allocator, lane->manifolds);
    for (int r = 0; r < base_workers_count(lane->world->workers); r++) {
        base_release(&allocator, lane->range[r].pairs);
        base_release(&allocator, lane->range[r].ghosts);
    }
    base_release(&allocator, lane->range);
    base_release(&allocator, lane);
}

static const eng_lane_kernel *const kernels[] = {
#if defined(__x86_64__)
    &eng_lane_avx512,
    &eng_lane_avx2,
#endif
    &eng_lane_scalar,
};

static const eng_lane_kernel *best_kernel(void)
{
    int i = 0, longest = base_vectors_longest();
    while (!kernels[i]->available() || base_vectors_length(kernels[i]->name) > longest)
        i++;
    return kernels[i];
}

static eng_lane *make_lane(cairn_world *world)
{
    size_t workers = (size_t)base_workers_count(world->workers);
    eng_lane *lane = base_allocate(&world->allocator, 1, sizeof *lane);
    eng_lane_range *range = base_allocate(&world->allocator, workers, sizeof *range);
    if (lane == NULL || range == NULL) {
        base_release(&world->allocator, lane);
        base_release(&world->allocator, range);
        return NULL;
    }
    lane->world = world;
    lane->range = range;
    lane->kernel = best_kernel();
    lane->least_chunks = ENG_LANE_LEAST;
    return lane;
}

eng_lane *eng_lane_of(cairn_world *world)
{
    if (world->lane == NULL)
        world->lane = make_lane(world);
    return world->lane;
}

bool eng_lane_choose_kernel(cairn_world *world, const char *name)
{
    eng_lane *lane = eng_lane_of(world);
    for (size_t i = 0; lane != NULL && i < sizeof kernels / sizeof kernels[0]; i++)
        if (strcmp(kernels[i]->name, name) == 0 && kernels[i]->available()) {
            lane->kernel = kernels[i];
            return true;
        }
    return false;
}

bool eng_lane_choose_ranges(cairn_world *world, int least_chunks)
{
    eng_lane *lane = eng_lane_of(world);
    if (lane != NULL)
        lane->least_chunks = least_chunks;
    return lane != NULL;
}

static bool is_plane(const cairn_world *world, int body)
{
    return world->shapes[world->bodies[body].shape]->kind == GEO_HALFSPACE;
}

/// Rows in the order of bodies, and the walls.
static cairn_status count_bodies(eng_lane *lane)
{
    const cairn_world *world = lane->world;
    int rows = 0, walls = 0, planes = 0;
    for (int i = 0; i < world->body_count; i++) {
        bool wall = eng_lane_is_wall(world, i);
        rows += !wall;
        walls += wall ? eng_collider_count_of(world, i) : 0;
        planes += is_plane(world, i);
    }
    lane->rows = rows;
    lane->wall_count = walls;
    lane->plane_count = planes;
    lane->has_shapes = walls > planes;
    lane->ghost_count = lane->plane_ghosts = lane->group_count = 0;
    return eng_lane_reserve(lane, &lane->walls, ((size_t)walls + 1) * sizeof(eng_lane_wall));
}

/// One wall of a half-space, one for each collider of another body; half-spaces come first.
static void number_bodies(eng_lane *lane)
{
    const cairn_world *world = lane->world;
    eng_lane_wall *walls = lane->walls.block;
    int *id = eng_lane_ids(lane), rows = 0, planes = 0, shapes = lane->plane_count;
    for (int i = 0; i < world->body_count; i++) {
        if (!eng_lane_is_wall(world, i)) {
            id[rows++] = i;
            continue;
        }
        int *next = is_plane(world, i) ? &planes : &shapes;
        for (int k = 0; k < eng_collider_count_of(world, i); k++) {
            eng_part part = eng_part_of(world, i, k);
            walls[(*next)++] = (eng_lane_wall){.body = i,
                                               .collider = world->bodies[i].first_collider + k,
                                               .shape = part.shape,
                                               .local = part.place};
        }
    }
}

void eng_lane_read_constants(eng_lane *lane, int row)
{
    const cairn_world *world = lane->world;
    int body = eng_lane_ids(lane)[row];
    double h = world->def.time_step, *c = lane->pass.constants[row],
           radius = world->shapes[world->bodies[body].shape]->sphere.radius;
    double inverse[6];
    eng_mass_inverse_of(world, body, inverse);
    c[0] = h * inverse[0];
    c[1] = h * radius * inverse[3];
    c[2] = h * inverse[3];
    c[3] = radius;
}

static void read_row(eng_lane *lane, int row)
{
    const cairn_world *world = lane->world;
    int body = eng_lane_ids(lane)[row], k = row % ENG_LANE_WIDTH;
    const pose *q = &world->q[body];
    const double *v = world->v[body];
    double h = world->def.time_step,
           radius = world->shapes[world->bodies[body].shape]->sphere.radius;
    vec3 spin_body = vec3_from(v + 3), spin = quat_rotate(q->orientation, spin_body);
    quat turn = eng_rotation_advance(q->orientation, vec3_scale(0.5 * h, spin_body));
    vec3_store(lane->pass.X[row], vec3_add_scaled(q->position, 0.5 * h, vec3_from(v)));
    lane->pass.X[row][3] = spin.z;
    double *V = lane->pass.V[row];
    memcpy(V, v, 3 * sizeof *V);
    vec3_store(V + 3, vec3_scale(radius, spin));
    V[6] = spin.x;
    V[7] = spin.y;
    double(*to)[8] = lane->pass.turn[row / ENG_LANE_WIDTH];
    to[0][k] = turn.w;
    to[1][k] = turn.x;
    to[2][k] = turn.y;
    to[3][k] = turn.z;
    eng_lane_read_constants(lane, row);
}

/// Loads that the user applies, as rows for the sums; a single zero row where there are none.
static cairn_status read_loads(eng_lane *lane)
{
    const cairn_world *world = lane->world;
    lane->has_load = false;
    for (int i = 0; i < world->body_count && world->loads != NULL; i++)
        lane->has_load = lane->has_load || (world->bodies[i].kind == CAIRN_DYNAMIC &&
                                            (vec3_norm_squared(world->loads[i].force) > 0.0 ||
                                             vec3_norm_squared(world->loads[i].torque) > 0.0));
    size_t count = lane->has_load ? (size_t)lane->rows : 1;
    cairn_status status = eng_lane_reserve(lane, &lane->load, count * sizeof(double[8]));
    if (status != CAIRN_OK)
        return status;
    double(*load)[8] = lane->load.block;
    memset(load, 0, count * sizeof *load);
    for (int row = 0; row < lane->rows && lane->has_load; row++) {
        const eng_load *given = &world->loads[eng_lane_ids(lane)[row]];
        vec3_store(load[row], given->force);
        vec3_store(load[row] + 3, given->torque);
    }
    lane->pass.load = (const double(*)[8])load;
    lane->pass.load_stride = lane->has_load ? 1 : 0;
    return CAIRN_OK;
}

/// Bodies of the world go to the rows; a new list follows.
static void read_bodies(eng_lane *lane)
{
    cairn_world *world = lane->world;
    lane->pass.step = world->def.time_step;
    lane->largest = 0.0;
    lane->smallest = INFINITY;
    lane->has_moving_spheres = lane->has_moving_walls = false;
    for (int row = 0; row < lane->rows; row++) {
        read_row(lane, row);
        int body = eng_lane_ids(lane)[row];
        lane->largest = fmax(lane->largest, lane->pass.constants[row][3]);
        lane->smallest = fmin(lane->smallest, lane->pass.constants[row][3]);
        lane->has_moving_spheres |= world->bodies[body].kind == CAIRN_MOVING;
    }
    eng_lane_walls_read(lane);
    eng_lane_walls_place(lane);
    eng_lane_walls_place(lane); // `before` too
    lane->slack = -1.0;
    lane->state_changed = false;
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
    if (!eng_lane_is_wall(world, a) && !eng_lane_is_wall(world, b))
        return find_slot(lane, row_of[a], b);
    bool first = eng_lane_is_wall(world, a);
    int sphere = first ? b : a, wall = first ? a : b;
    uint64_t key = c->key[contact];
    if (is_plane(world, wall))
        return find_slot(lane, row_of[sphere], wall);
    return eng_lane_shapes_find(lane, row_of[sphere], first ? pair->first : pair->second,
                                first ? key >> 32 | key << 32 : key);
}

/// History of the contacts that the ordinary blocks left.
static void read_contacts(eng_lane *lane)
{
    cairn_world *world = lane->world;
    const eng_contacts *c = &world->contacts;
    for (int i = c->cone_count; i < c->count; i++) {
        int slot = slot_of_contact(lane, i);
        if (slot < 0) {
            // it has ended, and lets go of what it held
            world->energy.friction += c->loose[i];
            continue;
        }
        eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
        int k = slot % ENG_LANE_WIDTH, other = eng_lane_row_b(block, k);
        bool on_b = eng_lane_body_of(lane, other) == c->body[i][1];
        eng_lane_history_read(lane, lane->pass.terms[c->surface[i]].batch, block, k,
                              on_b ? 1.0 : -1.0, c->history[i]);
    }
}

cairn_status eng_lane_open(eng_lane *lane)
{
    cairn_status status = count_bodies(lane);
    size_t bodies = (size_t)lane->world->body_count;
    lane->pass.step = lane->world->def.time_step;
    if (status == CAIRN_OK)
        status = eng_lane_terms_fill(lane);
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->row_of, bodies * sizeof(int));
    if (status == CAIRN_OK)
        status = eng_lane_rows_reserve(lane, 0);
    if (status != CAIRN_OK)
        return status;
    lane->block_count = 0;
    number_bodies(lane);
    return CAIRN_OK;
}

/// Takes the world's state over.
static cairn_status enter(eng_lane *lane)
{
    cairn_status status = eng_lane_open(lane);
    if (status != CAIRN_OK)
        return status;
    read_bodies(lane);
    eng_lane_margins_choose(lane);
    status = eng_lane_list_make(lane);
    if (status == CAIRN_OK)
        status = read_loads(lane);
    if (status != CAIRN_OK)
        return status;
    read_contacts(lane);
    eng_blocks_release(lane->world);
    lane->walls_changed = false;
    lane->active = true;
    lane->published = lane->contacts_published = false;
    return CAIRN_OK;
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

static cairn_status follow_walls(eng_lane *lane)
{
    const eng_lane_wall *walls = lane->walls.block;
    double jump = 0.0;
    eng_lane_walls_place(lane);
    for (int i = 0; i < lane->wall_count; i++)
        jump =
            fmax(jump, i < lane->plane_count ? plane_jump(lane, &walls[i]) : shape_jump(&walls[i]));
    if (!lane->has_moving_walls)
        eng_lane_walls_place(lane); // nothing else moves them on
    eng_lane_ghosts_move(lane, 0, lane->plane_ghosts, NULL);
    for (int i = 0; i < lane->chunk_count; i++)
        lane->pass.chunks[i].path += jump;
    lane->wall_path += jump;
    lane->slack = fmin(lane->slack, lane->wall_margin - lane->wall_path);
    lane->walls_changed = false;
    cairn_status status = eng_lane_shapes_renew(lane);
    eng_lane_shapes_place(lane);
    return status;
}

/// What the user changed, and a new pair list when it is due.
static cairn_status prepare(eng_lane *lane)
{
    cairn_status status = CAIRN_OK;
    bool reload = lane->loads_changed;
    if (lane->state_changed)
        read_bodies(lane);
    if (lane->walls_changed)
        status = follow_walls(lane);
    if (status != CAIRN_OK)
        return status;
    if (lane->slack < 0.0 || lane->crowded) {
        eng_lane_release_published(lane);
        eng_lane_margins_choose(lane);
        status = eng_lane_list_make(lane);
        reload = reload || lane->has_load;
    }
    if (status == CAIRN_OK && reload)
        status = read_loads(lane);
    lane->loads_changed = false;
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
        vec3 force, torque, spin = vec3_from(lane->pass.V[row] + 6);
        spin.z = lane->pass.X[row][3];
        eng_lane_body_force(world, body, &force, &torque);
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
    for (int i = 0; i < lane->chunk_count; i++) {
        const eng_lane_chunk *c = &lane->pass.chunks[i];
        world->energy.damping += c->damping;
        world->energy.friction += c->friction;
        world->energy.plastic += c->plastic;
        world->energy.drivers += c->drivers;
        report->contacts += c->contacts;
        report->active += c->active;
        report->penetration = fmax(report->penetration, c->depth);
        report->penetration_relative = fmax(report->penetration_relative, c->relative);
        finite += c->finite;
        lane->crowded |= c->crowded;
    }
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

cairn_status eng_lane_step(cairn_world *world, cairn_error *error)
{
    double start = base_timer_seconds();
    eng_lane *lane = eng_lane_of(world);
    world->lane_fit = ENG_LANE_FIT;
    cairn_status status = lane != NULL && !lane->out_of_memory ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = lane->active ? prepare(lane) : enter(lane);
    if (status != CAIRN_OK)
        return base_fail(error, status, "step %" PRId64 ": %s", world->step_count + 1,
                         cairn_status_text(status));
    world->report.seconds[CAIRN_PHASE_BROAD_PHASE] = base_timer_seconds() - start;
    start = base_timer_seconds();
    for (int k = 0; k < 3; k++)
        lane->pass.gravity[k] = lane->pass.step * world->def.gravity[k];
    lane->pass.first_step = world->step_count == 0;
    lane->current = lane->contacts_current = false;
    world->energy.drivers += load_work(lane);
    eng_lane_walls_advance(lane);
    lane->wall_speed = eng_lane_walls_fastest(lane);
    eng_lane_ranges_step(lane);
    bool finite = collect(lane);
    if (world->step_count == 0)
        world->energy_start += eng_lane_start_energy(lane);
    world->energy.drivers += load_work(lane) + driven_work(lane);
    world->report.seconds[CAIRN_PHASE_EXPLICIT_LAWS] = base_timer_seconds() - start;
    if (is_starved(lane))
        return base_fail(error, CAIRN_ERROR_MEMORY, "step %" PRId64 ": out of memory",
                         world->step_count + 1);
    return finite ? CAIRN_OK : CAIRN_ERROR_NONFINITE;
}

/// Books what the last step owes with the velocities it ended with.
static void settle_audit(eng_lane *lane)
{
    cairn_world *world = lane->world;
    eng_lane_energy(world, &world->energy);
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

static void set_arrays(cairn_world *world, int body, const eng_state *state)
{
    world->q[body] = state->q;
    memcpy(world->v[body], state->v, sizeof state->v);
}

cairn_status eng_lane_state_set(cairn_world *world, int body, const eng_state *state)
{
    eng_lane *lane = world->lane;
    bool wall = eng_lane_is_wall(world, body);
    cairn_status status = wall ? CAIRN_OK : eng_lane_publish(world);
    if (status != CAIRN_OK)
        return status;
    if (!lane->state_changed && !lane->walls_changed)
        settle_audit(lane);
    if (wall)
        eng_lane_wall_set(lane, body, state);
    lane->walls_changed |= wall;
    lane->state_changed |= !wall;
    if (lane->current)
        set_arrays(world, body, state);
    return CAIRN_OK;
}

void eng_lane_walls_restored(cairn_world *world)
{
    if (eng_lane_is_active(world))
        eng_lane_walls_read(world->lane);
}

void eng_lane_loads_changed(cairn_world *world)
{
    if (world->lane != NULL)
        world->lane->loads_changed = true;
}
