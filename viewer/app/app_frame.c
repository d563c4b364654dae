// SPDX-License-Identifier: Apache-2.0
// Frames of the panels over the picture.
#include "viewer/app/app.h"

double app_row_height(const view_app *app)
{
    return 1.25 * view_font_height(app->stage.font);
}

view_panel app_begin_panel(view_app *app, double left, double top, double width)
{
    view_panel panel =
        view_panel_begin(&app->stage.canvas, &app->mouse, &app->held, left, top, width);
    panel.folds = &app->folds;
    panel.edit = &app->edit;
    return panel;
}

void app_end_panel(view_app *app, view_panel *panel)
{
    view_panel_end(panel);
    if (app->panel_count < VIEW_PANELS_MAX)
        app->panels[app->panel_count++] = *panel;
}
