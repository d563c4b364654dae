// SPDX-License-Identifier: Apache-2.0
// W as an operator: scaling, products through bodies or rows.
#include "contact/problem/operator.h"

#include "contact/cones/cone.h"
#include "contact/problem/delassus.h"
#include "contact/problem/reduced.h"

#include <math.h>

static double unit_of(const con_problem *problem, int i)
{
    double w = mat3_trace(&problem->W_diagonal[i]) / 3.0;
    return con_can_bear(problem, i) && w > 0.0 ? sqrt(w) : 0.0;
}

static double inverse_or_zero(double x)
{
    return x > 0.0 ? 1.0 / x : 0.0;
}

static cairn_status allocate(con_operator *op, const con_problem *problem, base_arena *arena)
{
    size_t n = (size_t)problem->contact_count, m = (size_t)problem->body_count;
    op->unit = base_arena_array(arena, double, "operator", n);
    op->q = con_vectors(arena, problem->contact_count);
    op->diagonal = base_arena_array(arena, mat3, "operator", n);
    op->neighbours = base_arena_array(arena, int, "operator", n);
    bool complete =
        op->unit != NULL && op->q != NULL && op->diagonal != NULL && op->neighbours != NULL;
    if (problem->H != NULL) {
        op->body = base_arena_allocate(arena, "operator", n, sizeof *op->body);
        op->J = base_arena_allocate(arena, "operator", n, sizeof *op->J);
        op->y = base_arena_allocate(arena, "operator", m + 1, sizeof *op->y);
        complete = complete && op->body != NULL && op->J != NULL && op->y != NULL;
        if (op->C != NULL)
            op->block = base_arena_array(arena, mat3, "operator", op->C->start[n]);
        complete = complete && (op->C == NULL || op->block != NULL);
    } else {
        op->block = base_arena_array(arena, mat3, "operator", problem->W->start[n]);
        complete = complete && op->block != NULL;
    }
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static void scale_contact(con_operator *op, const con_problem *problem, int i)
{
    op->unit[i] = unit_of(problem, i);
    double inverse = inverse_or_zero(op->unit[i]);
    op->diagonal[i] = mat3_scale(inverse * inverse, &problem->W_diagonal[i]);
    if (op->block != NULL)
        op->diagonal[i] = con_proximal_block(&op->diagonal[i]);
    for (int k = 0; k < 3; k++)
        op->q[i][k] = inverse * problem->q[i][k];
    if (inverse == 0.0 && !con_is_moment(problem, i))
        op->q[i][0] = 1.0;
}

static void scale_H(con_operator *op, const con_problem *problem, int i)
{
    double inverse = inverse_or_zero(op->unit[i]);
    const int *bodies = con_unjointed_bodies(problem)[i];
    for (int s = 0; s < 2; s++) {
        int body = bodies[s];
        op->body[i][s] = body >= 0 ? body : problem->body_count;
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 6; k++)
                op->J[i][s][row][k] = body >= 0 ? inverse * problem->H[i][s][row][k] *
                                                      sqrt(problem->mass_inverse[body][k])
                                                : 0.0;
    }
}

static void scale_row(con_operator *op, const con_block_matrix *W, int i)
{
    for (int k = W->start[i]; k < W->start[i + 1]; k++) {
        double inverse = inverse_or_zero(op->unit[i]) * inverse_or_zero(op->unit[W->column[k]]);
        op->block[k] = mat3_scale(inverse, &W->block[k]);
    }
}

