// SPDX-License-Identifier: Apache-2.0
// Newton on the velocity equation F(R) + m(R - F(R)) = 0, theory.md (5.14)-(5.15).
#include "contact/local/scaled.h"

#include "base/assert.h"
#include "base/elementary.h"

#include <string.h>

static const base_setting settings_rows[] = {CON_ITERATIVE_ROWS(1000)};

// m(S) = S - P_K(S) and its derivative
static void distance_field(double mu, const double S[3], double m[3], double D[3][3])
{
    memset(D, 0, 9 * sizeof(double));
    double length = base_hypot(S[1], S[2]);
    if (S[0] >= 0.0 && length <= mu * S[0]) {
        m[0] = m[1] = m[2] = 0.0;
        return;
    }
    if (mu * length + S[0] < 0.0 || length == 0.0) {
        memcpy(m, S, 3 * sizeof(double));
        D[0][0] = D[1][1] = D[2][2] = 1.0;
        return;
    }
    double root = sqrt(1.0 + mu * mu);
    double n[3] = {-mu / root, S[1] / (length * root), S[2] / (length * root)};
    double t[3] = {0.0, S[1] / length, S[2] / length};
    double height = (length - mu * S[0]) / root;
    for (int i = 0; i < 3; i++) {
        m[i] = height * n[i];
        for (int j = 0; j < 3; j++) {
            double across = i > 0 && j > 0 ? (i == j ? 1.0 : 0.0) - t[i] * t[j] : 0.0;
            D[i][j] = n[i] * n[j] + height / (length * root) * across;
        }
    }
}

static bool direction(const con_scaled *s, const double R[3], double step[3])
{
    double u[3], dF[3][3];
    con_scaled_velocity(s, R, u);
    double slip = base_hypot(u[1], u[2]);
    double t[2] = {slip > 0.0 ? u[1] / slip : 0.0, slip > 0.0 ? u[2] / slip : 0.0};
    memcpy(dF, s->W, sizeof dF);
    for (int j = 0; j < 3; j++)
        dF[0][j] += s->mu * (t[0] * s->W[1][j] + t[1] * s->W[2][j]);
    double F[3] = {u[0] + s->mu * slip, u[1], u[2]};

    double weight = 1.0 / s->mean_rho, S[3], m[3], D[3][3], J[3][3], rhs[3];
    for (int k = 0; k < 3; k++)
        S[k] = weight * R[k] - F[k];
    distance_field(s->mu, S, m, D);
    for (int i = 0; i < 3; i++) {
        rhs[i] = -(F[i] + m[i]);
        for (int j = 0; j < 3; j++) {
            J[i][j] = dF[i][j] + weight * D[i][j];
            for (int k = 0; k < 3; k++)
                J[i][j] -= D[i][k] * dF[k][j];
        }
    }
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

const con_local con_local_velocity_newton = {
    .name = "velocity_newton",
    .help = "Newton on the shifted velocity and its distance from the cone's normals",
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_iterative_settings)},
    .solve = solve,
};
