// SPDX-License-Identifier: Apache-2.0
// One battery over every global solver: certified answers, edge cases, repeatability.
#include "tests/unit/contact/fixture.h"

#include "base/assert.h"
#include "base/parallel.h"

static con_control control_of(double tolerance)
{
    return (con_control){.tolerance = tolerance, .time_limit = 20.0};
}

// what is asked of solvers that cannot do it all; every other one meets every tolerance
static const struct capability {
    const char *name;
    double tolerance; // the least that is asked
    const char *reason;
} capabilities[] = {
    {"soclcp_relaxation", INFINITY, "solves the problem without the shift, where slip dilates"},
    {"hyperplane_projection", 1e-6, "the separation is of second order in the error: round-off"},
    {"interior_point", 1e-7, "round-off on the border of the cone, where states are two at once"},
    {"aclm_newton", 1e-7, "its programs are solved by the same interior point"},
};

// the tolerance to ask of a solver where others get `tolerance`; INFINITY: none
static double tolerance_for(const con_solver *solver, double tolerance)
{
    for (int k = 0; k < BASE_COUNT(capabilities); k++)
        if (strcmp(solver->name, capabilities[k].name) == 0)
            tolerance = fmax(tolerance, capabilities[k].tolerance);
    return tolerance;
}

static con_report solve(const con_solver *solver, fixture *f, con_control control)
{
    con_report report;
    base_arena_mark mark = base_arena_get_mark(f->arena);
    assert_int_equal(con_solve(solver, NULL, &f->problem, &control, f->R, f->U, &report, f->arena),
                     CAIRN_OK);
    assert_true(base_arena_get_mark(f->arena).used == mark.used);
    return report;
}

// what every answer must satisfy, however the solver stopped
static void check_answer(const fixture *f, con_report report, double tolerance)
{
    double error = fixture_residual(f, (const double(*)[3])f->R);
    check_close(report.residual.error, error, 1e-6, 1e-14);
    if (report.stop == CON_STOP_SOLVED)
        check_at_most(error, tolerance * (1.0 + 1e-6));
    else
        assert_true(error > tolerance * (1.0 - 1e-6));
    for (int i = 0; i < f->problem.contact_count; i++)
        for (int k = 0; k < 3; k++)
            assert_true(isfinite(f->R[i][k]) && isfinite(f->U[i][k]));
    assert_true(report.iterations >= 0 && report.seconds >= 0.0);
}

static void answers_are_what_they_claim(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            double mu = (double[]){0.0, 0.3, 0.9}[seed % 3];
            fixture f = seed % 2 ? fixture_cloud(60, 20, mu, seed) : fixture_wall(3, 3, mu, seed);
            con_report report = solve(solvers[s], &f, control_of(1e-6));
            check_answer(&f, report, 1e-6);
            fixture_destroy(&f);
        }
}

// sparse clouds are easy: all must solve them
static void easy_problems_are_solved(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++)
        for (uint64_t seed = 1; seed <= 10; seed++) {
            fixture f = fixture_cloud(20, 30, 0.3, seed);
            double tolerance = tolerance_for(solvers[s], 1e-8);
            con_report report = solve(solvers[s], &f, control_of(fmin(tolerance, 1e-6)));
            if (isfinite(tolerance))
                assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_answer(&f, report, fmin(tolerance, 1e-6));
            fixture_destroy(&f);
        }
}

static void one_contact_and_none(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        fixture f = fixture_create(1, 1);
        for (int k = 0; k < 6; k++)
            f.mass_inverse[0][k] = k < 3 ? 0.5 : 2.0;
        f.v_free[0][2] = -1.0;
        f.v_free[0][0] = 3.0;
        vec3 down = {0.0, 0.0, -0.5};
        fixture_set_contact(&f, 0, -1, 0, (vec3){0, 0, 1}, (vec3){0, 0, 0}, down, 0.4);
        fixture_finish(&f);
        double tolerance = tolerance_for(solvers[s], 1e-10);
        con_report report = solve(solvers[s], &f, control_of(fmin(tolerance, 1e-6)));
        // ball of mass 2 slides: R_N = m |v|, |R_T| = mu R_N
        if (isfinite(tolerance)) {
            assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_close(f.R[0][0], 2.0, 100.0 * tolerance, 0.0);
            check_close(hypot(f.R[0][1], f.R[0][2]), 0.8, 100.0 * tolerance, 0.0);
        }
        f.problem.contact_count = 0;
        report = solve(solvers[s], &f, control_of(1e-10));
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        assert_true(report.residual.error == 0.0);
        fixture_destroy(&f);
    }
}

