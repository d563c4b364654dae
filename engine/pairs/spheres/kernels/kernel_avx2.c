// SPDX-License-Identifier: Apache-2.0
// Kernels of the sphere executor, four doubles at a time (AVX2 and FMA).
#if defined(__x86_64__)
#if !defined(__clang__)
#pragma GCC target("avx2,fma")
#endif

#include "engine/pairs/spheres/kernels/pass.h"

#include <immintrin.h>
#include <math.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#endif

#define LANES 4
#define LANE_KERNEL eng_spheres_avx2
#define LANE_NAME "avx2"

typedef __m256d vec;
typedef __m256d mask;

static inline vec v_set(double a)
{
    return _mm256_set1_pd(a);
}
static inline vec v_load(const double *p)
{
    return _mm256_load_pd(p);
}
static inline vec v_load_any(const double *p)
{
    return _mm256_loadu_pd(p);
}
static inline void v_store(double *p, vec a)
{
    _mm256_store_pd(p, a);
}
static inline vec v_load_float(const float *p)
{
    return _mm256_cvtps_pd(_mm_load_ps(p));
}
static inline void v_store_float(float *p, vec a)
{
    _mm_store_ps(p, _mm256_cvtpd_ps(a));
}
static inline vec v_add(vec a, vec b)
{
    return _mm256_add_pd(a, b);
}
static inline vec v_sub(vec a, vec b)
{
    return _mm256_sub_pd(a, b);
}
static inline vec v_mul(vec a, vec b)
{
    return _mm256_mul_pd(a, b);
}
static inline vec v_div(vec a, vec b)
{
    return _mm256_div_pd(a, b);
}
static inline vec v_sqrt(vec a)
{
    return _mm256_sqrt_pd(a);
}
static inline vec v_fma(vec a, vec b, vec c)
{
    return _mm256_fmadd_pd(a, b, c);
}
static inline vec v_fnma(vec a, vec b, vec c)
{
    return _mm256_fnmadd_pd(a, b, c);
}
static inline vec v_max(vec a, vec b)
{
    return _mm256_max_pd(a, b);
}
static inline vec v_min(vec a, vec b)
{
    return _mm256_min_pd(a, b);
}
static inline vec v_select(mask m, vec yes, vec no)
{
    return _mm256_blendv_pd(no, yes, m);
}
static inline vec v_keep(mask m, vec a)
{
    return _mm256_and_pd(m, a);
}
static inline vec v_drop(mask m, vec a)
{
    return _mm256_andnot_pd(m, a);
}
static inline mask m_less(vec a, vec b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
static inline mask m_differ(vec a, vec b)
{
    return _mm256_cmp_pd(a, b, _CMP_NEQ_OQ);
}
static inline mask m_and(mask a, mask b)
{
    return _mm256_and_pd(a, b);
}
static inline bool m_any(mask a)
{
    return _mm256_movemask_pd(a) != 0;
}
static inline unsigned m_bits(mask a)
{
    return (unsigned)_mm256_movemask_pd(a);
}

static inline mask m_from_bits(unsigned bits)
{
    const __m256i lane = _mm256_setr_epi64x(1, 2, 4, 8);
    __m256i all = _mm256_and_si256(_mm256_set1_epi64x((long long)bits), lane);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(all, lane));
}

static inline vec v_gather(const double *p, int stride)
{
    return _mm256_setr_pd(p[0], p[stride], p[2 * stride], p[3 * stride]);
}

