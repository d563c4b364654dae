// SPDX-License-Identifier: Apache-2.0
// Vectors of doubles: the one vocabulary of all code that works on several numbers at a time.
//
// Any file has vectors of two, four and eight doubles, on which + - * / act number by number, and
// the means to compile one text for several vector sets and to choose among them.
//
// A file that is compiled once for each set defines SIMD_LANES, 8 (AVX-512 F, DQ, VL), 4 (AVX2 and
// FMA) or 1, before its first include. It has the types `vec` and `mask` of LANES doubles, with
// + - * / and the operations v_ on vectors and m_ on masks, and is compiled for that set from here
// on. What they give has the same bits in all three: fused operations are written as such, no other
// is fused, and v_max and v_min give their second operand where the two do not compare.
#ifndef CAIRN_BASE_SIMD_H
#define CAIRN_BASE_SIMD_H

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// what is not inlined is compiled without the vectors of its caller
#define INLINE static inline __attribute__((always_inline))

/// Vectors that may lie at any double of an array.
typedef double simd_2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double simd_4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double simd_8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t simd_4_mask __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t simd_8_mask __attribute__((vector_size(64), aligned(8), may_alias));

// macros, for a function would pass them in memory where the file's own set has none so long
#define simd_load_2(from) (*(const simd_2 *)(from))
#define simd_load_4(from) (*(const simd_4 *)(from))
#define simd_load_8(from) (*(const simd_8 *)(from))
#define simd_store_4(to, x) ((void)(*(simd_4 *)(to) = (x)))
#define simd_store_8(to, x) ((void)(*(simd_8 *)(to) = (x)))

// before a function: the set that it is compiled for
#if defined(__x86_64__) && defined(__clang__)
#define SIMD_AVX2 __attribute__((target("avx2,fma")))
#define SIMD_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,fma")))
#elif defined(__x86_64__) && defined(__GNUC__)
#define SIMD_AVX2 __attribute__((target("avx2,fma")))
#define SIMD_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,fma,prefer-vector-width=512")))
#else
#define SIMD_AVX2
#define SIMD_AVX512
#endif

/// One of three builds of something, for a length of base/vectors.h.
#define SIMD_CHOOSE(length, scalar, avx2, avx512)                                                  \
    ((length) >= 8 ? (avx512) : (length) >= 4 ? (avx2) : (scalar))

#ifdef SIMD_LANES

enum { LANES = SIMD_LANES };

#if SIMD_LANES == 8
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))),        \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif
#define SIMD_NAME "avx512"
#define SIMD_OF(operation) _mm512_##operation
typedef __m512d vec;
typedef __mmask8 mask;
#elif SIMD_LANES == 4
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif
#define SIMD_NAME "avx2"
#define SIMD_OF(operation) _mm256_##operation
typedef __m256d vec;
typedef __m256d mask;
#else
#define SIMD_NAME "scalar"
typedef double vec;
typedef bool mask;
#endif

#if SIMD_LANES > 1
// ---------------------------------------------------------------- what both vector sets call alike

INLINE vec v_set(double a)
{
    return SIMD_OF(set1_pd)(a);
}

/// From LANES doubles that are aligned to their size.
INLINE vec v_load(const double *from)
{
    return SIMD_OF(load_pd)(from);
}

/// From any doubles.
INLINE vec v_load_any(const double *from)
{
    return SIMD_OF(loadu_pd)(from);
}
INLINE void v_store(double *to, vec a)
{
    SIMD_OF(store_pd)(to, a);
}
INLINE vec v_sqrt(vec a)
{
    return SIMD_OF(sqrt_pd)(a);
}

/// a b + c, rounded once.
INLINE vec v_fma(vec a, vec b, vec c)
{
    return SIMD_OF(fmadd_pd)(a, b, c);
}

/// c - a b, rounded once.
INLINE vec v_fnma(vec a, vec b, vec c)
{
    return SIMD_OF(fnmadd_pd)(a, b, c);
}
INLINE vec v_max(vec a, vec b)
{
    return SIMD_OF(max_pd)(a, b);
}
INLINE vec v_min(vec a, vec b)
{
    return SIMD_OF(min_pd)(a, b);
}
#endif

