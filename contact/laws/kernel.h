// SPDX-License-Identifier: Apache-2.0
// What the kernels of the laws have in common: arithmetic of vectors, what a kernel is given and
// what it answers.
//
// In a file that has the vectors of base/simd.h. Sums and products run in the same order with
// explicit fused operations everywhere, so that all builds give the same bits.
#ifndef CAIRN_CONTACT_LAWS_KERNEL_H
#define CAIRN_CONTACT_LAWS_KERNEL_H

#include "base/elementary.h"
#include "base/simd.h"

#include <math.h>
#include <stdbool.h>

enum { KERNEL_WIDTH = 8, SPREAD_NUMBERS = 10 };

typedef struct vec_3 {
    vec x, y, z;
} vec_3;

INLINE vec lane_dot(vec_3 a, vec_3 b)
{
    return v_fma(a.z, b.z, v_fma(a.y, b.y, a.x * b.x));
}

INLINE vec_3 scaled(vec s, vec_3 a)
{
    return (vec_3){s * a.x, s * a.y, s * a.z};
}

/// a + s b
INLINE vec_3 lane_add_scaled(vec_3 a, vec s, vec_3 b)
{
    return (vec_3){v_fma(s, b.x, a.x), v_fma(s, b.y, a.y), v_fma(s, b.z, a.z)};
}

/// a - s b
INLINE vec_3 less_scaled(vec_3 a, vec s, vec_3 b)
{
    return (vec_3){v_fnma(s, b.x, a.x), v_fnma(s, b.y, a.y), v_fnma(s, b.z, a.z)};
}

/// a - b x c
INLINE vec_3 less_cross(vec_3 a, vec_3 b, vec_3 c)
{
    return (vec_3){v_fma(b.z, c.y, v_fnma(b.y, c.z, a.x)), v_fma(b.x, c.z, v_fnma(b.z, c.x, a.y)),
                   v_fma(b.y, c.x, v_fnma(b.x, c.y, a.z))};
}

INLINE vec_3 cross(vec_3 a, vec_3 b)
{
    return (vec_3){v_fnma(a.z, b.y, a.y * b.z), v_fnma(a.x, b.z, a.z * b.x),
                   v_fnma(a.y, b.x, a.x * b.y)};
}

INLINE vec_3 selected(mask m, vec_3 yes, vec_3 no)
{
    return (vec_3){v_select(m, yes.x, no.x), v_select(m, yes.y, no.y), v_select(m, yes.z, no.z)};
}

INLINE vec_3 kept(mask m, vec_3 a)
{
    return (vec_3){v_keep(m, a.x), v_keep(m, a.y), v_keep(m, a.z)};
}

INLINE vec_3 load_3(double (*rows)[KERNEL_WIDTH], int first)
{
    return (vec_3){v_load(rows[0] + first), v_load(rows[1] + first), v_load(rows[2] + first)};
}

INLINE void store_3(double (*rows)[KERNEL_WIDTH], int first, vec_3 a)
{
    v_store(rows[0] + first, a.x);
    v_store(rows[1] + first, a.y);
    v_store(rows[2] + first, a.z);
}

/// sin(a)/a and cos(a) of s = a^2 for any angle, in the lanes of a mask.
static __attribute__((noinline)) void half_turn_large(mask large, vec s, vec *sine, vec *cosine)
{
    double lane[LANES] __attribute__((aligned(64))), out[2][LANES] __attribute__((aligned(64)));
    v_store(lane, s);
    for (int k = 0; k < LANES; k++) {
        double angle = sqrt(lane[k]);
        out[0][k] = angle > 0.0 ? base_sin(angle) / angle : 1.0;
        out[1][k] = base_cos(angle);
    }
    *sine = v_select(large, v_load(out[0]), *sine);
    *cosine = v_select(large, v_load(out[1]), *cosine);
}

/// sin(a)/a and cos(a) of s = a^2.
INLINE void half_turn(vec s, vec *sine, vec *cosine)
{
    static const double odd[] = {-1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6};
    static const double even[] = {-1.0 / 3628800, 1.0 / 40320, -1.0 / 720, 1.0 / 24, -0.5};
    vec a = v_set(odd[0]), b = v_set(even[0]);
    for (int i = 1; i < 5; i++) {
        a = v_fma(a, s, v_set(odd[i]));
        b = v_fma(b, s, v_set(even[i]));
    }
    *sine = v_fma(a, s, v_set(1.0));
    *cosine = v_fma(b, s, v_set(1.0));
    // the series are good to round-off below this
    mask large = m_less(v_set(0.06), s);
    if (__builtin_expect(m_any(large), 0))
        half_turn_large(large, s, sine, cosine);
}

