// SPDX-License-Identifier: Apache-2.0
// A list of pairs made in parts: each process searches its own chunks, and those whose pairs act on
// its slots. All know where all slots are; what else belongs to a slot goes to the process that has
// it from now on. What the list before kept goes to those who have its pairs now, and all learn how
// many blocks each chunk has, so that blocks have the numbers that they have in one process.
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/world.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;
typedef struct eng_spheres_share eng_spheres_share;

cairn_status eng_spheres_share_relist(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    if (share == NULL)
        return CAIRN_OK;
    if (spheres->list.made == 0)
        eng_spheres_chunks_count(spheres);
    bool parts = eng_spheres_share_wants_parts(spheres);
    cairn_status status = parts ? eng_spheres_share_places(spheres)
                                : eng_spheres_share_gather(spheres, -1, true, NULL);
    if (parts && status == CAIRN_OK)
        eng_spheres_share_drop_forces(spheres);
    share->kept_own = share->active && !share->whole;
    share->parted = parts;
    share->sides = false;
    return status;
}

// ---------------------------------------------------------------- chunks

/// Cost of a chunk, by the list before: slots move little between lists.
static int64_t expected_cost(const eng_spheres *spheres, int chunk)
{
    const eng_spheres_share *share = spheres->share;
    if (share->cost_count == 0)
        return 1;
    return share->cost[(int64_t)chunk * share->cost_count / spheres->list.chunk_count];
}

/// Chunks in order go to the process that the middle of their cost falls into; each gets some.
static void deal_chunks(const eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    int count = share->ranks.count, rank = 0, chunks = spheres->list.chunk_count;
    int64_t total = 0, before = 0;
    for (int c = 0; c < chunks; c++)
        total += expected_cost(spheres, c);
    share->first_chunk[0] = 0;
    for (int c = 0; c < chunks; c++) {
        int64_t cost = expected_cost(spheres, c);
        bool more = rank + 1 < count && c > share->first_chunk[rank];
        bool late = chunks - c == count - rank - 1;
        if (more && ((2 * before + cost) * count >= 2 * total * (rank + 1) || late))
            share->first_chunk[++rank] = c;
        before += cost;
    }
    share->first_chunk[count] = chunks;
}

cairn_status eng_spheres_share_deal(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    if (!eng_spheres_is_parted(spheres))
        return CAIRN_OK;
    // slots have become fewer: all have all history then
    if (spheres->list.ranges < share->ranks.count && !share->kept_own) {
        share->parted = share->active = false;
        return CAIRN_OK;
    }
    deal_chunks(spheres);
    share->active = true;
    share->whole = false;
    share->first_range = eng_spheres_share_range(spheres, share->ranks.number);
    share->end_range = eng_spheres_share_range(spheres, share->ranks.number + 1);
    return eng_spheres_share_reserve(spheres);
}

/// What others need to know of a chunk.
typedef struct listed_chunk {
    int far_block, end_block, end_segment, end_ghost, last_chunk, first_distant, last_distant;
    int members;
} listed_chunk;

cairn_status eng_spheres_share_listed(struct eng_spheres *spheres)
{
    eng_spheres_chunk *chunks = spheres->pass.chunks;
    if (!eng_spheres_is_parted(spheres))
        return CAIRN_OK;
    const base_allocator *allocator = &spheres->world->model.allocator;
    listed_chunk *all = base_allocate(allocator, (size_t)spheres->list.chunk_count, sizeof *all);
    if (all == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int c = 0; c < spheres->list.chunk_count; c++)
        all[c] =
            (listed_chunk){chunks[c].far_block,    chunks[c].end_block,  chunks[c].end_segment,
                           chunks[c].end_ghost,    chunks[c].last_chunk, chunks[c].first_distant,
                           chunks[c].last_distant, chunks[c].members};
    cairn_status status = eng_spheres_share_array(spheres, all, sizeof *all, eng_spheres_share_rows,
                                                  ENG_SPHERES_CHUNK_ROWS, NULL);
    for (int c = 0; c < spheres->list.chunk_count && status == CAIRN_OK; c++) {
        chunks[c].far_block = all[c].far_block;
        chunks[c].end_block = all[c].end_block;
        chunks[c].end_segment = all[c].end_segment;
        chunks[c].end_ghost = all[c].end_ghost;
        chunks[c].last_chunk = all[c].last_chunk;
        chunks[c].first_distant = all[c].first_distant;
        chunks[c].last_distant = all[c].last_distant;
        chunks[c].members = all[c].members;
    }
    base_release(allocator, all);
    return status;
}

