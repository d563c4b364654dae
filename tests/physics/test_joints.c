// SPDX-License-Identifier: Apache-2.0
// Joints against closed forms: pendulum, double pendulum, top, motors, friction, ranges, swings,
// statics, momentum.
#include "tests/physics/joint_world.h"

#include <string.h>

static const cairn_body_id no_body = {0};
static const double gravity = 9.81;

static double energy_of(const cairn_world *world)
{
    cairn_energy e = cairn_world_get_energy(world);
    return e.kinetic + e.potential + e.elastic;
}

// ---------------------------------------------------------------- pendulum

/// Complete elliptic integral of the first kind by the arithmetic-geometric mean; k the modulus.
static double elliptic_k(double k)
{
    double a = 1.0, b = sqrt(1.0 - k * k);
    for (int i = 0; i < 40; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return M_PI / (2.0 * a);
}

/// A pendulum of length 1 and moment J about its centre, let go at rest at `angle` from hanging.
static cairn_world *pendulum(double h, double J, double angle, cairn_joint_id *hinge)
{
    const double inertia[3] = {0.4 * J, J, 0.9 * J};
    cairn_world *world = joint_world(h, gravity);
    cairn_body_id bob = add_mass(world, 1.0, inertia, sin(angle), 0.0, -cos(angle));
    *hinge = hinge_y(world, no_body, bob, 0.0, 0.0, 0.0);
    return world;
}

/// Period by the times at which the bob passes the lowest point, of the first whole swing.
static double measured_period(double h)
{
    cairn_joint_id hinge;
    cairn_world *world = pendulum(h, 0.3, 2.0, &hinge);
    double before = 0.0, times[3];
    int found = 0;
    while (found < 3) {
        run_steps(world, 1);
        double now = 2.0 + look_at_joint(world, hinge).coordinate * -1.0;
        double speed = look_at_joint(world, hinge).speed;
        if (before != 0.0 && now * before < 0.0)
            times[found++] = cairn_world_get_time(world) - now / -speed;
        before = now;
    }
    cairn_world_destroy(world);
    return times[2] - times[0];
}

static void a_pendulum_has_its_period(void **state)
{
    (void)state;
    double expected = 4.0 * sqrt(1.3 / gravity) * elliptic_k(sin(1.0));
    double coarse = measured_period(4e-3) - expected, fine = measured_period(2e-3) - expected;
    check_close(fine, 0.0, 0.0, 1e-5 * expected);
    // second order: half the step, a quarter of the error
    check_close(coarse / fine, 4.0, 0.1, 0.0);
}

static void a_pendulum_pulls_at_its_hinge_with_weight_and_centripetal_force(void **state)
{
    (void)state;
    cairn_joint_id hinge;
    double h = 1e-4, J = 0.3, start = 2.0;
    cairn_world *world = pendulum(h, J, start, &hinge);
    for (int i = 0; i < 40; i++) {
        run_steps(world, 150);
        // the reaction is the mean over the step, the angle that of its middle
        cairn_joint_view view = look_at_joint(world, hinge);
        double angle = start - view.coordinate + 0.5 * h * view.speed;
        double speed_squared = 2.0 * gravity * (cos(angle) - cos(start)) / (1.0 + J);
        double tangential = -gravity * sin(angle) / (1.0 + J);
        double pull = speed_squared + gravity * cos(angle);
        double across = tangential + gravity * sin(angle);
        check_close(view.force[0], -pull * sin(angle) + across * cos(angle), 1e-5, 2e-5);
        check_close(view.force[2], pull * cos(angle) + across * sin(angle), 1e-5, 2e-5);
        check_close(view.force[1], 0.0, 0.0, 1e-9);
        check_close(view.torque[1], 0.0, 0.0, 1e-9);
    }
    check_at_most(worst_joint(world), 1e-14);
    cairn_world_destroy(world);
}

static void a_pendulum_without_gravity_keeps_turning(void **state)
{
    (void)state;
    const double inertia[3] = {0.1, 0.2, 0.3}, spin[3] = {0.0, 7.0, 0.0}, v[3] = {0.0, 0.0, -7.0};
    cairn_world *world = joint_world(0.02, 0.0);
    cairn_body_id bob = add_mass(world, 2.0, inertia, 1.0, 0.0, 0.0);
    hinge_y(world, no_body, bob, 0.0, 0.0, 0.0);
    set_velocity(world, bob, v, spin);
    // the first steps find the discrete circle, of fourth order off the true one
    double given = look_at(world, bob).kinetic_energy;
    run_steps(world, 100);
    double start = look_at(world, bob).kinetic_energy;
    check_close(start, given, 3e-5, 0.0);
    for (int i = 0; i < 100; i++) {
        run_steps(world, 100);
        check_close(look_at(world, bob).kinetic_energy, start, 1e-6 * (i + 1), 0.0);
    }
    check_at_most(worst_joint(world), 1e-14);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- double pendulum

static cairn_world *double_pendulum(double h)
{
    const double inertia[3] = {0.01, 0.02, 0.03};
    cairn_world *world = joint_world(h, gravity);
    cairn_body_id upper = add_mass(world, 1.0, inertia, 1.0, 0.0, 0.0);
    cairn_body_id lower = add_mass(world, 1.0, inertia, 2.0, 0.0, 0.0);
    hinge_y(world, no_body, upper, 0.0, 0.0, 0.0);
    hinge_y(world, upper, lower, 1.0, 0.0, 0.0);
    return world;
}

/// Mean of the energy's error over a stretch of steps, which oscillates with the motion.
static double mean_error(cairn_world *world, int steps, double start, double *worst)
{
    double sum = 0.0;
    for (int i = 0; i < steps; i++) {
        run_steps(world, 1);
        double error = energy_of(world) - start;
        sum += error;
        *worst = fmax(*worst, fabs(error));
    }
    return sum / steps;
}

static void a_double_pendulum_keeps_energy_and_joints_over_1e5_steps(void **state)
{
    (void)state;
    // kinetic energies reach 29 J, start to lowest point
    const double scale = 3.0 * gravity;
    cairn_world *world = double_pendulum(5e-4);
    double start = energy_of(world), worst = 0.0;
    double early = mean_error(world, 20000, start, &worst);
    for (int i = 0; i < 60; i++) {
        run_steps(world, 1000);
        check_at_most(worst_joint(world), 1e-14);
    }
    double late = mean_error(world, 20000, start, &worst);
    check_at_most(worst, 3e-5 * scale);
    check_at_most(fabs(late), 1e-5 * scale);
    check_at_most(fabs(late - early), 5e-6 * scale);
    check_at_most(fabs(cairn_world_get_energy(world).residual), 1e-10 * scale);
    cairn_world_destroy(world);
}

static void a_double_pendulum_keeps_its_energy_at_any_step(void **state)
{
    (void)state;
    const double steps[] = {1e-2, 4e-3, 1e-3};
    for (int i = 0; i < 3; i++) {
        cairn_world *world = double_pendulum(steps[i]);
        double worst = 0.0, start = energy_of(world);
        mean_error(world, (int)lround(1.5 / steps[i]), start, &worst);
        check_at_most(worst, 1e-11 * 3.0 * gravity);
        cairn_world_destroy(world);
    }
}

/// Slender rods of mass and length 1 on ball joints, level and at rest but for the sideways speed
/// of the last one's end.
static cairn_world *spatial_chain(double h, int rods, double sideways)
{
    const double inertia[3] = {2e-4, 1.0 / 12.0, 1.0 / 12.0};
    cairn_world *world = joint_world(h, gravity);
    cairn_body_id last = no_body;
    for (int i = 0; i < rods; i++) {
        cairn_body_id next = add_mass(world, 1.0, inertia, i + 0.5, 0.0, 0.0);
        const double v[3] = {0.0, sideways * (i + 0.5) / rods, 0.0};
        const double w[3] = {0.0, 0.0, sideways / rods};
        set_velocity(world, next, v, w);
        cairn_joint_def ball = joint_def(CAIRN_JOINT_BALL, last, next, i, 0.0, 0.0);
        make_joint(world, &ball);
        last = next;
    }
    return world;
}

/// Largest speed at which a rod turns about its own axis: nothing acts about it.
static double worst_spin(const cairn_world *world)
{
    double worst = 0.0;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view view = look_at(world, cairn_body_at(world, i));
        const double *q = view.orientation, *w = view.angular_velocity;
        const double axis[3] = {1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]),
                                2.0 * (q[1] * q[2] + q[0] * q[3]),
                                2.0 * (q[1] * q[3] - q[0] * q[2])};
        worst = fmax(worst, fabs(axis[0] * w[0] + axis[1] * w[1] + axis[2] * w[2]));
    }
    return worst;
}

