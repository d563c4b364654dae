// SPDX-License-Identifier: Apache-2.0
// Islands, sweeps and bookkeeping shared by the Newton solvers.
#include "contact/solvers/newton/cascade.h"

#include "base/elementary.h"
#include "base/groups.h"
#include "base/timer.h"
#include "contact/problem/reduced.h"
#include "contact/problem/support_order.h"
#include "contact/problem/team.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    TEST_SWEEPS = 20, // sweeps of a round
    WARM_SWEEPS = 4,  // from a guess a round is as short as this
    ROUNDS = CON_CASCADE_ROUNDS,
    FAR_SWEEPS = 20 // more of plain ones than this are taken along conjugate directions
};

// factor of the error in a round, above which sweeps are not relaxed
static const double slow_round = 0.7;

// unites contacts that share a mobile body, or bodies that joints connect, and those that know the
// rates; `first` [body_count] is scratch
static void unite_by_bodies(const con_problem *problem, int *parent, int *first)
{
    const int(*bodies)[2] =
        problem->reduction != NULL ? (const int(*)[2])problem->reduction->together : problem->body;
    for (int a = 0; a < problem->body_count; a++)
        first[a] = -1;
    for (int i = 0; i < problem->contact_count; i++)
        for (int s = 0; s < 2 && con_can_bear(problem, i); s++) {
            int body = bodies[i][s];
            if (body < 0)
                continue;
            if (first[body] < 0)
                first[body] = i;
            else
                base_groups_join(parent, first[body], i);
        }
    for (int a = 0; a < problem->body_count; a++)
        first[a] = -1;
    for (int i = 0, knows = -1; problem->rates != NULL && i < problem->contact_count; i++) {
        if (!con_knows_rates(problem, i) || !con_can_bear(problem, i))
            continue;
        if (knows >= 0)
            base_groups_join(parent, knows, i);
        knows = i;
    }
}

static void unite_by_blocks(const con_problem *problem, int *parent)
{
    for (int i = 0; i < problem->contact_count; i++)
        for (int k = problem->W->start[i]; k < problem->W->start[i + 1]; k++)
            if (con_can_bear(problem, i) && con_can_bear(problem, problem->W->column[k]))
                base_groups_join(parent, i, problem->W->column[k]);
}

// the contact at a place of the order of visits
static int contact_at(const con_cascade *c, int place)
{
    return c->sweep.order != NULL ? c->sweep.order[place] : place;
}

// contacts sorted by island; islands in the order of their first contact
static void list_islands(con_cascade *c, int *parent, int *number)
{
    int n = c->problem->contact_count;
    memset(c->start, 0, (size_t)(n + 2) * sizeof *c->start);
    for (int i = 0; i < n; i++)
        number[i] = -1;
    for (int k = 0; k < n; k++) {
        int i = contact_at(c, k);
        c->island[i] = -1;
        if (!con_can_bear(c->problem, i))
            continue;
        int *island = &number[base_groups_first(parent, i)];
        if (*island < 0)
            *island = c->island_count++;
        c->island[i] = *island;
        c->start[*island + 2]++;
    }
    for (int k = 2; k <= c->island_count; k++)
        c->start[k] += c->start[k - 1];
    for (int k = 0; k < n; k++) {
        int i = contact_at(c, k);
        if (c->island[i] >= 0)
            c->contact[c->start[c->island[i] + 1]++] = i;
    }
}

