// SPDX-License-Identifier: Apache-2.0
// Broad phase: the persistent list of collider pairs whose fattened bounds overlap.
#ifndef CAIRN_GEOMETRY_BROAD_BROAD_PHASE_H
#define CAIRN_GEOMETRY_BROAD_BROAD_PHASE_H

#include "base/parallel.h"
#include "geometry/shape/shape.h"

/// One convex part, half-space or mesh as the broad phase sees it.
typedef struct geo_proxy {
    geo_bounds bounds; // world, current; infinite for half-spaces
    int group;         // owner: pairs within one group are never listed
    int mobile;        // 0: never moves; pairs of two immobile proxies are not listed
} geo_proxy;

/// A pair of proxies, first < second.
typedef struct geo_pair {
    int first, second;
} geo_pair;

typedef struct geo_broad_phase geo_broad_phase;

geo_broad_phase *geo_broad_phase_create(const base_allocator *allocator);
void geo_broad_phase_destroy(geo_broad_phase *broad);

/// Brings the pair list up to date. The list holds at least all pairs (of different groups, not
/// both immobile) whose bounds, each inflated by `reach`, overlap. It is rebuilt when a proxy has
/// left the fat bounds it was listed with (its bounds inflated by reach + skin), when the count has
/// changed, when a group or mobility has, or when `force` is set; otherwise it is the same list as
/// before. Sorted by (first, second), so that it does not depend on the history of the structures
/// inside. Bounds that are not a number overlap nothing. After a failure the list is empty.
/// Like-sized proxies go through a uniform grid, mixed sizes and large ones through a bounding
/// volume hierarchy.
/// @param proxies  [count]
/// @param skin     m; how far proxies may move before the list is rebuilt; 0 rebuilds always
/// @param workers  may be NULL
/// @param rebuilt  out, true when the list is new
cairn_status geo_broad_phase_update(geo_broad_phase *broad, const geo_proxy *proxies, int count,
                                    double reach, double skin, bool force, base_workers *workers,
                                    bool *rebuilt) CAIRN_CHECK_RESULT;

/// Whether an update without `force` and with a skin would find the list as it is.
bool geo_broad_phase_is_current(geo_broad_phase *broad, const geo_proxy *proxies, int count,
                                double reach, base_workers *workers);

/// Current list; valid until the next update.
const geo_pair *geo_broad_phase_pairs(const geo_broad_phase *broad, int *count);

/// Number of proxies the current list was made for; -1 where there is none.
int geo_broad_phase_count(const geo_broad_phase *broad);

/// A proxy as it was listed: with its fat bounds. What decides when the list is made anew.
geo_proxy geo_broad_phase_listed(const geo_broad_phase *broad, int index);

/// Takes over a list made elsewhere, with what geo_broad_phase_listed gave for it: later updates go
/// on as they would have there.
/// @param listed  [count]; count < 0: no list, the next update makes one
/// @param pairs   [pair_count] sorted by (first, second)
/// @return CAIRN_ERROR_MEMORY, with nothing changed
cairn_status geo_broad_phase_restore(geo_broad_phase *broad, const geo_proxy *listed, int count,
                                     const geo_pair *pairs, int pair_count) CAIRN_CHECK_RESULT;

#endif
