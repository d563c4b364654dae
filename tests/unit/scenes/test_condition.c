// SPDX-License-Identifier: Apache-2.0
// Conditions on a step: truth against C expressions, precedence, and messages of mistakes.
#include "tests/check.h"

#include "base/assert.h"
#include "base/rng.h"
#include "scenes/condition.h"

#include <stdio.h>
#include <string.h>

static bool holds(const char *text, double contacts, double iterations, double error, double step,
                  double time)
{
    const double values[SCN_QUANTITY_COUNT] = {contacts, iterations, error, step, time};
    scn_condition condition;
    cairn_error failure = {0};
    if (scn_condition_parse(text, &condition, &failure) != CAIRN_OK)
        fail_msg("%s", failure.message);
    return scn_condition_holds(&condition, values);
}

static void test_truth(void **state)
{
    (void)state;
    assert_true(holds("contacts > 20", 21, 0, 0, 0, 0));
    assert_false(holds("contacts > 20", 20, 0, 0, 0, 0));
    assert_true(holds("contacts>=20", 20, 0, 0, 0, 0));
    assert_true(holds("20 <= contacts", 20, 0, 0, 0, 0));
    assert_true(holds("error < 1e-6", 0, 0, 9e-7, 0, 0));
    assert_true(holds("step == 7 and time != 0.5", 0, 0, 0, 7, 0.25));
    assert_false(holds("not iterations < 5", 0, 4, 0, 0, 0));
    assert_true(holds("not (contacts > 3 and step > 3)", 4, 0, 0, 3, 0));
    assert_true(holds("not not contacts > 3", 4, 0, 0, 3, 0));
}

static void test_precedence(void **state)
{
    (void)state;
    // "and" binds tighter than "or", "not" tighter than both
    for (int bits = 0; bits < 8; bits++) {
        bool a = bits & 1, b = bits & 2, c = bits & 4;
        assert_int_equal(holds("contacts > 0 or iterations > 0 and step > 0", a, b, 0, c, 0),
                         a || (b && c));
        assert_int_equal(holds("contacts > 0 and iterations > 0 or step > 0", a, b, 0, c, 0),
                         (a && b) || c);
        assert_int_equal(holds("not contacts > 0 and iterations > 0 or step > 0", a, b, 0, c, 0),
                         (!a && b) || c);
        assert_int_equal(holds("contacts > 0 and (iterations > 0 or step > 0)", a, b, 0, c, 0),
                         a && (b || c));
    }
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "expected a quantity or a number at the end"},
        {"contacts", "expected one of < <= > >= == != at the end"},
        {"contacts > ", "expected a quantity or a number at the end"},
        {"contact > 1", "unknown quantity \"contact\" (did you mean \"contacts\"?)"},
        {"contacts > 1 an step > 1", "expected \"and\", \"or\" or the end at character 14"},
        {"(contacts > 1", "expected \")\" at the end"},
        {"contacts > 1)", "expected \"and\", \"or\" or the end at character 13"},
        {"contacts = 1", "at character 10"},
        {"1 < contacts < 3", "expected \"and\", \"or\" or the end"},
        {"not", "expected a quantity"},
        {"and", "unknown quantity"},
        {"; os.exit()", "at character 1"},
    };
    (void)state;
    for (int i = 0; i < BASE_COUNT(cases); i++) {
        scn_condition condition;
        cairn_error error = {0};
        assert_int_equal(scn_condition_parse(cases[i].text, &condition, &error),
                         CAIRN_ERROR_ARGUMENT);
        assert_int_equal(condition.count, 0);
        if (strstr(error.message, cases[i].part) == NULL)
            fail_msg("\"%s\" gives \"%s\", without \"%s\"", cases[i].text, error.message,
                     cases[i].part);
    }
}

static void test_limits(void **state)
{
    (void)state;
    scn_condition condition;
    cairn_error error = {0};
    char deep[400] = "", wide[4000] = "step > 0";
    memset(deep, '(', 300);
    assert_int_equal(scn_condition_parse(deep, &condition, &error), CAIRN_ERROR_ARGUMENT);
    for (int i = 0; i < 200; i++)
        strcat(wide, " or step > 0");
    assert_int_equal(scn_condition_parse(wide, &condition, &error), CAIRN_ERROR_ARGUMENT);
}

/// Whatever the text, parsing ends with a verdict, and what it accepts can be asked.
static void test_any_text(void **state)
{
    static const char *const pieces[] = {"contacts", "step", "and", "or", "not", "(",  ")",
                                         "<",        ">=",   "!=",  "=",  "1e3", "-2", "x"};
    (void)state;
    base_rng rng = base_rng_make(5);
    const double values[SCN_QUANTITY_COUNT] = {1, 2, 3, 4, 5};
    int accepted = 0;
    for (int i = 0; i < 20000; i++) {
        char text[256] = "";
        int count = base_rng_index(&rng, 12);
        for (int k = 0; k < count; k++) {
            strcat(text, pieces[base_rng_index(&rng, BASE_COUNT(pieces))]);
            strcat(text, " ");
        }
        scn_condition condition;
        if (scn_condition_parse(text, &condition, NULL) != CAIRN_OK)
            continue;
        bool truth = scn_condition_holds(&condition, values);
        assert_true(truth == 0 || truth == 1);
        accepted++;
    }
    assert_true(accepted > 20);
}

static void test_empty_holds(void **state)
{
    (void)state;
    const scn_condition none = {.count = 0};
    const double values[SCN_QUANTITY_COUNT] = {0};
    assert_true(scn_condition_holds(&none, values));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth),    cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_mistakes), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_any_text), cmocka_unit_test(test_empty_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
