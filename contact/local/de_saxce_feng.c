// SPDX-License-Identifier: Apache-2.0
// De Saxce and Feng's projection on the cone, with a step that adapts itself, theory.md (5.12).
#include "contact/local/scaled.h"

#include "base/assert.h"

#include <string.h>

static const base_setting settings_rows[] = {CON_ITERATIVE_ROWS(10000)};

static con_local_result solve(const void *settings, const con_local_problem *problem, double R[3])
{
    const con_iterative_settings *set = settings;
    con_scaled s;
    double x[3], best[3];
    if (!con_scaled_begin(problem, R, &s, x))
        return con_scaled_open(problem, R);
    double rho = s.mean_rho, best_error = con_scaled_error(&s, x);
    memcpy(best, x, sizeof best);
    int k = 0;
    for (; k < set->max_iterations && best_error > set->tolerance; k++) {
        con_scaled_fixed_point_step(&s, x, &rho);
        double error = con_scaled_error(&s, x);
        if (error < best_error) {
            best_error = error;
            memcpy(best, x, sizeof best);
        }
    }
    return con_scaled_finish(&s, best, k, set->tolerance, R);
}

const con_local con_local_de_saxce_feng = {
    .name = "de_saxce_feng",
    .help = "projection on the cone of the shifted velocity; first order, step adapts itself",
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_iterative_settings)},
    .solve = solve,
};
