// SPDX-License-Identifier: Apache-2.0
// Bodies, joints, connectors and shapes come and go between steps: ids, audit, restart, cost.
#include "tests/regress/heap.h"

static cairn_error error;
static const char file[] = "removal.h5";

static cairn_world *heap_of(const char *law, bool spheres)
{
    heap_def def = default_heap();
    def.law = law;
    def.spheres = spheres;
    def.step = law != NULL ? 2e-4 : def.step;
    return heap_world(&def);
}

static cairn_body_id add_body(cairn_world *world, cairn_shape_id shape, double x, double z)
{
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id made;
    def.shape = shape;
    def.position[0] = x;
    def.position[2] = z;
    def.velocity[2] = -0.5;
    assert_int_equal(cairn_body_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

static cairn_shape_id add_ball(cairn_world *world, double radius)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_shape_id made;
    def.radius = radius;
    assert_int_equal(cairn_shape_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

static cairn_body_id dynamic_body(const cairn_world *world, int from)
{
    for (int i = from; i < cairn_body_count(world); i++) {
        cairn_body_view view;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &view), CAIRN_OK);
        if (view.kind == CAIRN_DYNAMIC)
            return cairn_body_at(world, i);
    }
    fail();
    return (cairn_body_id){0};
}

static void test_ids(void **state)
{
    (void)state;
    cairn_world *world = heap_of(NULL, false), *other = heap_of(NULL, false);
    int count = cairn_body_count(world);
    cairn_body_id gone = dynamic_body(world, 0), last = cairn_body_at(world, count - 1);
    cairn_body_view view;
    assert_int_equal(cairn_body_get(other, gone, &view), CAIRN_ERROR_WORLD);
    assert_int_equal(cairn_body_remove(other, gone, &error), CAIRN_ERROR_WORLD);
    heap_steps(world, 5);
    assert_int_equal(cairn_body_remove(world, gone, &error), CAIRN_OK);
    assert_int_equal(cairn_body_remove(world, gone, &error), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_body_get(world, gone, &view), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_body_count(world), count - 1);
    assert_int_equal(cairn_body_get(world, last, &view), CAIRN_OK);
    // contacts of the last step still name it
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view contact;
        cairn_contact_get(world, i, &contact);
        if (contact.a.index == gone.index)
            assert_int_equal(contact.a.generation, gone.generation);
    }
    heap_steps(world, 1);
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view contact;
        cairn_contact_get(world, i, &contact);
        assert_true(contact.a.index != gone.index && contact.b.index != gone.index);
    }
    // its row serves again, under another id
    cairn_body_id made = add_body(world, view.shape, 3.0, 1.0);
    assert_int_equal(made.index, gone.index);
    assert_true(made.generation != gone.generation);
    assert_int_equal(cairn_body_get(world, gone, &view), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_body_get(world, made, &view), CAIRN_OK);
    heap_steps(world, 5);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

static void test_names(void **state)
{
    (void)state;
    cairn_world *world = heap_of(NULL, true);
    cairn_shape_id ball = add_ball(world, 0.1);
    cairn_body_id ids[40];
    char name[40][8];
    for (int i = 0; i < 40; i++) {
        cairn_body_def def = cairn_default_body_def();
        def.shape = ball;
        def.position[0] = 5.0 + i;
        def.name = name[i];
        snprintf(name[i], sizeof name[i], "b%d", i);
        assert_int_equal(cairn_body_create(world, &def, &ids[i], &error), CAIRN_OK);
    }
    for (int i = 0; i < 40; i += 3)
        assert_int_equal(cairn_body_remove(world, ids[i], &error), CAIRN_OK);
    for (int i = 0; i < 40; i++) {
        cairn_body_id found = cairn_body_find(world, name[i]);
        assert_int_equal(found.generation, i % 3 == 0 ? 0 : 1);
        if (i % 3 != 0)
            assert_int_equal(found.index, ids[i].index);
    }
    cairn_world_destroy(world);
}

