// SPDX-License-Identifier: Apache-2.0
// Convex programs by projected gradients: Nesterov's acceleration, and Barzilai-Borwein steps.
#include "contact/literature/convex_engines.h"

#include <math.h>

enum { ARMIJO_MEMORY = 10, REFRESH = 50 };

static void project_step(const con_convex *convex, const double (*from)[3], const double (*u)[3],
                         double step, double (*out)[3])
{
    for (int i = 0; i < convex->search->op.contact_count; i++) {
        double g[3], z[3];
        con_convex_mask(convex->set, u[i], g);
        // a frozen component comes from the point itself
        for (int k = 0; k < 3; k++)
            z[k] = from[i][k] - step * g[k];
        con_set_project(convex->set, convex->size[i], z, out[i]);
    }
}

static void difference(int n, const double (*a)[3], const double (*b)[3], double (*out)[3])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = a[i][k] - b[i][k];
}

static void add_scaled(int n, double (*a)[3], double factor, const double (*b)[3])
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            a[i][k] += factor * b[i][k];
}

/// Nesterov's method: r is the last point, y where the gradient is taken.
typedef struct accelerated {
    con_convex *convex;
    int n;
    double (*y)[3], (*uy)[3]; // extrapolated point and its velocity
    double (*next)[3];
    double (*dr)[3], (*W_dr)[3]; // next - y
    double curvature;            // L
    double theta;
} accelerated;

// next = P(y - u(y) / L), L doubled until it bounds the curvature on that step
static bool accelerated_step(accelerated *a)
{
    con_search *search = a->convex->search;
    const double(*dr)[3] = (const double(*)[3])a->dr;
    for (;;) {
        if (!con_search_count(search))
            return false;
        project_step(a->convex, (const double(*)[3])a->y, (const double(*)[3])a->uy,
                     1.0 / a->curvature, a->next);
        difference(a->n, (const double(*)[3])a->next, (const double(*)[3])a->y, a->dr);
        con_operator_apply(&search->op, dr, false, a->W_dr);
        double squared = con_dot(a->n, dr, dr);
        double energy = con_dot(a->n, dr, (const double(*)[3])a->W_dr);
        if (!(energy > (1.0 + 1e-10) * a->curvature * squared))
            return true;
        a->curvature = fmax(2.0 * a->curvature, energy / squared);
    }
}

// r, u <- next and y, uy <- beyond it; starts anew where the momentum points uphill
static void extrapolate(accelerated *a)
{
    con_convex *convex = a->convex;
    double uphill = 0.0;
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < 3; k++)
            uphill -= a->dr[i][k] * (a->next[i][k] - convex->r[i][k]);
    double theta = a->theta, square = theta * theta;
    double next_theta = 0.5 * (-square + theta * sqrt(square + 4.0));
    double beta = theta * (1.0 - theta) / (square + next_theta);
    if (uphill > 0.0) {
        beta = 0.0;
        next_theta = 1.0;
    }
    a->theta = next_theta;
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < 3; k++) {
            double r = a->next[i][k], u = a->uy[i][k] + a->W_dr[i][k];
            a->y[i][k] = r + beta * (r - convex->r[i][k]);
            a->uy[i][k] = u + beta * (u - convex->u[i][k]);
            convex->r[i][k] = r;
            convex->u[i][k] = u;
        }
}

