// SPDX-License-Identifier: Apache-2.0
// Mechanisms against the positions of geometry, prescribed motions, and joints beside contacts.
#include "tests/physics/joint_world.h"

#include <stdio.h>
#include <unistd.h>

static const cairn_body_id no_body = {0};
static const double inertia[3] = {1e-3, 2e-3, 3e-3};

/// A bar of mass 1 from one point of the plane y = 0 to another; its attitude is the world's.
static cairn_body_id bar(cairn_world *world, const double from[2], const double to[2])
{
    return add_mass(world, 1.0, inertia, 0.5 * (from[0] + to[0]), 0.0, 0.5 * (from[1] + to[1]));
}

/// World position of what was at (x, z) when the body stood at the start pose.
static void moved_point(const cairn_world *world, cairn_body_id body, const double start[2],
                        double x, double z, double out[2])
{
    cairn_body_view view = look_at(world, body);
    // turned about y alone
    double angle = 2.0 * atan2(view.orientation[2], view.orientation[0]);
    double dx = x - start[0], dz = z - start[1];
    out[0] = view.centre[0] + cos(angle) * dx + sin(angle) * dz;
    out[1] = view.centre[2] - sin(angle) * dx + cos(angle) * dz;
}

// ---------------------------------------------------------------- four-bar

enum { GROUND, CRANK, COUPLER, ROCKER };
static const double lengths[] = {1.0, 0.3, 0.8, 0.7};

/// Where coupler and rocker meet for a crank end a; the branch above the diagonal.
static void knee(const double a[2], double out[2])
{
    double dx = lengths[GROUND] - a[0], dz = -a[1], d = hypot(dx, dz);
    double along = (pow(lengths[COUPLER], 2) - pow(lengths[ROCKER], 2) + d * d) / (2.0 * d);
    double across = sqrt(pow(lengths[COUPLER], 2) - along * along);
    out[0] = a[0] + (along * dx - across * dz) / d;
    out[1] = a[1] + (along * dz + across * dx) / d;
}

typedef struct four_bar {
    cairn_world *world;
    cairn_body_id coupler, rocker;
    double coupler_start[2], knee_start[2], pin_start[2];
    cairn_joint_id drive;
} four_bar;

static four_bar make_four_bar(double h, double speed)
{
    four_bar f = {.world = joint_world(h, 9.81)};
    const double origin[2] = {0.0, 0.0}, pivot[2] = {lengths[GROUND], 0.0};
    f.pin_start[1] = lengths[CRANK];
    knee(f.pin_start, f.knee_start);
    cairn_body_id crank = bar(f.world, origin, f.pin_start);
    f.coupler = bar(f.world, f.pin_start, f.knee_start);
    f.rocker = bar(f.world, f.knee_start, pivot);
    for (int k = 0; k < 2; k++)
        f.coupler_start[k] = 0.5 * (f.pin_start[k] + f.knee_start[k]);
    cairn_joint_def def = joint_def(CAIRN_JOINT_HINGE, no_body, crank, 0.0, 0.0, 0.0);
    set_axis(def.axis, 0.0, 1.0, 0.0);
    def.motor = true;
    def.motor_velocity = speed;
    f.drive = make_joint(f.world, &def);
    hinge_y(f.world, crank, f.coupler, f.pin_start[0], 0.0, f.pin_start[1]);
    hinge_y(f.world, f.coupler, f.rocker, f.knee_start[0], 0.0, f.knee_start[1]);
    hinge_y(f.world, no_body, f.rocker, pivot[0], 0.0, pivot[1]);
    return f;
}

static void check_four_bar(const four_bar *f)
{
    double turn = look_at_joint(f->world, f->drive).coordinate;
    const double a[2] = {lengths[CRANK] * sin(turn), lengths[CRANK] * cos(turn)};
    double expected[2], found[2];
    knee(a, expected);
    moved_point(f->world, f->coupler, f->coupler_start, f->knee_start[0], f->knee_start[1], found);
    for (int k = 0; k < 2; k++)
        check_close(found[k], expected[k], 0.0, 1e-12);
    moved_point(f->world, f->coupler, f->coupler_start, f->pin_start[0], f->pin_start[1], found);
    for (int k = 0; k < 2; k++)
        check_close(found[k], a[k], 0.0, 1e-12);
    check_close(look_at(f->world, f->coupler).centre[1], 0.0, 0.0, 1e-12);
}

