// SPDX-License-Identifier: Apache-2.0
// What lies over the picture: status line, body, settings, plots, help, names.
#include "viewer/app/app.h"

#include "base/assert.h"
#include "base/timer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const view_colour ink = {36, 42, 52, 255}, paper = {246, 248, 250, 255},
                         accent = {38, 110, 190, 255}, alarm = {200, 50, 40, 255};

// ---------------------------------------------------------------- status line

static const char *run_word(const view_app *app)
{
    const view_simulation_state *state = &app->state;
    if (state->failed)
        return "stopped";
    if (state->replay && state->back == 0)
        return "end of the run";
    const char *word = state->replay ? "replaying" : "running";
    return state->paused ? "paused" : word;
}

/// What a step came to; of a run nothing is known of that.
static double print_report(view_app *app, double x, double y)
{
    const cairn_step_report *report = &app->frame->report;
    // explicit laws solve nothing
    if (app->frame->replayed || report->iterations == 0)
        return x;
    return view_canvas_print(&app->stage.canvas, x, y, ink, "  error %.1e  iterations %d",
                             report->error, report->iterations);
}

static double print_way(view_app *app, double x, double y)
{
    const view_simulation_state *state = &app->state;
    double gap = app_row_height(app);
    if (state->replay)
        return view_canvas_print(&app->stage.canvas, x + gap, y, ink, "frame %d of %d",
                                 state->kept - state->back, state->kept);
    if (state->back > 0)
        return view_canvas_print(&app->stage.canvas, x + gap, y, alarm, "%d steps back",
                                 state->back);
    return x;
}

static void draw_status(view_app *app)
{
    view_canvas *canvas = &app->stage.canvas;
    double row = app_row_height(app), y = app->height - 1.2 * row;
    const view_simulation_state *state = &app->state;
    view_canvas_box(canvas, 0.0, y - 0.15 * row, app->width, 1.4 * row, paper);
    double x = view_canvas_print(canvas, 0.5 * row, y, accent, "%s  %s", app->subject.scene->name,
                                 run_word(app));
    x = view_canvas_print(canvas, x + row, y, ink, "t = %.3f s  step %lld  contacts %lld",
                          app->frame->time, (long long)app->frame->step,
                          (long long)view_frame_contacts(app->frame));
    // a narrow window has no room for what follows
    if (app->width > 50.0 * row) {
        x = view_canvas_print(canvas, x + row, y, ink, "%.2fx real time (asked %.3gx)",
                              state->paused ? 0.0 : state->factor, state->speed);
        x = print_report(app, x, y);
        x = view_canvas_print(canvas, x + row, y, ink, "%.0f fps", app->picture_rate);
    }
    x = print_way(app, x, y);
    if (app->filming)
        x = view_canvas_print(canvas, x + row, y, alarm, "filming, %d pictures", app->film.frames);
    const char *hint = "F1: help";
    double left = app->width - 0.5 * row - view_font_width(app->stage.font, hint);
    if (x < left)
        view_canvas_text(canvas, left, y, accent, hint);
}

/// A time over the slider, within the window.
static void put_time(view_app *app, double middle, double y, double time)
{
    char text[40];
    snprintf(text, sizeof text, "%.3f s", time);
    double row = app_row_height(app), width = view_font_width(app->stage.font, text) + row;
    double x = fmin(fmax(middle - 0.5 * width, 0.0), app->width - width);
    view_canvas_box(&app->stage.canvas, x, y, width, 1.2 * row, paper);
    view_canvas_text(&app->stage.canvas, x + 0.5 * row, y + 0.1 * row, ink, text);
}

/// The ring of past frames as a line over the status line: a time slider.
static void draw_slider(view_app *app)
{
    const view_simulation_state *state = &app->state;
    double row = app_row_height(app), y = app->height - 1.75 * row;
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
    app_draw_marks(app, y, 0.4 * row);
    if (over || app->held == -1) {
        put_time(app, 0.0, y - 1.3 * row, state->oldest);
        put_time(app, app->width, y - 1.3 * row, state->latest);
        put_time(app, part * app->width, y - 2.6 * row, app->frame->time);
    }
    app->panels[app->panel_count++] = panel;
}

