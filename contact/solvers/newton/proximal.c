// SPDX-License-Identifier: Apache-2.0
// Outer proximal steps, inner semismooth Newton steps with backtracking.
#include "contact/solvers/newton/proximal.h"

#include "contact/solvers/newton/newton_loops.h"

#include <float.h>
#include <math.h>
#include <string.h>

// proximal points in a row that need no Newton step, after which round-off is all that is left
enum { IDLE_MOST = 10 };

// Reactions that cancel each other drift through the kernel of W by the weight times velocities of
// the size of the error: what is left at 1e-12 takes weights as large as this
static const double weight_most = 1e12;

/// A velocity with its reaction and the derivative of that.
typedef struct trial {
    double (*u)[3];
    double (*r)[3];
    double (*phi)[3];  // u - q - W r
    double (*D)[3][3]; // dr = -D du, rho included
    double (*C)[3][3]; // of moments: dr = -D du - C du of the force; NULL where there are none
    double merit;
} trial;

typedef struct proximal {
    con_newton *newton;
    const con_proximal_settings *settings;
    double (*center)[3]; // r_k
    double (*start)[3];  // W r_k + q
    double (*identity)[3][3];
    double (*minus)[3]; // right side
    double (*step)[3];
    double (*unused)[3];
    trial here, next, best;
    double weight;
    double merit_scale;
    int solves;
} proximal;

static bool allocate_trial(trial *t, size_t n, bool moments, base_arena *arena)
{
    t->C = moments ? base_arena_allocate(arena, "proximal", n, sizeof *t->C) : NULL;
    t->u = base_arena_allocate(arena, "proximal", n, sizeof *t->u);
    t->r = base_arena_allocate(arena, "proximal", n, sizeof *t->r);
    t->phi = base_arena_allocate(arena, "proximal", n, sizeof *t->phi);
    t->D = base_arena_allocate(arena, "proximal", n, sizeof *t->D);
    return t->u != NULL && t->r != NULL && t->phi != NULL && t->D != NULL &&
           (t->C != NULL || !moments);
}

static bool allocate(proximal *p)
{
    size_t n = (size_t)p->newton->contact_count;
    bool moments = p->newton->force != NULL;
    base_arena *arena = p->newton->arena;
    p->center = base_arena_allocate(arena, "proximal", n, sizeof *p->center);
    p->start = base_arena_allocate(arena, "proximal", n, sizeof *p->start);
    p->identity = base_arena_allocate(arena, "proximal", n, sizeof *p->identity);
    p->minus = base_arena_allocate(arena, "proximal", n, sizeof *p->minus);
    p->step = base_arena_allocate(arena, "proximal", n, sizeof *p->step);
    p->unused = base_arena_allocate(arena, "proximal", n, sizeof *p->unused);
    return p->center != NULL && p->start != NULL && p->identity != NULL && p->minus != NULL &&
           p->step != NULL && p->unused != NULL && allocate_trial(&p->here, n, moments, arena) &&
           allocate_trial(&p->next, n, moments, arena) &&
           allocate_trial(&p->best, n, moments, arena);
}

// r_N = (z_N)+, r_T = projection of z_T on the disc of radius mu r_N; dr = -D du
static void alart_curnier(const double center[3], const double u[3], double rho, double mu,
                          double r[3], double D[3][3])
{
    double z[3];
    for (int k = 0; k < 3; k++)
        z[k] = center[k] - rho * u[k];
    memset(r, 0, 3 * sizeof *r);
    memset(D, 0, 9 * sizeof(double));
    if (!(z[0] > 0.0))
        return;
    double length = sqrt(z[1] * z[1] + z[2] * z[2]), radius = mu * z[0];
    r[0] = z[0];
    D[0][0] = rho;
    if (length <= radius) {
        r[1] = z[1];
        r[2] = z[2];
        D[1][1] = D[2][2] = rho;
        return;
    }
    double t[2] = {z[1] / length, z[2] / length};
    for (int i = 0; i < 2; i++) {
        r[1 + i] = radius * t[i];
        D[1 + i][0] = rho * mu * t[i];
        for (int j = 0; j < 2; j++)
            D[1 + i][1 + j] = rho * radius / length * ((i == j ? 1.0 : 0.0) - t[i] * t[j]);
    }
}