static void chains_in_space_keep_energy_and_are_not_wound_up(void **state)
{
    (void)state;
    static const struct {
        int rods, steps;
        double h, energy, spin;
    } cases[] = {
        {2, 100000, 1e-3, 1e-3, 1e-2},
        {6, 20000, 2e-3, 1e-3, 0.1},
    };
    for (int c = 0; c < 2; c++) {
        cairn_world *world = spatial_chain(cases[c].h, cases[c].rods, 2.0);
        double start = energy_of(world), worst = 0.0, spin = 0.0;
        // what the fall to the lowest point sets free
        double scale = 0.5 * gravity * cases[c].rods * cases[c].rods;
        for (int i = 0; i < cases[c].steps / 100; i++) {
            run_steps(world, 100);
            worst = fmax(worst, fabs(energy_of(world) - start));
            spin = fmax(spin, worst_spin(world));
            check_at_most(worst_joint(world), 1e-13);
        }
        check_at_most(worst, cases[c].energy * scale);
        check_at_most(spin, cases[c].spin);
        cairn_world_destroy(world);
    }
}

// ---------------------------------------------------------------- top

/// Heavy top in steady precession: angle turned by its axis over a time, and the worst change of
/// its inclination.
static double precession(double rate, double time, double h, double *nutation)
{
    const double theta = M_PI / 6.0, l = 0.1, spin = 100.0;
    // moments about the centre: 0.011 about the tip less m l^2
    const double inertia[3] = {0.001, 0.001, 0.002};
    cairn_world *world = joint_world(h, gravity);
    cairn_body_def def = cairn_default_body_def();
    def.shape = sphere_shape(world, 0.01);
    def.mass = 1.0;
    for (int k = 0; k < 3; k++)
        def.inertia[k] = inertia[k];
    def.position[0] = l * sin(theta);
    def.position[2] = l * cos(theta);
    def.orientation[0] = cos(0.5 * theta);
    def.orientation[2] = sin(0.5 * theta);
    // spin about the own axis is what the angular velocity has along it
    double along = spin - rate * cos(theta);
    def.angular_velocity[0] = along * sin(theta);
    def.angular_velocity[2] = along * cos(theta) + rate;
    def.velocity[1] = rate * l * sin(theta);
    cairn_body_id top = make_body(world, &def);
    cairn_joint_def ball = joint_def(CAIRN_JOINT_BALL, no_body, top, 0.0, 0.0, 0.0);
    make_joint(world, &ball);
    double turned = 0.0, before = 0.0;
    *nutation = 0.0;
    for (int i = 0; i < (int)lround(time / h); i++) {
        run_steps(world, 1);
        cairn_body_view view = look_at(world, top);
        double angle = atan2(view.centre[1], view.centre[0]);
        turned += remainder(angle - before, 2.0 * M_PI);
        before = angle;
        *nutation = fmax(*nutation, fabs(acos(view.centre[2] / l) - theta));
    }
    check_at_most(worst_joint(world), 1e-14);
    cairn_world_destroy(world);
    return turned / time;
}

