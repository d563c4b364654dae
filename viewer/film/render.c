// SPDX-License-Identifier: Apache-2.0
// cairn render: steps a scene and draws pictures without a display.
#include "base/timer.h"
#include "viewer/app/stage.h"
#include "viewer/film/film.h"
#include "viewer/film/picture.h"
#include "viewer/simulation/looks.h"
#include "viewer/simulation/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// frames of a film follow the first one's scale of forces slowly
static const double force_follow = 0.1;

typedef struct render_job {
    const view_render_request *request;
    view_render_report *report;
    view_stage stage;
    view_model model;
    view_frame frame, other; // the instant at hand; another for which the camera stands
    view_place place;
    view_style style;
    double begin, end; // s, for progress
} render_job;

/// Steps until a time is reached; a step that would only make up for round-off is left out.
static cairn_status step_until(render_job *job, double time, cairn_error *error)
{
    const view_render_request *request = job->request;
    cairn_world *world = request->subject->scene->world;
    double step = cairn_world_get_def(world)->time_step;
    double started = base_timer_seconds();
    cairn_status status = CAIRN_OK;
    while (status == CAIRN_OK && cairn_world_get_time(world) < time - 1e-6 * step) {
        if (request->stop != NULL && request->stop())
            return base_fail(error, CAIRN_INTERRUPTED, "interrupted");
        status = cairn_world_step(world, error);
        double part = cairn_world_get_time(world) / fmax(job->end, step);
        if (request->progress != NULL)
            request->progress(request->context, fmin(part, 1.0), world);
    }
    job->report->seconds_stepping += base_timer_seconds() - started;
    return status;
}

/// The state of an instant into the job's frame: stepped to, or read from the run.
static cairn_status go_to(render_job *job, double time, cairn_error *error)
{
    const view_subject *subject = job->request->subject;
    if (subject->replay != NULL) {
        if (job->request->stop != NULL && job->request->stop())
            return base_fail(error, CAIRN_INTERRUPTED, "interrupted");
        return view_replay_take_at(&job->frame, &job->model, subject->replay, time, error);
    }
    BASE_TRY(step_until(job, time, error));
    int meshes = job->model.mesh_count;
    cairn_status status = view_model_update(&job->model, subject->scene->world,
                                            cairn_world_get_step_count(subject->scene->world));
    if (status == CAIRN_OK && job->model.mesh_count > meshes)
        status = view_gpu_set_model(job->stage.gpu, &job->model, error);
    if (status == CAIRN_OK)
        status = view_frame_take(&job->frame, &job->model, subject->scene->world);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "the state does not fit in memory");
}

static double first_time(const view_subject *subject)
{
    return subject->replay != NULL ? cairn_replay_get_times(subject->replay)[0] : 0.0;
}

static double last_time(const view_subject *subject)
{
    cairn_replay *replay = subject->replay;
    return replay != NULL ? cairn_replay_get_times(replay)[cairn_replay_get_frame_count(replay) - 1]
                          : subject->scene->end_time;
}

static cairn_status draw(render_job *job, cairn_error *error)
{
    const view_render_request *request = job->request;
    view_stage *stage = &job->stage;
    view_axes axes = view_camera_axes(&stage->camera);
    view_draw_request draw_request = {
        .model = &job->model,
        .frame = &job->frame,
        .style = &job->style,
        .eye = axes.eye,
        .forward = axes.forward,
        .selected = -1,
        .contact = -1,
    };
    cairn_status status = view_draw_list_build(&stage->list, &draw_request);
    if (status != CAIRN_OK)
        return base_fail(error, status, "the picture does not fit in memory");
    view_canvas_clear(&stage->canvas);
    if (request->caption) {
        const scn_scene *scene = request->subject->scene;
        const char *title = scene->title[0] != '\0' ? scene->title : scene->name;
        view_stage_caption(stage, title, &job->model, &job->frame, &job->style, request->width,
                           request->height);
    }
    view_picture picture = {
        .width = request->width,
        .height = request->height,
        .samples = 2,
        .shadows = job->style.shadows,
        .grid = job->style.ground,
        .shadow_taps = 2,
        .sun = stage->sun,
        .list = &stage->list,
        .camera = &stage->camera,
        .canvas = &stage->canvas,
    };
    status = view_gpu_draw(stage->gpu, &picture, error);
    return status == CAIRN_OK ? view_stage_read(stage, request->width, request->height, error)
                              : status;
}

