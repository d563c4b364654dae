// SPDX-License-Identifier: Apache-2.0
// What the stages of a problem take from those of a model.
#ifndef CAIRN_CONTACT_STRATEGY_METHODS_H
#define CAIRN_CONTACT_STRATEGY_METHODS_H

#include "contact/strategy/strategy.h"

/// Nominal seconds of one factorisation.
cairn_status con_strategy_effort(const con_newton *model, double *effort) CAIRN_CHECK_RESULT;

/// The proximal method in one of its forms (con_proximal_form) from r.
cairn_status con_strategy_proximal(con_newton *model, int form, double weight, int solves,
                                   double deadline, const double (*r)[3]) CAIRN_CHECK_RESULT;

/// Everything that is known for one island or patch.
cairn_status con_strategy_solve_model(con_strategy *strategy, con_newton *model) CAIRN_CHECK_RESULT;

#endif
