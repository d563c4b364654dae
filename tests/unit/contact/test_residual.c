// SPDX-License-Identifier: Apache-2.0
// The residual against values by hand and against a second computation in long double.
#include "contact/problem/residual.h"
#include "tests/unit/contact/fixture.h"

// one contact, W = 2 I, in W form
static const int start[] = {0, 1}, column[] = {0};
static const mat3 twice = {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}};
static const con_block_matrix W = {1, start, column, &twice};
static const double q[1][3] = {{-3.0, 0.0, 4.0}};
static const double friction[] = {0.5};
static const con_problem single = {
    .contact_count = 1, .q = q, .friction = friction, .W_diagonal = &twice, .W = &W};

static con_residual residual_of(const con_problem *problem, const double R[3])
{
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1024);
    double U[1][3];
    con_residual residual;
    assert_int_equal(con_residual_compute(problem, (const double(*)[3])R, U, &residual, arena),
                     CAIRN_OK);
    for (int k = 0; k < 3; k++)
        check_close(U[0][k], q[0][k] + 2.0 * R[k], 1e-15, 1e-15);
    base_arena_destroy(arena);
    return residual;
}

static void values_by_hand(void **state)
{
    (void)state;
    // R = 0: u = (-3 + 0.5 4, 0, 4), z = (1, 0, -4): P = ((1 + 2) / 1.25) (1, 0, -0.5)
    con_residual r = residual_of(&single, (double[]){0.0, 0.0, 0.0});
    double map = 2.4 * sqrt(1.25);
    check_close(r.natural_map, map, 1e-15, 0.0);
    check_close(r.error, map / 5.0, 1e-15, 0.0);
    check_close(r.error_q, map / 5.0, 1e-15, 0.0);
    assert_int_equal(r.worst_contact, 0);
    // slip: R_N = 1.5, R_T = -0.75, U_T = 2.5
    r = residual_of(&single, (double[]){1.5, 0.0, -0.75});
    check_at_most(r.error, 1e-16);
    // large R: divided by |R| in one measure, by |q| in the other; u = (197, 0, 4) + (2, 0, 0)
    r = residual_of(&single, (double[]){100.0, 0.0, 0.0});
    check_close(r.natural_map, 100.0, 1e-15, 0.0);
    check_close(r.error, 100.0 / hypot(197.0, 4.0), 1e-15, 0.0);
    check_close(r.error_q, 20.0, 1e-15, 0.0);
}

static void tiny_scales_are_not_divided(void **state)
{
    (void)state;
    const double q_tiny[1][3] = {{-1e-17, 0.0, 0.0}};
    con_problem problem = single;
    problem.q = q_tiny;
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1024);
    double U[1][3], R[1][3] = {{0}};
    con_residual r;
    assert_int_equal(con_residual_compute(&problem, (const double(*)[3])R, U, &r, arena), CAIRN_OK);
    check_close(r.error, 1e-17, 1e-15, 0.0);
    base_arena_destroy(arena);
}

static void matches_long_double_on_random_problems(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fixture f = fixture_cloud(60, 20, 0.1 * (double)seed, seed);
        base_rng rng = base_rng_make(seed);
        for (int i = 0; i < 60; i++)
            for (int k = 0; k < 3; k++)
                f.R[i][k] = base_rng_range(&rng, -0.5, 1.0);
        con_residual r;
        base_arena_mark mark = base_arena_get_mark(f.arena);
        assert_int_equal(
            con_residual_compute(&f.problem, (const double(*)[3])f.R, f.U, &r, f.arena), CAIRN_OK);
        check_close(r.error, fixture_residual(&f, (const double(*)[3])f.R), 1e-13, 0.0);
        assert_true(base_arena_get_mark(f.arena).used == mark.used);
        // through W: the same to round-off
        con_problem by_rows = f.problem;
        assert_int_equal(con_problem_assemble_delassus(&by_rows, f.arena), CAIRN_OK);
        by_rows.H = NULL;
        con_residual rows;
        assert_int_equal(
            con_residual_compute(&by_rows, (const double(*)[3])f.R, f.U, &rows, f.arena), CAIRN_OK);
        check_close(rows.error, r.error, 1e-12, 0.0);
        assert_int_equal(rows.worst_contact, r.worst_contact);
        fixture_destroy(&f);
    }
}

static void not_finite_is_said(void **state)
{
    (void)state;
    fixture f = fixture_cloud(10, 5, 0.3, 1);
    f.R[7][2] = NAN;
    con_residual r;
    assert_int_equal(con_residual_compute(&f.problem, (const double(*)[3])f.R, f.U, &r, f.arena),
                     CAIRN_ERROR_NONFINITE);
    assert_true(isnan(r.error) && isnan(r.error_q));
    f.problem.contact_count = 0;
    assert_int_equal(con_residual_compute(&f.problem, (const double(*)[3])f.R, f.U, &r, f.arena),
                     CAIRN_OK);
    assert_true(r.error == 0.0 && r.worst_contact == -1);
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(tiny_scales_are_not_divided),
        cmocka_unit_test(matches_long_double_on_random_problems),
        cmocka_unit_test(not_finite_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
