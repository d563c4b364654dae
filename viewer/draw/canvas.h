// SPDX-License-Identifier: Apache-2.0
// Flat drawing in pixels: rectangles, lines, text; a list of triangles, no GPU.
#ifndef CAIRN_VIEWER_DRAW_CANVAS_H
#define CAIRN_VIEWER_DRAW_CANVAS_H

#include "viewer/draw/colour.h"

typedef struct view_font view_font;

/// Reads the embedded font into an atlas for one size.
/// @param pixels  height of a line of text
cairn_status view_font_create(const base_allocator *allocator, double pixels,
                              view_font **font) CAIRN_CHECK_RESULT;
void view_font_destroy(view_font *font);
double view_font_height(const view_font *font);
double view_font_width(const view_font *font, const char *text);

/// Coverage, one byte a texel; texel 0 is full.
const unsigned char *view_font_atlas(const view_font *font, int *width, int *height);

/// Small pictures that a canvas can show: how large, and how many a device keeps.
enum {
    VIEW_IMAGE_WIDTH = 192,
    VIEW_IMAGE_HEIGHT = 120,
    VIEW_IMAGE_COLUMNS = 8,
    VIEW_IMAGES_MAX = VIEW_IMAGE_COLUMNS * 8
};

typedef struct view_flat_vertex {
    float position[2], texture[2]; // texture: of a small picture the coordinates plus 2
    view_colour colour;
} view_flat_vertex;

typedef struct view_canvas {
    base_allocator allocator;
    const view_font *font;      // borrowed
    view_flat_vertex *vertices; // [vertex_count], three a triangle
    int vertex_count, capacity;
    bool failed; // memory ran out: what came after is missing
} view_canvas;

view_canvas view_canvas_begin(const base_allocator *allocator, const view_font *font);
void view_canvas_finish(view_canvas *canvas);
void view_canvas_clear(view_canvas *canvas);

void view_canvas_box(view_canvas *canvas, double x, double y, double width, double height,
                     view_colour colour);
void view_canvas_line(view_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                      view_colour colour);
/// One of the device's small pictures (view_gpu_set_image).
void view_canvas_image(view_canvas *canvas, double x, double y, double width, double height,
                       int image);
/// Text with its upper left corner at x, y; characters the font lacks are left out.
/// @return x behind the text
double view_canvas_text(view_canvas *canvas, double x, double y, view_colour colour,
                        const char *text);
double view_canvas_print(view_canvas *canvas, double x, double y, view_colour colour,
                         const char *format, ...) CAIRN_PRINTF(5, 6);

#endif
