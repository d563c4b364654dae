// SPDX-License-Identifier: Apache-2.0
// Checkpoints of a run: when one is due, the last ones kept, and how a run goes on from one.
#include "cli/run/run.h"

#include "base/timer.h"
#include "cli/process/interrupt.h"
#include "cli/process/probe.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// The note of a checkpoint, lines "name value": written, or read where `text` is given.
typedef struct note_io {
    bool reads;
    char *text; // [CAIRN_NOTE_SIZE]
    size_t used;
    bool good;
} note_io;

/// Value behind a name; NULL when the note has no such line.
static const char *find_value(const note_io *io, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = io->text; line != NULL && *line != '\0';) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return line + length + 1;
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return NULL;
}

static void put_line(note_io *io, const char *name, const char *value)
{
    int length = snprintf(io->text + io->used, CAIRN_NOTE_SIZE - io->used, "%s %s\n", name, value);
    io->good = io->good && length > 0 && (size_t)length < CAIRN_NOTE_SIZE - io->used;
    if (io->good)
        io->used += (size_t)length;
}

static void note_whole(note_io *io, const char *name, int64_t *value)
{
    char text[32];
    if (!io->reads) {
        snprintf(text, sizeof text, "%" PRId64, *value);
        put_line(io, name, text);
        return;
    }
    const char *found = find_value(io, name);
    io->good = io->good && found != NULL;
    if (found != NULL)
        *value = strtoll(found, NULL, 10);
}

static void note_int(note_io *io, const char *name, int *value)
{
    int64_t wide = *value;
    note_whole(io, name, &wide);
    *value = (int)wide;
}

static void note_real(note_io *io, const char *name, double *value)
{
    char text[40];
    if (!io->reads) {
        snprintf(text, sizeof text, "%.17g", *value);
        put_line(io, name, text);
        return;
    }
    const char *found = find_value(io, name);
    io->good = io->good && found != NULL;
    if (found != NULL)
        *value = strtod(found, NULL);
}

static void note_totals(note_io *io, run_totals *totals)
{
    note_whole(io, "steps", &totals->steps);
    note_whole(io, "solved_steps", &totals->solved_steps);
    note_whole(io, "unsolved", &totals->unsolved);
    note_whole(io, "divided", &totals->divided);
    note_real(io, "iterations", &totals->iterations);
    note_real(io, "error_max", &totals->error_max);
    note_real(io, "error_scaled_max", &totals->error_scaled_max);
    note_real(io, "error_siconos_max", &totals->error_siconos_max);
    note_int(io, "contacts_max", &totals->contacts_max);
    note_real(io, "penetration_max", &totals->penetration_max);
    note_real(io, "penetration_relative_max", &totals->penetration_relative_max);
    note_real(io, "seconds", &totals->seconds);
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++)
        note_real(io, cairn_phase_name((cairn_phase)i), &totals->phases[i]);
    note_whole(io, "frames", &totals->frames);
    note_whole(io, "problems", &totals->problems);
}

static void note_run(note_io *io, run_state *run)
{
    note_totals(io, &run->totals);
    note_real(io, "supply", &run->guard.supply);
    note_real(io, "exchanged_max", &run->guard.exchanged_max);
    note_real(io, "moved_max", &run->guard.moved_max);
    note_whole(io, "energy_bytes", &run->marks.bytes[RUN_ENERGY]);
    note_whole(io, "sensors_bytes", &run->marks.bytes[RUN_SENSORS]);
    if (run->scene->measure_count > 0)
        note_whole(io, "measures_bytes", &run->marks.bytes[RUN_MEASURES]);
    if (cairn_world_has_bonds(run->scene->world))
        note_whole(io, "bonds_bytes", &run->marks.bytes[RUN_BONDS]);
    note_whole(io, "hash_bytes", &run->marks.bytes[RUN_HASH]);
    int content = (int)run->marks.paraview.content;
    note_int(io, "paraview_frames", &run->marks.paraview.frames);
    note_int(io, "paraview_content", &content);
    note_int(io, "paraview_shapes", &run->marks.paraview.shapes);
    run->marks.paraview.content = (cairn_paraview_content)content;
    note_whole(io, "trajectory_frames", &run->marks.trajectory);
    note_real(io, "paraview_extent", &run->marks.paraview.extent);
}

