// SPDX-License-Identifier: Apache-2.0
// A run of a ball in free flight, written and opened again, for the tests of the replay.
#ifndef CAIRN_TESTS_VIEWER_RUN_FIXTURE_H
#define CAIRN_TESTS_VIEWER_RUN_FIXTURE_H

#include "tests/check.h"

#include "scenes/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// a ball that is half of a compound, so that its centre of mass is not its frame's origin
static const char run_text[] =
    "simulation{ step = 1 / 100, end_time = 1 }\n"
    "gravity{ 0, 0, 0 }\n"
    "material{ name = 'm', density = 1000 }\n"
    "local pair_of_balls = compound{\n"
    "    {shape = sphere{ radius = 0.1 }, position = {1, 0, 0}},\n"
    "    {shape = sphere{ radius = 0.1 }, position = {2, 0, 0}},\n"
    "}\n"
    "body{ shape = pair_of_balls, material = 'm', velocity = {0, 3, 0}, angular_velocity = {0, 0, "
    "2} }\n";

static inline void run_must(cairn_status status, const cairn_error *error)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error->message);
}

static inline scn_scene *run_load(void)
{
    cairn_error error = {0};
    scn_scene *scene = NULL;
    scn_options options = scn_default_options();
    options.text = run_text;
    run_must(scn_load("flight.lua", &options, &scene, &error), &error);
    return scene;
}

/// Writes a frame every `every` steps.
static inline void run_write(const char *path, int steps, int every)
{
    cairn_error error = {0};
    scn_scene *scene = run_load();
    cairn_trajectory *writer = NULL;
    cairn_trajectory_def def = {.command = "test", .scene = "flight", .scene_text = run_text};
    run_must(cairn_trajectory_create(path, scene->world, &def, &writer, &error), &error);
    run_must(cairn_trajectory_write_frame(writer, scene->world, &error), &error);
    for (int i = 1; i <= steps; i++) {
        run_must(cairn_world_step(scene->world, &error), &error);
        if (i % every == 0)
            run_must(cairn_trajectory_write_frame(writer, scene->world, &error), &error);
    }
    run_must(cairn_trajectory_close(writer, &error), &error);
    scn_destroy(scene);
}

/// A run with a frame every `every` steps; `path` is for the file, "/tmp/cairn-run-XXXXXX.h5".
static inline cairn_replay *run_open(char *path, int steps, int every)
{
    cairn_error error = {0};
    cairn_replay *replay = NULL;
    int file = mkstemps(path, 3);
    assert_true(file >= 0);
    close(file);
    run_write(path, steps, every);
    run_must(cairn_replay_open(path, &replay, &error), &error);
    return replay;
}

#endif
