// SPDX-License-Identifier: Apache-2.0
// Partial LU in panels; the update of the rest is one small matrix product kernel, built for
// several vector lengths with the same operations in the same order. Every entry is reduced pivot
// by pivot, whatever the panels and whoever does the rows: the bits depend on neither.
#include "contact/linear/dense_lu.h"

#include "base/simd.h"
#include "base/vectors.h"

#include <string.h>

enum {
    PANEL = CON_DENSE_SCRATCH,
    STRIP = 8, // columns of a panel that are eliminated one by one
    TILE_ROWS = 6,
    TILE_COLUMNS = 8,
    ASKING_ROWS = 256,
    SHARED_ROWS = 96, // of what is left, from which several threads are worth waking
    CHUNK_ROWS = 24   // a multiple of TILE_ROWS
};

// c[rows][8] -= l[rows][depth] u[depth][8], one vector a row
INLINE void update_tile8(double *c, const double *l, const double *u, size_t stride, int depth,
                         int rows)
{
    simd_8 sum[TILE_ROWS];
    for (int i = 0; i < rows; i++)
        sum[i] = simd_load_8(c + (size_t)i * stride);
    for (int k = 0; k < depth; k++) {
        simd_8 row = simd_load_8(u + (size_t)k * stride);
        for (int i = 0; i < rows; i++)
            sum[i] -= l[(size_t)i * stride + (size_t)k] * row;
    }
    for (int i = 0; i < rows; i++)
        simd_store_8(c + (size_t)i * stride, sum[i]);
}

