// SPDX-License-Identifier: Apache-2.0
// Proximal point method over semismooth Newton, solvers.md (S.18).
#include "contact/literature/islands.h"
#include "contact/solvers/newton/semismooth.h"

#include "base/assert.h"
#include "base/elementary.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef enum weight_rule { WEIGHT_GEOMETRIC, WEIGHT_ERROR } weight_rule;

typedef struct proximal_point_settings {
    int rule;
    int equation;
    int sweeps;
    double alpha;
    double sigma;
    double nu;
    int max_inner;
    double inner_factor;
} proximal_point_settings;

static const char *const rule_names[] = {"geometric", "error", NULL};
static const char *const equation_names[] = {"alart_curnier", "jean_moreau", "natural_map",
                                             "fischer_burmeister", NULL};
static con_equation_map *const equations[] = {con_equation_alart_curnier, con_equation_jean_moreau,
                                              con_equation_natural_map,
                                              con_equation_fischer_burmeister};

#define FIELD(name) offsetof(proximal_point_settings, name)
static const base_setting settings_rows[] = {
    {"rule", BASE_SETTING_CHOICE, FIELD(rule), "", WEIGHT_GEOMETRIC, WEIGHT_GEOMETRIC, WEIGHT_ERROR,
     rule_names, "weight: by success and failure, or sigma error^nu"},
    {"equation", BASE_SETTING_CHOICE, FIELD(equation), "", 0.0, 0.0, 3.0, equation_names,
     "what the inner Newton method solves"},
    {"sweeps", BASE_SETTING_INTEGER, FIELD(sweeps), "", 0.0, 0.0, INT_MAX, NULL,
     "Gauss-Seidel sweeps before the first proximal point"},
    {"alpha", BASE_SETTING_REAL, FIELD(alpha), "", 1.0, 1e-12, 1e12, NULL,
     "first weight, relative to trace / 3 of the diagonal block"},
    {"sigma", BASE_SETTING_REAL, FIELD(sigma), "", 5.0, 1e-6, 1e6, NULL, "of rule = error"},
    {"nu", BASE_SETTING_REAL, FIELD(nu), "", 1.0, 0.1, 3.0, NULL, "of rule = error"},
    {"max_inner", BASE_SETTING_INTEGER, FIELD(max_inner), "", 30.0, 1.0, 1e6, NULL,
     "Newton steps for one proximal point"},
    {"inner_factor", BASE_SETTING_REAL, FIELD(inner_factor), "", 0.1, 1e-8, 1.0, NULL,
     "tolerance of a proximal point relative to the error before it"},
};

static const double least_alpha = 1e-10, largest_alpha = 1e10;

/// Proximal points of one island.
typedef struct proximal_point {
    con_semismooth method;
    const proximal_point_settings *settings;
    double error; // of the law at the centre, relative, in scaled units
} proximal_point;

// error of the law: the equation without proximal term
static double law_error(proximal_point *p)
{
    con_semismooth *m = &p->method;
    double alpha = m->alpha;
    int none = 0;
    m->alpha = 0.0;
    // no step: an evaluation
    cairn_status status = con_semismooth_run(m, 0.0, &none);
    m->alpha = alpha;
    return status == CAIRN_OK ? con_semismooth_error(m) : NAN;
}

static void adapt(proximal_point *p, bool solved, int steps)
{
    con_semismooth *m = &p->method;
    const proximal_point_settings *settings = p->settings;
    if (!solved)
        m->alpha = fmin(5.0 * m->alpha, largest_alpha);
    else if (settings->rule == WEIGHT_ERROR)
        m->alpha = settings->sigma * base_pow(p->error, settings->nu);
    else
        m->alpha *= steps <= 5 ? 0.1 : steps <= 10 ? 0.5 : 1.0;
    m->alpha = fmax(m->alpha, least_alpha);
}

static cairn_status iterate(proximal_point *p)
{
    con_semismooth *m = &p->method;
    size_t n = (size_t)m->newton->contact_count;
    p->error = law_error(p);
    while (isfinite(p->error) && !con_newton_solved(m->newton) && !con_newton_late(m->newton) &&
           m->alpha < largest_alpha) {
        memcpy(m->centre, m->r, n * sizeof *m->centre);
        int steps = p->settings->max_inner;
        double tolerance = fmax(p->settings->inner_factor * fmin(m->alpha, 1.0) * p->error, 1e-14);
        BASE_TRY(con_semismooth_run(m, tolerance, &steps));
        bool solved = con_semismooth_error(m) <= tolerance;
        double before = p->error;
        p->error = law_error(p);
        if (!solved && !(p->error < before)) {
            memcpy(m->r, m->centre, n * sizeof *m->r);
            p->error = before;
        }
        adapt(p, solved, steps);
    }
    return CAIRN_OK;
}

static cairn_status solve_island(const void *settings, const con_problem *problem,
                                 con_newton *model)
{
    proximal_point p = {.settings = settings};
    const con_semismooth_settings inner = {.line_search = CON_LINE_SEARCH_GOLDSTEIN_PRICE};
    BASE_TRY(con_semismooth_create(model, problem, equations[p.settings->equation], &inner,
                                   model->arena, &p.method));
    size_t size = (size_t)model->contact_count * sizeof *p.method.r;
    memcpy(p.method.r, model->best, size);
    memcpy(p.method.centre, model->best, size);
    p.method.alpha = p.settings->alpha;
    con_newton_begin(model);
    return iterate(&p);
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    const proximal_point_settings *chosen = settings;
    return con_islands_solve(solve_island, settings, chosen->sweeps, problem, control, R, report,
                             arena);
}

const con_solver con_solver_proximal_point = {
    .name = "proximal_point",
    .help = "regularised problems around the last point, each by semismooth Newton",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(proximal_point_settings)},
    .solve = solve,
};
