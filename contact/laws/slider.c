// SPDX-License-Identifier: Apache-2.0
// Spring, dashpot and slider of tangential, rolling and twisting resistance.
#include "contact/laws/slider.h"

#include "base/elementary.h"

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
