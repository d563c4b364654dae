// SPDX-License-Identifier: Apache-2.0
// Products and refined solves of an island.
#include "contact/solvers/newton/newton_loops.h"

#include <string.h>

// x = K^T r of one body, added to it
static inline void add_sides(const con_newton *newton, int body, const double (*r)[3], double *x)
{
    double sum[6];
    memcpy(sum, x, sizeof sum);
    for (int k = newton->side_start[body]; k < newton->side_start[body + 1]; k++) {
        int i = newton->side[k] / 3;
        const double(*K)[6] = con_newton_K(newton, i, newton->side[k] % 3);
        for (int d = 0; d < 6; d++)
            sum[d] += K[0][d] * r[i][0] + K[1][d] * r[i][1] + K[2][d] * r[i][2];
    }
    memcpy(x, sum, sizeof sum);
}

// J x of one contact
static inline void apply_sides(const con_newton *newton, int i, const double *x, double out[3])
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int s = 0; s < 2; s++) {
        if (newton->body[i][s] < 0)
            continue;
        const double *v = x + 6 * newton->body[i][s];
        const double(*J)[6] = (const double(*)[6])newton->J[i][s];
        for (int row = 0; row < 3; row++)
            sum[row] += (J[row][0] * v[0] + J[row][1] * v[1] + J[row][2] * v[2]) +
                        (J[row][3] * v[3] + J[row][4] * v[4] + J[row][5] * v[5]);
    }
    for (int row = 0; newton->rate_J != NULL && row < 3; row++) {
        const double *J = newton->rate_J[i][row], *z = x + 6 * (newton->body_count - 1);
        sum[row] += J[0] * z[0] + J[1] * z[1] + J[2] * z[2];
    }
    memcpy(out, sum, sizeof sum);
}

// W r of one contact, W form
static inline void apply_blocks(const con_newton *newton, int i, const double (*r)[3],
                                double out[3])
{
    const con_block_pattern *pattern = &newton->pattern;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
        const double *x = r[pattern->column[k]];
        const double(*m)[3] = (const double(*)[3])newton->block[k].m;
        for (int row = 0; row < 3; row++)
            sum[row] += m[row][0] * x[0] + m[row][1] * x[1] + m[row][2] * x[2];
    }
    memcpy(out, sum, sizeof sum);
}

/// out = W r (+ q), in the making.
typedef struct product {
    con_newton *newton;
    const double (*r)[3];
    bool with_q;
    double (*out)[3];
} product;

static void gather_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const product *p = context;
    for (int a = begin; a < end; a++) {
        memset(p->newton->velocity[a], 0, sizeof *p->newton->velocity);
        add_sides(p->newton, a, p->r, p->newton->velocity[a]);
    }
}

static void spread_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const product *p = context;
    const con_newton *newton = p->newton;
    for (int i = begin; i < end; i++) {
        double *out = p->out[i];
        if (newton->bodies)
            apply_sides(newton, i, newton->velocity[0], out);
        else
            apply_blocks(newton, i, p->r, out);
        for (int k = 0; newton->E != NULL && k < 3; k++)
            out[k] += newton->E[i][k] * p->r[i][k];
        for (int k = 0; p->with_q && k < 3; k++)
            out[k] += newton->q[i][k];
    }
}

void con_newton_velocity(con_newton *newton, const double (*r)[3], bool with_q, double (*out)[3])
{
    product p = {newton, r, with_q, out};
    if (newton->bodies)
        con_newton_each_body(newton, gather_chunk, &p);
    if (newton->bodies && newton->joints != NULL)
        con_newton_joints_project(newton->joints, newton->velocity);
    con_newton_each(newton, spread_chunk, &p);
}

// ---------------------------------------------------------------- solves

/// y + A W B y = rhs, in the making.
typedef struct solving {
    con_newton *newton;
    const double (*A)[3][3], (*B)[3][3], (*rhs)[3];
    double (*y)[3], (*W_B_y)[3];
    double (*weighted)[3], (*defect)[3]; // scratch
    double *v, *d;                       // of bodies or groups, and its last change
    bool last;                           // round
    double d_squared[CON_CHUNKS_MAX], v_squared[CON_CHUNKS_MAX];
} solving;

