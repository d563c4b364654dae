// SPDX-License-Identifier: Apache-2.0
// Numeric part of the block factorisation: fronts, updates for the parents, triangular solves.
#include "contact/linear/block_lu.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
    ASKING_WORK = 20000000, // operations between two queries, some milliseconds
    SHARED_ROWS = 96,       // of a front of the top, from which several threads are worth waking
    CHUNK_ROWS = 24,        // of such a front
    SHARED_ENTRIES = 20000, // of a factor in a solve, likewise
    SOLVE_ROWS = 48
};

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

// Row i of U, from the diagonal on, in the factor of a supernode
static size_t upper_row(const front_shape *shape, size_t i)
{
    return i * (size_t)shape->rows - i * (i - 1) / 2;
}

// Column k of L, below the diagonal, behind all of U
static size_t lower_column(const front_shape *shape, size_t k)
{
    size_t pivots = (size_t)shape->pivots;
    return upper_row(shape, pivots) + k * (size_t)(shape->rows - 1) - k * (k - 1) / 2;
}

/// How many threads, or parts, have a front and a vector of their own.
static int scratch_count(const con_block_order *order, base_workers *workers)
{
    int threads = base_workers_count(workers), parts = order->part_count;
    return parts == 0 ? 1 : threads < parts ? threads : parts;
}

// scratch of whoever does a part
static int scratch_of(const con_block_lu *lu, int part, int worker)
{
    return base_workers_count(lu->workers) <= lu->scratch_count ? worker : part;
}

// one row of padding more, which the kernels read
static size_t part_front_size(const con_block_order *order)
{
    return order->part_front_size + CON_FRONT_PADDING;
}

static size_t fronts_size(const con_block_order *order, int count)
{
    size_t parts = order->part_count > 0 ? (size_t)count * part_front_size(order) : 0;
    size_t top = order->front_size + CON_FRONT_PADDING;
    return parts > top ? parts : top;
}

// scratch of the eliminations of one thread
static size_t panel_size(const con_block_order *order)
{
    return (size_t)CON_DENSE_SCRATCH * (size_t)order->pivots_most;
}

static double *panel_of(const con_block_lu *lu, int scratch)
{
    return lu->panel + (size_t)scratch * panel_size(lu->order);
}

static size_t outer_size(const con_block_order *order)
{
    return (size_t)order->part_count * (size_t)order->top_count * (size_t)order->block;
}

size_t con_block_lu_size(const con_block_order *order, base_workers *workers)
{
    return order->factor_start[order->supernode_count] + order->stack_size + outer_size(order) +
           fronts_size(order, scratch_count(order, workers));
}

cairn_status con_block_lu_create(const con_block_order *order, base_workers *workers,
                                 const con_gathering *gathering, base_arena *arena,
                                 con_block_lu *lu)
{
    size_t rows = (size_t)order->size * (size_t)order->block, outer = outer_size(order);
    int count = scratch_count(order, workers);
    *lu = (con_block_lu){.order = order,
                         .workers = workers,
                         .scratch_count = count,
                         .vector_length = con_dense_vector_length()};
    lu->factor = base_arena_array(arena, double, "block factors",
                                  order->factor_start[order->supernode_count] + 1);
    lu->pivot = base_arena_array(arena, int, "block pivots", rows + 1);
    lu->front = base_arena_array(arena, double, "front", fronts_size(order, count));
    lu->stack = base_arena_array(arena, double, "fronts' updates", order->stack_size + 1);
    lu->work = base_arena_array(arena, double, "block solve", rows + 1);
    lu->gather = base_arena_array(arena, double, "block solve", (size_t)count *rows + 1);
    lu->panel = base_arena_array(arena, double, "front", (size_t)count *panel_size(order) + 1);
    lu->outer = base_arena_array(arena, double, "block solve", outer + 1);
    bool complete = lu->factor != NULL && lu->pivot != NULL && lu->front != NULL &&
                    lu->stack != NULL && lu->work != NULL && lu->gather != NULL &&
                    lu->outer != NULL && lu->panel != NULL;
    if (!complete)
        return CAIRN_ERROR_MEMORY;
    memset(lu->outer, 0, outer * sizeof *lu->outer);
    if (gathering == NULL || order->part_count == 0 || !con_block_share_fits(order))
        return CAIRN_OK;
    lu->share = base_arena_array(arena, con_block_share, "block parts", 1);
    return lu->share != NULL ? con_block_share_create(order, gathering, arena, lu->share)
                             : CAIRN_ERROR_MEMORY;
}

