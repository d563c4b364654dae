// SPDX-License-Identifier: Apache-2.0
// A program that links the list of contact/strategy/list.c: it steps, and knows no solver of the
// literature.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static cairn_world *brick_above_ground(cairn_body_id *brick)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = 0.005;
    check(cairn_world_create(&def, &world, &error));
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_def body = cairn_default_body_def();
    check(cairn_shape_create(world, &plane, &body.shape, &error));
    body.kind = CAIRN_FIXED;
    check(cairn_body_create(world, &body, brick, &error));
    for (int k = 0; k < 3; k++)
        box.half_size[k] = 0.1;
    check(cairn_shape_create(world, &box, &body.shape, &error));
    body.kind = CAIRN_DYNAMIC;
    body.density = 2000.0;
    body.position[2] = 0.15;
    check(cairn_body_create(world, &body, brick, &error));
    return world;
}

/// Each solver of the list brings a brick to rest on the ground.
static void steps_with_each(void **state)
{
    (void)state;
    static const char *const names[] = {"auto", "gauss_seidel", "nipm", "paln"};
    assert_int_equal(cairn_plugin_count(CAIRN_SOLVER), 4);
    for (int s = 0; s < 4; s++) {
        assert_string_equal(cairn_plugin_get(CAIRN_SOLVER, s).name, names[s]);
        cairn_body_id brick;
        cairn_world *world = brick_above_ground(&brick);
        check(cairn_world_set_solver(world, names[s], &error));
        for (int step = 0; step < 60; step++)
            check(cairn_world_step(world, &error));
        cairn_body_view view;
        assert_int_equal(cairn_body_get(world, brick, &view), CAIRN_OK);
        check_close(view.position[2], 0.1, 0.0, 1e-3);
        assert_int_equal(cairn_contact_count(world), 4);
        cairn_world_destroy(world);
    }
}

static void knows_no_others(void **state)
{
    (void)state;
    cairn_body_id brick;
    cairn_world *world = brick_above_ground(&brick);
    assert_int_equal(cairn_world_set_solver(world, "admm", &error), CAIRN_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.message, "admm"));
    check(cairn_world_step(world, &error));
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_with_each),
        cmocka_unit_test(knows_no_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
