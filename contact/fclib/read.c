// SPDX-License-Identifier: Apache-2.0
// Problem files read: both forms, every storage, nothing trusted.
#include "contact/fclib/fclib.h"

#include "base/assert.h"
#include "contact/fclib/hdf5.h"
#include "contact/fclib/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// a matrix as the file has it
typedef struct stored_matrix {
    int nz; // number of triplets, -1 columns, -2 rows
    int *p;
    int *i;
    double *x;
    int p_count;
    int i_count;
    int x_count;
} stored_matrix;

typedef struct matrix_place {
    const con_hdf5_reader *reader;
    hid_t group; // of the matrix
    int rows;
    int columns;
} matrix_place;

static cairn_status refuse_memory(const con_hdf5_reader *reader)
{
    return base_fail(reader->error, CAIRN_ERROR_MEMORY, "%s: out of memory", reader->path);
}

static cairn_status check_dimensions(const matrix_place *at)
{
    int m = 0, n = 0;
    cairn_status status = con_hdf5_read_integer(at->reader, at->group, "m", &m);
    if (status == CAIRN_OK)
        status = con_hdf5_read_integer(at->reader, at->group, "n", &n);
    if (status == CAIRN_OK && m != at->rows)
        return con_hdf5_refuse(at->reader, at->group, "m", "%d rows, expected %d from the vectors",
                               m, at->rows);
    if (status == CAIRN_OK && n != at->columns)
        return con_hdf5_refuse(at->reader, at->group, "n",
                               "%d columns, expected %d from the vectors", n, at->columns);
    return status;
}

static cairn_status read_stored(const matrix_place *at, stored_matrix *stored)
{
    cairn_status status = con_hdf5_read_integer(at->reader, at->group, "nz", &stored->nz);
    if (status == CAIRN_OK)
        status = con_hdf5_read_integers(at->reader, at->group, "p", &stored->p, &stored->p_count);
    if (status == CAIRN_OK)
        status = con_hdf5_read_integers(at->reader, at->group, "i", &stored->i, &stored->i_count);
    if (status == CAIRN_OK)
        status =
            con_hdf5_read_reals(at->reader, at->group, "x", &stored->x, &stored->x_count, NULL);
    if (status == CAIRN_OK && stored->nz < -2)
        return con_hdf5_refuse(at->reader, at->group, "nz",
                               "%d is no storage: expected -2, -1 or a number of triplets",
                               stored->nz);
    return status;
}

// first entry outside 0 .. bound-1; -1 when there is none
static int first_outside(const int *index, int count, int bound)
{
    for (int k = 0; k < count; k++)
        if (index[k] < 0 || index[k] >= bound)
            return k;
    return -1;
}

static cairn_status check_triplets(const matrix_place *at, stored_matrix *stored)
{
    int count = stored->nz;
    if (stored->p_count < count || stored->i_count < count || stored->x_count < count)
        return con_hdf5_refuse(at->reader, at->group, "nz", "%d triplets, but p, i, x hold fewer",
                               count);
    if (first_outside(stored->p, count, at->columns) < 0 &&
        first_outside(stored->i, count, at->rows) < 0)
        return CAIRN_OK;
    // the other way round, as the reference header documents it
    int *swap = stored->p;
    stored->p = stored->i;
    stored->i = swap;
    int column = first_outside(stored->p, count, at->columns);
    int row = first_outside(stored->i, count, at->rows);
    if (column < 0 && row < 0)
        return CAIRN_OK;
    return con_hdf5_refuse(at->reader, at->group, "i", "triplet %d is outside a matrix of %d x %d",
                           column >= 0 ? column : row, at->rows, at->columns);
}

static cairn_status build_triplets(const matrix_place *at, stored_matrix *stored, con_sparse *out)
{
    BASE_TRY(check_triplets(at, stored));
    con_triplets entries = {stored->nz, stored->i, stored->p, stored->x};
    if (con_sparse_from_triplets(&entries, at->rows, at->columns, at->reader->arena, out) !=
        CAIRN_OK)
        return refuse_memory(at->reader);
    return CAIRN_OK;
}

