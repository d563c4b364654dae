// SPDX-License-Identifier: Apache-2.0
// cairn run: steps a scene to its end time and writes what happened.
#include "base/assert.h"
#include "base/timer.h"
#include "cli/commands.h"
#include "cli/process/interrupt.h"
#include "cli/process/load.h"
#include "cli/process/status.h"
#include "cli/run/run.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// a run with a larger share of steps above the tolerance ends with status 5; help texts say 1 %
static const double unsolved_share = 0.01;
// energies cost as much as some steps of many spheres
enum { EXPLOSION_EVERY = 32 };

static const char *const forms[] = {"local", "global", "both", NULL};
static const char *const contents[] = {"glyphs", "surfaces", "none", NULL};
static const char *const vectors[] = {"avx512", "avx2", "scalar", NULL};

#define FIELD(name) offsetof(run_settings, name)

static const cli_option options[] = {
    {.name = "step",
     .type = CLI_NUMBER,
     .offset = FIELD(step),
     .argument = "H|auto",
     .help = "time step, s; auto: what explicit laws need to meet their restitution to 1e-3",
     .minimum = 1e-12,
     .maximum = 10.0,
     .word = "auto",
     .word_value = INFINITY},
    {.name = "until",
     .type = CLI_NUMBER,
     .offset = FIELD(until),
     .argument = "T",
     .help = "end time, s",
     .maximum = DBL_MAX,
     .open = true},
    {.name = "vectors",
     .type = CLI_CHOICE,
     .offset = FIELD(vectors),
     .argument = "avx512|avx2|scalar",
     .help = "longest vectors that kernels may use (default: the machine's); results do not depend "
             "on it",
     .words = vectors},
    {.name = "out",
     .letter = 'o',
     .type = CLI_TEXT,
     .offset = FIELD(out),
     .argument = "DIR",
     .help = "folder of the results (default out/<scene>)",
     .completion = CLI_COMPLETE_FOLDER},
    {.name = "fclib",
     .type = CLI_TEXT,
     .offset = FIELD(fclib),
     .argument = "DIR",
     .help = "write contact problems as FCLIB files into DIR",
     .completion = CLI_COMPLETE_FOLDER},
    {.name = "fclib-every",
     .type = CLI_INTEGER,
     .offset = FIELD(fclib_every),
     .argument = "K",
     .help = "every K steps (default 1)",
     .minimum = 1,
     .maximum = INT_MAX},
    {.name = "fclib-form",
     .type = CLI_CHOICE,
     .offset = FIELD(fclib_form),
     .argument = "local|global|both",
     .help = "form of the problems (default local)",
     .words = forms},
    {.name = "fclib-when",
     .type = CLI_TEXT,
     .offset = FIELD(fclib_when),
     .argument = "EXPR",
     .help = "only steps where EXPR holds, as in 'contacts > 20 and error > 1e-6'"},
    {.name = "paraview",
     .type = CLI_CHOICE,
     .offset = FIELD(paraview),
     .argument = "glyphs|surfaces|none",
     .help = "ParaView files: bodies as points with each shape once (default), surfaces of all "
             "bodies and contacts in every frame, or nothing",
     .words = contents},
    {.name = "paraview-every",
     .type = CLI_INTEGER,
     .offset = FIELD(paraview_every),
     .argument = "K",
     .help = "steps between ParaView frames, 0 for none (default: 25 frames a simulated second)",
     .maximum = INT_MAX},
    {.name = "trajectory-every",
     .type = CLI_INTEGER,
     .offset = FIELD(trajectory_every),
     .argument = "K",
     .help = "steps between frames of trajectory.h5, 0 for none (default: 25 frames a simulated "
             "second)",
     .maximum = INT_MAX},
    {.name = "contacts-every",
     .type = CLI_INTEGER,
     .offset = FIELD(contacts_every),
     .argument = "K",
     .help = "steps between frames of trajectory.h5 that keep their contacts, for replays with "
             "forces; 0 for none (default: all frames)",
     .maximum = INT_MAX},
    {.name = "energy-every",
     .type = CLI_INTEGER,
     .offset = FIELD(energy_every),
     .argument = "K",
     .help = "steps between rows of energy.csv and sensors.csv (default 1, and 1 more for each "
             "thousand bodies)",
     .minimum = 1,
     .maximum = INT_MAX},
    {.name = "restart",
     .type = CLI_TEXT,
     .offset = FIELD(restart),
     .argument = "FILE",
     .help = "go on from a checkpoint of the same scene and settings",
     .completion = CLI_COMPLETE_FILE},
    {.name = "checkpoint-every",
     .type = CLI_NUMBER,
     .offset = FIELD(checkpoint_every),
     .argument = "SECONDS",
     .help = "wall clock between checkpoints (default 60); 0: only when interrupted or asked",
     .maximum = 1e9},
    {.name = "checkpoint-steps",
     .type = CLI_INTEGER,
     .offset = FIELD(checkpoint_steps),
     .argument = "K",
     .help = "a checkpoint every K steps too, 0 for none (default 0)",
     .maximum = INT_MAX},
    {.name = "checkpoint-keep",
     .type = CLI_INTEGER,
     .offset = FIELD(checkpoint_keep),
     .argument = "K",
     .help = "how many of the last checkpoints are kept (default 2)",
     .minimum = 1,
     .maximum = 1000},
    {.name = "rank-timeout",
     .type = CLI_NUMBER,
     .offset = FIELD(rank_timeout),
     .argument = "SECONDS",
     .help = "of several processes: end the run when one has not answered another for so long "
             "(default 1800); 0: wait for ever",
     .maximum = 1e9},
    {.name = "hash",
     .type = CLI_TEXT,
     .offset = FIELD(hash),
     .argument = "FILE",
     .help = "write the state hash of every step",
     .completion = CLI_COMPLETE_FILE},
    {.name = "scene-time-limit",
     .type = CLI_NUMBER,
     .offset = FIELD(scene_time_limit),
     .argument = "SECONDS",
     .help = "time that the scene's program may take (default 20)",
     .maximum = 1e6,
     .open = true},
    {.name = "memory-limit",
     .type = CLI_NUMBER,
     .offset = FIELD(memory_limit),
     .argument = "MB",
     .help = "memory for the scene's program and its world together (default 4096)",
     .minimum = 1.0,
     .maximum = 1e9},
    {.name = "strict",
     .type = CLI_FLAG,
     .offset = FIELD(strict),
     .help = "fail at the first step whose error, energy or penetration leaves its bound"},
    {.name = "strict-energy",
     .type = CLI_NUMBER,
     .offset = FIELD(strict_energy),
     .argument = "X",
     .help = "with --strict: relative energy-balance tolerance, a part of the energy that changed "
             "its form (default 0.01)",
     .maximum = DBL_MAX,
     .open = true},
    {.name = "strict-penetration",
     .type = CLI_NUMBER,
     .offset = FIELD(strict_penetration),
     .argument = "X",
     .help = "with --strict: overlap as a part of the smaller body's smallest size (default 0.1)",
     .maximum = DBL_MAX,
     .open = true},
    {.name = "accept-unsolved",
     .type = CLI_FLAG,
     .offset = FIELD(accept_unsolved),
     .help = "end with status 0 however many steps end above the tolerance (otherwise with 5 from "
             "1 % of the solved steps on)"},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = FIELD(json),
     .help = "print one JSON object and nothing else"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "no progress and no table"},
};

