// SPDX-License-Identifier: Apache-2.0
// Rolling and spinning moment of one contact: a disc and an interval.
#include "contact/local/moment.h"

#include "base/elementary.h"

#include <math.h>

enum { NEWTON_STEPS = 60 };

// lengths whose squares lose digits or vanish
static const double shortest = 1e-140;

void con_moment_prepare(const double W[3][3], con_moment_block *block)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block->W[i][j] = 0.5 * (W[i][j] + W[j][i]);
    double mean = 0.5 * (W[1][1] + W[2][2]), half = 0.5 * (W[1][1] - W[2][2]);
    double off = block->W[1][2], root = sqrt(half * half + off * off);
    block->value[0] = mean + root;
    block->value[1] = fmax(mean - root, 0.0);
    // of the larger eigenvalue, from the row that does not cancel
    double x = half >= 0.0 ? half + root : off, y = half >= 0.0 ? off : root - half;
    double length = sqrt(x * x + y * y);
    block->axis[0][0] = length > 0.0 ? x / length : 1.0;
    block->axis[0][1] = length > 0.0 ? y / length : 0.0;
    block->axis[1][0] = -block->axis[0][1];
    block->axis[1][1] = block->axis[0][0];
}

// m = -(value + shift)^-1 g; its length
static double point_at(const double value[2], const double g[2], double shift, double m[2])
{
    for (int k = 0; k < 2; k++)
        m[k] = g[k] == 0.0 ? 0.0 : -g[k] / (value[k] + shift);
    return sqrt(m[0] * m[0] + m[1] * m[1]);
}

// least of m.W m / 2 + b.m over |m| <= radius, in the eigenvectors
static void solve_disc(const double value[2], const double g[2], double radius, double m[2])
{
    double free = point_at(value, g, 0.0, m);
    if ((free > shortest ? free : base_hypot(m[0], m[1])) <= radius)
        return;
    // Newton's method on 1/radius - 1/|m(shift)|, which is nearly linear: from below it never
    // passes the root
    double shift = fmax(0.0, fmax(fabs(g[0]) / radius - value[0], fabs(g[1]) / radius - value[1]));
    double length = point_at(value, g, shift, m);
    for (int k = 0; k < NEWTON_STEPS && length > radius * (1.0 + 1e-15); k++) {
        double slope = 0.0;
        for (int j = 0; j < 2; j++)
            slope += m[j] * m[j] / (value[j] + shift);
        double step = (length - radius) / radius * length * length / slope;
        if (!(shift + step > shift))
            break;
        shift += step;
        length = point_at(value, g, shift, m);
    }
    if (!(length > shortest)) {
        // so short a moment only opposes g
        length = base_hypot(g[0], g[1]);
        for (int k = 0; k < 2; k++)
            m[k] = -g[k] / length;
        length = 1.0;
    }
    for (int k = 0; k < 2; k++)
        m[k] *= radius / length;
}

void con_moment_solve(const con_moment_block *block, const double b[3], double rolling,
                      double spinning, double m[3])
{
    const double(*W)[3] = block->W;
    double free = b[0] + W[0][1] * m[1] + W[0][2] * m[2];
    m[0] = spinning > 0.0 && W[0][0] > 0.0 ? fmax(-spinning, fmin(spinning, -free / W[0][0])) : 0.0;
    if (!(rolling > 0.0)) {
        m[1] = m[2] = 0.0;
        return;
    }
    double rest[2] = {b[1] + W[1][0] * m[0], b[2] + W[2][0] * m[0]}, g[2], solved[2];
    for (int k = 0; k < 2; k++)
        g[k] = block->axis[k][0] * rest[0] + block->axis[k][1] * rest[1];
    solve_disc(block->value, g, rolling, solved);
    for (int k = 0; k < 2; k++)
        m[1 + k] = block->axis[0][k] * solved[0] + block->axis[1][k] * solved[1];
}
