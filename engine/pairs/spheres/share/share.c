// SPDX-License-Identifier: Apache-2.0
// Which process has which slots, and what they send each other.
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"

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
    for (int k = 0; k < world->general_count && world->general_work; k++)
        if (world->bodies[world->active[k]].kind == CAIRN_DYNAMIC)
            return false;
    return spheres->critical_count == 0 && !spheres->any_exposed && world->joint_count == 0 &&
           world->connector_count == 0;
}

/// Whether no action looks at bodies in every step.
static bool has_rare_actions(const cairn_world *world)
{
    for (int i = 0; i < world->action_count; i++)
        if (world->actions[i]->kind->due == NULL)
            return false;
    return true;
}

/// Only what the executor does by itself, chunk by chunk; sums over single slots are made by all
/// processes.
static bool can_share(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    // what contacts hold before the first step is known where their clumps are
    bool begun = world->step_count > 0 || spheres->clump_count == 0;
    return begun && spheres->slots > 0 && has_walls_alone(spheres) && has_rare_actions(world) &&
           world->field_count == 0 && world->frozen == NULL && !world->cell.watched &&
           world->def.audit_every == 0 && spheres->moved_clumps == spheres->clump_count &&
           spheres->tied_count == 0 && !spheres->has_load && !spheres->has_moving_spheres &&
           !(spheres->strains && spheres->has_still_spheres) &&
           spheres->ranges >= spheres->share->ranks.count;
}

bool eng_spheres_share_wants_parts(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    // contacts of the general passes that are taken over look for their pairs among all
    bool adopts = spheres->adopted && world->contacts.count > 0;
    return !spheres->has_shapes && !adopts && can_share(spheres);
}

/// Ranges one after the other go to the processes.
static void deal_ranges(const eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    int count = share->ranks.count;
    for (int rank = 0; rank <= count; rank++)
        share->first_chunk[rank] =
            rank == count ? spheres->chunk_count
                          : spheres->range[eng_spheres_share_range(spheres, rank)].first_chunk;
    share->first_range = eng_spheres_share_range(spheres, share->ranks.number);
    share->end_range = eng_spheres_share_range(spheres, share->ranks.number + 1);
}

