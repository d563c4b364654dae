// SPDX-License-Identifier: Apache-2.0
// Columns of bodies, contacts, joints and connectors: what is read at once is what is read one by
// one, in place and copied, with and without particle slots, after removals; writing; mistakes.
#include "tests/regress/heap.h"

#include <math.h>

static cairn_error error;

/// A heap that has bearing contacts; explicit laws keep spheres in particle slots.
static cairn_world *resting_heap(const char *law, bool spheres)
{
    heap_def def = default_heap();
    def.law = law;
    def.spheres = spheres;
    def.step = law != NULL ? 2e-4 : def.step;
    cairn_world *world = heap_world(&def);
    heap_steps(world, law != NULL ? 1500 : 150);
    return world;
}

static void *read_column(const cairn_world *world, const char *name, int *count)
{
    cairn_column_info info;
    assert_int_equal(cairn_column_get_info(cairn_column_find(name), &info), CAIRN_OK);
    *count = cairn_table_size(world, info.table);
    size_t item = cairn_scalar_size(info.scalar) * (size_t)info.width;
    void *values = calloc((size_t)*count + 1, item);
    assert_non_null(values);
    assert_int_equal(cairn_world_read(world, name, values, *count, &error), CAIRN_OK);
    return values;
}

/// Whether column `name` has `expected` as its item i.
static void assert_item(const cairn_world *world, const char *name, int i, const void *expected,
                        size_t size)
{
    int count;
    char *values = read_column(world, name, &count);
    assert_true(i < count);
    assert_memory_equal(values + (size_t)i * size, expected, size);
    free(values);
}

static void check_bodies(const cairn_world *world)
{
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_id id = cairn_body_at(world, i);
        cairn_body_view view;
        double force[3], torque[3];
        assert_int_equal(cairn_body_get(world, id, &view), CAIRN_OK);
        assert_int_equal(cairn_body_get_contact_force(world, id, force, torque), CAIRN_OK);
        assert_item(world, "bodies.id", i, &id, sizeof id);
        assert_item(world, "bodies.position", i, view.position, sizeof view.position);
        assert_item(world, "bodies.centre", i, view.centre, sizeof view.centre);
        assert_item(world, "bodies.orientation", i, view.orientation, sizeof view.orientation);
        assert_item(world, "bodies.velocity", i, view.velocity, sizeof view.velocity);
        assert_item(world, "bodies.angular_velocity", i, view.angular_velocity,
                    sizeof view.angular_velocity);
        assert_item(world, "bodies.mass", i, &view.mass, sizeof view.mass);
        assert_item(world, "bodies.contact_force", i, force, sizeof force);
        assert_item(world, "bodies.contact_torque", i, torque, sizeof torque);
    }
}

static void check_contacts(const cairn_world *world)
{
    assert_true(cairn_contact_count(world) > 3);
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view view;
        int count;
        assert_int_equal(cairn_contact_get(world, i, &view), CAIRN_OK);
        assert_item(world, "contacts.a", i, &view.a, sizeof view.a);
        assert_item(world, "contacts.b", i, &view.b, sizeof view.b);
        assert_item(world, "contacts.gap", i, &view.gap, sizeof view.gap);
        assert_item(world, "contacts.point", i, view.point, sizeof view.point);
        assert_item(world, "contacts.normal", i, view.normal, sizeof view.normal);
        assert_item(world, "contacts.force", i, view.force, sizeof view.force);
        assert_item(world, "contacts.velocity", i, view.velocity, sizeof view.velocity);
        assert_item(world, "contacts.key", i, &view.key, sizeof view.key);
        // the impulse is the reaction along the axes of the frame
        double(*frame)[3][3] = read_column(world, "contacts.frame", &count);
        double(*reaction)[3] = read_column(world, "contacts.reaction", &count);
        for (int k = 0; k < 3; k++) {
            double sum = 0.0;
            for (int n = 0; n < 3; n++)
                sum += frame[i][n][k] * reaction[i][n];
            assert_true(fabs(sum - view.impulse[k]) <= 1e-12 * fabs(reaction[i][0]) + 1e-18);
        }
        free(frame);
        free(reaction);
    }
}

