// SPDX-License-Identifier: Apache-2.0
// Narrow phase entry: the table of pair functions and the dispatch.
#include "geometry/narrow/narrow.h"

// upper triangle only: the kind of the first shape is never greater than that of the second. Convex
// kinds that the table does not know meet others by their support functions
static geo_pair_function *const pair_table[GEO_KIND_COUNT][GEO_KIND_COUNT] = {
    [GEO_SPHERE] =
        {
            [GEO_SPHERE] = geo_pair_sphere_sphere,
            [GEO_HALFSPACE] = geo_pair_sphere_plane,
            [GEO_BOX] = geo_pair_sphere_box,
            [GEO_CAPSULE] = geo_pair_sphere_capsule,
            [GEO_CYLINDER] = geo_pair_sphere_cylinder,
            [GEO_POLYHEDRON] = geo_pair_sphere_polyhedron,
            [GEO_MESH] = geo_pair_mesh,
        },
    [GEO_HALFSPACE] =
        {
            [GEO_BOX] = geo_pair_plane_box,
            [GEO_CAPSULE] = geo_pair_plane_capsule,
            [GEO_CYLINDER] = geo_pair_plane_cylinder,
            [GEO_POLYHEDRON] = geo_pair_plane_polyhedron,
            [GEO_MESH] = geo_pair_plane_mesh,
        },
    [GEO_BOX] =
        {
            [GEO_BOX] = geo_pair_box_box,
            [GEO_CAPSULE] = geo_pair_box_capsule,
            [GEO_CYLINDER] = geo_pair_convex,
            [GEO_POLYHEDRON] = geo_pair_polyhedron,
            [GEO_MESH] = geo_pair_mesh,
        },
    [GEO_CAPSULE] =
        {
            [GEO_CAPSULE] = geo_pair_capsule_capsule,
            [GEO_CYLINDER] = geo_pair_convex,
            [GEO_POLYHEDRON] = geo_pair_capsule_polyhedron,
            [GEO_MESH] = geo_pair_mesh,
        },
    [GEO_CYLINDER] =
        {
            [GEO_CYLINDER] = geo_pair_convex,
            [GEO_POLYHEDRON] = geo_pair_convex,
            [GEO_MESH] = geo_pair_mesh,
        },
    [GEO_POLYHEDRON] =
        {
            [GEO_POLYHEDRON] = geo_pair_polyhedron,
            [GEO_MESH] = geo_pair_mesh,
        },
};

// kinds that have pairs with rounded boxes and polyhedra in one function
static bool meets_rounded(geo_kind kind)
{
    return kind == GEO_BOX || kind == GEO_CAPSULE || kind == GEO_POLYHEDRON;
}

static geo_pair_function *function_of(const geo_shape *a, const geo_shape *b)
{
    geo_kind first = a->kind, second = b->kind;
    if (geo_shape_rounding(a) + geo_shape_rounding(b) > 0.0 && meets_rounded(first) &&
        meets_rounded(second))
        return geo_pair_rounded;
    geo_pair_function *function = pair_table[first][second];
    if (function != NULL)
        return function;
    if (first == GEO_HALFSPACE && geo_kind_is_convex(second))
        return geo_pair_plane_convex;
    if (!geo_kind_is_convex(first))
        return NULL;
    return second == GEO_MESH ? geo_pair_mesh : geo_kind_is_convex(second) ? geo_pair_convex : NULL;
}

// the extent tolerances are relative to; never far below the round-off of the larger shape
static double pair_size(const geo_shape *a, const geo_shape *b)
{
    double smaller = real_min(a->bounding_radius, b->bounding_radius);
    double larger = real_max(a->bounding_radius, b->bounding_radius);
    return isfinite(larger) ? smaller + 1e-6 * larger : smaller;
}

static void place(geo_placed *placed, const geo_shape *shape, const pose *placement, vec3 origin)
{
    placed->shape = shape;
    placed->rotation = quat_to_mat3(placement->orientation);
    placed->centre = vec3_sub(placement->position, origin);
}

static void make_job(geo_job *job, const geo_shape *a, const pose *placement_a, const geo_shape *b,
                     const pose *placement_b, double margin, geo_manifold *manifold)
{
    bool flip = a->kind > b->kind;
    const geo_shape *first = flip ? b : a, *second = flip ? a : b;
    const pose *place_first = flip ? placement_b : placement_a;
    const pose *place_second = flip ? placement_a : placement_b;
    job->origin = place_first->position;
    job->margin = margin;
    job->size = pair_size(first, second);
    job->flip = flip;
    job->cache = NULL;
    job->manifold = manifold;
    job->first = manifold != NULL ? manifold->count : 0;
    place(&job->a, first, place_first, job->origin);
    place(&job->b, second, place_second, job->origin);
}

cairn_status geo_collide(const geo_shape *a, const pose *placement_a, const geo_shape *b,
                         const pose *placement_b, double margin, geo_pair_cache *cache,
                         geo_manifold *manifold)
{
    bool flip = a->kind > b->kind;
    geo_pair_function *function = flip ? function_of(b, a) : function_of(a, b);
    if (!function)
        return CAIRN_ERROR_UNSUPPORTED;
    // bounding spheres first: most candidate pairs end here
    double reach = a->bounding_radius + b->bounding_radius + margin;
    vec3 between = vec3_sub(placement_b->position, placement_a->position);
    double squared = vec3_norm_squared(between);
    if (cache)
        cache->apart = 0.0;
    if (squared > reach * reach) {
        if (cache)
            cache->apart = sqrt(squared) * (1.0 - 1e-12) - (reach - margin);
        return CAIRN_OK;
    }
    geo_job job;
    make_job(&job, a, placement_a, b, placement_b, margin, manifold);
    job.cache = cache;
    return function(&job);
}

int geo_mesh_near(const geo_shape *sphere, const pose *placement, const geo_shape *mesh,
                  const pose *placement_mesh, double margin, int *list, int capacity)
{
    geo_job job;
    make_job(&job, sphere, placement, mesh, placement_mesh, margin, NULL);
    return geo_pair_mesh_near(&job, list, capacity);
}

cairn_status geo_collide_triangles(const geo_shape *sphere, const pose *placement,
                                   const geo_shape *mesh, const pose *placement_mesh,
                                   const int *list, int count, double margin,
                                   geo_manifold *manifold)
{
    geo_job job;
    make_job(&job, sphere, placement, mesh, placement_mesh, margin, manifold);
    return geo_pair_mesh_listed(&job, list, count);
}
