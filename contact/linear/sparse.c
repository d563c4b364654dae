// SPDX-License-Identifier: Apache-2.0
// General sparse matrices in compressed columns.
#include "contact/linear/sparse.h"

#include "base/assert.h"

#include <string.h>

int con_sparse_count(const con_sparse *a)
{
    return a->start == NULL ? 0 : a->start[a->columns];
}

cairn_status con_triplets_reserve(con_triplets *triplets, int capacity, base_arena *arena)
{
    triplets->count = 0;
    triplets->row = base_arena_array(arena, int, "triplet rows", capacity);
    triplets->column = base_arena_array(arena, int, "triplet columns", capacity);
    triplets->value = base_arena_array(arena, double, "triplet values", capacity);
    if (triplets->row == NULL || triplets->column == NULL || triplets->value == NULL)
        return CAIRN_ERROR_MEMORY;
    return CAIRN_OK;
}

void con_triplets_add(con_triplets *triplets, int row, int column, double value)
{
    int k = triplets->count++;
    triplets->row[k] = row;
    triplets->column[k] = column;
    triplets->value[k] = value;
}

// stable counting sort of `count` keys in 0 .. bins-1; start gets the first place of every bin
static void sort_by_key(const int *key, const int *order_in, int count, int bins, int *start,
                        int *order_out)
{
    memset(start, 0, ((size_t)bins + 1) * sizeof *start);
    for (int k = 0; k < count; k++)
        start[key[k] + 1]++;
    for (int b = 0; b < bins; b++)
        start[b + 1] += start[b];
    for (int k = 0; k < count; k++) {
        int entry = order_in == NULL ? k : order_in[k];
        order_out[start[key[entry]]++] = entry;
    }
    // the filling moved every start to its end
    for (int b = bins; b > 0; b--)
        start[b] = start[b - 1];
    start[0] = 0;
}

// adds entries of the same place; `order` runs through columns, and rows ascending within
static void merge_columns(const con_triplets *triplets, const int *order, int columns, int *start,
                          int *index, double *value)
{
    int written = 0;
    int next = 0;
    for (int j = 0; j < columns; j++) {
        int first = written;
        for (int end = start[j + 1]; next < end; next++) {
            int entry = order[next];
            if (written > first && index[written - 1] == triplets->row[entry]) {
                value[written - 1] += triplets->value[entry];
                continue;
            }
            index[written] = triplets->row[entry];
            value[written++] = triplets->value[entry];
        }
        start[j] = first;
    }
    start[columns] = written;
}

cairn_status con_sparse_from_triplets(const con_triplets *triplets, int rows, int columns,
                                      base_arena *arena, con_sparse *out)
{
    int count = triplets->count;
    int *start = base_arena_array(arena, int, "sparse start", (size_t)columns + 1);
    int *index = base_arena_array(arena, int, "sparse index", count);
    double *value = base_arena_array(arena, double, "sparse value", count);
    base_arena_mark mark = base_arena_get_mark(arena);
    int *row_start = base_arena_array(arena, int, "sparse row start", (size_t)rows + 1);
    int *by_row = base_arena_array(arena, int, "sparse order", count);
    int *by_column = base_arena_array(arena, int, "sparse order", count);
    if (start == NULL || index == NULL || value == NULL || row_start == NULL || by_row == NULL ||
        by_column == NULL)
        return CAIRN_ERROR_MEMORY;

    sort_by_key(triplets->row, NULL, count, rows, row_start, by_row);
    sort_by_key(triplets->column, by_row, count, columns, start, by_column);
    merge_columns(triplets, by_column, columns, start, index, value);
    base_arena_rewind(arena, mark);
    *out = (con_sparse){rows, columns, start, index, value};
    return CAIRN_OK;
}

cairn_status con_sparse_transpose(const con_sparse *a, base_arena *arena, con_sparse *out)
{
    int count = con_sparse_count(a);
    int *start = base_arena_array(arena, int, "sparse start", (size_t)a->rows + 1);
    int *index = base_arena_array(arena, int, "sparse index", count);
    double *value = base_arena_array(arena, double, "sparse value", count);
    if (start == NULL || index == NULL || value == NULL)
        return CAIRN_ERROR_MEMORY;

    memset(start, 0, ((size_t)a->rows + 1) * sizeof *start);
    for (int k = 0; k < count; k++)
        start[a->index[k] + 1]++;
    for (int i = 0; i < a->rows; i++)
        start[i + 1] += start[i];
    for (int j = 0; j < a->columns; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            int place = start[a->index[k]]++;
            index[place] = j;
            value[place] = a->value[k];
        }
    for (int i = a->rows; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
    *out = (con_sparse){a->columns, a->rows, start, index, value};
    return CAIRN_OK;
}

void con_sparse_apply_add(const con_sparse *a, const double *x, double *y)
{
    for (int j = 0; j < a->columns; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            y[a->index[k]] += a->value[k] * x[j];
}

void con_sparse_apply_transposed_add(const con_sparse *a, const double *x, double *y)
{
    for (int j = 0; j < a->columns; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            y[j] += a->value[k] * x[a->index[k]];
}

void con_sparse_to_dense(const con_sparse *a, double *out)
{
    memset(out, 0, (size_t)a->rows * (size_t)a->columns * sizeof *out);
    for (int j = 0; j < a->columns; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            out[(size_t)j * (size_t)a->rows + (size_t)a->index[k]] += a->value[k];
}
