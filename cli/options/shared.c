// SPDX-License-Identifier: Apache-2.0
// Tables of the options that several subcommands share.
#include "cli/options/shared.h"

#include "cli/process/status.h"

#include <limits.h>
#include <math.h>

const cli_option cli_solver_options[CLI_SOLVER_OPTION_COUNT] = {
    {.name = "solver",
     .type = CLI_PLUGIN,
     .offset = offsetof(cli_solver_choice, solver),
     .argument = "SOLVER",
     .help = "solver of the implicit law (cairn list solvers)",
     .plugin = CAIRN_SOLVER},
    {.name = "solver-set",
     .type = CLI_ASSIGNMENTS,
     .offset = offsetof(cli_solver_choice, solver_settings),
     .argument = "NAME=VALUE",
     .help = "a setting of the solver; may be repeated"},
    {.name = "local",
     .type = CLI_PLUGIN,
     .offset = offsetof(cli_solver_choice, local),
     .argument = "LOCAL",
     .help = "one-contact solver (cairn list locals)",
     .plugin = CAIRN_LOCAL},
    {.name = "local-set",
     .type = CLI_ASSIGNMENTS,
     .offset = offsetof(cli_solver_choice, local_settings),
     .argument = "NAME=VALUE",
     .help = "a setting of the one-contact solver; may be repeated"},
    {.name = "threads",
     .letter = 'j',
     .type = CLI_INTEGER,
     .offset = offsetof(cli_solver_choice, threads),
     .argument = "N",
     .help = "number of threads; results do not depend on it",
     .minimum = 1,
     .maximum = 256},
};

const cli_option cli_scene_options[CLI_SCENE_OPTION_COUNT] = {
    {.name = "set",
     .type = CLI_ASSIGNMENTS,
     .offset = offsetof(cli_scene_choice, parameters),
     .argument = "NAME=VALUE",
     .help = "change a parameter of the scene; may be repeated"},
    {.name = "law",
     .type = CLI_PLUGIN,
     .offset = offsetof(cli_scene_choice, law),
     .argument = "LAW",
     .help = "contact law of every pair (cairn list laws)",
     .plugin = CAIRN_LAW},
    {.name = "simulation-set",
     .type = CLI_ASSIGNMENTS,
     .offset = offsetof(cli_scene_choice, simulation),
     .argument = "NAME=VALUE",
     .help = "a setting of simulation{}, as in margin=false; may be repeated"},
    {.name = "tolerance",
     .type = CLI_NUMBER,
     .offset = offsetof(cli_scene_choice, tolerance),
     .argument = "X",
     .help = "residual that a step must reach",
     .minimum = 1e-16,
     .maximum = 1.0},
    {.name = "seed",
     .type = CLI_INTEGER,
     .offset = offsetof(cli_scene_choice, seed),
     .argument = "N",
     .help = "seed of the scene's random numbers",
     .maximum = INT_MAX},
};

const cli_option cli_accuracy_options[CLI_ACCURACY_OPTION_COUNT] = {
    {.name = "tolerance",
     .type = CLI_NUMBER,
     .offset = offsetof(cli_accuracy, tolerance),
     .argument = "X",
     .help =
         "residual to reach, free of units (default 1e-8, where solvers have to converge; a step "
         "of a run asks for 1e-6)",
     .minimum = 1e-16,
     .maximum = 1.0},
    {.name = "both-measures",
     .type = CLI_FLAG,
     .offset = offsetof(cli_accuracy, both_measures),
     .help = "demand the tolerance of the residual in the units of the file, over |q|, too"},
};

void cli_scene_defaults(cli_scene_choice *scene)
{
    scene->tolerance = NAN;
    scene->seed = -1;
}

void cli_accuracy_defaults(cli_accuracy *accuracy)
{
    accuracy->tolerance = 1e-8;
}

scn_options cli_scene_load_options(const cli_scene_choice *scene, const cli_solver_choice *solver)
{
    scn_options result = scn_default_options();
    result.parameters = scene->parameters.items;
    result.parameter_count = scene->parameters.count;
    result.simulation = scene->simulation.items;
    result.simulation_count = scene->simulation.count;
    result.law = scene->law;
    result.tolerance = scene->tolerance;
    result.seed = scene->seed;
    result.solver = solver->solver;
    result.local = solver->local;
    result.solver_settings = solver->solver_settings.items;
    result.solver_setting_count = solver->solver_settings.count;
    result.local_settings = solver->local_settings.items;
    result.local_setting_count = solver->local_settings.count;
    result.threads = (int)solver->threads;
    result.log = cli_log;
    return result;
}
