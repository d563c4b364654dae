// SPDX-License-Identifier: Apache-2.0
// Frames of the panels over the picture.
#include "viewer/app/app.h"

#include <math.h>

double app_row_height(const view_app *app)
{
    return 1.25 * view_font_height(app->stage.font);
}

double app_top(const view_app *app)
{
    return 1.9 * app_row_height(app);
}

/// Moves a panel by its upper edge, and keeps that in the window. @return whether it can be taken
static bool drag_panel(view_app *app, app_panel which, double left, double top, double width)
{
    double row = app_row_height(app), *way = app->panel_ways[which];
    const double mouse[2] = {app->mouse.x, app->mouse.y};
    // one that is higher than the window can be pushed up behind the bar
    double bottom = app->height - 2.0 * row - top - app->panel_heights[which];
    const double low[2] = {4.0 * row - left - width, fmin(app_top(app) - top, bottom)};
    const double high[2] = {app->width - 4.0 * row - left, app->height - 4.0 * row - top};
    int number = -1 - (int)which; // -1 is the time slider
    bool over = which != APP_PANEL_STILL && mouse[0] >= left + way[0] &&
                mouse[0] < left + way[0] + width && mouse[1] >= top + way[1] &&
                mouse[1] < top + way[1] + 0.5 * row;
    bool taken = over && app->mouse.pressed && app->held == 0;
    if (taken)
        app->held = number;
    bool held = app->held == number && which != APP_PANEL_STILL;
    for (int k = 0; k < 2; k++) {
        if (taken)
            app->grip[k] = mouse[k] - way[k];
        else if (held)
            way[k] = mouse[k] - app->grip[k];
        way[k] = which == APP_PANEL_STILL ? 0.0 : fmax(fmin(way[k], high[k]), low[k]);
    }
    return over || held;
}

view_panel app_begin_panel(view_app *app, app_panel which, double left, double top, double width)
{
    static const view_colour grip = {186, 202, 222, 255}, hot = {38, 110, 190, 255};
    double row = app_row_height(app);
    bool taken = drag_panel(app, which, left, top, width);
    const double *way = app->panel_ways[which];
    app->begun = which;
    view_panel panel = view_panel_begin(&app->stage.canvas, &app->mouse, &app->held, left + way[0],
                                        top + way[1], width);
    if (which != APP_PANEL_STILL)
        view_canvas_box(panel.canvas, panel.left + 0.5 * width - 1.5 * row, panel.top + 0.15 * row,
                        3.0 * row, 0.15 * row, taken ? hot : grip);
    panel.folds = &app->folds;
    panel.edit = &app->edit;
    return panel;
}

double app_end_panel(view_app *app, view_panel *panel)
{
    view_panel_end(panel);
    app->panel_heights[app->begun] = panel->y - panel->top;
    panel->which = app->begun;
    if (app->panel_count < VIEW_PANELS_MAX)
        app->panels[app->panel_count++] = *panel;
    return panel->y - app->panel_ways[app->begun][1] + 0.5 * app_row_height(app);
}

bool app_scroll_panel(view_app *app, double rows)
{
    for (int i = app->panel_count - 1; i >= 0; i--)
        if (view_panel_contains(&app->panels[i], app->mouse.x, app->mouse.y)) {
            app->panel_ways[app->panels[i].which][1] += 3.0 * rows * app_row_height(app);
            return true;
        }
    return false;
}
