// SPDX-License-Identifier: Apache-2.0
// Rays against shapes, each in the shape's own frame.
#include "geometry/narrow/ray.h"

#include "base/assert.h"
#include "geometry/mesh/bvh.h"
#include "geometry/narrow/gjk.h"

/// The part of a ray that is inside of what was looked at so far.
typedef struct inside {
    double enter, leave; // m; nothing is left where enter > leave
    vec3 normal;         // where it enters; against the ray where it starts inside
} inside;

static inside whole(const geo_ray *ray)
{
    return (inside){0.0, ray->length, vec3_negate(ray->direction)};
}

/// Leaves what is behind a plane: dot(normal, x) <= offset.
static void cut(inside *part, const geo_ray *ray, vec3 normal, double offset)
{
    double height = vec3_dot(normal, ray->origin) - offset;
    double slope = vec3_dot(normal, ray->direction);
    if (slope < 0.0 && height / -slope > part->enter) {
        part->enter = height / -slope;
        part->normal = normal;
    } else if (slope > 0.0) {
        part->leave = fmin(part->leave, -height / slope);
    } else if (slope == 0.0 && height > 0.0) {
        part->leave = -INFINITY;
    }
}

/// The same for what is round about the origin, or about the z axis where `flat`: there, x and y
/// count alone.
static void cut_round(inside *part, const geo_ray *ray, double radius, bool flat)
{
    vec3 o = ray->origin, d = ray->direction;
    if (flat)
        o.z = d.z = 0.0;
    double slope = vec3_norm_squared(d);
    if (slope == 0.0) {
        if (vec3_norm_squared(o) > radius * radius)
            part->leave = -INFINITY;
        return;
    }
    // the nearest point first: far origins would lose the radius among their squares
    double middle = -vec3_dot(o, d) / slope;
    vec3 nearest = vec3_add_scaled(o, middle, d);
    double left = radius * radius - vec3_norm_squared(nearest);
    if (!(left >= 0.0)) {
        part->leave = -INFINITY;
        return;
    }
    double half = sqrt(left / slope);
    if (middle - half > part->enter) {
        part->enter = middle - half;
        part->normal =
            vec3_normalize_or(vec3_add_scaled(o, part->enter, d), vec3_negate(ray->direction));
    }
    part->leave = fmin(part->leave, middle + half);
}

static bool take(const inside *part, geo_ray_hit *hit)
{
    if (!(part->enter <= part->leave))
        return false;
    *hit = (geo_ray_hit){part->enter, part->normal};
    return true;
}

static void cut_slab(inside *part, const geo_ray *ray, int axis, double half)
{
    vec3 normal = vec3_set((vec3){0.0, 0.0, 0.0}, axis, 1.0);
    cut(part, ray, normal, half);
    cut(part, ray, vec3_negate(normal), half);
}

static bool cast_box(const geo_shape *shape, const geo_ray *ray, geo_ray_hit *hit)
{
    inside part = whole(ray);
    for (int axis = 0; axis < 3; axis++)
        cut_slab(&part, ray, axis, vec3_get(shape->box.half, axis));
    return take(&part, hit);
}

static bool cast_cylinder(double radius, double half, const geo_ray *ray, geo_ray_hit *hit)
{
    inside part = whole(ray);
    cut_round(&part, ray, radius, true);
    cut_slab(&part, ray, 2, half);
    return take(&part, hit);
}

/// Two balls and what is between them; together convex, so that the first entry is that of all.
static bool cast_capsule(const geo_shape *shape, const geo_ray *ray, geo_ray_hit *hit)
{
    double half = shape->capsule.half_length;
    geo_ray_hit first = {INFINITY, {0.0, 0.0, 0.0}}, one;
    for (int end = -1; end <= 1; end += 2) {
        geo_ray moved = *ray;
        moved.origin.z -= end * half;
        inside part = whole(&moved);
        cut_round(&part, &moved, shape->capsule.radius, false);
        if (take(&part, &one) && one.distance < first.distance)
            first = one;
    }
    if (cast_cylinder(shape->capsule.radius, half, ray, &one) && one.distance < first.distance)
        first = one;
    if (!isfinite(first.distance))
        return false;
    *hit = first;
    return true;
}

static bool cast_polyhedron(const geo_shape *shape, const geo_ray *ray, geo_ray_hit *hit)
{
    const geo_polyhedron *p = &shape->polyhedron;
    inside part = whole(ray);
    for (int i = 0; i < p->face_count; i++)
        cut(&part, ray, p->face_normals[i], p->face_offsets[i]);
    return take(&part, hit);
}

