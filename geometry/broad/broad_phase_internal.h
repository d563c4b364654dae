// SPDX-License-Identifier: Apache-2.0
// State of the broad phase and the steps of a rebuild: classes, grid, hierarchy, sorting.
#ifndef CAIRN_GEOMETRY_BROAD_BROAD_PHASE_INTERNAL_H
#define CAIRN_GEOMETRY_BROAD_BROAD_PHASE_INTERNAL_H

#include "geometry/broad/broad_phase.h"
#include "geometry/mesh/bvh.h"

/// Proxies per chunk of a parallel loop.
enum { GEO_BROAD_CHUNK = 1024 };

/// Proxies looked at for a typical position or size.
enum { GEO_BROAD_SAMPLE = 101 };

/// Growing list of pairs; one for each chunk, so that chunks can be searched at the same time.
/// Workers write what fits and count the rest; the caller grows the list and repeats the chunk.
typedef struct geo_pair_list {
    geo_pair *pairs;
    int capacity;
    long count; // may exceed the capacity until the chunk is repeated
} geo_pair_list;

/// A proxy as it was listed.
typedef struct geo_fat_proxy {
    geo_bounds bounds; // world, inflated by reach + skin
    int group;
    int mobile; // 0 or 1
    int index;  // of the proxy
} geo_fat_proxy;

/// Where a proxy is looked for.
typedef enum geo_broad_class {
    GEO_CLASS_GRID,      // like-sized
    GEO_CLASS_TREE,      // much larger or smaller than those
    GEO_CLASS_UNBOUNDED, // infinite
    GEO_CLASS_NONE       // not a number: overlaps nothing
} geo_broad_class;

/// Uniform grid: its proxies sorted by cell, cells in rows along x.
typedef struct geo_broad_grid {
    geo_fat_proxy *sorted; // [count] by (cell, index)
    uint64_t *keys;        // [count] packed cell
    uint64_t *spare_keys;  // [count] for sorting
    int *order;            // [count] index of the proxy
    int *spare_order;      // [count]
    int count;
    int capacity[5];
    uint64_t row_step;   // key difference of neighbour cells along y
    uint64_t layer_step; // and along z
} geo_broad_grid;

struct geo_broad_phase {
    base_allocator allocator;

    // kept between updates: what the list was made from
    geo_fat_proxy *fat; // [count]
    int fat_capacity;
    int count;
    geo_pair *pairs; // [pair_count] sorted
    int pair_capacity;
    int pair_count;

    // scratch of a rebuild, kept for its memory
    unsigned char *classes; // [count] geo_broad_class
    int class_capacity;
    unsigned char *moved; // [chunks]
    int moved_capacity;
    geo_broad_grid grid;
    geo_bvh *tree;
    int *tree_items; // [tree_count] proxies of the tree
    int tree_item_capacity;
    geo_bounds *tree_bounds; // [tree_count]
    int tree_bound_capacity;
    int tree_count;
    geo_pair_list *lists; // [list_capacity] grid chunks, then tree chunks, then unbounded ones
    int list_capacity;
    int *starts; // [count + 1] first pair of each proxy while sorting
    int start_capacity;
};

/// Whether two proxies belong into the list. No branches: their outcome is hard to predict.
static inline int geo_fat_pair(const geo_fat_proxy *a, const geo_fat_proxy *b)
{
    const vec3 *al = &a->bounds.low, *ah = &a->bounds.high;
    const vec3 *bl = &b->bounds.low, *bh = &b->bounds.high;
    return (al->x <= bh->x) & (bl->x <= ah->x) & (al->y <= bh->y) & (bl->y <= ah->y) &
           (al->z <= bh->z) & (bl->z <= ah->z) & (a->group != b->group) & (a->mobile | b->mobile);
}

static inline void geo_pair_list_add(geo_pair_list *list, int a, int b)
{
    if (list->count < list->capacity)
        list->pairs[list->count] = a < b ? (geo_pair){a, b} : (geo_pair){b, a};
    list->count++;
}

/// Middle one of some values, which get sorted.
double geo_broad_median(double *values, int count);

/// Fills `classes`: chooses the range of sizes for the grid by an estimate of the total work.
void geo_broad_classify(geo_broad_phase *broad);

/// Sorts the proxies of the grid's class by cell.
cairn_status geo_broad_grid_build(geo_broad_phase *broad) CAIRN_CHECK_RESULT;

/// Adds the pairs within the grid whose first one in cell order is in [begin, end).
void geo_broad_grid_search(const geo_broad_phase *broad, int begin, int end, geo_pair_list *list);

/// Builds the hierarchy over the proxies of the tree's class.
cairn_status geo_broad_tree_build(geo_broad_phase *broad) CAIRN_CHECK_RESULT;

/// Adds the pairs of proxies [begin, end) with those of the tree.
void geo_broad_tree_search(const geo_broad_phase *broad, int begin, int end, geo_pair_list *list);

/// Adds the pairs of the unbounded proxies among [begin, end) with all others.
void geo_broad_unbounded_search(const geo_broad_phase *broad, int begin, int end,
                                geo_pair_list *list);

/// Gathers the chunks' lists into `pairs`, sorted by (first, second).
cairn_status geo_broad_gather(geo_broad_phase *broad, int list_count) CAIRN_CHECK_RESULT;

#endif
