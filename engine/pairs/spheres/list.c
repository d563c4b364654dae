// SPDX-License-Identifier: Apache-2.0
// Pair list of the sphere executor: cells, sorted slots, candidates of the half list.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/world.h"

#include <string.h>

/// Bounds of the slots; differences of coordinates stay finite.
static void bounds_of(const struct eng_spheres *spheres, double low[3], double high[3])
{
    const double far = 1e150;
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (int slot = 0; slot < spheres->table.slots; slot++)
        for (int k = 0; k < 3; k++) {
            double at = spheres->pass.X[slot][k];
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    for (int k = 0; k < 3; k++) {
        low[k] = fmin(fmax(low[k], -far), far);
        high[k] = fmax(fmin(high[k], far), low[k]);
    }
}

/// Cells no smaller than the reach of a pair without wide margins, at most four a slot on the
/// whole; the longest axis is the slowest, so that pairs stay close in memory.
static eng_spheres_cells cells_of(const struct eng_spheres *spheres)
{
    eng_spheres_cells g;
    double high[3],
        size = 2.0 * spheres->table.largest + spheres->list.ordinary + spheres->cell.margin;
    bounds_of(spheres, g.low, high);
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
        if (cells <= 4.0 * spheres->table.slots + 64.0)
            break;
    }
    g.inverse = 1.0 / size;
    for (int k = 0; k < 3; k++)
        g.count[k] = (int)((high[g.axis[k]] - g.low[g.axis[k]]) * g.inverse) + 1;
    return g;
}

static int cell_at(const eng_spheres_cells *g, const double X[4])
{
    int cell = 0;
    for (int k = 0; k < 3; k++)
        cell = cell * g->count[k] + eng_spheres_cell_along(g, k, X[g->axis[k]]);
    return cell;
}

/// Counting sort: order[new slot] = old slot. The first half of the scratch has the cells of slots.
static void sort_slots(struct eng_spheres *spheres)
{
    const eng_spheres_cells *g = &spheres->list.cells;
    int n = spheres->table.slots, cells = g->count[0] * g->count[1] * g->count[2];
    int *start = spheres->list.cell_start.block, *cell = spheres->list.scratch.block,
        *order = cell + n;
    memset(start, 0, ((size_t)cells + 2) * sizeof *start);
    for (int slot = 0; slot < n; slot++) {
        cell[slot] = cell_at(g, spheres->pass.X[slot]);
        start[cell[slot] + 2]++;
    }
    for (int i = 0; i < cells; i++)
        start[i + 2] += start[i + 1];
    for (int slot = 0; slot < n; slot++)
        order[start[cell[slot] + 1]++] = slot;
}

static double wall_distance(const eng_spheres_wall *wall, const double X[4])
{
    return vec3_dot(wall->now.normal, vec3_sub(vec3_from(X), wall->now.point));
}

static bool is_near_plane(const struct eng_spheres *spheres, int slot, const eng_spheres_wall *wall)
{
    const double *constants = spheres->pass.constants[slot];
    return constants[0] != 0.0 &&
           wall_distance(wall, spheres->pass.X[slot]) - constants[3] <
               eng_spheres_wall_reach(spheres, slot) &&
           eng_spheres_takes(spheres, slot, wall->body);
}

static int count_ghosts(const struct eng_spheres *spheres)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    int count = 0;
    for (int slot = 0; slot < spheres->table.slots; slot++)
        for (int w = 0; w < spheres->walls.plane_count; w++)
            count += is_near_plane(spheres, slot, &walls[w]);
    return count;
}

