// SPDX-License-Identifier: Apache-2.0
// Energy of many impacts at once: a gas with e = 1 keeps it, nothing ever gains any, and what is
// symmetric stays so.
#include "tests/physics/bench_world.h"

#include "base/rng.h"

/// A box of walls with `side`^3 bodies that fly about, friction 0.
static cairn_world *make_gas(double step, double tolerance, double restitution, bool boxes)
{
    enum { SIDE = 4 };
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = step;
    def.tolerance = tolerance;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.0, restitution);
    const double half = 0.15 * SIDE;
    for (int k = 0; k < 6; k++) {
        double size[3], at[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 3; i++)
            size[i] = i == k / 2 ? 0.2 : 4.0;
        at[k / 2] = (k % 2 == 0 ? 1.0 : -1.0) * (half + 0.1);
        cairn_body_def wall = cairn_default_body_def();
        wall.kind = CAIRN_FIXED;
        wall.shape = box_shape(world, size[0], size[1], size[2]);
        for (int i = 0; i < 3; i++)
            wall.position[i] = at[i];
        make_body(world, &wall);
    }
    cairn_shape_id shape = boxes ? box_shape(world, 0.15, 0.18, 0.12) : sphere_shape(world, 0.1);
    base_rng rng = base_rng_make(7);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        double v[3], w[3], at[3];
        const int cell[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int k = 0; k < 3; k++) {
            at[k] = 0.3 * cell[k] + 0.15 - half;
            v[k] = base_rng_range(&rng, -2.0, 2.0);
            w[k] = base_rng_range(&rng, -3.0, 3.0);
        }
        set_velocity(world, add_body_at(world, shape, at[0], at[1], at[2]), v, w);
    }
    return world;
}

/// Relative change of the kinetic energy within a second.
static double gas_drift(double step, double tolerance, bool boxes)
{
    cairn_world *world = make_gas(step, tolerance, 1.0, boxes);
    double start = cairn_world_get_energy(world).kinetic;
    int active = 0;
    for (int i = 0; i < (int)(0.5 / step + 0.5); i++) {
        run_steps(world, 1);
        active += cairn_world_get_report(world)->active;
    }
    assert_true(active > 200);
    double end = cairn_world_get_energy(world).kinetic;
    cairn_world_destroy(world);
    return (end - start) / start;
}

static void a_gas_of_spheres_keeps_its_energy(void **state)
{
    (void)state;
    check_at_most(fabs(gas_drift(1e-3, 1e-12, false)), 1e-6);
}

/// Boxes turn: the scheme of rotation leaves an error of second order in the step.
static void a_gas_of_boxes_keeps_its_energy_to_second_order(void **state)
{
    (void)state;
    check_at_most(fabs(gas_drift(1e-3, 1e-9, true)), 3e-4);
    check_at_most(fabs(gas_drift(2.5e-4, 1e-9, true)), 2e-5);
}

/// No step of a frictionless system gives energy back, whatever collides at once.
static void impacts_never_give_energy(void **state)
{
    (void)state;
    const double restitution[] = {0.0, 0.5, 0.8, 1.0};
    for (int i = 0; i < 4; i++)
        for (int boxes = 0; boxes < 2; boxes++) {
            cairn_world *world = make_gas(2e-3, 1e-9, restitution[i], boxes == 1);
            double start = cairn_world_get_energy(world).kinetic, before = 0.0, worst = 0.0;
            for (int k = 0; k < 250; k++) {
                run_steps(world, 1);
                double lost = cairn_world_get_energy(world).impact;
                worst = fmax(worst, before - lost);
                before = lost;
            }
            check_at_most(worst, 1e-7 * start);
            cairn_world_destroy(world);
        }
}

/// Two balls meet a third one from both sides: without gravity, mirror images to the last digit.
static void symmetric_scenes_stay_symmetric(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = 2e-3;
    def.tolerance = 1e-12;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.3, 0.6);
    cairn_shape_id ball = sphere_shape(world, 0.1);
    cairn_body_id body[5];
    for (int i = 0; i < 5; i++) {
        double x = i - 2.0;
        body[i] = add_body_at(world, ball,
                              0.2 * x + (x > 0.0   ? 0.013
                                         : x < 0.0 ? -0.013
                                                   : 0.0),
                              0.0, 0.0);
        const double v[3] = {-0.7 * x, 0.0, 0.0}, w[3] = {0.0, 0.0, 0.0};
        set_velocity(world, body[i], v, w);
    }
    for (int i = 0; i < 300; i++) {
        run_steps(world, 1);
        for (int k = 0; k < 2; k++) {
            cairn_body_view left = look_at(world, body[k]), right = look_at(world, body[4 - k]);
            check_close(left.position[0], -right.position[0], 0.0, 1e-10);
            check_close(left.velocity[0], -right.velocity[0], 0.0, 1e-10);
        }
    }
    cairn_world_destroy(world);
}

// A ball that has just bounced off the floor is struck from above while it is still within reach of
// it. Its contact is open, and yet the blow must not drive it into the floor: among many grains
// that bounce against each other such blows are the rule
static void a_blow_does_not_drive_a_bouncing_ball_into_the_floor(void **state)
{
    (void)state;
    const double step = 1e-3, radius = 0.1, gap = 4e-4, above = 4e-3;
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = step;
    def.tolerance = 1e-12;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.0, 0.5);
    cairn_body_def floor = cairn_default_body_def();
    floor.kind = CAIRN_FIXED;
    floor.shape = box_shape(world, 4.0, 4.0, 0.2);
    floor.position[2] = -0.1;
    make_body(world, &floor);
    const double still[3] = {0.0, 0.0, 0.0};
    cairn_shape_id light = sphere_shape(world, radius), heavy = sphere_shape(world, 10.0 * radius);
    double z = gap + radius;
    cairn_body_id ball = add_body_at(world, light, 0.0, 0.0, z);
    cairn_body_id hammer = add_body_at(world, heavy, 0.0, 0.0, z + 11.0 * radius + above);
    set_velocity(world, ball, (double[]){0.0, 0.0, -1.0}, still);
    set_velocity(world, hammer, (double[]){0.0, 0.0, -3.0}, still);
    run_steps(world, 1);
    check_close(look_at(world, ball).velocity[2], 0.5, 1e-9, 0.0);
    run_steps(world, 1);
    // back by half of the speed with which it parted, and the hammer up from it
    check_close(look_at(world, ball).velocity[2], -0.25, 1e-9, 0.0);
    assert_true(look_at(world, hammer).velocity[2] > 0.0);
    for (int i = 0; i < 50; i++) {
        assert_true(look_at(world, ball).position[2] > radius - 0.5 * step);
        run_steps(world, 1);
    }
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gas_of_spheres_keeps_its_energy),
        cmocka_unit_test(a_gas_of_boxes_keeps_its_energy_to_second_order),
        cmocka_unit_test(impacts_never_give_energy),
        cmocka_unit_test(symmetric_scenes_stay_symmetric),
        cmocka_unit_test(a_blow_does_not_drive_a_bouncing_ball_into_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
