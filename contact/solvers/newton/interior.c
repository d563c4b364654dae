// SPDX-License-Identifier: Apache-2.0
// Interior point: scaling of each contact, directions, steps, escape from folds, restarts.
#include "contact/solvers/newton/interior.h"

#include "base/elementary.h"
#include "base/rng.h"

#include <float.h>
#include <math.h>
#include <string.h>

// an escape that is cut off starts again from the same point: it must have time to settle
enum { MEMORY = 8, ESCAPE_ITERATIONS = 200 };

typedef enum mode { MODE_NEWTON, MODE_ESCAPE } mode;

/// What one contact needs in one iteration.
typedef struct contact_state {
    double lambda[3];
    double scale[3][3];   // Nesterov-Todd W: lambda = W y = W^-1 x
    double inverse[3][3]; // W^-1
    double t[2];          // mu u_T / |u_T|
    double slip;          // mu |u_T|
} contact_state;

typedef struct interior {
    con_newton *newton;
    const con_interior_settings *settings;
    double *mu; // [n] not below the floor
    double (*r)[3], (*u)[3], (*dr)[3], (*du)[3];
    double *s; // [n] the frozen or followed mu |u_T|
    contact_state *state;
    double (*A)[3][3], (*B)[3][3];
    double (*p)[3];  // residual of the velocity
    double (*pp)[3]; // the same with the linearised slip
    double (*rc)[3];
    double (*dy)[3];
    double (*rhs)[3];
    double (*W_dr)[3];
    double (*saved_r)[3], (*saved_u)[3];
    double saved_tau; // <= 0: none

    mode mode;
    double tau, p_norm, slip_gap, least_eigenvalue;
    double error, least;
    double alpha, gamma;
    double delta;      // pseudo-time step
    double target_tau; // of an escape
    double worst_gap;  // largest slip_gap of this escape
    int escapes, escape_iterations, bad;
    int slow_starts, restarts;
    double start_r;
    double tau_history[MEMORY], least_history[MEMORY + 1];
    int tau_count, least_count;
} interior;

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void apply3(const double a[3][3], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = dot3(a[i], x);
}

// Jordan product
static void jordan(const double a[3], const double b[3], double out[3])
{
    out[0] = dot3(a, b);
    out[1] = a[0] * b[1] + b[0] * a[1];
    out[2] = a[0] * b[2] + b[0] * a[2];
}

static double tangent_norm(const double a[3])
{
    return sqrt(a[1] * a[1] + a[2] * a[2]);
}

// (a_0 - |a_T|) (a_0 + |a_T|), not below zero
static double determinant(const double a[3])
{
    double t = tangent_norm(a);
    return fmax((a[0] - t) * (a[0] + t), 1e-300);
}

// largest step from x along d that stays in the cone |x_T| <= x_0
static double step_to_boundary(const double x[3], const double d[3])
{
    double t = tangent_norm(d);
    double a = (d[0] - t) * (d[0] + t), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    double c = determinant(x), under = b * b - a * c;
    if (d[0] >= t || under < 0.0)
        return INFINITY;
    double root = sqrt(under), sum = -(b + copysign(root, b));
    double first = a != 0.0 ? sum / a : INFINITY, second = sum != 0.0 ? c / sum : INFINITY;
    double step = INFINITY;
    if (first > 0.0)
        step = first;
    if (second > 0.0 && second < step)
        step = second;
    return step;
}

// eta [w_0, w_T'; w_T, I + w_T w_T' / (1 + w_0)], with the sign of w_T given
static void scaling_matrix(const double w[3], double sign, double eta, double out[3][3])
{
    double v[2] = {sign * w[1], sign * w[2]};
    out[0][0] = eta * w[0];
    for (int i = 0; i < 2; i++) {
        out[0][1 + i] = out[1 + i][0] = eta * v[i];
        for (int j = 0; j < 2; j++)
            out[1 + i][1 + j] = eta * ((i == j ? 1.0 : 0.0) + v[i] * v[j] / (1.0 + w[0]));
    }
}

// x = (u_N, mu u_T), y = (mu r_N, r_T)
static void to_cone(const double u[3], const double r[3], double mu, double x[3], double y[3])
{
    x[0] = u[0];
    x[1] = mu * u[1];
    x[2] = mu * u[2];
    y[0] = mu * r[0];
    y[1] = r[1];
    y[2] = r[2];
}

static void scale_contact(contact_state *c, const double x[3], const double y[3])
{
    double size_x = sqrt(determinant(x)), size_y = sqrt(determinant(y));
    double product = dot3(x, y) / (size_x * size_y);
    double g = 2.0 * sqrt(0.5 * (1.0 + product));
    double w[3] = {(x[0] / size_x + y[0] / size_y) / g, (x[1] / size_x - y[1] / size_y) / g,
                   (x[2] / size_x - y[2] / size_y) / g};
    double eta = sqrt(size_x / size_y);
    scaling_matrix(w, 1.0, eta, c->scale);
    scaling_matrix(w, -1.0, 1.0 / eta, c->inverse);
    apply3((const double(*)[3])c->scale, y, c->lambda);
}