cairn_status eng_spheres_slots_reserve(struct eng_spheres *spheres, int ghosts)
{
    size_t n = (size_t)spheres->table.slots, all = n + 2 + (size_t)ghosts + ENG_SPHERES_WIDTH;
    size_t groups = (n + ENG_SPHERES_WIDTH - 1) / ENG_SPHERES_WIDTH;
    const struct {
        eng_spheres_buffer *buffer;
        size_t bytes;
    } wanted[] = {
        {&spheres->table.X, all * sizeof(double[4])},
        {&spheres->table.V, all * sizeof(double[8])},
        {&spheres->table.constants, n * sizeof(double[4])},
        {&spheres->table.turn, groups * sizeof(double[4][8])},
        {&spheres->list.reference, (n + ENG_SPHERES_WIDTH) * sizeof(double[4])},
        {&spheres->table.id, n * sizeof(int)},
        {&spheres->list.near_start, (n + 1) * sizeof(int)},
        {&spheres->list.far_start, (n + 1) * sizeof(int)},
        {&spheres->table.wraps, spheres->world->state.cell.any ? n * sizeof(int[3]) : 0},
        {&spheres->clumps.sums, spheres->clumps.count > 0 ? n * sizeof(double[8]) : 0},
        {&spheres->clumps.ways, spheres->clumps.count > 0 ? n * sizeof(double) : 0},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        BASE_TRY(eng_spheres_reserve(spheres, wanted[i].buffer, wanted[i].bytes));
    spheres->pass.X = spheres->table.X.block;
    spheres->pass.V = spheres->table.V.block;
    spheres->pass.constants = spheres->table.constants.block;
    spheres->pass.turn = spheres->table.turn.block;
    spheres->pass.ids = spheres->table.id.block;
    spheres->pass.sums = spheres->clumps.count > 0 ? spheres->clumps.sums.block : NULL;
    // slots that padding lanes of blocks point to, and those that fill up the last group
    size_t more = 2 + ENG_SPHERES_WIDTH;
    memset(spheres->pass.X[n], 0, more * sizeof *spheres->pass.X);
    memset(spheres->pass.V[n], 0, more * sizeof *spheres->pass.V);
    spheres->pass.X[n + 1][0] = 1.0;
    return CAIRN_OK;
}

/// Places and radii of slots [first, end), coordinate by coordinate.
static void note_range(const struct eng_spheres *spheres, int first, int end, double *radius)
{
    for (int axis = 0; axis < 3; axis++) {
        double *place = eng_spheres_reference(spheres, axis);
        for (int slot = first; slot < end; slot++)
            place[slot] = spheres->pass.X[slot][axis];
    }
    for (int slot = first; slot < end; slot++)
        radius[slot] = spheres->pass.constants[slot][3];
}

/// Places and radii of the sorted slots, or of those that pairs listed here may have. The scratch
/// has the radii.
/// @param near  [chunks] which chunks have these; NULL: all
static eng_spheres_search note_places(const struct eng_spheres *spheres, const bool *near)
{
    double *radius = spheres->list.scratch.block;
    eng_spheres_search search = {
        .radius = radius, .margin = eng_spheres_margins(spheres), .near = ENG_SPHERES_NEAR};
    for (int axis = 0; axis < 3; axis++) {
        search.place[axis] = eng_spheres_reference(spheres, axis);
        memset(eng_spheres_reference(spheres, axis) + spheres->table.slots, 0,
               ENG_SPHERES_WIDTH * sizeof *radius);
    }
    for (int first = 0, end; first < spheres->table.slots; first = end) {
        int chunk = first / spheres->list.chunk_slots;
        end = near != NULL ? (chunk + 1) * spheres->list.chunk_slots : spheres->table.slots;
        end = end < spheres->table.slots ? end : spheres->table.slots;
        if (near == NULL || near[chunk])
            note_range(spheres, first, end, radius);
    }
    memset(radius + spheres->table.slots, 0, ENG_SPHERES_WIDTH * sizeof *radius);
    memset(eng_spheres_margins(spheres) + spheres->table.slots, 0,
           ENG_SPHERES_WIDTH * sizeof *radius);
    return search;
}

enum { MEET_ROWS = 512 }; // looked at in one call

/// A pair of one slot and a later one, if it is the executor's.
static cairn_status pair_slots(struct eng_spheres *spheres, eng_spheres_range *range, int slot,
                               int other, bool apart)
{
    int body = eng_spheres_slot_body(spheres, other);
    if ((spheres->pass.constants[slot][0] == 0.0 && spheres->pass.constants[other][0] == 0.0) ||
        !eng_spheres_takes(spheres, slot, body))
        return CAIRN_OK;
    return eng_spheres_pair_add(spheres, range, slot, other, body, apart);
}

/// Pairs of one slot with later slots of a run of cells.
static cairn_status pair_with(struct eng_spheres *spheres, eng_spheres_range *range, int slot,
                              int begin, int end)
{
    int found[MEET_ROWS + ENG_SPHERES_WIDTH];
    for (int from = begin > slot ? begin : slot + 1; from < end; from += MEET_ROWS) {
        int until = end - from < MEET_ROWS ? end : from + MEET_ROWS;
        int count = spheres->kernel->meet(spheres->list.finding, slot, from, until, found);
        for (int k = 0; k < count; k++)
            BASE_TRY(pair_slots(spheres, range, slot, found[k] & ~ENG_SPHERES_APART,
                                (found[k] & ENG_SPHERES_APART) != 0));
    }
    return CAIRN_OK;
}

/// Pairs of one slot with later slots: those of its own cell and of half of the cells around it.
static cairn_status pair_row(struct eng_spheres *spheres, eng_spheres_range *range, int slot)
{
    const eng_spheres_cells *g = &spheres->list.cells;
    const int *start = spheres->list.cell_start.block;
    int cell = cell_at(g, spheres->pass.X[slot]), last = g->count[2];
    int c = cell % last, b = cell / last % g->count[1], a = cell / last / g->count[1];
    int low = c > 0 ? c - 1 : 0, high = c < last - 1 ? c + 1 : c;
    for (int da = 0; da <= 1; da++)
        for (int db = da == 0 ? 0 : -1; db <= 1; db++) {
            if (a + da >= g->count[0] || b + db < 0 || b + db >= g->count[1])
                continue;
            int line = ((a + da) * g->count[1] + b + db) * last;
            BASE_TRY(pair_with(spheres, range, slot, start[line + low], start[line + high + 1]));
        }
    return CAIRN_OK;
}

/// The pairs of one slot with later slots that lie farther on than neighbouring cells.
/// @param next  the first of them, and that of the next slot
static cairn_status pair_far(struct eng_spheres *spheres, eng_spheres_range *range, int slot,
                             int *next)
{
    const eng_spheres_far_pair *pairs = spheres->list.far_pairs.block;
    cairn_status status = CAIRN_OK;
    for (; *next < spheres->list.far_pair_count && pairs[*next].slot == slot && status == CAIRN_OK;
         (*next)++)
        status = pair_slots(spheres, range, slot, pairs[*next].other, pairs[*next].apart);
    return status;
}

/// Cell of a point, whose grid is not known where images are.
static int cell_of_point(const void *g, const double X[4])
{
    return cell_at(g, X);
}

/// Pairs of one slot with images of later slots in a run of candidates.
static cairn_status pair_with_images(struct eng_spheres *spheres, eng_spheres_range *range,
                                     int slot, int begin, int end)
{
    int found[MEET_ROWS + ENG_SPHERES_WIDTH], own;
    eng_spheres_search search = eng_spheres_candidates_search(
        spheres, (int)(range - spheres->list.range), spheres->list.finding, slot, &own);
    const int *sorted = spheres->list.candidates.sorted.block;
    for (int from = begin; from < end; from += MEET_ROWS) {
        int until = end - from < MEET_ROWS ? end : from + MEET_ROWS;
        int count = spheres->kernel->meet(&search, own, from, until, found);
        for (int k = 0; k < count; k++) {
            int candidate = sorted[found[k] & ~ENG_SPHERES_APART];
            int other = eng_spheres_candidate_source(spheres, candidate);
            bool still =
                spheres->pass.constants[slot][0] == 0.0 && spheres->pass.constants[other][0] == 0.0;
            if (other <= slot || still ||
                !eng_spheres_takes(spheres, slot, eng_spheres_slot_body(spheres, other)))
                continue;
            eng_spheres_candidate_take(spheres, candidate);
            BASE_TRY(eng_spheres_pair_add(spheres, range, slot, candidate | ENG_SPHERES_CANDIDATE,
                                          eng_spheres_slot_body(spheres, other),
                                          (found[k] & ENG_SPHERES_APART) != 0));
        }
    }
    return CAIRN_OK;
}

/// Pairs of one slot with images in its own cell and all around it.
static cairn_status pair_images(struct eng_spheres *spheres, eng_spheres_range *range, int slot)
{
    const eng_spheres_cells *g = &spheres->list.cells;
    const int *start = spheres->list.candidates.start.block;
    int cell = cell_at(g, spheres->pass.X[slot]), last = g->count[2];
    int c = cell % last, b = cell / last % g->count[1], a = cell / last / g->count[1];
    int low = c > 0 ? c - 1 : 0, high = c < last - 1 ? c + 1 : c;
    cairn_status status = CAIRN_OK;
    for (int da = -1; da <= 1; da++)
        for (int db = -1; db <= 1 && status == CAIRN_OK; db++) {
            if (a + da < 0 || a + da >= g->count[0] || b + db < 0 || b + db >= g->count[1])
                continue;
            int line = ((a + da) * g->count[1] + b + db) * last;
            if (start[line + low] < start[line + high + 1])
                status = pair_with_images(spheres, range, slot, start[line + low],
                                          start[line + high + 1]);
        }
    return status;
}

/// Ghosts of half-spaces of one slot, and its pairs with them; both are numbered within the range.
static cairn_status pair_walls(struct eng_spheres *spheres, eng_spheres_range *range, int slot)
{
    const eng_spheres_wall *walls = spheres->walls.rows.block;
    double near = spheres->list.finding->near * eng_spheres_wall_reach(spheres, slot);
    cairn_status status = CAIRN_OK;
    for (int w = 0; w < spheres->walls.plane_count && status == CAIRN_OK; w++) {
        double gap =
            wall_distance(&walls[w], spheres->pass.X[slot]) - spheres->pass.constants[slot][3];
        if (!is_near_plane(spheres, slot, &walls[w]))
            continue;
        status = base_array_reserve(&spheres->world->model.allocator, &range->ghosts,
                                    &range->ghost_capacity, range->ghost_count + 1);
        if (status == CAIRN_OK)
            status = eng_spheres_pair_add(spheres, range, slot,
                                          spheres->table.slots + 2 + range->ghost_count,
                                          walls[w].body, gap >= near);
        if (status == CAIRN_OK)
            range->ghosts[range->ghost_count++] = (eng_spheres_ghost){slot, w, -1, 0, false};
    }
    return status;
}

static eng_spheres_chunk *begin_chunk(struct eng_spheres *spheres, int index)
{
    int first = index * spheres->list.chunk_slots, end = first + spheres->list.chunk_slots;
    eng_spheres_chunk *chunk = &spheres->pass.chunks[index];
    *chunk = (eng_spheres_chunk){
        .first_slot = first,
        .end_slot = end < spheres->table.slots ? end : spheres->table.slots,
        .first_group = spheres->walls.group_count,
        .end_group = spheres->walls.group_count,
        .last_chunk = index,
        .first_distant = INT_MAX,
        .last_distant = -1,
    };
    return chunk;
}

/// Pairs of one chunk. Ends of its ghosts, blocks, segments and pairs are their numbers until the
/// blocks are made.
static cairn_status find_in_chunk(struct eng_spheres *spheres, eng_spheres_range *range, int index)
{
    cairn_status status = CAIRN_OK;
    int pairs = range->pair_count, ghosts = range->ghost_count;
    eng_spheres_chunk *chunk = &spheres->pass.chunks[index];
    if (!eng_spheres_has_chunk(spheres, index))
        return CAIRN_OK;
    int next = eng_spheres_far_pairs_from(spheres, chunk->first_slot);
    int group = chunk->first_group;
    for (int slot = chunk->first_slot; slot < chunk->end_slot && status == CAIRN_OK; slot++) {
        chunk->members += eng_spheres_is_member(spheres, slot);
        status = pair_row(spheres, range, slot);
        if (status == CAIRN_OK)
            status = pair_far(spheres, range, slot, &next);
        if (status == CAIRN_OK && spheres->world->state.cell.any)
            status = pair_images(spheres, range, slot);
        if (status == CAIRN_OK)
            status = pair_walls(spheres, range, slot);
        if (status == CAIRN_OK)
            status = eng_spheres_shapes_pair(spheres, range, slot, chunk, &group);
    }
    chunk->end_ghost = range->ghost_count - ghosts;
    chunk->contacts = range->pair_count - pairs;
    return status != CAIRN_OK ? status : eng_spheres_pairs_sort(spheres, range, chunk);
}

static void begin_range(struct eng_spheres *spheres, int index)
{
    eng_spheres_range *range = &spheres->list.range[index];
    range->status = CAIRN_OK;
    for (int c = range->first_chunk; c < range->end_chunk && range->status == CAIRN_OK; c++) {
        const eng_spheres_chunk *chunk = begin_chunk(spheres, c);
        if (spheres->walls.has_shapes && eng_spheres_has_chunk(spheres, c))
            range->status = eng_spheres_shapes_look(spheres, index, chunk);
    }
}

static void find_in_range(struct eng_spheres *spheres, int index)
{
    eng_spheres_range *range = &spheres->list.range[index];
    range->pair_count = range->ghost_count = 0;
    range->status = CAIRN_OK;
    for (int c = range->first_chunk; c < range->end_chunk && range->status == CAIRN_OK; c++)
        range->status = find_in_chunk(spheres, range, c);
}

/// Ghosts of half-spaces from all ranges, in the order of chunks.
static cairn_status join_ghosts(struct eng_spheres *spheres)
{
    const eng_spheres_chunk *chunks = spheres->pass.chunks;
    int planes = 0;
    for (int c = 0; c < spheres->list.chunk_count; c++)
        planes += chunks[c].end_ghost;
    if (!spheres->walls.has_shapes)
        spheres->walls.plane_ghosts = spheres->walls.ghost_count = planes;
    BASE_TRY(
        eng_spheres_reserve(spheres, &spheres->walls.ghosts,
                            ((size_t)spheres->walls.ghost_count + 1) * sizeof(eng_spheres_ghost)));
    eng_spheres_ghost *all = spheres->walls.ghosts.block;
    for (int r = 0; r < spheres->list.ranges; r++) {
        const eng_spheres_range *range = &spheres->list.range[r];
        const eng_spheres_ghost *next = range->ghosts;
        for (int c = range->first_chunk; c < range->end_chunk; c++) {
            size_t count = (size_t)chunks[c].end_ghost;
            if (eng_spheres_has_chunk(spheres, c) && count > 0) {
                memcpy(all, next, count * sizeof *all);
                next += count;
            }
            all += count;
        }
    }
    return CAIRN_OK;
}

static cairn_status ranges_status(const struct eng_spheres *spheres)
{
    for (int r = 0; r < spheres->list.ranges; r++)
        if (spheres->list.range[r].status != CAIRN_OK)
            return spheres->list.range[r].status;
    return CAIRN_OK;
}

/// Groups of ghosts of walls that are no half-spaces, behind the ghosts of half-spaces.
static cairn_status make_groups(struct eng_spheres *spheres)
{
    cairn_status status = CAIRN_OK;
    spheres->walls.plane_ghosts = spheres->walls.ghost_count = count_ghosts(spheres);
    for (int c = 0; c < spheres->list.chunk_count && status == CAIRN_OK; c++) {
        eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        chunk->first_group = chunk->end_group = spheres->walls.group_count;
        if (eng_spheres_has_chunk(spheres, c))
            status = eng_spheres_shapes_group(spheres, chunk);
    }
    return status;
}

/// Pairs and ghosts of all ranges.
static cairn_status find_pairs(struct eng_spheres *spheres, const eng_spheres_search *search)
{
    spheres->walls.group_count = spheres->walls.plane_ghosts = spheres->walls.ghost_count = 0;
    eng_spheres_ranges_run(spheres, begin_range);
    BASE_TRY(ranges_status(spheres));
    if (spheres->walls.has_shapes)
        BASE_TRY(make_groups(spheres));
    spheres->list.finding = search;
    eng_spheres_ranges_run(spheres, find_in_range);
    spheres->list.finding = NULL;
    cairn_status status = ranges_status(spheres);
    if (status == CAIRN_OK)
        status = eng_spheres_share_listed(spheres);
    return status == CAIRN_OK ? join_ghosts(spheres) : status;
}

/// Slots of ghosts of all walls and of images, which are counted by now.
static cairn_status reserve_ghost_slots(struct eng_spheres *spheres)
{
    cairn_status status = eng_spheres_share_images(spheres);
    if (status == CAIRN_OK)
        status = eng_spheres_images_number(spheres);
    int more = spheres->walls.ghost_count + spheres->cell.image_count;
    size_t bytes = (size_t)spheres->table.slots + 2 + (size_t)more;
    if (status == CAIRN_OK)
        status = eng_spheres_reserve(spheres, &spheres->list.far_touched, bytes);
    if (status != CAIRN_OK)
        return status;
    spheres->pass.far_touched = spheres->list.far_touched.block;
    memset(spheres->pass.far_touched, 0, bytes);
    return eng_spheres_slots_reserve(spheres, more);
}

/// Margin of what makes a way of `way` in a step: that of so many steps, but never less or more
/// than a share of the spheres' radius.
static double margin_for(const struct eng_spheres *spheres, double way)
{
    double least = 0.06 * eng_spheres_mean_radius(spheres);
    return fmin(fmax(200.0 * way, least), eng_spheres_ordinary_margin(spheres));
}

/// Steps for which slots with wide margins get these, so that they are few. @param way  [slots] m
static double steps_of_wide(const struct eng_spheres *spheres, const double *way, double most)
{
    double limit = eng_spheres_ordinary_margin(spheres);
    double steps = fmin(200.0, ENG_SPHERES_WIDEST * eng_spheres_mean_radius(spheres) / most);
    for (; steps * most > limit; steps *= 0.8) {
        int wide = 0;
        for (int slot = 0; slot < spheres->table.slots; slot++)
            wide += steps * way[slot] > limit;
        if (wide <= spheres->table.slots / ENG_SPHERES_FEW)
            break;
    }
    return steps;
}

// What falls freely or is thrown uses up an ordinary margin within some steps, and a list is made
// for all. As long as such slots are few they get wide margins.
cairn_status eng_spheres_margins_choose(struct eng_spheres *spheres)
{
    double *margins = eng_spheres_margins(spheres), step = spheres->pass.step, most = 0.0;
    double limit = eng_spheres_ordinary_margin(spheres);
    double widest = ENG_SPHERES_WIDEST * eng_spheres_mean_radius(spheres);
    eng_spheres_rows known = eng_spheres_share_known(spheres);
    for (int slot = known.first; slot < known.end; slot++)
        margins[slot] = step * vec3_norm(vec3_from(spheres->pass.V[slot]));
    cairn_status status = eng_spheres_share_margins(spheres);
    for (int slot = 0; slot < spheres->table.slots && status == CAIRN_OK; slot++)
        most = margins[slot] > most ? margins[slot] : most;
    double steps = 0.0;
    if (200.0 * most > limit && !spheres->world->state.cell.any)
        steps = steps_of_wide(spheres, margins, most);
    for (int slot = 0; slot < spheres->table.slots; slot++) {
        double wide = steps * margins[slot];
        margins[slot] = wide > limit ? fmin(wide, widest) : margin_for(spheres, margins[slot]);
    }
    spheres->walls.margin = margin_for(spheres, step * eng_spheres_walls_fastest(spheres));
    spheres->cell.margin = spheres->cell.strains ? margin_for(spheres, spheres->cell.way) : 0.0;
    return status;
}

static cairn_status reserve_for_list(struct eng_spheres *spheres)
{
    const eng_spheres_cells *g = &spheres->list.cells;
    size_t n = (size_t)spheres->table.slots;
    size_t cells = (size_t)g->count[0] * (size_t)g->count[1] * (size_t)g->count[2];
    size_t kept = (size_t)spheres->store.kept_count, ints = 2 * (n + ENG_SPHERES_WIDTH);
    size_t keys = 4 * (size_t)spheres->store.terms_count;
    ints = ints > kept ? ints : kept;
    eng_spheres_chunks_count(spheres);
    const struct {
        eng_spheres_buffer *buffer;
        size_t bytes;
    } wanted[] = {
        {&spheres->list.cell_start, (cells + 2) * sizeof(int)},
        {&spheres->list.scratch, ints * sizeof(int)},
        {&spheres->store.kept_start, (n + 2) * sizeof(int)},
        {&spheres->list.counts, (size_t)spheres->list.ranges * (keys + 1) * sizeof(int)},
        {&spheres->list.chunks, (size_t)spheres->list.chunk_count * sizeof(eng_spheres_chunk)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        BASE_TRY(eng_spheres_reserve(spheres, wanted[i].buffer, wanted[i].bytes));
    spheres->pass.chunks = spheres->list.chunks.block;
    eng_spheres_ranges_split(spheres);
    return eng_spheres_shapes_reserve(spheres);
}

/// The last chunk on whose slots pairs of one may act, images left out: a cell's partners are no
/// farther on than the end of the row behind it in the next layer.
static int last_met(const struct eng_spheres *spheres, int chunk)
{
    const eng_spheres_cells *g = &spheres->list.cells;
    const int *start = spheres->list.cell_start.block;
    int end = (chunk + 1) * spheres->list.chunk_slots;
    int slot = (end < spheres->table.slots ? end : spheres->table.slots) - 1;
    int cells = g->count[0] * g->count[1] * g->count[2];
    int64_t cell = (int64_t)cell_at(g, spheres->pass.X[slot]) + (int64_t)g->count[1] * g->count[2] +
                   g->count[2] + 2;
    int last = cell < cells ? start[cell] - 1 : spheres->table.slots - 1;
    return last / spheres->list.chunk_slots;
}

/// Chunks with pairs that meet an image which is in a cell.
static void mark_around(struct eng_spheres *spheres, int cell, int source)
{
    const eng_spheres_cells *g = &spheres->list.cells;
    const int *start = spheres->list.cell_start.block;
    int last = g->count[2];
    int c = cell % last, b = cell / last % g->count[1], a = cell / last / g->count[1];
    int low = c > 0 ? c - 1 : 0, high = c < last - 1 ? c + 1 : c;
    for (int da = -1; da <= 1; da++)
        for (int db = -1; db <= 1; db++) {
            if (a + da < 0 || a + da >= g->count[0] || b + db < 0 || b + db >= g->count[1])
                continue;
            int line = ((a + da) * g->count[1] + b + db) * last;
            int first = start[line + low], end = start[line + high + 1];
            for (int chunk = first / spheres->list.chunk_slots;
                 first < end && chunk <= (end - 1) / spheres->list.chunk_slots &&
                 chunk <= source / spheres->list.chunk_slots;
                 chunk++)
                spheres->share->held[chunk] = true;
        }
}

/// Chunks with slots that the pairs listed here may have; all of them where pairs are sought
/// through the faces of a cell.
static void mark_near(const struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    bool all = spheres->world->state.cell.any;
    share->bare = true;
    for (int c = 0; c < spheres->list.chunk_count; c++)
        share->seen[c] = all;
    for (int c = 0, end = 0; c < spheres->list.chunk_count && !all; c++) {
        if (share->held[c] && last_met(spheres, c) >= end)
            end = last_met(spheres, c) + 1;
        share->seen[c] = share->held[c] || c < end;
    }
    const eng_spheres_far_pair *pairs = spheres->list.far_pairs.block;
    for (int i = 0; i < spheres->list.far_pair_count; i++)
        if (share->held[pairs[i].slot / spheres->list.chunk_slots])
            share->seen[pairs[i].other / spheres->list.chunk_slots] = true;
}

/// Where lists are made in parts: own chunks, and those whose pairs may act on own slots.
static void mark_held(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    int first = share->first_chunk[share->ranks.number];
    int end = share->first_chunk[share->ranks.number + 1];
    for (int c = 0; c < spheres->list.chunk_count; c++)
        share->held[c] = c < end && (c >= first || last_met(spheres, c) >= first);
    for (int i = 0; i < spheres->list.candidates.count && spheres->world->state.cell.any; i++) {
        int source = eng_spheres_candidate_source(spheres, i),
            chunk = source / spheres->list.chunk_slots;
        if (chunk >= first && chunk < end)
            mark_around(spheres, eng_spheres_candidate_cell(spheres, i), source);
    }
    const eng_spheres_far_pair *pairs = spheres->list.far_pairs.block;
    for (int i = 0; i < spheres->list.far_pair_count; i++) {
        int chunk = pairs[i].other / spheres->list.chunk_slots;
        if (chunk >= first && chunk < end)
            share->held[pairs[i].slot / spheres->list.chunk_slots] = true;
    }
    mark_near(spheres);
    eng_spheres_ranges_split_held(spheres);
}

/// What later steps and checkpoints need to know of the moment.
static void note_moment(struct eng_spheres *spheres)
{
    eng_spheres_wall *walls = spheres->walls.rows.block;
    const double *margins = eng_spheres_margins(spheres);
    double square = 0.0, widest = spheres->walls.margin, ordinary = widest;
    double limit = eng_spheres_ordinary_margin(spheres);
    double low[3], high[3];
    bounds_of(spheres, low, high);
    spheres->list.box = (geo_bounds){vec3_from(low), vec3_from(high)};
    spheres->list.has_box = !spheres->world->state.cell.any;
    for (int slot = 0; slot < spheres->table.slots; slot++) {
        double far = vec3_norm_squared(vec3_from(spheres->pass.X[slot]));
        square = far > square ? far : square;
        widest = margins[slot] > widest ? margins[slot] : widest;
        ordinary = margins[slot] > ordinary && margins[slot] <= limit ? margins[slot] : ordinary;
    }
    spheres->list.widest = 2.0 * widest;
    spheres->list.ordinary = 2.0 * ordinary;
    spheres->list.extent = sqrt(square) + spheres->list.widest;
    for (int i = 0; i < spheres->walls.count; i++)
        walls[i].listed = walls[i].now, walls[i].placed_listed = walls[i].placed;
}

/// Pairs of slots with wide margins; where these lie so close to others that they would make the
/// list longer than they make it last, they have to do with ordinary ones.
static cairn_status find_far_pairs(struct eng_spheres *spheres)
{
    eng_spheres_search search = note_places(spheres, NULL);
    cairn_status status = eng_spheres_far_pairs_find(spheres, &search);
    if (status != CAIRN_OK || spheres->list.far_pair_count <= spheres->table.slots / 4)
        return status;
    double *margins = eng_spheres_margins(spheres), limit = eng_spheres_ordinary_margin(spheres);
    for (int slot = 0; slot < spheres->table.slots; slot++)
        margins[slot] = fmin(margins[slot], limit);
    spheres->list.far_pair_count = 0;
    note_moment(spheres);
    return CAIRN_OK;
}

/// Slots in the order of cells, with all that belongs to them.
static cairn_status place_slots(struct eng_spheres *spheres)
{
    bool parted = eng_spheres_is_parted(spheres),
         wide = spheres->list.widest > spheres->list.ordinary;
    sort_slots(spheres);
    const int *order = (int *)spheres->list.scratch.block + spheres->table.slots;
    cairn_status status = parted ? eng_spheres_share_motions(spheres, order) : CAIRN_OK;
    if (status != CAIRN_OK)
        return status;
    eng_spheres_slots_permute(spheres);
    bool all = spheres->world->state.cell.any || wide;
    for (int slot = 0; slot < spheres->table.slots && parted && all; slot++)
        eng_spheres_read_constants(spheres, slot);
    const int *count = spheres->list.cells.count;
    if (spheres->world->state.cell.any)
        status = eng_spheres_candidates_make(spheres, count[0] * count[1] * count[2], cell_of_point,
                                             &spheres->list.cells);
    spheres->list.far_pair_count = 0;
    if (status == CAIRN_OK && wide)
        status = find_far_pairs(spheres);
    if (status != CAIRN_OK || !parted)
        return status;
    mark_held(spheres);
    if (!all)
        eng_spheres_share_near(spheres);
    return CAIRN_OK;
}

cairn_status eng_spheres_list_make(struct eng_spheres *spheres)
{
    eng_spheres_wrap(spheres);
    note_moment(spheres);
    spheres->list.cells = cells_of(spheres);
    cairn_status status = eng_spheres_history_keep(spheres);
    eng_spheres_share_owners(spheres);
    if (status == CAIRN_OK)
        status = reserve_for_list(spheres);
    if (status == CAIRN_OK)
        status = eng_spheres_share_deal(spheres);
    if (status == CAIRN_OK)
        status = place_slots(spheres);
    if (status == CAIRN_OK) {
        eng_spheres_history_drop(spheres);
        status = eng_spheres_share_history(spheres);
    }
    if (status == CAIRN_OK)
        status = eng_spheres_history_sort(spheres);
    if (status == CAIRN_OK) {
        bool parted = eng_spheres_is_parted(spheres);
        eng_spheres_search search = note_places(spheres, parted ? spheres->share->seen : NULL);
        status = find_pairs(spheres, &search);
    }
    if (status == CAIRN_OK)
        status = reserve_ghost_slots(spheres);
    if (status == CAIRN_OK)
        status = eng_spheres_blocks_make(spheres);
    if (status == CAIRN_OK && spheres->cell.strains)
        status = eng_spheres_image_pairs_list(spheres);
    if (status != CAIRN_OK) {
        // nothing is left that could be read
        spheres->store.block_count = spheres->store.kept_count = spheres->walls.ghost_count =
            spheres->list.chunk_count = 0;
        spheres->walls.plane_ghosts = spheres->walls.group_count = spheres->cell.image_count = 0;
        spheres->pass.first_image = INT_MAX;
        spheres->list.out_of_memory = true;
        return status;
    }
    eng_spheres_ghosts_place(spheres, ENG_SPHERES_PLACE_ALL);
    eng_spheres_ghosts_move(spheres, spheres->walls.plane_ghosts, spheres->walls.ghost_count,
                            ENG_SPHERES_PLACE_ALL, NULL);
    eng_spheres_images_move(spheres, 0, spheres->cell.image_count);
    spheres->walls.path = 0.0;
    spheres->list.slack = spheres->walls.margin;
    if (spheres->cell.strains)
        spheres->list.slack = fmin(spheres->list.slack, spheres->cell.margin);
    spheres->list.made++;
    spheres->list.overflow = false;
    return eng_spheres_shapes_renew(spheres, ENG_SPHERES_PLACE_ALL);
}