static cairn_status allocate_islands(con_cascade *c)
{
    size_t n = (size_t)c->problem->contact_count;
    size_t m = (size_t)(c->problem->factors != NULL ? c->problem->factors->body_count
                                                    : c->problem->body_count);
    base_arena *arena = c->arena;
    c->start = base_arena_array(arena, int, "islands", n + 2);
    c->contact = base_arena_array(arena, int, "islands", n);
    c->island = base_arena_array(arena, int, "islands", n);
    c->place = base_arena_array(arena, int, "islands", n);
    c->body_place = base_arena_array(arena, int, "islands", m + 1);
    c->model = base_arena_array(arena, con_newton *, "islands", n);
    c->sums = base_arena_array(arena, con_residual_sums, "islands", n);
    bool complete = c->start != NULL && c->contact != NULL && c->island != NULL &&
                    c->place != NULL && c->body_place != NULL && c->model != NULL &&
                    c->sums != NULL;
    return complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status find_islands(con_cascade *c)
{
    int n = c->problem->contact_count;
    base_arena_mark mark = base_arena_get_mark(c->arena);
    int *parent = base_arena_array(c->arena, int, "islands", n);
    if (parent == NULL)
        return CAIRN_ERROR_MEMORY;
    base_groups_init(parent, n);
    if (c->problem->H != NULL)
        unite_by_bodies(c->problem, parent, c->body_place);
    else
        unite_by_blocks(c->problem, parent);
    for (int b = 0; c->problem->factors != NULL && b < c->problem->factors->body_count; b++)
        c->body_place[b] = -1;
    list_islands(c, parent, c->place);
    for (int i = 0; i < n; i++)
        c->place[i] = -1;
    for (int k = 0; k < c->island_count; k++)
        c->model[k] = NULL;
    base_arena_rewind(c->arena, mark);
    return CAIRN_OK;
}

/// Largest of the errors that are asked for.
static double error_of(const con_cascade *c, const con_residual_sums *sums)
{
    const con_residual residual = con_residual_from(sums, &c->scale);
    return con_control_error(c->control, &residual);
}

typedef struct sum_context {
    con_cascade *cascade;
    con_residual_sums *part; // of each chunk
} sum_context;

static void add_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    const sum_context *context = argument;
    con_cascade *c = context->cascade;
    con_residual_sums sums = {0};
    for (int i = begin; i < end; i++) {
        con_residual_sums one =
            con_residual_sums_at(c->problem, &c->scale, (const double(*)[3])c->R,
                                 (const double(*)[3])c->U, i, c->control->both_measures);
        con_residual_sums_add(&sums, &one);
        if (c->is_split && c->island[i] >= 0)
            con_residual_sums_add(&c->sums[c->island[i]], &one);
    }
    context->part[chunk] = sums;
}

static void add_sums(void *sum, const void *part)
{
    con_residual_sums_add(sum, part);
}

// sums at R and U of all contacts, and island by island where they are known
static con_residual_sums add_up(con_cascade *c)
{
    con_residual_sums part[CON_CHUNKS_MAX];
    sum_context context = {c, part};
    part[0] = (con_residual_sums){0};
    int n = c->problem->contact_count;
    for (int k = 0; k < c->island_count; k++)
        c->sums[k] = (con_residual_sums){0};
    // islands lie in several chunks, and of several processes'
    const con_domains *domains = c->problem->domains;
    if (c->is_split && domains != NULL && domains->team != NULL) {
        con_team_share_contacts(domains->team, (con_rows){c->R, sizeof *c->R});
        con_team_share_contacts(domains->team, (con_rows){c->U, sizeof *c->U});
    }
    con_domains_sum(c->is_split ? NULL : domains, n, add_chunk, &context,
                    (con_rows){part, sizeof *part}, add_sums);
    return part[0];
}

/// U at R; by the bodies of the sweep where they are those of R.
static cairn_status find_velocity(con_cascade *c)
{
    const con_problem *problem = c->problem;
    if (c->refreshed && problem->H != NULL) {
        con_sweep_velocity(&c->sweep, c->U);
        return CAIRN_OK;
    }
    return con_problem_velocity(problem, (const double(*)[3])c->R, c->U, c->arena);
}

cairn_status con_cascade_measure(con_cascade *c)
{
    BASE_TRY(find_velocity(c));
    con_residual_sums total = add_up(c);
    c->error = error_of(c, &total);
    c->measured = true;
    if (c->control->history != NULL && c->report->history_count < c->control->history_capacity)
        c->control->history[c->report->history_count++] = c->error;
    return isfinite(c->error) ? CAIRN_OK : CAIRN_ERROR_NUMERICAL;
}

// A problem by itself has no order of its own, so that another numbering of its contacts takes
// other sweeps. In a run the order is that of the world
static cairn_status take_order(con_cascade *c)
{
    const con_problem *problem = c->problem;
    if (c->control->step_of_run || problem->domains != NULL)
        return CAIRN_OK;
    int *order = base_arena_array(c->arena, int, "order", problem->contact_count);
    cairn_status status =
        order != NULL ? con_support_order(problem, order, c->arena) : CAIRN_ERROR_MEMORY;
    c->sweep.order = order;
    return status;
}

cairn_status con_cascade_create(const con_problem *problem, const con_control *control,
                                double (*R)[3], con_report *report, base_arena *arena,
                                con_cascade *c)
{
    *c = (con_cascade){.problem = problem,
                       .control = control,
                       .report = report,
                       .arena = arena,
                       .R = R,
                       .relaxation = 1.0,
                       .decline = NAN,
                       .error = INFINITY,
                       .start_time = base_timer_seconds()};
    c->deadline = control->time_limit > 0.0 ? c->start_time + control->time_limit : INFINITY;
    c->U = base_arena_allocate(arena, "velocities", (size_t)problem->contact_count, sizeof *c->U);
    BASE_TRY(c->U != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY);
    BASE_TRY(con_sweep_init(&c->sweep, problem, NULL, NULL, R, arena));
    c->refreshed = true;
    c->scale = con_residual_scale_of(problem);
    return take_order(c);
}

