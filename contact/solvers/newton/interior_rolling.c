// SPDX-License-Identifier: Apache-2.0
// Rolling cones in the interior point. The shifted normal velocity is shared among the bounds of a
// contact, sum_j x_j0 = u_N, so that each bound is a cone of its own (solvers.md):
//     y_j = (r_N, r_j / f_j),   x_j = (x_j0, f_j u_j)
// with j the sliding, the rolling and the spinning part of force and moment, f_j their
// coefficients.
#include "contact/solvers/newton/interior_cones.h"

#include <math.h>
#include <string.h>

enum { PARTS = 3, ROWS = 3 * PARTS, COLUMNS = 6 };

typedef enum bound { SLIDING, ROLLING, SPINNING } bound;

/// One bound of a contact.
typedef struct rolling_part {
    bound bound;
    double factor; // f_j, 0: the normal force alone
} rolling_part;

/// A contact, force and perhaps moment: r = (r_N, r_T, m_N, m_T).
typedef struct rolling_group {
    int block[2]; // force, moment or -1
    int first, count;
    double Q[ROWS][COLUMNS]; // orthonormal columns of the scaled bounds Q L by r
    double L[COLUMNS][COLUMNS];
    double slip;       // sum_j f_j |u_j|
    double g[COLUMNS]; // its derivative
    double z[ROWS];    // of the last direction
} rolling_group;

struct con_interior_rolling {
    int group_count;
    rolling_group *group;
    rolling_part *bound;         // [part_count]
    double *x0, *dx0, *saved_x0; // [part_count]
};

static void gather(const rolling_group *g, const double (*v)[3], double out[COLUMNS])
{
    memset(out, 0, COLUMNS * sizeof *out);
    for (int b = 0; b < 2; b++)
        if (g->block[b] >= 0)
            memcpy(out + 3 * b, v[g->block[b]], 3 * sizeof *out);
}

// columns of r that part j bounds, and their number
static int columns_of(bound b, int *first)
{
    static const int begin[] = {1, 4, 3};
    *first = begin[b];
    return b == SPINNING ? 1 : 2;
}

static void to_cone(const rolling_part *part, double x0, const double u[COLUMNS],
                    const double r[COLUMNS], double x[3], double y[3])
{
    int first, count = part->factor > 0.0 ? columns_of(part->bound, &first) : 0;
    memset(x, 0, 3 * sizeof *x);
    memset(y, 0, 3 * sizeof *y);
    x[0] = x0;
    y[0] = r[0];
    for (int k = 0; k < count; k++) {
        x[1 + k] = part->factor * u[first + k];
        y[1 + k] = r[first + k] / part->factor;
    }
}

// groups and their bounds: the sliding one always, as it holds the normal force
static void list_groups(con_interior *p)
{
    const con_newton *newton = p->newton;
    con_interior_rolling *rolling = p->rolling;
    for (int i = 0; i < newton->contact_count; i++) {
        if (newton->force[i] >= 0)
            continue;
        int moment = newton->moment[i];
        rolling_group *g = &rolling->group[rolling->group_count++];
        const double factor[PARTS] = {newton->mu[i], moment >= 0 ? newton->mu[moment] : 0.0,
                                      moment >= 0 ? newton->spinning[moment] : 0.0};
        *g = (rolling_group){.block = {i, moment}, .first = p->part_count};
        for (int j = 0; j < PARTS; j++)
            if (j == SLIDING || factor[j] > 0.0)
                rolling->bound[p->part_count++] =
                    (rolling_part){(bound)j, factor[j] > 0.0 ? fmax(factor[j], 1e-7) : 0.0};
        g->count = p->part_count - g->first;
    }
}

