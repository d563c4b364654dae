// SPDX-License-Identifier: Apache-2.0
// Pairs of bodies that overlap, looked for slab by slab along one axis, so that the search holds
// the bounds of a slab and not those of all bodies.
//
// A pair belongs to the slab in which the later one of its two parts begins, which both reach.
#include "base/assert.h"
#include "engine/bodies/body_state.h"
#include "engine/space/space.h"
#include "engine/state/exclusions.h"
#include "engine/state/ids.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <stdlib.h>
#include <string.h>

enum {
    SLAB_PARTS = 1 << 15, // that begin in a slab, in the mean
    SLABS_MAX = 64,
    KEPT_MIN = 256 // overlaps between two looks for the deepest
};

static const double smallest_depth = 1e-3; // of the smaller body's smallest size

/// One of a body's convex parts, half-spaces or meshes.
typedef struct part {
    int body, index;
} part;

typedef struct overlap_search {
    cairn_world *world;
    const base_allocator *allocator;
    part *parts; // [count]
    int count, part_capacity;
    double (*extent)[2]; // [count] m, along the axis; infinite of half-spaces
    int axis;
    double begin[SLABS_MAX]; // [slabs] m, ascending
    int slabs;
    int first[SLABS_MAX + 1]; // [slabs + 1] its parts among `members`
    int *members;
    geo_broad_phase *broad;
    geo_manifold manifold;
    cairn_overlap *kept; // the deepest of those that were found, and some more
    int kept_count, kept_capacity, wanted, found;
} overlap_search;

/// Deepest first, then by bodies, so that the order is always the same.
static int compare_overlaps(const void *a, const void *b)
{
    const cairn_overlap *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    if (x->a.index != y->a.index)
        return x->a.index < y->a.index ? -1 : 1;
    return x->b.index < y->b.index ? -1 : x->b.index > y->b.index;
}

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// ---------------------------------------------------------------- parts and slabs

static cairn_status list_parts(overlap_search *search)
{
    const cairn_world *world = search->world;
    cairn_status status = CAIRN_OK;
    for (int body = 0; body < world->model.bodies.count && status == CAIRN_OK; body++) {
        int count = eng_body_is_live(world, body) ? eng_collider_count_of(world, body) : 0;
        status = base_array_reserve(search->allocator, &search->parts, &search->part_capacity,
                                    search->count + count);
        for (int i = 0; i < count && status == CAIRN_OK; i++)
            search->parts[search->count++] = (part){body, i};
    }
    return status;
}

static pose pose_of(const cairn_world *world, const part *p, const geo_shape **shape)
{
    eng_part is = eng_part_of(world, p->body, p->index);
    eng_state state = eng_state_of(world, p->body);
    *shape = is.shape;
    return pose_compose(&state.q, &is.place);
}

static geo_bounds bounds_of(const cairn_world *world, const part *p)
{
    const geo_shape *shape;
    pose q = pose_of(world, p, &shape);
    return geo_shape_bounds(shape, &q);
}

/// The axis along which the bodies are spread farthest.
static int longest_axis(const cairn_world *world)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int longest = 0;
    for (int body = 0; body < world->model.bodies.count; body++) {
        if (!eng_body_is_live(world, body) || !isfinite(eng_reach_of(world, body)))
            continue;
        vec3 place = eng_place_of(world, body);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], vec3_get(place, k));
            high[k] = fmax(high[k], vec3_get(place, k));
        }
    }
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[longest] - low[longest])
            longest = k;
    return longest;
}

/// Slabs in which about as many parts begin each. The first one has no lower end, the last one no
/// upper one.
static cairn_status cut_slabs(overlap_search *search)
{
    int wanted = search->count / SLAB_PARTS + 1;
    search->slabs = 1;
    search->begin[0] = -INFINITY;
    // images of a cell are made of all its bodies at once
    if (search->world->state.cell.any || wanted == 1)
        return CAIRN_OK;
    wanted = wanted < SLABS_MAX ? wanted : SLABS_MAX;
    double *lows = base_allocate(search->allocator, (size_t)search->count, sizeof *lows);
    if (lows == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < search->count; i++)
        lows[i] = search->extent[i][0];
    qsort(lows, (size_t)search->count, sizeof *lows, compare_values);
    for (int k = 1; k < wanted; k++) {
        double at = lows[(size_t)search->count * (size_t)k / (size_t)wanted];
        if (at > search->begin[search->slabs - 1])
            search->begin[search->slabs++] = at;
    }
    base_release(search->allocator, lows);
    return CAIRN_OK;
}

