// SPDX-License-Identifier: Apache-2.0
// exudyn_sphere against closed forms and tables made with independent programs.
#include "tests/unit/contact/laws/law_fixture.h"

#include <stdio.h>

static parameters exudyn(double k, double n, int model, double e)
{
    parameters p = law_defaults("exudyn_sphere");
    law_set(&p, "contact_stiffness", k);
    law_set(&p, "contact_stiffness_exponent", n);
    law_set(&p, "impact_model", model);
    law_set(&p, "restitution_coefficient", e);
    return p;
}

static double restitution(const pair *p)
{
    return p->departure / p->approach;
}

typedef struct impact_case {
    const char *name;
    int model;
    double e, k, n, m0, m1, radius, speed;
    double restitution, overlap, duration, loading, peak;
} impact_case;

static const impact_case impact_cases[] = {
#include "cases_law_impact.inc"
};

static void test_impacts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof impact_cases / sizeof impact_cases[0]; i++) {
        const impact_case *c = &impact_cases[i];
        parameters law = exudyn(c->k, c->n, c->model, c->e);
        sphere_system s = head_on(&law, c->m0, c->m1, c->radius, c->speed);
        system_run(&s, c->duration / 6000.0, 1.0, 1);
        const pair *p = &s.pairs[0];
        check_close(restitution(p), c->restitution, 1e-6, 0.0);
        check_close(p->overlap, c->overlap, 1e-6, 0.0);
        check_close(p->t_open - p->t_closed, c->duration, 1e-6, 0.0);
        check_close(p->t_deepest - p->t_closed, c->loading, 1e-6, 0.0);
        check_close(p->peak, c->peak, 1e-5, 0.0);
    }
}

static void check_impact(sphere_system *s, double e, double duration, double overlap)
{
    system_run(s, duration / 6000.0, 1.0, 1);
    const pair *p = &s->pairs[0];
    check_close(restitution(p), e, 1e-6, 0.0);
    check_close(p->overlap, overlap, 1e-6, 0.0);
    check_close(p->t_open - p->t_closed, duration, 1e-6, 0.0);
}

static void test_power_laws(void **state)
{
    (void)state;
    const double cases[][7] = {
        {1.5, 1e9, 0.5, 1.0, 0.00015773933612004825, 0.00046427027359399145, 1981.1164905763906},
        {1.0, 1e5, 1.0, 0.5, 0.001118033988749895, 0.007024814731040726, 111.8033988749895},
        {2.0, 1e8, 0.1, 1.0, 0.0009085602964160702, 0.002547933978487607, 82.54818122236573},
    };
    for (int i = 0; i < 3; i++) {
        parameters law = exudyn(cases[i][1], cases[i][0], 0, 1.0);
        sphere_system s = head_on(&law, cases[i][2], cases[i][2], 0.05, cases[i][3]);
        check_impact(&s, 1.0, cases[i][5], cases[i][4]);
        check_close(s.pairs[0].peak, cases[i][6], 1e-6, 0.0);
        check_close(restitution(&s.pairs[0]), 1.0, 1e-8, 0.0);
    }
}

static void test_linear_dashpot(void **state)
{
    (void)state;
    parameters law = exudyn(1e5, 1.0, 0, 1.0);
    law_set(&law, "contact_damping", 22.360679774997898);
    sphere_system s = head_on(&law, 1.0, 1.0, 0.05, 1.0);
    check_impact(&s, 0.8544678930067565, 0.007033612248240109, 0.002072146353150631);
    law = exudyn(1e6, 1.0, 0, 1.0);
    law_set(&law, "contact_damping", 328.63353450309967);
    s = head_on(&law, 0.6, 0.6, 0.05, 2.0);
    check_impact(&s, 0.37232610492658647, 0.0018038059032564632, 0.000735642945641263);
}