static bool allocate(con_interior *p)
{
    con_newton *newton = p->newton;
    base_arena *arena = newton->arena;
    size_t n = (size_t)newton->contact_count, parts = PARTS * n;
    con_interior_rolling *rolling = base_arena_array(arena, con_interior_rolling, "rolling", 1);
    newton->coupling = base_arena_allocate(arena, "rolling", n, sizeof *newton->coupling);
    newton->left_coupling = base_arena_allocate(arena, "rolling", n, sizeof *newton->left_coupling);
    if (rolling == NULL || newton->coupling == NULL || newton->left_coupling == NULL)
        return false;
    memset(newton->coupling, 0, n * sizeof *newton->coupling);
    memset(newton->left_coupling, 0, n * sizeof *newton->left_coupling);
    *rolling = (con_interior_rolling){
        .group = base_arena_array(arena, rolling_group, "rolling", n),
        .bound = base_arena_array(arena, rolling_part, "rolling", parts),
        .x0 = base_arena_array(arena, double, "rolling", parts),
        .dx0 = base_arena_array(arena, double, "rolling", parts),
        .saved_x0 = base_arena_array(arena, double, "rolling", parts),
    };
    p->rolling = rolling;
    if (rolling->group == NULL || rolling->bound == NULL || rolling->x0 == NULL ||
        rolling->dx0 == NULL || rolling->saved_x0 == NULL)
        return false;
    list_groups(p);
    return true;
}

static void add_shares(con_interior *p)
{
    for (int k = 0; k < p->rolling->group_count; k++) {
        const rolling_group *g = &p->rolling->group[k];
        double sum = 0.0;
        for (int j = 0; j < g->count; j++)
            sum += p->rolling->x0[g->first + j];
        p->u[g->block[0]][0] = sum;
    }
}

static void start(con_interior *p, base_rng *rng)
{
    size_t size = (size_t)p->newton->contact_count * sizeof(double[3]);
    memset(p->r, 0, size);
    memset(p->u, 0, size);
    for (int k = 0; k < p->rolling->group_count; k++) {
        const rolling_group *g = &p->rolling->group[k];
        double normal = rng != NULL ? con_interior_scatter(rng) : 1.0;
        p->r[g->block[0]][0] = p->start_r * normal;
        for (int j = 0; j < g->count; j++)
            p->rolling->x0[g->first + j] =
                (rng != NULL ? con_interior_scatter(rng) : 1.0) / g->count;
    }
    add_shares(p);
}

// the shift of a contact's normal velocity
static double slip_of(const con_interior *p, const rolling_group *group, const double u[COLUMNS],
                      double g[COLUMNS])
{
    double slip = 0.0;
    memset(g, 0, COLUMNS * sizeof *g);
    for (int j = 0; j < group->count; j++) {
        const rolling_part *part = &p->rolling->bound[group->first + j];
        int first, count = columns_of(part->bound, &first);
        double squared = 0.0;
        for (int k = 0; k < count; k++)
            squared += u[first + k] * u[first + k];
        double length = sqrt(squared);
        slip += part->factor * length;
        for (int k = 0; k < count && length > 0.0; k++)
            g[first + k] = part->factor * u[first + k] / length;
    }
    return slip;
}

static void look(con_interior *p)
{
    con_interior_rolling *rolling = p->rolling;
    double product = 0.0, p_squared = 0.0, gap_squared = 0.0, least = INFINITY;
    for (int i = 0; i < p->newton->contact_count; i++)
        for (int k = 0; k < 3; k++)
            p->p[i][k] = p->u[i][k] - p->newton->scratch[0][i][k];
    for (int k = 0; k < rolling->group_count; k++) {
        rolling_group *g = &rolling->group[k];
        int force = g->block[0];
        double u[COLUMNS], r[COLUMNS], x[3], y[3];
        gather(g, (const double(*)[3])p->u, u);
        gather(g, (const double(*)[3])p->r, r);
        g->slip = slip_of(p, g, u, g->g);
        if (p->mode == CON_INTERIOR_NEWTON)
            p->s[force] = g->slip;
        p->p[force][0] -= p->s[force];
        gap_squared += (g->slip - p->s[force]) * (g->slip - p->s[force]);
        for (int j = g->first; j < g->first + g->count; j++) {
            to_cone(&rolling->bound[j], rolling->x0[j], u, r, x, y);
            product += con_interior_dot(x, y);
            con_interior_scale(&p->part[j], x, y);
            const double *lambda = p->part[j].lambda;
            least = fmin(least, lambda[0] - con_interior_tangent(lambda));
        }
    }
    for (int i = 0; i < p->newton->contact_count; i++)
        p_squared += con_interior_dot(p->p[i], p->p[i]);
    p->tau = product / p->part_count;
    p->p_norm = sqrt(p_squared / p->newton->contact_count);
    p->slip_gap = sqrt(gap_squared / rolling->group_count);
    p->least_eigenvalue = least > 0.0 ? least * least / p->tau : 0.0;
}

