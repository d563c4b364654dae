// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton on the force equation of Hueber, Stadler and Wohlmuth, theory.md (5.13).
#include "contact/local/scaled.h"

#include "base/assert.h"
#include "base/elementary.h"

static const base_setting settings_rows[] = {CON_ITERATIVE_ROWS(1000)};

// rows of d_N (u_T + W_T x) + u_T dd_N = 0, with dd_N = x_N - W_N x
static void stick_rows(const con_scaled *s, double d_N, const double u[3], double J[3][3],
                       double rhs[3])
{
    for (int row = 1; row < 3; row++) {
        for (int j = 0; j < 3; j++)
            J[row][j] = d_N * s->W[row][j] + u[row] * ((j == 0 ? 1.0 : 0.0) - s->W[0][j]);
        rhs[row] = -d_N * u[row];
    }
}

// rows of |d_T| R_T - mu d_N d_T = 0; in the derivative R_T is cut to the disc of mu d_N
static void slip_rows(const con_scaled *s, double d_N, const double d_T[2], double length,
                      const double R[3], double J[3][3], double rhs[3])
{
    double reach = base_hypot(R[1], R[2]), bound = s->mu * d_N;
    double cut = reach > bound ? bound / reach : 1.0;
    double t[2] = {d_T[0] / length, d_T[1] / length};
    double dd[2][3];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            dd[i][j] = (j == i + 1 ? 1.0 : 0.0) - s->rho_T * s->W[i + 1][j];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            double dd_N = (j == 0 ? 1.0 : 0.0) - s->W[0][j];
            J[i + 1][j] = (j == i + 1 ? length : 0.0) +
                          cut * R[i + 1] * (t[0] * dd[0][j] + t[1] * dd[1][j]) -
                          s->mu * d_T[i] * dd_N - bound * dd[i][j];
        }
        rhs[i + 1] = -(length * R[i + 1] - bound * d_T[i]);
    }
}

static bool direction(const con_scaled *s, const double R[3], double step[3])
{
    double u[3];
    con_scaled_velocity(s, R, u);
    double d_N = R[0] - u[0];
    double d_T[2] = {R[1] - s->rho_T * u[1], R[2] - s->rho_T * u[2]};
    if (d_N <= 0.0) {
        for (int k = 0; k < 3; k++)
            step[k] = -R[k];
        return true;
    }
    double J[3][3], rhs[3] = {-u[0]};
    for (int j = 0; j < 3; j++)
        J[0][j] = s->W[0][j];
    double length = base_hypot(d_T[0], d_T[1]);
    if (length <= s->mu * d_N)
        stick_rows(s, d_N, u, J, rhs);
    else
        slip_rows(s, d_N, d_T, length, R, J, rhs);
    return con_scaled_solve3(J, rhs, step);
}

static con_local_result solve(const void *settings, const con_local_problem *problem, double R[3])
{
    const con_iterative_settings *set = settings;
    con_scaled s;
    double x[3];
    if (!con_scaled_begin(problem, R, &s, x))
        return con_scaled_open(problem, R);
    int iterations = con_scaled_newton(&s, direction, set->max_iterations, set->tolerance, x);
    return con_scaled_finish(&s, x, iterations, set->tolerance, R);
}

const con_local con_local_nonsmooth_newton = {
    .name = "nonsmooth_newton",
    .help = "semismooth Newton on the force equation of Hueber, Stadler and Wohlmuth",
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_iterative_settings)},
    .solve = solve,
};
