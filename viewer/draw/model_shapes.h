// SPDX-License-Identifier: Apache-2.0
// The shapes of a model, for model.c.
#ifndef CAIRN_VIEWER_DRAW_MODEL_SHAPES_H
#define CAIRN_VIEWER_DRAW_MODEL_SHAPES_H

#include "viewer/draw/model.h"

/// Makes room for an id's index in a map from ids to numbers, -1 where there is none.
cairn_status view_map_grow(view_model *model, int **map, int *count, int *capacity,
                           uint32_t index) CAIRN_CHECK_RESULT;

/// The shape of an id, made where the model does not have it yet.
cairn_status view_shape_find(view_model *model, const cairn_world *world, cairn_shape_id id,
                             int *shape) CAIRN_CHECK_RESULT;

/// A shape that the scene does not have, from what the run says of it; what is neither round nor a
/// box is shown as the ball of its volume.
cairn_status view_shape_make_recorded(view_model *model, const cairn_replay_body *body,
                                      int *shape) CAIRN_CHECK_RESULT;

/// A body that had the shape is no more. @return false when out of memory
bool view_shape_let_go(view_model *model, int shape);

#endif
