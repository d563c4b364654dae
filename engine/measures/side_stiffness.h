// SPDX-License-Identifier: Apache-2.0
// How much stiffer a side full of contacts holds a body than one contact holds a ball.
#ifndef CAIRN_ENGINE_MEASURES_SIDE_STIFFNESS_H
#define CAIRN_ENGINE_MEASURES_SIDE_STIFFNESS_H

#include "geometry/shape/shape.h"
#include <cairn/cairn.h>

/// Springs of the stiffness 1 at all points of a side, between the body and a fixed one: the
/// largest eigenvalue of m M^-1 K, over all sides, docs/laws.md (9.1).
typedef struct eng_side_stiffness {
    double normal;     // springs along the normal of the side; 1 for a ball
    double tangential; // springs across it; 7/2 for a solid ball
} eng_side_stiffness;

/// Of a dynamic body; of others, and of balls, that of a solid ball.
/// @param depth  m, how deep a side lies in what it touches
eng_side_stiffness eng_side_stiffness_of(const cairn_world *world, int body, double depth);

/// The same of a dynamic body of a shape and of one density.
eng_side_stiffness eng_side_stiffness_of_shape(const geo_shape *shape, double depth);

#endif
