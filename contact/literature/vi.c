// SPDX-License-Identifier: Apache-2.0
// The law as a variational inequality: values, projections, self-adaptive steps.
#include "contact/literature/vi.h"

#include <math.h>

const char *const con_vi_rule_names[] = {"upk", "upts", NULL};

void con_vi_evaluate(con_vi *vi, const double (*r)[3], double (*u)[3], double (*F)[3])
{
    con_operator *op = &vi->search.op;
    con_operator_apply(op, r, true, u);
    for (int i = 0; i < op->contact_count; i++) {
        if (op->spinning != NULL && op->spinning[i] >= 0.0) {
            const con_rolling_cone cone = con_operator_cone(op, i - 1);
            con_rolling_cone_shift((const double(*)[3])(u + i - 1), &cone, F + i - 1);
            continue;
        }
        F[i][0] = u[i][0] + op->mu[i] * sqrt(u[i][1] * u[i][1] + u[i][2] * u[i][2]);
        F[i][1] = u[i][1];
        F[i][2] = u[i][2];
    }
}

cairn_status con_vi_begin(con_vi *vi, const con_problem *problem, const con_control *control,
                          int default_limit, double rho, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    *vi = (con_vi){.rho = rho};
    BASE_TRY(
        con_search_begin(&vi->search, problem, control, default_limit, R, report, arena, &vi->r));
    double(**const arrays[])[3] = {&vi->u, &vi->F, &vi->trial_r, &vi->trial_u, &vi->trial_F};
    for (int k = 0; k < 5; k++) {
        *arrays[k] = con_vectors(arena, problem->contact_count);
        if (*arrays[k] == NULL)
            return CAIRN_ERROR_MEMORY;
    }
    con_vi_evaluate(vi, (const double(*)[3])vi->r, vi->u, vi->F);
    return CAIRN_OK;
}

void con_vi_project(const con_vi *vi, const double (*r)[3], double step, const double (*F)[3],
                    double (*out)[3])
{
    const con_operator *op = &vi->search.op;
    for (int i = 0; i < op->contact_count; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] = r[i][k] - step * F[i][k];
    con_operator_project(op, (const double(*)[3])out, out);
}

// how much the map expands from the point to the trial
static double ratio_of(const con_vi *vi, int rule)
{
    double dr2 = 0.0, dF2 = 0.0, product = 0.0;
    for (int i = 0; i < vi->search.op.contact_count; i++)
        for (int k = 0; k < 3; k++) {
            double dr = vi->r[i][k] - vi->trial_r[i][k], dF = vi->F[i][k] - vi->trial_F[i][k];
            dr2 += dr * dr;
            dF2 += dF * dF;
            product += dr * dF;
        }
    if (!(dr2 > 0.0))
        return 0.0;
    return vi->rho * (rule == CON_VI_UPK ? sqrt(dF2 / dr2) : product / dr2);
}

bool con_vi_trial(con_vi *vi, const con_vi_settings *settings, double *ratio)
{
    for (;;) {
        if (!con_search_count(&vi->search))
            return false;
        con_vi_project(vi, (const double(*)[3])vi->r, vi->rho, (const double(*)[3])vi->F,
                       vi->trial_r);
        con_vi_evaluate(vi, (const double(*)[3])vi->trial_r, vi->trial_u, vi->trial_F);
        *ratio = ratio_of(vi, settings->rule);
        if (!(*ratio > settings->largest))
            return true;
        vi->rho *= settings->factor * fmin(1.0, 1.0 / *ratio);
    }
}

static void swap(double (**a)[3], double (**b)[3])
{
    double(*other)[3] = *a;
    *a = *b;
    *b = other;
}

void con_vi_accept(con_vi *vi)
{
    swap(&vi->r, &vi->trial_r);
    swap(&vi->u, &vi->trial_u);
    swap(&vi->F, &vi->trial_F);
}

bool con_vi_go_on(con_vi *vi)
{
    double error =
        con_search_test(&vi->search, (const double(*)[3])vi->r, (const double(*)[3])vi->u);
    vi->failed = !isfinite(error);
    return !vi->failed && !con_search_solved(&vi->search) && !con_search_late(&vi->search);
}