// the moment of a contact whose force is f: its spinning part within [-spin f_N, spin f_N], its
// rolling part within the disc of radius mu f_N; f_N = center - rho u_N while it is not zero
static void resist_rolling(const double center[3], const double u[3], const double f[3],
                           const con_rolling_cone *cone, double rho, double r[3], double D[3][3],
                           double C[3][3])
{
    double z[3], spin = cone->spinning * f[0], radius = cone->rolling * f[0];
    for (int k = 0; k < 3; k++)
        z[k] = center[k] - rho * u[k];
    memset(r, 0, 3 * sizeof *r);
    memset(D, 0, 9 * sizeof(double));
    memset(C, 0, 9 * sizeof(double));
    if (!(f[0] > 0.0))
        return;
    r[0] = fmax(-spin, fmin(spin, z[0]));
    if (spin > 0.0 && fabs(z[0]) <= spin)
        D[0][0] = rho;
    else
        C[0][0] = rho * copysign(cone->spinning, z[0]);
    double length = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (length <= radius) {
        r[1] = z[1];
        r[2] = z[2];
        D[1][1] = D[2][2] = radius > 0.0 ? rho : 0.0;
        return;
    }
    double t[2] = {z[1] / length, z[2] / length};
    for (int i = 0; i < 2; i++) {
        r[1 + i] = radius * t[i];
        C[1 + i][0] = rho * cone->rolling * t[i];
        for (int j = 0; j < 2; j++)
            D[1 + i][1 + j] = rho * radius / length * ((i == j ? 1.0 : 0.0) - t[i] * t[j]);
    }
}

// r = P_K(center - rho (u + mu |u_T| n))
static void de_saxce(const double center[3], const double u[3], double rho, double mu, double r[3],
                     double D[3][3])
{
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    double z[3] = {center[0] - rho * (u[0] + mu * slip), center[1] - rho * u[1],
                   center[2] - rho * u[2]};
    double length = sqrt(z[1] * z[1] + z[2] * z[2]);
    double P[3][3] = {{0.0}};
    memset(r, 0, 3 * sizeof *r);
    if (length <= mu * z[0]) {
        for (int k = 0; k < 3; k++) {
            r[k] = z[k];
            P[k][k] = rho;
        }
    } else if (mu * length > -z[0]) {
        double height = (z[0] + mu * length) / (1.0 + mu * mu), norm = 1.0 / sqrt(1.0 + mu * mu);
        double t[2] = {length > 0.0 ? z[1] / length : 0.0, length > 0.0 ? z[2] / length : 0.0};
        double v[3] = {norm, mu * t[0] * norm, mu * t[1] * norm};
        double around = length > 0.0 ? mu * height / length : 0.0;
        r[0] = height;
        for (int i = 0; i < 2; i++)
            r[1 + i] = mu * height * t[i];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                P[i][j] = rho * v[i] * v[j];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                P[1 + i][1 + j] += rho * around * ((i == j ? 1.0 : 0.0) - t[i] * t[j]);
    }
    // chain rule for mu |u_T|
    double g[2] = {slip > 0.0 ? mu * u[1] / slip : 0.0, slip > 0.0 ? mu * u[2] / slip : 0.0};
    for (int i = 0; i < 3; i++) {
        D[i][0] = P[i][0];
        D[i][1] = P[i][1] + P[i][0] * g[0];
        D[i][2] = P[i][2] + P[i][0] * g[1];
    }
}

static double squares_of(void *context, int begin, int end)
{
    const double(*x)[3] = context;
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        sum += x[i][0] * x[i][0] + x[i][1] * x[i][1] + x[i][2] * x[i][2];
    return sum;
}

static double norm(const con_newton *newton, double (*x)[3])
{
    return sqrt(con_newton_sum(newton, squares_of, x));
}

/// A trial at hand: at p->here.u plus `size` steps where there is one to take.
typedef struct evaluation {
    proximal *p;
    trial *t;
    double size;
} evaluation;

static void react_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const evaluation *e = context;
    const proximal *p = e->p;
    const con_newton *newton = p->newton;
    const trial *t = e->t;
    for (int i = begin; i < end; i++) {
        double rho = p->weight;
        int force = newton->force != NULL ? newton->force[i] : -1;
        const con_rolling_cone cone = {.rolling = newton->mu[i],
                                       .spinning = force >= 0 ? newton->spinning[i] : 0.0};
        for (int k = 0; t != &p->here && k < 3; k++)
            t->u[i][k] = p->here.u[i][k] + e->size * p->step[i][k];
        if (force >= 0)
            resist_rolling(p->center[i], t->u[i], t->r[force], &cone, rho, t->r[i], t->D[i],
                           t->C[i]);
        else if (p->settings->form == CON_PROXIMAL_ALART_CURNIER || newton->force != NULL)
            alart_curnier(p->center[i], t->u[i], rho, newton->mu[i], t->r[i], t->D[i]);
        else
            de_saxce(p->center[i], t->u[i], rho, newton->mu[i], t->r[i], t->D[i]);
    }
}

// phi = u - (W r + q), of which the latter is there
static double defect_of(void *context, int begin, int end)
{
    const evaluation *e = context;
    const trial *t = e->t;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++)
            t->phi[i][k] = t->u[i][k] - t->phi[i][k];
    return squares_of(t->phi, begin, end);
}

// r, D, phi and merit of p->here, or of another trial at a step from it
static void evaluate(proximal *p, trial *t, double size)
{
    con_newton *newton = p->newton;
    evaluation e = {p, t, size};
    con_newton_each(newton, react_chunk, &e);
    con_newton_velocity(newton, (const double(*)[3])t->r, true, t->phi);
    t->merit = sqrt(con_newton_sum(newton, defect_of, &e)) / p->merit_scale;
}

