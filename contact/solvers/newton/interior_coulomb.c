// SPDX-License-Identifier: Apache-2.0
// Coulomb cones in the interior point: scaling of each contact, directions, steps.
#include "contact/solvers/newton/interior_cones.h"

#include <math.h>
#include <string.h>

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

static bool allocate(con_interior *p)
{
    p->part_count = p->newton->contact_count;
    return true;
}

static void start(con_interior *p, base_rng *rng)
{
    for (int i = 0; i < p->newton->contact_count; i++) {
        memset(p->r[i], 0, sizeof p->r[i]);
        memset(p->u[i], 0, sizeof p->u[i]);
        p->r[i][0] = p->start_r;
        p->u[i][0] = 1.0;
        if (rng == NULL)
            continue;
        p->r[i][0] *= con_interior_scatter(rng);
        p->u[i][0] *= con_interior_scatter(rng);
    }
}

static void look(con_interior *p)
{
    int n = p->newton->contact_count;
    double product = 0.0, p_squared = 0.0, gap_squared = 0.0, least = INFINITY;
    for (int i = 0; i < n; i++) {
        con_interior_part *c = &p->part[i];
        double length = con_interior_tangent(p->u[i]), x[3], y[3];
        c->slip = p->mu[i] * length;
        for (int k = 0; k < 2; k++)
            c->t[k] = length > 0.0 ? p->mu[i] * p->u[i][1 + k] / length : 0.0;
        if (p->mode == CON_INTERIOR_NEWTON)
            p->s[i] = c->slip;
        for (int k = 0; k < 3; k++)
            p->p[i][k] = p->u[i][k] - p->newton->scratch[0][i][k];
        p->p[i][0] -= p->s[i];
        p_squared += con_interior_dot(p->p[i], p->p[i]);
        gap_squared += (c->slip - p->s[i]) * (c->slip - p->s[i]);
        to_cone(p->u[i], p->r[i], p->mu[i], x, y);
        product += con_interior_dot(x, y);
        con_interior_scale(c, x, y);
        least = fmin(least, c->lambda[0] - con_interior_tangent(c->lambda));
    }
    // |q| is sqrt(n) in the units of an island
    p->tau = product / n;
    p->p_norm = sqrt(p_squared / n);
    p->slip_gap = sqrt(gap_squared / n);
    p->least_eigenvalue = least > 0.0 ? least * least / p->tau : 0.0;
}

// A = W^-1 T_x G^-1, B = T_y^-1 W^-1 of each contact, and the linearised residual
static void fill(con_interior *p, double theta)
{
    for (int i = 0; i < p->newton->contact_count; i++) {
        const con_interior_part *c = &p->part[i];
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
}

static void solve(con_interior *p, double theta)
{
    int n = p->newton->contact_count;
    for (int i = 0; i < n; i++) {
        double z[3], a[3];
        con_interior_divide(p->part[i].lambda, p->rc[i], z);
        con_interior_apply((const double(*)[3])p->A[i], p->pp[i], a);
        for (int k = 0; k < 3; k++)
            p->rhs[i][k] = z[k] + a[k];
    }
    con_newton_solve(p->newton, (const double(*)[3][3])p->A, (const double(*)[3][3])p->B,
                     (const double(*)[3])p->rhs, p->dy, p->W_dr);
    for (int i = 0; i < n; i++) {
        const con_interior_part *c = &p->part[i];
        con_interior_apply((const double(*)[3])p->B[i], p->dy[i], p->dr[i]);
        for (int k = 0; k < 3; k++)
            p->du[i][k] = p->W_dr[i][k] - p->pp[i][k];
        p->du[i][0] += theta * (c->t[0] * p->du[i][1] + c->t[1] * p->du[i][2]);
    }
}

static double largest_step(const con_interior *p)
{
    double step = INFINITY;
    for (int i = 0; i < p->newton->contact_count; i++) {
        double x[3], y[3], dx[3], dy[3];
        to_cone(p->u[i], p->r[i], p->mu[i], x, y);
        to_cone(p->du[i], p->dr[i], p->mu[i], dx, dy);
        step = fmin(
            step, fmin(con_interior_step_to_boundary(x, dx), con_interior_step_to_boundary(y, dy)));
    }
    return step;
}

static double tau_after(const con_interior *p, double step)
{
    double product = 0.0;
    for (int i = 0; i < p->newton->contact_count; i++) {
        double u[3], r[3], x[3], y[3];
        for (int k = 0; k < 3; k++) {
            u[k] = p->u[i][k] + step * p->du[i][k];
            r[k] = p->r[i][k] + step * p->dr[i][k];
        }
        to_cone(u, r, p->mu[i], x, y);
        product += con_interior_dot(x, y);
    }
    return product / p->newton->contact_count;
}

static void correct(con_interior *p)
{
    for (int i = 0; i < p->newton->contact_count; i++) {
        const con_interior_part *c = &p->part[i];
        double dx[3], dy[3], a[3], b[3], product[3];
        to_cone(p->du[i], p->dr[i], p->mu[i], dx, dy);
        con_interior_apply((const double(*)[3])c->inverse, dx, a);
        con_interior_apply((const double(*)[3])c->scale, dy, b);
        con_interior_jordan(a, b, product);
        for (int k = 0; k < 3; k++)
            p->rc[i][k] -= product[k];
    }
}

static bool move(con_interior *p, double step)
{
    double theta = con_interior_transient(p), sum = 0.0;
    for (int i = 0; i < p->newton->contact_count; i++) {
        const con_interior_part *c = &p->part[i];
        if (p->mode == CON_INTERIOR_ESCAPE)
            p->s[i] +=
                step * theta * (c->slip - p->s[i] + c->t[0] * p->du[i][1] + c->t[1] * p->du[i][2]);
        for (int k = 0; k < 3; k++) {
            p->r[i][k] += step * p->dr[i][k];
            p->u[i][k] += step * p->du[i][k];
            sum += 0.0 * p->r[i][k] + 0.0 * p->u[i][k];
        }
    }
    return sum == 0.0;
}

static void freeze(con_interior *p)
{
    for (int i = 0; i < p->newton->contact_count; i++)
        p->s[i] = p->mu[i] * con_interior_tangent(p->u[i]);
}

static void save(con_interior *p, bool back)
{
    size_t size = (size_t)p->newton->contact_count * sizeof(double[3]);
    memcpy(back ? p->r : p->saved_r, back ? p->saved_r : p->r, size);
    memcpy(back ? p->u : p->saved_u, back ? p->saved_u : p->u, size);
}

const con_interior_cones con_interior_coulomb = {
    .allocate = allocate,
    .start = start,
    .look = look,
    .fill = fill,
    .solve = solve,
    .largest_step = largest_step,
    .tau_after = tau_after,
    .correct = correct,
    .move = move,
    .freeze = freeze,
    .save = save,
};
