// SPDX-License-Identifier: Apache-2.0
// Two fingers lift a box: held above the friction that statics asks for and let slip below it,
// whatever the digits of tolerance, step and solver.
#include "tests/physics/joint_world.h"

static const double rise = 0.15, start = 0.4, end = 0.9, grip = 15.0, mass = 0.8, gravity = 9.81;

static cairn_status lift(void *context, double time, cairn_motion *motion, cairn_error *error)
{
    (void)context;
    (void)error;
    double since = fmax(time - start, 0.0);
    motion->given = CAIRN_MOTION_POSITION;
    motion->position[2] = 0.26 + rise * (1.0 - cos(M_PI * since));
    return CAIRN_OK;
}

typedef struct gripper {
    cairn_world *world;
    cairn_body_id palm, box;
    cairn_joint_id finger[2];
} gripper;

static cairn_body_id add_box(cairn_world *world, cairn_body_kind kind, const double size[3],
                             double m, double x, double z)
{
    cairn_body_def def = cairn_default_body_def();
    def.kind = kind;
    def.shape = box_shape(world, size[0], size[1], size[2]);
    def.mass = m;
    def.position[0] = x;
    def.position[2] = z;
    return make_body(world, &def);
}

static gripper make_gripper(const char *solver, double friction, double tolerance, double h)
{
    cairn_error error = {0};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = h;
    def.tolerance = tolerance;
    gripper g = {.world = make_world(&def)};
    require(cairn_world_set_solver(g.world, solver, &error), &error);
    set_contact(g.world, friction, 0.0);
    add_ground(g.world);
    const double palm[3] = {0.24, 0.06, 0.04}, finger[3] = {0.02, 0.05, 0.16};
    const double box[3] = {0.1, 0.1, 0.12};
    g.palm = add_box(g.world, CAIRN_MOVING, palm, 0.0, 0.0, 0.26);
    require(cairn_body_set_motion(g.world, g.palm, lift, NULL, &error), &error);
    for (int k = 0; k < 2; k++) {
        double side = k == 0 ? -1.0 : 1.0;
        cairn_body_id body = add_box(g.world, CAIRN_DYNAMIC, finger, 0.2, 0.085 * side, 0.16);
        cairn_joint_def slider =
            joint_def(CAIRN_JOINT_SLIDER, g.palm, body, 0.085 * side, 0.0, 0.24);
        set_axis(slider.axis, -side, 0.0, 0.0);
        slider.motor = true;
        slider.motor_velocity = 0.1;
        slider.motor_limit = grip;
        slider.range[0] = -0.02;
        slider.range[1] = 0.08;
        g.finger[k] = make_joint(g.world, &slider);
    }
    g.box = add_box(g.world, CAIRN_DYNAMIC, box, mass, 0.0, 0.06);
    return g;
}

/// How far the box has slipped down in the fingers at the end, and how far it has turned.
static double run_grip(const char *solver, double friction, double tolerance, double h,
                       double *turned)
{
    gripper g = make_gripper(solver, friction, tolerance, h);
    run_steps(g.world, (int)lround(end / h));
    cairn_body_view box = look_at(g.world, g.box), palm = look_at(g.world, g.palm);
    *turned = 0.0;
    for (int k = 1; k < 4; k++)
        *turned = fmax(*turned, fabs(box.orientation[k]));
    for (int k = 0; k < 2; k++)
        check_close(look_at_joint(g.world, g.finger[k]).effort, grip, 1e-3, 0.0);
    check_at_most(fabs(cairn_world_get_energy(g.world).residual), 1e-6);
    cairn_world_destroy(g.world);
    return palm.position[2] - box.position[2] - 0.2;
}

/// The friction that bears weight and the largest acceleration, shared by two fingers.
static double threshold(void)
{
    return mass * (gravity + rise * M_PI * M_PI) / (2.0 * grip);
}

static void check_grip(const char *solver, double tolerance, double h)
{
    static const double held[] = {1.01, 1.3, 2.0};
    double turned, slip;
    for (int i = 0; i < 3; i++) {
        slip = run_grip(solver, held[i] * threshold(), tolerance, h, &turned);
        check_close(slip, 0.0, 0.0, 1e-5);
        check_at_most(turned, 1e-4);
    }
    slip = run_grip(solver, 0.99 * threshold(), tolerance, h, &turned);
    check_at_most(2e-4, slip);
    check_at_most(turned, 2e-3);
}

