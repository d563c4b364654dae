// SPDX-License-Identifier: Apache-2.0
// Polygons of plain shapes.
#include "geometry/shape/surface.h"

#include "base/assert.h"
#include "base/elementary.h"

enum { AROUND = GEO_SURFACE_AROUND, ARC = GEO_SURFACE_RINGS / 2 - 1 };

void geo_surface_add_vertex(geo_surface *surface, vec3 vertex)
{
    BASE_ASSERT(surface->vertex_count < GEO_SURFACE_VERTICES);
    surface->vertices[surface->vertex_count++] = vertex;
}

void geo_surface_add_polygon(geo_surface *surface, const int *corners, int count)
{
    BASE_ASSERT(surface->polygon_count < GEO_SURFACE_POLYGONS &&
                surface->corner_count + count <= GEO_SURFACE_CORNERS);
    for (int i = 0; i < count; i++)
        surface->corners[surface->corner_count++] = corners[i];
    surface->ends[surface->polygon_count++] = surface->corner_count;
}

/// Joins rings of AROUND vertices each, from the bottom up, and closes both ends.
static void join_rings(geo_surface *surface, int rings)
{
    for (int r = 0; r + 1 < rings; r++)
        for (int i = 0; i < AROUND; i++) {
            int next = (i + 1) % AROUND, low = r * AROUND, high = low + AROUND;
            geo_surface_add_polygon(surface, (int[]){low + i, low + next, high + next, high + i},
                                    4);
        }
    int bottom[AROUND], top[AROUND];
    for (int i = 0; i < AROUND; i++) {
        bottom[i] = AROUND - 1 - i;
        top[i] = (rings - 1) * AROUND + i;
    }
    geo_surface_add_polygon(surface, bottom, AROUND);
    geo_surface_add_polygon(surface, top, AROUND);
}

static double angle_around(int i)
{
    return 2.0 * M_PI * i / AROUND;
}

void geo_surface_revolve(geo_surface *surface, const double (*profile)[2], int rings)
{
    for (int r = 0; r < rings; r++)
        for (int i = 0; i < AROUND; i++) {
            double angle = angle_around(i);
            geo_surface_add_vertex(surface,
                                   vec3_make(profile[r][0] * base_cos(angle),
                                             profile[r][0] * base_sin(angle), profile[r][1]));
        }
    join_rings(surface, rings);
}

/// Angle above the equator of a step of an arc, -ARC to ARC. The pole itself is a small ring, so
/// that every polygon between rings has four corners.
static double angle_above(int step)
{
    return fmax(fmin(0.5 * M_PI * step / ARC, 1.5), -1.5);
}

void geo_surface_round(geo_surface *surface, double radius, double half_length)
{
    double profile[GEO_SURFACE_RINGS][2];
    int rings = 0;
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i <= ARC; i++) {
            double angle = angle_above(side < 0 ? i - ARC : i);
            profile[rings][0] = radius * base_cos(angle);
            profile[rings][1] = radius * base_sin(angle) + side * half_length;
            rings++;
        }
    geo_surface_revolve(surface, (const double(*)[2])profile, rings);
}

void geo_surface_net(geo_surface *surface, vec3 (*support)(const double *sizes, vec3 direction),
                     const double *sizes)
{
    for (int step = -ARC; step <= ARC; step++)
        for (int i = 0; i < AROUND; i++) {
            double above = angle_above(step), around = angle_around(i);
            vec3 direction = {base_cos(above) * base_cos(around),
                              base_cos(above) * base_sin(around), base_sin(above)};
            geo_surface_add_vertex(surface, support(sizes, direction));
        }
    join_rings(surface, 2 * ARC + 1);
}
