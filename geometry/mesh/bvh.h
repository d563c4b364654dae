// SPDX-License-Identifier: Apache-2.0
// Static bounding volume hierarchy over boxes; used by meshes and by the broad phase.
#ifndef CAIRN_GEOMETRY_MESH_BVH_H
#define CAIRN_GEOMETRY_MESH_BVH_H

#include "base/memory.h"
#include "geometry/mesh/bounds.h"

typedef struct geo_bvh geo_bvh;

/// Built top-down in a deterministic way (binned surface area heuristic, depth bounded). NULL when
/// out of memory. `bounds` must be finite and is not kept.
geo_bvh *geo_bvh_create(const base_allocator *allocator, const geo_bounds *bounds, int count);
void geo_bvh_destroy(geo_bvh *bvh);

/// Builds anew over other boxes, in the same memory where it suffices. After a failure the
/// hierarchy is empty.
cairn_status geo_bvh_rebuild(geo_bvh *bvh, const geo_bounds *bounds, int count) CAIRN_CHECK_RESULT;

/// Calls `visit(context, item)` for each item whose box overlaps `query`, in an order that depends
/// on the tree alone; stops when visit returns false.
void geo_bvh_query(const geo_bvh *bvh, geo_bounds query, bool (*visit)(void *context, int item),
                   void *context);

/// The same for each item whose box comes as near to `centre` as `radius`, m.
void geo_bvh_query_ball(const geo_bvh *bvh, vec3 centre, double radius,
                        bool (*visit)(void *context, int item), void *context);

/// Calls `visit(context, item)` for each item whose box a ray meets. What visit answers is how far
/// the ray still has to be looked along, m: no more than before once something was met.
void geo_bvh_cast(const geo_bvh *bvh, geo_ray ray, double (*visit)(void *context, int item),
                  void *context);

#endif
