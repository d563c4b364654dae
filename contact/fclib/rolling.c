// SPDX-License-Identifier: Apache-2.0
// Rolling problems: rows renumbered between files and solvers.
#include "contact/fclib/rolling.h"

#include <string.h>

// new numbers of rows; -1 where a row goes
typedef struct renumbering {
    int from, to; // rows before and after
    const int *place;
} renumbering;

static int count_entries(const renumbering *rows, const con_sparse *a, int column)
{
    int count = 0;
    for (int k = a->start[column]; k < a->start[column + 1]; k++)
        count += rows == NULL || rows->place[a->index[k]] >= 0;
    return count;
}

// renumbers rows and columns, each where it is asked for; the order of rows stays
static cairn_status renumber(con_sparse *matrix, const renumbering *rows,
                             const renumbering *columns, base_arena *arena)
{
    const con_sparse before = *matrix, *a = &before;
    con_sparse *out = matrix;
    if (a->start == NULL)
        return CAIRN_OK;
    out->rows = rows != NULL ? rows->to : a->rows;
    out->columns = columns != NULL ? columns->to : a->columns;
    int *start = base_arena_array(arena, int, "renumbered", (size_t)out->columns + 1);
    int *index = base_arena_array(arena, int, "renumbered", (size_t)con_sparse_count(a) + 1);
    double *value = base_arena_array(arena, double, "renumbered", (size_t)con_sparse_count(a) + 1);
    if (start == NULL || index == NULL || value == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(start, 0, ((size_t)out->columns + 1) * sizeof *start);
    for (int j = 0; j < a->columns; j++) {
        int to = columns != NULL ? columns->place[j] : j;
        if (to >= 0)
            start[to + 1] = count_entries(rows, a, j);
    }
    for (int j = 0; j < out->columns; j++)
        start[j + 1] += start[j];
    for (int j = 0; j < a->columns; j++) {
        int to = columns != NULL ? columns->place[j] : j, used = to >= 0 ? start[to] : 0;
        for (int k = a->start[j]; to >= 0 && k < a->start[j + 1]; k++) {
            int row = rows != NULL ? rows->place[a->index[k]] : a->index[k];
            if (row < 0)
                continue;
            index[used] = row;
            value[used++] = a->value[k];
        }
    }
    out->start = start;
    out->index = index;
    out->value = value;
    return CAIRN_OK;
}

static cairn_status renumber_vector(const renumbering *rows, const double **x, base_arena *arena)
{
    if (*x == NULL)
        return CAIRN_OK;
    double *out = base_arena_array(arena, double, "renumbered", (size_t)rows->to + 1);
    if (out == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(out, 0, (size_t)rows->to * sizeof *out);
    for (int i = 0; i < rows->from; i++)
        if (rows->place[i] >= 0)
            out[rows->place[i]] = (*x)[i];
    *x = out;
    return CAIRN_OK;
}

// all that has contact rows
static cairn_status renumber_all(const renumbering *rows, base_arena *arena, con_fclib_problem *out)
{
    cairn_status status = renumber(&out->W, rows, rows, arena);
    if (status == CAIRN_OK)
        status = renumber(&out->V, rows, NULL, arena);
    if (status == CAIRN_OK)
        status = renumber(&out->S, NULL, rows, arena);
    if (status == CAIRN_OK)
        status = renumber(&out->H, NULL, rows, arena);
    const double **const vectors[] = {&out->q, &out->w, &out->solution.u, &out->solution.r};
    for (int k = 0; k < 4 && status == CAIRN_OK; k++)
        status = renumber_vector(rows, vectors[k], arena);
    con_fclib_vectors *guesses =
        base_arena_array(arena, con_fclib_vectors, "guesses", (size_t)out->guess_count + 1);
    if (guesses == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < out->guess_count && status == CAIRN_OK; k++) {
        guesses[k] = out->guesses[k];
        status = renumber_vector(rows, &guesses[k].u, arena);
        if (status == CAIRN_OK)
            status = renumber_vector(rows, &guesses[k].r, arena);
    }
    out->guesses = guesses;
    return status;
}

// place of row k of a moment among the rows of its contact; -1 for none
static int moment_row(int dimension, int k)
{
    return dimension == 6 ? 3 + k : k > 0 ? 2 + k : -1;
}

cairn_status con_fclib_expand(const con_fclib_problem *content, base_arena *arena,
                              con_fclib_problem *out, const double **spinning)
{
    size_t n = (size_t)content->contact_count;
    int d = content->dimension;
    int *place = base_arena_array(arena, int, "rows", (size_t)d *n);
    double *friction = base_arena_array(arena, double, "friction", 2 * n);
    double *spin = base_arena_array(arena, double, "spinning", 2 * n);
    if (place == NULL || friction == NULL || spin == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int c = 0; c < (int)n; c++) {
        for (int k = 0; k < 3; k++) {
            place[d * c + k] = 6 * c + k;
            if (moment_row(d, k) >= 0)
                place[d * c + moment_row(d, k)] = 6 * c + 3 + k;
        }
        friction[2 * c] = content->friction[c];
        friction[2 * c + 1] = content->rolling[c];
        spin[2 * c] = -1.0;
        spin[2 * c + 1] = content->spinning != NULL ? content->spinning[c] : 0.0;
    }
    *out = *content;
    out->dimension = 3;
    out->contact_count = 2 * content->contact_count;
    out->friction = friction;
    out->rolling = out->spinning = NULL;
    out->memory = NULL;
    *spinning = spin;
    const renumbering rows = {d * content->contact_count, 6 * content->contact_count, place};
    return renumber_all(&rows, arena, out);
}

void con_fclib_gather_rows(int dimension, const double *spinning, int blocks,
                           const double (*block)[3], double *rows)
{
    for (int i = 0, c = -1; i < blocks; i++) {
        bool moment = spinning[i] >= 0.0;
        c += !moment;
        double *to = rows + dimension * c;
        if (!moment)
            memset(to, 0, (size_t)dimension * sizeof *to);
        for (int k = 0; k < 3; k++) {
            int row = moment ? moment_row(dimension, k) : k;
            if (row >= 0)
                to[row] = block[i][k];
        }
    }
}

cairn_status con_fclib_compress(const con_fclib_problem *content, const double *spinning,
                                base_arena *arena, con_fclib_problem *out, cairn_error *error)
{
    size_t blocks = (size_t)content->contact_count;
    int *place = base_arena_array(arena, int, "rows", 3 * blocks);
    double *friction = base_arena_array(arena, double, "friction", blocks);
    double *rolling = base_arena_array(arena, double, "friction", blocks);
    double *spin = base_arena_array(arena, double, "friction", blocks);
    if (place == NULL || friction == NULL || rolling == NULL || spin == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    int count = 0, d = 5;
    for (size_t i = 0; i < blocks; i++)
        d = spinning[i] > 0.0 ? 6 : d;
    for (size_t i = 0; i < blocks; i++) {
        bool moment = spinning[i] >= 0.0;
        for (int k = 0; k < 3; k++) {
            int row = moment ? moment_row(d, k) : k;
            place[3 * i + (size_t)k] = row >= 0 ? d * (moment ? count - 1 : count) + row : -1;
        }
        if (moment) {
            rolling[count - 1] = content->friction[i];
            spin[count - 1] = spinning[i];
        } else {
            rolling[count] = spin[count] = 0.0;
            friction[count++] = content->friction[i];
        }
    }
    *out = *content;
    out->dimension = d;
    out->contact_count = count;
    out->friction = friction;
    out->rolling = rolling;
    out->spinning = d == 6 ? spin : NULL;
    const renumbering rows = {3 * content->contact_count, d * count, place};
    return renumber_all(&rows, arena, out);
}
