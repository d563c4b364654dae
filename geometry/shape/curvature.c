// SPDX-License-Identifier: Apache-2.0
// Curvature of shapes where they touch, and the radius of a sphere as stiff as two curved surfaces.
#include "geometry/shape/curvature.h"

#include "base/elementary.h"
#include "geometry/shape/plain.h"

// axes within this sine of the normal have no direction along the surface
static const double least_sine = 1e-6;

// curvatures of a smaller ratio are those of a line
static const double least_ratio = 1e-6;

static geo_curvature round_surface(double radius)
{
    return (geo_curvature){1.0 / radius, 1.0 / radius, {0.0, 0.0, 1.0}};
}

/// Side, end or rim of a cylinder. The rim is an arc: the plane of the touch sees its radius by the
/// sine of the normal against the axis.
static geo_curvature cylinder_curvature(const geo_cylinder *c, vec3 point, vec3 normal,
                                        double slack, double corner)
{
    const vec3 z = {0.0, 0.0, 1.0};
    bool side = base_hypot(point.x, point.y) >= c->radius - slack;
    bool end = fabs(point.z) >= c->half_length - slack;
    if (!side)
        return (geo_curvature){0.0, 0.0, z};
    if (!end)
        return (geo_curvature){1.0 / c->radius, 0.0, z};
    vec3 tangent = geo_direction_unit((vec3){-point.y, point.x, 0.0}, z);
    return (geo_curvature){1.0 / corner, base_hypot(normal.x, normal.y) / c->radius, tangent};
}

static geo_curvature box_curvature(vec3 core, vec3 point, double slack, double corner)
{
    const double at[3] = {fabs(point.x), fabs(point.y), fabs(point.z)};
    const double half[3] = {core.x, core.y, core.z};
    double free[3] = {0.0, 0.0, 0.0};
    int faces = 0;
    for (int k = 0; k < 3; k++) {
        bool on = at[k] >= half[k] - slack;
        faces += on;
        free[k] = on ? 0.0 : 1.0;
    }
    if (faces < 2)
        return (geo_curvature){0.0, 0.0, {0.0, 0.0, 1.0}};
    return faces == 2 ? (geo_curvature){1.0 / corner, 0.0, vec3_from(free)} : round_surface(corner);
}

static geo_curvature polyhedron_curvature(const geo_polyhedron *p, vec3 point, double slack,
                                          double corner)
{
    int faces = 0, on[2] = {0, 0};
    for (int k = 0; k < p->face_count; k++)
        if (vec3_dot(p->face_normals[k], point) >= p->face_offsets[k] - slack) {
            if (faces < 2)
                on[faces] = k;
            faces++;
        }
    if (faces < 2)
        return (geo_curvature){0.0, 0.0, {0.0, 0.0, 1.0}};
    vec3 edge = vec3_cross(p->face_normals[on[0]], p->face_normals[on[1]]);
    return faces == 2
               ? (geo_curvature){1.0 / corner, 0.0, geo_direction_unit(edge, (vec3){0.0, 0.0, 1.0})}
               : round_surface(corner);
}

geo_curvature geo_shape_curvature(const geo_shape *shape, vec3 point, vec3 normal, double slack,
                                  double corner)
{
    double rounding = geo_shape_rounding(shape);
    if (rounding > 0.0) {
        // where the core is touched tells which part it is, and the ball how round
        point = vec3_add_scaled(point, -rounding, normal);
        corner = rounding;
    }
    switch (shape->kind) {
    case GEO_SPHERE:
        return round_surface(shape->sphere.radius);
    case GEO_CAPSULE:
        if (fabs(point.z) > shape->capsule.half_length)
            return round_surface(shape->capsule.radius);
        return (geo_curvature){1.0 / shape->capsule.radius, 0.0, {0.0, 0.0, 1.0}};
    case GEO_CYLINDER:
        return cylinder_curvature(&shape->cylinder, point, normal, slack, corner);
    case GEO_BOX:
        return box_curvature(geo_box_core(&shape->box), point, slack, corner);
    case GEO_POLYHEDRON:
        return polyhedron_curvature(&shape->polyhedron, point, slack, corner);
    case GEO_HALFSPACE:
    case GEO_MESH:
    case GEO_COMPOUND:
    case GEO_KIND_COUNT:
        break;
    }
    return (geo_curvature){0.0, 0.0, {0.0, 0.0, 1.0}};
}

