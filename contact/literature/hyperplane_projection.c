// SPDX-License-Identifier: Apache-2.0
// Projection on separating hyperplanes (Solodov, Svaiter), solvers.md (S.12).
#include "contact/literature/vi.h"

#include "base/assert.h"

#include <math.h>

typedef struct hyperplane_settings {
    double tau;
    double sigma;
    int max_halvings;
} hyperplane_settings;

#define FIELD(name) offsetof(hyperplane_settings, name)
static const base_setting settings_rows[] = {
    {"tau", BASE_SETTING_REAL, FIELD(tau), "", 0.3, 1e-12, 1e12, NULL,
     "step of the trial, relative to 3 / trace of the diagonal block"},
    {"sigma", BASE_SETTING_REAL, FIELD(sigma), "", 0.5, 1e-6, 0.999999, NULL,
     "sufficient decrease of the search towards the trial"},
    {"max_halvings", BASE_SETTING_INTEGER, FIELD(max_halvings), "", 50.0, 1.0, 1000.0, NULL,
     "of the way to the trial"},
};

enum { DEFAULT_ITERATIONS = 1000000 };

/// Sums over the way from the point to the trial.
static double slope(const con_vi *vi, const double (*F)[3], const double (*target)[3])
{
    double sum = 0.0;
    for (int i = 0; i < vi->search.op.contact_count; i++)
        for (int k = 0; k < 3; k++)
            sum += F[i][k] * (vi->r[i][k] - target[i][k]);
    return sum;
}

static double distance_squared(const con_vi *vi, const double (*target)[3])
{
    double sum = 0.0;
    for (int i = 0; i < vi->search.op.contact_count; i++)
        for (int k = 0; k < 3; k++) {
            double d = vi->r[i][k] - target[i][k];
            sum += d * d;
        }
    return sum;
}

// y between point and trial whose F separates the point from the solutions; values in trial_*
static bool search_segment(con_vi *vi, const hyperplane_settings *settings, double (*target)[3])
{
    int n = vi->search.op.contact_count;
    double wanted =
        settings->sigma / settings->tau * distance_squared(vi, (const double(*)[3])target);
    double t = 1.0;
    for (int k = 0; k <= settings->max_halvings; k++, t *= 0.5) {
        if (!con_search_count(&vi->search))
            return false;
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                vi->trial_r[i][d] = vi->r[i][d] + t * (target[i][d] - vi->r[i][d]);
        con_vi_evaluate(vi, (const double(*)[3])vi->trial_r, vi->trial_u, vi->trial_F);
        if (slope(vi, (const double(*)[3])vi->trial_F, (const double(*)[3])target) >= wanted)
            return true;
    }
    return true;
}

// F(y).(P_K(r - step F(y)) - y), which falls as the step grows; the projection in `out`
static double beyond(const con_vi *vi, double step, double (*out)[3])
{
    const double(*F)[3] = (const double(*)[3])vi->trial_F;
    con_vi_project(vi, (const double(*)[3])vi->r, step, F, out);
    double sum = 0.0;
    for (int i = 0; i < vi->search.op.contact_count; i++)
        for (int k = 0; k < 3; k++)
            sum += F[i][k] * (out[i][k] - vi->trial_r[i][k]);
    return sum;
}

// out = projection of the point on the part of K beyond the hyperplane through y: the step for
// which P_K(r - step F(y)) lies on it
static bool project_on_hyperplane(const con_vi *vi, double (*out)[3])
{
    const double(*F)[3] = (const double(*)[3])vi->trial_F;
    double squared = con_dot(vi->search.op.contact_count, F, F);
    double before = slope(vi, F, (const double(*)[3])vi->trial_r);
    double low = 0.0, high = before / squared;
    if (!(squared > 0.0) || !(before > 0.0) || !isfinite(high))
        return false;
    for (int k = 0; k < 60 && beyond(vi, high, out) > 0.0; k++) {
        low = high;
        high *= 2.0;
    }
    for (int k = 0; k < 40 && high - low > 1e-6 * high; k++) {
        double middle = 0.5 * (low + high);
        if (beyond(vi, middle, out) > 0.0)
            low = middle;
        else
            high = middle;
    }
    beyond(vi, high, out);
    return true;
}

static bool advance(con_vi *vi, const hyperplane_settings *settings, double (*target)[3])
{
    con_vi_project(vi, (const double(*)[3])vi->r, settings->tau, (const double(*)[3])vi->F, target);
    if (!search_segment(vi, settings, target) || !con_search_count(&vi->search))
        return false;
    if (!project_on_hyperplane(vi, target))
        return false;
    con_vectors_copy(vi->search.op.contact_count, (const double(*)[3])target, vi->r);
    con_vi_evaluate(vi, (const double(*)[3])vi->r, vi->u, vi->F);
    return true;
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    const hyperplane_settings *chosen = settings;
    con_vi vi;
    BASE_TRY(
        con_vi_begin(&vi, problem, control, DEFAULT_ITERATIONS, chosen->tau, R, report, arena));
    double(*target)[3] = con_vectors(arena, problem->contact_count);
    if (target == NULL)
        return CAIRN_ERROR_MEMORY;
    while (con_vi_go_on(&vi) && advance(&vi, chosen, target)) {
    }
    con_search_finish(&vi.search, vi.failed);
    return CAIRN_OK;
}

const con_solver con_solver_hyperplane_projection = {
    .name = "hyperplane_projection",
    .help = "projection on hyperplanes that separate the point from the solutions",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(hyperplane_settings)},
    .solve = solve,
};