// ---------------------------------------------------------------- messages between all

/// One message with each other process, made of equal parts.
typedef struct parcels {
    unsigned char *sent, *received;   // owned; those of one process behind those of the one before
    int *sent_count, *received_count; // [ranks] owned: parts
    size_t size;                      // bytes of a part
} parcels;

static bool make_counts(const base_allocator *allocator, int ranks, parcels *p)
{
    p->sent_count = base_allocate(allocator, (size_t)ranks, sizeof *p->sent_count);
    p->received_count = base_allocate(allocator, (size_t)ranks, sizeof *p->received_count);
    return p->sent_count != NULL && p->received_count != NULL;
}

static size_t total_of(const int *counts, int ranks)
{
    size_t total = 0;
    for (int rank = 0; rank < ranks; rank++)
        total += (size_t)counts[rank];
    return total;
}

static bool make_room(const base_allocator *allocator, int ranks, parcels *p)
{
    p->sent = base_allocate(allocator, total_of(p->sent_count, ranks) + 1, p->size);
    p->received = base_allocate(allocator, total_of(p->received_count, ranks) + 1, p->size);
    return p->sent != NULL && p->received != NULL;
}

static void release_parcels(const base_allocator *allocator, parcels *p)
{
    base_release(allocator, p->sent);
    base_release(allocator, p->received);
    base_release(allocator, p->sent_count);
    base_release(allocator, p->received_count);
}

static cairn_status exchange(eng_spheres_share *share, const parcels *p)
{
    const unsigned char *sent = p->sent;
    unsigned char *received = p->received;
    int count = 0;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        size_t out = (size_t)p->sent_count[rank] * p->size;
        size_t in = (size_t)p->received_count[rank] * p->size;
        if (rank != share->ranks.number)
            share->messages[count++] = (cairn_message){rank, sent, received, out, in};
        share->traffic.gathered_bytes += (int64_t)out;
        sent += out;
        received += in;
    }
    return share->ranks.exchange(share->ranks.context, share->messages, count, NULL);
}

/// Every process sends the same bytes to all others, as many as each of them. @param all  [ranks]
/// [size], this process's are filled
static cairn_status tell_all(eng_spheres_share *share, unsigned char *all, size_t size)
{
    int count = 0;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        if (rank == share->ranks.number)
            continue;
        share->messages[count++] = (cairn_message){rank, all + (size_t)share->ranks.number * size,
                                                   all + (size_t)rank * size, size, size};
        share->traffic.gathered_bytes += (int64_t)size;
    }
    return share->ranks.exchange(share->ranks.context, share->messages, count, NULL);
}

// ---------------------------------------------------------------- slots

static eng_spheres_rows slots_of(const eng_spheres *spheres, int rank)
{
    return eng_spheres_share_slots(spheres, rank, 1);
}

eng_spheres_rows eng_spheres_share_known(const struct eng_spheres *spheres)
{
    return eng_spheres_is_parted(spheres) && spheres->share->kept_own
               ? slots_of(spheres, spheres->share->ranks.number)
               : (eng_spheres_rows){0, spheres->table.slots};
}

cairn_status eng_spheres_share_margins(struct eng_spheres *spheres)
{
    if (!eng_spheres_is_parted(spheres) || !spheres->share->kept_own)
        return CAIRN_OK;
    double *margins = eng_spheres_margins(spheres);
    return eng_spheres_share_array(spheres, margins, sizeof *margins, eng_spheres_share_slots, 1,
                                   NULL);
}

void eng_spheres_share_owners(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    if (!eng_spheres_is_parted(spheres))
        return;
    // constants are read anew where they are needed
    if (!share->kept_own)
        eng_spheres_share_give_back(spheres->pass.constants, sizeof *spheres->pass.constants, 0,
                                    spheres->table.slots);
    for (int rank = 0; rank < share->ranks.count && share->kept_own; rank++)
        share->old_slot[rank] = slots_of(spheres, rank).first;
    share->old_slot[share->ranks.count] = spheres->table.slots;
}

