// SPDX-License-Identifier: Apache-2.0
// Sums of a kernel over the points of a grid: values at places, and means along straight lines.
//
// Each function is compiled for three vector sets from the same plain loops over the eight points
// of a block, with arguments of its own in meson.build that let the compiler make vectors of them:
// roots set no errno.
#include "engine/grains/smear.h"

#include "base/elementary.h"
#include "base/vectors.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, SUMS_MOST = ENG_SMEAR_AMOUNTS + 1 };

typedef double vector8 __attribute__((vector_size(64)));

// what is not inlined would be compiled without the vectors of its caller
#define INLINE static inline __attribute__((always_inline))

// a loop over the points of a block becomes vectors as long as it is not unrolled first
#define ONE_VECTOR _Pragma("GCC unroll 1")

INLINE uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE double number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE double lesser(double a, double b)
{
    return a < b ? a : b;
}

INLINE double greater(double a, double b)
{
    return a > b ? a : b;
}

/// a b + c, rounded once: the compiler fuses nothing by itself, so that all sets give the same
/// bits.
INLINE double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/// Chooses by bits: the compiler would join what hangs on one condition, and take all the roots.
INLINE double if_negative(double x, double yes, double no)
{
    uint64_t mask = 0 - (bits_of(x) >> 63);
    return number_of((bits_of(yes) & mask) | (bits_of(no) & ~mask));
}

/// ln(above / below) of normal numbers, above >= below, to 1e-16: that of base/ is exact, and takes
/// ten times as long.
INLINE double quick_ln(double above, double below)
{
    // the power of two such that the rest lies between 2/3 and 3/2
    const uint64_t half = UINT64_C(1) << 51, two_to_52 = UINT64_C(0x4330000000000000);
    uint64_t bits = bits_of(above), exponent = (bits - bits_of(below) + half) >> 52;
    double power = number_of(exponent | two_to_52) - 0x1p52;
    double rest = number_of(bits - (exponent << 52));
    // ln m = 2 atanh s with |s| <= 0.2; atanh s = s + s^3 sum, fitted to 2e-15
    double s = (rest - below) / (rest + below), z = s * s, z2 = z * z;
    double high =
        fused(z2, 0x1.36054e62727d6p-4, fused(z, 0x1.38f773e12cd5cp-4, 0x1.746c307b14cc0p-4));
    double middle = fused(z2, high, fused(z, 0x1.c71c3a9f70706p-4, 0x1.2492495467eafp-3));
    double sum = fused(z2, middle, fused(z, 0x1.999999997a8b6p-3, 0x1.5555555555570p-2));
    return fused(power, M_LN2, 2.0 * fused(s * z, sum, s));
}

/// exp(x) for -700 < x <= 0, to 2e-16.
INLINE double quick_exp(double x)
{
    static const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    const double whole = 0x1.8p52;
    double shifted = x * (1.0 / M_LN2) + whole, power = shifted - whole;
    double r = (x - power * ln2_high) - power * ln2_low;
    // the series, |r| < 0.347
    double r2 = r * r, r4 = r2 * r2;
    double low = (0.5 + 1.0 / 6.0 * r) + r2 * (1.0 / 24.0 + 1.0 / 120.0 * r);
    double middle = (1.0 / 720.0 + 1.0 / 5040.0 * r) + r2 * (1.0 / 40320.0 + 1.0 / 362880.0 * r);
    double high = (1.0 / 3628800.0 + 1.0 / 39916800.0 * r) +
                  r2 * (1.0 / 479001600.0 + 1.0 / 6227020800.0 * r);
    double sum = low + r4 * (middle + r4 * high);
    return number_of(bits_of(1.0 + (r + r * r * sum)) + (bits_of(shifted) << 52));
}

/// Lucy's kernel is (1 + 3 x)(1 - x)^3 at the distance x.
INLINE double lucy_at(double square)
{
    double x = sqrt(lesser(square, 1.0)), rest = 1.0 - x;
    return (1.0 + 3.0 * x) * rest * rest * rest;
}

