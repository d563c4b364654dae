// SPDX-License-Identifier: Apache-2.0
// The order of contacts: the same for every numbering of them, what bears first.
#include "contact/problem/delassus.h"
#include "contact/problem/support_order.h"
#include "tests/unit/contact/fixture.h"

enum { CONTACTS = 240, BODIES = 90 };

static void shuffle(base_rng *rng, int *places, int count)
{
    for (int k = 0; k < count; k++)
        places[k] = k;
    for (int k = count - 1; k > 0; k--) {
        int other = base_rng_index(rng, k + 1), swap = places[k];
        places[k] = places[other];
        places[other] = swap;
    }
}

// the same problem, whose contact i and body a are contact contacts[i] and body bodies[a] here
static fixture renumbered(const fixture *f, const int *contacts, const int *bodies)
{
    fixture g = fixture_create(f->problem.contact_count, f->problem.body_count);
    for (int a = 0; a < f->problem.body_count; a++) {
        memcpy(g.mass_inverse[bodies[a]], f->mass_inverse[a], sizeof *g.mass_inverse);
        memcpy(g.v_free[bodies[a]], f->v_free[a], sizeof *g.v_free);
    }
    for (int i = 0; i < f->problem.contact_count; i++) {
        int j = contacts[i];
        g.friction[j] = f->friction[i];
        memcpy(g.H[j], f->H[i], sizeof *g.H);
        memcpy(g.w[j], f->w[i], sizeof *g.w);
        for (int s = 0; s < 2; s++)
            g.body[j][s] = f->body[i][s] >= 0 ? bodies[f->body[i][s]] : -1;
    }
    fixture_finish(&g);
    return g;
}

static void find_order(const fixture *f, bool form_W, int *order)
{
    con_problem problem = f->problem;
    if (form_W) {
        assert_int_equal(con_problem_assemble_delassus(&problem, f->arena), CAIRN_OK);
        problem.H = NULL;
        problem.body_count = 0;
    }
    assert_int_equal(con_support_order(&problem, order, f->arena), CAIRN_OK);
}

static void solve(fixture *f, con_report *report)
{
    con_control control = {.tolerance = 1e-8};
    assert_int_equal(con_solve(con_solver_find("auto"), NULL, &f->problem, &control, f->R, f->U,
                               report, f->arena),
                     CAIRN_OK);
    assert_int_equal(report->stop, CON_STOP_SOLVED);
}

static void numbering_changes_nothing(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(5);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        fixture f = seed % 2 ? fixture_cloud(CONTACTS, BODIES, 0.4, seed)
                             : fixture_wall(3, CONTACTS / 12, 0.4, seed);
        int contacts[CONTACTS], bodies[BODIES], order[CONTACTS], other[CONTACTS];
        shuffle(&rng, contacts, f.problem.contact_count);
        shuffle(&rng, bodies, f.problem.body_count);
        fixture g = renumbered(&f, contacts, bodies);
        for (int form_W = 0; form_W < 2; form_W++) {
            find_order(&f, form_W, order);
            find_order(&g, form_W, other);
            for (int k = 0; k < CONTACTS; k++)
                assert_int_equal(other[k], contacts[order[k]]);
        }
        con_report report, again;
        solve(&f, &report);
        solve(&g, &again);
        assert_int_equal(again.iterations, report.iterations);
        fixture_destroy(&f);
        fixture_destroy(&g);
    }
}

static void what_bears_comes_first(void **state)
{
    (void)state;
    fixture f = fixture_wall(4, 12, 0.5, 3);
    int bodies[48], contacts[192], order[192];
    base_rng rng = base_rng_make(7);
    shuffle(&rng, bodies, 48);
    shuffle(&rng, contacts, 192);
    fixture g = renumbered(&f, contacts, bodies);
    int row_of[192];
    for (int i = 0; i < 192; i++)
        row_of[contacts[i]] = i / 16;
    find_order(&g, false, order);
    for (int k = 0; k < 192; k++)
        assert_int_equal(row_of[order[k]], k / 16);
    fixture_destroy(&f);
    fixture_destroy(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbering_changes_nothing),
        cmocka_unit_test(what_bears_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