static void swap_trials(trial *a, trial *b)
{
    trial swap = *a;
    *a = *b;
    *b = swap;
}

// backtracking along the step: into p->here goes the first sufficient decrease, or else the least
// merit tried; false when that is no decrease
static bool line_search(proximal *p)
{
    double size = 1.0, before = p->here.merit;
    p->best.merit = INFINITY;
    for (int k = 0; k < 8; k++, size *= 0.5) {
        evaluate(p, &p->next, size);
        double merit = p->next.merit;
        if (isfinite(merit) && merit < p->best.merit)
            swap_trials(&p->next, &p->best);
        if (merit <= (1.0 - 1e-4 * size) * before)
            break;
    }
    if (!(p->best.merit < before * (1.0 - 1e-6)))
        return false;
    swap_trials(&p->here, &p->best);
    return true;
}

/// One proximal point; its r in p->here. @return whether the inner problem was solved
static cairn_status solve_inner(proximal *p, double tolerance, bool *solved, int *steps)
{
    con_newton *newton = p->newton;
    size_t n = (size_t)newton->contact_count;
    memcpy(p->here.u, p->start, n * sizeof *p->start);
    evaluate(p, &p->here, 0.0);
    *solved = false;
    for (*steps = 0;; (*steps)++) {
        if (p->here.merit < tolerance) {
            *solved = true;
            return CAIRN_OK;
        }
        if (*steps >= p->settings->max_inner || p->solves >= p->settings->max_solves ||
            con_newton_late(newton))
            return CAIRN_OK;
        newton->coupling = p->here.C;
        cairn_status status = con_newton_factor(newton, (const double(*)[3][3])p->identity,
                                                (const double(*)[3][3])p->here.D);
        if (status != CAIRN_OK)
            return status == CAIRN_ERROR_NUMERICAL ? CAIRN_OK : status;
        p->solves++;
        for (size_t i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                p->minus[i][k] = -p->here.phi[i][k];
        con_newton_solve(newton, (const double(*)[3][3])p->identity,
                         (const double(*)[3][3])p->here.D, (const double(*)[3])p->minus, p->step,
                         p->unused);
        if (!line_search(p)) {
            *solved = p->here.merit < 1e-11;
            ++*steps;
            return CAIRN_OK;
        }
    }
}

static double growth(int steps)
{
    return steps <= 2 ? 10.0 : steps <= 4 ? 3.0 : steps <= 6 ? 1.5 : steps <= 9 ? 1.0 : 0.7;
}

// Merit to which an inner problem is solved: not below the round-off that large reactions leave in
// W r + q, where more Newton steps change nothing
static double inner_tolerance(const proximal *p, double error, double least)
{
    double floor = fmax(1e-13, 4.0 * DBL_EPSILON * p->newton->growth);
    return fmax(floor, p->settings->inner_factor * fmin(error, 10.0 * least));
}

static cairn_status iterate(proximal *p)
{
    con_newton *newton = p->newton;
    size_t n = (size_t)newton->contact_count;
    double error = con_newton_error(newton, (const double(*)[3])p->center), least = error;
    memcpy(p->start, newton->scratch[0], n * sizeof *p->start);
    int idle = 0; // points in a row that took no Newton step and helped little
    while (least > newton->goal.tolerance && p->solves < p->settings->max_solves &&
           p->weight > 1e-3 && idle < IDLE_MOST && !con_newton_late(newton)) {
        bool solved;
        int steps;
        BASE_TRY(solve_inner(p, inner_tolerance(p, error, least), &solved, &steps));
        if (!solved) {
            p->weight *= 0.3;
            continue;
        }
        memcpy(p->center, p->here.r, n * sizeof *p->center);
        error = con_newton_error(newton, (const double(*)[3])p->center);
        idle = steps == 0 && error > 0.5 * least ? idle + 1 : 0;
        memcpy(p->start, newton->scratch[0], n * sizeof *p->start);
        if (isnan(error))
            return CAIRN_OK;
        least = fmin(least, error);
        p->weight = fmin(p->weight * growth(steps), weight_most);
    }
    return CAIRN_OK;
}

cairn_status con_proximal_run(con_newton *newton, const con_proximal_settings *settings,
                              const double (*r)[3])
{
    proximal p = {.newton = newton, .settings = settings, .weight = settings->weight};
    size_t n = (size_t)newton->contact_count;
    base_arena_mark mark = base_arena_get_mark(newton->arena);
    if (!allocate(&p))
        return CAIRN_ERROR_MEMORY;
    con_newton_begin(newton);
    memcpy(p.center, r, n * sizeof *p.center);
    memset(p.identity, 0, n * sizeof *p.identity);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            p.identity[i][k][k] = 1.0;
    double scale = norm(newton, newton->q);
    p.merit_scale = scale > 0.0 ? scale : 1.0;
    cairn_status status = iterate(&p);
    newton->coupling = NULL;
    base_arena_rewind(newton->arena, mark);
    return status;
}
