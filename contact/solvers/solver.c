// SPDX-License-Identifier: Apache-2.0
// Runs a global solver and recomputes its residual.
#include "contact/solvers/solver.h"

#include "base/assert.h"
#include "base/timer.h"
#include "contact/problem/reduced.h"
#include "contact/problem/team.h"

#include <stddef.h>
#include <string.h>

static bool all_finite(const double *values, size_t count)
{
    // sums of zeros unless one is not finite, so many that they fill vector registers
    enum { SUMS = 16 };
    double sum[SUMS] = {0.0};
    size_t whole = count - count % SUMS;
    for (size_t i = 0; i < whole; i += SUMS)
        for (size_t k = 0; k < SUMS; k++)
            sum[k] += 0.0 * values[i + k];
    for (size_t i = whole; i < count; i++)
        sum[0] += 0.0 * values[i];
    for (size_t k = 1; k < SUMS; k++)
        sum[0] += sum[k];
    return sum[0] == 0.0;
}

static bool contacts_are_finite(const con_problem *problem, const double (*R)[3], con_span range)
{
    size_t n = (size_t)(range.end - range.begin), first = (size_t)range.begin;
    return n == 0 ||
           (all_finite(problem->q[first], 3 * n) && all_finite(problem->friction + first, n) &&
            all_finite(R[first], 3 * n) && all_finite(&problem->W_diagonal[first].m[0][0], 9 * n));
}

// without contacts too
static bool bodies_are_finite(const con_problem *problem)
{
    size_t n = (size_t)problem->contact_count, m = (size_t)problem->body_count;
    if (problem->H == NULL)
        return problem->W == NULL ||
               all_finite(&problem->W->block[0].m[0][0], 9 * (size_t)problem->W->start[n]);
    return m == 0 ||
           (all_finite(problem->mass_inverse[0], 6 * m) && all_finite(problem->v_free[0], 6 * m));
}

static bool friction_is_allowed(const con_problem *problem, con_span range)
{
    for (int i = range.begin; i < range.end; i++)
        if (!(problem->friction[i] >= 0.0) ||
            (con_is_moment(problem, i) && (i == 0 || con_is_moment(problem, i - 1))))
            return false;
    return true;
}

// of several processes each looks at the contacts that it holds
static cairn_status check_input(const con_problem *problem, const double (*R)[3])
{
    int n = problem->contact_count;
    bool finite = n == 0 || bodies_are_finite(problem), allowed = true;
    for (int task = 0; task < con_domains_tasks(problem->domains); task++) {
        con_span held = con_domains_held(problem->domains, n, task);
        finite = finite && contacts_are_finite(problem, R, held);
        allowed = allowed && friction_is_allowed(problem, held);
    }
    if (con_team_any(problem->domains, !finite))
        return CAIRN_ERROR_NONFINITE;
    return con_team_any(problem->domains, !allowed) ? CAIRN_ERROR_ARGUMENT : CAIRN_OK;
}

// settings of both solvers, where the caller gave none
typedef struct default_settings {
    _Alignas(max_align_t) unsigned char solver[CON_SOLVER_SETTINGS_MAX];
    _Alignas(max_align_t) unsigned char local[CON_LOCAL_SETTINGS_MAX];
} default_settings;

static const void *fill_defaults(const con_solver *solver, const void *settings,
                                 con_control *control, default_settings *defaults)
{
    int count;
    BASE_ASSERT(solver->table.size <= CON_SOLVER_SETTINGS_MAX);
    if (control->local == NULL) {
        control->local = con_local_list(&count)[0];
        control->local_settings = NULL;
    }
    BASE_ASSERT(control->local->table.size <= CON_LOCAL_SETTINGS_MAX);
    if (control->local_settings == NULL) {
        base_settings_defaults(&control->local->table, defaults->local);
        control->local_settings = defaults->local;
    }
    if (settings != NULL)
        return settings;
    base_settings_defaults(&solver->table, defaults->solver);
    return defaults->solver;
}

