// SPDX-License-Identifier: Apache-2.0
// Kernel of laws with a dashpot along the normal and a spring, dashpot and slider along the
// surface: contact/laws/slider.c for many contacts, with several quotients from one division.
#ifndef CAIRN_CONTACT_LAWS_SLIDER_KERNEL_H
#define CAIRN_CONTACT_LAWS_SLIDER_KERNEL_H

#ifdef SIMD_LANES
#include "contact/laws/kernel.h"
#endif

/// One surface.
typedef struct con_slider_terms {
    double normal;      // hooke: k_n, N/m; hertz_mindlin: 4/3 E*, Pa
    double tangential;  // hooke: k_t, N/m; hertz_mindlin: 8 G*, Pa
    double damping;     // tangential dashpot over normal dashpot
    double friction;    // mu
    double least_force; // N; 0, or -INFINITY with attraction
    // normal dashpot of a pair of effective mass m: viscous + by_mass m + by_root sqrt(m), of
    // hertz_mindlin over overlap^(1/4)
    double viscous, by_mass, by_root;
} con_slider_terms;

#ifdef SIMD_LANES

enum {
    SLIDER_NORMAL,
    SLIDER_TANGENTIAL,
    SLIDER_DAMPING,
    SLIDER_FRICTION,
    SLIDER_LEAST_FORCE,
    SLIDER_TANGENTIAL_INVERSE
};

INLINE void slider_spread(const void *terms, spread *t)
{
    const con_slider_terms *own = terms;
    t->number[SLIDER_NORMAL] = v_set(own->normal);
    t->number[SLIDER_TANGENTIAL] = v_set(own->tangential);
    t->number[SLIDER_DAMPING] = v_set(own->damping);
    t->number[SLIDER_FRICTION] = v_set(own->friction);
    t->number[SLIDER_LEAST_FORCE] = v_set(own->least_force);
    t->number[SLIDER_TANGENTIAL_INVERSE] = v_set(1.0 / own->tangential);
}

INLINE vec safe_square(vec q)
{
    return v_max(q, v_set(1e-60));
}

/// `flat`, what is left of a vector of squared length q without its pairs p along the normal, made
/// as long as the vector was: 1 / sqrt(1 - e) times as long, e = p^2 / q.
INLINE vec_3 length_kept(vec_3 flat, vec p, vec q, vec q_inverse, mask touch)
{
    vec e = p * p * q_inverse;
    vec factor = v_fma(v_set(0.3125), e, v_set(0.375));
    factor = v_fma(factor, e, v_set(0.5));
    factor = v_fma(factor, e, v_set(1.0));
    mask large = m_and(touch, m_less(v_set(1e-4), e));
    if (__builtin_expect(m_any(large), 0)) {
        vec left = lane_dot(flat, flat), least = v_set(1e-300);
        vec exact = v_sqrt(q / v_max(left, least));
        factor = v_select(large, v_keep(m_less(least, left), exact), factor);
    }
    return scaled(factor, flat);
}

/// Force and spring of lanes that slip.
INLINE void slip_lanes(mask slip, vec size_squared, vec limit, vec spring_rate, vec dashpot,
                       vec_3 before, vec_3 *force, vec_3 *spring)
{
    vec size = v_sqrt(size_squared), sum = spring_rate + dashpot;
    vec inverse = 1.0 / (size * sum);
    vec_3 cut = scaled(limit * (inverse * sum), *force);
    vec_3 mixed = lane_add_scaled(scaled(dashpot, before), spring_rate, cut);
    *spring = selected(slip, scaled(inverse * size, mixed), *spring);
    *force = selected(slip, cut, *force);
}

/// @param shrinks  the spring loses force with a shrinking area
INLINE void slider_respond(const spread *t, const early *e, const meeting *p, bool shrinks,
                           law_answer *a)
{
    const vec *number = t->number;
    const shape_of *k = &p->k;
    const motion *m = &p->m;
    vec_3 old = p->old;
    a->normal_spring = k->normal_spring;
    a->force = v_max(v_fnma(k->damping, m->normal, k->normal_spring), number[SLIDER_LEAST_FORCE]);
    vec limit = number[SLIDER_FRICTION] * v_max(a->force, v_set(0.0));
    vec along = lane_dot(old, m->n);
    a->before_squared = e->spring_squared;
    a->whole = length_kept(less_scaled(old, along, m->n), along, a->before_squared,
                           k->spring_squared_inverse, p->touch);
    vec_3 before = shrinks ? scaled(k->before_ratio, a->whole) : a->whole;
    vec spring_rate = k->tangential * t->step;
    vec dashpot = number[SLIDER_DAMPING] * k->damping;
    a->spring = less_scaled(before, spring_rate, m->slide);
    a->drag = less_scaled(a->spring, dashpot, m->slide);
    vec size_squared = lane_dot(a->drag, a->drag);
    a->slip = m_and(p->touch, m_less(limit * limit, size_squared));
    if (m_any(a->slip))
        slip_lanes(a->slip, size_squared, limit, spring_rate, dashpot, before, &a->drag,
                   &a->spring);
}

#endif
#endif
