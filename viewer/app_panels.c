// SPDX-License-Identifier: Apache-2.0
// What lies over the picture: status line, body, settings, plots, help, names.
#include "viewer/app.h"

#include "base/assert.h"
#include "base/timer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const view_colour ink = {36, 42, 52, 255}, paper = {246, 248, 250, 226},
                         accent = {38, 110, 190, 255}, alarm = {200, 50, 40, 255};

static double row_height(const view_app *app)
{
    return 1.25 * view_font_height(app->stage.font);
}

/// Panels remember their place until the next picture, for the mouse.
static void finish_panel(view_app *app, view_panel *panel)
{
    view_panel_end(panel);
    if (app->panel_count < VIEW_PANELS_MAX)
        app->panels[app->panel_count++] = *panel;
}

// ---------------------------------------------------------------- status line

static const char *run_word(const view_app *app)
{
    return app->state.failed ? "stopped" : app->state.paused ? "paused" : "running";
}

static void draw_status(view_app *app)
{
    view_canvas *canvas = &app->stage.canvas;
    double row = row_height(app), y = app->height - 1.2 * row;
    const view_simulation_state *state = &app->state;
    const cairn_step_report *report = &app->frame->report;
    view_canvas_box(canvas, 0.0, y - 0.15 * row, app->width, 1.4 * row, paper);
    double x =
        view_canvas_print(canvas, 0.5 * row, y, accent, "%s  %s", app->scene->name, run_word(app));
    x = view_canvas_print(canvas, x + row, y, ink,
                          "t = %.3f s  step %lld  speed %.3g (reached %.3g)  contacts %d  error "
                          "%.1e  iterations %d  %.0f pictures/s",
                          app->frame->time, (long long)app->frame->step, state->speed,
                          state->paused ? 0.0 : state->factor, app->frame->contact_count,
                          report->error, report->iterations, app->picture_rate);
    if (state->back > 0)
        x = view_canvas_print(canvas, x + row, y, alarm, "%d steps back", state->back);
    if (app->filming)
        view_canvas_print(canvas, x + row, y, alarm, "filming, %d pictures", app->film.frames);
    const char *hint = "F1: help";
    view_canvas_text(canvas, app->width - 0.5 * row - view_font_width(app->stage.font, hint), y,
                     accent, hint);
}

/// The ring of past frames as a line over the status line: a time slider.
static void draw_slider(view_app *app)
{
    const view_simulation_state *state = &app->state;
    double row = row_height(app), y = app->height - 1.75 * row;
    if (state->kept < 2)
        return;
    double back = state->back;
    view_panel panel = {.canvas = &app->stage.canvas,
                        .mouse = &app->mouse,
                        .left = 0.0,
                        .top = y,
                        .width = app->width,
                        .y = y + 0.4 * row,
                        .row = row};
    double part = 1.0 - back / (state->kept - 1);
    bool over = app->mouse.y >= y && app->mouse.y < panel.y;
    if (app->mouse.pressed && over)
        app->held = -1;
    if (app->held == -1 && app->mouse.down) {
        double asked = fmin(fmax(app->mouse.x / app->width, 0.0), 1.0);
        app_order(app, VIEW_ORDER_SEEK, round((1.0 - asked) * (state->kept - 1)));
        part = asked;
    }
    view_canvas_box(panel.canvas, 0.0, y, app->width, 0.4 * row, paper);
    view_canvas_box(panel.canvas, 0.0, y, part * app->width, 0.4 * row, accent);
    app->panels[app->panel_count++] = panel;
}

static void draw_toast(view_app *app)
{
    view_canvas *canvas = &app->stage.canvas;
    double row = row_height(app), width = view_font_width(app->stage.font, app->toast) + row;
    if (base_timer_seconds() > app->toast_until)
        return;
    double x = 0.5 * (app->width - width);
    view_canvas_box(canvas, x, 0.5 * row, width, 1.3 * row, paper);
    view_canvas_text(canvas, x + 0.5 * row, 0.65 * row, ink, app->toast);
}

// ---------------------------------------------------------------- the chosen body

