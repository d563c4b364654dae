// SPDX-License-Identifier: Apache-2.0
// Projections on the Coulomb cone and its sections, and the natural map of one contact.
#include "contact/cones/cone.h"

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

double con_natural_map(const double R[3], const double U[3], double mu, double out[3])
{
    double slip = sqrt(U[1] * U[1] + U[2] * U[2]);
    double z[3] = {R[0] - (U[0] + mu * slip), R[1] - U[1], R[2] - U[2]};
    double projected[3];
    con_cone_project(z, mu, projected);
    double squared = 0.0;
    for (int k = 0; k < 3; k++) {
        out[k] = R[k] - projected[k];
        squared += out[k] * out[k];
    }
    return squared;
}
