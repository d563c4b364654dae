// SPDX-License-Identifier: Apache-2.0
// Fixed point of the projection with a constant step (De Saxce, Feng; Uzawa), solvers.md (S.9).
#include "contact/literature/vi.h"

#include "base/assert.h"

typedef struct de_saxce_settings {
    double rho;
} de_saxce_settings;

static const base_setting settings_rows[] = {
    {"rho", BASE_SETTING_REAL, offsetof(de_saxce_settings, rho), "", 0.2, 1e-12, 1e12, NULL,
     "step, relative to 3 / trace of the diagonal block"},
};

enum { DEFAULT_ITERATIONS = 1000000 };

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    const de_saxce_settings *chosen = settings;
    con_vi vi;
    BASE_TRY(
        con_vi_begin(&vi, problem, control, DEFAULT_ITERATIONS, chosen->rho, R, report, arena));
    while (con_vi_go_on(&vi) && con_search_count(&vi.search)) {
        con_vi_project(&vi, (const double(*)[3])vi.r, vi.rho, (const double(*)[3])vi.F, vi.r);
        con_vi_evaluate(&vi, (const double(*)[3])vi.r, vi.u, vi.F);
    }
    con_search_finish(&vi.search, vi.failed);
    return CAIRN_OK;
}

const con_solver con_solver_de_saxce_fixed_point = {
    .name = "de_saxce_fixed_point",
    .help = "projection along the shifted velocity with a constant step (FP-DS)",
    .needs = CON_TAKES_ROLLING,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(de_saxce_settings)},
    .solve = solve,
};
