// SPDX-License-Identifier: Apache-2.0
// Contacts and joints together: every solver on mechanisms, certified in long double.
#include "tests/unit/contact/joint_fixture.h"

#include "base/assert.h"

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
static void check_answer(const mixed *x, con_report report, double tolerance)
{
    int m = x->f.problem.body_count, n = x->f.problem.contact_count;
    row6 *v = fixture_array((size_t)m + 1, sizeof *v);
    velocities(x, v);
    joint_fixture_check(&x->f, &x->j, (const double(*)[3])x->f.R, (const double(*)[6])v, x->j.l,
                        1e-11);
    check_at_most(report.error_joints, 1e-12);
    double(*U)[3] = fixture_array((size_t)n + 1, sizeof *U);
    con_apply_H(&x->f.problem, (const double(*)[6])v, x->f.problem.w, U);
    double map = 0.0, scale = 0.0, largest = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            largest = fmax(largest, fabs(U[i][k]) + fabs(x->f.R[i][k]));
    con_residual residual;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            check_close(x->f.U[i][k], U[i][k], 0.0, 1e-10 * largest);
    assert_int_equal(con_residual_of(&x->f.problem, (const double(*)[3])x->f.R,
                                     (const double(*)[3])U, &residual),
                     CAIRN_OK);
    map = residual.natural_map;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            scale += x->f.R[i][k] * x->f.R[i][k];
    // |q| of the jointed bodies is not larger than that and |U|, up to a factor
    scale = fmax(sqrt(scale), largest);
    if (report.stop == CON_STOP_SOLVED)
        check_at_most(map / scale, 10.0 * tolerance);
    free(U);
    free(v);
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
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int bodies = 4 + (int)seed;
        mixed x = mixed_cloud(2 * bodies, bodies, 1 + (int)(seed * 7 % (unsigned)bodies),
                              (double[]){0.0, 0.3, 0.9}[seed % 3], seed);
        con_report report = solve(solver, &x, 1e-8);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        check_answer(&x, report, 1e-8);
        mixed_destroy(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_takes_joints),
        cmocka_unit_test(the_default_solves_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