// starts that ascend from 0, and indices in range; `lines` columns (or rows) of `length`, and
// `size` numbers an index
static cairn_status check_compressed(const matrix_place *at, const stored_matrix *stored, int lines,
                                     int length, int size)
{
    if (stored->p_count < lines + 1)
        return con_hdf5_refuse(at->reader, at->group, "p", "%d entries, expected %d",
                               stored->p_count, lines + 1);
    if (stored->p[0] != 0)
        return con_hdf5_refuse(at->reader, at->group, "p", "starts at %d, expected 0",
                               stored->p[0]);
    for (int j = 0; j < lines; j++)
        if (stored->p[j + 1] < stored->p[j])
            return con_hdf5_refuse(at->reader, at->group, "p", "entry %d is smaller than the last",
                                   j + 1);
    int count = stored->p[lines];
    if (count > stored->i_count || count > stored->x_count / size)
        return con_hdf5_refuse(at->reader, at->group, "p", "%d entries, but i and x hold fewer",
                               count);
    int outside = first_outside(stored->i, count, length);
    if (outside >= 0)
        return con_hdf5_refuse(at->reader, at->group, "i", "entry %d is %d, outside 0 .. %d",
                               outside, stored->i[outside], length - 1);
    return CAIRN_OK;
}

// compressed lines of 3x3 blocks: a third of the starts
static bool is_blocks(const matrix_place *at, const stored_matrix *stored, int lines)
{
    return at->rows % 3 == 0 && at->columns % 3 == 0 && lines > 0 &&
           stored->p_count == lines / 3 + 1;
}

// blocks are column major, like dense matrices; zeros in them are no entries
static cairn_status build_blocks(const matrix_place *at, const stored_matrix *stored, bool by_rows,
                                 con_sparse *out)
{
    int lines = (by_rows ? at->rows : at->columns) / 3;
    int length = (by_rows ? at->columns : at->rows) / 3;
    BASE_TRY(check_compressed(at, stored, lines, length, 9));
    con_triplets entries;
    if (con_triplets_reserve(&entries, 9 * stored->p[lines], at->reader->arena) != CAIRN_OK)
        return refuse_memory(at->reader);
    for (int j = 0; j < lines; j++)
        for (int k = stored->p[j]; k < stored->p[j + 1]; k++)
            for (int e = 0; e < 9; e++) {
                int row = 3 * (by_rows ? j : stored->i[k]) + e % 3;
                int column = 3 * (by_rows ? stored->i[k] : j) + e / 3;
                double value = stored->x[9 * (size_t)k + (size_t)e];
                if (value != 0.0)
                    con_triplets_add(&entries, row, column, value);
            }
    if (con_sparse_from_triplets(&entries, at->rows, at->columns, at->reader->arena, out) !=
        CAIRN_OK)
        return refuse_memory(at->reader);
    return CAIRN_OK;
}

// sorts and merges through triplets: a file may hold columns in any order
static cairn_status build_compressed(const matrix_place *at, const stored_matrix *stored,
                                     con_sparse *out)
{
    bool by_rows = stored->nz == -2;
    int lines = by_rows ? at->rows : at->columns;
    if (is_blocks(at, stored, lines))
        return build_blocks(at, stored, by_rows, out);
    BASE_TRY(check_compressed(at, stored, lines, by_rows ? at->columns : at->rows, 1));
    int count = stored->p[lines];
    int *line = base_arena_array(at->reader->arena, int, "matrix lines", count);
    if (line == NULL)
        return refuse_memory(at->reader);
    for (int j = 0; j < lines; j++)
        for (int k = stored->p[j]; k < stored->p[j + 1]; k++)
            line[k] = j;
    con_triplets entries = {count, by_rows ? line : stored->i, by_rows ? stored->i : line,
                            stored->x};
    if (con_sparse_from_triplets(&entries, at->rows, at->columns, at->reader->arena, out) !=
        CAIRN_OK)
        return refuse_memory(at->reader);
    return CAIRN_OK;
}

