// SPDX-License-Identifier: Apache-2.0
// Broad phase of mixed sizes: a hierarchy over the odd ones, which everyone queries; and the
// unbounded ones, which are tried against all.
#include "geometry/broad/broad_phase_internal.h"

cairn_status geo_broad_tree_build(geo_broad_phase *broad)
{
    int count = 0;
    for (int i = 0; i < broad->count; i++)
        count += broad->classes[i] == GEO_CLASS_TREE;
    BASE_TRY(base_array_reserve(&broad->allocator, &broad->tree_items, &broad->tree_item_capacity,
                                count));
    BASE_TRY(base_array_reserve(&broad->allocator, &broad->tree_bounds, &broad->tree_bound_capacity,
                                count));
    broad->tree_count = 0;
    for (int i = 0; i < broad->count; i++)
        if (broad->classes[i] == GEO_CLASS_TREE) {
            broad->tree_items[broad->tree_count] = i;
            broad->tree_bounds[broad->tree_count++] = broad->fat[i].bounds;
        }
    return geo_bvh_rebuild(broad->tree, broad->tree_bounds, count);
}

typedef struct tree_query {
    const geo_broad_phase *broad;
    geo_pair_list *list;
    int asking; // proxy
    bool in_tree;
} tree_query;

static bool visit_tree(void *context, int item)
{
    const tree_query *query = context;
    int other = query->broad->tree_items[item];
    // two of the tree find each other twice: the lower one lists the pair
    if (query->in_tree && other <= query->asking)
        return true;
    if (geo_fat_pair(&query->broad->fat[query->asking], &query->broad->fat[other]))
        geo_pair_list_add(query->list, query->asking, other);
    return true;
}

void geo_broad_tree_search(const geo_broad_phase *broad, int begin, int end, geo_pair_list *list)
{
    if (broad->tree_count == 0)
        return;
    for (int i = begin; i < end; i++) {
        if (broad->classes[i] != GEO_CLASS_GRID && broad->classes[i] != GEO_CLASS_TREE)
            continue;
        tree_query query = {broad, list, i, broad->classes[i] == GEO_CLASS_TREE};
        geo_bvh_query(broad->tree, broad->fat[i].bounds, visit_tree, &query);
    }
}

void geo_broad_unbounded_search(const geo_broad_phase *broad, int begin, int end,
                                geo_pair_list *list)
{
    for (int i = begin; i < end; i++) {
        if (broad->classes[i] != GEO_CLASS_UNBOUNDED)
            continue;
        for (int other = 0; other < broad->count; other++) {
            bool twice = broad->classes[other] == GEO_CLASS_UNBOUNDED && other <= i;
            if (!twice && geo_fat_pair(&broad->fat[i], &broad->fat[other]))
                geo_pair_list_add(list, i, other);
        }
    }
}
