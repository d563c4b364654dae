// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton on the natural map, solvers.md (S.16).
#include "contact/solvers/newton/semismooth.h"

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_semismooth_solve(settings, con_equation_natural_map, problem, control, R, report,
                                arena);
}

const con_solver con_solver_newton_natural_map = {
    .name = "newton_natural_map",
    .help = "semismooth Newton, projection on the cone along the shifted velocity",
    .needs = 0,
    .table = {.settings = con_semismooth_rows,
              .count = CON_SEMISMOOTH_ROWS,
              .size = sizeof(con_semismooth_settings)},
    .solve = solve,
};
