// SPDX-License-Identifier: Apache-2.0
// A few spheres under one contact law: RK4 with located events, and the leap-frog step with audit.
#ifndef CAIRN_TESTS_CONTACT_LAW_FIXTURE_H
#define CAIRN_TESTS_CONTACT_LAW_FIXTURE_H

#include "contact/laws/audit.h"
#include "contact/laws/law_state.h"
#include "tests/check.h"

#include <string.h>

enum { SYSTEM_BODIES = 6, SYSTEM_PAIRS = 6 };

typedef struct parameters {
    const con_law *law;
    _Alignas(16) unsigned char values[CON_LAW_SETTINGS_MAX];
} parameters;

static inline parameters law_defaults(const char *name)
{
    parameters p = {.law = con_law_find(name)};
    assert_non_null(p.law);
    assert_true(p.law->table.size <= sizeof p.values);
    base_settings_defaults(&p.law->table, p.values);
    return p;
}

static inline void law_set_value(parameters *p, const char *name, base_value value)
{
    cairn_error error = {0};
    if (base_settings_set(&p->law->table, p->values, name, value, &error) != CAIRN_OK)
        fail_msg("%s: %s", name, error.message);
}

static inline void law_set(parameters *p, const char *name, double number)
{
    law_set_value(p, name, (base_value){.type = BASE_VALUE_NUMBER, .number = number});
}

static inline void law_set_word(parameters *p, const char *name, const char *word)
{
    law_set_value(p, name, (base_value){.type = BASE_VALUE_TEXT, .text = word});
}

static inline void law_set_flag(parameters *p, const char *name, bool flag)
{
    law_set_value(p, name, (base_value){.type = BASE_VALUE_BOOLEAN, .boolean = flag});
}

