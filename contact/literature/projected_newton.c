// SPDX-License-Identifier: Apache-2.0
// Projected Newton method with an inexact linear solve, solvers.md (S.20), after the software
// Solfec.
#include "contact/linear/gmres.h"
#include "contact/literature/search.h"

#include "base/assert.h"
#include "contact/cones/cone.h"
#include "contact/cones/projection.h"
#include "contact/solvers/first_order/sweep.h"

#include <limits.h>
#include <math.h>

typedef enum linear_solve { LINEAR_GMRES, LINEAR_DIAGONAL } linear_solve;

typedef struct projected_newton_settings {
    int linear;
    int krylov_steps;
    double krylov_tolerance;
    double theta;
    double smoothing;
    double regularisation;
    int sweeps;
} projected_newton_settings;

static const char *const linear_names[] = {"gmres", "diagonal", NULL};

#define FIELD(name) offsetof(projected_newton_settings, name)
static const base_setting settings_rows[] = {
    {"linear", BASE_SETTING_CHOICE, FIELD(linear), "", LINEAR_GMRES, LINEAR_GMRES, LINEAR_DIAGONAL,
     linear_names, "Newton's system: by GMRES, or its diagonal blocks alone"},
    {"krylov_steps", BASE_SETTING_INTEGER, FIELD(krylov_steps), "", 10.0, 1.0, 200.0, NULL,
     "of GMRES"},
    {"krylov_tolerance", BASE_SETTING_REAL, FIELD(krylov_tolerance), "", 0.25, 0.0, 1.0, NULL,
     "of GMRES, relative to the right side"},
    {"theta", BASE_SETTING_REAL, FIELD(theta), "", 0.25, 1e-3, 1.0, NULL,
     "share of a step that is taken with linear = diagonal"},
    {"smoothing", BASE_SETTING_REAL, FIELD(smoothing), "", 1e-3, 0.0, 1.0, NULL,
     "of |u_T|, relative to the residual of a contact"},
    {"regularisation", BASE_SETTING_REAL, FIELD(regularisation), "", 1e-9, 0.0, 1.0, NULL,
     "added to the derivative by r"},
    {"sweeps", BASE_SETTING_INTEGER, FIELD(sweeps), "", 10.0, 0.0, INT_MAX, NULL,
     "Gauss-Seidel sweeps before the first step"},
};

enum { DEFAULT_ITERATIONS = 100000 };

/// (X W + Y) dr = -C; GMRES works on y with dr = P y, P the inverse of the diagonal blocks.
typedef struct projected_newton {
    con_search search;
    double (*r)[3], (*u)[3], (*C)[3], (*dr)[3], (*y)[3], (*W_dr)[3];
    mat3 *X, *Y, *P;
} projected_newton;

