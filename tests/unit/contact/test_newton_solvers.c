// SPDX-License-Identifier: Apache-2.0
// auto, nipm and paln on redundant stacks: both forms, units, islands, warm starts, limits.
#include "tests/unit/contact/fixture.h"

#include "base/assert.h"
#include "contact/solvers/newton/cascade.h"

static const char *const newton_solvers[] = {"auto", "nipm", "paln"};
enum { NEWTON_SOLVERS = 3 };

static con_report solve_problem(const char *name, fixture *f, const con_problem *problem,
                                double tolerance)
{
    con_control control = {.tolerance = tolerance, .both_measures = true, .time_limit = 30.0};
    con_report report;
    assert_int_equal(
        con_solve(con_solver_find(name), NULL, problem, &control, f->R, f->U, &report, f->arena),
        CAIRN_OK);
    return report;
}

static con_report solve(const char *name, fixture *f, double tolerance)
{
    return solve_problem(name, f, &f->problem, tolerance);
}

// Gauss-Seidel does not get below 1e-3 here within its sweeps
static void redundant_stacks_are_solved(void **state)
{
    (void)state;
    for (int s = 0; s < NEWTON_SOLVERS; s++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            fixture f = fixture_wall(1, 30, 0.3 * (double)seed, seed);
            con_report report = solve(newton_solvers[s], &f, 1e-8);
            if (strcmp(newton_solvers[s], "auto") == 0)
                assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_close(fixture_residual(&f, (const double(*)[3])f.R), report.residual.error, 1e-4,
                        1e-13);
            check_at_most(report.residual.error, 1e-5);
            fixture_destroy(&f);
        }
}

// the same velocities from bodies and from W alone
static void both_forms_agree(void **state)
{
    (void)state;
    for (int s = 0; s < NEWTON_SOLVERS; s++) {
        fixture f = fixture_cloud(120, 40, 0.5, 8);
        con_problem rows = f.problem;
        double(*U)[3] = fixture_array(120, sizeof *U);
        check_at_most(solve(newton_solvers[s], &f, 1e-9).residual.error, 1e-8);
        memcpy(U, f.U, 120 * sizeof *U);
        assert_int_equal(con_problem_assemble_delassus(&rows, f.arena), CAIRN_OK);
        rows.H = NULL;
        rows.body = NULL;
        rows.mass_inverse = rows.v_free = NULL;
        rows.w = NULL;
        rows.body_count = 0;
        memset(f.R, 0, 120 * sizeof *f.R);
        check_at_most(solve_problem(newton_solvers[s], &f, &rows, 1e-9).residual.error, 1e-8);
        for (int i = 0; i < 120; i++)
            for (int k = 0; k < 3; k++)
                check_close(f.U[i][k], U[i][k], 0.0, 1e-6);
        free(U);
        fixture_destroy(&f);
    }
}

// with masses so many times larger, reactions are so many times larger, velocities the same
static void units_do_not_matter(void **state)
{
    (void)state;
    for (int exponent = -6; exponent <= 6; exponent += 3) {
        double scale = pow(10.0, exponent), speed = pow(10.0, exponent / 2.0);
        fixture f = fixture_wall(2, 6, 0.6, 3);
        for (int a = 0; a < f.problem.body_count; a++)
            for (int k = 0; k < 6; k++) {
                f.mass_inverse[a][k] /= scale;
                f.v_free[a][k] *= speed;
            }
        fixture_finish(&f);
        // errors are absolute in N s and m/s against the largest of both
        con_report report = solve("auto", &f, scale > 1.0 ? 1e-8 * scale : 1e-8);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        double weight = 0.0, carried = 0.0;
        for (int a = 0; a < f.problem.body_count; a++)
            weight -= f.v_free[a][2] / f.mass_inverse[a][2];
        for (int i = 0; i < f.problem.contact_count; i++)
            carried += f.body[i][0] < 0 ? f.R[i][0] : 0.0;
        assert_true(carried > 0.5 * weight && carried < 1.5 * weight);
        fixture_destroy(&f);
    }
}

