// SPDX-License-Identifier: Apache-2.0
// Loops over the columns of a table.
#include "engine/state/columns.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

size_t eng_column_row_size(const eng_column *column)
{
    static const size_t sizes[] = {
        [ENG_REAL] = sizeof(double),
        [ENG_INTEGER] = sizeof(int),
        [ENG_WORD] = sizeof(uint64_t),
        [ENG_BYTE] = 1,
    };
    return sizes[column->scalar] * (size_t)column->width;
}

cairn_status eng_columns_reserve(eng_columns columns, const base_allocator *allocator,
                                 int *capacity, int needed)
{
    int grown = *capacity;
    for (int i = 0; i < columns.count; i++) {
        grown = *capacity;
        BASE_TRY(base_array_reserve_bytes(allocator, &columns.data[i], &grown, needed,
                                          eng_column_row_size(&columns.table[i])));
    }
    *capacity = grown;
    return CAIRN_OK;
}

void eng_columns_release(eng_columns columns, const base_allocator *allocator)
{
    for (int i = 0; i < columns.count; i++) {
        base_release(allocator, columns.data[i]);
        columns.data[i] = NULL;
    }
}

void eng_columns_copy(eng_columns to, eng_columns from, int rows)
{
    for (int i = 0; i < to.count && rows > 0; i++)
        memcpy(to.data[i], from.data[i], (size_t)rows * eng_column_row_size(&to.table[i]));
}

uint64_t eng_columns_hash(eng_columns columns, int rows, uint64_t hash)
{
    for (int i = 0; i < columns.count && rows > 0; i++)
        if ((columns.table[i].flags & ENG_HASHED) != 0)
            hash = base_hash_bytes(hash, columns.data[i],
                                   (size_t)rows * eng_column_row_size(&columns.table[i]));
    return hash;
}

/// Zero times a number is zero if it is finite and else not a number; several sums at a time, which
/// the compiler makes with vectors.
static bool any_nonfinite(const double *values, size_t count)
{
    enum { SUMS = 8 };
    double sums[SUMS] = {0.0};
    size_t whole = count - count % SUMS;
    for (size_t k = 0; k < whole; k += SUMS)
        for (size_t i = 0; i < SUMS; i++)
            sums[i] += 0.0 * values[k + i];
    for (size_t k = whole; k < count; k++)
        sums[0] += 0.0 * values[k];
    double sum = 0.0;
    for (size_t i = 0; i < SUMS; i++)
        sum += sums[i];
    return isnan(sum);
}

bool eng_columns_are_finite(eng_columns columns, int begin, int end)
{
    for (int i = 0; i < columns.count; i++) {
        size_t width = (size_t)columns.table[i].width;
        const double *values = columns.data[i];
        if (columns.table[i].scalar == ENG_REAL &&
            any_nonfinite(values + (size_t)begin * width, (size_t)(end - begin) * width))
            return false;
    }
    return true;
}

const eng_column *eng_columns_find_nonfinite(eng_columns columns, int rows, int *row)
{
    for (int i = 0; i < columns.count; i++) {
        const eng_column *column = &columns.table[i];
        const double *values = columns.data[i];
        size_t count = (size_t)rows * (size_t)column->width;
        if (column->scalar != ENG_REAL || !any_nonfinite(values, count))
            continue;
        for (size_t k = 0; k < count; k++)
            if (!isfinite(values[k])) {
                *row = (int)(k / (size_t)column->width);
                return column;
            }
    }
    return NULL;
}
