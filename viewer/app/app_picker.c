// SPDX-License-Identifier: Apache-2.0
// The list of scenes and runs over the picture: typed letters narrow it down, Enter opens.
#include "viewer/app/app.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 18 };

static const view_colour ink = {36, 42, 52, 255}, faint = {120, 128, 140, 255},
                         bar = {186, 202, 222, 255}, accent = {38, 110, 190, 255};

/// Folder of what is at hand.
static cairn_status add_own_folder(view_app *app)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", app->path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return view_picker_add(&app->picker, ".");
    *slash = '\0';
    return view_picker_add(&app->picker, folder[0] != '\0' ? folder : "/");
}

void app_open_picker(view_app *app)
{
    view_picker *picker = &app->picker;
    if (picker->open) {
        picker->open = false;
        return;
    }
    view_picker_clear(picker);
    cairn_status status = add_own_folder(app);
    if (status == CAIRN_OK && app->request->scenes != NULL)
        status = view_picker_add(picker, app->request->scenes);
    if (status == CAIRN_OK)
        status = view_picker_add(picker, ".");
    if (status == CAIRN_OK)
        status = view_picker_add(picker, "out");
    if (status == CAIRN_OK)
        status = view_picker_narrow(picker);
    picker->open = status == CAIRN_OK;
    if (status != CAIRN_OK)
        app_say(app, "the list does not fit in memory");
    memset(app->flying, 0, sizeof app->flying);
}

static void open_chosen(view_app *app)
{
    const view_choice *choice = view_picker_chosen(&app->picker);
    app->picker.open = false;
    if (choice != NULL)
        snprintf(app->wanted, sizeof app->wanted, "%s", choice->path);
}

/// A letter more, or one less (0).
static void type(view_app *app, char letter)
{
    view_picker *picker = &app->picker;
    size_t length = strlen(picker->filter);
    if (letter != '\0' && length + 1 < sizeof picker->filter) {
        picker->filter[length] = letter;
        picker->filter[length + 1] = '\0';
    } else if (letter == '\0' && length > 0) {
        picker->filter[length - 1] = '\0';
    }
    if (view_picker_narrow(picker) != CAIRN_OK)
        picker->open = false;
}

void app_picker_key(view_app *app, SDL_Keycode key)
{
    view_picker *picker = &app->picker;
    switch (key) {
    case SDLK_ESCAPE:
        picker->open = false;
        break;
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
        open_chosen(app);
        break;
    case SDLK_DOWN:
    case SDLK_TAB:
        view_picker_move(picker, 1);
        break;
    case SDLK_UP:
        view_picker_move(picker, -1);
        break;
    case SDLK_PAGEDOWN:
        view_picker_move(picker, ROWS);
        break;
    case SDLK_PAGEUP:
        view_picker_move(picker, -ROWS);
        break;
    case SDLK_BACKSPACE:
        type(app, '\0');
        break;
    default:
        if (key > 32 && key < 127)
            type(app, (char)key);
        break;
    }
}

/// @return true when it was clicked
static bool draw_choice(view_app *app, view_panel *panel, int shown)
{
    const view_choice *choice = &app->picker.choices[app->picker.shown[shown]];
    view_canvas *canvas = &app->stage.canvas;
    double row = panel->row, y = panel->y;
    bool over = app->mouse.x >= panel->left && app->mouse.x < panel->left + panel->width &&
                app->mouse.y >= y && app->mouse.y < y + row;
    if (shown == app->picker.chosen)
        view_canvas_box(canvas, panel->left, y, panel->width, row, bar);
    double x = view_canvas_print(canvas, panel->left + 0.5 * row, y, over ? accent : ink, "%.40s",
                                 choice->name);
    view_canvas_print(canvas, x + row, y, faint, "%s", choice->run ? "run" : "");
    panel->y += row;
    return over && app->mouse.pressed;
}

void app_draw_picker(view_app *app)
{
    view_picker *picker = &app->picker;
    double row = app_row_height(app), width = 22.0 * row;
    if (!picker->open)
        return;
    view_panel panel = app_begin_panel(app, 0.5 * (app->width - width), 2.5 * row, width);
    char title[VIEW_FILTER_MAX + 20];
    snprintf(title, sizeof title, "open: %s_", picker->filter);
    view_panel_title(&panel, title);
    int first = picker->chosen >= ROWS ? picker->chosen - ROWS + 1 : 0, clicked = -1;
    for (int i = first; i < picker->shown_count && i < first + ROWS; i++)
        if (draw_choice(app, &panel, i))
            clicked = i;
    if (picker->shown_count == 0)
        view_panel_row(&panel, "nothing of that name", "%s", "");
    view_panel_row(&panel, "type to narrow down, Enter opens, Escape leaves", "%s", "");
    app_end_panel(app, &panel);
    if (clicked >= 0) {
        picker->chosen = clicked;
        open_chosen(app);
    } else if (app->mouse.pressed && !view_panel_contains(&panel, app->mouse.x, app->mouse.y)) {
        picker->open = false;
    }
}
