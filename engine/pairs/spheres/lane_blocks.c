// SPDX-License-Identifier: Apache-2.0
// Blocks of the spheres lane from its pairs, with the history carried over.
//
// Blocks of a new list take the place of the old ones. The old history is packed at the begin of
// the buffer, sorted by owners and moved to the end; new blocks grow towards it and use it up.
#include "engine/pairs/spheres/lane_data.h"

#include <string.h>

static void keep_lane(const struct eng_lane *lane, const eng_lane_block *block, int k,
                      eng_lane_kept *to)
{
    *to = (eng_lane_kept){
        .body = {eng_lane_body_of(lane, eng_lane_row_a(block, k)),
                 eng_lane_body_of(lane, eng_lane_row_b(block, k))},
        .lag_normal = block->lag_normal[k],
        .slips = (block->slip >> k & 1) != 0,
    };
    for (int axis = 0; axis < 3; axis++) {
        to->spring[axis] = block->spring[axis][k];
        to->lag_tangent[axis] = block->lag_tangent[axis][k];
    }
}

/// Columns of history of a kept contact.
static double *kept_columns_of(const struct eng_lane *lane, int index)
{
    return (double *)lane->kept_columns.block + (size_t)index * (size_t)lane->kept_stride;
}

static void keep_columns(const struct eng_lane *lane, int block, int k, double *to)
{
    for (int row = 0; row < lane->kept_stride; row++)
        to[row] = eng_lane_columns_of(&lane->pass, block)[row][k];
}

static void keep_resist(const eng_lane_resist *resist, int k, eng_lane_kept_resist *to)
{
    *to = (eng_lane_kept_resist){
        .twisting = resist->twisting[k],
        .lag_twisting = resist->lag_twisting[k],
        .rolls = (resist->roll_slip >> k & 1) != 0,
        .twists = (resist->twist_slip >> k & 1) != 0,
    };
    for (int axis = 0; axis < 3; axis++) {
        to->rolling[axis] = resist->rolling[axis][k];
        to->lag_rolling[axis] = resist->lag_rolling[axis][k];
    }
}

static void keep_spot(const struct eng_lane *lane, const eng_lane_block *block, int k,
                      eng_lane_kept_spot *to)
{
    int ghost = eng_lane_row_b(block, k) - lane->rows - 2;
    *to = (eng_lane_kept_spot){.wall = -1};
    if (ghost < lane->plane_ghosts)
        return;
    int wall = ((const eng_lane_ghost *)lane->ghosts.block)[ghost].wall;
    to->wall = ((const eng_lane_wall *)lane->walls.block)[wall].collider;
    to->spot = ((const eng_lane_touch *)lane->touches.block)[ghost - lane->plane_ghosts].now;
    to->spot.order = -1;
}

/// Space for what is kept beside eng_lane_kept.
static cairn_status reserve_kept(struct eng_lane *lane)
{
    size_t count = 0;
    lane->kept_moments = lane->pass.resist != NULL;
    lane->kept_walls = lane->group_count > 0;
    lane->kept_stride = lane->pass.columns != NULL ? lane->kept_rows : 0;
    bool any = lane->kept_moments || lane->kept_walls || lane->kept_stride > 0;
    for (int i = 0; i < lane->block_count && any; i++)
        count += (size_t)__builtin_popcount(lane->pass.blocks[i].touch);
    cairn_status status = CAIRN_OK;
    if (lane->kept_stride > 0)
        status = eng_lane_reserve(lane, &lane->kept_columns,
                                  count * (size_t)lane->kept_stride * sizeof(double));
    if (lane->kept_moments && status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->kept_resist, count * sizeof(eng_lane_kept_resist));
    if (lane->kept_walls && status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->kept_spots, count * sizeof(eng_lane_kept_spot));
    return status;
}

