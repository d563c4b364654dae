// SPDX-License-Identifier: Apache-2.0
// Widgets and plots on a canvas.
#include "viewer/app/panel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const view_colour paper = {246, 248, 250, 255}, ink = {36, 42, 52, 255},
                         faint = {120, 128, 140, 255}, field = {214, 220, 228, 255},
                         field_hot = {186, 202, 222, 255}, accent = {38, 110, 190, 255};

static const double margin = 0.5; // in rows

view_panel view_panel_begin(view_canvas *canvas, const view_mouse *mouse, int *held, double left,
                            double top, double width)
{
    view_panel panel = {.canvas = canvas, .mouse = mouse, .left = left, .top = top, .width = width};
    panel.row = 1.25 * view_font_height(canvas->font);
    panel.y = top + margin * panel.row;
    panel.background = canvas->vertex_count;
    panel.held = held;
    view_canvas_box(canvas, left, top, width, 1.0, paper);
    return panel;
}

double view_panel_end(view_panel *panel)
{
    double bottom = panel->y + margin * panel->row;
    view_flat_vertex *first = panel->canvas->vertices + panel->background;
    for (int i = 0; i < 6 && panel->background + i < panel->canvas->vertex_count; i++)
        if (first[i].position[1] > (float)panel->top)
            first[i].position[1] = (float)bottom;
    panel->y = bottom;
    return bottom;
}

bool view_panel_contains(const view_panel *panel, double x, double y)
{
    return x >= panel->left && x < panel->left + panel->width && y >= panel->top && y < panel->y;
}

static double inner_left(const view_panel *panel)
{
    return panel->left + margin * panel->row;
}

static double inner_width(const view_panel *panel)
{
    return panel->width - 2.0 * margin * panel->row;
}

static bool is_over(const view_panel *panel, double x, double y, double width, double height)
{
    const view_mouse *mouse = panel->mouse;
    return mouse->x >= x && mouse->x < x + width && mouse->y >= y && mouse->y < y + height;
}

/// Number of a widget, from its name; never 0.
static int number_of(const char *name)
{
    int hash = 5381;
    for (; *name != '\0'; name++)
        hash = (int)((unsigned)hash * 33U ^ (unsigned char)*name);
    return hash != 0 ? hash : 1;
}

// ---------------------------------------------------------------- text

static void fold(view_folds *folds, int place, int title)
{
    if (place < folds->count)
        folds->titles[place] = folds->titles[--folds->count];
    else if (folds->count < (int)(sizeof folds->titles / sizeof folds->titles[0]))
        folds->titles[folds->count++] = title;
}

void view_panel_title(view_panel *panel, const char *text)
{
    double left = inner_left(panel), width = inner_width(panel);
    char shown[128];
    snprintf(shown, sizeof shown, "%s", text);
    // as much of it as the panel has room for
    for (size_t length = strlen(shown);
         length > 0 && view_font_width(panel->canvas->font, shown) > width - 1.2 * panel->row;)
        shown[--length] = '\0';
    view_canvas_text(panel->canvas, left, panel->y, accent, shown);
    if (panel->folds != NULL) {
        int title = number_of(text), place = 0;
        while (place < panel->folds->count && panel->folds->titles[place] != title)
            place++;
        if (panel->mouse->pressed && is_over(panel, left, panel->y, width, panel->row))
            fold(panel->folds, place, title);
        panel->folded = place < panel->folds->count;
        view_canvas_text(panel->canvas, left + width - 0.7 * panel->row, panel->y, faint,
                         panel->folded ? "\xe2\x86\x92" : "\xe2\x86\x93");
    }
    panel->y += panel->row;
}

static void put_right(view_panel *panel, double right, view_colour colour, const char *text)
{
    double width = view_font_width(panel->canvas->font, text);
    view_canvas_text(panel->canvas, right - width, panel->y, colour, text);
}

void view_panel_row(view_panel *panel, const char *name, const char *format, ...)
{
    char text[128];
    va_list arguments;
    if (panel->folded)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    view_canvas_text(panel->canvas, inner_left(panel), panel->y, faint, name);
    // a value without room beside its name stands below it
    if (view_font_width(panel->canvas->font, name) + view_font_width(panel->canvas->font, text) +
            0.4 * panel->row >
        inner_width(panel))
        panel->y += panel->row;
    put_right(panel, inner_left(panel) + inner_width(panel), ink, text);
    panel->y += panel->row;
}

// ---------------------------------------------------------------- widgets

