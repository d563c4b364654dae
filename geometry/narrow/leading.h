// SPDX-License-Identifier: Apache-2.0
// The few features that can part two overlapping polytopes, and for how long no other one can.
//
// f(n), the greatest n . (a - b) over the points of A and B, is the way along a unit direction n
// that parts them; the separating axes ask for its least value, the depth. In the frame of A no
// f(n) changes by more than the farthest way w that a corner has gone. So directions that were
// worse than the best one by more than about 2 w are still worse, and need no second look:
//   - a face, because its f has changed by w at most;
//   - a pair of edges, because its direction n would have had f(n) <= L, L = depth now + w. The
//     difference A - B held the ball of radius d2, cut by the leading features' planes alone, whose
//     f is d2 cos(acos(d1/d2) + spread - angle) at an angle from the best direction (d1: depth
//     then, d2: that of the best feature that does not lead, spread: the largest angle between
//     leading directions). So n lies in a narrow cone about it, and the edges that can have such a
//     direction were listed.
#ifndef CAIRN_GEOMETRY_NARROW_LEADING_H
#define CAIRN_GEOMETRY_NARROW_LEADING_H

#include "geometry/narrow/sat.h"

/// What geo_leading_query says.
typedef enum geo_leading_answer {
    GEO_LEADING_UNKNOWN, // other features have to be asked
    GEO_LEADING_APART,   // farther apart than the margin
    GEO_LEADING_OVERLAP  // `sat` is what geo_sat_query would find, as far as contacts go
} geo_leading_answer;

/// Lists the leading features of a pair that overlaps, and how far it may move before they are to
/// be found again; an empty list where they are too many or the pair is not fit for it.
void geo_leading_find(const geo_job *job, const geo_core *a, const geo_core *b,
                      geo_leading *leading);

/// Whether the list of a pair that has none is to be made: a pair for which there was none waits
/// longer and longer.
bool geo_leading_is_due(geo_leading *leading);

/// The leading features alone. job->cache->leading holds them.
/// @param sat  out, where they overlap
geo_leading_answer geo_leading_query(const geo_job *job, const geo_core *a, const geo_core *b,
                                     geo_sat *sat);

#endif
