// SPDX-License-Identifier: Apache-2.0
// What the pair functions of the narrow phase share: the job, feature codes, contact output.
#ifndef CAIRN_GEOMETRY_NARROW_NARROW_H
#define CAIRN_GEOMETRY_NARROW_NARROW_H

#include "geometry/narrow/collide.h"

/// A shape in the working frame of a pair: world axes, origin at the first shape's position, so
/// that nothing is lost far from the world's origin.
typedef struct geo_placed {
    const geo_shape *shape;
    mat3 rotation; // shape axes to working frame
    vec3 centre;   // shape origin in the working frame
} geo_placed;

/// One call of geo_collide, with the kinds in table order (a.kind <= b.kind).
typedef struct geo_job {
    geo_placed a, b;
    vec3 origin;           // world position of the working origin
    double margin;         // m
    double size;           // m, the smaller body's extent: what tolerances are relative to
    bool flip;             // contacts are reported for (b, a)
    geo_pair_cache *cache; // may be NULL
    geo_manifold *manifold;
    int first; // index of this call's first contact
} geo_job;

/// Codes of features: two bits of kind, thirty of index. A contact's key is the code of A's feature
/// in the upper and of B's in the lower half.
enum { GEO_CODE_INDEX = 0x3fffffff };

static inline uint32_t geo_code_vertex(int index)
{
    return (uint32_t)index & GEO_CODE_INDEX;
}

static inline uint32_t geo_code_edge(int index)
{
    return UINT32_C(0x40000000) | ((uint32_t)index & GEO_CODE_INDEX);
}

static inline uint32_t geo_code_face(int index)
{
    return UINT32_C(0x80000000) | ((uint32_t)index & GEO_CODE_INDEX);
}

/// Features that are no vertex, edge or face: caps, rims, the closest point of curved parts.
static inline uint32_t geo_code_curve(int index)
{
    return UINT32_C(0xc0000000) | ((uint32_t)index & GEO_CODE_INDEX);
}

/// Adds one contact if gap <= margin. `normal` points from job->a to job->b, `point` is in the
/// working frame; flips both as the job asks.
cairn_status geo_emit(geo_job *job, vec3 normal, double gap, vec3 point, uint32_t code_a,
                      uint32_t code_b) CAIRN_CHECK_RESULT;

/// Two balls of radii r about points p (radius 0: plain points); `fallback` is the normal for
/// coincident centres.
cairn_status geo_emit_spheres(geo_job *job, vec3 pa, double ra, vec3 pb, double rb, vec3 fallback,
                              uint32_t code_a, uint32_t code_b) CAIRN_CHECK_RESULT;

/// Smallest gap among this job's contacts from index `from` on; INFINITY if there are none.
double geo_job_smallest_gap(const geo_job *job, int from);

/// Working-frame point of a shape-frame point, and back.
static inline vec3 geo_placed_apply(const geo_placed *placed, vec3 local)
{
    return vec3_add(placed->centre, mat3_apply(&placed->rotation, local));
}

static inline vec3 geo_placed_apply_inverse(const geo_placed *placed, vec3 point)
{
    return mat3_apply_transposed(&placed->rotation, vec3_sub(point, placed->centre));
}

static inline vec3 geo_placed_axis(const geo_placed *placed, int axis)
{
    return mat3_column(&placed->rotation, axis);
}

/// Parameters s, t in [0, 1] of the closest points a0 + s u, b0 + t v of two segments. Parallel
/// segments give the middle of their overlap.
void geo_segment_closest(vec3 a0, vec3 u, vec3 b0, vec3 v, double *s, double *t);

/// A pair function: appends the contacts of job->a and job->b.
typedef cairn_status geo_pair_function(geo_job *job);

geo_pair_function geo_pair_sphere_sphere, geo_pair_sphere_plane, geo_pair_sphere_box,
    geo_pair_sphere_capsule, geo_pair_sphere_cylinder, geo_pair_sphere_polyhedron;
geo_pair_function geo_pair_plane_convex, geo_pair_plane_box, geo_pair_plane_capsule,
    geo_pair_plane_cylinder, geo_pair_plane_polyhedron, geo_pair_plane_mesh;
geo_pair_function geo_pair_capsule_capsule, geo_pair_box_capsule, geo_pair_capsule_polyhedron;
geo_pair_function geo_pair_box_box, geo_pair_polyhedron;
geo_pair_function geo_pair_rounded; // of those of which one is rounded, and capsules
geo_pair_function geo_pair_convex;  // by support functions, whatever the kinds
geo_pair_function geo_pair_mesh;

/// Triangles within the margin of job->a, a sphere; -1 where there are more than `capacity`.
int geo_pair_mesh_near(geo_job *job, int *list, int capacity);

/// geo_pair_mesh of these triangles alone.
cairn_status geo_pair_mesh_listed(geo_job *job, const int *list, int count) CAIRN_CHECK_RESULT;

#endif
