// SPDX-License-Identifier: Apache-2.0
// Nonlinear Gauss-Seidel over the contacts (theory.md 6.1-6.4): one exact local solve each.
#include "contact/solvers/first_order/sweep.h"

#include "base/assert.h"
#include "base/rng.h"
#include "base/timer.h"
#include "contact/problem/residual.h"

#include <float.h>
#include <limits.h>
#include <string.h>

typedef enum sweep_order {
    ORDER_FORWARD,
    ORDER_SYMMETRIC,
    ORDER_SHUFFLED,
    ORDER_SHUFFLED_ONCE
} sweep_order;

typedef struct gauss_seidel_settings {
    int order;
    int seed;
    double relaxation;
    int freezing;
} gauss_seidel_settings;

static const char *const order_names[] = {"forward", "symmetric", "shuffled", "shuffled_once",
                                          NULL};

#define FIELD(name) offsetof(gauss_seidel_settings, name)
static const base_setting settings_rows[] = {
    {"order", BASE_SETTING_CHOICE, FIELD(order), "", ORDER_FORWARD, ORDER_FORWARD,
     ORDER_SHUFFLED_ONCE, order_names, "order of the contacts in a sweep"},
    {"seed", BASE_SETTING_INTEGER, FIELD(seed), "", 0.0, 0.0, INT_MAX, NULL,
     "of the shuffled orders"},
    {"relaxation", BASE_SETTING_REAL, FIELD(relaxation), "", 1.0, DBL_MIN, 2.0 - DBL_EPSILON, NULL,
     "factor of each change; below 1 damps, above 1 extrapolates"},
    {"freezing", BASE_SETTING_INTEGER, FIELD(freezing), "sweeps", 0.0, 0.0, 1000.0, NULL,
     "sweeps that a contact at rest is left out; 0 for none"},
};

enum { DEFAULT_SWEEPS = 10000, FLOOR_SWEEPS = 4 };

/// Between sweeps.
typedef struct progress {
    const con_problem *problem;
    const con_control *control;
    con_report *report;
    con_sweep sweep;
    base_rng rng;
    int *order;         // NULL: by index
    double (*U)[3];     // scratch
    double (*best)[3];  // R of the least error so far
    double best_error;  // of `best`; INFINITY before the first full test
    double light_limit; // light error that calls for a full test
    int next_test;      // sweep of the next full test in any case
    int floor_sweeps;   // sweeps in a row that changed R by round-off alone
    double deadline;    // s; INFINITY for none
} progress;

static void shuffle(base_rng *rng, int *order, int count)
{
    for (int k = count - 1; k > 0; k--) {
        int other = base_rng_index(rng, k + 1);
        int swap = order[k];
        order[k] = order[other];
        order[other] = swap;
    }
}

