// SPDX-License-Identifier: Apache-2.0
// Bodies, joints, connectors and shapes come and go between steps: ids, audit, restart, cost.
#include "tests/regress/heap.h"

static cairn_error error;
static char folder[64], file[128];

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

/// Points on an ellipsoid and inside of it, from a small generator of their own.
static cairn_shape_id add_hull(cairn_world *world, cairn_shape_kind kind, double size)
{
    enum { POINTS = 40 };
    double points[POINTS][3];
    unsigned seed = 12345;
    for (int i = 0; i < POINTS; i++) {
        double norm = 0.0;
        for (int k = 0; k < 3; k++) {
            seed = seed * 1103515245u + 12345u;
            points[i][k] = (double)((seed >> 16) & 32767u) / 16384.0 - 1.0;
            norm += points[i][k] * points[i][k];
        }
        for (int k = 0; k < 3; k++)
            points[i][k] *= size * (1.0 + 0.3 * k) * (i % 4 == 0 ? 0.3 : 1.0 / sqrt(norm));
    }
    // a tetrahedron is closed: a mesh with a mass
    static const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const double corners[4][3] = {
        {0.0, 0.0, 0.0}, {size, 0.0, 0.0}, {0.0, size, 0.0}, {0.0, 0.0, size}};
    cairn_shape_def def = cairn_default_shape_def(kind);
    cairn_shape_id made;
    bool mesh = kind == CAIRN_MESH;
    def.points = mesh ? corners : (const double(*)[3])points;
    def.point_count = mesh ? 4 : POINTS;
    def.triangles = triangles;
    def.triangle_count = 4;
    assert_int_equal(cairn_shape_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

static cairn_shape_id add_compound(cairn_world *world, cairn_shape_id a, cairn_shape_id b)
{
    const cairn_shape_id members[2] = {a, b};
    const double places[2][3] = {{-0.1, 0.0, 0.02}, {0.15, 0.05, 0.0}};
    const double turns[2][4] = {{0.3, 0.1, -0.7, 0.4}, {1.0, 0.2, 0.0, 0.1}};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_COMPOUND);
    cairn_shape_id made;
    def.members = members;
    def.member_positions = places;
    def.member_orientations = turns;
    def.member_count = 2;
    assert_int_equal(cairn_shape_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

static cairn_status push(void *context, double time, double *value, cairn_error *reason)
{
    (void)context;
    (void)reason;
    *value = sin(time);
    return CAIRN_OK;
}

/// Shapes of every kind, joints and connectors made after the first step, on bodies old and new.
/// @return the joint with a motor
static cairn_joint_id populate(cairn_world *world)
{
    cairn_shape_id ball = add_ball(world, 0.11), hull = add_hull(world, CAIRN_POLYHEDRON, 0.12);
    cairn_shape_id mesh = add_hull(world, CAIRN_MESH, 0.5);
    cairn_body_id body[5] = {
        add_body(world, ball, 3.0, 2.0),
        add_body(world, hull, 3.6, 2.0),
        add_body(world, add_compound(world, hull, ball), 4.4, 2.0),
        add_body(world, ball, 5.2, 2.0),
        dynamic_body(world, 4),
    };
    cairn_body_def still = cairn_default_body_def();
    cairn_body_id fixed;
    still.shape = mesh;
    still.kind = CAIRN_FIXED;
    still.position[0] = 4.4;
    assert_int_equal(cairn_body_create(world, &still, &fixed, &error), CAIRN_OK);
    add_joint(world, body[0], body[1], "rod");
    cairn_joint_id gone = add_joint(world, body[1], body[2], "for a while");
    add_joint(world, body[2], body[4], NULL);
    cairn_joint_def hinge = cairn_default_joint_def(CAIRN_JOINT_HINGE);
    cairn_joint_id made;
    hinge.a = body[2];
    hinge.b = body[3];
    hinge.anchor[0] = 4.8;
    hinge.anchor[2] = 2.0;
    hinge.axis[1] = 1.0;
    hinge.name = "hinge";
    hinge.stiffness = 3.0;
    hinge.rest = 0.2;
    hinge.damping = 0.01;
    hinge.motor = true;
    hinge.motor_velocity = 0.7;
    hinge.motor_limit = 0.5;
    hinge.range[1] = 0.6;
    assert_int_equal(cairn_joint_create(world, &hinge, &made, &error), CAIRN_OK);
    assert_int_equal(cairn_joint_remove(world, gone, &error), CAIRN_OK);
    cairn_connector_id spring = add_connector(world, body[0], body[3]);
    assert_int_equal(
        cairn_connector_set_value(world, spring, "contact_stiffness", cairn_number(321.5), &error),
        CAIRN_OK);
    cairn_connector_def def = cairn_default_connector_def();
    def.law = "hooke";
    def.bodies[0] = body[1];
    def.bodies[1] = body[4];
    def.radii[0] = 0.4;
    def.radii[1] = 0.1;
    def.name = "bumper";
    def.contacts = true;
    assert_int_equal(cairn_connector_create(world, &def, &spring, &error), CAIRN_OK);
    return made;
}

static void check_same_path(cairn_world *world, cairn_world *again, int steps)
{
    for (int i = 0; i < steps; i++) {
        heap_steps(world, 1);
        heap_steps(again, 1);
        if (cairn_world_get_hash(world) != cairn_world_get_hash(again))
            fail_msg("step %d after the restart differs", i + 1);
    }
    cairn_energy a = cairn_world_get_energy(world), b = cairn_world_get_energy(again);
    assert_memory_equal(&a, &b, sizeof a);
}

static void restart_made(const char *law)
{
    cairn_world *world = heap_of(law, true), *again = heap_of(law, true);
    heap_steps(world, 10);
    populate(world);
    heap_steps(world, 25);
    assert_int_equal(cairn_world_save(world, file, NULL, &error), CAIRN_OK);
    if (cairn_world_restore(again, file, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(cairn_world_validate(again, &error), CAIRN_OK);
    assert_true(cairn_world_get_hash(world) == cairn_world_get_hash(again));
    assert_int_equal(cairn_joint_count(again), 3);
    cairn_joint_id hinge = cairn_joint_find(again, "hinge"),
                   same = cairn_joint_find(world, "hinge");
    assert_true(hinge.generation == same.generation && hinge.index == same.index);
    assert_int_equal(cairn_joint_find(again, "for a while").generation, 0);
    cairn_connector_view bumper;
    assert_int_equal(cairn_connector_get(again, cairn_connector_find(again, "bumper"), &bumper),
                     CAIRN_OK);
    assert_string_equal(bumper.law, "hooke");
    check_same_path(world, again, 40);
    // what was brought back can be saved and removed as what was made
    assert_int_equal(cairn_world_save(again, file, NULL, &error), CAIRN_OK);
    assert_int_equal(cairn_joint_remove(again, hinge, &error), CAIRN_OK);
    assert_int_equal(cairn_body_remove(again, cairn_body_at(again, 3), &error), CAIRN_OK);
    heap_steps(again, 5);
    assert_int_equal(cairn_world_restore(again, file, &error), CAIRN_OK);
    check_same_path(world, again, 20);
    cairn_world_destroy(world);
    cairn_world_destroy(again);
    unlink(file);
}

/// Joints, connectors, hulls, meshes and compounds of later come back with their names and numbers.
static void test_restart_made(void **state)
{
    (void)state;
    restart_made("signorini_coulomb");
    restart_made("hooke");
}

/// A function is the program's and in no file: such a joint is refused by name of the reason, and
/// the world stays what it was.
static void test_functions(void **state)
{
    (void)state;
    cairn_world *world = heap_of(NULL, true), *again = heap_of(NULL, true);
    heap_steps(world, 5);
    heap_steps(again, 5);
    cairn_joint_id driven = populate(world);
    assert_int_equal(cairn_joint_set_motor_function(world, driven, push, NULL, &error), CAIRN_OK);
    assert_int_equal(cairn_world_save(world, file, NULL, &error), CAIRN_OK);
    uint64_t before = cairn_world_get_hash(again);
    assert_int_equal(cairn_world_restore(again, file, &error), CAIRN_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "functions of the program"));
    assert_true(cairn_world_get_hash(again) == before);
    assert_int_equal(cairn_joint_count(again), 0);
    heap_steps(again, 3);
    // where the joint is, so is its function
    assert_int_equal(cairn_world_restore(world, file, &error), CAIRN_OK);
    heap_steps(world, 3);
    cairn_world_destroy(world);
    cairn_world_destroy(again);
    unlink(file);
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

static int make_place(void **state)
{
    (void)state;
    heap_folder_make(folder);
    snprintf(file, sizeof file, "%s/removal.h5", folder);
    return 0;
}

static int remove_place(void **state)
{
    (void)state;
    heap_folder_remove(folder, NULL, 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids),       cmocka_unit_test(test_names),
        cmocka_unit_test(test_shapes),    cmocka_unit_test(test_links),
        cmocka_unit_test(test_audit),     cmocka_unit_test(test_restart),
        cmocka_unit_test(test_refusal),   cmocka_unit_test(test_restart_made),
        cmocka_unit_test(test_functions),
    };
    return cmocka_run_group_tests(tests, make_place, remove_place);
}
