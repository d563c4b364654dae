// SPDX-License-Identifier: Apache-2.0
// The bar at the upper edge, the menus, which are the table of keys, and the help.
#include "viewer/app/app.h"

#include "base/assert.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const view_colour ink = {36, 42, 52, 255}, paper = {246, 248, 250, 255},
                         accent = {38, 110, 190, 255}, hot_field = {186, 202, 222, 255},
                         alarm = {200, 50, 40, 255};

// ---------------------------------------------------------------- the bar

typedef struct bar_line {
    view_app *app;
    double x, height;
} bar_line;

/// A word of the bar. @return true when it was clicked
static bool put_word(bar_line *bar, const char *text, view_colour colour, bool marked, bool *over)
{
    view_app *app = bar->app;
    // a narrow window leaves less between the words
    double row = app_row_height(app), space = app->width > 36.0 * row ? 0.8 * row : 0.6 * row;
    double width = view_font_width(app->stage.font, text) + space;
    bool hot = app->mouse.x >= bar->x && app->mouse.x < bar->x + width && app->mouse.y >= 0.0 &&
               app->mouse.y < bar->height;
    if (hot || marked)
        view_canvas_box(&app->stage.canvas, bar->x, 0.0, width, bar->height, hot_field);
    view_canvas_text(&app->stage.canvas, bar->x + 0.5 * space, 0.2 * row, colour, text);
    bar->x += width;
    if (over != NULL)
        *over = hot;
    return hot && app->mouse.pressed;
}

static void put_button(bar_line *bar, const char *text, view_action action, view_colour colour)
{
    if (put_word(bar, text, colour, false, NULL))
        bar->app->bar_action = action;
}

/// Actions that switch something on or off.
static const struct {
    view_action action;
    size_t place; // of the bool in the window
} switches[] = {
    {VIEW_ACTION_GROUND, offsetof(view_app, style.ground)},
    {VIEW_ACTION_SHADOWS, offsetof(view_app, style.shadows)},
    {VIEW_ACTION_FRAMES, offsetof(view_app, style.frames)},
    {VIEW_ACTION_BOXES, offsetof(view_app, style.boxes)},
    {VIEW_ACTION_VELOCITIES, offsetof(view_app, style.velocities)},
    {VIEW_ACTION_JOINTS, offsetof(view_app, style.joints)},
    {VIEW_ACTION_HANDLES, offsetof(view_app, show_handles)},
    {VIEW_ACTION_NAMES, offsetof(view_app, show_names)},
    {VIEW_ACTION_PANEL, offsetof(view_app, show_panel)},
    {VIEW_ACTION_CONTENTS, offsetof(view_app, show_contents)},
    {VIEW_ACTION_SENSORS, offsetof(view_app, show_sensors)},
    {VIEW_ACTION_ENERGY, offsetof(view_app, show_energy)},
    {VIEW_ACTION_LOGARITHM, offsetof(view_app, energy_logarithm)},
    {VIEW_ACTION_SOLVER, offsetof(view_app, show_solver)},
    {VIEW_ACTION_HELP, offsetof(view_app, show_help)},
    {VIEW_ACTION_PARALLEL, offsetof(view_app, stage.camera.parallel)},
    {VIEW_ACTION_LOOP, offsetof(view_app, loop)},
};

bool *app_switch(view_app *app, view_action action)
{
    for (int i = 0; i < BASE_COUNT(switches); i++)
        if (switches[i].action == action)
            return (bool *)((char *)app + switches[i].place);
    return NULL;
}

/// Whether what an action switches is on.
static bool is_on(view_app *app, view_action action)
{
    const bool *what = app_switch(app, action);
    return what != NULL
               ? *what
               : (action == VIEW_ACTION_CLIP && app->style.clip) ||
                     (action == VIEW_ACTION_CONTACTS && app->style.contacts != VIEW_CONTACTS_OFF) ||
                     (action == VIEW_ACTION_COLOURS && app->style.colours != VIEW_COLOURS_ID) ||
                     (action == VIEW_ACTION_FILM && app->filming);
}

/// Whether a row of the table is a row of its menu: not what is held, and each action once.
static bool is_item(int row)
{
    char text[64];
    const view_key *keys = view_keys(&(int){0});
    view_action action = keys[row].action;
    return (action < VIEW_ACTION_FLY_FORWARD || action > VIEW_ACTION_FLY_DOWN) &&
           view_key_names(row, text, sizeof text) != NULL;
}

/// The rows of a group that fit below the bar; the wheel moves them.
static void draw_menu(view_app *app, double left)
{
    int count = 0, items = 0, at = 0;
    const view_key *keys = view_keys(&count);
    double row = app_row_height(app), width = fmin(36.0 * row, app->width);
    for (int i = 0; i < count; i++)
        items += (int)keys[i].group == app->menu && is_item(i);
    int shown = (int)fmax(3.0, app->height / row - 5.5);
    int last = items > shown ? items - shown : 0;
    app->menu_first = app->menu_first > last ? last : app->menu_first < 0 ? 0 : app->menu_first;
    view_panel panel =
        app_begin_panel(app, APP_PANEL_STILL, fmin(left, app->width - width), 1.4 * row, width);
    for (int i = 0; i < count; i++) {
        char text[64];
        if ((int)keys[i].group != app->menu || !is_item(i))
            continue;
        if (at >= app->menu_first && at < app->menu_first + shown) {
            (void)view_key_names(i, text, sizeof text);
            if (view_panel_item(&panel, keys[i].help, text, is_on(app, keys[i].action)))
                app->bar_action = keys[i].action;
        }
        at++;
    }
    if (items > shown)
        view_panel_row(&panel, "wheel: more", "%d to %d of %d", app->menu_first + 1,
                       app->menu_first + shown, items);
    app->menu_panel = panel;
    (void)app_end_panel(app, &panel);
    app->menu_panel.y = panel.y;
}

