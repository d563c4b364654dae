// SPDX-License-Identifier: Apache-2.0
// Jams are found where prescribed motions leave no velocity, and nowhere else.
#include "tests/check.h"
#include <cairn/cairn.h>

#include "base/assert.h"

#include <math.h>
#include <string.h>

enum { MOST = 8 };
static const double half_wall = 0.05, half_nut = 0.15;

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void add_box(cairn_world *world, cairn_body_kind kind, const char *name, double x,
                    double half, double velocity)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    shape.half_size[0] = half;
    shape.half_size[1] = shape.half_size[2] = half == half_nut ? 0.1 : 0.5;
    body.kind = kind;
    body.name = name;
    body.position[0] = x;
    body.position[2] = 0.1;
    body.velocity[0] = velocity;
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    check(cairn_body_create(world, &body, &id, &error));
}

static void add_ground(cairn_world *world)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    body.kind = CAIRN_FIXED;
    body.name = "ground";
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    check(cairn_body_create(world, &body, &id, &error));
}

/// A nut on the ground between two walls that touch it, with these velocities.
static cairn_world *vice_of(double tolerance, cairn_body_kind left, double left_velocity,
                            cairn_body_kind right, double right_velocity)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    double at = half_nut + half_wall;
    def.max_iterations = 50;
    def.tolerance = tolerance;
    check(cairn_world_create(&def, &world, &error));
    add_ground(world);
    add_box(world, left, "left", -at, half_wall, left_velocity);
    add_box(world, right, "right", at, half_wall, right_velocity);
    add_box(world, CAIRN_DYNAMIC, "nut", 0.0, half_nut, 0.0);
    for (int i = 0; i < 3; i++)
        check(cairn_world_step(world, &error));
    assert_true(cairn_contact_count(world) >= 4);
    return world;
}

static cairn_world *vice(cairn_body_kind left, double left_velocity, cairn_body_kind right,
                         double right_velocity)
{
    return vice_of(1e-6, left, left_velocity, right, right_velocity);
}

/// Names of the bodies found, with a space after each; destroys the world.
static void names_of(cairn_world *world, char names[128])
{
    bool may_be = cairn_world_may_be_jammed(world);
    cairn_body_id bodies[MOST];
    int count = -1;
    uint64_t before = cairn_world_get_hash(world);
    check(cairn_world_find_jam(world, bodies, MOST, &count, &error));
    assert_int_equal(cairn_world_get_hash(world), before);
    assert_in_range(count, 0, MOST);
    // what is cheap misses no jam
    assert_true(may_be || count == 0);
    names[0] = '\0';
    for (int i = 0; i < count; i++) {
        cairn_body_view view;
        check(cairn_body_get(world, bodies[i], &view));
        strcat(names, view.name);
        strcat(names, " ");
    }
    cairn_world_destroy(world);
}

static void test_squeezed(void **unused)
{
    (void)unused;
    char names[128];
    names_of(vice(CAIRN_MOVING, 0.5, CAIRN_MOVING, -0.5), names);
    assert_string_equal(names, "left right nut ");
    // one of them is enough where the other stands
    names_of(vice(CAIRN_MOVING, 0.5, CAIRN_FIXED, 0.0), names);
    assert_string_equal(names, "left right nut ");
    // both go the same way, the one behind faster
    names_of(vice(CAIRN_MOVING, 0.5, CAIRN_MOVING, 0.1), names);
    assert_string_equal(names, "left right nut ");
}

/// However large the reactions, the residual does not pass.
static void test_solved(void **unused)
{
    (void)unused;
    char names[128];
    cairn_world *world = vice_of(0.1, CAIRN_MOVING, 0.5, CAIRN_MOVING, -0.5);
    assert_true(cairn_world_get_report(world)->error > 0.1);
    names_of(world, names);
    assert_string_equal(names, "left right nut ");
}

static void test_at_ease(void **unused)
{
    (void)unused;
    char names[128];
    // carried along, pushed away from the other wall, let go, at rest
    names_of(vice(CAIRN_MOVING, 0.1, CAIRN_MOVING, 0.1), names);
    assert_string_equal(names, "");
    names_of(vice(CAIRN_MOVING, 0.001, CAIRN_MOVING, 0.5), names);
    assert_string_equal(names, "");
    names_of(vice(CAIRN_MOVING, -0.001, CAIRN_MOVING, 0.001), names);
    assert_string_equal(names, "");
    names_of(vice(CAIRN_FIXED, 0.0, CAIRN_FIXED, 0.0), names);
    assert_string_equal(names, "");
}

/// The number is told where there is room for fewer, and before the first step there is no jam.
static void test_room(void **unused)
{
    (void)unused;
    cairn_body_id body;
    int count = -1;
    cairn_world *world = vice(CAIRN_MOVING, 0.5, CAIRN_MOVING, -0.5);
    check(cairn_world_find_jam(world, &body, 1, &count, &error));
    assert_int_equal(count, 3);
    assert_int_equal(body.index, cairn_body_find(world, "left").index);
    cairn_world_destroy(world);
    cairn_world_def def = cairn_default_world_def();
    check(cairn_world_create(&def, &world, &error));
    check(cairn_world_find_jam(world, NULL, 0, &count, &error));
    assert_int_equal(count, 0);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squeezed),
        cmocka_unit_test(test_solved),
        cmocka_unit_test(test_at_ease),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
