// SPDX-License-Identifier: Apache-2.0
// The law as equations: Alart-Curnier, Jean-Moreau, natural map, Fischer-Burmeister.
#include "contact/solvers/newton/semismooth.h"

#include "contact/cones/cone.h"
#include "contact/cones/projection.h"

#include <math.h>
#include <string.h>

// rows 1, 2 of r_T - P_radius(r_T - rho u_T), with d radius = c_r dr_N + c_u du_N
static void tangential(double radius, double c_r, double c_u, double rho, const double u[3],
                       const double r[3], con_equation *out)
{
    double z[2] = {r[1] - rho * u[1], r[2] - rho * u[2]}, p[2], D[2][2];
    double length = sqrt(z[0] * z[0] + z[1] * z[1]);
    con_disc_project(z, radius, p);
    con_disc_derivative(z, radius, D);
    for (int i = 0; i < 2; i++) {
        double t = length > radius ? z[i] / length : 0.0;
        out->F[1 + i] = r[1 + i] - p[i];
        out->A[1 + i][0] = -c_r * t;
        out->B[1 + i][0] = -c_u * t;
        for (int j = 0; j < 2; j++) {
            out->A[1 + i][1 + j] = (i == j ? 1.0 : 0.0) - D[i][j];
            out->B[1 + i][1 + j] = rho * D[i][j];
        }
    }
}

// row 0: r_N - (r_N - rho u_N)+; whether the contact is closed
static bool normal(double rho, const double u[3], const double r[3], con_equation *out)
{
    double z = r[0] - rho * u[0];
    memset(out, 0, sizeof *out);
    out->F[0] = r[0] - fmax(z, 0.0);
    out->A[0][0] = z > 0.0 ? 0.0 : 1.0;
    out->B[0][0] = z > 0.0 ? rho : 0.0;
    return z > 0.0;
}

void con_equation_alart_curnier(double mu, const double rho[2], const double u[3],
                                const double r[3], con_equation *out)
{
    if (normal(rho[0], u, r, out))
        tangential(mu * (r[0] - rho[0] * u[0]), mu, -mu * rho[0], rho[1], u, r, out);
    else
        tangential(0.0, 0.0, 0.0, rho[1], u, r, out);
}

void con_equation_jean_moreau(double mu, const double rho[2], const double u[3], const double r[3],
                              con_equation *out)
{
    normal(rho[0], u, r, out);
    tangential(mu * fmax(r[0], 0.0), r[0] > 0.0 ? mu : 0.0, 0.0, rho[1], u, r, out);
}

void con_equation_natural_map(double mu, const double rho[2], const double u[3], const double r[3],
                              con_equation *out)
{
    double step = fmin(rho[0], rho[1]), slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    double g[2] = {slip > 0.0 ? mu * u[1] / slip : 0.0, slip > 0.0 ? mu * u[2] / slip : 0.0};
    double z[3] = {r[0] - step * (u[0] + mu * slip), r[1] - step * u[1], r[2] - step * u[2]};
    double p[3], D[3][3];
    con_cone_project(z, mu, p);
    con_set_derivative(CON_SET_CONE, mu, z, D);
    for (int i = 0; i < 3; i++) {
        out->F[i] = r[i] - p[i];
        for (int j = 0; j < 3; j++) {
            out->A[i][j] = (i == j ? 1.0 : 0.0) - D[i][j];
            out->B[i][j] = step * (D[i][j] + (j > 0 ? D[i][0] * g[j - 1] : 0.0));
        }
    }
}

// without friction: the normal part alone, r_T = 0
static void frictionless(const double u[3], const double r[3], con_equation *out)
{
    memset(out, 0, sizeof *out);

    // scalar phi = x + y - sqrt(x^2 + y^2)
    double x = u[0];
    double y = r[0];
    double root = sqrt(x * x + y * y);
    out->F[0] = x + y - root;
    out->B[0][0] = 1.0 - (root > 0.0 ? x / root : M_SQRT1_2);
    out->A[0][0] = 1.0 - (root > 0.0 ? y / root : M_SQRT1_2);

    for (int k = 1; k < 3; k++) {
        out->F[k] = r[k];
        out->A[k][k] = 1.0;
    }
}

static mat3 arrow(const double a[3])
{
    return (mat3){{{a[0], a[1], a[2]}, {a[1], a[0], 0.0}, {a[2], 0.0, a[0]}}};
}

// square root of x^2 + y^2 in the Jordan algebra of the second-order cone
static void root_of_squares(const double x[3], const double y[3], double v[3])
{
    double w0 = 0.0, w[2];
    for (int k = 0; k < 3; k++)
        w0 += x[k] * x[k] + y[k] * y[k];
    for (int k = 0; k < 2; k++)
        w[k] = 2.0 * (x[0] * x[1 + k] + y[0] * y[1 + k]);
    double length = sqrt(w[0] * w[0] + w[1] * w[1]);
    double low = sqrt(fmax(w0 - length, 0.0)), high = sqrt(w0 + length);
    v[0] = 0.5 * (low + high);
    for (int k = 0; k < 2; k++)
        v[1 + k] = length > 0.0 ? 0.5 * (high - low) * w[k] / length : 0.0;
}

void con_equation_fischer_burmeister(double mu, const double rho[2], const double u[3],
                                     const double r[3], con_equation *out)
{
    (void)rho;
    if (mu < 1e-6) {
        frictionless(u, r, out);
        return;
    }
    double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
    double g[2] = {slip > 0.0 ? mu * u[1] / slip : 0.0, slip > 0.0 ? mu * u[2] / slip : 0.0};
    double x[3] = {u[0] + mu * slip, mu * u[1], mu * u[2]}, y[3] = {mu * r[0], r[1], r[2]}, v[3];
    root_of_squares(x, y, v);
    double inside[3] = {v[0] + 1e-10 * (v[0] + 1e-6), v[1], v[2]};
    mat3 L = arrow(inside), inverse = mat3_inverse(&L), Lx = arrow(x), Ly = arrow(y);
    mat3 X = mat3_multiply(&inverse, &Lx), Y = mat3_multiply(&inverse, &Ly);
    for (int i = 0; i < 3; i++) {
        out->F[i] = x[i] + y[i] - v[i];
        double by_x[3], by_y[3];
        for (int j = 0; j < 3; j++) {
            by_x[j] = (i == j ? 1.0 : 0.0) - X.m[i][j];
            by_y[j] = (i == j ? 1.0 : 0.0) - Y.m[i][j];
        }
        out->A[i][0] = mu * by_y[0];
        out->B[i][0] = by_x[0];
        for (int j = 1; j < 3; j++) {
            out->A[i][j] = by_y[j];
            out->B[i][j] = mu * by_x[j] + by_x[0] * g[j - 1];
        }
    }
}
