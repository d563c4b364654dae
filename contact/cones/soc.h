// SPDX-License-Identifier: Apache-2.0
// Algebra of the second-order cone |x_T| <= x_N in three dimensions, for interior-point methods.
#ifndef CAIRN_CONTACT_CONES_SOC_H
#define CAIRN_CONTACT_CONES_SOC_H

#include <math.h>

/// Nesterov-Todd scaling of a pair inside the cone: matrix y = inverse x = lambda, symmetric.
typedef struct con_soc_scaling {
    double matrix[3][3];
    double inverse[3][3];
    double lambda[3];
} con_soc_scaling;

static inline double con_soc_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// x_N^2 - |x_T|^2, kept positive
static inline double con_soc_determinant(const double x[3])
{
    double t = sqrt(x[1] * x[1] + x[2] * x[2]);
    return fmax((x[0] - t) * (x[0] + t), 1e-300);
}

/// Jordan product a o b
static inline void con_soc_product(const double a[3], const double b[3], double out[3])
{
    double first = con_soc_dot(a, b);
    double t1 = a[0] * b[1] + b[0] * a[1], t2 = a[0] * b[2] + b[0] * a[2];
    out[0] = first;
    out[1] = t1;
    out[2] = t2;
}

/// z with a o z = b, a inside the cone
static inline void con_soc_divide(const double a[3], const double b[3], double z[3])
{
    double first = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / con_soc_determinant(a);
    z[1] = (b[1] - first * a[1]) / a[0];
    z[2] = (b[2] - first * a[2]) / a[0];
    z[0] = first;
}

/// Largest step t <= limit with x + t d in the cone, x inside it.
static inline double con_soc_step(const double x[3], const double d[3], double limit)
{
    // smaller root of |x + t d|^2 = 0 in the form of the cone: c + 2 b t + a t^2
    double t = sqrt(d[1] * d[1] + d[2] * d[2]), a = (d[0] - t) * (d[0] + t);
    double b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2], c = con_soc_determinant(x);
    if (d[0] >= t)
        return limit;
    double under = b * b - a * c;
    if (under < 0.0)
        return limit;
    // both roots have the form c / (-b +- root); the least positive one counts
    double divisor = -b + sqrt(under);
    return divisor > 0.0 ? fmin(limit, c / divisor) : limit;
}

static inline void con_soc_apply(const double m[3][3], const double x[3], double out[3])
{
    double y[3] = {con_soc_dot(m[0], x), con_soc_dot(m[1], x), con_soc_dot(m[2], x)};
    out[0] = y[0];
    out[1] = y[1];
    out[2] = y[2];
}

// eta [w_N, v'; v, 1 + v v' / (1 + w_N)] with v = sign w_T
static inline void con_soc_boost(const double w[3], double sign, double eta, double out[3][3])
{
    double v[3] = {0.0, sign * w[1], sign * w[2]};
    out[0][0] = eta * w[0];
    for (int i = 1; i < 3; i++) {
        out[0][i] = out[i][0] = eta * v[i];
        for (int j = 1; j < 3; j++)
            out[i][j] = eta * ((i == j ? 1.0 : 0.0) + v[i] * v[j] / (1.0 + w[0]));
    }
}

static inline void con_soc_scale(const double x[3], const double y[3], con_soc_scaling *s)
{
    double size_x = sqrt(con_soc_determinant(x)), size_y = sqrt(con_soc_determinant(y));
    double g = sqrt(2.0 * (1.0 + con_soc_dot(x, y) / (size_x * size_y)));
    double w[3] = {(x[0] / size_x + y[0] / size_y) / g, (x[1] / size_x - y[1] / size_y) / g,
                   (x[2] / size_x - y[2] / size_y) / g};
    double eta = sqrt(size_x / size_y);
    con_soc_boost(w, 1.0, eta, s->matrix);
    con_soc_boost(w, -1.0, 1.0 / eta, s->inverse);
    con_soc_apply((const double(*)[3])s->matrix, y, s->lambda);
}

#endif
