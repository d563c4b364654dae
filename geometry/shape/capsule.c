// SPDX-License-Identifier: Apache-2.0
// Capsule: all points within a radius of a segment along z; its sizes are that radius and half the
// length of the segment.
#include "geometry/shape/plain.h"

static double reach(const double *sizes)
{
    return sizes[0] + sizes[1];
}

static double thickness(const double *sizes)
{
    return 2.0 * sizes[0];
}

static geo_mass mass(const double *sizes)
{
    geo_mass barrel = geo_plain_cylinder.mass(sizes);
    double radius = sizes[0], r2 = radius * radius, h = sizes[1];
    double caps = 4.0 / 3.0 * M_PI * radius * r2;
    // half balls: centre of mass 3/8 r from the flat side
    double axial = 0.4 * caps * r2;
    double across = caps * (0.4 * r2 + h * h + 0.75 * h * radius);
    vec3 moments = {barrel.inertia.m[0][0] + across, barrel.inertia.m[1][1] + across,
                    barrel.inertia.m[2][2] + axial};
    return geo_mass_centred(barrel.volume + caps, moments);
}

static geo_bounds bounds(const double *sizes, const mat3 *rotation, vec3 position)
{
    vec3 extent = vec3_scale(sizes[1], vec3_abs(mat3_column(rotation, 2)));
    vec3 round = {sizes[0], sizes[0], sizes[0]};
    return geo_bounds_about(position, vec3_add(extent, round));
}

static vec3 support(const double *sizes, vec3 direction)
{
    vec3 end = {0.0, 0.0, copysign(sizes[1], direction.z)};
    return vec3_add_scaled(end, sizes[0], geo_direction_unit(direction, (vec3){0.0, 0.0, 1.0}));
}

static void surface(const double *sizes, geo_surface *surface)
{
    geo_surface_round(surface, sizes[0], sizes[1]);
}

const geo_plain geo_plain_capsule = {reach, thickness, mass, support, bounds, surface};
