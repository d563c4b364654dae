// SPDX-License-Identifier: Apache-2.0
// The default solver: Gauss-Seidel, then gradients, interior point and proximal Newton for what it
// leaves.
#include "contact/problem/team.h"
#include "contact/solvers/gradient/gradient.h"
#include "contact/solvers/newton/cascade.h"
#include "contact/solvers/newton/interior.h"
#include "contact/solvers/newton/proximal.h"
#include "contact/solvers/newton/semismooth.h"
#include "contact/solvers/patch.h"

#include "base/assert.h"

#include "base/timer.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct auto_settings {
    int warm_sweeps;
    double warm_error;
    int warm_solves;
    int sweeps;
    int guess_sweeps;
    double relaxation;
    double sweep_fraction;
    int gradient_steps;
    int interior_iterations;
    int polish_solves;
    double polish_weight;
    int restarts;
    int proximal_solves;
    int last_sweeps;
    int last_solves;
    double guess_share;
    int newton_steps;
    double zero_effort;
    double guess_effort;
    double halving_effort;
    // no settings, see limits_of
    int first_iterations; // of the first interior point
    double effort_left;   // s
    double reserve;       // s of it that the search leaves to sweeps
    int gradient_worth;   // factorisations that gradient steps may cost
    bool both_paces;      // of the gradient, also where factors are not dear
} auto_settings;

enum {
    ESCAPES = 60,               // of a path
    GRADIENT_WORTH = 25,        // factorisations that gradient steps may cost,
    PATCH_GRADIENT_WORTH = 150, // and within a patch
};

#define FIELD(name) offsetof(auto_settings, name)
static const base_setting settings_rows[] = {
    {"warm_sweeps", BASE_SETTING_INTEGER, FIELD(warm_sweeps), "", 20.0, 0.0, 1e6, NULL,
     "sweeps from a guess before Newton steps are tried"},
    {"warm_error", BASE_SETTING_REAL, FIELD(warm_error), "", 1e-4, 0.0, 1.0, NULL,
     "error up to which a guess counts as good"},
    {"warm_solves", BASE_SETTING_INTEGER, FIELD(warm_solves), "", 10.0, 0.0, 1e6, NULL,
     "linear solves spent on a good guess"},
    {"sweeps", BASE_SETTING_INTEGER, FIELD(sweeps), "", 40.0, 0.0, 1e9, NULL,
     "sweeps before Newton steps, from zero"},
    {"guess_sweeps", BASE_SETTING_INTEGER, FIELD(guess_sweeps), "", 100.0, 0.0, 1e9, NULL,
     "sweeps before the interior point, from a guess"},
    {"relaxation", BASE_SETTING_REAL, FIELD(relaxation), "", 1.4, 1.0, 1.9, NULL,
     "factor of each change of the sweeps from zero, after the first 20"},
    {"sweep_fraction", BASE_SETTING_REAL, FIELD(sweep_fraction), "", 0.3, 0.0, 1e6, NULL,
     "more sweeps when they promise to cost less than this part of Newton steps"},
    {"gradient_steps", BASE_SETTING_INTEGER, FIELD(gradient_steps), "", 20000.0, 0.0, 1e9, NULL,
     "steps of the accelerated gradient, at most"},
    {"interior_iterations", BASE_SETTING_INTEGER, FIELD(interior_iterations), "", 600.0, 0.0, 1e6,
     NULL, "factorisations of the interior point"},
    {"polish_solves", BASE_SETTING_INTEGER, FIELD(polish_solves), "", 40.0, 0.0, 1e6, NULL,
     "linear solves of a round of the proximal method after it"},
    {"polish_weight", BASE_SETTING_REAL, FIELD(polish_weight), "", 1e3, 1e-2, 1e10, NULL,
     "least proximal weight at the start of that, relative to 3 / trace of the diagonal block"},
    {"restarts", BASE_SETTING_INTEGER, FIELD(restarts), "", 15.0, 0.0, 1e6, NULL,
     "scattered starts of the interior point where it and the polish have failed"},
    {"proximal_solves", BASE_SETTING_INTEGER, FIELD(proximal_solves), "", 3000.0, 0.0, 1e6, NULL,
     "linear solves of the proximal method in De Saxce form"},
    {"last_sweeps", BASE_SETTING_INTEGER, FIELD(last_sweeps), "", 20000.0, 0.0, 1e9, NULL,
     "sweeps for another start, when all else has failed"},
    {"last_solves", BASE_SETTING_INTEGER, FIELD(last_solves), "", 8000.0, 0.0, 1e6, NULL,
     "linear solves from that start"},
    {"guess_share", BASE_SETTING_REAL, FIELD(guess_share), "", 1.0, 0.0, 1.0, NULL,
     "part of the last three that a solve from a guess may take: the next step has its own"},
    {"newton_steps", BASE_SETTING_INTEGER, FIELD(newton_steps), "", 24.0, 0.0, 1e6, NULL,
     "plain Newton steps before the interior point, from zero and while they converge"},
    {"zero_effort", BASE_SETTING_REAL, FIELD(zero_effort), "s", 60.0, 0.0, 1e9, NULL,
     "what restarts and all after them may take from zero, by operation counts and not the clock"},
    {"guess_effort", BASE_SETTING_REAL, FIELD(guess_effort), "s", 6.0, 0.0, 1e9, NULL,
     "the same from a guess, and in a step of a run"},
    {"halving_effort", BASE_SETTING_REAL, FIELD(halving_effort), "s", 0.2, 0.0, 1e9, NULL,
     "the same in a step that can be halved, and in all of its pieces but one"},
};

