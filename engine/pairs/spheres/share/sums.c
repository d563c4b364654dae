// SPDX-License-Identifier: Apache-2.0
// What all processes come to together: sums of a step, energies, how fast the chunks at a border
// are. Counts, bounds and sums without round-off do not depend on the order in which they meet.
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/world.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;
typedef struct eng_spheres_share eng_spheres_share;

eng_booked *eng_spheres_share_own(const struct eng_spheres *spheres, int *first, int *end)
{
    eng_spheres_share *share = spheres->share;
    *first = share->first_chunk[share->ranks.number];
    *end = share->first_chunk[share->ranks.number + 1];
    return &share->booked;
}

// ---------------------------------------------------------------- one value of all

/// Sends a value to one process and gets one from another, where there is one (else -1).
static cairn_status pass_on(eng_spheres_share *share, int to, const void *sent, int from,
                            void *received, size_t size)
{
    cairn_message *messages = share->messages;
    int count = 0;
    if (to >= 0)
        messages[count++] = (cairn_message){.rank = to, .sent = sent, .sent_size = size};
    if (from >= 0 && from == to) {
        messages[0].received = received;
        messages[0].received_size = size;
    } else if (from >= 0) {
        messages[count++] =
            (cairn_message){.rank = from, .received = received, .received_size = size};
    }
    return share->ranks.exchange(share->ranks.context, messages, count, NULL);
}

cairn_status eng_spheres_share_merge(struct eng_spheres *spheres, void *value, void *spare,
                                     size_t size, void (*merge)(void *into, const void *from),
                                     int64_t *sent)
{
    eng_spheres_share *share = spheres->share;
    int self = share->ranks.number, count = share->ranks.count, core = 1;
    while (2 * core <= count)
        core *= 2;
    // those beyond the largest power of two join one of the others, which tells them in the end
    int partner = self >= core ? self - core : self + core < count ? self + core : -1;
    cairn_status status =
        pass_on(share, self >= core ? partner : -1, value, self < core ? partner : -1, spare, size);
    if (status == CAIRN_OK && self < core && partner >= 0)
        merge(value, spare);
    *sent += self >= core || partner >= 0 ? (int64_t)size : 0;
    for (int step = 1; step < core && status == CAIRN_OK; step *= 2) {
        int other = self < core ? self ^ step : -1;
        status = pass_on(share, other, value, other, spare, size);
        if (status == CAIRN_OK && other >= 0)
            merge(value, spare);
        *sent += other >= 0 ? (int64_t)size : 0;
    }
    if (status == CAIRN_OK)
        status = pass_on(share, self < core ? partner : -1, value, self >= core ? partner : -1,
                         spare, size);
    if (status == CAIRN_OK && self >= core)
        memcpy(value, spare, size);
    return status;
}

static void merge_sum(void *into, const void *from)
{
    base_exact_add_sum(into, from);
}

cairn_status eng_spheres_share_sum(struct eng_spheres *spheres, base_exact_sum *sum)
{
    base_exact_sum spare;
    return eng_spheres_share_merge(spheres, sum, &spare, sizeof *sum, merge_sum,
                                   &spheres->share->traffic.gathered_bytes);
}

// ---------------------------------------------------------------- of a step

void eng_spheres_step_sums_merge(void *into, const void *from)
{
    eng_spheres_step_sums *a = into, b;
    memcpy(&b, from, sizeof b);
    a->left = b.left < a->left ? b.left : a->left;
    a->depth = b.depth > a->depth ? b.depth : a->depth;
    a->relative = b.relative > a->relative ? b.relative : a->relative;
    a->contacts += b.contacts;
    a->active += b.active;
    a->overflow |= b.overflow;
    a->out_of_memory |= b.out_of_memory;
    a->odd |= b.odd;
    if (a->hasty == 0 || (b.hasty > 0 && b.hasty < a->hasty))
        a->hasty = b.hasty;
}

