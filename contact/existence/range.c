// SPDX-License-Identifier: Apache-2.0
// Range of W by bodies or by a dense basis, and the normal equations over it.
#include "contact/existence/range.h"

#include "contact/existence/existence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rank_tolerance = 1e-11; // of pivots, relative to the largest
static const double regularisation = 1e-14; // of the normal matrix, relative to its diagonal

#ifdef CAIRN_NO_LAPACK
/// Stands for all of them in a build without LAPACK, where no range is dense.
static void no_lapack(const void *first, ...)
{
    (void)first;
    abort();
}
#define dpstrf_ no_lapack
#define dpotrf_ no_lapack
#define dpotrs_ no_lapack
#define dgeqrf_ no_lapack
#define dorgqr_ no_lapack
#define dsyrk_ no_lapack
#define dgemv_ no_lapack
#define dtrsv_ no_lapack
#else
// LAPACK and BLAS, column major
extern void dpstrf_(const char *side, const int *n, double *a, const int *leading, int *pivot,
                    int *rank, const double *tolerance, double *work, int *info);
extern void dpotrf_(const char *side, const int *n, double *a, const int *leading, int *info);
extern void dpotrs_(const char *side, const int *n, const int *count, const double *a,
                    const int *leading, double *b, const int *leading_b, int *info);
extern void dgeqrf_(const int *rows, const int *columns, double *a, const int *leading, double *tau,
                    double *work, const int *work_size, int *info);
extern void dorgqr_(const int *rows, const int *columns, const int *reflectors, double *a,
                    const int *leading, const double *tau, double *work, const int *work_size,
                    int *info);
extern void dsyrk_(const char *side, const char *transpose, const int *n, const int *k,
                   const double *alpha, const double *a, const int *leading_a, const double *beta,
                   double *c, const int *leading_c);
extern void dgemv_(const char *transpose, const int *rows, const int *columns, const double *alpha,
                   const double *a, const int *leading, const double *x, const int *step_x,
                   const double *beta, double *y, const int *step_y);
extern void dtrsv_(const char *side, const char *transpose, const char *unit, const int *n,
                   const double *a, const int *leading, double *x, const int *step);
#endif

// ---------------------------------------------------------------- bodies

static cairn_status create_pattern(con_range *range, base_arena *arena)
{
    const con_problem *problem = range->problem;
    int n = problem->contact_count, m = problem->body_count;
    int(*pairs)[2] = base_arena_allocate(arena, "pairs", 4 * (size_t)n + (size_t)m, sizeof *pairs);
    if (pairs == NULL)
        return CAIRN_ERROR_MEMORY;
    size_t count = 0;
    for (int b = 0; b < m; b++, count++)
        pairs[count][0] = pairs[count][1] = b;
    for (int i = 0; i < n; i++) {
        const int *body = problem->body[i];
        if (body[0] < 0 || body[1] < 0 || body[0] == body[1])
            continue;
        for (int k = 0; k < 2; k++, count++) {
            pairs[count][0] = body[k];
            pairs[count][1] = body[1 - k];
        }
    }
    return con_block_pattern_create(m, pairs, count, arena, &range->pattern);
}

static void fill_blocks(con_range *range)
{
    const con_problem *problem = range->problem;
    for (int b = 0; b < problem->body_count; b++)
        range->diagonal[b] = con_block_pattern_find(&range->pattern, b, b);
    for (int i = 0; i < problem->contact_count; i++) {
        const int *body = problem->body[i];
        for (int s = 0; s < 2; s++)
            for (int t = 0; t < 2; t++)
                range->slot[i][s][t] =
                    body[s] < 0 || body[t] < 0
                        ? -1
                        : con_block_pattern_find(&range->pattern, body[s], body[t]);
        memset(range->J[i], 0, sizeof range->J[i]);
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 3 && body[s] >= 0; k++)
                for (int c = 0; c < 6; c++)
                    range->J[i][s][k][c] =
                        problem->H[i][s][k][c] * sqrt(problem->mass_inverse[body[s]][c]);
    }
}

