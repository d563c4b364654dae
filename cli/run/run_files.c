// SPDX-License-Identifier: Apache-2.0
// Files that a run writes while it goes: energy.csv, sensors.csv, measures.csv, bonds.csv,
// ParaView frames, FCLIB problems.
#include "cli/run/run.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/timer.h"
#include "cli/process/status.h"
#include "cli/text/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const table_names[] = {[RUN_ENERGY] = "energy.csv",
                                          [RUN_SENSORS] = "sensors.csv",
                                          [RUN_MEASURES] = "measures.csv",
                                          [RUN_BONDS] = "bonds.csv",
                                          [RUN_HASH] = "state hashes"};

/// Whether a table goes on behind its first `kept` bytes, which end a row.
static cairn_status resume_table(FILE *file, const char *path, int64_t kept, cairn_error *error)
{
    bool whole = kept > 0 && fseeko(file, kept - 1, SEEK_SET) == 0 && fgetc(file) == '\n';
    if (!whole)
        return base_fail(error, CAIRN_ERROR_FORMAT,
                         "%s: does not go as far as the checkpoint says: it is of another run "
                         "(--out chooses another folder)",
                         path);
    return CAIRN_OK;
}

/// Rows behind the marks go once nothing else can keep the run from going on.
static cairn_status cut_tables(run_state *run, cairn_error *error)
{
    for (int i = 0; run->resumes && i < RUN_TABLE_COUNT; i++) {
        FILE *file = run->files.tables[i];
        int64_t kept = run->marks.bytes[i];
        if (file == NULL || kept < 0)
            continue;
        if (ftruncate(fileno(file), kept) != 0 || fseeko(file, kept, SEEK_SET) != 0)
            return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", table_names[i], strerror(errno));
    }
    return CAIRN_OK;
}

static FILE *open_named(const char *path, const char *mode, const char **reason)
{
    FILE *file = fopen(path, mode);
    *reason = strerror(errno);
    return file;
}

