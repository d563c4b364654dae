// SPDX-License-Identifier: Apache-2.0
// Parts of a surface that nothing can touch, since another shape lies against them.
#ifndef CAIRN_GEOMETRY_SEAMS_COVER_H
#define CAIRN_GEOMETRY_SEAMS_COVER_H

#include "geometry/narrow/collide.h"

/// Contacts of one shape whose normals part by no more than 15 degrees are one contact where they
/// are with one surface: the cosine of it.
#define GEO_CREASE_COSINE 0.9659258262890683

/// The same of faces that lie flush, to the round-off of places: 1e-3 rad.
#define GEO_FLUSH_COSINE (1.0 - 5e-7)

/// A shape that is placed.
typedef struct geo_site {
    const geo_shape *shape;
    pose place;
} geo_site;

/// Whether a shape has a point within, or on it, to `slack` (m); a mesh what its triangles have.
/// Balls, capsules and compounds have none.
bool geo_holds(const geo_site *site, vec3 point, double slack);

/// What touches two shapes that lie against each other: whether its contact with one of them is
/// with a part that the other covers. There the other goes on beyond the surface, and what touches
/// both is out of the one as soon as it is out of the other.
/// @param mover    what touches both; not a compound
/// @param contact  of the mover and `of`, normal towards that shape, point halfway
/// @param other    of the mover and the shape that may cover, the same
/// @param slack    m, to which both lie against each other
bool geo_is_covered(const geo_site *mover, const geo_site *of, const geo_contact *contact,
                    const geo_site *cover, const geo_contact *other, double slack);

#endif
