// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton solvers: one engine (semismooth.h) on four equations, solvers.md (S.14)-(S.17).
#include "contact/solvers/newton/semismooth.h"

#define SOLVER(equation, text)                                                                     \
    static cairn_status solve_##equation(const void *settings, const con_problem *problem,         \
                                         const con_control *control, double(*R)[3],                \
                                         con_report *report, base_arena *arena)                    \
    {                                                                                              \
        return con_semismooth_solve(settings, con_equation_##equation, problem, control, R,        \
                                    report, arena);                                                \
    }                                                                                              \
    const con_solver con_solver_newton_##equation = {                                              \
        .name = "newton_" #equation,                                                               \
        .help = text,                                                                              \
        .needs = 0,                                                                                \
        .table = {.settings = con_semismooth_rows,                                                 \
                  .count = CON_SEMISMOOTH_ROWS,                                                    \
                  .size = sizeof(con_semismooth_settings)},                                        \
        .solve = solve_##equation,                                                                 \
    }

SOLVER(alart_curnier, "semismooth Newton, half-line and disc of radius mu (r_N - rho u_N)");
SOLVER(jean_moreau, "semismooth Newton, half-line and disc of radius mu r_N");
SOLVER(natural_map, "semismooth Newton, projection on the cone along the shifted velocity");
SOLVER(fischer_burmeister, "semismooth Newton on the smoothed complementarity of cones");
