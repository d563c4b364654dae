// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at the k-th call, for every k, from the making of a world to its checkpoint.
#include "base/memory.h"
#include "tests/regress/heap.h"

static const char *const files[] = {"a.h5", "a.h5.part"};

static cairn_status save_and_restore(cairn_world *world, const char *path, cairn_error *error)
{
    cairn_status status = cairn_world_save(world, path, "note", error);
    if (status == CAIRN_OK)
        status = cairn_world_restore(world, path, error);
    return status == CAIRN_OK ? cairn_world_step(world, error) : status;
}

/// Makes and steps, saves and restores where there is a path; everything is given back whatever
/// fails.
static cairn_status live(const heap_def *def, const char *path)
{
    cairn_error error = {0};
    cairn_world *world = NULL;
    cairn_status status = heap_create(def, &world, &error);
    for (int i = 0; i < 3 && status == CAIRN_OK; i++)
        status = cairn_world_step(world, &error);
    if (status == CAIRN_OK && path != NULL)
        status = save_and_restore(world, path, &error);
    cairn_world_destroy(world);
    return status;
}

/// Fails the calls `first`, `first` + 1, ... to the last.
static void fail_from(heap_def def, const char *path, long first)
{
    base_counting_allocator counter = {0};
    base_allocator counting = base_allocator_counting(&counter);
    def.allocator = (cairn_allocator){counting.reallocate, counting.context};
    assert_int_equal(live(&def, path), CAIRN_OK);
    assert_int_equal(counter.live, 0);
    long calls = counter.calls;
    assert_true(calls > first + 20);
    for (long k = first; k <= calls; k++) {
        counter = (base_counting_allocator){.fail_at = k};
        cairn_status status = live(&def, path);
        if (status != CAIRN_ERROR_MEMORY && status != CAIRN_OK)
            fail_msg("call %ld of %ld: status %d (%s)", k, calls, (int)status,
                     cairn_status_text(status));
        if (counter.live != 0)
            fail_msg("call %ld of %ld: %ld blocks are left", k, calls, counter.live);
    }
}

static void fail_at_every_call(const heap_def *def)
{
    char folder[64], path[128];
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    fail_from(*def, path, 1);
    heap_folder_remove(folder, files, 2);
}

/// Number of calls until the world stands.
static long calls_of_creation(heap_def def)
{
    base_counting_allocator counter = {0};
    base_allocator counting = base_allocator_counting(&counter);
    def.allocator = (cairn_allocator){counting.reallocate, counting.context};
    cairn_world *world = heap_world(&def);
    long calls = counter.calls;
    cairn_world_destroy(world);
    return calls;
}

// bodies that touch after the first step
static heap_def low_heap(void)
{
    heap_def def = default_heap();
    def.layers = 1;
    def.step = 0.02;
    return def;
}

static void test_cones(void **state)
{
    (void)state;
    heap_def def = low_heap();
    fail_at_every_call(&def);
}

/// What a solver allocates does not depend on how long it iterates, nor the files on the solver:
/// few iterations, and steps alone.
static void test_solvers(void **state)
{
    (void)state;
    heap_def def = low_heap();
    def.iterations = 8;
    for (int i = 0; i < cairn_plugin_count(CAIRN_SOLVER); i++) {
        def.solver = cairn_plugin_get(CAIRN_SOLVER, i).name;
        fail_from(def, NULL, calls_of_creation(def) + 1);
    }
}

static void test_laws(void **state)
{
    (void)state;
    for (int i = 0; i < cairn_plugin_count(CAIRN_LAW); i++) {
        cairn_plugin_info info = cairn_plugin_get(CAIRN_LAW, i);
        heap_def def = low_heap();
        def.law = info.name;
        def.spheres = true;
        def.iterations = 8;
        fail_at_every_call(&def);
    }
}

static void test_threads(void **state)
{
    (void)state;
    heap_def def = default_heap();
    def.layers = 1;
    def.threads = 2;
    fail_at_every_call(&def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cones),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
