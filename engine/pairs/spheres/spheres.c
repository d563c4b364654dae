// SPDX-License-Identifier: Apache-2.0
// The sphere executor: its making, kernels, walls and slots.
#include "engine/pairs/spheres/spheres.h"
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/vectors.h"
#include "engine/state/rotation.h"

#include <stddef.h>
#include <string.h>

cairn_status eng_spheres_reserve(eng_spheres *spheres, eng_spheres_buffer *buffer, size_t bytes)
{
    const size_t alignment = 64;
    if (bytes <= buffer->capacity)
        return CAIRN_OK;
    const base_allocator *allocator = &spheres->world->model.allocator;
    size_t size = bytes + bytes / 8, old = buffer->capacity;
    size_t offset = (size_t)((char *)buffer->block - (char *)buffer->memory);
    void *made = allocator->reallocate(allocator->context, buffer->memory, size + alignment);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    uintptr_t address = ((uintptr_t)made + alignment - 1) / alignment * alignment;
    char *block = (char *)made + (address - (uintptr_t)made);
    // memory that was never written stays so
    if (block != (char *)made + offset)
        memmove(block, (char *)made + offset, old);
    *buffer = (eng_spheres_buffer){made, block, size};
    base_advise_large(block, bytes);
    return CAIRN_OK;
}

static void release_borders(const base_allocator *allocator, eng_spheres_borders *borders)
{
    base_release(allocator, borders->sent);
    base_release(allocator, borders->received);
    base_release(allocator, borders->slots);
}

void eng_spheres_share_release(eng_spheres *spheres)
{
    struct eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    if (share == NULL)
        return;
    base_release(allocator, share->first_chunk);
    base_release(allocator, share->old_slot);
    base_release(allocator, share->first_clump);
    base_release(allocator, share->held);
    base_release(allocator, share->seen);
    base_release(allocator, share->cost);
    release_borders(allocator, &share->places);
    release_borders(allocator, &share->parts);
    release_borders(allocator, &share->speeds);
    base_release(allocator, share->images);
    base_release(allocator, share->clumps.memory);
    base_release(allocator, share->found);
    base_release(allocator, share->bytes);
    base_release(allocator, share->messages);
    base_release(allocator, share);
    spheres->share = NULL;
}

/// The buffers of an executor.
#define AT(member) offsetof(eng_spheres, member)
static const size_t buffers[] = {AT(table.X),
                                 AT(table.V),
                                 AT(table.constants),
                                 AT(table.turn),
                                 AT(table.id),
                                 AT(table.slot_of),
                                 AT(table.load),
                                 AT(table.wraps),
                                 AT(table.first),
                                 AT(list.reference),
                                 AT(list.near_start),
                                 AT(list.near_list),
                                 AT(list.far_start),
                                 AT(list.far_list),
                                 AT(list.far_pairs),
                                 AT(list.chunks),
                                 AT(list.far_touched),
                                 AT(list.lasting),
                                 AT(list.scratch),
                                 AT(list.cell_start),
                                 AT(list.counts),
                                 AT(list.candidates.made),
                                 AT(list.candidates.used),
                                 AT(list.candidates.sorted),
                                 AT(list.candidates.start),
                                 AT(list.candidates.places),
                                 AT(store.blocks),
                                 AT(store.columns),
                                 AT(store.force),
                                 AT(store.segments),
                                 AT(store.terms),
                                 AT(store.kept_start),
                                 AT(store.kept_aside),
                                 AT(store.resist),
                                 AT(store.couple),
                                 AT(store.kept_resist),
                                 AT(store.kept_spots),
                                 AT(store.kept_columns),
                                 AT(walls.rows),
                                 AT(walls.ghosts),
                                 AT(walls.groups),
                                 AT(walls.touches),
                                 AT(walls.near_walls),
                                 AT(walls.near_shapes),
                                 AT(cell.images),
                                 AT(cell.image_pairs),
                                 AT(clumps.rows),
                                 AT(clumps.members),
                                 AT(clumps.motions),
                                 AT(clumps.groups),
                                 AT(clumps.member_rows),
                                 AT(clumps.sums),
                                 AT(clumps.ways)};
