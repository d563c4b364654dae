// SPDX-License-Identifier: Apache-2.0
// Products with H and M^-1, coupling blocks of a problem in body form.
#include "contact/problem/delassus.h"

#include <string.h>

// H_a M^-1 H_b^T of one body
static void add_block(const double a[3][6], const double mass_inverse[6], const double b[3][6],
                      mat3 *block)
{
    for (int i = 0; i < 3; i++) {
        double scaled[6];
        for (int k = 0; k < 6; k++)
            scaled[k] = a[i][k] * mass_inverse[k];
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++)
                sum += scaled[k] * b[j][k];
            block->m[i][j] += sum;
        }
    }
}

// S_a D S_b^T of two contacts that know the rates
static void add_rates(const con_rates *rates, int a, int b, mat3 *block)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < rates->count; k++)
                block->m[i][j] += rates->S[a][i][k] * rates->inverse[k] * rates->S[b][j][k];
}

mat3 con_coupling_block(const con_problem *problem, int i, int j)
{
    mat3 block = {0};
    if (problem->rates != NULL)
        add_rates(problem->rates, i, j, &block);
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            int body = problem->body[i][s];
            if (body >= 0 && body == problem->body[j][t])
                add_block(problem->H[i][s], problem->mass_inverse[body], problem->H[j][t], &block);
        }
    return block;
}

mat3 con_diagonal_block(const con_problem *problem, int i)
{
    mat3 block = con_coupling_block(problem, i, i);
    for (int row = 1; row < 3; row++)
        for (int column = 0; column < row; column++)
            block.m[row][column] = block.m[column][row];
    for (int k = 0; k < 3 && problem->compliance != NULL; k++)
        block.m[k][k] += problem->compliance[i][k];
    return block;
}

void con_apply_to_rates(const con_problem *problem, const double (*R)[3], double z[3])
{
    const con_rates *rates = problem->rates;
    memset(z, 0, 3 * sizeof *z);
    for (int i = 0; i < problem->contact_count; i++)
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < rates->count; k++)
                z[k] += rates->S[i][row][k] * R[i][row];
    for (int k = 0; k < 3; k++)
        z[k] *= rates->inverse[k];
}

void con_apply_rates(const con_problem *problem, const double (*R)[3], double (*U)[3])
{
    const con_rates *rates = problem->rates;
    double z[3];
    if (rates == NULL)
        return;
    con_apply_to_rates(problem, R, z);
    for (int i = 0; i < problem->contact_count; i++)
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < rates->count; k++)
                U[i][row] += rates->S[i][row][k] * z[k];
}

void con_apply_compliance(const con_problem *problem, const double (*R)[3], double (*U)[3])
{
    for (int i = 0; i < problem->contact_count && problem->compliance != NULL; i++)
        for (int k = 0; k < 3; k++)
            U[i][k] += problem->compliance[i][k] * R[i][k];
}

void con_assemble_diagonal_range(const con_problem *problem, int begin, int end, mat3 *W_diagonal)
{
    for (int i = begin; i < end; i++)
        W_diagonal[i] = con_diagonal_block(problem, i);
}

void con_assemble_diagonal(const con_problem *problem, mat3 *W_diagonal)
{
    con_assemble_diagonal_range(problem, 0, problem->contact_count, W_diagonal);
}

static void add_H_row(const double H[3][6], const double v[6], double out[3])
{
    for (int row = 0; row < 3; row++) {
        double sum = 0.0;
        for (int k = 0; k < 6; k++)
            sum += H[row][k] * v[k];
        out[row] += sum;
    }
}

typedef struct apply_context {
    const con_problem *problem;
    const double (*v)[6], (*w)[3], (*R)[3];
    double (*out)[3];
    double (*sum)[6];
} apply_context;

static void apply_H_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const apply_context *context = argument;
    const con_problem *problem = context->problem;
    const double(*v)[6] = context->v, (*w)[3] = context->w;
    for (int i = begin; i < end; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int s = 0; s < 2; s++)
            if (problem->body[i][s] >= 0)
                add_H_row(problem->H[i][s], v[problem->body[i][s]], sum);
        for (int row = 0; row < 3; row++)
            context->out[i][row] = sum[row] + w[i][row];
    }
}

void con_apply_H(const con_problem *problem, const double (*v)[6], const double (*w)[3],
                 double (*out)[3])
{
    apply_context context = {.problem = problem, .v = v, .w = w, .out = out};
    con_domains_chunks(problem->domains, problem->contact_count, apply_H_chunk, &context);
}

static void add_impulse(const double H[3][6], const double R[3], double impulse[6])
{
    for (int k = 0; k < 6; k++)
        impulse[k] += H[0][k] * R[0] + H[1][k] * R[1] + H[2][k] * R[2];
}

static void add_impulses(void *argument, int begin, int end, int task)
{
    (void)task;
    const apply_context *context = argument;
    const con_problem *problem = context->problem;
    for (int i = begin; i < end; i++)
        for (int s = 0; s < 2; s++)
            if (problem->body[i][s] >= 0)
                add_impulse(problem->H[i][s], context->R[i], context->sum[problem->body[i][s]]);
}

static void divide_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const apply_context *context = argument;
    const con_problem *problem = context->problem;
    for (int a = begin; a < end; a++)
        for (int k = 0; k < 6; k++)
            context->sum[a][k] =
                problem->v_free[a][k] + problem->mass_inverse[a][k] * context->sum[a][k];
}

void con_apply_impulses(const con_problem *problem, const double (*R)[3], double (*v)[6])
{
    // v holds H^T R until the mass is divided out
    memset(v, 0, (size_t)problem->body_count * sizeof *v);
    apply_context context = {.problem = problem, .R = R, .sum = v};
    con_domains_run(problem->domains, problem->contact_count, false, add_impulses, &context,
                    (con_rows){v, sizeof *v});
    con_domains_rows(problem->domains, problem->body_count, divide_chunk, &context);
}

mat3 con_proximal_block(const mat3 *W)
{
    const double singular = 1e-9, weight = 1e-3;
    double size = mat3_trace(W) / 3.0;
    const double(*m)[3] = W->m;
    double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    mat3 block = *W;
    if (!(size > 0.0) || determinant > singular * size * size * size)
        return block;
    for (int k = 0; k < 3; k++)
        block.m[k][k] += weight * size;
    return block;
}
