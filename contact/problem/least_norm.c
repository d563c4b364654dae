// SPDX-License-Identifier: Apache-2.0
// Of the reactions that give the same velocities, the least: conjugate gradients in the range of W.
#include "contact/problem/least_norm.h"

#include "base/groups.h"

#include "contact/cones/soc.h"
#include "contact/problem/reduced.h"

#include <math.h>
#include <string.h>

enum { ROUNDS_MAX = 6, PRODUCTS_MAX = 100 };

// the velocities are kept to this part of what is changed, and a change below it is none
static const double precision = 1e-12, least_change = 1e-9;
// a contact slips from this many times the tolerance on, relative to the largest speed
static const double slip_factor = 10.0;
// friction that is borne evenly up to this part of it is left as it is
static const double uneven = 1e-3;

typedef struct least_norm {
    con_reduction reduction;
    const double *friction;
    int count;
    int *free;           // [count] components of the reactions that are moved: 3, the normal, none
    double (*offset)[3]; // [count] q of the reduced problem, as the products have it
    double (*r)[3], (*y)[3], (*residual)[3], (*direction)[3], (*product)[3];
    double (*v)[6]; // [body_count] of the bodies without joints
} least_norm;

static cairn_status allocate(least_norm *s, base_arena *arena)
{
    size_t n = (size_t)s->count;
    double(**const vectors[])[3] = {&s->offset,   &s->r,         &s->y,
                                    &s->residual, &s->direction, &s->product};
    s->free = base_arena_array(arena, int, "least norm", n);
    s->v = base_arena_allocate(arena, "least norm", (size_t)s->reduction.jointed->body_count + 1,
                               sizeof *s->v);
    bool complete = s->free != NULL && s->v != NULL;
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        *vectors[k] = base_arena_allocate(arena, "least norm", n, sizeof **vectors[k]);
        complete = complete && *vectors[k] != NULL;
    }
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

// marks the contacts of islands with joints
static cairn_status mark_jointed(least_norm *s, base_arena *arena)
{
    const con_reduction *reduction = &s->reduction;
    int m = reduction->jointed->body_count;
    base_arena_mark mark = base_arena_get_mark(arena);
    int *parent = base_arena_array(arena, int, "least norm", m + 1);
    bool *jointed = base_arena_array(arena, bool, "least norm", m + 1);
    if (parent == NULL || jointed == NULL)
        return CAIRN_ERROR_MEMORY;
    base_groups_init(parent, m + 1);
    memset(jointed, 0, (size_t)(m + 1) * sizeof *jointed);
    for (int i = 0; i < s->count; i++) {
        const int *body = reduction->together[i];
        if (body[0] >= 0 && body[1] >= 0)
            base_groups_join(parent, body[0], body[1]);
    }
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 2; k++)
            if (reduction->together[i][k] != reduction->unjointed[i][k])
                jointed[base_groups_first(parent, reduction->together[i][k])] = true;
    for (int i = 0; i < s->count; i++) {
        const int *body = reduction->together[i];
        int any = body[0] >= 0 ? body[0] : body[1];
        s->free[i] = any >= 0 && jointed[base_groups_first(parent, any)] ? 3 : 0;
    }
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}

// a row of a joint: its speed is none that friction could follow
static bool yields(const con_problem *problem, int i)
{
    const double *E = problem->compliance != NULL ? problem->compliance[i] : NULL;
    return E != NULL && (E[0] != 0.0 || E[1] != 0.0 || E[2] != 0.0);
}

// of them, those that are closed: all of those that stick, and of those that slip `slipping`
// components; one that bears nothing may bear something
static void keep_closed(least_norm *s, double tolerance, int slipping, const double (*R)[3],
                        const double (*U)[3])
{
    double fastest = 0.0;
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            fastest = fmax(fastest, fmax(fabs(s->offset[i][k]), fabs(U[i][k])));
    for (int i = 0; i < s->count; i++) {
        double slip = sqrt(U[i][1] * U[i][1] + U[i][2] * U[i][2]);
        if (!(R[i][0] > 0.0) && fabs(U[i][0]) > slip_factor * tolerance * fastest)
            s->free[i] = 0;
        else if (s->free[i] != 0 && slip > slip_factor * tolerance * fastest)
            s->free[i] = yields(s->reduction.jointed, i) ? 0 : slipping;
    }
}

// how many contacts have this many free components
static int count_free(const least_norm *s, int components)
{
    int count = 0;
    for (int i = 0; i < s->count; i++)
        count += s->free[i] == components;
    return count;
}