static void list_contacts(view_app *app, view_panel *panel)
{
    enum { SHOWN = 8 };
    int count = 0;
    for (int i = 0; i < app->frame->contact_count; i++) {
        const view_contact *contact = &app->frame->contacts[i];
        if (contact->a != app->selected && contact->b != app->selected)
            continue;
        int other = contact->a == app->selected ? contact->b : contact->a;
        const char *name = app->model.bodies[other].name;
        char label[40];
        if (name[0] != '\0')
            snprintf(label, sizeof label, "  %.30s", name);
        else
            snprintf(label, sizeof label, "  body %d", other);
        if (count++ < SHOWN)
            view_panel_row(panel, label, "%.4g N", vec3_norm(contact->force));
    }
    if (count > SHOWN)
        view_panel_row(panel, "  ...", "%d more", count - SHOWN);
}

static int count_contacts(const view_app *app)
{
    int count = 0;
    for (int i = 0; i < app->frame->contact_count; i++)
        count += app->frame->contacts[i].a == app->selected ||
                 app->frame->contacts[i].b == app->selected;
    return count;
}

static void draw_body(view_app *app)
{
    static const char *const kinds[] = {"dynamic", "fixed", "moving"};
    int selected = app->selected;
    double row = row_height(app);
    if (selected < 0)
        return;
    const view_body *body = &app->model.bodies[selected];
    view_panel panel = view_panel_begin(&app->stage.canvas, &app->mouse, &app->held,
                                        app->width - 20.5 * row, 0.5 * row, 20.0 * row);
    vec3 p = app->frame->centres[selected], v = app->frame->velocities[selected];
    vec3 w = app->frame->spins[selected];
    char title[80];
    snprintf(title, sizeof title, "body %d  %.50s", selected, body->name);
    view_panel_title(&panel, title);
    view_panel_row(&panel, "kind", "%s", kinds[body->kind]);
    if (body->material < app->model.material_count)
        view_panel_row(&panel, "material", "%.60s", app->model.materials[body->material]);
    if (body->kind == CAIRN_DYNAMIC)
        view_panel_row(&panel, "mass", "%.5g kg", body->mass);
    view_panel_row(&panel, "centre", "%.4f %.4f %.4f m", p.x, p.y, p.z);
    view_panel_row(&panel, "velocity", "%.4f %.4f %.4f m/s", v.x, v.y, v.z);
    view_panel_row(&panel, "spin", "%.3f %.3f %.3f rad/s", w.x, w.y, w.z);
    if (body->kind == CAIRN_DYNAMIC)
        view_panel_row(&panel, "energy", "%.4g J (of the centre)",
                       0.5 * body->mass * vec3_dot(v, v));
    view_panel_row(&panel, "contacts", "%d", count_contacts(app));
    list_contacts(app, &panel);
    finish_panel(app, &panel);
}

// ---------------------------------------------------------------- settings

static void choose_solver(view_app *app, view_panel *panel)
{
    int count = cairn_plugin_count(CAIRN_SOLVER);
    int way = view_panel_choice(panel, "solver", app->state.solver);
    for (int i = 0; way != 0 && i < count; i++) {
        if (strcmp(cairn_plugin_get(CAIRN_SOLVER, i).name, app->state.solver) != 0)
            continue;
        view_order order = {.kind = VIEW_ORDER_SOLVER};
        snprintf(order.text, sizeof order.text, "%s",
                 cairn_plugin_get(CAIRN_SOLVER, (i + way + count) % count).name);
        view_simulation_post(app->simulation, &order);
        return;
    }
}