static void a_heavy_top_precesses_at_both_steady_rates(void **state)
{
    (void)state;
    const double rates[] = {7.811287, 13.183268};
    for (int i = 0; i < 2; i++) {
        double nutation, coarse_nutation;
        double fine = precession(rates[i], 1.0, 5e-5, &nutation);
        double coarse = precession(rates[i], 1.0, 1e-4, &coarse_nutation);
        check_close(fine, rates[i], 2e-5, 0.0);
        check_close((4.0 * fine - coarse) / 3.0, rates[i], 1e-6, 0.0);
        check_at_most(nutation, 1e-4);
    }
}

// ---------------------------------------------------------------- motors, friction, range, spring

static cairn_world *flywheel(double h, double J, cairn_joint_def *def, cairn_body_id *wheel)
{
    const double inertia[3] = {J, J, J};
    cairn_world *world = joint_world(h, 0.0);
    *wheel = add_mass(world, 1.0, inertia, 0.0, 0.0, 0.0);
    *def = joint_def(CAIRN_JOINT_HINGE, no_body, *wheel, 0.0, 0.0, 0.0);
    return world;
}

static void a_motor_of_limited_torque_speeds_up_evenly_and_then_keeps_its_speed(void **state)
{
    (void)state;
    cairn_joint_def def;
    cairn_body_id wheel;
    cairn_world *world = flywheel(1e-3, 0.5, &def, &wheel);
    def.motor = true;
    def.motor_velocity = 3.0;
    def.motor_limit = 2.0;
    cairn_joint_id joint = make_joint(world, &def);
    run_steps(world, 500);
    check_close(look_at_joint(world, joint).speed, 2.0, 1e-12, 0.0);
    check_close(look_at_joint(world, joint).effort, 2.0, 1e-12, 0.0);
    check_close(look_at_joint(world, joint).coordinate, 0.5, 1e-12, 0.0);
    run_steps(world, 500);
    check_close(look_at_joint(world, joint).speed, 3.0, 1e-12, 0.0);
    check_close(look_at_joint(world, joint).effort, 0.0, 0.0, 1e-8);
    check_close(look_at_joint(world, joint).torque[2], 0.0, 0.0, 1e-8);
    // work of the motor is the wheel's energy
    check_close(cairn_world_get_energy(world).drivers, 0.5 * 0.5 * 9.0, 1e-10, 0.0);
    check_at_most(fabs(cairn_world_get_energy(world).residual), 1e-11);
    cairn_world_destroy(world);
}

static void a_motor_without_limit_turns_exactly_and_counts_its_turns(void **state)
{
    (void)state;
    cairn_joint_def def;
    cairn_body_id wheel;
    cairn_world *world = flywheel(0.01, 0.5, &def, &wheel);
    def.motor = true;
    def.motor_velocity = -20.0;
    cairn_joint_id joint = make_joint(world, &def);
    run_steps(world, 1);
    double start = look_at_joint(world, joint).coordinate;
    run_steps(world, 1000);
    check_close(look_at_joint(world, joint).coordinate - start, -200.0, 1e-13, 0.0);
    cairn_world_destroy(world);
}

static void friction_stops_a_wheel_where_its_energy_is_used_up(void **state)
{
    (void)state;
    cairn_joint_def def;
    cairn_body_id wheel;
    cairn_world *world = flywheel(1e-3, 0.5, &def, &wheel);
    def.friction = 1.25;
    cairn_joint_id joint = make_joint(world, &def);
    const double v[3] = {0.0, 0.0, 0.0}, spin[3] = {0.0, 0.0, 4.0};
    set_velocity(world, wheel, v, spin);
    run_steps(world, 3000);
    // J w^2 / 2 = friction * angle
    check_close(look_at_joint(world, joint).coordinate, 0.5 * 0.5 * 16.0 / 1.25, 1e-6, 0.0);
    check_close(look_at_joint(world, joint).speed, 0.0, 0.0, 1e-14);
    check_close(cairn_world_get_energy(world).friction, 4.0, 1e-12, 0.0);
    double angle = look_at_joint(world, joint).coordinate;
    run_steps(world, 1000);
    check_close(look_at_joint(world, joint).coordinate, angle, 0.0, 1e-15);
    cairn_world_destroy(world);
}

