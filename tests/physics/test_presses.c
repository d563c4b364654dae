// SPDX-License-Identifier: Apache-2.0
// Machines that press, clamp and drive through contacts, against statics: a toggle, a wedge, a
// brake, a rover on a slope, and stiff motors.
#include "base/vec.h"
#include "tests/physics/joint_world.h"

#include <string.h>

static const cairn_body_id no_body = {0};

static cairn_world *press_world(double h, double gravity, double friction)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = h;
    def.tolerance = 1e-9;
    def.gravity[2] = -gravity;
    cairn_world *world = make_world(&def);
    set_contact(world, friction, 0.0);
    return world;
}

static void run_solved(cairn_world *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        run_steps(world, 1);
        check_at_most(cairn_world_get_report(world)->error, 1e-6);
    }
}

static cairn_body_id add_shape(cairn_world *world, cairn_body_kind kind, cairn_shape_id shape,
                               double mass, double x, double y, double z)
{
    cairn_body_def def = cairn_default_body_def();
    def.kind = kind;
    def.shape = shape;
    def.mass = kind == CAIRN_DYNAMIC ? mass : 0.0;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    return make_body(world, &def);
}

static cairn_joint_def slider(cairn_body_id b, double x, double y, double z, const double axis[3])
{
    cairn_joint_def def = joint_def(CAIRN_JOINT_SLIDER, no_body, b, x, y, z);
    memcpy(def.axis, axis, sizeof def.axis);
    return def;
}

static void set_motor(cairn_joint_def *def, double velocity, double limit)
{
    def->motor = true;
    def->motor_velocity = velocity;
    def->motor_limit = limit;
}

static vec3 force_on(const cairn_world *world, cairn_body_id body)
{
    double force[3], torque[3];
    assert_int_equal(cairn_body_get_contact_force(world, body, force, torque), CAIRN_OK);
    return vec3_from(force);
}

/// A foot on a guide is pushed 50 mm into the ground by a spring-like motor without limit: it bears
/// stiffness times way.
static void stiff_motors_press_with_their_stiffness(void **state)
{
    (void)state;
    static const double gains[] = {1e4, 1e6, 1e8}, down[3] = {0.0, 0.0, 1.0};
    const double way = 0.05, side = 0.1, mass = 1.0, g = 9.81;
    for (int i = 0; i < 3; i++) {
        cairn_world *world = press_world(2e-3, g, 0.5);
        cairn_body_id ground = add_ground(world);
        cairn_shape_id box = box_shape(world, side, side, side);
        cairn_body_id foot =
            add_shape(world, CAIRN_DYNAMIC, box, mass, 0.0, 0.0, 0.5 * side + 0.01);
        cairn_joint_def def = slider(foot, 0.0, 0.0, 0.5 * side + 0.01, down);
        def.motor = true;
        def.motor_law = CAIRN_MOTOR_POSITION;
        def.motor_stiffness = gains[i];
        def.motor_position = -0.01 - way;
        cairn_joint_id press = make_joint(world, &def);
        run_solved(world, 200);
        // the ground may be entered by what the position correction leaves
        cairn_joint_view view = look_at_joint(world, press);
        double pull = gains[i] * (def.motor_position - view.coordinate);
        check_close(view.coordinate, -0.01, 0.0, 2e-6);
        check_close(view.effort, pull, 1e-5, 0.0);
        check_close(force_on(world, ground).z, pull - mass * g, 1e-5, 0.0);
        cairn_world_destroy(world);
    }
}

