// SPDX-License-Identifier: Apache-2.0
// Convex programs and the fixed points made of them.
#include "contact/literature/convex.h"

#include "contact/cones/cone.h"
#include "contact/literature/convex_engines.h"

#include <math.h>

enum { DEFAULT_ITERATIONS = 1000000, PATIENCE = 200 };

const char *const con_engine_names[] = {"sweeps", "accelerated", "spectral", NULL};

bool con_convex_solve(con_convex *convex, con_engine engine, double tolerance, int max_iterations)
{
    for (int i = 0; i < convex->search->op.contact_count; i++)
        con_set_project(convex->set, convex->size[i], convex->r[i], convex->r[i]);
    switch (engine) {
    case CON_ENGINE_SWEEPS:
        return con_convex_sweeps(convex, tolerance, max_iterations);
    case CON_ENGINE_ACCELERATED:
        return con_convex_accelerated(convex, tolerance, max_iterations);
    case CON_ENGINE_SPECTRAL:
        return con_convex_spectral(convex, tolerance, max_iterations);
    }
    return false;
}

void con_outer_cadoux(con_convex *convex, const double (*u)[3], int index)
{
    (void)index;
    const double *mu = convex->search->op.mu;
    for (int i = 0; i < convex->search->op.contact_count; i++)
        convex->shift[i] = mu[i] * sqrt(u[i][1] * u[i][1] + u[i][2] * u[i][2]);
}

// relative natural map of the law in the operator's units
static double law_error(const con_operator *op, const double (*r)[3], const double (*u)[3])
{
    int n = op->contact_count;
    double map = 0.0;
    for (int i = 0; i < n; i++) {
        double out[3];
        map += con_natural_map(r[i], u[i], op->mu[i], out);
    }
    const double(*q)[3] = (const double(*)[3])op->q;
    double scale = fmax(con_dot(n, q, q), fmax(con_dot(n, r, r), con_dot(n, u, u)));
    return scale > 0.0 ? sqrt(map / scale) : 0.0;
}

/// A fixed point while it runs.
typedef struct fixed_point {
    con_search search;
    con_convex convex;
    double (*u)[3]; // W r + q
    double error;   // law_error at r
    double least;
    int since; // programs since the least error
} fixed_point;

// the velocities of the problem from those of the program, and all errors; false: not finite
static bool look(fixed_point *p)
{
    for (int i = 0; i < p->search.op.contact_count; i++) {
        memcpy(p->u[i], p->convex.u[i], sizeof p->u[i]);
        p->u[i][0] -= p->convex.shift[i];
    }
    const double(*r)[3] = (const double(*)[3])p->convex.r, (*u)[3] = (const double(*)[3])p->u;
    double error = con_search_test(&p->search, r, u);
    p->error = law_error(&p->search.op, r, u);
    p->since = error < 0.999 * p->least ? 0 : p->since + 1;
    p->least = fmin(error, p->least);
    return isfinite(error) && isfinite(p->error);
}

// the relaxed problem alone: as exact as the law would be asked for
static bool solve_relaxed(fixed_point *p, const con_outer *outer)
{
    double tolerance = 0.1 * p->search.control->tolerance;
    bool sound =
        con_convex_solve(&p->convex, (con_engine)outer->engine, tolerance, outer->max_inner);
    sound = look(p) && sound;
    con_search_finish(&p->search, !sound);
    if (!sound)
        return false;
    // the solution of this program, though another point may break the law less
    con_operator_unscale(&p->search.op, (const double(*)[3])p->convex.r, p->search.R);
    if (con_convex_error(&p->convex) <= tolerance)
        p->search.report->stop = CON_STOP_SOLVED;
    return sound;
}

static void iterate(fixed_point *p, const con_outer *outer, con_outer_prepare *prepare)
{
    bool sound = look(p);
    for (int index = 0; sound && index <= outer->max_outer && p->since < PATIENCE &&
                        !con_search_solved(&p->search) && !con_search_late(&p->search);
         index++) {
        prepare(&p->convex, (const double(*)[3])p->u, index);
        double tolerance = fmax(outer->inner_factor * p->error, 1e-15);
        sound =
            con_convex_solve(&p->convex, (con_engine)outer->engine, tolerance, outer->max_inner) &&
            look(p);
    }
    con_search_finish(&p->search, !sound);
}

cairn_status con_outer_solve(const con_outer *outer, con_outer_prepare *prepare,
                             const con_problem *problem, const con_control *control, double (*R)[3],
                             con_report *report, base_arena *arena)
{
    fixed_point p = {.least = INFINITY};
    double(*r)[3];
    cairn_status status =
        con_search_begin(&p.search, problem, control, DEFAULT_ITERATIONS, R, report, arena, &r);
    if (status == CAIRN_OK)
        status = con_convex_create(&p.search, r, &p.convex);
    p.u = con_vectors(arena, problem->contact_count);
    if (status != CAIRN_OK)
        return status;
    if (p.u == NULL)
        return CAIRN_ERROR_MEMORY;
    con_convex_velocity(&p.convex, (const double(*)[3])r, p.convex.u);
    if (outer->max_outer == 0)
        solve_relaxed(&p, outer);
    else
        iterate(&p, outer, prepare);
    return CAIRN_OK;
}
