// SPDX-License-Identifier: Apache-2.0
// Products with H and M^-1, diagonal blocks and the sparse matrix W of a problem in body form.
#include "contact/problem.h"

#include "base/assert.h"

#include <limits.h>
#include <string.h>

// H_a M^-1 H_b^T of one body
static void add_block(const double a[3][6], const double mass_inverse[6], const double b[3][6],
                      mat3 *block)
{
    for (int i = 0; i < 3; i++) {
        double scaled[6];
        for (int k = 0; k < 6; k++)
            scaled[k] = a[i][k] * mass_inverse[k];
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++)
                sum += scaled[k] * b[j][k];
            block->m[i][j] += sum;
        }
    }
}

// coupling of contacts i and j through the bodies they share
static mat3 coupling_block(const con_problem *problem, int i, int j)
{
    mat3 block = {0};
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            int body = problem->body[i][s];
            if (body >= 0 && body == problem->body[j][t])
                add_block(problem->H[i][s], problem->mass_inverse[body], problem->H[j][t], &block);
        }
    return block;
}

static mat3 diagonal_block(const con_problem *problem, int i)
{
    mat3 block = coupling_block(problem, i, i);
    for (int row = 1; row < 3; row++)
        for (int column = 0; column < row; column++)
            block.m[row][column] = block.m[column][row];
    return block;
}

void con_assemble_diagonal_range(const con_problem *problem, int begin, int end, mat3 *W_diagonal)
{
    for (int i = begin; i < end; i++)
        W_diagonal[i] = diagonal_block(problem, i);
}

void con_assemble_diagonal(const con_problem *problem, mat3 *W_diagonal)
{
    con_assemble_diagonal_range(problem, 0, problem->contact_count, W_diagonal);
}

static void add_H_row(const double H[3][6], const double v[6], double out[3])
{
    for (int row = 0; row < 3; row++) {
        double sum = 0.0;
        for (int k = 0; k < 6; k++)
            sum += H[row][k] * v[k];
        out[row] += sum;
    }
}

void con_apply_H(const con_problem *problem, const double (*v)[6], const double (*w)[3],
                 double (*out)[3])
{
    for (int i = 0; i < problem->contact_count; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int s = 0; s < 2; s++)
            if (problem->body[i][s] >= 0)
                add_H_row(problem->H[i][s], v[problem->body[i][s]], sum);
        for (int row = 0; row < 3; row++)
            out[i][row] = sum[row] + w[i][row];
    }
}

static void add_impulse(const double H[3][6], const double R[3], double impulse[6])
{
    for (int k = 0; k < 6; k++)
        impulse[k] += H[0][k] * R[0] + H[1][k] * R[1] + H[2][k] * R[2];
}

void con_apply_impulses(const con_problem *problem, const double (*R)[3], double (*v)[6])
{
    // v holds H^T R until the mass is divided out
    memset(v, 0, (size_t)problem->body_count * sizeof *v);
    for (int i = 0; i < problem->contact_count; i++)
        for (int s = 0; s < 2; s++)
            if (problem->body[i][s] >= 0)
                add_impulse(problem->H[i][s], R[i], v[problem->body[i][s]]);
    for (int a = 0; a < problem->body_count; a++)
        for (int k = 0; k < 6; k++)
            v[a][k] = problem->v_free[a][k] + problem->mass_inverse[a][k] * v[a][k];
}

// contacts of each body, ascending
typedef struct body_contacts {
    int *start;   // [body_count + 1]
    int *contact; // [start[body_count]]
} body_contacts;

static bool list_body_contacts(const con_problem *problem, body_contacts *list, base_arena *arena)
{
    int n = problem->contact_count, m = problem->body_count;
    list->start = base_arena_array(arena, int, "contacts of bodies", m + 2);
    list->contact = base_arena_array(arena, int, "contacts of bodies", 2 * n + 1);
    if (list->start == NULL || list->contact == NULL)
        return false;
    // counted two places up, so that filling leaves the starts in place
    memset(list->start, 0, (size_t)(m + 2) * sizeof *list->start);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < 2; s++)
            if (problem->body[i][s] >= 0)
                list->start[problem->body[i][s] + 2]++;
    for (int a = 2; a < m + 2; a++)
        list->start[a] += list->start[a - 1];
    for (int i = 0; i < n; i++)
        for (int s = 0; s < 2; s++)
            if (problem->body[i][s] >= 0)
                list->contact[list->start[problem->body[i][s] + 1]++] = i;
    return true;
}

