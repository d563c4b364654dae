// SPDX-License-Identifier: Apache-2.0
// Which process has which slots, and what they send each other.
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/actions.h"
#include "engine/state/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct eng_spheres eng_spheres;
typedef struct eng_spheres_share eng_spheres_share;

/// What a step leaves of a slot for the pairs of others.
typedef struct slot_state {
    double X[4], V[8];
} slot_state;

/// Force and moment on a member of a clump.
typedef struct member_sum {
    double sum[6];
} member_sum;

// ---------------------------------------------------------------- planning

/// Whether the general passes have nothing but walls that move, which all processes move.
static bool has_walls_alone(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    for (int k = 0; k < world->scratch.general.count && world->scratch.general.work; k++)
        if (world->model.bodies.rows[world->scratch.general.active[k]].kind == CAIRN_DYNAMIC)
            return false;
    return spheres->meeting.critical_count == 0 && !spheres->meeting.any_exposed &&
           world->model.joints.count == 0 && world->model.connectors.count == 0;
}

/// Why the slots are not shared: the executor alone does what is, chunk by chunk, and sums over
/// single slots are made by all processes. NULL where they are.
static const char *reason_against(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    if (spheres->table.slots == 0)
        return "no kernel moves spheres here";
    if (!eng_actions_are_rare(world))
        return "a load, a servo or a driven gravity acts in every step";
    if (!has_walls_alone(spheres))
        return "there are joints, connectors or bodies that no kernel moves";
    if (world->model.program.field_count > 0)
        return "there is a force field of the program";
    if (world->state.bodies.frozen != NULL)
        return "bodies are frozen";
    if (world->state.cell.watched)
        return "a servo drives the periodic cell";
    if (world->model.def.audit_every != 0)
        return "audit_every is set";
    if (spheres->clumps.moved != spheres->clumps.count || spheres->meeting.tied_count > 0)
        return "clumps or spheres take part in joints, loads or contacts that no kernel computes";
    if (spheres->table.has_load)
        return "a force or torque acts on spheres";
    if (spheres->table.has_moving_spheres)
        return "spheres move on given paths";
    if (spheres->cell.strains && spheres->table.has_still_spheres)
        return "there are fixed spheres in a cell that strains";
    return spheres->list.ranges < spheres->share->ranks.count ? "there are too few bodies" : NULL;
}

static bool can_share(const eng_spheres *spheres)
{
    // what contacts hold before the first step is known where their clumps are
    bool begun = spheres->world->state.clock.step_count > 0 || spheres->clumps.count == 0;
    return begun && reason_against(spheres) == NULL;
}

const char *eng_spheres_unshared(const cairn_world *world)
{
    const eng_spheres *spheres = world->state.spheres;
    return spheres != NULL && spheres->share != NULL ? reason_against(spheres) : NULL;
}

bool eng_spheres_share_wants_parts(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    // contacts of the general passes that are taken over look for their pairs among all
    bool adopts = spheres->meeting.adopted && world->contacts.set.count > 0;
    return !spheres->walls.has_shapes && !adopts && can_share(spheres);
}

/// Ranges one after the other go to the processes.
static void deal_ranges(const eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    int count = share->ranks.count;
    for (int rank = 0; rank <= count; rank++)
        share->first_chunk[rank] =
            rank == count ? spheres->list.chunk_count
                          : spheres->list.range[eng_spheres_share_range(spheres, rank)].first_chunk;
    share->first_range = eng_spheres_share_range(spheres, share->ranks.number);
    share->end_range = eng_spheres_share_range(spheres, share->ranks.number + 1);
}

/// Key of a slot at a border: who is on the other side, which way it goes, the slot.
static cairn_status note(eng_spheres *spheres, int rank, bool received, int slot)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = base_array_reserve(&spheres->world->model.allocator, &share->found,
                                             &share->found_capacity, share->found_count + 1);
    if (status == CAIRN_OK)
        share->found[share->found_count++] =
            ((uint64_t)rank << 33) | ((uint64_t)received << 32) | (uint64_t)(unsigned)slot;
    return status;
}

