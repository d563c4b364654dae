// SPDX-License-Identifier: Apache-2.0
// Elimination of joints, and the calls on problems that may have them.
#include "contact/problem/reduced.h"

#include "base/assert.h"
#include "contact/problem/delassus.h"

#include <math.h>
#include <string.h>

/// Part of the free bodies' W below which a direction counts as unyielding.
static const double unyielding = 1e-12;

/// Work of assembling W: the response of the clusters to one contact, row by row.
typedef struct response {
    const con_problem *problem;
    con_joint_factors *factors;
    double (*x[3])[6]; // [body_count] P M^-1 H_i^T, zero but in the clusters at hand
    int cluster[2];    // clusters of the contact at hand, -1 for none
} response;

static bool response_create(response *r, const con_problem *problem, con_joint_factors *factors,
                            base_arena *arena)
{
    *r = (response){.problem = problem, .factors = factors};
    size_t m = (size_t)problem->body_count + 1;
    for (int row = 0; row < 3; row++) {
        r->x[row] = base_arena_allocate(arena, "responses", m, sizeof(double[6]));
        if (r->x[row] == NULL)
            return false;
        memset(r->x[row], 0, m * sizeof(double[6]));
    }
    return true;
}

static int cluster_at(const response *r, int i, int side)
{
    int body = r->problem->body[i][side];
    return body >= 0 ? r->factors->cluster_of_body[body] : -1;
}

static void forget(response *r)
{
    const con_joint_factors *f = r->factors;
    for (int s = 0; s < 2; s++)
        for (int k = r->cluster[s] >= 0 ? f->body_start[r->cluster[s]] : 0;
             r->cluster[s] >= 0 && k < f->body_start[r->cluster[s] + 1]; k++)
            for (int row = 0; row < 3; row++)
                memset(r->x[row][f->cluster_body[k]], 0, sizeof(double[6]));
}

// how the bodies of its clusters move with unit impulses on contact i
static void respond(response *r, int i)
{
    const con_problem *problem = r->problem;
    forget(r);
    for (int s = 0; s < 2; s++)
        r->cluster[s] = cluster_at(r, i, s);
    if (r->cluster[1] == r->cluster[0])
        r->cluster[1] = -1;
    for (int row = 0; row < 3; row++) {
        for (int s = 0; s < 2; s++) {
            int body = problem->body[i][s];
            for (int k = 0; k < 6 && cluster_at(r, i, s) >= 0; k++)
                r->x[row][body][k] += problem->mass_inverse[body][k] * problem->H[i][s][row][k];
        }
        for (int s = 0; s < 2; s++)
            if (r->cluster[s] >= 0)
                con_joint_cluster_project(r->factors, r->cluster[s], r->x[row]);
    }
}

// what the clusters add to W_ij, by the response to contact i
static void add_response(const response *r, int j, mat3 *block)
{
    const con_problem *problem = r->problem;
    for (int t = 0; t < 2; t++) {
        int body = problem->body[j][t], cluster = cluster_at(r, j, t);
        if (cluster < 0 || (cluster != r->cluster[0] && cluster != r->cluster[1]))
            continue;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int k = 0; k < 6; k++)
                    block->m[a][b] += r->x[a][body][k] * problem->H[j][t][b][k];
    }
}

static void make_symmetric(mat3 *a)
{
    for (int row = 1; row < 3; row++)
        for (int column = 0; column < row; column++)
            a->m[row][column] = a->m[column][row] = 0.5 * (a->m[row][column] + a->m[column][row]);
}

// which rows of a contact yield, as bits
static unsigned yielding_rows(const mat3 *W, const mat3 *free)
{
    unsigned rows = 0;
    double least = unyielding * mat3_trace(free) / 3.0;
    for (int k = 0; k < 3; k++)
        rows |= W->m[k][k] > least ? 1u << k : 0u;
    return rows;
}

static void clear_unyielding(mat3 *block, unsigned rows, unsigned columns)
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (!(rows >> a & 1u) || !(columns >> b & 1u))
                block->m[a][b] = 0.0;
}

static void add_compliance(const con_problem *problem, int i, mat3 *block)
{
    for (int k = 0; k < 3 && problem->compliance != NULL; k++)
        block->m[k][k] += problem->compliance[i][k];
}

