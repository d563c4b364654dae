// SPDX-License-Identifier: Apache-2.0
// Motors, dry friction and ranges of joints against contacts: forces by statics, for many solvers.
#include "tests/physics/joint_world.h"

#include <string.h>

static const cairn_body_id no_body = {0};

/// Solvers of every family that solve the law itself.
static const char *const solvers[] = {"auto",
                                      "gauss_seidel",
                                      "nipm",
                                      "paln",
                                      "block_jacobi",
                                      "apgd",
                                      "vi_fixed_point",
                                      "newton_alart_curnier",
                                      "newton_fischer_burmeister",
                                      "tresca_fixed_point",
                                      "proximal_point",
                                      "admm"};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

static cairn_world *drive_world(const char *solver, double tolerance, double h, double gravity)
{
    cairn_error error = {0};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = h;
    def.tolerance = tolerance;
    def.gravity[0] = def.gravity[1] = 0.0;
    def.gravity[2] = -gravity;
    cairn_world *world = make_world(&def);
    require(cairn_world_set_solver(world, solver, &error), &error);
    return world;
}

/// Every step solved.
static void run_solved(cairn_world *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        run_steps(world, 1);
        assert_string_not_equal(cairn_world_get_report(world)->stop, "failed");
        check_at_most(cairn_world_get_report(world)->error, 1e-4);
    }
}

static cairn_body_id ball(cairn_world *world, cairn_body_kind kind, double radius, double mass,
                          double x, double z)
{
    cairn_body_def def = cairn_default_body_def();
    def.kind = kind;
    def.shape = sphere_shape(world, radius);
    def.mass = kind == CAIRN_DYNAMIC ? mass : 0.0;
    def.position[0] = x;
    def.position[2] = z;
    return make_body(world, &def);
}

static double force_on(const cairn_world *world, cairn_body_id body, int axis)
{
    double force[3], torque[3];
    assert_int_equal(cairn_body_get_contact_force(world, body, force, torque), CAIRN_OK);
    return force[axis];
}

static cairn_joint_def slider_x(cairn_body_id a, cairn_body_id b, double x, double z)
{
    cairn_joint_def def = joint_def(CAIRN_JOINT_SLIDER, a, b, x, 0.0, z);
    set_axis(def.axis, 1.0, 0.0, 0.0);
    return def;
}

static cairn_joint_def motor_slider(cairn_body_id b, double x, double z, double velocity,
                                    double limit)
{
    cairn_joint_def def = slider_x(no_body, b, x, z);
    def.motor = true;
    def.motor_velocity = velocity;
    def.motor_limit = limit;
    return def;
}

// ---------------------------------------------------------------- one coordinate and one contact

static void check_stall(const char *solver, double tolerance, double limit, double bound)
{
    cairn_world *world = drive_world(solver, tolerance, 2e-3, 0.0);
    cairn_body_id wall = ball(world, CAIRN_FIXED, 0.02, 0.0, 0.05, 0.0);
    cairn_body_id rod = ball(world, CAIRN_DYNAMIC, 0.02, 0.03, 0.0, 0.0);
    cairn_joint_def def = motor_slider(rod, 0.0, 0.0, 0.1, limit);
    cairn_joint_id ram = make_joint(world, &def);
    run_solved(world, 100);
    check_close(look_at_joint(world, ram).effort, limit, bound, 0.0);
    check_close(force_on(world, wall, 0), limit, bound, 0.0);
    check_close(force_on(world, rod, 0), -limit, bound, 0.0);
    // where it came to rest the wall took the energy that the motor had given
    cairn_energy e = cairn_world_get_energy(world);
    check_close(e.kinetic, 0.0, 0.0, 1e-12);
    check_close(e.impact, e.drivers, 1e-6, 1e-9);
    check_at_most(fabs(e.residual), 1e-10);
    cairn_world_destroy(world);
}

