// SPDX-License-Identifier: Apache-2.0
// The list of scenes and runs over the picture: typed letters narrow it down, Enter opens.
#include "viewer/app/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const view_colour ink = {36, 42, 52, 255}, faint = {120, 128, 140, 255},
                         bar = {186, 202, 222, 255}, accent = {38, 110, 190, 255},
                         blank = {214, 219, 226, 255};

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
    app_stop_sketches(app);
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
    case SDLK_RIGHT:
    case SDLK_TAB:
        view_picker_move(picker, 1);
        break;
    case SDLK_LEFT:
        view_picker_move(picker, -1);
        break;
    case SDLK_DOWN:
        view_picker_move(picker, picker->columns);
        break;
    case SDLK_UP:
        view_picker_move(picker, -picker->columns);
        break;
    case SDLK_PAGEDOWN:
        view_picker_move(picker, picker->columns * picker->rows);
        break;
    case SDLK_PAGEUP:
        view_picker_move(picker, -picker->columns * picker->rows);
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

// ---------------------------------------------------------------- drawing

// in heights of a row of text: a small picture and the gap between two; below it there is its name
static const double image_width = 9.6, image_height = 6.0, gap = 0.5;

/// How many choices are beside and below each other in this window.
static void arrange(view_app *app)
{
    view_picker *picker = &app->picker;
    double row = app_row_height(app);
    int columns = (int)((app->width - 4.0 * row) / ((image_width + gap) * row));
    int rows = (int)((app->height - 6.5 * row) / ((image_height + 1.0 + gap) * row));
    picker->columns = columns < 1 ? 1 : columns > VIEW_IMAGE_COLUMNS ? VIEW_IMAGE_COLUMNS : columns;
    int most = VIEW_IMAGES_MAX / VIEW_IMAGE_COLUMNS;
    picker->rows = rows < 1 ? 1 : rows > most ? most : rows;
}

/// The part of a name that fits below a picture.
static int fitting(const view_app *app, const char *name, double width)
{
    double letter = view_font_width(app->stage.font, "m");
    int letters = (int)(width / fmax(letter, 1.0)), length = (int)strlen(name);
    return length < letters ? length : letters;
}

/// A small picture with its name. @return true when it was clicked
static bool draw_choice(view_app *app, double left, double top, int shown, int image)
{
    int index = app->picker.shown[shown];
    const view_choice *choice = &app->picker.choices[index];
    view_canvas *canvas = &app->stage.canvas;
    double row = app_row_height(app), width = image_width * row, height = image_height * row;
    bool over = app->mouse.x >= left && app->mouse.x < left + width && app->mouse.y >= top &&
                app->mouse.y < top + height + row;
    double edge = 0.25 * gap * row;
    if (shown == app->picker.chosen)
        view_canvas_box(canvas, left - edge, top - edge, width + 2.0 * edge,
                        height + row + 2.0 * edge, bar);
    if (app->images[image] == index + 1)
        view_canvas_image(canvas, left, top, width, height, image);
    else
        view_canvas_box(canvas, left, top, width, height, blank);
    double tag = choice->run ? view_font_width(app->stage.font, "run ") : 0.0;
    view_canvas_print(canvas, left, top + height, faint, "%s", choice->run ? "run" : "");
    view_canvas_print(canvas, left + tag, top + height, over ? accent : ink, "%.*s",
                      fitting(app, choice->name, width - tag), choice->name);
    return over && app->mouse.pressed;
}

void app_draw_picker(view_app *app)
{
    view_picker *picker = &app->picker;
    if (!picker->open) {
        app_stop_sketches(app);
        return;
    }
    arrange(app);
    int columns = picker->columns, at = picker->chosen / columns, clicked = -1;
    int first = at >= picker->rows ? (at - picker->rows + 1) * columns : 0;
    int count = picker->shown_count - first;
    count = count > columns * picker->rows ? columns * picker->rows : count;
    app_feed_sketches(app, first, count);

    double row = app_row_height(app), cell = (image_width + gap) * row;
    double width = columns * cell + gap * row;
    view_panel panel =
        app_begin_panel(app, APP_PANEL_STILL, 0.5 * (app->width - width), 2.5 * row, width);
    panel.folds = NULL;
    char title[VIEW_FILTER_MAX + 20];
    snprintf(title, sizeof title, "open: %s_", picker->filter);
    view_panel_title(&panel, title);
    double top = panel.y + 0.5 * gap * row, down = (image_height + 1.0 + gap) * row;
    for (int i = 0; i < count; i++)
        if (draw_choice(app, panel.left + gap * row + i % columns * cell, top + i / columns * down,
                        first + i, i))
            clicked = first + i;
    panel.y = top + (count + columns - 1) / columns * down;
    if (count <= 0)
        view_panel_row(&panel, "nothing of that name", "%s", "");
    view_panel_row(&panel,
                   columns > 2   ? "type to narrow down, Enter opens, Escape leaves"
                   : columns > 1 ? "type, arrows, Enter, Escape"
                                 : "type",
                   "%d of %d", picker->shown_count, picker->count);
    (void)app_end_panel(app, &panel);
    if (clicked >= 0) {
        picker->chosen = clicked;
        open_chosen(app);
    } else if (app->mouse.pressed && !view_panel_contains(&panel, app->mouse.x, app->mouse.y)) {
        picker->open = false;
    }
}