cairn_status eng_lane_history_keep(struct eng_lane *lane)
{
    _Static_assert(sizeof(eng_lane_kept) * ENG_LANE_WIDTH <= sizeof(eng_lane_block), "in place");
    eng_lane_kept *kept = lane->blocks.block;
    int count = 0;
    // it was kept before when the plan has changed
    if (lane->block_count == 0)
        return CAIRN_OK;
    lane->kept_count = 0;
    cairn_status status = reserve_kept(lane);
    if (status != CAIRN_OK)
        return status;
    eng_lane_kept_resist *kept_resist = lane->kept_resist.block;
    eng_lane_kept_spot *kept_spots = lane->kept_spots.block;
    for (int i = 0; i < lane->block_count; i++) {
        // its place may be written over
        const eng_lane_block block = lane->pass.blocks[i];
        for (unsigned bits = block.touch; bits != 0; bits &= bits - 1) {
            int k = __builtin_ctz(bits);
            if (lane->kept_stride > 0)
                keep_columns(lane, i, k, kept_columns_of(lane, count));
            if (lane->kept_moments)
                keep_resist(&lane->pass.resist[i], k, &kept_resist[count]);
            if (lane->kept_walls)
                keep_spot(lane, &block, k, &kept_spots[count]);
            keep_lane(lane, &block, k, &kept[count++]);
        }
    }
    lane->kept_count = count;
    lane->block_count = 0;
    return CAIRN_OK;
}

/// Whether the columns of history of a pair change their signs with the order of its bodies.
static bool columns_turn(const struct eng_lane *lane, int body_a, int body_b)
{
    const cairn_world *world = lane->world;
    const con_batch *batch =
        lane->pass.terms[eng_surface_of(world, body_a, body_b) - world->surfaces].batch;
    return batch != NULL && batch->kept_turn;
}

/// The body of the lower row comes first. A twist is the same seen from either side.
static void put_owner_first(const struct eng_lane *lane, int index)
{
    eng_lane_kept *kept = (eng_lane_kept *)lane->blocks.block + index;
    eng_lane_kept_resist *resist = lane->kept_resist.block;
    const int *row_of = lane->row_of.block;
    int a = kept->body[0], b = kept->body[1];
    if (row_of[a] < row_of[b])
        return;
    kept->body[0] = b;
    kept->body[1] = a;
    for (int axis = 0; axis < 3; axis++) {
        kept->spring[axis] = -kept->spring[axis];
        kept->lag_tangent[axis] = -kept->lag_tangent[axis];
    }
    for (int row = 0; row < lane->kept_stride && columns_turn(lane, a, b); row++)
        kept_columns_of(lane, index)[row] = -kept_columns_of(lane, index)[row];
    for (int axis = 0; axis < 3 && lane->kept_moments; axis++) {
        resist[index].rolling[axis] = -resist[index].rolling[axis];
        resist[index].lag_rolling[axis] = -resist[index].lag_rolling[axis];
    }
}

static void swap_kept(struct eng_lane *lane, int a, int b)
{
    eng_lane_kept *kept = lane->blocks.block, other = kept[a];
    kept[a] = kept[b];
    kept[b] = other;
    for (int row = 0; row < lane->kept_stride; row++) {
        double *x = kept_columns_of(lane, a) + row, *y = kept_columns_of(lane, b) + row, z = *x;
        *x = *y;
        *y = z;
    }
    if (lane->kept_moments) {
        eng_lane_kept_resist *resist = lane->kept_resist.block, beside = resist[a];
        resist[a] = resist[b];
        resist[b] = beside;
    }
    if (lane->kept_walls) {
        eng_lane_kept_spot *spots = lane->kept_spots.block, beside = spots[a];
        spots[a] = spots[b];
        spots[b] = beside;
    }
}

/// Contacts of spheres that have no slot any more are gone.
static void drop_gone(struct eng_lane *lane)
{
    eng_lane_kept *kept = lane->blocks.block;
    int count = 0;
    for (int i = 0; i < lane->kept_count; i++) {
        if (eng_lane_row_of(lane, kept[i].body[0]) == ENG_LANE_NO_ROW &&
            eng_lane_row_of(lane, kept[i].body[1]) == ENG_LANE_NO_ROW)
            continue;
        if (count != i)
            swap_kept(lane, count, i);
        count++;
    }
    lane->kept_count = count;
}

/// By the rows of owners; kept_start[row] = the first of a row.
void eng_lane_history_sort(struct eng_lane *lane)
{
    drop_gone(lane);
    eng_lane_kept *kept = lane->blocks.block;
    int *start = lane->kept_start.block, *place = lane->scratch.block;
    const int *row_of = lane->row_of.block;
    memset(start, 0, ((size_t)lane->rows + 2) * sizeof *start);
    for (int i = 0; i < lane->kept_count; i++) {
        put_owner_first(lane, i);
        start[row_of[kept[i].body[0]] + 2]++;
    }
    for (int row = 0; row < lane->rows; row++)
        start[row + 2] += start[row + 1];
    for (int i = 0; i < lane->kept_count; i++)
        place[i] = start[row_of[kept[i].body[0]] + 1]++;
    for (int i = 0; i < lane->kept_count; i++)
        while (place[i] != i) {
            int to = place[i];
            swap_kept(lane, i, to);
            place[i] = place[to];
            place[to] = to;
        }
}