// the scaled bounds by r, [ROWS] x [COLUMNS]
static void scaled_bounds(const con_interior *p, const rolling_group *g, double M[ROWS][COLUMNS])
{
    memset(M, 0, ROWS * sizeof *M);
    for (int j = 0; j < g->count; j++) {
        const rolling_part *part = &p->rolling->bound[g->first + j];
        const double(*scale)[3] = (const double(*)[3])p->part[g->first + j].scale;
        int first, count = part->factor > 0.0 ? columns_of(part->bound, &first) : 0;
        for (int row = 0; row < 3; row++) {
            M[3 * j + row][0] = scale[row][0];
            for (int k = 0; k < count; k++)
                M[3 * j + row][first + k] = scale[row][1 + k] / part->factor;
        }
    }
}

// M = Q L with L lower triangular: Gram and Schmidt from the last column, twice. Columns of zeros,
// which nothing bounds, stay so
static void factor_bounds(rolling_group *g, double (*M)[COLUMNS])
{
    memset(g->L, 0, sizeof g->L);
    memset(g->Q, 0, sizeof g->Q);
    for (int c = COLUMNS - 1; c >= 0; c--) {
        for (int pass = 0; pass < 2; pass++)
            for (int b = COLUMNS - 1; b > c; b--) {
                double along = 0.0;
                for (int k = 0; k < ROWS; k++)
                    along += g->Q[k][b] * M[k][c];
                for (int k = 0; k < ROWS; k++)
                    M[k][c] -= along * g->Q[k][b];
                g->L[b][c] += along;
            }
        double squared = 0.0;
        for (int k = 0; k < ROWS; k++)
            squared += M[k][c] * M[k][c];
        double length = sqrt(squared);
        if (length == 0.0)
            continue;
        g->L[c][c] = length;
        for (int k = 0; k < ROWS; k++)
            g->Q[k][c] = M[k][c] / length;
    }
}

// L^-1; zero in rows and columns that nothing bounds
static void invert_lower(const double L[COLUMNS][COLUMNS], double out[COLUMNS][COLUMNS])
{
    memset(out, 0, COLUMNS * sizeof *out);
    for (int c = 0; c < COLUMNS; c++)
        for (int r = c; r < COLUMNS; r++) {
            double sum = r == c ? 1.0 : 0.0;
            if (L[r][r] == 0.0 || L[c][c] == 0.0)
                continue;
            for (int k = c; k < r; k++)
                sum -= L[r][k] * out[k][c];
            out[r][c] = sum / L[r][r];
        }
}

static void store_block(const double in[COLUMNS][COLUMNS], int row, int column, double out[3][3])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            out[a][b] = in[3 * row + a][3 * column + b];
}

// A = L^-T G^-1 and B = L^-1 of each contact, and the linearised residual
static void fill(con_interior *p, double theta)
{
    memcpy(p->pp, p->p, (size_t)p->newton->contact_count * sizeof *p->pp);
    for (int k = 0; k < p->rolling->group_count; k++) {
        rolling_group *g = &p->rolling->group[k];
        int force = g->block[0], moment = g->block[1];
        double M[ROWS][COLUMNS], A[COLUMNS][COLUMNS], B[COLUMNS][COLUMNS];
        scaled_bounds(p, g, M);
        factor_bounds(g, M);
        invert_lower((const double(*)[COLUMNS])g->L, B);
        for (int a = 0; a < COLUMNS; a++)
            for (int b = 0; b < COLUMNS; b++)
                A[a][b] = B[b][a] + (a == 0 ? theta * B[0][0] * g->g[b] : 0.0);
        store_block((const double(*)[COLUMNS])A, 0, 0, p->A[force]);
        store_block((const double(*)[COLUMNS])B, 0, 0, p->B[force]);
        if (moment >= 0) {
            store_block((const double(*)[COLUMNS])A, 1, 1, p->A[moment]);
            store_block((const double(*)[COLUMNS])B, 1, 1, p->B[moment]);
            store_block((const double(*)[COLUMNS])A, 0, 1, p->newton->left_coupling[moment]);
            store_block((const double(*)[COLUMNS])B, 1, 0, p->newton->coupling[moment]);
        }
        p->pp[force][0] -= theta * (g->slip - p->s[force]);
    }
}

