// SPDX-License-Identifier: Apache-2.0
// The table of options: every way to write a value, every mistake, and the tables of the commands.
#include "tests/check.h"

#include "base/assert.h"
#include "cli/commands.h"
#include "cli/text/json.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample {
    cli_common common;
    bool flag, other;
    const char *text, *choice;
    double number;
    int64_t integer;
    cli_assignments pairs;
} sample;

static const char *const words[] = {"left", "right", NULL};

static const cli_option options[] = {
    {.name = "flag", .letter = 'f', .type = CLI_FLAG, .offset = offsetof(sample, flag)},
    {.name = "other", .type = CLI_FLAG, .offset = offsetof(sample, other)},
    {.name = "text",
     .letter = 't',
     .type = CLI_TEXT,
     .offset = offsetof(sample, text),
     .argument = "TEXT"},
    {.name = "side",
     .type = CLI_CHOICE,
     .offset = offsetof(sample, choice),
     .argument = "SIDE",
     .words = words},
    {.name = "number",
     .type = CLI_NUMBER,
     .offset = offsetof(sample, number),
     .argument = "X",
     .maximum = DBL_MAX,
     .open = true},
    {.name = "integer",
     .letter = 'i',
     .type = CLI_INTEGER,
     .offset = offsetof(sample, integer),
     .argument = "N",
     .minimum = -3,
     .maximum = 3},
    {.name = "set",
     .type = CLI_ASSIGNMENTS,
     .offset = offsetof(sample, pairs),
     .argument = "NAME=VALUE"},
};

static const cli_command command = {
    .name = "sample",
    .operands = "FILE",
    .least = 1,
    .most = 2,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(sample),
};

enum { WORDS_MAX = 16 };