static void test_dashpot_beside_model(void **state)
{
    (void)state;
    parameters law = exudyn(1e6, 1.0, 2, 0.6);
    law_set(&law, "contact_damping", 50.0);
    sphere_system s = head_on(&law, 1.0, 1.0, 0.05, 1.0);
    check_impact(&s, 0.5458618299671762, 0.0022905927608338227, 0.0005359605925432811);
    law = exudyn(1e6, 1.0, 2, 0.5);
    law_set(&law, "minimum_impact_velocity", 0.1);
    s = head_on(&law, 1.0, 1.0, 0.05, 0.01);
    check_impact(&s, 0.9127968791849482, 0.0022231757110905102, 6.759240474656389e-06);
}

static parameters plastic(double k, double n, double ratio, double pull, double adhesion, double x)
{
    parameters p = exudyn(k, n, 0, 1.0);
    law_set(&p, "contact_plasticity_ratio", ratio);
    law_set(&p, "constant_pull_off_force", pull);
    law_set(&p, "adhesion_coefficient", adhesion);
    law_set(&p, "adhesion_exponent", x);
    return p;
}

/// Normal force at an overlap, with the plastic overlap in *plastic.
static double force_at(const parameters *law, double overlap, double *plastic)
{
    con_law_state state = {
        // radii whose sum holds the overlap to the last bit but one
        .body = {{.radius = 0x1p-9, .mass = 1.0},
                 {.position = {0x1p-8 - overlap, 0.0, 0.0}, .radius = 0x1p-9, .mass = 1.0}},
        .step = 1.0,
        .instantaneous = true,
        .history = {-overlap, 0.0, 0.0, *plastic},
    };
    con_law_response response = law_evaluate(law, &state);
    *plastic = response.history[3];
    return response.output.R[0];
}

enum { C_testEAPM, C_n1, C_n1x2quirk, CURVES };

static const struct {
    int law, loading;
    double overlap, force;
} curve_points[] = {
#include "cases_law_curve.inc"
};

static void test_force_curves(void **state)
{
    (void)state;
    parameters laws[CURVES] = {plastic(1e5, 2.0, 0.6, 0.01, 4e4, 2.0),
                               plastic(1e5, 1.0, 0.5, 0.5, 2e4, 1.0),
                               plastic(1e5, 1.0, 0.5, 0.0, 2e4, 2.0)};
    law_set_word(&laws[C_n1x2quirk], "compatibility", "exudyn");
    const double largest[CURVES] = {0.002, 0.001, 0.001};
    const double plastics[CURVES] = {0.0015491933384829668, 0.0005, 0.0005};
    for (size_t i = 0; i < sizeof curve_points / sizeof curve_points[0]; i++) {
        int law = curve_points[i].law;
        double memory = 0.0;
        if (!curve_points[i].loading) {
            force_at(&laws[law], largest[law], &memory);
            check_close(memory, plastics[law], 1e-12, 0.0);
        }
        double force = force_at(&laws[law], curve_points[i].overlap, &memory);
        check_close(force, curve_points[i].force, 1e-12, 1e-12);
    }
    // where unloading meets adhesion, and just before the spheres part
    const double turns[CURVES][3] = {{0.0014383899044561525, -0.09275862068965518, -0.01},
                                     {0.0004545454545454546, -9.590909090909092, -0.5},
                                     {0.0004545454545454546, -9.090909090909092, 0.0}};
    for (int law = 0; law < CURVES; law++) {
        double memory = 0.0, at = turns[law][0];
        force_at(&laws[law], largest[law], &memory);
        check_close(force_at(&laws[law], at, &memory), turns[law][1], 1e-9, 0.0);
        assert_true(force_at(&laws[law], at * (1.0 + 1e-8), &memory) > turns[law][1]);
        assert_true(force_at(&laws[law], at * (1.0 - 1e-8), &memory) > turns[law][1]);
        check_close(force_at(&laws[law], 1e-18, &memory), turns[law][2], 1e-12, 1e-12);
    }
}

/// Without the program's quirk the adhesion line has its own exponent beside n = 1.
static void test_adhesion_exponent(void **state)
{
    (void)state;
    parameters law = plastic(1e5, 1.0, 0.5, 0.0, 1e9, 2.0);
    double memory = 0.0;
    force_at(&law, 1e-3, &memory);
    check_close(force_at(&law, 2e-4, &memory), -1e9 * 4e-8, 1e-9, 0.0);
}

