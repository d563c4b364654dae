// SPDX-License-Identifier: Apache-2.0
// What a run says at its end: the JSON object, summary.json, the readable table.
#include "cli/run/run.h"

#include "cli/process/files.h"
#include "cli/process/laws.h"
#include "cli/process/status.h"
#include "cli/text/json.h"
#include "cli/text/wrap.h"

#include <inttypes.h>
#include <unistd.h>

static double mean_iterations(const run_totals *totals)
{
    return totals->solved_steps > 0 ? totals->iterations / (double)totals->solved_steps : 0.0;
}

static void put_phases(const run_state *run, cli_json *json)
{
    cli_json_object(json, "phases");
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++)
        cli_json_number(json, cairn_phase_name((cairn_phase)i), run->totals.phases[i]);
    cli_json_object_end(json);
}

static void put_contract(const run_state *run, const char *status, cli_json *json)
{
    const cairn_world *world = run->scene->world;
    const run_totals *totals = &run->totals;
    char hash[24], laws[CLI_LAWS_SIZE];
    snprintf(hash, sizeof hash, "%016" PRIx64, run->hash);
    cli_laws_in_use(world, laws);
    cli_json_text(json, "kind", "run");
    cli_json_text(json, "scene", run->scene->name);
    cli_json_text(json, "law", laws);
    cli_json_text(json, "solver", cairn_world_get_solver(world));
    cli_json_integer(json, "steps", totals->steps);
    cli_json_number(json, "time", cairn_world_get_time(world));
    cli_json_integer(json, "bodies", cairn_body_count(world));
    cli_json_integer(json, "contacts_max", totals->contacts_max);
    cli_json_number(json, "iterations_mean", mean_iterations(totals));
    cli_json_number(json, "error_max", totals->error_max);
    cli_json_number(json, "error_scaled_max", totals->error_scaled_max);
    cli_json_number(json, "error_siconos_max", totals->error_siconos_max);
    cli_json_number(json, "energy_residual", cairn_world_get_energy(world).residual);
    cli_json_number(json, "penetration_max", totals->penetration_max);
    cli_json_number(json, "seconds_stepping", totals->seconds);
    cli_json_number(json, "seconds_per_step",
                    totals->steps > 0 ? totals->seconds / (double)totals->steps : 0.0);
    cli_json_text(json, "state_hash", hash);
    put_phases(run, json);
    cli_json_text(json, "status", status);
    cli_json_text(json, "stop", run->stopped != NULL ? run->stopped : "");
    cli_json_integer(json, "steps_solved", totals->solved_steps);
    cli_json_integer(json, "steps_unsolved", totals->unsolved);
    cli_json_number(json, "tolerance", cairn_world_get_def(world)->tolerance);
    cli_json_object(json, "parameters");
    for (int i = 0; i < run->scene->parameter_count; i++)
        cli_json_value(json, run->scene->parameters[i].name, run->scene->parameters[i].value);
    cli_json_object_end(json);
}

void run_summary_json(const run_state *run, const char *status, FILE *out)
{
    cli_json json = cli_json_begin(out);
    cli_json_object(&json, NULL);
    put_contract(run, status, &json);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

static bool is_there(const char *folder, const char *name)
{
    char path[PATH_MAX];
    return cli_path_join(path, folder, name, NULL) == CAIRN_OK && access(path, F_OK) == 0;
}

static void print_files(const run_state *run, FILE *out)
{
    const char *folder = run->files.folder;
    char text[PATH_MAX + 256];
    snprintf(text, sizeof text,
             "%s/summary.json, summary.txt, resolved.json, energy.csv, bodies.csv%s%s%s%s",
             cli_show(folder).text, run->scene->sensor_count > 0 ? ", sensors.csv" : "",
             run->scene->measure_count > 0 ? ", measures.csv" : "",
             is_there(folder, "trajectory.h5") ? ", trajectory.h5" : "",
             is_there(folder, "checkpoint.h5") ? ", checkpoint.h5" : "");
    cli_print_line(out, "  files        %s", text);
    if (run->totals.frames > 0)
        fprintf(out, "  paraview     %s (%" PRId64 " frames)\n", cli_show(run->files.paraview).text,
                run->totals.frames);
    if (run->fclib)
        fprintf(out, "  problems     %s (%" PRId64 " files)\n", cli_show(run->files.fclib).text,
                run->totals.problems);
}

static void print_phases(const run_totals *totals, FILE *out)
{
    double sum = 0.0;
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++)
        sum += totals->phases[i];
    if (!(sum > 0.0))
        return;
    char text[CAIRN_PHASE_COUNT * 32] = "";
    size_t used = 0;
    for (int i = 0; i < CAIRN_PHASE_COUNT; i++)
        if (totals->phases[i] >= 0.005 * sum)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.0f %%",
                                     used > 0 ? ", " : "", cairn_phase_name((cairn_phase)i),
                                     100.0 * totals->phases[i] / sum);
    cli_print_line(out, "  phases       %s", text);
}

