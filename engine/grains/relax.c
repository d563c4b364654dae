// SPDX-License-Identifier: Apache-2.0
// Relaxation of overlapping spheres: the pushes of pairs and walls, their list of neighbours, and
// the motion that takes energy out.
#include "engine/grains/relax.h"
#include "engine/state/world.h"

#include "base/timer.h"

#include <string.h>

// pairs up to this part of the mean size apart are listed
static const double skin_part = 0.3;
// a sphere moves by at most this part of the mean size in a round
static const double way_part = 0.1;

enum { CELLS_PER_SPHERE = 2 };

cairn_status eng_relax_create(eng_relax *relax, const cairn_world *world,
                              const cairn_region *region, int count)
{
    const base_allocator *allocator = &world->model.allocator;
    size_t n = (size_t)count;
    *relax = (eng_relax){.world = world, .region = region, .count = count, .until = INFINITY};
    geo_bounds bounds = eng_region_bounds(world, region);
    relax->low = bounds.low;
    relax->side = vec3_sub(bounds.high, bounds.low);
    eng_region_wraps(world, region, relax->wraps);
    relax->place = base_allocate(allocator, n, sizeof(vec3));
    relax->radius = base_allocate(allocator, n, sizeof(double));
    relax->speed = base_allocate(allocator, n, sizeof(vec3));
    relax->force = base_allocate(allocator, n, sizeof(vec3));
    relax->listed = base_allocate(allocator, n, sizeof(vec3));
    relax->first = base_allocate(allocator, n + 1, sizeof(int));
    relax->cell_item = base_allocate(allocator, n, sizeof(int));
    if (relax->place != NULL && relax->radius != NULL && relax->speed != NULL &&
        relax->force != NULL && relax->listed != NULL && relax->first != NULL &&
        relax->cell_item != NULL)
        return CAIRN_OK;
    eng_relax_finish(relax);
    return CAIRN_ERROR_MEMORY;
}

void eng_relax_finish(eng_relax *relax)
{
    if (relax->world == NULL)
        return;
    void *blocks[] = {relax->place,     relax->radius,     relax->speed,
                      relax->force,     relax->listed,     relax->first,
                      relax->neighbour, relax->cell_start, relax->cell_item};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        base_release(&relax->world->model.allocator, blocks[i]);
    *relax = (eng_relax){0};
}

vec3 eng_relax_wrap(const eng_relax *relax, vec3 place)
{
    for (int k = 0; k < 3; k++) {
        double side = vec3_get(relax->side, k), at = vec3_get(place, k) - vec3_get(relax->low, k);
        if (relax->wraps[k])
            place = vec3_set(place, k, vec3_get(place, k) - side * floor(at / side));
    }
    return place;
}

/// From one sphere to the nearest image of another.
static vec3 between(const eng_relax *relax, int from, int to)
{
    vec3 apart = vec3_sub(relax->place[to], relax->place[from]);
    const bool *wraps = relax->wraps;
    if (!wraps[0] && !wraps[1] && !wraps[2])
        return apart;
    vec3 side = relax->side;
    apart.x -= wraps[0] ? side.x * rint(apart.x / side.x) : 0.0;
    apart.y -= wraps[1] ? side.y * rint(apart.y / side.y) : 0.0;
    apart.z -= wraps[2] ? side.z * rint(apart.z / side.z) : 0.0;
    return apart;
}

// ---------------------------------------------------------------- neighbours

/// Cells over the region.
typedef struct relax_grid {
    vec3 low;
    double inverse; // 1/m
    double edge[3]; // 1/m, along each side
    int dim[3];
} relax_grid;

/// Cells as large as the farthest listed pair, or larger where they would be too many.
static relax_grid choose_grid(const eng_relax *relax)
{
    vec3 extent = relax->side;
    double largest = 0.0;
    for (int i = 0; i < relax->count; i++)
        largest = fmax(largest, relax->radius[i]);
    double cell = 2.0 * largest * (1.0 + relax->swell) + skin_part * relax->size;
    relax_grid grid = {.low = relax->low};
    for (double count = INFINITY; count > fmax(64.0, CELLS_PER_SPHERE * (double)relax->count);
         cell *= 1.26) {
        count = 1.0;
        for (int k = 0; k < 3; k++)
            count *= fmax(1.0, ceil(vec3_get(extent, k) / cell));
        grid.inverse = 1.0 / cell;
    }
    for (int k = 0; k < 3; k++)
        grid.dim[k] = (int)fmax(1.0, ceil(vec3_get(extent, k) * grid.inverse));
    // where the cells follow each other around the period they are all as large
    for (int k = 0; k < 3; k++)
        if (relax->wraps[k])
            grid.dim[k] = (int)fmax(1.0, floor(vec3_get(extent, k) * grid.inverse));
    for (int k = 0; k < 3; k++)
        grid.edge[k] = relax->wraps[k] ? grid.dim[k] / vec3_get(extent, k) : grid.inverse;
    return grid;
}

