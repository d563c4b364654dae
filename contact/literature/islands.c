// SPDX-License-Identifier: Apache-2.0
// Frame of a Newton solver on islands.
#include "contact/literature/islands.h"

#include "contact/solvers/newton/cascade.h"

#include <math.h>

static cairn_status solve_island(con_cascade *cascade, int island, con_island_method *method,
                                 const void *settings)
{
    con_newton *model;
    BASE_TRY(con_cascade_model(cascade, island, &model));
    if (con_newton_solved(model) || con_newton_late(model))
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(cascade->arena);
    cairn_status status = method(settings, cascade->problem, model);
    base_arena_rewind(cascade->arena, mark);
    return status;
}

cairn_status con_islands_solve(con_island_method *method, const void *settings, int sweeps,
                               const con_problem *problem, const con_control *control,
                               double (*R)[3], con_report *report, base_arena *arena)
{
    con_cascade cascade;
    cairn_status status = con_cascade_create(problem, control, R, report, arena, &cascade);
    if (status == CAIRN_OK)
        status = con_cascade_sweep(&cascade, sweeps);
    if (status == CAIRN_OK && !con_cascade_solved(&cascade))
        status = con_cascade_split(&cascade);
    for (int k = 0; status == CAIRN_OK && k < cascade.island_count; k++)
        if (!con_cascade_solved(&cascade))
            status = solve_island(&cascade, k, method, settings);
    return status == CAIRN_OK ? con_cascade_finish(&cascade) : status;
}
