// SPDX-License-Identifier: Apache-2.0
// What a scene says of its pictures, for the model, the camera and the light.
#ifndef CAIRN_VIEWER_SIMULATION_LOOKS_H
#define CAIRN_VIEWER_SIMULATION_LOOKS_H

#include "viewer/app/view.h"
#include "viewer/draw/model.h"

/// Colours of bodies and materials, and what the sensors look at, into a model that is drawn.
cairn_status view_looks_mark(const scn_scene *scene, view_model *model) CAIRN_CHECK_RESULT;

/// The place with the scene's camera where it leaves something open.
view_place view_looks_place(const scn_scene *scene, const view_place *place);

/// Unit vector towards the sun.
vec3 view_looks_sun(const scn_scene *scene);

#endif
