// SPDX-License-Identifier: Apache-2.0
// Projections on the Coulomb cone and its sections, and the natural map of one contact.
#include "contact/cones/cone.h"

#include <stdbool.h>
#include <string.h>

static double norm_squared(const double a[3])
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

void con_cone_project(const double z[3], double mu, double out[3])
{
    double normal = z[0], t1 = z[1], t2 = z[2];
    double tangent = sqrt(t1 * t1 + t2 * t2);
    if (normal >= 0.0 && tangent <= mu * normal) {
        out[0] = normal;
        out[1] = t1;
        out[2] = t2;
        return;
    }
    // in the polar cone: the apex is nearest
    if (mu * tangent <= -normal) {
        out[0] = out[1] = out[2] = 0.0;
        return;
    }
    // otherwise on the mantle
    double height = (normal + mu * tangent) / (1.0 + mu * mu);
    double scale = mu * height / tangent;
    out[0] = height;
    out[1] = tangent > 0.0 ? scale * t1 : 0.0;
    out[2] = tangent > 0.0 ? scale * t2 : 0.0;
}

void con_disc_project(const double z[2], double radius, double out[2])
{
    double length = sqrt(z[0] * z[0] + z[1] * z[1]);
    double scale = length > radius ? radius / length : 1.0;
    out[0] = scale * z[0];
    out[1] = scale * z[1];
}

// |z_T| - mu z_N of z = R - x: how far z is outside the cone, found from differences that keep
// their digits where R is much larger than x
static double excess_of(const double R[3], const double x[3], double mu, double z_tangent)
{
    double R_tangent = sqrt(R[1] * R[1] + R[2] * R[2]), sum = z_tangent + R_tangent;
    double growth = x[1] * (x[1] - 2.0 * R[1]) + x[2] * (x[2] - 2.0 * R[2]);
    return (R_tangent - mu * R[0]) + (sum > 0.0 ? growth / sum : 0.0) + mu * x[0];
}

// R - P_K(R - x) = x + P(R - x) with the projection P on the polar cone, whose size is that of x
static void map_of_large(const double R[3], const double x[3], double mu, double out[3])
{
    double z[2] = {R[1] - x[1], R[2] - x[2]}, length = sqrt(z[0] * z[0] + z[1] * z[1]);
    double excess = excess_of(R, x, mu, length) / (1.0 + mu * mu);
    bool outside = excess > 0.0 || R[0] - x[0] < 0.0;
    double along = outside && length > 0.0 ? excess / length : 0.0;
    out[0] = x[0] - (outside ? mu * excess : 0.0);
    out[1] = x[1] + along * z[0];
    out[2] = x[2] + along * z[1];
}

double con_natural_map(const double R[3], const double U[3], double mu, double out[3])
{
    // most contacts are open, or stick well inside the cone: no roots and quotients for them
    if (R[0] == 0.0 && R[1] == 0.0 && R[2] == 0.0 && U[0] >= 0.0) {
        out[0] = out[1] = out[2] = 0.0;
        return 0.0;
    }
    double x[3] = {U[0] + mu * sqrt(U[1] * U[1] + U[2] * U[2]), U[1], U[2]};
    double z[3] = {R[0] - x[0], R[1] - x[1], R[2] - x[2]}, projected[3];
    double bound = mu * z[0];
    if (z[0] > 0.0 && z[1] * z[1] + z[2] * z[2] < 0.999999 * bound * bound) {
        memcpy(out, x, sizeof x);
        return norm_squared(x);
    }
    con_cone_project(z, mu, projected);
    if (projected[0] > 0.0 && norm_squared(R) > norm_squared(x))
        map_of_large(R, x, mu, out);
    else
        for (int k = 0; k < 3; k++)
            out[k] = R[k] - projected[k];
    return norm_squared(out);
}
