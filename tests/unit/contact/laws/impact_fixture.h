// SPDX-License-Identifier: Apache-2.0
// Impacts of balls under one law, step by step by leap-frog.
#ifndef CAIRN_TESTS_IMPACT_FIXTURE_H
#define CAIRN_TESTS_IMPACT_FIXTURE_H

#include "tests/unit/contact/laws/law_fixture.h"

/// Young's modulus of a wall that does not give way.
static const double RIGID = 1e30;

static inline double ball_mass(double density, double radius)
{
    return density * 4.0 / 3.0 * M_PI * radius * radius * radius;
}

static inline parameters hertz(double E, double nu, double wall, double e, double friction)
{
    parameters p = law_defaults("hertz_mindlin");
    law_set(&p, "young_modulus", E);
    law_set(&p, "poisson_ratio", nu);
    law_set(&p, "young_modulus_second", wall);
    law_set(&p, "restitution", e);
    law_set(&p, "friction", friction);
    return p;
}

/// What one collision did.
typedef struct collision {
    con_law_state state; // after it
    double overlap, peak, duration, speed;
} collision;

static inline vec3 moved_by_gravity(const con_law_body *b, vec3 g, double h)
{
    return isinf(b->mass) ? b->velocity : vec3_add_scaled(b->velocity, h, g);
}

/// One leap-frog step under gravity.
static inline con_law_response leap(const parameters *law, con_law_state *s, vec3 gravity)
{
    con_law_response r = law_evaluate(law, s);
    memcpy(s->history, r.history, sizeof s->history);
    memcpy(s->R_previous, r.output.R, sizeof s->R_previous);
    s->fresh = false;
    for (int k = 0; k < 2; k++) {
        con_law_body *b = &s->body[k];
        b->velocity = moved_by_gravity(b, gravity, s->step);
        if (!isinf(b->mass)) {
            double inertia = 0.4 * b->mass * b->radius * b->radius;
            b->velocity = vec3_add_scaled(b->velocity, s->step / b->mass, r.force[k]);
            b->angular_velocity =
                vec3_add_scaled(b->angular_velocity, s->step / inertia, r.torque[k]);
        }
        b->position = vec3_add_scaled(b->position, s->step, b->velocity);
    }
    return r;
}

/// Collides two bodies that touch; the first leap-frog position lies half a step inside.
static inline collision collide(const parameters *law, con_law_state s)
{
    collision c = {0};
    double gap = 0.0;
    vec3 normal, point;
    for (int k = 0; k < 2; k++)
        s.body[k].position = vec3_add_scaled(s.body[k].position, 0.5 * s.step, s.body[k].velocity);
    s.fresh = true;
    int steps = 0;
    do {
        con_law_response r = leap(law, &s, vec3_make(0.0, 0.0, 0.0));
        c.overlap = fmax(c.overlap, -r.gap);
        c.peak = fmax(c.peak, r.output.R[0] / s.step);
        con_law_state_contact(&s, &gap, &normal, &point);
    } while (gap <= 0.0 && ++steps < 1000000);
    c.speed = vec3_dot(normal, vec3_sub(s.body[1].velocity, s.body[0].velocity));
    // the leap-frog positions have gone half a step into the open
    c.duration = (steps + 1.0 - gap / (c.speed * s.step)) * s.step;
    c.state = s;
    return c;
}

/// A ball that falls on the plane z = 0.
static inline con_law_state on_plane(double radius, double mass, double v_t, double v_n,
                                     double omega, double step)
{
    return (con_law_state){.body = {{.radius = INFINITY, .mass = INFINITY},
                                    {.position = {0.0, 0.0, radius},
                                     .velocity = {v_t, 0.0, -v_n},
                                     .angular_velocity = {0.0, omega, 0.0},
                                     .radius = radius,
                                     .mass = mass}},
                           .plane_normal = {0.0, 0.0, 1.0},
                           .step = step};
}

/// Duration of an elastic impact, closed form.
static inline double hertz_time(double E_star, double R, double m, double v)
{
    return 2.8683 * pow(m * m / (R * E_star * E_star * v), 0.2);
}

#endif
