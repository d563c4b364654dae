// SPDX-License-Identifier: Apache-2.0
// Fixed point of the projection with self-adaptive step, solvers.md (S.10).
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
    while (con_vi_go_on(&vi) && con_vi_trial(&vi, chosen, &ratio)) {
        con_vi_accept(&vi);
        if (ratio < chosen->smallest)
            vi.rho /= chosen->factor;
    }
    con_search_finish(&vi.search, vi.failed);
    return CAIRN_OK;
}

const con_solver con_solver_vi_fixed_point = {
    .name = "vi_fixed_point",
    .help = "projection along the shifted velocity with a self-adaptive step (FP-VI)",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_vi_settings)},
    .solve = solve,
};
