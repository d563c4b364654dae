// SPDX-License-Identifier: Apache-2.0
// The GPU side: a window or a hidden surface, and the passes that draw a draw list and a canvas.
//
// OpenGL 3.3 core. All calls come from the thread that opened the device.
#ifndef CAIRN_VIEWER_GPU_GPU_H
#define CAIRN_VIEWER_GPU_GPU_H

#include "viewer/draw/camera.h"
#include "viewer/draw/canvas.h"
#include "viewer/draw/draw_list.h"

#include <SDL.h>

typedef struct view_gpu view_gpu;

typedef struct view_gpu_options {
    const char *title;
    int width, height; // pixels
    bool hidden;       // no window; SDL's offscreen driver
} view_gpu_options;

/// Opens SDL, a window and its context. CAIRN_ERROR_UNSUPPORTED where there is no display or no
/// OpenGL 3.3, with a message that names what is missing.
cairn_status view_gpu_open(const base_allocator *allocator, const view_gpu_options *options,
                           view_gpu **gpu, cairn_error *error) CAIRN_CHECK_RESULT;
void view_gpu_close(view_gpu *gpu);

SDL_Window *view_gpu_window(const view_gpu *gpu);
/// "OpenGL 4.5, llvmpipe (...)", for messages.
const char *view_gpu_name(const view_gpu *gpu);
/// True for a renderer without a graphics processor.
bool view_gpu_is_software(const view_gpu *gpu);

/// Uploads the meshes of a model; to be called when the model changes.
cairn_status view_gpu_set_model(view_gpu *gpu, const view_model *model,
                                cairn_error *error) CAIRN_CHECK_RESULT;
cairn_status view_gpu_set_font(view_gpu *gpu, const view_font *font,
                               cairn_error *error) CAIRN_CHECK_RESULT;

/// Uploads one of the small pictures that a canvas can show.
/// @param image   0 to VIEW_IMAGES_MAX - 1
/// @param pixels  [VIEW_IMAGE_HEIGHT][VIEW_IMAGE_WIDTH][3], rows from the top
void view_gpu_set_image(view_gpu *gpu, int image, const unsigned char *pixels);

typedef struct view_picture {
    int width, height; // pixels
    int samples;       // 1 or 2: pixels drawn for one, each way
    bool shadows;
    bool grid;
    int shadow_taps; // 0..2: softness
    vec3 sun;        // unit, towards it
    const view_draw_list *list;
    const view_camera *camera;
    const view_canvas *canvas; // NULL: none
} view_picture;

/// Draws into the device's picture.
cairn_status view_gpu_draw(view_gpu *gpu, const view_picture *picture,
                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Shows the last picture in the window.
void view_gpu_present(view_gpu *gpu);

/// Reads the last picture, rows from the top.
/// @param pixels  [height][width][3] out
void view_gpu_read(view_gpu *gpu, unsigned char *pixels);

#endif
