// SPDX-License-Identifier: Apache-2.0
// What a run is watched for: explosions are relative to what a scene has, jams and overlaps are
// told once.
#include "tests/check.h"
#include <cairn/cairn.h>

#include <math.h>
#include <string.h>

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static cairn_world *world_of(double step, const char *law, const char *key, double value)
{
    cairn_world_def def = cairn_default_world_def();
    const cairn_material_id any = {0};
    cairn_world *world;
    def.time_step = step;
    def.gravity[2] = 0.0;
    check(cairn_world_create(&def, &world, &error));
    check(cairn_pair_set_law(world, any, any, law, &error));
    check(cairn_pair_set_value(world, any, any, key, cairn_number(value), &error));
    return world;
}

static void add_ball(cairn_world *world, cairn_body_kind kind, double radius, double x, double y)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    shape.radius = radius;
    body.kind = kind;
    body.position[0] = x;
    body.position[1] = y;
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    check(cairn_body_create(world, &body, &id, &error));
}

/// Steps until the guard stops them.
static cairn_status watch(cairn_world *world, int steps)
{
    cairn_guard guard;
    cairn_status status = CAIRN_OK;
    cairn_guard_begin(&guard, world);
    for (int i = 0; i < steps && status == CAIRN_OK; i++) {
        check(cairn_world_step(world, &error));
        status = cairn_guard_step(&guard, world, i % 8 == 7, &error);
    }
    cairn_world_destroy(world);
    return status;
}

/// Balls at rest that hold each other, in all scales: what round-off moves is no explosion.
static void test_rest_is_no_explosion(void **state)
{
    (void)state;
    for (double size = 1e-6; size < 1e3; size *= 10.0)
        for (double step = 1e-5; step < 1e-1; step *= 10.0) {
            double pull = 0.3 * size * size * size * 1000.0;
            cairn_world *world = world_of(step, "signorini_coulomb", "cohesion", pull);
            add_ball(world, CAIRN_DYNAMIC, size, 0.0, 0.0);
            add_ball(world, CAIRN_DYNAMIC, size, 1.99999 * size, 0.0);
            add_ball(world, CAIRN_DYNAMIC, size, size, 1.7320508 * size);
            if (watch(world, 60) != CAIRN_OK)
                fail_msg("size %g m, step %g s: %s", size, step, error.message);
        }
}

/// A ball between two others that push it with springs far too stiff for the step.
static void test_explosions_are_found(void **state)
{
    (void)state;
    for (double size = 1e-6; size < 1e3; size *= 10.0)
        for (double step = 1e-6; step < 1e-1; step *= 10.0) {
            double mass = 4.0 / 3.0 * 3.14159265358979 * pow(1.001 * size, 3.0) * 1000.0;
            cairn_world *world =
                world_of(step, "hooke", "normal_stiffness", 1e4 * mass / (step * step));
            add_ball(world, CAIRN_FIXED, size, -2.0 * size, 0.0);
            add_ball(world, CAIRN_FIXED, size, 2.0 * size, 0.0);
            add_ball(world, CAIRN_DYNAMIC, 1.001 * size, 5e-4 * size, 0.0);
            if (watch(world, 200) != CAIRN_ERROR_NUMERICAL)
                fail_msg("size %g m, step %g s: no explosion was found", size, step);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_is_no_explosion),
        cmocka_unit_test(test_explosions_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
