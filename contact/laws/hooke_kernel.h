// SPDX-License-Identifier: Apache-2.0
// Kernel of `hooke`, docs/laws.md (7.1).
#ifndef CAIRN_CONTACT_LAWS_HOOKE_KERNEL_H
#define CAIRN_CONTACT_LAWS_HOOKE_KERNEL_H

#include "contact/laws/slider_kernel.h"

/// Columns of a pair: the dashpot, N s/m.
enum { HOOKE_DAMPING, HOOKE_COLUMNS };

#ifdef SIMD_LANES

INLINE vec hooke_divisor(const pair_rows *at, const spread *t, vec depth, early *e)
{
    (void)t, (void)depth;
    vec_3 spring = load_3(at->spring, at->first);
    e->spring_squared = lane_dot(spring, spring);
    return e->r * safe_square(e->spring_squared);
}

INLINE shape_of hooke_shape(const pair_rows *at, const spread *t, const early *e, vec depth)
{
    const vec *number = t->number;
    return (shape_of){
        .distance_inverse = e->inverse * safe_square(e->spring_squared),
        .spring_squared_inverse = e->inverse * e->r,
        .tangential = number[SLIDER_TANGENTIAL],
        .tangential_inverse = number[SLIDER_TANGENTIAL_INVERSE],
        .before_inverse = number[SLIDER_TANGENTIAL_INVERSE],
        .damping = column_load(at, HOOKE_DAMPING),
        .normal_spring = number[SLIDER_NORMAL] * depth,
    };
}

INLINE void hooke_respond(const spread *t, const early *e, const meeting *p, law_answer *a)
{
    slider_respond(t, e, p, false, a);
}

static const law_kernel hooke_kernel = {
    .columns = HOOKE_COLUMNS,
    .springs = true,
    .resists = true,
    .spread = slider_spread,
    .divisor = hooke_divisor,
    .shape = hooke_shape,
    .respond = hooke_respond,
};

#endif
#endif
