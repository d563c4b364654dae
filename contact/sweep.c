// SPDX-License-Identifier: Apache-2.0
// The hot loop of Gauss-Seidel: velocity of one contact, local solve, update, next.
#include "contact/sweep.h"

#include "base/assert.h"
#include "contact/cone.h"
#include "contact/sweep_levels.h"

#include <string.h>

enum { GROUP_CHUNK = 8, CONTACT_CHUNK = 256, PARALLEL_CONTACTS = 256 };

// @param root  [body_count][6] square roots of M^-1
static void scale_H(const con_problem *problem, const double (*root)[6], int i,
                    con_sweep_contact *contact)
{
    for (int s = 0; s < 2; s++) {
        int body = problem->body[i][s];
        contact->body[s] = body >= 0 ? body : problem->body_count;
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 6; k++)
                contact->H[row][s][k] = body >= 0 ? problem->H[i][s][row][k] * root[body][k] : 0.0;
    }
}

typedef struct prepare_context {
    con_sweep *sweep;
    const double (*root)[6];
} prepare_context;

static void prepare_contact(const prepare_context *context, int i)
{
    con_sweep *sweep = context->sweep;
    const con_problem *problem = sweep->problem;
    con_sweep_contact *contact = &sweep->contacts[i];
    contact->asleep = 0;
    contact->can_bear =
        con_secular_prepare(&problem->W_diagonal[i], problem->friction[i], &contact->block);
    memcpy(contact->q, problem->q[i], sizeof contact->q);
    if (sweep->y != NULL)
        scale_H(problem, context->root, i, contact);
    double *R = sweep->R[i];
    con_cone_project(R, problem->friction[i], R);
    if (!contact->can_bear)
        R[0] = R[1] = R[2] = 0.0;
}

static void prepare_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    for (int i = begin; i < end; i++)
        prepare_contact(argument, i);
}

static cairn_status allocate(con_sweep *sweep, base_arena *arena)
{
    const con_problem *problem = sweep->problem;
    sweep->contacts =
        base_arena_array(arena, con_sweep_contact, "sweep contacts", problem->contact_count);
    if (problem->H != NULL)
        sweep->y = base_arena_allocate(arena, "sweep bodies", (size_t)problem->body_count + 1,
                                       sizeof *sweep->y);
    return sweep->contacts == NULL || (problem->H != NULL && sweep->y == NULL) ? CAIRN_ERROR_MEMORY
                                                                               : CAIRN_OK;
}

static cairn_status prepare(con_sweep *sweep, base_arena *arena)
{
    const con_problem *problem = sweep->problem;
    int m = problem->body_count;
    double(*root)[6] = base_arena_allocate(arena, "roots of masses", (size_t)m + 1, sizeof *root);
    if (root == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int a = 0; a < m && problem->H != NULL; a++)
        for (int k = 0; k < 6; k++)
            root[a][k] = sqrt(problem->mass_inverse[a][k]);
    prepare_context context = {sweep, (const double(*)[6])root};
    base_parallel_for(sweep->workers, problem->contact_count, CONTACT_CHUNK, prepare_chunk,
                      &context);
    return CAIRN_OK;
}

