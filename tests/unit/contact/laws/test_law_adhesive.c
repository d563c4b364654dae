// SPDX-License-Identifier: Apache-2.0
// `adhesive` against the closed forms of JKR, DMT and Willett: pull-off forces, forces that are
// slopes of the stored energy, ends of contacts, and what forming and breaking them costs.
#include "tests/unit/contact/laws/law_fixture.h"

static const double young = 1e7, radius_a = 0.05, radius_b = 0.03;

static double effective_radius(void)
{
    return radius_a * radius_b / (radius_a + radius_b);
}

static parameters law_of(const char *model)
{
    parameters p = law_defaults("adhesive");
    law_set_word(&p, "adhesion", model);
    law_set(&p, "young_modulus", young);
    law_set(&p, "surface_energy", 0.3);
    law_set(&p, "contact_angle", 30.0);
    law_set(&p, "bridge_volume", 2e-9);
    return p;
}

/// Two spheres at rest that have held already, at a gap.
static con_law_response at_gap(const parameters *law, double gap)
{
    con_law_state s = {.step = 1.0, .instantaneous = true};
    s.body[0] = (con_law_body){.radius = radius_a, .mass = 0.2};
    s.body[1] = (con_law_body){
        .position = {radius_a + radius_b + gap, 0.0, 0.0}, .radius = radius_b, .mass = 0.1};
    s.history[7] = 1.0;
    return law_evaluate(law, &s);
}

/// Largest tension on the way out, N, and the gap at which the contact ends.
static double pull_off(const parameters *law, double *end)
{
    double most = 0.0, step = 1e-9;
    *end = NAN;
    for (double gap = -2e-6; gap < 2e-3; gap += step) {
        con_law_response r = at_gap(law, gap);
        if (r.history[7] == 0.0) {
            *end = gap;
            return most;
        }
        most = fmax(most, -r.force[1].x);
        // bridges are long
        if (gap > 1e-5)
            step = 1e-7;
    }
    return most;
}

static void pull_off_forces_are_those_of_the_models(void **state)
{
    (void)state;
    double R = effective_radius(), w = 0.3, E = 0.5 * young / (1.0 - 0.09), end;
    parameters jkr = law_of("jkr"), dmt = law_of("dmt"), bridge = law_of("capillary");
    check_close(pull_off(&jkr, &end), 1.5 * M_PI * w * R, 1e-6, 0.0);
    // the last gap of JKR, (3/4) (pi^2 w^2 R / E^2)^(1/3)
    check_close(end, 0.75 * cbrt(M_PI * M_PI * w * w * R / (E * E)), 0.0, 3e-9);
    check_close(pull_off(&dmt, &end), 2.0 * M_PI * w * R, 1e-3, 0.0);
    double angle = M_PI / 6.0, V = 2e-9, side = cbrt(V);
    check_close(pull_off(&bridge, &end), 4.0 * M_PI * R * 0.072 * cos(angle), 1e-3, 0.0);
    check_close(end, (1.0 + 0.5 * angle) * (side + 0.1 * side * side / (2.0 * R)), 0.0, 2e-7);
}

static void willetts_force_falls_with_the_gap(void **state)
{
    (void)state;
    parameters law = law_of("capillary");
    double R = 2.0 * effective_radius(), V = 2e-9;
    for (double gap = 1e-5; gap < 1e-3; gap *= 1.7) {
        double x = gap * sqrt(R / V);
        double force = 2.0 * M_PI * R * 0.072 * cos(M_PI / 6.0) / (1.0 + 1.05 * x + 2.5 * x * x);
        check_close(at_gap(&law, gap).force[1].x, -force, 1e-12, 0.0);
    }
}

