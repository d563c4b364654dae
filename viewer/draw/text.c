// SPDX-License-Identifier: Apache-2.0
// The font's atlas by stb_truetype.
#include "viewer/draw/text.h"

#include "base/assert.h"
#include "viewer/draw/embedded.h"

#include <stb_truetype.h>
#include <string.h>

enum { FIRST = 32, LAST = 126, ATLAS = 512 };

// beyond ASCII; sorted
static const uint32_t extra_codes[] = {0x00b0, 0x00b2, 0x00b3, 0x00b5, 0x00b7, 0x2013, 0x2190,
                                       0x2191, 0x2192, 0x2193, 0x221e, 0x2264, 0x2265, 0x25b6};

enum { EXTRA = BASE_COUNT(extra_codes), GLYPHS = LAST - FIRST + 1 + EXTRA };

struct view_font {
    base_allocator allocator;
    double height, ascent, advance;
    view_glyph glyphs[GLYPHS];
    unsigned char atlas[ATLAS * ATLAS];
};

static uint32_t code_of(int glyph)
{
    int ascii = LAST - FIRST + 1;
    return glyph < ascii ? (uint32_t)(FIRST + glyph) : extra_codes[glyph - ascii];
}

static int index_of(uint32_t code)
{
    if (code >= FIRST && code <= LAST)
        return (int)code - FIRST;
    for (int i = 0; i < EXTRA; i++)
        if (extra_codes[i] == code)
            return LAST - FIRST + 1 + i;
    return -1;
}

/// Rows of glyphs with a texel between them; the first texels are full, for plain colour.
static cairn_status bake_all(view_font *font, const stbtt_fontinfo *info, float scale)
{
    int x = 4, y = 0, row = 4;
    for (int i = 0; i < 3; i++)
        memset(font->atlas + i * ATLAS, 255, 3);
    for (int i = 0; i < GLYPHS; i++) {
        int box[4];
        stbtt_GetCodepointBitmapBox(info, (int)code_of(i), scale, scale, &box[0], &box[1], &box[2],
                                    &box[3]);
        if (x + box[2] - box[0] + 1 > ATLAS) {
            x = 0;
            y += row;
            row = 0;
        }
        if (y + box[3] - box[1] + 1 > ATLAS)
            return CAIRN_ERROR_ARGUMENT;

        // renders one glyph at x, y of the atlas
        int width = box[2] - box[0], height = box[3] - box[1], code = (int)code_of(i);
        stbtt_MakeCodepointBitmap(info, font->atlas + y * ATLAS + x, width, height, ATLAS, scale,
                                  scale, code);
        font->glyphs[i] = (view_glyph){box[0],
                                       font->ascent + box[1],
                                       width,
                                       height,
                                       font->advance,
                                       {(float)x / ATLAS, (float)y / ATLAS,
                                        (float)(x + width) / ATLAS, (float)(y + height) / ATLAS}};

        x += box[2] - box[0] + 1;
        row = row > box[3] - box[1] + 1 ? row : box[3] - box[1] + 1;
    }
    return CAIRN_OK;
}

static cairn_status load(view_font *font, double pixels)
{
    stbtt_fontinfo info;
    int ascent = 0, descent = 0, gap = 0, advance = 0, bearing = 0;
    if (!stbtt_InitFont(&info, view_file_DejaVuSansMono_subset_ttf, 0))
        return CAIRN_ERROR_FORMAT;
    float scale = stbtt_ScaleForPixelHeight(&info, (float)pixels);
    stbtt_GetFontVMetrics(&info, &ascent, &descent, &gap);
    stbtt_GetCodepointHMetrics(&info, 'M', &advance, &bearing);
    font->height = pixels;
    font->ascent = (double)(int)(scale * (float)ascent + 0.5F);
    font->advance = (double)(int)(scale * (float)advance + 0.5F);
    return bake_all(font, &info, scale);
}

cairn_status view_font_create(const base_allocator *allocator, double pixels, view_font **font)
{
    *font = base_allocate(allocator, 1, sizeof **font);
    if (*font == NULL)
        return CAIRN_ERROR_MEMORY;
    (*font)->allocator = *allocator;
    cairn_status status = load(*font, pixels);
    if (status != CAIRN_OK) {
        view_font_destroy(*font);
        *font = NULL;
    }
    return status;
}

void view_font_destroy(view_font *font)
{
    if (font == NULL)
        return;
    base_allocator allocator = font->allocator;
    base_release(&allocator, font);
}

double view_font_height(const view_font *font)
{
    return font->height;
}

double view_font_width(const view_font *font, const char *text)
{
    double width = 0.0;
    while (*text != '\0')
        width += index_of(view_text_next(&text)) >= 0 ? font->advance : 0.0;
    return width;
}

const unsigned char *view_font_atlas(const view_font *font, int *width, int *height)
{
    *width = *height = ATLAS;
    return font->atlas;
}

bool view_font_glyph(const view_font *font, uint32_t code, view_glyph *glyph)
{
    int index = index_of(code);
    if (index < 0)
        return false;
    *glyph = font->glyphs[index];
    return true;
}

uint32_t view_text_next(const char **text)
{
    const unsigned char *at = (const unsigned char *)*text;
    int more = at[0] < 0x80 ? 0 : at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : at[0] >= 0xc0 ? 1 : -1;
    if (more <= 0) {
        *text += 1;
        return more == 0 ? at[0] : '?';
    }
    uint32_t code = at[0] & (0x3fU >> more);
    for (int i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            *text += i;
            return '?';
        }
        code = code << 6 | (at[i] & 0x3fU);
    }
    *text += more + 1;
    return code;
}
