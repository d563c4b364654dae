// SPDX-License-Identifier: Apache-2.0
// Broad phase and narrow phase of the general passes, in the midpoint configuration.
#include "engine/pairs/meeting.h"
#include "engine/pairs/sharing.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/space/space.h"
#include "engine/state/blocks.h"
#include "engine/state/exclusions.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <string.h>

/// Smallest part of any body that forces move, for the skin of the pair list; where there is none,
/// of any body: a wall that moves among spheres with particle slots needs no new list in every
/// step.
static double smallest_collider(const cairn_world *world)
{
    double dynamic = INFINITY, any = INFINITY;
    for (int k = 0; k < world->contacts.broad.listed_count; k++) {
        const eng_collider *collider =
            &world->contacts.colliders.rows[world->contacts.broad.listed[k]];
        any = real_min(any, collider->shape->smallest_size);
        if (world->model.bodies.rows[collider->body].kind == CAIRN_DYNAMIC)
            dynamic = real_min(dynamic, collider->shape->smallest_size);
    }
    double smallest = isfinite(dynamic) ? dynamic : any;
    return isfinite(smallest) ? smallest : 0.0;
}

/// -1, 0 or 1 by the two colliders of the pairs.
static int compare_pairs(const geo_pair *a, const geo_pair *b)
{
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

/// Room for what polyhedra know of each other, where there are any: for each pair of the list.
static cairn_status reserve_leading(cairn_world *world, const geo_pair *list, int count)
{
    bool any = world->contacts.pairs.leading != NULL;
    for (int i = 0; i < count && !any; i++)
        any = world->contacts.colliders.rows[world->contacts.broad.listed[list[i].first]]
                      .shape->kind == GEO_POLYHEDRON &&
              world->contacts.colliders.rows[world->contacts.broad.listed[list[i].second]]
                      .shape->kind == GEO_POLYHEDRON;
    if (!any)
        return CAIRN_OK;
    int capacity = world->contacts.pairs.leading_capacity;
    BASE_TRY(base_array_reserve(&world->model.allocator, &world->contacts.pairs.leading_before,
                                &capacity, count));
    return base_array_reserve(&world->model.allocator, &world->contacts.pairs.leading,
                              &world->contacts.pairs.leading_capacity, count);
}

/// Whether a pair is a fixed half-space and a collider that stays clear of it as long as the list
/// holds: half-spaces that are not level have no bounds, and the broad phase lists them with all.
/// @param skin  m, of the list: with its margin the collider stays within its bounds and the skin
static bool is_out_of_reach(const cairn_world *world, const geo_pair *pair, double skin)
{
    for (int side = 0; side < 2 && !world->state.cell.any; side++) {
        int plane = side == 0 ? pair->first : pair->second;
        int other = side == 0 ? pair->second : pair->first;
        const eng_collider *collider = &world->contacts.colliders.rows[plane];
        if (collider->shape->kind != GEO_HALFSPACE ||
            world->model.bodies.rows[collider->body].kind != CAIRN_FIXED)
            continue;
        const pose *place = &world->contacts.colliders.pose[plane];
        geo_bounds bounds = geo_bounds_inflate(world->contacts.broad.proxies[other].bounds, skin);
        vec3 normal = quat_rotate(place->orientation, (vec3){0.0, 0.0, 1.0});
        vec3 middle = vec3_scale(0.5, vec3_add(bounds.low, bounds.high));
        vec3 half = vec3_scale(0.5, vec3_sub(bounds.high, bounds.low));
        double width = vec3_dot(vec3_abs(normal), half);
        double height = vec3_dot(normal, vec3_sub(middle, place->position));
        // heights have the last digits of the places
        double digits = 1e-15 * (vec3_norm(middle) + vec3_norm(place->position));
        double least =
            width + world->contacts.colliders.margin[plane] + 1e-9 * (height + width) + digits;
        if (height > least)
            return true;
    }
    return false;
}

/// New pair list from the broad phase's; pairs that stay keep what they remember. Both are sorted.
/// @param skin  m, of the list
/// @return CAIRN_ERROR_UNSUPPORTED for two meshes, which have no contacts; CAIRN_ERROR_MEMORY
static cairn_status take_pairs(cairn_world *world, double skin)
{
    int count;
    const geo_pair *list = eng_space_pairs(world, &count);
    if (list == NULL && count > 0)
        return CAIRN_ERROR_MEMORY;
    int capacity = world->contacts.pairs.capacity;
    BASE_TRY(base_array_reserve(&world->model.allocator, &world->contacts.pairs.before, &capacity,
                                count));
    BASE_TRY(base_array_reserve(&world->model.allocator, &world->contacts.pairs.rows,
                                &world->contacts.pairs.capacity, count));
    BASE_TRY(reserve_leading(world, list, count));
    eng_pair *before = world->contacts.pairs.rows, *now = world->contacts.pairs.before;
    int made = 0, old = 0, old_count = world->contacts.pairs.count;
    for (int i = 0; i < count; i++) {
        geo_pair pair = {world->contacts.broad.listed[list[i].first],
                         world->contacts.broad.listed[list[i].second]};
        int a = world->contacts.colliders.rows[pair.first].body,
            b = world->contacts.colliders.rows[pair.second].body;
        if (eng_pair_is_idle(world, a, b) || eng_spheres_owns_pair(world, a, b) ||
            is_out_of_reach(world, &pair, skin))
            continue;
        if (world->contacts.colliders.rows[pair.first].shape->kind == GEO_MESH &&
            world->contacts.colliders.rows[pair.second].shape->kind == GEO_MESH)
            return CAIRN_ERROR_UNSUPPORTED;
        while (old < old_count && compare_pairs(&before[old].colliders, &pair) < 0)
            old++;
        bool stays = old < old_count && compare_pairs(&before[old].colliders, &pair) == 0;
        now[made] = stays ? before[old] : (eng_pair){.colliders = pair};
        if (world->contacts.pairs.leading != NULL &&
            (now[made].feature[0] != 0 || now[made].feature[1] != 0))
            world->contacts.pairs.leading_before[made] = old < world->contacts.pairs.leading_count
                                                             ? world->contacts.pairs.leading[old]
                                                             : (geo_leading){0};
        made++;
    }
    geo_leading *leading = world->contacts.pairs.leading;
    world->contacts.pairs.leading = world->contacts.pairs.leading_before;
    world->contacts.pairs.leading_before = leading;
    world->contacts.pairs.leading_count = leading != NULL ? made : 0;
    world->contacts.pairs.rows = now;
    world->contacts.pairs.before = before;
    world->contacts.pairs.count = made;
    eng_plan_drop(&world->contacts);
    return CAIRN_OK;
}

/// Proxies of the listed colliders, one behind the other; NULL when out of memory.
static const geo_proxy *listed_proxies(cairn_world *world)
{
    if (world->contacts.broad.listed_count == world->contacts.colliders.count)
        return world->contacts.broad.proxies;
    geo_proxy *proxies = base_arena_array(world->scratch.arena, geo_proxy, "proxies",
                                          world->contacts.broad.listed_count);
    for (int k = 0; k < world->contacts.broad.listed_count && proxies != NULL; k++)
        proxies[k] = world->contacts.broad.proxies[world->contacts.broad.listed[k]];
    return proxies;
}

/// Whether a new list is due in any process, each of which looks at the bodies that it knows.
static bool is_list_due_elsewhere(cairn_world *world, const geo_proxy *proxies)
{
    if (world->state.elsewhere == NULL)
        return false;
    bool current =
        !world->contacts.pairs.topology_changed &&
        geo_broad_phase_is_current(world->contacts.broad.phase, proxies,
                                   world->contacts.broad.listed_count, 0.0, world->model.workers);
    return con_team_any(&world->contacts.domains, !current);
}

cairn_status eng_block_broad_phase(cairn_world *world)
{
    cairn_status status = eng_colliders_place_listed(world);
    const geo_proxy *proxies = status == CAIRN_OK ? listed_proxies(world) : NULL;
    if (proxies != NULL && is_list_due_elsewhere(world, proxies)) {
        eng_borders_join_free(world);
        status = eng_colliders_place_listed(world);
        proxies = status == CAIRN_OK ? listed_proxies(world) : NULL;
    }
    if (proxies == NULL)
        return CAIRN_ERROR_MEMORY;
    // the bounds hold each collider's own margin
    double skin = 0.1 * smallest_collider(world);
    bool rebuilt = false;
    status = eng_space_update(world, proxies, skin, &rebuilt);
    if (status == CAIRN_OK && rebuilt)
        status = take_pairs(world, skin);
    if (status == CAIRN_OK)
        world->contacts.pairs.topology_changed = false;
    return status == CAIRN_OK ? eng_plan_update(world) : status;
}

/// Keeps that no point of one collider is nearer to one of the other than `apart`, m. Images may
/// jump.
static void keep_distance(const cairn_world *world, eng_pair *pair, double apart)
{
    double way = world->contacts.colliders.way[pair->colliders.first] +
                 world->contacts.colliders.way[pair->colliders.second];
    if (apart > 0.0 && !world->state.cell.any)
        pair->clear = way * (1.0 - 1e-15) + apart * (1.0 - 1e-9);
}

/// Half-spaces have no bounds: a ball that stays clear of the plane ends the search at once, and
/// those of the next steps until it may have got there.
static bool is_clear_of_plane(const cairn_world *world, eng_pair *pair, double margin)
{
    for (int side = 0; side < 2; side++) {
        int plane = side == 0 ? pair->colliders.first : pair->colliders.second;
        int other = side == 0 ? pair->colliders.second : pair->colliders.first;
        if (world->contacts.colliders.rows[plane].shape->kind != GEO_HALFSPACE)
            continue;
        vec3 centre = pose_apply_inverse(&world->contacts.colliders.pose[plane],
                                         world->contacts.colliders.pose[other].position);
        double apart = centre.z - world->contacts.colliders.rows[other].shape->bounding_radius;
        if (apart > margin) {
            keep_distance(world, pair, apart);
            return true;
        }
    }
    return false;
}

/// Whether closed contacts alone are asked for at a place of the plan: of laws of impulses that
/// hold nothing together.
static bool is_closed_alone(const cairn_world *world, int place)
{
    const eng_plan *plan = &world->contacts.plan;
    const eng_surface *surface =
        &world->model.materials.surfaces[plan->batches[plan->batch[place]].surface];
    return place >= plan->cone_pairs && surface->law->bonded == NULL;
}

/// Whether a pair of bodies that may come near is clear of what they do in the step nevertheless.
static bool flies_clear(const cairn_world *world, const eng_pair *pair)
{
    int a = pair->colliders.first, b = pair->colliders.second;
    double gap = pair->count > 0
                     ? world->contacts.colliders.reach[a] + world->contacts.colliders.reach[b]
                     : 0.0;
    return eng_pair_is_clear(world, pair, gap) &&
           eng_pair_is_clear(world, pair, eng_meeting_much(world, pair) + gap);
}

/// Distance of two boxes along the axis where it is largest, m; not above 0 where they overlap.
static double distance_of_bounds(const geo_bounds *a, const geo_bounds *b)
{
    vec3 after = vec3_sub(b->low, a->high), before = vec3_sub(a->low, b->high);
    vec3 most = {after.x > before.x ? after.x : before.x, after.y > before.y ? after.y : before.y,
                 after.z > before.z ? after.z : before.z};
    double xy = most.x > most.y ? most.x : most.y;
    return xy > most.z ? xy : most.z;
}

/// Restitution of the pair at a place of the plan, of a cone law.
static double restitution_of(const cairn_world *world, int place)
{
    const eng_plan *plan = &world->contacts.plan;
    const eng_surface *surface =
        &world->model.materials.surfaces[plan->batches[plan->batch[place]].surface];
    con_cone_terms terms = {0};
    surface->law->cone(surface->parameters, &terms);
    return terms.restitution;
}

/// The contacts of a pair go to the manifold.
/// @param apart  out: whether the bounds of the two are
static cairn_status collide(cairn_world *world, int index, double margin, geo_manifold *manifold,
                            bool *apart)
{
    eng_pair *pair = &world->contacts.pairs.rows[index];
    int first = pair->colliders.first, second = pair->colliders.second;
    const eng_collider *a = &world->contacts.colliders.rows[first],
                       *b = &world->contacts.colliders.rows[second];
    // B, or the image of it that is next to A
    pose place = world->contacts.colliders.pose[second];
    geo_bounds bounds = world->contacts.broad.proxies[second].bounds;
    if (world->state.cell.any) {
        vec3 shift = eng_pair_shift(world, a->body, b->body);
        place.position = vec3_add(place.position, shift);
        bounds = (geo_bounds){vec3_add(bounds.low, shift), vec3_add(bounds.high, shift)};
    }
    cairn_status status = CAIRN_OK;
    geo_pair_cache cache = {
        .axis = pair->axis,
        .feature = {pair->feature[0], pair->feature[1]},
        .apart = distance_of_bounds(&world->contacts.broad.proxies[first].bounds, &bounds),
        .leading = index < world->contacts.pairs.leading_count
                       ? &world->contacts.pairs.leading[index]
                       : NULL,
    };
    *apart = cache.apart > 0.0;
    if (!*apart) {
        status = geo_collide(a->shape, &world->contacts.colliders.pose[first], b->shape, &place,
                             margin, &cache, manifold);
        pair->axis = cache.axis;
        pair->feature[0] = cache.feature[0];
        pair->feature[1] = cache.feature[1];
    }
    keep_distance(world, pair, cache.apart);
    return status;
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
    geo_manifold *manifold = &world->contacts.narrow.manifolds[chunk];
    manifold->count = 0;
    bool closed_alone = false;
    int busy = begin;
    for (int i = begin, batch = -1; i < end; i++) {
        int index = world->contacts.plan.order[i], before = manifold->count, found = 0;
        eng_pair *pair = &world->contacts.pairs.rows[index];
        if (!eng_sharing_finds(world, i)) {
            world->contacts.narrow.raw_count[i] = 0;
            world->contacts.narrow.taken.busy[busy++] = i;
            continue;
        }
        if (world->contacts.plan.batch[i] != batch) {
            batch = world->contacts.plan.batch[i];
            closed_alone = is_closed_alone(world, i);
        }
        int a = pair->colliders.first, b = pair->colliders.second;
        bool swept = world->scratch.aims != NULL && i < world->contacts.plan.cone_pairs;
        if (swept)
            world->scratch.bounce[index] = INFINITY;
        // most pairs of bodies that fly beside each other are done with here
        if (swept && !world->state.pieces.thrown &&
            (!world->scratch.nears[i] || flies_clear(world, pair))) {
            world->contacts.narrow.raw_count[i] = 0;
            if (pair->count > 0)
                world->contacts.narrow.taken.busy[busy++] = i;
            continue;
        }
        double way = 0.0;
        double margin = swept          ? eng_meeting_margin(world, pair, &way)
                        : closed_alone ? 0.0
                                       : world->contacts.colliders.margin[a] +
                                             world->contacts.colliders.margin[b];
        // what acted in the last step may go on across a gap
        if (pair->count > 0 && !closed_alone)
            margin += world->contacts.colliders.reach[a] + world->contacts.colliders.reach[b];
        double reach = real_max(margin, way);
        if (!eng_pair_is_clear(world, pair, reach) && !is_clear_of_plane(world, pair, reach)) {
            bool apart = false;
            cairn_status status = collide(world, index, margin, manifold, &apart);
            if (status != CAIRN_ERROR_MEMORY && swept && !apart)
                status = eng_meeting_settle(world, pair, way, margin, restitution_of(world, i),
                                            manifold, before, &world->scratch.bounce[index]);
            if (status == CAIRN_ERROR_MEMORY ||
                (status == CAIRN_INTERRUPTED && context->status[chunk] == CAIRN_OK))
                context->status[chunk] = status;
            found = manifold->count - before;
        }
        if (swept && world->state.pieces.thrown) {
            cairn_status status = eng_meeting_look_back(world, pair, manifold);
            if (status != CAIRN_OK && context->status[chunk] != CAIRN_ERROR_MEMORY)
                context->status[chunk] = status;
        }
        world->contacts.narrow.raw_count[i] = found;
        if (found > 0 || pair->count > 0)
            world->contacts.narrow.taken.busy[busy++] = i;
    }
    world->contacts.narrow.taken.busy_count[chunk] = busy - begin;
}

static cairn_status reserve_manifolds(cairn_world *world, int chunks)
{
    int count = chunks + base_workers_count(world->model.workers);
    BASE_TRY(base_array_reserve(&world->model.allocator, &world->contacts.narrow.manifolds,
                                &world->contacts.narrow.manifold_capacity, count));
    BASE_TRY(base_array_reserve(&world->model.allocator, &world->contacts.narrow.raw_count,
                                &world->contacts.narrow.raw_capacity, world->contacts.pairs.count));
    for (; world->contacts.narrow.manifold_count < count; world->contacts.narrow.manifold_count++)
        geo_manifold_init(&world->contacts.narrow.manifolds[world->contacts.narrow.manifold_count],
                          &world->model.allocator);
    return CAIRN_OK;
}

cairn_status eng_block_narrow_phase(cairn_world *world)
{
    int chunks = base_chunk_count(world->contacts.pairs.count, ENG_PAIR_CHUNK);
    BASE_TRY(reserve_manifolds(world, chunks));
    BASE_TRY(eng_sharing_begin(world));
    BASE_TRY(eng_aims_find(world));
    cairn_status *results = base_arena_array(world->scratch.arena, cairn_status, "narrow", chunks);
    world->scratch.bounce = NULL;
    if (world->scratch.aims != NULL) {
        world->scratch.bounce =
            base_arena_array(world->scratch.arena, double, "bounces", world->contacts.pairs.count);
        if (world->scratch.bounce == NULL)
            return CAIRN_ERROR_MEMORY;
    }
    world->contacts.narrow.taken.busy =
        base_arena_array(world->scratch.arena, int, "narrow", world->contacts.pairs.count);
    world->contacts.narrow.taken.busy_count =
        base_arena_array(world->scratch.arena, int, "narrow", chunks);
    if (results == NULL || world->contacts.narrow.taken.busy == NULL ||
        world->contacts.narrow.taken.busy_count == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(results, 0, (size_t)chunks * sizeof *results);
    narrow_context context = {world, results};
    base_parallel_for(world->model.workers, world->contacts.pairs.count, ENG_PAIR_CHUNK,
                      narrow_chunk, &context);
    world->state.pieces.too_long = false;
    for (int i = 0; i < chunks; i++) {
        if (results[i] == CAIRN_ERROR_MEMORY)
            return results[i];
        world->state.pieces.too_long =
            world->state.pieces.too_long || results[i] == CAIRN_INTERRUPTED;
    }
    return CAIRN_OK;
}