static bool put_button(view_panel *panel, double x, double width, const char *text)
{
    double height = 0.95 * panel->row;
    bool hot = is_over(panel, x, panel->y, width, height);
    view_canvas_box(panel->canvas, x, panel->y, width, height, hot ? field_hot : field);
    double text_width = view_font_width(panel->canvas->font, text);
    view_canvas_text(panel->canvas, x + 0.5 * (width - text_width), panel->y + 0.05 * panel->row,
                     ink, text);
    return hot && panel->mouse->pressed;
}

bool view_panel_item(view_panel *panel, const char *name, const char *value, bool chosen)
{
    double left = inner_left(panel), width = inner_width(panel);
    if (panel->folded)
        return false;
    bool hot = is_over(panel, left, panel->y, width, panel->row);
    if (hot || chosen)
        view_canvas_box(panel->canvas, left, panel->y, width, panel->row,
                        chosen ? field_hot : field);
    view_canvas_text(panel->canvas, left + 0.3 * panel->row, panel->y, ink, name);
    put_right(panel, left + width - 0.3 * panel->row, faint, value);
    panel->y += panel->row;
    return hot && panel->mouse->pressed;
}

int view_panel_choice(view_panel *panel, const char *name, const char *value)
{
    double size = 1.4 * panel->row, right = inner_left(panel) + inner_width(panel);
    int result = 0;
    if (panel->folded)
        return 0;
    view_canvas_text(panel->canvas, inner_left(panel), panel->y, faint, name);
    if (put_button(panel, right - size, size, "\xe2\x86\x92"))
        result = 1;
    if (put_button(panel, right - 2.1 * size, size, "\xe2\x86\x90"))
        result = -1;
    put_right(panel, right - 2.3 * size, ink, value);
    panel->y += 1.15 * panel->row;
    return result;
}

static double to_part(double value, double minimum, double maximum, bool logarithmic)
{
    double part = logarithmic ? log(value / minimum) / log(maximum / minimum)
                              : (value - minimum) / (maximum - minimum);
    return fmin(fmax(part, 0.0), 1.0);
}

static double from_part(double part, double minimum, double maximum, bool logarithmic)
{
    return logarithmic ? minimum * pow(maximum / minimum, part)
                       : minimum + part * (maximum - minimum);
}

/// The value of a slider under the keyboard. @return whether a number was entered
static bool type_value(view_panel *panel, int number, double *value, double minimum, double maximum)
{
    view_edit *edit = panel->edit;
    double x = inner_left(panel) + 0.5 * inner_width(panel), width = 0.5 * inner_width(panel);
    if (edit == NULL)
        return false;
    bool over = is_over(panel, x, panel->y, width, panel->row);
    if (panel->mouse->pressed && over && edit->number != number) {
        *edit = (view_edit){.number = number};
        snprintf(edit->text, sizeof edit->text, "%.6g", *value);
    } else if (panel->mouse->pressed && !over && edit->number == number) {
        edit->number = 0;
    }
    if (edit->number != number)
        return false;
    view_canvas_box(panel->canvas, x, panel->y, width, panel->row, field_hot);
    char shown[40];
    snprintf(shown, sizeof shown, "%s_", edit->text);
    put_right(panel, x + width, ink, shown);
    if (!edit->entered)
        return false;
    char *end = NULL;
    double typed = strtod(edit->text, &end);
    *edit = (view_edit){0};
    if (end == NULL || *end != '\0' || !isfinite(typed))
        return false;
    *value = panel->any ? typed : fmin(fmax(typed, minimum), maximum);
    return true;
}

bool view_panel_number(view_panel *panel, const char *name, double *value, double minimum,
                       double maximum, const char *unit)
{
    int number = number_of(name);
    if (panel->folded)
        return false;
    bool typed = type_value(panel, number, value, minimum, maximum);
    if (panel->edit != NULL && panel->edit->number == number)
        view_panel_row(panel, name, " ");
    else
        view_panel_row(panel, name, "%.4g%s%s", *value, unit[0] != '\0' ? " " : "", unit);
    return typed;
}

