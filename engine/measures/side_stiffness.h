// SPDX-License-Identifier: Apache-2.0
// How much stiffer a side full of contacts holds a body than one contact holds a ball.
#ifndef CAIRN_ENGINE_MEASURES_SIDE_STIFFNESS_H
#define CAIRN_ENGINE_MEASURES_SIDE_STIFFNESS_H

#include "base/vec.h"
#include "geometry/shape/shape.h"
#include <cairn/cairn.h>

/// Springs of the stiffness 1 at all points of a side, between the body and a fixed one: the
/// largest eigenvalue of m M^-1 K, over all sides, docs/laws.md (9.1).
typedef struct eng_side_stiffness {
    double normal;     // springs along the normal of the side; 1 for a ball
    double tangential; // springs across it; 7/2 for a solid ball
} eng_side_stiffness;

/// Mass and principal moments that a body moves with when nothing holds it.
typedef struct eng_free_mass {
    double mass;  // kg; INFINITY of fixed and moving bodies
    vec3 inertia; // kg m2
} eng_free_mass;

/// Of a frozen body what it gets back when it is released.
eng_free_mass eng_free_mass_of(const cairn_world *world, int body);

/// Of a body that is dynamic or frozen; of others, and of balls, that of a solid ball.
/// @param depth  m, how deep a side lies in what it touches
eng_side_stiffness eng_side_stiffness_of(const cairn_world *world, int body, double depth);

/// The same of a dynamic body of a shape and of one density.
eng_side_stiffness eng_side_stiffness_of_shape(const geo_shape *shape, double depth);

#endif
