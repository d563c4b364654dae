// SPDX-License-Identifier: Apache-2.0
// Interior point for a frozen slip: scaling, predictor and corrector, steps.
#include "contact/literature/convex_interior.h"

#include "contact/cones/cone.h"

#include <math.h>
#include <string.h>

static const double least_mu = 1e-7;
enum { MAX_STEPS = 60 };

cairn_status con_convex_interior_create(con_newton *newton, base_arena *arena,
                                        con_convex_interior *c)
{
    *c = (con_convex_interior){.newton = newton, .max_steps = MAX_STEPS};
    size_t n = (size_t)newton->contact_count;
    c->mu = base_arena_array(arena, double, "interior point", n);
    c->s = base_arena_array(arena, double, "interior point", n);
    c->scaling = base_arena_array(arena, con_soc_scaling, "interior point", n);
    c->A = base_arena_allocate(arena, "interior point", n, sizeof *c->A);
    c->B = base_arena_allocate(arena, "interior point", n, sizeof *c->B);
    bool complete =
        c->mu != NULL && c->s != NULL && c->scaling != NULL && c->A != NULL && c->B != NULL;
    double(**const vectors[])[3] = {&c->r, &c->u, &c->p, &c->z, &c->rhs, &c->dy, &c->W_dr};
    for (int k = 0; k < 7; k++) {
        *vectors[k] = base_arena_allocate(arena, "interior point", n, sizeof(double[3]));
        complete = complete && *vectors[k] != NULL;
    }
    if (!complete)
        return CAIRN_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        c->mu[i] = newton->mu[i] > 0.0 ? fmax(newton->mu[i], least_mu) : 1.0;
        c->s[i] = 0.0;
    }
    return CAIRN_OK;
}

// both inside their cones, the reactions of the size of the best known ones
static void start(con_convex_interior *c)
{
    int n = c->newton->contact_count;
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += c->newton->best[i][0] * c->newton->best[i][0];
    double size = fmin(fmax(sqrt(sum / n), 1.0), 1e4);
    for (int i = 0; i < n; i++) {
        memset(c->r[i], 0, sizeof c->r[i]);
        memset(c->u[i], 0, sizeof c->u[i]);
        c->r[i][0] = size;
        c->u[i][0] = 1.0 + c->s[i];
    }
}

// x = (u_N, mu u_T), y = (mu r_N, r_T)
static void to_cone(const con_convex_interior *c, int i, double x[3], double y[3])
{
    const double *u = c->u[i], *r = c->r[i];
    double mu = c->mu[i];
    x[0] = u[0];
    y[0] = mu * r[0];
    for (int k = 1; k < 3; k++) {
        x[k] = mu * u[k];
        y[k] = r[k];
    }
}

// p = u - W r - q - s e_N and the program's error, from W r + q in scratch[0]
static void measure(con_convex_interior *c)
{
    const con_newton *newton = c->newton;
    double map2 = 0.0, r2 = 0.0, u2 = 0.0, q2 = 0.0;
    for (int i = 0; i < newton->contact_count; i++) {
        double z[3];
        const double *r = c->r[i];
        for (int k = 0; k < 3; k++) {
            double u = newton->scratch[0][i][k] + (k == 0 ? c->s[i] : 0.0);
            c->p[i][k] = c->u[i][k] - u;
            z[k] = r[k] - u;
            r2 += r[k] * r[k];
            u2 += u * u;
            q2 += newton->q[i][k] * newton->q[i][k];
        }
        con_cone_project(z, newton->mu[i], z);
        for (int k = 0; k < 3; k++)
            map2 += (r[k] - z[k]) * (r[k] - z[k]);
    }
    double scale = fmax(q2, fmax(r2, u2));
    c->error = sqrt(map2 / (scale > 0.0 ? scale : 1.0));
}

// scalings and A = scaling^-1 T_x, B = T_y^-1 scaling^-1; returns tau = x.y / n
static double scale(con_convex_interior *c)
{
    double tau = 0.0;
    int n = c->newton->contact_count;
    for (int i = 0; i < n; i++) {
        double x[3], y[3], mu = c->mu[i];
        to_cone(c, i, x, y);
        tau += con_soc_dot(x, y);
        con_soc_scale(x, y, &c->scaling[i]);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                double inverse = c->scaling[i].inverse[a][b];
                c->A[i][a][b] = inverse * (b == 0 ? 1.0 : mu);
                c->B[i][a][b] = inverse * (a == 0 ? 1.0 / mu : 1.0);
            }
    }
    return tau / n;
}