/// Integral of Lucy's kernel 1 - 6 r^2 + 8 r^3 - 3 r^4 along a line from where it begins, where it
/// is not nothing. At the distance d from the line it is, between u = a and b at the distances q,
/// that of u ((1 - 6 d^2 - 3 d^4) - u^2 (2 + 2 d^2 + 0.6 u^2) + (2 u^2 + 5 d^2) q) + 3 d^4 ln(u +
/// q).
/// @param square  squared distance of the point from where the line begins
/// @param along   foot of the point on the line from there
INLINE double lucy_along(double square, double along, double length)
{
    double from2 = along * along, to = length - along, to2 = to * to;
    double d2 = greater(square - from2, 0.0), d4 = d2 * d2;
    // ends beyond the kernel move to where the line leaves it
    double room = greater(1.0 - d2, 0.0), beyond_a = room - from2, beyond_b = room - to2;
    double root_a = sqrt(if_negative(beyond_a, room, d2 + from2));
    double root_b = sqrt(if_negative(beyond_b, room, d2 + to2));
    double q0 = if_negative(beyond_a, 1.0, root_a), q1 = if_negative(beyond_b, 1.0, root_b);
    double a = if_negative(beyond_a, copysign(root_a, -along), -along), a2 = a * a;
    double b = if_negative(beyond_b, copysign(root_b, to), to), b2 = b * b;
    double even = fused(d4, -3.0, fused(d2, -6.0, 1.0)), second = fused(d2, 2.0, 2.0);
    double odd = 5.0 * d2;
    double at_a = fused(fused(a2, 2.0, odd), q0, fused(-a2, fused(a2, 0.6, second), even));
    double at_b = fused(fused(b2, 2.0, odd), q1, fused(-b2, fused(b2, 0.6, second), even));
    // the logarithm's factors do not cancel in the sides of a triangle
    double sides = q0 + q1, base = b - a, excess = greater(sides - base, 1e-30);
    // the difference is nothing, to the last bit, of a line that does not reach the kernel
    return fused(3.0 * d4, quick_ln(greater(sides + base, excess), excess), b * at_b - a * at_a);
}

/// Places of the points of a block, from its first one.
typedef struct block_shape {
    double x[LANES], y[LANES], z[LANES];
} block_shape;

/// A source at the points of a block.
typedef struct block_points {
    double square[LANES], along[LANES]; // from `place` and along the source, as in lucy_along
    double nearest[LANES];              // squared distance from the source
} block_points;

INLINE void measure_points(const eng_smear_source *source, const double from[3],
                           const block_shape *shape, block_points *at)
{
    const double x0 = from[0] - source->place[0], y0 = from[1] - source->place[1],
                 z0 = from[2] - source->place[2];
    ONE_VECTOR
    for (int k = 0; k < LANES; k++) {
        double x = x0 + shape->x[k], y = y0 + shape->y[k], z = z0 + shape->z[k];
        at->square[k] = fused(z, z, fused(y, y, x * x));
    }
}

INLINE void measure_lines(const eng_smear_source *source, const double from[3],
                          const block_shape *shape, double least, double most, block_points *at)
{
    const double x0 = from[0] - source->place[0], y0 = from[1] - source->place[1],
                 z0 = from[2] - source->place[2];
    const double *way = source->along;
    ONE_VECTOR
    for (int k = 0; k < LANES; k++) {
        double x = x0 + shape->x[k], y = y0 + shape->y[k], z = z0 + shape->z[k];
        double square = fused(z, z, fused(y, y, x * x));
        double along = fused(z, way[2], fused(y, way[1], x * way[0]));
        double foot = greater(lesser(along, most), least);
        at->square[k] = square;
        at->along[k] = along;
        at->nearest[k] = fused(-foot, fused(along, 2.0, -foot), square);
    }
}

INLINE double nearest_of(const block_points *at)
{
    double least = at->nearest[0];
    for (int k = 1; k < LANES; k++)
        least = lesser(least, at->nearest[k]);
    return least;
}

