// SPDX-License-Identifier: Apache-2.0
// Solid cylinder about the z axis; its sizes are radius and half its length.
#include "geometry/shape/plain.h"

#include "base/elementary.h"

static double reach(const double *sizes)
{
    return base_hypot(sizes[0], sizes[1]);
}

static double thickness(const double *sizes)
{
    return 2.0 * fmin(sizes[0], sizes[1]);
}

static geo_mass mass(const double *sizes)
{
    double radius = sizes[0], half_length = sizes[1];
    double volume = 2.0 * M_PI * radius * radius * half_length;
    double axial = 0.5 * volume * radius * radius;
    double across = volume * (0.25 * radius * radius + half_length * half_length / 3.0);
    return geo_mass_centred(volume, (vec3){across, across, axial});
}

static geo_bounds bounds(const double *sizes, const mat3 *rotation, vec3 position)
{
    double extent[3];
    for (int i = 0; i < 3; i++) {
        const double *row = rotation->m[i];
        extent[i] = sizes[1] * fabs(row[2]) + sizes[0] * base_hypot(row[0], row[1]);
    }
    return geo_bounds_about(position, vec3_from(extent));
}

static vec3 support(const double *sizes, vec3 direction)
{
    vec3 radial = geo_direction_unit((vec3){direction.x, direction.y, 0.0}, (vec3){0.0, 0.0, 0.0});
    vec3 point = vec3_scale(sizes[0], radial);
    point.z = copysign(sizes[1], direction.z);
    return point;
}

static void surface(const double *sizes, geo_surface *surface)
{
    const double profile[2][2] = {{sizes[0], -sizes[1]}, {sizes[0], sizes[1]}};
    geo_surface_revolve(surface, profile, 2);
}

const geo_plain geo_plain_cylinder = {reach, thickness, mass, support, bounds, surface};
