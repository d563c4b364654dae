// SPDX-License-Identifier: Apache-2.0
// Kernel of `spring_dashpot` without cohesion, docs/laws.md (4.1)-(4.8).
#ifndef CAIRN_CONTACT_LAWS_SPRING_DASHPOT_KERNEL_H
#define CAIRN_CONTACT_LAWS_SPRING_DASHPOT_KERNEL_H

#include "contact/laws/ahead_kernel.h"

#include <stdbool.h>

/// One surface.
typedef struct spring_dashpot_terms {
    double spring, hpow; // N/m^hpow
    double dashpot;      // N s/m; negative: critical damping
    double friction;
    int halves, halves_slope; // con_halves of hpow and of hpow - 1
    bool semi;                // semi-explicit
} spring_dashpot_terms;

/// Columns of a pair.
enum { SPRING_DASHPOT_AHEAD = 1, SPRING_DASHPOT_COLUMNS = SPRING_DASHPOT_AHEAD + AHEAD_COLUMNS };

#ifdef SIMD_LANES

INLINE void spring_dashpot_spread(const void *terms, spread *t)
{
    (void)terms, (void)t;
}

/// Spring force of a penetration, and its slope.
INLINE vec penalty_spring(const spring_dashpot_terms *own, vec penetration, vec *slope)
{
    vec spring = v_set(own->spring);
    *slope = spring;
    if (own->halves == 2)
        return spring * penetration;
    *slope =
        v_set(own->spring * own->hpow) * power_of(penetration, own->hpow - 1.0, own->halves_slope);
    return spring * power_of(penetration, own->hpow, own->halves);
}

/// Dashpot of either sign. @param W  h W_NN
INLINE vec penalty_dashpot(const spring_dashpot_terms *own, vec step, vec slope, vec W)
{
    if (own->dashpot >= 0.0)
        return v_set(own->dashpot);
    vec critical = v_sqrt(slope * step / v_max(W, v_set(1e-300)));
    return v_keep(m_less(v_set(0.0), W), 2.0 * critical);
}

/// (4.3) or (4.4), N.
INLINE vec penalty_normal(const spring_dashpot_terms *own, const meeting *p, vec step, vec *elastic)
{
    vec W = column_load(&p->at, 0), V = p->m.normal, free = p->m.free_normal, slope;
    vec depth = v_max(p->depth, v_set(0.0)), half = v_set(0.5), quarter = 0.25 * step;
    *elastic = penalty_spring(own, depth, &slope);
    if (!own->semi)
        return v_fnma(penalty_dashpot(own, step, slope, W), V, *elastic);
    vec ahead = v_max(v_fnma(quarter, free - V, p->depth), v_set(0.0));
    vec spring = penalty_spring(own, ahead, &slope);
    vec d = half * penalty_dashpot(own, step, slope, W);
    vec divisor = v_fma(v_fma(quarter, slope, d), W, v_set(1.0));
    return v_fnma(d, free + V, spring) / divisor;
}

INLINE void spring_dashpot_respond(const spread *t, const early *e, const meeting *p, law_answer *a)
{
    (void)e;
    const spring_dashpot_terms *own = t->terms;
    a->force = v_max(penalty_normal(own, p, t->step, &a->normal_spring), v_set(0.0));
    // what stops the sliding, at most mu F
    vec W = ahead_tangential(&p->at, SPRING_DASHPOT_AHEAD, p->gap);
    vec limit = v_set(own->friction) * a->force;
    vec speed = v_sqrt(lane_dot(p->m.free_slide, p->m.free_slide));
    mask slips = m_less(limit * W, speed);
    vec most = v_select(slips, limit, v_set(1.0)), divisor = v_select(slips, speed, W);
    vec factor = v_keep(m_less(v_set(0.0), W), most / v_max(divisor, v_set(1e-300)));
    a->drag = scaled(0.0 - factor, p->m.free_slide);
}

static const law_kernel spring_dashpot_kernel = {
    .ahead = SPRING_DASHPOT_AHEAD,
    .columns = SPRING_DASHPOT_COLUMNS,
    .spread = spring_dashpot_spread,
    .divisor = ahead_divisor,
    .shape = ahead_shape,
    .respond = spring_dashpot_respond,
};

#endif
#endif