void run_summary_print(const run_state *run, const char *status, FILE *out)
{
    const cairn_world *world = run->scene->world;
    const run_totals *totals = &run->totals;
    cairn_energy energy = cairn_world_get_energy(world);
    fprintf(out, "%s: %s after %" PRId64 " steps, %.6g s simulated\n",
            cli_show(run->scene->title[0] != '\0' ? run->scene->title : run->scene->name).text,
            status, totals->steps, cairn_world_get_time(world));
    if (run->stopped != NULL)
        fprintf(out, "  stopped by   %s\n", cli_show(run->stopped).text);
    char laws[CLI_LAWS_SIZE];
    cli_laws_in_use(world, laws);
    fprintf(out, "  law          %s", laws);
    if (totals->solved_steps > 0)
        fprintf(out, ", solver %s, one-contact solver %s", cairn_world_get_solver(world),
                cairn_world_get_local(world));
    fprintf(out, "\n  bodies       %d, contacts up to %d\n", cairn_body_count(world),
            totals->contacts_max);
    for (int i = 0, count = cairn_emitter_count(world); i < count; i++) {
        cairn_emitter_view view;
        if (cairn_emitter_get(world, i, &view) == CAIRN_OK)
            fprintf(out,
                    "  %-12s %" PRId64 " grains inserted, %.4g kg; %" PRId64 " wait for room\n",
                    cli_show(view.name).text, view.count, view.mass, view.waiting);
    }
    for (int i = 0, count = cairn_outlet_count(world); i < count; i++) {
        cairn_outlet_view view;
        if (cairn_outlet_get(world, i, &view) == CAIRN_OK)
            fprintf(out, "  %-12s %" PRId64 " bodies removed, %.4g kg\n", cli_show(view.name).text,
                    view.count, view.mass);
    }
    if (totals->solved_steps > 0)
        fprintf(out, "  solver       %.1f iterations a step, error up to %.2g (tolerance %.2g)\n",
                mean_iterations(totals), totals->error_max, cairn_world_get_def(world)->tolerance);
    if (totals->divided > 0)
        fprintf(out,
                "  divided      %" PRId64 " of %" PRId64
                " steps with contacts were made in shorter pieces (step_halvings)\n",
                totals->divided, totals->solved_steps);
    if (totals->unsolved > 0)
        fprintf(out,
                "  unsolved     %" PRId64 " of %" PRId64
                " steps with contacts above the tolerance, "
                "error up to %.2g\n",
                totals->unsolved, totals->solved_steps, totals->error_max);
    fprintf(out, "  penetration  %.3g m at most\n", totals->penetration_max);
    double lost = energy.impact + energy.friction + energy.damping + energy.plastic;
    cli_print_line(
        out, "  energy       kinetic %.4g J, potential %.4g J, dissipated %.4g J, residual %.2g J",
        energy.kinetic, energy.potential, lost, energy.residual);
    fprintf(out, "  stepping     %.3g s, %.3g ms a step\n", totals->seconds,
            totals->steps > 0 ? 1e3 * totals->seconds / (double)totals->steps : 0.0);
    print_phases(totals, out);
    fprintf(out, "  state hash   %016" PRIx64 "\n", run->hash);
    print_files(run, out);
}

/// What emitters made and outlets removed.
static void put_grains(const cairn_world *world, cli_json *json)
{
    int emitters = cairn_emitter_count(world), outlets = cairn_outlet_count(world);
    cli_json_list(json, "emitters");
    for (int i = 0; i < emitters; i++) {
        cairn_emitter_view view;
        if (cairn_emitter_get(world, i, &view) != CAIRN_OK)
            continue;
        cli_json_object(json, NULL);
        cli_json_text(json, "name", view.name);
        cli_json_integer(json, "count", view.count);
        cli_json_number(json, "mass", view.mass);
        cli_json_integer(json, "waiting", view.waiting);
        cli_json_number(json, "waiting_mass", view.waiting_mass);
        cli_json_integer(json, "late", view.late);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
    cli_json_list(json, "outlets");
    for (int i = 0; i < outlets; i++) {
        cairn_outlet_view view;
        if (cairn_outlet_get(world, i, &view) != CAIRN_OK)
            continue;
        cli_json_object(json, NULL);
        cli_json_text(json, "name", view.name);
        cli_json_integer(json, "count", view.count);
        cli_json_number(json, "mass", view.mass);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
}

cairn_status run_summary_write(const run_state *run, const char *status, const char *message,
                               cairn_error *error)
{
    char path[PATH_MAX];
    cli_file file;
    cairn_status result = cli_path_join(path, run->files.folder, "summary.json", error);
    if (result == CAIRN_OK)
        result = cli_file_open(&file, path, error);
    if (result != CAIRN_OK)
        return result;
    cli_json json = cli_json_begin(file.stream);
    cli_json_object(&json, NULL);
    put_contract(run, status, &json);
    cli_json_text(&json, "version", cairn_version());
    cli_json_text(&json, "title", run->scene->title);
    cli_json_text(&json, "message", message);
    cli_json_number(&json, "penetration_relative_max", run->totals.penetration_relative_max);
    cli_json_integer(&json, "steps_divided", run->totals.divided);
    cli_json_integer(&json, "overlaps_at_start", run->scene->overlap_count);
    cli_json_integer(&json, "paraview_frames", run->totals.frames);
    cli_json_integer(&json, "fclib_problems", run->totals.problems);
    put_grains(run->scene->world, &json);
    cli_json_object_end(&json);
    cli_json_finish(&json);
    result = cli_file_commit(&file, error);
    if (result == CAIRN_OK)
        result = cli_path_join(path, run->files.folder, "summary.txt", error);
    if (result == CAIRN_OK)
        result = cli_file_open(&file, path, error);
    if (result != CAIRN_OK)
        return result;
    run_summary_print(run, status, file.stream);
    return cli_file_commit(&file, error);
}