/// Numbers of LANES pairs, from lane `first` on.
typedef struct pair_rows {
    double (*spring)[KERNEL_WIDTH];  // [3] N, on B, world axes
    double *column;                  // the first column
    double (*columns)[KERNEL_WIDTH]; // the others
    int first;
} pair_rows;

INLINE vec column_load(const pair_rows *at, int column)
{
    return v_load((column == 0 ? at->column : at->columns[column - 1]) + at->first);
}

INLINE void column_store(const pair_rows *at, int column, vec a)
{
    v_store(at->columns[column - 1] + at->first, a);
}

/// Constants of one surface in all lanes.
typedef struct spread {
    vec step, rate; // s, 1/s
    vec number[SPREAD_NUMBERS];
    const void *terms;
    bool first_step; // of the world
} spread;

/// What is computed some blocks ahead, so that roots and divisions of several blocks overlap.
typedef struct early {
    vec X[4];           // place of B against A; sum of the angular velocities along z
    vec r;              // m, distance
    vec spring_squared; // of laws that ask for it
    vec root;           // hertz: overlap^(1/4)
    vec inverse;        // of the law's divisor
    mask touch;
    bool acts; // something touches or did
} early;

/// Relative motion of the pairs of a part of a block, m/s.
typedef struct motion {
    vec_3 n, slide; // normal; velocity at the contact point along the surface
    vec_3 apart;    // velocity of the centres
    vec_3 along;    // its part along the surface
    vec_3 arms;     // sum of radius times angular velocity
    vec_3 turn;     // sum of arm times angular velocity
    vec_3 omegas;   // rad/s, sum of the angular velocities
    vec normal;     // velocity along the normal
    // what `normal` and `slide` are at the end of a step without contacts; of laws that look ahead
    vec free_normal;
    vec_3 free_slide;
} motion;

/// What follows from the positions and the law's stiffness.
typedef struct shape_of {
    vec distance_inverse;
    vec spring_squared_inverse;
    vec tangential, tangential_inverse; // N/m
    vec before_inverse, before_ratio; // 1 / stiffness of the last step; loss with a shrinking area
    vec damping, normal_spring;       // N s/m, N
} shape_of;

/// What a law is given of LANES pairs. Lanes that do not touch hold anything.
typedef struct meeting {
    pair_rows at;
    shape_of k;
    vec_3 old;                // N, springs of the last step; of laws that have them
    vec gap, depth, half_gap; // m
    motion m;
    mask touch, touched; // in this step, and in the last one
} meeting;

/// What it answers.
typedef struct law_answer {
    vec force;          // N, along the normal on B
    vec normal_spring;  // N, part of it that is no dashpot's
    vec_3 drag;         // N, along the surface on B
    vec_3 whole;        // N, springs of the last step, turned with the pair
    vec_3 spring;       // N, those of now; their part of `drag`
    vec before_squared; // N2, of `whole` in the audit
    vec plastic;        // J, dissipated in the springs of the normal since the last step
    mask slip;          // what the springs do not give is friction, else a dashpot's
} law_answer;

typedef struct law_kernel {
    // first of the columns of ahead_kernel.h, for laws that ask for motion.free_normal and
    // free_slide; else 0
    int ahead;
    int columns;  // of a pair: constants and kept history
    bool springs; // along the surface; without them all that acts there is friction
    bool shrinks; // the springs' stiffness changes with the overlap
    bool resists; // the law may have rolling and twisting resistance
    bool plastic; // law_answer.plastic is given
    void (*spread)(const void *terms, spread *t);
    /// Product of all that the law divides by, the distance among them.
    vec (*divisor)(const pair_rows *at, const spread *t, vec depth, early *e);
    shape_of (*shape)(const pair_rows *at, const spread *t, const early *e, vec depth);
    /// Also writes the columns of history.
    void (*respond)(const spread *t, const early *e, const meeting *p, law_answer *a);
} law_kernel;

#endif
