// SPDX-License-Identifier: Apache-2.0
// Products with H and M^-1 and the sparse W against dense matrices.
#include "contact/problem/problem.h"
#include "tests/unit/contact/fixture.h"

// dense H [3n][6m]
static double *dense_H(const fixture *f)
{
    int n = f->problem.contact_count, m = f->problem.body_count;
    double *H = fixture_array((size_t)(3 * n) * (size_t)(6 * m), sizeof *H);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < 2; s++)
            for (int row = 0; row < 3 && f->body[i][s] >= 0; row++)
                for (int k = 0; k < 6; k++)
                    H[(3 * i + row) * 6 * m + 6 * f->body[i][s] + k] += f->H[i][s][row][k];
    return H;
}

static double dense_W(const fixture *f, const double *H, int row, int column)
{
    int width = 6 * f->problem.body_count;
    long double sum = 0;
    for (int k = 0; k < width; k++)
        sum +=
            (long double)H[row * width + k] * f->mass_inverse[k / 6][k % 6] * H[column * width + k];
    return (double)sum;
}

static const mat3 *find_block(const con_block_matrix *W, int i, int j)
{
    for (int k = W->start[i]; k < W->start[i + 1]; k++)
        if (W->column[k] == j)
            return &W->block[k];
    return NULL;
}

static void sparse_W_is_the_dense_one(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        int n = 40;
        fixture f = fixture_cloud(n, 12, 0.3, seed);
        assert_int_equal(con_problem_assemble_delassus(&f.problem, f.arena), CAIRN_OK);
        const con_block_matrix *W = f.problem.W;
        assert_int_equal(W->size, n);
        double *H = dense_H(&f);
        for (int i = 0; i < n; i++) {
            for (int k = W->start[i] + 1; k < W->start[i + 1]; k++)
                assert_true(W->column[k] > W->column[k - 1]);
            assert_non_null(find_block(W, i, i));
            for (int j = 0; j < n; j++)
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++) {
                        const mat3 *block = find_block(W, i, j), *twin = find_block(W, j, i);
                        double value = block != NULL ? block->m[r][c] : 0.0;
                        check_close(value, dense_W(&f, H, 3 * i + r, 3 * j + c), 1e-14, 1e-14);
                        assert_true(value == (twin != NULL ? twin->m[c][r] : 0.0));
                    }
            // the diagonal blocks are the same bits
            assert_memory_equal(find_block(W, i, i), &f.W_diagonal[i], sizeof(mat3));
        }
        free(H);
        fixture_destroy(&f);
    }
}

static void products_are_the_dense_ones(void **state)
{
    (void)state;
    int n = 50, m = 15;
    fixture f = fixture_cloud(n, m, 0.3, 3);
    double *H = dense_H(&f), (*v)[6] = fixture_array((size_t)m, sizeof *v);
    base_rng rng = base_rng_make(4);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            f.R[i][k] = base_rng_range(&rng, -1.0, 1.0);
    con_apply_impulses(&f.problem, (const double(*)[3])f.R, v);
    for (int k = 0; k < 6 * m; k++) {
        long double impulse = 0;
        for (int i = 0; i < 3 * n; i++)
            impulse += (long double)H[i * 6 * m + k] * f.R[i / 3][i % 3];
        double expected = f.v_free[k / 6][k % 6] + f.mass_inverse[k / 6][k % 6] * (double)impulse;
        check_close(v[k / 6][k % 6], expected, 1e-13, 1e-13);
    }
    // U by both ways, q = H v_free + w
    con_apply_H(&f.problem, (const double(*)[6])v, f.problem.w, f.U);
    double(*U)[3] = fixture_array((size_t)n, sizeof *U);
    assert_int_equal(con_problem_velocity(&f.problem, (const double(*)[3])f.R, U, f.arena),
                     CAIRN_OK);
    assert_memory_equal(U, f.U, (size_t)n * sizeof *U);
    con_problem rows = f.problem;
    assert_int_equal(con_problem_assemble_delassus(&rows, f.arena), CAIRN_OK);
    rows.H = NULL;
    assert_int_equal(con_problem_velocity(&rows, (const double(*)[3])f.R, U, f.arena), CAIRN_OK);
    for (int i = 0; i < 3 * n; i++) {
        check_close(U[i / 3][i % 3], f.U[i / 3][i % 3], 1e-13, 1e-13);
        long double q = f.w[i / 3][i % 3];
        for (int k = 0; k < 6 * m; k++)
            q += (long double)H[i * 6 * m + k] * f.v_free[k / 6][k % 6];
        check_close(f.q[i / 3][i % 3], (double)q, 1e-14, 1e-14);
    }
    free(U);
    free(v);
    free(H);
    fixture_destroy(&f);
}

static void empty_and_immobile_problems(void **state)
{
    (void)state;
    fixture f = fixture_create(0, 3);
    assert_int_equal(con_problem_assemble_delassus(&f.problem, f.arena), CAIRN_OK);
    assert_int_equal(f.problem.W->size, 0);
    assert_int_equal(con_problem_velocity(&f.problem, NULL, NULL, f.arena), CAIRN_OK);
    fixture_destroy(&f);
    // neither H nor W
    f = fixture_create(2, 0);
    f.problem.H = NULL;
    assert_int_equal(con_problem_velocity(&f.problem, (const double(*)[3])f.R, f.U, f.arena),
                     CAIRN_ERROR_ARGUMENT);
    fixture_destroy(&f);
}

static void failing_memory_is_a_status(void **state)
{
    (void)state;
    fixture f = fixture_cloud(200, 40, 0.3, 5);
    for (long k = 2; k < 8; k++) {
        base_counting_allocator counter = {.fail_at = k};
        base_allocator allocator = base_allocator_counting(&counter);
        base_arena *arena = base_arena_create(&allocator, 64);
        if (arena == NULL)
            continue;
        con_problem problem = f.problem;
        cairn_status status = con_problem_assemble_delassus(&problem, arena);
        assert_true(status == CAIRN_ERROR_MEMORY || (status == CAIRN_OK && problem.W != NULL));
        base_arena_destroy(arena);
        assert_int_equal(counter.live, 0);
    }
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_W_is_the_dense_one),
        cmocka_unit_test(products_are_the_dense_ones),
        cmocka_unit_test(empty_and_immobile_problems),
        cmocka_unit_test(failing_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
