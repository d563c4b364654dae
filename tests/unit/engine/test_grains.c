// SPDX-License-Identifier: Apache-2.0
// Sizes of grains against closed forms, and worlds that are filled and drained for long.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

static cairn_sizes *sizes_of(cairn_size_def def)
{
    cairn_sizes *sizes = NULL;
    assert_int_equal(cairn_sizes_create(&def, &sizes, &error), CAIRN_OK);
    return sizes;
}

/// Quantiles against the inverse of each distribution, cut off at its ends.
static void test_quantiles(void **state)
{
    (void)state;
    const double median = 0.01, width = 0.3, scale = 0.02, shape = 2.5;
    cairn_sizes *uniform =
        sizes_of((cairn_size_def){.kind = CAIRN_SIZE_UNIFORM, .minimum = 1.0, .maximum = 3.0});
    cairn_sizes *normal =
        sizes_of((cairn_size_def){.kind = CAIRN_SIZE_NORMAL, .first = 0.01, .second = 0.001});
    cairn_sizes *lognormal =
        sizes_of((cairn_size_def){.kind = CAIRN_SIZE_LOGNORMAL, .first = median, .second = width});
    cairn_sizes *weibull =
        sizes_of((cairn_size_def){.kind = CAIRN_SIZE_WEIBULL, .first = scale, .second = shape});
    for (double z = -2.9; z < 2.95; z += 0.1) {
        // a cut at 0.001 and 0.999 leaves 0.998 of the whole
        double share = (0.5 * erfc(-z / sqrt(2.0)) - 0.001) / 0.998;
        check_close(cairn_sizes_quantile(normal, share), 0.01 + 0.001 * z, 2e-6, 0.0);
        check_close(cairn_sizes_quantile(lognormal, share), median * exp(width * z), 1e-5, 0.0);
    }
    for (double share = 0.01; share < 1.0; share += 0.01) {
        check_close(cairn_sizes_quantile(uniform, share), 1.0 + 2.0 * share, 1e-12, 0.0);
        check_close(cairn_sizes_quantile(weibull, share),
                    scale * pow(-log1p(-(0.001 + 0.998 * share)), 1.0 / shape), 1e-4, 0.0);
    }
    // mean of x^3 pi/6 between 1 and 3
    check_close(cairn_sizes_mean_volume(uniform), M_PI / 6.0 * (81.0 - 1.0) / 8.0, 1e-9, 0.0);
    cairn_sizes_destroy(uniform);
    cairn_sizes_destroy(normal);
    cairn_sizes_destroy(lognormal);
    cairn_sizes_destroy(weibull);
}

/// Grains drawn from a sieve curve by mass have that curve: shares of the mass below its points.
static void test_by_mass(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    static const double points[][2] = {{0.001, 0.0}, {0.002, 0.3}, {0.004, 0.8}, {0.01, 1.0}};
    cairn_sizes *sizes = sizes_of((cairn_size_def){
        .kind = CAIRN_SIZE_TABLE, .points = points, .point_count = 4, .by_mass = true});
    double below[4] = {0.0}, volume = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        double x = cairn_sizes_quantile(sizes, (i + 0.5) / DRAWS);
        volume += x * x * x;
        for (int k = 0; k < 4; k++)
            below[k] += x <= points[k][0] ? x * x * x : 0.0;
    }
    for (int k = 0; k < 4; k++)
        check_close(below[k] / volume, points[k][1], 0.0, 2e-3);
    check_close(volume / DRAWS * M_PI / 6.0, cairn_sizes_mean_volume(sizes), 1e-3, 0.0);
    cairn_sizes_destroy(sizes);
}

