// SPDX-License-Identifier: Apache-2.0
// What the window writes: pictures with a note beside them, films, contact problems.
#include "viewer/app/app.h"
#include "viewer/film/picture.h"

#include "base/file.h"
#include "base/timer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double film_rate = 30.0; // pictures a second

/// Folder that the caller chose; else that of the run at hand, and of a scene the one at work.
static void find_folder(const view_app *app, char folder[PATH_MAX])
{
    struct stat info;
    const char *chosen = app->request->folder;
    snprintf(folder, PATH_MAX, "%s", chosen != NULL ? chosen : ".");
    if (chosen != NULL || app->subject.replay == NULL)
        return;
    snprintf(folder, PATH_MAX, "%s", app->path);
    char *slash = strrchr(folder, '/');
    if (stat(folder, &info) == 0 && S_ISDIR(info.st_mode))
        return;
    // the trajectory was named
    if (slash != NULL)
        *slash = '\0';
    else
        snprintf(folder, PATH_MAX, ".");
}

/// DIR/NAME-NNN.END that does not exist yet.
static void free_path(const view_app *app, const char *ending, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    find_folder(app, folder);
    for (int i = 1; i < 10000; i++) {
        snprintf(path, PATH_MAX, "%.3000s/%.200s-%03d.%s", folder, app->subject.scene->name, i,
                 ending);
        if (access(path, F_OK) != 0)
            return;
    }
}

/// What is needed to look at the same thing again.
static void write_note(view_app *app, const char *picture)
{
    char path[PATH_MAX];
    const view_camera *camera = &app->stage.camera;
    const double degree = 180.0 / M_PI;
    snprintf(path, sizeof path, "%.*s.txt", (int)strlen(picture) - 4, picture);
    const char *reason = NULL;
    FILE *file = base_file_create(path, &reason);
    if (file == NULL) {
        app_say(app, "%.300s: %s", path, reason);
        return;
    }
    fprintf(file, "scene %s\nversion %s\ntime %.17g s\nstep %lld\nhash of positions %016llx\n",
            app->path, cairn_version(), app->frame->time, (long long)app->frame->step,
            (unsigned long long)view_frame_hash(app->frame));
    fprintf(file, "target %.9g %.9g %.9g m\ndistance %.9g m\nazimuth %.6g\nelevation %.6g\n",
            camera->target.x, camera->target.y, camera->target.z, camera->distance,
            degree * camera->azimuth, degree * camera->elevation);
    fprintf(file, "contacts %s\ncolours %s\n", view_contacts_names[app->style.contacts],
            view_colours_names[app->style.colours]);
    if (fclose(file) != 0)
        app_say(app, "%.300s: %s", path, strerror(errno));
}

void app_write_picture(view_app *app)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    free_path(app, "png", path);
    cairn_status status = view_stage_read(&app->stage, app->width, app->height, &error);
    if (status == CAIRN_OK)
        status = view_picture_write(path, app->stage.pixels, app->width, app->height, &error);
    if (status == CAIRN_OK)
        write_note(app, path);
    app_say(app, "%s %.300s", status == CAIRN_OK ? "wrote" : error.message,
            status == CAIRN_OK ? path : "");
}

void app_save_view(view_app *app)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    const view_camera *camera = &app->stage.camera;
    const double degree = 180.0 / M_PI;
    view_place place = {.azimuth = degree * camera->azimuth,
                        .elevation = degree * camera->elevation,
                        .zoom = NAN,
                        .parallel = camera->parallel,
                        .saved = true,
                        .distance = camera->distance};
    vec3_store(place.target, camera->target);
    free_path(app, "view.json", path);
    if (app->request->save_view == NULL)
        return;
    if (app->request->save_view(path, &place, &app->style, &error) == CAIRN_OK)
        app_say(app, "wrote %.300s", path);
    else
        app_say(app, "%.400s", error.message);
}

void app_write_problem(view_app *app)
{
    char path[PATH_MAX];
    view_order order = {.kind = VIEW_ORDER_PROBLEM};
    free_path(app, "hdf5", path);
    snprintf(order.text, sizeof order.text, "%.511s", path);
    view_simulation_post(app->simulation, &order);
}

// ---------------------------------------------------------------- films

void app_end_film(view_app *app)
{
    cairn_error error = {0};
    if (!app->filming)
        return;
    app->filming = false;
    if (view_film_close(&app->film, &error) == CAIRN_OK)
        app_say(app, "wrote %.300s, %d pictures", app->film.path, app->film.frames);
    else
        app_say(app, "%.400s", error.message);
}

void app_toggle_film(view_app *app)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    if (app->filming) {
        app_end_film(app);
        return;
    }
    free_path(app, "mp4", path);
    if (view_film_open(&app->film, path, app->width, app->height, film_rate, &error) != CAIRN_OK) {
        app_say(app, "%.400s", error.message);
        return;
    }
    app->filming = true;
    app->film_next = base_timer_seconds();
    app_say(app, "filming into %.300s", app->film.path);
}

void app_feed_film(view_app *app)
{
    cairn_error error = {0};
    if (!app->filming)
        return;
    if (app->film.width != app->width || app->film.height != app->height) {
        app_end_film(app);
        return;
    }
    cairn_status status = CAIRN_OK;
    double now = base_timer_seconds();
    if (app->film_next <= now)
        status = view_stage_read(&app->stage, app->width, app->height, &error);
    // a picture that took long stands for several
    for (; status == CAIRN_OK && app->film_next <= now; app->film_next += 1.0 / film_rate)
        status = view_film_add(&app->film, app->stage.pixels, &error);
    if (status != CAIRN_OK) {
        app_say(app, "%.400s", error.message);
        app_end_film(app);
    }
}