static bool allocate(interior *p)
{
    size_t n = (size_t)p->newton->contact_count;
    base_arena *arena = p->newton->arena;
    double(**vectors[])[3] = {&p->r,  &p->u,  &p->dr,  &p->du,   &p->p,       &p->pp,
                              &p->rc, &p->dy, &p->rhs, &p->W_dr, &p->saved_r, &p->saved_u};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        *vectors[k] = base_arena_allocate(arena, "interior point", n, sizeof(double[3]));
        if (*vectors[k] == NULL)
            return false;
    }
    p->mu = base_arena_array(arena, double, "interior point", n);
    p->s = base_arena_array(arena, double, "interior point", n);
    p->state = base_arena_array(arena, contact_state, "interior point", n);
    p->A = base_arena_allocate(arena, "interior point", n, sizeof *p->A);
    p->B = base_arena_allocate(arena, "interior point", n, sizeof *p->B);
    return p->mu != NULL && p->s != NULL && p->state != NULL && p->A != NULL && p->B != NULL;
}

// exp(x), x nearly normal: the sum of twelve uniform numbers less six
static double scatter(base_rng *rng)
{
    double x = -6.0;
    for (int k = 0; k < 12; k++)
        x += base_rng_range(rng, 0.0, 1.0);
    return base_exp(x);
}

static void start_point(interior *p)
{
    base_rng rng = base_rng_make(p->settings->seed);
    for (int i = 0; i < p->newton->contact_count; i++) {
        memset(p->r[i], 0, sizeof p->r[i]);
        memset(p->u[i], 0, sizeof p->u[i]);
        p->r[i][0] = p->start_r;
        p->u[i][0] = 1.0;
        if (p->settings->seed == 0)
            continue;
        p->r[i][0] *= scatter(&rng);
        p->u[i][0] *= scatter(&rng);
    }
    p->alpha = 1.0;
    p->gamma = 0.99;
    p->bad = p->slow_starts = p->tau_count = p->least_count = 0;
    p->saved_tau = 0.0;
    p->mode = MODE_NEWTON;
}

static void push(double *history, int capacity, int *count, double value)
{
    if (*count == capacity) {
        memmove(history, history + 1, (size_t)(capacity - 1) * sizeof *history);
        --*count;
    }
    history[(*count)++] = value;
}

// residuals, scaling and measures of the point (u, r); W r + q is in scratch[0] already
static void look(interior *p)
{
    int n = p->newton->contact_count;
    double product = 0.0, p_squared = 0.0, gap_squared = 0.0, least = INFINITY;
    for (int i = 0; i < n; i++) {
        contact_state *c = &p->state[i];
        double length = tangent_norm(p->u[i]), x[3], y[3];
        c->slip = p->mu[i] * length;
        for (int k = 0; k < 2; k++)
            c->t[k] = length > 0.0 ? p->mu[i] * p->u[i][1 + k] / length : 0.0;
        if (p->mode == MODE_NEWTON)
            p->s[i] = c->slip;
        for (int k = 0; k < 3; k++)
            p->p[i][k] = p->u[i][k] - p->newton->scratch[0][i][k];
        p->p[i][0] -= p->s[i];
        p_squared += dot3(p->p[i], p->p[i]);
        gap_squared += (c->slip - p->s[i]) * (c->slip - p->s[i]);
        to_cone(p->u[i], p->r[i], p->mu[i], x, y);
        product += dot3(x, y);
        scale_contact(c, x, y);
        least = fmin(least, c->lambda[0] - tangent_norm(c->lambda));
    }
    // |q| is sqrt(n) in the units of an island
    p->tau = product / n;
    p->p_norm = sqrt(p_squared / n);
    p->slip_gap = sqrt(gap_squared / n);
    p->least_eigenvalue = least > 0.0 ? least * least / p->tau : 0.0;
}

// a start that crawls towards feasibility begins again with larger reactions
static bool restart(interior *p)
{
    bool crawls = p->mode == MODE_NEWTON && p->newton->factorisations > 0 && p->alpha < 0.25 &&
                  p->p_norm > 0.1;
    p->slow_starts += crawls ? 1 : 0;
    if (p->slow_starts < 4 || p->restarts >= p->settings->max_restarts)
        return false;
    p->restarts++;
    p->start_r *= 10.0;
    start_point(p);
    return true;
}

static bool finished(const interior *p)
{
    const double *history = p->least_history;
    bool floor = p->least < 1e-5 && p->least_count > MEMORY &&
                 p->least > 0.5 * history[p->least_count - 1 - MEMORY];
    return con_newton_solved(p->newton) || floor || p->tau < 1e-24 || !isfinite(p->tau);
}