/// Two slots that need each other, where one is this process's and one is not.
static cairn_status note_two(eng_spheres *spheres, int a, int b)
{
    int own = spheres->share->ranks.number;
    int rank_a = eng_spheres_share_rank(spheres, a), rank_b = eng_spheres_share_rank(spheres, b);
    if (rank_a == rank_b || (rank_a != own && rank_b != own))
        return CAIRN_OK;
    int other = rank_a == own ? rank_b : rank_a;
    cairn_status status = note(spheres, other, false, rank_a == own ? a : b);
    return status == CAIRN_OK ? note(spheres, other, true, rank_a == own ? b : a) : status;
}

/// Pairs of a block between own slots and those of others.
static cairn_status note_block(eng_spheres *spheres, const eng_spheres_block *block)
{
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < ENG_SPHERES_WIDTH && status == CAIRN_OK; k++) {
        int a = eng_spheres_slot_a(block, k);
        int b = eng_spheres_source_of(&spheres->pass, eng_spheres_slot_b(block, k));
        if (a < spheres->table.slots && b < spheres->table.slots)
            status = note_two(spheres, a, b);
    }
    return status;
}

static cairn_status note_pairs(eng_spheres *spheres)
{
    cairn_status status = CAIRN_OK;
    for (int c = 0; c < spheres->list.chunk_count && status == CAIRN_OK; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        int end = eng_spheres_has_chunk(spheres, c) ? chunk->end_block : chunk->first_block;
        for (int i = chunk->first_block; i < end && status == CAIRN_OK; i++)
            status = note_block(spheres, &spheres->pass.blocks[i]);
    }
    return status;
}

/// Members of the same clump on both sides of a border.
static cairn_status note_clump(eng_spheres *spheres, const eng_spheres_clump *clump)
{
    const eng_spheres_member *members = eng_spheres_members(spheres) + clump->first;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < clump->count; i++)
        for (int k = i + 1; k < clump->count && status == CAIRN_OK; k++)
            status = note_two(spheres, members[i].slot, members[k].slot);
    return status;
}

static bool has_own_member(const eng_spheres *spheres, const eng_spheres_clump *clump)
{
    const eng_spheres_member *members = eng_spheres_members(spheres) + clump->first;
    for (int k = 0; k < clump->count; k++)
        if (eng_spheres_share_rank(spheres, members[k].slot) == spheres->share->ranks.number)
            return true;
    return false;
}

/// Clumps that this process moves: those with a member among its slots.
static cairn_status take_clumps(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    const eng_spheres_clump *clumps = eng_spheres_clumps(spheres);
    share->clump_count = 0;
    spheres->clumps.due = true;
    cairn_status status = eng_spheres_reserve(spheres, &share->clumps,
                                              (size_t)spheres->clumps.count * sizeof *clumps);
    for (int c = 0; c < spheres->clumps.count && status == CAIRN_OK; c++) {
        if (!has_own_member(spheres, &clumps[c]))
            continue;
        ((eng_spheres_clump *)share->clumps.block)[share->clump_count++] = clumps[c];
        status = note_clump(spheres, &clumps[c]);
    }
    return status;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// What was noted, each slot once and in order for each process, both ways: both sides have the
/// same lists.
static cairn_status make_borders(eng_spheres *spheres, eng_spheres_borders *borders)
{
    eng_spheres_share *share = spheres->share;
    borders->slot_count = 0;
    BASE_TRY(base_array_reserve(&spheres->world->model.allocator, &borders->slots,
                                &borders->slot_capacity, share->found_count + 1));
    if (share->found_count > 0)
        qsort(share->found, (size_t)share->found_count, sizeof *share->found, compare_keys);
    for (int rank = 0; rank < share->ranks.count; rank++)
        borders->sent[rank] = borders->received[rank] = (eng_spheres_border){0};
    for (int i = 0; i < share->found_count; i++) {
        if (i > 0 && share->found[i] == share->found[i - 1])
            continue;
        bool received = share->found[i] >> 32 & 1;
        eng_spheres_border *border =
            (received ? borders->received : borders->sent) + (share->found[i] >> 33);
        if (border->count++ == 0)
            border->first = borders->slot_count;
        borders->slots[borders->slot_count++] = (int)(share->found[i] & UINT32_MAX);
    }
    share->found_count = 0;
    return CAIRN_OK;
}

/// Images of a slot follow it when it comes.
static cairn_status take_images(eng_spheres *spheres, int slot)
{
    eng_spheres_share *share = spheres->share;
    const eng_spheres_chunk *chunk = &spheres->pass.chunks[slot / spheres->list.chunk_slots];
    cairn_status status = CAIRN_OK;
    for (int i = chunk->first_image; i < chunk->end_image && status == CAIRN_OK; i++) {
        if (spheres->pass.images[i].source != slot)
            continue;
        status = base_array_reserve(&spheres->world->model.allocator, &share->images,
                                    &share->image_capacity, share->image_count + 1);
        if (status == CAIRN_OK)
            share->images[share->image_count++] = i;
    }
    return status;
}

/// Slots that come from others, and what belongs to them.
static cairn_status take_received(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = CAIRN_OK;
    share->image_count = 0;
    share->traffic.halo_slots = 0;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        const eng_spheres_border *border = &share->places.received[rank];
        share->traffic.halo_slots += border->count;
        for (int i = 0; i < border->count && status == CAIRN_OK && spheres->cell.image_count > 0;
             i++)
            status = take_images(spheres, share->places.slots[border->first + i]);
    }
    return status;
}