/// Adds the curvature to the tensor (xx, xy, yy) along t1 and t2.
static void add_curvature(const geo_curvature *c, vec3 t1, vec3 t2, double tensor[3])
{
    double x = vec3_dot(c->axis, t1), y = vec3_dot(c->axis, t2), size = base_hypot(x, y);
    // an axis along the normal: as curved in every direction
    double more = size > least_sine ? c->along - c->across : 0.0;
    x = size > least_sine ? x / size : 0.0;
    y = size > least_sine ? y / size : 0.0;
    tensor[0] += c->across + more * x * x;
    tensor[1] += more * x * y;
    tensor[2] += c->across + more * y * y;
}

/// Complete elliptic integral K, and K - E without cancellation, of the modulus sqrt(1 - s^2), by
/// the arithmetic-geometric mean.
static void elliptic(double s, double *K, double *difference)
{
    double a = 1.0, b = s, sum = 0.5 * (1.0 - s * s), power = 1.0;
    for (int i = 0; i < 12 && a - b > 1e-16 * a; i++) {
        double c = 0.5 * (a - b), mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
        sum += power * c * c;
        power *= 2.0;
    }
    *K = M_PI / (2.0 * a);
    *difference = *K * sum;
}

/// Share of the radius sqrt(R' R'') that is left of an ellipse. @param ratio  R'/R'' >= 1
static double ellipse_share(double ratio)
{
    double s = base_pow(ratio, -2.0 / 3.0), K = 0.0, D = 0.0;
    if (ratio < 1.0 + 1e-9)
        return 1.0;
    // b/a of the ellipse: R'/R'' = ((a/b)^2 E - K)/(K - E), which is near to (a/b)^(3/2)
    for (int i = 0; i < 60; i++) {
        elliptic(s, &K, &D);
        double now = ((K - D) / (s * s) - K) / D, next = s * base_pow(now / ratio, 2.0 / 3.0);
        bool done = fabs(next - s) < 1e-14 * s;
        s = next;
        if (done)
            break;
    }
    elliptic(s, &K, &D);
    double e2 = (1.0 - s) * (1.0 + s);
    double F1_cubed = 4.0 / (M_PI * e2) * s * sqrt(s) * sqrt(((K - D) / (s * s) - K) * D);
    double root = 2.0 / M_PI * K;
    return F1_cubed / (root * root * root * s * sqrt(s));
}

double geo_touch_radius(const geo_curvature *a, const geo_curvature *b, vec3 normal)
{
    vec3 t1, t2;
    double tensor[3] = {0.0, 0.0, 0.0};
    vec3_tangents(normal, &t1, &t2);
    add_curvature(a, t1, t2, tensor);
    add_curvature(b, t1, t2, tensor);
    double mean = 0.5 * (tensor[0] + tensor[2]);
    double half = base_hypot(0.5 * (tensor[0] - tensor[2]), tensor[1]);
    double most = mean + half, least = mean - half;
    if (!(least > least_ratio * most))
        return INFINITY;
    return ellipse_share(most / least) / sqrt(most * least);
}

void geo_touch_rolling(const geo_curvature *a, const geo_curvature *b, vec3 normal, double flat,
                       vec3 *axis, double radius[2])
{
    vec3 t1, t2;
    double tensor[3] = {0.0, 0.0, 0.0};
    vec3_tangents(normal, &t1, &t2);
    add_curvature(a, t1, t2, tensor);
    add_curvature(b, t1, t2, tensor);
    double mean = 0.5 * (tensor[0] + tensor[2]), part = 0.5 * (tensor[0] - tensor[2]);
    double half = base_hypot(part, tensor[1]), least = mean - half;
    // the eigenvector of `least`, from the row of the tensor that is the longer one
    double x = part >= 0.0 ? -tensor[1] : half - part, y = part >= 0.0 ? half + part : -tensor[1];
    double size = base_hypot(x, y);
    *axis = size > 0.0 ? vec3_add(vec3_scale(x / size, t1), vec3_scale(y / size, t2)) : t1;
    radius[0] = mean + half > 0.0 ? 1.0 / (mean + half) : flat;
    radius[1] = least > least_ratio * (mean + half) ? 1.0 / least : flat;
}