/// Does the parts of this process.
static void for_own_parts(const con_block_lu *lu, base_chunk_function *task, void *context)
{
    int count = lu->share != NULL ? lu->share->end - lu->share->begin : lu->order->part_count;
    base_parallel_for(lu->workers, count, 1, task, context);
}

static int own_part(const con_block_lu *lu, int place)
{
    return lu->share != NULL ? lu->share->begin + place : place;
}

// to[block][block] += from, both row-major with their strides
static inline void add_block(double *to, size_t to_stride, const double *from, size_t from_stride,
                             int block)
{
    for (int i = 0; i < block; i++)
        for (int j = 0; j < block; j++)
            to[(size_t)i * to_stride + (size_t)j] += from[(size_t)i * from_stride + (size_t)j];
}

/// A supernode whose front is at hand.
typedef struct front_work {
    const con_block_lu *lu;
    int s;
    front_shape shape;
    double *front;
    const double *values;
} front_work;

// entries of the matrix in block rows [begin, end) of the front
static inline void add_entries(const front_work *w, int begin, int end, int block)
{
    const con_block_order *order = w->lu->order;
    size_t area = (size_t)block * (size_t)block, stride = w->shape.stride;
    for (int k = order->entry_start[w->s]; k < order->entry_start[w->s + 1]; k++) {
        const con_block_entry *entry = &order->entry[k];
        if (entry->row < begin || entry->row >= end)
            continue;
        double *to = w->front + (size_t)(entry->row * block) * stride + entry->column * block;
        add_block(to, stride, w->values + (size_t)entry->source * area, (size_t)block, block);
    }
}

// block rows [begin, end) of the update of a child
static inline void add_update(const front_work *w, int child, int begin, int end, int block)
{
    const con_block_order *order = w->lu->order;
    front_shape shape = shape_of(order, child);
    const int *relative = order->relative + order->row_start[child] + shape.pivots / block;
    const double *update = w->lu->stack + order->update_start[child];
    int count = shape.below / block;
    size_t below = (size_t)shape.below, stride = w->shape.stride;
    for (int i = 0; i < count && relative[i] < end; i++)
        for (int j = 0; relative[i] >= begin && j < count; j++)
            add_block(w->front + (size_t)(relative[i] * block) * stride + relative[j] * block,
                      stride, update + (size_t)(i * block) * below + j * block, below, block);
}

// block rows [begin, end) of the front: the matrix and the updates of the children
static void assemble_rows(const front_work *w, int begin, int end)
{
    const con_block_order *order = w->lu->order;
    int block = order->block, last = w->shape.rows / block;
    size_t first = (size_t)begin * (size_t)block, rows = (size_t)(end - begin) * (size_t)block;
    memset(w->front + first * w->shape.stride, 0,
           (rows * w->shape.stride + (end == last ? CON_FRONT_PADDING : 0)) * sizeof(double));
    // constant block sizes let the compiler unroll
    if (block == 6)
        add_entries(w, begin, end, 6);
    else
        add_entries(w, begin, end, block);
    for (int c = order->first_child[w->s]; c >= 0; c = order->next_child[c])
        if (block == 6)
            add_update(w, c, begin, end, 6);
        else if (block == 3)
            add_update(w, c, begin, end, 3);
        else
            add_update(w, c, begin, end, block);
}

