// SPDX-License-Identifier: Apache-2.0
// Texts of others: what is shown and written of any bytes; files that are none.
#include "tests/check.h"

#include "base/file.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void shows(const char *text, const char *expected)
{
    char out[256];
    base_text_show(text, out, sizeof out);
    assert_string_equal(out, expected);
}

static void test_shown_texts_have_no_controls(void **state)
{
    (void)state;
    shows("plain", "plain");
    shows("W\xc3\xbcrfel \xf0\x9f\x98\x80", "W\xc3\xbcrfel \xf0\x9f\x98\x80");
    shows("\033]0;x\a\033[31m", "\\x1b]0;x\\x07\\x1b[31m");
    shows("a\nb\tc\rd\177", "a\\nb\\tc\\rd\\x7f");
    // a C1 control as a letter, and as a bare byte
    shows("\xc2\x9b"
          "31m \x9b",
          "\\x9b31m \\x9b");
    shows("\xe2\x80\xae"
          "abc",
          "\\u202eabc");
}

static void mends(const char *text, const char *expected)
{
    char out[256];
    base_text_mend(text, out, sizeof out);
    assert_string_equal(out, expected);
    assert_true(base_text_is_utf8(out));
}

static void test_marks(void **state)
{
    (void)state;
    assert_int_equal(base_text_mark("\xef\xbb\xbfx", 4), 3);
    assert_int_equal(base_text_mark("\xef\xbb\xbf", 3), 3);
    assert_int_equal(base_text_mark("\xef\xbb\xbf", 2), 0);
    assert_int_equal(base_text_mark("x", 1), 0);
    assert_int_equal(base_text_mark("", 0), 0);
}

// the fields of a line, in brackets; "broken" where its quotes are
static const char *fields_of(const char *line, char out[80])
{
    char text[40], *field;
    snprintf(text, sizeof text, "%s", line);
    out[0] = '\0';
    for (char *rest = text; rest != NULL;) {
        if (!base_text_field(&rest, &field))
            return "broken";
        size_t length = strlen(out);
        snprintf(out + length, 80 - length, "[%s]", field);
    }
    return out;
}

static void test_fields(void **state)
{
    (void)state;
    char out[80];
    assert_string_equal(fields_of("", out), "[]");
    assert_string_equal(fields_of("a, b,", out), "[a][ b][]");
    assert_string_equal(fields_of("\"a,b\",c", out), "[a,b][c]");
    assert_string_equal(fields_of(" \"a \"\"b\"\"\" ,c\"d", out), "[a \"b\"][c\"d]");
    assert_string_equal(fields_of("\"\"", out), "[]");
    assert_string_equal(fields_of("\"a", out), "broken");
    assert_string_equal(fields_of("\"a\"\"", out), "broken");
    assert_string_equal(fields_of("\"a\"b,c", out), "broken");
}

static void test_written_texts_are_utf8(void **state)
{
    (void)state;
    mends("line 1\nline 2", "line 1 line 2");
    mends("\200\255", "\xef\xbf\xbd\xef\xbf\xbd");
    // overlong, surrogate, beyond Unicode, cut short
    const char *const wrong[] = {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82",
                                 "\xf0"};
    for (int i = 0; i < 5; i++) {
        char out[64];
        assert_false(base_text_is_utf8(wrong[i]));
        base_text_mend(wrong[i], out, sizeof out);
        assert_true(base_text_is_utf8(out));
    }
    assert_true(base_text_is_utf8("\xf4\x8f\xbf\xbf"));
}

static void test_no_letter_is_cut(void **state)
{
    (void)state;
    for (size_t size = 1; size < 40; size++) {
        char shown[64], mended[64];
        memset(shown, 'x', sizeof shown);
        memset(mended, 'x', sizeof mended);
        base_text_show("\xc3\xbc\033\xe2\x82\xac\xf0\x9f\x98\x80\xff", shown, size);
        base_text_mend("\xc3\xbc\033\xe2\x82\xac\xf0\x9f\x98\x80\xff", mended, size);
        assert_true(strlen(shown) < size && base_text_is_utf8(shown));
        assert_true(strlen(mended) < size && base_text_is_utf8(mended));
        assert_int_equal(shown[size], 'x');
        assert_int_equal(mended[size], 'x');
    }
}

static void test_files_that_are_none(void **state)
{
    (void)state;
    char folder[] = "/tmp/cairn-file-XXXXXX", path[64], target[64];
    assert_non_null(mkdtemp(folder));
    const char *reason = NULL;
    snprintf(path, sizeof path, "%s/pipe", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    // none of them waits for the pipe's other end
    assert_null(base_file_read(path, &reason));
    assert_string_equal(reason, "not a regular file");
    assert_null(base_file_create(path, &reason));
    assert_null(base_file_change(path, &reason));
    assert_null(base_file_read(folder, &reason));
    assert_string_equal(reason, "not a file but a folder");
    unlink(path);
    snprintf(path, sizeof path, "%s/link", folder);
    snprintf(target, sizeof target, "%s/target", folder);
    FILE *file = base_file_create(target, &reason);
    assert_non_null(file);
    assert_true(fputs("kept", file) >= 0 && fclose(file) == 0);
    assert_int_equal(symlink(target, path), 0);
    assert_null(base_file_create(path, &reason));
    assert_non_null(strstr(reason, "symbolic link"));
    assert_null(base_file_change(path, &reason));
    file = base_file_read(path, &reason);
    char text[8] = "";
    assert_true(file != NULL && fread(text, 1, 7, file) == 4 && fclose(file) == 0);
    assert_string_equal(text, "kept");
    // a new file takes the link's place
    file = base_file_create_new(path, &reason);
    assert_true(file != NULL && fclose(file) == 0);
    struct stat information;
    assert_true(stat(target, &information) == 0 && information.st_size == 4);
    assert_true(unlink(path) == 0 && unlink(target) == 0 && rmdir(folder) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shown_texts_have_no_controls),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_written_texts_are_utf8),
        cmocka_unit_test(test_no_letter_is_cut),
        cmocka_unit_test(test_files_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