bool view_panel_slider(view_panel *panel, const char *name, double *value, double minimum,
                       double maximum, bool logarithmic, const char *unit)
{
    int number = number_of(name);
    double x = inner_left(panel), width = inner_width(panel);
    if (panel->folded)
        return false;
    bool changed = view_panel_number(panel, name, value, minimum, maximum, unit);
    double height = 0.5 * panel->row, y = panel->y;
    if (panel->mouse->pressed && is_over(panel, x, y - 0.2 * height, width, 1.4 * height))
        *panel->held = number;
    bool held = *panel->held == number && (panel->mouse->down || panel->mouse->pressed);
    double part = to_part(*value, minimum, maximum, logarithmic);
    if (held) {
        double asked = fmin(fmax((panel->mouse->x - x) / width, 0.0), 1.0);
        *value = asked != part ? from_part(asked, minimum, maximum, logarithmic) : *value;
        changed = changed || asked != part;
        part = asked;
    }
    view_canvas_box(panel->canvas, x, y + 0.35 * height, width, 0.3 * height, field);
    view_canvas_box(panel->canvas, x, y + 0.35 * height, part * width, 0.3 * height, accent);
    view_canvas_box(panel->canvas, x + part * width - 0.3 * height, y, 0.6 * height, height,
                    held ? accent : faint);
    panel->y += 0.8 * panel->row;
    return changed;
}

// ---------------------------------------------------------------- plots

typedef struct plot_range {
    double low, high;
} plot_range;

static double value_at(const double *values, int stride, int i, bool logarithmic)
{
    double value = *(const double *)((const char *)values + (size_t)i * (size_t)stride);
    if (!logarithmic)
        return value;
    return value > 0.0 ? log10(value) : NAN;
}

static plot_range find_range(const view_curve *curves, int curve_count, int count, bool logarithmic)
{
    plot_range range = {INFINITY, -INFINITY};
    for (int c = 0; c < curve_count; c++)
        for (int i = 0; i < count; i++) {
            double value = value_at(curves[c].values, curves[c].stride, i, logarithmic);
            if (isfinite(value)) {
                range.low = fmin(range.low, value);
                range.high = fmax(range.high, value);
            }
        }
    if (range.low > range.high)
        range = (plot_range){0.0, 1.0};
    // round-off about zero is no end of an axis
    double span = range.high - range.low;
    range.low = !logarithmic && fabs(range.low) < 1e-9 * span ? 0.0 : range.low;
    range.high = !logarithmic && fabs(range.high) < 1e-9 * span ? 0.0 : range.high;
    if (range.high - range.low < 1e-12 * fmax(fabs(range.low), 1e-300))
        range.high = range.low + 1.0;
    return range;
}

typedef struct plot_frame {
    double x, y, width, height;
    double from, to; // of the abscissa
    plot_range range;
    bool logarithmic;
} plot_frame;

static void draw_curve(view_panel *panel, const plot_frame *frame, const double *x, int x_stride,
                       int count, const view_curve *curve)
{
    // no more pieces than there are pixels to show them
    int skip = (int)fmax(1.0, floor(count / frame->width));
    double last_x = NAN, last_y = NAN;
    for (int i = 0; i < count; i += skip) {
        double value = value_at(curve->values, curve->stride, i, frame->logarithmic);
        double across = value_at(x, x_stride, i, false);
        double px = frame->x +
                    frame->width * (across - frame->from) / fmax(frame->to - frame->from, 1e-300);
        double py = frame->y + frame->height * (frame->range.high - value) /
                                   (frame->range.high - frame->range.low);
        if (isfinite(py) && isfinite(last_y))
            view_canvas_line(panel->canvas, last_x, last_y, px, py, 0.085 * panel->row,
                             curve->colour);
        last_x = px;
        last_y = isfinite(value) ? py : NAN;
    }
}

/// An end of the ordinate; a range below two decades shows digits.
static void put_label(const plot_frame *frame, double value, char *label, size_t size)
{
    if (!frame->logarithmic)
        snprintf(label, size, "%.3g", value);
    else if (frame->range.high - frame->range.low >= 2.0)
        snprintf(label, size, "1e%.0f", value);
    else
        snprintf(label, size, "%.1e", pow(10.0, value));
}