static void check_plastic_impact(parameters law, double mass, double overlap,
                                 double plastic_overlap, double e, double duration, double loading)
{
    sphere_system s = head_on(&law, mass, mass, 0.05, 1.0);
    while (s.pairs[0].speed <= 0.0)
        system_run(&s, duration / 8000.0, s.time + duration / 100.0, 1);
    check_close(s.pairs[0].history[3], plastic_overlap, 1e-6, 0.0);
    system_run(&s, duration / 8000.0, 1.0, 1);
    const pair *p = &s.pairs[0];
    check_close(p->overlap, overlap, 1e-6, 0.0);
    check_close(restitution(p), e, 1e-5, 0.0);
    check_close(p->t_open - p->t_closed, duration, 1e-5, 0.0);
    check_close(p->t_deepest - p->t_closed, loading, 1e-5, 0.0);
    // a new contact remembers nothing of the old one
    check_close(p->history[3], 0.0, 0.0, 0.0);
}

static void test_plastic_impacts(void **state)
{
    (void)state;
    check_plastic_impact(plastic(1e6, 1.0, 0.5, 0.0, 0.0, 1.0), 1.0, 0.0007071067811865475,
                         0.00035355339059327376, 0.7071067811865476, 0.0023961188979368503,
                         0.0011107207345395908);
    check_plastic_impact(plastic(1e6, 1.0, 0.6, 0.5, 1e5, 1.0), 1.0, 0.0007076069579632207,
                         0.0004245641747779324, 0.6037271725382639, 0.0025057854811722843,
                         0.0011112207344562584);
    check_plastic_impact(plastic(1e8, 1.5, 0.4, 0.0, 1e7, 1.5), 0.3, 0.00032299850248890835,
                         0.00017535056505793334, 0.7226334188086246, 0.0010269089707116124,
                         0.00047533673847482315);
}

static void test_capture(void **state)
{
    (void)state;
    parameters law = plastic(1e6, 1.0, 0.9, 0.0, 2e7, 1.0);
    sphere_system s = head_on(&law, 1.0, 1.0, 0.05, 0.1);
    system_run(&s, 2e-7, 0.1, 1);
    check_close(s.pairs[0].overlap, 7.071067811865475e-05, 1e-6, 0.0);
    check_close(s.pairs[0].history[3], 6.363961030678928e-05, 1e-6, 0.0);
    assert_int_equal(s.pairs[0].openings, 0);
}

typedef struct state_case {
    const char *name;
    double x0[3], v0[3], w0[3], x1[3], v1[3], w1[3], data[2];
    double r0, r1, k, n, damping;
    int model;
    double e, minimum, pull, plasticity, adhesion, adhesion_exponent, friction, zone;
    double gap, speed, sliding[3], force[3], torque0[3], torque1[3];
} state_case;

static const state_case state_cases[] = {
#include "cases_law_state.inc"
};

static parameters law_of_state(const state_case *c)
{
    parameters p = plastic(c->k, c->n, c->plasticity, c->pull, c->adhesion, c->adhesion_exponent);
    law_set(&p, "impact_model", c->model);
    law_set(&p, "restitution_coefficient", c->e);
    law_set(&p, "contact_damping", c->damping);
    law_set(&p, "minimum_impact_velocity", c->minimum);
    law_set(&p, "dynamic_friction", c->friction);
    law_set(&p, "friction_proportional_zone", c->zone);
    law_set_word(&p, "compatibility", "exudyn");
    return p;
}

static con_law_body body_of(const double x[3], const double v[3], const double w[3], double radius,
                            double mass)
{
    return (con_law_body){.position = vec3_from(x),
                          .velocity = vec3_from(v),
                          .angular_velocity = vec3_from(w),
                          .radius = radius,
                          .mass = mass};
}