static void a_stalled_motor_pushes_with_its_limit(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++)
        check_stall(solvers[i], 1e-11, 15.0, 1e-9);
    check_stall("auto", 1e-6, 15.0, 1e-9);
}

/// A limit far above what moves the rod must not be what errors are compared with.
static void limits_of_any_size_are_met(void **state)
{
    (void)state;
    static const double limits[] = {0.1, 1e3, 1e7};
    for (int i = 0; i < 3; i++)
        check_stall("auto", 1e-8, limits[i], 1e-7);
}

static void dry_friction_gives_way_at_its_limit_to_a_push(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        cairn_world *world = drive_world(solvers[i], 1e-11, 2e-3, 0.0);
        const double v[3] = {0.1, 0.0, 0.0}, none[3] = {0.0, 0.0, 0.0};
        cairn_body_id pusher = ball(world, CAIRN_MOVING, 0.02, 0.0, -0.05, 0.0);
        cairn_body_id rod = ball(world, CAIRN_DYNAMIC, 0.02, 0.03, 0.0, 0.0);
        set_velocity(world, pusher, v, none);
        cairn_joint_def def = slider_x(no_body, rod, 0.0, 0.0);
        def.friction = 15.0;
        cairn_joint_id guide = make_joint(world, &def);
        run_solved(world, 200);
        check_close(look_at_joint(world, guide).effort, -15.0, 1e-9, 0.0);
        check_close(force_on(world, rod, 0), 15.0, 1e-9, 0.0);
        check_close(look_at_joint(world, guide).coordinate, 0.03, 1e-7, 0.0);
        cairn_error error = {0};
        int jammed;
        require(cairn_world_find_jam(world, NULL, 0, &jammed, &error), &error);
        assert_int_equal(jammed, 0);
        cairn_energy e = cairn_world_get_energy(world);
        check_close(e.friction, 15.0 * 0.03, 1e-6, 0.0);
        check_at_most(fabs(e.residual), 1e-9);
        cairn_world_destroy(world);
    }
}

/// A push below the limit is borne: a weight on a rough upright slider.
static void dry_friction_holds_below_its_limit(void **state)
{
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        cairn_world *world = drive_world("auto", 1e-10, 1e-3, 10.0);
        cairn_body_id plate = add_body_at(world, box_shape(world, 0.2, 0.2, 0.02), 0.0, 0.0, 1.0);
        cairn_body_id load = ball(world, CAIRN_DYNAMIC, 0.05, 2.0, 0.0, 1.06);
        cairn_joint_def def = joint_def(CAIRN_JOINT_SLIDER, no_body, plate, 0.0, 0.0, 1.0);
        double weight = 10.0 * (look_at(world, plate).mass + 2.0);
        def.friction = weight * (slides ? 0.99 : 1.01);
        cairn_joint_id guide = make_joint(world, &def);
        run_solved(world, 400);
        double fallen = -look_at_joint(world, guide).coordinate;
        if (slides) {
            check_close(fallen, 0.5 * 0.1 * 0.16, 1e-2, 0.0);
            check_close(force_on(world, load, 2), 2.0 * 9.9, 1e-7, 0.0);
        } else {
            check_close(fallen, 0.0, 0.0, 1e-10);
            check_close(look_at_joint(world, guide).effort, weight, 1e-8, 0.0);
            check_close(force_on(world, load, 2), 20.0, 1e-7, 0.0);
        }
        cairn_world_destroy(world);
    }
}

// ---------------------------------------------------------------- several coordinates