// dy of lambda o (dx + dy) = rc, and z = dx + dy
static void direction(con_convex_interior *c, const double (*rc)[3])
{
    int n = c->newton->contact_count;
    for (int i = 0; i < n; i++) {
        double A_p[3];
        con_soc_divide(c->scaling[i].lambda, rc[i], c->z[i]);
        con_soc_apply((const double(*)[3])c->A[i], c->p[i], A_p);
        for (int k = 0; k < 3; k++)
            c->rhs[i][k] = c->z[i][k] + A_p[k];
    }
    con_newton_solve(c->newton, (const double(*)[3][3])c->A, (const double(*)[3][3])c->B,
                     (const double(*)[3])c->rhs, c->dy, c->W_dr);
}

// step to the boundary, at most 1; tau there
static double longest_step(const con_convex_interior *c, double *tau)
{
    double step = 1.0, sum = 0.0;
    int n = c->newton->contact_count;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            const double *lambda = c->scaling[i].lambda, *dy = c->dy[i];
            double dx[3], x[3], y[3];
            for (int k = 0; k < 3; k++) {
                dx[k] = c->z[i][k] - dy[k];
                x[k] = lambda[k] + step * dx[k];
                y[k] = lambda[k] + step * dy[k];
            }
            if (pass == 0)
                step = con_soc_step(lambda, dx, con_soc_step(lambda, dy, step));
            else
                sum += con_soc_dot(x, y);
        }
    *tau = sum / n;
    return step;
}

// rc = -lambda o lambda + centre e - dx o dy
static void corrected(con_convex_interior *c, double centre, bool second_order, double (*rc)[3])
{
    for (int i = 0; i < c->newton->contact_count; i++) {
        const double *lambda = c->scaling[i].lambda;
        double square[3], dx[3], product[3] = {0.0, 0.0, 0.0};
        con_soc_product(lambda, lambda, square);
        for (int k = 0; k < 3; k++)
            dx[k] = c->z[i][k] - c->dy[i][k];
        if (second_order)
            con_soc_product(dx, c->dy[i], product);
        for (int k = 0; k < 3; k++)
            rc[i][k] = (k == 0 ? centre : 0.0) - square[k] - product[k];
    }
}

static bool take_step(con_convex_interior *c, double step)
{
    int n = c->newton->contact_count;
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        con_soc_apply((const double(*)[3])c->B[i], c->dy[i], c->rhs[i]);
        for (int k = 0; k < 3; k++)
            sum += 0.0 * (c->rhs[i][k] + c->W_dr[i][k]);
    }
    if (sum != 0.0)
        return false;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            c->r[i][k] += step * c->rhs[i][k];
            c->u[i][k] += step * (c->W_dr[i][k] - c->p[i][k]);
        }
    return true;
}

// predictor, corrector, step; false when it broke down
static bool advance(con_convex_interior *c, double tau)
{
    double tau_affine, unused;
    double(*rc)[3] = c->newton->scratch[3];
    corrected(c, 0.0, false, rc);
    direction(c, (const double(*)[3])rc);
    double affine = longest_step(c, &tau_affine);
    double ratio = fmax(tau_affine / tau, 0.0);
    double sigma = fmin(0.998, affine > 0.3 ? ratio * ratio * ratio : ratio);
    corrected(c, sigma * tau, sigma < 0.8, rc);
    direction(c, (const double(*)[3])rc);
    double longest = longest_step(c, &unused);
    double step = fmin(1.0, fmin(0.9 + 0.09 * affine, 0.999) * longest);
    return step > 1e-8 && take_step(c, step);
}

cairn_status con_convex_interior_run(con_convex_interior *c, double tolerance)
{
    con_newton *newton = c->newton;
    start(c);
    for (int step = 0;; step++) {
        double error = con_newton_error(newton, (const double(*)[3])c->r);
        measure(c);
        if (isnan(error) || con_newton_solved(newton) || con_newton_late(newton))
            return CAIRN_OK;
        double tau = scale(c);
        cairn_status status =
            con_newton_factor(newton, (const double(*)[3][3])c->A, (const double(*)[3][3])c->B);
        if (status != CAIRN_OK)
            return status == CAIRN_ERROR_MEMORY ? status : CAIRN_OK;
        // the last factors serve the derivative
        if (c->error <= tolerance || step >= c->max_steps || !(tau > 1e-28) || !advance(c, tau))
            return CAIRN_OK;
    }
}

void con_convex_interior_derivative(con_convex_interior *c, const double *ds, double *out)
{
    int n = c->newton->contact_count;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            c->rhs[i][k] = -c->A[i][k][0] * ds[i];
    con_newton_solve(c->newton, (const double(*)[3][3])c->A, (const double(*)[3][3])c->B,
                     (const double(*)[3])c->rhs, c->dy, c->W_dr);
    for (int i = 0; i < n; i++) {
        const double *u = c->u[i], *du = c->W_dr[i];
        double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
        out[i] = slip > 0.0 ? c->newton->mu[i] * (u[1] * du[1] + u[2] * du[2]) / slip : 0.0;
    }
}
