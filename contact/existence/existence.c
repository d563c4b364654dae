// SPDX-License-Identifier: Apache-2.0
// Existence of a solution: the cone program, and what its point and its dual direction prove.
#include "contact/existence/existence.h"

#include "base/elementary.h"

#include "contact/existence/program.h"
#include "contact/problem/reduced.h"

#include <math.h>
#include <string.h>

static const double borderline = 1e-7;         // margins and products within it are zero
static const double residual_allowed = 1e-8;   // of a certificate
static const double violation_allowed = 1e-12; // of its cone

const char *con_existence_name(con_existence_verdict verdict)
{
    switch (verdict) {
    case CON_EXISTENCE_SHOWN:
        return "exists";
    case CON_EXISTENCE_BORDERLINE:
        return "borderline";
    case CON_EXISTENCE_NOT_SHOWN:
        return "not_shown";
    case CON_EXISTENCE_NONE:
        return "none";
    }
    return "unknown";
}

typedef struct workspace {
    const con_problem *problem;
    con_range range;
    double (*q)[3]; // [n] divided by the scale
    double *zero;   // [n] no friction
    double (*U)[3]; // [n]
    double (*d)[3]; // [n]
    double *y;      // [columns]
    base_arena *arena;
} workspace;

static double norm(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// distance of velocities to the boundary of the dual cones, along the normals
static double margin_of(const double (*U)[3], const double *mu, int n)
{
    double margin = INFINITY;
    for (int i = 0; i < n; i++)
        margin = fmin(margin, U[i][0] - mu[i] * base_hypot(U[i][1], U[i][2]));
    return margin;
}

static cairn_status prepare(workspace *w)
{
    const con_problem *problem = w->problem;
    size_t n = (size_t)problem->contact_count;
    BASE_TRY(con_range_create(problem, w->arena, &w->range));
    w->q = base_arena_allocate(w->arena, "q", n, sizeof *w->q);
    w->U = base_arena_allocate(w->arena, "U", n, sizeof *w->U);
    w->d = base_arena_allocate(w->arena, "d", n, sizeof *w->d);
    w->zero = base_arena_array(w->arena, double, "no friction", n);
    w->y = base_arena_array(w->arena, double, "y", (size_t)w->range.columns + 1);
    if (w->q == NULL || w->U == NULL || w->d == NULL || w->zero == NULL || w->y == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(w->zero, 0, n * sizeof *w->zero);
    return CAIRN_OK;
}

/// Brings d to sum d_N = 1 and recomputes what it has to satisfy. @return true when it refutes
static bool verify_direction(workspace *w, const double *mu, con_existence *out,
                             cairn_status *status)
{
    double sum = 0.0, product = 0.0, violation = 0.0;
    int n = w->problem->contact_count;
    for (int i = 0; i < n; i++)
        sum += w->d[i][0];
    if (!(sum > 0.0))
        return false;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            w->d[i][k] /= sum;
            product += w->d[i][k] * w->q[i][k];
        }
        violation = fmax(violation, base_hypot(w->d[i][1], w->d[i][2]) - mu[i] * w->d[i][0]);
    }
    double residual = INFINITY;
    *status = con_range_residual(&w->range, (const double(*)[3])w->d, &residual, w->arena);
    if (*status != CAIRN_OK || !(product < -borderline) || !(residual <= residual_allowed) ||
        !(violation <= violation_allowed))
        return false;
    out->certificate_product = product;
    out->certificate_residual = residual;
    return true;
}

