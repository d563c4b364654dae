// SPDX-License-Identifier: Apache-2.0
// From a live problem to the content of a problem file.
#include "contact/fclib.h"

#include <limits.h>
#include <string.h>

// rows of the file: 6 for every body that a contact touches
typedef struct row_map {
    int *first; // [body_count] first row of a body; -1 for none
    int count;
} row_map;

static cairn_status map_rows(const con_problem *problem, base_arena *arena, row_map *map)
{
    map->count = 0;
    map->first = base_arena_array(arena, int, "fclib rows", problem->body_count);
    if (map->first == NULL || problem->body_count > INT_MAX / 6)
        return CAIRN_ERROR_MEMORY;
    for (int b = 0; b < problem->body_count; b++)
        map->first[b] = -1;
    for (int c = 0; c < problem->contact_count; c++)
        for (int side = 0; side < 2; side++)
            if (problem->body[c][side] >= 0)
                map->first[problem->body[c][side]] = 0;
    for (int b = 0; b < problem->body_count; b++)
        if (map->first[b] == 0) {
            map->first[b] = map->count;
            map->count += 6;
        }
    return CAIRN_OK;
}

static cairn_status build_mass(const con_problem *problem, const row_map *map, base_arena *arena,
                               con_fclib_problem *content)
{
    con_triplets entries;
    double *f = base_arena_array(arena, double, "fclib f", map->count);
    if (f == NULL || con_triplets_reserve(&entries, map->count, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int b = 0; b < problem->body_count; b++)
        for (int k = 0; k < 6 && map->first[b] >= 0; k++) {
            // a locked component moves as it would alone: any mass will do
            double inverse = problem->mass_inverse[b][k];
            double mass = inverse != 0.0 ? 1.0 / inverse : 1.0;
            int row = map->first[b] + k;
            con_triplets_add(&entries, row, row, mass);
            f[row] = mass * problem->v_free[b][k];
        }
    content->f = f;
    return con_sparse_from_triplets(&entries, map->count, map->count, arena, &content->M);
}

// rows of one contact and side: entries of H, or the velocity of a locked component into w
static void add_side(const con_problem *problem, const row_map *map, int contact, int side,
                     con_triplets *entries, double *w)
{
    int b = problem->body[contact][side];
    if (b < 0)
        return;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < 6; k++) {
            double value = problem->H[contact][side][axis][k];
            if (value == 0.0)
                continue;
            if (problem->mass_inverse[b][k] != 0.0)
                con_triplets_add(entries, map->first[b] + k, 3 * contact + axis, value);
            else
                w[3 * contact + axis] += value * problem->v_free[b][k];
        }
}

