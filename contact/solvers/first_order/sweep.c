// SPDX-License-Identifier: Apache-2.0
// The hot loop of Gauss-Seidel: velocity of one contact, local solve, update, next.
#include "contact/solvers/first_order/sweep.h"

#include "base/simd.h"
#include "contact/cones/cone.h"
#include "contact/problem/delassus.h"
#include "contact/problem/reduced.h"

#include <string.h>

typedef struct prepare_context {
    con_sweep *sweep;
    const double (*root)[6]; // [body_count] square roots of M^-1
} prepare_context;

static void scale_H(const con_problem *problem, const double (*root)[6], int i, int spare,
                    con_sweep_contact *contact)
{
    const int *bodies = con_unjointed_bodies(problem)[i];
    for (int s = 0; s < 2; s++) {
        int body = bodies[s];
        contact->body[s] = body >= 0 ? body : spare;
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 6; k++)
                contact->H[row][s][k] = body >= 0 ? problem->H[i][s][row][k] * root[body][k] : 0.0;
    }
}

// S D^1/2 of a contact; true where it is not zero
static bool scale_rates(con_sweep *sweep, int i)
{
    const con_rates *rates = sweep->problem->rates;
    bool knows = con_knows_rates(sweep->problem, i);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++)
            sweep->rate_H[i][row][k] =
                k < rates->count ? rates->S[i][row][k] * sqrt(rates->inverse[k]) : 0.0;
    return knows;
}

static void prepare_contact(con_sweep *sweep, const double (*root)[6], int i, int spare)
{
    const con_problem *problem = sweep->problem;
    con_sweep_contact *contact = &sweep->contacts[i];
    contact->asleep = 0;
    contact->by_rows = sweep->y == NULL ||
                       (problem->reduction != NULL && con_reduction_touches(problem->reduction, i));
    mat3 block = problem->W_diagonal[i];
    contact->is_moment = con_is_moment(problem, i);
    if (contact->by_rows && !contact->is_moment)
        block = con_proximal_block(&block);
    contact->knows_rates = sweep->rate_H != NULL && scale_rates(sweep, i);
    contact->by_rows = contact->by_rows || contact->knows_rates;
    contact->can_bear =
        con_can_bear(problem, i) &&
        (contact->is_moment || con_secular_prepare(&block, problem->friction[i], &contact->block));
    if (contact->is_moment) {
        con_moment_prepare((const double(*)[3])block.m, &sweep->moments[i]);
        contact->block.mu = problem->friction[i];
        memcpy(contact->block.W, sweep->moments[i].W, sizeof contact->block.W);
    }
    memcpy(contact->q, problem->q[i], sizeof contact->q);
    if (sweep->y != NULL)
        scale_H(problem, root, i, spare, contact);
    double *R = sweep->R[i];
    // the bounds of a moment are those of its force, which may be of another task: it is brought
    // into them when it is visited
    if (!contact->is_moment)
        con_cone_project(R, problem->friction[i], R);
    if (!contact->can_bear)
        R[0] = R[1] = R[2] = 0.0;
}

static void prepare_task(void *argument, int begin, int end, int task)
{
    const prepare_context *context = argument;
    for (int i = begin; i < end; i++)
        prepare_contact(context->sweep, context->root, i,
                        context->sweep->problem->body_count + task);
}

// rows of y: the bodies, and a spare one for each task
static size_t count_rows(const con_problem *problem)
{
    return (size_t)problem->body_count + (size_t)con_domains_tasks(problem->domains);
}

cairn_status con_sweep_init(con_sweep *sweep, const con_problem *problem, const con_local *local,
                            const void *local_settings, double (*R)[3], base_arena *arena)
{
    int count;
    bool secular = local == NULL || local == con_local_list(&count)[0];
    *sweep = (con_sweep){.problem = problem,
                         .local = secular ? NULL : local,
                         .local_settings = local_settings,
                         .relaxation = 1.0,
                         .R = R};
    if (problem->H == NULL && problem->W == NULL)
        return CAIRN_ERROR_ARGUMENT;
    int n = problem->contact_count, m = problem->body_count;
    sweep->contacts = base_arena_array(arena, con_sweep_contact, "sweep contacts", n);
    if (problem->H != NULL)
        sweep->y =
            base_arena_allocate(arena, "sweep bodies", count_rows(problem), sizeof *sweep->y);
    if (problem->H != NULL && problem->rates != NULL) {
        sweep->rate_H = base_arena_allocate(arena, "sweep rates", (size_t)n, sizeof *sweep->rate_H);
        if (sweep->rate_H == NULL)
            return CAIRN_ERROR_MEMORY;
    }
    if (problem->spinning != NULL)
        sweep->moments = base_arena_array(arena, con_moment_block, "sweep moments", n);
    if (sweep->contacts == NULL || (problem->H != NULL && sweep->y == NULL) ||
        (problem->spinning != NULL && sweep->moments == NULL))
        return CAIRN_ERROR_MEMORY;
    base_arena_mark mark = base_arena_get_mark(arena);
    double(*root)[6] = base_arena_allocate(arena, "roots of masses", (size_t)m + 1, sizeof *root);
    if (root == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int a = 0; a < m && problem->H != NULL; a++)
        for (int k = 0; k < 6; k++)
            root[a][k] = sqrt(problem->mass_inverse[a][k]);
    prepare_context context = {sweep, (const double(*)[6])root};
    con_domains_run(problem->domains, n, false, prepare_task, &context, (con_rows){0});
    base_arena_rewind(arena, mark);
    con_sweep_refresh(sweep);
    return CAIRN_OK;
}

