// SPDX-License-Identifier: Apache-2.0
// Separating axes of two polytope cores, and the contacts that follow from them.
#ifndef CAIRN_GEOMETRY_NARROW_SAT_H
#define CAIRN_GEOMETRY_NARROW_SAT_H

#include "geometry/narrow/core.h"

/// Largest separations found (negative: penetrations), per family of axes. Radii are left out.
typedef struct geo_sat {
    double face_a, face_b; // m; -INFINITY where a core has no faces
    double edge;           // m; -INFINITY where no edge pair counts
    int index_a, index_b;  // faces
    int edge_a, edge_b;    // edges
    vec3 edge_axis;        // unit, working frame, from A to B
} geo_sat;

static inline double geo_sat_separation(const geo_sat *sat)
{
    return real_max(sat->edge, real_max(sat->face_a, sat->face_b));
}

/// All face normals and all edge pairs that can be faces of the difference A - B (Gauss map).
/// @param overlap  the cores are known to overlap: edges that cannot part them by less than a face
///                 are left out, and `edge` tells no more than that they do not
/// @return false as soon as a separation exceeds `limit`
bool geo_sat_query(const geo_core *a, const geo_core *b, double limit, bool overlap, geo_sat *sat);

/// The same for two boxes, by the fifteen axes.
bool geo_sat_query_boxes(const geo_core *a, const geo_core *b, double limit, geo_sat *sat);

/// What to prefer when axes are nearly as good: how much an edge pair must win over a face.
/// Overlapping bodies: 1e-6 size + 1e-4 depth, so that noise does not flip normals; separated ones:
/// 1e-10 size, so that the gap is the true distance.
double geo_sat_bias(const geo_sat *sat, double size);

typedef enum geo_sat_choice { GEO_SAT_FACE_A, GEO_SAT_FACE_B, GEO_SAT_EDGE } geo_sat_choice;

/// Smallest translation: the chosen axis, its unit normal from A to B and its separation. A face is
/// preferred to an edge pair, and A's to B's, unless worse by more than `bias`.
geo_sat_choice geo_sat_choose(const geo_sat *sat, const geo_core *a, const geo_core *b, double bias,
                              vec3 *normal, double *separation);

/// Contacts of two polytopes (no radii) from their separating axes: the clipped faces, the crossing
/// of two edges or, where separated bodies face each other with neither, the closest points.
cairn_status geo_sat_contacts(geo_job *job, const geo_core *a, const geo_core *b,
                              const geo_sat *sat) CAIRN_CHECK_RESULT;

#endif