static void draw_settings(view_app *app)
{
    const view_simulation_state *state = &app->state;
    double row = row_height(app), gravity = -state->gravity[2], tolerance = state->tolerance;
    double friction = state->friction_scale, speed = state->speed;
    double scale = app->style.contact_scale;
    view_panel panel = view_panel_begin(&app->stage.canvas, &app->mouse, &app->held, 0.5 * row,
                                        0.5 * row, 17.0 * row);
    view_panel_title(&panel, app->scene->title[0] != '\0' ? app->scene->title : app->scene->name);
    view_panel_row(&panel, "time step", "%.4g s", state->time_step);
    view_panel_row(&panel, "bodies", "%d", app->model.body_count);
    choose_solver(app, &panel);
    if (view_panel_slider(&panel, "tolerance", &tolerance, 1e-12, 1e-1, true, ""))
        app_order(app, VIEW_ORDER_TOLERANCE, tolerance);
    if (view_panel_slider(&panel, "gravity, downward", &gravity, -20.0, 20.0, false, "m/s2")) {
        view_order order = {
            .kind = VIEW_ORDER_GRAVITY, .vector = {state->gravity[0], state->gravity[1], -gravity}
        };
        view_simulation_post(app->simulation, &order);
    }
    if (view_panel_slider(&panel, "friction factor", &friction, 0.0, 3.0, false, ""))
        app_order(app, VIEW_ORDER_FRICTION, friction);
    if (view_panel_slider(&panel, "speed", &speed, 1.0 / 64.0, 64.0, true, ""))
        app_order(app, VIEW_ORDER_SPEED, speed);
    int way = view_panel_choice(&panel, "contacts", view_contacts_names[app->style.contacts]);
    if (way != 0)
        app_act(app, way > 0 ? VIEW_ACTION_CONTACTS : VIEW_ACTION_CONTACTS_BACK);
    view_panel_slider(&panel, "contact symbols", &scale, 0.1, 10.0, true, "times");
    app->style.contact_scale = scale;
    if (view_panel_choice(&panel, "colours", view_colours_names[app->style.colours]) != 0)
        app_act(app, VIEW_ACTION_COLOURS);
    if (view_panel_button(&panel, state->paused ? "go on" : "pause"))
        app_act(app, VIEW_ACTION_PAUSE);
    if (view_panel_button(&panel, "start again"))
        app_act(app, VIEW_ACTION_RESET);
    finish_panel(app, &panel);
}

// ---------------------------------------------------------------- plots

static void draw_energy(view_app *app, double left, double *top)
{
    static const view_colour colours[] = {
        {214, 62,  56,  255},
        {56,  110, 214, 255},
        {120, 90,  180, 255},
        {70,  150, 78,  255},
        {60,  60,  60,  255}
    };
    const int stride = sizeof(view_sample);
    const view_sample *s = app->samples;
    const view_curve curves[] = {
        {"kinetic",    &s->kinetic,    stride, colours[0]},
        {"potential",  &s->potential,  stride, colours[1]},
        {"elastic",    &s->elastic,    stride, colours[2]},
        {"dissipated", &s->dissipated, stride, colours[3]},
        {"residual",   &s->residual,   stride, colours[4]},
    };
    double row = row_height(app);
    view_panel panel =
        view_panel_begin(&app->stage.canvas, &app->mouse, &app->held, left, *top, 24.0 * row);
    view_panel_plot(&panel, "energy, J", &s->time, stride, app->sample_count, curves,
                    BASE_COUNT(curves), false, 7.0 * row);
    finish_panel(app, &panel);
    *top = panel.y + 0.5 * row;
}

static void draw_phases(view_app *app, view_panel *panel)
{
    const char *names[CAIRN_PHASE_COUNT];
    double means[CAIRN_PHASE_COUNT] = {0};
    int used = app->sample_count < 60 ? app->sample_count : 60;
    for (int phase = 0; phase < CAIRN_PHASE_COUNT; phase++) {
        names[phase] = cairn_phase_name((cairn_phase)phase);
        for (int i = app->sample_count - used; i < app->sample_count; i++)
            means[phase] += app->samples[i].seconds[phase] / used;
    }
    view_panel_title(panel, "time of a step, mean of 60");
    view_panel_bars(panel, names, means, CAIRN_PHASE_COUNT, "ms", 1e3);
}

static void draw_solver(view_app *app, double left, double *top)
{
    const int stride = sizeof(view_sample);
    double row = row_height(app);
    const view_curve error = {"residual of each step", &app->samples->error, stride, alarm};
    double *iterations = base_allocate(&app->allocator, VIEW_SAMPLES_SHOWN, sizeof *iterations);
    view_panel panel =
        view_panel_begin(&app->stage.canvas, &app->mouse, &app->held, left, *top, 24.0 * row);
    view_panel_plot(&panel, "solver: residual", &app->samples->time, stride, app->sample_count,
                    &error, 1, true, 4.0 * row);
    for (int i = 0; iterations != NULL && i < app->sample_count; i++)
        iterations[i] = app->samples[i].iterations;
    if (iterations != NULL) {
        const view_curve count = {"iterations of each step", iterations, sizeof *iterations,
                                  accent};
        view_panel_plot(&panel, "solver: iterations", &app->samples->time, stride,
                        app->sample_count, &count, 1, false, 4.0 * row);
    }
    draw_phases(app, &panel);
    base_release(&app->allocator, iterations);
    finish_panel(app, &panel);
    *top = panel.y + 0.5 * row;
}

