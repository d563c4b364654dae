// SPDX-License-Identifier: Apache-2.0
// Sweeps: conjugate passes reach solutions and save passes.
#include "contact/solvers/first_order/sweep.h"
#include "tests/unit/contact/fixture.h"

enum { PASSES = 30 };

// passes until the residual is within the tolerance, `most` for more
static int passes_until(fixture *f, bool conjugate, double tolerance, int most)
{
    con_sweep sweep;
    memset(f->R, 0, (size_t)f->problem.contact_count * sizeof *f->R);
    assert_int_equal(con_sweep_init(&sweep, &f->problem, NULL, NULL, f->R, f->arena), CAIRN_OK);
    assert_int_equal(con_sweep_use_conjugate(&sweep, f->arena), CAIRN_OK);
    for (int k = 1; k <= most; k++) {
        if (conjugate)
            con_sweep_pass_conjugate(&sweep);
        else
            con_sweep_pass(&sweep, false);
        if (k % 10 == 0 && fixture_residual(f, (const double(*)[3])f->R) <= tolerance)
            return k;
    }
    return most;
}

static void conjugate_passes_save_passes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        fixture f = fixture_wall(2, 6, 0.5, seed);
        int plain = passes_until(&f, false, 1e-5, 20000);
        int conjugate = passes_until(&f, true, 1e-5, 20000);
        assert_true(plain < 20000);
        assert_true(5 * conjugate < plain);
        fixture_destroy(&f);
    }
}

static void points_between_passes_are_in_the_cones(void **state)
{
    (void)state;
    fixture f = fixture_cloud(300, 100, 0.3, 8);
    con_sweep sweep;
    assert_int_equal(con_sweep_init(&sweep, &f.problem, NULL, NULL, f.R, f.arena), CAIRN_OK);
    assert_int_equal(con_sweep_use_conjugate(&sweep, f.arena), CAIRN_OK);
    for (int k = 0; k < PASSES; k++) {
        con_sweep_pass_conjugate(&sweep);
        for (int i = 0; i < 300; i++) {
            double tangent = sqrt(f.R[i][1] * f.R[i][1] + f.R[i][2] * f.R[i][2]);
            check_at_most(tangent, 0.3 * f.R[i][0] * (1.0 + 1e-14));
        }
    }
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conjugate_passes_save_passes),
        cmocka_unit_test(points_between_passes_are_in_the_cones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