// upper blocks of C are computed, lower ones are their transposes; what a contact yields by itself
// belongs to C
static void fill_rows(response *r, const con_delassus_rows *rows)
{
    int n = r->problem->contact_count;
    memcpy(rows->cursor, rows->start, (size_t)n * sizeof *rows->cursor);
    r->cluster[0] = r->cluster[1] = -1;
    for (int i = 0; i < n; i++) {
        respond(r, i);
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
            int j = rows->column[k];
            if (j < i)
                continue;
            rows->block[k] = (mat3){0};
            add_response(r, j, &rows->block[k]);
            if (j == i) {
                make_symmetric(&rows->block[k]);
                add_compliance(r->problem, i, &rows->block[k]);
            } else
                rows->block[rows->cursor[j]++] = mat3_transpose(&rows->block[k]);
        }
    }
}

// diagonal of the reduced W; rows that do not yield are cleared there and in C
static void fill_diagonal(const con_problem *free, const con_problem *jointed,
                          const con_delassus_rows *rows, mat3 *diagonal, unsigned *yielding)
{
    int n = free->contact_count;
    for (int i = 0; i < n; i++) {
        diagonal[i] = con_diagonal_block(free, i);
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++)
            if (rows->column[k] == i)
                diagonal[i] = mat3_add(&diagonal[i], &rows->block[k]);
        yielding[i] = yielding_rows(&diagonal[i], &jointed->W_diagonal[i]);
        clear_unyielding(&diagonal[i], yielding[i], yielding[i]);
    }
    for (int i = 0; i < n; i++)
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++)
            clear_unyielding(&rows->block[k], yielding[i], yielding[rows->column[k]]);
}

static bool map_bodies(con_reduction *reduction, base_arena *arena)
{
    const con_problem *problem = reduction->jointed;
    const con_joint_factors *f = reduction->factors;
    size_t n = (size_t)problem->contact_count + 1;
    reduction->unjointed = base_arena_allocate(arena, "clusters", n, sizeof *reduction->unjointed);
    reduction->together = base_arena_allocate(arena, "clusters", n, sizeof *reduction->together);
    if (reduction->unjointed == NULL || reduction->together == NULL)
        return false;
    for (int i = 0; i < problem->contact_count; i++)
        for (int s = 0; s < 2; s++) {
            int body = problem->body[i][s], cluster = body >= 0 ? f->cluster_of_body[body] : -1;
            reduction->together[i][s] =
                cluster >= 0 ? f->cluster_body[f->body_start[cluster]] : body;
            reduction->unjointed[i][s] = cluster >= 0 ? -1 : body;
        }
    return true;
}

// bodies of the pattern of C: clusters alone
static bool cluster_bodies(const con_reduction *reduction, int (*body)[2])
{
    if (body == NULL)
        return false;
    for (int i = 0; i < reduction->jointed->contact_count; i++)
        for (int s = 0; s < 2; s++)
            body[i][s] = reduction->unjointed[i][s] == reduction->jointed->body[i][s]
                             ? -1
                             : reduction->together[i][s];
    return true;
}

static cairn_status assemble(con_reduction *reduction, base_arena *arena, mat3 *diagonal)
{
    const con_problem *problem = reduction->jointed;
    size_t n = (size_t)problem->contact_count;
    int(*body)[2] = base_arena_allocate(arena, "clusters", n, sizeof *body);
    unsigned *yielding = base_arena_array(arena, unsigned, "clusters", n);
    response r;
    if (!cluster_bodies(reduction, body) || yielding == NULL ||
        !response_create(&r, problem, reduction->factors, arena))
        return CAIRN_ERROR_MEMORY;
    con_problem pattern = *problem, free = *problem;
    pattern.body = (const int(*)[2])body;
    free.body = (const int(*)[2])reduction->unjointed;
    free.compliance = NULL;
    con_delassus_rows rows;
    BASE_TRY(con_delassus_pattern(&pattern, arena, &rows));
    fill_rows(&r, &rows);
    fill_diagonal(&free, problem, &rows, diagonal, yielding);
    return con_delassus_keep(problem, &rows, arena, &reduction->C);
}