#undef AT

void eng_spheres_destroy(eng_spheres *spheres)
{
    if (spheres == NULL)
        return;
    base_allocator allocator = spheres->world->model.allocator;
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        base_release(&allocator, ((eng_spheres_buffer *)((char *)spheres + buffers[i]))->memory);
    void *arrays[] = {spheres->meeting.materials,    spheres->meeting.covered,
                      spheres->meeting.critical,     spheres->meeting.exposed,
                      spheres->meeting.exposed_next, spheres->meeting.acted,
                      spheres->meeting.mark,         spheres->table.moved,
                      spheres->table.moved_of,       spheres->meeting.released};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        base_release(&allocator, arrays[i]);
    for (int i = 0; i < spheres->walls.manifold_count; i++)
        geo_manifold_finish(&spheres->walls.manifolds[i]);
    base_release(&allocator, spheres->walls.manifolds);
    int workers = base_workers_count(spheres->world->model.workers);
    for (int r = 0; r < workers * eng_spheres_share_count(spheres); r++) {
        base_release(&allocator, spheres->list.range[r].pairs);
        base_release(&allocator, spheres->list.range[r].ghosts);
    }
    base_release(&allocator, spheres->list.range);
    eng_spheres_share_release(spheres);
    base_release(&allocator, spheres);
}

static const eng_spheres_kernel *const kernels[] = {
#if defined(__x86_64__)
    &eng_spheres_avx512,
    &eng_spheres_avx2,
#endif
    &eng_spheres_scalar,
};

static const eng_spheres_kernel *best_kernel(void)
{
    int i = 0, longest = base_vectors_longest();
    while (base_vectors_length(kernels[i]->name) > longest)
        i++;
    return kernels[i];
}

static eng_spheres *make_lane(cairn_world *world)
{
    size_t workers = (size_t)base_workers_count(world->model.workers);
    eng_spheres *spheres = base_allocate(&world->model.allocator, 1, sizeof *spheres);
    eng_spheres_range *range = base_allocate(&world->model.allocator, workers, sizeof *range);
    if (spheres == NULL || range == NULL) {
        base_release(&world->model.allocator, spheres);
        base_release(&world->model.allocator, range);
        return NULL;
    }
    spheres->world = world;
    spheres->list.range = range;
    spheres->kernel = best_kernel();
    spheres->list.least_chunks = ENG_SPHERES_LEAST;
    spheres->pass.first_image = INT_MAX;
    return spheres;
}

eng_spheres *eng_spheres_of(cairn_world *world)
{
    if (world->state.spheres == NULL)
        world->state.spheres = make_lane(world);
    return world->state.spheres;
}

bool eng_spheres_choose_kernel(cairn_world *world, const char *name)
{
    eng_spheres *spheres = eng_spheres_of(world);
    for (size_t i = 0; spheres != NULL && i < sizeof kernels / sizeof kernels[0]; i++)
        if (strcmp(kernels[i]->name, name) == 0 &&
            base_vectors_length(name) <= base_vectors_machine()) {
            spheres->kernel = kernels[i];
            return true;
        }
    return false;
}

bool eng_spheres_choose_ranges(cairn_world *world, int least_chunks)
{
    eng_spheres *spheres = eng_spheres_of(world);
    if (spheres != NULL)
        spheres->list.least_chunks = least_chunks;
    return spheres != NULL;
}

int eng_spheres_body_of(const eng_spheres *spheres, int slot)
{
    return eng_spheres_id_body(spheres, eng_spheres_id_of(spheres, slot));
}

int eng_spheres_id_of(const eng_spheres *spheres, int slot)
{
    slot = eng_spheres_source_of(&spheres->pass, slot);
    if (slot < spheres->table.slots)
        return eng_spheres_ids(spheres)[slot];
    const eng_spheres_ghost *ghosts = spheres->walls.ghosts.block;
    int wall = ghosts[slot - spheres->table.slots - 2].wall;
    return ((const eng_spheres_wall *)spheres->walls.rows.block)[wall].body;
}