// rows [begin, end): U by rows, L by columns, the Schur complement on the stack
static void keep_rows(const front_work *w, int begin, int end)
{
    const con_block_order *order = w->lu->order;
    double *factor = w->lu->factor + order->factor_start[w->s];
    double *update = w->lu->stack + order->update_start[w->s];
    size_t rows = (size_t)w->shape.rows, pivots = (size_t)w->shape.pivots;
    size_t below = (size_t)w->shape.below;
    for (size_t i = (size_t)begin; i < (size_t)end; i++) {
        const double *row = w->front + i * w->shape.stride;
        size_t left = i < pivots ? i : pivots;
        double *lower = factor + lower_column(&w->shape, 0) + i - 1;
        for (size_t k = 0; k < left; k++, lower += rows - 1 - k)
            *lower = row[k];
        if (i < pivots)
            memcpy(factor + upper_row(&w->shape, i), row + i, (rows - i) * sizeof(double));
        else
            memcpy(update + (i - pivots) * below, row + pivots, below * sizeof(double));
    }
}

static void assemble_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    assemble_rows(context, begin, end);
}

static void keep_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    keep_rows(context, begin, end);
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

/// One factorisation.
typedef struct factoring {
    con_block_lu *lu;
    const double *values;
    double tiny;
    const con_dense_query *query;
    atomic_bool ended; // by the query
    int replaced[CON_BLOCK_PARTS_MAX];
} factoring;

/// What one thread has done since it last asked.
typedef struct asking {
    const con_dense_query *query; // NULL for threads that may not ask
    double work;
    double *panel; // its scratch
} asking;

static bool is_ended(factoring *f, asking *a, const front_shape *shape)
{
    a->work += (double)shape->rows * shape->rows * shape->pivots;
    if (a->query != NULL && a->work > ASKING_WORK) {
        a->work = 0.0;
        if (a->query->stop(a->query->context))
            atomic_store(&f->ended, true);
    }
    return atomic_load_explicit(&f->ended, memory_order_relaxed);
}

/// One supernode; its large front is shared by the workers, unless these are NULL.
/// @return pivots replaced
static int factor_supernode(factoring *f, int s, double *front, asking *a, base_workers *workers)
{
    const con_block_lu *lu = f->lu;
    const con_block_order *order = lu->order;
    front_work w = {lu, s, shape_of(order, s), front, f->values};
    if (is_ended(f, a, &w.shape))
        return 0;
    int rows = w.shape.rows, block = order->block;
    base_workers *sharers = rows >= SHARED_ROWS ? workers : NULL;
    if (sharers != NULL)
        base_parallel_for(sharers, rows / block, CHUNK_ROWS / block, assemble_chunk, &w);
    else
        assemble_rows(&w, 0, rows / block);
    const con_dense_front dense = {.a = front,
                                   .stride = w.shape.stride,
                                   .rows = rows,
                                   .pivots = w.shape.pivots,
                                   .pivot = lu->pivot + order->first[s] * block,
                                   .tiny = f->tiny,
                                   .length = lu->vector_length,
                                   .scratch = a->panel};
    int replaced = con_dense_partial_lu(&dense, a->query, sharers);
    if (replaced < 0) {
        atomic_store(&f->ended, true);
        return 0;
    }
    if (sharers != NULL)
        base_parallel_for(sharers, rows, CHUNK_ROWS, keep_chunk, &w);
    else
        keep_rows(&w, 0, rows);
    return replaced;
}

static void factor_part(void *context, int begin, int end, int chunk, int worker)
{
    (void)end, (void)chunk;
    factoring *f = context;
    const con_block_order *order = f->lu->order;
    int p = own_part(f->lu, begin), scratch = scratch_of(f->lu, p, worker);
    const con_block_part *part = &order->part[p];
    double *front = f->lu->front + (size_t)scratch * part_front_size(order);
    asking a = {worker == 0 ? f->query : NULL, 0.0, panel_of(f->lu, scratch)};
    for (int s = part->begin; s < part->end; s++)
        f->replaced[p] += factor_supernode(f, s, front, &a, NULL);
}

