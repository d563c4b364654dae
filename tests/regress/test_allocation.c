// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at the k-th call, for every k, from the making of a world to its checkpoint.
#include "base/memory.h"
#include "tests/regress/heap.h"

static const char *const files[] = {"a.h5", "a.h5.part"};

/// Makes, steps, saves and restores; everything is given back whatever fails.
static cairn_status live(const heap_def *def, const char *path)
{
    cairn_error error = {0};
    cairn_world *world = NULL;
    cairn_status status = heap_create(def, &world, &error);
    for (int i = 0; i < 3 && status == CAIRN_OK; i++)
        status = cairn_world_step(world, &error);
    if (status == CAIRN_OK)
        status = cairn_world_save(world, path, "note", &error);
    if (status == CAIRN_OK)
        status = cairn_world_restore(world, path, &error);
    if (status == CAIRN_OK)
        status = cairn_world_step(world, &error);
    cairn_world_destroy(world);
    return status;
}

static void fail_at_every_call(heap_def def)
{
    char folder[64], path[128];
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    base_counting_allocator counter = {0};
    base_allocator counting = base_allocator_counting(&counter);
    def.allocator = (cairn_allocator){counting.reallocate, counting.context};
    assert_int_equal(live(&def, path), CAIRN_OK);
    assert_int_equal(counter.live, 0);
    long calls = counter.calls;
    assert_true(calls > 20);
    for (long k = 1; k <= calls; k++) {
        counter = (base_counting_allocator){.fail_at = k};
        cairn_status status = live(&def, path);
        if (status != CAIRN_ERROR_MEMORY && status != CAIRN_OK)
            fail_msg("call %ld of %ld: status %d (%s)", k, calls, (int)status,
                     cairn_status_text(status));
        if (counter.live != 0)
            fail_msg("call %ld of %ld: %ld blocks are left", k, calls, counter.live);
    }
    heap_folder_remove(folder, files, 2);
}

static void test_cones(void **state)
{
    (void)state;
    heap_def def = default_heap();
    def.layers = 1;
    def.step = 0.02;
    fail_at_every_call(def);
}

static void test_solvers(void **state)
{
    (void)state;
    heap_def def = default_heap();
    def.layers = 1;
    def.step = 0.02;
    for (int i = 1; i < cairn_plugin_count(CAIRN_SOLVER); i++) {
        def.solver = cairn_plugin_get(CAIRN_SOLVER, i).name;
        fail_at_every_call(def);
    }
}

static void test_springs(void **state)
{
    (void)state;
    heap_def def = default_heap();
    def.layers = 1;
    def.law = "incremental";
    def.spheres = true;
    def.step = 0.02;
    fail_at_every_call(def);
}

static void test_threads(void **state)
{
    (void)state;
    heap_def def = default_heap();
    def.layers = 1;
    def.threads = 2;
    fail_at_every_call(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cones),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_springs),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
