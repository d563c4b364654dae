// SPDX-License-Identifier: Apache-2.0
// Cone and disc projections, natural map of one contact.
#include "base/rng.h"
#include "contact/cones/cone.h"
#include "tests/check.h"

static const double frictions[] = {0.0, 1e-6, 0.3, 1.0, 2.0, 50.0};

static void random_vector(base_rng *rng, double z[3])
{
    double scale = pow(10.0, base_rng_range(rng, -8.0, 8.0));
    for (int k = 0; k < 3; k++)
        z[k] = scale * base_rng_range(rng, -1.0, 1.0);
}

static void projection_splits_along_the_dual_cone(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(1);
    for (int k = 0; k < 100000; k++) {
        double mu = frictions[k % 6], z[3], p[3], again[3], rest[3];
        random_vector(&rng, z);
        double size = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
        con_cone_project(z, mu, p);
        check_at_most(hypot(p[1], p[2]) - mu * p[0], 1e-15 * size * (1.0 + mu));
        assert_true(p[0] >= 0.0);
        con_cone_project(p, mu, again);
        for (int i = 0; i < 3; i++) {
            check_close(again[i], p[i], 0.0, 4e-15 * size);
            rest[i] = p[i] - z[i];
        }
        // Moreau: p - z lies in the dual cone mu |x_T| <= x_N and is orthogonal to p
        check_at_most(mu * hypot(rest[1], rest[2]) - rest[0], 1e-15 * size * (1.0 + mu));
        double inner = rest[0] * p[0] + rest[1] * p[1] + rest[2] * p[2];
        check_close(inner, 0.0, 0.0, 4e-15 * size * size * (1.0 + mu));
    }
}

static void frictionless_cone_is_a_half_line(void **state)
{
    (void)state;
    double p[3];
    con_cone_project((double[]){2.0, 3.0, -4.0}, 0.0, p);
    assert_true(p[0] == 2.0 && p[1] == 0.0 && p[2] == 0.0);
    con_cone_project((double[]){-2.0, 0.0, 0.0}, 0.0, p);
    assert_true(p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0);
    con_cone_project((double[]){-2.0, 1.0, 0.0}, 0.0, p);
    assert_true(p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0);
}

static void mantle_point_is_known(void **state)
{
    (void)state;
    // mu = 1: the nearest point of the mantle to (0, 2, 0) is (1, 1, 0); in place
    double z[3] = {0.0, 2.0, 0.0};
    con_cone_project(z, 1.0, z);
    check_close(z[0], 1.0, 1e-15, 0.0);
    check_close(z[1], 1.0, 1e-15, 0.0);
    assert_true(z[2] == 0.0);
}

static void disc_cuts_radially(void **state)
{
    (void)state;
    double z[2] = {3.0, 4.0};
    con_disc_project(z, 10.0, z);
    assert_true(z[0] == 3.0 && z[1] == 4.0);
    con_disc_project(z, 1.0, z);
    check_close(z[0], 0.6, 1e-15, 0.0);
    check_close(z[1], 0.8, 1e-15, 0.0);
    con_disc_project(z, 0.0, z);
    assert_true(z[0] == 0.0 && z[1] == 0.0);
}

static void natural_map_vanishes_at_the_three_regimes(void **state)
{
    (void)state;
    double map[3], mu = 0.5;
    // open, stick, slip against the velocity
    check_close(con_natural_map((double[]){0, 0, 0}, (double[]){1.0, 2.0, 3.0}, mu, map), 0.0, 0.0,
                1e-30);
    check_close(con_natural_map((double[]){2.0, 0.5, -0.5}, (double[]){0, 0, 0}, mu, map), 0.0, 0.0,
                1e-30);
    check_close(con_natural_map((double[]){2.0, 0.6, -0.8}, (double[]){0.0, -3.0, 4.0}, mu, map),
                0.0, 0.0, 1e-30);
    // penetrating velocity: P_K(1, 0, 0) is itself
    check_close(con_natural_map((double[]){0, 0, 0}, (double[]){-1.0, 0.0, 0.0}, mu, map), 1.0,
                1e-15, 0.0);
    check_close(map[0], -1.0, 1e-15, 0.0);
    // slip along the friction: z = (2 - 0.5, 1 - 1, 0), in the cone, map = (0.5, 1, 0)
    check_close(con_natural_map((double[]){2.0, 1.0, 0.0}, (double[]){0.0, 1.0, 0.0}, mu, map),
                1.25, 1e-15, 0.0);
}

// R - P_K(R - x) in long double, by its definition
static void natural_map_by_definition(const double R[3], const double U[3], double mu,
                                      double out[3])
{
    long double slip = sqrtl((long double)U[1] * U[1] + (long double)U[2] * U[2]);
    long double z[3] = {R[0] - (U[0] + mu * slip), (long double)R[1] - U[1],
                        (long double)R[2] - U[2]};
    long double tangent = sqrtl(z[1] * z[1] + z[2] * z[2]), projected[3] = {z[0], z[1], z[2]};
    if (mu * tangent <= -z[0]) {
        projected[0] = projected[1] = projected[2] = 0.0L;
    } else if (tangent > mu * z[0]) {
        projected[0] = (z[0] + mu * tangent) / (1.0L + (long double)mu * mu);
        projected[1] = mu * projected[0] / tangent * z[1];
        projected[2] = mu * projected[0] / tangent * z[2];
    }
    for (int k = 0; k < 3; k++)
        out[k] = (double)(R[k] - projected[k]);
}

// random points in all regimes, many of them at the mantle or with one of R and U zero
static void natural_map_is_that_of_its_definition(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(7);
    for (int trial = 0; trial < 20000; trial++) {
        double R[3], U[3], map[3], expected[3],
            mu = trial % 5 == 0 ? 0.0 : base_rng_range(&rng, 0, 2);
        for (int k = 0; k < 3; k++) {
            R[k] = trial % 7 == 0 ? 0.0 : base_rng_range(&rng, -1.0, 1.0);
            U[k] = trial % 11 == 0 ? 0.0 : base_rng_range(&rng, -0.5, 0.5);
        }
        if (trial % 3 == 0)
            R[0] = sqrt(R[1] * R[1] + R[2] * R[2]) * base_rng_range(&rng, 0.999999, 1.000001);
        double squared = con_natural_map(R, U, mu, map);
        natural_map_by_definition(R, U, mu, expected);
        for (int k = 0; k < 3; k++)
            check_close(map[k], expected[k], 0.0, 2e-15);
        check_close(squared, map[0] * map[0] + map[1] * map[1] + map[2] * map[2], 1e-15, 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_splits_along_the_dual_cone),
        cmocka_unit_test(frictionless_cone_is_a_half_line),
        cmocka_unit_test(mantle_point_is_known),
        cmocka_unit_test(disc_cuts_radially),
        cmocka_unit_test(natural_map_vanishes_at_the_three_regimes),
        cmocka_unit_test(natural_map_is_that_of_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