bool con_block_lu_factor(con_block_lu *lu, const double *values, const con_dense_query *query)
{
    const con_block_order *order = lu->order;
    size_t count = (size_t)order->entry_start[order->supernode_count];
    double largest = largest_entry(values, count * (size_t)order->block * (size_t)order->block);
    lu->perturbed = 0;
    if (!isfinite(largest))
        return false;
    factoring f = {
        .lu = lu, .values = values, .tiny = fmax(1e-14 * largest, 1e-290), .query = query};
    for_own_parts(lu, factor_part, &f);
    if (lu->share != NULL)
        con_block_share_updates(lu->share, lu->stack, f.replaced);
    asking a = {query, 0.0, lu->panel};
    for (int s = 0, p = 0; s < order->supernode_count; s++) {
        for (; p < order->part_count && order->part[p].begin == s; p++) {
            lu->perturbed += f.replaced[p];
            s = order->part[p].end;
        }
        if (s < order->supernode_count)
            lu->perturbed += factor_supernode(&f, s, lu->front, &a, lu->workers);
    }
    return !atomic_load(&f.ended);
}

double con_block_lu_least_pivot(const con_block_lu *lu)
{
    double least = lu->perturbed > 0 ? 0.0 : INFINITY;
    for (int s = 0; s < lu->order->supernode_count; s++) {
        front_shape shape = shape_of(lu->order, s);
        const double *factor = lu->factor + lu->order->factor_start[s];
        for (int i = 0; i < shape.pivots; i++)
            least = fmin(least, fabs(factor[upper_row(&shape, (size_t)i)]));
    }
    return least;
}

/// Whose rows a solve may change: all of them, or those of one part, whose rows of the top are in a
/// vector of their own.
typedef struct solve_range {
    const con_block_lu *lu;
    double *gather;
    double *outer; // NULL for the top and where the tree is whole
    int last_turn;
} solve_range;

static double *row_at(const solve_range *r, int turn)
{
    const con_block_order *order = r->lu->order;
    if (r->outer != NULL && turn > r->last_turn)
        return r->outer + order->top_place[turn] * order->block;
    return r->lu->work + turn * order->block;
}

// x of the rows below the pivots, to and from a dense vector; upwards it is read where it is
static void gather_below(const solve_range *r, int s, const front_shape *shape)
{
    const con_block_order *order = r->lu->order;
    int block = order->block, pivots = shape->pivots / block, count = shape->below / block;
    const int *row = order->row + order->row_start[s] + pivots;
    for (int i = 0; i < count; i++) {
        const double *x = row_at(r, row[i]);
        for (int k = 0; k < block; k++)
            r->gather[i * block + k] = x[k];
    }
}

static void scatter_below(const solve_range *r, int s, const front_shape *shape)
{
    const con_block_order *order = r->lu->order;
    int block = order->block, pivots = shape->pivots / block, count = shape->below / block;
    const int *row = order->row + order->row_start[s] + pivots;
    for (int i = 0; i < count; i++) {
        double *x = row_at(r, row[i]);
        for (int k = 0; k < block; k++)
            x[k] = r->gather[i * block + k];
    }
}

/// A supernode in a solve, whose rows are shared.
typedef struct solve_work {
    const double *factor;
    front_shape shape;
    double *x;      // of the pivots
    double *gather; // of the rows below
} solve_work;

// y -= x[0] a + ... + x[3] d, one after the other
static inline void subtract_four(double *y, const double *const column[4], const double x[4],
                                 int count)
{
    const double *a = column[0], *b = column[1], *c = column[2], *d = column[3];
    for (int i = 0; i < count; i++)
        y[i] = (((y[i] - a[i] * x[0]) - b[i] * x[1]) - c[i] * x[2]) - d[i] * x[3];
}

static inline void subtract_one(double *y, const double *a, double x, int count)
{
    for (int i = 0; i < count; i++)
        y[i] -= a[i] * x;
}

enum { FOUR = 4 };