static void draw_plots(view_app *app)
{
    double row = row_height(app);
    double left = app->show_panel ? 18.0 * row : 0.5 * row, top = 0.5 * row;
    if (!app->show_energy && !app->show_solver)
        return;
    app->sample_count = view_simulation_samples(app->simulation, app->samples, VIEW_SAMPLES_SHOWN);
    if (app->show_energy)
        draw_energy(app, left, &top);
    if (app->show_solver)
        draw_solver(app, left, &top);
}

// ---------------------------------------------------------------- help and names

static double put_help_column(view_app *app, double x, double y, view_key_group from,
                              view_key_group to)
{
    int count = 0;
    const view_key *keys = view_keys(&count);
    double row = row_height(app);
    char text[64];
    for (int i = 0; i < count; i++) {
        if (keys[i].group < from || keys[i].group > to)
            continue;
        if (i == 0 || keys[i].group != keys[i - 1].group) {
            y += 0.4 * row;
            view_canvas_text(&app->stage.canvas, x, y, accent, view_key_group_name(keys[i].group));
            y += row;
        }
        if (view_key_names(i, text, sizeof text) == NULL)
            continue;
        view_canvas_text(&app->stage.canvas, x, y, ink, text);
        view_canvas_text(&app->stage.canvas, x + 9.5 * row, y, ink, keys[i].help);
        y += row;
    }
    return y;
}

static void draw_help(view_app *app)
{
    double row = row_height(app), x = 1.5 * row, y = 1.0 * row;
    view_colour cover = paper;
    cover.a = 244;
    view_canvas_box(&app->stage.canvas, 0.0, 0.0, app->width, app->height, cover);
    put_help_column(app, x, y, VIEW_GROUP_TIME, VIEW_GROUP_CAMERA);
    put_help_column(app, 0.48 * app->width, y, VIEW_GROUP_SHOW, VIEW_GROUP_MOUSE);
}

/// Where a point of the world lies in the picture; false behind the eye.
static bool project(const view_app *app, vec3 point, double *x, double *y)
{
    const view_camera *camera = &app->stage.camera;
    view_axes axes = view_camera_axes(camera);
    vec3 from = vec3_sub(point, axes.eye);
    double depth = camera->parallel ? camera->distance : vec3_dot(from, axes.forward);
    if (depth <= 0.0)
        return false;
    double scale = 0.5 * app->height / (depth * tan(0.5 * camera->opening));
    *x = 0.5 * app->width + scale * vec3_dot(from, axes.right);
    *y = 0.5 * app->height - scale * vec3_dot(from, axes.up);
    return true;
}

static void draw_names(view_app *app)
{
    for (int i = 0; i < app->frame->body_count; i++) {
        const view_body *body = &app->model.bodies[i];
        char number[16];
        double x = 0.0, y = 0.0;
        snprintf(number, sizeof number, "%d", i);
        const char *name = body->name[0] != '\0' ? body->name : number;
        if (body->radius > 0.0 && project(app, app->frame->centres[i], &x, &y))
            view_canvas_text(&app->stage.canvas, x, y, ink, name);
    }
}

void app_draw_panels(view_app *app)
{
    view_canvas_clear(&app->stage.canvas);
    app->panel_count = 0;
    if (!app->mouse.down && !app->mouse.pressed)
        app->held = 0;
    if (app->show_names)
        draw_names(app);
    if (app->show_panel)
        draw_settings(app);
    draw_plots(app);
    draw_body(app);
    if (app->selected < 0)
        view_stage_contact_key(&app->stage, &app->model, &app->style,
                               app->width - 0.5 * row_height(app), 0.5 * row_height(app));
    draw_status(app);
    draw_slider(app);
    draw_toast(app);
    if (app->show_help)
        draw_help(app);
}