/// All that a world shows in place has the values that reading gives; returns how many columns.
static int check_in_place(const cairn_world *world)
{
    int shown = 0;
    for (int c = 0; c < cairn_column_count(); c++) {
        cairn_column_info info;
        cairn_array array;
        int count;
        assert_int_equal(cairn_column_get_info(c, &info), CAIRN_OK);
        cairn_status status = cairn_world_array(world, info.name, &array, &error);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_UNSUPPORTED);
        if (status != CAIRN_OK)
            continue;
        shown++;
        assert_true(info.in_place);
        size_t item = cairn_scalar_size(info.scalar) * (size_t)info.width;
        char *values = read_column(world, info.name, &count);
        for (int i = 0; i < count; i++) {
            int row = info.table == CAIRN_BODIES ? (int)cairn_body_at(world, i).index : i;
            const char *found = NULL;
            for (int s = 0; s < array.segment_count; s++)
                for (int k = 0; k < array.segments[s].count; k++)
                    if ((array.segments[s].rows != NULL ? array.segments[s].rows[k] : k) == row)
                        found = (const char *)array.segments[s].data +
                                (size_t)k * array.segments[s].stride;
            assert_non_null(found);
            assert_memory_equal(found, values + (size_t)i * item, item);
        }
        free(values);
    }
    return shown;
}