/// Who had a slot before the list.
static int old_owner(const eng_spheres_share *share, int slot)
{
    int low = share->ranks.number, high = low + 1;
    if (slot >= share->old_slot[low] && slot < share->old_slot[high])
        return low;
    low = 0;
    high = share->ranks.count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (share->old_slot[middle] <= slot)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/// Slots that go to each process, and come from it.
static void count_slots(const eng_spheres *spheres, const int *order, const parcels *p)
{
    const eng_spheres_share *share = spheres->share;
    int self = share->ranks.number;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        eng_spheres_rows theirs = slots_of(spheres, rank);
        for (int slot = theirs.first; slot < theirs.end && rank != self; slot++)
            p->sent_count[rank] += old_owner(share, order[slot]) == self;
    }
    eng_spheres_rows own = slots_of(spheres, self);
    for (int slot = own.first; slot < own.end; slot++) {
        int rank = old_owner(share, order[slot]);
        p->received_count[rank] += rank != self;
    }
}

/// Slots that others get, in the order of their new places.
static void pack_slots(const eng_spheres *spheres, const int *order, const parcels *p)
{
    const eng_spheres_share *share = spheres->share;
    eng_spheres_motion *to = (eng_spheres_motion *)p->sent;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        eng_spheres_rows theirs = slots_of(spheres, rank);
        for (int slot = theirs.first; slot < theirs.end && p->sent_count[rank] > 0; slot++)
            if (old_owner(share, order[slot]) == share->ranks.number)
                *to++ = eng_spheres_motion_take(spheres, order[slot]);
    }
}

/// Slots that come, and own ones that stay, in the order of their new places.
/// @param next  [ranks] of what each process has sent
static void join_slots(const eng_spheres *spheres, const int *order,
                       const eng_spheres_motion **next, eng_spheres_motion *motions)
{
    const eng_spheres_share *share = spheres->share;
    eng_spheres_rows own = slots_of(spheres, share->ranks.number);
    for (int slot = own.first; slot < own.end; slot++) {
        int rank = share->kept_own ? old_owner(share, order[slot]) : share->ranks.number;
        *motions++ = rank == share->ranks.number ? eng_spheres_motion_take(spheres, order[slot])
                                                 : *next[rank]++;
    }
}

static cairn_status send_slots(eng_spheres *spheres, const int *order, parcels *p,
                               const eng_spheres_motion **next)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    if (!make_counts(allocator, share->ranks.count, p))
        return CAIRN_ERROR_MEMORY;
    count_slots(spheres, order, p);
    if (!make_room(allocator, share->ranks.count, p))
        return CAIRN_ERROR_MEMORY;
    pack_slots(spheres, order, p);
    const eng_spheres_motion *from = (const eng_spheres_motion *)p->received;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        next[rank] = from;
        from += p->received_count[rank];
    }
    return exchange(share, p);
}

cairn_status eng_spheres_share_motions(struct eng_spheres *spheres, const int *order)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    eng_spheres_rows own = slots_of(spheres, share->ranks.number);
    parcels p = {.size = sizeof(eng_spheres_motion)};
    const eng_spheres_motion **next =
        base_allocate(allocator, (size_t)share->ranks.count, sizeof *next);
    eng_spheres_motion *motions =
        base_allocate(allocator, (size_t)(own.end - own.first) + 1, sizeof *motions);
    cairn_status status = next != NULL && motions != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && share->kept_own)
        status = send_slots(spheres, order, &p, next);
    if (status == CAIRN_OK)
        join_slots(spheres, order, next, motions);
    if (status == CAIRN_OK && !share->kept_own)
        eng_spheres_share_drop_motions(spheres);
    for (int slot = own.first; slot < own.end && status == CAIRN_OK; slot++)
        eng_spheres_motion_put(spheres, slot, &motions[slot - own.first]);
    release_parcels(allocator, &p);
    base_release(allocator, motions);
    base_release(allocator, next);
    return status;
}

void eng_spheres_share_near(struct eng_spheres *spheres)
{
    for (int slot = 0; slot < spheres->table.slots; slot++)
        if (spheres->share->seen[slot / spheres->list.chunk_slots])
            eng_spheres_read_constants(spheres, slot);
}