// y += (H M^-1/2)^T dR
static inline void add_to_bodies(con_sweep *sweep, const con_sweep_contact *contact,
                                 const double dR[3])
{
    for (int s = 0; s < 2; s++) {
        double *y = sweep->y[contact->body[s]];
        for (int k = 0; k < 6; k++)
            y[k] += contact->H[0][s][k] * dR[0] + contact->H[1][s][k] * dR[1] +
                    contact->H[2][s][k] * dR[2];
    }
}

// z += (S D^1/2)^T dR
static inline void add_to_rates(con_sweep *sweep, int i, const double dR[3])
{
    const double(*S)[3] = (const double(*)[3])sweep->rate_H[i];
    for (int k = 0; k < 3; k++)
        sweep->z[k] += S[0][k] * dR[0] + S[1][k] * dR[1] + S[2][k] * dR[2];
}

// U += (S D^1/2) z
static inline void add_rates(const con_sweep *sweep, int i, double U[3])
{
    const double(*S)[3] = (const double(*)[3])sweep->rate_H[i], *z = sweep->z;
    for (int row = 0; row < 3; row++)
        U[row] += S[row][0] * z[0] + S[row][1] * z[1] + S[row][2] * z[2];
}

static void refresh_task(void *argument, int begin, int end, int task)
{
    (void)task;
    con_sweep *sweep = argument;
    for (int i = begin; i < end; i++) {
        sweep->contacts[i].asleep = 0;
        if (sweep->y != NULL)
            add_to_bodies(sweep, &sweep->contacts[i], sweep->R[i]);
        if (sweep->contacts[i].knows_rates)
            add_to_rates(sweep, i, sweep->R[i]);
    }
}

void con_sweep_refresh(con_sweep *sweep)
{
    const con_problem *problem = sweep->problem;
    if (sweep->y != NULL)
        memset(sweep->y, 0, count_rows(problem) * sizeof *sweep->y);
    memset(sweep->z, 0, sizeof sweep->z);
    con_domains_run(problem->domains, problem->contact_count, false, refresh_task, sweep,
                    con_sweep_rows(sweep));
}

// sums of even and odd terms: the order is fixed and pairs fit vector registers
static inline double row_velocity(const double H[2][6], const double *yA, const double *yB)
{
    double even = (H[0][0] * yA[0] + H[0][2] * yA[2]) + (H[0][4] * yA[4] + H[1][0] * yB[0]) +
                  (H[1][2] * yB[2] + H[1][4] * yB[4]);
    double odd = (H[0][1] * yA[1] + H[0][3] * yA[3]) + (H[0][5] * yA[5] + H[1][1] * yB[1]) +
                 (H[1][3] * yB[3] + H[1][5] * yB[5]);
    return even + odd;
}

typedef struct velocity_context {
    const con_sweep *sweep;
    double (*U)[3];
} velocity_context;

static void velocity_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const velocity_context *context = argument;
    const con_sweep *sweep = context->sweep;
    for (int i = begin; i < end; i++) {
        const con_sweep_contact *contact = &sweep->contacts[i];
        const double *yA = sweep->y[contact->body[0]], *yB = sweep->y[contact->body[1]];
        for (int k = 0; k < 3; k++)
            context->U[i][k] = contact->q[k] + row_velocity(contact->H[k], yA, yB);
        if (contact->knows_rates)
            add_rates(sweep, i, context->U[i]);
        const con_block_matrix *C =
            contact->by_rows && !contact->knows_rates ? sweep->problem->reduction->C : NULL;
        vec3 sum = vec3_from(context->U[i]);
        for (int k = C != NULL ? C->start[i] : 0; C != NULL && k < C->start[i + 1]; k++)
            sum = vec3_add(sum, mat3_apply(&C->block[k], vec3_from(sweep->R[C->column[k]])));
        vec3_store(context->U[i], sum);
    }
}

