// SPDX-License-Identifier: Apache-2.0
// Contact problems as arrays: made, shown, judged; and solvers of a program's own.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <math.h>
#include <string.h>

static void ok(cairn_status status, const cairn_error *error)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error->message);
}

static const int start[] = {0, 1, 2, 3}, rows[] = {0, 1, 2};
static const double one[] = {1.0, 1.0, 1.0}, friction[] = {0.5}, q[] = {-1.0, 0.25, 0.0};

static cairn_problem_data one_contact(void)
{
    cairn_problem_data data = cairn_default_problem_data(CAIRN_PROBLEM_LOCAL);
    data.contacts = 1;
    data.friction = friction;
    data.W = (cairn_sparse){3, 3, start, rows, one};
    data.q = q;
    return data;
}

static void a_problem_from_arrays_is_solved(void **state)
{
    (void)state;
    cairn_problem_data data = one_contact();
    cairn_problem *problem;
    cairn_error error;
    assert_int_equal(cairn_problem_create(&data, &problem, &error), CAIRN_OK);
    cairn_problem_data shown = cairn_problem_get_data(problem);
    assert_int_equal(shown.W.start[3], 3);
    assert_true(shown.q != q && shown.q[1] == 0.25);
    assert_null(shown.M.start);
    assert_int_equal(cairn_problem_get_impulses(problem, NULL, NULL, &error), CAIRN_ERROR_ARGUMENT);

    cairn_solve_def def = cairn_default_solve_def();
    cairn_solve_report report;
    assert_int_equal(cairn_problem_solve(problem, &def, &report, &error), CAIRN_OK);
    double R[1][3], U[1][3];
    assert_int_equal(cairn_problem_get_impulses(problem, R, U, &error), CAIRN_OK);
    // it sticks: R = -q
    for (int k = 0; k < 3; k++)
        assert_true(fabs(R[0][k] + q[k]) < 1e-8 && fabs(U[0][k]) < 1e-8);
    // either array may be left out
    double R_alone[1][3], U_alone[1][3];
    assert_int_equal(cairn_problem_get_impulses(problem, R_alone, NULL, &error), CAIRN_OK);
    assert_int_equal(cairn_problem_get_impulses(problem, NULL, U_alone, &error), CAIRN_OK);
    assert_int_equal(cairn_problem_get_impulses(NULL, R, U, &error), CAIRN_ERROR_ARGUMENT);
    assert_memory_equal(R_alone, R, sizeof R);
    assert_memory_equal(U_alone, U, sizeof U);

    // judged: the solution is one, a point beside it is none and says by how much
    const double good[1][3] = {{1.0, -0.25, 0.0}}, bad[1][3] = {{2.0, -0.25, 0.0}};
    assert_int_equal(cairn_problem_judge(problem, good, &def, &report, &error), CAIRN_OK);
    assert_string_equal(report.stop, "solved");
    assert_int_equal(cairn_problem_judge(problem, bad, &def, &report, &error), CAIRN_OK);
    assert_string_equal(report.stop, "stagnated");
    assert_true(report.error > 0.1);
    const double none[1][3] = {{NAN, 0.0, 0.0}};
    assert_int_equal(cairn_problem_judge(problem, none, &def, &report, &error),
                     CAIRN_ERROR_NONFINITE);
    cairn_problem_destroy(problem);
}

static void refuse(cairn_problem_data data, const char *words)
{
    cairn_problem *problem;
    cairn_error error = {0};
    assert_int_equal(cairn_problem_create(&data, &problem, &error), CAIRN_ERROR_ARGUMENT);
    assert_null(problem);
    assert_non_null(strstr(error.message, words));
}

