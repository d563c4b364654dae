// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at the k-th call, for every k, in built-in scenes, problem files,
// trajectories and pictures of a run; and scratch memory that runs out inside every solver.
#include "scenes/scene.h"
#include "tests/regress/heap.h"

#include "contact/solvers/solver.h"
#include "engine/state/world.h"

#include <dirent.h>

typedef struct small_scene {
    const char *name;
    scn_assignment parameter; // fewer bodies, so that there are fewer calls
} small_scene;

static const small_scene scenes[] = {
    {"box_stack", {"boxes", "3"}},   {"capsules", {"capsules", "3"}},   {"chain", {"links", "2"}},
    {"kapla_tower", {"rings", "1"}}, {"sphere_heap", {"spheres", "4"}},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

static void empty_folder(const char *folder)
{
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    closedir(all);
}

// ---------------------------------------------------------------- scenes

static cairn_status load_and_step(const small_scene *scene, const base_allocator *allocator)
{
    char path[512];
    cairn_error error = {0};
    scn_scene *loaded = NULL;
    scn_options options = scn_default_options();
    options.allocator = *allocator;
    options.parameters = &scene->parameter;
    options.parameter_count = 1;
    snprintf(path, sizeof path, "%s/%s.lua", SCENES_FOLDER, scene->name);
    cairn_status status = scn_load(path, &options, &loaded, &error);
    if (status == CAIRN_OK)
        status = cairn_world_step(loaded->world, &error);
    assert_true(status == CAIRN_OK || error.message[0] != '\0');
    scn_destroy(loaded);
    return status;
}

static void test_scenes(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        base_counting_allocator counter = {0};
        base_allocator allocator = base_allocator_counting(&counter);
        assert_int_equal(load_and_step(&scenes[i], &allocator), CAIRN_OK);
        assert_int_equal(counter.live, 0);
        long calls = counter.calls;
        for (long k = 1; k <= calls; k++) {
            counter = (base_counting_allocator){.fail_at = k};
            cairn_status status = load_and_step(&scenes[i], &allocator);
            // the tables of two loads may grow at different calls
            assert_true(status != CAIRN_OK || counter.calls < k);
            if (counter.live != 0)
                fail_msg("%s, call %ld: %ld blocks are left", scenes[i].name, k, counter.live);
        }
    }
}

// ---------------------------------------------------------------- writers

static cairn_status write_problems(const cairn_world *world, const char *folder)
{
    char path[128];
    cairn_error error = {0};
    snprintf(path, sizeof path, "%s/p.hdf5", folder);
    cairn_status status = cairn_world_write_fclib(world, path, CAIRN_FCLIB_LOCAL, "t", "d", &error);
    return status == CAIRN_OK
               ? cairn_world_write_fclib(world, path, CAIRN_FCLIB_GLOBAL, "t", "d", &error)
               : status;
}

static cairn_status write_trajectory(const cairn_world *world, const char *folder)
{
    char path[128];
    const cairn_trajectory_def def = {
        .command = "command", .scene = "scene", .scene_text = "text", .seed = 1};
    cairn_error error = {0};
    cairn_trajectory *writer = NULL;
    snprintf(path, sizeof path, "%s/t.h5", folder);
    cairn_status status = cairn_trajectory_create(path, world, &def, &writer, &error);
    if (status == CAIRN_OK)
        status = cairn_trajectory_write_frame(writer, world, &error);
    cairn_status closed = cairn_trajectory_close(writer, &error);
    if (status != CAIRN_OK || closed != CAIRN_OK)
        return status != CAIRN_OK ? status : closed;
    status = cairn_trajectory_resume(path, world, &def, 1, &writer, &error);
    closed = cairn_trajectory_close(writer, &error);
    return status != CAIRN_OK ? status : closed;
}

static cairn_status write_pictures(const cairn_world *world, const char *folder)
{
    cairn_error error = {0};
    cairn_paraview *writer = NULL;
    cairn_status status = CAIRN_OK;
    for (int content = 0; content < 2 && status == CAIRN_OK; content++) {
        status = cairn_paraview_open(folder, (cairn_paraview_content)content, &writer, &error);
        if (status == CAIRN_OK)
            status = cairn_paraview_write_frame(writer, world, &error);
        cairn_paraview_close(writer);
    }
    return status;
}