void con_sweep_velocity(const con_sweep *sweep, double (*U)[3])
{
    const con_problem *problem = sweep->problem;
    velocity_context context = {sweep, U};
    con_domains_chunks(problem->domains, problem->contact_count, velocity_chunk, &context);
}

// b = q + C R + (H M^-1/2) y - W_ii R of a contact of a body with joints
static void jointed_free_velocity(const con_sweep *sweep, const con_sweep_contact *contact, int i,
                                  double b[3])
{
    const con_block_matrix *C = sweep->problem->reduction->C;
    const double *yA = sweep->y[contact->body[0]], *yB = sweep->y[contact->body[1]];
    const double *R = sweep->R[i];
    vec3 sum = vec3_from(contact->q);
    for (int k = C->start[i]; k < C->start[i + 1]; k++)
        sum = vec3_add(sum, mat3_apply(&C->block[k], vec3_from(sweep->R[C->column[k]])));
    vec3_store(b, sum);
    for (int k = 0; k < 3; k++) {
        const double *W = contact->block.W[k];
        b[k] += row_velocity(contact->H[k], yA, yB);
        b[k] -= W[0] * R[0] + W[1] * R[1] + W[2] * R[2];
    }
}

// b = U - W_ii R of a contact that knows the rates
static void rate_free_velocity(const con_sweep *sweep, const con_sweep_contact *contact, int i,
                               double b[3])
{
    const double *yA = sweep->y[contact->body[0]], *yB = sweep->y[contact->body[1]];
    const double *R = sweep->R[i];
    for (int k = 0; k < 3; k++)
        b[k] = contact->q[k] + row_velocity(contact->H[k], yA, yB);
    add_rates(sweep, i, b);
    for (int k = 0; k < 3; k++) {
        const double *W = contact->block.W[k];
        b[k] -= W[0] * R[0] + W[1] * R[1] + W[2] * R[2];
    }
}

// b = U - W_ii R; false for a contact that stays open
static inline bool body_free_velocity(const con_sweep *sweep, const con_sweep_contact *contact,
                                      const double R[3], double b[3])
{
    const double *yA = sweep->y[contact->body[0]], *yB = sweep->y[contact->body[1]];
    b[0] = contact->q[0] + row_velocity(contact->H[0], yA, yB);
    if (R[0] == 0.0 && b[0] >= 0.0)
        return false;
    const double(*W)[3] = contact->block.W;
    b[1] = contact->q[1] + row_velocity(contact->H[1], yA, yB);
    b[2] = contact->q[2] + row_velocity(contact->H[2], yA, yB);
    for (int k = 0; k < 3; k++)
        b[k] -= W[k][0] * R[0] + W[k][1] * R[1] + W[k][2] * R[2];
    return true;
}

// out = q + sum over the other contacts of W_ij R_j: the nine products of a block two by two
static inline void add_others(const con_sweep *sweep, int i, double out[3])
{
    const con_block_matrix *W = sweep->problem->W;
    const double *q = sweep->contacts[i].q;
    simd_2 a = {0.0, 0.0}, b = a, c = a, d = a;
    double e = 0.0;
    for (int k = W->start[i]; k < W->start[i + 1]; k++) {
        if (W->column[k] == i)
            continue;
        const double *m = &W->block[k].m[0][0], *x = sweep->R[W->column[k]];
        const simd_2 xy = {x[0], x[1]}, zx = {x[2], x[0]}, yz = {x[1], x[2]};
        a += simd_load_2(m) * xy;
        b += simd_load_2(m + 2) * zx;
        c += simd_load_2(m + 4) * yz;
        d += simd_load_2(m + 6) * xy;
        e += m[8] * x[2];
    }
    out[0] = q[0] + ((a[0] + a[1]) + b[0]);
    out[1] = q[1] + ((b[1] + c[0]) + c[1]);
    out[2] = q[2] + ((d[0] + d[1]) + e);
}

// the same, less what the block has above W_ii
static inline void matrix_free_velocity(const con_sweep *sweep, int i, double b[3])
{
    add_others(sweep, i, b);
    double above = sweep->contacts[i].block.W[0][0] - sweep->problem->W_diagonal[i].m[0][0];
    for (int k = 0; k < 3 && above > 0.0; k++)
        b[k] -= above * sweep->R[i][k];
    if (!sweep->contacts[i].is_moment)
        return;
    // what the symmetric part leaves of an unsymmetric block
    const double(*own)[3] = (const double(*)[3])sweep->problem->W_diagonal[i].m;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            b[k] += (own[k][j] - sweep->contacts[i].block.W[k][j]) * sweep->R[i][j];
}

