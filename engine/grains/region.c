// SPDX-License-Identifier: Apache-2.0
// Regions: boxes, cylinders, spheres and convex hulls.
#include "engine/grains/region.h"

#include "base/elementary.h"
#include "engine/state/ids.h"

cairn_status eng_region_check(const cairn_world *world, const cairn_region *region,
                              cairn_error *error)
{
    vec3 a = vec3_from(region->a), b = vec3_from(region->b);
    bool round = region->kind == CAIRN_REGION_CYLINDER || region->kind == CAIRN_REGION_SPHERE;
    if ((int)region->kind < 0 || region->kind > CAIRN_REGION_HULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "region kind %d does not exist",
                         (int)region->kind);
    if (!vec3_is_finite(a) || !vec3_is_finite(b))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a region must be finite");
    if (round && !(region->radius > 0.0 && isfinite(region->radius)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the radius of a region = %g must be greater than 0 m", region->radius);
    if (region->kind == CAIRN_REGION_BOX && !(a.x < b.x && a.y < b.y && a.z < b.z))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a region from (%g, %g, %g) to (%g, %g, %g) m is empty", a.x, a.y, a.z,
                         b.x, b.y, b.z);
    if (region->kind == CAIRN_REGION_CYLINDER && !(vec3_norm(vec3_sub(b, a)) > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the axis of a region has no length");
    if (region->kind != CAIRN_REGION_HULL)
        return CAIRN_OK;
    cairn_status status = eng_shape_check(world, region->shape);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "shape");
    if (world->shapes[region->shape.index]->kind != GEO_POLYHEDRON)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the hull of a region must be a polyhedron");
    return CAIRN_OK;
}

geo_bounds eng_region_bounds(const cairn_world *world, const cairn_region *region)
{
    vec3 a = vec3_from(region->a), b = vec3_from(region->b);
    vec3 r = vec3_make(region->radius, region->radius, region->radius);
    if (region->kind == CAIRN_REGION_BOX)
        return (geo_bounds){a, b};
    if (region->kind == CAIRN_REGION_SPHERE)
        return (geo_bounds){vec3_sub(a, r), vec3_add(a, r)};
    if (region->kind == CAIRN_REGION_HULL) {
        pose place = {a, pose_identity().orientation};
        return geo_shape_bounds(world->shapes[region->shape.index], &place);
    }
    vec3 e = vec3_scale(1.0 / vec3_norm(vec3_sub(b, a)), vec3_sub(b, a));
    r = vec3_make(region->radius * sqrt(fmax(0.0, 1.0 - e.x * e.x)),
                  region->radius * sqrt(fmax(0.0, 1.0 - e.y * e.y)),
                  region->radius * sqrt(fmax(0.0, 1.0 - e.z * e.z)));
    return (geo_bounds){vec3_sub(vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)), r),
                        vec3_add(vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)), r)};
}

double eng_region_depth(const cairn_world *world, const cairn_region *region, vec3 p)
{
    vec3 a = vec3_from(region->a), b = vec3_from(region->b), from = vec3_sub(p, a);
    if (region->kind == CAIRN_REGION_SPHERE)
        return region->radius - vec3_norm(from);
    if (region->kind == CAIRN_REGION_BOX) {
        vec3 to = vec3_sub(b, p);
        double least = INFINITY;
        for (int k = 0; k < 3; k++)
            least = fmin(least, fmin(vec3_get(from, k), vec3_get(to, k)));
        return least;
    }
    if (region->kind == CAIRN_REGION_CYLINDER) {
        vec3 axis = vec3_sub(b, a);
        double length = vec3_norm(axis), along = vec3_dot(from, axis) / length;
        vec3 across = vec3_add_scaled(from, -along / length, axis);
        return fmin(region->radius - vec3_norm(across), fmin(along, length - along));
    }
    const geo_polyhedron *hull = &world->shapes[region->shape.index]->polyhedron;
    double least = INFINITY;
    for (int i = 0; i < hull->face_count; i++)
        least = fmin(least, hull->face_offsets[i] - vec3_dot(hull->face_normals[i], from));
    return least;
}

double eng_region_room(const cairn_world *world, const cairn_region *region)
{
    if (region->kind == CAIRN_REGION_SPHERE)
        return region->radius;
    if (region->kind == CAIRN_REGION_CYLINDER)
        return fmin(region->radius,
                    0.5 * vec3_norm(vec3_sub(vec3_from(region->b), vec3_from(region->a))));
    geo_bounds bounds = eng_region_bounds(world, region);
    vec3 size = vec3_sub(bounds.high, bounds.low);
    return 0.5 * fmin(size.x, fmin(size.y, size.z));
}

static vec3 draw_in_box(vec3 low, vec3 high, base_rng *rng)
{
    double x = base_rng_range(rng, low.x, high.x), y = base_rng_range(rng, low.y, high.y);
    return vec3_make(x, y, base_rng_range(rng, low.z, high.z));
}

bool eng_region_draw(const cairn_world *world, const cairn_region *region, double depth,
                     base_rng *rng, vec3 *place)
{
    enum { DRAWS = 1000 };
    vec3 a = vec3_from(region->a), b = vec3_from(region->b);
    if (region->kind == CAIRN_REGION_CYLINDER) {
        vec3 axis = vec3_sub(b, a), t1, t2;
        double length = vec3_norm(axis);
        axis = vec3_scale(1.0 / length, axis);
        vec3_tangents(axis, &t1, &t2);
        double along = base_rng_range(rng, depth, length - depth);
        double away = (region->radius - depth) * sqrt(base_rng_unit(rng));
        double angle = 2.0 * M_PI * base_rng_unit(rng);
        *place = vec3_add_scaled(a, along, axis);
        *place = vec3_add_scaled(*place, away * base_cos(angle), t1);
        *place = vec3_add_scaled(*place, away * base_sin(angle), t2);
        return true;
    }
    geo_bounds bounds = eng_region_bounds(world, region);
    vec3 inset = vec3_make(depth, depth, depth);
    bounds = (geo_bounds){vec3_add(bounds.low, inset), vec3_sub(bounds.high, inset)};
    for (int i = 0; i < DRAWS; i++) {
        *place = draw_in_box(bounds.low, bounds.high, rng);
        if (region->kind == CAIRN_REGION_BOX || eng_region_depth(world, region, *place) >= depth)
            return true;
    }
    return false;
}

uint64_t eng_region_hash(const cairn_region *region, uint64_t hash)
{
    hash = base_hash_bytes(hash, &region->kind, sizeof region->kind);
    hash = base_hash_bytes(hash, region->a, sizeof region->a);
    hash = base_hash_bytes(hash, region->b, sizeof region->b);
    hash = base_hash_bytes(hash, &region->radius, sizeof region->radius);
    return base_hash_bytes(hash, &region->shape.index, sizeof region->shape.index);
}
