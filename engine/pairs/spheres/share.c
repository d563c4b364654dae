// SPDX-License-Identifier: Apache-2.0
// Which process has which slots, and what they send each other.
#include "engine/pairs/spheres/share.h"

#include <stdlib.h>
#include <string.h>

typedef struct eng_spheres eng_spheres;
typedef struct eng_spheres_share eng_spheres_share;

/// What a step leaves of a slot for the pairs of others.
typedef struct slot_state {
    double X[4], V[8];
} slot_state;

/// What a step leaves of a chunk for the sums of all.
typedef struct chunk_sums {
    double check_distance, left, damping, friction, plastic, drivers, fastest[3], speed;
    double depth, relative, finite;
    int contacts, active, overflow, out_of_memory;
} chunk_sums;

int eng_spheres_share_count(const struct eng_spheres *spheres)
{
    return spheres->share != NULL ? spheres->share->ranks.count : 1;
}

void eng_spheres_share_release(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->allocator;
    if (share == NULL)
        return;
    base_release(allocator, share->first_chunk);
    base_release(allocator, share->sent);
    base_release(allocator, share->received);
    base_release(allocator, share->slots);
    base_release(allocator, share->found);
    base_release(allocator, share->bytes);
    base_release(allocator, share->messages);
    base_release(allocator, share);
    spheres->share = NULL;
}

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

/// Only slots and half-spaces: what else acts is computed by all processes.
static bool can_share(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    return spheres->slots > 0 && has_walls_alone(spheres) && world->action_count == 0 &&
           world->field_count == 0 && world->motion_count == 0 && !world->cell.any &&
           spheres->clump_count == 0 && spheres->tied_count == 0 && !spheres->has_load &&
           !spheres->has_moving_spheres && !spheres->has_shapes && !spheres->strains &&
           spheres->ranges >= spheres->share->ranks.count;
}

