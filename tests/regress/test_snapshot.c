// SPDX-License-Identifier: Apache-2.0
// Snapshots in memory: a world that goes back gives the same bits again, as often as it does, with
// bodies made and removed in between.
#include "tests/regress/heap.h"

static cairn_error error;

static cairn_world *heap_of(const char *law, int threads)
{
    heap_def def = default_heap();
    def.law = law;
    def.threads = threads;
    def.step = law != NULL ? 2e-4 : def.step;
    return heap_world(&def);
}

static void check_branches(const char *law, int threads)
{
    cairn_world *world = heap_of(law, threads), *other = heap_of(law, 1);
    cairn_snapshot *start = NULL, *kept = NULL;
    must(cairn_world_snapshot(world, &start, &error), &error);
    heap_steps(world, 60);
    must(cairn_world_snapshot(world, &kept, &error), &error);
    uint64_t there = cairn_world_get_hash(world);
    cairn_energy energy = cairn_world_get_energy(world);
    heap_steps(world, 40);
    uint64_t after = cairn_world_get_hash(world);
    assert_true(after != there);
    // a branch: one body less, one more, one pushed, and a word on another
    const double fast[3] = {1.0, 0.5, 0.0};
    cairn_body_id gone = cairn_body_at(world, 7), kicked = cairn_body_at(world, 9), made;
    cairn_body_view view;
    must(cairn_body_get(world, gone, &view), &error);
    must(cairn_body_remove(world, gone, &error), &error);
    must(cairn_body_set_velocity(world, kicked, fast, fast, &error), &error);
    must(cairn_body_set_user(world, kicked, 12, &error), &error);
    cairn_body_def def = cairn_default_body_def();
    def.shape = view.shape;
    def.position[2] = 3.0;
    must(cairn_body_create(world, &def, &made, &error), &error);
    heap_steps(world, 30);
    for (int round = 0; round < 2; round++) {
        must(cairn_world_revert(world, kept, &error), &error);
        must(cairn_world_validate(world, &error), &error);
        cairn_energy back = cairn_world_get_energy(world);
        uint64_t user;
        assert_true(cairn_world_get_hash(world) == there);
        assert_memory_equal(&energy, &back, sizeof back);
        assert_int_equal(cairn_body_get(world, gone, &view), CAIRN_OK);
        assert_int_equal(cairn_body_get(world, made, &view), CAIRN_ERROR_STALE_ID);
        must(cairn_body_get_user(world, kicked, &user), &error);
        assert_true(user == 0);
        heap_steps(world, 40);
        assert_true(cairn_world_get_hash(world) == after);
    }
    // back to before the first step
    must(cairn_world_revert(world, start, &error), &error);
    heap_steps(world, 60);
    assert_true(cairn_world_get_hash(world) == there);
    assert_int_equal(cairn_world_revert(other, kept, &error), CAIRN_ERROR_WORLD);
    cairn_snapshot_destroy(start);
    cairn_snapshot_destroy(NULL);
    cairn_world_destroy(world);
    // in either order
    cairn_snapshot_destroy(kept);
    cairn_world_destroy(other);
}

static void test_branches(void **state)
{
    (void)state;
    check_branches(NULL, 1);
    check_branches("hooke", 1);
    check_branches("hertz_mindlin", 2);
    check_branches("spring_dashpot", 1);
}

// Bodies that came since the last step are known as such after going back to there from a world of
// fewer bodies and from one of many more (whose rows the snapshot has not): what they press
// together is no work of the step.
static void test_arrivals(void **state)
{
    (void)state;
    cairn_world *world = heap_of("hooke", 1);
    cairn_snapshot *few = NULL, *kept = NULL;
    heap_steps(world, 20);
    must(cairn_world_snapshot(world, &few, &error), &error);
    cairn_body_view view;
    must(cairn_body_get(world, cairn_body_at(world, 7), &view), &error);
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id made;
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    box.half_size[0] = box.half_size[1] = box.half_size[2] = 0.05;
    must(cairn_shape_create(world, &box, &def.shape, &error), &error);
    memcpy(def.position, view.position, sizeof def.position);
    def.position[0] += 1e-3; // most of it inside body 7
    must(cairn_body_create(world, &def, &made, &error), &error);
    must(cairn_world_snapshot(world, &kept, &error), &error);
    heap_steps(world, 1);
    const cairn_energy straight = cairn_world_get_energy(world);
    assert_true(straight.population > 0.0);

    must(cairn_world_revert(world, few, &error), &error);
    must(cairn_world_revert(world, kept, &error), &error);
    heap_steps(world, 1);
    cairn_energy energy = cairn_world_get_energy(world);
    assert_memory_equal(&straight, &energy, sizeof energy);

    for (int i = 0; i < 5000; i++) {
        def.position[2] = 10.0 + i;
        must(cairn_body_create(world, &def, &made, &error), &error);
    }
    must(cairn_world_revert(world, kept, &error), &error);
    heap_steps(world, 1);
    energy = cairn_world_get_energy(world);
    assert_memory_equal(&straight, &energy, sizeof energy);
    cairn_snapshot_destroy(few);
    cairn_snapshot_destroy(kept);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_arrivals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
