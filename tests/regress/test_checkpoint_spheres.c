// SPDX-License-Identifier: Apache-2.0
// Worlds in the sphere executor: a restored one takes the same steps, to the bit, with every kernel
// and any number of threads, and saving changes nothing.
#include "base/hash.h"
#include "base/memory.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"
#include "tests/cube.h"
#include "tests/regress/heap.h"

// damaged files make the HDF5 library forget some of its own memory
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

enum { STEPS = 70 };

static const char *const files[] = {"a.h5", "a.h5.part", "b.h5", "b.h5.part"};

/// What the spheres are under.
typedef struct kind {
    const char *law;
    bool resists; // rolling and twisting
    bool shapes;  // the lid is a mesh, and a box stands beside
} kind;

typedef struct trace {
    uint64_t hash[STEPS];
    cairn_energy energy[STEPS];
} trace;

/// A plate below z = 0 in its own frame, as a closed mesh.
static cairn_shape_id make_plate(cairn_world *world)
{
    double corners[8][3];
    for (int i = 0; i < 8; i++) {
        corners[i][0] = 1.5 * cube_corners[i][0];
        corners[i][1] = 1.5 * cube_corners[i][1];
        corners[i][2] = 0.1 * cube_corners[i][2] - 0.1;
    }
    cairn_error error = {0};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
    cairn_shape_id id;
    def.points = (const double(*)[3])corners;
    def.point_count = 8;
    def.triangles = cube_faces;
    def.triangle_count = 12;
    must(cairn_shape_create(world, &def, &id, &error), &error);
    return id;
}

static void add_side(cairn_world *world)
{
    cairn_error error = {0};
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    memcpy(shape.half_size, (double[3]){0.05, 1.0, 3.8}, sizeof shape.half_size);
    must(cairn_shape_create(world, &shape, &body.shape, &error), &error);
    body.kind = CAIRN_FIXED;
    memcpy(body.position, (double[3]){-0.158, 0.22, 3.0}, sizeof body.position);
    must(cairn_body_create(world, &body, &id, &error), &error);
}

/// 315 spheres, some of which are driven or pushed, between two floors of which the upper one
/// turns.
static cairn_world *make_with(kind of, int threads, cairn_allocator allocator)
{
    heap_def def = default_heap();
    def.allocator = allocator;
    def.law = of.law;
    def.threads = threads;
    def.spheres = true;
    def.layers = 35;
    def.step = 0.0005;
    def.radius = 0.111;
    cairn_world *world = heap_world(&def);
    cairn_error error = {0};
    const cairn_material_id none = {0};
    const char *resistance[] = {"rolling_friction", "twisting_friction"};
    for (int i = 0; i < 2; i++)
        must(cairn_pair_set_value(world, none, none, resistance[i],
                                  cairn_number(of.resists ? 0.1 : 0.0), &error),
             &error);
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def lid = cairn_default_body_def();
    cairn_body_id id;
    must(cairn_shape_create(world, &shape, &lid.shape, &error), &error);
    if (of.shapes) {
        add_side(world);
        lid.shape = make_plate(world);
    }
    lid.kind = CAIRN_MOVING;
    lid.position[2] = 0.22 * def.layers;
    lid.orientation[0] = 0.0;
    lid.orientation[1] = 1.0;
    lid.velocity[2] = -0.6;
    lid.angular_velocity[2] = 2.0;
    must(cairn_body_create(world, &lid, &id, &error), &error);
    for (int i = 10; i < 60; i += 7)
        must(cairn_body_set_force(world, cairn_body_at(world, i), (double[3]){4.0, 1.0, -3.0},
                                  (double[3]){0.0, 0.2, 0.1}, &error),
             &error);
    return world;
}

static cairn_world *make(kind of, int threads)
{
    return make_with(of, threads, (cairn_allocator){0});
}

/// What a user may do between the last step and a checkpoint.
static void change(cairn_world *world)
{
    cairn_error error = {0};
    const double still[3] = {0.0, 0.0, 0.0}, turned[4] = {0.0, 1.0, 0.0, 0.0};
    int lid = cairn_body_count(world) - 1;
    must(cairn_body_set_velocity(world, cairn_body_at(world, lid), (double[3]){0.1, 0.0, -0.9},
                                 still, &error),
         &error);
    must(cairn_body_set_pose(world, cairn_body_at(world, lid), (double[3]){0.0, 0.0, 7.55}, turned,
                             &error),
         &error);
    must(cairn_body_set_velocity(world, cairn_body_at(world, 30), (double[3]){0.5, 0.0, 0.0}, still,
                                 &error),
         &error);
    must(cairn_body_set_force(world, cairn_body_at(world, 31), (double[3]){9.0, 0.0, 0.0}, still,
                              &error),
         &error);
}

