// SPDX-License-Identifier: Apache-2.0
// Partial LU in panels; the update of the rest is one small matrix product kernel, built for
// several vector lengths with the same operations in the same order.
#include "contact/linear/dense_lu.h"

#include "base/vectors.h"

#include <math.h>
#include <string.h>

enum { PANEL = 24, TILE_ROWS = 6, TILE_COLUMNS = 8, ASKING_ROWS = 256 };

typedef double vector4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double vector8 __attribute__((vector_size(64), aligned(8), may_alias));

#define INLINE static inline __attribute__((always_inline))

// c[rows][8] -= l[rows][depth] u[depth][8], one vector a row
INLINE void update_tile8(double *c, const double *l, const double *u, size_t stride, int depth,
                         int rows)
{
    vector8 sum[TILE_ROWS];
    for (int i = 0; i < rows; i++)
        sum[i] = *(const vector8 *)(c + (size_t)i * stride);
    for (int k = 0; k < depth; k++) {
        vector8 row = *(const vector8 *)(u + (size_t)k * stride);
        for (int i = 0; i < rows; i++)
            sum[i] -= l[(size_t)i * stride + (size_t)k] * row;
    }
    for (int i = 0; i < rows; i++)
        *(vector8 *)(c + (size_t)i * stride) = sum[i];
}

// the same with two vectors a row
INLINE void update_tile4(double *c, const double *l, const double *u, size_t stride, int depth,
                         int rows)
{
    vector4 low[TILE_ROWS], high[TILE_ROWS];
    for (int i = 0; i < rows; i++) {
        low[i] = *(const vector4 *)(c + (size_t)i * stride);
        high[i] = *(const vector4 *)(c + (size_t)i * stride + 4);
    }
    for (int k = 0; k < depth; k++) {
        vector4 row_low = *(const vector4 *)(u + (size_t)k * stride);
        vector4 row_high = *(const vector4 *)(u + (size_t)k * stride + 4);
        for (int i = 0; i < rows; i++) {
            double factor = l[(size_t)i * stride + (size_t)k];
            low[i] -= factor * row_low;
            high[i] -= factor * row_high;
        }
    }
    for (int i = 0; i < rows; i++) {
        *(vector4 *)(c + (size_t)i * stride) = low[i];
        *(vector4 *)(c + (size_t)i * stride + 4) = high[i];
    }
}

INLINE void update_tile(double *c, const double *l, const double *u, size_t stride, int depth,
                        int rows, int length)
{
    if (length == 4)
        update_tile4(c, l, u, stride, depth, rows);
    else
        update_tile8(c, l, u, stride, depth, rows);
}

INLINE void update_short_tile(double *c, const double *l, const double *u, size_t stride, int depth,
                              int rows, int length)
{
    switch (rows) {
    case 1:
        update_tile(c, l, u, stride, depth, 1, length);
        break;
    case 2:
        update_tile(c, l, u, stride, depth, 2, length);
        break;
    case 3:
        update_tile(c, l, u, stride, depth, 3, length);
        break;
    case 4:
        update_tile(c, l, u, stride, depth, 4, length);
        break;
    default:
        update_tile(c, l, u, stride, depth, 5, length);
        break;
    }
}

// rows and columns from `from` on, less L U of the panel [begin, end)
INLINE void update_rest(double *a, size_t stride, int rows, int begin, int from, int length)
{
    int depth = from - begin;
    const double *u = a + (size_t)begin * stride;
    for (int i = from; i < rows; i += TILE_ROWS) {
        double *c = a + (size_t)i * stride;
        const double *l = c + begin;
        int height = rows - i < TILE_ROWS ? rows - i : TILE_ROWS;
        for (int j = from; j < rows; j += TILE_COLUMNS)
            if (height == TILE_ROWS)
                update_tile(c + j, l, u + j, stride, depth, TILE_ROWS, length);
            else
                update_short_tile(c + j, l, u + j, stride, depth, height, length);
    }
}

