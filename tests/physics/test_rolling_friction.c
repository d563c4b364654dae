// SPDX-License-Identifier: Apache-2.0
// Rolling and spinning friction of the implicit law against closed forms, and problem files of it.
#include "tests/physics/bench_world.h"

#include <stdlib.h>
#include <unistd.h>

static const double g = 9.81, radius = 0.1;

static void set_value(cairn_world *world, const char *name, double value)
{
    cairn_error error = {0};
    cairn_material_id none = {0};
    require(cairn_pair_set_value(world, none, none, name, cairn_number(value), &error), &error);
}

/// A body that touches the plane z = 0 at `height` below its centre, on a slope along x.
static cairn_world *on_slope(double slope, double rolling, double spinning, bool cylinder,
                             cairn_body_id *body)
{
    cairn_world_def def = cairn_default_world_def();
    def.gravity[0] = g * sin(slope);
    def.gravity[2] = -g * cos(slope);
    def.time_step = 2e-3;
    def.tolerance = 1e-10;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.8, 0.0);
    set_value(world, "rolling_friction", rolling);
    set_value(world, "spinning_friction", spinning);
    set_value(world, "flat_radius", radius);
    add_ground(world);
    if (!cylinder) {
        *body = add_body_at(world, sphere_shape(world, radius), 0.0, 0.0, radius);
        return world;
    }
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_CYLINDER);
    shape.radius = radius;
    shape.half_length = 0.15;
    cairn_body_def def_body = cairn_default_body_def();
    def_body.shape = make_shape(world, &shape);
    def_body.position[2] = radius;
    // its axis along y
    def_body.orientation[0] = def_body.orientation[1] = sqrt(0.5);
    def_body.orientation[2] = def_body.orientation[3] = 0.0;
    *body = make_body(world, &def_body);
    return world;
}

/// Moment of inertia about the axis it rolls on, over m r^2.
static double shape_factor(bool cylinder)
{
    return cylinder ? 0.5 : 0.4;
}

static void a_roller_below_the_threshold_stays(void **state)
{
    (void)state;
    for (int cylinder = 0; cylinder < 2; cylinder++) {
        cairn_body_id body;
        double slope = 0.15;
        cairn_world *world = on_slope(slope, tan(slope) * (1.0 + 1e-6), 0.0, cylinder == 1, &body);
        run_steps(world, 2000);
        check_at_most(fabs(look_at(world, body).position[0]), 1e-9);
        cairn_world_destroy(world);
    }
}

static void a_roller_above_the_threshold_rolls_at_the_exact_rate(void **state)
{
    (void)state;
    for (int cylinder = 0; cylinder < 2; cylinder++) {
        cairn_body_id body;
        double slope = 0.15, rolling = 0.9 * tan(slope);
        cairn_world *world = on_slope(slope, rolling, 0.0, cylinder == 1, &body);
        run_steps(world, 200);
        double t = cairn_world_get_time(world);
        double rate = g * (sin(slope) - rolling * cos(slope)) / (1.0 + shape_factor(cylinder == 1));
        cairn_body_view view = look_at(world, body);
        check_close(view.velocity[0], rate * t, 1e-8, 0.0);
        check_close(view.position[0], 0.5 * rate * t * t, 1e-8, 0.0);
        cairn_world_destroy(world);
    }
}

static void a_roller_stops_at_the_closed_form_distance(void **state)
{
    (void)state;
    for (int cylinder = 0; cylinder < 2; cylinder++) {
        cairn_body_id body;
        double rolling = 0.05, v0 = 0.5, h = 2e-3;
        cairn_world *world = on_slope(0.0, rolling, 0.0, cylinder == 1, &body);
        set_velocity(world, body, (double[]){v0, 0.0, 0.0}, (double[]){0.0, v0 / radius, 0.0});
        run_steps(world, 1500);
        cairn_body_view view = look_at(world, body);
        double rate = rolling * g / (1.0 + shape_factor(cylinder == 1));
        check_at_most(fabs(view.velocity[0]), 1e-12);
        // it stops within a step: the last one adds less than rate h^2
        check_at_most(fabs(view.position[0] - v0 * v0 / (2.0 * rate)), rate * h * h);
        cairn_world_destroy(world);
    }
}

static void a_top_stops_at_the_closed_form_time(void **state)
{
    (void)state;
    cairn_body_id body;
    double spinning = 0.05, turn = 5.0;
    cairn_world *world = on_slope(0.0, 0.0, spinning, false, &body);
    set_velocity(world, body, (double[]){0.0, 0.0, 0.0}, (double[]){0.0, 0.0, turn});
    double rate = spinning * radius * g / (0.4 * radius * radius), t = turn / rate;
    run_steps(world, (int)(t / 2e-3) - 1);
    double before = look_at(world, body).angular_velocity[2];
    check_close(before, turn - rate * cairn_world_get_time(world), 1e-9, 0.0);
    run_steps(world, 3);
    check_at_most(fabs(look_at(world, body).angular_velocity[2]), 1e-12);
    cairn_world_destroy(world);
}