static cairn_status open_table_at(run_state *run, run_table table, const char *path,
                                  cairn_error *error)
{
    FILE **file = &run->files.tables[table];
    // hashes may go to a new file at each restart
    if (table == RUN_HASH && access(path, F_OK) != 0)
        run->marks.bytes[table] = -1;
    bool resumes = run->resumes && run->marks.bytes[table] >= 0;
    const char *reason = NULL;
    // a file that the user names may be a pipe or a terminal; those of the folder are files
    if (table == RUN_HASH)
        *file = open_named(path, resumes ? "r+" : "w", &reason);
    else
        *file = resumes ? base_file_change(path, &reason) : base_file_create(path, &reason);
    if (*file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    return resumes ? resume_table(*file, path, run->marks.bytes[table], error) : CAIRN_OK;
}

static cairn_status open_table(run_state *run, run_table table, cairn_error *error)
{
    char path[PATH_MAX];
    cairn_status status = cli_path_join(path, run->files.folder, table_names[table], error);
    return status == CAIRN_OK ? open_table_at(run, table, path, error) : status;
}

/// Whether a table that was just opened has no rows yet.
static bool is_new(const run_state *run, run_table table)
{
    return !(run->resumes && run->marks.bytes[table] >= 0);
}

static void put_energy_row(const run_state *run)
{
    const cairn_world *world = run->scene->world;
    cairn_energy e = cairn_world_get_energy(world);
    const double values[] = {cairn_world_get_time(world),
                             e.kinetic,
                             e.potential,
                             e.elastic,
                             e.drivers,
                             e.correction,
                             e.joints,
                             e.impact,
                             e.friction,
                             e.damping,
                             e.plastic,
                             e.residual};
    FILE *out = run->files.tables[RUN_ENERGY];
    fprintf(out, "%" PRId64, cairn_world_get_step_count(world));
    for (int i = 0; i < BASE_COUNT(values); i++)
        fprintf(out, ",%.17g", values[i]);
    fputc('\n', out);
}

static cairn_status put_sensor_row(const run_state *run, cairn_error *error)
{
    const scn_scene *scene = run->scene;
    FILE *out = run->files.tables[RUN_SENSORS];
    if (out == NULL)
        return CAIRN_OK;
    fprintf(out, "%" PRId64 ",%.17g", cairn_world_get_step_count(scene->world),
            cairn_world_get_time(scene->world));
    for (int i = 0; i < scene->sensor_count; i++) {
        double value[SCN_SENSOR_COLUMNS_MAX];
        cairn_status status = scn_sensor_read(scene, &scene->sensors[i], value);
        if (status != CAIRN_OK)
            return base_fail(error, status, "sensor \"%s\": %s", scene->sensors[i].name,
                             cairn_status_text(status));
        for (int k = 0; k < scene->sensors[i].columns; k++)
            fprintf(out, ",%.17g", value[k]);
    }
    fputc('\n', out);
    return CAIRN_OK;
}

static bool measure_is_due(const scn_measure *measure, int64_t step, bool instants, bool windows)
{
    return measure->average < 0
               ? instants
               : windows && scn_average_ends(measure->scene, measure->average, step);
}

/// Values of the measures that are due, and empty fields for the others; no row where none is.
/// @param instants  whether those without a window are due
/// @param windows   whether those are whose window this step ends
static cairn_status put_measure_row(const run_state *run, bool instants, bool windows,
                                    cairn_error *error)
{
    const scn_scene *scene = run->scene;
    FILE *out = run->files.tables[RUN_MEASURES];
    int64_t step = cairn_world_get_step_count(scene->world);
    bool due = false;
    for (int i = 0; i < scene->measure_count && out != NULL; i++)
        due = due || measure_is_due(scene->measures[i], step, instants, windows);
    if (!due)
        return CAIRN_OK;
    fprintf(out, "%" PRId64 ",%.17g", step, cairn_world_get_time(scene->world));
    for (int i = 0; i < scene->measure_count; i++) {
        const scn_measure *measure = scene->measures[i];
        double value[CAIRN_AVERAGE_COLUMNS_MAX];
        bool now = measure_is_due(measure, step, instants, windows);
        BASE_TRY(now ? scn_measure_read(measure, value, error) : CAIRN_OK);
        for (int k = 0; k < scn_measure_column_count(measure); k++)
            if (now)
                fprintf(out, ",%.17g", value[k]);
            else
                fputc(',', out);
    }
    fputc('\n', out);
    return CAIRN_OK;
}

/// The bonds that have broken since the last call.
static void put_break_rows(run_state *run)
{
    const cairn_world *world = run->scene->world;
    FILE *out = run->files.tables[RUN_BONDS];
    for (int i = run->files.breaks; out != NULL && i < cairn_world_get_break_count(world); i++) {
        cairn_break bond;
        if (cairn_world_get_break(world, i, &bond) != CAIRN_OK)
            continue;
        const cairn_body_id sides[] = {bond.a, bond.b};
        fprintf(out, "%.17g", bond.time);
        for (int side = 0; side < 2; side++) {
            cairn_body_view body;
            bool there = cairn_body_get(world, sides[side], &body) == CAIRN_OK;
            fprintf(out, ",%" PRIu32 ",", sides[side].index);
            cli_csv_put(there ? body.name : "", out);
        }
        for (int k = 0; k < 3; k++)
            fprintf(out, ",%.17g", bond.point[k]);
        fprintf(out, ",%s\n", cairn_break_cause_name(bond.cause));
    }
    run->files.breaks = cairn_world_get_break_count(world);
}

static void put_hash_row(const run_state *run)
{
    const cairn_world *world = run->scene->world;
    FILE *out = run->files.tables[RUN_HASH];
    if (out != NULL)
        fprintf(out, "%" PRId64 ",%016" PRIx64 "\n", cairn_world_get_step_count(world),
                cairn_world_get_hash(world));
}

/// ",name quantity column [unit]", without what there is not.
static void put_sensor_column(const scn_sensor *sensor, int column, FILE *out)
{
    char title[8192];
    const char *name = scn_sensor_column_name(sensor, column);
    const char *unit = scn_sensor_unit(sensor);
    snprintf(title, sizeof title, "%s %s%s%s%s%s%s", sensor->name,
             scn_sensor_quantity_name(sensor->quantity), name[0] != '\0' ? " " : "", name,
             unit[0] != '\0' ? " [" : "", unit, unit[0] != '\0' ? "]" : "");
    fputc(',', out);
    cli_csv_put(title, out);
}

static void put_sensor_head(const scn_scene *scene, FILE *out)
{
    fputs("step,time [s]", out);
    for (int i = 0; i < scene->sensor_count; i++) {
        const scn_sensor *sensor = &scene->sensors[i];
        for (int k = 0; k < sensor->columns; k++)
            put_sensor_column(sensor, k, out);
    }
    fputc('\n', out);
}

static cairn_status open_energy(run_state *run, cairn_error *error)
{
    cairn_status status = open_table(run, RUN_ENERGY, error);
    if (status != CAIRN_OK || !is_new(run, RUN_ENERGY))
        return status;
    fputs(
        "step,time [s],kinetic [J],potential [J],elastic [J],drivers [J],correction [J],joints [J],"
        "impact dissipation [J],friction dissipation [J],damping dissipation [J],"
        "plastic dissipation [J],residual [J]\n",
        run->files.tables[RUN_ENERGY]);
    put_energy_row(run);
    return CAIRN_OK;
}

static cairn_status open_sensors(run_state *run, cairn_error *error)
{
    if (run->scene->sensor_count == 0)
        return CAIRN_OK;
    cairn_status status = open_table(run, RUN_SENSORS, error);
    if (status != CAIRN_OK || !is_new(run, RUN_SENSORS))
        return status;
    put_sensor_head(run->scene, run->files.tables[RUN_SENSORS]);
    return put_sensor_row(run, error);
}

static cairn_status open_measures(run_state *run, cairn_error *error)
{
    const scn_scene *scene = run->scene;
    if (scene->measure_count == 0)
        return CAIRN_OK;
    cairn_status status = open_table(run, RUN_MEASURES, error);
    if (status != CAIRN_OK || !is_new(run, RUN_MEASURES))
        return status;
    FILE *out = run->files.tables[RUN_MEASURES];
    fputs("step,time [s]", out);
    for (int i = 0; i < scene->measure_count; i++)
        for (int k = 0; k < scn_measure_column_count(scene->measures[i]); k++) {
            const char *name, *unit;
            char title[8192];
            scn_measure_column(scene->measures[i], k, &name, &unit);
            snprintf(title, sizeof title, "%s %s%s%s%s", scene->measures[i]->name, name,
                     unit[0] != '\0' ? " [" : "", unit, unit[0] != '\0' ? "]" : "");
            fputc(',', out);
            cli_csv_put(title, out);
        }
    fputc('\n', out);
    return put_measure_row(run, true, false, error);
}

static cairn_status open_bonds(run_state *run, cairn_error *error)
{
    run->files.breaks = cairn_world_get_break_count(run->scene->world);
    if (!cairn_world_has_bonds(run->scene->world))
        return CAIRN_OK;
    cairn_status status = open_table(run, RUN_BONDS, error);
    if (status != CAIRN_OK || !is_new(run, RUN_BONDS))
        return status;
    fputs("time [s],a,name a,b,name b,point x [m],point y [m],point z [m],cause\n",
          run->files.tables[RUN_BONDS]);
    run->files.breaks = 0;
    put_break_rows(run);
    return CAIRN_OK;
}

static cairn_status open_hashes(run_state *run, cairn_error *error)
{
    struct stat scene, hashes;
    if (run->settings->hash == NULL)
        return CAIRN_OK;
    if (stat(run->scene->path, &scene) == 0 && stat(run->settings->hash, &hashes) == 0 &&
        scene.st_dev == hashes.st_dev && scene.st_ino == hashes.st_ino)
        return base_fail(error, CAIRN_ERROR_FILE,
                         "--hash %s: this is the scene, which stays as it is", run->settings->hash);
    cairn_status status = open_table_at(run, RUN_HASH, run->settings->hash, error);
    if (status != CAIRN_OK || !is_new(run, RUN_HASH))
        return status;
    fputs("step,state hash\n", run->files.tables[RUN_HASH]);
    put_hash_row(run);
    return CAIRN_OK;
}

static cairn_status open_tables(run_state *run, cairn_error *error)
{
    cairn_status status = open_energy(run, error);
    if (status == CAIRN_OK)
        status = open_sensors(run, error);
    if (status == CAIRN_OK)
        status = open_measures(run, error);
    if (status == CAIRN_OK)
        status = open_bonds(run, error);
    return status == CAIRN_OK ? open_hashes(run, error) : status;
}

static cairn_status begin_frames(run_state *run, cairn_error *error)
{
    cairn_paraview_content content = run->output.paraview == SCN_PARAVIEW_SURFACES
                                         ? CAIRN_PARAVIEW_SURFACES
                                         : CAIRN_PARAVIEW_GLYPHS;
    cairn_status status =
        cairn_paraview_open(run->files.paraview, content, &run->files.frames, error);
    if (status == CAIRN_OK)
        status = cairn_paraview_write_frame(run->files.frames, run->scene->world, error);
    run->totals.frames += status == CAIRN_OK;
    return status;
}

static cairn_status open_frames(run_state *run, cairn_error *error)
{
    run->files.paraview_every =
        run->output.paraview_every >= 0 ? run->output.paraview_every : run_frame_steps(run);
    if (run->output.paraview == SCN_PARAVIEW_NONE)
        run->files.paraview_every = 0;
    if (run->files.paraview_every == 0)
        return CAIRN_OK;
    BASE_TRY(cli_path_join(run->files.paraview, run->files.folder, "paraview", error));
    BASE_TRY(cli_folder_make_own(run->files.paraview, error));
    bool surfaces = run->output.paraview == SCN_PARAVIEW_SURFACES;
    bool goes_on = run->resumes && run->marks.paraview.frames > 0;
    if (goes_on && surfaces != (run->marks.paraview.content == CAIRN_PARAVIEW_SURFACES))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s has %s, and the run goes on with them: --paraview %s",
                         run->files.paraview, surfaces ? "glyphs" : "surfaces",
                         surfaces ? "glyphs, or another --out" : "surfaces, or another --out");
    if (goes_on)
        return cairn_paraview_resume(run->files.paraview, run->marks.paraview, &run->files.frames,
                                     error);
    return begin_frames(run, error);
}

