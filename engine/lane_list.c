// SPDX-License-Identifier: Apache-2.0
// Pair list of the spheres lane: cells, sorted rows, half list in blocks, history carried over.
#include "engine/lane_data.h"

#include <string.h>

/// Bodies whose rows stay in a processor's second cache.
enum { ROWS_IN_CACHE = 20000 };

typedef struct grid {
    double low[3], inverse; // m, 1/m
    int axis[3];            // slowest first
    int count[3];           // in that order
} grid;

/// Bounds of the rows; differences of coordinates stay finite.
static void bounds_of(const struct eng_lane *lane, double low[3], double high[3])
{
    const double far = 1e150;
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (int row = 0; row < lane->rows; row++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], lane->pass.X[row][k]);
            high[k] = fmax(high[k], lane->pass.X[row][k]);
        }
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(fmax(low[k], -far), far);
        high[k] = fmax(fmin(high[k], far), low[k]);
    }
}

/// Cells no smaller than the reach of a pair, at most four a row on the whole; the longest axis is
/// the slowest, so that pairs stay close in memory.
static grid grid_of(const struct eng_lane *lane)
{
    grid g;
    double high[3], size = 2.0 * lane->largest + lane->skin;
    bounds_of(lane, g.low, high);
    for (int k = 0; k < 3; k++)
        g.axis[k] = k;
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++) {
            int a = g.axis[k], b = g.axis[k + 1];
            if (high[b] - g.low[b] > high[a] - g.low[a]) {
                g.axis[k] = b;
                g.axis[k + 1] = a;
            }
        }
    for (;; size *= 1.3) {
        double cells = 1.0;
        for (int k = 0; k < 3; k++)
            cells *= floor((high[g.axis[k]] - g.low[g.axis[k]]) / size) + 1.0;
        if (cells <= 4.0 * lane->rows + 64.0)
            break;
    }
    g.inverse = 1.0 / size;
    for (int k = 0; k < 3; k++)
        g.count[k] = (int)((high[g.axis[k]] - g.low[g.axis[k]]) * g.inverse) + 1;
    return g;
}

static int cell_at(const grid *g, const double X[4])
{
    int cell = 0;
    for (int k = 0; k < 3; k++) {
        int a = g->axis[k], last = g->count[k] - 1;
        double at = (X[a] - g->low[a]) * g->inverse;
        cell = cell * g->count[k] + (at < last ? (at > 0.0 ? (int)at : 0) : last);
    }
    return cell;
}

/// Counting sort: order[new row] = old row, cell_of[old row].
static cairn_status sort_rows(struct eng_lane *lane, const grid *g)
{
    int n = lane->rows, cells = g->count[0] * g->count[1] * g->count[2];
    cairn_status status =
        eng_lane_reserve(lane, &lane->cell_start, ((size_t)cells + 2) * sizeof(int));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->cell_of, (size_t)n * sizeof(int));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->order, (size_t)n * sizeof(int));
    if (status != CAIRN_OK)
        return status;
    int *start = lane->cell_start.block, *cell = lane->cell_of.block, *order = lane->order.block;
    memset(start, 0, ((size_t)cells + 2) * sizeof *start);
    for (int row = 0; row < n; row++) {
        cell[row] = cell_at(g, lane->pass.X[row]);
        start[cell[row] + 2]++;
    }
    for (int i = 0; i < cells; i++)
        start[i + 2] += start[i + 1];
    for (int row = 0; row < n; row++)
        order[start[cell[row] + 1]++] = row;
    return CAIRN_OK;
}

static double wall_distance(const eng_lane_wall *wall, const double X[4])
{
    return vec3_dot(wall->now.normal, vec3_sub(vec3_from(X), wall->now.point));
}

static int count_ghosts(const struct eng_lane *lane)
{
    const eng_lane_wall *walls = lane->walls.block;
    int count = 0;
    for (int row = 0; row < lane->rows; row++)
        for (int w = 0; w < lane->wall_count; w++)
            count += lane->pass.constants[row][0] != 0.0 &&
                     wall_distance(&walls[w], lane->pass.X[row]) - lane->pass.constants[row][3] <
                         lane->skin;
    return count;
}

