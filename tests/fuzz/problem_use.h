// SPDX-License-Identifier: Apache-2.0
// What is done with a problem that a fuzz target has read.
#ifndef CAIRN_TESTS_FUZZ_PROBLEM_USE_H
#define CAIRN_TESTS_FUZZ_PROBLEM_USE_H

#include "tests/fuzz/fuzz.h"
#include <cairn/cairn.h>

enum { PROBLEM_ROWS_MAX = 60 };

/// Described, checked and solved for a few iterations; whatever the numbers are: an answer or a
/// status.
static inline void problem_use(const char *path)
{
    cairn_problem *problem = NULL;
    cairn_problem_view view;
    cairn_solve_report report;
    cairn_existence existence;
    cairn_error error = {0};
    if (cairn_problem_read(path, &problem, &error) != CAIRN_OK) {
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
        return;
    }
    if (3 * cairn_problem_get_contact_count(problem) <= PROBLEM_ROWS_MAX &&
        cairn_problem_get_dof_count(problem) <= PROBLEM_ROWS_MAX) {
        cairn_solve_def def = cairn_default_solve_def();
        def.max_iterations = 5;
        def.guess = true;
        (void)!cairn_problem_get_info(problem, &view, &error);
        (void)!cairn_problem_check(problem, &existence, NULL, &error);
        (void)!cairn_problem_solve(problem, &def, &report, &error);
    }
    cairn_problem_destroy(problem);
}

#endif
