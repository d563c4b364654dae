// SPDX-License-Identifier: Apache-2.0
// Kernel of `exudyn_sphere`, docs/laws.md (6.1)-(6.9).
#ifndef CAIRN_CONTACT_LAWS_EXUDYN_SPHERE_KERNEL_H
#define CAIRN_CONTACT_LAWS_EXUDYN_SPHERE_KERNEL_H

#include "contact/laws/ahead_kernel.h"

#include <stdbool.h>

/// Adhesive elasto-plastic model with its constants of one contact.
typedef struct exudyn_plastic {
    double k1, k2, adhesion, pull_off; // slopes of loading and unloading, and the attractions
    double n, x;                       // exponents of overlap and adhesion
    double ratio;                      // plastic overlap / largest overlap
} exudyn_plastic;

/// Energy that loading to the overlap of `plastic` has cost for good, J.
double con_exudyn_plastic_lost(const exudyn_plastic *m, double plastic);

/// One surface.
typedef struct exudyn_terms {
    double stiffness, exponent;  // N/m^exponent
    double damping;              // N s/m
    double impact_damping;       // of the impact model, times impact velocity; 0: none
    double minimum_velocity;     // m/s
    double friction, zone;       // m/s
    int halves, halves_adhesion; // con_halves of the exponents
    bool plastic;
    bool as_program; // compatibility = exudyn
    exudyn_plastic model;
} exudyn_terms;

/// Columns of a pair: h W_NN; history in the order of the law; ahead; 1 where B is no sphere, else
/// 0.
enum {
    EXUDYN_MASS,
    EXUDYN_GAP,
    EXUDYN_TANGENTIAL_VELOCITY,
    EXUDYN_IMPACT_VELOCITY,
    EXUDYN_PLASTIC_OVERLAP,
    EXUDYN_PART_OF_STEP,
    EXUDYN_EXPECTED_VELOCITY,
    EXUDYN_AHEAD,
    EXUDYN_FLAT = EXUDYN_AHEAD + AHEAD_COLUMNS,
    EXUDYN_COLUMNS
};

#ifdef SIMD_LANES

INLINE void exudyn_spread(const void *terms, spread *t)
{
    (void)terms, (void)t;
}

/// Energy that lanes have lost which load farther than ever, one lane after the other.
static __attribute__((noinline)) vec exudyn_lost(const exudyn_plastic *m, vec before, vec now)
{
    double old[LANES] __attribute__((aligned(64))), new[LANES] __attribute__((aligned(64)));
    v_store(old, before);
    v_store(new, now);
    for (int k = 0; k < LANES; k++)
        new[k] = new[k] > old[k]
                     ? con_exudyn_plastic_lost(m, new[k]) - con_exudyn_plastic_lost(m, old[k])
                     : 0.0;
    return v_load(new);
}

/// (6.2), (6.3): the spring force of lanes that take part in it. @param power  overlap^n
INLINE vec exudyn_adhesive(const exudyn_terms *own, const meeting *p, vec depth, vec power,
                           mask taking, law_answer *a)
{
    const exudyn_plastic *m = &own->model;
    vec before = column_load(&p->at, EXUDYN_PLASTIC_OVERLAP);
    vec plastic = v_keep(taking, v_max(before, v_set(m->ratio) * depth));
    vec loading = v_set(m->k1) * power;
    vec lasting = power_of(plastic, own->exponent, own->halves);
    vec unloading = v_set(m->k2) * (power - lasting);
    vec adhesion = v_set(-m->adhesion) * power_of(depth, m->x, own->halves_adhesion);
    if (m_any(m_less(before, plastic)))
        a->plastic = exudyn_lost(m, before, plastic);
    column_store(&p->at, EXUDYN_PLASTIC_OVERLAP, plastic);
    return v_min(loading, v_max(unloading, adhesion)) - v_set(m->pull_off);
}

INLINE vec exudyn_spring(const exudyn_terms *own, const meeting *p, vec depth, vec power,
                         law_answer *a)
{
    vec linear = v_set(own->stiffness) * power;
    a->plastic = v_set(0.0);
    if (!own->plastic)
        return linear;
    mask taking = p->touch;
    if (own->as_program)
        taking = m_and(taking, m_less(column_load(&p->at, EXUDYN_FLAT), v_set(0.5)));
    return v_select(taking, exudyn_adhesive(own, p, depth, power, taking, a), linear);
}

/// Part of the step in which contacts that close are there.
INLINE vec exudyn_part(const spread *t, const meeting *p)
{
    vec zero = v_set(0.0), one = v_set(1.0);
    if (t->first_step)
        return one;
    vec travel = zero - p->m.normal * t->step;
    mask closes = m_less(zero - p->gap, 1.1 * travel);
    closes = m_and(closes, m_less(zero, column_load(&p->at, EXUDYN_MASS)));
    vec when = 0.5 + p->gap / v_select(closes, travel, one);
    return one - v_keep(closes, v_max(when, v_set(-0.5)));
}