// rhs = Q^T z + A pp of one contact
static void fill_right_side(con_interior *p, rolling_group *g)
{
    double sum[COLUMNS] = {0.0};
    memset(g->z, 0, sizeof g->z);
    for (int j = 0; j < g->count; j++)
        con_interior_divide(p->part[g->first + j].lambda, p->rc[g->first + j], g->z + 3 * j);
    for (int k = 0; k < 3 * g->count; k++)
        for (int c = 0; c < COLUMNS; c++)
            sum[c] += g->Q[k][c] * g->z[k];
    for (int b = 0; b < 2; b++) {
        int i = g->block[b];
        if (i < 0)
            continue;
        double own[3], other[3] = {0.0, 0.0, 0.0};
        con_interior_apply((const double(*)[3])p->A[i], p->pp[i], own);
        if (b == 0 && g->block[1] >= 0)
            con_interior_apply((const double(*)[3])p->newton->left_coupling[g->block[1]],
                               p->pp[g->block[1]], other);
        for (int k = 0; k < 3; k++)
            p->rhs[i][k] = sum[3 * b + k] + own[k] + other[k];
    }
}

// dr, du and the shares of the normal velocity from the solution dy
static void spread(con_interior *p, const rolling_group *g, double theta)
{
    int force = g->block[0], moment = g->block[1];
    double dy[COLUMNS];
    gather(g, (const double(*)[3])p->dy, dy);
    con_interior_apply((const double(*)[3])p->B[force], p->dy[force], p->dr[force]);
    if (moment >= 0) {
        double other[3];
        con_interior_apply((const double(*)[3])p->B[moment], p->dy[moment], p->dr[moment]);
        con_interior_apply((const double(*)[3])p->newton->coupling[moment], p->dy[force], other);
        for (int k = 0; k < 3; k++)
            p->dr[moment][k] += other[k];
    }
    double shift = 0.0;
    for (int b = 0; b < 2; b++)
        for (int k = 0; k < 3 && g->block[b] >= 0; k++) {
            int i = g->block[b];
            p->du[i][k] = p->W_dr[i][k] - p->pp[i][k];
            shift += g->g[3 * b + k] * p->du[i][k];
        }
    p->du[force][0] += theta * shift;
    // dx_j = W_j (z_j - (Q dy)_j)
    for (int j = 0; j < g->count; j++) {
        double left[3];
        for (int k = 0; k < 3; k++) {
            left[k] = g->z[3 * j + k];
            for (int c = 0; c < COLUMNS; c++)
                left[k] -= g->Q[3 * j + k][c] * dy[c];
        }
        p->rolling->dx0[g->first + j] = con_interior_dot(p->part[g->first + j].scale[0], left);
    }
}

static void solve(con_interior *p, double theta)
{
    for (int k = 0; k < p->rolling->group_count; k++)
        fill_right_side(p, &p->rolling->group[k]);
    con_newton_solve(p->newton, (const double(*)[3][3])p->A, (const double(*)[3][3])p->B,
                     (const double(*)[3])p->rhs, p->dy, p->W_dr);
    for (int k = 0; k < p->rolling->group_count; k++)
        spread(p, &p->rolling->group[k], theta);
}

static double largest_step(con_interior *p)
{
    const con_interior_rolling *rolling = p->rolling;
    double step = INFINITY;
    for (int k = 0; k < rolling->group_count; k++) {
        const rolling_group *g = &rolling->group[k];
        double u[COLUMNS], r[COLUMNS], du[COLUMNS], dr[COLUMNS];
        gather(g, (const double(*)[3])p->u, u);
        gather(g, (const double(*)[3])p->r, r);
        gather(g, (const double(*)[3])p->du, du);
        gather(g, (const double(*)[3])p->dr, dr);
        for (int j = g->first; j < g->first + g->count; j++) {
            double x[3], y[3], dx[3], dy[3];
            to_cone(&rolling->bound[j], rolling->x0[j], u, r, x, y);
            to_cone(&rolling->bound[j], rolling->dx0[j], du, dr, dx, dy);
            step = fmin(step, fmin(con_interior_step_to_boundary(x, dx),
                                   con_interior_step_to_boundary(y, dy)));
        }
    }
    return step;
}

