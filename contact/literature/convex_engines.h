// SPDX-License-Identifier: Apache-2.0
// The engines of convex programs.
#ifndef CAIRN_CONTACT_LITERATURE_CONVEX_ENGINES_H
#define CAIRN_CONTACT_LITERATURE_CONVEX_ENGINES_H

#include "contact/literature/convex.h"

/// min 1/2 r'Dr + b'r over the set of one contact: projected Newton steps, gradient steps where
/// those do not help.
/// @param r  [3] in: start, out: solution in the set
void con_convex_local(con_set set, double size, const mat3 *D, const double b[3], double r[3]);

/// Engines: as con_convex_solve.
bool con_convex_sweeps(con_convex *convex, double tolerance, int max_iterations);
bool con_convex_accelerated(con_convex *convex, double tolerance, int max_iterations);
bool con_convex_spectral(con_convex *convex, double tolerance, int max_iterations);

/// g = u without the components that the set leaves alone.
static inline void con_convex_mask(con_set set, const double u[3], double g[3])
{
    g[0] = set == CON_SET_DISC ? 0.0 : u[0];
    g[1] = set == CON_SET_NORMAL ? 0.0 : u[1];
    g[2] = set == CON_SET_NORMAL ? 0.0 : u[2];
}

/// u = W r + q + shift e_N
void con_convex_velocity(const con_convex *convex, const double (*r)[3], double (*u)[3]);

#endif
