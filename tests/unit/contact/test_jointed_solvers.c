// SPDX-License-Identifier: Apache-2.0
// Contacts and joints together: every solver on mechanisms, certified in long double.
#include "tests/unit/contact/joint_fixture.h"

#include "base/assert.h"
#include "contact/existence/existence.h"

typedef double row6[6];

// velocities that belong to R and l
static void velocities(const mixed *x, row6 *v)
{
    int m = x->f.problem.body_count;
    long double(*sum)[6] = fixture_array((size_t)m + 1, sizeof *sum);
    for (int i = 0; i < x->f.problem.contact_count; i++)
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 6 && x->f.body[i][s] >= 0; k++)
                for (int row = 0; row < 3; row++)
                    sum[x->f.body[i][s]][k] += (long double)x->f.H[i][s][row][k] * x->f.R[i][row];
    for (int joint = 0; joint < x->j.joints.count; joint++)
        for (int row = x->j.start[joint]; row < x->j.start[joint + 1]; row++)
            for (int s = 0; s < 2; s++)
                for (int k = 0; k < 6 && x->j.body[joint][s] >= 0; k++)
                    sum[x->j.body[joint][s]][k] += (long double)x->j.G[row][s][k] * x->j.l[row];
    for (int a = 0; a < m; a++)
        for (int k = 0; k < 6; k++)
            v[a][k] = (double)(x->f.v_free[a][k] + sum[a][k] * x->f.mass_inverse[a][k]);
    free(sum);
}

// what an answer must satisfy: joints to round-off, U of the bodies, law within the tolerance
// @param ratio  of masses: impulses are known to round-off, and so are velocities times this
static void check_answer_of(const mixed *x, con_report report, double tolerance, double ratio)
{
    int m = x->f.problem.body_count, n = x->f.problem.contact_count;
    row6 *v = fixture_array((size_t)m + 1, sizeof *v);
    velocities(x, v);
    joint_fixture_check(&x->f, &x->j, (const double(*)[3])x->f.R, (const double(*)[6])v, x->j.l,
                        1e-11 * ratio);
    check_at_most(report.residual.error_joints, 1e-12);
    double(*U)[3] = fixture_array((size_t)n + 1, sizeof *U);
    con_apply_H(&x->f.problem, (const double(*)[6])v, x->f.problem.w, U);
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(U[i][k]) + fabs(x->f.R[i][k]));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            check_close(x->f.U[i][k], U[i][k], 0.0, 1e-10 * largest + 1e-14);
    // judged in the units of the jointed bodies, by the velocities found above
    con_problem problem = mixed_problem(x);
    con_reduction reduction;
    con_residual residual;
    assert_int_equal(con_reduce_joints(&problem, x->f.arena, &reduction), CAIRN_OK);
    assert_int_equal(con_residual_of(&reduction.problem, (const double(*)[3])x->f.R,
                                     (const double(*)[3])U, &residual),
                     CAIRN_OK);
    if (report.stop == CON_STOP_SOLVED)
        check_at_most(residual.error, tolerance * (1.0 + 1e-6) + 1e-12);
    free(U);
    free(v);
}

static void check_answer(const mixed *x, con_report report, double tolerance)
{
    check_answer_of(x, report, tolerance, 1.0);
}

static con_report solve(const con_solver *solver, mixed *x, double tolerance)
{
    con_control control = {.tolerance = tolerance, .time_limit = 20.0, .l = x->j.l};
    con_report report;
    con_problem problem = mixed_problem(x);
    base_arena_mark mark = base_arena_get_mark(x->f.arena);
    assert_int_equal(
        con_solve(solver, NULL, &problem, &control, x->f.R, x->f.U, &report, x->f.arena), CAIRN_OK);
    assert_true(base_arena_get_mark(x->f.arena).used == mark.used);
    return report;
}

