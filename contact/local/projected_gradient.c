// SPDX-License-Identifier: Apache-2.0
// Projected gradient on one contact: half-line and disc in turn, theory.md (5.11).
#include "contact/local/scaled.h"

#include "base/assert.h"
#include "contact/cones/cone.h"

#include <string.h>

static const base_setting settings_rows[] = {CON_ITERATIVE_ROWS(10000)};

static con_local_result solve(const void *settings, const con_local_problem *problem, double R[3])
{
    const con_iterative_settings *set = settings;
    con_scaled s;
    double x[3], best[3];
    if (!con_scaled_begin(problem, R, &s, x))
        return con_scaled_open(problem, R);
    double rho = s.rho_T, best_error = con_scaled_error(&s, x), before = best_error;
    memcpy(best, x, sizeof best);
    int k = 0;
    for (; k < set->max_iterations && best_error > set->tolerance; k++) {
        // R_N = P(R_N - u_N), then R_T = P_disc(mu R_N)(R_T - rho u_T) at the new R_N
        double u[3];
        con_scaled_velocity(&s, x, u);
        x[0] = fmax(x[0] - u[0], 0.0);
        con_scaled_velocity(&s, x, u);
        double z[2] = {x[1] - rho * u[1], x[2] - rho * u[2]};
        con_disc_project(z, s.mu * x[0], x + 1);

        double error = con_scaled_error(&s, x);
        // steps that do harm become shorter
        rho *= error > before ? 0.9 : 1.0;
        before = error;
        if (error < best_error) {
            best_error = error;
            memcpy(best, x, sizeof best);
        }
    }
    return con_scaled_finish(&s, best, k, set->tolerance, R);
}

const con_local con_local_projected_gradient = {
    .name = "projected_gradient",
    .help = "projection on half-line and disc in turn; first order, for small friction",
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(con_iterative_settings)},
    .solve = solve,
};