// ---------------------------------------------------------------- settings

/// What is done with the settings one by one: they are noted, or compared with a note.
typedef void setting_visit(void *context, const char *name, const char *value);

static void show_value(cairn_value value, char out[64])
{
    if (value.type == CAIRN_NUMBER)
        snprintf(out, 64, "%.10g", value.number);
    else
        snprintf(out, 64, "%.60s",
                 value.type == CAIRN_TEXT ? value.text
                 : value.boolean          ? "true"
                                          : "false");
}

/// Settings of the world, its solvers and the scene's parameters, as texts.
static void visit_settings(const scn_scene *scene, setting_visit *visit, void *context)
{
    char name[96], text[64];
    const cairn_world_def *def = cairn_world_get_def(scene->world);
    for (int i = 0; i < cairn_world_def_setting_count(); i++) {
        cairn_setting_info setting = cairn_world_def_get_setting(i);
        cairn_value value;
        // those that results do not depend on may change
        if (strcmp(setting.name, "threads") == 0 ||
            cairn_world_def_get_value(def, setting.name, &value) != CAIRN_OK)
            continue;
        show_value(value, text);
        visit(context, setting.name, text);
    }
    snprintf(text, sizeof text, "(%.6g, %.6g, %.6g)", def->gravity[0], def->gravity[1],
             def->gravity[2]);
    visit(context, "gravity", text);
    visit(context, "solver", cairn_world_get_solver(scene->world));
    visit(context, "local_solver", cairn_world_get_local(scene->world));
    for (int i = 0; i < scene->parameter_count; i++) {
        snprintf(name, sizeof name, "parameter_%.80s", scene->parameters[i].name);
        show_value(scene->parameters[i].value, text);
        visit(context, name, text);
    }
}

/// The note tells what a run was made with as far as there is room.
static void note_setting(void *context, const char *name, const char *value)
{
    note_io *io = context;
    char line[192];
    int length = snprintf(line, sizeof line, "with_%s %s\n", name, value);
    if (length > 0 && length < (int)sizeof line && (size_t)length < CAIRN_NOTE_SIZE - io->used) {
        memcpy(io->text + io->used, line, (size_t)length + 1);
        io->used += (size_t)length;
    }
}

/// Differences between a note and this run, told in a text.
typedef struct difference {
    const note_io *io;
    char text[400];
    size_t used;
} difference;

static void compare_setting(void *context, const char *name, const char *value)
{
    difference *d = context;
    char key[128];
    snprintf(key, sizeof key, "with_%s", name);
    const char *there = find_value(d->io, key);
    int length = there != NULL ? (int)strcspn(there, "\n") : 0;
    if (there == NULL || (strncmp(there, value, (size_t)length) == 0 && value[length] == '\0'))
        return;
    int used = snprintf(d->text + d->used, sizeof d->text - d->used, "%s%s was %.*s, is %s",
                        d->used > 0 ? "; " : "", name, length, there, value);
    if (used > 0 && (size_t)used < sizeof d->text - d->used)
        d->used += (size_t)used;
    else
        d->text[d->used] = '\0';
}

/// Says behind a refusal which settings are others, where the checkpoint notes them.
static cairn_status explain_refusal(const run_state *run, cairn_error *error)
{
    cairn_checkpoint checkpoint;
    cairn_error ignored;
    char message[CAIRN_MESSAGE_SIZE];
    if (cairn_checkpoint_read(run->settings->restart, &checkpoint, &ignored) != CAIRN_OK)
        return error->status;
    note_io io = {.reads = true, .text = checkpoint.note, .good = true};
    difference found = {.io = &io};
    visit_settings(run->scene, compare_setting, &found);
    memcpy(message, error->message, sizeof message);
    if (found.used == 0)
        return error->status;
    return base_fail(error, error->status, "%.400s (%s)", message, found.text);
}

// ---------------------------------------------------------------- writing

/// DIR/checkpoint.h5 for age 0, DIR/checkpoint.<age>.h5 for older ones.
static cairn_status path_of(const run_state *run, int64_t age, char path[PATH_MAX],
                            cairn_error *error)
{
    char name[48] = "checkpoint.h5";
    if (age > 0)
        snprintf(name, sizeof name, "checkpoint.%" PRId64 ".h5", age);
    return cli_path_join(path, run->files.folder, name, error);
}

