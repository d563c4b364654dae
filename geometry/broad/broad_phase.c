// SPDX-License-Identifier: Apache-2.0
// Broad phase: decides when the list must be made anew, and runs the steps of a rebuild.
#include "geometry/broad/broad_phase_internal.h"

#include "base/assert.h"

#include <limits.h>
#include <string.h>

geo_broad_phase *geo_broad_phase_create(const base_allocator *allocator)
{
    geo_broad_phase *broad = base_allocate(allocator, 1, sizeof *broad);
    if (broad == NULL)
        return NULL;
    broad->allocator = *allocator;
    broad->count = -1; // no list yet
    broad->tree = geo_bvh_create(allocator, NULL, 0);
    if (broad->tree == NULL) {
        base_release(allocator, broad);
        return NULL;
    }
    return broad;
}

void geo_broad_phase_destroy(geo_broad_phase *broad)
{
    if (broad == NULL)
        return;
    base_allocator allocator = broad->allocator;
    for (int i = 0; i < broad->list_capacity; i++)
        base_release(&allocator, broad->lists[i].pairs);
    geo_bvh_destroy(broad->tree);
    void *const blocks[] = {
        broad->fat,
        broad->pairs,
        broad->classes,
        broad->moved,
        broad->grid.sorted,
        broad->grid.keys,
        broad->grid.spare_keys,
        broad->grid.order,
        broad->tree_items,
        broad->tree_bounds,
        broad->grid.spare_order,
        broad->lists,
        broad->starts,
        broad,
    };
    for (int i = 0; i < BASE_COUNT(blocks); i++)
        base_release(&allocator, blocks[i]);
}

const geo_pair *geo_broad_phase_pairs(const geo_broad_phase *broad, int *count)
{
    *count = broad->pair_count;
    return broad->pairs;
}

int geo_broad_phase_count(const geo_broad_phase *broad)
{
    return broad->count;
}

geo_proxy geo_broad_phase_listed(const geo_broad_phase *broad, int index)
{
    const geo_fat_proxy *fat = &broad->fat[index];
    return (geo_proxy){.bounds = fat->bounds, .group = fat->group, .mobile = fat->mobile};
}

cairn_status geo_broad_phase_restore(geo_broad_phase *broad, const geo_proxy *listed, int count,
                                     const geo_pair *pairs, int pair_count)
{
    const base_allocator *allocator = &broad->allocator;
    int chunks = count > 0 ? base_chunk_count(count, GEO_BROAD_CHUNK) : 0;
    BASE_TRY(base_array_reserve(allocator, &broad->fat, &broad->fat_capacity, count));
    BASE_TRY(base_array_reserve(allocator, &broad->moved, &broad->moved_capacity, chunks));
    BASE_TRY(base_array_reserve(allocator, &broad->pairs, &broad->pair_capacity, pair_count));
    for (int i = 0; i < count; i++)
        broad->fat[i] = (geo_fat_proxy){
            .bounds = listed[i].bounds,
            .group = listed[i].group,
            .mobile = listed[i].mobile,
            .index = i,
        };
    if (pair_count > 0)
        memcpy(broad->pairs, pairs, (size_t)pair_count * sizeof *pairs);
    broad->count = count;
    broad->pair_count = pair_count;
    return CAIRN_OK;
}

/// What the loops over proxies share.
typedef struct loop {
    geo_broad_phase *broad;
    const geo_proxy *proxies;
    double reach;
    double margin; // reach + skin
    void (*search)(const geo_broad_phase *broad, int begin, int end, geo_pair_list *list);
    geo_pair_list *lists; // [chunks] of this search
} loop;

static bool contains(const geo_bounds *outer, geo_bounds inner)
{
    return outer->low.x <= inner.low.x && outer->low.y <= inner.low.y &&
           outer->low.z <= inner.low.z && inner.high.x <= outer->high.x &&
           inner.high.y <= outer->high.y && inner.high.z <= outer->high.z;
}

/// Proxies with bounds that are not a number stay where they are: nowhere.
static bool has_left(const geo_bounds *fat, geo_bounds now)
{
    return isnan(now.low.x) ? !isnan(fat->low.x) : !contains(fat, now);
}

static void find_moved_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const loop *l = context;
    unsigned char moved = 0;
    for (int i = begin; i < end && !moved; i++) {
        const geo_fat_proxy *fat = &l->broad->fat[i];
        const geo_proxy *now = &l->proxies[i];
        moved = fat->group != now->group || (fat->mobile != 0) != (now->mobile != 0) ||
                has_left(&fat->bounds, geo_bounds_inflate(now->bounds, l->reach));
    }
    l->broad->moved[chunk] = moved;
}

static bool list_is_current(loop *l, int count, base_workers *workers)
{
    base_parallel_for(workers, count, GEO_BROAD_CHUNK, find_moved_chunk, l);
    for (int chunk = 0; chunk < base_chunk_count(count, GEO_BROAD_CHUNK); chunk++)
        if (l->broad->moved[chunk])
            return false;
    return true;
}

