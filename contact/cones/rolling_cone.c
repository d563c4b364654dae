// SPDX-License-Identifier: Apache-2.0
// Projection and natural map of the cone of a contact that resists rolling.
#include "contact/cones/rolling_cone.h"

#include <math.h>
#include <stdbool.h>

// lengths of the parts that r_N bounds
static void lengths_of(const double z[2][3], double out[3])
{
    out[0] = sqrt(z[0][1] * z[0][1] + z[0][2] * z[0][2]);
    out[1] = sqrt(z[1][1] * z[1][1] + z[1][2] * z[1][2]);
    out[2] = fabs(z[1][0]);
}

// the r_N that is nearest: least of (h - z_N)^2 + sum over parts of ([length - factor h]+)^2, h >=
// 0. Its derivative rises, and falls off by a part where h passes length / factor
static double nearest_height(double normal, const double length[3], const double factor[3])
{
    bool outside[3];
    double height = normal;
    for (int j = 0; j < 3; j++)
        outside[j] = length[j] > factor[j] * fmax(normal, 0.0);
    // parts leave one by one as the height grows: at most three times
    for (int round = 0; round < 4; round++) {
        double sum = normal, weight = 1.0;
        for (int j = 0; j < 3; j++)
            if (outside[j]) {
                sum += factor[j] * length[j];
                weight += factor[j] * factor[j];
            }
        height = sum / weight;
        bool same = true;
        for (int j = 0; j < 3; j++)
            if (outside[j] && length[j] <= factor[j] * height) {
                outside[j] = false;
                same = false;
            }
        if (same)
            break;
    }
    return fmax(height, 0.0);
}

static double clamp_factor(double length, double bound)
{
    return length > bound ? bound / length : 1.0;
}

void con_rolling_cone_project(const double z[2][3], const con_rolling_cone *cone, double out[2][3])
{
    double length[3], factor[3] = {cone->sliding, cone->rolling, cone->spinning};
    lengths_of(z, length);
    double height = nearest_height(z[0][0], length, factor);
    double force = clamp_factor(length[0], factor[0] * height);
    double moment = clamp_factor(length[1], factor[1] * height);
    double spin = clamp_factor(length[2], factor[2] * height);
    out[0][0] = height;
    for (int k = 1; k < 3; k++) {
        out[0][k] = force * z[0][k];
        out[1][k] = moment * z[1][k];
    }
    out[1][0] = spin * z[1][0];
}

void con_rolling_cone_shift(const double U[2][3], const con_rolling_cone *cone, double out[2][3])
{
    double length[3];
    lengths_of(U, length);
    double shift =
        cone->sliding * length[0] + cone->rolling * length[1] + cone->spinning * length[2];
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++)
            out[b][k] = U[b][k];
    out[0][0] += shift;
}

double con_rolling_cone_map(const double R[2][3], const double U[2][3],
                            const con_rolling_cone *cone, double out[2][3])
{
    double z[2][3], sum = 0.0;
    con_rolling_cone_shift(U, cone, z);
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++)
            z[b][k] = R[b][k] - z[b][k];
    con_rolling_cone_project((const double(*)[3])z, cone, out);
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3; k++) {
            out[b][k] = R[b][k] - out[b][k];
            sum += out[b][k] * out[b][k];
        }
    return sum;
}