static const cli_group groups[] = {
    CLI_SCENE_GROUP(run_settings, scene),
    CLI_SOLVER_GROUP(run_settings, solving),
};

static void set_defaults(void *memory)
{
    run_settings *settings = memory;
    cli_scene_defaults(&settings->scene);
    settings->step = settings->until = NAN;
    settings->scene_time_limit = scn_default_options().time_limit;
    settings->memory_limit = (double)(scn_default_options().memory_budget >> 20);
    settings->fclib_every = -1;
    settings->paraview_every = settings->energy_every = settings->trajectory_every = -1;
    settings->contacts_every = -1;
    settings->checkpoint_every = 60.0;
    settings->rank_timeout = 1800.0;
    settings->checkpoint_keep = 2;
    settings->strict_energy = 0.01;
    settings->strict_penetration = 0.1;
}

static scn_options load_options(const run_settings *settings)
{
    scn_options result = cli_scene_load_options(&settings->scene, &settings->solving);
    result.time_step = isinf(settings->step) ? NAN : settings->step;
    result.end_time = settings->until;
    result.time_limit = settings->scene_time_limit;
    result.memory_budget = (size_t)(settings->memory_limit * 1024.0 * 1024.0);
    result.stop = cli_interrupt_asked;
    return result;
}

/// What the command line says about output goes before what the scene says.
static cairn_status choose_output(run_state *run, cairn_error *error)
{
    const run_settings *settings = run->settings;
    run->output = run->scene->output;
    run->fclib = run->output.fclib || settings->fclib != NULL;
    if (settings->fclib_every > 0)
        run->output.fclib_every = (int)settings->fclib_every;
    if (settings->paraview_every >= 0)
        run->output.paraview_every = (int)settings->paraview_every;
    for (int i = 0; settings->paraview != NULL && contents[i] != NULL; i++)
        if (strcmp(settings->paraview, contents[i]) == 0)
            run->output.paraview = (scn_paraview)i;
    if (settings->contacts_every >= 0)
        run->output.contacts_every = (int)settings->contacts_every;
    if (settings->energy_every > 0)
        run->output.energy_every = (int)settings->energy_every;
    // the sums of a row cost about as much as a step of particles
    if (run->output.energy_every == 0)
        run->output.energy_every = 1 + cairn_body_count(run->scene->world) / 1000;
    for (int i = 0; settings->fclib_form != NULL && forms[i] != NULL; i++)
        if (strcmp(settings->fclib_form, forms[i]) == 0)
            run->output.fclib_form = (scn_fclib_form)(i + 1);
    if (settings->fclib_when == NULL)
        return CAIRN_OK;
    run->output.fclib_when = (char *)settings->fclib_when;
    return scn_condition_parse(settings->fclib_when, &run->output.fclib_condition, error);
}

