// SPDX-License-Identifier: Apache-2.0
// The existence test of a problem from a file, behind the public header.
#include "contact/existence/existence.h"
#include "engine/files/problems.h"

static cairn_existence_verdict verdict_of(con_existence_verdict verdict)
{
    switch (verdict) {
    case CON_EXISTENCE_SHOWN:
        return CAIRN_EXISTENCE_SHOWN;
    case CON_EXISTENCE_NOT_SHOWN:
        return CAIRN_EXISTENCE_NOT_SHOWN;
    case CON_EXISTENCE_NONE:
        return CAIRN_EXISTENCE_NONE;
    case CON_EXISTENCE_BORDERLINE:
        break;
    }
    return CAIRN_EXISTENCE_BORDERLINE;
}

const char *cairn_existence_name(cairn_existence_verdict verdict)
{
    static const con_existence_verdict inner[] = {CON_EXISTENCE_SHOWN, CON_EXISTENCE_BORDERLINE,
                                                  CON_EXISTENCE_NOT_SHOWN, CON_EXISTENCE_NONE};
    bool known = (unsigned)verdict < sizeof inner / sizeof inner[0];
    return known ? con_existence_name(inner[verdict]) : "";
}

cairn_status cairn_problem_check(const cairn_problem *problem, cairn_existence *existence,
                                 double (*direction)[3], cairn_error *error)
{
    if (problem == NULL || existence == NULL)
        return base_fail_null(error, __func__);
    con_existence found;
    cairn_status status =
        con_existence_check(&problem->conversion->problem, &found, direction, problem->arena);
    if (status == CAIRN_ERROR_UNSUPPORTED)
        return base_fail(error, status,
                         "the W of %d contacts is too full for the existence test: its factors "
                         "would take more than 2 GB",
                         problem->content->contact_count);
    if (status != CAIRN_OK)
        return base_fail(error, status, "existence test: %s", cairn_status_text(status));
    *existence = (cairn_existence){
        .verdict = verdict_of(found.verdict),
        .zero_solves = found.zero_solves,
        .scale = found.scale,
        .margin = found.margin,
        .margin_bound = found.margin_bound,
        .certificate_product = found.certificate_product,
        .certificate_residual = found.certificate_residual,
        .rank = found.rank,
        .iterations = found.iterations,
    };
    return CAIRN_OK;
}
