// SPDX-License-Identifier: Apache-2.0
// An island taken out of a problem: numbering, scaling, pattern.
#include "contact/solvers/newton/newton.h"

#include "contact/problem/team.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const int (*bodies_of(const con_problem *problem))[2]
{
    return problem->H != NULL ? problem->body : problem->factors->body;
}

static bool allocate(con_newton *newton, base_arena *arena)
{
    size_t n = (size_t)newton->contact_count;
    newton->contact = base_arena_array(arena, int, "island", n);
    newton->q = base_arena_allocate(arena, "island", n, sizeof *newton->q);
    newton->mu = base_arena_array(arena, double, "island", n);
    newton->unit = base_arena_array(arena, double, "island", n);
    newton->best = base_arena_allocate(arena, "island", n, sizeof *newton->best);
    bool complete = newton->contact != NULL && newton->q != NULL && newton->mu != NULL &&
                    newton->unit != NULL && newton->best != NULL;
    for (int k = 0; k < 4; k++) {
        newton->scratch[k] = base_arena_allocate(arena, "island", n, sizeof(double[3]));
        complete = complete && newton->scratch[k] != NULL;
    }
    return complete;
}

// pairs of force and moment, which an island holds one behind the other, in its units
static cairn_status take_moments(con_newton *newton, const con_problem *problem, base_arena *arena)
{
    size_t n = (size_t)newton->contact_count;
    if (problem->spinning == NULL)
        return CAIRN_OK;
    newton->force = base_arena_array(arena, int, "island", n);
    newton->moment = base_arena_array(arena, int, "island", n);
    newton->spinning = base_arena_array(arena, double, "island", n);
    if (newton->force == NULL || newton->moment == NULL || newton->spinning == NULL)
        return CAIRN_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        int c = newton->contact[i];
        newton->force[i] = newton->moment[i] = -1;
        newton->spinning[i] = -1.0;
        if (!con_is_moment(problem, c))
            continue;
        double ratio = newton->unit[i] / newton->unit[i - 1];
        newton->force[i] = (int)i - 1;
        newton->moment[i - 1] = (int)i;
        newton->mu[i] *= ratio;
        newton->spinning[i] = ratio * problem->spinning[c];
    }
    return CAIRN_OK;
}

// A contact without friction is its normal row alone. Nothing depends on its tangential velocity,
// and tangential impulses would have to stay in a cone as thin as a line: no step would be long
static int rows_of(const con_problem *problem, int contact)
{
    return problem->friction[contact] > 0.0 || problem->spinning != NULL ? 3 : 1;
}

// units and right side
static void scale_contacts(con_newton *newton, const con_problem *problem)
{
    int n = newton->contact_count;
    double squared = 0.0;
    for (int i = 0; i < n; i++) {
        int c = newton->contact[i];
        newton->mu[i] = problem->friction[c];
        newton->unit[i] = sqrt(mat3_trace(&problem->W_diagonal[c]) / 3.0);
        for (int k = 0; k < 3; k++) {
            newton->q[i][k] = k < rows_of(problem, c) ? problem->q[c][k] / newton->unit[i] : 0.0;
            squared += newton->q[i][k] * newton->q[i][k];
        }
    }
    double size = sqrt(squared / n);
    newton->size = size > 0.0 && isfinite(1.0 / size) ? size : 1.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            newton->q[i][k] /= newton->size;
}

// joints of the bodies, and the bodies that only joints bring in
static cairn_status take_joints(con_newton *newton, const con_problem *problem, int *body_place,
                                base_arena *arena)
{
    if (problem->reduction == NULL)
        return CAIRN_OK;
    int *body_at = base_arena_array(arena, int, "island", newton->body_count + 1);
    if (body_at == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < newton->contact_count; i++)
        for (int s = 0; s < 2; s++)
            if (newton->body[i][s] >= 0)
                body_at[newton->body[i][s]] = problem->body[newton->contact[i]][s];
    cairn_status status = con_newton_joints_create(problem, body_at, &newton->body_count,
                                                   body_place, arena, &newton->joints);
    for (int a = 0; newton->joints != NULL && a < newton->body_count; a++)
        body_place[newton->joints->body_at[a]] = -1;
    return status;
}