static bool is_plane(const cairn_world *world, int body)
{
    int shape = world->model.bodies.rows[body].shape;
    return shape >= 0 && world->model.shapes.rows[shape]->kind == GEO_HALFSPACE;
}

/// Whether the plan that is made knows a body as a wall: that of a checkpoint does not know what
/// was made since its step.
static bool plans_wall(const eng_spheres *spheres, int body)
{
    return eng_spheres_is_wall(spheres->world, body) &&
           !(spheres->meeting.restoring && spheres->world->model.bodies.rows[body].arrived);
}

/// One wall of a half-space, one for each collider of another body; half-spaces come first.
static void number_walls(eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    eng_spheres_wall *walls = spheres->walls.rows.block;
    int planes = 0, shapes = spheres->walls.plane_count;
    spheres->walls.has_moving = false;
    for (int i = 0; i < world->model.bodies.count; i++) {
        int *next = is_plane(world, i) ? &planes : &shapes;
        for (int k = 0; plans_wall(spheres, i) && k < eng_collider_count_of(world, i); k++) {
            eng_part part = eng_part_of(world, i, k);
            bool moves = world->model.bodies.rows[i].kind == CAIRN_MOVING;
            walls[(*next)++] =
                (eng_spheres_wall){.body = i,
                                   .collider = world->model.bodies.rows[i].first_collider + k,
                                   .moves = moves,
                                   .follows = eng_extra_of(world, i).motion.function != NULL,
                                   .shape = part.shape,
                                   .local = part.place};
            spheres->walls.has_moving |= moves;
        }
    }
}

cairn_status eng_spheres_walls_number(eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    int walls = 0, planes = 0;
    for (int i = 0; i < world->model.bodies.count; i++) {
        walls += plans_wall(spheres, i) ? eng_collider_count_of(world, i) : 0;
        planes += plans_wall(spheres, i) && is_plane(world, i);
    }
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->walls.rows,
                                 ((size_t)walls + 1) * sizeof(eng_spheres_wall)));
    spheres->walls.count = walls;
    spheres->walls.plane_count = planes;
    spheres->walls.has_shapes = walls > planes;
    spheres->walls.ghost_count = spheres->walls.plane_ghosts = spheres->walls.group_count = 0;
    number_walls(spheres);
    spheres->walls.renumbered = true;
    return CAIRN_OK;
}

static const geo_shape *slot_shape(const struct eng_spheres *spheres, int slot)
{
    const cairn_world *world = spheres->world;
    int body = eng_spheres_slot_body(spheres, slot);
    int first = world->model.bodies.rows[body].first_collider;
    return eng_part_of(world, body, eng_spheres_slot_collider(spheres, slot) - first).shape;
}

void eng_spheres_read_constants(eng_spheres *spheres, int slot)
{
    const cairn_world *world = spheres->world;
    int body = eng_spheres_slot_body(spheres, slot);
    double h = spheres->pass.step, *c = spheres->pass.constants[slot],
           radius = slot_shape(spheres, slot)->sphere.radius;
    double inverse[6];
    eng_mass_inverse_of(world, body, inverse);
    // a clump turns as a whole
    double turns = eng_spheres_is_member(spheres, slot) ? 0.0 : inverse[3];
    c[0] = h * inverse[0];
    c[1] = h * radius * turns;
    c[2] = h * turns;
    c[3] = radius;
}

void eng_spheres_slot_write(eng_spheres *spheres, int slot, const eng_state *state)
{
    int k = slot % ENG_SPHERES_WIDTH;
    const pose *q = &state->q;
    const double *v = state->v;
    double half = 0.5 * spheres->pass.step;
    eng_spheres_read_constants(spheres, slot);
    vec3 omega_body = vec3_from(v + 3), omega = quat_rotate(q->orientation, omega_body);
    quat turn = eng_rotation_advance(q->orientation, vec3_scale(half, omega_body));
    vec3 centre = vec3_add_scaled(q->position, half, vec3_from(v));
    vec3_store(spheres->pass.X[slot], vec3_sub(centre, eng_spheres_wrap_shift(spheres, slot)));
    spheres->pass.X[slot][3] = omega.z;
    double *V = spheres->pass.V[slot];
    vec3_store(V, vec3_sub(vec3_from(v), eng_spheres_wrap_drift(spheres, slot)));
    vec3_store(V + 3, vec3_scale(spheres->pass.constants[slot][3], omega));
    V[6] = omega.x;
    V[7] = omega.y;
    double(*to)[8] = spheres->pass.turn[slot / ENG_SPHERES_WIDTH];
    to[0][k] = turn.w;
    to[1][k] = turn.x;
    to[2][k] = turn.y;
    to[3][k] = turn.z;
}

