// SPDX-License-Identifier: Apache-2.0
// Interior point: the path, its steps, escape from folds, restarts.
#include "contact/solvers/newton/interior_cones.h"
#include "contact/solvers/newton/newton_loops.h"

#include <math.h>
#include <string.h>

// an escape that is cut off starts again from the same point: it must have time to settle
enum { MEMORY = CON_INTERIOR_MEMORY, ESCAPE_ITERATIONS = 200 };

static bool allocate(con_interior *p)
{
    size_t n = (size_t)p->newton->contact_count;
    base_arena *arena = p->newton->arena;
    double(**vectors[])[3] = {&p->r,  &p->u,   &p->dr,   &p->du,      &p->p,      &p->pp,
                              &p->dy, &p->rhs, &p->W_dr, &p->saved_r, &p->saved_u};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = base_arena_allocate(arena, "interior point", n, sizeof(double[3]));
        if (*vectors[k] == NULL)
            return false;
    }
    p->mu = base_arena_array(arena, double, "interior point", n);
    p->s = base_arena_array(arena, double, "interior point", n);
    p->A = base_arena_allocate(arena, "interior point", n, sizeof *p->A);
    p->B = base_arena_allocate(arena, "interior point", n, sizeof *p->B);
    if (p->mu == NULL || p->s == NULL || p->A == NULL || p->B == NULL || !p->cones->allocate(p))
        return false;
    size_t parts = (size_t)p->part_count;
    p->part = base_arena_array(arena, con_interior_part, "interior point", parts);
    p->rc = base_arena_allocate(arena, "interior point", parts, sizeof *p->rc);
    return p->part != NULL && p->rc != NULL;
}

static void start_point(con_interior *p)
{
    base_rng rng = base_rng_make(p->settings->seed);
    p->cones->start(p, p->settings->seed != 0 ? &rng : NULL);
    p->alpha = 1.0;
    p->gamma = 0.99;
    p->bad = p->slow_starts = p->tau_count = p->least_count = 0;
    p->saved_tau = 0.0;
    p->mode = CON_INTERIOR_NEWTON;
}

static void push(double *history, int capacity, int *count, double value)
{
    if (*count == capacity) {
        memmove(history, history + 1, (size_t)(capacity - 1) * sizeof *history);
        --*count;
    }
    history[(*count)++] = value;
}

// a start that crawls towards feasibility begins again with larger reactions
static bool restart(con_interior *p)
{
    bool crawls = p->mode == CON_INTERIOR_NEWTON && p->newton->factorisations > 0 &&
                  p->alpha < 0.25 && p->p_norm > 0.1;
    p->slow_starts += crawls ? 1 : 0;
    if (p->slow_starts < 4 || p->restarts >= p->settings->max_restarts)
        return false;
    p->restarts++;
    p->start_r *= 10.0;
    start_point(p);
    return true;
}

static bool finished(const con_interior *p)
{
    const double *history = p->least_history;
    bool floor = p->least < 1e-5 && p->least_count > MEMORY &&
                 p->least > 0.5 * history[p->least_count - 1 - MEMORY];
    return con_newton_solved(p->newton) || floor || p->tau < 1e-24 || !isfinite(p->tau);
}

static cairn_status factor(con_interior *p)
{
    p->cones->fill(p, con_interior_transient(p));
    return con_newton_factor(p->newton, (const double(*)[3][3])p->A, (const double(*)[3][3])p->B);
}

typedef struct centring {
    con_interior *p;
    double target;
} centring;

static void centre_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const centring *c = context;
    con_interior *p = c->p;
    for (int i = begin; i < end; i++) {
        double product[3];
        con_interior_jordan(p->part[i].lambda, p->part[i].lambda, product);
        for (int k = 0; k < 3; k++)
            p->rc[i][k] = -product[k];
        p->rc[i][0] += c->target;
    }
}

// rc = -lambda o lambda + target e
static void centre_towards(con_interior *p, double target)
{
    centring c = {p, target};
    if (p->rolling == NULL)
        con_newton_each(p->newton, centre_chunk, &c);
    else
        centre_chunk(&c, 0, p->part_count, 0, 0);
}

static void newton_direction(con_interior *p)
{
    // the predictor only tells how far to aim
    centre_towards(p, 0.0);
    p->newton->rough = true;
    p->cones->solve(p, 1.0);
    p->newton->rough = false;
    double step = fmin(1.0, p->cones->largest_step(p)), after = p->cones->tau_after(p, step);
    double sigma = 0.5;
    if (after > 0.0) {
        double ratio = after / p->tau;
        sigma = 0.998 * fmin(1.0, step > 0.3 ? ratio * ratio * ratio : ratio);
    }
    bool corrector = sigma < 0.8;
    if (p->alpha < 0.15 || p->least_eigenvalue < 1e-3) {
        sigma = fmax(sigma, p->alpha < 0.05 ? 0.9 : 0.5);
        corrector = false;
    }
    centre_towards(p, sigma * p->tau);
    if (corrector)
        p->cones->correct(p);
    p->cones->solve(p, 1.0);
}

