// SPDX-License-Identifier: Apache-2.0
// Newton's method on F(s) = s, F the slip of the convex program for a frozen s, solvers.md (S.21).
#include "contact/linear/gmres.h"
#include "contact/literature/convex_interior.h"
#include "contact/literature/islands.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

typedef struct aclm_newton_settings {
    int max_outer;
    int max_halvings;
    int krylov_steps;
    double krylov_tolerance;
    double inner_factor;
} aclm_newton_settings;

#define FIELD(name) offsetof(aclm_newton_settings, name)
static const base_setting settings_rows[] = {
    {"outer", BASE_SETTING_INTEGER, FIELD(max_outer), "", 200.0, 1.0, 1e9, NULL,
     "Newton steps in the slip"},
    {"max_halvings", BASE_SETTING_INTEGER, FIELD(max_halvings), "", 3.0, 0.0, 60.0, NULL,
     "of a step that does not reduce |F(s) - s|; then s = F(s)"},
    {"krylov_steps", BASE_SETTING_INTEGER, FIELD(krylov_steps), "", 40.0, 1.0, 1000.0, NULL,
     "of GMRES on 1 - F'"},
    {"krylov_tolerance", BASE_SETTING_REAL, FIELD(krylov_tolerance), "", 1e-3, 0.0, 1.0, NULL,
     "of GMRES, relative to the right side"},
    {"inner_factor", BASE_SETTING_REAL, FIELD(inner_factor), "", 1e-2, 1e-8, 1.0, NULL,
     "tolerance of a program relative to the error before it"},
};

enum { PATIENCE = 20 };

typedef struct aclm_newton {
    con_convex_interior inner;
    const aclm_newton_settings *settings;
    base_arena *arena;
    double *gap;         // [n] F(s) - s
    double *step, *base; // [n]
    double *plain;       // [n] the fixed point's step
} aclm_newton;

// ds - F'(s) ds
static void apply(void *context, const double *ds, double *out)
{
    aclm_newton *a = context;
    int n = a->inner.newton->contact_count;
    // out of time: the identity ends GMRES at once
    memset(out, 0, (size_t)n * sizeof *out);
    if (!con_newton_late(a->inner.newton))
        con_convex_interior_derivative(&a->inner, ds, out);
    for (int i = 0; i < n; i++)
        out[i] = ds[i] - out[i];
}

// runs the program at inner.s; |F(s) - s|
static cairn_status evaluate(aclm_newton *a, double *norm)
{
    con_convex_interior *c = &a->inner;
    con_newton *newton = c->newton;
    double tolerance = a->settings->inner_factor * fmin(newton->best_error, 1.0), sum = 0.0;
    cairn_status status = con_convex_interior_run(c, fmax(tolerance, 1e-14));
    for (int i = 0; i < newton->contact_count; i++) {
        const double *u = newton->scratch[0][i];
        a->gap[i] = newton->mu[i] * sqrt(u[1] * u[1] + u[2] * u[2]) - c->s[i];
        sum += a->gap[i] * a->gap[i];
    }
    *norm = sqrt(sum);
    return status;
}

static void set_shift(aclm_newton *a, double factor)
{
    for (int i = 0; i < a->inner.newton->contact_count; i++)
        a->inner.s[i] = fmax(a->base[i] + factor * a->step[i], 0.0);
}

static bool is_over(const aclm_newton *a)
{
    return con_newton_solved(a->inner.newton) || con_newton_late(a->inner.newton);
}

// Newton's step in s, halved while it does not help; else the fixed point's step
static cairn_status advance(aclm_newton *a, double *norm)
{
    size_t n = (size_t)a->inner.newton->contact_count;
    double before = *norm, factor = 1.0;
    memcpy(a->plain, a->gap, n * sizeof *a->plain);
    memcpy(a->base, a->inner.s, n * sizeof *a->base);
    cairn_status status = con_gmres(apply, a, (int)n, a->gap, a->settings->krylov_tolerance,
                                    a->settings->krylov_steps, a->step, a->arena);
    for (int k = 0; status == CAIRN_OK && k <= a->settings->max_halvings && !is_over(a);
         k++, factor *= 0.5) {
        set_shift(a, factor);
        status = evaluate(a, norm);
        if (*norm < (1.0 - 1e-4 * factor) * before)
            break;
    }
    if (status == CAIRN_OK && !(*norm < before) && !is_over(a)) {
        memcpy(a->step, a->plain, n * sizeof *a->plain);
        set_shift(a, 1.0);
        status = evaluate(a, norm);
    }
    return status;
}

static cairn_status iterate(aclm_newton *a)
{
    double norm, least = INFINITY;
    int since = 0;
    cairn_status status = evaluate(a, &norm);
    for (int k = 0; status == CAIRN_OK && k < a->settings->max_outer && since < PATIENCE &&
                    isfinite(norm) && !is_over(a);
         k++) {
        status = advance(a, &norm);
        double error = a->inner.newton->best_error;
        since = error < 0.999 * least ? 0 : since + 1;
        least = error;
    }
    return status;
}

static cairn_status solve_island(const void *settings, const con_problem *problem,
                                 con_newton *model)
{
    (void)problem;
    base_arena *arena = model->arena;
    aclm_newton a = {.settings = settings, .arena = arena};
    int n = model->contact_count;
    a.gap = base_arena_array(arena, double, "slip", n);
    a.step = base_arena_array(arena, double, "slip", n);
    a.base = base_arena_array(arena, double, "slip", n);
    a.plain = base_arena_array(arena, double, "slip", n);
    cairn_status status = con_convex_interior_create(model, arena, &a.inner);
    if (a.gap == NULL || a.step == NULL || a.base == NULL || a.plain == NULL)
        status = CAIRN_ERROR_MEMORY;
    if (status != CAIRN_OK)
        return status;
    con_newton_begin(model);
    return iterate(&a);
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    return con_islands_solve(solve_island, settings, 0, problem, control, R, report, arena);
}

const con_solver con_solver_aclm_newton = {
    .name = "aclm_newton",
    .help = "Newton's method on the slip, around convex programs by interior point",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(aclm_newton_settings)},
    .solve = solve,
};
