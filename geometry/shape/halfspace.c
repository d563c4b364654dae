// SPDX-License-Identifier: Apache-2.0
// Half-space: all points with z <= 0; its boundary is the plane z = 0 with outward normal +z.
#include "geometry/shape/plain.h"

static double infinite(const double *sizes)
{
    (void)sizes;
    return INFINITY;
}

static geo_mass mass(const double *sizes)
{
    (void)sizes;
    return (geo_mass){0};
}

static geo_bounds bounds(const double *sizes, const mat3 *rotation, vec3 position)
{
    (void)sizes;
    const vec3 everywhere = {INFINITY, INFINITY, INFINITY};
    geo_bounds bounds = {vec3_negate(everywhere), everywhere};
    vec3 normal = mat3_column(rotation, 2);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        // a plane across an axis bounds that axis on one side; a tilted one bounds nothing
        if (vec3_get(normal, j) != 0.0 || vec3_get(normal, k) != 0.0)
            continue;
        if (vec3_get(normal, i) > 0.0)
            bounds.high = vec3_set(bounds.high, i, vec3_get(position, i));
        else
            bounds.low = vec3_set(bounds.low, i, vec3_get(position, i));
    }
    return bounds;
}

const geo_plain geo_plain_halfspace = {infinite, infinite, mass, NULL, bounds, NULL};
