// SPDX-License-Identifier: Apache-2.0
// Shares of a kernel in the cells of a grid: of points, and means along straight lines.
//
// Each function is compiled for three vector sets from the same plain loops over eight numbers, the
// cells of a block or the points of a line, with arguments of its own in meson.build that let the
// compiler make vectors of them.
#include "engine/grains/smear.h"

#include "base/elementary.h"
#include "base/simd.h"
#include "base/vectors.h"

#include <string.h>

enum { LANES = 8, SUMS_MOST = ENG_SMEAR_AMOUNTS + 1 };

// a loop over the points of a block becomes vectors as long as it is not unrolled first
#define ONE_VECTOR _Pragma("GCC unroll 1")

INLINE double lesser(double a, double b)
{
    return a < b ? a : b;
}

INLINE double greater(double a, double b)
{
    return a > b ? a : b;
}

// ---------------------------------------------------------------- kernels

/// Lucy's kernel beyond the distance a from its middle along one axis, 0 <= a <= 1: the integral
/// from a to 1 of 105/16 times that of (1 - 6 r^2 + 8 r^3 - 3 r^4) 2 r over r from the place to 1.
INLINE double lucy_beyond(double a)
{
    double rest = 1.0 - a, square = rest * rest;
    return square * square * rest * (0.5 + a * (1.1875 + a * 0.9375));
}

/// The Gaussian one by Taylor's series from the nearest place of a table, 0 <= a <= 7.
INLINE double gauss_beyond(const eng_smear_kernel *kernel, double a)
{
    int i = (int)(a * ENG_SMEAR_STEPS + 0.5);
    double x = i * (1.0 / ENG_SMEAR_STEPS), d = a - x;
    // the derivatives are Hermite's polynomials times the kernel
    double before = 1.0, now = x, power = d, sum = d;
    for (int k = 2; k <= 6; k++) {
        power *= -d / k;
        sum += power * now;
        double next = x * now - (k - 1) * before;
        before = now;
        now = next;
    }
    return kernel->beyond[i] - kernel->density[i] * sum;
}

/// Shares of a point along one axis.
INLINE void share_point(const eng_smear_work *work, cairn_kernel kind, int source, int axis)
{
    const eng_smear_kernel *kernel = work->kernel;
    const int first = work->extents[source].first[axis];
    const int cells = 2 * work->extents[source].count[axis];
    const double place = work->sources[source].place[axis], spacing = work->spacing[axis];
    double *out = work->pool + work->shares[source].at[axis] + first;
    double was_before = 0.0, was_beyond = 0.0;
    for (int face = 0; face <= cells; face++) {
        // of a face: 1 where the source lies before it, and what of the kernel lies beyond it,
        // negative where the source lies before it
        double t = (first + face) * spacing - place, a = lesser(fabs(t), kernel->reach);
        double share = kind == CAIRN_KERNEL_LUCY ? lucy_beyond(a) : gauss_beyond(kernel, a);
        double before = t >= 0.0 ? 1.0 : 0.0, beyond = t >= 0.0 ? -share : share;
        if (face > 0)
            out[face - 1] = (before - was_before) + (beyond - was_beyond);
        was_before = before;
        was_beyond = beyond;
    }
}