#if SIMD_LANES == 8
// ---------------------------------------------------------------- eight doubles

INLINE vec v_load_float(const float *from)
{
    return _mm512_cvtps_pd(_mm256_load_ps(from));
}
INLINE void v_store_float(float *to, vec a)
{
    _mm256_store_ps(to, _mm512_cvtpd_ps(a));
}

/// `yes` in the lanes of a mask, `no` in the others.
INLINE vec v_select(mask m, vec yes, vec no)
{
    return _mm512_mask_mov_pd(no, m, yes);
}

/// Zero outside a mask.
INLINE vec v_keep(mask m, vec a)
{
    return _mm512_maskz_mov_pd(m, a);
}

/// Zero in the lanes of a mask.
INLINE vec v_drop(mask m, vec a)
{
    return _mm512_maskz_mov_pd((mask)~m, a);
}
INLINE mask m_less(vec a, vec b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
INLINE mask m_differ(vec a, vec b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_OQ);
}
INLINE mask m_and(mask a, mask b)
{
    return (mask)(a & b);
}
INLINE bool m_any(mask a)
{
    return a != 0;
}

/// Bit k of lane k.
INLINE unsigned m_bits(mask a)
{
    return a;
}
INLINE mask m_from_bits(unsigned bits)
{
    return (mask)bits;
}
INLINE vec v_gather(const double *from, int stride)
{
    return _mm512_setr_pd(from[0], from[stride], from[2 * stride], from[3 * stride],
                          from[4 * stride], from[5 * stride], from[6 * stride], from[7 * stride]);
}

