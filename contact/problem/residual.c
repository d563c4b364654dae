// SPDX-License-Identifier: Apache-2.0
// The residuals of theory.md (4.10)-(4.13) and (4.18) of given impulses and velocities.
#include "contact/problem/residual.h"

#include "contact/cones/cone.h"

#include <float.h>

static double norm_squared(const double a[3])
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

con_residual_sums con_residual_sums_of(const con_residual_scale *scale, double w, const double R[3],
                                       const double U[3], double mu, bool raw)
{
    con_residual_sums sums = {0};
    double map[3];
    if (w > scale->rigid) {
        // the map of w R and U is sqrt(w) times that of sqrt(w) R and U / sqrt(w)
        const double r[3] = {w * R[0], w * R[1], w * R[2]};
        sums.velocity = con_natural_map(r, U, mu, map);
        sums.energy = sums.velocity / w;
        sums.impulse = w * norm_squared(R);
    } else {
        sums.rigid = sums.velocity = con_natural_map(R, U, mu, map);
    }
    if (raw) {
        sums.natural = con_natural_map(R, U, mu, map);
        sums.R = norm_squared(R);
        sums.U = norm_squared(U);
    }
    return sums;
}

con_residual_sums con_residual_sums_of_group(const con_residual_scale *scale, const double w[2],
                                             const double (*R)[3], const double (*U)[3],
                                             const con_rolling_cone *cone, bool raw)
{
    con_residual_sums sums = {0};
    double map[2][3], r[2][3], u[2][3];
    if (w[0] > scale->rigid && w[1] > 0.0) {
        double ratio = sqrt(w[1] / w[0]);
        const con_rolling_cone scaled = {cone->sliding, cone->rolling * ratio,
                                         cone->spinning * ratio};
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < 3; k++) {
                r[b][k] = sqrt(w[b]) * R[b][k];
                u[b][k] = U[b][k] / sqrt(w[b]);
            }
        sums.energy =
            con_rolling_cone_map((const double(*)[3])r, (const double(*)[3])u, &scaled, map);
        sums.velocity = w[0] * norm_squared(map[0]) + w[1] * norm_squared(map[1]);
        sums.impulse = norm_squared(r[0]) + norm_squared(r[1]);
    } else {
        sums = con_residual_sums_of(scale, w[0], R[0], U[0], cone->sliding, false);
        // a moment that turns nothing is zero
        sums.energy += norm_squared(R[1]);
    }
    if (raw) {
        sums.natural = con_rolling_cone_map(R, U, cone, map);
        sums.R = norm_squared(R[0]) + norm_squared(R[1]);
        sums.U = norm_squared(U[0]) + norm_squared(U[1]);
    }
    return sums;
}

con_residual_sums con_residual_sums_at(const con_problem *problem, const con_residual_scale *scale,
                                       const double (*R)[3], const double (*U)[3], int i, bool raw)
{
    double w = mat3_trace(&problem->W_diagonal[i]) / 3.0;
    if (con_is_moment(problem, i))
        return (con_residual_sums){0};
    if (!con_has_moment(problem, i))
        return con_residual_sums_of(scale, w, R[i], U[i], problem->friction[i], raw);
    const double both[2] = {w, mat3_trace(&problem->W_diagonal[i + 1]) / 3.0};
    const con_rolling_cone cone = {problem->friction[i], problem->friction[i + 1],
                                   problem->spinning[i + 1]};
    return con_residual_sums_of_group(scale, both, R + i, U + i, &cone, raw);
}

void con_residual_sums_add(con_residual_sums *sums, const con_residual_sums *more)
{
    sums->energy += more->energy;
    sums->velocity += more->velocity;
    sums->rigid += more->rigid;
    sums->impulse += more->impulse;
    sums->natural += more->natural;
    sums->R += more->R;
    sums->U += more->U;
}

typedef struct scale_context {
    const con_problem *problem;
    con_residual_scale *part; // of each chunk
    double *rigid;            // of each chunk, then of all in the first one
} scale_context;

static void find_rigid(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const scale_context *context = argument;
    double rigid = 0.0;
    for (int i = begin; i < end; i++)
        rigid = fmax(rigid, 1e-14 * mat3_trace(&context->problem->W_diagonal[i]) / 3.0);
    context->rigid[chunk] = rigid;
}

static void add_largest(void *sum, const void *part)
{
    double *largest = sum;
    *largest = fmax(*largest, *(const double *)part);
}