/// One program with the given friction; *refuted when its direction holds.
static cairn_status decide(workspace *w, const double *mu, con_existence *out, bool *refuted)
{
    con_program program = {
        .range = &w->range, .q = (const double(*)[3])w->q, .mu = mu, .y = w->y, .d = w->d};
    *refuted = false;
    cairn_status status = con_program_solve(&program, w->arena);
    if (status != CAIRN_OK)
        return status;
    out->iterations += program.iterations;

    // recomputes the margin of the velocity found with the problem's operators
    for (int k = 0; k < w->range.columns; k++)
        w->y[k] *= out->scale;
    status = con_range_velocity(&w->range, w->y, w->U, w->arena);
    if (status == CAIRN_OK)
        out->margin = fmin(1.0, margin_of((const double(*)[3])w->U, mu, w->problem->contact_count) /
                                    out->scale);
    // where the program stopped early its bound may lie below a velocity that was found
    out->margin_bound = program.bound >= out->margin ? program.bound : 1.0;
    if (status == CAIRN_OK && out->margin <= borderline)
        *refuted = verify_direction(w, mu, out, &status);
    return status;
}

static cairn_status check(workspace *w, con_existence *out, double (*direction)[3])
{
    bool refuted = false, impossible = false;
    BASE_TRY(prepare(w));
    out->rank = w->problem->H != NULL || w->range.is_sparse ? -1 : w->range.columns;
    const con_problem *problem = w->problem;
    out->scale = 0.0;
    for (int i = 0; i < problem->contact_count; i++)
        out->scale = fmax(out->scale, norm(problem->q[i]));
    double unit = out->scale > 0.0 ? out->scale : 1.0;
    out->scale = unit;
    for (int i = 0; i < problem->contact_count; i++)
        for (int k = 0; k < 3; k++)
            w->q[i][k] = problem->q[i][k] / unit;
    // without impulses U = q, and U + mu |U_T| e_N is in K* where U_N >= 0
    out->zero_solves = true;
    for (int i = 0; i < problem->contact_count; i++)
        out->zero_solves = out->zero_solves && problem->q[i][0] >= 0.0;
    BASE_TRY(decide(w, w->problem->friction, out, &refuted));
    if (out->margin > borderline || out->zero_solves)
        return CAIRN_OK;
    out->verdict = refuted ? CON_EXISTENCE_NOT_SHOWN : CON_EXISTENCE_BORDERLINE;
    if (refuted && direction != NULL)
        memcpy(direction, w->d, (size_t)w->problem->contact_count * sizeof *direction);
    if (!refuted)
        return CAIRN_OK;
    // without friction: can the gaps be kept at all?
    con_existence frictionless = *out;
    cairn_status status = decide(w, w->zero, &frictionless, &impossible);
    out->iterations = frictionless.iterations;
    if (status != CAIRN_OK || !impossible)
        return status;
    *out = frictionless;
    out->verdict = CON_EXISTENCE_NONE;
    if (direction != NULL)
        memcpy(direction, w->d, (size_t)w->problem->contact_count * sizeof *direction);
    return CAIRN_OK;
}

// the forces of a problem in body form with rolling friction: bodies are as free without moments
static cairn_status take_forces(const con_problem *problem, base_arena *arena, con_problem *forces)
{
    size_t n = (size_t)problem->contact_count;
    double(*q)[3] = base_arena_allocate(arena, "forces", n, sizeof *q);
    double(*w)[3] = base_arena_allocate(arena, "forces", n, sizeof *w);
    double *friction = base_arena_array(arena, double, "forces", n);
    mat3 *diagonal = base_arena_array(arena, mat3, "forces", n);
    int(*body)[2] = base_arena_allocate(arena, "forces", n, sizeof *body);
    double(*H)[2][3][6] = base_arena_allocate(arena, "forces", n, sizeof *H);
    double(*yields)[3] = base_arena_allocate(arena, "forces", n, sizeof *yields);
    if (q == NULL || w == NULL || friction == NULL || diagonal == NULL || body == NULL ||
        H == NULL || yields == NULL)
        return CAIRN_ERROR_MEMORY;
    int count = 0;
    for (int i = 0; i < problem->contact_count; i++) {
        if (con_is_moment(problem, i))
            continue;
        memcpy(q[count], problem->q[i], sizeof *q);
        memcpy(w[count], problem->w[i], sizeof *w);
        memcpy(body[count], problem->body[i], sizeof *body);
        memcpy(H[count], problem->H[i], sizeof *H);
        if (problem->compliance != NULL)
            memcpy(yields[count], problem->compliance[i], sizeof *yields);
        friction[count] = problem->friction[i];
        diagonal[count++] = problem->W_diagonal[i];
    }
    *forces = *problem;
    forces->contact_count = count;
    forces->spinning = NULL;
    forces->domains = NULL;
    forces->W = NULL;
    forces->q = (const double(*)[3])q;
    forces->w = (const double(*)[3])w;
    forces->friction = friction;
    forces->W_diagonal = diagonal;
    forces->body = (const int(*)[2])body;
    forces->H = (const double(*)[2][3][6])H;
    forces->compliance = problem->compliance != NULL ? (const double(*)[3])yields : NULL;
    return CAIRN_OK;
}