/// Until lists were made again.
static void steps_until_listed(cairn_world *world)
{
    heap_steps(world, 12);
    for (int i = 0; i < 100 && world->state.spheres->list.made < 3; i++)
        heap_steps(world, 10);
    assert_true(world->state.spheres->list.made >= 3);
}

static void is_readable(const cairn_world *world)
{
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view view;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &view), CAIRN_OK);
        assert_true(isfinite(view.position[2] + view.velocity[2] + view.orientation[0]));
    }
}

static void follow(cairn_world *world, trace *out)
{
    for (int i = 0; i < STEPS; i++) {
        heap_steps(world, 1);
        assert_true(eng_spheres_slot_count(world) > 0);
        out->hash[i] = cairn_world_get_hash(world);
        out->energy[i] = cairn_world_get_energy(world);
    }
}

static void compare(const trace *a, const trace *b)
{
    for (int i = 0; i < STEPS; i++)
        if (a->hash[i] != b->hash[i] ||
            memcmp(&a->energy[i], &b->energy[i], sizeof a->energy[i]) != 0)
            fail_msg("step %d after the restart differs", i + 1);
}

static size_t read_file(const char *path, unsigned char *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    assert_true(size < most);
    return size;
}

static void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void same_bytes(const char *a, const char *b)
{
    enum { MOST = 1 << 21 };
    unsigned char *first = malloc(MOST), *second = malloc(MOST);
    size_t size = read_file(a, first, MOST);
    assert_int_equal(read_file(b, second, MOST), size);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
}

static void restore_and_compare(kind of, int threads, const char *path, const char *again,
                                const trace *whole)
{
    cairn_error error = {0};
    trace restored;
    cairn_world *world = make(of, threads);
    if (threads == 3)
        assert_true(eng_spheres_choose_kernel(world, "scalar"));
    if (threads == 2)
        steps_until_listed(world);
    must(cairn_world_restore(world, path, &error), &error);
    must(cairn_world_save(world, again, "note", &error), &error);
    same_bytes(path, again);
    int64_t lists = world->state.spheres->list.made;
    follow(world, &restored);
    compare(whole, &restored);
    // it was long enough for new pair lists
    assert_true(world->state.spheres->list.made > lists);
    cairn_world_destroy(world);
}

/// N + M steps against N, checkpoint, restart, M.
static void check(kind of, int before, bool changed)
{
    char folder[64], path[128], again[128];
    cairn_error error = {0};
    trace whole, saved;
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    snprintf(again, sizeof again, "%s/b.h5", folder);
    for (int save = 0; save < 2; save++) {
        cairn_world *world = make(of, 1);
        heap_steps(world, before);
        if (changed)
            change(world);
        if (save)
            must(cairn_world_save(world, path, "note", &error), &error);
        follow(world, save ? &saved : &whole);
        assert_true(cairn_contact_count(world) > 200);
        cairn_world_destroy(world);
    }
    compare(&whole, &saved);
    for (int threads = 1; threads <= 3; threads++)
        restore_and_compare(of, threads, path, again, &whole);
    heap_folder_remove(folder, files, 4);
}

static void test_hooke(void **state)
{
    (void)state;
    check((kind){"hooke", false, false}, 60, false);
    check((kind){"hooke", true, true}, 161, true);
}