/// A motor on one joint takes along what the friction of another one holds, from the first step on
/// and though nothing moves before it; a motor without limit makes that one slip.
static void dry_friction_holds_from_rest(void **state)
{
    (void)state;
    const double h = 0.01, mass[2] = {2.0, 1.0}, friction = 2.5;
    for (int limited = 0; limited < 2; limited++) {
        cairn_world *world = drive_world("auto", 1e-8, h, 0.0);
        cairn_body_id first = ball(world, CAIRN_DYNAMIC, 0.05, mass[0], 0.0, 0.0);
        cairn_body_id second = ball(world, CAIRN_DYNAMIC, 0.05, mass[1], 0.3, 0.0);
        cairn_joint_def drive = joint_def(CAIRN_JOINT_SLIDER, no_body, first, 0.0, 0.0, 0.0);
        set_axis(drive.axis, 1.0, 0.0, 0.0);
        drive.motor = true;
        drive.motor_velocity = 10.0;
        if (limited)
            drive.motor_limit = 6.0;
        make_joint(world, &drive);
        cairn_joint_def brake = joint_def(CAIRN_JOINT_SLIDER, first, second, 0.3, 0.0, 0.0);
        set_axis(brake.axis, 1.0, 0.0, 0.0);
        brake.friction = friction;
        make_joint(world, &brake);
        for (int step = 1; step <= 3; step++) {
            run_steps(world, 1);
            double t = step * h, together = 6.0 * t / (mass[0] + mass[1]);
            check_close(look_at(world, first).velocity[0], limited ? together : 10.0, 1e-9, 0.0);
            check_close(look_at(world, second).velocity[0],
                        limited ? together : friction * t / mass[1], 1e-9, 0.0);
        }
        cairn_world_destroy(world);
    }
}

/// The stronger finger pushes the weaker one back, which resists with its limit.
static void two_fingers_meet(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        cairn_world *world = drive_world(solvers[i], 1e-11, 2e-3, 0.0);
        cairn_body_id left = ball(world, CAIRN_DYNAMIC, 0.02, 0.1, -0.05, 0.0);
        cairn_body_id right = ball(world, CAIRN_DYNAMIC, 0.02, 0.2, 0.05, 0.0);
        cairn_joint_def weak = motor_slider(left, -0.05, 0.0, 0.1, 9.0);
        cairn_joint_def strong = motor_slider(right, 0.05, 0.0, -0.1, 12.0);
        cairn_joint_id a = make_joint(world, &weak), b = make_joint(world, &strong);
        run_solved(world, 400);
        check_close(look_at_joint(world, a).effort, 9.0, 1e-9, 0.0);
        check_close(look_at_joint(world, b).effort, -9.0, 1e-9, 0.0);
        check_close(force_on(world, left, 0), -9.0, 1e-9, 0.0);
        check_close(look_at_joint(world, a).speed, -0.1, 1e-7, 0.0);
        check_at_most(fabs(cairn_world_get_energy(world).residual), 1e-9);
        cairn_world_destroy(world);
    }
}

