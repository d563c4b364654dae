// SPDX-License-Identifier: Apache-2.0
// All that is needed to draw frames of one model: device, draw list, canvas, camera.
#ifndef CAIRN_VIEWER_APP_STAGE_H
#define CAIRN_VIEWER_APP_STAGE_H

#include "viewer/app/view.h"
#include "viewer/gpu/gpu.h"

typedef struct view_stage {
    base_allocator allocator;
    view_gpu *gpu;
    view_font *font;
    double text_height; // pixels, that the font was made for
    view_canvas canvas;
    view_draw_list list;
    view_camera camera;
    vec3 sun;              // unit, towards it
    int followed;          // body that the camera goes with; -1: none
    vec3 followed_at;      // m, where its centre of mass was when the camera last moved with it
    unsigned char *pixels; // [height][width][3] of the last picture read
    size_t pixel_bytes;
} view_stage;

cairn_status view_stage_open(view_stage *stage, const base_allocator *allocator,
                             const view_gpu_options *options, double text_height,
                             cairn_error *error) CAIRN_CHECK_RESULT;
/// Text of another height, pixels; nothing where it has that.
cairn_status view_stage_set_text(view_stage *stage, double pixels,
                                 cairn_error *error) CAIRN_CHECK_RESULT;
void view_stage_close(view_stage *stage);

/// Points the camera from a place at the bodies of some frames of one scene.
void view_stage_aim(view_stage *stage, const view_model *model, const view_frame *const *frames,
                    int frame_count, const view_place *place, double aspect);

/// From now on the camera goes with a body; -1: it stands still.
void view_stage_follow(view_stage *stage, const view_frame *frame, int body);

/// The same by a body's name; NULL: none. @return false where no body has that name
bool view_stage_follow_named(view_stage *stage, const view_model *model, const view_frame *frame,
                             const char *name);

/// Moves the camera as far as the body that it goes with has moved. One that is gone is let go.
/// @return false when it was let go
bool view_stage_go_along(view_stage *stage, const view_frame *frame);

/// Reads the last picture into `pixels`.
cairn_status view_stage_read(view_stage *stage, int width, int height,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Title, time, contacts at the lower left, and the key at the upper right.
void view_stage_caption(view_stage *stage, const char *title, const view_model *model,
                        const view_frame *frame, const view_style *style, int width, int height);

/// The key alone: the colours of the status, or the length of the force arrows; below it the scale
/// of the bodies' colours, or their materials.
void view_stage_key(view_stage *stage, const view_model *model, const view_style *style,
                    double right, double y);

#endif