static bool has_guess(const con_problem *problem, const double (*R)[3])
{
    bool any = false;
    for (int task = 0; task < con_domains_tasks(problem->domains); task++) {
        con_span held = con_domains_held(problem->domains, problem->contact_count, task);
        for (int i = held.begin; i < held.end && !any; i++)
            any = R[i][0] != 0.0 || R[i][1] != 0.0 || R[i][2] != 0.0;
    }
    return con_team_any(problem->domains, any);
}

static bool is_open(const con_cascade *cascade, int island)
{
    return con_cascade_island_error(cascade, island) > cascade->control->tolerance;
}

static bool all_solved(const con_cascade *cascade)
{
    if (con_cascade_solved(cascade))
        return true;
    for (int k = 0; k < cascade->island_count; k++)
        if (is_open(cascade, k))
            return false;
    return true;
}

// Up to this tolerance Newton steps bring what rests to rest for many steps to come. Looser ones
// leave motions in which contacts open and close: what is solved does not outlive its step, and
// sweeps, even those that creep, calm these motions better
static const double tight = 1e-7;

// A few Newton steps more, to far below the tolerance: what is left of the accelerations at rest
// adds up over the steps to come, which are then spared Newton steps of their own for a while
static cairn_status deepen(con_newton *model)
{
    const con_proximal_settings last = {.form = CON_PROXIMAL_ALART_CURNIER,
                                        .weight = 1e8,
                                        .max_solves = 4,
                                        .max_inner = 4,
                                        .inner_factor = 0.01};
    double kept = model->goal.tolerance;
    model->goal.tolerance *= 1e-2;
    cairn_status status = con_proximal_run(model, &last, (const double(*)[3])model->best);
    model->goal.tolerance = kept;
    return status;
}