// ---------------------------------------------------------------- images

cairn_status eng_spheres_share_images(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    size_t size = (size_t)spheres->list.candidates.count;
    if (!eng_spheres_is_parted(spheres) || !spheres->world->state.cell.any || size == 0)
        return CAIRN_OK;
    const base_allocator *allocator = &spheres->world->model.allocator;
    int *used = spheres->list.candidates.used.block, ranks = share->ranks.count;
    unsigned char *all = base_allocate(allocator, (size_t)ranks * size, 1);
    if (all == NULL)
        return CAIRN_ERROR_MEMORY;
    for (size_t i = 0; i < size; i++)
        all[(size_t)share->ranks.number * size + i] = used[i] != 0;
    cairn_status status = tell_all(share, all, size);
    for (int rank = 0; rank < ranks && status == CAIRN_OK; rank++)
        for (size_t i = 0; i < size; i++)
            used[i] |= all[(size_t)rank * size + i];
    base_release(allocator, all);
    return status;
}

// ---------------------------------------------------------------- history

/// Whether a kept contact goes to a process. @param held  [ranks][chunks]
static bool goes(const eng_spheres *spheres, const bool *held, int index, int rank)
{
    int chunk = eng_spheres_kept_owner(spheres, index) / spheres->list.chunk_slots;
    return rank != spheres->share->ranks.number &&
           held[(size_t)rank * (size_t)spheres->list.chunk_count + (size_t)chunk];
}

/// How many contacts go to each process and come from it.
static cairn_status count_parcels(eng_spheres *spheres, const bool *held, parcels *p)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    int ranks = share->ranks.count, count = 0;
    for (int rank = 0; rank < ranks; rank++)
        for (int i = 0; i < spheres->store.kept_count; i++)
            p->sent_count[rank] += goes(spheres, held, i, rank);
    for (int rank = 0; rank < ranks; rank++)
        if (rank != share->ranks.number)
            share->messages[count++] =
                (cairn_message){rank, &p->sent_count[rank], &p->received_count[rank],
                                sizeof *p->sent_count, sizeof *p->received_count};
    BASE_TRY(share->ranks.exchange(share->ranks.context, share->messages, count, NULL));
    return make_room(allocator, ranks, p) ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status send_contacts(eng_spheres *spheres, const bool *held, parcels *p)
{
    eng_spheres_share *share = spheres->share;
    int ranks = share->ranks.count, first = spheres->store.kept_count;
    BASE_TRY(count_parcels(spheres, held, p));
    unsigned char *to = p->sent;
    for (int rank = 0; rank < ranks; rank++)
        for (int i = 0; i < first; i++)
            if (goes(spheres, held, i, rank)) {
                eng_spheres_kept_copy(spheres, i, to, true);
                to += p->size;
            }
    cairn_status status = exchange(share, p);
    int come = (int)total_of(p->received_count, ranks);
    if (status == CAIRN_OK)
        status = eng_spheres_kept_reserve(spheres, first + come);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < come; i++)
        eng_spheres_kept_copy(spheres, first + i, p->received + (size_t)i * p->size, false);
    spheres->store.kept_count += come;
    return CAIRN_OK;
}

cairn_status eng_spheres_share_history(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    if (!eng_spheres_is_parted(spheres) || !share->kept_own)
        return CAIRN_OK;
    const base_allocator *allocator = &spheres->world->model.allocator;
    size_t chunks = (size_t)spheres->list.chunk_count;
    int ranks = share->ranks.count;
    bool *held = base_allocate(allocator, (size_t)ranks * chunks, sizeof *held);
    parcels p = {.size = eng_spheres_kept_size(spheres)};
    cairn_status status =
        held != NULL && make_counts(allocator, ranks, &p) ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK) {
        memcpy(held + (size_t)share->ranks.number * chunks, share->held, chunks * sizeof *held);
        status = tell_all(share, (unsigned char *)held, chunks * sizeof *held);
    }
    if (status == CAIRN_OK)
        status = send_contacts(spheres, held, &p);
    release_parcels(allocator, &p);
    base_release(allocator, held);
    return status;
}
