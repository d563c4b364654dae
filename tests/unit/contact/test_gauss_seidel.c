// SPDX-License-Identifier: Apache-2.0
// Gauss-Seidel: forms, orders, local solvers, warm starts, stops.
#include "tests/unit/contact/fixture.h"

typedef double settings_buffer[CON_SOLVER_SETTINGS_MAX / sizeof(double)];

// settings as "name value name value"
static void fill(settings_buffer settings, const char *const *words)
{
    const base_settings_table *table = &con_solver_find("gauss_seidel")->table;
    base_settings_defaults(table, settings);
    for (; words != NULL && *words != NULL; words += 2) {
        cairn_error error;
        if (base_settings_set_text(table, settings, words[0], words[1], &error) != CAIRN_OK)
            fail_msg("%s", error.message);
    }
}

static con_report solve(fixture *f, const con_problem *problem, const char *const *words,
                        const char *local, double tolerance)
{
    settings_buffer settings;
    fill(settings, words);
    con_control control = {.tolerance = tolerance, .local = local ? con_local_find(local) : NULL};
    con_report report;
    assert_int_equal(con_solve(con_solver_find("gauss_seidel"), settings, problem, &control, f->R,
                               f->U, &report, f->arena),
                     CAIRN_OK);
    assert_int_equal(report.stop, CON_STOP_SOLVED);
    check_at_most(fixture_residual(f, (const double(*)[3])f->R), tolerance * (1.0 + 1e-6));
    return report;
}

static double largest_difference(const double (*a)[3], const double (*b)[3], int n)
{
    double largest = 0.0;
    for (int i = 0; i < 3 * n; i++)
        largest = fmax(largest, fabs(a[i / 3][i % 3] - b[i / 3][i % 3]));
    return largest;
}

static void orders_and_locals_agree_on_velocities(void **state)
{
    (void)state;
    static const char *const variants[][5] = {
        {NULL},
        {"order", "symmetric", NULL},
        {"order", "shuffled", "seed", "3", NULL},
        {"order", "shuffled_once", "seed", "9", NULL},
        {"relaxation", "0.8", NULL},
        {"relaxation", "1.2", NULL},
        {"freezing", "5", NULL},
    };
    static const char *const locals[] = {"secular", "nonsmooth_newton", "velocity_newton",
                                         "projected_gradient", "de_saxce_feng"};
    for (uint64_t seed = 1; seed <= 4; seed++) {
        fixture f = fixture_cloud(50, 25, 0.3, seed);
        double U[50][3];
        solve(&f, &f.problem, NULL, NULL, 1e-11);
        memcpy(U, f.U, sizeof U);
        for (int k = 1; k < 12; k++) {
            memset(f.R, 0, 50 * sizeof *f.R);
            solve(&f, &f.problem, k < 7 ? variants[k] : NULL, k < 7 ? NULL : locals[k - 7], 1e-11);
            check_at_most(largest_difference((const double(*)[3])f.U, (const double(*)[3])U, 50),
                          1e-7);
        }
        fixture_destroy(&f);
    }
}

static void both_forms_go_the_same_way(void **state)
{
    (void)state;
    fixture f = fixture_cloud(60, 25, 0.4, 8);
    con_problem rows = f.problem;
    assert_int_equal(con_problem_assemble_delassus(&rows, f.arena), CAIRN_OK);
    rows.H = NULL;
    double R[60][3];
    con_report by_bodies = solve(&f, &f.problem, NULL, NULL, 1e-9);
    memcpy(R, f.R, sizeof R);
    memset(f.R, 0, sizeof R);
    con_report by_rows = solve(&f, &rows, NULL, NULL, 1e-9);
    check_at_most(largest_difference((const double(*)[3])f.R, (const double(*)[3])R, 60), 1e-10);
    assert_in_range(by_rows.iterations, by_bodies.iterations - 3, by_bodies.iterations + 3);
    fixture_destroy(&f);
}

// contacts in another order: other sweeps, the same motion
static void permuted_contacts_move_alike(void **state)
{
    (void)state;
    enum { N = 50 };
    fixture f = fixture_cloud(N, 25, 0.3, 21), g = fixture_cloud(N, 25, 0.3, 21);
    for (int i = 0; i < N; i++) {
        int from = (i * 17 + 5) % N;
        memcpy(g.H[i], f.H[from], sizeof g.H[i]);
        memcpy(g.w[i], f.w[from], sizeof g.w[i]);
        memcpy(g.body[i], f.body[from], sizeof g.body[i]);
    }
    fixture_finish(&g);
    solve(&f, &f.problem, NULL, NULL, 1e-11);
    solve(&g, &g.problem, NULL, NULL, 1e-11);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            check_close(g.U[i][k], f.U[(i * 17 + 5) % N][k], 0.0, 1e-7);
    fixture_destroy(&f);
    fixture_destroy(&g);
}

