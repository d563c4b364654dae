// SPDX-License-Identifier: Apache-2.0
// Kernel of `exudyn_sphere`, docs/laws.md (6.1)-(6.7).
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
    EXUDYN_AHEAD,
    EXUDYN_FLAT = EXUDYN_AHEAD + AHEAD_COLUMNS,
    EXUDYN_COLUMNS
};

#ifdef CON_KERNEL_BUILD

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
                           mask taking, answer *a)
{
    const exudyn_plastic *m = &own->model;
    vec before = column_load(&p->at, EXUDYN_PLASTIC_OVERLAP);
    vec plastic = v_keep(taking, v_max(before, v_mul(v_set(m->ratio), depth)));
    vec loading = v_mul(v_set(m->k1), power);
    vec lasting = power_of(plastic, own->exponent, own->halves);
    vec unloading = v_mul(v_set(m->k2), v_sub(power, lasting));
    vec adhesion = v_mul(v_set(-m->adhesion), power_of(depth, m->x, own->halves_adhesion));
    if (m_any(m_less(before, plastic)))
        a->plastic = exudyn_lost(m, before, plastic);
    column_store(&p->at, EXUDYN_PLASTIC_OVERLAP, plastic);
    return v_sub(v_min(loading, v_max(unloading, adhesion)), v_set(m->pull_off));
}

INLINE vec exudyn_spring(const exudyn_terms *own, const meeting *p, vec depth, vec power, answer *a)
{
    vec linear = v_mul(v_set(own->stiffness), power);
    a->plastic = v_set(0.0);
    if (!own->plastic)
        return linear;
    mask taking = p->touch;
    if (own->as_program)
        taking = m_and(taking, m_less(column_load(&p->at, EXUDYN_FLAT), v_set(0.5)));
    return v_select(taking, exudyn_adhesive(own, p, depth, power, taking, a), linear);
}

/// Coefficient of the normal velocity, N s/m: dashpot and impact model.
INLINE vec exudyn_damping(const exudyn_terms *own, const spread *t, const meeting *p, vec power)
{
    vec hit = v_sub(v_set(0.0), p->m.normal), damping = v_set(own->damping);
    if (own->as_program && t->first_step)
        hit = v_set(0.0);
    vec impact = v_select(p->touched, column_load(&p->at, EXUDYN_IMPACT_VELOCITY), hit);
    column_store(&p->at, EXUDYN_IMPACT_VELOCITY, v_keep(p->touch, impact));
    if (own->impact_damping == 0.0)
        return damping;
    vec velocity = v_max(impact, v_set(own->minimum_velocity));
    vec more = v_div(v_mul(v_set(own->impact_damping), power), v_max(velocity, v_set(1e-300)));
    return v_add(damping, v_keep(m_less(v_set(0.0), velocity), more));
}

/// (6.7), N.
INLINE vec_3 exudyn_friction(const exudyn_terms *own, const meeting *p, vec force)
{
    const motion *m = &p->m;
    vec half = v_set(0.5), zero = v_set(0.0);
    vec_3 v = scaled(half, lane_add_scaled(m->slide, v_set(1.0), m->free_slide));
    // the program takes the velocity of a sphere on a plane at the full distance
    if (own->as_program)
        v = less_scaled(v, v_mul(p->half_gap, column_load(&p->at, EXUDYN_FLAT)),
                        cross(m->spins, m->n));
    vec most = v_mul(v_set(own->friction), own->as_program ? force : v_max(force, zero));
    vec W = ahead_tangential(&p->at, EXUDYN_AHEAD, p->gap);
    vec reach = v_fma(v_mul(half, W), v_max(most, zero), v_set(own->zone));
    vec speed = v_sqrt(lane_dot(v, v));
    vec factor = v_div(most, v_max(v_max(speed, reach), v_set(1e-300)));
    return scaled(v_sub(zero, factor), v);
}

INLINE void exudyn_respond(const spread *t, const early *e, const meeting *p, answer *a)
{
    (void)e;
    const exudyn_terms *own = t->terms;
    const motion *m = &p->m;
    vec zero = v_set(0.0), half = v_set(0.5), depth = v_max(p->depth, zero);
    vec power = power_of(depth, own->exponent, own->halves);
    a->normal_spring = exudyn_spring(own, p, depth, power, a);
    vec damping = exudyn_damping(own, t, p, power);
    // the dashpot sees the mean velocity of the step
    vec mean = v_mul(half, v_add(m->normal, m->free_normal));
    vec divisor = v_fma(v_mul(half, damping), column_load(&p->at, EXUDYN_MASS), v_set(1.0));
    a->force = v_div(v_fnma(damping, mean, a->normal_spring), divisor);
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