/// The last slab that begins at a place or before it.
static int slab_at(const overlap_search *search, double place)
{
    int low = 0, high = search->slabs;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (search->begin[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static cairn_status measure_parts(overlap_search *search)
{
    search->extent =
        base_allocate(search->allocator, (size_t)search->count + 1, sizeof *search->extent);
    if (search->extent == NULL)
        return CAIRN_ERROR_MEMORY;
    search->axis = longest_axis(search->world);
    for (int i = 0; i < search->count; i++) {
        geo_bounds bounds = bounds_of(search->world, &search->parts[i]);
        search->extent[i][0] = vec3_get(bounds.low, search->axis);
        search->extent[i][1] = vec3_get(bounds.high, search->axis);
    }
    return CAIRN_OK;
}

/// The parts that reach into each slab, in their own order.
static cairn_status sort_parts(overlap_search *search)
{
    int64_t total = 0;
    int count[SLABS_MAX + 1] = {0};
    for (int i = 0; i < search->count; i++) {
        int from = slab_at(search, search->extent[i][0]);
        int to = slab_at(search, search->extent[i][1]);
        for (int k = from; k <= to; k++)
            count[k]++;
        total += to - from + 1;
    }
    if (total > INT32_MAX)
        return CAIRN_ERROR_MEMORY;
    search->members = base_allocate(search->allocator, (size_t)total + 1, sizeof *search->members);
    if (search->members == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < search->slabs; k++) {
        search->first[k + 1] = search->first[k] + count[k];
        count[k] = search->first[k];
    }
    for (int i = 0; i < search->count; i++) {
        int to = slab_at(search, search->extent[i][1]);
        for (int k = slab_at(search, search->extent[i][0]); k <= to; k++)
            search->members[count[k]++] = i;
    }
    return CAIRN_OK;
}

// ---------------------------------------------------------------- pairs

/// Keeps the deepest overlaps alone once there are many.
static void drop_shallow(overlap_search *search)
{
    qsort(search->kept, (size_t)search->kept_count, sizeof *search->kept, compare_overlaps);
    if (search->kept_count > search->wanted)
        search->kept_count = search->wanted;
}

static cairn_status keep(overlap_search *search, cairn_overlap overlap)
{
    if (search->found == INT32_MAX)
        return CAIRN_ERROR_MEMORY;
    search->found++;
    if (search->kept_count >= KEPT_MIN && search->kept_count / 2 >= search->wanted)
        drop_shallow(search);
    cairn_status status = base_array_reserve(search->allocator, &search->kept,
                                             &search->kept_capacity, search->kept_count + 1);
    if (status == CAIRN_OK)
        search->kept[search->kept_count++] = overlap;
    return status;
}

/// How deep a convex shape is in a solid mesh whose triangles do not tell, m: by half of its size
/// more than its middle; 0 where that is outside.
static double depth_in_solid(const geo_shape *shape, const pose *here, const geo_shape *solid,
                             const pose *there)
{
    if (solid->kind != GEO_MESH || !geo_kind_is_convex(shape->kind))
        return 0.0;
    vec3 middle = pose_apply_inverse(there, pose_apply(here, geo_shape_mass(shape).centre));
    return geo_mesh_holds(&solid->mesh, middle)
               ? geo_mesh_depth(&solid->mesh, middle) + 0.5 * shape->smallest_size
               : 0.0;
}

/// Deepest overlap of one pair of parts.
static cairn_status look_at_pair(overlap_search *search, const part *a, const part *b)
{
    const cairn_world *world = search->world;
    if (eng_pair_is_idle(world, a->body, b->body))
        return CAIRN_OK;
    const geo_shape *shape_a, *shape_b;
    pose here = pose_of(world, a, &shape_a), there = pose_of(world, b, &shape_b);
    if (world->state.cell.any && isfinite(eng_reach_of(world, a->body)) &&
        isfinite(eng_reach_of(world, b->body))) {
        vec3 apart = vec3_sub(here.position, there.position);
        there.position = vec3_add(there.position, eng_cell_shift(&world->state.cell, apart));
    }
    search->manifold.count = 0;
    cairn_status status =
        geo_collide(shape_a, &here, shape_b, &there, 0.0, NULL, &search->manifold);
    if (status == CAIRN_ERROR_MEMORY)
        return status;
    double depth = 0.0;
    for (int i = 0; i < search->manifold.count; i++)
        depth = fmax(depth, -search->manifold.contacts[i].gap);
    depth = fmax(depth, depth_in_solid(shape_a, &here, shape_b, &there));
    depth = fmax(depth, depth_in_solid(shape_b, &there, shape_a, &here));
    double size = fmin(shape_a->smallest_size, shape_b->smallest_size);
    if (!isfinite(size)) // a mesh in a half-space
        size = fmin(shape_a->bounding_radius, shape_b->bounding_radius);
    double relative = depth / size;
    if (!(relative > smallest_depth))
        return CAIRN_OK;
    return keep(search, (cairn_overlap){eng_body_id(world, a->body), eng_body_id(world, b->body),
                                        depth, relative});
}

static cairn_status look_at_slab(overlap_search *search, int slab)
{
    const int *members = search->members + search->first[slab];
    const geo_pair *pairs = NULL;
    cairn_world *world = search->world;
    int count = search->first[slab + 1] - search->first[slab], pair_count = 0;
    geo_proxy *proxies = base_allocate(search->allocator, (size_t)count + 1, sizeof *proxies);
    if (proxies == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count; i++) {
        const part *p = &search->parts[members[i]];
        proxies[i] = (geo_proxy){
            .bounds = bounds_of(world, p),
            .group = p->body,
            .mobile = world->model.bodies.rows[p->body].kind != CAIRN_FIXED,
        };
    }
    cairn_status status =
        eng_space_find_pairs(world, search->broad, proxies, count, &pairs, &pair_count);
    base_release(search->allocator, proxies);
    for (int i = 0; i < pair_count && status == CAIRN_OK; i++) {
        int a = members[pairs[i].first], b = members[pairs[i].second];
        double begins = fmax(search->extent[a][0], search->extent[b][0]);
        if (slab_at(search, begins) == slab)
            status = look_at_pair(search, &search->parts[a], &search->parts[b]);
    }
    return status;
}

static cairn_status search_all(overlap_search *search)
{
    cairn_status status = list_parts(search);
    if (status == CAIRN_OK)
        status = measure_parts(search);
    if (status == CAIRN_OK)
        status = cut_slabs(search);
    if (status == CAIRN_OK)
        status = sort_parts(search);
    search->broad = geo_broad_phase_create(search->allocator);
    if (search->broad == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int slab = 0; slab < search->slabs && status == CAIRN_OK; slab++)
        status = look_at_slab(search, slab);
    return status;
}

cairn_status cairn_world_find_overlaps(cairn_world *world, cairn_overlap *overlaps, int capacity,
                                       int *found, cairn_error *error)
{
    if (world == NULL || found == NULL)
        return base_fail_null(error, __func__);
    if (capacity < 0 || (capacity > 0 && overlaps == NULL))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "room for %d overlaps", capacity);
    overlap_search search = {
        .world = world, .allocator = &world->model.allocator, .wanted = capacity};
    geo_manifold_init(&search.manifold, search.allocator);
    cairn_status status = search_all(&search);
    if (status == CAIRN_OK && search.kept_count > 0 && capacity > 0) {
        drop_shallow(&search);
        memcpy(overlaps, search.kept, (size_t)search.kept_count * sizeof *overlaps);
    }
    *found = status == CAIRN_OK ? search.found : 0;
    geo_manifold_finish(&search.manifold);
    geo_broad_phase_destroy(search.broad);
    void *arrays[] = {search.parts, search.extent, search.members, search.kept};
    for (int i = 0; i < BASE_COUNT(arrays); i++)
        base_release(search.allocator, arrays[i]);
    if (status != CAIRN_OK)
        return base_fail(error, status, "overlaps could not be looked for: %s",
                         cairn_status_text(status));
    return CAIRN_OK;
}
