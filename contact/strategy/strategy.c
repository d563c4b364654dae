// SPDX-License-Identifier: Apache-2.0
// Runs a table of stages.
#include "contact/strategy/strategy.h"

/// Whether a stage is for a solve like this one.
static bool applies(const con_strategy *s, const con_newton *model, unsigned when)
{
    unsigned start = when & (CON_STAGE_FROM_GUESS | CON_STAGE_FROM_ZERO);
    unsigned cones = when & (CON_STAGE_FORCES | CON_STAGE_MOMENTS);
    unsigned has = model != NULL && model->force != NULL ? CON_STAGE_MOMENTS : CON_STAGE_FORCES;
    if (start != 0 && (start & (s->warm ? CON_STAGE_FROM_GUESS : CON_STAGE_FROM_ZERO)) == 0)
        return false;
    if ((cones != 0 && (cones & has) == 0) ||
        ((when & CON_STAGE_UNHALVED) != 0 && s->cascade->control->brief))
        return false;
    return (when & CON_STAGE_IN_TIME) == 0 || !con_cascade_late(s->cascade);
}

cairn_status con_strategy_run(con_strategy *s, con_newton *model, const con_stage *stages,
                              int count)
{
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < count && status == CAIRN_OK; k++) {
        bool solved = model != NULL ? con_newton_solved(model) : con_strategy_all_solved(s);
        if (solved)
            return CAIRN_OK;
        unsigned when = stages[k].when;
        if (applies(s, model, when) &&
            (model == NULL || (when & CON_STAGE_LATE) != 0 || !con_newton_late(model)))
            status = stages[k].run(s, model);
    }
    return status;
}

bool con_strategy_is_open(const con_strategy *s, int island)
{
    return con_cascade_island_error(s->cascade, island) > s->cascade->control->tolerance;
}

bool con_strategy_all_solved(const con_strategy *s)
{
    if (con_cascade_solved(s->cascade))
        return true;
    for (int k = 0; k < s->cascade->island_count; k++)
        if (con_strategy_is_open(s, k))
            return false;
    return s->cascade->is_split;
}