cairn_status con_cascade_split(con_cascade *c)
{
    if (c->is_split)
        return CAIRN_OK;
    con_team_complete(c->problem->domains);
    BASE_TRY(allocate_islands(c));
    BASE_TRY(find_islands(c));
    c->is_split = true;
    add_up(c);
    return CAIRN_OK;
}

bool con_cascade_solved(const con_cascade *c)
{
    return c->error <= c->control->tolerance;
}

// steps of all models: factorisations, and gradients
static int model_steps(const con_cascade *c)
{
    int sum = c->patch_steps;
    for (int k = 0; k < c->island_count; k++)
        sum += c->model[k] != NULL ? c->model[k]->factorisations + c->model[k]->gradients : 0;
    return sum;
}

int con_cascade_left(const con_cascade *c)
{
    if (c->control->max_iterations <= 0)
        return INT_MAX / 2;
    return c->control->max_iterations - c->sweeps - model_steps(c);
}

bool con_cascade_ran_away(const con_cascade *c)
{
    for (int k = 0; k < c->island_count; k++)
        if (c->model[k] != NULL && con_newton_ran_away(c->model[k]))
            return true;
    return false;
}

static bool is_past_deadline(const con_cascade *c)
{
    return con_control_is_late(c->control) ||
           (isfinite(c->deadline) && base_timer_seconds() >= c->deadline);
}

bool con_cascade_late(const con_cascade *c)
{
    return con_cascade_left(c) <= 0 || con_cascade_ran_away(c) || is_past_deadline(c);
}

// after the first sweeps and half a round warm starts may be done, fast passes at any time
static bool is_test_due(const con_cascade *c)
{
    bool fast = c->conjugate || (c->relaxation != 1.0 && c->sweeps > TEST_SWEEPS);
    int every = fast ? TEST_SWEEPS / 2 : TEST_SWEEPS;
    return c->sweeps == 1 || c->sweeps == WARM_SWEEPS || c->sweeps == TEST_SWEEPS / 2 ||
           c->sweeps % every == 0;
}

/// Sweeps may end. A guess that met the tolerance has had its sweep; others get a round, or come
/// well below the tolerance: from step to step what rests must come to rest to round-off, or else
/// the motion that errors leave spoils the next guess. A few sweeps from a guess do that as well as
/// many: the next step has its own.
static bool is_swept_out(const con_cascade *c, bool good_guess)
{
    bool whole = good_guess || c->sweeps >= (c->one_way ? TEST_SWEEPS : WARM_SWEEPS);
    return c->error <= (whole ? 1.0 : 1e-2) * c->control->tolerance;
}

// the error does not fall in every round of conjugate passes: the mean over several counts
static void note_round(con_cascade *c)
{
    int round = c->sweeps / TEST_SWEEPS, most = c->conjugate ? ROUNDS : 2;
    int before = round < most ? round : most;
    double *errors = c->round_error;
    if (before > 1)
        c->decline = base_pow(c->error / errors[(round - before + 1) % ROUNDS], 1.0 / (before - 1));
    // relaxed sweeps may wander where plain ones converge slowly
    if (round > 1 && !(c->error <= slow_round * errors[(round - 1) % ROUNDS]))
        c->relaxation = 1.0;
    errors[round % ROUNDS] = c->error;
    if ((round & (round - 1)) != 0)
        return;
    c->kept_sweeps[1] = c->kept_sweeps[0];
    c->kept_error[1] = c->kept_error[0];
    c->kept_sweeps[0] = c->sweeps;
    c->kept_error[0] = c->error;
}

// The better of the mean factors of a round of late and over half of all sweeps or more: what falls
// slowly does not fall in every round. NAN: unknown
static double decline_of(const con_cascade *c)
{
    int since = c->sweeps - c->kept_sweeps[1];
    if (c->kept_sweeps[1] == 0 || since <= 0)
        return c->decline;
    double slow = base_pow(c->error / c->kept_error[1], (double)TEST_SWEEPS / since);
    return c->decline < slow ? c->decline : slow;
}

/// Plain sweeps, whose error fell from `before` in `sweeps`, would need long.
static bool is_slow(const con_cascade *c, double before, int sweeps)
{
    double decline = base_ln(c->error / before) / sweeps;
    return !(base_ln(c->control->tolerance / c->error) > FAR_SWEEPS * decline);
}