// the same contact many times over: W is singular, the sum of the reactions is not
static void redundant_contacts_share_the_load(void **state)
{
    (void)state;
    fixture f = fixture_create(12, 1);
    for (int k = 0; k < 6; k++)
        f.mass_inverse[0][k] = k < 3 ? 0.25 : 1.0;
    f.v_free[0][2] = -2.0;
    for (int i = 0; i < 12; i++)
        fixture_set_contact(&f, i, -1, 0, (vec3){0, 0, 1}, (vec3){0, 0, 0},
                            (vec3){i % 2 ? 0.5 : -0.5, i % 3 ? 0.5 : -1.0, -0.5}, 0.5);
    fixture_finish(&f);
    solve(&f, &f.problem, NULL, NULL, 1e-12);
    double sum = 0.0;
    for (int i = 0; i < 12; i++)
        sum += f.R[i][0];
    check_close(sum, 8.0, 1e-9, 0.0);
    fixture_destroy(&f);
}

static void a_good_guess_saves_sweeps(void **state)
{
    (void)state;
    fixture f = fixture_cloud(60, 25, 0.4, 8);
    con_report cold = solve(&f, &f.problem, NULL, NULL, 1e-8);
    con_report warm = solve(&f, &f.problem, NULL, NULL, 1e-8);
    assert_true(cold.iterations > 40);
    assert_in_range(warm.iterations, 1, 8);
    fixture_destroy(&f);
}

static void stops_are_named_rightly(void **state)
{
    (void)state;
    fixture f = fixture_cloud(20, 30, 0.3, 3);
    const con_solver *solver = con_solver_find("gauss_seidel");
    con_control control = {.tolerance = 1e-30};
    con_report report;
    // converged to the last bit, yet not to the tolerance
    assert_int_equal(con_solve(solver, NULL, &f.problem, &control, f.R, f.U, &report, f.arena),
                     CAIRN_OK);
    assert_int_equal(report.stop, CON_STOP_STAGNATED);
    check_at_most(report.residual.error, 1e-14);
    fixture_destroy(&f);

    f = fixture_wall(6, 12, 0.5, 3);
    control.max_iterations = 25;
    double history[64];
    control.history = history;
    control.history_capacity = 64;
    assert_int_equal(con_solve(solver, NULL, &f.problem, &control, f.R, f.U, &report, f.arena),
                     CAIRN_OK);
    assert_int_equal(report.stop, CON_STOP_ITERATION_LIMIT);
    assert_int_equal(report.iterations, 25);
    assert_true(report.history_count >= 2);
    // the best point comes back
    for (int k = 0; k < report.history_count; k++)
        assert_true(report.residual.error <= history[k] * (1.0 + 1e-12));
    control.max_iterations = 0;
    control.time_limit = 1e-9;
    assert_int_equal(con_solve(solver, NULL, &f.problem, &control, f.R, f.U, &report, f.arena),
                     CAIRN_OK);
    assert_int_equal(report.stop, CON_STOP_TIME_LIMIT);
    assert_int_equal(report.iterations, 1);
    fixture_destroy(&f);
}

static void both_measures_are_demanded(void **state)
{
    (void)state;
    fixture f = fixture_wall(2, 3, 0.5, 3);
    // impulses much larger than velocities: the measures part
    for (int a = 0; a < f.problem.body_count; a++)
        for (int k = 0; k < 6; k++)
            f.mass_inverse[a][k] *= 1e-3;
    fixture_finish(&f);
    con_control control = {.tolerance = 1e-5, .both_measures = true, .max_iterations = 200000};
    con_report report;
    assert_int_equal(con_solve(con_solver_find("gauss_seidel"), NULL, &f.problem, &control, f.R,
                               f.U, &report, f.arena),
                     CAIRN_OK);
    assert_int_equal(report.stop, CON_STOP_SOLVED);
    check_at_most(report.residual.error_q, 1e-5);
    check_at_most(report.residual.error_siconos, report.residual.error_q);
    check_at_most(report.residual.error, 1e-5);
    fixture_destroy(&f);
}

static void wild_guesses_do_no_harm(void **state)
{
    (void)state;
    fixture f = fixture_cloud(50, 25, 0.3, 2);
    double U[50][3];
    solve(&f, &f.problem, NULL, NULL, 1e-11);
    memcpy(U, f.U, sizeof U);
    base_rng rng = base_rng_make(1);
    for (int i = 0; i < 150; i++)
        f.R[i / 3][i % 3] = base_rng_range(&rng, -1e3, 1e3);
    solve(&f, &f.problem, NULL, NULL, 1e-11);
    check_at_most(largest_difference((const double(*)[3])f.U, (const double(*)[3])U, 50), 1e-7);
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_and_locals_agree_on_velocities),
        cmocka_unit_test(both_forms_go_the_same_way),
        cmocka_unit_test(permuted_contacts_move_alike),
        cmocka_unit_test(redundant_contacts_share_the_load),
        cmocka_unit_test(a_good_guess_saves_sweeps),
        cmocka_unit_test(stops_are_named_rightly),
        cmocka_unit_test(both_measures_are_demanded),
        cmocka_unit_test(wild_guesses_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