typedef cairn_status write_function(const cairn_world *world, const char *folder);

/// A world that has stepped writes with memory that runs out; then it writes with enough.
static void fail_writer(write_function *write, const char *what)
{
    char folder[64];
    heap_folder_make(folder);
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    heap_def def = default_heap();
    def.layers = 1;
    def.step = 0.02;
    def.allocator = (cairn_allocator){allocator.reallocate, allocator.context};
    cairn_world *world = heap_world(&def);
    heap_steps(world, 2);
    for (long k = 1; k < 200; k++) {
        long live = counter.live, before = counter.calls;
        counter.fail_at = before + k;
        cairn_status status = write(world, folder);
        bool reached = counter.calls >= before + k;
        counter.fail_at = 0;
        if (status != CAIRN_OK && status != CAIRN_ERROR_MEMORY)
            fail_msg("%s, call %ld: %s", what, k, cairn_status_text(status));
        // the world's scratch memory may have grown by a chunk; a second time it does not
        if (counter.live > live + 1)
            fail_msg("%s, call %ld: %ld blocks are left", what, k, counter.live - live);
        if (!reached)
            break;
    }
    assert_int_equal(write(world, folder), CAIRN_OK);
    heap_steps(world, 1);
    cairn_world_destroy(world);
    assert_int_equal(counter.live, 0);
    empty_folder(folder);
    assert_int_equal(rmdir(folder), 0);
}

static void test_writers(void **state)
{
    (void)state;
    fail_writer(write_problems, "problems");
    fail_writer(write_trajectory, "trajectory");
    fail_writer(write_pictures, "pictures");
}

// ---------------------------------------------------------------- solvers

/// Solves with scratch memory of so many bytes and no more.
static cairn_status solve_with(const cairn_world *world, const con_solver *solver, size_t bytes,
                               double (*R)[3], double (*U)[3])
{
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    base_arena *arena = base_arena_create(&allocator, bytes);
    assert_non_null(arena);
    counter.fail_at = counter.calls + 1;
    int locals = 0;
    con_control control = {.tolerance = 1e-6, .max_iterations = 3};
    control.local = con_local_list(&locals)[0];
    double local_settings[64] __attribute__((aligned(16)));
    double settings[64] __attribute__((aligned(16)));
    base_settings_defaults(&control.local->table, local_settings);
    base_settings_defaults(&solver->table, settings);
    control.local_settings = local_settings;
    con_report report;
    memset(R, 0, (size_t)world->scratch.solve.problem.contact_count * sizeof *R);
    cairn_status status =
        con_solve(solver, settings, &world->scratch.solve.problem, &control, R, U, &report, arena);
    base_arena_destroy(arena);
    assert_int_equal(counter.live, 0);
    return status;
}

/// More and more scratch memory until it is enough: every request in between fails once.
static void test_scratch_of_solvers(void **state)
{
    (void)state;
    heap_def def = default_heap();
    def.layers = 1;
    def.step = 0.02;
    cairn_world *world = heap_world(&def);
    heap_steps(world, 2);
    int n = world->scratch.solve.problem.contact_count, count = 0;
    assert_true(n > 5);
    double(*R)[3] = calloc((size_t)n, sizeof *R), (*U)[3] = calloc((size_t)n, sizeof *U);
    const con_solver *const *solvers = con_solver_list(&count);
    for (int i = 0; i < count; i++) {
        long failed = 0;
        for (size_t bytes = 64; bytes < (size_t)4 << 20; bytes += 64 + bytes / 100) {
            cairn_status status = solve_with(world, solvers[i], bytes, R, U);
            if (status == CAIRN_OK)
                break;
            if (status != CAIRN_ERROR_MEMORY)
                fail_msg("%s with %zu bytes: %s", solvers[i]->name, bytes,
                         cairn_status_text(status));
            failed++;
        }
        assert_true(failed > 3);
        assert_int_equal(solve_with(world, solvers[i], (size_t)8 << 20, R, U), CAIRN_OK);
    }
    free(R);
    free(U);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_writers),
        cmocka_unit_test(test_scratch_of_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
