// SPDX-License-Identifier: Apache-2.0
// The world's calls for several processes.
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/sharing.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;

static bool make_borders(const base_allocator *allocator, size_t count,
                         eng_spheres_borders *borders)
{
    borders->sent = base_allocate(allocator, count, sizeof *borders->sent);
    borders->received = base_allocate(allocator, count, sizeof *borders->received);
    return borders->sent != NULL && borders->received != NULL;
}

/// Room for the ranges of all processes, and what a process knows of the others.
static cairn_status make_share(eng_spheres *spheres, const cairn_ranks *ranks)
{
    const base_allocator *allocator = &spheres->world->model.allocator;
    size_t count = (size_t)ranks->count;
    size_t workers = (size_t)base_workers_count(spheres->world->model.workers);
    eng_spheres_share *share = base_allocate(allocator, 1, sizeof *share);
    eng_spheres_range *range = base_allocate(allocator, count * workers, sizeof *range);
    if (share == NULL || range == NULL) {
        base_release(allocator, share);
        base_release(allocator, range);
        return CAIRN_ERROR_MEMORY;
    }
    memcpy(range, spheres->list.range, workers * sizeof *range);
    base_release(allocator, spheres->list.range);
    spheres->list.range = range;
    *share = (eng_spheres_share){.ranks = *ranks, .whole = true, .planned = -1, .given = -1};
    share->first_chunk = base_allocate(allocator, count + 1, sizeof *share->first_chunk);
    share->old_slot = base_allocate(allocator, count + 1, sizeof *share->old_slot);
    share->first_clump = base_allocate(allocator, count + 1, sizeof *share->first_clump);
    share->messages = base_allocate(allocator, count, sizeof *share->messages);
    spheres->share = share;
    return make_borders(allocator, count, &share->places) &&
                   make_borders(allocator, count, &share->parts) &&
                   make_borders(allocator, count, &share->speeds) && share->first_chunk != NULL &&
                   share->old_slot != NULL && share->first_clump != NULL && share->messages != NULL
               ? CAIRN_OK
               : CAIRN_ERROR_MEMORY;
}

cairn_status cairn_world_share(cairn_world *world, const cairn_ranks *ranks, cairn_error *error)
{
    if (world == NULL || ranks == NULL)
        return base_fail_null(error, __func__);
    if (ranks->count < 1 || ranks->number < 0 || ranks->number >= ranks->count ||
        ranks->exchange == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "process %d of %d, or no function that exchanges messages", ranks->number,
                         ranks->count);
    eng_spheres *spheres = eng_spheres_of(world);
    if (spheres != NULL && spheres->share != NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the world is shared already");
    cairn_status status = spheres != NULL ? make_share(spheres, ranks) : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = eng_sharing_create(world, ranks);
    if (status != CAIRN_OK && spheres != NULL) {
        eng_spheres_share_release(spheres);
        eng_sharing_destroy(world);
    }
    return status == CAIRN_OK ? status : base_fail(error, status, "out of memory");
}

static cairn_status fail_exchange(cairn_status status, cairn_error *error)
{
    return base_fail(error, status, "a message between processes failed: %s",
                     cairn_status_text(status));
}

cairn_status cairn_world_gather_bodies(cairn_world *world, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    eng_borders_join(world);
    if (eng_sharing_status(world) != CAIRN_OK)
        return fail_exchange(eng_sharing_status(world), error);
    return world->state.spheres != NULL
               ? eng_spheres_share_gather(world->state.spheres, -1, true, error)
               : CAIRN_OK;
}

/// Each process adds up the energies of its own chunks.
static cairn_status gather_energies(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    eng_spheres_totals totals = {0};
    int first, end;
    (void)eng_spheres_share_own(spheres, &first, &end);
    int end_slot = end * spheres->list.chunk_slots;
    eng_spheres_slots_total(spheres, first * spheres->list.chunk_slots,
                            end_slot < spheres->table.slots ? end_slot : spheres->table.slots,
                            &totals);
    eng_spheres_pairs_total(spheres, first, end, &totals);
    cairn_status status = eng_spheres_share_booked(spheres, &totals);
    share->totals = totals;
    share->totals_step = status == CAIRN_OK ? spheres->world->state.clock.step_count : -1;
    return status;
}

cairn_status cairn_world_gather_energy(cairn_world *world, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL || spheres->share == NULL || !spheres->share->active ||
        spheres->share->whole)
        return CAIRN_OK;
    // clumps are where their owners have moved them
    if (spheres->clumps.count > 0)
        return eng_spheres_share_gather(spheres, -1, true, error);
    cairn_status status = gather_energies(spheres);
    return status == CAIRN_OK ? status : fail_exchange(status, error);
}

cairn_status cairn_world_gather(cairn_world *world, cairn_error *error)
{
    return world != NULL ? eng_sharing_gather_all(world, -1, error)
                         : base_fail_null(error, __func__);
}

/// Whether a reader is one of the processes; what `cairn_world_get_energy` gives is here for all.
static cairn_status begin_reading(cairn_world *world, int reader, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    const eng_spheres_share *share =
        world->state.spheres != NULL ? world->state.spheres->share : NULL;
    int count = share != NULL ? share->ranks.count : 1;
    if (reader < 0 || reader >= count)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "process %d, of %d", reader, count);
    // energies of clumps are read off their states
    bool clumps = share == NULL || world->state.spheres->clumps.count > 0;
    return clumps ? cairn_world_gather(world, error) : cairn_world_gather_energy(world, error);
}

cairn_status cairn_world_gather_to(cairn_world *world, int reader, cairn_error *error)
{
    cairn_status status = begin_reading(world, reader, error);
    return status == CAIRN_OK ? eng_sharing_gather_all(world, reader, error) : status;
}

cairn_status cairn_world_gather_bodies_to(cairn_world *world, int reader, cairn_error *error)
{
    BASE_TRY(begin_reading(world, reader, error));
    eng_borders_join(world);
    if (eng_sharing_status(world) != CAIRN_OK)
        return fail_exchange(eng_sharing_status(world), error);
    return world->state.spheres != NULL
               ? eng_spheres_share_gather(world->state.spheres, reader, false, error)
               : CAIRN_OK;
}

cairn_status cairn_world_read_together(cairn_world *world, int reader, cairn_read_function read,
                                       void *context, cairn_error *error)
{
    if (read == NULL)
        return base_fail_null(error, __func__);
    BASE_TRY(begin_reading(world, reader, error));
    cairn_status status = eng_sharing_gather(world, true);
    if (status == CAIRN_OK && world->state.spheres != NULL)
        status = eng_spheres_share_read(world->state.spheres, reader, read, context);
    else if (status == CAIRN_OK)
        read(context);
    return status == CAIRN_OK ? status : fail_exchange(status, error);
}

cairn_traffic cairn_world_get_traffic(const cairn_world *world)
{
    const eng_spheres *spheres = world != NULL ? world->state.spheres : NULL;
    cairn_traffic traffic = {0};
    if (spheres != NULL && spheres->share != NULL)
        traffic = spheres->share->traffic;
    if (world != NULL && world->state.sharing != NULL) {
        traffic.steps += world->state.sharing->steps;
        traffic.step_bytes +=
            world->state.sharing->team.sent_bytes - world->state.sharing->gathered_bytes;
        traffic.halo_bytes += world->state.sharing->team.level_bytes;
        traffic.gathered_bytes += world->state.sharing->gathered_bytes;
        traffic.whole_steps = world->state.sharing->whole_steps;
    }
    return traffic;
}