// ---------------------------------------------------------------- stepping

static void add_totals(run_totals *totals, const cairn_world *world, double seconds)
{
    const cairn_step_report *report = cairn_world_get_report(world);
    totals->steps++;
    totals->seconds += seconds;
    totals->unsolved += cairn_world_is_unsolved(world);
    totals->divided += report->pieces > 1;
    if (strcmp(report->stop, "none") != 0) {
        totals->solved_steps++;
        totals->iterations += report->iterations;
        totals->error_max = fmax(totals->error_max, report->error);
        totals->error_scaled_max = fmax(totals->error_scaled_max, report->error_scaled);
        totals->error_siconos_max = fmax(totals->error_siconos_max, report->error_siconos);
    }
    if (report->contacts > totals->contacts_max)
        totals->contacts_max = report->contacts;
    totals->penetration_max = fmax(totals->penetration_max, report->penetration);
    totals->penetration_relative_max =
        fmax(totals->penetration_relative_max, report->penetration_relative);
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++)
        totals->phases[i] += report->seconds[i];
}

static cairn_status step_world(run_state *run, cairn_error *error)
{
    cairn_world *world = run->scene->world;
    double started = base_timer_seconds();
    cairn_status status = cairn_world_step(world, error);
    double seconds = base_timer_seconds() - started;
    if (status == CAIRN_INTERRUPTED)
        return status;
    // all processes meet it, and the first one writes the problem of all
    cairn_error ignored;
    if (run->ranks != NULL && status == CAIRN_ERROR_NONFINITE &&
        cairn_world_gather_to(world, 0, &ignored) != CAIRN_OK)
        run_ranks_abort(run, error);
    if (status != CAIRN_OK)
        return run->writes ? run_broken_step(run, status, error) : status;
    add_totals(&run->totals, world, seconds);
    return status;
}