static void separating_contacts_carry_nothing(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        fixture f = fixture_cloud(40, 20, 0.5, 4);
        for (int i = 0; i < 40; i++)
            f.w[i][0] = 10.0;
        fixture_finish(&f);
        con_report report = solve(solvers[s], &f, control_of(1e-8));
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        for (int i = 0; i < 40; i++)
            check_at_most(fabs(f.R[i][0]) + fabs(f.R[i][1]) + fabs(f.R[i][2]), 1e-6);
        fixture_destroy(&f);
    }
}

// same bits again, after another problem, and with other workers
static void answers_repeat_bit_by_bit(void **state)
{
    (void)state;
    int count;
    base_allocator allocator = base_allocator_default();
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        double first[80][3];
        for (int run = 0; run < 3; run++) {
            fixture f = fixture_cloud(80, 30, 0.4, 12);
            con_control control = control_of(1e-7);
            control.time_limit = 0.0;
            control.max_iterations = 200;
            control.workers = run == 2 ? base_workers_create(&allocator, 3) : NULL;
            solve(solvers[s], &f, control);
            if (run == 0)
                memcpy(first, f.R, sizeof first);
            assert_memory_equal(first, f.R, sizeof first);
            base_workers_destroy(control.workers);
            fixture_destroy(&f);
        }
    }
}

static void wrong_input_is_refused(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        fixture f = fixture_cloud(10, 5, 0.4, 2);
        con_control control = control_of(1e-8);
        con_report report;
        double *const places[] = {&f.q[3][1], &f.R[2][0], &f.mass_inverse[1][2], &f.v_free[0][0],
                                  &f.W_diagonal[4].m[1][1]};
        for (int k = 0; k < 5; k++) {
            double before = *places[k];
            *places[k] = k % 2 ? NAN : INFINITY;
            assert_int_equal(
                con_solve(solvers[s], NULL, &f.problem, &control, f.R, f.U, &report, f.arena),
                CAIRN_ERROR_NONFINITE);
            *places[k] = before;
        }
        f.friction[3] = -0.1;
        assert_int_equal(
            con_solve(solvers[s], NULL, &f.problem, &control, f.R, f.U, &report, f.arena),
            CAIRN_ERROR_ARGUMENT);
        fixture_destroy(&f);
    }
}

static void limits_and_history(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        fixture f = fixture_cloud(60, 20, 0.4, 6);
        double history[16];
        con_control control = control_of(1e-30);
        control.max_iterations = 7;
        control.history = history;
        control.history_capacity = 16;
        con_report report = solve(solvers[s], &f, control);
        assert_true(report.stop != CON_STOP_SOLVED);
        assert_true(report.iterations <= 7);
        assert_in_range(report.history_count, 0, 16);
        for (int k = 0; k < report.history_count; k++)
            assert_true(isfinite(history[k]));
        check_answer(&f, report, 1e-30);
        fixture_destroy(&f);
    }
}

typedef struct patience {
    int asked, limit;
} patience;

static bool is_out_of_patience(void *context)
{
    patience *p = context;
    return ++p->asked > p->limit;
}

// every solver asks, and ends soon after it is told to
static void interruptions_are_heeded(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++)
        for (int limit = 0; limit < 30; limit += 7) {
            fixture f = fixture_wall(6, 6, 0.6, 3);
            patience p = {.limit = limit};
            con_control control = {
                .tolerance = 1e-30, .stop = is_out_of_patience, .stop_context = &p};
            con_report report = solve(solvers[s], &f, control);
            assert_int_equal(report.stop, CON_STOP_INTERRUPTED);
            assert_in_range(p.asked, limit + 1, limit + 60);
            fixture_destroy(&f);
        }
}