/// Rows and columns of eight vectors change places.
INLINE void v_transpose(const vec in[8], vec out[8])
{
    vec t[8], u[8];
    for (int k = 0; k < 4; k++) {
        t[2 * k] = _mm512_unpacklo_pd(in[2 * k], in[2 * k + 1]);
        t[2 * k + 1] = _mm512_unpackhi_pd(in[2 * k], in[2 * k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        u[k] = _mm512_shuffle_f64x2(t[k], t[k + 2], 0x88);
        u[k + 2] = _mm512_shuffle_f64x2(t[k], t[k + 2], 0xdd);
        u[k + 4] = _mm512_shuffle_f64x2(t[k + 4], t[k + 6], 0x88);
        u[k + 6] = _mm512_shuffle_f64x2(t[k + 4], t[k + 6], 0xdd);
    }
    for (int k = 0; k < 4; k++) {
        out[k] = _mm512_shuffle_f64x2(u[k], u[k + 4], 0x88);
        out[k + 4] = _mm512_shuffle_f64x2(u[k], u[k + 4], 0xdd);
    }
}

/// Rows of four, k and k + 4 in one vector, and columns of eight change places.
INLINE void v_transpose_fours(const vec in[4], vec out[4])
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

/// Number k of LANES rows of eight, aligned to their size, to out[k].
INLINE void v_load_rows(const double *const *rows, vec out[8])
{
    for (int k = 0; k < 8; k++)
        out[k] = _mm512_load_pd(rows[k]);
    v_transpose(out, out);
}
INLINE void v_store_rows(double *const *rows, const vec in[8])
{
    vec a[8];
    v_transpose(in, a);
    for (int k = 0; k < 8; k++)
        _mm512_store_pd(rows[k], a[k]);
}

/// The same of rows of any five to seven doubles; zero behind them.
INLINE void v_load_short_rows(const double *const *rows, int count, vec out[8])
{
    for (int k = 0; k < 8; k++)
        out[k] = _mm512_maskz_loadu_pd((mask)((1u << count) - 1u), rows[k]);
    v_transpose(out, out);
}
INLINE void v_store_short_rows(double *const *rows, int count, const vec in[8])
{
    vec a[8];
    v_transpose(in, a);
    for (int k = 0; k < 8; k++)
        _mm512_mask_storeu_pd(rows[k], (mask)((1u << count) - 1u), a[k]);
}

/// The same of rows of four; only those that are written have to be aligned.
INLINE void v_load_fours(const double *const *rows, vec out[4])
{
    vec a[4];
    for (int k = 0; k < 4; k++)
        a[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(rows[k])),
                                  _mm256_loadu_pd(rows[k + 4]), 1);
    v_transpose_fours(a, out);
}
INLINE void v_store_fours(double *const *rows, const vec in[4])
{
    vec a[4];
    v_transpose_fours(in, a);
    for (int k = 0; k < 4; k++) {
        _mm256_store_pd(rows[k], _mm512_castpd512_pd256(a[k]));
        _mm256_store_pd(rows[k + 4], _mm512_extractf64x4_pd(a[k], 1));
    }
}

#elif SIMD_LANES == 4
// ---------------------------------------------------------------- four doubles

INLINE vec v_load_float(const float *from)
{
    return _mm256_cvtps_pd(_mm_load_ps(from));
}
INLINE void v_store_float(float *to, vec a)
{
    _mm_store_ps(to, _mm256_cvtpd_ps(a));
}
INLINE vec v_select(mask m, vec yes, vec no)
{
    return _mm256_blendv_pd(no, yes, m);
}
INLINE vec v_keep(mask m, vec a)
{
    return _mm256_and_pd(m, a);
}
INLINE vec v_drop(mask m, vec a)
{
    return _mm256_andnot_pd(m, a);
}
INLINE mask m_less(vec a, vec b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
INLINE mask m_differ(vec a, vec b)
{
    return _mm256_cmp_pd(a, b, _CMP_NEQ_OQ);
}
INLINE mask m_and(mask a, mask b)
{
    return _mm256_and_pd(a, b);
}
INLINE bool m_any(mask a)
{
    return _mm256_movemask_pd(a) != 0;
}
INLINE unsigned m_bits(mask a)
{
    return (unsigned)_mm256_movemask_pd(a);
}
INLINE mask m_from_bits(unsigned bits)
{
    const __m256i lane = _mm256_setr_epi64x(1, 2, 4, 8);
    __m256i all = _mm256_and_si256(_mm256_set1_epi64x((long long)bits), lane);
    return _mm256_castsi256_pd(_mm256_cmpeq_epi64(all, lane));
}
INLINE vec v_gather(const double *from, int stride)
{
    return _mm256_setr_pd(from[0], from[stride], from[2 * stride], from[3 * stride]);
}

/// Of four vectors.
INLINE void v_transpose(const vec in[4], vec out[4])
{
    vec t0 = _mm256_unpacklo_pd(in[0], in[1]), t1 = _mm256_unpackhi_pd(in[0], in[1]);
    vec t2 = _mm256_unpacklo_pd(in[2], in[3]), t3 = _mm256_unpackhi_pd(in[2], in[3]);
    out[0] = _mm256_permute2f128_pd(t0, t2, 0x20);
    out[1] = _mm256_permute2f128_pd(t1, t3, 0x20);
    out[2] = _mm256_permute2f128_pd(t0, t2, 0x31);
    out[3] = _mm256_permute2f128_pd(t1, t3, 0x31);
}
INLINE void v_load_fours(const double *const *rows, vec out[4])
{
    for (int k = 0; k < 4; k++)
        out[k] = _mm256_loadu_pd(rows[k]);
    v_transpose(out, out);
}
INLINE void v_store_fours(double *const *rows, const vec in[4])
{
    vec a[4];
    v_transpose(in, a);
    for (int k = 0; k < 4; k++)
        _mm256_store_pd(rows[k], a[k]);
}
INLINE void v_load_rows(const double *const *rows, vec out[8])
{
    const double *const upper[4] = {rows[0] + 4, rows[1] + 4, rows[2] + 4, rows[3] + 4};
    v_load_fours(rows, out);
    v_load_fours(upper, out + 4);
}
INLINE void v_store_rows(double *const *rows, const vec in[8])
{
    double *const upper[4] = {rows[0] + 4, rows[1] + 4, rows[2] + 4, rows[3] + 4};
    v_store_fours(rows, in);
    v_store_fours(upper, in + 4);
}

/// Those of the upper four lanes that a row of 5 to 7 has.
INLINE __m256i v_upper_lanes(int count)
{
    const __m256i lane = _mm256_setr_epi64x(4, 5, 6, 7);
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), lane);
}
INLINE void v_load_short_rows(const double *const *rows, int count, vec out[8])
{
    for (int k = 0; k < 4; k++)
        out[k + 4] = _mm256_maskload_pd(rows[k] + 4, v_upper_lanes(count));
    v_load_fours(rows, out);
    v_transpose(out + 4, out + 4);
}
INLINE void v_store_short_rows(double *const *rows, int count, const vec in[8])
{
    vec a[8];
    v_transpose(in, a);
    v_transpose(in + 4, a + 4);
    for (int k = 0; k < 4; k++) {
        _mm256_storeu_pd(rows[k], a[k]);
        _mm256_maskstore_pd(rows[k] + 4, v_upper_lanes(count), a[k + 4]);
    }
}