static void friction_holds_a_pendulum_below_its_limit_only(void **state)
{
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        const double inertia[3] = {0.1, 0.1, 0.1};
        cairn_world *world = joint_world(1e-3, gravity);
        cairn_body_id bob = add_mass(world, 1.0, inertia, 0.5, 0.0, -1.0);
        cairn_joint_def def = joint_def(CAIRN_JOINT_HINGE, no_body, bob, 0.0, 0.0, 0.0);
        set_axis(def.axis, 0.0, 1.0, 0.0);
        def.friction = 0.5 * gravity * (slides ? 0.999 : 1.001);
        cairn_joint_id joint = make_joint(world, &def);
        run_steps(world, 500);
        double angle = look_at_joint(world, joint).coordinate;
        if (slides)
            check_at_most(1e-5, fabs(angle));
        else
            check_close(angle, 0.0, 0.0, 1e-13);
        cairn_world_destroy(world);
    }
}

static void a_range_stops_without_bouncing(void **state)
{
    (void)state;
    const double inertia[3] = {0.1, 0.1, 0.1};
    cairn_world *world = joint_world(1e-3, gravity);
    cairn_body_id bob = add_mass(world, 1.0, inertia, 1.0, 0.0, 0.0);
    cairn_joint_def def = joint_def(CAIRN_JOINT_HINGE, no_body, bob, 0.0, 0.0, 0.0);
    set_axis(def.axis, 0.0, 1.0, 0.0);
    def.range[0] = -0.2;
    def.range[1] = 0.8;
    cairn_joint_id joint = make_joint(world, &def);
    double most = 0.0;
    for (int i = 0; i < 2000; i++) {
        run_steps(world, 1);
        most = fmax(most, look_at_joint(world, joint).coordinate);
    }
    check_close(most, 0.8, 0.0, 1e-9);
    check_close(look_at_joint(world, joint).coordinate, 0.8, 0.0, 1e-9);
    check_close(look_at_joint(world, joint).speed, 0.0, 0.0, 1e-9);
    // it bears the weight's moment, and took the energy of the fall
    check_close(look_at_joint(world, joint).effort, -gravity * cos(0.8), 1e-8, 0.0);
    check_close(cairn_world_get_energy(world).impact, gravity * sin(0.8), 1e-4, 0.0);
    cairn_world_destroy(world);
}

/// Range, friction and a motor's speed near nothing at once: the states between them must be
/// passed.
static void a_rough_hinge_stops_at_its_range(void **state)
{
    (void)state;
    const double inertia[3] = {0.1, 0.1, 0.1};
    for (int driven = 0; driven < 2; driven++) {
        cairn_world *world = joint_world(2e-3, gravity);
        cairn_body_id bob = add_mass(world, 1.0, inertia, 1.0, 0.0, 0.0);
        cairn_joint_def def = joint_def(CAIRN_JOINT_HINGE, no_body, bob, 0.0, 0.0, 0.0);
        set_axis(def.axis, 0.0, 1.0, 0.0);
        def.range[0] = -0.5;
        def.range[1] = 0.5;
        def.friction = 0.2;
        def.motor = driven == 1;
        def.motor_velocity = -0.7;
        def.motor_limit = INFINITY;
        cairn_joint_id joint = make_joint(world, &def);
        run_steps(world, 1500);
        cairn_joint_view view = look_at_joint(world, joint);
        check_close(view.coordinate, driven ? -0.5 : 0.5, 0.0, 1e-9);
        check_close(view.effort, -gravity * cos(0.5), 1e-8, 0.0);
        cairn_world_destroy(world);
    }
}

/// A motor without limit turns a crank whose other hinges are rough: where friction would hold what
/// the motor drives, it is friction that gives way.
static void a_rough_linkage_is_driven_through_its_dead_points(void **state)
{
    (void)state;
    const double inertia[3] = {1e-3, 1e-2, 1e-2};
    cairn_world *world = joint_world(2e-3, gravity);
    const double a[2] = {0.0, 0.15}, b[2] = {0.8, 0.4}, c[2] = {0.8, 0.0};
    cairn_body_id crank = add_mass(world, 0.3, inertia, 0.5 * a[0], 0.0, 0.5 * a[1]);
    cairn_body_id coupler =
        add_mass(world, 1.0, inertia, 0.5 * (a[0] + b[0]), 0.0, 0.5 * (a[1] + b[1]));
    cairn_body_id rocker =
        add_mass(world, 1.0, inertia, 0.5 * (b[0] + c[0]), 0.0, 0.5 * (b[1] + c[1]));
    cairn_joint_def drive = joint_def(CAIRN_JOINT_HINGE, no_body, crank, 0.0, 0.0, 0.0);
    set_axis(drive.axis, 0.0, 1.0, 0.0);
    drive.motor = true;
    drive.motor_velocity = 6.0;
    cairn_joint_id driven = make_joint(world, &drive);
    hinge_y(world, crank, coupler, a[0], 0.0, a[1]);
    cairn_joint_def knee = joint_def(CAIRN_JOINT_HINGE, coupler, rocker, b[0], 0.0, b[1]);
    set_axis(knee.axis, 0.0, 1.0, 0.0);
    knee.friction = 0.05;
    make_joint(world, &knee);
    hinge_y(world, no_body, rocker, c[0], 0.0, c[1]);
    run_steps(world, 1);
    double first = look_at_joint(world, driven).coordinate;
    run_steps(world, 1499);
    check_close(look_at_joint(world, driven).coordinate - first, 6.0 * 2e-3 * 1499, 1e-9, 0.0);
    check_at_most(worst_joint(world), 1e-13);
    check_at_most(fabs(look_at_joint(world, driven).effort), 100.0);
    cairn_world_destroy(world);
}