cairn_status eng_lane_state_reserve(struct eng_lane *lane, eng_lane_state *state, int ghosts)
{
    size_t n = (size_t)lane->rows, all = n + 2 + (size_t)ghosts + ENG_LANE_WIDTH;
    size_t groups = (n + ENG_LANE_WIDTH - 1) / ENG_LANE_WIDTH;
    cairn_status status = eng_lane_reserve(lane, &state->X, all * sizeof(double[4]));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &state->V, all * sizeof(double[8]));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &state->constants, n * sizeof(double[4]));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &state->turn, groups * sizeof(double[4][8]));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &state->reference, n * sizeof(double[4]));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &state->id, n * sizeof(int));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &state->near_start, (n + 1) * sizeof(int));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &state->far_start, (n + 1) * sizeof(int));
    return status;
}

void eng_lane_state_use(struct eng_lane *lane, const eng_lane_state *state)
{
    lane->pass.X = state->X.block;
    lane->pass.V = state->V.block;
    lane->pass.constants = state->constants.block;
    lane->pass.turn = state->turn.block;
    lane->pass.blocks = state->blocks.block;
    lane->pass.near_start = state->near_start.block;
    lane->pass.near = state->near.block;
    lane->pass.far_start = state->far_start.block;
    lane->pass.far = state->far.block;
    // rows that padding lanes of blocks point to, and those that fill up the last group
    memset(lane->pass.X[lane->rows], 0, 2 * sizeof *lane->pass.X);
    memset(lane->pass.V[lane->rows], 0, 2 * sizeof *lane->pass.V);
    lane->pass.X[lane->rows + 1][0] = 1.0;
}

/// Rows go to their new places in fresh arrays.
static void permute(struct eng_lane *lane)
{
    const int *order = lane->order.block;
    const eng_lane_state *from = &lane->before, *to = &lane->now;
    const double(*X)[4] = from->X.block, (*V)[8] = from->V.block;
    const double(*constants)[4] = from->constants.block, (*turn)[4][8] = from->turn.block;
    const int *id = from->id.block;
    double(*reference)[4] = to->reference.block, (*turn_to)[4][8] = to->turn.block;
    int *row_of = lane->row_of.block;
    for (int row = 0; row < lane->rows; row++) {
        int old = order[row];
        memcpy(lane->pass.X[row], X[old], sizeof *X);
        memcpy(reference[row], X[old], sizeof *X);
        memcpy(lane->pass.V[row], V[old], sizeof *V);
        memcpy(lane->pass.constants[row], constants[old], sizeof *constants);
        for (int k = 0; k < 4; k++)
            turn_to[row / ENG_LANE_WIDTH][k][row % ENG_LANE_WIDTH] =
                turn[old / ENG_LANE_WIDTH][k][old % ENG_LANE_WIDTH];
        ((int *)to->id.block)[row] = id[old];
        row_of[id[old]] = row;
    }
}

static cairn_status add_pair(struct eng_lane *lane, int *count, eng_lane_pair pair)
{
    if (*count == lane->pair_capacity) {
        cairn_status status = base_array_reserve(&lane->world->allocator, &lane->pairs,
                                                 &lane->pair_capacity, *count + 1);
        if (status != CAIRN_OK)
            return status;
    }
    lane->pairs[(*count)++] = pair;
    return CAIRN_OK;
}

/// Surface of two bodies, and whether their gap asks for list B.
static int key_of(const struct eng_lane *lane, int body_a, int body_b, bool far)
{
    const cairn_world *world = lane->world;
    if (lane->terms_count == 1)
        return far ? 1 : 0;
    int surface = (int)(eng_surface_of(world, body_a, body_b) - world->surfaces);
    return surface + (far ? lane->terms_count : 0);
}

