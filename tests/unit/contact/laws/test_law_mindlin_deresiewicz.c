// SPDX-License-Identifier: Apache-2.0
// `mindlin_deresiewicz` against the curves of Cattaneo, Mindlin and Deresiewicz: loading, unloading
// and reloading under a constant normal force, what a cycle costs, forces that grow together, and
// paths that are no line; faces, what touches changing, and rolling.
#include "contact/laws/hertz/pile.h"
#include "tests/unit/contact/laws/law_fixture.h"

#include "base/rng.h"

static const double young = 1e9, friction = 0.3, radius = 0.05;

static parameters law_of(void)
{
    parameters p = law_defaults("mindlin_deresiewicz");
    law_set(&p, "young_modulus", young);
    law_set(&p, "friction", friction);
    law_set(&p, "restitution", 1.0);
    return p;
}

/// A sphere on a plane that is moved step by step.
typedef struct press {
    parameters law;
    double history[CON_HISTORY_MAX];
    con_law_response answer;
    double friction; // J so far
    vec3 force;      // N along the surface, on the sphere
} press;

/// Overlap and displacement along the surface of one step, of a second.
static void press_to(press *p, double overlap, double x, double y)
{
    con_law_state s = {.step = 1.0, .plane_normal = {0.0, 0.0, 1.0}};
    double gap = -overlap;
    s.gap = &gap;
    s.body[0] = (con_law_body){.radius = INFINITY, .mass = INFINITY};
    s.body[1] = (con_law_body){
        .position = {0.0, 0.0, radius - overlap}, .velocity = {x, y, 0.0}, .radius = radius};
    s.body[1].mass = 1.0;
    memcpy(s.history, p->history, sizeof s.history);
    p->answer = law_evaluate(&p->law, &s);
    memcpy(p->history, p->answer.history, sizeof p->history);
    p->friction += p->answer.output.friction;
    for (int k = 0; k < 3; k++)
        p->friction -= p->answer.output.R_friction[k] * p->answer.input.V[k];
    p->force = p->answer.force[1];
    p->force.z = 0.0;
}

static double normal_modulus(void)
{
    return young / (1.0 - 0.09) / 2.0;
}

/// 8 G* a, N/m.
static double stiffness_at(double overlap)
{
    double compliance = 2.0 * 2.0 * (2.0 - 0.3) * (1.0 + 0.3) / young;
    return 8.0 / compliance * sqrt(radius * overlap);
}

static double limit_at(double overlap)
{
    return friction * 4.0 / 3.0 * normal_modulus() * sqrt(radius) * overlap * sqrt(overlap);
}

/// Displacement of the first loading to a share of the limit, over that of gross sliding.
static double first_loading(double share)
{
    return 1.0 - pow(1.0 - share, 2.0 / 3.0);
}

/// Share of the limit that the first loading has reached at a displacement.
static double loaded(double travel)
{
    return 1.0 - pow(fmax(1.0 - travel, 0.0), 1.5);
}

static void a_cycle_runs_along_the_curves(void **state)
{
    (void)state;
    enum { STEPS = 200 };
    const double overlap = 1e-5, limit = limit_at(overlap);
    const double slip = 1.5 * limit / stiffness_at(overlap); // where all slides
    const double turn = 0.6;                                 // of it
    press p = {.law = law_of()};
    press_to(&p, overlap, 0.0, 0.0);
    check_close(vec3_norm(p.force), 0.0, 0.0, 1e-12 * limit);
    for (int i = 1; i <= STEPS; i++) {
        press_to(&p, overlap, turn * slip / STEPS, 0.0);
        check_close(-p.force.x, limit * loaded(turn * i / STEPS), 1e-9, 1e-12 * limit);
    }
    double top = loaded(turn), before = p.friction;
    check_close(first_loading(top), turn, 1e-12, 0.0);
    // back to the opposite displacement: twice the curve from the turn on
    for (int i = 1; i <= 2 * STEPS; i++) {
        press_to(&p, overlap, -turn * slip / STEPS, 0.0);
        double expected = top - 2.0 * loaded(0.5 * turn * i / STEPS);
        check_close(-p.force.x, limit * expected, 0.0, 1e-9 * limit);
    }
    for (int i = 1; i <= 2 * STEPS; i++) {
        press_to(&p, overlap, turn * slip / STEPS, 0.0);
        double expected = -top + 2.0 * loaded(0.5 * turn * i / STEPS);
        check_close(-p.force.x, limit * expected, 0.0, 1e-9 * limit);
    }
    // the area of the loop
    double rest = 1.0 - top;
    double loop = 1.0 - pow(rest, 5.0 / 3.0) - 5.0 / 6.0 * top * (1.0 + pow(rest, 2.0 / 3.0));
    check_close(p.friction - before, 4.8 * slip * limit * loop, 1e-3, 0.0);
    // beyond the first turn the virgin curve goes on, up to gross sliding
    for (int i = 1; i <= STEPS; i++) {
        press_to(&p, overlap, slip / STEPS, 0.0);
        check_close(-p.force.x, limit * loaded(turn + (double)i / STEPS), 1e-9, 0.0);
    }
    check_close(-p.force.x, limit, 1e-12, 0.0);
}