static void cell_of(const eng_relax *relax, const relax_grid *grid, int i, int cell[3])
{
    vec3 place = eng_relax_wrap(relax, relax->place[i]);
    for (int k = 0; k < 3; k++) {
        double at = floor((vec3_get(place, k) - vec3_get(grid->low, k)) * grid->edge[k]);
        cell[k] = (int)fmin(fmax(at, 0.0), grid->dim[k] - 1.0);
    }
}

static int cell_number(const relax_grid *grid, const int cell[3])
{
    return cell[0] + grid->dim[0] * (cell[1] + grid->dim[1] * cell[2]);
}

/// Spheres in the order of cells, in each cell in their own order.
static cairn_status sort_cells(eng_relax *relax, const relax_grid *grid)
{
    int cells = grid->dim[0] * grid->dim[1] * grid->dim[2], cell[3];
    BASE_TRY(base_array_reserve(&relax->world->model.allocator, &relax->cell_start,
                                &relax->cell_capacity, cells + 2));
    int *start = relax->cell_start;
    memset(start, 0, ((size_t)cells + 2) * sizeof *start);
    for (int i = 0; i < relax->count; i++) {
        cell_of(relax, grid, i, cell);
        start[cell_number(grid, cell) + 2]++;
    }
    for (int c = 0; c < cells; c++)
        start[c + 2] += start[c + 1];
    for (int i = 0; i < relax->count; i++) {
        cell_of(relax, grid, i, cell);
        relax->cell_item[start[cell_number(grid, cell) + 1]++] = i;
    }
    return CAIRN_OK;
}

/// Neighbours of sphere i with a higher number in cells that follow each other, behind `count` that
/// are there.
static cairn_status list_in_cells(eng_relax *relax, int i, int first_cell, int last_cell,
                                  int *count)
{
    double reach = relax->radius[i] * (1.0 + relax->swell) + skin_part * relax->size;
    int begin = relax->cell_start[first_cell], end = relax->cell_start[last_cell + 1];
    cairn_status status = base_array_reserve(&relax->world->model.allocator, &relax->neighbour,
                                             &relax->neighbour_capacity, *count + end - begin);
    for (int s = begin; s < end && status == CAIRN_OK; s++) {
        int j = relax->cell_item[s];
        double most = reach + relax->radius[j] * (1.0 + relax->swell);
        if (j > i && vec3_norm_squared(between(relax, i, j)) < most * most)
            relax->neighbour[(*count)++] = j;
    }
    return status;
}

/// Cells next to one along a side and itself, each once: numbers that count beyond both ends of a
/// side that wraps.
static void range_of(const eng_relax *relax, const relax_grid *grid, int k, int at, int range[2])
{
    int last = grid->dim[k] - 1;
    range[0] = at - 1;
    range[1] = at + 1;
    if (!relax->wraps[k]) {
        range[0] = at > 0 ? at - 1 : 0;
        range[1] = at < last ? at + 1 : last;
    } else if (last < 2) {
        range[0] = 0;
        range[1] = last;
    }
}

static cairn_status list_neighbours(eng_relax *relax, const relax_grid *grid, int i, int *count)
{
    const int *dim = grid->dim;
    int at[3], range[3][2];
    cell_of(relax, grid, i, at);
    for (int k = 0; k < 3; k++)
        range_of(relax, grid, k, at[k], range[k]);
    cairn_status status = CAIRN_OK;
    for (int z = range[2][0]; z <= range[2][1]; z++)
        for (int y = range[1][0]; y <= range[1][1] && status == CAIRN_OK; y++) {
            int row = cell_number(grid, (int[3]){0, (y + dim[1]) % dim[1], (z + dim[2]) % dim[2]});
            int low = range[0][0] < 0 ? 0 : range[0][0];
            int high = range[0][1] < dim[0] ? range[0][1] : dim[0] - 1;
            status = list_in_cells(relax, i, row + low, row + high, count);
            // and what is beyond the ends of the row
            if (status == CAIRN_OK && range[0][0] < 0)
                status = list_in_cells(relax, i, row + dim[0] - 1, row + dim[0] - 1, count);
            if (status == CAIRN_OK && range[0][1] == dim[0])
                status = list_in_cells(relax, i, row, row, count);
        }
    return status;
}

static cairn_status make_list(eng_relax *relax)
{
    relax_grid grid = choose_grid(relax);
    int count = 0;
    cairn_status status = sort_cells(relax, &grid);
    for (int i = 0; i < relax->count && status == CAIRN_OK; i++) {
        relax->first[i] = count;
        status = list_neighbours(relax, &grid, i, &count);
    }
    relax->first[relax->count] = count;
    memcpy(relax->listed, relax->place, (size_t)relax->count * sizeof *relax->listed);
    return status;
}

/// Whether two spheres may have come nearer than the list knows.
static bool list_is_old(const eng_relax *relax)
{
    double most = 0.5 * skin_part * relax->size;
    for (int i = 0; i < relax->count; i++)
        if (vec3_norm_squared(vec3_sub(relax->place[i], relax->listed[i])) > most * most)
            return true;
    return false;
}

