// SPDX-License-Identifier: Apache-2.0
// Projected gradient on one contact: half-line and disc in turn, theory.md (5.11).
#include "contact/local/scaled.h"

#include "base/assert.h"
#include "contact/cones/cone.h"

#include <string.h>

static const base_setting settings_rows[] = {CON_ITERATIVE_ROWS(10000)};

// R_N = P(R_N - u_N), then R_T = P_disc(mu R_N)(R_T - rho u_T) at the new R_N
static void step(const con_scaled *s, double rho, double R[3])
{
    double u[3];
    con_scaled_velocity(s, R, u);
    R[0] = fmax(R[0] - u[0], 0.0);
    con_scaled_velocity(s, R, u);
    double z[2] = {R[1] - rho * u[1], R[2] - rho * u[2]};
    con_disc_project(z, s->mu * R[0], R + 1);
}

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
        step(&s, rho, x);
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
