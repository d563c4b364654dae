// SPDX-License-Identifier: Apache-2.0
// Groups of contacts found in W: products through them, and solves in both forms.
#include "contact/solvers/newton/newton_groups.h"
#include "tests/unit/contact/fixture.h"

static con_block_pattern pattern_of(const con_block_matrix *W)
{
    return (con_block_pattern){W->size, W->start, W->column};
}

// Q X Q^T r of the groups of W against W r, relative to the largest of it
static double product_error(const con_block_matrix *W, const con_newton_groups *groups)
{
    base_rng rng = base_rng_make(5);
    size_t n = (size_t)W->size;
    double(*r)[3] = fixture_array(n, sizeof *r), (*u)[3] = fixture_array(n, sizeof *u);
    double *x = fixture_array((size_t)groups->count, 6 * sizeof *x), worst = 0.0, largest = 0.0;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            r[i][k] = base_rng_range(&rng, -1.0, 1.0);
    con_newton_groups_gather(groups, (const double(*)[3])r, x);
    con_newton_groups_spread(groups, x, u);
    for (int i = 0; i < W->size; i++)
        for (int row = 0; row < 3; row++) {
            double sum = 0.0;
            for (int k = W->start[i]; k < W->start[i + 1]; k++)
                for (int c = 0; c < 3; c++)
                    sum += W->block[k].m[row][c] * r[W->column[k]][c];
            worst = fmax(worst, fabs(sum - u[i][row]));
            largest = fmax(largest, fabs(sum));
        }
    free(r);
    free(u);
    free(x);
    return worst / largest;
}

// the four contacts of a face are one group, whose six dimensions hold its twelve rows
static void faces_are_groups(void **state)
{
    (void)state;
    fixture f = fixture_wall(3, 5, 0.5, 4);
    assert_int_equal(con_problem_assemble_delassus(&f.problem, f.arena), CAIRN_OK);
    const con_block_pattern pattern = pattern_of(f.problem.W);
    con_newton_groups *groups;
    assert_int_equal(con_newton_groups_create(&pattern, f.problem.W->block, f.arena, &groups),
                     CAIRN_OK);
    assert_non_null(groups);
    assert_int_equal(groups->count, 15);
    for (int i = 0; i < 60; i++)
        assert_int_equal(groups->group[i], groups->group[i / 4 * 4]);
    check_at_most(product_error(f.problem.W, groups), 1e-13);
    fixture_destroy(&f);
}

// W of bodies whose M^-1 is not symmetric has the same groups
static void unsymmetric_matrices_have_groups(void **state)
{
    (void)state;
    fixture f = fixture_wall(3, 5, 0.5, 9);
    assert_int_equal(con_problem_assemble_delassus(&f.problem, f.arena), CAIRN_OK);
    const con_block_matrix *W = f.problem.W;
    mat3 *block = base_arena_array(f.arena, mat3, "W", W->start[W->size]);
    memcpy(block, W->block, (size_t)W->start[W->size] * sizeof *block);
    for (int i = 0; i < W->size; i++)
        for (int k = W->start[i]; k < W->start[i + 1]; k++)
            for (int a = 0; a < 4; a++) {
                // what an entry 0.3 at (4, 5) and -0.3 at (5, 4) of M^-1 adds
                int j = W->column[k], s = a / 2, t = a % 2;
                if (f.body[i][s] < 0 || f.body[i][s] != f.body[j][t])
                    continue;
                const double(*H)[6] = (const double(*)[6])f.problem.H[i][s];
                const double(*G)[6] = (const double(*)[6])f.problem.H[j][t];
                for (int r = 0; r < 3; r++)
                    for (int c = 0; c < 3; c++)
                        block[k].m[r][c] += 0.3 * (H[r][4] * G[c][5] - H[r][5] * G[c][4]);
            }
    const con_block_matrix skewed = {W->size, W->start, W->column, block};
    const con_block_pattern pattern = pattern_of(W);
    con_newton_groups *groups;
    assert_int_equal(con_newton_groups_create(&pattern, block, f.arena, &groups), CAIRN_OK);
    assert_non_null(groups);
    assert_int_equal(groups->count, 15);
    check_at_most(product_error(&skewed, groups), 1e-13);
    fixture_destroy(&f);
}

// contacts of their own directions in space are three rows each: nothing to save
static void a_full_matrix_has_none(void **state)
{
    (void)state;
    fixture f = fixture_cloud(40, 60, 0.5, 3);
    assert_int_equal(con_problem_assemble_delassus(&f.problem, f.arena), CAIRN_OK);
    mat3 *block = base_arena_array(f.arena, mat3, "W", f.problem.W->start[40]);
    memcpy(block, f.problem.W->block, (size_t)f.problem.W->start[40] * sizeof *block);
    for (int i = 0; i < 40; i++)
        for (int k = f.problem.W->start[i]; k < f.problem.W->start[i + 1]; k++)
            for (int row = 0; row < 3 && f.problem.W->column[k] == i; row++)
                block[k].m[row][row] += 0.1 * (row + 1);
    const con_block_pattern pattern = pattern_of(f.problem.W);
    con_newton_groups *groups;
    assert_int_equal(con_newton_groups_create(&pattern, block, f.arena, &groups), CAIRN_OK);
    assert_null(groups);
    fixture_destroy(&f);
}

// the Newton steps of a wall are those of its body form
static void both_forms_take_the_same_steps(void **state)
{
    (void)state;
    const con_control control = {.tolerance = 1e-9, .time_limit = 30.0};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        fixture f = fixture_wall(4, 12, 0.4 * (double)seed, seed);
        con_problem rows = f.problem;
        con_report bodies, alone;
        size_t size = (size_t)f.problem.contact_count * sizeof *f.R;
        const con_solver *solver = con_solver_find("nipm");
        assert_int_equal(con_solve(solver, NULL, &f.problem, &control, f.R, f.U, &bodies, f.arena),
                         CAIRN_OK);
        assert_int_equal(con_problem_assemble_delassus(&rows, f.arena), CAIRN_OK);
        rows.H = NULL;
        rows.body_count = 0;
        memset(f.R, 0, size);
        assert_int_equal(con_solve(solver, NULL, &rows, &control, f.R, f.U, &alone, f.arena),
                         CAIRN_OK);
        assert_int_equal(bodies.stop, CON_STOP_SOLVED);
        assert_int_equal(alone.stop, CON_STOP_SOLVED);
        assert_true(abs(alone.iterations - bodies.iterations) <= 2);
        check_at_most(fixture_residual(&f, (const double(*)[3])f.R), 1e-7);
        fixture_destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_are_groups),
        cmocka_unit_test(unsymmetric_matrices_have_groups),
        cmocka_unit_test(a_full_matrix_has_none),
        cmocka_unit_test(both_forms_take_the_same_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