static inline con_law_response law_evaluate(const parameters *p, const con_law_state *state)
{
    con_law_response response;
    cairn_error error = {0};
    if (con_law_evaluate(p->law, p->values, state, &response, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return response;
}

static inline void check_vector(vec3 actual, const double expected[3], double relative,
                                double absolute)
{
    double size = vec3_norm(vec3_from(expected));
    check_close(vec3_distance(actual, vec3_from(expected)), 0.0, 0.0, absolute + relative * size);
}

/// A pair of bodies and what happened to it.
typedef struct pair {
    int a, b;
    bool closed;
    double history[CON_HISTORY_MAX];
    double overlap, peak; // largest overlap and normal force so far
    double t_closed, t_open, t_deepest;
    double speed;               // normal velocity of the last state
    double approach, departure; // normal velocities at the last events, both positive
    int closings, openings;
} pair;

typedef struct sphere_system {
    const parameters *law;
    int body_count, pair_count;
    con_law_body body[SYSTEM_BODIES];
    pair pairs[SYSTEM_PAIRS];
    vec3 plane_normal;
    double time;
    void (*load)(const struct sphere_system *s, vec3 force[]); // applied forces; may be NULL
} sphere_system;

typedef struct rates {
    vec3 velocity[SYSTEM_BODIES], acceleration[SYSTEM_BODIES], omega[SYSTEM_BODIES];
} rates;

static inline con_law_state pair_state(const sphere_system *s, const pair *p)
{
    con_law_state state = {
        .body = {s->body[p->a], s->body[p->b]},
        .plane_normal = s->plane_normal,
        .step = 1.0,
        .instantaneous = true,
    };
    memcpy(state.history, p->history, sizeof state.history);
    return state;
}

static inline double pair_gap(const sphere_system *s, const pair *p)
{
    con_law_state state = pair_state(s, p);
    double gap;
    vec3 normal, point;
    con_law_state_contact(&state, &gap, &normal, &point);
    return gap;
}

static inline double body_inertia(const con_law_body *b)
{
    return b->inertia > 0.0 ? b->inertia : 0.4 * b->mass * b->radius * b->radius;
}

static inline rates system_rates(const sphere_system *s)
{
    rates r = {0};
    vec3 force[SYSTEM_BODIES] = {{0}}, torque[SYSTEM_BODIES] = {{0}};
    if (s->load != NULL)
        s->load(s, force);
    for (int i = 0; i < s->pair_count; i++) {
        const pair *p = &s->pairs[i];
        if (!p->closed)
            continue;
        con_law_state state = pair_state(s, p);
        con_law_response response = law_evaluate(s->law, &state);
        int side[2] = {p->a, p->b};
        for (int k = 0; k < 2; k++) {
            force[side[k]] = vec3_add(force[side[k]], response.force[k]);
            torque[side[k]] = vec3_add(torque[side[k]], response.torque[k]);
        }
    }
    for (int i = 0; i < s->body_count; i++) {
        const con_law_body *b = &s->body[i];
        r.velocity[i] = b->velocity;
        if (isinf(b->mass))
            continue;
        r.acceleration[i] = vec3_scale(1.0 / b->mass, force[i]);
        r.omega[i] = vec3_scale(1.0 / body_inertia(b), torque[i]);
    }
    return r;
}

static inline void system_add(sphere_system *s, double h, const rates *r)
{
    for (int i = 0; i < s->body_count; i++) {
        con_law_body *b = &s->body[i];
        b->position = vec3_add_scaled(b->position, h, r->velocity[i]);
        b->velocity = vec3_add_scaled(b->velocity, h, r->acceleration[i]);
        b->angular_velocity = vec3_add_scaled(b->angular_velocity, h, r->omega[i]);
    }
    s->time += h;
}

static inline sphere_system system_moved(const sphere_system *s, double h, const rates *r)
{
    sphere_system moved = *s;
    system_add(&moved, h, r);
    return moved;
}

static inline void system_rk4(sphere_system *s, double h)
{
    rates k1 = system_rates(s);
    sphere_system at = system_moved(s, 0.5 * h, &k1);
    rates k2 = system_rates(&at);
    at = system_moved(s, 0.5 * h, &k2);
    rates k3 = system_rates(&at);
    at = system_moved(s, h, &k3);
    rates k4 = system_rates(&at), mean;
    for (int i = 0; i < s->body_count; i++) {
#define SYSTEM_MEAN(f)                                                                             \
    mean.f[i] = vec3_scale(1.0 / 6.0, vec3_add(vec3_add(k1.f[i], k4.f[i]),                         \
                                               vec3_scale(2.0, vec3_add(k2.f[i], k3.f[i]))))
        SYSTEM_MEAN(velocity);
        SYSTEM_MEAN(acceleration);
        SYSTEM_MEAN(omega);
#undef SYSTEM_MEAN
    }
    system_add(s, h, &mean);
}

static inline bool system_switches(const sphere_system *s)
{
    for (int i = 0; i < s->pair_count; i++)
        if (s->pairs[i].closed != (pair_gap(s, &s->pairs[i]) <= 0.0))
            return true;
    return false;
}

/// Takes history over at an accepted state and notes events.
static inline void pair_commit(sphere_system *s, pair *p, double h)
{
    con_law_state state = pair_state(s, p);
    bool closed = pair_gap(s, p) <= 0.0, was = p->closed;
    state.fresh = closed && !was;
    con_law_response response = law_evaluate(s->law, &state);
    memcpy(p->history, response.history, sizeof p->history);
    double speed = response.input.V[0], force = response.output.R[0];
    p->closed = closed;
    if (closed && !was) {
        p->t_closed = s->time;
        p->approach = -speed;
        p->closings++;
    } else if (was && !closed) {
        p->t_open = s->time;
        p->departure = speed;
        p->openings++;
    }
    if (!closed)
        return;
    p->overlap = fmax(p->overlap, -response.gap);
    p->peak = fmax(p->peak, force);
    // the velocity changes its sign between the last two states
    if (speed >= 0.0 && p->speed < 0.0)
        p->t_deepest = s->time - h * speed / (speed - p->speed);
    p->speed = speed;
}

/// One step of at most h, which ends just behind the first event in it.
static inline void system_step(sphere_system *s, double h)
{
    sphere_system trial = *s;
    system_rk4(&trial, h);
    if (system_switches(&trial)) {
        double low = 0.0, high = h;
        for (int i = 0; i < 60 && high - low > 1e-17 * h; i++) {
            double middle = 0.5 * (low + high);
            sphere_system at = *s;
            system_rk4(&at, middle);
            *(system_switches(&at) ? &high : &low) = middle;
        }
        trial = *s;
        system_rk4(&trial, high);
        h = high;
    }
    *s = trial;
    for (int i = 0; i < s->pair_count; i++)
        pair_commit(s, &s->pairs[i], h);
}

/// Runs to a time, or until the first pair has opened that often.
static inline void system_run(sphere_system *s, double h, double until, int openings)
{
    for (int i = 0; i < s->pair_count; i++)
        pair_commit(s, &s->pairs[i], 0.0);
    while (s->time < until * (1.0 - 1e-14) && s->pairs[0].openings < openings)
        system_step(s, fmin(h, until - s->time));
}

/// Two spheres on the x axis, the second at rest, a little apart.
static inline sphere_system head_on(const parameters *law, double m0, double m1, double radius,
                                    double speed)
{
    return (sphere_system){
        .law = law,
        .body_count = 2,
        .pair_count = 1,
        .pairs = {{.a = 0, .b = 1}},
        .body = {{.velocity = {speed, 0.0, 0.0}, .radius = radius, .mass = m0},
                 {.position = {2.0 * radius + 1e-6 * radius, 0.0, 0.0},
                  .radius = radius,
                  .mass = m1}},
    };
}

#endif