static void wrong_arrays_are_refused(void **state)
{
    (void)state;
    static const int back[] = {0, 2, 1, 3}, outside[] = {0, 1, 3}, twice[] = {1, 1, 2};
    static const int long_start[] = {0, 2, 2, 3};
    static const double infinite[] = {1.0, INFINITY, 1.0}, negative[] = {-0.5};
    cairn_problem_data data = one_contact();
    data.W.start = back;
    refuse(data, "ends before it starts");
    data = one_contact();
    data.W.index = outside;
    refuse(data, "row 3 of column 2");
    data = one_contact();
    data.W.start = long_start;
    data.W.index = twice;
    refuse(data, "ascending");
    data = one_contact();
    data.W.value = infinite;
    refuse(data, "not finite");
    data = one_contact();
    data.W.rows = 6;
    refuse(data, "6 x 3");
    data = one_contact();
    data.friction = negative;
    refuse(data, "friction[0] = -0.5");
    data = one_contact();
    data.q = NULL;
    refuse(data, "q is missing");
    data = one_contact();
    data.contacts = -1;
    refuse(data, "-1 contacts");
    data = one_contact();
    data.dimension = 4;
    refuse(data, "dimension 4");
    data = one_contact();
    data.cookie = 0;
    refuse(data, "cairn_default_problem_data");
}

static cairn_world *heap(void)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    cairn_error error;
    ok(cairn_world_create(&def, &world, &error), &error);
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    ball.radius = 0.5;
    cairn_body_def ground = cairn_default_body_def(), body = cairn_default_body_def();
    cairn_body_id id;
    ground.kind = CAIRN_FIXED;
    ok(cairn_shape_create(world, &plane, &ground.shape, &error), &error);
    ok(cairn_shape_create(world, &ball, &body.shape, &error), &error);
    ok(cairn_body_create(world, &ground, &id, &error), &error);
    for (int i = 0; i < 3; i++) {
        body.position[2] = 0.5 + i;
        ok(cairn_body_create(world, &body, &id, &error), &error);
    }
    return world;
}

typedef struct calls {
    int count, contacts;
    bool fail;
} calls;

/// Gauss-Seidel without friction on W, enough for balls on top of one another.
static cairn_status stack_solver(void *context, const cairn_problem_data *problem, double tolerance,
                                 double (*R)[3], int *iterations)
{
    calls *seen = context;
    seen->count++;
    seen->contacts = problem->contacts;
    (void)tolerance;
    if (seen->fail)
        return CAIRN_ERROR_NUMERICAL;
    for (*iterations = 0; *iterations < 500; ++*iterations)
        for (int i = 0; i < problem->contacts; i++) {
            double u = problem->q[3 * i], diagonal = 1.0;
            // W is symmetric: a column is a row
            for (int k = problem->W.start[3 * i]; k < problem->W.start[3 * i + 1]; k++) {
                u += problem->W.value[k] * R[problem->W.index[k] / 3][problem->W.index[k] % 3];
                if (problem->W.index[k] == 3 * i)
                    diagonal = problem->W.value[k];
            }
            R[i][0] = fmax(0.0, R[i][0] - u / diagonal);
            R[i][1] = R[i][2] = 0.0;
        }
    return CAIRN_OK;
}

static void a_program_solves_a_live_world(void **state)
{
    (void)state;
    cairn_error error;
    cairn_world *world = heap();
    calls seen = {0};
    ok(cairn_world_set_solver_function(world, CAIRN_PROBLEM_LOCAL, stack_solver, &seen, &error),
       &error);
    assert_string_equal(cairn_world_get_solver(world), "program");
    for (int i = 0; i < 20; i++) {
        ok(cairn_world_step(world, &error), &error);
        const cairn_step_report *report = cairn_world_get_report(world);
        assert_string_equal(report->stop, "solved");
        assert_true(report->error <= cairn_world_get_def(world)->tolerance);
    }
    assert_true(seen.count >= 20 && seen.contacts == 3);
    cairn_problem *problem;
    ok(cairn_world_get_problem(world, CAIRN_PROBLEM_GLOBAL, &problem, &error), &error);
    assert_int_equal(cairn_problem_get_contact_count(problem), 3);
    assert_int_equal(cairn_problem_get_dof_count(problem), 18);
    cairn_problem_destroy(problem);

    seen.fail = true;
    assert_int_equal(cairn_world_step(world, &error), CAIRN_ERROR_NUMERICAL);
    ok(cairn_world_set_solver(world, "nipm", &error), &error);
    ok(cairn_world_step(world, &error), &error);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_from_arrays_is_solved),
        cmocka_unit_test(wrong_arrays_are_refused),
        cmocka_unit_test(a_program_solves_a_live_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
