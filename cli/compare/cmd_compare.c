// SPDX-License-Identifier: Apache-2.0
// cairn compare: differences between two runs.
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/compare/compare.h"
#include "cli/process/files.h"
#include "cli/process/status.h"
#include "cli/text/json.h"
#include "cli/text/wrap.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct compare_settings {
    cli_common common;
    double tolerance; // NaN: none
    bool json;
} compare_settings;

static const cli_option options[] = {
    {.name = "tolerance",
     .type = CLI_NUMBER,
     .offset = offsetof(compare_settings, tolerance),
     .argument = "X",
     .help = "exit status 5 for a relative difference above X, or runs of other shape",
     .maximum = 1e6},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = offsetof(compare_settings, json),
     .help = "print one JSON object and nothing else"},
};

static void set_defaults(void *memory)
{
    ((compare_settings *)memory)->tolerance = NAN;
}

typedef struct comparison {
    const char *folders[2];
    compare_summary summaries[2];
    compare_settings_list differing;
    compare_lines lines;
    double energy;   // J, the largest
    bool same_shape; // same files, columns, times and numbers of bodies
    cairn_error error;
} comparison;

// ---------------------------------------------------------------- reading

typedef cairn_status table_compare(const cli_table *a, const cli_table *b, comparison *out);

static cairn_status compare_energies(const cli_table *a, const cli_table *b, comparison *out)
{
    cairn_status status = compare_series(a, b, true, &out->lines, &out->same_shape);
    out->energy = out->lines.count > 0 ? out->lines.items[0].scale : 0.0;
    return status;
}

static cairn_status compare_sensors(const cli_table *a, const cli_table *b, comparison *out)
{
    return compare_series(a, b, false, &out->lines, &out->same_shape);
}

static cairn_status compare_places(const cli_table *a, const cli_table *b, comparison *out)
{
    return compare_bodies(a, b, out->energy, &out->lines, &out->same_shape);
}

/// Compares one file that both folders may have; one that a single folder has is a difference.
static cairn_status compare_file(comparison *out, const char *name, table_compare *function)
{
    char paths[2][PATH_MAX];
    bool there[2];
    for (int i = 0; i < 2; i++) {
        cairn_status status = cli_path_join(paths[i], out->folders[i], name, &out->error);
        if (status != CAIRN_OK)
            return status;
        there[i] = access(paths[i], F_OK) == 0;
    }
    if (!there[0] || !there[1]) {
        out->same_shape = out->same_shape && there[0] == there[1];
        return CAIRN_OK;
    }
    cli_table a = {0}, b = {0};
    cairn_status status = cli_table_read(&a, paths[0], &out->error);
    if (status == CAIRN_OK)
        status = cli_table_read(&b, paths[1], &out->error);
    if (status == CAIRN_OK) {
        status = function(&a, &b, out);
        if (status != CAIRN_OK)
            base_fail(&out->error, status, "%s", cairn_status_text(status));
    }
    cli_table_release(&a);
    cli_table_release(&b);
    return status;
}

// ---------------------------------------------------------------- reports

static double largest_relative(const comparison *found)
{
    double largest = 0.0;
    for (int i = 0; i < found->lines.count; i++)
        largest = fmax(largest, compare_relative(&found->lines.items[i]));
    return largest;
}

static bool same_hash(const comparison *found)
{
    return found->summaries[0].state_hash[0] != '\0' &&
           strcmp(found->summaries[0].state_hash, found->summaries[1].state_hash) == 0;
}

static void print_cost(const comparison *found)
{
    const compare_summary *a = &found->summaries[0], *b = &found->summaries[1];
    const struct {
        const char *name;
        double a, b;
    } rows[] = {
        {"steps", a->steps, b->steps},
        {"time [s]", a->time, b->time},
        {"bodies", a->bodies, b->bodies},
        {"contacts, most", a->contacts_max, b->contacts_max},
        {"iterations a step", a->iterations_mean, b->iterations_mean},
        {"error, largest", a->error_max, b->error_max},
        {"energy residual [J]", a->energy_residual, b->energy_residual},
        {"penetration [m]", a->penetration_max, b->penetration_max},
        {"stepping [s]", a->seconds_stepping, b->seconds_stepping},
        {"a step [ms]", 1e3 * a->seconds_per_step, 1e3 * b->seconds_per_step},
    };
    printf("\n%-34s %12s %12s %12s\n", "cost", "A", "B", "B / A");
    for (int i = 0; i < BASE_COUNT(rows); i++) {
        char ratio[32] = "-";
        if (rows[i].a != 0.0)
            snprintf(ratio, sizeof ratio, "%.4g", rows[i].b / rows[i].a);
        printf("%-34s %12.5g %12.5g %12s\n", rows[i].name, rows[i].a, rows[i].b, ratio);
    }
}

static void print_settings(const comparison *found)
{
    const compare_settings_list *list = &found->differing;
    if (!list->known) {
        printf("\nsettings are not compared: one run has no resolved.json that can be read\n");
        return;
    }
    if (list->count == 0) {
        printf("\nall settings are the same\n");
        return;
    }
    printf("\n%-34s %20s %20s\n", "settings that differ", "A", "B");
    for (int i = 0; i < list->count; i++)
        printf("%-34s %20s %20s\n", cli_show(list->items[i].name).text,
               cli_show(list->items[i].value[0]).text, cli_show(list->items[i].value[1]).text);
}

