// SPDX-License-Identifier: Apache-2.0
// Capsule against capsule, box and polyhedron.
#include "geometry/narrow/closest.h"

static double clamp_unit(double x)
{
    return fmin(fmax(x, 0.0), 1.0);
}

typedef struct segment {
    vec3 start, along;
} segment;

static segment capsule_segment(const geo_placed *placed)
{
    double h = placed->shape->capsule.half_length;
    return (segment){geo_placed_apply(placed, (vec3){0.0, 0.0, -h}),
                     vec3_scale(2.0 * h, geo_placed_axis(placed, 2))};
}

static uint32_t parameter_code(double s)
{
    return s <= 0.0 ? geo_code_vertex(0) : s >= 1.0 ? geo_code_vertex(1) : geo_code_edge(0);
}

static cairn_status emit_at(geo_job *job, segment a, segment b, double s, double t)
{
    vec3 any, cross = vec3_cross(a.along, b.along);
    vec3_tangents(geo_placed_axis(&job->a, 2), &any, &(vec3){0});
    vec3 fallback = vec3_normalize_or(cross, any);
    return geo_emit_spheres(job, vec3_add_scaled(a.start, s, a.along), job->a.shape->capsule.radius,
                            vec3_add_scaled(b.start, t, b.along), job->b.shape->capsule.radius,
                            fallback, parameter_code(s), parameter_code(t));
}

static double nearest_parameter(segment line, vec3 x)
{
    return clamp_unit(vec3_dot(vec3_sub(x, line.start), line.along) /
                      vec3_norm_squared(line.along));
}

// the two ends of the stretch where nearly parallel segments lie beside each other
static cairn_status emit_overlap(geo_job *job, segment a, segment b)
{
    vec3 b1 = vec3_add(b.start, b.along);
    double sb0 = nearest_parameter(a, b.start), sb1 = nearest_parameter(a, b1);
    double low = fmin(sb0, sb1), high = fmax(sb0, sb1);
    if ((high - low) * vec3_norm(a.along) <= 1e-9 * job->size)
        return CAIRN_OK;
    for (int k = 0; k < 2; k++) {
        double s = k ? high : low;
        bool a_ends = s <= 0.0 || s >= 1.0;
        double t = a_ends ? nearest_parameter(b, vec3_add_scaled(a.start, s, a.along))
                          : (double)(s == sb1);
        cairn_status status = emit_at(job, a, b, s, t);
        if (status)
            return status;
    }
    return CAIRN_OK;
}

cairn_status geo_pair_capsule_capsule(geo_job *job)
{
    // up to 17 degrees the ends of the stretch count too: a capsule that rocks on another one
    // must feel both before they close (their balls lie inside by r sin^2 / 2 at the most)
    const double parallel_sine = 0.3;
    segment a = capsule_segment(&job->a), b = capsule_segment(&job->b);
    double s, t;
    geo_segment_closest(a.start, a.along, b.start, b.along, &s, &t);
    double squared = vec3_norm_squared(vec3_cross(a.along, b.along));
    double limit = vec3_norm_squared(a.along) * vec3_norm_squared(b.along);
    if (squared > parallel_sine * parallel_sine * limit || limit <= 0.0)
        return emit_at(job, a, b, s, t);
    int from = job->manifold->count;
    cairn_status status = emit_overlap(job, a, b);
    if (status)
        return status;
    vec3 pa = vec3_add_scaled(a.start, s, a.along), pb = vec3_add_scaled(b.start, t, b.along);
    double gap =
        vec3_distance(pa, pb) - job->a.shape->capsule.radius - job->b.shape->capsule.radius;
    if (geo_job_smallest_gap(job, from) <= gap + 5e-10 * job->size)
        return CAIRN_OK;
    return emit_at(job, a, b, s, t);
}

cairn_status geo_pair_box_capsule(geo_job *job)
{
    return geo_closest_contacts(job);
}

cairn_status geo_pair_capsule_polyhedron(geo_job *job)
{
    return geo_closest_contacts(job);
}
