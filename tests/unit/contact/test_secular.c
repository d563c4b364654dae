// SPDX-License-Identifier: Apache-2.0
// The exact one-contact solver: regimes, degenerate blocks, extreme scales, both slip searches.
#include "base/rng.h"
#include "contact/local/local.h"
#include "contact/local/secular_equation.h"
#include "tests/check.h"

static con_regime solve(const con_local_problem *p, double R[3])
{
    con_secular block;
    int count = 0;
    assert_true(con_secular_prepare(&p->W, p->mu, &block));
    return con_secular_solve(&block, p->b, R, &count);
}

static void regimes(void **state)
{
    (void)state;
    con_local_problem p = {.W = mat3_identity(), .b = {0.0, 1.0, 0.0}, .mu = 0.5};
    double R[3] = {9.0, 9.0, 9.0};
    assert_int_equal(solve(&p, R), CON_REGIME_OPEN);
    assert_true(R[0] == 0.0 && R[1] == 0.0 && R[2] == 0.0);
    p.b[0] = -3.0;
    assert_int_equal(solve(&p, R), CON_REGIME_STICK);
    assert_true(R[0] == 3.0 && R[1] == -1.0 && R[2] == 0.0);
    p.b[0] = -1.0;
    assert_int_equal(solve(&p, R), CON_REGIME_SLIP);
    check_close(R[1], -0.5, 1e-15, 0.0);
    p.mu = 0.0;
    assert_int_equal(solve(&p, R), CON_REGIME_SLIP);
    assert_true(R[0] == 1.0 && R[1] == 0.0 && R[2] == 0.0);
}

// the bracketed search alone, from nothing, finds what Newton finds
static void bracketed_search_needs_no_luck(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(3);
    for (int k = 0; k < 50000; k++) {
        double a = base_rng_range(&rng, 0.3, 3.0), d = base_rng_range(&rng, 0.3, 3.0);
        double g[2] = {base_rng_range(&rng, -0.3, 0.3), base_rng_range(&rng, -0.3, 0.3)};
        con_local_problem p = {
            .W = {{{1.0, g[0], g[1]}, {g[0], a, 0.2}, {g[1], 0.2, d}}},
            .b = {-base_rng_unit(&rng), base_rng_range(&rng, -2, 2), base_rng_range(&rng, -2, 2)},
            .mu = 0.6};
        double R[3] = {0.0, 0.0, 0.0};
        if (solve(&p, R) != CON_REGIME_SLIP)
            continue;
        con_secular block;
        con_secular_prepare(&p.W, p.mu, &block);
        double normal = -p.b[0], other[3];
        double c[2] = {p.b[1] + g[0] * normal, p.b[2] + g[1] * normal};
        con_secular_slip_bracketed(&block, c, normal, other);
        for (int i = 0; i < 3; i++)
            check_close(other[i], R[i], 1e-12, 1e-13);
    }
}

// bodies that cannot be pushed sideways: W singular or zero in the tangents
static void singular_blocks(void **state)
{
    (void)state;
    const mat3 blocks[] = {{{{1, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
                           {{{1, 0, 0}, {0, 2, 0}, {0, 0, 0}}},
                           {{{1, 1, 0}, {1, 1, 0}, {0, 0, 1}}},
                           {{{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
                           {{{4, 2, 0}, {2, 1, 0}, {0, 0, 0}}}};
    base_rng rng = base_rng_make(8);
    for (int k = 0; k < 50000; k++) {
        con_local_problem p = {.W = blocks[k % 5], .mu = k % 3 == 0 ? 2.0 : 0.3};
        for (int i = 0; i < 3; i++)
            p.b[i] = base_rng_range(&rng, -1.0, 0.5);
        double R[3] = {0.0, 0.0, 0.0};
        solve(&p, R);
        check_at_most(con_local_error(&p, R), 1e-12);
    }
}

static void extreme_scales(void **state)
{
    (void)state;
    const double tiny[] = {1e-12, 1e-30, 1e-100, 1e-300};
    for (int k = 0; k < 4; k++) {
        con_local_problem p = {.W = {{{2.0, 0.3, 0.1}, {0.3, 1.0, 0.2}, {0.1, 0.2, 3.0}}},
                               .b = {-tiny[k], 0.4, -0.3},
                               .mu = 0.7};
        double R[3] = {0.0, 0.0, 0.0};
        assert_int_equal(solve(&p, R), CON_REGIME_SLIP);
        // the normal velocity is so small that friction opposes the free slip
        double q = 1.0 + 0.7 * (0.3 * -0.8 + 0.1 * 0.6) / 2.0;
        check_close(R[0], tiny[k] / (2.0 * q), 1e-11, 0.0);
        check_close(R[1], 0.7 * R[0] * -0.8, 1e-11, 0.0);
        p.b[0] = -0.5;
        p.b[1] = tiny[k];
        p.b[2] = 0.0;
        p.W.m[0][1] = p.W.m[0][2] = p.W.m[1][0] = p.W.m[2][0] = 0.0;
        assert_int_equal(solve(&p, R), CON_REGIME_STICK);
        check_close(R[0], 0.25, 1e-15, 0.0);
        p.mu = tiny[k];
        p.b[1] = 1.0;
        assert_int_equal(solve(&p, R), CON_REGIME_SLIP);
        check_close(R[1], -tiny[k] * 0.25, 1e-12, 0.0);
    }
}

// large friction with strong coupling wedges: the solution grows as b_N goes to zero or stays
static void wedging_is_solved(void **state)
{
    (void)state;
    for (int k = 0; k < 1000; k++) {
        con_local_problem p = {.W = {{{1.0, 0.9, 0.0}, {0.9, 1.0, 0.1}, {0.0, 0.1, 1.0}}},
                               .b = {-pow(10.0, -0.012 * k), 0.5, 0.2},
                               .mu = 1.0 + 0.01 * k};
        double R[3] = {0.0, 0.0, 0.0};
        solve(&p, R);
        check_at_most(con_local_error(&p, R), 1e-14 * (1.0 + p.mu));
    }
}

static void not_a_number_ends(void **state)
{
    (void)state;
    con_local_problem p = {.W = mat3_identity(), .b = {NAN, 1.0, 0.0}, .mu = 0.5};
    double R[3] = {0.0, 0.0, 0.0};
    solve(&p, R);
    p.b[0] = -1.0;
    p.b[1] = NAN;
    solve(&p, R);
    p.b[1] = 1.0;
    p.b[2] = INFINITY;
    solve(&p, R);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regimes),           cmocka_unit_test(bracketed_search_needs_no_luck),
        cmocka_unit_test(singular_blocks),   cmocka_unit_test(extreme_scales),
        cmocka_unit_test(wedging_is_solved), cmocka_unit_test(not_a_number_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