static void draw_plot_frame(view_panel *panel, const plot_frame *frame, const view_curve *curves,
                            int curve_count)
{
    static const view_colour ground = {255, 255, 255, 200};
    double text = view_font_height(panel->canvas->font), x;
    char label[32];
    view_canvas_box(panel->canvas, frame->x, frame->y, frame->width, frame->height, ground);
    for (int line = 1; line < 4; line++) {
        view_canvas_line(panel->canvas, frame->x, frame->y + 0.25 * line * frame->height,
                         frame->x + frame->width, frame->y + 0.25 * line * frame->height, 1.0,
                         field);
        view_canvas_line(panel->canvas, frame->x + 0.25 * line * frame->width, frame->y,
                         frame->x + 0.25 * line * frame->width, frame->y + frame->height, 1.0,
                         field);
    }
    // the ordinate's ends stand left of the curves, the abscissa's below
    put_label(frame, frame->range.high, label, sizeof label);
    view_canvas_text(panel->canvas, inner_left(panel), frame->y, faint, label);
    put_label(frame, frame->range.low, label, sizeof label);
    view_canvas_text(panel->canvas, inner_left(panel), frame->y + frame->height - text, faint,
                     label);
    panel->y = frame->y + frame->height + 0.1 * panel->row;
    view_canvas_print(panel->canvas, frame->x, panel->y, faint, "%.4g", frame->from);
    snprintf(label, sizeof label, "%.4g", frame->to);
    put_right(panel, frame->x + frame->width, faint, label);
    panel->y += 0.9 * panel->row;
    x = inner_left(panel);
    for (int c = 0; c < curve_count; c++) {
        double width = view_font_width(panel->canvas->font, curves[c].name);
        if (c > 0 && x + width > inner_left(panel) + inner_width(panel)) {
            x = inner_left(panel);
            panel->y += panel->row;
        }
        x = view_canvas_text(panel->canvas, x, panel->y, curves[c].colour, curves[c].name) +
            0.6 * text;
    }
    panel->y += 1.1 * panel->row;
}

/// Room for the numbers of an ordinate.
static double label_width(const view_panel *panel)
{
    return view_font_width(panel->canvas->font, "-0.00e-00 ");
}

/// A line at the point nearest to the mouse, with what the curves are there.
static void read_under_mouse(view_panel *panel, const plot_frame *frame, const double *x,
                             int x_stride, int count, const view_curve *curves, int curve_count)
{
    if (count == 0 || !is_over(panel, frame->x, frame->y, frame->width, frame->height))
        return;
    double asked =
        frame->from + (frame->to - frame->from) * (panel->mouse->x - frame->x) / frame->width;
    int nearest = 0;
    for (int i = 1; i < count; i++)
        if (fabs(value_at(x, x_stride, i, false) - asked) <
            fabs(value_at(x, x_stride, nearest, false) - asked))
            nearest = i;
    double at = value_at(x, x_stride, nearest, false), row = panel->row;
    double px =
        frame->x + frame->width * (at - frame->from) / fmax(frame->to - frame->from, 1e-300);
    view_canvas_line(panel->canvas, px, frame->y, px, frame->y + frame->height, 1.0, faint);
    double left = px + 0.4 * row, width = 11.0 * row;
    if (left + width > frame->x + frame->width)
        left = px - 0.4 * row - width;
    view_canvas_box(panel->canvas, left, frame->y, width, (1.0 + curve_count) * row, paper);
    view_canvas_print(panel->canvas, left + 0.2 * row, frame->y, faint, "at %.6g", at);
    for (int c = 0; c < curve_count; c++)
        view_canvas_print(panel->canvas, left + 0.2 * row, frame->y + (1.0 + c) * row,
                          curves[c].colour, "%.12s %.6g", curves[c].name,
                          value_at(curves[c].values, curves[c].stride, nearest, false));
}

void view_panel_plot(view_panel *panel, const char *title, const double *x, int x_stride, int count,
                     const view_curve *curves, int curve_count, bool logarithmic, double height)
{
    if (title[0] != '\0')
        view_panel_title(panel, title);
    if (panel->folded)
        return;
    plot_frame frame = {
        .x = inner_left(panel) + label_width(panel),
        .y = panel->y,
        .width = inner_width(panel) - label_width(panel),
        .height = height,
        .from = count > 0 ? value_at(x, x_stride, 0, false) : 0.0,
        .to = count > 0 ? value_at(x, x_stride, count - 1, false) : 1.0,
        .range = find_range(curves, curve_count, count, logarithmic),
        .logarithmic = logarithmic,
    };
    draw_plot_frame(panel, &frame, curves, curve_count);
    for (int c = 0; c < curve_count; c++)
        draw_curve(panel, &frame, x, x_stride, count, &curves[c]);
    read_under_mouse(panel, &frame, x, x_stride, count, curves, curve_count);
}

void view_panel_bars(view_panel *panel, const char *const *names, const double *values, int count,
                     const char *unit, double scale)
{
    double largest = 1e-300;
    if (panel->folded)
        return;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, values[i]);
    for (int i = 0; i < count; i++) {
        double width = 0.45 * inner_width(panel);
        view_canvas_box(panel->canvas, inner_left(panel) + 0.3 * inner_width(panel),
                        panel->y + 0.2 * panel->row, width * values[i] / largest, 0.5 * panel->row,
                        view_colour_of(i));
        view_panel_row(panel, names[i], "%.3f %s", scale * values[i], unit);
    }
}
