// SPDX-License-Identifier: Apache-2.0
// Closest points of two segments.
#include "geometry/narrow/narrow.h"

// middle of the range of s where the segments lie beside each other, or the nearest end
static double parallel_middle(double to_b0, double to_b1)
{
    double low = fmax(0.0, fmin(to_b0, to_b1)), high = fmin(1.0, fmax(to_b0, to_b1));
    return fmin(fmax(0.5 * (low + high), 0.0), 1.0);
}

static double clamp_unit(double x)
{
    return fmin(fmax(x, 0.0), 1.0);
}

void geo_segment_closest(vec3 a0, vec3 u, vec3 b0, vec3 v, double *s, double *t)
{
    vec3 w = vec3_sub(b0, a0);
    double uu = vec3_dot(u, u), vv = vec3_dot(v, v), uv = vec3_dot(u, v);
    double uw = vec3_dot(u, w), vw = vec3_dot(v, w);
    vec3 c = vec3_cross(u, v);
    double determinant = vec3_norm_squared(c);
    if (determinant > 1e-20 * uu * vv)
        *s = clamp_unit(vec3_dot(vec3_cross(w, v), c) / determinant);
    else
        *s = uu > 0.0 ? parallel_middle(uw / uu, (uw + uv) / uu) : 0.0;
    *t = vv > 0.0 ? (*s * uv - vw) / vv : 0.0;
    if (*t >= 0.0 && *t <= 1.0)
        return;
    *t = clamp_unit(*t);
    *s = uu > 0.0 ? clamp_unit((*t * uv + uw) / uu) : 0.0;
}
