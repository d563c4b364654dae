// SPDX-License-Identifier: Apache-2.0
// Names of films and series, and a series written without ffmpeg.
#include "tests/check.h"

#include "viewer/film/film.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_names(void **state)
{
    (void)state;
    assert_true(view_film_is_name("a.mp4"));
    assert_true(view_film_is_name("a/b.webm"));
    assert_false(view_film_is_name("a.png"));
    assert_false(view_film_is_name(".mp4"));
    assert_true(view_film_is_series("a-%d.png"));
    assert_true(view_film_is_series("a-%05d.png"));
    static const char *const wrong[] = {"a.png",       "a-%s.png", "a-%d-%d.png", "a-%d.mp4",
                                        "a-%123d.png", "a-%n.png", "a-%d%.png",   "a-%.png"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (view_film_is_series(wrong[i]))
            fail_msg("\"%s\" passes as a series", wrong[i]);
}

static void test_paths(void **state)
{
    (void)state;
    view_film film = {.path = "f/a-%03d.png"};
    char path[PATH_MAX];
    view_film_picture_path(&film, 7, path);
    assert_string_equal(path, "f/a-007.png");
    snprintf(film.path, sizeof film.path, "%s", "b%d.png");
    view_film_picture_path(&film, 12, path);
    assert_string_equal(path, "b12.png");
}

/// Writes three pictures and looks for their signatures.
static void test_series(void **state)
{
    (void)state;
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    char folder[] = "/tmp/cairn-film-XXXXXX", pattern[64], path[PATH_MAX];
    unsigned char pixels[16 * 16 * 3] = {0}, head[8];
    view_film film;
    cairn_error error = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(pattern, sizeof pattern, "%s/p-%%02d.png", folder);
    assert_int_equal(view_film_open(&film, pattern, 16, 16, 30.0, &error), CAIRN_OK);
    assert_true(film.series);
    for (int i = 0; i < 3; i++)
        assert_int_equal(view_film_add(&film, pixels, &error), CAIRN_OK);
    assert_int_equal(view_film_close(&film, &error), CAIRN_OK);
    for (int i = 1; i <= 3; i++) {
        view_film_picture_path(&film, i, path);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        assert_int_equal(fread(head, 1, 8, file), 8);
        fclose(file);
        assert_memory_equal(head, signature, 8);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(view_film_open(&film, "a.txt", 16, 16, 30.0, &error), CAIRN_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