/// Pairs of one row with later rows of a run of cells.
static cairn_status pair_with(struct eng_lane *lane, int row, int begin, int end, int *count)
{
    const double *X = lane->pass.X[row], *own = lane->pass.constants[row];
    const int *id = eng_lane_ids(lane);
    for (int other = begin > row ? begin : row + 1; other < end; other++) {
        const double *Y = lane->pass.X[other], *c = lane->pass.constants[other];
        double x = Y[0] - X[0], y = Y[1] - X[1], z = Y[2] - X[2];
        double square = x * x + y * y + z * z, sum = own[3] + c[3];
        double reach = sum + lane->skin, near = sum + lane->near;
        if (square >= reach * reach || (own[0] == 0.0 && c[0] == 0.0))
            continue;
        int key = key_of(lane, id[row], id[other], square >= near * near);
        cairn_status status = add_pair(lane, count, (eng_lane_pair){row, other, key});
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

/// Pairs of one row with later rows: those of its own cell and of half of the cells around it.
static cairn_status pair_row(struct eng_lane *lane, const grid *g, int row, int *count)
{
    const int *start = lane->cell_start.block, *cells = lane->cell_of.block;
    const int *order = lane->order.block;
    int cell = cells[order[row]], last = g->count[2];
    int c = cell % last, b = cell / last % g->count[1], a = cell / last / g->count[1];
    int low = c > 0 ? c - 1 : 0, high = c < last - 1 ? c + 1 : c;
    for (int da = 0; da <= 1; da++)
        for (int db = da == 0 ? 0 : -1; db <= 1; db++) {
            if (a + da >= g->count[0] || b + db < 0 || b + db >= g->count[1])
                continue;
            int line = ((a + da) * g->count[1] + b + db) * last;
            cairn_status status =
                pair_with(lane, row, start[line + low], start[line + high + 1], count);
            if (status != CAIRN_OK)
                return status;
        }
    return CAIRN_OK;
}

/// Ghosts of one row, and its pairs with them.
static cairn_status pair_walls(struct eng_lane *lane, int row, int *count, int *ghosts)
{
    const eng_lane_wall *walls = lane->walls.block;
    eng_lane_ghost *list = lane->ghosts.block;
    const double *constants = lane->pass.constants[row];
    if (constants[0] == 0.0)
        return CAIRN_OK;
    for (int w = 0; w < lane->wall_count; w++) {
        double gap = wall_distance(&walls[w], lane->pass.X[row]) - constants[3];
        if (!(gap < lane->skin))
            continue;
        int key = key_of(lane, eng_lane_ids(lane)[row], walls[w].body, gap >= lane->near);
        eng_lane_pair pair = {row, lane->rows + 2 + *ghosts, key};
        cairn_status status = add_pair(lane, count, pair);
        if (status != CAIRN_OK)
            return status;
        list[(*ghosts)++] = (eng_lane_ghost){row, w, -1};
    }
    return CAIRN_OK;
}

/// Pairs of a chunk sorted by key; counts[key] = where those of the key end in `sorted`.
static void sort_pairs(struct eng_lane *lane, const eng_lane_pair *pairs, int count)
{
    int *ends = lane->counts.block, keys = 2 * lane->terms_count;
    eng_lane_pair *sorted = lane->sorted.block;
    memset(ends, 0, ((size_t)keys + 1) * sizeof *ends);
    for (int i = 0; i < count; i++)
        ends[pairs[i].key + 1]++;
    for (int key = 0; key < keys; key++)
        ends[key + 1] += ends[key];
    for (int i = 0; i < count; i++)
        sorted[ends[pairs[i].key]++] = pairs[i];
}

/// Slot of the pair in the list before, -1 for none; `flip` when its bodies were the other way
/// round.
static int find_before(const struct eng_lane *lane, const eng_lane_pair *pair, bool *flip)
{
    const eng_lane_state *old = &lane->before;
    const int *order = lane->order.block,
              *starts[2] = {old->near_start.block, old->far_start.block};
    const int *lists[2] = {old->near_slots.block, old->far_slots.block};
    const eng_lane_block *blocks = old->blocks.block;
    int row = order[pair->i];
    bool wall = pair->j >= lane->rows;
    int partner = wall ? ((eng_lane_ghost *)lane->ghosts.block)[pair->j - lane->rows - 2].wall
                       : order[pair->j];
    for (int list = 0; list < 2; list++)
        for (int k = starts[list][row]; k < starts[list][row + 1]; k++) {
            int slot = lists[list][k] / 8;
            bool is_b = lists[list][k] & 1;
            if (lists[list][k] < 0)
                continue;
            const eng_lane_block *block = &blocks[slot / ENG_LANE_WIDTH];
            int lane_index = slot % ENG_LANE_WIDTH;
            int other =
                is_b ? eng_lane_row_a(block, lane_index) : eng_lane_row_b(block, lane_index);
            // a ghost says its wall
            int behind = other - lane->rows - 2;
            if (behind >= 0 ? wall && lane->ghost_walls_before[behind] == partner
                            : !wall && other == partner) {
                *flip = is_b;
                return slot;
            }
        }
    return -1;
}

static void carry_over(const struct eng_lane *lane, const eng_lane_pair *pair, eng_lane_block *to,
                       int k)
{
    bool flip = false;
    int slot = lane->has_history ? find_before(lane, pair, &flip) : -1;
    if (slot < 0)
        return;
    const eng_lane_block *from =
        (const eng_lane_block *)lane->before.blocks.block + slot / ENG_LANE_WIDTH;
    int old = slot % ENG_LANE_WIDTH;
    double sign = flip ? -1.0 : 1.0;
    for (int axis = 0; axis < 3; axis++) {
        to->spring[axis][k] = sign * from->spring[axis][old];
        to->lag_tangent[axis][k] = sign * from->lag_tangent[axis][old];
    }
    to->lag_normal[k] = from->lag_normal[old];
    to->slope[k] = from->slope[old];
    to->touch = (unsigned char)(to->touch | ((from->touch >> old & 1) << k));
    to->slip = (unsigned char)(to->slip | ((from->slip >> old & 1) << k));
}

/// Coefficients of a pair, which last as long as the list.
static void fill_lane(const struct eng_lane *lane, const eng_lane_pair *pair, eng_lane_block *block,
                      int k)
{
    const eng_lane_terms *all = lane->terms.block;
    const eng_lane_terms *terms = &all[pair->key % lane->terms_count];
    bool wall = pair->j >= lane->rows;
    const double *a = lane->pass.constants[pair->i];
    const double none[4] = {0.0, 0.0, 0.0, 0.0};
    const double *b = wall ? none : lane->pass.constants[pair->j];
    double mass = lane->pass.step / (a[0] + b[0]);
    double radius = wall ? a[3] : a[3] * b[3] / (a[3] + b[3]);
    double least = 2.0 * (wall ? a[3] : fmin(a[3], b[3]));
    double damping =
        terms->damping_viscous + terms->damping_mass * mass + terms->damping_root * sqrt(mass);
    block->i8[k] = 8 * pair->i;
    block->j8[k] = 8 * pair->j;
    block->inverse_size[k] = (float)(1.0 / least);
    block->radius_sum[k] = a[3] + b[3];
    block->damping[k] = terms->law == ENG_LANE_HERTZ ? damping * sqrt(sqrt(radius)) : damping;
    block->root_radius[k] = sqrt(radius);
    carry_over(lane, pair, block, k);
}

/// Blocks of the sorted pairs of one key; the last block is filled up with rows that never touch.
static void fill_blocks(struct eng_lane *lane, const eng_lane_pair *pairs, int count)
{
    for (int first = 0; first < count; first += ENG_LANE_WIDTH) {
        eng_lane_block *block = &lane->pass.blocks[lane->block_count];
        memset(block, 0, sizeof *block);
        for (int k = 0; k < ENG_LANE_WIDTH; k++) {
            block->i8[k] = 8 * lane->rows;
            block->j8[k] = 8 * (lane->rows + 1);
            block->root_radius[k] = 1.0;
            if (first + k >= count)
                continue;
            fill_lane(lane, &pairs[first + k], block, k);
            if (eng_lane_row_b(block, k) >= lane->rows)
                ((eng_lane_ghost *)lane->ghosts.block)[eng_lane_row_b(block, k) - lane->rows - 2]
                    .slot = lane->block_count * ENG_LANE_WIDTH + k;
        }
        lane->block_count++;
    }
}

/// Segments and blocks of one chunk from its pairs.
static void fill_chunk(struct eng_lane *lane, eng_lane_chunk *chunk, const eng_lane_pair *pairs,
                       int count, int *segments)
{
    eng_lane_segment *list = lane->segments.block;
    const int *ends = lane->counts.block;
    sort_pairs(lane, pairs, count);
    chunk->first_segment = *segments;
    for (int key = 0, begin = 0; key < 2 * lane->terms_count; begin = ends[key], key++) {
        if (key == lane->terms_count)
            chunk->first_far_segment = *segments;
        if (ends[key] == begin)
            continue;
        int first = lane->block_count;
        fill_blocks(lane, (eng_lane_pair *)lane->sorted.block + begin, ends[key] - begin);
        list[(*segments)++] = (eng_lane_segment){key % lane->terms_count, first, lane->block_count};
    }
    chunk->end_segment = *segments;
}

/// Calls `visit` for each side of each pair of list A or B that is a body.
static void each_side(const struct eng_lane *lane, bool far, int *next, int *list, int *slots)
{
    const eng_lane_chunk *chunks = lane->chunks.block;
    const eng_lane_segment *segments = lane->segments.block;
    for (int c = 0; c < lane->chunk_count; c++) {
        int begin = far ? chunks[c].first_far_segment : chunks[c].first_segment;
        int end = far ? chunks[c].end_segment : chunks[c].first_far_segment;
        for (int s = begin; s < end; s++)
            for (int slot = segments[s].first_block * ENG_LANE_WIDTH;
                 slot < segments[s].end_block * ENG_LANE_WIDTH; slot++) {
                const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
                int sides[2] = {eng_lane_row_a(block, slot % ENG_LANE_WIDTH),
                                eng_lane_row_b(block, slot % ENG_LANE_WIDTH)};
                for (int side = 0; side < 2; side++)
                    if (sides[side] < lane->rows) {
                        int at = next[sides[side]]++;
                        if (list == NULL)
                            continue;
                        list[at] = 8 * (block->force_row + slot % ENG_LANE_WIDTH) + side;
                        slots[at] = 8 * slot + side;
                    }
            }
    }
}

/// Force rows of each body, in the order of blocks.
static cairn_status fill_sides(struct eng_lane *lane, bool far, eng_lane_buffer *start_buffer,
                               eng_lane_buffer *list_buffer, eng_lane_buffer *slot_buffer)
{
    int *start = start_buffer->block, *next = lane->cell_of.block,
        least = far ? 0 : ENG_LANE_PADDED;
    memset(next, 0, (size_t)lane->rows * sizeof *next);
    each_side(lane, far, next, NULL, NULL);
    start[0] = 0;
    for (int row = 0; row < lane->rows; row++) {
        start[row + 1] = start[row] + (next[row] > least ? next[row] : least);
        next[row] = start[row];
    }
    size_t bytes = ((size_t)start[lane->rows] + 1) * sizeof(int);
    cairn_status status = eng_lane_reserve(lane, list_buffer, bytes);
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, slot_buffer, bytes);
    if (status != CAIRN_OK)
        return status;
    int *list = list_buffer->block, *slots = slot_buffer->block;
    for (int k = 0; k < start[lane->rows]; k++) {
        list[k] = 8 * lane->zero_row;
        slots[k] = -1;
    }
    each_side(lane, far, next, list, slots);
    return CAIRN_OK;
}

static int range_of(const struct eng_lane *lane, int row)
{
    return (int)((int64_t)(row / ENG_LANE_CHUNK) * lane->ranges / lane->chunk_count);
}

/// Bodies that a pair of an earlier range acts on wait until all ranges are done.
static void defer(struct eng_lane *lane)
{
    memset(lane->pass.deferred, 0, (size_t)lane->rows);
    memset(lane->pass.far_touched, 0, lane->far_touched.capacity);
    for (int i = 0; i < lane->block_count && lane->ranges > 1; i++) {
        const eng_lane_block *block = &lane->pass.blocks[i];
        for (int k = 0; k < ENG_LANE_WIDTH; k++)
            if (eng_lane_row_b(block, k) < lane->rows &&
                range_of(lane, eng_lane_row_a(block, k)) !=
                    range_of(lane, eng_lane_row_b(block, k)))
                lane->pass.deferred[eng_lane_row_b(block, k)] = 1;
    }
}

/// Width of the layer that is searched, and of the part that is computed in every step: wider where
/// bodies are fast.
static void choose_skin(struct eng_lane *lane)
{
    double way = lane->fastest * lane->pass.step, radius = lane->largest;
    lane->skin = fmin(fmax(0.2 * radius, 250.0 * way), 0.45 * radius);
    lane->near = fmin(fmax(0.004 * radius, 10.0 * way), 0.5 * lane->skin);
}

/// All pairs, chunk by chunk; pair_end[chunk] in `order`'s companion.
static cairn_status find_pairs(struct eng_lane *lane, const grid *g, int *count)
{
    int ghosts = 0;
    eng_lane_chunk *chunks = lane->chunks.block;
    cairn_status status = CAIRN_OK;
    *count = 0;
    for (int c = 0; c < lane->chunk_count && status == CAIRN_OK; c++) {
        int first = c * ENG_LANE_CHUNK, end = first + ENG_LANE_CHUNK;
        chunks[c] = (eng_lane_chunk){
            .first_row = first,
            .end_row = end < lane->rows ? end : lane->rows,
            .first_ghost = ghosts,
        };
        for (int row = first; row < chunks[c].end_row && status == CAIRN_OK; row++) {
            status = pair_row(lane, g, row, count);
            if (status == CAIRN_OK)
                status = pair_walls(lane, row, count, &ghosts);
        }
        chunks[c].end_ghost = ghosts;
        chunks[c].contacts = *count; // end of its pairs, until the blocks are made
    }
    lane->ghost_count = ghosts;
    return status;
}

static cairn_status make_blocks(struct eng_lane *lane, int count)
{
    // each key of each chunk may leave one block that is not full
    size_t keys = 2 * (size_t)lane->terms_count, chunks = (size_t)lane->chunk_count;
    size_t most = (size_t)count < keys * chunks ? (size_t)count : keys * chunks;
    size_t blocks = (size_t)count / ENG_LANE_WIDTH + most + 1;
    cairn_status status =
        eng_lane_reserve(lane, &lane->now.blocks, blocks * sizeof(eng_lane_block));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->segments, (most + 1) * sizeof(eng_lane_segment));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->counts, (keys + 1) * sizeof(int));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->sorted, ((size_t)count + 1) * sizeof(eng_lane_pair));
    if (status != CAIRN_OK)
        return status;
    lane->pass.blocks = lane->now.blocks.block;
    lane->pass.segments = lane->segments.block;
    lane->block_count = 0;
    eng_lane_chunk *all = lane->chunks.block;
    for (int c = 0, begin = 0, segments = 0; c < lane->chunk_count; c++) {
        int end = all[c].contacts;
        fill_chunk(lane, &all[c], lane->pairs + begin, end - begin, &segments);
        all[c].contacts = 0;
        begin = end;
    }
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
    return most + 2 * ENG_LANE_CHUNK;
}

