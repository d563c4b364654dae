// SPDX-License-Identifier: Apache-2.0
// Block factorisation: solutions against dense elimination, equal bits for all vector lengths.
#include "contact/linear/block_lu.h"

#include "base/rng.h"
#include "contact/linear/dense_lu.h"
#include "tests/check.h"
#include "tests/unit/post.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A random matrix: pattern, values, and the same dense.
typedef struct sample {
    con_block_pattern pattern;
    int block, rows;
    double *values; // [entries][block * block]
    double *dense;  // [rows][rows]
    base_arena *arena;
} sample;

static sample sample_create(int size, int block, int extra, double diagonal, uint64_t seed)
{
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(seed);
    sample s = {.block = block, .rows = size * block};
    s.arena = base_arena_create(&allocator, 1 << 16);
    assert_non_null(s.arena);
    size_t count = (size_t)(size + 2 * extra);
    int(*pairs)[2] = calloc(count + 1, sizeof *pairs);
    for (int i = 0; i < size; i++)
        pairs[i][0] = pairs[i][1] = i;
    for (int k = 0; k < extra; k++) {
        int a = base_rng_index(&rng, size), b = base_rng_index(&rng, size);
        int(*pair)[2] = pairs + size + 2 * k;
        pair[0][0] = pair[1][1] = a;
        pair[0][1] = pair[1][0] = b;
    }
    assert_int_equal(con_block_pattern_create(size, pairs, count, s.arena, &s.pattern), CAIRN_OK);
    free(pairs);
    size_t entries = (size_t)s.pattern.start[size], area = (size_t)(block * block);
    s.values = calloc(entries * area + 1, sizeof(double));
    s.dense = calloc((size_t)s.rows * (size_t)s.rows + 1, sizeof(double));
    for (int i = 0; i < size; i++)
        for (int k = s.pattern.start[i]; k < s.pattern.start[i + 1]; k++)
            for (int a = 0; a < block; a++)
                for (int b = 0; b < block; b++) {
                    int row = i * block + a, column = s.pattern.column[k] * block + b;
                    double value = base_rng_range(&rng, -1.0, 1.0);
                    value += row == column ? diagonal : 0.0;
                    s.values[(size_t)k * area + (size_t)(a * block + b)] = value;
                    s.dense[(size_t)row * (size_t)s.rows + (size_t)column] = value;
                }
    return s;
}

static void sample_destroy(sample *s)
{
    base_arena_destroy(s->arena);
    free(s->values);
    free(s->dense);
}

// largest defect of A x = b
static double defect(const sample *s, const double *x, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < s->rows; i++) {
        long double sum = -b[i];
        for (int j = 0; j < s->rows; j++)
            sum += (long double)s->dense[(size_t)i * (size_t)s->rows + (size_t)j] * x[j];
        worst = fmax(worst, fabs((double)sum));
    }
    return worst;
}

static void solve_sample(const sample *s, int length, double *x)
{
    con_block_order order;
    con_block_lu lu;
    assert_int_equal(con_block_order_create(&s->pattern, s->block, s->arena, &order), CAIRN_OK);
    assert_int_equal(con_block_lu_create(&order, NULL, NULL, s->arena, &lu), CAIRN_OK);
    if (length > 0)
        lu.vector_length = length;
    for (int twice = 0; twice < 2; twice++)
        assert_true(con_block_lu_factor(&lu, s->values, NULL));
    con_block_lu_solve(&lu, x);
}

static void solutions_satisfy_the_system(void **state)
{
    (void)state;
    const int sizes[] = {1, 2, 7, 30, 90}, blocks[] = {1, 3, 6};
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < 3; b++)
            for (int dense = 0; dense < 3; dense++) {
                int size = sizes[a], extra = dense == 0 ? 0 : dense == 1 ? 2 * size : size * size;
                uint64_t seed = (uint64_t)(100 * a + 10 * b + dense);
                sample s = sample_create(size, blocks[b], extra, 8.0 + 0.5 * size, seed);
                double *x = calloc((size_t)s.rows, sizeof *x), *right = calloc((size_t)s.rows, 8);
                base_rng rng = base_rng_make(seed + 1);
                for (int i = 0; i < s.rows; i++)
                    x[i] = right[i] = base_rng_range(&rng, -1.0, 1.0);
                solve_sample(&s, 0, x);
                check_at_most(defect(&s, x, right), 1e-12);
                free(x);
                free(right);
                sample_destroy(&s);
            }
}

