// SPDX-License-Identifier: Apache-2.0
// Rates that contacts know beside their bodies, theory.md (4.22): they are what one more body would
// be, by every solver and in problem files.
#include "tests/unit/contact/fixture.h"

#include "contact/existence/existence.h"
#include "contact/fclib/fclib.h"
#include "contact/problem/residual.h"

#include <math.h>

enum { CONTACTS = 60, BODIES = 40, RATES = 3 };

/// The same problem twice: contacts of one body know the rates, or they touch a last body with the
/// velocities of the rates.
typedef struct twins {
    fixture own, body;
    con_rates rates;
    double (*S)[3][3];
    int knowing;
} twins;

static void make(uint64_t seed, twins *t)
{
    base_rng rng = base_rng_make(seed);
    *t = (twins){.own = fixture_cloud(CONTACTS, BODIES, 0.4, seed),
                 .body = fixture_create(CONTACTS, BODIES + 1),
                 .S = fixture_array(CONTACTS, sizeof *t->S)};
    t->rates = (con_rates){.count = RATES, .S = (const double(*)[3][3])t->S};
    for (int k = 0; k < RATES; k++)
        t->rates.inverse[k] = t->body.mass_inverse[BODIES][k] = base_rng_range(&rng, 0.05, 0.5);
    memcpy(t->body.mass_inverse, t->own.mass_inverse, BODIES * sizeof *t->own.mass_inverse);
    memcpy(t->body.v_free, t->own.v_free, BODIES * sizeof *t->own.v_free);
    memcpy(t->body.w, t->own.w, CONTACTS * sizeof *t->own.w);
    memcpy(t->body.H, t->own.H, CONTACTS * sizeof *t->own.H);
    memcpy(t->body.body, t->own.body, CONTACTS * sizeof *t->own.body);
    memcpy(t->body.friction, t->own.friction, CONTACTS * sizeof *t->own.friction);
    for (int i = 0; i < CONTACTS; i++) {
        if (t->own.body[i][0] >= 0)
            continue;
        t->knowing++;
        t->body.body[i][0] = BODIES;
        memset(t->body.H[i][0], 0, sizeof t->body.H[i][0]);
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < RATES; k++)
                t->S[i][row][k] = t->body.H[i][0][row][k] = base_rng_range(&rng, -1.0, 1.0);
    }
    t->own.problem.rates = &t->rates;
    fixture_finish(&t->own);
    fixture_finish(&t->body);
}

static void destroy(twins *t)
{
    fixture_destroy(&t->own);
    fixture_destroy(&t->body);
    free(t->S);
}

static void W_has_one_more_body(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        twins t;
        make(seed, &t);
        con_problem own, body = t.body.problem;
        assert_true(t.knowing > 3);
        assert_int_equal(con_problem_to_delassus(&t.own.problem, t.own.arena, &own), CAIRN_OK);
        assert_int_equal(con_problem_assemble_delassus(&body, t.body.arena), CAIRN_OK);
        assert_null(own.H);
        assert_null(own.rates);
        for (int i = 0; i < CONTACTS; i++) {
            assert_int_equal(own.W->start[i + 1], body.W->start[i + 1]);
            for (int k = own.W->start[i]; k < own.W->start[i + 1]; k++) {
                assert_int_equal(own.W->column[k], body.W->column[k]);
                for (int e = 0; e < 9; e++)
                    check_at_most(
                        fabs(own.W->block[k].m[e / 3][e % 3] - body.W->block[k].m[e / 3][e % 3]),
                        1e-14);
            }
            for (int k = 0; k < 3; k++)
                t.own.R[i][k] = t.body.R[i][k] = 0.1 * k + 0.01 * i;
        }
        double z[3], v[BODIES + 1][6];
        con_apply_to_rates(&t.own.problem, (const double(*)[3])t.own.R, z);
        con_apply_impulses(&t.body.problem, (const double(*)[3])t.body.R, v);
        for (int k = 0; k < RATES; k++)
            check_at_most(fabs((z[k]) - (v[BODIES][k])), 1e-12);
        assert_int_equal(
            con_problem_velocity(&t.own.problem, (const double(*)[3])t.own.R, t.own.U, t.own.arena),
            CAIRN_OK);
        con_apply_H(&t.body.problem, (const double(*)[6])v, t.body.problem.w, t.body.U);
        for (int i = 0; i < CONTACTS; i++)
            for (int k = 0; k < 3; k++)
                check_at_most(fabs((t.own.U[i][k]) - (t.body.U[i][k])), 1e-12);
        destroy(&t);
    }
}

