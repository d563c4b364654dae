// SPDX-License-Identifier: Apache-2.0
// What the makers of shapes share inside this room: allocation, finishing, mass integrals, edges.
#ifndef CAIRN_GEOMETRY_SHAPE_SHAPE_INTERNAL_H
#define CAIRN_GEOMETRY_SHAPE_SHAPE_INTERNAL_H

#include "geometry/shape/shape.h"

/// Zeroed shape of a kind; NULL when out of memory.
geo_shape *geo_shape_allocate(const base_allocator *allocator, geo_kind kind);

/// Where the shape came from, and what it holds comes from.
const base_allocator *geo_shape_allocator(const geo_shape *shape);

/// Checks that the volume integrals are finite (and positive for solids).
cairn_status geo_shape_check_mass(const geo_shape *shape, cairn_error *error) CAIRN_CHECK_RESULT;

/// Last step of every maker: checks the volume integrals and hands the shape over. On failure the
/// shape is destroyed.
cairn_status geo_shape_finish(geo_shape *shape, geo_shape **out,
                              cairn_error *error) CAIRN_CHECK_RESULT;

/// "out of memory" with its status.
cairn_status geo_fail_memory(cairn_error *error);

/// Sum of masses placed in a common frame (parallel axes).
geo_mass geo_mass_of_compound(const geo_compound *compound);

/// Whether all members are spheres of which some overlap.
bool geo_has_overlaps(const geo_compound *compound);

/// Mass of the union of spheres, good to 1e-8 of it, and to 1e-10 where no three
/// share a point; false when out of memory.
bool geo_mass_of_union(const base_allocator *allocator, const geo_compound *compound,
                       geo_mass *mass) CAIRN_CHECK_RESULT;

/// a b^T.
static inline mat3 geo_outer(vec3 a, vec3 b)
{
    return mat3_from_rows(vec3_scale(a.x, b), vec3_scale(a.y, b), vec3_scale(a.z, b));
}

/// trace(c) 1 - c: inertia from second moments about the same point.
mat3 geo_inertia_from_second(const mat3 *second);

/// Running volume integrals of the solid inside a closed surface, about a reference point near it
/// (divergence theorem: each triangle adds the tetrahedron it spans with the reference).
typedef struct geo_moments {
    vec3 reference;
    double volume; // m3
    vec3 first;    // m4, integral of x - reference
    mat3 second;   // m5, integral of (x - reference)(x - reference)^T
} geo_moments;

geo_moments geo_moments_start(const vec3 *points, int count);
void geo_moments_add_triangle(geo_moments *moments, vec3 a, vec3 b, vec3 c);

/// Mass of what the moments hold; the moments' volume must not be zero.
geo_mass geo_mass_from_moments(const geo_moments *moments);

/// One side of a polygon: the edge between vertices low < high, used by polygon `owner` as its side
/// `slot`, in the direction low -> high when `forward`.
typedef struct geo_edge_use {
    int low, high;
    int owner;
    int slot;
    bool forward;
} geo_edge_use;

geo_edge_use geo_edge_use_make(int from, int to, int owner, int slot);

/// Sorts by (low, high, owner, slot), so that the uses of one edge are neighbours.
void geo_edge_uses_sort(geo_edge_use *uses, int count);

/// Number of uses of the edge that begins at uses[first].
int geo_edge_uses_run(const geo_edge_use *uses, int count, int first);

#endif
