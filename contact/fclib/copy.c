// SPDX-License-Identifier: Apache-2.0
// Copies of the content of a problem file, checked as a file is.
#include "contact/fclib/fclib.h"

#include <math.h>
#include <string.h>

static cairn_status check_sparse(const con_sparse *a, const char *name, int rows, int columns,
                                 cairn_error *error)
{
    if (a->rows != rows || a->columns != columns)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s is %d x %d, not %d x %d", name, a->rows,
                         a->columns, rows, columns);
    if (a->start == NULL || a->start[0] != 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s: the first column must start at 0", name);
    for (int j = 0; j < columns; j++) {
        if (a->start[j + 1] < a->start[j])
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s: column %d ends before it starts",
                             name, j);
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            bool ascends = k == a->start[j] || a->index[k] > a->index[k - 1];
            if (a->index[k] < 0 || a->index[k] >= rows || !ascends)
                return base_fail(error, CAIRN_ERROR_ARGUMENT,
                                 "%s: row %d of column %d is out of range or order: 0 to %d, "
                                 "ascending",
                                 name, a->index[k], j, rows - 1);
            if (!isfinite(a->value[k]))
                return base_fail(error, CAIRN_ERROR_ARGUMENT,
                                 "%s: the entry of row %d, column %d is not finite", name,
                                 a->index[k], j);
        }
    }
    return CAIRN_OK;
}

static cairn_status copy_sparse(const con_sparse *a, const char *name, int rows, int columns,
                                base_arena *memory, con_sparse *out, cairn_error *error)
{
    BASE_TRY(check_sparse(a, name, rows, columns, error));
    int count = con_sparse_count(a);
    int *start = base_arena_array(memory, int, "start", columns + 1);
    int *index = base_arena_array(memory, int, "index", count + 1);
    double *value = base_arena_array(memory, double, "value", count + 1);
    if (start == NULL || index == NULL || value == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", name);
    memcpy(start, a->start, ((size_t)columns + 1) * sizeof *start);
    if (count > 0) {
        memcpy(index, a->index, (size_t)count * sizeof *index);
        memcpy(value, a->value, (size_t)count * sizeof *value);
    }
    *out = (con_sparse){rows, columns, start, index, value};
    return CAIRN_OK;
}

/// Copies a vector, which must be there; of length 0 it may be NULL.
static cairn_status copy_vector(const double *values, const char *name, int count, double minimum,
                                base_arena *memory, const double **out, cairn_error *error)
{
    if (values == NULL && count > 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s is missing", name);
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]) || values[i] < minimum)
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s[%d] = %g is out of range%s", name, i,
                             values[i], minimum == 0.0 ? ": 0 or more" : ": finite");
    double *copy = base_arena_array(memory, double, name, count + 1);
    if (copy == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", name);
    if (count > 0)
        memcpy(copy, values, (size_t)count * sizeof *copy);
    *out = copy;
    return CAIRN_OK;
}

static cairn_status copy_optional(const double *values, const char *name, int count,
                                  base_arena *memory, const double **out, cairn_error *error)
{
    *out = NULL;
    return values == NULL ? CAIRN_OK
                          : copy_vector(values, name, count, -INFINITY, memory, out, error);
}

