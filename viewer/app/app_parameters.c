// SPDX-License-Identifier: Apache-2.0
// Sliders for what the scene's param() declares, and the scene file under an editor: both build the
// scene anew. Sliders for motors and loads, which act at once.
#include "viewer/app/app.h"

#include "base/timer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// s of wall clock between looks at the scene file
static const double look_again = 0.5;

// ---------------------------------------------------------------- parameters

/// The value that the window gave a parameter; a new row where it gave none yet, NULL when full.
static app_parameter *find_row(app_parameters *parameters, const char *name)
{
    for (int i = 0; i < parameters->count; i++)
        if (strcmp(parameters->rows[i].name, name) == 0)
            return &parameters->rows[i];
    if (parameters->count == APP_PARAMETERS_MAX || strlen(name) >= sizeof parameters->rows[0].name)
        return NULL;
    app_parameter *row = &parameters->rows[parameters->count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

/// The scene is built anew with another value, before the next picture.
static void choose(view_app *app, const char *name, const char *value)
{
    app_parameter *row = find_row(&app->parameters_wanted, name);
    if (row == NULL) {
        app_say(app, "no more than %d parameters can be changed here", APP_PARAMETERS_MAX);
        return;
    }
    snprintf(row->value, sizeof row->value, "%s", value);
    snprintf(app->wanted, sizeof app->wanted, "%s", app->path);
}

/// Range of the slider; a side that the scene leaves open is taken from the value.
static void find_range(const scn_parameter *parameter, double *low, double *high)
{
    double value = parameter->initial.number, size = value != 0.0 ? 4.0 * fabs(value) : 1.0;
    // a scene that says nothing of a side has the largest number there
    *low = parameter->minimum > -DBL_MAX ? parameter->minimum : fmin(0.0, -size * (value < 0.0));
    *high = parameter->maximum < DBL_MAX ? parameter->maximum : fmax(size, *low + size);
}

static void slide(view_app *app, view_panel *panel, const scn_parameter *parameter)
{
    bool held = strcmp(app->sliding, parameter->name) == 0;
    double low, high, value = held ? app->slid : parameter->value.number;
    char text[40];
    find_range(parameter, &low, &high);
    bool logarithmic = low > 0.0 && high >= 100.0 * low;
    // what lies outside is refused by the scene, with its reason
    panel->any = true;
    bool changed = view_panel_slider(panel, parameter->name, &value, low, high, logarithmic, "");
    panel->any = false;
    if (changed) {
        snprintf(app->sliding, sizeof app->sliding, "%s", parameter->name);
        app->slid = parameter->whole ? round(value) : value;
        return;
    }
    // the scene is built when the slider is let go
    if (!held || app->mouse.down)
        return;
    app->sliding[0] = '\0';
    snprintf(text, sizeof text, "%.6g", app->slid);
    if (app->slid != parameter->value.number)
        choose(app, parameter->name, text);
}

void app_draw_parameters(view_app *app, view_panel *panel)
{
    const scn_scene *scene = app->subject.scene;
    if (app->state.replay || scene->parameter_count == 0)
        return;
    view_panel_title(panel, "parameters: the scene starts anew");
    for (int i = 0; i < scene->parameter_count; i++) {
        const scn_parameter *parameter = &scene->parameters[i];
        if (parameter->value.type == CAIRN_NUMBER)
            slide(app, panel, parameter);
        else if (parameter->value.type == CAIRN_TEXT)
            view_panel_row(panel, parameter->name, "%.40s", parameter->value.text);
        else if (view_panel_choice(panel, parameter->name,
                                   parameter->value.boolean ? "true" : "false") != 0)
            choose(app, parameter->name, parameter->value.boolean ? "false" : "true");
    }
}

// ---------------------------------------------------------------- motors and loads

void app_draw_drives(view_app *app, view_panel *panel)
{
    const view_drives *drives = &app->state.drives;
    if (drives->count > 0)
        view_panel_title(panel, "motors, servos and loads");
    for (int i = 0; i < drives->count; i++) {
        const view_drive *drive = &drives->items[i];
        double value = drive->value;
        if (!view_panel_slider(panel, drive->name, &value, drive->minimum, drive->maximum, false,
                               drive->follows ? "of time" : drive->unit))
            continue;
        view_order order = {.kind = VIEW_ORDER_DRIVE, .body = i, .number = value};
        view_simulation_post(app->simulation, &order);
    }
}

// ---------------------------------------------------------------- joints

/// Reaches over the range of the joint, a turn, or ten bodies; any value may be typed.
static void slide_joint(view_app *app, view_panel *panel, int index)
{
    const view_joint *joint = &app->model.joints[index];
    bool turns = joint->kind == CAIRN_JOINT_HINGE;
    double value = view_joint_coordinate(joint, app->frame->poses);
    double reach = turns ? M_PI : 10.0 * app->model.symbol_size;
    const char *kind = cairn_joint_kind_name(joint->kind), *unit = turns ? "rad" : "m";
    char name[60];
    snprintf(name, sizeof name, "%.40s (%d)", joint->name[0] != '\0' ? joint->name : kind,
             index + 1);
    if (app->state.replay) {
        view_panel_row(panel, name, "%.4g %s", value, unit);
        return;
    }
    panel->any = true;
    bool changed = view_panel_slider(panel, name, &value, fmax(joint->range[0], -reach),
                                     fmin(joint->range[1], reach), false, unit);
    panel->any = false;
    view_order order = {.kind = VIEW_ORDER_JOINT, .body = index, .number = value};
    if (changed)
        view_simulation_post(app->simulation, &order);
}

void app_draw_joints(view_app *app, view_panel *panel)
{
    enum { MOST = 24 };
    int shown = 0;
    for (int i = 0; i < app->model.joint_count && shown < MOST; i++) {
        const view_joint *joint = &app->model.joints[i];
        bool moves = joint->kind == CAIRN_JOINT_HINGE || joint->kind == CAIRN_JOINT_SLIDER ||
                     joint->kind == CAIRN_JOINT_CYLINDRICAL;
        bool wanted = app->selected < 0 || joint->bodies[0] == app->selected ||
                      joint->bodies[1] == app->selected;
        for (int side = 0; side < 2; side++)
            wanted = wanted &&
                     (joint->bodies[side] < 0 || view_frame_has(app->frame, joint->bodies[side]));
        if (joint->is_connector || !moves || !wanted)
            continue;
        if (shown++ == 0)
            view_panel_title(panel, app->selected < 0 ? "joints" : "joints of the body");
        slide_joint(app, panel, i);
    }
}

// ---------------------------------------------------------------- the scene file

/// When the file at the path was written, and how large it is; zeros for none.
static app_file_mark mark_of(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return (app_file_mark){0};
    return (app_file_mark){file.st_mtim.tv_sec, file.st_mtim.tv_nsec, file.st_size};
}

static bool are_same(app_file_mark a, app_file_mark b)
{
    return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds && a.size == b.size;
}

void app_mark_file(view_app *app)
{
    app->file_built = app->file_seen = mark_of(app->path);
    app->file_looked = base_timer_seconds();
}

void app_watch_file(view_app *app)
{
    double now = base_timer_seconds();
    if (app->subject.replay != NULL || now - app->file_looked < look_again)
        return;
    app->file_looked = now;
    app_file_mark mark = mark_of(app->path);
    // an editor may still be writing: the file has to be as it was at the last look
    bool rests = are_same(mark, app->file_seen);
    app->file_seen = mark;
    if (mark.size == 0 || !rests || are_same(mark, app->file_built))
        return;
    app->file_built = mark;
    app_log(app, "the scene file has changed");
    snprintf(app->wanted, sizeof app->wanted, "%s", app->path);
}
