// SPDX-License-Identifier: Apache-2.0
// Box about the origin, faces normal to the axes; its sizes are half its edges.
#include "geometry/shape/plain.h"

static double reach(const double *half)
{
    return vec3_norm(vec3_from(half));
}

static double thickness(const double *half)
{
    return 2.0 * fmin(half[0], fmin(half[1], half[2]));
}

static geo_mass mass(const double *half)
{
    double volume = 8.0 * half[0] * half[1] * half[2];
    double xx = half[0] * half[0], yy = half[1] * half[1], zz = half[2] * half[2];
    double s = volume / 3.0;
    return geo_mass_centred(volume, (vec3){s * (yy + zz), s * (xx + zz), s * (xx + yy)});
}

static geo_bounds bounds(const double *half, const mat3 *rotation, vec3 position)
{
    double extent[3];
    for (int i = 0; i < 3; i++)
        extent[i] = vec3_dot(vec3_abs(mat3_row(rotation, i)), vec3_from(half));
    return geo_bounds_about(position, vec3_from(extent));
}

static vec3 support(const double *half, vec3 direction)
{
    return (vec3){copysign(half[0], direction.x), copysign(half[1], direction.y),
                  copysign(half[2], direction.z)};
}

static void surface(const double *half, geo_surface *surface)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 8; i++)
        geo_surface_add_vertex(surface,
                               vec3_make(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1],
                                         i & 4 ? half[2] : -half[2]));
    for (int i = 0; i < 6; i++)
        geo_surface_add_polygon(surface, faces[i], 4);
}

const geo_plain geo_plain_box = {reach, thickness, mass, support, bounds, surface};
