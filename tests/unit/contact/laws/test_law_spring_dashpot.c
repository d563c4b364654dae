// SPDX-License-Identifier: Apache-2.0
// spring_dashpot against single calls of the program it comes from, bounces and closed forms.
#include "tests/unit/contact/laws/law_fixture.h"

typedef struct call_case {
    const char *name;
    int explicit_variant;
    double h, gap, spring, dashpot, hpow, friction, cohesion;
    int cohesive;
    mat3 W; // with the step in it
    double B[3], V[3], R_before[3], R[3];
    int cohesive_after;
} call_case;

static const call_case call_cases[] = {
#include "cases_law_penalty.inc"
};

static parameters spring_dashpot(double spring, double dashpot, double hpow, bool explicit_variant)
{
    parameters p = law_defaults("spring_dashpot");
    law_set(&p, "spring", spring);
    law_set(&p, "dashpot", dashpot);
    law_set(&p, "hpow", hpow);
    law_set_word(&p, "variant", explicit_variant ? "explicit" : "semi_explicit");
    return p;
}

static void call(const parameters *p, const con_impulse_input *input, double *history,
                 con_impulse_output *output)
{
    *output = (con_impulse_output){0};
    p->law->impulse(p->values, input, history, output);
}

static void test_single_calls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof call_cases / sizeof call_cases[0]; i++) {
        const call_case *c = &call_cases[i];
        parameters law = spring_dashpot(c->spring, c->dashpot, c->hpow, c->explicit_variant);
        law_set(&law, "friction", c->friction);
        law_set(&law, "cohesion", c->cohesion);
        con_impulse_input input = {.step = c->h,
                                   .gap = c->gap,
                                   .frame = mat3_identity(),
                                   .W = mat3_scale(1.0 / c->h, &c->W)};
        memcpy(input.V, c->V, sizeof input.V);
        memcpy(input.B, c->B, sizeof input.B);
        for (int k = 0; k < 3; k++)
            input.R_previous[k] = c->h * c->R_before[k];
        double history[CON_HISTORY_MAX] = {c->cohesive};
        con_impulse_output output;
        call(&law, &input, history, &output);
        for (int k = 0; k < 3; k++)
            check_close(output.R[k] / c->h, c->R[k], 1e-11, 1e-12);
        check_close(history[0], c->cohesive_after, 0.0, 0.0);
    }
}

/// One body above a wall, in the midpoint step.
typedef struct bounce {
    double m, h, gap, v, load; // load: acceleration
    double R_before, R;
    double history[CON_HISTORY_MAX];
    double deepest, most;
} bounce;

static void bounce_step(const parameters *law, bounce *b, double mid_gap, bool contact)
{
    con_impulse_input input = {.step = b->h,
                               .gap = fmin(mid_gap, 0.0),
                               .frame = mat3_identity(),
                               .mass = {INFINITY, b->m}};
    double half = b->gap + 0.5 * b->h * b->v, free = b->v + b->h * b->load;
    input.V[0] = b->v;
    input.B[0] = free;
    input.W.m[0][0] = 1.0 / b->m;
    con_impulse_output output = {0};
    if (contact)
        call(law, &input, b->history, &output);
    b->R = output.R[0] / b->h;
    b->v = free + output.R[0] / b->m;
    b->gap = half + 0.5 * b->h * b->v;
    b->most = fmax(b->most, b->R);
    b->deepest = fmin(b->deepest, b->gap);
}

static void check_bounce(const parameters *law, bounce b, int steps, const double expected[7])
{
    int first = -1, last = -1;
    double rebound = 0.0;
    for (int n = 0; n < steps; n++) {
        double half = b.gap + 0.5 * b.h * b.v;
        bool contact = half < 1e-6;
        double before = b.v;
        bounce_step(law, &b, half, contact);
        if (first < 0 && contact)
            first = n;
        if (first >= 0 && last < 0 && n > first && b.R == 0.0) {
            last = n;
            rebound = before;
        }
    }
    check_close(b.gap, expected[0], 1e-9, 1e-13);
    check_close(b.v, expected[1], 1e-9, 1e-12);
    assert_int_equal(first, (int)expected[2]);
    assert_int_equal(last, (int)expected[3]);
    check_close(rebound, expected[4], 1e-9, 0.0);
    check_close(b.most, expected[5], 1e-9, 0.0);
    check_close(b.deepest, expected[6], 1e-9, 0.0);
}

