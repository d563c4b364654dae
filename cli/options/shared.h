// SPDX-License-Identifier: Apache-2.0
// Options that several subcommands share: one table, struct and default a group.
#ifndef CAIRN_CLI_OPTIONS_SHARED_H
#define CAIRN_CLI_OPTIONS_SHARED_H

#include "cli/text/options.h"

/// Which solver, with which settings: run, view, render, solve.
typedef struct cli_solver_choice {
    cli_assignments solver_settings, local_settings;
    const char *solver, *local; // NULL: the scene's, or the default
    int64_t threads;            // 0: the scene's, or one
} cli_solver_choice;

/// What the command line changes in a scene: run, view, render.
typedef struct cli_scene_choice {
    cli_assignments parameters, simulation;
    const char *law;  // NULL: the scene's
    double tolerance; // NAN: the scene's
    int64_t seed;     // -1: the scene's
} cli_scene_choice;

/// What a solution of a problem file must reach: solve, bench.
typedef struct cli_accuracy {
    double tolerance;
    bool both_measures;
} cli_accuracy;

/// Rows of .groups of a subcommand, for a member of its settings.
#define CLI_SOLVER_GROUP(settings, member)                                                         \
    {                                                                                              \
        cli_solver_options, CLI_SOLVER_OPTION_COUNT, offsetof(settings, member)                    \
    }
#define CLI_SCENE_GROUP(settings, member)                                                          \
    {                                                                                              \
        cli_scene_options, CLI_SCENE_OPTION_COUNT, offsetof(settings, member)                      \
    }
#define CLI_ACCURACY_GROUP(settings, member)                                                       \
    {                                                                                              \
        cli_accuracy_options, CLI_ACCURACY_OPTION_COUNT, offsetof(settings, member)                \
    }

enum { CLI_SOLVER_OPTION_COUNT = 5, CLI_SCENE_OPTION_COUNT = 5, CLI_ACCURACY_OPTION_COUNT = 2 };

extern const cli_option cli_solver_options[CLI_SOLVER_OPTION_COUNT];
extern const cli_option cli_scene_options[CLI_SCENE_OPTION_COUNT];
extern const cli_option cli_accuracy_options[CLI_ACCURACY_OPTION_COUNT];

void cli_scene_defaults(cli_scene_choice *scene);
void cli_accuracy_defaults(cli_accuracy *accuracy);

/// How to load a scene; all texts are borrowed.
scn_options cli_scene_load_options(const cli_scene_choice *scene, const cli_solver_choice *solver);

#endif
