// SPDX-License-Identifier: Apache-2.0
// A headless run: its options, its files, its totals. Shared by cmd_run.c and run_*.c.
#ifndef CAIRN_CLI_RUN_H
#define CAIRN_CLI_RUN_H

#include "cli/files.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "scenes/scene.h"

/// Filled by the option table of cmd_run.c.
typedef struct run_settings {
    cli_common common;
    cli_assignments parameters, solver_settings, local_settings;
    const char *law, *solver, *local;
    double tolerance, step, until; // NAN: the scene's; step INFINITY: auto
    double scene_time_limit;       // s
    int64_t threads;               // 0: the scene's
    int64_t seed;                  // -1: the scene's
    const char *out;               // NULL: out/<scene>
    const char *fclib;             // NULL: the scene's choice
    const char *fclib_form, *fclib_when;
    int64_t fclib_every, paraview_every, energy_every; // -1: the scene's
    const char *restart;
    bool strict, json, quiet;
} run_settings;

/// Sums and extremes over the steps of a run.
typedef struct run_totals {
    int64_t steps, solved_steps; // solved_steps: with something to solve
    int64_t unsolved;            // above the tolerance
    double iterations;           // sum
    double error_max;
    int contacts_max;
    double penetration_max, penetration_relative_max;
    double seconds; // s, of stepping alone
    double phases[CAIRN_PHASE_COUNT];
    int64_t frames, problems; // written
} run_totals;

/// Where a run's files go, and those that are open.
typedef struct run_files {
    char folder[PATH_MAX], fclib[PATH_MAX], paraview[PATH_MAX];
    FILE *energy, *sensors; // sensors: NULL where the scene has none
    cairn_paraview *frames; // NULL: none
    int paraview_every;     // steps; 0: none
} run_files;

typedef struct run_state {
    const run_settings *settings;
    scn_scene *scene;
    scn_output output; // the scene's, with the command line's changes; texts borrowed
    bool fclib;        // problems are written
    double supply;     // J, energy there was at the start
    run_files files;
    run_totals totals;
    cli_progress progress;
} run_state;

/// Warns of a time step above the stable one of the explicit laws; with --step auto takes 1/30 of
/// that instead, or the scene's step where no law has a limit.
/// @return exit status
int run_step_choose(const run_settings *settings, cairn_world *world);

/// Makes the folders and opens the files of a run, with the first rows and the first frame.
cairn_status run_files_open(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Rows, frame and problem of the step that was just done, as far as they are due.
cairn_status run_files_step(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// The problem of the last step in every chosen form; nothing where there was none.
cairn_status run_files_problem(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

cairn_status run_files_close(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// The object of `cairn run --json`: the keys of the contract and no others.
void run_summary_json(const run_state *run, FILE *out);

/// DIR/summary.json: the same keys and what else is known. @param status  "done", "failed"...
cairn_status run_summary_write(const run_state *run, const char *status, const char *message,
                               cairn_error *error) CAIRN_CHECK_RESULT;

/// The readable table.
void run_summary_print(const run_state *run, const char *status);

/// DIR/bodies.csv: where every body ended, one row a body in order of creation.
cairn_status run_bodies_write(const run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// DIR/resolved.json: every setting in force.
cairn_status run_resolved_write(const run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
