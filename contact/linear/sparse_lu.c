// SPDX-License-Identifier: Apache-2.0
// Sparse LU factorisation of a square matrix, scaled, with partial pivoting (CXSparse).
#include "contact/linear/sparse_lu.h"

#include <math.h>
#include <stdbool.h>
#include <suitesparse/cs.h>

enum { SCALING_ROUNDS = 8, ORDER_LU = 2 };

static const double smallest_pivot = 1e-13;

struct con_sparse_lu {
    int size;
    cs_dis *symbolic;
    cs_din *numeric;
    double *row_scale;    // [size]
    double *column_scale; // [size]
    double *work;         // [size]
};

static cairn_status scale(const con_sparse *a, base_arena *arena, con_sparse_lu *lu)
{
    lu->row_scale = base_arena_array(arena, double, "row scale", a->rows);
    lu->column_scale = base_arena_array(arena, double, "column scale", a->rows);
    lu->work = base_arena_array(arena, double, "lu work", a->rows);
    base_arena_mark mark = base_arena_get_mark(arena);
    double *row_max = base_arena_array(arena, double, "row max", a->rows);
    double *column_max = base_arena_array(arena, double, "column max", a->rows);
    if (lu->row_scale == NULL || lu->column_scale == NULL || lu->work == NULL || row_max == NULL ||
        column_max == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < a->rows; i++)
        lu->row_scale[i] = lu->column_scale[i] = 1.0;
    for (int round = 0; round < SCALING_ROUNDS; round++) {
        // one round of Ruiz scaling: divides by the square roots of the largest entries
        double *row = lu->row_scale;
        double *column = lu->column_scale;
        for (int i = 0; i < a->rows; i++)
            row_max[i] = column_max[i] = 0.0;
        for (int j = 0; j < a->columns; j++)
            for (int k = a->start[j]; k < a->start[j + 1]; k++) {
                int i = a->index[k];
                double size = fabs(row[i] * a->value[k] * column[j]);
                row_max[i] = fmax(row_max[i], size);
                column_max[j] = fmax(column_max[j], size);
            }
        for (int i = 0; i < a->rows; i++) {
            row[i] /= row_max[i] > 0.0 ? sqrt(row_max[i]) : 1.0;
            column[i] /= column_max[i] > 0.0 ? sqrt(column_max[i]) : 1.0;
        }
    }
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}

static bool pivots_are_sound(const con_sparse_lu *lu)
{
    // the diagonal comes last in every column of U
    const cs_di *U = lu->numeric->U;
    for (int j = 0; j < lu->size; j++)
        if (!(fabs(U->x[U->p[j + 1] - 1]) >= smallest_pivot))
            return false;
    return true;
}

static cairn_status factorise(const con_sparse *a, base_arena *arena, con_sparse_lu *lu)
{
    int count = con_sparse_count(a);
    double *value = base_arena_array(arena, double, "scaled matrix", count);
    if (value == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int j = 0; j < a->columns; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            value[k] = lu->row_scale[a->index[k]] * a->value[k] * lu->column_scale[j];
    // the library reads its argument only, but takes pointers that could write
    cs_di scaled = {count, a->rows, a->columns, (int *)a->start, (int *)a->index, value, -1};
    lu->symbolic = cs_di_sqr(ORDER_LU, &scaled, 0);
    if (lu->symbolic == NULL)
        return CAIRN_ERROR_MEMORY;
    lu->numeric = cs_di_lu(&scaled, lu->symbolic, 1.0);
    return lu->numeric != NULL && pivots_are_sound(lu) ? CAIRN_OK : CAIRN_ERROR_NUMERICAL;
}

cairn_status con_sparse_lu_create(const con_sparse *a, base_arena *arena, con_sparse_lu **out)
{
    *out = NULL;
    con_sparse_lu *lu = base_arena_array(arena, con_sparse_lu, "lu", 1);
    if (lu == NULL)
        return CAIRN_ERROR_MEMORY;
    *lu = (con_sparse_lu){.size = a->rows};
    cairn_status status = scale(a, arena, lu);
    base_arena_mark mark = base_arena_get_mark(arena);
    if (status == CAIRN_OK)
        status = factorise(a, arena, lu);
    base_arena_rewind(arena, mark);
    if (status == CAIRN_OK)
        *out = lu;
    else
        con_sparse_lu_destroy(lu);
    return status;
}

void con_sparse_lu_destroy(con_sparse_lu *lu)
{
    if (lu == NULL)
        return;
    cs_di_sfree(lu->symbolic);
    cs_di_nfree(lu->numeric);
}

void con_sparse_lu_solve(const con_sparse_lu *lu, double *x)
{
    for (int i = 0; i < lu->size; i++)
        x[i] *= lu->row_scale[i];
    cs_di_ipvec(lu->numeric->pinv, x, lu->work, lu->size);
    cs_di_lsolve(lu->numeric->L, lu->work);
    cs_di_usolve(lu->numeric->U, lu->work);
    cs_di_ipvec(lu->symbolic->q, lu->work, x, lu->size);
    for (int i = 0; i < lu->size; i++)
        x[i] *= lu->column_scale[i];
}