static void print_text(const comparison *found)
{
    for (int i = 0; i < 2; i++) {
        const compare_summary *run = &found->summaries[i];
        cli_print_line(stdout, "%c  %s: %s, %s, %s, %s", 'A' + i, cli_show(found->folders[i]).text,
                       cli_show(run->scene).text, cli_show(run->law).text,
                       cli_show(run->solver).text, cli_show(run->status).text);
    }
    print_settings(found);
    printf("\n%-28s %12s %12s %12s %12s\n", "largest difference", "of", "size", "relative", "at");
    for (int i = 0; i < found->lines.count; i++) {
        const compare_line *line = &found->lines.items[i];
        bool body = strncmp(line->name, "body ", 5) == 0;
        // no time that both have, or no body
        if (isnan(line->where)) {
            printf("%-28s %12s %12s %12s -\n", cli_show(line->name).text, "-", "-", "-");
            continue;
        }
        printf("%-28s %12.4g %12.4g %12.4g %s%g%s\n", cli_show(line->name).text, line->difference,
               line->scale, compare_relative(line), body ? "body " : "", line->where,
               body ? "" : " s");
    }
    print_cost(found);
    if (!found->same_shape)
        printf("\nthe runs differ in files, columns, times or numbers of bodies\n");
    printf("\nfinal states %s\n", same_hash(found) ? "are the same, bit by bit" : "differ");
}

static void print_value(cli_json *json, const char *key, const compare_setting *setting, int run)
{
    if (setting->kind[run] == CLI_JSON_NUMBER)
        cli_json_number(json, key, setting->number[run]);
    else if (setting->kind[run] == CLI_JSON_BOOLEAN)
        cli_json_boolean(json, key, setting->number[run] != 0.0);
    else
        cli_json_text(json, key, setting->kind[run] == CLI_JSON_NULL ? NULL : setting->value[run]);
}

static void print_json(const comparison *found)
{
    const compare_summary *a = &found->summaries[0], *b = &found->summaries[1];
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "comparison");
    cli_json_text(&json, "a", found->folders[0]);
    cli_json_text(&json, "b", found->folders[1]);
    cli_json_boolean(&json, "same_state", same_hash(found));
    cli_json_boolean(&json, "same_shape", found->same_shape);
    cli_json_number(&json, "relative_max", largest_relative(found));

    // put settings
    if (found->differing.known)
        cli_json_object(&json, "settings");
    else
        cli_json_text(&json, "settings", NULL);
    for (int i = 0; i < found->differing.count; i++) {
        const compare_setting *setting = &found->differing.items[i];
        cli_json_object(&json, setting->name);
        for (int k = 0; k < 2; k++)
            print_value(&json, k == 0 ? "a" : "b", setting, k);
        cli_json_object_end(&json);
    }
    if (found->differing.known)
        cli_json_object_end(&json);

    // put lines
    cli_json_object(&json, "differences");
    for (int i = 0; i < found->lines.count; i++) {
        const compare_line *line = &found->lines.items[i];
        cli_json_object(&json, line->name);
        bool some = !isnan(line->where);
        cli_json_number(&json, "difference", some ? line->difference : NAN);
        cli_json_number(&json, "size", some ? line->scale : NAN);
        cli_json_number(&json, "relative", some ? compare_relative(line) : NAN);
        cli_json_number(&json, "where", line->where);
        cli_json_object_end(&json);
    }
    cli_json_object_end(&json);

    cli_json_number(&json, "seconds_per_step_ratio", b->seconds_per_step / a->seconds_per_step);
    cli_json_number(&json, "iterations_mean_ratio", b->iterations_mean / a->iterations_mean);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

static int run_compare(const void *memory)
{
    const compare_settings *settings = memory;
    comparison found = {.folders = {settings->common.arguments[0], settings->common.arguments[1]},
                        .differing = {.allocator = base_allocator_default()},
                        .lines = {.allocator = base_allocator_default()},
                        .same_shape = true};

    // compare folders
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < 2 && status == CAIRN_OK; i++)
        status = compare_summary_read(&found.summaries[i], found.folders[i], &found.error);
    if (status == CAIRN_OK)
        status = compare_settings_read(found.folders, &found.differing, &found.error);
    if (status == CAIRN_OK)
        status = compare_file(&found, "energy.csv", compare_energies);
    if (status == CAIRN_OK)
        status = compare_file(&found, "sensors.csv", compare_sensors);
    if (status == CAIRN_OK)
        status = compare_file(&found, "bodies.csv", compare_places);
    if (found.summaries[0].bodies != found.summaries[1].bodies)
        found.same_shape = false;
    int result = CLI_EXIT_DONE;
    if (status != CAIRN_OK) {
        cli_complain("%s", found.error.message);
        result = status == CAIRN_ERROR_MEMORY ? CLI_EXIT_FAILED : CLI_EXIT_INPUT;
    } else if (settings->json) {
        print_json(&found);
    } else {
        print_text(&found);
    }
    if (status == CAIRN_OK && !isnan(settings->tolerance) &&
        (!found.same_shape || !(largest_relative(&found) <= settings->tolerance)))
        result = CLI_EXIT_DIFFERENT;
    compare_settings_release(&found.differing);
    compare_lines_release(&found.lines);
    return result;
}

const cli_command cli_cmd_compare = {
    .name = "compare",
    .summary = "differences between two runs",
    .operands = "A B",
    .description =
        "Compares the folders of two runs: settings that differ, energies and sensors over time, "
        "final\npositions, orientations and velocities of the bodies, and cost. A relative "
        "difference is the\nlargest difference over the size of that quantity in the runs: the "
        "largest one; energies share one\nsize, the axes of a vector too. Positions are relative "
        "to the extent of the bodies that move,\norientations to half a turn, velocities at least "
        "to that of all bodies with the largest energy.",
    .least = 2,
    .most = 2,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(compare_settings),
    .completion = CLI_COMPLETE_FOLDER,
    .defaults = set_defaults,
    .run = run_compare,
};
