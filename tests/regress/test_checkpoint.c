// SPDX-License-Identifier: Apache-2.0
// A restored world takes the same steps, to the bit, as the one that was saved.
#include "tests/regress/heap.h"

enum { HALF = 60 };

static const char *const files[] = {"a.h5", "a.h5.part", "b.h5"};

/// Everything that a step leaves and that a user can read.
typedef struct trace {
    uint64_t hash[HALF];
    cairn_energy energy[HALF];
    int contacts[HALF];
} trace;

static void follow(cairn_world *world, trace *out)
{
    for (int i = 0; i < HALF; i++) {
        heap_steps(world, 1);
        out->hash[i] = cairn_world_get_hash(world);
        out->energy[i] = cairn_world_get_energy(world);
        out->contacts[i] = cairn_contact_count(world);
    }
}

static void compare(const trace *a, const trace *b, const char *what)
{
    for (int i = 0; i < HALF; i++)
        if (a->hash[i] != b->hash[i] || a->contacts[i] != b->contacts[i] ||
            memcmp(&a->energy[i], &b->energy[i], sizeof a->energy[i]) != 0)
            fail_msg("%s: step %d after the restart differs", what, i + 1);
}

/// All contacts read the same.
static void compare_contacts(const cairn_world *a, const cairn_world *b)
{
    assert_int_equal(cairn_contact_count(a), cairn_contact_count(b));
    for (int i = 0; i < cairn_contact_count(a); i++) {
        cairn_contact_view x, y;
        memset(&x, 0, sizeof x);
        memset(&y, 0, sizeof y);
        cairn_contact_get(a, i, &x);
        cairn_contact_get(b, i, &y);
        assert_memory_equal(x.force, y.force, sizeof x.force);
        assert_memory_equal(x.velocity, y.velocity, sizeof x.velocity);
        assert_int_equal(x.status, y.status);
    }
    for (int i = 0; i < cairn_body_count(a); i++) {
        double force[2][3], torque[2][3];
        assert_int_equal(cairn_body_get_contact_force(a, cairn_body_at(a, i), force[0], torque[0]),
                         0);
        assert_int_equal(cairn_body_get_contact_force(b, cairn_body_at(b, i), force[1], torque[1]),
                         0);
        assert_memory_equal(force[0], force[1], sizeof force[0]);
        assert_memory_equal(torque[0], torque[1], sizeof torque[0]);
    }
}

static size_t read_bytes(const char *path, unsigned char *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, most, file);
    assert_int_equal(fclose(file), 0);
    return size;
}

/// A restored world saves the same file again: nothing that is saved is lost on the way back.
static void compare_files(const cairn_world *restored, const char *path, const char *again)
{
    enum { MOST = 1 << 22 };
    cairn_error error = {0};
    must(cairn_world_save(restored, again, "note", &error), &error);
    unsigned char *a = malloc(MOST), *b = malloc(MOST);
    size_t size = read_bytes(path, a, MOST);
    assert_true(size < MOST);
    assert_int_equal(read_bytes(again, b, MOST), size);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
}

