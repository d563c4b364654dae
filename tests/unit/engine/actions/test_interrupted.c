// SPDX-License-Identifier: Apache-2.0
// A step that is interrupted while an emitter makes its grains goes on with the next call, to the
// same grains as without.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <stdlib.h>

enum { GRAINS = 400 };

/// Interrupts its world when so many calls are left; 0: not.
typedef struct stop {
    cairn_world *world;
    int left;
} stop;

static void *reallocate(void *context, void *block, size_t size)
{
    stop *s = context;
    if (s->left > 0 && --s->left == 0)
        cairn_world_interrupt(s->world);
    if (size > 0)
        return realloc(block, size);
    free(block);
    return NULL;
}

static cairn_world *make(stop *s)
{
    cairn_error error;
    cairn_world_def def = cairn_default_world_def();
    def.allocator = (cairn_allocator){reallocate, s};
    assert_int_equal(cairn_world_create(&def, &s->world, &error), CAIRN_OK);
    cairn_grain_def grain = {
        .size = {.kind = CAIRN_SIZE_UNIFORM, .minimum = 0.006, .maximum = 0.009},
        .density = 1000.0,
        .share = 1.0};
    cairn_emitter_def emitter = cairn_default_emitter_def();
    emitter.grains = &grain;
    emitter.grain_count = 1;
    emitter.region = (cairn_region){.kind = CAIRN_REGION_BOX, .b = {0.2, 0.2, 0.2}};
    emitter.count = GRAINS;
    assert_int_equal(cairn_emitter_create(s->world, &emitter, &error), CAIRN_OK);
    return s->world;
}

static void test_goes_on(void **state)
{
    (void)state;
    cairn_error error;
    stop never = {0}, once = {0};
    cairn_world *whole = make(&never), *parted = make(&once);
    assert_int_equal(cairn_world_step(whole, &error), CAIRN_OK);
    int stops = 0, bodies = 0;
    for (cairn_status status = CAIRN_INTERRUPTED; status != CAIRN_OK; stops++) {
        once.left = 40;
        status = cairn_world_step(parted, &error);
        assert_true(status == CAIRN_OK || status == CAIRN_INTERRUPTED);
        assert_true(cairn_body_count(parted) > bodies || status == CAIRN_OK);
        bodies = cairn_body_count(parted);
    }
    // a call that came after the last grain ends the next step before it begins
    if (once.left == 0)
        assert_int_equal(cairn_world_step(parted, &error), CAIRN_INTERRUPTED);
    once.left = 0;
    assert_true(stops > 3);
    assert_int_equal(bodies, GRAINS);
    assert_true(cairn_world_get_hash(whole) == cairn_world_get_hash(parted));
    for (int i = 0; i < 20; i++) {
        assert_int_equal(cairn_world_step(whole, &error), CAIRN_OK);
        assert_int_equal(cairn_world_step(parted, &error), CAIRN_OK);
    }
    assert_true(cairn_world_get_hash(whole) == cairn_world_get_hash(parted));
    cairn_world_destroy(whole);
    cairn_world_destroy(parted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
