// SPDX-License-Identifier: Apache-2.0
// Products and normal equations with the columns of a sparse W.
#include "contact/existence/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t doubles_max = 250000000; // 2 GB

static cairn_status list_columns(con_range_sparse *range, base_arena *arena)
{
    const con_block_matrix *W = range->W;
    size_t n = (size_t)W->size, entries = (size_t)W->start[n];
    range->row_start = base_arena_array(arena, int, "columns of W", n + 2);
    range->row = base_arena_array(arena, int, "columns of W", entries + 1);
    range->entry = base_arena_array(arena, int, "columns of W", entries + 1);
    if (range->row_start == NULL || range->row == NULL || range->entry == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(range->row_start, 0, (n + 2) * sizeof(int));
    for (size_t e = 0; e < entries; e++)
        range->row_start[W->column[e] + 2]++;
    for (size_t j = 2; j <= n; j++)
        range->row_start[j] += range->row_start[j - 1];
    for (int i = 0; i < W->size; i++)
        for (int e = W->start[i]; e < W->start[i + 1]; e++) {
            int at = range->row_start[W->column[e] + 1]++;
            range->row[at] = i;
            range->entry[at] = e;
        }
    return CAIRN_OK;
}

static int compare_integers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

// columns that share a row of W with column j; into `out` where there is room for them
static int list_neighbours(const con_range_sparse *range, int j, int *out)
{
    const con_block_matrix *W = range->W;
    int count = 0;
    for (int k = range->row_start[j]; k < range->row_start[j + 1]; k++)
        for (int e = W->start[range->row[k]]; e < W->start[range->row[k] + 1]; e++) {
            int other = W->column[e];
            if (range->place[other] == j)
                continue;
            range->place[other] = j;
            if (out != NULL)
                out[count] = other;
            count++;
        }
    return count;
}

static void forget_places(con_range_sparse *range)
{
    for (int i = 0; i < range->W->size; i++)
        range->place[i] = -1;
}

static cairn_status create_pattern(con_range_sparse *range, base_arena *arena)
{
    int n = range->W->size;
    int *start = base_arena_array(arena, int, "normal matrix", n + 1);
    if (start == NULL)
        return CAIRN_ERROR_MEMORY;
    size_t total = 0;
    forget_places(range);
    for (int j = 0; j < n; j++) {
        start[j] = (int)total;
        total += (size_t)list_neighbours(range, j, NULL);
        if (9 * total > doubles_max)
            return CAIRN_ERROR_UNSUPPORTED;
    }
    start[n] = (int)total;
    int *column = base_arena_array(arena, int, "normal matrix", total + 1);
    if (column == NULL)
        return CAIRN_ERROR_MEMORY;
    forget_places(range);
    for (int j = 0; j < n; j++) {
        int count = list_neighbours(range, j, column + start[j]);
        qsort(column + start[j], (size_t)count, sizeof *column, compare_integers);
    }
    forget_places(range);
    range->pattern = (con_block_pattern){n, start, column};
    range->values = base_arena_array(arena, double, "normal matrix", 9 * total + 1);
    return range->values != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

cairn_status con_range_sparse_create(const con_problem *problem, base_arena *arena,
                                     con_range_sparse *range)
{
    *range = (con_range_sparse){.W = problem->W};
    size_t n = (size_t)problem->contact_count;
    range->scale = base_arena_array(arena, double, "scale", n + 1);
    range->place = base_arena_array(arena, int, "places", n + 1);
    range->weighted = base_arena_array(arena, mat3, "weighted W", (size_t)problem->W->start[n] + 1);
    if (range->scale == NULL || range->place == NULL || range->weighted == NULL)
        return CAIRN_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        double w = mat3_trace(&problem->W_diagonal[i]) / 3.0;
        range->scale[i] = w > 0.0 ? 1.0 / w : 1.0;
    }
    BASE_TRY(list_columns(range, arena));
    BASE_TRY(create_pattern(range, arena));
    BASE_TRY(con_block_order_create(&range->pattern, 3, arena, &range->order));
    const con_block_order *order = &range->order;
    if (order->factor_start[order->supernode_count] + order->front_size + order->stack_size >
        doubles_max)
        return CAIRN_ERROR_UNSUPPORTED;
    return con_block_lu_create(order, NULL, NULL, arena, &range->lu);
}

void con_range_sparse_apply(const con_range_sparse *range, const double *y, double (*out)[3])
{
    const con_block_matrix *W = range->W;
    for (int i = 0; i < W->size; i++) {
        vec3 sum = {0.0, 0.0, 0.0};
        for (int e = W->start[i]; e < W->start[i + 1]; e++) {
            int j = W->column[e];
            vec3 scaled = vec3_scale(range->scale[j], vec3_from(y + 3 * (size_t)j));
            sum = vec3_add(sum, mat3_apply(&W->block[e], scaled));
        }
        vec3_store(out[i], sum);
    }
}

void con_range_sparse_apply_transposed(const con_range_sparse *range, const double (*x)[3],
                                       double *out)
{
    const con_block_matrix *W = range->W;
    memset(out, 0, 3 * (size_t)W->size * sizeof *out);
    for (int i = 0; i < W->size; i++)
        for (int e = W->start[i]; e < W->start[i + 1]; e++) {
            int j = W->column[e];
            const double(*m)[3] = (const double(*)[3])W->block[e].m;
            for (int c = 0; c < 3; c++)
                out[3 * (size_t)j + (size_t)c] +=
                    range->scale[j] * (m[0][c] * x[i][0] + m[1][c] * x[i][1] + m[2][c] * x[i][2]);
        }
}

// F_i W_ij D_j
static void weight_blocks(con_range_sparse *range, const double (*F)[3][3])
{
    const con_block_matrix *W = range->W;
    for (int i = 0; i < W->size; i++)
        for (int e = W->start[i]; e < W->start[i + 1]; e++) {
            const double(*m)[3] = (const double(*)[3])W->block[e].m;
            double scale = range->scale[W->column[e]];
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    range->weighted[e].m[r][c] =
                        scale *
                        (F[i][r][0] * m[0][c] + F[i][r][1] * m[1][c] + F[i][r][2] * m[2][c]);
        }
}

// a += A^T B
static inline void add_product(const mat3 *A, const mat3 *B, double *a)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            a[3 * r + c] +=
                A->m[0][r] * B->m[0][c] + A->m[1][r] * B->m[1][c] + A->m[2][r] * B->m[2][c];
}