// two stacks far apart in mass, and contacts between immobile bodies
static void islands_are_solved_one_by_one(void **state)
{
    (void)state;
    fixture f = fixture_wall(4, 5, 0.5, 11);
    for (int row = 0; row < 5; row++)
        for (int k = 0; k < 6; k++)
            f.mass_inverse[row * 4][k] *= 1e-2;
    fixture_set_contact(&f, 7, -1, -1, (vec3){0, 0, 1}, (vec3){0, 0, 0}, (vec3){0, 0, 0}, 0.5);
    fixture_finish(&f);
    con_report report = solve("auto", &f, 1e-8);
    assert_int_equal(report.stop, CON_STOP_SOLVED);
    check_at_most(fixture_residual(&f, (const double(*)[3])f.R), 1e-8);
    assert_true(f.R[7][0] == 0.0 && f.R[7][1] == 0.0 && f.R[7][2] == 0.0);
    fixture_destroy(&f);
}

static void slowly_changing_problems_cost_a_few_steps(void **state)
{
    (void)state;
    fixture f = fixture_wall(2, 12, 0.5, 7);
    int m = f.problem.body_count;
    double(*v)[6] = fixture_array((size_t)m, sizeof *v);
    memcpy(v, f.v_free, (size_t)m * sizeof *v);
    int first = 0;
    for (int step = 0; step < 6; step++) {
        for (int a = 0; a < m; a++)
            for (int k = 0; k < 6; k++)
                f.v_free[a][k] = v[a][k] + 1e-5 * sin(0.3 * step + a + k);
        fixture_finish(&f);
        con_report report = solve("auto", &f, 1e-8);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        if (step == 0)
            first = report.iterations;
        else
            assert_true(report.iterations < first && report.iterations <= 60);
    }
    free(v);
    fixture_destroy(&f);
}

// a body that cannot turn, or move at all
static void locked_axes(void **state)
{
    (void)state;
    for (int s = 0; s < NEWTON_SOLVERS; s++) {
        fixture f = fixture_wall(2, 4, 0.5, 5);
        for (int k = 3; k < 6; k++)
            f.mass_inverse[2][k] = f.v_free[2][k] = 0.0;
        for (int k = 0; k < 6; k++)
            f.mass_inverse[0][k] = f.v_free[0][k] = 0.0;
        fixture_finish(&f);
        con_report report = solve(newton_solvers[s], &f, 1e-8);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        fixture_destroy(&f);
    }
}

static void no_friction_and_much(void **state)
{
    (void)state;
    const double frictions[] = {0.0, 1e-9, 1.5};
    for (int s = 0; s < NEWTON_SOLVERS; s++)
        for (int k = 0; k < 3; k++) {
            fixture f = fixture_cloud(80, 40, frictions[k], 21);
            con_report report = solve(newton_solvers[s], &f, 1e-8);
            if (strcmp(newton_solvers[s], "auto") == 0)
                assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_at_most(report.residual.error, 1e-5);
            fixture_destroy(&f);
        }
}

// Smooth contacts among rough ones do not hold up an interior point: each is a normal row alone,
// and the others' tangential impulses are free to grow at once
static void smooth_contacts_among_rough_ones(void **state)
{
    (void)state;
    int solved = 0, most = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        fixture f = fixture_cloud(240, 100, 0.5, seed);
        for (int i = 0; i < 240; i += 4)
            f.friction[i] = 0.0;
        con_report report = solve("nipm", &f, 1e-8);
        check_at_most(fixture_residual(&f, (const double(*)[3])f.R), report.residual.error * 1.001);
        for (int i = 0; i < 240; i += 4)
            assert_true(f.R[i][1] == 0.0 && f.R[i][2] == 0.0);
        solved += report.stop == CON_STOP_SOLVED;
        most = report.iterations > most ? report.iterations : most;
        fixture_destroy(&f);
    }
    print_message("%d of 8 solved by the first path, in up to %d iterations\n", solved, most);
    assert_true(solved >= 7 && most <= 160);
}

static void time_limit_returns_the_best_point(void **state)
{
    (void)state;
    for (int s = 0; s < NEWTON_SOLVERS; s++) {
        fixture f = fixture_wall(4, 20, 0.5, 2);
        double start = fixture_residual(&f, (const double(*)[3])f.R);
        con_control control = {.tolerance = 1e-30, .time_limit = 0.05};
        con_report report;
        assert_int_equal(con_solve(con_solver_find(newton_solvers[s]), NULL, &f.problem, &control,
                                   f.R, f.U, &report, f.arena),
                         CAIRN_OK);
        assert_true(report.stop == CON_STOP_TIME_LIMIT || report.stop == CON_STOP_STAGNATED);
        check_at_most(report.residual.error, start);
        fixture_destroy(&f);
    }
}