/// A ram that is stopped short of what its motor wants pushes with the limit, and each step begins
/// where the last one ended: a solver that moves a shift from program to program takes that up,
/// too.
static void a_limited_ram_pushes_with_its_limit(void **state)
{
    (void)state;
    static const char *const solvers[] = {"auto", "interior_point", "aclm_newton", "apgd"};
    const double along[3] = {1.0, 0.0, 0.0}, limit = 40.0;
    for (int i = 0; i < 4; i++) {
        cairn_error error = {0};
        cairn_world *world = press_world(2e-3, 0.0, 0.5);
        require(cairn_world_set_solver(world, solvers[i], &error), &error);
        cairn_shape_id box = box_shape(world, 0.2, 0.2, 0.2);
        cairn_body_id ram = add_shape(world, CAIRN_DYNAMIC, box, 1.0, 0.0, 0.0, 0.0);
        cairn_body_id wall = add_shape(world, CAIRN_FIXED, box, 0.0, 0.3, 0.0, 0.0);
        cairn_joint_def def = slider(ram, 0.0, 0.0, 0.0, along);
        def.motor = true;
        def.motor_law = CAIRN_MOTOR_POSITION;
        def.motor_stiffness = 500.0;
        def.motor_damping = 20.0;
        def.motor_position = 0.3;
        def.motor_limit = limit;
        cairn_joint_id motor = make_joint(world, &def);
        run_solved(world, 200);
        check_close(look_at_joint(world, motor).effort, limit, 1e-5, 0.0);
        check_close(force_on(world, wall).x, limit, 1e-5, 0.0);
        cairn_world_destroy(world);
    }
}

/// A crank and a rod push a piston against a wall. With x = r cos a + sqrt(l^2 - r^2 sin^2 a) the
/// force of a torque T is T/|dx/da|.
static void a_toggle_multiplies_its_torque(void **state)
{
    (void)state;
    static const double angles[] = {60.0, 40.0, 15.0}, inertia[3] = {1e-4, 1e-4, 1e-4};
    static const double along[3] = {1.0, 0.0, 0.0};
    const double r = 0.1, l = 0.25, torque = 5.0, apart = 1e-3, half = 0.02;
    for (int i = 0; i < 3; i++) {
        double a = angles[i] * M_PI / 180.0, x = r * cos(a), z = r * sin(a);
        double end = x + sqrt(l * l - z * z);
        cairn_world *world = press_world(1e-3, 0.0, 0.2);
        cairn_body_id crank = add_mass(world, 0.2, inertia, 0.5 * x, 0.0, 0.5 * z);
        cairn_body_id rod = add_mass(world, 0.2, inertia, 0.5 * (x + end), 0.0, 0.5 * z);
        cairn_shape_id box = box_shape(world, 2.0 * half, 2.0 * half, 2.0 * half);
        cairn_body_id piston = add_shape(world, CAIRN_DYNAMIC, box, 0.3, end, 0.0, 0.0);
        cairn_body_id wall =
            add_shape(world, CAIRN_FIXED, box, 0.0, end + 2.0 * half + apart, 0.0, 0.0);
        cairn_joint_def drive = joint_def(CAIRN_JOINT_HINGE, no_body, crank, 0.0, 0.0, 0.0);
        set_axis(drive.axis, 0.0, 1.0, 0.0);
        set_motor(&drive, 1.0, torque);
        cairn_joint_id motor = make_joint(world, &drive);
        hinge_y(world, crank, rod, x, 0.0, z);
        hinge_y(world, rod, piston, end, 0.0, 0.0);
        cairn_joint_def guide = slider(piston, end, 0.0, 0.0, along);
        make_joint(world, &guide);
        run_solved(world, 400);
        a -= look_at_joint(world, motor).coordinate;
        double s = r * sin(a), lever = s + s * r * cos(a) / sqrt(l * l - s * s);
        check_close(look_at_joint(world, motor).effort, torque, 1e-9, 0.0);
        check_close(force_on(world, wall).x, torque / lever, 1e-5, 0.0);
        cairn_world_destroy(world);
    }
}

