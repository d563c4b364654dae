// SPDX-License-Identifier: Apache-2.0
// Sphere: all points within a radius of the origin.
#include "geometry/shape/plain.h"

static double reach(const double *sizes)
{
    return sizes[0];
}

static double thickness(const double *sizes)
{
    return 2.0 * sizes[0];
}

static geo_mass mass(const double *sizes)
{
    double radius = sizes[0];
    double volume = 4.0 / 3.0 * M_PI * radius * radius * radius;
    double moment = 0.4 * volume * radius * radius;
    return geo_mass_centred(volume, (vec3){moment, moment, moment});
}

static geo_bounds bounds(const double *sizes, const mat3 *rotation, vec3 position)
{
    (void)rotation;
    return geo_bounds_about(position, (vec3){sizes[0], sizes[0], sizes[0]});
}

static vec3 support(const double *sizes, vec3 direction)
{
    return vec3_scale(sizes[0], geo_direction_unit(direction, (vec3){0.0, 0.0, 1.0}));
}

static void surface(const double *sizes, geo_surface *surface)
{
    geo_surface_round(surface, sizes[0], 0.0);
}

const geo_plain geo_plain_sphere = {reach, thickness, mass, support, bounds, surface};