static void a_four_bar_of_hinges_follows_its_closed_form(void **state)
{
    (void)state;
    // four hinges of five rows: three more rows than the loop can obey independently
    four_bar f = make_four_bar(1e-3, 2.0 * M_PI);
    double most = 0.0;
    for (int i = 0; i < 200; i++) {
        run_steps(f.world, 50);
        check_four_bar(&f);
        most = fmax(most, fabs(look_at_joint(f.world, f.drive).effort));
        check_at_most(worst_joint(f.world), 1e-13);
    }
    // the crank keeps the time of its motor, half a step late as it started from rest
    check_close(look_at_joint(f.world, f.drive).coordinate, 2.0 * M_PI * (10.0 - 5e-4), 0.0, 1e-10);
    check_at_most(most, 200.0);
    check_at_most(fabs(cairn_world_get_energy(f.world).residual), 1e-9);
    cairn_world_destroy(f.world);
}

static void redundant_rows_stay_quiet_over_1e5_steps(void **state)
{
    (void)state;
    four_bar f = make_four_bar(2e-3, 3.0);
    for (int i = 0; i < 100; i++) {
        run_steps(f.world, 1000);
        check_at_most(worst_joint(f.world), 1e-13);
        cairn_joint_view drive = look_at_joint(f.world, f.drive);
        for (int k = 0; k < 3; k++)
            check_at_most(fabs(drive.force[k]) + fabs(drive.torque[k]), 500.0);
    }
    check_four_bar(&f);
    cairn_world_destroy(f.world);
}

// ---------------------------------------------------------------- slider-crank

