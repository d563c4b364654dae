// SPDX-License-Identifier: Apache-2.0
// Convex programs contact after contact.
#include "contact/literature/convex_engines.h"

#include "contact/local/scaled.h"

#include <math.h>

enum { LOCAL_STEPS = 60 };

/// One contact's program.
typedef struct local_program {
    con_set set;
    double size;
    const mat3 *D;
    const double *b;
    double rho;
} local_program;

// p = P(r - rho (D r + b)), F = r - p; |F|^2
static double local_map(const local_program *l, const double r[3], double z[3], double p[3],
                        double F[3])
{
    double u[3], g[3], sum = 0.0;
    vec3_store(u, vec3_add(mat3_apply(l->D, vec3_from(r)), vec3_from(l->b)));
    con_convex_mask(l->set, u, g);
    for (int k = 0; k < 3; k++)
        z[k] = r[k] - l->rho * g[k];
    con_set_project(l->set, l->size, z, p);
    for (int k = 0; k < 3; k++) {
        F[k] = r[k] - p[k];
        sum += F[k] * F[k];
    }
    return sum;
}

// Newton's step on F: I - P' (I - rho D)
static bool local_step(const local_program *l, const double z[3], const double F[3], double step[3])
{
    double P[3][3], J[3][3];
    con_set_derivative(l->set, l->size, z, P);
    for (int j = 0; j < 3; j++) {
        double column[3] = {l->D->m[0][j], l->D->m[1][j], l->D->m[2][j]}, masked[3];
        con_convex_mask(l->set, column, masked);
        for (int k = 0; k < 3; k++)
            masked[k] = (k == j ? 1.0 : 0.0) - l->rho * masked[k];
        for (int i = 0; i < 3; i++)
            J[i][j] = (i == j ? 1.0 : 0.0) - P[i][0] * masked[0] - P[i][1] * masked[1] -
                      P[i][2] * masked[2];
    }
    // frozen components have a zero row and column
    for (int k = 0; k < 3; k++)
        if ((l->set == CON_SET_NORMAL && k > 0) || (l->set == CON_SET_DISC && k == 0))
            J[k][k] = 1.0;
    double minus[3] = {-F[0], -F[1], -F[2]};
    return con_scaled_solve3(J, minus, step);
}

void con_convex_local(con_set set, double size, const mat3 *D, const double b[3], double r[3])
{
    double norm = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            norm += D->m[i][j] * D->m[i][j];
    if (!(norm > 0.0))
        return;
    local_program l = {set, size, D, b, 1.0 / sqrt(norm)};
    double z[3], p[3], F[3], step[3];
    double squared = local_map(&l, r, z, p, F);
    double floor =
        b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int k = 0; k < LOCAL_STEPS && squared > 1e-30 * floor; k++) {
        double next[3], next_z[3], next_p[3], next_F[3], next_squared = INFINITY;
        if (local_step(&l, z, F, step)) {
            for (int d = 0; d < 3; d++)
                next[d] = r[d] + step[d];
            next_squared = local_map(&l, next, next_z, next_p, next_F);
        }
        if (!(next_squared < 0.25 * squared)) {
            memcpy(next, p, sizeof next);
            next_squared = local_map(&l, next, next_z, next_p, next_F);
        }
        memcpy(r, next, sizeof next);
        memcpy(z, next_z, sizeof next_z);
        memcpy(p, next_p, sizeof next_p);
        memcpy(F, next_F, sizeof next_F);
        squared = next_squared;
    }
    con_set_project(set, size, r, r);
}

// |dr|^2 and |r|^2 of one sweep
static void sweep(con_convex *convex, double *change, double *total)
{
    con_operator *op = &convex->search->op;
    *change = *total = 0.0;
    con_operator_gather(op, (const double(*)[3])convex->r);
    for (int i = 0; i < op->contact_count; i++) {
        if (op->unit[i] == 0.0)
            continue;
        double *r = convex->r[i], before[3] = {r[0], r[1], r[2]}, b[3], change_i[3];
        con_operator_row(op, i, (const double(*)[3])convex->r, b);
        vec3 own = mat3_apply(&op->diagonal[i], vec3_from(r));
        b[0] += op->q[i][0] + convex->shift[i] - own.x;
        b[1] += op->q[i][1] - own.y;
        b[2] += op->q[i][2] - own.z;
        con_convex_local(convex->set, convex->size[i], &op->diagonal[i], b, r);
        for (int k = 0; k < 3; k++) {
            change_i[k] = r[k] - before[k];
            *change += change_i[k] * change_i[k];
            *total += r[k] * r[k];
        }
        con_operator_change(op, i, change_i);
    }
}

bool con_convex_sweeps(con_convex *convex, double tolerance, int max_iterations)
{
    con_convex_velocity(convex, (const double(*)[3])convex->r, convex->u);
    if (con_convex_error(convex) <= tolerance)
        return true;
    for (int k = 1; k <= max_iterations; k++) {
        double change, total;
        bool go_on = con_search_count(convex->search);
        if (go_on)
            sweep(convex, &change, &total);
        bool quiet = go_on && change <= tolerance * tolerance * total;
        if (go_on && !quiet && k % 10 != 0 && k != max_iterations)
            continue;
        con_convex_velocity(convex, (const double(*)[3])convex->r, convex->u);
        double error = con_convex_error(convex);
        if (!isfinite(error))
            return false;
        if (!go_on || error <= tolerance || (quiet && change <= 1e-30 * total))
            return true;
    }
    return true;
}