static bool available(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline __attribute__((always_inline)) void transpose(vec a[4])
{
    vec t0 = _mm256_unpacklo_pd(a[0], a[1]), t1 = _mm256_unpackhi_pd(a[0], a[1]);
    vec t2 = _mm256_unpacklo_pd(a[2], a[3]), t3 = _mm256_unpackhi_pd(a[2], a[3]);
    a[0] = _mm256_permute2f128_pd(t0, t2, 0x20);
    a[1] = _mm256_permute2f128_pd(t1, t3, 0x20);
    a[2] = _mm256_permute2f128_pd(t0, t2, 0x31);
    a[3] = _mm256_permute2f128_pd(t1, t3, 0x31);
}

/// Slots by eight times their number.
static inline const double *row_X(const eng_spheres_pass *pass, int row8)
{
    return (const double *)((const char *)pass->X + 4 * (size_t)(unsigned)row8);
}

static inline const double *row_V(const eng_spheres_pass *pass, int row8)
{
    return (const double *)pass->V + (size_t)(unsigned)row8;
}

static inline void load_positions(const eng_spheres_pass *pass, const int *i, const int *j,
                                  vec out[4])
{
    const vec sign = _mm256_setr_pd(-1, -1, -1, 1);
    for (int k = 0; k < 4; k++)
        out[k] = _mm256_fmadd_pd(_mm256_load_pd(row_X(pass, i[k])), sign,
                                 _mm256_load_pd(row_X(pass, j[k])));
    transpose(out);
}

static inline void load_velocities(const eng_spheres_pass *pass, const int *i, const int *j,
                                   vec out[8])
{
    const vec sign = _mm256_setr_pd(-1, -1, -1, 1);
    for (int k = 0; k < 4; k++) {
        const double *a = row_V(pass, i[k]), *b = row_V(pass, j[k]);
        out[k] = _mm256_fmadd_pd(_mm256_load_pd(a), sign, _mm256_load_pd(b));
        out[k + 4] = _mm256_add_pd(_mm256_load_pd(a + 4), _mm256_load_pd(b + 4));
    }
    transpose(out);
    transpose(out + 4);
}

static inline void store_forces(double (*rows)[8], const vec in[8])
{
    vec low[4] = {in[0], in[1], in[2], in[3]}, high[4] = {in[4], in[5], in[6], in[7]};
    transpose(low);
    transpose(high);
    for (int k = 0; k < 4; k++) {
        _mm256_store_pd(rows[k], low[k]);
        _mm256_store_pd(rows[k] + 4, high[k]);
    }
}

static inline void load_places(const double *const *rows, vec out[4])
{
    for (int k = 0; k < 4; k++)
        out[k] = _mm256_loadu_pd(rows[k]);
    transpose(out);
}

static inline void store_places(double *const *rows, const vec in[4])
{
    vec a[4] = {in[0], in[1], in[2], in[3]};
    transpose(a);
    for (int k = 0; k < 4; k++)
        _mm256_store_pd(rows[k], a[k]);
}

static inline void load_rows(const double *const *rows, vec out[8])
{
    for (int k = 0; k < 4; k++) {
        out[k] = _mm256_load_pd(rows[k]);
        out[k + 4] = _mm256_load_pd(rows[k] + 4);
    }
    transpose(out);
    transpose(out + 4);
}

/// Of the upper four numbers of a row of 5 to 7.
static inline __m256i upper_lanes(int count)
{
    const __m256i lane = _mm256_setr_epi64x(4, 5, 6, 7);
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lane);
}

static inline void load_short_rows(const double *const *rows, int count, vec out[8])
{
    for (int k = 0; k < 4; k++) {
        out[k] = _mm256_loadu_pd(rows[k]);
        out[k + 4] = _mm256_maskload_pd(rows[k] + 4, upper_lanes(count));
    }
    transpose(out);
    transpose(out + 4);
}

static inline void store_short_rows(double *const *rows, int count, const vec in[8])
{
    vec low[4] = {in[0], in[1], in[2], in[3]}, high[4] = {in[4], in[5], in[6], in[7]};
    transpose(low);
    transpose(high);
    for (int k = 0; k < 4; k++) {
        _mm256_storeu_pd(rows[k], low[k]);
        _mm256_maskstore_pd(rows[k] + 4, upper_lanes(count), high[k]);
    }
}

static inline void store_rows(double *const *rows, const vec in[8])
{
    double *const upper[4] = {rows[0] + 4, rows[1] + 4, rows[2] + 4, rows[3] + 4};
    store_places(rows, in);
    store_places(upper, in + 4);
}

typedef struct motion_sums {
    vec fastest, finite;
} motion_sums;

static inline void begin_motion(motion_sums *s)
{
    s->fastest = s->finite = _mm256_setzero_pd();
}

static inline void end_motion(const motion_sums *s, eng_spheres_chunk *chunk)
{
    double fastest[4] __attribute__((aligned(64))), finite[4] __attribute__((aligned(64)));
    v_store(fastest, s->fastest);
    v_store(finite, s->finite);
    for (int k = 0; k < 3; k++)
        chunk->fastest[k] = fastest[k] > chunk->fastest[k] ? fastest[k] : chunk->fastest[k];
    for (int k = 0; k < 4; k++)
        chunk->finite += finite[k];
}

static const double signs[2] = {-1.0, 1.0};