/// 2N steps against N, restart, N; saved by one thread and restored into worlds of 1, 2 and 3.
static void check_restart(heap_def def, const char *what)
{
    char folder[64], path[128], again[128];
    cairn_error error = {0};
    trace whole, saved, restored;
    heap_folder_make(folder);
    snprintf(again, sizeof again, "%s/b.h5", folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = heap_world(&def);
    heap_steps(world, HALF);
    follow(world, &whole);
    cairn_world_destroy(world);
    world = heap_world(&def);
    heap_steps(world, HALF);
    assert_true(cairn_contact_count(world) > 0);
    must(cairn_world_save(world, path, "note", &error), &error);
    for (int threads = 1; threads <= 3; threads++) {
        def.threads = threads;
        cairn_world *other = heap_world(&def);
        if (threads == 2)
            heap_steps(other, 3);
        must(cairn_world_restore(other, path, &error), &error);
        compare_files(other, path, again);
        if (threads == 1)
            compare_contacts(world, other);
        follow(other, &restored);
        compare(&whole, &restored, what);
        cairn_world_destroy(other);
    }
    follow(world, &saved);
    compare(&whole, &saved, "the world that was saved");
    cairn_world_destroy(world);
    heap_folder_remove(folder, files, 3);
}

static void test_laws(void **state)
{
    (void)state;
    int count = cairn_plugin_count(CAIRN_LAW);
    for (int i = 0; i < count; i++) {
        heap_def def = default_heap();
        cairn_plugin_info info = cairn_plugin_get(CAIRN_LAW, i);
        def.law = info.name;
        def.spheres = strcmp(info.kind, "impulse") == 0;
        def.step = def.spheres ? 0.001 : 0.005;
        check_restart(def, info.name);
    }
}

/// Laws whose step comes from the stable one.
static void test_automatic_step(void **state)
{
    (void)state;
    int count = cairn_plugin_count(CAIRN_LAW), limited = 0;
    for (int i = 0; i < count; i++) {
        heap_def def = default_heap();
        cairn_plugin_info info = cairn_plugin_get(CAIRN_LAW, i);
        if (strcmp(info.kind, "impulse") != 0)
            continue;
        def.law = info.name;
        def.spheres = true;
        cairn_world *world = heap_world(&def);
        bool has_limit = isfinite(cairn_world_get_stable_step(world).step);
        cairn_world_destroy(world);
        if (!has_limit)
            continue;
        def.share = 0.2;
        check_restart(def, info.name);
        limited++;
    }
    assert_true(limited > 3);
}

/// A restored world goes on with its time step; a world of another one is refused.
static void test_step_is_kept(void **state)
{
    (void)state;
    char folder[64], path[128];
    cairn_error error = {0};
    heap_def def = default_heap();
    def.law = "hooke";
    def.spheres = true;
    def.share = 0.2;
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = heap_world(&def);
    double step = cairn_world_get_def(world)->time_step;
    heap_steps(world, 2);
    must(cairn_world_save(world, path, NULL, &error), &error);
    cairn_world_destroy(world);
    world = heap_world(&def);
    must(cairn_world_restore(world, path, &error), &error);
    assert_true(cairn_world_get_def(world)->time_step == step);
    cairn_world_destroy(world);
    def.share = 0.1;
    world = heap_world(&def);
    assert_int_equal(cairn_world_restore(world, path, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "settings of the step"));
    cairn_world_destroy(world);
    heap_folder_remove(folder, files, 3);
}

static void test_solvers(void **state)
{
    (void)state;
    int count = cairn_plugin_count(CAIRN_SOLVER);
    for (int i = 0; i < count; i++) {
        heap_def def = default_heap();
        def.solver = cairn_plugin_get(CAIRN_SOLVER, i).name;
        def.layers = 1;
        def.step = 0.005;
        // also steps that end unsolved must be the same
        def.iterations = 30;
        check_restart(def, def.solver);
    }
}

static void test_before_first_step(void **state)
{
    (void)state;
    char folder[64], path[128];
    cairn_error error = {0};
    trace whole, restored;
    heap_def def = default_heap();
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = heap_world(&def);
    must(cairn_world_save(world, path, NULL, &error), &error);
    follow(world, &whole);
    // back to the start, in the same world
    must(cairn_world_restore(world, path, &error), &error);
    assert_int_equal(cairn_world_get_step_count(world), 0);
    follow(world, &restored);
    compare(&whole, &restored, "start");
    cairn_world_destroy(world);
    heap_folder_remove(folder, files, 3);
}

/// Loads set by the user are part of the state.
static void test_loads(void **state)
{
    (void)state;
    char folder[64], path[128];
    cairn_error error = {0};
    trace whole, restored;
    const double force[3] = {3.0, 1.0, 0.0}, torque[3] = {0.0, 0.1, 0.0};
    heap_def def = default_heap();
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = heap_world(&def);
    must(cairn_body_set_force(world, cairn_body_at(world, 3), force, torque, &error), &error);
    heap_steps(world, 5);
    must(cairn_world_save(world, path, NULL, &error), &error);
    follow(world, &whole);
    cairn_world_destroy(world);
    world = heap_world(&def);
    must(cairn_world_restore(world, path, &error), &error);
    follow(world, &restored);
    compare(&whole, &restored, "loads");
    cairn_world_destroy(world);
    heap_folder_remove(folder, files, 3);
}

/// A heap whose bodies are joined by connectors too, each explicit law in turn.
static cairn_world *connected_heap(const heap_def *def, double radius)
{
    static const char *const laws[] = {"exudyn_sphere", "hooke", "hertz_mindlin", "incremental",
                                       "spring_dashpot"};
    static const char *const stiffness[] = {"contact_stiffness", "normal_stiffness",
                                            "young_modulus", "normal_stiffness", "spring"};
    cairn_error error = {0};
    cairn_world *world = heap_world(def);
    for (int i = 0; i < 20; i++) {
        cairn_connector_def link = cairn_default_connector_def();
        cairn_connector_id id;
        int law = i % 5;
        link.law = laws[law];
        link.bodies[0] = cairn_body_at(world, 1 + i);
        link.bodies[1] = cairn_body_at(world, 2 + i);
        link.radii[0] = link.radii[1] = radius;
        link.positions[0][0] = 0.05;
        must(cairn_connector_create(world, &link, &id, &error), &error);
        must(cairn_connector_set_value(world, id, stiffness[law],
                                       cairn_number(law == 2 ? 1e5 : 5e3), &error),
             &error);
    }
    return world;
}

static void test_connectors(void **state)
{
    (void)state;
    char folder[64], path[128];
    cairn_error error = {0};
    trace whole, restored;
    heap_def def = default_heap();
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = connected_heap(&def, 0.15);
    heap_steps(world, 3);
    int closed = 0;
    for (int i = 0; i < cairn_connector_count(world); i++) {
        cairn_connector_view view;
        must(cairn_connector_get(world, cairn_connector_at(world, i), &view), &error);
        closed += view.closed;
    }
    assert_true(closed > 2);
    must(cairn_world_save(world, path, NULL, &error), &error);
    follow(world, &whole);
    cairn_world_destroy(world);
    world = connected_heap(&def, 0.15);
    must(cairn_world_restore(world, path, &error), &error);
    follow(world, &restored);
    compare(&whole, &restored, "connectors");
    cairn_world_destroy(world);
    for (int other = 0; other < 2; other++) {
        world = other == 0 ? heap_world(&def) : connected_heap(&def, 0.16);
        assert_int_equal(cairn_world_restore(world, path, &error), CAIRN_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "connectors"));
        cairn_world_destroy(world);
    }
    heap_folder_remove(folder, files, 3);
}