static void say_warning(run_state *run)
{
    if (run->guard.warning[0] == '\0')
        return;
    cli_progress_clear(&run->progress);
    cli_warn("%s", run->guard.warning);
}

/// What every process finds in the same step: energy from nothing, jams, overlaps, bounds that are
/// left.
static cairn_status check_step(run_state *run, cairn_error *error)
{
    int64_t step = cairn_world_get_step_count(run->scene->world);
    bool whole = step % EXPLOSION_EVERY == 0 || step == run->target;
    cairn_status status = cairn_guard_step(&run->guard, run->scene->world, whole, error);
    say_warning(run);
    return status == CAIRN_OK ? run_strict_step(run, error) : status;
}

/// Number of steps to the end time. Steps are counted by doubles in tables and times: above 2^53
/// one more would be no other number.
/// @return exit status
static int choose_target(run_state *run)
{
    const double most = 9007199254740992.0;
    const scn_scene *scene = run->scene;
    double step = cairn_world_get_def(scene->world)->time_step;
    // a step that would only make up for round-off is left out
    double steps = ceil(scene->end_time / step - 1e-6);
    run->target = steps <= most ? (int64_t)steps : 0;
    if (steps <= most)
        return CLI_EXIT_DONE;
    bool given = !isnan(run->settings->until);
    cli_complain("%s%s %g s takes %.3g steps of %g s, more than %.0f can be counted",
                 given ? "" : scene->path, given ? "--until" : ": end_time", scene->end_time, steps,
                 step, most);
    return given ? CLI_EXIT_USAGE : CLI_EXIT_INPUT;
}

/// A run that begins from a checkpoint ends after it.
static int check_restart_time(const run_state *run)
{
    const cairn_world *world = run->scene->world;
    if (run->target >= cairn_world_get_step_count(world))
        return CLI_EXIT_DONE;
    bool given = !isnan(run->settings->until);
    cli_complain("%s %g s ends before the checkpoint %s, which is of %g s",
                 given ? "--until" : "end_time", run->scene->end_time, run->settings->restart,
                 cairn_world_get_time(world));
    return CLI_EXIT_USAGE;
}

static void show_progress(run_state *run)
{
    const cairn_world *world = run->scene->world;
    cli_progress_show(&run->progress,
                      (double)cairn_world_get_step_count(world) / (double)run->target, world);
}

/// Saves a checkpoint. Processes that cannot send each other messages end here.
static cairn_status save(run_state *run, cairn_error *error)
{
    cairn_status written = CAIRN_OK, status = run_checkpoint_write(run, &written, error);
    if (status != CAIRN_OK && run->ranks != NULL)
        run_ranks_abort(run, error);
    return status == CAIRN_OK ? written : status;
}

static cairn_status step_alone(run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    cairn_status status = CAIRN_OK;
    while (status == CAIRN_OK && cairn_world_get_step_count(world) < run->target) {
        if (cli_interrupt_asked())
            return base_fail(error, CAIRN_INTERRUPTED, "interrupted");
        status = step_world(run, error);
        run_stop_note(run);
        if (status == CAIRN_OK)
            status = run_files_step(run, error);
        if (status == CAIRN_OK)
            status = check_step(run, error);
        if (status == CAIRN_OK && run_checkpoint_is_due(run))
            status = save(run, error);
        show_progress(run);
    }
    return status;
}

/// What files or checks read after the step that comes. The first process says it for all.
static run_read next_read(const run_state *run)
{
    int64_t next = cairn_world_get_step_count(run->scene->world) + 1;
    run_read files = run_files_read(run, next, next == run->target);
    if (run->settings->strict)
        return RUN_READS_ALL;
    return files == RUN_READS_NOTHING && next % EXPLOSION_EVERY == 0 ? RUN_READS_ENERGY : files;
}

/// Brings what is read.
static cairn_status gather(run_state *run, cairn_error *error)
{
    cairn_world *world = run->scene->world;
    if (run->read_agreed == RUN_READS_NOTHING)
        return CAIRN_OK;
    run->resident = base_resident_bytes();
    if (run->read_agreed == RUN_READS_ENERGY)
        return cairn_world_gather_energy(world, error);
    if (run->read_agreed == RUN_READS_BODIES)
        return cairn_world_gather_bodies_to(world, 0, error);
    // the first process writes the files; what --strict looks at all look at
    return run->settings->strict ? cairn_world_gather(world, error)
                                 : cairn_world_gather_to(world, 0, error);
}

