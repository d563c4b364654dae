// SPDX-License-Identifier: Apache-2.0
// Torque-free rotation: reference trajectories of the three schemes, exact solutions, invariants.
#include "engine/state/rotation.h"
#include "tests/check.h"

typedef struct scheme_case {
    const char *name;
    double J[3];
    cairn_rotation scheme;
    double h;
    int steps;
    double omega[3];
    double omega_end[3];
    double R_end[9];
    double energy_end;
    double momentum_bound;
} scheme_case;

static const scheme_case cases[] = {
#include "cases_rotation.inc"
};

typedef struct spinning {
    vec3 J, omega;
    quat q;
} spinning;

/// One step without torque, as the engine takes it.
static void step(spinning *body, cairn_rotation scheme, double h)
{
    quat mid = eng_rotation_advance(body->q, vec3_scale(0.5 * h, body->omega));
    vec3 zero = {0.0, 0.0, 0.0};
    vec3 free = eng_rotation_free(body->J, body->omega, zero, h);
    // what a step adds beyond the torque, in the form the engine hands it over
    vec3 omega = eng_rotation_end(scheme, body->J, body->omega, free, zero, h);
    vec3 turn = scheme == CAIRN_RIG_IMP ? omega : free;
    body->q = eng_rotation_advance(mid, vec3_scale(0.5 * h, turn));
    body->omega = omega;
}

static vec3 momentum(const spinning *body)
{
    return quat_rotate(body->q, vec3_multiply(body->J, body->omega));
}

static double energy(const spinning *body)
{
    return 0.5 * vec3_dot(body->omega, vec3_multiply(body->J, body->omega));
}

static void check_case(const scheme_case *c)
{
    spinning body = {vec3_from(c->J), vec3_from(c->omega), quat_identity()};
    vec3 start = momentum(&body);
    double drift = 0.0;
    for (int i = 0; i < c->steps; i++) {
        step(&body, c->scheme, c->h);
        vec3 d = vec3_abs(vec3_sub(momentum(&body), start));
        drift = fmax(drift, fmax(d.x, fmax(d.y, d.z)));
    }
    double omega[3];
    vec3_store(omega, body.omega);
    for (int k = 0; k < 3; k++)
        check_close(omega[k], c->omega_end[k], 1e-7, 1e-9);
    mat3 R = quat_to_mat3(body.q);
    for (int k = 0; k < 9; k++)
        check_close(R.m[k / 3][k % 3], c->R_end[k], 1e-7, 1e-9);
    check_close(energy(&body), c->energy_end, 1e-8, 0.0);
    check_at_most(drift, c->momentum_bound * 1.001);
}

static void the_three_schemes_follow_their_reference_trajectories(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        print_message("%s\n", cases[i].name);
        check_case(&cases[i]);
    }
}

/// Exact values at t = 5 s by elliptic functions and by an integrator of order 8.
static void the_schemes_converge_to_the_exact_motion(void **state)
{
    (void)state;
    const vec3 exact = {-0.3778323501723054, 2.6457806664003267, 2.3438036849292794};
    const cairn_rotation schemes[] = {CAIRN_RIG_IMP, CAIRN_RIG_NEG, CAIRN_RIG_POS};
    for (int s = 0; s < 3; s++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            int steps = k == 0 ? 5000 : 10000;
            spinning body = {{0.4, 0.9, 1.1}, {2.0, -1.0, 3.0}, quat_identity()};
            for (int i = 0; i < steps; i++)
                step(&body, schemes[s], 5.0 / steps);
            error[k] = vec3_distance(body.omega, exact);
        }
        check_at_most(error[0], 1e-4);
        // second order
        check_close(error[0] / error[1], 4.0, 0.05, 0.0);
    }
}

static void a_symmetric_top_precesses_at_the_closed_form_rate(void **state)
{
    (void)state;
    spinning body = {{5.0, 5.0, 1.0}, {0.3, 0.1, 50.0}, quat_identity()};
    for (int i = 0; i < 370000; i++)
        step(&body, CAIRN_RIG_IMP, 1e-6);
    check_close(body.omega.x, -0.1057805381488846, 0.0, 1e-7);
    check_close(body.omega.y, -0.29801086850806696, 0.0, 1e-7);
    check_close(body.omega.z, 50.0, 1e-12, 0.0);
}

