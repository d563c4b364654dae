// SPDX-License-Identifier: Apache-2.0
// Semismooth Newton method: steps, line searches, damping.
#include "contact/solvers/newton/semismooth.h"

#include "contact/solvers/newton/newton_loops.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { SEARCH_LIMIT = 40, STALL_STEPS = 60 };

#define FIELD(name) offsetof(con_semismooth_settings, name)
static bool allocate(con_semismooth *m, base_arena *arena)
{
    int n = m->newton->contact_count;
    size_t count = (size_t)n;
    m->rho = base_arena_allocate(arena, "semismooth", count, sizeof *m->rho);
    m->equation = base_arena_array(arena, con_equation, "semismooth", n);
    m->A = base_arena_allocate(arena, "semismooth", count, sizeof *m->A);
    m->B = base_arena_allocate(arena, "semismooth", count, sizeof *m->B);
    m->inverse = base_arena_allocate(arena, "semismooth", count, sizeof *m->inverse);
    bool complete =
        m->rho != NULL && m->equation != NULL && m->A != NULL && m->B != NULL && m->inverse != NULL;
    double(**const vectors[])[3] = {&m->r,  &m->u,   &m->centre, &m->dr,
                                    &m->du, &m->rhs, &m->known,  &m->W_known};
    for (int k = 0; k < 8; k++) {
        *vectors[k] = base_arena_allocate(arena, "semismooth", count, sizeof(double[3]));
        complete = complete && *vectors[k] != NULL;
    }
    return complete;
}

static void choose_rho(con_semismooth *m, const con_problem *problem)
{
    for (int i = 0; i < m->newton->contact_count; i++) {
        const mat3 *W = &problem->W_diagonal[m->newton->contact[i]];
        double w = mat3_trace(W) / 3.0, norm = 0.0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                norm += W->m[a][b] * W->m[a][b];
        double mean = 0.5 * (W->m[1][1] + W->m[2][2]), half = 0.5 * (W->m[1][1] - W->m[2][2]);
        double off = 0.5 * (W->m[1][2] + W->m[2][1]);
        double tangent = mean + sqrt(half * half + off * off);
        bool split = m->settings.rho_rule == CON_RHO_SPLIT;
        m->rho[i][0] = w / (split ? W->m[0][0] : sqrt(norm));
        m->rho[i][1] = w / (split && tangent > 0.0 ? tangent : sqrt(norm));
    }
}

cairn_status con_semismooth_create(con_newton *newton, const con_problem *problem,
                                   con_equation_map *map, const con_semismooth_settings *settings,
                                   base_arena *arena, con_semismooth *m)
{
    *m = (con_semismooth){.newton = newton, .map = map, .settings = *settings};
    if (!allocate(m, arena))
        return CAIRN_ERROR_MEMORY;
    choose_rho(m, problem);
    return CAIRN_OK;
}

// equation of one contact at r + t dr, u + t du
static void evaluate_contact(const con_semismooth *m, int i, double t, con_equation *out)
{
    double r[3], u[3];
    for (int k = 0; k < 3; k++) {
        r[k] = m->r[i][k] + t * m->dr[i][k];
        u[k] = m->u[i][k] + t * m->du[i][k] + m->alpha * (r[k] - m->centre[i][k]);
    }
    m->map(m->newton->mu[i], m->rho[i], u, r, out);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            out->A[a][b] += m->alpha * out->B[a][b];
}

/// |F|^2 / 2 along the step, chunk by chunk.
typedef struct searching {
    const con_semismooth *m;
    double t;
    double slope[CON_CHUNKS_MAX], merit[CON_CHUNKS_MAX];
} searching;

static void merit_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)worker;
    searching *s = context;
    const con_semismooth *m = s->m;
    double merit = 0.0, slope = 0.0;
    for (int i = begin; i < end; i++) {
        con_equation e;
        evaluate_contact(m, i, s->t, &e);
        for (int a = 0; a < 3; a++) {
            double change = 0.0;
            for (int b = 0; b < 3; b++)
                change += e.A[a][b] * m->dr[i][b] + e.B[a][b] * m->du[i][b];
            merit += 0.5 * e.F[a] * e.F[a];
            slope += e.F[a] * change;
        }
    }
    s->merit[chunk] = merit;
    s->slope[chunk] = slope;
}

