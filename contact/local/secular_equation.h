// SPDX-License-Identifier: Apache-2.0
// The exact one-contact solver with its block prepared beforehand: what sweeps call.
#ifndef CAIRN_CONTACT_LOCAL_SECULAR_EQUATION_H
#define CAIRN_CONTACT_LOCAL_SECULAR_EQUATION_H

#include "base/vec.h"

typedef enum con_regime { CON_REGIME_OPEN, CON_REGIME_STICK, CON_REGIME_SLIP } con_regime;

/// All that a solve needs of one diagonal block, theory.md (5.2)-(5.4).
typedef struct con_secular {
    double W[3][3];        // kg^-1
    double A[2][2];        // kg^-1, Schur complement W_TT - W_TN W_NT / W_NN
    double inverse[2][2];  // kg, of A
    double inverse_normal; // kg, 1 / W_NN
    double mu;
} con_secular;

/// @return false when W_NN is not positive: the contact then never bears a reaction
bool con_secular_prepare(const mat3 *W, double mu, con_secular *block);

/// Slip by bracketing the slip multiplier, theory.md (5.6): always ends, from no start at all.
/// @param c        [2] m/s, theory.md (5.2)
/// @param normal   N s, R_N without friction, > 0
/// @param R        [3] out
/// @return evaluations of the secular function
int con_secular_slip_bracketed(const con_secular *block, const double c[2], double normal,
                               double R[3]);

/// Slip by Newton's method on R = n (1, mu d), theory.md (5.7). R is written on success alone.
/// @param n, d     R_N > 0 and unit direction [2] of R_T to start from
/// @param count    added to: evaluations
/// @return false when it does not settle on a slip solution
bool con_secular_slip_newton(const con_secular *block, const double c[2], double normal, double n,
                             const double d[2], double R[3], int *count);

/// Solves u = W R + b under the law (4.1)-(4.3). Exact to round-off (con_local_error about 1e-15
/// (1 + mu)) for every positive definite or singular W; a skew part far above the smallest
/// eigenvalue of the symmetric part costs digits of (5.2).
/// @param R      [3] in: start (its tangential direction is used), out: solution
/// @param count  added to: evaluations of a slip search
static inline con_regime con_secular_solve(const con_secular *block, const double b[3], double R[3],
                                           int *count)
{
    if (b[0] >= 0.0) {
        R[0] = R[1] = R[2] = 0.0;
        return CON_REGIME_OPEN;
    }
    const double(*A)[2] = block->A, (*inverse)[2] = block->inverse;
    double normal = -b[0] * block->inverse_normal;
    double c[2] = {b[1] + block->W[1][0] * normal, b[2] + block->W[2][0] * normal};

    // stick: A x = -c, refined once so that the residual stays at round-off for bad blocks
    double x = -(inverse[0][0] * c[0] + inverse[0][1] * c[1]);
    double y = -(inverse[1][0] * c[0] + inverse[1][1] * c[1]);
    double defect[2] = {A[0][0] * x + A[0][1] * y + c[0], A[1][0] * x + A[1][1] * y + c[1]};
    x -= inverse[0][0] * defect[0] + inverse[0][1] * defect[1];
    y -= inverse[1][0] * defect[0] + inverse[1][1] * defect[1];
    double stick = normal - (block->W[0][1] * x + block->W[0][2] * y) * block->inverse_normal;
    double radius = block->mu * stick;
    if (stick >= 0.0 && x * x + y * y <= radius * radius) {
        R[0] = stick;
        R[1] = x;
        R[2] = y;
        return CON_REGIME_STICK;
    }
    if (block->mu == 0.0) {
        R[0] = normal;
        R[1] = R[2] = 0.0;
        return CON_REGIME_SLIP;
    }

    // slip: from the reaction of before, else against the free slip
    double start = R[1] * R[1] + R[2] * R[2], n = R[0];
    double d[2] = {R[1], R[2]};
    if (!(start > 1e-280 && n > 0.0)) {
        start = c[0] * c[0] + c[1] * c[1];
        d[0] = -c[0];
        d[1] = -c[1];
        n = normal;
    }
    double scale = 1.0 / sqrt(start);
    d[0] *= scale;
    d[1] *= scale;
    if (!con_secular_slip_newton(block, c, normal, n, d, R, count))
        *count += con_secular_slip_bracketed(block, c, normal, R);
    return CON_REGIME_SLIP;
}

#endif