// v = M^-1 H^T x of the bodies without joints that free contacts touch
static void push_unjointed(least_norm *s, const double (*x)[3])
{
    const con_problem *problem = s->reduction.jointed;
    for (int i = 0; i < s->count; i++)
        for (int side = 0; side < 2 && s->free[i] != 0; side++)
            if (s->reduction.unjointed[i][side] >= 0)
                memset(s->v[s->reduction.unjointed[i][side]], 0, sizeof *s->v);
    for (int i = 0; i < s->count; i++)
        for (int side = 0; side < 2 && s->free[i] != 0; side++) {
            int body = s->reduction.unjointed[i][side];
            for (int k = 0; k < 6 && body >= 0; k++)
                for (int row = 0; row < 3; row++)
                    s->v[body][k] +=
                        problem->mass_inverse[body][k] * (problem->H[i][side][row][k] * x[i][row]);
        }
}

// out = W x within the free contacts, by (S.22); x is zero elsewhere
static void multiply(least_norm *s, const double (*x)[3], double (*out)[3])
{
    const con_problem *problem = s->reduction.jointed;
    const con_block_matrix *C = s->reduction.C;
    push_unjointed(s, x);
    for (int i = 0; i < s->count; i++) {
        vec3 sum = {0.0, 0.0, 0.0};
        for (int k = C->start[i]; k < C->start[i + 1] && s->free[i] != 0; k++)
            sum = vec3_add(sum, mat3_apply(&C->block[k], vec3_from(x[C->column[k]])));
        vec3_store(out[i], sum);
        for (int side = 0; side < 2 && s->free[i] != 0; side++) {
            int body = s->reduction.unjointed[i][side];
            for (int row = 0; row < 3 && body >= 0; row++)
                for (int k = 0; k < 6; k++)
                    out[i][row] += problem->H[i][side][row][k] * s->v[body][k];
        }
        for (int k = s->free[i]; k < 3; k++)
            out[i][k] = 0.0;
    }
}

static double dot(const least_norm *s, const double (*a)[3], const double (*b)[3])
{
    double sum = 0.0;
    for (int i = 0; i < s->count; i++)
        sum += con_soc_dot(a[i], b[i]);
    return sum;
}

// y = the part of r in the range of W: from zero, conjugate gradients for W y = W r stay there;
// false where they do not get there
static bool find_part(least_norm *s, const double (*R)[3])
{
    size_t size = (size_t)s->count * sizeof *s->y;
    memset(s->y, 0, size);
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++)
            s->r[i][k] = k < s->free[i] ? R[i][k] : 0.0;
    multiply(s, (const double(*)[3])s->r, s->residual);
    memcpy(s->direction, s->residual, size);
    double now = dot(s, (const double(*)[3])s->residual, (const double(*)[3])s->residual);
    double first = now;
    for (int turn = 0; turn < PRODUCTS_MAX && now > precision * precision * first; turn++) {
        multiply(s, (const double(*)[3])s->direction, s->product);
        double bend = dot(s, (const double(*)[3])s->direction, (const double(*)[3])s->product);
        if (!(bend > 0.0))
            break;
        double step = now / bend, before = now;
        for (int i = 0; i < s->count; i++)
            for (int k = 0; k < 3; k++) {
                s->y[i][k] += step * s->direction[i][k];
                s->residual[i][k] -= step * s->product[i][k];
            }
        now = dot(s, (const double(*)[3])s->residual, (const double(*)[3])s->residual);
        for (int i = 0; i < s->count; i++)
            for (int k = 0; k < 3; k++)
                s->direction[i][k] = s->residual[i][k] + now / before * s->direction[i][k];
    }
    return now <= 1e4 * precision * precision * first;
}

// largest part of the way of one contact that stays in its cone
static double reach_of(const least_norm *s, int i)
{
    double mu = s->friction[i];
    double x[3] = {mu * s->r[i][0], s->r[i][1], s->r[i][2]}, d[3];
    for (int k = 0; k < 3; k++)
        d[k] = s->y[i][k] - s->r[i][k];
    double normal = d[0] < 0.0 ? -s->r[i][0] / d[0] : INFINITY;
    d[0] *= mu;
    return fmin(normal, mu > 0.0 && s->free[i] == 3 ? con_soc_step(x, d, 1.0) : 1.0);
}

// moves R towards y as far as all contacts allow, and holds those that allow no more; returns
// whether there is more to do
static bool move(least_norm *s, double (*R)[3])
{
    double part = 1.0, change = 0.0, size = 0.0;
    for (int i = 0; i < s->count; i++)
        if (s->free[i] != 0)
            part = fmin(part, reach_of(s, i));
    for (int i = 0; i < s->count; i++) {
        if (s->free[i] == 0)
            continue;
        for (int k = 0; k < s->free[i]; k++) {
            double way = s->y[i][k] - s->r[i][k];
            change += way * way;
            size += s->r[i][k] * s->r[i][k];
            R[i][k] += part * way;
        }
        if (reach_of(s, i) <= part * (1.0 + 1e-9) + 1e-12)
            s->free[i] = 0;
    }
    return part < 1.0 && change > least_change * least_change * size;
}