// a good guess needs a few Newton steps only
static cairn_status warm_start(con_cascade *cascade, const auto_settings *settings)
{
    con_proximal_settings polish = {.form = CON_PROXIMAL_ALART_CURNIER,
                                    .weight = 1e3,
                                    .max_solves = settings->warm_solves,
                                    .max_inner = 12,
                                    .inner_factor = 0.01};
    bool rests = cascade->control->step_of_run && cascade->control->tolerance <= tight;
    for (int k = 0; k < cascade->island_count; k++) {
        con_newton *model;
        if (!is_open(cascade, k) || con_cascade_island_error(cascade, k) > settings->warm_error)
            continue;
        cairn_status status = con_cascade_model(cascade, k, &model);
        if (status == CAIRN_OK)
            status = con_proximal_run(model, &polish, (const double(*)[3])model->best);
        if (status == CAIRN_OK && rests && con_newton_solved(model))
            status = deepen(model);
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

static cairn_status run_interior(con_newton *model, const auto_settings *settings, uint64_t seed,
                                 int escapes, const double (*r)[3])
{
    con_interior_settings interior = {.max_iterations = seed == 0 ? settings->first_iterations
                                                                  : settings->interior_iterations,
                                      .start_scale = con_interior_start_scale(model, r),
                                      .max_restarts = 3,
                                      .max_escapes = escapes,
                                      .seed = seed};
    return con_interior_run(model, &interior);
}

static cairn_status run_proximal(con_newton *model, int form, double weight, int solves,
                                 double deadline, const double (*r)[3])
{
    con_proximal_settings proximal = {.form = form,
                                      .weight = weight,
                                      .max_solves = solves,
                                      .max_inner = 12,
                                      .inner_factor = 0.01};
    double kept = model->goal.deadline;
    model->goal.deadline = deadline;
    cairn_status status = con_proximal_run(model, &proximal, r);
    model->goal.deadline = kept;
    return status;
}

static bool is_done(const con_newton *model)
{
    return con_newton_solved(model) || con_newton_late(model);
}

// proximal method from the best point as long as it gets better
static cairn_status polish(con_cascade *cascade, const auto_settings *settings, con_newton *model)
{
    double before = INFINITY;
    while (!is_done(model) && model->best_error < 1e-2 && model->best_error < 0.5 * before) {
        before = model->best_error;
        // the nearer, the longer the first proximal step may be
        double weight = fmax(settings->polish_weight, fmin(0.1 / before, 1e10));
        cairn_status status =
            run_proximal(model, CON_PROXIMAL_ALART_CURNIER, weight, settings->polish_solves,
                         cascade->deadline, (const double(*)[3])model->best);
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

// Paths that fold are followed for long from some starts and left soon from others: the time to a
// solution is heavy-tailed, and another start is better than more of one. Each attempt is polished
// from its own best point; the best of all stays
static cairn_status restart_interior(con_cascade *cascade, const auto_settings *settings, int begin,
                                     int end, con_newton *model)
{
    size_t size = (size_t)model->contact_count * sizeof *model->best;
    base_arena_mark mark = base_arena_get_mark(model->arena);
    double(*kept)[3] =
        base_arena_allocate(model->arena, "best point", (size_t)model->contact_count, sizeof *kept);
    cairn_status status = kept != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    // a point as near as this has not run away for want of a solution
    if (model->best_error < 1e-2)
        model->growth = 0.0;
    for (int k = begin; status == CAIRN_OK && k < end && !is_done(model); k++) {
        double kept_error = model->best_error;
        memcpy(kept, model->best, size);
        model->best_error = INFINITY;
        status = run_interior(model, settings, (uint64_t)k + 1, ESCAPES, (const double(*)[3])kept);
        if (status == CAIRN_OK)
            status = polish(cascade, settings, model);
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

// Damped Newton steps on an equation of the law, as long as every few of them multiply the error by
// no more than `gain`
static cairn_status newton_steps(con_cascade *cascade, con_newton *model, con_equation_map *map,
                                 int left, double gain, const double (*r)[3])
{
    enum { FEW = 3 };
    const con_semismooth_settings plain = {.line_search = CON_LINE_SEARCH_GOLDSTEIN_PRICE,
                                           .rho_rule = CON_RHO_SPLIT,
                                           .regularisation = 1e-4};
    con_semismooth method;
    base_arena_mark mark = base_arena_get_mark(model->arena);
    cairn_status status =
        con_semismooth_create(model, cascade->problem, map, &plain, model->arena, &method);
    if (status == CAIRN_OK) {
        size_t size = (size_t)model->contact_count * sizeof *method.r;
        memcpy(method.r, r, size);
        memset(method.centre, 0, size);
        con_newton_begin(model);
    }
    double before = INFINITY;
    for (; status == CAIRN_OK && left > 0 && !is_done(model) && model->best_error <= gain * before;
         left -= FEW) {
        int steps = left < FEW ? left : FEW;
        before = model->best_error;
        status = con_semismooth_run(&method, 0.0, &steps);
    }
    // steps may run away where the problem does not
    model->growth = 0.0;
    base_arena_rewind(model->arena, mark);
    return status;
}

// Paths that all fold may be met by other methods from the guess itself, each of which goes its own
// way through the states of the contacts
static cairn_status try_equations(con_cascade *cascade, con_newton *model)
{
    con_equation_map *const maps[] = {con_equation_fischer_burmeister, con_equation_natural_map};
    const double(*guess)[3] = (const double(*)[3])model->scratch[3];
    cairn_status status = CAIRN_OK;
    for (int k = 0; status == CAIRN_OK && k < BASE_COUNT(maps) && !is_done(model); k++)
        status = newton_steps(cascade, model, maps[k], 45, INFINITY, guess);
    if (status == CAIRN_OK && !is_done(model))
        status =
            run_proximal(model, CON_PROXIMAL_ALART_CURNIER, 1e3, 260, cascade->deadline, guess);
    return status;
}

// nominal seconds of one factorisation
static cairn_status effort_of_one(const con_newton *model, double *effort)
{
    double flops;
    cairn_status status = con_newton_flops(model, &flops);
    *effort = 1e-6 * model->contact_count + 0.08e-9 * flops;
    return status;
}

// Two other starts, other methods from the guess, then a while of the proximal method, which closes
// what paths do not, the other starts, and a long proximal run; all of it within the effort left
// but the reserve, or twice what the island has had where that is more
static cairn_status search(con_cascade *cascade, auto_settings *settings, bool warm,
                           con_newton *model)
{
    enum { NEAR_SOLVES = 1000 };
    const double near = 1e-7, deep = 1e-10;
    double effort;
    cairn_status status = effort_of_one(model, &effort);
    if (status != CAIRN_OK)
        return status;
    int before = model->factorisations;
    double free = settings->effort_left - settings->reserve;
    double most = before + fmax(free / effort, 2.0 * before);
    model->limit = most < model->limit ? (int)most : model->limit;

    int few = settings->restarts < 2 ? settings->restarts : 2;
    int short_run = settings->proximal_solves < 600 ? settings->proximal_solves : 600;
    // the equations and the De Saxce form know no rolling cones
    bool rolls = model->force != NULL;
    // what is near a tolerance as deep as this needs more proximal steps, and shorter ones
    if (model->best_error <= near && model->goal.tolerance <= deep)
        status = run_proximal(model, CON_PROXIMAL_ALART_CURNIER, 1e3, NEAR_SOLVES,
                              cascade->deadline, (const double(*)[3])model->best);
    if (status == CAIRN_OK)
        status = restart_interior(cascade, settings, 0, few, model);
    if (status == CAIRN_OK && !rolls && warm && !is_done(model))
        status = try_equations(cascade, model);
    if (status == CAIRN_OK && !rolls && !is_done(model))
        status = run_proximal(model, CON_PROXIMAL_DE_SAXCE, 1e3, short_run, cascade->deadline,
                              (const double(*)[3])model->best);
    if (status == CAIRN_OK)
        status = restart_interior(cascade, settings, few, settings->restarts, model);
    double now = base_timer_seconds();
    double half = isfinite(cascade->deadline) ? now + 0.5 * (cascade->deadline - now) : INFINITY;
    if (status == CAIRN_OK && !is_done(model))
        status = run_proximal(model, CON_PROXIMAL_DE_SAXCE, 1e3, settings->proximal_solves, half,
                              (const double(*)[3])model->best);
    settings->effort_left -= effort * (model->factorisations - before);
    return status;
}

// Steps without factorisations, which come to loose tolerances where the grains of a large pile
// move, whose paths fold: where factors are dear, and from a guess behind the first fold. What one
// pace of the shift does not solve, another may
static cairn_status try_gradient(con_cascade *cascade, const auto_settings *settings, bool warm,
                                 con_newton *model)
{
    enum { DEAR_STEPS = 4000, DEAR_FACTORISATIONS = 12 };
    const double effort_of_step = 2e-8 * model->contact_count; // s
    const double(*start)[3] = (const double(*)[3])model->scratch[3];
    con_gradient_settings paces[] = {{.share = 0.4, .slowest = 0.02, .patience = 1500},
                                     {.share = 0.15, .slowest = 0.02, .patience = 3000}};
    double effort;
    cairn_status status = effort_of_one(model, &effort);
    if (status != CAIRN_OK || settings->gradient_steps == 0)
        return status;
    bool dear = DEAR_FACTORISATIONS * effort > DEAR_STEPS * effort_of_step;
    if (!dear && !warm)
        return CAIRN_OK;
    if (!dear)
        status = run_interior(model, settings, 0, 0, start);
    int tried = warm && (dear || settings->both_paces) ? 2 : 1;
    for (int k = 0; status == CAIRN_OK && k < tried && !is_done(model); k++) {
        paces[k].max_steps =
            (int)fmin(settings->gradient_steps, settings->gradient_worth * effort / effort_of_step);
        status = con_gradient_run(model, &paces[k], start);
    }
    return status == CAIRN_OK && model->best_error < 5e-5 ? polish(cascade, settings, model)
                                                          : status;
}

// gradient steps, plain Newton steps, interior point, polish, search
static cairn_status solve_model(con_cascade *cascade, auto_settings *settings, bool warm,
                                con_newton *model)
{
    cairn_status status = CAIRN_OK;
    if (!is_done(model) && model->force == NULL)
        status = try_gradient(cascade, settings, warm, model);
    if (status == CAIRN_OK && !is_done(model) && model->force == NULL)
        status = newton_steps(cascade, model, con_equation_alart_curnier, settings->newton_steps,
                              0.1, (const double(*)[3])model->best);
    if (status == CAIRN_OK && !is_done(model) && model->force != NULL)
        status = polish(cascade, settings, model);
    if (status == CAIRN_OK && !is_done(model))
        status = run_interior(model, settings, 0, ESCAPES, (const double(*)[3])model->scratch[3]);
    if (status == CAIRN_OK)
        status = polish(cascade, settings, model);
    // which a point that ran away does not keep from starting elsewhere
    if (status == CAIRN_OK && !con_newton_solved(model))
        status = search(cascade, settings, warm, model);
    return status;
}

// So large a part of all contacts that what a patch costs, which passes over all, is little; there
// are few such islands
static bool is_large(const con_cascade *cascade, int island)
{
    enum { ISLANDS = 16 };
    int size = cascade->start[island + 1] - cascade->start[island];
    return size >= cascade->problem->contact_count / ISLANDS;
}

// What a guess lacks in few places is found there. Each patch has a part of the effort; where one
// does not help, the next is wider: it moves what the narrower ones pushed against. After a few
// that do not help, no more are made. A first patch may hold the part `most` of the island, a wider
// one `most_wider`
static cairn_status solve_patches(con_cascade *cascade, auto_settings *settings, int island,
                                  double most, double most_wider)
{
    enum { PATCHES = 20, IN_VAIN = 4 };
    const double enough = 0.5, part = 0.25;
    base_arena_mark mark = base_arena_get_mark(cascade->arena);
    con_patch patch;
    cairn_status status = con_patch_init(cascade, island, &patch);
    bool found = true, wider = false;
    int in_vain = 0; // patches since one that helped
    for (int k = 0; k < PATCHES && is_open(cascade, island) && !con_cascade_late(cascade); k++) {
        double before = con_cascade_island_error(cascade, island);
        if (status == CAIRN_OK)
            status = con_patch_find(&patch, wider ? most_wider : most, wider, &found);
        if (status != CAIRN_OK || !found)
            break;
        auto_settings limits = *settings;
        limits.effort_left = part * settings->effort_left;
        limits.reserve = 0.0;
        limits.gradient_worth = PATCH_GRADIENT_WORTH;
        limits.both_paces = true;
        settings->effort_left -= limits.effort_left;
        status = solve_model(cascade, &limits, true, &patch.model);
        settings->effort_left += limits.effort_left;
        bool solved = con_newton_solved(&patch.model);
        if (status == CAIRN_OK)
            status = con_patch_take(&patch);
        bool better = con_cascade_island_error(cascade, island) <= enough * before;
        in_vain = better ? 0 : in_vain + 1;
        if (in_vain > IN_VAIN)
            break;
        wider = !solved || !better;
    }
    if (status == CAIRN_OK)
        status = con_patch_end(&patch);
    base_arena_rewind(cascade->arena, mark);
    return status;
}

static cairn_status solve_large_by_patches(con_cascade *cascade, auto_settings *settings,
                                           double most, double most_wider)
{
    cairn_status status = CAIRN_OK;
    for (int k = 0; status == CAIRN_OK && k < cascade->island_count; k++)
        if (is_open(cascade, k) && is_large(cascade, k))
            status = solve_patches(cascade, settings, k, most, most_wider);
    return status;
}

static cairn_status solve_island(con_cascade *cascade, auto_settings *settings, bool warm,
                                 int island)
{
    con_newton *model;
    cairn_status status = con_cascade_model(cascade, island, &model);
    return status == CAIRN_OK ? solve_model(cascade, settings, warm, model) : status;
}

static cairn_status solve_open_islands(con_cascade *cascade, auto_settings *settings, bool warm)
{
    for (int k = 0; k < cascade->island_count; k++) {
        cairn_status status =
            is_open(cascade, k) ? solve_island(cascade, settings, warm, k) : CAIRN_OK;
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

// Newton steps were possible on some island
static bool has_factored(const con_cascade *cascade)
{
    for (int k = 0; k < cascade->island_count; k++)
        if (cascade->model[k] != NULL && cascade->model[k]->factorisations > 0)
            return true;
    return false;
}

// Many sweeps and a proximal run from there, each with half of what is left of the effort. From
// zero unless sweeps are all there is, or a guess has brought them here
static cairn_status last_resort(con_cascade *cascade, const auto_settings *settings, bool warm)
{
    size_t size = (size_t)cascade->problem->contact_count * sizeof *cascade->R;
    double left = 0.5 * fmax(settings->effort_left, settings->reserve);
    double sweeps = left / (1e-7 * cascade->problem->contact_count);
    if (has_factored(cascade) && !warm)
        memset(cascade->R, 0, size);
    cairn_status status = con_cascade_restart(cascade);
    if (status == CAIRN_OK)
        status =
            con_cascade_sweep(cascade, cascade->sweeps + (int)fmin(settings->last_sweeps, sweeps));
    for (int k = 0; status == CAIRN_OK && k < cascade->island_count; k++) {
        con_newton *model;
        if (!is_open(cascade, k))
            continue;
        status = con_cascade_model(cascade, k, &model);
        double effort;
        if (status == CAIRN_OK)
            status = effort_of_one(model, &effort);
        if (status == CAIRN_OK && !is_done(model) && left > effort) {
            int before = model->factorisations;
            status = run_proximal(model, CON_PROXIMAL_DE_SAXCE, 1e2,
                                  (int)fmin(settings->last_solves, left / effort),
                                  cascade->deadline, (const double(*)[3])model->scratch[3]);
            left -= effort * (model->factorisations - before);
        }
    }
    return status;
}

static cairn_status run(con_cascade *cascade, auto_settings *settings, bool warm)
{
    // from zero the order from below carries loads twice as fast
    cascade->one_way = !warm;
    cascade->relaxation = warm ? 1.0 : settings->relaxation;
    bool short_cut = warm && settings->warm_solves > 0 && cascade->control->tolerance <= tight;
    cascade->creep_error = short_cut ? settings->warm_error : 0.0;
    cairn_status status = con_cascade_sweep(cascade, settings->warm_sweeps);
    cascade->creep_error = 0.0;
    if (status != CAIRN_OK || con_cascade_solved(cascade))
        return status;
    status = con_cascade_split(cascade);
    if (status == CAIRN_OK && warm && !con_cascade_solved(cascade))
        status = warm_start(cascade, settings);
    if (status == CAIRN_OK && warm)
        status = solve_large_by_patches(cascade, settings, 0.2, 0.4);
    if (status != CAIRN_OK || all_solved(cascade))
        return status;
    status = con_cascade_sweep(cascade, settings->sweeps);
    for (int before = -1; status == CAIRN_OK && !all_solved(cascade) && before < cascade->sweeps;) {
        before = cascade->sweeps;
        status = con_cascade_sweep_on(cascade, settings->sweep_fraction);
    }
    if (status == CAIRN_OK && !all_solved(cascade))
        status = solve_open_islands(cascade, settings, warm);
    // what the whole did not come to, most of it may; a step that can be halved is halved instead
    if (status == CAIRN_OK && warm && !cascade->control->brief && !all_solved(cascade) &&
        !con_cascade_late(cascade))
        status = solve_large_by_patches(cascade, settings, 0.6, 0.7);
    if (status == CAIRN_OK && !all_solved(cascade) && !con_cascade_late(cascade))
        status = last_resort(cascade, settings, warm);
    return status;
}

// a step of a run need not go to the length that a problem of its own deserves
static auto_settings limits_of(const auto_settings *settings, const con_control *control, bool warm)
{
    auto_settings limits = *settings;
    limits.gradient_worth = GRADIENT_WORTH;
    limits.both_paces = false;
    // from a guess most paths end soon, and those that do not are better left for other starts
    limits.first_iterations =
        warm && settings->interior_iterations > 100 ? 100 : settings->interior_iterations;
    limits.effort_left =
        warm || control->step_of_run ? settings->guess_effort : settings->zero_effort;
    if (control->brief && limits.effort_left > settings->halving_effort)
        limits.effort_left = settings->halving_effort;
    limits.reserve = limits.effort_left / 3.0;
    if (warm) {
        // a guess that sweeps have not brought home has other contacts than the solution
        limits.newton_steps = 0;
        limits.sweeps = settings->guess_sweeps;
        // other starts end soon or late, and late ones are better left for further starts
        limits.interior_iterations =
            settings->interior_iterations > 300 ? 300 : settings->interior_iterations;
        limits.proximal_solves = (int)(settings->guess_share * settings->proximal_solves);
        limits.last_sweeps = (int)(settings->guess_share * settings->last_sweeps);
        limits.last_solves = (int)(settings->guess_share * settings->last_solves);
    }
    return limits;
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    con_cascade cascade;
    bool warm = has_guess(problem, (const double(*)[3])R);
    auto_settings limits = limits_of(settings, control, warm);
    cairn_status status = con_cascade_create(problem, control, R, report, arena, &cascade);
    if (status == CAIRN_OK)
        status = run(&cascade, &limits, warm);
    return status == CAIRN_OK ? con_cascade_finish(&cascade) : status;
}

const con_solver con_solver_auto = {
    .name = "auto",
    .help = "Gauss-Seidel, gradients, interior point and proximal Newton in turn, island by island",
    .needs = CON_TAKES_ROLLING | CON_TAKES_RATES | CON_SHARES | CON_KEEPS_BRIEF,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(auto_settings)},
    .solve = solve,
};
