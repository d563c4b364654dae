// SPDX-License-Identifier: Apache-2.0
// The cone of a contact that resists rolling: force and moment, two blocks of three rows.
#ifndef CAIRN_CONTACT_CONES_ROLLING_CONE_H
#define CAIRN_CONTACT_CONES_ROLLING_CONE_H

/// { |r_T| <= sliding r_N,  |m_T| <= rolling r_N,  |m_N| <= spinning r_N }, theory.md (4.19).
/// Block 0 is the force (r_N, r_T), block 1 the moment (m_N, m_T).
typedef struct con_rolling_cone {
    double sliding;  // mu
    double rolling;  // mu_r, m
    double spinning; // mu_s, m; 0: no spinning moment
} con_rolling_cone;

/// Nearest point of the cone, theory.md (4.20); may alias.
void con_rolling_cone_project(const double z[2][3], const con_rolling_cone *cone, double out[2][3]);

/// The velocities of the De Saxce form: u_N + mu |u_T| + mu_r |w_T| + mu_s |w_N| in the place of
/// u_N; may alias.
void con_rolling_cone_shift(const double U[2][3], const con_rolling_cone *cone, double out[2][3]);

/// Natural map R - P(R - shifted U).
/// @param out  [2][3]; the squared norm is returned
double con_rolling_cone_map(const double R[2][3], const double U[2][3],
                            const con_rolling_cone *cone, double out[2][3]);

#endif
