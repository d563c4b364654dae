// SPDX-License-Identifier: Apache-2.0
// Manifolds from two facing features (point, segment, polygon) by clipping along the normal.
#ifndef CAIRN_GEOMETRY_NARROW_CLIP_H
#define CAIRN_GEOMETRY_NARROW_CLIP_H

#include "geometry/narrow/core.h"

enum { GEO_FEATURE_INLINE = 24 };

/// The part of a core that faces a direction: a point, a segment or a polygon, in the working
/// frame. Curved caps are polygons with corners on the rim. `points` and `codes` are in the struct
/// or, for large faces, from the allocator.
typedef struct geo_feature {
    const geo_core *core;
    int count;     // corners: 1 point, 2 segment, from 3 polygon (counter-clockwise from outside)
    double radius; // of the ball still to be swept over the points; 0 if they lie on the surface
    vec3 normal;   // unit, outward; polygons only
    uint32_t face_code;
    vec3 *points;
    int *vertices;    // of the core, or -1 - i for the i-th corner of a curved feature
    const int *edges; // of the core, from each corner to the next; NULL where that is no face
    vec3 own_points[GEO_FEATURE_INLINE];
    int own_vertices[GEO_FEATURE_INLINE];
} geo_feature;

/// A face of a polytope core. Released with geo_feature_release.
cairn_status geo_feature_face(geo_feature *feature, const geo_core *core, int face,
                              const base_allocator *allocator) CAIRN_CHECK_RESULT;

/// The feature of a core that a rounded or curved contact along the working-frame unit direction
/// `outward` may spread over: a face or cap whose normal is within acos(face_cosine), a segment or
/// cylinder side that is near enough to perpendicular, otherwise the support point.
cairn_status geo_feature_facing(geo_feature *feature, const geo_core *core, vec3 outward,
                                double face_cosine,
                                const base_allocator *allocator) CAIRN_CHECK_RESULT;

void geo_feature_release(geo_feature *feature, const base_allocator *allocator);

/// Adds the contacts of feature a (of job->a's side) and b that lie on each other when seen along
/// `normal` (unit, from A to B): every corner of the intersection, with the gap measured along the
/// normal between the two features. Corners nearer to each other than a thousandth of the job's
/// size are one; sides that lie on one line to 1e-5 of it do not cross. Two segments give contacts
/// only if parallel within `parallel_sine`; two points give none. Keys: a corner near a vertex of B
/// or A is named by it and the other's face, other corners by the two edges that cross.
cairn_status geo_clip(geo_job *job, vec3 normal, const geo_feature *a, const geo_feature *b,
                      double parallel_sine) CAIRN_CHECK_RESULT;

#endif
