// SPDX-License-Identifier: Apache-2.0
// Few widgets, drawn and asked in one call each: text, slider, choice, plot.
#ifndef CAIRN_VIEWER_APP_PANEL_H
#define CAIRN_VIEWER_APP_PANEL_H

#include "viewer/draw/canvas.h"

typedef struct view_mouse {
    double x, y; // pixels
    bool down;
    bool pressed, released; // since the last frame
} view_mouse;

/// Parts of panels, from a title on, that were folded by a click on it.
typedef struct view_folds {
    int titles[16]; // [count] hashes
    int count;
} view_folds;

/// A value that is typed into a slider.
typedef struct view_edit {
    int number;    // hash of the slider; 0: none
    char text[32]; // so far
    bool entered;  // Enter was pressed
} view_edit;

/// A column of widgets. Begin, widgets from top to bottom, end.
typedef struct view_panel {
    view_canvas *canvas;
    const view_mouse *mouse;
    double left, top, width; // pixels
    double y;                // of the next widget
    double row;              // height of a row
    int which;               // of the caller's panels
    int background;          // index of the background's first vertex
    view_folds *folds;       // NULL: titles do not fold
    view_edit *edit;         // NULL: nothing is typed
    bool folded;             // what comes until the next title
    bool any;                // typed values may lie outside the slider
    int *held;               // hash of the slider that the mouse holds; 0: none
} view_panel;

view_panel view_panel_begin(view_canvas *canvas, const view_mouse *mouse, int *held, double left,
                            double top, double width);

/// Fits the background to what was put; @return y below the panel
double view_panel_end(view_panel *panel);

bool view_panel_contains(const view_panel *panel, double x, double y);

/// A click folds what follows, up to the next title.
void view_panel_title(view_panel *panel, const char *text);
/// Name to the left, value to the right.
void view_panel_row(view_panel *panel, const char *name, const char *format, ...)
    CAIRN_PRINTF(3, 4);
/// A row that can be clicked, marked when it is chosen. @return true when it was clicked
bool view_panel_item(view_panel *panel, const char *name, const char *value, bool chosen);
/// A click on the value lets another be typed; Enter takes it. @return true when it was taken
bool view_panel_number(view_panel *panel, const char *name, double *value, double minimum,
                       double maximum, const char *unit);
/// The same with a slider below.
/// @param logarithmic  of a positive range; @return true when the value changed
bool view_panel_slider(view_panel *panel, const char *name, double *value, double minimum,
                       double maximum, bool logarithmic, const char *unit);
/// Arrows left and right of a text; @return -1, 0, 1: which was clicked
int view_panel_choice(view_panel *panel, const char *name, const char *value);

typedef struct view_curve {
    const char *name;
    const double
        *values; // [count], apart by `stride` bytes; values that are not finite are left out
    int stride;
    view_colour colour;
} view_curve;

/// Curves over a common abscissa; a title of "" takes no room.
/// @param logarithmic  ordinate; values <= 0 are left out
void view_panel_plot(view_panel *panel, const char *title, const double *x, int x_stride, int count,
                     const view_curve *curves, int curve_count, bool logarithmic, double height);

/// A bar cut into named parts.
void view_panel_bars(view_panel *panel, const char *const *names, const double *values, int count,
                     const char *unit, double scale);

#endif
