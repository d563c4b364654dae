// SPDX-License-Identifier: Apache-2.0
// The second-order cone program of the existence test, by an interior point.
#ifndef CAIRN_CONTACT_EXISTENCE_PROGRAM_H
#define CAIRN_CONTACT_EXISTENCE_PROGRAM_H

#include "contact/existence/range.h"

#include <stdbool.h>

/// max a  with  mu |s_T| <= s_N,  s = q + B y - a e_N,  a <= 1,  and its dual
/// min q.d + t  with  d in K,  B^T d = 0,  sum d_N + t = 1,  t >= 0.
typedef struct con_program {
    con_range *range;
    const double (*q)[3]; // [n] largest of size 1
    const double *mu;     // [n]
    double *y;            // [columns] out
    double (*d)[3];       // [n] out
    double a;             // out: margin of y
    double bound;         // out: dual value
    double dual_residual; // out: largest |B^T d|
    int iterations;
    bool converged; // gap and residual (in units of B) within 1e-10, or a at its cap
} con_program;

/// @param program  range, q, mu in; y and d with room
/// @param arena    scratch; rewound before return
/// @return CAIRN_ERROR_MEMORY; trouble with numbers only leaves `converged` false
cairn_status con_program_solve(con_program *program, base_arena *arena) CAIRN_CHECK_RESULT;

#endif