INLINE void value_points(const eng_smear_work *work, const block_points *at, double value[LANES])
{
    if (work->kernel == CAIRN_KERNEL_LUCY) {
        ONE_VECTOR
        for (int k = 0; k < LANES; k++)
            value[k] = lucy_at(at->square[k]);
        return;
    }
    ONE_VECTOR
    for (int k = 0; k < LANES; k++) {
        double e = quick_exp(-0.5 * lesser(at->square[k], work->reach));
        value[k] = at->square[k] < work->reach ? e : 0.0;
    }
}

INLINE void value_lines(const eng_smear_work *work, int index, const block_points *at,
                        double value[LANES])
{
    if (work->kernel == CAIRN_KERNEL_LUCY) {
        double length = work->sources[index].length;
        ONE_VECTOR
        for (int k = 0; k < LANES; k++)
            value[k] = lucy_along(at->square[k], at->along[k], length);
        return;
    }
    const double *terms = work->terms[index];
    ONE_VECTOR
    for (int k = 0; k < LANES; k++) {
        double t2 = at->along[k] * at->along[k], sum = terms[ENG_SMEAR_TERMS - 1];
        for (int n = ENG_SMEAR_TERMS - 2; n >= 0; n--)
            sum = terms[n] + t2 * sum;
        double e = quick_exp(-0.5 * lesser(at->square[k], 256.0)) * sum;
        value[k] = at->nearest[k] < work->reach ? e : 0.0;
    }
}

