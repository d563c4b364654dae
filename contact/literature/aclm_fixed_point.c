// SPDX-License-Identifier: Apache-2.0
// Fixed point on De Saxce's shift s = mu |U_T| over convex cone programs, solvers.md (S.6).
#include "contact/literature/convex.h"

#include "base/assert.h"

static const base_setting settings_rows[] = {
    CON_OUTER_ROW_ENGINE(CON_ENGINE_SWEEPS),
    CON_OUTER_ROW_OUTER(100000.0, 1.0),
    CON_OUTER_ROW_INNER(10000.0),
    CON_OUTER_ROW_FACTOR(0.1),
};

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_outer_solve(settings, con_outer_cadoux, problem, control, R, report, arena);
}

const con_solver con_solver_aclm_fixed_point = {
    .name = "aclm_fixed_point",
    .help = "convex program for a frozen slip, the slip updated after each (Acary, Cadoux, "
            "Lemarechal, Malick)",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_outer)},
    .solve = solve,
};