cairn_status run_files_choose(run_state *run, cairn_error *error)
{
    if (run->settings->out == NULL)
        return cli_path_join(run->files.folder, "out", run->scene->name, error);
    int length = snprintf(run->files.folder, PATH_MAX, "%s", run->settings->out);
    if (length >= PATH_MAX)
        return base_fail(error, CAIRN_ERROR_FILE, "--out: the path is too long");
    return CAIRN_OK;
}

static cairn_status open_fclib(run_state *run, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    if (run->settings->fclib == NULL) {
        status = cli_path_join(run->files.fclib, run->files.folder, "fclib", error);
        return status != CAIRN_OK ? status : cli_folder_make_own(run->files.fclib, error);
    }
    if (snprintf(run->files.fclib, PATH_MAX, "%s", run->settings->fclib) >= PATH_MAX)
        status = base_fail(error, CAIRN_ERROR_FILE, "--fclib: the path is too long");
    return status != CAIRN_OK ? status : cli_folder_make(run->files.fclib, error);
}

cairn_status run_files_open(run_state *run, cairn_error *error)
{
    cairn_status status = run->fclib ? open_fclib(run, error) : CAIRN_OK;
    if (status == CAIRN_OK)
        status = open_tables(run, error);
    if (status == CAIRN_OK)
        status = run_trajectory_open(run, error);
    if (status == CAIRN_OK)
        status = open_frames(run, error);
    return status == CAIRN_OK ? cut_tables(run, error) : status;
}

