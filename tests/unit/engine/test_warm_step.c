// SPDX-License-Identifier: Apache-2.0
// A warm step makes no heap call, and threads change no bit of it.
#include "base/memory.h"
#include "engine/state/world.h"
#include "tests/check.h"
#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static cairn_world *world_of(base_counting_allocator *counter, int threads)
{
    base_allocator allocator = base_allocator_counting(counter);
    cairn_world_def def = cairn_default_world_def();
    def.allocator.reallocate = allocator.reallocate;
    def.allocator.context = allocator.context;
    def.threads = threads;
    def.tolerance = 1e-8;
    cairn_world *world;
    check(cairn_world_create(&def, &world, &error));
    cairn_material_id any = {0};
    check(cairn_pair_set_law(world, any, any, "signorini_coulomb", &error));
    check(cairn_pair_set_value(world, any, any, "friction", cairn_number(0.5), &error));
    return world;
}

static void add_floor(cairn_world *world)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    body.kind = CAIRN_FIXED;
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    check(cairn_body_create(world, &body, &id, &error));
}

static cairn_shape_id box_shape(cairn_world *world)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_BOX);
    cairn_shape_id id;
    shape.half_size[0] = shape.half_size[1] = shape.half_size[2] = 0.5;
    check(cairn_shape_create(world, &shape, &id, &error));
    return id;
}

static cairn_shape_id capsule_shape(cairn_world *world)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_CAPSULE);
    cairn_shape_id id;
    shape.radius = 0.3;
    shape.half_length = 0.2;
    check(cairn_shape_create(world, &shape, &id, &error));
    return id;
}

// pyramids side by side, of boxes with a capsule laid on top of each
static void add_pyramids(cairn_world *world, int pyramids, int rows)
{
    cairn_body_def body = cairn_default_body_def();
    cairn_shape_id box = box_shape(world), capsule = capsule_shape(world);
    cairn_body_id id;
    for (int p = 0; p < pyramids; p++) {
        body.position[1] = 1.5 * p;
        body.shape = box;
        for (int row = 0; row < rows; row++)
            for (int i = 0; i < rows - row; i++) {
                body.position[0] = 1.1 * (i - 0.5 * (rows - row - 1));
                body.position[2] = 0.5 + row;
                check(cairn_body_create(world, &body, &id, &error));
            }
        body.shape = capsule;
        body.position[0] = 0.0;
        body.position[2] = rows + 0.3;
        double half = sqrt(0.5), level[4] = {half, half, 0.0, 0.0};
        memcpy(body.orientation, level, sizeof level);
        check(cairn_body_create(world, &body, &id, &error));
        memcpy(body.orientation, (double[4]){1.0, 0.0, 0.0, 0.0}, sizeof level);
    }
}

static void step(cairn_world *world, int count)
{
    for (int k = 0; k < count; k++)
        check(cairn_world_step(world, &error));
}

static void test_no_heap_call_once_warm(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        base_counting_allocator counter = {0};
        cairn_world *world = world_of(&counter, threads);
        add_floor(world);
        add_pyramids(world, 3, 6);
        step(world, 60);
        assert_true(cairn_world_get_report(world)->contacts > 200);
        long before = counter.calls;
        step(world, 100);
        assert_int_equal(counter.calls, before);
        cairn_world_destroy(world);
        // the counter is not atomic: workers that grow their manifolds may lose a count
        if (threads == 1)
            assert_int_equal(counter.live, 0);
    }
}

static uint64_t hash_after(int threads, int steps)
{
    base_counting_allocator counter = {0};
    cairn_world *world = world_of(&counter, threads);
    add_floor(world);
    add_pyramids(world, 4, 7);
    step(world, steps);
    assert_string_equal(cairn_world_get_report(world)->stop, "solved");
    uint64_t hash = cairn_world_get_hash(world);
    cairn_world_destroy(world);
    return hash;
}

static void test_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t one = hash_after(1, 40);
    for (int threads = 2; threads <= 4; threads++)
        assert_true(hash_after(threads, 40) == one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_heap_call_once_warm),
        cmocka_unit_test(test_same_bits_for_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
