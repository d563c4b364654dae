// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton on the Alart-Curnier equation, solvers.md (S.14).
#include "contact/solvers/newton/semismooth.h"

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_semismooth_solve(settings, con_equation_alart_curnier, problem, control, R, report,
                                arena);
}

const con_solver con_solver_newton_alart_curnier = {
    .name = "newton_alart_curnier",
    .help = "semismooth Newton, half-line and disc of radius mu (r_N - rho u_N)",
    .needs = 0,
    .table = {.settings = con_semismooth_rows,
              .count = CON_SEMISMOOTH_ROWS,
              .size = sizeof(con_semismooth_settings)},
    .solve = solve,
};