/// Largest relative change of energy over a number of steps; momentum must hold to round-off.
static double energy_swing(spinning *body, double h, int steps, int *flips)
{
    vec3 L = momentum(body);
    double E = energy(body), swing = 0.0, sign = 1.0;
    for (int i = 0; i < steps; i++) {
        step(body, CAIRN_RIG_IMP, h);
        check_at_most(vec3_distance(momentum(body), L), 1e-12 * vec3_norm(L));
        swing = fmax(swing, fabs(energy(body) / E - 1.0));
        if (body->omega.y * sign < -0.9) {
            sign = -sign;
            (*flips)++;
        }
    }
    return swing;
}

static void the_default_scheme_keeps_momentum_and_energy_through_flips(void **state)
{
    (void)state;
    // about the intermediate axis at 200 and 400 steps a turn; one period is two flips
    const double period = 55.061681, h = 2.0 * 3.14159265358979 / 200.0;
    int steps = (int)(period / h), flips = 0;
    spinning coarse = {{1.0, 2.0, 3.0}, {1e-3, 1.0, 1e-3}, quat_identity()}, fine = coarse;
    double first = energy_swing(&coarse, h, steps, &flips);
    assert_int_equal(flips, 2);
    check_at_most(first, 5e-5);
    // bounded: ten more periods swing no further
    check_at_most(energy_swing(&coarse, h, 10 * steps, &flips), 2.0 * first);
    // second order
    check_at_most(energy_swing(&fine, 0.5 * h, 2 * steps, &flips), 0.3 * first);
}

static void free_motion_is_exact_at_any_step(void **state)
{
    (void)state;
    // the exact motion of the_schemes_converge_to_the_exact_motion, in one piece and in many
    const vec3 exact = {-0.3778323501723054, 2.6457806664003267, 2.3438036849292794};
    quat first = {0.0, 0.0, 0.0, 0.0};
    const int parts[] = {1, 2, 7, 1000};
    for (size_t n = 0; n < sizeof parts / sizeof parts[0]; n++) {
        spinning body = {{0.4, 0.9, 1.1}, {2.0, -1.0, 3.0}, quat_identity()};
        vec3 L = momentum(&body);
        double E = energy(&body);
        for (int i = 0; i < parts[n]; i++)
            eng_rotation_flow(body.J, &body.q, &body.omega, 5.0 / parts[n]);
        check_at_most(vec3_distance(body.omega, exact), 1e-11);
        check_at_most(vec3_distance(momentum(&body), L), 1e-12 * vec3_norm(L));
        check_close(energy(&body), E, 1e-12, 0.0);
        quat q = body.q;
        first = n == 0 ? q : first;
        check_at_most(fabs(q.w - first.w) + fabs(q.x - first.x) + fabs(q.y - first.y) +
                          fabs(q.z - first.z),
                      1e-11);
        // back to where it came from
        spinning back = {body.J, vec3_scale(-1.0, body.omega), body.q};
        eng_rotation_flow(back.J, &back.q, &back.omega, 5.0);
        check_close(fabs(back.q.w), 1.0, 1e-12, 0.0);
        check_at_most(vec3_distance(back.omega, vec3_make(-2.0, 1.0, -3.0)), 1e-11);
    }
}

static void free_motion_of_tops_and_needles_is_exact(void **state)
{
    (void)state;
    // a symmetric top: the angular velocity goes round its axis at (J1 - J3) / J1 of the spin
    spinning top = {{5.0, 5.0, 1.0}, {0.3, 0.1, 50.0}, quat_identity()};
    eng_rotation_flow(top.J, &top.q, &top.omega, 0.37);
    double angle = -(5.0 - 1.0) / 5.0 * 50.0 * 0.37;
    check_close(top.omega.x, 0.3 * cos(angle) - 0.1 * sin(angle), 0.0, 1e-12);
    check_close(top.omega.y, 0.3 * sin(angle) + 0.1 * cos(angle), 0.0, 1e-12);
    // thin bodies, fast and slow, and one at rest
    const vec3 J[] = {{1e-6, 1.0, 1.0}, {1.0, 1.0, 2.0}, {1e-8, 3e-8, 3.5e-8}};
    const double speed[] = {300.0, 1e-9, 0.0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            spinning body = {J[i], vec3_scale(speed[k], vec3_make(1.0, 0.7, -0.4)),
                             quat_identity()};
            vec3 L = momentum(&body);
            double E = energy(&body);
            eng_rotation_flow(body.J, &body.q, &body.omega, 0.05);
            check_at_most(vec3_distance(momentum(&body), L), 1e-12 * vec3_norm(L));
            check_close(energy(&body), E, 1e-12, 0.0);
        }
}

