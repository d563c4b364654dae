// SPDX-License-Identifier: Apache-2.0
// Numeric part of the block factorisation: fronts, updates for the parents, triangular solves.
#include "contact/linear/block_lu.h"

#include <math.h>
#include <string.h>

enum { ASKING_WORK = 20000000 }; // operations between two queries, some milliseconds

/// Sizes of one supernode, in scalars.
typedef struct front_shape {
    int rows;
    int pivots;
    int below; // rows - pivots
    size_t stride;
} front_shape;

static front_shape shape_of(const con_block_order *order, int s)
{
    int rows = (order->row_start[s + 1] - order->row_start[s]) * order->block;
    int pivots = (order->first[s + 1] - order->first[s]) * order->block;
    return (front_shape){rows, pivots, rows - pivots, con_front_stride(rows)};
}

cairn_status con_block_lu_create(const con_block_order *order, base_arena *arena, con_block_lu *lu)
{
    size_t rows = (size_t)order->size * (size_t)order->block;
    *lu = (con_block_lu){.order = order, .vector_length = con_dense_vector_length()};
    lu->factor = base_arena_array(arena, double, "block factors",
                                  order->factor_start[order->supernode_count] + 1);
    lu->pivot = base_arena_array(arena, int, "block pivots", rows + 1);
    // one row of padding more, which the kernels read
    lu->front = base_arena_array(arena, double, "front", order->front_size + CON_FRONT_PADDING);
    lu->stack = base_arena_array(arena, double, "fronts' updates", order->stack_size + 1);
    lu->waiting = base_arena_array(arena, int, "fronts' updates", order->supernode_count + 1);
    lu->work = base_arena_array(arena, double, "block solve", rows + 1);
    lu->gather = base_arena_array(arena, double, "block solve", rows + 1);
    bool complete = lu->factor != NULL && lu->pivot != NULL && lu->front != NULL &&
                    lu->stack != NULL && lu->waiting != NULL && lu->work != NULL &&
                    lu->gather != NULL;
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

// to[block][block] += from, both row-major with their strides
static inline void add_block(double *to, size_t to_stride, const double *from, size_t from_stride,
                             int block)
{
    for (int i = 0; i < block; i++)
        for (int j = 0; j < block; j++)
            to[(size_t)i * to_stride + (size_t)j] += from[(size_t)i * from_stride + (size_t)j];
}

static inline void add_entries(const con_block_lu *lu, int s, const double *values, size_t stride,
                               int block)
{
    const con_block_order *order = lu->order;
    size_t area = (size_t)block * (size_t)block;
    for (int k = order->entry_start[s]; k < order->entry_start[s + 1]; k++) {
        const con_block_entry *entry = &order->entry[k];
        double *to = lu->front + (size_t)(entry->row * block) * stride + entry->column * block;
        add_block(to, stride, values + (size_t)entry->source * area, (size_t)block, block);
    }
}

// update matrix of a child into the front of its parent
static inline void add_update(const con_block_lu *lu, int child, const double *update,
                              size_t stride, int block)
{
    const con_block_order *order = lu->order;
    front_shape shape = shape_of(order, child);
    const int *relative = order->relative + order->row_start[child] + shape.pivots / block;
    int count = shape.below / block;
    size_t below = (size_t)shape.below;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            add_block(lu->front + (size_t)(relative[i] * block) * stride + relative[j] * block,
                      stride, update + (size_t)(i * block) * below + j * block, below, block);
}

static void assemble_front(con_block_lu *lu, int s, const double *values, const front_shape *shape,
                           int *top, size_t *used)
{
    const con_block_order *order = lu->order;
    memset(lu->front, 0,
           ((size_t)shape->rows * shape->stride + CON_FRONT_PADDING) * sizeof(double));
    // constant block sizes let the compiler unroll
    if (order->block == 6)
        add_entries(lu, s, values, shape->stride, 6);
    else
        add_entries(lu, s, values, shape->stride, order->block);
    while (*top > 0 && order->parent[lu->waiting[*top - 1]] == s) {
        int child = lu->waiting[--*top];
        front_shape gone = shape_of(order, child);
        *used -= (size_t)gone.below * (size_t)gone.below;
        if (order->block == 6)
            add_update(lu, child, lu->stack + *used, shape->stride, 6);
        else if (order->block == 3)
            add_update(lu, child, lu->stack + *used, shape->stride, 3);
        else
            add_update(lu, child, lu->stack + *used, shape->stride, order->block);
    }
}

// pivot rows as they are, L below them transposed, the Schur complement on the stack
static void keep_front(con_block_lu *lu, int s, const front_shape *shape, double *update)
{
    double *factor = lu->factor + lu->order->factor_start[s];
    size_t rows = (size_t)shape->rows, pivots = (size_t)shape->pivots;
    size_t below = (size_t)shape->below;
    for (size_t i = 0; i < pivots; i++)
        memcpy(factor + i * rows, lu->front + i * shape->stride, rows * sizeof(double));
    double *lower = factor + pivots * rows;
    for (size_t i = 0; i < below; i++) {
        const double *row = lu->front + (pivots + i) * shape->stride;
        for (size_t k = 0; k < pivots; k++)
            lower[k * below + i] = row[k];
        memcpy(update + i * below, row + pivots, below * sizeof(double));
    }
}

static double largest_entry(const double *values, size_t count)
{
    double largest = 0.0, sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        sum += 0.0 * values[k];
        double size = fabs(values[k]);
        largest = size > largest ? size : largest;
    }
    return sum == 0.0 ? largest : NAN;
}

