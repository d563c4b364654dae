// SPDX-License-Identifier: Apache-2.0
// Pairs of slots with wide margins. Cells are as large as the reach of all others, so that few fast
// spheres do not make the search of the rest any wider; these few look farther on themselves.
#include "engine/pairs/spheres/data.h"

#include <stdlib.h>

enum { FOUND_MOST = 256 }; // slots looked at in one call

typedef struct looking {
    const eng_spheres_search *search;
    double limit; // m, margins above it are wide
    int slot, at[3];
} looking;

/// Whether the other search has the pair: both lie in neighbouring cells, or the other slot is a
/// wide one that looks for itself.
static bool is_found_elsewhere(const struct eng_spheres *spheres, const looking *l, int other)
{
    const eng_spheres_cells *cells = &spheres->list.cells;
    if (other == l->slot || (other < l->slot && l->search->margin[other] > l->limit))
        return true;
    for (int k = 0; k < 3; k++) {
        int at = eng_spheres_cell_along(cells, k, l->search->place[cells->axis[k]][other]);
        if (abs(at - l->at[k]) > 1)
            return false;
    }
    return true;
}

static cairn_status add_pair(struct eng_spheres *spheres, int slot, int found)
{
    int other = found & ~ENG_SPHERES_APART;
    size_t bytes = ((size_t)spheres->list.far_pair_count + 1) * sizeof(eng_spheres_far_pair);
    cairn_status status = eng_spheres_reserve(spheres, &spheres->list.far_pairs, bytes);
    if (status == CAIRN_OK)
        ((eng_spheres_far_pair *)spheres->list.far_pairs.block)[spheres->list.far_pair_count++] =
            (eng_spheres_far_pair){slot < other ? slot : other, slot < other ? other : slot,
                                   (found & ENG_SPHERES_APART) != 0};
    return status;
}

/// Pairs of a slot with those of a run of cells.
static cairn_status look_in(struct eng_spheres *spheres, const looking *l, int begin, int end)
{
    int found[FOUND_MOST + ENG_SPHERES_WIDTH];
    cairn_status status = CAIRN_OK;
    for (int from = begin; from < end; from += FOUND_MOST) {
        int until = end - from < FOUND_MOST ? end : from + FOUND_MOST;
        int count = spheres->kernel->meet(l->search, l->slot, from, until, found);
        for (int k = 0; k < count && status == CAIRN_OK; k++)
            if (!is_found_elsewhere(spheres, l, found[k] & ~ENG_SPHERES_APART))
                status = add_pair(spheres, l->slot, found[k]);
    }
    return status;
}

/// Pairs of a slot with all that its margin reaches.
static cairn_status look_around(struct eng_spheres *spheres, const looking *l)
{
    const eng_spheres_cells *cells = &spheres->list.cells;
    const int *start = spheres->list.cell_start.block;
    double reach = l->search->radius[l->slot] + spheres->table.largest +
                   l->search->margin[l->slot] + 0.5 * spheres->list.widest;
    int low[3], high[3];
    for (int k = 0; k < 3; k++) {
        double at = l->search->place[cells->axis[k]][l->slot];
        low[k] = eng_spheres_cell_along(cells, k, at - 1.000001 * reach);
        high[k] = eng_spheres_cell_along(cells, k, at + 1.000001 * reach);
    }
    cairn_status status = CAIRN_OK;
    for (int a = low[0]; a <= high[0]; a++)
        for (int b = low[1]; b <= high[1] && status == CAIRN_OK; b++) {
            int line = (a * cells->count[1] + b) * cells->count[2];
            status = look_in(spheres, l, start[line + low[2]], start[line + high[2] + 1]);
        }
    return status;
}

static int compare_pairs(const void *a, const void *b)
{
    const eng_spheres_far_pair *x = a, *y = b;
    int x_key = x->slot != y->slot ? x->slot : x->other;
    int y_key = x->slot != y->slot ? y->slot : y->other;
    return (x_key > y_key) - (x_key < y_key);
}

cairn_status eng_spheres_far_pairs_find(struct eng_spheres *spheres,
                                        const eng_spheres_search *search)
{
    looking l = {.search = search, .limit = eng_spheres_ordinary_margin(spheres)};
    cairn_status status = CAIRN_OK;
    spheres->list.far_pair_count = 0;
    for (l.slot = 0; l.slot < spheres->table.slots && status == CAIRN_OK; l.slot++) {
        if (!(search->margin[l.slot] > l.limit))
            continue;
        for (int k = 0; k < 3; k++)
            l.at[k] = eng_spheres_cell_along(&spheres->list.cells, k,
                                             search->place[spheres->list.cells.axis[k]][l.slot]);
        status = look_around(spheres, &l);
    }
    if (spheres->list.far_pair_count > 0)
        qsort(spheres->list.far_pairs.block, (size_t)spheres->list.far_pair_count,
              sizeof(eng_spheres_far_pair), compare_pairs);
    return status;
}

int eng_spheres_far_pairs_from(const struct eng_spheres *spheres, int slot)
{
    const eng_spheres_far_pair *pairs = spheres->list.far_pairs.block;
    int low = 0, high = spheres->list.far_pair_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (pairs[middle].slot < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