static void refuse(const char *path, heap_def def, const char *what)
{
    cairn_error error = {0};
    cairn_world *world = heap_world(&def);
    uint64_t before = cairn_world_get_hash(world);
    assert_int_equal(cairn_world_restore(world, path, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, what));
    assert_int_equal(cairn_world_get_hash(world), before);
    cairn_world_destroy(world);
}

static void test_other_worlds(void **state)
{
    (void)state;
    char folder[64], path[128];
    cairn_error error = {0};
    heap_def def = default_heap();
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = heap_world(&def);
    heap_steps(world, 2);
    must(cairn_world_save(world, path, NULL, &error), &error);
    cairn_world_destroy(world);
    heap_def other = def;
    other.step = 0.001;
    refuse(path, other, "settings of the step");
    other = def;
    other.layers = 2;
    refuse(path, other, "bodies");
    other = def;
    other.radius = 0.09;
    refuse(path, other, "shapes");
    other = def;
    other.friction = 0.3;
    refuse(path, other, "contact laws");
    other = def;
    other.solver = cairn_plugin_get(CAIRN_SOLVER, cairn_plugin_count(CAIRN_SOLVER) - 1).name;
    refuse(path, other, "solver");
    heap_folder_remove(folder, files, 3);
}

static void test_read(void **state)
{
    (void)state;
    char folder[64], path[128], note[CAIRN_NOTE_SIZE + 1];
    cairn_error error = {0};
    heap_def def = default_heap();
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = heap_world(&def);
    heap_steps(world, 40);
    memset(note, 'x', sizeof note - 1);
    note[sizeof note - 1] = '\0';
    assert_int_equal(cairn_world_save(world, path, note, &error), CAIRN_ERROR_ARGUMENT);
    note[CAIRN_NOTE_SIZE - 1] = '\0';
    must(cairn_world_save(world, path, note, &error), &error);
    cairn_checkpoint checkpoint;
    must(cairn_checkpoint_read(path, &checkpoint, &error), &error);
    assert_true(cairn_checkpoint_exists(path));
    assert_string_equal(checkpoint.note, note);
    assert_string_equal(checkpoint.version, cairn_version());
    assert_int_equal(checkpoint.step_count, 40);
    assert_true(checkpoint.time == cairn_world_get_time(world));
    assert_int_equal(checkpoint.contacts, cairn_contact_count(world));
    assert_int_equal(checkpoint.bodies, cairn_body_count(world));
    assert_int_equal(checkpoint.state_hash, cairn_world_get_hash(world));
    cairn_world_destroy(world);
    heap_folder_remove(folder, files, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_automatic_step),
        cmocka_unit_test(test_step_is_kept),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_before_first_step),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_connectors),
        cmocka_unit_test(test_other_worlds),
        cmocka_unit_test(test_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
