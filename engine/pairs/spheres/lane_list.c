// SPDX-License-Identifier: Apache-2.0
// Pair list of the spheres lane: cells, sorted rows, candidates of the half list.
#include "engine/pairs/spheres/lane_data.h"

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
            double at = lane->pass.X[row][k];
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
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
    double high[3], size = 2.0 * lane->largest + lane->widest;
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

bool eng_lane_takes(const struct eng_lane *lane, int row, int body)
{
    const cairn_world *world = lane->world;
    int own = eng_lane_ids(lane)[row];
    if (!lane->all_covered && !lane->covered[eng_surface_of(world, own, body) - world->surfaces])
        return false;
    return (world->apart_count == 0 && world->connector_count == 0) ||
           !eng_pair_is_idle(world, own, body);
}

static bool is_near_plane(const struct eng_lane *lane, int row, const eng_lane_wall *wall)
{
    const double *constants = lane->pass.constants[row];
    return constants[0] != 0.0 &&
           wall_distance(wall, lane->pass.X[row]) - constants[3] < eng_lane_wall_reach(lane, row) &&
           eng_lane_takes(lane, row, wall->body);
}

static int count_ghosts(const struct eng_lane *lane)
{
    const eng_lane_wall *walls = lane->walls.block;
    int count = 0;
    for (int row = 0; row < lane->rows; row++)
        for (int w = 0; w < lane->plane_count; w++)
            count += is_near_plane(lane, row, &walls[w]);
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
        {&lane->X, all * sizeof(double[4])},
        {&lane->V, all * sizeof(double[8])},
        {&lane->constants, n * sizeof(double[4])},
        {&lane->turn, groups * sizeof(double[4][8])},
        {&lane->reference, (n + ENG_LANE_WIDTH) * sizeof(double[4])},
        {&lane->id, n * sizeof(int)},
        {&lane->near_start, (n + 1) * sizeof(int)},
        {&lane->far_start, (n + 1) * sizeof(int)},
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
    double X[4], V[8], constants[4], turn[4], margin;
    int id;
} moved_row;

static void take_row(const struct eng_lane *lane, int row, moved_row *to)
{
    memcpy(to->X, lane->pass.X[row], sizeof to->X);
    memcpy(to->V, lane->pass.V[row], sizeof to->V);
    memcpy(to->constants, lane->pass.constants[row], sizeof to->constants);
    for (int k = 0; k < 4; k++)
        to->turn[k] = lane->pass.turn[row / ENG_LANE_WIDTH][k][row % ENG_LANE_WIDTH];
    to->margin = eng_lane_margins(lane)[row];
    to->id = eng_lane_ids(lane)[row];
}

static void put_row(struct eng_lane *lane, int row, const moved_row *from)
{
    memcpy(lane->pass.X[row], from->X, sizeof from->X);
    memcpy(lane->pass.V[row], from->V, sizeof from->V);
    memcpy(lane->pass.constants[row], from->constants, sizeof from->constants);
    for (int k = 0; k < 4; k++)
        lane->pass.turn[row / ENG_LANE_WIDTH][k][row % ENG_LANE_WIDTH] = from->turn[k];
    eng_lane_margins(lane)[row] = from->margin;
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
    for (int row = 0; row < lane->rows; row++)
        row_of[eng_lane_ids(lane)[row]] = row;
}

/// Places and radii of the sorted rows, coordinate by coordinate. The scratch has the radii.
static eng_lane_search note_places(const struct eng_lane *lane)
{
    double *radius = lane->scratch.block;
    eng_lane_search search = {
        .radius = radius, .margin = eng_lane_margins(lane), .near = ENG_LANE_NEAR};
    for (int axis = 0; axis < 3; axis++) {
        double *place = eng_lane_reference(lane, axis);
        for (int row = 0; row < lane->rows; row++)
            place[row] = lane->pass.X[row][axis];
        memset(place + lane->rows, 0, ENG_LANE_WIDTH * sizeof *place);
        search.place[axis] = place;
    }
    for (int row = 0; row < lane->rows; row++)
        radius[row] = lane->pass.constants[row][3];
    memset(radius + lane->rows, 0, ENG_LANE_WIDTH * sizeof *radius);
    memset(eng_lane_margins(lane) + lane->rows, 0, ENG_LANE_WIDTH * sizeof *radius);
    return search;
}

