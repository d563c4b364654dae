// SPDX-License-Identifier: Apache-2.0
// Stages for all contacts of a problem together.
#include "base/assert.h"
#include "contact/solvers/newton/proximal.h"
#include "contact/strategy/methods.h"
#include "contact/strategy/numbers.h"
#include "contact/strategy/patch.h"

#include <math.h>
#include <string.h>

/// Sweeps from where the solve starts, and the islands of what they leave.
static cairn_status sweep_first(con_strategy *s, con_newton *none)
{
    (void)none;
    con_cascade *cascade = s->cascade;
    bool short_cut =
        s->warm && s->settings.warm_solves > 0 && cascade->control->tolerance <= con_tight;
    // from zero the order from below carries loads twice as fast
    cascade->one_way = !s->warm;
    cascade->relaxation = s->warm ? 1.0 : s->settings.relaxation;
    cascade->creep_error = short_cut ? s->settings.warm_error : 0.0;
    cairn_status status = con_cascade_sweep(cascade, s->settings.warm_sweeps);
    cascade->creep_error = 0.0;
    return status != CAIRN_OK || con_cascade_solved(cascade) ? status : con_cascade_split(cascade);
}

/// A few Newton steps more, to far below the tolerance.
static cairn_status deepen(con_newton *model)
{
    const con_proximal_settings last = {.form = CON_PROXIMAL_ALART_CURNIER,
                                        .weight = con_weight_at_end,
                                        .max_solves = CON_DEEPER_SOLVES,
                                        .max_inner = CON_DEEPER_SOLVES,
                                        .inner_factor = con_proximal_inner_factor};
    double kept = model->goal.tolerance;
    model->goal.tolerance *= con_deeper;
    cairn_status status = con_proximal_run(model, &last, (const double(*)[3])model->best);
    model->goal.tolerance = kept;
    return status;
}

/// A good guess needs a few Newton steps only.
static cairn_status finish_guess(con_strategy *s, con_newton *none)
{
    (void)none;
    con_cascade *cascade = s->cascade;
    bool rests = cascade->control->step_of_run && cascade->control->tolerance <= con_tight;
    for (int k = 0; k < cascade->island_count; k++) {
        con_newton *model;
        if (!con_strategy_is_open(s, k) ||
            con_cascade_island_error(cascade, k) > s->settings.warm_error)
            continue;
        BASE_TRY(con_cascade_model(cascade, k, &model));
        BASE_TRY(con_strategy_proximal(model, CON_PROXIMAL_ALART_CURNIER, con_weight,
                                       s->settings.warm_solves, model->goal.deadline,
                                       (const double(*)[3])model->best));
        if (rests && con_newton_solved(model))
            BASE_TRY(deepen(model));
    }
    return CAIRN_OK;
}

/// What a guess lacks in few places is found there. Each patch has a part of the effort; where one
/// does not help, the next is wider: it moves what the narrower ones pushed against. After a few
/// that do not help, no more are made.
static cairn_status patch_island(con_strategy *s, int island)
{
    con_cascade *cascade = s->cascade;
    base_arena_mark mark = base_arena_get_mark(cascade->arena);
    con_patch patch;
    cairn_status status = con_patch_init(cascade, island, &patch);
    bool found = true, wider = false;
    int in_vain = 0; // patches since one that helped
    for (int k = 0;
         k < CON_PATCHES && con_strategy_is_open(s, island) && !con_cascade_late(cascade); k++) {
        double before = con_cascade_island_error(cascade, island);
        double most = wider ? con_patch_wider_most[s->wide] : con_patch_most[s->wide];
        if (status == CAIRN_OK)
            status = con_patch_find(&patch, most, wider, &found);
        if (status != CAIRN_OK || !found)
            break;
        con_strategy within = *s;
        within.effort_left = con_patch_effort * s->effort_left;
        within.reserve = 0.0;
        within.gradient_worth = CON_PATCH_GRADIENT_WORTH;
        within.both_paces = true;
        s->effort_left -= within.effort_left;
        status = con_strategy_solve_model(&within, &patch.model);
        s->effort_left += within.effort_left;
        bool solved = con_newton_solved(&patch.model);
        if (status == CAIRN_OK)
            status = con_patch_take(&patch);
        bool better = con_cascade_island_error(cascade, island) <= con_patch_gain * before;
        in_vain = better ? 0 : in_vain + 1;
        if (in_vain > CON_PATCHES_IN_VAIN)
            break;
        wider = !solved || !better;
    }
    if (status == CAIRN_OK)
        status = con_patch_end(&patch);
    base_arena_rewind(cascade->arena, mark);
    return status;
}

