// SPDX-License-Identifier: Apache-2.0
// Nonsmooth interior point from a cold start whose scale comes from some Gauss-Seidel sweeps.
#include "contact/solvers/newton/cascade.h"
#include "contact/solvers/newton/interior.h"

#include "base/assert.h"

#include <limits.h>

typedef struct nipm_settings {
    int sweeps;
    con_interior_settings interior;
} nipm_settings;

#define FIELD(name) offsetof(nipm_settings, name)
static const base_setting settings_rows[] = {
    {"sweeps", BASE_SETTING_INTEGER, FIELD(sweeps), "", 100.0, 0.0, INT_MAX, NULL,
     "Gauss-Seidel sweeps that find the scale of the start"},
    {"start_scale", BASE_SETTING_REAL, FIELD(interior.start_scale), "", 0.0, 0.0, 1e8, NULL,
     "normal reactions of the start, relative to |q| / |W|; 0: from the sweeps"},
    {"max_restarts", BASE_SETTING_INTEGER, FIELD(interior.max_restarts), "", 3.0, 0.0, 20.0, NULL,
     "restarts with ten times larger reactions when the start is slow"},
    {"max_escapes", BASE_SETTING_INTEGER, FIELD(interior.max_escapes), "", 60.0, 0.0, 1e6, NULL,
     "restarts of the path at folds of the central path"},
};

enum { DEFAULT_FACTORISATIONS = 100 };

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    const nipm_settings *chosen = settings;
    con_cascade cascade;
    cairn_status status = con_cascade_create(problem, control, R, report, arena, &cascade);
    if (status == CAIRN_OK)
        status = con_cascade_sweep(&cascade, chosen->sweeps);
    if (status == CAIRN_OK && !con_cascade_solved(&cascade))
        status = con_cascade_split(&cascade);
    for (int k = 0; status == CAIRN_OK && k < cascade.island_count; k++) {
        con_newton *model;
        if (con_cascade_solved(&cascade) ||
            con_cascade_island_error(&cascade, k) <= control->tolerance)
            continue;
        status = con_cascade_model(&cascade, k, &model);
        con_interior_settings interior = chosen->interior;
        interior.max_iterations =
            control->max_iterations > 0 ? control->max_iterations : DEFAULT_FACTORISATIONS;
        if (status == CAIRN_OK && interior.start_scale <= 0.0)
            interior.start_scale = con_interior_start_scale(model, (const double(*)[3])model->best);
        if (status == CAIRN_OK)
            status = con_interior_run(model, &interior);
    }
    return status == CAIRN_OK ? con_cascade_finish(&cascade) : status;
}

const con_solver con_solver_nipm = {
    .name = "nipm",
    .help = "nonsmooth interior point: few factorisations whatever the redundancy",
    .needs = CON_TAKES_ROLLING | CON_TAKES_RATES,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(nipm_settings)},
    .solve = solve,
};
