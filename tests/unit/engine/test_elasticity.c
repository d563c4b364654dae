// SPDX-License-Identifier: Apache-2.0
// Moduli of materials: forces of pairs against Hertz's formula, and what takes precedence.
#include "tests/check.h"
#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static cairn_world *world_of(void)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 1e-9;
    def.gravity[2] = 0.0;
    cairn_world *world;
    check(cairn_world_create(&def, &world, &error));
    return world;
}

static cairn_material_id material(cairn_world *world, const char *name, double E, double nu)
{
    cairn_material_id id;
    check(cairn_material_create(world, name, &id, &error));
    if (E > 0.0)
        check(cairn_material_set_value(world, id, "young_modulus", E, &error));
    if (E > 0.0 && nu != 0.3)
        check(cairn_material_set_value(world, id, "poisson_ratio", nu, &error));
    return id;
}

static const double radius[2] = {0.02, 0.05}, overlap = 1e-5;

static void add_ball(cairn_world *world, int which, cairn_material_id of, double x)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    shape.radius = radius[which];
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    body.material = of;
    body.position[0] = x;
    check(cairn_body_create(world, &body, &id, &error));
}

/// Normal force between a small ball of the first and a large one of the second material.
static double force(cairn_world *world, cairn_material_id a, cairn_material_id b)
{
    static double place = 0.0;
    place += 1.0;
    add_ball(world, 0, a, place);
    add_ball(world, 1, b, place + radius[0] + radius[1] - overlap);
    check(cairn_world_step(world, &error));
    uint32_t last = (uint32_t)cairn_body_count(world) - 1;
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view view;
        cairn_contact_get(world, i, &view);
        if (view.b.index == last)
            return fabs(view.force[0]);
    }
    fail();
    return 0.0;
}

static double hertz(double E_a, double nu_a, double E_b, double nu_b)
{
    double E = 1.0 / ((1.0 - nu_a * nu_a) / E_a + (1.0 - nu_b * nu_b) / E_b);
    double R = 1.0 / (1.0 / radius[0] + 1.0 / radius[1]);
    return 4.0 / 3.0 * E * sqrt(R) * pow(overlap, 1.5);
}

static const cairn_material_id any = {0, 0};

static void set(cairn_world *world, cairn_material_id a, cairn_material_id b, const char *name,
                double value)
{
    check(cairn_pair_set_value(world, a, b, name, cairn_number(value), &error));
}

static void test_pairs(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        cairn_world *world = world_of();
        if (!late)
            check(cairn_pair_set_law(world, any, any, "hertz_mindlin", &error));
        cairn_material_id glass = material(world, "glass", 65e9, 0.22);
        cairn_material_id steel = material(world, "steel", 210e9, 0.3);
        cairn_material_id wood = material(world, "wood", 0.0, 0.0);
        if (late)
            check(cairn_pair_set_law(world, any, any, "hertz_mindlin", &error));
        check_close(force(world, glass, steel), hertz(65e9, 0.22, 210e9, 0.3), 1e-9, 0.0);
        check_close(force(world, steel, glass), hertz(65e9, 0.22, 210e9, 0.3), 1e-9, 0.0);
        check_close(force(world, glass, glass), hertz(65e9, 0.22, 65e9, 0.22), 1e-9, 0.0);
        // what has no moduli is like the other, or as the default pair says
        check_close(force(world, wood, glass), hertz(65e9, 0.22, 65e9, 0.22), 1e-9, 0.0);
        check_close(force(world, wood, wood), hertz(1e7, 0.3, 1e7, 0.3), 1e-9, 0.0);
        double young, poisson;
        check(cairn_material_get_value(world, glass, "young_modulus", &young));
        check(cairn_material_get_value(world, wood, "poisson_ratio", &poisson));
        assert_true(young == 65e9 && poisson == 0.0);
        assert_int_equal(cairn_material_get_value(world, glass, "colour", &young),
                         CAIRN_ERROR_NOT_FOUND);
        cairn_world_destroy(world);
    }
}