/// The force is the slope of the energy, in every model.
static void forces_derive_from_the_energy(void **state)
{
    (void)state;
    const char *const models[] = {"jkr", "dmt", "capillary"};
    const double gaps[] = {-1e-4, -3e-5, -1e-5, -2e-6, 1e-7, 2e-4};
    for (int m = 0; m < 3; m++) {
        parameters law = law_of(models[m]);
        for (int i = 0; i < 6; i++) {
            double step = 1e-3 * fabs(gaps[i]);
            con_law_response r = at_gap(&law, gaps[i]);
            if (r.history[7] == 0.0 || (m == 1 && gaps[i] > 0.0))
                continue;
            double slope = (at_gap(&law, gaps[i] + step).output.elastic -
                            at_gap(&law, gaps[i] - step).output.elastic) /
                           (2.0 * step);
            check_close(r.force[1].x, -slope, 1e-4, 1e-9);
        }
    }
}

/// JKR: jumping into contact and out of it costs energy, 0.3 and 3.2 E a^5 / R^2 at the radius of
/// each; a bridge costs all its work where it forms, and nothing where it breaks.
static void forming_and_breaking_cost_energy(void **state)
{
    (void)state;
    parameters law = law_of("jkr");
    double R = effective_radius(), w = 0.3, E = 0.5 * young / (1.0 - 0.09);
    double touch = cbrt(2.0 * M_PI * w * R * R / E), last = cbrt(M_PI * w * R * R / (8.0 * E));
    con_law_state s = {.step = 1.0, .instantaneous = true, .fresh = true};
    s.body[0] = (con_law_body){.radius = radius_a, .mass = 0.2};
    s.body[1] = (con_law_body){
        .position = {radius_a + radius_b - 1e-12, 0.0, 0.0}, .radius = radius_b, .mass = 0.1};
    con_law_response r = law_evaluate(&law, &s);
    check_close(r.output.plastic, 0.3 * E * pow(touch, 5.0) / (R * R), 1e-6, 0.0);
    r = at_gap(&law, 1e-4);
    check_close(r.output.plastic, 3.2 * E * pow(last, 5.0) / (R * R), 1e-6, 0.0);
    law = law_of("capillary");
    r = law_evaluate(&law, &s);
    double work = -at_gap(&law, 0.0).output.elastic;
    check_close(r.output.plastic, work, 1e-9, 0.0);
    check_close(at_gap(&law, 5e-3).output.plastic, 0.0, 0.0, 1e-12 * work);
    // the bridge's work by the midpoint rule
    double sum = 0.0, step = 1e-7;
    for (double gap = 0.5 * step; at_gap(&law, gap).history[7] != 0.0; gap += step)
        sum -= at_gap(&law, gap).force[1].x * step;
    check_close(sum, work, 1e-3, 0.0);
}

/// Without attraction the law is that of Hertz and Mindlin.
static void without_adhesion_it_is_hertz(void **state)
{
    (void)state;
    parameters law = law_of("jkr"), hertz = law_defaults("hertz_mindlin");
    law_set(&law, "surface_energy", 0.0);
    law_set(&hertz, "young_modulus", young);
    law_set_flag(&hertz, "attraction", true);
    for (double gap = -1e-3; gap < -1e-9; gap *= 0.3) {
        con_law_state s = {.step = 1e-5, .fresh = true};
        s.body[0] = (con_law_body){.radius = radius_a, .mass = 0.2, .velocity = {0.1, 0.05, 0.0}};
        s.body[1] = (con_law_body){
            .position = {radius_a + radius_b + gap, 0.0, 0.0}, .radius = radius_b, .mass = 0.1};
        con_law_response a = law_evaluate(&law, &s), b = law_evaluate(&hertz, &s);
        double force[3];
        vec3_store(force, b.force[1]);
        check_vector(a.force[1], force, 1e-9, 0.0);
        check_close(a.output.elastic, b.output.elastic, 1e-9, 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pull_off_forces_are_those_of_the_models),
        cmocka_unit_test(willetts_force_falls_with_the_gap),
        cmocka_unit_test(forces_derive_from_the_energy),
        cmocka_unit_test(forming_and_breaking_cost_energy),
        cmocka_unit_test(without_adhesion_it_is_hertz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