static void a_step_of_many_turns_stays_finite(void **state)
{
    (void)state;
    spinning body = {{1.0, 2.0, 3.0}, {300.0, 500.0, -200.0}, quat_identity()};
    vec3 L = momentum(&body);
    for (int i = 0; i < 100; i++)
        step(&body, CAIRN_RIG_IMP, 0.01);
    assert_true(vec3_is_finite(body.omega));
    check_close(vec3_norm(momentum(&body)), vec3_norm(L), 1e-10, 0.0);
}

/// Up to half a turn in a step the default scheme keeps the momentum as a vector, of long and flat
/// bodies, too.
static void half_turns_in_a_step_keep_momentum(void **state)
{
    (void)state;
    const vec3 J[] = {{1.0, 2.0, 3.0}, {1.0, 1.0, 1.9}, {0.2, 1.0, 1.1}, {3.0, 0.5, 2.6}};
    for (int i = 0; i < 4; i++)
        for (int k = 1; k <= 60; k++) {
            const double turn = 0.05 * k, h = 0.01;
            vec3 axis = {sin(1.0 * k), cos(2.0 * k), sin(3.0 * k + 1.0)};
            vec3 omega = vec3_scale(turn / (h * vec3_norm(axis)), axis);
            spinning body = {J[i], omega, quat_identity()};
            vec3 L = momentum(&body);
            step(&body, CAIRN_RIG_IMP, h);
            check_at_most(vec3_distance(momentum(&body), L), 1e-12 * vec3_norm(L));
        }
}

/// What the begin and the end of a step say beside the angular velocity fits it.
static void test_turns(void **state)
{
    (void)state;
    static const cairn_rotation schemes[] = {CAIRN_RIG_POS, CAIRN_RIG_NEG, CAIRN_RIG_IMP};
    const double h = 0.02;
    vec3 J = {1.0, 2.0, 2.5}, omega = {3.0, -4.0, 5.0}, torque = {7.0, 1.0, -2.0};
    eng_turning turning = {.half = eng_rotation_half(omega, h)};
    eng_rotation_begin(J, omega, torque, h, &turning);
    vec3 free = eng_rotation_free(J, omega, torque, h);
    assert_memory_equal(&free, &turning.omega, sizeof free);
    vec3 impulse = vec3_scale(h, torque);
    for (int i = 0; i < 3; i++) {
        quat turn;
        vec3 whole = eng_rotation_end(schemes[i], J, omega, free, impulse, h);
        vec3 end = eng_rotation_finish(schemes[i], J, turning.momentum, free, impulse, h, &turn);
        assert_memory_equal(&whole, &end, sizeof whole);
        quat expected = eng_rotation_half(schemes[i] == CAIRN_RIG_IMP ? end : free, h);
        assert_memory_equal(&expected, &turn, sizeof turn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(the_three_schemes_follow_their_reference_trajectories),
        cmocka_unit_test(the_schemes_converge_to_the_exact_motion),
        cmocka_unit_test(a_symmetric_top_precesses_at_the_closed_form_rate),
        cmocka_unit_test(the_default_scheme_keeps_momentum_and_energy_through_flips),
        cmocka_unit_test(free_motion_is_exact_at_any_step),
        cmocka_unit_test(free_motion_of_tops_and_needles_is_exact),
        cmocka_unit_test(a_step_of_many_turns_stays_finite),
        cmocka_unit_test(half_turns_in_a_step_keep_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