/// What spheres have dissipated stays when all of them have left, after a restart, too.
static void test_left(void **state)
{
    (void)state;
    char folder[64], path[128];
    cairn_error error = {0};
    const kind of = {"hooke", false, false};
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = make(of, 1), *restored = make(of, 1);
    heap_steps(world, 60);
    double lost = cairn_world_get_energy(world).friction + cairn_world_get_energy(world).damping;
    assert_true(lost > 0.0);
    for (int i = cairn_body_count(world) - 1; i >= 0; i--) {
        cairn_body_view view;
        cairn_body_id id = cairn_body_at(world, i);
        assert_int_equal(cairn_body_get(world, id, &view), CAIRN_OK);
        if (view.kind == CAIRN_DYNAMIC)
            must(cairn_body_remove(world, id, &error), &error);
    }
    heap_steps(world, 2);
    assert_int_equal(eng_spheres_slot_count(world), 0);
    cairn_energy before = cairn_world_get_energy(world);
    assert_true(before.friction + before.damping > 0.9 * lost);
    must(cairn_world_save(world, path, "note", &error), &error);
    must(cairn_world_restore(restored, path, &error), &error);
    cairn_energy after = cairn_world_get_energy(restored);
    assert_memory_equal(&before, &after, sizeof before);
    cairn_world_destroy(world);
    cairn_world_destroy(restored);
    heap_folder_remove(folder, files, 4);
}

static void test_hertz(void **state)
{
    (void)state;
    check((kind){"hertz_mindlin", true, true}, 60, true);
    check((kind){"hertz_mindlin", false, false}, 333, false);
    check((kind){"hertz_mindlin", false, true}, 200, false);
}

/// A world whose laws were changed since its last step.
static void test_changed_law(void **state)
{
    (void)state;
    char folder[64], path[128];
    cairn_error error = {0};
    trace whole, restored;
    const cairn_material_id none = {0};
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *world = make((kind){"hooke", true, true}, 1),
                *other = make((kind){"hooke", true, true}, 1);
    heap_steps(world, 80);
    for (int w = 0; w < 2; w++)
        must(cairn_pair_set_value(w ? other : world, none, none, "friction", cairn_number(0.2),
                                  &error),
             &error);
    must(cairn_world_save(world, path, "note", &error), &error);
    must(cairn_world_restore(other, path, &error), &error);
    follow(world, &whole);
    follow(other, &restored);
    compare(&whole, &restored);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
    heap_folder_remove(folder, files, 4);
}

/// What a program may do to a world between its last step and a checkpoint, so that the plan is
/// due.
typedef enum change_of_plan {
    NEW_LAW,      // without a kernel: all spheres lose their slots
    NEW_IMPLICIT, // the same, to be solved for
    NEW_WALL,     // a box among the walls
    GONE_WALL,    // the floor
    NEW_SPHERE,
    GONE_SPHERE,
    NEW_SETTING, // of the law
    PLAN_CHANGES
} change_of_plan;

static void change_plan(cairn_world *world, change_of_plan what)
{
    cairn_error error = {0};
    const cairn_material_id none = {0};
    cairn_body_def def = cairn_default_body_def();
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_id id;
    switch (what) {
    case NEW_LAW:
        must(cairn_pair_set_law(world, none, none, "parallel_bond", &error), &error);
        break;
    case NEW_IMPLICIT:
        must(cairn_pair_set_law(world, none, none, "signorini_coulomb", &error), &error);
        break;
    case NEW_WALL:
        memcpy(shape.half_size, (double[3]){0.05, 1.0, 0.05}, sizeof shape.half_size);
        must(cairn_shape_create(world, &shape, &def.shape, &error), &error);
        def.kind = CAIRN_FIXED;
        memcpy(def.position, (double[3]){-0.1, 0.22, 7.0}, sizeof def.position);
        must(cairn_body_create(world, &def, &id, &error), &error);
        break;
    case GONE_WALL:
        must(cairn_body_remove(world, cairn_body_at(world, 0), &error), &error);
        break;
    case NEW_SPHERE:
        shape = cairn_default_shape_def(CAIRN_SPHERE);
        shape.radius = 0.05;
        must(cairn_shape_create(world, &shape, &def.shape, &error), &error);
        memcpy(def.position, (double[3]){2.0, 0.0, 1.0}, sizeof def.position);
        must(cairn_body_create(world, &def, &id, &error), &error);
        break;
    case GONE_SPHERE:
        must(cairn_body_remove(world, cairn_body_at(world, 40), &error), &error);
        break;
    case NEW_SETTING:
        must(cairn_pair_set_value(world, none, none, "friction", cairn_number(0.2), &error),
             &error);
        break;
    case PLAN_CHANGES:
        fail();
    }
}