/// Keeps arrows from jumping: in a film their scale follows the forces slowly.
static cairn_status follow_forces(render_job *job)
{
    double now = 0.0, *unit = &job->style.force_unit;
    if (job->request->style.force_unit > 0.0)
        return CAIRN_OK;
    cairn_status status = view_force_unit(&job->model.allocator, &job->frame, &now);
    if (status == CAIRN_OK && now > 0.0)
        *unit = *unit > 0.0 ? *unit + force_follow * (now - *unit) : now;
    return status;
}

/// Draws the job's frame into the stage's pixels.
static cairn_status shoot(render_job *job, cairn_error *error)
{
    double started = base_timer_seconds();
    cairn_status status = follow_forces(job);
    status = status == CAIRN_OK ? draw(job, error)
                                : base_fail(error, status, "the state does not fit in memory");
    job->report->seconds_drawing += base_timer_seconds() - started;
    job->report->time = job->frame.time;
    return status;
}

/// Points the camera at the bodies as they are now and as they are in the other frame.
static cairn_status aim(render_job *job, cairn_error *error)
{
    const view_render_request *request = job->request;
    const view_frame *frames[] = {&job->frame, &job->other};
    view_stage_aim(&job->stage, &job->model, frames, job->other.present_count > 0 ? 2 : 1,
                   &job->place, (double)request->width / request->height);
    if (view_stage_follow_named(&job->stage, &job->model, &job->frame, job->place.follow))
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT, "no body is named \"%.80s\" at t = %g s",
                     job->place.follow, job->frame.time);
}

/// An instant into the other frame, so that the camera sees what moves from there or to there.
static cairn_status look_at(render_job *job, double time, cairn_error *error)
{
    BASE_TRY(go_to(job, time, error));
    cairn_status status = view_frame_copy(&job->other, &job->frame);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "the state does not fit in memory");
}

/// Instants that the run of a scene can reach, and that follow each other.
static cairn_status check_times(const render_job *job, cairn_error *error)
{
    const double steps_most = 9007199254740992.0; // above 2^53 one more would be no other number
    const view_subject *subject = job->request->subject;
    if (!(job->begin <= job->end))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a film from %g s to %g s has no picture: it begins after its end",
                         job->begin, job->end);
    double step = cairn_world_get_def(subject->scene->world)->time_step;
    if (subject->replay == NULL && !(job->end / step <= steps_most))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%g s takes %.3g steps of %g s, more than %.0f can be counted", job->end,
                         job->end / step, step, steps_most);
    return CAIRN_OK;
}

static cairn_status render_still(render_job *job, cairn_error *error)
{
    const view_render_request *request = job->request;
    job->end = !isnan(request->at) ? request->at : last_time(request->subject);
    job->begin = fmin(job->end, 0.0);
    cairn_status status = check_times(job, error);
    if (status == CAIRN_OK && job->place.follow == NULL && job->end > first_time(request->subject))
        status = look_at(job, first_time(request->subject), error);
    if (status == CAIRN_OK)
        status = go_to(job, job->end, error);
    if (status == CAIRN_OK)
        status = aim(job, error);
    if (status == CAIRN_OK)
        status = shoot(job, error);
    if (status == CAIRN_OK)
        status = view_picture_write(request->output, job->stage.pixels, request->width,
                                    request->height, error);
    job->report->pictures = status == CAIRN_OK;
    snprintf(job->report->file, sizeof job->report->file, "%s", request->output);
    return status;
}

enum { PICTURES_MOST = 100000000 };

static cairn_status render_frames(render_job *job, view_film *film, cairn_error *error)
{
    const view_render_request *request = job->request;
    double between = request->speed / request->frame_rate;
    double wanted = floor((job->end - job->begin) / between + 1e-9) + 1.0;
    if (!(wanted <= PICTURES_MOST))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the film would have %.3g pictures, more than %d", wanted, PICTURES_MOST);
    int count = (int)wanted;
    cairn_status status = CAIRN_OK;
    for (int i = 0; status == CAIRN_OK && i < count; i++) {
        status = go_to(job, fmin(job->begin + i * between, job->end), error);
        if (status == CAIRN_OK) {
            (void)view_stage_go_along(&job->stage, &job->frame);
            status = shoot(job, error);
        }
        if (status == CAIRN_OK)
            status = view_film_add(film, job->stage.pixels, error);
    }
    return status;
}

