// SPDX-License-Identifier: Apache-2.0
// Primal-dual interior point with Nesterov-Todd scaling for the program of the existence test.
//
// Where some bodies can fly off freely the dual point has no interior and y no bound; a pull of y
// towards zero that fades with the path parameter keeps both: B^T d = shift y.
//
// Per contact x = (s_N, mu s_T) and z = (d_N, d_T / mu) lie in the plain second-order cone, and
// x.z = s.d. The primal point is feasible from the start (a low enough), the dual one is not.
#include "contact/existence/program.h"

#include "base/elementary.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS_MAX = 100 };
static const double gap_tolerance = 1e-10;
static const double cap_reached = 0.99;
static const double step_share = 0.99; // of the way to the boundary
static const double pull = 1e-3;       // shift / path parameter, in units of B

// scaling of one cone: W z = W^-1 x
typedef struct scaling {
    double eta;
    double w[3]; // w_0^2 - |w_T|^2 = 1
} scaling;

typedef struct state {
    con_program *program;
    int n, columns;
    double (*x)[3], (*z)[3]; // [n] in the cones
    double slack, t;         // 1 - a and its multiplier
    scaling *scale;          // [n]
    double (*lambda)[3];     // [n] W z
    double (*F)[3][3];       // [n] W^-1 T_x
    double (*rc)[3];         // [n] right sides of complementarity
    double (*dx)[3], (*dz)[3];
    double (*affine_x)[3], (*affine_z)[3];  // [n] W^-1 dx and W dz of the predictor
    double (*work)[3];                      // [n]
    double *dy, *border, *gradient, *right; // [columns]
    double da, dslack, dt;
    double shift;          // of this iteration: B^T d = shift y instead of 0
    double (*velocity)[3]; // [n] B dy or B y
} state;

// ---------------------------------------------------------------- one cone

// x.x in the cone's metric, without cancellation
static double metric(const double x[3])
{
    double length = base_hypot(x[1], x[2]);
    return (x[0] - length) * (x[0] + length);
}

// out = W v, or W^-1 v; may alias
static void apply_scaling(const scaling *scale, bool inverse, const double v[3], double out[3])
{
    double sign = inverse ? -1.0 : 1.0, factor = inverse ? 1.0 / scale->eta : scale->eta;
    const double *w = scale->w;
    double along = w[1] * v[1] + w[2] * v[2], head = v[0];
    double share = along / (1.0 + w[0]) + sign * head;
    double tail[2] = {v[1] + share * w[1], v[2] + share * w[2]};
    out[0] = factor * (w[0] * head + sign * along);
    out[1] = factor * tail[0];
    out[2] = factor * tail[1];
}

static void jordan_product(const double a[3], const double b[3], double out[3])
{
    double head = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double one = a[0] * b[1] + b[0] * a[1], two = a[0] * b[2] + b[0] * a[2];
    out[0] = head;
    out[1] = one;
    out[2] = two;
}

// out with lambda o out = r
static void jordan_divide(const double lambda[3], const double r[3], double out[3])
{
    double along = lambda[1] * r[1] + lambda[2] * r[2];
    double head = (lambda[0] * r[0] - along) / metric(lambda);
    out[1] = (r[1] - head * lambda[1]) / lambda[0];
    out[2] = (r[2] - head * lambda[2]) / lambda[0];
    out[0] = head;
}

// longest step that keeps x + step d in the cone
static double cone_step(const double x[3], const double d[3])
{
    double a = metric(d), c = metric(x);
    double b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    double step = d[0] < 0.0 ? -x[0] / d[0] : INFINITY;
    double root = b * b - a * c;
    if (a >= 0.0 && (b >= 0.0 || root < 0.0))
        return step;
    // smallest positive root of a t^2 + 2 b t + c
    double t = a < 0.0 && b > 0.0 ? -(b + sqrt(root)) / a : c / (-b + sqrt(fmax(root, 0.0)));
    return t > 0.0 ? fmin(step, t) : 0.0;
}

// ---------------------------------------------------------------- state