// b of a moment in body form: no row of it opens
static void moment_free_velocity(const con_sweep *sweep, const con_sweep_contact *contact,
                                 const double R[3], double b[3])
{
    const double *yA = sweep->y[contact->body[0]], *yB = sweep->y[contact->body[1]];
    const double(*W)[3] = contact->block.W;
    for (int k = 0; k < 3; k++)
        b[k] = contact->q[k] + row_velocity(contact->H[k], yA, yB) -
               (W[k][0] * R[0] + W[k][1] * R[1] + W[k][2] * R[2]);
}

static void row_free_velocity(const con_sweep *sweep, const con_sweep_contact *contact, int i,
                              double b[3])
{
    if (sweep->y == NULL)
        matrix_free_velocity(sweep, i, b);
    else if (contact->knows_rates)
        rate_free_velocity(sweep, contact, i, b);
    else
        jointed_free_velocity(sweep, contact, i, b);
}

static inline void solve_contact(const con_sweep *sweep, const con_sweep_contact *contact,
                                 const double b[3], double R[3])
{
    if (sweep->local == NULL) {
        int count = 0;
        con_secular_solve(&contact->block, b, R, &count);
        return;
    }
    con_local_problem one = {.b = {b[0], b[1], b[2]}, .mu = contact->block.mu};
    memcpy(one.W.m, contact->block.W, sizeof one.W.m);
    sweep->local->solve(sweep->local_settings, &one, R);
}

// a moment, by the bounds that the force before it gives now
static void solve_moment(const con_sweep *sweep, const con_sweep_contact *contact, int i,
                         const double b[3], double m[3])
{
    double normal = sweep->R[i - 1][0];
    con_moment_solve(&sweep->moments[i], b, contact->block.mu * normal,
                     sweep->problem->spinning[i] * normal, m);
}

static void relax(double omega, const double R[3], double mu, double solved[3])
{
    for (int k = 0; k < 3; k++)
        solved[k] = R[k] + omega * (solved[k] - R[k]);
    con_cone_project(solved, mu, solved);
}

static inline double dot3(const double a[3])
{
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

// in the loop itself: sums stay in registers
static inline __attribute__((always_inline)) void visit(con_sweep *sweep, int i,
                                                        con_sweep_change *total)
{
    con_sweep_contact *contact = &sweep->contacts[i];
    double *R = sweep->R[i];
    if (contact->asleep > 0) {
        contact->asleep--;
        total->size += dot3(R);
        return;
    }
    double b[3];
    if (contact->by_rows)
        row_free_velocity(sweep, contact, i, b);
    else if (contact->is_moment)
        moment_free_velocity(sweep, contact, R, b);
    else if (!body_free_velocity(sweep, contact, R, b))
        return;
    if (!contact->can_bear)
        return;

    double solved[3] = {R[0], R[1], R[2]};
    if (contact->is_moment)
        solve_moment(sweep, contact, i, b, solved);
    else
        solve_contact(sweep, contact, b, solved);
    if (sweep->relaxation != 1.0 && !contact->is_moment)
        relax(sweep->relaxation, R, contact->block.mu, solved);
    double dR[3] = {solved[0] - R[0], solved[1] - R[1], solved[2] - R[2]};
    memcpy(R, solved, sizeof solved);
    if (sweep->y != NULL)
        add_to_bodies(sweep, contact, dR);
    if (contact->knows_rates)
        add_to_rates(sweep, i, dR);
    double change = dot3(dR);
    total->change += change;
    total->size += dot3(R);
    if (sweep->freeze_sweeps > 0 && change <= sweep->freeze_change * sweep->freeze_change)
        contact->asleep = sweep->freeze_sweeps;
}

typedef struct pass_context {
    con_sweep *sweep;
    bool backward;
    con_sweep_change part[CON_DOMAIN_TASKS_MAX]; // of each task
} pass_context;

con_sweep_change con_sweep_range(con_sweep *sweep, int begin, int end, bool backward)
{
    const int *order = sweep->order;
    con_sweep_change total = {0.0, 0.0};
    for (int k = begin; k < end; k++) {
        int place = backward ? end - 1 - (k - begin) : k;
        visit(sweep, order != NULL ? order[place] : place, &total);
    }
    return total;
}

static void pass_task(void *argument, int begin, int end, int task)
{
    pass_context *context = argument;
    context->part[task] = con_sweep_range(context->sweep, begin, end, context->backward);
}

con_sweep_change con_sweep_pass(con_sweep *sweep, bool backward)
{
    const con_problem *problem = sweep->problem;
    if (sweep->order != NULL)
        return con_sweep_range(sweep, 0, problem->contact_count, backward);
    pass_context context = {.sweep = sweep, .backward = backward};
    con_sweep_change total = {0.0, 0.0};
    con_domains_run(problem->domains, problem->contact_count, backward, pass_task, &context,
                    con_sweep_rows(sweep));
    for (int k = 0; k < con_domains_tasks(problem->domains); k++) {
        total.change += context.part[k].change;
        total.size += context.part[k].size;
    }
    return total;
}