// the same with two vectors a row
INLINE void update_tile4(double *c, const double *l, const double *u, size_t stride, int depth,
                         int rows)
{
    simd_4 low[TILE_ROWS], high[TILE_ROWS];
    for (int i = 0; i < rows; i++) {
        low[i] = simd_load_4(c + (size_t)i * stride);
        high[i] = simd_load_4(c + (size_t)i * stride + 4);
    }
    for (int k = 0; k < depth; k++) {
        simd_4 row_low = simd_load_4(u + (size_t)k * stride);
        simd_4 row_high = simd_load_4(u + (size_t)k * stride + 4);
        for (int i = 0; i < rows; i++) {
            double factor = l[(size_t)i * stride + (size_t)k];
            low[i] -= factor * row_low;
            high[i] -= factor * row_high;
        }
    }
    for (int i = 0; i < rows; i++) {
        simd_store_4(c + (size_t)i * stride, low[i]);
        simd_store_4(c + (size_t)i * stride + 4, high[i]);
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

// c[rows][columns] -= l[rows][depth] u[depth][columns], in tiles of 8 columns, of which the last
// may reach into the padding
INLINE void update_rows(double *c, const double *l, const double *u, size_t stride, int depth,
                        int rows, int columns, int length)
{
    for (int j = 0; j < columns; j += TILE_COLUMNS)
        if (rows == TILE_ROWS)
            update_tile(c + j, l, u + j, stride, depth, TILE_ROWS, length);
        else
            update_short_tile(c + j, l, u + j, stride, depth, rows, length);
}

// y[0..count) -= s x
INLINE void subtract_row(double *y, const double *x, double s, int count)
{
    for (int j = 0; j < count; j++)
        y[j] -= s * x[j];
}

// the place of the largest of x in size, from `first` on; the first one unless another is more than
// twice as large
INLINE int find_pivot(const double *x, int first, int count)
{
    simd_4 most = {0.0};
    int i = first + 1;
    for (; i + 4 <= count; i += 4) {
        const simd_4 next = simd_load_4(x + i);
        simd_4_mask size = (simd_4_mask)next & INT64_MAX, larger = (simd_4)size > most;
        most = (simd_4)((size & larger) | ((simd_4_mask)most & ~larger));
    }
    double largest = 0.0;
    for (int k = 0; k < 4; k++)
        largest = most[k] > largest ? most[k] : largest;
    for (; i < count; i++)
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    if (!(largest > 2.0 * fabs(x[first])))
        return first;
    for (i = first + 1; fabs(x[i]) != largest; i++)
        ;
    return i;
}

INLINE void swap_rows(const con_dense_front *f, int i, int j)
{
    double *a = f->a + (size_t)i * f->stride, *b = f->a + (size_t)j * f->stride;
    for (int k = 0; k < f->rows; k++) {
        double swap = a[k];
        a[k] = b[k];
        b[k] = swap;
    }
}

// So many columns of the pivot rows from `begin` on. The columns lie in vectors of their own
// meanwhile
INLINE int factor_strip(const con_dense_front *f, int begin, int width)
{
    int replaced = 0, count = f->pivots - begin;
    double *strip = f->scratch, *rows = f->a + (size_t)begin * f->stride + begin;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < width; k++)
            strip[k * count + i] = rows[(size_t)i * f->stride + (size_t)k];
    for (int k = 0; k < width; k++) {
        double *column = strip + k * count;
        int best = find_pivot(column, k, count);
        f->pivot[begin + k] = begin + best;
        if (best != k) {
            swap_rows(f, begin + k, begin + best);
            for (int j = 0; j < width; j++) {
                double swap = strip[j * count + k];
                strip[j * count + k] = strip[j * count + best];
                strip[j * count + best] = swap;
            }
        }
        if (fabs(column[k]) < f->tiny) {
            column[k] = copysign(f->tiny, column[k]);
            replaced++;
        }
        double inverse = 1.0 / column[k];
        for (int i = k + 1; i < count; i++)
            column[i] *= inverse;
        for (int j = k + 1; j < width; j++)
            subtract_row(strip + j * count + k + 1, column + k + 1, strip[j * count + k],
                         count - k - 1);
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < width; k++)
            rows[(size_t)i * f->stride + (size_t)k] = strip[k * count + i];
    return replaced;
}

// U of the rows [begin, end), columns `from` to `to`
INLINE void reduce_rows(const con_dense_front *f, int begin, int end, int from, int to, int length)
{
    const double *u = f->a + (size_t)begin * f->stride + from;
    for (int i = begin + 1; i < end; i++) {
        double *row = f->a + (size_t)i * f->stride;
        for (int j = 0; j < to - from; j += TILE_COLUMNS)
            update_tile(row + from + j, row + begin, u + j, f->stride, i - begin, 1, length);
    }
}

// a short panel is one strip
INLINE int end_of_strip(int begin, int end, int strip)
{
    return end - begin == PANEL ? strip + STRIP : end;
}

// columns [begin, end) of the pivot rows, and all of the rows [begin, end)
INLINE int factor_pivots(const con_dense_front *f, int begin, int end, int length)
{
    int replaced = 0;
    for (int strip = begin, next; strip < end; strip = next) {
        next = end_of_strip(begin, end, strip);
        // constant widths let the compiler unroll
        if (next - strip == STRIP)
            replaced += factor_strip(f, strip, STRIP);
        else if (next - strip == 6)
            replaced += factor_strip(f, strip, 6);
        else
            replaced += factor_strip(f, strip, next - strip);
        if (next == end)
            break;
        reduce_rows(f, strip, next, next, end, length);
        const double *u = f->a + (size_t)strip * f->stride + next;
        for (int i = next; i < f->pivots; i += TILE_ROWS) {
            double *row = f->a + (size_t)i * f->stride;
            int height = f->pivots - i < TILE_ROWS ? f->pivots - i : TILE_ROWS;
            update_rows(row + next, row + strip, u, f->stride, next - strip, height, end - next,
                        length);
        }
    }
    reduce_rows(f, begin, end, end, f->rows, length);
    return replaced;
}

// L of up to four rows, in a strip of `width` columns at the pivot row u: the rows lie side by side
// in vectors meanwhile
INLINE void divide_strip(double *rows, const double *u, size_t stride, const double *inverse,
                         int width, int count)
{
    simd_4 column[PANEL];
    for (int k = 0; k < width; k++)
        for (int i = 0; i < 4; i++)
            column[k][i] = i < count ? rows[(size_t)i * stride + (size_t)k] : 0.0;
    for (int k = 0; k < width; k++) {
        simd_4 x = column[k];
        for (int m = 0; m < k; m++)
            x -= column[m] * u[(size_t)m * stride + (size_t)k];
        column[k] = x * inverse[k];
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < width; k++)
            rows[(size_t)i * stride + (size_t)k] = column[k][i];
}

// L of the rows [first, last) below the pivots, columns [begin, end)
INLINE void divide_rows(const con_dense_front *f, int begin, int end, int first, int last,
                        int length)
{
    double inverse[PANEL];
    for (int k = begin; k < end; k++)
        inverse[k - begin] = 1.0 / f->a[(size_t)k * (f->stride + 1)];
    for (int i = first; i < last; i += 4) {
        double *rows = f->a + (size_t)i * f->stride;
        int count = last - i < 4 ? last - i : 4;
        for (int strip = begin, next; strip < end; strip = next) {
            next = end_of_strip(begin, end, strip);
            const double *u = f->a + (size_t)strip * f->stride + strip;
            const double *scale = inverse + (strip - begin);
            // constant counts let the compiler unroll
            if (next - strip == STRIP && count == 4)
                divide_strip(rows + strip, u, f->stride, scale, STRIP, 4);
            else if (next - strip == 6 && count == 4)
                divide_strip(rows + strip, u, f->stride, scale, 6, 4);
            else if (count == 4)
                divide_strip(rows + strip, u, f->stride, scale, next - strip, 4);
            else
                divide_strip(rows + strip, u, f->stride, scale, next - strip, count);
            for (int j = next; j < end; j += TILE_COLUMNS)
                update_short_tile(rows + j, rows + strip, u + j - strip, f->stride, next - strip,
                                  count, length);
        }
    }
}

// rows [first, last), all below `end`, reduced by the pivots [begin, end)
INLINE void eliminate(const con_dense_front *f, int begin, int end, int first, int last, int length)
{
    // L of pivot rows is there
    divide_rows(f, begin, end, first > f->pivots ? first : f->pivots, last, length);
    const double *u = f->a + (size_t)begin * f->stride + end;
    for (int i = first; i < last; i += TILE_ROWS) {
        double *row = f->a + (size_t)i * f->stride;
        int height = last - i < TILE_ROWS ? last - i : TILE_ROWS;
        update_rows(row + end, row + begin, u, f->stride, end - begin, height, f->rows - end,
                    length);
    }
}

/// The two halves of a panel, for one length of vectors.
typedef struct panel_kernel {
    int (*factor)(const con_dense_front *f, int begin, int end);
    void (*eliminate)(const con_dense_front *f, int begin, int end, int first, int last);
} panel_kernel;

static int factor_scalar(const con_dense_front *f, int begin, int end)
{
    return factor_pivots(f, begin, end, 1);
}

static void eliminate_scalar(const con_dense_front *f, int begin, int end, int first, int last)
{
    eliminate(f, begin, end, first, last, 1);
}

static const panel_kernel scalar = {factor_scalar, eliminate_scalar};

SIMD_AVX2 static int factor_avx2(const con_dense_front *f, int begin, int end)
{
    return factor_pivots(f, begin, end, 4);
}

SIMD_AVX2 static void eliminate_avx2(const con_dense_front *f, int begin, int end, int first,
                                     int last)
{
    eliminate(f, begin, end, first, last, 4);
}

SIMD_AVX512 static int factor_avx512(const con_dense_front *f, int begin, int end)
{
    return factor_pivots(f, begin, end, 8);
}

SIMD_AVX512 static void eliminate_avx512(const con_dense_front *f, int begin, int end, int first,
                                         int last)
{
    eliminate(f, begin, end, first, last, 8);
}

static const panel_kernel avx2 = {factor_avx2, eliminate_avx2};
static const panel_kernel avx512 = {factor_avx512, eliminate_avx512};

/// What the threads that share the rows below a panel are told.
typedef struct shared_panel {
    const panel_kernel *kernel;
    const con_dense_front *front;
    int begin, end;
} shared_panel;

static void eliminate_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const shared_panel *p = context;
    p->kernel->eliminate(p->front, p->begin, p->end, p->end + begin, p->end + end);
}

int con_dense_partial_lu(const con_dense_front *front, const con_dense_query *query,
                         base_workers *workers)
{
    const panel_kernel *kernel = SIMD_CHOOSE(front->length, &scalar, &avx2, &avx512);
    int replaced = 0, rows = front->rows;
    bool asks = query != NULL && rows >= ASKING_ROWS;
    for (int begin = 0; begin < front->pivots; begin += PANEL) {
        if (asks && query->stop(query->context))
            return -1;
        int end = begin + PANEL < front->pivots ? begin + PANEL : front->pivots;
        replaced += kernel->factor(front, begin, end);
        shared_panel panel = {kernel, front, begin, end};
        if (workers != NULL && rows - end >= SHARED_ROWS)
            base_parallel_for(workers, rows - end, CHUNK_ROWS, eliminate_chunk, &panel);
        else
            kernel->eliminate(front, begin, end, end, rows);
    }
    return replaced;
}

int con_dense_vector_length(void)
{
    return base_vectors_longest();
}
