// SPDX-License-Identifier: Apache-2.0
// trajectory.h5 of a run, with the command and the scene that it came from.
#include "cli/process/probe.h"
#include "cli/process/status.h"
#include "cli/run/run.h"

#include <math.h>

enum { COMMAND_SIZE = 4096, FRAMES_PER_SECOND = 25 };

/// The words of this program's command line, as the system knows them.
static void read_command(char command[COMMAND_SIZE])
{
    FILE *file = fopen("/proc/self/cmdline", "rb");
    size_t size = file != NULL ? fread(command, 1, COMMAND_SIZE - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    for (size_t i = 0; i + 1 < size; i++)
        if (command[i] == '\0')
            command[i] = ' ';
    command[size] = '\0';
}

static cairn_status open_at(run_state *run, const char *path, cairn_error *error)
{
    char command[COMMAND_SIZE];
    const scn_scene *scene = run->scene;
    read_command(command);
    // not read again from the file, which may have changed since
    cairn_trajectory_def def = {.command = command,
                                .scene = scene->name,
                                .scene_text = scene->text,
                                .seed = scene->seed,
                                .varies = cairn_world_population_varies(scene->world),
                                .contacts_every = run->output.contacts_every};
    cairn_trajectory **writer = &run->files.trajectory;
    cairn_status status;
    if (run->resumes && run->marks.trajectory > 0) {
        status = cli_probe_trajectory(path, run->marks.trajectory, error);
        if (status == CAIRN_OK)
            status = cairn_trajectory_resume(path, scene->world, &def, run->marks.trajectory,
                                             writer, error);
    } else {
        status = cairn_trajectory_create(path, scene->world, &def, writer, error);
        if (status == CAIRN_OK)
            status = cairn_trajectory_write_frame(*writer, scene->world, error);
    }
    return status;
}

int run_frame_steps(const run_state *run)
{
    double step = cairn_world_get_def(run->scene->world)->time_step;
    return (int)fmin(fmax(round(1.0 / (FRAMES_PER_SECOND * step)), 1.0), (double)INT_MAX);
}

cairn_status run_trajectory_open(run_state *run, cairn_error *error)
{
    char path[PATH_MAX];
    int64_t every = run->settings->trajectory_every;
    run->files.trajectory_every = every >= 0 ? (int)every : run_frame_steps(run);
    // forces are what many open a run for
    if (run->output.contacts_every < 0)
        run->output.contacts_every = run->files.trajectory_every;
    if (run->files.trajectory_every == 0)
        return CAIRN_OK;
    cairn_status status = cli_path_join(path, run->files.folder, "trajectory.h5", error);
    return status == CAIRN_OK ? open_at(run, path, error) : status;
}

bool run_trajectory_is_due(const run_state *run, int64_t step)
{
    return step % run->files.trajectory_every == 0 ||
           (run->output.contacts_every > 0 && step % run->output.contacts_every == 0);
}

cairn_status run_trajectory_final(run_state *run, cairn_error *error)
{
    if (run->files.trajectory == NULL ||
        run_trajectory_is_due(run, cairn_world_get_step_count(run->scene->world)))
        return CAIRN_OK;
    return cairn_trajectory_write_frame(run->files.trajectory, run->scene->world, error);
}

cairn_status run_trajectory_step(run_state *run, cairn_error *error)
{
    if (run->files.trajectory == NULL ||
        !run_trajectory_is_due(run, cairn_world_get_step_count(run->scene->world)))
        return CAIRN_OK;
    return cairn_trajectory_write_frame(run->files.trajectory, run->scene->world, error);
}
