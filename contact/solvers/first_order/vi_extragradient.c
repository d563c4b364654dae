// SPDX-License-Identifier: Apache-2.0
// Korpelevich's extragradient method with self-adaptive step, solvers.md (S.11).
#include "contact/solvers/first_order/vi.h"

#include "base/assert.h"

static const base_setting settings_rows[] = {CON_VI_ROWS};

enum { DEFAULT_ITERATIONS = 1000000 };

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    const con_vi_settings *chosen = settings;
    con_vi vi;
    cairn_status status =
        con_vi_begin(&vi, problem, control, DEFAULT_ITERATIONS, chosen->rho, R, report, arena);
    if (status != CAIRN_OK)
        return status;
    double ratio;
    while (con_vi_go_on(&vi) && con_vi_trial(&vi, chosen, &ratio) && con_search_count(&vi.search)) {
        // the same step again, along the velocity of the trial
        con_vi_project(&vi, (const double(*)[3])vi.r, vi.rho, (const double(*)[3])vi.trial_F, vi.r);
        con_vi_evaluate(&vi, (const double(*)[3])vi.r, vi.u, vi.F);
        if (ratio < chosen->smallest)
            vi.rho /= chosen->factor;
    }
    con_search_finish(&vi.search, vi.failed);
    return CAIRN_OK;
}

const con_solver con_solver_vi_extragradient = {
    .name = "vi_extragradient",
    .help = "predictor and corrector projections with a self-adaptive step (EG-VI)",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_vi_settings)},
    .solve = solve,
};