/// Place in the history of a row and a partner of its chunk, of which `kept` has all; -1 for none.
static int find_kept(const struct eng_lane *lane, const eng_lane_chunk *chunk,
                     const eng_lane_kept *kept, int row, int partner)
{
    const int *start = lane->kept_start.block;
    int first = start[chunk->first_row];
    for (int i = start[row]; i < start[row + 1]; i++)
        if (kept[i - first].body[1] == partner)
            return i;
    return -1;
}

/// The same of a row and a later row or ghost.
static int history_of(const struct eng_lane *lane, const eng_lane_chunk *chunk,
                      const eng_lane_kept *kept, int row, int other)
{
    int index = other - lane->rows - 2;
    if (index < lane->plane_ghosts)
        return find_kept(lane, chunk, kept, row, eng_lane_body_of(lane, other));
    const eng_lane_ghost *ghost = (const eng_lane_ghost *)lane->ghosts.block + index;
    const eng_lane_kept_spot *spot = eng_lane_kept_of(lane, row, ghost->wall, ghost->nth);
    return spot != NULL ? (int)(spot - (const eng_lane_kept_spot *)lane->kept_spots.block) : -1;
}

/// Least size of the two bodies of a pair, m.
static double least_size(const struct eng_lane *lane, int row, int other)
{
    const cairn_world *world = lane->world;
    double size = 2.0 * lane->pass.constants[row][3];
    if (other < lane->rows)
        return fmin(size, 2.0 * lane->pass.constants[other][3]);
    return fmin(size,
                world->shapes[world->bodies[eng_lane_body_of(lane, other)].shape]->smallest_size);
}

/// What lasts as long as the list.
static void fill_lane(const struct eng_lane *lane, int i, const eng_lane_pair *pair,
                      eng_lane_block *block, int k)
{
    int j = (int)pair->j;
    const double(*constants)[4] = (const double(*)[4])lane->pass.constants;
    block->i8[k] = 8 * i;
    block->j8[k] = 8 * j;
    block->inverse_size[k] = (float)(1.0 / least_size(lane, i, j));
    block->radius_sum[k] = constants[i][3] + (j < lane->rows ? constants[j][3] : 0.0);
    eng_lane_pair_prepare(lane, &lane->pass.terms[pair->terms], i, j, block, k);
}

static void carry_resist(const eng_lane_kept_resist *from, eng_lane_resist *to, int k)
{
    for (int axis = 0; axis < 3; axis++) {
        to->rolling[axis][k] = from->rolling[axis];
        to->lag_rolling[axis][k] = from->lag_rolling[axis];
    }
    to->twisting[k] = from->twisting;
    to->lag_twisting[k] = from->lag_twisting;
    to->roll_slip = (unsigned char)(to->roll_slip | (from->rolls ? 1u : 0u) << k);
    to->twist_slip = (unsigned char)(to->twist_slip | (from->twists ? 1u : 0u) << k);
}

static void carry_over(const eng_lane_kept *from, eng_lane_block *to, int k)
{
    for (int axis = 0; axis < 3; axis++) {
        to->spring[axis][k] = from->spring[axis];
        to->lag_tangent[axis][k] = from->lag_tangent[axis];
    }
    to->lag_normal[k] = from->lag_normal;
    to->touch = (unsigned char)(to->touch | 1u << k);
    to->slip = (unsigned char)(to->slip | (from->slips ? 1u : 0u) << k);
}

static void carry_columns(const struct eng_lane *lane, const con_batch *batch, int from,
                          const eng_lane_block *to, int k)
{
    for (int row = 0; row < batch->kept_count && row < lane->kept_stride; row++)
        eng_lane_columns(lane, to)[row][k] = kept_columns_of(lane, from)[row];
}

static void clear_resist(eng_lane_resist *resist)
{
    memset(resist, 0, sizeof *resist);
    for (int k = 0; k < ENG_LANE_WIDTH; k++)
        resist->radius[k] = 1.0;
}

