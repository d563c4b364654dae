// SPDX-License-Identifier: Apache-2.0
// Coulomb cones in the interior point: scaling of each contact, directions, steps.
#include "contact/solvers/newton/interior_cones.h"
#include "contact/solvers/newton/newton_loops.h"

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

/// Measures of a point, chunk by chunk.
typedef struct looking {
    con_interior *p;
    struct look_part {
        double product, p_squared, gap_squared, least;
    } part[CON_CHUNKS_MAX];
} looking;

static void look_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)worker;
    looking *looks = context;
    con_interior *p = looks->p;
    double product = 0.0, p_squared = 0.0, gap_squared = 0.0, least = INFINITY;
    for (int i = begin; i < end; i++) {
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
    looks->part[chunk] = (struct look_part){product, p_squared, gap_squared, least};
}

static void look(con_interior *p)
{
    looking looks = {.p = p};
    int n = p->newton->contact_count, chunks = con_newton_chunks(p->newton);
    double product = 0.0, p_squared = 0.0, gap_squared = 0.0, least = INFINITY;
    con_newton_each(p->newton, look_chunk, &looks);
    for (int k = 0; k < chunks; k++) {
        product += looks.part[k].product;
        p_squared += looks.part[k].p_squared;
        gap_squared += looks.part[k].gap_squared;
        least = fmin(least, looks.part[k].least);
    }
    // |q| is sqrt(n) in the units of an island
    p->tau = product / n;
    p->p_norm = sqrt(p_squared / n);
    p->slip_gap = sqrt(gap_squared / n);
    p->least_eigenvalue = least > 0.0 ? least * least / p->tau : 0.0;
}

/// A step of a point, or the share of the slip's change that it follows.
typedef struct stepping {
    con_interior *p;
    double step, theta;
} stepping;

// A = W^-1 T_x G^-1, B = T_y^-1 W^-1 of each contact, and the linearised residual
static void fill_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const stepping *s = context;
    con_interior *p = s->p;
    for (int i = begin; i < end; i++) {
        const con_interior_part *c = &p->part[i];
        double mu = p->mu[i], g[2] = {s->theta * c->t[0], s->theta * c->t[1]};
        for (int k = 0; k < 3; k++) {
            double row[3] = {c->inverse[k][0], mu * c->inverse[k][1], mu * c->inverse[k][2]};
            p->A[i][k][0] = row[0];
            p->A[i][k][1] = row[1] + row[0] * g[0];
            p->A[i][k][2] = row[2] + row[0] * g[1];
            for (int j = 0; j < 3; j++)
                p->B[i][k][j] = c->inverse[k][j] / (k == 0 ? mu : 1.0);
            p->pp[i][k] = p->p[i][k];
        }
        p->pp[i][0] -= s->theta * (c->slip - p->s[i]);
    }
}

static void fill(con_interior *p, double theta)
{
    stepping s = {.p = p, .theta = theta};
    con_newton_each(p->newton, fill_chunk, &s);
}

static void load_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    con_interior *p = context;
    for (int i = begin; i < end; i++) {
        double z[3], a[3];
        con_interior_divide(p->part[i].lambda, p->rc[i], z);
        con_interior_apply((const double(*)[3])p->A[i], p->pp[i], a);
        for (int k = 0; k < 3; k++)
            p->rhs[i][k] = z[k] + a[k];
    }
}

static void direct_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const stepping *s = context;
    con_interior *p = s->p;
    for (int i = begin; i < end; i++) {
        const con_interior_part *c = &p->part[i];
        con_interior_apply((const double(*)[3])p->B[i], p->dy[i], p->dr[i]);
        for (int k = 0; k < 3; k++)
            p->du[i][k] = p->W_dr[i][k] - p->pp[i][k];
        p->du[i][0] += s->theta * (c->t[0] * p->du[i][1] + c->t[1] * p->du[i][2]);
    }
}

static void solve(con_interior *p, double theta)
{
    stepping s = {.p = p, .theta = theta};
    con_newton_each(p->newton, load_chunk, p);
    con_newton_solve(p->newton, (const double(*)[3][3])p->A, (const double(*)[3][3])p->B,
                     (const double(*)[3])p->rhs, p->dy, p->W_dr);
    con_newton_each(p->newton, direct_chunk, &s);
}

static double largest_step_of(void *context, int begin, int end)
{
    const con_interior *p = context;
    double step = INFINITY;
    for (int i = begin; i < end; i++) {
        double x[3], y[3], dx[3], dy[3];
        to_cone(p->u[i], p->r[i], p->mu[i], x, y);
        to_cone(p->du[i], p->dr[i], p->mu[i], dx, dy);
        step = fmin(
            step, fmin(con_interior_step_to_boundary(x, dx), con_interior_step_to_boundary(y, dy)));
    }
    return step;
}

static double largest_step(con_interior *p)
{
    return con_newton_least(p->newton, largest_step_of, p);
}

static double product_of(void *context, int begin, int end)
{
    const stepping *s = context;
    const con_interior *p = s->p;
    double product = 0.0;
    for (int i = begin; i < end; i++) {
        double u[3], r[3], x[3], y[3];
        for (int k = 0; k < 3; k++) {
            u[k] = p->u[i][k] + s->step * p->du[i][k];
            r[k] = p->r[i][k] + s->step * p->dr[i][k];
        }
        to_cone(u, r, p->mu[i], x, y);
        product += con_interior_dot(x, y);
    }
    return product;
}

static double tau_after(con_interior *p, double step)
{
    stepping s = {.p = p, .step = step};
    return con_newton_sum(p->newton, product_of, &s) / p->newton->contact_count;
}

static void correct_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    con_interior *p = context;
    for (int i = begin; i < end; i++) {
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

static void correct(con_interior *p)
{
    con_newton_each(p->newton, correct_chunk, p);
}

// zero unless the point is not finite
static double moved_to(void *context, int begin, int end)
{
    const stepping *s = context;
    con_interior *p = s->p;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        const con_interior_part *c = &p->part[i];
        if (p->mode == CON_INTERIOR_ESCAPE)
            p->s[i] += s->step * s->theta *
                       (c->slip - p->s[i] + c->t[0] * p->du[i][1] + c->t[1] * p->du[i][2]);
        for (int k = 0; k < 3; k++) {
            p->r[i][k] += s->step * p->dr[i][k];
            p->u[i][k] += s->step * p->du[i][k];
            sum += 0.0 * p->r[i][k] + 0.0 * p->u[i][k];
        }
    }
    return sum;
}

static bool move(con_interior *p, double step)
{
    stepping s = {p, step, con_interior_transient(p)};
    return con_newton_sum(p->newton, moved_to, &s) == 0.0;
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