/// Ranges one after the other go to the processes.
static void deal_ranges(const eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    int count = share->ranks.count;
    for (int rank = 0; rank <= count; rank++) {
        int range = (int)((int64_t)rank * spheres->ranges / count);
        share->first_chunk[rank] =
            rank == count ? spheres->chunk_count : spheres->range[range].first_chunk;
        if (rank == share->ranks.number)
            share->first_range = range;
        if (rank == share->ranks.number + 1)
            share->end_range = range;
    }
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

/// Pairs of a block between own slots and those of others.
static cairn_status note_block(eng_spheres *spheres, const eng_spheres_block *block)
{
    int own = spheres->share->ranks.number;
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < ENG_SPHERES_WIDTH && status == CAIRN_OK; k++) {
        int a = eng_spheres_slot_a(block, k), b = eng_spheres_slot_b(block, k);
        if (a >= spheres->slots || b >= spheres->slots)
            continue;
        int rank_a = rank_of_slot(spheres, a), rank_b = rank_of_slot(spheres, b);
        if (rank_a == rank_b || (rank_a != own && rank_b != own))
            continue;
        int other = rank_a == own ? rank_b : rank_a;
        status = note(spheres, other, false, rank_a == own ? a : b);
        if (status == CAIRN_OK)
            status = note(spheres, other, true, rank_a == own ? b : a);
    }
    return status;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// Slots at the borders with each process, both ways, each once and in order: both sides have the
/// same lists.
static cairn_status make_borders(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    cairn_status status = CAIRN_OK;
    share->found_count = share->slot_count = 0;
    for (int c = 0; c < spheres->chunk_count && status == CAIRN_OK; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        for (int i = chunk->first_block; i < chunk->end_block && status == CAIRN_OK; i++)
            status = note_block(spheres, &spheres->pass.blocks[i]);
    }
    if (status == CAIRN_OK)
        status = base_array_reserve(&spheres->world->allocator, &share->slots,
                                    &share->slot_capacity, share->found_count + 1);
    if (status != CAIRN_OK)
        return status;
    if (share->found_count > 0)
        qsort(share->found, (size_t)share->found_count, sizeof *share->found, compare_keys);
    for (int rank = 0; rank < share->ranks.count; rank++)
        share->sent[rank] = share->received[rank] = (eng_spheres_border){0};
    share->traffic.halo_slots = 0;
    for (int i = 0; i < share->found_count; i++) {
        if (i > 0 && share->found[i] == share->found[i - 1])
            continue;
        bool received = share->found[i] >> 32 & 1;
        eng_spheres_border *border =
            (received ? share->received : share->sent) + (share->found[i] >> 33);
        if (border->count++ == 0)
            border->first = share->slot_count;
        share->slots[share->slot_count++] = (int)(share->found[i] & UINT32_MAX);
        share->traffic.halo_slots += received;
    }
    return CAIRN_OK;
}

/// Bytes of a message from one process to another after a step.
static size_t message_size(const eng_spheres_share *share, int from, int border)
{
    int chunks = share->first_chunk[from + 1] - share->first_chunk[from];
    return (size_t)chunks * sizeof(chunk_sums) + (size_t)border * sizeof(slot_state);
}

/// Room for all messages of a step.
static cairn_status reserve_messages(eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    size_t bytes = 0;
    for (int rank = 0; rank < share->ranks.count; rank++)
        if (rank != share->ranks.number)
            bytes += message_size(share, share->ranks.number, share->sent[rank].count) +
                     message_size(share, rank, share->received[rank].count);
    if (bytes > INT_MAX)
        return CAIRN_ERROR_MEMORY;
    return base_array_reserve(&spheres->world->allocator, &share->bytes, &share->byte_capacity,
                              (int)bytes);
}

cairn_status eng_spheres_share_plan(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    if (share == NULL || share->planned == spheres->lists || spheres->world->step_count == 0)
        return CAIRN_OK;
    share->planned = spheres->lists;
    share->active = can_share(spheres);
    if (!share->active)
        return CAIRN_OK;
    deal_ranges(spheres);
    cairn_status status = make_borders(spheres);
    return status == CAIRN_OK ? reserve_messages(spheres) : status;
}

// ---------------------------------------------------------------- after a step

static chunk_sums sums_of(const eng_spheres_chunk *c)
{
    return (chunk_sums){.check_distance = c->check_distance,
                        .left = c->left,
                        .damping = c->damping,
                        .friction = c->friction,
                        .plastic = c->plastic,
                        .drivers = c->drivers,
                        .fastest = {c->fastest[0], c->fastest[1], c->fastest[2]},
                        .speed = c->speed,
                        .depth = c->depth,
                        .relative = c->relative,
                        .finite = c->finite,
                        .contacts = c->contacts,
                        .active = c->active,
                        .overflow = c->overflow,
                        .out_of_memory = c->out_of_memory};
}

static void take_sums(eng_spheres_chunk *c, const chunk_sums *sums)
{
    c->check_distance = sums->check_distance;
    c->left = sums->left;
    c->damping = sums->damping;
    c->friction = sums->friction;
    c->plastic = sums->plastic;
    c->drivers = sums->drivers;
    memcpy(c->fastest, sums->fastest, sizeof c->fastest);
    c->speed = sums->speed;
    c->depth = sums->depth;
    c->relative = sums->relative;
    c->finite = sums->finite;
    c->contacts = sums->contacts;
    c->active = sums->active;
    c->overflow = sums->overflow != 0;
    c->out_of_memory = sums->out_of_memory != 0;
}

static unsigned char *put(unsigned char *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

static unsigned char *write_message(const eng_spheres *spheres, int rank, unsigned char *at)
{
    const eng_spheres_share *share = spheres->share;
    int own = share->ranks.number;
    for (int c = share->first_chunk[own]; c < share->first_chunk[own + 1]; c++) {
        chunk_sums sums = sums_of(&spheres->pass.chunks[c]);
        at = put(at, &sums, sizeof sums);
    }
    const eng_spheres_border *border = &share->sent[rank];
    for (int i = border->first; i < border->first + border->count; i++) {
        int slot = share->slots[i];
        at = put(at, spheres->pass.X[slot], sizeof *spheres->pass.X);
        at = put(at, spheres->pass.V[slot], sizeof *spheres->pass.V);
    }
    return at;
}

static void read_message(eng_spheres *spheres, int rank, const unsigned char *at)
{
    const eng_spheres_share *share = spheres->share;
    for (int c = share->first_chunk[rank]; c < share->first_chunk[rank + 1]; c++) {
        chunk_sums sums;
        memcpy(&sums, at, sizeof sums);
        at += sizeof sums;
        take_sums(&spheres->pass.chunks[c], &sums);
    }
    const eng_spheres_border *border = &share->received[rank];
    for (int i = border->first; i < border->first + border->count; i++) {
        int slot = share->slots[i];
        memcpy(spheres->pass.X[slot], at, sizeof *spheres->pass.X);
        memcpy(spheres->pass.V[slot], at + sizeof *spheres->pass.X, sizeof *spheres->pass.V);
        at += sizeof(slot_state);
    }
}

cairn_status eng_spheres_share_exchange(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    int own = share->ranks.number, count = 0;
    unsigned char *at = share->bytes;
    for (int rank = 0; rank < share->ranks.count; rank++) {
        if (rank == own)
            continue;
        unsigned char *end = write_message(spheres, rank, at);
        size_t size = message_size(share, rank, share->received[rank].count);
        share->messages[count++] = (cairn_message){.rank = rank,
                                                   .sent = at,
                                                   .received = end,
                                                   .sent_size = (size_t)(end - at),
                                                   .received_size = size};
        share->traffic.step_bytes += end - at;
        at = end + size;
    }
    share->whole = false;
    share->traffic.steps++;
    cairn_status status = share->ranks.exchange(share->ranks.context, share->messages, count, NULL);
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        read_message(spheres, share->messages[i].rank, share->messages[i].received);
    return status;
}

// ---------------------------------------------------------------- all of it

/// Rows of an array that belong to a process are one behind the other.
typedef struct rows {
    int first, end;
} rows;

static rows slots_of(const eng_spheres *spheres, int rank, int each)
{
    const int *chunk = spheres->share->first_chunk;
    int first = chunk[rank] * spheres->chunk_slots, end = chunk[rank + 1] * spheres->chunk_slots;
    int last = (spheres->slots + each - 1) / each;
    first /= each;
    end /= each;
    return (rows){first < last ? first : last, end < last ? end : last};
}

/// Blocks, half-spaces' ghosts or chunks of a process.
static rows chunk_rows(const eng_spheres *spheres, int rank, int what)
{
    const int *chunk = spheres->share->first_chunk;
    const eng_spheres_chunk *chunks = spheres->pass.chunks;
    int first = chunk[rank], end = chunk[rank + 1];
    if (what == 0 || first == end)
        return (rows){first, end};
    if (what == 1)
        return (rows){chunks[first].first_block, chunks[end - 1].end_block};
    return (rows){chunks[first].first_ghost, chunks[end - 1].end_ghost};
}

/// Every process sends its rows of an array to all others.
static cairn_status gather_rows(eng_spheres *spheres, void *array, size_t stride,
                                rows (*rows_of)(const eng_spheres *spheres, int rank, int what),
                                int what, cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    unsigned char *base = array;
    int count = 0;
    rows own = rows_of(spheres, share->ranks.number, what);
    for (int rank = 0; rank < share->ranks.count && array != NULL; rank++) {
        rows theirs = rows_of(spheres, rank, what);
        if (rank == share->ranks.number)
            continue;
        share->messages[count++] =
            (cairn_message){.rank = rank,
                            .sent = base + (size_t)own.first * stride,
                            .received = base + (size_t)theirs.first * stride,
                            .sent_size = (size_t)(own.end - own.first) * stride,
                            .received_size = (size_t)(theirs.end - theirs.first) * stride};
        share->traffic.gathered_bytes += (int64_t)((size_t)(own.end - own.first) * stride);
    }
    return array == NULL
               ? CAIRN_OK
               : share->ranks.exchange(share->ranks.context, share->messages, count, error);
}

cairn_status eng_spheres_share_gather(struct eng_spheres *spheres, cairn_error *error)
{
    eng_spheres_share *share = spheres->share;
    if (share == NULL || !share->active || share->whole)
        return CAIRN_OK;
    const eng_spheres_pass *p = &spheres->pass;
    size_t ghosts = (size_t)spheres->slots + 2, columns = (size_t)p->column_rows;
    const struct {
        void *array;
        size_t stride;
        rows (*rows_of)(const eng_spheres *spheres, int rank, int what);
        int what;
    } arrays[] = {
        {p->X, sizeof *p->X, slots_of, 1},
        {p->V, sizeof *p->V, slots_of, 1},
        {p->turn, sizeof *p->turn, slots_of, ENG_SPHERES_WIDTH},
        {p->far_touched, sizeof *p->far_touched, slots_of, 1},
        {p->chunks, sizeof *p->chunks, chunk_rows, 0},
        {p->blocks, sizeof *p->blocks, chunk_rows, 1},
        {p->columns, columns * sizeof *p->columns, chunk_rows, 1},
        {p->resist, sizeof *p->resist, chunk_rows, 1},
        {spheres->ghosts.block, sizeof(eng_spheres_ghost), chunk_rows, 2},
        {p->X + ghosts, sizeof *p->X, chunk_rows, 2},
        {p->V + ghosts, sizeof *p->V, chunk_rows, 2},
    };
    cairn_status status = CAIRN_OK;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0] && status == CAIRN_OK; i++)
        status = gather_rows(spheres, arrays[i].array, arrays[i].stride, arrays[i].rows_of,
                             arrays[i].what, error);
    share->whole = status == CAIRN_OK;
    return status;
}
