// SPDX-License-Identifier: Apache-2.0
// How kernels read the slots of pairs, and move slots by what acts on them. The rows of a slot hold
// four or eight numbers of several kinds, one lane each: this alone is written for each length.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_SLOTS_H
#define CAIRN_ENGINE_PAIRS_SPHERES_SLOTS_H

#include "base/simd.h"
#include "engine/pairs/spheres/kernels/pass.h"

enum { ROW_PARTS = 8 / LANES };

/// Eight numbers of a slot: force, moment, two that are not used.
typedef struct slot_row {
    vec part[ROW_PARTS];
} slot_row;

INLINE slot_row load_row(const double *from)
{
    slot_row row;
    for (int part = 0; part < ROW_PARTS; part++)
        row.part[part] = v_load(from + part * LANES);
    return row;
}

/// Slots by eight times their number.
INLINE const double *row_X(const eng_spheres_pass *pass, int row8)
{
    return (const double *)((const char *)pass->X + 4 * (size_t)(unsigned)row8);
}

INLINE const double *row_V(const eng_spheres_pass *pass, int row8)
{
    return (const double *)pass->V + (size_t)(unsigned)row8;
}

/// What the velocities of the slots of a chunk come to: most of each of the first three numbers in
/// size, and zeros unless one is not finite.
typedef struct motion_sums {
    vec fastest[(3 + LANES - 1) / LANES], finite;
} motion_sums;

INLINE motion_sums no_motion(void)
{
    motion_sums s = {.finite = v_set(0.0)};
    for (int k = 0; k < 3; k += LANES)
        s.fastest[k / LANES] = v_set(0.0);
    return s;
}

INLINE void end_motion(const motion_sums *s, eng_spheres_chunk *chunk)
{
    double fastest[3 + LANES] __attribute__((aligned(64))),
        finite[LANES] __attribute__((aligned(64)));
    for (int k = 0; k < 3; k += LANES)
        v_store(fastest + k, s->fastest[k / LANES]);
    v_store(finite, s->finite);
    for (int k = 0; k < 3; k++)
        chunk->fastest[k] = fastest[k] > chunk->fastest[k] ? fastest[k] : chunk->fastest[k];
    for (int k = 0; k < LANES; k++)
        chunk->finite += finite[k];
}

INLINE double force_sign(int entry)
{
    static const double signs[2] = {-1.0, 1.0};
    return signs[entry & 1];
}

#if SIMD_LANES == 8

INLINE vec two_slots(const double *low, const double *high)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(low)), _mm256_load_pd(high), 1);
}

/// Place of B against A, and the sum of the fourth numbers.
INLINE void load_positions(const eng_spheres_pass *pass, const int *i, const int *j, vec out[4])
{
    const vec sign = _mm512_setr_pd(-1, -1, -1, 1, -1, -1, -1, 1);
    vec a[4];
    for (int k = 0; k < 4; k++)
        a[k] = _mm512_fmadd_pd(two_slots(row_X(pass, i[k]), row_X(pass, i[k + 4])), sign,
                               two_slots(row_X(pass, j[k]), row_X(pass, j[k + 4])));
    v_transpose_fours(a, out);
}

/// Velocity of B against A, and the sums of the other numbers.
INLINE void load_velocities(const eng_spheres_pass *pass, const int *i, const int *j, vec out[8])
{
    const vec sign = _mm512_setr_pd(-1, -1, -1, 1, 1, 1, 1, 1);
    for (int k = 0; k < 8; k++)
        out[k] = _mm512_fmadd_pd(_mm512_load_pd(row_V(pass, i[k])), sign,
                                 _mm512_load_pd(row_V(pass, j[k])));
    v_transpose(out, out);
}

/// The force row of an entry of `near`, onto the sum of a slot: its moment by the arm.
INLINE void add_force(const eng_spheres_pass *pass, int entry, vec radius, slot_row *sum)
{
    const double *force = (const double *)pass->force + ((unsigned)entry & ~7u);
    vec arm = radius + v_set(force[6]);
    vec factor = _mm512_mask_mov_pd(v_set(force_sign(entry)), 0x38, arm);
    sum->part[0] = v_fma(v_load(force), factor, sum->part[0]);
}

