// SPDX-License-Identifier: Apache-2.0
// Spring, dashpot and slider of tangential, rolling and twisting resistance.
#ifndef CAIRN_CONTACT_LAWS_SLIDER_H
#define CAIRN_CONTACT_LAWS_SLIDER_H

#include "base/vec.h"

/// Forces may be moments: then travel is an angle, and so on.
typedef struct con_slider {
    double stiffness;        // N/m
    double stiffness_before; // N/m, of the last call
    double damping;          // N s/m
    double limit;            // N, >= 0
} con_slider;

typedef struct con_slider_answer {
    vec3 force;      // N on B: spring + dashpot + loss, at most `limit`
    vec3 dashpot;    // N, the dashpot's part while the slider sticks
    vec3 loss;       // N, what the slider adds to the spring's part while it slips
    double elastic;  // J stored in the spring
    double friction; // J dissipated by slip since the last call, that of `loss` left out
} con_slider_answer;

/// A spring and a dashpot side by side, in series with a slider, docs/laws.md (2.1)-(2.5). B moves
/// by `travel` relative to A in time `step`:
///     stick:  spring = before - k travel,  force = spring - c travel / step
///     slip:   |force| = limit along the same line; the spring relaxes to it against its dashpot,
///             spring + (c / (k step)) (spring - before) = force
/// A spring whose stiffness shrinks loses force with it, so that its displacement stays.
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