// W from C and the bodies without joints, on the pattern of bodies and clusters together
static void add_up(const con_reduction *reduction, const con_problem *free,
                   const con_delassus_rows *rows)
{
    const con_block_matrix *C = reduction->C;
    for (int i = 0; i < free->contact_count; i++) {
        int c = C->start[i];
        for (int k = rows->start[i]; k < rows->start[i + 1]; k++) {
            int j = rows->column[k];
            rows->block[k] = con_coupling_block(free, i, j);
            if (c < C->start[i + 1] && C->column[c] == j)
                rows->block[k] = mat3_add(&rows->block[k], &C->block[c++]);
            if (j == i)
                rows->block[k] = reduction->problem.W_diagonal[i];
        }
    }
}

cairn_status con_reduction_delassus(con_reduction *reduction, base_arena *arena, con_problem *out)
{
    con_problem pattern = *reduction->jointed, free = pattern;
    pattern.body = (const int(*)[2])reduction->together;
    free.body = (const int(*)[2])reduction->unjointed;
    con_delassus_rows rows;
    BASE_TRY(con_delassus_pattern(&pattern, arena, &rows));
    add_up(reduction, &free, &rows);
    *out = (con_problem){.contact_count = pattern.contact_count,
                         .q = reduction->problem.q,
                         .friction = pattern.friction,
                         .W_diagonal = reduction->problem.W_diagonal};
    return con_delassus_keep(&pattern, &rows, arena, &out->W);
}

// the velocities of the joints alone, and q with them
static bool project(con_reduction *reduction)
{
    const con_problem *problem = reduction->jointed;
    double error =
        con_joint_factors_solve(reduction->factors, NULL, problem->v_free, reduction->v, NULL);
    con_apply_H(problem, (const double(*)[6])reduction->v, problem->w, reduction->q);
    return isfinite(error);
}

cairn_status con_reduction_update(con_reduction *reduction)
{
    return project(reduction) ? CAIRN_OK : CAIRN_ERROR_NONFINITE;
}

cairn_status con_reduce_joints(const con_problem *problem, base_arena *arena,
                               con_reduction *reduction)
{
    if (problem->H == NULL && problem->contact_count > 0)
        return CAIRN_ERROR_ARGUMENT;
    if (problem->rates != NULL)
        return CAIRN_ERROR_UNSUPPORTED;
    size_t n = (size_t)problem->contact_count, m = (size_t)problem->body_count;
    double(*q)[3] = base_arena_allocate(arena, "reduced q", n + 1, sizeof *q);
    mat3 *diagonal = base_arena_array(arena, mat3, "reduced W", n + 1);
    *reduction = (con_reduction){.jointed = problem, .q = q};
    reduction->v = base_arena_allocate(arena, "velocities", m + 1, sizeof *reduction->v);
    if (q == NULL || diagonal == NULL || reduction->v == NULL)
        return CAIRN_ERROR_MEMORY;
    BASE_TRY(con_joints_factor(problem->joints, problem->body_count, problem->mass_inverse, arena,
                               &reduction->factors));
    if (!project(reduction))
        return CAIRN_ERROR_NONFINITE;
    reduction->problem = *problem;
    reduction->problem.q = (const double(*)[3])q;
    reduction->problem.W_diagonal = diagonal;
    reduction->problem.W = NULL;
    reduction->problem.joints = NULL;
    reduction->problem.reduction = reduction;
    return map_bodies(reduction, arena) ? assemble(reduction, arena, diagonal) : CAIRN_ERROR_MEMORY;
}

double con_reduction_velocity(con_reduction *reduction, const double (*R)[3], double (*U)[3],
                              double *l)
{
    const con_problem *problem = reduction->jointed;
    con_apply_impulses(problem, R, reduction->v);
    double error = con_joint_factors_solve(reduction->factors, NULL,
                                           (const double(*)[6])reduction->v, reduction->v, l);
    con_apply_H(problem, (const double(*)[6])reduction->v, problem->w, U);
    con_apply_compliance(problem, R, U);
    return error;
}

