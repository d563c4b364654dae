// SPDX-License-Identifier: Apache-2.0
// Bodies that are chosen together, and marked instants on the time slider.
#include "viewer/app/app.h"

#include <math.h>
#include <string.h>

/// Makes the flags as long as the model's bodies; new ones are false.
static bool reach_bodies(view_app *app)
{
    int had = app->flag_capacity, count = app->model.body_count;
    if (count <= had)
        return true;
    if (base_array_reserve(&app->allocator, &app->flags, &app->flag_capacity, count) != CAIRN_OK) {
        app_say(app, "out of memory for the set");
        return false;
    }
    memset(app->flags + had, 0, (size_t)(app->flag_capacity - had) * sizeof *app->flags);
    return true;
}

static bool is_in_set(const view_app *app, int body)
{
    return body >= 0 && body < app->flag_capacity && (app->flags[body] & VIEW_FLAG_SET) != 0;
}

static void put_in_set(view_app *app, int body, bool in)
{
    if (is_in_set(app, body) == in)
        return;
    app->flags[body] ^= VIEW_FLAG_SET;
    app->set_count += in ? 1 : -1;
}

void app_toggle_in_set(view_app *app, int body)
{
    if (body < 0 || !reach_bodies(app))
        return;
    // the first one may have been chosen by a plain click
    if (app->set_count == 0 && app->selected >= 0 && app->selected != body)
        put_in_set(app, app->selected, true);
    put_in_set(app, body, !is_in_set(app, body));
    app->selected = app->contact = -1;
}

void app_choose_material(view_app *app, int material)
{
    if (!reach_bodies(app))
        return;
    app_clear_set(app);
    for (int i = 0; i < app->model.body_count; i++)
        if (view_frame_has(app->frame, i) && app->model.bodies[i].material == material)
            put_in_set(app, i, true);
    app->selected = app->contact = -1;
}

void app_clear_set(view_app *app)
{
    for (int i = 0; i < app->flag_capacity; i++)
        app->flags[i] &= (unsigned char)~VIEW_FLAG_SET;
    app->set_count = 0;
}

void app_hide_set(view_app *app)
{
    int hidden = 0, shown = 0;
    for (int i = 0; i < app->flag_capacity; i++)
        if (app->set_count > 0 && is_in_set(app, i)) {
            app->flags[i] = VIEW_FLAG_HIDDEN;
            hidden++;
        } else if (app->set_count == 0 && app->flags[i] != 0) {
            app->flags[i] = 0;
            shown++;
        }
    app->set_count = 0;
    if (hidden > 0)
        app_say(app, "%d %s hidden; Shift+H shows all again", hidden,
                hidden == 1 ? "body" : "bodies");
    else
        app_say(app,
                shown > 0 ? "all bodies are shown" : "choose bodies by Shift and a click first");
}

bool app_set_bounds(const view_app *app, vec3 *low, vec3 *high)
{
    *low = vec3_make(INFINITY, INFINITY, INFINITY);
    *high = vec3_negate(*low);
    for (int i = 0; i < app->model.body_count; i++) {
        double r = app->model.bodies[i].radius;
        vec3 reach = vec3_make(r, r, r);
        if (!is_in_set(app, i) || !view_frame_has(app->frame, i))
            continue;
        *low = vec3_min(*low, vec3_sub(app->frame->centres[i], reach));
        *high = vec3_max(*high, vec3_add(app->frame->centres[i], reach));
    }
    return low->x <= high->x;
}

