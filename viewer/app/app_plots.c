// SPDX-License-Identifier: Apache-2.0
// Plots over time and over the iterations of a solve, and the bars of the phases.
#include "viewer/app/app.h"

#include "base/assert.h"

#include <math.h>
#include <stdio.h>

static const view_colour accent = {38, 110, 190, 255}, alarm = {200, 50, 40, 255};

/// Width of a panel of plots, which stays within a narrow window.
static double plot_width(const view_app *app, double left)
{
    double row = app_row_height(app);
    return fmax(12.0 * row, fmin(22.0 * row, app->width - left - 0.5 * row));
}

static void draw_energy(view_app *app, double left, double *top)
{
    static const view_colour colours[] = {{214, 62, 56, 255},
                                          {56, 110, 214, 255},
                                          {120, 90, 180, 255},
                                          {70, 150, 78, 255},
                                          {60, 60, 60, 255}};
    const int stride = sizeof(view_sample);
    const view_sample *s = app->samples;
    const view_curve curves[] = {
        {"kinetic", &s->kinetic, stride, colours[0]},
        {"potential", &s->potential, stride, colours[1]},
        {"elastic", &s->elastic, stride, colours[2]},
        {"dissipated", &s->dissipated, stride, colours[3]},
        {"residual", &s->residual, stride, colours[4]},
    };
    double row = app_row_height(app);
    view_panel panel = app_begin_panel(app, APP_PANEL_ENERGY, left, *top, plot_width(app, left));
    if (app->state.replay && app->sample_count == 0)
        view_panel_title(&panel, "energy: this run has no energy.csv");
    else
        view_panel_plot(&panel, app->energy_logarithm ? "energy above zero, J" : "energy, J",
                        &s->time, stride, app->sample_count, curves, BASE_COUNT(curves),
                        app->energy_logarithm, 6.0 * row);
    *top = app_end_panel(app, &panel);
}

/// The columns of one sensor over time; arrows go to the next.
static void draw_sensor(view_app *app, double left, double *top)
{
    const scn_scene *scene = app->subject.scene;
    double row = app_row_height(app);
    view_panel panel = app_begin_panel(app, APP_PANEL_SENSOR, left, *top, plot_width(app, left));
    if (scene->sensor_count == 0) {
        view_panel_title(&panel, "this scene has no sensor");
    } else {
        app->sensor %= scene->sensor_count;
        const scn_sensor *sensor = &scene->sensors[app->sensor];
        view_curve curves[SCN_SENSOR_COLUMNS_MAX];
        char title[120];
        int stride = (1 + sensor->columns) * (int)sizeof(double);
        double *rows = base_allocate(&app->allocator, VIEW_SAMPLES_SHOWN, (size_t)stride);
        if (rows != NULL) {
            int count =
                view_simulation_readings(app->simulation, app->sensor, rows, VIEW_SAMPLES_SHOWN);
            for (int k = 0; k < sensor->columns; k++) {
                const char *name = scn_sensor_column_name(sensor, k);
                curves[k] = (view_curve){name[0] != '\0' ? name : sensor->name, rows + 1 + k,
                                         stride, view_colour_of(k)};
            }
            snprintf(title, sizeof title, "%s, %s", scn_sensor_quantity_name(sensor->quantity),
                     view_simulation_unit(app->simulation, app->sensor));
            app->sensor += view_panel_choice(&panel, "sensor", sensor->name) + scene->sensor_count;
            view_panel_plot(&panel, title, rows, stride, count, curves, sensor->columns, false,
                            6.0 * row);
        }
        base_release(&app->allocator, rows);
    }
    *top = app_end_panel(app, &panel);
}

static void draw_steps(view_app *app, view_panel *panel, double height)
{
    const int stride = sizeof(view_sample);
    const view_curve error = {"residual of each step", &app->samples->error, stride, alarm};
    view_panel_plot(panel, "solver, all steps", &app->samples->time, stride, app->sample_count,
                    &error, 1, true, height);
    double *iterations = base_allocate(&app->allocator, VIEW_SAMPLES_SHOWN, sizeof *iterations);
    if (iterations == NULL)
        return;
    for (int i = 0; i < app->sample_count; i++)
        iterations[i] = app->samples[i].iterations;
    const view_curve count = {"iterations of each step", iterations, sizeof *iterations, accent};
    view_panel_plot(panel, "", &app->samples->time, stride, app->sample_count, &count, 1, false,
                    height);
    base_release(&app->allocator, iterations);
}

static void draw_solver(view_app *app, double left, double top)
{
    double row = app_row_height(app), height = 3.0 * row;
    view_panel panel = app_begin_panel(app, APP_PANEL_SOLVER, left, top, plot_width(app, left));
    if (app->state.replay) {
        view_panel_title(&panel, "solver: not stored in a trajectory");
    } else {
        // how the shown step's solve went, iteration by iteration
        const view_frame *frame = app->frame;
        char name[60];
        snprintf(name, sizeof name, "residual, iterations: %d, %.20s", frame->report.iterations,
                 frame->report.stop != NULL ? frame->report.stop : "none");
        const view_curve curve = {name, frame->residuals, sizeof *frame->residuals, alarm};
        view_panel_plot(&panel, "solver, this step", frame->iterations, sizeof *frame->iterations,
                        frame->residual_count, &curve, 1, true, height);

        draw_steps(app, &panel, height);

        // draw phases
        const char *names[CAIRN_PHASE_COUNT];
        double means[CAIRN_PHASE_COUNT] = {0};
        int used = app->sample_count < 60 ? app->sample_count : 60;
        for (int phase = 0; phase < CAIRN_PHASE_COUNT; phase++) {
            names[phase] = cairn_phase_name((cairn_phase)phase);
            for (int i = app->sample_count - used; i < app->sample_count; i++)
                means[phase] += app->samples[i].seconds[phase] / used;
        }
        view_panel_title(&panel, "time of a step, mean of 60");
        view_panel_bars(&panel, names, means, CAIRN_PHASE_COUNT, "ms", 1e3);
    }
    (void)app_end_panel(app, &panel);
}

void app_draw_plots(view_app *app)
{
    double row = app_row_height(app);
    double left = app->show_panel ? 18.0 * row : 0.5 * row, top = app_top(app);
    if (app->show_sensors)
        draw_sensor(app, left, &top);
    if (!app->show_energy && !app->show_solver)
        return;
    app->sample_count = view_simulation_samples(app->simulation, app->samples, VIEW_SAMPLES_SHOWN);
    if (app->show_energy)
        draw_energy(app, left, &top);
    if (app->show_solver)
        draw_solver(app, left, top);
}
