// SPDX-License-Identifier: Apache-2.0
// Alternating directions: one linear solve, one projection on the cones, solvers.md (S.19).
#include "contact/cones/cone.h"
#include "contact/literature/islands.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

typedef struct admm_settings {
    double rho;
    double relaxation;
    double balance;
    int balance_every;
    int max_steps;
} admm_settings;

#define FIELD(name) offsetof(admm_settings, name)
static const base_setting settings_rows[] = {
    {"rho", BASE_SETTING_REAL, FIELD(rho), "", 0.1, 1e-9, 1e9, NULL,
     "first penalty, relative to trace / 3 of the diagonal block"},
    {"relaxation", BASE_SETTING_REAL, FIELD(relaxation), "", 1.6, 0.1, 1.99, NULL,
     "over-relaxation of the linear solution"},
    {"balance", BASE_SETTING_REAL, FIELD(balance), "", 5.0, 1.01, 1e9, NULL,
     "ratio of primal and dual residual that changes the penalty"},
    {"balance_every", BASE_SETTING_INTEGER, FIELD(balance_every), "", 20.0, 1.0, 1e9, NULL,
     "iterations between changes of the penalty, growing as it settles"},
    {"max_steps", BASE_SETTING_INTEGER, FIELD(max_steps), "", 20000.0, 1.0, 1e9, NULL,
     "iterations for an island"},
};

/// Work for one island, in its units.
typedef struct admm {
    con_newton *newton;
    const admm_settings *settings;
    double rho;
    double *slip;
    double (*r)[3], (*z)[3], (*dual)[3], (*rhs)[3], (*Wr)[3];
    double (*A)[3][3], (*B)[3][3];
    double primal_residual, dual_residual;
} admm;

static bool allocate(admm *a, base_arena *arena)
{
    size_t n = (size_t)a->newton->contact_count;
    a->slip = base_arena_array(arena, double, "admm", n);
    a->A = base_arena_allocate(arena, "admm", n, sizeof *a->A);
    a->B = base_arena_allocate(arena, "admm", n, sizeof *a->B);
    bool complete = a->slip != NULL && a->A != NULL && a->B != NULL;
    double(**const vectors[])[3] = {&a->r, &a->z, &a->dual, &a->rhs, &a->Wr};
    for (int k = 0; k < 5; k++) {
        *vectors[k] = base_arena_allocate(arena, "admm", n, sizeof(double[3]));
        complete = complete && *vectors[k] != NULL;
    }
    return complete;
}

// I + W / rho
static cairn_status factor(admm *a)
{
    for (int i = 0; i < a->newton->contact_count; i++) {
        memset(a->A[i], 0, sizeof a->A[i]);
        memset(a->B[i], 0, sizeof a->B[i]);
        for (int k = 0; k < 3; k++) {
            a->B[i][k][k] = 1.0;
            a->A[i][k][k] = 1.0 / a->rho;
        }
    }
    return con_newton_factor(a->newton, (const double(*)[3][3])a->A, (const double(*)[3][3])a->B);
}

// start at the island's best point, with the dual that its velocity asks for
static void start(admm *a)
{
    con_newton *newton = a->newton;
    con_newton_velocity(newton, (const double(*)[3])newton->best, true, a->Wr);
    for (int i = 0; i < newton->contact_count; i++) {
        const double *u = a->Wr[i];
        a->slip[i] = newton->mu[i] * sqrt(u[1] * u[1] + u[2] * u[2]);
        for (int k = 0; k < 3; k++) {
            a->z[i][k] = newton->best[i][k];
            a->dual[i][k] = -(u[k] + (k == 0 ? a->slip[i] : 0.0)) / a->rho;
        }
    }
}

static void solve_linear(admm *a)
{
    con_newton *newton = a->newton;
    int n = newton->contact_count;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double force = newton->q[i][k] + (k == 0 ? a->slip[i] : 0.0);
            a->rhs[i][k] = a->z[i][k] - a->dual[i][k] - force / a->rho;
        }
    con_newton_solve(newton, (const double(*)[3][3])a->A, (const double(*)[3][3])a->B,
                     (const double(*)[3])a->rhs, a->r, a->Wr);
}

// projection, dual step and the new slip; the residuals
static void project(admm *a)
{
    con_newton *newton = a->newton;
    double omega = a->settings->relaxation, primal = 0.0, dual = 0.0;
    for (int i = 0; i < newton->contact_count; i++) {
        double sum[3], z[3];
        for (int k = 0; k < 3; k++)
            sum[k] = omega * a->r[i][k] + (1.0 - omega) * a->z[i][k] + a->dual[i][k];
        con_cone_project(sum, newton->mu[i], z);
        double u1 = a->Wr[i][1] + newton->q[i][1];
        double u2 = a->Wr[i][2] + newton->q[i][2];
        a->slip[i] = newton->mu[i] * sqrt(u1 * u1 + u2 * u2);
        for (int k = 0; k < 3; k++) {
            double change = a->rho * (z[k] - a->z[i][k]), gap = a->r[i][k] - z[k];
            primal += gap * gap;
            dual += change * change;
            a->dual[i][k] = sum[k] - z[k];
            a->z[i][k] = z[k];
        }
    }
    a->primal_residual = sqrt(primal);
    a->dual_residual = sqrt(dual);
}

// a penalty that suits both residuals; the dual is kept
static cairn_status balance(admm *a, bool *changed)
{
    double ratio = a->primal_residual / a->dual_residual, limit = a->settings->balance;
    *changed = isfinite(ratio) && (ratio > limit || ratio < 1.0 / limit);
    if (!*changed)
        return CAIRN_OK;
    double factor_of = fmin(fmax(sqrt(ratio), 0.1), 10.0), rho = a->rho * factor_of;
    rho = fmin(fmax(rho, 1e-9), 1e9);
    for (int i = 0; i < a->newton->contact_count; i++)
        for (int k = 0; k < 3; k++)
            a->dual[i][k] *= a->rho / rho;
    a->rho = rho;
    return factor(a);
}

static cairn_status iterate(admm *a)
{
    int next_balance = a->settings->balance_every;
    cairn_status status = factor(a);
    for (int step = 1;
         status == CAIRN_OK && step <= a->settings->max_steps && !con_newton_late(a->newton);
         step++) {
        // every iteration counts against the limit
        a->newton->factorisations++;
        solve_linear(a);
        project(a);
        if (isnan(con_newton_error(a->newton, (const double(*)[3])a->z)) ||
            con_newton_solved(a->newton))
            return CAIRN_OK;
        if (step < next_balance || con_newton_late(a->newton))
            continue;
        bool changed;
        status = balance(a, &changed);
        next_balance = step + a->settings->balance_every + (changed ? step / 4 : 0);
    }
    return status == CAIRN_ERROR_NUMERICAL ? CAIRN_OK : status;
}

static cairn_status solve_island(const void *settings, const con_problem *problem,
                                 con_newton *model)
{
    (void)problem;
    admm a = {.newton = model, .settings = settings};
    a.rho = a.settings->rho;
    if (!allocate(&a, model->arena))
        return CAIRN_ERROR_MEMORY;
    start(&a);
    con_newton_begin(model);
    return iterate(&a);
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_islands_solve(solve_island, settings, 0, problem, control, R, report, arena);
}

const con_solver con_solver_admm = {
    .name = "admm",
    .help = "alternating directions: one factorisation, many solves and projections",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(admm_settings)},
    .solve = solve,
};