// a contact acts on no more others than touch the busier of its bodies
static cairn_status count_neighbours(con_operator *op, base_arena *arena)
{
    base_arena_mark mark = base_arena_get_mark(arena);
    int *touching = base_arena_array(arena, int, "contacts of a body", op->body_count + 1);
    if (touching == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(touching, 0, (size_t)(op->body_count + 1) * sizeof *touching);
    for (int i = 0; i < op->contact_count; i++)
        for (int s = 0; s < 2; s++)
            touching[op->body[i][s]]++;
    touching[op->body_count] = 1;
    for (int i = 0; i < op->contact_count; i++) {
        int a = touching[op->body[i][0]], b = touching[op->body[i][1]];
        op->neighbours[i] = a > b ? a : b;
        if (op->C != NULL && op->C->start[i + 1] - op->C->start[i] > op->neighbours[i])
            op->neighbours[i] = op->C->start[i + 1] - op->C->start[i];
    }
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}

cairn_status con_operator_create(const con_problem *problem, base_arena *arena, con_operator *op)
{
    bool bodies = problem->H != NULL;
    *op = (con_operator){.contact_count = problem->contact_count,
                         .body_count = bodies ? problem->body_count : 0,
                         .mu = problem->friction,
                         .spinning = problem->spinning,
                         .W = bodies ? NULL : problem->W,
                         .C = problem->reduction != NULL ? problem->reduction->C : NULL};
    if (!bodies && problem->W == NULL)
        return CAIRN_ERROR_ARGUMENT;
    BASE_TRY(allocate(op, problem, arena));
    for (int i = 0; i < op->contact_count; i++)
        scale_contact(op, problem, i);
    for (int i = 0; i < op->contact_count; i++) {
        if (bodies)
            scale_H(op, problem, i);
        if (bodies && op->C != NULL)
            scale_row(op, op->C, i);
        if (bodies)
            continue;
        scale_row(op, op->W, i);
        op->neighbours[i] = op->W->start[i + 1] - op->W->start[i];
    }
    return bodies ? count_neighbours(op, arena) : CAIRN_OK;
}

void con_operator_change(con_operator *op, int i, const double change[3])
{
    if (op->W != NULL)
        return;
    for (int s = 0; s < 2; s++) {
        double *y = op->y[op->body[i][s]];
        const double(*J)[6] = (const double(*)[6])op->J[i][s];
        for (int k = 0; k < 6; k++)
            y[k] += J[0][k] * change[0] + J[1][k] * change[1] + J[2][k] * change[2];
    }
}

void con_operator_gather(con_operator *op, const double (*r)[3])
{
    if (op->W != NULL)
        return;
    memset(op->y, 0, (size_t)(op->body_count + 1) * sizeof *op->y);
    for (int i = 0; i < op->contact_count; i++)
        con_operator_change(op, i, r[i]);
}

static void row_by_blocks(const con_operator *op, const con_block_matrix *W, int i,
                          const double (*r)[3], double out[3])
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = W->start[i]; k < W->start[i + 1]; k++) {
        const double *x = r[W->column[k]];
        const double(*m)[3] = (const double(*)[3])op->block[k].m;
        for (int row = 0; row < 3; row++)
            sum[row] += m[row][0] * x[0] + m[row][1] * x[1] + m[row][2] * x[2];
    }
    memcpy(out, sum, sizeof sum);
}

static void row_by_bodies(const con_operator *op, int i, double out[3])
{
    const double *a = op->y[op->body[i][0]], *b = op->y[op->body[i][1]];
    for (int row = 0; row < 3; row++) {
        const double *A = op->J[i][0][row], *B = op->J[i][1][row];
        double even =
            (A[0] * a[0] + A[2] * a[2]) + (A[4] * a[4] + B[0] * b[0]) + (B[2] * b[2] + B[4] * b[4]);
        double odd =
            (A[1] * a[1] + A[3] * a[3]) + (A[5] * a[5] + B[1] * b[1]) + (B[3] * b[3] + B[5] * b[5]);
        out[row] = even + odd;
    }
}

// bodies, and what the joints couple
static void row_by_both(const con_operator *op, int i, const double (*r)[3], double out[3])
{
    double sum[3];
    row_by_bodies(op, i, out);
    row_by_blocks(op, op->C, i, r, sum);
    for (int k = 0; k < 3; k++)
        out[k] += sum[k];
}

void con_operator_row(const con_operator *op, int i, const double (*r)[3], double out[3])
{
    if (op->block == NULL)
        row_by_bodies(op, i, out);
    else if (op->W != NULL)
        row_by_blocks(op, op->W, i, r, out);
    else
        row_by_both(op, i, r, out);
}

void con_operator_apply(con_operator *op, const double (*r)[3], bool with_q, double (*out)[3])
{
    con_operator_gather(op, r);
    for (int i = 0; i < op->contact_count; i++) {
        con_operator_row(op, i, r, out[i]);
        for (int k = 0; with_q && k < 3; k++)
            out[i][k] += op->q[i][k];
    }
}

con_rolling_cone con_operator_cone(const con_operator *op, int i)
{
    double ratio = op->unit[i] > 0.0 ? op->unit[i + 1] / op->unit[i] : 0.0;
    return (con_rolling_cone){op->mu[i], ratio * op->mu[i + 1], ratio * op->spinning[i + 1]};
}

void con_operator_project(const con_operator *op, const double (*z)[3], double (*out)[3])
{
    for (int i = 0; i < op->contact_count; i++) {
        bool group =
            op->spinning != NULL && i + 1 < op->contact_count && op->spinning[i + 1] >= 0.0;
        if (!group) {
            con_cone_project(z[i], op->mu[i], out[i]);
            continue;
        }
        const con_rolling_cone cone = con_operator_cone(op, i);
        con_rolling_cone_project(z + i, &cone, out + i);
        i++;
    }
}

void con_operator_scale(const con_operator *op, const double (*R)[3], double (*r)[3])
{
    for (int i = 0; i < op->contact_count; i++)
        for (int k = 0; k < 3; k++)
            r[i][k] = op->unit[i] * R[i][k];
}

void con_operator_unscale(const con_operator *op, const double (*r)[3], double (*R)[3])
{
    for (int i = 0; i < op->contact_count; i++)
        for (int k = 0; k < 3; k++)
            R[i][k] = inverse_or_zero(op->unit[i]) * r[i][k];
}

double con_dot(int count, const double (*a)[3], const double (*b)[3])
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += a[i][0] * b[i][0] + a[i][1] * b[i][1] + a[i][2] * b[i][2];
    return sum;
}