// rolling friction: the gaps alone can be refuted. Whether a velocity lies inside the dual of the
// rolling cones is not asked
static cairn_status check_rolling(const con_problem *problem, con_existence *existence,
                                  base_arena *arena)
{
    bool zero = true;
    for (int i = 0; i < problem->contact_count; i++)
        zero = zero && (con_is_moment(problem, i) || problem->q[i][0] >= 0.0);
    existence->verdict = CON_EXISTENCE_NOT_SHOWN;
    if (problem->H != NULL && problem->rates == NULL) {
        con_problem forces;
        BASE_TRY(take_forces(problem, arena, &forces));
        BASE_TRY(con_existence_check(&forces, existence, NULL, arena));
        if (existence->verdict != CON_EXISTENCE_NONE)
            existence->verdict = CON_EXISTENCE_NOT_SHOWN;
    }
    if (zero)
        existence->verdict = CON_EXISTENCE_SHOWN;
    existence->zero_solves = zero;
    if (existence->verdict != CON_EXISTENCE_NONE)
        existence->margin = 0.0;
    return CAIRN_OK;
}

cairn_status con_existence_check(const con_problem *problem, con_existence *existence,
                                 double (*direction)[3], base_arena *arena)
{
    *existence = (con_existence){
        .verdict = CON_EXISTENCE_SHOWN,
        .scale = 1.0,
        .margin = 1.0,
        .margin_bound = 1.0,
        .certificate_product = NAN,
        .certificate_residual = NAN,
        .rank = -1,
    };
    if (problem->contact_count == 0) {
        existence->zero_solves = true;
        return CAIRN_OK;
    }
    if (direction != NULL)
        memset(direction, 0, (size_t)problem->contact_count * sizeof *direction);
    double sum = 0.0;
    for (int i = 0; i < problem->contact_count; i++)
        sum +=
            0.0 * (problem->friction[i] + problem->q[i][0] + problem->q[i][1] + problem->q[i][2]);
    if (sum != 0.0)
        return CAIRN_ERROR_NONFINITE;
    workspace w = {.problem = problem, .arena = arena};
    base_arena_mark mark = base_arena_get_mark(arena);
    con_reduction reduction;
    con_problem rows;
    cairn_status status = CAIRN_OK;
    if (problem->spinning != NULL) {
        status = check_rolling(problem, existence, arena);
        base_arena_rewind(arena, mark);
        return status;
    }
    if (problem->joints != NULL) {
        status = con_reduce_joints(problem, arena, &reduction);
        if (status == CAIRN_OK)
            status = con_reduction_delassus(&reduction, arena, &rows);
        w.problem = &rows;
    }
    if (problem->rates != NULL) {
        status = con_problem_to_delassus(problem, arena, &rows);
        w.problem = &rows;
    }
    if (status == CAIRN_OK)
        status = check(&w, existence, direction);
    base_arena_rewind(arena, mark);
    return status;
}