INLINE void add_sums(const eng_smear_work *work, int block, int count,
                     const double sums[SUMS_MOST][LANES])
{
    static const unsigned char places[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const cairn_coarse_fields *f = work->fields;
    int nx = work->cells[0], ny = work->cells[1], nz = work->cells[2];
    int x = block % nx, y = block / nx % ny, z = block / nx / ny;
    for (int k = 0; k < LANES; k++) {
        if (x + (k & 1) >= nx || y + (k >> 1 & 1) >= ny || z + (k >> 2) >= nz)
            continue;
        int cell = block + (k & 1) + nx * ((k >> 1 & 1) + ny * (k >> 2));
        double *vector = work->kind == ENG_SMEAR_GRAINS     ? f->momentum[cell]
                         : work->kind == ENG_SMEAR_BOUNDARY ? f->boundary_force[cell]
                                                            : f->contact_stress[cell];
        for (int c = 0; c < (work->kind == ENG_SMEAR_GRAINS ? 3 : count); c++)
            vector[c] += sums[c][k];
        if (work->kind != ENG_SMEAR_GRAINS)
            continue;
        f->density[cell] += sums[ENG_SMEAR_AMOUNTS][k];
        for (int c = 0; c < 9; c++)
            f->kinetic_stress[cell][c] += sums[3 + places[c / 3][c % 3]][k];
    }
}

#define EACH_AMOUNT(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8)

/// Sums of one kind: `count` amounts, and the mass of grains.
INLINE void add_row(const eng_smear_work *work, int row, eng_smear_kind kind, int count)
{
    const double *d = work->spacing;
    int nx = work->cells[0], y = row % work->cells[1], z = row / work->cells[1];
    block_shape shape;
    for (int k = 0; k < LANES; k++) {
        shape.x[k] = k & 1 ? d[0] : 0.0;
        shape.y[k] = k >> 1 & 1 ? d[1] : 0.0;
        shape.z[k] = k >> 2 ? d[2] : 0.0;
    }
    int begin = work->first_block - row * nx, end = work->end_block - row * nx;
    for (int x = begin > 0 ? begin : 0; x < nx && x < end; x++) {
        int block = row * nx + x;
        const int *start = work->start + (block - work->first_block);
        if (start[0] == start[1])
            continue;
        const double from[3] = {x * d[0], y * d[1], z * d[2]};
#define BEGIN(C) vector8 sum##C = {0.0};
        EACH_AMOUNT(BEGIN)
        BEGIN(9)
        for (int i = start[0]; i < start[1]; i++) {
            const eng_smear_source *source = &work->sources[work->order[i]];
            block_points at;
            _Alignas(64) double value[LANES];
            if (kind == ENG_SMEAR_BRANCHES) {
                bool lucy = work->kernel == CAIRN_KERNEL_LUCY;
                double most = lucy ? source->length : 0.5 * source->length;
                measure_lines(source, from, &shape, lucy ? 0.0 : -most, most, &at);
                if (nearest_of(&at) >= work->reach)
                    continue;
                value_lines(work, work->order[i], &at, value);
            } else {
                measure_points(source, from, &shape, &at);
                value_points(work, &at, value);
            }
            vector8 values;
            memcpy(&values, value, sizeof values);
#define ADD(C)                                                                                     \
    if (C < count)                                                                                 \
        sum##C += values * source->amount[C];
            EACH_AMOUNT(ADD)
            if (kind == ENG_SMEAR_GRAINS)
                sum9 += values * source->mass;
        }
        _Alignas(64) double sums[SUMS_MOST][LANES];
#define STORE(C) memcpy(sums[C], &sum##C, sizeof sum##C);
        EACH_AMOUNT(STORE)
        STORE(9)
        add_sums(work, block, count, (const double(*)[LANES])sums);
    }
}

INLINE void add_row_of(const eng_smear_work *work, int row)
{
    if (work->kind == ENG_SMEAR_GRAINS)
        add_row(work, row, ENG_SMEAR_GRAINS, ENG_SMEAR_AMOUNTS);
    else if (work->kind == ENG_SMEAR_BRANCHES)
        add_row(work, row, ENG_SMEAR_BRANCHES, 9);
    else
        add_row(work, row, ENG_SMEAR_BOUNDARY, 3);
}

/// Cells with their middles in [low, high], in spacings from the first one; of n.
INLINE void side_extent(double low, double high, int n, int *first, int *count)
{
    double from = greater(lesser(low, n), 0.0), to = greater(lesser(high + 1.0, n), 0.0);
    int begin = n - (int)(n - from), end = (int)to;
    *first = begin;
    *count = (end - begin + 1) / 2;
}

/// Extents of lines along one axis, of eight lanes.
INLINE void line_extents(const double place[LANES], const double normal[LANES],
                         const double length[LANES], double per_spacing, int n, int first[LANES],
                         int count[LANES])
{
    ONE_VECTOR
    for (int k = 0; k < LANES; k++) {
        double end = place[k] + length[k] * normal[k];
        side_extent((lesser(place[k], end) - 1.0) * per_spacing,
                    (greater(place[k], end) + 1.0) * per_spacing, n, &first[k], &count[k]);
    }
}

INLINE void make_lines(const eng_smear_grid *grid, const eng_spheres_lines *l, unsigned bits,
                       eng_smear_source sources[], eng_smear_extent extents[])
{
    _Alignas(64) double place[3][LANES], force[3][LANES], length[LANES];
    _Alignas(64) int first[3][LANES], count[3][LANES];
    ONE_VECTOR
    for (int k = 0; k < LANES; k++)
        length[k] = l->length[k] * grid->per_width;
    for (int d = 0; d < 3; d++) {
        ONE_VECTOR
        for (int k = 0; k < LANES; k++) {
            place[d][k] = grid->per_width * (l->centre[d][k] - grid->first[d]);
            force[d][k] = grid->factor * (l->tangent[d][k] + l->force[k] * l->normal[d][k]);
        }
        line_extents(place[d], l->normal[d], length, grid->per_spacing[d], grid->cells[d], first[d],
                     count[d]);
    }
    for (; bits != 0; bits &= bits - 1, sources++, extents++) {
        int k = __builtin_ctz(bits);
        sources->length = length[k];
        for (int d = 0; d < 3; d++) {
            sources->place[d] = place[d][k];
            sources->along[d] = l->normal[d][k];
            extents->first[d] = first[d][k];
            extents->count[d] = count[d][k];
            for (int e = 0; e < 3; e++)
                sources->amount[3 * d + e] = force[d][k] * l->normal[e][k];
        }
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#define AVX2 __attribute__((target("avx2,fma")))
#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#else
#define AVX2
#define AVX512
#endif

static void row_scalar(const eng_smear_work *work, int row)
{
    add_row_of(work, row);
}

AVX2 static void row_avx2(const eng_smear_work *work, int row)
{
    add_row_of(work, row);
}

AVX512 static void row_avx512(const eng_smear_work *work, int row)
{
    add_row_of(work, row);
}

eng_smear_row_function *eng_smear_choose(void)
{
    int length = base_vectors_longest();
    return length >= 8 ? row_avx512 : length >= 4 ? row_avx2 : row_scalar;
}

void eng_smear_extents(const eng_smear_work *work, int count, eng_smear_extent extents[])
{
    double reach = sqrt(work->reach), per_spacing[3];
    bool lucy = work->kernel == CAIRN_KERNEL_LUCY, lines = work->kind == ENG_SMEAR_BRANCHES;
    for (int k = 0; k < 3; k++)
        per_spacing[k] = 1.0 / work->spacing[k];
    for (int i = 0; i < count; i++) {
        const eng_smear_source *source = &work->sources[i];
        double length = lines ? source->length : 0.0, back = lucy ? 0.0 : 0.5 * length;
        for (int k = 0; k < 3; k++) {
            double a = source->place[k] - back * source->along[k];
            double b = a + length * source->along[k];
            side_extent((lesser(a, b) - reach) * per_spacing[k],
                        (greater(a, b) + reach) * per_spacing[k], work->cells[k],
                        &extents[i].first[k], &extents[i].count[k]);
        }
    }
}

static void lines_scalar(const eng_smear_grid *grid, const eng_spheres_lines *lines, unsigned bits,
                         eng_smear_source sources[], eng_smear_extent extents[])
{
    make_lines(grid, lines, bits, sources, extents);
}

AVX2 static void lines_avx2(const eng_smear_grid *grid, const eng_spheres_lines *lines,
                            unsigned bits, eng_smear_source sources[], eng_smear_extent extents[])
{
    make_lines(grid, lines, bits, sources, extents);
}

AVX512 static void lines_avx512(const eng_smear_grid *grid, const eng_spheres_lines *lines,
                                unsigned bits, eng_smear_source sources[],
                                eng_smear_extent extents[])
{
    make_lines(grid, lines, bits, sources, extents);
}

eng_smear_lines_function *eng_smear_choose_lines(void)
{
    int length = base_vectors_longest();
    return length >= 8 ? lines_avx512 : length >= 4 ? lines_avx2 : lines_scalar;
}

double eng_smear_point_factor(const cairn_grid *grid)
{
    double c = grid->width, cube = c * c * c;
    return grid->kernel == CAIRN_KERNEL_LUCY ? 105.0 / (16.0 * M_PI * cube)
                                             : 1.0 / (2.0 * M_PI * sqrt(2.0 * M_PI) * cube);
}

double eng_smear_line_factor(const cairn_grid *grid)
{
    return eng_smear_point_factor(grid) * grid->width;
}

double eng_smear_reach(cairn_kernel kernel)
{
    return kernel == CAIRN_KERNEL_LUCY ? 1.0 : 7.0;
}

void eng_smear_line_terms(double half, double terms[ENG_SMEAR_TERMS])
{
    // N_m, the integral of u^(2m) exp(-u^2/2) from 0 to half, over half^(2m+1), from the top down:
    // (2m - 1) N_(m-1) = half^(2m-1) exp(-half^2/2) + N_m, so that what N_top lacks fades
    enum { TOP = 24 };
    double h2 = half * half, end = base_exp(-0.5 * h2), mean = 0.0, power = 1.0;
    for (int m = TOP; m > 0; m--) {
        mean = (end + h2 * mean) / (2 * m - 1);
        if (m <= ENG_SMEAR_TERMS)
            terms[m - 1] = mean;
    }
    for (int m = 1; m < ENG_SMEAR_TERMS; m++) {
        power *= h2 / ((2 * m - 1) * (2 * m));
        terms[m] *= power;
    }
}
