// SPDX-License-Identifier: Apache-2.0
// Relaxation of overlapping spheres: the pushes of pairs and walls, their list of neighbours, and
// the motion that takes energy out.
#include "engine/grains/relax.h"

#include <string.h>

// pairs up to this part of the mean size apart are listed
static const double skin_part = 0.3;
// a sphere moves by at most this part of the mean size in a round
static const double way_part = 0.1;

enum { CELLS_PER_SPHERE = 2 };

cairn_status eng_relax_create(eng_relax *relax, const cairn_world *world,
                              const cairn_region *region, int count)
{
    const base_allocator *allocator = &world->allocator;
    size_t n = (size_t)count;
    *relax = (eng_relax){.world = world, .region = region, .count = count};
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
        base_release(&relax->world->allocator, blocks[i]);
    *relax = (eng_relax){0};
}

// ---------------------------------------------------------------- neighbours

/// Cells over the region.
typedef struct relax_grid {
    vec3 low;
    double inverse; // 1/m
    int dim[3];
} relax_grid;

/// Cells as large as the farthest listed pair, or larger where they would be too many.
static relax_grid choose_grid(const eng_relax *relax)
{
    geo_bounds bounds = eng_region_bounds(relax->world, relax->region);
    vec3 extent = vec3_sub(bounds.high, bounds.low);
    double largest = 0.0;
    for (int i = 0; i < relax->count; i++)
        largest = fmax(largest, relax->radius[i]);
    double cell = 2.0 * largest * (1.0 + relax->swell) + skin_part * relax->size;
    relax_grid grid = {.low = bounds.low};
    for (double count = INFINITY; count > fmax(64.0, CELLS_PER_SPHERE * (double)relax->count);
         cell *= 1.26) {
        count = 1.0;
        for (int k = 0; k < 3; k++)
            count *= fmax(1.0, ceil(vec3_get(extent, k) / cell));
        grid.inverse = 1.0 / cell;
    }
    for (int k = 0; k < 3; k++)
        grid.dim[k] = (int)fmax(1.0, ceil(vec3_get(extent, k) * grid.inverse));
    return grid;
}

static void cell_of(const relax_grid *grid, vec3 place, int cell[3])
{
    for (int k = 0; k < 3; k++) {
        double at = floor((vec3_get(place, k) - vec3_get(grid->low, k)) * grid->inverse);
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
    cairn_status status = base_array_reserve(&relax->world->allocator, &relax->cell_start,
                                             &relax->cell_capacity, cells + 2);
    if (status != CAIRN_OK)
        return status;
    int *start = relax->cell_start;
    memset(start, 0, ((size_t)cells + 2) * sizeof *start);
    for (int i = 0; i < relax->count; i++) {
        cell_of(grid, relax->place[i], cell);
        start[cell_number(grid, cell) + 2]++;
    }
    for (int c = 0; c < cells; c++)
        start[c + 2] += start[c + 1];
    for (int i = 0; i < relax->count; i++) {
        cell_of(grid, relax->place[i], cell);
        relax->cell_item[start[cell_number(grid, cell) + 1]++] = i;
    }
    return CAIRN_OK;
}

/// Neighbours of sphere i with a higher number, behind `count` that are there.
static cairn_status list_neighbours(eng_relax *relax, const relax_grid *grid, int i, int *count)
{
    int at[3], low[3], high[3];
    cell_of(grid, relax->place[i], at);
    for (int k = 0; k < 3; k++) {
        low[k] = at[k] > 0 ? at[k] - 1 : 0;
        high[k] = at[k] < grid->dim[k] - 1 ? at[k] + 1 : at[k];
    }
    double reach = relax->radius[i] * (1.0 + relax->swell) + skin_part * relax->size;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++) {
            // the cells of a row follow each other
            int begin = relax->cell_start[cell_number(grid, (int[3]){low[0], y, z})];
            int end = relax->cell_start[cell_number(grid, (int[3]){high[0], y, z}) + 1];
            cairn_status status =
                base_array_reserve(&relax->world->allocator, &relax->neighbour,
                                   &relax->neighbour_capacity, *count + end - begin);
            if (status != CAIRN_OK)
                return status;
            for (int s = begin; s < end; s++) {
                int j = relax->cell_item[s];
                double most = reach + relax->radius[j] * (1.0 + relax->swell);
                if (j > i &&
                    vec3_norm_squared(vec3_sub(relax->place[j], relax->place[i])) < most * most)
                    relax->neighbour[(*count)++] = j;
            }
        }
    return CAIRN_OK;
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
            vec3 apart = vec3_sub(relax->place[j], place);
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
        else if (relax->unbalance < balance)
            *end = ENG_RELAX_BALANCED;
        if (*end != ENG_RELAX_STOPPED)
            break;
        move(relax, &pace);
    }
    return status;
}
