// SPDX-License-Identifier: Apache-2.0
// Half-space against box, capsule, cylinder, polyhedron and mesh: every vertex, cap or rim point;
// and against any convex shape: its lowest point.
#include "geometry/narrow/narrow.h"

#include "base/elementary.h"

// the lowest point of a ball about a point of b under the plane of a
static cairn_status emit_ball(geo_job *job, vec3 x, double radius, uint32_t code)
{
    vec3 normal = geo_placed_axis(&job->a, 2);
    double height = vec3_dot(normal, vec3_sub(x, job->a.centre)), gap = height - radius;
    return geo_emit(job, normal, gap, vec3_add_scaled(x, -radius - 0.5 * gap, normal),
                    geo_code_face(0), code);
}

// a boundary point of b under the plane of a
static cairn_status emit_point(geo_job *job, vec3 x, uint32_t code)
{
    return emit_ball(job, x, 0.0, code);
}

cairn_status geo_pair_plane_convex(geo_job *job)
{
    vec3 normal = geo_placed_axis(&job->a, 2);
    vec3 down = vec3_negate(mat3_apply_transposed(&job->b.rotation, normal));
    vec3 lowest = geo_placed_apply(&job->b, geo_shape_support(job->b.shape, down));
    return emit_point(job, lowest, geo_code_curve(0));
}

cairn_status geo_pair_plane_box(geo_job *job)
{
    const geo_box *box = &job->b.shape->box;
    vec3 half = geo_box_core(box);
    for (int i = 0; i < 8; i++) {
        vec3 corner = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                       i & 4 ? half.z : -half.z};
        cairn_status status =
            emit_ball(job, geo_placed_apply(&job->b, corner), box->rounding, geo_code_vertex(i));
        if (status)
            return status;
    }
    return CAIRN_OK;
}

cairn_status geo_pair_plane_polyhedron(geo_job *job)
{
    const geo_polyhedron *poly = &job->b.shape->polyhedron;
    for (int i = 0; i < poly->vertex_count; i++) {
        vec3 x = geo_placed_apply(&job->b, poly->vertices[i]);
        cairn_status status = emit_ball(job, x, poly->rounding, geo_code_vertex(i));
        if (status)
            return status;
    }
    return CAIRN_OK;
}

// corners of the surface: what lies within a flat part is no lower than those around it
cairn_status geo_pair_plane_mesh(geo_job *job)
{
    const geo_mesh *mesh = &job->b.shape->mesh;
    for (int i = 0; i < mesh->vertex_count; i++) {
        if (mesh->inner_vertices[i])
            continue;
        vec3 x = geo_placed_apply(&job->b, mesh->vertices[i]);
        cairn_status status = emit_point(job, x, geo_code_vertex(i));
        if (status)
            return status;
    }
    return CAIRN_OK;
}

cairn_status geo_pair_plane_capsule(geo_job *job)
{
    const geo_capsule *capsule = &job->b.shape->capsule;
    vec3 normal = geo_placed_axis(&job->a, 2);
    for (int end = 0; end < 2; end++) {
        double z = end ? capsule->half_length : -capsule->half_length;
        vec3 centre = geo_placed_apply(&job->b, (vec3){0.0, 0.0, z});
        vec3 lowest = vec3_add_scaled(centre, -capsule->radius, normal);
        cairn_status status = emit_point(job, lowest, geo_code_vertex(end));
        if (status)
            return status;
    }
    return CAIRN_OK;
}

// four points of a rim, fixed in the cylinder's frame
static cairn_status emit_rim(geo_job *job, double z, int end)
{
    double r = job->b.shape->cylinder.radius;
    const vec3 rim[4] = {{r, 0.0, z}, {0.0, r, z}, {-r, 0.0, z}, {0.0, -r, z}};
    for (int i = 0; i < 4; i++) {
        cairn_status status =
            emit_point(job, geo_placed_apply(&job->b, rim[i]), geo_code_curve(8 * end + i));
        if (status)
            return status;
    }
    return CAIRN_OK;
}

// the lowest point of a rim, unless a point found before (from index `from` on) is as low
static cairn_status emit_lowest(geo_job *job, vec3 down, double z, int end, int from)
{
    double r = job->b.shape->cylinder.radius;
    double slope = base_hypot(down.x, down.y);
    if (slope < 1e-12)
        return CAIRN_OK;
    vec3 lowest = {r * down.x / slope, r * down.y / slope, z};
    vec3 x = geo_placed_apply(&job->b, lowest);
    double gap = vec3_dot(geo_placed_axis(&job->a, 2), vec3_sub(x, job->a.centre));
    if (gap >= geo_job_smallest_gap(job, from) - 1e-9 * job->size)
        return CAIRN_OK;
    return emit_point(job, x, geo_code_curve(8 * end + 4));
}

// standing: four fixed rim points; tilted: also the lowest one; lying: the ends of the lowest line
cairn_status geo_pair_plane_cylinder(geo_job *job)
{
    vec3 normal = geo_placed_axis(&job->a, 2);
    vec3 down = vec3_negate(mat3_apply_transposed(&job->b.rotation, normal));
    bool steep = fabs(down.z) > 0.5 * base_hypot(down.x, down.y);
    for (int end = 0; end < 2; end++) {
        double z = (end ? 1.0 : -1.0) * job->b.shape->cylinder.half_length;
        int from = job->manifold->count;
        cairn_status status = steep && down.z * z > 0.0 ? emit_rim(job, z, end) : CAIRN_OK;
        if (!status)
            status = emit_lowest(job, down, z, end, from);
        if (status)
            return status;
    }
    return CAIRN_OK;
}