double app_draw_set(view_app *app)
{
    double row = app_row_height(app), mass = 0.0, energy = 0.0, speed = 0.0;
    vec3 moment = {0.0, 0.0, 0.0}, momentum = {0.0, 0.0, 0.0};
    int dynamic = 0;
    for (int i = 0; i < app->model.body_count; i++) {
        const view_body *body = &app->model.bodies[i];
        if (!is_in_set(app, i) || !view_frame_has(app->frame, i) || body->kind != CAIRN_DYNAMIC)
            continue;
        vec3 v = app->frame->velocities[i];
        dynamic++;
        mass += body->mass;
        moment = vec3_add_scaled(moment, body->mass, app->frame->centres[i]);
        momentum = vec3_add_scaled(momentum, body->mass, v);
        energy += 0.5 * body->mass * vec3_dot(v, v);
        speed = fmax(speed, vec3_norm(v));
    }
    view_panel panel =
        app_begin_panel(app, APP_PANEL_CHOSEN, app->width - 24.5 * row, app_top(app), 24.0 * row);
    view_panel_title(&panel, "chosen set");
    view_panel_row(&panel, "bodies", "%d, of them dynamic %d", app->set_count, dynamic);
    if (mass > 0.0) {
        vec3 p = vec3_scale(1.0 / mass, moment), v = vec3_scale(1.0 / mass, momentum);
        view_panel_row(&panel, "mass", "%.5g kg", mass);
        view_panel_row(&panel, "centre of mass", "%.4f %.4f %.4f m", p.x, p.y, p.z);
        view_panel_row(&panel, "its velocity", "%.4g %.4g %.4g m/s", v.x, v.y, v.z);
        view_panel_row(&panel, "fastest body", "%.4g m/s", speed);
        view_panel_row(&panel, "energy", "%.4g J (of the centres)", energy);
    }
    view_panel_row(&panel, "", "Shift+H hides them, F fits them, Escape lets go");
    return app_end_panel(app, &panel);
}

// ---------------------------------------------------------------- marks

/// s from one kept frame to the next.
static double spacing(const view_app *app)
{
    int kept = app->state.kept;
    return kept > 1 ? (app->state.latest - app->state.oldest) / (kept - 1) : 0.0;
}

void app_toggle_mark(view_app *app)
{
    double now = app->frame->time, near = 0.5 * spacing(app);
    for (int i = 0; i < app->mark_count; i++)
        if (fabs(app->marks[i] - now) <= near) {
            memmove(app->marks + i, app->marks + i + 1,
                    (size_t)(--app->mark_count - i) * sizeof *app->marks);
            app_say(app, "mark at %.4g s taken away", now);
            return;
        }
    if (app->mark_count == APP_MARKS_MAX) {
        app_say(app, "there are %d marks, and no room for more", APP_MARKS_MAX);
        return;
    }
    int place = app->mark_count++;
    for (; place > 0 && app->marks[place - 1] > now; place--)
        app->marks[place] = app->marks[place - 1];
    app->marks[place] = now;
    app_say(app, "marked %.4g s", now);
}

void app_seek_mark(view_app *app, int way)
{
    double now = app->frame->time, each = spacing(app), found = NAN;
    for (int i = 0; i < app->mark_count; i++) {
        double ahead = way * (app->marks[i] - now);
        bool kept = app->marks[i] >= app->state.oldest - 0.5 * each;
        if (kept && ahead > 0.5 * each && !(ahead >= way * (found - now)))
            found = app->marks[i];
    }
    if (isnan(found) || !(each > 0.0)) {
        app_say(app, app->mark_count == 0 ? "no instant is marked; Shift+M marks one"
                                          : "no mark that way in what is kept");
        return;
    }
    app_order(app, VIEW_ORDER_PAUSE, 1.0);
    app_order(app, VIEW_ORDER_SEEK, round((app->state.latest - found) / each));
}

void app_draw_marks(view_app *app, double top, double height)
{
    static const view_colour colour = {236, 140, 20, 255};
    double span = app->state.latest - app->state.oldest, half = 0.15 * app_row_height(app);
    for (int i = 0; i < app->mark_count && span > 0.0; i++) {
        double part = (app->marks[i] - app->state.oldest) / span;
        if (part >= 0.0 && part <= 1.0)
            view_canvas_box(&app->stage.canvas, part * app->width - half, top, 2.0 * half, height,
                            colour);
    }
}
