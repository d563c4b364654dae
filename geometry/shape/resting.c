// SPDX-License-Identifier: Apache-2.0
// Sides of convex shapes, and the points that they touch with.
#include "geometry/shape/resting.h"

#include "base/assert.h"

enum { RING = 8, POLYHEDRON_WORK = 1 << 20 };

/// Every so many faces one is looked at: the points of each are looked for among all vertices.
static int face_stride(const geo_polyhedron *p)
{
    return 1 + (int)((int64_t)p->face_count * p->vertex_count / POLYHEDRON_WORK);
}

int geo_resting_directions(const geo_shape *shape)
{
    const geo_polyhedron *p = &shape->polyhedron;
    return shape->kind == GEO_BOX          ? 6
           : shape->kind == GEO_CYLINDER   ? 3
           : shape->kind == GEO_CAPSULE    ? 1
           : shape->kind == GEO_POLYHEDRON ? 1 + (p->face_count - 1) / face_stride(p)
                                           : 0;
}

vec3 geo_resting_direction(const geo_shape *shape, int index)
{
    BASE_ASSERT(index >= 0 && index < geo_resting_directions(shape));
    const vec3 zero = {0.0, 0.0, 0.0};
    const double sign = index % 2 == 0 ? 1.0 : -1.0;
    if (shape->kind == GEO_POLYHEDRON)
        return shape->polyhedron.face_normals[index * face_stride(&shape->polyhedron)];
    if (shape->kind == GEO_BOX)
        return vec3_set(zero, index / 2, sign);
    return shape->kind == GEO_CYLINDER && index < 2 ? vec3_set(zero, 2, sign)
                                                    : vec3_set(zero, 0, 1.0);
}

/// Those of a set of points that lie highest, each moved out by the rounding.
typedef struct highest {
    vec3 outward;
    double least, rounding; // m
    vec3 *points;
    int count;
} highest;

static void take(highest *h, vec3 point)
{
    if (h->count < GEO_RESTING_MAX && vec3_dot(h->outward, point) >= h->least)
        h->points[h->count++] = vec3_add_scaled(point, h->rounding, h->outward);
}

static void take_corners(highest *h, vec3 half)
{
    for (int i = 0; i < 8; i++)
        take(h, vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                          i & 4 ? half.z : -half.z));
}

/// On an end the corners of an octagon, else the side towards the direction.
static void take_cylinder(highest *h, const geo_cylinder *c)
{
    static const double flat = 0.99, d = 0.70710678118654752440;
    static const double ring[RING][2] = {{1.0, 0.0},  {d, d},   {0.0, 1.0},  {-d, d},
                                         {-1.0, 0.0}, {-d, -d}, {0.0, -1.0}, {d, -d}};
    double x = h->outward.x, y = h->outward.y, slope = sqrt(x * x + y * y);
    bool end = fabs(h->outward.z) > flat;
    for (int i = 0; i < (end ? RING : 1); i++)
        for (int side = -1; side <= 1; side += 2)
            take(h, vec3_make(c->radius * (end ? ring[i][0] : x / slope),
                              c->radius * (end ? ring[i][1] : y / slope), side * c->half_length));
}

int geo_resting_points(const geo_shape *shape, vec3 outward, double depth,
                       vec3 points[GEO_RESTING_MAX])
{
    double rounding =
        shape->kind == GEO_CAPSULE ? shape->capsule.radius : geo_shape_rounding(shape);
    vec3 top = geo_shape_support(shape, outward);
    highest h = {.outward = outward,
                 .least = vec3_dot(outward, top) - rounding - depth,
                 .rounding = rounding,
                 .points = points};
    if (shape->kind == GEO_BOX) {
        take_corners(&h, geo_box_core(&shape->box));
    } else if (shape->kind == GEO_CYLINDER) {
        take_cylinder(&h, &shape->cylinder);
    } else if (shape->kind == GEO_CAPSULE) {
        take(&h, vec3_make(0.0, 0.0, shape->capsule.half_length));
        take(&h, vec3_make(0.0, 0.0, -shape->capsule.half_length));
    } else if (shape->kind == GEO_POLYHEDRON) {
        for (int i = 0; i < shape->polyhedron.vertex_count; i++)
            take(&h, shape->polyhedron.vertices[i]);
    } else {
        take(&h, top);
    }
    return h.count;
}
