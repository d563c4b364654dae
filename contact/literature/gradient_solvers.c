// SPDX-License-Identifier: Apache-2.0
// Projected gradients on the relaxed problem, De Saxce's shift in an outer loop: accelerated as
// Nesterov's, and with Barzilai-Borwein steps.
#include "contact/literature/convex.h"

#include "base/assert.h"

static const base_setting settings_rows[] = {
    CON_OUTER_ROW_OUTER(100000.0, 0.0),
    CON_OUTER_ROW_INNER(10000.0),
    CON_OUTER_ROW_FACTOR(0.1),
};

static cairn_status solve_accelerated(const void *settings, const con_problem *problem,
                                      const con_control *control, double (*R)[3],
                                      con_report *report, base_arena *arena)
{
    con_outer outer = *(const con_outer *)settings;
    outer.engine = CON_ENGINE_ACCELERATED;
    return con_outer_solve(&outer, con_outer_cadoux, problem, control, R, report, arena);
}

static cairn_status solve_spectral(const void *settings, const con_problem *problem,
                                   const con_control *control, double (*R)[3], con_report *report,
                                   base_arena *arena)
{
    con_outer outer = *(const con_outer *)settings;
    outer.engine = CON_ENGINE_SPECTRAL;
    return con_outer_solve(&outer, con_outer_cadoux, problem, control, R, report, arena);
}

const con_solver con_solver_apgd = {
    .name = "apgd",
    .help = "accelerated projected gradient on the convex relaxation, corrected to the law by "
            "outer programs",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_outer)},
    .solve = solve_accelerated,
};

const con_solver con_solver_barzilai_borwein = {
    .name = "barzilai_borwein",
    .help = "Barzilai-Borwein projected gradient on the convex relaxation, corrected to the law by "
            "outer programs",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_outer)},
    .solve = solve_spectral,
};