static cairn_status copy_text(const char *text, base_arena *memory, const char **out)
{
    *out = NULL;
    if (text == NULL)
        return CAIRN_OK;
    size_t size = strlen(text) + 1;
    char *copy = base_arena_allocate(memory, "text", size, 1);
    *out = copy != NULL ? memcpy(copy, text, size) : NULL;
    return copy != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status copy_vectors(const con_fclib_problem *of, const con_fclib_vectors *from,
                                 base_arena *memory, con_fclib_vectors *to, cairn_error *error)
{
    int rows = of->dimension * of->contact_count;
    cairn_status status = copy_optional(from->v, "v", of->velocity_count, memory, &to->v, error);
    if (status == CAIRN_OK)
        status = copy_optional(from->u, "u", rows, memory, &to->u, error);
    if (status == CAIRN_OK)
        status = copy_optional(from->r, "r", rows, memory, &to->r, error);
    return status != CAIRN_OK
               ? status
               : copy_optional(from->l, "l", of->equality_count, memory, &to->l, error);
}

static cairn_status copy_local(const con_fclib_problem *from, base_arena *memory,
                               con_fclib_problem *to, cairn_error *error)
{
    int d = from->dimension * from->contact_count, p = from->equality_count;
    BASE_TRY(copy_sparse(&from->W, "W", d, d, memory, &to->W, error));
    BASE_TRY(copy_vector(from->q, "q", d, -INFINITY, memory, &to->q, error));
    if (p > 0)
        BASE_TRY(copy_sparse(&from->V, "V", d, p, memory, &to->V, error));
    if (p > 0 && from->S.start != NULL)
        BASE_TRY(copy_sparse(&from->S, "S", p, d, memory, &to->S, error));
    if (p > 0)
        BASE_TRY(copy_sparse(&from->R, "R", p, p, memory, &to->R, error));
    if (p > 0)
        BASE_TRY(copy_vector(from->s, "s", p, -INFINITY, memory, &to->s, error));
    return CAIRN_OK;
}

static cairn_status copy_global(const con_fclib_problem *from, base_arena *memory,
                                con_fclib_problem *to, cairn_error *error)
{
    int d = from->dimension * from->contact_count, p = from->equality_count;
    int n = from->velocity_count;
    BASE_TRY(copy_sparse(&from->M, "M", n, n, memory, &to->M, error));
    BASE_TRY(copy_sparse(&from->H, "H", n, d, memory, &to->H, error));
    BASE_TRY(copy_vector(from->f, "f", n, -INFINITY, memory, &to->f, error));
    BASE_TRY(copy_vector(from->w, "w", d, -INFINITY, memory, &to->w, error));
    if (p > 0)
        BASE_TRY(copy_sparse(&from->G, "G", n, p, memory, &to->G, error));
    if (p > 0)
        BASE_TRY(copy_vector(from->b, "b", p, -INFINITY, memory, &to->b, error));
    return CAIRN_OK;
}

static cairn_status copy_guesses(const con_fclib_problem *from, base_arena *memory,
                                 con_fclib_problem *to, cairn_error *error)
{
    con_fclib_vectors *guesses =
        base_arena_array(memory, con_fclib_vectors, "guesses", from->guess_count + 1);
    if (guesses == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a guess");
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < from->guess_count && status == CAIRN_OK; i++)
        status = copy_vectors(from, &from->guesses[i], memory, &guesses[i], error);
    to->guesses = guesses;
    return status;
}

static cairn_status check_sizes(const con_fclib_problem *content, cairn_error *error)
{
    enum { MOST = 100000000 };
    bool rolling = content->rolling != NULL, spinning = content->spinning != NULL;
    int d = content->dimension;
    if (rolling ? d != (spinning ? 6 : 5) : spinning || (d != 2 && d != 3))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "dimension %d is out of range: %s", d,
                         spinning  ? "6 with spinning friction, which goes with rolling friction"
                         : rolling ? "5 with rolling friction"
                                   : "2 or 3");
    if (content->contact_count < 1 || content->contact_count > MOST)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%d contacts are out of range: 1 to %d",
                         content->contact_count, MOST);
    if (content->velocity_count < 0 || content->velocity_count > MOST ||
        content->equality_count < 0 || content->equality_count > MOST)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%d velocities and %d equality constraints are out of range: 0 to %d",
                         content->velocity_count, content->equality_count, MOST);
    return CAIRN_OK;
}

static cairn_status copy_all(const con_fclib_problem *from, con_fclib_problem *to,
                             cairn_error *error)
{
    base_arena *memory = to->memory;
    bool local = from->form == CON_FCLIB_LOCAL;
    BASE_TRY(copy_vector(from->friction, "friction", from->contact_count, 0.0, memory,
                         &to->friction, error));
    if (from->rolling != NULL)
        BASE_TRY(copy_vector(from->rolling, "rolling", from->contact_count, 0.0, memory,
                             &to->rolling, error));
    if (from->spinning != NULL)
        BASE_TRY(copy_vector(from->spinning, "spinning", from->contact_count, 0.0, memory,
                             &to->spinning, error));
    BASE_TRY(local ? copy_local(from, memory, to, error) : copy_global(from, memory, to, error));
    BASE_TRY(copy_guesses(from, memory, to, error));
    if (from->has_solution)
        BASE_TRY(copy_vectors(from, &from->solution, memory, &to->solution, error));
    if (copy_text(from->info.title, memory, &to->info.title) != CAIRN_OK ||
        copy_text(from->info.description, memory, &to->info.description) != CAIRN_OK ||
        copy_text(from->info.math_info, memory, &to->info.math_info) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a text");
    return CAIRN_OK;
}

cairn_status con_fclib_copy(const con_fclib_problem *content, const base_allocator *allocator,
                            con_fclib_problem **problem, cairn_error *error)
{
    *problem = NULL;
    BASE_TRY(check_sizes(content, error));
    base_arena *memory = base_arena_create(allocator, 1 << 14);
    con_fclib_problem *copy =
        memory != NULL ? base_arena_array(memory, con_fclib_problem, "problem", 1) : NULL;
    if (copy == NULL) {
        base_arena_destroy(memory);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a problem");
    }
    *copy = (con_fclib_problem){
        .form = content->form,
        .dimension = content->dimension,
        .contact_count = content->contact_count,
        .velocity_count = content->velocity_count,
        .equality_count = content->equality_count,
        .guess_count = content->guess_count,
        .has_solution = content->has_solution,
        .dropped_vectors = content->dropped_vectors,
        .memory = memory,
    };
    cairn_status status = copy_all(content, copy, error);
    if (status == CAIRN_OK)
        *problem = copy;
    else
        con_fclib_problem_destroy(copy);
    return status;
}

void con_fclib_problem_destroy(con_fclib_problem *problem)
{
    if (problem != NULL)
        base_arena_destroy(problem->memory);
}