/// The pairs of chunks that act on slots of a process, its own ones among them, and the chunks
/// whose slots they may meet: these tell how soon a pair has to be looked at again.
/// @param met  [chunks + 1] out: more than 0 for those that are met, once the numbers are added up
static void mark_met(const eng_spheres *spheres, int rank, int *met)
{
    const eng_spheres_chunk *chunks = spheres->pass.chunks;
    int first = spheres->share->first_chunk[rank], end = spheres->share->first_chunk[rank + 1];
    memset(met, 0, ((size_t)spheres->list.chunk_count + 1) * sizeof *met);
    for (int c = 0; c < end; c++) {
        bool distant = chunks[c].first_distant < end && chunks[c].last_distant >= first;
        if (c < first && chunks[c].last_chunk < first && !distant)
            continue;
        met[c]++;
        met[chunks[c].last_chunk + 1]--;
        if (chunks[c].last_distant >= chunks[c].first_distant) {
            met[chunks[c].first_distant]++;
            met[chunks[c].last_distant + 1]--;
        }
    }
}

/// Chunks of one process that another one's pairs meet.
static cairn_status list_met(eng_spheres *spheres, const int *met, int owner,
                             eng_spheres_border *border)
{
    eng_spheres_share *share = spheres->share;
    eng_spheres_borders *speeds = &share->speeds;
    cairn_status status = CAIRN_OK;
    *border = (eng_spheres_border){.first = speeds->slot_count};
    int sum = 0;
    for (int c = 0; c < share->first_chunk[owner + 1] && status == CAIRN_OK; c++) {
        sum += met[c];
        if (sum == 0 || c < share->first_chunk[owner])
            continue;
        status = base_array_reserve(&spheres->world->model.allocator, &speeds->slots,
                                    &speeds->slot_capacity, speeds->slot_count + 1);
        if (status == CAIRN_OK)
            speeds->slots[speeds->slot_count++] = c;
    }
    border->count = speeds->slot_count - border->first;
    return status;
}

cairn_status eng_spheres_share_speeds(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    int own = share->ranks.number;
    int *met = base_allocate(allocator, (size_t)spheres->list.chunk_count + 1, sizeof *met);
    cairn_status status = met != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    share->speeds.slot_count = 0;
    for (int rank = 0; rank < share->ranks.count; rank++)
        share->speeds.sent[rank] = share->speeds.received[rank] = (eng_spheres_border){0};
    if (status == CAIRN_OK)
        mark_met(spheres, own, met);
    for (int rank = 0; rank < share->ranks.count && status == CAIRN_OK; rank++)
        if (rank != own)
            status = list_met(spheres, met, rank, &share->speeds.received[rank]);
    for (int rank = 0; rank < share->ranks.count && status == CAIRN_OK; rank++) {
        if (rank == own)
            continue;
        mark_met(spheres, rank, met);
        status = list_met(spheres, met, own, &share->speeds.sent[rank]);
    }
    base_release(allocator, met);
    return status;
}

// ---------------------------------------------------------------- energies

/// What is merged for a row of energies.
typedef struct energies {
    eng_booked booked;
    eng_spheres_totals totals;
} energies;

enum { ENERGY_SUMS = (int)(sizeof(energies) / sizeof(base_exact_sum)) };

static void merge_sums(void *into, const void *from)
{
    base_exact_sum *a = into;
    const base_exact_sum *b = from;
    for (int i = 0; i < ENERGY_SUMS; i++)
        base_exact_add_sum(&a[i], &b[i]);
}

cairn_status eng_spheres_share_booked(struct eng_spheres *spheres, eng_spheres_totals *totals)
{
    eng_spheres_share *share = spheres->share;
    eng_booked *booked = &spheres->world->state.audit.booked;
    energies all = {.booked = share->booked}, spare;
    if (totals != NULL)
        all.totals = *totals;
    BASE_TRY(eng_spheres_share_merge(spheres, &all, &spare, sizeof all, merge_sums,
                                     &share->traffic.gathered_bytes));
    base_exact_add_sum(&booked->damping, &all.booked.damping);
    base_exact_add_sum(&booked->friction, &all.booked.friction);
    base_exact_add_sum(&booked->plastic, &all.booked.plastic);
    base_exact_add_sum(&booked->drivers, &all.booked.drivers);
    share->booked = (eng_booked){0};
    if (totals != NULL)
        *totals = all.totals;
    return CAIRN_OK;
}
