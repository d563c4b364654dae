// SPDX-License-Identifier: Apache-2.0
// Fixed point on Tresca's thresholds mu R_N over programs on cylinders, solvers.md (S.7).
#include "contact/literature/convex.h"

#include "base/assert.h"

#include <math.h>

static const base_setting settings_rows[] = {
    CON_OUTER_ROW_ENGINE(CON_ENGINE_SWEEPS),
    CON_OUTER_ROW_OUTER(100000.0, 1.0),
    CON_OUTER_ROW_INNER(1000.0),
    CON_OUTER_ROW_FACTOR(0.1),
};

static void tresca(con_convex *convex, const double (*u)[3], int index)
{
    (void)u, (void)index;
    const con_operator *op = &convex->search->op;
    convex->set = CON_SET_CYLINDER;
    for (int i = 0; i < op->contact_count; i++)
        convex->size[i] = op->mu[i] * fmax(convex->r[i][0], 0.0);
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_outer_solve(settings, tresca, problem, control, R, report, arena);
}

const con_solver con_solver_tresca_fixed_point = {
    .name = "tresca_fixed_point",
    .help = "program with given friction thresholds, these updated after each",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_outer)},
    .solve = solve,
};
