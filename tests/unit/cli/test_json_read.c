// SPDX-License-Identifier: Apache-2.0
// The reader of JSON: what it accepts, and what it refuses with which line.
#include "cli/text/json_read.h"

#include "base/assert.h"
#include "base/rng.h"
#include "tests/check.h"

#include <string.h>

static cairn_error error;
static cli_json_tree tree;

static cairn_status parse(const char *text)
{
    return cli_json_parse(text, strlen(text), "t.json", &tree, &error);
}

static void accepts_every_kind(void **state)
{
    (void)state;
    const char *text = "\n{ \"a\": [1, -2.5e3, 0.125, 1E-2],\n \"b\": {\"c\": null}, \"d\": true,"
                       "\"e\\n\": \"x\\u00e9\\ud83d\\ude00\\\"\\/ \xc3\xa9\", \"f\": false,"
                       "\"g\": [], \"h\": {} }\r\n\t";
    assert_int_equal(parse(text), CAIRN_OK);
    const cli_json_node *root = tree.root;
    assert_int_equal(root->kind, CLI_JSON_OBJECT);
    assert_int_equal(root->count, 7);
    assert_int_equal(root->line, 2);
    const double expected[] = {1.0, -2500.0, 0.125, 0.01};
    const cli_json_node *list = cli_json_member(root, "a");
    assert_int_equal(list->count, 4);
    int i = 0;
    for (const cli_json_node *at = list->first; at != NULL; at = at->next)
        assert_true(at->number == expected[i++]);
    const cli_json_node *b = cli_json_member(root, "b");
    assert_int_equal(b->line, 3);
    assert_int_equal(cli_json_member(b, "c")->kind, CLI_JSON_NULL);
    assert_true(cli_json_member(root, "d")->boolean);
    assert_false(cli_json_member(root, "f")->boolean);
    assert_string_equal(cli_json_member(root, "e\n")->text,
                        "x\xc3\xa9\xf0\x9f\x98\x80\"/ \xc3\xa9");
    assert_int_equal(cli_json_member(root, "g")->count, 0);
    assert_null(cli_json_member(root, "missing"));
    assert_null(cli_json_member(list, "a"));
    cli_json_release(&tree);
    assert_int_equal(parse(" 3 "), CAIRN_OK);
    cli_json_release(&tree);
}

static void refuses_what_is_no_json(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        " ",
                                        "{",
                                        "[",
                                        "[1",
                                        "[1,",
                                        "[1,]",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{'a':1}",
                                        "[1 2]",
                                        "1 2",
                                        "{} {}",
                                        "01",
                                        "+1",
                                        ".5",
                                        "1.",
                                        "1e",
                                        "1e+",
                                        "- 1",
                                        "0x10",
                                        "1_0",
                                        "NaN",
                                        "Infinity",
                                        "-Infinity",
                                        "1e999",
                                        "tru",
                                        "truer",
                                        "nul",
                                        "True",
                                        "\"a",
                                        "\"a\nb\"",
                                        "\"\t\"",
                                        "\"\\x\"",
                                        "\"\\u12\"",
                                        "\"\\u12g4\"",
                                        "\"\\u0000\"",
                                        "\"\\ud800\"",
                                        "\"\\ud800\\u0041\"",
                                        "\"\\udc00\"",
                                        "\"\xff\"",
                                        "\"\xc0\xaf\"",
                                        "\"\xed\xa0\x80\"",
                                        "\"\xf4\x90\x80\x80\"",
                                        "\"\xe2\x82",
                                        "{\"a\":1,\"a\":2}",
                                        "// c\n1",
                                        "[1]]",
                                        "\"\\",
                                        "{\"a\":1 \"b\":2}",
                                        "\xef\xbb\xbf{}",
                                        "]",
                                        ",",
                                        ":",
                                        "[,1]"};
    for (int i = 0; i < BASE_COUNT(wrong); i++) {
        error.message[0] = '\0';
        if (parse(wrong[i]) != CAIRN_ERROR_FORMAT)
            fail_msg("accepted: %s", wrong[i]);
        assert_null(tree.root);
        assert_ptr_equal(strstr(error.message, "t.json:"), error.message);
        cli_json_release(&tree);
    }
    assert_int_equal(cli_json_parse("1\0", 2, "t.json", &tree, &error), CAIRN_ERROR_FORMAT);
    cli_json_release(&tree);
}

static void names_the_line(void **state)
{
    (void)state;
    assert_int_equal(parse("{\n\"a\": 1,\n\"b\": oops }"), CAIRN_ERROR_FORMAT);
    assert_string_equal(error.message, "t.json:3: expected a value before \"o\"");
    cli_json_release(&tree);
    assert_int_equal(parse("{\n\"a\": 1,\n\n\"a\": 2 }"), CAIRN_ERROR_FORMAT);
    assert_string_equal(error.message, "t.json:4: key \"a\" is there twice");
    cli_json_release(&tree);
}

static void keeps_its_limits(void **state)
{
    (void)state;
    static char text[1 << 20];
    memset(text, '[', sizeof text);
    assert_int_equal(cli_json_parse(text, sizeof text, "t.json", &tree, &error),
                     CAIRN_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "too deep"));
    cli_json_release(&tree);
    for (int i = 0; i < (int)sizeof text; i++)
        text[i] = "0,"[i % 2];
    text[0] = '[';
    text[1] = ' ';
    assert_int_equal(cli_json_parse(text, sizeof text, "t.json", &tree, &error),
                     CAIRN_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "too many"));
    cli_json_release(&tree);
    assert_int_equal(cli_json_parse(text, sizeof text + 1, "t.json", &tree, &error),
                     CAIRN_ERROR_FORMAT);
    cli_json_release(&tree);
    assert_int_equal(cli_json_read("no/such/file.json", &tree, &error), CAIRN_ERROR_FILE);
    cli_json_release(&tree);
}

/// Cut and damaged texts are accepted or refused, and never read beyond their end.
static void survives_damage(void **state)
{
    (void)state;
    const char *whole = "{\"a\": [1.5e-3, \"\\u00e9\\ud83d\\ude00 \xc3\xa9\", true], \"b\": {}}";
    base_rng rng = base_rng_make(7);
    size_t size = strlen(whole);
    for (int i = 0; i < 20000; i++) {
        char text[128];
        memcpy(text, whole, size);
        for (int k = 0; k < 3; k++)
            text[(size_t)(base_rng_unit(&rng) * (double)size)] =
                (char)(base_rng_unit(&rng) * 256.0);
        size_t used = (size_t)(base_rng_unit(&rng) * (double)(size + 1));
        cairn_status status = cli_json_parse(text, used, "t.json", &tree, &error);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_FORMAT);
        cli_json_release(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_every_kind), cmocka_unit_test(refuses_what_is_no_json),
        cmocka_unit_test(names_the_line),     cmocka_unit_test(keeps_its_limits),
        cmocka_unit_test(survives_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