// brings the problem into the form that the solver wants
static cairn_status prepare_problem(const con_solver *solver, con_problem *problem,
                                    base_arena *arena)
{
    bool bodies = problem->H != NULL;
    if (problem->spinning != NULL && !(solver->needs & CON_TAKES_ROLLING))
        return CAIRN_ERROR_UNSUPPORTED;
    if ((solver->needs & CON_NEEDS_BODIES) && !bodies)
        return CAIRN_ERROR_UNSUPPORTED;
    if (!bodies && problem->W == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (problem->rates != NULL && !(solver->needs & CON_TAKES_RATES))
        return (solver->needs & CON_NEEDS_BODIES) != 0
                   ? CAIRN_ERROR_UNSUPPORTED
                   : con_problem_to_delassus(problem, arena, problem);
    if ((solver->needs & CON_NEEDS_DELASSUS) && problem->W == NULL)
        return con_problem_assemble_delassus(problem, arena);
    return CAIRN_OK;
}

// of the problem, or with a reduction of what it was made from
static cairn_status measure(const con_problem *problem, con_reduction *reduction,
                            const con_control *control, const double (*R)[3], double (*U)[3],
                            con_residual *residual, base_arena *arena)
{
    return reduction != NULL ? con_reduction_residual(reduction, R, U, control->l, residual)
                             : con_residual_compute(problem, R, U, residual, arena);
}

// residual of what came back; for a point that is not finite, of the warm start
static cairn_status certify(const con_problem *problem, con_reduction *reduction,
                            const con_control *control, const double (*guess)[3], double (*R)[3],
                            double (*U)[3], con_report *report, base_arena *arena)
{
    con_residual *residual = &report->residual;
    cairn_status status =
        measure(problem, reduction, control, (const double(*)[3])R, U, residual, arena);
    if (status != CAIRN_ERROR_NONFINITE)
        return status;
    memcpy(R, guess, (size_t)problem->contact_count * sizeof *R);
    report->stop = CON_STOP_FAILED;
    return measure(problem, reduction, control, (const double(*)[3])R, U, residual, arena);
}

static void judge(const con_control *control, con_report *report)
{
    bool within = con_control_error(control, &report->residual) <= control->tolerance;
    if (within && report->stop != CON_STOP_FAILED)
        report->stop = CON_STOP_SOLVED;
    else if (!within && control->stop != NULL && control->stop(control->stop_context))
        report->stop = CON_STOP_INTERRUPTED;
    else if (!within && con_control_is_late(control))
        report->stop = CON_STOP_TIME_LIMIT;
    else if (!within && report->residual.growth > CON_GROWTH_MAX)
        report->stop = CON_STOP_RUNAWAY;
    else if (!within && report->stop == CON_STOP_SOLVED)
        report->stop = CON_STOP_STAGNATED;
}

/// @param reduction  what the problem comes from; NULL where it has never had joints
static cairn_status run(const con_solver *solver, const void *settings, con_problem *problem,
                        con_reduction *reduction, con_control *control, double (*R)[3],
                        double (*U)[3], con_report *report, base_arena *arena)
{
    default_settings defaults;
    settings = fill_defaults(solver, settings, control, &defaults);
    size_t n = (size_t)problem->contact_count;
    double(*guess)[3] = base_arena_allocate(arena, "guess", n, sizeof *guess);
    if (guess == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(guess, R, n * sizeof *guess);

    double begin = base_timer_seconds();
    cairn_status status = prepare_problem(solver, problem, arena);
    if (status == CAIRN_OK)
        status = solver->solve(settings, problem, control, R, report, arena);
    report->seconds = base_timer_seconds() - begin;
    if (status != CAIRN_OK)
        return status;

    status = certify(problem, reduction, control, (const double(*)[3])guess, R, U, report, arena);
    if (status == CAIRN_OK)
        judge(control, report);
    return status;
}

// joints are eliminated before and come back with the certificate
static cairn_status run_reduced(const con_solver *solver, const void *settings,
                                con_reduction *reduction, con_control *control, double (*R)[3],
                                double (*U)[3], con_report *report, base_arena *arena)
{
    if (reduction->jointed->contact_count == 0) {
        report->residual.error_joints =
            con_reduction_velocity(reduction, (const double(*)[3])R, U, control->l);
        judge(control, report);
        return CAIRN_OK;
    }
    con_problem reduced = reduction->problem;
    reduced.domains = reduced.spinning == NULL ? reduced.domains : NULL;
    return run(solver, settings, &reduced, reduction, control, R, U, report, arena);
}

static cairn_status run_jointed(const con_solver *solver, const void *settings,
                                const con_problem *problem, con_control *control, double (*R)[3],
                                double (*U)[3], con_report *report, base_arena *arena)
{
    double begin = base_timer_seconds();
    con_reduction reduction;
    cairn_status status = con_reduce_joints(problem, arena, &reduction);
    double seconds = base_timer_seconds() - begin;
    if (status == CAIRN_OK)
        status = run_reduced(solver, settings, &reduction, control, R, U, report, arena);
    report->seconds += seconds;
    return status;
}

const con_solver *con_solver_find(const char *name)
{
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int i = 0; i < count; i++)
        if (strcmp(solvers[i]->name, name) == 0)
            return solvers[i];
    return NULL;
}

cairn_status con_solve_reduced(const con_solver *solver, const void *settings,
                               con_reduction *reduction, const con_control *control, double (*R)[3],
                               double (*U)[3], con_report *report, base_arena *arena)
{
    *report = (con_report){.stop = CON_STOP_SOLVED};
    cairn_status input = check_input(reduction->jointed, (const double(*)[3])R);
    if (input != CAIRN_OK)
        return input;
    con_control told = *control;
    con_control_begin(&told);
    base_arena_mark mark = base_arena_get_mark(arena);
    cairn_status status = run_reduced(solver, settings, reduction, &told, R, U, report, arena);
    base_arena_rewind(arena, mark);
    return status;
}

cairn_status con_solve(const con_solver *solver, const void *settings, const con_problem *problem,
                       const con_control *control, double (*R)[3], double (*U)[3],
                       con_report *report, base_arena *arena)
{
    *report = (con_report){.stop = CON_STOP_SOLVED};
    bool jointed = problem->joints != NULL;
    if (problem->contact_count == 0 && !jointed)
        return CAIRN_OK;
    cairn_status input = check_input(problem, (const double(*)[3])R);
    if (input != CAIRN_OK)
        return input;
    con_problem copy = *problem;
    // force and moment of a contact must be of one task
    copy.domains = problem->spinning == NULL ? problem->domains : NULL;
    con_control told = *control;
    con_control_begin(&told);
    base_arena_mark mark = base_arena_get_mark(arena);
    cairn_status status = jointed ? run_jointed(solver, settings, &copy, &told, R, U, report, arena)
                                  : run(solver, settings, &copy, NULL, &told, R, U, report, arena);
    base_arena_rewind(arena, mark);
    return status;
}
