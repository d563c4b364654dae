// SPDX-License-Identifier: Apache-2.0
// cairn: which bodies a ray meets, and which lie in a box.
#ifndef CAIRN_QUERY_H
#define CAIRN_QUERY_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A picture of where all bodies are, in a tree that rays and boxes go through. It shows bodies as
/// they lay when it was made or last updated. Bodies that were removed since are left out, those
/// that were made since are not in it.
/// Making and updating it is for one thread at a time, as calls that take the world as non-const
/// are; any number of threads may then ask it at once, and asking makes no heap call.
/// Tests: tests/unit/engine/test_query.c, tests/unit/geometry/test_ray.c
typedef struct cairn_query cairn_query;

/// @param query  out; the caller's; it may be asked and updated as long as the world is there, and
///               destroyed before or after the world; NULL after a failure
/// @return CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_query_create(const cairn_world *world, cairn_query **query,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// Shows the world as it is now; memory is kept where it suffices.
/// @return CAIRN_ERROR_MEMORY; the query is empty then
CAIRN_API cairn_status cairn_query_update(cairn_query *query,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_query_destroy(cairn_query *query);

/// Bodies that the picture holds.
CAIRN_API int cairn_query_body_count(const cairn_query *query);

/// A ray, and the bodies that it sees: those that have a group in `collision.mask`, and whose mask
/// has one of `collision.groups` (cairn_body_set_collision). A program's contact filter is not
/// asked.
typedef struct cairn_ray_def {
    double origin[3];          // m
    double direction[3];       // any length but 0; default x
    double length;             // m, not negative; default INFINITY
    cairn_collision collision; // default: group 1, all groups
    uint32_t cookie;
} cairn_ray_def;

CAIRN_API cairn_ray_def cairn_default_ray_def(void);

/// Where a ray enters a body. A ray that starts inside a body meets it at distance 0, with the
/// normal against the ray; a mesh has no inside unless it is solid: its triangles are met, from
/// either side.
typedef struct cairn_ray_hit {
    cairn_body_id body;
    int member;       // of a compound: which one; else 0
    double distance;  // m, from the origin
    double point[3];  // m
    double normal[3]; // unit, of the surface, against the ray
} cairn_ray_hit;

/// The first body that a ray meets; the one with the lower index where two are equally far.
/// @return CAIRN_ERROR_NOT_FOUND, with zeros, where there is none; CAIRN_ERROR_ARGUMENT for a ray
///         that is not finite, has no direction or a negative length
CAIRN_API cairn_status cairn_query_ray_nearest(const cairn_query *query, const cairn_ray_def *ray,
                                               cairn_ray_hit *hit,
                                               cairn_error *error) CAIRN_CHECK_RESULT;

/// All bodies that a ray meets, each where it is entered first.
/// @param hits   [capacity] out, the nearest ones in order; may be NULL for a capacity of 0
/// @param found  out, number of all of them, which may exceed the capacity
CAIRN_API cairn_status cairn_query_ray_all(const cairn_query *query, const cairn_ray_def *ray,
                                           cairn_ray_hit *hits, int capacity, int *found,
                                           cairn_error *error) CAIRN_CHECK_RESULT;

/// A box, turned as one likes, and the bodies that it sees, as with rays.
typedef struct cairn_box_def {
    double centre[3];      // m
    double half_size[3];   // m, positive; default 0.5
    double orientation[4]; // w x y z; default none
    cairn_collision collision;
    uint32_t cookie;
} cairn_box_def;

CAIRN_API cairn_box_def cairn_default_box_def(void);

/// All bodies whose shapes, not only their bounds, touch a box or lie in it; of a mesh that is not
/// solid, its triangles.
/// @param bodies  [capacity] out, by index; which of them, where there are more, depends on the
///                picture alone; may be NULL for a capacity of 0
/// @param found   out, number of all of them, which may exceed the capacity
CAIRN_API cairn_status cairn_query_box(const cairn_query *query, const cairn_box_def *box,
                                       cairn_body_id *bodies, int capacity, int *found,
                                       cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
