// SPDX-License-Identifier: Apache-2.0
// What kernels of laws that look ahead over the step, or have powers of the overlap, share.
#ifndef CAIRN_CONTACT_LAWS_AHEAD_KERNEL_H
#define CAIRN_CONTACT_LAWS_AHEAD_KERNEL_H

#ifdef SIMD_LANES
#include "contact/laws/kernel.h"
#endif

/// Columns of a pair from law_kernel.ahead on: h W_TT = turn_0 + turn_1 g + turn_2 g^2 for a gap g,
/// and where gravity pulls, con_batch_pair.falls. Column 0 of such a law is h W_NN.
enum { AHEAD_TURN, AHEAD_FALLS = 3, AHEAD_COLUMNS };

/// Twice an exponent where that is a whole number up to 12, else -1: powers that roots and products
/// give.
static inline int con_halves(double exponent)
{
    int halves = exponent >= 0.0 && exponent <= 6.0 ? (int)(2.0 * exponent) : -1;
    return halves == 2.0 * exponent ? halves : -1;
}

#ifdef SIMD_LANES

/// h W_TT, s/kg.
INLINE vec ahead_tangential(const pair_rows *at, int first, vec gap)
{
    vec slope = v_fma(column_load(at, first + AHEAD_TURN + 2), gap,
                      column_load(at, first + AHEAD_TURN + 1));
    return v_fma(slope, gap, column_load(at, first + AHEAD_TURN));
}

/// One lane after the other.
static __attribute__((noinline)) vec any_power(vec a, double exponent)
{
    double lane[LANES] __attribute__((aligned(64)));
    v_store(lane, a);
    for (int k = 0; k < LANES; k++)
        lane[k] = base_pow(lane[k], exponent);
    return v_load(lane);
}

/// a^exponent of a >= 0. @param halves  con_halves(exponent)
INLINE vec power_of(vec a, double exponent, int halves)
{
    if (halves == 2)
        return a;
    if (halves < 0)
        return any_power(a, exponent);
    vec result = halves % 2 != 0 ? v_sqrt(a) : v_set(1.0);
    for (int k = 0; k < halves / 2; k++)
        result = result * a;
    return result;
}

INLINE vec ahead_divisor(const pair_rows *at, const spread *t, vec depth, early *e)
{
    (void)at, (void)t, (void)depth;
    return e->r;
}

INLINE shape_of ahead_shape(const pair_rows *at, const spread *t, const early *e, vec depth)
{
    (void)at, (void)t, (void)depth;
    return (shape_of){.distance_inverse = e->inverse};
}

#endif
#endif