static double transient(const interior *p)
{
    return p->mode == MODE_NEWTON ? 1.0 : p->delta / (1.0 + p->delta);
}

// A = W^-1 T_x G^-1, B = T_y^-1 W^-1 of each contact, and the linearised residual
static cairn_status factor(interior *p)
{
    double theta = transient(p);
    for (int i = 0; i < p->newton->contact_count; i++) {
        const contact_state *c = &p->state[i];
        double mu = p->mu[i], g[2] = {theta * c->t[0], theta * c->t[1]};
        for (int k = 0; k < 3; k++) {
            double row[3] = {c->inverse[k][0], mu * c->inverse[k][1], mu * c->inverse[k][2]};
            p->A[i][k][0] = row[0];
            p->A[i][k][1] = row[1] + row[0] * g[0];
            p->A[i][k][2] = row[2] + row[0] * g[1];
            for (int j = 0; j < 3; j++)
                p->B[i][k][j] = c->inverse[k][j] / (k == 0 ? mu : 1.0);
            p->pp[i][k] = p->p[i][k];
        }
        p->pp[i][0] -= theta * (c->slip - p->s[i]);
    }
    return con_newton_factor(p->newton, (const double(*)[3][3])p->A, (const double(*)[3][3])p->B);
}

// direction for the complementarity residual rc
static void direction(interior *p)
{
    int n = p->newton->contact_count;
    double theta = transient(p);
    for (int i = 0; i < n; i++) {
        double z[3], a[3];

        // z with lambda o z = b
        const double *lambda = p->state[i].lambda;
        const double *b = p->rc[i];
        double along = lambda[1] * b[1] + lambda[2] * b[2];
        z[0] = (lambda[0] * b[0] - along) / determinant(lambda);
        z[1] = (b[1] - z[0] * lambda[1]) / lambda[0];
        z[2] = (b[2] - z[0] * lambda[2]) / lambda[0];

        apply3((const double(*)[3])p->A[i], p->pp[i], a);
        for (int k = 0; k < 3; k++)
            p->rhs[i][k] = z[k] + a[k];
    }
    con_newton_solve(p->newton, (const double(*)[3][3])p->A, (const double(*)[3][3])p->B,
                     (const double(*)[3])p->rhs, p->dy, p->W_dr);
    for (int i = 0; i < n; i++) {
        const contact_state *c = &p->state[i];
        apply3((const double(*)[3])p->B[i], p->dy[i], p->dr[i]);
        for (int k = 0; k < 3; k++)
            p->du[i][k] = p->W_dr[i][k] - p->pp[i][k];
        p->du[i][0] += theta * (c->t[0] * p->du[i][1] + c->t[1] * p->du[i][2]);
    }
}

static double largest_step(const interior *p)
{
    double step = INFINITY;
    for (int i = 0; i < p->newton->contact_count; i++) {
        double x[3], y[3], dx[3], dy[3];
        to_cone(p->u[i], p->r[i], p->mu[i], x, y);
        to_cone(p->du[i], p->dr[i], p->mu[i], dx, dy);
        step = fmin(step, fmin(step_to_boundary(x, dx), step_to_boundary(y, dy)));
    }
    return step;
}

// complementarity after a step
static double tau_after(const interior *p, double step)
{
    double product = 0.0;
    for (int i = 0; i < p->newton->contact_count; i++) {
        double u[3], r[3], x[3], y[3];
        for (int k = 0; k < 3; k++) {
            u[k] = p->u[i][k] + step * p->du[i][k];
            r[k] = p->r[i][k] + step * p->dr[i][k];
        }
        to_cone(u, r, p->mu[i], x, y);
        product += dot3(x, y);
    }
    return product / p->newton->contact_count;
}

// rc = -lambda o lambda + target e
static void centre_towards(interior *p, double target)
{
    for (int i = 0; i < p->newton->contact_count; i++) {
        double product[3];
        jordan(p->state[i].lambda, p->state[i].lambda, product);
        for (int k = 0; k < 3; k++)
            p->rc[i][k] = -product[k];
        p->rc[i][0] += target;
    }
}

// second-order part of the predictor taken off rc
static void correct(interior *p)
{
    for (int i = 0; i < p->newton->contact_count; i++) {
        const contact_state *c = &p->state[i];
        double dx[3], dy[3], a[3], b[3], product[3];
        to_cone(p->du[i], p->dr[i], p->mu[i], dx, dy);
        apply3((const double(*)[3])c->inverse, dx, a);
        apply3((const double(*)[3])c->scale, dy, b);
        jordan(a, b, product);
        for (int k = 0; k < 3; k++)
            p->rc[i][k] -= product[k];
    }
}