// columns k to k + 3 of L, from row `row` on
static inline void find_columns(const solve_work *w, int k, int row, const double *column[FOUR])
{
    for (int j = 0; j < FOUR; j++)
        column[j] = w->factor + lower_column(&w->shape, (size_t)k + (size_t)j) + row - k - j - 1;
}

// x of the pivots themselves
static void solve_pivots(const solve_work *w)
{
    int k = 0, pivots = w->shape.pivots;
    for (; k + FOUR <= pivots; k += FOUR) {
        const double *column[FOUR];
        double *x = w->x + k;
        find_columns(w, k, k, column);
        for (int j = 0; j < FOUR; j++)
            for (int i = j + 1; i < FOUR; i++)
                x[i] -= column[j][i] * x[j];
        find_columns(w, k, k + FOUR, column);
        subtract_four(x + FOUR, column, x, pivots - k - FOUR);
    }
    for (; k < pivots; k++)
        subtract_one(w->x + k + 1, w->factor + lower_column(&w->shape, (size_t)k), w->x[k],
                     pivots - k - 1);
}

// gather -= L x
static void subtract_lower(const solve_work *w, int begin, int end)
{
    int k = 0, pivots = w->shape.pivots;
    for (; k + FOUR <= pivots; k += FOUR) {
        const double *column[FOUR];
        find_columns(w, k, pivots + begin, column);
        subtract_four(w->gather + begin, column, w->x + k, end - begin);
    }
    for (; k < pivots; k++)
        subtract_one(w->gather + begin,
                     w->factor + lower_column(&w->shape, (size_t)k) + pivots - k - 1 + begin,
                     w->x[k], end - begin);
}

static void lower_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    subtract_lower(context, begin, end);
}

static bool is_large(const front_shape *shape)
{
    return (double)shape->below * shape->pivots >= SHARED_ENTRIES;
}

static void solve_lower(const solve_range *r, int s, base_workers *workers)
{
    const con_block_order *order = r->lu->order;
    const int *pivot = r->lu->pivot + order->first[s] * order->block;
    solve_work w = {r->lu->factor + order->factor_start[s], shape_of(order, s),
                    r->lu->work + order->first[s] * order->block, r->gather};
    for (int k = 0; k < w.shape.pivots; k++) {
        double swap = w.x[k];
        w.x[k] = w.x[pivot[k]];
        w.x[pivot[k]] = swap;
    }
    solve_pivots(&w);
    if (w.shape.below == 0)
        return;
    gather_below(r, s, &w.shape);
    if (workers != NULL && is_large(&w.shape))
        base_parallel_for(workers, w.shape.below, SOLVE_ROWS, lower_chunk, &w);
    else
        subtract_lower(&w, 0, w.shape.below);
    scatter_below(r, s, &w.shape);
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

// the same in two sums, for terms of which the first is the latest found
static double short_dot(const double *a, const double *b, int count)
{
    double sum[2] = {0.0, 0.0};
    int k = 0;
    for (; k + 2 <= count; k += 2)
        for (int l = 0; l < 2; l++)
            sum[l] += a[k + l] * b[k + l];
    if (k < count)
        sum[0] += a[k] * b[k];
    return sum[0] + sum[1];
}

// x -= U gather
static void subtract_upper(const solve_work *w, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        const double *row = w->factor + upper_row(&w->shape, (size_t)i);
        w->x[i] -= dot(row + w->shape.pivots - i, w->gather, w->shape.below);
    }
}

static void upper_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    subtract_upper(context, begin, end);
}

static void solve_upper(const solve_range *r, int s, base_workers *workers)
{
    const con_block_order *order = r->lu->order;
    solve_work w = {r->lu->factor + order->factor_start[s], shape_of(order, s),
                    r->lu->work + order->first[s] * order->block, r->gather};
    int pivots = w.shape.pivots;
    if (w.shape.below > 0) {
        gather_below(r, s, &w.shape);
        if (workers != NULL && is_large(&w.shape))
            base_parallel_for(workers, pivots, SOLVE_ROWS, upper_chunk, &w);
        else
            subtract_upper(&w, 0, pivots);
    }
    for (int i = pivots - 1; i >= 0; i--) {
        const double *row = w.factor + upper_row(&w.shape, (size_t)i);
        w.x[i] = (w.x[i] - short_dot(row + 1, w.x + i + 1, pivots - i - 1)) / row[0];
    }
}