static cairn_shape_id prism(cairn_world *world, const double profile[4][2], double depth)
{
    double points[8][3];
    for (int i = 0; i < 8; i++) {
        points[i][0] = profile[i % 4][0];
        points[i][1] = i < 4 ? -0.5 * depth : 0.5 * depth;
        points[i][2] = profile[i % 4][1];
    }
    cairn_shape_def def = cairn_default_shape_def(CAIRN_POLYHEDRON);
    def.points = (const double(*)[3])points;
    def.point_count = 8;
    return make_shape(world, &def);
}

/// A ram without friction pushes a wedge under a load on a guide; how far it comes in half a
/// second. Statics asks for W (tan(slope + phi) + tan(phi)), phi the angle of friction.
static double drive_wedge(double force, double friction, double slope, double weight)
{
    static const double up[3] = {0.0, 0.0, 1.0}, along[3] = {1.0, 0.0, 0.0};
    const double low = 0.02, depth = 0.1, rise = tan(slope), g = 10.0, ball = 0.02;
    cairn_error error = {0};
    cairn_world *world = press_world(2e-3, g, friction);
    cairn_material_id rough, smooth;
    require(cairn_material_create(world, "rough", &rough, &error), &error);
    require(cairn_material_create(world, "smooth", &smooth, &error), &error);
    require(cairn_pair_set_value(world, smooth, rough, "friction", cairn_number(0.0), &error),
            &error);
    add_ground(world);
    const double wedge[4][2] = {{-0.2, 0.0}, {0.2, 0.0}, {0.2, low}, {-0.2, low + 0.4 * rise}};
    const double load[4][2] = {
        {0.0, low + 0.2 * rise}, {0.1, low + 0.1 * rise}, {0.1, 0.3}, {0.0, 0.3}};
    add_shape(world, CAIRN_DYNAMIC, prism(world, wedge, depth), 1e-3, 0.0, 0.0, 0.0);
    cairn_body_id above =
        add_shape(world, CAIRN_DYNAMIC, prism(world, load, depth), weight / g, 0.0, 0.0, 0.0);
    cairn_joint_def guide = slider(above, 0.05, 0.0, 0.2, up);
    make_joint(world, &guide);
    cairn_body_def def = cairn_default_body_def();
    def.shape = sphere_shape(world, ball);
    def.material = smooth;
    def.mass = 0.1;
    def.position[0] = -0.2 - ball;
    def.position[2] = 0.03;
    cairn_body_id ram = make_body(world, &def);
    cairn_joint_def push = slider(ram, def.position[0], 0.0, def.position[2], along);
    set_motor(&push, 0.05, force);
    cairn_joint_id motor = make_joint(world, &push);
    run_solved(world, 250);
    double way = look_at_joint(world, motor).coordinate;
    cairn_world_destroy(world);
    return way;
}

static void a_wedge_moves_above_its_threshold(void **state)
{
    (void)state;
    static const double frictions[] = {0.1, 0.2, 0.35};
    const double slope = 15.0 * M_PI / 180.0, weight = 40.0;
    for (int i = 0; i < 3; i++) {
        double phi = atan(frictions[i]), needed = weight * (tan(slope + phi) + tan(phi));
        check_close(drive_wedge(0.99 * needed, frictions[i], slope, weight), 0.0, 0.0, 1e-4);
        assert_true(drive_wedge(1.01 * needed, frictions[i], slope, weight) > 0.01);
    }
}

