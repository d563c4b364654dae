// SPDX-License-Identifier: Apache-2.0
// Error and factorisation of an island.
#include "contact/solvers/newton/newton_loops.h"

#include "base/timer.h"

#include <math.h>
#include <string.h>

static inline void multiply3(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/// Sums at r in the units of the problem, chunk by chunk.
typedef struct measuring {
    const con_newton *newton;
    const double (*r)[3], (*u)[3];
    con_residual_sums part[CON_CHUNKS_MAX];
} measuring;

static con_residual_sums measure_contact(const measuring *m, int i)
{
    const con_newton *newton = m->newton;
    int moment = newton->moment != NULL ? newton->moment[i] : -1;
    bool raw = newton->control->both_measures;
    double R[2][3], U[2][3], w[2];
    for (int b = 0; b < (moment >= 0 ? 2 : 1); b++) {
        double unit = newton->unit[i + b];
        w[b] = unit * unit;
        for (int k = 0; k < 3; k++) {
            R[b][k] = m->r[i + b][k] * newton->size / unit;
            U[b][k] = m->u[i + b][k] * newton->size * unit;
        }
    }
    if (moment < 0)
        return con_residual_sums_of(&newton->goal.scale, w[0], R[0], U[0], newton->mu[i], raw);
    double ratio = newton->unit[i] / newton->unit[moment];
    const con_rolling_cone cone = {newton->mu[i], newton->mu[moment] * ratio,
                                   newton->spinning[moment] * ratio};
    return con_residual_sums_of_group(&newton->goal.scale, w, (const double(*)[3])R,
                                      (const double(*)[3])U, &cone, raw);
}

static void measure_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)worker;
    measuring *m = context;
    con_residual_sums sums = {0};
    for (int i = begin; i < end; i++) {
        if (m->newton->force != NULL && m->newton->force[i] >= 0)
            continue;
        con_residual_sums one = measure_contact(m, i);
        con_residual_sums_add(&sums, &one);
    }
    m->part[chunk] = sums;
}

static con_residual_sums measure(const con_newton *newton, const double (*r)[3],
                                 const double (*u)[3])
{
    con_residual_sums total = {0};
    measuring m = {.newton = newton, .r = r, .u = u};
    con_newton_each(newton, measure_chunk, &m);
    for (int k = 0; k < con_newton_chunks(newton); k++)
        con_residual_sums_add(&total, &m.part[k]);
    return total;
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

// K^T B of one side of a contact
static inline void left_product(const double K[3][6], const double B[3][3], double left[6][3])
{
    for (int k = 0; k < 6; k++)
        for (int j = 0; j < 3; j++)
            left[k][j] = K[0][k] * B[0][j] + K[1][k] * B[1][j] + K[2][k] * B[2][j];
}

// A J of one side of a contact
static inline void right_product(const double A[3][3], const double J[3][6], double right[3][6])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            right[i][k] = A[i][0] * J[0][k] + A[i][1] * J[1][k] + A[i][2] * J[2][k];
}

// out[6][6] += left right
static inline void add_product(const double left[6][3], const double right[3][6], double *out)
{
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            out[6 * a + b] +=
                left[a][0] * right[0][b] + left[a][1] * right[1][b] + left[a][2] * right[2][b];
}

// out of the bodies += K_i^T B A J_j of a moment and its force, which touch the same bodies
static void add_pair(con_newton *newton, int i, const double B[3][3], const double A[3][3], int j)
{
    int sides = con_newton_sides(newton);
    for (int s = 0; s < sides; s++)
        for (int t = 0; t < sides; t++) {
            double left[6][3], right[3][6];
            if (newton->slot[i][s][t] < 0)
                continue;
            left_product(con_newton_K(newton, i, s), B, left);
            right_product(A, con_newton_J(newton, j, t), right);
            add_product((const double(*)[3])left, (const double(*)[6])right,
                        newton->values + 36 * (size_t)newton->slot[i][s][t]);
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

/// What the threads that share an assembly are told.
typedef struct assembling {
    con_newton *newton;
    const double (*A)[3][3], (*B)[3][3];
} assembling;

// block rows of bodies: what their contacts give, one after the other
static void assemble_body_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const assembling *assembly = context;
    con_newton *newton = assembly->newton;
    int sides = con_newton_sides(newton);
    const int *start = newton->pattern.start;
    memset(newton->values + 36 * (size_t)start[begin], 0,
           36 * (size_t)(start[end] - start[begin]) * sizeof(double));
    for (int a = begin; a < end; a++) {
        for (int k = 0; k < 6; k++)
            newton->values[36 * (size_t)newton->diagonal[a] + 7 * k] = 1.0;
        for (int k = newton->side_start[a]; k < newton->side_start[a + 1]; k++) {
            int i = newton->side[k] / 3, s = newton->side[k] % 3;
            double left[6][3], right[3][6];
            left_product(con_newton_K(newton, i, s), assembly->B[i], left);
            for (int t = 0; t < sides; t++) {
                if (newton->slot[i][s][t] < 0)
                    continue;
                right_product(assembly->A[i], con_newton_J(newton, i, t), right);
                add_product((const double(*)[3])left, (const double(*)[6])right,
                            newton->values + 36 * (size_t)newton->slot[i][s][t]);
            }
        }
    }
}

static void assemble_bodies(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3])
{
    assembling assembly = {newton, A, B};
    con_newton_each_body(newton, assemble_body_chunk, &assembly);
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
