// SPDX-License-Identifier: Apache-2.0
// Impacts against closed forms: restitution, oblique and spinning impacts, bouncing ball, momentum.
#include "tests/physics/bench_world.h"

typedef struct oblique_case {
    double vn, vt, omega, e, mu, r;
    double vt_out, omega_out, vn_out;
} oblique_case;

/// One sphere against the plane without gravity; omega > 0 rolls forward.
static void check_oblique(const oblique_case *c)
{
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = 1e-4;
    cairn_world *world = make_world(&def);
    set_contact(world, c->mu, c->e);
    add_ground(world);
    cairn_body_id ball = add_body_at(world, sphere_shape(world, c->r), 0.0, 0.0, 1.5 * c->r);
    set_velocity(world, ball, (double[]){c->vt, 0.0, -c->vn}, (double[]){0.0, c->omega, 0.0});
    run_steps(world, 1000);
    cairn_body_view view = look_at(world, ball);
    check_close(view.velocity[0], c->vt_out, 2e-3, 0.0);
    check_close(view.angular_velocity[1], c->omega_out, 2e-3, 0.0);
    check_close(view.velocity[2], c->vn_out, 1e-9, 0.0);
    cairn_world_destroy(world);
}

static void oblique_and_spinning_impacts_follow_the_impulse_balance(void **state)
{
    (void)state;
    const oblique_case cases[] = {
        {1.0, 4.0, 0.0, 0.8, 0.2, 0.05, 3.64, 18.0, 0.8},
        {1.0, 1.0, 0.0, 0.8, 0.5, 0.05, 0.7142857142857143, 14.285714285714285, 0.8},
        {2.0, 0.0, -300.0, 0.5001736883638875, 0.2, 0.05, -0.600069475345555, -269.99652623272226,
         1.000347376727775},
        {2.0, 0.0, -20.0, 0.5, 0.4, 0.05, -0.2857142857142857, -5.714285714285715, 1.0},
    };
    for (int i = 0; i < 4; i++)
        check_oblique(&cases[i]);
}

/// Heights of successive bounces, h_n = e^(2n) h_0; time stepping places an impact to O(h).
static void a_ball_bounces_to_the_closed_form_heights(void **state)
{
    (void)state;
    const double restitution[] = {0.5, 0.9};
    for (int i = 0; i < 2; i++) {
        cairn_world_def def = cairn_default_world_def();
        def.time_step = 1e-5;
        cairn_world *world = make_world(&def);
        set_contact(world, 0.0, restitution[i]);
        add_ground(world);
        cairn_body_id ball = add_body_at(world, sphere_shape(world, 0.1), 0.0, 0.0, 1.1);
        double top = 0.0, last_speed = 0.0, height = 1.0;
        int bounces = 0;
        while (bounces < 4) {
            run_steps(world, 1);
            cairn_body_view view = look_at(world, ball);
            if (view.velocity[2] > 0.0 && last_speed < 0.0)
                top = 0.0;
            top = fmax(top, view.position[2] - 0.1);
            if (view.velocity[2] <= 0.0 && last_speed > 0.0) {
                height *= restitution[i] * restitution[i];
                bounces++;
                check_close(top, height, 1e-3, 0.0);
            }
            last_speed = view.velocity[2];
        }
        cairn_world_destroy(world);
    }
}

static void a_ball_comes_to_rest_when_its_bounces_accumulate(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 1e-4;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.0, 0.5);
    add_ground(world);
    cairn_body_id ball = add_body_at(world, sphere_shape(world, 0.1), 0.0, 0.0, 1.1);
    // t = sqrt(2 h0/g) (1 + e)/(1 - e) = 1.354571 s
    run_steps(world, 13300);
    assert_true(look_at(world, ball).kinetic_energy > 1e-9);
    run_steps(world, 700);
    cairn_body_view view = look_at(world, ball);
    check_at_most(fabs(view.velocity[2]), 1e-3);
    check_close(view.position[2], 0.1, 0.0, 1e-5);
    cairn_world_destroy(world);
}

static void a_head_on_collision_exchanges_velocities(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.3, 1.0);
    cairn_shape_id shape = sphere_shape(world, 0.1);
    cairn_body_id a = add_body_at(world, shape, -0.5, 0.0, 0.0);
    cairn_body_id b = add_body_at(world, shape, 0.5, 0.0, 0.0);
    double zero[3] = {0.0, 0.0, 0.0};
    set_velocity(world, a, (double[]){1.0, 0.0, 0.0}, zero);
    set_velocity(world, b, (double[]){-2.0, 0.0, 0.0}, zero);
    run_steps(world, 200);
    check_close(look_at(world, a).velocity[0], -2.0, 1e-12, 0.0);
    check_close(look_at(world, b).velocity[0], 1.0, 1e-12, 0.0);
    cairn_world_destroy(world);
}

/// Bodies of several shapes that collide in free space.
static cairn_world *free_pile(int threads)
{
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.threads = threads;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.4, 0.2);
    cairn_shape_def capsule = cairn_default_shape_def(CAIRN_CAPSULE);
    capsule.radius = 0.1;
    capsule.half_length = 0.15;
    cairn_shape_id shapes[3] = {box_shape(world, 0.2, 0.3, 0.4), sphere_shape(world, 0.15),
                                make_shape(world, &capsule)};
    for (int i = 0; i < 27; i++) {
        double x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        cairn_body_id body = add_body_at(world, shapes[i % 3], 0.6 * x, 0.6 * y, 0.6 * z);
        set_velocity(world, body, (double[]){-2.0 * x + 0.1 * y, -2.0 * y, -1.5 * z},
                     (double[]){y + 0.3, z, x});
    }
    return world;
}

static double distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

static void a_free_pile_keeps_its_momentum_and_loses_energy(void **state)
{
    (void)state;
    cairn_world *world = free_pile(1);
    double p0[3], l0[3], p[3], l[3], scale = 0.0;
    cairn_world_get_momentum(world, p0, l0);
    for (int i = 0; i < cairn_body_count(world); i++)
        scale += sqrt(2.0 * look_at(world, cairn_body_at(world, i)).mass *
                      look_at(world, cairn_body_at(world, i)).kinetic_energy);
    double start = cairn_world_get_energy(world).kinetic;
    int contacts = 0;
    for (int i = 0; i < 300; i++) {
        run_steps(world, 1);
        contacts += cairn_world_get_report(world)->active;
    }
    assert_true(contacts > 100);
    cairn_world_get_momentum(world, p, l);
    check_at_most(distance(p, p0), 1e-12 * scale);
    check_at_most(distance(l, l0), 1e-12 * scale);
    cairn_energy e = cairn_world_get_energy(world);
    assert_true(e.kinetic < start);
    // the position correction was at work, and its work is booked
    assert_true(e.correction != 0.0);
    check_close(e.kinetic + e.impact + e.friction, start + e.correction + e.residual, 1e-12, 0.0);
    check_at_most(fabs(e.correction), 0.02 * start);
    cairn_world_destroy(world);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
        cairn_world *world = free_pile(threads);
        run_steps(world, 200);
        hash[threads - 1] = cairn_world_get_hash(world);
        cairn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oblique_and_spinning_impacts_follow_the_impulse_balance),
        cmocka_unit_test(a_ball_bounces_to_the_closed_form_heights),
        cmocka_unit_test(a_ball_comes_to_rest_when_its_bounces_accumulate),
        cmocka_unit_test(a_head_on_collision_exchanges_velocities),
        cmocka_unit_test(a_free_pile_keeps_its_momentum_and_loses_energy),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