/// Several processes. A file that cannot be written is known to the first one alone: it makes one
/// step more, and all end after it.
static cairn_status step_together(run_state *run, cairn_error *error)
{
    cairn_world *world = run->scene->world;
    cairn_status status = CAIRN_OK;
    for (;;) {
        run->read_agreed = run->writes ? next_read(run) : RUN_READS_NOTHING;
        status = run_ranks_agree(run, status, error);
        if (status != CAIRN_OK)
            return status;
        cairn_error later = {0};
        cairn_status written = run->save_agreed ? save(run, &later) : CAIRN_OK;
        if (cairn_world_get_step_count(world) >= run->target && written == CAIRN_OK)
            return CAIRN_OK;
        status = step_world(run, error);
        run_stop_note(run);
        run_ranks_look(run);
        if (status == CAIRN_OK)
            status = gather(run, error);
        if (status == CAIRN_ERROR_MEMORY || status == CAIRN_ERROR_UNSUPPORTED)
            run_ranks_abort(run, error);
        if (status == CAIRN_OK && run->writes && written == CAIRN_OK)
            written = run_files_step(run, &later);
        if (status == CAIRN_OK)
            status = check_step(run, error);
        if (status == CAIRN_OK && written != CAIRN_OK) {
            *error = later;
            status = written;
        }
        show_progress(run);
    }
}

// ---------------------------------------------------------------- the run

/// Whether so many steps missed the tolerance that the results are not those that were asked for.
static bool is_unsolved(const run_state *run)
{
    return !run->settings->accept_unsolved &&
           (double)run->totals.unsolved > unsolved_share * (double)run->totals.solved_steps;
}

static const char *status_word(const run_state *run, cairn_status status)
{
    return status == CAIRN_INTERRUPTED ? "interrupted"
           : status != CAIRN_OK        ? "failed"
           : is_unsolved(run)          ? "unsolved"
                                       : "done";
}

static void report_run(run_state *run, cairn_status status, const cairn_error *error)
{
    const run_totals *totals = &run->totals;
    if (totals->unsolved > 0 && status == CAIRN_OK) {
        bool many = is_unsolved(run);
        (many ? cli_complain : cli_warn)(
            "%lld of %lld steps with contacts ended above the tolerance %.3g, the worst with "
            "%.3g%s",
            (long long)totals->unsolved, (long long)totals->solved_steps,
            cairn_world_get_def(run->scene->world)->tolerance, totals->error_max,
            many ? ": more than 1 %, so the run ends with status 5 (--accept-unsolved takes it)"
                 : "");
    }
    if (status == CAIRN_OK) {
        cairn_guard_end(&run->guard, run->scene->world);
        say_warning(run);
    } else {
        cli_complain("%s", error->message);
    }
    if (run->settings->json)
        run_summary_json(run, status_word(run, status), stdout);
    else if (!run->settings->quiet)
        run_summary_print(run, status_word(run, status), stdout);
}

static void note_hash(void *context)
{
    run_state *run = context;
    run->hash = cairn_world_get_hash(run->scene->world);
}

/// Brings what the last rows and frames are made of, and the hash of the state.
static cairn_status gather_end(run_state *run, cairn_error *error)
{
    cairn_world *world = run->scene->world;
    int64_t step = cairn_world_get_step_count(world);
    int64_t read = run->writes ? (int64_t)run_files_read(run, step, true) : 0;
    cairn_status status = CAIRN_OK;
    if (run->ranks != NULL)
        status = base_ranks_highest(run->ranks, &read, 1, error);
    if (status == CAIRN_OK && read == RUN_READS_ALL)
        status = cairn_world_gather_to(world, 0, error);
    return status == CAIRN_OK ? cairn_world_read_together(world, 0, note_hash, run, error) : status;
}