static cairn_status add_pair(struct eng_lane *lane, eng_lane_range *range, eng_lane_pair pair)
{
    if (range->pair_count == range->pair_capacity) {
        cairn_status status = base_array_reserve(&lane->world->allocator, &range->pairs,
                                                 &range->pair_capacity, range->pair_count + 1);
        if (status != CAIRN_OK)
            return status;
    }
    range->pairs[range->pair_count++] = pair;
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

/// What the search for pairs is given.
struct eng_lane_finding {
    grid g;
    eng_lane_search search;
};

enum { MEET_ROWS = 512 }; // looked at in one call

cairn_status eng_lane_pair_add(struct eng_lane *lane, eng_lane_range *range, int row, int other,
                               bool far)
{
    return add_pair(lane, range, pair_of(lane, row, other, eng_lane_body_of(lane, other), far));
}

/// Pairs of one row with later rows of a run of cells.
static cairn_status pair_with(struct eng_lane *lane, eng_lane_range *range, int row, int begin,
                              int end)
{
    const double *own = lane->pass.constants[row];
    int found[MEET_ROWS + ENG_LANE_WIDTH];
    for (int from = begin > row ? begin : row + 1; from < end; from += MEET_ROWS) {
        int until = end - from < MEET_ROWS ? end : from + MEET_ROWS;
        int count = lane->kernel->meet(&lane->finding->search, row, from, until, found);
        for (int k = 0; k < count; k++) {
            int other = found[k] & ~ENG_LANE_APART;
            if ((own[0] == 0.0 && lane->pass.constants[other][0] == 0.0) ||
                !eng_lane_takes(lane, row, eng_lane_ids(lane)[other]))
                continue;
            cairn_status status = add_pair(lane, range,
                                           pair_of(lane, row, other, eng_lane_ids(lane)[other],
                                                   (found[k] & ENG_LANE_APART) != 0));
            if (status != CAIRN_OK)
                return status;
        }
    }
    return CAIRN_OK;
}

/// Pairs of one row with later rows: those of its own cell and of half of the cells around it.
static cairn_status pair_row(struct eng_lane *lane, eng_lane_range *range, int row)
{
    const grid *g = &lane->finding->g;
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
                pair_with(lane, range, row, start[line + low], start[line + high + 1]);
            if (status != CAIRN_OK)
                return status;
        }
    return CAIRN_OK;
}

/// Ghosts of half-spaces of one row, and its pairs with them; both are numbered within the range.
static cairn_status pair_walls(struct eng_lane *lane, eng_lane_range *range, int row)
{
    const eng_lane_wall *walls = lane->walls.block;
    double near = lane->finding->search.near * eng_lane_wall_reach(lane, row);
    cairn_status status = CAIRN_OK;
    for (int w = 0; w < lane->plane_count && status == CAIRN_OK; w++) {
        double gap = wall_distance(&walls[w], lane->pass.X[row]) - lane->pass.constants[row][3];
        if (!is_near_plane(lane, row, &walls[w]))
            continue;
        status = base_array_reserve(&lane->world->allocator, &range->ghosts, &range->ghost_capacity,
                                    range->ghost_count + 1);
        if (status == CAIRN_OK)
            status = add_pair(lane, range,
                              pair_of(lane, row, lane->rows + 2 + range->ghost_count, walls[w].body,
                                      gap >= near));
        if (status == CAIRN_OK)
            range->ghosts[range->ghost_count++] = (eng_lane_ghost){row, w, -1, 0, false};
    }
    return status;
}

/// Pairs of one chunk. Ends of its ghosts, blocks, segments and pairs are their numbers until the
/// blocks are made.
static cairn_status find_in_chunk(struct eng_lane *lane, eng_lane_range *range, int index)
{
    cairn_status status = CAIRN_OK;
    int first = index * lane->chunk_rows, end = first + lane->chunk_rows;
    int pairs = range->pair_count, ghosts = range->ghost_count;
    eng_lane_chunk *chunk = &lane->pass.chunks[index];
    *chunk = (eng_lane_chunk){
        .first_row = first,
        .end_row = end < lane->rows ? end : lane->rows,
        .first_group = lane->group_count,
        .last_chunk = index,
    };
    if (lane->has_shapes)
        eng_lane_shapes_near(lane, chunk);
    for (int row = first; row < chunk->end_row && status == CAIRN_OK; row++) {
        status = pair_row(lane, range, row);
        if (status == CAIRN_OK)
            status = pair_walls(lane, range, row);
        if (status == CAIRN_OK)
            status = eng_lane_shapes_pair(lane, range, row);
    }
    chunk->end_group = lane->group_count;
    chunk->end_ghost = range->ghost_count - ghosts;
    chunk->contacts = range->pair_count - pairs;
    return status != CAIRN_OK ? status : eng_lane_pairs_sort(lane, range, chunk);
}

static void find_in_range(struct eng_lane *lane, int index)
{
    eng_lane_range *range = &lane->range[index];
    range->pair_count = range->ghost_count = 0;
    range->status = CAIRN_OK;
    for (int c = range->first_chunk; c < range->end_chunk && range->status == CAIRN_OK; c++)
        range->status = find_in_chunk(lane, range, c);
}

/// Ghosts of half-spaces from all ranges, in their order.
static cairn_status join_ghosts(struct eng_lane *lane)
{
    int planes = 0;
    for (int r = 0; r < lane->ranges; r++)
        planes += lane->range[r].ghost_count;
    if (!lane->has_shapes)
        lane->plane_ghosts = lane->ghost_count = planes;
    cairn_status status = eng_lane_reserve(
        lane, &lane->ghosts, ((size_t)lane->ghost_count + 1) * sizeof(eng_lane_ghost));
    if (status != CAIRN_OK)
        return status;
    eng_lane_ghost *all = lane->ghosts.block;
    for (int r = 0; r < lane->ranges; r++) {
        const eng_lane_range *range = &lane->range[r];
        if (range->ghost_count > 0)
            memcpy(all, range->ghosts, (size_t)range->ghost_count * sizeof *all);
        all += range->ghost_count;
    }
    return CAIRN_OK;
}