// A x of a contact with the coupling of a force to its moment, which lies behind it; out may be x
static inline void apply_A(const solving *s, int i, const double (*x)[3], double out[3])
{
    const con_newton *newton = s->newton;
    int moment = newton->left_coupling != NULL ? newton->moment[i] : -1;
    double part[3] = {0.0, 0.0, 0.0};
    if (moment >= 0)
        con_apply3((const double(*)[3])newton->left_coupling[moment], x[moment], part);
    con_apply3(s->A[i], x[i], out);
    for (int k = 0; moment >= 0 && k < 3; k++)
        out[k] += part[k];
}

// B x of a contact with the coupling of a moment to its force; out must not be x
static inline void apply_B(const solving *s, int i, const double (*x)[3], double out[3])
{
    const con_newton *newton = s->newton;
    con_apply3(s->B[i], x[i], out);
    if (newton->coupling == NULL || newton->force[i] < 0)
        return;
    double part[3];
    con_apply3((const double(*)[3])newton->coupling[i], x[newton->force[i]], part);
    for (int k = 0; k < 3; k++)
        out[k] += part[k];
}

// B (y + defect)
static void weigh_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const solving *s = context;
    for (int i = begin; i < end; i++) {
        for (int k = 0; k < 3; k++)
            s->W_B_y[i][k] = s->y[i][k] + s->defect[i][k];
        apply_B(s, i, (const double(*)[3])s->W_B_y, s->weighted[i]);
    }
}

// right side of the bodies: K^T B (y + defect) - v
static void load_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const solving *s = context;
    for (int a = begin; a < end; a++) {
        for (int k = 6 * a; k < 6 * a + 6; k++)
            s->d[k] = -s->v[k];
        add_sides(s->newton, a, (const double(*)[3])s->weighted, s->d + 6 * a);
    }
}

// v += d
static void advance_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)worker;
    solving *s = context;
    double d_squared = 0.0, v_squared = 0.0;
    for (int k = 6 * begin; k < 6 * end; k++) {
        s->v[k] += s->d[k];
        d_squared += s->d[k] * s->d[k];
        v_squared += s->v[k] * s->v[k];
    }
    s->d_squared[chunk] = d_squared;
    s->v_squared[chunk] = v_squared;
}

// W B y = J v, y += defect - A J d, and what is left of the second row
static void update_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const solving *s = context;
    const con_newton *newton = s->newton;
    for (int i = begin; newton->groups == NULL && i < end; i++) {
        apply_sides(newton, i, s->d, s->weighted[i]);
        apply_sides(newton, i, s->v, s->W_B_y[i]);
    }
    for (int i = begin; i < end; i++) {
        double change[3], held[3];
        apply_A(s, i, (const double(*)[3])s->weighted, change);
        for (int k = 0; k < 3; k++)
            s->y[i][k] += s->defect[i][k] - change[k];
        if (s->last)
            continue;
        apply_A(s, i, (const double(*)[3])s->W_B_y, held);
        for (int k = 0; k < 3; k++)
            s->defect[i][k] = s->rhs[i][k] - held[k] - s->y[i][k];
    }
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

// whether d is no more than round-off of v, which it is added to
static bool advance_bodies(solving *s)
{
    const con_newton *newton = s->newton;
    double d_squared = 0.0, v_squared = 0.0;
    if (newton->groups != NULL) {
        advance_chunk(s, 0, newton->groups->count, 0, 0);
        return s->d_squared[0] <= 1e-28 * s->v_squared[0];
    }
    con_newton_each_body(newton, advance_chunk, s);
    for (int k = 0; k < con_newton_body_chunks(newton); k++) {
        d_squared += s->d_squared[k];
        v_squared += s->v_squared[k];
    }
    return d_squared <= 1e-28 * v_squared;
}

static void load_bodies(solving *s, size_t rows)
{
    const con_newton *newton = s->newton;
    if (newton->groups == NULL) {
        con_newton_each_body(newton, load_chunk, s);
        return;
    }
    for (size_t k = 0; k < rows; k++)
        s->d[k] = -s->v[k];
    con_newton_groups_gather(newton->groups, (const double(*)[3])s->weighted, s->d);
}