static cairn_status build_dense(const matrix_place *at, con_sparse *out)
{
    double *x = NULL;
    int count = 0;
    BASE_TRY(con_hdf5_read_reals(at->reader, at->group, "x", &x, &count, NULL));
    if ((int64_t)at->rows * at->columns != count)
        return con_hdf5_refuse(at->reader, at->group, "x", "%d entries, expected %d x %d", count,
                               at->rows, at->columns);
    con_triplets entries;
    if (con_triplets_reserve(&entries, count, at->reader->arena) != CAIRN_OK)
        return refuse_memory(at->reader);
    for (int k = 0; k < count; k++)
        if (x[k] != 0.0)
            con_triplets_add(&entries, k % at->rows, k / at->rows, x[k]);
    if (con_sparse_from_triplets(&entries, at->rows, at->columns, at->reader->arena, out) !=
        CAIRN_OK)
        return refuse_memory(at->reader);
    return CAIRN_OK;
}

static cairn_status read_matrix_of(const matrix_place *at, con_sparse *out)
{
    BASE_TRY(check_dimensions(at));
    if (!con_hdf5_has(at->group, "p") && !con_hdf5_has(at->group, "i"))
        return build_dense(at, out);
    stored_matrix stored = {0};
    BASE_TRY(read_stored(at, &stored));
    return stored.nz >= 0 ? build_triplets(at, &stored, out) : build_compressed(at, &stored, out);
}

static cairn_status read_matrix(const con_hdf5_reader *reader, hid_t parent, const char *name,
                                int rows, int columns, con_sparse *out)
{
    matrix_place at = {.reader = reader, .rows = rows, .columns = columns};
    BASE_TRY(con_hdf5_open_group(reader, parent, name, &at.group));
    cairn_status status = read_matrix_of(&at, out);
    H5Gclose(at.group);
    return status;
}

// a vector of known length
static cairn_status read_vector(const con_hdf5_reader *reader, hid_t group, const char *name,
                                int expected, const double **values)
{
    double *read = NULL;
    int count = 0;
    BASE_TRY(con_hdf5_read_reals(reader, group, name, &read, &count, NULL));
    if (count != expected)
        return con_hdf5_refuse(reader, group, name, "%d entries, expected %d", count, expected);
    *values = read;
    return CAIRN_OK;
}

// a vector that gives a size by its length
static cairn_status read_sizing_vector(const con_hdf5_reader *reader, hid_t group, const char *name,
                                       const double **values, int *count)
{
    double *read = NULL;
    cairn_status status = con_hdf5_read_reals(reader, group, name, &read, count, NULL);
    *values = read;
    return status;
}

static cairn_status read_friction(const con_hdf5_reader *reader, hid_t group,
                                  con_fclib_problem *content)
{
    cairn_status status =
        read_sizing_vector(reader, group, "mu", &content->friction, &content->contact_count);
    if (status != CAIRN_OK)
        return status;
    if (content->contact_count == 0)
        return con_hdf5_refuse(reader, group, "mu", "no contacts");
    if (content->dimension >= 5)
        status = read_vector(reader, group, "mu_r", content->contact_count, &content->rolling);
    if (status == CAIRN_OK && content->dimension == 6)
        status = read_vector(reader, group, "mu_s", content->contact_count, &content->spinning);
    const struct {
        const char *name;
        const double *values;
    } all[] = {{"mu", content->friction}, {"mu_r", content->rolling}, {"mu_s", content->spinning}};
    for (int k = 0; status == CAIRN_OK && k < 3; k++)
        for (int c = 0; all[k].values != NULL && c < content->contact_count; c++)
            if (all[k].values[c] < 0.0)
                return con_hdf5_refuse(reader, group, all[k].name, "entry %d is negative (%g)", c,
                                       all[k].values[c]);
    return status;
}

