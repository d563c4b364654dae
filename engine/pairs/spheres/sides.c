// SPDX-License-Identifier: Apache-2.0
// Force slots of the spheres spheres, and for each body the slots that it adds up.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"

#include <string.h>

/// Bodies whose slots stay in a processor's second cache.
enum { ROWS_IN_CACHE = 5000 };

/// Whether some forces of a chunk are read after its range is done, or long after it.
static bool has_lasting(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk)
{
    const eng_spheres_chunk *last = &spheres->pass.chunks[chunk->last_chunk];
    if (chunk->last_distant >= 0)
        return true;
    for (; chunk <= last; chunk++)
        if (chunk->waits)
            return true;
    return false;
}

/// Whether those of a block of such a chunk are.
static bool forces_last(const struct eng_spheres *spheres, const eng_spheres_block *block)
{
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
        int a = eng_spheres_slot_a(block, k), slot = eng_spheres_slot_b(block, k);
        int b = eng_spheres_source_of(&spheres->pass, slot);
        if (a < spheres->table.slots &&
            ((b != slot && eng_spheres_is_distant(spheres, a, b)) ||
             spheres->pass.chunks[a / spheres->list.chunk_slots].waits ||
             (b < spheres->table.slots &&
              spheres->pass.chunks[b / spheres->list.chunk_slots].waits)))
            return true;
    }
    return false;
}

/// Blocks of chunks with lasting forces: their number, or with `list` that and their force rows
/// from `place` on.
static int each_lasting(const struct eng_spheres *spheres, int *list, int place)
{
    const eng_spheres_chunk *chunks = spheres->pass.chunks;
    int count = 0;
    for (int c = 0; c < spheres->list.chunk_count; c++) {
        if (!eng_spheres_has_chunk(spheres, c) || !has_lasting(spheres, &chunks[c]))
            continue;
        for (int i = chunks[c].first_block; i < chunks[c].end_block; i++) {
            eng_spheres_block *block = &spheres->pass.blocks[i];
            if (!forces_last(spheres, block))
                continue;
            if (list != NULL) {
                list[count] = i;
                block->force_row = (place + count) * ENG_SPHERES_WIDTH;
            }
            count++;
        }
    }
    return count;
}

static int first_lasting(const struct eng_spheres *spheres)
{
    return spheres->list.ranges * (spheres->store.ring[0] + spheres->store.ring[1]);
}

/// Couples beside the forces of all force rows.
static cairn_status place_couples(struct eng_spheres *spheres)
{
    size_t bytes = ((size_t)spheres->store.zero_row + 1) * sizeof *spheres->pass.couple;
    spheres->pass.couple = NULL;
    if (!spheres->store.has_resistance)
        return CAIRN_OK;
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->store.couple, bytes));
    spheres->pass.couple = spheres->store.couple.block;
    memset(spheres->pass.couple, 0, bytes);
    return CAIRN_OK;
}

/// Force slots: rings for each range and list, so that they stay in the cache, and lasting ones for
/// blocks whose forces are read after the range. All but the zero slot are written before they are
/// read.
static cairn_status reserve_force_rows(struct eng_spheres *spheres)
{
    spheres->store.ring[0] = spheres->store.ring[1] = 1;
    for (int c = 0; c < spheres->list.chunk_count; c++)
        for (int list = 0; list < 2; list++) {
            int window = spheres->pass.chunks[c].window[list];
            spheres->store.ring[list] =
                window > spheres->store.ring[list] ? window : spheres->store.ring[list];
        }
    int count = each_lasting(spheres, NULL, 0),
        rows = (first_lasting(spheres) + count) * ENG_SPHERES_WIDTH;
    BASE_TRY(
        eng_spheres_reserve(spheres, &spheres->list.lasting, ((size_t)count + 1) * sizeof(int)));
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->store.force,
                                 ((size_t)rows + 1) * sizeof(double[8])));
    spheres->store.zero_row = rows;
    spheres->pass.force = spheres->store.force.block;
    memset(spheres->pass.force[rows], 0, sizeof spheres->pass.force[rows]);
    (void)each_lasting(spheres, spheres->list.lasting.block, first_lasting(spheres));
    return place_couples(spheres);
}