static cairn_status render_film(render_job *job, cairn_error *error)
{
    const view_render_request *request = job->request;
    view_film film;
    cairn_error later = {0};
    job->begin = !isnan(request->from) ? request->from : first_time(request->subject);
    job->end = !isnan(request->until) ? request->until : last_time(request->subject);
    cairn_status status = check_times(job, error);
    // where a scene will go is not known yet
    if (status == CAIRN_OK && request->subject->replay != NULL && job->place.follow == NULL)
        status = look_at(job, job->end, error);
    if (status == CAIRN_OK)
        status = go_to(job, job->begin, error);
    if (status == CAIRN_OK)
        status = aim(job, error);
    if (status != CAIRN_OK)
        return status;
    BASE_TRY(view_film_open(&film, request->output, request->width, request->height,
                            request->frame_rate, error));
    if (film.series && !view_film_is_series(request->output) && request->note != NULL)
        request->note(request->context, CAIRN_WARNING,
                      "ffmpeg is not installed: the film becomes a series of PNG files");
    status = render_frames(job, &film, error);
    cairn_status closed = view_film_close(&film, &later);
    job->report->pictures = film.frames;
    job->report->film = !film.series;
    if (film.series)
        view_film_picture_path(&film, 1, film.path);
    snprintf(job->report->file, sizeof job->report->file, "%.511s", film.path);
    if (status == CAIRN_OK && closed != CAIRN_OK)
        return base_fail(error, closed, "%s", later.message);
    return status;
}

static bool is_film(const char *output)
{
    return view_film_is_name(output) || view_film_is_series(output);
}

static cairn_status check_output(const view_render_request *request, cairn_error *error)
{
    const char *output = request->output;
    size_t length = strlen(output);
    bool range = !isnan(request->from) || !isnan(request->until);
    if (is_film(output) && !isnan(request->at))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "--at is the instant of a picture: a film has --from and --until");
    if (is_film(output))
        return CAIRN_OK;
    if (range && length > 4 && strcmp(output + length - 4, ".png") == 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "--from and --until are of a film or series: a picture has --at");
    if (length > 4 && strcmp(output + length - 4, ".png") == 0)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "%.300s: a picture ends in .png, a series in -%%d.png, a film in .mp4, "
                     ".webm, .mkv, .mov or .gif",
                     output);
}

static cairn_status run_job(render_job *job, cairn_error *error)
{
    const view_render_request *request = job->request;
    base_allocator allocator = request->subject->scene->allocator;
    view_gpu_options options = {.title = "cairn", .width = 64, .height = 64, .hidden = true};
    BASE_TRY(view_stage_open(&job->stage, &allocator, &options,
                             fmin(fmax(request->height / 40.0, 12.0), 40.0), error));
    snprintf(job->report->device, sizeof job->report->device, "%s", view_gpu_name(job->stage.gpu));
    job->stage.sun = view_looks_sun(request->subject->scene);
    job->frame = view_frame_begin(&allocator);
    job->other = view_frame_begin(&allocator);
    cairn_status status =
        view_model_build(&job->model, &allocator, request->subject->scene->world, error);
    if (status == CAIRN_OK && request->subject->replay != NULL)
        status = view_model_add_recorded(&job->model, request->subject->replay);
    if (status == CAIRN_OK)
        status = view_looks_mark(request->subject->scene, &job->model);
    if (status == CAIRN_OK)
        status = view_gpu_set_model(job->stage.gpu, &job->model, error);
    if (status == CAIRN_OK)
        status = is_film(request->output) ? render_film(job, error) : render_still(job, error);
    view_model_finish(&job->model);
    view_frame_finish(&job->frame);
    view_frame_finish(&job->other);
    view_stage_close(&job->stage);
    return status;
}

/// What is asked for and cannot be drawn is said.
static void note_lack(const view_render_request *request)
{
    const view_style *style = &request->style;
    bool needs = style->contacts != VIEW_CONTACTS_OFF || style->colours == VIEW_COLOURS_FORCE ||
                 style->colours == VIEW_COLOURS_ISLAND;
    cairn_replay *replay = request->subject->replay;
    if (needs && replay != NULL && !cairn_replay_get_info(replay)->contacts &&
        request->note != NULL)
        request->note(request->context, CAIRN_WARNING,
                      "this run kept the number of contacts, not where they are and what acts "
                      "there: none are shown (cairn run --contacts-every keeps them)");
}

cairn_status view_render(const view_render_request *request, view_render_report *report,
                         cairn_error *error)
{
    *report = (view_render_report){0};
    const scn_scene *scene = request->subject->scene;
    render_job job = {.request = request,
                      .report = report,
                      .place = view_looks_place(scene, &request->place),
                      .style = request->style};
    job.style.shadows = job.style.shadows && !scene->looks.light.no_shadows;
    cairn_status status = check_output(request, error);
    if (status == CAIRN_OK)
        note_lack(request);
    return status == CAIRN_OK ? run_job(&job, error) : status;
}