static cairn_status create_on_bodies(con_range *range, base_arena *arena)
{
    size_t n = (size_t)range->problem->contact_count, m = (size_t)range->problem->body_count;
    range->columns = 6 * (int)m;
    if (m == 0)
        return CAIRN_OK;
    BASE_TRY(create_pattern(range, arena));
    BASE_TRY(con_block_order_create(&range->pattern, 6, arena, &range->order));
    BASE_TRY(con_block_lu_create(&range->order, NULL, NULL, arena, &range->lu));
    range->J = base_arena_allocate(arena, "J", n, sizeof *range->J);
    range->slot = base_arena_allocate(arena, "slots", n, sizeof *range->slot);
    range->diagonal = base_arena_array(arena, int, "diagonal", m + 1);
    range->values =
        base_arena_array(arena, double, "normal matrix", 36 * (size_t)range->pattern.start[m] + 1);
    if (range->J == NULL || range->slot == NULL || range->diagonal == NULL || range->values == NULL)
        return CAIRN_ERROR_MEMORY;
    fill_blocks(range);
    return CAIRN_OK;
}

// a += A^T B of two 3x6 blocks
static void add_product(const double A[3][6], const double B[3][6], double *a)
{
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
            a[6 * r + c] += A[0][r] * B[0][c] + A[1][r] * B[1][c] + A[2][r] * B[2][c];
}

static cairn_status factor_on_bodies(con_range *range, const double (*F)[3][3], double shift)
{
    const con_problem *problem = range->problem;
    int m = problem->body_count;
    memset(range->values, 0, 36 * (size_t)range->pattern.start[m] * sizeof *range->values);
    for (int i = 0; i < problem->contact_count; i++) {
        double FJ[2][3][6];
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 6; c++)
                    FJ[s][k][c] = F[i][k][0] * range->J[i][s][0][c] +
                                  F[i][k][1] * range->J[i][s][1][c] +
                                  F[i][k][2] * range->J[i][s][2][c];
        for (int s = 0; s < 2; s++)
            for (int t = 0; t < 2; t++)
                if (range->slot[i][s][t] >= 0)
                    add_product((const double(*)[6])FJ[s], (const double(*)[6])FJ[t],
                                range->values + 36 * (size_t)range->slot[i][s][t]);
    }
    double largest = 0.0;
    for (int b = 0; b < m; b++)
        for (int k = 0; k < 6; k++)
            largest = fmax(largest, range->values[36 * (size_t)range->diagonal[b] + 7 * k]);
    for (int b = 0; b < m; b++)
        for (int k = 0; k < 6; k++)
            range->values[36 * (size_t)range->diagonal[b] + 7 * k] +=
                shift + (largest > 0.0 ? regularisation * largest : 1.0);
    return con_block_lu_factor(&range->lu, range->values, NULL) ? CAIRN_OK : CAIRN_ERROR_NUMERICAL;
}

// ---------------------------------------------------------------- dense

// column-major copy of W, or of its symmetric part
static void densify(const con_problem *problem, bool symmetric, double *out)
{
    const con_block_matrix *W = problem->W;
    size_t rows = 3 * (size_t)W->size;
    memset(out, 0, rows * rows * sizeof *out);
    for (int i = 0; i < W->size; i++)
        for (int e = W->start[i]; e < W->start[i + 1]; e++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    size_t row = 3 * (size_t)i + (size_t)r;
                    size_t column = 3 * (size_t)W->column[e] + (size_t)c;
                    double value = W->block[e].m[r][c];
                    out[row + rows * column] += symmetric ? 0.5 * value : value;
                    if (symmetric)
                        out[column + rows * row] += 0.5 * value;
                }
}