// what the island's contacts yield by themselves
static cairn_status take_compliance(con_newton *newton, const con_problem *problem,
                                    base_arena *arena)
{
    bool any = false;
    size_t n = (size_t)newton->contact_count;
    for (size_t i = 0; i < n && problem->compliance != NULL; i++)
        for (int k = 0; k < 3; k++)
            any = any || problem->compliance[newton->contact[i]][k] != 0.0;
    if (!any)
        return CAIRN_OK;
    newton->E = base_arena_allocate(arena, "island", n, sizeof *newton->E);
    newton->E_inverse = base_arena_allocate(arena, "island", n, sizeof *newton->E_inverse);
    newton->E_A = base_arena_allocate(arena, "island", n, sizeof *newton->E_A);
    newton->E_rhs = base_arena_allocate(arena, "island", n, sizeof *newton->E_rhs);
    if (newton->E == NULL || newton->E_inverse == NULL || newton->E_A == NULL ||
        newton->E_rhs == NULL)
        return CAIRN_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            newton->E[i][k] =
                problem->compliance[newton->contact[i]][k] / (newton->unit[i] * newton->unit[i]);
    return CAIRN_OK;
}

// rows of one side of a contact: H M^-1/2, or those of the factors of W
static void take_side(con_newton *newton, const con_problem *problem, int i, int s)
{
    int c = newton->contact[i], body = bodies_of(problem)[c][s];
    const con_body_factors *factors = problem->factors;
    for (int row = 0; row < rows_of(problem, c); row++)
        for (int k = 0; k < 6; k++) {
            double J = problem->H != NULL
                           ? problem->H[c][s][row][k] * sqrt(problem->mass_inverse[body][k])
                           : factors->J[c][s][row][k];
            newton->J[i][s][row][k] = J / newton->unit[i];
            if (newton->K != newton->J)
                newton->K[i][s][row][k] = factors->K[c][s][row][k] / newton->unit[i];
        }
}

