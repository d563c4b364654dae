// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton solvers: one engine (semismooth.h) on four equations, solvers.md (S.14)-(S.17).
#include "contact/literature/islands.h"
#include "contact/solvers/newton/semismooth.h"

#include "base/assert.h"

#include <limits.h>
#include <string.h>

enum { DEFAULT_STEPS = 300 };

static const char *const line_searches[] = {"none", "armijo", "goldstein_price", NULL};
static const char *const rhos[] = {"split", "spectral", NULL};

#define FIELD(name) offsetof(con_semismooth_settings, name)

static const base_setting settings_rows[] = {
    {"line_search", BASE_SETTING_CHOICE, FIELD(line_search), "", CON_LINE_SEARCH_GOLDSTEIN_PRICE,
     CON_LINE_SEARCH_NONE, CON_LINE_SEARCH_GOLDSTEIN_PRICE, line_searches, "along a Newton step"},
    {"rho", BASE_SETTING_CHOICE, FIELD(rho_rule), "", CON_RHO_SPLIT, CON_RHO_SPLIT,
     CON_RHO_SPECTRAL, rhos, "step lengths of the projections"},
    {"regularisation", BASE_SETTING_REAL, FIELD(regularisation), "", 1e-4, 0.0, 1e6, NULL,
     "added to the derivative by r, times the error; 1e-12 is always added"},
    {"sweeps", BASE_SETTING_INTEGER, FIELD(sweeps), "", 0.0, 0.0, INT_MAX, NULL,
     "Gauss-Seidel sweeps before the first Newton step"},
};

/// What one island's run is told.
typedef struct semismooth_call {
    const con_semismooth_settings *settings;
    con_equation_map *map;
} semismooth_call;

static cairn_status solve_island(const void *context, const con_problem *problem, con_newton *model)
{
    const semismooth_call *call = context;
    con_semismooth method;
    BASE_TRY(
        con_semismooth_create(model, problem, call->map, call->settings, model->arena, &method));
    size_t size = (size_t)model->contact_count * sizeof *method.r;
    memcpy(method.r, model->best, size);
    memset(method.centre, 0, size);
    con_newton_begin(model);
    int steps = model->control->max_iterations > 0 ? model->control->max_iterations : DEFAULT_STEPS;
    return con_semismooth_run(&method, 0.0, &steps);
}

static cairn_status solve_by(const con_semismooth_settings *settings, con_equation_map *map,
                             const con_problem *problem, const con_control *control, double (*R)[3],
                             con_report *report, base_arena *arena)
{
    const semismooth_call call = {settings, map};
    return con_islands_solve(solve_island, &call, settings->sweeps, problem, control, R, report,
                             arena);
}

#define SOLVER(equation, text)                                                                     \
    static cairn_status solve_##equation(const void *settings, const con_problem *problem,         \
                                         const con_control *control, double(*R)[3],                \
                                         con_report *report, base_arena *arena)                    \
    {                                                                                              \
        return solve_by(settings, con_equation_##equation, problem, control, R, report, arena);    \
    }                                                                                              \
    const con_solver con_solver_newton_##equation = {                                              \
        .name = "newton_" #equation,                                                               \
        .help = text,                                                                              \
        .needs = 0,                                                                                \
        .table = {.settings = settings_rows,                                                       \
                  .count = BASE_COUNT(settings_rows),                                              \
                  .size = sizeof(con_semismooth_settings)},                                        \
        .solve = solve_##equation,                                                                 \
    }

SOLVER(alart_curnier, "semismooth Newton, half-line and disc of radius mu (r_N - rho u_N)");
SOLVER(jean_moreau, "semismooth Newton, half-line and disc of radius mu r_N");
SOLVER(natural_map, "semismooth Newton, projection on the cone along the shifted velocity");
SOLVER(fischer_burmeister, "semismooth Newton on the smoothed complementarity of cones");