/// Up to so many processes the sums of a step ride in messages from each to each; of more they are
/// merged by twos.
enum { DIRECT_RANKS = 8 };

static bool is_direct(const eng_spheres_share *share)
{
    return share->ranks.count <= DIRECT_RANKS;
}

/// Bytes of a message after a step.
static size_t message_size(const eng_spheres_share *share, const eng_spheres_border *slots,
                           const eng_spheres_border *speeds)
{
    return (is_direct(share) ? sizeof(eng_spheres_step_sums) : 0) +
           (size_t)slots->count * sizeof(slot_state) + (size_t)speeds->count * sizeof(double);
}

static size_t sent_size(const eng_spheres_share *share, int rank)
{
    return message_size(share, &share->places.sent[rank], &share->speeds.sent[rank]);
}

static size_t received_size(const eng_spheres_share *share, int rank)
{
    return message_size(share, &share->places.received[rank], &share->speeds.received[rank]);
}

/// Room for all messages of a step.
static cairn_status reserve_messages(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    size_t bytes = (size_t)share->parts.slot_count * sizeof(member_sum), after = 0;
    for (int rank = 0; rank < share->ranks.count; rank++)
        if (rank != share->ranks.number)
            after += sent_size(share, rank) + received_size(share, rank);
    bytes = bytes > after ? bytes : after;
    if (bytes > INT_MAX)
        return CAIRN_ERROR_MEMORY;
    return base_array_reserve(&spheres->world->model.allocator, &share->bytes,
                              &share->byte_capacity, (int)bytes);
}

/// Velocities of slots that pairs of others meet, after a list made in parts: it was made from
/// places alone.
static cairn_status send_velocities(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    const eng_spheres_borders *places = &share->places;
    size_t size = sizeof *spheres->pass.V;
    unsigned char *at = share->bytes;
    int count = 0;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        const eng_spheres_border *sent = &places->sent[rank], *received = &places->received[rank];
        if (sent->count == 0 && received->count == 0)
            continue;
        cairn_message *message = &share->messages[count++];
        *message = (cairn_message){.rank = rank,
                                   .sent = at,
                                   .sent_size = (size_t)sent->count * size,
                                   .received_size = (size_t)received->count * size};
        for (int i = 0; i < sent->count; i++, at += size)
            memcpy(at, spheres->pass.V[places->slots[sent->first + i]], size);
        message->received = at;
        at += message->received_size;
        share->traffic.gathered_bytes += (int64_t)message->sent_size;
    }
    cairn_status status = share->ranks.exchange(share->ranks.context, share->messages, count, NULL);
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        const eng_spheres_border *received = &places->received[share->messages[i].rank];
        const unsigned char *from = share->messages[i].received;
        for (int k = 0; k < received->count; k++, from += size)
            memcpy(spheres->pass.V[places->slots[received->first + k]], from, size);
    }
    for (int i = 0; i < share->image_count && status == CAIRN_OK; i++)
        eng_spheres_images_move(spheres, share->images[i], share->images[i] + 1);
    return status;
}

