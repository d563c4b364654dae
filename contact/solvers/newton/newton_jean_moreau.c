// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton on the Jean-Moreau equation, solvers.md (S.15).
#include "contact/solvers/newton/semismooth.h"

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_semismooth_solve(settings, con_equation_jean_moreau, problem, control, R, report,
                                arena);
}

const con_solver con_solver_newton_jean_moreau = {
    .name = "newton_jean_moreau",
    .help = "semismooth Newton, half-line and disc of radius mu r_N",
    .needs = 0,
    .table = {.settings = con_semismooth_rows,
              .count = CON_SEMISMOOTH_ROWS,
              .size = sizeof(con_semismooth_settings)},
    .solve = solve,
};