static void every_solver_takes_joints(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++)
        for (uint64_t seed = 1; seed <= 8; seed++) {
            int joints = (int[]){1, 5, 15, 30}[seed % 4];
            mixed x = mixed_cloud(20, 15, joints, 0.3, seed);
            double tolerance = 1e-6;
            con_report report = solve(solvers[s], &x, tolerance);
            // that one solves the problem without the shift, where slip dilates
            if (strcmp(solvers[s]->name, "soclcp_relaxation") != 0)
                assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_answer(&x, report, tolerance);
            mixed_destroy(&x);
        }
}

static void the_default_solves_mechanisms(void **state)
{
    (void)state;
    const con_solver *solver = con_solver_find("auto");
    for (uint64_t seed = 1; seed <= 200; seed++) {
        int bodies = 4 + (int)(seed % 40);
        mixed x = mixed_cloud(2 * bodies, bodies, 1 + (int)(seed * 7 % (unsigned)bodies),
                              (double[]){0.0, 0.3, 0.9}[seed % 3], seed);
        con_report report = solve(solver, &x, 1e-8);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        check_answer(&x, report, 1e-8);
        mixed_destroy(&x);
    }
}

// a plank hinged at one end, the other on the ground: each bears one half
static mixed plank(double fall)
{
    mixed x = {fixture_create(1, 1), joint_fixture_create(2)};
    for (int k = 0; k < 6; k++)
        x.f.mass_inverse[0][k] = k < 3 ? 0.5 : 3.0;
    x.f.v_free[0][2] = -fall;
    fixture_set_contact(&x.f, 0, -1, 0, (vec3){0.0, 0.0, 1.0}, (vec3){0}, (vec3){1.0, 0.0, -0.1},
                        0.4);
    joint_fixture_hinge(&x.j, -1, 0, (vec3){0}, (vec3){-1.0, 0.0, 0.0}, (vec3){0.0, 1.0, 0.0});
    fixture_finish(&x.f);
    return x;
}

static void one_body_one_joint(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        mixed x = plank(0.1);
        con_report report = solve(solvers[s], &x, 1e-8);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        check_answer(&x, report, 1e-8);
        // the plank is at rest, whatever part friction takes: moments about the hinge
        double moment = 2.0 * x.f.R[0][0];
        for (int k = 1; k < 3; k++)
            moment += x.f.R[0][k] * (x.f.H[0][1][k][4] - x.f.H[0][1][k][2]) * -1.0;
        check_close(moment, 0.2, 1e-6, 0.0);
        mixed_destroy(&x);
    }
}

// no contacts: the joints alone, whoever is asked
static void joints_without_contacts(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        mixed x = mixed_cloud(1, 10, 10, 0.3, 5);
        x.f.problem.contact_count = 0;
        con_report report = solve(solvers[s], &x, 1e-10);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        assert_true(report.residual.error == 0.0);
        check_answer(&x, report, 1e-10);
        mixed_destroy(&x);
    }
}

// contacts of a body that joints hold altogether, and of one that they hold along the normal
static void unyielding_contacts(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++)
        for (int kind = 0; kind < 2; kind++) {
            mixed x = plank(0.1);
            vec3 end = {-1.0, 0.0, 0.0};
            if (kind == 0)
                joint_fixture_fixed(&x.j, -1, 0, (vec3){0}, end);
            else
                joint_fixture_add(&x.j, -1, 0, (vec3){0}, (vec3){1.0, 0.0, -0.1}, &fixture_axes[2],
                                  1, NULL, 0);
            con_report report = solve(solvers[s], &x, 1e-8);
            assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_answer(&x, report, 1e-8);
            for (int k = 0; k < 3; k++)
                check_close(x.f.R[0][k], 0.0, 0.0, 1e-7);
            mixed_destroy(&x);
        }
}