static cairn_status build_gradients(const con_problem *problem, const row_map *map,
                                    base_arena *arena, con_fclib_problem *content)
{
    int rows = 3 * problem->contact_count;
    con_triplets entries;
    double *w = base_arena_array(arena, double, "fclib w", rows);
    if (w == NULL || problem->contact_count > INT_MAX / 36 ||
        con_triplets_reserve(&entries, 12 * rows, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    memcpy(w, problem->w, (size_t)rows * sizeof *w);
    for (int c = 0; c < problem->contact_count; c++)
        for (int side = 0; side < 2; side++)
            add_side(problem, map, c, side, &entries, w);
    content->w = w;
    return con_sparse_from_triplets(&entries, map->count, rows, arena, &content->H);
}

static cairn_status build_global(const con_problem *problem, base_arena *arena,
                                 con_fclib_problem *content, cairn_error *error)
{
    if (problem->H == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the global form needs bodies, and this problem has W alone");
    row_map map;
    cairn_status status = map_rows(problem, arena, &map);
    if (status == CAIRN_OK && map.count == 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the global form needs a contact with a body that can move");
    content->velocity_count = map.count;
    if (status == CAIRN_OK)
        status = build_mass(problem, &map, arena, content);
    if (status == CAIRN_OK)
        status = build_gradients(problem, &map, arena, content);
    return status == CAIRN_OK ? CAIRN_OK
                              : base_fail(error, status, "%s", cairn_status_text(status));
}

static cairn_status compress_blocks(const con_block_matrix *W, base_arena *arena, con_sparse *out)
{
    con_triplets entries;
    if (W->start[W->size] > INT_MAX / 9 ||
        con_triplets_reserve(&entries, 9 * W->start[W->size], arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < W->size; i++)
        for (int k = W->start[i]; k < W->start[i + 1]; k++)
            for (int place = 0; place < 9; place++) {
                double value = W->block[k].m[place / 3][place % 3];
                if (value != 0.0)
                    con_triplets_add(&entries, 3 * i + place / 3, 3 * W->column[k] + place % 3,
                                     value);
            }
    return con_sparse_from_triplets(&entries, 3 * W->size, 3 * W->size, arena, out);
}

static cairn_status build_local(const con_problem *problem, base_arena *arena,
                                con_fclib_problem *content, cairn_error *error)
{
    con_problem assembled = *problem;
    cairn_status status = CAIRN_OK;
    if (assembled.W == NULL && assembled.H == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the problem has neither bodies nor W");
    if (assembled.W == NULL)
        status = con_problem_assemble_delassus(&assembled, arena);
    if (status == CAIRN_OK)
        status = compress_blocks(assembled.W, arena, &content->W);
    content->q = problem->q[0];
    return status == CAIRN_OK ? CAIRN_OK
                              : base_fail(error, status, "%s", cairn_status_text(status));
}

cairn_status con_fclib_from_problem(con_fclib_form form, const con_problem *problem,
                                    base_arena *arena, con_fclib_problem *content,
                                    cairn_error *error)
{
    if (problem->contact_count <= 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a problem file needs a contact");
    *content = (con_fclib_problem){.form = form,
                                   .dimension = 3,
                                   .contact_count = problem->contact_count,
                                   .friction = problem->friction};
    return form == CON_FCLIB_LOCAL ? build_local(problem, arena, content, error)
                                   : build_global(problem, arena, content, error);
}

// u = W r + q
static cairn_status local_velocities(const con_fclib_problem *content, base_arena *arena,
                                     con_fclib_vectors *vectors)
{
    size_t rows = 3 * (size_t)content->contact_count;
    double *u = base_arena_array(arena, double, "fclib u", rows);
    if (u == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(u, content->q, rows * sizeof *u);
    con_sparse_apply_add(&content->W, vectors->r, u);
    vectors->u = u;
    return CAIRN_OK;
}

// v = M^-1 (f + H r) with a diagonal M, u = H^T v + w
static cairn_status global_velocities(const con_fclib_problem *content, base_arena *arena,
                                      con_fclib_vectors *vectors)
{
    size_t rows = 3 * (size_t)content->contact_count;
    double *v = base_arena_array(arena, double, "fclib v", content->velocity_count);
    double *u = base_arena_array(arena, double, "fclib u", rows);
    if (u == NULL || v == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(v, content->f, (size_t)content->velocity_count * sizeof *v);
    con_sparse_apply_add(&content->H, vectors->r, v);
    for (int i = 0; i < content->velocity_count; i++)
        v[i] /= content->M.value[i];
    memcpy(u, content->w, rows * sizeof *u);
    con_sparse_apply_transposed_add(&content->H, v, u);
    vectors->v = v;
    vectors->u = u;
    return CAIRN_OK;
}

// velocities of given impulses; U replaces the computed contact velocities
static cairn_status complete_vectors(const con_fclib_problem *content, const double (*R)[3],
                                     const double (*U)[3], base_arena *arena,
                                     con_fclib_vectors *vectors)
{
    *vectors = (con_fclib_vectors){.r = R[0]};
    cairn_status status = content->form == CON_FCLIB_LOCAL
                              ? local_velocities(content, arena, vectors)
                              : global_velocities(content, arena, vectors);
    if (U != NULL)
        vectors->u = U[0];
    return status;
}

static cairn_status write_content(const char *path, con_fclib_problem *content,
                                  const double (*guess)[3], const double (*R)[3],
                                  const double (*U)[3], base_arena *arena, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    con_fclib_vectors guess_vectors;
    if (guess != NULL) {
        status = complete_vectors(content, guess, NULL, arena, &guess_vectors);
        content->guesses = &guess_vectors;
        content->guess_count = 1;
    }
    if (R != NULL && status == CAIRN_OK) {
        status = complete_vectors(content, R, U, arena, &content->solution);
        content->has_solution = true;
    }
    if (status != CAIRN_OK)
        return base_fail(error, status, "%s: %s", path, cairn_status_text(status));
    return con_fclib_save(path, content, arena, error);
}

cairn_status con_fclib_write(const char *path, con_fclib_form form, const con_problem *problem,
                             const double (*guess)[3], const double (*R)[3], const double (*U)[3],
                             const con_fclib_info *info, base_arena *arena, cairn_error *error)
{
    base_arena_mark mark = base_arena_get_mark(arena);
    con_fclib_problem content;
    cairn_status status = con_fclib_from_problem(form, problem, arena, &content, error);
    if (status == CAIRN_OK) {
        if (info != NULL)
            content.info = *info;
        status = write_content(path, &content, guess, R, U, arena, error);
    }
    base_arena_rewind(arena, mark);
    return status;
}