/// Two pads on a turning disc: each takes the torque mu F R until the disc stands.
static void pads_brake_a_disc(void **state)
{
    (void)state;
    static const double axle[3] = {0.0, 0.0, 1.0};
    const double force = 10.0, friction = 0.3, arm = 0.15, ball = 0.02, h = 1e-3;
    const double spin = 20.0, inertia = 0.5 * 2.0 * 0.2 * 0.2;
    cairn_world *world = press_world(h, 0.0, friction);
    cairn_shape_def disc = cairn_default_shape_def(CAIRN_CYLINDER);
    disc.radius = 0.2;
    disc.half_length = 0.01;
    cairn_body_def def = cairn_default_body_def();
    def.shape = make_shape(world, &disc);
    def.mass = 2.0;
    def.angular_velocity[2] = spin;
    cairn_body_id wheel = make_body(world, &def);
    cairn_joint_def hinge = joint_def(CAIRN_JOINT_HINGE, no_body, wheel, 0.0, 0.0, 0.0);
    memcpy(hinge.axis, axle, sizeof axle);
    cairn_joint_id turn = make_joint(world, &hinge);
    for (int k = 0; k < 2; k++) {
        double side = k == 0 ? -1.0 : 1.0, axis[3] = {0.0, 0.0, -side}, z = side * (0.01 + ball);
        cairn_body_id pad =
            add_shape(world, CAIRN_DYNAMIC, sphere_shape(world, ball), 0.1, arm, 0.0, z);
        cairn_joint_def clamp = slider(pad, arm, 0.0, z, axis);
        set_motor(&clamp, 0.1, force);
        make_joint(world, &clamp);
    }
    double rate = 2.0 * friction * force * arm / inertia;
    run_solved(world, 100);
    double start = look_at_joint(world, turn).speed;
    run_solved(world, 400);
    check_close(look_at_joint(world, turn).speed, start - 400.0 * h * rate, 1e-6, 0.0);
    run_solved(world, 500);
    check_close(look_at_joint(world, turn).speed, 0.0, 0.0, 1e-9);
    cairn_world_destroy(world);
}

/// Four driven wheels that do not slip, up a slope:
///     a = (sum of T/r - m g sin)/(m + sum of I/r^2)
static void a_rover_climbs_with_the_torque_of_its_wheels(void **state)
{
    (void)state;
    const double slope = 10.0 * M_PI / 180.0, torque = 0.6, r = 0.08, g = 9.81;
    const double body = 5.0, wheel = 0.5, h = 1e-3;
    cairn_world_def world_def = cairn_default_world_def();
    world_def.time_step = h;
    world_def.gravity[0] = -g * sin(slope);
    world_def.gravity[1] = 0.0;
    world_def.gravity[2] = -g * cos(slope);
    cairn_world *world = make_world(&world_def);
    set_contact(world, 0.9, 0.0);
    add_ground(world);
    cairn_shape_id box = box_shape(world, 0.5, 0.2, 0.1);
    cairn_body_id chassis = add_shape(world, CAIRN_DYNAMIC, box, body, 0.0, 0.0, 0.12);
    for (int k = 0; k < 4; k++) {
        double x = k < 2 ? -0.2 : 0.2, y = k % 2 == 0 ? -0.15 : 0.15;
        cairn_body_id w = add_shape(world, CAIRN_DYNAMIC, sphere_shape(world, r), wheel, x, y, r);
        cairn_joint_def drive = joint_def(CAIRN_JOINT_HINGE, chassis, w, x, y, r);
        set_axis(drive.axis, 0.0, 1.0, 0.0);
        set_motor(&drive, 200.0, torque);
        make_joint(world, &drive);
    }
    run_solved(world, 500);
    double mass = body + 4.0 * wheel, push = 4.0 * torque / r;
    double rate = (push - mass * g * sin(slope)) / (mass + 4.0 * 0.4 * wheel);
    check_close(look_at(world, chassis).velocity[0], 500.0 * h * rate, 1e-4, 0.0);
    check_close(look_at(world, chassis).orientation[0], 1.0, 1e-9, 0.0);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_motors_press_with_their_stiffness),
        cmocka_unit_test(a_limited_ram_pushes_with_its_limit),
        cmocka_unit_test(a_toggle_multiplies_its_torque),
        cmocka_unit_test(a_wedge_moves_above_its_threshold),
        cmocka_unit_test(pads_brake_a_disc),
        cmocka_unit_test(a_rover_climbs_with_the_torque_of_its_wheels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