static void add_scale(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const scale_context *context = argument;
    const con_problem *problem = context->problem;
    con_residual_scale part = {0};
    for (int i = begin; i < end; i++) {
        double w = mat3_trace(&problem->W_diagonal[i]) / 3.0, q = norm_squared(problem->q[i]);
        part.velocity += q;
        part.energy += w > context->rigid[0] && con_can_bear(problem, i) ? q / w : 0.0;
    }
    context->part[chunk] = part;
}

static void add_scales(void *sum, const void *part)
{
    con_residual_scale *scale = sum;
    const con_residual_scale *more = part;
    scale->velocity += more->velocity;
    scale->energy += more->energy;
}

con_residual_scale con_residual_scale_of(const con_problem *problem)
{
    con_residual_scale part[CON_CHUNKS_MAX];
    double rigid[CON_CHUNKS_MAX];
    scale_context context = {problem, part, rigid};
    int n = problem->contact_count;
    part[0] = (con_residual_scale){0};
    rigid[0] = 0.0;
    con_domains_sum(problem->domains, n, find_rigid, &context, (con_rows){rigid, sizeof *rigid},
                    add_largest);
    con_domains_sum(problem->domains, n, add_scale, &context, (con_rows){part, sizeof *part},
                    add_scales);
    part[0].rigid = rigid[0];
    return part[0];
}

// square root of a ratio; what has no size is not divided
static double relative(double squared, double scale)
{
    return sqrt(scale > 0.0 ? squared / scale : squared);
}

con_residual con_residual_from(const con_residual_sums *sums, const con_residual_scale *scale)
{
    // without q impulses are compared with themselves: R = 0 solves, and states of self-stress do
    double size = scale->energy > 0.0 ? scale->energy : sums->impulse;
    double known = fmax(sums->energy, DBL_EPSILON * DBL_EPSILON * sums->impulse);
    double largest = fmax(scale->velocity, fmax(sums->R, sums->U));
    double yielding = relative(known, size), rigid = relative(sums->rigid, scale->velocity);
    return (con_residual){
        .error = sqrt(yielding * yielding + rigid * rigid),
        .error_scaled = relative(sums->velocity, scale->velocity),
        .error_q = relative(sums->natural, scale->velocity),
        .error_siconos = relative(sums->natural, largest),
        .growth = relative(sums->impulse, size),
        .worst_contact = -1,
    };
}

// sums of a chunk, and its contact with the largest part of the error
typedef struct chunk_sums {
    con_residual_sums sums;
    double worst;
    int worst_contact;
} chunk_sums;

typedef struct residual_context {
    const con_problem *problem;
    const con_residual_scale *scale;
    const double (*R)[3], (*U)[3];
    chunk_sums *part; // of each chunk
} residual_context;

static void add_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const residual_context *context = argument;
    const con_problem *problem = context->problem;
    chunk_sums total = {.worst = -1.0, .worst_contact = -1};
    for (int i = begin; i < end; i++) {
        con_residual_sums one =
            con_residual_sums_at(problem, context->scale, context->R, context->U, i, true);
        con_residual_sums_add(&total.sums, &one);
        if (one.energy + one.rigid > total.worst) {
            total.worst = one.energy + one.rigid;
            total.worst_contact = i;
        }
    }
    context->part[chunk] = total;
}

static void add_chunks(void *sum, const void *part)
{
    chunk_sums *total = sum;
    const chunk_sums *more = part;
    con_residual_sums_add(&total->sums, &more->sums);
    if (more->worst > total->worst) {
        total->worst = more->worst;
        total->worst_contact = more->worst_contact;
    }
}

static chunk_sums add_contacts(const con_problem *problem, const con_residual_scale *scale,
                               const double (*R)[3], const double (*U)[3])
{
    chunk_sums part[CON_CHUNKS_MAX];
    residual_context context = {problem, scale, R, U, part};
    part[0] = (chunk_sums){.worst = -1.0, .worst_contact = -1};
    con_domains_sum(problem->domains, problem->contact_count, add_chunk, &context,
                    (con_rows){part, sizeof *part}, add_chunks);
    return part[0];
}

cairn_status con_residual_of(const con_problem *problem, const double (*R)[3], const double (*U)[3],
                             con_residual *residual)
{
    con_residual_scale scale = con_residual_scale_of(problem);
    chunk_sums total = add_contacts(problem, &scale, R, U);
    const con_residual_sums *sums = &total.sums;
    *residual = con_residual_from(sums, &scale);
    residual->worst_contact = total.worst_contact;
    if (isfinite(sums->energy + sums->velocity + sums->natural + sums->R + sums->U +
                 scale.velocity))
        return CAIRN_OK;
    residual->error = residual->error_scaled = residual->error_q = NAN;
    residual->error_siconos = residual->growth = NAN;
    return CAIRN_ERROR_NONFINITE;
}
