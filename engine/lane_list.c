// SPDX-License-Identifier: Apache-2.0
// Pair list of the spheres lane: cells, sorted rows, candidates of the half list.
#include "engine/lane_data.h"

#include <string.h>

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

/// Counting sort: order[new row] = old row. The first half of the scratch has the cells of rows.
static void sort_rows(struct eng_lane *lane, const grid *g)
{
    int n = lane->rows, cells = g->count[0] * g->count[1] * g->count[2];
    int *start = lane->cell_start.block, *cell = lane->scratch.block, *order = cell + n;
    memset(start, 0, ((size_t)cells + 2) * sizeof *start);
    for (int row = 0; row < n; row++) {
        cell[row] = cell_at(g, lane->pass.X[row]);
        start[cell[row] + 2]++;
    }
    for (int i = 0; i < cells; i++)
        start[i + 2] += start[i + 1];
    for (int row = 0; row < n; row++)
        order[start[cell[row] + 1]++] = row;
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
        for (int w = 0; w < lane->plane_count; w++)
            count += lane->pass.constants[row][0] != 0.0 &&
                     wall_distance(&walls[w], lane->pass.X[row]) - lane->pass.constants[row][3] <
                         lane->skin;
    return count;
}

cairn_status eng_lane_rows_reserve(struct eng_lane *lane, int ghosts)
{
    size_t n = (size_t)lane->rows, all = n + 2 + (size_t)ghosts + ENG_LANE_WIDTH;
    size_t groups = (n + ENG_LANE_WIDTH - 1) / ENG_LANE_WIDTH;
    const struct {
        eng_lane_buffer *buffer;
        size_t bytes;
    } wanted[] = {
        {&lane->X,          all * sizeof(double[4])      },
        {&lane->V,          all * sizeof(double[8])      },
        {&lane->constants,  n * sizeof(double[4])        },
        {&lane->turn,       groups * sizeof(double[4][8])},
        {&lane->reference,  n * sizeof(double[3])        },
        {&lane->id,         n * sizeof(int)              },
        {&lane->near_start, (n + 1) * sizeof(int)        },
        {&lane->far_start,  (n + 1) * sizeof(int)        },
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        cairn_status status = eng_lane_reserve(lane, wanted[i].buffer, wanted[i].bytes);
        if (status != CAIRN_OK)
            return status;
    }
    lane->pass.X = lane->X.block;
    lane->pass.V = lane->V.block;
    lane->pass.constants = lane->constants.block;
    lane->pass.turn = lane->turn.block;
    // rows that padding lanes of blocks point to, and those that fill up the last group
    size_t more = 2 + ENG_LANE_WIDTH;
    memset(lane->pass.X[n], 0, more * sizeof *lane->pass.X);
    memset(lane->pass.V[n], 0, more * sizeof *lane->pass.V);
    lane->pass.X[n + 1][0] = 1.0;
    return CAIRN_OK;
}

/// One row with all that moves along with it.
typedef struct moved_row {
    double X[4], V[8], constants[4], turn[4];
    int id;
} moved_row;

static void take_row(const struct eng_lane *lane, int row, moved_row *to)
{
    memcpy(to->X, lane->pass.X[row], sizeof to->X);
    memcpy(to->V, lane->pass.V[row], sizeof to->V);
    memcpy(to->constants, lane->pass.constants[row], sizeof to->constants);
    for (int k = 0; k < 4; k++)
        to->turn[k] = lane->pass.turn[row / ENG_LANE_WIDTH][k][row % ENG_LANE_WIDTH];
    to->id = eng_lane_ids(lane)[row];
}

static void put_row(struct eng_lane *lane, int row, const moved_row *from)
{
    memcpy(lane->pass.X[row], from->X, sizeof from->X);
    memcpy(lane->pass.V[row], from->V, sizeof from->V);
    memcpy(lane->pass.constants[row], from->constants, sizeof from->constants);
    for (int k = 0; k < 4; k++)
        lane->pass.turn[row / ENG_LANE_WIDTH][k][row % ENG_LANE_WIDTH] = from->turn[k];
    eng_lane_ids(lane)[row] = from->id;
}

