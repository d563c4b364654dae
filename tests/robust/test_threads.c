// SPDX-License-Identifier: Apache-2.0
// Every law and every solver on 1, 2, 3, 4 and 8 threads: the same bits in every step. Under a race
// checker (scripts/races.sh) also: no two threads at the same data.
#include "tests/regress/heap.h"

enum { STEPS = 16 };

// counts calls without a lock, so that a race checker sees allocations by several threads at once
typedef struct plain_counter {
    long calls;
} plain_counter;

static void *count_and_reallocate(void *context, void *block, size_t size)
{
    plain_counter *counter = context;
    counter->calls++;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static void trace_steps(heap_def def, int threads, uint64_t hashes[STEPS])
{
    plain_counter counter = {0};
    def.threads = threads;
    def.allocator = (cairn_allocator){count_and_reallocate, &counter};
    cairn_world *world = heap_world(&def);
    for (int i = 0; i < STEPS; i++) {
        heap_steps(world, 1);
        hashes[i] = cairn_world_get_hash(world);
    }
    assert_true(cairn_contact_count(world) > 0);
    cairn_world_destroy(world);
}

static void compare_threads(const heap_def *def, const char *what)
{
    static const int threads[] = {2, 3, 4, 8};
    uint64_t one[STEPS], many[STEPS];
    trace_steps(*def, 1, one);
    for (int i = 0; i < 4; i++) {
        trace_steps(*def, threads[i], many);
        if (memcmp(one, many, sizeof one) != 0)
            fail_msg("%s: %d threads differ from one", what, threads[i]);
    }
}

static void test_laws(void **state)
{
    (void)state;
    for (int i = 0; i < cairn_plugin_count(CAIRN_LAW); i++) {
        cairn_plugin_info info = cairn_plugin_get(CAIRN_LAW, i);
        heap_def def = default_heap();
        def.law = info.name;
        def.layers = 120;
        def.spheres = strcmp(info.kind, "impulse") == 0;
        def.step = def.spheres ? 0.002 : 0.02;
        def.iterations = 10;
        compare_threads(&def, info.name);
    }
}

static void test_solvers(void **state)
{
    (void)state;
    for (int i = 0; i < cairn_plugin_count(CAIRN_SOLVER); i++) {
        heap_def def = default_heap();
        def.solver = cairn_plugin_get(CAIRN_SOLVER, i).name;
        def.layers = 6;
        def.step = 0.02;
        def.iterations = 8;
        compare_threads(&def, def.solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