static void rows_are_exchanged_within_a_supernode(void **state)
{
    (void)state;
    // zero diagonal: one dense block can be solved with exchanges only
    sample s = sample_create(1, 6, 0, 0.0, 5);
    for (int i = 0; i < 6; i++)
        s.values[7 * i] = s.dense[7 * i] = 0.0;
    double x[6] = {1, 2, 3, 4, 5, 6}, right[6] = {1, 2, 3, 4, 5, 6};
    solve_sample(&s, 0, x);
    check_at_most(defect(&s, x, right), 1e-12);
    sample_destroy(&s);
}

static void all_vector_lengths_give_the_same_bits(void **state)
{
    (void)state;
    sample s = sample_create(60, 6, 150, 30.0, 9);
    size_t size = (size_t)s.rows * sizeof(double);
    double *first = calloc(1, size), *x = calloc(1, size);
    for (int length = 1; length <= con_dense_vector_length(); length *= 2) {
        if (length == 2)
            continue;
        for (int i = 0; i < s.rows; i++)
            x[i] = sin(i);
        solve_sample(&s, length, x);
        if (length == 1)
            memcpy(first, x, size);
        assert_memory_equal(first, x, size);
    }
    free(first);
    free(x);
    sample_destroy(&s);
}

static void singular_and_broken_matrices(void **state)
{
    (void)state;
    sample s = sample_create(3, 3, 2, 4.0, 3);
    con_block_order order;
    con_block_lu lu;
    assert_int_equal(con_block_order_create(&s.pattern, 3, s.arena, &order), CAIRN_OK);
    assert_int_equal(con_block_lu_create(&order, NULL, NULL, s.arena, &lu), CAIRN_OK);
    size_t entries = (size_t)s.pattern.start[3];
    s.values[4] = NAN;
    assert_false(con_block_lu_factor(&lu, s.values, NULL));
    memset(s.values, 0, entries * 9 * sizeof(double));
    s.values[0] = 1.0;
    double x[9] = {1.0};
    assert_true(con_block_lu_factor(&lu, s.values, NULL));
    assert_int_equal(lu.perturbed, 8);
    check_close(con_block_lu_least_pivot(&lu), 0.0, 0.0, 0.0);
    con_block_lu_solve(&lu, x);
    check_close(x[0], 1.0, 1e-12, 0.0);
    sample_destroy(&s);
}

/// Blocks diag(4, -0.25, 2) and nothing else.
static void least_pivot_is_a_size(void **state)
{
    (void)state;
    sample s = sample_create(5, 3, 4, 4.0, 3);
    con_block_order order;
    con_block_lu lu;
    assert_int_equal(con_block_order_create(&s.pattern, 3, s.arena, &order), CAIRN_OK);
    assert_int_equal(con_block_lu_create(&order, NULL, NULL, s.arena, &lu), CAIRN_OK);
    memset(s.values, 0, (size_t)s.pattern.start[5] * 9 * sizeof(double));
    for (int i = 0; i < 5; i++) {
        double *block = s.values + 9 * con_block_pattern_find(&s.pattern, i, i);
        block[0] = 4.0, block[4] = -0.25, block[8] = 2.0;
    }
    assert_true(con_block_lu_factor(&lu, s.values, NULL));
    check_close(con_block_lu_least_pivot(&lu), 0.25, 0.0, 0.0);
    sample_destroy(&s);
}