// rows of bricks held together by hinges: hyperstatic in contacts and joints
static void jointed_walls(void **state)
{
    (void)state;
    enum { COLUMNS = 6, ROWS = 5 };
    for (uint64_t seed = 1; seed <= 4; seed++) {
        mixed x = {fixture_wall(COLUMNS, ROWS, 0.5, seed), joint_fixture_create(COLUMNS * ROWS)};
        base_rng rng = base_rng_make(seed);
        for (int b = 0; b < COLUMNS * ROWS; b++) {
            double scale = seed % 2 ? 1.0 : pow(1e4, base_rng_range(&rng, -0.5, 0.5));
            for (int k = 0; k < 6; k++)
                x.f.mass_inverse[b][k] *= scale;
            if (b % COLUMNS != 0)
                joint_fixture_hinge(&x.j, b - 1, b, (vec3){0.5, 0.0, 0.0}, (vec3){-0.5, 0.0, 0.0},
                                    (vec3){0.0, 1.0, 0.0});
        }
        fixture_finish(&x.f);
        con_report report = solve(con_solver_find("auto"), &x, 1e-8);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        check_answer(&x, report, 1e-8);
        mixed_destroy(&x);
    }
}

// a heavy ball on a light chain comes down on the ground
static void heavy_ball_on_a_light_chain(void **state)
{
    (void)state;
    enum { LINKS = 12 };
    for (int exponent = 0; exponent <= 6; exponent += 2) {
        mixed x = {fixture_create(1, LINKS), joint_fixture_create(LINKS)};
        double heavy = pow(10.0, exponent);
        for (int b = 0; b < LINKS; b++) {
            double mass = b == LINKS - 1 ? heavy : 1.0;
            for (int k = 0; k < 6; k++)
                x.f.mass_inverse[b][k] = (k < 3 ? 1.0 : 12.0) / mass;
            x.f.v_free[b][2] = -0.05;
            x.f.v_free[b][0] = 0.1;
            joint_fixture_ball(&x.j, b - 1, b, (vec3){0.3, 0.0, -0.4}, (vec3){-0.3, 0.0, 0.4});
        }
        fixture_set_contact(&x.f, 0, -1, LINKS - 1, (vec3){0.0, 0.0, 1.0}, (vec3){0},
                            (vec3){0.0, 0.0, -0.5}, 0.3);
        fixture_finish(&x.f);
        const char *const names[] = {"auto", "gauss_seidel", "apgd", "apgd_following", "admm"};
        for (int s = 0; s < BASE_COUNT(names); s++) {
            memset(x.f.R, 0, sizeof *x.f.R);
            con_report report = solve(con_solver_find(names[s]), &x, 1e-8);
            assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_answer_of(&x, report, 1e-8, heavy);
        }
        mixed_destroy(&x);
    }
}

static void contradictions_are_not_solved(void **state)
{
    (void)state;
    mixed x = plank(0.1);
    joint_fixture_hinge(&x.j, -1, 0, (vec3){0}, (vec3){-1.0, 0.0, 0.0}, (vec3){0.0, 1.0, 0.0});
    x.j.b[0] = 0.1;
    con_report report = solve(con_solver_find("auto"), &x, 1e-8);
    assert_int_equal(report.stop, CON_STOP_STAGNATED);
    assert_true(report.residual.error_joints > 0.1);
    x.j.b[0] = NAN;
    con_control control = {.tolerance = 1e-8};
    con_problem problem = mixed_problem(&x);
    assert_int_equal(con_solve(con_solver_find("auto"), NULL, &problem, &control, x.f.R, x.f.U,
                               &report, x.f.arena),
                     CAIRN_ERROR_NONFINITE);
    problem.H = NULL;
    assert_int_equal(con_solve(con_solver_find("auto"), NULL, &problem, &control, x.f.R, x.f.U,
                               &report, x.f.arena),
                     CAIRN_ERROR_ARGUMENT);
    mixed_destroy(&x);
}

// joints leave some bodies one motion: alone, such a contact may have no solution with the others'
// impulses as they are
static void contacts_of_one_motion(void **state)
{
    (void)state;
    const char *const names[] = {"auto", "gauss_seidel"};
    for (int s = 0; s < BASE_COUNT(names); s++)
        for (int k = 0; k < 2; k++) {
            mixed x =
                k == 0 ? mixed_cloud(93, 31, 12, 1.0, 178) : mixed_cloud(123, 41, 61, 1.0, 38);
            memset(x.j.b, 0, (size_t)joint_fixture_rows(&x.j) * sizeof *x.j.b);
            con_report report = solve(con_solver_find(names[s]), &x, 1e-6);
            assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_answer(&x, report, 1e-6);
            mixed_destroy(&x);
        }
}