static bool allocate(state *s, base_arena *arena)
{
    size_t n = (size_t)s->n, columns = (size_t)s->columns + 1;
    double(**triples[])[3] = {&s->x,  &s->z,        &s->lambda,   &s->rc,   &s->dx,
                              &s->dz, &s->affine_x, &s->affine_z, &s->work, &s->velocity};
    bool complete = true;
    for (size_t k = 0; k < sizeof triples / sizeof *triples; k++) {
        *triples[k] = base_arena_allocate(arena, "program", n, sizeof **triples[k]);
        complete = complete && *triples[k] != NULL;
    }
    s->scale = base_arena_array(arena, scaling, "scaling", n);
    s->F = base_arena_allocate(arena, "scaled rows", n, sizeof *s->F);
    s->dy = base_arena_array(arena, double, "dy", columns);
    s->border = base_arena_array(arena, double, "border", columns);
    s->gradient = base_arena_array(arena, double, "gradient", columns);
    s->right = base_arena_array(arena, double, "right side", columns);
    return complete && s->right != NULL && s->scale != NULL && s->F != NULL && s->dy != NULL &&
           s->border != NULL && s->gradient != NULL;
}

// x of y and a
static void update_x(state *s)
{
    const con_program *p = s->program;
    con_range_apply(p->range, p->y, s->velocity);
    for (int i = 0; i < s->n; i++) {
        s->x[i][0] = p->q[i][0] + s->velocity[i][0] - p->a;
        s->x[i][1] = p->mu[i] * (p->q[i][1] + s->velocity[i][1]);
        s->x[i][2] = p->mu[i] * (p->q[i][2] + s->velocity[i][2]);
    }
    s->slack = 1.0 - p->a;
}

// y = 0, a low enough, and the dual point on the same ray of the path
static void start(state *s)
{
    con_program *p = s->program;
    memset(p->y, 0, (size_t)s->columns * sizeof *p->y);
    p->a = 0.0;
    for (int i = 0; i < s->n; i++)
        p->a = fmin(p->a, p->q[i][0] - p->mu[i] * base_hypot(p->q[i][1], p->q[i][2]));
    p->a -= 1.0;
    update_x(s);
    double sum = 1.0 / s->slack;
    for (int i = 0; i < s->n; i++)
        sum += s->x[i][0] / metric(s->x[i]);
    for (int i = 0; i < s->n; i++) {
        double factor = 1.0 / (sum * metric(s->x[i]));
        s->z[i][0] = factor * s->x[i][0];
        s->z[i][1] = -factor * s->x[i][1];
        s->z[i][2] = -factor * s->x[i][2];
    }
    s->t = 1.0 / (sum * s->slack);
}

static double complementarity(const state *s)
{
    double sum = s->slack * s->t;
    for (int i = 0; i < s->n; i++)
        sum += s->x[i][0] * s->z[i][0] + s->x[i][1] * s->z[i][1] + s->x[i][2] * s->z[i][2];
    return sum;
}

static void refresh_scaling(state *s)
{
    const double *mu = s->program->mu;
    for (int i = 0; i < s->n; i++) {
        const double *x = s->x[i];
        const double *z = s->z[i];
        scaling *scale = &s->scale[i];
        double size_x = sqrt(fmax(metric(x), 1e-300)), size_z = sqrt(fmax(metric(z), 1e-300));
        double dot = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (size_x * size_z);
        double gamma = sqrt(fmax(0.5 * (1.0 + dot), 1.0));
        for (int k = 0; k < 3; k++)
            scale->w[k] = (x[k] / size_x + (k == 0 ? 1.0 : -1.0) * z[k] / size_z) / (2.0 * gamma);
        // back on the hyperboloid after round-off
        scale->w[0] = sqrt(1.0 + scale->w[1] * scale->w[1] + scale->w[2] * scale->w[2]);
        scale->eta = sqrt(size_x / size_z);

        apply_scaling(&s->scale[i], false, s->z[i], s->lambda[i]);
        for (int k = 0; k < 3; k++) {
            double unit[3] = {0.0, 0.0, 0.0};
            unit[k] = k == 0 ? 1.0 : mu[i];
            apply_scaling(&s->scale[i], true, unit, unit);
            for (int r = 0; r < 3; r++)
                s->F[i][r][k] = unit[r];
        }
    }
}

// work = F^T (F a): the Hessian of a velocity
static void apply_hessian(const state *s, const double (*a)[3], double (*out)[3])
{
    for (int i = 0; i < s->n; i++) {
        double f[3];
        for (int r = 0; r < 3; r++)
            f[r] = s->F[i][r][0] * a[i][0] + s->F[i][r][1] * a[i][1] + s->F[i][r][2] * a[i][2];
        for (int k = 0; k < 3; k++)
            out[i][k] = s->F[i][0][k] * f[0] + s->F[i][1][k] * f[1] + s->F[i][2][k] * f[2];
    }
}