/// Pairs and ghosts of all ranges. Walls that are no half-spaces have their ghosts behind those of
/// half-spaces, in the order of rows: with such walls one range follows the other.
static cairn_status find_pairs(struct eng_lane *lane, const eng_lane_finding *finding)
{
    lane->finding = finding;
    lane->group_count = lane->near_wall_count = 0;
    lane->plane_ghosts = lane->ghost_count = lane->has_shapes ? count_ghosts(lane) : 0;
    if (!lane->has_shapes)
        eng_lane_ranges_run(lane, find_in_range);
    for (int r = 0; r < lane->ranges && lane->has_shapes; r++)
        find_in_range(lane, r);
    lane->finding = NULL;
    for (int r = 0; r < lane->ranges; r++)
        if (lane->range[r].status != CAIRN_OK)
            return lane->range[r].status;
    return join_ghosts(lane);
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

/// Margin of what makes a way of `way` in a step: that of so many steps, but never less or more
/// than a share of the spheres' radius.
static double margin_for(const struct eng_lane *lane, double way)
{
    double radius = sqrt(lane->smallest * lane->largest);
    return fmin(fmax(200.0 * way, 0.06 * radius), ENG_LANE_WIDEST * radius);
}

void eng_lane_margins_choose(struct eng_lane *lane)
{
    double *margins = eng_lane_margins(lane), step = lane->pass.step;
    for (int row = 0; row < lane->rows; row++)
        margins[row] = margin_for(lane, step * vec3_norm(vec3_from(lane->pass.V[row])));
    lane->wall_margin = margin_for(lane, step * eng_lane_walls_fastest(lane));
}

static cairn_status reserve_for_list(struct eng_lane *lane, const grid *g)
{
    size_t n = (size_t)lane->rows;
    size_t cells = (size_t)g->count[0] * (size_t)g->count[1] * (size_t)g->count[2];
    size_t kept = (size_t)lane->kept_count, ints = 2 * (n + ENG_LANE_WIDTH);
    size_t keys = 2 * (size_t)lane->terms_count;
    ints = ints > kept ? ints : kept;
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
        {&lane->cell_start, (cells + 2) * sizeof(int)},
        {&lane->scratch, ints * sizeof(int)},
        {&lane->kept_start, (n + 2) * sizeof(int)},
        {&lane->counts, (size_t)lane->ranges * (keys + 1) * sizeof(int)},
        {&lane->chunks, (size_t)lane->chunk_count * sizeof(eng_lane_chunk)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        cairn_status status = eng_lane_reserve(lane, wanted[i].buffer, wanted[i].bytes);
        if (status != CAIRN_OK)
            return status;
    }
    lane->pass.chunks = lane->chunks.block;
    eng_lane_ranges_split(lane);
    return eng_lane_shapes_reserve(lane);
}

/// What later steps and checkpoints need to know of the moment.
static void note_moment(struct eng_lane *lane)
{
    eng_lane_wall *walls = lane->walls.block;
    const double *margins = eng_lane_margins(lane);
    double square = 0.0, widest = lane->wall_margin;
    for (int row = 0; row < lane->rows; row++) {
        double far = vec3_norm_squared(vec3_from(lane->pass.X[row]));
        square = far > square ? far : square;
        widest = margins[row] > widest ? margins[row] : widest;
    }
    lane->widest = 2.0 * widest;
    lane->extent = sqrt(square) + lane->widest;
    for (int i = 0; i < lane->wall_count; i++)
        walls[i].listed = walls[i].now, walls[i].placed_listed = walls[i].placed;
}

/// The cells are asked again for what is near a body of the general passes.
static void note_cells(struct eng_lane *lane, const grid *g)
{
    memcpy(lane->cell_low, g->low, sizeof lane->cell_low);
    memcpy(lane->cell_axis, g->axis, sizeof lane->cell_axis);
    memcpy(lane->cell_count, g->count, sizeof lane->cell_count);
    lane->cell_inverse = g->inverse;
}

cairn_status eng_lane_list_make(struct eng_lane *lane)
{
    note_moment(lane);
    eng_lane_finding finding = {.g = grid_of(lane)};
    note_cells(lane, &finding.g);
    cairn_status status = eng_lane_history_keep(lane);
    if (status == CAIRN_OK)
        status = reserve_for_list(lane, &finding.g);
    if (status == CAIRN_OK) {
        sort_rows(lane, &finding.g);
        permute(lane);
        eng_lane_history_sort(lane);
        finding.search = note_places(lane);
        status = find_pairs(lane, &finding);
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
    lane->wall_path = 0.0;
    lane->slack = lane->wall_margin;
    lane->lists++;
    lane->crowded = false;
    return eng_lane_shapes_renew(lane);
}
