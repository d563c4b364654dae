// SPDX-License-Identifier: Apache-2.0
// Bodies that are frozen and released: where they are, what they weigh, what is refused.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

static cairn_body_id add_body(cairn_world *world, cairn_shape_id shape, cairn_body_kind kind,
                              double z, const char *name)
{
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id made;
    def.kind = kind;
    def.shape = shape;
    def.position[2] = z;
    def.velocity[0] = kind == CAIRN_DYNAMIC ? 1.0 : 0.0;
    def.angular_velocity[1] = kind == CAIRN_DYNAMIC ? 2.0 : 0.0;
    def.name = name;
    assert_int_equal(cairn_body_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

static cairn_world *make_world(const char *law)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    cairn_material_id none = {0};
    def.time_step = 1e-3;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    assert_int_equal(cairn_pair_set_law(world, none, none, law, &error), CAIRN_OK);
    return world;
}

static cairn_shape_id make_shape(cairn_world *world, cairn_shape_kind kind)
{
    cairn_shape_def def = cairn_default_shape_def(kind);
    cairn_shape_id shape;
    def.radius = 0.1;
    for (int k = 0; k < 3; k++)
        def.half_size[k] = 0.1 + 0.05 * k;
    assert_int_equal(cairn_shape_create(world, &def, &shape, &error), CAIRN_OK);
    return shape;
}

static cairn_body_view view_of(const cairn_world *world, cairn_body_id body)
{
    cairn_body_view view;
    assert_int_equal(cairn_body_get(world, body, &view), CAIRN_OK);
    return view;
}

static void run(cairn_world *world, int steps)
{
    for (int i = 0; i < steps; i++)
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
}

/// A body flies, stops for a while, and falls from rest: by every path of the step.
static void check_flight(const char *law, cairn_shape_kind kind)
{
    cairn_world *world = make_world(law);
    cairn_body_id body = add_body(world, make_shape(world, kind), CAIRN_DYNAMIC, 5.0, "body");
    cairn_body_view before = view_of(world, body);
    run(world, 100);
    assert_int_equal(cairn_body_freeze(world, body, &error), CAIRN_OK);
    assert_true(cairn_body_is_frozen(world, body));
    cairn_body_view held = view_of(world, body);
    assert_int_equal(held.kind, CAIRN_FIXED);
    assert_true(isinf(held.mass));
    check_close(held.velocity[0], 0.0, 0.0, 0.0);
    run(world, 50);
    cairn_body_view still = view_of(world, body);
    assert_memory_equal(still.centre, held.centre, sizeof held.centre);
    assert_memory_equal(still.orientation, held.orientation, sizeof held.orientation);
    assert_int_equal(cairn_body_release(world, body, &error), CAIRN_OK);
    assert_false(cairn_body_is_frozen(world, body));
    run(world, 200);
    cairn_body_view after = view_of(world, body);
    assert_int_equal(after.kind, CAIRN_DYNAMIC);
    check_close(after.mass, before.mass, 0.0, 0.0);
    for (int k = 0; k < 3; k++)
        check_close(after.inertia[k], before.inertia[k], 0.0, 0.0);
    check_close(after.centre[0], held.centre[0], 0.0, 1e-12);
    check_close(after.centre[2], held.centre[2] - 0.5 * 9.81 * 0.04, 1e-10, 0.0);
    check_close(cairn_world_get_energy(world).residual, 0.0, 0.0, 1e-9 * before.mass * 9.81 * 5.0);
    cairn_world_destroy(world);
}

static void test_flight(void **state)
{
    (void)state;
    check_flight("hooke", CAIRN_SPHERE);
    check_flight("hooke", CAIRN_BOX);
    check_flight("signorini_coulomb", CAIRN_SPHERE);
    check_flight("signorini_coulomb", CAIRN_BOX);
}

static void test_refusals(void **state)
{
    (void)state;
    cairn_world *world = make_world("hooke");
    cairn_shape_id sphere = make_shape(world, CAIRN_SPHERE);
    cairn_body_id a = add_body(world, sphere, CAIRN_DYNAMIC, 1.0, "a");
    cairn_body_id b = add_body(world, sphere, CAIRN_DYNAMIC, 2.0, NULL);
    cairn_body_id wall = add_body(world, sphere, CAIRN_FIXED, 3.0, "wall");
    assert_int_equal(cairn_body_release(world, a, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "body \"a\" is dynamic: it was not frozen"));
    assert_int_equal(cairn_body_freeze(world, wall, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "body \"wall\" is fixed"));
    assert_int_equal(cairn_body_release(world, wall, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_body_freeze(world, b, &error), CAIRN_OK);
    assert_int_equal(cairn_body_freeze(world, b, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "body 1 is frozen"));
    cairn_joint_def joint = cairn_default_joint_def(CAIRN_JOINT_BALL);
    cairn_joint_id made;
    joint.b = a;
    joint.anchor[2] = 1.0;
    assert_int_equal(cairn_joint_create(world, &joint, &made, &error), CAIRN_OK);
    assert_int_equal(cairn_body_freeze(world, a, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "has joints"));
    // a frozen body can go, and its place is no frozen one afterwards
    assert_int_equal(cairn_body_remove(world, b, &error), CAIRN_OK);
    assert_false(cairn_body_is_frozen(world, b));
    assert_int_equal(cairn_body_freeze(world, b, &error), CAIRN_ERROR_STALE_ID);
    run(world, 1);
    cairn_body_id c = add_body(world, sphere, CAIRN_DYNAMIC, 2.0, NULL);
    assert_false(cairn_body_is_frozen(world, c));
    cairn_event_def event = cairn_default_event_def();
    assert_int_equal(cairn_event_create(world, &event, &error), CAIRN_ERROR_ARGUMENT);
    event.bodies = &c;
    event.body_count = 1;
    event.every = 0.0;
    assert_int_equal(cairn_event_create(world, &event, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "every = 0 s"));
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flight),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
