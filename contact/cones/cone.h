// SPDX-License-Identifier: Apache-2.0
// The Coulomb cone K = { |R_T| <= mu R_N } and its projections.
#ifndef CAIRN_CONTACT_CONES_CONE_H
#define CAIRN_CONTACT_CONES_CONE_H

#include <math.h>

/// Projection on the cone, theory.md (4.7). mu = 0 gives the half-line R_N >= 0, R_T = 0.
/// @param z    [3] (N, T1, T2); may alias out
void con_cone_project(const double z[3], double mu, double out[3]);

/// Projection of the tangential part on the disc of radius `radius` >= 0.
void con_disc_project(const double z[2], double radius, double out[2]);

/// Natural map of the De Saxce form for one contact, theory.md (4.10):
///     R - P_K(R - (U_N + mu |U_T|, U_T))
/// The error is that of the smaller of R and U: where R is much larger the map keeps the digits of
/// U, but for the round-off of R itself.
/// @param out  [3]; the squared norm is returned
double con_natural_map(const double R[3], const double U[3], double mu, double out[3]);

#endif
