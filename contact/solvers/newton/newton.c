// SPDX-License-Identifier: Apache-2.0
// Products, error, factorisation and refined solves of an island.
#include "contact/solvers/newton/newton.h"

#include "base/timer.h"

#include <math.h>
#include <string.h>

// out[3] = a[3][3] x
static inline void apply3(const double a[3][3], const double x[3], double out[3])
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
    memcpy(out, y, sizeof y);
}

static inline void multiply3(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

// v += K^T r; v [m][6], of groups v += Q^T r
static void add_transposed(const con_newton *newton, const double (*r)[3], double *v)
{
    if (newton->groups != NULL) {
        con_newton_groups_gather(newton->groups, r, v);
        return;
    }
    for (int i = 0; i < newton->contact_count; i++)
        for (int s = 0; s < 2; s++) {
            if (newton->body[i][s] < 0)
                continue;
            double *out = v + 6 * newton->body[i][s];
            const double(*K)[6] = (const double(*)[6])newton->K[i][s];
            for (int k = 0; k < 6; k++)
                out[k] += K[0][k] * r[i][0] + K[1][k] * r[i][1] + K[2][k] * r[i][2];
        }
}

// out = J v, of groups Q X v
static void apply_J(const con_newton *newton, const double *v, double (*out)[3])
{
    if (newton->groups != NULL) {
        con_newton_groups_spread(newton->groups, v, out);
        return;
    }
    for (int i = 0; i < newton->contact_count; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int s = 0; s < 2; s++) {
            if (newton->body[i][s] < 0)
                continue;
            const double *x = v + 6 * newton->body[i][s];
            const double(*J)[6] = (const double(*)[6])newton->J[i][s];
            for (int row = 0; row < 3; row++)
                sum[row] += (J[row][0] * x[0] + J[row][1] * x[1] + J[row][2] * x[2]) +
                            (J[row][3] * x[3] + J[row][4] * x[4] + J[row][5] * x[5]);
        }
        memcpy(out[i], sum, sizeof sum);
    }
}

static void apply_W(const con_newton *newton, const double (*r)[3], double (*out)[3])
{
    const con_block_pattern *pattern = &newton->pattern;
    for (int i = 0; i < newton->contact_count; i++) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
            const double *x = r[pattern->column[k]];
            const double(*m)[3] = (const double(*)[3])newton->block[k].m;
            for (int row = 0; row < 3; row++)
                sum[row] += m[row][0] * x[0] + m[row][1] * x[1] + m[row][2] * x[2];
        }
        memcpy(out[i], sum, sizeof sum);
    }
}

void con_newton_velocity(con_newton *newton, const double (*r)[3], bool with_q, double (*out)[3])
{
    if (newton->bodies) {
        memset(newton->velocity, 0, (size_t)newton->body_count * sizeof *newton->velocity);
        add_transposed(newton, r, newton->velocity[0]);
        if (newton->joints != NULL)
            con_newton_joints_project(newton->joints, newton->velocity);
        apply_J(newton, newton->velocity[0], out);
        for (int i = 0; newton->E != NULL && i < newton->contact_count; i++)
            for (int k = 0; k < 3; k++)
                out[i][k] += newton->E[i][k] * r[i][k];
    } else {
        apply_W(newton, r, out);
    }
    for (int i = 0; with_q && i < newton->contact_count; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] += newton->q[i][k];
}

// sums in the units of the problem
static con_residual_sums measure(const con_newton *newton, const double (*r)[3],
                                 const double (*u)[3])
{
    con_residual_sums sums = {0};
    bool raw = newton->control->both_measures;
    for (int i = 0; i < newton->contact_count; i++) {
        int moment = newton->moment != NULL ? newton->moment[i] : -1;
        double R[2][3], U[2][3], w[2];
        if (newton->force != NULL && newton->force[i] >= 0)
            continue;
        for (int b = 0; b < (moment >= 0 ? 2 : 1); b++) {
            double unit = newton->unit[i + b];
            w[b] = unit * unit;
            for (int k = 0; k < 3; k++) {
                R[b][k] = r[i + b][k] * newton->size / unit;
                U[b][k] = u[i + b][k] * newton->size * unit;
            }
        }
        con_residual_sums one;
        if (moment < 0) {
            one = con_residual_sums_of(&newton->goal.scale, w[0], R[0], U[0], newton->mu[i], raw);
        } else {
            double ratio = newton->unit[i] / newton->unit[moment];
            const con_rolling_cone cone = {newton->mu[i], newton->mu[moment] * ratio,
                                           newton->spinning[moment] * ratio};
            one = con_residual_sums_of_group(&newton->goal.scale, w, (const double(*)[3])R,
                                             (const double(*)[3])U, &cone, raw);
        }
        con_residual_sums_add(&sums, &one);
    }
    return sums;
}