static void test_refused_sizes(void **state)
{
    (void)state;
    static const double back[][2] = {{0.002, 0.0}, {0.001, 1.0}}, part[][2] = {{1, 0.0}, {2, 0.5}};
    const cairn_size_def bad[] = {
        {.kind = CAIRN_SIZE_UNIFORM, .minimum = 2.0, .maximum = 1.0},
        {.kind = CAIRN_SIZE_NORMAL, .first = 0.01},
        {.kind = CAIRN_SIZE_NORMAL, .first = NAN, .second = 1.0},
        {.kind = CAIRN_SIZE_LOGNORMAL, .first = -1.0, .second = 1.0},
        {.kind = CAIRN_SIZE_CONSTANT},
        {.kind = CAIRN_SIZE_TABLE},
        {.kind = CAIRN_SIZE_TABLE, .points = back, .point_count = 2},
        {.kind = CAIRN_SIZE_TABLE, .points = part, .point_count = 2},
        {.kind = (cairn_size_kind)99},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cairn_sizes *sizes = (void *)&error;
        error.message[0] = '\0';
        assert_int_equal(cairn_sizes_create(&bad[i], &sizes, &error), CAIRN_ERROR_ARGUMENT);
        assert_null(sizes);
        assert_true(strlen(error.message) > 10);
    }
}

/// Grains fall from an emitter into an outlet: shapes, rows and memory stay as few as the grains
/// that are there at one time.
static void test_fill_and_drain(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    def.time_step = 1e-3;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    cairn_grain_def grain = {.size = {.kind = CAIRN_SIZE_UNIFORM, .minimum = 0.01, .maximum = 0.02},
                             .density = 1000.0,
                             .share = 1.0};
    cairn_emitter_def emitter = cairn_default_emitter_def();
    emitter.region =
        (cairn_region){.kind = CAIRN_REGION_BOX, .a = {0.0, 0.0, 1.0}, .b = {1.0, 1.0, 1.2}};
    emitter.grains = &grain;
    emitter.grain_count = 1;
    emitter.rate = 200.0;
    cairn_outlet_def outlet = cairn_default_outlet_def();
    outlet.region =
        (cairn_region){.kind = CAIRN_REGION_BOX, .a = {-9.0, -9.0, -9.0}, .b = {9.0, 9.0, 0.0}};
    assert_int_equal(cairn_emitter_create(world, &emitter, &error), CAIRN_OK);
    assert_int_equal(cairn_outlet_create(world, &outlet, &error), CAIRN_OK);
    int bodies = 0, shapes = 0;
    uint32_t rows = 0;
    for (int step = 0; step < 5000; step++) {
        cairn_status done = cairn_world_step(world, &error);
        if (done != CAIRN_OK)
            print_error("%s\n", error.message);
        assert_int_equal(done, CAIRN_OK);
        if (step == 2500)
            bodies = shapes = 0;
        bodies = bodies > cairn_body_count(world) ? bodies : cairn_body_count(world);
        shapes = shapes > cairn_shape_count(world) ? shapes : cairn_shape_count(world);
        for (int i = 0; i < cairn_body_count(world); i++)
            rows = rows > cairn_body_at(world, i).index ? rows : cairn_body_at(world, i).index;
    }
    cairn_emitter_view made;
    cairn_outlet_view gone;
    assert_int_equal(cairn_emitter_get(world, 0, &made), CAIRN_OK);
    assert_int_equal(cairn_outlet_get(world, 0, &gone), CAIRN_OK);
    assert_int_equal(made.count, 998);
    assert_true(made.region.kind == CAIRN_REGION_BOX && made.region.a[2] == 1.0);
    assert_true(gone.region.b[0] == 9.0 && !gone.outside);
    assert_int_equal(made.count - gone.count, cairn_body_count(world));
    // they fall for half a second: a hundred at a time
    assert_true(bodies > 70 && bodies < 130);
    assert_true(shapes <= bodies + 4 && rows < 140);
    double mass = 0.0;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view view;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &view), CAIRN_OK);
        mass += view.mass;
    }
    check_close(made.mass - gone.mass, mass, 1e-12, 0.0);
    assert_int_equal(cairn_emitter_get(world, 1, &made), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_emitter_get(world, -1, &made), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_outlet_get(world, 1, &gone), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_world_validate(world, &error), CAIRN_OK);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_by_mass),
        cmocka_unit_test(test_refused_sizes),
        cmocka_unit_test(test_fill_and_drain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