static void test_reading(void **state)
{
    (void)state;
    const struct {
        const char *law;
        bool spheres;
        int shown; // columns in place, at least
    } cases[] = {{NULL, false, 8}, {"hooke", true, 2}, {"hooke", false, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        cairn_world *world = resting_heap(cases[k].law, cases[k].spheres);
        check_bodies(world);
        check_contacts(world);
        assert_true(check_in_place(world) >= cases[k].shown);
        // rows that are free, and one that is used again
        for (int i = 0; i < 3; i++)
            assert_int_equal(cairn_body_remove(world, cairn_body_at(world, 4 + i), &error),
                             CAIRN_OK);
        check_bodies(world);
        check_in_place(world);
        heap_steps(world, 2);
        check_bodies(world);
        check_in_place(world);
        cairn_world_destroy(world);
    }
}

static void test_writing(void **state)
{
    (void)state;
    cairn_world *world = resting_heap("hooke", true), *twin = resting_heap("hooke", true);
    int count;
    double(*velocity)[3] = read_column(world, "bodies.velocity", &count);
    double(*position)[3] = read_column(world, "bodies.position", &count);
    double(*force)[3] = read_column(world, "bodies.load_force", &count);
    for (int i = 0; i < count; i++) {
        cairn_body_id id = cairn_body_at(twin, i);
        cairn_body_view view;
        assert_int_equal(cairn_body_get(twin, id, &view), CAIRN_OK);
        if (view.kind != CAIRN_DYNAMIC)
            continue;
        velocity[i][0] += 0.01 * i;
        position[i][2] += 1e-5 * i;
        force[i][1] = 0.5 * i;
        const double none[3] = {0.0, 0.0, 0.0};
        assert_int_equal(
            cairn_body_set_velocity(twin, id, velocity[i], view.angular_velocity, &error),
            CAIRN_OK);
        assert_int_equal(cairn_body_get(twin, id, &view), CAIRN_OK);
        assert_int_equal(cairn_body_set_pose(twin, id, position[i], view.orientation, &error),
                         CAIRN_OK);
        assert_int_equal(cairn_body_set_force(twin, id, force[i], none, &error), CAIRN_OK);
    }
    assert_int_equal(cairn_world_write(world, "bodies.velocity", velocity, count, &error),
                     CAIRN_OK);
    assert_int_equal(cairn_world_write(world, "bodies.position", position, count, &error),
                     CAIRN_OK);
    assert_int_equal(cairn_world_write(world, "bodies.load_force", force, count, &error), CAIRN_OK);
    heap_steps(world, 50);
    heap_steps(twin, 50);
    assert_true(cairn_world_get_hash(world) == cairn_world_get_hash(twin));
    // one bad value: nothing is set
    uint64_t before = cairn_world_get_hash(world);
    velocity[1][0] += 1.0;
    velocity[count - 1][2] = NAN;
    assert_int_equal(cairn_world_write(world, "bodies.velocity", velocity, count, &error),
                     CAIRN_ERROR_ARGUMENT);
    assert_true(cairn_world_get_hash(world) == before);
    // a fixed body has no velocity
    free(velocity);
    velocity = read_column(world, "bodies.velocity", &count);
    cairn_body_view first;
    assert_int_equal(cairn_body_get(world, cairn_body_at(world, 0), &first), CAIRN_OK);
    assert_int_equal(first.kind, CAIRN_FIXED);
    velocity[0][1] = 1.0;
    assert_int_equal(cairn_world_write(world, "bodies.velocity", velocity, count, &error),
                     CAIRN_ERROR_ARGUMENT);
    free(velocity);
    free(position);
    free(force);
    cairn_world_destroy(world);
    cairn_world_destroy(twin);
}

static void test_user_words(void **state)
{
    (void)state;
    cairn_world *world = resting_heap(NULL, false);
    int count;
    cairn_array array;
    assert_int_equal(cairn_world_array(world, "bodies.user", &array, &error),
                     CAIRN_ERROR_UNSUPPORTED);
    uint64_t before = cairn_world_get_hash(world);
    cairn_body_id id = cairn_body_at(world, 3);
    assert_int_equal(cairn_body_set_user(world, id, UINT64_MAX - 4, &error), CAIRN_OK);
    uint64_t user, *users = read_column(world, "bodies.user", &count);
    assert_int_equal(cairn_body_get_user(world, id, &user), CAIRN_OK);
    assert_true(user == UINT64_MAX - 4 && users[3] == user && users[2] == 0);
    assert_int_equal(cairn_world_array(world, "bodies.user", &array, &error), CAIRN_OK);
    users[2] = 7;
    assert_int_equal(cairn_world_write(world, "bodies.user", users, count, &error), CAIRN_OK);
    assert_int_equal(cairn_body_get_user(world, cairn_body_at(world, 2), &user), CAIRN_OK);
    assert_true(user == 7);
    assert_true(cairn_world_get_hash(world) == before);
    // it goes with the body
    cairn_body_view view;
    assert_int_equal(cairn_body_get(world, id, &view), CAIRN_OK);
    assert_int_equal(cairn_body_remove(world, id, &error), CAIRN_OK);
    assert_int_equal(cairn_body_get_user(world, id, &user), CAIRN_ERROR_STALE_ID);
    heap_steps(world, 1);
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id made;
    def.shape = view.shape;
    def.position[2] = 5.0;
    assert_int_equal(cairn_body_create(world, &def, &made, &error), CAIRN_OK);
    assert_int_equal(made.index, id.index);
    assert_int_equal(cairn_body_get_user(world, made, &user), CAIRN_OK);
    assert_true(user == 0);
    free(users);
    cairn_world_destroy(world);
}

static void test_names_and_mistakes(void **state)
{
    (void)state;
    cairn_world *world = resting_heap(NULL, false);
    double values[3];
    cairn_array array;
    cairn_column_info info;
    for (int i = 0; i < cairn_column_count(); i++) {
        assert_int_equal(cairn_column_get_info(i, &info), CAIRN_OK);
        assert_int_equal(cairn_column_find(info.name), i);
        size_t prefix = strlen(cairn_table_name(info.table));
        assert_memory_equal(info.name, cairn_table_name(info.table), prefix);
        assert_true(info.width > 0 && cairn_scalar_size(info.scalar) > 0 && info.help[0] != '\0');
    }
    assert_int_equal(cairn_column_get_info(-1, &info), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_column_get_info(cairn_column_count(), &info), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_column_find("bodies.colour"), -1);
    assert_int_equal(cairn_world_read(world, "bodies.velocty", values, 1, &error),
                     CAIRN_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.message, "bodies.velocity"));
    assert_int_equal(cairn_world_read(world, "bodies.velocity", values, 1, &error),
                     CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_world_read(world, "bodies.velocity", values, -1, &error),
                     CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_world_write(world, "bodies.mass", values, 1, &error),
                     CAIRN_ERROR_UNSUPPORTED);
    assert_int_equal(cairn_world_array(world, "bodies.position", &array, &error),
                     CAIRN_ERROR_UNSUPPORTED);
    assert_int_equal(cairn_world_read(world, "joints.speed", NULL, 0, &error), CAIRN_OK);
    assert_int_equal(cairn_table_size(world, CAIRN_TABLE_COUNT), 0);
    assert_string_equal(cairn_table_name((cairn_table)-1), "");
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_user_words),
        cmocka_unit_test(test_names_and_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