// ---------------------------------------------------------------- pushes

/// Sums over all pairs and walls: pushes in `force`, and how the spheres overlap.
static void find_forces(eng_relax *relax)
{
    double sum = 0.0, swell = 1.0 + relax->swell;
    int64_t pushes = 0;
    relax->deepest = 0.0;
    relax->contacts = relax->touches = 0;
    memset(relax->force, 0, (size_t)relax->count * sizeof *relax->force);
    for (int i = 0; i < relax->count; i++) {
        vec3 own = relax->force[i], place = relax->place[i];
        double radius = relax->radius[i];
        for (int s = relax->first[i]; s < relax->first[i + 1]; s++) {
            int j = relax->neighbour[s];
            vec3 apart = between(relax, i, j);
            double both = radius + relax->radius[j], d2 = vec3_norm_squared(apart);
            if (!(d2 < both * swell * both * swell))
                continue;
            double d = sqrt(d2), push = both * swell - d;
            vec3 force = d > 0.0 ? vec3_scale(push / d, apart) : (vec3){push, 0.0, 0.0};
            own = vec3_sub(own, force);
            relax->force[j] = vec3_add(relax->force[j], force);
            sum += push;
            pushes++;
            relax->contacts += d < both;
            relax->deepest =
                fmax(relax->deepest, 0.5 * (both - d) / fmin(radius, relax->radius[j]));
        }
        eng_region_push wall =
            eng_region_push_in(relax->world, relax->region, place, radius * swell);
        relax->force[i] = vec3_add(own, wall.way);
        sum += wall.deepest;
        pushes += wall.walls;
        if (wall.walls > 0) {
            double depth = 0.5 * (wall.deepest - radius * relax->swell) / radius;
            relax->touches += depth > 0.0 ? wall.walls : 0;
            relax->deepest = fmax(relax->deepest, depth);
        }
    }
    relax->mean = pushes > 0 ? sum / (double)pushes / relax->size - relax->swell : 0.0;
    double left = 0.0;
    for (int i = 0; i < relax->count; i++)
        left += vec3_norm(relax->force[i]);
    relax->unbalance = pushes > 0 ? left / relax->count / (sum / (double)pushes) : (double)INFINITY;
}

// ---------------------------------------------------------------- motion

typedef struct relax_pace {
    double step, mix; // time step; share of the speed that is turned along the force
    int downhill;     // rounds since the power was negative
} relax_pace;

/// One round of the relaxation engine: masses and stiffness are 1.
static void move(eng_relax *relax, relax_pace *pace)
{
    enum { WAIT = 5 };
    const double step_max = 0.3, step_min = 0.005, mix_start = 0.1;
    double power = 0.0, speed2 = 0.0, force2 = 0.0, most = way_part * relax->size;
    for (int i = 0; i < relax->count; i++) {
        power += vec3_dot(relax->force[i], relax->speed[i]);
        speed2 += vec3_norm_squared(relax->speed[i]);
        force2 += vec3_norm_squared(relax->force[i]);
    }
    if (power > 0.0 && ++pace->downhill > WAIT) {
        pace->step = fmin(1.1 * pace->step, step_max);
        pace->mix *= 0.99;
    }
    double keep = 1.0 - pace->mix, along = force2 > 0.0 ? pace->mix * sqrt(speed2 / force2) : 0.0;
    if (!(power > 0.0)) {
        pace->downhill = 0;
        pace->step = fmax(0.5 * pace->step, step_min);
        pace->mix = mix_start;
        keep = along = 0.0;
    }
    for (int i = 0; i < relax->count; i++) {
        vec3 speed =
            vec3_add_scaled(vec3_scale(keep, relax->speed[i]), along + pace->step, relax->force[i]);
        double way = pace->step * vec3_norm(speed);
        if (way > most)
            speed = vec3_scale(most / way, speed);
        relax->speed[i] = speed;
        relax->place[i] = vec3_add_scaled(relax->place[i], pace->step, speed);
    }
}

cairn_status eng_relax_run(eng_relax *relax, double balance, int rounds_max, eng_relax_end *end)
{
    relax_pace pace = {0.1, 0.1, 0};
    cairn_status status = make_list(relax);
    memset(relax->speed, 0, (size_t)relax->count * sizeof *relax->speed);
    *end = ENG_RELAX_STOPPED;
    for (int round = 0; round < rounds_max && status == CAIRN_OK; round++) {
        if (list_is_old(relax))
            status = make_list(relax);
        if (status != CAIRN_OK)
            break;
        find_forces(relax);
        relax->rounds++;
        if (relax->deepest <= 0.0)
            *end = ENG_RELAX_APART;
        else if (relax->unbalance < fmax(balance, relax->ease * relax->mean))
            *end = ENG_RELAX_BALANCED;
        else if (base_timer_seconds() > relax->until)
            *end = ENG_RELAX_LATE;
        if (*end != ENG_RELAX_STOPPED)
            break;
        move(relax, &pace);
    }
    return status;
}