static void number_near_blocks(struct eng_lane *lane)
{
    const eng_lane_chunk *chunks = lane->chunks.block;
    const eng_lane_segment *segments = lane->segments.block;
    int number = 0;
    for (int c = 0; c < lane->chunk_count; c++)
        for (int s = chunks[c].first_segment; s < chunks[c].first_far_segment; s++)
            for (int i = segments[s].first_block; i < segments[s].end_block; i++)
                lane->pass.blocks[i].force_row = number++;
}

/// How many blocks of list A are between a force and the last body that needs it.
static int live_blocks(const struct eng_lane *lane)
{
    const eng_lane_chunk *chunks = lane->chunks.block;
    const eng_lane_segment *segments = lane->segments.block;
    int *ends = lane->cell_of.block, most = 1, end = 0;
    for (int c = 0; c < lane->chunk_count; c++) {
        for (int s = chunks[c].first_segment; s < chunks[c].first_far_segment; s++)
            end += segments[s].end_block - segments[s].first_block;
        ends[c] = end;
    }
    for (int c = 0; c < lane->chunk_count; c++)
        for (int s = chunks[c].first_segment; s < chunks[c].first_far_segment; s++)
            for (int i = segments[s].first_block; i < segments[s].end_block; i++) {
                const eng_lane_block *block = &lane->pass.blocks[i];
                int last = c;
                for (int k = 0; k < ENG_LANE_WIDTH; k++) {
                    int row = eng_lane_row_b(block, k);
                    if (row < lane->rows && row / ENG_LANE_CHUNK > last)
                        last = row / ENG_LANE_CHUNK;
                }
                int window = ends[last] - block->force_row;
                most = window > most ? window : most;
            }
    return most;
}

