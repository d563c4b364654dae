// SPDX-License-Identifier: Apache-2.0
// Triangles of rectangles, lines and text.
#include "viewer/draw/canvas.h"

#include "viewer/draw/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

view_canvas view_canvas_begin(const base_allocator *allocator, const view_font *font)
{
    return (view_canvas){.allocator = *allocator, .font = font};
}

void view_canvas_finish(view_canvas *canvas)
{
    if (canvas->allocator.reallocate != NULL)
        base_release(&canvas->allocator, canvas->vertices);
    *canvas = (view_canvas){0};
}

void view_canvas_clear(view_canvas *canvas)
{
    canvas->vertex_count = 0;
    canvas->failed = false;
}

/// A quadrilateral with corners in order around it.
static void put_corners(view_canvas *canvas, const view_flat_vertex corners[4])
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    if (base_array_reserve(&canvas->allocator, &canvas->vertices, &canvas->capacity,
                           canvas->vertex_count + 6) != CAIRN_OK) {
        canvas->failed = true;
        return;
    }
    for (int i = 0; i < 6; i++)
        canvas->vertices[canvas->vertex_count++] = corners[order[i]];
}

void view_canvas_box(view_canvas *canvas, double x, double y, double width, double height,
                     view_colour colour)
{
    float left = (float)x, top = (float)y, right = (float)(x + width), bottom = (float)(y + height);
    view_flat_vertex corners[4] = {
        {{left, top}, {0}, colour},
        {{right, top}, {0}, colour},
        {{right, bottom}, {0}, colour},
        {{left, bottom}, {0}, colour},
    };
    put_corners(canvas, corners);
}

void view_canvas_image(view_canvas *canvas, double x, double y, double width, double height,
                       int image)
{
    static const view_colour white = {255, 255, 255, 255};
    // half a pixel inside, for the filter looks at neighbours
    const float pixel_across = 1.0f / (VIEW_IMAGE_COLUMNS * VIEW_IMAGE_WIDTH),
                pixel_down = (float)VIEW_IMAGE_COLUMNS / (VIEW_IMAGES_MAX * VIEW_IMAGE_HEIGHT);
    const float across = pixel_across * (VIEW_IMAGE_WIDTH - 1),
                down = pixel_down * (VIEW_IMAGE_HEIGHT - 1);
    float left = (float)x, top = (float)y, right = (float)(x + width), bottom = (float)(y + height);
    float u = 2.0f + pixel_across * (0.5f + (float)(image % VIEW_IMAGE_COLUMNS * VIEW_IMAGE_WIDTH));
    float v = 2.0f + pixel_down * (0.5f + (float)(image / VIEW_IMAGE_COLUMNS * VIEW_IMAGE_HEIGHT));
    view_flat_vertex corners[4] = {
        {{left, top}, {u, v}, white},
        {{right, top}, {u + across, v}, white},
        {{right, bottom}, {u + across, v + down}, white},
        {{left, bottom}, {u, v + down}, white},
    };
    put_corners(canvas, corners);
}

void view_canvas_line(view_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                      view_colour colour)
{
    double length = hypot(x1 - x0, y1 - y0);
    if (!(length > 0.0))
        return;
    double dx = 0.5 * width * (y0 - y1) / length, dy = 0.5 * width * (x1 - x0) / length;
    view_flat_vertex corners[4] = {
        {{(float)(x0 + dx), (float)(y0 + dy)}, {0}, colour},
        {{(float)(x1 + dx), (float)(y1 + dy)}, {0}, colour},
        {{(float)(x1 - dx), (float)(y1 - dy)}, {0}, colour},
        {{(float)(x0 - dx), (float)(y0 - dy)}, {0}, colour},
    };
    put_corners(canvas, corners);
}

static void put_glyph(view_canvas *canvas, const view_glyph *glyph, double x, double y,
                      view_colour colour)
{
    float left = (float)(x + glyph->left), top = (float)(y + glyph->top);
    float right = left + (float)glyph->width, bottom = top + (float)glyph->height;
    const float *t = glyph->texture;
    view_flat_vertex corners[4] = {
        {{left, top}, {t[0], t[1]}, colour},
        {{right, top}, {t[2], t[1]}, colour},
        {{right, bottom}, {t[2], t[3]}, colour},
        {{left, bottom}, {t[0], t[3]}, colour},
    };
    put_corners(canvas, corners);
}

double view_canvas_text(view_canvas *canvas, double x, double y, view_colour colour,
                        const char *text)
{
    // whole pixels keep glyphs sharp
    double left = round(x), top = round(y);
    while (*text != '\0') {
        view_glyph glyph;
        if (!view_font_glyph(canvas->font, view_text_next(&text), &glyph))
            continue;
        if (glyph.width > 0.0)
            put_glyph(canvas, &glyph, left, top, colour);
        left += glyph.advance;
    }
    return left;
}

double view_canvas_print(view_canvas *canvas, double x, double y, view_colour colour,
                         const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return view_canvas_text(canvas, x, y, colour, text);
}