// from a guess alone: stacks that start from zero come to a deeper rest by plain sweeps; and for
// loose tolerances, as tight ones are reached by Newton steps after either kind of sweeps
static cairn_status start_conjugate(con_cascade *c)
{
    const double loose = 1e-5;
    const con_problem *problem = c->problem;
    if (c->conjugate || c->one_way || problem->H == NULL || problem->spinning != NULL ||
        problem->rates != NULL || c->control->tolerance < loose)
        return CAIRN_OK;
    c->conjugate = true;
    if (c->sweep.conjugate.weight != NULL) {
        con_sweep_restart(&c->sweep);
        return CAIRN_OK;
    }
    return con_sweep_use_conjugate(&c->sweep, c->arena);
}

// one sweep; a point that meets the tolerance gets a plain one
static void sweep_once(con_cascade *c)
{
    c->sweep.relaxation = c->conjugate || c->sweeps < TEST_SWEEPS ? 1.0 : c->relaxation;
    if (c->conjugate && !con_cascade_solved(c))
        con_sweep_pass_conjugate(&c->sweep);
    else
        con_sweep_pass(&c->sweep, !c->one_way && c->sweeps % 2 == 1);
    c->sweeps++;
    c->measured = c->refreshed = false;
}

static void refresh(con_cascade *c)
{
    con_sweep_refresh(&c->sweep);
    c->refreshed = true;
}

// errors after so many sweeps since the last measurement
static cairn_status test(con_cascade *c, int since)
{
    double before = c->error;
    refresh(c);
    cairn_status status = con_cascade_measure(c);
    if (c->sweeps % TEST_SWEEPS == 0)
        note_round(c);
    if (status == CAIRN_OK && c->sweeps >= TEST_SWEEPS && is_slow(c, before, since))
        status = start_conjugate(c);
    return status;
}

// Sweeps since the error was `before` hardly change it, and will not reach the tolerance: those
// that are left are better spent on Newton steps
static bool creeps(const con_cascade *c, double before, int since, int total)
{
    const double hardly = 0.95;
    double factor = base_pow(c->error / before, 1.0 / since);
    return since >= WARM_SWEEPS - 1 && c->error <= c->creep_error && factor > hardly &&
           c->error * base_pow(factor, total - c->sweeps) > c->control->tolerance;
}

cairn_status con_cascade_sweep(con_cascade *c, int total)
{
    int left = con_cascade_left(c);
    if (total - c->sweeps > left)
        total = c->sweeps + left;
    cairn_status status = c->measured ? CAIRN_OK : con_cascade_measure(c);
    bool good_guess = c->sweeps == 0 && con_cascade_solved(c),
         swept_out = c->sweeps > 0 && con_cascade_solved(c);
    int tested = c->sweeps;
    while (status == CAIRN_OK && c->sweeps < total && !swept_out && !con_cascade_late(c)) {
        sweep_once(c);
        if (c->sweeps != total && !is_test_due(c))
            continue;
        double before = c->error;
        int since = c->sweeps - tested;
        status = test(c, since);
        tested = c->sweeps;
        swept_out = is_swept_out(c, good_guess) || creeps(c, before, since, total);
    }
    return status != CAIRN_OK || c->measured ? status : con_cascade_measure(c);
}

cairn_status con_cascade_restart(con_cascade *c)
{
    c->conjugate = false;
    c->relaxation = 1.0;
    refresh(c);
    return con_cascade_measure(c);
}

// whether the block of a contact is diagonal, as between spheres: it is solved without iterations
static bool is_diagonal(const mat3 *W)
{
    double most = 1e-12 * mat3_trace(W), sum = 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            sum += a != b ? fabs(W->m[a][b]) : 0.0;
    return sum <= most;
}

// rough nanoseconds of one sweep, and of one factorisation with what goes with it
static double sweep_cost(const con_cascade *c)
{
    int n = c->problem->contact_count;
    if (c->problem->H == NULL)
        return 20.0 * n + 3.0 * c->problem->W->start[n];
    double cost = 0.0;
    for (int i = 0; i < n; i++)
        cost += is_diagonal(&c->problem->W_diagonal[i]) ? 40.0 : 100.0;
    return cost;
}

static cairn_status factorisation_cost(const con_cascade *c, double *cost)
{
    *cost = 0.0;
    for (int k = 0; k < c->island_count; k++) {
        double flops;
        if (c->model[k] == NULL)
            continue;
        BASE_TRY(con_newton_flops(c->model[k], &flops));
        *cost += 1000.0 * (c->start[k + 1] - c->start[k]) + 0.08 * flops;
    }
    return CAIRN_OK;
}

