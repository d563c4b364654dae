// SPDX-License-Identifier: Apache-2.0
// incremental against runs of the program it comes from, and against exact rotations.
#include "tests/unit/contact/laws/law_fixture.h"

static parameters incremental(double k_n, double k_s, double friction, bool program)
{
    parameters p = law_defaults("incremental");
    law_set(&p, "normal_stiffness", k_n);
    law_set(&p, "shear_stiffness", k_s);
    law_set(&p, "friction", friction);
    law_set_word(&p, "rotation", program ? "first_order" : "exact");
    return p;
}

static vec3 shear_of(const con_law_state *s)
{
    return vec3_from(s->history);
}

static con_law_response advance(const parameters *law, con_law_state *s)
{
    con_law_response r = law_evaluate(law, s);
    memcpy(s->history, r.history, sizeof s->history);
    return r;
}

/// Shears a pair in place, then turns it as a whole.
static con_law_state sheared_and_turned(const parameters *law, vec3 omega, vec3 about, int steps,
                                        vec3 *sheared)
{
    con_law_state s = {.body = {{.radius = 0.5, .mass = 1.0},
                                {.position = {0.796, 0.0, 0.0}, .radius = 0.3, .mass = 1.0}},
                       .step = 1e-4};
    s.body[1].velocity = vec3_make(0.0, 0.02, 0.01);
    for (int i = 0; i < 50; i++)
        advance(law, &s);
    *sheared = shear_of(&s);
    vec3 start[2] = {vec3_sub(s.body[0].position, about), vec3_sub(s.body[1].position, about)};
    for (int i = 1; i <= steps; i++) {
        quat now = base_quat_from_rotation_vector(vec3_scale(i * s.step, omega));
        for (int k = 0; k < 2; k++) {
            vec3 to = quat_rotate(now, start[k]);
            s.body[k].position = vec3_add(about, to);
            s.body[k].velocity = vec3_cross(omega, to);
            s.body[k].angular_velocity = omega;
        }
        advance(law, &s);
    }
    return s;
}

typedef struct turn_case {
    vec3 omega, about;
    double program[3], exact[3];
} turn_case;

static void test_rigid_rotation(void **state)
{
    (void)state;
    const turn_case cases[] = {
        {{0.0, 0.0, 50.0},
         {0.1, -0.2, 0.05},
         {36.738317961471004, 16.812457953725723, -20.100502512562812},
         {36.55467042515303, 16.729521067221803, -20.100502512562812}},
        {{60.0, 0.0, 0.0},
         {0.0, 0.0, 0.0},
         {0.0, 43.53306946582721, -12.42267969075796},
         {0.0, 43.221117821781746, -12.332314483639326}},
    };
    const double after_shear[] = {0.0, -40.201005025125625, -20.100502512562812};
    for (int i = 0; i < 2; i++)
        for (int program = 0; program < 2; program++) {
            parameters law = incremental(1e6, 4e5, 0.5, program != 0);
            vec3 sheared;
            con_law_state s =
                sheared_and_turned(&law, cases[i].omega, cases[i].about, 400, &sheared);
            check_vector(sheared, after_shear, 1e-12, 0.0);
            const double *expected = program ? cases[i].program : cases[i].exact;
            for (int k = 0; k < 3; k++)
                check_close(vec3_get(shear_of(&s), k), expected[k], program ? 1e-10 : 1e-9, 1e-9);
        }
}

/// Every rigid motion turns the force with the pair, whatever its axis and however large the step.
static void test_objective(void **state)
{
    (void)state;
    parameters law = incremental(1e6, 4e5, 0.5, false);
    law_set(&law, "shear_stiffness", 1e-9);
    vec3 omega = vec3_make(2000.0, -3000.0, 1500.0);
    quat q = base_quat_from_rotation_vector(vec3_scale(1e-4, omega));
    con_law_state s = {.body = {{.radius = 0.5, .mass = 1.0},
                                {.position = quat_rotate(q, vec3_make(0.796, 0.0, 0.0)),
                                 .radius = 0.3,
                                 .mass = 1.0}},
                       .step = 1e-4,
                       .history = {0.0, 40.0, -20.0, 1.0, 0.0, 0.0}};
    s.body[0].angular_velocity = s.body[1].angular_velocity = omega;
    advance(&law, &s);
    vec3 expected = quat_rotate(q, vec3_make(0.0, 40.0, -20.0));
    double wanted[3];
    vec3_store(wanted, expected);
    check_vector(shear_of(&s), wanted, 1e-9, 0.0);
}

/// Approach, turn, retract, turn back.
static void check_ratchet(bool correction, double after_turn, double at_end)
{
    parameters law = incremental(1e6, 4e5, 5.0, true);
    law_set_flag(&law, "ratcheting_correction", correction);
    con_law_state s = {.body = {{.radius = 0.5, .mass = 1.0},
                                {.position = {0.798, 0.0, 0.0}, .radius = 0.3, .mass = 1.0}},
                       .step = 1e-4};
    const double rate[4][2] = {{-1.0, 0.0}, {0.0, 1.0}, {1.0, 0.0}, {0.0, -1.0}};
    for (int phase = 0; phase < 4; phase++) {
        s.body[1].velocity.x = rate[phase][0] * 0.01 / (20 * s.step);
        s.body[1].angular_velocity.z = rate[phase][1] * 0.002 / (20 * s.step);
        for (int i = 0; i < 20; i++) {
            s.body[1].position.x += s.step * s.body[1].velocity.x;
            advance(&law, &s);
        }
        if (phase == 1)
            check_close(s.history[1], after_turn, 1e-10, 1e-9);
    }
    check_close(s.history[1], at_end, 1e-9, 1e-9);
    check_close(s.history[0], 0.0, 0.0, 1e-9);
}

