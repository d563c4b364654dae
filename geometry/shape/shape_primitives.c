// SPDX-License-Identifier: Apache-2.0
// Makers of sphere, half-space, box, capsule and cylinder.
#include "geometry/shape/shape_internal.h"

#include "base/elementary.h"

static cairn_status check_length(const char *name, double value, cairn_error *error)
{
    if (isfinite(value) && value > 0.0)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s = %g must be positive and finite (m)", name,
                     value);
}

static void fill_sphere(geo_shape *shape, double radius)
{
    shape->kind = GEO_SPHERE;
    shape->sphere.radius = radius;
    shape->smallest_size = 2.0 * radius;
}

cairn_status geo_sphere_init(geo_shape *shape, double radius, cairn_error *error)
{
    cairn_status status = check_length("radius", radius, error);
    if (status != CAIRN_OK)
        return status;
    fill_sphere(shape, radius);
    return geo_shape_check_mass(shape, error);
}

cairn_status geo_sphere_create(const base_allocator *allocator, double radius, geo_shape **shape,
                               cairn_error *error)
{
    *shape = NULL;
    cairn_status status = check_length("radius", radius, error);
    if (status != CAIRN_OK)
        return status;
    geo_shape *made = geo_shape_allocate(allocator, GEO_SPHERE);
    if (made == NULL)
        return geo_fail_memory(error);
    fill_sphere(made, radius);
    return geo_shape_finish(made, shape, error);
}

cairn_status geo_halfspace_create(const base_allocator *allocator, geo_shape **shape,
                                  cairn_error *error)
{
    *shape = NULL;
    geo_shape *made = geo_shape_allocate(allocator, GEO_HALFSPACE);
    if (made == NULL)
        return geo_fail_memory(error);
    made->bounding_radius = INFINITY;
    made->smallest_size = INFINITY;
    return geo_shape_finish(made, shape, error);
}

cairn_status geo_box_create(const base_allocator *allocator, vec3 half, geo_shape **shape,
                            cairn_error *error)
{
    *shape = NULL;
    static const char *const names[3] = {"half.x", "half.y", "half.z"};
    for (int i = 0; i < 3; i++) {
        cairn_status status = check_length(names[i], vec3_get(half, i), error);
        if (status != CAIRN_OK)
            return status;
    }
    geo_shape *made = geo_shape_allocate(allocator, GEO_BOX);
    if (made == NULL)
        return geo_fail_memory(error);
    made->box.half = half;
    made->bounding_radius = vec3_norm(half);
    made->smallest_size = 2.0 * fmin(half.x, fmin(half.y, half.z));
    return geo_shape_finish(made, shape, error);
}

static cairn_status check_round(double radius, double half_length, cairn_error *error)
{
    cairn_status status = check_length("radius", radius, error);
    return status == CAIRN_OK ? check_length("half_length", half_length, error) : status;
}

cairn_status geo_capsule_create(const base_allocator *allocator, double radius, double half_length,
                                geo_shape **shape, cairn_error *error)
{
    *shape = NULL;
    cairn_status status = check_round(radius, half_length, error);
    if (status != CAIRN_OK)
        return status;
    geo_shape *made = geo_shape_allocate(allocator, GEO_CAPSULE);
    if (made == NULL)
        return geo_fail_memory(error);
    made->capsule = (geo_capsule){radius, half_length};
    made->bounding_radius = radius + half_length;
    made->smallest_size = 2.0 * radius;
    return geo_shape_finish(made, shape, error);
}

cairn_status geo_cylinder_create(const base_allocator *allocator, double radius, double half_length,
                                 geo_shape **shape, cairn_error *error)
{
    *shape = NULL;
    cairn_status status = check_round(radius, half_length, error);
    if (status != CAIRN_OK)
        return status;
    geo_shape *made = geo_shape_allocate(allocator, GEO_CYLINDER);
    if (made == NULL)
        return geo_fail_memory(error);
    made->cylinder = (geo_cylinder){radius, half_length};
    made->bounding_radius = base_hypot(radius, half_length);
    made->smallest_size = 2.0 * fmin(radius, half_length);
    return geo_shape_finish(made, shape, error);
}
