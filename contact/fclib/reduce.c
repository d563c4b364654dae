// SPDX-License-Identifier: Apache-2.0
// Elimination of velocities and multipliers from a file's problem.
#include "contact/fclib/reduce.h"

#include "contact/linear/sparse_lu.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/// Of a constraint's diagonal, subtracted where constraints depend on one another.
static const double regularisation = 1e-11;

enum { REFINEMENTS = 6 };

// the matrix to eliminate, factorised, with one right-hand side
typedef struct elimination {
    int size;
    con_sparse_lu *lu;
    double *x; // [size]
    con_sparse matrix;
    double *right; // [size] right side and its residual where the factors are of a regularised
    double *rest;  //        matrix; NULL where they are of the matrix itself
    double *moved; // [size] what was added to its diagonal
    double least;  // of right sides: what is smaller is round-off
} elimination;

// M and G in one matrix [M G; G^T 0]
static cairn_status saddle_matrix(const con_fclib_problem *content, base_arena *arena,
                                  con_sparse *K)
{
    if (content->equality_count == 0) {
        *K = content->M;
        return CAIRN_OK;
    }
    const con_sparse *M = &content->M, *G = &content->G;
    int n = content->velocity_count;
    int64_t count = (int64_t)con_sparse_count(M) + 2 * (int64_t)con_sparse_count(G);
    con_triplets entries;
    if (count > INT_MAX || con_triplets_reserve(&entries, (int)count, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int j = 0; j < n; j++)
        for (int k = M->start[j]; k < M->start[j + 1]; k++)
            con_triplets_add(&entries, M->index[k], j, M->value[k]);
    for (int j = 0; j < G->columns; j++)
        for (int k = G->start[j]; k < G->start[j + 1]; k++) {
            con_triplets_add(&entries, G->index[k], n + j, G->value[k]);
            con_triplets_add(&entries, n + j, G->index[k], G->value[k]);
        }
    int size = n + content->equality_count;
    return con_sparse_from_triplets(&entries, size, size, arena, K);
}

// sum of G_k M^-1 G_k over the diagonal of M
static double constraint_size(const con_fclib_problem *content, const double *mass, int row)
{
    double sum = 0.0;
    const con_sparse *G = &content->G;
    for (int k = G->start[row]; k < G->start[row + 1]; k++)
        if (mass[G->index[k]] > 0.0)
            sum += G->value[k] * G->value[k] / mass[G->index[k]];
    return sum > 0.0 ? sum : 1.0;
}

// the matrix moved off singularity along the constraints
static cairn_status regularised_matrix(const con_fclib_problem *content, const con_sparse *K,
                                       double *moved, base_arena *arena, con_sparse *out)
{
    con_triplets entries;
    bool global = content->form == CON_FCLIB_GLOBAL;
    int first = global ? content->velocity_count : 0;
    double *diagonal = base_arena_array(arena, double, "diagonal", K->rows);
    if (diagonal == NULL || con_sparse_count(K) > INT_MAX - K->rows ||
        con_triplets_reserve(&entries, con_sparse_count(K) + K->rows, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;

    // diagonal of
    memset(diagonal, 0, (size_t)K->columns * sizeof *diagonal);
    for (int j = 0; j < K->columns; j++)
        for (int k = K->start[j]; k < K->start[j + 1]; k++)
            if (K->index[k] == j)
                diagonal[j] = K->value[k];

    for (int j = 0; j < K->columns; j++)
        for (int k = K->start[j]; k < K->start[j + 1]; k++)
            con_triplets_add(&entries, K->index[k], j, K->value[k]);
    memset(moved, 0, (size_t)K->rows * sizeof *moved);
    for (int k = first; k < K->rows; k++) {
        double size = global               ? -constraint_size(content, diagonal, k - first)
                      : diagonal[k] != 0.0 ? diagonal[k]
                                           : 1.0;
        moved[k] = regularisation * size;
        con_triplets_add(&entries, k, k, moved[k]);
    }
    return con_sparse_from_triplets(&entries, K->rows, K->rows, arena, out);
}

static cairn_status factor_regularised(const con_fclib_problem *content, base_arena *arena,
                                       elimination *system)
{
    con_sparse matrix;
    int size = system->matrix.rows;
    system->right = base_arena_array(arena, double, "elimination", size);
    system->rest = base_arena_array(arena, double, "elimination", size);
    system->moved = base_arena_array(arena, double, "elimination", size);
    if (system->right == NULL || system->rest == NULL || system->moved == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status =
        regularised_matrix(content, &system->matrix, system->moved, arena, &matrix);
    return status == CAIRN_OK ? con_sparse_lu_create(&matrix, arena, &system->lu) : status;
}

static cairn_status elimination_begin(const con_fclib_problem *content, base_arena *arena,
                                      elimination *system, cairn_error *error)
{
    system->matrix = content->R;
    cairn_status status = CAIRN_OK;
    int rows = content->form == CON_FCLIB_LOCAL ? content->dimension * content->contact_count : 0;
    for (int i = 0; i < rows; i++)
        system->least = fmax(system->least, 1e-6 * fabs(content->q[i]));
    if (content->form == CON_FCLIB_GLOBAL)
        status = saddle_matrix(content, arena, &system->matrix);
    if (status == CAIRN_OK)
        status = con_sparse_lu_create(&system->matrix, arena, &system->lu);
    if (status == CAIRN_ERROR_NUMERICAL && content->equality_count > 0)
        status = factor_regularised(content, arena, system);
    if (status == CAIRN_ERROR_NUMERICAL)
        return base_fail(error, status, "%s is singular: it cannot be eliminated",
                         content->form == CON_FCLIB_LOCAL ? "the matrix R of the constraints"
                         : content->equality_count > 0    ? "the matrix [M G; G^T 0]"
                                                          : "the matrix M");
    if (status == CAIRN_OK) {
        system->size = system->matrix.rows;
        system->x = base_arena_array(arena, double, "elimination", system->size);
        if (system->x != NULL)
            return CAIRN_OK;
        con_sparse_lu_destroy(system->lu);
    }
    return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
}

// x = K^-1 x, refined where the factors are of a matrix moved off singularity
static void elimination_refine(const elimination *system)
{
    size_t bytes = (size_t)system->size * sizeof *system->x;
    if (system->rest != NULL)
        memcpy(system->right, system->x, bytes);
    con_sparse_lu_solve(system->lu, system->x);
    for (int turn = 0; turn < REFINEMENTS && system->rest != NULL; turn++) {
        memset(system->rest, 0, bytes);
        con_sparse_apply_add(&system->matrix, system->x, system->rest);
        for (int i = 0; i < system->size; i++)
            system->rest[i] = system->right[i] - system->rest[i];
        con_sparse_lu_solve(system->lu, system->rest);
        for (int i = 0; i < system->size; i++)
            system->x[i] += system->rest[i];
    }
}

// false where what was solved is no solution; what is missing is left in `rest`
static bool elimination_holds(const elimination *system)
{
    double most = 0.0, size = system->least;
    memset(system->rest, 0, (size_t)system->size * sizeof *system->rest);
    con_sparse_apply_add(&system->matrix, system->x, system->rest);
    for (int i = 0; i < system->size; i++) {
        most = fmax(most, fabs(system->right[i] - system->rest[i]));
        size = fmax(size, fabs(system->right[i]));
    }
    return most <= 1e-8 * size;
}

// x = K^-1 x. Constraints that contradict one another are met as well as can be (least squares), as
// in a live step: what they do not agree upon lies in the kernel of K, where the factors divide by
// what was added to the diagonal, and is taken off the right side. False where that does not help
static bool elimination_solve(const elimination *system)
{
    elimination_refine(system);
    if (system->rest == NULL || elimination_holds(system))
        return true;
    memcpy(system->x, system->right, (size_t)system->size * sizeof *system->x);
    con_sparse_lu_solve(system->lu, system->x);
    for (int i = 0; i < system->size; i++)
        system->x[i] = system->right[i] - system->moved[i] * system->x[i];
    elimination_refine(system);
    return elimination_holds(system);
}

// x = K^-1 (column j of `a`, zeros below)
static void solve_column(const elimination *system, const con_sparse *a, int j)
{
    memset(system->x, 0, (size_t)system->size * sizeof *system->x);
    for (int k = a->start[j]; k < a->start[j + 1]; k++)
        system->x[a->index[k]] = a->value[k];
    elimination_solve(system);
}

// columns of a matrix that come one after the other
typedef struct column_list {
    int rows;
    int columns;
    int *start;
    int *index;
    double *value;
    int capacity;
} column_list;

// grows in the arena by doubling; the room left behind is at most what is in use
static cairn_status column_list_reserve(column_list *list, int needed, base_arena *arena)
{
    if (needed <= list->capacity)
        return CAIRN_OK;
    int64_t wanted = 2 * (int64_t)needed;
    int capacity = wanted < INT_MAX ? (int)wanted : INT_MAX;
    int *index = base_arena_array(arena, int, "columns", capacity);
    double *value = base_arena_array(arena, double, "columns", capacity);
    if (index == NULL || value == NULL)
        return CAIRN_ERROR_MEMORY;
    int used = list->columns == 0 ? 0 : list->start[list->columns];
    if (used > 0) {
        memcpy(index, list->index, (size_t)used * sizeof *index);
        memcpy(value, list->value, (size_t)used * sizeof *value);
    }
    list->index = index;
    list->value = value;
    list->capacity = capacity;
    return CAIRN_OK;
}

static cairn_status column_list_add(column_list *list, const double *column, base_arena *arena)
{
    int used = list->start[list->columns];
    if (used > INT_MAX - list->rows ||
        column_list_reserve(list, used + list->rows, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < list->rows; i++)
        if (column[i] != 0.0) {
            list->index[used] = i;
            list->value[used++] = column[i];
        }
    list->start[++list->columns] = used;
    return CAIRN_OK;
}

// column j of W' into `column`
static void reduced_column(const con_fclib_problem *content, const elimination *system, int j,
                           double *column)
{
    int rows = content->dimension * content->contact_count;
    memset(column, 0, (size_t)rows * sizeof *column);
    if (content->form == CON_FCLIB_GLOBAL) {
        solve_column(system, &content->H, j);
        con_sparse_apply_transposed_add(&content->H, system->x, column);
        return;
    }
    solve_column(system, &content->S, j);
    con_sparse_apply_add(&content->V, system->x, column);
    for (int i = 0; i < rows; i++)
        column[i] = -column[i];
    for (int k = content->W.start[j]; k < content->W.start[j + 1]; k++)
        column[content->W.index[k]] += content->W.value[k];
}

static cairn_status reduce_matrix(const con_fclib_problem *content, const elimination *system,
                                  base_arena *arena, con_sparse *W)
{
    int rows = content->dimension * content->contact_count;
    column_list list = {.rows = rows,
                        .start = base_arena_array(arena, int, "W start", (size_t)rows + 1)};
    double *column = base_arena_array(arena, double, "W column", rows);
    if (list.start == NULL || column == NULL)
        return CAIRN_ERROR_MEMORY;
    list.start[0] = 0;
    cairn_status status = CAIRN_OK;
    for (int j = 0; j < rows && status == CAIRN_OK; j++) {
        reduced_column(content, system, j, column);
        status = column_list_add(&list, column, arena);
    }
    *W = (con_sparse){rows, rows, list.start, list.index, list.value};
    return status;
}

// right-hand side of the elimination without impulses: s, or (f, -b)
static void load_constant(const con_fclib_problem *content, const elimination *system)
{
    if (content->form == CON_FCLIB_LOCAL) {
        memcpy(system->x, content->s, (size_t)system->size * sizeof *system->x);
        return;
    }
    int n = content->velocity_count;
    memcpy(system->x, content->f, (size_t)n * sizeof *system->x);
    for (int k = 0; k < content->equality_count; k++)
        system->x[n + k] = -content->b[k];
}

static cairn_status reduce_vector(const con_fclib_problem *content, const elimination *system,
                                  base_arena *arena, const double **out)
{
    int rows = content->dimension * content->contact_count;
    double *q = base_arena_array(arena, double, "q", rows);
    if (q == NULL)
        return CAIRN_ERROR_MEMORY;
    load_constant(content, system);
    if (!elimination_solve(system))
        return CAIRN_ERROR_NUMERICAL;
    if (content->form == CON_FCLIB_GLOBAL) {
        memcpy(q, content->w, (size_t)rows * sizeof *q);
        con_sparse_apply_transposed_add(&content->H, system->x, q);
    } else {
        for (int i = 0; i < system->size; i++)
            system->x[i] = -system->x[i];
        memcpy(q, content->q, (size_t)rows * sizeof *q);
        con_sparse_apply_add(&content->V, system->x, q);
    }
    *out = q;
    return CAIRN_OK;
}

cairn_status con_fclib_reduce(const con_fclib_problem *content, base_arena *arena, con_sparse *W,
                              const double **q, cairn_error *error)
{
    if (content->form == CON_FCLIB_LOCAL && content->equality_count == 0) {
        *W = content->W;
        *q = content->q;
        return CAIRN_OK;
    }
    elimination system = {0};
    BASE_TRY(elimination_begin(content, arena, &system, error));
    cairn_status status = reduce_matrix(content, &system, arena, W);
    if (status == CAIRN_OK)
        status = reduce_vector(content, &system, arena, q);
    con_sparse_lu_destroy(system.lu);
    if (status == CAIRN_ERROR_NUMERICAL)
        return base_fail(error, status,
                         "the equality constraints contradict one another too much to be "
                         "eliminated");
    return status == CAIRN_OK ? CAIRN_OK
                              : base_fail(error, status, "%s", cairn_status_text(status));
}

cairn_status con_fclib_complete(const con_fclib_problem *content, const double *r, double *v,
                                double *l, base_arena *arena, cairn_error *error)
{
    if (content->form == CON_FCLIB_LOCAL && content->equality_count == 0)
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(arena);
    elimination system = {0};
    cairn_status status = elimination_begin(content, arena, &system, error);
    if (status == CAIRN_OK) {
        // right-hand side with impulses, solved; the unknowns go to v and l
        bool global = content->form == CON_FCLIB_GLOBAL;
        load_constant(content, &system);
        con_sparse_apply_add(global ? &content->H : &content->S, r, system.x);
        elimination_solve(&system);
        int n = content->velocity_count;
        if (v != NULL && global)
            memcpy(v, system.x, (size_t)n * sizeof *v);
        for (int k = 0; k < content->equality_count && l != NULL; k++)
            l[k] = -system.x[n + k];

        con_sparse_lu_destroy(system.lu);
    }
    base_arena_rewind(arena, mark);
    return status;
}