/// Keeps the velocity of the touch, (6.8), and the part of the step in which the contact is there.
/// @return what other contacts did to the normal velocity in the step before, m/s
INLINE vec exudyn_impact(const exudyn_terms *own, const spread *t, const meeting *p)
{
    vec zero = v_set(0.0), one = v_set(1.0), V = p->m.normal, part = exudyn_part(t, p);
    vec hit = v_fma(one - part, p->m.free_normal - V, V);
    if (t->first_step && own->as_program)
        hit = zero;
    vec before = column_load(&p->at, EXUDYN_PART_OF_STEP);
    mask known = m_and(p->touched, m_less(zero, before));
    vec others = v_keep(m_and(known, m_less(zero, column_load(&p->at, EXUDYN_MASS))),
                        V - column_load(&p->at, EXUDYN_EXPECTED_VELOCITY));
    vec kept = v_fnma(one - before, others, column_load(&p->at, EXUDYN_IMPACT_VELOCITY));
    vec impact = v_select(p->touched, kept, zero - hit);
    column_store(&p->at, EXUDYN_IMPACT_VELOCITY, v_keep(p->touch, impact));
    column_store(&p->at, EXUDYN_PART_OF_STEP, v_keep(p->touch, v_select(p->touched, one, part)));
    return others;
}

/// Coefficient of the normal velocity in the force of the impact model, N s/m.
INLINE vec exudyn_damping(const exudyn_terms *own, const meeting *p, vec power)
{
    if (own->impact_damping == 0.0)
        return v_set(0.0);
    vec impact = column_load(&p->at, EXUDYN_IMPACT_VELOCITY);
    vec velocity = v_max(impact, v_set(own->minimum_velocity));
    vec more = v_set(own->impact_damping) * power / v_max(velocity, v_set(1e-300));
    return v_keep(m_less(v_set(0.0), velocity), more);
}

/// Force of spring and dashpots, N.
INLINE vec exudyn_damped(const meeting *p, vec spring, vec damping, vec others)
{
    vec half = v_set(0.5);
    vec stiff = v_fma(half * damping, column_load(&p->at, EXUDYN_MASS), v_set(1.0));
    vec sum = p->m.normal + p->m.free_normal;
    vec mean = half * (sum + others / (stiff * stiff));
    return v_fnma(damping, mean, spring) / stiff;
}

/// (6.9), N.
INLINE vec exudyn_normal(const exudyn_terms *own, const spread *t, const meeting *p, vec spring,
                         vec impact, vec others)
{
    vec dashpot = v_set(own->damping), part = column_load(&p->at, EXUDYN_PART_OF_STEP);
    vec mass = column_load(&p->at, EXUDYN_MASS), free = p->m.free_normal;
    vec force = exudyn_damped(p, spring, v_fma(part, dashpot, impact), others);
    if (own->damping > 0.0) {
        vec away = t->step * (v_fma(mass, force, free) + others);
        mask opens = m_less(0.0 - p->gap, away);
        opens = m_and(opens, m_less(v_set(0.0), mass));
        vec open = p->gap / v_select(opens, away, v_set(1.0));
        vec rest = part - 0.5 - open;
        vec last = exudyn_damped(p, spring, v_fma(rest, dashpot, impact), others);
        force = v_select(opens, last, force);
    }
    column_store(&p->at, EXUDYN_EXPECTED_VELOCITY, v_keep(p->touch, v_fma(mass, force, free)));
    return force;
}

/// (6.7), N.
INLINE vec_3 exudyn_friction(const exudyn_terms *own, const meeting *p, vec force)
{
    const motion *m = &p->m;
    vec half = v_set(0.5), zero = v_set(0.0);
    vec_3 v = scaled(half, lane_add_scaled(m->slide, v_set(1.0), m->free_slide));
    // the program takes the velocity of a sphere on a plane at the full distance
    if (own->as_program)
        v = less_scaled(v, p->half_gap * column_load(&p->at, EXUDYN_FLAT), cross(m->omegas, m->n));
    vec most = v_set(own->friction) * (own->as_program ? force : v_max(force, zero));
    vec W = ahead_tangential(&p->at, EXUDYN_AHEAD, p->gap);
    vec reach = v_fma(half * W, v_max(most, zero), v_set(own->zone));
    vec speed = v_sqrt(lane_dot(v, v));
    vec factor = most / v_max(v_max(speed, reach), v_set(1e-300));
    return scaled(zero - factor, v);
}

INLINE void exudyn_respond(const spread *t, const early *e, const meeting *p, law_answer *a)
{
    (void)e;
    const exudyn_terms *own = t->terms;
    const motion *m = &p->m;
    vec zero = v_set(0.0), depth = v_max(p->depth, zero);
    vec power = power_of(depth, own->exponent, own->halves);
    vec others = exudyn_impact(own, t, p);
    a->normal_spring = exudyn_spring(own, p, depth, power, a);
    a->force = exudyn_normal(own, t, p, a->normal_spring, exudyn_damping(own, p, power), others);
    a->drag = (vec_3){zero, zero, zero};
    if (own->friction > 0.0)
        a->drag = exudyn_friction(own, p, a->force);
    column_store(&p->at, EXUDYN_GAP, v_keep(p->touch, p->gap));
    vec sliding = v_sqrt(lane_dot(m->slide, m->slide));
    column_store(&p->at, EXUDYN_TANGENTIAL_VELOCITY, v_keep(p->touch, sliding));
}

static const law_kernel exudyn_sphere_kernel = {
    .ahead = EXUDYN_AHEAD,
    .columns = EXUDYN_COLUMNS,
    .plastic = true,
    .spread = exudyn_spread,
    .divisor = ahead_divisor,
    .shape = ahead_shape,
    .respond = exudyn_respond,
};

#endif
#endif