cairn_status con_reduction_residual(con_reduction *reduction, const double (*R)[3], double (*U)[3],
                                    double *l, con_residual *residual)
{
    double error = con_reduction_velocity(reduction, R, U, l);
    cairn_status status = con_residual_of(&reduction->problem, R, (const double(*)[3])U, residual);
    residual->error_joints = error;
    return status == CAIRN_OK && !isfinite(error) ? CAIRN_ERROR_NONFINITE : status;
}

cairn_status con_problem_assemble_delassus(con_problem *problem, base_arena *arena)
{
    BASE_ASSERT(problem->H != NULL || problem->contact_count == 0);
    if (problem->joints == NULL && problem->reduction == NULL)
        return con_delassus_assemble(problem, arena, &problem->W);
    con_reduction *reduction = problem->reduction, own;
    con_problem rows = {0};
    cairn_status status = CAIRN_OK;
    if (reduction == NULL) {
        reduction = &own;
        status = con_reduce_joints(problem, arena, &own);
    }
    if (status == CAIRN_OK)
        status = con_reduction_delassus(reduction, arena, &rows);
    problem->W = rows.W;
    return status;
}

cairn_status con_problem_to_delassus(const con_problem *problem, base_arena *arena,
                                     con_problem *out)
{
    con_problem whole = *problem;
    cairn_status status = CAIRN_OK;
    if (whole.W == NULL)
        status = con_problem_assemble_delassus(&whole, arena);
    *out = (con_problem){.contact_count = problem->contact_count,
                         .q = problem->q,
                         .friction = problem->friction,
                         .spinning = problem->spinning,
                         .W_diagonal = problem->W_diagonal,
                         .W = whole.W};
    return status;
}

static void velocity_by_rows(const con_problem *problem, const double (*R)[3], double (*U)[3])
{
    const con_block_matrix *W = problem->W;
    for (int i = 0; i < problem->contact_count; i++) {
        vec3 sum = vec3_from(problem->q[i]);
        for (int k = W->start[i]; k < W->start[i + 1]; k++)
            sum = vec3_add(sum, mat3_apply(&W->block[k], vec3_from(R[W->column[k]])));
        vec3_store(U[i], sum);
    }
}

cairn_status con_problem_velocity(const con_problem *problem, const double (*R)[3], double (*U)[3],
                                  base_arena *arena)
{
    if (problem->contact_count == 0)
        return CAIRN_OK;
    if (problem->H == NULL) {
        if (problem->W == NULL)
            return CAIRN_ERROR_ARGUMENT;
        velocity_by_rows(problem, R, U);
        return CAIRN_OK;
    }
    if (problem->reduction != NULL) {
        con_reduction_velocity(problem->reduction, R, U, NULL);
        return CAIRN_OK;
    }
    base_arena_mark mark = base_arena_get_mark(arena);
    size_t m = (size_t)problem->body_count + 1;
    double(*v)[6] = base_arena_allocate(arena, "velocities", m, sizeof *v);
    if (v == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = con_joints_apply(problem, R, v, NULL, NULL, arena);
    if (status == CAIRN_OK) {
        con_apply_H(problem, (const double(*)[6])v, problem->w, U);
        con_apply_compliance(problem, R, U);
        con_apply_rates(problem, R, U);
    }
    base_arena_rewind(arena, mark);
    return status;
}

static cairn_status jointed_residual(const con_problem *problem, const double (*R)[3],
                                     double (*U)[3], con_residual *residual, base_arena *arena)
{
    base_arena_mark mark = base_arena_get_mark(arena);
    con_reduction reduction;
    cairn_status status = con_reduce_joints(problem, arena, &reduction);
    if (status == CAIRN_OK)
        status = con_reduction_residual(&reduction, R, U, NULL, residual);
    base_arena_rewind(arena, mark);
    return status;
}

cairn_status con_residual_compute(const con_problem *problem, const double (*R)[3], double (*U)[3],
                                  con_residual *residual, base_arena *arena)
{
    *residual = (con_residual){.worst_contact = -1};
    if (problem->joints != NULL)
        return jointed_residual(problem, R, U, residual, arena);
    if (problem->contact_count == 0)
        return CAIRN_OK;
    BASE_TRY(con_problem_velocity(problem, R, U, arena));
    return con_residual_of(problem, R, (const double(*)[3])U, residual);
}
