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

static inline double con_slider_stored(vec3 spring, double stiffness)
{
    return stiffness > 0.0 ? 0.5 * vec3_norm_squared(spring) / stiffness : 0.0;
}

/// Spring force under a slider that slips with `force`.
static inline vec3 con_slider_relaxed(const con_slider *slider, double step, vec3 before,
                                      vec3 force)
{
    double k = slider->stiffness * step, c = slider->damping;
    return k > 0.0
               ? vec3_scale(1.0 / (k + c), vec3_add(vec3_scale(k, force), vec3_scale(c, before)))
               : vec3_make(0.0, 0.0, 0.0);
}

/// A spring and a dashpot side by side, in series with a slider, docs/laws.md (2.1)-(2.5). B moves
/// by `travel` relative to A in time `step`:
///     stick:  spring = before - k travel,  force = spring - c travel / step
///     slip:   |force| = limit along the same line; the spring relaxes to it against its dashpot,
///             spring + (c / (k step)) (spring - before) = force
/// A spring whose stiffness shrinks loses force with it, so that its displacement stays.
/// @param spring  N on B; in: turned with the contact already; out: new
static inline con_slider_answer con_slider_move(const con_slider *slider, vec3 travel, double step,
                                                vec3 *spring)
{
    con_slider_answer answer = {.dashpot = vec3_scale(-slider->damping / step, travel)};
    double k = slider->stiffness, k_before = slider->stiffness_before;
    vec3 whole = *spring, before = k < k_before ? vec3_scale(k / k_before, whole) : whole;
    *spring = vec3_add_scaled(before, -k, travel);
    answer.force = vec3_add(*spring, answer.dashpot);
    double size = vec3_norm(answer.force);
    if (size > slider->limit) {
        answer.force = vec3_scale(slider->limit / size, answer.force);
        *spring = con_slider_relaxed(slider, step, before, answer.force);
        answer.loss = vec3_sub(answer.force, *spring);
        answer.dashpot = vec3_make(0.0, 0.0, 0.0);
    }
    answer.elastic = con_slider_stored(*spring, k);
    // the whole old force acted in the first half of the interval
    double given = -0.5 * vec3_dot(vec3_add(whole, *spring), travel);
    answer.friction = given - (answer.elastic - con_slider_stored(whole, k_before));
    return answer;
}

/// Vector of the last tangent plane taken to that of `normal`: projected, and of its old length.
static inline vec3 con_tangent_project(vec3 v, vec3 normal)
{
    vec3 flat = vec3_add_scaled(v, -vec3_dot(v, normal), normal);
    double length = vec3_norm(flat);
    return length > 0.0 ? vec3_scale(vec3_norm(v) / length, flat) : vec3_make(0.0, 0.0, 0.0);
}

/// v turned by the smallest rotation that takes unit vector `from` to unit vector `to`; exact.
/// Opposite vectors leave v as it is.
vec3 con_rotate_between(vec3 v, vec3 from, vec3 to);

/// v turned about the unit vector `axis`.
vec3 con_rotate_about(vec3 v, vec3 axis, double angle);

#endif