/// The user has changed the world so that all compute all, until the next list at least.
static cairn_status end_sharing(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = eng_spheres_share_gather(spheres, -1, true, NULL);
    bool listed = share->parted && !share->sides;
    share->active = share->parted = false;
    if (status != CAIRN_OK || !listed)
        return status;
    eng_spheres_ranges_balance(spheres);
    status = eng_spheres_sides_make(spheres);
    return status == CAIRN_OK && spheres->cell.strains ? eng_spheres_image_pairs_list(spheres)
                                                       : status;
}

/// For the next list, which is dealt out before its pairs are known.
static cairn_status note_costs(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = base_array_reserve(&spheres->world->model.allocator, &share->cost,
                                             &share->cost_capacity, spheres->list.chunk_count);
    share->cost_count = status == CAIRN_OK ? spheres->list.chunk_count : 0;
    for (int c = 0; c < share->cost_count; c++)
        share->cost[c] = eng_spheres_chunk_cost(&spheres->pass.chunks[c]);
    return status;
}

/// Of a list that all have made whole, this process needs no more than of one made in parts.
static cairn_status take_part(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = eng_spheres_share_reserve(spheres);
    if (status != CAIRN_OK || spheres->walls.has_shapes)
        return status;
    int first = share->first_chunk[share->ranks.number];
    int end = share->first_chunk[share->ranks.number + 1];
    for (int c = 0; c < spheres->list.chunk_count; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        share->held[c] = c < end && (c >= first || chunk->last_chunk >= first ||
                                     (chunk->first_distant < end && chunk->last_distant >= first));
    }
    share->parted = share->sides = true;
    return CAIRN_OK;
}

cairn_status eng_spheres_share_plan(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    // a list that the first step cannot share the second one can
    if (share == NULL || (spheres->world->state.clock.step_count == 0 && !can_share(spheres)))
        return CAIRN_OK;
    if (share->planned == spheres->list.made)
        return share->active && !can_share(spheres) ? end_sharing(spheres) : CAIRN_OK;
    share->planned = spheres->list.made;
    share->found_count = 0;
    cairn_status status = note_costs(spheres);
    if (share->parted && status == CAIRN_OK && !can_share(spheres))
        return end_sharing(spheres);
    share->active = can_share(spheres);
    if (!share->active || status != CAIRN_OK)
        return status;
    bool parts = share->parted;
    if (!parts) {
        deal_ranges(spheres);
        status = take_part(spheres);
    }
    if (status == CAIRN_OK)
        status = note_pairs(spheres);
    if (status == CAIRN_OK)
        status = make_borders(spheres, &share->places);
    if (status == CAIRN_OK)
        status = take_clumps(spheres);
    if (status == CAIRN_OK)
        status = make_borders(spheres, &share->parts);
    if (status == CAIRN_OK)
        status = take_received(spheres);
    if (status == CAIRN_OK)
        status = eng_spheres_share_speeds(spheres);
    if (status == CAIRN_OK)
        status = reserve_messages(spheres);
    return status == CAIRN_OK && parts ? send_velocities(spheres) : status;
}

// ---------------------------------------------------------------- forces on members of clumps

static unsigned char *put(unsigned char *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

cairn_status eng_spheres_share_forces(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    const eng_spheres_borders *parts = &share->parts;
    int count = 0;
    unsigned char *at = share->bytes;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        const eng_spheres_border *sent = &parts->sent[rank], *received = &parts->received[rank];
        if (sent->count == 0)
            continue;
        unsigned char *end = at;
        for (int i = sent->first; i < sent->first + sent->count; i++)
            end = put(end, spheres->pass.sums[parts->slots[i]], sizeof(member_sum));
        size_t size = (size_t)received->count * sizeof(member_sum);
        share->messages[count++] = (cairn_message){.rank = rank,
                                                   .sent = at,
                                                   .received = end,
                                                   .sent_size = (size_t)(end - at),
                                                   .received_size = size};
        share->traffic.step_bytes += end - at;
        at = end + size;
    }
    cairn_status status = share->ranks.exchange(share->ranks.context, share->messages, count, NULL);
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        const eng_spheres_border *received = &parts->received[share->messages[i].rank];
        const unsigned char *from = share->messages[i].received;
        for (int k = 0; k < received->count; k++, from += sizeof(member_sum))
            memcpy(spheres->pass.sums[parts->slots[received->first + k]], from, sizeof(member_sum));
    }
    return status;
}