/// Forces that grow in a ratio below the friction do not slip: 8 G* a at each overlap, nothing
/// lost.
static void forces_that_grow_together_stick(void **state)
{
    (void)state;
    const double last = 1e-5, ratio = 0.2;
    press p = {.law = law_of()};
    double moved = 0.0, stored = 0.0;
    for (int i = 1; i <= 100; i++) {
        press_to(&p, last * i / 100.0, ratio * last / 100.0, 0.0);
        moved += ratio * last / 100.0;
        stored = p.answer.output.releasable;
    }
    check_close(-p.force.x, 2.0 / 3.0 * stiffness_at(last) * moved, 1e-9, 0.0);
    assert_true(-p.force.x < limit_at(last));
    // friction is the rule for the work, and of second order in the step
    check_close(stored, 0.4 * -p.force.x * moved, 1e-9, 0.0);
    check_close(p.friction, 0.0, 0.0, 1e-3 * stored);
    // a smaller overlap frees what it held: the force of the rim goes, and friction holds the rest
    press_to(&p, 0.25 * last, 0.0, 0.0);
    assert_true(-p.force.x <= limit_at(0.25 * last) * (1.0 + 1e-12));
    assert_true(p.friction >= 0.0);
}

/// Any path: friction holds, no energy comes from nowhere, and a path that is turned about the
/// normal gives the turned force.
static void any_path_keeps_friction_and_energy(void **state)
{
    (void)state;
    press p = {.law = law_of()}, q = p;
    const double overlap = 1e-5, slip = 1.5 * limit_at(overlap) / stiffness_at(overlap);
    double before = 0.0, c = cos(1.1), s = sin(1.1);
    for (int i = 0; i < 4000; i++) {
        double depth = overlap * (1.0 + 0.5 * sin(0.01 * i));
        double x = 0.02 * slip * cos(0.013 * i), y = 0.015 * slip * sin(0.031 * i);
        press_to(&p, depth, x, y);
        press_to(&q, depth, c * x - s * y, s * x + c * y);
        assert_true(vec3_norm(p.force) <= limit_at(depth) * (1.0 + 1e-12));
        assert_true(p.friction - before >= -1e-6 * limit_at(overlap) * slip);
        before = p.friction;
        check_close(q.force.x, c * p.force.x - s * p.force.y, 0.0, 1e-7 * limit_at(overlap));
        check_close(q.force.y, s * p.force.x + c * p.force.y, 0.0, 1e-7 * limit_at(overlap));
    }
    assert_true(p.friction > limit_at(overlap) * slip);
}

