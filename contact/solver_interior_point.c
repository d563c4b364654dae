// SPDX-License-Identifier: Apache-2.0
// Interior point on the relaxed problem, De Saxce's shift in an outer loop, theory.md (7.6).
#include "contact/cascade.h"
#include "contact/convex_interior.h"

#include "base/assert.h"

#include <math.h>

typedef struct interior_point_settings {
    int max_outer;
    double inner_factor;
    double relaxation;
} interior_point_settings;

#define FIELD(name) offsetof(interior_point_settings, name)
static const base_setting settings_rows[] = {
    {"outer",        BASE_SETTING_INTEGER, FIELD(max_outer),    "", 1000.0, 0.0,  1e9, NULL,
     "programs that follow the first, with a new shift; 0: the relaxed problem alone"},
    {"inner_factor", BASE_SETTING_REAL,    FIELD(inner_factor), "", 0.1,    1e-8, 1.0, NULL,
     "tolerance of a program relative to the error before it"                        },
    {"relaxation",   BASE_SETTING_REAL,    FIELD(relaxation),   "", 1.0,    0.01, 1.0, NULL,
     "share of a change of the shift that is taken"                                  },
};

enum { PATIENCE = 50 };

static void update_shift(con_convex_interior *c, double share)
{
    for (int i = 0; i < c->newton->contact_count; i++) {
        const double *u = c->u[i];
        double slip = c->newton->mu[i] * sqrt(u[1] * u[1] + u[2] * u[2]);
        c->s[i] += share * (slip - c->s[i]);
    }
}

static cairn_status iterate(con_convex_interior *c, const interior_point_settings *settings)
{
    con_newton *newton = c->newton;
    double least = newton->best_error;
    int since = 0;
    for (int outer = 0; outer <= settings->max_outer && since < PATIENCE; outer++) {
        bool alone = settings->max_outer == 0;
        double tolerance = alone ? 0.1 * newton->goal.tolerance
                                 : settings->inner_factor * fmin(newton->best_error, 1.0);
        cairn_status status = con_convex_interior_run(c, fmax(tolerance, 1e-14));
        if (status != CAIRN_OK || con_newton_solved(newton) || con_newton_late(newton))
            return status;
        since = newton->best_error < 0.999 * least ? 0 : since + 1;
        least = newton->best_error;
        update_shift(c, settings->relaxation);
    }
    return CAIRN_OK;
}

static cairn_status solve_island(con_cascade *cascade, const interior_point_settings *settings,
                                 int island)
{
    con_newton *model;
    cairn_status status = con_cascade_model(cascade, island, &model);
    if (status != CAIRN_OK)
        return status;
    base_arena_mark mark = base_arena_get_mark(cascade->arena);
    con_convex_interior method;
    status = con_convex_interior_create(model, cascade->arena, &method);
    if (status == CAIRN_OK) {
        con_newton_begin(model);
        status = iterate(&method, settings);
    }
    base_arena_rewind(cascade->arena, mark);
    return status;
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    con_cascade cascade;
    cairn_status status = con_cascade_create(problem, control, R, report, arena, &cascade);
    for (int k = 0; status == CAIRN_OK && k < cascade.island_count; k++)
        if (!con_cascade_solved(&cascade) &&
            con_cascade_island_error(&cascade, k) > control->tolerance)
            status = solve_island(&cascade, settings, k);
    return status == CAIRN_OK ? con_cascade_finish(&cascade) : status;
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
