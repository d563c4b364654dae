// SPDX-License-Identifier: Apache-2.0
// Which scene or run the window shows, and which contact of it is chosen.
#include "viewer/app/app.h"

#include "viewer/simulation/looks.h"

#include <stdio.h>
#include <string.h>

void app_close_scene(view_app *app)
{
    view_simulation_stop(app->simulation);
    app->simulation = NULL;
    view_model_finish(&app->model);
    view_subject_finish(&app->subject);
}

void app_take_frame(view_app *app)
{
    cairn_error error = {0};
    int meshes = app->model.mesh_count;
    const view_frame *frame = view_simulation_frame(app->simulation, &app->model);
    if (frame != NULL)
        app->frame = frame;
    if (frame == NULL)
        app_show_toast(app, "out of memory: what is shown stays behind");
    else if (app->model.mesh_count > meshes &&
             view_gpu_set_model(app->stage.gpu, &app->model, &error) != CAIRN_OK)
        app_show_toast(app, error.message);
    if (app->selected < 0 || view_frame_has(app->frame, app->selected))
        return;
    app_choose_body(app, -1);
    app->pulling = false;
    app->placing = APP_NO_PLACING;
}

void app_enter_scene(view_app *app, bool same)
{
    char title[300];
    view_camera before = app->stage.camera;
    app_take_frame(app);
    app->state = view_simulation_get_state(app->simulation);
    app->selected = app->contact = -1;
    if (!same) {
        app->style.shadows = app->style.shadows && !app->subject.scene->looks.light.no_shadows;
        // bodies of another scene are others
        base_release(&app->allocator, app->flags);
        app->flags = NULL;
        app->flag_capacity = app->set_count = app->mark_count = 0;
    }
    app->pulling = false;
    app->placing = APP_NO_PLACING;
    app->force_unit = 0.0;
    app->message_seen = 0;
    const scn_scene *scene = app->subject.scene;
    view_place place = view_looks_place(scene, &app->request->place);
    view_stage_aim(&app->stage, &app->model, &app->frame, 1, &place, app_aspect(app));
    app->stage.sun = view_looks_sun(scene);
    app->start = app->stage.camera;
    const char *follow = place.follow;
    if (same)
        app->stage.camera = before;
    else if (!view_stage_follow_named(&app->stage, &app->model, app->frame, follow))
        app_say(app, "no body is named \"%.80s\" here: the camera stands still", follow);
    snprintf(title, sizeof title, "cairn: %s", app->subject.scene->name);
    SDL_SetWindowTitle(view_gpu_window(app->stage.gpu), title);
}

cairn_status app_use_subject(view_app *app, view_subject *subject, bool paused, cairn_error *error)
{
    view_model model = {0};
    view_simulation *simulation = NULL;
    cairn_status status = view_model_build(&model, &app->allocator, subject->scene->world, error);
    if (status == CAIRN_OK && subject->replay != NULL)
        status = view_model_add_recorded(&model, subject->replay);
    if (status == CAIRN_OK)
        status = view_looks_mark(subject->scene, &model);
    if (status == CAIRN_OK)
        status = view_gpu_set_model(app->stage.gpu, &model, error);
    if (status != CAIRN_OK) {
        view_model_finish(&model);
        view_subject_finish(subject);
        return status;
    }
    app_close_scene(app);
    app->subject = *subject;
    app->model = model;
    status = view_simulation_start(&simulation, &app->subject, paused, error);
    app->simulation = simulation;
    return status;
}

void app_open_scene(view_app *app, const char *path)
{
    cairn_error error = {0};
    char wanted[PATH_MAX];
    view_subject subject = {0};
    // SDL gives no path for a drop that it could not store
    if (path == NULL)
        return;
    bool same = strcmp(path, app->path) == 0;
    snprintf(wanted, sizeof wanted, "%s", path);
    app_parameters parameters = {0};
    if (same)
        parameters = app->parameters_wanted;
    app->parameters_wanted = app->parameters;
    scn_assignment assignments[APP_PARAMETERS_MAX];
    for (int i = 0; i < parameters.count; i++)
        assignments[i] = (scn_assignment){parameters.rows[i].name, parameters.rows[i].value};
    view_simulation_hold_files(app->simulation, true);
    cairn_status status = app->request->open(app->request->open_context, wanted, assignments,
                                             parameters.count, &subject, &error);
    view_simulation_hold_files(app->simulation, false);
    if (status == CAIRN_OK)
        status = app_use_subject(app, &subject, app->state.paused, &error);
    if (status != CAIRN_OK)
        app_say(app, "%.480s", error.message);
    if (app->simulation == NULL)
        app->quit = true;
    if (status != CAIRN_OK)
        return;
    snprintf(app->path, sizeof app->path, "%s", wanted);
    app->parameters = app->parameters_wanted = parameters;
    app_mark_file(app);
    app_order(app, VIEW_ORDER_LOOP, app->loop ? 1.0 : 0.0);
    app_enter_scene(app, same);
    const scn_scene *scene = app->subject.scene;
    app_say(app, "%s%s", app->subject.replay != NULL ? "replay: " : "",
            scene->title[0] != '\0' ? scene->title : scene->name);
}

void app_open_neighbour(view_app *app, int way)
{
    char path[PATH_MAX];
    if (view_picker_neighbour(app->path, app->subject.replay != NULL, way, path))
        app_open_scene(app, path);
}

void app_step_contact(view_app *app, int way)
{
    if (app->selected < 0) {
        app_say(app, "choose a body first, by a click");
        return;
    }
    app->contact = view_frame_next_contact(app->frame, app->selected, app->contact, way);
    if (app->contact < 0) {
        app_say(app, app->frame->keeps_contacts ? "this body touches nothing"
                                                : "the run kept no contacts in this frame");
        return;
    }
    const view_contact *contact = &app->frame->contacts[app->contact];
    app->contact_other = contact->a == app->selected ? contact->b : contact->a;
    app->contact_key = contact->key;
}
