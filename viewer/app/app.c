// SPDX-License-Identifier: Apache-2.0
// The live window: opens scenes, runs the loop of events and pictures.
#include "viewer/app/app.h"

#include "base/timer.h"

#include <math.h>
#include <stdio.h>

// arrows follow the forces slowly
static const double force_follow = 0.05;
// pictures a second at most, where nothing else sets a pace
static const double rate_limit = 60.0;

/// The chosen contact in another frame; one that is gone there is let go.
static void follow_contact(view_app *app)
{
    if (app->contact >= 0 && app->selected >= 0)
        app->contact = view_frame_find_contact(app->frame, app->selected, app->contact_other,
                                               app->contact_key);
    else
        app->contact = -1;
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
        .contact = app->contact,
        .flags = app->flags,
        .flag_count = app->flag_capacity,
        .has_rope = app->pulling,
    };
    view_handles handles;
    if (app_get_handles(app, &handles))
        request.handles = &handles;
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
    BASE_TRY(build_list(app, error));
    app_draw_panels(app);
    view_picture picture = {
        .width = app->width,
        .height = app->height,
        .samples = software ? 1 : 2,
        .shadows = app->style.shadows,
        .grid = app->style.ground,
        .shadow_taps = software ? 0 : 2,
        .sun = app->stage.sun,
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

/// Text as large as the keys have it, larger where a display has more pixels than it says.
static cairn_status scale_text(view_app *app, cairn_error *error)
{
    double scale = fmax(app->pixels_per_point, app->height / 1080.0);
    double wanted = round(15.0 * fmin(fmax(scale, 1.0), 3.0) * app->text_scale);
    return view_stage_set_text(&app->stage, fmin(fmax(wanted, 8.0), 48.0), error);
}

static void take_messages(view_app *app)
{
    app->state = view_simulation_get_state(app->simulation);
    if (app->state.message_number != app->message_seen) {
        app_show_toast(app, app->state.message);
        app->untold = true;
    }
    app->message_seen = app->state.message_number;
    // a slider that is being moved says much: the log has where it came to rest
    if (app->untold && (app->held == 0 || !app->mouse.down)) {
        app->untold = false;
        app_log(app, app->state.message);
    }
}

/// What a panel asked for while the old scene was drawn.
static void open_wanted(view_app *app)
{
    char path[PATH_MAX];
    if (app->quit || app->wanted[0] == '\0')
        return;
    snprintf(path, sizeof path, "%s", app->wanted);
    app->wanted[0] = '\0';
    app_open_scene(app, path);
}

static cairn_status show_pictures(view_app *app, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    Uint32 window = SDL_GetWindowID(view_gpu_window(app->stage.gpu));
    bool ending = false;
    app->last_picture = base_timer_seconds();
    while (status == CAIRN_OK && !app->quit) {
        if (app->request->stop != NULL && app->request->stop())
            return base_fail(error, CAIRN_INTERRUPTED, "interrupted");
        if (app->script != NULL && !view_script_play(app->script, window)) {
            view_script_close(app->script);
            app->script = NULL;
            // nobody else could end it; what the last line did is seen once more
            ending = app->request->hidden;
        } else if (ending) {
            app->quit = true;
        }

        // handle events
        SDL_Event event;
        app->mouse.pressed = app->mouse.released = false;
        while (!app->quit && SDL_PollEvent(&event)) {
            app_handle_event(app, &event);
            // picks after a change of scene are about its first frame
            if (app->simulation != NULL) {
                app_take_frame(app);
                follow_contact(app);
            }
        }

        if (app->bar_action != VIEW_ACTION_NONE) {
            view_action action = app->bar_action;
            app->bar_action = VIEW_ACTION_NONE;
            app_act(app, action);
        }
        app_watch_file(app);
        open_wanted(app);
        if (app->quit)
            break;
        measure_window(app);
        status = scale_text(app, error);
        if (status != CAIRN_OK)
            break;
        take_messages(app);
        app_take_frame(app);
        follow_contact(app);
        if (!view_stage_go_along(&app->stage, app->frame))
            app_say(app, "the body is gone: the camera stands still");
        status = draw(app, error);
        if (status == CAIRN_OK) {
            view_gpu_present(app->stage.gpu);
            app_feed_film(app);

            // waits where the display does not, and counts pictures
            double now = base_timer_seconds(), passed = now - app->last_picture;
            if (passed < 1.0 / rate_limit)
                SDL_Delay((Uint32)(1e3 * (1.0 / rate_limit - passed)));
            now = base_timer_seconds();
            passed = fmax(now - app->last_picture, 1e-4);
            app->last_picture = now;
            app->picture_rate += 0.1 * (1.0 / passed - app->picture_rate);
            app_fly(app, passed);
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
    view_subject subject = request->subject;
    cairn_status status = CAIRN_OK;
    if (request->script != NULL)
        status = view_script_open(request->script, &app->allocator, &app->script, error);
    if (status == CAIRN_OK)
        status = view_stage_open(&app->stage, &app->allocator, &options, 15.0, error);
    if (status != CAIRN_OK) {
        view_subject_finish(&subject);
        return status;
    }
    if (SDL_GL_SetSwapInterval(1) != 0)
        SDL_ClearError();
    measure_window(app);
    BASE_TRY(app_use_subject(app, &subject, request->paused, error));
    snprintf(app->path, sizeof app->path, "%s", request->path);
    app_mark_file(app);
    app_enter_scene(app, false);
    app_say(app, "%s", view_gpu_name(app->stage.gpu));
    return CAIRN_OK;
}

cairn_status view_window(const view_window_request *request, cairn_error *error)
{
    view_subject subject = request->subject;
    base_allocator allocator = subject.scene->allocator;
    view_app *app = base_allocate(&allocator, 1, sizeof *app);
    if (app == NULL) {
        view_subject_finish(&subject);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    }
    app->request = request;
    app->allocator = allocator;
    app->style = request->style;
    app->selected = app->contact = app->handle = app->menu = -1;
    app->text_scale = 1.0;
    app->picker = view_picker_begin(&allocator);
    cairn_status status = open_app(app, error);
    if (status == CAIRN_OK)
        status = show_pictures(app, error);
    app_end_film(app);
    app_close_scene(app);
    app_stop_sketches(app);
    view_picker_finish(&app->picker);
    view_script_close(app->script);
    view_stage_close(&app->stage);
    base_release(&allocator, app->flags);
    base_release(&allocator, app);
    return status;
}