static cairn_status initialise(con_sweep *sweep, base_arena *arena)
{
    const con_problem *problem = sweep->problem;
    if (problem->H == NULL && problem->W == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_status status = allocate(sweep, arena);
    if (status == CAIRN_OK && problem->H != NULL && base_workers_count(sweep->workers) > 1 &&
        problem->contact_count >= PARALLEL_CONTACTS)
        status = con_sweep_levels_create(problem, arena, &sweep->levels);
    if (status != CAIRN_OK)
        return status;
    base_arena_mark mark = base_arena_get_mark(arena);
    status = prepare(sweep, arena);
    base_arena_rewind(arena, mark);
    if (status == CAIRN_OK)
        con_sweep_refresh(sweep);
    return status;
}

cairn_status con_sweep_init_parallel(con_sweep *sweep, const con_problem *problem,
                                     base_workers *workers, double (*R)[3], base_arena *arena)
{
    *sweep = (con_sweep){.problem = problem, .relaxation = 1.0, .workers = workers, .R = R};
    return initialise(sweep, arena);
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
    return initialise(sweep, arena);
}

// y += (H M^-1/2)^T dR
static inline void add_to_bodies(con_sweep *sweep, const con_sweep_contact *contact,
                                 const double dR[3])
{
    for (int s = 0; s < 2; s++) {
        if (contact->body[s] == sweep->problem->body_count)
            continue;
        double *y = sweep->y[contact->body[s]];
        for (int k = 0; k < 6; k++)
            y[k] += contact->H[0][s][k] * dR[0] + contact->H[1][s][k] * dR[1] +
                    contact->H[2][s][k] * dR[2];
    }
}

/// What is done with contacts [begin, end) in the order of use.
typedef void visit_range(con_sweep *sweep, int begin, int end, bool backward,
                         con_sweep_change *total);

typedef struct group_context {
    con_sweep *sweep;
    visit_range *visit;
    bool backward;
} group_context;

// one group when its bodies have had all that come before it; y[body][6] counts them
static void visit_group(const group_context *context, int group)
{
    con_sweep *sweep = context->sweep;
    const con_sweep_levels *levels = &sweep->levels;
    const int *range = levels->range[group], *body = sweep->problem->body[range[0]];
    int turn[2];
    for (int s = 0; s < 2; s++) {
        if (body[s] < 0)
            continue;
        int number = levels->number[group][s];
        turn[s] = context->backward ? levels->body_groups[body[s]] - 1 - number : number;
        base_await(&sweep->y[body[s]][6], turn[s]);
    }
    con_sweep_change unused = {0};
    context->visit(sweep, range[0], range[1], context->backward, &unused);
    for (int s = 0; s < 2; s++)
        if (body[s] >= 0)
            base_post(&sweep->y[body[s]][6], turn[s] + 1);
}

static void group_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const group_context *context = argument;
    int last = context->sweep->levels.group_count - 1;
    for (int g = begin; g < end; g++)
        visit_group(context, context->backward ? last - g : g);
}

/// Contacts one after the other, or groups in parallel to the same effect.
static con_sweep_change for_all(con_sweep *sweep, visit_range *visit, bool backward)
{
    con_sweep_change total = {0};
    int groups = sweep->levels.group_count;
    if (groups == 0) {
        visit(sweep, 0, sweep->problem->contact_count, backward, &total);
        return total;
    }
    for (int a = 0; a < sweep->problem->body_count; a++)
        sweep->y[a][6] = 0.0;
    group_context context = {sweep, visit, backward};
    base_parallel_for(sweep->workers, groups, GROUP_CHUNK, group_chunk, &context);
    return total;
}

static void refresh_range(con_sweep *sweep, int begin, int end, bool backward,
                          con_sweep_change *total)
{
    (void)backward, (void)total;
    for (int k = begin; k < end; k++) {
        con_sweep_contact *contact = &sweep->contacts[k];
        contact->asleep = 0;
        if (sweep->y != NULL)
            add_to_bodies(sweep, contact, sweep->R[k]);
    }
}

void con_sweep_refresh(con_sweep *sweep)
{
    if (sweep->y != NULL)
        memset(sweep->y, 0, (size_t)(sweep->problem->body_count + 1) * sizeof *sweep->y);
    for_all(sweep, refresh_range, false);
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

void con_sweep_restart(con_sweep *sweep)
{
    sweep->conjugate.size = INFINITY;
    sweep->conjugate.factor = -1.0;
    con_sweep_refresh(sweep);
}

typedef struct velocity_context {
    const con_sweep *sweep;
    double (*U)[3];
} velocity_context;

static void velocity_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const velocity_context *context = argument;
    for (int k = begin; k < end; k++) {
        const con_sweep_contact *contact = &context->sweep->contacts[k];
        double(*y)[8] = context->sweep->y, *U = context->U[k];
        for (int row = 0; row < 3; row++)
            U[row] = contact->q[row] +
                     row_velocity(contact->H[row], y[contact->body[0]], y[contact->body[1]]);
    }
}

void con_sweep_velocity(const con_sweep *sweep, double (*U)[3])
{
    velocity_context context = {sweep, U};
    base_parallel_for(sweep->workers, sweep->problem->contact_count, CONTACT_CHUNK, velocity_chunk,
                      &context);
}

