// SPDX-License-Identifier: Apache-2.0
// Which body a ray meets first.
#ifndef CAIRN_VIEWER_INPUT_PICK_H
#define CAIRN_VIEWER_INPUT_PICK_H

#include "viewer/draw/frame.h"

typedef struct view_hit {
    int body;        // -1 for none
    double distance; // along the ray, in lengths of its direction
    vec3 point;
} view_hit;

/// Half-spaces and, unless asked for, containers are looked through.
view_hit view_pick(const view_model *model, const view_frame *frame, vec3 origin, vec3 direction,
                   bool containers);

/// Distance along a ray to a primitive in its own frame; INFINITY for a miss. Rays that start
/// inside hit nothing but meshes.
/// @param mesh  of a mesh primitive; NULL otherwise
double view_pick_primitive(int primitive, const double size[3], const view_mesh *mesh, vec3 origin,
                           vec3 direction);

#endif