static cairn_status start(progress *p, const gauss_seidel_settings *settings, double (*R)[3],
                          base_arena *arena)
{
    size_t n = (size_t)p->problem->contact_count;
    p->rng = base_rng_make((uint64_t)settings->seed);
    p->U = base_arena_allocate(arena, "velocities", n, sizeof *p->U);
    p->best = base_arena_allocate(arena, "best point", n, sizeof *p->best);
    if (p->U == NULL || p->best == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(p->best, R, n * sizeof *R);
    p->best_error = INFINITY;
    p->light_limit = p->control->tolerance;
    p->next_test = 8;
    p->deadline =
        p->control->time_limit > 0.0 ? base_timer_seconds() + p->control->time_limit : INFINITY;
    if (settings->order == ORDER_SHUFFLED || settings->order == ORDER_SHUFFLED_ONCE) {
        p->order = base_arena_array(arena, int, "order", n);
        if (p->order == NULL)
            return CAIRN_ERROR_MEMORY;
        for (int i = 0; i < p->problem->contact_count; i++)
            p->order[i] = i;
        shuffle(&p->rng, p->order, p->problem->contact_count);
    }
    cairn_status status = con_sweep_init(&p->sweep, p->problem, p->control->local,
                                         p->control->local_settings, R, arena);
    p->sweep.order = p->order;
    p->sweep.relaxation = settings->relaxation;
    p->sweep.freeze_sweeps = settings->freezing;
    return status;
}

// one sweep; the light error |dR| / |R| of it
static double sweep_once(progress *p, const gauss_seidel_settings *settings, int index)
{
    if (settings->order == ORDER_SHUFFLED && index > 0)
        shuffle(&p->rng, p->order, p->problem->contact_count);
    bool backward = settings->order == ORDER_SYMMETRIC && index % 2 == 1;
    con_sweep_change total = con_sweep_pass(&p->sweep, backward);
    if (!isfinite(total.change + total.size))
        return NAN;
    double light = total.size > 0.0 ? sqrt(total.change / total.size) : sqrt(total.change);
    p->floor_sweeps = light <= 2.0 * DBL_EPSILON ? p->floor_sweeps + 1 : 0;
    p->sweep.freeze_change =
        0.1 * p->light_limit * sqrt(total.size / (double)p->problem->contact_count);
    return light;
}

// full residual; keeps the best point, and aims the next test at where the tolerance should be met
static cairn_status test_fully(progress *p, double light, double *error, base_arena *arena)
{
    con_residual residual;
    double(*R)[3] = p->sweep.R;
    cairn_status status =
        con_residual_compute(p->problem, (const double(*)[3])R, p->U, &residual, arena);
    *error = con_control_error(p->control, &residual);
    if (status != CAIRN_OK)
        return status;
    con_report *report = p->report;
    if (p->control->history != NULL && report->history_count < p->control->history_capacity)
        p->control->history[report->history_count++] = residual.error;
    if (*error < p->best_error) {
        p->best_error = *error;
        memcpy(p->best, R, (size_t)p->problem->contact_count * sizeof *R);
    }
    double ratio = *error > 0.0 ? 0.9 * p->control->tolerance / *error : 1.0;
    p->light_limit = light * fmin(ratio, 0.9);
    p->next_test = report->iterations + (report->iterations + 1) / 2;
    con_sweep_refresh(&p->sweep);
    return CAIRN_OK;
}

// sweeps until a stop; `error` is that of the point in R, if it was tested
static cairn_status iterate(progress *p, const gauss_seidel_settings *settings, int limit,
                            double *error, base_arena *arena)
{
    con_report *report = p->report;
    report->stop = CON_STOP_ITERATION_LIMIT;
    while (report->iterations < limit) {
        double light = sweep_once(p, settings, report->iterations++);
        bool floor = p->floor_sweeps >= FLOOR_SWEEPS;
        bool late = con_control_is_late(p->control) ||
                    (isfinite(p->deadline) && base_timer_seconds() >= p->deadline);
        bool last = late || floor || report->iterations == limit;
        *error = INFINITY;
        if (isnan(light)) {
            report->stop = CON_STOP_FAILED;
            return CAIRN_OK;
        }
        if (!last && light > p->light_limit && report->iterations < p->next_test)
            continue;
        cairn_status status = test_fully(p, light, error, arena);
        if (status == CAIRN_ERROR_MEMORY)
            return status;
        if (status != CAIRN_OK || *error <= p->control->tolerance || late || floor) {
            report->stop = status != CAIRN_OK                ? CON_STOP_FAILED
                           : *error <= p->control->tolerance ? CON_STOP_SOLVED
                           : late                            ? CON_STOP_TIME_LIMIT
                                                             : CON_STOP_STAGNATED;
            return CAIRN_OK;
        }
    }
    return CAIRN_OK;
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    progress p = {.problem = problem, .control = control, .report = report};
    BASE_TRY(start(&p, settings, R, arena));
    int limit = control->max_iterations > 0 ? control->max_iterations : DEFAULT_SWEEPS;
    double error = INFINITY;
    cairn_status status = iterate(&p, settings, limit, &error, arena);
    if (!(error <= p.best_error))
        memcpy(R, p.best, (size_t)problem->contact_count * sizeof *R);
    return status;
}

const con_solver con_solver_gauss_seidel = {
    .name = "gauss_seidel",
    .help = "nonlinear Gauss-Seidel: contact after contact, each solved exactly",
    .needs = CON_TAKES_ROLLING | CON_TAKES_RATES,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(gauss_seidel_settings)},
    .solve = solve,
};
