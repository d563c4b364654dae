// SPDX-License-Identifier: Apache-2.0
// Maker of compounds: several convex shapes, rigidly joined.
#include "geometry/shape/shape_internal.h"

#include <string.h>

static cairn_status check_members(geo_shape *const *members, const pose *placements, int count,
                                  cairn_error *error)
{
    if (count < 1)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a compound of %d members needs at least 1",
                         count);
    for (int i = 0; i < count; i++) {
        if (members[i] == NULL || !geo_kind_is_convex(members[i]->kind))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "member %d of the compound is a %s: it must be a sphere, box, "
                             "capsule, cylinder or polyhedron",
                             i, members[i] != NULL ? geo_kind_name(members[i]->kind) : "null");
        quat q = placements[i].orientation;
        double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
        if (!(vec3_is_finite(placements[i].position) && fabs(norm - 1.0) <= 1e-6))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "placement of member %d of the compound must be finite with a unit "
                             "quaternion",
                             i);
    }
    return CAIRN_OK;
}

static void fill_sizes(geo_shape *shape)
{
    const geo_compound *compound = &shape->compound;
    shape->smallest_size = INFINITY;
    for (int i = 0; i < compound->member_count; i++) {
        const geo_shape *member = compound->members[i];
        double reach = vec3_norm(compound->placements[i].position) + member->bounding_radius;
        shape->bounding_radius = fmax(shape->bounding_radius, reach);
        shape->smallest_size = fmin(shape->smallest_size, member->smallest_size);
    }
}

cairn_status geo_compound_create(const base_allocator *allocator, geo_shape *const *members,
                                 const pose *placements, int count, geo_shape **shape,
                                 cairn_error *error)
{
    *shape = NULL;
    BASE_TRY(check_members(members, placements, count, error));
    geo_shape *made = geo_shape_allocate(allocator, GEO_COMPOUND);
    if (made == NULL)
        return geo_fail_memory(error);
    geo_compound *compound = &made->compound;
    compound->members = base_allocate(allocator, (size_t)count, sizeof *compound->members);
    compound->placements = base_allocate(allocator, (size_t)count, sizeof *compound->placements);
    if (compound->members == NULL || compound->placements == NULL) {
        geo_shape_destroy(made);
        return geo_fail_memory(error);
    }
    memcpy(compound->members, members, (size_t)count * sizeof *members);
    for (int i = 0; i < count; i++) {
        compound->placements[i] = placements[i];
        compound->placements[i].orientation = quat_normalize(placements[i].orientation);
    }
    compound->member_count = count;
    fill_sizes(made);
    compound->mass = geo_mass_of_compound(compound);
    if (geo_has_overlaps(compound) && !geo_mass_of_union(allocator, compound, &compound->mass)) {
        // the members stay the caller's
        compound->member_count = 0;
        geo_shape_destroy(made);
        return geo_fail_memory(error);
    }
    cairn_status status = geo_shape_check_mass(made, error);
    if (status != CAIRN_OK) {
        compound->member_count = 0;
        geo_shape_destroy(made);
        return status;
    }
    return geo_shape_finish(made, shape, error);
}