// visits the contacts that share a body with i, i included, each once: counts them in `count`, and
// where `column` is given writes i into their rows
static void visit_neighbours(const con_problem *problem, const body_contacts *list, int i,
                             int *visited, int *count, int *column)
{
    visited[i] = i;
    if (column != NULL)
        column[count[i]] = i;
    count[i]++;
    for (int s = 0; s < 2; s++) {
        int body = problem->body[i][s];
        for (int k = body < 0 ? 0 : list->start[body]; body >= 0 && k < list->start[body + 1];
             k++) {
            int j = list->contact[k];
            if (visited[j] == i)
                continue;
            visited[j] = i;
            if (column != NULL)
                column[count[j]] = i;
            count[j]++;
        }
    }
}

// row starts of the symmetric pattern; false where their number passes an int
static bool count_rows(const con_problem *problem, const body_contacts *list, int *visited,
                       int *start)
{
    int n = problem->contact_count;
    memset(visited, -1, (size_t)n * sizeof *visited);
    memset(start, 0, (size_t)(n + 1) * sizeof *start);
    for (int i = 0; i < n; i++)
        visit_neighbours(problem, list, i, visited, start + 1, NULL);
    for (int i = 0; i < n; i++) {
        if (start[i + 1] > INT_MAX - start[i])
            return false;
        start[i + 1] += start[i];
    }
    return true;
}

// columns come out ascending: rows are visited in order and the pattern is symmetric
static void fill_columns(const con_problem *problem, const body_contacts *list, int *visited,
                         int *cursor, const int *start, int *column)
{
    int n = problem->contact_count;
    memset(visited, -1, (size_t)n * sizeof *visited);
    memcpy(cursor, start, (size_t)n * sizeof *cursor);
    for (int i = 0; i < n; i++)
        visit_neighbours(problem, list, i, visited, cursor, column);
}

// upper blocks are computed, lower ones are their transposes
static void fill_blocks(const con_problem *problem, int *cursor, const int *start,
                        const int *column, mat3 *block)
{
    int n = problem->contact_count;
    memcpy(cursor, start, (size_t)n * sizeof *cursor);
    for (int i = 0; i < n; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            int j = column[k];
            if (j < i)
                continue;
            block[k] = j == i ? diagonal_block(problem, i) : coupling_block(problem, i, j);
            if (j > i)
                block[cursor[j]++] = mat3_transpose(&block[k]);
        }
    }
}

cairn_status con_problem_assemble_delassus(con_problem *problem, base_arena *arena)
{
    BASE_ASSERT(problem->H != NULL || problem->contact_count == 0);
    size_t n = (size_t)problem->contact_count;
    con_block_matrix *W = base_arena_array(arena, con_block_matrix, "W", 1);
    int *start = base_arena_array(arena, int, "W rows", n + 1);
    int *visited = base_arena_array(arena, int, "W marks", n + 1);
    int *cursor = base_arena_array(arena, int, "W cursors", n + 1);
    body_contacts list;
    if (W == NULL || start == NULL || visited == NULL || cursor == NULL ||
        !list_body_contacts(problem, &list, arena))
        return CAIRN_ERROR_MEMORY;

    if (!count_rows(problem, &list, visited, start))
        return CAIRN_ERROR_MEMORY;
    size_t blocks = (size_t)start[n];
    int *column = base_arena_array(arena, int, "W columns", blocks + 1);
    mat3 *block = base_arena_array(arena, mat3, "W blocks", blocks + 1);
    if (column == NULL || block == NULL)
        return CAIRN_ERROR_MEMORY;
    fill_columns(problem, &list, visited, cursor, start, column);
    fill_blocks(problem, cursor, start, column, block);

    *W = (con_block_matrix){
        .size = problem->contact_count, .start = start, .column = column, .block = block};
    problem->W = W;
    return CAIRN_OK;
}

static void velocity_by_rows(const con_problem *problem, const double (*R)[3], double (*U)[3])
{
    const con_block_matrix *W = problem->W;
    for (int i = 0; i < problem->contact_count; i++) {
        vec3 sum = vec3_from(problem->q[i]);
        for (int k = W->start[i]; k < W->start[i + 1]; k++)
            sum = vec3_add(sum, mat3_apply(&W->block[k], vec3_from(R[W->column[k]])));
        vec3_store(U[i], sum);
    }
}

cairn_status con_problem_velocity(const con_problem *problem, const double (*R)[3], double (*U)[3],
                                  base_arena *arena)
{
    if (problem->contact_count == 0)
        return CAIRN_OK;
    if (problem->H == NULL) {
        if (problem->W == NULL)
            return CAIRN_ERROR_ARGUMENT;
        velocity_by_rows(problem, R, U);
        return CAIRN_OK;
    }
    base_arena_mark mark = base_arena_get_mark(arena);
    size_t m = (size_t)problem->body_count + 1;
    double(*v)[6] = base_arena_allocate(arena, "velocities", m, sizeof *v);
    if (v == NULL)
        return CAIRN_ERROR_MEMORY;
    con_apply_impulses(problem, R, v);
    con_apply_H(problem, (const double(*)[6])v, problem->w, U);
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}
