// SPDX-License-Identifier: Apache-2.0
// Kernels of the sphere executor, eight doubles at a time (AVX-512 F, DQ, VL).
#if defined(__x86_64__)
#if !defined(__clang__)
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif

#include "engine/pairs/spheres/kernels/pass.h"

#include <immintrin.h>
#include <math.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))),        \
                             apply_to = function)
#endif

#define LANES 8
#define LANE_KERNEL eng_spheres_avx512
#define LANE_NAME "avx512"

typedef __m512d vec;
typedef __mmask8 mask;

static inline vec v_set(double a)
{
    return _mm512_set1_pd(a);
}
static inline vec v_load(const double *p)
{
    return _mm512_load_pd(p);
}
static inline vec v_load_any(const double *p)
{
    return _mm512_loadu_pd(p);
}
static inline void v_store(double *p, vec a)
{
    _mm512_store_pd(p, a);
}
static inline vec v_load_float(const float *p)
{
    return _mm512_cvtps_pd(_mm256_load_ps(p));
}
static inline void v_store_float(float *p, vec a)
{
    _mm256_store_ps(p, _mm512_cvtpd_ps(a));
}
static inline vec v_add(vec a, vec b)
{
    return _mm512_add_pd(a, b);
}
static inline vec v_sub(vec a, vec b)
{
    return _mm512_sub_pd(a, b);
}
static inline vec v_mul(vec a, vec b)
{
    return _mm512_mul_pd(a, b);
}
static inline vec v_div(vec a, vec b)
{
    return _mm512_div_pd(a, b);
}
static inline vec v_sqrt(vec a)
{
    return _mm512_sqrt_pd(a);
}
static inline vec v_fma(vec a, vec b, vec c)
{
    return _mm512_fmadd_pd(a, b, c);
}
static inline vec v_fnma(vec a, vec b, vec c)
{
    return _mm512_fnmadd_pd(a, b, c);
}
static inline vec v_max(vec a, vec b)
{
    return _mm512_max_pd(a, b);
}
static inline vec v_min(vec a, vec b)
{
    return _mm512_min_pd(a, b);
}
static inline vec v_select(mask m, vec yes, vec no)
{
    return _mm512_mask_mov_pd(no, m, yes);
}
static inline vec v_keep(mask m, vec a)
{
    return _mm512_maskz_mov_pd(m, a);
}
static inline vec v_drop(mask m, vec a)
{
    return _mm512_maskz_mov_pd((mask)~m, a);
}
static inline mask m_less(vec a, vec b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
static inline mask m_differ(vec a, vec b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_OQ);
}
static inline mask m_and(mask a, mask b)
{
    return (mask)(a & b);
}
static inline bool m_any(mask a)
{
    return a != 0;
}
static inline unsigned m_bits(mask a)
{
    return a;
}
static inline mask m_from_bits(unsigned bits)
{
    return (mask)bits;
}

static inline vec v_gather(const double *p, int stride)
{
    return _mm512_setr_pd(p[0], p[stride], p[2 * stride], p[3 * stride], p[4 * stride],
                          p[5 * stride], p[6 * stride], p[7 * stride]);
}

static bool available(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
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

static inline vec two_slots(const double *low, const double *high)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(low)), _mm256_load_pd(high), 1);
}

static inline void load_positions(const eng_spheres_pass *pass, const int *i, const int *j,
                                  vec out[4])
{
    const vec sign = _mm512_setr_pd(-1, -1, -1, 1, -1, -1, -1, 1);
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    vec a[4];
    for (int k = 0; k < 4; k++)
        a[k] = _mm512_fmadd_pd(two_slots(row_X(pass, i[k]), row_X(pass, i[k + 4])), sign,
                               two_slots(row_X(pass, j[k]), row_X(pass, j[k + 4])));
    vec t0 = _mm512_unpacklo_pd(a[0], a[1]), t1 = _mm512_unpackhi_pd(a[0], a[1]);
    vec t2 = _mm512_unpacklo_pd(a[2], a[3]), t3 = _mm512_unpackhi_pd(a[2], a[3]);
    out[0] = _mm512_permutex2var_pd(t0, low, t2);
    out[1] = _mm512_permutex2var_pd(t1, low, t3);
    out[2] = _mm512_permutex2var_pd(t0, high, t2);
    out[3] = _mm512_permutex2var_pd(t1, high, t3);
}

