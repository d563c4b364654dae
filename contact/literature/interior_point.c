// SPDX-License-Identifier: Apache-2.0
// Interior point on the relaxed problem, De Saxce's shift in an outer loop, solvers.md (S.6).
#include "contact/literature/convex_interior.h"
#include "contact/literature/islands.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

typedef struct interior_point_settings {
    int max_outer;
    double inner_factor;
    double relaxation;
} interior_point_settings;

#define FIELD(name) offsetof(interior_point_settings, name)
static const base_setting settings_rows[] = {
    {"outer", BASE_SETTING_INTEGER, FIELD(max_outer), "", 1000.0, 0.0, 1e9, NULL,
     "programs that follow the first, with a new shift; 0: the relaxed problem alone"},
    {"inner_factor", BASE_SETTING_REAL, FIELD(inner_factor), "", 0.1, 1e-8, 1.0, NULL,
     "tolerance of a program relative to the error before it"},
    {"relaxation", BASE_SETTING_REAL, FIELD(relaxation), "", 1.0, 0.01, 1.0, NULL,
     "share of a change of the shift that is taken at first; halved when it runs in circles"},
};

enum { PATIENCE = 50 };

// the program's solution stands, though another point may break the law less
static void keep_relaxed(con_convex_interior *c)
{
    con_newton *newton = c->newton;
    memcpy(newton->best, c->r, (size_t)newton->contact_count * sizeof *newton->best);
    newton->best_error = 0.0;
}

// the shift goes a share of the way to the slip of the reaction, whose velocity is in scratch[0]
static void follow_slip(con_convex_interior *c, double share)
{
    for (int i = 0; i < c->newton->contact_count; i++) {
        const double *u = c->newton->scratch[0][i];
        double slip = c->newton->mu[i] * sqrt(u[1] * u[1] + u[2] * u[2]);
        c->s[i] += share * (slip - c->s[i]);
    }
}

// a guess has a slip, and the program without a shift may be far from it
static void begin_at_guess(con_convex_interior *c)
{
    con_newton *newton = c->newton;
    bool any = false;
    for (int i = 0; i < newton->contact_count && !any; i++)
        any = newton->best[i][0] != 0.0;
    if (!any)
        return;
    con_newton_velocity(newton, (const double(*)[3])newton->best, true, newton->scratch[0]);
    follow_slip(c, 1.0);
}

static cairn_status iterate(con_convex_interior *c, const interior_point_settings *settings)
{
    con_newton *newton = c->newton;
    double least = newton->best_error, share = settings->relaxation;
    double tolerance = 1.0;
    int since = 0;
    for (int outer = 0; outer <= settings->max_outer && since < PATIENCE; outer++) {
        double wanted = settings->inner_factor * fmin(newton->best_error, 1.0);
        if (settings->max_outer == 0)
            wanted = 0.1 * newton->goal.tolerance;
        tolerance = fmin(since > 0 ? 0.1 * tolerance : tolerance, wanted);
        cairn_status status = con_convex_interior_run(c, fmax(tolerance, 1e-14));
        if (status == CAIRN_OK && settings->max_outer == 0)
            keep_relaxed(c);
        if (status != CAIRN_OK || con_newton_solved(newton) || con_newton_late(newton))
            return status;
        since = newton->best_error < 0.999 * least ? 0 : since + 1;
        least = newton->best_error;
        // the plain fixed point may run in a cycle of two
        if (since > 0 && since % 4 == 0)
            share = fmax(0.5 * share, 0.02);

        follow_slip(c, share);
    }
    return CAIRN_OK;
}

static cairn_status solve_island(const void *settings, const con_problem *problem,
                                 con_newton *model)
{
    (void)problem;
    con_convex_interior method;
    BASE_TRY(con_convex_interior_create(model, model->arena, &method));
    con_newton_begin(model);
    if (((const interior_point_settings *)settings)->max_outer > 0)
        begin_at_guess(&method);
    return iterate(&method, settings);
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_islands_solve(solve_island, settings, 0, problem, control, R, report, arena);
}

const con_solver con_solver_interior_point = {
    .name = "interior_point",
    .help = "interior point on the convex relaxation, corrected to the law by outer programs",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(interior_point_settings)},
    .solve = solve,
};
