// SPDX-License-Identifier: Apache-2.0
// The sparse matrix W of free bodies: which contacts share a body, and their blocks.
#include "contact/problem/delassus.h"

#include <limits.h>
#include <string.h>

// contacts of each body, ascending; rates come behind the bodies, as one more that contacts touch
typedef struct body_contacts {
    int *start;   // [body_count + 2]
    int *contact; // [start[body_count + 1]]
} body_contacts;

enum { SIDES = 3 }; // two bodies, and the rates

static int side_of(const con_problem *problem, int i, int s)
{
    if (s < 2)
        return problem->body[i][s];
    return con_knows_rates(problem, i) ? problem->body_count : -1;
}

static bool list_body_contacts(const con_problem *problem, body_contacts *list, base_arena *arena)
{
    int n = problem->contact_count, m = problem->body_count + 1;
    list->start = base_arena_array(arena, int, "contacts of bodies", m + 2);
    list->contact = base_arena_array(arena, int, "contacts of bodies", SIDES *n + 1);
    if (list->start == NULL || list->contact == NULL)
        return false;
    // counted two places up, so that filling leaves the starts in place
    memset(list->start, 0, (size_t)(m + 2) * sizeof *list->start);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < SIDES; s++)
            if (side_of(problem, i, s) >= 0)
                list->start[side_of(problem, i, s) + 2]++;
    for (int a = 2; a < m + 2; a++)
        list->start[a] += list->start[a - 1];
    for (int i = 0; i < n; i++)
        for (int s = 0; s < SIDES; s++)
            if (side_of(problem, i, s) >= 0)
                list->contact[list->start[side_of(problem, i, s) + 1]++] = i;
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
    for (int s = 0; s < SIDES; s++) {
        int body = side_of(problem, i, s);
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

cairn_status con_delassus_pattern(const con_problem *problem, base_arena *arena,
                                  con_delassus_rows *rows)
{
    size_t n = (size_t)problem->contact_count;
    rows->start = base_arena_array(arena, int, "W rows", n + 1);
    int *visited = base_arena_array(arena, int, "W marks", n + 1);
    rows->cursor = base_arena_array(arena, int, "W cursors", n + 1);
    body_contacts list;
    if (rows->start == NULL || visited == NULL || rows->cursor == NULL ||
        !list_body_contacts(problem, &list, arena))
        return CAIRN_ERROR_MEMORY;

    if (!count_rows(problem, &list, visited, rows->start))
        return CAIRN_ERROR_MEMORY;
    size_t blocks = (size_t)rows->start[n];
    rows->column = base_arena_array(arena, int, "W columns", blocks + 1);
    rows->block = base_arena_array(arena, mat3, "W blocks", blocks + 1);
    if (rows->column == NULL || rows->block == NULL)
        return CAIRN_ERROR_MEMORY;
    fill_columns(problem, &list, visited, rows->cursor, rows->start, rows->column);
    return CAIRN_OK;
}

cairn_status con_delassus_keep(const con_problem *problem, const con_delassus_rows *rows,
                               base_arena *arena, const con_block_matrix **out)
{
    con_block_matrix *W = base_arena_array(arena, con_block_matrix, "W", 1);
    if (W == NULL)
        return CAIRN_ERROR_MEMORY;
    *W = (con_block_matrix){problem->contact_count, rows->start, rows->column, rows->block};
    *out = W;
    return CAIRN_OK;
}

cairn_status con_delassus_assemble(const con_problem *problem, base_arena *arena,
                                   const con_block_matrix **W)
{
    con_delassus_rows rows;
    BASE_TRY(con_delassus_pattern(problem, arena, &rows));

    // upper blocks are computed, lower ones are their transposes
    int *cursor = rows.cursor;
    const int *start = rows.start;
    const int *column = rows.column;
    mat3 *block = rows.block;
    int n = problem->contact_count;
    memcpy(cursor, start, (size_t)n * sizeof *cursor);
    for (int i = 0; i < n; i++) {
        for (int k = start[i]; k < start[i + 1]; k++) {
            int j = column[k];
            if (j < i)
                continue;
            block[k] = j == i ? con_diagonal_block(problem, i) : con_coupling_block(problem, i, j);
            if (j > i)
                block[cursor[j]++] = mat3_transpose(&block[k]);
        }
    }

    return con_delassus_keep(problem, &rows, arena, W);
}
