// SPDX-License-Identifier: Apache-2.0
// The table of pairs against a plain list.
#include "base/pairs.h"
#include "base/rng.h"
#include "tests/check.h"

enum { COUNT = 3000, INDICES = 400 };

static void test_against_matrix(void **state)
{
    (void)state;
    static int expected[INDICES][INDICES];
    base_allocator allocator = base_allocator_default();
    base_pairs pairs = {0};
    base_rng rng = base_rng_make(7);
    for (int a = 0; a < INDICES; a++)
        for (int b = 0; b < INDICES; b++)
            expected[a][b] = -1;
    assert_int_equal(base_pairs_find(&pairs, 0, 0), -1);
    for (int i = 0; i < COUNT; i++) {
        int a = (int)base_rng_range(&rng, 0.0, INDICES),
            b = (int)base_rng_range(&rng, 0.0, INDICES);
        if (expected[a][b] >= 0)
            continue;
        expected[a][b] = expected[b][a] = i;
        assert_int_equal(base_pairs_add(&pairs, &allocator, a, b, i), CAIRN_OK);
    }
    for (int a = 0; a < INDICES; a++)
        for (int b = 0; b < INDICES; b++)
            assert_int_equal(base_pairs_find(&pairs, a, b), expected[a][b]);
    base_pairs_release(&pairs, &allocator);
    assert_null(pairs.entries);
}

static void test_no_memory(void **state)
{
    (void)state;
    base_counting_allocator counter = {.fail_at = 2};
    base_allocator allocator = base_allocator_counting(&counter);
    base_pairs pairs = {0};
    int added = 0;
    while (base_pairs_add(&pairs, &allocator, added, 5, added) == CAIRN_OK)
        added++;
    assert_int_equal(added, 8);
    for (int i = 0; i < added; i++)
        assert_int_equal(base_pairs_find(&pairs, 5, i), i);
    assert_int_equal(base_pairs_find(&pairs, added, 5), -1);
    base_pairs_release(&pairs, &allocator);
    assert_int_equal(counter.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_matrix),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