// ---------------------------------------------------------------- problems

static cairn_status write_problem(run_state *run, cairn_fclib_form form, cairn_error *error)
{
    const scn_scene *scene = run->scene;
    int contacts = cairn_world_get_report(scene->world)->contacts;
    char name[NAME_MAX + 1], path[PATH_MAX], text[256];
    snprintf(name, sizeof name, "%.180s-%s-i%05" PRId64 "-%d.hdf5", scene->name,
             form == CAIRN_FCLIB_LOCAL ? "local" : "global",
             cairn_world_get_step_count(scene->world), contacts);
    snprintf(text, sizeof text, "step %" PRId64 " of scene %.100s, time %.9g s, time step %.9g s",
             cairn_world_get_step_count(scene->world), scene->name,
             cairn_world_get_time(scene->world), cairn_world_get_def(scene->world)->time_step);
    BASE_TRY(cli_path_join(path, run->files.fclib, name, error));
    const char *title = scene->title[0] != '\0' ? scene->title : scene->name;
    cairn_status status = cairn_world_write_fclib(scene->world, path, form, title, text, error);
    run->totals.problems += status == CAIRN_OK;
    return status;
}

cairn_status run_files_problem(run_state *run, cairn_error *error)
{
    const cairn_step_report *report = cairn_world_get_report(run->scene->world);
    if (report->contacts == 0 || strcmp(report->stop, "none") == 0)
        return CAIRN_OK;
    // a failed step is written even where no problem was asked for
    cairn_status status = run->files.fclib[0] == '\0' ? open_fclib(run, error) : CAIRN_OK;
    if (status == CAIRN_OK && (run->output.fclib_form & SCN_FCLIB_LOCAL) != 0)
        status = write_problem(run, CAIRN_FCLIB_LOCAL, error);
    if (status != CAIRN_OK || (run->output.fclib_form & SCN_FCLIB_GLOBAL) == 0)
        return status;
    status = write_problem(run, CAIRN_FCLIB_GLOBAL, error);
    // what has no global form is there in the local one, where both were asked for
    if (status != CAIRN_ERROR_UNSUPPORTED || run->output.fclib_form == SCN_FCLIB_GLOBAL)
        return status;
    run->output.fclib_form = SCN_FCLIB_LOCAL;
    cli_progress_clear(&run->progress);
    cli_warn("%s; from here on problems are written in the local form alone", error->message);
    return CAIRN_OK;
}