/// Steps to the end and leaves a checkpoint there, or where the run was interrupted.
static cairn_status step_and_save(run_state *run, cairn_error *error)
{
    run->cpu_start = base_timer_cpu_seconds();
    run->waited = run->ranks != NULL ? base_ranks_waited(run->ranks) : (base_ranks_time){0};
    run->stopped_before = cairn_world_get_stop(run->scene->world) != NULL;
    cairn_status status = run->ranks != NULL ? step_together(run, error) : step_alone(run, error);
    cli_progress_clear(&run->progress);
    bool whole = status == CAIRN_OK || status == CAIRN_INTERRUPTED;
    cairn_error later;
    // what ends a run ends it in all processes
    cairn_status gathered =
        whole ? gather_end(run, &later)
              : cairn_world_read_together(run->scene->world, 0, note_hash, run, &later);
    if (gathered != CAIRN_OK && run->ranks != NULL)
        run_ranks_abort(run, &later);
    if (gathered != CAIRN_OK && whole)
        *error = later;
    if (gathered != CAIRN_OK || !whole)
        return whole ? gathered : status;
    bool saves = status == CAIRN_INTERRUPTED || run->settings->checkpoint_every > 0.0;
    saves &= run->checkpoint_step != cairn_world_get_step_count(run->scene->world);
    if (saves && save(run, &later) != CAIRN_OK) {
        *error = later;
        return later.status;
    }
    if (status == CAIRN_INTERRUPTED)
        return base_fail(error, status, "interrupted at step %lld; --restart %s/%s goes on",
                         (long long)cairn_world_get_step_count(run->scene->world),
                         run->files.folder, "checkpoint.h5");
    return status;
}

/// The new files take the place of an earlier run's, all of them or none.
static cairn_status open_run(run_state *run, cairn_error *error)
{
    cairn_status status = run_folder_claim(run, error);
    if (status == CAIRN_OK)
        status = run_folder_clear(run, error);
    if (status == CAIRN_OK)
        status = run_files_open(run, error);
    if (status == CAIRN_OK)
        status = run_resolved_write(run, error);
    cairn_error later;
    if (status != CAIRN_OK && run_files_close(run, &later) != CAIRN_OK)
        cli_complain("%s", later.message);
    run_folder_settle(run, status == CAIRN_OK);
    return status;
}

