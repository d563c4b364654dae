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
    check_close(r.error_q, map / 5.0, 1e-15, 0.0);
    check_close(r.error_siconos, map / 5.0, 1e-15, 0.0);
    // a cone is one in all units: the map of R = 0 is only measured in others
    check_close(r.error, map / 5.0, 1e-15, 0.0);
    check_close(r.error_scaled, map / 5.0, 1e-15, 0.0);
    assert_true(r.growth == 0.0);
    assert_int_equal(r.worst_contact, 0);
    // slip: R_N = 1.5, R_T = -0.75, U_T = 2.5
    r = residual_of(&single, (double[]){1.5, 0.0, -0.75});
    check_at_most(r.error, 2e-16); // round-off of R is 2 sqrt(2) 1.7 eps / 5
    // large R: divided by |U| in one measure, by |q| in the others; u = (197, 0, 4) + (2, 0, 0)
    r = residual_of(&single, (double[]){100.0, 0.0, 0.0});
    check_close(r.error_siconos, 100.0 / hypot(197.0, 4.0), 1e-15, 0.0);
    check_close(r.error_q, 20.0, 1e-15, 0.0);
    // in units of W_ii: R = 100 sqrt(2), u = (199, 0, 4) / sqrt(2), R - u = (1, 0, -4) / sqrt(2)
    double over = (4.0 - 0.5) / 1.25, normal = 199.0 - 0.5 * over, tangent = 4.0 - over;
    check_close(r.error, hypot(normal, tangent) / 5.0, 1e-14, 0.0);
    check_close(r.error_scaled, r.error, 1e-15, 0.0);
    check_close(r.growth, 200.0 / 5.0, 1e-15, 0.0);
}

static void small_problems_are_judged_like_large_ones(void **state)
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
    check_close(r.error, 1.0, 1e-15, 0.0);
    // without q nothing is solved by nothing
    const double q_zero[1][3] = {{0.0, 0.0, 0.0}};
    problem.q = q_zero;
    assert_int_equal(con_residual_compute(&problem, (const double(*)[3])R, U, &r, arena), CAIRN_OK);
    assert_true(r.error == 0.0 && r.error_siconos == 0.0);
    base_arena_destroy(arena);
}

// one contact of one body, and the immobile pair beside it that nothing can part
static void immobile_pairs_count(void **state)
{
    (void)state;
    fixture f = fixture_cloud(2, 2, 0.3, 4);
    for (int s = 0; s < 2; s++)
        f.body[1][s] = -1;
    f.w[1][0] = -0.25;
    f.w[1][1] = f.w[1][2] = 0.0;
    fixture_finish(&f);
    assert_true(mat3_trace(&f.problem.W_diagonal[1]) == 0.0);
    con_residual r;
    memset(f.R, 0, 2 * sizeof *f.R);
    assert_int_equal(con_residual_compute(&f.problem, (const double(*)[3])f.R, f.U, &r, f.arena),
                     CAIRN_OK);
    double size = 0.0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            size += f.q[i][k] * f.q[i][k];
    assert_true(r.error >= 0.25 / sqrt(size) * (1.0 - 1e-15));
    fixture_destroy(&f);
}

// mass, length and time of the problem, and the unit of each contact
static void errors_have_no_units(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fixture f = fixture_cloud(40, 15, 0.1 * (double)seed, seed);
        base_rng rng = base_rng_make(seed);
        con_problem rows = f.problem;
        assert_int_equal(con_problem_assemble_delassus(&rows, f.arena), CAIRN_OK);
        rows.H = NULL;
        con_residual before, after;
        double(*R)[3] = fixture_array(40, sizeof *R),
        (*moved)[3] = fixture_array(40, sizeof *moved);
        mat3 *diagonal = fixture_array(40, sizeof *diagonal);
        mat3 *block = fixture_array((size_t)rows.W->start[40], sizeof *block);
        double mass = pow(10.0, base_rng_range(&rng, -6.0, 6.0));
        double speed = pow(10.0, base_rng_range(&rng, -4.0, 4.0)), unit[40];
        for (int i = 0; i < 40; i++) {
            unit[i] = pow(10.0, base_rng_range(&rng, -3.0, 3.0));
            for (int k = 0; k < 3; k++) {
                f.R[i][k] = base_rng_range(&rng, -0.5, 1.0);
                R[i][k] = f.R[i][k] * mass * speed / unit[i];
                moved[i][k] = f.q[i][k] * speed * unit[i];
            }
        }
        assert_int_equal(
            con_residual_compute(&rows, (const double(*)[3])f.R, f.U, &before, f.arena), CAIRN_OK);
        for (int i = 0; i < 40; i++)
            for (int e = rows.W->start[i]; e < rows.W->start[i + 1]; e++) {
                int j = rows.W->column[e];
                for (int k = 0; k < 9; k++)
                    block[e].m[k / 3][k % 3] =
                        rows.W->block[e].m[k / 3][k % 3] * unit[i] * unit[j] / mass;
                if (i == j)
                    diagonal[i] = block[e];
            }
        con_block_matrix scaled = *rows.W;
        scaled.block = block;
        rows.W = &scaled;
        rows.W_diagonal = diagonal;
        rows.q = (const double(*)[3])moved;
        assert_int_equal(con_residual_compute(&rows, (const double(*)[3])R, f.U, &after, f.arena),
                         CAIRN_OK);
        check_close(after.error, before.error, 1e-11, 0.0);
        check_close(after.growth, before.growth, 1e-11, 0.0);
        assert_int_equal(after.worst_contact, before.worst_contact);
        free(R);
        free(moved);
        free(diagonal);
        free(block);
        fixture_destroy(&f);
    }
}

// two opposite impulses of 9e15 on one body hide its velocity behind their round-off
static void opposite_impulses_prove_nothing(void **state)
{
    (void)state;
    fixture f = fixture_cloud(2, 1, 0.3, 4);
    for (int side = 0; side < 2; side++) {
        f.body[side][0] = -1;
        f.body[side][1] = 0;
        fixture_set_contact(&f, side, -1, 0, vec3_make(0.0, 0.0, side ? -1.0 : 1.0),
                            vec3_make(0.0, 0.0, 0.0), vec3_make(0.0, 0.0, 0.0), 0.3);
        f.w[side][0] = -0.5;
        f.w[side][1] = f.w[side][2] = 0.0;
    }
    for (int k = 0; k < 6; k++)
        f.v_free[0][k] = 0.0;
    fixture_finish(&f);
    con_residual r;
    for (double R = 1.0; R < 1e18; R *= 3.0) {
        f.R[0][0] = f.R[1][0] = R;
        assert_int_equal(
            con_residual_compute(&f.problem, (const double(*)[3])f.R, f.U, &r, f.arena), CAIRN_OK);
        assert_true(r.error > 0.99);
    }
    // Siconos's number is fooled
    check_at_most(r.error_siconos, 1e-15);
    fixture_destroy(&f);
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
        cmocka_unit_test(small_problems_are_judged_like_large_ones),
        cmocka_unit_test(immobile_pairs_count),
        cmocka_unit_test(errors_have_no_units),
        cmocka_unit_test(opposite_impulses_prove_nothing),
        cmocka_unit_test(matches_long_double_on_random_problems),
        cmocka_unit_test(not_finite_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