static void order_is_a_permutation_with_little_fill(void **state)
{
    (void)state;
    // a chain numbered at random: no fill, so fronts stay small
    enum { SIZE = 200 };
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1 << 16);
    base_rng rng = base_rng_make(4);
    int name[SIZE], pairs[3 * SIZE][2], count = 0, seen[SIZE] = {0};
    for (int i = 0; i < SIZE; i++)
        name[i] = i;
    for (int i = SIZE - 1; i > 0; i--) {
        int j = base_rng_index(&rng, i + 1), swap = name[i];
        name[i] = name[j];
        name[j] = swap;
    }
    for (int i = 0; i < SIZE; i++, count++)
        pairs[count][0] = pairs[count][1] = i;
    for (int i = 0; i + 1 < SIZE; i++, count += 2) {
        pairs[count][0] = pairs[count + 1][1] = name[i];
        pairs[count][1] = pairs[count + 1][0] = name[i + 1];
    }
    con_block_pattern pattern;
    con_block_order order;
    assert_int_equal(con_block_pattern_create(SIZE, pairs, (size_t)count, arena, &pattern),
                     CAIRN_OK);
    assert_int_equal(con_block_order_create(&pattern, 6, arena, &order), CAIRN_OK);
    for (int i = 0; i < SIZE; i++) {
        assert_int_equal(order.place[order.block_at[i]], i);
        seen[order.block_at[i]]++;
    }
    for (int i = 0; i < SIZE; i++)
        assert_int_equal(seen[i], 1);
    // supernodes of four blocks at most, half of which may be zeros
    assert_true(order.factor_start[order.supernode_count] <= 36 * SIZE * 8);
    assert_true(order.front_size <= 48 * 56);
    base_arena_destroy(arena);
}

enum { GRID = 40, GRID_BLOCKS = GRID * GRID, GRID_ROWS = 6 * GRID_BLOCKS };

/// A matrix on a square grid of blocks of six, whose tree falls into parts.
typedef struct grid {
    con_block_pattern pattern;
    con_block_order order;
    double *values;
    base_arena *arena;
} grid;

static grid grid_create(void)
{
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(23);
    grid g = {.arena = base_arena_create(&allocator, 1 << 20)};
    int(*pairs)[2] = calloc(9 * GRID_BLOCKS, sizeof *pairs), count = 0;
    for (int i = 0; i < GRID_BLOCKS; i++)
        for (int k = 0; k < 9; k++) {
            int row = i / GRID + k / 3 - 1, column = i % GRID + k % 3 - 1;
            if (row < 0 || row >= GRID || column < 0 || column >= GRID)
                continue;
            pairs[count][0] = i;
            pairs[count++][1] = row * GRID + column;
        }
    assert_int_equal(
        con_block_pattern_create(GRID_BLOCKS, pairs, (size_t)count, g.arena, &g.pattern), CAIRN_OK);
    free(pairs);
    g.values = calloc(36 * (size_t)g.pattern.start[GRID_BLOCKS], sizeof *g.values);
    for (int i = 0; i < GRID_BLOCKS; i++)
        for (int k = g.pattern.start[i]; k < g.pattern.start[i + 1]; k++)
            for (int d = 0; d < 36; d++)
                g.values[36 * k + d] = base_rng_range(&rng, -1.0, 1.0) +
                                       (g.pattern.column[k] == i && d % 7 == 0 ? 20.0 : 0.0);
    assert_int_equal(con_block_order_create(&g.pattern, 6, g.arena, &g.order), CAIRN_OK);
    return g;
}

static void grid_destroy(grid *g)
{
    base_arena_destroy(g->arena);
    free(g->values);
}

// largest defect of A x = b
static double grid_defect(const grid *g, const double *x, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < GRID_ROWS; i++) {
        double sum = -b[i];
        for (int k = g->pattern.start[i / 6]; k < g->pattern.start[i / 6 + 1]; k++)
            for (int d = 0; d < 6; d++)
                sum += g->values[36 * k + 6 * (i % 6) + d] * x[6 * g->pattern.column[k] + d];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static void solve_grid(const grid *g, base_workers *workers, double *x)
{
    con_block_lu lu;
    assert_int_equal(con_block_lu_create(&g->order, workers, NULL, g->arena, &lu), CAIRN_OK);
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < GRID_ROWS; i++)
            x[i] = sin(i);
        assert_true(con_block_lu_factor(&lu, g->values, NULL));
        con_block_lu_solve(&lu, x);
    }
}

