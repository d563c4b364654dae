// SPDX-License-Identifier: Apache-2.0
// Groups of contacts from W: who belongs together, bases, coupling of groups.
#include "contact/solvers/newton/newton_groups.h"

#include <math.h>
#include <string.h>

// contacts and rows of the largest group that is looked for
enum { CONTACTS_MAX = 16, ROWS_MAX = 3 * CONTACTS_MAX, RANK = 6 };

// of what a row has at most left when it counts as a combination of others
static const double rank_tolerance = 1e-12;

/// Groups being found: lists of contacts, ascending.
typedef struct finder {
    const con_block_pattern *pattern;
    const mat3 *block;
    int count;
    int *group;  // [n]
    int *size;   // [n] contacts of a group
    int *first;  // [n] first contact of a group
    int *next;   // [n] next contact of the group, -1 at its end
    int *place;  // [n] numbers of the groups that stay
    int *member; // [CONTACTS_MAX] scratch
} finder;

// symmetric part of W among the contacts listed; [3 count][3 count] in rows of ROWS_MAX
static void fill_diagonal(const finder *f, const int *contact, int count, double (*S)[ROWS_MAX])
{
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            int there = con_block_pattern_find(f->pattern, contact[a], contact[b]);
            int back = con_block_pattern_find(f->pattern, contact[b], contact[a]);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) {
                    double one = there >= 0 ? f->block[there].m[r][c] : 0.0;
                    double other = back >= 0 ? f->block[back].m[c][r] : 0.0;
                    S[3 * a + r][3 * b + c] = 0.5 * (one + other);
                }
        }
}

/// Cholesky factorisation with pivoting in place, given up behind the seventh column.
/// @param L  [rows][ROWS_MAX] out: columns of the factor, rows in their order
/// @return rank, RANK + 1 for more
static int factor_pivoted(double (*S)[ROWS_MAX], int rows, double (*L)[ROWS_MAX])
{
    double largest = 0.0;
    for (int i = 0; i < rows; i++)
        largest = fmax(largest, S[i][i]);
    for (int k = 0; k <= RANK; k++) {
        int pivot = 0;
        for (int i = 1; i < rows; i++)
            if (S[i][i] > S[pivot][pivot])
                pivot = i;
        if (!(S[pivot][pivot] > rank_tolerance * largest))
            return k;
        double root = sqrt(S[pivot][pivot]);
        for (int i = 0; i < rows; i++)
            L[i][k] = S[i][pivot] / root;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                S[i][j] -= L[i][k] * L[j][k];
    }
    return RANK + 1;
}

static int list_members(const finder *f, int group, int *out)
{
    int count = 0;
    for (int i = f->first[group]; i >= 0; i = f->next[i])
        out[count++] = i;
    return count;
}

// would contact or group b, listed in `member` behind those of group a, fit into six dimensions?
static bool fits(const finder *f, int count)
{
    double S[ROWS_MAX][ROWS_MAX], L[ROWS_MAX][ROWS_MAX];
    fill_diagonal(f, f->member, count, S);
    return factor_pivoted(S, 3 * count, L) <= RANK;
}

static bool act_on_the_same(const con_block_pattern *pattern, int i, int j)
{
    int count = pattern->start[i + 1] - pattern->start[i];
    return count == pattern->start[j + 1] - pattern->start[j] &&
           memcmp(pattern->column + pattern->start[i], pattern->column + pattern->start[j],
                  (size_t)count * sizeof *pattern->column) == 0;
}

static void append(finder *f, int group, int contact)
{
    int last = f->first[group];
    while (f->next[last] >= 0)
        last = f->next[last];
    f->next[last] = contact;
    f->group[contact] = group;
    f->size[group]++;
}

// each contact joins the first group of those with the same neighbours that it fits into
static void join_contact(finder *f, int i)
{
    const con_block_pattern *pattern = f->pattern;
    f->next[i] = -1;
    for (int k = pattern->start[i]; k < pattern->start[i + 1] && pattern->column[k] < i; k++) {
        int j = pattern->column[k], group = f->group[j];
        if (f->first[group] != j || f->size[group] >= CONTACTS_MAX ||
            !act_on_the_same(pattern, i, j))
            continue;
        int count = list_members(f, group, f->member);
        f->member[count] = i;
        if (fits(f, count + 1)) {
            append(f, group, i);
            return;
        }
    }
    f->group[i] = f->count;
    f->first[f->count] = i;
    f->size[f->count++] = 1;
}

