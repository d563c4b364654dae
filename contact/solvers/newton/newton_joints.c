// SPDX-License-Identifier: Apache-2.0
// Joints of one island in Newton's method.
#include "contact/solvers/newton/newton_joints.h"

#include "contact/problem/reduced.h"

#include <math.h>
#include <string.h>

/// e^-1 of the proximal terms; rows have unit size.
static const double weight = 1e8;

static double dot6(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// clusters of bodies, ascending by their first mention; returns the number of bodies in all
static cairn_status list_clusters(con_newton_joints *j, const int *body_at, int body_count,
                                  base_arena *arena, int *bodies)
{
    const con_joint_factors *f = j->reduction->factors;
    j->cluster = base_arena_array(arena, int, "island joints", f->cluster_count + 1);
    bool *seen = base_arena_array(arena, bool, "island joints", f->cluster_count + 1);
    if (j->cluster == NULL || seen == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(seen, 0, (size_t)f->cluster_count * sizeof *seen);
    *bodies = body_count;
    for (int a = 0; a < body_count; a++) {
        int c = f->cluster_of_body[body_at[a]];
        if (c < 0 || seen[c])
            continue;
        seen[c] = true;
        j->cluster[j->cluster_count++] = c;
        *bodies += f->body_start[c + 1] - f->body_start[c];
        j->joint_count += f->cluster[c].end - f->cluster[c].begin;
    }
    return CAIRN_OK;
}

static int count_rows(const con_newton_joints *j)
{
    const con_joint_factors *f = j->reduction->factors;
    int rows = 0;
    for (int k = 0; k < j->cluster_count; k++)
        for (int p = f->cluster[j->cluster[k]].begin; p < f->cluster[j->cluster[k]].end; p++)
            rows += f->joints->start[f->joint[p] + 1] - f->joints->start[f->joint[p]];
    return rows;
}

static bool allocate_rows(con_newton_joints *j, base_arena *arena)
{
    size_t count = (size_t)j->joint_count + 1, rows = (size_t)count_rows(j) + 1;
    j->start = base_arena_array(arena, int, "island joints", count);
    j->body = base_arena_allocate(arena, "island joints", count, sizeof *j->body);
    j->slot = base_arena_allocate(arena, "island joints", count, sizeof *j->slot);
    j->N = base_arena_allocate(arena, "island joints", rows, sizeof *j->N);
    j->l = base_arena_array(arena, double, "island joints", rows);
    j->c = base_arena_array(arena, double, "island joints", rows);
    j->root =
        base_arena_allocate(arena, "island joints", (size_t)j->body_count + 1, sizeof *j->root);
    return j->start != NULL && j->body != NULL && j->slot != NULL && j->N != NULL && j->l != NULL &&
           j->c != NULL && j->root != NULL;
}

static void take_joint(con_newton_joints *j, int joint, const int *body_place)
{
    const con_joint_factors *f = j->reduction->factors;
    const con_joints *joints = f->joints;
    int place = j->joint_count++, row = j->start[place];
    for (int s = 0; s < 2; s++)
        j->body[place][s] = joints->body[joint][s] >= 0 ? body_place[joints->body[joint][s]] : -1;
    for (int k = joints->start[joint]; k < joints->start[joint + 1]; k++, row++)
        for (int s = 0; s < 2; s++)
            for (int d = 0; d < 6; d++)
                j->N[row][s][d] =
                    j->body[place][s] >= 0 ? f->G[k][s][d] * j->root[j->body[place][s]][d] : 0.0;
    j->start[place + 1] = row;
}

static void take_rows(con_newton_joints *j, const int *body_place)
{
    const con_joint_factors *f = j->reduction->factors;
    for (int a = 0; a < j->body_count; a++)
        for (int d = 0; d < 6; d++)
            j->root[a][d] = sqrt(f->mass_inverse[j->body_at[a]][d]);
    j->joint_count = 0;
    j->start[0] = 0;
    for (int k = 0; k < j->cluster_count; k++)
        for (int p = f->cluster[j->cluster[k]].begin; p < f->cluster[j->cluster[k]].end; p++)
            take_joint(j, f->joint[p], body_place);
}

cairn_status con_newton_joints_create(const con_problem *problem, const int *body_at,
                                      int *body_count, int *body_place, base_arena *arena,
                                      con_newton_joints **joints)
{
    *joints = NULL;
    if (problem->reduction == NULL)
        return CAIRN_OK;
    con_newton_joints *j = base_arena_array(arena, con_newton_joints, "island joints", 1);
    if (j == NULL)
        return CAIRN_ERROR_MEMORY;
    *j = (con_newton_joints){.reduction = problem->reduction, .body_count = *body_count};
    int bodies;
    cairn_status status = list_clusters(j, body_at, *body_count, arena, &bodies);
    if (status != CAIRN_OK || j->cluster_count == 0)
        return status;
    j->body_at = base_arena_array(arena, int, "island joints", bodies);
    if (j->body_at == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(j->body_at, body_at, (size_t)*body_count * sizeof *body_at);

    // append bodies
    const con_joint_factors *f = j->reduction->factors;
    for (int k = 0; k < j->cluster_count; k++)
        for (int b = f->body_start[j->cluster[k]]; b < f->body_start[j->cluster[k] + 1]; b++)
            if (body_place[f->cluster_body[b]] < 0) {
                body_place[f->cluster_body[b]] = j->body_count;
                j->body_at[j->body_count++] = f->cluster_body[b];
            }

    if (!allocate_rows(j, arena))
        return CAIRN_ERROR_MEMORY;
    take_rows(j, body_place);
    *body_count = j->body_count;
    *joints = j;
    return CAIRN_OK;
}

size_t con_newton_joints_pairs(const con_newton_joints *joints, int (*pairs)[2])
{
    size_t count = 0;
    for (int k = 0; k < joints->joint_count; k++) {
        int a = joints->body[k][0], b = joints->body[k][1];
        if (a < 0 || b < 0)
            continue;
        if (pairs != NULL) {
            pairs[count][0] = pairs[count + 1][1] = a;
            pairs[count][1] = pairs[count + 1][0] = b;
        }
        count += 2;
    }
    return count;
}

void con_newton_joints_find(con_newton_joints *joints, const con_block_pattern *pattern)
{
    for (int k = 0; k < joints->joint_count; k++)
        for (int s = 0; s < 2; s++)
            for (int t = 0; t < 2; t++) {
                int a = joints->body[k][s], b = joints->body[k][t];
                joints->slot[k][s][t] =
                    a >= 0 && b >= 0 ? con_block_pattern_find(pattern, a, b) : -1;
            }
}

void con_newton_joints_project(con_newton_joints *j, double (*y)[6])
{
    double(*v)[6] = j->reduction->v;
    for (int a = 0; a < j->body_count; a++)
        for (int d = 0; d < 6; d++)
            v[j->body_at[a]][d] = j->root[a][d] * y[a][d];
    for (int k = 0; k < j->cluster_count; k++)
        con_joint_cluster_project(j->reduction->factors, j->cluster[k], v);
    for (int a = 0; a < j->body_count; a++)
        for (int d = 0; d < 6; d++)
            y[a][d] = j->root[a][d] > 0.0 ? v[j->body_at[a]][d] / j->root[a][d] : 0.0;
}

void con_newton_joints_assemble(const con_newton_joints *j, double *values)
{
    for (int k = 0; k < j->joint_count; k++)
        for (int s = 0; s < 2; s++)
            for (int t = 0; t < 2; t++) {
                if (j->slot[k][s][t] < 0)
                    continue;
                double *out = values + 36 * (size_t)j->slot[k][s][t];
                for (int row = j->start[k]; row < j->start[k + 1]; row++)
                    for (int a = 0; a < 6; a++)
                        for (int b = 0; b < 6; b++)
                            out[6 * a + b] += weight * j->N[row][s][a] * j->N[row][t][b];
            }
}

// N x of one row
static double row_of(const con_newton_joints *j, int joint, int row, const double *x)
{
    double sum = 0.0;
    for (int s = 0; s < 2; s++)
        if (j->body[joint][s] >= 0)
            sum += dot6(j->N[row][s], x + 6 * j->body[joint][s]);
    return sum;
}

void con_newton_joints_begin(con_newton_joints *j)
{
    memset(j->l, 0, (size_t)j->start[j->joint_count] * sizeof *j->l);
}

void con_newton_joints_load(con_newton_joints *j, const double *v, double *d)
{
    for (int k = 0; k < j->joint_count; k++)
        for (int row = j->start[k]; row < j->start[k + 1]; row++) {
            j->c[row] = -row_of(j, k, row, v);
            double value = weight * j->c[row] - j->l[row];
            for (int s = 0; s < 2; s++)
                for (int a = 0; a < 6 && j->body[k][s] >= 0; a++)
                    d[6 * j->body[k][s] + a] += j->N[row][s][a] * value;
        }
}

void con_newton_joints_update(con_newton_joints *j, const double *d)
{
    for (int k = 0; k < j->joint_count; k++)
        for (int row = j->start[k]; row < j->start[k + 1]; row++)
            j->l[row] += weight * (row_of(j, k, row, d) - j->c[row]);
}
