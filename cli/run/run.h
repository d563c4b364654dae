// SPDX-License-Identifier: Apache-2.0
// A headless run: its options, its files, its totals. Shared by cmd_run.c and run_*.c.
#ifndef CAIRN_CLI_RUN_RUN_H
#define CAIRN_CLI_RUN_RUN_H

#include "base/ranks/ranks.h"
#include "cli/options/shared.h"
#include "cli/process/files.h"
#include "cli/process/lock.h"
#include "cli/text/progress.h"
#include "scenes/scene.h"

/// What is read of a world after a step. Several processes gather no more than that.
typedef enum run_read {
    RUN_READS_NOTHING,
    RUN_READS_ENERGY,
    RUN_READS_BODIES,
    RUN_READS_ALL
} run_read;

/// Filled by the option table of cmd_run.c.
typedef struct run_settings {
    cli_common common;
    cli_scene_choice scene;
    cli_solver_choice solving;
    double step, until;      // NAN: the scene's; step INFINITY: auto
    double scene_time_limit; // s
    double memory_limit;     // MB
    const char *vectors;     // NULL: as the environment says
    const char *out;         // NULL: out/<scene>
    const char *fclib;       // NULL: the scene's choice
    const char *fclib_form, *fclib_when;
    const char *paraview;                              // NULL: the scene's
    int64_t fclib_every, paraview_every, energy_every; // -1: the scene's
    int64_t contacts_every;                            // steps; -1: the scene's
    int64_t trajectory_every;                          // steps; 0: none; -1: 25 a simulated second
    const char *restart;      // checkpoint to go on from; NULL: from the start
    double rank_timeout;      // s that one process waits for another; 0: for ever
    const char *hash;         // file of the state hash of every step; NULL: none
    double checkpoint_every;  // s of wall clock; 0: none while running
    int64_t checkpoint_steps; // 0: none
    int64_t checkpoint_keep;
    double strict_energy, strict_penetration; // bounds of --strict
    bool strict, accept_unsolved, json, quiet;
} run_settings;

/// Sums and extremes over the steps of a run.
typedef struct run_totals {
    int64_t steps, solved_steps; // solved_steps: with something to solve
    int64_t unsolved;            // above the tolerance
    int64_t divided;             // made in several pieces, so that they end within it
    double iterations;           // sum
    double error_max, error_scaled_max, error_siconos_max;
    int contacts_max;
    double penetration_max, penetration_relative_max;
    double seconds; // s, of stepping alone
    double phases[CAIRN_PHASE_COUNT];
    int64_t frames, problems; // written
} run_totals;

/// Tables that grow by a row at a time.
typedef enum run_table {
    RUN_ENERGY,
    RUN_SENSORS,
    RUN_MEASURES,
    RUN_BONDS,
    RUN_HASH,
    RUN_TABLE_COUNT
} run_table;

/// Folders of a run while it goes on; zero-initialised by run_folder_none.
typedef struct run_folder {
    cli_lock results, problems; // of the results, and of --fclib DIR where that is another one
    bool aside;                 // what an earlier run left is set aside
} run_folder;

/// Where a run's files go, and those that are open.
typedef struct run_files {
    char folder[PATH_MAX], fclib[PATH_MAX], paraview[PATH_MAX];
    FILE *tables[RUN_TABLE_COUNT]; // NULL where there is none
    int breaks;                    // bonds that are in bonds.csv
    double flushed;                // s, of the timer, when tables were last written out
    cairn_paraview *frames;        // NULL: none
    cairn_trajectory *trajectory;  // NULL: none
    int trajectory_every;          // steps; 0: none
    int paraview_every;            // steps; 0: none
} run_files;

/// How far the files of a run were at a checkpoint.
typedef struct run_marks {
    int64_t bytes[RUN_TABLE_COUNT]; // -1: no such table
    cairn_paraview_state paraview;
    int64_t trajectory; // frames
} run_marks;

typedef struct run_state {
    const run_settings *settings;
    base_ranks *ranks;          // processes that run the scene together; NULL: this one alone
    base_neighbour *neighbours; // [processes] for messages; the scene's allocator's
    bool writes;                // this one writes files and speaks
    bool save_agreed;           // a checkpoint is due
    cairn_error message_error;  // why a message of the world failed; status CAIRN_OK: none did
    int error_output;           // of a process that is silent; -1: none
    double cpu_start;           // s of processor time as stepping began,
    base_ranks_time waited;     // and what had been waited for other processes until then
    size_t resident; // bytes of memory after the last step but before all of its state was gathered
    run_read read_agreed; // what of the state after the next step is read
    uint64_t hash;        // of the state at the end
    scn_scene *scene;
    scn_output output;   // the scene's, with the command line's changes; texts borrowed
    bool fclib;          // problems are written
    int64_t target;      // steps at the end time, or where the scene stops the run
    const char *stopped; // the scene's stop that has come; NULL: none
    bool stopped_before; // there was one when the run began, which goes on all the same
    cairn_guard guard;   // watches the steps
    bool resumes;        // the folder's files go on behind the marks
    run_marks marks;
    double checkpoint_time;  // s, timer at the last checkpoint
    int64_t checkpoint_step; // of the last checkpoint; -1: none
    run_folder claimed;
    run_files files;
    run_totals totals;
    cli_progress progress;
} run_state;

