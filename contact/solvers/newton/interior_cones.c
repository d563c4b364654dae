// SPDX-License-Identifier: Apache-2.0
// Algebra of the cone |x_T| <= x_0 for the interior point.
#include "contact/solvers/newton/interior_cones.h"

#include "base/elementary.h"

#include <math.h>
#include <string.h>

double con_interior_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void con_interior_apply(const double a[3][3], const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = con_interior_dot(a[i], x);
}

void con_interior_jordan(const double a[3], const double b[3], double out[3])
{
    out[0] = con_interior_dot(a, b);
    out[1] = a[0] * b[1] + b[0] * a[1];
    out[2] = a[0] * b[2] + b[0] * a[2];
}

double con_interior_tangent(const double a[3])
{
    return sqrt(a[1] * a[1] + a[2] * a[2]);
}

// (a_0 - |a_T|) (a_0 + |a_T|), not below zero
static double determinant(const double a[3])
{
    double t = con_interior_tangent(a);
    return fmax((a[0] - t) * (a[0] + t), 1e-300);
}

double con_interior_step_to_boundary(const double x[3], const double d[3])
{
    double t = con_interior_tangent(d);
    double a = (d[0] - t) * (d[0] + t), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    double c = determinant(x), under = b * b - a * c;
    if (d[0] >= t || under < 0.0)
        return INFINITY;
    double root = sqrt(under), sum = -(b + copysign(root, b));
    double first = a != 0.0 ? sum / a : INFINITY, second = sum != 0.0 ? c / sum : INFINITY;
    double step = INFINITY;
    if (first > 0.0)
        step = first;
    if (second > 0.0 && second < step)
        step = second;
    return step;
}

// eta [w_0, w_T'; w_T, I + w_T w_T' / (1 + w_0)], with the sign of w_T given
static void scaling_matrix(const double w[3], double sign, double eta, double out[3][3])
{
    double v[2] = {sign * w[1], sign * w[2]};
    out[0][0] = eta * w[0];
    for (int i = 0; i < 2; i++) {
        out[0][1 + i] = out[1 + i][0] = eta * v[i];
        for (int j = 0; j < 2; j++)
            out[1 + i][1 + j] = eta * ((i == j ? 1.0 : 0.0) + v[i] * v[j] / (1.0 + w[0]));
    }
}

void con_interior_scale(con_interior_part *c, const double x[3], const double y[3])
{
    double size_x = sqrt(determinant(x)), size_y = sqrt(determinant(y));
    double product = con_interior_dot(x, y) / (size_x * size_y);
    double g = 2.0 * sqrt(0.5 * (1.0 + product));
    double w[3] = {(x[0] / size_x + y[0] / size_y) / g, (x[1] / size_x - y[1] / size_y) / g,
                   (x[2] / size_x - y[2] / size_y) / g};
    double eta = sqrt(size_x / size_y);
    scaling_matrix(w, 1.0, eta, c->scale);
    scaling_matrix(w, -1.0, 1.0 / eta, c->inverse);
    con_interior_apply((const double(*)[3])c->scale, y, c->lambda);
}

void con_interior_divide(const double lambda[3], const double b[3], double z[3])
{
    double along = lambda[1] * b[1] + lambda[2] * b[2];
    z[0] = (lambda[0] * b[0] - along) / determinant(lambda);
    z[1] = (b[1] - z[0] * lambda[1]) / lambda[0];
    z[2] = (b[2] - z[0] * lambda[2]) / lambda[0];
}

double con_interior_transient(const con_interior *p)
{
    return p->mode == CON_INTERIOR_NEWTON ? 1.0 : p->delta / (1.0 + p->delta);
}

// the sum of twelve uniform numbers less six
double con_interior_scatter(base_rng *rng)
{
    double x = -6.0;
    for (int k = 0; k < 12; k++)
        x += base_rng_range(rng, 0.0, 1.0);
    return base_exp(x);
}