// a problem without bodies: solved, or said to be unsupported
static void problems_from_files_have_W_alone(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        fixture f = fixture_cloud(20, 30, 0.3, 3);
        con_problem rows = f.problem;
        assert_int_equal(con_problem_assemble_delassus(&rows, f.arena), CAIRN_OK);
        rows.H = NULL;
        rows.body = NULL;
        rows.mass_inverse = rows.v_free = NULL;
        rows.w = NULL;
        rows.body_count = 0;
        double tolerance = tolerance_for(solvers[s], 1e-8);
        con_control control = control_of(fmin(tolerance, 1e-6));
        con_report report;
        cairn_status status =
            con_solve(solvers[s], NULL, &rows, &control, f.R, f.U, &report, f.arena);
        if (solvers[s]->needs & CON_NEEDS_BODIES) {
            assert_int_equal(status, CAIRN_ERROR_UNSUPPORTED);
        } else {
            assert_int_equal(status, CAIRN_OK);
            if (isfinite(tolerance))
                assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_answer(&f, report, control.tolerance);
        }
        rows.W = NULL;
        status = con_solve(solvers[s], NULL, &rows, &control, f.R, f.U, &report, f.arena);
        assert_true(status == CAIRN_ERROR_ARGUMENT || status == CAIRN_ERROR_UNSUPPORTED);
        fixture_destroy(&f);
    }
}

static void failing_memory_is_a_status(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    fixture f = fixture_cloud(100, 40, 0.3, 5);
    for (int s = 0; s < count; s++)
        for (long k = 3; k < 40; k++) {
            base_counting_allocator counter = {.fail_at = k};
            base_allocator allocator = base_allocator_counting(&counter);
            base_arena *arena = base_arena_create(&allocator, 64);
            if (arena == NULL)
                continue;
            con_control control = control_of(1e-4);
            control.max_iterations = 20;
            con_report report;
            memset(f.R, 0, 100 * sizeof *f.R);
            cairn_status status =
                con_solve(solvers[s], NULL, &f.problem, &control, f.R, f.U, &report, arena);
            assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            base_arena_destroy(arena);
            assert_int_equal(counter.live, 0);
        }
    fixture_destroy(&f);
}

static void every_entry_is_complete(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        assert_true(con_solver_find(solvers[s]->name) == solvers[s]);
        assert_true(strlen(solvers[s]->help) > 0);
        assert_true(solvers[s]->table.size <= CON_SOLVER_SETTINGS_MAX);
    }
    assert_null(con_solver_find("nothing"));
    assert_string_equal(con_stop_name(CON_STOP_SOLVED), "solved");
    assert_string_equal(con_stop_name(CON_STOP_ITERATION_LIMIT), "iteration_limit");
    assert_string_equal(con_stop_name(CON_STOP_TIME_LIMIT), "time_limit");
    assert_string_equal(con_stop_name(CON_STOP_STAGNATED), "stagnated");
    assert_string_equal(con_stop_name(CON_STOP_FAILED), "failed");
}

// wall: hyperstatic and coupled; all but the exceptions reach a loose tolerance
static void walls_are_solved_roughly(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            fixture f = fixture_wall(3, 3, 0.5, seed);
            con_report report = solve(solvers[s], &f, control_of(1e-3));
            if (isfinite(tolerance_for(solvers[s], 1e-3)))
                assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_answer(&f, report, 1e-3);
            fixture_destroy(&f);
        }
}

// a solution given as guess is kept, and costs next to nothing
static void solutions_are_kept(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        fixture f = fixture_cloud(30, 40, 0.4, 7);
        con_report report = solve(con_solver_find("auto"), &f, control_of(1e-10));
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        report = solve(solvers[s], &f, control_of(1e-7));
        if (isfinite(tolerance_for(solvers[s], 1e-7))) {
            assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_at_most(report.iterations, 100.0);
        }
        check_answer(&f, report, 1e-7);
        fixture_destroy(&f);
    }
}

