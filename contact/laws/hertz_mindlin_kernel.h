// SPDX-License-Identifier: Apache-2.0
// Kernel of `hertz_mindlin`, docs/laws.md (7.1), (7.2).
#ifndef CAIRN_CONTACT_LAWS_HERTZ_MINDLIN_KERNEL_H
#define CAIRN_CONTACT_LAWS_HERTZ_MINDLIN_KERNEL_H

#include "contact/laws/slider_kernel.h"

/// Columns of a pair: dashpot over overlap^(1/4); tangential stiffness of the last step, N/m;
/// square root of the effective radius.
enum { HERTZ_DAMPING, HERTZ_SLOPE, HERTZ_ROOT_RADIUS, HERTZ_COLUMNS };

#ifdef CON_KERNEL_BUILD

INLINE vec hertz_area(const slots *at, vec root)
{
    return v_mul(column_load(at, HERTZ_ROOT_RADIUS), v_mul(root, root));
}

INLINE vec hertz_slope(const slots *at)
{
    return v_max(column_load(at, HERTZ_SLOPE), v_set(1e-20));
}

INLINE vec hertz_divisor(const slots *at, const spread *t, vec depth, early *e)
{
    vec_3 spring = load_3(at->spring, at->first);
    e->spring_squared = lane_dot(spring, spring);
    e->root = v_sqrt(v_sqrt(v_max(depth, v_set(1e-40))));
    vec now = v_mul(t->number[SLIDER_TANGENTIAL], hertz_area(at, e->root));
    return v_mul(v_mul(e->r, safe_square(e->spring_squared)), v_mul(now, hertz_slope(at)));
}

INLINE shape_of hertz_shape(const slots *at, const spread *t, const early *e, vec depth)
{
    vec area = hertz_area(at, e->root), safe = safe_square(e->spring_squared);
    vec now = v_mul(t->number[SLIDER_TANGENTIAL], area), old = hertz_slope(at);
    vec left = v_mul(e->r, safe), right = v_mul(now, old);
    vec inverse_left = v_mul(e->inverse, right), inverse_right = v_mul(e->inverse, left);
    vec old_inverse = v_mul(inverse_right, now);
    return (shape_of){
        .distance_inverse = v_mul(inverse_left, safe),
        .spring_squared_inverse = v_mul(inverse_left, e->r),
        .tangential = now,
        .tangential_inverse = v_mul(inverse_right, old),
        .before_inverse = old_inverse,
        .before_ratio = v_min(v_mul(now, old_inverse), v_set(1.0)),
        .damping = v_mul(column_load(at, HERTZ_DAMPING), e->root),
        .normal_spring = v_mul(v_mul(t->number[SLIDER_NORMAL], area), depth),
    };
}

INLINE void hertz_respond(const spread *t, const early *e, const meeting *p, answer *a)
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
