// SPDX-License-Identifier: Apache-2.0
// Names are found, absent ones are not, memory comes back.
#include "base/names.h"
#include "tests/check.h"

#include <stdio.h>

enum { COUNT = 5000 };

static void names_are_found_among_thousands(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    static char text[COUNT][16];
    base_names names = {0};
    assert_int_equal(base_names_find(&names, "none"), -1);
    for (int i = 0; i < COUNT; i++) {
        snprintf(text[i], sizeof text[i], "body %d", i);
        assert_int_equal(base_names_add(&names, &allocator, text[i], i), CAIRN_OK);
    }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(base_names_find(&names, text[i]), i);
    assert_int_equal(base_names_find(&names, "body 5000"), -1);
    base_names_release(&names, &allocator);
    assert_int_equal(counter.live, 0);
}

static void running_out_of_memory_keeps_what_was_there(void **state)
{
    (void)state;
    base_counting_allocator counter = {.fail_at = 3};
    base_allocator allocator = base_allocator_counting(&counter);
    base_names names = {0};
    static char text[32][16];
    int listed = 0;
    for (int i = 0; i < 32; i++) {
        snprintf(text[i], sizeof text[i], "%d", i);
        listed += base_names_add(&names, &allocator, text[i], i) == CAIRN_OK;
    }
    assert_int_equal(listed, 10);
    assert_int_equal(base_names_find(&names, "9"), 9);
    base_names_release(&names, &allocator);
    assert_int_equal(counter.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_among_thousands),
        cmocka_unit_test(running_out_of_memory_keeps_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