// d = T_x z
static void update_d(const state *s)
{
    const con_program *p = s->program;
    for (int i = 0; i < s->n; i++) {
        p->d[i][0] = s->z[i][0];
        p->d[i][1] = p->mu[i] * s->z[i][1];
        p->d[i][2] = p->mu[i] * s->z[i][2];
    }
}

// ---------------------------------------------------------------- directions

// x = (B^T D B + shift I)^-1 x, refined once; overwrites velocity and work
static void solve_normal(state *s, double *x)
{
    con_range *range = s->program->range;
    memcpy(s->right, x, (size_t)s->columns * sizeof *x);
    con_range_solve(range, x);
    con_range_apply(range, x, s->velocity);
    apply_hessian(s, (const double(*)[3])s->velocity, s->work);
    con_range_apply_transposed(range, (const double(*)[3])s->work, s->gradient);
    for (int k = 0; k < s->columns; k++)
        s->gradient[k] = s->right[k] - s->gradient[k] - s->shift * x[k];
    con_range_solve(range, s->gradient);
    for (int k = 0; k < s->columns; k++)
        x[k] += s->gradient[k];
}

// D e_N
static void hessian_of_normals(state *s)
{
    for (int i = 0; i < s->n; i++) {
        s->velocity[i][0] = 1.0;
        s->velocity[i][1] = s->velocity[i][2] = 0.0;
    }
    apply_hessian(s, (const double(*)[3])s->velocity, s->work);
}

// border = (B^T D B)^-1 B^T D e_N; returns the pivot of a
static double solve_border(state *s)
{
    con_range *range = s->program->range;
    hessian_of_normals(s);
    con_range_apply_transposed(range, (const double(*)[3])s->work, s->border);
    solve_normal(s, s->border);
    hessian_of_normals(s);
    con_range_apply(range, s->border, s->velocity);
    double pivot = s->t / s->slack;
    for (int i = 0; i < s->n; i++)
        pivot += (s->work[i][0]) -
                 (s->work[i][0] * s->velocity[i][0] + s->work[i][1] * s->velocity[i][1] +
                  s->work[i][2] * s->velocity[i][2]);
    return fmax(pivot, 1e-300);
}

// dx of dy and da
static void direction_x(state *s)
{
    const con_program *p = s->program;
    con_range_apply(p->range, s->dy, s->velocity);
    for (int i = 0; i < s->n; i++) {
        s->dx[i][0] = s->velocity[i][0] - s->da;
        s->dx[i][1] = p->mu[i] * s->velocity[i][1];
        s->dx[i][2] = p->mu[i] * s->velocity[i][2];
    }
    s->dslack = -s->da;
}

/// Newton direction for the complementarity right sides rc (cones) and rt (slack).
static void solve_direction(state *s, double pivot, double rt)
{
    con_program *p = s->program;
    double rest = 1.0 - s->t; // of sum d_N + t = 1
    for (int i = 0; i < s->n; i++)
        rest -= s->z[i][0];
    // T_x W^-1 (lambda \ rc) - the current d on the right gives the residual of B^T d with it
    double sum = 0.0;
    for (int i = 0; i < s->n; i++) {
        double q[3];
        jordan_divide(s->lambda[i], s->rc[i], q);
        apply_scaling(&s->scale[i], true, q, s->dz[i]);
        sum += s->dz[i][0];
        s->work[i][0] = s->dz[i][0] + s->z[i][0];
        s->work[i][1] = p->mu[i] * (s->dz[i][1] + s->z[i][1]);
        s->work[i][2] = p->mu[i] * (s->dz[i][2] + s->z[i][2]);
    }
    con_range_apply_transposed(p->range, (const double(*)[3])s->work, s->dy);
    for (int k = 0; k < s->columns; k++)
        s->dy[k] -= s->shift * p->y[k];
    solve_normal(s, s->dy);
    // row of a, with dy = dy0 + border da
    con_range_apply(p->range, s->dy, s->velocity);
    apply_hessian(s, (const double(*)[3])s->velocity, s->work);
    double right = rest - sum - rt / s->slack;
    for (int i = 0; i < s->n; i++)
        right += s->work[i][0];
    s->da = right / pivot;
    for (int k = 0; k < s->columns; k++)
        s->dy[k] += s->da * s->border[k];
    direction_x(s);
    for (int i = 0; i < s->n; i++) {
        double q[3];
        apply_scaling(&s->scale[i], true, s->dx[i], q);
        apply_scaling(&s->scale[i], true, q, q);
        for (int k = 0; k < 3; k++)
            s->dz[i][k] -= q[k];
    }
    s->dt = (rt - s->t * s->dslack) / s->slack;
}

