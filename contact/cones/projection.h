// SPDX-License-Identifier: Apache-2.0
// Projections on the convex sets of friction solvers, with their derivatives.
#ifndef CAIRN_CONTACT_CONES_PROJECTION_H
#define CAIRN_CONTACT_CONES_PROJECTION_H

/// Set of one contact. NORMAL and DISC leave the other components as they are.
typedef enum con_set {
    CON_SET_CONE,     // |r_T| <= size r_N
    CON_SET_CYLINDER, // r_N >= 0, |r_T| <= size
    CON_SET_NORMAL,   // r_N >= 0, r_T given
    CON_SET_DISC      // |r_T| <= size, r_N given
} con_set;

/// out = P(z)
/// @param size  friction or radius, >= 0
/// @param out   [3], may alias z
void con_set_project(con_set set, double size, const double z[3], double out[3]);

/// An element of the generalised derivative of the projection at z.
void con_set_derivative(con_set set, double size, const double z[3], double D[3][3]);

/// Derivative of P_size(z_T) by z_T; D [2][2] within rows and columns 1, 2 of a 3 x 3 block.
void con_disc_derivative(const double z[2], double radius, double D[2][2]);

#endif