/// A bob on a ball or universal joint falls until its swing meets its limit, and hangs there.
static void a_swing_stops_at_its_limit(void **state)
{
    (void)state;
    const double inertia[3] = {0.1, 0.1, 0.1};
    static const cairn_joint_kind kinds[] = {CAIRN_JOINT_BALL, CAIRN_JOINT_UNIVERSAL};
    for (int k = 0; k < 2; k++) {
        cairn_world *world = joint_world(1e-3, gravity);
        cairn_body_id bob = add_mass(world, 1.0, inertia, 1.0, 0.0, 0.0);
        cairn_joint_def def = joint_def(kinds[k], no_body, bob, 0.0, 0.0, 0.0);
        // the shaft of the universal joint lies along x too: square to z and y
        set_axis(def.axis, k == 0 ? 1.0 : 0.0, 0.0, k == 0 ? 0.0 : 1.0);
        set_axis(def.axis_b, 0.0, 1.0, 0.0);
        def.range[1] = 0.8;
        cairn_joint_id joint = make_joint(world, &def);
        double most = 0.0;
        for (int i = 0; i < 2000; i++) {
            run_steps(world, 1);
            most = fmax(most, look_at_joint(world, joint).coordinate);
        }
        cairn_joint_view view = look_at_joint(world, joint);
        cairn_body_view at = look_at(world, bob);
        check_close(most, 0.8, 0.0, 1e-9);
        check_close(acos(at.position[0]), 0.8, 0.0, 1e-9);
        check_close(view.coordinate, 0.8, 0.0, 1e-9);
        check_close(view.effort, -gravity * cos(0.8), 1e-8, 0.0);
        check_close(view.torque[1], -gravity * cos(0.8), 1e-8, 0.0);
        check_close(view.force[2], gravity, 1e-8, 0.0);
        cairn_world_destroy(world);
    }
}

/// A bob on a ball joint with a spring swings about the upright: J s'' = m g l s - k s.
static void a_sprung_swing_is_the_oscillator(void **state)
{
    (void)state;
    const double inertia[3] = {0.1, 0.1, 0.1}, k = 30.0, small = 1e-3;
    cairn_world *world = joint_world(1e-3, gravity);
    cairn_body_id bob = add_mass(world, 1.0, inertia, 0.0, 0.0, 1.0);
    cairn_joint_def def = joint_def(CAIRN_JOINT_BALL, no_body, bob, 0.0, 0.0, 0.0);
    def.stiffness = k;
    make_joint(world, &def);
    double rate = sqrt((k - gravity) / 1.1);
    const double v[3] = {small * rate, 0.0, 0.0}, w[3] = {0.0, small * rate, 0.0};
    set_velocity(world, bob, v, w);
    double start = energy_of(world);
    for (int i = 0; i < 3000; i++) {
        run_steps(world, 1);
        cairn_body_view at = look_at(world, bob);
        check_close(at.position[0], small * sin(rate * cairn_world_get_time(world)), 0.0,
                    2e-3 * small);
        check_close(at.position[1], 0.0, 0.0, 1e-12);
    }
    check_close(energy_of(world), start, 0.0, 1e-5 * small * small * k);
    cairn_world_destroy(world);
}

static void what_a_kind_does_not_take_is_refused(void **state)
{
    (void)state;
    const double inertia[3] = {0.1, 0.1, 0.1};
    cairn_world *world = joint_world(1e-3, gravity);
    cairn_body_id bob = add_mass(world, 1.0, inertia, 1.0, 0.0, 0.0);
    static const struct {
        cairn_joint_kind kind;
        double friction, damping, rest, most;
        const char *says;
    } cases[] = {
        {CAIRN_JOINT_BALL, 1.0, 0.0, 0.0, INFINITY, "range of its swing"},
        {CAIRN_JOINT_UNIVERSAL, 0.0, 1.0, 0.0, INFINITY, "range of its swing"},
        {CAIRN_JOINT_BALL, 0.0, 0.0, 0.5, 1.0, "rest"},
        {CAIRN_JOINT_FIXED, 0.0, 0.0, 0.0, 1.0, "no coordinate"},
    };
    for (int i = 0; i < 4; i++) {
        cairn_joint_def def = joint_def(cases[i].kind, no_body, bob, 0.0, 0.0, 0.0);
        def.friction = cases[i].friction;
        def.damping = cases[i].damping;
        def.rest = cases[i].rest;
        def.stiffness = cases[i].rest;
        def.range[1] = cases[i].most;
        cairn_joint_id joint;
        cairn_error error = {0};
        assert_int_equal(cairn_joint_create(world, &def, &joint, &error), CAIRN_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, cases[i].says));
    }
    cairn_world_destroy(world);
}