/// A rounded shape, by Newton's method: how far a point of the ray is from the core is a convex
/// function of the way, so that no step goes too far.
static bool cast_rounded(const geo_shape *shape, const geo_ray *ray, geo_ray_hit *hit)
{
    enum { STEPS = 100 };
    const geo_shape point = {.kind = GEO_SPHERE, .sphere = {0.0}};
    const geo_placed placed = {shape, mat3_identity(), {0.0, 0.0, 0.0}};
    geo_placed at = {&point, mat3_identity(), ray->origin};
    const double rounding = geo_shape_rounding(shape), digits = 1e-14 * shape->bounding_radius;
    geo_core core, tip;
    geo_core_init(&core, &placed);
    double way = 0.0;
    for (int step = 0; step < STEPS; step++) {
        geo_gjk_result found;
        at.centre = vec3_add_scaled(ray->origin, way, ray->direction);
        geo_core_init(&tip, &at);
        geo_gjk(&core, &tip, INFINITY, &found);
        bool out = found.state == GEO_GJK_SEPARATED;
        double left = out ? found.distance - rounding : -rounding;
        double slope = out ? vec3_dot(found.normal, ray->direction) : 0.0;
        if (left <= digits) {
            *hit = (geo_ray_hit){way, way > 0.0 ? found.normal : vec3_negate(ray->direction)};
            return true;
        }
        if (!(slope < 0.0))
            return false;
        way += left / -slope;
        if (!(way <= ray->length))
            return false;
    }
    return false;
}

typedef struct mesh_cast {
    const geo_mesh *mesh;
    geo_ray ray; // shorter with every triangle that is met
    bool met;
    vec3 normal;
} mesh_cast;

/// Volumes of the ray with the edges of a triangle: of one sign where it passes between them. Two
/// triangles at an edge see the same number with opposite signs, so that no ray slips through.
static double meet_triangle(void *context, int item)
{
    mesh_cast *cast = context;
    const geo_mesh *mesh = cast->mesh;
    const int *corner = mesh->triangles[item];
    vec3 d = cast->ray.direction, from[3];
    for (int i = 0; i < 3; i++)
        from[i] = vec3_sub(mesh->vertices[corner[i]], cast->ray.origin);
    double u = vec3_dot(d, vec3_cross(from[1], from[2]));
    double v = vec3_dot(d, vec3_cross(from[2], from[0]));
    double w = vec3_dot(d, vec3_cross(from[0], from[1]));
    double sum = u + v + w;
    bool passes = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    if (!passes || sum == 0.0)
        return cast->ray.length;
    double distance =
        (u * vec3_dot(from[0], d) + v * vec3_dot(from[1], d) + w * vec3_dot(from[2], d)) / sum;
    if (distance >= 0.0 && distance <= cast->ray.length) {
        vec3 normal = vec3_normalize_or(
            vec3_cross(vec3_sub(from[1], from[0]), vec3_sub(from[2], from[0])), vec3_negate(d));
        cast->ray.length = distance;
        cast->normal = vec3_dot(normal, d) > 0.0 ? vec3_negate(normal) : normal;
        cast->met = true;
    }
    return cast->ray.length;
}

static bool cast_mesh(const geo_shape *shape, const geo_ray *ray, geo_ray_hit *hit)
{
    if (geo_mesh_holds(&shape->mesh, ray->origin)) {
        *hit = (geo_ray_hit){0.0, vec3_negate(ray->direction)};
        return true;
    }
    mesh_cast cast = {.mesh = &shape->mesh, .ray = *ray};
    geo_bvh_cast(shape->mesh.bvh, *ray, meet_triangle, &cast);
    if (cast.met)
        *hit = (geo_ray_hit){cast.ray.length, cast.normal};
    return cast.met;
}

/// The ray and the answer are in the shape's frame.
static bool cast_in_frame(const geo_shape *shape, const geo_ray *ray, geo_ray_hit *hit)
{
    inside part = whole(ray);
    if (geo_shape_rounding(shape) > 0.0)
        return cast_rounded(shape, ray, hit);
    switch (shape->kind) {
    case GEO_SPHERE:
        cut_round(&part, ray, shape->sphere.radius, false);
        return take(&part, hit);
    case GEO_HALFSPACE:
        cut(&part, ray, vec3_make(0.0, 0.0, 1.0), 0.0);
        return take(&part, hit);
    case GEO_BOX:
        return cast_box(shape, ray, hit);
    case GEO_CAPSULE:
        return cast_capsule(shape, ray, hit);
    case GEO_CYLINDER:
        return cast_cylinder(shape->cylinder.radius, shape->cylinder.half_length, ray, hit);
    case GEO_POLYHEDRON:
        return cast_polyhedron(shape, ray, hit);
    case GEO_MESH:
        return cast_mesh(shape, ray, hit);
    case GEO_COMPOUND:
    case GEO_KIND_COUNT:
        break;
    }
    BASE_ASSERT(false);
    return false;
}

bool geo_ray_cast(const geo_shape *shape, const pose *placement, const geo_ray *ray,
                  geo_ray_hit *hit)
{
    const geo_ray local = {
        .origin = pose_apply_inverse(placement, ray->origin),
        .direction = quat_rotate_inverse(placement->orientation, ray->direction),
        .length = ray->length,
    };
    if (!cast_in_frame(shape, &local, hit))
        return false;
    hit->normal = quat_rotate(placement->orientation, hit->normal);
    return true;
}
