// SPDX-License-Identifier: Apache-2.0
// Joints, motors and prescribed motions: a restored world takes the same steps to the bit, for any
// number of threads, and memory that runs out is a status.
#include "tests/physics/joint_world.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HALF = 120, LINKS = 5 };

static cairn_status sway(void *context, double time, cairn_motion *motion, cairn_error *error)
{
    (void)context;
    (void)error;
    motion->given = CAIRN_MOTION_POSITION;
    motion->position[0] = 0.2 * sin(5.0 * time);
    motion->position[2] = 1.0 + 0.1 * cos(9.0 * time);
    return CAIRN_OK;
}

static cairn_status add_link(cairn_world *world, int i, cairn_body_id *last, cairn_error *error)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_BOX);
    shape.half_size[0] = 0.1;
    shape.half_size[1] = shape.half_size[2] = 0.03;
    cairn_body_def body = cairn_default_body_def();
    body.position[0] = 0.1 + 0.2 * i;
    body.position[2] = 1.1 - 0.1 * i;
    cairn_status status = cairn_shape_create(world, &shape, &body.shape, error);
    cairn_body_id made;
    if (status == CAIRN_OK)
        status = cairn_body_create(world, &body, &made, error);
    if (status != CAIRN_OK)
        return status;
    cairn_joint_def joint = joint_def(i % 2 == 0 ? CAIRN_JOINT_HINGE : CAIRN_JOINT_BALL, *last,
                                      made, 0.2 * i, 0.0, 1.1 - 0.1 * i);
    set_axis(joint.axis, 0.0, 1.0, 0.1);
    joint.name = i == 0 ? "first" : NULL;
    if (i == 2) {
        joint.friction = 0.3;
        joint.range[1] = 1.0;
        joint.stiffness = 2.0;
        joint.damping = 0.1;
    }
    *last = made;
    cairn_joint_id id;
    return cairn_joint_create(world, &joint, &id, error);
}

static cairn_status fill(cairn_world *world, cairn_error *error)
{
    const double level[] = {0.0, 0.0, 0.6}, upright[] = {1.0, 0.0, 0.0, 0.0};
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    ball.radius = 0.05;
    cairn_body_def ground = cairn_default_body_def(), pivot = ground;
    ground.kind = CAIRN_FIXED;
    pivot.kind = CAIRN_MOVING;
    pivot.position[2] = 1.1;
    cairn_body_id floor, last;
    cairn_status status = cairn_shape_create(world, &plane, &ground.shape, error);
    if (status == CAIRN_OK)
        status = cairn_shape_create(world, &ball, &pivot.shape, error);
    if (status == CAIRN_OK)
        status = cairn_body_create(world, &ground, &floor, error);
    if (status == CAIRN_OK)
        status = cairn_body_set_pose(world, floor, level, upright, error);
    if (status == CAIRN_OK)
        status = cairn_body_create(world, &pivot, &last, error);
    if (status == CAIRN_OK)
        status = cairn_body_set_motion(world, last, sway, NULL, error);
    for (int i = 0; i < LINKS && status == CAIRN_OK; i++)
        status = add_link(world, i, &last, error);
    return status;
}

static cairn_world *build(int threads)
{
    cairn_error error = {0};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 4e-3;
    def.threads = threads;
    cairn_world *world = make_world(&def);
    require(fill(world, &error), &error);
    return world;
}

static void switch_motor(cairn_world *world)
{
    cairn_error error = {0};
    cairn_joint_id joint = cairn_joint_find(world, "first");
    require(cairn_joint_set_motor(world, joint, true, 2.0, 1.5, &error), &error);
}

static void a_restored_world_goes_on_to_the_bit(void **state)
{
    (void)state;
    cairn_error error = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/cairn-joints-%ld.h5", (long)getpid());
    uint64_t hash[HALF];
    double effort[HALF];
    cairn_world *world = build(1);
    run_steps(world, 60);
    switch_motor(world);
    run_steps(world, 60);
    assert_true(cairn_contact_count(world) > 0);
    require(cairn_world_save(world, path, "", &error), &error);
    for (int i = 0; i < HALF; i++) {
        run_steps(world, 1);
        hash[i] = cairn_world_get_hash(world);
        effort[i] = look_at_joint(world, cairn_joint_find(world, "first")).effort;
    }
    cairn_world_destroy(world);
    for (int threads = 1; threads <= 2; threads++) {
        world = build(threads);
        require(cairn_world_restore(world, path, &error), &error);
        for (int i = 0; i < HALF; i++) {
            run_steps(world, 1);
            assert_true(hash[i] == cairn_world_get_hash(world));
            double now = look_at_joint(world, cairn_joint_find(world, "first")).effort;
            assert_memory_equal(&now, &effort[i], sizeof now);
        }
        cairn_world_destroy(world);
    }
    unlink(path);
}

static void a_world_with_another_joint_is_refused(void **state)
{
    (void)state;
    cairn_error error = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/cairn-other-%ld.h5", (long)getpid());
    cairn_world *world = build(1);
    run_steps(world, 2);
    require(cairn_world_save(world, path, "", &error), &error);
    cairn_world_destroy(world);
    world = build(1);
    cairn_joint_def extra =
        joint_def(CAIRN_JOINT_ROD, (cairn_body_id){0}, cairn_body_at(world, 4), 0.0, 0.0, 3.0);
    set_axis(extra.anchor_b, 0.5, 0.0, 0.9);
    make_joint(world, &extra);
    assert_int_equal(cairn_world_restore(world, path, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "other joints"));
    cairn_world_destroy(world);
    unlink(path);
}

static cairn_status try_all(base_allocator *allocator)
{
    cairn_error error = {0};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 4e-3;
    def.allocator = (cairn_allocator){allocator->reallocate, allocator->context};
    cairn_world *world;
    cairn_status status = cairn_world_create(&def, &world, &error);
    if (status == CAIRN_OK)
        status = fill(world, &error);
    for (int i = 0; i < 70 && status == CAIRN_OK; i++)
        status = cairn_world_step(world, &error);
    cairn_world_destroy(world);
    return status;
}

static void memory_that_runs_out_is_a_status(void **state)
{
    (void)state;
    for (long k = 1;; k++) {
        base_counting_allocator counter = {.fail_at = k};
        base_allocator allocator = base_allocator_counting(&counter);
        cairn_status status = try_all(&allocator);
        assert_int_equal(counter.live, 0);
        if (counter.calls < k) {
            assert_int_equal(status, CAIRN_OK);
            break;
        }
        assert_int_equal(status, CAIRN_ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_restored_world_goes_on_to_the_bit),
        cmocka_unit_test(a_world_with_another_joint_is_refused),
        cmocka_unit_test(memory_that_runs_out_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
