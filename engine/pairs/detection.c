// SPDX-License-Identifier: Apache-2.0
// Blocks 3 and 4 of the step: broad phase and narrow phase in the midpoint configuration.
#include "engine/pairs/spheres/spheres.h"

#include <string.h>

enum { COLLIDER_CHUNK = 256 };

typedef struct place_context {
    cairn_world *world;
    const pose *q;
    const int *listed; // NULL: all
} place_context;

/// Fastest point of a body, m/s: its centre, and its spin at the farthest point of its shape.
static double fastest_point(const cairn_world *world, int body)
{
    eng_state now = {0};
    const double *u = now.v, *v = u;
    if (body < world->blocks_count) {
        u = world->v[body];
        v = world->v_free[body];
    } else {
        now = eng_state_of(world, body);
    }
    double linear = fmax(vec3_norm(vec3_from(v)), vec3_norm(vec3_from(u)));
    double spin = vec3_norm(vec3_from(v + 3));
    return linear + (spin > 0.0 ? spin * eng_reach_of(world, body) : 0.0);
}

/// Half-width of the layer around a collider in which its contacts are looked for, m: a thousandth
/// of its size, so that resting contacts keep their manifold while they breathe, and the way of a
/// step, at most its size. Next to nothing when contacts are taken up on closing only.
static double margin_of(const cairn_world *world, const eng_collider *collider)
{
    double size = collider->shape->smallest_size;
    bool bounded = isfinite(size);
    if (!world->def.margin)
        return bounded ? 5e-10 * size : 0.0;
    double way = world->def.time_step * fastest_point(world, collider->body);
    if (!bounded)
        return isfinite(way) ? way : 0.0;
    return 5e-4 * size + fmin(way, size);
}

/// Proxy of a collider that no body has: what is not a number overlaps nothing.
static const geo_proxy nowhere = {.bounds = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};

static void place_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const place_context *context = argument;
    cairn_world *world = context->world;
    for (int k = begin; k < end; k++) {
        int i = context->listed != NULL ? context->listed[k] : k;
        const eng_collider *collider = &world->colliders[i];
        if (collider->shape == NULL) {
            world->proxies[i] = nowhere;
            continue;
        }
        const pose *q = &context->q[collider->body];
        world->collider_pose[i] =
            collider->place > 0 ? pose_compose(q, &world->places[collider->place - 1]) : *q;
        world->collider_margin[i] = margin_of(world, collider);
        geo_bounds bounds = geo_shape_bounds(collider->shape, &world->collider_pose[i]);
        world->proxies[i] = (geo_proxy){
            .bounds = geo_bounds_inflate(bounds, world->collider_margin[i]),
            .group = collider->body,
            .mobile = world->bodies[collider->body].kind != CAIRN_FIXED,
        };
    }
}

/// Index + 1 of the place of a part of a body; -1 when out of memory.
static int keep_place(cairn_world *world, int body, const eng_part *part)
{
    const eng_body *b = &world->bodies[body];
    if (b->solid == 0 && part->shape == world->shapes[b->shape])
        return 0;
    if (world->place_free_count > 0) {
        int place = world->place_free[--world->place_free_count];
        world->places[place - 1] = part->place;
        return place;
    }
    int needed = world->place_count + 1;
    // room to give every place back without a call for memory
    if (base_array_reserve(&world->allocator, &world->places, &world->place_capacity, needed) !=
            CAIRN_OK ||
        base_array_reserve(&world->allocator, &world->place_free, &world->place_free_capacity,
                           needed) != CAIRN_OK)
        return -1;
    world->places[world->place_count] = part->place;
    return ++world->place_count;
}

/// A body's shape, or the members of a compound; what its row has room for besides is of no body.
static cairn_status add_colliders(cairn_world *world, int body)
{
    const eng_body *b = &world->bodies[body];
    int count = eng_collider_count_of(world, body);
    for (int i = 0; i < b->collider_room; i++)
        world->colliders[b->first_collider + i] = (eng_collider){.body = body};
    for (int i = 0; i < count; i++) {
        eng_part part = eng_part_of(world, body, i);
        int place = keep_place(world, body, &part);
        if (place < 0)
            return CAIRN_ERROR_MEMORY;
        world->colliders[b->first_collider + i] = (eng_collider){part.shape, body, place};
    }
    return CAIRN_OK;
}