static void test_bounces(void **state)
{
    (void)state;
    const double semi[] = {
        0.01817957502024802, -0.5501967250671707,   1010, 1107, 0.8163362749328399,
        296.17994136768027,  -0.0029390693192369575};
    const double full[] = {
        0.018153285459083738, -0.5504512327228939,   1010, 1107, 0.8160817672771167,
        296.4743727662214,    -0.0029356214523861635};
    const double hertz[] = {
        0.025573774902179804, -0.35970645616060154,  615, 647, 0.794440043839375,
        917.5390770059324,    -0.0004389237379522913};
    bounce b = {.m = 1.0, .h = 1e-4, .gap = 0.05, .load = -9.81};
    parameters law = spring_dashpot(1e5, 40.0, 1.0, false);
    check_bounce(&law, b, 2500, semi);
    law = spring_dashpot(1e5, 40.0, 1.0, true);
    check_bounce(&law, b, 2500, full);
    law = spring_dashpot(1e8, 5.0, 1.5, false);
    b = (bounce){.m = 0.5, .h = 5e-5, .gap = 0.02, .v = -0.5, .load = -9.81};
    check_bounce(&law, b, 3000, hertz);
}

/// Converged restitution of the linear law, whose force ends at its first zero.
static void test_restitution_of_cut_force(void **state)
{
    (void)state;
    const double cases[][3] = {{0.05, 0.8587581017750918, 3.045360022172125},
                               {0.3, 0.4509754528931285, 2.6544745637853566}};
    for (int i = 0; i < 2; i++) {
        double k = 1e5, omega = sqrt(k);
        parameters law = spring_dashpot(k, 2.0 * cases[i][0] * sqrt(k), 1.0, false);
        bounce b = {.m = 1.0, .h = 2e-6 / omega, .gap = 1e-9, .v = -1.0};
        b.gap = 1e-7 * b.h;
        int steps = 0;
        for (; steps < 2 || b.R != 0.0; steps++)
            bounce_step(&law, &b, b.gap + 0.5 * b.h * b.v, true);
        check_close(b.v, cases[i][1], 1e-5, 0.0);
        check_close(steps * b.h * omega, cases[i][2], 1e-5, 0.0);
    }
}

/// A bonded body is pulled until the bond breaks; its gap is frozen while the bond is open.
static void test_pull_off(void **state)
{
    (void)state;
    parameters law = spring_dashpot(1e5, 200.0, 1.0, false);
    law_set(&law, "cohesion", 5.0);
    bounce b = {.m = 1.0, .h = 1e-4, .gap = -1e-5, .history = {1.0}};
    double before = 0.0, frozen = b.gap;
    int step = 0;
    for (;; step++) {
        b.load = 100.0 * (step + 0.5) * b.h;
        double half = b.gap + 0.5 * b.h * b.v;
        frozen = half < 1e-6 ? half : frozen;
        before = b.R;
        bounce_step(&law, &b, frozen, true);
        if (b.history[0] == 0.0)
            break;
        assert_true(law.law->bonded(law.values, b.history));
    }
    assert_int_equal(step, 550);
    check_close(b.R, -5.0, 1e-9, 0.0);
    check_close(before, -4.994900638010932, 1e-9, 0.0);
    check_close(b.v, 0.025056251783951627, 1e-9, 0.0);
    check_close(b.gap, 0.0006406048470996966, 1e-9, 1e-13);
    for (int n = 0; n < 50; n++) {
        step++;
        b.load = 100.0 * (step + 0.5) * b.h;
        bounce_step(&law, &b, 1.0, false);
    }
    check_close(b.v, 0.05385625178395162, 1e-9, 0.0);
}

/// Only contacts of the first step start cohesive, unless all shall.
static void test_bonding(void **state)
{
    (void)state;
    for (int always = 0; always < 2; always++)
        for (int initial = 0; initial < 2; initial++) {
            parameters law = spring_dashpot(1e5, 200.0, 1.0, false);
            law_set(&law, "cohesion", 5.0);
            law_set_word(&law, "cohesive", always ? "always" : "initial");
            con_impulse_input input = {.step = 1e-4,
                                       .gap = -1e-5,
                                       .frame = mat3_identity(),
                                       .fresh = true,
                                       .initial = initial != 0};
            double history[CON_HISTORY_MAX] = {0.0};
            con_impulse_output output;
            call(&law, &input, history, &output);
            assert_int_equal(law.law->bonded(law.values, history), always || initial);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_calls),
        cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_restitution_of_cut_force),
        cmocka_unit_test(test_pull_off),
        cmocka_unit_test(test_bonding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
