// SPDX-License-Identifier: Apache-2.0
// Box about the origin, faces normal to the axes; its sizes are half its edges and the radius that
// its edges and corners are rounded by.
#include "geometry/shape/plain.h"
#include "geometry/shape/rounded.h"

static vec3 core_of(const double *sizes)
{
    return vec3_make(sizes[0] - sizes[3], sizes[1] - sizes[3], sizes[2] - sizes[3]);
}

static double reach(const double *sizes)
{
    return vec3_norm(core_of(sizes)) + sizes[3];
}

static double thickness(const double *sizes)
{
    return 2.0 * fmin(sizes[0], fmin(sizes[1], sizes[2]));
}

/// Integral of x x over a rounded box. @param a  half edge of the core along x; b, c: the others
static double second_moment(double a, double b, double c, double r)
{
    double r2 = r * r, r3 = r2 * r, r4 = r2 * r2;
    double core = 8.0 / 3.0 * a * a * a * b * c;
    double ends = 8.0 / 3.0 * b * c * r * (3.0 * a * a + 3.0 * a * r + r2);
    double sides = 8.0 / 3.0 * r * a * a * a * (b + c);
    double edges_along = 2.0 / 3.0 * M_PI * r2 * a * a * a;
    double edges_across =
        8.0 * (b + c) * (0.25 * M_PI * a * a * r2 + 2.0 / 3.0 * a * r3 + M_PI / 16.0 * r4);
    double corners = M_PI * r3 * (4.0 / 3.0 * a * a + a * r + 4.0 / 15.0 * r2);
    return core + ends + sides + edges_along + edges_across + corners;
}

static geo_mass rounded_mass(vec3 core, double r)
{
    double a = core.x, b = core.y, c = core.z;
    double volume = 8.0 * a * b * c + 8.0 * r * (a * b + b * c + c * a) +
                    2.0 * M_PI * r * r * (a + b + c) + 4.0 / 3.0 * M_PI * r * r * r;
    double xx = second_moment(a, b, c, r), yy = second_moment(b, c, a, r),
           zz = second_moment(c, a, b, r);
    return geo_mass_centred(volume, vec3_make(yy + zz, zz + xx, xx + yy));
}

static geo_mass mass(const double *sizes)
{
    if (sizes[3] > 0.0)
        return rounded_mass(core_of(sizes), sizes[3]);
    double volume = 8.0 * sizes[0] * sizes[1] * sizes[2];
    double xx = sizes[0] * sizes[0], yy = sizes[1] * sizes[1], zz = sizes[2] * sizes[2];
    double s = volume / 3.0;
    return geo_mass_centred(volume, (vec3){s * (yy + zz), s * (xx + zz), s * (xx + yy)});
}

static geo_bounds bounds(const double *sizes, const mat3 *rotation, vec3 position)
{
    double extent[3];
    for (int i = 0; i < 3; i++)
        extent[i] = vec3_dot(vec3_abs(mat3_row(rotation, i)), core_of(sizes)) + sizes[3];
    return geo_bounds_about(position, vec3_from(extent));
}

static vec3 support(const double *sizes, vec3 direction)
{
    vec3 core = core_of(sizes);
    vec3 corner = {copysign(core.x, direction.x), copysign(core.y, direction.y),
                   copysign(core.z, direction.z)};
    return geo_rounded_support(corner, sizes[3], direction);
}

static void surface(const double *sizes, geo_surface *surface)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (sizes[3] > 0.0) {
        geo_surface_net(surface, support, sizes);
        return;
    }
    for (int i = 0; i < 8; i++)
        geo_surface_add_vertex(surface,
                               vec3_make(i & 1 ? sizes[0] : -sizes[0], i & 2 ? sizes[1] : -sizes[1],
                                         i & 4 ? sizes[2] : -sizes[2]));
    for (int i = 0; i < 6; i++)
        geo_surface_add_polygon(surface, faces[i], 4);
}

const geo_plain geo_plain_box = {reach, thickness, mass, support, bounds, surface};