static void newton_direction(interior *p)
{
    centre_towards(p, 0.0);
    direction(p);
    double step = fmin(1.0, largest_step(p)), after = tau_after(p, step);
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
        correct(p);
    direction(p);
}

static bool take_step(interior *p)
{
    double step = fmin(1.0, p->gamma * largest_step(p)), theta = transient(p), sum = 0.0;
    p->alpha = step;
    for (int i = 0; i < p->newton->contact_count; i++) {
        const contact_state *c = &p->state[i];
        if (p->mode == MODE_ESCAPE)
            p->s[i] +=
                step * theta * (c->slip - p->s[i] + c->t[0] * p->du[i][1] + c->t[1] * p->du[i][2]);
        for (int k = 0; k < 3; k++) {
            p->r[i][k] += step * p->dr[i][k];
            p->u[i][k] += step * p->du[i][k];
            sum += 0.0 * p->r[i][k] + 0.0 * p->u[i][k];
        }
    }
    p->gamma = fmin(0.9 + 0.09 * step, 0.999);
    return sum == 0.0;
}

static void copy_point(const interior *p, double (*to_r)[3], double (*to_u)[3],
                       const double (*r)[3], const double (*u)[3])
{
    size_t size = (size_t)p->newton->contact_count * sizeof(double[3]);
    memcpy(to_r, r, size);
    memcpy(to_u, u, size);
}

// after a Newton step: does the path still go down?; false when the escapes are used up
static bool watch_progress(interior *p)
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
        copy_point(p, p->r, p->u, (const double(*)[3])p->saved_r, (const double(*)[3])p->saved_u);
        tau = p->saved_tau;
    }
    p->mode = MODE_ESCAPE;
    p->escapes++;
    p->escape_iterations = p->bad = 0;
    p->alpha = 0.0;
    p->target_tau = fmax(0.5 * tau, 1e-300);
    p->delta = 1.0;
    p->worst_gap = 0.0;
    for (int i = 0; i < p->newton->contact_count; i++)
        p->s[i] = p->mu[i] * tangent_norm(p->u[i]);

    return true;
}

static void watch_escape(interior *p)
{
    p->escape_iterations++;
    bool settled = p->delta > 30.0 && p->alpha > 0.9 && p->slip_gap < 0.1 * p->worst_gap;
    p->worst_gap = fmax(p->worst_gap, p->slip_gap);
    if (!settled && p->escape_iterations < ESCAPE_ITERATIONS)
        return;
    p->mode = MODE_NEWTON;
    p->tau_count = p->bad = 0;
    p->alpha = 1.0;
}

// one factorisation and step; false to stop
static cairn_status advance(interior *p, bool *go_on)
{
    *go_on = false;
    if (p->mode == MODE_NEWTON && p->alpha > 0.3 && p->least_eigenvalue > 1e-2) {
        copy_point(p, p->saved_r, p->saved_u, (const double(*)[3])p->r, (const double(*)[3])p->u);
        p->saved_tau = p->tau;
    }
    cairn_status status = factor(p);
    if (status != CAIRN_OK)
        return status == CAIRN_ERROR_NUMERICAL ? CAIRN_OK : status;
    if (p->mode == MODE_NEWTON) {
        newton_direction(p);
    } else {
        centre_towards(p, p->target_tau);
        direction(p);
    }
    if (!take_step(p))
        return CAIRN_OK;
    *go_on = true;
    if (p->mode == MODE_NEWTON) {
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

static cairn_status iterate(interior *p)
{
    int limit = p->newton->factorisations + p->settings->max_iterations;
    bool go_on = true;
    while (go_on && p->newton->factorisations < limit && !con_newton_late(p->newton)) {
        p->error = con_newton_error(p->newton, (const double(*)[3])p->r);
        if (isnan(p->error))
            return CAIRN_OK;
        p->least = fmin(p->least, p->error);
        look(p);
        push(p->least_history, MEMORY + 1, &p->least_count, p->least);
        if (finished(p))
            return CAIRN_OK;
        if (restart(p))
            continue;
        cairn_status status = advance(p, &go_on);
        if (status != CAIRN_OK)
            return status;
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
    interior p = {.newton = newton,
                  .settings = settings,
                  .start_r = settings->start_scale,
                  .delta = 1.0,
                  .least = INFINITY};
    base_arena_mark mark = base_arena_get_mark(newton->arena);
    if (!allocate(&p))
        return CAIRN_ERROR_MEMORY;
    con_newton_begin(newton);
    for (int i = 0; i < newton->contact_count; i++)
        p.mu[i] = newton->mu[i] > 0.0 ? fmax(newton->mu[i], 1e-7) : 1.0;
    start_point(&p);
    cairn_status status = iterate(&p);
    base_arena_rewind(newton->arena, mark);
    return status;
}
