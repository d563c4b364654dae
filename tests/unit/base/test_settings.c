// SPDX-License-Identifier: Apache-2.0
// Settings tables: defaults, ranges, types, suggestions.
#include "base/settings.h"
#include "tests/check.h"

#include <float.h>
#include <string.h>

typedef struct sample {
    double friction;
    int sweeps;
    bool warm;
    int order;
} sample;

static const char *const orders[] = {"forward", "symmetric", "shuffled", NULL};
static const base_setting rows[] = {
    {"friction", BASE_SETTING_REAL, offsetof(sample, friction), "", 0.5, 0.0, DBL_MAX, NULL, "mu"},
    {"sweeps", BASE_SETTING_INTEGER, offsetof(sample, sweeps), "", 10.0, 1.0, 100.0, NULL, ""},
    {"warm", BASE_SETTING_BOOLEAN, offsetof(sample, warm), "", 1.0, 0.0, 1.0, NULL, ""},
    {"order", BASE_SETTING_CHOICE, offsetof(sample, order), "", 1.0, 0.0, 2.0, orders, ""},
};
static const base_settings_table table = {rows, 4, sizeof(sample)};

static void defaults_come_from_the_table(void **state)
{
    (void)state;
    sample s;
    base_settings_defaults(&table, &s);
    assert_true(s.friction == 0.5 && s.sweeps == 10 && s.warm && s.order == 1);
    assert_string_equal(base_settings_get(&rows[3], &s).text, "symmetric");
}

static void expect_failure(const char *name, const char *text, cairn_status status,
                           const char *part)
{
    sample s;
    base_settings_defaults(&table, &s);
    sample before = s;
    cairn_error error;
    assert_int_equal(base_settings_set_text(&table, &s, name, text, &error), status);
    if (strstr(error.message, part) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", error.message, part);
    assert_memory_equal(&s, &before, sizeof s);
}

static void wrong_values_name_value_and_range(void **state)
{
    (void)state;
    expect_failure("frction", "1", CAIRN_ERROR_NOT_FOUND, "did you mean \"friction\"?");
    expect_failure("friction", "-0.1", CAIRN_ERROR_ARGUMENT, "friction = -0.1");
    expect_failure("friction", "nan", CAIRN_ERROR_ARGUMENT, "out of range");
    expect_failure("friction", "fast", CAIRN_ERROR_ARGUMENT, "must be a number");
    expect_failure("sweeps", "101", CAIRN_ERROR_ARGUMENT, "1 to 100");
    expect_failure("sweeps", "1.5", CAIRN_ERROR_ARGUMENT, "whole number");
    expect_failure("warm", "1", CAIRN_ERROR_ARGUMENT, "true or false");
    expect_failure("order", "forwrad", CAIRN_ERROR_ARGUMENT, "did you mean \"forward\"?");
}

static void values_are_stored(void **state)
{
    (void)state;
    sample s;
    base_settings_defaults(&table, &s);
    assert_int_equal(base_settings_set_text(&table, &s, "friction", "0.25", NULL), CAIRN_OK);
    assert_int_equal(base_settings_set_text(&table, &s, "order", "shuffled", NULL), CAIRN_OK);
    assert_int_equal(base_settings_set_text(&table, &s, "warm", "false", NULL), CAIRN_OK);
    assert_true(s.friction == 0.25 && s.order == 2 && !s.warm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_table),
        cmocka_unit_test(wrong_values_name_value_and_range),
        cmocka_unit_test(values_are_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