// a contact alone, of three rows, joins another that it acts on; the emptied group has no first
static void join_single(finder *f, int group)
{
    const con_block_pattern *pattern = f->pattern;
    int i = f->first[group];
    if (i < 0 || f->size[group] != 1)
        return;
    for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
        int other = f->group[pattern->column[k]];
        if (other >= group || f->size[other] != 1)
            continue;
        append(f, other, i);
        f->first[group] = -1;
        f->size[group] = 0;
        return;
    }
}

static void find_groups(finder *f)
{
    for (int i = 0; i < f->pattern->size; i++)
        join_contact(f, i);
    for (int g = 0; g < f->count; g++)
        join_single(f, g);
    int kept = 0;
    for (int g = 0; g < f->count; g++)
        f->place[g] = f->first[g] >= 0 ? kept++ : -1;
    for (int i = 0; i < f->pattern->size; i++)
        f->group[i] = f->place[f->group[i]];
    f->count = kept;
}

static cairn_status finder_create(finder *f, const con_block_pattern *pattern, const mat3 *block,
                                  base_arena *arena)
{
    int **const arrays[] = {&f->group, &f->size, &f->first, &f->next, &f->place};
    *f = (finder){.pattern = pattern, .block = block};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
        *arrays[k] = base_arena_array(arena, int, "groups", pattern->size);
        if (*arrays[k] == NULL)
            return CAIRN_ERROR_MEMORY;
    }
    f->member = base_arena_array(arena, int, "groups", CONTACTS_MAX + 1);
    return f->member != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

// orthonormal columns in place, projected twice so that they are so to round-off
static void orthonormalise(double (*L)[ROWS_MAX], int rows, int columns)
{
    for (int k = 0; k < columns; k++) {
        double length = 0.0;
        for (int j = 0; j < 2 * k; j++) {
            double along = 0.0;
            for (int i = 0; i < rows; i++)
                along += L[i][j % k] * L[i][k];
            for (int i = 0; i < rows; i++)
                L[i][k] -= along * L[i][j % k];
        }
        for (int i = 0; i < rows; i++)
            length += L[i][k] * L[i][k];
        length = sqrt(length);
        for (int i = 0; i < rows; i++)
            L[i][k] /= length;
    }
}

static void make_basis(con_newton_groups *groups, const finder *f, int g)
{
    double S[ROWS_MAX][ROWS_MAX], L[ROWS_MAX][ROWS_MAX];
    const int *contact = groups->contact + groups->start[g];
    int count = groups->start[g + 1] - groups->start[g];
    fill_diagonal(f, contact, count, S);
    int rank = factor_pivoted(S, 3 * count, L);
    orthonormalise(L, 3 * count, rank);
    for (int a = 0; a < count; a++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < RANK; c++)
                groups->Q[contact[a]][6 * r + c] = c < rank ? L[3 * a + r][c] : 0.0;
}

// X_gh += Q_i^T W_ij Q_j
static void add_coupling(const con_newton_groups *groups, const mat3 *block, int i, int j,
                         double *X)
{
    const double *left = groups->Q[i], *right = groups->Q[j];
    double product[3][6];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 6; c++)
            product[r][c] = block->m[r][0] * right[c] + block->m[r][1] * right[6 + c] +
                            block->m[r][2] * right[12 + c];
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++)
            X[6 * r + c] += left[r] * product[0][c] + left[6 + r] * product[1][c] +
                            left[12 + r] * product[2][c];
}

static cairn_status couple(con_newton_groups *groups, const finder *f, base_arena *arena)
{
    const con_block_pattern *pattern = f->pattern;
    size_t entries = (size_t)pattern->start[pattern->size];
    int(*pairs)[2] = base_arena_allocate(arena, "group pairs", entries + 1, sizeof *pairs);
    if (pairs == NULL)
        return CAIRN_ERROR_MEMORY;
    size_t count = 0;
    for (int i = 0; i < pattern->size; i++)
        for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++, count++) {
            pairs[count][0] = groups->group[i];
            pairs[count][1] = groups->group[pattern->column[k]];
        }
    BASE_TRY(con_block_pattern_create(groups->count, pairs, count, arena, &groups->pattern));
    size_t blocks = (size_t)groups->pattern.start[groups->count];
    groups->X = base_arena_array(arena, double, "groups", 36 * blocks);
    groups->X_by_column = base_arena_array(arena, double, "groups", 36 * blocks);
    if (groups->X == NULL || groups->X_by_column == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(groups->X, 0, 36 * blocks * sizeof *groups->X);
    for (int i = 0; i < pattern->size; i++)
        for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
            int j = pattern->column[k];
            int place =
                con_block_pattern_find(&groups->pattern, groups->group[i], groups->group[j]);
            add_coupling(groups, &f->block[k], i, j, groups->X + 36 * (size_t)place);
        }
    for (size_t k = 0; k < blocks; k++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                groups->X_by_column[36 * k + (size_t)(6 * c + r)] =
                    groups->X[36 * k + (size_t)(6 * r + c)];
    return CAIRN_OK;
}