// b = U - W_ii R; false for a contact that stays open
static inline bool body_free_velocity(const con_sweep *sweep, const con_sweep_contact *contact,
                                      const double R[3], double b[3])
{
    const double *yA = sweep->y[contact->body[0]], *yB = sweep->y[contact->body[1]];
    b[0] = contact->q[0] + row_velocity(contact->H[0], yA, yB);
    if (b[0] >= 0.0 && R[0] == 0.0 && R[1] == 0.0 && R[2] == 0.0)
        return false;
    const double(*W)[3] = contact->block.W;
    b[1] = contact->q[1] + row_velocity(contact->H[1], yA, yB);
    b[2] = contact->q[2] + row_velocity(contact->H[2], yA, yB);
    for (int k = 0; k < 3; k++)
        b[k] -= W[k][0] * R[0] + W[k][1] * R[1] + W[k][2] * R[2];
    return true;
}

// b = q + sum over the other contacts of W_ij R_j
static inline void matrix_free_velocity(const con_sweep *sweep, int i, double b[3])
{
    const con_block_matrix *W = sweep->problem->W;
    vec3 sum = vec3_from(sweep->contacts[i].q);
    for (int k = W->start[i]; k < W->start[i + 1]; k++)
        if (W->column[k] != i)
            sum = vec3_add(sum, mat3_apply(&W->block[k], vec3_from(sweep->R[W->column[k]])));
    vec3_store(b, sum);
}

