// SPDX-License-Identifier: Apache-2.0
// The default solver: Gauss-Seidel, then gradients, interior point and proximal Newton for what it
// leaves.
#include "base/assert.h"
#include "contact/problem/team.h"
#include "contact/strategy/numbers.h"
#include "contact/strategy/strategy.h"

#define FIELD(name) offsetof(con_strategy_settings, name)
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

/// Limits of a solve: a step of a run need not go to the length that a problem of its own deserves,
/// and one from a guess not to that of one from zero.
static con_strategy begin(con_cascade *cascade, const con_strategy_settings *settings, bool warm)
{
    const con_control *control = cascade->control;
    con_strategy s = {.cascade = cascade,
                      .settings = *settings,
                      .warm = warm,
                      .first_iterations = settings->interior_iterations,
                      .effort_left = warm || control->step_of_run ? settings->guess_effort
                                                                  : settings->zero_effort,
                      .gradient_worth = CON_GRADIENT_WORTH};
    if (control->brief && s.effort_left > settings->halving_effort)
        s.effort_left = settings->halving_effort;
    s.reserve = s.effort_left / CON_RESERVE;
    if (!warm)
        return s;
    if (s.first_iterations > CON_FIRST_FROM_GUESS)
        s.first_iterations = CON_FIRST_FROM_GUESS;
    if (s.settings.interior_iterations > CON_OTHERS_FROM_GUESS)
        s.settings.interior_iterations = CON_OTHERS_FROM_GUESS;
    s.settings.proximal_solves = (int)(settings->guess_share * settings->proximal_solves);
    s.settings.last_sweeps = (int)(settings->guess_share * settings->last_sweeps);
    s.settings.last_solves = (int)(settings->guess_share * settings->last_solves);
    return s;
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    con_cascade cascade;
    bool warm = has_guess(problem, (const double(*)[3])R);
    BASE_TRY(con_cascade_create(problem, control, R, report, arena, &cascade));
    con_strategy strategy = begin(&cascade, settings, warm);
    cairn_status status = con_strategy_solve(&strategy);
    return status == CAIRN_OK ? con_cascade_finish(&cascade) : status;
}

const con_solver con_solver_auto = {
    .name = "auto",
    .help = "Gauss-Seidel, gradients, interior point and proximal Newton in turn, island by island",
    .needs = CON_TAKES_ROLLING | CON_TAKES_RATES | CON_SHARES | CON_KEEPS_BRIEF,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_strategy_settings)},
    .solve = solve,
};
