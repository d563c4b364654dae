// SPDX-License-Identifier: Apache-2.0
// Stages for the model of an island or patch, and the search behind them.
#include "base/assert.h"
#include "base/timer.h"
#include "contact/solvers/gradient/gradient.h"
#include "contact/solvers/newton/interior.h"
#include "contact/solvers/newton/proximal.h"
#include "contact/solvers/newton/semismooth.h"
#include "contact/strategy/methods.h"
#include "contact/strategy/numbers.h"

#include <math.h>
#include <string.h>

static bool is_done(const con_newton *model)
{
    return con_newton_solved(model) || con_newton_late(model);
}

/// The point that the model was given.
static const double (*guess_of(const con_newton *model))[3]
{
    return (const double(*)[3])model->scratch[3];
}

static const double (*best_of(const con_newton *model))[3]
{
    return (const double(*)[3])model->best;
}

cairn_status con_strategy_effort(const con_newton *model, double *effort)
{
    double flops;
    cairn_status status = con_newton_flops(model, &flops);
    *effort = con_cost_of_contact * model->contact_count + con_cost_of_operation * flops;
    return status;
}

cairn_status con_strategy_proximal(con_newton *model, int form, double weight, int solves,
                                   double deadline, const double (*r)[3])
{
    const con_proximal_settings proximal = {.form = form,
                                            .weight = weight,
                                            .max_solves = solves,
                                            .max_inner = CON_PROXIMAL_INNER,
                                            .inner_factor = con_proximal_inner_factor};
    double kept = model->goal.deadline;
    model->goal.deadline = deadline;
    cairn_status status = con_proximal_run(model, &proximal, r);
    model->goal.deadline = kept;
    return status;
}

// ---------------------------------------------------------------- methods

static cairn_status run_interior(const con_strategy *s, con_newton *model, uint64_t seed,
                                 int escapes, const double (*r)[3])
{
    const con_interior_settings interior = {
        .max_iterations = seed == 0 ? s->first_iterations : s->settings.interior_iterations,
        .start_scale = con_interior_start_scale(model, r),
        .max_restarts = CON_SLOW_STARTS,
        .max_escapes = escapes,
        .seed = seed};
    return con_interior_run(model, &interior);
}

static cairn_status follow_path(con_strategy *s, con_newton *model)
{
    return run_interior(s, model, 0, CON_ESCAPES, guess_of(model));
}

/// The proximal method from the best point, as long as it gets better.
static cairn_status polish(con_strategy *s, con_newton *model)
{
    double before = INFINITY;
    while (!is_done(model) && model->best_error < con_near &&
           model->best_error < con_polish_gain * before) {
        before = model->best_error;
        double weight = fmax(s->settings.polish_weight,
                             fmin(con_polish_weight_by_error / before, con_polish_weight_most));
        BASE_TRY(con_strategy_proximal(model, CON_PROXIMAL_ALART_CURNIER, weight,
                                       s->settings.polish_solves, s->cascade->deadline,
                                       best_of(model)));
    }
    return CAIRN_OK;
}

/// Damped Newton steps on an equation of the law, as long as every few of them multiply the error
/// by no more than `gain`.
static cairn_status step_on(const con_strategy *s, con_newton *model, con_equation_map *map,
                            int left, double gain, const double (*r)[3])
{
    const con_semismooth_settings plain = {.line_search = CON_LINE_SEARCH_GOLDSTEIN_PRICE,
                                           .rho_rule = CON_RHO_SPLIT,
                                           .regularisation = con_newton_regularisation};
    con_semismooth method;
    base_arena_mark mark = base_arena_get_mark(model->arena);
    cairn_status status =
        con_semismooth_create(model, s->cascade->problem, map, &plain, model->arena, &method);
    if (status == CAIRN_OK) {
        size_t size = (size_t)model->contact_count * sizeof *method.r;
        memcpy(method.r, r, size);
        memset(method.centre, 0, size);
        con_newton_begin(model);
    }
    double before = INFINITY;
    for (; status == CAIRN_OK && left > 0 && !is_done(model) && model->best_error <= gain * before;
         left -= CON_NEWTON_FEW) {
        int steps = left < CON_NEWTON_FEW ? left : CON_NEWTON_FEW;
        before = model->best_error;
        status = con_semismooth_run(&method, 0.0, &steps);
    }
    // steps may run away where the problem does not
    model->growth = 0.0;
    base_arena_rewind(model->arena, mark);
    return status;
}