static void late_memory_failures_are_a_status(void **state)
{
    (void)state;
    fixture f = fixture_wall(2, 20, 0.5, 5);
    int n = f.problem.contact_count;
    for (int s = 0; s < NEWTON_SOLVERS; s++)
        for (long k = 3; k < 200; k++) {
            base_counting_allocator counter = {.fail_at = k};
            base_allocator allocator = base_allocator_counting(&counter);
            base_arena *arena = base_arena_create(&allocator, 64);
            if (arena == NULL)
                continue;
            con_control control = {.tolerance = 1e-8, .max_iterations = 130};
            con_report report;
            memset(f.R, 0, (size_t)n * sizeof *f.R);
            cairn_status status = con_solve(con_solver_find(newton_solvers[s]), NULL, &f.problem,
                                            &control, f.R, f.U, &report, arena);
            assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            base_arena_destroy(arena);
            assert_int_equal(counter.live, 0);
            if (status == CAIRN_OK)
                break;
        }
    fixture_destroy(&f);
}

typedef struct word {
    const char *name, *value;
} word;

// auto from zero on a cloud of contacts, with settings
static con_report solve_cloud(const word *words, int count, int contacts, uint64_t seed)
{
    _Alignas(max_align_t) unsigned char settings[CON_SOLVER_SETTINGS_MAX];
    const con_solver *solver = con_solver_find("auto");
    base_settings_defaults(&solver->table, settings);
    cairn_error error;
    for (int k = 0; k < count; k++)
        assert_int_equal(
            base_settings_set_text(&solver->table, settings, words[k].name, words[k].value, &error),
            CAIRN_OK);
    fixture f = fixture_cloud(contacts, contacts / 3, 0.5, seed);
    con_control control = {.tolerance = 1e-8};
    con_report report;
    assert_int_equal(con_solve(solver, settings, &f.problem, &control, f.R, f.U, &report, f.arena),
                     CAIRN_OK);
    double residual = fixture_residual(&f, (const double(*)[3])f.R);
    assert_true((residual <= 1e-8) == (report.stop == CON_STOP_SOLVED));
    fixture_destroy(&f);
    return report;
}

// iterations from zero with so many plain Newton steps
static int iterations_with(const char *newton_steps, int contacts, uint64_t seed)
{
    const word words[] = {{"newton_steps", newton_steps}};
    con_report report = solve_cloud(words, 1, contacts, seed);
    assert_int_equal(report.stop, CON_STOP_SOLVED);
    return report.iterations;
}

// A path that is cut off after five factorisations does not arrive: the search closes the problem,
// unless it may take nothing, and then costs at most twice what was done before it
static void the_search_keeps_to_its_effort(void **state)
{
    (void)state;
    word words[] = {{"newton_steps", "0"},
                    {"sweep_fraction", "0"},
                    {"interior_iterations", "5"},
                    {"polish_solves", "1"},
                    {"zero_effort", "20"}};
    int solved = 0, solved_without = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        words[4].value = "20";
        con_report report = solve_cloud(words, BASE_COUNT(words), 90, seed);
        solved += report.stop == CON_STOP_SOLVED;
        words[4].value = "0";
        report = solve_cloud(words, BASE_COUNT(words), 90, seed);
        solved_without += report.stop == CON_STOP_SOLVED;
        check_at_most(report.iterations, 100 + 3 * (5 + 1));
    }
    print_message("solved with a search %d, without %d\n", solved, solved_without);
    assert_int_equal(solved, 12);
    assert_true(solved_without < 12);
}

// on trial they cost three factorisations, and where they converge they save many
static void plain_newton_steps_save_more_than_they_cost(void **state)
{
    (void)state;
    int sum = 0, sum_without = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        int with = iterations_with("24", 90, seed), without = iterations_with("0", 90, seed);
        check_at_most(with, without + 24);
        sum += with;
        sum_without += without;
    }
    print_message("iterations with plain Newton steps %d, without %d\n", sum, sum_without);
    assert_true(sum < sum_without);
}