/// Velocities after the step from the sum of what acts, then the next midpoint.
INLINE void move_row(const eng_spheres_pass *pass, int slot, const slot_row *row, motion_sums *s)
{
    const double *c = pass->constants[slot];
    vec sum = row->part[0];
    const __m512i factors = _mm512_setr_epi64(0, 0, 0, 1, 1, 1, 2, 2);
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 3, 4);
    const __m512i moved = _mm512_setr_epi64(0, 1, 2, 13, 0, 0, 0, 0);
    vec coefficient = _mm512_permutexvar_pd(factors, _mm512_broadcast_f64x4(_mm256_load_pd(c)));
    mask mobile = m_differ(coefficient, v_set(0.0));
    vec gravity = _mm512_maskz_loadu_pd(0x07, pass->gravity);
    vec V = v_fma(_mm512_permutexvar_pd(lanes, sum), coefficient, v_load(pass->V[slot]));
    V += v_keep(mobile, gravity);
    v_store(pass->V[slot], V);
    vec way = _mm512_permutex2var_pd(V, moved, sum);
    vec step = _mm512_mask_mov_pd(v_set(pass->step), 0x08, v_set(c[2]));
    __m256d X = _mm256_fmadd_pd(_mm512_castpd512_pd256(way), _mm512_castpd512_pd256(step),
                                _mm256_load_pd(pass->X[slot]));
    _mm256_store_pd(pass->X[slot], X);
    s->fastest[0] = v_max(s->fastest[0], _mm512_abs_pd(V));
    s->finite = v_fma(V, v_set(0.0), s->finite);
}

#elif SIMD_LANES == 4

INLINE void load_positions(const eng_spheres_pass *pass, const int *i, const int *j, vec out[4])
{
    const vec sign = _mm256_setr_pd(-1, -1, -1, 1);
    for (int k = 0; k < 4; k++)
        out[k] = v_fma(v_load(row_X(pass, i[k])), sign, v_load(row_X(pass, j[k])));
    v_transpose(out, out);
}

INLINE void load_velocities(const eng_spheres_pass *pass, const int *i, const int *j, vec out[8])
{
    const vec sign = _mm256_setr_pd(-1, -1, -1, 1);
    for (int k = 0; k < 4; k++) {
        const double *a = row_V(pass, i[k]), *b = row_V(pass, j[k]);
        out[k] = v_fma(v_load(a), sign, v_load(b));
        out[k + 4] = v_load(a + 4) + v_load(b + 4);
    }
    v_transpose(out, out);
    v_transpose(out + 4, out + 4);
}

INLINE void add_force(const eng_spheres_pass *pass, int entry, vec radius, slot_row *sum)
{
    const double *force = (const double *)pass->force + ((unsigned)entry & ~7u);
    vec arm = radius + v_set(force[6]);
    vec low = _mm256_blend_pd(v_set(force_sign(entry)), arm, 8);
    sum->part[0] = v_fma(v_load(force), low, sum->part[0]);
    sum->part[1] = v_fma(v_load(force + 4), arm, sum->part[1]);
}

INLINE void move_row(const eng_spheres_pass *pass, int slot, const slot_row *row, motion_sums *s)
{
    const double *c = pass->constants[slot];
    const vec *sum = row->part;
    // sums: f f f t | t t . .; velocities: v v v rw | rw rw w w
    vec all = v_load(c), linear = v_set(c[0]);
    vec low = _mm256_permute4x64_pd(all, 0x40), high = _mm256_permute4x64_pd(all, 0xa5);
    vec torques = _mm256_blend_pd(sum[1], _mm256_permute4x64_pd(sum[1], 0x00), 8);
    vec first = _mm256_permute4x64_pd(sum[0], 0xff);
    torques = _mm256_blend_pd(torques, first, 4);
    mask mobile = m_differ(linear, v_set(0.0));
    vec gravity = _mm256_maskload_pd(pass->gravity, _mm256_setr_epi64x(-1, -1, -1, 0));
    vec V0 = v_fma(sum[0], low, v_load(pass->V[slot]));
    vec V1 = v_fma(torques, high, v_load(pass->V[slot] + 4));
    V0 += v_keep(mobile, gravity);
    V1 += 0.0;
    v_store(pass->V[slot], V0);
    v_store(pass->V[slot] + 4, V1);
    vec way = _mm256_blend_pd(V0, _mm256_permute4x64_pd(sum[1], 0x40), 8);
    vec step = _mm256_blend_pd(v_set(pass->step), v_set(c[2]), 8);
    v_store(pass->X[slot], v_fma(way, step, v_load(pass->X[slot])));
    s->fastest[0] = v_max(s->fastest[0], v_drop(v_set(-0.0), V0));
    s->finite = v_fma(V0, v_set(0.0), s->finite);
    s->finite = v_fma(V1, v_set(0.0), s->finite);
}