/// Shoulder at height 1, two links of length 0.8 that reach the ground at x = 1.2; the shoulder
/// pushes with its limit, the elbow keeps its angle; frictionless ground.
static void an_arm_presses_the_ground(void **state)
{
    (void)state;
    const double weight = 10.0, m = 0.5, tip_mass = 0.2, torque = 25.0, r = 0.03;
    for (int i = 0; i < SOLVERS; i++) {
        cairn_world *world = drive_world(solvers[i], 1e-11, 1e-3, weight);
        set_contact(world, 0.0, 0.0);
        add_ground(world);
        const double inertia[3] = {1e-2, 2e-2, 2e-2};
        const double shoulder[2] = {0.0, 1.0}, elbow[2] = {0.6, 0.9}, tip[2] = {1.2, r};
        cairn_body_id upper = add_mass(world, m, inertia, 0.3, 0.0, 0.95);
        cairn_body_id lower = add_mass(world, m, inertia, 0.9, 0.0, 0.5 * (0.9 + r));
        cairn_body_id hand = ball(world, CAIRN_DYNAMIC, r, tip_mass, tip[0], tip[1]);
        cairn_joint_def fixed = joint_def(CAIRN_JOINT_FIXED, lower, hand, tip[0], 0.0, tip[1]);
        make_joint(world, &fixed);
        cairn_joint_def drive =
            joint_def(CAIRN_JOINT_HINGE, no_body, upper, shoulder[0], 0.0, shoulder[1]);
        set_axis(drive.axis, 0.0, 1.0, 0.0);
        drive.motor = true;
        drive.motor_velocity = 0.5;
        drive.motor_limit = torque;
        cairn_joint_id s = make_joint(world, &drive);
        cairn_joint_def bend = joint_def(CAIRN_JOINT_HINGE, upper, lower, elbow[0], 0.0, elbow[1]);
        set_axis(bend.axis, 0.0, 1.0, 0.0);
        bend.motor = true;
        bend.motor_limit = 500.0;
        cairn_joint_id e = make_joint(world, &bend);
        run_solved(world, 300);
        // about the shoulder, turning down positive: the motor and the weights against the ground
        double moment = m * weight * (0.3 + 0.9) + tip_mass * weight * tip[0];
        double push = (torque + moment) / tip[0];
        check_close(look_at_joint(world, s).effort, torque, 1e-9, 0.0);
        check_close(force_on(world, hand, 2), push, 1e-8, 0.0);
        double about_elbow = push * (tip[0] - elbow[0]) - m * weight * (0.9 - elbow[0]) -
                             tip_mass * weight * (tip[0] - elbow[0]);
        check_close(look_at_joint(world, e).effort, about_elbow, 1e-8, 0.0);
        check_at_most(fabs(look_at_joint(world, s).coordinate), 1e-6);
        check_at_most(fabs(cairn_world_get_energy(world).residual), 1e-8);
        cairn_world_destroy(world);
    }
}

/// A motor turns a chain of three links until the stop of the last hinge carries its torque.
static void a_driven_chain_runs_into_a_stop(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        cairn_world *world = drive_world(solvers[i], 1e-11, 1e-3, 0.0);
        const double inertia[3] = {0.01, 0.02, 0.02};
        cairn_body_id wall = ball(world, CAIRN_FIXED, 0.1, 0.0, 0.25, -0.2);
        cairn_body_id first = add_mass(world, 1.0, inertia, 0.5, 0.0, 0.0);
        cairn_body_id second = ball(world, CAIRN_DYNAMIC, 0.05, 1.0, 1.0, 0.0);
        cairn_joint_def drive = joint_def(CAIRN_JOINT_HINGE, no_body, first, 0.0, 0.0, 0.0);
        set_axis(drive.axis, 0.0, 1.0, 0.0);
        drive.motor = true;
        drive.motor_velocity = 2.0;
        drive.motor_limit = 3.0;
        drive.range[1] = 0.6;
        cairn_joint_id motor = make_joint(world, &drive);
        cairn_joint_def hinge = joint_def(CAIRN_JOINT_HINGE, first, second, 0.9, 0.0, 0.0);
        set_axis(hinge.axis, 0.0, 1.0, 0.0);
        hinge.range[0] = -0.1;
        hinge.range[1] = 0.1;
        hinge.friction = 0.01;
        make_joint(world, &hinge);
        (void)wall;
        run_solved(world, 3000);
        cairn_joint_view view = look_at_joint(world, motor);
        check_close(view.coordinate, 0.6, 0.0, 1e-8);
        check_close(view.speed, 0.0, 0.0, 1e-7);
        // motor and stop cancel
        check_close(view.effort, 0.0, 0.0, 1e-6);
        check_at_most(fabs(cairn_world_get_energy(world).residual), 1e-8);
        cairn_world_destroy(world);
    }
}

