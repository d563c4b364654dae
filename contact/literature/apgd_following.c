// SPDX-License-Identifier: Apache-2.0
// Accelerated projected gradients whose shift follows the slip, as a solver of its own.
#include "contact/literature/islands.h"
#include "contact/solvers/gradient/gradient.h"

#include "base/assert.h"

#define FIELD(name) offsetof(con_gradient_settings, name)
static const base_setting settings_rows[] = {
    {"max_steps", BASE_SETTING_INTEGER, FIELD(max_steps), "", 100000.0, 1.0, 1e9, NULL,
     "steps for an island"},
    {"share", BASE_SETTING_REAL, FIELD(share), "", 0.4, 1e-3, 1.0, NULL,
     "part of the way to mu |u_T| that De Saxce's shift goes every five steps, at first"},
    {"slowest", BASE_SETTING_REAL, FIELD(slowest), "", 0.02, 1e-6, 1.0, NULL,
     "share below which no other is tried"},
    {"patience", BASE_SETTING_INTEGER, FIELD(patience), "", 1500.0, 1.0, 1e9, NULL,
     "steps in which the error must fall by half; after them the share is halved"},
};

static cairn_status solve_island(const void *settings, const con_problem *problem,
                                 con_newton *model)
{
    (void)problem;
    return con_gradient_run(model, settings, (const double(*)[3])model->best);
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_islands_solve(solve_island, settings, 0, problem, control, R, report, arena);
}

const con_solver con_solver_apgd_following = {
    .name = "apgd_following",
    .help = "accelerated projected gradient whose De Saxce shift follows the slip as it goes",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_gradient_settings)},
    .solve = solve,
};
