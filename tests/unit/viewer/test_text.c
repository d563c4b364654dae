// SPDX-License-Identifier: Apache-2.0
// The font and the canvas: UTF-8, widths, triangles inside the atlas.
#include "tests/check.h"

#include "viewer/draw/text.h"

static view_font *make_font(void)
{
    base_allocator allocator = base_allocator_default();
    view_font *font = NULL;
    assert_int_equal(view_font_create(&allocator, 16.0, &font), CAIRN_OK);
    return font;
}

static void test_characters(void **state)
{
    (void)state;
    const char *text = "a\xc2\xb2\xe2\x86\x92\xff!";
    assert_int_equal(view_text_next(&text), 'a');
    assert_int_equal(view_text_next(&text), 0xb2);
    assert_int_equal(view_text_next(&text), 0x2192);
    assert_int_equal(view_text_next(&text), '?');
    assert_int_equal(view_text_next(&text), '!');
    // a sequence that the end cuts off does not run over it
    text = "\xe2\x86";
    assert_int_equal(view_text_next(&text), '?');
    assert_int_equal(*text, '\0');
}

static void test_font(void **state)
{
    (void)state;
    view_font *font = make_font();
    view_glyph glyph, other;
    assert_true(view_font_glyph(font, 'M', &glyph));
    assert_true(view_font_glyph(font, 0x2264, &other));
    check_close(glyph.advance, other.advance, 0.0, 0.0);
    assert_false(view_font_glyph(font, 0x4e00, &glyph));
    check_close(view_font_width(font, "abc"), 3.0 * other.advance, 0.0, 0.0);
    check_close(view_font_height(font), 16.0, 0.0, 0.0);
    view_font_destroy(font);
}

/// The glyph of an M has ink, that of a blank has none.
static void test_ink(void **state)
{
    (void)state;
    view_font *font = make_font();
    int width = 0, height = 0, ink = 0;
    const unsigned char *atlas = view_font_atlas(font, &width, &height);
    view_glyph glyph;
    assert_true(view_font_glyph(font, 'M', &glyph));
    int left = (int)(glyph.texture[0] * (float)width),
        top = (int)(glyph.texture[1] * (float)height);
    for (int y = 0; y < (int)glyph.height; y++)
        for (int x = 0; x < (int)glyph.width; x++)
            ink += atlas[(top + y) * width + left + x];
    assert_true(ink > 20 * 255);
    assert_true(view_font_glyph(font, ' ', &glyph));
    check_close(glyph.width, 0.0, 0.0, 0.0);
    assert_int_equal(atlas[0], 255);
    view_font_destroy(font);
}

static void test_canvas(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    view_font *font = make_font();
    view_canvas canvas = view_canvas_begin(&allocator, font);
    const view_colour black = {0, 0, 0, 255};
    view_canvas_box(&canvas, 1.0, 2.0, 3.0, 4.0, black);
    assert_int_equal(canvas.vertex_count, 6);
    check_close(canvas.vertices[2].position[0], 4.0, 0.0, 0.0);
    view_canvas_line(&canvas, 0.0, 0.0, 10.0, 0.0, 2.0, black);
    assert_int_equal(canvas.vertex_count, 12);
    double end = view_canvas_print(&canvas, 10.0, 0.0, black, "%s %d", "ab", 7);
    // the blank has no triangles
    assert_int_equal(canvas.vertex_count, 12 + 3 * 6);
    check_close(end, 10.0 + view_font_width(font, "ab 7"), 0.0, 0.0);
    view_canvas_clear(&canvas);
    assert_int_equal(canvas.vertex_count, 0);
    view_canvas_finish(&canvas);
    view_font_destroy(font);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_font),
        cmocka_unit_test(test_ink),
        cmocka_unit_test(test_canvas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
