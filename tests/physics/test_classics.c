// SPDX-License-Identifier: Apache-2.0
// Classics with closed forms: the sleeping top's threshold, toppling at b/h, the rocking block, and
// two stacked spheres that are squeezed between walls.
#include "tests/physics/joint_world.h"
#include "tests/physics/verification.h"

static const cairn_body_id no_body = {0};

/// Largest tilt, rad, of a top on its tip that starts all but upright.
static double largest_tilt(double spin)
{
    const double inertia[3] = {0.001, 0.001, 0.002}, tilt = 1e-3;
    cairn_world *world = joint_world(5e-4, 9.81);
    cairn_body_id top = add_mass(world, 1.0, inertia, 0.0, 0.0, 0.1);
    cairn_joint_def tip = joint_def(CAIRN_JOINT_BALL, no_body, top, 0.0, 0.0, 0.0);
    make_joint(world, &tip);
    // about its tip the top turns a little besides
    set_velocity(world, top, (double[]){0.1 * tilt, 0.0, 0.0}, (double[]){0.0, tilt, spin});
    double most = 0.0;
    for (int i = 0; i < 8000; i++) {
        cairn_error error = {0};
        require(cairn_world_step(world, &error), &error);
        cairn_body_view view = look_at(world, top);
        most = fmax(most, acos(fmin(view.centre[2] / 0.1, 1.0)));
    }
    cairn_world_destroy(world);
    return most;
}

/// Stable above w3 = 2 sqrt(m g l I1) / I3 = 103.88 rad/s, I1 = 0.011 about the tip.
static void a_top_sleeps_above_its_threshold(void **state)
{
    (void)state;
    double threshold = 2.0 * sqrt(1.0 * 9.81 * 0.1 * 0.011) / 0.002;
    check_close(threshold, 103.8797, 1e-6, 0.0);
    check_at_most(largest_tilt(1.02 * threshold), 0.01);
    assert_true(largest_tilt(0.97 * threshold) > 0.1);
}

/// A box of half sizes b, h on a slope that does not let it slide.
static bool topples(double b, double h, double slope)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 2e-3;
    def.gravity[0] = 9.81 * sin(slope);
    def.gravity[2] = -9.81 * cos(slope);
    cairn_world *world = make_world(&def);
    set_contact(world, 1.5, 0.0);
    add_ground(world);
    cairn_body_id box = add_body_at(world, box_shape(world, 2.0 * b, 0.2, 2.0 * h), 0.0, 0.0, h);
    run_steps(world, 1500);
    bool over = look_at(world, box).position[2] < 0.9 * h;
    cairn_world_destroy(world);
    return over;
}

static void a_box_topples_at_its_ratio(void **state)
{
    (void)state;
    const double sizes[3][2] = {{0.1, 0.4}, {0.1, 0.2}, {0.1, 0.3}};
    for (int i = 0; i < 3; i++) {
        double limit = atan(sizes[i][0] / sizes[i][1]);
        assert_false(topples(sizes[i][0], sizes[i][1], 0.999 * limit));
        assert_true(topples(sizes[i][0], sizes[i][1], 1.001 * limit));
    }
}