static int rank_of_slot(const eng_spheres *spheres, int slot)
{
    const int *first = spheres->share->first_chunk;
    int chunk = slot / spheres->chunk_slots, low = 0, high = spheres->share->ranks.count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (first[middle] <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// Key of a slot at a border: who is on the other side, which way it goes, the slot.
static cairn_status note(eng_spheres *spheres, int rank, bool received, int slot)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = base_array_reserve(&spheres->world->allocator, &share->found,
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
    int rank_a = rank_of_slot(spheres, a), rank_b = rank_of_slot(spheres, b);
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
        if (a < spheres->slots && b < spheres->slots)
            status = note_two(spheres, a, b);
    }
    return status;
}

static cairn_status note_pairs(eng_spheres *spheres)
{
    cairn_status status = CAIRN_OK;
    for (int c = 0; c < spheres->chunk_count && status == CAIRN_OK; c++) {
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
        if (rank_of_slot(spheres, members[k].slot) == spheres->share->ranks.number)
            return true;
    return false;
}

/// Clumps that this process moves: those with a member among its slots.
static cairn_status take_clumps(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    const eng_spheres_clump *clumps = eng_spheres_clumps(spheres);
    share->clump_count = 0;
    spheres->clumps_due = true;
    cairn_status status =
        eng_spheres_reserve(spheres, &share->clumps, (size_t)spheres->clump_count * sizeof *clumps);
    for (int c = 0; c < spheres->clump_count && status == CAIRN_OK; c++) {
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
    cairn_status status = base_array_reserve(&spheres->world->allocator, &borders->slots,
                                             &borders->slot_capacity, share->found_count + 1);
    if (status != CAIRN_OK)
        return status;
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
    const eng_spheres_chunk *chunk = &spheres->pass.chunks[slot / spheres->chunk_slots];
    cairn_status status = CAIRN_OK;
    for (int i = chunk->first_image; i < chunk->end_image && status == CAIRN_OK; i++) {
        if (spheres->pass.images[i].source != slot)
            continue;
        status = base_array_reserve(&spheres->world->allocator, &share->images,
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
        for (int i = 0; i < border->count && status == CAIRN_OK && spheres->image_count > 0; i++)
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
    return base_array_reserve(&spheres->world->allocator, &share->bytes, &share->byte_capacity,
                              (int)bytes);
}

/// The user has changed the world so that all compute all, until the next list at least.
static cairn_status end_sharing(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = eng_spheres_share_gather(spheres, -1, NULL);
    bool listed = share->parted && !share->sides;
    share->active = share->parted = false;
    if (status != CAIRN_OK || !listed)
        return status;
    eng_spheres_ranges_balance(spheres);
    status = eng_spheres_sides_make(spheres);
    return status == CAIRN_OK && spheres->strains ? eng_spheres_image_pairs_list(spheres) : status;
}

/// For the next list, which is dealt out before its pairs are known.
static cairn_status note_costs(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = base_array_reserve(&spheres->world->allocator, &share->cost,
                                             &share->cost_capacity, spheres->chunk_count);
    share->cost_count = status == CAIRN_OK ? spheres->chunk_count : 0;
    for (int c = 0; c < share->cost_count; c++)
        share->cost[c] = eng_spheres_chunk_cost(&spheres->pass.chunks[c]);
    return status;
}

/// Of a list that all have made whole, this process needs no more than of one made in parts.
static cairn_status take_part(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = eng_spheres_share_reserve(spheres);
    if (status != CAIRN_OK || spheres->has_shapes)
        return status;
    int first = share->first_chunk[share->ranks.number];
    int end = share->first_chunk[share->ranks.number + 1];
    for (int c = 0; c < spheres->chunk_count; c++) {
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
    if (share == NULL || (spheres->world->step_count == 0 && !can_share(spheres)))
        return CAIRN_OK;
    if (share->planned == spheres->lists)
        return share->active && !can_share(spheres) ? end_sharing(spheres) : CAIRN_OK;
    share->planned = spheres->lists;
    share->found_count = 0;
    cairn_status status = note_costs(spheres);
    if (share->parted && status == CAIRN_OK && !can_share(spheres))
        return end_sharing(spheres);
    share->active = can_share(spheres);
    if (!share->active || status != CAIRN_OK)
        return status;
    if (!share->parted) {
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
    return status == CAIRN_OK ? reserve_messages(spheres) : status;
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
    if (share->read || share->dropped != spheres->lists)
        eng_spheres_share_drop(spheres);
    share->dropped = spheres->lists;
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

// ---------------------------------------------------------------- arrays

typedef eng_spheres_rows rows;

static rows slots_of(const eng_spheres *spheres, int rank, int each)
{
    const int *chunk = spheres->share->first_chunk;
    int first = chunk[rank] * spheres->chunk_slots, end = chunk[rank + 1] * spheres->chunk_slots;
    int last = (spheres->slots + each - 1) / each;
    first /= each;
    end /= each;
    return (rows){first < last ? first : last, end < last ? end : last};
}

/// Ghosts of the groups of a process, from number `before` on.
static rows group_ghosts(const eng_spheres *spheres, int rank, int before)
{
    const eng_spheres_group *groups = spheres->groups.block;
    rows own = eng_spheres_share_rows(spheres, rank, ENG_SPHERES_GROUP_ROWS);
    if (!spheres->has_shapes || own.first == own.end)
        return (rows){0, 0};
    return (rows){groups[own.first].first_ghost - before, groups[own.end - 1].end_ghost - before};
}

/// Rows of an array go from each process to all others, or to one alone.
/// @param reader  that one; -1: all
static cairn_status send_rows(eng_spheres *spheres, void *array, size_t stride,
                              rows (*rows_of)(const eng_spheres *spheres, int rank, int kind),
                              int kind, int reader, cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    unsigned char *base = array;
    int count = 0, number = share->ranks.number;
    rows own = rows_of(spheres, number, kind);
    for (int rank = 0; rank < share->ranks.count && array != NULL; rank++) {
        bool sends = reader < 0 || rank == reader, receives = reader < 0 || number == reader;
        if (rank == number || !(sends || receives))
            continue;
        rows theirs = rows_of(spheres, rank, kind);
        size_t sent = sends ? (size_t)(own.end - own.first) * stride : 0;
        size_t received = receives ? (size_t)(theirs.end - theirs.first) * stride : 0;
        share->messages[count++] = (cairn_message){.rank = rank,
                                                   .sent = base + (size_t)own.first * stride,
                                                   .received = base + (size_t)theirs.first * stride,
                                                   .sent_size = sent,
                                                   .received_size = received};
        share->traffic.gathered_bytes += (int64_t)sent;
    }
    return array == NULL
               ? CAIRN_OK
               : share->ranks.exchange(share->ranks.context, share->messages, count, error);
}

cairn_status eng_spheres_share_array(eng_spheres *spheres, void *array, size_t stride,
                                     rows (*rows_of)(const eng_spheres *spheres, int rank,
                                                     int kind),
                                     int kind, cairn_error *error)
{
    return send_rows(spheres, array, stride, rows_of, kind, -1, error);
}

// ---------------------------------------------------------------- clumps

/// A clump goes to all from where its first member is.
typedef struct clump_state {
    pose q;
    double v[6];
} clump_state;

static int home_of(const eng_spheres *spheres, int clump)
{
    int first = eng_spheres_clumps(spheres)[clump].first;
    return rank_of_slot(spheres, eng_spheres_members(spheres)[first].slot);
}

/// Numbers of the first clump of each process, were they in the order of these.
static void count_clumps(const eng_spheres *spheres, int *first)
{
    int count = spheres->share->ranks.count;
    memset(first, 0, ((size_t)count + 1) * sizeof *first);
    for (int c = 0; c < spheres->clump_count; c++)
        first[home_of(spheres, c) + 1]++;
    for (int rank = 0; rank < count; rank++)
        first[rank + 1] += first[rank];
}

/// Own clumps to states in the order of processes, or those of others from there.
/// @param number  [ranks] of the next state of each
static void copy_clumps(const eng_spheres *spheres, clump_state *states, int *number, bool read)
{
    const cairn_world *world = spheres->world;
    for (int c = 0; c < spheres->clump_count; c++) {
        int body = eng_spheres_clumps(spheres)[c].body, rank = home_of(spheres, c);
        clump_state *state = &states[number[rank]++];
        bool own = rank == spheres->share->ranks.number;
        if (!read && own) {
            state->q = world->q[body];
            memcpy(state->v, world->v[body], sizeof state->v);
        } else if (read && !own) {
            world->q[body] = state->q;
            memcpy(world->v[body], state->v, sizeof state->v);
        }
    }
}

static rows clump_rows(const eng_spheres *spheres, int rank, int what)
{
    (void)what;
    const int *first = spheres->share->first_clump;
    return (rows){first[rank], first[rank + 1]};
}

static cairn_status gather_clumps(eng_spheres *spheres, cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->allocator;
    size_t ranks = (size_t)share->ranks.count, clumps = (size_t)spheres->clump_count;
    clump_state *states = base_allocate(allocator, clumps, sizeof *states);
    int *number = base_allocate(allocator, ranks + 1, sizeof *number);
    cairn_status status = states != NULL && number != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        count_clumps(spheres, share->first_clump);
        memcpy(number, share->first_clump, ranks * sizeof *number);
        copy_clumps(spheres, states, number, false);
        status = eng_spheres_share_array(spheres, states, sizeof *states, clump_rows, 0, error);
    }
    if (status == CAIRN_OK) {
        memcpy(number, share->first_clump, ranks * sizeof *number);
        copy_clumps(spheres, states, number, true);
    }
    base_release(allocator, states);
    base_release(allocator, number);
    return status;
}

// ---------------------------------------------------------------- all of it

void eng_spheres_share_forget(struct eng_spheres *spheres)
{
    if (spheres->share == NULL)
        return;
    spheres->share->active = spheres->share->parted = spheres->share->bare = false;
    spheres->share->given = -1;
    spheres->share->booked = (eng_booked){0};
}

cairn_status eng_spheres_share_places(struct eng_spheres *spheres)
{
    eng_spheres_pass *p = &spheres->pass;
    if (!spheres->share->active || spheres->share->whole)
        return CAIRN_OK;
    eng_spheres_share_constants(spheres);
    spheres->share->bare = false;
    cairn_status status = spheres->clump_count > 0 ? gather_clumps(spheres, NULL) : CAIRN_OK;
    if (status == CAIRN_OK)
        status = eng_spheres_share_array(spheres, p->X, sizeof *p->X, slots_of, 1, NULL);
    if (status == CAIRN_OK)
        status = eng_spheres_share_array(spheres, p->V, sizeof *p->V, slots_of, 1, NULL);
    if (status == CAIRN_OK)
        status = eng_spheres_share_array(spheres, p->turn, sizeof *p->turn, slots_of,
                                         ENG_SPHERES_WIDTH, NULL);
    return status;
}

cairn_status eng_spheres_share_sides(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    if (share == NULL || !share->active || !share->parted || share->sides)
        return CAIRN_OK;
    share->parted = false;
    cairn_status status = eng_spheres_sides_make(spheres);
    share->parted = share->sides = true;
    return status;
}

/// Rows of forces of the blocks of others that this process computes: they are its own affair.
/// @param aside  keeps them while blocks are gathered; [blocks of chunks before the own ones]
static void set_rows_aside(eng_spheres *spheres, int *aside, bool back)
{
    const eng_spheres_share *share = spheres->share;
    int count = 0;
    for (int c = 0; c < share->first_chunk[share->ranks.number] && share->parted; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        for (int i = chunk->first_block; i < chunk->end_block && share->held[c]; i++, count++)
            if (back)
                spheres->pass.blocks[i].force_row = aside[count];
            else
                aside[count] = spheres->pass.blocks[i].force_row;
    }
}

static cairn_status gather_arrays(eng_spheres *spheres, int reader, cairn_error *error)
{
    const eng_spheres_pass *p = &spheres->pass;
    bool shapes = spheres->has_shapes && spheres->group_count > 0;
    size_t ghosts = (size_t)spheres->slots + 2, columns = (size_t)p->column_rows;
    double *reference[4];
    for (int axis = 0; axis < 4; axis++)
        reference[axis] = spheres->share->bare ? eng_spheres_reference(spheres, axis) : NULL;
    const struct {
        void *array;
        size_t stride;
        rows (*rows_of)(const eng_spheres *spheres, int rank, int kind);
        int kind;
    } arrays[] = {
        {p->X, sizeof *p->X, slots_of, 1},
        {p->V, sizeof *p->V, slots_of, 1},
        {p->turn, sizeof *p->turn, slots_of, ENG_SPHERES_WIDTH},
        {reference[0], sizeof *reference[0], slots_of, 1},
        {reference[1], sizeof *reference[1], slots_of, 1},
        {reference[2], sizeof *reference[2], slots_of, 1},
        {reference[3], sizeof *reference[3], slots_of, 1},
        {p->far_touched, sizeof *p->far_touched, slots_of, 1},
        {p->chunks, sizeof *p->chunks, eng_spheres_share_rows, ENG_SPHERES_CHUNK_ROWS},
        {p->blocks, sizeof *p->blocks, eng_spheres_share_rows, ENG_SPHERES_BLOCK_ROWS},
        {spheres->segments.block, sizeof *p->segments, eng_spheres_share_rows,
         ENG_SPHERES_SEGMENT_ROWS},
        {p->columns, columns * sizeof *p->columns, eng_spheres_share_rows, ENG_SPHERES_BLOCK_ROWS},
        {p->resist, sizeof *p->resist, eng_spheres_share_rows, ENG_SPHERES_BLOCK_ROWS},
        {spheres->ghosts.block, sizeof(eng_spheres_ghost), eng_spheres_share_rows,
         ENG_SPHERES_GHOST_ROWS},
        {p->X + ghosts, sizeof *p->X, eng_spheres_share_rows, ENG_SPHERES_GHOST_ROWS},
        {p->V + ghosts, sizeof *p->V, eng_spheres_share_rows, ENG_SPHERES_GHOST_ROWS},
        {shapes ? spheres->groups.block : NULL, sizeof(eng_spheres_group), eng_spheres_share_rows,
         ENG_SPHERES_GROUP_ROWS},
        {shapes ? spheres->ghosts.block : NULL, sizeof(eng_spheres_ghost), group_ghosts, 0},
        {shapes ? spheres->touches.block : NULL, sizeof(eng_spheres_touch), group_ghosts,
         spheres->plane_ghosts},
        {shapes ? p->X + ghosts : NULL, sizeof *p->X, group_ghosts, 0},
        {shapes ? p->V + ghosts : NULL, sizeof *p->V, group_ghosts, 0},
    };
    cairn_status status = CAIRN_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == CAIRN_OK; i++)
        status = send_rows(spheres, arrays[i].array, arrays[i].stride, arrays[i].rows_of,
                           arrays[i].kind, reader, error);
    return status;
}

/// What is worked out from the arrays where they are whole now.
static void complete(eng_spheres *spheres)
{
    int contacts = 0;
    for (int c = 0; c < spheres->chunk_count; c++) {
        spheres->pass.chunks[c].first_contact = contacts;
        contacts += spheres->pass.chunks[c].contacts;
    }
    eng_spheres_images_move(spheres, 0, spheres->image_count);
}

cairn_status eng_spheres_share_gather(struct eng_spheres *spheres, int reader, cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    if (share == NULL || !share->active || share->whole)
        return CAIRN_OK;
    if (reader >= 0 && share->given == reader)
        return CAIRN_OK;
    const base_allocator *allocator = &spheres->world->allocator;
    bool receives = reader < 0 || reader == share->ranks.number;
    int *aside = base_allocate(allocator, (size_t)spheres->block_count + 1, sizeof *aside);
    if (aside == NULL)
        return CAIRN_ERROR_MEMORY;
    set_rows_aside(spheres, aside, false);
    if (receives)
        eng_spheres_share_constants(spheres);
    cairn_status status = spheres->clump_count > 0 ? gather_clumps(spheres, error) : CAIRN_OK;
    if (status == CAIRN_OK)
        status = gather_arrays(spheres, reader, error);
    set_rows_aside(spheres, aside, true);
    base_release(allocator, aside);
    if (status == CAIRN_OK)
        status = eng_spheres_share_booked(spheres, NULL);
    if (status == CAIRN_OK && receives)
        complete(spheres);
    share->whole = status == CAIRN_OK && reader < 0;
    share->read = share->read || (status == CAIRN_OK && receives);
    share->given = status == CAIRN_OK ? reader : -1;
    share->bare = share->bare && !share->whole;
    return status;
}