static void test_ratcheting(void **state)
{
    (void)state;
    check_ratchet(true, 240.0, 0.0);
    check_ratchet(false, 235.2, -4.0);
}

/// Leap-frog of a pair: force at (x_n, v_{n-1/2}), then v, then x.
static void leap_frog(const parameters *law, con_law_state *s, int steps)
{
    for (int n = 0; n < steps; n++) {
        con_law_response r = advance(law, s);
        for (int k = 0; k < 2; k++) {
            con_law_body *b = &s->body[k];
            b->velocity = vec3_add_scaled(b->velocity, s->step / b->mass, r.force[k]);
            b->angular_velocity =
                vec3_add_scaled(b->angular_velocity, s->step / body_inertia(b), r.torque[k]);
            b->position = vec3_add_scaled(b->position, s->step, b->velocity);
        }
    }
}

static double ball_mass(double radius)
{
    return 2600.0 * 4.0 / 3.0 * M_PI * radius * radius * radius;
}

static void test_oblique_collision(void **state)
{
    (void)state;
    parameters law = incremental(1e6, 4e5, 0.3, true);
    con_law_state s = {
        .body = {{.velocity = {0.5, 0.4, 0.0}, .radius = 0.05, .mass = ball_mass(0.05)},
                 {.position = {0.0802, 0.0, 0.0},
                  .velocity = {-1.5, -0.2, 0.3},
                  .angular_velocity = {0.0, 0.0, 20.0},
                  .radius = 0.03,
                  .mass = ball_mass(0.03)}},
        .step = 1e-6};
    leap_frog(&law, &s, 4000);
    const double expected[6][3] = {
        {-0.0002208462319929202, 0.0012212487068144302, 9.22525347936878e-05},
        {-0.21001679787556657, 0.2846481895953, 0.028014891594475566},
        {0.007980183381830992, -1.4871457532967425, -5.878356624923646},
        {0.08448169551847313, 0.0009534782091924864, 0.0007729049315107269},
        {1.7871148049794747, 0.3340361592810224, 0.17030142780335414},
        {0.06119951508793964, -11.410913153193107, -25.10482652181463},
    };
    for (int k = 0; k < 2; k++) {
        check_vector(s.body[k].position, expected[3 * k], 1e-9, 1e-11);
        check_vector(s.body[k].velocity, expected[3 * k + 1], 1e-9, 1e-11);
        check_vector(s.body[k].angular_velocity, expected[3 * k + 2], 1e-9, 1e-11);
    }
}

typedef struct rebound {
    double k_s, friction, sliding, omega, ratio, normal;
    double closed_form;
} rebound;

/// Two equal balls meet head on while they slide past each other.
static void check_rebound(const rebound *c, bool program, double tolerance)
{
    parameters law = incremental(1e8, c->k_s, c->friction, program);
    double m = 1.0, r = 0.05, duration = M_PI * sqrt(0.5 * m / 1e8);
    con_law_state s = {.body = {{.velocity = {0.5, 0.0, 0.0}, .radius = r, .mass = m},
                                {.position = {2.0 * r + 1e-9, 0.0, 0.0},
                                 .velocity = {-0.5, c->sliding, 0.0},
                                 .radius = r,
                                 .mass = m}},
                       .step = duration / 4000.0};
    s.body[0].angular_velocity.z = s.body[1].angular_velocity.z = c->omega;
    double before = c->sliding - 2.0 * r * c->omega;
    int steps = 0;
    do
        leap_frog(&law, &s, 1);
    while (vec3_distance(s.body[0].position, s.body[1].position) <= 2.0 * r && steps++ < 9000);
    vec3 n =
        vec3_normalize_or(vec3_sub(s.body[1].position, s.body[0].position), vec3_make(1, 0, 0));
    vec3 v = vec3_sub(s.body[1].velocity, s.body[0].velocity);
    vec3 omega = vec3_add(s.body[0].angular_velocity, s.body[1].angular_velocity);
    vec3 slid = vec3_sub(v, vec3_scale(r, vec3_cross(omega, n)));
    double normal = vec3_dot(v, n);
    vec3 along = vec3_make(-n.y, n.x, 0.0);
    check_close(vec3_dot(slid, along) / before, c->closed_form, 0.0, 0.006);
    check_close(vec3_dot(slid, along) / before, c->ratio, tolerance, 0.0);
    if (c->normal > 0.0)
        check_close(normal, c->normal, tolerance, 0.0);
}

static void test_tangential_restitution(void **state)
{
    (void)state;
    const rebound cases[] = {
        {2e7, 1e4, 0.5, 0.0, -0.872301451891059, 0.9998954179407121, -0.8712035703878286},
        {4e7, 1e4, 0.2, 5.0, -0.8371490870717212, 1.0000569907736736, -0.8388713464675855},
        {2e7, 0.1, 3.0, 0.0, 0.7690452342528803, 0.0, 0.7666666666666666},
    };
    for (int i = 0; i < 3; i++)
        check_rebound(&cases[i], true, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_rotation),
        cmocka_unit_test(test_objective),
        cmocka_unit_test(test_ratcheting),
        cmocka_unit_test(test_oblique_collision),
        cmocka_unit_test(test_tangential_restitution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
