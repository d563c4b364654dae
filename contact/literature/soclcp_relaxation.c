// SPDX-License-Identifier: Apache-2.0
// Second-order cone relaxation: the law without De Saxce's shift, solvers.md (S.5).
#include "contact/literature/convex.h"

#include "base/assert.h"

static const base_setting settings_rows[] = {
    CON_OUTER_ROW_ENGINE(CON_ENGINE_SWEEPS),
    CON_OUTER_ROW_OUTER(0.0, 0.0),
    CON_OUTER_ROW_INNER(1000000.0),
    CON_OUTER_ROW_FACTOR(0.1),
};

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_outer_solve(settings, con_outer_cadoux, problem, control, R, report, arena);
}

const con_solver con_solver_soclcp_relaxation = {
    .name = "soclcp_relaxation",
    .help = "convex relaxation (slip dilates); with outer > 0 corrected to the law",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_outer)},
    .solve = solve,
};
