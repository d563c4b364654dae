// SPDX-License-Identifier: Apache-2.0
// Finds which polygons share an edge by sorting the sides of all of them.
#include "geometry/shape/shape_internal.h"

#include <stdlib.h>

geo_edge_use geo_edge_use_make(int from, int to, int owner, int slot)
{
    bool forward = from < to;
    return (geo_edge_use){.low = forward ? from : to,
                          .high = forward ? to : from,
                          .owner = owner,
                          .slot = slot,
                          .forward = forward};
}

static int compare_numbers(int a, int b)
{
    return (a > b) - (a < b);
}

static int compare_uses(const void *left, const void *right)
{
    const geo_edge_use *a = left, *b = right;
    int order = compare_numbers(a->low, b->low);
    if (order == 0)
        order = compare_numbers(a->high, b->high);
    if (order == 0)
        order = compare_numbers(a->owner, b->owner);
    return order != 0 ? order : compare_numbers(a->slot, b->slot);
}

void geo_edge_uses_sort(geo_edge_use *uses, int count)
{
    qsort(uses, (size_t)count, sizeof *uses, compare_uses);
}

int geo_edge_uses_run(const geo_edge_use *uses, int count, int first)
{
    int end = first + 1;
    while (end < count && uses[end].low == uses[first].low && uses[end].high == uses[first].high)
        end++;
    return end - first;
}
