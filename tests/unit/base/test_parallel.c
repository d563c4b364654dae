// SPDX-License-Identifier: Apache-2.0
// The chunked loop: every index once, same chunks for any number of workers.
#include "base/parallel.h"
#include "tests/check.h"

#include <unistd.h>

enum { COUNT = 10007, CHUNK = 64, CHUNKS = (COUNT + CHUNK - 1) / CHUNK };

typedef struct sum_context {
    int visits[COUNT];
    double partial[CHUNKS];
} sum_context;

static void sum_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    sum_context *context = argument;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        context->visits[i]++;
        sum += 1.0 / (1.0 + i);
    }
    context->partial[chunk] = sum;
}

static double run_with(int threads)
{
    base_allocator allocator = base_allocator_default();
    base_workers *workers = base_workers_create(&allocator, threads);
    assert_non_null(workers);
    static sum_context context;
    context = (sum_context){0};
    for (int repeat = 0; repeat < 100; repeat++)
        base_parallel_for(workers, COUNT, CHUNK, sum_chunk, &context);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(context.visits[i], 100);
    double sum = 0.0;
    for (int i = 0; i < CHUNKS; i++)
        sum += context.partial[i];
    base_workers_destroy(workers);
    return sum;
}

static void sums_have_the_same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    double reference = run_with(1);
    for (int threads = 2; threads <= 8; threads++)
        assert_true(run_with(threads) == reference);
}

enum { ROUNDS = 4000 };

typedef struct mark_context {
    int round;
    int mark[16];
} mark_context;

static void mark_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    mark_context *context = argument;
    for (int i = begin; i < end; i++)
        context->mark[i] += context->round;
}

// short loops one upon the other, each with a context of its own on the stack, and pauses in which
// the workers fall asleep: nobody may run a chunk of another loop, or none
static void short_loops_are_not_mixed_up(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    base_workers *workers = base_workers_create(&allocator, 3);
    assert_non_null(workers);
    for (int round = 1; round <= ROUNDS; round++) {
        mark_context context = {.round = round};
        int count = 2 + round % 15;
        base_parallel_for(workers, count, 1 + round % 2, mark_chunk, &context);
        for (int i = 0; i < 16; i++)
            assert_int_equal(context.mark[i], i < count ? round : 0);
        if (round % 200 == 0)
            usleep(1000);
    }
    base_workers_destroy(workers);
}

static void empty_loops_and_no_pool_are_fine(void **state)
{
    (void)state;
    static sum_context context;
    context = (sum_context){0};
    base_parallel_for(NULL, 0, CHUNK, sum_chunk, &context);
    assert_int_equal(context.visits[0], 0);
    base_parallel_for(NULL, COUNT, CHUNK, sum_chunk, &context);
    assert_int_equal(context.visits[COUNT - 1], 1);
    base_workers_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_same_bits_for_any_number_of_workers),
        cmocka_unit_test(short_loops_are_not_mixed_up),
        cmocka_unit_test(empty_loops_and_no_pool_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
