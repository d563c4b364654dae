// SPDX-License-Identifier: Apache-2.0
// Bounding volume hierarchy, stored in depth-first order so that queries need no stack.
#include "geometry/mesh/bvh.h"

#include "base/assert.h"

#include <limits.h>
#include <string.h>

enum { LEAF_SIZE = 4, BIN_COUNT = 16, HEURISTIC_DEPTH = 40 };

typedef struct bvh_node {
    geo_bounds bounds;
    int next;  // node to go on with when this one is left out; its children begin at the next index
    int first; // into items
    int count; // items of a leaf; 0 for an inner node
} bvh_node;

struct geo_bvh {
    base_allocator allocator;
    bvh_node *nodes;
    int node_count;
    int node_capacity;
    int *items; // [count] in leaf order
    int item_capacity;
    geo_bounds *boxes; // [count] of the items, in leaf order
    int box_capacity;
};

typedef struct bin {
    geo_bounds bounds;
    int count;
} bin;

/// Where to cut a range of items: those with bin <= cut go left. axis -1: in the middle of the
/// list.
typedef struct split {
    int axis;
    int cut;
    double low, scale; // bin of a centre = (centre - low) * scale
} split;

static geo_bounds empty_bounds(void)
{
    const vec3 infinite = {INFINITY, INFINITY, INFINITY};
    return (geo_bounds){infinite, vec3_negate(infinite)};
}

// plain comparisons: fmin and fmax cost a call each
static inline void grow(geo_bounds *a, const geo_bounds *b)
{
    a->low.x = b->low.x < a->low.x ? b->low.x : a->low.x;
    a->low.y = b->low.y < a->low.y ? b->low.y : a->low.y;
    a->low.z = b->low.z < a->low.z ? b->low.z : a->low.z;
    a->high.x = b->high.x > a->high.x ? b->high.x : a->high.x;
    a->high.y = b->high.y > a->high.y ? b->high.y : a->high.y;
    a->high.z = b->high.z > a->high.z ? b->high.z : a->high.z;
}

static double half_area(const geo_bounds *b)
{
    double x = b->high.x - b->low.x, y = b->high.y - b->low.y, z = b->high.z - b->low.z;
    return x * y + y * z + z * x;
}

static double centre_along(const geo_bounds *b, int axis)
{
    return 0.5 * vec3_get(b->low, axis) + 0.5 * vec3_get(b->high, axis);
}

static int bin_of(const split *s, const geo_bounds *b)
{
    double position = (centre_along(b, s->axis) - s->low) * s->scale;
    // written so that a NaN falls into a bin too
    return position >= BIN_COUNT ? BIN_COUNT - 1 : position > 0.0 ? (int)position : 0;
}

// best cut of one axis; cost is the sum over both sides of items times area
static double best_cut(const bin bins[BIN_COUNT], int *cut)
{
    double right_cost[BIN_COUNT];
    geo_bounds side = empty_bounds();
    for (int b = BIN_COUNT - 1, count = 0; b > 0; b--) {
        grow(&side, &bins[b].bounds);
        count += bins[b].count;
        right_cost[b] = count > 0 ? count * half_area(&side) : INFINITY;
    }
    double best = INFINITY;
    side = empty_bounds();
    for (int b = 0, count = 0; b < BIN_COUNT - 1; b++) {
        grow(&side, &bins[b].bounds);
        count += bins[b].count;
        double cost = count > 0 ? count * half_area(&side) + right_cost[b + 1] : INFINITY;
        if (cost < best) {
            best = cost;
            *cut = b;
        }
    }
    return best;
}

static split choose_split(const geo_bounds *bounds, const int *items, int count)
{
    geo_bounds range = empty_bounds();
    for (int i = 0; i < count; i++) {
        const geo_bounds *b = &bounds[items[i]];
        vec3 centre = {centre_along(b, 0), centre_along(b, 1), centre_along(b, 2)};
        geo_bounds point = {centre, centre};
        grow(&range, &point);
    }
    // the axis along which the centres spread most
    vec3 spread = vec3_sub(range.high, range.low);
    int axis = spread.x >= spread.y && spread.x >= spread.z ? 0 : spread.y >= spread.z ? 1 : 2;
    double extent = vec3_get(spread, axis);
    split s = {.axis = -1};
    if (!(extent > 0.0) || !isfinite(extent))
        return s;
    s = (split){.axis = axis, .low = vec3_get(range.low, axis), .scale = BIN_COUNT / extent};
    bin bins[BIN_COUNT];
    for (int b = 0; b < BIN_COUNT; b++)
        bins[b] = (bin){empty_bounds(), 0};
    for (int i = 0; i < count; i++) {
        bin *into = &bins[bin_of(&s, &bounds[items[i]])];
        grow(&into->bounds, &bounds[items[i]]);
        into->count++;
    }
    if (!isfinite(best_cut(bins, &s.cut)))
        s.axis = -1;
    return s;
}