// columns of W that span its range, in range->picked; their number in range->columns
static cairn_status pick_columns(con_range *range, double *dense, base_arena *arena)
{
    int rows = range->rows, rank = 0, info = 0;
    int *pivot = base_arena_array(arena, int, "pivots", rows);
    double *work = base_arena_array(arena, double, "pivot work", 2 * (size_t)rows);
    if (pivot == NULL || work == NULL)
        return CAIRN_ERROR_MEMORY;
    densify(range->problem, true, dense);
    double largest = 0.0;
    for (int k = 0; k < rows; k++)
        largest = fmax(largest, dense[(size_t)k * ((size_t)rows + 1)]);
    double tolerance = rank_tolerance * largest;
    dpstrf_("L", &rows, dense, &rows, pivot, &rank, &tolerance, work, &info);
    if (info < 0)
        return CAIRN_ERROR_NUMERICAL;
    range->columns = largest > 0.0 ? rank : 0;
    for (int k = 0; k < range->columns; k++)
        range->picked[k] = pivot[k] - 1;
    return CAIRN_OK;
}

// Q and R of the picked columns
static cairn_status orthonormalise(con_range *range, base_arena *arena)
{
    int rows = range->rows, columns = range->columns, info = 0, size = 64 * (columns + 1);
    double *tau = base_arena_array(arena, double, "reflectors", columns + 1);
    double *work = base_arena_array(arena, double, "QR work", size);
    if (tau == NULL || work == NULL)
        return CAIRN_ERROR_MEMORY;
    dgeqrf_(&rows, &columns, range->basis, &rows, tau, work, &size, &info);
    for (int c = 0; c < columns; c++)
        memcpy(range->triangle + (size_t)c * (size_t)columns,
               range->basis + (size_t)c * (size_t)rows, (size_t)(c + 1) * sizeof(double));
    if (info == 0)
        dorgqr_(&rows, &columns, &columns, range->basis, &rows, tau, work, &size, &info);
    return info == 0 ? CAIRN_OK : CAIRN_ERROR_NUMERICAL;
}

static cairn_status create_dense(con_range *range, base_arena *arena)
{
    size_t rows = (size_t)range->rows;
    // the copy of W stays below the rest and becomes the basis
    double *dense = base_arena_array(arena, double, "dense W", rows *rows + 1);
    range->picked = base_arena_array(arena, int, "columns", rows + 1);
    if (dense == NULL || range->picked == NULL)
        return CAIRN_ERROR_MEMORY;
    BASE_TRY(pick_columns(range, dense, arena));
    size_t columns = (size_t)range->columns;
    range->basis = base_arena_array(arena, double, "basis", rows *columns + 1);
    range->scaled = base_arena_array(arena, double, "scaled", rows *columns + 1);
    range->triangle = base_arena_array(arena, double, "triangle", columns *columns + 1);
    range->normal = base_arena_array(arena, double, "normal", columns *columns + 1);
    if (range->basis == NULL || range->scaled == NULL || range->triangle == NULL ||
        range->normal == NULL)
        return CAIRN_ERROR_MEMORY;
    densify(range->problem, false, dense);
    for (size_t c = 0; c < columns; c++)
        memcpy(range->basis + c * rows, dense + (size_t)range->picked[c] * rows,
               rows * sizeof *dense);
    return columns > 0 ? orthonormalise(range, arena) : CAIRN_OK;
}

static cairn_status factor_dense(con_range *range, const double (*F)[3][3], double shift)
{
    int rows = range->rows, columns = range->columns, info = 0;
    const double one = 1.0, zero = 0.0;
    for (int c = 0; c < columns; c++) {
        const double *from = range->basis + (size_t)c * (size_t)rows;
        double *to = range->scaled + (size_t)c * (size_t)rows;
        for (int i = 0; i < rows / 3; i++)
            for (int k = 0; k < 3; k++)
                to[3 * i + k] = F[i][k][0] * from[3 * i] + F[i][k][1] * from[3 * i + 1] +
                                F[i][k][2] * from[3 * i + 2];
    }
    dsyrk_("L", "T", &columns, &rows, &one, range->scaled, &rows, &zero, range->normal, &columns);
    double largest = 0.0;
    for (int c = 0; c < columns; c++)
        largest = fmax(largest, range->normal[(size_t)c * ((size_t)columns + 1)]);
    for (int c = 0; c < columns; c++)
        range->normal[(size_t)c * ((size_t)columns + 1)] += shift + regularisation * largest;
    dpotrf_("L", &columns, range->normal, &columns, &info);
    return info == 0 ? CAIRN_OK : CAIRN_ERROR_NUMERICAL;
}

