// SPDX-License-Identifier: Apache-2.0
// cairn: contacts of the last step, and overlaps.
#ifndef CAIRN_CONTACT_H
#define CAIRN_CONTACT_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_contact_status {
    CAIRN_CONTACT_OPEN,
    CAIRN_CONTACT_STICKING,
    CAIRN_CONTACT_SLIDING
} cairn_contact_status;

/// One contact of the last step.
typedef struct cairn_contact_view {
    cairn_body_id a, b;
    double point[3], normal[3]; // midpoint configuration, normal from A to B
    double gap;                 // m
    double impulse[3];          // N s on B, world axes
    double force[3];            // N, impulse / step
    double velocity[3];         // m/s, U in contact axes (N, T1, T2)
    cairn_contact_status status;
    uint64_t key;
} cairn_contact_view;

CAIRN_API int cairn_contact_count(const cairn_world *world);
/// @return CAIRN_ERROR_NOT_FOUND, with zeros, for an index that is not in 0 .. count-1, and for
///         spheres whose contacts are with other processes (cairn_world_gather)
CAIRN_API cairn_status cairn_contact_get(const cairn_world *world, int index,
                                         cairn_contact_view *view);

/// Sum of the forces (N) and torques about the centre of mass (N m) of contacts and connectors on a
/// body in the last step, world axes.
CAIRN_API cairn_status cairn_body_get_contact_force(const cairn_world *world, cairn_body_id body,
                                                    double force[3],
                                                    double torque[3]) CAIRN_CHECK_RESULT;

/// Pairs that overlap now by more than 1e-3 of the smaller body's smallest size; made for the check
/// of a scene before its first step.
typedef struct cairn_overlap {
    cairn_body_id a, b;
    double depth;    // m
    double relative; // depth / smaller body's smallest size
} cairn_overlap;

/// @param overlaps  [capacity] out, deepest first; @return number found, which may exceed capacity
CAIRN_API cairn_status cairn_world_find_overlaps(cairn_world *world, cairn_overlap *overlaps,
                                                 int capacity, int *found,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