static void parts_are_subtrees_and_cover_what_is_below_the_top(void **state)
{
    (void)state;
    grid g = grid_create();
    assert_int_equal(con_block_order_cut(&g.order, g.arena), CAIRN_OK);
    assert_true(g.order.part_count >= 4 && g.order.part_count <= CON_BLOCK_PARTS_MAX);
    int covered = g.order.top_count;
    for (int p = 0; p < g.order.part_count; p++) {
        const con_block_part *part = &g.order.part[p];
        assert_true(part->begin < part->end && part->begin >= (p > 0 ? part[-1].end : 0));
        covered += g.order.first[part->end] - g.order.first[part->begin];
        for (int s = part->begin; s < part->end; s++) {
            int up = g.order.parent[s];
            assert_true(up < 0 || up < part->end || g.order.top_place[g.order.first[up]] >= 0);
            assert_int_equal(g.order.top_place[g.order.first[s]], -1);
        }
    }
    assert_int_equal(covered, GRID_BLOCKS);
    grid_destroy(&g);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    grid g = grid_create();
    double *whole = calloc(GRID_ROWS, 8), *first = calloc(GRID_ROWS, 8), *x = calloc(GRID_ROWS, 8);
    solve_grid(&g, NULL, whole);
    assert_int_equal(con_block_order_cut(&g.order, g.arena), CAIRN_OK);
    solve_grid(&g, NULL, first);
    for (int i = 0; i < GRID_ROWS; i++) {
        x[i] = sin(i);
        check_close(first[i], whole[i], 1e-12, 1e-12);
    }
    check_at_most(grid_defect(&g, first, x), 1e-12);
    base_allocator allocator = base_allocator_default();
    for (int threads = 1; threads <= 5; threads++) {
        base_workers *workers = base_workers_create(&allocator, threads);
        solve_grid(&g, workers, x);
        base_workers_destroy(workers);
        assert_memory_equal(first, x, GRID_ROWS * sizeof *x);
    }
    free(whole);
    free(first);
    free(x);
    grid_destroy(&g);
}

static bool says_stop(const void *context)
{
    return *(const bool *)context;
}

static void threads_end_a_factorisation_and_make_another(void **state)
{
    (void)state;
    grid g = grid_create();
    base_allocator allocator = base_allocator_default();
    base_workers *workers = base_workers_create(&allocator, 3);
    double *x = calloc(GRID_ROWS, 8), *b = calloc(GRID_ROWS, 8);
    assert_int_equal(con_block_order_cut(&g.order, g.arena), CAIRN_OK);
    con_block_lu lu;
    assert_int_equal(con_block_lu_create(&g.order, workers, NULL, g.arena, &lu), CAIRN_OK);
    bool stop = true;
    const con_dense_query query = {says_stop, &stop};
    assert_false(con_block_lu_factor(&lu, g.values, &query));
    stop = false;
    assert_true(con_block_lu_factor(&lu, g.values, &query));
    for (int i = 0; i < GRID_ROWS; i++)
        x[i] = b[i] = cos(i);
    con_block_lu_solve(&lu, x);
    check_at_most(grid_defect(&g, x, b), 1e-12);
    base_workers_destroy(workers);
    free(x);
    free(b);
    grid_destroy(&g);
}

// ---------------------------------------------------------------- processes

/// One of several processes, here a thread with a matrix of its own.
typedef struct process {
    post *post;
    int number, count, threads;
    int own; // parts that it has
    int perturbed;
    double x[GRID_ROWS];
    bool factored;
} process;

static bool gather(void *context, unsigned char *bytes, const size_t *start)
{
    const process *self = context;
    cairn_message messages[RANKS_MOST];
    int count = 0;
    for (int rank = 0; rank < self->count; rank++)
        if (rank != self->number)
            messages[count++] = (cairn_message){
                rank, bytes + start[self->number], bytes + start[rank],
                start[self->number + 1] - start[self->number], start[rank + 1] - start[rank]};
    post_exchange(self->post, self->number, messages, count);
    return true;
}