static cairn_status read_dimension(const con_hdf5_reader *reader, hid_t group, bool rolling,
                                   con_fclib_problem *content)
{
    cairn_status status = con_hdf5_read_integer(reader, group, "spacedim", &content->dimension);
    if (status == CAIRN_OK && rolling && content->dimension == 3)
        return con_hdf5_refuse(reader, group, "spacedim",
                               "3: a rolling problem in 2D, which is not supported");
    if (status == CAIRN_OK && rolling && content->dimension != 5 && content->dimension != 6)
        return con_hdf5_refuse(reader, group, "spacedim",
                               "%d, expected 5 in a rolling problem, or 6 with spinning friction",
                               content->dimension);
    if (status == CAIRN_OK && !rolling && content->dimension != 2 && content->dimension != 3)
        return con_hdf5_refuse(reader, group, "spacedim", "%d, expected 2 or 3",
                               content->dimension);
    return status;
}

static cairn_status read_info(const con_hdf5_reader *reader, hid_t parent,
                              con_fclib_problem *content)
{
    if (!con_hdf5_has(parent, "info"))
        return CAIRN_OK;
    hid_t group;
    BASE_TRY(con_hdf5_open_group(reader, parent, "info", &group));
    con_hdf5_read_attribute(group, "numberOfDegreeOfFreedom", &content->freedom_count);
    cairn_status status = con_hdf5_read_text(reader, group, "title", &content->info.title);
    if (status == CAIRN_OK)
        status = con_hdf5_read_text(reader, group, "description", &content->info.description);
    if (status == CAIRN_OK)
        status = con_hdf5_read_text(reader, group, "math_info", &content->info.math_info);
    H5Gclose(group);
    return status;
}

static cairn_status read_local_vectors(const con_hdf5_reader *reader, hid_t group,
                                       con_fclib_problem *content)
{
    hid_t vectors;
    BASE_TRY(con_hdf5_open_group(reader, group, "vectors", &vectors));
    cairn_status status = read_friction(reader, vectors, content);
    if (status == CAIRN_OK)
        status = read_vector(reader, vectors, "q", content->dimension * content->contact_count,
                             &content->q);
    if (status == CAIRN_OK && con_hdf5_has(vectors, "s"))
        status = read_sizing_vector(reader, vectors, "s", &content->s, &content->equality_count);
    H5Gclose(vectors);
    return status;
}

static cairn_status read_local_matrices(const con_hdf5_reader *reader, hid_t group,
                                        con_fclib_problem *content)
{
    int rows = content->dimension * content->contact_count;
    int p = content->equality_count;
    cairn_status status = read_matrix(reader, group, "W", rows, rows, &content->W);
    if (status != CAIRN_OK || p == 0)
        return status;
    status = read_matrix(reader, group, "V", rows, p, &content->V);
    if (status == CAIRN_OK)
        status = read_matrix(reader, group, "R", p, p, &content->R);
    if (status == CAIRN_OK && con_hdf5_has(group, "S"))
        return read_matrix(reader, group, "S", p, rows, &content->S);
    if (status == CAIRN_OK && con_sparse_transpose(&content->V, reader->arena, &content->S))
        return refuse_memory(reader);
    return status;
}

static cairn_status read_local(const con_hdf5_reader *reader, hid_t group, bool rolling,
                               con_fclib_problem *content)
{
    content->form = CON_FCLIB_LOCAL;
    BASE_TRY(read_dimension(reader, group, rolling, content));
    BASE_TRY(read_local_vectors(reader, group, content));
    BASE_TRY(read_local_matrices(reader, group, content));
    return read_info(reader, group, content);
}