/// Lanes 2 and 3 of the second half are not used.
static inline __attribute__((always_inline)) void add_slot(const eng_spheres_pass *pass, int entry,
                                                           vec radius, vec sum[2])
{
    const double *force = (const double *)pass->force + ((unsigned)entry & ~7u);
    vec arm = _mm256_add_pd(radius, _mm256_broadcast_sd(force + 6));
    vec low = _mm256_blend_pd(_mm256_broadcast_sd(signs + (entry & 1)), arm, 8);
    sum[0] = _mm256_fmadd_pd(_mm256_load_pd(force), low, sum[0]);
    sum[1] = _mm256_fmadd_pd(_mm256_load_pd(force + 4), arm, sum[1]);
}

/// Force and moment on a slot: the load with those of its pairs.
/// @param padded  least number of its force rows
static inline __attribute__((always_inline)) void
sum_slot(const eng_spheres_pass *pass, int slot, const double *load, int padded, vec sum[2])
{
    vec radius = _mm256_broadcast_sd(pass->constants[slot] + 3);
    sum[0] = _mm256_load_pd(load);
    sum[1] = _mm256_load_pd(load + 4);
    const int *list = pass->near + pass->near_start[slot];
    const int *end = pass->near + pass->near_start[slot + 1];
    for (int k = 0; k < padded; k++)
        add_slot(pass, list[k], radius, sum);
    for (list += padded; list < end; list++)
        add_slot(pass, *list, radius, sum);
    if (__builtin_expect(pass->far_touched[slot], 0)) {
        pass->far_touched[slot] = 0;
        for (int k = pass->far_start[slot]; k < pass->far_start[slot + 1]; k++)
            if (eng_spheres_far_acts(pass, pass->far[k]))
                add_slot(pass, eng_spheres_far_force_row(pass, pass->far[k]), radius, sum);
    }
}

/// The sum of a member goes to its place; lanes 6 and 7 are not used.
static inline void store_sum(const eng_spheres_pass *pass, int slot, const double *load)
{
    vec sum[2];
    sum_slot(pass, slot, load, ENG_SPHERES_MEMBER_PADDED, sum);
    _mm256_store_pd(pass->sums[slot], sum[0]);
    _mm256_store_pd(pass->sums[slot] + 4, sum[1]);
}

static inline __attribute__((always_inline)) void move_slot(const eng_spheres_pass *pass, int slot,
                                                            const double *load, motion_sums *s)
{
    const double *c = pass->constants[slot];
    vec sum[2];
    sum_slot(pass, slot, load, ENG_SPHERES_PADDED, sum);
    // sums: f f f t | t t . .; velocities: v v v rw | rw rw w w
    vec all = _mm256_load_pd(c), linear = _mm256_broadcast_sd(c);
    vec low = _mm256_permute4x64_pd(all, 0x40), high = _mm256_permute4x64_pd(all, 0xa5);
    vec torques = _mm256_blend_pd(sum[1], _mm256_permute4x64_pd(sum[1], 0x00), 8);
    vec first = _mm256_permute4x64_pd(sum[0], 0xff);
    torques = _mm256_blend_pd(torques, first, 4);
    vec mobile = _mm256_cmp_pd(linear, _mm256_setzero_pd(), _CMP_NEQ_OQ);
    vec gravity = _mm256_maskload_pd(pass->gravity, _mm256_setr_epi64x(-1, -1, -1, 0));
    vec V0 = _mm256_fmadd_pd(sum[0], low, _mm256_load_pd(pass->V[slot]));
    vec V1 = _mm256_fmadd_pd(torques, high, _mm256_load_pd(pass->V[slot] + 4));
    V0 = _mm256_add_pd(V0, _mm256_and_pd(mobile, gravity));
    V1 = _mm256_add_pd(V1, _mm256_setzero_pd());
    _mm256_store_pd(pass->V[slot], V0);
    _mm256_store_pd(pass->V[slot] + 4, V1);
    vec way = _mm256_blend_pd(V0, _mm256_permute4x64_pd(sum[1], 0x40), 8);
    vec step = _mm256_blend_pd(_mm256_set1_pd(pass->step), _mm256_broadcast_sd(c + 2), 8);
    _mm256_store_pd(pass->X[slot], _mm256_fmadd_pd(way, step, _mm256_load_pd(pass->X[slot])));
    vec absolute = _mm256_andnot_pd(_mm256_set1_pd(-0.0), V0);
    s->fastest = _mm256_max_pd(s->fastest, absolute);
    s->finite = _mm256_fmadd_pd(V0, _mm256_setzero_pd(), s->finite);
    s->finite = _mm256_fmadd_pd(V1, _mm256_setzero_pd(), s->finite);
}

#include "engine/pairs/spheres/kernels/kernel.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int eng_spheres_no_such_kernel;
#endif
