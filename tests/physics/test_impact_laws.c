// SPDX-License-Identifier: Apache-2.0
// Impacts of several contacts at once by Newton, Poisson and one after the other; tangential
// restitution; cohesion of the cone law.
#include "base/rng.h"
#include "tests/physics/bench_world.h"

#include <string.h>

static const double still[3] = {0.0, 0.0, 0.0};

static cairn_world *empty_world(cairn_impact impact, double friction, double restitution)
{
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = 1e-3;
    def.tolerance = 1e-10;
    def.impact = impact;
    cairn_world *world = make_world(&def);
    set_contact(world, friction, restitution);
    return world;
}

static void set_value(cairn_world *world, const char *name, double value)
{
    const cairn_material_id none = {0};
    cairn_error error = {0};
    require(cairn_pair_set_value(world, none, none, name, cairn_number(value), &error), &error);
}

/// A row of `count` touching balls, hit by `hitting` of them that fly in touch.
static void run_row(cairn_impact impact, int count, int hitting, double restitution, double *v)
{
    cairn_world *world = empty_world(impact, 0.0, restitution);
    cairn_shape_id ball = sphere_shape(world, 0.05);
    cairn_body_id body[8];
    for (int i = 0; i < count; i++) {
        body[i] = add_body_at(world, ball, 0.1 * i - (i < hitting ? 0.0333 : 0.0), 0.0, 0.0);
        const double speed[3] = {i < hitting ? 1.0 : 0.0, 0.0, 0.0};
        set_velocity(world, body[i], speed, still);
    }
    run_steps(world, 100);
    for (int i = 0; i < count; i++)
        v[i] = look_at(world, body[i]).velocity[0];
    cairn_world_destroy(world);
}

static void newtons_cradle(void **state)
{
    (void)state;
    double v[8];
    const cairn_impact together[] = {CAIRN_IMPACT_NEWTON, CAIRN_IMPACT_POISSON};
    for (int m = 0; m < 2; m++) {
        run_row(together[m], 3, 1, 1.0, v);
        const double expected[3] = {-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0};
        for (int i = 0; i < 3; i++)
            check_close(v[i], expected[i], 0.0, 1e-8);
    }
    for (int m = 0; m < 6; m++) {
        int hitting = 1 + m / 2;
        run_row(m % 2 == 0 ? CAIRN_IMPACT_SEQUENTIAL : CAIRN_IMPACT_ENERGETIC, 5, hitting, 1.0, v);
        for (int i = 0; i < 5; i++)
            check_close(v[i], i >= 5 - hitting ? 1.0 : 0.0, 0.0, 1e-8);
    }
}

/// One ball hits two that touch, from between them: all at once keeps the symmetry.
static void bernoullis_three_balls(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        cairn_world *world = empty_world((cairn_impact)m, 0.0, 1.0);
        cairn_shape_id ball = sphere_shape(world, 0.05);
        cairn_body_id hit = add_body_at(world, ball, -0.1, 0.0, 0.0);
        cairn_body_id a = add_body_at(world, ball, 0.0, 0.05, 0.0);
        cairn_body_id b = add_body_at(world, ball, 0.0, -0.05, 0.0);
        set_velocity(world, hit, (double[]){1.0, 0.0, 0.0}, still);
        run_steps(world, 100);
        cairn_body_view h = look_at(world, hit), p = look_at(world, a), q = look_at(world, b);
        double energy = h.kinetic_energy + p.kinetic_energy + q.kinetic_energy;
        check_close(energy, 0.5 * h.mass, 1e-3, 0.0);
        // impulses at 30 degrees once the balls meet
        check_close(p.velocity[0], q.velocity[0], 0.0, 1e-9);
        check_close(p.velocity[1], -q.velocity[1], 0.0, 1e-9);
        check_close(h.velocity[0], -0.2, 0.02, 0.0);
        cairn_world_destroy(world);
    }
}