static cairn_status step_by_newton(con_strategy *s, con_newton *model)
{
    return step_on(s, model, con_equation_alart_curnier, s->settings.newton_steps, con_newton_gain,
                   best_of(model));
}

/// Steps without factorisations, which come to loose tolerances where the grains of a large pile
/// move, whose paths fold: where factors are dear, and from a guess behind the first fold. What one
/// pace of the shift does not solve, another may.
static cairn_status step_by_gradient(con_strategy *s, con_newton *model)
{
    const double effort_of_step = con_cost_of_gradient * model->contact_count; // s
    const double(*start)[3] = guess_of(model);
    double effort;
    cairn_status status = con_strategy_effort(model, &effort);
    if (status != CAIRN_OK || s->settings.gradient_steps == 0)
        return status;
    bool dear = CON_DEAR_FACTORISATIONS * effort > CON_DEAR_STEPS * effort_of_step;
    if (!dear && !s->warm)
        return CAIRN_OK;
    if (!dear)
        status = run_interior(s, model, 0, 0, start);
    int tried = s->warm && (dear || s->both_paces) ? CON_PACES : 1;
    for (int k = 0; status == CAIRN_OK && k < tried && !is_done(model); k++) {
        const con_gradient_settings pace = {
            .max_steps =
                (int)fmin(s->settings.gradient_steps, s->gradient_worth * effort / effort_of_step),
            .share = con_pace_share[k],
            .slowest = con_pace_slowest,
            .patience = con_pace_patience[k]};
        status = con_gradient_run(model, &pace, start);
    }
    return status == CAIRN_OK && model->best_error < con_near_by_gradient ? polish(s, model)
                                                                          : status;
}

// ---------------------------------------------------------------- search

/// Paths that fold are followed for long from some starts and left soon from others: the time to a
/// solution is heavy-tailed, and another start is better than more of one. Each attempt is polished
/// from its own best point; the best of all stays.
static cairn_status start_elsewhere(con_strategy *s, con_newton *model, int begin, int end)
{
    size_t size = (size_t)model->contact_count * sizeof *model->best;
    base_arena_mark mark = base_arena_get_mark(model->arena);
    double(*kept)[3] =
        base_arena_allocate(model->arena, "best point", (size_t)model->contact_count, sizeof *kept);
    cairn_status status = kept != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (model->best_error < con_near)
        model->growth = 0.0;
    for (int k = begin; status == CAIRN_OK && k < end && !is_done(model); k++) {
        double kept_error = model->best_error;
        memcpy(kept, model->best, size);
        model->best_error = INFINITY;
        status = run_interior(s, model, (uint64_t)k + 1, CON_ESCAPES, (const double(*)[3])kept);
        if (status == CAIRN_OK)
            status = polish(s, model);
        // a start may run away where the problem does not
        model->growth = 0.0;
        if (!(model->best_error < kept_error)) {
            model->best_error = kept_error;
            memcpy(model->best, kept, size);
        }
    }
    base_arena_rewind(model->arena, mark);
    return status;
}

static int few_restarts(const con_strategy *s)
{
    return s->settings.restarts < CON_FEW_RESTARTS ? s->settings.restarts : CON_FEW_RESTARTS;
}