static cairn_status read_global_vectors(const con_hdf5_reader *reader, hid_t group,
                                        con_fclib_problem *content)
{
    hid_t vectors;
    BASE_TRY(con_hdf5_open_group(reader, group, "vectors", &vectors));
    cairn_status status = read_friction(reader, vectors, content);
    if (status == CAIRN_OK)
        status = read_sizing_vector(reader, vectors, "f", &content->f, &content->velocity_count);
    if (status == CAIRN_OK && content->velocity_count == 0)
        status = con_hdf5_refuse(reader, vectors, "f", "no velocities");
    if (status == CAIRN_OK)
        status = read_vector(reader, vectors, "w", content->dimension * content->contact_count,
                             &content->w);
    if (status == CAIRN_OK && con_hdf5_has(vectors, "b"))
        status = read_sizing_vector(reader, vectors, "b", &content->b, &content->equality_count);
    H5Gclose(vectors);
    return status;
}

static cairn_status read_global(const con_hdf5_reader *reader, hid_t group, bool rolling,
                                con_fclib_problem *content)
{
    content->form = CON_FCLIB_GLOBAL;
    cairn_status status = read_dimension(reader, group, rolling, content);
    if (status == CAIRN_OK)
        status = read_global_vectors(reader, group, content);
    int n = content->velocity_count;
    int rows = content->dimension * content->contact_count;
    if (status == CAIRN_OK)
        status = read_matrix(reader, group, "M", n, n, &content->M);
    if (status == CAIRN_OK)
        status = read_matrix(reader, group, "H", n, rows, &content->H);
    if (status == CAIRN_OK && content->equality_count > 0)
        status = read_matrix(reader, group, "G", n, content->equality_count, &content->G);
    if (status == CAIRN_OK)
        status = read_info(reader, group, content);
    return status;
}

// an optional vector of a guess or a solution; dropped where it is not finite
static cairn_status read_optional(const con_hdf5_reader *reader, hid_t group, const char *name,
                                  int expected, con_fclib_problem *content, const double **values)
{
    *values = NULL;
    if (expected == 0 || !con_hdf5_has(group, name))
        return CAIRN_OK;
    double *read = NULL;
    int count = 0;
    bool finite = false;
    BASE_TRY(con_hdf5_read_reals(reader, group, name, &read, &count, &finite));
    if (count != expected)
        return con_hdf5_refuse(reader, group, name, "%d entries, expected %d", count, expected);
    if (finite)
        *values = read;
    else
        content->dropped_vectors++;
    return CAIRN_OK;
}

static cairn_status read_vectors(const con_hdf5_reader *reader, hid_t parent, const char *name,
                                 con_fclib_problem *content, con_fclib_vectors *vectors)
{
    hid_t group;
    BASE_TRY(con_hdf5_open_group(reader, parent, name, &group));
    int rows = content->dimension * content->contact_count;
    cairn_status status =
        read_optional(reader, group, "v", content->velocity_count, content, &vectors->v);
    if (status == CAIRN_OK)
        status = read_optional(reader, group, "u", rows, content, &vectors->u);
    if (status == CAIRN_OK)
        status = read_optional(reader, group, "r", rows, content, &vectors->r);
    if (status == CAIRN_OK)
        status = read_optional(reader, group, "l", content->equality_count, content, &vectors->l);
    H5Gclose(group);
    return status;
}

static cairn_status read_guess_list(const con_hdf5_reader *reader, hid_t group,
                                    con_fclib_problem *content)
{
    int count = 0;
    H5G_info_t information = {0};
    cairn_status status = con_hdf5_read_integer(reader, group, "number_of_guesses", &count);
    if (status != CAIRN_OK)
        return status;
    if (H5Gget_info(group, &information) < 0 || count < 0 ||
        (hsize_t)count >= information.nlinks + 1)
        return con_hdf5_refuse(reader, group, "number_of_guesses", "%d, but there are fewer",
                               count);
    con_fclib_vectors *guesses =
        base_arena_array(reader->arena, con_fclib_vectors, "guesses", count);
    if (guesses == NULL)
        return refuse_memory(reader);
    memset(guesses, 0, (size_t)count * sizeof *guesses);
    for (int k = 0; k < count && status == CAIRN_OK; k++) {
        char name[16];
        snprintf(name, sizeof name, "%d", k + 1);
        status = read_vectors(reader, group, name, content, &guesses[k]);
    }
    content->guesses = guesses;
    content->guess_count = count;
    return status;
}

