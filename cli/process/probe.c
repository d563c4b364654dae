// SPDX-License-Identifier: Apache-2.0
// Files read by a child before they are read here.
#include "cli/process/probe.h"
#include "cli/process/confine.h"

#include "base/memory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double seconds_least = 60.0, bytes_a_second = 1e6;
enum { MEMORY_FACTOR = 64 };
static const uint64_t memory_least = (uint64_t)4 << 30;

/// What a child says of what it read.
typedef struct answer {
    cairn_status status;
    cairn_error error;
} answer;

typedef struct probe {
    const char *path;
    cli_probe_read *read;
    void *context;
} probe;

static double size_of(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0 ? (double)information.st_size : 0.0;
}

static double seconds_for(const char *path)
{
    return seconds_least + size_of(path) / bytes_a_second;
}

/// The child has this much, and the right to read.
static void limit_child(const char *path, int line)
{
    cli_child_limit_memory(memory_least + MEMORY_FACTOR * (uint64_t)size_of(path));
    cli_child_limit_cpu(seconds_for(path));
    (void)cli_confine(path, line); // last: limits cannot be changed any more
}

static void read_in_child(void *context, int line)
{
    const probe *p = context;
    answer said = {.status = CAIRN_OK};
    limit_child(p->path, line);
    said.status = p->read(p->context, &said.error);
    if (!cli_child_send(line, &said, sizeof said))
        _exit(1);
}

/// The child's answer, or what its end says.
static cairn_status judge(const char *path, const answer *said, int state, cairn_error *error)
{
    if (said != NULL)
        return said->status == CAIRN_OK ? CAIRN_OK
                                        : base_fail(error, said->status, "%s", said->error.message);
    if (cli_child_broke(state))
        return base_fail(error, CAIRN_ERROR_FORMAT, "%.400s: damaged (HDF5 could not read it)",
                         path);
    return base_fail(error, CAIRN_INTERRUPTED, "%.400s: reading it was interrupted", path);
}

/// Waits for an answer; a child that has none is gone after this, in *state.
static cairn_status hear(cli_child *child, const char *path, int *state, cairn_error *error)
{
    answer said;
    bool answered = cli_child_receive(child->line, &said, sizeof said);
    if (!answered)
        *state = cli_child_end(child);
    return judge(path, answered ? &said : NULL, *state, error);
}

cairn_status cli_probe(const char *path, cli_probe_read *read, void *context, cairn_error *error)
{
    probe p = {path, read, context};
    cli_child child;
    int state = 0;
    struct stat info;
    // the child may open this one file alone, and could not say that it is none
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return base_fail(error, CAIRN_ERROR_FILE, "%s: not a file but a folder", path);
    BASE_TRY(cli_child_start(&child, read_in_child, &p, error));
    cairn_status status = hear(&child, path, &state, error);
    cli_child_end(&child);
    return status;
}

// ---------------------------------------------------------------- problems, checkpoints

static cairn_status read_problem(void *context, cairn_error *error)
{
    cairn_problem *problem = NULL;
    cairn_status status = cairn_problem_read(context, &problem, error);
    cairn_problem_destroy(problem);
    return status;
}

cairn_status cli_probe_problem(const char *path, cairn_problem **problem, cairn_error *error)
{
    *problem = NULL;
    cairn_status status = cli_probe(path, read_problem, (void *)path, error);
    return status == CAIRN_OK ? cairn_problem_read(path, problem, error) : status;
}

// ---------------------------------------------------------------- trajectories

/// Frames of a trajectory that are to be read.
typedef struct frames_wanted {
    const char *path;
    int64_t count;
} frames_wanted;

static cairn_status read_frames(void *context, cairn_error *error)
{
    const frames_wanted *wanted = context;
    cairn_replay *replay = NULL;
    cairn_replay_frame frame;
    cairn_status status = cairn_replay_open(wanted->path, &replay, error);
    int64_t count = status == CAIRN_OK ? cairn_replay_get_frame_count(replay) : 0;
    for (int64_t i = 0; i < count && i < wanted->count && status == CAIRN_OK; i++)
        status = cairn_replay_read(replay, i, &frame, error);
    cairn_replay_close(replay);
    return status;
}

cairn_status cli_probe_trajectory(const char *path, int64_t frames, cairn_error *error)
{
    frames_wanted wanted = {path, frames};
    return cli_probe(path, read_frames, &wanted, error);
}

/// A child that reads each frame before its parent does.
typedef struct frame_guard {
    cli_child child;
    int state; // of the child, once it is gone
    char path[PATH_MAX];
} frame_guard;

/// Opens the trajectory, then reads frame after frame as it is asked.
static void serve_frames(void *context, int line)
{
    const char *path = context;
    cairn_replay *replay = NULL;
    cairn_replay_frame read;
    int64_t frame = 0;
    answer said = {.status = CAIRN_OK};
    limit_child(path, line);
    said.status = cairn_replay_open(path, &replay, &said.error);
    bool opened = said.status == CAIRN_OK;
    while (cli_child_send(line, &said, sizeof said) && opened &&
           cli_child_receive(line, &frame, sizeof frame)) {
        // each frame has its time
        cli_child_limit_cpu(seconds_for(path));
        said.status = frame < 0 ? cairn_replay_refresh(replay, &said.error)
                                : cairn_replay_read(replay, frame, &read, &said.error);
    }
}

static cairn_status ask_frame(void *context, int64_t frame, cairn_error *error)
{
    frame_guard *guard = context;
    cli_child *child = &guard->child;
    if (child->pid != 0 && !cli_child_send(child->line, &frame, sizeof frame))
        guard->state = cli_child_end(child);
    if (child->pid == 0)
        return judge(guard->path, NULL, guard->state, error);
    return hear(child, guard->path, &guard->state, error);
}

static void release_guard(void *context)
{
    frame_guard *guard = context;
    base_allocator allocator = base_allocator_default();
    cli_child_end(&guard->child);
    base_release(&allocator, guard);
}

cairn_status cli_probe_replay(const char *path, cairn_replay **replay, cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    frame_guard *guard = base_allocate(&allocator, 1, sizeof *guard);
    *replay = NULL;
    if (guard == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    snprintf(guard->path, sizeof guard->path, "%s", path);

    // open guard
    cairn_status status = cli_child_start(&guard->child, serve_frames, guard->path, error);
    if (status == CAIRN_OK)
        status = hear(&guard->child, guard->path, &guard->state, error);
    if (status == CAIRN_OK)
        status = cairn_replay_open(guard->path, replay, error);
    if (status != CAIRN_OK) {
        release_guard(guard);
        return status;
    }
    const cairn_replay_guard asked = {ask_frame, release_guard, guard};
    cairn_replay_set_guard(*replay, &asked);
    return CAIRN_OK;
}