bool con_block_lu_factor(con_block_lu *lu, const double *values, const con_dense_query *query)
{
    const con_block_order *order = lu->order;
    size_t count = (size_t)order->entry_start[order->supernode_count];
    double largest = largest_entry(values, count * (size_t)order->block * (size_t)order->block);
    lu->perturbed = 0;
    if (!isfinite(largest))
        return false;
    double tiny = fmax(1e-14 * largest, 1e-290);
    size_t used = 0;
    int top = 0;
    double work = 0.0;
    for (int s = 0; s < order->supernode_count; s++) {
        front_shape shape = shape_of(order, s);
        work += (double)shape.rows * shape.rows * shape.pivots;
        if (query != NULL && work > ASKING_WORK) {
            if (query->stop(query->context))
                return false;
            work = 0.0;
        }
        assemble_front(lu, s, values, &shape, &top, &used);
        int replaced = con_dense_partial_lu(lu->front, shape.stride, shape.rows, shape.pivots,
                                            lu->pivot + order->first[s] * order->block, tiny,
                                            lu->vector_length, query);
        if (replaced < 0)
            return false;
        lu->perturbed += replaced;
        keep_front(lu, s, &shape, lu->stack + used);
        lu->waiting[top++] = s;
        used += (size_t)shape.below * (size_t)shape.below;
    }
    return true;
}

double con_block_lu_least_pivot(const con_block_lu *lu)
{
    double least = lu->perturbed > 0 ? 0.0 : INFINITY;
    for (int s = 0; s < lu->order->supernode_count; s++) {
        front_shape shape = shape_of(lu->order, s);
        const double *factor = lu->factor + lu->order->factor_start[s];
        for (int i = 0; i < shape.pivots; i++)
            least = fmin(least, fabs(factor[(size_t)i * (size_t)(shape.rows + 1)]));
    }
    return least;
}

// x of the rows below the pivots, to and from a dense vector
static void gather_below(const con_block_lu *lu, int s, const front_shape *shape)
{
    const con_block_order *order = lu->order;
    int block = order->block, pivots = shape->pivots / block, count = shape->below / block;
    const int *row = order->row + order->row_start[s] + pivots;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < block; k++)
            lu->gather[i * block + k] = lu->work[row[i] * block + k];
}

static void scatter_below(const con_block_lu *lu, int s, const front_shape *shape)
{
    const con_block_order *order = lu->order;
    int block = order->block, pivots = shape->pivots / block, count = shape->below / block;
    const int *row = order->row + order->row_start[s] + pivots;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < block; k++)
            lu->work[row[i] * block + k] = lu->gather[i * block + k];
}

static void solve_lower(con_block_lu *lu, int s)
{
    const con_block_order *order = lu->order;
    front_shape shape = shape_of(order, s);
    const double *factor = lu->factor + order->factor_start[s];
    const double *lower = factor + (size_t)shape.pivots * (size_t)shape.rows;
    double *x = lu->work + order->first[s] * order->block;
    const int *pivot = lu->pivot + order->first[s] * order->block;
    for (int k = 0; k < shape.pivots; k++) {
        double swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
    }
    for (int i = 1; i < shape.pivots; i++) {
        double sum = x[i];
        for (int k = 0; k < i; k++)
            sum -= factor[(size_t)i * (size_t)shape.rows + (size_t)k] * x[k];
        x[i] = sum;
    }
    gather_below(lu, s, &shape);
    for (int k = 0; k < shape.pivots; k++) {
        const double *column = lower + (size_t)k * (size_t)shape.below;
        for (int i = 0; i < shape.below; i++)
            lu->gather[i] -= column[i] * x[k];
    }
    scatter_below(lu, s, &shape);
}

// four interleaved sums in fixed order
static double dot(const double *a, const double *b, int count)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int k = 0;
    for (; k + 4 <= count; k += 4)
        for (int l = 0; l < 4; l++)
            sum[l] += a[k + l] * b[k + l];
    for (; k < count; k++)
        sum[0] += a[k] * b[k];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

static void solve_upper(con_block_lu *lu, int s)
{
    const con_block_order *order = lu->order;
    front_shape shape = shape_of(order, s);
    const double *factor = lu->factor + order->factor_start[s];
    double *x = lu->work + order->first[s] * order->block;
    gather_below(lu, s, &shape);
    for (int i = shape.pivots - 1; i >= 0; i--) {
        const double *row = factor + (size_t)i * (size_t)shape.rows;
        double sum = x[i] - dot(row + shape.pivots, lu->gather, shape.below);
        for (int k = i + 1; k < shape.pivots; k++)
            sum -= row[k] * x[k];
        x[i] = sum / row[i];
    }
}

void con_block_lu_solve(con_block_lu *lu, double *x)
{
    const con_block_order *order = lu->order;
    int block = order->block;
    for (int i = 0; i < order->size; i++)
        memcpy(lu->work + i * block, x + order->block_at[i] * block,
               (size_t)block * sizeof(double));
    for (int s = 0; s < order->supernode_count; s++)
        solve_lower(lu, s);
    for (int s = order->supernode_count - 1; s >= 0; s--)
        solve_upper(lu, s);
    for (int i = 0; i < order->size; i++)
        memcpy(x + order->block_at[i] * block, lu->work + i * block,
               (size_t)block * sizeof(double));
}