static void draw_menu_names(bar_line *bar)
{
    view_app *app = bar->app;
    double left = 0.0;
    for (int group = VIEW_GROUP_TIME; group <= VIEW_GROUP_FILES; group++) {
        bool over = false;
        double x = bar->x;
        bool clicked = put_word(bar, view_key_group_name((view_key_group)group), ink,
                                group == app->menu, &over);
        if (clicked)
            app->menu = app->menu == group ? -1 : group;
        else if (over && app->menu >= 0 && app->menu != group)
            app->menu = group;
        if (clicked || over)
            app->menu_first = over && app->menu == group ? app->menu_first : 0;
        if (group == app->menu)
            left = x;
    }
    if (app->menu >= 0)
        draw_menu(app, left);
}

void app_draw_bar(view_app *app)
{
    double row = app_row_height(app);
    bar_line bar = {app, 0.2 * row, 1.4 * row};
    view_panel panel = {.width = app->width, .y = bar.height};
    view_canvas_box(&app->stage.canvas, 0.0, 0.0, app->width, bar.height, paper);
    bool pressed = app->mouse.pressed;
    put_button(&bar, app->state.paused ? "\xe2\x96\xb6 run" : "pause", VIEW_ACTION_PAUSE, accent);
    put_button(&bar, "step", VIEW_ACTION_STEP, accent);
    put_button(&bar, "back", VIEW_ACTION_BACK, accent);
    put_button(&bar, "reset", VIEW_ACTION_RESET, accent);
    put_button(&bar, app->filming ? "end film" : "film", VIEW_ACTION_FILM,
               app->filming ? alarm : accent);
    put_button(&bar, "scenes", VIEW_ACTION_SCENE_LIST, accent);
    bar.x += 0.6 * row;
    bool on_menu =
        app->menu >= 0 && view_panel_contains(&app->menu_panel, app->mouse.x, app->mouse.y);
    if (pressed && app->menu >= 0 && app->mouse.y >= bar.height && !on_menu)
        app->menu = -1;
    draw_menu_names(&bar);
    put_button(&bar, "help", VIEW_ACTION_HELP, accent);
    app->panels[app->panel_count++] = panel;
}

bool app_menu_has_mouse(const view_app *app)
{
    return app->menu >= 0 && view_panel_contains(&app->menu_panel, app->mouse.x, app->mouse.y);
}

// ---------------------------------------------------------------- help

enum { HELP_LINES = 160 };

/// A line of the help: a row of the table, -1 - group for its name, or nothing.
static int list_help(int lines[HELP_LINES])
{
    const int nothing = -100;
    int count = 0, made = 0;
    char text[64];
    const view_key *keys = view_keys(&count);
    for (int i = 0; i < count && made + 3 < HELP_LINES; i++) {
        if (i == 0 || keys[i].group != keys[i - 1].group) {
            if (i > 0)
                lines[made++] = nothing;
            lines[made++] = -1 - (int)keys[i].group;
        }
        if (view_key_names(i, text, sizeof text) != NULL)
            lines[made++] = i;
    }
    return made;
}

/// Widths of the names of keys and of a column with what they do.
static void measure_help(const view_app *app, double *names, double *column)
{
    int count = 0;
    char text[64];
    const view_key *keys = view_keys(&count);
    double space = 0.5 * app_row_height(app), words = 0.0;
    *names = 0.0;
    for (int i = 0; i < count; i++) {
        if (view_key_names(i, text, sizeof text) != NULL)
            *names = fmax(*names, view_font_width(app->stage.font, text) + space);
        words = fmax(words, view_font_width(app->stage.font, keys[i].help) + space);
    }
    *column = *names + words;
}

void app_draw_help(view_app *app)
{
    int lines[HELP_LINES], count = list_help(lines);
    const view_key *keys = view_keys(&(int){0});
    view_canvas *canvas = &app->stage.canvas;
    double row = app_row_height(app), space = 0.5 * row, names, column;
    measure_help(app, &names, &column);
    int columns = app->width >= 2.0 * column + space ? 2 : 1;
    int each = (count + columns - 1) / columns;
    // lines may stand closer than elsewhere, so that more of them are seen
    double line = fmin(row, fmax((app->height - 2.0 * row) / each, 0.82 * row));
    int shown = (int)fmax(1.0, (app->height - 2.0 * row) / line);
    int last = each > shown ? each - shown : 0;
    app->help_first = app->help_first > last ? last : app->help_first < 0 ? 0 : app->help_first;
    view_canvas_box(canvas, 0.0, 0.0, app->width, app->height, paper);
    for (int i = 0; i < count; i++) {
        char text[64];
        int at = i % each - app->help_first;
        double x = space + (double)(i / each) * 0.5 * app->width, y = 0.3 * row + at * line;
        if (at < 0 || at >= shown)
            continue;
        if (lines[i] < 0 && lines[i] >= -VIEW_GROUP_COUNT)
            view_canvas_text(canvas, x, y, accent,
                             view_key_group_name((view_key_group)(-1 - lines[i])));
        if (lines[i] < 0)
            continue;
        view_canvas_text(canvas, x, y, ink, view_key_names(lines[i], text, sizeof text));
        view_canvas_text(canvas, x + names, y, ink, keys[lines[i]].help);
    }
    view_canvas_text(canvas, space, app->height - 1.3 * row, accent,
                     last > 0 ? "wheel: more   click or Escape: close" : "click or Escape: close");
}
