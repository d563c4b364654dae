// SPDX-License-Identifier: Apache-2.0
// Exact one-contact solver: take-off, stick, or slip from the secular equation (theory.md 5.1-5.7).
#include "contact/local/local.h"
#include "contact/local/secular_equation.h"

static con_local_result solve(const void *settings, const con_local_problem *problem, double R[3])
{
    (void)settings;
    con_secular block;
    if (!con_secular_prepare(&problem->W, problem->mu, &block)) {
        R[0] = R[1] = R[2] = 0.0;
        return (con_local_result){.iterations = 0, .converged = problem->b[0] >= 0.0};
    }
    int count = 0;
    con_secular_solve(&block, problem->b, R, &count);
    return (con_local_result){.iterations = count,
                              .converged = con_local_error(problem, R) <= 1e-12};
}

const con_local con_local_secular = {
    .name = "secular",
    .help = "exact: take-off, stick, or slip by a scalar equation in the slip multiplier",
    .table = {.settings = NULL, .count = 0, .size = 0},
    .solve = solve,
};
