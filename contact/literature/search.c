// SPDX-License-Identifier: Apache-2.0
// Bookkeeping of a first-order solver.
#include "contact/literature/search.h"

#include "base/timer.h"

#include <math.h>

cairn_status con_search_begin(con_search *search, const con_problem *problem,
                              const con_control *control, int default_limit, double (*R)[3],
                              con_report *report, base_arena *arena, double (**r)[3])
{
    *search = (con_search){
        .problem = problem,
        .control = control,
        .report = report,
        .arena = arena,
        .R = R,
        .best_error = INFINITY,
        .deadline =
            control->time_limit > 0.0 ? base_timer_seconds() + control->time_limit : INFINITY,
        .limit = control->max_iterations > 0 ? control->max_iterations : default_limit,
    };
    cairn_status status = con_operator_create(problem, arena, &search->op);
    if (status == CAIRN_OK) {
        int n = search->problem->contact_count;
        *r = con_vectors(search->arena, n);
        search->point_R = con_vectors(search->arena, n);
        search->point_U = con_vectors(search->arena, n);
        search->best = con_vectors(search->arena, n);
        bool complete = *r != NULL && search->point_R != NULL && search->point_U != NULL &&
                        search->best != NULL;
        status = complete ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    }
    if (status != CAIRN_OK)
        return status;
    con_operator_scale(&search->op, (const double(*)[3])R, *r);
    con_operator_project(&search->op, (const double(*)[3]) * r, *r);
    con_operator_unscale(&search->op, (const double(*)[3]) * r, search->best);
    return CAIRN_OK;
}

double con_search_test(con_search *search, const double (*r)[3], const double (*u)[3])
{
    con_residual residual;

    // to problem
    const con_operator *op = &search->op;
    con_operator_unscale(op, r, search->point_R);
    con_operator_scale(op, u, search->point_U);
    for (int i = 0; i < op->contact_count; i++)
        if (op->unit[i] == 0.0)
            memcpy(search->point_U[i], search->problem->q[i], sizeof search->point_U[i]);

    if (con_residual_of(search->problem, (const double(*)[3])search->point_R,
                        (const double(*)[3])search->point_U, &residual) != CAIRN_OK)
        return NAN;
    const con_control *control = search->control;
    con_report *report = search->report;
    double error = con_control_error(control, &residual);
    if (control->history != NULL && report->history_count < control->history_capacity)
        control->history[report->history_count++] = residual.error;
    if (error < search->best_error) {
        search->best_error = error;
        con_vectors_copy(search->problem->contact_count, (const double(*)[3])search->point_R,
                         search->best);
    }
    return error;
}

bool con_search_solved(const con_search *search)
{
    return search->best_error <= search->control->tolerance;
}

static bool is_past_deadline(const con_search *search)
{
    return con_control_is_late(search->control) ||
           (isfinite(search->deadline) && base_timer_seconds() >= search->deadline);
}

bool con_search_late(const con_search *search)
{
    return search->report->iterations >= search->limit || is_past_deadline(search);
}

bool con_search_count(con_search *search)
{
    if (con_search_late(search))
        return false;
    search->report->iterations++;
    return true;
}

void con_search_finish(con_search *search, bool failed)
{
    con_vectors_copy(search->problem->contact_count, (const double(*)[3])search->best, search->R);
    search->report->stop = con_search_solved(search)                     ? CON_STOP_SOLVED
                           : failed                                      ? CON_STOP_FAILED
                           : search->report->iterations >= search->limit ? CON_STOP_ITERATION_LIMIT
                           : is_past_deadline(search)                    ? CON_STOP_TIME_LIMIT
                                                                         : CON_STOP_STAGNATED;
}
