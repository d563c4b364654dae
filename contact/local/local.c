// SPDX-License-Identifier: Apache-2.0
// Table of the one-contact solvers, and the measure that judges them.
#include "contact/local/local.h"

#include "base/assert.h"
#include "contact/cones/cone.h"

#include <string.h>

// clang-format off
#define LOCAL_LIST(X)                                                                              \
    X(secular)                                                                                     \
    X(nonsmooth_newton)                                                                            \
    X(velocity_newton)                                                                             \
    X(projected_gradient)                                                                          \
    X(de_saxce_feng)
// clang-format on

#define LOCAL_DECLARE(name) extern const con_local con_local_##name;
LOCAL_LIST(LOCAL_DECLARE)

#define LOCAL_ENTRY(name) &con_local_##name,
static const con_local *const locals[] = {LOCAL_LIST(LOCAL_ENTRY)};

const con_local *const *con_local_list(int *count)
{
    *count = BASE_COUNT(locals);
    return locals;
}

const con_local *con_local_find(const char *name)
{
    for (int i = 0; i < BASE_COUNT(locals); i++)
        if (strcmp(locals[i]->name, name) == 0)
            return locals[i];
    return NULL;
}

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
