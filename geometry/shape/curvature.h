// SPDX-License-Identifier: Apache-2.0
// How curved shapes are where they touch: what the stiffness of an elastic contact depends on.
#ifndef CAIRN_GEOMETRY_SHAPE_CURVATURE_H
#define CAIRN_GEOMETRY_SHAPE_CURVATURE_H

#include "geometry/shape/shape.h"

/// The surface of a shape near a point of it.
typedef struct geo_curvature {
    double across, along; // 1/m, normal curvatures across the axis and along it; 0: flat
    vec3 axis;            // unit
} geo_curvature;

/// Faces are flat, edges and corners are rounded by `corner`, or by the rounding of the shape.
/// @param point, normal  in the frame of the shape; the normal points out of it
/// @param slack   m, >= 0, how far inside of the surface the point may lie
/// @param corner  m, above 0
geo_curvature geo_shape_curvature(const geo_shape *shape, vec3 point, vec3 normal, double slack,
                                  double corner);

/// R of F = (4/3) E* sqrt(R) d^(3/2) for two curved surfaces that press each other in an ellipse
/// (Hertz; K.L. Johnson, Contact Mechanics, 4.2), docs/laws.md (7.18). m; INFINITY where they are
/// flat in a direction, so that no ellipse is pressed.
/// @param a, b    curvatures of the two, axes in one frame
/// @param normal  unit, in that frame
double geo_touch_radius(const geo_curvature *a, const geo_curvature *b, vec3 normal);

/// Radii by which two curved surfaces roll on each other, docs/laws.md section 3: the principal
/// radii of the sum of both curvatures, and `flat` along a direction in which neither is curved.
/// @param flat    m, above 0
/// @param axis    out: unit, along the surface; across it the surfaces are curved most
/// @param radius  out: m, for turning about the axis and about normal x axis
void geo_touch_rolling(const geo_curvature *a, const geo_curvature *b, vec3 normal, double flat,
                       vec3 *axis, double radius[2]);

#endif