bool con_convex_accelerated(con_convex *convex, double tolerance, int max_iterations)
{
    int n = convex->search->op.contact_count;
    accelerated a = {convex,
                     n,
                     convex->work[0],
                     convex->work[1],
                     convex->work[2],
                     convex->work[3],
                     convex->work[4],
                     1.0,
                     1.0};
    con_convex_velocity(convex, (const double(*)[3])convex->r, convex->u);
    con_vectors_copy(n, (const double(*)[3])convex->r, a.y);
    con_vectors_copy(n, (const double(*)[3])convex->u, a.uy);
    for (int k = 1; k <= max_iterations; k++) {
        double error = con_convex_error(convex);
        if (!isfinite(error))
            return false;
        if (error <= tolerance || !accelerated_step(&a))
            break;
        extrapolate(&a);
        a.curvature *= 0.9;
        if (k % REFRESH == 0) {
            con_convex_velocity(convex, (const double(*)[3])convex->r, convex->u);
            con_convex_velocity(convex, (const double(*)[3])a.y, a.uy);
        }
    }
    con_convex_velocity(convex, (const double(*)[3])convex->r, convex->u);
    return true;
}

/// Values of the objective that the next one is compared with, relative to the first.
typedef struct objective {
    double value;
    double past[ARMIJO_MEMORY];
    int count;
} objective;

static double largest_past(const objective *f)
{
    double largest = f->value;
    int count = f->count < ARMIJO_MEMORY ? f->count : ARMIJO_MEMORY;
    for (int k = 0; k < count; k++)
        largest = fmax(largest, f->past[k]);
    return largest;
}

// step along d with slope g'd and curvature d'Wd that passes the nonmonotone Armijo test
static double armijo(objective *f, double slope, double energy)
{
    double bound = largest_past(f), t = 1.0;
    for (int k = 0; k < 40; k++) {
        if (f->value + t * slope + 0.5 * t * t * energy <= bound + 1e-4 * t * slope)
            break;
        double best = energy > 0.0 ? -slope / energy : 0.5 * t;
        t = fmin(fmax(best, 0.1 * t), 0.5 * t);
    }
    f->past[f->count++ % ARMIJO_MEMORY] = f->value;
    f->value += t * slope + 0.5 * t * t * energy;
    return t;
}

// Barzilai and Borwein's two step lengths in turn
static double spectral_length(const con_convex *convex, const double (*d)[3],
                              const double (*W_d)[3], double energy, bool first)
{
    int n = convex->search->op.contact_count;
    double squared = 0.0;
    for (int i = 0; i < n && !first; i++) {
        double g[3];
        con_convex_mask(convex->set, W_d[i], g);
        squared += g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    }
    double length = first ? con_dot(n, d, d) / energy : energy / squared;
    return energy > 0.0 && isfinite(length) ? fmin(fmax(length, 1e-13), 1e13) : 1.0;
}

bool con_convex_spectral(con_convex *convex, double tolerance, int max_iterations)
{
    int n = convex->search->op.contact_count;
    double(*d)[3] = convex->work[0], (*W_d)[3] = convex->work[1], (*next)[3] = convex->work[2];
    const double(*r)[3] = (const double(*)[3])convex->r, (*u)[3] = (const double(*)[3])convex->u;
    objective f = {0.0, {0.0}, 0};
    double length = 1.0;
    con_convex_velocity(convex, r, convex->u);
    for (int k = 1; k <= max_iterations; k++) {
        double error = con_convex_error(convex);
        if (!isfinite(error))
            return false;
        if (error <= tolerance || !con_search_count(convex->search))
            break;
        project_step(convex, r, u, length, next);
        difference(n, (const double(*)[3])next, r, d);
        con_operator_apply(&convex->search->op, (const double(*)[3])d, false, W_d);
        double slope = con_dot(n, u, (const double(*)[3])d);
        double energy = con_dot(n, (const double(*)[3])d, (const double(*)[3])W_d);
        double t = armijo(&f, slope, energy);
        add_scaled(n, convex->r, t, (const double(*)[3])d);
        add_scaled(n, convex->u, t, (const double(*)[3])W_d);
        length = spectral_length(convex, (const double(*)[3])d, (const double(*)[3])W_d, energy,
                                 k % 2 == 1);
        if (k % REFRESH == 0)
            con_convex_velocity(convex, r, convex->u);
    }
    con_convex_velocity(convex, r, convex->u);
    return true;
}
