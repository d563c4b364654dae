// SPDX-License-Identifier: Apache-2.0
// Sums of a kernel over the points of a grid: values at places, and means along straight lines.
//
// Each function is compiled for three vector sets from the same plain loops, with arguments of its
// own in meson.build that let the compiler make vectors of them: roots set no errno. Products are
// not fused with sums, so that all sets give the same bits.
#include "engine/grains/smear.h"

#include "base/elementary.h"
#include "base/vectors.h"

#include <math.h>
#include <string.h>

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// Natural logarithm of a normal number of at least 1, within a few units of its last place: that
/// of base/ is exact, and takes ten times as long.
static inline double quick_ln(double x)
{
    static const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
    // the exponent such that m lies between the roots of 1/2 and 2
    const uint64_t sqrt_half = UINT64_C(0x3fe6a09e667f3bcd),
                   two_to_52 = UINT64_C(0x4330000000000000);
    uint64_t bits = bits_of(x), exponent = (bits - sqrt_half) >> 52;
    double power = number_of(exponent | two_to_52) - 0x1p52;
    double m = number_of(bits - (exponent << 52));
    // ln m = 2 (s + s^3/3 + s^5/5 + ...) with |s| < 0.1716
    double s = (m - 1.0) / (m + 1.0), z = s * s, sum = 1.0 / 23.0;
    sum = 1.0 / 21.0 + z * sum;
    sum = 1.0 / 19.0 + z * sum;
    sum = 1.0 / 17.0 + z * sum;
    sum = 1.0 / 15.0 + z * sum;
    sum = 1.0 / 13.0 + z * sum;
    sum = 1.0 / 11.0 + z * sum;
    sum = 1.0 / 9.0 + z * sum;
    sum = 1.0 / 7.0 + z * sum;
    sum = 1.0 / 5.0 + z * sum;
    sum = 1.0 / 3.0 + z * sum;
    return power * ln2_high + (2.0 * (s + s * z * sum) + power * ln2_low);
}

/// Lucy's kernel is (1 + 3 x)(1 - x)^3 at the distance x.
static inline double lucy_at(double square)
{
    double x = sqrt(square), rest = 1.0 - x;
    return (1.0 + 3.0 * x) * rest * rest * rest;
}

/// Integral of Lucy's 1 - 6 r^2 + 8 r^3 - 3 r^4 from 0 to u along a line at the distance d, but for
/// its logarithm 3 d^4 asinh(u/d); q is the distance of that end.
static inline double lucy_powers(double u, double q, double d2)
{
    double u2 = u * u;
    double cubes = 0.125 * u * (2.0 * u2 + 5.0 * d2) * q;
    double squares = u * (d2 + u2 / 3.0);
    double fourths = u * (d2 * d2 + 2.0 / 3.0 * d2 * u2 + 0.2 * u2 * u2);
    return u - 6.0 * squares + 8.0 * cubes - 3.0 * fourths;
}

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

/// Integral of Lucy's kernel along a line, where it is not nothing.
static inline double lucy_along(double square, double along, double length)
{
    double d2 = greater(square - along * along, 0.0), from = -along, to = length - along;
    // ends beyond the kernel move to where the line leaves it
    double room = greater(1.0 - d2, 0.0);
    double from2 = from * from, to2 = to * to;
    double reach0 = d2 + from2, reach1 = d2 + to2;
    double root0 = sqrt(from2 > room ? room : reach0), root1 = sqrt(to2 > room ? room : reach1);
    double end0 = from < 0.0 ? -root0 : root0, end1 = to < 0.0 ? -root1 : root1;
    double a = from2 > room ? end0 : from, q0 = from2 > room ? 1.0 : root0;
    double b = to2 > room ? end1 : to, q1 = to2 > room ? 1.0 : root1;
    double sum = lucy_powers(b, q1, d2) - lucy_powers(a, q0, d2);
    // asinh(b/d) - asinh(a/d) by one logarithm, of factors that do not cancel
    double e0 = fabs(a) + q0, e1 = fabs(b) + q1, both = e0 * e1;
    double above = a >= 0.0 ? e1 : b <= 0.0 ? e0 : both;
    double below = a >= 0.0 ? e0 : b <= 0.0 ? e1 : d2;
    above = d2 > 1e-18 ? above : 1.0;
    below = d2 > 1e-18 ? below : 1.0;
    return sum + 3.0 * d2 * d2 * quick_ln(greater(above / below, 1.0));
}

static inline void lucy_points(eng_smear_batch *batch)
{
    int count = (batch->count + 7) / 8 * 8;
    for (int i = 0; i < count; i++)
        batch->value[i] = lucy_at(batch->square[i]);
}

static inline void lucy_lines(eng_smear_batch *batch)
{
    int count = (batch->count + 7) / 8 * 8;
    for (int i = 0; i < count; i++)
        batch->value[i] = lucy_along(batch->square[i], batch->along[i], batch->length[i]);
}