// ---------------------------------------------------------------- both

static cairn_status create_sparse(con_range *range, base_arena *arena)
{
    range->is_sparse = true;
    range->columns = range->rows;
    return con_range_sparse_create(range->problem, arena, &range->sparse);
}

static double mean_square(const con_range *range)
{
    if (range->is_sparse) {
        // of the rows of W D
        const con_block_matrix *W = range->problem->W;
        double sum = 0.0;
        for (int e = 0; e < W->start[W->size]; e++) {
            double scale = range->sparse.scale[W->column[e]];
            for (int k = 0; k < 9; k++)
                sum += scale * scale * W->block[e].m[k / 3][k % 3] * W->block[e].m[k / 3][k % 3];
        }
        return sum / (double)range->rows;
    }
    if (range->columns == 0 || range->problem->H == NULL)
        return (double)range->columns / (double)range->rows;
    double sum = 0.0;
    const double *entry = (const double *)range->J;
    for (size_t k = 0; k < 36 * (size_t)range->problem->contact_count; k++)
        sum += entry[k] * entry[k];
    return sum / (double)range->rows;
}

cairn_status con_range_create(const con_problem *problem, base_arena *arena, con_range *range)
{
    *range = (con_range){.problem = problem, .rows = 3 * problem->contact_count};
    cairn_status status = problem->H != NULL                      ? create_on_bodies(range, arena)
                          : range->rows <= CON_EXISTENCE_ROWS_MAX ? create_dense(range, arena)
                                                                  : create_sparse(range, arena);
    if (status == CAIRN_OK)
        range->unit = mean_square(range);
    return status;
}

void con_range_apply(const con_range *range, const double *y, double (*out)[3])
{
    const con_problem *problem = range->problem;
    const int one = 1;
    const double unit = 1.0, zero = 0.0;
    if (range->is_sparse) {
        con_range_sparse_apply(&range->sparse, y, out);
        return;
    }
    memset(out, 0, (size_t)problem->contact_count * sizeof *out);
    if (problem->H == NULL) {
        if (range->columns > 0)
            dgemv_("N", &range->rows, &range->columns, &unit, range->basis, &range->rows, y, &one,
                   &zero, out[0], &one);
        return;
    }
    for (int i = 0; i < problem->contact_count; i++)
        for (int s = 0; s < 2; s++) {
            if (problem->body[i][s] < 0)
                continue;
            const double *v = y + 6 * (size_t)problem->body[i][s];
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 6; c++)
                    out[i][k] += range->J[i][s][k][c] * v[c];
        }
}

void con_range_apply_transposed(const con_range *range, const double (*x)[3], double *out)
{
    const con_problem *problem = range->problem;
    const int one = 1;
    const double unit = 1.0, zero = 0.0;
    if (range->is_sparse) {
        con_range_sparse_apply_transposed(&range->sparse, x, out);
        return;
    }
    memset(out, 0, (size_t)range->columns * sizeof *out);
    if (problem->H == NULL) {
        if (range->columns > 0)
            dgemv_("T", &range->rows, &range->columns, &unit, range->basis, &range->rows, x[0],
                   &one, &zero, out, &one);
        return;
    }
    for (int i = 0; i < problem->contact_count; i++)
        for (int s = 0; s < 2; s++) {
            if (problem->body[i][s] < 0)
                continue;
            double *v = out + 6 * (size_t)problem->body[i][s];
            for (int k = 0; k < 3; k++)
                for (int c = 0; c < 6; c++)
                    v[c] += range->J[i][s][k][c] * x[i][k];
        }
}