static inline void solve_contact(const con_sweep *sweep, const con_sweep_contact *contact, int i,
                                 const double b[3], double R[3])
{
    if (sweep->local == NULL) {
        int count = 0;
        con_secular_solve(&contact->block, b, R, &count);
        return;
    }
    con_local_problem one = {
        .W = sweep->problem->W_diagonal[i], .b = {b[0], b[1], b[2]},
             .mu = contact->block.mu
    };
    sweep->local->solve(sweep->local_settings, &one, R);
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

// new R of a contact from its velocity without it; dR is what that changes
static inline void move_contact(con_sweep *sweep, int i, const double b[3], double R[3],
                                double dR[3])
{
    const con_sweep_contact *contact = &sweep->contacts[i];
    double solved[3] = {R[0], R[1], R[2]};
    solve_contact(sweep, contact, i, b, solved);
    if (sweep->relaxation != 1.0)
        relax(sweep->relaxation, R, contact->block.mu, solved);
    for (int k = 0; k < 3; k++)
        dR[k] = solved[k] - R[k];
    memcpy(R, solved, sizeof solved);
    if (sweep->y != NULL)
        add_to_bodies(sweep, contact, dR);
}

static inline void visit(con_sweep *sweep, int i, con_sweep_change *total)
{
    con_sweep_contact *contact = &sweep->contacts[i];
    double *R = sweep->R[i];
    if (contact->asleep > 0) {
        contact->asleep--;
        total->size += dot3(R);
        return;
    }
    double *noted = sweep->conjugate.change != NULL ? sweep->conjugate.change[i] : NULL;
    if (noted != NULL)
        noted[0] = noted[1] = noted[2] = 0.0;
    double b[3], dR[3];
    if (sweep->y == NULL)
        matrix_free_velocity(sweep, i, b);
    else if (!body_free_velocity(sweep, contact, R, b))
        return;
    if (!contact->can_bear)
        return;

    move_contact(sweep, i, b, R, dR);
    double change = dot3(dR);
    total->change += change;
    total->size += dot3(R);
    if (noted != NULL)
        memcpy(noted, dR, sizeof dR);
    if (sweep->freeze_sweeps > 0 && change <= sweep->freeze_change * sweep->freeze_change)
        contact->asleep = sweep->freeze_sweeps;
}

static void sweep_range(con_sweep *sweep, int begin, int end, bool backward,
                        con_sweep_change *total)
{
    for (int k = begin; k < end; k++)
        visit(sweep, backward ? begin + end - 1 - k : k, total);
}

con_sweep_change con_sweep_pass(con_sweep *sweep, const int *order, bool backward)
{
    if (order == NULL)
        return for_all(sweep, sweep_range, backward);
    BASE_ASSERT(sweep->levels.group_count == 0);
    con_sweep_change total = {0};
    int n = sweep->problem->contact_count;
    for (int k = 0; k < n; k++)
        visit(sweep, order[backward ? n - 1 - k : k], &total);
    return total;
}

cairn_status con_sweep_use_conjugate(con_sweep *sweep, base_arena *arena)
{
    con_sweep_conjugate *c = &sweep->conjugate;
    size_t n = (size_t)sweep->problem->contact_count, m = (size_t)sweep->problem->body_count;
    c->change = base_arena_allocate(arena, "changes", n, sizeof *c->change);
    c->direction = base_arena_allocate(arena, "direction", n, sizeof *c->direction);
    c->weight = base_arena_allocate(arena, "weights", n, sizeof *c->weight);
    c->partial =
        base_arena_array(arena, double, "sums", base_chunk_count((int)n, CONTACT_CHUNK) + 1);
    c->size = INFINITY;
    c->factor = -1.0;
    if (c->change == NULL || c->direction == NULL || c->weight == NULL || c->partial == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(c->change, 0, n * sizeof *c->change);
    for (size_t i = 0; i < n; i++)
        c->weight[i] = mat3_trace(&sweep->problem->W_diagonal[i]);
    if (sweep->y == NULL)
        return CAIRN_OK;
    c->y_before = base_arena_allocate(arena, "bodies before", m + 1, sizeof *c->y_before);
    c->y_direction = base_arena_allocate(arena, "direction", m + 1, sizeof *c->y_direction);
    return c->y_before == NULL || c->y_direction == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

// R += factor * direction, then direction = factor * direction + change; both start at zero anew
static void move_contacts_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    con_sweep *sweep = argument;
    con_sweep_conjugate *c = &sweep->conjugate;
    if (c->factor < 0.0) {
        memset(c->direction + begin, 0, (size_t)(end - begin) * sizeof *c->direction);
        return;
    }
    for (int k = begin; k < end; k++) {
        double *R = sweep->R[k], *direction = c->direction[k];
        for (int j = 0; j < 3; j++) {
            R[j] += c->factor * direction[j];
            direction[j] = c->factor * direction[j] + c->change[k][j];
        }
    }
}

// the same for y, whose change is the difference to y_before; then y_before is that of this pass
static void move_bodies_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    con_sweep *sweep = argument;
    con_sweep_conjugate *c = &sweep->conjugate;
    for (int a = begin; a < end; a++) {
        double *y = sweep->y[a], *direction = c->y_direction[a];
        for (int k = 0; k < 6; k++) {
            double moved = 0.0, next = 0.0;
            if (c->factor >= 0.0) {
                moved = c->factor * direction[k];
                next = moved + (y[k] - c->y_before[a][k]);
            }
            y[k] += moved;
            direction[k] = next;
            c->y_before[a][k] = y[k];
        }
    }
}

static void size_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    con_sweep_conjugate *c = argument;
    double sum = 0.0;
    for (int k = begin; k < end; k++)
        sum += c->weight[k] * dot3(c->change[k]);
    c->partial[chunk] = sum;
}

static double weighted_size(con_sweep *sweep)
{
    int n = sweep->problem->contact_count;
    base_parallel_for(sweep->workers, n, CONTACT_CHUNK, size_chunk, &sweep->conjugate);
    double sum = 0.0;
    for (int chunk = 0; chunk < base_chunk_count(n, CONTACT_CHUNK); chunk++)
        sum += sweep->conjugate.partial[chunk];
    return sum;
}

void con_sweep_pass_conjugate(con_sweep *sweep)
{
    con_sweep_conjugate *c = &sweep->conjugate;
    base_parallel_for(sweep->workers, sweep->problem->contact_count, CONTACT_CHUNK,
                      move_contacts_chunk, sweep);
    if (sweep->y != NULL)
        base_parallel_for(sweep->workers, sweep->problem->body_count, CONTACT_CHUNK,
                          move_bodies_chunk, sweep);
    for_all(sweep, sweep_range, false);
    double size = weighted_size(sweep), ratio = size / c->size;
    c->factor = ratio <= 1.0 ? ratio : -1.0;
    c->size = size;
}
