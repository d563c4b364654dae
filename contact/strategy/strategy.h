// SPDX-License-Identifier: Apache-2.0
// What `auto` does, as tables of stages: one for all contacts together, one for the model of an
// island or patch, one for the search where no path is known to lead to a solution.
#ifndef CAIRN_CONTACT_STRATEGY_STRATEGY_H
#define CAIRN_CONTACT_STRATEGY_STRATEGY_H

#include "contact/solvers/newton/cascade.h"

/// Settings of `auto`; the table in auto.c says what each means.
typedef struct con_strategy_settings {
    int warm_sweeps, warm_solves, sweeps, guess_sweeps, gradient_steps, interior_iterations,
        polish_solves, restarts, proximal_solves, last_sweeps, last_solves, newton_steps;
    double warm_error, relaxation, sweep_fraction, polish_weight, guess_share, zero_effort,
        guess_effort, halving_effort;
} con_strategy_settings;

/// A solve under way: its settings, lowered to what it may spend.
typedef struct con_strategy {
    con_cascade *cascade;
    con_strategy_settings settings;
    bool warm;            // from a guess
    int first_iterations; // of the first interior point
    double effort_left;   // s of the search, by operation counts
    double reserve;       // s of it that the search leaves to the last resort
    int gradient_worth;   // factorisations that gradient steps may cost
    bool both_paces;      // of the gradient, also where factors are not dear
    bool wide;            // patches may be so large a part of an island as after a whole solve
} con_strategy;

/// When a stage has its turn. Those of a problem end once all islands are solved, those of a model
/// once it is solved or late.
enum {
    CON_STAGE_FROM_GUESS = 1,
    CON_STAGE_FROM_ZERO = 2,
    CON_STAGE_FORCES = 4,    // no contact resists rolling: the method knows no rolling cones
    CON_STAGE_MOMENTS = 8,   // some do
    CON_STAGE_LATE = 16,     // also where the model is late: it may have run away from its start
    CON_STAGE_IN_TIME = 32,  // the whole solve is not late
    CON_STAGE_UNHALVED = 64, // the step cannot be halved instead
};

typedef struct con_stage {
    const char *name;
    unsigned when;
    /// @param model  NULL where the stage is one of the whole problem
    cairn_status (*run)(con_strategy *strategy, con_newton *model);
} con_stage;

/// Stages in turn, until one has solved what they are for. @param model  or NULL
cairn_status con_strategy_run(con_strategy *strategy, con_newton *model, const con_stage *stages,
                              int count) CAIRN_CHECK_RESULT;

/// Everything that is known for a problem.
cairn_status con_strategy_solve(con_strategy *strategy) CAIRN_CHECK_RESULT;

/// Whether an island is above the tolerance, and whether none is.
bool con_strategy_is_open(const con_strategy *strategy, int island);
bool con_strategy_all_solved(const con_strategy *strategy);

#endif