/// Force rows: a ring for list A, so that they stay in the cache, and lasting ones for list B.
/// Ranges that run side by side need lasting ones for all.
static void place_force_rows(struct eng_lane *lane)
{
    const eng_lane_chunk *chunks = lane->chunks.block;
    const eng_lane_segment *segments = lane->segments.block;
    number_near_blocks(lane);
    int ring = lane->ranges > 1 ? lane->block_count : live_blocks(lane), far = ring;
    for (int c = 0; c < lane->chunk_count; c++)
        for (int s = chunks[c].first_segment; s < chunks[c].end_segment; s++)
            for (int i = segments[s].first_block; i < segments[s].end_block; i++) {
                eng_lane_block *block = &lane->pass.blocks[i];
                int place = s < chunks[c].first_far_segment ? block->force_row % ring : far++;
                block->force_row = place * ENG_LANE_WIDTH;
            }
    lane->zero_row = far * ENG_LANE_WIDTH;
    lane->pass.reach = reach_of(lane);
    lane->pass.row_count = lane->rows;
}

static cairn_status finish_list(struct eng_lane *lane)
{
    place_force_rows(lane);
    size_t rows = (size_t)lane->zero_row + 1;
    cairn_status status = eng_lane_reserve(lane, &lane->force, rows * sizeof(double[8]));
    if (status == CAIRN_OK)
        status =
            fill_sides(lane, false, &lane->now.near_start, &lane->now.near, &lane->now.near_slots);
    if (status == CAIRN_OK)
        status = fill_sides(lane, true, &lane->now.far_start, &lane->now.far, &lane->now.far_slots);
    if (status != CAIRN_OK)
        return status;
    lane->pass.force = lane->force.block;
    memset(lane->pass.force, 0, rows * sizeof *lane->pass.force);
    eng_lane_state_use(lane, &lane->now);
    lane->pass.chunks = lane->chunks.block;
    defer(lane);
    eng_lane_ghosts_move(lane, 0, lane->ghost_count, NULL);
    return CAIRN_OK;
}

