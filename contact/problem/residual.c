// SPDX-License-Identifier: Apache-2.0
// The residual of theory.md (4.12) of given impulses and velocities.
#include "contact/problem/residual.h"

#include "contact/cones/cone.h"

#include <float.h>

typedef struct residual_sums {
    double natural_map, scaled_map, q, R, U; // squared norms
    double worst;                            // largest squared natural map of a contact
    int worst_contact;
} residual_sums;

static double norm_squared(const double a[3])
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

double con_scaled_map(double w, const double R[3], const double U[3], double mu)
{
    double z[3], map[3];
    for (int k = 0; k < 3; k++)
        z[k] = w * R[k];
    return con_natural_map(z, U, mu, map);
}

typedef struct residual_context {
    const con_problem *problem;
    const double (*R)[3], (*U)[3];
    residual_sums *part; // of each chunk
} residual_context;

static void add_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const residual_context *context = argument;
    const con_problem *problem = context->problem;
    const double(*R)[3] = context->R, (*U)[3] = context->U;
    residual_sums sums = {.worst = -1.0, .worst_contact = -1};
    for (int i = begin; i < end; i++) {
        double map[3];
        double squared = con_natural_map(R[i], U[i], problem->friction[i], map);
        sums.natural_map += squared;
        sums.scaled_map += con_scaled_map(mat3_trace(&problem->W_diagonal[i]) / 3.0, R[i], U[i],
                                          problem->friction[i]);
        sums.q += norm_squared(problem->q[i]);
        sums.R += norm_squared(R[i]);
        sums.U += norm_squared(U[i]);
        if (squared > sums.worst) {
            sums.worst = squared;
            sums.worst_contact = i;
        }
    }
    context->part[chunk] = sums;
}

static residual_sums add_contacts(const con_problem *problem, const double (*R)[3],
                                  const double (*U)[3])
{
    residual_sums part[CON_CHUNKS_MAX], total = {.worst = -1.0, .worst_contact = -1};
    residual_context context = {problem, R, U, part};
    int n = problem->contact_count;
    con_domains_chunks(problem->domains, n, add_chunk, &context);
    for (int k = 0; k < base_chunk_count(n, con_chunk_size(n)); k++) {
        total.natural_map += part[k].natural_map;
        total.scaled_map += part[k].scaled_map;
        total.q += part[k].q;
        total.R += part[k].R;
        total.U += part[k].U;
        if (part[k].worst > total.worst) {
            total.worst = part[k].worst;
            total.worst_contact = part[k].worst_contact;
        }
    }
    return total;
}

static double divide_unless_tiny(double value, double scale)
{
    return scale > DBL_EPSILON ? value / scale : value;
}

cairn_status con_residual_of(const con_problem *problem, const double (*R)[3], const double (*U)[3],
                             con_residual *residual)
{
    *residual = (con_residual){.worst_contact = -1};
    residual_sums sums = add_contacts(problem, R, U);
    if (!isfinite(sums.natural_map + sums.q + sums.R + sums.U)) {
        residual->error = residual->error_q = residual->error_scaled = NAN;
        residual->natural_map = NAN;
        return CAIRN_ERROR_NONFINITE;
    }
    double q = sqrt(sums.q);
    double scale = fmax(q, fmax(sqrt(sums.R), sqrt(sums.U)));
    residual->natural_map = sqrt(sums.natural_map);
    residual->error = divide_unless_tiny(residual->natural_map, scale);
    residual->error_q = divide_unless_tiny(residual->natural_map, q);
    residual->error_scaled = divide_unless_tiny(sqrt(sums.scaled_map), q);
    residual->worst_contact = sums.worst_contact;
    return CAIRN_OK;
}
