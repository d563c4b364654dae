// SPDX-License-Identifier: Apache-2.0
// A solver of the program's own in the place of one of ours.
#include "engine/files/problems.h"
#include "engine/state/world.h"

/// Settings of the solver "program"; scenes cannot set them.
typedef struct program_solver {
    cairn_solver_function *function;
    void *context;
    con_fclib_form form;
} program_solver;

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    const program_solver *program = settings;
    // what is left of a problem with joints has them in its W alone
    bool bodies = problem->H != NULL && problem->reduction == NULL && problem->rates == NULL;
    con_fclib_form form = bodies ? program->form : CON_FCLIB_LOCAL;
    con_problem whole = *problem;
    cairn_status status = CAIRN_OK;
    if (form == CON_FCLIB_LOCAL && whole.W == NULL)
        status = con_problem_assemble_delassus(&whole, arena);
    con_fclib_problem content;
    if (status == CAIRN_OK)
        status = con_fclib_from_problem(form, &whole, arena, &content, NULL);
    if (status != CAIRN_OK)
        return status;
    cairn_problem_data data = eng_problem_data(&content);
    data.guess = R[0];
    report->iterations = 0;
    // the caller judges the point
    report->stop = CON_STOP_SOLVED;
    return program->function(program->context, &data, control->tolerance, R, &report->iterations);
}

static const con_solver solver_of_program = {
    .name = "program",
    .help = "a function of the program that runs the world",
    .table = {.size = sizeof(program_solver)},
    .solve = solve,
};

cairn_status cairn_world_set_solver_function(cairn_world *world, cairn_problem_kind kind,
                                             cairn_solver_function *function, void *context,
                                             cairn_error *error)
{
    if (world == NULL || function == NULL)
        return base_fail_null(error, __func__);
    _Static_assert(sizeof(program_solver) <= CON_SOLVER_SETTINGS_MAX, "settings must fit");
    world->model.solver.plugin = &solver_of_program;
    *(program_solver *)world->model.solver.settings = (program_solver){
        function, context, kind == CAIRN_PROBLEM_LOCAL ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL};
    return CAIRN_OK;
}