// sweeps of a cascade that may cost what they like, in rounds as `auto` makes them
static int sweeps_that_go_on(fixture *f, double *relaxation, int max_iterations, bool *solved)
{
    con_cascade cascade;
    con_control control = {.tolerance = 1e-6, .max_iterations = max_iterations};
    con_report report = {0};
    assert_int_equal(con_cascade_create(&f->problem, &control, f->R, &report, f->arena, &cascade),
                     CAIRN_OK);
    cascade.one_way = true;
    cascade.relaxation = *relaxation;
    assert_int_equal(con_cascade_sweep(&cascade, 100), CAIRN_OK);
    assert_int_equal(con_cascade_split(&cascade), CAIRN_OK);
    for (int before = -1; !con_cascade_solved(&cascade) && before < cascade.sweeps;) {
        before = cascade.sweeps;
        assert_int_equal(con_cascade_sweep_on(&cascade, 1e9), CAIRN_OK);
    }
    *solved = con_cascade_solved(&cascade);
    *relaxation = cascade.relaxation;
    return cascade.sweeps;
}

// The error of sweeps rises in some rounds and falls over many of them: they go on. Where
// iterations are limited they leave half of those to Newton steps
static void slow_sweeps_go_on_and_leave_iterations(void **state)
{
    (void)state;
    int solved = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        bool whole, limited;
        double plain = 1.0;
        fixture f = fixture_wall(3, 5, 0.5, seed);
        int sweeps = sweeps_that_go_on(&f, &plain, 0, &whole);
        solved += whole;
        memset(f.R, 0, (size_t)f.problem.contact_count * sizeof *f.R);
        int fewer = sweeps_that_go_on(&f, &plain, sweeps, &limited);
        if (sweeps > 250) {
            assert_false(limited);
            check_at_most(fewer, 100 + 0.6 * (sweeps - 100));
        }
        print_message("seed %d: %d sweeps, %d\n", (int)seed, sweeps, fewer);
        fixture_destroy(&f);
    }
    print_message("%d of 12 solved by sweeps\n", solved);
    assert_int_equal(solved, 12);
}

// iterations from zero of twelve clouds by sweeps with such a factor, no Newton step promised cheap
static int sweeps_relaxed_by(const char *relaxation)
{
    const word words[] = {{"relaxation", relaxation}, {"sweep_fraction", "1e6"}};
    int sum = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        con_report report = solve_cloud(words, BASE_COUNT(words), 90, seed);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        sum += report.iterations;
    }
    return sum;
}

static void relaxed_sweeps_are_fewer(void **state)
{
    (void)state;
    int plain = sweeps_relaxed_by("1"), relaxed = sweeps_relaxed_by("1.4");
    print_message("sweeps %d, relaxed %d\n", plain, relaxed);
    check_at_most(relaxed, 0.8 * plain);
}

// walls are solved by thousands of plain sweeps, and go back to these whatever the factor was
static void relaxed_sweeps_end_where_they_do_not_converge(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        bool solved;
        double relaxation = 1.9;
        fixture f = fixture_wall(3, 5, 0.5, seed);
        int sweeps = sweeps_that_go_on(&f, &relaxation, 0, &solved);
        print_message("seed %d: %d sweeps\n", (int)seed, sweeps);
        assert_true(solved);
        assert_true(relaxation == 1.0);
        fixture_destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_stacks_are_solved),
        cmocka_unit_test(both_forms_agree),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(islands_are_solved_one_by_one),
        cmocka_unit_test(slowly_changing_problems_cost_a_few_steps),
        cmocka_unit_test(locked_axes),
        cmocka_unit_test(no_friction_and_much),
        cmocka_unit_test(smooth_contacts_among_rough_ones),
        cmocka_unit_test(time_limit_returns_the_best_point),
        cmocka_unit_test(late_memory_failures_are_a_status),
        cmocka_unit_test(plain_newton_steps_save_more_than_they_cost),
        cmocka_unit_test(slow_sweeps_go_on_and_leave_iterations),
        cmocka_unit_test(relaxed_sweeps_are_fewer),
        cmocka_unit_test(relaxed_sweeps_end_where_they_do_not_converge),
        cmocka_unit_test(the_search_keeps_to_its_effort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
