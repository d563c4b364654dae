// SPDX-License-Identifier: Apache-2.0
// How convex shapes lie on each other: the points that one side of a shape may touch with at once.
#ifndef CAIRN_GEOMETRY_SHAPE_RESTING_H
#define CAIRN_GEOMETRY_SHAPE_RESTING_H

#include "geometry/shape/shape.h"

enum { GEO_RESTING_MAX = 64 };

/// Number of outward directions in which a convex shape has a face, an end or a side to lie on; a
/// sphere, which has none, 0.
int geo_resting_directions(const geo_shape *shape);

/// @return unit, in the frame of the shape
vec3 geo_resting_direction(const geo_shape *shape, int index);

/// Points of a convex shape that a plane of this outward normal touches, as contacts have them:
/// corners, four of eight corners of the octagon in a cylinder's end, two on sides of cylinders and
/// capsules.
/// @param outward  unit, in the frame of the shape
/// @param depth    m, how far below the outermost point others still touch
/// @param points   out, in the frame of the shape
/// @return number of points, at most GEO_RESTING_MAX
int geo_resting_points(const geo_shape *shape, vec3 outward, double depth,
                       vec3 points[GEO_RESTING_MAX]);

#endif