/// A beam of fixed joints that sticks out of a wall: shear and bending moment by statics.
static void a_beam_of_fixed_joints_bears_shear_and_moment(void **state)
{
    (void)state;
    enum { PIECES = 8 };
    const double inertia[3] = {0.01, 0.02, 0.02}, mass = 1.5, length = 0.25;
    cairn_world *world = joint_world(1e-3, gravity);
    cairn_joint_id joint[PIECES];
    cairn_body_id last = no_body;
    for (int i = 0; i < PIECES; i++) {
        cairn_body_id next = add_mass(world, mass, inertia, (i + 0.5) * length, 0.0, 0.0);
        cairn_joint_def def = joint_def(CAIRN_JOINT_FIXED, last, next, i * length, 0.0, 0.0);
        joint[i] = make_joint(world, &def);
        last = next;
    }
    run_steps(world, 300);
    for (int i = 0; i < PIECES; i++) {
        double weight = mass * gravity * (PIECES - i), arm = 0.5 * length * (PIECES - i);
        cairn_joint_view view = look_at_joint(world, joint[i]);
        check_close(view.force[2], weight, 1e-9, 0.0);
        check_close(view.torque[1], -weight * arm, 1e-9, 0.0);
        check_close(view.force[0], 0.0, 0.0, 1e-9);
        check_close(view.torque[0], 0.0, 0.0, 1e-9);
    }
    cairn_world_destroy(world);
}