// a joint that moves the body into the ground: nobody can help, and it is said
static void driven_into_the_ground(void **state)
{
    (void)state;
    mixed x = plank(0.1);
    joint_fixture_fixed(&x.j, -1, 0, (vec3){0}, (vec3){-1.0, 0.0, 0.0});
    x.j.b[2] = x.j.b[7] = -1.0;
    con_report report = solve(con_solver_find("auto"), &x, 1e-8);
    assert_int_equal(report.stop, CON_STOP_STAGNATED);
    check_at_most(report.residual.error_joints, 1e-12);
    assert_true(report.residual.error > 0.1);
    con_problem problem = mixed_problem(&x);
    con_existence existence;
    assert_int_equal(con_existence_check(&problem, &existence, NULL, x.f.arena), CAIRN_OK);
    assert_int_equal(existence.verdict, CON_EXISTENCE_NONE);
    mixed_destroy(&x);
}

static void answers_repeat_bit_by_bit(void **state)
{
    (void)state;
    int count;
    base_allocator allocator = base_allocator_default();
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        double first[40][3], l[120];
        for (int run = 0; run < 2; run++) {
            mixed x = mixed_cloud(40, 20, 20, 0.4, 9);
            base_workers *workers = run == 1 ? base_workers_create(&allocator, 3) : NULL;
            con_control control = {
                .tolerance = 1e-7, .max_iterations = 200, .workers = workers, .l = x.j.l};
            con_problem problem = mixed_problem(&x);
            con_report report;
            assert_int_equal(
                con_solve(solvers[s], NULL, &problem, &control, x.f.R, x.f.U, &report, x.f.arena),
                CAIRN_OK);
            size_t rows = (size_t)joint_fixture_rows(&x.j);
            if (run == 0) {
                memcpy(first, x.f.R, sizeof first);
                memcpy(l, x.j.l, rows * sizeof *l);
            }
            assert_memory_equal(first, x.f.R, sizeof first);
            assert_memory_equal(l, x.j.l, rows * sizeof *l);
            base_workers_destroy(workers);
            mixed_destroy(&x);
        }
    }
}

static void failing_memory_is_a_status(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    mixed x = mixed_cloud(40, 20, 20, 0.3, 5);
    con_problem problem = mixed_problem(&x);
    for (int s = 0; s < count; s++)
        for (long k = 3; k < 60; k++) {
            base_counting_allocator counter = {.fail_at = k};
            base_allocator allocator = base_allocator_counting(&counter);
            base_arena *arena = base_arena_create(&allocator, 64);
            if (arena == NULL)
                continue;
            con_control control = {.tolerance = 1e-4, .max_iterations = 20};
            con_report report;
            memset(x.f.R, 0, 40 * sizeof *x.f.R);
            cairn_status status =
                con_solve(solvers[s], NULL, &problem, &control, x.f.R, x.f.U, &report, arena);
            assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            base_arena_destroy(arena);
            assert_int_equal(counter.live, 0);
        }
    mixed_destroy(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_takes_joints),
        cmocka_unit_test(the_default_solves_mechanisms),
        cmocka_unit_test(one_body_one_joint),
        cmocka_unit_test(joints_without_contacts),
        cmocka_unit_test(unyielding_contacts),
        cmocka_unit_test(jointed_walls),
        cmocka_unit_test(heavy_ball_on_a_light_chain),
        cmocka_unit_test(contradictions_are_not_solved),
        cmocka_unit_test(contacts_of_one_motion),
        cmocka_unit_test(driven_into_the_ground),
        cmocka_unit_test(answers_repeat_bit_by_bit),
        cmocka_unit_test(failing_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