/// The same of all points of a line.
INLINE void share_line(const eng_smear_work *work, cairn_kernel kind, int source, int axis,
                       int nodes)
{
    const eng_smear_kernel *kernel = work->kernel;
    const eng_smear_source *line = &work->sources[source];
    const int first = work->extents[source].first[axis];
    const int cells = 2 * work->extents[source].count[axis];
    const double *place = kernel->place[nodes == ENG_SMEAR_NODES];
    const double *weight = kernel->weight[nodes == ENG_SMEAR_NODES];
    const double begin = line->place[axis], along = line->length * line->along[axis];
    const double spacing = work->spacing[axis];
    double *out = work->pool + work->shares[source].at[axis] + (int64_t)nodes * first;
    _Alignas(64) double at[LANES], before[2][LANES], beyond[2][LANES];
    ONE_VECTOR
    for (int k = 0; k < nodes; k++)
        at[k] = begin + place[k] * along;
    for (int face = 0; face <= cells; face++) {
        double *is = before[face & 1], *was = before[(face & 1) ^ 1];
        double *rest = beyond[face & 1], *rest_was = beyond[(face & 1) ^ 1];
        double where = (first + face) * spacing;
        ONE_VECTOR
        for (int k = 0; k < nodes; k++) {
            double t = where - at[k], a = lesser(fabs(t), kernel->reach);
            double share = kind == CAIRN_KERNEL_LUCY ? lucy_beyond(a) : gauss_beyond(kernel, a);
            is[k] = t >= 0.0 ? 1.0 : 0.0;
            rest[k] = t >= 0.0 ? -share : share;
        }
        if (face == 0)
            continue;
        ONE_VECTOR
        for (int k = 0; k < nodes; k++)
            out[k] = (axis == 2 ? weight[k] : 1.0) * ((is[k] - was[k]) + (rest[k] - rest_was[k]));
        out += nodes;
    }
}

INLINE void make_shares(const eng_smear_work *work, int begin, int end)
{
    const bool lucy = work->kernel->kind == CAIRN_KERNEL_LUCY;
    for (int i = begin; i < end; i++)
        for (int axis = 0; axis < 3; axis++) {
            int nodes = work->shares[i].nodes;
            if (nodes == 1 && lucy)
                share_point(work, CAIRN_KERNEL_LUCY, i, axis);
            else if (nodes == 1)
                share_point(work, CAIRN_KERNEL_GAUSSIAN, i, axis);
            else if (nodes == ENG_SMEAR_FEW && lucy)
                share_line(work, CAIRN_KERNEL_LUCY, i, axis, ENG_SMEAR_FEW);
            else if (nodes == ENG_SMEAR_FEW)
                share_line(work, CAIRN_KERNEL_GAUSSIAN, i, axis, ENG_SMEAR_FEW);
            else if (lucy)
                share_line(work, CAIRN_KERNEL_LUCY, i, axis, ENG_SMEAR_NODES);
            else
                share_line(work, CAIRN_KERNEL_GAUSSIAN, i, axis, ENG_SMEAR_NODES);
        }
}

// ---------------------------------------------------------------- blocks

/// Sums of four vectors, each over its numbers.
INLINE void sum_each(const simd_4 v[4], simd_4 *out)
{
    simd_4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) +
               __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    simd_4 b = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6) +
               __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    *out = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

