// SPDX-License-Identifier: Apache-2.0
// Closest or deepest points of any two convex cores, and the manifold spread out from them.
#ifndef CAIRN_GEOMETRY_NARROW_CLOSEST_H
#define CAIRN_GEOMETRY_NARROW_CLOSEST_H

#include "geometry/narrow/gjk.h"

typedef struct geo_closest {
    vec3 normal;           // unit, from A to B
    double separation;     // m, of the cores; < 0 overlapping
    vec3 point_a, point_b; // on the cores
    uint32_t code_a, code_b;
} geo_closest;

enum { GEO_CODE_WITNESS = 0x2000 }; // curve code of a closest point on a cylinder

/// Closest points when the cores are apart (GJK), deepest ones otherwise: separating axes for
/// polytopes, EPA where a cylinder takes part.
/// @param size  length that tolerances are relative to
/// @return false if the cores are farther apart than `limit`
bool geo_closest_find(const geo_core *a, const geo_core *b, double limit, double size,
                      geo_closest *closest);

/// What geo_gjk found, named by the vertices of its simplex.
void geo_closest_from_gjk(const geo_core *a, const geo_core *b, const geo_gjk_result *result,
                          geo_closest *closest);

/// Contacts around the closest points: facing features clipped against each other along the normal,
/// and the closest points themselves unless a corner is as close (to 1e-9 of the job's size).
/// @param cosine_a  faces of A whose normal is within acos of this count as facing; > 1 for none
cairn_status geo_closest_spread(geo_job *job, const geo_core *a, const geo_core *b,
                                const geo_closest *closest, double cosine_a,
                                double cosine_b) CAIRN_CHECK_RESULT;

/// Only the corners of facing features, as geo_closest_spread finds them; reads the normal alone.
cairn_status geo_closest_clip(geo_job *job, const geo_core *a, const geo_core *b, vec3 normal,
                              double cosine_a, double cosine_b) CAIRN_CHECK_RESULT;

/// The closest points alone.
cairn_status geo_closest_emit(geo_job *job, const geo_core *a, const geo_core *b,
                              const geo_closest *closest) CAIRN_CHECK_RESULT;

/// Find and spread, for a pair of placed convex shapes.
cairn_status geo_closest_contacts(geo_job *job) CAIRN_CHECK_RESULT;

#endif