static void test_precedence(void **state)
{
    (void)state;
    cairn_world *world = world_of();
    cairn_material_id glass = material(world, "glass", 65e9, 0.22);
    cairn_material_id steel = material(world, "steel", 210e9, 0.3);
    check(cairn_pair_set_law(world, any, any, "hertz_mindlin", &error));
    // other parameters leave the moduli alone, and the pairs follow the default pair in them
    set(world, any, any, "friction", 0.77);
    check_close(force(world, glass, steel), hertz(65e9, 0.22, 210e9, 0.3), 1e-9, 0.0);
    cairn_value friction;
    check(cairn_pair_get_value(world, glass, steel, "friction", &friction));
    assert_true(friction.number == 0.77);
    // the pair's own friction keeps the moduli
    set(world, glass, glass, "friction", 0.1);
    check_close(force(world, glass, glass), hertz(65e9, 0.22, 65e9, 0.22), 1e-9, 0.0);
    // one modulus of its own switches those of the materials off
    set(world, glass, steel, "young_modulus", 1e9);
    check_close(force(world, glass, steel), hertz(1e9, 0.3, 1e9, 0.3), 1e-9, 0.0);
    check_close(force(world, steel, steel), hertz(210e9, 0.3, 210e9, 0.3), 1e-9, 0.0);
    // as a new law of the pair switches them on again
    check(cairn_pair_set_law(world, glass, steel, "hertz_mindlin", &error));
    check_close(force(world, glass, steel), hertz(65e9, 0.22, 210e9, 0.3), 1e-9, 0.0);
    // a change of a material reaches its pairs
    check(cairn_material_set_value(world, steel, "young_modulus", 100e9, &error));
    check_close(force(world, glass, steel), hertz(65e9, 0.22, 100e9, 0.3), 1e-9, 0.0);
    // the default pair's own modulus holds for the pairs that follow it
    set(world, any, any, "young_modulus", 3e9);
    check_close(force(world, steel, steel), hertz(3e9, 0.3, 3e9, 0.3), 1e-9, 0.0);
    cairn_world_destroy(world);
}

static void test_other_laws(void **state)
{
    (void)state;
    cairn_world *world = world_of();
    check(cairn_pair_set_law(world, any, any, "incremental", &error));
    cairn_material_id glass = material(world, "glass", 60e9, 0.22);
    cairn_material_id steel = material(world, "steel", 180e9, 0.3);
    double R = 1.0 / (1.0 / radius[0] + 1.0 / radius[1]);
    check_close(force(world, glass, steel), 2.0 * 90e9 * R * overlap, 1e-9, 0.0);
    check(cairn_pair_set_law(world, any, any, "hooke", &error));
    set(world, any, any, "normal_stiffness", 1e6);
    check_close(force(world, glass, steel), 1e6 * overlap, 1e-9, 0.0);
    cairn_world_destroy(world);
}

static void test_mistakes(void **state)
{
    (void)state;
    cairn_world *world = world_of();
    cairn_material_id glass = material(world, "glass", 60e9, 0.22);
    assert_int_not_equal(cairn_material_set_value(world, glass, "young_modulus", 0.0, &error),
                         CAIRN_OK);
    assert_int_not_equal(cairn_material_set_value(world, glass, "poisson_ratio", 0.6, &error),
                         CAIRN_OK);
    assert_int_not_equal(cairn_material_set_value(world, glass, "poisson_ratio", NAN, &error),
                         CAIRN_OK);
    assert_int_equal(cairn_material_set_value(world, glass, "yung_modulus", 1.0, &error),
                     CAIRN_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.message, "young_modulus"));
    assert_int_equal(cairn_material_set_value(world, any, "young_modulus", 1.0, &error),
                     CAIRN_ERROR_STALE_ID);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_other_laws),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
