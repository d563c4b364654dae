// SPDX-License-Identifier: Apache-2.0
// Patches: what a kick changes in a solved tower is found around it and solved there.
#include "contact/solvers/newton/proximal.h"
#include "contact/strategy/patch.h"
#include "tests/unit/contact/fixture.h"

enum { ROWS = 200, CONTACTS = 4 * ROWS, KICKED = 170 };

typedef struct tower {
    fixture f;
    con_problem problem; // of the form asked for
    con_control control;
    con_report report;
    con_cascade cascade;
    double (*before)[3]; // impulses without the kick
} tower;

static void solve(fixture *f, con_report *report)
{
    const con_control control = {.tolerance = 1e-8};
    assert_int_equal(con_solve(con_solver_find("auto"), NULL, &f->problem, &control, f->R, f->U,
                               report, f->arena),
                     CAIRN_OK);
    assert_int_equal(report->stop, CON_STOP_SOLVED);
}

/// A tower at rest, and the problem of a brick in it that is kicked since, with the old impulses.
static void make(tower *t, bool form_W)
{
    *t = (tower){.f = fixture_wall(1, ROWS, 0.5, 3), .control = {.tolerance = 1e-6}};
    solve(&t->f, &t->report);
    t->before = fixture_array(CONTACTS, sizeof *t->before);
    memcpy(t->before, t->f.R, CONTACTS * sizeof *t->before);
    t->f.v_free[KICKED][0] += 0.05;
    fixture_finish(&t->f);
    t->problem = t->f.problem;
    if (form_W) {
        assert_int_equal(con_problem_assemble_delassus(&t->problem, t->f.arena), CAIRN_OK);
        t->problem.H = NULL;
        t->problem.body_count = 0;
    }
    assert_int_equal(
        con_cascade_create(&t->problem, &t->control, t->f.R, &t->report, t->f.arena, &t->cascade),
        CAIRN_OK);
    assert_int_equal(con_cascade_measure(&t->cascade), CAIRN_OK);
    assert_int_equal(con_cascade_split(&t->cascade), CAIRN_OK);
    assert_int_equal(t->cascade.island_count, 1);
    assert_true(t->cascade.error > 1e-4);
}

static void destroy(tower *t)
{
    free(t->before);
    fixture_destroy(&t->f);
}

/// Others move the bodies of the patch as they do in the whole problem.
static void check_velocities(tower *t, con_patch *patch)
{
    con_newton *model = &patch->model;
    con_newton_velocity(model, (const double(*)[3])model->scratch[3], true, model->scratch[0]);
    for (int i = 0; i < patch->count; i++)
        for (int k = 0; k < 3; k++)
            check_close(model->scratch[0][i][k] * model->size * model->unit[i],
                        t->cascade.U[model->contact[i]][k], 1e-9, 1e-10);
}

static void run(tower *t, con_patch *patch)
{
    const con_proximal_settings settings = {.form = CON_PROXIMAL_ALART_CURNIER,
                                            .weight = 1e3,
                                            .max_solves = 300,
                                            .max_inner = 12,
                                            .inner_factor = 0.01};
    assert_int_equal(
        con_proximal_run(&patch->model, &settings, (const double(*)[3])patch->model.scratch[3]),
        CAIRN_OK);
    assert_true(con_newton_solved(&patch->model));
    int steps = patch->model.factorisations;
    assert_int_equal(con_patch_take(patch), CAIRN_OK);
    assert_int_equal(t->cascade.patch_steps, steps);
}

static void a_kick_is_solved_where_it_is(void **state)
{
    (void)state;
    for (int form_W = 0; form_W < 2; form_W++) {
        tower t;
        con_patch patch;
        bool found;
        make(&t, form_W);
        double error = t.cascade.error;
        assert_int_equal(con_patch_init(&t.cascade, 0, &patch), CAIRN_OK);
        assert_int_equal(con_patch_find(&patch, 0.3, false, &found), CAIRN_OK);
        assert_true(found && patch.count < CONTACTS / 4);
        for (int corner = 0; corner < 8; corner++)
            assert_true(patch.chosen[4 * KICKED + corner]);
        check_velocities(&t, &patch);
        run(&t, &patch);
        check_at_most(t.cascade.error, 0.2 * error);
        for (int i = 0; i < CONTACTS; i++)
            if (!patch.chosen[i])
                assert_memory_equal(t.f.R[i], t.before[i], sizeof t.f.R[i]);
        check_close(fixture_residual(&t.f, (const double(*)[3])t.f.R), t.cascade.error, 1e-6,
                    1e-12);
        destroy(&t);
    }
}