/// One refined solve in body form, on { v - J^T B y = 0, A J v + y = rhs }; of groups with Q and
/// Q X in place of the two J.
static void solve_bodies(solving *s)
{
    enum { ROUNDS = 3 };
    con_newton *newton = s->newton;
    size_t n = (size_t)newton->contact_count;
    size_t rows = 6 * (size_t)(newton->groups != NULL ? newton->groups->count : newton->body_count);
    s->v = newton->velocity[0];
    s->d = newton->unknown;
    memset(s->v, 0, rows * sizeof *s->v);
    memcpy(s->defect, s->rhs, n * sizeof *s->defect);
    memset(s->y, 0, n * sizeof *s->y);
    if (newton->joints != NULL)
        con_newton_joints_begin(newton->joints);
    for (int round = 0; !s->last; round++) {
        con_newton_each(newton, weigh_chunk, s);
        load_bodies(s, rows);
        if (newton->joints != NULL)
            con_newton_joints_load(newton->joints, s->v, s->d);
        divide(newton, s->d);
        if (newton->joints != NULL)
            con_newton_joints_update(newton->joints, s->d);
        s->last = advance_bodies(s) || newton->rough || round + 1 == ROUNDS;
        if (newton->groups != NULL) {
            con_newton_groups_spread(newton->groups, s->d, s->weighted);
            con_newton_groups_spread(newton->groups, s->v, s->W_B_y);
        }
        con_newton_each(newton, update_chunk, s);
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

static void weigh_contacts(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const solving *s = context;
    for (int i = begin; i < end; i++)
        apply_B(s, i, (const double(*)[3])s->y, s->weighted[i]);
}

// what is left; inactive contacts follow from the others
static void update_contacts(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const solving *s = context;
    const con_newton *newton = s->newton;
    for (int i = begin; i < end; i++)
        apply_blocks(newton, i, (const double(*)[3])s->weighted, s->W_B_y[i]);
    for (int i = begin; i < end; i++) {
        double held[3];
        apply_A(s, i, (const double(*)[3])s->W_B_y, held);
        for (int k = 0; k < 3; k++) {
            s->defect[i][k] = s->rhs[i][k] - held[k] - s->y[i][k];
            if (newton->place[i] < 0)
                s->y[i][k] = s->rhs[i][k] - held[k];
        }
    }
}

/// Refined solve in W form.
static void solve_contacts(solving *s)
{
    con_newton *newton = s->newton;
    size_t n = (size_t)newton->contact_count;
    memcpy(s->defect, s->rhs, n * sizeof *s->defect);
    memset(s->y, 0, n * sizeof *s->y);
    for (int round = 0; round < 2; round++) {
        solve_active(newton, (const double(*)[3])s->defect, s->y);
        con_newton_each(newton, weigh_contacts, s);
        con_newton_each(newton, update_contacts, s);
    }
}

void con_newton_solve(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3],
                      const double (*rhs)[3], double (*y)[3], double (*W_B_y)[3])
{
    solving s = {.newton = newton,
                 .A = A,
                 .B = B,
                 .rhs = rhs,
                 .y = y,
                 .W_B_y = W_B_y,
                 .weighted = newton->scratch[1],
                 .defect = newton->scratch[2]};
    if (newton->E != NULL) {
        con_newton_apply(newton, (const double(*)[3][3])newton->E_inverse, rhs, newton->E_rhs);
        s.A = (const double(*)[3][3])newton->E_A;
        s.rhs = (const double(*)[3])newton->E_rhs;
    }
    if (newton->bodies || newton->groups != NULL)
        solve_bodies(&s);
    else
        solve_contacts(&s);
    if (newton->bodies && newton->joints != NULL) {
        // whatever is left of the joints' error, W B y is that of y
        con_newton_each(newton, weigh_contacts, &s);
        con_newton_velocity(newton, (const double(*)[3])s.weighted, false, W_B_y);
    }
}