/// A sprung lid that a ball falls on: the stop of its hinge carries what spring and friction leave.
static void a_stop_carries_a_load(void **state)
{
    (void)state;
    cairn_world *world = drive_world("auto", 1e-10, 1e-3, 10.0);
    set_contact(world, 0.5, 0.0);
    cairn_body_id lid = add_body_at(world, box_shape(world, 0.4, 0.2, 0.02), 0.2, 0.0, 0.5);
    cairn_body_id load = add_body_at(world, box_shape(world, 0.1, 0.1, 0.1), 0.3, 0.0, 0.56);
    cairn_joint_def def = joint_def(CAIRN_JOINT_HINGE, no_body, lid, 0.0, 0.0, 0.5);
    set_axis(def.axis, 0.0, 1.0, 0.0);
    def.range[0] = -0.2;
    def.range[1] = 0.0;
    cairn_joint_id hinge = make_joint(world, &def);
    run_solved(world, 500);
    double moment = 10.0 * (look_at(world, lid).mass * 0.2 + look_at(world, load).mass * 0.3);
    check_close(look_at_joint(world, hinge).effort, -moment, 1e-7, 0.0);
    check_close(look_at_joint(world, hinge).coordinate, 0.0, 0.0, 1e-8);
    cairn_world_destroy(world);
}

/// Friction, a motor that is too weak for it, and a body against it: what moves is what is pushed.
static void friction_and_motor_share_a_coordinate(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVERS; i++) {
        cairn_world *world = drive_world(solvers[i], 1e-11, 2e-3, 0.0);
        cairn_body_id wall = ball(world, CAIRN_FIXED, 0.02, 0.0, 0.05, 0.0);
        cairn_body_id rod = ball(world, CAIRN_DYNAMIC, 0.02, 0.05, 0.0, 0.0);
        cairn_joint_def def = motor_slider(rod, 0.0, 0.0, 0.1, 15.0);
        def.friction = 4.0;
        cairn_joint_id ram = make_joint(world, &def);
        run_solved(world, 20);
        // on its way: the motor overcomes friction
        check_close(look_at_joint(world, ram).speed, 0.1, 1e-6, 0.0);
        run_solved(world, 200);
        // at the wall friction may bear any part of the motor's push
        double push = force_on(world, wall, 0);
        assert_true(push >= 11.0 * (1.0 - 1e-9) && push <= 19.0 * (1.0 + 1e-9));
        check_close(look_at_joint(world, ram).effort, push, 1e-8, 0.0);
        cairn_world_destroy(world);
    }
}

// ---------------------------------------------------------------- motor laws

static cairn_joint_def servo(cairn_body_id b, double stiffness, double damping, double position)
{
    cairn_joint_def def = slider_x(no_body, b, 0.0, 0.0);
    def.motor = true;
    def.motor_law = CAIRN_MOTOR_POSITION;
    def.motor_stiffness = stiffness;
    def.motor_damping = damping;
    def.motor_position = position;
    return def;
}

/// m x'' = k (s - x) - d x' from rest, where the step is short.
static void a_motor_with_a_position_is_a_damped_spring(void **state)
{
    (void)state;
    const double m = 0.5, k = 80.0, d = 4.0, target = 0.2;
    double rate = d / (2.0 * m), w = sqrt(k / m - rate * rate), error[2];
    for (int fine = 0; fine < 2; fine++) {
        double h = fine ? 5e-5 : 1e-4;
        cairn_world *world = drive_world("auto", 1e-10, h, 0.0);
        cairn_body_id mass = ball(world, CAIRN_DYNAMIC, 0.02, m, 0.0, 0.0);
        cairn_joint_def def = servo(mass, k, d, target);
        cairn_joint_id joint = make_joint(world, &def);
        error[fine] = 0.0;
        for (int i = 0; i < 20; i++) {
            run_steps(world, (int)lround(0.05 / h));
            double t = cairn_world_get_time(world);
            double x = target * (1.0 - exp(-rate * t) * (cos(w * t) + rate / w * sin(w * t)));
            double off = look_at_joint(world, joint).coordinate - x;
            error[fine] = fmax(error[fine], fabs(off));
        }
        cairn_world_destroy(world);
    }
    check_at_most(error[1], 1e-3 * target);
    // it looks ahead: first order, and always stable
    check_close(error[0] / error[1], 2.0, 0.1, 0.0);
}