static inline void pick(eng_smear_batch *batch, const eng_smear_row *row)
{
    int count = batch->count;
    for (int x = row->begin; x < row->end; x++) {
        double there = row->first + x * row->spacing, along = row->part + there * row->slope;
        double square = row->across + there * there;
        double nearest = greater(lesser(along, row->length), 0.0);
        batch->square[count] = square;
        batch->along[count] = along;
        batch->length[count] = row->length;
        batch->cell[count] = row->cell + x;
        count += square - nearest * (along + along - nearest) < row->reach;
    }
    batch->count = count;
}

static inline void add_tensors(const eng_smear_batch *batch, double (*field)[9])
{
    for (int source = 0, i = 0; source < batch->source_count; source++) {
        const double *tensor = batch->tensor[source];
        for (; i < batch->end[source]; i++)
            for (int k = 0; k < 9; k++)
                field[batch->cell[i]][k] += batch->value[i] * tensor[k];
    }
}

static inline void add_vectors(const eng_smear_batch *batch, double *scalars, double (*vectors)[3])
{
    for (int source = 0, i = 0; source < batch->source_count; source++) {
        const double *vector = batch->vector[source];
        for (; i < batch->end[source]; i++) {
            if (scalars != NULL)
                scalars[batch->cell[i]] += batch->value[i] * batch->scalar[source];
            for (int k = 0; k < 3; k++)
                vectors[batch->cell[i]][k] += batch->value[i] * vector[k];
        }
    }
}

static void gaussian_points(eng_smear_batch *batch)
{
    for (int i = 0; i < batch->count; i++)
        batch->value[i] = base_exp(-0.5 * batch->square[i]);
}

static void gaussian_lines(eng_smear_batch *batch)
{
    double reach = eng_smear_reach(CAIRN_KERNEL_GAUSSIAN);
    for (int i = 0; i < batch->count; i++) {
        double along = batch->along[i], d2 = greater(batch->square[i] - along * along, 0.0);
        double most = sqrt(greater(reach * reach - d2, 0.0));
        double from = lesser(greater(-along, -most), most);
        double to = greater(lesser(batch->length[i] - along, most), -most);
        batch->value[i] = base_exp(-0.5 * d2) * 0.5 * (erf(to / M_SQRT2) - erf(from / M_SQRT2));
    }
}

#if defined(__x86_64__) && defined(__GNUC__)
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))
#else
#define AVX2
#define AVX512
#endif

/// The functions of one vector set.
#define KERNELS(NAME, TARGET)                                                                      \
    TARGET static void NAME##_pick(eng_smear_batch *batch, const eng_smear_row *row)               \
    {                                                                                              \
        pick(batch, row);                                                                          \
    }                                                                                              \
    TARGET static void NAME##_points(eng_smear_batch *batch)                                       \
    {                                                                                              \
        lucy_points(batch);                                                                        \
    }                                                                                              \
    TARGET static void NAME##_lines(eng_smear_batch *batch)                                        \
    {                                                                                              \
        lucy_lines(batch);                                                                         \
    }                                                                                              \
    TARGET static void NAME##_tensors(const eng_smear_batch *batch, double(*field)[9])             \
    {                                                                                              \
        add_tensors(batch, field);                                                                 \
    }                                                                                              \
    TARGET static void NAME##_vectors(const eng_smear_batch *batch, double *scalars,               \
                                      double(*vectors)[3])                                         \
    {                                                                                              \
        add_vectors(batch, scalars, vectors);                                                      \
    }                                                                                              \
    static const eng_smear_kernels NAME = {.pick = NAME##_pick,                                    \
                                           .points = {NAME##_points, gaussian_points},             \
                                           .lines = {NAME##_lines, gaussian_lines},                \
                                           .add_tensors = NAME##_tensors,                          \
                                           .add_vectors = NAME##_vectors};

KERNELS(scalar, )
KERNELS(avx2, AVX2)
KERNELS(avx512, AVX512)

const eng_smear_kernels *eng_smear_choose(void)
{
    int length = base_vectors_longest();
    return length >= 8 ? &avx512 : length >= 4 ? &avx2 : &scalar;
}

double eng_smear_point_factor(const cairn_grid *grid)
{
    double c = grid->width, cube = c * c * c;
    return grid->kernel == CAIRN_KERNEL_LUCY ? 105.0 / (16.0 * M_PI * cube)
                                             : 1.0 / (2.0 * M_PI * sqrt(2.0 * M_PI) * cube);
}

double eng_smear_line_factor(const cairn_grid *grid)
{
    double c = grid->width;
    return (grid->kernel == CAIRN_KERNEL_LUCY ? 105.0 / (16.0 * M_PI) : 1.0 / (2.0 * M_PI)) /
           (c * c);
}

double eng_smear_reach(cairn_kernel kernel)
{
    return kernel == CAIRN_KERNEL_LUCY ? 1.0 : 7.0;
}