static void a_grip_holds_above_its_threshold_and_slips_below(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-5, 1e-6, 1e-7, 1e-8};
    static const char *const solvers[] = {"nipm",          "paln",           "gauss_seidel",
                                          "block_jacobi",  "proximal_point", "newton_alart_curnier",
                                          "vi_fixed_point"};
    for (int i = 0; i < 4; i++)
        check_grip("auto", tolerances[i], 2e-3);
    check_grip("auto", 1e-6, 5e-3);
    check_grip("auto", 1e-6, 1e-3);
    for (int i = 0; i < 7; i++)
        check_grip(solvers[i], 1e-6, 5e-3);
}

/// What is gripped is borne evenly: the least reactions that hold it.
static void pads_press_evenly(void **state)
{
    (void)state;
    gripper g = make_gripper("auto", 0.5, 1e-8, 2e-3);
    run_steps(g.world, (int)lround(end / 2e-3));
    int count = cairn_contact_count(g.world);
    assert_int_equal(count, 8);
    for (int i = 0; i < count; i++) {
        cairn_contact_view contact;
        cairn_contact_get(g.world, i, &contact);
        check_close(fabs(contact.force[0]), grip / 4.0, 1e-5, 0.0);
    }
    cairn_world_destroy(g.world);
}

/// A fixed and a moving pad brake a box that falls between them, with twice its weight: it stops
/// where statics asks for, and does not turn, although other shares of the load would turn it.
static void check_brake(const char *solver, double tolerance, double h)
{
    cairn_error error = {0};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = h;
    def.tolerance = tolerance;
    cairn_world *world = make_world(&def);
    require(cairn_world_set_solver(world, solver, &error), &error);
    set_contact(world, 0.5, 0.0);
    const double size[3] = {0.1, 0.1, 0.12}, pad[3] = {0.02, 0.06, 0.8};
    cairn_body_id box = add_box(world, CAIRN_DYNAMIC, size, 1.0, 0.0, 0.0);
    const double falls[3] = {0.0, 0.0, -1.0}, at_rest[3] = {0.0, 0.0, 0.0};
    require(cairn_body_set_velocity(world, box, falls, at_rest, &error), &error);
    add_box(world, CAIRN_FIXED, pad, 1.0, 0.06, -0.3);
    cairn_body_id moving = add_box(world, CAIRN_DYNAMIC, pad, 0.1, -0.06, -0.3);
    const cairn_body_id world_itself = {0};
    cairn_joint_def slider = joint_def(CAIRN_JOINT_SLIDER, world_itself, moving, -0.06, 0.0, 0.0);
    set_axis(slider.axis, 1.0, 0.0, 0.0);
    slider.motor = true;
    slider.motor_velocity = 0.1;
    slider.motor_limit = 2.0 * gravity;
    make_joint(world, &slider);
    double spin = 0.0;
    for (int i = 0; i < (int)lround(0.15 / h); i++) {
        run_steps(world, 1);
        cairn_body_view view = look_at(world, box);
        for (int k = 0; k < 3; k++)
            spin = fmax(spin, fabs(view.angular_velocity[k]));
    }
    cairn_body_view view = look_at(world, box);
    check_close(view.position[2], -0.5 / gravity, 0.0, h);
    check_at_most(fabs(view.velocity[2]), 1e-4);
    check_at_most(spin, 0.05);
    cairn_world_destroy(world);
}

static void what_slips_between_pads_does_not_turn(void **state)
{
    (void)state;
    static const char *const solvers[] = {"auto", "gauss_seidel", "nipm", "projected_newton",
                                          "newton_alart_curnier"};
    for (int i = 0; i < 5; i++)
        check_brake(solvers[i], 1e-6, 2e-3);
    check_brake("auto", 1e-8, 1e-3);
    check_brake("auto", 1e-5, 5e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grip_holds_above_its_threshold_and_slips_below),
        cmocka_unit_test(pads_press_evenly),
        cmocka_unit_test(what_slips_between_pads_does_not_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