/// Makes room for a new one. The newest stays under its name by a second link, so that there is a
/// checkpoint.h5 at every moment.
static cairn_status age_checkpoints(const run_state *run, cairn_error *error)
{
    char older[PATH_MAX], newer[PATH_MAX];
    for (int64_t age = run->settings->checkpoint_keep - 1; age > 0; age--) {
        BASE_TRY(path_of(run, age, older, error));
        BASE_TRY(path_of(run, age - 1, newer, error));
        if (age > 1) {
            // not there yet is fine
            (void)rename(newer, older);
            continue;
        }
        unlink(older);
        // a file system without links keeps one checkpoint only
        int linked = link(newer, older);
        (void)linked;
    }
    return CAIRN_OK;
}

/// A checkpoint that is written, and how that went.
typedef struct writing {
    run_state *run;
    cairn_status status;
    cairn_error *error;
} writing;

static cairn_status write_checkpoint(run_state *run, cairn_error *error)
{
    char path[PATH_MAX], note[CAIRN_NOTE_SIZE] = "";
    BASE_TRY(run_files_mark(run, error));
    BASE_TRY(age_checkpoints(run, error));
    BASE_TRY(path_of(run, 0, path, error));
    note_io io = {.text = note, .good = true};
    note_run(&io, run);
    visit_settings(run->scene, note_setting, &io);
    if (!io.good)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s: the note is too long", path);
    return cairn_world_save(run->scene->world, path, note, error);
}

static void write_for_all(void *context)
{
    writing *w = context;
    w->status = write_checkpoint(w->run, w->error);
}

cairn_status run_checkpoint_write(run_state *run, cairn_status *written, cairn_error *error)
{
    cairn_error messages;
    writing w = {.run = run, .error = error};
    run->checkpoint_step = cairn_world_get_step_count(run->scene->world);
    cairn_status status =
        cairn_world_read_together(run->scene->world, 0, write_for_all, &w, &messages);
    if (status != CAIRN_OK)
        *error = messages;
    *written = w.status;
    run->checkpoint_time = base_timer_seconds();
    return status;
}

bool run_checkpoint_is_due(run_state *run)
{
    const run_settings *settings = run->settings;
    int64_t step = cairn_world_get_step_count(run->scene->world);
    double now = base_timer_seconds();
    if (run->checkpoint_time == 0.0)
        run->checkpoint_time = now;
    bool due = cli_interrupt_checkpoint_asked();
    due |= settings->checkpoint_steps > 0 && step % settings->checkpoint_steps == 0;
    due |= settings->checkpoint_every > 0.0 &&
           now - run->checkpoint_time >= settings->checkpoint_every;
    return due;
}

// ---------------------------------------------------------------- going on

/// Files of the run that the checkpoint is of go on; in another folder new ones begin.
static cairn_status choose_files(run_state *run, cairn_error *error)
{
    char path[PATH_MAX];
    BASE_TRY(cli_path_join(path, run->files.folder, "energy.csv", error));
    run->resumes = access(path, F_OK) == 0;
    if (!run->resumes)
        run->totals.frames = run->totals.problems = 0;
    return CAIRN_OK;
}

static cairn_status restore(void *context, cairn_error *error)
{
    const run_state *run = context;
    return cairn_world_restore(run->scene->world, run->settings->restart, error);
}

cairn_status run_checkpoint_restore(run_state *run, cairn_error *error)
{
    const char *path = run->settings->restart;
    cairn_checkpoint checkpoint;
    cairn_status status = cli_probe(path, restore, run, error);
    if (status == CAIRN_ERROR_ARGUMENT)
        return explain_refusal(run, error);
    if (status == CAIRN_OK)
        status = cairn_checkpoint_read(path, &checkpoint, error);
    if (status == CAIRN_OK)
        status = restore(run, error);
    if (status != CAIRN_OK)
        return status;
    note_io io = {.reads = true, .text = checkpoint.note, .good = true};
    note_run(&io, run);
    if (!io.good)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s is not a checkpoint of cairn run", path);
    run->checkpoint_step = checkpoint.step_count;
    return choose_files(run, error);
}