static void a_motor_with_a_position_is_stable_at_any_gain(void **state)
{
    (void)state;
    static const double gains[] = {1e3, 1e7, 1e12, 1e18};
    for (int i = 0; i < 4; i++)
        for (int touching = 0; touching < 2; touching++) {
            cairn_world *world = drive_world("auto", 1e-9, 5e-3, 0.0);
            cairn_body_id mass = ball(world, CAIRN_DYNAMIC, 0.02, 0.5, 0.0, 0.0);
            // something to touch brings the joint into the problem of the contacts
            cairn_body_id other = ball(world, CAIRN_DYNAMIC, 0.02, 0.1, 0.0, touching ? 0.04 : 1.0);
            cairn_joint_def def = servo(mass, gains[i], 0.1 * gains[i], 0.2);
            cairn_joint_id joint = make_joint(world, &def);
            (void)other;
            double before = 0.0;
            for (int step = 0; step < 400; step++) {
                run_steps(world, 1);
                double x = look_at_joint(world, joint).coordinate;
                // no overshoot of a motor so strongly damped
                assert_true(x >= before - 1e-9 && x <= 0.2 + 1e-9);
                before = x;
            }
            check_close(before, 0.2, 1e-6, 0.0);
            cairn_world_destroy(world);
        }
}

/// Without any damping of its own, too: it arrives and stays, and does not buzz.
static void a_stiff_motor_is_quiet_on_its_target(void **state)
{
    (void)state;
    static const double gains[] = {1e8, 1e12, 1e16};
    for (int i = 0; i < 3; i++) {
        cairn_world *world = drive_world("auto", 1e-9, 2e-3, 0.0);
        cairn_body_id mass = ball(world, CAIRN_DYNAMIC, 0.02, 0.5, 0.0, 0.0);
        cairn_joint_def def = servo(mass, gains[i], 0.0, 0.2);
        cairn_joint_id joint = make_joint(world, &def);
        run_steps(world, 50);
        check_close(look_at_joint(world, joint).coordinate, 0.2, 1e-9, 0.0);
        check_close(look_at_joint(world, joint).speed, 0.0, 0.0, 1e-6);
        cairn_world_destroy(world);
    }
}

static void a_motor_with_a_position_bears_by_its_stiffness_up_to_its_limit(void **state)
{
    (void)state;
    const double k = 400.0, m = 2.0, g = 10.0;
    for (int weak = 0; weak < 2; weak++) {
        cairn_world *world = drive_world("auto", 1e-10, 1e-3, g);
        cairn_body_id mass = ball(world, CAIRN_DYNAMIC, 0.02, m, 0.0, 0.0);
        cairn_joint_def def = servo(mass, k, 60.0, 0.0);
        set_axis(def.axis, 0.0, 0.0, 1.0);
        def.motor_limit = weak ? 15.0 : 25.0;
        cairn_joint_id lift = make_joint(world, &def);
        run_solved(world, 4000);
        cairn_joint_view view = look_at_joint(world, lift);
        check_close(view.effort, weak ? 15.0 : m * g, 1e-9, 0.0);
        if (weak)
            check_close(view.speed, -(g - 7.5) * 4.0, 3e-2, 0.0);
        else
            check_close(view.coordinate, -m * g / k, 1e-7, 0.0);
        check_at_most(fabs(cairn_world_get_energy(world).residual), 1e-9);
        cairn_world_destroy(world);
    }
}

static cairn_status wave(void *context, double time, double *value, cairn_error *error)
{
    (void)error;
    const double *rate = context;
    *value = 0.1 * sin(*rate * time);
    return CAIRN_OK;
}

