// SPDX-License-Identifier: Apache-2.0
// The moment of one contact that resists rolling, for a given normal force.
#ifndef CAIRN_CONTACT_LOCAL_MOMENT_H
#define CAIRN_CONTACT_LOCAL_MOMENT_H

/// Block of a moment in the form that solves want.
typedef struct con_moment_block {
    double W[3][3];    // kg^-1 m^-2, symmetric part
    double value[2];   // eigenvalues of W_TT
    double axis[2][2]; // its eigenvectors
} con_moment_block;

void con_moment_prepare(const double W[3][3], con_moment_block *block);

/// Solves w = W m + b for the moment that resists: |m_T| <= rolling, opposite to w_T where it is at
/// the bound; |m_N| <= spinning likewise. The spinning part is solved at the given m_T, the rolling
/// part at the new m_N: exact where W does not couple them or one bound is zero, else one sweep.
/// @param m  [3] in: start, out: within the bounds
void con_moment_solve(const con_moment_block *block, const double b[3], double rolling,
                      double spinning, double m[3]);

#endif