static cairn_status allocate(projected_newton *p, base_arena *arena)
{
    int n = p->search.op.contact_count;
    double(**const vectors[])[3] = {&p->u, &p->C, &p->dr, &p->y, &p->W_dr};
    mat3 **const blocks[] = {&p->X, &p->Y, &p->P};
    bool complete = true;
    for (int k = 0; k < 5; k++) {
        *vectors[k] = con_vectors(arena, n);
        complete = complete && *vectors[k] != NULL;
    }
    for (int k = 0; k < 3; k++) {
        *blocks[k] = base_arena_array(arena, mat3, "projected Newton", n);
        complete = complete && *blocks[k] != NULL;
    }
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

// C, X = P' dF/du and Y = 1 - P' of one contact
static void linearise(projected_newton *p, const projected_newton_settings *settings, int i)
{
    const double *r = p->r[i], *u = p->u[i];
    double mu = p->search.op.mu[i], map[3], D[3][3];
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    double omega = settings->smoothing * sqrt(con_natural_map(r, u, mu, map));
    double smooth = sqrt(slip * slip + omega * omega);
    double g[2] = {smooth > 0.0 ? mu * u[1] / smooth : 0.0,
                   smooth > 0.0 ? mu * u[2] / smooth : 0.0};
    double z[3] = {r[0] - u[0] - mu * slip, r[1] - u[1], r[2] - u[2]};
    con_set_derivative(CON_SET_CONE, mu, z, D);
    for (int a = 0; a < 3; a++) {
        p->C[i][a] = -map[a];
        for (int b = 0; b < 3; b++) {
            p->X[i].m[a][b] = D[a][b] + (b > 0 ? D[a][0] * g[b - 1] : 0.0);
            p->Y[i].m[a][b] = (a == b ? 1.0 + settings->regularisation : 0.0) - D[a][b];
        }
    }
    mat3 product = mat3_multiply(&p->X[i], &p->search.op.diagonal[i]);
    mat3 block = mat3_add(&product, &p->Y[i]);
    p->P[i] = fabs(mat3_determinant(&block)) > 1e-12 ? mat3_inverse(&block) : mat3_identity();
}

static void precondition(const projected_newton *p, const double (*y)[3], double (*dr)[3])
{
    for (int i = 0; i < p->search.op.contact_count; i++)
        vec3_store(dr[i], mat3_apply(&p->P[i], vec3_from(y[i])));
}

static void apply(void *context, const double *x, double *out)
{
    projected_newton *p = context;
    precondition(p, (const double(*)[3])x, p->dr);
    con_operator_apply(&p->search.op, (const double(*)[3])p->dr, false, p->W_dr);
    for (int i = 0; i < p->search.op.contact_count; i++) {
        vec3 X = mat3_apply(&p->X[i], vec3_from(p->W_dr[i]));
        vec3 Y = mat3_apply(&p->Y[i], vec3_from(p->dr[i]));
        vec3_store(out + 3 * (size_t)i, vec3_add(X, Y));
    }
}

static cairn_status step(projected_newton *p, const projected_newton_settings *settings)
{
    int n = p->search.op.contact_count;
    double factor = 1.0;
    for (int i = 0; i < n; i++)
        linearise(p, settings, i);
    if (settings->linear == LINEAR_GMRES) {
        BASE_TRY(con_gmres(apply, p, 3 * n, p->C[0], settings->krylov_tolerance,
                           settings->krylov_steps, p->y[0], p->search.arena));
    } else {
        con_vectors_copy(n, (const double(*)[3])p->C, p->y);
        factor = settings->theta;
    }
    precondition(p, (const double(*)[3])p->y, p->dr);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++)
            p->r[i][k] += factor * p->dr[i][k];
        con_cone_project(p->r[i], p->search.op.mu[i], p->r[i]);
    }
    return CAIRN_OK;
}

static cairn_status sweep_first(const con_problem *problem, int sweeps, double (*R)[3],
                                base_arena *arena)
{
    con_sweep sweep;
    base_arena_mark mark = base_arena_get_mark(arena);
    cairn_status status = con_sweep_init(&sweep, problem, NULL, NULL, R, arena);
    for (int k = 0; status == CAIRN_OK && k < sweeps; k++)
        con_sweep_pass(&sweep, false);
    base_arena_rewind(arena, mark);
    return status;
}

static cairn_status iterate(projected_newton *p, const projected_newton_settings *settings)
{
    bool sound;
    for (;;) {
        con_operator_apply(&p->search.op, (const double(*)[3])p->r, true, p->u);
        sound = isfinite(
            con_search_test(&p->search, (const double(*)[3])p->r, (const double(*)[3])p->u));
        if (!sound || con_search_solved(&p->search) || !con_search_count(&p->search))
            break;
        BASE_TRY(step(p, settings));
    }
    con_search_finish(&p->search, !sound);
    return CAIRN_OK;
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    const projected_newton_settings *chosen = settings;
    projected_newton p = {.r = NULL};
    int sweeps = chosen->sweeps;
    if (control->max_iterations > 0 && sweeps > control->max_iterations)
        sweeps = control->max_iterations;
    cairn_status status = sweep_first(problem, sweeps, R, arena);
    report->iterations = sweeps;
    if (status == CAIRN_OK)
        status = con_search_begin(&p.search, problem, control, DEFAULT_ITERATIONS, R, report, arena,
                                  &p.r);
    if (status == CAIRN_OK)
        status = allocate(&p, arena);
    return status == CAIRN_OK ? iterate(&p, chosen) : status;
}

const con_solver con_solver_projected_newton = {
    .name = "projected_newton",
    .help = "Newton's system solved roughly, the result projected on the cones",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(projected_newton_settings)},
    .solve = solve,
};
