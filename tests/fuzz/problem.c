// SPDX-License-Identifier: Apache-2.0
// Fuzz target: problem files (FCLIB), described, checked and solved for a few iterations.
#include "tests/fuzz/small_world.h"

enum { ROWS_MAX = 60 };

void fuzz_write_seeds(const char *folder)
{
    char path[1024];
    cairn_error error = {0};
    cairn_world *world = small_world_make(false);
    small_world_steps(world, 2);
    snprintf(path, sizeof path, "%s/local.hdf5", folder);
    cairn_status status =
        cairn_world_write_fclib(world, path, CAIRN_FCLIB_LOCAL, "title", "description", &error);
    fuzz_demand(status == CAIRN_OK, "local form");
    snprintf(path, sizeof path, "%s/global.hdf5", folder);
    status =
        cairn_world_write_fclib(world, path, CAIRN_FCLIB_GLOBAL, "title", "description", &error);
    fuzz_demand(status == CAIRN_OK, "global form");
    cairn_world_destroy(world);
}

/// Whatever the numbers are: an answer or a status.
static void use(cairn_problem *problem)
{
    cairn_problem_view view;
    cairn_solve_report report;
    cairn_existence existence;
    cairn_error error = {0};
    if (3 * cairn_problem_get_contact_count(problem) > ROWS_MAX ||
        cairn_problem_get_dof_count(problem) > ROWS_MAX)
        return;
    cairn_solve_def def = cairn_default_solve_def();
    def.max_iterations = 5;
    def.guess = true;
    (void)!cairn_problem_get_info(problem, &view, &error);
    (void)!cairn_problem_check(problem, &existence, NULL, &error);
    (void)!cairn_problem_solve(problem, &def, &report, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file file = fuzz_file_make(data, size);
    cairn_problem *problem = NULL;
    cairn_error error = {0};
    if (cairn_problem_read(file.path, &problem, &error) == CAIRN_OK) {
        use(problem);
        cairn_problem_destroy(problem);
    } else {
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
    }
    close(file.descriptor);
    return 0;
}