static void a_slider_crank_follows_its_closed_form(void **state)
{
    (void)state;
    const double r = 0.153, l = 0.306, speed = 20.0;
    const double origin[2] = {0.0, 0.0}, pin[2] = {0.0, r}, wrist[2] = {sqrt(l * l - r * r), 0.0};
    cairn_world *world = joint_world(5e-4, 9.81);
    cairn_body_id crank = bar(world, origin, pin), rod = bar(world, pin, wrist);
    cairn_body_id piston = add_mass(world, 0.5, inertia, wrist[0], 0.0, 0.0);
    cairn_joint_def drive = joint_def(CAIRN_JOINT_HINGE, no_body, crank, 0.0, 0.0, 0.0);
    set_axis(drive.axis, 0.0, 1.0, 0.0);
    drive.motor = true;
    drive.motor_velocity = speed;
    cairn_joint_id motor = make_joint(world, &drive);
    hinge_y(world, crank, rod, pin[0], 0.0, pin[1]);
    hinge_y(world, rod, piston, wrist[0], 0.0, wrist[1]);
    cairn_joint_def guide = joint_def(CAIRN_JOINT_SLIDER, no_body, piston, 0.2, 0.0, 0.0);
    set_axis(guide.axis, 1.0, 0.0, 0.0);
    cairn_joint_id way = make_joint(world, &guide);
    for (int i = 0; i < 300; i++) {
        run_steps(world, 20);
        double turn = look_at_joint(world, motor).coordinate;
        double x = r * sin(turn) + sqrt(l * l - pow(r * cos(turn), 2));
        check_close(look_at(world, piston).centre[0], x, 0.0, 1e-12);
        check_close(look_at_joint(world, way).coordinate, x - wrist[0], 0.0, 1e-12);
        check_at_most(worst_joint(world), 1e-13);
    }
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- prescribed motion

static cairn_status shake(void *context, double time, cairn_motion *motion, cairn_error *error)
{
    (void)error;
    double amplitude = *(const double *)context;
    motion->given = CAIRN_MOTION_POSITION | CAIRN_MOTION_ORIENTATION;
    motion->position[0] = amplitude * sin(7.0 * time);
    motion->position[2] = 1.0;
    motion->orientation[0] = cos(0.5 * time);
    motion->orientation[2] = sin(0.5 * time);
    return CAIRN_OK;
}

static cairn_status spin(void *context, double time, cairn_motion *motion, cairn_error *error)
{
    (void)context;
    (void)error;
    motion->given = CAIRN_MOTION_VELOCITY | CAIRN_MOTION_ANGULAR_VELOCITY;
    motion->velocity[1] = cos(time);
    motion->angular_velocity[2] = 3.0 * time * time;
    return CAIRN_OK;
}

static cairn_body_id moving_box(cairn_world *world)
{
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_MOVING;
    def.shape = box_shape(world, 0.2, 0.2, 0.1);
    return make_body(world, &def);
}

static void a_moving_body_is_where_its_functions_say(void **state)
{
    (void)state;
    cairn_error error = {0};
    double amplitude = 0.3;
    cairn_world *world = joint_world(1e-2, 9.81);
    cairn_body_id shaken = moving_box(world), spun = moving_box(world);
    require(cairn_body_set_motion(world, shaken, shake, &amplitude, &error), &error);
    require(cairn_body_set_motion(world, spun, spin, NULL, &error), &error);
    for (int i = 0; i < 300; i++) {
        run_steps(world, 1);
        double t = cairn_world_get_time(world);
        cairn_body_view view = look_at(world, shaken), other = look_at(world, spun);
        check_close(view.position[0], amplitude * sin(7.0 * t), 0.0, 1e-14);
        check_close(2.0 * atan2(view.orientation[2], view.orientation[0]), t, 1e-13, 0.0);
        check_close(other.position[1], sin(t), 0.0, 1e-5);
        double turned = 2.0 * atan2(other.orientation[3], other.orientation[0]);
        check_close(remainder(turned - t * t * t, 2.0 * M_PI), 0.0, 0.0, 1e-4);
    }
    cairn_world_destroy(world);
}

static void a_bob_on_a_shaken_pivot_is_the_driven_oscillator(void **state)
{
    (void)state;
    cairn_error error = {0};
    double amplitude = 1e-4, J = inertia[1], l = 0.5, t;
    cairn_world *world = joint_world(1e-3, 9.81);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_MOVING;
    def.shape = box_shape(world, 0.2, 0.2, 0.1);
    def.position[2] = 1.0;
    cairn_body_id pivot = make_body(world, &def);
    cairn_body_id bob = add_mass(world, 1.0, inertia, 0.0, 0.0, 1.0 - l);
    cairn_joint_def ball = joint_def(CAIRN_JOINT_BALL, pivot, bob, 0.0, 0.0, 1.0);
    make_joint(world, &ball);
    require(cairn_body_set_motion(world, pivot, shake, &amplitude, &error), &error);
    // (J + l^2) a'' + g l a = -l x'' for small angles a, at rest in space at the start
    double w2 = 9.81 * l / (J + l * l), force = 49.0 * amplitude * l / (J + l * l);
    double particular = force / (w2 - 49.0), w = sqrt(w2);
    double a0 = 0.0, b = 0.0;
    for (int i = 0; i < 2000; i++) {
        run_steps(world, 1);
        t = cairn_world_get_time(world);
        cairn_body_view view = look_at(world, bob);
        double angle = (view.centre[0] - amplitude * sin(7.0 * t)) / l;
        // the constants of the free part come from the first step
        if (i == 0) {
            double speed = (view.velocity[0] - 7.0 * amplitude * cos(7.0 * t)) / l;
            double s = angle - particular * sin(7.0 * t);
            double c = (speed - 7.0 * particular * cos(7.0 * t)) / w;
            a0 = s * cos(w * t) - c * sin(w * t);
            b = s * sin(w * t) + c * cos(w * t);
        }
        double expected = a0 * cos(w * t) + b * sin(w * t) + particular * sin(7.0 * t);
        check_close(angle, expected, 0.0, 1e-4 * fabs(particular));
        check_at_most(worst_joint(world), 1e-13);
    }
    // what the drivers gave is what the bob has
    check_at_most(fabs(cairn_world_get_energy(world).residual), 1e-9);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- joints and contacts

/// A chain of boxes on hinges and ball joints that falls on the ground.
static cairn_world *falling_chain(const char *solver, double tolerance, int links)
{
    cairn_error error = {0};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 2e-3;
    def.tolerance = tolerance;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.4, 0.0);
    require(cairn_world_set_solver(world, solver, &error), &error);
    add_ground(world);
    cairn_body_id last = no_body;
    for (int i = 0; i < links; i++) {
        double x = 0.2 * i, z = 0.2 + 0.05 * i;
        cairn_body_id next = add_body_at(world, box_shape(world, 0.2, 0.05, 0.05), x, 0.0, z);
        cairn_joint_def joint = joint_def(i % 2 == 1 ? CAIRN_JOINT_HINGE : CAIRN_JOINT_BALL, last,
                                          next, x - 0.1, 0.0, z - 0.025);
        set_axis(joint.axis, 0.0, 1.0, 0.0);
        if (i > 0)
            make_joint(world, &joint);
        last = next;
    }
    return world;
}

static void a_chain_comes_to_rest_on_the_ground_with_its_joints_shut(void **state)
{
    (void)state;
    // sweeps crawl along chains
    const char *const solvers[] = {"auto", "gauss_seidel"};
    const double tolerances[] = {1e-8, 1e-4};
    for (int s = 0; s < 2; s++) {
        cairn_world *world = falling_chain(solvers[s], tolerances[s], 6);
        double weight = 0.0, up = 0.0;
        for (int i = 0; i < 600; i++) {
            run_steps(world, 1);
            check_at_most(worst_joint(world), 1e-12);
            check_at_most(cairn_world_get_report(world)->error, tolerances[s]);
        }
        cairn_energy e = cairn_world_get_energy(world);
        check_at_most(e.kinetic, 1e-2 * tolerances[s]);
        check_at_most(fabs(e.residual), 1e-4 * e.impact);
        check_at_most(fabs(e.joints), 5e-3 * e.impact);
        for (int i = 1; i < cairn_body_count(world); i++)
            weight += 9.81 * look_at(world, cairn_body_at(world, i)).mass;
        for (int i = 0; i < cairn_contact_count(world); i++) {
            cairn_contact_view view;
            cairn_contact_get(world, i, &view);
            up += view.force[2];
        }
        check_close(up, weight, 1e2 * tolerances[s], 0.0);
        cairn_world_destroy(world);
    }
}

/// A beam hinged to the world and resting on a block: reactions by statics.
static void a_hinged_beam_shares_its_weight_with_a_support(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 2e-3;
    def.tolerance = 1e-10;
    cairn_world *world = make_world(&def);
    // without friction, which could take any share of the moment
    set_contact(world, 0.0, 0.0);
    cairn_body_def fixed = cairn_default_body_def();
    fixed.kind = CAIRN_FIXED;
    fixed.shape = sphere_shape(world, 0.1);
    fixed.position[0] = 0.8;
    make_body(world, &fixed);
    cairn_body_id beam = add_body_at(world, box_shape(world, 1.0, 0.1, 0.1), 0.5, 0.0, 0.15);
    cairn_joint_id hinge = hinge_y(world, no_body, beam, 0.0, 0.0, 0.15);
    run_steps(world, 200);
    double weight = 9.81 * look_at(world, beam).mass;
    cairn_joint_view view = look_at_joint(world, hinge);
    assert_int_equal(cairn_contact_count(world), 1);
    cairn_contact_view contact;
    cairn_contact_get(world, 0, &contact);
    check_close(contact.force[2], weight * 0.5 / 0.8, 1e-5, 0.0);
    check_close(view.force[2], weight * (1.0 - 0.5 / 0.8), 1e-5, 0.0);
    check_close(view.speed, 0.0, 0.0, 1e-10);
    cairn_world_destroy(world);
}

static void a_step_with_joints_is_written_in_both_mixed_forms(void **state)
{
    (void)state;
    cairn_error error = {0};
    cairn_world *world = falling_chain("auto", 1e-8, 6);
    run_steps(world, 130);
    assert_true(cairn_contact_count(world) > 0);
    for (int form = 0; form < 2; form++) {
        char path[64];
        snprintf(path, sizeof path, "mixed_%d_%ld.hdf5", form, (long)getpid());
        require(cairn_world_write_fclib(world, path, (cairn_fclib_form)form, "chain", "", &error),
                &error);
        cairn_problem *problem;
        require(cairn_problem_read(path, &problem, &error), &error);
        cairn_problem_view view;
        require(cairn_problem_get_info(problem, &view, &error), &error);
        // two ball joints and three hinges
        assert_int_equal(view.equalities, 2 * 3 + 3 * 5);
        assert_int_equal(view.contacts, cairn_contact_count(world));
        check_at_most(view.solution_error, 2e-8);
        cairn_solve_def def = cairn_default_solve_def();
        cairn_solve_report report;
        require(cairn_problem_solve(problem, &def, &report, &error), &error);
        assert_string_equal(report.stop, "solved");
        cairn_problem_destroy(problem);
        unlink(path);
    }
    cairn_world_destroy(world);
}

static void bodies_of_a_joint_touch_only_where_asked(void **state)
{
    (void)state;
    for (int collide = 0; collide < 2; collide++) {
        cairn_world *world = joint_world(2e-3, 9.81);
        cairn_body_id a = add_body_at(world, box_shape(world, 0.2, 0.2, 0.2), 0.0, 0.0, 0.0);
        cairn_body_id b = add_body_at(world, box_shape(world, 0.2, 0.2, 0.2), 0.1, 0.0, 0.199);
        cairn_joint_def def = joint_def(CAIRN_JOINT_BALL, a, b, 0.0, 0.0, 0.1);
        def.collide = collide;
        make_joint(world, &def);
        run_steps(world, 1);
        assert_int_equal(cairn_contact_count(world) > 0, collide);
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_four_bar_of_hinges_follows_its_closed_form),
        cmocka_unit_test(redundant_rows_stay_quiet_over_1e5_steps),
        cmocka_unit_test(a_slider_crank_follows_its_closed_form),
        cmocka_unit_test(a_moving_body_is_where_its_functions_say),
        cmocka_unit_test(a_bob_on_a_shaken_pivot_is_the_driven_oscillator),
        cmocka_unit_test(a_chain_comes_to_rest_on_the_ground_with_its_joints_shut),
        cmocka_unit_test(a_hinged_beam_shares_its_weight_with_a_support),
        cmocka_unit_test(a_step_with_joints_is_written_in_both_mixed_forms),
        cmocka_unit_test(bodies_of_a_joint_touch_only_where_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