/// Walls of the ghosts that blocks of the list before point to.
static cairn_status keep_ghost_walls(struct eng_lane *lane)
{
    cairn_status status =
        eng_lane_reserve(lane, &lane->ghost_walls, ((size_t)lane->ghost_count + 1) * sizeof(int));
    if (status != CAIRN_OK)
        return status;
    lane->ghost_walls_before = lane->ghost_walls.block;
    const eng_lane_ghost *ghosts = lane->ghosts.block;
    for (int i = 0; i < lane->ghost_count; i++)
        lane->ghost_walls_before[i] = ghosts[i].wall;
    return CAIRN_OK;
}

static cairn_status reserve_for_list(struct eng_lane *lane, int ghosts)
{
    size_t n = (size_t)lane->rows, all = n + 2 + (size_t)ghosts;
    lane->chunk_count = base_chunk_count(lane->rows, ENG_LANE_CHUNK);
    int workers = lane->world->workers != NULL ? base_workers_count(lane->world->workers) : 1;
    lane->ranges = workers < lane->chunk_count ? workers : lane->chunk_count;
    cairn_status status = keep_ghost_walls(lane);
    if (status == CAIRN_OK)
        status =
            eng_lane_reserve(lane, &lane->ghosts, ((size_t)ghosts + 1) * sizeof(eng_lane_ghost));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->chunks,
                                  (size_t)lane->chunk_count * sizeof(eng_lane_chunk));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->deferred, n);
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->far_touched, all);
    lane->pass.deferred = lane->deferred.block;
    lane->pass.far_touched = lane->far_touched.block;
    return status;
}