/// What is near a tolerance as deep as this needs more proximal steps, and shorter ones.
static cairn_status finish_deep(con_strategy *s, con_newton *model)
{
    if (model->best_error > con_nearly_there || model->goal.tolerance > con_deep)
        return CAIRN_OK;
    return con_strategy_proximal(model, CON_PROXIMAL_ALART_CURNIER, con_weight,
                                 CON_NEARLY_THERE_SOLVES, s->cascade->deadline, best_of(model));
}

static cairn_status restart_few(con_strategy *s, con_newton *model)
{
    return start_elsewhere(s, model, 0, few_restarts(s));
}

static cairn_status restart_more(con_strategy *s, con_newton *model)
{
    return start_elsewhere(s, model, few_restarts(s), s->settings.restarts);
}

/// Paths that all fold may be met by other methods from the guess itself, each of which goes its
/// own way through the states of the contacts.
static cairn_status try_equations(con_strategy *s, con_newton *model)
{
    con_equation_map *const maps[] = {con_equation_fischer_burmeister, con_equation_natural_map};
    for (int k = 0; k < BASE_COUNT(maps) && !is_done(model); k++)
        BASE_TRY(step_on(s, model, maps[k], CON_EQUATION_STEPS, INFINITY, guess_of(model)));
    if (!is_done(model))
        BASE_TRY(con_strategy_proximal(model, CON_PROXIMAL_ALART_CURNIER, con_weight,
                                       CON_EQUATION_SOLVES, s->cascade->deadline, guess_of(model)));
    return CAIRN_OK;
}

static cairn_status close_shortly(con_strategy *s, con_newton *model)
{
    int solves = s->settings.proximal_solves;
    return con_strategy_proximal(model, CON_PROXIMAL_DE_SAXCE, con_weight,
                                 solves < CON_SHORT_SOLVES ? solves : CON_SHORT_SOLVES,
                                 s->cascade->deadline, best_of(model));
}

static cairn_status close_long(con_strategy *s, con_newton *model)
{
    double now = base_timer_seconds(), deadline = s->cascade->deadline;
    double part = isfinite(deadline) ? now + con_clock_share * (deadline - now) : INFINITY;
    return con_strategy_proximal(model, CON_PROXIMAL_DE_SAXCE, con_weight,
                                 s->settings.proximal_solves, part, best_of(model));
}

static const con_stage search_stages[] = {
    {"shorter proximal steps", CON_STAGE_LATE, finish_deep},
    {"two other starts", CON_STAGE_LATE, restart_few},
    {"other equations", CON_STAGE_FROM_GUESS | CON_STAGE_FORCES, try_equations},
    {"proximal method, short", CON_STAGE_FORCES, close_shortly},
    {"other starts", CON_STAGE_LATE, restart_more},
    {"proximal method, long", 0, close_long},
};

/// All of it within the effort left but the reserve, or a multiple of what the island has had where
/// that is more.
static cairn_status search(con_strategy *s, con_newton *model)
{
    double effort;
    BASE_TRY(con_strategy_effort(model, &effort));
    int before = model->factorisations;
    double free = s->effort_left - s->reserve;
    double most = before + fmax(free / effort, con_search_least * before);
    model->limit = most < model->limit ? (int)most : model->limit;
    cairn_status status = con_strategy_run(s, model, search_stages, BASE_COUNT(search_stages));
    s->effort_left -= effort * (model->factorisations - before);
    return status;
}

static const con_stage model_stages[] = {
    {"gradient steps", CON_STAGE_FORCES, step_by_gradient},
    {"Newton steps", CON_STAGE_FROM_ZERO | CON_STAGE_FORCES, step_by_newton},
    {"proximal method from the guess", CON_STAGE_MOMENTS, polish},
    {"interior point", 0, follow_path},
    {"proximal method from the best point", 0, polish},
    // one that ran away may come home from elsewhere
    {"search", CON_STAGE_LATE, search},
};

cairn_status con_strategy_solve_model(con_strategy *s, con_newton *model)
{
    return con_strategy_run(s, model, model_stages, BASE_COUNT(model_stages));
}