/// Rows go to their new places, along the cycles of `order`, which is used up.
static void permute(struct eng_lane *lane)
{
    int *order = (int *)lane->scratch.block + lane->rows, *row_of = lane->row_of.block;
    for (int begin = 0; begin < lane->rows; begin++) {
        if (order[begin] == begin)
            continue;
        moved_row first, other;
        take_row(lane, begin, &first);
        int row = begin;
        for (int next = order[row]; next != begin; next = order[row]) {
            take_row(lane, next, &other);
            put_row(lane, row, &other);
            order[row] = row;
            row = next;
        }
        put_row(lane, row, &first);
        order[row] = row;
    }
    for (int row = 0; row < lane->rows; row++) {
        row_of[eng_lane_ids(lane)[row]] = row;
        memcpy(eng_lane_reference(lane)[row], lane->pass.X[row], sizeof *eng_lane_reference(lane));
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

/// Surface of two bodies.
static unsigned short terms_of(const struct eng_lane *lane, int body_a, int body_b)
{
    const cairn_world *world = lane->world;
    if (lane->terms_count == 1)
        return 0;
    return (unsigned short)(eng_surface_of(world, body_a, body_b) - world->surfaces);
}

static eng_lane_pair pair_of(const struct eng_lane *lane, int row, int other, int body, bool far)
{
    return (eng_lane_pair){
        .j = (unsigned)other,
        .i = (unsigned short)(row % lane->chunk_rows + (far ? ENG_LANE_FAR : 0)),
        .terms = terms_of(lane, eng_lane_ids(lane)[row], body),
    };
}

cairn_status eng_lane_pair_add(struct eng_lane *lane, int row, int other, bool far, int *count)
{
    return add_pair(lane, count, pair_of(lane, row, other, eng_lane_body_of(lane, other), far));
}

/// Pairs of one row with later rows of a run of cells.
static cairn_status pair_with(struct eng_lane *lane, int row, int begin, int end, int *count)
{
    const double *X = lane->pass.X[row], *own = lane->pass.constants[row];
    for (int other = begin > row ? begin : row + 1; other < end; other++) {
        const double *Y = lane->pass.X[other], *c = lane->pass.constants[other];
        double x = Y[0] - X[0], y = Y[1] - X[1], z = Y[2] - X[2];
        double square = x * x + y * y + z * z, sum = own[3] + c[3];
        double reach = sum + lane->skin, near = sum + lane->near;
        if (square >= reach * reach || (own[0] == 0.0 && c[0] == 0.0))
            continue;
        cairn_status status =
            add_pair(lane, count,
                     pair_of(lane, row, other, eng_lane_ids(lane)[other], square >= near * near));
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

/// Pairs of one row with later rows: those of its own cell and of half of the cells around it.
static cairn_status pair_row(struct eng_lane *lane, const grid *g, int row, int *count)
{
    const int *start = lane->cell_start.block;
    int cell = cell_at(g, lane->pass.X[row]), last = g->count[2];
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

/// Ghosts of half-spaces of one row, and its pairs with them.
static cairn_status pair_walls(struct eng_lane *lane, int row, int *count, int *ghosts)
{
    const eng_lane_wall *walls = lane->walls.block;
    eng_lane_ghost *list = lane->ghosts.block;
    const double *constants = lane->pass.constants[row];
    if (constants[0] == 0.0)
        return CAIRN_OK;
    for (int w = 0; w < lane->plane_count; w++) {
        double gap = wall_distance(&walls[w], lane->pass.X[row]) - constants[3];
        if (!(gap < lane->skin))
            continue;
        cairn_status status = add_pair(
            lane, count,
            pair_of(lane, row, lane->rows + 2 + *ghosts, walls[w].body, gap >= lane->near));
        if (status != CAIRN_OK)
            return status;
        list[(*ghosts)++] = (eng_lane_ghost){row, w, -1, 0, false};
    }
    return CAIRN_OK;
}

/// All pairs, chunk by chunk.
static cairn_status find_pairs(struct eng_lane *lane, const grid *g, int *count)
{
    int ghosts = 0;
    eng_lane_chunk *chunks = lane->chunks.block;
    cairn_status status = CAIRN_OK;
    *count = 0;
    for (int c = 0; c < lane->chunk_count && status == CAIRN_OK; c++) {
        int first = c * lane->chunk_rows, end = first + lane->chunk_rows;
        chunks[c] = (eng_lane_chunk){
            .first_row = first,
            .end_row = end < lane->rows ? end : lane->rows,
            .first_ghost = ghosts,
            .first_group = lane->group_count,
        };
        eng_lane_shapes_near(lane, &chunks[c]);
        for (int row = first; row < chunks[c].end_row && status == CAIRN_OK; row++) {
            status = pair_row(lane, g, row, count);
            if (status == CAIRN_OK)
                status = pair_walls(lane, row, count, &ghosts);
            if (status == CAIRN_OK)
                status = eng_lane_shapes_pair(lane, row, count);
        }
        chunks[c].end_ghost = ghosts;
        chunks[c].end_group = lane->group_count;
        chunks[c].contacts = *count; // end of its pairs, until the blocks are made
    }
    return status;
}

/// Rows of ghosts of all walls, which are counted by now.
static cairn_status reserve_ghost_rows(struct eng_lane *lane)
{
    size_t bytes = (size_t)lane->rows + 2 + (size_t)lane->ghost_count;
    cairn_status status = eng_lane_reserve(lane, &lane->far_touched, bytes);
    if (status != CAIRN_OK)
        return status;
    lane->pass.far_touched = lane->far_touched.block;
    memset(lane->pass.far_touched, 0, bytes);
    return eng_lane_rows_reserve(lane, lane->ghost_count);
}

/// Width of the layer that is searched, and of the part that is computed in every step: wider where
/// bodies are fast.
static void choose_skin(struct eng_lane *lane)
{
    double way = lane->fastest * lane->pass.step, radius = sqrt(lane->smallest * lane->largest);
    lane->skin = fmin(fmax(0.2 * radius, 250.0 * way), 0.45 * radius);
    lane->near = fmin(fmax(0.004 * radius, 10.0 * way), 0.5 * lane->skin);
}

static cairn_status reserve_for_list(struct eng_lane *lane, const grid *g, int ghosts)
{
    size_t n = (size_t)lane->rows;
    size_t cells = (size_t)g->count[0] * (size_t)g->count[1] * (size_t)g->count[2];
    size_t kept = (size_t)lane->kept_count, ints = 2 * n > kept ? 2 * n : kept;
    // blocks are of one surface: larger chunks leave fewer of them half full
    int factor = 1 + (lane->terms_count - 1) / 4;
    lane->chunk_rows = ENG_LANE_CHUNK * (factor < 8 ? factor : 8);
    lane->chunk_count = base_chunk_count(lane->rows, lane->chunk_rows);
    int workers = lane->world->workers != NULL ? base_workers_count(lane->world->workers) : 1;
    int most = lane->chunk_count / lane->least_chunks;
    lane->ranges = workers < most ? workers : (most > 1 ? most : 1);
    const struct {
        eng_lane_buffer *buffer;
        size_t bytes;
    } wanted[] = {
        {&lane->cell_start, (cells + 2) * sizeof(int)                         },
        {&lane->scratch,    ints * sizeof(int)                                },
        {&lane->kept_start, (n + 2) * sizeof(int)                             },
        {&lane->ghosts,     ((size_t)ghosts + 1) * sizeof(eng_lane_ghost)     },
        {&lane->chunks,     (size_t)lane->chunk_count * sizeof(eng_lane_chunk)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        cairn_status status = eng_lane_reserve(lane, wanted[i].buffer, wanted[i].bytes);
        if (status != CAIRN_OK)
            return status;
    }
    lane->pass.chunks = lane->chunks.block;
    return eng_lane_shapes_reserve(lane);
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
        walls[i].listed = walls[i].now, walls[i].placed_listed = walls[i].placed;
}

cairn_status eng_lane_list_make(struct eng_lane *lane)
{
    choose_skin(lane);
    note_moment(lane);
    grid g = grid_of(lane);
    int ghosts = count_ghosts(lane), count = 0;
    cairn_status status = eng_lane_history_keep(lane);
    if (status == CAIRN_OK)
        status = reserve_for_list(lane, &g, ghosts);
    if (status == CAIRN_OK) {
        sort_rows(lane, &g);
        permute(lane);
        eng_lane_history_sort(lane);
        lane->plane_ghosts = lane->ghost_count = ghosts;
        lane->group_count = 0;
        status = find_pairs(lane, &g, &count);
    }
    if (status == CAIRN_OK)
        status = reserve_ghost_rows(lane);
    if (status == CAIRN_OK)
        status = eng_lane_blocks_make(lane);
    if (status != CAIRN_OK) {
        // nothing is left that could be read
        lane->block_count = lane->kept_count = lane->ghost_count = lane->chunk_count = 0;
        lane->plane_ghosts = lane->group_count = 0;
        lane->out_of_memory = true;
        return status;
    }
    eng_lane_ghosts_move(lane, 0, lane->ghost_count, NULL);
    lane->pass.path = lane->wall_path = 0.0;
    lane->slack = 0.5 * lane->skin;
    lane->lists++;
    lane->crowded = false;
    return eng_lane_shapes_renew(lane);
}