/// As many lines as the text needs at the width of the window, above the bar of the status.
static void draw_toast(view_app *app)
{
    view_canvas *canvas = &app->stage.canvas;
    double row = app_row_height(app), letter = view_font_width(app->stage.font, "n");
    size_t most = (size_t)fmax(8.0, (app->width - 3.0 * row) / letter), length = strlen(app->toast);
    if (base_timer_seconds() > app->toast_until || length == 0)
        return;
    // lines end between words where that is possible
    size_t lines = 0, ends[BASE_COUNT(app->toast)];
    for (size_t from = 0; from < length; from = ends[lines++]) {
        size_t end = length - from > most ? from + most : length;
        for (size_t space = end; end < length && space > from; space--)
            if (app->toast[space] == ' ') {
                end = space + 1;
                break;
            }
        ends[lines] = end;
    }
    double width = (double)(lines > 1 ? most : length) * letter + row;
    double x = fmax(0.5 * (app->width - width), 0.0);
    double y = app->height - (2.6 + (double)lines) * row;
    view_canvas_box(canvas, x, y, width, ((double)lines + 0.3) * row, paper);
    for (size_t i = 0, from = 0; i < lines; from = ends[i++])
        view_canvas_print(canvas, x + 0.5 * row, y + (0.15 + (double)i) * row, ink, "%.*s",
                          (int)(ends[i] - from), app->toast + from);
}

// ---------------------------------------------------------------- the chosen body

static bool is_of_selected(const view_app *app, int contact)
{
    const view_contact *each = &app->frame->contacts[contact];
    return each->a == app->selected || each->b == app->selected;
}

static int count_contacts(const view_app *app)
{
    int count = 0;
    for (int i = 0; i < app->frame->contact_count; i++)
        count += is_of_selected(app, i);
    return count;
}

static int other_body(const view_app *app, int contact)
{
    const view_contact *each = &app->frame->contacts[contact];
    return each->a == app->selected ? each->b : each->a;
}

/// A window of the list in which the chosen contact is.
static void list_contacts(view_app *app, view_panel *panel)
{
    enum { SHOWN = 8 };
    int count = count_contacts(app), at = 0, chosen = 0;
    for (int i = 0; i < app->contact; i++)
        chosen += is_of_selected(app, i);
    int first = chosen >= SHOWN ? chosen - SHOWN + 1 : 0;
    for (int i = 0; i < app->frame->contact_count; i++) {
        char label[40];
        if (!is_of_selected(app, i))
            continue;
        if (at >= first && at < first + SHOWN) {
            const char *mark = i == app->contact ? "\xe2\x86\x92 " : "  ";
            app_body_label(app, other_body(app, i), mark, label);
            view_panel_row(panel, label, "%.4g N", vec3_norm(app->frame->contacts[i].force));
        }
        at++;
    }
    if (count > SHOWN)
        view_panel_row(panel, "  ...", "%d in all", count);
}

/// Gap, R, U and status of the chosen contact; R acts on B, in contact axes' parts.
static void draw_contact(view_app *app, view_panel *panel)
{
    static const char *const statuses[] = {"open", "sticking", "sliding"};
    const view_contact *c = &app->frame->contacts[app->contact];
    char a[40], b[40];
    vec3 impulse = vec3_scale(app->frame->time_step, c->force);
    double along = vec3_dot(impulse, c->normal);
    double across = vec3_norm(vec3_add_scaled(impulse, -along, c->normal));
    app_body_label(app, c->a, "", a);
    app_body_label(app, c->b, "", b);
    view_panel_title(panel, "chosen contact");
    view_panel_row(panel, "A, B", "%.24s, %.24s", a, b);
    view_panel_row(panel, "status", "%s", statuses[c->status]);
    view_panel_row(panel, "gap", "%.4g m", c->gap);
    view_panel_row(panel, "R: normal, tangential", "%.4g, %.4g N s", along, across);
    view_panel_row(panel, "friction", "%.3g of %.3g", along > 0.0 ? across / along : 0.0,
                   c->friction);
    view_panel_row(panel, "U: N, T1, T2", "%.2e %.2e %.2e m/s", c->velocity.x, c->velocity.y,
                   c->velocity.z);
    view_panel_row(panel, "normal, A to B", "%.3f %.3f %.3f", c->normal.x, c->normal.y,
                   c->normal.z);
}

