// SPDX-License-Identifier: Apache-2.0
// Kernel of `incremental`, docs/laws.md (5.1)-(5.3).
#ifndef CAIRN_CONTACT_LAWS_INCREMENTAL_KERNEL_H
#define CAIRN_CONTACT_LAWS_INCREMENTAL_KERNEL_H

#ifdef SIMD_LANES
#include "contact/laws/kernel.h"
#endif

#include <stdbool.h>

/// One surface.
typedef struct incremental_terms {
    double normal, shear; // N/m
    double young, ratio;  // Pa; k_n = 2 young R* and k_s = ratio k_n where young > 0
    double friction;
    double strength; // N
    bool exact;      // rotation
    bool corrected;  // against ratcheting
} incremental_terms;

/// Columns of a pair: k_n; normal of the last step (x y z); k_s and its inverse, 0 for 0; 1 / r_A
/// of a sphere and a side that is none, else 0.
enum {
    INCREMENTAL_NORMAL,
    INCREMENTAL_BEFORE,
    INCREMENTAL_SHEAR = 4,
    INCREMENTAL_SHEAR_INVERSE,
    INCREMENTAL_FLAT,
    INCREMENTAL_COLUMNS
};

#ifdef SIMD_LANES

enum { SPREAD_FRICTION, SPREAD_STRENGTH };

INLINE void incremental_spread(const void *terms, spread *t)
{
    const incremental_terms *own = terms;
    t->number[SPREAD_FRICTION] = v_set(own->friction);
    t->number[SPREAD_STRENGTH] = v_set(own->strength);
}

INLINE vec incremental_divisor(const pair_rows *at, const spread *t, vec depth, early *e)
{
    (void)at, (void)t, (void)depth;
    return e->r;
}

INLINE shape_of incremental_shape(const pair_rows *at, const spread *t, const early *e, vec depth)
{
    (void)t;
    vec inverse = column_load(at, INCREMENTAL_SHEAR_INVERSE);
    return (shape_of){
        .distance_inverse = e->inverse,
        .tangential_inverse = inverse,
        .before_inverse = inverse,
        .normal_spring = column_load(at, INCREMENTAL_NORMAL) * depth,
    };
}

/// The spring turned by the twist of the mean angular velocity about the old normal, then by the
/// smallest rotation from the old normal to the new one.
INLINE vec_3 turned_exactly(vec_3 spring, vec_3 before, const motion *m, vec step)
{
    vec_3 half = scaled(0.25 * step, m->omegas);
    vec sine, w, one = v_set(1.0);
    half_turn(lane_dot(half, half), &sine, &w);
    // angle of the twist: twice that of (w, along)
    vec along = sine * lane_dot(half, before), square = v_fma(along, along, w * w);
    vec cosine = lane_dot(before, m->n), sum = one + cosine;
    mask opposite = m_less(sum, v_set(1e-12));
    vec safe = v_select(opposite, one, sum), inverse = one / (square * safe);
    vec square_inverse = inverse * safe, sum_inverse = inverse * square;
    vec cos_twist = v_fnma(along, along, w * w) * square_inverse;
    vec sin_twist = 2.0 * (w * along) * square_inverse;
    vec about = lane_dot(before, spring) * (one - cos_twist);
    vec_3 twisted = lane_add_scaled(scaled(cos_twist, spring), sin_twist, cross(before, spring));
    twisted = lane_add_scaled(twisted, about, before);
    vec_3 axis = cross(before, m->n);
    vec_3 tilted = lane_add_scaled(scaled(cosine, twisted), one, cross(axis, twisted));
    tilted = lane_add_scaled(tilted, lane_dot(axis, twisted) * sum_inverse, axis);
    return selected(opposite, twisted, tilted);
}

/// The same to first order.
INLINE vec_3 turned_roughly(vec_3 spring, vec_3 before, const motion *m, vec step)
{
    vec twist = 0.5 * step * lane_dot(before, m->omegas);
    spring = less_cross(spring, spring, cross(before, m->n));
    return less_cross(spring, spring, scaled(twist, before));
}

/// Velocity of B against A along the surface as the law sees it, m/s: of the contact point, or,
/// with the correction, of points at full radius. The side that is no sphere takes part with the
/// contact point.
INLINE vec_3 shear_velocity(const incremental_terms *own, const early *e, const meeting *p)
{
    const motion *m = &p->m;
    if (!own->corrected)
        return m->slide;
    vec flat_inverse = column_load(&p->at, INCREMENTAL_FLAT), one = v_set(1.0);
    mask flat = m_less(v_set(0.0), flat_inverse);
    vec scale = v_select(flat, one, (e->r - p->gap) * p->k.distance_inverse);
    vec_3 of_wall = less_scaled(m->omegas, flat_inverse, m->arms);
    vec_3 turn = lane_add_scaled(m->arms, v_keep(flat, p->half_gap), of_wall);
    return less_cross(scaled(scale, m->along), turn, m->n);
}

INLINE void incremental_respond(const spread *t, const early *e, const meeting *p, law_answer *a)
{
    const incremental_terms *own = t->terms;
    const motion *m = &p->m;
    vec_3 before = {column_load(&p->at, INCREMENTAL_BEFORE),
                    column_load(&p->at, INCREMENTAL_BEFORE + 1),
                    column_load(&p->at, INCREMENTAL_BEFORE + 2)};
    mask known = m_less(v_set(0.0), lane_dot(before, before));
    vec_3 turned = own->exact ? turned_exactly(p->old, before, m, t->step)
                              : turned_roughly(p->old, before, m, t->step);
    a->whole = kept(known, turned);
    a->before_squared = lane_dot(a->whole, a->whole);
    vec rate = column_load(&p->at, INCREMENTAL_SHEAR) * t->step;
    a->spring = less_scaled(a->whole, rate, shear_velocity(own, e, p));
    a->force = a->normal_spring = p->k.normal_spring;
    vec limit = v_fma(t->number[SPREAD_FRICTION], a->force, t->number[SPREAD_STRENGTH]);
    vec square = lane_dot(a->spring, a->spring);
    mask slips = m_and(p->touch, m_less(limit * limit, square));
    if (m_any(slips))
        a->spring = selected(slips, scaled(limit / v_sqrt(square), a->spring), a->spring);
    a->drag = a->spring;
    a->slip = m_from_bits(0);
    column_store(&p->at, INCREMENTAL_BEFORE, v_keep(p->touch, m->n.x));
    column_store(&p->at, INCREMENTAL_BEFORE + 1, v_keep(p->touch, m->n.y));
    column_store(&p->at, INCREMENTAL_BEFORE + 2, v_keep(p->touch, m->n.z));
}

static const law_kernel incremental_kernel = {
    .columns = INCREMENTAL_COLUMNS,
    .springs = true,
    .spread = incremental_spread,
    .divisor = incremental_divisor,
    .shape = incremental_shape,
    .respond = incremental_respond,
};

#endif
#endif