/// Places in the rings for the other blocks of a range.
static void place_in_rings(struct eng_spheres *spheres, int index)
{
    const eng_spheres_range *range = &spheres->list.range[index];
    const int begin[2] = {0, spheres->list.ranges * spheres->store.ring[0]};
    for (int c = range->first_chunk; c < range->end_chunk; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        bool lasting = has_lasting(spheres, chunk);
        int end = eng_spheres_has_chunk(spheres, c) ? chunk->end_block : chunk->first_block;
        for (int i = chunk->first_block; i < end; i++) {
            eng_spheres_block *block = &spheres->pass.blocks[i];
            int list = i >= chunk->far_block, ring = spheres->store.ring[list];
            if (!lasting || !forces_last(spheres, block))
                block->force_row =
                    (begin[list] + index * ring + eng_spheres_block_number(chunk, i) % ring) *
                    ENG_SPHERES_WIDTH;
        }
    }
}

int eng_spheres_pair_slot_of(const struct eng_spheres *spheres, int slot, int entry)
{
    int place = entry / 8 / ENG_SPHERES_WIDTH, k = entry / 8 % ENG_SPHERES_WIDTH;
    int ring = spheres->store.ring[0], lasting = place - first_lasting(spheres);
    if (entry / 8 == spheres->store.zero_row)
        return -1;
    if (lasting >= 0)
        return ((const int *)spheres->list.lasting.block)[lasting] * ENG_SPHERES_WIDTH + k;
    // the last block of list A before the end of the slot's chunk that has this place
    const eng_spheres_chunk *chunk = &spheres->pass.chunks[slot / spheres->list.chunk_slots];
    int last = eng_spheres_blocks_until(chunk, 0) - 1, number = last - (last - place % ring) % ring;
    while (chunk->before[0] > number)
        chunk--;
    return (chunk->first_block + number - chunk->before[0]) * ENG_SPHERES_WIDTH + k;
}

/// Sides of pairs of list A or B that are bodies of a range.
typedef struct sides {
    int list; // 0: A, 1: B
    int first_slot, end_slot;
    int first_chunk, end_chunk; // bodies of these chunks may be in its pairs
    int *start;                 // [slots + 1]
} sides;

static sides sides_of(const struct eng_spheres *spheres, int list, int index)
{
    const eng_spheres_range *range = &spheres->list.range[index];
    int end = range->end_chunk * spheres->list.chunk_slots;
    return (sides){
        .list = list,
        .first_slot = range->first_chunk * spheres->list.chunk_slots,
        .end_slot = end < spheres->table.slots ? end : spheres->table.slots,
        .first_chunk = range->first_chunk,
        .end_chunk = range->end_chunk,
        .start = list == 0 ? spheres->list.near_start.block : spheres->list.far_start.block,
    };
}

/// Counts each side of a block in `next`, or writes it there.
static void block_sides(const struct eng_spheres *spheres, const sides *s, int index, int *next,
                        int *to)
{
    const eng_spheres_block *block = &spheres->pass.blocks[index];
    // the place is not there yet while sides are counted
    int place = to != NULL && s->list == 0 ? block->force_row : index * ENG_SPHERES_WIDTH;
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
        int slots[2] = {eng_spheres_slot_a(block, k),
                        eng_spheres_source_of(&spheres->pass, eng_spheres_slot_b(block, k))};
        for (int side = 0; side < 2; side++)
            if (slots[side] >= s->first_slot && slots[side] < s->end_slot) {
                int at = next[slots[side]]++;
                if (to != NULL)
                    to[at] = 8 * (place + k) + side;
            }
    }
}

static void each_side(const struct eng_spheres *spheres, const sides *s, int *next, int *to)
{
    const eng_spheres_chunk *chunks = spheres->pass.chunks;
    for (int c = 0; c < s->end_chunk; c++) {
        if (!eng_spheres_has_chunk(spheres, c) ||
            (chunks[c].last_chunk < s->first_chunk && chunks[c].last_distant < s->first_chunk))
            continue;
        int begin = s->list == 0 ? chunks[c].first_block : chunks[c].far_block;
        int end = s->list == 0 ? chunks[c].far_block : chunks[c].end_block;
        for (int i = begin; i < end; i++)
            block_sides(spheres, s, i, next, to);
    }
}

