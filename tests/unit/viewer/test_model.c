// SPDX-License-Identifier: Apache-2.0
// The model follows which bodies and joints a world has, and a copy follows the model.
#include "tests/unit/viewer/world_fixture.h"

static void update(fixture *f, int64_t kept)
{
    assert_int_equal(view_model_update(&f->model, f->world, kept), CAIRN_OK);
    assert_int_equal(view_frame_take(&f->frame, &f->model, f->world), CAIRN_OK);
}

static void step(fixture *f)
{
    cairn_error error = {0};
    if (cairn_world_step(f->world, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void remove_body(fixture *f, cairn_body_id body)
{
    cairn_error error = {0};
    if (cairn_body_remove(f->world, body, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void test_bodies_come_and_go(void **state)
{
    (void)state;
    fixture f;
    fixture_begin(&f);
    cairn_body_id first = add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0.0, 0.0, 5.0);
    cairn_body_id second = add_body(f.world, f.box, CAIRN_DYNAMIC, 3.0, 0.0, 5.0);
    fixture_show(&f);
    assert_int_equal(f.frame.present_count, 2);
    remove_body(&f, first);
    step(&f);
    update(&f, 0);

    // a frame that is kept still shows the first: its row stays, and the next body gets one more
    assert_true(!view_frame_has(&f.frame, 0) && view_frame_has(&f.frame, 1));
    cairn_body_id third = add_body(f.world, f.hull, CAIRN_DYNAMIC, 6.0, 0.0, 5.0);
    update(&f, 0);
    assert_int_equal(f.model.body_count, 3);
    assert_int_equal(view_model_body(&f.model, third), 2);
    assert_int_equal(view_model_body(&f.model, first), -1);
    assert_int_equal(f.model.mesh_count, 1);

    // no frame is kept: the row is given away
    step(&f);
    update(&f, 1);
    cairn_body_id fourth = add_body(f.world, f.capsule, CAIRN_DYNAMIC, 9.0, 0.0, 5.0);
    update(&f, 1);
    assert_int_equal(f.model.body_count, 3);
    assert_int_equal(view_model_body(&f.model, fourth), 0);
    assert_int_equal(view_model_body(&f.model, second), 1);
    assert_int_equal(f.frame.present_count, 3);
    check_close(f.frame.centres[0].x, 9.0, 1e-12, 0.0);
    fixture_end(&f);
}

static void check_same(const view_model *copy, const view_model *model)
{
    assert_int_equal(copy->body_count, model->body_count);
    assert_int_equal(copy->mesh_count, model->mesh_count);
    assert_int_equal(copy->part_count, model->part_count);
    assert_int_equal(copy->joint_count, model->joint_count);
    assert_int_equal(copy->material_count, model->material_count);
    for (int i = 0; i < model->body_count; i++) {
        assert_memory_equal(&copy->bodies[i].id, &model->bodies[i].id, sizeof(cairn_body_id));
        assert_int_equal(copy->bodies[i].shape, model->bodies[i].shape);
        assert_string_equal(copy->bodies[i].name, model->bodies[i].name);
        assert_ptr_not_equal(copy->bodies[i].name, model->bodies[i].name);
    }
    for (int i = 0; i < model->mesh_count; i++) {
        assert_int_equal(copy->meshes[i].vertex_count, model->meshes[i].vertex_count);
        assert_memory_equal(copy->meshes[i].positions, model->meshes[i].positions,
                            (size_t)model->meshes[i].vertex_count * sizeof(float[3]));
    }
}

static void test_shapes_come_and_go(void **state)
{
    (void)state;
    fixture f;
    fixture_begin(&f);
    add_body(f.world, f.plane, CAIRN_FIXED, 0.0, 0.0, 0.0);
    fixture_show(&f);
    int shapes = f.model.shape_count;
    view_model copy = {.allocator = base_allocator_default()};
    for (int i = 0; i < 40; i++) {
        cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
        cairn_error error = {0};
        def.radius = 0.1 + 0.01 * i;
        cairn_shape_id shape = add_shape(f.world, &def);
        cairn_body_id body = add_body(f.world, shape, CAIRN_DYNAMIC, 0.0, 0.0, 5.0);
        step(&f);
        update(&f, cairn_world_get_step_count(f.world));
        assert_int_equal(view_model_follow(&copy, &f.model), CAIRN_OK);
        check_same(&copy, &f.model);
        int row = view_model_body(&f.model, body);
        const view_shape *seen = &f.model.shapes[f.model.bodies[row].shape];
        assert_true(f.model.parts[seen->first_part].size[0] == def.radius);
        assert_true(copy.parts[copy.shapes[copy.bodies[row].shape].first_part].size[0] ==
                    def.radius);
        remove_body(&f, body);
        step(&f);
        if (cairn_shape_remove(f.world, shape, &error) != CAIRN_OK)
            fail_msg("%s", error.message);
    }
    // as many shapes as there were bodies at once
    assert_true(f.model.shape_count <= shapes + 2);
    assert_true(f.model.body_count <= 3);
    view_model_finish(&copy);
    fixture_end(&f);
}

static cairn_joint_id tie(fixture *f, cairn_body_id a, cairn_body_id b)
{
    cairn_joint_def def = cairn_default_joint_def(CAIRN_JOINT_BALL);
    cairn_joint_id joint;
    cairn_error error = {0};
    def.a = a;
    def.b = b;
    def.name = "tie";
    if (cairn_joint_create(f->world, &def, &joint, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return joint;
}

static void test_joints_come_and_go(void **state)
{
    (void)state;
    fixture f;
    fixture_begin(&f);
    cairn_body_id a = add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0.0, 0.0, 5.0);
    cairn_body_id b = add_body(f.world, f.sphere, CAIRN_DYNAMIC, 2.0, 0.0, 5.0);
    fixture_show(&f);
    assert_int_equal(f.model.joint_count, 0);
    cairn_joint_id joint = tie(&f, a, b);
    update(&f, 0);
    assert_int_equal(f.model.joint_count, 1);
    assert_string_equal(f.model.joints[0].name, "tie");
    cairn_error error = {0};
    assert_int_equal(cairn_joint_remove(f.world, joint, &error), CAIRN_OK);
    update(&f, 0);
    assert_int_equal(f.model.joint_count, 0);
    fixture_end(&f);
}

static void test_copy_follows(void **state)
{
    (void)state;
    fixture f;
    fixture_begin(&f);
    cairn_body_id first = add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0.0, 0.0, 5.0);
    fixture_show(&f);
    view_model copy = {.allocator = base_allocator_default()};
    assert_int_equal(view_model_follow(&copy, &f.model), CAIRN_OK);
    check_same(&copy, &f.model);

    cairn_body_id second = add_body(f.world, f.hull, CAIRN_DYNAMIC, 4.0, 0.0, 5.0);
    tie(&f, first, second);
    update(&f, 0);
    assert_int_equal(view_model_follow(&copy, &f.model), CAIRN_OK);
    check_same(&copy, &f.model);

    // another body in the row of one that is gone
    remove_body(&f, first);
    step(&f);
    update(&f, 1);
    add_body(f.world, f.box, CAIRN_DYNAMIC, 8.0, 0.0, 5.0);
    update(&f, 1);
    assert_int_equal(f.model.body_count, 2);
    assert_int_equal(view_model_follow(&copy, &f.model), CAIRN_OK);
    check_same(&copy, &f.model);
    view_model_finish(&copy);
    fixture_end(&f);
}

/// The hand of a hinge is at its coordinate, counted from the zero of its arc, wherever it turned
/// to; the anchor of a slider as far from the zero of its rail.
static void test_ranges(void **state)
{
    (void)state;
    static const cairn_joint_kind kinds[] = {CAIRN_JOINT_HINGE, CAIRN_JOINT_SLIDER};
    for (int k = 0; k < 2; k++) {
        cairn_error error = {0};
        cairn_joint_id id;
        cairn_joint_view now;
        fixture f;
        fixture_begin(&f);
        cairn_body_id arm = add_body(f.world, f.box, CAIRN_DYNAMIC, 0.3, 0.2, 5.0);
        cairn_joint_def def = cairn_default_joint_def(kinds[k]);
        def.b = arm;
        def.anchor[2] = 5.5;
        vec3_store(def.axis, vec3_make(1.0, 2.0, k == 0 ? 0.0 : -1.0));
        def.range[0] = -2.0;
        def.range[1] = 2.5;
        assert_int_equal(cairn_joint_create(f.world, &def, &id, &error), CAIRN_OK);
        for (int i = 0; i < 40; i++)
            assert_int_equal(cairn_world_step(f.world, &error), CAIRN_OK);
        // the model is made where the joint is away from zero
        fixture_show(&f);
        for (int i = 0; i < 40; i++)
            assert_int_equal(cairn_world_step(f.world, &error), CAIRN_OK);
        assert_int_equal(cairn_joint_get(f.world, id, &now), CAIRN_OK);
        assert_true(fabs(now.coordinate) > 0.05);
        const view_joint *joint = &f.model.joints[0];
        assert_true(joint->range[0] == -2.0 && joint->range[1] == 2.5);
        cairn_body_view body;
        assert_int_equal(cairn_body_get(f.world, arm, &body), CAIRN_OK);
        const double *q = body.orientation;
        pose at = {vec3_from(body.position), {q[0], q[1], q[2], q[3]}};
        vec3 axis = vec3_normalize_or(vec3_from(def.axis), vec3_make(0.0, 0.0, 1.0)), found, wanted;
        if (k == 0) {
            quat turn = base_quat_from_rotation_vector(vec3_scale(now.coordinate, axis));
            found = quat_rotate(at.orientation, joint->hand);
            wanted = quat_rotate(turn, joint->zero);
            check_close(vec3_norm(found), 1.0, 0.0, 1e-12);
            check_close(vec3_dot(found, axis), 0.0, 0.0, 1e-9);
        } else {
            found = pose_apply(&at, joint->points[1]);
            wanted = vec3_add_scaled(joint->zero, now.coordinate, axis);
        }
        check_close(vec3_distance(found, wanted), 0.0, 0.0, 1e-9);
        fixture_end(&f);
    }
}

/// Adds a fixed body whose mesh has corners above the unit square, its triangles seen from above or
/// below.
static int add_mesh_body(fixture *f, bool from_above, double height)
{
    const double corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, height}, {0, 1, 0}};
    const int above[2][3] = {{0, 1, 2}, {0, 2, 3}}, below[2][3] = {{0, 2, 1}, {0, 3, 2}};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
    def.points = corners;
    def.point_count = 4;
    def.triangles = from_above ? above : below;
    def.triangle_count = 2;
    add_body(f->world, add_shape(f->world, &def), CAIRN_FIXED, 0.0, 0.0, 0.0);
    update(f, 0);
    return f->model.bodies[f->model.body_count - 1].shape;
}

/// A mesh that faces upwards is terrain; one like another is drawn by the same triangles.
static void test_meshes(void **state)
{
    (void)state;
    fixture f;
    fixture_begin(&f);
    fixture_show(&f);
    int terrain = add_mesh_body(&f, true, 0.5), ceiling = add_mesh_body(&f, false, 0.5);
    assert_true(f.model.shapes[terrain].terrain);
    assert_false(f.model.shapes[ceiling].terrain);
    check_close(f.model.shapes[terrain].maximum.z, 0.5, 0.0, 1e-12);
    assert_int_equal(f.model.mesh_count, 2);
    assert_int_equal(add_mesh_body(&f, true, 0.5), terrain);
    assert_int_equal(f.model.mesh_count, 2);
    int other = add_mesh_body(&f, true, 0.6);
    assert_true(other != terrain && other != ceiling);
    assert_int_equal(f.model.mesh_count, 3);
    // the triangles as they were given, corner by corner
    const view_mesh *mesh =
        &f.model.meshes[f.model.parts[f.model.shapes[other].first_part].primitive - VIEW_MESH];
    const float wanted[6][3] = {{0, 0, 0}, {1, 0, 0},    {1, 1, 0.6F},
                                {0, 0, 0}, {1, 1, 0.6F}, {0, 1, 0}};
    assert_int_equal(mesh->vertex_count, 6);
    assert_memory_equal(mesh->positions, wanted, sizeof wanted);
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_come_and_go),
        cmocka_unit_test(test_shapes_come_and_go),
        cmocka_unit_test(test_joints_come_and_go),
        cmocka_unit_test(test_copy_follows),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
