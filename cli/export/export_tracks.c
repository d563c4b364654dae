// SPDX-License-Identifier: Apache-2.0
// Collects poses of all frames by bodies.
#include "cli/export/export_tracks.h"

#include <math.h>
#include <string.h>

static double count_moving(const export_model *model)
{
    double moving = 0.0;
    for (int i = 0; i < model->body_count; i++)
        moving += model->bodies[i].kind != CAIRN_FIXED;
    return moving;
}

static cairn_status allocate(export_paths *paths)
{
    const export_model *model = paths->job->model;
    size_t frames = (size_t)paths->job->frame_count;
    paths->of = base_allocate(&model->allocator, (size_t)model->body_count + 1, sizeof *paths->of);
    paths->times = base_allocate(&model->allocator, frames, sizeof *paths->times);
    bool good = paths->of != NULL && paths->times != NULL;
    for (int i = 0; i < model->body_count && good; i++) {
        export_path *path = &paths->of[i];
        if (model->bodies[i].kind == CAIRN_FIXED)
            continue;
        path->position = base_allocate(&model->allocator, frames, sizeof *path->position);
        path->turn = base_allocate(&model->allocator, frames, sizeof *path->turn);
        good = path->position != NULL && path->turn != NULL;
    }
    return good ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void export_paths_release(export_paths *paths)
{
    const export_model *model = paths->job->model;
    for (int i = 0; i < model->body_count && paths->of != NULL; i++) {
        base_release(&model->allocator, paths->of[i].position);
        base_release(&model->allocator, paths->of[i].turn);
        base_release(&model->allocator, paths->of[i].size);
    }
    base_release(&model->allocator, paths->of);
    base_release(&model->allocator, paths->times);
}

/// Repeats a pose in the frames that follow, up to one.
static void hold(export_path *path, int from, int to)
{
    for (int k = from + 1; k < to; k++) {
        memcpy(path->position[k], path->position[from], sizeof path->position[k]);
        memcpy(path->turn[k], path->turn[from], sizeof path->turn[k]);
    }
}

static void take_pose(export_path *path, const double p[3], const double q[4], int k)
{
    float *position = path->position[k], *turn = path->turn[k];
    float dot = 0.0F;
    hold(path, path->last, k);
    for (int axis = 0; axis < 3; axis++)
        position[axis] = (float)p[axis];
    for (int i = 0; i < 4; i++)
        turn[i] = (float)q[(i + 1) % 4];
    if (!path->seen)
        return;
    const float *before = path->turn[path->last];
    for (int i = 0; i < 4; i++)
        dot += turn[i] * before[i];
    for (int i = 0; i < 4 && dot < 0.0F; i++)
        turn[i] = -turn[i];
    path->moves =
        path->moves || memcmp(position, path->position[path->last], 3 * sizeof(float)) != 0;
    path->turns = path->turns || memcmp(turn, before, 4 * sizeof(float)) != 0;
}

/// Sizes of a body that comes or goes, once that is known: 1 in the frames before this one.
static cairn_status make_sizes(const export_paths *paths, export_path *path, int until)
{
    const base_allocator *allocator = &paths->job->model->allocator;
    path->comes = true;
    if (path->size == NULL)
        path->size = base_allocate(allocator, (size_t)paths->job->frame_count, sizeof *path->size);
    for (int k = 0; k < until && path->size != NULL; k++)
        for (int axis = 0; axis < 3; axis++)
            path->size[k][axis] = 1.0F;
    return path->size != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status take_body(const export_paths *paths, export_path *path, const double p[3],
                              const double q[4], int k)
{
    bool gap = path->seen ? path->last < k - 1 : k > 0;
    cairn_status status = CAIRN_OK;
    if (gap && path->size == NULL)
        status = make_sizes(paths, path, path->seen ? path->last + 1 : 0);
    if (path->size != NULL)
        for (int axis = 0; axis < 3; axis++)
            path->size[k][axis] = 1.0F;
    if (path->position != NULL)
        take_pose(path, p, q, k);
    if (!path->seen) {
        path->first = (pose){vec3_from(p), {q[0], q[1], q[2], q[3]}};
        // where it was not yet, it is where it appears
        for (int before = 0; before < k && path->position != NULL; before++) {
            memcpy(path->position[before], path->position[k], sizeof path->position[k]);
            memcpy(path->turn[before], path->turn[k], sizeof path->turn[k]);
        }
    }
    path->seen = true;
    path->last = k;
    return status;
}

static cairn_status end_path(const export_paths *paths, export_path *path)
{
    int frames = paths->job->frame_count;
    if (!path->seen || path->last + 1 == frames)
        return CAIRN_OK;
    if (path->position != NULL)
        hold(path, path->last, frames);
    return path->size != NULL ? CAIRN_OK : make_sizes(paths, path, path->last + 1);
}

static cairn_status take_frame(export_paths *paths, const cairn_replay_frame *frame, int k,
                               vec3 *low, vec3 *high)
{
    const export_job *job = paths->job;
    cairn_status status = CAIRN_OK;
    paths->times[k] =
        (float)(frame->time - cairn_replay_get_times(job->subject->replay)[job->frames[0]]);
    for (int i = 0; i < frame->bodies && status == CAIRN_OK; i++) {
        int number = export_number(frame, i);
        status = take_body(paths, &paths->of[number], frame->position[i], frame->orientation[i], k);
        if (job->model->bodies[number].kind != CAIRN_DYNAMIC)
            continue;
        *low = vec3_min(*low, vec3_from(frame->position[i]));
        *high = vec3_max(*high, vec3_from(frame->position[i]));
    }
    return status;
}

cairn_status export_paths_read(export_paths *paths, const export_job *job, double bytes_most,
                               cairn_error *error)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    double moving = count_moving(job->model), bytes = moving * job->frame_count * 28.0;
    *paths = (export_paths){.job = job, .extent = 10.0 * export_model_typical_radius(job->model)};
    if (bytes > bytes_most)
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "%.0f moving bodies in %d frames make %.1f GB, and such a file holds %.0f: "
            "--frames takes fewer",
            moving, job->frame_count, bytes / 1e9, bytes_most / 1e9);
    cairn_status status = allocate(paths);
    for (int k = 0; k < job->frame_count && status == CAIRN_OK; k++) {
        cairn_replay_frame frame;
        status = export_read(job, k, &frame, error);
        if (status != CAIRN_OK)
            return status;
        status = take_frame(paths, &frame, k, &low, &high);
    }
    for (int i = 0; i < job->model->body_count && status == CAIRN_OK; i++)
        status = end_path(paths, &paths->of[i]);
    if (low.x <= high.x) {
        paths->middle = vec3_scale(0.5, vec3_add(low, high));
        paths->extent = fmax(paths->extent, vec3_distance(low, high));
    }
    return status == CAIRN_OK ? status : base_fail(error, status, "out of memory");
}
