// SPDX-License-Identifier: Apache-2.0
// Sphere against sphere, half-space, box, capsule, cylinder and polyhedron.
#include "geometry/narrow/core.h"

#include "base/elementary.h"
#include "geometry/narrow/gjk.h"
#include "geometry/narrow/narrow.h"

static const vec3 up = {0.0, 0.0, 1.0};

// a sphere (job->a) against the point of the surface of b's core nearest to its centre
static cairn_status emit_nearest(geo_job *job, vec3 surface, vec3 outward, double distance,
                                 uint32_t code)
{
    double rounding = geo_shape_rounding(job->b.shape);
    surface = vec3_add_scaled(surface, rounding, outward);
    distance -= rounding;
    double radius = job->a.shape->sphere.radius;
    double gap = distance - radius;
    vec3 point = vec3_add_scaled(surface, 0.5 * gap, outward);
    return geo_emit(job, vec3_negate(outward), gap, point, geo_code_vertex(0), code);
}

cairn_status geo_pair_sphere_sphere(geo_job *job)
{
    return geo_emit_spheres(job, job->a.centre, job->a.shape->sphere.radius, job->b.centre,
                            job->b.shape->sphere.radius, up, geo_code_vertex(0),
                            geo_code_vertex(0));
}

cairn_status geo_pair_sphere_plane(geo_job *job)
{
    vec3 outward = geo_placed_axis(&job->b, 2);
    double distance = vec3_dot(outward, vec3_sub(job->a.centre, job->b.centre));
    vec3 surface = vec3_add_scaled(job->a.centre, -distance, outward);
    return emit_nearest(job, surface, outward, distance, geo_code_face(0));
}

cairn_status geo_pair_sphere_capsule(geo_job *job)
{
    const geo_capsule *capsule = &job->b.shape->capsule;
    vec3 local = geo_placed_apply_inverse(&job->b, job->a.centre);
    double z = fmin(fmax(local.z, -capsule->half_length), capsule->half_length);
    vec3 nearest = geo_placed_apply(&job->b, (vec3){0.0, 0.0, z});
    vec3 fallback = geo_placed_axis(&job->b, 0);
    return geo_emit_spheres(job, job->a.centre, job->a.shape->sphere.radius, nearest,
                            capsule->radius, fallback, geo_code_vertex(0), geo_code_vertex(0));
}

// signed distance of a local point to a box; `surface` is the nearest boundary point
static double box_nearest(vec3 half, vec3 p, vec3 *surface, vec3 *outward)
{
    vec3 clamped = vec3_max(vec3_min(p, half), vec3_negate(half));
    vec3 d = vec3_sub(p, clamped);
    double distance = vec3_norm(d);
    if (distance > 1e-14 * (half.x + half.y + half.z)) {
        *surface = clamped;
        *outward = vec3_scale(1.0 / distance, d);
        return distance;
    }
    int axis = 0;
    double best = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double s = fabs(vec3_get(p, i)) - vec3_get(half, i);
        if (s > best) {
            best = s;
            axis = i;
        }
    }
    double side = vec3_get(p, axis) < 0.0 ? -1.0 : 1.0;
    *outward = vec3_set((vec3){0.0, 0.0, 0.0}, axis, side);
    *surface = vec3_set(p, axis, side * vec3_get(half, axis));
    return best;
}

cairn_status geo_pair_sphere_box(geo_job *job)
{
    vec3 surface, outward;
    vec3 local = geo_placed_apply_inverse(&job->b, job->a.centre);
    double distance = box_nearest(geo_box_core(&job->b.shape->box), local, &surface, &outward);
    return emit_nearest(job, geo_placed_apply(&job->b, surface),
                        mat3_apply(&job->b.rotation, outward), distance, geo_code_face(0));
}

// signed distance of a point (rho, z) to a rectangle |rho| <= r, |z| <= h
static double cylinder_nearest(double r, double h, double rho, double z, double surface[2],
                               double outward[2])
{
    double side = z < 0.0 ? -1.0 : 1.0;
    double over_r = rho - r, over_z = fabs(z) - h;
    surface[0] = fmin(rho, r);
    surface[1] = side * fmin(fabs(z), h);
    if (over_r > 0.0 && over_z > 0.0) {
        double distance = base_hypot(over_r, over_z);
        outward[0] = over_r / distance;
        outward[1] = side * over_z / distance;
        return distance;
    }
    if (over_r >= over_z) {
        surface[0] = r;
        outward[0] = 1.0;
        outward[1] = 0.0;
        return over_r;
    }
    surface[1] = side * h;
    outward[0] = 0.0;
    outward[1] = side;
    return over_z;
}

cairn_status geo_pair_sphere_cylinder(geo_job *job)
{
    const geo_cylinder *cylinder = &job->b.shape->cylinder;
    vec3 p = geo_placed_apply_inverse(&job->b, job->a.centre);
    double rho = base_hypot(p.x, p.y), surface[2], outward[2];
    double distance =
        cylinder_nearest(cylinder->radius, cylinder->half_length, rho, p.z, surface, outward);
    bool regular = rho > 1e-14 * cylinder->radius;
    double cx = regular ? p.x / rho : 1.0, cy = regular ? p.y / rho : 0.0;
    vec3 local_surface = {cx * surface[0], cy * surface[0], surface[1]};
    vec3 local_outward = {cx * outward[0], cy * outward[0], outward[1]};
    return emit_nearest(job, geo_placed_apply(&job->b, local_surface),
                        mat3_apply(&job->b.rotation, local_outward), distance, geo_code_face(0));
}

// face whose plane lies highest above a local point
static int highest_face(const geo_polyhedron *poly, vec3 p, double *height)
{
    int best = 0;
    *height = -INFINITY;
    for (int f = 0; f < poly->face_count; f++) {
        double h = vec3_dot(poly->face_normals[f], p) - poly->face_offsets[f];
        if (h > *height) {
            *height = h;
            best = f;
        }
    }
    return best;
}

cairn_status geo_pair_sphere_polyhedron(geo_job *job)
{
    const geo_polyhedron *poly = &job->b.shape->polyhedron;
    double height;
    vec3 p = geo_placed_apply_inverse(&job->b, job->a.centre);
    int face = highest_face(poly, p, &height);
    double radius = job->a.shape->sphere.radius + poly->rounding;
    if (height > radius + job->margin)
        return CAIRN_OK;
    if (height > 1e-12 * job->size) {
        geo_core a, b;
        geo_gjk_result result;
        geo_core_init(&a, &job->a);
        geo_core_init(&b, &job->b);
        geo_gjk(&a, &b, radius + job->margin, &result);
        if (result.state == GEO_GJK_BEYOND)
            return CAIRN_OK;
        if (result.state == GEO_GJK_SEPARATED && result.distance > 1e-12 * job->size)
            return emit_nearest(job, result.point_b, vec3_negate(result.normal), result.distance,
                                geo_code_face(0));
    }
    vec3 outward = mat3_apply(&job->b.rotation, poly->face_normals[face]);
    vec3 surface = vec3_add_scaled(job->a.centre, -height, outward);
    return emit_nearest(job, surface, outward, height, geo_code_face(0));
}
