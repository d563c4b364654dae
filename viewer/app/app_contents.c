// SPDX-License-Identifier: Apache-2.0
// The list of what the scene holds, names of bodies, and which one is chosen.
#include "viewer/app/app.h"

#include <stdio.h>

void app_choose_body(view_app *app, int body)
{
    if (app->selected != body)
        app->contact = -1;
    app->selected = body;
}

void app_body_label(const view_app *app, int body, const char *before, char label[40])
{
    const char *name = body >= 0 ? app->model.bodies[body].name : "world";
    if (name[0] != '\0')
        snprintf(label, 40, "%s%.30s", before, name);
    else
        snprintf(label, 40, "%sbody %d", before, body);
}

typedef struct contents_list {
    view_app *app;
    view_panel panel;
    int number, first, shown; // of rows: of the next, of those above the panel, of those in it
} contents_list;

/// @return whether the row is in the panel; rows above and below only count
static bool take_row(contents_list *list)
{
    int number = list->number++;
    return number >= list->first && number < list->first + list->shown;
}

/// A click chooses all bodies of the material.
static void list_materials(contents_list *list)
{
    const view_model *model = &list->app->model;
    if (take_row(list))
        view_panel_title(&list->panel, "materials");
    for (int i = 0; i < model->material_count; i++) {
        int bodies = 0;
        if (!take_row(list))
            continue;
        for (int k = 0; k < model->body_count; k++)
            bodies += view_frame_has(list->app->frame, k) && model->bodies[k].material == i;
        char count[40];
        snprintf(count, sizeof count, "%d %s", bodies, bodies == 1 ? "body" : "bodies");
        if (view_panel_item(&list->panel, model->materials[i], count, false))
            app_choose_material(list->app, i);
    }
}

/// A click chooses the second body of the joint.
static void list_joints(contents_list *list)
{
    const view_model *model = &list->app->model;
    if (model->joint_count > 0 && take_row(list))
        view_panel_title(&list->panel, "joints and connectors");
    for (int i = 0; i < model->joint_count; i++) {
        const view_joint *joint = &model->joints[i];
        char label[60], ends[80];
        if (!take_row(list))
            continue;
        snprintf(label, sizeof label, "%.40s",
                 joint->name[0] != '\0' ? joint->name
                 : joint->is_connector  ? "connector"
                                        : cairn_joint_kind_name(joint->kind));
        app_body_label(list->app, joint->bodies[1], "", ends);
        if (view_panel_item(&list->panel, label, ends, false))
            app_choose_body(list->app, joint->bodies[1]);
    }
}

static void list_bodies(contents_list *list)
{
    static const char *const kinds[] = {"dynamic", "fixed", "moving"};
    view_app *app = list->app;
    if (take_row(list))
        view_panel_title(&list->panel, "bodies");
    for (int i = 0; i < app->model.body_count; i++) {
        char label[80];
        if (!view_frame_has(app->frame, i) || !take_row(list))
            continue;
        app_body_label(app, i, "", label);
        if (view_panel_item(&list->panel, label, kinds[app->model.bodies[i].kind],
                            i == app->selected))
            app_choose_body(app, i);
    }
}

void app_draw_contents(view_app *app, double top)
{
    double row = app_row_height(app);
    double left = app->width - 17.5 * row;
    // without room below the body's panel the list stands beside it
    if (app->height - top < 8.5 * row) {
        left = fmax(0.5 * row, left - 24.5 * row);
        top = app_top(app);
    }
    int shown = (int)fmax(2.0, (app->height - top - 4.5 * row) / row);
    contents_list list = {
        .app = app,
        .panel = app_begin_panel(app, APP_PANEL_CONTENTS, left, top, 17.0 * row),
        .first = app->contents_first,
        .shown = shown,
    };
    list_materials(&list);
    list_joints(&list);
    list_bodies(&list);
    app->contents_rows = list.number - shown;
    if (list.number > shown)
        view_panel_row(&list.panel, "wheel: more", "%d to %d of %d", list.first + 1,
                       list.first + shown < list.number ? list.first + shown : list.number,
                       list.number);
    app->contents_panel = app->panel_count;
    (void)app_end_panel(app, &list.panel);
}

bool app_scroll_contents(view_app *app, double rows)
{
    if (!app->show_contents || app->contents_panel >= app->panel_count ||
        !view_panel_contains(&app->panels[app->contents_panel], app->mouse.x, app->mouse.y))
        return false;
    int first = app->contents_first - (int)(3.0 * rows);
    first = first < app->contents_rows ? first : app->contents_rows;
    app->contents_first = first > 0 ? first : 0;
    return true;
}
