// SPDX-License-Identifier: Apache-2.0
// The growing list of contacts and how pair functions add to it.
#include "geometry/narrow/narrow.h"

void geo_manifold_init(geo_manifold *manifold, const base_allocator *allocator)
{
    *manifold = (geo_manifold){.allocator = *allocator};
}

void geo_manifold_finish(geo_manifold *manifold)
{
    if (!manifold)
        return;
    base_release(&manifold->allocator, manifold->contacts);
    manifold->contacts = NULL;
    manifold->count = manifold->capacity = 0;
}

cairn_status geo_emit(geo_job *job, vec3 normal, double gap, vec3 point, uint32_t code_a,
                      uint32_t code_b)
{
    geo_manifold *manifold = job->manifold;
    if (!(gap <= job->margin))
        return CAIRN_OK;
    if (manifold->count == manifold->capacity) {
        cairn_status status = base_array_reserve(&manifold->allocator, &manifold->contacts,
                                                 &manifold->capacity, manifold->count + 8);
        if (status)
            return status;
    }
    geo_contact *contact = &manifold->contacts[manifold->count++];
    contact->gap = gap;
    contact->normal = job->flip ? vec3_negate(normal) : normal;
    contact->point = vec3_add(job->origin, point);
    contact->ahead = 0.0;
    contact->key = job->flip ? (uint64_t)code_b << 32 | code_a : (uint64_t)code_a << 32 | code_b;
    return CAIRN_OK;
}

cairn_status geo_emit_spheres(geo_job *job, vec3 pa, double ra, vec3 pb, double rb, vec3 fallback,
                              uint32_t code_a, uint32_t code_b)
{
    vec3 d = vec3_sub(pb, pa);
    double squared = vec3_norm_squared(d);
    double reach = ra + rb + job->margin;
    if (squared > reach * reach)
        return CAIRN_OK;
    double distance = sqrt(squared);
    bool regular = distance > 1e-14 * (ra + rb);
    vec3 normal = regular ? vec3_scale(1.0 / distance, d) : fallback;
    double gap = distance - (ra + rb);
    vec3 point = vec3_add_scaled(pa, ra + 0.5 * gap, normal);
    return geo_emit(job, normal, gap, point, code_a, code_b);
}

double geo_job_smallest_gap(const geo_job *job, int from)
{
    double smallest = INFINITY;
    for (int i = from; i < job->manifold->count; i++)
        smallest = real_min(smallest, job->manifold->contacts[i].gap);
    return smallest;
}