cairn_status eng_colliders_reserve(cairn_world *world)
{
    int made = world->collider_made;
    cairn_status status = base_array_reserve(&world->allocator, &world->colliders,
                                             &world->collider_capacity, world->collider_count);
    if (status != CAIRN_OK)
        return status;
    // a row that got a larger body has left its old ones behind, of no body
    for (; made < world->collider_count; made++)
        world->colliders[made] = (eng_collider){0};
    world->collider_made = made;
    for (; status == CAIRN_OK && world->collider_bodies < world->body_count;
         world->collider_bodies += status == CAIRN_OK)
        status = add_colliders(world, world->collider_bodies);
    return status;
}

cairn_status eng_colliders_renew(cairn_world *world, int body)
{
    if (body >= world->collider_bodies)
        return CAIRN_OK;
    cairn_status status = eng_colliders_reserve(world);
    return status == CAIRN_OK ? add_colliders(world, body) : status;
}

void eng_colliders_drop(cairn_world *world, int body)
{
    const eng_body *b = &world->bodies[body];
    for (int i = 0; body < world->collider_bodies && i < b->collider_room; i++) {
        eng_collider *collider = &world->colliders[b->first_collider + i];
        if (collider->place > 0)
            world->place_free[world->place_free_count++] = collider->place;
        *collider = (eng_collider){.body = body};
    }
}

void eng_colliders_release(cairn_world *world)
{
    void *arrays[] = {world->colliders, world->places,        world->place_free,
                      world->proxies,   world->collider_pose, world->collider_margin};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        base_release(&world->allocator, arrays[i]);
    world->colliders = NULL;
    world->places = NULL;
    world->place_free = NULL;
    world->proxies = NULL;
    world->collider_pose = NULL;
    world->collider_margin = NULL;
    world->collider_bodies = world->collider_capacity = world->proxy_capacity = 0;
    world->place_count = world->place_capacity = world->collider_made = 0;
    world->place_free_count = world->place_free_capacity = 0;
}

cairn_status eng_colliders_place(cairn_world *world, const pose *q, const int *listed,
                                 int listed_count)
{
    int count = world->collider_count, capacity = world->proxy_capacity, same = capacity;
    cairn_status status = eng_colliders_reserve(world);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &world->proxies, &same, count);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &world->collider_margin, &capacity, count);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &world->collider_pose,
                                    &world->proxy_capacity, count);
    if (status != CAIRN_OK)
        return status;
    place_context context = {world, q, listed};
    base_parallel_for(world->workers, listed != NULL ? listed_count : count, COLLIDER_CHUNK,
                      place_chunk, &context);
    return CAIRN_OK;
}

/// Smallest part of any body that can move, for the skin of the pair list.
static double smallest_collider(const cairn_world *world)
{
    double smallest = INFINITY;
    for (int k = 0; k < world->listed_count; k++) {
        const eng_collider *collider = &world->colliders[world->listed[k]];
        if (world->bodies[collider->body].kind == CAIRN_DYNAMIC)
            smallest = fmin(smallest, collider->shape->smallest_size);
    }
    return isfinite(smallest) ? smallest : 0.0;
}

/// -1, 0 or 1 by the two colliders of the pairs.
static int compare_pairs(const geo_pair *a, const geo_pair *b)
{
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

/// New pair list from the broad phase's; pairs that stay keep what they remember. Both are sorted.
static cairn_status take_pairs(cairn_world *world)
{
    int count;
    const geo_pair *list = geo_broad_phase_pairs(world->broad, &count);
    int capacity = world->pair_capacity;
    cairn_status status =
        base_array_reserve(&world->allocator, &world->pairs_before, &capacity, count);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &world->pairs, &world->pair_capacity, count);
    if (status != CAIRN_OK)
        return status;
    eng_pair *before = world->pairs, *now = world->pairs_before;
    int made = 0, old = 0, old_count = world->pair_count;
    for (int i = 0; i < count; i++) {
        geo_pair pair = {world->listed[list[i].first], world->listed[list[i].second]};
        int a = world->colliders[pair.first].body, b = world->colliders[pair.second].body;
        if (eng_pair_is_idle(world, a, b) || eng_spheres_owns_pair(world, a, b))
            continue;
        while (old < old_count && compare_pairs(&before[old].colliders, &pair) < 0)
            old++;
        if (old < old_count && compare_pairs(&before[old].colliders, &pair) == 0)
            now[made++] = before[old];
        else
            now[made++] = (eng_pair){.colliders = pair};
    }
    world->pairs = now;
    world->pairs_before = before;
    world->pair_count = made;
    world->plan.current = false;
    return CAIRN_OK;
}