double con_newton_error(con_newton *newton, const double (*r)[3])
{
    double(*u)[3] = newton->scratch[0];
    con_newton_velocity(newton, r, true, u);
    con_residual_sums sums = measure(newton, r, (const double(*)[3])u);
    const con_residual residual = con_residual_from(&sums, &newton->goal.scale);
    double error = con_control_error(newton->control, &residual) / sqrt(newton->goal.share);
    if (!isfinite(error))
        return NAN;
    newton->growth = residual.growth;
    con_report *report = newton->report;
    const con_control *control = newton->control;
    if (report != NULL && control->history != NULL &&
        report->history_count < control->history_capacity)
        control->history[report->history_count++] = error;
    if (error < newton->best_error) {
        newton->best_error = error;
        memcpy(newton->best, r, (size_t)newton->contact_count * sizeof *newton->best);
    }
    return error;
}

bool con_newton_solved(const con_newton *newton)
{
    return newton->best_error <= newton->goal.tolerance;
}

bool con_newton_ran_away(const con_newton *newton)
{
    return newton->growth > CON_GROWTH_MAX;
}

static bool is_past_deadline(const void *context)
{
    const con_newton *newton = context;
    return con_control_is_late(newton->control) ||
           (isfinite(newton->goal.deadline) && base_timer_seconds() >= newton->goal.deadline);
}

bool con_newton_late(const con_newton *newton)
{
    return newton->factorisations >= newton->limit || con_newton_ran_away(newton) ||
           is_past_deadline(newton);
}

void con_newton_begin(con_newton *newton)
{
    if (newton->bodies)
        return;
    newton->ordered = false;
    newton->floor = base_arena_get_mark(newton->arena);
}

// K^T B and A J of one side of a contact
static inline void side_products(const double J[3][6], const double K[3][6], const double A[3][3],
                                 const double B[3][3], double left[6][3], double right[3][6])
{
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < 3; j++)
            left[k][j] = K[0][k] * B[0][j] + K[1][k] * B[1][j] + K[2][k] * B[2][j];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            right[i][k] = A[i][0] * J[0][k] + A[i][1] * J[1][k] + A[i][2] * J[2][k];
}

// out of the bodies += K_i^T B A J_j of a moment and its force, which touch the same bodies
static void add_pair(con_newton *newton, int i, const double B[3][3], const double A[3][3], int j)
{
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
            double left[6][3], right[3][6], unused_left[6][3], unused_right[3][6];
            if (newton->slot[i][s][t] < 0)
                continue;
            double *out = newton->values + 36 * (size_t)newton->slot[i][s][t];
            side_products((const double(*)[6])newton->J[i][s], (const double(*)[6])newton->K[i][s],
                          A, B, left, unused_right);
            side_products((const double(*)[6])newton->J[j][t], (const double(*)[6])newton->K[j][t],
                          A, B, unused_left, right);
            for (int a = 0; a < 6; a++)
                for (int b = 0; b < 6; b++)
                    out[6 * a + b] += left[a][0] * right[0][b] + left[a][1] * right[1][b] +
                                      left[a][2] * right[2][b];
        }
}

static void assemble_coupling(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3],
                              int moment)
{
    int force = newton->force[moment];
    const double(*C)[3] = (const double(*)[3])newton->coupling[moment];
    add_pair(newton, moment, C, A[force], force);
    if (newton->left_coupling == NULL)
        return;
    const double(*left)[3] = (const double(*)[3])newton->left_coupling[moment];
    add_pair(newton, force, B[force], left, moment);
    add_pair(newton, moment, C, left, moment);
}