/// Whether sides of the bodies of a range are wanted: where pairs are known in part, own ones
/// alone.
static bool wants_sides(const struct eng_spheres *spheres, int range)
{
    return spheres->share == NULL || !spheres->share->parted ||
           eng_spheres_owns_range(spheres, range);
}

/// Force rows that a slot adds up at least.
static int least_rows(const struct eng_spheres *spheres, int slot)
{
    return eng_spheres_is_member(spheres, slot) ? ENG_SPHERES_MEMBER_PADDED : ENG_SPHERES_PADDED;
}

/// Starts of the bodies' sides, from that of the range on.
static void count_sides(struct eng_spheres *spheres, int index)
{
    int *next = spheres->list.scratch.block;
    place_in_rings(spheres, index);
    for (int list = 0; list < 2; list++) {
        sides s = sides_of(spheres, list, index);
        bool wanted = wants_sides(spheres, index);
        int sum = 0;
        for (int slot = s.first_slot; slot < s.end_slot; slot++)
            next[slot] = 0;
        if (wanted)
            each_side(spheres, &s, next, NULL);
        for (int slot = s.first_slot; slot < s.end_slot; slot++) {
            int least = list == 0 && wanted ? least_rows(spheres, slot) : 0;
            s.start[slot] = sum;
            sum += next[slot] > least ? next[slot] : least;
        }
        spheres->list.range[index].sides[list] = sum;
    }
}

/// Pairs of each body of a range, in the order of blocks.
static void write_sides(struct eng_spheres *spheres, int index)
{
    int *next = spheres->list.scratch.block;
    for (int list = 0; list < 2; list++) {
        sides s = sides_of(spheres, list, index);
        int *to = list == 0 ? spheres->list.near_list.block : spheres->list.far_list.block,
            begin = 0;
        for (int r = 0; r < index; r++)
            begin += spheres->list.range[r].sides[list];
        for (int slot = s.first_slot; slot < s.end_slot; slot++)
            next[slot] = s.start[slot] += begin;
        for (int k = 0; k < spheres->list.range[index].sides[list]; k++)
            to[begin + k] = 8 * spheres->store.zero_row;
        if (wants_sides(spheres, index))
            each_side(spheres, &s, next, to);
    }
}

static cairn_status fill_sides(struct eng_spheres *spheres)
{
    int *starts[2] = {spheres->list.near_start.block, spheres->list.far_start.block};
    eng_spheres_buffer *lists[2] = {&spheres->list.near_list, &spheres->list.far_list};
    eng_spheres_ranges_run(spheres, count_sides);
    for (int list = 0; list < 2; list++) {
        int sum = 0;
        for (int r = 0; r < spheres->list.ranges; r++)
            sum += spheres->list.range[r].sides[list];
        starts[list][spheres->table.slots] = sum;
        BASE_TRY(eng_spheres_reserve(spheres, lists[list], ((size_t)sum + 1) * sizeof(int)));
    }
    eng_spheres_ranges_run(spheres, write_sides);
    return CAIRN_OK;
}

/// A bound on the slots between the bodies of a pair, where slots do not stay in the cache; 0
/// elsewhere.
static int reach_of(const struct eng_spheres *spheres)
{
    int most = 0;
    if (spheres->table.slots <= ROWS_IN_CACHE)
        return 0;
    for (int c = 0; c < spheres->list.chunk_count; c++) {
        int way = spheres->pass.chunks[c].last_chunk - c;
        most = way > most ? way : most;
    }
    return (most + 2) * spheres->list.chunk_slots;
}

cairn_status eng_spheres_sides_make(struct eng_spheres *spheres)
{
    cairn_status status = reserve_force_rows(spheres);
    if (status == CAIRN_OK)
        status = fill_sides(spheres);
    spheres->pass.near_start = spheres->list.near_start.block;
    spheres->pass.near = spheres->list.near_list.block;
    spheres->pass.far_start = spheres->list.far_start.block;
    spheres->pass.far = spheres->list.far_list.block;
    spheres->pass.reach = reach_of(spheres);
    spheres->pass.slot_count = spheres->table.slots;
    return status;
}