// rates as one more body, behind all others
static cairn_status take_rates(con_newton *newton, const con_problem *problem, base_arena *arena)
{
    const con_rates *rates = problem->rates;
    size_t n = (size_t)newton->contact_count;
    if (rates == NULL)
        return CAIRN_OK;
    newton->rate_J = base_arena_allocate(arena, "island", n, sizeof *newton->rate_J);
    if (newton->rate_J == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(newton->rate_J, 0, n * sizeof *newton->rate_J);
    for (size_t i = 0; i < n; i++)
        for (int row = 0; row < rows_of(problem, newton->contact[i]); row++)
            for (int k = 0; k < rates->count; k++)
                newton->rate_J[i][row][k] = rates->S[newton->contact[i]][row][k] *
                                            sqrt(rates->inverse[k]) / newton->unit[i];
    newton->body_count++;
    return CAIRN_OK;
}

// the island's contacts on their bodies, which are numbered in the order of their first contact
static cairn_status take_bodies(con_newton *newton, const con_problem *problem, int *body_place,
                                base_arena *arena)
{
    size_t n = (size_t)newton->contact_count;
    newton->body = base_arena_allocate(arena, "island", n, sizeof *newton->body);
    newton->J = base_arena_allocate(arena, "island", n, sizeof *newton->J);
    newton->slot = base_arena_allocate(arena, "island", n, sizeof *newton->slot);
    newton->K =
        problem->H != NULL ? newton->J : base_arena_allocate(arena, "island", n, sizeof *newton->K);
    if (newton->body == NULL || newton->J == NULL || newton->K == NULL || newton->slot == NULL)
        return CAIRN_ERROR_MEMORY;
    const int(*bodies)[2] = bodies_of(problem);
    for (size_t i = 0; i < n; i++)
        for (int s = 0; s < 2; s++) {
            int body = bodies[newton->contact[i]][s];
            newton->body[i][s] = -1;
            memset(newton->J[i][s], 0, sizeof newton->J[i][s]);
            memset(newton->K[i][s], 0, sizeof newton->K[i][s]);
            if (body < 0)
                continue;
            if (body_place[body] < 0)
                body_place[body] = newton->body_count++;
            newton->body[i][s] = body_place[body];
            take_side(newton, problem, (int)i, s);
        }
    BASE_TRY(take_joints(newton, problem, body_place, arena));
    BASE_TRY(take_compliance(newton, problem, arena));
    BASE_TRY(take_rates(newton, problem, arena));
    for (size_t i = 0; i < n; i++)
        for (int s = 0; s < 2; s++)
            if (bodies[newton->contact[i]][s] >= 0)
                body_place[bodies[newton->contact[i]][s]] = -1;
    newton->velocity =
        base_arena_allocate(arena, "island", (size_t)newton->body_count, sizeof *newton->velocity);
    return newton->velocity != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static void find_slots(con_newton *newton)
{
    int sides = con_newton_sides(newton);
    for (int i = 0; i < newton->contact_count; i++)
        for (int s = 0; s < sides; s++)
            for (int t = 0; t < sides; t++) {
                int a = con_newton_node(newton, i, s), b = con_newton_node(newton, i, t);
                newton->slot[i][s][t] =
                    a >= 0 && b >= 0 ? con_block_pattern_find(&newton->pattern, a, b) : -1;
            }
    for (int a = 0; a < newton->body_count; a++)
        newton->diagonal[a] = con_block_pattern_find(&newton->pattern, a, a);
    if (newton->joints != NULL)
        con_newton_joints_find(newton->joints, &newton->pattern);
}

cairn_status con_newton_allocate_factors(con_newton *newton)
{
    base_workers *workers = con_newton_workers(newton);
    cairn_status status = CAIRN_OK;
    if (con_newton_is_shared(newton))
        status = con_block_order_cut(&newton->order, newton->arena);
    if (status != CAIRN_OK)
        return status;
    newton->fits = con_block_lu_size(&newton->order, workers) <= CON_NEWTON_DOUBLES_MAX;
    return newton->fits ? con_block_lu_create(&newton->order, workers, newton->gathering,
                                              newton->arena, &newton->lu)
                        : CAIRN_OK;
}

cairn_status con_newton_flops(const con_newton *newton, double *flops)
{
    *flops = newton->order.flops;
    if (newton->bodies)
        return CAIRN_OK;
    con_block_order order;
    base_arena_mark mark = base_arena_get_mark(newton->arena);
    bool grouped = newton->groups != NULL;
    cairn_status status =
        con_block_order_create(grouped ? &newton->groups->pattern : &newton->pattern,
                               grouped ? 6 : 3, newton->arena, &order);
    if (status == CAIRN_OK)
        *flops = order.flops;
    base_arena_rewind(newton->arena, mark);
    return status;
}

// the contacts of each body, in ascending order
static cairn_status list_sides(con_newton *newton, base_arena *arena)
{
    int n = newton->contact_count, m = newton->body_count;
    newton->side_start = base_arena_array(arena, int, "island", m + 2);
    newton->side = base_arena_array(arena, int, "island", con_newton_sides(newton) * n);
    if (newton->side_start == NULL || newton->side == NULL)
        return CAIRN_ERROR_MEMORY;
    int *fill = newton->side_start + 1;
    memset(newton->side_start, 0, (size_t)(m + 2) * sizeof *newton->side_start);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < con_newton_sides(newton); s++)
            if (con_newton_node(newton, i, s) >= 0)
                fill[con_newton_node(newton, i, s) + 1]++;
    for (int a = 0; a < m; a++)
        fill[a + 1] += fill[a];
    for (int i = 0; i < n; i++)
        for (int s = 0; s < con_newton_sides(newton); s++)
            if (con_newton_node(newton, i, s) >= 0)
                newton->side[fill[con_newton_node(newton, i, s)]++] = 3 * i + s;
    return CAIRN_OK;
}

// both orders of two bodies that a contact connects
static size_t add_pair(int a, int b, int (*pairs)[2])
{
    if (a < 0 || b < 0 || a == b)
        return 0;
    pairs[0][0] = pairs[1][1] = a;
    pairs[0][1] = pairs[1][0] = b;
    return 2;
}

static cairn_status order_bodies(con_newton *newton, base_arena *arena)
{
    size_t n = (size_t)newton->contact_count, m = (size_t)newton->body_count, count = 0;
    newton->diagonal = base_arena_array(arena, int, "island", m);
    newton->unknown = base_arena_array(arena, double, "island", 6 * m);
    size_t joined = newton->joints != NULL ? con_newton_joints_pairs(newton->joints, NULL) : 0;
    int sides = con_newton_sides(newton);
    size_t each = sides == 2 ? 2 : 6;
    int(*pairs)[2] = base_arena_allocate(arena, "body pairs", each * n + m + joined, sizeof *pairs);
    if (newton->diagonal == NULL || newton->unknown == NULL || pairs == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int a = 0; a < newton->body_count; a++, count++)
        pairs[count][0] = pairs[count][1] = a;
    for (int i = 0; i < newton->contact_count; i++)
        for (int s = 1; s < sides; s++)
            for (int t = 0; t < s; t++)
                count += add_pair(con_newton_node(newton, i, t), con_newton_node(newton, i, s),
                                  pairs + count);
    if (newton->joints != NULL)
        count += con_newton_joints_pairs(newton->joints, pairs + count);
    BASE_TRY(con_block_pattern_create(newton->body_count, pairs, count, arena, &newton->pattern));
    find_slots(newton);
    BASE_TRY(list_sides(newton, arena));
    newton->values =
        base_arena_array(arena, double, "Newton matrix", 36 * (size_t)newton->pattern.start[m]);
    if (newton->values == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = con_block_order_create(&newton->pattern, 6, arena, &newton->order);
    if (status == CAIRN_OK)
        status = con_newton_allocate_factors(newton);
    newton->ordered = status == CAIRN_OK;
    return status;
}

// the moment of a force or the force of a moment; -1 for none
static int partner_of(const con_newton *newton, int i)
{
    if (newton->force == NULL)
        return -1;
    return newton->force[i] >= 0 ? newton->force[i] : newton->moment[i];
}

// pairs (i, j) and (j, i) of each block of W among the island's contacts; where contacts resist
// rolling, of forces and moments with one another
static size_t list_contact_pairs(const con_newton *newton, const con_problem *problem,
                                 const int *place, int (*pairs)[2])
{
    size_t count = 0;
    for (int i = 0; i < newton->contact_count; i++) {
        int row = newton->contact[i];
        for (int k = problem->W->start[row]; k < problem->W->start[row + 1]; k++) {
            int j = place[problem->W->column[k]];
            if (j < 0)
                continue;
            int a[2] = {i, partner_of(newton, i)}, b[2] = {j, partner_of(newton, j)};
            for (int s = 0; s < 2; s++)
                for (int t = 0; t < 2 && a[s] >= 0; t++) {
                    if (b[t] < 0)
                        continue;
                    if (pairs != NULL) {
                        pairs[count][0] = pairs[count + 1][1] = a[s];
                        pairs[count][1] = pairs[count + 1][0] = b[t];
                    }
                    count += 2;
                }
        }
    }
    return count;
}

static void scale_blocks(con_newton *newton, const con_problem *problem, const int *place)
{
    memset(newton->block, 0,
           (size_t)newton->pattern.start[newton->contact_count] * sizeof *newton->block);
    for (int i = 0; i < newton->contact_count; i++) {
        int row = newton->contact[i];
        for (int k = problem->W->start[row]; k < problem->W->start[row + 1]; k++) {
            int j = place[problem->W->column[k]];
            if (j < 0)
                continue;
            mat3 *block = &newton->block[con_block_pattern_find(&newton->pattern, i, j)];
            for (int a = 0; a < rows_of(problem, row); a++)
                for (int b = 0; b < rows_of(problem, problem->W->column[k]); b++)
                    block->m[a][b] =
                        problem->W->block[k].m[a][b] / (newton->unit[i] * newton->unit[j]);
        }
    }
}

static cairn_status take_groups(con_newton *newton, base_arena *arena)
{
    cairn_status status =
        con_newton_groups_create(&newton->pattern, newton->block, arena, &newton->groups);
    if (status != CAIRN_OK || newton->groups == NULL)
        return status;
    size_t count = (size_t)newton->groups->count;
    newton->velocity = base_arena_allocate(arena, "groups", count, sizeof *newton->velocity);
    newton->unknown = base_arena_array(arena, double, "groups", 12 * count);
    return newton->velocity != NULL && newton->unknown != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status take_blocks(con_newton *newton, const con_problem *problem, int *place,
                                base_arena *arena)
{
    int n = newton->contact_count;
    for (int i = 0; i < n; i++)
        place[newton->contact[i]] = i;
    size_t count = list_contact_pairs(newton, problem, place, NULL);
    newton->place = base_arena_array(arena, int, "island", n);
    newton->active = base_arena_array(arena, int, "island", n);
    newton->unknown = base_arena_array(arena, double, "island", 3 * n);
    int(*pairs)[2] = base_arena_allocate(arena, "contact pairs", count + 1, sizeof *pairs);
    if (newton->place == NULL || newton->active == NULL || newton->unknown == NULL || pairs == NULL)
        return CAIRN_ERROR_MEMORY;
    list_contact_pairs(newton, problem, place, pairs);
    BASE_TRY(con_block_pattern_create(n, pairs, count, arena, &newton->pattern));
    newton->block = base_arena_array(arena, mat3, "island", newton->pattern.start[n]);
    if (newton->block == NULL)
        return CAIRN_ERROR_MEMORY;
    scale_blocks(newton, problem, place);
    for (int i = 0; i < n; i++)
        place[newton->contact[i]] = -1;
    // a moment and its force would have to be of one group
    return newton->force == NULL ? take_groups(newton, arena) : CAIRN_OK;
}

cairn_status con_newton_create(const con_problem *problem, const int *contact, int count,
                               const con_goal *goal, const con_control *control, con_report *report,
                               int *body_place, int *place, base_arena *arena, con_newton *newton)
{
    *newton = (con_newton){.contact_count = count,
                           .bodies = problem->H != NULL || problem->factors != NULL,
                           .gathering = con_team_gathering(problem->domains),
                           .goal = *goal,
                           .control = control,
                           .report = report,
                           .best_error = INFINITY,
                           .limit = INT_MAX,
                           .arena = arena};
    if (!allocate(newton, arena))
        return CAIRN_ERROR_MEMORY;
    memcpy(newton->contact, contact, (size_t)count * sizeof *contact);
    memset(newton->best, 0, (size_t)count * sizeof *newton->best);
    scale_contacts(newton, problem);
    cairn_status status = take_moments(newton, problem, arena);
    if (status != CAIRN_OK || !newton->bodies)
        return status != CAIRN_OK ? status : take_blocks(newton, problem, place, arena);
    status = take_bodies(newton, problem, body_place, arena);
    return status == CAIRN_OK ? order_bodies(newton, arena) : status;
}