static bool take_step(con_interior *p)
{
    double step = fmin(1.0, p->gamma * p->cones->largest_step(p));
    p->alpha = step;
    bool finite = p->cones->move(p, step);
    p->gamma = fmin(0.9 + 0.09 * step, 0.999);
    return finite;
}

// after a Newton step: does the path still go down?; false when the escapes are used up
static bool watch_progress(con_interior *p)
{
    push(p->tau_history, MEMORY, &p->tau_count, p->tau);
    bool stalls = p->tau_count == MEMORY && p->tau > 0.9 * p->tau_history[0];
    p->bad = p->alpha < 0.05 || stalls ? p->bad + 1 : (p->bad > 0 ? p->bad - 1 : 0);
    if (p->bad < 4)
        return true;
    if (p->escapes >= p->settings->max_escapes)
        return false;

    // begin escape
    double tau = p->tau;
    if (p->saved_tau > 0.0) {
        p->cones->save(p, true);
        tau = p->saved_tau;
    }
    p->mode = CON_INTERIOR_ESCAPE;
    p->escapes++;
    p->escape_iterations = p->bad = 0;
    p->alpha = 0.0;
    p->target_tau = fmax(0.5 * tau, 1e-300);
    p->delta = 1.0;
    p->worst_gap = 0.0;
    p->cones->freeze(p);
    return true;
}

static void watch_escape(con_interior *p)
{
    p->escape_iterations++;
    bool settled = p->delta > 30.0 && p->alpha > 0.9 && p->slip_gap < 0.1 * p->worst_gap;
    p->worst_gap = fmax(p->worst_gap, p->slip_gap);
    if (!settled && p->escape_iterations < ESCAPE_ITERATIONS)
        return;
    p->mode = CON_INTERIOR_NEWTON;
    p->tau_count = p->bad = 0;
    p->alpha = 1.0;
}

// one factorisation and step; false to stop
static cairn_status advance(con_interior *p, bool *go_on)
{
    *go_on = false;
    if (p->mode == CON_INTERIOR_NEWTON && p->alpha > 0.3 && p->least_eigenvalue > 1e-2) {
        p->cones->save(p, false);
        p->saved_tau = p->tau;
    }
    cairn_status status = factor(p);
    if (status != CAIRN_OK)
        return status == CAIRN_ERROR_NUMERICAL ? CAIRN_OK : status;
    if (p->mode == CON_INTERIOR_NEWTON) {
        newton_direction(p);
    } else {
        centre_towards(p, p->target_tau);
        p->cones->solve(p, con_interior_transient(p));
    }
    if (!take_step(p))
        return CAIRN_OK;
    *go_on = true;
    if (p->mode == CON_INTERIOR_NEWTON) {
        *go_on = watch_progress(p);
    } else {
        if (p->alpha < 0.3)
            p->delta = fmax(0.2 * p->delta, 1e-3);
        else
            p->delta *= p->alpha < 0.9 ? 0.7 : 3.0;

        watch_escape(p);
    }
    return CAIRN_OK;
}

static cairn_status iterate(con_interior *p)
{
    int limit = p->newton->factorisations + p->settings->max_iterations;
    bool go_on = true;
    while (go_on && p->newton->factorisations < limit && !con_newton_late(p->newton)) {
        p->error = con_newton_error(p->newton, (const double(*)[3])p->r);
        if (isnan(p->error))
            return CAIRN_OK;
        p->least = fmin(p->least, p->error);
        p->cones->look(p);
        push(p->least_history, MEMORY + 1, &p->least_count, p->least);
        if (finished(p))
            return CAIRN_OK;
        if (restart(p))
            continue;
        BASE_TRY(advance(p, &go_on));
    }
    con_newton_error(p->newton, (const double(*)[3])p->r);
    return CAIRN_OK;
}

double con_interior_start_scale(const con_newton *newton, const double (*r)[3])
{
    double sum = 0.0;
    for (int i = 0; i < newton->contact_count; i++)
        sum += r[i][0] * r[i][0];
    return fmin(fmax(sqrt(sum / newton->contact_count), 0.1), 1e4);
}

cairn_status con_interior_run(con_newton *newton, const con_interior_settings *settings)
{
    con_interior p = {.newton = newton,
                      .settings = settings,
                      .cones = newton->force != NULL ? &con_interior_rolling_cones
                                                     : &con_interior_coulomb,
                      .start_r = settings->start_scale,
                      .delta = 1.0,
                      .least = INFINITY};
    base_arena_mark mark = base_arena_get_mark(newton->arena);
    // what contacts yield by themselves is not coupled to moments
    if (newton->force != NULL && newton->E != NULL)
        return CAIRN_OK;
    if (!allocate(&p)) {
        newton->coupling = newton->left_coupling = NULL;
        return CAIRN_ERROR_MEMORY;
    }
    con_newton_begin(newton);
    for (int i = 0; i < newton->contact_count; i++)
        p.mu[i] = newton->mu[i] > 0.0 ? fmax(newton->mu[i], 1e-7) : 1.0;
    start_point(&p);
    cairn_status status = iterate(&p);
    newton->coupling = newton->left_coupling = NULL;
    base_arena_rewind(newton->arena, mark);
    return status;
}