static void a_slider_with_spring_and_damper_is_the_oscillator(void **state)
{
    (void)state;
    const double inertia[3] = {0.1, 0.2, 0.3}, m = 2.0, k = 50.0, c = 3.0;
    cairn_world *world = joint_world(1e-4, gravity);
    cairn_body_id body = add_mass(world, m, inertia, 0.3, 0.2, 0.1);
    cairn_joint_def def = joint_def(CAIRN_JOINT_SLIDER, no_body, body, 0.0, 0.0, 0.0);
    set_axis(def.axis, 1.0, 2.0, 2.0);
    def.stiffness = k;
    def.damping = c;
    def.rest = 0.1;
    cairn_joint_id joint = make_joint(world, &def);
    double shift = 0.1 - m * gravity * (2.0 / 3.0) / k, decay = c / (2.0 * m);
    double w = sqrt(k / m - decay * decay);
    for (int i = 0; i < 20; i++) {
        run_steps(world, 500);
        double t = cairn_world_get_time(world);
        double expected = shift - shift * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
        check_close(look_at_joint(world, joint).coordinate, expected, 0.0, 1e-7);
    }
    // what the damper took is what is missing
    check_at_most(fabs(cairn_world_get_energy(world).residual), 1e-7);
    check_at_most(worst_joint(world), 1e-14);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- momentum

static void free_jointed_bodies_keep_their_momentum(void **state)
{
    (void)state;
    const cairn_joint_kind kinds[] = {
        CAIRN_JOINT_BALL,      CAIRN_JOINT_HINGE, CAIRN_JOINT_SLIDER, CAIRN_JOINT_CYLINDRICAL,
        CAIRN_JOINT_UNIVERSAL, CAIRN_JOINT_FIXED, CAIRN_JOINT_ROD};
    const double inertia[3] = {0.2, 0.3, 0.4};
    cairn_world *world = joint_world(2e-3, 0.0);
    cairn_body_id last = add_mass(world, 1.0, inertia, 0.0, 0.0, 0.0);
    for (int i = 0; i < 7; i++) {
        cairn_body_id next = add_mass(world, 1.0 + 0.3 * i, inertia, i + 1.0, 0.1 * i, -0.2 * i);
        cairn_joint_def def = joint_def(kinds[i], last, next, i + 0.5, 0.1, 0.05 * i);
        set_axis(def.axis, 0.3, 1.0, 0.2 * i);
        set_axis(def.axis_b, 1.0, -0.3, 0.0);
        set_axis(def.anchor_b, i + 0.9, 0.3, 0.1);
        if (kinds[i] == CAIRN_JOINT_HINGE) {
            def.stiffness = 2.0;
            def.rest = 0.4;
            def.friction = 0.05;
        }
        make_joint(world, &def);
        const double v[3] = {0.1 * i, 0.5 - 0.2 * i, 0.3}, w[3] = {0.4, -0.3 * i, 0.6};
        set_velocity(world, next, v, w);
        last = next;
    }
    double p[3], l[3], p_now[3], l_now[3];
    run_steps(world, 1);
    cairn_world_get_momentum(world, p, l);
    double energy = energy_of(world);
    for (int i = 0; i < 10; i++) {
        run_steps(world, 500);
        cairn_world_get_momentum(world, p_now, l_now);
        for (int k = 0; k < 3; k++) {
            check_close(p_now[k], p[k], 0.0, 1e-12);
            check_close(l_now[k], l[k], 0.0, 4e-12);
        }
        check_at_most(worst_joint(world), 1e-13);
    }
    cairn_energy e = cairn_world_get_energy(world);
    check_close(energy_of(world) + e.friction, energy, 1e-5, 0.0);
    cairn_world_destroy(world);
}

typedef struct chain_case {
    cairn_joint_kind kind;
    int links;
    double ratio, bend, twist; // mass of the end over a link's; rad from link to link
    double h;
} chain_case;

/// Links of 0.1 kg and 0.1 m from the origin on, each turned against the one before, and a heavy
/// end, let go.
static cairn_world *loose_chain(const chain_case *c)
{
    const double length = 0.1, J[3] = {8e-5, 8e-5, 8e-5};
    cairn_world *world = joint_world(c->h, gravity);
    cairn_body_id last = no_body;
    double at[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i <= c->links; i++) {
        double up = c->bend * (i % 2), round = c->twist * i;
        double way[3] = {cos(up) * cos(round), cos(up) * sin(round), sin(up)}, middle[3];
        bool end = i == c->links;
        double size = end ? 0.0 : length;
        for (int k = 0; k < 3; k++)
            middle[k] = at[k] + 0.5 * size * way[k];
        cairn_body_id next =
            add_mass(world, end ? 0.1 * c->ratio : 0.1, J, middle[0], middle[1], middle[2]);
        const cairn_collision none = {.groups = 2, .mask = 4};
        cairn_error error = {0};
        require(cairn_body_set_collision(world, next, none, &error), &error);
        cairn_joint_def def = joint_def(c->kind, last, next, at[0], at[1], at[2]);
        set_axis(def.axis, 0.0, 1.0, 0.0);
        make_joint(world, &def);
        for (int k = 0; k < 3; k++)
            at[k] += size * way[k];
        last = next;
    }
    return world;
}

static void chains_of_any_make_keep_their_energy(void **state)
{
    (void)state;
    const cairn_joint_kind ball = CAIRN_JOINT_BALL, hinge = CAIRN_JOINT_HINGE,
                           shaft = CAIRN_JOINT_UNIVERSAL;
    const chain_case cases[] = {
        {hinge, 2, 1.0, 0.0, 0.0, 5e-3},    {ball, 2, 100.0, 0.0, 0.0, 5e-3},
        {ball, 5, 10.0, 0.0, 0.0, 5e-3},    {hinge, 10, 1.0, 0.0, 0.0, 5e-3},
        {ball, 10, 1000.0, 0.0, 0.0, 1e-3}, {hinge, 10, 5.0, 1.0, 0.0, 5e-3},
        {ball, 20, 100.0, 0.5, 0.1, 5e-3},  {ball, 40, 1.0, 0.0, 0.0, 5e-3},
        {ball, 8, 3.0, 0.3, 0.8, 5e-3},     {shaft, 8, 3.0, 0.0, 0.0, 5e-3},
        {ball, 15, 300.0, 1.0, 0.0, 2e-3},  {hinge, 3, 1000.0, 0.0, 0.0, 1e-2},
        {ball, 30, 1.0, 0.0, 0.2, 1e-2},    {shaft, 4, 50.0, 0.4, 0.0, 2e-3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cairn_world *world = loose_chain(&cases[i]);
        run_steps(world, 1);
        double first = energy_of(world), most = 0.0, off = 0.0;
        for (int n = 0; n < 250; n++) {
            run_steps(world, 1);
            assert_false(cairn_world_is_unsolved(world));
            off = fmax(off, fabs(energy_of(world) - first));
            most = fmax(most, cairn_world_get_energy(world).kinetic);
        }
        if (off > 1e-6 * most)
            fail_msg("chain %zu is off by %g of %g J", i, off, most);
        check_at_most(worst_joint(world), 1e-12);
        cairn_world_destroy(world);
    }
}

typedef enum sprung { SPRUNG_SLIDER, SPRUNG_HINGES, SPRUNG_BALL, SPRUNG_ROTOR, SPRUNG_PAIR } sprung;

typedef struct spring_case {
    sprung kind;
    double stiffness, h, start; // N/m or N m/rad; s; m/s, rad/s or m of stretch
    int links;
    double gravity;
} spring_case;

static void swing_links(cairn_world *world, const spring_case *c)
{
    const double J[3] = {1e-4, 1.5e-3, 1.5e-3};
    cairn_body_id last = no_body;
    for (int i = 0; i < c->links; i++) {
        cairn_body_id next = add_mass(world, 0.2, J, 0.3 * i + 0.15, 0.0, 0.0);
        cairn_joint_def def = joint_def(CAIRN_JOINT_HINGE, last, next, 0.3 * i, 0.0, 0.0);
        set_axis(def.axis, 0.0, 1.0, 0.0);
        def.stiffness = c->stiffness;
        def.rest = c->start;
        make_joint(world, &def);
        last = next;
    }
}

static void make_sprung(cairn_world *world, const spring_case *c)
{
    const double J[3] = {1e-3, 2e-3, 1.5e-3}, still[3] = {0.0, 0.0, 0.0};
    if (c->kind == SPRUNG_HINGES) {
        swing_links(world, c);
        return;
    }
    double mass = c->kind == SPRUNG_ROTOR ? 5.0 : 1.0;
    cairn_body_id a = add_mass(world, mass, J, 0.0, 0.0, 0.0);
    if (c->kind == SPRUNG_BALL) {
        const double v[3] = {0.3 * c->start, 0.0, 0.0}, spin[3] = {0.0, c->start, 0.0};
        cairn_joint_def ball = joint_def(CAIRN_JOINT_BALL, no_body, a, 0.0, 0.0, -0.3);
        ball.stiffness = c->stiffness;
        make_joint(world, &ball);
        set_velocity(world, a, v, spin);
        return;
    }
    cairn_joint_def slide = joint_def(CAIRN_JOINT_SLIDER, no_body, a, 0.0, 0.0, 0.0);
    set_axis(slide.axis, 1.0, 0.0, 0.0);
    slide.stiffness = c->stiffness;
    if (c->kind == SPRUNG_SLIDER) {
        const double v[3] = {c->start, 0.0, 0.0};
        set_velocity(world, a, v, still);
    } else if (c->kind == SPRUNG_ROTOR) {
        // a base that yields under a bar which turns about its end
        const double arm = 0.3, v[3] = {0.0, arm * c->start, 0.0}, spin[3] = {0.0, 0.0, c->start};
        cairn_body_id bar = add_mass(world, 1.0, J, arm, 0.0, 0.0);
        cairn_joint_def hinge = joint_def(CAIRN_JOINT_HINGE, a, bar, 0.0, 0.0, 0.0);
        make_joint(world, &hinge);
        set_velocity(world, bar, v, spin);
    } else {
        // two that float and turn about each other, a stretched spring between them
        const double v[3] = {0.0, 1.5, 0.0}, spin[3] = {0.0, 0.0, 3.0};
        cairn_body_id b = add_mass(world, 0.2, J, 0.5, 0.0, 0.0);
        slide.a = a;
        slide.b = b;
        slide.rest = c->start;
        set_velocity(world, a, still, spin);
        set_velocity(world, b, v, spin);
    }
    make_joint(world, &slide);
}

/// Springs of w h from 1e-3 to 60: from 2 on an explicit one explodes.
static void springs_of_any_stiffness_keep_their_energy(void **state)
{
    (void)state;
    const spring_case cases[] = {
        {SPRUNG_SLIDER, 0.04, 5e-3, 1.0, 0, 0.0}, {SPRUNG_SLIDER, 100.0, 5e-3, 1.0, 0, 9.81},
        {SPRUNG_SLIDER, 1e4, 5e-3, 1.0, 0, 0.0},  {SPRUNG_SLIDER, 2e5, 5e-3, 1.0, 0, 0.0},
        {SPRUNG_SLIDER, 1e8, 5e-3, 1.0, 0, 0.0},  {SPRUNG_SLIDER, 1e5, 1e-3, 1.0, 0, 0.0},
        {SPRUNG_HINGES, 1.0, 5e-3, 0.0, 1, 9.81}, {SPRUNG_HINGES, 20.0, 5e-3, 0.0, 1, 9.81},
        {SPRUNG_HINGES, 20.0, 5e-3, 1.0, 1, 0.0}, {SPRUNG_HINGES, 1e3, 5e-3, 0.02, 1, 0.0},
        {SPRUNG_HINGES, 5.0, 5e-3, 0.0, 5, 9.81}, {SPRUNG_HINGES, 50.0, 5e-3, 0.2, 10, 9.81},
        {SPRUNG_HINGES, 5.0, 2e-2, 0.0, 1, 9.81}, {SPRUNG_HINGES, 500.0, 2e-3, 0.0, 3, 9.81},
        {SPRUNG_BALL, 2.0, 5e-3, 2.0, 0, 9.81},   {SPRUNG_BALL, 50.0, 5e-3, 2.0, 0, 9.81},
        {SPRUNG_ROTOR, 5e4, 5e-3, 100.0, 0, 0.0}, {SPRUNG_ROTOR, 5e4, 5e-3, 20.0, 0, 0.0},
        {SPRUNG_ROTOR, 1e6, 5e-3, 20.0, 0, 9.81}, {SPRUNG_ROTOR, 5e5, 1e-3, 400.0, 0, 0.0},
        {SPRUNG_PAIR, 50.0, 5e-3, 0.1, 0, 0.0},   {SPRUNG_PAIR, 1e4, 5e-3, 0.01, 0, 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cairn_world *world = joint_world(cases[i].h, cases[i].gravity);
        make_sprung(world, &cases[i]);
        run_steps(world, 1);
        double first = energy_of(world), most = cairn_world_get_energy(world).kinetic, off = 0.0;
        for (int n = 0; n < 1000; n++) {
            run_steps(world, 1);
            off = fmax(off, fabs(energy_of(world) - first));
            most = fmax(most, cairn_world_get_energy(world).kinetic);
        }
        if (off > 1e-3 * most)
            fail_msg("spring %zu is off by %g of %g J", i, off, most);
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_its_period),
        cmocka_unit_test(a_pendulum_pulls_at_its_hinge_with_weight_and_centripetal_force),
        cmocka_unit_test(a_pendulum_without_gravity_keeps_turning),
        cmocka_unit_test(a_double_pendulum_keeps_energy_and_joints_over_1e5_steps),
        cmocka_unit_test(a_double_pendulum_keeps_its_energy_at_any_step),
        cmocka_unit_test(chains_in_space_keep_energy_and_are_not_wound_up),
        cmocka_unit_test(a_heavy_top_precesses_at_both_steady_rates),
        cmocka_unit_test(a_motor_of_limited_torque_speeds_up_evenly_and_then_keeps_its_speed),
        cmocka_unit_test(a_motor_without_limit_turns_exactly_and_counts_its_turns),
        cmocka_unit_test(friction_stops_a_wheel_where_its_energy_is_used_up),
        cmocka_unit_test(friction_holds_a_pendulum_below_its_limit_only),
        cmocka_unit_test(a_range_stops_without_bouncing),
        cmocka_unit_test(a_rough_hinge_stops_at_its_range),
        cmocka_unit_test(a_rough_linkage_is_driven_through_its_dead_points),
        cmocka_unit_test(a_swing_stops_at_its_limit),
        cmocka_unit_test(a_sprung_swing_is_the_oscillator),
        cmocka_unit_test(what_a_kind_does_not_take_is_refused),
        cmocka_unit_test(a_beam_of_fixed_joints_bears_shear_and_moment),
        cmocka_unit_test(a_slider_with_spring_and_damper_is_the_oscillator),
        cmocka_unit_test(free_jointed_bodies_keep_their_momentum),
        cmocka_unit_test(chains_of_any_make_keep_their_energy),
        cmocka_unit_test(springs_of_any_stiffness_keep_their_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