/// The break of a rack of 15 balls, hit head on: mirrored bodies stay mirrored under every law,
/// whatever the order in which they are made. Impacts one after the other end at 1e-9 of the first.
static void a_break_is_symmetric(void **state)
{
    (void)state;
    for (int m = 0; m < 8; m++) {
        cairn_world *world = empty_world((cairn_impact)(m / 2), 0.0, 1.0);
        cairn_shape_id ball = sphere_shape(world, 0.05);
        cairn_body_id at[5][5];
        for (int k = 0; k < 15; k++) {
            int n = m % 2 == 0 ? k : k * 7 % 15, row = 0;
            for (; n > row; row++)
                n -= row + 1;
            at[row][n] =
                add_body_at(world, ball, 0.1 * row * sqrt(0.75), 0.1 * (n - 0.5 * row), 0.0);
        }
        cairn_body_id cue = add_body_at(world, ball, -0.11, 0.0, 0.0);
        set_velocity(world, cue, (double[]){10.0, 0.0, 0.0}, still);
        run_steps(world, 20);
        check_close(look_at(world, cue).velocity[1], 0.0, 0.0, 1e-7);
        for (int row = 1; row < 5; row++)
            for (int n = 0; 2 * n < row; n++) {
                cairn_body_view a = look_at(world, at[row][n]),
                                b = look_at(world, at[row][row - n]);
                check_close(a.velocity[0], b.velocity[0], 0.0, 1e-7);
                check_close(a.velocity[1], -b.velocity[1], 0.0, 1e-7);
            }
        cairn_body_view corner = look_at(world, at[4][0]);
        print_message("break, impact %d: corner %.3f m/s, cue ball %.3f m/s\n", m / 2,
                      hypot(corner.velocity[0], corner.velocity[1]),
                      look_at(world, cue).velocity[0]);
        cairn_world_destroy(world);
    }
}

/// One contact: the laws agree, with friction as the impulse balance has it.
static void oblique_impacts_agree(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        cairn_world *world = empty_world((cairn_impact)m, 0.2, 0.8);
        add_ground(world);
        cairn_body_id ball = add_body_at(world, sphere_shape(world, 0.05), 0.0, 0.0, 0.0703);
        set_velocity(world, ball, (double[]){4.0, 0.0, -1.0}, still);
        run_steps(world, 60);
        cairn_body_view view = look_at(world, ball);
        check_close(view.velocity[2], 0.8, 1e-6, 0.0);
        check_close(view.velocity[0], 4.0 - 0.2 * 1.8, 1e-6, 0.0);
        // the arm is shorter by half of the overlap, at most h v
        check_close(view.angular_velocity[1], 2.5 * 0.2 * 1.8 / 0.05, 5e-3, 0.0);
        cairn_world_destroy(world);
    }
}

/// A ball that sticks while it bounces turns its sliding velocity back by the coefficient.
static void tangential_restitution(void **state)
{
    (void)state;
    const cairn_impact modes[] = {CAIRN_IMPACT_NEWTON, CAIRN_IMPACT_SEQUENTIAL};
    for (int m = 0; m < 2; m++) {
        cairn_world *world = empty_world(modes[m], 5.0, 0.9);
        set_value(world, "tangential_restitution", 0.6);
        add_ground(world);
        cairn_body_id ball = add_body_at(world, sphere_shape(world, 0.05), 0.0, 0.0, 0.0703);
        set_velocity(world, ball, (double[]){1.0, 0.0, -1.0}, still);
        run_steps(world, 60);
        cairn_body_view view = look_at(world, ball);
        double sliding = view.velocity[0] - 0.05 * view.angular_velocity[1];
        check_close(sliding, -0.6, 5e-3, 0.0);
        check_close(view.velocity[2], 0.9, 1e-6, 0.0);
        cairn_energy e = cairn_world_get_energy(world);
        assert_true(e.friction >= 0.0 && e.impact > 0.0);
        check_close(e.residual, 0.0, 0.0, 1e-9);
        cairn_world_destroy(world);
    }
}

/// Poisson's law and that by energy have no tangential restitution: it is not left out without a
/// word.
static void poisson_refuses_it(void **state)
{
    (void)state;
    const cairn_impact modes[] = {CAIRN_IMPACT_POISSON, CAIRN_IMPACT_ENERGETIC};
    for (int m = 0; m < 2; m++) {
        cairn_error error = {0};
        cairn_world *world = empty_world(modes[m], 5.0, 0.9);
        set_value(world, "tangential_restitution", 0.6);
        add_ground(world);
        assert_int_equal(cairn_world_step(world, &error), CAIRN_ERROR_UNSUPPORTED);
        assert_non_null(strstr(error.message, m == 0 ? "poisson" : "energetic"));
        assert_non_null(strstr(error.message, "tangential_restitution = 0.6"));
        set_value(world, "tangential_restitution", 0.0);
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
        cairn_world_destroy(world);
    }
}