static void test_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof state_cases / sizeof state_cases[0]; i++) {
        const state_case *c = &state_cases[i];
        parameters law = law_of_state(c);
        con_law_state s = {
            .body = {body_of(c->x0, c->v0, c->w0, c->r0, 1.0),
                     body_of(c->x1, c->v1, c->w1, c->r1, 1.0)},
            .step = 1e-3,
            .instantaneous = true,
            .history = {c->gap, 0.0, c->data[0], c->data[1]},
        };
        con_law_response r = law_evaluate(&law, &s);
        check_close(r.gap, c->gap, 0.0, 1e-15);
        check_close(r.input.V[0], c->speed, 1e-12, 0.0);
        vec3 sliding = vec3_add_scaled(r.velocity, -r.input.V[0], r.normal);
        if (c->friction > 0.0)
            check_vector(sliding, c->sliding, 1e-12, 0.0);
        check_vector(r.force[1], c->force, 1e-11, 0.0);
        check_vector(r.torque[0], c->torque0, 1e-11, 1e-12);
        check_vector(r.torque[1], c->torque1, 1e-11, 1e-12);
        check_close(vec3_norm(vec3_add(r.force[0], r.force[1])), 0.0, 0.0, 1e-12);
    }
}

/// Tension carries no friction unless the program is to be followed.
static void test_no_friction_in_tension(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof state_cases / sizeof state_cases[0]; i++) {
        const state_case *c = &state_cases[i];
        if (strncmp(c->name, "D-epa-adh", 9) != 0)
            continue;
        parameters law = law_of_state(c);
        law_set_word(&law, "compatibility", "physical");
        con_law_state s = {
            .body = {body_of(c->x0, c->v0, c->w0, c->r0, 1.0),
                     body_of(c->x1, c->v1, c->w1, c->r1, 1.0)},
            .step = 1e-3,
            .instantaneous = true,
            .history = {c->gap, 0.0, c->data[0], c->data[1]},
        };
        con_law_response r = law_evaluate(&law, &s);
        check_close(vec3_norm(r.torque[0]), 0.0, 0.0, 1e-15);
        check_close(vec3_norm(r.force[1]), 20.5, 1e-9, 0.0);
    }
}

typedef struct oblique_case {
    const char *name;
    double m0, m1, r0, r1, k, n;
    int model;
    double e, friction, zone;
    double x0[3], v0[3], w0[3], x1[3], v1[3], w1[3];
    double until, t_impact, approach, t_open, overlap, departure;
    double v0_out[3], w0_out[3], v1_out[3], w1_out[3], x0_out[3], x1_out[3];
} oblique_case;

static const oblique_case oblique_cases[] = {
#include "cases_law_oblique.inc"
};

static void test_oblique(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof oblique_cases / sizeof oblique_cases[0]; i++) {
        const oblique_case *c = &oblique_cases[i];
        parameters law = exudyn(c->k, c->n, c->model, c->e);
        law_set(&law, "dynamic_friction", c->friction);
        law_set(&law, "friction_proportional_zone", c->zone);
        sphere_system s = {.law = &law,
                           .body_count = 2,
                           .pair_count = 1,
                           .pairs = {{.a = 0, .b = 1}},
                           .body = {body_of(c->x0, c->v0, c->w0, c->r0, c->m0),
                                    body_of(c->x1, c->v1, c->w1, c->r1, c->m1)}};
        system_run(&s, 5e-8, c->until, 9);
        const pair *p = &s.pairs[0];
        check_close(p->t_closed, c->t_impact, 1e-7, 0.0);
        check_close(p->approach, c->approach, 1e-7, 0.0);
        check_close(p->t_open, c->t_open, 1e-5, 0.0);
        check_close(p->overlap, c->overlap, 1e-5, 0.0);
        check_close(p->departure, c->departure, 1e-5, 0.0);
        check_vector(s.body[0].velocity, c->v0_out, 1e-5, 1e-6);
        check_vector(s.body[0].angular_velocity, c->w0_out, 1e-5, 1e-4);
        check_vector(s.body[1].velocity, c->v1_out, 1e-5, 1e-6);
        check_vector(s.body[1].angular_velocity, c->w1_out, 1e-5, 1e-4);
        check_vector(s.body[0].position, c->x0_out, 1e-6, 1e-8);
        check_vector(s.body[1].position, c->x1_out, 1e-6, 1e-8);
    }
}