void eng_spheres_slot_move(eng_spheres *spheres, int from, int to)
{
    int group[2] = {from / ENG_SPHERES_WIDTH, to / ENG_SPHERES_WIDTH};
    if (from == to)
        return;
    memcpy(spheres->pass.X[to], spheres->pass.X[from], sizeof *spheres->pass.X);
    memcpy(spheres->pass.V[to], spheres->pass.V[from], sizeof *spheres->pass.V);
    for (int k = 0; k < 4; k++)
        spheres->pass.turn[group[1]][k][to % ENG_SPHERES_WIDTH] =
            spheres->pass.turn[group[0]][k][from % ENG_SPHERES_WIDTH];
    eng_spheres_ids(spheres)[to] = eng_spheres_ids(spheres)[from];
    int *wrap = eng_spheres_wrap_of(spheres, to);
    if (wrap != NULL)
        memcpy(wrap, eng_spheres_wrap_of(spheres, from), 3 * sizeof *wrap);
    eng_spheres_read_constants(spheres, to);
}

void eng_spheres_slots_measure(eng_spheres *spheres)
{
    spheres->table.largest = 0.0;
    spheres->table.smallest = INFINITY;
    spheres->table.has_moving_spheres = spheres->table.has_still_spheres = false;
    for (int slot = 0; slot < spheres->table.slots; slot++) {
        int body = eng_spheres_slot_body(spheres, slot);
        eng_spheres_read_constants(spheres, slot);
        spheres->table.largest = fmax(spheres->table.largest, spheres->pass.constants[slot][3]);
        spheres->table.smallest = fmin(spheres->table.smallest, spheres->pass.constants[slot][3]);
        spheres->table.has_moving_spheres |=
            spheres->world->model.bodies.rows[body].kind == CAIRN_MOVING;
        spheres->table.has_still_spheres |=
            spheres->world->model.bodies.rows[body].kind != CAIRN_DYNAMIC;
    }
}

/// Loads that the user and force fields apply, as slots for the sums; a single zero slot where
/// there are none.
cairn_status eng_spheres_loads_read(eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    bool any = world->state.bodies.loads != NULL || world->scratch.applied != NULL;
    spheres->table.has_load = false;
    for (int slot = 0; slot < spheres->table.slots && any && !spheres->table.has_load; slot++) {
        int body = eng_spheres_slot_body(spheres, slot);
        const eng_load *given = eng_applied_of(world, body);
        spheres->table.has_load =
            world->model.bodies.rows[body].kind == CAIRN_DYNAMIC &&
            !eng_spheres_is_member(spheres, slot) &&
            (vec3_norm_squared(given->force) > 0.0 || vec3_norm_squared(given->torque) > 0.0);
    }
    size_t count = spheres->table.has_load ? (size_t)spheres->table.slots : 1;
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->table.load, count * sizeof(double[8])));
    double(*load)[8] = spheres->table.load.block;
    memset(load, 0, count * sizeof *load);
    for (int slot = 0; slot < spheres->table.slots && spheres->table.has_load; slot++) {
        // what acts on a clump does so in the general passes
        if (eng_spheres_is_member(spheres, slot))
            continue;
        const eng_load *given = eng_applied_of(world, eng_spheres_ids(spheres)[slot]);
        vec3_store(load[slot], given->force);
        vec3_store(load[slot] + 3, given->torque);
    }
    spheres->pass.load = (const double(*)[8])load;
    spheres->pass.load_stride = spheres->table.has_load ? 1 : 0;
    return CAIRN_OK;
}
