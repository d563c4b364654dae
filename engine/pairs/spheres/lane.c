// SPDX-License-Identifier: Apache-2.0
// The sphere executor: its making, kernels, walls and rows.
#include "engine/pairs/spheres/lane.h"
#include "engine/pairs/spheres/lane_data.h"

#include "base/vectors.h"
#include "engine/passes/rotation.h"

#include <string.h>

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
    void *arrays[] = {lane->materials,    lane->covered, lane->critical, lane->exposed,
                      lane->exposed_next, lane->acted,   lane->mark,     lane->moved,
                      lane->moved_of,     lane->first_V};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        base_release(&allocator, arrays[i]);
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

/// One wall of a half-space, one for each collider of another body; half-spaces come first.
static void number_walls(eng_lane *lane)
{
    const cairn_world *world = lane->world;
    eng_lane_wall *walls = lane->walls.block;
    int planes = 0, shapes = lane->plane_count;
    lane->has_moving_walls = false;
    for (int i = 0; i < world->body_count; i++) {
        int *next = is_plane(world, i) ? &planes : &shapes;
        for (int k = 0; eng_lane_is_wall(world, i) && k < eng_collider_count_of(world, i); k++) {
            eng_part part = eng_part_of(world, i, k);
            bool moves = world->bodies[i].kind == CAIRN_MOVING;
            walls[(*next)++] =
                (eng_lane_wall){.body = i,
                                .collider = world->bodies[i].first_collider + k,
                                .moves = moves,
                                .follows = eng_extra_of(world, i).motion.function != NULL,
                                .shape = part.shape,
                                .local = part.place};
            lane->has_moving_walls |= moves;
        }
    }
}

cairn_status eng_lane_walls_number(eng_lane *lane)
{
    const cairn_world *world = lane->world;
    int walls = 0, planes = 0;
    for (int i = 0; i < world->body_count; i++) {
        walls += eng_lane_is_wall(world, i) ? eng_collider_count_of(world, i) : 0;
        planes += is_plane(world, i);
    }
    cairn_status status =
        eng_lane_reserve(lane, &lane->walls, ((size_t)walls + 1) * sizeof(eng_lane_wall));
    if (status != CAIRN_OK)
        return status;
    lane->wall_count = walls;
    lane->plane_count = planes;
    lane->has_shapes = walls > planes;
    lane->ghost_count = lane->plane_ghosts = lane->group_count = 0;
    number_walls(lane);
    lane->walls_renumbered = true;
    return CAIRN_OK;
}

void eng_lane_read_constants(eng_lane *lane, int row)
{
    const cairn_world *world = lane->world;
    int body = eng_lane_ids(lane)[row];
    double h = lane->pass.step, *c = lane->pass.constants[row],
           radius = world->shapes[world->bodies[body].shape]->sphere.radius;
    double inverse[6];
    eng_mass_inverse_of(world, body, inverse);
    c[0] = h * inverse[0];
    c[1] = h * radius * inverse[3];
    c[2] = h * inverse[3];
    c[3] = radius;
}

void eng_lane_row_write(eng_lane *lane, int row, const eng_state *state)
{
    int k = row % ENG_LANE_WIDTH;
    const pose *q = &state->q;
    const double *v = state->v;
    double half = 0.5 * lane->pass.step;
    eng_lane_read_constants(lane, row);
    vec3 spin_body = vec3_from(v + 3), spin = quat_rotate(q->orientation, spin_body);
    quat turn = eng_rotation_advance(q->orientation, vec3_scale(half, spin_body));
    vec3_store(lane->pass.X[row], vec3_add_scaled(q->position, half, vec3_from(v)));
    lane->pass.X[row][3] = spin.z;
    double *V = lane->pass.V[row];
    memcpy(V, v, 3 * sizeof *V);
    vec3_store(V + 3, vec3_scale(lane->pass.constants[row][3], spin));
    V[6] = spin.x;
    V[7] = spin.y;
    double(*to)[8] = lane->pass.turn[row / ENG_LANE_WIDTH];
    to[0][k] = turn.w;
    to[1][k] = turn.x;
    to[2][k] = turn.y;
    to[3][k] = turn.z;
}

void eng_lane_row_move(eng_lane *lane, int from, int to)
{
    int group[2] = {from / ENG_LANE_WIDTH, to / ENG_LANE_WIDTH};
    if (from == to)
        return;
    memcpy(lane->pass.X[to], lane->pass.X[from], sizeof *lane->pass.X);
    memcpy(lane->pass.V[to], lane->pass.V[from], sizeof *lane->pass.V);
    for (int k = 0; k < 4; k++)
        lane->pass.turn[group[1]][k][to % ENG_LANE_WIDTH] =
            lane->pass.turn[group[0]][k][from % ENG_LANE_WIDTH];
    eng_lane_ids(lane)[to] = eng_lane_ids(lane)[from];
    eng_lane_read_constants(lane, to);
}

void eng_lane_rows_measure(eng_lane *lane)
{
    lane->largest = 0.0;
    lane->smallest = INFINITY;
    lane->has_moving_spheres = false;
    for (int row = 0; row < lane->rows; row++) {
        int body = eng_lane_ids(lane)[row];
        eng_lane_read_constants(lane, row);
        lane->largest = fmax(lane->largest, lane->pass.constants[row][3]);
        lane->smallest = fmin(lane->smallest, lane->pass.constants[row][3]);
        lane->has_moving_spheres |= lane->world->bodies[body].kind == CAIRN_MOVING;
    }
}

/// Loads that the user applies, as rows for the sums; a single zero row where there are none.
cairn_status eng_lane_loads_read(eng_lane *lane)
{
    const cairn_world *world = lane->world;
    lane->has_load = false;
    for (int row = 0; row < lane->rows && world->loads != NULL && !lane->has_load; row++) {
        int body = eng_lane_ids(lane)[row];
        const eng_load *given = &world->loads[body];
        lane->has_load =
            world->bodies[body].kind == CAIRN_DYNAMIC &&
            (vec3_norm_squared(given->force) > 0.0 || vec3_norm_squared(given->torque) > 0.0);
    }
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