static bool problem_is_due(const run_state *run)
{
    const cairn_world *world = run->scene->world;
    const cairn_step_report *report = cairn_world_get_report(world);
    int64_t step = cairn_world_get_step_count(world);
    if (!run->fclib || step % run->output.fclib_every != 0)
        return false;
    double values[SCN_QUANTITY_COUNT] = {
        [SCN_QUANTITY_contacts] = report->contacts,
        [SCN_QUANTITY_iterations] = report->iterations,
        [SCN_QUANTITY_error] = report->error,
        [SCN_QUANTITY_step] = (double)step,
        [SCN_QUANTITY_time] = cairn_world_get_time(world),
    };
    return scn_condition_holds(&run->output.fclib_condition, values);
}

/// Coarse-grained fields that are due, each as fields/NAME_STEP.vti or .h5.
static cairn_status write_fields(const run_state *run, cairn_error *error)
{
    const scn_scene *scene = run->scene;
    int64_t step = cairn_world_get_step_count(scene->world);
    for (int i = 0; i < scene->field_count; i++) {
        const scn_field *field = &scene->fields[i];
        char folder[PATH_MAX], path[PATH_MAX], name[128];
        bool mean = field->average >= 0;
        if (mean ? !scn_average_ends(scene, field->average, step) : step % field->every != 0)
            continue;
        snprintf(name, sizeof name, "%s_%09" PRId64 ".%s", field->name, step,
                 field->hdf5 ? "h5" : "vti");
        BASE_TRY(cli_path_join(folder, run->files.folder, "fields", error));
        BASE_TRY(cli_path_join(path, folder, name, error));
        BASE_TRY(cli_folder_make_own(folder, error));
        BASE_TRY(mean ? cairn_fields_average_write(scene->world, field->average, path, error)
                      : cairn_fields_write(scene->world, &field->grid, path, error));
    }
    return CAIRN_OK;
}

/// Whether a measure or a frame of fields of a step is of its instant: means over windows are known
/// to all processes.
static bool reads_instant(const scn_scene *scene, int64_t step, bool row)
{
    for (int i = 0; i < scene->measure_count; i++)
        if (row && scene->measures[i]->average < 0)
            return true;
    for (int i = 0; i < scene->field_count; i++)
        if (scene->fields[i].average < 0 && step % scene->fields[i].every == 0)
            return true;
    return false;
}

/// Whether a frame or row of a step is made of more than bodies.
static bool reads_contacts(const run_state *run, int64_t step, bool last)
{
    const scn_scene *scene = run->scene;
    bool row = last || step % run->output.energy_every == 0;
    bool reads = (row && scene->sensor_count > 0) || run->files.tables[RUN_HASH] != NULL ||
                 run->fclib || reads_instant(scene, step, row);
    bool frame = run->files.frames != NULL && (last || step % run->files.paraview_every == 0);
    bool contacts = run->files.trajectory != NULL && run->output.contacts_every > 0 &&
                    (last || run_trajectory_is_due(run, step));
    return reads || contacts || (frame && run->output.paraview == SCN_PARAVIEW_SURFACES);
}