/// Proxies of the listed colliders, one behind the other; NULL when out of memory.
static const geo_proxy *listed_proxies(cairn_world *world)
{
    if (world->listed_count == world->collider_count)
        return world->proxies;
    geo_proxy *proxies = base_arena_array(world->arena, geo_proxy, "proxies", world->listed_count);
    for (int k = 0; k < world->listed_count && proxies != NULL; k++)
        proxies[k] = world->proxies[world->listed[k]];
    return proxies;
}

cairn_status eng_block_broad_phase(cairn_world *world)
{
    cairn_status status =
        eng_colliders_place(world, world->q_mid, world->listed, world->listed_count);
    const geo_proxy *proxies = status == CAIRN_OK ? listed_proxies(world) : NULL;
    if (proxies == NULL)
        return CAIRN_ERROR_MEMORY;
    // the bounds hold each collider's own margin
    double skin = 0.1 * smallest_collider(world);
    bool rebuilt = false;
    status = geo_broad_phase_update(world->broad, proxies, world->listed_count, 0.0, skin,
                                    world->topology_changed, world->workers, &rebuilt);
    if (status == CAIRN_OK && rebuilt)
        status = take_pairs(world);
    if (status == CAIRN_OK)
        world->topology_changed = false;
    return status == CAIRN_OK ? eng_plan_update(world) : status;
}

/// Half-spaces have no bounds: a ball that stays clear of the plane ends the search at once.
static bool is_clear_of_plane(const cairn_world *world, const eng_pair *pair, double margin)
{
    for (int side = 0; side < 2; side++) {
        int plane = side == 0 ? pair->colliders.first : pair->colliders.second;
        int other = side == 0 ? pair->colliders.second : pair->colliders.first;
        if (world->colliders[plane].shape->kind != GEO_HALFSPACE)
            continue;
        vec3 centre =
            pose_apply_inverse(&world->collider_pose[plane], world->collider_pose[other].position);
        if (centre.z - world->colliders[other].shape->bounding_radius > margin)
            return true;
    }
    return false;
}

typedef struct narrow_context {
    cairn_world *world;
    cairn_status *status; // [chunks]
} narrow_context;

static void narrow_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const narrow_context *context = argument;
    cairn_world *world = context->world;
    geo_manifold *manifold = &world->manifolds[chunk];
    manifold->count = 0;
    for (int i = begin; i < end; i++) {
        eng_pair *pair = &world->pairs[world->plan.order[i]];
        int first = pair->colliders.first, second = pair->colliders.second;
        const eng_collider *a = &world->colliders[first], *b = &world->colliders[second];
        double margin = world->collider_margin[first] + world->collider_margin[second];
        int before = manifold->count;
        if (!is_clear_of_plane(world, pair, margin) &&
            geo_bounds_overlap(world->proxies[first].bounds, world->proxies[second].bounds)) {
            cairn_status status =
                geo_collide(a->shape, &world->collider_pose[first], b->shape,
                            &world->collider_pose[second], margin, &pair->cache, manifold);
            if (status == CAIRN_ERROR_MEMORY)
                context->status[chunk] = status;
        }
        world->raw_count[i] = manifold->count - before;
    }
}

static cairn_status reserve_manifolds(cairn_world *world, int chunks)
{
    cairn_status status =
        base_array_reserve(&world->allocator, &world->manifolds, &world->manifold_capacity, chunks);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &world->raw_count, &world->raw_capacity,
                                    world->pair_count);
    if (status != CAIRN_OK)
        return status;
    for (; world->manifold_count < chunks; world->manifold_count++)
        geo_manifold_init(&world->manifolds[world->manifold_count], &world->allocator);
    return CAIRN_OK;
}

cairn_status eng_block_narrow_phase(cairn_world *world)
{
    int chunks = base_chunk_count(world->pair_count, ENG_PAIR_CHUNK);
    cairn_status status = reserve_manifolds(world, chunks);
    cairn_status *results = base_arena_array(world->arena, cairn_status, "narrow", chunks);
    if (status != CAIRN_OK || results == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(results, 0, (size_t)chunks * sizeof *results);
    narrow_context context = {world, results};
    base_parallel_for(world->workers, world->pair_count, ENG_PAIR_CHUNK, narrow_chunk, &context);
    for (int i = 0; i < chunks; i++)
        if (results[i] != CAIRN_OK)
            return results[i];
    return CAIRN_OK;
}
