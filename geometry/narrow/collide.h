// SPDX-License-Identifier: Apache-2.0
// Narrow phase: the contacts of two placed shapes.
#ifndef CAIRN_GEOMETRY_NARROW_COLLIDE_H
#define CAIRN_GEOMETRY_NARROW_COLLIDE_H

#include "geometry/shape/shape.h"

/// One contact point of a pair A, B.
typedef struct geo_contact {
    double gap;   // m, signed distance along the normal; > 0 open, < 0 overlapping
    vec3 normal;  // unit, world, from A to B
    vec3 point;   // world, halfway between the two surfaces along the normal
    uint64_t key; // feature of A and of B; the same key means the same corner, edge or face
                  // crossing in the next step
    double ahead; // s, for callers that move shapes on: when the contact is so; 0 of the narrow
                  // phase
} geo_contact;

/// Growing list of contacts, reused from call to call.
typedef struct geo_manifold {
    base_allocator allocator;
    geo_contact *contacts;
    int count;
    int capacity;
} geo_manifold;

void geo_manifold_init(geo_manifold *manifold, const base_allocator *allocator);
void geo_manifold_finish(geo_manifold *manifold);

/// Features that alone can part two polytopes that overlap, while they move little: leading.h. Bits
/// of sets count vertices, faces and edges.
typedef struct geo_leading {
    const geo_shape *shape[2];       // NULL for no list
    uint64_t vertices_a, vertices_b; // that their planes can touch
    uint64_t faces_a, faces_b;
    uint64_t edges_a, edges_b;
    float rotation[9], shift[3]; // of B in the frame of A as the list was made; m
    float reach;                 // m, farthest corner from the centre that turns
    float way;                   // m, that corners may go
    float most;                  // m, that depth and way may be together
    int wait, waited; // searches until a list is tried again, where there was none, and last time
} geo_leading;

/// What a pair remembers between calls to start its search near the last answer. Zero-initialised
/// for a new pair. Results must not depend on it beyond round-off of the search, and never on the
/// number of threads.
typedef struct geo_pair_cache {
    vec3 axis;            // last separating or contact direction, in the frame of A
    int feature[2];       // last features, meaning is the pair function's own
    double apart;         // out, m: no point of A is nearer to one of B; 0 where that is not known
    geo_leading *leading; // memory of the caller's for the leading features; NULL for none
} geo_pair_cache;

/// Appends the contacts of A and B with gap <= margin to `manifold` (which is not cleared).
///
/// Points: sphere, capsule end etc. give their one point (a capsule lying along a plane, face or
/// parallel capsule gives two); box and polyhedron faces give every corner of the clipped face
/// polygon, not a reduced set; a cylinder gives its line or rim points (at least three on a flat
/// end). Half-space against anything: every vertex/rim/cap point within the margin. Compounds are
/// not accepted here (the caller passes their members), nor two half-spaces or two meshes.
/// @param margin  m, >= 0; contacts farther apart are left out
/// @param cache   may be NULL
/// @return CAIRN_OK; CAIRN_ERROR_MEMORY; CAIRN_ERROR_UNSUPPORTED for a combination with no contacts
///         (two meshes)
cairn_status geo_collide(const geo_shape *a, const pose *placement_a, const geo_shape *b,
                         const pose *placement_b, double margin, geo_pair_cache *cache,
                         geo_manifold *manifold) CAIRN_CHECK_RESULT;

/// Triangles of a mesh that come as near to a sphere's surface as `margin`, m, in the order in
/// which geo_collide would look at them.
/// @param list  [capacity]
/// @return how many there are; -1 where that is more than `capacity`
int geo_mesh_near(const geo_shape *sphere, const pose *placement, const geo_shape *mesh,
                  const pose *placement_mesh, double margin, int *list, int capacity);

/// geo_collide of a sphere and some triangles of a mesh: the same contacts, bit by bit, where the
/// list has all triangles that come as near as `margin`.
/// @param list  [count] in the order of geo_mesh_near
cairn_status geo_collide_triangles(const geo_shape *sphere, const pose *placement,
                                   const geo_shape *mesh, const pose *placement_mesh,
                                   const int *list, int count, double margin,
                                   geo_manifold *manifold) CAIRN_CHECK_RESULT;

#endif