static void test_shapes(void **state)
{
    (void)state;
    cairn_world *world = heap_of(NULL, true);
    cairn_shape_id ball = add_ball(world, 0.1);
    cairn_body_id body = add_body(world, ball, 4.0, 1.0);
    int count = cairn_shape_count(world);
    assert_int_equal(cairn_shape_remove(world, ball, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_body_remove(world, body, &error), CAIRN_OK);
    assert_int_equal(cairn_shape_remove(world, ball, &error), CAIRN_ERROR_ARGUMENT);
    heap_steps(world, 1);
    assert_int_equal(cairn_shape_remove(world, ball, &error), CAIRN_OK);
    assert_int_equal(cairn_shape_remove(world, ball, &error), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_shape_count(world), count - 1);
    cairn_shape_view view;
    cairn_shape_id again = add_ball(world, 0.2);
    assert_int_equal(cairn_shape_get(world, ball, &view), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_shape_get(world, again, &view), CAIRN_OK);
    check_close(view.radius, 0.2, 0.0, 0.0);
    heap_steps(world, 2);
    cairn_world_destroy(world);
}

static cairn_joint_id add_joint(cairn_world *world, cairn_body_id a, cairn_body_id b,
                                const char *name)
{
    cairn_joint_def def = cairn_default_joint_def(CAIRN_JOINT_ROD);
    cairn_body_view view;
    cairn_joint_id made;
    def.a = a;
    def.b = b;
    def.name = name;
    assert_int_equal(cairn_body_get(world, a, &view), CAIRN_OK);
    memcpy(def.anchor, view.position, sizeof def.anchor);
    assert_int_equal(cairn_body_get(world, b, &view), CAIRN_OK);
    memcpy(def.anchor_b, view.position, sizeof def.anchor_b);
    assert_int_equal(cairn_joint_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

static cairn_connector_id add_connector(cairn_world *world, cairn_body_id a, cairn_body_id b)
{
    cairn_connector_def def = cairn_default_connector_def();
    cairn_connector_id made;
    def.bodies[0] = a;
    def.bodies[1] = b;
    def.radii[0] = def.radii[1] = 0.1;
    assert_int_equal(cairn_connector_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

/// Joints and connectors go with their bodies, and alone; the others keep ids and names.
static void test_links(void **state)
{
    (void)state;
    cairn_world *world = heap_of(NULL, true);
    cairn_shape_id ball = add_ball(world, 0.1);
    cairn_body_id b[6];
    for (int i = 0; i < 6; i++)
        b[i] = add_body(world, ball, 5.0 + 0.5 * i, 2.0);
    cairn_joint_id first = add_joint(world, b[0], b[1], "first");
    cairn_joint_id second = add_joint(world, b[1], b[2], "second");
    cairn_joint_id third = add_joint(world, b[3], b[4], "third");
    cairn_connector_id link[3] = {add_connector(world, b[0], b[5]),
                                  add_connector(world, b[2], b[3]),
                                  add_connector(world, b[2], b[4])};
    heap_steps(world, 3);
    assert_int_equal(cairn_body_remove(world, b[1], &error), CAIRN_OK);
    assert_int_equal(cairn_joint_count(world), 1);
    cairn_joint_view joint;
    assert_int_equal(cairn_joint_get(world, first, &joint), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_joint_get(world, second, &joint), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_joint_get(world, third, &joint), CAIRN_OK);
    assert_string_equal(joint.name, "third");
    assert_int_equal(cairn_joint_find(world, "third").index, third.index);
    assert_int_equal(cairn_joint_find(world, "first").generation, 0);
    heap_steps(world, 3);
    assert_int_equal(cairn_connector_remove(world, link[0], &error), CAIRN_OK);
    cairn_connector_view connector;
    assert_int_equal(cairn_connector_get(world, link[0], &connector), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_connector_get(world, link[2], &connector), CAIRN_OK);
    assert_int_equal(connector.bodies[1].index, b[4].index);
    assert_int_equal(cairn_body_remove(world, b[2], &error), CAIRN_OK);
    assert_int_equal(cairn_connector_count(world), 0);
    assert_int_equal(cairn_joint_remove(world, third, &error), CAIRN_OK);
    assert_int_equal(cairn_joint_remove(world, third, &error), CAIRN_ERROR_STALE_ID);
    heap_steps(world, 3);
    cairn_world_destroy(world);
}

/// Removes and adds bodies of a settled heap; the residual of the audit stays what it is without.
static void churn(cairn_world *world, int steps)
{
    for (int i = 0; i < steps; i++) {
        cairn_body_view view;
        cairn_body_id gone = dynamic_body(world, 3 + i % 5);
        assert_int_equal(cairn_body_get(world, gone, &view), CAIRN_OK);
        assert_int_equal(cairn_body_remove(world, gone, &error), CAIRN_OK);
        add_body(world, view.shape, 0.02 * i, 1.5 + 0.3 * i);
        heap_steps(world, 4);
    }
}

static double closure(const char *law, bool changes)
{
    cairn_world *world = heap_of(law, false);
    heap_steps(world, 200);
    double before = cairn_world_get_energy(world).residual;
    if (changes)
        churn(world, 6);
    else
        heap_steps(world, 24);
    cairn_energy energy = cairn_world_get_energy(world);
    cairn_world_destroy(world);
    if (changes)
        assert_true(energy.population != 0.0);
    return fabs(energy.residual - before) / (fabs(energy.kinetic) + fabs(energy.potential));
}

static void test_audit(void **state)
{
    (void)state;
    static const char *const laws[] = {"signorini_coulomb", "hooke", "spring_dashpot"};
    for (int i = 0; i < 3; i++) {
        double quiet = closure(laws[i], false), changed = closure(laws[i], true);
        check_at_most(changed, 20.0 * quiet + 1e-6);
    }
}

/// A world that goes on from a checkpoint in the middle of comings and goings: same bits and ids.
static void restart(const char *law, bool spheres)
{
    cairn_world *world = heap_of(law, spheres), *again = heap_of(law, spheres);
    heap_steps(world, 20);
    churn(world, 4);
    // one shape that the other world never had, and one removal that no step has seen
    cairn_body_id extra = add_body(world, add_ball(world, 0.07), 0.4, 4.0);
    assert_int_equal(cairn_body_remove(world, dynamic_body(world, 2), &error), CAIRN_OK);
    assert_int_equal(cairn_world_save(world, file, NULL, &error), CAIRN_OK);
    if (cairn_world_restore(again, file, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(cairn_body_count(again), cairn_body_count(world));
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_id a = cairn_body_at(world, i), b = cairn_body_at(again, i);
        assert_true(a.index == b.index && a.generation == b.generation);
    }
    assert_true(cairn_world_get_hash(world) == cairn_world_get_hash(again));
    for (int i = 0; i < 30; i++) {
        heap_steps(world, 1);
        heap_steps(again, 1);
        if (cairn_world_get_hash(world) != cairn_world_get_hash(again))
            fail_msg("%s: step %d after the restart differs", law, i + 1);
    }
    cairn_body_view view;
    assert_int_equal(cairn_body_get(world, extra, &view), CAIRN_OK);
    cairn_body_id next = add_body(world, view.shape, 2.0, 6.0);
    cairn_body_id same =
        add_body(again, cairn_shape_at(again, cairn_shape_count(again) - 1), 2.0, 6.0);
    assert_true(next.index == same.index && next.generation == same.generation);
    cairn_energy a = cairn_world_get_energy(world), b = cairn_world_get_energy(again);
    assert_memory_equal(&a, &b, sizeof a);
    cairn_world_destroy(world);
    cairn_world_destroy(again);
    unlink(file);
}

static void test_restart(void **state)
{
    (void)state;
    restart("signorini_coulomb", false);
    restart("hooke", false);
    restart("hooke", true);
    restart("spring_dashpot", false);
}

/// A checkpoint that knows nothing of removals is refused where there were some.
static void test_refusal(void **state)
{
    (void)state;
    cairn_world *world = heap_of(NULL, true), *other = heap_of(NULL, true);
    heap_steps(world, 3);
    heap_steps(other, 3);
    assert_int_equal(cairn_world_save(world, file, NULL, &error), CAIRN_OK);
    assert_int_equal(cairn_body_remove(other, dynamic_body(other, 0), &error), CAIRN_OK);
    assert_int_equal(cairn_world_restore(other, file, &error), CAIRN_ERROR_ARGUMENT);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
    unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_shapes),  cmocka_unit_test(test_links),
        cmocka_unit_test(test_audit),   cmocka_unit_test(test_restart),
        cmocka_unit_test(test_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