cairn_status con_range_sparse_factor(con_range_sparse *range, const double (*F)[3][3], double shift,
                                     double regularisation)
{
    int n = range->W->size;
    memset(range->values, 0, 9 * (size_t)range->pattern.start[n] * sizeof *range->values);
    weight_blocks(range, F);
    for (int j = 0; j < n; j++) {
        // block row j of the normal matrix
        const con_block_matrix *W = range->W;
        for (int k = range->pattern.start[j]; k < range->pattern.start[j + 1]; k++)
            range->place[range->pattern.column[k]] = k;
        for (int k = range->row_start[j]; k < range->row_start[j + 1]; k++) {
            const mat3 *A = &range->weighted[range->entry[k]];
            for (int e = W->start[range->row[k]]; e < W->start[range->row[k] + 1]; e++)
                add_product(A, &range->weighted[e],
                            range->values + 9 * (size_t)range->place[W->column[e]]);
        }
        for (int k = range->pattern.start[j]; k < range->pattern.start[j + 1]; k++)
            range->place[range->pattern.column[k]] = -1;
    }
    double largest = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < n; j++) {
            double *diagonal =
                range->values + 9 * (size_t)con_block_pattern_find(&range->pattern, j, j);
            for (int k = 0; k < 3; k++) {
                if (pass == 0)
                    largest = fmax(largest, diagonal[4 * k]);
                else
                    diagonal[4 * k] += shift + (largest > 0.0 ? regularisation * largest : 1.0);
            }
        }
    return con_block_lu_factor(&range->lu, range->values, NULL) ? CAIRN_OK : CAIRN_ERROR_NUMERICAL;
}
