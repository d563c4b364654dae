// SPDX-License-Identifier: Apache-2.0
// Our residual against that of Siconos, where its library is installed; skipped elsewhere.
#include "tests/unit/contact/fixture.h"

#ifdef CAIRN_HAS_SICONOS

#include "bench/fclib/siconos_problem.h"

#include "contact/fclib/fclib.h"
#include "contact/problem/residual.h"

// a point on the way to the solution, 0: zero, 1: far away, 2: near, 3: random
static void set_point(fixture *f, int kind, uint64_t seed)
{
    base_rng rng = base_rng_make(seed);
    int n = f->problem.contact_count;
    con_control control = {.tolerance = 1e-12, .max_iterations = kind == 2 ? 50 : 2};
    con_report report;
    memset(f->R, 0, (size_t)n * sizeof *f->R);
    if (kind == 1 || kind == 2)
        assert_int_equal(con_solve(con_solver_find("gauss_seidel"), NULL, &f->problem, &control,
                                   f->R, f->U, &report, f->arena),
                         CAIRN_OK);
    for (int k = 0; kind == 3 && k < 3 * n; k++)
        f->R[k / 3][k % 3] = base_rng_range(&rng, -2.0, 2.0);
}

static con_fclib_problem content_of(fixture *f, con_fclib_form form)
{
    con_fclib_problem content;
    cairn_error error;
    assert_int_equal(con_fclib_from_problem(form, &f->problem, f->arena, &content, &error),
                     CAIRN_OK);
    return content;
}

static con_residual our_residual(fixture *f)
{
    con_residual residual;
    assert_int_equal(
        con_residual_compute(&f->problem, (const double(*)[3])f->R, f->U, &residual, f->arena),
        CAIRN_OK);
    return residual;
}

static fixture make(uint64_t seed)
{
    double mu = (double[]){0.0, 0.3, 0.9}[seed % 3];
    return seed % 2 ? fixture_cloud(60, 20, mu, seed) : fixture_wall(3, 3, mu, seed);
}

static void local_errors_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (int kind = 0; kind < 4; kind++) {
            fixture f = make(seed);
            set_point(&f, kind, seed);
            con_fclib_problem content = content_of(&f, CON_FCLIB_LOCAL);
            double u[3 * 60];
            double theirs = siconos_local_error(&content, f.R[0], u);
            check_close(our_residual(&f).error_siconos, theirs, 1e-9, 1e-14);
            fixture_destroy(&f);
        }
}

// the global function divides by |u| and |r| alone, and adds the defect of M v = H r + f, here zero
static void global_errors_agree(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++)
        for (int kind = 1; kind < 4; kind++) {
            fixture f = make(seed);
            set_point(&f, kind, seed);
            con_fclib_problem content = content_of(&f, CON_FCLIB_GLOBAL);
            double u[3 * 60], v[6 * 20];
            con_residual ours = our_residual(&f);
            int rows = 3 * f.problem.contact_count;
            double size = fmax(siconos_norm(f.R[0], rows), siconos_norm(f.U[0], rows));
            cairn_error error;
            assert_int_equal(con_fclib_complete(&content, f.R[0], v, NULL, f.arena, &error),
                             CAIRN_OK);
            double theirs = siconos_global_error(&content, f.R[0], u, v);
            check_close(ours.error_q * siconos_norm(f.q[0], rows) / size, theirs, 1e-9, 1e-12);
            fixture_destroy(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_errors_are_the_same),
        cmocka_unit_test(global_errors_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void library_is_absent(void **state)
{
    (void)state;
    print_message("libsiconos-numerics-dev is not installed: nothing to compare with\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(library_is_absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
