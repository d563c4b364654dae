// SPDX-License-Identifier: Apache-2.0
// The live window: opens scenes, runs the loop of events and pictures.
#include "viewer/app.h"

#include "base/timer.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double toast_seconds = 4.0;
// arrows follow the forces slowly
static const double force_follow = 0.05;
// pictures a second at most, where nothing else sets a pace
static const double rate_limit = 60.0;

void app_say(view_app *app, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(app->toast, sizeof app->toast, format, arguments);
    va_end(arguments);
    app->toast_until = base_timer_seconds() + toast_seconds;
    if (app->request->note != NULL)
        app->request->note(app->request->context, CAIRN_INFO, app->toast);
}

// ---------------------------------------------------------------- scenes

static void close_scene(view_app *app)
{
    view_simulation_stop(app->simulation);
    app->simulation = NULL;
    view_model_finish(&app->model);
    scn_destroy(app->scene);
    app->scene = NULL;
}

/// The camera goes back to its start for another scene; a reset keeps it.
static void enter_scene(view_app *app, bool same)
{
    char title[300];
    view_camera before = app->stage.camera;
    app->frame = view_simulation_frame(app->simulation);
    app->state = view_simulation_get_state(app->simulation);
    app->selected = -1;
    app->pulling = false;
    app->force_unit = 0.0;
    app->message_seen = 0;
    view_stage_aim(&app->stage, &app->model, app->frame, &app->request->place, app_aspect(app));
    app->start = app->stage.camera;
    if (same)
        app->stage.camera = before;
    snprintf(title, sizeof title, "cairn: %s", app->scene->name);
    SDL_SetWindowTitle(view_gpu_window(app->stage.gpu), title);
}

/// Takes the scene over; on failure it is gone and the old one stays.
static cairn_status use_scene(view_app *app, scn_scene *scene, bool paused, cairn_error *error)
{
    view_model model = {0};
    view_simulation *simulation = NULL;
    cairn_status status = view_model_build(&model, &app->allocator, scene->world, error);
    if (status == CAIRN_OK)
        status = view_gpu_set_model(app->stage.gpu, &model, error);
    if (status != CAIRN_OK) {
        view_model_finish(&model);
        scn_destroy(scene);
        return status;
    }
    close_scene(app);
    app->scene = scene;
    app->model = model;
    status = view_simulation_start(&simulation, scene, &app->model, paused, error);
    app->simulation = simulation;
    return status;
}

void app_open_scene(view_app *app, const char *path)
{
    cairn_error error = {0};
    char wanted[PATH_MAX];
    scn_scene *scene = NULL;
    scn_options options = *app->request->options;
    // SDL gives no path for a drop that it could not store
    if (path == NULL)
        return;
    bool same = strcmp(path, app->path) == 0;
    snprintf(wanted, sizeof wanted, "%s", path);
    // the parameters of the command line are those of its scene
    if (strcmp(path, app->request->path) != 0)
        options.parameter_count = 0;
    cairn_status status = scn_load(wanted, &options, &scene, &error);
    if (status == CAIRN_OK)
        status = use_scene(app, scene, app->state.paused, &error);
    if (app->simulation == NULL) {
        app->quit = true;
        return;
    }
    if (status != CAIRN_OK) {
        app_say(app, "%.480s", error.message);
        return;
    }
    snprintf(app->path, sizeof app->path, "%s", wanted);
    enter_scene(app, same);
    app_say(app, "%s", scene->title[0] != '\0' ? scene->title : scene->name);
}

static int is_scene(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".lua") == 0;
}

void app_open_neighbour(view_app *app, int way)
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct dirent **entries = NULL;
    snprintf(folder, sizeof folder, "%s", app->path);
    char *slash = strrchr(folder, '/');
    const char *name = slash != NULL ? slash + 1 : folder;
    if (slash != NULL)
        *slash = '\0';
    int count = scandir(slash != NULL ? folder : ".", &entries, is_scene, alphasort), at = 0;
    for (int i = 0; i < count; i++)
        if (strcmp(entries[i]->d_name, name) == 0)
            at = i;
    if (count > 0) {
        const char *chosen = entries[(at + way + count) % count]->d_name;
        snprintf(path, sizeof path, "%.3500s/%.255s", slash != NULL ? folder : ".", chosen);
    }
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    if (count > 0)
        app_open_scene(app, path);
}

// ---------------------------------------------------------------- pictures

static void follow_forces(view_app *app)
{
    double now = 0.0;
    if (app->style.contacts != VIEW_CONTACTS_FORCES && app->style.contacts != VIEW_CONTACTS_CONES)
        return;
    if (view_force_unit(&app->allocator, app->frame, &now) != CAIRN_OK || !(now > 0.0))
        return;
    app->force_unit =
        app->force_unit > 0.0 ? app->force_unit + force_follow * (now - app->force_unit) : now;
    app->style.force_unit = app->force_unit;
}

static cairn_status build_list(view_app *app, cairn_error *error)
{
    view_axes axes = view_camera_axes(&app->stage.camera);
    view_draw_request request = {
        .model = &app->model,
        .frame = app->frame,
        .style = &app->style,
        .eye = axes.eye,
        .forward = axes.forward,
        .selected = app->selected,
        .has_rope = app->pulling,
    };
    if (app->pulling) {
        request.rope[0] = pose_apply(&app->frame->poses[app->selected], app->pull_point);
        request.rope[1] = app->pull_target;
    }
    cairn_status status = view_draw_list_build(&app->stage.list, &request);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "the picture does not fit in memory");
}

