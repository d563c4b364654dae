// SPDX-License-Identifier: Apache-2.0
// Proximal augmented-Lagrangian Newton method after some Gauss-Seidel sweeps.
#include "contact/solvers/newton/cascade.h"
#include "contact/solvers/newton/proximal.h"

#include "base/assert.h"

#include <limits.h>

typedef struct paln_settings {
    int sweeps;
    con_proximal_settings proximal;
} paln_settings;

static const char *const form_names[] = {"alart_curnier", "de_saxce", NULL};

#define FIELD(name) offsetof(paln_settings, name)
static const base_setting settings_rows[] = {
    {"form", BASE_SETTING_CHOICE, FIELD(proximal.form), "", CON_PROXIMAL_ALART_CURNIER,
     CON_PROXIMAL_ALART_CURNIER, CON_PROXIMAL_DE_SAXCE, form_names,
     "projection that makes the reaction of a velocity"},
    {"sweeps", BASE_SETTING_INTEGER, FIELD(sweeps), "", 20.0, 0.0, INT_MAX, NULL,
     "Gauss-Seidel sweeps before the first Newton step"},
    {"weight", BASE_SETTING_REAL, FIELD(proximal.weight), "", 1e3, 1e-2, 1e10, NULL,
     "proximal weight at the start, relative to 3 / trace of the diagonal block"},
    {"max_inner", BASE_SETTING_INTEGER, FIELD(proximal.max_inner), "", 12.0, 1.0, 1000.0, NULL,
     "Newton steps for one proximal point"},
    {"inner_factor", BASE_SETTING_REAL, FIELD(proximal.inner_factor), "", 0.01, 1e-8, 1.0, NULL,
     "tolerance of a proximal point relative to the error before it"},
};

enum { DEFAULT_SOLVES = 300 };

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    paln_settings chosen = *(const paln_settings *)settings;
    chosen.proximal.max_solves =
        control->max_iterations > 0 ? control->max_iterations : DEFAULT_SOLVES;
    con_cascade cascade;
    cairn_status status = con_cascade_create(problem, control, R, report, arena, &cascade);
    if (status == CAIRN_OK)
        status = con_cascade_sweep(&cascade, chosen.sweeps);
    if (status == CAIRN_OK && !con_cascade_solved(&cascade))
        status = con_cascade_split(&cascade);
    for (int k = 0; status == CAIRN_OK && k < cascade.island_count; k++) {
        con_newton *model;
        if (con_cascade_solved(&cascade) ||
            con_cascade_island_error(&cascade, k) <= control->tolerance)
            continue;
        status = con_cascade_model(&cascade, k, &model);
        if (status == CAIRN_OK)
            status = con_proximal_run(model, &chosen.proximal, (const double(*)[3])model->best);
    }
    return status == CAIRN_OK ? con_cascade_finish(&cascade) : status;
}

const con_solver con_solver_paln = {
    .name = "paln",
    .help = "proximal augmented-Lagrangian Newton: fast from a good guess",
    .needs = CON_TAKES_ROLLING | CON_TAKES_RATES,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(paln_settings)},
    .solve = solve,
};
