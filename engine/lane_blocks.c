// SPDX-License-Identifier: Apache-2.0
// Blocks of the spheres lane from its candidates: history carried over, force rows, incidence.
//
// Blocks of a new list take the place of the old ones. The old history is packed at the begin of
// the buffer, sorted by owners and moved to the end; new blocks grow towards it and use it up.
#include "engine/lane_data.h"

#include <string.h>

/// Bodies whose rows stay in a processor's second cache.
enum { ROWS_IN_CACHE = 20000 };

static void keep_lane(const struct eng_lane *lane, const eng_lane_block *block,
                      const eng_lane_hertz *hertz, int k, eng_lane_kept *to)
{
    *to = (eng_lane_kept){
        .body = {eng_lane_body_of(lane, eng_lane_row_a(block, k)),
                 eng_lane_body_of(lane, eng_lane_row_b(block, k))},
        .slope = hertz != NULL ? hertz->slope[k] : 0.0,
        .lag_normal = block->lag_normal[k],
        .slips = (block->slip >> k & 1) != 0,
    };
    for (int axis = 0; axis < 3; axis++) {
        to->spring[axis] = block->spring[axis][k];
        to->lag_tangent[axis] = block->lag_tangent[axis][k];
    }
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
    to->wall = ((const eng_lane_ghost *)lane->ghosts.block)[ghost].wall;
    to->spot = ((const eng_lane_touch *)lane->touches.block)[ghost - lane->plane_ghosts].now;
    to->spot.order = -1;
}

/// Space for what is kept beside eng_lane_kept.
static cairn_status reserve_kept(struct eng_lane *lane)
{
    size_t count = 0;
    for (int i = 0; i < lane->block_count && (lane->has_resistance || lane->has_shapes); i++)
        count += (size_t)__builtin_popcount(lane->pass.blocks[i].touch);
    cairn_status status = CAIRN_OK;
    if (lane->has_resistance)
        status = eng_lane_reserve(lane, &lane->kept_resist, count * sizeof(eng_lane_kept_resist));
    if (lane->has_shapes && status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->kept_spots, count * sizeof(eng_lane_kept_spot));
    return status;
}

cairn_status eng_lane_history_keep(struct eng_lane *lane)
{
    _Static_assert(sizeof(eng_lane_kept) * ENG_LANE_WIDTH <= sizeof(eng_lane_block), "in place");
    eng_lane_kept *kept = lane->blocks.block;
    int count = 0;
    lane->kept_count = 0;
    cairn_status status = reserve_kept(lane);
    if (status != CAIRN_OK)
        return status;
    eng_lane_kept_resist *kept_resist = lane->kept_resist.block;
    eng_lane_kept_spot *kept_spots = lane->kept_spots.block;
    for (int i = 0; i < lane->block_count; i++) {
        // its place may be written over
        const eng_lane_block block = lane->pass.blocks[i];
        const eng_lane_hertz *hertz = lane->pass.hertz != NULL ? &lane->pass.hertz[i] : NULL;
        for (unsigned bits = block.touch; bits != 0; bits &= bits - 1) {
            int k = __builtin_ctz(bits);
            if (lane->has_resistance)
                keep_resist(&lane->pass.resist[i], k, &kept_resist[count]);
            if (lane->has_shapes)
                keep_spot(lane, &block, k, &kept_spots[count]);
            keep_lane(lane, &block, hertz, k, &kept[count++]);
        }
    }
    lane->kept_count = count;
    lane->block_count = 0;
    return CAIRN_OK;
}

/// The body of the lower row comes first. A twist is the same seen from either side.
static void put_owner_first(const struct eng_lane *lane, int index)
{
    eng_lane_kept *kept = (eng_lane_kept *)lane->blocks.block + index;
    eng_lane_kept_resist *resist = lane->kept_resist.block;
    const int *row_of = lane->row_of.block;
    int a = kept->body[0], b = kept->body[1];
    if (eng_lane_is_wall(lane->world, b) || row_of[a] < row_of[b])
        return;
    kept->body[0] = b;
    kept->body[1] = a;
    for (int axis = 0; axis < 3; axis++) {
        kept->spring[axis] = -kept->spring[axis];
        kept->lag_tangent[axis] = -kept->lag_tangent[axis];
    }
    for (int axis = 0; axis < 3 && lane->has_resistance; axis++) {
        resist[index].rolling[axis] = -resist[index].rolling[axis];
        resist[index].lag_rolling[axis] = -resist[index].lag_rolling[axis];
    }
}