typedef struct chain_case {
    const char *name;
    int count;
    double k, n, radius, mass;
    int model;
    double e, until, gaps[4];
    double v[5], x[5], overlap[4];
    int events[2];
} chain_case;

static const chain_case chain_cases[] = {
#include "cases_law_chain.inc"
};

static void test_chains(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof chain_cases / sizeof chain_cases[0]; i++) {
        const chain_case *c = &chain_cases[i];
        parameters law = exudyn(c->k, c->n, c->model, c->e);
        sphere_system s = {.law = &law, .body_count = c->count, .pair_count = c->count - 1};
        double x = 0.0;
        for (int b = 0; b < c->count; b++) {
            s.body[b] =
                (con_law_body){.position = {x, 0.0, 0.0}, .radius = c->radius, .mass = c->mass};
            // exactly touching counts as open: a hair's breadth apart, as in the reference
            if (b + 1 < c->count) {
                x += 2.0 * c->radius + (c->gaps[b] > 0.0 ? c->gaps[b] : 1e-13);
                s.pairs[b] = (pair){.a = b, .b = b + 1};
            }
        }
        s.body[0].velocity.x = 1.0;
        system_run(&s, 4e-7, c->until, 99);
        int closings = 0, openings = 0;
        for (int b = 0; b < c->count; b++) {
            check_close(s.body[b].velocity.x, c->v[b], 1e-5, 1e-6);
            check_close(s.body[b].position.x, c->x[b], 1e-6, 1e-8);
            if (b + 1 == c->count)
                break;
            check_close(s.pairs[b].overlap, c->overlap[b], 1e-4, 0.0);
            closings += s.pairs[b].closings;
            openings += s.pairs[b].openings;
        }
        assert_int_equal(closings, c->events[0]);
        assert_int_equal(openings, c->events[1]);
    }
}

/// A ball between two fixed balls: a bounce every 0.1 s at first.
static void bounce(const parameters *law, double until, double *speeds, int wanted,
                   con_law_body *ball)
{
    sphere_system s = {
        .law = law,
        .body_count = 3,
        .pair_count = 2,
        .pairs = {{.a = 0, .b = 1}, {.a = 0, .b = 2}},
        .body = {{.position = {0.0, 0.5, 0.0},
                  .velocity = {0.0, 10.0, 0.0},
                  .radius = 0.1,
                  .mass = 1.6},
                 {.position = {0.0, -0.2, 0.0}, .radius = 0.1, .mass = INFINITY},
                 {.position = {0.0, 1.2, 0.0}, .radius = 0.1, .mass = INFINITY}},
    };
    int seen = 0, openings = 0;
    while (s.time < until && (wanted == 0 || seen < wanted)) {
        bool closed = s.pairs[0].closed || s.pairs[1].closed;
        system_step(&s, fmin(closed ? 1e-6 : 1e-3, until - s.time));
        if (s.pairs[0].openings + s.pairs[1].openings == openings)
            continue;
        openings++;
        if (seen < wanted)
            speeds[seen++] = fabs(s.body[0].velocity.y);
    }
    *ball = s.body[0];
}

static void test_bouncing_ball(void **state)
{
    (void)state;
    parameters law = exudyn(1e6, 1.0, 2, 0.7);
    con_law_body ball;
    bounce(&law, 2.0, NULL, 0, &ball);
    check_close(ball.position.y, 0.3241458941085, 1e-5, 0.0);
    check_close(ball.velocity.y, 1.1761383716575, 1e-5, 0.0);
    const double speeds[] = {6.999651264215, 4.899511782063, 3.429487383936, 2.400521570258,
                             1.680281384403};
    double found[5];
    bounce(&law, 9.0, found, 5, &ball);
    for (int i = 0; i < 5; i++)
        check_close(found[i], speeds[i], 1e-5, 0.0);
}