cairn_status con_range_factor(con_range *range, const double (*F)[3][3], double shift)
{
    if (range->columns == 0)
        return CAIRN_OK;
    if (range->is_sparse)
        return con_range_sparse_factor(&range->sparse, F, shift, regularisation);
    return range->problem->H != NULL ? factor_on_bodies(range, F, shift)
                                     : factor_dense(range, F, shift);
}

void con_range_solve(con_range *range, double *x)
{
    const int one = 1;
    int info = 0;
    if (range->columns == 0)
        return;
    if (range->is_sparse)
        con_block_lu_solve(&range->sparse.lu, x);
    else if (range->problem->H != NULL)
        con_block_lu_solve(&range->lu, x);
    else
        dpotrs_("L", &range->columns, &one, range->normal, &range->columns, x, &range->columns,
                &info);
}

// ---------------------------------------------------------------- the problem's own operators

cairn_status con_range_velocity(const con_range *range, double *y, double (*U)[3],
                                base_arena *arena)
{
    const con_problem *problem = range->problem;
    const int one = 1;
    if (problem->H != NULL) {
        // v = v_free + M^-1/2 y
        for (int b = 0; b < problem->body_count; b++)
            for (int k = 0; k < 6; k++)
                y[6 * b + k] =
                    problem->v_free[b][k] + sqrt(problem->mass_inverse[b][k]) * y[6 * b + k];
        con_apply_H(problem, (const double(*)[6])y, problem->w, U);
        return CAIRN_OK;
    }
    size_t n = (size_t)problem->contact_count;
    double(*r)[3] = base_arena_allocate(arena, "impulses", n, sizeof *r);
    if (r == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(r, 0, n * sizeof *r);
    if (range->columns > 0 && !range->is_sparse)
        dtrsv_("U", "N", "N", &range->columns, range->triangle, &range->columns, y, &one);
    for (int c = 0; c < range->columns; c++) {
        int at = range->is_sparse ? c : range->picked[c];
        r[at / 3][at % 3] = range->is_sparse ? range->sparse.scale[at / 3] * y[c] : y[c];
    }
    return con_problem_velocity(problem, (const double(*)[3])r, U, arena);
}

// out = W^T d, and the largest entry of W
static double apply_W_transposed(const con_block_matrix *W, const double (*d)[3], double *out)
{
    double largest = 0.0;
    for (int i = 0; i < W->size; i++)
        for (int e = W->start[i]; e < W->start[i + 1]; e++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    out[3 * W->column[e] + c] += W->block[e].m[r][c] * d[i][r];
                    largest = fmax(largest, fabs(W->block[e].m[r][c]));
                }
    return largest;
}

cairn_status con_range_residual(const con_range *range, const double (*d)[3], double *residual,
                                base_arena *arena)
{
    const con_problem *problem = range->problem;
    size_t size = (size_t)(range->columns > range->rows ? range->columns : range->rows);
    double *out = base_arena_array(arena, double, "W^T d", size + 1);
    if (out == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(out, 0, size * sizeof *out);
    double largest = 0.0, sum = 0.0, top = 0.0;
    if (problem->H == NULL) {
        largest = apply_W_transposed(problem->W, d, out);
    } else {
        con_range_apply_transposed(range, d, out);
        const double *entry = (const double *)range->J;
        for (size_t k = 0; k < 36 * (size_t)problem->contact_count && range->J != NULL; k++)
            largest = fmax(largest, fabs(entry[k]));
    }
    for (int i = 0; i < problem->contact_count; i++)
        sum += fabs(d[i][0]) + fabs(d[i][1]) + fabs(d[i][2]);
    for (size_t k = 0; k < size; k++)
        top = fmax(top, fabs(out[k]));
    *residual = largest * sum > 0.0 ? top / (largest * sum) : 0.0;
    return CAIRN_OK;
}