/// Solves with the rates, and judges the impulses by the problem with one more body.
static void every_solver_knows_them(void **state)
{
    (void)state;
    int count, solved = 0;
    const con_solver *const *list = con_solver_list(&count);
    for (int s = 0; s < count; s++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            twins t;
            make(seed, &t);
            con_control control = {.tolerance = 1e-8, .max_iterations = 20000, .time_limit = 20.0};
            con_report own, body;
            assert_int_equal(con_solve(list[s], NULL, &t.own.problem, &control, t.own.R, t.own.U,
                                       &own, t.own.arena),
                             CAIRN_OK);
            assert_int_equal(con_solve(list[s], NULL, &t.body.problem, &control, t.body.R, t.body.U,
                                       &body, t.body.arena),
                             CAIRN_OK);
            double judged = fixture_residual(&t.body, (const double(*)[3])t.own.R);
            check_at_most(fabs((judged) - (own.residual.error)), 1e-3 * judged + 1e-13);
            // what finds the one finds the other
            if (body.stop == CON_STOP_SOLVED) {
                check_at_most(judged, 1.001e-8);
                solved++;
            }
            destroy(&t);
        }
    assert_true(solved > 3 * count);
}

static void a_rate_without_mobility_stays(void **state)
{
    (void)state;
    twins t;
    make(5, &t);
    int count;
    for (int k = 0; k < RATES; k++)
        t.rates.inverse[k] = 0.0;
    fixture_finish(&t.own);
    con_control control = {.tolerance = 1e-10};
    con_report report, without;
    assert_int_equal(con_solve(con_solver_list(&count)[0], NULL, &t.own.problem, &control, t.own.R,
                               t.own.U, &report, t.own.arena),
                     CAIRN_OK);
    double(*R)[3] = fixture_array(CONTACTS, sizeof *R);
    t.own.problem.rates = NULL;
    assert_int_equal(con_solve(con_solver_list(&count)[0], NULL, &t.own.problem, &control, R,
                               t.own.U, &without, t.own.arena),
                     CAIRN_OK);
    assert_int_equal(report.stop, CON_STOP_SOLVED);
    assert_int_equal(without.stop, CON_STOP_SOLVED);
    check_at_most(fixture_residual(&t.own, (const double(*)[3])t.own.R), 1e-10);
    free(R);
    destroy(&t);
}

static void files_hold_their_W(void **state)
{
    (void)state;
    twins t;
    make(7, &t);
    int count;
    con_control control = {.tolerance = 1e-9};
    con_report report;
    assert_int_equal(con_solve(con_solver_list(&count)[0], NULL, &t.own.problem, &control, t.own.R,
                               t.own.U, &report, t.own.arena),
                     CAIRN_OK);
    cairn_error error = {0};
    con_fclib_problem own, body;
    assert_int_equal(
        con_fclib_from_problem(CON_FCLIB_LOCAL, &t.own.problem, t.own.arena, &own, &error),
        CAIRN_OK);
    assert_int_equal(
        con_fclib_from_problem(CON_FCLIB_LOCAL, &t.body.problem, t.body.arena, &body, &error),
        CAIRN_OK);
    int entries = own.W.start[own.W.columns];
    assert_int_equal(entries, body.W.start[body.W.columns]);
    for (int k = 0; k < entries; k++)
        check_at_most(fabs((own.W.value[k]) - (body.W.value[k])), 1e-14);
    assert_int_equal(
        con_fclib_from_problem(CON_FCLIB_GLOBAL, &t.own.problem, t.own.arena, &own, &error),
        CAIRN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "strain of the cell"));
    destroy(&t);
}

static void existence_asks_the_whole_W(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        twins t;
        make(seed, &t);
        con_existence own, body;
        assert_int_equal(con_existence_check(&t.own.problem, &own, NULL, t.own.arena), CAIRN_OK);
        assert_int_equal(con_existence_check(&t.body.problem, &body, NULL, t.body.arena), CAIRN_OK);
        assert_int_equal(own.verdict, body.verdict);
        destroy(&t);
    }
}

static void joints_are_refused(void **state)
{
    (void)state;
    twins t;
    make(9, &t);
    con_joints none = {0};
    con_report report;
    con_control control = {.tolerance = 1e-8};
    int count;
    t.own.problem.joints = &none;
    assert_int_equal(con_solve(con_solver_list(&count)[0], NULL, &t.own.problem, &control, t.own.R,
                               t.own.U, &report, t.own.arena),
                     CAIRN_ERROR_UNSUPPORTED);
    destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(W_has_one_more_body),           cmocka_unit_test(every_solver_knows_them),
        cmocka_unit_test(a_rate_without_mobility_stays), cmocka_unit_test(files_hold_their_W),
        cmocka_unit_test(existence_asks_the_whole_W),    cmocka_unit_test(joints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
