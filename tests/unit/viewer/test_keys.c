// SPDX-License-Identifier: Apache-2.0
// The table of keys: nothing twice, nothing without a key, names that SDL knows.
#include "tests/check.h"

#include "viewer/app/style.h"
#include "viewer/app/view.h"
#include "viewer/input/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void test_no_key_twice(void **state)
{
    (void)state;
    int count = 0;
    const view_key *keys = view_keys(&count);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (strcasecmp(keys[i].key, keys[j].key) == 0)
                fail_msg("key \"%s\" has two actions", keys[i].key);
}

static void test_every_action_has_a_key(void **state)
{
    (void)state;
    int count = 0;
    const view_key *keys = view_keys(&count);
    bool seen[VIEW_ACTION_COUNT] = {0};
    for (int i = 0; i < count; i++) {
        seen[keys[i].action] = true;
        assert_true(keys[i].help[0] != '\0' && keys[i].group < VIEW_GROUP_COUNT);
    }
    for (int i = VIEW_ACTION_NONE + 1; i < VIEW_ACTION_COUNT; i++)
        if (!seen[i])
            fail_msg("action %d has no key", i);
}

/// Rows of one action stand together and say the same.
static void test_rows_of_an_action(void **state)
{
    (void)state;
    int count = 0;
    const view_key *keys = view_keys(&count);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            if (keys[i].action != keys[j].action || keys[i].action == VIEW_ACTION_MOUSE)
                continue;
            assert_string_equal(keys[i].help, keys[j].help);
            for (int k = i; k < j; k++)
                assert_int_equal(keys[k].action, keys[i].action);
        }
}

static void test_find(void **state)
{
    (void)state;
    assert_int_equal(view_key_find("Space"), VIEW_ACTION_PAUSE);
    assert_int_equal(view_key_find("c"), VIEW_ACTION_CONTACTS);
    assert_int_equal(view_key_find("Shift+C"), VIEW_ACTION_CONTACTS_BACK);
    assert_int_equal(view_key_find("Ctrl+Q"), VIEW_ACTION_QUIT);
    assert_int_equal(view_key_find("left drag"), VIEW_ACTION_NONE);
    assert_int_equal(view_key_find("F8"), VIEW_ACTION_NONE);
}

/// The printed manual has every key and every help once.
static void test_manual(void **state)
{
    (void)state;
    int count = 0;
    const view_key *keys = view_keys(&count);
    char *text = NULL, names[64];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    view_keys_print(out);
    fclose(out);
    for (int i = 0; i < count; i++) {
        assert_non_null(strstr(text, keys[i].key));
        if (view_key_names(i, names, sizeof names) == NULL)
            continue;
        char line[200];
        snprintf(line, sizeof line, "  %-21s %s\n", names, keys[i].help);
        const char *found = strstr(text, line);
        assert_non_null(found);
        assert_null(strstr(found + 1, line));
    }
    free(text);
}

static void test_styles(void **state)
{
    (void)state;
    assert_int_equal(view_style_find(view_contacts_names, "status"), VIEW_CONTACTS_STATUS);
    assert_int_equal(view_style_find(view_colours_names, "island"), VIEW_COLOURS_ISLAND);
    assert_int_equal(view_style_find(view_contacts_names, "stat"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_key_twice),
        cmocka_unit_test(test_every_action_has_a_key),
        cmocka_unit_test(test_rows_of_an_action),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_manual),
        cmocka_unit_test(test_styles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