/// What later steps and checkpoints need to know of the moment.
static void note_moment(struct eng_lane *lane)
{
    eng_lane_wall *walls = lane->walls.block;
    double square = 0.0;
    for (int row = 0; row < lane->rows; row++)
        square = fmax(square, vec3_norm_squared(vec3_from(lane->pass.X[row])));
    lane->extent = sqrt(square) + lane->skin;
    lane->listed_fastest = lane->fastest;
    for (int i = 0; i < lane->wall_count; i++)
        walls[i].listed = walls[i].now;
}

cairn_status eng_lane_list_make(struct eng_lane *lane)
{
    choose_skin(lane);
    note_moment(lane);
    grid g = grid_of(lane);
    int ghosts = count_ghosts(lane), count = 0;
    cairn_status status = sort_rows(lane, &g);
    if (status == CAIRN_OK)
        status = eng_lane_state_reserve(lane, &lane->before, ghosts);
    if (status == CAIRN_OK)
        status = reserve_for_list(lane, ghosts);
    if (status != CAIRN_OK)
        return status;
    eng_lane_state spare = lane->before;
    lane->before = lane->now;
    lane->now = spare;
    eng_lane_state_use(lane, &lane->now);
    permute(lane);
    status = find_pairs(lane, &g, &count);
    if (status == CAIRN_OK)
        status = make_blocks(lane, count);
    if (status == CAIRN_OK)
        status = finish_list(lane);
    lane->has_history = status == CAIRN_OK;
    lane->pass.path = lane->wall_path = 0.0;
    lane->slack = 0.5 * lane->skin;
    lane->lists++;
    return status;
}