// ---------------------------------------------------------------- after a step

static unsigned char *write_message(const eng_spheres *spheres, int rank,
                                    const eng_spheres_step_sums *sums, unsigned char *at)
{
    const eng_spheres_share *share = spheres->share;
    const eng_spheres_border *border = &share->places.sent[rank];
    if (is_direct(share))
        at = put(at, sums, sizeof *sums);
    for (int i = border->first; i < border->first + border->count; i++) {
        int slot = share->places.slots[i];
        at = put(at, spheres->pass.X[slot], sizeof *spheres->pass.X);
        at = put(at, spheres->pass.V[slot], sizeof *spheres->pass.V);
    }
    border = &share->speeds.sent[rank];
    for (int i = border->first; i < border->first + border->count; i++)
        at = put(at, &spheres->pass.chunks[share->speeds.slots[i]].speed, sizeof(double));
    return at;
}

static void read_message(eng_spheres *spheres, int rank, eng_spheres_step_sums *sums,
                         const unsigned char *at)
{
    const eng_spheres_share *share = spheres->share;
    const eng_spheres_border *border = &share->places.received[rank];
    if (is_direct(share)) {
        eng_spheres_step_sums_merge(sums, at);
        at += sizeof *sums;
    }
    for (int i = border->first; i < border->first + border->count; i++) {
        int slot = share->places.slots[i];
        memcpy(spheres->pass.X[slot], at, sizeof *spheres->pass.X);
        memcpy(spheres->pass.V[slot], at + sizeof *spheres->pass.X, sizeof *spheres->pass.V);
        at += sizeof(slot_state);
    }
    border = &share->speeds.received[rank];
    for (int i = border->first; i < border->first + border->count; i++, at += sizeof(double))
        memcpy(&spheres->pass.chunks[share->speeds.slots[i]].speed, at, sizeof(double));
}

/// Messages with those who need slots, and of few processes with all.
static int write_messages(eng_spheres *spheres, const eng_spheres_step_sums *sums)
{
    eng_spheres_share *share = spheres->share;
    int count = 0;
    unsigned char *at = share->bytes;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        size_t sent = sent_size(share, rank), received = received_size(share, rank);
        if (rank == share->ranks.number || sent + received == 0)
            continue;
        unsigned char *end = write_message(spheres, rank, sums, at);
        share->messages[count++] = (cairn_message){.rank = rank,
                                                   .sent = at,
                                                   .received = end,
                                                   .sent_size = sent,
                                                   .received_size = received};
        share->traffic.step_bytes += (int64_t)sent;
        share->traffic.halo_bytes +=
            (int64_t)((size_t)share->places.sent[rank].count * sizeof(slot_state));
        at = end + received;
    }
    return count;
}

cairn_status eng_spheres_share_exchange(struct eng_spheres *spheres, eng_spheres_step_sums *sums)
{
    eng_spheres_share *share = spheres->share;
    int count = write_messages(spheres, sums);
    if (share->read || share->dropped != spheres->list.made)
        eng_spheres_share_drop(spheres);
    share->dropped = spheres->list.made;
    share->whole = share->read = false;
    share->given = -1;
    share->traffic.steps++;
    cairn_status status = share->ranks.exchange(share->ranks.context, share->messages, count, NULL);
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        read_message(spheres, share->messages[i].rank, sums, share->messages[i].received);
    for (int i = 0; i < share->image_count && status == CAIRN_OK; i++)
        eng_spheres_images_move(spheres, share->images[i], share->images[i] + 1);
    eng_spheres_step_sums spare;
    return status == CAIRN_OK && !is_direct(share)
               ? eng_spheres_share_merge(spheres, sums, &spare, sizeof *sums,
                                         eng_spheres_step_sums_merge, &share->traffic.step_bytes)
               : status;
}