/// A block of rows that never touch.
static void clear_block(struct eng_lane *lane, eng_lane_block *block, int kept_count)
{
    eng_lane_resist *resist = eng_lane_resist_of(lane, block);
    memset(block, 0, sizeof *block);
    for (int k = 0; k < ENG_LANE_WIDTH; k++) {
        block->i8[k] = 8 * lane->rows;
        block->j8[k] = 8 * (lane->rows + 1);
    }
    if (resist != NULL)
        clear_resist(resist);
    // history is zero, and constants are harmless
    for (int row = 0; row < lane->column_rows; row++)
        for (int k = 0; k < ENG_LANE_WIDTH; k++)
            eng_lane_columns(lane, block)[row][k] = row < kept_count ? 0.0 : 1.0;
}

/// Notes how many blocks of its list are between a block's forces and the last body that needs
/// them.
static void note_window(const struct eng_lane *lane, eng_lane_chunk *chunk, int block, int last_row)
{
    int list = block >= chunk->far_block;
    const eng_lane_chunk *user = &lane->pass.chunks[last_row / lane->chunk_rows];
    int window = eng_lane_blocks_until(user, list) - eng_lane_block_number(chunk, block);
    chunk->window[list] = window > chunk->window[list] ? window : chunk->window[list];
}

/// Blocks of the sorted pairs of one surface and list; the last one is filled up.
static void fill_blocks(struct eng_lane *lane, eng_lane_chunk *chunk, const eng_lane_kept *kept,
                        const eng_lane_pair *pairs, int count, int index)
{
    eng_lane_ghost *ghosts = lane->ghosts.block;
    int begin = ((const int *)lane->kept_start.block)[chunk->first_row];
    for (int first = 0; first < count; first += ENG_LANE_WIDTH, index++) {
        eng_lane_block *block = &lane->pass.blocks[index];
        int last_row = chunk->end_row - 1;
        const con_batch *batch = lane->pass.terms[pairs[first].terms].batch;
        clear_block(lane, block, batch->kept_count);
        block->terms = pairs[first].terms;
        for (int k = 0; k < ENG_LANE_WIDTH && first + k < count; k++) {
            const eng_lane_pair *pair = &pairs[first + k];
            int i = chunk->first_row + (pair->i & ~ENG_LANE_FAR), j = (int)pair->j;
            fill_lane(lane, i, pair, block, k);
            if (j >= lane->rows)
                ghosts[j - lane->rows - 2].slot = index * ENG_LANE_WIDTH + k;
            else
                last_row = j > last_row ? j : last_row;
            int from = history_of(lane, chunk, kept, i, j);
            if (from < 0)
                continue;
            carry_over(&kept[from - begin], block, k);
            carry_columns(lane, batch, from, block, k);
            if (lane->has_resistance && lane->kept_moments)
                carry_resist((eng_lane_kept_resist *)lane->kept_resist.block + from,
                             eng_lane_resist_of(lane, block), k);
        }
        note_window(lane, chunk, index, last_row);
        chunk->slipping += block->slip != 0;
    }
}

static int key_of(const struct eng_lane *lane, const eng_lane_pair *pair)
{
    return pair->terms + (pair->i & ENG_LANE_FAR ? lane->terms_count : 0);
}

static int blocks_for(int pairs)
{
    return (pairs + ENG_LANE_WIDTH - 1) / ENG_LANE_WIDTH;
}

cairn_status eng_lane_pairs_sort(struct eng_lane *lane, eng_lane_range *range,
                                 eng_lane_chunk *chunk)
{
    int keys = 2 * lane->terms_count, count = chunk->contacts;
    int *ends = (int *)lane->counts.block + (range - lane->range) * (keys + 1);
    cairn_status status = base_array_reserve(&lane->world->allocator, &range->pairs,
                                             &range->pair_capacity, range->pair_count + count);
    if (status != CAIRN_OK)
        return status;
    eng_lane_pair *sorted = range->pairs + range->pair_count, *pairs = sorted - count;
    memset(ends, 0, ((size_t)keys + 1) * sizeof *ends);
    for (int i = 0; i < count; i++) {
        int j = (int)pairs[i].j;
        ends[key_of(lane, &pairs[i]) + 1]++;
        if (j < lane->rows && j / lane->chunk_rows > chunk->last_chunk)
            chunk->last_chunk = j / lane->chunk_rows;
    }
    for (int key = 0; key < keys; key++) {
        chunk->end_block += blocks_for(ends[key + 1]);
        if (key < lane->terms_count)
            chunk->far_block = chunk->end_block;
        chunk->end_segment += ends[key + 1] > 0;
        ends[key + 1] += ends[key];
    }
    for (int i = 0; i < count; i++)
        sorted[ends[key_of(lane, &pairs[i])]++] = pairs[i];
    if (count > 0)
        memcpy(pairs, sorted, (size_t)count * sizeof *pairs);
    return CAIRN_OK;
}