static double longest_step(const state *s)
{
    double step = 1e30;
    for (int i = 0; i < s->n; i++)
        step = fmin(step, fmin(cone_step(s->x[i], s->dx[i]), cone_step(s->z[i], s->dz[i])));
    if (s->dslack < 0.0)
        step = fmin(step, -s->slack / s->dslack);
    if (s->dt < 0.0)
        step = fmin(step, -s->t / s->dt);
    return step;
}

static double affine_share(const state *s, double step, double gap)
{
    double sum = (s->slack + step * s->dslack) * (s->t + step * s->dt);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 3; k++)
            sum += (s->x[i][k] + step * s->dx[i][k]) * (s->z[i][k] + step * s->dz[i][k]);
    return fmax(sum, 0.0) / gap;
}

static void predict(state *s, double pivot)
{
    for (int i = 0; i < s->n; i++) {
        jordan_product(s->lambda[i], s->lambda[i], s->rc[i]);
        for (int k = 0; k < 3; k++)
            s->rc[i][k] = -s->rc[i][k];
    }
    solve_direction(s, pivot, -s->slack * s->t);
}

static void correct(state *s, double pivot, double target)
{
    for (int i = 0; i < s->n; i++) {
        apply_scaling(&s->scale[i], true, s->dx[i], s->affine_x[i]);
        apply_scaling(&s->scale[i], false, s->dz[i], s->affine_z[i]);
        double product[3];
        jordan_product(s->affine_x[i], s->affine_z[i], product);
        for (int k = 0; k < 3; k++)
            s->rc[i][k] -= product[k];
        s->rc[i][0] += target;
    }
    solve_direction(s, pivot, target - s->slack * s->t - s->dslack * s->dt);
}

// ---------------------------------------------------------------- iteration

static void advance(state *s, double step)
{
    con_program *p = s->program;
    for (int k = 0; k < s->columns; k++)
        p->y[k] += step * s->dy[k];
    p->a += step * s->da;
    s->t += step * s->dt;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 3; k++)
            s->z[i][k] += step * s->dz[i][k];
    update_x(s);
}

static bool measure(state *s)
{
    con_program *p = s->program;
    update_d(s);
    con_range_apply_transposed(p->range, (const double(*)[3])p->d, s->gradient);
    p->dual_residual = 0.0;
    for (int k = 0; k < s->columns; k++)
        p->dual_residual = fmax(p->dual_residual, fabs(s->gradient[k]));
    p->bound = s->t;
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < 3; k++)
            p->bound += p->q[i][k] * p->d[i][k];
    p->converged =
        p->a >= cap_reached || (complementarity(s) <= gap_tolerance &&
                                p->dual_residual <= gap_tolerance * sqrt(p->range->unit));
    return p->converged;
}

static bool in_cones(const state *s)
{
    bool inside = s->slack > 0.0 && s->t > 0.0;
    for (int i = 0; i < s->n && inside; i++)
        inside =
            s->x[i][0] > 0.0 && metric(s->x[i]) > 0.0 && s->z[i][0] > 0.0 && metric(s->z[i]) > 0.0;
    return inside;
}

/// @return false when no more progress is to be had
static bool iterate(state *s)
{
    con_program *p = s->program;
    double gap = complementarity(s), tau = gap / (s->n + 1);
    refresh_scaling(s);
    s->shift = pull * tau * p->range->unit;
    if (con_range_factor(p->range, (const double(*)[3][3])s->F, s->shift) != CAIRN_OK)
        return false;
    double pivot = solve_border(s);
    predict(s, pivot);
    double share = affine_share(s, fmin(1.0, longest_step(s)), gap);
    correct(s, pivot, fmin(1.0, share * share * share) * tau);
    double step = fmin(1.0, step_share * longest_step(s));
    if (!(step > 1e-7))
        return false;
    advance(s, step);
    p->iterations++;
    return in_cones(s);
}

cairn_status con_program_solve(con_program *program, base_arena *arena)
{
    state s = {
        .program = program, .n = program->range->rows / 3, .columns = program->range->columns};
    base_arena_mark mark = base_arena_get_mark(arena);
    cairn_status status = allocate(&s, arena) ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    program->iterations = 0;
    if (status == CAIRN_OK) {
        start(&s);
        while (!measure(&s) && program->iterations < ITERATIONS_MAX && iterate(&s))
            continue;
    }
    base_arena_rewind(arena, mark);
    return status;
}