static void swap_kept(struct eng_lane *lane, int a, int b)
{
    eng_lane_kept *kept = lane->blocks.block, other = kept[a];
    kept[a] = kept[b];
    kept[b] = other;
    if (lane->has_resistance) {
        eng_lane_kept_resist *resist = lane->kept_resist.block, beside = resist[a];
        resist[a] = resist[b];
        resist[b] = beside;
    }
    if (lane->has_shapes) {
        eng_lane_kept_spot *spots = lane->kept_spots.block, beside = spots[a];
        spots[a] = spots[b];
        spots[b] = beside;
    }
}

/// By the rows of owners; kept_start[row] = the first of a row.
void eng_lane_history_sort(struct eng_lane *lane)
{
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

static const eng_lane_kept *find_kept(const struct eng_lane *lane, const eng_lane_kept *kept,
                                      int row, int partner)
{
    const int *start = lane->kept_start.block;
    for (int i = start[row]; i < start[row + 1]; i++)
        if (kept[i].body[1] == partner)
            return &kept[i];
    return NULL;
}

/// History of a row and a later row or ghost; NULL for none.
static const eng_lane_kept *history_of(const struct eng_lane *lane, const eng_lane_kept *kept,
                                       int row, int other)
{
    int index = other - lane->rows - 2;
    if (index < lane->plane_ghosts)
        return find_kept(lane, kept, row, eng_lane_body_of(lane, other));
    const eng_lane_ghost *ghost = (const eng_lane_ghost *)lane->ghosts.block + index;
    const eng_lane_kept_spot *spot = eng_lane_kept_of(lane, row, ghost->wall, ghost->nth);
    return spot != NULL ? kept + (spot - (const eng_lane_kept_spot *)lane->kept_spots.block) : NULL;
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

/// Coefficients of a pair, which last as long as the list.
static void fill_lane(const struct eng_lane *lane, int i, const eng_lane_pair *pair,
                      eng_lane_block *block, int k)
{
    const eng_lane_terms *terms = &lane->pass.terms[pair->terms];
    bool wall = (int)pair->j >= lane->rows;
    const double *a = lane->pass.constants[i];
    const double none[4] = {0.0, 0.0, 0.0, 0.0};
    const double *b = wall ? none : lane->pass.constants[pair->j];
    double mass = lane->pass.step / (a[0] + b[0]);
    double radius = wall ? a[3] : a[3] * b[3] / (a[3] + b[3]);
    double damping =
        terms->damping_viscous + terms->damping_mass * mass + terms->damping_root * sqrt(mass);
    block->i8[k] = 8 * i;
    block->j8[k] = 8 * (int)pair->j;
    block->inverse_size[k] = (float)(1.0 / least_size(lane, i, (int)pair->j));
    block->radius_sum[k] = a[3] + b[3];
    block->damping[k] = terms->law == ENG_LANE_HERTZ ? damping * sqrt(sqrt(radius)) : damping;
    eng_lane_hertz *hertz = eng_lane_hertz_of(lane, block);
    eng_lane_resist *resist = eng_lane_resist_of(lane, block);
    if (hertz != NULL)
        hertz->root_radius[k] = sqrt(radius);
    if (resist != NULL)
        resist->radius[k] = radius;
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

static void carry_over(const struct eng_lane *lane, const eng_lane_kept *from, eng_lane_block *to,
                       int k)
{
    eng_lane_hertz *hertz = eng_lane_hertz_of(lane, to);
    for (int axis = 0; axis < 3; axis++) {
        to->spring[axis][k] = from->spring[axis];
        to->lag_tangent[axis][k] = from->lag_tangent[axis];
    }
    to->lag_normal[k] = from->lag_normal;
    if (hertz != NULL)
        hertz->slope[k] = from->slope;
    to->touch = (unsigned char)(to->touch | 1u << k);
    to->slip = (unsigned char)(to->slip | (from->slips ? 1u : 0u) << k);
}

static void clear_resist(eng_lane_resist *resist)
{
    memset(resist, 0, sizeof *resist);
    for (int k = 0; k < ENG_LANE_WIDTH; k++)
        resist->radius[k] = 1.0;
}

/// A block of rows that never touch.
static void clear_block(struct eng_lane *lane, eng_lane_block *block)
{
    eng_lane_hertz *hertz = eng_lane_hertz_of(lane, block);
    eng_lane_resist *resist = eng_lane_resist_of(lane, block);
    memset(block, 0, sizeof *block);
    for (int k = 0; k < ENG_LANE_WIDTH; k++) {
        block->i8[k] = 8 * lane->rows;
        block->j8[k] = 8 * (lane->rows + 1);
    }
    if (resist != NULL)
        clear_resist(resist);
    if (hertz == NULL)
        return;
    memset(hertz, 0, sizeof *hertz);
    for (int k = 0; k < ENG_LANE_WIDTH; k++)
        hertz->root_radius[k] = 1.0;
}

/// Blocks of the sorted pairs of one surface and list; the last one is filled up.
static void fill_blocks(struct eng_lane *lane, const eng_lane_chunk *chunk,
                        const eng_lane_kept *kept, const eng_lane_pair *pairs, int count)
{
    eng_lane_ghost *ghosts = lane->ghosts.block;
    for (int first = 0; first < count; first += ENG_LANE_WIDTH) {
        eng_lane_block *block = &lane->pass.blocks[lane->block_count];
        clear_block(lane, block);
        for (int k = 0; k < ENG_LANE_WIDTH && first + k < count; k++) {
            const eng_lane_pair *pair = &pairs[first + k];
            int i = chunk->first_row + (pair->i & ~ENG_LANE_FAR), j = (int)pair->j;
            fill_lane(lane, i, pair, block, k);
            if (j >= lane->rows)
                ghosts[j - lane->rows - 2].slot = lane->block_count * ENG_LANE_WIDTH + k;
            const eng_lane_kept *from = history_of(lane, kept, i, j);
            if (from == NULL)
                continue;
            carry_over(lane, from, block, k);
            if (lane->has_resistance)
                carry_resist((eng_lane_kept_resist *)lane->kept_resist.block + (from - kept),
                             eng_lane_resist_of(lane, block), k);
        }
        lane->block_count++;
    }
}

static int key_of(const struct eng_lane *lane, const eng_lane_pair *pair)
{
    return pair->terms + (pair->i & ENG_LANE_FAR ? lane->terms_count : 0);
}

/// ends[key + 1] = pairs of the key, in the order of list A, list B.
static void count_keys(const struct eng_lane *lane, const eng_lane_pair *pairs, int count)
{
    int *ends = lane->counts.block, keys = 2 * lane->terms_count;
    memset(ends, 0, ((size_t)keys + 1) * sizeof *ends);
    for (int i = 0; i < count; i++)
        ends[key_of(lane, &pairs[i]) + 1]++;
}

/// Pairs of a chunk sorted by key; ends[key] = where those of the key end in `sorted`.
static void sort_pairs(struct eng_lane *lane, const eng_lane_pair *pairs, int count)
{
    int *ends = lane->counts.block, keys = 2 * lane->terms_count;
    eng_lane_pair *sorted = lane->sorted.block;
    count_keys(lane, pairs, count);
    for (int key = 0; key < keys; key++)
        ends[key + 1] += ends[key];
    for (int i = 0; i < count; i++)
        sorted[ends[key_of(lane, &pairs[i])]++] = pairs[i];
}

/// Segments and blocks of one chunk from its pairs.
static void fill_chunk(struct eng_lane *lane, eng_lane_chunk *chunk, const eng_lane_kept *kept,
                       const eng_lane_pair *pairs, int count, int *segments)
{
    eng_lane_segment *list = lane->segments.block;
    const int *ends = lane->counts.block;
    sort_pairs(lane, pairs, count);
    chunk->first_segment = *segments;
    chunk->first_block = lane->block_count;
    for (int key = 0, begin = 0; key < 2 * lane->terms_count; begin = ends[key], key++) {
        if (key == lane->terms_count)
            chunk->first_far_segment = *segments;
        if (ends[key] == begin)
            continue;
        int first = lane->block_count;
        fill_blocks(lane, chunk, kept, (eng_lane_pair *)lane->sorted.block + begin,
                    ends[key] - begin);
        list[(*segments)++] = (eng_lane_segment){key % lane->terms_count, first, lane->block_count};
    }
    chunk->end_segment = *segments;
    chunk->end_block = lane->block_count;
}

/// Numbers of a list that its arrays need.
typedef struct sizes {
    size_t blocks, segments, pairs; // pairs: of the largest chunk
    size_t kept;                    // bytes, where the packed history goes
} sizes;

/// New blocks of a chunk must not reach the history of the chunk.
static sizes sizes_of(const struct eng_lane *lane)
{
    const eng_lane_chunk *chunks = lane->chunks.block;
    const int *ends = lane->counts.block, *start = lane->kept_start.block;
    sizes s = {0};
    for (int c = 0, begin = 0; c < lane->chunk_count; begin = chunks[c].contacts, c++) {
        int count = chunks[c].contacts - begin;
        count_keys(lane, lane->pairs + begin, count);
        for (int key = 0; key < 2 * lane->terms_count; key++) {
            s.blocks += (size_t)(ends[key + 1] + ENG_LANE_WIDTH - 1) / ENG_LANE_WIDTH;
            s.segments += ends[key + 1] > 0;
        }
        s.pairs = (size_t)count > s.pairs ? (size_t)count : s.pairs;
        size_t used = s.blocks * sizeof(eng_lane_block);
        size_t before = (size_t)start[chunks[c].first_row] * sizeof(eng_lane_kept);
        s.kept = used > before && used - before > s.kept ? used - before : s.kept;
    }
    return s;
}

static cairn_status reserve_blocks(struct eng_lane *lane, const sizes *s)
{
    size_t kept = s->kept + (size_t)lane->kept_count * sizeof(eng_lane_kept);
    size_t bytes = s->blocks * sizeof(eng_lane_block);
    const struct {
        eng_lane_buffer *buffer;
        size_t bytes;
    } wanted[] = {
        {&lane->blocks,   kept > bytes ? kept : bytes                                   },
        {&lane->hertz,    lane->has_hertz ? s->blocks * sizeof(eng_lane_hertz) : 0      },
        {&lane->resist,   lane->has_resistance ? s->blocks * sizeof(eng_lane_resist) : 0},
        {&lane->segments, (s->segments + 1) * sizeof(eng_lane_segment)                  },
        {&lane->sorted,   (s->pairs + 1) * sizeof(eng_lane_pair)                        },
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        cairn_status status = eng_lane_reserve(lane, wanted[i].buffer, wanted[i].bytes);
        if (status != CAIRN_OK)
            return status;
    }
    lane->pass.blocks = lane->blocks.block;
    lane->pass.hertz = lane->has_hertz ? lane->hertz.block : NULL;
    lane->pass.resist = lane->has_resistance ? lane->resist.block : NULL;
    lane->pass.segments = lane->segments.block;
    return CAIRN_OK;
}

static cairn_status fill_all(struct eng_lane *lane)
{
    size_t keys = 2 * (size_t)lane->terms_count;
    cairn_status status = eng_lane_reserve(lane, &lane->counts, (keys + 1) * sizeof(int));
    if (status != CAIRN_OK)
        return status;
    sizes s = sizes_of(lane);
    status = reserve_blocks(lane, &s);
    if (status != CAIRN_OK)
        return status;
    void *kept = NULL;
    if (lane->kept_count > 0) {
        kept = (char *)lane->blocks.block + s.kept;
        memmove(kept, lane->blocks.block, (size_t)lane->kept_count * sizeof(eng_lane_kept));
    }
    eng_lane_chunk *chunks = lane->chunks.block;
    for (int c = 0, begin = 0, segments = 0; c < lane->chunk_count; c++) {
        int end = chunks[c].contacts;
        fill_chunk(lane, &chunks[c], kept, lane->pairs + begin, end - begin, &segments);
        chunks[c].contacts = 0;
        begin = end;
    }
    lane->kept_count = 0;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- force rows

static int range_of(const struct eng_lane *lane, int row)
{
    return (int)((int64_t)(row / lane->chunk_rows) * lane->ranges / lane->chunk_count);
}

/// Block that a range begins with.
static int range_begin(const struct eng_lane *lane, int range)
{
    int chunk = (int)(((int64_t)range * lane->chunk_count + lane->ranges - 1) / lane->ranges);
    return ((const eng_lane_chunk *)lane->chunks.block)[chunk].first_block;
}

/// Chunks that a pair of an earlier range acts on wait until all ranges are done.
static void defer(struct eng_lane *lane)
{
    for (int i = 0; i < lane->block_count && lane->ranges > 1; i++) {
        const eng_lane_block *block = &lane->pass.blocks[i];
        for (int k = 0; k < ENG_LANE_WIDTH; k++) {
            int a = eng_lane_row_a(block, k), b = eng_lane_row_b(block, k);
            if (b < lane->rows && range_of(lane, a) != range_of(lane, b))
                lane->pass.chunks[b / lane->chunk_rows].waits = true;
        }
    }
}

/// Whether a block's forces are read after its range is done.
static bool forces_last(const struct eng_lane *lane, const eng_lane_block *block)
{
    for (int k = 0; k < ENG_LANE_WIDTH && lane->ranges > 1; k++) {
        int a = eng_lane_row_a(block, k), b = eng_lane_row_b(block, k);
        if (a < lane->rows && (lane->pass.chunks[a / lane->chunk_rows].waits ||
                               (b < lane->rows && lane->pass.chunks[b / lane->chunk_rows].waits)))
            return true;
    }
    return false;
}

/// How many blocks are between a force and the last body that needs it.
static int live_blocks(const struct eng_lane *lane)
{
    const eng_lane_chunk *chunks = lane->chunks.block;
    int most = 1;
    for (int i = 0; i < lane->block_count; i++) {
        const eng_lane_block *block = &lane->pass.blocks[i];
        if (forces_last(lane, block))
            continue;
        int last = 0;
        for (int k = 0; k < ENG_LANE_WIDTH; k++) {
            int a = eng_lane_row_a(block, k), b = eng_lane_row_b(block, k);
            last = a < lane->rows && a > last ? a : last;
            last = b < lane->rows && b > last ? b : last;
        }
        int window = chunks[last / lane->chunk_rows].end_block - i;
        most = window > most ? window : most;
    }
    return most;
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

/// Force rows: a ring for each range, so that they stay in the cache, and lasting ones for blocks
/// whose forces are read after the range.
static cairn_status place_force_rows(struct eng_lane *lane)
{
    int count = 0;
    lane->ring = live_blocks(lane);
    for (int i = 0; i < lane->block_count; i++)
        count += forces_last(lane, &lane->pass.blocks[i]);
    cairn_status status = eng_lane_reserve(lane, &lane->lasting, ((size_t)count + 1) * sizeof(int));
    if (status != CAIRN_OK)
        return status;
    int *lasting = lane->lasting.block, first_lasting = lane->ranges * lane->ring;
    count = 0;
    for (int range = 0; range < lane->ranges; range++) {
        int begin = range_begin(lane, range);
        int end = range + 1 < lane->ranges ? range_begin(lane, range + 1) : lane->block_count;
        for (int i = begin; i < end; i++) {
            int place = range * lane->ring + (i - begin) % lane->ring;
            if (forces_last(lane, &lane->pass.blocks[i])) {
                place = first_lasting + count;
                lasting[count++] = i;
            }
            lane->pass.blocks[i].force_row = place * ENG_LANE_WIDTH;
        }
    }
    lane->zero_row = (first_lasting + count) * ENG_LANE_WIDTH;
    size_t rows = (size_t)lane->zero_row + 1;
    status = eng_lane_reserve(lane, &lane->force, rows * sizeof(double[8]));
    if (status != CAIRN_OK)
        return status;
    lane->pass.force = lane->force.block;
    memset(lane->pass.force, 0, rows * sizeof *lane->pass.force);
    return place_couples(lane);
}

int eng_lane_slot_of(const struct eng_lane *lane, int row, int entry)
{
    int place = entry / 8 / ENG_LANE_WIDTH, k = entry / 8 % ENG_LANE_WIDTH;
    int first_lasting = lane->ranges * lane->ring;
    if (entry / 8 == lane->zero_row)
        return -1;
    if (place >= first_lasting)
        return ((const int *)lane->lasting.block)[place - first_lasting] * ENG_LANE_WIDTH + k;
    // the last block before the end of the row's chunk that has this place
    int range = place / lane->ring, begin = range_begin(lane, range);
    int last = lane->pass.chunks[row / lane->chunk_rows].end_block - begin - 1;
    int back = (last - place % lane->ring) % lane->ring;
    return (begin + last - back) * ENG_LANE_WIDTH + k;
}

// ---------------------------------------------------------------- incidence

/// Counts each side of each pair of list A or B that is a body in `next`, or writes it there.
static void each_side(const struct eng_lane *lane, bool far, int *next, int *list)
{
    const eng_lane_chunk *chunks = lane->chunks.block;
    const eng_lane_segment *segments = lane->segments.block;
    for (int c = 0; c < lane->chunk_count; c++) {
        int begin = far ? chunks[c].first_far_segment : chunks[c].first_segment;
        int end = far ? chunks[c].end_segment : chunks[c].first_far_segment;
        if (begin == end)
            continue;
        for (int slot = segments[begin].first_block * ENG_LANE_WIDTH;
             slot < segments[end - 1].end_block * ENG_LANE_WIDTH; slot++) {
            const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
            int k = slot % ENG_LANE_WIDTH, place = far ? slot : block->force_row + k;
            int sides[2] = {eng_lane_row_a(block, k), eng_lane_row_b(block, k)};
            for (int side = 0; side < 2; side++)
                if (sides[side] < lane->rows) {
                    int at = next[sides[side]]++;
                    if (list != NULL)
                        list[at] = 8 * place + side;
                }
        }
    }
}

/// Pairs of each body, in the order of blocks.
static cairn_status fill_sides(struct eng_lane *lane, bool far, int *start, eng_lane_buffer *buffer)
{
    int *next = lane->scratch.block, least = far ? 0 : ENG_LANE_PADDED;
    memset(next, 0, (size_t)lane->rows * sizeof *next);
    each_side(lane, far, next, NULL);
    start[0] = 0;
    for (int row = 0; row < lane->rows; row++) {
        start[row + 1] = start[row] + (next[row] > least ? next[row] : least);
        next[row] = start[row];
    }
    cairn_status status =
        eng_lane_reserve(lane, buffer, ((size_t)start[lane->rows] + 1) * sizeof(int));
    if (status != CAIRN_OK)
        return status;
    int *list = buffer->block;
    for (int k = 0; k < start[lane->rows]; k++)
        list[k] = 8 * lane->zero_row;
    each_side(lane, far, next, list);
    return CAIRN_OK;
}

/// Most rows between the bodies of a pair, where rows do not stay in the cache; 0 elsewhere.
static int reach_of(const struct eng_lane *lane)
{
    int most = 0;
    if (lane->rows <= ROWS_IN_CACHE)
        return 0;
    for (int i = 0; i < lane->block_count; i++)
        for (int k = 0; k < ENG_LANE_WIDTH; k++) {
            const eng_lane_block *block = &lane->pass.blocks[i];
            int row = eng_lane_row_b(block, k), way = row - eng_lane_row_a(block, k);
            most = row < lane->rows && way > most ? way : most;
        }
    return most + 2 * lane->chunk_rows;
}

cairn_status eng_lane_blocks_make(struct eng_lane *lane)
{
    cairn_status status = fill_all(lane);
    if (status != CAIRN_OK)
        return status;
    defer(lane);
    status = place_force_rows(lane);
    if (status == CAIRN_OK)
        status = fill_sides(lane, false, lane->near_start.block, &lane->near_list);
    if (status == CAIRN_OK)
        status = fill_sides(lane, true, lane->far_start.block, &lane->far_list);
    lane->pass.near_start = lane->near_start.block;
    lane->pass.near = lane->near_list.block;
    lane->pass.far_start = lane->far_start.block;
    lane->pass.far = lane->far_list.block;
    lane->pass.reach = reach_of(lane);
    lane->pass.row_count = lane->rows;
    return status;
}