cairn_status con_cascade_sweep_on(con_cascade *c, double fraction)
{
    enum { FACTORISATIONS = 20 };
    for (int k = 0; k < c->island_count; k++) {
        con_newton *model;
        bool open = con_cascade_island_error(c, k) > c->control->tolerance;
        cairn_status status = open ? con_cascade_model(c, k, &model) : CAIRN_OK;
        if (status != CAIRN_OK)
            return status;
    }
    double decline = decline_of(c);
    if (!(decline < 1.0) || !(c->control->tolerance > 0.0))
        return CAIRN_OK;
    double needed =
        TEST_SWEEPS * base_ln(c->control->tolerance / c->error) / base_ln(decline) + TEST_SWEEPS;
    double cost;
    cairn_status status = factorisation_cost(c, &cost);
    if (status != CAIRN_OK)
        return status;
    if ((c->promised + needed) * sweep_cost(c) > fraction * FACTORISATIONS * cost || needed > 1e6 ||
        1.3 * needed > 0.5 * con_cascade_left(c))
        return CAIRN_OK;
    // whole rounds, so that the decline is known again where the promise was not kept
    int before = c->sweeps, rounds = (int)(1.3 * needed) / TEST_SWEEPS + 1;
    status = con_cascade_sweep(c, (before / TEST_SWEEPS + rounds) * TEST_SWEEPS);
    c->promised += c->sweeps - before;
    return status;
}

static con_goal goal_of(const con_cascade *c, int island)
{
    return (con_goal){
        .tolerance = c->control->tolerance,
        .scale = c->scale,
        .share = (double)(c->start[island + 1] - c->start[island]) / c->problem->contact_count,
        .deadline = c->deadline,
    };
}

static double error_at_R(const con_cascade *c, int island)
{
    return error_of(c, &c->sums[island]) / sqrt(goal_of(c, island).share);
}

double con_cascade_island_error(const con_cascade *c, int island)
{
    double error = error_at_R(c, island);
    const con_newton *model = c->model[island];
    return model != NULL ? fmin(error, model->best_error) : error;
}

cairn_status con_cascade_model(con_cascade *c, int island, con_newton **model)
{
    *model = c->model[island];
    if (*model == NULL) {
        *model = base_arena_array(c->arena, con_newton, "island", 1);
        if (*model == NULL)
            return CAIRN_ERROR_MEMORY;
        con_goal goal = goal_of(c, island);
        BASE_TRY(con_newton_create(c->problem, c->contact + c->start[island],
                                   c->start[island + 1] - c->start[island], &goal, c->control,
                                   c->report, c->body_place, c->place, c->arena, *model));
        c->model[island] = *model;
    }
    (*model)->limit = (*model)->factorisations + con_cascade_left(c);
    con_newton_gather(*model, (const double(*)[3])c->R, (*model)->scratch[3]);
    con_newton_error(*model, (const double(*)[3])(*model)->scratch[3]);
    return CAIRN_OK;
}

static void take(con_cascade *c, const con_newton *model)
{
    con_newton_scatter(model, (const double(*)[3])model->best, c->R);
    c->measured = c->refreshed = false;
}

static void take_best(con_cascade *c, int island)
{
    const con_newton *model = c->model[island];
    if (model != NULL && model->best_error < error_at_R(c, island))
        take(c, model);
}

cairn_status con_cascade_take(con_cascade *c, const con_newton *model)
{
    take(c, model);
    return con_cascade_measure(c);
}

cairn_status con_cascade_take_best(con_cascade *c, int island)
{
    take_best(c, island);
    return c->measured ? CAIRN_OK : con_cascade_measure(c);
}

cairn_status con_cascade_finish(con_cascade *c)
{
    for (int k = 0; k < c->island_count; k++)
        take_best(c, k);
    cairn_status status = c->measured ? CAIRN_OK : con_cascade_measure(c);
    c->report->iterations = c->sweeps + model_steps(c);
    c->report->stop = con_cascade_solved(c)      ? CON_STOP_SOLVED
                      : con_cascade_ran_away(c)  ? CON_STOP_RUNAWAY
                      : con_cascade_left(c) <= 0 ? CON_STOP_ITERATION_LIMIT
                      : is_past_deadline(c)      ? CON_STOP_TIME_LIMIT
                                                 : CON_STOP_STAGNATED;
    return status == CAIRN_ERROR_NUMERICAL ? CAIRN_OK : status;
}