// |F|^2 / 2 at a step, and its slope there
static double merit_at(const con_semismooth *m, double t, double *slope)
{
    searching s = {.m = m, .t = t};
    double merit = 0.0;
    *slope = 0.0;
    con_newton_each(m->newton, merit_chunk, &s);
    for (int k = 0; k < con_newton_chunks(m->newton); k++) {
        merit += s.merit[k];
        *slope += s.slope[k];
    }
    return merit;
}

// u and equation of each contact at r; its part of the merit
static double evaluate_at(void *context, int begin, int end)
{
    con_semismooth *m = context;
    double merit = 0.0;
    for (int i = begin; i < end; i++) {
        for (int k = 0; k < 3; k++) {
            m->u[i][k] = m->newton->scratch[0][i][k];
            m->dr[i][k] = m->du[i][k] = 0.0;
        }
        evaluate_contact(m, i, 0.0, &m->equation[i]);
        for (int k = 0; k < 3; k++)
            merit += 0.5 * m->equation[i].F[k] * m->equation[i].F[k];
    }
    return merit;
}

/// Squares of a point, chunk by chunk.
typedef struct sizing {
    const con_semismooth *m;
    double r2[CON_CHUNKS_MAX], u2[CON_CHUNKS_MAX], q2[CON_CHUNKS_MAX];
} sizing;

static void size_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)worker;
    sizing *s = context;
    const con_semismooth *m = s->m;
    double r2 = 0.0, u2 = 0.0, q2 = 0.0;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            r2 += m->r[i][k] * m->r[i][k];
            u2 += m->u[i][k] * m->u[i][k];
            q2 += m->newton->q[i][k] * m->newton->q[i][k];
        }
    s->r2[chunk] = r2;
    s->u2[chunk] = u2;
    s->q2[chunk] = q2;
}

double con_semismooth_error(const con_semismooth *m)
{
    sizing s = {.m = m};
    double r2 = 0.0, u2 = 0.0, q2 = 0.0;
    con_newton_each(m->newton, size_chunk, &s);
    for (int k = 0; k < con_newton_chunks(m->newton); k++) {
        r2 += s.r2[k];
        u2 += s.u2[k];
        q2 += s.q2[k];
    }
    double scale = fmax(q2, fmax(r2, u2));
    return sqrt(2.0 * m->merit / (scale > 0.0 ? scale : 1.0));
}

static bool invert(const double a[3][3], double out[3][3])
{
    mat3 m;
    memcpy(m.m, a, sizeof m.m);
    double determinant = mat3_determinant(&m);
    mat3 inverse = mat3_inverse(&m);
    memcpy(out, inverse.m, sizeof inverse.m);
    return fabs(determinant) > 1e-300;
}

static bool is_zero(const double a[3][3])
{
    double largest = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            largest = fmax(largest, fabs(a[i][j]));
    return largest == 0.0;
}

// (A + damping) dr + B W dr = -F of one contact, divided by A + damping; what is known of contacts
// with B = 0. False where A is singular
static bool prepare_contact(con_semismooth *m, int i)
{
    const con_equation *e = &m->equation[i];
    double A[3][3];
    memcpy(A, e->A, sizeof A);
    for (int k = 0; k < 3; k++)
        A[k][k] += m->damping;
    bool sound = invert((const double(*)[3])A, m->inverse[i]), open = is_zero(e->B);
    memset(m->B[i], 0, sizeof m->B[i]);
    for (int a = 0; a < 3; a++) {
        m->B[i][a][a] = open ? 0.0 : 1.0;
        m->rhs[i][a] = 0.0;
        for (int b = 0; b < 3; b++) {
            m->rhs[i][a] -= m->inverse[i][a][b] * e->F[b];
            m->A[i][a][b] = 0.0;
            for (int c = 0; c < 3; c++)
                m->A[i][a][b] += m->inverse[i][a][c] * e->B[c][b];
        }
        m->known[i][a] = open ? m->rhs[i][a] : 0.0;
    }
    return sound;
}