/// Brings a run to where its steps begin: the scene's start, or a checkpoint.
/// @return exit status
static int prepare_run(run_state *run)
{
    cairn_error error = {0};
    if (choose_output(run, &error) != CAIRN_OK) {
        cli_complain("--fclib-when: %s", error.message);
        return CLI_EXIT_USAGE;
    }
    cairn_guard_begin(&run->guard, run->scene->world);
    if (run_files_choose(run, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_FAILED;
    }
    if (run->settings->restart != NULL && run_checkpoint_restore(run, &error) != CAIRN_OK) {
        cli_complain("--restart: %s", error.message);
        return CLI_EXIT_INPUT;
    }
    if (check_restart_time(run) != CLI_EXIT_DONE)
        return CLI_EXIT_USAGE;
    if (run_ranks_share(run, &error) != CAIRN_OK ||
        (run->writes && open_run(run, &error) != CAIRN_OK)) {
        cli_complain("%s", error.message);
        return CLI_EXIT_FAILED;
    }
    return CLI_EXIT_DONE;
}

static int run_loaded(run_state *run)
{
    cairn_error error = {0}, later = {0};
    int prepared = run_ranks_worst(run, prepare_run(run));
    if (prepared != CLI_EXIT_DONE)
        return prepared;
    cairn_status status = step_and_save(run, &error);
    bool whole = status == CAIRN_OK || status == CAIRN_INTERRUPTED;
    cairn_status last = whole && run->writes ? run_files_final(run, &later) : CAIRN_OK;
    cairn_error closing = {0};
    if (run_files_close(run, &closing) != CAIRN_OK && last == CAIRN_OK) {
        last = closing.status;
        later = closing;
    }
    if (last != CAIRN_OK ||
        (run->writes &&
         (run_bodies_write(run, &later) != CAIRN_OK ||
          run_summary_write(run, status_word(run, status),
                            status == CAIRN_OK ? NULL : error.message, &later) != CAIRN_OK))) {
        error = status == CAIRN_OK ? later : error;
        status = status == CAIRN_OK ? CAIRN_ERROR_FILE : status;
    }
    if (run->writes)
        report_run(run, status, &error);
    run_ranks_tell(run);
    if (status == CAIRN_INTERRUPTED)
        return CLI_EXIT_INTERRUPTED;
    if (status != CAIRN_OK)
        return CLI_EXIT_FAILED;
    return is_unsolved(run) ? CLI_EXIT_DIFFERENT : CLI_EXIT_DONE;
}

/// @return exit status
static int load_and_run(run_state *run)
{
    const run_settings *settings = run->settings;
    scn_options load = load_options(settings);
    // warnings of other processes reach nobody, and the look takes more memory than the bodies
    load.skip_overlaps = !run->writes;
    int result =
        run_ranks_worst(run, cli_load_scene(settings->common.arguments[0], &load, &run->scene));
    if (result != CLI_EXIT_DONE)
        return result;
    cli_interrupt_watch();
    // processes that share steps stop between them, all at the same
    if (run->ranks == NULL)
        cli_interrupt_watch_world(run->scene->world);
    result = run_step_choose(settings, run->scene->world);
    if (result == CLI_EXIT_DONE)
        result = choose_target(run);
    if (result == CLI_EXIT_DONE)
        result = run_strict_start(run);
    result = run_ranks_worst(run, result);
    if (result == CLI_EXIT_DONE)
        result = run_loaded(run);
    run_folder_release(run);
    cli_interrupt_watch_world(NULL);
    return result;
}

static int run_scene(const void *memory)
{
    const run_settings *settings = memory;
    run_state run = {.settings = settings,
                     .checkpoint_step = -1,
                     .claimed = run_folder_none(),
                     .error_output = -1};
    if (settings->vectors != NULL && setenv("CAIRN_VECTORS", settings->vectors, 1) != 0) {
        cli_complain("--vectors: out of memory");
        return CLI_EXIT_FAILED;
    }
    int result = run_ranks_join(&run);
    run.progress = cli_progress_begin(settings->quiet || !run.writes);
    if (result == CLI_EXIT_DONE)
        result = load_and_run(&run);
    scn_destroy(run.scene);
    run_ranks_leave(&run);
    return result;
}

static int help_scene(const void *memory)
{
    const run_settings *settings = memory;
    if (settings->common.argument_count == 0)
        return CLI_EXIT_DONE;
    scn_options load = load_options(settings);
    load.log = NULL;
    scn_scene *scene = NULL;
    int result = cli_load_scene(settings->common.arguments[0], &load, &scene);
    if (result != CLI_EXIT_DONE)
        return result;
    printf("\nparameters of %s%s%s:\n", cli_show(scene->name).text,
           scene->title[0] != '\0' ? ", " : "", cli_show(scene->title).text);
    cli_print_parameters(scene, stdout);
    if (scene->parameter_count == 0)
        printf("  none\n");
    scn_destroy(scene);
    return CLI_EXIT_DONE;
}

const cli_command cli_cmd_run = {
    .name = "run",
    .summary = "run a scene and write what happened",
    .operands = "SCENE",
    .description = "Runs a scene file, or a built-in scene by its name, to its end time and writes "
                   "summary.json,\nsummary.txt, resolved.json, energy.csv, sensors.csv, "
                   "measures.csv, bonds.csv, "
                   "bodies.csv and ParaView "
                   "frames into a "
                   "folder. Progress goes to\nstandard error. cairn run SCENE --help lists the "
                   "parameters of a scene.",
    .least = 1,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .groups = groups,
    .group_count = BASE_COUNT(groups),
    .settings_size = sizeof(run_settings),
    .completion = CLI_COMPLETE_FILE,
    .defaults = set_defaults,
    .run = run_scene,
    .help = help_scene,
};