// the same scene in tons or milligrams, and fast or slow
static void units_do_not_matter(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++)
        for (int k = 0; k < 3; k++) {
            double mass = (double[]){1e6, 1e-6, 1.0}[k], speed = (double[]){1.0, 1e-3, 1e4}[k];
            fixture f = fixture_cloud(20, 20, 0.3, 5);
            for (int a = 0; a < 20; a++)
                for (int d = 0; d < 6; d++) {
                    f.mass_inverse[a][d] /= mass;
                    f.v_free[a][d] *= speed;
                }
            for (int i = 0; i < 20; i++)
                f.w[i][0] *= speed;
            fixture_finish(&f);
            con_report report = solve(solvers[s], &f, control_of(1e-4));
            if (isfinite(tolerance_for(solvers[s], 1e-4)))
                assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_answer(&f, report, 1e-4);
            fixture_destroy(&f);
        }
}

// contact `from` of one problem as contact `to` of another with the same bodies
static void copy_contact(const fixture *source, int from, fixture *target, int to)
{
    memcpy(target->H[to], source->H[from], sizeof *target->H);
    memcpy(target->body[to], source->body[from], sizeof *target->body);
    memcpy(target->w[to], source->w[from], sizeof *target->w);
    target->friction[to] = source->friction[from];
}

static fixture copy_bodies(const fixture *source, int contacts)
{
    int bodies = source->problem.body_count;
    fixture f = fixture_create(contacts, bodies);
    memcpy(f.mass_inverse, source->mass_inverse, (size_t)bodies * sizeof *f.mass_inverse);
    memcpy(f.v_free, source->v_free, (size_t)bodies * sizeof *f.v_free);
    return f;
}

// contacts in another order: the same velocities
static void order_does_not_matter(void **state)
{
    (void)state;
    enum { CONTACTS = 20, STEP = 7 };
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        double tolerance = tolerance_for(solvers[s], 1e-9);
        fixture f = fixture_cloud(CONTACTS, 30, 0.3, 8), g = copy_bodies(&f, CONTACTS);
        for (int i = 0; i < CONTACTS; i++)
            copy_contact(&f, i, &g, STEP * i % CONTACTS);
        fixture_finish(&g);
        con_report report = solve(solvers[s], &f, control_of(fmin(tolerance, 1e-6)));
        con_report permuted = solve(solvers[s], &g, control_of(fmin(tolerance, 1e-6)));
        check_answer(&g, permuted, fmin(tolerance, 1e-6));
        assert_int_equal(report.stop, permuted.stop);
        for (int i = 0; i < CONTACTS && isfinite(tolerance); i++)
            for (int k = 0; k < 3; k++)
                check_close(g.U[STEP * i % CONTACTS][k], f.U[i][k], 0.0, 1e3 * tolerance);
        fixture_destroy(&f);
        fixture_destroy(&g);
    }
}

// every contact three times over: W has a third of its rank at most
static void redundant_contacts_are_solved(void **state)
{
    (void)state;
    enum { CONTACTS = 15, COPIES = 3 };
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        fixture f = fixture_cloud(CONTACTS, 20, 0.4, 9), g = copy_bodies(&f, COPIES * CONTACTS);
        for (int i = 0; i < COPIES * CONTACTS; i++)
            copy_contact(&f, i % CONTACTS, &g, i);
        fixture_finish(&g);
        con_report report = solve(solvers[s], &g, control_of(1e-4));
        if (isfinite(tolerance_for(solvers[s], 1e-4)))
            assert_int_equal(report.stop, CON_STOP_SOLVED);
        check_answer(&g, report, 1e-4);
        fixture_destroy(&f);
        fixture_destroy(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_complete),
        cmocka_unit_test(answers_are_what_they_claim),
        cmocka_unit_test(easy_problems_are_solved),
        cmocka_unit_test(walls_are_solved_roughly),
        cmocka_unit_test(solutions_are_kept),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(redundant_contacts_are_solved),
        cmocka_unit_test(one_contact_and_none),
        cmocka_unit_test(separating_contacts_carry_nothing),
        cmocka_unit_test(answers_repeat_bit_by_bit),
        cmocka_unit_test(wrong_input_is_refused),
        cmocka_unit_test(limits_and_history),
        cmocka_unit_test(interruptions_are_heeded),
        cmocka_unit_test(problems_from_files_have_W_alone),
        cmocka_unit_test(failing_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