// moves the items of the left side to the front; returns their number
static int partition(const split *s, const geo_bounds *bounds, int *items, int count)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        if (bin_of(s, &bounds[items[i]]) > s->cut)
            continue;
        int swap = items[i];
        items[i] = items[left];
        items[left++] = swap;
    }
    return left;
}

static int divide(const geo_bounds *bounds, int *items, int count, int depth)
{
    // far down, halves by number: the depth stays bounded whatever the boxes are
    if (depth >= HEURISTIC_DEPTH)
        return count / 2;
    split s = choose_split(bounds, items, count);
    int left = s.axis >= 0 ? partition(&s, bounds, items, count) : 0;
    return left > 0 && left < count ? left : count / 2;
}

// room for all nodes was reserved by the caller
static void build(geo_bvh *bvh, const geo_bounds *bounds, int first, int count, int depth)
{
    int *items = bvh->items + first;
    bvh_node *node = &bvh->nodes[bvh->node_count++];
    *node = (bvh_node){empty_bounds(), 0, first, count};
    for (int i = 0; i < count; i++)
        grow(&node->bounds, &bounds[items[i]]);
    if (count > LEAF_SIZE) {
        node->count = 0;
        int left = divide(bounds, items, count, depth);
        build(bvh, bounds, first, left, depth + 1);
        build(bvh, bounds, first + left, count - left, depth + 1);
    }
    node->next = bvh->node_count;
}

geo_bvh *geo_bvh_create(const base_allocator *allocator, const geo_bounds *bounds, int count)
{
    geo_bvh *bvh = base_allocate(allocator, 1, sizeof *bvh);
    if (bvh == NULL)
        return NULL;
    bvh->allocator = *allocator;
    if (geo_bvh_rebuild(bvh, bounds, count) != CAIRN_OK) {
        geo_bvh_destroy(bvh);
        return NULL;
    }
    return bvh;
}

void geo_bvh_destroy(geo_bvh *bvh)
{
    if (bvh == NULL)
        return;
    base_allocator allocator = bvh->allocator;
    base_release(&allocator, bvh->nodes);
    base_release(&allocator, bvh->items);
    base_release(&allocator, bvh->boxes);
    base_release(&allocator, bvh);
}

cairn_status geo_bvh_rebuild(geo_bvh *bvh, const geo_bounds *bounds, int count)
{
    BASE_ASSERT(count >= 0);
    bvh->node_count = 0;
    if (count == 0)
        return CAIRN_OK;
    if (count > INT_MAX / 2)
        return CAIRN_ERROR_MEMORY;
    cairn_status status =
        base_array_reserve(&bvh->allocator, &bvh->items, &bvh->item_capacity, count);
    if (status == CAIRN_OK)
        status = base_array_reserve(&bvh->allocator, &bvh->boxes, &bvh->box_capacity, count);
    // no leaf is empty: a binary tree has fewer inner nodes than leaves
    if (status == CAIRN_OK)
        status =
            base_array_reserve(&bvh->allocator, &bvh->nodes, &bvh->node_capacity, 2 * count - 1);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < count; i++)
        bvh->items[i] = i;
    build(bvh, bounds, 0, count, 0);
    for (int i = 0; i < count; i++)
        bvh->boxes[i] = bounds[bvh->items[i]];
    return CAIRN_OK;
}

void geo_bvh_query(const geo_bvh *bvh, geo_bounds query, bool (*visit)(void *context, int item),
                   void *context)
{
    for (int i = 0; i < bvh->node_count;) {
        const bvh_node *node = &bvh->nodes[i];
        if (!geo_bounds_overlap(node->bounds, query)) {
            i = node->next;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++)
            if (geo_bounds_overlap(bvh->boxes[k], query) && !visit(context, bvh->items[k]))
                return;
        i++;
    }
}

void geo_bvh_query_ball(const geo_bvh *bvh, vec3 centre, double radius,
                        bool (*visit)(void *context, int item), void *context)
{
    double limit = radius * radius;
    for (int i = 0; i < bvh->node_count;) {
        const bvh_node *node = &bvh->nodes[i];
        if (geo_bounds_squared_distance(&node->bounds, centre) > limit) {
            i = node->next;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++)
            if (geo_bounds_squared_distance(&bvh->boxes[k], centre) <= limit &&
                !visit(context, bvh->items[k]))
                return;
        i++;
    }
}

void geo_bvh_cast(const geo_bvh *bvh, geo_ray ray, double (*visit)(void *context, int item),
                  void *context)
{
    for (int i = 0; i < bvh->node_count;) {
        const bvh_node *node = &bvh->nodes[i];
        if (!geo_bounds_meet_ray(&node->bounds, &ray)) {
            i = node->next;
            continue;
        }
        for (int k = node->first; k < node->first + node->count; k++)
            if (geo_bounds_meet_ray(&bvh->boxes[k], &ray))
                ray.length = visit(context, bvh->items[k]);
        i++;
    }
}
