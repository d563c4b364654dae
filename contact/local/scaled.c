// SPDX-License-Identifier: Apache-2.0
// Scaling, projected steps and the Newton loop of the iterative one-contact solvers.
#include "contact/local/scaled.h"

#include "base/elementary.h"

#include "contact/cones/cone.h"

#include <float.h>
#include <string.h>

enum { HALVINGS_MAX = 8, DESCENT_STEPS = 50, LEAP_STEPS = 12, BRIDGE_STEPS = 10 };

static double norm3(const double a[3])
{
    return vec3_norm(vec3_from(a));
}

// largest eigenvalue of a symmetric 2x2 matrix
static double largest_eigenvalue(double a, double b, double d)
{
    return 0.5 * (a + d) + base_hypot(0.5 * (a - d), b);
}

bool con_scaled_begin(const con_local_problem *problem, const double R[3], con_scaled *s,
                      double scaled[3])
{
    double unit = problem->W.m[0][0];
    if (problem->b[0] >= 0.0 || !(unit > 0.0))
        return false;
    *s = (con_scaled){.mu = problem->mu, .unit = unit, .size = norm3(problem->b)};
    memcpy(s->b, problem->b, sizeof s->b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s->W[i][j] = problem->W.m[i][j] / unit;
    double tangent = largest_eigenvalue(s->W[1][1], 0.5 * (s->W[1][2] + s->W[2][1]), s->W[2][2]);
    s->rho_T = tangent > 0.0 ? 1.0 / tangent : 1.0;
    s->mean_rho = 3.0 / (1.0 + fmax(s->W[1][1] + s->W[2][2], 0.0));
    for (int k = 0; k < 3; k++)
        scaled[k] = unit * R[k];
    con_cone_project(scaled, s->mu, scaled);
    return true;
}

con_local_result con_scaled_finish(const con_scaled *s, const double scaled[3], int iterations,
                                   double tolerance, double R[3])
{
    bool converged = con_scaled_error(s, scaled) <= tolerance;
    for (int k = 0; k < 3; k++)
        R[k] = scaled[k] / s->unit;
    return (con_local_result){.iterations = iterations, .converged = converged};
}

con_local_result con_scaled_open(const con_local_problem *problem, double R[3])
{
    R[0] = R[1] = R[2] = 0.0;
    return (con_local_result){.iterations = 0, .converged = problem->b[0] >= 0.0};
}

void con_scaled_velocity(const con_scaled *s, const double R[3], double u[3])
{
    for (int k = 0; k < 3; k++)
        u[k] = s->b[k] + s->W[k][0] * R[0] + s->W[k][1] * R[1] + s->W[k][2] * R[2];
}

double con_scaled_error(const con_scaled *s, const double R[3])
{
    double u[3], map[3];
    con_scaled_velocity(s, R, u);
    double error = sqrt(con_natural_map(R, u, s->mu, map));
    return error / fmax(s->largest * norm3(R), s->size);
}

// F = (u_N + mu |u_T|, u_T)
static void shifted_velocity(const con_scaled *s, const double R[3], double F[3])
{
    con_scaled_velocity(s, R, F);
    F[0] += s->mu * sqrt(F[1] * F[1] + F[2] * F[2]);
}

void con_scaled_fixed_point_step(const con_scaled *s, double R[3], double *rho)
{
    const double contraction = 0.9, timid = 0.3, factor = 2.0 / 3.0;
    double F[3], next[3], F_next[3], ratio = 0.0;
    shifted_velocity(s, R, F);
    for (int k = 0; k < 100; k++) {
        double z[3] = {R[0] - *rho * F[0], R[1] - *rho * F[1], R[2] - *rho * F[2]};
        con_cone_project(z, s->mu, next);
        shifted_velocity(s, next, F_next);
        double moved[3] = {next[0] - R[0], next[1] - R[1], next[2] - R[2]};
        double turned[3] = {F_next[0] - F[0], F_next[1] - F[1], F_next[2] - F[2]};
        double distance = norm3(moved);
        ratio = distance > 0.0 ? *rho * norm3(turned) / distance : 0.0;
        if (ratio <= contraction)
            break;
        *rho *= factor;
    }
    memcpy(R, next, sizeof next);
    if (ratio < timid)
        *rho = fmin(*rho / factor, 1e6);
}

// the best point seen so far
typedef struct best_point {
    double R[3];
    double error;
} best_point;

static void keep_best(best_point *best, const double R[3], double error)
{
    if (error < best->error) {
        best->error = error;
        memcpy(best->R, R, sizeof best->R);
    }
}

static double move(const con_scaled *s, const double R[3], double length, const double step[3],
                   double moved[3])
{
    for (int k = 0; k < 3; k++)
        moved[k] = R[k] + length * step[k];
    con_cone_project(moved, s->mu, moved);
    return con_scaled_error(s, moved);
}

// steps that each reduce the error, shortened until they do; ends where none does
static int descend(const con_scaled *s, con_scaled_direction *direction, double tolerance,
                   const double start[3], best_point *best)
{
    double R[3] = {start[0], start[1], start[2]}, error = con_scaled_error(s, R);
    keep_best(best, R, error);
    int k = 0;
    for (bool paid = true; paid && error > tolerance && k < DESCENT_STEPS; k++) {
        double step[3];
        paid = false;
        if (!direction(s, R, step))
            break;
        double length = 1.0;
        for (int j = 0; j < HALVINGS_MAX && !paid; j++, length *= 0.5) {
            double trial[3], next = move(s, R, length, step, trial);
            paid = next < (1.0 - 0.1 * length) * error;
            if (paid) {
                error = next;
                memcpy(R, trial, sizeof trial);
            }
        }
    }
    keep_best(best, R, error);
    return k;
}

// full steps, whatever they do to the error: these cross between active sets
static int leap(const con_scaled *s, con_scaled_direction *direction, double tolerance,
                const double start[3], best_point *best)
{
    double R[3] = {start[0], start[1], start[2]};
    int k = 0;
    while (k < LEAP_STEPS && best->error > tolerance) {
        double step[3];
        k++;
        if (!direction(s, R, step))
            break;
        keep_best(best, R, move(s, R, 1.0, step, R));
    }
    return k;
}

int con_scaled_newton(const con_scaled *s, con_scaled_direction *direction, int max_iterations,
                      double tolerance, double R[3])
{
    // the walker goes its safe way; Newton starts again from farther along it each time
    double walker[3] = {R[0], R[1], R[2]}, rho = s->mean_rho;
    best_point best = {.error = INFINITY};
    int k = descend(s, direction, tolerance, walker, &best);
    for (int row = BRIDGE_STEPS; k < max_iterations && best.error > tolerance; row *= 2) {
        k += leap(s, direction, tolerance, walker, &best);
        for (int j = 0; j < row && best.error > tolerance && k < max_iterations; j++, k++)
            con_scaled_fixed_point_step(s, walker, &rho);
        if (best.error > tolerance)
            k += descend(s, direction, tolerance, walker, &best);
    }
    memcpy(R, best.R, sizeof best.R);
    return k;
}

bool con_scaled_solve3(double a[3][3], const double rhs[3], double x[3])
{
    double y[3] = {rhs[0], rhs[1], rhs[2]};
    for (int k = 0; k < 3; k++) {
        int pivot = k;
        for (int i = k + 1; i < 3; i++)
            if (fabs(a[i][k]) > fabs(a[pivot][k]))
                pivot = i;
        if (!(fabs(a[pivot][k]) > DBL_MIN))
            return false;
        for (int j = 0; j < 3; j++) {
            double swap = a[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        double swap = y[k];
        y[k] = y[pivot];
        y[pivot] = swap;
        for (int i = k + 1; i < 3; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < 3; j++)
                a[i][j] -= factor * a[k][j];
            y[i] -= factor * y[k];
        }
    }
    for (int i = 2; i >= 0; i--) {
        double sum = y[i];
        for (int j = i + 1; j < 3; j++)
            sum -= a[i][j] * x[j];
        x[i] = sum / a[i][i];
    }
    return vec3_is_finite(vec3_from(x));
}