/// A face under a constant force has no rim that slips first: it holds like one spring up to the
/// friction.
static void a_face_slips_at_once(void **state)
{
    (void)state;
    const double width = 2e-3, overlap = 1e-5, limit = 0.4, modulus = 1e8;
    const double history[CON_PILE_HISTORY] = {0.0};
    con_pile pile = con_pile_read(history, vec3_make(0.0, 0.0, 1.0), -width, modulus);
    const double tangent = 8.0 * modulus * width, last = limit * overlap;
    check_close(con_pile_stiffness(&pile, overlap), tangent * overlap, 1e-14, 0.0);
    con_pile_move(&pile, overlap, vec3_make(0.0, 0.0, 0.0), limit);
    for (int i = 1; i <= 30; i++) {
        con_pile_move(&pile, overlap, vec3_make(0.05 * last, 0.0, 0.0), limit);
        double held = fmin(0.05 * i, 1.0) * last;
        check_close(-con_pile_force(&pile).x, tangent * held, 1e-12, 0.0);
        check_close(con_pile_energy(&pile), 0.5 * tangent * held * held, 1e-12, 0.0);
    }
    con_pile_move(&pile, overlap, vec3_make(-0.7 * last, 0.0, 0.0), limit);
    check_close(-con_pile_force(&pile).x, 0.3 * tangent * last, 1e-12, 0.0);
}

/// What touches may become anything else: the pile then holds no more energy than before and no
/// more force than friction does.
static void a_change_of_touch_makes_no_energy(void **state)
{
    (void)state;
    static const double touches[] = {0.05, -2e-3, 0.01, -5e-4};
    base_rng rng = base_rng_make(31);
    const double history[CON_PILE_HISTORY] = {0.0}, modulus = 1e8, limit = 0.4;
    for (int trial = 0; trial < 400; trial++) {
        double touch = touches[trial % 4], next = touches[(trial / 4) % 4], overlap = 1e-5;
        con_pile pile = con_pile_read(history, vec3_make(0.0, 0.0, 1.0), touch, modulus);
        for (int i = 0; i < 12; i++) {
            double x = base_rng_range(&rng, -1.0, 1.0), y = base_rng_range(&rng, -1.0, 1.0);
            overlap = 1e-5 * base_rng_range(&rng, 0.5, 1.0);
            con_pile_move(&pile, overlap, vec3_make(3e-6 * x, 3e-6 * y, 0.0), limit);
        }
        double energy = con_pile_energy(&pile);
        double left = overlap * base_rng_range(&rng, 0.2, 1.0);
        con_pile_reshape(&pile, next, modulus, overlap, left);
        double most = limit * con_pile_stiffness(&pile, left);
        assert_true(con_pile_energy(&pile) <= energy * (1.0 + 1e-12));
        assert_true(vec3_norm(con_pile_force(&pile)) <= most * (1.0 + 1e-9));
        assert_true(vec3_norm(con_pile_force(&pile)) > 0.0);
    }
}

/// A sphere that rolls on a plane at one overlap: the moment is a spring's, and in the end that of
/// friction, whatever micro-slip does.
static void rolling_meets_its_limit(void **state)
{
    (void)state;
    const double overlap = 1e-5, share = 0.2, speed = 1e-6;
    parameters law = law_of();
    law_set(&law, "rolling_friction", share);
    law_set(&law, "twisting_friction", 0.5 * share);
    con_law_state s = {.step = 1.0, .plane_normal = {0.0, 0.0, 1.0}};
    double gap = -overlap, arm = radius - 0.5 * overlap, force = limit_at(overlap) / friction;
    s.gap = &gap;
    s.body[0] = (con_law_body){.radius = INFINITY, .mass = INFINITY};
    s.body[1] = (con_law_body){.position = {0.0, 0.0, radius - overlap},
                               .velocity = {speed * arm, 0.0, 0.0},
                               .angular_velocity = {0.0, speed, speed},
                               .radius = radius,
                               .mass = 1.0};
    double stiffness = radius * radius * stiffness_at(overlap), moment = share * radius * force;
    int steps = (int)(2.0 * moment / (stiffness * speed)) + 2;
    for (int i = 1; i <= steps; i++) {
        con_law_response r = law_evaluate(&law, &s);
        memcpy(s.history, r.history, sizeof s.history);
        double held = i * stiffness * speed;
        check_close(-r.output.couple[1].y, fmin(held, moment), 1e-9, 0.0);
        check_close(-r.output.couple[1].z, fmin(held, 0.5 * moment), 1e-9, 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cycle_runs_along_the_curves),
        cmocka_unit_test(forces_that_grow_together_stick),
        cmocka_unit_test(any_path_keeps_friction_and_energy),
        cmocka_unit_test(a_face_slips_at_once),
        cmocka_unit_test(a_change_of_touch_makes_no_energy),
        cmocka_unit_test(rolling_meets_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