/// What rolling friction takes is booked: kinetic energy goes into friction.
static void the_audit_books_the_moments(void **state)
{
    (void)state;
    cairn_body_id body;
    cairn_world *world = on_slope(0.0, 0.05, 0.02, false, &body);
    set_velocity(world, body, (double[]){0.5, 0.1, 0.0}, (double[]){1.0, 3.0, 4.0});
    cairn_energy start = cairn_world_get_energy(world);
    run_steps(world, 1500);
    cairn_energy end = cairn_world_get_energy(world);
    check_at_most(fabs(end.residual), 1e-12);
    check_at_most(end.kinetic, 1e-12);
    assert_true(end.friction - start.friction > 0.1);
    cairn_world_destroy(world);
}

static void check_heap_files(double spinning)
{
    cairn_world_def def = cairn_default_world_def();
    def.tolerance = 1e-8;
    def.time_step = 2e-3;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.5, 0.0);
    set_value(world, "rolling_friction", 0.1);
    set_value(world, "spinning_friction", spinning);
    add_ground(world);
    cairn_shape_id ball = sphere_shape(world, radius);
    for (int k = 0; k < 30; k++)
        add_body_at(world, ball, 0.21 * (k % 3) + 0.01 * (k / 9), 0.205 * (k / 3 % 3),
                    0.1 + 0.2 * (k / 9));
    run_steps(world, 100);
    for (int form = 0; form < 2; form++) {
        char path[] = "/tmp/cairn-rolling-XXXXXX";
        cairn_error error = {0};
        cairn_problem *problem;
        int descriptor = mkstemp(path);
        assert_true(descriptor >= 0);
        close(descriptor);
        require(cairn_world_write_fclib(world, path,
                                        form == 0 ? CAIRN_FCLIB_LOCAL : CAIRN_FCLIB_GLOBAL, "heap",
                                        "", &error),
                &error);
        require(cairn_problem_read(path, &problem, &error), &error);
        cairn_problem_view view;
        require(cairn_problem_get_info(problem, &view, &error), &error);
        assert_int_equal(view.dimension, spinning > 0.0 ? 6 : 5);
        const double *mu_s = cairn_problem_get_data(problem).spinning;
        for (int i = 0; spinning > 0.0 && i < view.contacts; i++)
            assert_true(mu_s[i] > 0.0 && mu_s[i] <= spinning * radius);
        assert_int_equal(view.contacts, cairn_contact_count(world));
        check_at_most(view.solution_error, 1e-7);
        cairn_solve_def solve = cairn_default_solve_def();
        cairn_solve_report report;
        require(cairn_problem_solve(problem, &solve, &report, &error), &error);
        assert_string_equal(report.stop, "solved");
        require(cairn_problem_write_solution(problem, path, &error), &error);
        cairn_problem_destroy(problem);
        require(cairn_problem_read(path, &problem, &error), &error);
        require(cairn_problem_get_info(problem, &view, &error), &error);
        check_close(view.solution_error, report.error, 0.1, 1e-13);
        cairn_problem_destroy(problem);
        unlink(path);
    }
    cairn_world_destroy(world);
}

static void a_heap_writes_problems_that_are_solved_again(void **state)
{
    (void)state;
    check_heap_files(0.0);
    check_heap_files(0.05);
}

/// A rod strikes the ground with one end, which would turn it back, and the moment of rolling
/// resistance keeps some of the turn: what the moment gives is the impact's, friction gets nothing.
static void a_moment_that_drives_is_booked_as_impact(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = 1e-3;
    def.tolerance = 1e-12;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.0, 0.0);
    set_value(world, "rolling_friction", 5.0);
    add_ground(world);
    const double arm = 0.5, thick = 0.02, tilt = 0.1, omega = 2.0;
    cairn_shape_def rod = cairn_default_shape_def(CAIRN_CAPSULE);
    rod.radius = thick;
    rod.half_length = arm;
    cairn_body_def body = cairn_default_body_def();
    body.shape = make_shape(world, &rod);
    body.position[2] = thick + arm * sin(tilt) + 1e-4;
    // from z to x, with the end at +x below
    body.orientation[0] = cos(0.5 * (0.5 * M_PI + tilt));
    body.orientation[2] = sin(0.5 * (0.5 * M_PI + tilt));
    cairn_body_id id = make_body(world, &body);
    set_velocity(world, id, (double[]){0.0, 0.0, -0.5 * arm * omega}, (double[]){0.0, omega, 0.0});
    double before = 0.5 * look_at(world, id).kinetic_energy, friction = 0.0;
    for (int i = 0; i < 20; i++) {
        run_steps(world, 1);
        cairn_energy e = cairn_world_get_energy(world);
        check_at_most(friction, e.friction);
        friction = e.friction;
    }
    cairn_energy e = cairn_world_get_energy(world);
    // an end without resistance turns the thin rod back with 0.125 omega: the moment was at work
    check_at_most(fabs(look_at(world, id).angular_velocity[1]), 0.1 * omega);
    check_at_most(before, e.impact);
    check_at_most(fabs(e.residual), 1e-9 * e.impact);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_roller_below_the_threshold_stays),
        cmocka_unit_test(a_roller_above_the_threshold_rolls_at_the_exact_rate),
        cmocka_unit_test(a_roller_stops_at_the_closed_form_distance),
        cmocka_unit_test(a_top_stops_at_the_closed_form_time),
        cmocka_unit_test(the_audit_books_the_moments),
        cmocka_unit_test(a_moment_that_drives_is_booked_as_impact),
        cmocka_unit_test(a_heap_writes_problems_that_are_solved_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