static void assemble_bodies(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3])
{
    const con_block_pattern *pattern = &newton->pattern;
    memset(newton->values, 0, 36 * (size_t)pattern->start[pattern->size] * sizeof(double));
    for (int a = 0; a < newton->body_count; a++)
        for (int k = 0; k < 6; k++)
            newton->values[36 * (size_t)newton->diagonal[a] + 7 * k] = 1.0;
    for (int i = 0; i < newton->contact_count; i++) {
        double left[2][6][3], right[2][3][6];
        for (int s = 0; s < 2; s++)
            if (newton->body[i][s] >= 0)
                side_products((const double(*)[6])newton->J[i][s],
                              (const double(*)[6])newton->K[i][s], A[i], B[i], left[s], right[s]);
        for (int s = 0; s < 2; s++)
            for (int t = 0; t < 2; t++) {
                if (newton->slot[i][s][t] < 0)
                    continue;
                double *out = newton->values + 36 * (size_t)newton->slot[i][s][t];
                for (int a = 0; a < 6; a++)
                    for (int b = 0; b < 6; b++)
                        out[6 * a + b] += left[s][a][0] * right[t][0][b] +
                                          left[s][a][1] * right[t][1][b] +
                                          left[s][a][2] * right[t][2][b];
            }
    }
    for (int i = 0; newton->coupling != NULL && i < newton->contact_count; i++)
        if (newton->force[i] >= 0)
            assemble_coupling(newton, A, B, i);
    if (newton->joints != NULL)
        con_newton_joints_assemble(newton->joints, newton->values);
}