static solve_range range_of(const con_block_lu *lu, int part, int worker)
{
    const con_block_order *order = lu->order;
    size_t rows = (size_t)order->size * (size_t)order->block;
    return (solve_range){lu, lu->gather + (size_t)scratch_of(lu, part, worker) * rows,
                         lu->outer + (size_t)part * (size_t)(order->top_count * order->block),
                         order->part[part].last_turn};
}

static void lower_part(void *context, int begin, int end, int chunk, int worker)
{
    (void)end, (void)chunk;
    const con_block_lu *lu = context;
    int p = own_part(lu, begin);
    const con_block_part *part = &lu->order->part[p];
    const solve_range range = range_of(lu, p, worker);
    for (int s = part->begin; s < part->end; s++)
        solve_lower(&range, s, NULL);
}

static void upper_part(void *context, int begin, int end, int chunk, int worker)
{
    (void)end, (void)chunk;
    const con_block_lu *lu = context;
    int p = own_part(lu, begin);
    const con_block_part *part = &lu->order->part[p];
    solve_range range = range_of(lu, p, worker);
    range.outer = NULL; // rows of the top are done and only read
    for (int s = part->end - 1; s >= part->begin; s--)
        solve_upper(&range, s, NULL);
}

// what a part adds to rows of the top, which is zero again afterwards
static void fold_part(con_block_lu *lu, int p)
{
    const con_block_order *order = lu->order;
    size_t block = (size_t)order->block;
    double *outer = lu->outer + (size_t)p * (size_t)order->top_count * block;
    for (int s = order->part[p].begin; s < order->part[p].end; s++) {
        int up = order->parent[s];
        if (up >= 0 && up < order->part[p].end)
            continue;
        int width = order->first[s + 1] - order->first[s];
        for (int k = order->row_start[s] + width; k < order->row_start[s + 1]; k++) {
            double *from = outer + (size_t)order->top_place[order->row[k]] * block;
            double *to = lu->work + (size_t)order->row[k] * block;
            for (size_t d = 0; d < block; d++) {
                to[d] += from[d];
                from[d] = 0.0;
            }
        }
    }
}

void con_block_lu_solve(con_block_lu *lu, double *x)
{
    const con_block_order *order = lu->order;
    int block = order->block;
    const solve_range top = {lu, lu->gather, NULL, 0};
    for (int i = 0; i < order->size; i++)
        memcpy(lu->work + i * block, x + order->block_at[i] * block,
               (size_t)block * sizeof(double));
    for_own_parts(lu, lower_part, lu);
    if (lu->share != NULL)
        con_block_share_outer(lu->share, lu->outer);
    for (int p = 0; p < order->part_count; p++)
        fold_part(lu, p);
    int count = order->supernode_count;
    for (int s = 0, p = 0; s < count; s++) {
        for (; p < order->part_count && order->part[p].begin == s; p++)
            s = order->part[p].end;
        if (s < count)
            solve_lower(&top, s, lu->workers);
    }
    for (int s = count - 1, p = order->part_count - 1; s >= 0; s--) {
        for (; p >= 0 && order->part[p].end == s + 1; p--)
            s = order->part[p].begin - 1;
        if (s >= 0)
            solve_upper(&top, s, lu->workers);
    }
    for_own_parts(lu, upper_part, lu);
    if (lu->share != NULL)
        con_block_share_solution(lu->share, lu->work);
    for (int i = 0; i < order->size; i++)
        memcpy(x + order->block_at[i] * block, lu->work + i * block,
               (size_t)block * sizeof(double));
}