static cairn_status read_guesses(const con_hdf5_reader *reader, con_fclib_problem *content)
{
    if (!con_hdf5_has(reader->file, "guesses"))
        return CAIRN_OK;
    hid_t group;
    BASE_TRY(con_hdf5_open_group(reader, reader->file, "guesses", &group));
    cairn_status status = read_guess_list(reader, group, content);
    H5Gclose(group);
    return status;
}

static cairn_status read_solution(const con_hdf5_reader *reader, con_fclib_problem *content)
{
    if (!con_hdf5_has(reader->file, "solution"))
        return CAIRN_OK;
    content->has_solution = true;
    return read_vectors(reader, reader->file, "solution", content, &content->solution);
}

static cairn_status read_problem(const con_hdf5_reader *reader, con_fclib_problem *content)
{
    // the first that is there; global forms before local ones
    static const char *const names[] = {"fclib_global_rolling", "fclib_global",
                                        "fclib_local_rolling", "fclib_local"};
    int form = 0;
    while (form < BASE_COUNT(names) && !con_hdf5_has(reader->file, names[form]))
        form++;
    if (form == BASE_COUNT(names))
        return base_fail(reader->error, CAIRN_ERROR_FORMAT,
                         "%s: no contact problem: none of the groups /fclib_local, /fclib_global, "
                         "/fclib_local_rolling and /fclib_global_rolling is there",
                         reader->path);
    hid_t group;
    BASE_TRY(con_hdf5_open_group(reader, reader->file, names[form], &group));
    bool rolling = form % 2 == 0;
    cairn_status status = form < 2 ? read_global(reader, group, rolling, content)
                                   : read_local(reader, group, rolling, content);
    H5Gclose(group);
    return status;
}

static cairn_status read_file(const char *path, con_fclib_problem *content, cairn_error *error)
{
    con_hdf5_reader reader;
    BASE_TRY(con_hdf5_open(&reader, path, content->memory, error));
    cairn_status status = read_problem(&reader, content);
    if (status == CAIRN_OK)
        status = read_guesses(&reader, content);
    if (status == CAIRN_OK)
        status = read_solution(&reader, content);
    con_hdf5_close(&reader);
    return status;
}

// an arena that holds the struct it belongs to
static con_fclib_problem *create_problem(const base_allocator *allocator)
{
    base_arena *memory = base_arena_create(allocator, 1 << 14);
    if (memory == NULL)
        return NULL;
    con_fclib_problem *problem = base_arena_array(memory, con_fclib_problem, "problem", 1);
    if (problem == NULL) {
        base_arena_destroy(memory);
        return NULL;
    }
    *problem = (con_fclib_problem){.memory = memory};
    return problem;
}

cairn_status con_fclib_read(const char *path, const base_allocator *allocator,
                            con_fclib_problem **problem, cairn_error *error)
{
    *problem = NULL;
    con_fclib_problem *content = create_problem(allocator);
    if (content == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    cairn_status status;
    if (con_fclib_is_text(path)) {
        status = con_fclib_read_text(path, content, error);
    } else {
        con_hdf5_silence silence = con_hdf5_silence_begin();
        status = read_file(path, content, error);
        con_hdf5_silence_end(silence);
    }
    if (status == CAIRN_OK)
        *problem = content;
    else
        con_fclib_problem_destroy(content);
    return status;
}