static void test_successive_speeds(void **state)
{
    (void)state;
    static const struct {
        int model;
        double e, speeds[3], stored[3];
    } cases[] = {
        {2,
         0.9,
         {8.999991517479357, 8.099984731470038, 7.289979387494264},
         {9.000168963897542, 8.100761764779794, 7.290837898880879}},
        {2,
         0.5,
         {5.001736883638877, 2.501737185315354, 1.2513031152962715},
         {5.001975126052718, 2.501837721858895, 1.2513458250009686}},
        {2,
         0.1,
         {1.0098977421796946, 0.1019893449659645, 0.0},
         {1.0098986986792768, 0.10198953720292783, 0.0}},
        {1,
         0.9,
         {9.090157413492024, 8.2630961802064, 7.511284500090083},
         {9.090298887177969, 8.263743088547175, 7.512142692359256}},
        {1,
         0.5,
         {6.629622000015461, 4.3951887863089, 2.913844027193473},
         {6.629838391096419, 4.3951552519078065, 2.913688143667944}},
        {1,
         0.1,
         {5.158326164003956, 2.660832881424777, 1.372544387029546},
         {5.158573889338283, 2.6613482605395395, 1.3728789060291537}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        parameters law = exudyn(1e6, 1.0, cases[i].model, cases[i].e);
        int count = cases[i].speeds[2] > 0.0 ? 3 : 2;
        double found[3];
        con_law_body ball;
        bounce(&law, 99.0, found, count, &ball);
        for (int k = 0; k < count; k++) {
            check_close(found[k], cases[i].speeds[k], 1e-6, 0.0);
            check_close(found[k], cases[i].stored[k], 3e-4, 0.0);
        }
    }
}

/// Two balls fly at each other: restitution, duration, place at 1 s.
static void test_two_balls(void **state)
{
    (void)state;
    parameters law = exudyn(1e4, 1.0, 2, 0.2);
    sphere_system s = head_on(&law, 1.0, 1.0, 0.1, 1.0);
    s.body[0].position.x = -0.5;
    s.body[1].position.x = 0.5;
    s.body[1].velocity.x = -1.0;
    system_run(&s, 4e-6, 1.0, 9);
    check_close(restitution(&s.pairs[0]), 0.2046090522789014, 1e-6, 0.0);
    check_close(s.pairs[0].t_open - s.pairs[0].t_closed, 0.027939275705, 1e-6, 0.0);
    check_close(s.body[0].position.x, -0.21704880264398, 1e-6, 0.0);
}

/// The spring of the driven test: pushes the ball 2 mm down in half a second and back.
static void drive(const sphere_system *s, vec3 force[])
{
    double t = s->time, down = t < 0.5 ? t / 0.5 : (1.0 - t) / 0.5;
    force[1].y = -1e5 * (s->body[1].position.y - (0.2 - 0.002 * down));
}

static void test_driven_plastic(void **state)
{
    (void)state;
    parameters law = plastic(1e5, 2.0, 0.6, 0.01, 4e4, 2.0);
    law_set(&law, "contact_damping", 0.001);
    sphere_system s = {
        .law = &law,
        .body_count = 2,
        .pair_count = 1,
        .pairs = {{.a = 0, .b = 1}},
        .load = drive,
        .body = {{.radius = 0.1, .mass = INFINITY},
                 {.position = {0.0, 0.2, 0.0}, .radius = 0.1, .mass = 1.6}},
    };
    system_run(&s, 1e-5, 1.0, 99999);
    check_close(s.body[1].position.y, 0.2000021906138, 0.0, 5e-9);
    check_close(s.body[1].position.y, 0.20000219249662216, 0.0, 5e-9);
    check_close(s.body[1].velocity.y, -0.000847327, 1e-3, 0.0);
}

static void weight(const sphere_system *s, vec3 force[])
{
    force[1].z = -10.0 * s->body[1].mass;
}

/// A sliding ball on a plane with friction proportional to the last slip.
static void test_sliding_to_rolling(void **state)
{
    (void)state;
    double k = 1e10, mass = 1.0;
    parameters law = exudyn(k, 1.0, 0, 1.0);
    law_set(&law, "dynamic_friction", 0.2);
    law_set(&law, "friction_proportional_zone", 0.05);
    sphere_system s = {
        .law = &law,
        .body_count = 2,
        .pair_count = 1,
        .pairs = {{.a = 0, .b = 1}},
        .load = weight,
        .plane_normal = {0.0, 0.0, 1.0},
        .body = {{.radius = INFINITY, .mass = INFINITY},
                 {.position = {0.0, 0.0, 0.1 - 10.0 * mass / k},
                  .velocity = {2.0, 0.0, 0.0},
                  .radius = 0.1,
                  .mass = mass}},
    };
    double reached = 0.0;
    while (s.time < 0.3) {
        system_step(&s, fmin(5e-6, 0.3 - s.time + 1e-16));
        double slip = s.body[1].velocity.x - 0.1 * s.body[1].angular_velocity.y;
        if (reached == 0.0 && slip <= 0.05)
            reached = s.time;
    }
    double slip = s.body[1].velocity.x - 0.1 * s.body[1].angular_velocity.y;
    check_close(reached, 0.2785714285714286, 1e-5, 5e-6);
    check_close(slip, 0.002489353418393205, 1e-4, 1e-9);
    check_close(s.body[1].velocity.x, 1.4292826724052552, 1e-7, 0.0);
}

/// Oblique impacts and spinning bounces on a stiff plane against the balance of impulses.
static void test_bounces_on_plane(void **state)
{
    (void)state;
    // v_n, v_t, omega before; e, mu; v_t, omega, v_n after
    const double cases[4][8] = {
        {1.0, 4.0, 0.0, 0.8, 0.2, 3.64, 18.0, 0.8},
        {1.0, 1.0, 0.0, 0.8, 0.5, 0.7142857142857143, 14.285714285714285, 0.8},
        {2.0, 0.0, -300.0, 0.5, 0.2, -0.600069475345555, -269.99652623272226, 1.000347376727775},
        {2.0, 0.0, -20.0, 0.5, 0.4, -0.2857142857142857, -5.714285714285715, 1.000347376727775},
    };
    for (int i = 0; i < 4; i++) {
        const double *c = cases[i];
        parameters law = exudyn(1e10, 1.0, 2, c[3]);
        law_set(&law, "dynamic_friction", c[4]);
        sphere_system s = {.law = &law,
                           .body_count = 2,
                           .pair_count = 1,
                           .pairs = {{.a = 0, .b = 1}},
                           .plane_normal = {0.0, 0.0, 1.0},
                           .body = {{.radius = INFINITY, .mass = INFINITY},
                                    {.position = {0.0, 0.0, 0.05 + 1e-9},
                                     .velocity = {c[1], 0.0, -c[0]},
                                     .angular_velocity = {0.0, c[2], 0.0},
                                     .radius = 0.05,
                                     .mass = 1.0}}};
        system_run(&s, 5e-9, 1e-3, 1);
        check_close(s.body[1].velocity.x, c[5], 2e-3, 0.0);
        check_close(s.body[1].angular_velocity.y, c[6], 2e-3, 0.0);
        check_close(s.body[1].velocity.z, c[7], 1e-3, 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impacts),
        cmocka_unit_test(test_power_laws),
        cmocka_unit_test(test_linear_dashpot),
        cmocka_unit_test(test_dashpot_beside_model),
        cmocka_unit_test(test_force_curves),
        cmocka_unit_test(test_adhesion_exponent),
        cmocka_unit_test(test_plastic_impacts),
        cmocka_unit_test(test_capture),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_no_friction_in_tension),
        cmocka_unit_test(test_oblique),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_successive_speeds),
        cmocka_unit_test(test_two_balls),
        cmocka_unit_test(test_driven_plastic),
        cmocka_unit_test(test_sliding_to_rolling),
        cmocka_unit_test(test_bounces_on_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