// what a process does not have is no number, and it never reads it
static void forget(con_block_lu *lu)
{
    const con_block_order *order = lu->order;
    memset(lu->factor, 0xff, order->factor_start[order->supernode_count] * sizeof(double));
    memset(lu->stack, 0xff, order->stack_size * sizeof(double));
}

static void *run_process(void *argument)
{
    process *self = argument;
    const con_gathering gathering = {self->count, self->number, self, gather};
    base_allocator allocator = base_allocator_default();
    base_workers *workers = base_workers_create(&allocator, self->threads);
    grid g = grid_create();
    con_block_lu lu;
    bool ready = con_block_order_cut(&g.order, g.arena) == CAIRN_OK &&
                 con_block_lu_create(&g.order, workers, &gathering, g.arena, &lu) == CAIRN_OK;
    for (int i = 0; i < GRID_ROWS; i++)
        self->x[i] = sin(i);
    if (ready)
        forget(&lu);
    self->factored = ready && con_block_lu_factor(&lu, g.values, NULL);
    for (int turn = 0; turn < 2 && self->factored; turn++)
        con_block_lu_solve(&lu, self->x);
    self->own = ready ? lu.share->end - lu.share->begin : 0;
    self->perturbed = ready ? lu.perturbed : -1;
    base_workers_destroy(workers);
    grid_destroy(&g);
    return NULL;
}

static void any_number_of_processes_gives_the_same_bits(void **state)
{
    (void)state;
    static process all[RANKS_MOST];
    grid g = grid_create();
    double *x = calloc(GRID_ROWS, sizeof *x);
    con_block_lu lu;
    assert_int_equal(con_block_order_cut(&g.order, g.arena), CAIRN_OK);
    assert_int_equal(con_block_lu_create(&g.order, NULL, NULL, g.arena, &lu), CAIRN_OK);
    for (int i = 0; i < GRID_ROWS; i++)
        x[i] = sin(i);
    assert_true(con_block_lu_factor(&lu, g.values, NULL));
    for (int turn = 0; turn < 2; turn++)
        con_block_lu_solve(&lu, x);
    // two and three share, and of eleven some have nothing to do
    for (int count = 2; count <= RANKS_MOST; count += count < 3 ? 1 : 8) {
        post p = {.fail_after = -1};
        pthread_t threads[RANKS_MOST];
        pthread_mutex_init(&p.mutex, NULL);
        pthread_cond_init(&p.changed, NULL);
        for (int k = 0; k < count; k++) {
            all[k] = (process){.post = &p, .number = k, .count = count, .threads = 1 + k % 2};
            assert_int_equal(pthread_create(&threads[k], NULL, run_process, &all[k]), 0);
        }
        int parts = 0, most = 0;
        for (int k = 0; k < count; k++) {
            pthread_join(threads[k], NULL);
            assert_true(all[k].factored);
            assert_int_equal(all[k].perturbed, lu.perturbed);
            assert_memory_equal(all[k].x, x, GRID_ROWS * sizeof *x);
            parts += all[k].own;
            most = all[k].own > most ? all[k].own : most;
        }
        assert_int_equal(p.wrong, 0);
        assert_int_equal(parts, g.order.part_count);
        assert_true(most < g.order.part_count);
        pthread_cond_destroy(&p.changed);
        pthread_mutex_destroy(&p.mutex);
    }
    free(x);
    grid_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_satisfy_the_system),
        cmocka_unit_test(rows_are_exchanged_within_a_supernode),
        cmocka_unit_test(all_vector_lengths_give_the_same_bits),
        cmocka_unit_test(singular_and_broken_matrices),
        cmocka_unit_test(least_pivot_is_a_size),
        cmocka_unit_test(order_is_a_permutation_with_little_fill),
        cmocka_unit_test(parts_are_subtrees_and_cover_what_is_below_the_top),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(threads_end_a_factorisation_and_make_another),
        cmocka_unit_test(any_number_of_processes_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
