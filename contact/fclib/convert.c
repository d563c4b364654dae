// SPDX-License-Identifier: Apache-2.0
// From the content of a problem file to the problem that solvers read.
#include "contact/fclib/reduce.h"

#include "base/groups.h"
#include "contact/fclib/rolling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double mass_symmetry_tolerance = 1e-9;

// assignment of rows of M to bodies
typedef struct partition {
    int count;
    int *body;  // [n] body of a row
    int *place; // [n] 0 .. 5 within the body
} partition;

static cairn_status partition_allocate(partition *parts, int n, base_arena *arena)
{
    parts->count = 0;
    parts->body = base_arena_array(arena, int, "row body", n);
    parts->place = base_arena_array(arena, int, "row place", n);
    return parts->body == NULL || parts->place == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

static void partition_by_width(partition *parts, int n, int width)
{
    parts->count = n / width;
    for (int i = 0; i < n; i++) {
        parts->body[i] = i / width;
        parts->place[i] = i % width;
    }
}

// connected parts of M's pattern, numbered by their first row; false where one has over 6 rows
static bool partition_by_components(partition *parts, const con_sparse *M, int *parent, int *size)
{
    int n = M->rows;
    base_groups_init(parent, n);
    for (int j = 0; j < n; j++)
        for (int k = M->start[j]; k < M->start[j + 1]; k++)
            base_groups_join(parent, M->index[k], j);
    parts->count = 0;
    for (int i = 0; i < n; i++) {
        int root = base_groups_first(parent, i);
        if (root == i) {
            size[parts->count] = 0;
            parts->body[i] = parts->count++;
        }
        parts->body[i] = parts->body[root];
        parts->place[i] = size[parts->body[i]]++;
        if (parts->place[i] > 5)
            return false;
    }
    return true;
}

static bool partition_separates(const partition *parts, const con_sparse *M)
{
    for (int j = 0; j < M->columns; j++)
        for (int k = M->start[j]; k < M->start[j + 1]; k++)
            if (M->value[k] != 0.0 && parts->body[M->index[k]] != parts->body[j])
                return false;
    return true;
}

// the one or two bodies that columns begin .. end-1 touch, ascending, -1 first where there is one;
// false on a third
static bool pair_columns(const partition *parts, const con_sparse *a, int begin, int end,
                         int pair[2])
{
    int found[2] = {-1, -1};
    for (int k = a->start[begin]; k < a->start[end]; k++) {
        int b = parts->body[a->index[k]];
        if (a->value[k] == 0.0 || b == found[0] || b == found[1])
            continue;
        if (found[0] >= 0)
            return false;
        found[0] = found[1];
        found[1] = b;
    }
    bool swap = found[0] > found[1];
    pair[0] = found[swap ? 1 : 0];
    pair[1] = found[swap ? 0 : 1];
    return true;
}

/// Bodies of every contact and every equality constraint.
typedef struct body_pairs {
    int (*contact)[2];
    int (*row)[2];
} body_pairs;

// NULL, or what touches more than two bodies
static const char *pair_bodies(const partition *parts, const con_fclib_problem *content,
                               const body_pairs *pairs)
{
    for (int c = 0; c < content->contact_count; c++)
        if (!pair_columns(parts, &content->H, 3 * c, 3 * c + 3, pairs->contact[c]))
            return "a contact touches more than two bodies";
    for (int k = 0; k < content->equality_count; k++)
        if (!pair_columns(parts, &content->G, k, k + 1, pairs->row[k]))
            return "an equality constraint touches more than two bodies";
    return NULL;
}

// tries blocks of 6 and 3 rows, then connected parts; `reason` says why none fits
static cairn_status find_bodies(const con_fclib_problem *content, base_arena *arena,
                                partition *parts, const body_pairs *pairs, const char **reason)
{
    int n = content->velocity_count;
    int *parent = base_arena_array(arena, int, "parents", n);
    int *size = base_arena_array(arena, int, "sizes", n);
    if (parent == NULL || size == NULL || partition_allocate(parts, n, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    *reason = NULL;
    for (int width = 6; width >= 3; width -= 3) {
        if (n % width != 0)
            continue;
        partition_by_width(parts, n, width);
        if (partition_separates(parts, &content->M) && pair_bodies(parts, content, pairs) == NULL)
            return CAIRN_OK;
    }
    if (!partition_by_components(parts, &content->M, parent, size))
        *reason = "the mass matrix does not fall apart into bodies of at most 6 velocities";
    else
        *reason = pair_bodies(parts, content, pairs);
    return CAIRN_OK;
}

// mass matrix of one body: Cholesky factor, or the matrix itself where it is diagonal
typedef struct body_mass {
    double L[6][6];
    int rows;
    bool diagonal;
} body_mass;

static void gather_masses(const partition *parts, const con_sparse *M, body_mass *mass)
{
    for (int b = 0; b < parts->count; b++)
        mass[b] = (body_mass){.diagonal = true};
    for (int j = 0; j < M->columns; j++) {
        body_mass *m = &mass[parts->body[j]];
        m->rows++;
        for (int k = M->start[j]; k < M->start[j + 1]; k++) {
            int i = M->index[k];
            if (M->value[k] == 0.0)
                continue;
            m->L[parts->place[i]][parts->place[j]] = M->value[k];
            m->diagonal = m->diagonal && i == j;
        }
    }
}

// lower triangle in place; false where the matrix is not positive definite
static bool factor_cholesky(body_mass *mass)
{
    for (int j = 0; j < mass->rows; j++) {
        double pivot = mass->L[j][j];
        for (int k = 0; k < j; k++)
            pivot -= mass->L[j][k] * mass->L[j][k];
        if (!(pivot > 1e-15 * mass->L[j][j]))
            return false;
        mass->L[j][j] = sqrt(pivot);
        for (int i = j + 1; i < mass->rows; i++) {
            double sum = mass->L[i][j];
            for (int k = 0; k < j; k++)
                sum -= mass->L[i][k] * mass->L[j][k];
            mass->L[i][j] = sum / mass->L[j][j];
        }
    }
    return true;
}

// NULL, or why the matrix cannot be made the identity
static const char *factor_mass(body_mass *mass)
{
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < mass->rows; i++)
        for (int j = 0; j < i; j++) {
            double lower = mass->L[i][j], upper = mass->L[j][i];
            largest = fmax(largest, fmax(fabs(lower), fabs(upper)));
            difference = fmax(difference, fabs(lower - upper));
            mass->L[i][j] = mass->L[j][i] = 0.5 * (lower + upper);
        }
    if (!(difference <= mass_symmetry_tolerance * largest))
        return "the mass matrix is not symmetric";
    bool definite = mass->diagonal || factor_cholesky(mass);
    for (int i = 0; i < mass->rows; i++)
        definite = definite && mass->L[i][i] > 0.0;
    return definite ? NULL : "the mass matrix is not positive definite";
}

// x = L^-1 x; nothing where the velocities stay as they are
static void change_coordinates(const body_mass *mass, double x[6])
{
    for (int i = 0; i < mass->rows && !mass->diagonal; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= mass->L[i][k] * x[k];
        x[i] /= mass->L[i][i];
    }
}

// M^-1 and v_free in the new coordinates
static void fill_bodies(const con_fclib_problem *content, const partition *parts,
                        const body_mass *mass, double (*mass_inverse)[6], double (*v_free)[6])
{
    memset(v_free, 0, (size_t)parts->count * sizeof *v_free);
    for (int i = 0; i < content->velocity_count; i++)
        v_free[parts->body[i]][parts->place[i]] = content->f[i];
    for (int b = 0; b < parts->count; b++) {
        change_coordinates(&mass[b], v_free[b]);
        for (int k = 0; k < 6; k++) {
            bool scaled = mass[b].diagonal && k < mass[b].rows;
            mass_inverse[b][k] = scaled ? 1.0 / mass[b].L[k][k] : 1.0;
            v_free[b][k] = scaled ? v_free[b][k] / mass[b].L[k][k] : v_free[b][k];
        }
    }
}

static void fill_gradients(const con_sparse *H, const partition *parts, const body_mass *mass,
                           const int (*body)[2], double (*out)[2][3][6])
{
    memset(out, 0, (size_t)(H->columns / 3) * sizeof *out);
    for (int j = 0; j < H->columns; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++) {
            int i = H->index[k];
            int b = parts->body[i];
            if (H->value[k] != 0.0)
                out[j / 3][b == body[j / 3][0] ? 0 : 1][j % 3][parts->place[i]] = H->value[k];
        }
    for (int c = 0; c < H->columns / 3; c++)
        for (int side = 0; side < 2; side++)
            for (int axis = 0; axis < 3 && body[c][side] >= 0; axis++)
                change_coordinates(&mass[body[c][side]], out[c][side][axis]);
}

/// Joints being built: runs of constraints on the same bodies.
typedef struct joint_arrays {
    int *start;
    int (*body)[2];
    double (*G)[2][6];
    double *b;
} joint_arrays;

static cairn_status joint_arrays_allocate(joint_arrays *out, int rows, base_arena *arena)
{
    size_t p = (size_t)rows;
    out->start = base_arena_array(arena, int, "joints", p + 1);
    out->body = base_arena_allocate(arena, "joints", p, sizeof *out->body);
    out->G = base_arena_allocate(arena, "joints", p, sizeof *out->G);
    out->b = base_arena_array(arena, double, "joints", p);
    bool complete = out->start != NULL && out->body != NULL && out->G != NULL && out->b != NULL;
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

// blocks of one constraint, and its right side: the file has G^T v + b = 0
static void fill_joint_row(const con_fclib_problem *content, const partition *parts,
                           const body_mass *mass, const int pair[2], int row, joint_arrays *out)
{
    const con_sparse *G = &content->G;
    memset(out->G[row], 0, sizeof out->G[row]);
    for (int k = G->start[row]; k < G->start[row + 1]; k++) {
        int b = parts->body[G->index[k]];
        if (G->value[k] != 0.0)
            out->G[row][b == pair[0] ? 0 : 1][parts->place[G->index[k]]] = G->value[k];
    }
    for (int side = 0; side < 2; side++)
        if (pair[side] >= 0)
            change_coordinates(&mass[pair[side]], out->G[row][side]);
    out->b[row] = -content->b[row];
}

// problem->joints, where the content has constraints
static cairn_status convert_joints(const con_fclib_problem *content, const partition *parts,
                                   const body_mass *mass, const int (*pair)[2], base_arena *arena,
                                   con_problem *problem)
{
    if (content->equality_count == 0)
        return CAIRN_OK;
    con_joints *joints = base_arena_array(arena, con_joints, "joints", 1);
    joint_arrays out;
    if (joints == NULL || joint_arrays_allocate(&out, content->equality_count, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    int count = 0;
    out.start[0] = 0;
    for (int row = 0; row < content->equality_count; row++) {
        bool joins = count > 0 && row - out.start[count - 1] < 6 &&
                     memcmp(pair[row], out.body[count - 1], sizeof pair[row]) == 0;
        if (!joins) {
            memcpy(out.body[count], pair[row], sizeof pair[row]);
            out.start[count++] = row;
        }
        fill_joint_row(content, parts, mass, pair[row], row, &out);
    }
    out.start[count] = content->equality_count;
    *joints = (con_joints){.count = count,
                           .start = out.start,
                           .body = (const int(*)[2])out.body,
                           .G = (const double(*)[2][6])out.G,
                           .b = out.b};
    problem->joints = joints;
    return CAIRN_OK;
}

// the arrays of the body form
typedef struct body_form {
    int (*body)[2];
    double (*H)[2][3][6];
    double (*mass_inverse)[6];
    double (*v_free)[6];
    double (*q)[3];
    mat3 *W_diagonal;
} body_form;

static cairn_status body_form_allocate(body_form *form, int contacts, int bodies, base_arena *arena)
{
    size_t n = (size_t)contacts, m = (size_t)bodies;
    form->H = base_arena_allocate(arena, "H", n, sizeof *form->H);
    form->mass_inverse = base_arena_allocate(arena, "M^-1", m, sizeof *form->mass_inverse);
    form->v_free = base_arena_allocate(arena, "v_free", m, sizeof *form->v_free);
    form->q = base_arena_allocate(arena, "q", n, sizeof *form->q);
    form->W_diagonal = base_arena_allocate(arena, "W_ii", n, sizeof *form->W_diagonal);
    if (form->H == NULL || form->mass_inverse == NULL || form->v_free == NULL || form->q == NULL ||
        form->W_diagonal == NULL)
        return CAIRN_ERROR_MEMORY;
    return CAIRN_OK;
}

static void body_form_finish(const con_fclib_problem *content, const body_form *form,
                             int body_count, con_problem *problem)
{
    *problem = (con_problem){.contact_count = content->contact_count,
                             .friction = content->friction,
                             .body_count = body_count,
                             .body = (void *)form->body,
                             .H = (void *)form->H,
                             .mass_inverse = (void *)form->mass_inverse,
                             .v_free = (void *)form->v_free,
                             .w = (void *)content->w};
    con_apply_H(problem, problem->v_free, problem->w, form->q);
    con_assemble_diagonal(problem, form->W_diagonal);
    problem->q = (void *)form->q;
    problem->W_diagonal = form->W_diagonal;
}

// why the content can have no body form, before looking at M; NULL for nothing known against it
static const char *no_body_form(const con_fclib_problem *content)
{
    if (content->form == CON_FCLIB_LOCAL)
        return "the file holds W alone";
    return content->dimension != 3 ? "the problem is two-dimensional" : NULL;
}

// problem->H stays NULL, and `reason` is set, where there is no body form
static cairn_status convert_bodies(const con_fclib_problem *content, base_arena *arena,
                                   con_problem *problem, const char **reason)
{
    partition parts;
    body_form form = {0};
    form.body = base_arena_allocate(arena, "contact bodies", (size_t)content->contact_count,
                                    sizeof *form.body);
    body_pairs pairs = {form.body, base_arena_allocate(arena, "joint bodies",
                                                       (size_t)content->equality_count + 1,
                                                       sizeof *pairs.row)};
    if (form.body == NULL || pairs.row == NULL ||
        find_bodies(content, arena, &parts, &pairs, reason) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    if (*reason != NULL)
        return CAIRN_OK;
    body_mass *mass = base_arena_array(arena, body_mass, "masses", parts.count);
    if (mass == NULL || body_form_allocate(&form, content->contact_count, parts.count, arena))
        return CAIRN_ERROR_MEMORY;
    gather_masses(&parts, &content->M, mass);
    for (int b = 0; b < parts.count && *reason == NULL; b++)
        *reason = factor_mass(&mass[b]);
    if (*reason != NULL)
        return CAIRN_OK;
    fill_bodies(content, &parts, mass, form.mass_inverse, form.v_free);
    fill_gradients(&content->H, &parts, mass, (void *)form.body, form.H);
    body_form_finish(content, &form, parts.count, problem);
    return convert_joints(content, &parts, mass, (const int(*)[2])pairs.row, arena, problem);
}

cairn_status con_fclib_count_bodies(const con_fclib_problem *content, base_arena *arena, int *count)
{
    *count = 0;
    base_arena_mark mark = base_arena_get_mark(arena);
    con_problem problem = {0};
    const char *reason = NULL;
    con_fclib_problem expanded;
    const double *spinning;
    cairn_status status = CAIRN_OK;
    if (content->rolling != NULL) {
        status = con_fclib_expand(content, arena, &expanded, &spinning);
        content = &expanded;
    }
    if (status == CAIRN_OK && no_body_form(content) == NULL)
        status = convert_bodies(content, arena, &problem, &reason);
    *count = problem.body_count;
    base_arena_rewind(arena, mark);
    return status;
}

// x = A^-1 x by elimination with row exchanges; false where A is singular
static bool solve_small(double A[6][6], int size, double x[6])
{
    for (int k = 0; k < size; k++) {
        int pivot = k;
        for (int i = k + 1; i < size; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k]))
                pivot = i;
        if (A[pivot][k] == 0.0)
            return false;
        for (int j = 0; j < size; j++) {
            double kept = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = kept;
        }
        double kept = x[k];
        x[k] = x[pivot];
        x[pivot] = kept;
        for (int i = k + 1; i < size; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < size; j++)
                A[i][j] -= factor * A[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int i = size - 1; i >= 0; i--) {
        for (int j = i + 1; j < size; j++)
            x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
    return true;
}

// x = L^T M^-T x: a row of H M^-1 L from one of H
static bool divide_mass(const double M[6][6], const body_mass *mass, double x[6])
{
    double transposed[6][6];
    int size = mass->rows;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            transposed[i][j] = M[j][i];
    if (!solve_small(transposed, size, x))
        return false;
    for (int k = 0; k < size; k++) {
        double sum = 0.0;
        for (int i = k; i < size; i++)
            sum += mass->L[i][k] * x[i];
        x[k] = sum;
    }
    return true;
}

// makes L of the symmetric part of M; false where that is not positive definite
static bool factor_symmetric_part(body_mass *mass)
{
    for (int i = 0; i < mass->rows; i++)
        for (int j = 0; j < i; j++)
            mass->L[i][j] = mass->L[j][i] = 0.5 * (mass->L[i][j] + mass->L[j][i]);
    mass->diagonal = false;
    return factor_cholesky(mass);
}

// problem->factors of a file in global form whose bodies have unsymmetric mass matrices; NULL stays
// where it falls apart into no bodies
static cairn_status convert_factors(const con_fclib_problem *content, base_arena *arena,
                                    con_problem *problem)
{
    size_t n = (size_t)content->contact_count;
    partition parts;
    const char *reason = NULL;
    con_body_factors *factors = base_arena_array(arena, con_body_factors, "factors of W", 1);
    int(*body)[2] = base_arena_allocate(arena, "factors of W", n, sizeof *body);
    double(*J)[2][3][6] = base_arena_allocate(arena, "factors of W", n, sizeof *J);
    double(*K)[2][3][6] = base_arena_allocate(arena, "factors of W", n, sizeof *K);
    const body_pairs pairs = {body, NULL};
    if (factors == NULL || body == NULL || J == NULL || K == NULL ||
        find_bodies(content, arena, &parts, &pairs, &reason) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    if (reason != NULL)
        return CAIRN_OK;
    body_mass *whole = base_arena_array(arena, body_mass, "masses", parts.count);
    body_mass *mass = base_arena_array(arena, body_mass, "masses", parts.count);
    if (whole == NULL || mass == NULL)
        return CAIRN_ERROR_MEMORY;
    gather_masses(&parts, &content->M, whole);
    memcpy(mass, whole, (size_t)parts.count * sizeof *mass);
    bool sound = true;
    for (int b = 0; b < parts.count; b++)
        sound = factor_symmetric_part(&mass[b]) && sound;
    if (!sound)
        return CAIRN_OK;
    fill_gradients(&content->H, &parts, mass, (const int(*)[2])body, K);
    for (int b = 0; b < parts.count; b++)
        mass[b].diagonal = true; // leaves the rows of H as they are
    fill_gradients(&content->H, &parts, mass, (const int(*)[2])body, J);
    for (size_t c = 0; c < n; c++)
        for (int side = 0; side < 2; side++)
            for (int row = 0; row < 3 && body[c][side] >= 0; row++) {
                int b = body[c][side];
                sound =
                    divide_mass((const double(*)[6])whole[b].L, &mass[b], J[c][side][row]) && sound;
            }
    *factors = (con_body_factors){parts.count, (const int(*)[2])body, (const double(*)[2][3][6])J,
                                  (const double(*)[2][3][6])K};
    problem->factors = sound ? factors : NULL;
    return CAIRN_OK;
}

// W by block rows, being built
typedef struct block_builder {
    int dimension;
    bool pairs;      // blocks 2 k and 2 k + 1, force and moment, have the same neighbours
    con_sparse rows; // rows of W as columns
    int *place;      // [n] place of a block column in the row at hand, -1
    int *column;     // [n] block columns of the row at hand
    int count;
} block_builder;

static int compare_integers(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void collect_column(block_builder *build, int j)
{
    if (build->place[j] >= 0)
        return;
    build->place[j] = 0;
    build->column[build->count++] = j;
}

// block columns of block row i (of its pair) that are not all zero, and i itself, ascending
static void collect_row(block_builder *build, int i)
{
    int d = build->dimension, first = build->pairs ? i - i % 2 : i;
    int last = build->pairs ? first + 1 : i;
    build->count = 0;
    collect_column(build, first);
    collect_column(build, last);
    for (int k = build->rows.start[d * first]; k < build->rows.start[d * last + d]; k++) {
        int j = build->rows.index[k] / d;
        if (build->rows.value[k] == 0.0)
            continue;
        collect_column(build, build->pairs ? j - j % 2 : j);
        if (build->pairs)
            collect_column(build, j - j % 2 + 1);
    }
    qsort(build->column, (size_t)build->count, sizeof *build->column, compare_integers);
    for (int k = 0; k < build->count; k++)
        build->place[build->column[k]] = k;
}

static void forget_row(block_builder *build)
{
    for (int k = 0; k < build->count; k++)
        build->place[build->column[k]] = -1;
}

// blocks of the collected row; a 2-D diagonal block gets a second tangent of its own
static void fill_row(const block_builder *build, int i, mat3 *block)
{
    int d = build->dimension;
    memset(block, 0, (size_t)build->count * sizeof *block);
    for (int axis = 0; axis < d; axis++)
        for (int k = build->rows.start[d * i + axis]; k < build->rows.start[d * i + axis + 1]; k++)
            if (build->rows.value[k] != 0.0)
                block[build->place[build->rows.index[k] / d]].m[axis][build->rows.index[k] % d] =
                    build->rows.value[k];
    if (d == 2) {
        mat3 *diagonal = &block[build->place[i]];
        diagonal->m[2][2] = diagonal->m[1][1] > 0.0 ? diagonal->m[1][1] : 1.0;
    }
}

static cairn_status builder_create(block_builder *build, const con_sparse *W, int dimension,
                                   bool pairs, base_arena *arena)
{
    build->pairs = pairs;
    int n = W->rows / dimension;
    build->dimension = dimension;
    build->place = base_arena_array(arena, int, "block places", n);
    build->column = base_arena_array(arena, int, "block columns", n);
    if (build->place == NULL || build->column == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        build->place[i] = -1;
    return con_sparse_transpose(W, arena, &build->rows);
}

// W in blocks, and its diagonal
static cairn_status convert_matrix(const con_sparse *W, int dimension, bool pairs,
                                   base_arena *arena, con_problem *problem)
{
    int n = W->rows / dimension;
    block_builder build;
    con_block_matrix *blocks = base_arena_array(arena, con_block_matrix, "W", 1);
    int *start = base_arena_array(arena, int, "W start", (size_t)n + 1);
    mat3 *diagonal = base_arena_array(arena, mat3, "W_ii", n);
    if (blocks == NULL || start == NULL || diagonal == NULL ||
        builder_create(&build, W, dimension, pairs, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    start[0] = 0;
    for (int i = 0; i < n; i++) {
        collect_row(&build, i);
        start[i + 1] = start[i] + build.count;
        forget_row(&build);
    }
    int *column = base_arena_array(arena, int, "W column", start[n]);
    mat3 *block = base_arena_array(arena, mat3, "W block", start[n]);
    if (column == NULL || block == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        collect_row(&build, i);
        memcpy(column + start[i], build.column, (size_t)build.count * sizeof *column);
        fill_row(&build, i, block + start[i]);
        diagonal[i] = block[start[i] + build.place[i]];
        forget_row(&build);
    }
    *blocks = (con_block_matrix){n, start, column, block};
    problem->W = blocks;
    problem->W_diagonal = diagonal;
    return CAIRN_OK;
}

// rows of the file (2 or 3 per contact) as rows of 3
static cairn_status widen(const double *values, const con_fclib_problem *content, base_arena *arena,
                          const double (**out)[3])
{
    *out = NULL;
    if (values == NULL)
        return CAIRN_OK;
    double(*rows)[3] =
        base_arena_allocate(arena, "contact rows", (size_t)content->contact_count, sizeof *rows);
    if (rows == NULL)
        return CAIRN_ERROR_MEMORY;
    int d = content->dimension;
    for (int c = 0; c < content->contact_count; c++)
        for (int axis = 0; axis < 3; axis++)
            rows[c][axis] = axis < d ? values[d * c + axis] : 0.0;
    *out = (void *)rows;
    return CAIRN_OK;
}

static cairn_status convert_delassus(const con_fclib_problem *content, bool pairs,
                                     base_arena *arena, con_problem *problem, cairn_error *error)
{
    con_sparse W;
    const double *q = NULL;
    BASE_TRY(con_fclib_reduce(content, arena, &W, &q, error));
    *problem =
        (con_problem){.contact_count = content->contact_count, .friction = content->friction};
    cairn_status status = convert_matrix(&W, content->dimension, pairs, arena, problem);
    if (status == CAIRN_OK)
        status = widen(q, content, arena, &problem->q);
    return status == CAIRN_OK ? CAIRN_OK
                              : base_fail(error, status, "%s", cairn_status_text(status));
}

// borrowed arrays of the file become the conversion's own
static cairn_status own_arrays(const con_fclib_problem *content, con_fclib_conversion *out)
{
    base_arena *arena = out->memory;
    con_problem *problem = &out->problem;
    double *friction = base_arena_array(arena, double, "friction", content->contact_count);
    if (friction == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(friction, content->friction, (size_t)content->contact_count * sizeof *friction);
    problem->friction = friction;
    cairn_status status = CAIRN_OK;
    if (problem->H != NULL)
        status = widen(content->w, content, arena, &problem->w);
    if (status == CAIRN_OK && content->guess_count > 0)
        status = widen(content->guesses[0].r, content, arena, &out->guess);
    if (status == CAIRN_OK)
        status = widen(content->solution.r, content, arena, &out->solution);
    return status;
}

cairn_status con_fclib_convert(const con_fclib_problem *content, const base_allocator *allocator,
                               con_fclib_conversion **conversion, cairn_error *error)
{
    *conversion = NULL;
    base_arena *memory = base_arena_create(allocator, 1 << 16);
    con_fclib_conversion *out =
        memory == NULL ? NULL : base_arena_array(memory, con_fclib_conversion, "conversion", 1);
    if (out == NULL) {
        base_arena_destroy(memory);
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    }
    *out = (con_fclib_conversion){.memory = memory};
    cairn_status status = CAIRN_OK;
    con_fclib_problem expanded;
    const double *spinning = NULL;
    if (content->rolling != NULL) {
        status = con_fclib_expand(content, memory, &expanded, &spinning);
        content = &expanded;
    }
    if (status != CAIRN_OK) {
        base_arena_destroy(memory);
        return base_fail(error, status, "%s", cairn_status_text(status));
    }
    out->reason = no_body_form(content);
    if (out->reason == NULL)
        status = convert_bodies(content, out->memory, &out->problem, &out->reason);
    if (status == CAIRN_OK && out->reason != NULL)
        status = convert_delassus(content, spinning != NULL, out->memory, &out->problem, error);
    if (status == CAIRN_OK && out->reason != NULL && content->form == CON_FCLIB_GLOBAL &&
        content->dimension == 3 && content->equality_count == 0 && spinning == NULL)
        status = convert_factors(content, out->memory, &out->problem);
    out->problem.spinning = spinning;
    if (status == CAIRN_OK)
        status = own_arrays(content, out);
    if (status == CAIRN_ERROR_MEMORY)
        base_fail(error, status, "%s", cairn_status_text(status));
    if (status == CAIRN_OK)
        *conversion = out;
    else
        base_arena_destroy(memory);
    return status;
}

void con_fclib_conversion_destroy(con_fclib_conversion *conversion)
{
    if (conversion != NULL)
        base_arena_destroy(conversion->memory);
}
