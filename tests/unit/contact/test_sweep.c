// SPDX-License-Identifier: Apache-2.0
// Sweeps: workers change no bit, conjugate passes reach solutions and save passes.
#include "contact/sweep.h"
#include "tests/unit/contact/fixture.h"

enum { PASSES = 30 };

// passes to and fro and conjugate ones, by so many workers; U is what con_sweep_velocity says
static void sweep_with(fixture *f, int workers)
{
    base_allocator allocator = base_allocator_default();
    base_workers *pool = base_workers_create(&allocator, workers);
    assert_non_null(pool);
    con_sweep sweep;
    assert_int_equal(con_sweep_init_parallel(&sweep, &f->problem, pool, f->R, f->arena), CAIRN_OK);
    assert_int_equal(con_sweep_use_conjugate(&sweep, f->arena), CAIRN_OK);
    for (int k = 0; k < PASSES; k++) {
        if (k < PASSES / 3)
            con_sweep_pass(&sweep, NULL, k % 2 == 1);
        else
            con_sweep_pass_conjugate(&sweep);
    }
    con_sweep_refresh(&sweep);
    con_sweep_velocity(&sweep, f->U);
    base_workers_destroy(pool);
}

static void check_same_bits(fixture (*make)(void))
{
    fixture one = make();
    sweep_with(&one, 1);
    size_t size = (size_t)one.problem.contact_count * sizeof *one.R;
    for (int workers = 2; workers <= 4; workers++) {
        fixture several = make();
        sweep_with(&several, workers);
        assert_memory_equal(several.R, one.R, size);
        assert_memory_equal(several.U, one.U, size);
        fixture_destroy(&several);
    }
    fixture_destroy(&one);
}

static fixture make_wall(void)
{
    return fixture_wall(12, 20, 0.5, 3);
}

static fixture make_cloud(void)
{
    return fixture_cloud(900, 200, 0.4, 5);
}

static fixture make_hub(void)
{
    // all contacts with one body: no two groups at a time
    fixture f = fixture_cloud(400, 300, 0.4, 6);
    for (int i = 0; i < 400; i++)
        if (f.body[i][0] >= 0 && f.body[i][1] != 0)
            f.body[i][0] = 0;
    fixture_finish(&f);
    return f;
}

static void workers_change_no_bit(void **state)
{
    (void)state;
    check_same_bits(make_wall);
    check_same_bits(make_cloud);
    check_same_bits(make_hub);
}

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
            con_sweep_pass(&sweep, NULL, false);
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
        cmocka_unit_test(workers_change_no_bit),
        cmocka_unit_test(conjugate_passes_save_passes),
        cmocka_unit_test(points_between_passes_are_in_the_cones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