run_read run_files_read(const run_state *run, int64_t step, bool last)
{
    const run_files *files = &run->files;
    if (reads_contacts(run, step, last))
        return RUN_READS_ALL;
    if (last || (files->frames != NULL && step % files->paraview_every == 0) ||
        (files->trajectory != NULL && run_trajectory_is_due(run, step)))
        return RUN_READS_BODIES;
    return step % run->output.energy_every == 0 ? RUN_READS_ENERGY : RUN_READS_NOTHING;
}

/// Tables can be watched: what they have is there a second later, whatever a block of a file is.
static void flush_tables(run_state *run)
{
    double now = base_timer_seconds();
    if (now < run->files.flushed + 1.0)
        return;
    run->files.flushed = now;
    // an error stays with the file, and is told when it is closed
    for (int i = 0; i < RUN_TABLE_COUNT; i++)
        if (run->files.tables[i] != NULL)
            (void)fflush(run->files.tables[i]);
}

cairn_status run_files_step(run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    int64_t step = cairn_world_get_step_count(world);
    cairn_status status = CAIRN_OK;
    put_hash_row(run);
    put_break_rows(run);
    bool row = step % run->output.energy_every == 0;
    if (row) {
        put_energy_row(run);
        status = put_sensor_row(run, error);
    }
    if (status == CAIRN_OK)
        status = put_measure_row(run, row, true, error);
    flush_tables(run);
    if (status == CAIRN_OK && run->files.frames != NULL && step % run->files.paraview_every == 0) {
        status = cairn_paraview_write_frame(run->files.frames, world, error);
        run->totals.frames += status == CAIRN_OK;
    }
    if (status == CAIRN_OK)
        status = write_fields(run, error);
    if (status == CAIRN_OK)
        status = run_trajectory_step(run, error);
    if (status == CAIRN_OK && problem_is_due(run))
        status = run_files_problem(run, error);
    return status;
}

cairn_status run_files_final(run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    int64_t step = cairn_world_get_step_count(world);
    cairn_status status = CAIRN_OK;
    if (step % run->output.energy_every != 0) {
        put_energy_row(run);
        status = put_sensor_row(run, error);
        if (status == CAIRN_OK)
            status = put_measure_row(run, true, false, error);
    }
    if (status == CAIRN_OK && run->files.frames != NULL && step % run->files.paraview_every != 0) {
        status = cairn_paraview_write_frame(run->files.frames, world, error);
        run->totals.frames += status == CAIRN_OK;
    }
    return status == CAIRN_OK ? run_trajectory_final(run, error) : status;
}

static cairn_status close_table(FILE *file, const char *name, cairn_error *error)
{
    if (file == NULL)
        return CAIRN_OK;
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad)
        return base_fail(error, CAIRN_ERROR_FILE, "%s could not be written", name);
    return CAIRN_OK;
}

cairn_status run_files_mark(run_state *run, cairn_error *error)
{
    for (int i = 0; i < RUN_TABLE_COUNT; i++) {
        FILE *file = run->files.tables[i];
        run->marks.bytes[i] = -1;
        if (file == NULL)
            continue;
        // pipes and terminals cannot be synced, nor continued
        if (fflush(file) != 0 || (fsync(fileno(file)) != 0 && errno != EINVAL && errno != EROFS))
            return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", table_names[i], strerror(errno));
        run->marks.bytes[i] = ftello(file);
    }
    run->marks.paraview = (cairn_paraview_state){0};
    if (run->files.frames != NULL)
        run->marks.paraview = cairn_paraview_get_state(run->files.frames);
    run->marks.trajectory = 0;
    if (run->files.trajectory != NULL)
        run->marks.trajectory = cairn_trajectory_get_frame_count(run->files.trajectory);
    return CAIRN_OK;
}

cairn_status run_files_close(run_state *run, cairn_error *error)
{
    cairn_paraview_close(run->files.frames);
    run->files.frames = NULL;
    cairn_status status = cairn_trajectory_close(run->files.trajectory, error);
    run->files.trajectory = NULL;
    for (int i = 0; i < RUN_TABLE_COUNT; i++) {
        cairn_status closed =
            close_table(run->files.tables[i], table_names[i], status == CAIRN_OK ? error : NULL);
        status = status == CAIRN_OK ? closed : status;
        run->files.tables[i] = NULL;
    }
    return status;
}