/// Friction and many contacts: momenta to round-off; no law gains energy.
static void many_bodies_keep_momentum(void **state)
{
    (void)state;
    for (int m = 1; m < 4; m++) {
        cairn_world *world = empty_world((cairn_impact)m, 0.4, 0.8);
        cairn_shape_id shapes[2] = {box_shape(world, 0.2, 0.3, 0.4), sphere_shape(world, 0.15)};
        for (int i = 0; i < 27; i++) {
            double x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
            cairn_body_id body = add_body_at(world, shapes[i % 2], 0.5 * x, 0.5 * y, 0.5 * z);
            set_velocity(world, body, (double[]){-2.0 * x + 0.1 * y, -2.0 * y, -1.5 * z},
                         (double[]){y + 0.3, z, x});
        }
        double p0[3], l0[3], p[3], l[3], before = 0.0,
                                         start = cairn_world_get_energy(world).kinetic;
        cairn_world_get_momentum(world, p0, l0);
        for (int i = 0; i < 300; i++) {
            run_steps(world, 1);
            cairn_energy e = cairn_world_get_energy(world);
            double lost = e.impact + e.friction;
            check_at_most(before - lost, 1e-7 * start);
            before = lost;
            check_close(e.kinetic + lost, start + e.correction + e.residual, 1e-9, 0.0);
        }
        assert_true(before > 0.1 * start);
        cairn_world_get_momentum(world, p, l);
        for (int k = 0; k < 3; k++) {
            check_close(p[k], p0[k], 0.0, 1e-9);
            check_close(l[k], l0[k], 0.0, 1e-9);
        }
        cairn_world_destroy(world);
    }
}

/// Largest relative change of the energy of spinning boxes and capsules that meet without loss.
static double energy_made(cairn_impact impact, double h)
{
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = h;
    def.tolerance = 1e-10;
    def.impact = impact;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.0, 1.0);
    base_rng rng = base_rng_make(7);
    cairn_shape_id box = box_shape(world, 0.1, 0.14, 0.08);
    for (int i = 0; i < 12; i++) {
        double z = 0.2 * (i - 5.5), v[3], w[3];
        cairn_body_id body = add_body_at(world, box, base_rng_range(&rng, -0.05, 0.05),
                                         base_rng_range(&rng, -0.05, 0.05), z);
        for (int k = 0; k < 3; k++) {
            v[k] = base_rng_range(&rng, -0.3, 0.3) - (k == 2 ? 4.0 * z : 0.0);
            w[k] = base_rng_range(&rng, -12.0, 12.0);
        }
        set_velocity(world, body, v, w);
    }
    double start = cairn_world_get_energy(world).kinetic, most = 0.0;
    for (int i = 0; i < (int)lround(0.3 / h); i++) {
        run_steps(world, 1);
        most = fmax(most, fabs(cairn_world_get_energy(world).impact));
    }
    cairn_world_destroy(world);
    return most / start;
}

/// What impacts without loss are booked with is of second order in the step, under every law.
static void lossless_impacts_are_of_second_order(void **state)
{
    (void)state;
    for (int m = 0; m < 4; m++) {
        double coarse = energy_made((cairn_impact)m, 1e-3);
        double fine = energy_made((cairn_impact)m, 2.5e-4);
        check_at_most(coarse, 1e-4);
        check_at_most(fine, fmax(0.1 * coarse, 1e-12));
    }
}

/// Whether a block hangs under a ceiling by its four corners that bear this share of their
/// cohesion.
static bool hangs(double share)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 2e-3;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.5, 0.0);
    cairn_body_def ceiling = cairn_default_body_def();
    ceiling.kind = CAIRN_FIXED;
    ceiling.shape = box_shape(world, 2.0, 2.0, 2.0);
    ceiling.position[2] = 1.1;
    make_body(world, &ceiling);
    cairn_body_id block = add_body_at(world, box_shape(world, 0.2, 0.2, 0.2), 0.0, 0.0, 0.0);
    set_value(world, "cohesion", look_at(world, block).mass * 9.81 / (4.0 * share));
    // the contact has to be closed once before it holds
    set_velocity(world, block, (double[]){0.0, 0.0, 0.1}, still);
    run_steps(world, 500);
    double z = look_at(world, block).position[2];
    cairn_world_destroy(world);
    return z > -0.001;
}

