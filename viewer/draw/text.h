// SPDX-License-Identifier: Apache-2.0
// Glyphs of the embedded font.
#ifndef CAIRN_VIEWER_DRAW_TEXT_H
#define CAIRN_VIEWER_DRAW_TEXT_H

#include "viewer/draw/canvas.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct view_glyph {
    double left, top, width, height; // pixels, from the upper left of the line
    double advance;
    float texture[4]; // left, top, right, bottom in the atlas, 0..1
} view_glyph;

/// @return false for a character that the font lacks
bool view_font_glyph(const view_font *font, uint32_t code, view_glyph *glyph);

/// Takes one character of UTF-8; what is none counts as '?'.
uint32_t view_text_next(const char **text);

#endif
