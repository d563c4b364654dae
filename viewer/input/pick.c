// SPDX-License-Identifier: Apache-2.0
// Rays against the primitives of the bodies.
#include "viewer/input/pick.h"

#include <math.h>

/// Smaller root of a t^2 + 2 b t + c; INFINITY where there is none or it lies behind.
static double first_root(double a, double b, double c)
{
    double square = b * b - a * c;
    if (!(a > 0.0) || square < 0.0)
        return INFINITY;
    double t = (-b - sqrt(square)) / a;
    return t > 0.0 ? t : INFINITY;
}

static double hit_sphere(vec3 centre, double radius, vec3 o, vec3 d)
{
    vec3 from = vec3_sub(o, centre);
    return first_root(vec3_dot(d, d), vec3_dot(from, d), vec3_dot(from, from) - radius * radius);
}

/// The lateral surface of a cylinder about z.
static double hit_tube(double radius, double half_length, vec3 o, vec3 d)
{
    double t = first_root(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y,
                          o.x * o.x + o.y * o.y - radius * radius);
    return isfinite(t) && fabs(o.z + t * d.z) <= half_length ? t : INFINITY;
}

static double hit_cap(double radius, double level, vec3 o, vec3 d)
{
    double t = (level - o.z) / d.z;
    vec3 p = vec3_add_scaled(o, t, d);
    return t > 0.0 && p.x * p.x + p.y * p.y <= radius * radius ? t : INFINITY;
}

static double hit_capsule(double radius, double half_length, vec3 o, vec3 d)
{
    double ends = fmin(hit_sphere(vec3_make(0.0, 0.0, half_length), radius, o, d),
                       hit_sphere(vec3_make(0.0, 0.0, -half_length), radius, o, d));
    return fmin(ends, hit_tube(radius, half_length, o, d));
}

static double hit_cylinder(double radius, double half_length, vec3 o, vec3 d)
{
    double caps = fmin(hit_cap(radius, half_length, o, d), hit_cap(radius, -half_length, o, d));
    return fmin(caps, hit_tube(radius, half_length, o, d));
}

static double hit_box(const double half[3], vec3 o, vec3 d)
{
    double enter = 0.0, leave = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double x = vec3_get(o, axis), speed = vec3_get(d, axis);
        if (speed == 0.0 && fabs(x) > half[axis])
            return INFINITY;
        if (speed == 0.0)
            continue;
        double a = (-half[axis] - x) / speed, b = (half[axis] - x) / speed;
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter > 0.0 && enter <= leave ? enter : INFINITY;
}

static vec3 mesh_vertex(const view_mesh *mesh, int i)
{
    return vec3_make(mesh->positions[i][0], mesh->positions[i][1], mesh->positions[i][2]);
}

static double hit_triangle(vec3 a, vec3 b, vec3 c, vec3 o, vec3 d)
{
    vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a), ao = vec3_sub(o, a);
    vec3 normal = vec3_cross(ab, ac), side = vec3_cross(ao, d);
    double determinant = -vec3_dot(d, normal);
    if (determinant == 0.0)
        return INFINITY;
    double u = vec3_dot(ac, side) / determinant, v = -vec3_dot(ab, side) / determinant;
    double t = vec3_dot(ao, normal) / determinant;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0 ? t : INFINITY;
}

double view_pick_primitive(int primitive, const double size[3], const view_mesh *mesh, vec3 origin,
                           vec3 direction)
{
    if (mesh != NULL) {
        double nearest = INFINITY;
        for (int i = 0; i + 2 < mesh->vertex_count; i += 3)
            nearest = fmin(nearest, hit_triangle(mesh_vertex(mesh, i), mesh_vertex(mesh, i + 1),
                                                 mesh_vertex(mesh, i + 2), origin, direction));
        return nearest;
    }
    switch (primitive) {
    case VIEW_SPHERE:
        return hit_sphere(vec3_make(0.0, 0.0, 0.0), size[0], origin, direction);
    case VIEW_CAPSULE:
        return hit_capsule(size[0], size[2], origin, direction);
    case VIEW_CYLINDER:
        return hit_cylinder(size[0], size[2], origin, direction);
    case VIEW_BOX:
        return hit_box(size, origin, direction);
    default:
        return INFINITY;
    }
}

static double hit_body(const view_model *model, const pose *placement, const view_shape *shape,
                       vec3 origin, vec3 direction)
{
    double nearest = INFINITY;
    for (int i = 0; i < shape->part_count; i++) {
        const view_part *part = &model->parts[shape->first_part + i];
        pose whole = pose_compose(placement, &part->placement);
        vec3 o = pose_apply_inverse(&whole, origin);
        vec3 d = quat_rotate_inverse(whole.orientation, direction);
        const view_mesh *mesh =
            part->primitive >= VIEW_MESH ? &model->meshes[part->primitive - VIEW_MESH] : NULL;
        nearest = fmin(nearest, view_pick_primitive(part->primitive, part->size, mesh, o, d));
    }
    return nearest;
}

view_hit view_pick(const view_model *model, const view_frame *frame, vec3 origin, vec3 direction,
                   bool containers)
{
    view_hit hit = {.body = -1, .distance = INFINITY};
    for (int i = 0; i < frame->body_count; i++) {
        const view_body *body = &model->bodies[i];
        if (!view_frame_has(frame, i) || body->radius <= 0.0 ||
            (!containers && view_model_is_container(model, i)))
            continue;
        double t =
            hit_body(model, &frame->poses[i], &model->shapes[body->shape], origin, direction);
        if (t < hit.distance)
            hit = (view_hit){i, t, vec3_add_scaled(origin, t, direction)};
    }
    return hit;
}
