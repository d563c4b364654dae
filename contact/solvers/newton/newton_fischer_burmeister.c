// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton on the Fischer-Burmeister function of the cone, solvers.md (S.17).
#include "contact/solvers/newton/semismooth.h"

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_semismooth_solve(settings, con_equation_fischer_burmeister, problem, control, R,
                                report, arena);
}

const con_solver con_solver_newton_fischer_burmeister = {
    .name = "newton_fischer_burmeister",
    .help = "semismooth Newton on the smoothed complementarity of cones",
    .needs = 0,
    .table = {.settings = con_semismooth_rows,
              .count = CON_SEMISMOOTH_ROWS,
              .size = sizeof(con_semismooth_settings)},
    .solve = solve,
};