static bool is_zero(const double a[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (a[i][j] != 0.0)
                return false;
    return true;
}

// numbers the contacts with B != 0, or the groups that have such; true when they are the same as
// before
static bool number_active(con_newton *newton, const double (*B)[3][3])
{
    const con_newton_groups *groups = newton->groups;
    int count = 0, units = groups != NULL ? groups->count : newton->contact_count;
    bool same = newton->ordered;
    for (int u = 0; u < units; u++) {
        bool active = groups == NULL && !is_zero(B[u]);
        for (int k = groups != NULL ? groups->start[u] : 0;
             groups != NULL && !active && k < groups->start[u + 1]; k++)
            active = !is_zero(B[groups->contact[k]]);
        same = same && active == (newton->place[u] >= 0);
        newton->place[u] = active ? count : -1;
        if (active)
            newton->active[count++] = u;
    }
    newton->active_count = count;
    return same;
}

static cairn_status order_active(con_newton *newton)
{
    base_arena *arena = newton->arena;
    base_arena_rewind(arena, newton->floor);
    newton->ordered = false;
    bool grouped = newton->groups != NULL;
    const con_block_pattern *all = grouped ? &newton->groups->pattern : &newton->pattern;
    int block = grouped ? 6 : 3;
    size_t n = (size_t)newton->active_count;
    size_t entries = (size_t)all->start[all->size];
    int *start = base_arena_array(arena, int, "active contacts", n + 1);
    int *column = base_arena_array(arena, int, "active contacts", entries + 1);
    if (start == NULL || column == NULL)
        return CAIRN_ERROR_MEMORY;
    int used = 0;
    for (size_t a = 0; a < n; a++) {
        int i = newton->active[a];
        start[a] = used;
        for (int k = all->start[i]; k < all->start[i + 1]; k++)
            if (newton->place[all->column[k]] >= 0)
                column[used++] = newton->place[all->column[k]];
    }
    start[n] = used;
    con_block_pattern pattern = {newton->active_count, start, column};
    newton->values = base_arena_array(arena, double, "Newton matrix",
                                      (size_t)(block * block) * (size_t)used + 1);
    if (newton->values == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = con_block_order_create(&pattern, block, arena, &newton->order);
    if (status == CAIRN_OK)
        status = con_newton_allocate_factors(newton);
    newton->ordered = status == CAIRN_OK;
    return status;
}

// half = A_i W_ij, and what the moment of i adds; false where there is nothing
static bool left_half(const con_newton *newton, const double (*A)[3][3], int i, int j,
                      double half[3][3])
{
    int entry = con_block_pattern_find(&newton->pattern, i, j);
    if (entry < 0)
        return false;
    multiply3(A[i], (const double(*)[3])newton->block[entry].m, half);
    int moment = newton->left_coupling != NULL ? newton->moment[i] : -1;
    int there = moment >= 0 ? con_block_pattern_find(&newton->pattern, moment, j) : -1;
    if (there < 0)
        return true;
    double part[3][3];
    multiply3((const double(*)[3])newton->left_coupling[moment],
              (const double(*)[3])newton->block[there].m, part);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            half[a][b] += part[a][b];
    return true;
}

// product += A_i W_im C of a moment m: its part of the column of its force
static void add_coupling(const con_newton *newton, const double (*A)[3][3], int i, int moment,
                         double product[3][3])
{
    double half[3][3], part[3][3];
    if (!left_half(newton, A, i, moment, half))
        return;
    multiply3((const double(*)[3])half, (const double(*)[3])newton->coupling[moment], part);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            product[a][b] += part[a][b];
}

static void assemble_contacts(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3])
{
    double *out = newton->values;
    for (int a = 0; a < newton->active_count; a++) {
        int i = newton->active[a];
        for (int k = newton->pattern.start[i]; k < newton->pattern.start[i + 1]; k++) {
            int j = newton->pattern.column[k];
            if (newton->place[j] < 0)
                continue;
            double half[3][3], product[3][3];
            if (newton->left_coupling != NULL)
                left_half(newton, A, i, j, half);
            else
                multiply3(A[i], (const double(*)[3])newton->block[k].m, half);
            multiply3((const double(*)[3])half, B[j], product);
            if (newton->coupling != NULL && newton->moment[j] >= 0)
                add_coupling(newton, A, i, newton->moment[j], product);
            for (int row = 0; i == j && row < 3; row++)
                product[row][row] += 1.0;
            memcpy(out, product, sizeof product);
            out += 9;
        }
    }
}

// I + D X among the active groups
static void assemble_groups(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3])
{
    con_newton_groups *groups = newton->groups;
    con_newton_groups_weigh(groups, A, B);
    double *out = newton->values;
    for (int a = 0; a < newton->active_count; a++) {
        int g = newton->active[a];
        const double *D = groups->D + 36 * (size_t)g;
        for (int k = groups->pattern.start[g]; k < groups->pattern.start[g + 1]; k++) {
            int h = groups->pattern.column[k];
            const double *X = groups->X + 36 * (size_t)k;
            if (newton->place[h] < 0)
                continue;
            for (int r = 0; r < 6; r++) {
                double row[6] = {0.0};
                row[r] = g == h ? 1.0 : 0.0;
                for (int j = 0; j < 6; j++)
                    for (int c = 0; c < 6; c++)
                        row[c] += D[6 * r + j] * X[6 * j + c];
                memcpy(out + 6 * r, row, sizeof row);
            }
            out += 36;
        }
    }
}

// does the work fit into memory, and (very roughly) into the time left
static bool is_feasible(const con_newton *newton)
{
    if (!newton->fits)
        return false;
    double fastest = newton->order.flops / 2e10;
    return !isfinite(newton->goal.deadline) ||
           base_timer_seconds() + fastest < newton->goal.deadline;
}

static bool is_finite(const mat3 *a)
{
    double sum = 0.0;
    for (int k = 0; k < 9; k++)
        sum += 0.0 * a->m[k / 3][k % 3];
    return sum == 0.0;
}

// y + A (J P J^T + E) B y = rhs is y + A' J P J^T B y = (I + A E B)^-1 rhs, A' = (I + A E B)^-1 A
static bool divide_compliance(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3])
{
    bool sound = true;
    for (int i = 0; i < newton->contact_count; i++) {
        mat3 own = mat3_identity();
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int k = 0; k < 3; k++)
                    own.m[a][b] += A[i][a][k] * newton->E[i][k] * B[i][k][b];
        mat3 inverse = mat3_inverse(&own);
        sound = sound && is_finite(&inverse);
        memcpy(newton->E_inverse[i], inverse.m, sizeof inverse.m);
        multiply3((const double(*)[3])inverse.m, A[i], newton->E_A[i]);
    }
    return sound;
}

