// SPDX-License-Identifier: Apache-2.0
// Pairs of edges of two polytopes as separating axes: what the searches of sat.c and leading.c do
// with each pair, so that both have the same bits.
#ifndef CAIRN_GEOMETRY_NARROW_EDGES_H
#define CAIRN_GEOMETRY_NARROW_EDGES_H

#include "geometry/narrow/sat.h"

/// An edge in the frame of A: one end, direction, the normals beside it and their middle
typedef struct geo_edge_view {
    vec3 point, along, n0, n1, middle;
    bool full; // an edge without faces accepts every direction across it
} geo_edge_view;

/// The outward direction of an edge in the plane of its triangle, which stands for the middle
static inline vec3 geo_edge_outward(const vec3 *corners, int edge, vec3 along)
{
    vec3 inside = vec3_sub(corners[(edge + 2) % 3], corners[edge]);
    double t = vec3_dot(inside, along) / vec3_norm_squared(along);
    return vec3_negate(vec3_add_scaled(inside, -t, along));
}

/// Takes the axis across two edges where it parts the bodies by more than what is known so far.
static inline void geo_edges_try(const geo_edge_view *a, int ia, const geo_edge_view *b, int ib,
                                 geo_sat *sat)
{
    vec3 axis = vec3_cross(a->along, b->along);
    double squared = vec3_norm_squared(axis);
    if (squared <= 1e-10 * vec3_norm_squared(a->along) * vec3_norm_squared(b->along))
        return;
    double side_a = vec3_dot(axis, a->middle), side_b = -vec3_dot(axis, b->middle);
    double side = a->full ? side_b : side_a;
    if (!a->full && !b->full && side_a * side_b <= 0.0)
        return;
    double turn = side < 0.0 ? -1.0 : 1.0;
    // what is less than a face's has no say: most ends here, before the root
    double along = turn * vec3_dot(axis, vec3_sub(b->point, a->point));
    double least = real_min(real_max(real_max(sat->face_a, sat->face_b), sat->edge), 0.0);
    if (along < 0.0 && along * along > (1.0 + 1e-9) * least * least * squared)
        return;
    axis = vec3_scale(turn / sqrt(squared), axis);
    double s = vec3_dot(axis, vec3_sub(b->point, a->point));
    if (s > sat->edge) {
        sat->edge = s;
        sat->edge_a = ia;
        sat->edge_b = ib;
        sat->edge_axis = axis;
    }
}

#endif
