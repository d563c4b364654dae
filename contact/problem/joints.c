// SPDX-License-Identifier: Apache-2.0
// Joints: scaled rows, clusters, factors of S = G M^-1 G^T, filtered and refined solves.
#include "contact/problem/joint_factors.h"

#include "base/groups.h"

#include <math.h>
#include <string.h>

/// Added to the unit diagonal of S where it is singular: far above round-off, far below what a
/// mechanism needs.
static const double regularisation = 1e-11;

/// A pivot of S above which it is regular: round-off in the factors is far below it.
static const double least_pivot = 1e-6;

/// Part of the squared size of the terms of G v - b below which their sum is round-off.
static const double round_off = 1e-31;

enum { REFINEMENTS = 40 };

static int rows_of(const con_joints *joints)
{
    return joints->start[joints->count];
}

static double dot6(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static double product(const double a[6], const double mass_inverse[6], const double b[6])
{
    double sum = 0.0;
    for (int k = 0; k < 6; k++)
        sum += a[k] * mass_inverse[k] * b[k];
    return sum;
}

// rows of unit diagonal; false where one is not finite
static bool scale_rows(con_joint_factors *f)
{
    bool finite = true;
    const con_joints *joints = f->joints;
    for (int j = 0; j < joints->count; j++)
        for (int k = joints->start[j]; k < joints->start[j + 1]; k++) {
            double diagonal = 0.0;
            for (int s = 0; s < 2; s++) {
                int body = joints->body[j][s];
                memset(f->G[k][s], 0, sizeof f->G[k][s]);
                if (body >= 0)
                    diagonal += product(joints->G[k][s], f->mass_inverse[body], joints->G[k][s]);
            }
            finite = finite && isfinite(diagonal);
            f->unit[k] = diagonal > 0.0 && isfinite(1.0 / diagonal) ? 1.0 / sqrt(diagonal) : 0.0;
            for (int s = 0; s < 2; s++)
                for (int d = 0; d < 6 && joints->body[j][s] >= 0; d++)
                    f->G[k][s][d] = f->unit[k] * joints->G[k][s][d];
        }
    return finite;
}

// the smaller body of a joint that can move; -1 for none
static int any_body(const con_joints *joints, int j)
{
    int a = joints->body[j][0], b = joints->body[j][1];
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

// clusters in the order of their first joints; a joint of nothing that moves has none
static void number_clusters(con_joint_factors *f, int *parent)
{
    const con_joints *joints = f->joints;
    base_groups_init(parent, f->body_count);
    for (int a = 0; a < f->body_count; a++)
        f->cluster_of_body[a] = -1;
    for (int j = 0; j < joints->count; j++)
        if (joints->body[j][0] >= 0 && joints->body[j][1] >= 0)
            base_groups_join(parent, joints->body[j][0], joints->body[j][1]);
    for (int j = 0; j < joints->count; j++) {
        int body = any_body(joints, j);
        if (body >= 0 && f->cluster_of_body[base_groups_first(parent, body)] < 0)
            f->cluster_of_body[base_groups_first(parent, body)] = f->cluster_count++;
    }
    for (int a = 0; a < f->body_count; a++)
        f->cluster_of_body[a] = f->cluster_of_body[base_groups_first(parent, a)];
}

// joints and bodies sorted by cluster; start [cluster_count + 1] is scratch
static void list_clusters(con_joint_factors *f, int *start)
{
    const con_joints *joints = f->joints;
    size_t size = (size_t)(f->cluster_count + 1) * sizeof *start;
    memset(start, 0, size);
    memset(f->body_start, 0, size + sizeof *start);
    for (int j = 0; j < joints->count; j++)
        if (any_body(joints, j) >= 0)
            start[f->cluster_of_body[any_body(joints, j)] + 1]++;
    for (int a = 0; a < f->body_count; a++)
        if (f->cluster_of_body[a] >= 0)
            f->body_start[f->cluster_of_body[a] + 2]++;
    for (int c = 0; c < f->cluster_count; c++) {
        start[c + 1] += start[c];
        f->body_start[c + 2] += f->body_start[c + 1];
        f->cluster[c] = (con_joint_cluster){.begin = start[c], .end = start[c + 1]};
    }
    for (int j = 0; j < joints->count; j++)
        if (any_body(joints, j) >= 0)
            f->joint[start[f->cluster_of_body[any_body(joints, j)]]++] = j;
    for (int a = 0; a < f->body_count; a++)
        if (f->cluster_of_body[a] >= 0)
            f->cluster_body[f->body_start[f->cluster_of_body[a] + 1]++] = a;
}

static cairn_status allocate(con_joint_factors *f, base_arena *arena)
{
    size_t joints = (size_t)f->joints->count, rows = (size_t)rows_of(f->joints);
    size_t bodies = (size_t)f->body_count;
    f->cluster = base_arena_array(arena, con_joint_cluster, "joints", joints + 1);
    f->joint = base_arena_array(arena, int, "joints", joints + 1);
    f->cluster_of_body = base_arena_array(arena, int, "joints", bodies + 1);
    f->body_start = base_arena_array(arena, int, "joints", joints + 2);
    f->cluster_body = base_arena_array(arena, int, "joints", bodies + 1);
    f->unit = base_arena_array(arena, double, "joints", rows + 1);
    f->z = base_arena_array(arena, double, "joints", rows + 1);
    f->G = base_arena_allocate(arena, "joints", rows + 1, sizeof *f->G);
    bool complete = f->cluster != NULL && f->joint != NULL && f->cluster_of_body != NULL &&
                    f->body_start != NULL && f->cluster_body != NULL && f->unit != NULL &&
                    f->z != NULL && f->G != NULL;
    for (int k = 0; k < 3; k++) {
        f->work[k] = base_arena_array(arena, double, "joints", 6 * joints + 1);
        complete = complete && f->work[k] != NULL;
    }
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

// joints of a cluster that touch each body, as lists by body
typedef struct body_joints {
    int *first; // [body_count] last entry of a body, -1; set where the cluster is
    int *next;  // [2 joints]
    int *place; // [2 joints] place in the cluster
    int count;
} body_joints;

static bool list_body_joints(const con_joint_factors *f, const con_joint_cluster *c, int *first,
                             body_joints *list, base_arena *arena)
{
    int count = c->end - c->begin;
    list->first = first;
    list->next = base_arena_array(arena, int, "joints of bodies", 2 * count);
    list->place = base_arena_array(arena, int, "joints of bodies", 2 * count);
    list->count = 0;
    if (list->next == NULL || list->place == NULL)
        return false;
    for (int p = 0; p < count; p++)
        for (int s = 0; s < 2; s++)
            if (f->joints->body[f->joint[c->begin + p]][s] >= 0)
                list->first[f->joints->body[f->joint[c->begin + p]][s]] = -1;
    for (int p = 0; p < count; p++)
        for (int s = 0; s < 2; s++) {
            int body = f->joints->body[f->joint[c->begin + p]][s];
            if (body < 0)
                continue;
            list->next[list->count] = list->first[body];
            list->place[list->count] = p;
            list->first[body] = list->count++;
        }
    return true;
}

// pairs of joints that share a body, into `pairs` where it is given
static size_t list_pairs(const con_joint_factors *f, const con_joint_cluster *c,
                         const body_joints *list, int (*pairs)[2])
{
    size_t count = 0;
    for (int p = 0; p < c->end - c->begin; p++)
        for (int s = 0; s < 2; s++) {
            int body = f->joints->body[f->joint[c->begin + p]][s];
            for (int k = body >= 0 ? list->first[body] : -1; k >= 0; k = list->next[k], count++)
                if (pairs != NULL) {
                    pairs[count][0] = p;
                    pairs[count][1] = list->place[k];
                }
        }
    return count;
}

static void add_coupling(const con_joint_factors *f, int j, int k, int stride, double *block)
{
    const con_joints *joints = f->joints;
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            int body = joints->body[j][s];
            if (body < 0 || body != joints->body[k][t])
                continue;
            for (int a = joints->start[j]; a < joints->start[j + 1]; a++)
                for (int b = joints->start[k]; b < joints->start[k + 1]; b++)
                    block[stride * (a - joints->start[j]) + b - joints->start[k]] +=
                        product(f->G[a][s], f->mass_inverse[body], f->G[b][t]);
        }
}

// blocks of S; rows that are not there, or cannot move, are those of the identity
static void fill_values(const con_joint_factors *f, con_joint_cluster *c)
{
    const con_joints *joints = f->joints;
    size_t area = (size_t)c->block * (size_t)c->block;
    memset(c->values, 0, area * (size_t)c->pattern.start[c->pattern.size] * sizeof *c->values);
    for (int p = 0; p < c->pattern.size; p++) {
        int j = f->joint[c->begin + p], rows = joints->start[j + 1] - joints->start[j];
        for (int e = c->pattern.start[p]; e < c->pattern.start[p + 1]; e++) {
            double *block = c->values + area * (size_t)e;
            add_coupling(f, j, f->joint[c->begin + c->pattern.column[e]], c->block, block);
            for (int k = 0; k < c->block && c->pattern.column[e] == p; k++)
                if (k >= rows || f->unit[joints->start[j] + k] == 0.0)
                    block[(c->block + 1) * k] = 1.0;
        }
    }
}

// S factored as it is, and where it has pivots next to nothing once more with some of the identity
static cairn_status factor_values(con_joint_cluster *c, base_arena *arena)
{
    if (!con_block_lu_factor(&c->lu, c->values, NULL))
        return CAIRN_ERROR_NONFINITE;
    c->full_rank = con_block_lu_least_pivot(&c->lu) > least_pivot;
    if (c->full_rank)
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(arena);
    size_t area = (size_t)c->block * (size_t)c->block;
    size_t count = area * (size_t)c->pattern.start[c->pattern.size];
    double *values = base_arena_array(arena, double, "joints", count);
    if (values == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(values, c->values, count * sizeof *values);
    for (int p = 0; p < c->pattern.size; p++)
        for (int k = 0; k < c->block; k++)
            values[area * (size_t)con_block_pattern_find(&c->pattern, p, p) +
                   (size_t)((c->block + 1) * k)] += regularisation;
    bool factored = con_block_lu_factor(&c->lu, values, NULL);
    base_arena_rewind(arena, mark);
    return factored ? CAIRN_OK : CAIRN_ERROR_NONFINITE;
}

static int most_rows(const con_joint_factors *f, const con_joint_cluster *c)
{
    int most = 1;
    for (int p = c->begin; p < c->end; p++) {
        int rows = f->joints->start[f->joint[p] + 1] - f->joints->start[f->joint[p]];
        most = rows > most ? rows : most;
    }
    return most;
}

/// @param first  [body_count] scratch
static cairn_status build_cluster(const con_joint_factors *f, con_joint_cluster *c, int *first,
                                  base_arena *arena)
{
    body_joints list;
    if (!list_body_joints(f, c, first, &list, arena))
        return CAIRN_ERROR_MEMORY;
    size_t count = list_pairs(f, c, &list, NULL);
    int(*pairs)[2] = base_arena_allocate(arena, "joints", count, sizeof *pairs);
    if (pairs == NULL)
        return CAIRN_ERROR_MEMORY;
    list_pairs(f, c, &list, pairs);
    BASE_TRY(con_block_pattern_create(c->end - c->begin, pairs, count, arena, &c->pattern));
    c->block = most_rows(f, c);
    size_t area = (size_t)c->block * (size_t)c->block;
    c->values =
        base_arena_array(arena, double, "joints", area *(size_t)c->pattern.start[c->pattern.size]);
    if (c->values == NULL)
        return CAIRN_ERROR_MEMORY;
    fill_values(f, c);
    cairn_status status = con_block_order_create(&c->pattern, c->block, arena, &c->order);
    if (status == CAIRN_OK)
        status = con_block_lu_create(&c->order, NULL, NULL, arena, &c->lu);
    return status == CAIRN_OK ? factor_values(c, arena) : status;
}

cairn_status con_joints_factor(const con_joints *joints, int body_count,
                               const double (*mass_inverse)[6], base_arena *arena,
                               con_joint_factors **factors)
{
    con_joint_factors *f = base_arena_array(arena, con_joint_factors, "joints", 1);
    *factors = f;
    if (f == NULL)
        return CAIRN_ERROR_MEMORY;
    *f = (con_joint_factors){
        .joints = joints, .body_count = body_count, .mass_inverse = mass_inverse};
    int *scratch = base_arena_array(arena, int, "joints", body_count + joints->count + 1);
    if (scratch == NULL || allocate(f, arena) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    if (!scale_rows(f))
        return CAIRN_ERROR_NONFINITE;
    number_clusters(f, scratch);
    list_clusters(f, scratch);
    for (int c = 0; c < f->cluster_count; c++)
        BASE_TRY(build_cluster(f, &f->cluster[c], scratch, arena));
    return CAIRN_OK;
}

/// A sum of terms, and how large these are; squared.
typedef struct row_sizes {
    double left, terms;
} row_sizes;

// scaled b - G v of a cluster into `out`, padded
static row_sizes residual_rows(const con_joint_factors *f, const con_joint_cluster *c,
                               const double *b, const double (*v)[6], double *out)
{
    const con_joints *joints = f->joints;
    row_sizes sizes = {0.0, 0.0};
    memset(out, 0, (size_t)(c->block * (c->end - c->begin)) * sizeof *out);
    for (int p = 0; p < c->end - c->begin; p++) {
        int j = f->joint[c->begin + p], start = joints->start[j];
        for (int k = start; k < joints->start[j + 1]; k++) {
            double value = b != NULL ? f->unit[k] * b[k] : 0.0, size = fabs(value);
            for (int s = 0; s < 2; s++)
                if (joints->body[j][s] >= 0) {
                    double part = dot6(f->G[k][s], v[joints->body[j][s]]);
                    value -= part;
                    size += fabs(part);
                }
            out[c->block * p + k - start] = value;
            sizes.left += value * value;
            sizes.terms += size * size;
        }
    }
    return sizes;
}

// v += M^-1 G^T x, z += x
static void add_impulses(con_joint_factors *f, const con_joint_cluster *c, const double *x,
                         double (*v)[6])
{
    const con_joints *joints = f->joints;
    for (int p = 0; p < c->end - c->begin; p++) {
        int j = f->joint[c->begin + p], start = joints->start[j];
        for (int k = start; k < joints->start[j + 1]; k++) {
            double value = x[c->block * p + k - start];
            f->z[k] += value;
            for (int s = 0; s < 2; s++) {
                int body = joints->body[j][s];
                for (int d = 0; d < 6 && body >= 0; d++)
                    v[body][d] += f->mass_inverse[body][d] * (f->G[k][s][d] * value);
            }
        }
    }
}

// out = S x; returns the squared size
static double multiply(const con_joint_cluster *c, const double *x, double *out)
{
    double total = 0.0;
    int block = c->block;
    for (int p = 0; p < c->pattern.size; p++)
        for (int row = 0; row < block; row++) {
            double sum = 0.0;
            for (int e = c->pattern.start[p]; e < c->pattern.start[p + 1]; e++) {
                const double *values = c->values + (size_t)(block * (block * e + row));
                const double *of = x + block * c->pattern.column[e];
                for (int k = 0; k < block; k++)
                    sum += values[k] * of[k];
            }
            out[block * p + row] = sum;
            total += sum * sum;
        }
    return total;
}

void con_joint_cluster_project(con_joint_factors *f, int cluster, double (*v)[6])
{
    con_joint_cluster *c = &f->cluster[cluster];
    double first = 0.0, last = INFINITY;
    for (int turn = 0; turn < REFINEMENTS; turn++) {
        // G v is in the range of S: no part of it is out of reach
        double left = residual_rows(f, c, NULL, (const double(*)[6])v, f->work[0]).left;
        first = turn == 0 ? left : first;
        if (!(left > 1e-28 * first) || left > 0.9 * last)
            return;
        con_block_lu_solve(&c->lu, f->work[0]);
        add_impulses(f, c, f->work[0], v);
        last = left;
    }
}

// the part of the residual in work[0] that impulses can reach, S (S + e I)^-1 of it, to work[2];
// returns its squared size
static double find_reach(con_joint_factors *f, con_joint_cluster *c)
{
    memcpy(f->work[1], f->work[0], (size_t)(c->block * (c->end - c->begin)) * sizeof(double));
    con_block_lu_solve(&c->lu, f->work[1]);
    return multiply(c, f->work[1], f->work[2]);
}

// returns the squared size of what is left, where that was looked at
static double solve_cluster(con_joint_factors *f, int cluster, int turns, const double *b,
                            double (*v)[6])
{
    con_joint_cluster *c = &f->cluster[cluster];
    const con_joints *joints = f->joints;
    for (int p = c->begin; p < c->end; p++)
        for (int k = joints->start[f->joint[p]]; k < joints->start[f->joint[p] + 1]; k++)
            f->z[k] = 0.0;
    double last = INFINITY;
    for (int turn = 0; turn < turns; turn++) {
        row_sizes sizes = residual_rows(f, c, b, (const double(*)[6])v, f->work[0]);
        if (!(sizes.left > round_off * sizes.terms) || turn == REFINEMENTS)
            return sizes.left;
        double reach = c->full_rank ? sizes.left : find_reach(f, c);
        if (!(reach > 0.0) || reach > 0.9 * last)
            return sizes.left;
        double *x = f->work[c->full_rank ? 0 : 2];
        con_block_lu_solve(&c->lu, x);
        add_impulses(f, c, x, v);
        last = reach;
    }
    return 0.0;
}

double con_joint_cluster_solve(con_joint_factors *f, int cluster, const double *b, double (*v)[6])
{
    return solve_cluster(f, cluster, REFINEMENTS + 1, b, v);
}

// squared size of the terms of G v - b, scaled
static double squared_terms(const con_joint_factors *f, const double *b, const double (*v)[6])
{
    const con_joints *joints = f->joints;
    double sum = 0.0;
    for (int j = 0; j < joints->count; j++)
        for (int k = joints->start[j]; k < joints->start[j + 1]; k++) {
            double size = fabs(f->unit[k] * b[k]);
            for (int s = 0; s < 2; s++)
                if (joints->body[j][s] >= 0)
                    size += fabs(dot6(f->G[k][s], v[joints->body[j][s]]));
            sum += size * size;
        }
    return sum;
}

// impulses and velocities of all clusters; returns what the clusters do, together
static double solve_clusters(con_joint_factors *f, int turns, const double *b,
                             const double (*v_free)[6], double (*v)[6], double *l)
{
    double rest = 0.0;
    if (v_free != (const double(*)[6])v)
        memcpy(v, v_free, (size_t)f->body_count * sizeof *v);
    memset(f->z, 0, (size_t)rows_of(f->joints) * sizeof *f->z);
    for (int c = 0; c < f->cluster_count; c++)
        rest += solve_cluster(f, c, turns, b, v);
    for (int k = 0; k < rows_of(f->joints) && l != NULL; k++)
        l[k] = f->unit[k] * f->z[k];
    return rest;
}

void con_joint_factors_apply(con_joint_factors *f, bool refined, const double *b,
                             const double (*v_free)[6], double (*v)[6], double *l)
{
    solve_clusters(f, refined ? REFINEMENTS + 1 : 1, b, v_free, v, l);
}

double con_joint_factors_solve(con_joint_factors *f, const double *b, const double (*v_free)[6],
                               double (*v)[6], double *l)
{
    b = b != NULL ? b : f->joints->b;
    double scale = squared_terms(f, b, v_free);
    double rest = solve_clusters(f, REFINEMENTS + 1, b, v_free, v, l);
    double after = squared_terms(f, b, (const double(*)[6])v);
    scale = after > scale || isnan(after) ? after : scale;
    return scale > 0.0 ? sqrt(rest / scale) : sqrt(rest);
}

cairn_status con_joints_solve(const con_joints *joints, int body_count,
                              const double (*mass_inverse)[6], const double (*v_free)[6],
                              double (*v)[6], double *l, double *error, base_arena *arena)
{
    base_arena_mark mark = base_arena_get_mark(arena);
    con_joint_factors *factors;
    cairn_status status = con_joints_factor(joints, body_count, mass_inverse, arena, &factors);
    if (status == CAIRN_OK) {
        double reached = con_joint_factors_solve(factors, NULL, v_free, v, l);
        if (error != NULL)
            *error = reached;
    }
    base_arena_rewind(arena, mark);
    return status;
}

cairn_status con_joints_apply(const con_problem *problem, const double (*R)[3], double (*v)[6],
                              double *l, double *error, base_arena *arena)
{
    con_apply_impulses(problem, R, v);
    if (error != NULL)
        *error = 0.0;
    if (problem->joints == NULL)
        return CAIRN_OK;
    return con_joints_solve(problem->joints, problem->body_count, problem->mass_inverse,
                            (const double(*)[6])v, v, l, error, arena);
}