/// Segments and blocks of one chunk from its sorted pairs.
static void fill_chunk(struct eng_lane *lane, eng_lane_chunk *chunk, const eng_lane_kept *kept,
                       const eng_lane_pair *pairs)
{
    eng_lane_segment *segment = (eng_lane_segment *)lane->segments.block + chunk->first_segment;
    int block = chunk->first_block, count = chunk->contacts;
    chunk->first_far_segment = chunk->first_segment;
    for (int begin = 0, end; begin < count; begin = end, segment++) {
        int key = key_of(lane, &pairs[begin]);
        for (end = begin + 1; end < count && key_of(lane, &pairs[end]) == key;)
            end++;
        fill_blocks(lane, chunk, kept, pairs + begin, end - begin, block);
        int first = block;
        block += blocks_for(end - begin);
        *segment = (eng_lane_segment){key % lane->terms_count, first, block};
        chunk->first_far_segment += key < lane->terms_count;
    }
    chunk->contacts = 0;
}

/// Index of the first history entry of a chunk, or of the end.
static int first_kept(const struct eng_lane *lane, int chunk)
{
    const int *start = lane->kept_start.block;
    return chunk < lane->chunk_count ? start[lane->pass.chunks[chunk].first_row] : lane->kept_count;
}

/// Places of blocks, segments, ghosts and the pairs' walls from their numbers.
static void number_all(struct eng_lane *lane, int *segments, int *most_kept)
{
    int blocks = 0, ghosts = 0, before[2] = {0, 0};
    *segments = *most_kept = 0;
    for (int c = 0; c < lane->chunk_count; c++) {
        eng_lane_chunk *chunk = &lane->pass.chunks[c];
        int kept = first_kept(lane, c + 1) - first_kept(lane, c);
        memcpy(chunk->before, before, sizeof before);
        before[0] += chunk->far_block;
        before[1] += chunk->end_block - chunk->far_block;
        chunk->first_block = blocks;
        chunk->far_block += blocks;
        chunk->first_segment = *segments;
        chunk->first_ghost = ghosts;
        blocks = chunk->end_block += blocks;
        *segments = chunk->end_segment += *segments;
        ghosts = chunk->end_ghost += ghosts;
        *most_kept = kept > *most_kept ? kept : *most_kept;
    }
    lane->block_count = blocks;
}

/// Bytes from the begin of blocks of chunks [first, end) to their history, so that new blocks of a
/// chunk do not reach the history of later ones.
static size_t kept_offset(const struct eng_lane *lane, int first, int end)
{
    size_t most = 0;
    for (int c = first; c < end; c++) {
        int blocks = lane->pass.chunks[c].end_block - lane->pass.chunks[first].first_block;
        size_t used = (size_t)blocks * sizeof(eng_lane_block);
        size_t kept =
            (size_t)(first_kept(lane, c + 1) - first_kept(lane, first)) * sizeof(eng_lane_kept);
        most = used > kept && used - kept > most ? used - kept : most;
    }
    return most;
}

/// Places for the history within the blocks, such that ranges do not meet; false where there are
/// none: contacts whose bodies are far apart by now.
static bool place_apart(struct eng_lane *lane)
{
    for (int r = 0; r < lane->ranges; r++) {
        eng_lane_range *range = &lane->range[r];
        int first = lane->pass.chunks[range->first_chunk].first_block;
        int end = lane->pass.chunks[range->end_chunk - 1].end_block;
        int kept = first_kept(lane, range->end_chunk) - first_kept(lane, range->first_chunk);
        size_t offset = kept_offset(lane, range->first_chunk, range->end_chunk);
        range->kept_place = (size_t)first * sizeof(eng_lane_block) + offset;
        if (offset + (size_t)kept * sizeof(eng_lane_kept) >
            (size_t)(end - first) * sizeof(eng_lane_block))
            return false;
    }
    return true;
}

/// The history behind what blocks need; ranges are filled one after the other.
static void place_together(struct eng_lane *lane)
{
    size_t offset = kept_offset(lane, 0, lane->chunk_count);
    for (int r = 0; r < lane->ranges; r++)
        lane->range[r].kept_place =
            offset + (size_t)first_kept(lane, lane->range[r].first_chunk) * sizeof(eng_lane_kept);
}