// R moves towards the least norm within the cones
static void spread(least_norm *s, double (*R)[3])
{
    for (int round = 0; round < ROUNDS_MAX; round++)
        if (!find_part(s, (const double(*)[3])R) || !move(s, R))
            break;
}

static cairn_status begin(least_norm *s, const con_problem *problem, double tolerance, int slipping,
                          const double (*R)[3], const double (*U)[3], base_arena *arena)
{
    s->friction = problem->friction;
    s->count = problem->contact_count;
    BASE_TRY(con_reduce_joints(problem, arena, &s->reduction));
    BASE_TRY(allocate(s, arena));
    BASE_TRY(mark_jointed(s, arena));
    memset(s->y, 0, (size_t)s->count * sizeof *s->y);
    con_reduction_velocity(&s->reduction, (const double(*)[3])s->y, s->offset, NULL);
    keep_closed(s, tolerance, slipping, R, U);
    return CAIRN_OK;
}

static cairn_status run(least_norm *s, double tolerance, double (*R)[3], double (*U)[3], double *l,
                        base_arena *arena)
{
    if (count_free(s, 3) < 2)
        return CAIRN_OK;
    size_t size = (size_t)s->count * sizeof *R;
    double(*before)[3] = base_arena_allocate(arena, "least norm", (size_t)s->count, sizeof *before);
    if (before == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(before, R, size);
    spread(s, R);
    con_residual old, moved;
    cairn_status status =
        con_reduction_residual(&s->reduction, (const double(*)[3])before, s->product, l, &old);
    if (status == CAIRN_OK)
        status = con_reduction_residual(&s->reduction, (const double(*)[3])R, U, l, &moved);
    if (status != CAIRN_OK || moved.error <= fmax(old.error, 0.5 * tolerance))
        return status;
    memcpy(R, before, size);
    return con_reduction_residual(&s->reduction, (const double(*)[3])R, U, l, &moved);
}

cairn_status con_least_norm(const con_problem *problem, double tolerance, double (*R)[3],
                            double (*U)[3], double *l, base_arena *arena)
{
    base_arena_mark mark = base_arena_get_mark(arena);
    least_norm s;
    cairn_status status =
        begin(&s, problem, tolerance, 0, (const double(*)[3])R, (const double(*)[3])U, arena);
    if (status == CAIRN_OK)
        status = run(&s, tolerance, R, U, l, arena);
    base_arena_rewind(arena, mark);
    return status;
}

// friction of contacts that slip goes with their normal forces; returns whether it has changed
static bool follow_normals(const least_norm *s, const bool *slips, const double (*R)[3],
                           const double (*U)[3], double (*guess)[3])
{
    double change = 0.0, size = 0.0;
    for (int i = 0; i < s->count; i++) {
        if (!slips[i])
            continue;
        double way = s->friction[i] * (guess[i][0] - R[i][0]), all = s->friction[i] * R[i][0];
        change += way * way;
        size += all * all;
        double slip = sqrt(U[i][1] * U[i][1] + U[i][2] * U[i][2]);
        for (int k = 1; k < 3; k++)
            guess[i][k] = R[i][0] > 0.0 ? R[i][k] * (guess[i][0] / R[i][0])
                                        : -s->friction[i] * guess[i][0] * U[i][k] / slip;
    }
    return change > uneven * uneven * size;
}

// slip may be what moves more than a solution is exact to, of contacts that do not yield
static bool may_slip(const con_problem *problem, double tolerance, const double (*R)[3],
                     const double (*U)[3])
{
    double fastest = 0.0, slip = 0.0;
    for (int i = 0; i < problem->contact_count; i++) {
        double tangential = sqrt(U[i][1] * U[i][1] + U[i][2] * U[i][2]);
        fastest = fmax(fastest, fmax(fabs(U[i][0]), tangential / sqrt(2.0)));
        if (R[i][0] > 0.0 && problem->friction[i] > 0.0 && !yields(problem, i))
            slip = fmax(slip, tangential);
    }
    return slip > slip_factor * tolerance * fastest;
}

cairn_status con_least_norm_guess(const con_problem *problem, double tolerance,
                                  const double (*R)[3], const double (*U)[3], double (*guess)[3],
                                  bool *moved, base_arena *arena)
{
    *moved = false;
    if (!may_slip(problem, tolerance, R, U))
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(arena);
    least_norm s;
    cairn_status status = begin(&s, problem, tolerance, 1, R, U, arena);
    bool *slips = base_arena_array(arena, bool, "least norm", problem->contact_count);
    if (status == CAIRN_OK && slips == NULL)
        status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && count_free(&s, 1) > 0) {
        for (int i = 0; i < s.count; i++)
            slips[i] = s.free[i] == 1;
        memcpy(guess, R, (size_t)s.count * sizeof *guess);
        spread(&s, guess);
        *moved = follow_normals(&s, slips, R, U, guess);
    }
    base_arena_rewind(arena, mark);
    return status;
}
