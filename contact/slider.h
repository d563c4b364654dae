// SPDX-License-Identifier: Apache-2.0
// Spring, dashpot and slider of tangential, rolling and twisting resistance.
#ifndef CAIRN_CONTACT_SLIDER_H
#define CAIRN_CONTACT_SLIDER_H

#include "base/vec.h"

/// Forces may be moments: then travel is an angle, and so on.
typedef struct con_slider {
    double stiffness;        // N/m
    double stiffness_before; // N/m, of the last call; for the energy
    double damping;          // N s/m
    double limit;            // N, >= 0
} con_slider;

typedef struct con_slider_answer {
    vec3 force;      // N on B: spring and dashpot, at most `limit`
    vec3 dashpot;    // N, the dashpot's part of it
    double elastic;  // J stored in the spring
    double friction; // J dissipated by slip since the last call
} con_slider_answer;

/// Moves B by `travel` relative to A in time `step`, docs/laws.md (2.1)-(2.4):
///     f = f_before - k travel - c travel / step, shortened to `limit`;
/// the spring keeps f less the dashpot's part, so that a slider that slips starts to stick again
/// from its limit. Friction is what the travel put in and the spring did not keep.
/// @param spring  N on B; in: turned with the contact already; out: new
con_slider_answer con_slider_move(const con_slider *slider, vec3 travel, double step, vec3 *spring);

/// Vector of the last tangent plane taken to that of `normal`: projected, and of its old length.
vec3 con_tangent_project(vec3 v, vec3 normal);

/// v turned by the smallest rotation that takes unit vector `from` to unit vector `to`; exact.
/// Opposite vectors leave v as it is.
vec3 con_rotate_between(vec3 v, vec3 from, vec3 to);

/// v turned about the unit vector `axis`.
vec3 con_rotate_about(vec3 v, vec3 axis, double angle);

#endif