cairn_status con_newton_factor(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3])
{
    cairn_status status = CAIRN_OK;
    if (!newton->bodies && !number_active(newton, B))
        status = order_active(newton);
    if (status != CAIRN_OK)
        return status;
    if (!is_feasible(newton))
        return CAIRN_ERROR_NUMERICAL;
    if (newton->E != NULL && !divide_compliance(newton, A, B))
        return CAIRN_ERROR_NUMERICAL;
    if (newton->bodies)
        assemble_bodies(newton, newton->E != NULL ? (const double(*)[3][3])newton->E_A : A, B);
    else if (newton->groups != NULL)
        assemble_groups(newton, A, B);
    else
        assemble_contacts(newton, A, B);
    newton->factorisations++;
    const con_dense_query query = {is_past_deadline, newton};
    return con_block_lu_factor(&newton->lu, newton->values, &query) ? CAIRN_OK
                                                                    : CAIRN_ERROR_NUMERICAL;
}

static void apply_each(const con_newton *newton, const double (*A)[3][3], const double (*x)[3],
                       double (*out)[3])
{
    for (int i = 0; i < newton->contact_count; i++)
        apply3(A[i], x[i], out[i]);
}

// out = A x with the coupling of forces to their moments, which lie behind them; may alias
static void apply_A(const con_newton *newton, const double (*A)[3][3], const double (*x)[3],
                    double (*out)[3])
{
    if (newton->left_coupling == NULL) {
        apply_each(newton, A, x, out);
        return;
    }
    for (int i = 0; i < newton->contact_count; i++) {
        double part[3] = {0.0, 0.0, 0.0};
        int moment = newton->moment[i];
        if (moment >= 0)
            apply3((const double(*)[3])newton->left_coupling[moment], x[moment], part);
        apply3(A[i], x[i], out[i]);
        for (int k = 0; k < 3; k++)
            out[i][k] += part[k];
    }
}

// out = B x with the coupling of moments to their forces; must not alias
static void apply_B(const con_newton *newton, const double (*B)[3][3], const double (*x)[3],
                    double (*out)[3])
{
    apply_each(newton, B, x, out);
    for (int i = 0; newton->coupling != NULL && i < newton->contact_count; i++) {
        double part[3];
        if (newton->force[i] < 0)
            continue;
        apply3((const double(*)[3])newton->coupling[i], x[newton->force[i]], part);
        for (int k = 0; k < 3; k++)
            out[i][k] += part[k];
    }
}

static double norm_squared(const double *x, size_t count)
{
    double sum = 0.0;
    for (size_t k = 0; k < count; k++)
        sum += x[k] * x[k];
    return sum;
}

// d divided by the factors; of groups that are not active it is zero and stays so
static void divide(con_newton *newton, double *d)
{
    if (newton->groups == NULL) {
        con_block_lu_solve(&newton->lu, d);
        return;
    }
    double *x = newton->unknown + 6 * (size_t)newton->groups->count;
    for (int a = 0; a < newton->active_count; a++)
        memcpy(x + 6 * a, d + 6 * newton->active[a], 6 * sizeof *x);
    con_block_lu_solve(&newton->lu, x);
    for (int a = 0; a < newton->active_count; a++)
        memcpy(d + 6 * newton->active[a], x + 6 * a, 6 * sizeof *x);
}