#else

INLINE void load_positions(const eng_spheres_pass *pass, const int *i, const int *j, vec out[4])
{
    const double *a = row_X(pass, *i), *b = row_X(pass, *j);
    for (int k = 0; k < 4; k++)
        out[k] = k < 3 ? b[k] - a[k] : b[k] + a[k];
}

INLINE void load_velocities(const eng_spheres_pass *pass, const int *i, const int *j, vec out[8])
{
    const double *a = row_V(pass, *i), *b = row_V(pass, *j);
    for (int k = 0; k < 8; k++)
        out[k] = k < 3 ? b[k] - a[k] : b[k] + a[k];
}

INLINE void add_force(const eng_spheres_pass *pass, int entry, vec radius, slot_row *sum)
{
    const double *force = pass->force[entry / 8];
    double sign = force_sign(entry), arm = radius + force[6];
    for (int k = 0; k < 6; k++)
        sum->part[k] = v_fma(force[k], k < 3 ? sign : arm, sum->part[k]);
}

INLINE void move_row(const eng_spheres_pass *pass, int slot, const slot_row *row, motion_sums *s)
{
    const double *c = pass->constants[slot], *sum = row->part;
    double *X = pass->X[slot], *V = pass->V[slot];
    bool mobile = c[0] != 0.0;
    for (int k = 0; k < 3; k++) {
        V[k] = v_fma(sum[k], c[0], V[k]) + (mobile ? pass->gravity[k] : 0.0);
        X[k] = v_fma(V[k], pass->step, X[k]);
        V[3 + k] = v_fma(sum[3 + k], c[1], V[3 + k]) + 0.0;
        s->fastest[k] = v_max(s->fastest[k], fabs(V[k]));
    }
    V[6] = v_fma(sum[3], c[2], V[6]) + 0.0;
    V[7] = v_fma(sum[4], c[2], V[7]) + 0.0;
    X[3] = v_fma(sum[5], c[2], X[3]);
    for (int k = 0; k < 8; k++)
        s->finite = v_fma(V[k], 0.0, s->finite);
}

#endif

INLINE void store_forces(double (*rows)[8], const vec in[8])
{
    double *at[LANES];
    for (int k = 0; k < LANES; k++)
        at[k] = rows[k];
    v_store_rows(at, in);
}

/// Force and moment on a slot: the load with those of its pairs.
/// @param padded  least number of its force rows
INLINE slot_row sum_slot(const eng_spheres_pass *pass, int slot, const double *load, int padded)
{
    vec radius = v_set(pass->constants[slot][3]);
    slot_row sum = load_row(load);
    const int *list = pass->near + pass->near_start[slot];
    const int *end = pass->near + pass->near_start[slot + 1];
    for (int k = 0; k < padded; k++)
        add_force(pass, list[k], radius, &sum);
    for (list += padded; list < end; list++)
        add_force(pass, *list, radius, &sum);
    if (__builtin_expect(pass->far_touched[slot], 0)) {
        pass->far_touched[slot] = 0;
        for (int k = pass->far_start[slot]; k < pass->far_start[slot + 1]; k++)
            if (eng_spheres_far_acts(pass, pass->far[k]))
                add_force(pass, eng_spheres_far_force_row(pass, pass->far[k]), radius, &sum);
    }
    return sum;
}

/// The sum of a member goes to its place.
INLINE void store_sum(const eng_spheres_pass *pass, int slot, const double *load)
{
    slot_row sum = sum_slot(pass, slot, load, ENG_SPHERES_MEMBER_PADDED);
    for (int part = 0; part < ROW_PARTS; part++)
        v_store(pass->sums[slot] + part * LANES, sum.part[part]);
}

INLINE void move_slot(const eng_spheres_pass *pass, int slot, const double *load, motion_sums *s)
{
    slot_row sum = sum_slot(pass, slot, load, ENG_SPHERES_PADDED);
    move_row(pass, slot, &sum, s);
}

#endif