/// Shares of a source in the cells of a block: the sum over its points of the products of three.
INLINE void share_block(const eng_smear_work *work, int source, const int block[3], simd_8 *out)
{
    const eng_smear_shares *shares = &work->shares[source];
    const int nodes = shares->nodes;
    const double *x = work->pool + shares->at[0] + (int64_t)nodes * block[0];
    const double *y = work->pool + shares->at[1] + (int64_t)nodes * block[1];
    const double *z = work->pool + shares->at[2] + (int64_t)nodes * block[2];
    simd_4 low, high;
    if (work->kind != ENG_SMEAR_BRANCHES) {
        const simd_4 a = {x[0], x[1], x[0], x[1]}, b = {y[0], y[0], y[1], y[1]};
        low = a * b * z[0];
        high = a * b * z[1];
    } else {
        simd_4 sums[8] = {{0.0}};
        for (int i = 0; i < nodes; i += ENG_SMEAR_FEW) {
            simd_4 a[2], b[2], c[2];
            for (int k = 0; k < 2; k++) {
                a[k] = simd_load_4(x + k * nodes + i);
                b[k] = simd_load_4(y + k * nodes + i);
                c[k] = simd_load_4(z + k * nodes + i);
            }
            for (int k = 0; k < 4; k++) {
                simd_4 both = b[k & 1] * c[k >> 1];
                sums[2 * k] += a[0] * both;
                sums[2 * k + 1] += a[1] * both;
            }
        }
        sum_each(sums, &low);
        sum_each(sums + 4, &high);
    }
    memcpy(out, &low, sizeof low);
    memcpy((char *)out + sizeof low, &high, sizeof high);
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
    int nx = work->cells[0], y = row % work->cells[1], z = row / work->cells[1];
    int begin = work->first_block - row * nx, end = work->end_block - row * nx;
    for (int x = begin > 0 ? begin : 0; x < nx && x < end; x++) {
        int block = row * nx + x;
        const int *start = work->start + (block - work->first_block);
        if (start[0] == start[1])
            continue;
#define BEGIN(C) simd_8 sum##C = {0.0};
        EACH_AMOUNT(BEGIN)
        BEGIN(9)
        for (int i = start[0]; i < start[1]; i++) {
            const eng_smear_source *source = &work->sources[work->order[i]];
            simd_8 values;
            share_block(work, work->order[i], (const int[]){x, y, z}, &values);
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

/// Cells that have a part of what is from low to high, in spacings from the corner; of n.
INLINE void side_extent(double low, double high, int n, int *first, int *count)
{
    double from = greater(lesser(low, n), 0.0), to = greater(lesser(high + 1.0, n), 0.0);
    int begin = (int)from, end = (int)to;
    *first = begin;
    *count = (end - begin + 1) / 2;
}

/// Extents of lines along one axis, of eight lanes.
INLINE void line_extents(const eng_smear_grid *grid, int axis, const double place[LANES],
                         const double normal[LANES], const double length[LANES], int first[LANES],
                         int count[LANES])
{
    ONE_VECTOR
    for (int k = 0; k < LANES; k++) {
        double end = place[k] + length[k] * normal[k];
        side_extent((lesser(place[k], end) - grid->reach) * grid->per_spacing[axis],
                    (greater(place[k], end) + grid->reach) * grid->per_spacing[axis],
                    grid->cells[axis], &first[k], &count[k]);
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
            force[d][k] =
                grid->factor * l->length[k] * (l->tangent[d][k] + l->force[k] * l->normal[d][k]);
        }
        line_extents(grid, d, place[d], l->normal[d], length, first[d], count[d]);
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

static void row_scalar(const eng_smear_work *work, int row)
{
    add_row_of(work, row);
}

SIMD_AVX2 static void row_avx2(const eng_smear_work *work, int row)
{
    add_row_of(work, row);
}

SIMD_AVX512 static void row_avx512(const eng_smear_work *work, int row)
{
    add_row_of(work, row);
}

eng_smear_row_function *eng_smear_choose(void)
{
    return SIMD_CHOOSE(base_vectors_longest(), row_scalar, row_avx2, row_avx512);
}

static void shares_scalar(const eng_smear_work *work, int begin, int end)
{
    make_shares(work, begin, end);
}

SIMD_AVX2 static void shares_avx2(const eng_smear_work *work, int begin, int end)
{
    make_shares(work, begin, end);
}

SIMD_AVX512 static void shares_avx512(const eng_smear_work *work, int begin, int end)
{
    make_shares(work, begin, end);
}

eng_smear_shares_function *eng_smear_choose_shares(void)
{
    return SIMD_CHOOSE(base_vectors_longest(), shares_scalar, shares_avx2, shares_avx512);
}

void eng_smear_extents(const eng_smear_work *work, int count, eng_smear_extent extents[])
{
    double reach = work->kernel->reach;
    bool lines = work->kind == ENG_SMEAR_BRANCHES;
    for (int i = 0; i < count; i++) {
        const eng_smear_source *source = &work->sources[i];
        for (int k = 0; k < 3; k++) {
            double a = source->place[k], b = a + (lines ? source->length * source->along[k] : 0.0);
            side_extent((lesser(a, b) - reach) / work->spacing[k],
                        (greater(a, b) + reach) / work->spacing[k], work->cells[k],
                        &extents[i].first[k], &extents[i].count[k]);
        }
    }
}

int64_t eng_smear_place(const eng_smear_work *work, int source, int64_t used)
{
    eng_smear_shares *shares = &work->shares[source];
    const eng_smear_extent *extent = &work->extents[source];
    bool line = work->kind == ENG_SMEAR_BRANCHES;
    double length = line ? work->sources[source].length : 0.0;
    shares->nodes = !line ? 1 : length <= work->kernel->shorter ? ENG_SMEAR_FEW : ENG_SMEAR_NODES;
    for (int k = 0; k < 3; k++) {
        shares->at[k] = used - (int64_t)shares->nodes * extent->first[k];
        used += (int64_t)2 * shares->nodes * extent->count[k];
    }
    return used;
}

static void lines_scalar(const eng_smear_grid *grid, const eng_spheres_lines *lines, unsigned bits,
                         eng_smear_source sources[], eng_smear_extent extents[])
{
    make_lines(grid, lines, bits, sources, extents);
}

SIMD_AVX2 static void lines_avx2(const eng_smear_grid *grid, const eng_spheres_lines *lines,
                                 unsigned bits, eng_smear_source sources[],
                                 eng_smear_extent extents[])
{
    make_lines(grid, lines, bits, sources, extents);
}

SIMD_AVX512 static void lines_avx512(const eng_smear_grid *grid, const eng_spheres_lines *lines,
                                     unsigned bits, eng_smear_source sources[],
                                     eng_smear_extent extents[])
{
    make_lines(grid, lines, bits, sources, extents);
}

eng_smear_lines_function *eng_smear_choose_lines(void)
{
    return SIMD_CHOOSE(base_vectors_longest(), lines_scalar, lines_avx2, lines_avx512);
}

/// Points and weights of Gauss's rule on 0 .. 1, by Newton's method on Legendre's polynomial.
static void gauss_rule(int n, double place[], double weight[])
{
    for (int i = 0; i < n; i++) {
        double x = base_cos(M_PI * (i + 0.75) / (n + 0.5)), slope = 1.0;
        for (int turn = 0; turn < 20; turn++) {
            double before = 1.0, now = x;
            for (int k = 2; k <= n; k++) {
                double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
                before = now;
                now = next;
            }
            slope = n * (x * now - before) / (x * x - 1.0);
            x -= now / slope;
        }
        place[i] = 0.5 * (1.0 - x);
        weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

void eng_smear_kernel_init(eng_smear_kernel *kernel, cairn_kernel kind)
{
    // what a line lacks is 1e-6 of the peak under Lucy's kernel and 1e-10 under the Gaussian one
    bool lucy = kind == CAIRN_KERNEL_LUCY;
    *kernel = (eng_smear_kernel){.kind = kind,
                                 .reach = lucy ? 1.0 : 7.0,
                                 .longest = lucy ? 1.0 : 2.0,
                                 .shorter = lucy ? 0.4 : 0.5};
    gauss_rule(ENG_SMEAR_FEW, kernel->place[0], kernel->weight[0]);
    gauss_rule(ENG_SMEAR_NODES, kernel->place[1], kernel->weight[1]);
    if (kind == CAIRN_KERNEL_LUCY)
        return;
    // x exp(-x^2/2) (1 + x^2/3 + x^4/(3 5) + ...) is what lies between 0 and x; beyond 3 widths the
    // continued fraction of Mills's ratio keeps its digits. What is cut off is spread over the
    // rest.
    enum { END = 7 * ENG_SMEAR_STEPS };
    double peak = 1.0 / sqrt(2.0 * M_PI);
    for (int i = 0; i <= END; i++) {
        double x = (double)i / ENG_SMEAR_STEPS, term = x, sum = x, ratio = x;
        for (int k = 1; k <= 100; k++) {
            term *= x * x / (2 * k + 1);
            sum += term;
        }
        for (int k = 200; k > 0; k--)
            ratio = x + k / ratio;
        kernel->density[i] = peak * base_exp(-0.5 * x * x);
        kernel->beyond[i] = x < 3.0 ? 0.5 - kernel->density[i] * sum : kernel->density[i] / ratio;
    }
    double off = kernel->beyond[END], scale = 1.0 / (1.0 - 2.0 * off);
    for (int i = 0; i <= END; i++) {
        kernel->density[i] *= scale;
        kernel->beyond[i] = (kernel->beyond[i] - off) * scale;
    }
}
