// SPDX-License-Identifier: Apache-2.0
// Allocators, growing arrays, the scratch arena.
#include "base/memory.h"
#include "tests/check.h"

#include <limits.h>
#include <string.h>

static void counting_allocator_returns_to_zero(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    int *block = base_allocate(&allocator, 10, sizeof *block);
    assert_non_null(block);
    for (int i = 0; i < 10; i++)
        assert_int_equal(block[i], 0);
    assert_int_equal(counter.live, 1);
    base_release(&allocator, block);
    assert_int_equal(counter.live, 0);
}

static void allocation_fails_from_the_kth_call_on(void **state)
{
    (void)state;
    base_counting_allocator counter = {.fail_at = 2};
    base_allocator allocator = base_allocator_counting(&counter);
    void *first = base_allocate(&allocator, 1, 8);
    assert_non_null(first);
    assert_null(base_allocate(&allocator, 1, 8));
    assert_null(base_allocate(&allocator, 1, 8));
    base_release(&allocator, first);
    assert_int_equal(counter.live, 0);
}

static void overflowing_sizes_are_refused(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    assert_null(base_allocate(&allocator, SIZE_MAX / 2, 4));
    double(*array)[1000] = NULL;
    int capacity = 0;
    // 2^31 elements of 8 kB overflow nothing but cannot be had
    base_counting_allocator counter = {.fail_at = 1};
    allocator = base_allocator_counting(&counter);
    assert_int_equal(base_array_reserve(&allocator, &array, &capacity, INT_MAX),
                     CAIRN_ERROR_MEMORY);
    assert_null(array);
    assert_int_equal(capacity, 0);
}

static void array_keeps_its_contents_when_it_grows(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    int *array = NULL;
    int capacity = 0;
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(base_array_reserve(&allocator, &array, &capacity, i + 1), CAIRN_OK);
        array[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(array[i], i);
    base_release(&allocator, array);
}

static void arena_blocks_are_aligned_and_do_not_move(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    base_arena *arena = base_arena_create(&allocator, 128);
    char *first = base_arena_allocate(arena, "first", 100, 1);
    memset(first, 7, 100);
    for (int i = 0; i < 50; i++) {
        char *block = base_arena_allocate(arena, "more", 100, 1);
        assert_int_equal((uintptr_t)block % 64, 0);
        memset(block, 9, 100);
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(first[i], 7);
    base_arena_destroy(arena);
    assert_int_equal(counter.live, 0);
}

static void a_warm_arena_makes_no_heap_call(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    base_arena *arena = base_arena_create(&allocator, 128);
    long before = 0;
    for (int step = 0; step < 5; step++) {
        base_arena_reset(arena);
        if (step == 2)
            before = counter.calls;
        for (int i = 0; i < 20; i++)
            assert_non_null(base_arena_allocate(arena, "block", 1000, 1));
    }
    assert_int_equal(counter.calls, before);
    assert_true(base_arena_high_water(arena) >= 20000);
    base_arena_destroy(arena);
}

static void rewinding_gives_the_memory_back(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1024);
    base_arena_allocate(arena, "kept", 64, 1);
    base_arena_mark mark = base_arena_get_mark(arena);
    void *first = base_arena_allocate(arena, "scratch", 64, 1);
    base_arena_allocate(arena, "large", 10000, 1);
    base_arena_rewind(arena, mark);
    assert_ptr_equal(base_arena_allocate(arena, "again", 64, 1), first);
    base_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting_allocator_returns_to_zero),
        cmocka_unit_test(allocation_fails_from_the_kth_call_on),
        cmocka_unit_test(overflowing_sizes_are_refused),
        cmocka_unit_test(array_keeps_its_contents_when_it_grows),
        cmocka_unit_test(arena_blocks_are_aligned_and_do_not_move),
        cmocka_unit_test(a_warm_arena_makes_no_heap_call),
        cmocka_unit_test(rewinding_gives_the_memory_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