static double tau_after(con_interior *p, double step)
{
    const con_interior_rolling *rolling = p->rolling;
    double product = 0.0;
    for (int k = 0; k < rolling->group_count; k++) {
        const rolling_group *g = &rolling->group[k];
        double u[COLUMNS], r[COLUMNS], du[COLUMNS], dr[COLUMNS];
        gather(g, (const double(*)[3])p->u, u);
        gather(g, (const double(*)[3])p->r, r);
        gather(g, (const double(*)[3])p->du, du);
        gather(g, (const double(*)[3])p->dr, dr);
        for (int c = 0; c < COLUMNS; c++) {
            u[c] += step * du[c];
            r[c] += step * dr[c];
        }
        for (int j = g->first; j < g->first + g->count; j++) {
            double x[3], y[3];
            to_cone(&rolling->bound[j], rolling->x0[j] + step * rolling->dx0[j], u, r, x, y);
            product += con_interior_dot(x, y);
        }
    }
    return product / p->part_count;
}

static void correct(con_interior *p)
{
    const con_interior_rolling *rolling = p->rolling;
    for (int k = 0; k < rolling->group_count; k++) {
        const rolling_group *g = &rolling->group[k];
        double du[COLUMNS], dr[COLUMNS];
        gather(g, (const double(*)[3])p->du, du);
        gather(g, (const double(*)[3])p->dr, dr);
        for (int j = g->first; j < g->first + g->count; j++) {
            double dx[3], dy[3], a[3], b[3], product[3];
            to_cone(&rolling->bound[j], rolling->dx0[j], du, dr, dx, dy);
            con_interior_apply((const double(*)[3])p->part[j].inverse, dx, a);
            con_interior_apply((const double(*)[3])p->part[j].scale, dy, b);
            con_interior_jordan(a, b, product);
            for (int c = 0; c < 3; c++)
                p->rc[j][c] -= product[c];
        }
    }
}

static bool move(con_interior *p, double step)
{
    double theta = con_interior_transient(p), sum = 0.0;
    for (int k = 0; p->mode == CON_INTERIOR_ESCAPE && k < p->rolling->group_count; k++) {
        const rolling_group *g = &p->rolling->group[k];
        double du[COLUMNS], shift = 0.0;
        gather(g, (const double(*)[3])p->du, du);
        for (int c = 1; c < COLUMNS; c++)
            shift += g->g[c] * du[c];
        p->s[g->block[0]] += step * theta * (g->slip - p->s[g->block[0]] + shift);
    }
    for (int i = 0; i < p->newton->contact_count; i++)
        for (int k = 0; k < 3; k++) {
            p->r[i][k] += step * p->dr[i][k];
            p->u[i][k] += step * p->du[i][k];
            sum += 0.0 * p->r[i][k] + 0.0 * p->u[i][k];
        }
    for (int j = 0; j < p->part_count; j++) {
        p->rolling->x0[j] += step * p->rolling->dx0[j];
        sum += 0.0 * p->rolling->x0[j];
    }
    add_shares(p);
    return sum == 0.0;
}

static void freeze(con_interior *p)
{
    for (int k = 0; k < p->rolling->group_count; k++) {
        const rolling_group *g = &p->rolling->group[k];
        double u[COLUMNS], unused[COLUMNS];
        gather(g, (const double(*)[3])p->u, u);
        p->s[g->block[0]] = slip_of(p, g, u, unused);
    }
}

static void save(con_interior *p, bool back)
{
    con_interior_rolling *rolling = p->rolling;
    size_t size = (size_t)p->newton->contact_count * sizeof(double[3]);
    memcpy(back ? p->r : p->saved_r, back ? p->saved_r : p->r, size);
    memcpy(back ? p->u : p->saved_u, back ? p->saved_u : p->u, size);
    memcpy(back ? rolling->x0 : rolling->saved_x0, back ? rolling->saved_x0 : rolling->x0,
           (size_t)p->part_count * sizeof *rolling->x0);
}

const con_interior_cones con_interior_rolling_cones = {
    .allocate = allocate,
    .start = start,
    .look = look,
    .fill = fill,
    .solve = solve,
    .largest_step = largest_step,
    .tau_after = tau_after,
    .correct = correct,
    .move = move,
    .freeze = freeze,
    .save = save,
};