// bodies and W tell the same neighbours
static void both_forms_find_the_same_contacts(void **state)
{
    (void)state;
    tower t[2];
    con_patch patch[2];
    for (int form_W = 0; form_W < 2; form_W++) {
        bool found;
        make(&t[form_W], form_W);
        assert_int_equal(con_patch_init(&t[form_W].cascade, 0, &patch[form_W]), CAIRN_OK);
        assert_int_equal(con_patch_find(&patch[form_W], 1.0, false, &found), CAIRN_OK);
        assert_true(found);
    }
    assert_memory_equal(patch[0].chosen, patch[1].chosen, CONTACTS * sizeof(bool));
    for (int form_W = 0; form_W < 2; form_W++)
        destroy(&t[form_W]);
}

// the error goes to the border of a patch; a wider one holds the earlier and reaches beyond
static void wider_patches_hold_earlier_ones(void **state)
{
    (void)state;
    tower t;
    con_patch patch;
    bool found, earlier[CONTACTS];
    make(&t, false);
    assert_int_equal(con_patch_init(&t.cascade, 0, &patch), CAIRN_OK);
    assert_int_equal(con_patch_find(&patch, 1.0, false, &found), CAIRN_OK);
    int count = patch.count;
    memcpy(earlier, patch.chosen, sizeof earlier);
    run(&t, &patch);
    double error = t.cascade.error;
    t.cascade.patch_steps = 0;
    assert_int_equal(con_patch_find(&patch, 1.0, true, &found), CAIRN_OK);
    assert_true(found && patch.count > count);
    for (int i = 0; i < CONTACTS; i++)
        assert_true(patch.chosen[i] || !earlier[i]);
    run(&t, &patch);
    check_at_most(t.cascade.error, error);
    // and none is made where it would have to be larger than may be
    assert_int_equal(con_patch_find(&patch, 0.01, true, &found), CAIRN_OK);
    assert_false(found);
    destroy(&t);
}

// a fifth of the island's tolerance, where the error of the island is the mean over all contacts
static void small_patches_have_looser_tolerances(void **state)
{
    (void)state;
    tower t;
    con_patch patch;
    bool found;
    make(&t, false);
    assert_int_equal(con_patch_init(&t.cascade, 0, &patch), CAIRN_OK);
    assert_int_equal(con_patch_find(&patch, 1.0, false, &found), CAIRN_OK);
    assert_true(found && patch.count < CONTACTS);
    double left = patch.model.goal.tolerance * sqrt((double)patch.count / CONTACTS);
    check_close(left, 0.2 * t.control.tolerance, 1e-12, 0.0);
    destroy(&t);
}

// what a later patch makes worse is not kept
static void the_best_point_stays(void **state)
{
    (void)state;
    tower t;
    con_patch patch;
    bool found;
    double best[CONTACTS][3];
    make(&t, false);
    assert_int_equal(con_patch_init(&t.cascade, 0, &patch), CAIRN_OK);
    assert_int_equal(con_patch_find(&patch, 1.0, false, &found), CAIRN_OK);
    run(&t, &patch);
    double error = t.cascade.error;
    memcpy(best, t.f.R, sizeof best);
    assert_int_equal(con_patch_find(&patch, 1.0, true, &found), CAIRN_OK);
    assert_true(found);
    memset(patch.model.best, 0, (size_t)patch.count * sizeof *patch.model.best);
    assert_int_equal(con_patch_take(&patch), CAIRN_OK);
    assert_true(t.cascade.error > 10.0 * error);
    assert_int_equal(con_patch_end(&patch), CAIRN_OK);
    assert_memory_equal(t.f.R, best, sizeof best);
    check_close(t.cascade.error, error, 1e-6, 1e-12);
    destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kick_is_solved_where_it_is),
        cmocka_unit_test(both_forms_find_the_same_contacts),
        cmocka_unit_test(wider_patches_hold_earlier_ones),
        cmocka_unit_test(small_patches_have_looser_tolerances),
        cmocka_unit_test(the_best_point_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
