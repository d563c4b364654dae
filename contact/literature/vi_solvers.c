// SPDX-License-Identifier: Apache-2.0
// Projections along the shifted velocity with a self-adaptive step: fixed point, solvers.md (S.10),
// and Korpelevich's extragradient method (S.11).
#include "contact/literature/vi.h"

#include "base/assert.h"

static const base_setting settings_rows[] = {CON_VI_ROWS};

enum { DEFAULT_ITERATIONS = 1000000 };

/// Takes trial steps until it is done. The extragradient method goes back and takes the same step
/// again, along the velocity of the trial; the fixed point keeps the trial.
static cairn_status iterate(const con_vi_settings *chosen, bool extragradient,
                            const con_problem *problem, const con_control *control, double (*R)[3],
                            con_report *report, base_arena *arena)
{
    con_vi vi;
    BASE_TRY(
        con_vi_begin(&vi, problem, control, DEFAULT_ITERATIONS, chosen->rho, R, report, arena));
    double ratio;
    while (con_vi_go_on(&vi) && con_vi_trial(&vi, chosen, &ratio)) {
        if (!extragradient) {
            con_vi_accept(&vi);
        } else {
            if (!con_search_count(&vi.search))
                break;
            con_vi_project(&vi, (const double(*)[3])vi.r, vi.rho, (const double(*)[3])vi.trial_F,
                           vi.r);
            con_vi_evaluate(&vi, (const double(*)[3])vi.r, vi.u, vi.F);
        }
        if (ratio < chosen->smallest)
            vi.rho /= chosen->factor;
    }
    con_search_finish(&vi.search, vi.failed);
    return CAIRN_OK;
}

static cairn_status solve_fixed_point(const void *settings, const con_problem *problem,
                                      const con_control *control, double (*R)[3],
                                      con_report *report, base_arena *arena)
{
    return iterate(settings, false, problem, control, R, report, arena);
}

static cairn_status solve_extragradient(const void *settings, const con_problem *problem,
                                        const con_control *control, double (*R)[3],
                                        con_report *report, base_arena *arena)
{
    return iterate(settings, true, problem, control, R, report, arena);
}

const con_solver con_solver_vi_fixed_point = {
    .name = "vi_fixed_point",
    .help = "projection along the shifted velocity with a self-adaptive step (FP-VI)",
    .needs = CON_TAKES_ROLLING,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_vi_settings)},
    .solve = solve_fixed_point,
};

const con_solver con_solver_vi_extragradient = {
    .name = "vi_extragradient",
    .help = "predictor and corrector projections with a self-adaptive step (EG-VI)",
    .needs = CON_TAKES_ROLLING,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_vi_settings)},
    .solve = solve_extragradient,
};