// how many contacts are singular
static double prepare_step(void *context, int begin, int end)
{
    double singular = 0.0;
    for (int i = begin; i < end; i++)
        singular += prepare_contact(context, i) ? 0.0 : 1.0;
    return singular;
}

// moves W of the known changes to the right side
static void subtract_known(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    con_semismooth *m = context;
    for (int i = begin; i < end; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                m->rhs[i][a] -= m->A[i][a][b] * m->W_known[i][b];
}

// adds what is known; zero unless the step is not finite
static double complete_step(void *context, int begin, int end)
{
    con_semismooth *m = context;
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            m->du[i][k] += m->W_known[i][k];
            sum += 0.0 * (m->dr[i][k] + m->du[i][k]);
        }
    return sum;
}

static cairn_status newton_step(con_semismooth *m)
{
    if (con_newton_sum(m->newton, prepare_step, m) > 0.0)
        return CAIRN_ERROR_NUMERICAL;
    con_newton_velocity(m->newton, (const double(*)[3])m->known, false, m->W_known);
    con_newton_each(m->newton, subtract_known, m);
    const double(*A)[3][3] = (const double(*)[3][3])m->A, (*B)[3][3] = (const double(*)[3][3])m->B;
    BASE_TRY(con_newton_factor(m->newton, A, B));
    con_newton_solve(m->newton, A, B, (const double(*)[3])m->rhs, m->dr, m->du);
    return con_newton_sum(m->newton, complete_step, m) == 0.0 ? CAIRN_OK : CAIRN_ERROR_NUMERICAL;
}

// Goldstein and Price: between two lines of slope m1 and m2; Armijo: below the first
static double search(const con_semismooth *m, bool *reduced)
{
    double slope, unused, before = merit_at(m, 0.0, &slope);
    double low = 0.0, high = INFINITY, t = 1.0;
    bool both = m->settings.line_search == CON_LINE_SEARCH_GOLDSTEIN_PRICE;
    for (int k = 0; k < SEARCH_LIMIT; k++) {
        double merit = merit_at(m, t, &unused);
        bool steep = merit <= before + 1e-4 * t * slope;
        if (steep && (!both || t >= 1.0 || merit >= before + 0.9 * t * slope))
            break;
        if (steep)
            low = t;
        else
            high = t;
        if (isfinite(high) && high - low < 1e-3 * high && low > 0.0)
            break;
        t = isfinite(high) ? 0.5 * (low + high) : 2.0 * t;
    }
    *reduced = merit_at(m, t, &unused) < before;
    return t;
}

static void move(con_semismooth *m, double t)
{
    for (int i = 0; i < m->newton->contact_count; i++)
        for (int k = 0; k < 3; k++)
            m->r[i][k] += t * m->dr[i][k];
}

// u of the point, its error in the sense of the island, and its equation; false when done or broken
static bool look(con_semismooth *m)
{
    double error = con_newton_error(m->newton, (const double(*)[3])m->r);
    m->merit = con_newton_sum(m->newton, evaluate_at, m);
    return isfinite(error) && isfinite(m->merit) && !con_newton_solved(m->newton);
}

cairn_status con_semismooth_run(con_semismooth *m, double tolerance, int *steps)
{
    int limit = *steps, since = 0;
    double least = INFINITY, boost = 1.0;
    for (*steps = 0;; ++*steps) {
        bool go_on = look(m);
        double error = con_semismooth_error(m);
        since = error < 0.99 * least ? 0 : since + 1;
        least = fmin(least, error);
        if (!go_on || error <= tolerance || *steps >= limit || since >= STALL_STEPS ||
            con_newton_late(m->newton))
            return CAIRN_OK;
        m->damping = 1e-12 + m->settings.regularisation * boost * fmin(error, 1.0);
        cairn_status status = newton_step(m);
        if (status != CAIRN_OK)
            return status == CAIRN_ERROR_MEMORY ? status : CAIRN_OK;
        double t = 1.0;
        bool reduced = true;
        if (m->settings.line_search != CON_LINE_SEARCH_NONE)
            t = search(m, &reduced);
        // a step that hardly moves asks for more damping
        boost = reduced && t > 0.3 ? fmax(0.3 * boost, 1e-6) : fmin(10.0 * boost, 1e6);
        move(m, t);
    }
}