/// Housner's block: time of the first fall back against the quarter period, and what the impact
/// leaves of the speed.
static void a_block_rocks_as_housners(void **state)
{
    (void)state;
    const double b = 0.1, h = 0.4, alpha = atan2(b, h), R = hypot(b, h), share = 0.3;
    const char *rows[] = {"housner_newton", "housner_poisson", "housner_sequential"};
    for (int m = 0; m < 3; m++) {
        cairn_world_def def = cairn_default_world_def();
        def.time_step = 2e-4;
        def.impact = (cairn_impact)m;
        cairn_world *world = make_world(&def);
        set_contact(world, 2.0, 0.0);
        add_ground(world);
        double tilt = share * alpha;
        cairn_body_def body = cairn_default_body_def();
        body.shape = box_shape(world, 2.0 * b, 0.2, 2.0 * h);
        // on the edge at the origin, tilted towards positive x about y
        body.orientation[0] = cos(0.5 * tilt);
        body.orientation[2] = sin(0.5 * tilt);
        body.position[0] = -R * sin(alpha - tilt);
        body.position[2] = R * cos(alpha - tilt);
        cairn_body_id block = make_body(world, &body);
        double time = 0.0, before = 0.0, after = 0.0;
        for (int i = 0; i < 5000 && after == 0.0; i++) {
            cairn_error error = {0};
            require(cairn_world_step(world, &error), &error);
            double turn = look_at(world, block).angular_velocity[1];
            // the impact is the only sudden loss of speed
            if (fabs(turn) < 0.99 * fabs(before) && fabs(before) > 0.1) {
                time = cairn_world_get_time(world);
                run_steps(world, 4);
                after = look_at(world, block).angular_velocity[1];
            } else {
                before = turn;
            }
        }
        double p = sqrt(0.75 * 9.81 / R);
        // the exact equation of motion: the series of small angles is 1 % off at this slenderness
        double angle = tilt, speed = 0.0, t = 0.0;
        for (; angle > 0.0; t += 1e-6) {
            speed -= 1e-6 * p * p * sin(alpha - angle);
            angle += 1e-6 * speed;
        }
        check_close(time, t, 5e-3, 0.0);
        check_close(before, speed, 5e-3, 0.0);
        double ratio = after / before;
        double expected = 1.0 - 1.5 * sin(alpha) * sin(alpha);
        check_close(ratio, expected, 0.02, 0.0);
        verify(rows[m], fabs(ratio / expected - 1.0));
        cairn_world_destroy(world);
    }
}

/// MFIX-DEM-03: two spheres on each other between a floor and a lid that squeezes them, linear
/// springs without damping, against the two equations of motion.
static void squeezed_spheres_swing_as_springs(void **state)
{
    (void)state;
    const double r = 0.05, k = 1e5, lid = 3.6 * r, step = 1e-5;
    cairn_world_def def = cairn_default_world_def();
    def.time_step = step;
    cairn_world *world = make_world(&def);
    const cairn_material_id none = {0};
    cairn_error error = {0};
    require(cairn_pair_set_law(world, none, none, "hooke", &error), &error);
    require(cairn_pair_set_value(world, none, none, "normal_stiffness", cairn_number(k), &error),
            &error);
    set_contact(world, 0.0, 1.0);
    add_ground(world);
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def top = cairn_default_body_def();
    top.kind = CAIRN_FIXED;
    top.shape = make_shape(world, &plane);
    top.position[2] = lid;
    top.orientation[0] = 0.0;
    top.orientation[1] = 1.0;
    make_body(world, &top);
    double y[2] = {0.9 * r, 2.7 * r}, v[2] = {0.0, 0.0};
    cairn_shape_id ball = sphere_shape(world, r);
    cairn_body_id body[2];
    for (int i = 0; i < 2; i++)
        body[i] = add_body_at(world, ball, 0.0, 0.0, y[i] + (i == 0 ? 0.02 * r : 0.0));
    y[0] += 0.02 * r;
    double m = look_at(world, body[0]).mass, worst = 0.0;
    enum { PARTS = 10 };
    for (int i = 0; i < 20000; i++) {
        require(cairn_world_step(world, &error), &error);
        // Verlet with a tenth of the step
        for (int part = 0; part < PARTS; part++) {
            double h = step / PARTS;
            for (int n = 0; n < 2; n++)
                y[n] += 0.5 * h * v[n];
            double low = k * fmax(r - y[0], 0.0), middle = k * fmax(2.0 * r - (y[1] - y[0]), 0.0),
                   high = k * fmax(r - (lid - y[1]), 0.0);
            v[0] += h * ((low - middle) / m - 9.81);
            v[1] += h * ((middle - high) / m - 9.81);
            for (int n = 0; n < 2; n++)
                y[n] += 0.5 * h * v[n];
        }
        for (int n = 0; n < 2; n++)
            worst = fmax(worst, fabs(look_at(world, body[n]).position[2] - y[n]));
    }
    check_at_most(worst, 1e-3 * 0.1 * r);
    verify("squeezed_spheres", worst / (0.1 * r));
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_top_sleeps_above_its_threshold),
        cmocka_unit_test(a_box_topples_at_its_ratio),
        cmocka_unit_test(a_block_rocks_as_housners),
        cmocka_unit_test(squeezed_spheres_swing_as_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