static void draw_contacts_of_body(view_app *app, view_panel *panel)
{
    if (!app->frame->keeps_contacts) {
        view_panel_row(panel, "contacts", "not kept in this frame");
        return;
    }
    view_panel_row(panel, "contacts (Tab chooses)", "%d", count_contacts(app));
    list_contacts(app, panel);
    if (app->contact >= 0)
        draw_contact(app, panel);
}

/// @return y below the panel, or of its top where no body is chosen
static double draw_body(view_app *app)
{
    static const char *const kinds[] = {"dynamic", "fixed", "moving"};
    int selected = app->selected;
    double row = app_row_height(app);
    if (selected < 0)
        return app_top(app) + 3.0 * row;
    const view_body *body = &app->model.bodies[selected];
    view_panel panel =
        app_begin_panel(app, APP_PANEL_CHOSEN, app->width - 24.5 * row, app_top(app), 24.0 * row);
    vec3 p = app->frame->centres[selected], v = app->frame->velocities[selected];
    vec3 w = app->frame->omegas[selected];
    char title[80];
    snprintf(title, sizeof title, "body %d  %.50s", selected, body->name);
    view_panel_title(&panel, title);
    view_panel_row(&panel, "kind", "%s", kinds[body->kind]);
    if (body->material < app->model.material_count)
        view_panel_row(&panel, "material", "%.60s", app->model.materials[body->material]);
    if (body->kind == CAIRN_DYNAMIC)
        view_panel_row(&panel, "mass", "%.5g kg", body->mass);
    view_panel_row(&panel, "centre", "%.4f %.4f %.4f m", p.x, p.y, p.z);
    view_panel_row(&panel, "velocity", "%.4g %.4g %.4g m/s", v.x, v.y, v.z);
    view_panel_row(&panel, "angular velocity", "%.3g %.3g %.3g rad/s", w.x, w.y, w.z);
    if (body->kind == CAIRN_DYNAMIC)
        view_panel_row(&panel, "energy", "%.4g J (of the centre)",
                       0.5 * body->mass * vec3_dot(v, v));
    draw_contacts_of_body(app, &panel);
    return app_end_panel(app, &panel);
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

/// What a world lets itself be told while it runs.
static void draw_world_settings(view_app *app, view_panel *panel)
{
    const view_simulation_state *state = &app->state;
    double gravity = -state->gravity[2], tolerance = state->tolerance;
    double friction = state->friction_scale, step = state->time_step;
    double start = state->time_step_start;
    if (view_panel_slider(panel, "time step", &step, start / 16.0, 16.0 * start, true, "s"))
        app_order(app, VIEW_ORDER_TIME_STEP, step);
    choose_solver(app, panel);
    if (view_panel_slider(panel, "tolerance", &tolerance, 1e-12, 1e-1, true, ""))
        app_order(app, VIEW_ORDER_TOLERANCE, tolerance);
    if (view_panel_slider(panel, "gravity, downward", &gravity, -20.0, 20.0, false, "m/s2")) {
        view_order order = {.kind = VIEW_ORDER_GRAVITY,
                            .vector = {state->gravity[0], state->gravity[1], -gravity}};
        view_simulation_post(app->simulation, &order);
    }
    if (view_panel_slider(panel, "friction factor", &friction, 0.0, 3.0, false, ""))
        app_order(app, VIEW_ORDER_FRICTION, friction);
}

/// What a run says of itself.
static void draw_run_facts(view_app *app, view_panel *panel)
{
    const cairn_replay_info *info = cairn_replay_get_info(app->subject.replay);
    view_panel_row(panel, "a run of cairn", "%.30s", info->version);
    view_panel_row(panel, "time step", "%.4g s", info->time_step);
    view_panel_row(panel, "frames", "%d", app->state.kept);
    view_panel_row(panel, "contacts, forces", info->contacts ? "in some frames" : "not kept");
}

/// What the ends of the scale stand for: automatic, or as they were typed.
static void draw_colour_range(view_app *app, view_panel *panel)
{
    const double *shown = app->stage.list.colour_range;
    double *asked = app->style.colour_range, ends[2] = {shown[0], shown[1]};
    bool given = asked[0] < asked[1];
    if (!(shown[0] < shown[1]))
        return;
    if (view_panel_choice(panel, "range of colours", given ? "typed" : "automatic") != 0)
        memcpy(asked, given ? (double[2]){0.0, 0.0} : ends, sizeof ends);
    bool typed = view_panel_number(panel, "darkest", &ends[0], -DBL_MAX, DBL_MAX, "");
    typed = view_panel_number(panel, "brightest", &ends[1], -DBL_MAX, DBL_MAX, "") || typed;
    if (typed && ends[0] < ends[1])
        memcpy(asked, ends, sizeof ends);
    else if (typed)
        app_say(app, "the darkest colour stands for less than the brightest");
}

static void draw_settings(view_app *app)
{
    const view_simulation_state *state = &app->state;
    const scn_scene *scene = app->subject.scene;
    double row = app_row_height(app), speed = state->speed, scale = app->style.contact_scale;
    view_panel panel =
        app_begin_panel(app, APP_PANEL_SETTINGS, 0.5 * row, app_top(app), 17.0 * row);
    view_panel_title(&panel, scene->title[0] != '\0' ? scene->title : scene->name);
    view_panel_row(&panel, "bodies", "%d", app->frame->present_count);
    if (state->replay)
        draw_run_facts(app, &panel);
    else
        draw_world_settings(app, &panel);
    if (view_panel_slider(&panel, "speed", &speed, 1.0 / 64.0, 64.0, true, ""))
        app_order(app, VIEW_ORDER_SPEED, speed);
    int way = view_panel_choice(&panel, "contacts", view_contacts_names[app->style.contacts]);
    if (way != 0)
        app_act(app, way > 0 ? VIEW_ACTION_CONTACTS : VIEW_ACTION_CONTACTS_BACK);
    view_panel_slider(&panel, "contact symbols", &scale, 0.1, 10.0, true, "times");
    app->style.contact_scale = scale;
    if (view_panel_choice(&panel, "colours", view_colours_names[app->style.colours]) != 0)
        app_act(app, VIEW_ACTION_COLOURS);
    draw_colour_range(app, &panel);
    app_draw_joints(app, &panel);
    app_draw_drives(app, &panel);
    app_draw_parameters(app, &panel);
    (void)app_end_panel(app, &panel);
}

// ---------------------------------------------------------------- names

static void draw_names(view_app *app)
{
    for (int i = 0; i < app->frame->body_count; i++) {
        const view_body *body = &app->model.bodies[i];
        char number[16];
        double x = 0.0, y = 0.0;
        snprintf(number, sizeof number, "%d", i);
        const char *name = body->name[0] != '\0' ? body->name : number;
        if (app->frame->present[i] && body->radius > 0.0 &&
            app_project(app, app->frame->centres[i], &x, &y))
            view_canvas_text(&app->stage.canvas, x, y, ink, name);
    }
}

void app_draw_panels(view_app *app)
{
    view_canvas_clear(&app->stage.canvas);
    app->panel_count = 0;
    if (!app->mouse.down && !app->mouse.pressed)
        app->held = 0;
    // what lies below the help or an open menu does not feel the mouse
    bool pressed = app->mouse.pressed;
    if (app->show_help || app_menu_has_mouse(app))
        app->mouse.pressed = false;
    // panels lie over the key
    if (app->selected < 0 && app->set_count == 0)
        view_stage_key(&app->stage, &app->model, &app->style,
                       app->width - 0.5 * app_row_height(app), app_top(app));
    if (app->show_names)
        draw_names(app);
    if (app->show_panel)
        draw_settings(app);
    app_draw_plots(app);
    double below = app->set_count > 0 && app->selected < 0 ? app_draw_set(app) : draw_body(app);
    if (app->show_contents)
        app_draw_contents(app, below);
    draw_status(app);
    draw_slider(app);
    app->mouse.pressed = pressed && !app->show_help;
    app_draw_bar(app);
    app->mouse.pressed = pressed;
    app_draw_picker(app);
    draw_toast(app);
    if (app->show_help)
        app_draw_help(app);
    if (app->show_help && pressed)
        app->show_help = false;
}