static cairn_status reserve_blocks(struct eng_lane *lane, size_t kept_end, int segments,
                                   int most_kept)
{
    // one more, so that there is an address where there are none
    size_t blocks = (size_t)lane->block_count, bytes = (blocks + 1) * sizeof(eng_lane_block),
           aside = (size_t)(lane->ranges * most_kept) + 1;
    const struct {
        eng_lane_buffer *buffer;
        size_t bytes;
    } wanted[] = {
        {&lane->blocks, kept_end > bytes ? kept_end : bytes},
        {&lane->columns, blocks * (size_t)lane->column_rows * sizeof *lane->pass.columns},
        {&lane->resist, lane->has_resistance ? blocks * sizeof(eng_lane_resist) : 0},
        {&lane->segments, ((size_t)segments + 1) * sizeof(eng_lane_segment)},
        {&lane->kept_aside, aside * sizeof(eng_lane_kept)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        cairn_status status = eng_lane_reserve(lane, wanted[i].buffer, wanted[i].bytes);
        if (status != CAIRN_OK)
            return status;
    }
    lane->pass.blocks = lane->blocks.block;
    lane->pass.columns = lane->column_rows > 0 ? lane->columns.block : NULL;
    lane->pass.column_rows = lane->column_rows;
    lane->pass.resist = lane->has_resistance ? lane->resist.block : NULL;
    lane->pass.segments = lane->segments.block;
    return CAIRN_OK;
}

static bool is_plane_ghost(const struct eng_lane *lane, int row)
{
    return row >= lane->rows && row < lane->rows + 2 + lane->plane_ghosts;
}

/// The history of each chunk is put aside before blocks take its place.
static void fill_range(struct eng_lane *lane, int index)
{
    const eng_lane_range *range = &lane->range[index];
    size_t aside = lane->kept_aside.capacity / sizeof(eng_lane_kept) / (size_t)lane->ranges;
    eng_lane_kept *kept = (eng_lane_kept *)lane->kept_aside.block + (size_t)index * aside;
    const eng_lane_kept *from =
        (const eng_lane_kept *)(const void *)((const char *)lane->blocks.block + range->kept_place);
    eng_lane_pair *pairs = range->pairs;
    int ghosts = 0;
    for (int r = 0; r < index; r++)
        ghosts += lane->range[r].ghost_count;
    for (int i = 0; i < range->pair_count; i++)
        pairs[i].j += is_plane_ghost(lane, (int)pairs[i].j) ? (unsigned)ghosts : 0;
    for (int c = range->first_chunk; c < range->end_chunk; c++) {
        int count = first_kept(lane, c + 1) - first_kept(lane, c);
        int pair_count = lane->pass.chunks[c].contacts;
        if (count > 0)
            memcpy(kept, from, (size_t)count * sizeof *kept);
        fill_chunk(lane, &lane->pass.chunks[c], kept, pairs);
        pairs += pair_count;
        from += count;
    }
}

/// Moves the sorted history to the ranges' places, the last first: none is before where it was.
static void move_kept(struct eng_lane *lane)
{
    const eng_lane_kept *kept = lane->blocks.block;
    for (int r = lane->ranges - 1; r >= 0; r--) {
        const eng_lane_range *range = &lane->range[r];
        int first = first_kept(lane, range->first_chunk);
        size_t count = (size_t)(first_kept(lane, range->end_chunk) - first);
        if (count > 0)
            memmove((char *)lane->blocks.block + range->kept_place, kept + first,
                    count * sizeof *kept);
    }
}

static cairn_status fill_all(struct eng_lane *lane)
{
    int segments, most_kept;
    number_all(lane, &segments, &most_kept);
    bool apart = place_apart(lane);
    if (!apart)
        place_together(lane);
    size_t end = lane->range[0].kept_place + (size_t)lane->kept_count * sizeof(eng_lane_kept);
    cairn_status status = reserve_blocks(lane, apart ? 0 : end, segments, most_kept);
    if (status != CAIRN_OK)
        return status;
    move_kept(lane);
    if (apart)
        eng_lane_ranges_run(lane, fill_range);
    for (int r = 0; r < lane->ranges && !apart; r++)
        fill_range(lane, r);
    lane->kept_count = 0;
    lane->kept_walls = lane->kept_moments = false;
    lane->kept_stride = 0;
    return CAIRN_OK;
}

cairn_status eng_lane_blocks_make(struct eng_lane *lane)
{
    cairn_status status = fill_all(lane);
    if (status != CAIRN_OK)
        return status;
    eng_lane_ranges_balance(lane);
    return eng_lane_sides_make(lane);
}