/// Patches of the islands that are so large a part of all contacts that what a patch costs, which
/// passes over all, is little; there are few such islands.
static cairn_status patch_large_islands(con_strategy *s)
{
    const con_cascade *cascade = s->cascade;
    cairn_status status = CAIRN_OK;
    for (int k = 0; status == CAIRN_OK && k < cascade->island_count; k++) {
        int size = cascade->start[k + 1] - cascade->start[k];
        if (con_strategy_is_open(s, k) &&
            size >= cascade->problem->contact_count / CON_PATCH_ISLANDS)
            status = patch_island(s, k);
    }
    return status;
}

static cairn_status patch_guess(con_strategy *s, con_newton *none)
{
    (void)none;
    return patch_large_islands(s);
}

static cairn_status sweep_more(con_strategy *s, con_newton *none)
{
    (void)none;
    return con_cascade_sweep(s->cascade, s->warm ? s->settings.guess_sweeps : s->settings.sweeps);
}

/// As long as they promise to cost less than Newton steps.
static cairn_status sweep_while_cheap(con_strategy *s, con_newton *none)
{
    (void)none;
    con_cascade *cascade = s->cascade;
    cairn_status status = CAIRN_OK;
    for (int before = -1;
         status == CAIRN_OK && !con_strategy_all_solved(s) && before < cascade->sweeps;) {
        before = cascade->sweeps;
        status = con_cascade_sweep_on(cascade, s->settings.sweep_fraction);
    }
    return status;
}

static cairn_status solve_islands(con_strategy *s, con_newton *none)
{
    (void)none;
    cairn_status status = CAIRN_OK;
    for (int k = 0; status == CAIRN_OK && k < s->cascade->island_count; k++) {
        con_newton *model;
        if (!con_strategy_is_open(s, k))
            continue;
        status = con_cascade_model(s->cascade, k, &model);
        if (status == CAIRN_OK)
            status = con_strategy_solve_model(s, model);
    }
    return status;
}

/// What the whole did not come to, most of it may.
static cairn_status patch_widely(con_strategy *s, con_newton *none)
{
    (void)none;
    s->wide = true;
    return patch_large_islands(s);
}

/// Newton steps were possible on some island.
static bool has_factored(const con_cascade *cascade)
{
    for (int k = 0; k < cascade->island_count; k++)
        if (cascade->model[k] != NULL && cascade->model[k]->factorisations > 0)
            return true;
    return false;
}

/// Many sweeps and a proximal run from there, each with half of what is left of the effort. From
/// zero unless sweeps are all there is, or a guess has brought them here.
static cairn_status resort(con_strategy *s, con_newton *none)
{
    (void)none;
    con_cascade *cascade = s->cascade;
    int n = cascade->problem->contact_count;
    double left = con_last_share * fmax(s->effort_left, s->reserve);
    int sweeps = (int)fmin(s->settings.last_sweeps, left / (con_cost_of_sweep * n));
    if (has_factored(cascade) && !s->warm)
        memset(cascade->R, 0, (size_t)n * sizeof *cascade->R);
    cairn_status status = con_cascade_restart(cascade);
    if (status == CAIRN_OK)
        status = con_cascade_sweep(cascade, cascade->sweeps + sweeps);
    for (int k = 0; status == CAIRN_OK && k < cascade->island_count; k++) {
        con_newton *model;
        double effort;
        if (!con_strategy_is_open(s, k))
            continue;
        status = con_cascade_model(cascade, k, &model);
        if (status == CAIRN_OK)
            status = con_strategy_effort(model, &effort);
        if (status == CAIRN_OK && !con_newton_solved(model) && !con_newton_late(model) &&
            left > effort) {
            int before = model->factorisations;
            status =
                con_strategy_proximal(model, CON_PROXIMAL_DE_SAXCE, con_weight_from_afar,
                                      (int)fmin(s->settings.last_solves, left / effort),
                                      cascade->deadline, (const double(*)[3])model->scratch[3]);
            left -= effort * (model->factorisations - before);
        }
    }
    return status;
}

static const con_stage stages[] = {
    {"sweeps", 0, sweep_first},
    {"proximal method from a good guess", CON_STAGE_FROM_GUESS, finish_guess},
    {"patches", CON_STAGE_FROM_GUESS, patch_guess},
    {"more sweeps", 0, sweep_more},
    {"sweeps while they are cheap", 0, sweep_while_cheap},
    {"islands", 0, solve_islands},
    // a step that can be halved is halved instead
    {"wide patches", CON_STAGE_FROM_GUESS | CON_STAGE_UNHALVED | CON_STAGE_IN_TIME, patch_widely},
    {"last resort", CON_STAGE_IN_TIME, resort},
};

cairn_status con_strategy_solve(con_strategy *s)
{
    return con_strategy_run(s, NULL, stages, BASE_COUNT(stages));
}