static inline __attribute__((always_inline)) void transpose(vec a[8])
{
    vec t[8], u[8];
    for (int k = 0; k < 4; k++) {
        t[2 * k] = _mm512_unpacklo_pd(a[2 * k], a[2 * k + 1]);
        t[2 * k + 1] = _mm512_unpackhi_pd(a[2 * k], a[2 * k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        u[k] = _mm512_shuffle_f64x2(t[k], t[k + 2], 0x88);
        u[k + 2] = _mm512_shuffle_f64x2(t[k], t[k + 2], 0xdd);
        u[k + 4] = _mm512_shuffle_f64x2(t[k + 4], t[k + 6], 0x88);
        u[k + 6] = _mm512_shuffle_f64x2(t[k + 4], t[k + 6], 0xdd);
    }
    for (int k = 0; k < 4; k++) {
        a[k] = _mm512_shuffle_f64x2(u[k], u[k + 4], 0x88);
        a[k + 4] = _mm512_shuffle_f64x2(u[k], u[k + 4], 0xdd);
    }
}

static inline void load_velocities(const eng_spheres_pass *pass, const int *i, const int *j,
                                   vec out[8])
{
    const vec sign = _mm512_setr_pd(-1, -1, -1, 1, 1, 1, 1, 1);
    for (int k = 0; k < 8; k++)
        out[k] = _mm512_fmadd_pd(_mm512_load_pd(row_V(pass, i[k])), sign,
                                 _mm512_load_pd(row_V(pass, j[k])));
    transpose(out);
}

static inline void store_forces(double (*rows)[8], const vec in[8])
{
    vec a[8];
    for (int k = 0; k < 8; k++)
        a[k] = in[k];
    transpose(a);
    for (int k = 0; k < 8; k++)
        _mm512_store_pd(rows[k], a[k]);
}

static inline void load_rows(const double *const *rows, vec out[8])
{
    for (int k = 0; k < 8; k++)
        out[k] = _mm512_load_pd(rows[k]);
    transpose(out);
}

static inline void store_rows(double *const *rows, const vec in[8])
{
    vec a[8];
    for (int k = 0; k < 8; k++)
        a[k] = in[k];
    transpose(a);
    for (int k = 0; k < 8; k++)
        _mm512_store_pd(rows[k], a[k]);
}

static inline void load_short_rows(const double *const *rows, int count, vec out[8])
{
    for (int k = 0; k < 8; k++)
        out[k] = _mm512_maskz_loadu_pd((mask)((1u << count) - 1u), rows[k]);
    transpose(out);
}

static inline void store_short_rows(double *const *rows, int count, const vec in[8])
{
    vec a[8];
    for (int k = 0; k < 8; k++)
        a[k] = in[k];
    transpose(a);
    for (int k = 0; k < 8; k++)
        _mm512_mask_storeu_pd(rows[k], (mask)((1u << count) - 1u), a[k]);
}

/// Exchanges rows of four and columns of eight: rows k and k + 4 are one vector.
static inline __attribute__((always_inline)) void exchange_places(const vec in[4], vec out[4])
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    vec t0 = _mm512_unpacklo_pd(in[0], in[1]), t1 = _mm512_unpackhi_pd(in[0], in[1]);
    vec t2 = _mm512_unpacklo_pd(in[2], in[3]), t3 = _mm512_unpackhi_pd(in[2], in[3]);
    out[0] = _mm512_permutex2var_pd(t0, low, t2);
    out[1] = _mm512_permutex2var_pd(t1, low, t3);
    out[2] = _mm512_permutex2var_pd(t0, high, t2);
    out[3] = _mm512_permutex2var_pd(t1, high, t3);
}

static inline void load_places(const double *const *rows, vec out[4])
{
    vec a[4];
    for (int k = 0; k < 4; k++)
        a[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(rows[k])),
                                  _mm256_loadu_pd(rows[k + 4]), 1);
    exchange_places(a, out);
}

static inline void store_places(double *const *rows, const vec in[4])
{
    vec a[4];
    exchange_places(in, a);
    for (int k = 0; k < 4; k++) {
        _mm256_store_pd(rows[k], _mm512_castpd512_pd256(a[k]));
        _mm256_store_pd(rows[k + 4], _mm512_extractf64x4_pd(a[k], 1));
    }
}

typedef struct motion_sums {
    vec fastest, finite;
} motion_sums;

static inline void begin_motion(motion_sums *s)
{
    s->fastest = s->finite = _mm512_setzero_pd();
}