static void cohesion_holds_up_to_its_force(void **state)
{
    (void)state;
    assert_true(hangs(0.98));
    assert_false(hangs(1.02));
}

/// A ball is thrown into a wedge of a right angle: with a friction above 1 the faces cannot push it
/// out, which Newton's restitution asks for.
static void a_locking_wedge_stops_what_it_cannot_throw_back(void **state)
{
    (void)state;
    const double friction[] = {0.9, 1.2};
    for (int i = 0; i < 2; i++) {
        cairn_world *world = empty_world(CAIRN_IMPACT_NEWTON, friction[i], 0.5);
        cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
        for (int side = -1; side < 2; side += 2) {
            cairn_body_def def = cairn_default_body_def();
            def.kind = CAIRN_FIXED;
            def.shape = make_shape(world, &plane);
            def.orientation[0] = cos(M_PI / 8.0);
            def.orientation[2] = side * sin(M_PI / 8.0);
            make_body(world, &def);
        }
        cairn_body_id ball =
            add_body_at(world, sphere_shape(world, 0.1), 0.0, 0.0, 0.1 * sqrt(2.0));
        set_velocity(world, ball, (double[]){0.0, 0.0, -1.0}, still);
        run_steps(world, 1);
        assert_string_equal(cairn_world_get_report(world)->stop, "solved");
        cairn_body_view view = look_at(world, ball);
        // a ball that leaves slides along both faces alike, at e times the speed that it had
        check_close(view.velocity[2], i == 0 ? 0.5 : 0.0, 0.0, 1e-8);
        cairn_energy energy = cairn_world_get_energy(world);
        check_close(energy.residual, 0.0, 0.0, 1e-9 * view.mass);
        cairn_world_destroy(world);
    }
}

/// Unequal balls in a row, which an impact without restitution leaves moving as one: every step is
/// solved, in any direction, and they go on so. Their problem is round-off, and reactions of the
/// impact are no guess for it.
static void a_row_that_moves_as_one_goes_on(void **state)
{
    (void)state;
    const double directions[2][3] = {{1.0, 0.0, 0.0}, {0.2, 0.4, sqrt(0.8)}};
    const double radii[10] = {0.038, 0.061, 0.043, 0.052, 0.069, 0.031, 0.047, 0.065, 0.036, 0.058};
    for (int m = 0; m < 4; m++) {
        const double *d = directions[m % 2];
        int count = m < 2 ? 10 : 2;
        cairn_world *world = empty_world(CAIRN_IMPACT_NEWTON, 0.0, 0.0);
        cairn_body_id body[10];
        double place = -1e-3, first = 0.0, all = 0.0;
        for (int i = 0; i < count; i++) {
            double x = place;
            body[i] =
                add_body_at(world, sphere_shape(world, radii[i]), x * d[0], x * d[1], x * d[2]);
            place += radii[i] + (i < 9 ? radii[i + 1] : 0.0) + (i == 0 ? 1e-3 : 0.0);
            double mass = look_at(world, body[i]).mass;
            first = i == 0 ? mass : first;
            all += mass;
        }
        set_velocity(world, body[0], d, still);
        for (int k = 0; k < 30; k++) {
            run_steps(world, 1);
            const char *stop = cairn_world_get_report(world)->stop;
            assert_true(strcmp(stop, "solved") == 0 || strcmp(stop, "none") == 0);
        }
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                check_close(look_at(world, body[i]).velocity[k], d[k] * first / all, 0.0, 1e-8);
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newtons_cradle),
        cmocka_unit_test(bernoullis_three_balls),
        cmocka_unit_test(a_break_is_symmetric),
        cmocka_unit_test(oblique_impacts_agree),
        cmocka_unit_test(tangential_restitution),
        cmocka_unit_test(poisson_refuses_it),
        cmocka_unit_test(many_bodies_keep_momentum),
        cmocka_unit_test(lossless_impacts_are_of_second_order),
        cmocka_unit_test(cohesion_holds_up_to_its_force),
        cmocka_unit_test(a_locking_wedge_stops_what_it_cannot_throw_back),
        cmocka_unit_test(a_row_that_moves_as_one_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
