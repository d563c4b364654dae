// SPDX-License-Identifier: Apache-2.0
// From a live problem to the content of a problem file.
#include "contact/fclib/fclib.h"
#include "contact/fclib/rolling.h"
#include "contact/problem/delassus.h"
#include "contact/problem/joints.h"

#include <limits.h>
#include <string.h>

// rows of the file: 6 for every body that a contact or joint touches, and one for each direction in
// which a contact yields by itself
typedef struct row_map {
    int *first; // [body_count] first row of a body; -1 for none
    int bodies; // rows of bodies
    int count;
} row_map;

// whether a contact yields by itself along one of its directions
static bool yields(const con_problem *problem, int contact, int axis)
{
    return problem->compliance != NULL && problem->compliance[contact][axis] != 0.0;
}

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
    for (int j = 0; problem->joints != NULL && j < problem->joints->count; j++)
        for (int side = 0; side < 2; side++)
            if (problem->joints->body[j][side] >= 0)
                map->first[problem->joints->body[j][side]] = 0;
    for (int b = 0; b < problem->body_count; b++)
        if (map->first[b] == 0) {
            map->first[b] = map->count;
            map->count += 6;
        }
    map->bodies = map->count;
    for (int c = 0; c < problem->contact_count; c++)
        for (int k = 0; k < 3; k++)
            map->count += yields(problem, c, k);
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
    // a mass of its own is what a contact yields by
    int row = map->bodies;
    for (int c = 0; c < problem->contact_count; c++)
        for (int k = 0; k < 3; k++)
            if (yields(problem, c, k)) {
                con_triplets_add(&entries, row, row, 1.0 / problem->compliance[c][k]);
                f[row++] = 0.0;
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
    if (w == NULL || problem->contact_count > INT_MAX / 39 ||
        con_triplets_reserve(&entries, 13 * rows, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    memcpy(w, problem->w, (size_t)rows * sizeof *w);
    int own = map->bodies;
    for (int c = 0; c < problem->contact_count; c++) {
        for (int side = 0; side < 2; side++)
            add_side(problem, map, c, side, &entries, w);
        for (int k = 0; k < 3; k++)
            if (yields(problem, c, k))
                con_triplets_add(&entries, own++, 3 * c + k, 1.0);
    }
    content->w = w;
    return con_sparse_from_triplets(&entries, map->count, rows, arena, &content->H);
}

static int joint_rows(const con_problem *problem)
{
    return problem->joints != NULL ? problem->joints->start[problem->joints->count] : 0;
}

// entries of G of one joint, or the velocity of a locked component into b
static void add_joint(const con_problem *problem, const row_map *map, int joint,
                      con_triplets *entries, double *b)
{
    const con_joints *joints = problem->joints;
    for (int row = joints->start[joint]; row < joints->start[joint + 1]; row++)
        for (int side = 0; side < 2; side++) {
            int body = joints->body[joint][side];
            for (int k = 0; k < 6 && body >= 0; k++) {
                double value = joints->G[row][side][k];
                if (value == 0.0)
                    continue;
                if (problem->mass_inverse[body][k] != 0.0)
                    con_triplets_add(entries, map->first[body] + k, row, value);
                else
                    b[row] += value * problem->v_free[body][k];
            }
        }
}

// the file wants G^T v + b = 0
static cairn_status build_equalities(const con_problem *problem, const row_map *map,
                                     base_arena *arena, con_fclib_problem *content)
{
    int rows = joint_rows(problem);
    if (rows == 0)
        return CAIRN_OK;
    con_triplets entries;
    double *b = base_arena_array(arena, double, "fclib b", rows);
    if (b == NULL || rows > INT_MAX / 12 ||
        con_triplets_reserve(&entries, 12 * rows, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < rows; k++)
        b[k] = -problem->joints->b[k];
    for (int j = 0; j < problem->joints->count; j++)
        add_joint(problem, map, j, &entries, b);
    content->b = b;
    return con_sparse_from_triplets(&entries, map->count, rows, arena, &content->G);
}

static cairn_status build_global(const con_problem *problem, base_arena *arena,
                                 con_fclib_problem *content, cairn_error *error)
{
    if (problem->H == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the global form needs bodies, and this problem has W alone");
    if (problem->rates != NULL)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "the global form has two bodies a contact, and contacts of this problem "
                         "know the strain of the cell besides: take the local form");
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
    if (status == CAIRN_OK)
        status = build_equalities(problem, &map, arena, content);
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

// H M^-1 G^T of one contact row and one joint row
static double couple(const con_problem *problem, int contact, int axis, int joint, int row)
{
    double sum = 0.0;
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            int body = problem->body[contact][s];
            if (body < 0 || body != problem->joints->body[joint][t])
                continue;
            for (int k = 0; k < 6; k++)
                sum += problem->H[contact][s][axis][k] * problem->mass_inverse[body][k] *
                       problem->joints->G[row][t][k];
        }
    return sum;
}

static double couple_rows(const con_joints *joints, const double (*mass_inverse)[6], int a,
                          int row_a, int b, int row_b)
{
    double sum = 0.0;
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            int body = joints->body[a][s];
            if (body < 0 || body != joints->body[b][t])
                continue;
            for (int k = 0; k < 6; k++)
                sum += joints->G[row_a][s][k] * mass_inverse[body][k] * joints->G[row_b][t][k];
        }
    return sum;
}

static bool share_body(const int a[2], const int b[2])
{
    return (a[0] >= 0 && (a[0] == b[0] || a[0] == b[1])) ||
           (a[1] >= 0 && (a[1] == b[0] || a[1] == b[1]));
}

// V = H M^-1 G^T by the joints of each contact; counted first, where `entries` is NULL
static int list_V(const con_problem *problem, con_triplets *entries)
{
    const con_joints *joints = problem->joints;
    int count = 0;
    for (int c = 0; c < problem->contact_count; c++)
        for (int j = 0; j < joints->count; j++) {
            if (!share_body(problem->body[c], joints->body[j]))
                continue;
            for (int row = joints->start[j]; row < joints->start[j + 1]; row++)
                for (int axis = 0; axis < 3; axis++, count++)
                    if (entries != NULL)
                        con_triplets_add(entries, 3 * c + axis, row,
                                         couple(problem, c, axis, j, row));
        }
    return count;
}

// R = G M^-1 G^T, likewise
static int list_R(const con_problem *problem, con_triplets *entries)
{
    const con_joints *joints = problem->joints;
    int count = 0;
    for (int a = 0; a < joints->count; a++)
        for (int b = 0; b < joints->count; b++) {
            if (!share_body(joints->body[a], joints->body[b]))
                continue;
            for (int i = joints->start[a]; i < joints->start[a + 1]; i++)
                for (int k = joints->start[b]; k < joints->start[b + 1]; k++, count++)
                    if (entries != NULL)
                        con_triplets_add(entries, i, k,
                                         couple_rows(joints, problem->mass_inverse, a, i, b, k));
        }
    return count;
}

// s = G v_free - b
static void fill_s(const con_problem *problem, double *s)
{
    const con_joints *joints = problem->joints;
    for (int j = 0; j < joints->count; j++)
        for (int row = joints->start[j]; row < joints->start[j + 1]; row++) {
            s[row] = -joints->b[row];
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 6 && joints->body[j][side] >= 0; k++)
                    s[row] += joints->G[row][side][k] * problem->v_free[joints->body[j][side]][k];
        }
}

// the joints' part of the local form: V, S = V^T, R, s
static cairn_status build_multipliers(const con_problem *problem, base_arena *arena,
                                      con_fclib_problem *content)
{
    int rows = joint_rows(problem);
    con_triplets V, R;
    double *s = base_arena_array(arena, double, "fclib s", rows);
    if (s == NULL || con_triplets_reserve(&V, list_V(problem, NULL) + 1, arena) != CAIRN_OK ||
        con_triplets_reserve(&R, list_R(problem, NULL) + 1, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    list_V(problem, &V);
    list_R(problem, &R);
    fill_s(problem, s);
    content->s = s;
    BASE_TRY(con_sparse_from_triplets(&V, 3 * problem->contact_count, rows, arena, &content->V));
    BASE_TRY(con_sparse_transpose(&content->V, arena, &content->S));
    return con_sparse_from_triplets(&R, rows, rows, arena, &content->R);
}

static cairn_status build_local(const con_problem *problem, base_arena *arena,
                                con_fclib_problem *content, cairn_error *error)
{
    con_problem assembled = *problem;
    cairn_status status = CAIRN_OK;
    if (assembled.W == NULL && assembled.H == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the problem has neither bodies nor W");
    // the W of free bodies: the joints have their own matrices
    if (assembled.W == NULL || problem->joints != NULL)
        status = con_delassus_assemble(&assembled, arena, &assembled.W);
    if (status == CAIRN_OK)
        status = compress_blocks(assembled.W, arena, &content->W);
    content->q = problem->q[0];
    if (status == CAIRN_OK && content->equality_count > 0)
        status = build_multipliers(problem, arena, content);
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
                                   .equality_count = joint_rows(problem),
                                   .friction = problem->friction};
    return form == CON_FCLIB_LOCAL ? build_local(problem, arena, content, error)
                                   : build_global(problem, arena, content, error);
}

// velocities of the bodies of the file, in its rows
static cairn_status velocity_rows(const con_problem *problem, const double (*v)[6],
                                  const double (*R)[3], base_arena *arena, const double **out)
{
    row_map map;
    if (map_rows(problem, arena, &map) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    double *rows = base_arena_array(arena, double, "fclib v", map.count);
    if (rows == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int b = 0; b < problem->body_count; b++)
        if (map.first[b] >= 0)
            memcpy(rows + map.first[b], v[b], sizeof v[b]);
    int row = map.bodies;
    for (int c = 0; c < problem->contact_count; c++)
        for (int k = 0; k < 3; k++)
            if (yields(problem, c, k))
                rows[row++] = problem->compliance[c][k] * R[c][k];
    *out = rows;
    return CAIRN_OK;
}

// with joints: velocities of bodies and contacts, and what the joints bear
static cairn_status jointed_velocities(const con_problem *problem, const con_fclib_problem *content,
                                       base_arena *arena, con_fclib_vectors *vectors)
{
    const double(*R)[3] = (const double(*)[3])vectors->r;
    double(*v)[6] =
        base_arena_allocate(arena, "fclib v", (size_t)problem->body_count + 1, sizeof *v);
    double(*u)[3] =
        base_arena_allocate(arena, "fclib u", (size_t)problem->contact_count, sizeof *u);
    double *l = base_arena_array(arena, double, "fclib l", content->equality_count);
    if (v == NULL || u == NULL || l == NULL)
        return CAIRN_ERROR_MEMORY;
    BASE_TRY(con_joints_apply(problem, R, v, l, NULL, arena));
    con_apply_H(problem, (const double(*)[6])v, problem->w, u);
    con_apply_compliance(problem, R, u);
    vectors->u = u[0];
    vectors->l = l;
    return content->form == CON_FCLIB_LOCAL
               ? CAIRN_OK
               : velocity_rows(problem, (const double(*)[6])v, R, arena, &vectors->v);
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
static cairn_status complete_vectors(const con_problem *problem, const con_fclib_problem *content,
                                     const double (*R)[3], const double (*U)[3], base_arena *arena,
                                     con_fclib_vectors *vectors)
{
    *vectors = (con_fclib_vectors){.r = R[0]};
    cairn_status status =
        content->equality_count > 0        ? jointed_velocities(problem, content, arena, vectors)
        : content->form == CON_FCLIB_LOCAL ? local_velocities(content, arena, vectors)
                                           : global_velocities(content, arena, vectors);
    if (U != NULL)
        vectors->u = U[0];
    return status;
}

static cairn_status write_content(const char *path, const con_problem *problem,
                                  con_fclib_problem *content, const double (*guess)[3],
                                  const double (*R)[3], const double (*U)[3], base_arena *arena,
                                  cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    con_fclib_vectors guess_vectors;
    if (guess != NULL) {
        status = complete_vectors(problem, content, guess, NULL, arena, &guess_vectors);
        content->guesses = &guess_vectors;
        content->guess_count = 1;
    }
    if (R != NULL && status == CAIRN_OK) {
        status = complete_vectors(problem, content, R, U, arena, &content->solution);
        content->has_solution = true;
    }
    if (status != CAIRN_OK)
        return base_fail(error, status, "%s: %s", path, cairn_status_text(status));
    con_fclib_problem rolling;
    if (problem->spinning == NULL)
        return con_fclib_save(path, content, arena, error);
    cairn_error reason = {0};
    status = con_fclib_compress(content, problem->spinning, arena, &rolling, &reason);
    return status == CAIRN_OK ? con_fclib_save(path, &rolling, arena, error)
                              : base_fail(error, status, "%.400s: %.500s", path, reason.message);
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
        status = write_content(path, problem, &content, guess, R, U, arena, error);
    }
    base_arena_rewind(arena, mark);
    return status;
}