#else
// ---------------------------------------------------------------- one double: the reference

INLINE vec v_set(double a)
{
    return a;
}
INLINE vec v_load(const double *from)
{
    return *from;
}
INLINE vec v_load_any(const double *from)
{
    return *from;
}
INLINE void v_store(double *to, vec a)
{
    *to = a;
}
INLINE vec v_load_float(const float *from)
{
    return (double)*from;
}
INLINE void v_store_float(float *to, vec a)
{
    *to = (float)a;
}
INLINE vec v_gather(const double *from, int stride)
{
    (void)stride;
    return *from;
}
INLINE vec v_sqrt(vec a)
{
    return sqrt(a);
}
INLINE vec v_fma(vec a, vec b, vec c)
{
    return __builtin_fma(a, b, c);
}
INLINE vec v_fnma(vec a, vec b, vec c)
{
    return __builtin_fma(-a, b, c);
}
INLINE vec v_max(vec a, vec b)
{
    return a > b ? a : b;
}
INLINE vec v_min(vec a, vec b)
{
    return a < b ? a : b;
}
INLINE vec v_select(mask m, vec yes, vec no)
{
    return m ? yes : no;
}
INLINE vec v_keep(mask m, vec a)
{
    return m ? a : 0.0;
}
INLINE vec v_drop(mask m, vec a)
{
    return m ? 0.0 : a;
}
INLINE mask m_less(vec a, vec b)
{
    return a < b;
}
INLINE mask m_differ(vec a, vec b)
{
    return a != b;
}
INLINE mask m_and(mask a, mask b)
{
    return a && b;
}
INLINE bool m_any(mask a)
{
    return a;
}
INLINE unsigned m_bits(mask a)
{
    return a ? 1u : 0u;
}
INLINE mask m_from_bits(unsigned bits)
{
    return (bits & 1u) != 0;
}
INLINE void v_load_short_rows(const double *const *rows, int count, vec out[8])
{
    for (int k = 0; k < 8; k++)
        out[k] = k < count ? rows[0][k] : 0.0;
}
INLINE void v_store_short_rows(double *const *rows, int count, const vec in[8])
{
    for (int k = 0; k < count; k++)
        rows[0][k] = in[k];
}
INLINE void v_load_rows(const double *const *rows, vec out[8])
{
    v_load_short_rows(rows, 8, out);
}
INLINE void v_store_rows(double *const *rows, const vec in[8])
{
    v_store_short_rows(rows, 8, in);
}
INLINE void v_load_fours(const double *const *rows, vec out[4])
{
    for (int k = 0; k < 4; k++)
        out[k] = rows[0][k];
}
INLINE void v_store_fours(double *const *rows, const vec in[4])
{
    for (int k = 0; k < 4; k++)
        rows[0][k] = in[k];
}
#endif

#endif
#endif
