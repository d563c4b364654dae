// SPDX-License-Identifier: Apache-2.0
// Every function of the public headers with NULL, wrong ids, indices, enum constants and counts,
// one at a time: none crashes, and what must be refused is. api_cases.py makes the list from the
// headers, which the test `exports` compares with the shared library. Each call runs in a process
// of its own.
#include "tests/regress/heap.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static cairn_error error;

/// One good object of each kind.
static struct {
    cairn_world *world;
    cairn_scene *scene;
    cairn_problem *problem;
    cairn_replay *replay;
    cairn_trajectory *trajectory;
    cairn_paraview *paraview;
    cairn_snapshot *snapshot;
    cairn_query *query;
    cairn_body_id body;
    cairn_shape_id shape;
    cairn_joint_id joint;
    cairn_material_id material;
    cairn_connector_id connector;
    uint32_t tag; // of the world, in its ids
    char folder[64], trajectory_path[128], problem_path[128], paraview_path[128];
} fixture;

static const double axis[9] = {1.0};
static _Alignas(64) unsigned char scratch[1 << 16]; // whatever is read or written
static cairn_value bad_value;

static void make_world(void)
{
    heap_def def = default_heap();
    fixture.world = heap_world(&def);
    cairn_world *world = fixture.world;
    fixture.body = cairn_body_at(world, 3);
    fixture.shape = cairn_shape_at(world, 0);
    fixture.material = cairn_material_at(world, 0);
    fixture.tag = fixture.body.world;
    cairn_joint_def joint = cairn_default_joint_def(CAIRN_JOINT_HINGE);
    joint.b = fixture.body;
    must(cairn_joint_create(world, &joint, &fixture.joint, &error), &error);
    cairn_connector_def connector = cairn_default_connector_def();
    connector.bodies[0] = cairn_body_at(world, 1);
    connector.bodies[1] = cairn_body_at(world, 2);
    connector.radii[0] = connector.radii[1] = 0.01;
    must(cairn_connector_create(world, &connector, &fixture.connector, &error), &error);
    heap_steps(world, 60);
}

static void make_files(void)
{
    heap_folder_make(fixture.folder);
    snprintf(fixture.trajectory_path, 128, "%s/t.h5", fixture.folder);
    snprintf(fixture.problem_path, 128, "%s/p.hdf5", fixture.folder);
    snprintf(fixture.paraview_path, 128, "%s/paraview", fixture.folder);
    cairn_trajectory *writer;
    cairn_trajectory_def def = {0};
    must(cairn_trajectory_create(fixture.trajectory_path, fixture.world, &def, &writer, &error),
         &error);
    must(cairn_trajectory_write_frame(writer, fixture.world, &error), &error);
    must(cairn_trajectory_close(writer, &error), &error);
    must(cairn_replay_open(fixture.trajectory_path, &fixture.replay, &error), &error);
    fixture.trajectory_path[strlen(fixture.trajectory_path) - 4]++; // another one
    must(cairn_trajectory_create(fixture.trajectory_path, fixture.world, &def, &fixture.trajectory,
                                 &error),
         &error);
    must(cairn_world_write_fclib(fixture.world, fixture.problem_path, CAIRN_FCLIB_GLOBAL, NULL,
                                 NULL, &error),
         &error);
    must(cairn_problem_read(fixture.problem_path, &fixture.problem, &error), &error);
    must(cairn_paraview_open(fixture.paraview_path, CAIRN_PARAVIEW_GLYPHS, &fixture.paraview,
                             &error),
         &error);
    must(cairn_world_snapshot(fixture.world, &fixture.snapshot, &error), &error);
    must(cairn_query_create(fixture.world, &fixture.query, &error), &error);
    cairn_scene_def scene = cairn_default_scene_def();
    must(cairn_scene_open("nothing", &scene, &fixture.scene, &error), &error);
    bad_value = cairn_number(1.0);
    bad_value.type = (cairn_value_type)99;
}

typedef enum rule {
    REFUSED, // a status other than CAIRN_OK
    RETURNS  // whatever it answers
} rule;

/// The process of a call ends on a crash, whatever the tests do with it.
static void begin_call(void)
{
    const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        signal(crashes[i], SIG_DFL);
    alarm(20);
}

static int wrong;

/// What a process that made the call came to.
static void judge(const char *name, const char *what, rule expected, int ended)
{
    if (WIFSIGNALED(ended))
        print_error("%s, %s: signal %d\n", name, what, WTERMSIG(ended));
    else if (expected == REFUSED && WEXITSTATUS(ended) == CAIRN_OK)
        print_error("%s, %s: accepted\n", name, what);
    else
        return;
    wrong++;
}

#define API_CASE(name, what, expected, code)                                                       \
    do {                                                                                           \
        fflush(NULL);                                                                              \
        pid_t child = fork();                                                                      \
        int ended = 0;                                                                             \
        assert_true(child >= 0);                                                                   \
        if (child == 0) {                                                                          \
            begin_call();                                                                          \
            _exit((code));                                                                         \
        }                                                                                          \
        assert_int_equal(waitpid(child, &ended, 0), child);                                        \
        judge(name, what, expected, ended);                                                        \
    } while (0);

static void test_every_function(void **state)
{
    (void)state;
    make_world();
    make_files();
    assert_int_equal(chdir(fixture.folder), 0);
#include "api_cases.inc"
    assert_int_equal(wrong, 0);
    cairn_scene_destroy(fixture.scene);
    cairn_snapshot_destroy(fixture.snapshot);
    cairn_query_destroy(fixture.query);
    cairn_problem_destroy(fixture.problem);
    cairn_replay_close(fixture.replay);
    cairn_paraview_close(fixture.paraview);
    must(cairn_trajectory_close(fixture.trajectory, &error), &error);
    cairn_world_destroy(fixture.world);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", fixture.folder);
    assert_int_equal(system(command), 0);
}

/// Settings out of their range.
static void test_settings(void **state)
{
    (void)state;
    cairn_world *world;
    const struct {
        int rotation, iterations, threads;
        double tolerance, step;
        const char *named;
    } cases[] = {
        {99, 0, 1, 1e-6, 0.01, "rotation"},       {-1, 0, 1, 1e-6, 0.01, "rotation"},
        {0, -5, 1, 1e-6, 0.01, "max_iterations"}, {0, 0, 0, 1e-6, 0.01, "threads"},
        {0, 0, 1, NAN, 0.01, "tolerance"},        {0, 0, 1, 1e-6, -1.0, "step"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cairn_world_def def = cairn_default_world_def();
        def.rotation = (cairn_rotation)cases[i].rotation;
        def.max_iterations = cases[i].iterations;
        def.threads = cases[i].threads;
        def.tolerance = cases[i].tolerance;
        def.time_step = cases[i].step;
        assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_ERROR_ARGUMENT);
        assert_null(world);
        if (strstr(error.message, cases[i].named) == NULL)
            fail_msg("\"%s\" does not name %s", error.message, cases[i].named);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