static void list_contacts(con_newton_groups *groups, int n)
{
    // counted two places up, so that filling leaves the starts in place
    memset(groups->start, 0, (size_t)(groups->count + 2) * sizeof *groups->start);
    for (int i = 0; i < n; i++)
        groups->start[groups->group[i] + 2]++;
    for (int g = 2; g < groups->count + 2; g++)
        groups->start[g] += groups->start[g - 1];
    for (int i = 0; i < n; i++)
        groups->contact[groups->start[groups->group[i] + 1]++] = i;
}

cairn_status con_newton_groups_create(const con_block_pattern *pattern, const mat3 *block,
                                      base_arena *arena, con_newton_groups **out)
{
    *out = NULL;
    int n = pattern->size;
    base_arena_mark mark = base_arena_get_mark(arena);
    con_newton_groups *groups = base_arena_array(arena, con_newton_groups, "groups", 1);
    finder f;
    if (groups == NULL || finder_create(&f, pattern, block, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    find_groups(&f);
    if (8 * f.count > 3 * n) {
        base_arena_rewind(arena, mark);
        return CAIRN_OK;
    }
    *groups = (con_newton_groups){.count = f.count, .group = f.group};
    groups->start = base_arena_array(arena, int, "groups", groups->count + 2);
    groups->contact = base_arena_array(arena, int, "groups", n);
    groups->Q = base_arena_allocate(arena, "groups", (size_t)n, sizeof *groups->Q);
    groups->D = base_arena_array(arena, double, "groups", 36 * (size_t)groups->count);
    if (groups->start == NULL || groups->contact == NULL || groups->Q == NULL || groups->D == NULL)
        return CAIRN_ERROR_MEMORY;
    list_contacts(groups, n);
    for (int g = 0; g < groups->count; g++)
        make_basis(groups, &f, g);
    *out = groups;
    return couple(groups, &f, arena);
}

void con_newton_groups_weigh(con_newton_groups *groups, const double (*A)[3][3],
                             const double (*B)[3][3])
{
    memset(groups->D, 0, 36 * (size_t)groups->count * sizeof *groups->D);
    int n = groups->start[groups->count];
    for (int i = 0; i < n; i++) {
        mat3 product;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                product.m[r][c] =
                    B[i][r][0] * A[i][0][c] + B[i][r][1] * A[i][1][c] + B[i][r][2] * A[i][2][c];
        add_coupling(groups, &product, i, i, groups->D + 36 * (size_t)groups->group[i]);
    }
}

void con_newton_groups_gather(const con_newton_groups *groups, const double (*x)[3], double *out)
{
    for (int i = 0; i < groups->start[groups->count]; i++) {
        const double *Q = groups->Q[i];
        double *sum = out + 6 * groups->group[i];
        for (int c = 0; c < 6; c++)
            sum[c] += Q[c] * x[i][0] + Q[6 + c] * x[i][1] + Q[12 + c] * x[i][2];
    }
}

void con_newton_groups_spread(const con_newton_groups *groups, const double *x, double (*out)[3])
{
    for (int g = 0; g < groups->count; g++) {
        double y[6] = {0.0};
        for (int k = groups->pattern.start[g]; k < groups->pattern.start[g + 1]; k++) {
            const double *X = groups->X_by_column + 36 * (size_t)k;
            const double *from = x + 6 * groups->pattern.column[k];
            for (int c = 0; c < 6; c++)
                for (int r = 0; r < 6; r++)
                    y[r] += X[6 * c + r] * from[c];
        }
        for (int k = groups->start[g]; k < groups->start[g + 1]; k++) {
            const double *Q = groups->Q[groups->contact[k]];
            for (int r = 0; r < 3; r++) {
                double sum = 0.0;
                for (int c = 0; c < 6; c++)
                    sum += Q[6 * r + c] * y[c];
                out[groups->contact[k]][r] = sum;
            }
        }
    }
}