static void a_motor_follows_a_function_of_time(void **state)
{
    (void)state;
    double rate = 3.0;
    cairn_error error = {0};
    for (int law = 0; law < 2; law++) {
        cairn_world *world = drive_world("auto", 1e-10, 1e-3, 0.0);
        cairn_body_id mass = ball(world, CAIRN_DYNAMIC, 0.02, 0.5, 0.0, 0.0);
        cairn_joint_def def = law == CAIRN_MOTOR_POSITION
                                  ? servo(mass, 1e9, 1e6, 0.0)
                                  : motor_slider(mass, 0.0, 0.0, 0.0, INFINITY);
        cairn_joint_id joint = make_joint(world, &def);
        require(cairn_joint_set_motor_function(world, joint, wave, &rate, &error), &error);
        for (int i = 0; i < 1000; i++) {
            run_steps(world, 1);
            double t = cairn_world_get_time(world);
            // from rest it first has to catch up
            if (i < 20)
                continue;
            if (law == CAIRN_MOTOR_POSITION)
                check_close(look_at_joint(world, joint).coordinate, 0.1 * sin(rate * t), 0.0, 1e-6);
            else
                check_close(look_at_joint(world, joint).coordinate,
                            0.1 / rate * (1.0 - cos(rate * t)), 0.0, 3e-4);
        }
        cairn_world_destroy(world);
    }
}

static void motor_laws_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    cairn_world *world = drive_world("auto", 1e-6, 1e-3, 0.0);
    cairn_body_id mass = ball(world, CAIRN_DYNAMIC, 0.02, 0.5, 0.0, 0.0);
    static const struct {
        cairn_motor_law law;
        double stiffness, damping, position;
        const char *says;
    } cases[] = {
        {CAIRN_MOTOR_POSITION, 0.0, 0.0, 1.0, "stiffness or a damping"},
        {CAIRN_MOTOR_POSITION, -1.0, 0.0, 1.0, "motor.stiffness = -1"},
        {CAIRN_MOTOR_POSITION, 1.0, NAN, 1.0, "motor.damping"},
        {CAIRN_MOTOR_POSITION, 1.0, 0.0, INFINITY, "finite"},
        {CAIRN_MOTOR_VELOCITY, 1.0, 0.0, 0.0, "belong to the law position"},
        {(cairn_motor_law)7, 0.0, 0.0, 0.0, "no motor law 7"},
    };
    for (int i = 0; i < 6; i++) {
        cairn_joint_def def = servo(mass, cases[i].stiffness, cases[i].damping, cases[i].position);
        def.motor_law = cases[i].law;
        cairn_joint_id joint;
        cairn_error error = {0};
        assert_int_equal(cairn_joint_create(world, &def, &joint, &error), CAIRN_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, cases[i].says));
    }
    cairn_joint_def def = motor_slider(mass, 0.0, 0.0, 0.1, 1.0);
    cairn_joint_id joint = make_joint(world, &def);
    cairn_error error = {0};
    assert_int_equal(cairn_joint_set_motor_position(world, joint, 0.1, &error),
                     CAIRN_ERROR_ARGUMENT);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stalled_motor_pushes_with_its_limit),
        cmocka_unit_test(limits_of_any_size_are_met),
        cmocka_unit_test(dry_friction_gives_way_at_its_limit_to_a_push),
        cmocka_unit_test(dry_friction_holds_below_its_limit),
        cmocka_unit_test(dry_friction_holds_from_rest),
        cmocka_unit_test(two_fingers_meet),
        cmocka_unit_test(an_arm_presses_the_ground),
        cmocka_unit_test(a_driven_chain_runs_into_a_stop),
        cmocka_unit_test(a_stop_carries_a_load),
        cmocka_unit_test(friction_and_motor_share_a_coordinate),
        cmocka_unit_test(a_motor_with_a_position_is_a_damped_spring),
        cmocka_unit_test(a_motor_with_a_position_is_stable_at_any_gain),
        cmocka_unit_test(a_stiff_motor_is_quiet_on_its_target),
        cmocka_unit_test(a_motor_with_a_position_bears_by_its_stiffness_up_to_its_limit),
        cmocka_unit_test(a_motor_follows_a_function_of_time),
        cmocka_unit_test(motor_laws_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
