// SPDX-License-Identifier: Apache-2.0
// Force rows of the spheres lane, and for each body the rows that it adds up.
#include "engine/pairs/spheres/lane_data.h"

#include <string.h>

/// Bodies whose rows stay in a processor's second cache.
enum { ROWS_IN_CACHE = 5000 };

/// Whether some forces of a chunk are read after its range is done.
static bool has_lasting(const struct eng_lane *lane, const eng_lane_chunk *chunk)
{
    const eng_lane_chunk *last = &lane->pass.chunks[chunk->last_chunk];
    for (; chunk <= last; chunk++)
        if (chunk->waits)
            return true;
    return false;
}

/// Whether those of a block of such a chunk are.
static bool forces_last(const struct eng_lane *lane, const eng_lane_block *block)
{
    for (int k = 0; k < ENG_LANE_WIDTH; k++) {
        int a = eng_lane_row_a(block, k), b = eng_lane_row_b(block, k);
        if (a < lane->rows && (lane->pass.chunks[a / lane->chunk_rows].waits ||
                               (b < lane->rows && lane->pass.chunks[b / lane->chunk_rows].waits)))
            return true;
    }
    return false;
}

/// Blocks of chunks with lasting forces: their number, or with `list` that and their force rows
/// from `place` on.
static int each_lasting(const struct eng_lane *lane, int *list, int place)
{
    const eng_lane_chunk *chunks = lane->pass.chunks;
    int count = 0;
    for (int c = 0; c < lane->chunk_count; c++)
        for (int i = chunks[c].first_block;
             i < chunks[c].end_block && has_lasting(lane, &chunks[c]); i++) {
            eng_lane_block *block = &lane->pass.blocks[i];
            if (!forces_last(lane, block))
                continue;
            if (list != NULL) {
                list[count] = i;
                block->force_row = (place + count) * ENG_LANE_WIDTH;
            }
            count++;
        }
    return count;
}

static int first_lasting(const struct eng_lane *lane)
{
    return lane->ranges * (lane->ring[0] + lane->ring[1]);
}

/// Couples beside the forces of all force rows.
static cairn_status place_couples(struct eng_lane *lane)
{
    size_t bytes = ((size_t)lane->zero_row + 1) * sizeof *lane->pass.couple;
    lane->pass.couple = NULL;
    if (!lane->has_resistance)
        return CAIRN_OK;
    cairn_status status = eng_lane_reserve(lane, &lane->couple, bytes);
    if (status != CAIRN_OK)
        return status;
    lane->pass.couple = lane->couple.block;
    memset(lane->pass.couple, 0, bytes);
    return CAIRN_OK;
}

/// Force rows: rings for each range and list, so that they stay in the cache, and lasting ones for
/// blocks whose forces are read after the range. All but the zero row are written before they are
/// read.
static cairn_status reserve_force_rows(struct eng_lane *lane)
{
    lane->ring[0] = lane->ring[1] = 1;
    for (int c = 0; c < lane->chunk_count; c++)
        for (int list = 0; list < 2; list++) {
            int window = lane->pass.chunks[c].window[list];
            lane->ring[list] = window > lane->ring[list] ? window : lane->ring[list];
        }
    int count = each_lasting(lane, NULL, 0), rows = (first_lasting(lane) + count) * ENG_LANE_WIDTH;
    cairn_status status = eng_lane_reserve(lane, &lane->lasting, ((size_t)count + 1) * sizeof(int));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->force, ((size_t)rows + 1) * sizeof(double[8]));
    if (status != CAIRN_OK)
        return status;
    lane->zero_row = rows;
    lane->pass.force = lane->force.block;
    memset(lane->pass.force[rows], 0, sizeof lane->pass.force[rows]);
    (void)each_lasting(lane, lane->lasting.block, first_lasting(lane));
    return place_couples(lane);
}

/// Places in the rings for the other blocks of a range.
static void place_in_rings(struct eng_lane *lane, int index)
{
    const eng_lane_range *range = &lane->range[index];
    const int begin[2] = {0, lane->ranges * lane->ring[0]};
    for (int c = range->first_chunk; c < range->end_chunk; c++) {
        const eng_lane_chunk *chunk = &lane->pass.chunks[c];
        bool lasting = has_lasting(lane, chunk);
        for (int i = chunk->first_block; i < chunk->end_block; i++) {
            eng_lane_block *block = &lane->pass.blocks[i];
            int list = i >= chunk->far_block, ring = lane->ring[list];
            if (!lasting || !forces_last(lane, block))
                block->force_row =
                    (begin[list] + index * ring + eng_lane_block_number(chunk, i) % ring) *
                    ENG_LANE_WIDTH;
        }
    }
}

int eng_lane_slot_of(const struct eng_lane *lane, int row, int entry)
{
    int place = entry / 8 / ENG_LANE_WIDTH, k = entry / 8 % ENG_LANE_WIDTH;
    int ring = lane->ring[0], lasting = place - first_lasting(lane);
    if (entry / 8 == lane->zero_row)
        return -1;
    if (lasting >= 0)
        return ((const int *)lane->lasting.block)[lasting] * ENG_LANE_WIDTH + k;
    // the last block of list A before the end of the row's chunk that has this place
    const eng_lane_chunk *chunk = &lane->pass.chunks[row / lane->chunk_rows];
    int last = eng_lane_blocks_until(chunk, 0) - 1, number = last - (last - place % ring) % ring;
    while (chunk->before[0] > number)
        chunk--;
    return (chunk->first_block + number - chunk->before[0]) * ENG_LANE_WIDTH + k;
}

