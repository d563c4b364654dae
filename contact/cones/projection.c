// SPDX-License-Identifier: Apache-2.0
// Projections on the convex sets of friction solvers, with their derivatives.
#include "contact/cones/projection.h"

#include "contact/cones/cone.h"

#include <stdbool.h>
#include <string.h>

void con_set_project(con_set set, double size, const double z[3], double out[3])
{
    if (set == CON_SET_CONE) {
        con_cone_project(z, size, out);
        return;
    }
    double moved[3] = {z[0], z[1], z[2]};
    if (set != CON_SET_DISC)
        moved[0] = fmax(z[0], 0.0);
    if (set != CON_SET_NORMAL)
        con_disc_project(z + 1, size, moved + 1);
    memcpy(out, moved, sizeof moved);
}

void con_disc_derivative(const double z[2], double radius, double D[2][2])
{
    double length = sqrt(z[0] * z[0] + z[1] * z[1]);
    bool inside = length <= radius;
    double scale = inside ? 1.0 : radius / length;
    double t[2] = {inside ? 0.0 : z[0] / length, inside ? 0.0 : z[1] / length};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            D[i][j] = scale * ((i == j ? 1.0 : 0.0) - t[i] * t[j]);
}

// solvers.md (S.3)
static void cone_derivative(double mu, const double z[3], double D[3][3])
{
    double length = sqrt(z[1] * z[1] + z[2] * z[2]);
    memset(D, 0, 9 * sizeof(double));
    if (z[0] >= 0.0 && length <= mu * z[0]) {
        D[0][0] = D[1][1] = D[2][2] = 1.0;
        return;
    }
    if (mu * length <= -z[0])
        return;
    double square = 1.0 + mu * mu, height = (z[0] + mu * length) / square;
    double t[2] = {length > 0.0 ? z[1] / length : 0.0, length > 0.0 ? z[2] / length : 0.0};
    double around = length > 0.0 ? mu * height / length : 0.0;
    double v[3] = {1.0, mu * t[0], mu * t[1]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[i][j] = v[i] * v[j] / square;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            D[1 + i][1 + j] += around * ((i == j ? 1.0 : 0.0) - t[i] * t[j]);
}

void con_set_derivative(con_set set, double size, const double z[3], double D[3][3])
{
    if (set == CON_SET_CONE) {
        cone_derivative(size, z, D);
        return;
    }
    memset(D, 0, 9 * sizeof(double));
    D[0][0] = set == CON_SET_DISC || z[0] > 0.0 ? 1.0 : 0.0;
    double T[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
    if (set != CON_SET_NORMAL)
        con_disc_derivative(z + 1, size, T);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            D[1 + i][1 + j] = T[i][j];
}