/// Warns of a time step above the stable one of the explicit laws; with --step auto takes 1/30 of
/// that instead, or the scene's step where no law has a limit.
/// @return exit status
int run_step_choose(const run_settings *settings, cairn_world *world);

/// A stop of the scene that has come in this run makes the step its last one.
void run_stop_note(run_state *run);

/// Joins the processes that a launcher started together. All but the first are silent from then on.
/// @return exit status: CLI_EXIT_ABSENT where the build has no MPI
int run_ranks_join(run_state *run);

/// The highest exit status of all processes. The first one says when another could not go on.
int run_ranks_worst(const run_state *run, int result);

/// Between steps: whether it failed anywhere, with the message of that process; whether a signal
/// asked one of them to stop, whether a checkpoint is due, and whether the next step is read.
cairn_status run_ranks_agree(run_state *run, cairn_status status,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// The processes share the world's work from now on.
cairn_status run_ranks_share(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// What one process alone meets within a step (no memory, a broken line) ends all: the others wait.
_Noreturn void run_ranks_abort(const run_state *run, const cairn_error *error);

/// Early in a run: why nothing is shared, where nothing is.
void run_ranks_look(const run_state *run);

/// What was shared and sent, on standard error.
void run_ranks_tell(const run_state *run);

/// Waits for the others, and leaves them.
void run_ranks_leave(run_state *run);

/// Chooses the folder of the results.
cairn_status run_files_choose(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// A run without folders yet.
run_folder run_folder_none(void);

/// Makes the folders and takes them for this run alone.
cairn_status run_folder_claim(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Sets aside what an earlier run left in them, so that no file of it stays among the new ones.
/// Nothing for a run that resumes.
cairn_status run_folder_clear(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Removes what was set aside, or brings it back where the files could not be opened.
void run_folder_settle(run_state *run, bool opened);

/// Gives the folders free.
void run_folder_release(run_state *run);

/// Makes the folders and opens the files of a run, with the first rows and the first frame; a run
/// that resumes goes on behind its marks instead.
cairn_status run_files_open(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// What the row, frame or problem that a step leaves is made of.
/// @param last  the run ends with it
run_read run_files_read(const run_state *run, int64_t step, bool last);

/// Rows, frame and problem of the step that was just done, as far as they are due.
cairn_status run_files_step(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// The state at the end as rows and frames, where the last step was not due for them. A checkpoint
/// comes before it, so that a run that resumes has the rows and frames of one that was not stopped.
cairn_status run_files_final(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Opens DIR/trajectory.h5 with its first frame, or goes on behind the mark.
cairn_status run_trajectory_open(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether a step has a frame, where there is a trajectory.
bool run_trajectory_is_due(const run_state *run, int64_t step);

/// Frame of the step that was just done, if it is due.
cairn_status run_trajectory_step(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Frame of the end, if the last step had none.
cairn_status run_trajectory_final(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Steps between 25 frames a simulated second.
int run_frame_steps(const run_state *run);

/// The problem of the last step in every chosen form; nothing where there was none.
cairn_status run_files_problem(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// With --strict, before the first step: refuses bodies that overlap by more than the bound.
/// @return exit status
int run_strict_start(run_state *run);

/// With --strict: CAIRN_ERROR_NUMERICAL for a step that leaves a bound; its problem is written.
cairn_status run_strict_step(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Writes the problem of a step that failed by its numbers, and says so. @return `status`
cairn_status run_broken_step(run_state *run, cairn_status status,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Brings the tables to the disk and notes how far the files are.
cairn_status run_files_mark(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// Saves DIR/checkpoint.h5; the one before becomes checkpoint.1.h5, and so on. Changes nothing in
/// the world. Of several processes all call it, and the first one writes.
/// @param written  out: how that went; of the others CAIRN_OK
/// @return what became of messages between processes
cairn_status run_checkpoint_write(run_state *run, cairn_status *written,
                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether a checkpoint is due: by the clock, by the number of steps, or asked for by a signal,
/// which is forgotten then.
bool run_checkpoint_is_due(run_state *run);

/// Brings world and totals to the checkpoint of --restart; decides whether the files resume.
cairn_status run_checkpoint_restore(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

cairn_status run_files_close(run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// The object of `cairn run --json`: the keys of the contract and no others.
/// @param status  "done", "unsolved", "interrupted" or "failed"
void run_summary_json(const run_state *run, const char *status, FILE *out);

/// DIR/summary.json: the same keys and what else is known; DIR/summary.txt: the readable table.
cairn_status run_summary_write(const run_state *run, const char *status, const char *message,
                               cairn_error *error) CAIRN_CHECK_RESULT;

/// The readable table.
void run_summary_print(const run_state *run, const char *status, FILE *out);

/// DIR/bodies.csv: where every body ended, one row a body in order of creation.
cairn_status run_bodies_write(const run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

/// DIR/resolved.json: every setting in force.
cairn_status run_resolved_write(const run_state *run, cairn_error *error) CAIRN_CHECK_RESULT;

#endif
