// SPDX-License-Identifier: Apache-2.0
// Measure that judges the one-contact solvers.
#include "contact/cones/cone.h"
#include "contact/local/local.h"

double con_local_error(const con_local_problem *problem, const double R[3])
{
    double unit = problem->W.m[0][0], largest = 0.0;
    vec3 u = vec3_add(vec3_from(problem->b), mat3_apply(&problem->W, vec3_from(R)));
    double U[3], scaled[3], map[3];
    vec3_store(U, u);
    for (int k = 0; k < 3; k++) {
        scaled[k] = unit * R[k];
        largest = fmax(largest, fabs(problem->W.m[k][k]));
    }
    double error = sqrt(con_natural_map(scaled, U, problem->mu, map));
    double scale = fmax(largest * vec3_norm(vec3_from(R)), vec3_norm(vec3_from(problem->b)));
    return scale > 0.0 ? error / scale : error;
}
