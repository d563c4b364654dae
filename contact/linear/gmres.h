// SPDX-License-Identifier: Apache-2.0
// One cycle of GMRES for an operator given as a function.
#ifndef CAIRN_CONTACT_LINEAR_GMRES_H
#define CAIRN_CONTACT_LINEAR_GMRES_H

#include "base/memory.h"

/// out = A x; no alias.
typedef void con_gmres_apply(void *context, const double *x, double *out);

/// Minimises |b - A x| over the Krylov space of at most `steps` vectors, from x = 0; stops when the
/// residual falls to `tolerance` |b|.
/// @param x      [count] out
/// @param arena  scratch of (steps + 2) vectors; rewound before return
/// @return CAIRN_OK, or CAIRN_ERROR_MEMORY
/// Source: Saad & Schultz 1986. Tests: tests/unit/contact/test_literature.c
cairn_status con_gmres(con_gmres_apply *apply, void *context, int count, const double *b,
                       double tolerance, int steps, double *x,
                       base_arena *arena) CAIRN_CHECK_RESULT;

#endif
