// SPDX-License-Identifier: Apache-2.0
// What can be said about a problem file without solving it.
#include "contact/fclib/fclib.h"
#include "contact/fclib/reduce.h"

#include <math.h>
#include <string.h>

static const double rank_tolerance = 1e-10;

// singular values by divide and conquer (LAPACK, column major)
extern void dgesdd_(const char *job, const int *rows, const int *columns, double *a,
                    const int *leading, double *values, double *u, const int *leading_u, double *vt,
                    const int *leading_vt, double *work, const int *work_size, int *integer_work,
                    int *info);

// largest |A - A^T| over largest |A|
static cairn_status symmetry_error(const con_sparse *a, base_arena *arena, double *out)
{
    con_sparse transposed;
    double *column = base_arena_array(arena, double, "column", a->rows);
    if (column == NULL || con_sparse_transpose(a, arena, &transposed) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    memset(column, 0, (size_t)a->rows * sizeof *column);
    double largest = 0.0, difference = 0.0;
    for (int j = 0; j < a->columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            column[a->index[k]] = a->value[k];
            largest = fmax(largest, fabs(a->value[k]));
        }
        for (int k = transposed.start[j]; k < transposed.start[j + 1]; k++)
            column[transposed.index[k]] -= transposed.value[k];
        // entries of one pattern only are met from the side that has them
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            difference = fmax(difference, fabs(column[a->index[k]]));
        for (int k = transposed.start[j]; k < transposed.start[j + 1]; k++) {
            difference = fmax(difference, fabs(column[transposed.index[k]]));
            column[transposed.index[k]] = 0.0;
        }
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            column[a->index[k]] = 0.0;
    }
    *out = largest > 0.0 ? difference / largest : 0.0;
    return CAIRN_OK;
}

// singular values of a dense copy, descending; NULL where LAPACK fails or memory is short
static double *singular_values(const con_sparse *a, base_arena *arena)
{
    int small = a->rows < a->columns ? a->rows : a->columns;
    double *dense = base_arena_array(arena, double, "dense", (size_t)a->rows *(size_t)a->columns);
    double *values = base_arena_array(arena, double, "singular values", small);
    int *integers = base_arena_array(arena, int, "svd integers", 8 * (size_t)small);
    if (dense == NULL || values == NULL || integers == NULL)
        return NULL;
    con_sparse_to_dense(a, dense);
    double best = 0.0, none = 0.0;
    int query = -1, one = 1, info = 0;
    dgesdd_("N", &a->rows, &a->columns, dense, &a->rows, values, &none, &one, &none, &one, &best,
            &query, integers, &info);
    int size = (int)best;
    double *work = info == 0 ? base_arena_array(arena, double, "svd work", size) : NULL;
    if (work == NULL)
        return NULL;
    dgesdd_("N", &a->rows, &a->columns, dense, &a->rows, values, &none, &one, &none, &one, work,
            &size, integers, &info);
    return info == 0 ? values : NULL;
}

static double norm(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// |q| of the problem without impulses
static cairn_status describe_q(const con_fclib_problem *content, base_arena *arena,
                               con_fclib_description *out, cairn_error *error)
{
    int rows = content->dimension * content->contact_count;
    if (content->form == CON_FCLIB_LOCAL) {
        out->q_norm = norm(content->q, rows);
        return CAIRN_OK;
    }
    double *zero = base_arena_array(arena, double, "zero impulses", rows);
    double *u = base_arena_array(arena, double, "q", rows);
    double *v = base_arena_array(arena, double, "v", content->velocity_count);
    if (zero == NULL || u == NULL || v == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    memset(zero, 0, (size_t)rows * sizeof *zero);
    memcpy(u, content->w, (size_t)rows * sizeof *u);
    cairn_status status = con_fclib_complete(content, zero, v, NULL, arena, error);
    out->q_norm = NAN;
    if (status == CAIRN_ERROR_NUMERICAL)
        return CAIRN_OK;
    if (status != CAIRN_OK)
        return status;
    con_sparse_apply_transposed_add(&content->H, v, u);
    out->q_norm = norm(u, rows);
    return CAIRN_OK;
}

static cairn_status describe_bodies(const con_fclib_problem *content, base_arena *arena,
                                    con_fclib_description *out)
{
    if (content->form == CON_FCLIB_LOCAL)
        return CAIRN_OK;
    return con_fclib_count_bodies(content, arena, &out->body_count);
}

static cairn_status describe_matrices(const con_fclib_problem *content, base_arena *arena,
                                      con_fclib_description *out)
{
    bool local = content->form == CON_FCLIB_LOCAL;
    const con_sparse *a = local ? &content->W : &content->H;
    out->W_entries = con_sparse_count(&content->W);
    out->M_entries = con_sparse_count(&content->M);
    out->H_entries = con_sparse_count(&content->H);
    out->density = con_sparse_count(a) / ((double)a->rows * (double)a->columns);
    out->hyperstaticity =
        local ? content->freedom_count > 0 ? (double)a->rows / content->freedom_count : NAN
              : (double)content->H.columns / (double)content->velocity_count;

    // describe rank
    int small = a->rows < a->columns ? a->rows : a->columns;
    out->rank_full = small;
    out->rank = -1;
    out->conditioning = NAN;
    base_arena_mark mark = base_arena_get_mark(arena);
    double *values = small > CON_FCLIB_RANK_ROWS_MAX ? NULL : singular_values(a, arena);
    if (values != NULL) {
        out->rank = 0;
        while (out->rank < small && values[out->rank] > rank_tolerance * values[0])
            out->rank++;
        if (out->rank > 0)
            out->conditioning = values[0] / values[out->rank - 1];
    }
    base_arena_rewind(arena, mark);

    BASE_TRY(describe_bodies(content, arena, out));
    return symmetry_error(local ? &content->W : &content->M, arena, &out->symmetry_error);
}

cairn_status con_fclib_describe(const con_fclib_problem *content, base_arena *arena,
                                con_fclib_description *description, cairn_error *error)
{
    *description = (con_fclib_description){
        .form = content->form,
        .dimension = content->dimension,
        .contact_count = content->contact_count,
        .velocity_count = content->velocity_count,
        .equality_count = content->equality_count,
        .guess_count = content->guess_count,
        .has_info = content->info.title != NULL || content->info.description != NULL ||
                    content->info.math_info != NULL,
        .has_solution = content->has_solution,
        .has_solution_velocity = content->solution.v != NULL,
        .dropped_vectors = content->dropped_vectors,
    };
    base_arena_mark mark = base_arena_get_mark(arena);

    // describe friction
    description->friction_minimum = INFINITY;
    description->friction_maximum = 0.0;
    for (int c = 0; c < content->contact_count; c++) {
        description->friction_minimum = fmin(description->friction_minimum, content->friction[c]);
        description->friction_maximum = fmax(description->friction_maximum, content->friction[c]);
    }

    cairn_status status = describe_matrices(content, arena, description);
    if (status == CAIRN_OK)
        status = describe_q(content, arena, description, error);
    else
        base_fail(error, status, "%s", cairn_status_text(status));
    base_arena_rewind(arena, mark);
    return status;
}
