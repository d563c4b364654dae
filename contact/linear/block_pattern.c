// SPDX-License-Identifier: Apache-2.0
// Block patterns from lists of pairs.
#include "contact/linear/block_order.h"

#include <limits.h>
#include <string.h>

// stable counting sort of pairs by one of their two members
static void sort_by(int member, const int (*from)[2], int (*to)[2], size_t count, int *start,
                    int size)
{
    memset(start, 0, (size_t)(size + 1) * sizeof *start);
    for (size_t k = 0; k < count; k++)
        start[from[k][member] + 1]++;
    for (int i = 0; i < size; i++)
        start[i + 1] += start[i];
    for (size_t k = 0; k < count; k++) {
        int *out = to[start[from[k][member]]++];
        out[0] = from[k][0];
        out[1] = from[k][1];
    }
}

cairn_status con_block_pattern_create(int size, int (*pairs)[2], size_t count, base_arena *arena,
                                      con_block_pattern *pattern)
{
    if (count > INT_MAX)
        return CAIRN_ERROR_MEMORY;
    int *start = base_arena_array(arena, int, "block pattern", size + 1);
    int *column = base_arena_array(arena, int, "block pattern", count + 1);
    base_arena_mark mark = base_arena_get_mark(arena);
    int(*sorted)[2] = base_arena_allocate(arena, "block pairs", count + 1, sizeof *sorted);
    if (start == NULL || column == NULL || sorted == NULL)
        return CAIRN_ERROR_MEMORY;
    sort_by(1, (const int(*)[2])pairs, sorted, count, start, size);
    sort_by(0, (const int(*)[2])sorted, pairs, count, start, size);
    int used = 0;
    size_t k = 0;
    for (int i = 0; i < size; i++) {
        start[i] = used;
        for (; k < count && pairs[k][0] == i; k++)
            if (used == start[i] || column[used - 1] != pairs[k][1])
                column[used++] = pairs[k][1];
    }
    start[size] = used;
    *pattern = (con_block_pattern){size, start, column};
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}

int con_block_pattern_find(const con_block_pattern *pattern, int row, int column)
{
    int low = pattern->start[row], high = pattern->start[row + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (pattern->column[middle] == column)
            return middle;
        if (pattern->column[middle] < column)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}
