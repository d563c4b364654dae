// SPDX-License-Identifier: Apache-2.0
// Kernel of `hertz_mindlin`, docs/laws.md (7.1), (7.2).
#ifndef CAIRN_CONTACT_LAWS_HERTZ_MINDLIN_KERNEL_H
#define CAIRN_CONTACT_LAWS_HERTZ_MINDLIN_KERNEL_H

#include "contact/laws/slider_kernel.h"

/// Columns of a pair: dashpot over overlap^(1/4); tangential stiffness of the last step, N/m;
/// square root of the effective radius.
enum { HERTZ_DAMPING, HERTZ_SLOPE, HERTZ_ROOT_RADIUS, HERTZ_COLUMNS };

#ifdef SIMD_LANES

INLINE vec hertz_area(const pair_rows *at, vec root)
{
    return column_load(at, HERTZ_ROOT_RADIUS) * (root * root);
}

INLINE vec hertz_slope(const pair_rows *at)
{
    return v_max(column_load(at, HERTZ_SLOPE), v_set(1e-20));
}

INLINE vec hertz_divisor(const pair_rows *at, const spread *t, vec depth, early *e)
{
    vec_3 spring = load_3(at->spring, at->first);
    e->spring_squared = lane_dot(spring, spring);
    e->root = v_sqrt(v_sqrt(v_max(depth, v_set(1e-40))));
    vec now = t->number[SLIDER_TANGENTIAL] * hertz_area(at, e->root);
    return e->r * safe_square(e->spring_squared) * (now * hertz_slope(at));
}

INLINE shape_of hertz_shape(const pair_rows *at, const spread *t, const early *e, vec depth)
{
    vec area = hertz_area(at, e->root), safe = safe_square(e->spring_squared);
    vec now = t->number[SLIDER_TANGENTIAL] * area, old = hertz_slope(at);
    vec left = e->r * safe, right = now * old;
    vec inverse_left = e->inverse * right, inverse_right = e->inverse * left;
    vec old_inverse = inverse_right * now;
    return (shape_of){
        .distance_inverse = inverse_left * safe,
        .spring_squared_inverse = inverse_left * e->r,
        .tangential = now,
        .tangential_inverse = inverse_right * old,
        .before_inverse = old_inverse,
        .before_ratio = v_min(now * old_inverse, v_set(1.0)),
        .damping = column_load(at, HERTZ_DAMPING) * e->root,
        .normal_spring = t->number[SLIDER_NORMAL] * area * depth,
    };
}

INLINE void hertz_respond(const spread *t, const early *e, const meeting *p, law_answer *a)
{
    slider_respond(t, e, p, true, a);
    column_store(&p->at, HERTZ_SLOPE, v_keep(p->touch, p->k.tangential));
}

static const law_kernel hertz_mindlin_kernel = {
    .columns = HERTZ_COLUMNS,
    .springs = true,
    .shrinks = true,
    .resists = true,
    .spread = slider_spread,
    .divisor = hertz_divisor,
    .shape = hertz_shape,
    .respond = hertz_respond,
};

#endif
#endif
