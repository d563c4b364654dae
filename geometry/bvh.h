// SPDX-License-Identifier: Apache-2.0
// Static bounding volume hierarchy over boxes; used by meshes and by the broad phase.
#ifndef CAIRN_GEOMETRY_BVH_H
#define CAIRN_GEOMETRY_BVH_H

#include "geometry/shape.h"

typedef struct geo_bvh geo_bvh;

/// Built top-down in a deterministic way. NULL when out of memory. `bounds` is not kept.
geo_bvh *geo_bvh_create(const base_allocator *allocator, const geo_bounds *bounds, int count);
void geo_bvh_destroy(geo_bvh *bvh);

/// Calls `visit(context, item)` for each item whose box overlaps `query`, in an order that depends
/// on the tree alone; stops when visit returns false.
void geo_bvh_query(const geo_bvh *bvh, geo_bounds query, bool (*visit)(void *context, int item),
                   void *context);

#endif