static cairn_status draw(view_app *app, cairn_error *error)
{
    bool software = view_gpu_is_software(app->stage.gpu);
    follow_forces(app);
    cairn_status status = build_list(app, error);
    if (status != CAIRN_OK)
        return status;
    app_draw_panels(app);
    view_picture picture = {
        .width = app->width,
        .height = app->height,
        .samples = software ? 1 : 2,
        .shadows = app->style.shadows,
        .grid = app->style.ground,
        .shadow_taps = software ? 0 : 2,
        .list = &app->stage.list,
        .camera = &app->stage.camera,
        .canvas = &app->stage.canvas,
    };
    return view_gpu_draw(app->stage.gpu, &picture, error);
}

// ---------------------------------------------------------------- the loop

static void measure_window(view_app *app)
{
    int width = 0, height = 0, points = 0, unused = 0;
    SDL_Window *window = view_gpu_window(app->stage.gpu);
    SDL_GL_GetDrawableSize(window, &width, &height);
    SDL_GetWindowSize(window, &points, &unused);
    app->width = width > 16 ? width : 16;
    app->height = height > 16 ? height : 16;
    app->pixels_per_point = points > 0 ? (double)app->width / points : 1.0;
}

static void take_messages(view_app *app)
{
    app->state = view_simulation_get_state(app->simulation);
    if (app->state.message_number != app->message_seen)
        app_say(app, "%s", app->state.message);
    app->message_seen = app->state.message_number;
}

static void handle_events(view_app *app)
{
    SDL_Event event;
    app->mouse.pressed = app->mouse.released = false;
    while (!app->quit && SDL_PollEvent(&event)) {
        app_handle_event(app, &event);
        // picks after a change of scene are about its first frame
        if (app->simulation != NULL)
            app->frame = view_simulation_frame(app->simulation);
    }
}

/// Waits where the display does not, and counts pictures.
static void keep_pace(view_app *app)
{
    double now = base_timer_seconds(), passed = now - app->last_picture;
    if (passed < 1.0 / rate_limit)
        SDL_Delay((Uint32)(1e3 * (1.0 / rate_limit - passed)));
    now = base_timer_seconds();
    passed = fmax(now - app->last_picture, 1e-4);
    app->last_picture = now;
    app->picture_rate += 0.1 * (1.0 / passed - app->picture_rate);
    app_fly(app, passed);
}

static cairn_status show_pictures(view_app *app, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    Uint32 window = SDL_GetWindowID(view_gpu_window(app->stage.gpu));
    app->last_picture = base_timer_seconds();
    while (status == CAIRN_OK && !app->quit) {
        if (app->request->stop != NULL && app->request->stop())
            return base_fail(error, CAIRN_INTERRUPTED, "interrupted");
        if (app->script != NULL && !view_script_play(app->script, window)) {
            view_script_close(app->script);
            app->script = NULL;
        }
        handle_events(app);
        if (app->quit)
            break;
        measure_window(app);
        take_messages(app);
        app->frame = view_simulation_frame(app->simulation);
        status = draw(app, error);
        if (status == CAIRN_OK) {
            view_gpu_present(app->stage.gpu);
            app_feed_film(app);
            keep_pace(app);
        }
    }
    return status;
}

static cairn_status open_app(view_app *app, cairn_error *error)
{
    const view_window_request *request = app->request;
    view_gpu_options options = {.title = "cairn",
                                .width = request->width,
                                .height = request->height,
                                .hidden = request->hidden};
    scn_scene *scene = request->scene;
    cairn_status status = CAIRN_OK;
    if (request->script != NULL)
        status = view_script_open(request->script, &app->allocator, &app->script, error);
    if (status == CAIRN_OK)
        status = view_stage_open(&app->stage, &app->allocator, &options, 15.0, error);
    if (status != CAIRN_OK) {
        scn_destroy(scene);
        return status;
    }
    if (SDL_GL_SetSwapInterval(1) != 0)
        SDL_ClearError();
    measure_window(app);
    status = use_scene(app, scene, request->paused, error);
    if (status != CAIRN_OK)
        return status;
    snprintf(app->path, sizeof app->path, "%s", request->path);
    enter_scene(app, false);
    app_say(app, "%s", view_gpu_name(app->stage.gpu));
    return CAIRN_OK;
}

cairn_status view_window(const view_window_request *request, cairn_error *error)
{
    base_allocator allocator = request->scene->allocator;
    view_app *app = base_allocate(&allocator, 1, sizeof *app);
    if (app == NULL) {
        scn_destroy(request->scene);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    }
    app->request = request;
    app->allocator = allocator;
    app->style = request->style;
    app->selected = -1;
    cairn_status status = open_app(app, error);
    if (status == CAIRN_OK)
        status = show_pictures(app, error);
    app_end_film(app);
    close_scene(app);
    view_script_close(app->script);
    view_stage_close(&app->stage);
    base_release(&allocator, app);
    return status;
}
