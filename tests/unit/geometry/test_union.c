// SPDX-License-Identifier: Apache-2.0
// Mass of unions of spheres: closed forms of two spheres, inclusion and exclusion, spheres within
// others, turned frames, and a count of points.
#include "base/rng.h"
#include "geometry/shape/shape.h"
#include "tests/check.h"

static const double pi = 3.14159265358979323846;

static geo_mass mass_of(const vec3 *centres, const double *radii, int count)
{
    const base_allocator allocator = base_allocator_default();
    geo_shape *members[8], *shape;
    pose places[8];
    cairn_error error;
    for (int i = 0; i < count; i++) {
        assert_int_equal(geo_sphere_create(&allocator, radii[i], &members[i], &error), CAIRN_OK);
        places[i] = (pose){centres[i], quat_identity()};
    }
    if (geo_compound_create(&allocator, members, places, count, &shape, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    geo_mass mass = geo_shape_mass(shape);
    geo_shape_destroy(shape);
    return mass;
}

static double ball(double radius)
{
    return 4.0 / 3.0 * pi * radius * radius * radius;
}

/// Volume of what two balls share.
static double lens(double a, double b, double distance)
{
    double rest = a + b - distance;
    return pi * rest * rest *
           (distance * distance + 2.0 * distance * (a + b) - 3.0 * (a - b) * (a - b)) /
           (12.0 * distance);
}

/// Two equal balls at +-d along z: a solid of revolution.
static void test_two(void **state)
{
    (void)state;
    const double r = 1.3, d = 0.7;
    geo_mass mass = mass_of((vec3[]){{0, 0, d}, {0, 0, -d}}, (double[]){r, r}, 2);
    // integrals over z from 0 to d + r of pi rho^2, pi rho^4 / 2 and pi rho^2 z^2, with
    // rho^2 = r^2 - (z - d)^2
    double volume = 0.0, polar = 0.0, along = 0.0;
    const int steps = 200000;
    for (int i = 0; i < steps; i++) {
        double h = (d + r) / steps, z = (i + 0.5) * h, square = r * r - (z - d) * (z - d);
        volume += 2.0 * pi * square * h;
        polar += pi * square * square * h;
        along += 2.0 * pi * square * z * z * h;
    }
    check_close(mass.volume, 2.0 * ball(r) - lens(r, r, 2.0 * d), 1e-11, 0.0);
    check_close(mass.volume, volume, 1e-9, 0.0);
    check_close(mass.inertia.m[2][2], polar, 1e-9, 0.0);
    check_close(mass.inertia.m[0][0], 0.5 * polar + along, 1e-9, 0.0);
    check_close(mass.inertia.m[1][1], mass.inertia.m[0][0], 1e-10, 0.0);
    for (int k = 0; k < 3; k++)
        check_close(vec3_get(mass.centre, k), 0.0, 0.0, 1e-11);
}

/// A chain in which no three share a point, across the latitudes.
static void test_chain(void **state)
{
    (void)state;
    const double radii[] = {1.0, 0.8, 0.6};
    const vec3 centres[] = {{5, 1, 2}, {6.2, 1.4, 2.3}, {7.0, 1.9, 3.1}};
    geo_mass mass = mass_of(centres, radii, 3);
    double volume = ball(1.0) + ball(0.8) + ball(0.6);
    volume -= lens(1.0, 0.8, vec3_distance(centres[0], centres[1]));
    volume -= lens(0.8, 0.6, vec3_distance(centres[1], centres[2]));
    assert_true(vec3_distance(centres[0], centres[2]) > 1.6);
    check_close(mass.volume, volume, 1e-10, 0.0);
}

/// What lies within another, and what is there twice, adds nothing; what is apart adds all.
static void test_within(void **state)
{
    (void)state;
    const vec3 centres[] = {{1, 2, 3}, {1.2, 2, 3}, {1, 2, 3}, {1, 2, 3.1}};
    geo_mass one = mass_of(centres, (double[]){1.0, 0.5, 1.0, 0.2}, 4);
    check_close(one.volume, ball(1.0), 1e-11, 0.0);
    check_close(one.inertia.m[0][0], 0.4 * ball(1.0), 1e-10, 0.0);
    check_close(vec3_distance(one.centre, centres[0]), 0.0, 0.0, 1e-11);
    geo_mass apart =
        mass_of((vec3[]){{0, 0, 0}, {0.1, 0, 0}, {9, 0, 0}}, (double[]){1.0, 1.0, 0.5}, 3);
    check_close(apart.volume, 2.0 * ball(1.0) - lens(1.0, 1.0, 0.1) + ball(0.5), 1e-10, 0.0);
}

/// Six balls of which many share points: the same in turned frames, and by counting points.
static void test_many(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(7);
    vec3 centres[6], turned[6];
    double radii[6];
    for (int i = 0; i < 6; i++) {
        centres[i] = vec3_make(base_rng_unit(&rng), base_rng_unit(&rng), base_rng_unit(&rng));
        radii[i] = 0.4 + 0.4 * base_rng_unit(&rng);
    }
    geo_mass mass = mass_of(centres, radii, 6);
    quat turn = quat_normalize((quat){0.7, 0.3, -0.5, 0.4});
    for (int i = 0; i < 6; i++)
        turned[i] = quat_rotate(turn, centres[i]);
    geo_mass other = mass_of(turned, radii, 6);
    check_close(other.volume, mass.volume, 1e-12, 0.0);
    check_close(mat3_trace(&other.inertia), mat3_trace(&mass.inertia), 1e-12, 0.0);
    check_close(mat3_determinant(&other.inertia), mat3_determinant(&mass.inertia), 3e-12, 0.0);
    check_close(vec3_distance(other.centre, quat_rotate(turn, mass.centre)), 0.0, 0.0, 1e-12);
    int inside = 0;
    const int across = 120;
    for (int k = 0; k < across * across * across; k++) {
        vec3 p = vec3_make(k % across + 0.5, k / across % across + 0.5, k / across / across + 0.5);
        p = vec3_sub(vec3_scale(3.0 / across, p), vec3_make(1.0, 1.0, 1.0));
        bool in = false;
        for (int i = 0; i < 6; i++)
            in = in || vec3_distance(p, centres[i]) < radii[i];
        inside += in;
    }
    check_close(mass.volume, 27.0 * inside / across / across / across, 1e-3, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