/// Sides of pairs of list A or B that are bodies of a range.
typedef struct sides {
    int list; // 0: A, 1: B
    int first_row, end_row;
    int first_chunk, end_chunk; // bodies of these chunks may be in its pairs
    int *start;                 // [rows + 1]
} sides;

static sides sides_of(const struct eng_lane *lane, int list, int index)
{
    const eng_lane_range *range = &lane->range[index];
    int end = range->end_chunk * lane->chunk_rows;
    return (sides){
        .list = list,
        .first_row = range->first_chunk * lane->chunk_rows,
        .end_row = end < lane->rows ? end : lane->rows,
        .first_chunk = range->first_chunk,
        .end_chunk = range->end_chunk,
        .start = list == 0 ? lane->near_start.block : lane->far_start.block,
    };
}

/// Counts each side of a block in `next`, or writes it there.
static void block_sides(const struct eng_lane *lane, const sides *s, int index, int *next, int *to)
{
    const eng_lane_block *block = &lane->pass.blocks[index];
    // the place is not there yet while sides are counted
    int place = to != NULL && s->list == 0 ? block->force_row : index * ENG_LANE_WIDTH;
    for (int k = 0; k < ENG_LANE_WIDTH; k++) {
        int rows[2] = {eng_lane_row_a(block, k), eng_lane_row_b(block, k)};
        for (int side = 0; side < 2; side++)
            if (rows[side] >= s->first_row && rows[side] < s->end_row) {
                int at = next[rows[side]]++;
                if (to != NULL)
                    to[at] = 8 * (place + k) + side;
            }
    }
}

static void each_side(const struct eng_lane *lane, const sides *s, int *next, int *to)
{
    const eng_lane_chunk *chunks = lane->pass.chunks;
    for (int c = 0; c < s->end_chunk; c++) {
        if (chunks[c].last_chunk < s->first_chunk)
            continue;
        int begin = s->list == 0 ? chunks[c].first_block : chunks[c].far_block;
        int end = s->list == 0 ? chunks[c].far_block : chunks[c].end_block;
        for (int i = begin; i < end; i++)
            block_sides(lane, s, i, next, to);
    }
}

/// Starts of the bodies' sides, from that of the range on.
static void count_sides(struct eng_lane *lane, int index)
{
    int *next = lane->scratch.block;
    place_in_rings(lane, index);
    for (int list = 0; list < 2; list++) {
        sides s = sides_of(lane, list, index);
        int sum = 0, least = list == 0 ? ENG_LANE_PADDED : 0;
        for (int row = s.first_row; row < s.end_row; row++)
            next[row] = 0;
        each_side(lane, &s, next, NULL);
        for (int row = s.first_row; row < s.end_row; row++) {
            s.start[row] = sum;
            sum += next[row] > least ? next[row] : least;
        }
        lane->range[index].sides[list] = sum;
    }
}

/// Pairs of each body of a range, in the order of blocks.
static void write_sides(struct eng_lane *lane, int index)
{
    int *next = lane->scratch.block;
    for (int list = 0; list < 2; list++) {
        sides s = sides_of(lane, list, index);
        int *to = list == 0 ? lane->near_list.block : lane->far_list.block, begin = 0;
        for (int r = 0; r < index; r++)
            begin += lane->range[r].sides[list];
        for (int row = s.first_row; row < s.end_row; row++)
            next[row] = s.start[row] += begin;
        for (int k = 0; k < lane->range[index].sides[list]; k++)
            to[begin + k] = 8 * lane->zero_row;
        each_side(lane, &s, next, to);
    }
}

static cairn_status fill_sides(struct eng_lane *lane)
{
    int *starts[2] = {lane->near_start.block, lane->far_start.block};
    eng_lane_buffer *lists[2] = {&lane->near_list, &lane->far_list};
    eng_lane_ranges_run(lane, count_sides);
    for (int list = 0; list < 2; list++) {
        int sum = 0;
        for (int r = 0; r < lane->ranges; r++)
            sum += lane->range[r].sides[list];
        starts[list][lane->rows] = sum;
        cairn_status status = eng_lane_reserve(lane, lists[list], ((size_t)sum + 1) * sizeof(int));
        if (status != CAIRN_OK)
            return status;
    }
    eng_lane_ranges_run(lane, write_sides);
    return CAIRN_OK;
}

/// A bound on the rows between the bodies of a pair, where rows do not stay in the cache; 0
/// elsewhere.
static int reach_of(const struct eng_lane *lane)
{
    int most = 0;
    if (lane->rows <= ROWS_IN_CACHE)
        return 0;
    for (int c = 0; c < lane->chunk_count; c++) {
        int way = lane->pass.chunks[c].last_chunk - c;
        most = way > most ? way : most;
    }
    return (most + 2) * lane->chunk_rows;
}

cairn_status eng_lane_sides_make(struct eng_lane *lane)
{
    cairn_status status = reserve_force_rows(lane);
    if (status == CAIRN_OK)
        status = fill_sides(lane);
    lane->pass.near_start = lane->near_start.block;
    lane->pass.near = lane->near_list.block;
    lane->pass.far_start = lane->far_start.block;
    lane->pass.far = lane->far_list.block;
    lane->pass.reach = reach_of(lane);
    lane->pass.row_count = lane->rows;
    return status;
}
