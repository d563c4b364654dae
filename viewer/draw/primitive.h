// SPDX-License-Identifier: Apache-2.0
// The few solids that everything in a picture is made of.
#ifndef CAIRN_VIEWER_DRAW_PRIMITIVE_H
#define CAIRN_VIEWER_DRAW_PRIMITIVE_H

/// Unit solids, scaled by three sizes along their own axes:
///   sphere    size[0] radius
///   capsule   size[0] radius, size[2] half length of the segment along z
///   box       half sizes
///   cylinder  size[0], size[1] radii, size[2] half length along z
///   cone      as the cylinder; the tip is at +z
///   plane     the half-space z <= 0; sizes unused
/// From VIEW_MESH on: mesh (primitive - VIEW_MESH) of the model, scaled by the sizes.
typedef enum view_primitive {
    VIEW_SPHERE,
    VIEW_CAPSULE,
    VIEW_BOX,
    VIEW_CYLINDER,
    VIEW_CONE,
    VIEW_PLANE,
    VIEW_MESH
} view_primitive;

#endif