// y[0..count) -= s x
INLINE void subtract_row(double *y, const double *x, double s, int count)
{
    for (int j = 0; j < count; j++)
        y[j] -= s * x[j];
}

INLINE int choose_pivot(double *a, size_t stride, int column, int pivots, int rows, int *pivot)
{
    int best = column;
    double size = fabs(a[(size_t)column * stride + (size_t)column]);
    for (int i = column + 1; i < pivots; i++) {
        double other = fabs(a[(size_t)i * stride + (size_t)column]);
        // the diagonal keeps its place unless another is clearly larger
        if (other > (best == column ? 2.0 : 1.0) * size) {
            best = i;
            size = other;
        }
    }
    pivot[column] = best;
    if (best != column)
        for (int j = 0; j < rows; j++) {
            double swap = a[(size_t)column * stride + (size_t)j];
            a[(size_t)column * stride + (size_t)j] = a[(size_t)best * stride + (size_t)j];
            a[(size_t)best * stride + (size_t)j] = swap;
        }
    return best;
}

// columns [begin, end) of all rows
INLINE int factor_panel(double *a, size_t stride, int rows, int pivots, int begin, int end,
                        int *pivot, double tiny)
{
    int replaced = 0;
    for (int k = begin; k < end; k++) {
        choose_pivot(a, stride, k, pivots, rows, pivot);
        double *row = a + (size_t)k * stride;
        if (fabs(row[k]) < tiny) {
            row[k] = copysign(tiny, row[k]);
            replaced++;
        }
        double inverse = 1.0 / row[k];
        for (int i = k + 1; i < rows; i++) {
            double *other = a + (size_t)i * stride;
            other[k] *= inverse;
            subtract_row(other + k + 1, row + k + 1, other[k], end - k - 1);
        }
    }
    return replaced;
}

INLINE int partial_lu(double *a, size_t stride, int rows, int pivots, int *pivot, double tiny,
                      int length, const con_dense_query *query)
{
    int replaced = 0;
    bool asks = query != NULL && rows >= ASKING_ROWS;
    for (int begin = 0; begin < pivots; begin += PANEL) {
        if (asks && query->stop(query->context))
            return -1;
        int end = begin + PANEL < pivots ? begin + PANEL : pivots;
        replaced += factor_panel(a, stride, rows, pivots, begin, end, pivot, tiny);
        for (int i = begin + 1; i < end; i++)
            for (int k = begin; k < i; k++)
                subtract_row(a + (size_t)i * stride + end, a + (size_t)k * stride + end,
                             a[(size_t)i * stride + (size_t)k], rows - end);
        update_rest(a, stride, rows, begin, end, length);
    }
    return replaced;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static int partial_lu_avx2(double *a, size_t stride, int rows,
                                                           int pivots, int *pivot, double tiny,
                                                           const con_dense_query *query)
{
    return partial_lu(a, stride, rows, pivots, pivot, tiny, 4, query);
}

__attribute__((target("avx512f,avx512vl,avx512dq,prefer-vector-width=512"))) static int
partial_lu_avx512(double *a, size_t stride, int rows, int pivots, int *pivot, double tiny,
                  const con_dense_query *query)
{
    return partial_lu(a, stride, rows, pivots, pivot, tiny, 8, query);
}

int con_dense_partial_lu(double *a, size_t stride, int rows, int pivots, int *pivot, double tiny,
                         int length, const con_dense_query *query)
{
    return length == 8   ? partial_lu_avx512(a, stride, rows, pivots, pivot, tiny, query)
           : length == 4 ? partial_lu_avx2(a, stride, rows, pivots, pivot, tiny, query)
                         : partial_lu(a, stride, rows, pivots, pivot, tiny, 1, query);
}
#else
int con_dense_partial_lu(double *a, size_t stride, int rows, int pivots, int *pivot, double tiny,
                         int length, const con_dense_query *query)
{
    (void)length;
    return partial_lu(a, stride, rows, pivots, pivot, tiny, 1, query);
}
#endif

int con_dense_vector_length(void)
{
    return base_vectors_longest();
}