/// Parses a line of words separated by spaces; the texts live in `line`.
static cairn_status parse(char *line, sample *out, cairn_error *error)
{
    char *argv[WORDS_MAX];
    int argc = 0;
    for (char *word = strtok(line, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    return cli_options_parse(&command, argc, argv, out, error);
}

static void test_values(void **state)
{
    (void)state;
    char line[] = "--flag a.lua -t one --side=right --number 1e-3 -i-2 --set a=1 --set b=c=d -- -x";
    sample out;
    cairn_error error = {0};
    assert_int_equal(parse(line, &out, &error), CAIRN_OK);
    assert_true(out.flag && !out.other);
    assert_string_equal(out.text, "one");
    assert_string_equal(out.choice, "right");
    check_close(out.number, 1e-3, 0.0, 0.0);
    assert_int_equal(out.integer, -2);
    assert_int_equal(out.pairs.count, 2);
    assert_string_equal(out.pairs.items[1].name, "b");
    assert_string_equal(out.pairs.items[1].value, "c=d");
    assert_int_equal(out.common.argument_count, 2);
    assert_string_equal(out.common.arguments[1], "-x");
}

static void test_help_needs_no_operand(void **state)
{
    (void)state;
    char line[] = "-h";
    sample out;
    assert_int_equal(parse(line, &out, NULL), CAIRN_OK);
    assert_true(out.common.help);
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *line, *part;
    } cases[] = {
        {"", "cairn sample wants FILE"},
        {"a b c", "unexpected argument \"c\""},
        {"a --flg", "unknown option --flg (did you mean --flag?)"},
        {"a --flag=1", "--flag takes no value"},
        {"a --text", "--text wants a value (TEXT)"},
        {"a --side up", "--side \"up\" is not one of left, right"},
        {"a --number 0", "--number 0 is out of range: greater than 0"},
        {"a --number inf", "--number wants a number"},
        {"a --number 1x", "--number wants a number, not \"1x\""},
        {"a --integer 4", "--integer 4 is out of range: -3 to 3"},
        {"a --integer 0.5", "--integer wants a whole number"},
        {"a --set x", "--set wants name=value, not \"x\""},
        {"a --set =1", "--set wants name=value"},
        {"a -q", "unknown option -q"},
    };
    (void)state;
    for (int i = 0; i < BASE_COUNT(cases); i++) {
        char line[128];
        sample out;
        cairn_error error = {0};
        strcpy(line, cases[i].line);
        assert_int_equal(parse(line, &out, &error), CAIRN_ERROR_ARGUMENT);
        if (strstr(error.message, cases[i].part) == NULL)
            fail_msg("\"%s\" gives \"%s\", without \"%s\"", cases[i].line, error.message,
                     cases[i].part);
    }
}

/// The help of a command names every option with its argument, however long.
static void test_help_is_whole(void **state)
{
    (void)state;
    for (int c = 0; c < cli_all_commands.count; c++) {
        const cli_command *each = cli_all_commands.items[c];
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        assert_non_null(out);
        cli_options_help(each, out);
        fclose(out);
        for (int i = 0; i < cli_option_count(each); i++) {
            const cli_option at = cli_option_at(each, i);
            char expected[512];
            snprintf(expected, sizeof expected, "--%s%s%s ", at.name,
                     at.argument != NULL ? " " : "", at.argument != NULL ? at.argument : "");
            assert_non_null(strstr(text, expected));
        }
        free(text);
    }
}

/// Names and letters are unique, every row has what its type needs, fields lie in the settings.
static void test_tables(void **state)
{
    (void)state;
    for (int c = 0; c < cli_all_commands.count; c++) {
        const cli_command *each = cli_all_commands.items[c];
        assert_ptr_equal(cli_command_find(&cli_all_commands, each->name), each);
        assert_true(each->settings_size >= sizeof(cli_common));
        for (int i = 0; i < cli_option_count(each); i++) {
            const cli_option at = cli_option_at(each, i), *option = &at;
            assert_true(option->help != NULL && option->help[0] != '\0');
            assert_true((option->type == CLI_FLAG) == (option->argument == NULL));
            assert_true((option->type == CLI_CHOICE) == (option->words != NULL));
            assert_true(option->offset >= sizeof(cli_common));
            assert_true(option->offset < each->settings_size);
            if (option->type == CLI_NUMBER || option->type == CLI_INTEGER)
                assert_true(option->minimum < option->maximum);
            for (int k = 0; k < i; k++) {
                const cli_option other = cli_option_at(each, k);
                assert_string_not_equal(option->name, other.name);
                assert_true(option->letter == 0 || option->letter != other.letter);
                assert_true(option->offset != other.offset);
            }
        }
    }
}

static void test_json(void **state)
{
    (void)state;
    char text[512] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    cli_json json = cli_json_begin(out);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "a\"b", "line\n\\end\t\x01");
    cli_json_list(&json, "list");
    cli_json_number(&json, NULL, 0.1);
    cli_json_number(&json, NULL, (double)NAN);
    cli_json_number(&json, NULL, (double)-INFINITY);
    cli_json_list_end(&json);
    cli_json_object(&json, "empty");
    cli_json_object_end(&json);
    cli_json_boolean(&json, "yes", true);
    cli_json_integer(&json, "whole", INT64_MIN);
    cli_json_object_end(&json);
    cli_json_finish(&json);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "{\"a\\\"b\": \"line\\u000a\\\\end\\u0009\\u0001\", "
                              "\"list\": [0.1, null, null], \"empty\": {}, \"yes\": true, "
                              "\"whole\": -9223372036854775808}\n");
}

static void test_json_numbers_read_back(void **state)
{
    static const double numbers[] = {1.0 / 3.0, 1e-300, 5e-324,      DBL_MAX,  0.1 + 0.2,
                                     -0.0,      1e21,   123456789.0, 1.0 / 200};
    (void)state;
    for (int i = 0; i < BASE_COUNT(numbers); i++) {
        char text[64] = "";
        FILE *out = fmemopen(text, sizeof text, "w");
        assert_non_null(out);
        cli_json json = cli_json_begin(out);
        cli_json_number(&json, NULL, numbers[i]);
        assert_int_equal(fclose(out), 0);
        assert_true(strtod(text, NULL) == numbers[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help_is_whole),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_help_needs_no_operand),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_numbers_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
