// SPDX-License-Identifier: Apache-2.0
// Spring, dashpot and slider of tangential, rolling and twisting resistance.
#include "contact/laws/slider.h"

#include "base/elementary.h"

static double stored(vec3 spring, double stiffness)
{
    return stiffness > 0.0 ? 0.5 * vec3_norm_squared(spring) / stiffness : 0.0;
}

/// Spring force under a slider that slips with `force`.
static vec3 relaxed(const con_slider *slider, double step, vec3 before, vec3 force)
{
    double k = slider->stiffness * step, c = slider->damping;
    return k > 0.0
               ? vec3_scale(1.0 / (k + c), vec3_add(vec3_scale(k, force), vec3_scale(c, before)))
               : vec3_make(0.0, 0.0, 0.0);
}

con_slider_answer con_slider_move(const con_slider *slider, vec3 travel, double step, vec3 *spring)
{
    con_slider_answer answer = {.dashpot = vec3_scale(-slider->damping / step, travel)};
    double k = slider->stiffness, k_before = slider->stiffness_before;
    vec3 whole = *spring, before = k < k_before ? vec3_scale(k / k_before, whole) : whole;
    *spring = vec3_add_scaled(before, -k, travel);
    answer.force = vec3_add(*spring, answer.dashpot);
    double size = vec3_norm(answer.force);
    if (size > slider->limit) {
        answer.force = vec3_scale(slider->limit / size, answer.force);
        *spring = relaxed(slider, step, before, answer.force);
        answer.loss = vec3_sub(answer.force, *spring);
        answer.dashpot = vec3_make(0.0, 0.0, 0.0);
    }
    answer.elastic = stored(*spring, k);
    // the whole old force acted in the first half of the interval
    double given = -0.5 * vec3_dot(vec3_add(whole, *spring), travel);
    answer.friction = given - (answer.elastic - stored(whole, k_before));
    return answer;
}

vec3 con_tangent_project(vec3 v, vec3 normal)
{
    vec3 flat = vec3_add_scaled(v, -vec3_dot(v, normal), normal);
    double length = vec3_norm(flat);
    return length > 0.0 ? vec3_scale(vec3_norm(v) / length, flat) : vec3_make(0.0, 0.0, 0.0);
}

vec3 con_rotate_between(vec3 v, vec3 from, vec3 to)
{
    vec3 axis = vec3_cross(from, to);
    double cosine = vec3_dot(from, to);
    if (1.0 + cosine <= 1e-12)
        return v;
    // v cos + axis x v + axis (axis . v) (1 - cos) / sin^2
    vec3 turned = vec3_add(vec3_scale(cosine, v), vec3_cross(axis, v));
    return vec3_add_scaled(turned, vec3_dot(axis, v) / (1.0 + cosine), axis);
}

vec3 con_rotate_about(vec3 v, vec3 axis, double angle)
{
    double along = vec3_dot(axis, v) * (1.0 - base_cos(angle));
    vec3 turned =
        vec3_add_scaled(vec3_scale(base_cos(angle), v), base_sin(angle), vec3_cross(axis, v));
    return vec3_add_scaled(turned, along, axis);
}
