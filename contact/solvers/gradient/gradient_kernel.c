// SPDX-License-Identifier: Apache-2.0
// Accelerated gradient steps, lane by lane.
#include "contact/solvers/gradient/gradient_kernel.h"

#include "base/simd.h"
#include "base/vectors.h"

#include <string.h>

enum { LANES = CON_GRADIENT_LANES };

// sums of the lanes of eight vectors; by shuffles where a vector is one register
INLINE void sum_lanes(const simd_8 x[LANES], bool wide, con_gradient_row out)
{
    if (!wide) {
        for (int l = 0; l < LANES; l++)
            out[l] = ((x[l][0] + x[l][1]) + (x[l][2] + x[l][3])) +
                     ((x[l][4] + x[l][5]) + (x[l][6] + x[l][7]));
        return;
    }
    simd_8 a[4], b[2];
    for (int k = 0; k < 4; k++)
        a[k] = __builtin_shufflevector(x[2 * k], x[2 * k + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(x[2 * k], x[2 * k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    for (int k = 0; k < 2; k++)
        b[k] = __builtin_shufflevector(a[2 * k], a[2 * k + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(a[2 * k], a[2 * k + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    simd_8 sum = __builtin_shufflevector(b[0], b[1], 0, 1, 2, 3, 8, 9, 10, 11) +
                 __builtin_shufflevector(b[0], b[1], 4, 5, 6, 7, 12, 13, 14, 15);
    simd_store_8(out, sum);
}

// contacts of a block
INLINE int lanes_of(const con_gradient_pass *pass, int block)
{
    int left = pass->contact_count - LANES * block;
    return left < LANES ? left : LANES;
}

// rows of a side of a contact, behind the last of which there is room
INLINE const double (*side_of(const double (*all)[2][3][6], const double (*last)[3][6],
                              const con_gradient_pass *pass, int i, int s))[6]
{
    return i + 1 == pass->contact_count ? last[s] : all[i][s];
}

// W_d = J v of the bodies
INLINE void spread(const con_gradient_pass *pass, int block, bool wide)
{
    simd_8 product[3][LANES];
    int count = lanes_of(pass, block);
    for (int l = 0; l < LANES; l++) {
        if (l >= count) {
            for (int k = 0; k < 3; k++)
                product[k][l] = (simd_8){0.0};
            continue;
        }
        int i = LANES * block + l;
        simd_8 v = simd_load_8(pass->velocity[pass->row[i][0]]),
               w = simd_load_8(pass->velocity[pass->row[i][1]]);
        const double(*A)[6] = side_of(pass->J, pass->last_J, pass, i, 0);
        const double(*B)[6] = side_of(pass->J, pass->last_J, pass, i, 1);
        for (int k = 0; k < 3; k++)
            product[k][l] = simd_load_8(A[k]) * v + simd_load_8(B[k]) * w;
    }
    for (int k = 0; k < 3; k++)
        sum_lanes(product[k], wide, pass->blocks[block].W_d[k]);
}

// K^T d of the sides
INLINE void collect(const con_gradient_pass *pass, int block)
{
    const con_gradient_block *b = &pass->blocks[block];
    int count = lanes_of(pass, block);
    for (int l = 0; l < count; l++) {
        int i = LANES * block + l;
        for (int s = 0; s < 2; s++) {
            const double(*K)[6] = side_of(pass->K, pass->last_K, pass, i, s);
            simd_store_8(pass->part[i][s], simd_load_8(K[0]) * b->d[0][l] +
                                               simd_load_8(K[1]) * b->d[1][l] +
                                               simd_load_8(K[2]) * b->d[2][l]);
        }
    }
}

/// Sums, lane by lane.
typedef struct lane_sums {
    con_gradient_row energy, d_squared, uphill;
} lane_sums;

// the step taken: r, u <- y + d, w + W d; y, w beyond them
INLINE void move(const con_gradient_pass *pass, con_gradient_block *b, lane_sums *sums)
{
    double beta = pass->beta;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < LANES; l++) {
            double r = b->y[k][l] + b->d[k][l], u = b->w[k][l] + b->W_d[k][l];
            sums->energy[l] += b->d[k][l] * b->W_d[k][l];
            b->y[k][l] = r + beta * (r - b->r[k][l]);
            b->w[k][l] = u + beta * (u - b->u[k][l]);
            b->r[k][l] = r;
            b->u[k][l] = u;
        }
}

// s on its way to mu |u_T|
INLINE void follow(const con_gradient_pass *pass, con_gradient_block *b)
{
    double share = pass->follow;
    for (int l = 0; l < LANES; l++) {
        double slip = sqrt(b->u[1][l] * b->u[1][l] + b->u[2][l] * b->u[2][l]);
        double change = share * (b->mu[l] * slip - b->shift[l]);
        b->shift[l] += change;
        b->u[0][l] += change;
        b->w[0][l] += change;
    }
}

// d = P(y - w / L) - y
INLINE void find_step(const con_gradient_pass *pass, con_gradient_block *b, lane_sums *sums)
{
    double step = pass->step;
    for (int l = 0; l < LANES; l++) {
        double z0 = b->y[0][l] - step * b->w[0][l];
        double z1 = b->y[1][l] - step * b->w[1][l];
        double z2 = b->y[2][l] - step * b->w[2][l];
        double length = sqrt(z1 * z1 + z2 * z2), mu = b->mu[l], bound = mu * z0;
        double border = (z0 + mu * length) * b->share[l];
        double normal = border > 0.0 ? border : 0.0;
        double scale = mu * normal / (length > 0.0 ? length : 1.0);
        normal = length <= bound ? z0 : normal;
        scale = length <= bound ? 1.0 : scale;
        // without friction the cone is a line
        normal = mu > 0.0 ? normal : z0 > 0.0 ? z0 : 0.0;
        scale = mu > 0.0 ? scale : 0.0;
        double next[3] = {normal, scale * z1, scale * z2};
        for (int k = 0; k < 3; k++) {
            double d = next[k] - b->y[k][l];
            sums->d_squared[l] += d * d;
            sums->uphill[l] -= d * (next[k] - b->r[k][l]);
            b->d[k][l] = d;
        }
    }
}

INLINE double add_lanes(const con_gradient_row x)
{
    double sum = 0.0;
    for (int l = 0; l < LANES; l++)
        sum += x[l];
    return sum;
}

INLINE void advance(const con_gradient_pass *pass, int begin, int end, bool wide,
                    con_gradient_sums *sums)
{
    lane_sums lanes = {{0.0}, {0.0}, {0.0}};
    for (int k = begin; k < end; k++) {
        con_gradient_block *b = &pass->blocks[k];
        if (pass->J != NULL)
            spread(pass, k, wide);
        move(pass, b, &lanes);
        if (pass->follow != 0.0)
            follow(pass, b);
        find_step(pass, b, &lanes);
        if (pass->J != NULL)
            collect(pass, k);
    }
    *sums = (con_gradient_sums){add_lanes(lanes.energy), add_lanes(lanes.d_squared),
                                add_lanes(lanes.uphill)};
}

// the sum over the sides of a body
INLINE void gather_narrow(const con_gradient_pass *pass, const int *side, int count, double *out)
{
    double sum[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < count; k++) {
        const double *x = pass->part[side[k] / 3][side[k] % 3];
        for (int j = 0; j < 6; j++)
            sum[j] += x[j];
    }
    memcpy(out, sum, sizeof sum);
}

INLINE void gather_wide(const con_gradient_pass *pass, const int *side, int count, double *out)
{
    const simd_8_mask six = {-1, -1, -1, -1, -1, -1, 0, 0};
    simd_8 sum = {0.0};
    for (int k = 0; k < count; k++)
        sum += simd_load_8(pass->part[side[k] / 3][side[k] % 3]);
    simd_store_8(out, (simd_8)((simd_8_mask)sum & six));
}

INLINE void gather(const con_gradient_pass *pass, const int *side_start, const int *side, int begin,
                   int end, bool wide, con_gradient_row *velocity)
{
    for (int a = begin; a < end; a++) {
        const int *first = side + side_start[a];
        int count = side_start[a + 1] - side_start[a];
        if (wide)
            gather_wide(pass, first, count, velocity[a]);
        else
            gather_narrow(pass, first, count, velocity[a]);
    }
}

#define BUILD(name, wide, attributes)                                                              \
    attributes static void advance_##name(const con_gradient_pass *pass, int begin, int end,       \
                                          con_gradient_sums *sums)                                 \
    {                                                                                              \
        advance(pass, begin, end, wide, sums);                                                     \
    }                                                                                              \
    attributes static void gather_##name(const con_gradient_pass *pass, const int *side_start,     \
                                         const int *side, int begin, int end,                      \
                                         con_gradient_row *velocity)                               \
    {                                                                                              \
        gather(pass, side_start, side, begin, end, wide, velocity);                                \
    }                                                                                              \
    static const con_gradient_kernel name = {advance_##name, gather_##name}

BUILD(scalar, false, );
BUILD(avx2, false, SIMD_AVX2);
BUILD(avx512, true, SIMD_AVX512);

const con_gradient_kernel *con_gradient_kernel_choose(void)
{
    return SIMD_CHOOSE(base_vectors_longest(), &scalar, &avx2, &avx512);
}