/// One refined solve in body form, on { v - J^T B y = 0, A J v + y = rhs }; of groups with Q and
/// Q X in place of the two J.
static void solve_bodies(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3],
                         const double (*rhs)[3], double (*y)[3], double (*W_B_y)[3])
{
    int n = newton->contact_count;
    size_t rows = 6 * (size_t)(newton->groups != NULL ? newton->groups->count : newton->body_count);
    double(*weighted)[3] = newton->scratch[1], (*defect)[3] = newton->scratch[2];
    double *v = newton->velocity[0], *d = newton->unknown;
    memset(v, 0, rows * sizeof *v);
    memcpy(defect, rhs, (size_t)n * sizeof *defect);
    memset(y, 0, (size_t)n * sizeof *y);
    if (newton->joints != NULL)
        con_newton_joints_begin(newton->joints);
    for (int round = 0; round < 3; round++) {
        // right side of the bodies: J^T B (y + defect) - v
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                W_B_y[i][k] = y[i][k] + defect[i][k];
        apply_B(newton, B, (const double(*)[3])W_B_y, weighted);
        for (size_t k = 0; k < rows; k++)
            d[k] = -v[k];
        add_transposed(newton, (const double(*)[3])weighted, d);
        if (newton->joints != NULL)
            con_newton_joints_load(newton->joints, v, d);
        divide(newton, d);
        if (newton->joints != NULL)
            con_newton_joints_update(newton->joints, d);
        for (size_t k = 0; k < rows; k++)
            v[k] += d[k];
        // y += defect - A J d, and what is left of the second row
        apply_J(newton, d, weighted);
        apply_A(newton, A, (const double(*)[3])weighted, weighted);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                y[i][k] += defect[i][k] - weighted[i][k];
        apply_J(newton, v, W_B_y);
        if (norm_squared(d, rows) <= 1e-28 * norm_squared(v, rows))
            return;
        apply_A(newton, A, (const double(*)[3])W_B_y, weighted);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                defect[i][k] = rhs[i][k] - weighted[i][k] - y[i][k];
    }
}

// y += solution for the active contacts
static void solve_active(con_newton *newton, const double (*defect)[3], double (*y)[3])
{
    double *d = newton->unknown;
    for (int a = 0; a < newton->active_count; a++)
        memcpy(d + 3 * a, defect[newton->active[a]], sizeof *defect);
    con_block_lu_solve(&newton->lu, d);
    for (int a = 0; a < newton->active_count; a++)
        for (int k = 0; k < 3; k++)
            y[newton->active[a]][k] += d[3 * a + k];
}

/// Refined solve in W form; inactive contacts follow from the others.
static void solve_contacts(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3],
                           const double (*rhs)[3], double (*y)[3], double (*W_B_y)[3])
{
    int n = newton->contact_count;
    double(*weighted)[3] = newton->scratch[1], (*defect)[3] = newton->scratch[2];
    memcpy(defect, rhs, (size_t)n * sizeof *defect);
    memset(y, 0, (size_t)n * sizeof *y);
    for (int round = 0; round < 2; round++) {
        solve_active(newton, (const double(*)[3])defect, y);
        apply_B(newton, B, (const double(*)[3])y, weighted);
        apply_W(newton, (const double(*)[3])weighted, W_B_y);
        apply_A(newton, A, (const double(*)[3])W_B_y, weighted);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < 3; k++)
                defect[i][k] = rhs[i][k] - weighted[i][k] - y[i][k];
        for (int i = 0; i < n; i++)
            if (newton->place[i] < 0)
                for (int k = 0; k < 3; k++)
                    y[i][k] = rhs[i][k] - weighted[i][k];
    }
}

void con_newton_solve(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3],
                      const double (*rhs)[3], double (*y)[3], double (*W_B_y)[3])
{
    if (newton->E != NULL) {
        apply_each(newton, (const double(*)[3][3])newton->E_inverse, rhs, newton->E_rhs);
        solve_bodies(newton, (const double(*)[3][3])newton->E_A, B,
                     (const double(*)[3])newton->E_rhs, y, W_B_y);
    } else if (newton->bodies || newton->groups != NULL)
        solve_bodies(newton, A, B, rhs, y, W_B_y);
    if (newton->bodies && newton->joints != NULL) {
        // whatever is left of the joints' error, W B y is that of y
        apply_B(newton, B, (const double(*)[3])y, newton->scratch[1]);
        con_newton_velocity(newton, (const double(*)[3])newton->scratch[1], false, W_B_y);
    }
    if (!newton->bodies && newton->groups == NULL)
        solve_contacts(newton, A, B, rhs, y, W_B_y);
}

void con_newton_scatter(const con_newton *newton, const double (*r)[3], double (*R)[3])
{
    for (int i = 0; i < newton->contact_count; i++)
        for (int k = 0; k < 3; k++)
            R[newton->contact[i]][k] = r[i][k] * newton->size / newton->unit[i];
}

void con_newton_gather(const con_newton *newton, const double (*R)[3], double (*r)[3])
{
    for (int i = 0; i < newton->contact_count; i++)
        for (int k = 0; k < 3; k++)
            r[i][k] = R[newton->contact[i]][k] * newton->unit[i] / newton->size;
}
