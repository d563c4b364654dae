// SPDX-License-Identifier: Apache-2.0
// Broad phase of like sizes: a uniform grid, kept as a list sorted by cell, so that an empty
// world costs nothing and three cells along x are one run of the list.
#include "geometry/broad/broad_phase_internal.h"

#include <float.h>

// coordinates of cells are clamped to the limit, which makes three of them fit into a key of 63
// bits: beyond it, cells are shared, which costs time alone
enum { CELL_LIMIT = 1 << 19, RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

/// Placement of the cells.
typedef struct cell_frame {
    double origin[3];  // m, a typical centre, so that strays do not shift the others' cells
    double inverse[3]; // 1/m, of the cell's edges
    int low[3];        // lowest cell used
    int bits[3];       // of the number of cells used, with one empty cell on either side
} cell_frame;

static double centre_of(const geo_fat_proxy *fat, int axis)
{
    return 0.5 * vec3_get(fat->bounds.low, axis) + 0.5 * vec3_get(fat->bounds.high, axis);
}

static double typical_centre(const geo_broad_phase *broad, int axis)
{
    const geo_broad_grid *grid = &broad->grid;
    double sample[GEO_BROAD_SAMPLE];
    int count = grid->count < GEO_BROAD_SAMPLE ? grid->count : GEO_BROAD_SAMPLE;
    for (int i = 0; i < count; i++) {
        int at = (int)((long)i * grid->count / count);
        sample[i] = centre_of(&broad->fat[grid->order[at]], axis);
    }
    return geo_broad_median(sample, count);
}

// two boxes that overlap are at most one cell apart: cells are as wide as the widest box, and a
// little more for round-off
static void fit_cells(const geo_broad_phase *broad, cell_frame *cells)
{
    const geo_broad_grid *grid = &broad->grid;
    double widest = 0.0, edge[3];
    for (int axis = 0; axis < 3; axis++) {
        double extent = 0.0, reach = 0.0;
        for (int i = 0; i < grid->count; i++) {
            const geo_bounds *b = &broad->fat[grid->order[i]].bounds;
            double low = vec3_get(b->low, axis), high = vec3_get(b->high, axis);
            extent = high - low > extent ? high - low : extent;
            reach = -low > reach ? -low : reach;
            reach = high > reach ? high : reach;
        }
        edge[axis] = extent * (1.0 + 1e-6) + 16.0 * DBL_EPSILON * reach;
        widest = fmax(widest, edge[axis]);
        cells->origin[axis] = typical_centre(broad, axis);
    }
    for (int axis = 0; axis < 3; axis++) {
        // flat boxes still get cells of some height
        double used = fmax(edge[axis], 1e-3 * widest);
        cells->inverse[axis] = used > 0.0 ? 1.0 / used : 1.0;
    }
}

static int cell_of(const cell_frame *cells, const geo_fat_proxy *fat, int axis)
{
    double at = floor((centre_of(fat, axis) - cells->origin[axis]) * cells->inverse[axis]);
    return at > CELL_LIMIT ? CELL_LIMIT : at > -CELL_LIMIT ? (int)at : -CELL_LIMIT;
}

static void fit_bits(const geo_broad_phase *broad, cell_frame *cells)
{
    const geo_broad_grid *grid = &broad->grid;
    for (int axis = 0; axis < 3; axis++) {
        int low = CELL_LIMIT, high = -CELL_LIMIT;
        for (int i = 0; i < grid->count; i++) {
            int at = cell_of(cells, &broad->fat[grid->order[i]], axis);
            low = at < low ? at : low;
            high = at > high ? at : high;
        }
        cells->low[axis] = low;
        cells->bits[axis] = 0;
        while (high - low + 3 > 1 << cells->bits[axis])
            cells->bits[axis]++;
    }
}

// x in the lowest bits, so that a row of cells is a run of keys
static void fill_keys(geo_broad_phase *broad, const cell_frame *cells)
{
    geo_broad_grid *grid = &broad->grid;
    grid->row_step = UINT64_C(1) << cells->bits[0];
    grid->layer_step = grid->row_step << cells->bits[1];
    for (int i = 0; i < grid->count; i++) {
        const geo_fat_proxy *fat = &broad->fat[grid->order[i]];
        uint64_t at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = (uint64_t)(cell_of(cells, fat, axis) - cells->low[axis] + 1);
        grid->keys[i] = at[0] + at[1] * grid->row_step + at[2] * grid->layer_step;
    }
}

static void sort_digit(geo_broad_grid *grid, int shift)
{
    int starts[RADIX + 1] = {0};
    for (int i = 0; i < grid->count; i++)
        starts[(grid->keys[i] >> shift & (RADIX - 1)) + 1]++;
    for (int digit = 0; digit < RADIX; digit++)
        starts[digit + 1] += starts[digit];
    for (int i = 0; i < grid->count; i++) {
        int to = starts[grid->keys[i] >> shift & (RADIX - 1)]++;
        grid->spare_keys[to] = grid->keys[i];
        grid->spare_order[to] = grid->order[i];
    }
    uint64_t *keys = grid->keys;
    grid->keys = grid->spare_keys;
    grid->spare_keys = keys;
    int *order = grid->order;
    grid->order = grid->spare_order;
    grid->spare_order = order;
}

static cairn_status reserve_grid(geo_broad_phase *broad, int count)
{
    geo_broad_grid *grid = &broad->grid;
    const base_allocator *allocator = &broad->allocator;
    BASE_TRY(base_array_reserve(allocator, &grid->sorted, &grid->capacity[0], count));
    BASE_TRY(base_array_reserve(allocator, &grid->keys, &grid->capacity[1], count));
    BASE_TRY(base_array_reserve(allocator, &grid->spare_keys, &grid->capacity[2], count));
    BASE_TRY(base_array_reserve(allocator, &grid->order, &grid->capacity[3], count));
    return base_array_reserve(allocator, &grid->spare_order, &grid->capacity[4], count);
}

cairn_status geo_broad_grid_build(geo_broad_phase *broad)
{
    geo_broad_grid *grid = &broad->grid;
    grid->count = 0;
    int count = 0;
    for (int i = 0; i < broad->count; i++)
        count += broad->classes[i] == GEO_CLASS_GRID;
    cairn_status status = reserve_grid(broad, count);
    if (status != CAIRN_OK || count == 0)
        return status;
    for (int i = 0; i < broad->count; i++)
        if (broad->classes[i] == GEO_CLASS_GRID)
            grid->order[grid->count++] = i;
    cell_frame cells;
    fit_cells(broad, &cells);
    fit_bits(broad, &cells);
    fill_keys(broad, &cells);
    int bits = cells.bits[0] + cells.bits[1] + cells.bits[2];
    for (int shift = 0; shift < bits; shift += RADIX_BITS)
        sort_digit(grid, shift);
    for (int i = 0; i < grid->count; i++)
        grid->sorted[i] = broad->fat[grid->order[i]];
    return CAIRN_OK;
}

// first entry whose key is not below `key`
static int lower_entry(const geo_broad_grid *grid, uint64_t key)
{
    int low = 0, high = grid->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (grid->keys[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// tries one proxy against a run of the list
static void search_run(const geo_broad_grid *grid, int i, int begin, int end, geo_pair_list *list)
{
    const geo_fat_proxy *mine = &grid->sorted[i];
    if (begin == end)
        return;
    if (list->count + (end - begin) > list->capacity) {
        for (int k = begin; k < end; k++)
            if (geo_fat_pair(mine, &grid->sorted[k]))
                geo_pair_list_add(list, mine->index, grid->sorted[k].index);
        return;
    }
    // there is room for all: write each one, and keep those that count
    geo_pair *next = list->pairs + list->count;
    for (int k = begin; k < end; k++) {
        int a = mine->index, b = grid->sorted[k].index;
        *next = (geo_pair){a < b ? a : b, a < b ? b : a};
        next += geo_fat_pair(mine, &grid->sorted[k]);
    }
    list->count = next - list->pairs;
}

void geo_broad_grid_search(const geo_broad_phase *broad, int begin, int end, geo_pair_list *list)
{
    const geo_broad_grid *grid = &broad->grid;
    // the half of the neighbours that comes later in the list: the rest of the own row, and the
    // three cells of each of four rows; the runs only move forward with the own cell
    const uint64_t steps[4] = {grid->row_step, grid->layer_step - grid->row_step, grid->layer_step,
                               grid->layer_step + grid->row_step};
    int run_begin[4], run_end[4], own_end = begin;
    for (int r = 0; r < 4; r++)
        run_begin[r] = run_end[r] = lower_entry(grid, grid->keys[begin] + steps[r] - 1);
    for (int i = begin; i < end; i++) {
        uint64_t key = grid->keys[i];
        while (own_end < grid->count && grid->keys[own_end] <= key + 1)
            own_end++;
        search_run(grid, i, i + 1, own_end, list);
        for (int r = 0; r < 4; r++) {
            uint64_t middle = key + steps[r];
            while (run_begin[r] < grid->count && grid->keys[run_begin[r]] < middle - 1)
                run_begin[r]++;
            run_end[r] = run_end[r] > run_begin[r] ? run_end[r] : run_begin[r];
            while (run_end[r] < grid->count && grid->keys[run_end[r]] <= middle + 1)
                run_end[r]++;
            search_run(grid, i, run_begin[r], run_end[r], list);
        }
    }
}