static inline void end_motion(const motion_sums *s, eng_spheres_chunk *chunk)
{
    double fastest[8] __attribute__((aligned(64))), finite[8] __attribute__((aligned(64)));
    v_store(fastest, s->fastest);
    v_store(finite, s->finite);
    for (int k = 0; k < 3; k++)
        chunk->fastest[k] = fastest[k] > chunk->fastest[k] ? fastest[k] : chunk->fastest[k];
    for (int k = 0; k < 8; k++)
        chunk->finite += finite[k];
}

static const double signs[2] = {-1.0, 1.0};

/// Lanes 6 and 7 of the sum are not used.
static inline __attribute__((always_inline)) vec add_slot(const eng_spheres_pass *pass, int entry,
                                                          vec radius, vec sum)
{
    const double *force = (const double *)pass->force + ((unsigned)entry & ~7u);
    vec arm = _mm512_add_pd(radius, _mm512_set1_pd(force[6]));
    vec factor = _mm512_mask_mov_pd(_mm512_set1_pd(signs[entry & 1]), 0x38, arm);
    return _mm512_fmadd_pd(_mm512_load_pd(force), factor, sum);
}

/// Force and moment on a slot: the load with those of its pairs.
/// @param padded  least number of its force rows
static inline __attribute__((always_inline)) vec sum_slot(const eng_spheres_pass *pass, int slot,
                                                          const double *load, int padded)
{
    vec radius = _mm512_set1_pd(pass->constants[slot][3]);
    vec sum = _mm512_load_pd(load);
    const int *list = pass->near + pass->near_start[slot];
    const int *end = pass->near + pass->near_start[slot + 1];
    for (int k = 0; k < padded; k++)
        sum = add_slot(pass, list[k], radius, sum);
    for (list += padded; list < end; list++)
        sum = add_slot(pass, *list, radius, sum);
    if (__builtin_expect(pass->far_touched[slot], 0)) {
        pass->far_touched[slot] = 0;
        for (int k = pass->far_start[slot]; k < pass->far_start[slot + 1]; k++)
            if (eng_spheres_far_acts(pass, pass->far[k]))
                sum = add_slot(pass, eng_spheres_far_force_row(pass, pass->far[k]), radius, sum);
    }
    return sum;
}

/// The sum of a member goes to its place; lanes 6 and 7 are not used.
static inline void store_sum(const eng_spheres_pass *pass, int slot, const double *load)
{
    _mm512_store_pd(pass->sums[slot], sum_slot(pass, slot, load, ENG_SPHERES_MEMBER_PADDED));
}

static inline __attribute__((always_inline)) void move_slot(const eng_spheres_pass *pass, int slot,
                                                            const double *load, motion_sums *s)
{
    const double *c = pass->constants[slot];
    vec sum = sum_slot(pass, slot, load, ENG_SPHERES_PADDED);
    const __m512i factors = _mm512_setr_epi64(0, 0, 0, 1, 1, 1, 2, 2);
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 3, 4);
    const __m512i moved = _mm512_setr_epi64(0, 1, 2, 13, 0, 0, 0, 0);
    vec coefficient = _mm512_permutexvar_pd(factors, _mm512_broadcast_f64x4(_mm256_load_pd(c)));
    mask mobile = _mm512_cmp_pd_mask(coefficient, _mm512_setzero_pd(), _CMP_NEQ_OQ);
    vec gravity = _mm512_maskz_loadu_pd(0x07, pass->gravity);
    vec V = _mm512_fmadd_pd(_mm512_permutexvar_pd(lanes, sum), coefficient,
                            _mm512_load_pd(pass->V[slot]));
    V = _mm512_add_pd(V, _mm512_maskz_mov_pd(mobile, gravity));
    _mm512_store_pd(pass->V[slot], V);
    vec way = _mm512_permutex2var_pd(V, moved, sum);
    vec step = _mm512_mask_mov_pd(_mm512_set1_pd(pass->step), 0x08, _mm512_set1_pd(c[2]));
    __m256d X = _mm256_fmadd_pd(_mm512_castpd512_pd256(way), _mm512_castpd512_pd256(step),
                                _mm256_load_pd(pass->X[slot]));
    _mm256_store_pd(pass->X[slot], X);
    s->fastest = _mm512_max_pd(s->fastest, _mm512_abs_pd(V));
    s->finite = _mm512_fmadd_pd(V, _mm512_setzero_pd(), s->finite);
}

#include "engine/pairs/spheres/kernels/kernel.h"

#if defined(__clang__)
#pragma clang attribute pop
#endif

#else
typedef int eng_spheres_no_such_kernel;
#endif