static void fatten_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk;
    (void)worker;
    const loop *l = context;
    for (int i = begin; i < end; i++) {
        const geo_proxy *proxy = &l->proxies[i];
        l->broad->fat[i] = (geo_fat_proxy){
            .bounds = geo_bounds_inflate(proxy->bounds, l->margin),
            .group = proxy->group,
            .mobile = proxy->mobile != 0,
            .index = i,
        };
    }
}

static cairn_status reserve_lists(geo_broad_phase *broad, int needed)
{
    int before = broad->list_capacity;
    cairn_status status =
        base_array_reserve(&broad->allocator, &broad->lists, &broad->list_capacity, needed);
    for (int i = before; i < broad->list_capacity; i++)
        broad->lists[i] = (geo_pair_list){0};
    return status;
}

static void search_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const loop *l = context;
    l->lists[chunk].count = 0;
    l->search(l->broad, begin, end, &l->lists[chunk]);
}

// searches [0, count) in chunks, again for those whose list was too short
static cairn_status search_all(loop *l, int count, base_workers *workers)
{
    base_parallel_for(workers, count, GEO_BROAD_CHUNK, search_chunk, l);
    for (int chunk = 0; chunk < base_chunk_count(count, GEO_BROAD_CHUNK); chunk++) {
        geo_pair_list *list = &l->lists[chunk];
        if (list->count <= list->capacity)
            continue;
        // a quarter more, so that slow growth does not allocate at each rebuild
        long wanted = list->count + list->count / 4;
        if (wanted > INT_MAX || base_array_reserve(&l->broad->allocator, &list->pairs,
                                                   &list->capacity, (int)wanted) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
        int begin = chunk * GEO_BROAD_CHUNK;
        int end = begin + GEO_BROAD_CHUNK < count ? begin + GEO_BROAD_CHUNK : count;
        search_chunk(l, begin, end, chunk, 0);
    }
    return CAIRN_OK;
}

static cairn_status search_pairs(loop *l, base_workers *workers)
{
    geo_broad_phase *broad = l->broad;
    int grid_lists = base_chunk_count(broad->grid.count, GEO_BROAD_CHUNK);
    int proxy_lists = base_chunk_count(broad->count, GEO_BROAD_CHUNK);
    int list_count = grid_lists + 2 * proxy_lists;
    BASE_TRY(reserve_lists(broad, list_count));
    // without a proxy there is no list to search into
    if (list_count == 0)
        return geo_broad_gather(broad, 0);
    l->lists = broad->lists;
    l->search = geo_broad_grid_search;
    cairn_status status = search_all(l, broad->grid.count, workers);
    l->lists += grid_lists;
    l->search = geo_broad_tree_search;
    if (status == CAIRN_OK)
        status = search_all(l, broad->count, workers);
    l->lists += proxy_lists;
    l->search = geo_broad_unbounded_search;
    if (status == CAIRN_OK)
        status = search_all(l, broad->count, workers);
    return status == CAIRN_OK ? geo_broad_gather(broad, list_count) : status;
}

static cairn_status rebuild(loop *l, int count, base_workers *workers)
{
    geo_broad_phase *broad = l->broad;
    const base_allocator *allocator = &broad->allocator;
    int chunks = base_chunk_count(count, GEO_BROAD_CHUNK);
    // an update that fails leaves an empty list that the next one makes anew
    broad->count = -1;
    broad->pair_count = 0;
    BASE_TRY(base_array_reserve(allocator, &broad->fat, &broad->fat_capacity, count));
    BASE_TRY(base_array_reserve(allocator, &broad->classes, &broad->class_capacity, count));
    BASE_TRY(base_array_reserve(allocator, &broad->moved, &broad->moved_capacity, chunks));
    base_parallel_for(workers, count, GEO_BROAD_CHUNK, fatten_chunk, l);
    broad->count = count;
    geo_broad_classify(broad);
    cairn_status status = geo_broad_grid_build(broad);
    if (status == CAIRN_OK)
        status = geo_broad_tree_build(broad);
    if (status == CAIRN_OK)
        status = search_pairs(l, workers);
    if (status != CAIRN_OK) {
        broad->count = -1;
        broad->pair_count = 0;
    }
    return status;
}

bool geo_broad_phase_is_current(geo_broad_phase *broad, const geo_proxy *proxies, int count,
                                double reach, base_workers *workers)
{
    loop l = {.broad = broad, .proxies = proxies, .reach = reach};
    return count == broad->count && list_is_current(&l, count, workers);
}

cairn_status geo_broad_phase_update(geo_broad_phase *broad, const geo_proxy *proxies, int count,
                                    double reach, double skin, bool force, base_workers *workers,
                                    bool *rebuilt)
{
    BASE_ASSERT(count >= 0 && reach >= 0.0 && skin >= 0.0);
    loop l = {.broad = broad, .proxies = proxies, .reach = reach, .margin = reach + skin};
    *rebuilt = false;
    if (!force && skin > 0.0 && geo_broad_phase_is_current(broad, proxies, count, reach, workers))
        return CAIRN_OK;
    *rebuilt = true;
    return rebuild(&l, count, workers);
}