static void test_changed_plan(void **state)
{
    (void)state;
    char folder[64], path[128], again[128];
    cairn_error error = {0};
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    snprintf(again, sizeof again, "%s/b.h5", folder);
    for (int i = 0; i < 2 * PLAN_CHANGES; i++) {
        change_of_plan what = (change_of_plan)(i % PLAN_CHANGES);
        bool law = what == NEW_LAW || what == NEW_IMPLICIT || what == NEW_SETTING;
        kind of = {"hooke", true, i >= PLAN_CHANGES};
        cairn_world *world = make(of, 1), *other = make(of, 2);
        heap_steps(world, 80);
        change_plan(world, what);
        // laws are the program's; bodies come back from the file
        if (law)
            change_plan(other, what);
        must(cairn_world_save(world, path, "note", &error), &error);
        must(cairn_world_restore(other, path, &error), &error);
        // what was restored can be saved again before a step
        must(cairn_world_save(other, again, "note", &error), &error);
        must(cairn_world_restore(other, again, &error), &error);
        for (int step = 0; step < 20; step++) {
            heap_steps(world, 1);
            heap_steps(other, 1);
            if (cairn_world_get_hash(world) != cairn_world_get_hash(other))
                fail_msg("change %d: step %d after the restart differs", i, step + 1);
        }
        cairn_world_destroy(world);
        cairn_world_destroy(other);
    }
    heap_folder_remove(folder, files, 4);
}

/// Changed on purpose, with a checksum that fits: whatever is answered, nothing breaks and the
/// world can still be brought back.
static void test_resealed(void **state)
{
    (void)state;
    enum { MOST = 1 << 21, SEAL = 24 };
    char folder[64], good[128], bad[128];
    cairn_error error = {0};
    heap_folder_make(folder);
    snprintf(good, sizeof good, "%s/a.h5", folder);
    snprintf(bad, sizeof bad, "%s/b.h5", folder);
    cairn_world *world = make((kind){"hertz_mindlin", true, true}, 1);
    heap_steps(world, 150);
    must(cairn_world_save(world, good, "note", &error), &error);
    unsigned char *bytes = malloc(MOST);
    size_t size = read_file(good, bytes, MOST), image = size - SEAL;
    base_rng rng = base_rng_make(5);
    int answered = 0;
    for (int i = 0; i < 400; i++) {
        size_t at = (size_t)(base_rng_unit(&rng) * (double)image);
        unsigned char old = bytes[at];
        bytes[at] = i % 2 ? 0xff : (unsigned char)(base_rng_unit(&rng) * 256.0);
        uint64_t hash = base_hash_bytes(BASE_HASH_START, bytes, image);
        memcpy(bytes + image + 16, &hash, sizeof hash);
        write_file(bad, bytes, size);
        bytes[at] = old;
        cairn_status status = cairn_world_restore(world, bad, &error);
        if (status == CAIRN_OK)
            answered += cairn_world_step(world, &error) == CAIRN_OK;
    }
    assert_true(answered > 0);
    must(cairn_world_restore(world, good, &error), &error);
    heap_steps(world, 1);
    cairn_world_destroy(world);
    free(bytes);
    heap_folder_remove(folder, files, 4);
}

/// Memory that runs out at any call of a checkpoint or a restart: said, nothing leaks, and the
/// world comes back.
static void test_failing_memory(void **state)
{
    (void)state;
    char folder[64], path[128];
    cairn_error error = {0};
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (long at = 1; status != CAIRN_OK; at++) {
        base_counting_allocator counter = {0};
        base_allocator counting = base_allocator_counting(&counter);
        cairn_world *world = make_with((kind){"hooke", true, true}, 2,
                                       (cairn_allocator){counting.reallocate, counting.context});
        steps_until_listed(world);
        counter.fail_at = counter.calls + at;
        status = cairn_world_save(world, path, "note", &error);
        if (status == CAIRN_OK)
            status = cairn_world_restore(world, path, &error);
        if (status == CAIRN_OK)
            status = cairn_world_step(world, &error);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        assert_true(status == CAIRN_OK || counter.calls >= counter.fail_at);
        is_readable(world);
        cairn_world_destroy(world);
        assert_int_equal(counter.live, 0);
    }
    heap_folder_remove(folder, files, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hooke),          cmocka_unit_test(test_hertz),
        cmocka_unit_test(test_changed_law),    cmocka_unit_test(test_resealed),
        cmocka_unit_test(test_failing_memory), cmocka_unit_test(test_changed_plan),
        cmocka_unit_test(test_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
